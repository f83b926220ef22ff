"""Values and prose of the spec → Python source text that nothing in them can break out of, laid out as ruff would.

What a formatter decides by width is decided here the same way: what fits on a line stays on it, else one item a line
with a comma behind the last. Whatever hides, reorders or ends text is escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from functools import cache

from polywire.targets.text import Escapes

WIDTH = 120
"""The line length of generated Python; its pyproject.toml says the same."""

ESCAPED = Escapes(byte="\\x{:02x}", beyond="\\U{:08x}")
quoted, markdown = cache(ESCAPED.quoted), ESCAPED.markdown  # tables say the same few texts again and again


def fragment(text: str) -> str:
    """Text as it stands within a single-quoted f-string."""
    return ESCAPED(text.replace("\\", "\\\\").replace("'", "\\x27")).replace("{", "{{").replace("}", "}}")


def scalar(value: object) -> str:
    """A JSON scalar as a literal."""
    return quoted(value) if isinstance(value, str) else repr(value)


def literal(value: object, indent: int = 0, before: int = 0) -> str:
    """Nested tuples, lists, dicts and sets of scalars as a literal, whose last line ends what was begun.

    `indent` is that of the line it begins on, `before` the columns that stand on that line beside it, in front and
    behind.
    """
    flat = _flat(value)
    if not isinstance(value, (tuple, list, dict, frozenset)) or not value or indent + before + len(flat) <= WIDTH:
        return flat
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


def _flat(value: object) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{scalar(key)}: {_flat(item)}" for key, item in value.items())
    elif isinstance(value, (tuple, list, frozenset)):
        if isinstance(value, frozenset) and not value:
            return "frozenset()"
        inner = ", ".join(_flat(item) for item in _items(value))
        if isinstance(value, tuple) and len(value) == 1:
            inner += ","
    else:
        return scalar(value)
    opening, closing = _brackets(value)
    return opening + inner + closing


_ENDING = re.compile(r'"{3,}|\A"+|"+\Z')
"""Quotes that would begin or end a docstring too early."""


def docstring(doc: str, indent: int) -> str:
    """Prose as a docstring, wrapped; the first line is to be put behind `indent` spaces."""
    text = "\n".join(map(ESCAPED, doc.replace("\\", "\\\\").replace("\t", "    ").split("\n")))
    text = _ENDING.sub(lambda m: '\\"' * len(m[0]), text.strip())
    pad = " " * indent
    if "\n" not in text and indent + len(text) + 6 <= WIDTH:
        return f'"""{text}"""'
    lines: list[str] = []
    for line in text.split("\n"):
        room = WIDTH - indent - (0 if lines else 3)
        lines.extend(_wrapped(line, room) or [""])
    return (
        '"""'
        + "\n".join((pad + line if at and line else line).rstrip() for at, line in enumerate(lines))
        + f'\n{pad}"""'
    )


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def comma_list(head: str, items: list[str], tail: str, indent: int) -> str:
    """`head(a, b)tail`: on one line where it fits, else the items on one of their own, else one a line.

    `head` ends with the opening bracket, `tail` begins with the closing one.
    """
    pad = " " * indent
    flat = f"{head}{', '.join(items)}{tail}"
    if not items or indent + len(flat) <= WIDTH:
        return flat
    rows = "".join(f"{pad}    {item},\n" for item in items)
    return f"{head}\n{rows}{pad}{tail}"


def import_list(module: str, names: list[str], indent: int = 0) -> str:
    """`from module import a, b`, in parentheses and one name a line where it does not fit."""
    flat = f"from {module} import {', '.join(names)}"
    if indent + len(flat) <= WIDTH:
        return flat
    pad = " " * indent
    return f"from {module} import (\n" + "".join(f"{pad}    {name},\n" for name in names) + f"{pad})"


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key by which `a9` stands before `a10`."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part)


def import_order(name: str) -> tuple[object, ...]:
    """A sort key as linters have it for imports: CONSTANTS, then Classes, then the rest, whatever their case."""
    return (_rank(name), natural(name.lower()), name)


def export_order(name: str) -> tuple[object, ...]:
    """A sort key as linters have it for `__all__`: like imports, but capitals before small letters."""
    return (_rank(name), natural(name))


def _rank(name: str) -> int:
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2


def refusals(conditions: list[str], indent: int) -> list[str]:
    """The `if` lines that refuse a value under any of some conditions: as a rule one.

    Of two that do not fit on a line, each gets a line of its own; a formatter would break them unevenly.
    """
    bare = [condition[1:-1] if condition[0] + condition[-1] == "()" else condition for condition in conditions]
    flat = f"if {' or '.join(conditions)}:"
    if len(conditions) == 1 or (len(conditions) == 2 and indent + len(flat) > WIDTH):
        return [f"if {condition}:" for condition in bare]
    if indent + len(flat) <= WIDTH:
        return [flat]
    pad = " " * indent
    rows = f"\n{pad}    or ".join(conditions)
    return [f"if (\n{pad}    {rows}\n{pad}):"]


def guarded(variable: str, conditions: list[str], indent: int) -> str:
    """The `if` line that refuses a value that is not None under any of some conditions."""
    if len(conditions) == 1:
        return f"if {variable} is not None and {conditions[0]}:"
    flat = f"if {variable} is not None and ({' or '.join(conditions)}):"
    if indent + len(flat) <= WIDTH:
        return flat
    pad = " " * indent
    inner = " or ".join(conditions)
    if indent + 4 + len(inner) > WIDTH:
        inner = f"\n{pad}    or ".join(conditions)
    return f"if {variable} is not None and (\n{pad}    {inner}\n{pad}):"


def assigned(target: str, expression: str, indent: int) -> str:
    """`target = expression`, the expression in parentheses where it does not fit otherwise."""
    flat = f"{target} = {expression}"
    if indent + len(flat) <= WIDTH or " if " not in expression or expression[0] in "[{":
        return flat
    return _parenthesized(f"{target} = (", expression, indent)


def appended(expression: str, indent: int) -> str:
    """`items.append(expression)`, the expression on a line of its own where it does not fit otherwise."""
    flat = f"items.append({expression})"
    return flat if indent + len(flat) <= WIDTH else _parenthesized("items.append(", expression, indent)


def _parenthesized(head: str, expression: str, indent: int) -> str:
    pad = " " * indent
    if indent + 4 + len(expression) > WIDTH:
        expression = expression.replace(" else ", f"\n{pad}    else ").replace(" if ", f"\n{pad}    if ")
    return f"{head}\n{pad}    {expression}\n{pad})"


def bracketed(head: str, item: str, loop: str, tail: str, indent: int) -> str:
    """A comprehension, broken within its brackets where it does not fit."""
    flat = f"{head}{item} {loop}{tail}"
    if indent + len(flat) <= WIDTH:
        return flat
    pad = " " * indent
    inner = f"{item} {loop}"
    if indent + 4 + len(inner) > WIDTH:
        inner = f"{item}\n{pad}    {loop}"
    return f"{head}\n{pad}    {inner}\n{pad}{tail}"


def chained(targets: list[str], value: str, indent: int) -> list[str]:
    """`a = b = value`, as many lines of it as the width demands."""
    lines: list[list[str]] = [[]]
    for target in targets:
        if lines[-1] and indent + len(" = ".join([*lines[-1], target, value])) > WIDTH:
            lines.append([])
        lines[-1].append(target)
    return [" = ".join([*line, value]) for line in lines]


def joined(items: list[str], head: str, indent: int, *, operator: str = "|") -> str:
    """`head a | b`, in parentheses and one a line where it does not fit."""
    pad = " " * indent
    flat = f"{head}{f' {operator} '.join(items)}"
    if indent + len(flat) <= WIDTH or len(items) == 1:
        return flat
    row = f" {operator} ".join(items)
    if indent + 4 + len(row) > WIDTH:
        row = f"\n{pad}    {operator} ".join(items)
    return f"{head}(\n{pad}    {row}\n{pad})"
