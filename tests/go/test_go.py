"""Checks of the Go package by Go's own tools: formatter, vet, staticcheck, and tests under the race detector."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from documented import checklist
from polywire import source
from polywire.model.build import build
from polywire.oracle.instances import derive
from sampling import turn
from staticcheck import staticcheck
from toolchain import TESTEES, Toolchain

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GENERATED = ROOT / "generated" / "go"
WAYS = ["plain", pytest.param("watched", marks=turn("race detector of Go"))]
"""The ways to build the package; the standard library is compiled for each."""

FOLDERS = (
    GENERATED,
    HERE,
    ROOT / "examples",
    ROOT / "benchmarks" / "go",
    ROOT / "tests" / "programs",
    ROOT / "tests" / "consumers" / "go",
    TESTEES / "go",
)
"""The folders with Go code."""

TESTED = ("./...", "example.com/agentlines/...")
"""The packages that are vetted and tested, by their paths in this folder's module."""


@pytest.fixture(scope="session")
def builds(go: Toolchain, instances: Path) -> dict[str, tuple[Toolchain, list[str]]]:
    """The ways to build the package, each with its flags: the plain one, and one that needs another standard library.

    The second one uses the race detector, if the C compiler that it needs is installed, and from Go 1.25 on the
    experiment that adds a tokenizer to the library. They are combined because each recompiles the standard library.
    """
    cgo, compiler = go.run("go", "env", "CGO_ENABLED", "CC").stdout.split("\n")[:2]
    race = ["-race"] if cgo == "1" and shutil.which(compiler) else []
    told = {**go.variables, "INSTANCES": str(instances)}
    experiment = {"GOEXPERIMENT": "jsonv2"} if go.version >= (1, 25) else {}
    return {"plain": (replace(go, variables=told), []), "watched": (replace(go, variables=told | experiment), race)}


def test_gofmt_changes_nothing(go: Toolchain) -> None:
    folders = [folder for folder in FOLDERS if folder.exists()]
    assert len([file for folder in folders for file in folder.rglob("*.go")]) > 15
    done = go.run("gofmt", "-d", *folders)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.full
@pytest.mark.parametrize("way", WAYS)
def test_go_vet_is_silent(builds: dict[str, tuple[Toolchain, list[str]]], way: str) -> None:
    go, flags = builds[way]
    done = go.run("go", "vet", *flags, *TESTED, cwd=HERE)
    # vet also reports imported packages, and the listing repeats a key, which is one of the documented differences
    said = [
        line for line in done.stderr.splitlines() if not re.match(r"#|\S*/listing/types\.go:.* repeats json tag", line)
    ]
    assert (said, done.stdout) == ([], "")


def test_the_package_page_has_an_example_for_each_task() -> None:
    text = (ROOT / "generated" / "go" / "types" / "examples_test.go").read_text(encoding="utf-8")
    tasks = {
        "NewReader",
        "Only",
        "Reply",
        "Session",
        "UnmarshalTranscriptEntry",
        "ToolInput",
        "UnmarshalControlRequestInner",
        "NewWriter",
    }
    assert tasks <= set(re.findall(r"^func Example(\w+)\(\)", text, re.MULTILINE))
    about = (ROOT / "generated" / "go" / "types" / "doc.go").read_text(encoding="utf-8")
    groups = ["Reading", "Documents", "Writing", "Optional members", "In your own structs", "Requests"]
    more = ["Sessions", "Starting a process", "Tools", "Memory"]
    assert re.findall(r"^// # (.+)$", about, re.MULTILINE) == [*groups, *more]


@turn("linter of Go")
def test_staticcheck_is_silent(go: Toolchain) -> None:
    done = staticcheck(go, HERE, *TESTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture(scope="session")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of valid documents, one for every type and for each of its variants, within a reasonable length.

    Of structs, documents that strict mode accepts come first, as tests change a member and ask strict mode about it.
    """
    model = build(source.load(ROOT / "spec")).model
    assert model is not None
    chosen: dict[tuple[str, str | None], tuple[bool, str]] = {}
    for each in derive(model):
        if each.lenient.ok and each.text[0] in '{["' and len(each.text) <= 300:  # no numbers: "1" is a prefix of "12"
            key = each.type, each.lenient.variant
            found = each.strict.ok or each.type != each.lenient.variant, each.text
            chosen[key] = max(chosen.get(key, found), found, key=lambda choice: (choice[0], len(choice[1])))
    assert len({name for name, _ in chosen}) > len(model.declarations) * 0.9
    file = tmp_path_factory.mktemp("go") / "instances.json"
    file.write_text(json.dumps([{"type": name, "text": text} for (name, _), (_, text) in chosen.items()]), "utf-8")
    return file


@pytest.mark.parametrize("way", WAYS)
def test_the_tests_written_in_go_pass(builds: dict[str, tuple[Toolchain, list[str]]], way: str) -> None:
    go, flags = builds[way]
    done = go.run("go", "test", "-vet=off", *flags, *TESTED, cwd=HERE)  # vet has its own test
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    assert "no tests to run" not in done.stdout
    assert done.stdout.count("ok  \t") >= 2


@turn("race detector of Go")
def test_the_race_detector_watched(builds: dict[str, tuple[Toolchain, list[str]]]) -> None:
    _, flags = builds["watched"]
    if not flags:
        pytest.skip("the race detector needs cgo and a C compiler")


def test_every_item_of_the_checklist_is_a_test() -> None:
    tests = re.findall(
        r"^func TestChecklist(\d+)(\w+)\(", (HERE / "checklist_test.go").read_text("utf-8"), re.MULTILINE
    )
    assert [int(number) for number, _ in tests] == list(range(1, 16))
    assert [name.lower() for _, name in tests] == [re.sub(r"\W", "", item).lower() for item in checklist()]
