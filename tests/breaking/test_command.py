"""`polywire breaking` and `polywire changelog` on the command line: in a repository, with all their options."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.evolve.breaking.report import is_major

ROOT = Path(__file__).parents[2]
SPEC = """\
polywire: 1
protocol: {name: post, title: Post, version: 1.4.0, framing: ndjson, peers: [office, carrier], roots: [Line]}
messages:
  Parcel:
    doc: News of a parcel.
    from: carrier
    tag: {type: parcel}
    fields: {track: string, weight?: number}
  Bill:
    doc: What is owed.
    from: office
    tag: {type: bill}
    fields: {sum: number}
unions:
  Line: {doc: A line., open: true, by: type, variants: [Parcel, Bill]}
packages: {version: 1.4.0}
"""
REQUIRED = ("weight?: number", "weight: number")
ADDED = ("track: string", "track: string, note?: string")
MAJOR = ("1.4.0", "2.0.0")
MINOR = ("1.4.0", "1.5.0")


def git(*words: str) -> None:
    who = {f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *words], check=True, capture_output=True, env={**os.environ, **who, **alone})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A repository with the spec on `origin/main`. Call the result to make changes in the working tree."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("spec").mkdir()
    Path("spec/protocol.yaml").write_text(SPEC)
    git("init", "--quiet", "--initial-branch", "main")
    git("add", "spec")
    git("commit", "--quiet", "--message", "Describe the post")
    git("update-ref", "refs/remotes/origin/main", "HEAD")

    def changed(*changes: tuple[str, str]) -> None:
        text = SPEC
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        Path("spec/protocol.yaml").write_text(text)

    return changed


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="polywire", env={"GITHUB_BASE_REF": "main"})


def breaking(*words: str) -> Result:
    return run("breaking", "--against", "git:main", *words)


# --- output ----------------------------------------------------------------------------------------------------


def test_a_finding_points_into_the_new_spec_and_names_the_old_place(repository: Callable[..., None]) -> None:
    repository(REQUIRED)
    done = breaking("--category", "wire")
    first, *rest = done.stdout.splitlines()
    assert first == (
        "spec/protocol.yaml:8:29: error[member-now-required] WIRE: `Parcel.weight` is now required; a new office"
        " refuses what an old carrier writes; before: `weight?: number` at main:spec/protocol.yaml:8:29"
    )
    assert rest == [
        "        fields: {track: string, weight: number}",
        "                                ^",
        "    hint: Keep it optional; with `construct: required`, constructors still require it.",
        "1 error",
        "git:main → spec: 1 break",
    ]
    assert done.exit_code == 1


def test_notes_alone_fail_nothing(repository: Callable[..., None]) -> None:
    repository(ADDED)
    done = breaking()
    assert (done.exit_code, done.stdout.splitlines()[-2:]) == (0, ["1 note", "git:main → spec: nothing breaks, 1 note"])


def test_without_a_change_there_is_nothing_to_say(repository: Callable[..., None]) -> None:
    repository()
    assert (breaking().exit_code, breaking().stdout) == (0, "git:main → spec: nothing breaks\n")


def test_github_gets_an_annotation_at_the_line(repository: Callable[..., None]) -> None:
    repository(REQUIRED)
    first, *_ = breaking("--category", "wire", "--format", "github").stdout.splitlines()
    assert first.startswith("::error file=spec/protocol.yaml,line=8,col=29,title=member-now-required::WIRE: `Parcel")


def test_programs_get_everything(repository: Callable[..., None]) -> None:
    repository(REQUIRED, MAJOR)
    told = json.loads(breaking("--format", "json", "--allow-major").stdout)
    assert (told["before"]["spec"], told["before"]["version"]) == ("main:spec", "1.4.0")
    assert (told["after"]["spec"], told["after"]["version"]) == ("spec", "2.0.0")
    assert (told["major"], told["failed"]) == (True, False)
    found = next(each for each in told["findings"] if each["rule"] == "member-now-required")
    assert {key: found[key] for key in ("category", "severity", "file", "line", "column", "languages")} == {
        "category": "WIRE",
        "severity": "error",
        "file": "spec/protocol.yaml",
        "line": 8,
        "column": 29,
        "languages": [],
    }
    assert found["directions"] == [
        {"writer": "carrier", "reader": "office", "newer": "reader", "verdict": "refused"},
    ]
    assert found["before"] == {
        "text": "weight?: number",
        "file": "main:spec/protocol.yaml",
        "line": 8,
        "column": 29,
    }


def test_markdown_has_a_table_a_category(repository: Callable[..., None]) -> None:
    repository(REQUIRED, ADDED)
    text = breaking("--format", "markdown").stdout
    assert text.startswith("git:main → spec: ")
    assert re.findall(r"^\*\*(\w+|1 note)\*\*", text, re.MULTILINE) == ["WIRE", "SOURCE", "1 note"]
    assert "| `Parcel.note` is new; " in text
    assert "| `member-now-required` | `spec/protocol.yaml:8:44` | `weight?: number` |" in text


# --- options ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ([], {"member-now-required", "code-type-changed", "code-argument-needed", "code-signature-changed"}),
        (["--category", "wire"], {"member-now-required"}),
        (["--category", "wire", "--side", "office"], {"member-now-required"}),
        (["--category", "wire", "--side", "carrier"], set()),
        (
            ["--category", "wire", "--category", "behaviour", "--side", "carrier", "--side", "office"],
            {"member-now-required"},
        ),
        (["--category", "source", "--target", "typescript"], {"code-argument-needed"}),
        (["--category", "source", "--target", "jsonschema"], set()),
        (["--category", "behaviour"], set()),
    ],
)  # fmt: skip  (a table)
def test_only_what_is_asked_for_is_found(repository: Callable[..., None], words: list[str], rules: set[str]) -> None:
    repository(REQUIRED)
    done = breaking("--format", "json", *words)
    assert {each["rule"] for each in json.loads(done.stdout)["findings"]} == rules
    assert done.exit_code == bool(rules)


def test_the_targets_of_polywire_toml_are_those_whose_code_counts(repository: Callable[..., None]) -> None:
    repository(("weight?: number", "weight?: integer"))
    Path("polywire.toml").write_text('spec = "spec"\n[targets.python]\nout = "generated/python"\n')
    told = json.loads(breaking("--format", "json", "--category", "source").stdout)
    assert [each["languages"] for each in told["findings"]] == [["python"]]
    told = json.loads(breaking("--format", "json", "--category", "source", "--spec", "spec").stdout)
    assert [each["languages"] for each in told["findings"]] == [["go", "python", "rust"]]


def test_a_peer_that_is_called_otherwise_is_the_same_peer(repository: Callable[..., None]) -> None:
    repository(REQUIRED, ("carrier", "courier"))
    first, *_, last = breaking("--category", "wire", "--side", "office").stdout.splitlines()
    assert first.startswith("spec/protocol.yaml:2:70: note[peer-renamed] WIRE: `courier` is the new name of a peer")
    assert first.endswith("; before: `carrier` at main:spec/protocol.yaml:2:70")
    assert last == "git:main → spec: 1 break, 1 note"
    (found,) = (
        each
        for each in json.loads(breaking("--format", "json", "--category", "wire").stdout)["findings"]
        if each["severity"] == "error"
    )
    assert found["directions"] == [
        {"writer": "courier", "reader": "office", "newer": "reader", "verdict": "refused"},
    ]


@pytest.mark.parametrize(
    ("change", "words", "status", "last"),
    [
        (
            MAJOR,
            ["--allow-major"],
            0,
            "; allowed, because the major version of the packages was raised (1.4.0 → 2.0.0)",
        ),
        (
            MINOR,
            ["--allow-major"],
            1,
            "; not allowed, because the major version of the packages was not raised (1.4.0 → 1.5.0)",
        ),
        (MAJOR, [], 1, ""),
    ],
)
def test_breaks_are_allowed_with_a_new_major_version(
    repository: Callable[..., None], change: tuple[str, str], words: list[str], status: int, last: str
) -> None:
    repository(REQUIRED, change)
    done = breaking("--category", "wire", *words)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (status, f"git:main → spec: 1 break{last}")


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("1.4.0", "2.0.0", True),
        ("1.4.0", "1.5.0", False),
        ("0.2.33", "0.3.0", True),
        ("0.2.33", "0.2.34", False),
        ("0.2.33", "1.0.0", True),
        ("0.0.1", "0.0.2", True),
        ("2.0.0", "1.9.0", False),
        ("1.4", "2", True),
        ("9.0.0", "10.0.0", True),
    ],
)
def test_a_version_moves_as_package_managers_have_it(before: str, after: str, moved: bool) -> None:
    assert is_major(before, after) is moved


def test_a_folder_is_compared_as_well(repository: Callable[..., None]) -> None:
    repository(REQUIRED)
    Path("before").mkdir()
    Path("before/protocol.yaml").write_text(SPEC)
    done = run("breaking", "--against", "before", "--category", "wire")
    assert "before: `weight?: number` at before/protocol.yaml:8:29" in done.stdout
    assert done.exit_code == 1


def test_a_dialect_is_compared_with_what_it_was(repository: Callable[..., None]) -> None:
    repository()
    Path("spec/dialects").mkdir()
    Path("spec/dialects/d.yaml").write_text(
        "dialect: d\ndoc: D.\nchange: {messages: {Bill: {fields: {due?: string}}}}\n"
    )
    git("add", "spec")
    git("commit", "--quiet", "--message", "Describe a dialect")
    Path("spec/dialects/d.yaml").write_text(
        "dialect: d\ndoc: D.\nchange: {messages: {Bill: {fields: {due: string}}}}\n"
    )
    done = breaking("--dialect", "d", "--category", "wire")
    assert "spec/dialects/d.yaml:3:37: error[member-now-required]" in done.stdout
    assert "at main:spec/dialects/d.yaml:3:37" in done.stdout
    assert breaking("--category", "wire").exit_code == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--against", "git:v9"], "unknown git revision 'v9'"),
        (["--against", "nowhere"], "nowhere: no spec there (no protocol.yaml)"),
        ([], "name the old spec with --against"),
        (["--against", "git:main", "--side", "offise"], "no peer 'offise'; did you mean 'office'?"),
        (["--against", "git:main", "--target", "pyton"], "no target 'pyton'; did you mean 'python'?"),
        (["--against", "git:main", "--category", "code"], "'code' is not one of 'wire', 'behaviour', 'source'"),
        (["--against", "git:main", "--spec", "other"], "Directory 'other' does not exist"),
    ],
)
def test_wrong_use_exits_2_and_says_what_to_do(
    repository: Callable[..., None], words: list[str], complaint: str
) -> None:
    repository()
    done = run("breaking", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert complaint in " ".join(done.stderr.split())


def test_a_spec_with_errors_is_no_break_but_wrong_use(repository: Callable[..., None]) -> None:
    repository(("sum: number", "sum: numbre"))
    done = breaking()
    assert (done.exit_code, done.stdout) == (2, "")
    assert "spec/protocol.yaml:13:19: error[unknown-name]" in done.stderr


# --- in CI -----------------------------------------------------------------------------------------------------


def commands() -> list[list[str]]:
    """The arguments of polywire in the example workflow of the documentation."""
    page = (ROOT / "docs" / "breaking.md").read_text(encoding="utf-8")
    lines = re.findall(r"^ +- run: (polywire .*)$", page, re.MULTILINE)
    return [shlex.split(line.replace("$GITHUB_BASE_REF", "main"))[1:] for line in lines]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ([], 0),
        ([ADDED], 0),
        ([REQUIRED], 1),
        ([REQUIRED, MINOR], 1),
        ([REQUIRED, MAJOR], 0),
        ([("Bill", "Invoice")], 0),
    ],
)
def test_the_workflow_of_the_documentation_fails_on_wire_breaks_unless_the_major_version_moved(
    repository: Callable[..., None], changes: list[tuple[str, str]], status: int
) -> None:
    repository(*changes)
    (command,) = commands()
    (shown,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs" / "breaking.md").read_text(), re.MULTILINE | re.DOTALL)
    Path("polywire.toml").write_text(f'spec = "spec"\n[targets.go]\nout = "wire"\n{shown}', encoding="utf-8")
    assert run(*command).exit_code == status


# --- one edit, one finding -------------------------------------------------------------------------------------

RETAGGED = """\
polywire: 1
protocol: {name: tiny, title: Tiny, version: 1.0.0, framing: ndjson, peers: [a, b], roots: [Line]}
messages:
  Hello: {doc: H., from: a, tag: {type: hello}, fields: {name: string}}
  Bye: {doc: B., from: a, tag: TAG, fields: {why: string}}
  Memo: {doc: M., from: a, tag: {type: note, kind: long}, fields: {text: string}}
unions:
  Line: {doc: L., open: true, by: type, variants: [Hello, OUTER AnyNote]}
  AnyNote: {doc: A., open: true, by: kind, variants: [INNER Memo]}
"""


def test_a_moved_variant_is_one_finding_with_its_consequences(tmp_path: Path) -> None:
    for folder, tag, outer, inner in (("a", "{type: bye}", "Bye,", ""), ("b", "{type: note, kind: bye}", "", "Bye,")):
        (tmp_path / folder).mkdir()
        text = RETAGGED.replace("TAG", tag).replace("OUTER", outer).replace("INNER", inner)
        (tmp_path / folder / "protocol.yaml").write_text(text)
    sides = ("--against", str(tmp_path / "a"), "--spec", str(tmp_path / "b"))
    (finding,) = json.loads(run("breaking", "--format", "json", *sides).stdout)["findings"]
    assert (finding["rule"], finding["at"]) == ("tag-respelt", "Bye.type")
    assert {(each["writer"], each["newer"], each["verdict"]) for each in finding["directions"]} == {
        ("a", "reader", "unknown"),
        ("a", "writer", "unknown"),
    }
    follows = {each["rule"] for each in finding["consequences"]}
    assert follows == {"code-type-changed", "code-argument-needed", "code-name-removed", "variant-added"}
    (alone,) = json.loads(run("breaking", "--format", "json", "--category", "behaviour", *sides).stdout)["findings"]
    assert alone["consequences"] == []
    notes = json.loads(run("breaking", "--format", "json", "--category", "wire", *sides).stdout)["findings"]
    assert [each["rule"] for each in notes] == ["variant-added"]
    assert "    also: variant-added, WIRE: `Bye` of `AnyNote` is new" in run("breaking", *sides).stdout
    listed = run("changelog", *sides).stdout
    assert "### Moved\n\n- `Bye` is a variant of `AnyNote` now, and was one of `Line`.\n" in listed
    assert "Variant `Bye`" not in listed


# --- the changelog ---------------------------------------------------------------------------------------------


def test_the_list_has_breaks_first_and_no_prose(repository: Callable[..., None]) -> None:
    repository(
        REQUIRED,
        ("News of a parcel.", "Other news."),
        ("sum: number", "total: {type: number, formerly: sum}, due?: {type: timestamp, deprecated: Ask the office.}"),
        ("variants: [Parcel, Bill]", "variants: [Parcel, Bill, Hello]"),
        ("unions:", "  Hello: {doc: H., from: both, tag: {type: hello}, fields: {}}\nunions:"),
        MAJOR,
    )
    done = run("changelog", "--against", "git:main", "--target", "go")
    assert done.exit_code == 0
    assert (
        done.stdout
        == """\
## 2.0.0

### Breaks peers on other versions

- `Parcel.weight` is now required; a new office refuses what an old carrier writes.
- `Bill.total` has another key; a new carrier refuses what an old office writes, and an old carrier refuses what a new \
office writes.

### Breaks code that uses the packages

- `Parcel.weight` has another type (go: `Weight: *float64` → `Weight: float64`).
- `Bill.total` is renamed (go: `Sum` → `Total`).

### Added

- `Bill`: member `due?: timestamp`.
- Type: `Hello`.

### Renamed

- `sum` of `Bill` is `total` now.

### Deprecated

- `Bill.due`: Ask the office.
"""
    )


def test_the_list_is_plain_text_as_well(repository: Callable[..., None]) -> None:
    repository(ADDED)
    done = run("changelog", "--against", "git:main", "--format", "text")
    assert done.stdout == "Unreleased\n\nAdded\n  - Parcel: member note?: string.\n"


def test_the_list_has_peers_that_are_called_otherwise(repository: Callable[..., None]) -> None:
    repository(("carrier", "courier"))
    done = run("changelog", "--against", "git:main")
    assert done.stdout == "## Unreleased\n\n### Renamed\n\n- The peer `carrier` is `courier` now.\n"


def test_a_list_of_nothing_says_so(repository: Callable[..., None]) -> None:
    repository(("News of a parcel.", "Other news."))
    done = run("changelog", "--against", "git:main")
    assert done.stdout == "## Unreleased\n\nNo changes on the wire or in code.\n"


@pytest.mark.parametrize("command", ["breaking", "changelog"])
def test_the_help_shows_how_to_call_it(command: str) -> None:
    done = run(command, "--help")
    assert done.exit_code == 0
    assert f"polywire {command} --against git:" in done.stdout
