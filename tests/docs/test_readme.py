"""The READMEs: what the introduction says, the types and numbers of lines that it shows, and who tests its commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.commands.cli import cli
from polywire.ground.parsing import toml_table
from polywire.model.build import build
from polywire.source import load
from transcripts import sections

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BEGINNING = README[: README.index("## What sets it apart")]
FIRST_PROGRAM = (ROOT / "docs" / "first-program.md").read_text(encoding="utf-8")
FOLDERS = {"python": "python", "ts": "typescript", "go": "go", "rust": "rust"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the README's spec."""
    monkeypatch.chdir(tmp_path)
    (spec,) = re.findall(r"^```yaml\n# spec/protocol.yaml\n(.*?)^```", BEGINNING, re.MULTILINE | re.DOTALL)
    assert len(spec.splitlines()) <= 10
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "protocol.yaml").write_text(spec, encoding="utf-8")
    return tmp_path


def run(command: str) -> str:
    result = CliRunner().invoke(cli, command.split()[1:])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_first_two_sentences_say_whose_protocol_it_is_and_what_generates_its_packages() -> None:
    _, text, _ = README.split("\n\n", 2)
    first, second, *_ = re.split(r"(?<=\.)\s+", " ".join(text.split()))
    assert "for the protocol of Claude Code's command line (`claude`)" in first
    assert "**polywire** generates these packages from one YAML description" in second


def test_the_readme_goes_from_one_picture_to_one_language() -> None:
    (picture,) = re.findall(r"^```mermaid\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert README.index(picture) < README.index("\n## ")
    assert {"spec", "polywire", "cases"} <= set(re.findall(r"\w+", picture))
    assert [*sections(ROOT / "README.md")] == [
        "Ten lines of YAML",
        "What sets it apart",
        "Install and run polywire",
        "Six commands",
        "Read a session of Claude Code",
        "Where to go from here",
    ]
    assert {*re.findall(r"^```(python|ts|js|go|rust)$", README, re.MULTILINE)} == {"python"}


RUN_BY = {
    "Ten lines of YAML": "tests/docs/test_readme.py",
    "Install and run polywire": "tests/docs/test_strangers_path.py",
    "Read a session of Claude Code": "tests/docs/test_examples.py",
}
"""The sections of the README with commands and their output, each with the test that compares it."""


def test_what_every_command_of_the_readme_prints_is_compared() -> None:
    shown = sections(ROOT / "README.md")
    assert {name for name, text in shown.items() if "```console" in text} == {*RUN_BY}
    for test in RUN_BY.values():
        assert "README.md" in (ROOT / test).read_text(encoding="utf-8")


def test_the_six_commands_are_those_of_a_first_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```sh\n(.*?)^```", sections(ROOT / "README.md")["Six commands"], re.MULTILINE | re.DOTALL)
    commands = [line.split("#")[0].strip() for line in block.splitlines()]
    assert [command.split()[1] for command in commands] == [
        "init",
        "lint",
        "generate",
        "check",
        "conformance",
        "breaking",
    ]
    *printed, checked = [run(command) for command in commands[:4]]
    assert printed[0].endswith("next: polywire generate, and commit what it writes with polywire.toml\n")
    assert checked.endswith("files of 2 targets: up to date\n")


PACKAGES = sorted((ROOT / "generated").glob("*/README.md"))


@pytest.mark.parametrize("page", PACKAGES, ids=lambda page: page.parent.name)
def test_no_paragraph_of_a_package_readme_lists_names(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    paragraphs = [each for each in re.split(r"\n\n|\n(?=- )", text) if not each.startswith("|")]
    assert [each for each in paragraphs if len(re.findall(r"`[^`]+`", each)) > 12] == []


@pytest.mark.usefixtures("folder")
def test_the_spec_has_no_faults_and_the_command_prints_what_is_shown() -> None:
    assert run("polywire lint --strict") == ""
    ((command, last),) = re.findall(r"^\$ (polywire .*)\n…\n(.*)\n```", BEGINNING, re.MULTILINE)
    assert run(command).splitlines()[-1] == last


def test_each_language_has_the_type_that_is_shown(folder: Path) -> None:
    run("polywire generate")
    types = FIRST_PROGRAM[FIRST_PROGRAM.index("## One type in each language") :]
    shown = dict(re.findall(r"^```(python|ts|go|rust)\n(.*?)^```", types, re.MULTILINE | re.DOTALL))
    assert f"```python\n{shown['python']}```" in BEGINNING
    assert shown.keys() == FOLDERS.keys()
    for fence, block in shown.items():
        files = [file for file in (folder / "generated" / FOLDERS[fence]).rglob("*") if file.is_file()]
        assert any(block in file.read_text(encoding="utf-8") for file in files), fence


def test_the_packages_are_as_long_as_it_says(folder: Path) -> None:
    (said,) = re.findall(r"about ([\d,]+) lines for nine lines of\s+YAML", BEGINNING)
    run("polywire generate")
    files = (file for file in (folder / "generated").rglob("*") if file.is_file())
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    assert round(lines, -3) == int(said.replace(",", ""))


COMPARISON = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
LANGUAGES = ("go", "python", "rust", "typescript")


def numbers(pattern: str) -> tuple[int, ...]:
    """Return the numbers that the page about other tools states in a sentence."""
    (found,) = re.findall(pattern, " ".join(COMPARISON.split()))
    return tuple(int(each.replace(",", "")) for each in found)


def length(*files: Path) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def test_ten_lines_of_yaml_become_as_many_lines_in_each_language_as_the_page_says(folder: Path) -> None:
    least, most = numbers(r"Ten lines of YAML become ([\d,]+) to ([\d,]+) lines in a language")
    run("polywire generate")
    packages = [folder / "generated" / each for each in LANGUAGES]
    sizes = [length(*(file for file in package.rglob("*") if file.is_file())) for package in packages]
    assert (round(min(sizes), -3), round(max(sizes), -3)) == (least, most)


def test_a_package_costs_what_the_page_says(folder: Path) -> None:
    least, most = numbers(r"A package is a library of ([\d,]+) to ([\d,]+) lines")
    few, many = numbers(r"plus (\d+) to (\d+) lines for each member of the spec")
    run("polywire generate")
    small = json.loads((folder / "generated" / "manifest.json").read_text(encoding="utf-8"))["targets"]
    large = json.loads((ROOT / "generated" / "manifest.json").read_text(encoding="utf-8"))["targets"]
    libraries = [
        length(*(place / file for file in targets[name]["runtime"]))
        for place, targets in ((folder / "generated", small), (ROOT / "generated", large))
        for name in LANGUAGES
    ]
    assert (round(min(libraries), -3), round(max(libraries), -3)) == (least, most)
    model = build(load(ROOT / "spec")).model
    assert model is not None
    members = sum(len(struct.fields) for struct in model.structs)
    added = [
        length(*(ROOT / "generated" / file for file in {*large[name]["files"]} - {*large[name]["runtime"]})) / members
        for name in LANGUAGES
    ]
    assert (round(min(added)), round(max(added))) == (few, many)


def test_the_libraries_depend_on_what_the_readme_says() -> None:
    said = " ".join(README.split())
    assert (
        "It depends on `google/uuid` in Go, on `memchr` and `serde` in Rust, and on nothing in Python and TypeScript."
        in said
    )
    go, rust, python, typescript = (
        (ROOT / "generated" / each).read_text(encoding="utf-8")
        for each in ("go/go.mod", "rust/Cargo.toml", "python/pyproject.toml", "typescript/package.json")
    )
    assert re.findall(r"^require (\S+)", go, re.MULTILINE) == ["github.com/google/uuid"]
    required = [name for name, each in toml_table(rust.encode())["dependencies"].items() if not is_optional(each)]
    assert required == ["memchr", "serde"]
    assert toml_table(python.encode())["project"].get("dependencies", []) == []
    assert "dependencies" not in json.loads(typescript)


def is_optional(dependency: object) -> bool:
    return isinstance(dependency, dict) and dependency.get("optional") is True
