"""The package of a JSON-RPC protocol: ids of two types, results of every type, errors with typed data."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.targets.go import TARGET
from rendered import generate, model_of
from toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "specs" / "jsonrpc"
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module, with the tests written in Go."""
    out = tmp_path_factory.mktemp("jsonrpc")
    generate(TARGET, model_of(SPEC), out)
    (out / "shelf" / "user_test.go").write_text((HERE / "testdata" / "jsonrpc_test.go").read_text("utf-8"), "utf-8")
    return out


@pytest.mark.full
def test_the_tests_written_in_go_pass(go: Toolchain, package: Path) -> None:
    for command in (["gofmt", "-d", "."], ["go", "vet", "./..."], ["go", "test", "-vet=off", "./..."]):
        done = go.run(*command, cwd=package)
        if done.returncode or (command[0] == "gofmt" and done.stdout):
            pytest.fail(done.stdout + done.stderr, pytrace=False)


def test_a_protocol_without_tools_offers_nothing_for_them(package: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (package / "shelf").glob("*.go"))
    assert "type ControlID = RequestID" in text
    assert "ToolInput" not in text
    assert "ToolOutput" not in text


def test_an_answer_of_another_type_is_an_error_of_the_compiler(go: Toolchain, package: Path) -> None:
    wrong = 'package shelf\n\nvar _, _ = Reply(nil, CountCall{}, "3")\n'
    (package / "shelf" / "wrong.go").write_text(wrong, encoding="utf-8")
    done = go.run("go", "build", "./...", cwd=package)
    (package / "shelf" / "wrong.go").unlink()
    assert "wrong.go:3" in done.stderr
