"""Old and new packages of random edits exchange messages; the verdicts of `breaking` match the results.

The edits are those of `test_property`, one or two at a time, in a small spec. The packages are for Python.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from types import CodeType
from unittest.mock import patch

from breaking.test_property import EDITS, Edit, Version, compared, written
from polywire.checks import check
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from sampling import SEED, number, turn

SPEC = """\
polywire: 1
protocol: {name: chat, title: Chat, version: 1.0, framing: ndjson, peers: [client, server], roots: [Line]}
enums:
  Mood: {doc: How it is., open: true, values: {calm: Quiet., busy: Loud.}}
  Side: {doc: Where it is., open: false, values: {left: One., right: The other.}}
types:
  Person: {doc: Who., fields: {name: string, age?: integer, email: string | null, nick?: string | null, id: uuid}}
  Room: {doc: A room., tag: {kind: room}, fields: {number: integer, tags: "string[]"}}
  Hall: {doc: A hall., tag: {kind: hall}, fields: {size?: number, data: json}}
unions:
  Line: {doc: A line., open: true, by: event, variants: [Said, Left, Moved]}
  Place: {doc: A place., open: false, by: kind, variants: [Room, Hall]}
messages:
  Said: {doc: Words., from: client, tag: {event: said}, fields: {by: Person, text: string, mood?: Mood, at?: timestamp}}
  Left: {doc: An end., from: server, tag: {event: left}, const: {final: true}, fields: {side: Side, late: boolean}}
  Moved: {doc: A move., from: server, tag: {event: moved}, fields: {to: Place, steps: integer, about?: object}}
"""
MANY = number(2_000, 10_000)
"""The number of edited specs."""

OWN = [
    (r"event: (said|left|moved)\b", r"event: new_\1"),  # another tag
    (r"(?<=kind: )(room|hall)\b", r"new_\1"),
    (r", (?:Left|Moved|Hall)(?=[\],])", ""),  # a variant removed
    (r"busy: Loud\.", "busy: Loud., new: New."),  # a value added
    (r", right: The other\.", ""),  # a value removed
    (r", right: The other\.", ", right: The other., up: Above."),
]


@cache
def edits() -> list[Edit]:
    """Every possible edit of the spec."""
    every = [*EDITS, *OWN]
    return [Edit("protocol.yaml", *m.span(), m.expand(put), m[0]) for old, put in every for m in re.finditer(old, SPEC)]


def edited(chosen: list[Edit]) -> str:
    """The spec with edits applied; of two that overlap, the later one."""
    text, limit = SPEC, len(SPEC)
    for edit in sorted(chosen, key=lambda e: (-e.start, -e.end)):
        if edit.end <= limit:
            text, limit = text[: edit.start] + edit.text + text[edit.end :], edit.start
    return text


@lru_cache(maxsize=64)
def compiled(source: bytes) -> CodeType:
    """The code of a module; the packages have most of their modules in common."""
    return compile(source, "module of a package", "exec", dont_inherit=True)


def load(_: SourceFileLoader, source: bytes, path: str) -> CodeType:  # noqa: ARG001 - the signature of the method
    """Compile a module without the comments at its head, which name the spec."""
    return compiled(re.sub(rb"\A(#.*\n)+", b"", source))


@contextmanager
def package(model: Model, folder: Path, module: str) -> Iterator[Version]:
    """The version whose peers use the model's package; the package is unloaded afterwards."""
    plan = make_plan(model).called({**model.packages, "python": {"distribution": module, "module": module}})
    for path, contents in render(registry()["python"], plan).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        with patch.object(SourceFileLoader, "source_to_code", load), patch.object(sys, "dont_write_bytecode", new=True):
            api = importlib.import_module(module)

        def read(type_: str, text: str, strict: bool) -> str | None:
            try:
                return str(api.examine(text, type_, strict=strict).variant)
            except api.DecodeError:
                return None

        yield Version(model, written(model), read)
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == module]:
            del sys.modules[name]


def exchange(folder: Path, chosen: list[list[Edit]]) -> int:
    """Compare each valid edited spec with the original; return how many of the chosen edits give a valid spec."""
    (folder / "spec").mkdir()
    (folder / "spec" / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    before = check(folder / "spec").model
    assert before is not None
    valid: dict[str, bool] = {}
    with package(before, folder / "old", "old_chat") as old:
        for number, some in enumerate(chosen):
            text = edited(some)
            if text in valid:
                continue  # many edits are drawn more than once
            (folder / "spec" / "protocol.yaml").write_text(text, encoding="utf-8")
            report = check(folder / "spec")
            valid[text] = not report.failed
            if not report.failed and report.model is not None:
                with package(report.model, folder / f"new{number}", f"chat_{number}") as new:
                    try:
                        compared(old, new)
                    except AssertionError as error:
                        raise AssertionError(f"{some}: {error}") from error
    return sum(valid[edited(some)] for some in chosen)


def draw(seed: int, count: int) -> list[list[Edit]]:
    random = Random(seed)  # noqa: S311 - edits, not secrets
    return [random.sample(edits(), random.choice((1, 2))) for _ in range(count)]


def test_a_few_edits(tmp_path: Path) -> None:
    assert exchange(tmp_path, draw(0, 20)) >= 10


@turn("edits of packages")
def test_many_edits(tmp_path: Path) -> None:
    assert exchange(tmp_path, draw(SEED, MANY)) >= MANY // 2
