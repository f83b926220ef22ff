"""Findings and a table of `polywire.toml` → the findings that count, and errors in the table.

`[lint]` and `[breaking]` have the same form: a severity for each rule, individual findings to ignore, and a baseline,
which lists the findings that existed when it was written.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from polywire.ground.finding import Finding, Severity
from polywire.ground.parsing import ParseError, json_value
from polywire.ground.words import counted

Grade: TypeAlias = Literal["off", "note", "warning", "error"]
"""The severity of a rule; `off` drops its findings."""

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Ignore:
    """One `ignore` entry: the findings of a rule at a place, and anywhere below it, do not count."""

    rule: str
    at: str
    reason: str
    until: dt.date | None = None
    """The last day on which the entry applies."""
    index: int = 0
    """The entry's position in the list."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of one table."""

    severity: Mapping[str, Grade] = field(default_factory=dict)
    ignore: tuple[Ignore, ...] = ()
    baseline: Path | None = None


@dataclass(frozen=True, slots=True)
class Subject(Generic[F]):
    """A finding of any kind, as a policy sees it."""

    finding: F
    rule: str
    severity: Severity
    file: str
    at: str
    """What it is about, with dots between the parts."""
    is_firm: bool = False
    """Whether it counts regardless of the policy."""

    def is_at(self, place: str) -> bool:
        """Return whether it is in a file, or at a place or below it."""
        return place == self.file or self.at == place or self.at.startswith(f"{place}.")


@dataclass(frozen=True, slots=True)
class Verdict(Generic[F]):
    """The findings that remain after applying a policy."""

    counted: tuple[tuple[F, Severity], ...]
    """The findings that count, each with its severity."""
    known: int
    """The number of findings that are in the baseline."""
    unused: tuple[Ignore, ...]
    """The entries that match no finding."""
    expired: tuple[Ignore, ...]
    """The expired entries that would match a finding."""
    gone: int
    """The number of findings in the baseline that no longer occur."""


def apply(policy: Policy, subjects: Iterable[Subject[F]], today: dt.date | None = None) -> Verdict[F]:
    """Apply a policy. If `today` is None, the current day is used. Raises `BaselineError`."""
    day = today or dt.datetime.now(dt.timezone.utc).date()
    known = Counter[tuple[str, str]]() if policy.baseline is None else read_baseline(policy.baseline)
    listed = known.total()
    used: set[Ignore] = set()
    left: list[tuple[F, Severity]] = []
    for subject in subjects:
        if subject.is_firm:
            left.append((subject.finding, subject.severity))
            continue
        severity = policy.severity.get(subject.rule, subject.severity)
        entries = [each for each in policy.ignore if each.rule == subject.rule and subject.is_at(each.at)]
        used.update(entries)
        if severity == "off" or any(each.until is None or day <= each.until for each in entries):
            continue
        if known[subject.rule, subject.at] > 0:
            known[subject.rule, subject.at] -= 1
            continue
        left.append((subject.finding, severity))
    return Verdict(
        counted=tuple(left),
        known=listed - known.total(),
        unused=tuple(each for each in policy.ignore if each not in used),
        expired=tuple(each for each in policy.ignore if each in used and each.until is not None and day > each.until),
        gone=known.total(),
    )


# --- the baseline ----------------------------------------------------------------------------------------------


class BaselineError(Exception):
    """A baseline that cannot be used; the message says why and what to do."""


def read_baseline(file: Path) -> Counter[tuple[str, str]]:
    """Return the rule and place of each finding in a baseline. Raises `BaselineError`."""
    try:
        document: Any = json_value(file.read_bytes())
        return Counter((str(entry["rule"]), str(entry["at"])) for entry in document["findings"])
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
    except (ParseError, TypeError, KeyError):
        problem = "it is not a list of findings as polywire writes it"
    raise BaselineError(f"the baseline {file} cannot be read: {problem}; --write-baseline writes it anew")


def baseline_text(subjects: Iterable[Subject[Any]]) -> str:
    """Return a baseline that lists these findings: UTF-8 JSON, sorted, so that its diffs are readable."""
    listed = sorted((each.rule, each.at) for each in subjects)
    findings = [{"rule": rule, "at": at} for rule, at in listed]
    return json.dumps({"findings": findings}, indent=2, ensure_ascii=False) + "\n"


def complaints(
    verdict: Verdict[Any], finding: Callable[[str, Ignore, str, str | None], Finding], *, whole: bool
) -> list[Finding]:
    """Return findings about the entries themselves. Unused ones are only known if all was checked (`whole`)."""
    found = [
        finding(
            "expired-ignore", each, f"held until {each.until}, and `{each.rule}` is still found at `{each.at}`", None
        )
        for each in verdict.expired
    ]
    if whole:
        found += [
            finding("unused-ignore", each, f"`{each.rule}` is not found at `{each.at}`", "remove the entry")
            for each in verdict.unused
        ]
    return found


def summary(verdict: Verdict[Any], *, whole: bool) -> str:
    """Summarise the effect of a baseline in one line; empty without a baseline."""
    parts = [f"{counted(verdict.known, 'finding')} of the baseline left out"] * bool(verdict.known)
    if whole and verdict.gone:
        parts.append(f"{counted(verdict.gone, 'finding')} of it no longer there: --write-baseline removes them")
    return "; ".join(parts)
