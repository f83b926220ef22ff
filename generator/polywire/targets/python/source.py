"""Larger pieces of Python source, formatted like ruff, which the templates use besides `layout`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from polywire.targets.common.document import HARD, LINE, Doc, Either, IfBroken, group, join, lay_out, listed, nest
from polywire.targets.python.construct import ConstructorView, Node, Preset
from polywire.targets.python.layout import (
    INDENT,
    WIDTH,
    comma_list,
    entries,
    export_order,
    literal,
    natural,
    parenthesized,
    quoted,
    union,
    within,
)


def assign(name: str, value: object, indent: int = 0) -> str:
    """`NAME = value`."""
    return lay_out((f"{name} = ", literal(value)), WIDTH, indent)


def assign_list(name: str, items: Iterable[str]) -> str:
    """`NAME = ["a", "b"]`, in the order that linters require for `__all__`."""
    return assign(name, sorted(items, key=export_order))


def assign_tuple(name: str, items: Iterable[str], indent: int) -> str:
    """`NAME = ("a", "b")`, in the order that linters require for `__slots__`."""
    return assign(name, tuple(sorted(items, key=natural)), indent)


def assign_dict(name: str, items: Mapping[Any, object]) -> str:
    """`NAME = {…}`, one entry per line."""
    return lay_out((f"{name} = ", entries(items, broken=True)), WIDTH)


def annotated(name: str, members: Sequence[str], default: Doc | None, indent: int) -> str:
    """`name: A | B = default`, with the text of the default, or else a long union, in parentheses."""
    has_room = isinstance(default, str) and indent + INDENT + len(default) <= WIDTH
    value = () if default is None else (" = ", parenthesized(default) if has_room else default)
    return lay_out((f"{name}: ", Either((" | ".join(members), union(members))), value), WIDTH, indent)


def assign_row(name: str, pieces: list[str]) -> str:
    """An entry of the table of rows: the text on one line if it fits, else on lines with as many pieces as fit."""
    rows = [""]
    for piece in _cut(pieces):
        if len(quoted(rows[-1] + piece)) > WIDTH - 8:
            rows.append("")
        rows[-1] += piece
    cut = ("(", nest(INDENT, *((HARD, quoted(row)) for row in rows)), HARD, ")")
    entry = (f"{quoted(name)}: ", Either((quoted("".join(pieces)), cut)), ",")
    return " " * INDENT + lay_out(entry, WIDTH, INDENT)


def _cut(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, with long ones split."""
    room = (WIDTH - 10) // 2
    for piece in pieces:
        yield from (piece[at : at + room] for at in range(0, len(piece), room))


def expression(node: Node, indent: int, before: int) -> str:
    """The call that creates an object, after `before` columns of a line indented by `indent`."""
    return lay_out(_call(node), WIDTH, indent, before)


def _call(node: Node | Preset | str) -> Doc:
    match node:
        case str():
            return node
        case Preset(value=value, type=None):
            return literal(value)
        case Preset(value=value, type=code):
            return listed(INDENT, "from_value(", [literal(value), literal(code)], ")")
    arguments = [(f"{name}=", _call(value)) for name, value in node.arguments]
    return listed(INDENT, f"{node.class_name}(", arguments, ")")


def parameters(view: ConstructorView) -> list[str]:
    """The parameters of a constructor, as in its signature."""
    found: list[str] = []
    for each in view.parameters:
        if each.keyword and "*" not in found:
            found.append("*")
        found.append(f"{each.name}: {each.annotation}" + (f" = {each.default}" if each.default is not None else ""))
    return found


def constructor_head(start: str, view: ConstructorView) -> str:
    """The first line of a constructor."""
    return comma_list(f"{start}{view.name}(", parameters(view), f") -> {view.result}:", 0)


def signature(head: str, items: Sequence[str], tail: str, indent: int) -> str:
    """A `def` line; if it does not fit, all parameters on one line, else one parameter per line."""
    return lay_out(within(head, group(join((",", LINE), items), IfBroken(",")), tail), WIDTH, indent)
