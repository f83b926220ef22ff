"""The runtime of Rust crates, in place: its tests, formatter and linters, and the names that specs cannot use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolchain
from polywire.plan.public import features
from polywire.targets.rust.names import VOCABULARY
from rendered import model_of
from sampling import third
from toolchain import Toolchain

RUNTIME_CRATE = toolchain.ROOT / "runtimes" / "rust"
SOURCES = RUNTIME_CRATE / "src"
GENERATED = toolchain.RUST_CRATE / "src"

OF_PAIRS = {"Control", "ControlError", "ErrorData", "Notify", "Refusal", "Respond", "ToolInput", "ToolOutput"}
"""The items that the generated module `pairs` declares in every crate that has it."""

COPIED = [file for files in VOCABULARY.files.values() for file in files]
NOT_COPIED = {"lib.rs", "sample.rs"}

pytestmark = pytest.mark.xdist_group("cargo")


def cargo(rust: Toolchain, command: str, *arguments: str) -> str:
    """The standard output of Cargo, run offline with the locked versions; Cargo must succeed without warnings."""
    done = rust.run("cargo", command, "--offline", "--locked", "--quiet", *arguments, cwd=RUNTIME_CRATE)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.full
def test_the_tests_of_the_runtime_pass(rust: Toolchain) -> None:
    out = cargo(rust, "test", "--all-features")
    written = "".join(file.read_text("utf-8") for file in (SOURCES / "tests").glob("*.rs")).count("#[test]")
    documented = "".join(file.read_text("utf-8") for file in SOURCES.glob("*.rs"))
    examples = len(re.findall(r"^\s*//[/!] ```$", documented, re.MULTILINE)) // 2
    assert re.findall(r"(\d+) passed; 0 failed; 0 ignored", out) == [str(written), str(examples)]
    assert written > 60


@third("linter of Rust's runtime")
@pytest.mark.parametrize("features", ["--all-features", "--no-default-features"])
def test_clippy_is_silent(rust: Toolchain, features: str) -> None:
    cargo(rust, "clippy", features, "--all-targets", "--", "-D", "warnings")


def test_rustfmt_changes_nothing(rust: Toolchain) -> None:
    done = rust.run("cargo", "fmt", "--check", cwd=RUNTIME_CRATE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_comment_has_an_overlong_line() -> None:
    """No formatter breaks comments."""
    lines = [(file.name, line) for file in SOURCES.rglob("*.rs") for line in file.read_text("utf-8").splitlines()]
    assert [each for each in lines if len(each[1]) > 120 and each[1].lstrip().startswith("//")] == []


def test_every_source_is_copied_but_those_of_the_tests() -> None:
    assert {*COPIED} | NOT_COPIED == {path.name for path in SOURCES.glob("*.rs")}


def test_a_copy_differs_by_its_header_and_the_name_of_the_crate() -> None:
    for name in VOCABULARY.files_of(features(model_of(toolchain.ROOT / "spec"))):
        source = (SOURCES / name).read_text("utf-8").replace("polywire_runtime", "agentlines")
        header, between, rest = (GENERATED / name).read_text("utf-8").partition(source)
        assert (between, rest) == (source, ""), name
        assert all(line.startswith("// ") for line in header.splitlines() if line)


def test_dependencies_are_locked_to_the_versions_of_the_other_tests() -> None:
    def locked(folder: Path) -> set[tuple[str, str]]:
        lock = (folder / "Cargo.lock").read_text("utf-8")
        return set(re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource', lock))

    found = locked(RUNTIME_CRATE)
    assert {name for name, _ in found} >= {"serde", "serde_json", "tokio"}
    assert found <= locked(toolchain.RUST_TESTS)


def test_dependencies_are_those_of_the_generated_crate() -> None:
    def needed(manifest: Path) -> str:
        text = manifest.read_text("utf-8")
        return text[text.index("[dependencies]") : text.index("[dev-dependencies]")].split("\n#")[0].strip()

    assert needed(RUNTIME_CRATE / "Cargo.toml") == needed(toolchain.RUST_CRATE / "Cargo.toml")


def test_no_error_that_wraps_another_is_without_a_source() -> None:
    """Check the declaration of each error; the suite checks the values, in `promises.rs`."""
    text = "".join(path.read_text("utf-8") for path in SOURCES.glob("*.rs"))
    errors = set(re.findall(r"impl(?:<.*?>)? std::error::Error for (\w+)", text))
    assert errors >= {"BadLine", "ReadError", "ProcessError"}
    promises = (toolchain.RUST_TESTS / "suite" / "promises.rs").read_text("utf-8")
    for name in errors:
        declared = re.search(rf"^pub (?:enum|struct) {name}\b.*?^}}", text, re.MULTILINE | re.DOTALL)
        wrapped = re.findall(r"^ +(\w+)\(.*(?:Error|BadLine)\b.*\),$", declared[0] if declared else "", re.MULTILINE)
        for variant in wrapped:
            assert f"{name}::{variant}(error) => Some(" in text.replace("(bad)", "(error)"), (name, variant)
        assert not wrapped or f"{name}::" in promises, name


# --- names -----------------------------------------------------------------------------------------------------


def types(rust: Toolchain) -> tuple[set[str], set[str]]:
    """The types that the runtime exports, and all types that it declares, as rustdoc lists them."""
    cargo(rust, "doc", "--no-deps", "--all-features", "--document-private-items")
    listed = (Path(rust.variables["CARGO_TARGET_DIR"]) / "doc" / "polywire_runtime" / "all.html").read_text("utf-8")
    found = re.findall(r'href="((?:\w+/)*)(?:struct|enum|trait|type)\.(\w+)\.html"', listed)
    return {name for module, name in found if not module}, {name for module, name in found if module != "sample/"}


@pytest.mark.full
def test_types_of_the_runtime_are_reserved(rust: Toolchain) -> None:
    exported, declared = types(rust)
    assert exported == VOCABULARY.offered - OF_PAIRS
    assert declared >= VOCABULARY.words["internal"]


def test_parameters_in_macros_are_reserved() -> None:
    found: set[str] = set()
    for path in SOURCES.glob("*.rs"):
        for macro in re.findall(r"^macro_rules! .*?^}", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            for head in re.findall(r"\b(?:fn [$\w]+|impl)<([^<>()]*)>", macro):
                parameters = (each.partition(":")[0].strip() for each in head.split(","))
                found |= {each for each in parameters if each[:1].isupper()}
    assert found == VOCABULARY.words["in_macros"]


@pytest.mark.parametrize("name", ["messages.rs", "pairs.rs"])
def test_types_beside_those_of_a_spec_are_reserved(name: str) -> None:
    text = (GENERATED / name).read_text("utf-8")
    imported = {word for line in re.findall(r"^use .*;$", text, re.MULTILINE) for word in re.findall(r"\w+", line)}
    types = {word for word in imported if re.fullmatch(r"[A-Z][a-z]\w*", word)}
    assert types <= VOCABULARY.offered | VOCABULARY.words["internal"] | VOCABULARY.words["foreign"]
    assert types
