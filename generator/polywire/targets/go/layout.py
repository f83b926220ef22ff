"""Values and prose of the spec → safely escaped Go source text, formatted like gofmt.

gofmt aligns the columns of neighbouring lines and re-flows some comments; the output of this module is already in that
form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from polywire.ground.json_values import dumps
from polywire.targets.common.document import LINE, SOFT, IfBroken, group, lay_out
from polywire.targets.common.text import Escapes, wrapped

WIDTH = 100
"""The width at which comments are wrapped; gofmt itself breaks no lines."""

ESCAPED = Escapes(byte="\\u{:04x}", beyond="\\U{:08x}")


def _surrogate(match: re.Match[str]) -> str:
    """A lone surrogate as the three bytes that represent it in the package."""
    code = ord(match[0])
    return f"\\x{0xE0 | code >> 12:02x}\\x{0x80 | code >> 6 & 0x3F:02x}\\x{0x80 | code & 0x3F:02x}"


def quoted(text: str) -> str:
    """A string literal."""
    body = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + ESCAPED(re.sub("[\ud800-\udfff]", _surrogate, body)) + '"'


def raw(text: str) -> str:
    """A string literal, between backquotes if possible."""
    return f"`{text}`" if text.isprintable() and "`" not in text else quoted(text)


def literal(value: str | bool | float | None) -> str:
    """A JSON scalar as a literal."""
    return "nil" if value is None else quoted(value) if isinstance(value, str) else dumps(value)


class Source(str):
    """Go source text as an element of a composite literal, in contrast to the value of a string."""

    __slots__ = ()


def wire_value(value: str | bool | float | None) -> Source:
    """A value as the engine compares it, with numbers as doubles."""
    return Source(literal(value) if value is None or isinstance(value, (str, bool)) else f"float64({value})")


def composite(go: str, value: Mapping[str, object] | Sequence[object]) -> Source:
    """A composite literal of a type; a struct by names leaves out members that are None, false or empty."""
    if isinstance(value, Mapping):
        parts = [f"{name}: {element(each)}" for name, each in value.items() if each]
    else:
        parts = list(map(element, value))
    return Source(f"{go}{{{', '.join(parts)}}}")


def listed(go: str, items: Iterable[object]) -> Source | None:
    """A slice of a type; None if it is empty."""
    found = tuple(items)
    return composite(f"[]{go}", found) if found else None


def lines(go: str, items: Iterable[object]) -> Source:
    """A slice of a type with each item on a line of its own, or on several."""
    rows = [f"\t{element(each)},".replace("\n", "\n\t") for each in items]
    return Source("\n".join([f"[]{go}{{", *rows, "}"]) if rows else f"[]{go}{{}}")


def element(value: object) -> str:
    """A value in a composite literal; a tuple has the type of the literal's elements."""
    match value:
        case Source():
            return value
        case tuple():
            return composite("", value)
        case bool() | str() | None:
            return literal(value)
        case _:
            return f"{'int64' if isinstance(value, int) else 'float64'}({value})"


ONE_LINE = 99
"""The length of head and statement up to which gofmt keeps a function on one line."""


def function(head: str, statement: str = "") -> str:
    """A function with at most one statement, on as many lines as gofmt would use."""
    body = (LINE, IfBroken("\t"), statement, LINE) if statement else (SOFT,)
    return lay_out(group(head, " {", *body, "}"), ONE_LINE + len(" {  }" if statement else " {}"))


_MARKER = re.compile(r"(?:[-*+•#]|[0-9]+[.)])(?:\s|$)|\[[^\]]*\]:|//|\+build|\S+:$|[A-Z]+\([^)]*\):")
"""Text that gofmt, vet or pkgsite reads as a list, a heading, a link or a directive at the beginning of a line."""

_QUOTES = re.compile("``|''")
"""Pairs of characters that gofmt replaces by curly quotes."""


def comment(text: str, indent: int = 0) -> str:
    """Prose as a wrapped comment; each line but the first is indented by `indent` tabs."""
    pad = "\t" * indent
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if lines:
            lines.append("")
        lines += _wrapped(_QUOTES.sub('"', ESCAPED(" ".join(paragraph.split()))), WIDTH - 4 * indent - 3)
    return f"\n{pad}".join(f"// {line}".rstrip() for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    lines = wrapped(text, width)
    for at in range(1, len(lines)):
        while _MARKER.match(lines[at]) and " " in lines[at - 1]:
            lines[at - 1], _, word = lines[at - 1].rpartition(" ")
            lines[at] = f"{word} {lines[at]}"
    return [f"\\{line}" if _MARKER.match(line) else line for line in lines]


Row: TypeAlias = "tuple[str | None, tuple[str, ...]]"
"""The comment of a field or constant, and its cells."""


def aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows of cells → lines with aligned columns, one space apart, as gofmt formats neighbouring lines."""
    rows = list(rows)
    width = max(map(len, rows), default=0)
    columns = [max((len(row[at]) for row in rows if at < len(row) - 1), default=0) for at in range(width)]
    return [
        " ".join(cell.ljust(columns[at]) if at < len(row) - 1 else cell for at, cell in enumerate(row)) for row in rows
    ]


def blocks(rows: Iterable[Row], indent: int = 1) -> str:
    """Rows, some with a comment → the lines between brackets; columns are aligned between comments."""
    pad = "\t" * indent
    runs: list[tuple[str | None, list[tuple[str, ...]]]] = []
    for doc, cells in rows:
        if doc or not runs:
            runs.append((doc, []))
        runs[-1][1].append(cells)
    found = ((*([comment(doc, indent)] if doc else []), *aligned(run)) for doc, run in runs)
    return "\n".join(f"{pad}{line}" for lines in found for line in lines)


_TAG = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_.]")
"""Keys that a struct tag can contain."""

UNTAGGED = '`json:"-"`'


def json_tag(key: str, omit: str = "") -> str:
    """The tag of a field; `omit` is the omit option, or empty."""
    return f'`json:"{key}{omit and f",{omit}"}"`' if _TAG.fullmatch(key) else UNTAGGED


class Mentions(Protocol):
    """A part of a file."""

    @property
    def types(self) -> Iterable[str]:
        """The Go types that it mentions."""


PACKAGES = {"context": "context", "json": "encoding/json", "uuid": "github.com/google/uuid"}
"""The packages that Go types mention, by the name that they are mentioned by."""


def imports(*parts: Iterable[Mentions]) -> str:
    """The lines that import what parts of a file mention, the packages of the standard library first."""
    types = [type_ for part in parts for each in part for type_ in each.types]
    paths = [path for name, path in PACKAGES.items() if any(f"{name}." in type_ for type_ in types)]
    groups = [path for path in paths if "." not in path], [path for path in paths if "." in path]
    return "\n\n".join("\n".join(f'\t"{path}"' for path in group) for group in groups if group)
