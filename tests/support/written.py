"""Specs as text, for tests of reading and resolving: written into a folder, loaded, built."""

from __future__ import annotations

import textwrap
from pathlib import Path

from polywire.model.build import Built, build
from polywire.model.nodes import Model
from polywire.source import load

HEADER = """\
polywire: 1
protocol: {name: p, title: P, version: 1.0.0, framing: ndjson, peers: [a, b], roots: []}
"""
CONTROL = HEADER.replace(
    "roots: []",
    "roots: [Ask, Answer], control: {request: {envelope: Ask, id: /id, payload: /request, by: sub},"
    " response: {envelope: Answer, id: /response/id, result: /response/result}}",
)
"""A header of a protocol with controls."""


def write(folder: Path, body: str, dialect: str | None = None, header: str = HEADER, **files: str) -> str | None:
    """Write a spec whose entry is `header` and then `body`; a dialect is called `d`. Return the dialect's name."""
    entry = header + textwrap.dedent(body)
    overlay = {} if dialect is None else {"dialects/d.yaml": "dialect: d\n" + textwrap.dedent(dialect)}
    for name, text in {"protocol.yaml": entry, **overlay, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return None if dialect is None else "d"


def built(folder: Path, body: str, dialect: str | None = None, header: str = HEADER, **files: str) -> Built:
    return build(load(folder, write(folder, body, dialect, header, **files)))


def model(folder: Path, body: str, dialect: str | None = None, header: str = HEADER, **files: str) -> Model:
    """Return the model of a spec without errors."""
    made = built(folder, body, dialect, header, **files)
    assert [(str(f.place), f.rule, f.message) for f in made.findings] == []
    assert made.model is not None
    return made.model


def found(folder: Path, body: str, dialect: str | None = None, header: str = HEADER, **files: str) -> list[str]:
    """Return the findings as `FILE:LINE:COLUMN RULE`; lines of the body are counted from 1."""
    shift = {"protocol.yaml": header.count("\n"), "dialects/d.yaml": 1}
    return [
        f"{f.place.file}:{f.place.line - shift.get(f.place.file, 0)}:{f.place.column} {f.rule}"
        for f in built(folder, body, dialect, header, **files).findings
    ]
