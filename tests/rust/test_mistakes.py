"""Mistakes of users do not compile, and the code around them does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import toolchain
from sampling import third
from toolchain import Toolchain

MISTAKES = Path(__file__).with_name("mistakes.rs")
MANIFEST = """\
[package]
name = "mistakes"
edition = "2021"

[lib]
path = "mistakes.rs"

[dependencies]
agentlines = {{ path = "{crate}" }}

[workspace]
"""

pytestmark = [third("mistakes in Rust"), pytest.mark.xdist_group("cargo")]


def test_exactly_the_lines_below_a_mark_are_reported(rust: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text(MANIFEST.format(crate=toolchain.RUST_CRATE.as_posix()), encoding="utf-8")
    for file in (MISTAKES, toolchain.RUST_TESTS / "Cargo.lock"):
        shutil.copy(file, tmp_path)
    done = rust.run("cargo", "check", "--offline", "--quiet", "--message-format=json", cwd=tmp_path)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [each["message"] for each in told if each["reason"] == "compiler-message"]
    spans = [span for each in errors for span in each["spans"] if span["is_primary"]]
    lines = MISTAKES.read_text("utf-8").splitlines()
    mistakes = {number for number, line in enumerate(lines, 2) if line.strip() == "// mistake"}
    assert {span["line_start"] for span in spans} == mistakes, done.stderr
    assert len(mistakes) >= 10
