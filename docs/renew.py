"""The rules of the checker → `docs/rules.md`. Run it after a change of a rule; a test says when it is due."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from polywire.checks import RULES, Rule

PAGE = Path(__file__).parent / "rules.md"
COMMAND = ".venv/bin/python docs/renew.py"

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

HEAD = f"""\
# The rules of the checker

What `polywire lint` reports, and `polywire generate` before it writes anything. An error stops the generation; with
`--strict` some warnings are errors. Each rule links to the smallest specs that break it.

This page is made from the rules themselves: `{COMMAND}`
"""


def rules_page() -> str:
    """The whole page."""
    ordered = sorted(RULES.values(), key=lambda rule: [*STEPS].index(rule.category))
    return HEAD + "".join(_section(step, [*rules]) for step, rules in groupby(ordered, key=lambda rule: rule.category))


def _section(step: str, rules: list[Rule]) -> str:
    rows = "".join(
        f"| [`{rule.id}`](../tests/checks/fixtures/{rule.id}) | {_severity(rule)} | {rule.purpose} |\n"
        for rule in rules
    )
    return f"\n## {STEPS[step]}\n\n| rule | severity | what holds |\n|---|---|---|\n{rows}"


def _severity(rule: Rule) -> str:
    return f"{rule.severity}; {rule.strict} with `--strict`" if rule.strict else rule.severity


if __name__ == "__main__":
    PAGE.write_text(rules_page(), encoding="utf-8")
