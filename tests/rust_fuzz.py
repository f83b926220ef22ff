"""`make fuzz-rust`: lets libFuzzer make up documents for the crate, guided by what they reach.

rust_fuzz.py [SECONDS]       for so long, a minute if nothing is said

The target is laid out as cargo-fuzz has it, and runs under it as well (`cargo fuzz run decode`). cargo-fuzz itself
needs a nightly compiler, for sanitizers that code without `unsafe` does not need; the flags below work with a stable
one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import toolchain
from toolchain import Toolchain

CRATE = toolchain.RUST_TESTS / "fuzz"
TARGET_DIR = toolchain.RUST_HOME / "fuzz"
FOUND = TARGET_DIR / "found"
"""Where documents are kept that make the target fail."""

INSTRUMENTED = (
    "--cfg fuzzing -Cpasses=sancov-module",
    *(f"-Cllvm-args=-sanitizer-coverage-{each}" for each in ("level=4", "inline-8bit-counters", "pc-table")),
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
)

TYPES = ("WireMessage", "QueryOptions", "HookInput", "ContentBlock")
"""What the first byte of an input chooses."""


def build(rust: Toolchain) -> Path:
    """Build the target; give the program. Flags are for the machine named only, so build scripts go without."""
    told = rust.run("rustc", "-vV").stdout
    host = next(line.removeprefix("host: ") for line in told.splitlines() if line.startswith("host: "))
    settings = {**rust.variables, "CARGO_TARGET_DIR": str(TARGET_DIR), "RUSTFLAGS": " ".join(INSTRUMENTED)}
    flags = ["--release", "--offline", "--locked", "--quiet", "--target", host]
    done = replace(rust, variables=settings).run("cargo", "build", *flags, cwd=CRATE)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return TARGET_DIR / host / "release" / "decode"


def seeds(folder: Path) -> int:
    """Write the written cases as inputs into a folder; give their number."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = set()
    for path in sorted((toolchain.ROOT / "tests" / "fixtures").rglob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(case, dict) or case.get("type") not in TYPES:
            continue
        if "raw" in case or "input" in case:
            text = case["raw"] if "raw" in case else json.dumps(case["input"])
            document = text.encode("utf-8", "surrogatepass")
            inputs |= {bytes([TYPES.index(case["type"])]) + document, bytes([len(TYPES), 7]) + document}
    for number, data in enumerate(sorted(inputs)):
        (folder / str(number)).write_bytes(data)
    return len(inputs)


def run(program: Path, folder: Path, *limits: str) -> subprocess.CompletedProcess[str]:
    """Fuzz from the seeds in a folder. A finding ends the run, and is kept."""
    FOUND.mkdir(parents=True, exist_ok=True)
    grown = folder / "grown"
    grown.mkdir()
    seeds(folder / "seeds")
    options = ["-max_len=4096", "-timeout=60", "-rss_limit_mb=1024", f"-artifact_prefix={FOUND}/", *limits]
    # The peak of memory that libFuzzer looks at begins with that of the process which starts it: a shell's is small.
    command = ["sh", "-c", '"$@"; exit $?', "sh", str(program), *options, str(grown), str(folder / "seeds")]
    return subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)


def main(seconds: str = "60") -> int:
    """Fuzz, and show how it went."""
    rust = toolchain.rust()
    if rust is None:
        sys.exit("there is no Cargo")
    with tempfile.TemporaryDirectory() as folder:
        done = run(build(rust), Path(folder), f"-max_total_time={seconds}")
    print(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
