"""A document → a slightly different one, by one named mutation of its structure or its bytes.

A structural mutation replaces one node of the token tree; it returns None if it does not apply. `mutated` chooses the
node at random. All randomness comes from the given `Random`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol, TypeAlias

from polywire.conformance import tokens
from polywire.conformance.hostile import BYTES_OF_NOTE, CHARACTERS, NUMBERS, SNIPPETS, SPACES, STRINGS
from polywire.conformance.tokens import Array, Node, Object

Change: TypeAlias = "Callable[[Node, Random, Supply], Node | None]"
ByteChange: TypeAlias = "Callable[[bytes, Random, Supply], bytes]"


class Supply(Protocol):
    """The words of a protocol and parts of its documents, for use in mutations."""

    @property
    def keys(self) -> Sequence[str]:
        """Tokens of keys in objects of the protocol."""

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """Key → tokens of the values that tags and enums have there."""

    def part(self, rng: Random) -> Node:
        """Return a random part of a random document of any type."""

    def whole(self, rng: Random) -> bytes:
        """Return a random document of any type."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed document, and a description of the change."""

    tree: Node
    note: str


def mutated(tree: Node, rng: Random, supply: Supply, *, gently: bool = False) -> Mutant:
    """Apply one mutation to the tree; with `gently`, one that readers may well accept."""
    while True:
        name = rng.choice(_GENTLE if gently else _DRAWN)
        path, nodes = _way(tree, rng)
        # The path usually ends at a scalar; most mutations need one of the nodes that contain it.
        for length in rng.sample(range(len(nodes)), len(nodes)):
            node = nodes[length]
            made = STRUCTURE[name](node, rng, supply)
            if made is not None and made != node:
                place = path[:length]
                return Mutant(tokens.replaced(tree, place, made), f"{name} at {tokens.pointer(tree, place)!r}")


def _way(tree: Node, rng: Random) -> tuple[tokens.Path, list[Node]]:
    """Return a path from the root to a leaf, with a random child at each level, and the nodes along it."""
    path, nodes = list[int](), [tree]
    while not isinstance(node := nodes[-1], str) and node:
        step = rng.randrange(len(node))
        path.append(step)
        nodes.append(node[step][1] if isinstance(node, Object) else node[step])
    return tuple(path), nodes


def mutated_bytes(data: bytes, rng: Random, supply: Supply) -> tuple[bytes, str]:
    """Apply one mutation to the bytes; return the result and the name of the mutation."""
    name = rng.choice(_BYTES_DRAWN)
    return BYTES[name](data, rng, supply), name


# --- members and items -----------------------------------------------------------------------------------------


def _drop(node: Node, rng: Random, _: Supply) -> Node | None:
    if isinstance(node, str) or not node:
        return None
    index = rng.randrange(len(node))
    return type(node)((*node[:index], *node[index + 1 :]))


def _double(node: Node, rng: Random, _: Supply) -> Node | None:
    """Repeat a member or an item at a random position."""
    if isinstance(node, str) or not node:
        return None
    index, to = rng.randrange(len(node)), rng.randrange(len(node) + 1)
    return type(node)((*node[:to], node[index], *node[to:]))  # type: ignore[arg-type]  # of the same kind as before


def _shadow(node: Node, rng: Random, supply: Supply) -> Node | None:
    """Repeat a key with another value, before or after."""
    if not isinstance(node, Object) or not node:
        return None
    key = rng.choice(node)[0]
    to = rng.randrange(len(node) + 1)
    return Object((*node[:to], (key, _value(rng, supply)), *node[to:]))


def _rename(node: Node, rng: Random, supply: Supply) -> Node | None:
    if not isinstance(node, Object) or not node:
        return None
    index = rng.randrange(len(node))
    return Object((*node[:index], (_key(rng, supply), node[index][1]), *node[index + 1 :]))


def _add(node: Node, rng: Random, supply: Supply) -> Node | None:
    """Add a member or an item from anywhere."""
    if isinstance(node, str):
        return None
    to, value = rng.randrange(len(node) + 1), _value(rng, supply)
    if isinstance(node, Array):
        return Array((*node[:to], value, *node[to:]))
    return Object((*node[:to], (_key(rng, supply), value), *node[to:]))


def _shuffle(node: Node, rng: Random, _: Supply) -> Node | None:
    if isinstance(node, str) or len(node) < 2:
        return None
    parts = list(node)
    rng.shuffle(parts)
    return type(node)(parts)  # type: ignore[arg-type]  # of the same kind as before


def _repeat(node: Node, rng: Random, _: Supply) -> Node | None:
    """Repeat one item of an array many times, to exceed bounds or buffers."""
    if not isinstance(node, Array) or not node:
        return None
    return Array((*node, *(rng.choice(node),) * rng.choice((2, 3, 10, 100))))


def _empty(node: Node, _: Random, __: Supply) -> Node | None:
    return None if isinstance(node, str) else type(node)()


# --- values ----------------------------------------------------------------------------------------------------


def _null(_: Node, __: Random, ___: Supply) -> Node | None:
    return "null"


def _kind(node: Node, rng: Random, _: Supply) -> Node | None:
    """Replace a value by one of another JSON kind."""
    return rng.choice([sample for kind, sample in _OF_KIND.items() if kind != kind_of(node)])


def kind_of(node: Node) -> str:
    """Return the JSON kind of a node."""
    if isinstance(node, str):
        return {'"': "string", "t": "boolean", "f": "boolean", "n": "null"}.get(node.strip()[:1], "number")
    return "array" if isinstance(node, Array) else "object"


def _number(node: Node, rng: Random, _: Supply) -> Node | None:
    """Replace a number by a known troublemaker."""
    if kind_of(node) != "number":
        return None
    return rng.choice(NUMBERS) if rng.random() < 0.8 else _any_number(rng)


def _text(node: Node, rng: Random, _: Supply) -> Node | None:
    """Replace a string by a known troublemaker."""
    if kind_of(node) != "string":
        return None
    return rng.choice(STRINGS)


def _edit(node: Node, rng: Random, _: Supply) -> Node | None:
    """Add, remove or replace a character of a string."""
    if not isinstance(node, str) or kind_of(node) != "string":
        return None
    inside = _UNITS.findall(node[1:-1])
    start = rng.randrange(len(inside) + 1)
    inside[start : start + rng.randrange(2)] = rng.choice(CHARACTERS)
    return '"' + "".join(inside) + '"'


def _word(node: Node, rng: Random, supply: Supply) -> Node | None:
    """Replace the value of a member by another of the protocol's words: another tag or enum value."""
    if not isinstance(node, Object):
        return None
    places = [index for index, (key, _) in enumerate(node) if key in supply.words]
    if not places:
        return None
    index = rng.choice(places)
    key = node[index][0]
    return Object((*node[:index], (key, rng.choice(supply.words[key])), *node[index + 1 :]))


def _respell(node: Node, rng: Random, _: Supply) -> Node | None:
    """Spell the same value differently."""
    match kind_of(node):
        case "object" if node:
            assert isinstance(node, Object)  # noqa: S101 - checked by `kind_of`
            index = rng.randrange(len(node))
            key, value = node[index]
            return Object((*node[:index], (_escaped(key, rng), value), *node[index + 1 :]))
        case "string":
            assert isinstance(node, str)  # noqa: S101 - checked by `kind_of`
            return _escaped(node, rng)
        case "number":
            assert isinstance(node, str)  # noqa: S101 - checked by `kind_of`
            return _another_number(node, rng)
        case _:
            return None


def _space(node: Node, rng: Random, _: Supply) -> Node | None:
    """Add white space around a scalar or a key."""
    spaces = rng.choice(SPACES)
    if isinstance(node, str):
        return rng.choice((spaces + node, node + spaces, spaces + node + spaces))
    if isinstance(node, Object) and node:
        index = rng.randrange(len(node))
        key, value = node[index]
        return Object((*node[:index], (rng.choice((spaces + key, key + spaces)), value), *node[index + 1 :]))
    return None


# --- shapes ----------------------------------------------------------------------------------------------------


def _wrap(node: Node, rng: Random, supply: Supply) -> Node | None:
    """Wrap the node in an array or an object."""
    return Array((node,)) if rng.random() < 0.5 else Object(((_key(rng, supply), node),))


def _nest(node: Node, rng: Random, _: Supply) -> Node | None:
    """Nest the node about as deeply as the limit allows."""
    for _level in range(rng.choice((2, 10, 100, 126, 127, 128, 129))):
        node = Array((node,)) if rng.random() < 0.5 else Object((('"a"', node),))
    return node


def _unwrap(node: Node, rng: Random, _: Supply) -> Node | None:
    below = tokens.children(node)
    return rng.choice(below) if below else None


def _swap(node: Node, rng: Random, _: Supply) -> Node | None:
    """Swap the values of two members, or two items."""
    if isinstance(node, str) or len(node) < 2:
        return None
    one, other = rng.sample(range(len(node)), 2)
    values = tokens.children(node)
    values[one], values[other] = values[other], values[one]
    if isinstance(node, Array):
        return Array(values)
    return Object((key, value) for (key, _), value in zip(node, values, strict=True))


def _splice(_: Node, rng: Random, supply: Supply) -> Node | None:
    """Insert a part of a document of any type."""
    return supply.part(rng)


def _merge(node: Node, rng: Random, supply: Supply) -> Node | None:
    """Add the members of another object, so that two types are mixed."""
    other = supply.part(rng)
    if not isinstance(node, Object) or not isinstance(other, Object):
        return None
    return Object((*node, *other)) if rng.random() < 0.5 else Object((*other, *node))


STRUCTURE: Final[Mapping[str, Change]] = {
    "drop": _drop,
    "double": _double,
    "shadow": _shadow,
    "rename": _rename,
    "add": _add,
    "shuffle": _shuffle,
    "repeat": _repeat,
    "empty": _empty,
    "null": _null,
    "kind": _kind,
    "number": _number,
    "text": _text,
    "edit": _edit,
    "word": _word,
    "respell": _respell,
    "space": _space,
    "wrap": _wrap,
    "nest": _nest,
    "unwrap": _unwrap,
    "swap": _swap,
    "splice": _splice,
    "merge": _merge,
}

_OFTEN = {"drop": 3, "word": 3, "kind": 2, "number": 3, "text": 2, "edit": 2, "add": 2, "respell": 2, "splice": 2}
_DRAWN = [name for name in STRUCTURE for _ in range(_OFTEN.get(name, 1))]

_GENTLE = (
    "add",
    "double",
    "drop",
    "edit",
    "number",
    "respell",
    "respell",
    "shadow",
    "shuffle",
    "space",
    "text",
    "word",
)

# --- bytes -----------------------------------------------------------------------------------------------------


def _flip(data: bytes, rng: Random, _: Supply) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _byte(data: bytes, rng: Random, _: Supply) -> bytes:
    """Replace one byte."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(BYTES_OF_NOTE) + data[at + 1 :]


def _insert(data: bytes, rng: Random, _: Supply) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(SNIPPETS) + data[at:]


def _delete(data: bytes, rng: Random, _: Supply) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 1, 1, 2, 3, 8)) :]


def _again(data: bytes, rng: Random, _: Supply) -> bytes:
    """Repeat a byte sequence."""
    at = rng.randrange(len(data) + 1)
    end = at + rng.choice((1, 2, 3, 8, 20))
    return data[:end] + data[at:]


def _truncate(data: bytes, rng: Random, _: Supply) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _trail(data: bytes, rng: Random, supply: Supply) -> bytes:
    """Append or prepend something."""
    other = supply.whole(rng) if rng.random() < 0.3 else rng.choice(SNIPPETS)
    return data + other if rng.random() < 0.7 else other + data


def _cross(data: bytes, rng: Random, supply: Supply) -> bytes:
    """Join the beginning of one document to the end of another."""
    other = supply.whole(rng)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


BYTES: Final[Mapping[str, ByteChange]] = {
    "flip a bit": _flip,
    "change a byte": _byte,
    "insert": _insert,
    "delete": _delete,
    "repeat": _again,
    "truncate": _truncate,
    "trail": _trail,
    "cross": _cross,
}

_BYTES_DRAWN = [*BYTES, "insert", "insert", "change a byte", "delete"]

_OF_KIND: Final[Mapping[str, Node]] = {
    "null": "null",
    "boolean": "true",
    "number": "7",
    "string": '"text"',
    "array": Array(),
    "object": Object(),
}

_UNITS = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
"""Matches one piece inside a string token."""


def _key(rng: Random, supply: Supply) -> str:
    return rng.choice(STRINGS) if rng.random() < 0.2 else rng.choice(supply.keys)


def _value(rng: Random, supply: Supply) -> Node:
    match rng.randrange(4):
        case 0:
            return rng.choice(NUMBERS)
        case 1:
            return rng.choice(STRINGS)
        case 2:
            return rng.choice(list(_OF_KIND.values()))
        case _:
            return supply.part(rng)


def _any_number(rng: Random) -> str:
    whole = str(rng.getrandbits(rng.choice((4, 16, 53, 64, 128))))
    fraction = f".{rng.getrandbits(rng.choice((4, 60)))}" if rng.random() < 0.3 else ""
    exponent = f"e{rng.randint(-330, 320)}" if rng.random() < 0.3 else ""
    return rng.choice(("", "-")) + whole + fraction + exponent


def _another_number(token: str, rng: Random) -> str | None:
    """Return the same number in another spelling."""
    spelt = token.strip()
    if any(mark in spelt for mark in ".eE"):
        return spelt.replace("e", "E") if "e" in spelt else spelt.replace("E", "e") if "E" in spelt else spelt + "0"
    return spelt + rng.choice((".0", "e0", "E+0", "e-0", ".000", "0e-1"))


def _escaped(token: str, rng: Random) -> str:
    """Return a string with one additional piece escaped."""
    spelt = token.strip()
    pieces = _UNITS.findall(spelt[1:-1])
    plain = [index for index, piece in enumerate(pieces) if len(piece) == 1]
    if not plain:
        return spelt
    index = rng.choice(plain)
    units = pieces[index].encode("utf-16-be")
    form = rng.choice(("\\u{:04x}", "\\u{:04X}"))
    pieces[index] = "".join(form.format(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
    return '"' + "".join(pieces) + '"'
