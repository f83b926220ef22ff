"""A repository with generated code, and polywire run in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from vendor.support import CONFIG, PARCEL, Run


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository with the parcel spec in `protocol`; it is the working directory."""
    shutil.copytree(PARCEL, tmp_path / "protocol")
    (tmp_path / ".git").mkdir()
    (tmp_path / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def run() -> Run:
    """Run the command line in this process."""

    def polywire(*words: str, **how: object) -> Result:
        return CliRunner().invoke(cli, words, prog_name="polywire", **how)  # type: ignore[arg-type]  # as invoke takes them

    return polywire
