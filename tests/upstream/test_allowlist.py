"""The allowlist of intended differences: each has a reason and a span of releases, and unused entries are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.ground.errors import WrongUseError
from polywire_upstream import allowlist
from polywire_upstream.allowlist import Entry
from polywire_upstream.compare import Difference

COUNT = Difference("T/count", "integer", "number", "integer")
OTHER = Difference("T/name", "null", "string", "string | null")
RELEASES = ["1", "2", "3"]


def written(folder: Path, text: str) -> Path:
    path = folder / allowlist.NAME
    path.write_text(text, encoding="utf-8")
    return path


def test_what_no_entry_fits_is_left_and_an_entry_that_fits_nothing_is_idle() -> None:
    fitting, idle = Entry("integer", "T/*", "It counts."), Entry("null", "U/*", "Never.")
    assert allowlist.judge([COUNT, OTHER], [fitting, idle]) == ([OTHER], [idle])


@pytest.mark.parametrize(
    ("rule", "place", "fits"),
    [
        ("integer", "T/count", True),
        ("integer", "*", True),
        ("integer", "*/count", True),
        ("integer", "T/coun", False),
        ("integer", "T.count", False),
        ("null", "*", False),
    ],
)
def test_an_entry_fits_by_rule_and_whole_place(rule: str, place: str, fits: bool) -> None:
    assert Entry(rule, place, "So.").fits(COUNT) is fits


def test_an_entry_is_about_the_releases_between_its_bounds() -> None:
    always, early, late = (
        Entry("open", "*", "a"),
        Entry("open", "*", "b", until="2"),
        Entry("open", "*", "c", since="2"),
    )
    found = {
        release: [each.reason for each in allowlist.at([always, early, late], release, RELEASES)]
        for release in RELEASES
    }
    assert found == {"1": ["a", "b"], "2": ["a", "b", "c"], "3": ["a", "c"]}


def test_an_entry_of_an_unknown_release_is_an_error() -> None:
    with pytest.raises(WrongUseError, match="4 is no known release"):
        allowlist.at([Entry("open", "*", "a", since="4")], "1", RELEASES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[difference]]\nrule = "integer"\nplace = "*"\n', "entry 1: reason is missing"),
        ('[[difference]]\nrule = "integer"\nplace = "*"\nreason = " "\n', "entry 1: reason must be a string"),
        (
            '[[difference]]\nrule = "intger"\nplace = "*"\nreason = "a"\n',
            "unknown rule 'intger'; did you mean 'integer'",
        ),
        ('[[difference]]\nrule = "open"\nplaces = "*"\nreason = "a"\n', "unknown key 'places'; did you mean 'place'"),
        ("[[differences]]\n", "only .* tables"),
        ("[[difference\n", "differences.toml"),
    ],
)
def test_a_list_at_fault_says_where(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(WrongUseError, match=expected):
        allowlist.load(written(tmp_path, text))


def test_no_list_is_an_empty_one(tmp_path: Path) -> None:
    assert allowlist.load(tmp_path / allowlist.NAME) == []
