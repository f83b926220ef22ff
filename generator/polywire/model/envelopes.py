"""`protocol.control` → the envelopes of requests and responses, and the union that the controls join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polywire.model.declared import Item, pointer
from polywire.model.dispatch import WrittenUnion
from polywire.model.names import Names
from polywire.model.nodes import Envelope, Field, Ref, Struct
from polywire.model.overlay import Changes
from polywire.source.report import Faults
from polywire.source.tree import Table, Text

_LAST = {"request": "payload", "response": "result"}


def control_union(
    header: Table,
    structs: Mapping[str, Struct],
    unions: Mapping[str, WrittenUnion],
    controls: Sequence[Item],
    changes: Changes,
    faults: Faults,
) -> str | None:
    """The name of the union of request payloads; None if there is none to join."""
    request = _side(header, "request")
    if request is None:
        if controls:
            message = "there are controls, but the protocol does not say what carries them"
            faults.add("bad-envelope", controls[0].key.place, message, "say it in `protocol.control`")
        return None
    payload, by = request.get("payload"), request.get("by")
    envelope = request.get("envelope")
    if not isinstance(payload, Text) or not isinstance(by, Text) or not isinstance(envelope, Text):
        return None
    struct = structs.get(envelope.text)
    if struct is None:
        return None
    field = _field(struct, pointer(payload.text), changes)
    if field is None or not isinstance(field.type, Ref) or field.type.name not in unions:
        message = f"`{payload.text}` is no field of {struct.name} whose type is a union"
        faults.add("bad-envelope", payload.place, message, "the controls become variants of that union")
        return None
    union = unions[field.type.name]
    if union.by != by.text:
        faults.add(
            "bad-envelope", by.place, f"{union.name} is by `{union.by}`, here requests are told apart by `{by.text}`"
        )
    return union.name


def _field(struct: Struct, way: tuple[str, ...], changes: Changes) -> Field | None:
    """The field at the end of a pointer of one key; of the empty one, the field whose members stand in the struct."""
    if not way:
        return next((f for f in struct.fields if f.flatten), None)
    renaming = changes.of(struct, way[0])
    name = renaming.name if renaming is not None else way[0]
    return next((f for f in struct.fields if len(way) == 1 and f.name == name), None)


def envelopes(header: Table, names: Names) -> tuple[Envelope | None, Envelope | None]:
    """Where requests and where responses carry what pairs them."""
    request, response = (_envelope(header, side, names) for side in _LAST)
    return request, response


def _envelope(header: Table, side: str, names: Names) -> Envelope | None:
    body = _side(header, side)
    if body is None:
        return None
    name, identifier, last, by = (body.get(key) for key in ("envelope", "id", _LAST[side], "by"))
    if not isinstance(name, Text) or not isinstance(identifier, Text) or not isinstance(last, Text):
        return None
    if not names.is_a(name, ("type",), f"the envelope of a {side}"):
        return None
    return Envelope(
        struct=name.text,
        id=pointer(identifier.text),
        payload=pointer(last.text),
        by=by.text if isinstance(by, Text) else None,
    )


def _side(header: Table, side: str) -> Table | None:
    control = header.get("control")
    found = control.get(side) if isinstance(control, Table) else None
    return found if isinstance(found, Table) else None
