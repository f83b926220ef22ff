"""The programs in `js/`, `go/` and `rust/` with a package and its peers: how to build and run them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import peers
import serde_peer
from peers import CACHE, GENERATED, ROOT, CannotRunError

sys.path.insert(0, str(ROOT / "tests" / "support"))

import toolchain
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
GO, JS, RUST = HERE / "go", HERE / "js", HERE / "rust"
NODE_PACKAGES = JS / "node_modules" / ".package-lock.json"

STEPS_OF_RUST = "-C instrument-coverage"
ROOMY = ("--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512")
"""Makes Node keep everything that a call allocates until garbage collection is requested."""


def go() -> Toolchain:
    """Return the Go toolchain with optimisation, unlike in the tests."""
    found = toolchain.if_prepared(toolchain.go(), "go")
    if found is None:
        raise CannotRunError("Go ≥ 1.24, or a module that it is to fetch, is missing; `make .venv/go.stamp` says why")
    return replace(found, variables={**found.variables, "GOFLAGS": "-modcacherw -buildvcs=false"})


def rust(*, plain: bool = False) -> Toolchain:
    """Return Cargo with the types of the plain or the careful peer, and a target folder for its release builds."""
    found = toolchain.if_prepared(toolchain.rust(), "rust")
    if found is None:
        raise CannotRunError(
            "Cargo ≥ 1.85, or a crate that it is to fetch, is missing; `make .venv/rust.stamp` says why"
        )
    name = "plain" if plain else "careful"
    schema = json.loads(peers.SCHEMA.read_bytes())
    peer = peers.cached(f"_{name}.rs", lambda out: out.write_text(serde_peer.module(schema, plain=plain)))
    folder = CACHE / ("rust-plain" if plain else "rust")
    return replace(found, variables={**found.variables, "PEER": str(peer), "CARGO_TARGET_DIR": str(folder)})


def node() -> Toolchain:
    """Return Node; its packages are peers, which every row needs."""
    found = toolchain.node()
    if found is None:
        raise CannotRunError("there is no Node ≥ 18; `make .venv/node.stamp` brings it")
    if not NODE_PACKAGES.is_file():
        raise SystemExit("ajv and esbuild are not installed; `make .venv/bench.stamp` installs them")
    return found


def output(language: Toolchain, program: str | Path, *arguments: str | Path, cwd: Path = ROOT) -> str:
    """Return the output of a program, which must succeed."""
    done = language.run(str(program), *arguments, cwd=cwd)
    if done.returncode:
        raise SystemExit(f"{program} failed with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def ajv() -> Path:
    """Return the standalone validator that ajv generates from the open schema."""
    return peers.cached("_ajv.mjs", lambda out: output(node(), "node", JS / "ajv.mjs", peers.SCHEMA, out))


def built_go(*flags: str, folder: Path = GO) -> Path:
    """Return the program in `go/`, or in a folder of it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    program = CACHE / "-".join((folder.name, *(flag.strip("-").split("=")[0] for flag in flags)))
    output(go(), "go", "build", *flags, "-o", program, ".", cwd=folder)
    return program


def built_rust(language: Toolchain, *flags: str) -> Path:
    """Return the program in `rust/`."""
    output(language, "cargo", "build", "--release", "--locked", "--offline", "--quiet", *flags, cwd=RUST)
    return Path(language.variables["CARGO_TARGET_DIR"], "release", "bench")


def run_node(action: Sequence[str], file: Path) -> str:
    ajv_of = (ajv(),) if action[0] == "ratio" else ()
    flags = ROOMY if action[0] == "bounds" else ()
    return output(node(), "node", *flags, JS / "bench.mjs", *action, GENERATED / "typescript", *ajv_of, file)


def run_go(action: Sequence[str], file: Path) -> str:
    counting = ("-cover", "-covermode=atomic", "-coverpkg=example.com/agentlines/types,bench")
    return output(go(), built_go(*(counting if action[0] == "bounds" else ())), *action, file)


def run_sonic(action: Sequence[str], file: Path) -> str:
    return output(go(), built_go(folder=GO / "sonic"), *action, file)


def run_rust(action: Sequence[str], file: Path, *, plain: bool = False) -> str:
    language = rust(plain=plain)
    if action[0] != "bounds":
        return output(language, built_rust(language), *action, file)
    instrumented = {"RUSTFLAGS": STEPS_OF_RUST, "CARGO_TARGET_DIR": str(CACHE / "rust-steps")}
    instrumented["LLVM_PROFILE_FILE"] = "/dev/null"
    language = replace(language, variables={**language.variables, **instrumented})
    return output(language, built_rust(language, "--features", "counts"), *action, file)


PROGRAMS: dict[str, Callable[[Sequence[str], Path], str]] = {"JavaScript": run_node, "Go": run_go, "Rust": run_rust}
"""By language: runs its program with an action on a file of lines, and returns the output."""

OTHER_PEERS = {"Go": run_sonic, "Rust": partial(run_rust, plain=True)}
"""By language: the same with another peer, sonic on the listing and plain types; the only action is `ratio`."""


def ratio(language: str, pair: str, *, other_peer: bool = False, events: bool = False) -> Any:
    """Return the program's measurements of a pair of functions, of all lines or of stream events alone."""
    program = (OTHER_PEERS if other_peer else PROGRAMS)[language]
    file = peers.strict_file() if pair == "strict" else peers.events_file() if events else peers.session_file()
    return json.loads(program(("ratio", pair), file))


def codes(language: str, file: Path) -> dict[str, int]:
    """Return the package's errors for faulty lines, by code."""
    found: dict[str, int] = json.loads(PROGRAMS[language](("reject",), file))
    return found


def bounds(language: str, lines: list[bytes]) -> list[dict[str, Any]]:
    """Return the package's allocations and steps for each line in each mode."""
    file = peers.scratch() / "bounds.ndjson"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    found: list[dict[str, Any]] = json.loads(PROGRAMS[language](("bounds",), file))
    return found
