"""What the tests need is fetched again if it is gone; a test whose needs cannot be fetched is skipped with a reason."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import toolchain
from polywire.ground.parsing import toml_table

ROOT = Path(__file__).resolve().parents[2]
LOCK = """\
version = 4

[[package]]
name = "ours"
version = "0.1.0"

[[package]]
name = "serde"
version = "1.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""
SUM = """\
example.org/Some/Module v1.2.3 h1:x=
example.org/Some/Module v1.2.3/go.mod h1:y=
"""


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """By stamp: a file that the stamp stands for; all stamps exist, and everything that they stand for."""
    monkeypatch.setattr(toolchain, "VENV", tmp_path)
    monkeypatch.setattr(toolchain, "ROOT", tmp_path)
    monkeypatch.setattr(toolchain, "NODE_PACKAGES", tmp_path / "tests" / "typescript")
    monkeypatch.setattr(toolchain, "SCHEMAS", tmp_path / "tests" / "importing" / "schemas")
    monkeypatch.setattr(toolchain, "RUST_CRATES", [tmp_path / "crate"])
    monkeypatch.setattr(toolchain, "GO_MODULES", [tmp_path / "module", tmp_path / "without"])
    monkeypatch.setattr(toolchain, "GO_HOME", tmp_path / "go")
    for name in ("STATICCHECK", "ACTIONLINT"):
        monkeypatch.setattr(toolchain, name, tmp_path / name)
    monkeypatch.setattr(toolchain, "oldest_rust", lambda: shutil.which("rustc", path=str(tmp_path)))
    monkeypatch.setattr(toolchain, "browser", lambda: shutil.which("chromium", path=str(tmp_path)))
    monkeypatch.setattr(toolchain, "node_folder_of", lambda lock: tmp_path / lock.parent.name)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    files = {
        "bench": tmp_path / "benchmarks" / "js" / toolchain.INSTALLED,
        "browser": tmp_path / "chromium",
        "go": tmp_path / "go/mod/cache/download/example.org/!some/!module/@v/v1.2.3.zip",
        "go-all": tmp_path / "ACTIONLINT",
        "node": tmp_path / "compiler" / toolchain.INSTALLED,
        "node-all": tmp_path / "tests" / "live" / toolchain.INSTALLED,
        "rust": tmp_path / "cargo/registry/cache/index.example.org/serde-1.0.1.crate",
        "rust-all": tmp_path / "rustc",
    }
    rest = [
        tmp_path / "STATICCHECK",
        tmp_path / "node" / toolchain.INSTALLED,
        tmp_path / "tests" / "typescript" / toolchain.INSTALLED,
        tmp_path / "tests" / "typescript" / "newest" / toolchain.INSTALLED,
        tmp_path / "tests" / "importing" / "schemas" / toolchain.INSTALLED,
    ]
    for file in (*files.values(), *rest):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")
    for name in ("browser", "rust-all"):
        files[name].chmod(0o755)
    for file, text in ((tmp_path / "crate" / "Cargo.lock", LOCK), (tmp_path / "module" / "go.sum", SUM)):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    for name in files:
        toolchain.stamp_of(name).touch()
    return files


def stamps() -> set[str]:
    return {name for name in toolchain.STORES if toolchain.stamp_of(name).is_file()}


def test_the_stamp_of_what_is_there_stays(stores: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    toolchain.forget()
    assert stamps() == stores.keys() == toolchain.STORES.keys()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", toolchain.STORES)
def test_the_stamp_of_what_is_gone_is_removed_with_a_reason(
    stores: dict[str, Path], capfd: pytest.CaptureFixture[str], name: str
) -> None:
    stores[name].unlink()
    toolchain.forget()
    assert stores.keys() - stamps() == {name}
    assert f": preparing {name}.stamp again\n" in capfd.readouterr().err


def test_what_was_never_prepared_is_not_looked_for(stores: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    for name, file in stores.items():
        file.unlink()
        toolchain.stamp_of(name).unlink()
    toolchain.forget()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_a_failed_preparation_says_how_to_repeat_it_and_leaves_no_stamp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], ci: str, status: int
) -> None:
    monkeypatch.setitem(toolchain.PREPARE, "rust", lambda: "cargo fetch failed: no network")
    monkeypatch.setenv("CI", ci)
    stamp = tmp_path / "rust.stamp"
    stamp.touch()
    assert toolchain.prepare("rust", str(stamp)) == status
    assert not stamp.exists()
    assert capfd.readouterr().err == (
        f"RUST TESTS WILL BE SKIPPED: cargo fetch failed: no network\nto fix: `make {stamp}`, online\n"
    )


def test_a_toolchain_whose_crates_are_not_fetched_counts_as_missing(stores: dict[str, Path]) -> None:
    found = toolchain.Toolchain((1, 90), Path("bin"))
    assert toolchain.if_prepared(found, "rust") is found
    stores["rust"].unlink()
    toolchain.forget()
    assert toolchain.if_prepared(found, "rust") is None


@pytest.mark.parametrize(
    ("goal", "looks"), [("ready", True), ("bench", True), (".venv/rust.stamp", True), ("help", False)]
)
def test_make_looks_for_what_is_gone_before_it_prepares(tmp_path: Path, goal: str, looks: bool) -> None:
    shutil.copy2(ROOT / "Makefile", tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@" >> asked\n', encoding="utf-8")
    python.chmod(0o755)
    subprocess.run(["make", "--dry-run", "--keep-going", goal], cwd=tmp_path, capture_output=True, check=False)
    asked = tmp_path / "asked"
    assert (asked.is_file() and asked.read_text() == "tests/support/toolchain.py forget\n") == looks


def test_nobody_waits_in_silence_for_what_is_fetched() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = re.findall(r"^\$\(VENV\)/(\S+\.stamp):.*\n(.*)$", makefile, re.MULTILINE)
    assert len(recipes) > 10
    assert [
        stamp for stamp, first in recipes if re.fullmatch(r'\t@echo "(installing|preparing) [^"]+"', first) is None
    ] == []


# --- a build of polywire ---------------------------------------------------------------------------------------

IMPORTED = """
import json, sys, tempfile
sys.path.insert(0, "generator")
from pathlib import Path
from polywire.writing.render import compile_templates
with tempfile.TemporaryDirectory() as folder:
    compile_templates(Path(folder))
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
"""What release/compiled.py does; prints the modules that it has imported."""


def test_a_build_of_polywire_requires_what_it_imports() -> None:
    """`pip install ../polywire` builds where nothing else is installed."""
    project = toml_table((ROOT / "pyproject.toml").read_bytes())
    required = {re.split(r"[^\w-]", each)[0] for each in project["build-system"]["requires"]}
    required |= {"markupsafe"}  # which Jinja requires
    done = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = packages_distributions()
    imported = {name.lower() for each in json.loads(done.stdout) for name in ours.get(each, ())}
    assert "jinja2" in imported
    assert imported - {"polywire", "setuptools"} <= required


# --- a part of the tests ---------------------------------------------------------------------------------------


def prepared_for(tests: str) -> set[str]:
    """What `make test` prepares for some of the tests."""
    done = subprocess.run(
        ["make", "-n", "test", f"TESTS={tests}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    command = next(line for line in done.stdout.splitlines() if "--jobs=4" in line)
    return {Path(word).stem for word in command.split("--jobs=4")[1].split()}


@pytest.mark.parametrize(
    ("tests", "stamps"),
    [
        ("tests/model", {"test"}),
        ("tests/model tests/source/test_load.py --durations=5", {"test"}),
        ("tests/python/test_readme.py::test_a", {"test"}),
        ("tests/go", {"test", "go"}),
        ("tests/typescript/test_types.py", {"test", "node"}),
        ("tests/rust tests/model -x", {"test", "rust"}),
        ("tests/rust tests/go", {"test", "rust", "go"}),
    ],
)
def test_tests_wait_for_no_language_that_they_do_not_use(tests: str, stamps: set[str]) -> None:
    assert prepared_for(tests) == stamps


@pytest.mark.parametrize("tests", ["", "--durations=5", "tests/go tests/conformance", "tests/modelled", "-k scalar"])
def test_other_tests_have_every_language(tests: str) -> None:
    assert prepared_for(tests) == {"ready"}


LANGUAGES = {"go": r"\bgo: ", "typescript": r"\bnode: ", "rust": r"\brust: "}
"""By folder of the tests of one language: what a test has in it that uses the language."""


def test_no_test_of_those_folders_uses_another_language() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (folders,) = re.findall(r"^PURE := (.*)$", makefile, re.MULTILINE)
    others = {f"{folder}/**/*.py": r"toolchain\.\w|Toolchain|Workshop|chromium" for folder in folders.split()}
    for folder in LANGUAGES:
        others[f"{folder}/*.py"] = "|".join(used for other, used in LANGUAGES.items() if other != folder)
    for pattern, used in others.items():
        paths = [*(ROOT / "tests").glob(pattern)]
        assert paths, pattern
        for path in paths:
            found = re.search(used, path.read_text(encoding="utf-8"))
            assert found is None, f"{path.relative_to(ROOT)}: {found}"


def test_each_lock_has_what_its_group_asks_for() -> None:
    """Without it, what is installed depends on what another group has brought."""
    groups = toml_table((ROOT / "pyproject.toml").read_bytes())["dependency-groups"]
    locks = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "requirements").glob("*.lock")}
    files = {**{name: name for name in groups}, "build": "run"}
    missing = [
        f"{files[group]}.lock: {name}"
        for group, entries in groups.items()
        for name in (re.match(r"[\w.-]+", each)[0].lower() for each in entries if isinstance(each, str))  # type: ignore[index]
        if not re.search(rf"^{re.escape(name)}==", locks[files[group]], re.MULTILINE)
    ]
    assert missing == []
