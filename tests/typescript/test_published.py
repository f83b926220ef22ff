"""The TypeScript package, compared with the declarations that upstream publishes, by the TypeScript compiler.

A release is compared with our projection at that release. At the newest release and one of the others (at each in `make
test-nightly`), `compare/fits.mjs` checks for each shared name, and for each member of a union, whether values of one
side fit the other, with and without `exactOptionalPropertyTypes`; `compare/fits.toml` lists the exceptions with their
reasons. At the oldest, `compare/main.mjs` also compares both as the compiler sees them: keys, optionality, nullability,
literals, variants, and whether the published type fits ours with its open enums closed.
Differences must be listed in `compare/differences.toml` with a reason, and types without a counterpart or with another
name in `compare/counterparts.toml`. (`polywire compare` compares members at every release, from the spec.)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

import sampling
import toolchain
from polywire.model.releases import Span
from polywire.targets.typescript import TARGET
from polywire_upstream import config
from polywire_upstream.fetch import fetch
from rendered import generate, model_of

pytestmark = pytest.mark.full  # needs upstream's packages

tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

HERE = Path(__file__).resolve().parent / "compare"
OLDEST = "."
"""The folder with the packages of the oldest release."""

REASONS = {
    "observed": "the wire has it, whatever is declared",
    "upstream-wrong": "the published declarations contradict themselves or lead nowhere",
    "wire-only": "it is described as it travels; what lives in the API only is left out or stands apart",
    "same-on-the-wire": "another way to say the same",
}
"""The only accepted reasons for a difference."""


def table(name: str) -> dict[str, Any]:
    """Return one of the tables in the program's folder."""
    read: dict[str, Any] = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))
    return read


def stated() -> Iterator[tuple[str, str]]:
    """Yield every listed difference, with its reason."""
    for each in table("differences")["difference"]:
        yield from ((row, each["reason"]) for row in each["rows"])


def pinned(folder: str) -> str:
    """Return the release whose package is installed in a folder."""
    package = json.loads((HERE.parent / folder / "package.json").read_text(encoding="utf-8"))
    release: str = package["devDependencies"]["@anthropic-ai/claude-agent-sdk"]
    return release


def in_span(span: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the releases of `A..B`, `A..` or `..B`."""
    first, last = span.split("..")
    return names[names.index(first) if first else 0 : names.index(last) + 1 if last else None]


def declarations(release: str, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write our declarations of a release; return their file."""
    model = model_of(root / "spec", span=Span.at(release))
    return generate(TARGET, model, tmp_path_factory.mktemp("published")) / "index.d.ts"


@pytest.fixture(scope="module")
def index(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our declarations of the oldest release."""
    return declarations(pinned(OLDEST), root, tmp_path_factory)


@pytest.fixture(scope="module")
def found(index: Path, node: toolchain.Toolchain) -> dict[str, Any]:
    """The findings of the program."""
    done = node.run("node", HERE / "main.mjs", OLDEST, index, *table("counterparts")["prefixes"])
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_our_declarations_are_sound_when_they_are_closed(found: dict[str, Any]) -> None:
    assert found["problems"] == []


def test_every_difference_from_the_published_declarations_is_explained(found: dict[str, Any]) -> None:
    explained = {row for row, _ in stated()}
    assert sorted(set(found["differences"]) - explained) == []


def test_every_explained_difference_is_still_there(found: dict[str, Any]) -> None:
    explained = {row for row, _ in stated()}
    assert sorted(explained - set(found["differences"])) == []


def test_every_difference_is_stated_once_with_a_reason_and_a_source() -> None:
    rows = [row for row, _ in stated()]
    assert sorted(rows) == sorted(set(rows))
    for each in table("differences")["difference"]:
        assert each["reason"] in REASONS
        assert each["source"].strip()
        assert each["rows"] == sorted(each["rows"])


def test_what_pairs_up_is_called_alike_or_stands_in_the_table(found: dict[str, Any]) -> None:
    prefixes = ("", *table("counterparts")["prefixes"])
    otherwise = {
        ours: published
        for ours, published in found["pairs"].items()
        if published and not (len(published) == 1 and published[0] in {prefix + ours for prefix in prefixes})
    }
    assert otherwise == table("counterparts")["called"]


def test_what_has_no_counterpart_stands_in_the_table(found: dict[str, Any]) -> None:
    alone = table("counterparts")["alone"]
    model = model_of(HERE.parents[2] / "spec", span=Span.at(pinned(OLDEST)))
    stored = {name for name, each in model.declarations.items() if each.place.file == "sessions.yaml"}  # not upstream
    assert stored <= {*found["alone"]["ours"]}
    ours = [name for name in found["alone"]["ours"] if name not in stored]
    assert ours == sorted(name for names in alone["ours"].values() for name in names)
    assert found["alone"]["published"] == sorted(name for names in alone["published"].values() for name in names)


def test_the_names_that_upstream_leaves_dangling_are_known(found: dict[str, Any]) -> None:
    assert found["dangling"] == table("counterparts")["dangling"]


def test_most_of_the_spec_is_compared(found: dict[str, Any]) -> None:
    assert found["counts"]["ours"] > 230
    assert found["counts"]["pairs"] > 250


# --- both directions -------------------------------------------------------------------------------------------

KNOWN = config.load(Path(__file__).resolve().parents[2] / "spec" / "releases.toml")
"""Every release that the spec describes, with the packages that its declarations import."""

COMPARED = [[*KNOWN.releases][-1], *sampling.sample([*KNOWN.releases][:-1], 1)]
"""The releases that a run can compare: the newest, and, when its turn comes, one of the others."""

SIDES = ("theirs", "ours")
SETTINGS = ("plain", "exact")


@pytest.fixture(
    scope="module",
    params=[
        COMPARED[0],
        *(pytest.param(each, marks=sampling.turn("types of older releases")) for each in COMPARED[1:]),
    ],
)
def fits(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory, node: toolchain.Toolchain
) -> tuple[str, dict[str, Any]]:
    """A release, and for both settings of the compiler the shared names and those that do not fit the other side."""
    folder = tmp_path_factory.mktemp("upstream")
    fetch(request.param, KNOWN, folder)
    found = node.run("node", HERE / "fits.mjs", folder, declarations(request.param, root, tmp_path_factory))
    assert found.returncode == 0, found.stderr
    report: dict[str, Any] = json.loads(found.stdout)
    return request.param, report


def excepted(side: str, release: str) -> set[str]:
    """Return the names in the table for values of a side at a release."""
    names = tuple(KNOWN.releases)
    return {row["name"] for row in table("fits")[side] if release in in_span(row["in"], names)}


@sampling.third("values of the published types")
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("side", SIDES)
def test_values_fit_the_other_side_but_for_the_names_in_the_table(
    side: str, setting: str, fits: tuple[str, dict[str, Any]]
) -> None:
    release, found = fits
    assert set(found[setting][side]) == excepted(side, release)
    assert len(found[setting]["names"]) > 150


@sampling.third("values of the published types")
@pytest.mark.parametrize("setting", SETTINGS)
def test_each_member_of_a_published_union_fits_but_for_the_names_in_the_table(
    setting: str, fits: tuple[str, dict[str, Any]]
) -> None:
    release, found = fits
    unions = found[setting]["members"]
    rest = {name for members in unions.values() for name, does in members.items() if not does}
    assert rest & {*found[setting]["names"]} <= excepted("theirs", release)
    if release == COMPARED[0]:  # at an earlier release, the union is `any` upstream
        assert all(unions["SDKMessage"].values())
        assert len(unions["SDKMessage"]) > 40
    assert sum(map(len, unions.values())) > 120


def test_every_row_names_releases_and_a_reason() -> None:
    names = tuple(KNOWN.releases)
    for row in (row for side in SIDES for row in table("fits")[side]):
        assert in_span(row["in"], names), row
        assert row["reason"].strip(), row


def test_every_release_is_compared(root: Path) -> None:
    versions = yaml.safe_load((root / "spec" / "protocol.yaml").read_text(encoding="utf-8"))["protocol"]["versions"]
    assert list(KNOWN.releases) == versions


def test_the_comparison_finds_each_kind_of_difference(node: toolchain.Toolchain) -> None:
    told = node.run("node", "--test", HERE / "compare.test.mjs")
    assert told.returncode == 0, told.stdout
