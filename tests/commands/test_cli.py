"""The command line: its output and its exit status."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire import __version__
from polywire.commands.cli import cli, main
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Enum

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"
SCHEMAS = ("parcel.asyncapi.json", "parcel.schema.json", "parcel.strict.schema.json")

Run = Callable[..., Result]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the parcel spec in `spec`."""
    shutil.copytree(PARCEL, tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(*words: str, **how: object) -> Result:
    return CliRunner().invoke(cli, words, prog_name="polywire", **how)  # type: ignore[arg-type]  # parameters of invoke


def break_spec(here: Path) -> None:
    file = here / "spec" / "parts.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("left?: Tree", "left?: Treee"), encoding="utf-8")


def change_spec(here: Path) -> None:
    file = here / "spec" / "parts.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("left?: Tree", "right?: Tree"), encoding="utf-8")


# --- generate and check ----------------------------------------------------------------------------------------


def test_generate_writes_and_says_what_it_wrote_and_check_is_content(here: Path) -> None:
    done = run("generate", "--target", "jsonschema")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        *(f"created {Path('generated/jsonschema') / name}" for name in SCHEMAS),
        "3 files of 1 target: 3 created",
    ]
    assert json.loads((here / "generated/jsonschema/parcel.schema.json").read_bytes())["title"] == "Parcel service"
    checked = run("check", "--target", "jsonschema")
    assert (checked.exit_code, checked.stdout) == (0, "3 files of 1 target: up to date\n")
    again = run("generate", "--target", "jsonschema")
    assert (again.exit_code, again.stdout) == (0, "3 files of 1 target: nothing to do\n")


def test_check_shows_a_changed_spec_as_a_diff_and_how_to_mend_it(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    change_spec(here)
    done = run("check", "--target", "jsonschema")
    assert done.exit_code == 1
    assert (
        f"stale: {Path('generated/jsonschema/parcel.schema.json')}\n--- a/jsonschema/parcel.schema.json" in done.stdout
    )
    assert '\n-        "left": {' in done.stdout
    assert '\n+        "right": {' in done.stdout
    assert done.stdout.endswith(
        "\n3 files in generated out of sync with the spec: 3 stale\nto fix: polywire generate --target jsonschema\n"
    )
    assert run("generate", "--target", "jsonschema").exit_code == 0
    assert run("check", "--target", "jsonschema").exit_code == 0


def test_check_tells_a_change_by_hand_from_a_changed_spec(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    file = here / "generated/jsonschema/parcel.schema.json"
    file.write_bytes(file.read_bytes().replace(b"Parcel service", b"Parcel disservice"))
    done = run("check", "--target", "jsonschema")
    assert done.exit_code == 1
    assert done.stdout.startswith(f"edited by hand: {file.relative_to(here)}\n")
    assert '\n-  "title": "Parcel disservice",\n+  "title": "Parcel service",\n' in done.stdout


def test_check_names_what_only_people_can_mend(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    (here / "generated/jsonschema/my own.txt").write_text("mine", encoding="utf-8")
    done = run("check", "--target", "jsonschema")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "to fix: move away or remove 'generated/jsonschema/my own.txt'"
    assert "polywire generate" not in done.stdout


def test_the_command_that_mends_has_the_arguments_of_the_check(here: Path) -> None:
    done = run("check", "--spec", "spec", "--dialect", "terse", "--out", "of van", "--target", "jsonschema")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == (
        "to fix: polywire generate --dialect terse --out 'of van' --target jsonschema"
    )
    shutil.move(here / "spec", here / "their spec")
    done = run("check", "--spec", "their spec", "--target", "jsonschema")
    assert done.stdout.splitlines()[-1] == "to fix: polywire generate --spec 'their spec' --target jsonschema"


def test_check_names_missing_files_by_size_and_prints_none_of_them(here: Path) -> None:
    done = run("check", "--target", "jsonschema")
    assert done.exit_code == 1
    missing = [line for line in done.stdout.splitlines() if line.startswith("missing: ")]
    assert len(missing) == 4
    run("generate", "--target", "jsonschema")
    size = (here / "generated/jsonschema/parcel.schema.json").stat().st_size
    assert f"missing: {Path('generated/jsonschema/parcel.schema.json')} ({size} bytes)" in missing
    assert len(done.stdout.splitlines()) == 7


def test_check_cuts_long_diffs_and_says_by_how_much(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    file = here / "generated/jsonschema/parcel.schema.json"
    file.write_bytes(file.read_bytes() + b"added\n" * 200)
    lines = run("check", "--target", "jsonschema").stdout.splitlines()
    assert lines[0] == f"edited by hand: {file.relative_to(here)}"
    assert lines[61] == "… and 146 more lines of this diff"


def test_generate_says_when_what_it_replaces_was_edited_by_hand(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    file = here / "generated/jsonschema/parcel.schema.json"
    file.write_bytes(file.read_bytes() + b"more\n")
    done = run("generate", "--target", "jsonschema")
    assert done.stdout.splitlines() == [
        f"updated {file.relative_to(here)} (was edited by hand)",
        "3 files of 1 target: 1 updated",
    ]
    (here / "generated/manifest.json").write_text("{", encoding="utf-8")
    done = run("generate", "--target", "jsonschema")
    assert done.stdout.splitlines()[0] == f"updated {Path('generated/manifest.json')} (was edited by hand)"


def test_a_dialect_has_a_folder_of_its_own(here: Path) -> None:
    assert run("generate", "--dialect", "terse", "--target", "jsonschema").exit_code == 0
    schema = json.loads((here / "generated/dialects/terse/jsonschema/parcel.schema.json").read_bytes())
    assert "(terse)" in schema["$comment"]
    assert "motto" in schema["$defs"]["Hello"]["properties"]
    assert run("check", "--dialect", "terse", "--target", "jsonschema").exit_code == 0


def test_the_readme_of_a_dialect_is_about_the_dialect(here: Path) -> None:
    """Prose about the spec's own packages is omitted, since users of the dialect do not install those packages."""
    prose = "packages:\n  go: {module: example.org/parcel, package: parcel, readme: 'Boxes are square.'}\n"
    entry = here / "spec" / "protocol.yaml"
    entry.write_text(entry.read_text(encoding="utf-8").replace("packages:\n", prose), encoding="utf-8")
    assert run("generate", "--target", "go").exit_code == 0
    assert run("generate", "--target", "go", "--dialect", "terse").exit_code == 0
    own = (here / "generated/go/README.md").read_text(encoding="utf-8")
    dialects = (here / "generated/dialects/terse/go/README.md").read_text(encoding="utf-8")
    assert "Boxes are square." in own
    assert "-replace=example.org/parcel=./path/to/this/folder\n" in own
    assert "in the dialect `terse`: types, codecs" in dialects
    assert "What an old van says." in dialects
    assert "Boxes are square." not in dialects
    assert "-replace=example.org/parcel=./path/to/this/folder\n" in dialects


def test_a_spec_with_an_error_is_reported_and_nothing_is_written(here: Path) -> None:
    run("generate", "--target", "jsonschema")
    before = (here / "generated/manifest.json").stat().st_mtime_ns
    break_spec(here)
    for command in ("generate", "check"):
        done = run(command, "--target", "jsonschema")
        assert (done.exit_code, done.stdout) == (1, "")
        assert "spec/parts.yaml" in done.stderr
        assert "Treee" in done.stderr
    assert (here / "generated/manifest.json").stat().st_mtime_ns == before


# --- wrong use -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["generat"], "no command 'generat'; did you mean 'generate'?"),
        (["generate", "--taget", "python"], "--taget"),
        (["generate", "--target", "jsonschem"], "no target 'jsonschem'; did you mean 'jsonschema'?"),
        (["check", "--dialect", "ters"], "no dialect 'ters'; did you mean 'terse'?"),
        (["check", "--dialect", "../spec/dialects/terse"], "no dialect '../spec/dialects/terse'"),
        (["lint", "--spec", "nowhere"], "'nowhere' does not exist. Use --spec to name the folder of a spec, or"),
        (["generate", "--out", ""], "the folder is empty"),
        (["check", "--out", ""], "the folder is empty"),
        (["lint", "--spec", "spec/parts.yaml"], "is a file"),
        (["lint", "--format", "xml"], "'xml' is not one of"),
        (["generate", "--out", "spec/parts.yaml"], "expected a folder, found a file"),
        (["check", "--out", "spec/parts.yaml/x"], "not a directory"),
        (["show", "Lable"], "the spec has no 'Lable'; did you mean 'Label'?"),
        (["explain", "--type", "Lable", "spec/parts.yaml"], "the spec has no 'Lable'; did you mean 'Label'?"),
        (["completion", "csh"], "'csh' is not one of"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_use_exits_2_and_says_what_is_wrong(words: list[str], message: str) -> None:
    done = run(*words, *(["--target", "jsonschema"] if "--out" in words else []))
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stdout == ""


def test_without_a_spec_folder_the_next_step_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("lint")
    assert done.exit_code == 2
    assert "'spec' does not exist. Use --spec to name the folder of a spec, or `polywire init` to start" in done.stderr


# --- the other commands ----------------------------------------------------------------------------------------


def test_lint_is_silent_about_a_sound_spec_and_exits_1_on_an_error(here: Path) -> None:
    assert run("lint").exit_code == 0
    break_spec(here)
    done = run("lint")
    assert done.exit_code == 1
    assert "spec/parts.yaml:" in done.stdout
    found = json.loads(run("lint", "--format", "json").stdout)
    assert found[0]["file"] == "spec/parts.yaml"
    assert run("lint", "--format", "github").stdout.startswith("::error file=spec/parts.yaml,line=")


@pytest.mark.usefixtures("here")
def test_show_prints_a_declaration() -> None:
    done = run("show", "Letter")
    assert done.exit_code == 0
    assert "pages" in done.stdout


@pytest.mark.usefixtures("here")
def test_show_gives_programs_what_it_prints_for_people() -> None:
    found = json.loads(run("show", "Letter", "--format", "json").stdout)
    assert found.keys() == {"name", "what", "doc", "place", "about", "rows", "uses", "reached"}
    assert "pages" in [row["name"] for row in found["rows"]]
    assert re.fullmatch(r"parts\.yaml:\d+:\d+", found["place"])
    assert all(path[-1] == "Letter" for path in found["reached"])


@pytest.mark.usefixtures("here")
def test_explain_gives_programs_what_it_prints_for_people() -> None:
    lines = b'{"type": "note", "text": "t"}\n{"type": "note"}\n{"type": "note", "text": "t", "mood": 1}\n'
    done = run("explain", "--format", "json", input=lines)
    known, faulty, unknown = json.loads(done.stdout)["lines"]
    assert done.exit_code == 1
    assert (known["line"], known["variant"], known["unknown"]) == (1, "Note", [])
    assert (faulty["error"]["code"], faulty["error"]["path"]) == ("missing_field", "/text")
    assert [each["pointer"] for each in unknown["unknown"]] == ["/mood"]
    assert "mood" in json.loads(done.stdout)["dialect"]
    assert json.loads(run("explain", "--format", "json", input=lines.splitlines()[0]).stdout)["dialect"] is None


@pytest.mark.parametrize("command", ["breaking", "changelog", "diff"])
def test_specs_with_a_stale_example_can_be_compared(command: str, here: Path) -> None:
    entry = here / "spec" / "parts.yaml"
    stale = "pages: string}\n    examples: [{pages: 3}]\n"
    shutil.copytree(here / "spec", here / "old")
    entry.write_text(entry.read_text(encoding="utf-8").replace('pages: integer, "sender?": Named}\n', stale), "utf-8")
    assert "bad-example" in run("lint").stdout
    words = ["diff", "old", "spec"] if command == "diff" else [command, "--against", "old"]
    done = run(*words)
    assert "pages" in done.stdout
    assert "bad-example" not in done.output
    (here / "spec").rename(here / "newer")
    (here / "old").rename(here / "spec")
    (here / "newer").rename(here / "old")
    assert "bad-example" not in run("lint").stdout
    undone = run(*words)
    assert "pages" in undone.stdout
    assert "bad-example" not in undone.output


def test_the_spec_of_an_installed_polywire_has_releases_but_no_revisions(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polywire.ground.find._BUNDLED", (here / "spec",))
    done = run("breaking", "--against", "git:HEAD")
    assert done.exit_code == 2
    assert "git:HEAD: the spec that comes with polywire is in no git repository; use --at V W" in done.stderr


def test_explain_reads_a_file_or_standard_input_and_exits_1_if_a_line_does_not_decode(here: Path) -> None:
    lines = b'{"type": "note", "text": "t"}\n{"type": "note"}\n'
    (here / "lines").write_bytes(lines)
    for done in (run("explain", "lines"), run("explain", input=lines), run("explain", "-", input=lines)):
        assert done.exit_code == 1
        assert "Note" in done.stdout
        assert "missing_field" in done.stdout
    assert run("explain", "--type", "Weight", input=b"1\n").exit_code == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_explain_says_that_there_is_nothing_to_explain(form: str, here: Path) -> None:
    (here / "lines").write_bytes(b"\n")
    for done in (run("explain", "lines", "--format", form), run("explain", "--format", form, input=b"")):
        assert (done.exit_code, done.stderr) == (0, "there are no lines to explain\n")


def test_schema_prints_what_lies_beside_the_spec(root: Path) -> None:
    printed = run("schema")
    assert printed.stdout_bytes == (root / "spec" / "polywire.schema.json").read_bytes()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    done = run("completion", shell)
    assert done.exit_code == 0
    assert "_POLYWIRE_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("words", "last", "wanted"),
    [
        ("polywire ge", "ge", "generate"),
        ("polywire generate --target json", "json", "jsonschema"),
        ("polywire check --dialect t", "t", "terse"),
        ("polywire show Lab", "Lab", "Label"),
    ],
)
@pytest.mark.usefixtures("here")
def test_names_complete(words: str, last: str, wanted: str) -> None:
    given = words.split()
    environment = {"_POLYWIRE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(given.index(last))}
    done = subprocess.run(
        [sys.executable, "-m", "polywire"], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert f"plain,{wanted}" in done.stdout.split()


@pytest.mark.parametrize(
    "words",
    [["lint"], ["show", "Label"], ["explain", "-"], ["docs", "--out", "out"], ["generate"], ["check"], ["breaking"]],
    ids=lambda words: words[0],
)
def test_in_an_empty_folder_a_command_says_what_to_do_there(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert done.exit_code == 2
    told = " ".join(done.stderr.split())
    assert "Use --spec to name the folder of a spec, or `polywire init` to start one here." in told
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_key_is_answered_with_the_nearest_one(here: Path) -> None:
    file = here / "spec" / "lines.yaml"
    text = file.read_text(encoding="utf-8")
    assert "    tag: {" in text
    file.write_text(text.replace("    tag: {", "    tga: {", 1), encoding="utf-8")
    told = run("lint").stdout
    assert "error[unknown-key] `tga` is not a key of a" in told
    assert "hint: did you mean `tag`?" in told


def test_every_command_has_help_with_examples() -> None:
    for name in cli.commands:
        text = run(name, "--help").stdout
        assert f"polywire {name}" in text.partition("Examples:")[2], name
        assert not re.search(r"\{[^|}]*\}", text), f"{name}: a placeholder that was not filled in"
    assert "Exit status" in run("--help").stdout
    assert "Examples" in run("conformance", "--help").stdout


def test_the_version_is_printed() -> None:
    for option in ("-V", "--version"):
        assert run(option).stdout == f"polywire {__version__}\n"


# --- terminals -------------------------------------------------------------------------------------------------


def test_colour_is_for_terminals_and_no_color_takes_it_away(here: Path) -> None:
    assert "\x1b[" not in run("check", "--target", "jsonschema").output
    assert "\x1b[" in run("check", "--target", "jsonschema", color=True).output
    assert "\x1b[" not in run("check", "--target", "jsonschema", color=True, env={"NO_COLOR": "1"}).output
    break_spec(here)
    assert "\x1b[" not in run("lint").output
    assert "\x1b[" in run("lint", color=True).output
    assert "\x1b[" not in run("lint", color=True, env={"NO_COLOR": "1"}).output


def test_what_a_terminal_cannot_show_is_shown_escaped(here: Path) -> None:
    (here / "spec/parts.yaml").write_text(
        (here / "spec/parts.yaml").read_text(encoding="utf-8").replace("A flat item.", "A flat item → ☃."),
        encoding="utf-8",
    )
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    words = [sys.executable, "-m", "polywire", "show", "Letter"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "\\u2192 \\u2603" in done.stdout


def test_starting_up_imports_nothing_that_only_a_command_needs() -> None:
    code = "import sys, polywire.commands.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"jinja2", "yaml", "rich", "polywire.source", "polywire.checks", "polywire.targets"}.isdisjoint(loaded)


def test_listing_the_commands_imports_nothing_that_they_need_to_run() -> None:
    code = "import sys, polywire.commands.cli as it; it.cli(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "  import " in done.stdout  # a command of another package
    *_, loaded = done.stdout.splitlines()
    assert {"yaml", "rich", "polywire.source", "polywire.model", "polywire_import.run"}.isdisjoint(loaded.split())


# --- selected targets, and bugs ----------------------------------------------------------------------------------

COLLIDING = """\
polywire: 1
protocol: {name: a, title: A, version: 1.0.0, framing: ndjson, peers: [x], roots: [Code, CodeType]}
enums:
  Code: {doc: A code., open: true, values: {"": There is none., a: The first.}}
  CodeType: {doc: What Go calls a code already., open: true, values: {b: The second.}}
"""


def colliding(folder: Path) -> Path:
    (folder / "spec").mkdir()
    (folder / "spec" / "protocol.yaml").write_text(COLLIDING)
    return folder / "spec"


def test_names_have_to_stay_apart_only_in_the_targets_that_are_asked_for(tmp_path: Path) -> None:
    spec = colliding(tmp_path)
    whole = CliRunner().invoke(cli, ["lint", "--spec", str(spec)])
    assert (whole.exit_code, "in go, CodeType has the same name as Code" in whole.output) == (1, True)
    for target, status in (("python", 0), ("go", 1)):
        assert CliRunner().invoke(cli, ["lint", "--spec", str(spec), "--target", target]).exit_code == status
        words = ["generate", "--spec", str(spec), "--out", str(tmp_path / "out"), "--target", target]
        assert CliRunner().invoke(cli, words).exit_code == status


def test_the_targets_of_polywire_toml_are_those_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    colliding(tmp_path)
    (tmp_path / "polywire.toml").write_text('spec = "spec"\n[targets.python]\nout = "here"\n')
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["lint"])
    assert (result.output, result.exit_code) == ("", 0)


def test_an_exception_inside_polywire_is_reported_as_its_bug_with_the_declaration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        enum = Enum("Code", "string", True, (), place=SourceLocation("protocol.yaml", 4, 3))
        raise KeyError(enum.name)

    monkeypatch.setattr("polywire.checks.check_all", lambda *_, **__: fail(None))
    monkeypatch.setattr("sys.argv", ["polywire", "lint", "--spec", str(colliding(tmp_path))])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 70
    told = capsys.readouterr().err
    assert told.startswith("internal error at Code (protocol.yaml:4:3): KeyError: 'Code'\nThis is a bug in polywire ")
