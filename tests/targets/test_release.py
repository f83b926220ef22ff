"""The version of packages, and what releases of them brought."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.version import Version

import handmade
from polywire import checks, render
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.targets.python.layout import ESCAPED
from polywire.targets.release import VersionError, package_version, release_view

RISING = [
    ("0.2.33", 0, "0.2.3300"),
    ("0.2.33", 1, "0.2.3301"),
    ("0.2.33", 99, "0.2.3399"),
    ("0.2.34", 0, "0.2.3400"),
    ("0.3", 0, "0.3.0"),
    ("0.3.0", 7, "0.3.7"),
    ("0.3.1", 0, "0.3.100"),
    ("0.10.0", 0, "0.10.0"),
    ("2", 1, "2.0.1"),
    ("2024.011.5", 0, "2024.11.500"),
]
"""Version of the protocol, revision, version of the packages; each newer than the one before it."""

SEMVER = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
"""What npm, Cargo and, behind a v, Go take; without the forms of early versions, which none of ours has."""


def documented() -> list[tuple[str, int, str]]:
    """The rows of the table on the page of packages."""
    page = Path(__file__).resolve().parents[2] / "docs" / "packages.md"
    rows = re.findall(r"^\| ([\d.]+) \| (\d*) ?\| ([\d.]+) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [(of, int(revision or 0), expected) for of, revision, expected in rows]


def version(of: str, revision: int = 0) -> str:
    return package_version(handmade.model(version=of, revision=revision).protocol)


@pytest.mark.parametrize(("of", "revision", "expected"), [*RISING, *documented()])
def test_the_last_number_has_the_revision_in_it(of: str, revision: int, expected: str) -> None:
    assert version(of, revision) == expected


@pytest.mark.parametrize("of", ["0.2.33", "2.1"])
def test_every_version_is_one_for_all_package_managers_and_written_as_each_would(of: str) -> None:
    for revision in range(100):
        found = version(of, revision)
        assert SEMVER.fullmatch(found)
        assert str(Version(found)) == found


def test_what_is_newer_has_the_greater_version_in_any_order() -> None:
    found = [expected for _, _, expected in RISING]
    assert all(Version(before) < Version(after) for before, after in pairwise(found))
    numbers = [tuple(map(int, each.split("."))) for each in found]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("of", "revision", "key"), [("1.2-rc.1", 0, "version"), ("1.2.3.4", 0, "version"), ("1.2", 100, "revision")]
)
def test_a_version_that_not_everybody_could_have_is_refused_with_its_key(of: str, revision: int, key: str) -> None:
    with pytest.raises(VersionError) as error:
        version(of, revision)
    assert error.value.key == key


@pytest.mark.parametrize(("revision", "following"), [(0, "0.2.3400"), (99, "0.2.3400")])
def test_where_the_next_version_of_the_protocol_begins_is_known(revision: int, following: str) -> None:
    view = release_view(handmade.model(version="0.2.33", revision=revision).protocol, ESCAPED)
    assert view.next_version == following


@pytest.mark.parametrize("target", ["go", "python", "rust", "typescript"])
def test_readers_of_any_index_of_packages_see_what_releases_brought(target: str, root: Path) -> None:
    model = checks.check(root / "tests" / "specs" / "parcel").model
    assert model is not None
    changes = (("1.2.1", "Mends `a`.\u202e\n\n- And **more**."), ("1.2.0", "The first."))
    protocol = replace(model.protocol, revision=1, changes=changes)
    tree = render.render(registry()[target], make_plan(replace(model, protocol=protocol)))
    _, told = tree["README.md"].decode().split("\n## Changes\n")
    mark = "v" if target == "go" else ""
    hidden = ESCAPED("\u202e") if target != "rust" else "\\u{202e}"
    assert told == f"\n### {mark}1.2.1\n\nMends `a`.{hidden}\n\n- And **more**.\n\n### {mark}1.2.0\n\nThe first.\n"
