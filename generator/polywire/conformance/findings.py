"""Documents sent to all testees → findings: each kind of disagreement once, minimised, and as a case to keep."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from polywire.conformance import jsontext
from polywire.conformance.case import Case, Expect
from polywire.conformance.documents import Document
from polywire.conformance.judge import judge
from polywire.conformance.minimise import minimise
from polywire.conformance.pool import TROUBLE, Answers, Difference, Pool
from polywire.conformance.protocols import Protocol

BATCH: Final = 256
"""Documents that are asked together."""

_AHEAD: Final = 3
"""Batches that testees may have before them while the oldest is looked at."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What makes two disagreements one finding: the type, who differs from the reference, and in what."""

    type: str
    testees: tuple[str, ...]
    difference: Difference


@dataclass(slots=True)
class Finding:
    """A disagreement: how often it was met, and the first document that showed it."""

    key: Key
    first: Document
    count: int = 0
    smallest: Document | None = None
    """The minimised document, once that is done."""

    @property
    def alike(self) -> tuple[object, ...]:
        """What it has in common with findings that have the same cause, as a rule."""
        return self.key.testees, self.key.difference

    @property
    def document(self) -> Document:
        return self.smallest or self.first


@dataclass(slots=True)
class Tally:
    """What a run has come to so far."""

    findings: dict[Key, Finding] = field(default_factory=dict)
    documents: int = 0
    streams: int = 0
    accepted: int = 0
    answers: int = 0
    disagreeing: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Documents a second."""
        return self.documents / self.seconds if self.seconds else 0.0

    def ranked(self) -> list[Finding]:
        """The findings, one of each difference before the second of any: that of the smallest document first."""
        totals, ranks = Counter[object](), Counter[object]()
        for each in self.findings.values():
            totals[each.alike] += each.count
        ranked = []
        for each in sorted(self.findings.values(), key=lambda each: (each.first.size, each.key)):
            ranked.append((ranks[each.alike], -totals[each.alike], each.key, each))
            ranks[each.alike] += 1
        return [each for *_, each in sorted(ranked, key=lambda row: row[:-1])]


def search(
    documents: Iterator[Document],
    pool: Pool,
    protocol: Protocol,
    tally: Tally,
    *,
    seconds: float | None = None,
    progress: Callable[[Tally], None] = lambda _: None,
) -> None:
    """Sends documents until there are no more or the time is over, and enters what comes of them into the tally."""
    started = time.monotonic()
    under_way: deque[tuple[list[Document], list[Case], Callable[[], Sequence[Answers]]]] = deque()
    while True:
        late = seconds is not None and time.monotonic() - started >= seconds
        batch = [] if late else list(islice(documents, BATCH))
        if batch:
            cases = [document.case(protocol) for document in batch]
            under_way.append((batch, cases, pool.ask(cases, [document.number for document in batch])))
        if len(under_way) > _AHEAD or (under_way and not batch):
            _enter(*under_way.popleft(), pool, tally)
            tally.seconds = time.monotonic() - started
            progress(tally)
        elif not batch:
            return


def _enter(
    batch: Sequence[Document],
    cases: Sequence[Case],
    answers: Callable[[], Sequence[Answers]],
    pool: Pool,
    tally: Tally,
) -> None:
    for document, case, told in zip(batch, cases, answers(), strict=True):
        tally.documents += 1
        tally.streams += case.chunks is not None
        tally.accepted += isinstance(case.expect, Expect) and case.expect.ok
        tally.answers += len(told)
        found = pool.differences(case, told)
        tally.disagreeing += bool(found)
        for difference, names in found.items():
            key = Key(document.type, names, difference)
            tally.findings.setdefault(key, Finding(key, document)).count += 1


# --- one of each, as small as it gets --------------------------------------------------------------------------

_MOST_DEATHS: Final = 25
"""Documents by which a testee may be killed while one that kills it is minimised."""


def shrink(finding: Finding, pool: Pool, protocol: Protocol) -> None:
    """Minimises the document of a finding; it still makes the same testees differ in the same."""
    deadly = finding.key.difference.kind == TROUBLE
    deaths = 0

    def shows(documents: Sequence[Document]) -> Sequence[bool]:
        nonlocal deaths
        if deaths >= _MOST_DEATHS:
            return [False] * len(documents)
        seen = [finding.key in each.keys for each in examine(documents, pool, protocol)]
        deaths += deadly and sum(seen)
        return seen

    finding.smallest = minimise(finding.first, shows, at_once=1 if deadly else 32)


@dataclass(frozen=True, slots=True)
class Examined:
    """A document, what the reference makes of it, what the testees say, and the findings it belongs to."""

    case: Case
    answers: Answers
    keys: frozenset[Key]


def examine(documents: Sequence[Document], pool: Pool, protocol: Protocol) -> list[Examined]:
    """Asks all testees, and waits."""
    pool.refresh()
    cases = [document.case(protocol) for document in documents]
    answers = pool.ask(cases, [document.number for document in documents])()
    return [
        Examined(
            case,
            told,
            frozenset(Key(case.type, names, each) for each, names in pool.differences(case, told).items()),
        )
        for case, told in zip(cases, answers, strict=True)
    ]


# --- a case to keep --------------------------------------------------------------------------------------------


def fixture(key: Key, examined: Examined, pool: Pool) -> dict[str, object]:
    """A fixture with what the reference says, made so that it fails for the testees that say something else."""
    case = examined.case
    entry: dict[str, object] = {
        "doc": f"{' and '.join(key.testees)} and the reference disagree: {key.difference}.",
        "type": case.type,
        "mode": case.mode,
        **_input(case),
    }
    if isinstance(case.expect, tuple):
        return entry | {"expect": {"items": [_item(item) for item in case.expect]}}
    expected = _outcome(case.expect, case.json)
    if case.expect.ok and not _told(
        replace(case, expect=replace(case.expect, ordered=None)), examined.answers, key, pool
    ):
        # What is compared as values comes out the same, so that the very text has to be asserted.
        expected = {k: v for k, v in expected.items() if k != "output"} | {"text": case.expect.output}
    return entry | {"expect": expected}


def file_name(key: Key, entry: Mapping[str, object]) -> str:
    """A name that says what the case is about, and is the same for the same case."""
    digest = hashlib.sha256(jsontext.write(entry).encode()).hexdigest()[:8]
    words = "_".join([key.type, *key.testees[:1], key.difference.kind.replace("'s", ""), digest])
    return re.sub(r"[^A-Za-z0-9_]+", "_", words) + ".json"


def text_of(entry: Mapping[str, object]) -> str:
    """The fixture as a file."""
    return json.dumps(entry, indent=2, ensure_ascii=not jsontext.encodable(jsontext.write(entry))) + "\n"


def _input(case: Case) -> dict[str, object]:
    if case.chunks is not None:
        return {"stream": {"chunks": list(case.chunks), **({} if case.limit is None else {"limit": case.limit})}}
    if case.json is None:
        return {"bytes": case.data}
    try:
        value = jsontext.read(case.json)
        if jsontext.write(value) == case.json:
            return {"input": value}
    except jsontext.JsonError:
        pass
    return {"raw": case.json}


def _item(item: Expect) -> dict[str, object]:
    raw = {} if item.raw is None else {"raw": item.raw}
    return {"line": item.line, **_outcome(item, None), **raw}


def _outcome(expect: Expect, given: str | None) -> dict[str, object]:
    if expect.error is not None:
        return {"error": {"code": expect.error[0], "path": expect.error[1]}}
    found: dict[str, object] = {"variant": expect.variant}
    if not _same(given, expect.output):
        found["output"] = jsontext.read(str(expect.output))
    return found | ({"unknown": list(expect.unknown)} if expect.unknown else {})


def _same(given: str | None, output: str | None) -> bool:
    """Whether the input can stand for the output."""
    try:
        return given is not None and jsontext.same(jsontext.read(given), jsontext.read(str(output)))
    except jsontext.JsonError:
        return False


def _told(case: Case, answers: Answers, key: Key, pool: Pool) -> bool:
    """Whether the runner, which compares numbers as doubles, and no order of a fixture, sees the disagreement too."""
    workers = {worker.name: worker for worker in pool.workers}
    return all(
        name not in answers or judge(case, answers[name].reply, workers[name].abilities).outcome == "failed"
        for name in key.testees
    )
