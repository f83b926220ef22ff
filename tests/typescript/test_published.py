"""The TypeScript package against the declarations that upstream publishes, by the TypeScript compiler.

The pinned packages are those of the oldest release and of the newest, and what is compared is our projection at each:
what other releases have besides, or have otherwise, is no difference. At the oldest, `compare/main.mjs` walks both as
the compiler sees them: keys, optionality, nullability, literals, variants, and whether the published type fits ours
with its open enums closed. What differs has to stand in `compare/differences.toml` with a reason; what has no
counterpart, or is called otherwise there, in `compare/counterparts.toml`. At both, `compare/fits.mjs` asks for every
shared name whether values of one side fit the other; the exceptions, with their reasons, stand in `compare/fits.toml`.
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

import toolchain
from polywire.model.releases import Span
from polywire.targets.typescript import TARGET
from rendered import generate, model_of

pytestmark = pytest.mark.full  # needs the packages that upstream publishes

tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

HERE = Path(__file__).resolve().parent / "compare"
FOLDERS = (".", "newest")
"""The folders of the oldest release and of the newest, each with its packages."""

REASONS = {
    "observed": "the wire has it, whatever is declared",
    "upstream-wrong": "the published declarations contradict themselves or lead nowhere",
    "wire-only": "it is described as it travels; what lives in the API only is left out or stands apart",
    "same-on-the-wire": "another way to say the same",
}
"""Why ours may differ; nothing else is a reason."""


def table(name: str) -> dict[str, Any]:
    """One of the tables beside the program."""
    read: dict[str, Any] = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))
    return read


def stated() -> Iterator[tuple[str, str]]:
    """Every difference that is stated, with its reason."""
    for each in table("differences")["difference"]:
        yield from ((row, each["reason"]) for row in each["rows"])


def pinned(folder: str) -> str:
    """The release whose package is installed in a folder."""
    package = json.loads((HERE.parent / folder / "package.json").read_text(encoding="utf-8"))
    release: str = package["devDependencies"]["@anthropic-ai/claude-agent-sdk"]
    return release


def declarations(release: str, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our declarations of a release."""
    model = model_of(root / "spec", span=Span.at(release))
    return generate(TARGET, model, tmp_path_factory.mktemp("published")) / "index.d.ts"


@pytest.fixture(scope="module")
def index(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our declarations of the oldest release."""
    return declarations(pinned(FOLDERS[0]), root, tmp_path_factory)


@pytest.fixture(scope="module")
def found(index: Path, node: toolchain.Toolchain) -> dict[str, Any]:
    """What the program found."""
    done = node.run("node", HERE / "main.mjs", FOLDERS[0], index, *table("counterparts")["prefixes"])
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
    assert found["alone"]["ours"] == sorted(name for names in alone["ours"].values() for name in names)
    assert found["alone"]["published"] == sorted(name for names in alone["published"].values() for name in names)


def test_the_names_that_upstream_leaves_dangling_are_known(found: dict[str, Any]) -> None:
    assert found["dangling"] == table("counterparts")["dangling"]


def test_most_of_the_spec_is_compared(found: dict[str, Any]) -> None:
    assert found["counts"]["ours"] > 230
    assert found["counts"]["pairs"] > 250


# --- both directions -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=FOLDERS)
def fits(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory, node: toolchain.Toolchain
) -> tuple[str, dict[str, Any]]:
    """A release that is pinned, with the names that both have, and those whose values do not fit the other side."""
    release = pinned(request.param)
    found = node.run("node", HERE / "fits.mjs", request.param, declarations(release, root, tmp_path_factory))
    assert found.returncode == 0, found.stderr
    report: dict[str, Any] = json.loads(found.stdout)
    return release, report


@pytest.mark.parametrize("side", ["theirs", "ours"])
def test_values_fit_the_other_side_but_for_the_names_in_the_table(side: str, fits: tuple[str, dict[str, Any]]) -> None:
    release, found = fits
    assert found[side] == sorted(table("fits")[release][side])
    assert len(found["names"]) > 150


def test_the_oldest_and_the_newest_release_are_compared(root: Path) -> None:
    versions = yaml.safe_load((root / "spec" / "protocol.yaml").read_text(encoding="utf-8"))["protocol"]["versions"]
    assert [pinned(folder) for folder in FOLDERS] == [versions[0], versions[-1]] == list(table("fits"))


def test_the_comparison_finds_each_kind_of_difference(node: toolchain.Toolchain) -> None:
    told = node.run("node", "--test", HERE / "compare.test.mjs")
    assert told.returncode == 0, told.stdout
