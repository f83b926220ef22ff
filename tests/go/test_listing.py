"""The Go listing: the copy of it, the assertions generated from it, the table of differences in the README."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import go_listing as listing
from polywire.model.releases import Span
from polywire.targets.go import TARGET
from rendered import generate, model_of
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
README = listing.ROOT / "generated" / "go" / "README.md"


@pytest.fixture(scope="module")
def listed() -> list[listing.Declaration]:
    """The declarations of the copy."""
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
    assert listing.WRITTEN.read_text(encoding="utf-8") == listing.assertions(listed, listing.EVERYTHING)


def test_every_difference_is_of_something_listed(listed: list[listing.Declaration]) -> None:
    names = {str(declared) for declared in listed}
    assert set(listing.EVERYTHING) <= names


def test_every_difference_stands_in_the_readme() -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    words = set(re.findall(r"[\w.]+", "\n".join(rows)))
    assert set(listing.EVERYTHING) - words == set()


@pytest.mark.full
def test_the_package_of_the_listed_release_differs_by_less(
    go: Toolchain, listed: list[listing.Declaration], tmp_path: Path
) -> None:
    """Differences caused by later releases are absent from the package of the listed release."""
    package = generate(TARGET, model_of(listing.ROOT / "spec", span=Span.at("0.2.33")), tmp_path / "package")
    module = (HERE / "go.mod").read_text("utf-8").replace("../../generated/go", str(package))
    (tmp_path / "go.mod").write_text(re.sub(r"(?m)^(\t|replace )bench .*\n", "", module), "utf-8")
    shutil.copy(HERE / "go.sum", tmp_path)
    (tmp_path / "listing_test.go").write_text(listing.assertions(listed, listing.DIFFERENCES), "utf-8")
    done = go.run("go", "test", "-vet=off", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("ok  \t")
    assert "no tests to run" not in done.stdout
