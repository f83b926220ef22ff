"""Pages → the search index, as a script: a page opened from a disk may load scripts, but no data.

The script also has the releases that the spec covers, the oldest first. One row per page: its kind, name, address,
summary and members. A member is only its name if its anchor follows from the name, otherwise both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from polywire.model.nodes import Model
from polywire.plan.tables import tables_plan
from polywire.reading.docs.prose import brief
from polywire.reading.docs.views import CONTROLS, TABLES, TOOLS, TREES, Views
from polywire.targets.common.text import VISIBLE

Row: TypeAlias = "list[object]"


def script(mark: str, releases: Sequence[str], rows: Iterable[Row]) -> bytes:
    """Return the file that the pages load before the others."""
    lines = ",\n".join(map(_json, rows))
    return f'// {mark}\n"use strict";\n\nconst RELEASES = {_json(releases)};\n\nconst INDEX = [\n{lines}\n];\n'.encode()


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def rows(model: Model, views: Views) -> Iterator[Row]:
    """Yield every declaration with its members, every control, every tool, tree and table."""
    for path, page in views.types():
        first = brief(model.declarations[page.name].about.doc)
        yield ["", page.name, path, VISIBLE(f"{page.what}. {first}"), [_member(row.key, row.id) for row in page.rows]]
    for control, row in zip(model.controls, getattr(views.controls(), "controls", ()), strict=True):
        kind = "notification" if control.is_notification else "control"
        yield [kind, VISIBLE(control.key), f"{CONTROLS}#{row.id}", VISIBLE(brief(control.about.doc)), []]
    for tool, row in zip(model.tools, getattr(views.tools(), "tools", ()), strict=True):
        yield ["tool", VISIBLE(tool.pattern), f"{TOOLS}#{row.id}", VISIBLE(brief(tool.about.doc)), []]
    for tree, row in zip(model.trees, getattr(views.trees(), "trees", ()), strict=True):
        yield ["tree", VISIBLE(tree.name), f"{TREES}#{row.id}", VISIBLE(brief(tree.about.doc)), []]
    for plan, table in zip(tables_plan(model).tables, getattr(views.tables(), "tables", ()), strict=True):
        yield ["table", VISIBLE(plan.name), f"{TABLES}#{table.id}", VISIBLE(brief(plan.table.about.doc)), []]


def _member(key: str, anchor: str) -> object:
    shown = VISIBLE(key)
    return shown if anchor == f"m-{shown}" else [shown, anchor]
