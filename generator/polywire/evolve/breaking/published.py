"""Findings → a Markdown report that is published with a release: by category, by rule, and by declaration.

Locations in the spec, advice and language-specific types are for authors of the spec; the other forms show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from polywire.checks.text import visible
from polywire.evolve.breaking.records import CATEGORIES, Category, Finding
from polywire.evolve.diff.report import prose, span
from polywire.ground.words import counted

HEADINGS: dict[Category, str] = {
    "WIRE": "Breaks peers on other versions",
    "BEHAVIOUR": "Changes what is valid, known or written by constructors",
    "TABLE": "Breaks queries of tables",
    "SOURCE": "Breaks code that uses the packages",
}
_NOTES = "Breaks nothing"
_MOST_TYPES = 4


def published(title: str, findings: Sequence[Finding]) -> str:
    """Return the report."""
    breaks = [each for each in findings if each.rule.severity == "error"]
    notes = [each for each in findings if each.rule.severity == "note"]
    counts = [counted(len(breaks), "break") if breaks else "Nothing breaks", *_additions(notes)]
    lines = [f"# {prose(title)}", "", f"{', and '.join(counts)}.", ""]
    for category, what in CATEGORIES.items():
        found = [each for each in breaks if each.rule.category == category]
        if found:
            lines += [f"## {HEADINGS[category]} ({len(found)})", "", what, "", *_rules(found)]
    if notes:
        lines += [f"## {_NOTES} ({len(notes)})", "", *_rules(notes)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _additions(notes: Sequence[Finding]) -> list[str]:
    return [f"{counted(len(notes), 'change')} that {'breaks' if len(notes) == 1 else 'break'} nothing"] if notes else []


def _rules(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the findings of each rule below the rule's purpose."""
    for rule in dict.fromkeys(each.rule.id for each in findings):
        found = [each for each in findings if each.rule.id == rule]
        rows = _of_code(found) if found[0].rule.category == "SOURCE" else _of_wire(found)
        yield from (f"### {_marked(found[0].rule.purpose.rstrip('.'))}", "", *rows, "")


def _of_code(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one row for each set of languages."""
    for languages in dict.fromkeys(each.languages for each in findings):
        subjects = _grouped(each for each in findings if each.languages == languages)
        yield f"- {', '.join(languages)}: {'; '.join(subjects)}"


def _of_wire(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one row for each declaration and consequence; a changed value is shown with its old value."""
    for consequence in dict.fromkeys(map(_consequence, findings)):
        rows = _grouped(each for each in findings if _consequence(each) == consequence)
        if consequence:
            yield f"- {consequence[:1].upper()}{consequence[1:]}:"
        yield from (f"{'  ' if consequence else ''}- {row}" for row in rows)


def _consequence(finding: Finding) -> str:
    """Return which peers no longer understand which: only for breaks, since all notes say the same."""
    return finding.message.partition("; ")[2] if finding.rule.severity == "error" else ""


def _grouped(findings: Iterable[Finding]) -> list[str]:
    """Return the subjects, grouped by declaration in order of first appearance; those without members share a row."""
    owners: dict[str, dict[str, None]] = {}
    alone: dict[str, None] = {}
    for each in findings:
        owner, member = _subject(each)
        if member:
            owners.setdefault(owner, {})[f"{span(member)}{_change(each)}"] = None
        else:
            alone[f"{owner}{_change(each)}"] = None
    rows = [f"{owner}: {', '.join(members)}" for owner, members in owners.items()]
    return [*rows, *([", ".join(alone)] if alone else [])]


def _subject(finding: Finding) -> tuple[str, str]:
    """Return the declaration, with the types that include it as a mixin, and the member."""
    if finding.parts is None:
        return _marked(finding.subject), ""
    owner, member = finding.parts
    return f"{span(owner)}{_users(finding.types)}", visible(member)


def _users(types: Sequence[str]) -> str:
    """Return the types that include a mixin, and only the first ones of many."""
    if len(types) <= _MOST_TYPES:
        return f" ({', '.join(map(span, types))})" if types else ""
    shown = ", ".join(map(span, types[: _MOST_TYPES - 1]))
    return f" ({shown} and {len(types) - _MOST_TYPES + 1} more)"


def _marked(text: str) -> str:
    """Return text with backquoted parts as code and the rest escaped."""
    return "".join(span(part) if at % 2 else prose(part) for at, part in enumerate(text.split("`")))


def _change(finding: Finding) -> str:
    """Return the old and the new text, if there are both."""
    before, after = finding.before.text, finding.after
    return f" ({span(before)} → {span(after)})" if before and after and before != after else ""
