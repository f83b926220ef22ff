"""The generated crate and our crates that use it → a separate Cargo workspace in which each is compiled once.

On its own, each crate would choose the features of its dependencies separately, and shared dependencies would be
compiled once for each choice. For the same reason, every command needs `--workspace`, and also the name of the crate
that it is about.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import toolchain
from toolchain import Toolchain

CRATES = {
    "agentlines": toolchain.RUST_CRATE,
    "suite": toolchain.RUST_TESTS,
    "bench": toolchain.ROOT / "benchmarks" / "rust",
    "examples": toolchain.ROOT / "examples",
    "programs": toolchain.ROOT / "tests" / "programs",
    "live": toolchain.ROOT / "tests" / "live" / "drivers" / "rust",
}
FIXTURES = toolchain.ROOT / "tests" / "fixtures"
"""Files that the tests read; they expect them next to their crate."""

FOLDER = toolchain.RUST_HOME / "workspace"
MANIFEST = f'[workspace]\nresolver = "2"\nmembers = {[*CRATES]}\n'


def workspace(rust: Toolchain) -> Path:
    """Return the workspace, with the versions of dependencies locked by the tests; only changed files are written.

    Cargo compares timestamps. Two processes may create the workspace at the same time, since each file is written
    atomically.
    """
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        for path, contents in files():
            write(made / path, contents)
        done = rust.run("cargo", "metadata", "--offline", "--format-version=1", cwd=made)  # removes unused entries
        assert done.returncode == 0, done.stderr
        wanted = {path.relative_to(made): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    for path, contents in wanted.items():
        if not (FOLDER / path).exists() or (FOLDER / path).read_bytes() != contents:
            write(FOLDER / path, contents)
    for name in CRATES:
        for path in (FOLDER / name).rglob("*"):
            if path.is_file() and path.relative_to(FOLDER) not in wanted:
                path.unlink(missing_ok=True)
    if not (FOLDER / "fixtures").exists():
        (FOLDER / "fixtures").symlink_to(FIXTURES)
    return FOLDER


def files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of the workspace with its path."""
    yield "Cargo.toml", MANIFEST.encode()
    yield "Cargo.lock", (toolchain.RUST_TESTS / "Cargo.lock").read_bytes()
    for name, source in CRATES.items():
        manifest = (source / "Cargo.toml").read_text(encoding="utf-8").replace("\n[workspace]\n", "")
        yield (
            f"{name}/Cargo.toml",
            re.sub(r'path = "[./]+/generated/rust"', 'path = "../agentlines"', manifest).encode(),
        )
        for path in source.rglob("*" if source == toolchain.RUST_CRATE else "*.rs"):
            if path.is_file() and path.name != "Cargo.toml":
                yield f"{name}/{path.relative_to(source).as_posix()}", path.read_bytes()


def write(file: Path, contents: bytes) -> None:
    """Write a file atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as temporary:
        temporary.write(contents)
    Path(temporary.name).replace(file)
