"""A README names a registry's package for installing only if the spec states that it is published there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.targets import registry

PARCEL = Path(__file__).resolve().parents[1] / "specs" / "parcel"
NAMES = {
    "python": "distribution: wire-python, module: wire",
    "typescript": "package: '@wire/typescript'",
    "go": "module: example.org/wire-go, package: wire",
    "rust": "crate: wire-rust",
}
FROM_A_REGISTRY = {
    "python": {'pip install "wire-python>=0.1.0"', 'pip install "wire-python[fast]"'},
    "typescript": {"npm install @wire/typescript@0.1.0"},
    "go": {"go get example.org/wire-go@v0.1.0"},
    "rust": {"cargo add wire-rust@0.1.0"},
}
FROM_A_FOLDER = {
    "python": {"pip install ./path/to/this/folder", 'pip install "./path/to/this/folder[fast]"'},
    "typescript": {"npm install ./path/to/this/folder"},
    "go": {"go mod edit -require=example.org/wire-go@v0.1.0 -replace=example.org/wire-go=./path/to/this/folder"},
    "rust": {"cargo add --path ./path/to/this/folder"},
}
COMMAND = re.compile(r"^(?:pip|npm|go|cargo) .*$|(?<=`)pip install [^`]*(?=`)", re.MULTILINE)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    shutil.copytree(PARCEL, tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(cli, words)


def state(published: str = "") -> None:
    """Name the packages of all languages, and state whether they are published."""
    flag = f", published: {published}" if published else ""
    packages = "".join(f"  {target}: {{{names}{flag}}}\n" for target, names in NAMES.items())
    entry = Path("spec", "protocol.yaml")
    text = re.sub(r"(?m)^  python: .*\n", packages, entry.read_text(encoding="utf-8"))
    entry.write_text(text, encoding="utf-8")


def commands(readme: Path) -> set[str]:
    """The commands of a README that install the package."""
    return {line for line in COMMAND.findall(readme.read_text(encoding="utf-8")) if "wire" in line or "folder" in line}


def test_the_languages_with_a_registry_have_the_key() -> None:
    assert {name for name, target in registry().items() if "published" in target.package_flags} == NAMES.keys()


@pytest.mark.parametrize(
    ("published", "wanted"), [("", FROM_A_FOLDER), ("false", FROM_A_FOLDER), ("true", FROM_A_REGISTRY)]
)
def test_a_readme_installs_from_the_registry_only_what_the_spec_calls_published(
    run: Callable[..., Result], published: str, wanted: dict[str, set[str]]
) -> None:
    state(published)
    assert run("generate").exit_code == 0
    assert {target: commands(Path("generated", target, "README.md")) for target in NAMES} == wanted


def test_a_dialect_is_never_published(run: Callable[..., Result]) -> None:
    state("true")
    assert run("generate", "--dialect", "terse").exit_code == 0
    found = {target: commands(Path("generated", "dialects", "terse", target, "README.md")) for target in NAMES}
    assert found == FROM_A_FOLDER


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ("", FROM_A_REGISTRY["python"]),
        ('dialect = "terse"', FROM_A_FOLDER["python"]),
        ('distribution = "wire-ours"', FROM_A_FOLDER["python"]),
        ("published = false", FROM_A_FOLDER["python"]),
        (
            'distribution = "wire-ours"\npublished = true',
            {'pip install "wire-ours>=0.1.0"', 'pip install "wire-ours[fast]"'},
        ),
    ],
)
def test_a_vendored_package_is_published_only_under_the_name_that_is_called_so(
    run: Callable[..., Result], settings: str, wanted: set[str]
) -> None:
    state("true")
    top = settings if settings.startswith("dialect") else ""
    own = "" if top else settings
    Path("polywire.toml").write_text(f'spec = "spec"\n{top}\n[targets.python]\nout = "wire"\n{own}\n', encoding="utf-8")
    done = run("generate", "--no-add-ons")
    assert (done.exit_code, commands(Path("wire", "README.md"))) == (0, wanted), done.output


@pytest.mark.parametrize(
    ("packages", "told"),
    [
        ("python: {published: yes}", "`yes`"),
        ("jsonschema: {published: true}", "the packages of jsonschema have no `published`"),
    ],
)
def test_a_wrong_statement_is_reported(run: Callable[..., Result], packages: str, told: str) -> None:
    entry = Path("spec", "protocol.yaml")
    entry.write_text(
        re.sub(r"(?m)^  python: .*$", f"  {packages}", entry.read_text(encoding="utf-8")), encoding="utf-8"
    )
    done = run("lint", "--strict")
    assert done.exit_code == 1
    assert told in done.output


def test_a_setting_that_is_neither_true_nor_false_is_reported(run: Callable[..., Result]) -> None:
    text = 'spec = "spec"\n[targets.python]\nout = "wire"\npublished = "true"\n'
    Path("polywire.toml").write_text(text, encoding="utf-8")
    done = run("check")
    assert done.exit_code == 2
    assert "`published` is a string, expected true or false" in done.output
