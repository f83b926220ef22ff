"""The model as a graph: the JSON kinds of a type, the uses of a declaration, the target of a pointer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.checks.context import RuleContext
from polywire.ground.engine import MAX_DEPTH
from polywire.ground.location import SourceLocation
from polywire.model.graphs import Graph
from polywire.model.nodes import About, Alias, Const, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import alternatives, structs_of
from polywire.source.types import Choice, Ref, Type


def annotated(model: Model) -> Iterator[tuple[About, SourceLocation, str]]:
    """Everything that may have a history and its own names: the description, the location, and a phrase for it.

    A field that several types include is yielded once.
    """
    seen: set[SourceLocation] = set()
    for about, place, what in _annotated(model):
        if place not in seen:
            seen.add(place)
            yield about, place, what


def _annotated(model: Model) -> Iterator[tuple[About, SourceLocation, str]]:
    for declaration in model.declarations.values():
        yield declaration.about, declaration.place, f"`{declaration.name}`"
        match declaration:
            case Enum(values=values):
                yield from ((v.about, v.place, f"value `{v.name}` of `{declaration.name}`") for v in values)
            case Struct(fields=fields, constructors=constructors):
                yield from ((f.about, f.place, f"field `{f.name}` of `{declaration.name}`") for f in fields)
                yield from ((c.about, c.place, f"constructor `{c.name}`") for c in constructors)
            case Union(variants=variants):
                yield from ((v.about, v.place, f"variant `{v.name}` of `{declaration.name}`") for v in variants)
    yield from ((control.about, control.place, f"control `{control.key}`") for control in model.controls)
    yield from ((tool.about, tool.place, f"tool `{tool.pattern}`") for tool in model.tools)
    yield from ((tree.about, tree.place, f"tree `{tree.name}`") for tree in model.trees)
    yield from ((table.about, table.place, f"table `{table.name}`") for table in model.tables)


# --- paths -----------------------------------------------------------------------------------------------------


def alias_graph(model: Model) -> Graph:
    """For every alias, the aliases in its type or among its alternatives."""
    return {
        alias.name: [name for name in _tops(alias.type) if isinstance(model.declarations.get(name), Alias)]
        for alias in model.aliases
    }


def _tops(type_: Type) -> Iterator[str]:
    match type_:
        case Ref(name):
            yield name
        case Choice(alternatives):
            for alternative in alternatives:
                yield from _tops(alternative)


def flat_graph(model: Model) -> Graph:
    """For every struct, the structs of its flattened fields."""
    return {
        struct.name: list(dict.fromkeys(n for f in struct.wire_fields if f.flatten for n in objects(model, f.type)))
        for struct in model.structs
    }


# --- pointers --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """The end of a pointer that leads nowhere: the number of keys followed, the reason, and the keys that exist."""

    followed: int
    why: str
    known: tuple[str, ...] = ()


_TOO_LONG = f"it has more than {MAX_DEPTH} keys, the most levels that readers accept"


def follow(context: RuleContext, struct: Struct, pointer: tuple[str, ...]) -> Field | DeadEnd:
    """The field that a pointer into a struct leads to.

    It may pass through objects of one declared type, but not through unions, arrays and maps: code that creates an
    instance could not know which variant or item to create.
    """
    if not pointer:
        return DeadEnd(0, "it is the whole object")
    if len(pointer) > MAX_DEPTH:
        return DeadEnd(MAX_DEPTH, _TOO_LONG)
    model = context.model
    at: Struct | None = struct
    found: Field | None = None
    for depth, key in enumerate(pointer):
        if at is None:
            return DeadEnd(depth, f"`{pointer[depth - 1]}` is not an object of a declared type")
        member = _member(context, at, key)
        if member is None:
            return DeadEnd(depth, f"`{at.name}` has no `{key}` on the wire", tuple(_keys(context, at)))
        if not isinstance(member, Field):
            return DeadEnd(depth, f"`{key}` of `{at.name}` is a constant")
        found, at = member, _object(model, member.type)
    return found or DeadEnd(0, "it is the whole object")


def find(context: RuleContext, name: str, pointer: tuple[str, ...]) -> DeadEnd | None:
    """None if the pointer leads somewhere in the type `name`, for any variant of the unions on the path."""
    if len(pointer) > MAX_DEPTH:
        return DeadEnd(MAX_DEPTH, _TOO_LONG)
    model = context.model
    at = [name]
    for depth, key in enumerate(pointer):
        structs = [s for one in at for n in objects(model, Ref(one)) if isinstance(s := model.declarations[n], Struct)]
        found = [m for struct in structs if (m := _member(context, struct, key)) is not None]
        if not found:
            known = tuple(dict.fromkeys(k for struct in structs for k in _keys(context, struct)))
            return DeadEnd(depth, f"{' or '.join(f'`{n}`' for n in at) or 'the value there'} has no `{key}`", known)
        at = list(dict.fromkeys(n for m in found if isinstance(m, Field) for n in _declared(model, m.type)))
    return None


def objects(model: Model, type_: Type) -> Iterator[str]:
    """The structs that an object of the type may be, including the variants of unions."""
    for name in _declared(model, type_):
        match model.declarations[name]:
            case Struct():
                yield name
            case Union(dispatch=dispatch):
                yield from structs_of(dispatch)


def _declared(model: Model, type_: Type) -> Iterator[str]:
    """The declarations among the alternatives of a type."""
    yield from (
        m.name for m in alternatives(type_, model.declarations) if isinstance(m, Ref) and m.name in model.declarations
    )


def _object(model: Model, type_: Type) -> Struct | None:
    """The struct among the alternatives of a type."""
    found = (model.declarations.get(m.name) for m in alternatives(type_, model.declarations) if isinstance(m, Ref))
    return next((d for d in found if isinstance(d, Struct)), None)


def _member(context: RuleContext, struct: Struct, key: str) -> Field | Tag | Const | None:
    """The member under a key of a struct's object, including members of flattened fields."""
    found = (context.members(each).get(key) for each in _with_flattened(context.model, struct))
    return next((member for member in found if member is not None), None)


def _keys(context: RuleContext, struct: Struct) -> Iterator[str]:
    """The keys of the fields of a struct's object."""
    for each in _with_flattened(context.model, struct):
        yield from (key for key, member in context.members(each).items() if isinstance(member, Field))


def _with_flattened(model: Model, struct: Struct) -> Iterator[Struct]:
    """A struct and the structs of its flattened fields, directly or indirectly, each once."""
    seen: set[str] = set()
    todo = [struct]
    while todo:
        each = todo.pop()
        if each.name not in seen:
            seen.add(each.name)
            yield each
            names = (name for field in each.wire_fields if field.flatten for name in objects(model, field.type))
            inner = (model.declarations[name] for name in names)
            todo.extend(reversed([found for found in inner if isinstance(found, Struct)]))
