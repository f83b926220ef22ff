"""`protocol.control` → the forms of requests, responses and related messages, and the unions that controls join."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, cast

from polywire.model.declared import Item, entries, flag, pointer, text
from polywire.model.dispatch import WrittenUnion
from polywire.model.names import Names
from polywire.model.nodes import Cancel, Constant, ControlProtocol, Envelope, ErrorEnvelope, Field, Pointer, Struct
from polywire.model.overlay import Changes
from polywire.model.walk import refs
from polywire.source import jsontext
from polywire.source.report import Faults
from polywire.source.tree import Table, Text
from polywire.source.types import Ref, Type

Side: TypeAlias = Literal["request", "notify"]


def side_of(item: Item) -> Side:
    """Whether a control is a request or a notification."""
    return "notify" if "notify" in item.body.entries else "request"


def discriminator(header: Table, side: Side) -> str | None:
    """The key that discriminates between requests, or between notifications."""
    form = _form(header, side)
    return None if form is None else text(form, "by")


def check_control(item: Item, faults: Faults) -> None:
    """Check that a control is a request with a response, or a notification without one."""
    keys, place = item.body.entries, item.key.place
    if "notify" not in keys:
        if "response" not in keys:
            faults.add(
                "missing-key",
                place,
                f"`{item.name}` is missing `response`",
                "for a request without a result, write `response: none`",
            )
        return
    for key in ("request", "response", "error"):
        if key in keys:
            message = f"`{item.name}` is a notification, which has no `{key}`"
            faults.add(
                "wrong-kind", keys[key].key.place, message, f"remove `{key}`, or write `request` instead of `notify`"
            )


def joined_union(
    side: Side,
    header: Table,
    structs: Mapping[str, Struct],
    unions: Mapping[str, WrittenUnion],
    controls: Sequence[Item],
    changes: Changes,
    names: Names,
    faults: Faults,
) -> str | None:
    """The name of the union that requests, or notifications, join; None if there is none."""
    form = _form(header, side)
    if form is None:
        if controls:
            what = "requests" if side == "request" else "notifications"
            message = f"there are {what}, but `protocol.control` does not say which message carries them"
            faults.add("bad-envelope", controls[0].key.place, message, f"add `protocol.control.{side}`")
        return None
    payload, by, envelope = form.get("payload"), form.get("by"), form.get("envelope")
    if not isinstance(payload, Text) or not isinstance(by, Text) or not isinstance(envelope, Text):
        return None
    struct = structs.get(names.called(envelope.text))
    if struct is None:
        return None
    field = _field(struct, pointer(payload.text), changes)
    if field is None or not isinstance(field.type, Ref) or field.type.name not in unions:
        message = f"`{payload.text}` is not a field of {struct.name} whose type is a union"
        faults.add("bad-envelope", payload.place, message, "the controls become variants of that union")
        return None
    union = unions[field.type.name]
    if union.by != by.text:
        message = f"{union.name} has `by: {union.by}`, but `by` here is `{by.text}`"
        faults.add("bad-envelope", by.place, message)
    return union.name


def _field(struct: Struct, way: Pointer, changes: Changes) -> Field | None:
    """The field at the end of a pointer of one key; for the empty pointer, the flattened field of the struct."""
    if not way:
        return next((f for f in struct.fields if f.flatten), None)
    renaming = changes.of(struct, way[0])
    name = renaming.name if renaming is not None else way[0]
    return next((f for f in struct.fields if len(way) == 1 and f.name == name), None)


def control_protocol(
    header: Table, notifications: Mapping[str, str], elsewhere: Collection[str], names: Names, faults: Faults
) -> ControlProtocol | None:
    """The forms of requests and of everything related to them; `notifications` maps keys to structs.

    `elsewhere` has the controls of other releases. Forms whose types exist only in other releases are left out.
    """
    request, response, notify = (_envelope(header, side, names) for side in ("request", "response", "notify"))
    if request is None or response is None:
        return None
    control = cast("Table", header.get("control"))
    ids = control.get("ids")
    return ControlProtocol(
        request=request,
        response=response,
        notify=notify,
        error=_error(header, names),
        cancel=_cancel(header, notifications, elsewhere, names, faults),
        draw="counter" if isinstance(ids, Table) and text(ids, "draw") == "counter" else "uuid",
        prefix=(text(ids, "prefix") or "") if isinstance(ids, Table) else "",
    )


_LAST = {"request": "payload", "notify": "payload", "response": "result"}


def _envelope(header: Table, side: str, names: Names) -> Envelope | None:
    form = _form(header, side)
    if form is None or not _is_type(form, f"the envelope of a {_WORDS[side]}", names):
        return None
    last, none = text(form, _LAST[side]), form.get("none")
    if last is None:
        return None
    return Envelope(
        struct=names.called(text(form, "envelope") or ""),
        id=pointer(text(form, "id") or ""),
        payload=pointer(last),
        by=text(form, "by"),
        when=tuple(_when(form)),
        has_none=none is not None,
        none=None if none is None else jsontext.value(none),
    )


def _error(header: Table, names: Names) -> ErrorEnvelope | None:
    form = _form(header, "error")
    if form is None or not _is_type(form, "the envelope of an error", names):
        return None
    codes = form.get("codes")
    code = {e.key.text: jsontext.value(e.value) for e in codes} if isinstance(codes, Table) else {}
    return ErrorEnvelope(
        struct=names.called(text(form, "envelope") or ""),
        id=pointer(text(form, "id") or ""),
        message=pointer(text(form, "message") or ""),
        code=_optional(form, "code"),
        data=_optional(form, "data"),
        when=tuple(_when(form)),
        refused=cast("int | str | None", code.get("refused")),
        unknown=cast("int | str | None", code.get("unknown")),
        types=tuple(_types(form, names)),
    )


def _types(form: Table, names: Names) -> Iterator[tuple[int | str, Type]]:
    for entry in entries(form, "types"):
        if isinstance(entry.value, Text):
            code = jsontext.value(entry.key)
            is_number = isinstance(code, int) and not isinstance(code, bool)
            type_ = names.type(entry.value)
            if all(map(names.is_there, refs(type_))):
                yield cast("int", code) if is_number else entry.key.text, type_


def _cancel(
    header: Table, notifications: Mapping[str, str], elsewhere: Collection[str], names: Names, faults: Faults
) -> Cancel | None:
    form = _form(header, "cancel")
    if form is None:
        return None
    key, place = form.get("notify"), pointer(text(form, "id") or "")
    answered = flag(form, "answered")
    if isinstance(key, Text):
        if key.text in notifications:
            return Cancel(notifications[key.text], place, is_notification=True, answered=answered)
        if key.text in elsewhere:
            return None
        hint = faults.near(key.text, notifications)
        faults.add("unknown-name", key.place, f"`{key.text}` is not a notification of `controls`", hint)
        return None
    if not isinstance(form.get("envelope"), Text):
        control = cast("Table", header.get("control"))
        place_of = control.entries["cancel"].key.place
        faults.add(
            "missing-key",
            place_of,
            "`cancel` is missing `envelope` or `notify`",
            "name the message that carries the id of the request",
        )
        return None
    if not _is_type(form, "the envelope of a cancellation", names):
        return None
    return Cancel(names.called(text(form, "envelope") or ""), place, is_notification=False, answered=answered)


_WORDS = {"request": "request", "notify": "notification", "response": "response"}


def _is_type(form: Table, use: str, names: Names) -> bool:
    name = form.get("envelope")
    return isinstance(name, Text) and names.is_a(name, ("type",), use) and names.is_there(name.text)


def _when(form: Table) -> Iterator[tuple[Pointer, Constant]]:
    for entry in entries(form, "when"):
        yield pointer(entry.key.text), cast("Constant", jsontext.value(entry.value))


def _optional(form: Table, key: str) -> Pointer | None:
    written = text(form, key)
    return None if written is None else pointer(written)


def _form(header: Table, side: str) -> Table | None:
    control = header.get("control")
    found = control.get(side) if isinstance(control, Table) else None
    return found if isinstance(found, Table) else None
