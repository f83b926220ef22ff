"""The conformance table of the command and of pytest: full names, folded headings, blocks that fit the width."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.table import added, handed_on
from polywire.conformance.table import Column, lines

GROUPS = {"tests/fixtures/precedence": Counter(passed=14), "derived: unknown variant": Counter(passed=606)}
NAMES = ("ajv", "go", "jsonschema", "jsonschema-rs", "python", "python-stdlib", "typescript", "typescript-cjs", "x")


def column(name: str, **counts: Counter[str]) -> Column:
    return Column(name, {**GROUPS, **counts}, seconds=2.0)


def rendered(columns: list[Column], width: int) -> list[str]:
    return [line.plain for line in lines(columns, width)]


def test_a_narrow_table_keeps_names_of_groups_whole_and_folds_headings_behind_hyphens() -> None:
    text = rendered([column(name) for name in NAMES], 80)
    assert all(len(line) <= 80 for line in text)
    assert [line for line in text if line.startswith("tests/")] == [
        "tests/fixtures/precedence   14   14          14           14      14       14",
        "tests/fixtures/precedence          14           14   14",
    ]
    assert text[:2] == [
        "                           ajv   go  jsonschema  jsonschema-  python  python-",
        "                                                          rs           stdlib",
    ]


def test_a_wide_table_is_one_block_with_whole_headings() -> None:
    text = rendered([column(name) for name in NAMES], 140)
    assert text[0].split() == list(NAMES)
    assert len(text) == 1 + len(GROUPS) + 4


def test_the_feet_say_totals_seconds_and_rate() -> None:
    text = rendered([column("go", derived=Counter(failed=2, skipped=7))], 80)
    assert [line.split() for line in text[-6:-1]] == [
        ["passed", "620"],
        ["failed", "2"],
        ["n/a", "7"],
        ["seconds", "2.0"],
        ["cases/s", "311"],
    ]


@pytest.mark.parametrize(
    ("counts", "cell"),
    [
        (Counter(passed=3), "3"),
        (Counter(passed=3, skipped=1), "3*"),
        (Counter(passed=3, skipped=1, failed=2), "2 failed"),
        (Counter(skipped=1), "n/a"),
    ],
)
def test_a_cell_says_the_worst_of_a_group(counts: Counter[str], cell: str) -> None:
    text = rendered([Column("go", {"group": counts})], 80)
    assert text[1].split(maxsplit=1) == ["group", cell]
    assert (text[-1] == "* the rest of the group is not applicable to it") == bool(counts["skipped"])


def test_a_testee_that_could_not_run_is_shown_as_skipped() -> None:
    text = rendered([column("go"), Column("ruby", {})], 80)
    assert all(line.endswith("SKIPPED") for line in text[1:])


def test_problems_apart_from_any_case_are_failures() -> None:
    assert Column("go", GROUPS, problems=2).total == Counter(passed=620, failed=2)


def test_a_table_without_testees_is_empty() -> None:
    assert rendered([], 80) == []


def test_columns_of_one_testee_add_up_on_their_way_through_a_test_run() -> None:
    first = Column(**handed_on(Column("go", {"fixtures": Counter(passed=1)}, 0.5, 1)))
    both = added(first, Column("go", {"derived": {"failed": 2}}, 0.25))
    assert both == Column("go", {"fixtures": {"passed": 1}, "derived": {"failed": 2}}, 0.75, 1)
