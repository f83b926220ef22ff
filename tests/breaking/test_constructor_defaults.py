"""Values that constructors fill in are compared by their effect: the same call writes something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from breaking.fixtures_support import MADE, findings, pair
from polywire.evolve.breaking import find
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from written import HEADER, model

PART = """\
messages:
  Call:
    doc: A call.
    from: a
    tag: {type: call}
    fields: {FIELDS}
    construct: {NewCall: {doc: Makes one., params: [PARAMS], set: {SET}}}
types:
  Spot: {doc: A spot., fields: {deck: string, "side?": string}}
unions:
  Line: {doc: A line., open: true, by: type, variants: [Call]}
"""
NULL = "n?: {type: Spot | null, default: null}"
DEFAULT = "`Call.n`: `1` → `2`"


@pytest.mark.parametrize("rule", MADE)
def test_the_languages_of_the_findings_are_those_whose_packages_are_made_otherwise(rule: str) -> None:
    old, new = pair(rule)
    told = {language for each in findings(rule) for language in each.languages}
    same = replace(new, spec_hash=old.spec_hash)
    assert {
        name for name, target in registry().items() if render(target, make_plan(same)) != render(target, make_plan(old))
    } == told


def spec(text: str) -> str:
    """The spec with the given fields, parameters and set values, as `FIELDS | PARAMS | SET`."""
    fields, params, fixed = (part.strip() for part in text.rsplit("|", 2))
    return PART.replace("FIELDS", fields).replace("PARAMS", params).replace("SET", fixed)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("n: {type: integer, default: 1} | |", "n: {type: integer, default: 2} | |", [DEFAULT]),
        ("n: {type: integer, default: 1} | |", "n: integer | |", []),
        ("n: integer | {n: /n} |", "n: integer | | /n: 1", []),
        (
            "n: {type: integer, default: 1} | {n: /n} |",
            "n: {type: integer, default: 2} | {n: /n} |",
            ["`Call.n`: `1` → `2`"],
        ),
        ("n: integer | {n: /n} |", "n: {type: integer, default: 2} | {n: /n} |", []),
        ("n: 'integer[]' | |", "n: {type: 'integer[]', default: [1]} | |", ["`Call.n`: `[]` → `[1]`"]),
        ("n: integer | | /n: 1", "n: {type: integer, default: 1} | |", []),
        ("n: integer | | /n: 1", "n: {type: integer, default: 2} | |", ["`/n` of `NewCall`: `1` → `2`"]),
        ("n: integer | | /n: 1", "m: {type: integer, formerly: n} | | /m: 1", []),
        ("n: integer | | /n: 1", "m: {type: integer, formerly: n} | | /m: 2", ["`/m` of `NewCall`: `1` → `2`"]),
        ("n?: Spot | |", "n?: Spot | {deck: /n/deck} | /n/side: left", ['`/n/side` of `NewCall`: nothing → `"left"`']),
        ("n: integer | {n: /n} |", "n: integer, m: {type: integer, default: 3} | {n: /n} |", []),
        ("n: uuid | |", "n?: uuid | |", []),
        (f"{NULL} | |", "n?: Spot | null | |", ["`Call.n`: `null` → nothing"]),
        (
            f"{NULL} | |",
            f"{NULL} | {{deck: /n/deck}} |",
            [],
        ),
        (
            f"{NULL} | |",
            f"{NULL} | {{deck: /n/deck}} | /n/side: up",
            ['`/n/side` of `NewCall`: `null` → `"up"`'],
        ),
    ],
    ids=str,
)  # fmt: skip  (a table)
def test_what_is_written_though_nothing_is_given(tmp_path: Path, before: str, after: str, told: list[str]) -> None:
    header = HEADER.replace("roots: []", "roots: [Line]")
    old, new = (model(tmp_path / name, spec(text), header=header) for name, text in (("old", before), ("new", after)))
    found = [each for each in find(old, new) if each.rule.id in MADE]
    assert [f"{f.subject}:{f.message.rpartition('(')[2].partition(':')[2].rstrip(')')}" for f in found] == told


def test_only_the_languages_that_count_are_looked_at() -> None:
    old, new = pair("set-changed")
    assert {language for each in find(old, new, targets=["go"]) for language in each.languages} == {"go"}
    assert find(old, new, targets=["typescript"]) == ()
