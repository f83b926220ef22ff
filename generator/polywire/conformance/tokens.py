"""JSON text ↔ a tree of its tokens, which keeps spelling, order, and keys that come twice.

A scalar is its text as spelt. Nothing checks what is put into a tree, so that it may also be written as text that is no
JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn, TypeAlias

Node: TypeAlias = "str | Array | Object"
Member: TypeAlias = "tuple[str, Node]"
Path: TypeAlias = "tuple[int, ...]"
"""The way to a node: the number of the item or member, level by level."""


class Array(tuple["Node", ...]):
    """The items of an array."""

    __slots__ = ()


class Object(tuple["Member", ...]):
    """The members of an object, keys as spelt, quotes included."""

    __slots__ = ()


class TokenError(ValueError):
    """Text that is not JSON."""


def parse(source: str) -> Node:
    """The tree of JSON text, space between tokens left out. Raises `TokenError`."""
    try:
        _GRAMMAR.decode(source)
        tokens = iter(_TOKEN.findall(source))
        return _value(next(tokens), tokens)
    except (ValueError, RecursionError) as error:
        raise TokenError(str(error)) from error


def text(node: Node) -> str:
    """The text of a tree, without space between tokens."""
    if isinstance(node, str):
        return node
    if isinstance(node, Array):
        return "[" + ",".join([text(item) for item in node]) + "]"
    return "{" + ",".join([f"{key}:{text(value)}" for key, value in node]) + "}"


def children(node: Node) -> list[Node]:
    """The items of an array, the values of an object, nothing of a scalar."""
    if isinstance(node, str):
        return []
    return list(node) if isinstance(node, Array) else [value for _, value in node]


def at(node: Node, path: Path) -> Node:
    """The node at the end of a path."""
    for step in path:
        node = node[step][1] if isinstance(node, Object) else node[step]
    return node


def replaced(node: Node, path: Path, new: Node) -> Node:
    """The tree with another node at the end of the path; what is beside the path is shared."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(node, Object):
        key, value = node[step]
        return Object((*node[:step], (key, replaced(value, rest, new)), *node[step + 1 :]))
    assert isinstance(node, Array)  # noqa: S101 - a path leads through arrays and objects
    return Array((*node[:step], replaced(node[step], rest, new), *node[step + 1 :]))


def pointer(node: Node, path: Path) -> str:
    """The path as a JSON Pointer, for people: keys as they are spelt."""
    steps = []
    for step in path:
        steps.append(
            node[step][0].strip('"').replace("~", "~0").replace("/", "~1") if isinstance(node, Object) else step
        )
        node = children(node)[step]
    return "".join(f"/{step}" for step in steps)


def quoted(value: str) -> str:
    """A string as a token; what UTF-8 cannot hold is escaped."""
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
"""The library's quick parser, which knows the grammar; what is cut by `_TOKEN` has passed it."""

_TOKEN = re.compile(r'[\[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")
