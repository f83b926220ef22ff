"""The rows of the speed table: what is measured, against which peer, and the limits that design set."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

import yaml

import peers
from corpus import session
from measure import Pair, Ratio, by_portion, interleave
from polywire.model.nodes import Model, Ref

T = TypeVar("T")
S = TypeVar("S")

Measure: TypeAlias = Callable[[], Ratio]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `must` and `aim` bound the ratio from above."""

    what: str
    against: str
    must: float
    aim: float
    measure: Measure


ROWS: dict[str, Row] = {}


def row(what: str, against: str, *, must: float, aim: float) -> Callable[[Measure], Measure]:
    """Enter a measurement into the table under its function's name."""

    def enter(measure: Measure) -> Measure:
        ROWS[measure.__name__] = Row(what, against, must, aim, measure)
        return measure

    return enter


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of programs whose start is timed: as users have it, with compiled modules kept."""

PORTION = 500
"""Lines, or messages, that one of the two takes before the other has its turn."""


def each(run: Callable[[T], object], items: Iterable[T]) -> None:
    """Call it for every item and keep nothing."""
    for item in items:
        run(item)


def in_turn(ours: Callable[[T], object], peer: Callable[[S], object], our: list[T], theirs: list[S]) -> Ratio:
    """Time two functions on their forms of the same items, in portions."""

    def portion(at: int) -> Pair:
        return partial(each, ours, our[at : at + PORTION]), partial(each, peer, theirs[at : at + PORTION])

    return by_portion([portion(at) for at in range(0, len(our), PORTION)], rounds=15)


# --- the generator ---------------------------------------------------------------------------------------------


@row("generate, all targets", "datamodel-code-generator, one flavour of our schema", must=0.6, aim=0.3)
def generate() -> Ratio:
    """Time whole processes, from a cold start to files on the disk."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)

        def ours() -> None:
            shutil.rmtree(out / "generated", ignore_errors=True)
            command = [sys.executable, "-m", "polywire", "generate", "--spec", str(peers.ROOT / "spec")]
            command += ["--out", str(out / "generated"), "--no-add-ons"]  # which the peer itself makes
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=COMPILED)

        def peer() -> None:
            subprocess.run(peers.codegen(peers.STRICT_SCHEMA, out / "models.py"), check=True, env=COMPILED)

        return interleave(ours, peer, rounds=5)


@row("a spec ten times as large", "itself", must=11, aim=10)
def tenfold() -> Ratio:
    """Time reading, checking and rendering all targets, in one process, so that no start-up flatters the ratio."""
    from polywire.checks import check
    from polywire.plan import make_plan
    from polywire.render import render
    from polywire.targets import registry

    def pipeline(folder: Path) -> Callable[[], None]:
        def run() -> None:
            report = check(folder)
            if report.model is None or report.failed:
                raise SystemExit(f"{folder} has findings: {report.findings[:3]}")
            for target in registry().values():
                render(target, make_plan(report.model))

        return run

    gc.disable()  # as the command line does
    with tempfile.TemporaryDirectory() as scratch:
        big = Path(scratch) / "spec"
        multiply(peers.ROOT / "spec", big, 10)
        return interleave(pipeline(big), pipeline(peers.ROOT / "spec"), rounds=5)


def multiply(spec: Path, out: Path, times: int) -> None:
    """Write a spec with every declaration of `spec` and `times - 1` renamed copies of each, all reachable."""
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(spec)).model
    if model is None:
        raise SystemExit(f"{spec} has findings; run polywire lint")
    shutil.copytree(spec, out, ignore=shutil.ignore_patterns("dialects"))
    entry = yaml.safe_load((spec / "protocol.yaml").read_text(encoding="utf-8"))
    parts, roots = entry["parts"], entry["protocol"]["roots"]
    payload = payload_union(model)
    made = {maker.name for struct in model.structs for maker in struct.constructors}
    named = {*model.declarations, *(union.unknown for union in model.unions), *made} - {payload}
    names = "|".join(sorted(named, key=len, reverse=True))
    requests = "|".join(re.escape(control.key) for control in model.controls)
    for copy in range(1, times):
        for part in list(parts[: len(parts) // copy]):
            text = (spec / part).read_text(encoding="utf-8")
            text = re.sub(rf"\b({names})\b", rf"\g<1>Copy{copy}", text)
            if "\ncontrols:\n" in text:
                # every request goes to the one payload union, where each needs a tag of its own
                text = re.sub(rf"^  {payload}:\n(?:(?: {{3,}}.*)?\n)*", "", text, flags=re.MULTILINE)
                text = re.sub(rf"^  ({requests}):", rf"  \g<1>_copy{copy}:", text, flags=re.MULTILINE)
                text = re.sub(r"^    examples:\n(?:(?: {5,}.*)?\n)*", "", text, flags=re.MULTILINE)
            (out / f"copy{copy}_{part}").write_text(
                renamed_overrides(renamed_tools(text, copy), copy), encoding="utf-8"
            )
            parts.append(f"copy{copy}_{part}")
        roots += [f"{root}Copy{copy}" for root in roots[: len(roots) // copy]]
    (out / "protocol.yaml").write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")


def payload_union(model: Model) -> str:
    """Name the union that all requests are variants of."""
    envelope = model.protocol.request
    if envelope is None:
        raise SystemExit("the spec has no requests any more; the row can do without this then")
    (field,) = (f for f in model.struct(envelope.struct).fields if f.name == envelope.payload[0])
    if not isinstance(field.type, Ref):
        raise SystemExit(f"{envelope.struct} no longer names its payload's type")
    return field.type.name


def renamed_overrides(text: str, copy: int) -> str:
    """Rename what the spec calls things in single targets; a word in small letters is no name but a choice."""

    def renamed(entry: re.Match[str]) -> str:
        return re.sub(r": (\w*[A-Z]\w*)\b(?<!Copy\d)", rf": \g<1>No{copy}", entry[0])

    return re.sub(r"\btargets: \{(?:[^{}]|\{[^{}]*\})*\}", renamed, text)


def renamed_tools(text: str, copy: int) -> str:
    """Rename the keys of the `tools` section, which no word of the text tells apart from others."""
    head, section, rest = text.partition("\ntools:\n")
    key = re.compile(r"^  (\"?)(\w[\w*]*)(\"?):", re.MULTILINE)
    return head + section + key.sub(rf"  \g<1>copy{copy}_\g<2>\g<3>:", rest)


# --- Python ----------------------------------------------------------------------------------------------------


@row("Python decode, standard library", "json.loads(bytes) alone", must=1.05, aim=0.95)
def decode_stdlib() -> Ratio:
    """Time typed messages from bytes, every field checked."""
    package, lines = peers.agentproto(orjson=False), session()
    return in_turn(package.decode, json.loads, lines, lines)


@row("Python decode, lines both accept", "the official SDK's parser on json.loads", must=0.80, aim=0.75)
def decode_official() -> Ratio:
    """Time only what the official parser makes a message of: it returns None or raises for the rest."""
    package, parse = peers.agentproto(orjson=False), peers.official_parser()

    def official(line: bytes) -> object:
        return parse(json.loads(line))

    accepted = [line for line in session() if accepts(official, line)]
    return in_turn(package.decode, official, accepted, accepted)


def accepts(parse: Callable[[bytes], object], line: bytes) -> bool:
    """Tell whether a parser makes something of the line."""
    try:
        return parse(line) is not None
    except Exception:  # noqa: BLE001  (whatever a peer raises, it does not accept the line)
        return False


@row("Python decode with orjson", "pydantic validate_json, models of our strict schema", must=0.70, aim=0.60)
def decode_orjson() -> Ratio:
    """Time what both accept; the strict schema must accept the whole session, or the peer is not the peer."""
    package, validate, lines = peers.agentproto(orjson=True), peers.pydantic_validator(), session()
    accepted = [line for line in lines if accepts(validate, line)]
    if len(accepted) < 0.95 * len(lines):
        raise SystemExit(f"pydantic accepts only {len(accepted)} of {len(lines)} lines")
    return in_turn(package.decode, validate, accepted, accepted)


@row("Python encode, standard library, checking types", "json.dumps compact of the same dict", must=0.60, aim=0.45)
def encode_stdlib() -> Ratio:
    """Time messages to bytes, every field's type checked, against the dicts they came from."""
    package, lines = peers.agentproto(orjson=False), session()
    messages, dicts = [package.decode(line) for line in lines], [json.loads(line) for line in lines]
    return in_turn(package.encode, json.JSONEncoder(separators=(",", ":")).encode, messages, dicts)


@row("memory of a decoded message", "the dict from json.loads", must=0.55, aim=0.47)
def memory() -> Ratio:
    """Count the bytes that 5,000 retained messages hold, by tracemalloc."""
    package, lines = peers.agentproto(orjson=False), session(5_000)
    package.decode(lines[0])
    return Ratio.of([held(package.decode, lines) / held(json.loads, lines) for _ in range(3)])


def held(decode: Callable[[bytes], object], lines: list[bytes]) -> int:
    """Bytes allocated for the results of all lines, and still held."""
    gc.collect()
    tracemalloc.start()
    kept = [decode(line) for line in lines]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size - sys.getsizeof(kept)


@row("cold import of the package", "pydantic models of the same schema, pydantic included", must=0.10, aim=0.07)
def cold_import() -> Ratio:
    """Time an import in a process of its own, `.pyc` files present."""
    timed = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "start = time.perf_counter(); __import__(sys.argv[2]); print(time.perf_counter() - start)"
    )
    ours = str(peers.ROOT / "generated" / "python"), "agentproto"
    peer = str(peers.pydantic_models()), "peer_models"

    def seconds(what: tuple[str, str]) -> float:
        done = subprocess.run([sys.executable, "-c", timed, *what], check=True, capture_output=True, env=COMPILED)
        return float(done.stdout)

    seconds(ours), seconds(peer)
    return Ratio.of([seconds(ours) / seconds(peer) for _ in range(15)])


# --- JavaScript ------------------------------------------------------------------------------------------------


@row("JavaScript decode, every field checked", "JSON.parse alone", must=1.25, aim=1.15)
def decode_javascript() -> Ratio:
    """Time text to typed objects in one process, portion by portion."""
    return Ratio.of(peers.node("ratio", session(), "15")["ratios"])


# --- Go --------------------------------------------------------------------------------------------------------


@row(
    "Go decode, every field checked, lines both accept",
    "the listing's two-pass decode with encoding/json, which checks no more than Go's types do",
    must=0.35,
    aim=0.2,
)
def decode_go() -> Ratio:
    """Time both in one process, portion by portion, each with a heap that was collected before."""
    return Ratio.of(peers.go("ratio", session(), "15")["ratios"])


# --- Rust ------------------------------------------------------------------------------------------------------


@row(
    "Rust decode, every field checked, lines both accept",
    "serde derive with internally tagged enums and flattened extras",
    must=1.0,
    aim=0.6,
)
def decode_rust() -> Ratio:
    """Time both in one process, portion by portion."""
    return Ratio.of(peers.rust("ratio", session(), "15")["ratios"])
