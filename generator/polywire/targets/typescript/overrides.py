"""The overrides of structs and fields for TypeScript, and which of them are invalid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polywire.model.nodes import Field, Model
from polywire.source.types import Scalar
from polywire.targets.common.base import Misuse
from polywire.targets.typescript.names import IDENTIFIER, override

LIVE = {
    "abort": "AbortController",
    "function": "(...values: never[]) => unknown",
}
"""The override of a live object → its type. Without one, the type only says that it is an object."""


UNDEFINED = "undefined"
"""The override `absent` of a struct: the type that its optional members also have."""


def misuses(model: Model) -> Iterator[Misuse]:
    """The invalid overrides of structs and fields."""
    for struct in model.structs:
        given = override(struct.about, "absent")
        if given not in (None, UNDEFINED):
            yield Misuse(struct.place, "absent", f"`absent: {given}` of {struct.name}: only `{UNDEFINED}`")
        for field in struct.fields:
            if not field.live and (message := misuse(field)) is not None:
                yield Misuse(field.place, "type", message)


def misuse(field: Field) -> str | None:
    """Why the override of a field is invalid: only `unknown` is allowed, for unchanged JSON."""
    given = override(field.about, "type")
    if field.callback is not None and given is not None:
        return None if re.fullmatch(IDENTIFIER, given) else f"`type: {given}` of the callback {field.name} is no name"
    if given is None or (given == "unknown" and field.type in (Scalar("object"), Scalar("json"))):
        return None
    return f"`type: {given}` of the field {field.name}: only `unknown`, for an object or any JSON"
