"""A small protocol for drawing, with one of everything that can differ on the wire, and changed versions of it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TypeAlias

from polywire.model.nodes import Model
from written import model

Change: TypeAlias = "tuple[str, str]"
"""A text of the spec, and its replacement."""

SPEC = """\
polywire: 1
protocol:
  name: p
  title: P
  version: 1.0.0
  framing: ndjson
  peers: [a, b]
  roots: [Line, Ask, Answer, Settings]
  control:
    request: {envelope: Ask, id: /id, payload: /request, by: sub}
    response: {envelope: Answer, id: /response/id, result: /response/result}
    error: {envelope: Answer, id: /response/id, message: /response/error, data: /response/detail}
enums:
  Colour: {doc: C., open: true, values: {red: R., blue: B.}}
aliases:
  Id: {doc: I., type: string}
types:
  Base: {doc: B., fields: {id: Id, when?: timestamp}}
  Square: {doc: S., tag: {kind: square}, const: {sides: 4}, fields: {size: integer, notes?: "string[0..3]"}}
  Circle: {doc: C., tag: {kind: circle}, include: [Base], fields: {centre: Point}}
  Dot: {doc: D., tag: {kind: null}, include: [Base], fields: {at?: Point | null}}
  Point: {doc: P., fields: {x: number, y: number}}
  Left: {doc: L., fields: {left: string}}
  Right: {doc: R., fields: {right: string}}
  Given: {doc: G., fields: {id: string, result?: object, error?: string, detail?: json}}
messages:
  Draw: {doc: D., from: a, tag: {type: draw}, include: [Base], fields: {shape: Shape, colour?: Colour}}
  Undo: {doc: U., from: a, tag: {type: undo}, extra: string, fields: {turn: Turn}}
  Ask: {doc: A., from: both, tag: {type: ask}, fields: {id: string, request: Asked}}
  Answer: {doc: A., from: both, tag: {type: answer}, fields: {response: Given}}
unions:
  Shape: {doc: S., open: true, by: kind, variants: [Square, Circle, Dot]}
  Turn:
    doc: T.
    open: false
    by: keys
    variants: [{name: Left, when: {has: [left]}}, {name: Right, when: {lacks: [left]}}]
  Line: {doc: L., open: true, by: type, variants: [Draw, Undo]}
  Asked: {doc: A., open: true, by: sub}
options:
  Settings: {doc: S., fields: {speed?: number, on_end?: {callback: {params: {at: Point}}}}}
controls:
  stop: {doc: S., from: a, request: {why?: string}, response: none}
  start: {doc: S., from: a, response: Point}
tools:
  pen: {doc: P., input: Point, output: string}
"""


@cache
def drawing(*changes: Change) -> Model:
    """Return the protocol with texts replaced, each of which must occur in it."""
    text = SPEC
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        return model(Path(folder), "", header=text)
