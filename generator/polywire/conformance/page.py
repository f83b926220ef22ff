"""The results of each testee → one self-contained page: no network, no other file.

Texts of cases and testees are treated as hostile. The template sanitises and escapes them, the script gets them as data
and inserts them only as text, and the page's content security policy allows no other script, style or source.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeAlias

import jinja2
from markupsafe import Markup

from polywire import __version__
from polywire.conformance import report
from polywire.conformance.case import Case
from polywire.conformance.difference import compact, difference, expected, got, tame
from polywire.conformance.judge import ANSWERS, Verdict
from polywire.conformance.process import Answer
from polywire.conformance.protocols import Protocol
from polywire.conformance.report import Run
from polywire.conformance.runner import Result

MOST = 2000
"""Maximum number of failures in the page; beyond it, each cell gets its share, and at least one."""

_MOST_OF_CELL = 20
_LONGEST = 4000
_FEW = 300
_HERE = Path(__file__).resolve().parent / "html"

_Data: TypeAlias = "dict[str, object]"


@dataclass(slots=True)
class _Row:
    """A rule: a fixture file, a family of derived cases, or a capture; with the indices of its cases."""

    number: int
    name: str
    doc: str | None
    numbers: list[int] = field(default_factory=list)


def write(file: Path, run: Run, protocol: Protocol) -> None:
    """Write the page of a run whose cases are mostly of the protocol."""
    file.write_text(page(run, protocol), encoding="utf-8")


def page(run: Run, protocol: Protocol) -> str:
    """Return the page as text."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_tame,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    results, sections = run.results, _sections(run.cases)
    passed, failed, skipped = report.totals(results)
    about = protocol.model.protocol
    return environment.get_template("page.html").render(
        version=__version__,
        protocol=about.name,
        protocol_version=about.version,
        dialect=protocol.dialect,
        cases=len(run.cases),
        passed=passed,
        failed=failed,
        skipped=skipped,
        seconds=run.seconds,
        failing=sum(result.count("failed") > 0 for result in results),
        ran=sum(result.cannot_run is None for result in results),
        unreached=len(run.unreached),
        testees=[_testee(run.cases, result) for result in results],
        sections=[_section(name, rows, results) for name, rows in _failures_first(sections, results)],
        coverage=[{**found.as_json(), "due": found.protocol == run.whole} for found in run.coverage],
        unknown=report.unknown(run),
        data=_failures(run.cases, results, [row for rows in sections.values() for row in rows]),
        **_assets(),
    )


@cache
def _assets() -> dict[str, Markup]:
    """Return the style and the script with their hashes for the page's content security policy."""
    found: dict[str, Markup] = {}
    for name, file in (("style", "page.css"), ("script", "page.js")):
        text = (_HERE / file).read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        # Both are our own files, and neither closes its element.
        found |= {name: Markup(text), f"{name}_hash": Markup(f"sha256-{digest}")}  # noqa: S704 - see above
    return found


def _tame(value: object) -> object:
    return tame(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_JOINTS = re.compile(r"(?<=[-/_:])(?=[^-/_:])")


def _breakable(text: str) -> Markup:
    """Allow line breaks in a name after its separators, so that it rarely breaks elsewhere in a narrow column."""
    return Markup("<wbr>").join(_JOINTS.split(tame(text)))


# --- rows and cells --------------------------------------------------------------------------------------------


def _place(case: Case) -> tuple[str, str]:
    """Return the group and the rule in it under which a case is shown."""
    match case.kind:
        case "derived":
            group, _, family = case.group.partition(": ")
            return group, family
        case "captured":
            return "captures", case.group
        case _:
            name, _, number = case.name.rpartition("#")
            file = name if number.isdecimal() and name else case.name
            return case.group, file.removeprefix(f"{case.group}/")


def _sections(cases: Sequence[Case]) -> dict[str, list[_Row]]:
    """Return the rules by group."""
    rows: dict[tuple[str, str], _Row] = {}
    sections: dict[str, list[_Row]] = {}
    for number, case in enumerate(cases):
        place = _place(case)
        if place not in rows:
            rows[place] = _Row(len(rows), place[1], case.doc)
            sections.setdefault(place[0], []).append(rows[place])
        rows[place].numbers.append(number)
        if case.doc != rows[place].doc:
            rows[place].doc = None
    return sections


def _failures_first(sections: dict[str, list[_Row]], results: Sequence[Result]) -> list[tuple[str, list[_Row]]]:
    """Return the groups and their rules; those with failures come first, otherwise the order is kept."""
    failed = {number for result in results for number, v in enumerate(result.verdicts) if v.outcome == "failed"}

    def sound(row: _Row) -> bool:
        return failed.isdisjoint(row.numbers)

    ordered = [(name, sorted(rows, key=sound)) for name, rows in sections.items()]
    return sorted(ordered, key=lambda section: all(map(sound, section[1])))


def _section(name: str, rows: Sequence[_Row], results: Sequence[Result]) -> _Data:
    cells = [[_counts(result, row.numbers) for result in results] for row in rows]
    whole = [sum(column, Counter[str]()) for column in zip(*cells, strict=True)]
    return {
        "name": name,
        "cases": sum(len(row.numbers) for row in rows),
        "cells": whole,
        "rows": [
            {
                "number": row.number,
                "name": row.name,
                "doc": row.doc,
                "cases": len(row.numbers),
                "failed": any(counts["failed"] for counts in found),
                "cells": found,
            }
            for row, found in zip(rows, cells, strict=True)
        ],
    }


def _counts(result: Result, numbers: Iterable[int]) -> Counter[str]:
    if result.cannot_run is not None:
        return Counter()
    return Counter(result.verdicts[number].outcome for number in numbers)


def _testee(cases: Sequence[Case], result: Result) -> _Data:
    description = result.abilities
    return {
        "name": result.testee,
        "language": description.language if description else "",
        "version": description.version if description else "",
        "unclaimed": description.unclaimed if description else (),
        "cannot_run": result.cannot_run,
        "problems": result.problems,
        "notes": result.notes,
        "passed": result.count("passed"),
        "failed": result.count("failed"),
        "skipped": result.count("skipped"),
        "seconds": result.seconds,
        "rate": report.column(cases, result).rate,
    }


# --- failures --------------------------------------------------------------------------------------------------


def _failures(cases: Sequence[Case], results: Sequence[Result], rows: Sequence[_Row]) -> _Data:
    """Return the data of the script: the failed cases, and their results by cell."""
    cells = {
        f"f{row.number}-{column}": (result, [n for n in row.numbers if result.verdicts[n].outcome == "failed"])
        for row in rows
        for column, result in enumerate(results)
    }
    cells = {cell: (result, numbers) for cell, (result, numbers) in cells.items() if numbers}
    most = max(1, min(_MOST_OF_CELL, MOST // len(cells))) if cells else 0
    shown: dict[int, int] = {}
    for _, numbers in cells.values():
        for number in numbers[:most]:
            shown.setdefault(number, len(shown))
    return {
        "testees": [tame(result.testee) for result in results],
        "cases": [_case(cases[number]) for number in shown],
        "failures": {
            cell: {
                "list": [{"case": shown[n], **_failure(result.verdicts[n], result)} for n in numbers[:most]],
                "more": len(numbers) - len(numbers[:most]),
            }
            for cell, (result, numbers) in cells.items()
        },
    }


def _case(case: Case) -> dict[str, str]:
    return {
        "name": tame(case.name),
        "type": case.type,
        "mode": case.mode,
        "doc": tame(case.doc or ""),
        "input": _cut(case.shown),
    }


def _failure(verdict: Verdict, result: Result) -> _Data:
    """Return one failure: its problems, both documents as pairs, and their difference line by line."""
    answers = result.abilities.answers if result.abilities else ANSWERS
    wanted, reply = verdict.wanted, verdict.reply
    if wanted is None or reply is None:
        return {
            "problems": [_cut(problem, _FEW) for problem in verdict.problems],
            "expected": [],
            "got": [],
            "difference": [],
        }
    came = got(reply)
    lines = [] if "ok" not in came else difference(wanted, reply, answers)
    return {
        "problems": [_cut(problem, _FEW) for problem in verdict.problems],
        "expected": _pairs(expected(wanted, answers)),
        "got": _pairs(came),
        "difference": [[mark, depth, _cut(text)] for mark, depth, text in lines],
    }


def _pairs(answer: Answer) -> list[tuple[str, str]]:
    """Return the members of an answer for people; each item of a stream separately."""
    found: list[tuple[str, str]] = []
    for key, value in answer.items():
        if key == "items" and isinstance(value, list):
            found += [(f"item {number}", _cut(compact(item))) for number, item in enumerate(value, 1)]
        else:
            found.append((tame(key), _cut(value if isinstance(value, str) else compact(value))))
    return found


def _cut(text: str, most: int = _LONGEST) -> str:
    return tame(text) if len(text) <= most else f"{tame(text[:most])} … ({len(text):,} characters)"
