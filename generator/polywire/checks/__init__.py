"""A spec folder → a report: what reading and resolving found, and what the rules find in the model.

The model's rules run over whatever model could be built, so that one run tells everything there is to tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from polywire.checks.context import RuleContext
from polywire.checks.report import Format, Report, render
from polywire.checks.rule import SHAPE, Rule
from polywire.checks.rules import OVER_MODELS, RULES
from polywire.finding import Finding
from polywire.model.build import Built, build
from polywire.source import Source, dialects, in_dialect, load
from polywire.source.report import in_order

__all__ = ["RULES", "Finding", "Format", "Report", "Rule", "check", "check_all", "render"]


def check(
    folder: Path, dialect: str | None = None, *, strict: bool = False, targets: Collection[str] | None = None
) -> Report:
    """Read the spec in `folder`, with an overlay if one is named, and apply every rule to it.

    `strict` is for maintainers: what readers of generated code would miss becomes an error. Names have to stay apart in
    `targets` only, in all that there are if it is None.
    """
    source = load(folder, dialect)
    built = build(source)
    return _checked(source, built, _context(source, built, targets), strict=strict)


def check_all(folder: Path, *, strict: bool = False, targets: Collection[str] | None = None) -> Report:
    """As `check`, of the spec itself and of every dialect of it, in one report.

    A finding in the spec's own files that only a dialect causes names that dialect.
    """
    proper = load(folder)
    built = build(proper)
    context = _context(proper, built, targets)
    report = _checked(proper, built, context, strict=strict)
    findings, texts = dict.fromkeys(report.findings), dict(report.texts)
    for dialect in dialects(folder):
        source = in_dialect(proper, dialect)
        changed = build(source)
        found = _checked(source, changed, _context(source, changed, targets, context), strict=strict)
        texts |= found.texts
        own = {overlay.file for overlay in source.overlays}
        for finding in found.findings:
            if finding not in report.findings:
                said = finding.message if finding.place.file in own else f"{finding.message} (in dialect {dialect})"
                findings[replace(finding, message=said)] = None
    return replace(report, findings=in_order(findings, texts), texts=texts)


def _checked(source: Source, built: Built, context: RuleContext | None, *, strict: bool) -> Report:
    found = [*built.findings, *(_violations(context, built) if context is not None else ())]
    graded = (_graded(finding, strict=strict) for finding in found)
    return Report(source.folder, in_order(graded, source.texts), built.model, source.texts)


def _context(
    source: Source, built: Built, targets: Collection[str] | None, proper: RuleContext | None = None
) -> RuleContext | None:
    """What the rules look at, if there is a model."""
    if built.model is None:
        return None
    trees = {document.file: document.root for document in (*source.parts, *source.overlays)}
    overlays = frozenset(document.file for document in source.overlays)
    return RuleContext(built.model, trees, overlays, proper, None if targets is None else frozenset(targets))


def _violations(context: RuleContext, built: Built) -> list[Finding]:
    """What the rules find; those that need a sound model come last, and only if it is one."""
    found: list[Finding] = []
    for rule in sorted(OVER_MODELS, key=lambda rule: rule.needs_sound):
        if not rule.needs_sound or not any(map(_in_doubt, (*built.findings, *found))):
            found.extend(_run(rule, context))
    return found


def _run(rule: Rule, context: RuleContext) -> Iterator[Finding]:
    for violation in rule.run(context) if rule.run else ():
        yield Finding(rule.id, rule.severity, violation.place, violation.message, violation.hint)


def _in_doubt(finding: Finding) -> bool:
    return finding.severity == "error" and RULES[finding.rule].category in SHAPE


def _graded(finding: Finding, *, strict: bool) -> Finding:
    severity = RULES[finding.rule].strict
    return replace(finding, severity=severity) if strict and severity else finding
