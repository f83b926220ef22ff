"""Trees of a spec → YAML text, using PyYAML's emitter, which knows what has to be quoted.

Short mappings and lists are written on one line, in flow style; long prose is folded, and prose of several lines is a
block.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import yaml

from polywire.source.tree import LINE_BREAK

WIDTH = 120
"""Maximum length of a line."""


class Quoted(str):
    """A text that must be quoted: its plain form would be a number, a name or a word of the language."""

    __slots__ = ()


Tree: TypeAlias = "str | bool | int | float | list[Tree] | dict[str, Tree] | None"

_PROSE = frozenset({"doc", "source", "deprecated"})
_WORDS = re.compile(
    r"true|false|yes|no|on|off|null|~|remove|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.IGNORECASE
)
_FLOW = re.compile(r"[][{},?]")
_PLAIN = re.compile(r"[A-Za-z0-9_$./(][^\x00-\x1f\x7f-\x9f\u2028\u2029]*")
_JSON_PLACES = frozenset({"tag", "const", "on_error", "default", "types"})
"""Keys below which a plain scalar is JSON, so that a text that looks like JSON must be quoted."""


def text(tree: Mapping[str, Tree]) -> str:
    """Write a mapping as YAML in block style, with a blank line between the declarations of a section."""
    return "".join(f"{entry(key, value)}" for key, value in tree.items())


def entry(key: str, value: Tree, indent: int = 0) -> str:
    """Write one key of a mapping and its value, indented by some spaces."""
    node = yaml.MappingNode(_MAP, [(_key(key), _node(value, key, indent))], flow_style=False)
    dumped: str = yaml.serialize(node, Dumper=_DUMPER, width=WIDTH - indent, allow_unicode=True, indent=2)
    if not indent:
        return dumped
    pad = " " * indent
    return "".join(pad + line if line.strip() else line for line in dumped.splitlines(keepends=True))


_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_MAP, _SEQ, _STR = "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:str"


def _node(value: Tree, key: str, indent: int, *, json: bool = False, flow: bool = False) -> yaml.Node:
    inside = json or key in _JSON_PLACES
    match value:
        case dict():
            flows = flow or _flows(value, key, indent)
            pairs = [
                (_key(name, flow=flows), _node(each, name, indent + 2, json=inside, flow=flows))
                for name, each in value.items()
            ]
            return yaml.MappingNode(_MAP, pairs, flow_style=flows)
        case list():
            flows = flow or _flows(value, key, indent)
            items = [_node(each, "", indent + 2, json=inside, flow=flows) for each in value]
            return yaml.SequenceNode(_SEQ, items, flow_style=flows)
        case bool():
            return yaml.ScalarNode("tag:yaml.org,2002:bool", "true" if value else "false")
        case None:
            return yaml.ScalarNode("tag:yaml.org,2002:null", "null")
        case int():
            return yaml.ScalarNode("tag:yaml.org,2002:int", str(value))
        case float():
            return yaml.ScalarNode("tag:yaml.org,2002:float", _decimal(value))
        case str() if key in _PROSE and not inside:
            return _prose(value)
    return _scalar(value, flow=flow)


def _decimal(value: float) -> str:
    """Write a number with a fraction or an exponent so that both YAML and JSON read it as a number."""
    spelt = repr(value)
    return spelt if "." in spelt or "e" not in spelt else spelt.replace("e", ".0e")


def _key(name: str, *, flow: bool = False) -> yaml.ScalarNode:
    """Return the node of a key; a number needs no quotes there."""
    if re.fullmatch(r"-?[0-9]{1,16}", name):
        return yaml.ScalarNode("tag:yaml.org,2002:int", name)
    return _scalar(name, flow=flow)


def _scalar(value: str, *, flow: bool = False) -> yaml.ScalarNode:
    quoted = isinstance(value, Quoted) and (not re.fullmatch(r"[A-Za-z_][\w./-]*", value) or _is_name_like(value))
    if quoted or not _PLAIN.fullmatch(value) or _WORDS.fullmatch(value) or LINE_BREAK.search(value):
        return yaml.ScalarNode(_STR, _sound(value), style='"')
    style = '"' if flow and _FLOW.search(value) else None
    return yaml.ScalarNode(_STR, _sound(value), style=style)


def _is_name_like(value: str) -> bool:
    """Return whether a plain text could be read as the name of a declaration or a word of JSON."""
    return value[:1].isupper() or value in {"absent", "skip"}


def _sound(value: str) -> str:
    """Return the text without lone surrogates, which YAML cannot represent."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _prose(value: str) -> yaml.ScalarNode:
    """Return the node for prose: a block if it has several lines, else plain or quoted as needed."""
    lines = [line.rstrip() for line in LINE_BREAK.split(_sound(value.strip()))]
    text = "\n".join(lines)
    printable = all(char.isprintable() or char == "\n" for char in text)
    if len(lines) > 1 and printable and not text.startswith(" "):
        return yaml.ScalarNode(_STR, text + "\n", style="|")
    return _scalar(text if printable else text.replace("\n", " "))


def _flows(value: Tree, key: str, indent: int) -> bool:
    """Return whether a value is short enough for one line, and contains no prose that needs its own line."""
    if not value:
        return True
    if isinstance(value, dict) and any(name in {"doc", "values"} for name in value):
        return False
    if isinstance(value, dict) and any(name.endswith("?") for name in value):
        return False  # would have to be quoted inside braces
    inline = _inline(value)
    return inline is not None and len(inline) + indent + len(key) + 4 <= WIDTH and inline.count("{") <= 2


def _inline(value: Tree) -> str | None:
    match value:
        case dict():
            each = [(name, _inline(inner)) for name, inner in value.items()]
            return None if any(inner is None for _, inner in each) else "{" + ", ".join(
                f"{name}: {inner}" for name, inner in each) + "}"  # fmt: skip
        case list():
            items = [_inline(inner) for inner in value]
            return None if None in items else "[" + ", ".join(map(str, items)) + "]"
        case str():
            return None if LINE_BREAK.search(value) else f"{value}  "
    return str(value)
