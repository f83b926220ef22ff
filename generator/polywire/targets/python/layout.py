"""Values and prose of the spec → safely escaped Python source text, formatted like ruff.

Line breaks follow the formatter's rule: what fits on a line stays on it; otherwise each item gets a line, with a comma
after the last. Characters that hide, reorder or end text are escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from functools import cache

from polywire.targets.common.text import Escapes

WIDTH = 120
"""The line length of generated Python; its pyproject.toml sets the same."""

ESCAPED = Escapes(byte="\\x{:02x}", beyond="\\U{:08x}")
quoted, markdown = cache(ESCAPED.quoted), ESCAPED.markdown  # tables contain the same few strings many times


def scalar(value: object) -> str:
    """A JSON scalar as a literal."""
    return quoted(value) if isinstance(value, str) else repr(value).replace("e+", "e")


def literal(value: object, indent: int = 0, before: int = 0) -> str:
    """Nested tuples, lists, dicts and sets of scalars as a literal.

    `indent` is the indentation of the line on which it begins; `before` is the number of other columns on that line,
    before and after it.
    """
    line = flat(value)
    if not isinstance(value, (tuple, list, dict, frozenset)) or not value or indent + before + len(line) <= WIDTH:
        return line
    inner = indent + 4
    pad = " " * inner
    if isinstance(value, dict):
        rows = [f"{pad}{scalar(key)}: {literal(item, inner, len(scalar(key)) + 3)},\n" for key, item in value.items()]
    else:
        rows = [f"{pad}{literal(item, inner, 1)},\n" for item in _items(value)]
    opening, closing = _brackets(value)
    if isinstance(value, frozenset):
        rows = [f"    {row}" for row in rows]
        opening, closing = f"frozenset(\n{pad}{{", f"{pad}}}\n{' ' * indent})"
        return f"{opening}\n{''.join(rows)}{closing}"
    return f"{opening}\n{''.join(rows)}{' ' * indent}{closing}"


def _items(value: Iterable[object]) -> list[object]:
    return sorted(value, key=repr) if isinstance(value, frozenset) else list(value)


def _brackets(value: object) -> tuple[str, str]:
    match value:
        case dict():
            return "{", "}"
        case list():
            return "[", "]"
        case tuple():
            return "(", ")"
        case _:
            return "frozenset({", "})"


def flat(value: object) -> str:
    """The same literal on one line of any length."""
    if isinstance(value, dict):
        inner = ", ".join(f"{scalar(key)}: {flat(item)}" for key, item in value.items())
    elif isinstance(value, (tuple, list, frozenset)):
        if isinstance(value, frozenset) and not value:
            return "frozenset()"
        inner = ", ".join(flat(item) for item in _items(value))
        if isinstance(value, tuple) and len(value) == 1:
            inner += ","
    else:
        return scalar(value)
    opening, closing = _brackets(value)
    return opening + inner + closing


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
        lines.extend(_wrapped(line, room) or [""])
    if len(lines) == 1:  # the formatter moves the closing quotes behind a single line, even beyond the limit
        lines = _wrapped(lines[0], len(lines[0]) - 1)
    if len(lines) == 1:
        return f'"""{text}"""'
    return (
        '"""'
        + "\n".join((pad + line if at and line else line).rstrip() for at, line in enumerate(lines))
        + f'\n{pad}"""'
    )


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def comma_list(head: str, items: list[str], tail: str, indent: int) -> str:
    """`head(a, b)tail`: on one line if it fits, else all items on one line, else one item per line.

    `head` ends with the opening bracket, `tail` begins with the closing one.
    """
    pad = " " * indent
    flat = f"{head}{', '.join(items)}{tail}"
    if not items or indent + len(flat) <= WIDTH:
        return flat
    rows = "".join(f"{pad}    {item},\n" for item in items)
    return f"{head}\n{rows}{pad}{tail}"


def import_list(module: str, names: list[str], indent: int = 0) -> str:
    """`from module import a, b`; if it does not fit, in parentheses with one name per line."""
    flat = f"from {module} import {', '.join(names)}"
    if indent + len(flat) <= WIDTH:
        return flat
    pad = " " * indent
    return f"from {module} import (\n" + "".join(f"{pad}    {name},\n" for name in names) + f"{pad})"


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


def joined(items: Sequence[str], head: str, indent: int, *, operator: str = "|") -> str:
    """`head a | b`; if it does not fit, in parentheses with one member per line."""
    pad = " " * indent
    flat = f"{head}{f' {operator} '.join(items)}"
    if indent + len(flat) <= WIDTH or len(items) == 1:
        return flat
    row = f" {operator} ".join(items)
    if indent + 4 + len(row) > WIDTH:
        row = f"\n{pad}    {operator} ".join(items)
    return f"{head}(\n{pad}    {row}\n{pad})"
