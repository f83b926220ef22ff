"""Testees asked side by side, each answer held against polywire's reference → who differs, and in what.

Each testee has a thread of its own, so that all of them work at once while the next documents are made. Answers are
compared in the cheap way first, which nearly all of them pass; only what is left is judged as the runner judges.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias, cast

from polywire.conformance import jsontext
from polywire.conformance.case import Case, Expect
from polywire.conformance.judge import ANSWERS, Abilities, applicable, judge
from polywire.conformance.process import Answer, CannotRunError, Reply, Session, StartError, Trouble
from polywire.conformance.protocols import Protocol
from polywire.conformance.runner import abilities_of
from polywire.conformance.testee import Testee, TesteeError, Workshop


@dataclass(frozen=True, slots=True)
class Response:
    """What a testee said to a case, and, where it accepted it, to its own output."""

    reply: Reply
    again: Reply | None = None


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """In what an answer differs from the reference: verdict, variant, code, path, value …; and what both say."""

    kind: str
    wanted: str = ""
    got: str = ""

    def __str__(self) -> str:
        told = " or ".join(dict.fromkeys(text for text in (self.wanted, self.got) if text))
        return f"{self.kind} ({told})" if told else self.kind


Answers: TypeAlias = "Mapping[str, Response]"
"""What each testee that was asked said, by its name."""


class Worker:
    """One testee. Its answers come in another thread."""

    def __init__(self, testee: Testee, start: Callable[[], Session]) -> None:
        """Raises `CannotRunError` or `StartError`."""
        self.testee = testee
        self.name = testee.name
        self._start = start
        self._session = start()
        self.abilities = abilities_of(self.name, self._session.describe())
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._troubled = False
        self.problems: list[str] = []

    def hears(self, case: Case, number: int) -> bool:
        """Whether the testee is asked this document."""
        return number % self.testee.every == 0 and applicable(case, self.abilities)

    def ask(self, cases: Sequence[Case]) -> Future[list[Response]]:
        """Begins to ask."""
        return self._worker.submit(self._ask, cases)

    def _ask(self, cases: Sequence[Case]) -> list[Response]:
        replies = self._session.ask([case.request() for case in cases])
        self._troubled |= any(isinstance(reply, Trouble) for reply in replies)
        told = [Response(reply) for reply in replies]
        second = [
            (number, {"op": "decode", "type": case.type, "mode": case.mode, "json": output})
            for number, (case, reply) in enumerate(zip(cases, replies, strict=True))
            if not isinstance(reply, Trouble) and isinstance(output := reply.get("json"), str) and output != case.json
        ]
        for (number, _), again in zip(second, self._session.ask([request for _, request in second]), strict=True):
            told[number] = Response(told[number].reply, again)
        return told

    def refresh(self) -> None:
        """A fresh process after trouble; it is not held to have died before. To be called while nothing is asked."""
        if self._troubled:
            self._end()
            self._session = self._start()
            self._session.describe()
            self._troubled = False

    def close(self) -> None:
        """Ends the testee, and notes how it ends."""
        self._worker.shutdown(cancel_futures=True)
        self._session.close()
        self._end()

    def _end(self) -> None:
        self._session.kill()
        self.problems += self._session.problems


class Pool:
    """All testees of a run."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = workers

    @property
    def problems(self) -> list[str]:
        """What is wrong with testees apart from any document; all of it is known once they are closed."""
        return list(dict.fromkeys(f"{worker.name}: {each}" for worker in self.workers for each in worker.problems))

    def ask(self, cases: Sequence[Case], numbers: Sequence[int]) -> Callable[[], Sequence[Answers]]:
        """Begins to ask all testees; what is given waits for their answers, one mapping a case."""
        asked = []
        for worker in self.workers:
            heard = [at for at, case in enumerate(cases) if worker.hears(case, numbers[at])]
            asked.append((worker.name, heard, worker.ask([cases[at] for at in heard])))

        def answers() -> Sequence[Answers]:
            found: list[dict[str, Response]] = [{} for _ in cases]
            for name, heard, future in asked:
                for at, told in zip(heard, future.result(), strict=True):
                    found[at][name] = told
            return found

        return answers

    def refresh(self) -> None:
        """Replaces the processes that gave no usable answer, so that they can go on doing that."""
        for worker in self.workers:
            worker.refresh()

    def differences(self, case: Case, answers: Answers) -> dict[Difference, tuple[str, ...]]:
        """Each way in which answers differ from the reference, and whose do."""
        found: dict[Difference, list[str]] = {}
        fine: set[str] = set()
        for worker in self.workers:
            told = answers.get(worker.name)
            if told is not None and (difference := _difference(case, told, worker.abilities, fine)) is not None:
                found.setdefault(difference, []).append(worker.name)
        return {difference: tuple(names) for difference, names in found.items()}


@contextmanager
def pool(
    testees: Sequence[Testee],
    workshop: Workshop,
    protocol: Protocol,
    *,
    default: Protocol,
    folder: Path,
    patience: float,
) -> Iterator[tuple[Pool, dict[str, str]]]:
    """The testees, started, and those that cannot run here with the reason. Raises `StartError` and `TesteeError`."""

    def start(testee: Testee) -> Callable[[], Session]:
        command = workshop.command(testee, protocol)
        environment = {**os.environ, **testee.environment}
        return lambda: Session(
            command, folder=folder, patience=patience, startup=testee.startup, environment=environment
        )

    with ExitStack() as stack:
        workers: list[Worker] = []
        missing: dict[str, str] = {}
        for testee in testees:
            if not workshop.serves(testee, protocol, default):
                missing[testee.name] = f"it was not made for {protocol}"
                continue
            try:
                workers.append(Worker(testee, start(testee)))
            except CannotRunError as error:
                missing[testee.name] = str(error)
                continue
            except StartError as error:
                raise StartError(f"{testee.name}: {error}") from error
            stack.callback(workers[-1].close)
        if not workers:
            raise TesteeError("no testee can run here: " + "; ".join(f"{name}: {why}" for name, why in missing.items()))
        yield Pool(workers), missing


# --- one answer ------------------------------------------------------------------------------------------------

TROUBLE: Final = "trouble"
"""The kind of difference where a testee has no usable answer: it died, was silent, or said what is no answer."""

_OK: Final = "ok"
_AT: Final = " at this request"


def _difference(case: Case, told: Response, abilities: Abilities, fine: set[str]) -> Difference | None:
    """In what an answer differs first, if it does. `fine` has outputs to this case that were found right before."""
    reply = told.reply
    if isinstance(reply, Trouble):
        return Difference(TROUBLE, got=reply.message.partition(_AT)[0]) if reply.asked else None
    if "problem" in reply:
        return Difference("problem")
    if not _plainly_right(case.expect, reply, abilities, fine):
        if (found := _judged(case, reply, abilities)) is not None:
            return found
        fine.add(str(reply.get("json")))
    return _repeated(reply, told.again)


def _plainly_right(expect: Expect | tuple[Expect, ...], reply: Answer, abilities: Abilities, fine: set[str]) -> bool:
    """Whether a glance is enough: nearly all answers are what the reference says, in its words but for spelling."""
    if isinstance(expect, tuple) or reply.get("ok") is not expect.ok:
        return False
    if abilities.answers != ANSWERS:
        return abilities.answers == {"ok"}
    if expect.error is not None:
        return (reply.get("code"), reply.get("path")) == expect.error and bool(reply.get("message"))
    output = reply.get("json")
    return (
        reply.get("variant") == expect.variant
        and reply.get("unknown") == list(expect.unknown or ())
        and (output == expect.output or _respelt(output) == expect.output or (not abilities.sorts and output in fine))
    )


def _respelt(output: object) -> str | None:
    """The output as the reference would spell the same value; None if it is not one line of strict JSON."""
    if not isinstance(output, str) or "\n" in output or "\r" in output:
        return None
    try:
        return _SPELLING.encode(jsontext.read(output))
    except (jsontext.JsonError, ValueError, TypeError):
        return None


_SPELLING = json.JSONEncoder(separators=(",", ":"))


def _judged(case: Case, reply: Answer, abilities: Abilities) -> Difference | None:
    """The verdict as the runner gives it, but for what the testee is known not to be able to hold."""
    if "integers" in abilities.limits and _overflows(case, reply):
        return None
    if "surrogates" in abilities.limits and _SURROGATE.search(_source(case)):
        try:
            case = replace(case, expect=_mended(case.expect))
            reply = cast("Answer", _mended_answer(reply))
        except jsontext.JsonError:
            return None
    verdict = judge(case, reply, abilities)
    if verdict.outcome == "failed":
        found = _named(case.expect, reply, verdict.problems[0])
        only_indices = "indices" in abilities.limits and found.kind.endswith(_ORDER) and _in_order(case.expect, reply)
        return None if only_indices else found
    if "integers" not in abilities.limits and "json" in abilities.answers and not _exact(case.expect, reply):
        return Difference("exact value")
    return None


def _named(expect: Expect | tuple[Expect, ...], reply: Answer, problem: str) -> Difference:
    """What a problem is about, by its words, and what the two say there."""
    kind = ""
    if isinstance(expect, tuple):
        items, of_item = reply.get("items"), _OF_ITEM.match(problem)
        if not isinstance(items, list) or of_item is None or len(items) != len(expect):
            return Difference("items")
        at = int(of_item[1]) - 1
        kind, problem, expect, reply = "item's ", problem[of_item.end() :], expect[at], items[at]
    word = problem.partition(" ")[0]
    if word == "variant":
        return Difference(kind + word, str(expect.variant), str(reply.get("variant")))
    if word == "json":
        word = next((name for words, name in _OF_JSON.items() if words in problem), "value")
    got = _OK if reply.get("ok") is True else str(reply.get("code", "refused"))
    return Difference(kind + _KINDS.get(word, word), expect.error[0] if expect.error else _OK, got)


_OF_ITEM = re.compile(r"item (\d+): ")
_ORDER: Final = "order"
_OF_JSON = {"members in the order": _ORDER, "malformed": "form", "one line": "form"}
_KINDS = {"ok": "verdict"}


def _repeated(reply: Answer, again: Reply | None) -> Difference | None:
    """Given its own output, a testee prints the same text and sees the same in it."""
    if again is None:
        return None
    same = not isinstance(again, Trouble) and all(again.get(key) == reply.get(key) for key in _STABLE)
    return None if same else Difference("fixed point")


_STABLE = ("ok", "variant", "json", "unknown")

# --- what a language cannot hold, and what all others must ------------------------------------------------------

_LONG = re.compile(r"\d{16}")
_OVERFLOWING = re.compile(r"\d{309}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _source(case: Case) -> str:
    """The text of the document, near enough to look for something in it."""
    if case.json is not None:
        return case.json
    return b"".join(map(base64.b64decode, case.chunks or (case.data or "",))).decode("utf-8", "replace")


def _overflows(case: Case, reply: Answer) -> bool:
    """Whether a testee whose numbers are doubles may refuse an integer of the document that another keeps."""
    items = reply.get("items")
    replies = [reply, *(items if isinstance(items, list) else ())]
    refused = any(isinstance(each, dict) and each.get("code") == "out_of_range" for each in replies)
    return refused and _OVERFLOWING.search(_source(case)) is not None


def _in_order(expect: Expect | tuple[Expect, ...], reply: Answer) -> bool:
    """Whether members stand in their order, those left aside whose keys look like indices of an array."""
    if isinstance(expect, tuple):
        items = reply["items"]
        assert isinstance(items, list)  # noqa: S101 - the judge looked
        return all(_in_order(wanted, item) for wanted, item in zip(expect, items, strict=True))
    if expect.output is None:
        return True
    wanted, got = jsontext.read(expect.output), jsontext.read(str(reply["json"]))
    return jsontext.same_order(_without_indices(wanted), _without_indices(got))


def _without_indices(value: object) -> object:
    match value:
        case dict():
            return {key: _without_indices(member) for key, member in value.items() if not _INDEX.fullmatch(key)}
        case list():
            return list(map(_without_indices, value))
        case _:
            return value


_INDEX = re.compile("0|[1-9][0-9]{0,9}")


def _exact(expect: Expect | tuple[Expect, ...], reply: Answer) -> bool:
    """Whether integers came back exactly at any length; the runner compares as doubles."""
    if isinstance(expect, tuple):
        items = reply["items"]
        assert isinstance(items, list)  # noqa: S101 - the judge looked
        return all(_exact(wanted, item) for wanted, item in zip(expect, items, strict=True))
    if expect.output is None or _LONG.search(expect.output) is None:
        return True
    return _same_integers(jsontext.read(expect.output), jsontext.read(str(reply["json"])))


def _same_integers(wanted: object, got: object) -> bool:
    match wanted, got:
        case dict(), dict():
            return all(_same_integers(value, got[key]) for key, value in wanted.items())
        case list(), list():
            return all(map(_same_integers, wanted, got))
        case int(), _:
            return wanted == got
        case _:
            return True


def _mended(expect: Expect | tuple[Expect, ...]) -> Expect | tuple[Expect, ...]:
    """The expectation with U+FFFD in place of each lone surrogate. Raises `JsonError` if that makes two keys equal."""
    if isinstance(expect, tuple):
        return tuple(cast("Expect", _mended(each)) for each in expect)
    return replace(
        expect,
        error=expect.error and (expect.error[0], _mended_text(expect.error[1])),
        output=expect.output and _mended_json(expect.output),
        ordered=expect.ordered and _mended_json(expect.ordered),
        unknown=expect.unknown and tuple(sorted(map(_mended_text, expect.unknown))),
    )


def _mended_answer(value: object, key: str = "") -> object:
    """An answer with U+FFFD in place of each lone surrogate."""
    match value:
        case dict():
            return {name: _mended_answer(member, name) for name, member in value.items()}
        case list() if key == "unknown":
            return sorted(_mended_answer(item) for item in value)  # type: ignore[type-var]  # texts; the judge looks
        case list():
            return [_mended_answer(item) for item in value]
        case str():
            return _mended_json(value) if key == "json" else _mended_text(value)
        case _:
            return value


def _mended_text(text: str) -> str:
    return _LONE.sub("\ufffd", text)


def _mended_json(text: str) -> str:
    mended = _mended_text(json.dumps(jsontext.read(text), ensure_ascii=False))
    jsontext.read(mended)
    return mended


_LONE = re.compile("[\ud800-\udfff]")
