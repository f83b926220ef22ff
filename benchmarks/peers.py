"""The peers: the same data in the hands of others."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STRICT_SCHEMA = ROOT / "generated" / "jsonschema" / "agentproto.strict.schema.json"
CACHE = ROOT / "build" / "benchmarks"

CANNOT_RUN = 77
"""The exit status of a row whose language this machine lacks."""


class CannotRunError(Exception):
    """A row's language is not to be had here; says what is missing."""


def agentproto(*, orjson: bool) -> Any:
    """The generated package, as a machine with or without orjson would import it."""
    if not orjson:
        sys.modules["orjson"] = None  # type: ignore[assignment]  # what makes an import fail
    sys.path.insert(0, str(ROOT / "generated" / "python"))
    return importlib.import_module("agentproto")


def printed(program: Path, action: str, lines: list[bytes], *arguments: str) -> Any:
    """What a program prints of lines, which it reads from a file."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "lines.ndjson"
        file.write_bytes(b"\n".join(lines) + b"\n")
        done = subprocess.run([program, action, file, *arguments], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{program} failed with status {done.returncode}")
    return json.loads(done.stdout)


def go(action: str, lines: list[bytes], *arguments: str) -> Any:
    """What the program in `go/`, which holds our package and the listing, prints of lines."""
    sys.path.insert(0, str(ROOT / "tests"))
    import toolchain

    language = toolchain.go()
    if language is None:
        raise CannotRunError("there is no Go ≥ 1.24; `make .venv/go.stamp` fetches it")
    if not (ROOT / "generated" / "go").is_dir():
        raise CannotRunError("the Go package is not generated; `make generate` writes it")
    CACHE.mkdir(parents=True, exist_ok=True)
    program = CACHE / "go"
    built = language.run("go", "build", "-gcflags=all=", "-o", program, ".", cwd=ROOT / "benchmarks" / "go")
    if built.returncode:
        raise SystemExit(built.stderr)
    return printed(program, action, lines, *arguments)


def rust(action: str, lines: list[bytes], *arguments: str) -> Any:
    """What the program in `rust/`, which holds our crate and the types that serde derives, prints of lines."""
    sys.path.insert(0, str(ROOT / "tests"))
    import toolchain

    language = toolchain.rust()
    if language is None:
        raise CannotRunError("there is no Cargo ≥ 1.85 on PATH")
    if not (ROOT / "generated" / "rust").is_dir():
        raise CannotRunError("the Rust crate is not generated; `make generate` writes it")
    folder = ROOT / "benchmarks" / "rust"
    built = language.run("cargo", "build", "--release", "--locked", "--offline", "--quiet", cwd=folder)
    if built.returncode:
        raise SystemExit(built.stderr)
    program = Path(language.variables["CARGO_TARGET_DIR"], "release", "bench")
    return printed(program, action, lines, *arguments)


def node(action: str, lines: list[bytes], *arguments: str) -> Any:
    """What the program in `js/` prints of lines, with our package beside what Node has itself."""
    sys.path.insert(0, str(ROOT / "tests"))
    import toolchain

    language = toolchain.node()
    if language is None:
        raise CannotRunError("there is no Node ≥ 18; `make .venv/node.stamp` brings it")
    package = ROOT / "generated" / "typescript"
    if not package.is_dir():
        raise CannotRunError("the TypeScript package is not generated; `make generate` writes it")
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "lines.ndjson"
        file.write_bytes(b"\n".join(lines) + b"\n")
        program = ROOT / "benchmarks" / "js" / "bench.mjs"
        done = language.run("node", program, package, action, file, *arguments)
    if done.returncode:
        raise SystemExit(f"the JavaScript program failed:\n{done.stderr}")
    return json.loads(done.stdout)


PROGRAMS: dict[str, Callable[..., Any]] = {"JavaScript": node, "Go": go, "Rust": rust}
"""By language: what its program prints of an action on lines."""


def official_parser() -> Callable[[dict[str, Any]], object]:
    """The official SDK's message parser, for data that is parsed already."""
    from claude_agent_sdk._internal.message_parser import parse_message

    return parse_message


def codegen(schema: Path, output: Path) -> list[str]:
    """Build the command by which datamodel-code-generator makes pydantic models of a schema."""
    return [
        sys.executable,
        "-W",
        "ignore::FutureWarning",  # it announces other default formatters
        "-m",
        "datamodel_code_generator",
        "--input",
        str(schema),
        "--input-file-type",
        "jsonschema",
        "--output",
        str(output),
        "--output-model-type",
        "pydantic_v2.BaseModel",
        "--target-python-version",
        "3.10",
        "--use-annotated",
        "--disable-timestamp",
        "--formatters",  # the default of the pinned version, spelt out so that a newer pin measures the same work
        "black",
        "isort",
    ]  # fmt: skip  (a command line)


def pydantic_models() -> Path:
    """The models of the strict schema as a module; made once for each schema. Returns the folder to import from."""
    digest = hashlib.sha256(STRICT_SCHEMA.read_bytes()).hexdigest()[:16]
    folder = CACHE / digest
    module = folder / "peer_models.py"
    if not module.exists():
        folder.mkdir(parents=True, exist_ok=True)
        half = folder / "half_made.py"
        subprocess.run(codegen(STRICT_SCHEMA, half), check=True)
        half.rename(module)
    return folder


def pydantic_validator() -> Callable[[bytes], object]:
    """`validate_json` of the strict schema's root, by models that are as quick as pydantic can be."""
    from pydantic_peer import validator

    return validator(json.loads(STRICT_SCHEMA.read_bytes()))
