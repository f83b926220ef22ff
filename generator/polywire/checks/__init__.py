"""A spec folder → a report with the findings of reading and resolving, and of the rules over the model.

The rules run even on an incomplete model, so that one run reports everything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from polywire.checks.context import RuleContext
from polywire.checks.releases import findings_of_releases, without_misfits
from polywire.checks.report import Format, Report, render
from polywire.checks.rule import SHAPE, Rule
from polywire.checks.rules import OVER_MODELS, RULES
from polywire.ground.finding import Finding
from polywire.model.build import Builder, Built, build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Releases, Span
from polywire.source import Files, Source, dialects, in_dialect, load
from polywire.source.report import in_order

__all__ = ["RULES", "Finding", "Format", "Report", "Rule", "check", "check_all", "render"]


def check(
    files: Path | Files,
    dialect: str | None = None,
    span: Span = WHOLE,
    *,
    strict: bool = False,
    targets: Collection[str] | None = None,
) -> Report:
    """Read the spec in a folder, with the overlays of `dialect` if given, and apply every rule.

    `span` selects releases. With `strict`, for maintainers, gaps that readers of generated code would notice become
    errors. Names must be distinct only in `targets`, or in all targets if it is None. Raises `UnknownReleaseError`.
    """
    source = load(files, dialect)
    builder = Builder(source)
    built = builder.build(span)
    report = _checked(source, built, _context(source, built, targets), strict=strict)
    return report if dialect is None and span == WHOLE else _of_part(report, source, builder.releases)


def _of_part(report: Report, source: Source, releases: Releases) -> Report:
    """The report on some of several releases, or on a dialect of one; examples of other releases are removed."""
    if report.model is None or len(releases.names) == 1:
        return report
    model, findings = without_misfits(report.model, report.findings, [overlay.file for overlay in source.overlays])
    return replace(report, model=model, findings=findings)


def check_all(folder: Path, *, strict: bool = False, targets: Collection[str] | None = None) -> Report:
    """Check the spec itself, each release that it describes, and each of its dialects, in one report.

    A finding in the spec's own files that occurs only in some releases or in a dialect names these.
    """
    proper = load(folder)
    builder = Builder(proper)
    built = builder.build()
    context = _context(proper, built, targets)
    report = _checked(proper, built, context, strict=strict)
    findings, texts = dict.fromkeys(report.findings), dict(report.texts)
    if len(builder.releases.names) > 1:
        findings |= dict.fromkeys(_of_releases(proper, builder, context, report, strict=strict))
    for dialect in dialects(folder):
        source = in_dialect(proper, dialect)
        changed = build(source)
        found = _checked(source, changed, _context(source, changed, targets, context), strict=strict)
        found = _of_part(found, source, builder.releases)
        texts |= found.texts
        own = {overlay.file for overlay in source.overlays}
        for finding in found.findings:
            if finding not in report.findings:
                message = finding.message if finding.place.file in own else f"{finding.message} (in dialect {dialect})"
                findings[replace(finding, message=message)] = None
    return replace(report, findings=in_order(findings, texts), texts=texts)


def _of_releases(
    source: Source, builder: Builder, span: RuleContext | None, report: Report, *, strict: bool
) -> Iterator[Finding]:
    """The findings of single releases that are not findings of the span; each names its releases."""
    targets = span.targets if span is not None else None

    def check_release(
        release: str, left_out: Callable[[Model], frozenset[str]]
    ) -> tuple[Model | None, tuple[Finding, ...]]:
        built = builder.build(Span.at(release))
        context = _context(source, built, targets, span)
        skipped = frozenset() if built.model is None else left_out(built.model)
        return built.model, _checked(source, built, context, skipped, strict=strict).findings

    yield from findings_of_releases(
        builder.releases, report.findings, None if span is None else span.model, check_release
    )


def _checked(
    source: Source,
    built: Built,
    context: RuleContext | None,
    left_out: frozenset[str] = frozenset(),
    *,
    strict: bool,
) -> Report:
    found = [*built.findings, *(_violations(context, built, left_out) if context is not None else ())]
    graded = (_graded(finding, strict=strict) for finding in found)
    return Report(source.folder, in_order(graded, source.texts), built.model, source.texts)


def _context(
    source: Source, built: Built, targets: Collection[str] | None, proper: RuleContext | None = None
) -> RuleContext | None:
    """The context of the rules, if there is a model."""
    if built.model is None:
        return None
    trees = {document.file: document.root for document in (*source.parts, *source.overlays)}
    overlays = frozenset(document.file for document in source.overlays)
    return RuleContext(built.model, trees, overlays, proper, None if targets is None else frozenset(targets))


def _violations(context: RuleContext, built: Built, left_out: frozenset[str]) -> list[Finding]:
    """The violations of all rules; those that need a sound model run last, and only if the model is sound."""
    found: list[Finding] = []
    for rule in sorted(OVER_MODELS, key=lambda rule: rule.needs_sound):
        if rule.id in left_out:
            continue
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
