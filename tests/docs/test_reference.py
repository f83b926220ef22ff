"""The page about references: its commands work, and print what the page shows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.commands.cli import cli
from polywire.reading.docs.site import MANIFEST

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests" / "specs" / "parcel", tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    (console,) = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    steps = re.findall(r"\$ polywire (.*)\n([^$]*)", console)
    assert len(steps) == 2
    for words, shown in steps:
        done = CliRunner().invoke(cli, words.split(), prog_name="polywire")
        assert done.exit_code == 0
        assert re.fullmatch(re.escape(shown).replace("…", r"\d+"), done.stdout), done.stdout
    assert (tmp_path / "docs" / "reference" / "index.html").is_file()
    assert MANIFEST in PAGE


def test_the_reference_of_this_repository_is_made_by_make_and_is_not_in_git() -> None:
    assert "polywire docs --out docs/reference\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "docs/reference/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
