"""What the repository itself says → the pages of `docs/` that are made from it. A test says when one is due.

    renew.py [PAGE]…

The rules of the checker give `rules.md`; a run of the cases over ports by others gives `ports.md`, for which their
packages must be installed (`make ports`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from polywire.checks import RULES, Rule
from polywire.conformance.case import Case, load
from polywire.conformance.difference import difference, tame
from polywire.conformance.judge import Verdict
from polywire.conformance.process import CannotRunError
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import Result, run_all
from polywire.conformance.testee import Workshop, declared
from polywire.words import counted

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ".venv/bin/python docs/renew.py"

# --- rules.md --------------------------------------------------------------------------------------------------

STEPS = {
    "reading": "Reading a file",
    "resolving": "Resolving names",
    "overlay": "Laying a dialect over the spec",
    "types": "Types",
    "history": "History",
    "naming": "Names in the targets",
    "values": "Examples and other values",
    "docs": "Prose",
}
"""Headings, by category of rules, in the order in which rules are applied."""

RULES_HEAD = f"""\
# The rules of the checker

What `polywire lint` reports, and `polywire generate` before it writes anything. An error stops the generation; with
`--strict` some warnings are errors. Each rule links to the smallest specs that break it.

This page is made from the rules themselves: `{COMMAND} rules.md`
"""


def rules_page() -> str:
    """The rules of the checker."""
    ordered = sorted(RULES.values(), key=lambda rule: [*STEPS].index(rule.category))
    sections = groupby(ordered, key=lambda rule: rule.category)
    return RULES_HEAD + "".join(_section(step, [*rules]) for step, rules in sections)


def _section(step: str, rules: list[Rule]) -> str:
    rows = "".join(
        f"| [`{rule.id}`](../tests/checks/fixtures/{rule.id}) | {_severity(rule)} | {rule.purpose} |\n"
        for rule in rules
    )
    return f"\n## {STEPS[step]}\n\n| rule | severity | what holds |\n|---|---|---|\n{rows}"


def _severity(rule: Rule) -> str:
    return f"{rule.severity}; {rule.strict} with `--strict`" if rule.strict else rule.severity


# --- ports.md --------------------------------------------------------------------------------------------------

FOREIGN = "tests/conformance/foreign/testees.toml"
CASES = ("tests/fixtures", "tests/captures")

PORTS_HEAD = f"""\
# Ports by others

Packages that read this protocol and are not made from this spec, held to its [cases](conformance.md): the written ones,
a folder for each group of rules, and lines of real traffic of two versions of the CLI.

A port is asked only what it claims by its own documentation and types, and compared only in what it claims to answer;
all else is *not supported*, and no fault. Its [testee](../tests/conformance/foreign) says what it claims, and where
that is from. *Failed* means: the port does something else than the case says. That may be a message that gets lost, or
a number spelt in a way that the CLI never uses; the examples below show which.

This page is made by `make ports`, from what this command prints:

```sh
polywire conformance --testees {FOREIGN} {" ".join(f"--cases {path}" for path in CASES)}
```
"""

LONGEST = 240
"""Characters of an input or of a line of a difference; the rest is counted."""

MOST_LINES = 6


def ports_page() -> str:
    """What ports by others do with the cases. Raises `CannotRunError` if one of them cannot run here."""
    protocols = Protocols(ROOT / "spec")
    cases = load([ROOT / path for path in CASES], protocols, root=ROOT)
    with Workshop(ROOT) as workshop:
        results = list(run_all(cases, declared(ROOT / FOREIGN), workshop, protocols.default, folder=ROOT, patience=60))
    for result in results:
        if result.cannot_run is not None or result.problems:
            raise CannotRunError(f"{result.testee}: {result.cannot_run or '; '.join(result.problems)}")
    return PORTS_HEAD + _claims(results) + _counts(cases, results) + "".join(_findings(cases, r) for r in results)


def _claims(results: Iterable[Result]) -> str:
    told = [(result.testee, result.abilities) for result in results if result.abilities is not None]
    rows = "".join(
        f"| {name} | {said.language} | {said.version.split()[-1]} | {', '.join(said.unclaimed)} |\n"
        for name, said in told
    )
    return f"\n| port | language | version | does not claim |\n|---|---|---|---|\n{rows}"


def _counts(cases: list[Case], results: list[Result]) -> str:
    groups = dict.fromkeys(case.group for case in cases)
    head = "".join(f" {result.testee} |" for result in results)
    rows = "".join(
        f"| [{group.removeprefix('tests/')}](../{group}) |{''.join(_cell(cases, r, group) for r in results)}\n"
        for group in groups
    )
    total = "".join(_cell(cases, result, None) for result in results)
    return (
        f"\nPassed / failed / not supported:\n\n| group |{head}\n|---|{'---|' * len(results)}\n{rows}| all |{total}\n"
    )


def _cell(cases: list[Case], result: Result, group: str | None) -> str:
    outcomes = Counter(
        verdict.outcome for case, verdict in zip(cases, result.verdicts, strict=True) if group in (None, case.group)
    )
    return f" {outcomes['passed']} / {outcomes['failed']} / {outcomes['skipped']} |"


def _findings(cases: list[Case], result: Result) -> str:
    found: dict[tuple[str, str], list[tuple[Case, Verdict]]] = {}
    for case, verdict in zip(cases, result.verdicts, strict=True):
        if verdict.outcome == "failed":
            found.setdefault((case.group, _kind(case, verdict)), []).append((case, verdict))
    entries = "".join(_finding(alike, result) for alike in found.values())
    return (
        f"\n## What {result.testee} does differently\n\n"
        "One example of each kind: its input, and marked by `-` what is expected, by `+` what came.\n" + entries
    )


def _kind(case: Case, verdict: Verdict) -> str:
    """What failed cases of a group have in common: why they were refused, or else the rule."""
    reply = verdict.reply if isinstance(verdict.reply, dict) else {}
    return re.sub(r"\d+", "", str(reply["message"])) if reply.get("ok") is False else _rule(case)


def _rule(case: Case) -> str:
    """The file of a written case; the folder of a captured line."""
    return case.name.partition("#")[0] if case.kind == "written" else case.group


def _finding(alike: list[tuple[Case, Verdict]], result: Result) -> str:
    case, verdict = alike[0]
    rules = [*dict.fromkeys(_rule(each).removeprefix("tests/") for each, _ in alike)]
    names = ", ".join([rules[0], *(rule.rpartition("/")[2] for rule in rules[1:])])
    lines = list(_lines(verdict, result))
    more = [f"… {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    shown = "\n".join([*lines[:MOST_LINES], *more])
    doc = case.doc or f"A captured line comes back as it was, such as `{case.name}`."
    return f"\n**{names}** ({counted(len(alike), 'case')}): {doc}\n\n```diff\n  {_cut(case.shown)}\n{shown}\n```\n"


def _lines(verdict: Verdict, result: Result) -> Iterator[str]:
    """What differs, line by line; where only one side accepts, without the JSON that it prints."""
    if verdict.wanted is None or verdict.reply is None or result.abilities is None:
        return
    lines = difference(verdict.wanted, verdict.reply, result.abilities.answers)
    decided = any(line.mark == "+" and line.text.startswith('"ok"') for line in lines)
    dull = ('"typed"', '"json"') if decided else ('"typed"',)
    for line in lines:
        if line.mark in "-+" and not line.text.startswith(dull):
            yield f"{line.mark} {_cut(line.text)}"


def _cut(text: str) -> str:
    seen = tame(text)
    return seen if len(seen) <= LONGEST else f"{seen[:LONGEST]} … ({len(seen)} characters)"


# --- the command line ------------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], str]] = {"rules.md": rules_page, "ports.md": ports_page}
"""By name of a page: what makes it."""


def main(*names: str) -> None:
    for name in names or PAGES:
        if name not in PAGES:
            sys.exit(f"no page {name!r}; there are {', '.join(PAGES)}")
        try:
            page = PAGES[name]()
        except CannotRunError as error:
            sys.exit(f"{name} cannot be made here: {error}")
        (ROOT / "docs" / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
