"""`polywire lint --fix`: which files it changes, and what stays as it was, to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.ground.finding import Fix
from polywire.ground.location import SourceLocation
from polywire.writing import fixing
from polywire.writing.results import OutputError

ENTRY = b"""\
polywire: 1   # \xc3\xa9: comments, spaces and line ends stay\r
protocol: {name: p, title: P, version: 1.0, framing: ndjson, peers: [a, b], roots: [A]}\r
parts: [more/part.yaml]\r
types:\r
  A: {doc: "A: {x: T[]}", fields: {a: B[], b: map<E, B[1..2]>}}   # {c: B[]}\r
  # a comment\r
  C:\r
    doc: |\r
      {x: B[]}\r
    fields: {c: 'x' | null}\r

"""
PART = b"""\
types:
  B: {doc: B., fields: {c: (C | null)[], 'd': "C[]"}}
enums: {E: {doc: E., open: true, values: {e: E.}}}"""


def run(folder: Path, *more: str) -> Result:
    return CliRunner().invoke(cli, ["lint", "--spec", str(folder), *more])


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec with four expressions that lack quotes, in two files."""
    folder = tmp_path / "spec"
    (folder / "more").mkdir(parents=True)
    (folder / "protocol.yaml").write_bytes(ENTRY)
    (folder / "more" / "part.yaml").write_bytes(PART)
    (folder / "protocol.yaml").chmod(0o640)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_places_in_all_files_are_reported_in_one_run_with_the_fix(spec: Path) -> None:
    result = run(spec, "--format", "json")
    assert result.exit_code == 1
    assert [(Path(each["file"]).name, each["line"], each["hint"]) for each in json.loads(result.stdout)] == [
        ("protocol.yaml", 5, 'write `"B[]"`'),
        ("protocol.yaml", 5, 'write `"map<E, B[1..2]>"`'),
        ("protocol.yaml", 10, """write `'"x" | null'`"""),
        ("part.yaml", 2, 'write `"(C | null)[]"`'),
    ]
    assert run(spec).stdout.endswith("4 errors\npolywire lint --fix can fix 4 of them\n")


def test_only_the_reported_places_change_and_each_change_is_printed(spec: Path) -> None:
    result = run(spec, "--fix")
    assert (result.exit_code, result.stdout) == (0, "")
    assert files(spec) == {
        "protocol.yaml": ENTRY.replace(b"a: B[], b: map<E, B[1..2]>", b'a: "B[]", b: "map<E, B[1..2]>"').replace(
            b"c: 'x' | null", b"""c: '"x" | null'"""
        ),
        "more/part.yaml": PART.replace(b"(C | null)[]", b'"(C | null)[]"'),
    }
    assert (spec / "protocol.yaml").stat().st_mode & 0o777 == 0o640
    assert [line.removeprefix(spec.as_posix() + "/") for line in result.stderr.splitlines()] == [
        'protocol.yaml:5:39: B[] is now "B[]"',
        'protocol.yaml:5:47: map<E, B[1..2]> is now "map<E, B[1..2]>"',
        """protocol.yaml:10:17: 'x' | null is now '"x" | null'""",
        'more/part.yaml:2:28: (C | null)[] is now "(C | null)[]"',
    ]


def test_a_second_run_changes_nothing(spec: Path) -> None:
    run(spec, "--fix")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in spec.rglob("*")}
    assert run(spec, "--fix").output == ""
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in spec.rglob("*")} == before


def test_what_cannot_be_fixed_is_reported_as_without_the_option(spec: Path) -> None:
    (spec / "more" / "part.yaml").write_bytes(PART.replace(b"E: {doc", b"F: {doc"))
    result = run(spec, "--fix")
    assert result.exit_code == 1
    assert "`E` is not declared" in result.stdout
    assert '"B[]"' in (spec / "protocol.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", ["more", "more/part.yaml"])
def test_nothing_changes_if_a_link_leads_to_one_of_the_files(spec: Path, link: str) -> None:
    (spec / link).rename(spec / "elsewhere.yml")
    (spec / link).symlink_to(spec / "elsewhere.yml")
    before = files(spec)
    result = run(spec, "--fix")
    assert result.exit_code == 2
    assert "is a symbolic link, and polywire does not write through links" in result.stderr
    assert files(spec) == before


def test_nothing_changes_if_a_file_is_not_as_it_was_checked(spec: Path) -> None:
    texts = {name: data.decode() for name, data in files(spec).items()}
    (spec / "more" / "part.yaml").write_bytes(PART + b"\n")
    before = files(spec)
    fixes = [
        Fix(SourceLocation("protocol.yaml", 5, 39), "B[]", '"B[]"'),
        Fix(SourceLocation("more/part.yaml", 2, 29), "(C | null)[]", '"(C | null)[]"'),
    ]
    with pytest.raises(OutputError, match="changed while it was checked"):
        fixing.write(spec, fixes, texts)
    assert files(spec) == before


def test_a_file_is_replaced_whole_or_not_at_all(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fixing, "store", fails)
    before = files(spec)
    result = run(spec, "--fix")
    assert result.exit_code == 2
    assert "no space left on device" in result.stderr
    assert files(spec) == before


def test_the_files_of_a_dialect_are_fixed_too(spec: Path) -> None:
    run(spec, "--fix")
    (spec / "dialects").mkdir()
    dialect = spec / "dialects" / "d.yaml"
    dialect.write_text("dialect: d\nchange: {types: {A: {fields: {a: C[]}}}}\n", encoding="utf-8")
    assert run(spec, "--fix").exit_code == 0
    assert dialect.read_text(encoding="utf-8") == 'dialect: d\nchange: {types: {A: {fields: {a: "C[]"}}}}\n'
