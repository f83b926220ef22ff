"""The introduction of the README: its spec generates the types that are shown, and as many lines as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.commands.cli import cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BEGINNING = README[: README.index("## What sets it apart")]
FIRST_PROGRAM = (ROOT / "docs" / "first-program.md").read_text(encoding="utf-8")
FOLDERS = {"python": "python", "ts": "typescript", "go": "go", "rust": "rust"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the README's spec."""
    monkeypatch.chdir(tmp_path)
    (spec,) = re.findall(r"^```yaml\n# spec/protocol.yaml\n(.*?)^```", BEGINNING, re.MULTILINE | re.DOTALL)
    assert len(spec.splitlines()) <= 10
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "protocol.yaml").write_text(spec, encoding="utf-8")
    return tmp_path


def run(command: str) -> str:
    result = CliRunner().invoke(cli, command.split()[1:])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.usefixtures("folder")
def test_the_spec_has_no_faults_and_the_command_prints_what_is_shown() -> None:
    assert run("polywire lint --strict") == ""
    ((command, last),) = re.findall(r"^\$ (polywire .*)\n…\n(.*)\n```", BEGINNING, re.MULTILINE)
    assert run(command).splitlines()[-1] == last


def test_each_language_has_the_type_that_is_shown(folder: Path) -> None:
    run("polywire generate")
    types = FIRST_PROGRAM[FIRST_PROGRAM.index("## One type in each language") :]
    shown = dict(re.findall(r"^```(python|ts|go|rust)\n(.*?)^```", types, re.MULTILINE | re.DOTALL))
    assert f"```python\n{shown['python']}```" in BEGINNING
    assert shown.keys() == FOLDERS.keys()
    for fence, block in shown.items():
        files = [file for file in (folder / "generated" / FOLDERS[fence]).rglob("*") if file.is_file()]
        assert any(block in file.read_text(encoding="utf-8") for file in files), fence


def test_the_packages_are_as_long_as_it_says(folder: Path) -> None:
    (said,) = re.findall(r"about ([\d,]+) lines for nine lines of\s+YAML", BEGINNING)
    run("polywire generate")
    files = (file for file in (folder / "generated").rglob("*") if file.is_file())
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert round(lines, -3) == int(said.replace(",", ""))
