"""Checks of the Rust crate by Rust's own tools: tests, linter, formatter, documentation, package, old compiler."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import toolchain
from crates import workspace
from documented import checklist
from polywire.conformance.toolchain import NO_RUST
from polywire.model.build import Builder
from polywire.model.releases import Span
from polywire.source import load
from sampling import sample, turn
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GENERATED = toolchain.RUST_CRATE
HANDWRITTEN = (
    *(HERE, HERE / "fuzz", HERE / "features", toolchain.SEMVER_CRATE),
    *(ROOT / "benchmarks" / "rust", ROOT / "examples", ROOT / "tests" / "live" / "drivers" / "rust"),
    ROOT / "tests" / "programs",
)
"""Crates that are written by hand, not generated."""

pytestmark = pytest.mark.xdist_group("cargo")  # they build in one folder, so they cannot run in parallel


@pytest.fixture(scope="session")
def crates(rust: Toolchain) -> Path:
    """The workspace of all crates that are built here."""
    return workspace(rust)


def cargo(rust: Toolchain, folder: Path, *arguments: str) -> str:
    """The standard output of Cargo, run offline with the locked versions; Cargo must succeed without warnings."""
    command, *rest = arguments
    done = rust.run("cargo", command, "--offline", "--locked", "--quiet", *rest, cwd=folder)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.full
def test_the_tests_written_in_rust_pass(rust: Toolchain, crates: Path) -> None:
    out = cargo(rust, crates, "test", "--workspace", "--test", "suite")
    assert "0 ignored" in out
    counts = [int(count) for count in re.findall(r"(\d+) passed", out)]
    written = [file.read_text("utf-8").count("#[test]") for file in (HERE / "suite").glob("*.rs")]
    assert sum(counts) == sum(written) > 50


@turn("documentation of Rust")
def test_the_code_of_the_documentation_runs(rust: Toolchain, crates: Path) -> None:
    out = cargo(rust, crates, "test", "--workspace", "--doc", "--all-features")
    readme = (GENERATED / "README.md").read_text("utf-8").count("\n```rust")
    sources = "".join(file.read_text("utf-8") for file in (GENERATED / "src").rglob("*.rs"))
    documented = len(re.findall(r"^\s*//[/!] ```$", sources, re.MULTILINE)) // 2
    assert f"{readme + documented} passed; 0 failed; 0 ignored" in out


@turn("linter of Rust")
def test_clippy_has_nothing_to_say_of_the_crate_nor_of_our_code(rust: Toolchain, crates: Path) -> None:
    targets = ("--lib", "--bins", "--test", "suite")  # --all-targets would also compile the crate as a test
    cargo(rust, crates, "clippy", "--workspace", "--all-features", *targets, "--", "-D", "warnings")


@pytest.mark.parametrize("folder", [GENERATED, *HANDWRITTEN], ids=lambda folder: str(folder.relative_to(ROOT)))
def test_rustfmt_changes_nothing(rust: Toolchain, folder: Path) -> None:
    done = rust.run("cargo", "fmt", "--check", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_rustfmt_changes_nothing_of_programs_that_stand_alone(rust: Toolchain) -> None:
    programs = (toolchain.TESTEES / "rust" / "main.rs", ROOT / "tests/consumers/rust/src/main.rs")
    done = rust.run("rustfmt", "--edition", "2021", "--check", *programs)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@turn("documentation of Rust")
def test_the_documentation_is_whole_and_its_links_lead_somewhere(rust: Toolchain, crates: Path) -> None:
    """The crate itself denies undocumented items."""
    strict = replace(rust, variables={**rust.variables, "RUSTDOCFLAGS": "-D warnings"})
    cargo(strict, crates, "doc", "--workspace", "--lib", "--no-deps", "--all-features")
    assert "#![deny(missing_docs)]" in (GENERATED / "src" / "lib.rs").read_text("utf-8")


@turn("documentation of Rust")
def test_glob_imports_of_all_modules_leave_no_name_ambiguous(rust: Toolchain, crates: Path, tmp_path: Path) -> None:
    """Import every module of the crate in one program, which uses every documented name."""
    cargo(rust, crates, "doc", "--workspace", "--lib", "--no-deps", "--all-features")
    documented = Path(rust.variables["CARGO_TARGET_DIR"]) / "doc" / "agentlines"
    listed = re.compile(r"""(?:href="(?:struct|enum|trait|type|fn|constant)\.|id="reexport\.)(\w+)""")
    modules = re.findall(r'href="(\w+)/index\.html"', (documented / "index.html").read_text("utf-8"))
    assert {"session", "messages", "process"} <= {*modules}
    pages = [documented, *(documented / module for module in modules)]
    names = sorted({name for page in pages for name in listed.findall((page / "index.html").read_text("utf-8"))})
    assert len(names) > 500
    (tmp_path / "src").mkdir()
    lines = ["#![allow(unused_imports, deprecated)]", "mod all {", "    pub use agentlines::*;"]
    lines += [*(f"    pub use agentlines::{module}::*;" for module in modules), "}"]
    lines += [f"use all::{name} as _{number};" for number, name in enumerate(names)]
    (tmp_path / "src" / "lib.rs").write_text("\n".join(lines), "utf-8")
    path = f'agentlines = {{ path = "{GENERATED.as_posix()}", features = ["process"] }}'
    manifest = f'[package]\nname = "globs"\nedition = "2021"\n[dependencies]\n{path}\n[workspace]\n'
    (tmp_path / "Cargo.toml").write_text(manifest, "utf-8")
    shutil.copy(HERE / "Cargo.lock", tmp_path)
    done = rust.run("cargo", "check", "--offline", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_holds_what_it_needs(rust: Toolchain, crates: Path) -> None:
    """Whether it builds is tested by the clients that install it, in `tests/consumers/`."""
    packed = cargo(rust, crates, "package", "--package", "agentlines", "--allow-dirty", "--list").split()
    sources = [file.relative_to(GENERATED).as_posix() for file in (GENERATED / "src").rglob("*.rs")]
    made = ["Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "LICENSE", "README.md", *sources]
    assert sorted(set(packed) - {".cargo_vcs_info.json"}) == sorted(made)


PARTS = ("options", "session", "settings", "tools")
"""The features for parts of the spec."""
FEATURES = [
    ",".join((*parts, *more))
    for size in range(len(PARTS) + 1)
    for parts in combinations(PARTS, size)
    for more in ((), ("tokio",), ("process",))
]


@pytest.mark.full
@pytest.mark.parametrize("features", sample(FEATURES, 1, "features of the crate"))
def test_the_crate_builds_with_any_of_its_features(rust: Toolchain, crates: Path, features: str) -> None:
    """A warning would be about code that the features leave unused."""
    chosen = ("--package", "agentlines", "--no-default-features", "--features", features)
    cargo(rust, crates, "clippy", *chosen, "--", "-D", "warnings")


@turn("oldest Rust")
def test_the_oldest_compiler_that_is_stated_builds_all_of_it(crates: Path) -> None:
    """Builds the crate and its dependencies in the locked versions with that compiler."""
    oldest = toolchain.oldest_rust()
    if oldest is None:
        pytest.skip(f"there is no Rust {toolchain.stated_rust()}; `make .venv/rust-all.stamp` says why")
    cargo(oldest, crates, "check", "--package", "agentlines", "--all-features")


def metadata(rust: Toolchain, folder: Path, *arguments: str) -> dict[str, Any]:
    """Cargo's metadata of a crate and its dependencies."""
    found: dict[str, Any] = json.loads(cargo(rust, folder, "metadata", "--format-version=1", *arguments))
    return found


def test_the_crate_asks_for_nothing_that_changes_other_crates(rust: Toolchain, crates: Path) -> None:
    """Features are unified across a build, so one that changes what another crate does would do so everywhere."""
    [told] = [package for package in metadata(rust, crates)["packages"] if package["name"] == "agentlines"]
    needed = {each["name"]: each for each in told["dependencies"] if each["kind"] is None}
    assert needed.keys() == {"futures-core", "memchr", "rustix", "serde", "tokio"}
    assert needed["futures-core"]["features"] == []
    assert needed["memchr"]["features"] == needed["serde"]["features"] == ["std"]
    assert needed["tokio"]["features"] == ["io-util"]
    assert needed["rustix"]["features"] == ["process", "std"]
    assert all(needed[each]["optional"] for each in ("futures-core", "rustix", "tokio"))
    assert not any(each["uses_default_features"] for each in needed.values())
    assert told["features"] == {
        "default": [*PARTS],
        **{part: [] for part in PARTS},
        "tokio": ["dep:futures-core", "dep:tokio"],
        "process": ["options", "tokio", "dep:rustix", "tokio/process", "tokio/rt", "tokio/sync", "tokio/time"],
        "__conformance": ["default"],
    }
    assert told["links"] is None
    assert [target["kind"] for target in told["targets"]] == [["lib"]]  # no build script, no macro that runs code


TOKIO = {"bytes", "futures-core", "pin-project-lite", "tokio"}
SIGNALS = {"bitflags", "errno", "libc", "linux-raw-sys", "mio", "rustix", "signal-hook-registry"}
"""The dependencies of processes on Unix."""


@pytest.mark.parametrize(
    ("features", "needed"),
    [("--no-default-features", set()), ("--features=tokio", TOKIO), ("--features=process", TOKIO | SIGNALS)],
)
def test_crates_are_built_only_where_they_are_asked_for(
    rust: Toolchain, crates: Path, features: str, needed: set[str]
) -> None:
    tree = cargo(rust, crates, "tree", "--package=agentlines", "--edges=normal", "--prefix=none", features)
    names = {line.split()[0] for line in tree.splitlines()}
    assert names - {"agentlines", "memchr", "serde", "serde_core"} == needed


def test_there_is_no_unsafe_code() -> None:
    assert "#![forbid(unsafe_code)]" in (GENERATED / "src" / "lib.rs").read_text("utf-8")
    sources = "".join(file.read_text("utf-8") for file in (GENERATED / "src").rglob("*.rs"))
    assert not re.search(r"\bunsafe\s*(\{|fn|impl)", sources)


def test_no_comment_only_says_the_name_that_follows() -> None:
    sources = "".join(file.read_text("utf-8") for file in (GENERATED / "src").rglob("*.rs"))
    assert re.search(r"(?m)^ */// .+\.$", sources)
    assert not re.findall(r"(?m)^ */// (?:The |A |An )?(?:member|field|variant|value|type) `\w+`\.$", sources)


@pytest.mark.full
def test_generating_needs_no_rust_and_the_testee_says_that_it_cannot_run(tmp_path: Path) -> None:
    """Without Cargo, the generated files are the same, and the exit status is the one shown as SKIPPED."""
    bare = {**os.environ, "PATH": str(tmp_path)}
    out = tmp_path / "out"
    generate = [sys.executable, "-m", "polywire", "generate", "--target", "rust", "--out", str(out)]
    done = subprocess.run(generate, cwd=ROOT, env=bare, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.relative_to(out / "rust"): path.read_bytes() for path in (out / "rust").rglob("*") if path.is_file()}
    assert made == {file: (GENERATED / file).read_bytes() for file in made}
    assert len(made) > 10
    testee = [sys.executable, str(toolchain.TESTEES / "rust" / "run.py"), str(GENERATED)]
    done = subprocess.run(testee, env=bare, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (toolchain.CANNOT_RUN, f"{NO_RUST}\n")


def test_every_item_of_the_checklist_is_a_test() -> None:
    suite = (HERE / "suite" / "checklist.rs").read_text("utf-8")
    tests = re.findall(r"^fn checklist_(\d+)_(\w+)\(", suite, re.MULTILINE)
    assert [int(number) for number, _ in tests] == list(range(1, 16))
    assert [re.sub("_", "", name) for _, name in tests] == [re.sub(r"\W", "", item).lower() for item in checklist()]


def test_the_checklist_has_the_values_of_the_release_that_it_is_about() -> None:
    """The suite lists all values of that release and no others; the crate also has those of later releases."""
    suite = (HERE / "suite" / "checklist.rs").read_text("utf-8")
    listed = re.findall(r'covers\(\s*(\w+)::ALL,\s*"([^"]+)",?\s*\);', suite)
    assert len(listed) == 5
    built = Builder(load(ROOT / "spec")).build(Span.at("0.2.33"))
    assert built.model is not None, built.findings
    for name, values in listed:
        declared = {value.wire for value in built.model.enum(name).values}
        assert set(values.replace("\\\n", "").split()) == declared, name
