"""The package of a protocol with literals, tuples and bounds: encoding, decoding and comparison by user code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polywire.targets.go import TARGET
from rendered import generate, model_of
from sampling import turn
from staticcheck import staticcheck
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
SPEC = HERE.parent / "specs" / "forms"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module, with the tests written in Go."""
    out = tmp_path_factory.mktemp("forms")
    generate(TARGET, model_of(SPEC), out)
    (out / "forms" / "user_test.go").write_text((HERE / "testdata" / "forms_test.go").read_text("utf-8"), "utf-8")
    return out


@pytest.mark.full
def test_the_tests_written_in_go_pass(go: Toolchain, package: Path) -> None:
    for command in (["gofmt", "-d", "."], ["go", "vet", "./..."], ["go", "test", "-vet=off", "./..."]):
        done = go.run(*command, cwd=package)
        if done.returncode or (command[0] == "gofmt" and done.stdout):
            pytest.fail(done.stdout + done.stderr, pytrace=False)


ANSWERS = """\
  shelf/span: {doc: A span., from: client, name: SpanCall, request: {}, response: "[integer, Book | null]"}
  shelf/maybe:
    {doc: A pair or nothing., from: client, name: MaybeCall, request: {}, response: "[integer, string] | null | none"}
  shelf/fine: {doc: A literal., from: client, name: FineCall, request: {}, response: '"fine" | null'}
  shelf/level: {doc: A bounded number., from: client, name: LevelCall, request: {}, response: "integer(0..5) | none"}
"""


@pytest.mark.full
def test_answers_of_every_form_travel(go: Toolchain, tmp_path: Path) -> None:
    shutil.copytree(SPEC.parent / "jsonrpc", tmp_path / "spec")
    protocol = tmp_path / "spec" / "protocol.yaml"
    before, controls, after = protocol.read_text("utf-8").partition("\ncontrols:\n")
    protocol.write_text(f"{before}{controls}{ANSWERS}{after}", "utf-8")
    generate(TARGET, model_of(tmp_path / "spec"), tmp_path / "out")
    shutil.copy(HERE / "testdata" / "answers_test.go", tmp_path / "out" / "shelf")
    for command in (["gofmt", "-d", "."], ["go", "vet", "./..."], ["go", "test", "-vet=off", "./..."]):
        done = go.run(*command, cwd=tmp_path / "out")
        if done.returncode or (command[0] == "gofmt" and done.stdout):
            pytest.fail(done.stdout + done.stderr, pytrace=False)


@turn("linter of Go")
def test_staticcheck_is_silent(go: Toolchain, package: Path) -> None:
    done = staticcheck(go, package, "./...")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_protocol_without_tuples_has_no_types_for_them(tmp_path: Path) -> None:
    generate(TARGET, model_of(SPEC.parent / "notices"), tmp_path)
    assert not list(tmp_path.glob("*/tuple*"))
