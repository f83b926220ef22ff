"""The model → the code of the package: guards, tables of the engine, enums, and what `index.js` makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polywire.model.nodes import Ref, Union
from polywire.plan import Plan
from polywire.targets.release import package_version
from polywire.targets.typescript.envelopes import ControlsView, ToolTable, controls_view, tool_tables
from polywire.targets.typescript.guard_code import GuardCode, GuardFunction
from polywire.targets.typescript.guards import Guards
from polywire.targets.typescript.layout import map_of, quoted
from polywire.targets.typescript.names import IN_GUARDS, Names
from polywire.targets.typescript.source import Return, Statement, literal


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is exported under a name, laid out behind `export const NAME = /* @__PURE__ */ Object.freeze(`."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class EnumsView:
    """`enums.js`."""

    arrays: tuple[Constant, ...]
    """The declared values of each enum."""
    objects: tuple[Constant, ...]
    """The values of enums of integers by name."""


@dataclass(frozen=True, slots=True)
class GuardsView:
    """`guards.js`."""

    imports: tuple[str, ...]
    """What the functions use of the runtime."""
    needs_engine: bool
    functions: tuple[GuardFunction, ...]
    fits: str
    """The map of types to what counts their values."""
    knows: str
    """The map of open unions to what tells their variants."""


@dataclass(frozen=True, slots=True)
class TablesView:
    """`tables.js`."""

    rows: tuple[str, ...]
    """The rows of the engine's tables."""
    controls: ControlsView | None
    tools: tuple[ToolTable, ...]


@dataclass(frozen=True, slots=True)
class PublicGuard:
    """A guard that the package exports."""

    name: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class IndexView:
    """`index.js`."""

    package_version: str
    protocol_version: str
    spec_hash: str
    root: str
    spec_names: tuple[tuple[str, str], ...]
    """Name in the package, and the literal of the name in the spec."""
    spare: int
    guards: tuple[PublicGuard, ...]
    controls: ControlsView | None
    tools: tuple[ToolTable, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """The views of all modules of the package's code."""

    index: IndexView
    enums: EnumsView
    guards: GuardsView
    tables: TablesView


def code(plan: Plan) -> Code:
    """The views of a package's code."""
    model = plan.model
    names = Names(model)
    guards = Guards(plan, names, set(IN_GUARDS))
    controls, tools = controls_view(plan, names), tool_tables(plan)
    protocol = model.protocol
    return Code(
        IndexView(
            package_version=quoted(package_version(protocol)),
            protocol_version=quoted(protocol.version),
            spec_hash=quoted(model.spec_hash),
            root=quoted(names.type(plan.root)),
            spec_names=tuple((names.type(name), quoted(name)) for name in model.declarations),
            spare=_spare(guards.depth(Ref(plan.root))),
            guards=tuple(PublicGuard(names.guard(name), (_holds(guards, name),)) for name in names.guarded),
            controls=controls,
            tools=tools,
        ),
        _enums(plan, names),
        _guards(plan, guards, names),
        TablesView(tuple(literal([name, _row(row)], 4, 4) for name, row in plan.rows.items()), controls, tools),
    )


def _guards(plan: Plan, guards: Guards, names: Names) -> GuardsView:
    model, code = plan.model, GuardCode()
    unions = [guards.union(union) for union in model.unions]
    functions = [each for struct in plan.structs.values() for each in code.of_struct(guards.struct(struct))]
    functions += [each for union in unions for each in code.of_union(union)]
    named = [*map(guards.named, model.enums), *map(guards.named, model.aliases)]
    functions += [code.of_helper(each) for each in (*guards.helpers.values(), *named)]
    return GuardsView(
        imports=tuple(sorted(code.used - {"engine"})),
        needs_engine="engine" in code.used,
        functions=tuple(functions),
        fits=map_of([(names.type(name), guards.fits(name)) for name in model.declarations]),
        knows=map_of([(union.type, union.knows) for union in unions if union.knows is not None]),
    )


def _enums(plan: Plan, names: Names) -> EnumsView:
    enums = plan.model.enums
    arrays = {names.values(enum): [value.wire for value in enum.values] for enum in enums}
    objects = {
        names.type(enum.name): {names.member(enum, at): value.wire for at, value in enumerate(enum.values)}
        for enum in enums
        if enum.base == "integer"
    }
    before = len("export const  = /* @__PURE__ */ Object.freeze(")
    return EnumsView(
        tuple(Constant(name, literal(values, 0, before + len(name), 2)) for name, values in arrays.items()),
        tuple(Constant(name, literal(members, 0, 0)) for name, members in objects.items()),
    )


def _holds(guards: Guards, name: str) -> Return:
    """Whether a value is of a type; of an open union, whether it is a variant."""
    terms = [f"holds(guards.{guards.fits(name)}, value)"]
    union = guards.plan.model.declarations[name]
    if isinstance(union, Union) and union.open:
        terms.append(f"guards.{guards.knows(union)}(value)")
    return Return(terms)


def _row(row: Sequence[object]) -> list[object]:
    """A row in terms of arrays alone; the engine of the package says what they mean."""
    what, *parts = row
    if what == "union":  # the name of its Unknown is for other languages
        return [what, parts[0], _arrays(parts[2])]
    return [what, *(_arrays(part) for part in parts)]


def _arrays(value: object) -> object:
    if isinstance(value, Mapping):
        return [[key, _arrays(each)] for key, each in value.items()]
    if isinstance(value, tuple):
        return [_arrays(each) for each in value]
    return value


MAX_DEPTH = 128


def _spare(depth: int | None) -> int:
    """How many characters that no guard has counted a text must have before it can be nested too deep.

    Of what is kept as it came, each level leaves one of its two brackets uncounted.
    """
    return 0 if depth is None else max(MAX_DEPTH - depth, 0)
