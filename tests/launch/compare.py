"""How an SDK started a program, and how `launch` describes the start → the differences, by place.

The order of flags is ignored, and so is whether a value is in the same argument as its flag or in the next one. Values
of flags that take JSON are compared as JSON, with numbers as doubles.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, Any]"

_MISSING = object()


@dataclass(frozen=True)
class Difference:
    """One place that differs: it is only in `ours`, only in `theirs`, or in `both` with different values."""

    place: str
    found: str
    text: str
    """The values, or the message of the error."""


@dataclass(frozen=True)
class Flags:
    """The flags that take a value and those that take JSON; a command line cannot be parsed without them."""

    valued: frozenset[str]
    json: frozenset[str]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Flags:
        """The flags in the launch table of a record."""
        # The Python SDK passes these as flags; the TypeScript SDK sends them in its first request.
        others = {"--system-prompt", "--append-system-prompt"}
        found = [each for option in table["options"] for each in option.get("carry", ()) if each["to"] == "flag"]
        own = table["arguments"]
        fixed = {flag for flag, value in zip(own, [*own[1:], "--"], strict=True) if not value.startswith("--")}
        return cls(
            frozenset({each["name"] for each in found if each["as"] != "bare"} | fixed | others),
            frozenset(each["name"] for each in found if each["as"] == "json"),
        )

    def read(self, arguments: list[str], extra: Mapping[str, str | None]) -> dict[str, Any]:
        """Flag → its value, a sorted list if the flag is repeated, or None for a flag without a value."""
        found: dict[str, list[Any]] = {}
        rest = [*arguments]
        while rest:
            flag, equals, value = rest.pop(0).partition("=")
            if equals:
                given: str | None = value
            elif flag in self.valued and f"{flag[2:]}" not in {name for name, text in extra.items() if text is None}:
                given = rest.pop(0)
            else:
                given = rest.pop(0) if extra.get(flag.removeprefix("--")) is not None else None
            found.setdefault(flag, []).append(self._value(flag, given))
        return {flag: values[0] if len(values) == 1 else sorted(values, key=repr) for flag, values in found.items()}

    def _value(self, flag: str, text: str | None) -> Any:
        if flag not in self.json or text is None:
            return text
        try:
            return plain(json.loads(text))
        except ValueError:
            return text


def plain(value: Any) -> Any:
    """A JSON value with all numbers as doubles."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def differences(ours: Json, theirs: Json) -> list[Difference]:
    """The differences between two starts, or a start and an error. Two errors count as equal."""
    if "error" in ours or "error" in theirs:
        found = [(name, each["error"]) for name, each in (("ours", ours), ("theirs", theirs)) if "error" in each]
        return [Difference("error", name, str(text)) for name, text in found] if len(found) == 1 else []
    return [*_differences(ours, theirs, "")]


def _differences(ours: Any, theirs: Any, place: str) -> Iterator[Difference]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            step = key.replace("~", "~0").replace("/", "~1")
            here = f"{place}/{step}" if place else step
            yield from _differences(ours.get(key, _MISSING), theirs.get(key, _MISSING), here)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for n, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differences(one, other, f"{place}/{n}")
    elif ours is _MISSING or theirs is _MISSING:
        value = theirs if ours is _MISSING else ours
        yield Difference(place, "theirs" if ours is _MISSING else "ours", json.dumps(value))
    elif type(ours) is not type(theirs) or ours != theirs:
        yield Difference(place, "both", f"ours {json.dumps(ours)}, theirs {json.dumps(theirs)}")
