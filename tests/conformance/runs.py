"""Builds the `Run` of given cases and replies for tests of reports, without starting a testee."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polywire.conformance.case import Case, load
from polywire.conformance.judge import NOT_APPLICABLE, Abilities, Verdict, judge
from polywire.conformance.process import Reply
from polywire.conformance.protocols import Protocols
from polywire.conformance.report import Run
from polywire.conformance.runner import Result

PARCEL = Path(__file__).resolve().parent.parent / "specs" / "parcel"
PROTOCOLS = Protocols(PARCEL)


def right(case: Case) -> Reply:
    """Build the answer to a case that expects its own value as output."""
    return {"id": 0, "ok": True, "variant": case.type, "json": case.json, "unknown": []}


def cases(folder: Path, groups: Mapping[str, Mapping[str, Any]]) -> list[Case]:
    """Write fixtures, given by group and name, to a folder, and load them."""
    for group, files in groups.items():
        (folder / group).mkdir(parents=True, exist_ok=True)
        for name, entries in files.items():
            (folder / group / f"{name}.json").write_text(json.dumps(entries))
    return load([folder], PROTOCOLS, root=folder.resolve())


def result(found: Sequence[Case], abilities: Abilities, replies: Mapping[int, Reply | None]) -> Result:
    """Judge the replies to the cases by index; missing ones are right answers, and None means not applicable."""

    def verdict(number: int, case: Case) -> Verdict:
        reply = replies.get(number, right(case)) if number in replies else right(case)
        return NOT_APPLICABLE if reply is None else judge(case, reply, abilities)

    verdicts = tuple(verdict(number, case) for number, case in enumerate(found))
    return Result(abilities.name, verdicts, abilities=abilities, seconds=2.0)


def run(found: Sequence[Case], *results: Result, **more: Any) -> Run:
    return Run(found, results, seconds=4.0, **more)
