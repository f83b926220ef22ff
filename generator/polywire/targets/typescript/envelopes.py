"""Controls and tools → what ties a request to the type of its answer, and a tool's name to its types.

Objects are plain, so an envelope is an object literal: constants and tags on the way to the places that are filled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from polywire.model.nodes import Array, Field, Map, Model, Ref, Scalar, Struct, Type, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan.rows import type_code
from polywire.targets.typescript import layout
from polywire.targets.typescript.guards import Guards
from polywire.targets.typescript.source import literal

Pointer: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    """The guard of a request's envelope."""
    response_envelope: str
    """The type of a response's envelope."""
    payload: Pointer
    """Keys that lead from a request's envelope to the request."""
    id: Pointer
    holder: Pointer
    """Keys that lead from a response's envelope to what holds the answer."""
    result: str | None
    """The answer's key in it; None if the answer's members stand beside those of its holder."""
    holders: tuple[tuple[str, tuple[str, ...]], ...]
    """The guards of what can hold an answer, and the names that the tables have for it, and for what it is part of."""
    pointer: str
    """Where the answer stands in a response, as a JSON Pointer."""
    by: str
    answers: tuple[tuple[str | bool, tuple[object, bool]], ...]
    """Value of the discriminator, type of the answer in terms of the tables, whether it may come without."""
    request: tuple[str, ...]
    """The lines of the envelope's literal."""
    response: tuple[str, ...]


def controls_view(model: Model, guards: Guards) -> ControlsView | None:
    """The controls, if the protocol has any."""
    request, response = model.protocol.request, model.protocol.response
    if request is None or response is None or not model.controls:
        return None
    asks, answers = model.struct(request.struct), model.struct(response.struct)
    by = request.by or ""
    payload = _way(model, asks, request.payload)
    result, outer = _to_answer(model, _way(model, answers, response.payload))
    return ControlsView(
        envelope=guards.fits(asks.name),
        response_envelope=guards.names.type(answers.name),
        payload=_wire(payload),
        id=_wire(_way(model, asks, request.id)),
        holder=result.keys,
        result=result.last,
        holders=tuple((guards.fits(each.name), (*outer, each.name)) for each in result.homes),
        pointer="".join(f"/{key}" for key in _wire(result)),
        by=by,
        answers=tuple(
            (
                _tag_of(model.struct(each.request), by),
                (
                    None if each.response is None else type_code(model, each.response),
                    each.response_optional or each.response is None,
                ),
            )
            for each in model.controls
        ),
        request=tuple(_literal(model, asks, {request.id: "id", request.payload: "payload"})),
        response=tuple(_literal(model, answers, {response.id: "id", response.payload: "result"})),
    )


def _tag_of(struct: Struct, key: str) -> str | bool:
    tag = struct.tag(key)
    if tag is None or tag.constant is None:
        raise ValueError(f"{struct.name} has no constant {key}")
    return tag.constant


def _structs(model: Model, type_: Type) -> list[Struct]:
    """The structs that an object of a type can be."""
    if not isinstance(type_, Ref):
        return []
    declared = model.declarations[type_.name]
    if isinstance(declared, Struct):
        return [declared]
    return [model.struct(name) for name in structs_of(declared.dispatch)] if isinstance(declared, Union) else []


def _has(struct: Struct, key: str) -> bool:
    return any(each.name == key and not each.flatten for each in struct.wire_fields)


def _entered(model: Model, struct: Struct, key: str) -> list[Struct]:
    """The struct with a key: itself, or what is flattened into it."""
    if _has(struct, key):
        return [struct]
    inner = [each for field in struct.wire_fields if field.flatten for each in _structs(model, field.type)]
    return [each for each in inner if _has(each, key)]


@dataclass(frozen=True, slots=True)
class _Way:
    """Where a pointer leads: a flattened value has no key of its own on the wire."""

    keys: Pointer
    """The keys that stand on the wire, but for the last."""
    homes: tuple[Struct, ...]
    """The structs that have the last step."""
    last: str | None
    """The last key; None if the last step is a flattened value."""


def _way(model: Model, struct: Struct, pointer: Pointer) -> _Way:
    keys: list[str] = []
    structs = homes = [struct]
    last: str | None = None
    for at, key in enumerate(pointer):
        flat = [each for each in structs if any(f.flatten and f.name == key for f in each.wire_fields)]
        homes = flat or [home for each in structs for home in _entered(model, each, key)]
        last = None if flat else key
        if last is not None and at < len(pointer) - 1:
            keys.append(last)
        fields = [field for home in homes for field in home.wire_fields if field.name == key]
        structs = [each for field in fields for each in _structs(model, field.type)]
    return _Way(tuple(keys), tuple(homes), last)


def _to_answer(model: Model, way: _Way) -> tuple[_Way, tuple[str, ...]]:
    """The way, and on through what is flattened to what is kept untouched, with the structs that were passed so."""
    outer: list[str] = []
    fields = [field for home in way.homes for field in home.wire_fields if field.name == way.last]
    while flat := _flattening(model, fields or [field for home in way.homes for field in _flat(home)]):
        if way.last is None:
            outer += [home.name for home in way.homes]
        way, fields = _Way(_wire(way), flat, None), []
    return way, tuple(outer)


def _flattening(model: Model, fields: list[Field]) -> tuple[Struct, ...]:
    """The structs behind some fields that something is flattened into."""
    return tuple(each for field in fields for each in _structs(model, field.type) if _flat(each))


def _wire(way: _Way) -> Pointer:
    return way.keys if way.last is None else (*way.keys, way.last)


def _literal(model: Model, struct: Struct, filled: Mapping[Pointer, str]) -> list[str]:
    """The members of an object literal: constants, variables where pointers lead, and what else has to be there."""
    lines = [f"{_key(tag.key)}: {literal(tag.constant, 0, 0)}," for tag in struct.tags if tag.constant is not None]
    lines += [f"{_key(const.key)}: {literal(const.value, 0, 0)}," for const in struct.consts]
    for field in struct.wire_fields:
        here = {pointer[1:]: name for pointer, name in filled.items() if pointer[:1] == (field.name,)}
        if field.flatten:
            lines += _flattened(model, struct, field, here or filled)
        elif () in here:
            lines.append(_member(field.name, here[()], optional=not field.required))
        elif here:
            members = _literal(model, _fitting(_structs(model, field.type), here), here)
            lines += [f"{_key(field.name)}: {{", *(f"  {line}" for line in members), "},"]
        elif field.required or field.has_default:
            lines.append(f"{_key(field.name)}: {_by_rule(model, field)},")
    return lines


def _flattened(model: Model, struct: Struct, field: Field, filled: Mapping[Pointer, str]) -> list[str]:
    """The members of a flattened value, which has no key of its own: what has the next key, or is filled whole."""
    inside = {pointer: name for pointer, name in filled.items() if pointer == () or not _has(struct, pointer[0])}
    if inside.keys() - {()}:
        return _literal(model, _fitting(_structs(model, field.type), inside), inside)
    return [f"...{inside[()]},"] if inside else []


def _fitting(structs: list[Struct], filled: Mapping[Pointer, str]) -> Struct:
    """The first struct that has every place that is to be filled."""
    for struct in structs:
        if all(_has(struct, pointer[0]) if pointer else _flat(struct) for pointer in filled):
            return struct
    raise ValueError(f"no variant has all of {', '.join('/'.join(pointer) for pointer in filled)}")


def _flat(struct: Struct) -> list[Field]:
    return [each for each in struct.wire_fields if each.flatten]


def _by_rule(model: Model, field: Field) -> str:
    """What stands in a field that nobody fills."""
    if field.has_default:
        return literal(field.default, 0, 0)
    if field.nullable:
        return "null"
    match without_alias(field.type, model.declarations):
        case Scalar(kind="uuid"):
            return "freshId()"
        case Array():
            return "[]"
        case Map() | Scalar(kind="object"):
            return "{}"
        case _:
            raise ValueError(f"an envelope has to have {field.name}, which nothing fills")


def _member(key: str, variable: str, *, optional: bool) -> str:
    whole = variable if key == variable else f"{_key(key)}: {variable}"
    return f"...({variable} === undefined ? {{}} : {{ {whole} }})," if optional else f"{whole},"


def _key(key: str) -> str:
    return f'["{key}"]' if key == "__proto__" else layout.key(key)


def tools_view(model: Model) -> dict[str, dict[str, list[tuple[str, object]]]]:
    """Inputs and outputs of tools in terms of the tables: those named exactly, and patterns."""
    found: dict[str, dict[str, list[tuple[str, object]]]] = {}
    for way in ("input", "output"):
        exact: list[tuple[str, object]] = []
        patterns: list[tuple[str, object]] = []
        for tool in model.tools:
            type_ = tool.input if way == "input" else tool.output
            if type_ is not None:
                (patterns if "*" in tool.pattern else exact).append((tool.pattern, type_code(model, type_)))
        if exact or patterns:
            found[way] = {"exact": exact, "patterns": patterns}
    return found
