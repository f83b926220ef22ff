"""The findings of a check, and their three output formats."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Literal, TypeAlias

from polywire.checks.text import excerpt, visible
from polywire.ground.annotation import Level, annotation, in_workspace
from polywire.ground.finding import BAD_EXAMPLE, Finding, Severity
from polywire.ground.words import counted
from polywire.model.nodes import Model
from polywire.source.tree import LINE_BREAK

Format: TypeAlias = Literal["text", "json", "github"]

LEVELS: Mapping[Severity, Level] = MappingProxyType({"error": "error", "warning": "warning", "note": "notice"})
"""Severities from most to least severe, and their names in GitHub workflow commands."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check, in file order. `model` is None if errors prevent generation."""

    folder: Path
    """The spec's folder as given; the paths of files are shown relative to it."""
    findings: tuple[Finding, ...]
    model: Model | None
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The text of every file that was read, by its path relative to the folder."""

    @property
    def failed(self) -> bool:
        """Whether a finding is an error."""
        return any(f.severity == "error" for f in self.findings)

    @property
    def has_faulty_model(self) -> bool:
        """Whether an error concerns what travels, and not only an example of it."""
        return any(f.severity == "error" and f.rule != BAD_EXAMPLE for f in self.findings)

    def render(self, format: Format = "text", *, colour: bool = False) -> str:  # noqa: A002 - the name of the option
        """See `render`."""
        return render(self, format, colour=colour)


def render(report: Report, format: Format = "text", *, colour: bool = False) -> str:  # noqa: A002 - the name of the option
    r"""The report as readable text, as a JSON array, or as GitHub workflow commands; each line ends in `\n`.

    The text and GitHub formats are empty if there is nothing to report. Everything from the spec is escaped. `colour`
    applies only to text.
    """
    return _FORMATS[format](report, colour)


# --- text ------------------------------------------------------------------------------------------------------

Paint: TypeAlias = Callable[[str, str], str]
_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;34", "place": "1", "caret": "1;32", "hint": "36"}
_INDENT = "    "


def _text(report: Report, colour: bool) -> str:
    paint = painter(_COLOURS, on=colour)
    files = {f.place.file for f in report.findings}
    texts = {file: LINE_BREAK.split(text) for file, text in report.texts.items() if file in files}
    lines = [line for f in report.findings for line in _finding_lines(report, f, texts, paint)]
    return "".join(f"{line}\n" for line in [*lines, *_summary(report)])


def _finding_lines(report: Report, finding: Finding, texts: Mapping[str, list[str]], paint: Paint) -> Iterator[str]:
    label = paint(f"{finding.severity}[{finding.rule}]", finding.severity)
    yield f"{paint(_where(report, finding), 'place')}{label} {visible(finding.message)}"
    line = _line(texts, finding)
    if line.strip():
        shown, caret = excerpt(line, finding.place.column)
        yield _INDENT + shown
        yield _INDENT + paint(caret, "caret")
    for detail in finding.details:
        yield f"{_INDENT}{paint('also:', 'hint')} {visible(detail)}"
    if finding.hint:
        yield f"{_INDENT}{paint('hint:', 'hint')} {visible(finding.hint)}"


def _where(report: Report, finding: Finding) -> str:
    place = finding.place
    return f"{visible(_path(report, place.file))}:{place.line}:{place.column}: " if place.file else ""


def _line(texts: Mapping[str, list[str]], finding: Finding) -> str:
    lines = texts.get(finding.place.file, [])
    at = finding.place.line - 1
    return lines[at] if 0 <= at < len(lines) else ""


def _summary(report: Report) -> Iterator[str]:
    if report.findings:
        counts = Counter(finding.severity for finding in report.findings)
        yield ", ".join(counted(counts[each], each) for each in LEVELS if counts[each])
    if fixes := len({finding.fix for finding in report.findings if finding.fix}):
        yield f"polywire lint --fix can fix {fixes} of them"


def painter(colours: Mapping[str, str], *, on: bool) -> Paint:
    """Return what colours a text according to its role, or returns it unchanged if colours are not `on`."""
    return (lambda text, role: f"\x1b[{colours[role]}m{text}\x1b[0m") if on else (lambda text, _: text)


# --- machine-readable formats ----------------------------------------------------------------------------------


def _json(report: Report, colour: bool) -> str:  # noqa: ARG001 - all formats have the same signature
    items = [
        {
            "file": _path(report, f.place.file),
            "line": f.place.line,
            "column": f.place.column,
            "severity": f.severity,
            "rule": f.rule,
            "message": f.message,
            "hint": f.hint,
        }
        for f in report.findings
    ]
    return json.dumps(items, indent=2) + "\n"


def _github(report: Report, colour: bool) -> str:  # noqa: ARG001 - all formats have the same signature
    return "".join(f"{_command(report, f)}\n" for f in report.findings)


def _command(report: Report, finding: Finding) -> str:
    place = finding.place
    text = "; ".join((finding.message, *(f"also: {each}" for each in finding.details)))
    message = text if finding.hint is None else f"{text} (hint: {finding.hint})"
    return annotation(
        LEVELS[finding.severity],
        visible(message),
        title=finding.rule,
        file=visible(in_workspace(report.folder / place.file)) if place.file else None,
        line=place.line,
        column=place.column,
    )


def _path(report: Report, file: str) -> str:
    return PurePath(report.folder, file).as_posix() if file else ""


_FORMATS: Mapping[str, Callable[[Report, bool], str]] = {"text": _text, "json": _json, "github": _github}
