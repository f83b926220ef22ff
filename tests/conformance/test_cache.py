"""The builds of `polywire conformance` are cached for later runs, and removed when they are no longer used."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import toolchain
from polywire.conformance import toolchain as toolchains
from polywire.conformance.toolchain import JUST_USED_SECONDS, UNUSED_SECONDS, alone_in, rust_home, trim
from polywire.targets import registry
from rendered import generate, model_of
from sampling import turn

WEEKS = UNUSED_SECONDS + 60


def build(folder: Path, name: str, age: float, size: int = 1) -> Path:
    """Create a build that was last used `age` seconds ago."""
    state = folder / (name * 24)
    state.mkdir()
    (state / "testee").write_bytes(b"x" * size)
    (state / ".lock").touch()
    then = time.time() - age
    os.utime(state, (then, then))
    return state


def left(folder: Path) -> set[str]:
    return {path.name[:1] if len(path.name) == 24 else path.name for path in folder.iterdir()}


def test_a_build_that_was_not_used_for_two_weeks_is_removed(tmp_path: Path) -> None:
    build(tmp_path, "a", WEEKS)
    build(tmp_path, "b", WEEKS - 3600)
    with alone_in(build(tmp_path, "c", WEEKS)):
        trim(tmp_path)
    assert left(tmp_path) == {"b", "c"}


def test_the_builds_that_were_used_last_are_kept_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchains, "MOST_BYTES", 250)
    for hours, name in enumerate("abcd", start=2):
        build(tmp_path, name, hours * 3600, 100)
    with alone_in(build(tmp_path, "e", 10 * 3600, 50)):
        trim(tmp_path)
    assert left(tmp_path) == {"e", "a", "b"}


def test_a_build_that_another_run_may_be_about_to_start_is_kept_whatever_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchains, "MOST_BYTES", 10)
    build(tmp_path, "a", JUST_USED_SECONDS - 60, 100)
    build(tmp_path, "b", JUST_USED_SECONDS + 60, 100)
    with alone_in(build(tmp_path, "c", WEEKS)):
        trim(tmp_path)
    assert left(tmp_path) == {"a", "c"}


def test_files_of_others_are_left_alone_and_what_a_killed_run_left_is_not(tmp_path: Path) -> None:
    then = time.time() - WEEKS
    for name in ("mine", "0" * 23, "A" * 24, ".going-1-" + "0" * 24):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (then, then))
    build(tmp_path, "c", 0)
    trim(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "0" * 23, "A" * 24, "c" * 24}


def _many(folder: Path, names: str) -> None:
    for name in names:
        with alone_in(folder / (name * 24)):
            trim(folder)
            (folder / (name * 24) / "testee").write_bytes(b"x")


@pytest.mark.skipif(os.name == "nt", reason="files that are open cannot be removed there")
def test_runs_at_the_same_time_find_a_build_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchains, "UNUSED_SECONDS", 0)  # everything not in use at this moment is removed
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=_many, args=(tmp_path, names * 40)) for names in ("abc", "cba", "bac")]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0, 0]


@turn("what Cargo keeps")  # compiles two crates
def test_what_cargo_keeps_does_not_grow_with_each_state_of_a_crate(tmp_path: Path, rust: toolchain.Toolchain) -> None:
    runner = toolchain.TESTEES / "rust" / "run.py"
    kept = []
    for state in ("one", "two"):
        # A small spec, as each state is compiled. Its name is unique, as other tests build into the same folder.
        crate = generate(registry()["rust"], model_of(toolchain.ROOT / "tests" / "specs" / "notices"), tmp_path / state)
        manifest = crate / "Cargo.toml"
        text, names = re.subn(
            r'^name = ".*"', 'name = "grows"', manifest.read_text("utf-8"), count=1, flags=re.MULTILINE
        )
        assert names == 1
        manifest.write_text(text, encoding="utf-8")
        with (crate / "src" / "lib.rs").open("a", encoding="utf-8") as source:
            source.write(f"// {tmp_path} {state}\n")
        environment = {**rust.environment, "PYTHONPATH": str(toolchain.ROOT / "generator")}
        done = subprocess.run(
            [sys.executable, runner, crate], env=environment, input=b"", capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        built = rust_home() / "target" / "debug" / "deps"
        kept.append({path.name for path in built.iterdir() if "grows" in path.name})
    assert kept[0] == kept[1]
    assert kept[0] != set()
