"""Expected and actual results → documents of the same form, words for people, and a member-by-member difference.

The documents are answers in the form that testees give: `ok`, with `variant`, `json` and `unknown`, or with `code` and
`path`, or with `items`. The expected document has only what is asserted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from polywire.conformance import jsontext
from polywire.conformance.case import Expect, Outcome
from polywire.conformance.judge import ANSWERS, nearest
from polywire.conformance.process import Answer, Reply, Trouble

Mark: TypeAlias = Literal[" ", "-", "+", "·"]
"""The same on both sides, only expected, only in the answer, and in the answer but not compared."""

MOST_LINES = 300
"""Maximum number of lines of one difference; further lines are only counted."""

_FEW = 4
"""Maximum number of consecutive equal members that are shown individually."""

_DEEPEST = 130
_LONGEST = 400
_NOTHING: Final = object()
_Key = TypeVar("_Key", str, int)


class Line(NamedTuple):
    """One line of a difference: its mark, its depth, and its text."""

    mark: Mark
    depth: int
    text: str


# --- documents -------------------------------------------------------------------------------------------------


def expected(expect: Expect | tuple[Expect, ...], answers: Collection[str] = ANSWERS) -> Answer:
    """Return the correct answer, as far as it is asserted and within the testee's claims; `any` lists several."""
    if isinstance(expect, tuple):
        return {"ok": True, "items": [expected(item, answers) for item in expect]}
    found = [_expected(expect, outcome, answers) for outcome in expect.outcomes]
    return found[0] if len(found) == 1 else {"any": found}


def _expected(expect: Expect, outcome: Outcome, answers: Collection[str]) -> Answer:
    members: dict[str, object] = {"line": expect.line, "ok": outcome.ok}
    if outcome.error is not None:
        members |= {"code": outcome.error[0], "path": outcome.error[1], "raw": expect.raw}
    else:
        members |= {
            "variant": outcome.variant,
            "json": outcome.text or outcome.ordered or outcome.output,
            "unknown": None if outcome.unknown is None else list(outcome.unknown),
        }
    return {key: value for key, value in members.items() if value is not None and key in answers}


def got(reply: Reply) -> Answer:
    """Return the actual answer without its id; if there was none, the problem instead."""
    if isinstance(reply, Trouble):
        return {"problem": reply.message}
    return {key: value for key, value in reply.items() if key != "id"}


def in_words(expect: Expect | tuple[Expect, ...]) -> str:
    """Describe the expected result on one line."""
    if isinstance(expect, tuple):
        return "items: " + "; ".join(map(in_words, expect))
    line = "" if expect.line is None else f"line {expect.line}: "
    return line + " or ".join(map(_in_words, expect.outcomes))


def _in_words(outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"error {outcome.error[0]} at {compact(outcome.error[1])}"
    parts = {
        "variant": outcome.variant,
        "json": outcome.text or outcome.ordered or outcome.output,
        "unknown": None if outcome.unknown is None else compact(list(outcome.unknown)),
    }
    return "ok, " + ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)


def compact(value: object) -> str:
    """Write any value returned by the runner's JSON reader as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def tame(text: str) -> str:
    """Escape everything in a text that is invisible or could move the text around it."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\u{{{number:x}}}"


# --- the difference --------------------------------------------------------------------------------------------


def difference(expect: Expect | tuple[Expect, ...], reply: Reply, answers: Collection[str] = ANSWERS) -> list[Line]:
    """Return the expected and the actual answer as one document of marked lines; at most `MOST_LINES` of them."""
    lines = list(_answers(expect, got(reply), answers, 0))
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], Line("·", 0, f"… {more} more lines")]


def _answers(
    expect: Expect | tuple[Expect, ...], right: Answer, answers: Collection[str], depth: int
) -> Iterator[Line]:
    """Compare with the closest correct answer. Members that are not asserted only count if the verdicts differ."""
    if isinstance(expect, Expect):
        outcome = nearest(expect, right)
        left = _expected(expect, outcome, answers)
    else:
        left = expected(expect, answers)
    alike = left.get("ok") == right.get("ok")
    yield Line(" ", depth, "{")
    for key in {**left, **right}:
        mine, theirs = left.get(key, _NOTHING), right.get(key, _NOTHING)
        if mine is _NOTHING and alike:
            yield Line("·", depth + 1, f"{compact(key)}: {_cut(compact(theirs))}")
        elif isinstance(expect, tuple) and key == "items" and isinstance(theirs, list):
            yield from _items(expect, theirs, answers, depth + 1)
        elif isinstance(expect, Expect) and key == "json" and isinstance(theirs, str):
            yield from _printed(outcome, mine, theirs, depth + 1)
        else:
            yield from _values(f"{compact(key)}: ", mine, theirs, depth + 1)
    yield Line(" ", depth, "}")


def _items(expect: Sequence[Expect], right: list[object], answers: Collection[str], depth: int) -> Iterator[Line]:
    yield Line(" ", depth, '"items": [')
    for wanted, theirs in zip_longest(expect, right, fillvalue=_NOTHING):
        if isinstance(wanted, Expect) and isinstance(theirs, dict):
            yield from _answers(wanted, theirs, answers, depth + 1)
        else:
            mine = expected(wanted, answers) if isinstance(wanted, Expect) else wanted
            yield from _values("", mine, theirs, depth + 1)
    yield Line(" ", depth, "]")


def _printed(expect: Outcome, left: object, right: str, depth: int) -> Iterator[Line]:
    """Compare JSON text by value, and also by spelling if the spelling or the order is asserted."""
    try:
        mine, theirs = jsontext.read(left) if isinstance(left, str) else left, jsontext.read(right)
    except jsontext.JsonError:
        yield from _values('"json" as text: ', left, right, depth)
        return
    yield from _values('"json": ', mine, theirs, depth)
    if left != right and (expect.text or expect.ordered) and jsontext.same(mine, theirs):
        yield from _sides("… spelt ", left, right, depth)


def _values(label: str, left: object, right: object, depth: int) -> Iterator[Line]:
    match left, right:
        case dict(), dict() if depth < _DEEPEST and not jsontext.same(left, right):
            yield Line(" ", depth, f"{label}{{")
            yield from _members([(f"{compact(key)}: ", *_pair(left, right, key)) for key in {**left, **right}], depth)
            yield Line(" ", depth, "}")
        case list(), list() if depth < _DEEPEST and not jsontext.same(left, right):
            both = (dict(enumerate(left)), dict(enumerate(right)))
            yield Line(" ", depth, f"{label}[")
            yield from _members([("", *_pair(*both, index)) for index in range(max(map(len, both)))], depth)
            yield Line(" ", depth, "]")
        case _ if jsontext.same(left, right):
            yield Line(" ", depth, f"{label}{_cut(compact(left))}")
        case _:
            yield from _sides(label, left, right, depth)


def _pair(left: Mapping[_Key, object], right: Mapping[_Key, object], key: _Key) -> tuple[object, object]:
    return left.get(key, _NOTHING), right.get(key, _NOTHING)


def _members(members: Iterable[tuple[str, object, object]], depth: int) -> Iterator[Line]:
    """Compare the members of two objects or arrays; long runs of equal members are shortened."""
    for alike, run in groupby(members, key=lambda member: jsontext.same(*member[1:])):
        found = list(run)
        shown = found if not alike or len(found) <= _FEW else found[: _FEW - 1]
        for label, left, right in shown:
            yield from _values(label, left, right, depth + 1)
        if len(shown) < len(found):
            yield Line(" ", depth + 1, f"… {len(found) - len(shown)} more that are the same")


def _sides(label: str, left: object, right: object, depth: int) -> Iterator[Line]:
    sides: tuple[tuple[Mark, object], ...] = (("-", left), ("+", right))
    for mark, value in sides:
        if value is not _NOTHING:
            yield Line(mark, depth, f"{label}{_cut(compact(value))}")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text)} characters)"
