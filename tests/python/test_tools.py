"""The package as type checkers, linters and builders meet it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

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
    run("mypy", "--config-file", "pyproject.toml", "--cache-dir", os.devnull)


def test_mypy_is_strict_about_the_code_of_users() -> None:
    run("mypy", "--strict", "--cache-dir", os.devnull, "--config-file", os.devnull, *map(str, USERS))


def test_pyright_is_strict_about_the_package() -> None:
    run("pyright", "-p", str(DISTRIBUTION))


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


def test_the_wheel_has_the_stubs(tmp_path: Path) -> None:
    run("hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"agentproto/py.typed", "agentproto/model.pyi", "agentproto/__init__.pyi"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_an_empty_environment_installs_it_and_reads_a_capture(tmp_path: Path) -> None:
    run("hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", str(wheel)]
    subprocess.run(pip, check=True)
    program = (
        "import sys, agentproto as ap\n"
        "for item in ap.read(sys.stdin.buffer):\n"
        "    if isinstance(item, ap.ResultSuccess): print(item.result)\n"
        "print(ap.__file__)\n"
    )
    with (ROOT / "tests" / "captures" / "0.2.37" / "structured_ok.out.ndjson").open("rb") as capture:
        done = subprocess.run(
            [str(python), "-I", "-c", program], stdin=capture, cwd=tmp_path, capture_output=True, text=True, check=True
        )
    answer, file = done.stdout.splitlines()
    assert answer == "Done."
    assert Path(file).is_relative_to(tmp_path / "empty")


def test_importing_the_package_imports_little() -> None:
    code = "import sys; sys.modules['orjson'] = None; import agentproto; print(*sorted(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(DISTRIBUTION)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"dataclasses", "typing", "inspect", "asyncio", "uuid", "agentproto._slow", "agentproto._plan"}
