"""Every written and captured case lists exactly the outcomes that the reference implementation admits."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest

from corpora import CAPTURES, FIXTURES, captured, written
from polywire.conformance import jsontext
from polywire.conformance.case import DEFAULTS, Case, Expect, Outcome
from polywire.conformance.documents import admitted
from polywire.conformance.judge import Abilities, compare
from polywire.conformance.process import Answer
from polywire.conformance.script import Script
from polywire.oracle import reference
from toolchain import ROOT

REFERENCE = Abilities("reference")
FOLDERS = sorted(
    {
        path.parent
        for top in (FIXTURES, CAPTURES)
        for path in top.rglob("*")
        if path.suffix in {".json", ".ndjson"} and path.name != DEFAULTS
    }
)
"""The folders of cases; the cases themselves take long to load."""


@cache
def groups() -> dict[str, list[Case]]:
    """The cases of the fixtures and the captures, by group."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in (*written(), *captured()):
        found[case.group].append(case)
    return found


def answer(outcome: Outcome) -> Answer:
    """Convert an outcome of the reference to a testee's answer."""
    if outcome.error is not None:
        return {"ok": False, "code": outcome.error[0], "path": outcome.error[1], "message": "it is wrong"}
    return {"ok": True, "variant": outcome.variant, "json": outcome.output, "unknown": list(outcome.unknown or ())}


def mismatches(expect: Expect, outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    """Yield the outcomes that are listed but not admitted, or admitted but not listed."""
    answers = [answer(each) for each in outcomes]
    for listed in expect.outcomes:
        if all(compare(Expect((listed,)), each, REFERENCE) for each in answers):
            yield f"listed, but not admitted: {listed}"
    for each in answers:
        if compare(Expect(expect.outcomes), each, REFERENCE):
            yield f"admitted, but not listed: {each}"


def problems(case: Case) -> Iterator[str]:
    """Yield the differences between a case and the reference."""
    strict = case.mode == "strict"
    if case.tree is not None:
        return  # loading compares it with the reference
    if case.script is not None:
        yield from lines_that_are_no_messages(case, case.script)
        return
    if isinstance(case.expect, Expect):
        data = case.json if case.json is not None else base64.b64decode(case.data or "")
        found = reference.outcomes(case.protocol.model, case.type, data, strict=strict)
        yield from mismatches(case.expect, admitted(found))
        return
    data = b"".join(map(base64.b64decode, case.chunks or ()))
    limit = reference.LIMIT if case.limit is None else case.limit
    items = list(reference.read(case.protocol.model, case.type, data, strict=strict, limit=limit))
    if case.only:
        if len(items) != len(case.expect) + case.skipped:
            yield f"{len(items)} lines, of which {case.skipped} are skipped and {len(case.expect)} given"
        items = [item for item in items if item.line in {expect.line for expect in case.expect}]
    if [item.line for item in items] != [expect.line for expect in case.expect]:
        yield f"items of lines {[item.line for item in items]}"
        return
    for item, expect in zip(items, case.expect, strict=True):
        yield from mismatches(expect, admitted(item.outcomes))
        if expect.raw is not None and base64.b64decode(expect.raw) != item.raw:
            yield f"line {item.line}: raw is {item.raw!r}"


def lines_that_are_no_messages(case: Case, script: Script) -> Iterator[str]:
    """Yield lines that are not valid messages: received ones in lenient mode, sent ones in strict mode."""
    for number, step in enumerate(script.steps, 1):
        for line, strict in ((step.asked.get("receive"), False), (step.result.get("sent"), True)):
            if line is not None:
                text = jsontext.write(line)
                found = reference.outcomes(case.protocol.model, case.type, text, strict=strict)
                if found.faults or len(found.accepted) != 1:
                    yield f"step {number}: {text}"


def test_every_folder_is_a_group() -> None:
    assert groups().keys() == {folder.relative_to(ROOT).as_posix() for folder in FOLDERS}


@pytest.mark.parametrize("group", [folder.relative_to(ROOT).as_posix() for folder in FOLDERS])
def test_a_case_lists_what_the_reference_admits(group: str) -> None:
    found = {case.name: list(problems(case)) for case in groups()[group]}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_only_documents_with_several_faults_or_duplicates_have_several_outcomes() -> None:
    several = {
        case.group.rpartition("/")[2]
        for case in written()
        if isinstance(case.expect, Expect) and len(case.expect.outcomes) > 1
    }
    assert {"precedence", "duplicates"} <= several
    assert not several & {"variants", "presence", "formats", "traffic", "envelopes"}
