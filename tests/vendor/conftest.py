"""A repository that keeps generated code, and polywire run in it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.cli import cli

PARCEL = Path(__file__).resolve().parents[1] / "specs" / "parcel"
CONFIG = """\
spec = "protocol"

[targets.jsonschema]
out = "schemas"
"""

Run = Callable[..., Result]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository with the parcel spec in `protocol`, and we are there."""
    shutil.copytree(PARCEL, tmp_path / "protocol")
    (tmp_path / ".git").mkdir()
    (tmp_path / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs the command line in this process."""

    def polywire(*words: str, **how: object) -> Result:
        return CliRunner().invoke(cli, words, prog_name="polywire", **how)  # type: ignore[arg-type]  # as invoke takes them

    return polywire


def git(*words: str, cwd: Path) -> str:
    """What git says."""
    who = ("-c", "user.name=Anybody", "-c", "user.email=anybody@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()
