"""The package as type checkers, linters and builders meet it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DISTRIBUTION = ROOT / "generated" / "python"
USERS = (HERE / "user_code.py", ROOT / "tests" / "flavours" / "user_of_flavours.py")


def run(*arguments: str, folder: Path = DISTRIBUTION) -> str:
    """Run a module of this interpreter; its output is the message if it fails."""
    environment = os.environ | {"PYTHONPATH": str(DISTRIBUTION), "MYPYPATH": str(DISTRIBUTION)}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_mypy_is_strict_about_the_package() -> None:
    run("mypy", "--config-file", "pyproject.toml")


def test_mypy_is_strict_about_the_code_of_users() -> None:
    run("mypy", "--strict", "--config-file", os.devnull, *map(str, USERS))


@pytest.mark.full
def test_pyright_is_strict_about_the_package() -> None:
    run("pyright", "-p", str(DISTRIBUTION))


@pytest.mark.full
def test_pyright_is_strict_about_the_code_of_users(tmp_path: Path) -> None:
    for file in USERS:
        shutil.copy(file, tmp_path)
    config = {"typeCheckingMode": "strict", "extraPaths": [str(DISTRIBUTION)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    options = ("--outputjson", "--pythonpath", sys.executable)
    told = json.loads(run("pyright", "-p", str(tmp_path), *options, folder=tmp_path))
    assert told["summary"]["filesAnalyzed"] == len(USERS)


def test_stubs_and_run_time_agree() -> None:
    run("mypy.stubtest", "agentproto", "--allowlist", str(HERE / "stubtest.allow"), "--ignore-unused-allowlist")


def test_ruff_changes_nothing() -> None:
    run("ruff", "format", "--check", "--no-cache", ".")
    run("ruff", "check", "--no-cache", ".")


def test_importing_the_package_imports_little() -> None:
    code = "import sys; sys.modules['orjson'] = None; import agentproto; print(*sorted(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(DISTRIBUTION)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"dataclasses", "typing", "inspect", "asyncio", "uuid", "agentproto._slow", "agentproto._plan"}
