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
from polywire.conformance.case import Case, Expect, Outcome
from polywire.conformance.documents import Document
from polywire.conformance.judge import judge
from polywire.conformance.minimise import minimise
from polywire.conformance.pool import TROUBLE, Difference, Pool, Responses
from polywire.conformance.protocols import Protocol

BATCH: Final = 256
"""Number of documents sent together."""

_AHEAD: Final = 3
"""Maximum number of batches sent to testees while the oldest one is evaluated."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The identity of a finding: the type, the testees that differ from the reference, and how they differ."""

    type: str
    testees: tuple[str, ...]
    difference: Difference


@dataclass(slots=True)
class Finding:
    """A disagreement: how often it occurred, and the first document that showed it."""

    key: Key
    first: Document
    count: int = 0
    smallest: Document | None = None
    """The minimised document, once it is known."""

    @property
    def alike(self) -> tuple[object, ...]:
        """A key shared by findings that usually have the same cause."""
        return self.key.testees, self.key.difference

    @property
    def document(self) -> Document:
        return self.smallest or self.first


@dataclass(slots=True)
class Tally:
    """The results of a run so far."""

    findings: dict[Key, Finding] = field(default_factory=dict)
    documents: int = 0
    streams: int = 0
    accepted: int = 0
    answers: int = 0
    disagreeing: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Documents per second."""
        return self.documents / self.seconds if self.seconds else 0.0

    def ranked(self) -> list[Finding]:
        """Return the findings: of each difference, the one with the smallest document, before the second of any."""
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
    """Send documents until there are no more or the time is over, and add the results to the tally."""
    started = time.monotonic()
    under_way: deque[tuple[list[Document], list[Case], Callable[[], Sequence[Responses]]]] = deque()
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
    responses: Callable[[], Sequence[Responses]],
    pool: Pool,
    tally: Tally,
) -> None:
    for document, case, own in zip(batch, cases, responses(), strict=True):
        tally.documents += 1
        tally.streams += case.chunks is not None
        tally.accepted += isinstance(case.expect, Expect) and case.expect.accepts
        tally.answers += len(own)
        found = pool.differences(case, own)
        tally.disagreeing += bool(found)
        for difference, names in found.items():
            key = Key(document.type, names, difference)
            tally.findings.setdefault(key, Finding(key, document)).count += 1


# --- one finding of each kind, minimised -----------------------------------------------------------------------

_MOST_TROUBLES: Final = 25
"""Maximum number of documents that may crash or hang a testee while one of them is minimised."""


def shrink(finding: Finding, pool: Pool, protocol: Protocol) -> None:
    """Minimise the document of a finding; the result makes the same testees differ in the same way."""
    troubling = finding.key.difference.kind == TROUBLE
    troubles = 0

    def shows(documents: Sequence[Document]) -> Sequence[bool]:
        nonlocal troubles
        if troubles >= _MOST_TROUBLES:
            return [False] * len(documents)
        seen = [finding.key in each.keys for each in examine(documents, pool, protocol)]
        troubles += troubling and sum(seen)
        return seen

    finding.smallest = minimise(finding.first, shows, at_once=1 if troubling else 32)


@dataclass(frozen=True, slots=True)
class Examined:
    """A document, the reference's outcomes, the testees' answers, and the findings it belongs to."""

    case: Case
    responses: Responses
    keys: frozenset[Key]


def examine(documents: Sequence[Document], pool: Pool, protocol: Protocol) -> list[Examined]:
    """Send documents to all testees and wait for the answers."""
    pool.refresh()
    cases = [document.case(protocol) for document in documents]
    responses = pool.ask(cases, [document.number for document in documents])()
    return [
        Examined(
            case,
            own,
            frozenset(Key(case.type, names, each) for each, names in pool.differences(case, own).items()),
        )
        for case, own in zip(cases, responses, strict=True)
    ]


# --- a case to keep --------------------------------------------------------------------------------------------


def fixture(key: Key, examined: Examined, pool: Pool) -> dict[str, object]:
    """Return a fixture with all outcomes of the reference, which fails for the testees that differ."""
    case = examined.case
    entry: dict[str, object] = {
        "doc": f"{' and '.join(key.testees)} and the reference disagree: {key.difference}.",
        "type": case.type,
        "mode": case.mode,
        **({"dialect": case.protocol.dialect} if case.protocol.dialect else {}),
        **_input(case),
    }
    if isinstance(case.expect, tuple):
        return entry | {"expect": {"items": [_item(item) for item in case.expect]}}
    values = Expect(tuple(replace(each, ordered=None) for each in case.expect.outcomes))
    # If a comparison by value finds no difference, the exact text has to be asserted.
    exactly = not _seen(replace(case, expect=values), examined.responses, key, pool)
    return entry | {"expect": _expected(case.expect, case.json, exactly=exactly)}


def file_name(key: Key, entry: Mapping[str, object]) -> str:
    """Return a name that describes the case and is always the same for the same case."""
    digest = hashlib.sha256(jsontext.write(entry).encode()).hexdigest()[:8]
    words = "_".join([key.type, *key.testees[:1], key.difference.kind.replace("'s", ""), digest])
    return re.sub(r"[^A-Za-z0-9_]+", "_", words) + ".json"


def text_of(entry: Mapping[str, object]) -> str:
    """Return the contents of the fixture's file."""
    return json.dumps(entry, indent=2, ensure_ascii=not jsontext.encodable(jsontext.write(entry))) + "\n"


def _input(case: Case) -> dict[str, object]:
    if case.chunks is not None:
        framing = case.protocol.model.protocol.framing
        stated = {} if framing == "ndjson" else {"framing": framing}
        limit = {} if case.limit is None else {"limit": case.limit}
        return {"stream": {"chunks": list(case.chunks), **stated, **limit}}
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
    return {"line": item.line, **_expected(item, None), **raw}


def _expected(expect: Expect, given: str | None, *, exactly: bool = False) -> dict[str, object]:
    found = [_outcome(each, given, exactly=exactly) for each in expect.outcomes]
    return found[0] if len(found) == 1 else {"any": found}


def _outcome(outcome: Outcome, given: str | None, *, exactly: bool) -> dict[str, object]:
    if outcome.error is not None:
        return {"error": {"code": outcome.error[0], "path": outcome.error[1]}}
    found: dict[str, object] = {"variant": outcome.variant}
    if exactly:
        found["text"] = outcome.output
    elif not _same(given, outcome.output):
        found["output"] = jsontext.read(str(outcome.output))
    return found | ({"unknown": list(outcome.unknown)} if outcome.unknown else {})


def _same(given: str | None, output: str | None) -> bool:
    """Return whether the output equals the input, so that the fixture can omit it."""
    try:
        return given is not None and jsontext.same(jsontext.read(given), jsontext.read(str(output)))
    except jsontext.JsonError:
        return False


def _seen(case: Case, responses: Responses, key: Key, pool: Pool) -> bool:
    """Return whether the runner sees the disagreement too: it compares numbers as doubles, and ignores order."""
    workers = {worker.name: worker for worker in pool.workers}
    return all(
        name not in responses or judge(case, responses[name].reply, workers[name].abilities).outcome == "failed"
        for name in key.testees
    )
