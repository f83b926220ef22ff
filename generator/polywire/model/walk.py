"""Types and decisions of a model → their text, and the names and structs in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Declaration, Dispatch, Field, Leaf, Model, Struct, Union
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type, mapped


def spell(type_: Type) -> str:
    """A type in the syntax of the spec language."""
    return "".join(piece if isinstance(piece, str) else piece.name for piece in spelled(type_))


def spelled(type_: Type) -> Iterator[str | Ref]:
    """The same as pieces, with the names of declarations separate from the rest."""
    match type_:
        case Scalar(kind, low, high):
            yield f"{kind}({_bound(low)}..{_bound(high)})" if type_.is_bounded else kind
        case LiteralType(value):
            yield dumps(value)
        case TupleType(items):
            yield "["
            yield from _joined(", ", map(spelled, items))
            yield "]"
        case Ref():
            yield type_
        case Array(item, low, high):
            yield from _grouped(item)
            yield "[]" if low is None and high is None else f"[{_bound(low)}..{_bound(high)}]"
        case Map(value, key):
            yield "map<"
            if key is not None:
                yield Ref(key)
                yield ", "
            yield from spelled(value)
            yield ">"
        case Choice(members):
            yield from _joined(" | ", map(_grouped, members))


def _joined(between: str, parts: Iterable[Iterator[str | Ref]]) -> Iterator[str | Ref]:
    for at, part in enumerate(parts):
        if at:
            yield between
        yield from part


def _grouped(type_: Type) -> Iterator[str | Ref]:
    if not isinstance(type_, Choice):
        yield from spelled(type_)
        return
    yield "("
    yield from spelled(type_)
    yield ")"


def _bound(bound: float | None) -> str:
    return "" if bound is None else str(bound)


def parts(type_: Type | None) -> Iterator[Type]:
    """A type and every type inside it, in order."""
    if type_ is None:
        return
    yield type_
    match type_:
        case Array(item):
            yield from parts(item)
        case Map(value):
            yield from parts(value)
        case TupleType(items) | Choice(items):
            for item in items:
                yield from parts(item)


def unbounded(type_: Type, kind: Callable[[ScalarKind], ScalarKind] = lambda same: same) -> Type:
    """A type without bounds; `kind` can replace the built-in types in it."""
    match mapped(type_, lambda inner: unbounded(inner, kind)):
        case Scalar(kind=built_in):
            return Scalar(kind(built_in))
        case Array(item=item):
            return Array(item)
        case other:
            return other


def refs(type_: Type | None) -> Iterator[str]:
    """Every declared name in a type, in order."""
    for part in parts(type_):
        match part:
            case Ref(name):
                yield name
            case Map(key=str() as key):
                yield key


def contains_itself(
    alias: Alias, declarations: Mapping[str, Declaration], through: Callable[[Alias], bool] | None = None
) -> bool:
    """Whether an alias contains itself other than through a struct, a union, or an alias that `through` excludes."""
    found: set[str] = set()
    ahead = [alias]
    while ahead:
        for name in refs(ahead.pop().type):
            inner = declarations[name]
            if isinstance(inner, Alias) and name not in found and (through is None or through(inner)):
                found.add(name)
                ahead.append(inner)
    return alias.name in found


def types(model: Model) -> Iterator[Type]:
    """Every type in a model, including the types inside other types."""
    for declared in model.declarations.values():
        match declared:
            case Alias(type=type_):
                yield from parts(type_)
            case Struct():
                yield from parts(declared.extra)
                for field in declared.fields:
                    yield from parts(field.type)
                    if field.callback is not None:
                        yield from parts(field.callback.returns)
                        for param in field.callback.params:
                            yield from parts(param.type)
    for tool in model.tools:
        yield from (*parts(tool.input), *parts(tool.output))
    for control in model.controls:
        yield from (*parts(control.response), *parts(control.error))
    error = None if model.protocol.control is None else model.protocol.control.error
    for _, type_ in error.types if error is not None else ():
        yield from parts(type_)


def without_alias(type_: Type, declarations: Mapping[str, Declaration]) -> Type:
    """The type that an alias stands for; an alias of itself does not resolve further."""
    seen: set[str] = set()
    while isinstance(type_, Ref) and type_.name not in seen:
        seen.add(type_.name)
        declared = declarations.get(type_.name)
        if not isinstance(declared, Alias):
            break
        type_ = declared.type
    return type_


def alternatives(type_: Type, declarations: Mapping[str, Declaration]) -> Iterator[Type]:
    """The alternatives of a type, with each alias and nested choice expanded; a type that is no choice has one."""
    seen: set[str] = set()
    todo: list[Type] = [type_]
    while todo:
        one = todo.pop()
        alias = declarations.get(one.name) if isinstance(one, Ref) else None
        if isinstance(one, Choice):
            todo.extend(reversed(one.members))
        elif not isinstance(alias, Alias):
            yield one
        elif alias.name not in seen:
            seen.add(alias.name)
            todo.append(alias.type)


def held(declaration: Declaration) -> Iterator[str]:
    """The declarations whose values are parts of a value of this one; a variant is not part of its union."""
    match declaration:
        case Alias(type=type_):
            yield from refs(type_)
        case Struct(wire_fields=fields, extra=extra):
            yield from refs(extra)
            for field in fields:
                yield from refs(field.type)


def uses(declaration: Declaration) -> Iterator[str]:
    """Every name that a declaration mentions: types of fields, mixins, enums of tags, variants."""
    match declaration:
        case Alias(type=type_, new=new):
            yield from refs(type_)
            yield from refs(new)
        case Struct():
            yield from declaration.include
            yield from (tag.enum for tag in declaration.tags if tag.enum is not None)
            yield from refs(declaration.extra)
            for field in declaration.fields:
                yield from _uses_of_field(field)
        case Union(variants=variants, views=views):
            yield from (variant.name for variant in variants)
            yield from views


def _uses_of_field(field: Field) -> Iterator[str]:
    yield from refs(field.type)
    yield from refs(None if field.new is None else field.new[0])
    if field.callback is not None:
        yield from refs(field.callback.returns)
        for param in field.callback.params:
            yield from refs(param.type)


def reach(graph: Mapping[str, Iterable[str]], names: Iterable[str]) -> frozenset[str]:
    """All names of a graph that are reachable from `names`, including these."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in graph and name not in seen:
            seen.add(name)
            todo.extend(graph[name])
    return frozenset(seen)


def structs_of(dispatch: Dispatch) -> tuple[str, ...]:
    """The structs at which a decision can end, including catch-alls, without duplicates."""
    return tuple(dict.fromkeys(_leaves(dispatch)))


def _leaves(dispatch: Dispatch) -> Iterator[str]:
    if isinstance(dispatch, Leaf):
        yield dispatch.struct
        return
    for then in dispatch.thens:
        yield from _leaves(then)
