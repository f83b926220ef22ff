"""The model → the code of the package: tables of types, enums, and the exports of `index.js`."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.plan import Plan
from polywire.plan.trees import TreePlan
from polywire.plan.unions import UnknownPlan
from polywire.targets.typescript.declarations import views_of
from polywire.targets.typescript.envelopes import ControlsView, ToolTable, controls_view, tool_tables
from polywire.targets.typescript.layout import quoted
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.source import Call, Constant, Expression, Later
from polywire.targets.typescript.tables import Tables


@dataclass(frozen=True, slots=True)
class Code:
    """The code of the package."""

    package_version: str
    protocol_oldest: str
    protocol_newest: str
    spec_hash: str
    root: str
    enums: tuple[Constant, ...]
    """The declared values of each enum."""
    types: tuple[Constant, ...]
    spec_names: tuple[tuple[str, str], ...]
    """The name in the package, and the literal of the name in the spec, for names that differ."""
    tokens: tuple[Constant, ...]
    guards: tuple[Constant, ...]
    viewers: tuple[Constant, ...]
    controls: ControlsView | None
    tools: tuple[ToolTable, ...]
    launches: tuple[Constant, ...]
    """The launch table of each record that starts a process: its JSON text, in pieces."""
    trees: tuple[Constant, ...]
    needs_runtime: bool
    """Whether the type of any response or tool is not a declared one."""


def code(plan: Plan) -> Code:
    """The view of a package's code."""
    model = plan.model
    names = Names(model)
    pairs = Tables(plan, names, prefix="types.")
    controls, tools = controls_view(plan, pairs), tool_tables(plan, pairs)
    protocol = model.protocol
    return Code(
        package_version=quoted(protocol.package_version),
        protocol_oldest=quoted(protocol.oldest or protocol.version),
        protocol_newest=quoted(protocol.version),
        spec_hash=quoted(model.spec_hash),
        root=names.type(plan.root),
        enums=_enums(plan, names),
        types=tuple(Tables(plan, names).constants()),
        spec_names=tuple((names.type(name), quoted(name)) for name in model.declarations if names.type(name) != name),
        tokens=tuple(_made(names.type(name), "token", pairs.declared(name)) for name in model.declarations),
        guards=tuple(_made(names.guard(name), "guard", pairs.declared(name)) for name in names.guarded),
        viewers=tuple(_viewer(plan, each, names, pairs) for each in plan.unknowns if each.union in names.viewed),
        controls=controls,
        tools=tools,
        launches=tuple(Constant(names.type(each.struct.name), each.pieces) for each in plan.launches),
        trees=tuple(_tree(each, names) for each in plan.trees),
        needs_runtime=pairs.uses_runtime,
    )


def _made(name: str, function: str, type_: Expression) -> Constant:
    return Constant(name, Call(f"codec.{function}", (type_,)))


def _viewer(plan: Plan, unknown: UnknownPlan, names: Names, tables: Tables) -> Constant:
    keys: dict[str, list[Expression]] = {}
    for view in views_of(plan, unknown):
        keys.setdefault(view.struct, []).append(view.field.name)
    parts: list[Expression] = [[tables.declared(struct), each] for struct, each in keys.items()]
    return Constant(names.viewer(unknown.union), Call("codec.viewer", (Later(parts),)))


def _tree(plan: TreePlan, names: Names) -> Constant:
    name = names.tree(plan.tree)
    return Constant(name, Call("trees.treeOf", (name, {key: id_.steps for key, id_ in plan.ids.items()})))


def _enums(plan: Plan, names: Names) -> tuple[Constant, ...]:
    values = ((enum, [value.wire for value in enum.values]) for enum in plan.model.enums)
    return tuple(Constant(names.values(enum), Call("Object.freeze", (listed,))) for enum, listed in values)
