"""What the Go listing lists: our copy of it, the assertions made from it, the table of differences in the README."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import go_listing as listing

README = listing.ROOT / "generated" / "go" / "README.md"


@pytest.fixture(scope="module")
def listed() -> list[listing.Declaration]:
    """What the copy declares."""
    return listing.declarations(listing.COPY.read_text(encoding="utf-8"))


def test_the_copy_is_the_documents_code(listed: list[listing.Declaration]) -> None:
    if not listing.DOCUMENT.exists():
        pytest.skip("the document is not part of the repository")
    assert Counter(listed) == Counter(listing.declarations(listing.document()))


def test_all_of_the_listing_is_understood(listed: list[listing.Declaration]) -> None:
    kinds = Counter(declared.kind for declared in listed)
    assert kinds == {
        "named": 9,
        "struct": 48,
        "interface": 1,
        "field": 268,
        "constant": 69,
        "demand": 3,
        "method": 19,
        "function": 7,
    }  # fmt: skip  (a table)


def test_the_assertions_are_those_of_the_listing(listed: list[listing.Declaration]) -> None:
    assert listing.WRITTEN.read_text(encoding="utf-8") == listing.assertions(listed)


def test_every_difference_is_of_something_listed(listed: list[listing.Declaration]) -> None:
    names = {str(declared) for declared in listed}
    assert set(listing.DIFFERENCES) <= names


def test_every_difference_stands_in_the_readme() -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    words = set(re.findall(r"[\w.]+", "\n".join(rows)))
    assert set(listing.DIFFERENCES) - words == set()
