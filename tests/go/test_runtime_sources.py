"""The Go runtime's sources: unit tests, gofmt, vet, staticcheck, and the generator's tables of its names and codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polywire.ground.engine import CODES
from polywire.plan.public import features
from polywire.targets.go import TARGET
from polywire.targets.go.names import PLACEHOLDER, PROCESS_PLACEHOLDER, VOCABULARY
from rendered import model_of
from sampling import turn
from staticcheck import staticcheck
from toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[2]
RUNTIME_FOLDER = ROOT / "runtimes" / "go"
SOURCES = sorted(
    path for path in RUNTIME_FOLDER.glob("*.go") if not path.name.startswith("sample") and "_test" not in path.name
)

BEFORE_TYPES = ("alias", "enum", "flat", "of", "pair", "starting", "table", "tree", "union", "unknown")
"""What the unexported names of a package that contain the name of a type begin with."""

EXPORTED = re.compile(
    r"^(?:func|type|var|const) ([A-Z]\w*)"
    r"|^(?:var|const|type) \(\n(?P<block>.*?)^\)",
    re.MULTILINE | re.DOTALL,
)
"""A top-level declaration at the beginning of a line: its exported name, or a block of several names."""


def exported(source: str) -> set[str]:
    """The names that a source file exports from its package."""
    found: set[str] = set()
    for declaration in EXPORTED.finditer(source):
        if declaration["block"] is None:
            found.add(declaration[1])
        else:
            found |= set(re.findall(r"^\t([A-Z]\w*)", declaration["block"], re.MULTILINE))
    return found


@pytest.mark.full
def test_the_unit_tests_pass(go: Toolchain) -> None:
    done = go.run("go", "test", "./...", cwd=RUNTIME_FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"ok\s", done.stdout), done.stdout


def test_gofmt_changes_nothing(go: Toolchain) -> None:
    done = go.run("gofmt", "-d", ".", cwd=RUNTIME_FOLDER)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.full
def test_go_vet_is_silent(go: Toolchain) -> None:
    done = go.run("go", "vet", "./...", cwd=RUNTIME_FOLDER)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@turn("linter of Go")
def test_staticcheck_is_silent(go: Toolchain) -> None:
    done = staticcheck(go, RUNTIME_FOLDER, "./...")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_target_reserves_what_the_runtime_exports() -> None:
    declared = {path.name: exported(path.read_text(encoding="utf-8")) for path in SOURCES}
    groups = [group for feature in VOCABULARY.exports.values() for group in feature.items()]
    exports = {file: set(names) for file, names in groups if file != "generated"}
    files = {file for found in VOCABULARY.files.values() for file in found if not file.startswith("process/")}
    assert declared == {file: set() for file in files} | exports
    assert sum(map(len, declared.values())) > 30


def test_no_type_of_a_spec_can_be_called_so_that_a_name_is_one_of_the_runtime() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    declared = {*re.findall(r"^(?:\t|(?:func|type|var|const) )([a-z]\w*)\b", text, re.MULTILINE)}
    assert len(declared) > 500
    assert [name for name in declared if re.match(f"(?:{'|'.join(BEFORE_TYPES)})[A-Z]", name)] == []


def test_every_name_that_a_package_exports_is_checked_for_collisions() -> None:
    package = ROOT / "generated" / "go" / "types"
    sources = [path for path in package.glob("*.go") if "_test" not in path.name]
    found = set().union(*(exported(path.read_text(encoding="utf-8")) for path in sources))
    assert found == {name.name for name in TARGET.names(model_of(ROOT / "spec")) if name.scope == "package"}


def test_no_name_of_the_runtime_can_be_that_of_a_table() -> None:
    """Tables are named by their kind and the name of the declaration, which can be any word."""
    tables = (ROOT / "generated" / "go" / "types" / "tables.go").read_text(encoding="utf-8")
    kinds = {*re.findall(r"^(?:var|type|func) ([a-z]+)[A-Z]", tables, re.MULTILINE)}
    kinds |= {"flat", "alias", "tree", "idsOf"}  # of other specs
    templates = [*(ROOT / "templates" / "go").rglob("*.j2")]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (*SOURCES, *templates))
    names = {*re.findall(r"^\s*(?:func|var|const|type) ([a-z]\w*)", sources, re.MULTILINE)}
    assert len(names) > 300
    assert [name for name in sorted(names) if re.match(rf"(?:{'|'.join(sorted(kinds))})[A-Z]", name)] == []


def test_the_codes_are_those_of_the_rules_in_their_order() -> None:
    source = (RUNTIME_FOLDER / "errors.go").read_text(encoding="utf-8")
    constants = re.findall(r'^\t(\w+) +Code = "(\w+)"$', source, re.MULTILINE)
    assert tuple(code for _, code in constants) == CODES
    assert re.findall(r"^\t(Code\w+),$", source, re.MULTILINE) == [name for name, _ in constants]


def test_the_runtime_is_copied_without_its_placeholder() -> None:
    package = ROOT / "generated" / "go" / "types"
    needed = set(VOCABULARY.files_of(features(model_of(ROOT / "spec"))))
    assert {path.name for path in SOURCES} - needed == {
        "content_length.go",
        "notify.go",
        "refusal_data.go",
        "sse.go",
        "tuples.go",
    }
    for path in (each for each in SOURCES if each.name in needed):
        copy = (package / path.name).read_text(encoding="utf-8")
        assert copy.endswith(path.read_text(encoding="utf-8").replace(PLACEHOLDER, "types")), path.name


def test_the_package_of_processes_is_copied_with_the_path_of_the_package() -> None:
    files = [path for found in VOCABULARY.files.values() for path in found if path.startswith("process/")]
    for path in VOCABULARY.files_of(features(model_of(ROOT / "spec"))):
        if path not in files:
            continue
        copy = (ROOT / "generated" / "go" / "types" / path).read_text(encoding="utf-8")
        source = (RUNTIME_FOLDER / path).read_text(encoding="utf-8")
        assert copy.endswith(source.replace(PROCESS_PLACEHOLDER, "example.com/agentlines/types")), path
    folder = RUNTIME_FOLDER / "process"
    own = [path.name for path in folder.glob("*.go") if path.name != "sample.go" and "_test" not in path.name]
    assert sorted(f"process/{name}" for name in own) == sorted(files)


def test_packages_need_the_modules_that_the_runtime_is_tested_with() -> None:
    needs = [
        (folder / "go.mod").read_text(encoding="utf-8").partition("require")[2]
        for folder in (RUNTIME_FOLDER, ROOT / "generated" / "go")
    ]
    assert needs[0] == needs[1] != ""
    sums = [(folder / "go.sum").read_text(encoding="utf-8") for folder in (RUNTIME_FOLDER, ROOT / "generated" / "go")]
    assert sums[0] == sums[1]
