"""The way an option is sent → a description in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps
from polywire.model.nodes import Carrier, CarrierForm, CarrierKind, Condition

_PLACES: Mapping[CarrierKind, str] = {
    "flag": "argument {}",
    "env": "variable {}",
    "control": "request {}",
    "process": "process: {}",
    "none": "functions by their ids",
}

_FORMS: Mapping[CarrierForm, str] = {
    "value": "",
    "bare": "the flag alone",
    "join": "items joined by `,`",
    "repeat": "once for each item",
    "json": "as JSON",
    "pairs": "an argument for each entry",
    "keys": "the keys of the map",
    "list": "as a list of this one value",
    "ids": "functions as ids",
}


def travels(carrier: Carrier, releases: Sequence[str]) -> tuple[str, str]:
    """Return where an option is sent, and a remark about it."""
    place = _PLACES[carrier.kind].format(carrier.name.replace("_", " ") if carrier.kind == "process" else carrier.name)
    if carrier.at is not None:
        place += f" at {pointer(carrier.at) or 'its top'}"
    return place, ", ".join(part for part in _notes(carrier, releases) if part)


def _notes(carrier: Carrier, releases: Sequence[str]) -> Iterator[str]:
    yield _FORMS[carrier.form]
    if carrier.part:
        yield f"of it {pointer(carrier.part)}"
    if carrier.has_value:
        yield f"in its place {dumps(carrier.value)}"
    if carrier.wrap is not None:
        yield f"each in `{carrier.wrap}`"
    for word, matching in (("only if", carrier.only), ("except if", carrier.exclude)):
        if matching:
            yield f"{word} {_matches(matching)}"
    if carrier.omit:
        yield f"without {', '.join(f'`{key}`' for key in carrier.omit)}"
    if carrier.when:
        yield f"if it is {_any_of(carrier.when)}"
    for word, other in (("unless", carrier.unless), ("if", carrier.needs)):
        if other is not None:
            name, conditions = other
            yield f"{word} `{name}` {f'is {_any_of(conditions)}' if conditions else 'travels'}"
    if carrier.has_absent:
        yield f"if not given, {dumps(carrier.absent)}"
    if carrier.empty is not None:
        yield "also if empty or 0" if carrier.empty == "keep" else "not if empty or 0"
    yield _span(carrier.releases, releases)


def _matches(matching: Sequence[tuple[tuple[str, ...], object]]) -> str:
    return " and ".join(f"{pointer(way) or 'it'} is {dumps(value)}" for way, value in matching)


def _any_of(conditions: Sequence[Condition]) -> str:
    return " or ".join(map(_condition, conditions))


def _condition(condition: Condition) -> str:
    match condition:
        case ("is", value):
            return dumps(value)
        case ("kind", kind):
            return f"of the kind {kind}"
        case ("at", when):
            return f"such that {_matches(when)}"
    raise ValueError(condition[0])


def _span(of: Sequence[str], releases: Sequence[str]) -> str:
    """Return the releases of a carrier, unless it has all of them."""
    if not of or len(of) == len(releases):
        return ""
    first, last = of[0], of[-1]
    if list(of) != list(releases[releases.index(first) : releases.index(last) + 1]):
        return f"in {', '.join(of)}"
    if last == releases[-1]:
        return f"since {first}"
    return f"until {last}" if first == releases[0] else f"since {first}, until {last}"
