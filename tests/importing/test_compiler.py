"""The compiler that reads TypeScript declarations is polywire's own or named by the user, and never of the tree."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.conformance import toolchain as found
from polywire.ground.errors import WrongUseError
from polywire_import import typescript
from polywire_upstream import config, declarations

SOURCE = "export interface Root { a: string }\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with declarations, and with compilers that write a file when they are run."""
    for folder in (tmp_path, tmp_path / "inner"):
        package = folder / "node_modules" / "typescript"
        package.mkdir(parents=True)
        (package / "package.json").write_text('{"name": "typescript", "version": "6.0.3", "main": "it.js"}')
        planted = f"require('fs').writeFileSync({str(tmp_path / 'owned')!r}, 'x'); exports.version = '6.0.3';"
        (package / "it.js").write_text(planted, encoding="utf-8")
        (folder / "source.ts").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(*words: str) -> Result:
    return CliRunner().invoke(cli, ["import", "--from", "typescript", "--root", "Root", "--out", "spec", *words])


@pytest.mark.usefixtures("node")
def test_a_compiler_of_the_working_folder_is_not_run(tree: Path) -> None:
    done = imported("inner/source.ts")
    assert done.exit_code == 0, done.output
    assert list(declarations.read(tree / "inner", ["source.ts"], [], expand=[])) == ["Root"]
    assert not (tree / "owned").exists()


@pytest.mark.usefixtures("node")
def test_the_compiler_that_the_user_names_is_run(tree: Path) -> None:
    imported("source.ts", "--typescript", "node_modules/typescript")
    assert (tree / "owned").exists()


@pytest.mark.usefixtures("node", "tree")
def test_a_folder_that_is_no_package_is_refused() -> None:
    done = imported("source.ts", "--typescript", "inner")
    assert done.exit_code == 2
    assert "--typescript inner: expected the folder of the package, with its package.json" in done.output


@pytest.mark.usefixtures("node", "tree")
def test_a_compiler_that_cannot_be_installed_is_an_error_that_names_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typescript, "node_packages_of", lambda _: (Path("cache"), "npm ci failed: no network"))
    done = imported("source.ts")
    assert done.exit_code == 2
    assert "npm ci failed: no network" in done.output
    assert "could not be installed into cache; to use another one, pass its folder: --typescript FOLDER" in done.output


@pytest.mark.usefixtures("tree")
def test_a_machine_without_node_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typescript, "node", lambda: None)
    assert "there is no Node ≥ 20.19 on PATH; install it" in imported("source.ts").output


def test_the_spec_does_not_choose_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "releases.toml"
    path.write_text('compiler = "typescript@npm:evil"\n', encoding="utf-8")
    with pytest.raises(WrongUseError, match="unknown key 'compiler'"):
        config.load(path)


@pytest.mark.parametrize("entry", ["bin", ".", "./bin", ""])
def test_a_program_of_the_working_folder_is_not_run_through_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "node").write_text("#!/bin/sh\necho v99.0.0\n", encoding="utf-8")
        (folder / "node").chmod(stat.S_IRWXU)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", entry)
    assert found.program_on_path("node") is None
    monkeypatch.setenv("PATH", os.pathsep.join([entry, str(tmp_path / "bin")]))
    assert found.program_on_path("node") == str(tmp_path / "bin" / "node")
