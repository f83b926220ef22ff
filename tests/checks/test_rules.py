"""Each rule has a folder of specs, and each spec a list of all expected findings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks.fixtures_support import FIXTURES, cases, describe, hints, materialise, rule_of
from checks.targets import registry
from polywire.checks import RULES, Report, check, check_all
from polywire.checks.rules import OVER_MODELS, naming
from polywire.source.report import FAULTS


@pytest.fixture(autouse=True)
def _only_the_demo_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "registry", registry)


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case.relative_to(FIXTURES)))
def test_exactly_the_expected_findings_are_reported(case: Path, tmp_path: Path) -> None:
    folder, dialect = materialise(case, tmp_path / "spec")
    expected = (case / "expected.txt").read_text()
    strictly = case / "expected.strict.txt"
    assert describe(_checked(folder, dialect, strict=False)) == expected
    assert describe(_checked(folder, dialect, strict=True)) == (strictly.read_text() if strictly.exists() else expected)
    advised = case / "expected.hints.txt"
    if advised.exists():
        assert hints(_checked(folder, dialect, strict=False)) == advised.read_text(encoding="utf-8")


def _checked(folder: Path, dialect: str | None, *, strict: bool) -> Report:
    """Check a spec with all its releases, or only one dialect."""
    return check_all(folder, strict=strict) if dialect is None else check(folder, dialect, strict=strict)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_spec_that_breaks_it(rule: str) -> None:
    expected = [(case / "expected.txt").read_text() for case in cases() if rule_of(case) == rule]
    assert any(line.endswith(f" {rule}") for text in expected for line in text.splitlines())


def test_every_fixture_folder_belongs_to_a_rule_and_every_spec_in_it_asserts_something() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == set(RULES)
    specs = {path.parent for path in FIXTURES.rglob("protocol.yaml")}
    assert specs <= set(cases())


def test_ids_are_words_joined_by_dashes_and_belong_to_one_rule() -> None:
    assert [rule for rule in RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", rule)] == []
    assert {rule.id for rule in OVER_MODELS}.isdisjoint(FAULTS)
    assert len({rule.id for rule in OVER_MODELS}) == len(OVER_MODELS)


def test_every_rule_says_what_it_is_for_in_a_sentence() -> None:
    assert [rule.id for rule in RULES.values() if not re.fullmatch(r"[A-Z].*\.", rule.purpose)] == []


def test_only_missing_docs_are_graded_by_strictness() -> None:
    assert {rule.id: rule.strict for rule in RULES.values() if rule.strict} == {"missing-doc": "error"}
