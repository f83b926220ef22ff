"""Each rule has two versions of a spec, and a list of all findings expected from comparing them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from breaking.fixtures_support import CODE, FIXTURES, MADE, described, findings, pair
from polywire.evolve.breaking import CATEGORIES, RULES, find
from polywire.evolve.diff import RULES as DIFFERENCES

SILENT = {"root", "declaration"}
"""Differences without an effect on peers on the old spec; a rule covers the differences that refer to them instead."""

SIDED = sorted(FIXTURES.glob("*/expected.*.txt"))


@pytest.mark.parametrize("rule", RULES)
def test_exactly_the_expected_findings_are_made(rule: str) -> None:
    assert described(findings(rule)) == (FIXTURES / rule / "expected.txt").read_text()


@pytest.mark.parametrize("file", SIDED, ids=lambda file: f"{file.parent.name} {file.suffixes[0][1:]}")
def test_who_we_are_decides_what_breaks(file: Path) -> None:
    rule, side = file.parent.name, file.suffixes[0][1:]
    assert described(findings(rule, side), code=False) == file.read_text()


@pytest.mark.parametrize("rule", RULES)
def test_a_finding_of_each_rule_is_expected_somewhere(rule: str) -> None:
    expected = (FIXTURES / rule / "expected.txt").read_text()
    assert re.search(rf" {rule}( |$)", expected, re.MULTILINE)


@pytest.mark.parametrize("rule", RULES)
def test_without_a_change_there_is_nothing_to_find(rule: str) -> None:
    assert [find(model, model) for model in pair(rule)] == [(), ()]


def test_every_fixture_folder_belongs_to_a_rule() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == set(RULES)


def test_ids_are_words_joined_by_dashes_and_all_else_is_sentences() -> None:
    assert [rule for rule in RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", rule)] == []
    assert [r.id for r in RULES.values() if not re.fullmatch(r"[A-Z].*\.", r.purpose)] == []
    assert [r.id for r in RULES.values() if not re.fullmatch(r"[A-Z].*\.", r.advice)] == []


def test_every_difference_is_weighed_by_a_rule() -> None:
    weighed = set().union(*(rule.differences for rule in RULES.values()))
    assert weighed - set(DIFFERENCES) == {"default-root", "peer"}
    assert set(DIFFERENCES) - weighed == SILENT


def test_rules_are_of_known_categories_and_have_a_handler_where_messages_travel() -> None:
    assert {rule.category for rule in RULES.values()} == set(CATEGORIES)
    assert [rule.id for rule in RULES.values() if rule.handler is None] == [*MADE, *CODE]
