"""The snapshots in this repository are complete, and the spec differs from them only as listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polywire_upstream import config, record, run

SPEC = Path(__file__).resolve().parents[2] / "spec"
KNOWN = config.load(SPEC / "releases.toml")


@pytest.mark.parametrize("release", KNOWN.releases)
def test_the_spec_differs_from_the_declarations_only_as_listed(release: str) -> None:
    compared = run.compare(SPEC, release, run.kept(SPEC, release))
    assert [f"{each.rule} {each.place}" for each in compared.left] == []
    assert [str(each) for each in compared.idle] == []
    assert compared.pairs > 200


@pytest.mark.parametrize("release", KNOWN.releases)
def test_every_listed_release_has_a_snapshot_made_with_the_pinned_packages(release: str) -> None:
    path = run.snapshots(SPEC) / f"{release}.json"
    snapshot = record.load(path)
    assert snapshot.packages == {KNOWN.package: release, **KNOWN.releases[release]}
    assert record.dump(snapshot) == path.read_text(encoding="utf-8")
    assert set(KNOWN.roots) <= set(snapshot.declarations)


@pytest.mark.parametrize("release", KNOWN.releases)
def test_every_name_in_a_snapshot_is_declared_in_it(release: str) -> None:
    snapshot = run.kept(SPEC, release)
    text = json.dumps([each.type for each in snapshot.declarations.values()])
    named = {part.split('"')[0] for part in text.split('"#')[1:]}
    assert named - set(snapshot.declarations) == set()
