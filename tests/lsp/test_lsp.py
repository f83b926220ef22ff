"""Clients of a language server in all languages: process adapters with messages behind headers with their length."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from polywire.commands.begin import starter_text
from polywire.targets import registry
from rendered import generate, model_of
from sampling import third
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent

SOUND = """\
words
0:2 '→ wrong\\n'
2:0 '→ wrong\\n'
2:6 '→ wrong\\n'
refused with -32601
0
"""
"""What a client prints: the server's name, what it finds, that its request is refused, and its exit status."""

BROKEN = """\
words
message 2: invalid_json loading words ...
true
3
"""
"""What it prints if the server writes a malformed header: a bad item, that no answer can come, and how it ends."""


@pytest.fixture(scope="module")
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the starter for a target."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "spec").mkdir()
    (folder / "spec" / "protocol.yaml").write_text(starter_text("lsp"), encoding="utf-8")
    return generate(registry()[request.param], model_of(folder / "spec"), folder / "package")


ENDED = BROKEN.replace("true", "false").replace("3", "4")
"""What it prints if that server ends: its status is known, as the program does not have to wait to write on."""


def check(run: Callable[..., CompletedProcess[str]]) -> None:
    """Run a client with each server; `run` takes the command of the server."""
    for more, expected in (([], SOUND), (["broken"], BROKEN), (["broken", "ends"], ENDED)):
        done = run(sys.executable, HERE / "server.py", *more)
        printed = done.stdout.replace("True", "true").replace("False", "false")
        assert (done.returncode, printed, done.stderr) == (0, expected, "")


@pytest.mark.parametrize("package", ["python"], indirect=True)
@pytest.mark.parametrize("client", ["client.py", "threads.py"])
def test_python(package: Path, client: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONUTF8": "1"}

    def run(*server: str | Path) -> CompletedProcess[str]:
        command = [sys.executable, HERE / client, *server]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    check(run)


@pytest.fixture
def program(package: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A program in JavaScript that finds the package."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "lsp-wire").symlink_to(package)
    (tmp_path / request.param).write_bytes((HERE / request.param).read_bytes())
    return tmp_path / str(request.param)


@pytest.mark.parametrize(("package", "program"), [("typescript", "client.mjs")], indirect=True)
def test_typescript(program: Path, node: Toolchain) -> None:
    check(partial(node.run, "node", program))


@pytest.mark.parametrize(("package", "program"), [("typescript", "streams.mjs")], indirect=True)
def test_readers_of_web_streams_in_typescript_end_behind_a_malformed_header(program: Path, node: Toolchain) -> None:
    done = node.run("node", program)
    assert done.stdout.split("\n") == ["true", "cancelled", "true", "cancelled", "false", ""]


@pytest.mark.parametrize("package", ["go"], indirect=True)
def test_go(package: Path, go: Toolchain) -> None:
    (package / "client").mkdir()
    (package / "client" / "main.go").write_bytes((HERE / "client.go").read_bytes())
    check(partial(go.run, "go", "run", "./client", cwd=package))


@third("own protocol in Rust")
@pytest.mark.xdist_group("cargo")
@pytest.mark.parametrize("package", ["rust"], indirect=True)
def test_rust(package: Path, rust: Toolchain) -> None:
    (package / "examples").mkdir()
    (package / "examples" / "client.rs").write_bytes((HERE / "client.rs").read_bytes())
    check(
        partial(rust.run, "cargo", "run", "--quiet", "--example", "client", "--features", "process", "--", cwd=package)
    )
