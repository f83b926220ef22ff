"""The config that `polywire init` writes works, documents every key, and does not overwrite existing files."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.commands.begin import STARTERS, starter_text
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.commands.init import text_of
from polywire.conformance.derived import derived
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run as conform
from polywire.conformance.testee import Workshop, declared
from polywire.ground.parsing import toml_table
from polywire.source.schema import emit as schema_of_specs
from polywire.targets import registry
from polywire.vendor.config import KEYS, target_keys
from rendered import model_of
from sampling import third
from vendor.support import Run

ROOT = Path(__file__).resolve().parents[2]
MODELINE = "# yaml-language-server: $schema=polywire.schema.json\n"


@pytest.fixture
def empty(repository: Path) -> Path:
    """The repository without a config."""
    (repository / "polywire.toml").unlink()
    return repository


@pytest.mark.parametrize("flags", [[], ["--force"]])
def test_a_config_is_not_written_through_a_link(empty: Path, run: Run, flags: list[str]) -> None:
    (empty / "polywire.toml").symlink_to(empty.parent / f"{empty.name}-outside")
    done = run("init", "--spec", "protocol", *flags)
    assert (done.exit_code, "polywire.toml is a link" in done.stderr) == (2, True)
    assert not (empty.parent / f"{empty.name}-outside").exists()


def test_a_spec_is_not_started_through_a_link(empty: Path, run: Run) -> None:
    (empty / "spec").symlink_to(empty.parent / f"{empty.name}-outside")
    done = run("init", "--starter", "tagged")
    assert (done.exit_code, "spec already exists" in done.stderr) == (2, True)
    assert not (empty.parent / f"{empty.name}-outside").exists()


BREAKING = {"categories": ["wire"], "allow_major": True}
"""The `[breaking]` table of every new config."""


def test_flags_become_a_file_that_is_obeyed(empty: Path, run: Run) -> None:
    flags = "--spec protocol --dialect terse --target python=src/wire --target jsonschema --package python.module=wire"
    done = run("init", *flags.split(), "--root", "Envelope", "--header", 'SPDX-License-Identifier: "MIT" \\')
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "created polywire.toml\nnext: polywire generate, and commit what it writes with polywire.toml\n"
    )
    said = toml_table((empty / "polywire.toml").read_bytes())
    assert said == {
        "spec": "protocol",
        "dialect": "terse",
        "roots": ["Envelope"],
        "header": ['SPDX-License-Identifier: "MIT" \\'],
        "targets": {"python": {"out": "src/wire", "module": "wire"}, "jsonschema": {"out": "generated/jsonschema"}},
        "breaking": BREAKING,
    }
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0
    assert (empty / "src/wire/wire/_table.py").is_file()


def test_without_flags_it_is_everything_of_the_spec_that_is_there(empty: Path, run: Run) -> None:
    (empty / "protocol").rename(empty / "spec")
    assert run("init").exit_code == 0
    said = toml_table((empty / "polywire.toml").read_bytes())
    targets = {name: {"out": f"generated/{name}"} for name in registry()}
    assert said == {"spec": "spec", "targets": targets, "breaking": BREAKING}
    assert run("init", "--force", "--target", "go").exit_code == 0
    assert toml_table((empty / "polywire.toml").read_bytes()) == {
        "spec": "spec",
        "targets": {"go": {"out": "generated/go"}},
        "breaking": BREAKING,
    }


def test_a_file_that_is_there_is_kept_unless_force_is_used(repository: Path, run: Run) -> None:
    before = (repository / "polywire.toml").read_bytes()
    done = run("init", "--target", "go")
    assert done.exit_code == 2
    assert "polywire.toml already exists; edit it, or overwrite it with --force" in done.stderr
    assert (repository / "polywire.toml").read_bytes() == before
    assert run("init", "--spec", "protocol", "--target", "go", "--force").exit_code == 0
    assert b"[targets.go]" in (repository / "polywire.toml").read_bytes()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--spec", "nowhere"], "error[missing-spec] `nowhere` has no protocol.yaml"),
        (["--spec", "protocol", "--root", "Envelop"], "hint: did you mean `Envelope`?"),
        (["--spec", "protocol", "--dialect", "ters"], "hint: did you mean 'terse'?"),
        (["--spec", "protocol", "--target", "go=.."], "error[bad-path] `..` has an empty part, or one of dots"),
        (["--target", "goo"], "no target 'goo'; did you mean 'go'?"),
        (["--target", "go", "--target", "go=x"], "go is named twice"),
        (["--target", "go", "--package", "go=x"], "expected TARGET.KEY=NAME, such as python.module=wire, got 'go=x'"),
        (["--target", "go", "--package", "python.module=x"], "'python' is not generated"),
        (
            ["--target", "go", "--package", "go.modul=x"],
            "the packages of go have no key 'modul'; did you mean 'module'?",
        ),
        (["--spec", "protocol", "--templates", "ours"], "`ours` is not a folder"),
        (
            ["--protocol", "agentline"],
            "polywire does not come with a protocol 'agentline'; did you mean",
        ),
        (["--protocol", "agentlines", "--spec", "protocol"], "--protocol and --spec exclude each other"),
        (["--starter", "tagged", "--protocol", "agentlines"], "--starter and --protocol exclude each other"),
        (["--starter", "tagged", "--spec", "protocol"], "protocol already exists"),
        (["--starter", "tagged", "--spec", "bundled"], "--spec bundled is not a folder"),
    ],
)
def test_what_could_not_be_obeyed_is_not_written(empty: Path, run: Run, flags: list[str], told: str) -> None:
    done = run("init", *flags)
    assert done.exit_code == 2, done.output
    assert told in done.stderr
    assert not (empty / "polywire.toml").exists()


def test_every_key_stands_in_it_with_a_word_about_it() -> None:
    text = text_of("bundled", {name: f"x/{name}" for name in registry()}, {})
    flat = " ".join(text.replace("\n# ", " ").split())
    for name, key in KEYS.items():
        assert name == "targets" or " ".join(key.doc.split()) in flat
    for target in registry().values():
        for name, key in target_keys(target).items():
            assert f"{name} = " in text
            assert key.doc in text


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(TEXTS, st.lists(TEXTS), TEXTS)
def test_any_text_survives_being_written(spec: str, header: list[str], module: str) -> None:
    said = toml_table(text_of(spec, {"go": "x"}, {"go": {"module": module}}, None, (), header).encode())
    assert (said["spec"], said.get("header", []), said["targets"]["go"]["module"]) == (spec, header, module)


def test_a_spec_is_imported_first_if_a_source_is_named(empty: Path, run: Run) -> None:
    schema = empty / "chat.json"
    schema.write_text('{"$defs": {"Note": {"type": "object", "properties": {"text": {"type": "string"}}}}}')
    done = run("init", "--from", "chat.json", "--root", "Note", "--spec", "chat", "--target", "python")
    assert done.exit_code == 0, done.output
    assert "wrote protocol.yaml, types.yaml, import.json" in done.stdout
    assert (empty / "chat/polywire.schema.json").read_bytes() == schema_of_specs()
    assert (
        (empty / "chat/protocol.yaml").read_text().startswith("# yaml-language-server: $schema=polywire.schema.json\n")
    )
    assert toml_table((empty / "polywire.toml").read_bytes())["spec"] == "chat"
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0
    again = run("import", "--from", "json-schema", "chat.json", "--out", "chat")
    assert "wrote nothing: the spec is up to date" in again.stdout


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("chat.txt", "", "cannot tell its kind from its name"),
        ("chat.json", "{", "a JSON Schema is a JSON document"),
    ],
)
def test_a_source_that_cannot_be_imported_is_wrong_use(
    empty: Path, run: Run, name: str, text: str, message: str
) -> None:
    (empty / name).write_text(text)
    done = run("init", "--from", name, "--root", "Note", "--spec", "chat")
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not (empty / "chat").exists()
    assert not (empty / "polywire.toml").exists()


# --- a repository without a spec ---------------------------------------------------------------------------------

WAYS = ["--starter tagged", "--starter json-rpc", "--starter lsp", "--from FILE", "--protocol agentlines"]


def test_asked_for_nothing_it_begins_with_nothing_and_lists_the_ways(empty: Path, run: Run) -> None:
    done = run("init", "--target", "go")
    assert done.exit_code == 2
    assert "there is no spec in spec/; choose how to start" in done.stderr
    assert [line.split("  ")[1] for line in done.stderr.splitlines() if line.startswith("  polywire")] == [
        f"polywire init {way}" for way in WAYS
    ]
    assert {path.name for path in empty.iterdir()} == {".git", "protocol"}


def at_terminal(folder: Path, answers: str, *flags: str) -> tuple[int, str]:
    """The exit status and the output of `polywire init` at a terminal with these lines as input."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "polywire", "init", *flags]
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        os.write(ours, answers.encode())
        printed = b""
        try:
            while data := os.read(ours, 65536):
                printed += data
        except OSError:  # how Linux reports that the other end of the terminal is closed
            pass
    os.close(ours)
    return child.returncode, printed.decode()


@pytest.mark.parametrize(
    ("answers", "spec"),
    [("\n", "spec"), ("json-rpc\n", "spec"), ("agentlines\n", "bundled"), ("import\nc.json\n", "spec")],
)
def test_at_a_terminal_it_asks(empty: Path, answers: str, spec: str) -> None:
    (empty / "c.json").write_text('{"$defs": {"Note": {"type": "object", "properties": {"text": {"type": "string"}}}}}')
    status, printed = at_terminal(
        empty, answers, "--target", "jsonschema", *(["--root", "Note"] if "import" in answers else [])
    )
    assert status == 0, printed
    assert all(f"polywire init {way}" in printed for way in WAYS)
    assert toml_table((empty / "polywire.toml").read_bytes())["spec"] == spec
    assert (empty / "spec" / "protocol.yaml").exists() is (spec == "spec")


def test_the_bundled_protocol_is_chosen_by_its_name(empty: Path, run: Run) -> None:
    assert run("init", "--protocol", "agentlines", "--target", "jsonschema").exit_code == 0
    assert toml_table((empty / "polywire.toml").read_bytes())["spec"] == "bundled"
    assert not (empty / "spec").exists()


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_is_a_spec_without_findings_which_editors_can_check(empty: Path, run: Run, name: str) -> None:
    done = run("init", "--starter", name)
    assert done.stdout.startswith(
        "created spec/protocol.yaml\ncreated spec/polywire.schema.json\ncreated polywire.toml\n"
    )
    assert (empty / "spec/polywire.schema.json").read_bytes() == schema_of_specs()
    assert starter_text(name).startswith(MODELINE)
    lint = run("lint", "--strict")
    assert (lint.exit_code, lint.output) == (0, "")
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_shows_messages_a_request_an_enum_a_table_and_all_presences(empty: Path, run: Run, name: str) -> None:
    assert run("init", "--starter", name).exit_code == 0
    model = model_of(empty / "spec")
    assert [control for control in model.controls if control.response is not None]
    assert [struct for struct in model.structs if struct.origin]
    assert model.enums
    assert model.tables
    presences = {(each.required, each.nullable) for struct in model.structs for each in struct.fields}
    assert presences == {(True, False), (True, True), (False, False), (False, True)}


STORED: dict[str, tuple[str, str, str, list[Any]]] = {
    "tagged": (
        "example_protocol",
        '{"type":"said","by":{"name":"Ann","email":null,"tags":[],"scores":{}},"text":"Hello."}',
        "messages",
        [None, "Ann", "Hello.", None, '{"name":"Ann","email":null,"tags":[],"scores":{}}'],
    ),
    "json-rpc": (
        "example_protocol",
        '{"jsonrpc":"2.0","id":7,"method":"books/find","params":{"title":"Emma"}}',
        "requests",
        ["7", "books/find", "Emma", '{"title":"Emma"}'],
    ),
    "lsp": (
        "lsp_wire",
        (
            '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"file:///a","diagnostics":[{"range":'
            '{"start":{"line":2,"character":0},"end":{"line":2,"character":4}},"message":"Undefined.","severity":1}]}}'
        ),
        "diagnostics",
        ["file:///a", 2, 1, None, "Undefined."],
    ),
}
"""By starter: the module of its package, a stored line, a table, and the columns of the row of the line."""


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages that were generated in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "generated" / "python")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize("name", STARTERS)
def test_a_stored_line_is_a_row_of_a_table_of_a_starter(empty: Path, run: Run, name: str) -> None:
    module, line, table, columns = STORED[name]
    assert run("init", "--starter", name, "--target", "python").exit_code == 0
    assert run("generate").exit_code == 0
    (empty / "stored.ndjson").write_text(f"\n{line}\n", encoding="utf-8")
    program = f"""
import json
from {module} import tables
print(json.dumps([tables.NAMES, [*tables._TABLES.rows(tables.NAMES, ["stored.ndjson"])]]))
"""
    names, rows = json.loads(python(empty, "-c", program).stdout)
    assert names == [table, "problems"]
    assert rows == [[table, ["stored.ndjson", 2, 0, *columns]]]


@pytest.mark.parametrize("name", STARTERS)
def test_the_command_of_a_starters_package_writes_its_table(empty: Path, run: Run, name: str) -> None:
    module, line, table, _ = STORED[name]
    assert run("init", "--starter", name, "--target", "python").exit_code == 0
    assert run("generate").exit_code == 0
    (empty / "stored.ndjson").write_text(f"{line}\n", encoding="utf-8")
    done = python(empty, "-m", f"{module}.tables", table, "stored.ndjson", "--out", "table.parquet")
    assert done.stderr == f"table.parquet: 1 row of {table}\n"
    assert (empty / "table.parquet").exists()


TESTEES = {each.name: each for each in declared(BUNDLED_TESTEES)}
COMPILED = {"go", "rust"}


@pytest.mark.parametrize("name", STARTERS)
@pytest.mark.parametrize(
    "testee",
    [
        pytest.param(each, marks=third("starters in compiled languages") if each in COMPILED else ())
        for each in ("python", "jsonschema-rs", "typescript", "go", "rust")
    ],
)
def test_the_packages_of_a_starter_pass_every_case_derived_from_it(tmp_path: Path, name: str, testee: str) -> None:
    (tmp_path / "protocol.yaml").write_text(starter_text(name), encoding="utf-8")
    protocol = Protocols(tmp_path).default
    cases = derived(protocol, seed=0, random=0)
    with Workshop(ROOT) as workshop:
        result = conform(cases, TESTEES[testee], workshop, protocol, folder=ROOT, patience=60)
    assert result.cannot_run is None, result.cannot_run
    assert result.problems == ()
    assert [verdict for verdict in result.verdicts if verdict.outcome == "failed"] == []
    assert len([verdict for verdict in result.verdicts if verdict.outcome == "passed"]) > 100
