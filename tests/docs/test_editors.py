"""The page about editors: the files and lines that it names, and what an editor reports by the schema named there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft7Validator, Draft202012Validator

from language_server import editor
from polywire.commands.cli import cli
from polywire.ground.parsing import toml_table
from polywire.source.report import Faults
from polywire.source.tree import read
from toolchain import Toolchain
from yaml_values import as_yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
(MODELINE,) = re.findall(r"^```yaml\n(.*\n)```", PAGE, re.MULTILINE)
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
FILES = sorted((ROOT / "spec").rglob("*.yaml"))
POINT = '{"type": "object", "properties": {"x": {"type": "number"}}}'


def run(*words: str) -> str:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def complaints(file: Path) -> list[str]:
    """Return what an editor reports about a file: violations of the schema that its first line names."""
    text = file.read_text(encoding="utf-8")
    named = LINE.match(text)
    assert named is not None, f"{file} names no schema"
    schema = json.loads((file.parent / named[1]).read_text(encoding="utf-8"))
    values = as_yaml(read(text.encode(), file.name, Faults()))
    found: Any = Draft7Validator(schema).iter_errors(values)
    return [f"{error.json_path}: {error.message}" for error in found]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- specs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("init", "--starter", "tagged", "--target", "python"),
        ("init", "--starter", "json-rpc", "--target", "python"),
        ("init", "--from", "point.json", "--target", "python"),
    ],
    ids=["tagged", "json-rpc", "--from"],
)
def test_a_new_spec_starts_with_the_line_of_the_page_and_satisfies_its_schema(
    words: tuple[str, ...], folder: Path
) -> None:
    (folder / "point.json").write_text(POINT, encoding="utf-8")
    run(*words)
    file = folder / "spec" / "protocol.yaml"
    assert file.read_text(encoding="utf-8").startswith(MODELINE)
    assert complaints(file) == []


def test_an_import_writes_no_schema(folder: Path) -> None:
    (folder / "point.json").write_text(POINT, encoding="utf-8")
    run("import", "--from", "json-schema", "point.json", "--out", "spec")
    assert not (folder / "spec" / "polywire.schema.json").exists()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_file_of_our_spec_starts_with_the_line_and_satisfies_the_schema(file: Path) -> None:
    line = MODELINE.replace("=", "=../") if file.parent.name == "dialects" else MODELINE
    assert line.split()[-1] in PAGE
    assert file.read_text(encoding="utf-8").startswith(line)
    assert complaints(file) == []


MISTAKES = {
    "a key": ("from: server", "form: server", "('form' was unexpected)"),
    "a missing key": ("open: true # unl", "# unl", "'open' is a required property"),
    "a kind of value": ("fields: {name: string}", "fields: [name]", "['name'] is not of type 'object'"),
    "a list": ("peers: [client, server]", "peers: client", "'client' is not of type 'array'"),
    "a flag": ("open: true # unl", "open: maybe # unl", "'maybe' is not of type 'boolean'"),
    "a word": ("framing: ndjson", "framing: lines", "'lines' is not one of ['ndjson', 'content-length', 'sse']"),
    "the form of a name": ("  Person:\n", "  a person:\n", "'a person' does not match"),
    "the version of the language": ("polywire: 1", "polywire: 2", "2 is not one of [1]"),
}
"""What is wrong → text of the starter, the mistake in its place, and the end of an editor's message."""


@pytest.mark.parametrize("kind", MISTAKES)
def test_an_editor_reports_a_mistake_in_the_grammar_as_lint_does(kind: str, folder: Path) -> None:
    right, wrong, message = MISTAKES[kind]
    run("init", "--starter", "tagged", "--target", "python")
    file = folder / "spec" / "protocol.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != text
    assert any(message in each for each in complaints(file)), complaints(file)
    assert CliRunner().invoke(cli, ["lint"]).exit_code == 1


def test_a_name_that_is_not_declared_is_left_to_lint(folder: Path) -> None:
    run("init", "--starter", "tagged", "--target", "python")
    file = folder / "spec" / "protocol.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("mood?: Mood", "mood?: Moood"), encoding="utf-8")
    assert complaints(file) == []
    assert "error[unknown-name] `Moood` is not declared" in CliRunner().invoke(cli, ["lint"]).output


def test_an_editor_marks_mistakes_completes_keys_and_shows_what_they_mean(node: Toolchain, folder: Path) -> None:
    run("init", "--starter", "tagged", "--target", "python")
    good = folder / "spec" / "protocol.yaml"
    (folder / "spec" / "dialects").mkdir()
    dialect = f"{MODELINE.replace('=', '=../')}dialect: terse\ndoc: Fewer words.\nremoove: {{}}\n"
    (folder / "spec" / "dialects" / "terse.yaml").write_text(dialect, encoding="utf-8")
    text = good.read_text(encoding="utf-8")
    (folder / "spec" / "bad.yaml").write_text(text.replace("from: server", "form: server"), encoding="utf-8")
    lines = text.splitlines()
    peers = 1 + next(number for number, line in enumerate(lines) if line.startswith("  peers:"))
    form = 1 + next(number for number, line in enumerate(lines) if line == "    from: server")
    with editor(node, folder) as opened:
        assert opened.mistakes("spec/protocol.yaml") == []
        assert opened.mistakes("spec/bad.yaml") == [
            (form - 2, 'Missing property "from".'),
            (form, "Property form is not allowed."),
        ]
        assert opened.mistakes("spec/dialects/terse.yaml") == [(4, "Property remoove is not allowed.")]
        assert {"from", "examples"} <= opened.completions("spec/bad.yaml", form, 5)
        assert "The peers that talk to each other" in opened.hover("spec/protocol.yaml", peers, 4)


# --- polywire.toml ---------------------------------------------------------------------------------------------


def test_the_config_names_what_the_command_of_the_page_writes_and_satisfies_it(folder: Path) -> None:
    (line,) = re.findall(r"^```toml\n#:schema (\S+)\n```", PAGE, re.MULTILINE)
    (command, written) = re.findall(r"^\| `polywire (schema config) > (\S+)` \|", PAGE, re.MULTILINE)[0]
    assert line == f"./{written}"
    run("init", "--starter", "tagged", "--target", "python")
    validator = Draft202012Validator(json.loads(run(*command.split())))
    config = toml_table((folder / "polywire.toml").read_bytes())
    assert [error.message for error in validator.iter_errors(config)] == []
    (mistake,) = validator.iter_errors({**config, "spek": "x"})
    assert "('spek' was unexpected)" in mistake.message


def test_the_command_of_the_page_renews_what_init_writes(folder: Path) -> None:
    ((command, written),) = re.findall(r"^\| `polywire (schema) > (\S+)` \|", PAGE, re.MULTILINE)
    run("init", "--starter", "tagged", "--target", "python")
    assert (folder / written).read_text(encoding="utf-8") == run(command)
