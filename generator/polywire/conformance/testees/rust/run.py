"""The testee for the generated Rust crate: builds its program, once for each state of the crate, and executes it.

    run.py FOLDER [WAY]

FOLDER is the generated crate; WAY is a way through serde (`from_str`, `from_value`, `flatten`). Exits with 77 if there
is no Cargo, or the dependencies cannot be fetched.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

from polywire.conformance.toolchain import NO_RUST, Toolchain, alone_in, become, cannot_run, rust, rust_home, trim

HERE = Path(__file__).resolve().parent
MANIFEST = """\
[package]
name = "{name}"
version = "0.0.0"
edition = "2021"
rust-version = "{rust_version}"

[features]
serde-ways = []

{form}
name = "{name}"
path = "main.rs"

[dependencies]
tested = {{ package = "{package}", path = "{folder}", features = ["tokio", "__conformance"] }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = {{ version = "1", features = ["float_roundtrip"] }}
tokio = {{ version = "1", features = ["io-util", "macros", "process", "rt", "sync", "time"] }}
"""
"""It has the features that the tests in `tests/rust/` use, so that common dependencies are compiled once."""

LOCKS = (HERE / "Cargo.lock", HERE.parents[4] / "tests" / "rust" / "Cargo.lock")
"""The lock file of the dependencies: beside this file in the wheel, that of the tests in the checkout."""

LOCK = next(filter(Path.is_file, LOCKS))


def manifest_value(folder: Path, key: str) -> str:
    """Return the value of a key in the manifest of a crate."""
    found = re.search(rf'^{key} = "(.*)"$', (folder / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def state_of(folder: Path) -> str:
    """Return a hash of everything that the program is built from."""
    digest = hashlib.sha256(MANIFEST.encode() + (HERE / "main.rs").read_bytes() + LOCK.read_bytes())
    for file in (folder / "Cargo.toml", *sorted((folder / "src").rglob("*.rs"))):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


def place_testee(folder: Path, name: str, to: Path, form: Literal["[[bin]]", "[lib]"] = "[[bin]]") -> None:
    """Write the testee for a generated crate as a crate with the given name: a program, or a library with `run`."""
    to.mkdir(exist_ok=True)
    manifest = MANIFEST.format(
        name=name,
        form=form,
        package=manifest_value(folder, "name"),
        rust_version=manifest_value(folder, "rust-version"),
        folder=folder.as_posix(),
    )
    (to / "Cargo.toml").write_text(manifest, encoding="utf-8")
    shutil.copyfile(HERE / "main.rs", to / "main.rs")


def build(found: Toolchain, folder: Path, program: Path, *features: str) -> None:
    """Build the program. Dependencies are built once for all states.

    It is built from a copy in a fixed folder, where Cargo overwrites the build of the previous state. In a folder per
    state, Cargo would keep all of them.
    """
    place = rust_home() / "build"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place / "crate", copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("target"))
    place_testee(place / "crate", "testee", place)
    with (place / "Cargo.toml").open("a", encoding="utf-8") as manifest:
        manifest.write("\n[workspace]\n")
    shutil.copyfile(LOCK, place / LOCK.name)
    fetched = found.run("cargo", "fetch", cwd=place)
    if fetched.returncode:
        cannot_run(f"cargo cannot fetch the dependencies of the crate: {fetched.stderr.strip()}")
    command = found.command("cargo", "build", *(f"--features={feature}" for feature in features))
    done = subprocess.run(command, cwd=place, env=found.environment, stdout=sys.stderr, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    made = Path(found.variables["CARGO_TARGET_DIR"], "debug", program.name)
    shutil.copy(made, place / program.name)
    (place / program.name).replace(program)


def main(folder: Path, *way: str) -> None:
    found = rust()
    if found is None:
        cannot_run(NO_RUST)
    features = ("serde-ways",) if way else ()  # compiled separately, as they add a third to the time
    program = rust_home() / "testees" / "-".join((state_of(folder), *features)) / "testee"
    with alone_in(rust_home()), alone_in(program.parent):  # Cargo gives every testee the same name
        if not program.exists():
            build(found, folder, program, *features)
        trim(program.parent.parent)
    become([str(program), *way], os.environ)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
