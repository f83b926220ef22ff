"""A folder of generated packages → their weight for users: CPU seconds, bytes, lines of code."""

from __future__ import annotations

import ast
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import peers
import programs
from corpus import CAPTURES
from measure import Cost, cost, cpu_seconds
from schema import Protocol

LONGEST = 50
"""Maximum number of lines of the captured session in the start-up rows."""


def own(weight: Callable[[Path], float]) -> float:
    """Return the weight of the packages in this repository, measured once per run."""
    return float(peers.once(weight.__name__, lambda: weight(peers.GENERATED)))


# --- Python ----------------------------------------------------------------------------------------------------

START = """\
import sys, time
folder, module, decode, lines = sys.argv[1:]
sys.path.insert(0, folder)
sys.modules["orjson"] = None
with open(lines, "rb") as file:
    lines = file.read().splitlines()
start = time.process_time()
decode = eval(decode, {module: __import__(module)})
for line in lines:
    decode(line)
print(time.process_time() - start)
"""


def python_start(generated: Path, *, compiled: bool = True) -> float:
    """Return the CPU seconds of importing the package and decoding one captured session."""
    return start(generated / "python", peers.PACKAGE, f"{peers.PACKAGE}.decode", compiled=compiled)


def pydantic_start(*, compiled: bool = True) -> float:
    """Return the same for pydantic models; pydantic itself is always compiled."""
    models = peers.pydantic_models()
    root = Protocol(json.loads(peers.SCHEMA.read_bytes())).root
    return start(models.parent, models.stem, f"{models.stem}.{root}.model_validate_json", compiled=compiled)


def start(folder: Path, module: str, decode: str, *, compiled: bool) -> float:
    """Return the CPU seconds of a module's import and its first lines, the minimum of a few processes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        flags = [] if compiled else ["-B"]
        command = [sys.executable, *flags, "-c", START, str(copy), module, decode, str(captured_session())]
        run = partial(subprocess.run, command, env=environment, check=True, stdout=subprocess.PIPE)
        return min([float(run().stdout) for _ in range(4)])  # the first one compiles


def captured_session() -> Path:
    """Return the longest captured session of the newest release that is within the limit."""
    sessions = {path: path.read_bytes().count(b"\n") for path in sorted(CAPTURES[-1].glob("*.out.ndjson"))}
    return max((path for path, lines in sessions.items() if lines <= LONGEST), key=lambda path: sessions[path])


# --- JavaScript ------------------------------------------------------------------------------------------------


def bundles(generated: Path) -> dict[str, int]:
    """Return the sizes in bytes of programs that use the package, minified and gzipped, and of ajv's validator."""
    arguments = programs.JS / "weight.mjs", generated / "typescript", programs.ajv()
    sizes: dict[str, int] = json.loads(programs.output(programs.node(), "node", *arguments))
    return sizes


def javascript_bundle(generated: Path) -> float:
    """Return the total size in bytes."""
    return bundles(generated)["all"]


# --- Go --------------------------------------------------------------------------------------------------------


def go_compile(generated: Path) -> float:
    """Return the CPU seconds to compile the package after all its dependencies are compiled, the median of three."""
    go_std()
    go = go_with_cache()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "go"
        shutil.copytree(generated / "go", copy)
        ours = programs.output(go, "go", "list", "./...", cwd=copy).split()
        others = programs.output(
            go, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...", cwd=copy
        )
        programs.output(go, "go", "build", *sorted({*others.split()} - {*ours}) or ["std"], cwd=copy)
        folders = {file.parent for file in copy.rglob("*.go")}
        builds = []
        for number in range(3):  # idle cores run the compiler's garbage collector, so that single builds differ
            for folder in folders:  # so that no cache contains the package
                package = next(folder.glob("*.go")).read_text(encoding="utf-8").split("\npackage ")[1].split()[0]
                (folder / "zz_new.go").write_text(f"// {scratch} {number}\n\npackage {package}\n", encoding="utf-8")
            builds.append(cpu_seconds(go.command("go", "build", "./..."), copy, go.environment))
        return statistics.median(builds)


def go_std() -> float:
    """Return the CPU seconds to compile the standard library, measured once per run."""
    go = go_with_cache()
    build = go.command("go", "build", "std")
    return float(peers.once("go_std", lambda: cpu_seconds(build, programs.GO, go.environment)))


def go_with_cache() -> programs.Toolchain:
    """Return Go with a separate cache for this run."""
    go = programs.go()
    return replace(go, variables={**go.variables, "GOCACHE": str(peers.scratch() / "go_cache")})


def go_program(name: str) -> float:
    """Return the size in megabytes of a stripped program in `go/`."""
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / name
        flags = "-trimpath", "-ldflags=-s -w"
        programs.output(programs.go(), "go", "build", *flags, "-o", program, f"./{name}", cwd=programs.GO)
        return program.stat().st_size / 1_000_000


# --- Rust ------------------------------------------------------------------------------------------------------


def rust_compile(generated: Path) -> float:
    """Return the CPU seconds of a clean release build of the crate alone, after its dependencies are built."""
    return rust_build(generated).seconds


def rust_build(generated: Path) -> Cost:
    """Return the cost of such a build."""
    rust = programs.rust()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "crate"
        shutil.copytree(generated / "rust", copy)
        cargo = replace(rust, variables={**rust.variables, "CARGO_TARGET_DIR": f"{scratch}/target"})
        build = cargo.command("cargo", "build", "--release", "--offline")
        cpu_seconds([*build, "-p", "serde"], copy, cargo.environment)
        return cost(build, copy, cargo.environment)


def serde_build() -> Cost:
    """Return the same for the peer."""
    return rebuilt("--lib", Path(programs.rust().variables["PEER"]))


def rust_program(name: str) -> float:
    """Return the CPU seconds of a release build of a program in `rust/examples`, after its dependencies are built."""
    return rebuilt(f"--example={name}", programs.RUST / "examples" / f"{name}.rs").seconds


def rebuilt(what: str, source: Path) -> Cost:
    """Return the cost of rebuilding a part of `rust/` after its source was touched."""
    rust = programs.rust()
    build = rust.command("cargo", "build", "--release", "--locked", "--offline", what)
    cpu_seconds(build, programs.RUST, rust.environment)
    source.touch()
    return cost(build, programs.RUST, rust.environment)


# --- lines of code ---------------------------------------------------------------------------------------------

CODE = {".py", ".pyi", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".go", ".rs"}


def lines_per_property(generated: Path, target: str) -> float:
    """Return the lines of generated code, without the runtime, per property declared in the open schema."""
    manifest: dict[str, Any] = json.loads((generated / "manifest.json").read_bytes())["targets"][target]
    files = {*manifest["files"]} - {*manifest.get("runtime", ())}
    lines = sum(code_lines(generated / name) for name in sorted(files) if Path(name).suffix in CODE)
    return lines / Protocol(json.loads(peers.SCHEMA.read_bytes())).properties


def code_lines(path: Path) -> int:
    """Count the lines that are neither blank nor comments; docstrings are comments."""
    text = path.read_text(encoding="utf-8")
    return len({*python_lines(text)} if path.suffix in (".py", ".pyi") else [*c_lines(text)])


def python_lines(text: str) -> Iterator[int]:
    """Yield the numbers of the lines of code in Python."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    nothing = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in nothing:
            yield from {*range(token.start[0], token.end[0] + 1)} - documented


def c_lines(text: str) -> Iterator[str]:
    """Yield the lines of code in a language with `//` and `/* … */`, where comments have their own lines."""
    commented = False
    for line in map(str.strip, text.split("\n")):
        commented = commented or line.startswith("/*")
        if line and not commented and not line.startswith("//"):
            yield line
        commented = commented and "*/" not in line
