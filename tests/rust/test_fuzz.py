"""Fuzzes the crate with libFuzzer, for a number of runs instead of a time."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import sampling
from rust import fuzz_crate
from toolchain import Toolchain

RUNS = sampling.number(5_000, 200_000)

pytestmark = pytest.mark.xdist_group("cargo")


@sampling.turn("fuzz of the Rust crate")
def test_all_ways_through_the_crate_agree_on_whatever_is_made_up(rust: Toolchain, tmp_path: Path) -> None:
    if shutil.which("c++") is None:
        pytest.skip("libFuzzer is built by a C++ compiler, and there is none")
    done = fuzz_crate.run(fuzz_crate.build(rust), tmp_path, "-seed=17", f"-runs={RUNS}")
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"Done {RUNS} runs" in done.stderr
    reached = [int(found) for found in re.findall(r"cov: (\d+)", done.stderr)]
    assert reached[-1] > reached[0] > 1000  # the fuzzer is guided by coverage


@pytest.mark.full
def test_the_seeds_are_the_written_cases(tmp_path: Path) -> None:
    assert fuzz_crate.seeds(tmp_path) > 300
