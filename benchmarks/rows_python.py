"""Rows about the Python package: decoding, encoding, memory, and situations that might be slow."""

from __future__ import annotations

import gc
import importlib
import io
import json
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import peers
from corpus import COUNT, SITUATIONS, situation
from measure import PORTION, Figure, in_turn
from rows import row

PROCESSES = 3


def remark(accepted: list[bytes], lines: list[bytes]) -> str:
    """Return a remark with the number of compared lines."""
    return f"{len(accepted):,} of {len(lines):,} lines"


@row("Python decode, standard library", "json.loads", must=1.30, aim=1.10, processes=PROCESSES)
def python_decode() -> Figure:
    """Decode bytes to typed messages, with every field checked."""
    package, lines = peers.package(orjson=False), peers.session()
    return in_turn(package.decode, json.loads, lines, lines)


@row(
    "Python decode, standard library, lines both accept",
    "the official SDK's parser",
    must=1.0,
    aim=0.85,
    processes=PROCESSES,
)
def python_decode_official() -> Figure:
    """Only the lines that the official parser accepts."""
    package, parse = peers.package(orjson=False), peers.official_parser()
    accepted = peers.accepted_by(parse, peers.session())
    return replace(in_turn(package.decode, parse, accepted, accepted), remark=remark(accepted, peers.session()))


@row(
    "Python decode with orjson, lines both accept",
    "pydantic validate_json",
    must=0.75,
    aim=0.60,
    processes=PROCESSES,
)
def python_decode_orjson() -> Figure:
    """The open schema must accept nearly the whole session; otherwise the peer does less work."""
    package, validate, lines = peers.package(orjson=True), peers.pydantic_validator(), peers.session()
    accepted = peers.accepted_by(validate, lines)
    if len(accepted) < 0.95 * len(lines):
        raise SystemExit(f"pydantic accepts only {len(accepted)} of {len(lines)} lines")
    return replace(in_turn(package.decode, validate, accepted, accepted), remark=remark(accepted, lines))


def decode_in_situation(name: str) -> Figure:
    """Lines that were changed in one way."""
    lines = peers.lines_of(peers.shared(name, partial(situation, name)))
    return in_turn(peers.package(orjson=False).decode, json.loads, lines, lines)


def decode_by(name: str) -> Figure:
    """Lines of the session that this way of decoding accepts."""
    package = peers.package(orjson=False)
    ways: dict[str, Callable[[bytes], object]] = {
        "strict": partial(package.decode, strict=True),
        "examine": package.examine,
        "from_dict": lambda line: package.from_dict(json.loads(line)),
    }
    accepted = peers.lines_of(peers.strict_file()) if name == "strict" else peers.session()
    return replace(in_turn(ways[name], json.loads, accepted, accepted), remark=remark(accepted, peers.session()))


for _name in SITUATIONS:
    row(
        f"Python decode: {_name.replace('_', ' ')}",
        "json.loads",
        must=2.0,
        aim=1.5,
        name=f"python_{_name}",
    )(partial(decode_in_situation, _name))
for _name in ("strict", "examine", "from_dict"):
    row(f"Python decode: {_name}", "json.loads", must=2.0, aim=1.5, name=f"python_{_name}")(partial(decode_by, _name))


@row("Python strict mode", "lenient mode", must=1.2, aim=1.1, processes=PROCESSES)
def python_strict_lenient() -> Figure:
    """Lines that strict mode accepts."""
    package, lines = peers.package(orjson=False), peers.session()
    accepted, strictly = peers.lines_of(peers.strict_file()), partial(package.decode, strict=True)
    return replace(in_turn(strictly, package.decode, accepted, accepted), remark=remark(accepted, lines))


@row("Python reading only results", "reading all", must=0.35, aim=0.2, processes=PROCESSES)
def python_only() -> Figure:
    """A reader of the session that decodes the results and skips all other lines."""
    package, lines = peers.package(orjson=False), peers.session()
    files = [b"\n".join(lines[at : at + PORTION]) for at in range(0, len(lines), PORTION)]

    def read(file: bytes, **options: Any) -> None:
        for _ in package.Reader(io.BytesIO(file), **options):
            pass

    return in_turn(partial(read, only=[package.ResultMessage]), read, files, files, size=1)


@row("Python encode, standard library", "json.dumps, compact", must=0.60, aim=0.45, processes=PROCESSES)
def python_encode() -> Figure:
    """Encode messages to bytes with every field's type checked, against the dicts they came from."""
    return encoded(peers.package(orjson=False))


def encoded(package: Any) -> Figure:
    """Encode the messages of the session in turn with the dicts."""
    lines = peers.session()
    messages, dicts = [package.decode(line) for line in lines], [json.loads(line) for line in lines]
    gc.freeze()  # otherwise each collection would traverse all of them
    return in_turn(package.encode, partial(json.dumps, separators=(",", ":")), messages, dicts)


def native() -> Any:
    """The package with the native extension."""
    return peers.package(orjson=False, native=True)


@row("Python decode with the native extension", "json.loads", must=0.45, aim=0.36, processes=PROCESSES)
def python_native_decode() -> Figure:
    """The same session and the same objects as `python_decode`."""
    package, lines = native(), peers.session()
    return in_turn(package.decode, json.loads, lines, lines)


@row("Python decode with the native extension, lines both accept", "pydantic validate_json", must=0.36, aim=0.29)
def python_native_pydantic() -> Figure:
    """As `python_decode_orjson`."""
    return against(native().decode, peers.pydantic_validator())


@row("Python decode with the native extension", "orjson.loads, which checks no type", must=1.3, aim=1.0)
def python_native_orjson() -> Figure:
    """How much checking, and making objects instead of dicts, takes."""
    package, lines = peers.package(orjson=True, native=True), peers.session()
    return in_turn(package.decode, importlib.import_module("orjson").loads, lines, lines)


@row("Python decode with the native extension, lines both accept", "msgspec structs, which drop", must=2.2, aim=1.6)
def python_native_msgspec() -> Figure:
    """The peer drops undeclared members, and has few types: its unions have one tag, and cannot be open."""
    return against(native().decode, peers.msgspec_decoder())


def against(ours: Callable[[bytes], object], peer: Callable[[bytes], object]) -> Figure:
    """Compare two decoders on the lines of the session that the peer accepts."""
    lines = peers.session()
    accepted = peers.accepted_by(peer, lines)
    return replace(in_turn(ours, peer, accepted, accepted), remark=remark(accepted, lines))


@row("Python encode with the native extension", "json.dumps, compact", must=0.22, aim=0.15, processes=PROCESSES)
def python_native_encode() -> Figure:
    """As `python_encode`."""
    return encoded(native())


@row("memory of a decoded message in Python", "the dict", must=0.55, aim=0.47)
def python_memory() -> Figure:
    """The bytes of 5,000 retained messages, measured with tracemalloc."""
    package, lines = peers.package(orjson=False), peers.session()[: COUNT // 4]
    for line in lines[:500]:
        package.decode(line)
    return Figure([held(package.decode, lines) / held(json.loads, lines)])


def held(decode: Callable[[bytes], object], lines: list[bytes]) -> int:
    """Return the bytes allocated for the results of all lines and still in use."""
    gc.collect()
    tracemalloc.start()
    kept = [decode(line) for line in lines]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size - sys.getsizeof(kept)
