"""The testee for the generated Rust crate: builds its program, once for each state of the crate, and becomes it.

    run.py FOLDER [WAY]

FOLDER is the generated crate, WAY the name of a way through serde. Exits with 77 where there is no Cargo.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from toolchain import CANNOT_RUN, RUST_HOME, RUST_TESTS, Toolchain, alone_in, rust  # noqa: E402 (it stands beside the folder of this one)

MANIFEST = """\
[package]
name = "testee"
version = "0.0.0"
edition = "2021"
rust-version = "{rust_version}"

[[bin]]
name = "testee"
path = "main.rs"

[dependencies]
tested = {{ package = "{package}", path = "{folder}", features = ["tokio", "__conformance"] }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = {{ version = "1", features = ["float_roundtrip"] }}
tokio = {{ version = "1", features = ["rt"] }}

[workspace]
"""
"""With the features that the tests in `tests/rust/` ask for, so that what both need is compiled once."""

LOCK = RUST_TESTS / "Cargo.lock"


def said(folder: Path, key: str) -> str:
    """What the manifest of a crate says of it."""
    found = re.search(rf'^{key} = "(.*)"$', (folder / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def state_of(folder: Path) -> str:
    """A hash of all that the program is made of."""
    digest = hashlib.sha256(MANIFEST.encode() + (HERE / "main.rs").read_bytes() + LOCK.read_bytes())
    for file in (folder / "Cargo.toml", *sorted(folder.glob("src/*.rs"))):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


def build(found: Toolchain, folder: Path, program: Path) -> None:
    """Build the program in a folder of its own; what it needs of others is built once for all states."""
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as temporary:
        place = Path(temporary)
        manifest = MANIFEST.format(
            package=said(folder, "name"), rust_version=said(folder, "rust-version"), folder=folder.as_posix()
        )
        (place / "Cargo.toml").write_text(manifest, encoding="utf-8")
        for file in (HERE / "main.rs", LOCK):
            shutil.copy(file, place)
        command = found.command("cargo", "build")
        done = subprocess.run(command, cwd=place, env=found.environment, stdout=sys.stderr, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        made = Path(found.variables["CARGO_TARGET_DIR"], "debug", program.name)
        shutil.copy(made, place / program.name)
        (place / program.name).replace(program)


def main(folder: Path, *way: str) -> None:
    found = rust()
    if found is None:
        print("there is no Cargo", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    program = RUST_HOME / "testees" / state_of(folder) / "testee"
    with alone_in(RUST_HOME):  # where Cargo puts every testee under the same name
        if not program.exists():
            build(found, folder, program)
    os.execv(program, [str(program), *way])  # noqa: S606 (a program of ours, and no shell)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
