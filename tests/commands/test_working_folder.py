"""polywire runs no module of the working folder, which may be a stranger's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from polywire.commands import watch


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that modules in the working folder write when they are run."""
    owned = tmp_path / "owned"
    for name in ("click", "yaml", "jinja2", "rich"):
        (tmp_path / f"{name}.py").write_text(f"open({str(owned)!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return owned


def test_the_module_runs_nothing_of_the_working_folder(planted: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "polywire", "rules"], capture_output=True, text=True, check=False)
    assert not planted.exists(), done.stderr
    assert "Usage: polywire" in done.stderr


def test_watch_runs_nothing_of_the_working_folder(planted: Path, capfd: pytest.CaptureFixture[str]) -> None:
    package = planted.parent / "polywire"
    package.mkdir()
    for name in ("__init__", "cli", "__main__"):
        (package / f"{name}.py").write_text(f"open({str(planted)!r}, 'w')\n", encoding="utf-8")
    watch._generate(["--no-such-option"])
    assert not planted.exists()
    assert "Usage: polywire generate" in capfd.readouterr().err
