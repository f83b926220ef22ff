"""JSON text ↔ a tree of its tokens, which preserves spelling, order and duplicate keys.

A scalar is its text as spelt. The contents of a tree are not checked, so that invalid JSON can be written too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn, TypeAlias

Node: TypeAlias = "str | Array | Object"
Member: TypeAlias = "tuple[str, Node]"
Path: TypeAlias = "tuple[int, ...]"
"""The path to a node: the index of the item or member at each level."""


class Array(tuple["Node", ...]):
    """The items of an array."""

    __slots__ = ()


class Object(tuple["Member", ...]):
    """The members of an object, with keys as spelt, including quotes."""

    __slots__ = ()


class TokenError(ValueError):
    """Text that is not JSON."""


def parse(source: str) -> Node:
    """Parse JSON text into a tree, without white space between tokens. Raises `TokenError`."""
    try:
        _GRAMMAR.decode(source)
        tokens = iter(_TOKEN.findall(source))
        return _value(next(tokens), tokens)
    except (ValueError, RecursionError) as error:
        raise TokenError(str(error)) from error


def text(node: Node) -> str:
    """Return the text of a tree, without white space between tokens."""
    if isinstance(node, str):
        return node
    if isinstance(node, Array):
        return "[" + ",".join([text(item) for item in node]) + "]"
    return "{" + ",".join([f"{key}:{text(value)}" for key, value in node]) + "}"


def children(node: Node) -> list[Node]:
    """Return the items of an array, the values of an object, or nothing for a scalar."""
    if isinstance(node, str):
        return []
    return list(node) if isinstance(node, Array) else [value for _, value in node]


def at(node: Node, path: Path) -> Node:
    """Return the node at the end of a path."""
    for step in path:
        node = node[step][1] if isinstance(node, Object) else node[step]
    return node


def replaced(node: Node, path: Path, new: Node) -> Node:
    """Return the tree with another node at the end of the path; nodes outside the path are shared."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(node, Object):
        key, value = node[step]
        return Object((*node[:step], (key, replaced(value, rest, new)), *node[step + 1 :]))
    assert isinstance(node, Array)  # noqa: S101 - a path leads through arrays and objects
    return Array((*node[:step], replaced(node[step], rest, new), *node[step + 1 :]))


def pointer(node: Node, path: Path) -> str:
    """Return the path as a JSON Pointer, for people: keys as spelt."""
    steps = []
    for step in path:
        steps.append(
            node[step][0].strip('"').replace("~", "~0").replace("/", "~1") if isinstance(node, Object) else step
        )
        node = children(node)[step]
    return "".join(f"/{step}" for step in steps)


def quoted(value: str) -> str:
    """Return a string as a token; what UTF-8 cannot encode is escaped."""
    token = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", token)


def _value(token: str, rest: Iterator[str]) -> Node:
    match token:
        case "[":
            return Array(_items(rest))
        case "{":
            return Object(_members(rest))
        case _:
            return token


def _items(rest: Iterator[str]) -> Iterator[Node]:
    for word in rest:
        if word == "]":
            return
        if word != ",":
            yield _value(word, rest)


def _members(rest: Iterator[str]) -> Iterator[Member]:
    for key in rest:
        if key == "}":
            return
        if key != ",":
            next(rest)  # the colon
            yield key, _value(next(rest), rest)


def _refuse(word: str) -> NoReturn:
    raise TokenError(f"{word} is not JSON")


_GRAMMAR = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
"""The fast parser of the standard library checks the grammar; `_TOKEN` only splits text that it accepted."""

_TOKEN = re.compile(r'[\[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")
