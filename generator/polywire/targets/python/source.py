"""Larger pieces of Python source, formatted like ruff, which the templates use besides `layout`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from polywire.targets.python import layout
from polywire.targets.python.construct import ConstructorView, Node, Preset
from polywire.targets.python.layout import WIDTH, comma_list, export_order, literal, natural, quoted, scalar


def assign(name: str, value: object) -> str:
    """`NAME = value`."""
    return f"{name} = {literal(value, 0, len(name) + 3)}"


def assign_list(name: str, items: Iterable[str]) -> str:
    """`NAME = ["a", "b"]`, in the order that linters require for `__all__`."""
    return f"{name} = {literal(sorted(items, key=export_order), 0, len(name) + 3)}"


def assign_tuple(name: str, items: Iterable[str], indent: int) -> str:
    """`NAME = ("a", "b")`, in the order that linters require for `__slots__`."""
    return f"{name} = {literal(tuple(sorted(items, key=natural)), indent, len(name) + 3)}"


def assign_dict(
    name: str,
    items: Mapping[Any, object],
    *,
    raw_keys: bool = False,
    raw_values: bool = False,
    annotation: str | None = None,
) -> str:
    """`NAME: ANNOTATION = {…}`, one entry per line; raw keys or values are expressions, others become literals."""
    head = f"{name}: {annotation} = " if annotation else f"{name} = "
    if not items:
        return head + "{}"
    rows = []
    for key, value in items.items():
        start = f"{key if raw_keys else scalar(key)}: "
        rows.append(f"    {start}{value if raw_values else literal(value, 4, len(start) + 1)},\n")
    return f"{head}{{\n{''.join(rows)}}}"


def annotated(name: str, members: Sequence[str], default: str | None, indent: int) -> str:
    """`name: A | B = default`, with a long union or default in parentheses."""
    type_, pad = " | ".join(members), " " * indent
    value = f" = {default}" if default else ""
    if indent + len(flat := f"{name}: {type_}{value}") <= WIDTH:
        return flat
    if len(members) == 1:
        return f"{name}: {type_} = (\n{pad}    {default}\n{pad})" if default else flat
    row = type_ if indent + 4 + len(type_) <= WIDTH else f"\n{pad}    | ".join(members)
    return f"{name}: (\n{pad}    {row}\n{pad}){value}"


def assign_row(name: str, pieces: list[str]) -> str:
    """An entry of the table of rows: the text on one line if it fits, else on lines with as many pieces as fit."""
    text = _string("".join(pieces))
    if len(name) + len(text) + 9 <= WIDTH:
        return f"    {quoted(name)}: {text},"
    rows = [""]
    for piece in _cut(pieces):
        if len(_string(rows[-1] + piece)) > WIDTH - 8:
            rows.append("")
        rows[-1] += piece
    return f"    {quoted(name)}: (\n" + "".join(f"        {_string(row)}\n" for row in rows) + "    ),"


def _cut(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, with long ones split."""
    room = (WIDTH - 10) // 2
    for piece in pieces:
        yield from (piece[at : at + room] for at in range(0, len(piece), room))


def _string(text: str) -> str:
    """Text as a literal, with the quotes that the formatter prefers."""
    plain = text.replace("\\", "\\\\")
    single, double = text.count("'"), text.count('"')
    return "'" + plain.replace("'", "\\'") + "'" if double > single else '"' + plain.replace('"', '\\"') + '"'


def expression(node: Node | Preset | str, indent: int, before: int = 0, *, behind: int = 0) -> str:
    """The call that creates an object; `before` and `behind` are the columns before and after it on its lines."""
    if isinstance(node, str):
        return node
    if isinstance(node, Preset) and node.type is None:
        return literal(node.value, indent, before + behind)
    flat = _flat(node)
    if indent + before + len(flat) + behind <= WIDTH:
        return flat
    inner = indent + 4
    if isinstance(node, Preset):
        arguments = [literal(each, inner, 1) for each in (node.value, node.type)]
    else:
        arguments = [f"{name}={expression(value, inner, len(name) + 1, behind=1)}" for name, value in node.arguments]
    rows = "".join(f"{' ' * inner}{each},\n" for each in arguments)
    head = "from_value" if isinstance(node, Preset) else node.class_name
    return f"{head}(\n{rows}{' ' * indent})" if rows else flat


def _flat(node: Node | Preset | str) -> str:
    match node:
        case str():
            return node
        case Preset(value=value, type=None):
            return layout.flat(value)
        case Preset(value=value, type=code):
            return f"from_value({layout.flat(value)}, {layout.flat(code)})"
    return f"{node.class_name}({', '.join(f'{name}={_flat(value)}' for name, value in node.arguments)})"


def parameters(view: ConstructorView) -> list[str]:
    """The parameters of a constructor, as in its signature."""
    found: list[str] = []
    for each in view.parameters:
        if each.keyword and "*" not in found:
            found.append("*")
        found.append(f"{each.name}: {each.annotation}" + (f" = {each.default}" if each.default is not None else ""))
    return found


def constructor_head(view: ConstructorView) -> str:
    """The `def` line of a constructor."""
    return comma_list(f"def {view.name}(", parameters(view), f") -> {view.result}:", 0)


def signature(head: str, items: list[str], tail: str, indent: int) -> str:
    """A `def` line; if it does not fit, all parameters on one line, else one parameter per line."""
    flat = f"{head}{', '.join(items)}{tail}"
    pad = " " * indent
    if indent + len(flat) <= WIDTH:
        return flat
    if indent + 4 + len(", ".join(items)) <= WIDTH:
        return f"{head}\n{pad}    {', '.join(items)}\n{pad}{tail}"
    return comma_list(head, items, tail, indent)
