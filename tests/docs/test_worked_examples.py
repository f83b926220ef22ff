"""Each page of `docs/` has a tested example: tests here run its section "Example", or others run its code blocks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sampling import third
from transcripts import follow, sections, with_polywire

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

HERE = {
    "benchmarks.md": True,
    "comparison.md": False,
    "dialects.md": True,
    "editors.md": False,
    "glossary.md": True,
    "importing.md": False,
    "limits.md": True,
    "names.md": False,
    "native.md": False,
    "releases.md": True,
    "rules.md": False,
    "sessions.md": False,
    "transcripts.md": True,
    "troubleshooting.md": False,
}
"""Pages whose example is run here: in the checkout if true, otherwise in an empty folder."""

ELSEWHERE = {
    "breaking.md": "tests/breaking/test_command.py",
    "conformance.md": "tests/docs/test_testees.py",
    "first-program.md": "tests/docs/test_examples.py",
    "flavours.md": "tests/docs/test_flavours.py",
    "following-upstream.md": "tests/upstream/test_page.py",
    "packages.md": "tests/consumers/test_dist.py",
    "ports.md": "tests/docs/test_pages.py",
    "reference.md": "tests/docs/test_reference.py",
    "spec-language.md": "tests/docs/test_spec_language.py",
    "tables.md": "tests/python/test_tables.py",
    "trees.md": "tests/conformance/test_trees.py",
    "vendoring.md": "tests/docs/test_strangers_path.py",
    "your-protocol.md": "tests/docs/test_your_protocol.py",
}
"""Pages whose blocks are run by another test, with its file."""


def test_every_page_but_the_index_has_an_example_that_a_test_runs() -> None:
    assert {page.name for page in DOCS.glob("*.md")} == {"README.md", *HERE, *ELSEWHERE}
    for page, test in ELSEWHERE.items():
        assert page in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not read {page}"


@third("worked examples")
@pytest.mark.parametrize("page", HERE)
def test_the_example_of_a_page_prints_what_is_shown(page: str, tmp_path: Path) -> None:
    found = with_polywire()
    packages = os.pathsep.join((str(ROOT / "generated" / "python"), found.get("PYTHONPATH", "")))
    follow(sections(DOCS / page)["Example"], ROOT if HERE[page] else tmp_path, {**found, "PYTHONPATH": packages})
