"""The model → the plan: every decision that does not depend on a language, made once per run.

| module | decides |
|---|---|
| `rows` | the tables that the engines interpret |
| `members` | the members of a struct's object, their order, and which may be missing or null |
| `unions` | how the variant of an object is found |
| `shared` | which members most variants of a union share, and which mixins several types |
| `fill` | the values that constructors and envelopes use where the caller gives none |
| `launch` | how options start a process |
| `trees` | where entries have their ids, and those of their parents |
| `tables` | which lines, values and members are the rows and columns of tables |
| `announced` | where a peer announces its release, and which release a version number means |
| `controls` | how requests, responses and tools are paired, and the paths to their members |
| `session` | the table of what sessions need to know about the protocol |
| `needs` | what declarations are needed for, if not for messages; it depends on how a language names areas |
| `public` | the API of packages, and the features that only some of them have |
| `examples` | the examples in documentation, computed on demand |

Targets, `breaking` and documentation read the plan. A decision that two targets need is made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from polywire.model.nodes import Model, Union
from polywire.plan.announced import AnnouncedPlan, announced_plan
from polywire.plan.controls import ControlsPlan, ToolsPlan, controls_plan, tools_plan
from polywire.plan.fill import ConstructorPlan, constructor_plan
from polywire.plan.launch import LaunchPlan, launch_plans
from polywire.plan.members import StructPlan, struct_plan
from polywire.plan.public import Feature, Public, features, public
from polywire.plan.rows import Row, StructRow, rows
from polywire.plan.session import SessionTable, session_table
from polywire.plan.tables import TablesPlan, tables_plan
from polywire.plan.trees import TreePlan, tree_plans
from polywire.plan.unions import UnionPlan, UnknownPlan, union_plan, unknown_plans

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a whole protocol. What only prose needs (docs, versions, package names) is in `model`."""

    model: Model
    rows: Mapping[str, Row] = field(hash=False)
    structs: Mapping[str, StructPlan] = field(hash=False)
    unions: Mapping[str, UnionPlan] = field(hash=False)
    unknowns: tuple[UnknownPlan, ...]
    constructors: tuple[ConstructorPlan, ...] = field(hash=False)
    """The constructors, in the order of their structs."""
    controls: ControlsPlan | None = field(hash=False)
    session: SessionTable | None = field(hash=False)
    """What sessions need to know, if the protocol has controls."""
    tools: ToolsPlan = field(hash=False)
    announced: AnnouncedPlan | None = field(hash=False)
    """Where a peer announces its release."""
    launches: tuple[LaunchPlan, ...] = field(hash=False)
    """How each record that starts a process does so."""
    trees: tuple[TreePlan, ...]
    tables: TablesPlan = field(hash=False)
    public: tuple[Public, ...]
    features: frozenset[Feature]

    @property
    def root(self) -> str:
        """The type that readers decode by default."""
        return self.model.protocol.roots[0]

    @property
    def root_union(self) -> UnionPlan | None:
        """The plan of the root, if it is a union."""
        return self.unions.get(self.root)

    @property
    def root_structs(self) -> tuple[str, ...]:
        """The structs that a message of the root may be, if the root is a union."""
        return self.root_union.structs if self.root_union is not None else ()

    @property
    def variants(self) -> frozenset[str]:
        """The structs that are variants of some union."""
        return frozenset(name for union in self.unions.values() for name in union.structs)

    @property
    def has_views(self) -> bool:
        """Whether some Unknown gives access to more than the discriminators."""
        return any(union.views for union in self.unions.values())

    def unknown_of(self, union: Union) -> UnknownPlan:
        """The Unknown of an open union."""
        return next(each for each in self.unknowns if each.name == union.unknown)

    def called(self, packages: Mapping[str, Mapping[str, str]]) -> Plan:
        """The same plan with other package names."""
        return replace(self, model=replace(self.model, packages=packages))


def make_plan(model: Model) -> Plan:
    """Make the plan of a model without errors."""
    table, controls, announced = rows(model), controls_plan(model), announced_plan(model)
    return Plan(
        model=model,
        rows=table,
        structs={name: struct_plan(model, row) for name, row in table.items() if isinstance(row, StructRow)},
        unions={union.name: union_plan(model, union) for union in model.unions},
        unknowns=unknown_plans(model),
        constructors=tuple(
            constructor_plan(model, struct, each) for struct in model.structs for each in struct.constructors
        ),
        controls=controls,
        session=None if controls is None else session_table(model, controls, announced),
        tools=tools_plan(model),
        announced=announced,
        launches=launch_plans(model, controls),
        trees=tree_plans(model),
        tables=tables_plan(model),
        public=public(model),
        features=features(model),
    )
