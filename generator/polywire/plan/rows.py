"""The model → the tables that every engine interprets: pure literals, in the model's order.

The layout is described in `polywire.oracle.reference.rules`. What only people and constructors need (docs, defaults,
versions) is left out, and so are members that are never sent. The tables are small enough to be embedded in generated
code, and equal models give equal tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from polywire.ground.engine import FLATTEN, NULLABLE, REQUIRED
from polywire.model.nodes import (
    Alias,
    Declaration,
    Dispatch,
    Enum,
    Field,
    Keys,
    Leaf,
    Model,
    OnError,
    Struct,
    Switch,
    Tag,
    Union,
)
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

Row: TypeAlias = tuple[Any, ...]
_SCALAR_KIND = {"uuid": "string", "timestamp": "string", "integer": "number"}
"""The JSON kind of those scalars whose name is not their kind; `json` has all kinds and is never part of a choice."""


def rows(model: Model) -> dict[str, Row]:
    """Every declaration of a model as a row, by name."""
    return {name: _row(model, declaration) for name, declaration in model.declarations.items()}


def type_code(model: Model, type_: Type) -> Any:
    """A type expression as the engine reads it; any of them may be the root of a decoding."""
    match type_:
        case Scalar(kind=kind, low=low, high=high):
            return ("<", kind, low, high) if type_.is_bounded else kind
        case LiteralType(value=value):
            return ("=", value)
        case TupleType(items=items):
            return ("()", tuple(type_code(model, item) for item in items))
        case Ref(name=name):
            return name
        case Array(item=item, low=low, high=high):
            return ("[]", type_code(model, item), low, high)
        case Map(value=value, key=key):
            return ("{}", type_code(model, value), key)
        case Choice(members=members):
            return ("|", {kind: type_code(model, member) for kind, member in by_kind(model, members)})


def kinds(model: Model, type_: Type) -> tuple[str, ...]:
    """The JSON kinds of the values of a type (`polywire.ground.engine.KINDS`); all six for `json`."""
    match type_:
        case Scalar(kind="json"):
            return ("null", "boolean", "number", "string", "array", "object")
        case Scalar(kind=kind):
            return (_SCALAR_KIND.get(kind, kind),)
        case LiteralType(kind=kind):
            return (_SCALAR_KIND.get(kind, kind),)
        case Array() | TupleType():
            return ("array",)
        case Map():
            return ("object",)
        case Choice(members=members):
            return tuple(kind for kind, _ in by_kind(model, members))
        case Ref(name=name):
            return _kinds_of(model, model.declarations[name])


def _kinds_of(model: Model, declaration: Declaration) -> tuple[str, ...]:
    match declaration:
        case Enum(base=base):
            return (_SCALAR_KIND.get(base, base),)
        case Alias(type=type_):
            return kinds(model, type_)
        case Struct() | Union():
            return ("object",)


def by_kind(model: Model, members: Iterable[Type]) -> Iterable[tuple[str, Type]]:
    """Each JSON kind with the member that has it; an alias may have several kinds."""
    for member in members:
        for kind in kinds(model, member):
            yield kind, member


def _row(model: Model, declaration: Declaration) -> Row:
    match declaration:
        case Enum(base=base, open=open_, values=values):
            return ("enum", base, open_, tuple(value.wire for value in values))
        case Alias(type=type_):
            return ("alias", type_code(model, type_))
        case Union(open=open_, unknown=unknown, dispatch=dispatch):
            return ("union", open_, unknown, _dispatch(dispatch))
        case Struct(tags=tags, consts=consts, wire_fields=fields, extra=extra):
            return (
                "struct",
                tuple(_tag(tag) for tag in tags),
                tuple((const.key, const.value) for const in consts),
                tuple(_field(model, field) for field in fields if field.tag is None),
                None if extra is None else type_code(model, extra),
            )


def _tag(tag: Tag) -> Row:
    if tag.constant is not None:
        return (tag.key, tag.optional, tag.constant)
    row = (tag.key, tag.optional, None, tag.enum or tag.values, tag.others)
    return row if tag.prefix is None else (*row, tag.prefix)


def _field(model: Model, field: Field) -> Row:
    nullable = field.nullable or "null" in kinds(model, field.type)
    flags = REQUIRED * field.required | NULLABLE * nullable | FLATTEN * field.flatten
    row = (field.name, type_code(model, field.type), flags)
    rest: list[Any] = [field.claimed, field.claimed_prefixes, repair(field.on_error)]
    while rest and not rest[-1]:
        rest.pop()
    return (*row, *rest)


def repair(on_error: OnError | None) -> Row | None:
    """How lenient mode handles a value that does not fit."""
    if on_error is None:
        return None
    how = ["skip"] * on_error.skip + ["absent"] * on_error.absent + ["value"] * on_error.replaces
    return (" ".join(how), on_error.value)


def _dispatch(dispatch: Dispatch) -> Any:
    match dispatch:
        case Leaf(struct=struct):
            return struct
        case Switch(union=union, key=key, cases=cases, others=others, absent=absent):
            table = {value: _dispatch(then) for value, then in cases}
            row = ("switch", union, key, table, others, None if absent is None else _dispatch(absent))
            if not dispatch.prefixes:
                return row
            return (*row, tuple((prefix, _dispatch(then)) for prefix, then in dispatch.prefixes))
        case Keys(union=union, cases=conditions):
            return ("keys", union, tuple((each.has, each.lacks, _dispatch(then)) for each, then in conditions))
