"""Cases of sessions: the input and requests of a session, step by step, and the expected result of each step.

A script is kept as it is written. Repetitions (`times`) are only expanded when they are needed, so that a script of a
hundred thousand steps stays as small as it looks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NoReturn, TypeAlias

from polywire.conformance import jsontext
from polywire.ground.engine import CODES
from polywire.ground.words import counted
from polywire.model.nodes import Model

Members: TypeAlias = "Mapping[str, object]"

STEPS: Final[Mapping[str, frozenset[str]]] = {
    "request": frozenset({"id"}),
    "notify": frozenset(),
    "cancel": frozenset(),
    "receive": frozenset(),
    "reply": frozenset({"result"}),
    "refuse": frozenset({"message", "code", "data"}),
    "pending": frozenset(),
    "announced": frozenset(),
}
"""The action of a step → its optional other members."""

EVENTS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "message": (frozenset({"message"}), frozenset()),
    "notification": (frozenset({"payload"}), frozenset()),
    "request": (frozenset({"id", "payload"}), frozenset()),
    "unknown_request": (frozenset({"id", "payload"}), frozenset({"sent"})),
    "answer": (frozenset({"id", "request"}), frozenset({"result"})),
    "failure": (frozenset({"message"}), frozenset({"id", "request", "code", "data"})),
    "invalid_answer": (frozenset({"id", "request", "code", "path"}), frozenset()),
    "cancellation": (frozenset({"id", "payload"}), frozenset()),
    "stray": (frozenset({"id", "reason", "message"}), frozenset()),
}
"""Event → its required members besides its name, and its optional ones."""

REASONS: Final = frozenset({"unknown", "late", "repeated", "reused"})
ERRORS: Final = frozenset(CODES) | {"id_in_use", "not_pending", "not_open", "wrong_direction"}

_ASKED_TEXTS: Final = frozenset({"request", "notify", "receive", "result", "data"})
"""Members sent to a testee as JSON text. `id`, and members named by an id, are JSON themselves."""

_GIVEN_TEXTS: Final = frozenset({"sent", "message", "payload", "request", "result", "data"})
"""Members returned by a testee as JSON text; except that `message` of a failure is the peer's own plain text."""

MOST_PROBLEMS: Final = 10
_LONGEST: Final = 300


class ScriptError(Exception):
    """A script that cannot be run; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is written, or several that differ in a number."""

    asked: Members
    result: Members
    times: int = 1
    draws: bool = False
    """Whether the result has ids that the session generates randomly."""

    @property
    def verb(self) -> str:
        return next(verb for verb in STEPS if verb in self.asked)


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """The steps of one session."""

    peer: str
    steps: tuple[Step, ...]
    refuse_unknown: bool = True

    def asked(self) -> list[dict[str, object]]:
        """Return every step as it is sent to a testee."""
        return [
            {key: jsontext.write(value) if key in _ASKED_TEXTS else value for key, value in asked.items()}
            for step in self.steps
            for asked in _numbered(step.asked, step.times)
        ]

    def results(self) -> Iterator[tuple[Step, str, dict[str, object]]]:
        """Yield every repetition of every step with its number for people and its expected result."""
        for number, step in enumerate(self.steps, 1):
            for at, result in enumerate(_numbered(step.result, step.times), 1):
                yield step, f"{number}" if step.times == 1 else f"{number}, time {at}", result

    def request(self) -> dict[str, object]:
        """Return the request to a testee, without the id."""
        refusing = {} if self.refuse_unknown else {"refuse_unknown": False}
        return {"op": "session", "peer": self.peer, **refusing, "steps": self.asked()}

    def compare(self, answer: Members) -> list[str]:
        """Return the differences between a testee's answer and the expected results; empty if there are none."""
        return _compare(self, answer)

    def as_json(self) -> list[dict[str, object]]:
        """Return the script as it is written, each step with its result."""
        return [
            {**step.asked, **({"times": step.times} if step.times > 1 else {}), "expect": step.result}
            for step in self.steps
        ]


def _numbered(members: Members, times: int) -> Iterator[dict[str, object]]:
    """Yield the members with each number in place of `{n}` within texts and keys, and of the text `{#}`."""
    if times == 1:
        yield dict(members)
        return
    text = jsontext.write(dict(members))
    for number in map(str, range(1, times + 1)):
        yield json.loads(_NUMBER.sub(number, text).replace("{n}", number))


_NUMBER: Final = re.compile(r'"\{#\}"(?!:)')
"""Matches the text `{#}` in compact JSON, but no key."""


# --- reading ---------------------------------------------------------------------------------------------------


def read(session: object, expect: object, model: Model) -> Script:
    """Read the script of a case. Raises `ScriptError`."""
    asked = _members(session, {"peer", "refuse_unknown", "steps"}, "session")
    control = model.protocol.control
    if control is None or not model.controls:
        _fail("the protocol has no controls, and so no sessions")
    peer, refusing = asked.get("peer"), asked.get("refuse_unknown", True)
    if not isinstance(peer, str) or peer not in model.protocol.peers:
        _fail(f"peer {_shown(peer)}; expected one of {', '.join(model.protocol.peers)}")
    if not isinstance(refusing, bool):
        _fail(f"refuse_unknown {_shown(refusing)}; expected true or false")
    steps, results = asked.get("steps"), _members(expect, {"steps"}, "expect of a session").get("steps")
    if not isinstance(steps, list) or not steps:
        _fail("session has no list of steps")
    if not isinstance(results, list) or len(results) != len(steps):
        found = counted(len(results), "result") if isinstance(results, list) else "none"
        _fail(f"expected a result for each of {counted(len(steps), 'step')}, found {found}")
    forms = {
        "notify": control.notify is not None,
        "cancel": control.cancel is not None,
        "refuse": control.error is not None,
    }
    read = tuple(_step(*each, forms) for each in enumerate(zip(steps, results, strict=True), 1))
    return Script(peer, read, refusing)


def _step(number: int, pair: tuple[object, object], forms: Mapping[str, bool]) -> Step:
    where = f"step {number}"
    verbs = [verb for verb in STEPS if isinstance(pair[0], dict) and verb in pair[0]]
    if len(verbs) != 1:
        _fail(f"{where} has {' and '.join(verbs) or 'none'} of {', '.join(STEPS)}; expected exactly one")
    (verb,) = verbs
    if not forms.get(verb, True):
        _fail(f"{where} is a {verb}, for which the protocol has no form")
    asked = dict(_members(pair[0], STEPS[verb] | {verb, "times"}, where))
    times = asked.pop("times", 1)
    if type(times) is not int or times < 1:
        _fail(f"{where}: times {_shown(times)}; expected a count")
    _check_asked(where, verb, asked)
    result = _members(pair[1], None, f"result of {where}")
    _check_result(f"result of {where}", verb, result)
    return Step(asked, result, times, draws='"{uuid' in jsontext.write(result))


def _check_asked(where: str, verb: str, asked: Members) -> None:
    if verb in {"cancel", "reply", "refuse"}:
        _check_id(where, asked[verb])
    if verb == "refuse" and not isinstance(asked.get("message"), str):
        _fail(f"{where} has no message")
    if verb in {"pending", "announced"} and asked[verb] is not True:
        _fail(f"{where}: {verb} is {_shown(asked[verb])}; expected true")
    if "id" in asked:
        _check_id(where, asked["id"])
    if "code" in asked and type(asked["code"]) not in {str, int}:
        _fail(f"{where}: code {_shown(asked['code'])}; expected text or a whole number")


def _check_result(where: str, verb: str, result: Members) -> None:
    if verb == "receive":
        _check_event(where, result)
    elif verb == "pending":
        _check_keys(where, result, frozenset({"pending", "unanswered"}))
        for ids in result.values():
            if not isinstance(ids, list):
                _fail(f"{where}: {_shown(ids)} is not a list of ids")
            for each in ids:
                _check_id(where, each)
    elif verb == "announced":
        _check_keys(where, result, frozenset({"announced"}))
        if not isinstance(result["announced"], str | None):
            _fail(f"{where}: announced is {_shown(result['announced'])}; expected a release or null")
    elif "error" in result:
        _check_keys(where, result, frozenset({"error"}))
        if result["error"] not in ERRORS:
            _fail(f"{where}: error {_shown(result['error'])}; expected one of {', '.join(sorted(ERRORS))}")
    else:
        _check_keys(where, result, frozenset({"id", "sent"} if verb == "request" else {"sent"}))
    if "id" in result:
        _check_id(where, result["id"])


def _check_event(where: str, result: Members) -> None:
    event = result.get("event")
    if not isinstance(event, str) or event not in EVENTS:
        _fail(f"{where}: event {_shown(event)}; expected one of {', '.join(EVENTS)}")
    _check_keys(where, result, EVENTS[event][0] | {"event"}, EVENTS[event][1])
    if ("id" in result) != ("request" in result) and event == "failure":
        _fail(f"{where} has one of id and request; expected both or neither")
    if event == "stray" and result["reason"] not in REASONS:
        _fail(f"{where}: reason {_shown(result['reason'])}; expected one of {', '.join(sorted(REASONS))}")
    if event == "invalid_answer" and result["code"] not in CODES:
        _fail(f"{where}: code {_shown(result['code'])}; expected one of {', '.join(sorted(CODES))}")


def _check_keys(where: str, found: Members, needed: frozenset[str], more: frozenset[str] = frozenset()) -> None:
    if missing := sorted(needed - found.keys()):
        _fail(f"{where} has no {missing[0]}")
    if extra := sorted(found.keys() - needed - more):
        _fail(f"{where} has unknown key {extra[0]!r}; expected {', '.join(sorted(needed | more))}")


def _check_id(where: str, value: object) -> None:
    if not isinstance(value, str | int | float):
        _fail(f"{where}: id {_shown(value)}; expected a scalar")


def _members(value: object, keys: frozenset[str] | set[str] | None, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        _fail(f"{what} must be an object")
    if keys is not None and (extra := sorted(value.keys() - keys)):
        _fail(f"{what} has unknown key {extra[0]!r}; expected some of {', '.join(sorted(keys))}")
    return value


def _fail(message: str) -> NoReturn:
    raise ScriptError(message)


# --- judging ---------------------------------------------------------------------------------------------------


def _compare(script: Script, answer: Members) -> list[str]:
    given = answer.get("steps")
    if answer.get("ok") is not True or not isinstance(given, list):
        return ["expected an answer with the results of all steps"]
    problems: list[str] = []
    count = sum(step.times for step in script.steps)
    if len(given) != count:
        problems.append(f"expected {counted(count, 'result')}, got {len(given)}")
    drawn: dict[str, str] = {}
    for (step, where, wanted), got in zip(script.results(), given, strict=False):
        found = _differences(wanted, got, drawn if step.draws else None)
        problems += [f"step {where} ({step.verb}): {problem}" for problem in islice(found, MOST_PROBLEMS)]
        if len(problems) >= MOST_PROBLEMS:
            return [*problems[:MOST_PROBLEMS], "… and perhaps more: what follows is not compared"]
    return problems


def _differences(wanted: Members, got: object, drawn: dict[str, str] | None) -> Iterator[str]:
    if not isinstance(got, dict):
        yield f"the result is {_shown(got)}, expected an object"
        return
    for key in {**wanted, **got}:
        if key not in got:
            yield f"{key} is missing, expected {_shown(wanted[key])}"
            continue
        value = got[key]
        if key not in wanted:
            yield f"{key} is {_shown(value)}, expected none"
            continue
        if key in _GIVEN_TEXTS and not (key == "message" and wanted.get("event") == "failure"):
            try:
                value = _read(value)
            except jsontext.JsonError as error:
                yield f"{key} is not JSON text: {error}"
                continue
        right = wanted[key] if drawn is None else _filled(wanted[key], value, drawn)
        if not jsontext.same(right, value):
            yield f"{key} is {_shown(value)}, expected {_shown(wanted[key])}"


def _read(text: object) -> object:
    if not isinstance(text, str):
        raise jsontext.JsonError(f"it is {_shown(text)}")
    if "\n" in text or "\r" in text:
        raise jsontext.JsonError("it is not one line")
    return jsontext.read(text)


_DRAWN: Final = re.compile(r"\{uuid[0-9]*\}")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def _filled(wanted: object, got: object, drawn: dict[str, str]) -> object:
    """Return the expected value with placeholders replaced by the UUIDs that the session generated.

    A placeholder is the same UUID in the whole script, and two placeholders are different UUIDs.
    """
    match wanted, got:
        case str(), str() if _DRAWN.fullmatch(wanted):
            if wanted not in drawn and _UUID.fullmatch(got) and got not in drawn.values():
                drawn[wanted] = got
            return drawn.get(wanted, wanted)
        case dict(), dict():
            return {key: _filled(each, got.get(key), drawn) for key, each in wanted.items()}
        case list(), list() if len(wanted) == len(got):
            return [_filled(*pair, drawn) for pair in zip(wanted, got, strict=True)]
        case _:
            return wanted


def _shown(value: object) -> str:
    text = "missing" if value is None else jsontext.write(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text)} characters)"
