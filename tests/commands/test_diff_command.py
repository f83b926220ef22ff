"""The output of `polywire diff`, and the selection of the specs to compare by its arguments."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from drawing import SPEC, Change, drawing
from polywire.commands.cli import cli
from polywire.evolve.diff import compare
from polywire.evolve.diff.report import Comparison, Spec
from polywire.evolve.diff.rows import FEW, rows
from polywire.model.nodes import Model

# --- rows and output -------------------------------------------------------------------------------------------

CHANGES: list[Change] = [
    ("x: number, y: number", "x?: integer, z?: number, w?: number"),
    ("when?: timestamp", "when?: string"),
    ("blue: B.", "green: G."),
    ("[Line, Ask,", "[Line, Colour, Ask,"),
    ("  start: {doc: S., from: a, response: Point}\n", ""),
]


def comparison(before: Model, after: Model) -> Comparison:
    old, new = Spec("old", Path("old/spec"), before), Spec("new", Path("new/spec"), after)
    return Comparison(old, new, compare(before, after))


@pytest.fixture(scope="module")
def changed() -> Comparison:
    return comparison(drawing(), drawing(*CHANGES))


def test_a_row_has_what_belongs_together(changed: Comparison) -> None:
    assert [
        (row.sign, row.name or row.about, row.what, row.before, row.after) for row in rows(changed.differences)
    ] == [
        ("+", "what stands alone", "root", (), ("Colour",)),
        ("-", "Colour", "value", ('"blue"',), ()),
        ("+", "Colour", "value", (), ('"green"',)),
        ("~", "Base", "format", ("when?: timestamp",), ("when?: string",)),
        ("~", "Point", "presence, type", ("x: number",), ("x?: integer",)),
        ("-", "Point", "field", ("y: number",), ()),
        ("+", "Point", "field", (), ("z?: number", "w?: number")),
        ("-", "1 control", "gone", ("start",), ()),
    ]  # fmt: skip  (a table)


def test_of_much_that_is_gone_a_few_names_are_enough() -> None:
    many = "".join(f"  T{n}: {{doc: T., fields: {{n: number}}}}\n" for n in range(20))
    fields = ", ".join(f"t{n}?: T{n}" for n in range(20))
    whole, small = drawing(("types:\n", f"types:\n{many}"), ("x: number", fields)), drawing()
    gone = rows(compare(whole, small))[-1]
    assert (gone.about, len(gone.before), gone.left_out) == ("20 declarations", FEW, 8)
    assert "  - T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, … and 8 more" in comparison(whole, small).render()
    assert len(rows(compare(small, whole))) == 2 + 20


def test_the_text_groups_by_declaration_and_says_where(changed: Comparison) -> None:
    at = {text: f"{1 + number}" for number, text in enumerate(SPEC.split("\n"))}
    base, point = (next(n for text, n in at.items() if text.startswith(f"  {name}:")) for name in ("Base", "Point"))
    colour, start = (next(n for text, n in at.items() if text.startswith(f"  {name}:")) for name in ("Colour", "start"))
    assert changed.render() == (
        "what stands alone\n"
        f"  + root Colour  new/spec/protocol.yaml:{colour}\n"
        "\n"
        "Colour\n"
        f'  - value "blue"  old/spec/protocol.yaml:{colour}\n'
        f'  + value "green"  new/spec/protocol.yaml:{colour}\n'
        "\n"
        "Base, in Circle, Dot, Draw\n"
        f"  ~ format when?: timestamp → when?: string  new/spec/protocol.yaml:{base}\n"
        "\n"
        "Point\n"
        f"  ~ presence, type x: number → x?: integer  new/spec/protocol.yaml:{point}\n"
        f"  - field y: number  old/spec/protocol.yaml:{point}\n"
        f"  + field z?: number, w?: number  new/spec/protocol.yaml:{point}\n"
        "\n"
        "1 control\n"
        f"  - start  old/spec/protocol.yaml:{start}\n"
        "\n"
        "old → new: 10 differences\n"
    )


def test_colours_are_all_that_a_terminal_gets_more(changed: Comparison) -> None:
    coloured = changed.render(colour=True)
    assert "\x1b[32m+ root \x1b[0mColour" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == changed.render()


def test_markdown_is_one_table(changed: Comparison) -> None:
    assert changed.render("markdown") == (
        "| where | what | old | new |\n"
        "|---|---|---|---|\n"
        "| what stands alone | root | - | `Colour` |\n"
        '| `Colour` | value | `"blue"` | `"green"` |\n'
        "| `Base` in `Circle`, `Dot`, `Draw` | format | `when?: timestamp` | `when?: string` |\n"
        "| `Point` | presence, type | `x: number` | `x?: integer` |\n"
        "| `Point` | field | `y: number` | `z?: number`, `w?: number` |\n"
        "| 1 control | gone | `start` | - |\n"
    )


def test_many_types_that_have_it_from_a_mixin_are_counted() -> None:
    more: Change = ("Left: {doc: L.,", "Left: {doc: L., include: [Base],")
    table = comparison(drawing(more), drawing(more, ("when?: timestamp", "when?: string"))).render("markdown")
    assert table.splitlines()[2] == "| `Base` in 4 types | format | `when?: timestamp` | `when?: string` |"


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("a|b", '`kind: "a\\|b"`'),
        ("a`b", '``kind: "a`b"``'),
        ("``", '```kind: "``"```'),
        ("a\u202eb", '`kind: "a\\u202eb"`'),
        ("a\nb", '`kind: "a\\nb"`'),
        ("<b>*a*</b>", '`kind: "<b>*a*</b>"`'),
    ],
)
def test_nothing_of_a_spec_breaks_out_of_a_cell(written: str, cell: str) -> None:
    after = drawing(("{kind: square}", f"{{kind: {json.dumps(written)}}}"))
    assert comparison(drawing(), after).render("markdown").splitlines()[2:] == [
        f'| `Square` | tag | `kind: "square"` | {cell} |'
    ]


def test_what_a_spec_is_called_breaks_out_of_no_cell_either() -> None:
    one = drawing()
    table = Comparison(Spec("a|b`*", Path(), one), Spec("c\nd", Path(), one), compare(one, drawing(("x: n", "x?: n"))))
    assert table.render("markdown").splitlines()[0] == r"| where | what | a\|b\`\* | c\\nd |"


def test_json_has_every_difference_with_both_sides(changed: Comparison) -> None:
    told = json.loads(changed.render("json"))
    assert [*told] == ["before", "after", "differences"]
    assert told["before"] == {
        "spec": "old/spec",
        "dialect": None,
        "protocol": "p",
        "version": "1.0.0",
        "hash": changed.before.model.spec_hash,
    }
    assert told["before"]["hash"] != told["after"]["hash"]
    assert len(told["differences"]) == len(changed.differences)
    mixin = next(each for each in told["differences"] if each["rule"] == "format")
    line = 1 + SPEC.split("\n").index("  Base: {doc: B., fields: {id: Id, when?: timestamp}}")
    assert mixin == {
        "rule": "format",
        "before": {
            "name": "Base",
            "key": "when",
            "text": "when?: timestamp",
            "types": ["Circle", "Dot", "Draw"],
            "file": "old/spec/protocol.yaml",
            "line": line,
            "column": 36,
        },
        "after": {
            "name": "Base",
            "key": "when",
            "text": "when?: string",
            "types": ["Circle", "Dot", "Draw"],
            "file": "new/spec/protocol.yaml",
            "line": line,
            "column": 36,
        },
    }
    assert told["differences"][0]["before"] == {"name": "", "key": "", "text": None, "types": []}


def test_where_nothing_differs_that_is_said() -> None:
    none = comparison(drawing(), drawing())
    assert none.render() == "old → new: the same on the wire\n"
    assert none.render("markdown") == "The same on the wire.\n"
    assert json.loads(none.render("json"))["differences"] == []


# --- the command -----------------------------------------------------------------------------------------------


@pytest.fixture
def here(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the parcel spec in `spec`, and one in `after/spec` with one field fewer."""
    for folder in ("spec", "after/spec"):
        shutil.copytree(root / "tests/specs/parcel", tmp_path / folder)
    file = tmp_path / "after/spec/parts.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("left?: Tree", "right?: Tree"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["diff", *words], prog_name="polywire")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "last"),
    [
        (["terse"], "base → terse: 4 differences"),
        (["--dialect", "terse"], "base → terse: 4 differences"),
        (["spec", "terse"], "spec → terse: 4 differences"),
        (["terse", "spec"], "terse → spec: 4 differences"),
        (["after/spec"], "base → after/spec: 2 differences"),
        (["spec", "after/spec"], "spec → after/spec: 2 differences"),
        (["./spec", "./after/spec"], "./spec → ./after/spec: 2 differences"),
        (["spec", "after/spec", "--dialect", "terse"], "spec in terse → after/spec in terse: 2 differences"),
        (["after/spec", "--dialect", "terse"], "terse → after/spec in terse: 2 differences"),
        (["--spec", "after/spec", "spec"], "base → spec: 2 differences"),
    ],
)
def test_what_is_named_is_compared(words: list[str], last: str) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, last)
    assert "\x1b" not in done.stdout


@pytest.mark.full
@pytest.mark.usefixtures("here")
def test_the_spec_that_comes_with_polywire_is_called_bundled() -> None:
    assert run("bundled", "bundled").stdout == "bundled → bundled: the same on the wire\n"
    assert run("--spec", "bundled", "--at", "0.2.33", "0.2.37").stdout.startswith("0.2.33 → 0.2.37: ")
    assert run("bundled", "miriad", "--spec", "bundled").exit_code == 1


@pytest.mark.usefixtures("here")
def test_two_dialects_given_either_way_are_compared() -> None:
    named, given = run("terse", "courier"), run("--dialect", "terse", "--dialect", "courier")
    assert named.exit_code == 1
    assert named.stdout == given.stdout
    assert named.stdout.splitlines()[-1].startswith("terse → courier: ")
    over = run("spec", "spec", "--dialect", "terse", "--dialect", "courier")
    assert over.stdout.splitlines()[:-1] == named.stdout.splitlines()[:-1]


@pytest.mark.parametrize("sides", [["early"], ["{spec}", "early"], ["early", "{spec}"]])
def test_a_dialect_is_compared_with_the_release_that_it_is_laid_over(sides: list[str], root: Path) -> None:
    spec = (root / "tests/specs/history").as_posix()
    done = run("--spec", spec, "--format", "json", *(side.format(spec=spec) for side in sides))
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert {told["before"]["version"], told["after"]["version"]} == {"0.2.33"}
    assert {told["before"]["dialect"], told["after"]["dialect"]} == {None, "early"}
    names = {side["name"] for each in told["differences"] for side in (each["before"], each["after"]) if side}
    assert names == {"", "Wire", "MessageParam", "UserMessage", "ChangeModeRequest", "SummaryMessage"}


@pytest.mark.usefixtures("here")
def test_what_is_the_same_exits_0() -> None:
    done = run("spec")
    assert (done.exit_code, done.stdout) == (0, "base → spec: the same on the wire\n")


def test_a_folder_of_the_name_of_a_dialect_is_named_with_a_slash(here: Path) -> None:
    shutil.copytree(here / "after/spec", here / "terse")
    assert run("terse").stdout.splitlines()[-1] == "base → terse: 4 differences"
    assert run("./terse").stdout.splitlines()[-1] == "base → ./terse: 2 differences"


@pytest.mark.usefixtures("here")
def test_the_other_forms_can_be_asked_for() -> None:
    table = run("terse", "--format", "markdown").stdout
    assert table.startswith("| where | what | base | terse |\n|---|---|---|---|\n| requests and responses | envelope |")
    told = json.loads(run("terse", "--format", "json").stdout)
    assert (told["before"]["dialect"], told["after"]["dialect"], told["after"]["spec"]) == (None, "terse", "spec")
    assert [each["rule"] for each in told["differences"]] == ["envelope", "field-name", "field", "field-flatten"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "nothing to compare with: name a dialect (courier, terse) or a folder"),
        (["ters"], "spec has no dialect 'ters'; did you mean 'terse'?"),
        (["terse", "nowhere"], "spec has no dialect 'nowhere'; there is courier, terse"),
        (["./nowhere"], "nowhere: no spec there (no protocol.yaml); name a folder that has one"),
        (["spec", "after"], "after: no spec there (no protocol.yaml); name a folder that has one"),
        (["after/spec", "--dialect", "ters"], "spec has no dialect 'ters'; did you mean 'terse'?"),
        (["--spec", "nowhere", "terse"], "nowhere: no spec there (no protocol.yaml); name a folder that has one"),
        (["--dialect", "after/spec"], "spec has no dialect 'after/spec'; there is courier, terse"),
        (["terse", "--dialect", "courier"], "a dialect is already named; --dialect is for folders"),
        (["terse", "courier", "spec"], "expected at most two"),
        (["--dialect", "terse", "--dialect", "terse", "--dialect", "terse"], "expected at most two"),
        (["terse", "--format", "yaml"], "'yaml' is not one of 'text', 'json', 'markdown'"),
    ],
)
def test_wrong_use_exits_2_and_says_what_to_do(words: list[str], complaint: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert complaint in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_a_spec_with_errors_is_no_difference_but_wrong_use(here: Path) -> None:
    file = here / "after/spec/parts.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("right?: Tree", "right?: Treee"), encoding="utf-8")
    done = run("after/spec")
    assert done.exit_code == 2
    assert "after/spec/parts.yaml:" in done.stderr
    assert "error[unknown-name]" in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("here")
def test_the_help_shows_how_to_call_it() -> None:
    done = run("--help")
    assert done.exit_code == 0
    assert "polywire diff ../before/spec spec" in done.stdout
    assert "0  the same on the wire" in done.stdout


@pytest.mark.usefixtures("here")
def test_dialects_and_folders_are_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_POLYWIRE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "polywire diff t")
    monkeypatch.setenv("COMP_CWORD", "2")
    done = CliRunner().invoke(cli, [], prog_name="polywire", complete_var="_POLYWIRE_COMPLETE")
    assert done.stdout.splitlines() == ["plain,terse", "dir,t"]
