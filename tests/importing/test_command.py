"""The command `polywire import`: its output and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from importing.imports import TEXT, an_object, ref, schema
from polywire.commands.cli import cli


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["import", *map(str, words)], prog_name="polywire")


def test_it_prints_what_was_lost_and_what_was_written(tmp_path: Path) -> None:
    source = schema(
        tmp_path,
        {
            "Root": an_object({"a": {**TEXT, "pattern": "^a"}, "b": ref("Other")}),
            "Other": an_object({"c": TEXT}),
            "Unused": an_object({"d": {**TEXT, "pattern": "^d"}}),
        },
    )
    spec, report = tmp_path / "spec", tmp_path / "report.txt"
    done = run("--from", "json-schema", source, "--root", "Root", "--out", spec, "--report", report)
    assert done.exit_code == 0, done.output
    assert done.output == (
        "lost /$defs/Root/properties/a: `pattern` is not checked\n"
        "2 in types; 0 overrides; 1 lost\n"
        "wrote protocol.yaml, types.yaml, import.json\n"
    )
    assert report.read_text(encoding="utf-8") == done.output
    again = run("--from", "json-schema", source, "--out", spec)
    assert again.output.endswith("wrote nothing: the spec is up to date\n")


def test_a_spec_with_errors_is_written_and_they_are_printed(tmp_path: Path) -> None:
    source = schema(tmp_path, {"Root": an_object({"next": ref("Root")}, "next")})
    done = run("--from", "json-schema", source, "--root", "Root", "--out", tmp_path / "spec")
    assert done.exit_code == 1
    assert "error[infinite-type]" in done.output
    assert (tmp_path / "spec/types.yaml").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--from", "json-schema", "SOURCE", "--out", "spec"], "name one with `--root NAME`"),
        (["--from", "json-schema", "SOURCE", "--root", "Rot", "--out", "spec"], "the source declares no 'Rot'"),
        (["--from", "avro", "SOURCE", "--out", "spec"], "'avro' is not one of"),
        (["--from", "json-schema", "missing.json", "--out", "spec"], "does not exist"),
        (["--from", "json-schema", "SOURCE"], "Missing option '--out'"),
    ],
)
def test_wrong_use_is_said_and_writes_nothing(
    tmp_path: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = schema(tmp_path, {"Root": an_object({"a": TEXT}), "Other": TEXT})
    done = run(*(source if word == "SOURCE" else word for word in words))
    assert done.exit_code == 2
    assert message in done.output
    assert not (tmp_path / "spec").exists()
