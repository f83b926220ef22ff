"""Controls and tools → maps of types that tie a request to its answer, and a tool's name to its input and output."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from polywire.model.nodes import Model, Union
from polywire.model.walk import structs_of
from polywire.targets.typescript.layout import key, quoted, template
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import Types


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a map of types, and the type that belongs to it."""

    key: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ControlMap:
    """How requests and responses find each other, as the compiler sees it."""

    by: str
    """The discriminator of requests."""
    payload: str
    """The union of the requests."""
    envelope: str
    response: str
    """The envelope of responses."""
    enveloped: str
    """An envelope that carries a request `R`."""
    carries: str
    """The pattern of any envelope, with the request as `P`; empty if envelope and request are one object."""
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class ToolMap:
    """One direction of the tools."""

    name: str
    function: str
    what: str
    entries: tuple[Entry, ...]


def control_map(model: Model, names: Names, types: Types) -> ControlMap | None:
    """The controls, if the protocol has any."""
    request, response = model.protocol.request, model.protocol.response
    if request is None or response is None or not model.controls:
        return None
    by = request.by or ""
    entries: list[Entry] = []
    for control in model.controls:
        tag = model.struct(control.request).tag(by)
        value = control.key if tag is None or tag.constant is None else tag.constant
        answer = () if control.response is None else types.members(control.response)
        absent = ("undefined",) if control.response is None or control.response_optional else ()
        entries.append(Entry(key(str(value)), (*answer, *absent)))
    payload = _payload(model, by)
    flat = any(field.flatten for field in model.struct(request.struct).fields)
    return ControlMap(
        by=key(by),
        payload="object" if payload is None else names.value_type(payload.name),
        envelope=names.type(request.struct),
        response=names.type(response.struct),
        enveloped=_enveloped(names.type(request.struct), () if flat else request.payload),
        carries="" if flat else _nested(request.payload, "infer P"),
        entries=tuple(entries),
    )


def _payload(model: Model, by: str) -> Union | None:
    """The union of all requests."""
    wanted = {control.request for control in model.controls}
    return next((u for u in model.unions if u.by == by and wanted <= set(structs_of(u.dispatch))), None)


def _enveloped(envelope: str, payload: tuple[str, ...]) -> str:
    rest = f"Omit<{envelope}, {quoted(payload[0])}>" if len(payload) == 1 else envelope
    return f"{rest} & {_nested(payload, 'R')}"


def _nested(pointer: tuple[str, ...], inner: str) -> str:
    for step in reversed(pointer):
        inner = f"{{ {key(step)}: {inner} }}"
    return inner


def tool_maps(model: Model, types: Types) -> list[ToolMap]:
    """Inputs and outputs of tools, those that there are."""
    found: list[ToolMap] = []
    for what in ("input", "output"):
        typed = {t.pattern: t.input if what == "input" else t.output for t in model.tools}
        texts = {pattern: types.members(type_) for pattern, type_ in typed.items() if type_ is not None}
        if texts:
            entries = tuple(Entry(_tool_key(pattern), _tool_types(pattern, texts)) for pattern in texts)
            found.append(ToolMap(f"Tool{what.capitalize()}s", f"tool{what.capitalize()}", what, entries))
    return found


def _tool_key(pattern: str) -> str:
    return f"[name: {template(pattern)}]" if "*" in pattern else key(pattern)


def _tool_types(pattern: str, texts: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The type of a tool; that of a pattern admits those of the exact names that it matches, as an index has to."""
    if "*" not in pattern:
        return texts[pattern]
    exact = [type_ for name, each in texts.items() if "*" not in name and fnmatchcase(name, pattern) for type_ in each]
    return tuple(dict.fromkeys((*texts[pattern], *exact)))
