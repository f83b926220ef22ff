"""Features of `serde_json` that a user's program may enable; each one changes it for the whole program."""

from __future__ import annotations

import re

import pytest

import sampling
import toolchain
from toolchain import Toolchain

CRATE = toolchain.RUST_TESTS / "features"

pytestmark = pytest.mark.xdist_group("cargo")


FEATURES = ("", "arbitrary_precision", "preserve_order", "arbitrary_precision,preserve_order")


@sampling.turn("features of serde_json")
@pytest.mark.parametrize("features", sampling.sample(FEATURES, 1))
def test_verdicts_and_values_are_those_of_decode(rust: Toolchain, features: str) -> None:
    flags = ["--quiet", "--offline", "--locked", "--tests", "--features", features]
    done = rust.run("cargo", "test", *flags, cwd=CRATE)
    assert done.returncode == 0, done.stdout + done.stderr
    in_features = 4 + len(features.split(",")) * bool(features)
    assert [int(count) for count in re.findall(r"(\d+) passed", done.stdout)] == [0, 4, in_features]
