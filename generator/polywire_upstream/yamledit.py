"""The text of a YAML file and a path in it → the text with an entry added or changed; the rest stays as written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import yaml

from polywire.source.hiding import LOADER

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\??|\d+\.\d+\.\d+")
_OPTIONAL = re.compile(r"(?<![^{])[A-Za-z_][A-Za-z0-9_./-]*\?(?=:)")
"""A key in braces that PyYAML's own parser does not read without quotes."""
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


class EditError(LookupError):
    """The path is not in the file, or its value is written in a form that cannot be edited; the message says which."""


def key(text: str) -> str:
    """Write a text as a key or a value."""
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    """Write a character between quotes, where a line break is a space, and characters that do not print are errors."""
    if letter in '"\\':
        return f"\\{letter}"
    if "\ud800" <= letter <= "\udfff":
        raise EditError("a text of upstream has half of a surrogate pair, which YAML does not have")
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def scalar(text: str) -> str:
    """Write a type expression as a value in a block."""
    is_plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_ |<>\[\],()]*", text) and not text.endswith(",")
    return text if is_plain and text not in _RESERVED else key(text)


def in_braces(value: str) -> str:
    """Write a value of a block as one in braces, where some characters need quotes."""
    return key(value) if value[:1] not in {'"', "{", "["} and {*value} & {*",[]{}"} else value


def entry_in_braces(row: str) -> str:
    """Write `key: value`, a row of a block, as an entry in braces."""
    name, colon, value = row.strip().partition(": ")
    return f"{name}{colon}{in_braces(value)}"


def text(value: str) -> str:
    """Write prose as a value in a block."""
    return value if re.fullmatch(r"[A-Za-z][A-Za-z0-9_./, -]*", value) else key(value)


@lru_cache(maxsize=8)
def _composed(text: str) -> yaml.Node | None:
    """Return the node tree of a text, cached for successive lookups."""
    return yaml.compose(text, Loader=LOADER)


def find(text: str, path: Sequence[str]) -> tuple[yaml.Node, yaml.Node]:
    """Return the nodes of the key and the value at a path of keys; `name` matches `name?` as well."""
    node: yaml.Node | None = _composed(text)
    at: yaml.Node | None = None
    for step in path:
        if not isinstance(node, yaml.MappingNode):
            raise EditError(f"{'/'.join(path)}: {step} is not in a mapping")
        pair = next((pair for pair in node.value if pair[0].value in (step, f"{step}?")), None)
        if pair is None:
            raise EditError(f"{'/'.join(path)}: {step} does not exist")
        at, node = pair
    if at is None or node is None:
        raise EditError("an empty path")
    return at, node


def files(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the spec's YAML files: a spec may refer to others, such as its licence text."""
    return {name: text for name, text in texts.items() if name.endswith(".yaml")}


def has(text: str, path: Sequence[str]) -> bool:
    """Return whether there is anything at a path."""
    try:
        find(text, path)
    except EditError:
        return False
    return True


def add(text: str, path: Sequence[str], block: Sequence[str], flow: str) -> str:
    """Append an entry to a mapping or list: `block`, or `flow` if it is written in flow style."""
    _, node = find(text, path)
    if not isinstance(node, yaml.CollectionNode):
        raise EditError(f"{'/'.join(path)}: not a mapping or a list")
    if node.flow_style:
        if node.start_mark.line != node.end_mark.line and not node.value:
            raise EditError(f"{'/'.join(path)}: empty, and on several lines")
        flow = _OPTIONAL.sub(r'"\g<0>"', flow)
        return _spliced(text, node.end_mark.index - 1, node.end_mark.index - 1, f", {flow}" if node.value else flow)
    indent = node.start_mark.column
    lines = text.split("\n")
    last = _last_line(lines, node)
    if block[:1] == [""] and "".join(lines[last + 1 : last + 2]):
        block = [*block, ""]
    return "\n".join(
        [*lines[: last + 1], *(f"{' ' * indent}{line}" if line else "" for line in block), *lines[last + 1 :]]
    )


def insert_item(text: str, path: Sequence[str], after: str, item: str) -> str:
    """Insert a text after another one in a list."""
    _, node = find(text, path)
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    at = next((each for each in items if each.value == after), None)
    if at is None:
        raise EditError(f"{'/'.join(path)}: {after} does not exist")
    return _behind(text, node, at, f"- {item}", item)


def insert_entry(text: str, path: Sequence[str], after: str, row: str) -> str:
    """Insert `key: value`, both texts, after another entry of a mapping."""
    _, node = find(text, path)
    _, at = find(text, [*path, after])
    return _behind(text, node, at, row, row)


def _behind(text: str, node: yaml.Node, at: yaml.Node, block: str, flow: str) -> str:
    """Insert an entry after a one-line text in a mapping or list."""
    is_flow = isinstance(node, yaml.CollectionNode) and node.flow_style
    put = f", {flow}" if is_flow else f"\n{' ' * node.start_mark.column}{block}"
    return _spliced(text, at.end_mark.index, at.end_mark.index, put)


def path_to(text: str, line: int, column: int) -> list[str]:
    """Return the keys that lead to the key at a position, whose line and column count from 0."""

    def below(node: yaml.Node | None) -> list[str] | None:
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if (key.start_mark.line, key.start_mark.column) == (line, column):
                return [key.value]
            rest = below(value)
            if rest is not None:
                return [key.value, *rest]
        return None

    found = below(_composed(text))
    if found is None:
        raise EditError(f"line {line + 1}: not an entry with a key")
    return found


def set_entry(text: str, path: Sequence[str], name: str, value: str) -> str:
    """Add `name: value` at a path; a plain text there becomes a mapping with the text as `main`."""
    _, node = find(text, path)
    if isinstance(node, yaml.MappingNode):
        return add(text, path, [f"{name}: {value}"], f"{name}: {value}")
    raise EditError(f"{'/'.join(path)}: written in the short form")


def add_to_last(text: str, path: Sequence[str], entry: tuple[str, str], row: str) -> str | None:
    """Add `key: value` to the last item of a list in braces, if the item has an entry; None if it does not."""
    _, node = find(text, path)
    last = node.value[-1] if isinstance(node, yaml.SequenceNode) and node.value else None
    if not isinstance(last, yaml.MappingNode) or not last.flow_style:
        return None
    if entry not in [(name.value, value.value) for name, value in last.value]:
        return None
    return _spliced(text, last.end_mark.index - 1, last.end_mark.index - 1, f", {entry_in_braces(row)}")


def long_form(text: str, path: Sequence[str], main: str) -> str:
    """Expand an entry to its long form, with the short form's value under `main`."""
    _, node = find(text, path)
    if isinstance(node, yaml.MappingNode):
        return text
    if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
        raise EditError(f"{'/'.join(path)}: written in a form that cannot be edited")
    written = text[node.start_mark.index : node.end_mark.index]
    if not node.style and any(each in written for each in ",[]{}"):
        written = key(node.value)
    return _spliced(text, node.start_mark.index, node.end_mark.index, f"{{{main}: {written}}}")


def replace_value(text: str, path: Sequence[str], value: str) -> str:
    """Replace a value."""
    _, node = find(text, path)
    if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
        raise EditError(f"{'/'.join(path)}: not a text on one line")
    outer = find(text, path[:-1])[1] if path[1:] else None
    if isinstance(outer, yaml.CollectionNode) and outer.flow_style:
        value = in_braces(value)
    return _spliced(text, node.start_mark.index, node.end_mark.index, value)


def replace_key(text: str, path: Sequence[str], name: str) -> str:
    """Replace a key."""
    at, _ = find(text, path)
    if text[: at.start_mark.index].rstrip()[-1:] in {"{", ","}:
        name = _OPTIONAL.sub(r'"\g<0>"', f"{name}:")[:-1]
    return _spliced(text, at.start_mark.index, at.end_mark.index, name)


def value_at(text: str, path: Sequence[str], name: str) -> str:
    """Return the text of the value at a path below `name`, or an empty text if there is none."""
    try:
        _, node = find(text, [*path, name])
    except EditError:
        return ""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _spliced(text: str, start: int, end: int, put: str) -> str:
    return text[:start] + put + text[end:]


def _last_line(lines: Sequence[str], node: yaml.Node) -> int:
    """Return the last line of a block that is neither blank nor a comment."""
    last = node.end_mark.line - (
        1 if node.end_mark.column <= node.start_mark.column or node.end_mark.column == 0 else 0
    )
    last = min(last, len(lines) - 1)
    while last > node.start_mark.line and (not lines[last].strip() or lines[last].lstrip().startswith("#")):
        last -= 1
    return last
