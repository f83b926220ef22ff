"""The command `polywire lint`: a spec → findings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import (
    configured_for,
    configured_targets,
    release_options,
    spec_options,
    target_option,
)
from polywire.commands.running import (
    FINDINGS,
    Failure,
    checked,
    format_option,
    print_report,
    releases_of,
    verbatim,
)

if TYPE_CHECKING:
    from polywire.checks import Report
    from polywire.checks.report import Format
    from polywire.vendor.config import Config


@click.command(
    short_help="Check the spec.",
    epilog=verbatim(
        "Examples:",
        "polywire lint",
        "polywire lint --strict --format github",
        "polywire lint --fix",
        "polywire lint --dialect goat-doc",
    ),
)
@spec_options
@release_options
@target_option("Check names for this target only; can be repeated.")
@click.option("--strict", is_flag=True, help="Treat missing docs as errors.")
@click.option("--fix", is_flag=True, help="Quote the type expressions that YAML cannot read without quotes.")
@click.option(
    "--write-baseline", is_flag=True, help="Write the findings to the baseline file of [lint] in polywire.toml."
)
@format_option("Text, a JSON array, or annotations for GitHub.")
def lint(
    spec: Path,
    dialect: str | None,
    at: str | None,
    span: str | None,
    form: Format,
    targets: tuple[str, ...],
    *,
    strict: bool,
    fix: bool,
    write_baseline: bool,
) -> None:
    """Check the spec, and report all errors and warnings in file order.

    By default, checks every release, all releases together, and every dialect.

    Names are checked for the given targets, or for those of the polywire.toml of this spec, or else for all.

    The table [lint] of that file sets the severity of rules and the findings to ignore.

    With --fix, changes the files of the spec where a fix is certain, and prints each change.

    Exits with 1 if there is an error.
    """
    from polywire import checks

    config = configured_for(spec)
    strict = strict or (config is not None and config.lint.strict)
    asked = targets or configured_targets(spec)
    releases = releases_of(at, span)
    part = dialect or at or span

    def check() -> Report:
        if part:
            return checked(spec, dialect, releases, strict=strict, targets=asked)
        return checks.check_all(spec, strict=strict, targets=asked)

    report = check()
    while fix and _fix(spec, report):
        report = check()
    if config is not None or write_baseline:
        report = _judged(report, config, whole=not (part or targets), write_baseline=write_baseline)
    print_report(report, form)
    sys.exit(FINDINGS if report.failed else 0)


def _fix(spec: Path, report: Report) -> bool:
    """Make and print the fixes of a report; return whether there were any."""
    from polywire.checks.text import visible
    from polywire.writing import fixing
    from polywire.writing.results import OutputError

    fixes = dict.fromkeys(finding.fix for finding in report.findings if finding.fix is not None)
    try:
        fixing.write(spec, fixes, report.texts)
    except OutputError as error:
        raise Failure(str(error)) from error
    for fix in fixes:
        click.echo(f"{(spec / str(fix.place)).as_posix()}: {visible(fix.old)} is now {visible(fix.new)}", err=True)
    return bool(fixes)


def _judged(report: Report, config: Config | None, *, whole: bool, write_baseline: bool) -> Report:
    """Apply `[lint]` of `polywire.toml` to the report."""
    from polywire.checks.policy import BaselineError
    from polywire.vendor import judged

    try:
        if write_baseline:
            click.echo(judged.write_baseline(config, "lint", judged.subjects(report)), err=True)
        report, known = judged.lint(report, config, whole=whole)
    except BaselineError as error:
        raise Failure(str(error)) from error
    if known:
        click.echo(known, err=True)
    return report
