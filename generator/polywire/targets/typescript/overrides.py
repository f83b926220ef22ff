"""What a spec demands for TypeScript of the types of fields, and what of it means nothing."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Field, Model, Scalar
from polywire.targets.base import Misuse
from polywire.targets.typescript.names import override

LIVE = {
    "abort": "AbortController",
    "function": "(...values: never[]) => unknown",
    "functions": "((...values: never[]) => unknown)[]",
}
"""What the spec says of a live object → its type. Of another, all that is known is that it is an object."""


def is_live(field: Field) -> bool:
    """Whether a field holds what is no JSON, whose type has a name of its own."""
    return field.live or (field.callback is not None and override(field.about, "type") in LIVE)


def misuses(model: Model) -> Iterator[Misuse]:
    """The types that the spec demands of fields and that mean nothing."""
    for struct in model.structs:
        for field in struct.fields:
            if not is_live(field) and (message := misuse(field)) is not None:
                yield Misuse(field.place, "type", message)


def misuse(field: Field) -> str | None:
    """Only `unknown` is demanded, for untouched JSON that other declarations know no more of."""
    given = override(field.about, "type")
    if given is None or (given == "unknown" and field.type in (Scalar("object"), Scalar("json"))):
        return None
    return f"`type: {given}` of the field {field.name}: only `unknown`, for an object or any JSON"
