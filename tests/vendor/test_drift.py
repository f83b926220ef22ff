"""Machine-readable reports of `polywire check`: the first differing line of each file, and how to fix it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from polywire.ground.annotation import annotation
from polywire.vendor.drift import first_difference
from polywire.writing.results import Drift
from vendor.support import CONFIG, Run

NAME = "schemas/parcel.schema.json"
STRICT = "schemas/parcel.strict.schema.json"


@pytest.mark.parametrize(
    ("found", "wanted", "line"),
    [
        (b"a\nb\nc\n", b"a\nx\nc\n", 2),
        (b"a\nb", b"a\nb\n", 3),
        (b"a\nb\nc\n", b"a\nb\n", 3),
        (b"a\n", b"a\nb\n", 2),
        (b"", b"a\n", 1),
        (b"a\r\n", b"a\n", 1),
        (b"\xff\n\xfe", b"\xff\n", 2),
        (None, b"a\n", 1),
        (b"a\n", None, 1),
    ],
)
def test_the_first_line_that_differs_is_counted_from_one(found: bytes | None, wanted: bytes | None, line: int) -> None:
    assert first_difference(Drift("stale", "x/y", found, wanted)) == line


def spoilt(repository: Path, run: Run) -> None:
    """Cause every kind of drift at once."""
    (repository / "polywire.toml").write_text(f'{CONFIG}[targets.typescript]\nout = "web"\n', encoding="utf-8")
    assert run("generate").exit_code == 0
    (repository / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    for path in (repository / "web").rglob("*"):
        if path.is_file() and path != repository / "web" / "index.js":
            path.unlink()
    edited = repository / NAME
    edited.write_bytes(edited.read_bytes().replace(b'"title": "Parcel service"', b'"title": "100% ours,\\n::x"'))
    (repository / STRICT).unlink()
    (repository / "schemas/own, or 50%.txt").write_text("mine", encoding="utf-8")


def test_github_shows_each_file_at_the_line_with_what_to_do(repository: Path, run: Run) -> None:
    spoilt(repository, run)
    done = run("check", "--format", "github")
    assert done.exit_code == 1
    title = (repository / NAME).read_text(encoding="utf-8").split("\n").index('  "title": "100% ours,\\n::x",') + 1
    run_it = "To fix: run `polywire generate` and commit the result."
    told = done.stdout.splitlines()
    manifest = told.pop(0)
    assert manifest.startswith("::error file=polywire.manifest.json,line=")
    assert told == [
        (
            "::error file=schemas/own%2C or 50%25.txt,line=1,title=polywire%3A foreign::schemas/own, or 50%25.txt was"
            " not written by polywire, but is in a folder that only polywire writes to. To fix: move away or remove"
            " 'schemas/own, or 50%25.txt'."
        ),
        (
            f"::error file={NAME},line={title},title=polywire%3A edited by hand::{NAME} was edited by hand, and"
            f" generating it again discards the edit: change the spec or a template instead. Line {title} is"
            f' `  "title": "100%25 ours,\\n::x",`; expected `  "title": "Parcel service",`. {run_it}'
        ),
        (
            f"::error file={STRICT},line=1,title=polywire%3A missing::{STRICT} is missing: it was removed, or"
            f" never committed. {run_it}"
        ),
        f"::error file=web/index.js,line=1,title=polywire%3A left over::web/index.js is no longer generated. {run_it}",
    ]


def test_a_line_that_was_added_at_the_end_is_compared_with_the_end(repository: Path, run: Run) -> None:
    assert run("generate").exit_code == 0
    lines = len((repository / NAME).read_bytes().splitlines())
    with (repository / NAME).open("ab") as file:
        file.write(b"mine\n")
    (told,) = run("check", "--format", "github").stdout.splitlines()
    assert f"Line {lines + 1} is `mine`; expected the end of the file. To fix:" in told


def test_the_diff_of_a_manifest_is_shown_only_if_no_file_differs(repository: Path, run: Run) -> None:
    assert run("generate").exit_code == 0
    manifest = repository / "polywire.manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('"generator": "', '"generator": "9'), encoding="utf-8")
    alone = run("check").stdout
    assert "stale: polywire.manifest.json\n--- a/polywire.manifest.json\n" in alone
    manifest.write_text(text, encoding="utf-8")
    (repository / "polywire.toml").write_text(f'{CONFIG}[targets.typescript]\nout = "web"\n', encoding="utf-8")
    added = run("check").stdout
    assert "stale: polywire.manifest.json\n" in added
    assert "missing: web/index.js (" in added
    assert "--- a/polywire.manifest.json" not in added


def test_a_stale_file_is_annotated_as_such(repository: Path, run: Run) -> None:
    run("generate")
    part = repository / "protocol/parts.yaml"
    part.write_text(part.read_text(encoding="utf-8").replace("left?: Tree", "right?: Tree"), encoding="utf-8")
    told = [line for line in run("check", "--format", "github").stdout.splitlines() if f"file={NAME}," in line]
    assert len(told) == 1
    assert f"{NAME} is out of date: the spec, polywire.toml or polywire changed after it was generated." in told[0]


def test_paths_start_at_the_top_of_the_workspace(repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    below = repository / "below"
    below.mkdir()
    os.chdir(below)
    assert "::error file=schemas/parcel.schema.json,line=1," in run("check", "--format", "github").stdout
    monkeypatch.setenv("GITHUB_WORKSPACE", str(repository.parent))
    assert f"::error file={repository.name}/{NAME},line=1," in run("check", "--format", "github").stdout
    os.chdir(repository)
    (repository / "protocol/parts.yaml").write_text("types: {Broken: {fields: {a: Nothing}}}\n", encoding="utf-8")
    told = run("check", "--format", "github")
    assert (told.exit_code, told.stderr) == (1, "")
    assert f"::error file={repository.name}/protocol/parts.yaml,line=1," in told.stdout


def test_json_has_the_form_that_lint_has(repository: Path, run: Run) -> None:
    assert json.loads(run("lint", "--format", "json").stdout) == []
    assert run("generate").exit_code == 0
    assert json.loads(run("check", "--format", "json").stdout) == []
    spoilt(repository, run)
    found = json.loads(run("check", "--format", "json").stdout)
    assert [item["rule"] for item in found] == ["stale", "foreign", "edited-by-hand", "missing", "left-over"]
    assert found[2] | {"line": 0, "message": ""} == {
        "file": NAME,
        "line": 0,
        "column": 1,
        "severity": "error",
        "rule": "edited-by-hand",
        "message": "",
        "hint": "run `polywire generate` and commit the result",
    }


def test_a_fault_of_the_config_comes_in_the_form_that_was_asked_for(repository: Path, run: Run) -> None:
    (repository / "polywire.toml").write_text(f"spek = 1\n{CONFIG}", encoding="utf-8")
    told = run("check", "--format", "github")
    assert (told.exit_code, told.stdout) == (
        2,
        (
            "::error file=polywire.toml,line=1,col=1,title=unknown-key::polywire.toml has no `spek` (hint: did you mean"
            " `spec`?)\n"
        ),
    )
    assert json.loads(run("check", "--format", "json").stdout)[0]["rule"] == "unknown-key"


def test_nothing_in_an_annotation_ends_it_early() -> None:
    assert annotation("notice", "a\n::b 100%", title="c,d:e", file="f,g", line=2, column=3) == (
        "::notice file=f%2Cg,line=2,col=3,title=c%2Cd%3Ae::a%0A::b 100%25"
    )
    assert annotation("error", "m", title="t") == "::error title=t::m"
