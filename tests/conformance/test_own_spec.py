"""`polywire conformance` in a user's folder that contains only a spec."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toolchain
from polywire.commands.cli import cli
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.testee import declared
from polywire.conformance.toolchain import cache_folder

LANGUAGES = ("go", "python", "rust", "typescript")
QUICK = ("--testee", "python", "--testee", "typescript")


def polywire(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the starter's spec and a `polywire.toml`, before any package is generated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    begun = polywire("init", "--starter", "tagged", "--target", "python=wire")
    assert begun.exit_code == 0, begun.output
    return tmp_path


def closing(result: Result) -> str:
    return result.output.rstrip("\n").rsplit("\n", 1)[-1]


def test_every_language_has_a_testee_that_comes_with_polywire() -> None:
    assert {testee.target for testee in declared(BUNDLED_TESTEES)} == {*LANGUAGES, "jsonschema"}


@pytest.mark.usefixtures("own", "node")
def test_packages_that_were_not_generated_are_made_for_the_run_and_cases_need_no_fixture() -> None:
    result = polywire("conformance", *QUICK, "--derive", "0")
    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"[1-9]\d{3} passed, 0 failed, 0 skipped", closing(result))
    assert re.search(r"coverage of example: (\d+) of \1 elements reached", result.output)


def test_the_packages_that_polywire_toml_says_are_tested_where_they_are(own: Path) -> None:
    assert polywire("generate").exit_code == 0
    table = own / "wire" / "example_protocol" / "_table.py"
    table.write_text(table.read_text(encoding="utf-8").replace('"text"', '"tixt"'), encoding="utf-8")
    result = polywire("conformance", "--testee", "python-stdlib", "--derive", "0", "--show", "1")
    assert result.exit_code == 1
    assert "tixt" in result.output


def test_the_spec_and_the_fixtures_are_found_from_a_folder_below(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert polywire("conformance", "--init-fixtures").exit_code == 0
    (own / "below").mkdir()
    monkeypatch.chdir(own / "below")
    result = polywire("conformance", "--testee", "python-stdlib", "--derive", "0")
    assert result.exit_code == 0, result.output
    assert re.search(r"tests/fixtures/first +3\n", result.output)


def test_a_repository_may_declare_testees_of_its_own(own: Path) -> None:
    declaration = own / "tests" / "conformance" / "testees.toml"
    declaration.parent.mkdir(parents=True)
    declaration.write_text('[ours]\ncommand = ["no-such-program"]\n', encoding="utf-8")
    result = polywire("conformance", "--derive", "0")
    assert re.search("^ours: it cannot be|SKIPPED ours:", result.output, re.MULTILINE), result.output
    assert "python" not in result.output.split("SKIPPED")[0]


# --- --init-fixtures -------------------------------------------------------------------------------------------


def test_the_first_fixtures_are_a_case_of_each_kind_and_pass(own: Path) -> None:
    begun = polywire("conformance", "--init-fixtures")
    assert begun.output.splitlines() == [
        "created tests/fixtures/_defaults.json",
        "created tests/fixtures/first/cases.json",
    ]
    assert json.loads((own / "tests/fixtures/_defaults.json").read_text(encoding="utf-8")) == {"type": "Line"}
    accepted, kept, refused = json.loads((own / "tests/fixtures/first/cases.json").read_text(encoding="utf-8"))
    assert (accepted["input"], accepted["expect"]) == ({"type": "left", "name": "text"}, {"variant": "Left"})
    assert kept["expect"]["unknown"]
    assert refused["expect"]["error"]["path"].startswith("/")
    result = polywire("conformance", "--testee", "python-stdlib", "--cases", "tests/fixtures")
    assert (result.exit_code, closing(result)) == (0, "3 passed, 0 failed, 0 skipped")


def test_fixtures_that_are_there_are_left_alone(own: Path) -> None:
    (own / "tests" / "fixtures").mkdir(parents=True)
    (own / "tests" / "fixtures" / "mine.json").write_text("{}", encoding="utf-8")
    result = polywire("conformance", "--init-fixtures")
    assert result.exit_code == 2
    assert "tests/fixtures already has fixtures; add a file to it" in result.output
    assert [path.name for path in (own / "tests" / "fixtures").iterdir()] == ["mine.json"]


def test_the_first_fixtures_of_a_type_that_is_no_union_say_what_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "protocol.yaml").write_text(
        "polywire: 1\n"
        "protocol: {name: p, title: P, version: 1.0, framing: ndjson, peers: [a, b], roots: [Point]}\n"
        "types:\n  Point: {doc: A place., fields: {x: integer}}\n",
        encoding="utf-8",
    )
    begun = polywire("conformance", "--init-fixtures")
    assert begun.exit_code == 0, begun.output
    result = polywire("conformance", "--testee", "python-stdlib", "--cases", "tests/fixtures")
    assert (result.exit_code, closing(result)) == (0, "3 passed, 0 failed, 0 skipped"), result.output


# --- missing toolchains ----------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_language_without_its_toolchain_is_skipped_and_the_reason_says_what_to_install(
    own: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tables = (f'[targets.{target}]\nout = "{target}"\n' for target in (*LANGUAGES, "jsonschema"))
    (own / "polywire.toml").write_text('spec = "spec"\n' + "".join(tables), encoding="utf-8")
    empty = tmp_path_factory.mktemp("bin")
    wheels = f"import sysconfig; sysconfig.get_path = lambda name: {str(empty)!r}"
    (empty / "sitecustomize.py").write_text(wheels, encoding="utf-8")
    bare = {"PATH": str(empty), "HOME": str(empty), "PYTHONPATH": str(empty)}
    done = subprocess.run(
        [sys.executable, "-m", "polywire", "conformance", "--derive", "0"],
        env=bare,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = dict(re.findall(r"^SKIPPED ([\w-]+): (.*)$", done.stdout, re.MULTILINE))
    assert skipped.keys() == {"ajv", "typescript", "go", "rust", "rust-from-str", "rust-from-value", "rust-flatten"}
    assert skipped["typescript"] == skipped["ajv"]
    for name, said in {"typescript": "Node ≥ 20.19", "go": "Go ≥ 1.24", "rust": "Cargo ≥ 1.85"}.items():
        assert re.fullmatch(rf"there is no {said} on PATH; install .+", skipped[name])


def test_what_is_kept_is_outside_of_the_folder_and_of_the_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == toolchain.VENV
    monkeypatch.setattr("polywire.conformance.toolchain.__file__", "/usr/lib/site-packages/polywire/conformance/t.py")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    monkeypatch.delenv("POLYWIRE_CACHE", raising=False)
    if os.name == "posix" and sys.platform != "darwin":
        assert cache_folder() == Path("/elsewhere/polywire")
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        assert cache_folder() == Path.home() / ".cache" / "polywire"
    monkeypatch.setenv("POLYWIRE_CACHE", "/given")
    assert cache_folder() == Path("/given")
