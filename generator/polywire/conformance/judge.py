"""A case and a testee's reply → passed, failed with what differs, or not applicable.

What a schema can see of a case is decided by rule: it takes the input as a parser hands it over, so whatever only a
parser can tell (syntax, UTF-8, depth, a key twice, a lone surrogate, a number that no double holds) is outside it, as
are streams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from polywire.conformance import jsontext
from polywire.conformance.case import PARSER_CODES, Case, Expect
from polywire.conformance.process import Answer, Reply, Trouble
from polywire.engine import CODES

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]

DEEPEST = 128

ANSWERS = frozenset({"ok", "variant", "json", "unknown", "code", "path"})
OPS = frozenset({"decode", "stream"})


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a testee says of itself: whom its deviations are stated for, and what it can answer."""

    name: str
    language: str = ""
    version: str = ""
    spec: str = ""
    types: frozenset[str] = frozenset()
    ops: frozenset[str] = OPS
    answers: frozenset[str] = ANSWERS
    sorts: bool = False
    """Whether its language has no order of keys in a map, so that it writes them sorted."""

    @property
    def sees_text(self) -> bool:
        """Whether it reads JSON text itself; a schema is given what a parser made of it, and says `ok` or not."""
        return bool(self.answers - {"ok"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one case with one testee."""

    outcome: Outcome
    problems: tuple[str, ...] = ()
    variant: str | None = None
    unknown: tuple[str, ...] | None = None
    got: str = ""
    """The reply as people read it."""
    expected: str = ""
    output: str | None = None
    """What the testee printed for an input that it accepted."""


NOT_APPLICABLE = Verdict("skipped")


def applicable(case: Case, abilities: Abilities) -> bool:
    """Whether the testee can answer the case at all."""
    if ("decode" if case.chunks is None else "stream") not in abilities.ops:
        return False
    return abilities.sees_text or in_sight(case)


def in_sight(case: Case) -> bool:
    """Whether a schema, which is handed a parsed value, can tell the right outcome of the case."""
    if case.json is None or isinstance(case.expect, tuple):
        return False
    if case.expect.error is not None and case.expect.error[0] in PARSER_CODES:
        return False
    return _plain(case.json)


@lru_cache(maxsize=1 << 16)
def _plain(text: str) -> bool:
    try:
        value = jsontext.read(text)
    except jsontext.JsonError:
        return False
    return jsontext.depth(text) <= DEEPEST and not ("\\u" in text and jsontext.has_surrogate(value))


# --- the verdict -----------------------------------------------------------------------------------------------


def judge(case: Case, reply: Reply, abilities: Abilities) -> Verdict:
    """The verdict on the reply to a case, stated deviations included."""
    deviation = case.deviations.get(abilities.name) or case.deviations.get(abilities.language)
    right = compare(case.expect, reply, abilities)
    if deviation is None:
        return _verdict(case.expect, reply, right)
    if not right:
        stale = f"meets the case, so the deviation stated for it ({deviation.reason}) no longer occurs"
        return _verdict(case.expect, reply, [stale])
    return _verdict(deviation.expect, reply, compare(deviation.expect, reply, abilities))


def compare(expect: Expect | tuple[Expect, ...], reply: Reply, abilities: Abilities) -> list[str]:
    """What differs between a reply and what is expected; empty if nothing does."""
    if isinstance(reply, Trouble):
        return [reply.message]
    if "problem" in reply:
        return [f"the testee could not do what was asked: {reply['problem']}"]
    if isinstance(expect, Expect):
        return _decoded(expect, reply, abilities)
    if reply.get("ok") is not True or not isinstance(items := reply.get("items"), list):
        return ["expected an answer with items"]
    return _items(expect, items, abilities)


def repeated(first: Verdict, answer: Reply) -> list[str]:
    """What differs when the testee is given its own output: it must print the same text, and see the same in it."""
    if isinstance(answer, Trouble):
        return [f"given its own output: {answer.message}"]
    got = {key: answer.get(key) for key in ("ok", "variant", "json", "unknown")}
    unknown = None if first.unknown is None else list(first.unknown)
    wanted = {"ok": True, "variant": first.variant, "json": first.output, "unknown": unknown}
    return [
        f"given its own output: {key} is {_shown(got[key])}, first it was {_shown(value)}"
        for key, value in wanted.items()
        if got[key] != value
    ]


def _verdict(expect: Expect | tuple[Expect, ...], reply: Reply, problems: list[str]) -> Verdict:
    outcome: Outcome = "failed" if problems else "passed"
    if isinstance(reply, Trouble):
        return Verdict(outcome, tuple(problems), got=reply.message, expected=_expected(expect) if problems else "")
    variant, unknown, output = reply.get("variant"), reply.get("unknown"), reply.get("json")
    return Verdict(
        outcome,
        tuple(problems),
        variant=variant if isinstance(variant, str) else None,
        unknown=tuple(map(str, unknown)) if isinstance(unknown, list) else None,
        output=output if isinstance(output, str) else None,
        got=_got(reply) if problems else "",
        expected=_expected(expect) if problems else "",
    )


def _items(expect: Sequence[Expect], items: list[object], abilities: Abilities) -> list[str]:
    problems = [] if len(items) == len(expect) else [f"expected {len(expect)} items, got {len(items)}"]
    for number, (wanted, item) in enumerate(zip(expect, items, strict=False), 1):
        if not isinstance(item, dict):
            problems.append(f"item {number} is no object")
            continue
        found = _decoded(wanted, item, abilities)
        if item.get("line") != wanted.line:
            found.append(f"line is {_shown(item.get('line'))}, expected {wanted.line}")
        if wanted.raw is not None and item.get("raw") != wanted.raw:
            found.append(f"raw is {_shown(item.get('raw'))}, expected {wanted.raw}")
        problems += [f"item {number}: {problem}" for problem in found]
    return problems


def _decoded(expect: Expect, answer: Answer, abilities: Abilities) -> list[str]:
    ok = answer.get("ok")
    if type(ok) is not bool:
        return [f"ok is {_shown(ok)}, expected true or false"]
    if not abilities.sees_text:
        return [] if ok == expect.ok else [f"ok is {_shown(ok)}, expected {_shown(expect.ok)}"]
    keys = ("variant", "json", "unknown") if ok else ("code", "path", "message")
    malformed = [problem for key in keys if (problem := _FORMS[key](answer.get(key)))]
    if malformed:
        return malformed
    if ok != expect.ok:
        return [f"ok is {_shown(ok)}, expected {_shown(expect.ok)}"]
    return _accepted(expect, answer, abilities) if ok else _refused(expect, answer)


def _refused(expect: Expect, answer: Answer) -> list[str]:
    assert expect.error is not None  # noqa: S101 - the caller looked
    pairs = zip(("code", "path"), expect.error, strict=True)
    return [f"{k} is {_shown(answer[k])}, expected {_shown(v)}" for k, v in pairs if answer[k] != v]


def _accepted(expect: Expect, answer: Answer, abilities: Abilities) -> list[str]:
    problems = []
    if expect.variant is not None and answer["variant"] != expect.variant:
        problems.append(f"variant is {_shown(answer['variant'])}, expected {_shown(expect.variant)}")
    if expect.unknown is not None and answer["unknown"] != list(expect.unknown):
        problems.append(f"unknown is {_shown(answer['unknown'])}, expected {_shown(list(expect.unknown))}")
    text = cast("str", answer["json"])
    if expect.text is not None and text != expect.text:
        problems.append(f"json is {text}, expected exactly {expect.text}")
    if text != (expect.ordered or expect.output):
        # Also where no output is asserted, what was printed must be JSON.
        problems += _printed(text, expect, abilities)
    return problems


def _printed(text: str, expect: Expect, abilities: Abilities) -> list[str]:
    try:
        value = jsontext.read(text)
    except jsontext.JsonError as error:
        return [f"json is malformed: {error}"]
    if expect.output is not None and not jsontext.same(value, jsontext.read(expect.output)):
        return [f"json is {text}, expected {expect.output}"]
    if expect.ordered is not None and not jsontext.same_order(
        value, jsontext.read(expect.ordered), or_sorted=abilities.sorts
    ):
        return [f"json is {text}, expected its members in the order of {expect.ordered}"]
    return []


# --- the forms of answers --------------------------------------------------------------------------------------


def _text(value: object, key: str) -> str | None:
    return None if isinstance(value, str) and value else f"{key} is {_shown(value)}, expected text"


def _one_line(value: object) -> str | None:
    if not isinstance(value, str) or not value:
        return f"json is {_shown(value)}, expected JSON text"
    return "json is not one line" if "\n" in value or "\r" in value else None


def _pointers(value: object) -> str | None:
    if not isinstance(value, list) or not all(isinstance(p, str) for p in value):
        return f"unknown is {_shown(value)}, expected a list of pointers"
    return None if value == sorted(value) else f"unknown is not sorted: {_shown(value)}"


_FORMS: Mapping[str, Callable[[object], str | None]] = {
    "variant": lambda value: _text(value, "variant"),
    "json": _one_line,
    "unknown": _pointers,
    "code": lambda value: (
        None if isinstance(value, str) and value in CODES else f"code is {_shown(value)}, which is none of the codes"
    ),
    "path": lambda value: None if isinstance(value, str) else f"path is {_shown(value)}, expected a JSON Pointer",
    "message": lambda value: _text(value, "message"),
}


def _shown(value: object) -> str:
    return "missing" if value is None else jsontext.write(value)


def _got(answer: Answer) -> str:
    return _shown({key: value for key, value in answer.items() if key != "id"})


def _expected(expect: Expect | tuple[Expect, ...]) -> str:
    if isinstance(expect, tuple):
        return "items: " + "; ".join(map(_expected, expect))
    line = "" if expect.line is None else f"line {expect.line}: "
    if expect.error is not None:
        return f"{line}error {expect.error[0]} at {_shown(expect.error[1])}"
    parts = {
        "variant": expect.variant,
        "json": expect.text or expect.ordered or expect.output,
        "unknown": None if expect.unknown is None else jsontext.write(list(expect.unknown)),
    }
    return f"{line}ok, " + ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)
