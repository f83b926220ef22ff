"""A spec folder → a report: what reading and resolving found, and what the rules find in the model.

The model's rules run over whatever model could be built, so that one run tells everything there is to tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from polywire.checks.report import Format, Report, render
from polywire.checks.rule import SHAPE, Rule
from polywire.checks.rules import OVER_MODELS, RULES
from polywire.checks.subject import Subject
from polywire.finding import Finding
from polywire.model.build import Built, build
from polywire.source import Source, load
from polywire.source.report import in_order

__all__ = ["RULES", "Finding", "Format", "Report", "Rule", "check", "render"]


def check(folder: Path, dialect: str | None = None, *, strict: bool = False) -> Report:
    """Read the spec in `folder`, with an overlay if one is named, and apply every rule to it.

    `strict` is for maintainers: what readers of generated code would miss becomes an error.
    """
    source = load(folder, dialect)
    built = build(source)
    found = [*built.findings, *_breaches(source, built)]
    graded = (_graded(finding, strict=strict) for finding in found)
    return Report(folder, in_order(graded, source.texts), built.model, source.texts)


def _breaches(source: Source, built: Built) -> list[Finding]:
    """What the rules find; those that need a sound model come last, and only if it is one."""
    if built.model is None:
        return []
    trees = {document.file: document.root for document in (*source.parts, *source.overlays)}
    subject = Subject(built.model, trees, frozenset(document.file for document in source.overlays))
    found: list[Finding] = []
    for rule in sorted(OVER_MODELS, key=lambda rule: rule.needs_sound):
        if not rule.needs_sound or not any(map(_in_doubt, (*built.findings, *found))):
            found.extend(_run(rule, subject))
    return found


def _run(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for breach in rule.run(subject) if rule.run else ():
        yield Finding(rule.id, rule.severity, breach.place, breach.message, breach.hint)


def _in_doubt(finding: Finding) -> bool:
    return finding.severity == "error" and RULES[finding.rule].category in SHAPE


def _graded(finding: Finding, *, strict: bool) -> Finding:
    severity = RULES[finding.rule].strict
    return replace(finding, severity=severity) if strict and severity else finding
