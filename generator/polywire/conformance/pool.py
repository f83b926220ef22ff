"""Testees run in parallel, with each answer checked against polywire's reference → which ones differ, and how.

Each testee has its own thread, so that all of them work at once while the next documents are generated. A document may
have several correct answers; testees that differ within these do not disagree. A cheap comparison comes first, which
nearly all answers pass; the runner's judge decides about the rest.
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
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeAlias, cast

from polywire.conformance import jsontext
from polywire.conformance.case import Case, Expect, Outcome
from polywire.conformance.judge import ANSWERS, Abilities, applicable, is_other_outcome, is_repaired, judge, nearest
from polywire.conformance.process import Answer, CannotRunError, Clock, Reply, Session, StartError, Trouble, Wait, wait
from polywire.conformance.protocols import Protocol
from polywire.conformance.runner import abilities_of
from polywire.conformance.testee import Testee, TesteeError, Workshop


@dataclass(frozen=True, slots=True)
class Response:
    """A testee's reply to a case and, if it accepted the case, to its own output."""

    reply: Reply
    again: Reply | None = None


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """How an answer differs from the reference: verdict, variant, code, path, value …; with both sides of it."""

    kind: str
    wanted: str = ""
    got: str = ""

    def __str__(self) -> str:
        sides = " or ".join(dict.fromkeys(text for text in (self.wanted, self.got) if text))
        return f"{self.kind} ({sides})" if sides else self.kind


Responses: TypeAlias = "Mapping[str, Response]"
"""The response of each testee that got the case, by its name."""


class Worker:
    """One testee, run in its own thread."""

    def __init__(self, testee: Testee, start: Callable[[], Session]) -> None:
        """Start the testee. Raises `CannotRunError` or `StartError`."""
        self.testee = testee
        self.name = testee.name
        self._start = start
        self._session = start()
        self.abilities = abilities_of(self.name, self._session.describe())
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._troubled = False
        self.problems: list[str] = []
        self.notes: list[str] = []

    def takes(self, case: Case, number: int) -> bool:
        """Return whether the testee gets this document."""
        return number % self.testee.every == 0 and applicable(case, self.abilities)

    def ask(self, cases: Sequence[Case]) -> Future[list[Response]]:
        """Start sending cases; return a future of the responses."""
        return self._thread.submit(self._ask, cases)

    def _ask(self, cases: Sequence[Case]) -> list[Response]:
        replies = self._session.ask([case.request() for case in cases])
        self._troubled |= any(isinstance(reply, Trouble) for reply in replies)
        responses = [Response(reply) for reply in replies]
        second = [
            (number, {"op": "decode", "type": case.type, "mode": case.mode, "json": output})
            for number, (case, reply) in enumerate(zip(cases, replies, strict=True))
            if not isinstance(reply, Trouble) and isinstance(output := reply.get("json"), str) and output != case.json
        ]
        for (number, _), again in zip(second, self._session.ask([request for _, request in second]), strict=True):
            responses[number] = Response(responses[number].reply, again)
        return responses

    def refresh(self) -> None:
        """Start a new process after trouble, and forget the trouble. Must not be called while requests are pending."""
        if self._troubled:
            self._end()
            self._session = self._start()
            self._session.describe()
            self._troubled = False

    def close(self) -> None:
        """Stop the testee, and note how it exited."""
        self._thread.shutdown(cancel_futures=True)
        try:
            self._session.close()
        except StartError as error:
            self.problems.append(str(error))
        self._end()

    def _end(self) -> None:
        self._session.kill()
        self.problems += self._session.problems
        self.notes += self._session.notes


class Pool:
    """All testees of a run."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = workers

    @property
    def problems(self) -> list[str]:
        """Problems of testees that belong to no document; complete once they are closed."""
        return list(dict.fromkeys(f"{worker.name}: {each}" for worker in self.workers for each in worker.problems))

    @property
    def notes(self) -> list[str]:
        """Notes about testees that are not problems; complete once they are closed."""
        return list(dict.fromkeys(f"{worker.name}: {each}" for worker in self.workers for each in worker.notes))

    def ask(self, cases: Sequence[Case], numbers: Sequence[int]) -> Callable[[], Sequence[Responses]]:
        """Start sending cases to all testees; the returned function waits for the responses, one mapping per case."""
        asked = []
        for worker in self.workers:
            taken = [at for at, case in enumerate(cases) if worker.takes(case, numbers[at])]
            asked.append((worker.name, taken, worker.ask([cases[at] for at in taken])))

        def responses() -> Sequence[Responses]:
            found: list[dict[str, Response]] = [{} for _ in cases]
            for name, taken, future in asked:
                for at, response in zip(taken, future.result(), strict=True):
                    found[at][name] = response
            return found

        return responses

    def refresh(self) -> None:
        """Replace processes that gave no usable answer, so that they can continue."""
        for worker in self.workers:
            worker.refresh()

    def differences(self, case: Case, responses: Responses) -> dict[Difference, tuple[str, ...]]:
        """Return each way in which responses differ from all outcomes of the reference, with the testees concerned."""
        found: dict[Difference, list[str]] = {}
        fine: set[str] = set()
        for worker in self.workers:
            response = responses.get(worker.name)
            if response is not None and (difference := _difference(case, response, worker.abilities, fine)) is not None:
                found.setdefault(difference, []).append(worker.name)
        return {difference: tuple(names) for difference, names in found.items()}


@contextmanager
def open_pool(
    testees: Sequence[Testee],
    workshop: Workshop,
    protocol: Protocol,
    *,
    folder: Path,
    patience: float,
    wait: Wait = wait,
) -> Iterator[tuple[Pool, dict[str, str]]]:
    """Start testees; yield those that run, and why others cannot. Raises `StartError`, `TesteeError`."""

    def start(testee: Testee) -> Callable[[], Session]:
        command = workshop.command(testee, protocol)
        environment = {**os.environ, **testee.environment}
        clock = Clock(patience, wait)
        return lambda: Session(command, folder=folder, clock=clock, startup=testee.startup, environment=environment)

    with ExitStack() as stack:
        workers: list[Worker] = []
        missing: dict[str, str] = {}
        for testee in testees:
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
"""The kind of difference if a testee has no usable answer: it exited, hung, or wrote something else."""

_OK: Final = "ok"


def _difference(case: Case, response: Response, abilities: Abilities, fine: set[str]) -> Difference | None:
    """Return the first difference of an answer, if any. `fine` has outputs for this case already found correct."""
    reply = response.reply
    if isinstance(reply, Trouble):
        return Difference(TROUBLE, got=reply.what) if reply.asked else None
    if "problem" in reply:
        return Difference("problem")
    if not _plainly_right(case.expect, reply, abilities, fine):
        if (found := _judged(case, reply, abilities)) is not None:
            return found
        fine.add(str(reply.get("json")))
    return _repeated(case, reply, response.again, abilities)


def _plainly_right(expect: Expect | tuple[Expect, ...], reply: Answer, abilities: Abilities, fine: set[str]) -> bool:
    """Return whether a cheap comparison suffices: nearly all answers are a reference outcome, except for spelling."""
    return isinstance(expect, Expect) and any(_plainly(each, reply, abilities, fine) for each in expect.outcomes)


def _plainly(outcome: Outcome, reply: Answer, abilities: Abilities, fine: set[str]) -> bool:
    if reply.get("ok") is not outcome.ok:
        return False
    if abilities.answers != ANSWERS:
        return abilities.answers == {"ok"}
    if outcome.error is not None:
        return (reply.get("code"), reply.get("path")) == outcome.error and bool(reply.get("message"))
    output = reply.get("json")
    return (
        reply.get("variant") == outcome.variant
        and reply.get("unknown") == list(outcome.unknown or ())
        and (output == outcome.output or _respelt(output) == outcome.output or (not abilities.sorts and output in fine))
    )


def _respelt(output: object) -> str | None:
    """Return the output as the reference would spell the same value; None if it is not one line of strict JSON."""
    if not isinstance(output, str) or "\n" in output or "\r" in output:
        return None
    try:
        return _SPELLING.encode(jsontext.read(output))
    except (jsontext.JsonError, ValueError, TypeError):
        return None


_SPELLING = json.JSONEncoder(separators=(",", ":"))


def _judged(case: Case, reply: Answer, abilities: Abilities) -> Difference | None:
    """Return the runner's verdict, tolerating the declared limits of the testee."""
    if "integers" in abilities.limits and _overflows(case, reply):
        return None
    if "surrogates" in abilities.limits and _SURROGATE.search(_source(case)):
        try:
            case = replace(case, expect=_without_surrogates(case.expect))
            reply = cast("Answer", _answer_without_surrogates(reply))
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
    """Return the difference that a problem message is about, with both sides."""
    kind = ""
    if isinstance(expect, tuple):
        items, of_item = reply.get("items"), _OF_ITEM.match(problem)
        if not isinstance(items, list) or of_item is None or len(items) != len(expect):
            return Difference("items")
        at = int(of_item[1]) - 1
        kind, problem, expect, reply = "item's ", problem[of_item.end() :], expect[at], items[at]
    word, outcome = problem.partition(" ")[0], nearest(expect, reply)
    if word == "variant":
        return Difference(kind + word, str(outcome.variant), str(reply.get("variant")))
    if word == "json":
        word = next((name for words, name in _OF_JSON.items() if words in problem), "value")
    got = _OK if reply.get("ok") is True else str(reply.get("code", "refused"))
    return Difference(kind + _KINDS.get(word, word), outcome.error[0] if outcome.error else _OK, got)


_OF_ITEM = re.compile(r"item (\d+): ")
_ORDER: Final = "order"
_OF_JSON = {"members in the order": _ORDER, "malformed": "form", "one line": "form"}
_KINDS = {"ok": "verdict"}


def _repeated(case: Case, reply: Answer, again: Reply | None, abilities: Abilities) -> Difference | None:
    """Compare the answers to an input and to the output for it, which must be the same except for repairs."""
    if again is None:
        return None
    if isinstance(again, Trouble):
        return Difference("fixed point")
    changed = {key for key in _STABLE if again.get(key) != reply.get(key)}
    output = reply.get("json")
    repaired = changed == {"unknown"} and isinstance(output, str) and is_repaired(case, output)
    if not changed or repaired or is_other_outcome(case, reply.get("variant"), again, abilities):
        return None
    return Difference("fixed point")


_STABLE = ("ok", "variant", "json", "unknown")

# --- limits of languages, and what all others must preserve -----------------------------------------------------

_LONG = re.compile(r"\d{16}")
_OVERFLOWING = re.compile(r"\d{309}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _source(case: Case) -> str:
    """Return the text of the document, accurate enough for searching."""
    if case.json is not None:
        return case.json
    return b"".join(map(base64.b64decode, case.chunks or (case.data or "",))).decode("utf-8", "replace")


def _overflows(case: Case, reply: Answer) -> bool:
    """Return whether a testee with doubles may reject an integer of the document that others keep."""
    items = reply.get("items")
    replies = [reply, *(items if isinstance(items, list) else ())]
    refused = any(isinstance(each, dict) and each.get("ok") is False for each in replies)
    return refused and _OVERFLOWING.search(_source(case)) is not None


def _in_order(expect: Expect | tuple[Expect, ...], reply: Answer) -> bool:
    """Return whether members are in order, ignoring those whose keys look like array indices."""
    if isinstance(expect, tuple):
        items = reply["items"]
        assert isinstance(items, list)  # noqa: S101 - checked by the judge
        return all(_in_order(wanted, item) for wanted, item in zip(expect, items, strict=True))
    if reply.get("ok") is not True:
        return True
    got = _without_indices(jsontext.read(str(reply["json"])))
    return any(jsontext.same_order(_without_indices(jsontext.read(output)), got) for output in _outputs(expect, reply))


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
    """Return whether integers of any length came back exactly; the runner compares them as doubles."""
    if isinstance(expect, tuple):
        items = reply["items"]
        assert isinstance(items, list)  # noqa: S101 - checked by the judge
        return all(_exact(wanted, item) for wanted, item in zip(expect, items, strict=True))
    if reply.get("ok") is not True:
        return True
    return any(
        _LONG.search(output) is None or _same_integers(jsontext.read(output), jsontext.read(str(reply["json"])))
        for output in _outputs(expect, reply)
    )


def _outputs(expect: Expect, reply: Answer) -> Iterator[str]:
    """Yield the outputs of the outcomes that have the same value as the actual one."""
    got = jsontext.read(str(reply["json"]))
    for outcome in expect.outcomes:
        if outcome.output is not None and jsontext.same(jsontext.read(outcome.output), got):
            yield outcome.output


def _same_integers(wanted: object, got: object) -> bool:
    match wanted, got:
        case dict(), dict():
            return all(_same_integers(value, got[key]) for key, value in wanted.items())
        case list(), list():
            return all(map(_same_integers, wanted, got))
        case int() | Decimal(), _:
            return wanted == got
        case _:
            return True


def _without_surrogates(expect: Expect | tuple[Expect, ...]) -> Expect | tuple[Expect, ...]:
    """Replace lone surrogates in the expectation by U+FFFD. Raises `JsonError` if that makes two keys equal."""
    if isinstance(expect, tuple):
        return tuple(cast("Expect", _without_surrogates(each)) for each in expect)
    outcomes = [
        replace(
            each,
            error=each.error and (each.error[0], _replaced(each.error[1])),
            output=each.output and _replaced_in_json(each.output),
            ordered=each.ordered and _replaced_in_json(each.ordered),
            unknown=each.unknown and tuple(sorted(map(_replaced, each.unknown))),
        )
        for each in expect.outcomes
    ]
    return replace(expect, outcomes=tuple(outcomes))


def _answer_without_surrogates(value: object, key: str = "") -> object:
    """Replace lone surrogates in an answer by U+FFFD."""
    match value:
        case dict():
            return {name: _answer_without_surrogates(member, name) for name, member in value.items()}
        case list() if key == "unknown":
            return sorted(_answer_without_surrogates(item) for item in value)  # type: ignore[type-var]  # texts; the judge looks
        case list():
            return [_answer_without_surrogates(item) for item in value]
        case str():
            return _replaced_in_json(value) if key == "json" else _replaced(value)
        case _:
            return value


def _replaced(text: str) -> str:
    return _LONE.sub("\ufffd", text)


def _replaced_in_json(text: str) -> str:
    replaced = _replaced(json.dumps(jsontext.read(text), ensure_ascii=False))
    jsontext.read(replaced)
    return replaced


_LONE = re.compile("[\ud800-\udfff]")
