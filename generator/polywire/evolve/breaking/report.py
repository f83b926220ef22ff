"""Findings → text for people, JSON for programs, GitHub workflow commands, Markdown tables, or a report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from polywire.checks import report as checks
from polywire.checks.report import Report
from polywire.checks.text import visible
from polywire.evolve.breaking.published import published
from polywire.evolve.breaking.records import CATEGORIES, Finding
from polywire.evolve.diff.report import Spec, code, prose
from polywire.ground.finding import Finding as ApiItem
from polywire.ground.location import SourceLocation
from polywire.ground.words import counted

Format: TypeAlias = Literal["text", "json", "github", "markdown", "report"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The breaks of a change from one spec to another."""

    before: Spec
    after: Spec
    findings: tuple[Finding, ...]
    allowed: bool = False
    """Whether breaks are allowed once the major version of the packages has increased."""

    @property
    def breaks(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.rule.severity == "error")

    @property
    def moved(self) -> bool:
        """Whether the version increased enough to allow breaks."""
        return is_major(self.before.model.protocol.package_version, self.after.model.protocol.package_version)

    @property
    def failed(self) -> bool:
        return bool(self.breaks) and not (self.allowed and self.moved)

    def render(self, form: Format = "text", *, colour: bool = False) -> str:
        r"""Render it in one of the forms; each line ends in `\n`. `colour` is for text only."""
        return _FORMATS[form](self, colour)


def is_major(before: str, after: str) -> bool:
    """Return whether the first version number that was not 0 increased, as package managers define it.

    1.4.0 → 2.0.0 is such a step, and so are 0.2.33 → 0.3.0 and 0.0.1 → 0.0.2.
    """
    old, new = ([int(number) for number in re.findall(r"[0-9]+", version)[:3]] for version in (before, after))
    depth = next((at for at, number in enumerate(old, 1) if number), len(old))
    return new[:depth] > old[:depth]


# --- text and GitHub -------------------------------------------------------------------------------------------


def _text(outcome: Outcome, colour: bool) -> str:
    return _report(outcome).render("text", colour=colour) + f"{_summary(outcome)}\n"


def _github(outcome: Outcome, colour: bool) -> str:
    return checks.render(_report(outcome), "github", colour=colour) + f"{_summary(outcome)}\n"


def _report(outcome: Outcome) -> Report:
    """Convert the findings to a report of a check, which knows how to render them."""
    after = outcome.after
    return Report(after.folder, tuple(_shown(outcome, each) for each in outcome.findings), after.model, after.texts)


def _shown(outcome: Outcome, finding: Finding) -> ApiItem:
    rule = finding.rule
    text = f"{rule.category}: {finding.message}{_lent(finding)}; {_was(outcome, finding)}"
    also = tuple(f"{each.rule.id}, {each.rule.category}: {each.message}" for each in finding.consequences)
    return ApiItem(rule.id, rule.severity, finding.place, text, rule.advice, also)


def _lent(finding: Finding) -> str:
    return f" (in {', '.join(finding.types)})" if finding.types else ""


def _was(outcome: Outcome, finding: Finding) -> str:
    """Return the old text and its location."""
    before = finding.before
    text = "" if before.text is None else f"`{before.text}` "
    return f"before: {text}at {_at(outcome.before, before.place)}"


def _at(spec: Spec, place: SourceLocation) -> str:
    return f"{spec.path(place)}:{place.line}:{place.column}" if place.file else spec.folder.as_posix()


def _summary(outcome: Outcome) -> str:
    before, after = outcome.before, outcome.after
    found, notes = len(outcome.breaks), len(outcome.findings) - len(outcome.breaks)
    counts = ", ".join(
        [counted(found, "break") if found else "nothing breaks", *([counted(notes, "note")] * bool(notes))]
    )
    versions = f"{before.model.protocol.package_version} → {after.model.protocol.package_version}"
    if not (found and outcome.allowed):
        rest = ""
    elif outcome.moved:
        rest = f"; allowed, because the major version of the packages was raised ({versions})"
    else:
        rest = f"; not allowed, because the major version of the packages was not raised ({versions})"
    return visible(f"{before.label} → {after.label}: {counts}{rest}")


# --- JSON ------------------------------------------------------------------------------------------------------


def _json(outcome: Outcome, colour: bool) -> str:  # noqa: ARG001 - all forms have the same signature
    before, after = outcome.before, outcome.after
    document = {
        "before": before.about,
        "after": after.about,
        "major": outcome.moved,
        "failed": outcome.failed,
        "findings": [_finding_json(outcome, finding) for finding in outcome.findings],
    }
    return json.dumps(document, indent=2) + "\n"


def _finding_json(outcome: Outcome, finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule.id,
        "category": finding.rule.category,
        "severity": finding.rule.severity,
        "subject": finding.subject,
        "at": finding.at,
        "message": finding.message,
        "advice": finding.rule.advice,
        **outcome.after.at(finding.place),
        "types": list(finding.types),
        "languages": list(finding.languages),
        "directions": [asdict(direction) for direction in finding.directions],
        "before": {"text": finding.before.text, **outcome.before.at(finding.before.place)},
        "consequences": [_finding_json(outcome, each) for each in finding.consequences],
    }


# --- Markdown --------------------------------------------------------------------------------------------------


def _markdown(outcome: Outcome, colour: bool) -> str:  # noqa: ARG001 - all forms have the same signature
    if not outcome.findings:
        return f"{prose(_summary(outcome))}\n"
    ordered = sorted(outcome.findings, key=lambda each: (each.rule.severity, [*CATEGORIES].index(each.rule.category)))
    sections = (
        f"\n**{counted(len(found), 'note') if severity == 'note' else category}**: "
        f"{'nothing is misread' if severity == 'note' else CATEGORIES[category].rstrip('.')}.\n\n"
        "| what | rule | where | before |\n|---|---|---|---|\n" + "".join(_row(outcome, finding) for finding in found)
        for (severity, category), found in (
            (key, [*group])
            for key, group in groupby(ordered, key=lambda each: (each.rule.severity, each.rule.category))
        )
    )
    return f"{prose(_summary(outcome))}\n{''.join(sections)}"


def _row(outcome: Outcome, finding: Finding) -> str:
    place = code(_at(outcome.after, finding.place))
    before = code(finding.before.text) if finding.before.text else code(_at(outcome.before, finding.before.place))
    follows = "".join(f"; also {each.message}" for each in finding.consequences)
    return f"| {marked(finding.message + _lent(finding) + follows)} | `{finding.rule.id}` | {place} | {before} |\n"


def marked(message: str) -> str:
    """Return a message as Markdown, with backquoted parts as code."""
    return "".join(code(part) if at % 2 else prose(part) for at, part in enumerate(message.split("`")))


def _published(outcome: Outcome, colour: bool) -> str:  # noqa: ARG001 - all forms have the same signature
    before, after = outcome.before, outcome.after
    name = after.model.protocol.name
    found = [each for finding in outcome.findings for each in (finding, *finding.consequences)]
    return published(f"{name}: {before.label} → {after.label}", found)


_FORMATS: Mapping[str, Callable[[Outcome, bool], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "markdown": _markdown,
    "report": _published,
}
