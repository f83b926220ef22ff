"""Larger pieces of Python source, laid out as ruff would: what the templates call besides `layout`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from polywire.targets.python.construct import ConstructorView, Node
from polywire.targets.python.layout import WIDTH, comma_list, export_order, literal, natural, quoted


def assign(name: str, value: object) -> str:
    """`NAME = value`."""
    return f"{name} = {literal(value, 0, len(name) + 3)}"


def assign_list(name: str, items: Iterable[str]) -> str:
    """`NAME = ["a", "b"]`, sorted as linters want `__all__` to be."""
    return f"{name} = {literal(sorted(items, key=export_order), 0, len(name) + 3)}"


def assign_tuple(name: str, items: Iterable[str], indent: int) -> str:
    """`NAME = ("a", "b")`, sorted as linters want `__slots__` to be."""
    return f"{name} = {literal(tuple(sorted(items, key=natural)), indent, len(name) + 3)}"


def assign_dict(
    name: str,
    items: Mapping[str, object],
    *,
    raw_keys: bool = False,
    raw_values: bool = False,
    annotation: str | None = None,
) -> str:
    """`NAME: ANNOTATION = {…}`, one entry a line; raw keys or values are expressions, others become literals."""
    head = f"{name}: {annotation} = " if annotation else f"{name} = "
    if not items:
        return head + "{}"
    rows = []
    for key, value in items.items():
        start = f"{key if raw_keys else quoted(key)}: "
        rows.append(f"    {start}{value if raw_values else literal(value, 4, len(start) + 1)},\n")
    return f"{head}{{\n{''.join(rows)}}}"


def annotated(name: str, annotation: str, indent: int) -> str:
    """`name: annotation` (and a default), with a long union in parentheses."""
    flat = f"{name}: {annotation}"
    pad = " " * indent
    type_, _, default = annotation.partition(" = ")
    if indent + len(flat) <= WIDTH:
        return flat
    if " | " not in type_:
        return f"{name}: {type_} = (\n{pad}    {default}\n{pad})" if default else flat
    row = type_ if indent + 4 + len(type_) <= WIDTH else f"\n{pad}    | ".join(type_.split(" | "))
    return f"{name}: (\n{pad}    {row}\n{pad})" + (f" = {default}" if default else "")


def enum_alias(name: str, literals: list[str], base: str, *, is_open: bool) -> str:
    """The alias of an enum, and the private one of what is known of an open one."""
    known = f"_{name}Known" if is_open else name
    text = comma_list(f"{known}: TypeAlias = Literal[", literals, "]", 0)
    return f"{text}\n{name}: TypeAlias = {known} | {base}" if is_open else text


def all_of(conditions: list[str], indent: int) -> str:
    """`if a and b:`, broken before each `and` where it does not fit."""
    pad = " " * indent
    flat = f"if {' and '.join(conditions)}:"
    if indent + len(flat) <= WIDTH or len(conditions) == 1:
        return flat
    rows = f"\n{pad}    and ".join(conditions)
    return f"if (\n{pad}    {rows}\n{pad}):"


def fstring(head: str, pieces: list[tuple[str, bool]], indent: int) -> str:
    """`head f'…'`: one string where it fits, else one piece a line; a piece says whether it needs the `f`."""
    if len(pieces) > 1 and pieces[0][0] == "{{":
        pieces = [("{{" + pieces[1][0], True), *pieces[2:]]
    whole = _single("".join(text for text, _ in pieces), formatted=any(f for _, f in pieces))
    pad = " " * indent
    if indent + len(head) + len(whole) <= WIDTH:
        return head + whole
    if indent + 4 + len(whole) <= WIDTH:
        return f"{head}(\n{pad}    {whole}\n{pad})"
    if len(pieces) == 1:
        return head + whole
    rows = "".join(f"{pad}    {_single(text, formatted=True)}\n" for text, _ in pieces)
    return f"{head}(\n{rows}{pad})"


def _single(text: str, *, formatted: bool) -> str:
    formatted = formatted and ("{" in text or "}" in text)
    mark = '"' if '"' not in text else "'"
    return f"{'f' if formatted else ''}{mark}{text}{mark}"


def expression(node: Node | str, indent: int, before: int = 0, *, behind: int = 0) -> str:
    """The call that makes an object; `before` and `behind` are the columns beside it on its lines."""
    if isinstance(node, str):
        return node
    head = f"_model.{node.class_name}("
    flat = _flat(node)
    if indent + before + len(flat) + behind <= WIDTH or not node.arguments:
        return flat
    inner = indent + 4
    rows = "".join(
        f"{' ' * inner}{name}={expression(value, inner, len(name) + 1, behind=1)},\n" for name, value in node.arguments
    )
    return f"{head}\n{rows}{' ' * indent})"


def _flat(node: Node | str) -> str:
    if isinstance(node, str):
        return node
    return f"_model.{node.class_name}({', '.join(f'{name}={_flat(value)}' for name, value in node.arguments)})"


def parameters(view: ConstructorView) -> list[str]:
    """The parameters of a constructor, as its signature lists them."""
    found: list[str] = []
    for each in view.parameters:
        if each.keyword and "*" not in found:
            found.append("*")
        found.append(f"{each.name}: {each.annotation}" + (f" = {each.default}" if each.default is not None else ""))
    return found


def constructor_head(view: ConstructorView) -> str:
    """The `def` line of a constructor."""
    return comma_list(f"def {view.name}(", parameters(view), f") -> _model.{view.result}:", 0)


def signature(head: str, items: list[str], tail: str, indent: int) -> str:
    """A `def` line: where it does not fit, the parameters on a line of their own, else one a line."""
    flat = f"{head}{', '.join(items)}{tail}"
    pad = " " * indent
    if indent + len(flat) <= WIDTH:
        return flat
    if indent + 4 + len(", ".join(items)) <= WIDTH:
        return f"{head}\n{pad}    {', '.join(items)}\n{pad}{tail}"
    return comma_list(head, items, tail, indent)
