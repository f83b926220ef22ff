"""A report on a spec, and the `polywire.toml` that applies to it → the findings that count.

The settings in `[lint]` or `[breaking]` are applied (`polywire.checks.policy`); errors in them are reported along with
the other findings, at their line in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from polywire.checks import policy
from polywire.checks.policy import BaselineError, Subject
from polywire.checks.report import Report
from polywire.ground.paths import link_below
from polywire.ground.words import counted
from polywire.source.report import Faults
from polywire.source.tree import keys_at, read
from polywire.vendor.config import is_firm

if TYPE_CHECKING:
    from polywire.checks.policy import Ignore, Policy
    from polywire.evolve.breaking.records import Finding as Break
    from polywire.evolve.breaking.report import Outcome
    from polywire.ground.finding import Finding
    from polywire.vendor.config import Config

F = TypeVar("F")


def lint(report: Report, config: Config | None, *, whole: bool) -> tuple[Report, str]:
    """Apply `[lint]` to a report; also return a summary of the baseline. `whole`: everything was checked.

    Raises `BaselineError`.
    """
    if config is None:
        return report, ""
    found = policy.apply(config.lint.policy, subjects(report))
    kept = tuple(replace(finding, severity=severity) for finding, severity in found.counted)
    own = policy.complaints(found, _entry(config, "lint"), whole=whole)
    return _with(replace(report, findings=kept), config, own), policy.summary(found, whole=whole)


def subjects(report: Report) -> list[Subject[Finding]]:
    """Return the findings with the keys that lead to each."""
    files = {finding.place.file for finding in report.findings}
    trees = {file: read(text.encode(), file, Faults()) for file, text in report.texts.items() if file in files}
    return [
        Subject(
            finding,
            finding.rule,
            finding.severity,
            finding.place.file,
            ".".join(keys_at(trees.get(finding.place.file), finding.place.line, finding.place.column)),
            is_firm("lint", finding.rule),
        )
        for finding in report.findings
    ]


def breaking(outcome: Outcome, config: Config | None) -> tuple[Outcome, Report | None, str]:
    """Apply `[breaking]` to an outcome; also return a report on the entries themselves, if they have errors.

    An unused entry is only a warning here: after a break is merged, it no longer occurs.
    """
    if config is None:
        return outcome, None, ""
    found = policy.apply(config.breaking.policy, weighed(outcome))
    kept = tuple(
        replace(each, rule=replace(each.rule, severity="error" if severity == "error" else "note"))
        for each, severity in found.counted
    )
    own = [
        replace(each, severity="warning") if each.rule == "unused-ignore" else each
        for each in policy.complaints(found, _entry(config, "breaking"), whole=True)
    ]
    report = config.text.report(*own) if own else None
    return replace(outcome, findings=kept), report, policy.summary(found, whole=False)


def weighed(outcome: Outcome) -> list[Subject[Break]]:
    """Return the findings of a change by their subject."""
    return [Subject(each, each.rule.id, each.rule.severity, each.place.file, each.at) for each in outcome.findings]


def write_baseline(config: Config | None, table: str, found: Iterable[Subject[F]]) -> str:
    """Write the baseline that a table names, and return a message. Raises `BaselineError`."""
    chosen: Policy | None = None if config is None else getattr(config, table).policy
    if config is None or chosen is None or chosen.baseline is None:
        raise BaselineError(f'no baseline is set: add `baseline = "FILE"` to [{table}] of polywire.toml')
    link = link_below(config.folder, chosen.baseline)
    if link is not None:
        raise BaselineError(
            f"{link} is a link, and the baseline {chosen.baseline} is not written through it; remove it"
        )
    without = replace(chosen, baseline=None)
    listed = [each for each in found if not each.is_firm and policy.apply(without, [each]).counted]
    chosen.baseline.write_text(policy.baseline_text(listed), encoding="utf-8")
    return f"{chosen.baseline}: {counted(len(listed), 'finding')}"


def _entry(config: Config, table: str) -> Callable[[str, Ignore, str, str | None], Finding]:
    def finding(rule: str, entry: Ignore, message: str, hint: str | None) -> Finding:
        return config.text.finding(rule, (table, "ignore", entry.index), message, hint)

    return finding


def _with(report: Report, config: Config, own: list[Finding]) -> Report:
    """Add findings in `polywire.toml` to a report; all files are named relative to the working folder."""
    if not own:
        return report
    others = config.text.report(*own)
    parts = [_from_here(each) for each in (report, others)]
    return replace(
        report,
        folder=Path(),
        findings=tuple(finding for part in parts for finding in part.findings),
        texts={file: text for part in parts for file, text in part.texts.items()},
    )


def _from_here(report: Report) -> Report:
    def moved(file: str) -> str:
        return PurePath(report.folder, file).as_posix() if file else ""

    findings = tuple(
        replace(finding, place=replace(finding.place, file=moved(finding.place.file))) for finding in report.findings
    )
    return replace(
        report, folder=Path(), findings=findings, texts={moved(file): text for file, text in report.texts.items()}
    )
