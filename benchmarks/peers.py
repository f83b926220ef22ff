"""The Python package and its peers, which process the same data."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import corpus

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "generated"
PACKAGE = "agentlines"
"""The name of the generated package in Python."""

SCHEMA = GENERATED / "jsonschema" / f"{PACKAGE}.schema.json"
"""The open schema, which accepts what lenient mode accepts."""

CACHE = ROOT / "build" / "benchmarks"

SCRATCH = "BENCHMARK_SCRATCH"
"""The environment variable with the folder that the processes of one run share."""

CANNOT_RUN = 77
"""The exit status of a row whose language is not installed."""


class CannotRunError(Exception):
    """The language of a row is not available on this machine; the message says what is missing."""


def package(*, orjson: bool, native: bool = False) -> Any:
    """Import the generated package as on a machine with or without orjson and the native extension."""
    if native and importlib.util.find_spec("polywire_native") is None:
        raise SystemExit("polywire_native is not installed; `make .venv/native.stamp` installs it")
    os.environ["POLYWIRE_NATIVE"] = "1" if native else "0"
    if not orjson:
        sys.modules["orjson"] = None  # type: ignore[assignment]  # makes the import fail
    elif importlib.util.find_spec("orjson") is None:
        raise SystemExit("orjson is not installed; `make .venv/bench.stamp` installs it")
    sys.path.insert(0, str(GENERATED / "python"))
    return importlib.import_module(PACKAGE)


def scratch() -> Path:
    """Return the folder that the processes of one run share."""
    return Path(os.environ.get(SCRATCH) or os.environ.setdefault(SCRATCH, tempfile.mkdtemp()))


def once(name: str, make: Callable[[], Any]) -> Any:
    """Return JSON data needed by several rows of one run; the first row that asks for it computes it."""
    file = scratch() / f"{name}.json"
    if not file.exists():
        file.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(file.read_bytes())


def shared(name: str, make: Callable[[], list[bytes]]) -> Path:
    """Return a file of lines that the rows of one run share; the first row that asks for it creates it.

    It is created by another process, so that the lines are new to the measured process.
    """
    file = scratch() / f"{name}.ndjson"
    if not file.exists():
        with ProcessPoolExecutor(1) as apart:
            file.write_bytes(b"".join(line + b"\n" for line in apart.submit(make).result()))
    return file


def lines_of(file: Path) -> list[bytes]:
    """Return the lines of a file, without line ends."""
    return file.read_bytes().split(b"\n")[:-1]


def session_file() -> Path:
    """Return the file of the session that most rows read."""
    return shared("session", corpus.session)


def session() -> list[bytes]:
    """Return the lines of that session, without line ends."""
    return lines_of(session_file())


def strict_file() -> Path:
    """Return the file with the lines of the session that strict mode accepts."""
    return shared("strict", strict_lines)


def events_file() -> Path:
    """Return the file with the stream events of the session, most of which are short."""
    return shared("events", events)


def events() -> list[bytes]:
    """Return these lines."""
    return [line for line in session() if json.loads(line)["type"] == "stream_event"]


def strict_lines() -> list[bytes]:
    """Return these lines, as determined by the package."""
    return accepted_by(partial(package(orjson=False).decode, strict=True), session())


def accepted_by(run: Callable[[bytes], object], lines: list[bytes]) -> list[bytes]:
    """Return the lines that a parser accepts."""

    def accepts(line: bytes) -> bool:
        try:
            return run(line) is not None
        except Exception:  # noqa: BLE001  (any exception of a peer means that it does not accept the line)
            return False

    return [line for line in lines if accepts(line)]


def official_parser() -> Callable[[bytes], object]:
    """Return the official SDK's message parser, which returns None or raises for lines that it does not accept."""
    from claude_agent_sdk._internal.message_parser import parse_message

    return lambda line: parse_message(json.loads(line))


def pydantic_validator() -> Callable[[bytes], object]:
    """Return `validate_json` of the open schema's root, with the fastest models that pydantic allows."""
    from pydantic_peer import validator

    return validator(json.loads(SCHEMA.read_bytes()))


def msgspec_decoder() -> Callable[[bytes], object]:
    """Return the decoder of msgspec for structs of the open schema's root."""
    from msgspec_peer import decoder

    return decoder(json.loads(SCHEMA.read_bytes()))


def codegen(output: Path) -> list[str]:
    """Return the command with which datamodel-code-generator generates pydantic models from the open schema."""
    return [
        sys.executable,
        "-W",
        "ignore::FutureWarning",  # it announces a change of the default formatters
        "-m",
        "datamodel_code_generator",
        "--input",
        str(SCHEMA),
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
        "--formatters",  # the default of the pinned version, written out so that a newer one measures the same work
        "black",
        "isort",
    ]  # fmt: skip  (a command line)


def cached(suffix: str, make: Callable[[Path], object]) -> Path:
    """Return a file generated from the open schema, once per version of the schema."""
    digest = hashlib.sha256(SCHEMA.read_bytes()).hexdigest()[:16]
    file = CACHE / digest / f"peer{suffix}"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_name(f"half_made{suffix}")
        make(half)
        half.rename(file)
    return file


def pydantic_models() -> Path:
    """Return the module of models that datamodel-code-generator generates."""
    return cached("_models.py", lambda out: subprocess.run(codegen(out), check=True))
