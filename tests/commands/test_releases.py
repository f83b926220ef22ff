"""Releases on the command line and in `polywire.toml`: `--at`, `--span`, and the comparison of two releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli

HISTORY = Path(__file__).resolve().parents[1] / "specs" / "history"
SPEC = ("--spec", str(HISTORY))


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def test_lint_checks_what_is_asked_for() -> None:
    for words in ((), ("--at", "0.2.33"), ("--span", "0.2.45.."), ("--span", "..0.2.90"), ("--dialect", "early")):
        result = run("lint", "--strict", *SPEC, *words)
        assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--at", "0.2.34"), "the spec has no release '0.2.34'; it describes 0.2.33, 0.2.37"),
        (("--span", "0.2.90..0.2.33"), "the spec has no release '0.2.90..0.2.33'"),
        (("--span", "0.2.33"), "`0.2.33` is not a span: write A..B, A.. or ..B"),
        (("--at", "0.2.33", "--span", "0.2.33.."), "`at` and `span` exclude each other"),
    ],
)
@pytest.mark.parametrize("command", [("lint",), ("show", "UserMessage"), ("generate", "--out", "nowhere")])
def test_releases_that_cannot_be_meant_are_wrong_use(
    command: tuple[str, ...], words: tuple[str, ...], told: str
) -> None:
    result = run(*command, *SPEC, *words)
    assert result.exit_code == 2
    assert told in result.output
    assert not Path("nowhere").exists()


def test_show_prints_a_declaration_as_the_release_has_it() -> None:
    oldest, newest, all_ = (
        run("show", "UserMessage", *SPEC, *words).output for words in (("--at", "0.2.33"), ("--at", "0.3.330"), ())
    )
    assert "  parent_tool_use_id  string | null\n" in oldest
    assert "timestamp" not in oldest
    assert "parent_tool_use_id " not in newest.replace("formerly parent_tool_use_id", "")
    assert "deprecated: Called `parent_call_id` in later releases." in all_


def test_generate_makes_a_release_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("generate", *SPEC, "--target", "jsonschema", "--at", "0.2.33").exit_code == 0
    assert run("generate", *SPEC, "--target", "jsonschema", "--span", "0.2.45..0.2.90").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "generated" / "releases").iterdir()) == ["0.2.33", "0.2.45..0.2.90"]
    schema = json.loads(
        next((tmp_path / "generated" / "releases" / "0.2.33").rglob("*.strict.schema.json")).read_text()
    )
    assert schema["$defs"]["PermissionMode"]["enum"] == ["default", "delegate"]
    assert run("check", *SPEC, "--target", "jsonschema", "--at", "0.2.33").exit_code == 0


def test_a_dialect_is_of_one_release_already() -> None:
    result = run("generate", *SPEC, "--dialect", "early", "--at", "0.2.33", "--out", "nowhere")
    assert result.exit_code == 2
    assert "a dialect has a fixed release" in result.output


@pytest.mark.parametrize(("line", "newest"), [('at = "0.2.77"', "0.2.77"), ('span = "..0.2.90"', "0.2.90")])
def test_a_config_chooses_releases(line: str, newest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "protocol").symlink_to(HISTORY)
    text = f'spec = "protocol"\n{line}\n[targets.jsonschema]\nout = "schemas"\n'
    (tmp_path / "polywire.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    result = run("generate")
    assert (result.exit_code, "created" in result.output) == (0, True)
    schema = json.loads((tmp_path / "schemas" / "history.schema.json").read_text())
    assert schema["description"].startswith(f"history {newest}, ")
    assert run("check").exit_code == 0


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('at = "0.2.34"', ":2:1: error[bad-release] the spec has no release '0.2.34'"),
        ('span = "0.2.34.."', ":2:1: error[bad-release] the spec has no release '0.2.34'"),
        ('at = "0.2.33"\nspan = "..0.2.90"', ":3:1: error[bad-release] `at` and `span` exclude each other"),
        ('dialect = "early"\nat = "0.2.33"', ":3:1: error[bad-release] a dialect is based on one release"),
    ],
)
def test_a_config_that_chooses_badly_is_told_where(
    lines: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "protocol").symlink_to(HISTORY)
    text = f'spec = "protocol"\n{lines}\n[targets.jsonschema]\nout = "schemas"\n'
    (tmp_path / "polywire.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    result = run("generate")
    assert result.exit_code == 2
    assert told in result.output


def test_diff_and_breaking_compare_two_releases() -> None:
    result = run("diff", *SPEC, "--at", "0.2.33", "0.2.45", "--format", "json")
    assert result.exit_code == 1
    told = result.output
    assert '"parent_tool_use_id' in told
    assert "parent_call_id" in told
    same = run("diff", *SPEC, "--at", "0.2.33", "0.2.33")
    assert same.exit_code == 0
    broken = run("breaking", *SPEC, "--at", "0.2.33", "0.3.330", "--category", "wire")
    assert broken.exit_code == 1
    assert broken.output.startswith("# history: 0.2.33 → 0.3.330\n\n")
    assert "## Breaks peers on other versions (11)" in broken.output
    text = run("breaking", *SPEC, "--at", "0.2.33", "0.3.330", "--category", "wire", "--format", "text").output
    assert "error[member-renamed] WIRE: `UserMessage.parent_call_id` has another key" in text
    assert run("breaking", *SPEC, "--at", "0.3.270", "0.3.330").exit_code == 0


@pytest.mark.parametrize(
    ("ends", "names"), [(("0.2.33", "0.3.330"), ("change", "set")), (("0.3.330", "0.2.33"), ("set", "change"))]
)
def test_a_renamed_control_is_one_control_with_another_tag(ends: tuple[str, str], names: tuple[str, str]) -> None:
    told = run("diff", *SPEC, "--at", *ends).output
    assert f'~ tag subtype: "{names[0]}_mode" → subtype: "{names[1]}_mode"' in told
    assert "control" not in told
    broken = run("breaking", *SPEC, "--at", *ends, "--category", "wire").output
    assert f'(`subtype: "{names[0]}_mode"` → `subtype: "{names[1]}_mode"`)' in broken


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("diff", "--at", "0.2.33", "0.2.45", "early"), "remove the other names"),
        (("diff", "--at", "0.2.33", "9"), "the spec has no release '9'"),
        (("breaking",), "name the old spec"),
        (("breaking", "--at", "0.2.33", "0.2.45", "--against", "git:HEAD"), "name the old spec"),
        (("breaking", "--at", "0.2.33", "0.2.45", "--dialect", "early"), "remove --dialect"),
        (("breaking", "--at", "9", "0.2.45"), "the spec has no release '9'"),
    ],
)
def test_what_cannot_be_compared_is_wrong_use(words: tuple[str, ...], told: str) -> None:
    result = run(*words, *SPEC)
    assert result.exit_code == 2
    assert told in result.output
