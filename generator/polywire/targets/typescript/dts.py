"""The model → the declarations of `index.d.ts`.

Those that do not depend on the protocol are in the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.model.nodes import Enum, Model, Tree, Union
from polywire.model.walk import types
from polywire.plan import Plan
from polywire.source.types import Scalar
from polywire.targets.typescript.declarations import (
    AliasView,
    EnumView,
    Objects,
    ObjectView,
    UnionView,
    UnknownView,
    alias_view,
    callback_views,
    enum_view,
    in_order,
    union_view,
    unknown_view,
)
from polywire.targets.typescript.layout import Constant, Function, Property, key, literal, prose
from polywire.targets.typescript.maps import ControlMap, ToolMap, control_map, payload_type, tool_maps
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import SCALARS, Types

FORMATS = {
    "uuid": "A UUID (RFC 4122). Lenient mode also accepts a text of another form, so the type is not limited to UUIDs.",
    "timestamp": "A date and time (RFC 3339). Lenient mode also accepts a text of another form.",
}
"""The scalars with a named type for strings of that form, and its documentation."""

FORMS = {
    "uuid": ("`${string}-${string}-${string}-${string}-${string}`", "(string & {})"),
    "timestamp": ("string",),
}
"""The definitions of these types; a UUID has the type in Node's `crypto` once `Closed` is applied."""


@dataclass(frozen=True, slots=True)
class DeclarationsView:
    """The view for `index.d.ts`."""

    about: tuple[str, ...]
    imports: tuple[str, ...]
    """The types of the runtime that occur."""
    formats: tuple[AliasView, ...]
    enums: tuple[EnumView, ...]
    structs: tuple[ObjectView, ...]
    aliases: tuple[AliasView, ...]
    unions: tuple[UnionView, ...]
    unknowns: tuple[UnknownView, ...]
    unknown: tuple[str, ...]
    """The members of the type of every Unknown."""
    tokens: tuple[Constant, ...]
    """The types as run-time values."""
    types: tuple[Property, ...]
    """Name → type of the decoded values."""
    root_type: str
    """The type of a decoded root."""
    guards: tuple[Function, ...]
    controls: ControlMap | None
    tools: tuple[ToolMap, ...]
    launches: tuple[Function, ...]
    payload: str
    """The type of request payloads for a launch."""
    trees: tuple[AliasView, ...]
    """Each tree, with the type of its entries, which is the default."""


def declarations_view(plan: Plan) -> DeclarationsView:
    """The declarations of a package."""
    model = plan.model
    names = Names(model)
    types = Types(model, names)
    objects = Objects(model, names, types)
    structs = tuple(objects.view(struct) for struct in in_order(model))
    aliases = (*(alias_view(each, names, types) for each in model.aliases), *callback_views(model, names, types))
    unions = tuple(union_view(union, names) for union in model.unions)
    unknowns = tuple(unknown_view(plan, each, names, types) for each in plan.unknowns)
    protocol = model.protocol
    about = f"{protocol.title}, version {protocol.version}: types, guards, codecs and stream readers."
    return DeclarationsView(
        about=(prose(about), "@packageDocumentation"),
        imports=tuple(sorted(_imports(plan, structs), key=str.lower)),
        formats=_formats(plan),
        enums=tuple(enum_view(enum, names) for enum in model.enums),
        structs=structs,
        aliases=aliases,
        unions=unions,
        unknowns=unknowns,
        unknown=tuple(each.name for each in unknowns) or ("never",),
        tokens=tuple(_token(model, names, name) for name in sorted(model.declarations, key=names.type)),
        types=tuple(
            Property(names.type(n), (names.value_type(n),)) for n in sorted(model.declarations, key=names.type)
        ),
        root_type=names.value_type(plan.root),
        guards=tuple(
            Function(names.guard(name), ("value: unknown",), f"value is {names.type(name)}") for name in names.guarded
        ),
        controls=control_map(plan, names, types),
        tools=tool_maps(plan, types),
        launches=tuple(
            Function("launch", (f"options: {names.type(each.struct.name)}", "release?: string | undefined"), "Launch")
            for each in plan.launches
        ),
        payload="{ [key: string]: unknown }"
        if plan.controls is None
        else f"Closed<{payload_type(plan, plan.controls.request.payload[-1], names)}>",
        trees=tuple(_tree(each.tree, names) for each in plan.trees),
    )


def _imports(plan: Plan, structs: Iterable[ObjectView]) -> Iterator[str]:
    """The types of the runtime that occur in the declarations."""
    yield from ("TypeToken", "UnionToken", "UnknownInteger", "UnknownTag")
    if plan.controls is not None:
        yield "Closed"
    if plan.controls is not None or plan.tools.inputs or plan.tools.outputs:
        yield "DecodeOptions"
    if any(each.new for each in structs):
        yield "NewMembers"


def _token(model: Model, names: Names, name: str) -> Constant:
    """The token of a declaration; that of an enum of numbers has the values as members."""
    declared = model.declarations[name]
    value = names.value_type(name)
    match declared:
        case Union(open=True):
            return Constant(names.type(name), (), "UnionToken", (value, names.unknown(declared)))
        case Enum(base="integer"):
            members = tuple(
                f"readonly {key(names.value(declared, at))}: {literal(each.wire)}"
                for at, each in enumerate(declared.values)
            )
            doc = (f"The declared values of `{value}` by name.",)
            return Constant(names.type(name), doc, "TypeToken", (value,), members)
        case _:
            return Constant(names.type(name), (), "TypeToken", (value,))


def _tree(tree: Tree, names: Names) -> AliasView:
    lines = names.value_type(tree.lines)
    doc = prose(tree.about.doc or f"A tree of entries of the type {lines}.")
    return AliasView(names.tree(tree), (doc,), (lines,))


def _formats(plan: Plan) -> tuple[AliasView, ...]:
    """The named forms of strings that are used by any member, response or tool."""
    used = {each.kind for each in types(plan.model) if isinstance(each, Scalar)}
    return tuple(AliasView(SCALARS[kind], (doc,), FORMS[kind]) for kind, doc in FORMATS.items() if kind in used)
