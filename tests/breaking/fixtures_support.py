"""The fixture folders of the rules: each has two versions of a spec and the findings expected from comparing them.

`expected.txt` lists the findings as `file:line:column severity category rule (languages)`, each followed by its
consequences. `expected.PEER.txt` lists the findings for one side, without those about user code. A change that cannot
be shown by exchanging messages has an `evidence.py`, whose `differs` takes the packages of both versions. A change
after which user code no longer compiles has a program `user.*` for each affected language.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from polywire.checks import check
from polywire.evolve.breaking import RULES, Finding, find
from polywire.model.nodes import Model

FIXTURES = Path(__file__).parent / "fixtures"

CODE = [rule.id for rule in RULES.values() if rule.category == "SOURCE"]
NOTES = [rule.id for rule in RULES.values() if rule.severity == "note"]
MADE = ["default-changed", "set-changed"]
"""The rules about constructors; each of their fixtures has an `evidence.py` that shows what both packages write."""
BREAKS = [rule.id for rule in RULES.values() if rule.severity == "error" and rule.category != "SOURCE"]


@cache
def pair(rule: str) -> tuple[Model, Model]:
    """The models of both versions; neither version has findings."""
    made = []
    for version in ("old", "new"):
        report = check(FIXTURES / rule / version, strict=True)
        assert report.findings == ()
        assert report.model is not None
        made.append(report.model)
    return made[0], made[1]


def findings(rule: str, *side: str) -> tuple[Finding, ...]:
    old, new = pair(rule)
    return find(old, new, side)


def described(found: Iterable[Finding], *, code: bool = True) -> str:
    """The findings in the format of `expected.txt`."""
    lines = []
    for each in found:
        if code or not each.languages:
            lines.append(f"{each.place} {_said(each)}\n")
            lines += [f"  so {_said(consequence)}\n" for consequence in each.consequences if code]
    return "".join(lines)


def _said(finding: Finding) -> str:
    languages = f" ({', '.join(finding.languages)})" if finding.languages else ""
    return f"{finding.rule.severity} {finding.rule.category} {finding.rule.id}{languages}"
