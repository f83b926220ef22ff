"""The process package of other protocols: without errors, without cancellations, with codes and notifications."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.targets.go import TARGET
from rendered import generate, model_of
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
SPECS = HERE.parents[1] / "tests" / "specs"

RECORD = """
options:
  Settings:
    doc: How the program is started.
    launch: {arguments: []}
    fields:
      program?: {type: string, doc: The program., carry: [{process: program}]}
"""

NO_CANCEL = ("    cancel: {envelope: Drop, id: /id, answered: true}\n", "")
"""A line of the spec of the desk, and its replacement."""


def module(folder: Path, spec: str, *changes: tuple[str, str]) -> Path:
    """Generate a module from a spec with options that start a process."""
    text = (SPECS / spec / "protocol.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "spec").mkdir()
    (folder / "spec" / "protocol.yaml").write_text(text + RECORD, encoding="utf-8")
    return generate(TARGET, model_of(folder / "spec"), folder / "module")


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec", "changes", "package"),
    [
        ("jsonrpc", [], "shelf"),
        ("jsonrpc", [("package: shelf}\n  rust", "package: context}\n  rust")], "context"),
        ("desk", [], "desk"),
        ("desk", [NO_CANCEL, ("package: desk}\n  rust", "package: process}\n  rust")], "process"),
    ],
)
def test_the_package_compiles_whatever_the_protocol_has(
    go: Toolchain, tmp_path: Path, spec: str, changes: list[tuple[str, str]], package: str
) -> None:
    folder = module(tmp_path, spec, *changes)
    assert (folder / package / "process" / "process.go").exists()
    for command in (["gofmt", "-d", "."], ["go", "vet", f"./{package}/process"]):
        done = go.run(*command, cwd=folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    own = (folder / package / "process" / "protocol.go").read_text(encoding="utf-8")
    assert (folder / package / "process" / "notify.go").exists() == (spec == "jsonrpc")
    assert ("options ...protocol.RefuseOption" in own) == (spec == "jsonrpc")
    assert (folder / package / "cancel.go").exists() == (NO_CANCEL not in changes)


@pytest.mark.full
def test_the_tests_written_in_go_pass(go: Toolchain, tmp_path: Path) -> None:
    """A protocol without errors, and one without cancellations."""
    folder = module(tmp_path, "desk", NO_CANCEL)
    source = (HERE / "testdata" / "desk_process_test.go").read_text(encoding="utf-8")
    (folder / "desk" / "process" / "user_test.go").write_text(source, encoding="utf-8")
    done = go.run("go", "test", "./desk/process", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_no_package_of_processes_where_options_start_none(tmp_path: Path) -> None:
    generate(TARGET, model_of(SPECS / "desk"), tmp_path)
    assert not (tmp_path / "desk" / "process").exists()
