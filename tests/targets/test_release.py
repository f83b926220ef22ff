"""The version of packages, and the changes in each release of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polywire import checks
from polywire.evolve.breaking.report import is_major
from polywire.model.nodes import FIRST_VERSION
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.targets.common.release import next_incompatible
from polywire.targets.python.layout import ESCAPED
from polywire.writing import render


def test_the_version_is_what_the_spec_says(root: Path, tmp_path: Path) -> None:
    model = checks.check(root / "tests" / "specs" / "parcel").model
    assert model is not None
    assert model.protocol.package_version == FIRST_VERSION
    text = (root / "tests" / "specs" / "notices" / "protocol.yaml").read_text()
    (tmp_path / "protocol.yaml").write_text(text.replace("packages: {", "packages: {version: 2.10.3, "))
    model = checks.check(tmp_path).model
    assert model is not None
    assert model.protocol.package_version == "2.10.3"
    assert "version" not in model.packages


@pytest.mark.parametrize(
    ("version", "following"),
    [("0.0.1", "0.0.2"), ("0.3.1", "0.4.0"), ("1.4.0", "2.0.0"), ("0.0.0", "0.0.1"), ("10.0.9", "11.0.0")],
)
def test_the_next_incompatible_version_is_a_major_step(version: str, following: str) -> None:
    assert next_incompatible(version) == following
    assert is_major(version, following)
    assert not is_major(following, version)


@pytest.mark.parametrize("target", ["go", "python", "rust", "typescript"])
def test_readers_of_any_index_of_packages_see_what_releases_brought(target: str, root: Path) -> None:
    model = checks.check(root / "tests" / "specs" / "parcel").model
    assert model is not None
    changes = (("1.2.1", "Mends `a`.\u202e\n\n- And **more**."), ("1.2.0", "The first."))
    protocol = replace(model.protocol, changes=changes)
    tree = render.render(registry()[target], make_plan(replace(model, protocol=protocol)))
    _, told = tree["README.md"].decode().split("\n## Changes\n")
    mark = "v" if target == "go" else ""
    hidden = ESCAPED("\u202e") if target != "rust" else "\\u{202e}"
    assert told == f"\n### {mark}1.2.1\n\nMends `a`.{hidden}\n\n- And **more**.\n\n### {mark}1.2.0\n\nThe first.\n"
