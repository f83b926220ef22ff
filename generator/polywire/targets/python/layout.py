"""Values and prose of the spec → safely escaped Python source text, formatted like ruff.

Characters that hide, reorder or end text are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from polywire.targets.common.document import LINE, SOFT, Doc, IfBroken, group, join, lay_out, listed, nest
from polywire.targets.common.text import Escapes, wrapped

WIDTH, INDENT = 120, 4
"""The line length of generated Python, which its pyproject.toml sets too, and its indentation."""

ESCAPED = Escapes(byte="\\x{:02x}", beyond="\\U{:08x}")
quoted, markdown = cache(ESCAPED.quoted), ESCAPED.markdown  # tables contain the same few strings many times


def scalar(value: object) -> str:
    """A JSON scalar as a literal."""
    return quoted(value) if isinstance(value, str) else repr(value).replace("e+", "e")


def literal(value: object) -> Doc:
    """Nested tuples, lists, dicts and sets of scalars as a literal."""
    match value:
        case dict():
            return entries(value)
        case list():
            return listed(INDENT, "[", [*map(literal, value)], "]")
        case (one,):
            return within("(", (literal(one), ","), ")")
        case tuple():
            return listed(INDENT, "(", [*map(literal, value)], ")")
        case frozenset() if value:
            items = join((",", LINE), map(literal, sorted(value, key=repr)))
            braces = ("{", nest(INDENT, SOFT, items, IfBroken(",")), SOFT, "}")
            return within("frozenset(", braces, ")")
        case _:
            return scalar(value)


def entries(value: Mapping[Any, object], *, broken: bool = False) -> Doc:
    """A dict of scalars as a literal."""
    return listed(INDENT, "{", [(scalar(key), ": ", literal(item)) for key, item in value.items()], "}", broken=broken)


_ENDING = re.compile(r'"{3,}|\A"+|"+\Z')
"""Quotes that would begin or end a docstring too early."""


def docstring(doc: str, indent: int) -> str:
    """Prose as a wrapped docstring; the caller puts the first line after `indent` spaces."""
    text = "\n".join(map(ESCAPED, doc.replace("\\", "\\\\").replace("\t", "    ").split("\n")))
    text = _ENDING.sub(lambda m: '\\"' * len(m[0]), text.strip())
    pad = " " * indent
    if "\n" not in text and indent + len(text) + 6 <= WIDTH:
        return f'"""{text}"""'
    lines: list[str] = []
    for line in text.split("\n"):
        room = WIDTH - indent - (0 if lines else 3)
        lines.extend(wrapped(line, room) or [""])
    # The formatter moves the closing quotes behind a single line, even beyond the limit.
    lines = wrapped(lines[0], len(lines[0]) - 1) if len(lines) == 1 else lines
    if len(lines) == 1:
        return f'"""{text}"""'
    body = "\n".join((pad + line if at and line else line).rstrip() for at, line in enumerate(lines))
    return '"""' + body + f'\n{pad}"""'


def within(opening: Doc, doc: Doc, closing: Doc) -> Doc:
    """A document in brackets, on lines of its own if it does not fit."""
    return group(opening, nest(INDENT, SOFT, doc), SOFT, closing)


def parenthesized(doc: Doc) -> Doc:
    """A document, in parentheses if it does not fit on the line."""
    return within(IfBroken("("), doc, IfBroken(")"))


def union(members: Sequence[str]) -> Doc:
    """`A | B`, in parentheses if it does not fit: on one line, else with one member per line.

    A single type breaks within its brackets.
    """
    if len(members) > 1:
        return parenthesized(group(join((LINE, "| "), members)))
    head, bracket, items = members[0].partition("[")
    return within(head + bracket, items[:-1], "]") if items.endswith("]") else members[0]


def comma_list(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """`head(a, b)tail`: on one line if it fits, else one item per line.

    `head` ends with the opening bracket, `tail` begins with the closing one.
    """
    return lay_out(listed(INDENT, head, items, tail), WIDTH, indent)


def getter(head: str, types: Sequence[str], tail: str, indent: int) -> str:
    """The `def` line of a property, from its head with the opening bracket."""
    return lay_out(within(head, ("self", IfBroken(",")), (") -> ", union(types), tail)), WIDTH, indent)


def import_list(module: str, names: list[str], indent: int = 0) -> str:
    """`from module import a, b`; if it does not fit, in parentheses with one name per line."""
    return lay_out((f"from {module} import ", parenthesized((join((",", LINE), names), IfBroken(",")))), WIDTH, indent)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts `a9` before `a10`."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part)


def import_order(name: str) -> tuple[object, ...]:
    """The sort key of linters for imports: CONSTANTS, then Classes, then the rest, case-insensitively."""
    return (_rank(name), natural(name.lower()), name)


def export_order(name: str) -> tuple[object, ...]:
    """The sort key of linters for `__all__`: like imports, but upper case before lower case."""
    return (_rank(name), natural(name))


def _rank(name: str) -> int:
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2


def joined(items: Sequence[str], head: str, indent: int) -> str:
    """`head a | b`; if it does not fit, in parentheses, except for a single type with brackets of its own."""
    is_union = len(items) > 1 or items[0].endswith("]")
    return lay_out((head, union(items) if is_union else parenthesized(items[0])), WIDTH, indent)
