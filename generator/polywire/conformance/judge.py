"""A case and a testee's reply → passed, failed with the differences, or not applicable.

A reply is correct if it is one of the outcomes that the case admits. What a testee does not claim is neither requested
nor compared. For a testee that takes values, such as a schema, rules decide what it can see of a case: it gets the
input as a parser returns it, so anything that only a parser sees (syntax, UTF-8, depth, duplicate keys, lone
surrogates, numbers that no double represents) is out of its scope, as are streams.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import ne
from typing import Literal, TypeAlias, cast

from polywire.conformance import jsontext
from polywire.conformance.case import PARSER_CODES, Case, Expect, Outcome
from polywire.conformance.process import Answer, Reply, Trouble
from polywire.ground.engine import CODES
from polywire.oracle.reference import text

Status: TypeAlias = Literal["passed", "failed", "skipped"]

DEEPEST = 128

MODES = frozenset({"lenient", "strict"})
OPS = frozenset({"decode", "stream"})
MORE_OPS = frozenset({"filter", "session", "tree"})
"""Operations that only some testees support, and declare."""
ANSWERS = frozenset({"ok", "variant", "json", "unknown", "code", "path", "line", "raw"})
"""The members of an answer that are compared."""
_OF_ITEMS = frozenset({"line", "raw"})
"""The members that only items of a stream have."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """A testee's description of itself: the names that deviations refer to, and what it claims to support."""

    name: str
    language: str = ""
    version: str = ""
    spec: str = ""
    types: frozenset[str] = frozenset()
    """The declared types that it decodes; empty means all."""
    modes: frozenset[str] = MODES
    ops: frozenset[str] = OPS
    answers: frozenset[str] = ANSWERS
    limits: frozenset[str] = frozenset()
    """Limits respected when cases are generated. Written cases have deviations instead."""
    sees_text: bool = True
    """Whether it reads JSON text itself rather than the values of a parser."""
    sorts: bool = False
    """Whether its language has unordered maps, so that keys are written in sorted order."""

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """What it does not claim, other than types, in words."""
        return (
            *(() if self.sees_text else ("JSON text",)),
            *(f"{mode} mode" for mode in sorted(MODES - self.modes)),
            *(f"{op}s" for op in sorted(OPS - self.ops)),
            *sorted(ANSWERS - self.answers - (_OF_ITEMS if "stream" not in self.ops else frozenset())),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one case with one testee."""

    outcome: Status
    problems: tuple[str, ...] = ()
    variant: str | None = None
    unknown: tuple[str, ...] | None = None
    output: str | None = None
    """The testee's output for an input that it accepted."""
    wanted: Expect | tuple[Expect, ...] | None = None
    """What a failed reply was compared with: the expectation of the case, or a deviation that applies to the testee."""
    reply: Reply | None = None
    """The reply that failed."""


NOT_APPLICABLE = Verdict("skipped")


def applicable(case: Case, abilities: Abilities) -> bool:
    """Return whether the testee claims to answer the case, and is able to."""
    claimed = (
        _op(case) in abilities.ops
        and case.mode in abilities.modes
        and (not abilities.types or case.type in abilities.types)
    )
    return claimed and (abilities.sees_text or in_sight(case))


def _op(case: Case) -> str:
    if case.script is not None:
        return "session"
    if case.tree is not None:
        return "tree"
    if case.only:
        return "filter"
    return "decode" if case.chunks is None else "stream"


def in_mode_of(case: Case, abilities: Abilities) -> Case:
    """Return the case to run: a testee with only lenient mode must also accept what strict mode accepts.

    Derived cases exist in both modes anyway.
    """
    items = case.expect if isinstance(case.expect, tuple) else (case.expect,)
    moved = case.mode not in abilities.modes and case.mode == "strict" and case.kind != "derived"
    return replace(case, mode="lenient") if moved and all(item.accepts for item in items) else case


def in_sight(case: Case) -> bool:
    """Return whether a testee that gets a parsed value, such as a schema, can determine the outcome of the case."""
    if case.json is None or isinstance(case.expect, tuple):
        return False
    if any(map(_of_a_parser, case.expect.outcomes)):
        return False
    return _plain(case.json)


def _of_a_parser(outcome: Outcome) -> bool:
    return outcome.error is not None and outcome.error[0] in PARSER_CODES


@lru_cache(maxsize=1 << 16)
def _plain(text: str) -> bool:
    try:
        value = jsontext.read(text)
    except jsontext.JsonError:
        return False
    if _OVERFLOWING.search(text) and jsontext.has_overflow(value):
        return False
    return jsontext.depth(text) <= DEEPEST and not ("\\u" in text and jsontext.has_surrogate(value))


_OVERFLOWING = re.compile("[0-9]{309}")
"""Matches an integer that exceeds all doubles."""


# --- the verdict -----------------------------------------------------------------------------------------------


def judge(case: Case, reply: Reply, abilities: Abilities) -> Verdict:
    """Judge the reply to a case, taking declared deviations into account.

    A deviation applies to the bindings generated from the spec. Other implementations in the same language may meet the
    case instead.
    """
    if isinstance(reply, dict) and declined(case, reply):
        return NOT_APPLICABLE
    if case.stateful is not None:
        problems = _unanswered(reply)
        if not problems and isinstance(reply, dict):
            problems = case.stateful.compare(reply)
        return Verdict("failed" if problems else "passed", tuple(problems))
    deviation = case.deviations.get(abilities.name) or case.deviations.get(abilities.language)
    if deviation is not None and deviation.limit is not None and deviation.limit not in abilities.limits:
        deviation = None
    right = compare(case.expect, reply, abilities)
    if case.only and isinstance(reply, dict) and reply.get("skipped") != case.skipped:
        right.append(f"expected {case.skipped} skipped lines, got {reply.get('skipped')}")
    if deviation is None or (not right and not abilities.spec):
        return _verdict(case.expect, reply, right)
    if not right:
        stale = f"meets the case, so the deviation stated for it ({deviation.reason}) no longer occurs"
        return _verdict(case.expect, reply, [stale])
    return _verdict(deviation.expect, reply, compare(deviation.expect, reply, abilities))


def declined(case: Case, answer: Answer) -> bool:
    """Return whether the testee states that the case is beyond its claims.

    It either says so directly, or it lists the paths that it gives a type to and accepts a document with faults
    elsewhere.
    """
    if isinstance(answer.get("unsupported"), str):
        return True
    typed = answer.get("typed")
    return (
        answer.get("ok") is True
        and isinstance(typed, list)
        and isinstance(case.expect, Expect)
        and not any(outcome.ok or _of_a_parser(outcome) for outcome in case.expect.outcomes)
        and not any(outcome.error[1] in typed for outcome in case.expect.outcomes if outcome.error is not None)
    )


def compare(expect: Expect | tuple[Expect, ...], reply: Reply, abilities: Abilities) -> list[str]:
    """Return the differences between a reply and the expectation; empty if there are none."""
    if problems := _unanswered(reply):
        return problems
    assert isinstance(reply, dict)  # noqa: S101 - otherwise there is a problem
    if isinstance(expect, Expect):
        return _any_of(expect, reply, abilities)
    if reply.get("ok") is not True or not isinstance(items := reply.get("items"), list):
        return ["expected an answer with items"]
    return _items(expect, items, abilities)


def _unanswered(reply: Reply) -> list[str]:
    """Return why there is no answer to compare, if there is none."""
    if isinstance(reply, Trouble):
        return [reply.message]
    return [f"the testee could not do what was asked: {reply['problem']}"] if "problem" in reply else []


def repeated(case: Case, first: Verdict, answer: Reply, abilities: Abilities) -> list[str]:
    """Compare the answers to an input and to the testee's own output for it, which must be the same.

    What was repaired the first time is no longer unknown the second time.
    """
    if isinstance(answer, Trouble):
        return [f"given its own output: {answer.message}"]
    if is_other_outcome(case, first.variant, answer, abilities):
        return []
    wanted: dict[str, object] = {"ok": True, "variant": first.variant, "json": first.output}
    if not is_repaired(case, first.output):
        wanted["unknown"] = None if first.unknown is None else list(first.unknown)
    return [
        f"given its own output: {key} is {_shown(answer.get(key))}, first it was {_shown(value)}"
        for key, value in wanted.items()
        if key in abilities.answers and answer.get(key) != value
    ]


def is_other_outcome(case: Case, variant: object, again: Answer, abilities: Abilities) -> bool:
    """Return whether the answer to an output accepts it as another variant, which is correct for the input as well.

    A testee may check overwritten values of duplicate keys, which decide the variant but are not in the output.
    """
    return (
        again.get("ok") is True
        and again.get("variant") != variant
        and isinstance(case.expect, Expect)
        and not compare(case.expect, again, abilities)
    )


def is_repaired(case: Case, output: str | None) -> bool:
    """Return whether an output has another value than the document."""
    source = case.json if case.json is not None else base64.b64decode(case.data or "")
    return output is not None and not jsontext.same(text.read(source).value, text.read(output).value)


def _verdict(expect: Expect | tuple[Expect, ...], reply: Reply, problems: list[str]) -> Verdict:
    answer: Answer = {} if isinstance(reply, Trouble) else reply
    variant, unknown, output = answer.get("variant"), answer.get("unknown"), answer.get("json")
    return Verdict(
        "failed" if problems else "passed",
        tuple(problems),
        variant=variant if isinstance(variant, str) else None,
        unknown=tuple(map(str, unknown)) if isinstance(unknown, list) else None,
        output=output if isinstance(output, str) else None,
        wanted=expect if problems else None,
        reply=reply if problems else None,
    )


def _items(expect: Sequence[Expect], items: list[object], abilities: Abilities) -> list[str]:
    problems = [] if len(items) == len(expect) else [f"expected {len(expect)} items, got {len(items)}"]
    for number, (wanted, item) in enumerate(zip(expect, items, strict=False), 1):
        if not isinstance(item, dict):
            problems.append(f"item {number} is not an object")
            continue
        found = _any_of(wanted, item, abilities)
        if "line" in abilities.answers and item.get("line") != wanted.line:
            found.append(f"line is {_shown(item.get('line'))}, expected {wanted.line}")
        refused = item.get("ok") is not True
        if "raw" in abilities.answers and refused and wanted.raw is not None and item.get("raw") != wanted.raw:
            found.append(f"raw is {_shown(item.get('raw'))}, expected {wanted.raw}")
        problems += [f"item {number}: {problem}" for problem in found]
    return problems


def nearest(expect: Expect, answer: Answer) -> Outcome:
    """Return the outcome to compare with if none is met: the one with the same verdict, code and path, if any."""
    own = (answer.get("code"), answer.get("path"))

    def distance(outcome: Outcome) -> tuple[bool, int]:
        apart = 0 if outcome.error is None else sum(map(ne, outcome.error, own))
        return outcome.ok is not answer.get("ok"), apart

    return min(expect.outcomes, key=distance)


def _any_of(expect: Expect, answer: Answer, abilities: Abilities) -> list[str]:
    """Return the differences from the nearest outcome, or none if some outcome is met."""
    if any(not _decoded(outcome, answer, abilities) for outcome in expect.outcomes):
        return []
    problems = _decoded(nearest(expect, answer), answer, abilities)
    more = len(expect.outcomes) - 1
    return [f"{problem}{f' (or another of {more + 1} outcomes)' if more else ''}" for problem in problems]


def _decoded(expect: Outcome, answer: Answer, abilities: Abilities) -> list[str]:
    ok = answer.get("ok")
    if type(ok) is not bool:
        return [f"ok is {_shown(ok)}, expected true or false"]
    keys = [key for key in (_ACCEPTED if ok else _REFUSED) if _WITH.get(key, key) in abilities.answers]
    malformed = [problem for key in keys if (problem := _FORMS[key](answer.get(key)))]
    if malformed:
        return malformed
    if ok != expect.ok:
        return [f"ok is {_shown(ok)}, expected {_shown(expect.ok)}"]
    claimed = {key: answer[key] for key in keys}
    return _accepted(expect, claimed, abilities) if ok else _refused(expect, claimed)


def _refused(expect: Outcome, answer: Answer) -> list[str]:
    assert expect.error is not None  # noqa: S101 - checked by the caller
    pairs = zip(("code", "path"), expect.error, strict=True)
    return [f"{k} is {_shown(answer[k])}, expected {_shown(v)}" for k, v in pairs if k in answer and answer[k] != v]


def _accepted(expect: Outcome, answer: Answer, abilities: Abilities) -> list[str]:
    problems = []
    if "variant" in answer and expect.variant is not None and answer["variant"] != expect.variant:
        problems.append(f"variant is {_shown(answer['variant'])}, expected {_shown(expect.variant)}")
    if "unknown" in answer and expect.unknown is not None and answer["unknown"] != list(expect.unknown):
        problems.append(f"unknown is {_shown(answer['unknown'])}, expected {_shown(list(expect.unknown))}")
    if "json" not in answer or ("unknown" not in answer and expect.unknown):
        # A testee that does not claim to see unknown content does not claim to write it back.
        return problems
    return problems + _encoded(expect, cast("str", answer["json"]), abilities)


def _encoded(expect: Outcome, text: str, abilities: Abilities) -> list[str]:
    problems = []
    if expect.text is not None and text != expect.text:
        problems.append(f"json is {text}, expected exactly {expect.text}")
    if text != (expect.ordered or expect.output):
        # Even if no output is asserted, the text must be JSON.
        problems += _printed(text, expect, abilities)
    return problems


def _printed(text: str, expect: Outcome, abilities: Abilities) -> list[str]:
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

_ACCEPTED = ("variant", "json", "unknown")
_REFUSED = ("code", "path", "message")
_WITH = {"message": "code"}
"""Members that are required if another one is claimed, although they are not compared."""


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
