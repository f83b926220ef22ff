"""Differences → text for people, JSON for programs, and a Markdown table for pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

from polywire.checks.report import Paint, painter
from polywire.checks.text import visible
from polywire.evolve.diff.records import Difference, Side
from polywire.evolve.diff.rows import Row, rows
from polywire.ground.location import SourceLocation
from polywire.ground.words import counted
from polywire.model.nodes import Model

FEW_TYPES = 3
"""Maximum number of types named in a cell; more are only counted."""

Format: TypeAlias = Literal["text", "json", "markdown"]


@dataclass(frozen=True, slots=True)
class Spec:
    """One of the two compared specs."""

    label: str
    """The label shown to people."""
    folder: Path
    """The folder as given on the command line; locations are shown relative to it."""
    model: Model
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The text of every file, by its path below the folder, if lines of it are to be shown."""

    def path(self, place: SourceLocation) -> str:
        return PurePath(self.folder, place.file).as_posix()

    def at(self, place: SourceLocation) -> dict[str, object]:
        """Return a location for programs; empty if there is none."""
        return {"file": self.path(place), "line": place.line, "column": place.column} if place.file else {}

    @property
    def about(self) -> dict[str, object]:
        """The description of the spec for programs."""
        protocol = self.model.protocol
        return {
            "spec": self.folder.as_posix(),
            "dialect": self.model.dialect,
            "protocol": protocol.name,
            "version": protocol.version,
            "hash": self.model.spec_hash,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two specs and the differences between them."""

    before: Spec
    after: Spec
    differences: tuple[Difference, ...]

    def render(self, form: Format = "text", *, colour: bool = False) -> str:
        r"""Render as text, a JSON object or a Markdown table; each line ends in `\n`. `colour` is for text only."""
        return _FORMATS[form](self, colour)


# --- text ------------------------------------------------------------------------------------------------------

_COLOURS = {"+": "32", "-": "31", "~": "33", "name": "1", "dim": "2"}


def _text(comparison: Comparison, colour: bool) -> str:
    paint = painter(_COLOURS, on=colour)
    lines: list[str] = []
    for _, block in groupby(rows(comparison.differences), key=lambda row: (row.name, row.about, row.types)):
        together = list(block)
        lines += [paint(_title(together[0]), "name"), *_lines(comparison, together, paint), ""]
    return "".join(f"{line}\n" for line in [*lines, _summary(comparison)])


def _title(row: Row) -> str:
    return visible(row.name or row.about) + (f", in {', '.join(map(visible, row.types))}" if row.types else "")


def _lines(comparison: Comparison, together: list[Row], paint: Paint) -> Iterator[str]:
    for row in together:
        what = "" if row.what == "gone" else f"{row.what} "
        if row.sign == "~":
            text = f"{_listed(row.before)} → {_listed(row.after)}"
        else:
            text = _listed(row.before or row.after) + _rest(row)
        spec = comparison.before if row.sign == "-" else comparison.after
        where = f"  {spec.path(row.place)}:{row.place.line}" if row.place.file else ""
        yield f"  {paint(f'{row.sign} {what}', row.sign)}{text}{paint(visible(where), 'dim') if where else ''}"


def _listed(texts: tuple[str, ...]) -> str:
    return visible(", ".join(texts))


def _rest(row: Row) -> str:
    return f", … and {row.left_out} more" if row.left_out else ""


def _summary(comparison: Comparison) -> str:
    before, after = visible(comparison.before.label), visible(comparison.after.label)
    if not comparison.differences:
        return f"{before} → {after}: the same on the wire"
    return f"{before} → {after}: {counted(len(comparison.differences), 'difference')}"


# --- JSON ------------------------------------------------------------------------------------------------------


def _json(comparison: Comparison, colour: bool) -> str:  # noqa: ARG001 - all forms have the same signature
    before, after = comparison.before, comparison.after
    found = {
        "before": before.about,
        "after": after.about,
        "differences": [
            {"rule": d.rule, "before": _side_json(before, d.before), "after": _side_json(after, d.after)}
            for d in comparison.differences
        ],
    }
    return json.dumps(found, indent=2) + "\n"


def _side_json(spec: Spec, side: Side) -> dict[str, object]:
    return {"name": side.name, "key": side.key, "text": side.text, "types": list(side.types), **spec.at(side.place)}


# --- Markdown --------------------------------------------------------------------------------------------------


def _markdown(comparison: Comparison, colour: bool) -> str:  # noqa: ARG001 - all forms have the same signature
    if not comparison.differences:
        return "The same on the wire.\n"
    head = ("where", "what", prose(comparison.before.label), prose(comparison.after.label))
    body = (f"| {' | '.join(_cells(row))} |\n" for row in _side_by_side(rows(comparison.differences)))
    return f"| {' | '.join(head)} |\n|---|---|---|---|\n{''.join(body)}"


def _side_by_side(found: Iterable[Row]) -> Iterator[Row]:
    """Merge rows so that removals and additions of the same kind are side by side."""
    beside: dict[object, Row] = {}
    for row in found:
        key: object = row if row.sign == "~" else (row.name, row.about, row.types, row.what)
        first = beside.setdefault(key, row)
        if first is not row:
            beside[key] = replace(first, before=first.before or row.before, after=first.after or row.after)
    yield from beside.values()


def _cells(row: Row) -> Iterator[str]:
    yield (code(row.name) if row.name else prose(row.about)) + _lent(row.types)
    yield row.what
    yield ", ".join(map(code, row.before)) + _rest(row) or "-"
    yield ", ".join(map(code, row.after)) or "-"


def _lent(types: tuple[str, ...]) -> str:
    """Return the types that have it from a mixin, if they fit into the cell."""
    if not types:
        return ""
    return f" in {', '.join(map(code, types)) if len(types) <= FEW_TYPES else counted(len(types), 'type')}"


def code(text: str) -> str:
    """Return a code span for a cell: a `|` in it does not end the cell."""
    return span(text.replace("|", "\\|"))


def span(text: str) -> str:
    """Return a code span for use outside of tables: its fence is longer than any inside."""
    shown = visible(text)
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str) -> str:
    """Return text for a cell without any markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|~!])", r"\\\1", visible(text))


_FORMATS: Mapping[str, Callable[[Comparison, bool], str]] = {"text": _text, "json": _json, "markdown": _markdown}
