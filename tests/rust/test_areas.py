"""Programs that compile only parts of the crate: what they have is what it is in the whole crate."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path

import pytest

import toolchain
from corpora import CAPTURES
from polywire.targets.rust import TARGET
from rendered import generate, model_of
from sampling import sample, turn
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
PARTS = ("options", "session", "settings", "tools")
CHOSEN = [parts for size in range(len(PARTS)) for parts in combinations(PARTS, size)]
"""Every choice of features but all of them, which other tests have."""

MANIFEST = """\
[package]
name = "areas"
edition = "2021"

[[bin]]
name = "areas"
path = "areas.rs"

[features]
{features}

[dependencies]
agentlines = {{ path = "{crate}", default-features = false }}

[workspace]
"""

pytestmark = pytest.mark.xdist_group("cargo")


@turn("parts of the crate")
@pytest.mark.parametrize("parts", sample(CHOSEN, 1, "parts of the crate"), ids=",".join)
def test_a_program_with_some_parts_reads_as_one_with_all(
    rust: Toolchain, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    features = "\n".join(f'{part} = ["agentlines/{part}"]' for part in PARTS)
    manifest = MANIFEST.format(features=features, crate=toolchain.RUST_CRATE.as_posix())
    (tmp_path / "Cargo.toml").write_text(manifest, "utf-8")
    for file in (HERE / "areas.rs", HERE / "Cargo.lock"):
        shutil.copy(file, tmp_path)
    lines = [line for file in sorted(CAPTURES.glob("*/*.ndjson")) for line in file.read_text("utf-8").splitlines()]
    (tmp_path / "lines").write_text("\n".join(lines), "utf-8")
    done = rust.run(
        "cargo", "run", "--offline", "--quiet", f"--features={','.join(parts)}", "--", "lines", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = done.stdout.splitlines()
    assert [json.loads(line) for line in written[: len(lines)]] == [json.loads(line) for line in lines]
    assert written[len(lines) :] == [*parts]


def test_the_crate_of_a_spec_of_one_file_has_no_parts(tmp_path: Path) -> None:
    out = generate(TARGET, model_of(HERE.parent / "specs" / "gate"), tmp_path)
    manifest = (out / "Cargo.toml").read_text("utf-8")
    assert "default =" not in manifest
    assert [path.name for path in (out / "src").iterdir() if path.is_dir()] == []
    sources = "".join(path.read_text("utf-8") for path in (out / "src").iterdir())
    assert 'cfg(feature = "session")' not in sources
    assert "default-features" not in (out / "README.md").read_text("utf-8")
