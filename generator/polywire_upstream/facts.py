"""A model → the compact types of `declarations`, so that a spec and a snapshot have the same form.

The spec language expresses more than declarations. Its additions have their own notation: integers are `"integer"`,
formats are `"uuid"` and `"timestamp"`, and an open enum or union has `"open": true`. What was only observed is left
out unless it is asked for, and so are dispatch, documentation and defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from polywire.model.nodes import Alias, Declaration, Enum, Field, Model, Struct, Tag, Union
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType
from polywire.source.types import Type as ModelType

Type: TypeAlias = Any

_SCALARS = {"json": "any"}


def facts(model: Model, *, observed: bool = False) -> dict[str, Type]:
    """Return the declarations of a model by name; with `observed`, also what was only observed."""
    declared = {name: each for name, each in model.declarations.items() if observed or not each.about.observed}
    return {name: _declared(model, each, observed=observed) for name, each in declared.items()}


def _declared(model: Model, declared: Declaration, *, observed: bool) -> Type:
    match declared:
        case Alias(type=type_):
            return of_type(type_)
        case Enum():
            values = [value.wire for value in declared.values if observed or not value.about.observed]
            return {"enum": values, **({"open": True} if declared.open else {})}
        case Union():
            variants = [each.name for each in declared.variants if observed or not each.about.observed]
            kept = [f"#{name}" for name in variants if observed or not model.declarations[name].about.observed]
            return {"any of": kept, **({"open": True} if declared.open else {})}
        case Struct():
            rest = {} if declared.extra is None else {"rest": of_type(declared.extra)}
            return {"fields": dict(_fields(model, declared, observed=observed)), **rest}


def _fields(model: Model, struct: Struct, *, observed: bool) -> Iterator[tuple[str, Type]]:
    varying = {field.tag.key for field in struct.fields if field.tag is not None}
    for tag in struct.tags:
        if tag.key not in varying:
            yield _key(tag.key, required=not tag.optional), _tag(tag)
    for const in struct.consts:
        yield const.key, {"is": const.value}
    for field in struct.fields:
        if field.about.observed and not observed:
            continue
        if field.place == struct.place:
            continue  # declared nowhere: it has the values of a discriminator that select no variant
        if field.flatten:
            yield from _flattened(model, field, observed=observed)
        else:
            yield _key(field.name, required=field.required), _field(field)


def _flattened(model: Model, field: Field, *, observed: bool) -> Iterator[tuple[str, Type]]:
    target = model.declarations[field.type.name] if isinstance(field.type, Ref) else None
    while isinstance(target, Alias) and isinstance(target.type, Ref):
        target = model.declarations[target.type.name]
    if isinstance(target, Struct):
        for key, type_ in _fields(model, target, observed=observed):
            yield (key if field.required else _key(key.removesuffix("?"), required=False)), type_


def _key(name: str, *, required: bool) -> str:
    return name if required else f"{name}?"


def _tag(tag: Tag) -> Type:
    return {"is": tag.constant}


def _field(field: Field) -> Type:
    if not field.travels:
        return "function"
    if field.tag is not None and field.tag.values:
        return {"enum": list(field.tag.values)}
    type_ = of_type(field.type)
    return {"any of": [type_, "null"]} if field.nullable and type_ != "any" else type_


def of_type(type_: ModelType) -> Type:
    """Return a type of the model in the compact form."""
    match type_:
        case Scalar(kind):
            return _SCALARS.get(kind, kind)
        case Ref(name):
            return f"#{name}"
        case Array(item):
            return [of_type(item)]
        case Map(value, key):
            return {"map": of_type(value), **({} if key is None else {"key": f"#{key}"})}
        case Choice(members):
            return {"any of": [of_type(each) for each in members]}
        case LiteralType(value):
            return {"is": value}
        case TupleType(items):
            return {"tuple": [of_type(each) for each in items]}


def upstream_names(model: Model, target: str = "typescript") -> Mapping[str, str]:
    """Return the spec's declarations by their names in packages of a target, or by their own names without one."""
    names = {
        declared.about.targets[target]["name"]: name
        for name, declared in model.declarations.items()
        if "name" in declared.about.targets.get(target, {})
    }
    others = set(names.values())
    return names | {name: name for name in model.declarations if name not in names and name not in others}
