"""`carry`, `conflicts` and `launch` as written → how options are passed; entries are merged over several releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from polywire.model.declared import entries, listed, pointer, text, texts
from polywire.model.nodes import (
    Carrier,
    CarrierForm,
    CarrierKind,
    Condition,
    Conflict,
    Launch,
    Matching,
    OtherOption,
    Struct,
    When,
)
from polywire.source import jsontext
from polywire.source.report import Faults
from polywire.source.tree import Listing, Node, Table, Text

KINDS: tuple[CarrierKind, ...] = ("flag", "env", "control", "process")
_KINDS_OF_VALUES = ("string", "number", "boolean", "list", "object")
_Entry = TypeVar("_Entry", Carrier, Conflict)


# --- as written ------------------------------------------------------------------------------------------------


def carriers(body: Table, faults: Faults) -> tuple[Carrier, ...]:
    return tuple(_carrier(node, faults) for node in listed(body, "carry") if isinstance(node, Table))


def _carrier(body: Table, faults: Faults) -> Carrier:
    kinds = [kind for kind in KINDS if kind in body.entries]
    form = cast("CarrierForm", text(body, "as") or "value")
    kind: CarrierKind = kinds[0] if kinds else "none"
    if len(kinds) > 1 or (kind == "none") != (form == "ids"):
        message = "a carrier has one of `flag`, `env`, `control` and `process`"
        faults.add("wrong-kind", body.place, message, "with `as: ids` it has none; write one carrier for each of them")
    value, absent, at = body.get("value"), body.get("absent"), text(body, "at")
    return Carrier(
        kind=kind,
        name=text(body, kind) or "",
        form=form,
        at=None if at is None else pointer(at),
        part=pointer(text(body, "from") or ""),
        only=_matching(body.get("only")),
        exclude=_matching(body.get("except")),
        omit=tuple(each.text for each in texts(body, "omit")),
        has_value=value is not None,
        value=None if value is None else cast("str", jsontext.value(value)),
        wrap=text(body, "wrap"),
        when=_conditions(body.get("when"), faults),
        unless=_other(body.get("unless"), faults),
        needs=_other(body.get("with"), faults),
        has_absent=absent is not None,
        absent=None if absent is None else jsontext.value(absent),
        empty="keep" if text(body, "empty") == "keep" else "drop" if text(body, "empty") == "drop" else None,
        place=body.place,
    )


def _other(node: Node | None, faults: Faults) -> OtherOption | None:
    if not isinstance(node, Table):
        return (node.text, ()) if isinstance(node, Text) else None
    found = [(each.key.text, _conditions(each.value, faults)) for each in node]
    if len(found) != 1 or not found[0][1]:
        faults.add("wrong-kind", node.place, "this is not one option with a value", "write `{OPTION: VALUE}`")
    return found[0] if found else None


def _matching(node: Node | None) -> Matching:
    found = node if isinstance(node, Table) else ()
    return tuple((pointer(each.key.text), jsontext.value(each.value)) for each in found)


def _conditions(node: Node | None, faults: Faults) -> tuple[Condition, ...]:
    if node is None:
        return ()
    return tuple(_condition(each, faults) for each in (node.items if isinstance(node, Listing) else (node,)))


def _condition(node: Node, faults: Faults) -> Condition:
    if isinstance(node, Text):
        return "is", jsontext.value(node)
    keys = list(node.entries) if isinstance(node, Table) else []
    kind = node.get("kind") if isinstance(node, Table) else None
    if keys == ["kind"] and isinstance(kind, Text) and kind.text in _KINDS_OF_VALUES:
        return "kind", kind.text
    fine = isinstance(node, Table) and keys and all(key == "" or key.startswith("/") for key in keys)
    if not fine or not all(isinstance(each.value, Text) for each in cast("Table", node)):
        faults.add(
            "wrong-kind",
            node.place,
            "this is not a condition on a value",
            f"write a scalar, `{{/POINTER: SCALAR}}`, or `{{kind: K}}` with K one of {', '.join(_KINDS_OF_VALUES)}",
        )
        return "is", None
    return "at", cast("When", _matching(node))


def conflicts(body: Table) -> tuple[Conflict, ...]:
    return tuple(
        Conflict(
            fields=tuple(name.text for name in texts(each, "fields")),
            equal=text(each, "when") == "equal",
            message=text(each, "message") or "",
            place=each.place,
        )
        for each in listed(body, "conflicts")
        if isinstance(each, Table)
    )


def launch(body: Table) -> Launch | None:
    node = body.get("launch")
    if not isinstance(node, Table):
        return None
    inherit = text(node, "inherit")
    return Launch(
        arguments=tuple(each.text for each in texts(node, "arguments")),
        environment=tuple(
            (each.key.text, None if (value := jsontext.value(each.value)) is None else str(value))
            for each in entries(node, "environment")
        ),
        inherit="always" if inherit == "always" else "never" if inherit == "never" else "unless_given",
        control=text(node, "control"),
        place=body.entries["launch"].key.place,
    )


# --- over several releases -------------------------------------------------------------------------------------


def over(joined: Mapping[str, Struct], views: Sequence[tuple[str, Mapping[str, Struct]]]) -> dict[str, Struct]:
    """The joined structs with the carriers and conflicts of all releases, each with the releases that have it."""
    return {name: _over(struct, views) for name, struct in joined.items()}


def _over(struct: Struct, views: Sequence[tuple[str, Mapping[str, Struct]]]) -> Struct:
    then = [(release, structs[struct.name]) for release, structs in views if struct.name in structs]
    if not any(each.conflicts or any(field.carry for field in each.fields) for _, each in then):
        return struct
    every = tuple(release for release, _ in views)
    fields = tuple(
        replace(
            field,
            carry=_merged([(release, _field(each, field.name)) for release, each in then], every),
        )
        for field in struct.fields
    )
    conflicts_ = _merged([(release, each.conflicts) for release, each in then], every)
    return replace(struct, fields=fields, conflicts=conflicts_)


def _field(struct: Struct, name: str) -> tuple[Carrier, ...]:
    return next((field.carry for field in struct.fields if field.name == name), ())


def _merged(then: Sequence[tuple[str, tuple[_Entry, ...]]], every: tuple[str, ...]) -> tuple[_Entry, ...]:
    """The entries of all releases in source order."""
    found: dict[tuple[str, int, int], tuple[_Entry, list[str]]] = {}
    for release, entries_ in then:
        for each in entries_:
            key = each.place.file, each.place.line, each.place.column
            found.setdefault(key, (each, []))[1].append(release)
    return tuple(
        replace(each, releases=() if tuple(there) == every else tuple(there))
        for _, (each, there) in sorted(found.items(), key=lambda item: item[0])
    )
