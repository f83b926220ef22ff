"""A protocol, its cases and a seed → numbered documents: mutated instances, fixtures and traffic.

A document depends only on the seed, its number, and its sources (the spec and the cases): not on the documents before
it, nor on time. Any document can therefore be reproduced on its own.
"""

from __future__ import annotations

import base64
import json
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Final, TypeAlias

from polywire.conformance import jsontext, tokens
from polywire.conformance.case import Case, Expect, Mode, Outcome
from polywire.conformance.mutate import mutated, mutated_bytes
from polywire.conformance.protocols import Protocol
from polywire.conformance.tokens import Node
from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Enum, Model
from polywire.oracle import reference
from polywire.oracle.instances import DeriveError, derive, tag_values
from polywire.source.types import Array, Choice, Map, Ref, TupleType, Type

_LARGEST: Final = 1 << 17
"""Maximum size in bytes of a document that is mutated further; a larger one is used as it is."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Lines as they arrive."""

    chunks: tuple[bytes, ...]
    limit: int | None = None
    """At least 1, as in a case."""


Content: TypeAlias = "str | bytes | Stream"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is sent to testees, and its origin."""

    number: int
    type: str
    mode: Mode
    content: Content
    chain: tuple[str, ...] = field(default=(), compare=False)
    """Its source, and each mutation."""

    @property
    def size(self) -> int:
        """Its length."""
        return sum(map(len, self.content.chunks)) if isinstance(self.content, Stream) else len(self.content)

    def case(self, protocol: Protocol) -> Case:
        """Return a case with everything that the reference admits for the document."""
        content: dict[str, object]
        match self.content:
            case str():
                content = {"json": self.content}
            case bytes():
                content = {"data": _base64(self.content)}
            case Stream():
                content = {"chunks": tuple(map(_base64, self.content.chunks)), "limit": self.content.limit}
        return Case(
            name=str(self.number),
            group="fuzz",
            kind="derived",
            protocol=protocol,
            type=self.type,
            mode=self.mode,
            expect=_expected(protocol.model, self),
            **content,  # type: ignore[arg-type]  # one of three, as matched
        )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# --- the reference's outcomes ----------------------------------------------------------------------------------


def _expected(model: Model, document: Document) -> Expect | tuple[Expect, ...]:
    strict = document.mode == "strict"
    if isinstance(document.content, Stream):
        data, limit = b"".join(document.content.chunks), document.content.limit
        limit = reference.LIMIT if limit is None else limit
        items = reference.read(model, document.type, data, strict=strict, limit=limit)
        return tuple(
            Expect(admitted(item.outcomes), item.line, _base64(item.raw) if item.outcomes.faults else None)
            for item in items
        )
    return Expect(admitted(reference.outcomes(model, document.type, document.content, strict=strict)))


def admitted(found: reference.Outcomes) -> tuple[Outcome, ...]:
    """Return the outcomes that the reference admits in the order of a case: accepting outcomes first."""
    texts = [dumps(each.value) for each in found.accepted]
    return (
        *(
            Outcome(variant=each.variant, output=text, ordered=text, unknown=tuple(each.unknown))
            for each, text in zip(found.accepted, texts, strict=True)
        ),
        *(Outcome(error=(fault.code, fault.path)) for fault in found.faults),
    )


# --- the sources of documents ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Origin:
    name: str
    type: str
    content: str | bytes


class Corpus:
    """The sources of a protocol's documents; also implements `mutate.Supply`."""

    def __init__(
        self, protocol: Protocol, cases: Sequence[Case], *, seed: int, types: Collection[str] | None = None
    ) -> None:
        """`types` are the types of the documents; all types if it is None. Raises `DeriveError` if there is nothing."""
        self.protocol = protocol
        self._seed = seed
        model = protocol.model
        instances = derive(model, seed=seed, only=types)
        found: dict[bool, list[_Origin]] = {True: [], False: []}
        for each in instances:
            origin = _Origin(f"{each.type}/{each.number}: {each.note}", each.type, each.text)
            found[each.lenient.ok].append(origin)
        given = [
            _Origin(case.name, case.type, _content(case))
            for case in cases
            if case.protocol == protocol and case.is_document and (types is None or case.type in types)
        ]
        self._origins = [*found[True], *found[False], *given]
        sound, derived, whole = len(found[True]), len(instances), len(self._origins)
        self._ranges = [
            (share, start, end)
            for share, start, end in ((0.6, 0, sound), (0.15, sound, derived), (0.25, derived, whole))
            if start < end
        ]
        if not self._origins:
            raise DeriveError("there is nothing to start from")
        self._types = tuple(model.declarations if types is None else types)
        self._trees: dict[int, Node | None] = {}

    @cached_property
    def keys(self) -> Sequence[str]:
        """Tokens of all keys in objects of the protocol, each once."""
        found = dict.fromkeys(tag.key for struct in self.protocol.model.structs for tag in struct.tags)
        found |= dict.fromkeys(each.name for struct in self.protocol.model.structs for each in struct.wire_fields)
        return tuple(map(tokens.quoted, [*found, "polywire_key", ""]))

    @cached_property
    def words(self) -> Mapping[str, Sequence[str]]:
        """Key → the values that tags and enums have there anywhere, and one that is in none of them."""
        model = self.protocol.model
        found: dict[str, dict[str, None]] = {}

        def enter(key: str, values: Iterator[object]) -> None:
            found.setdefault(tokens.quoted(key), {}).update(dict.fromkeys(map(_token, values)))

        for struct in model.structs:
            for tag in struct.tags:
                values = tag_values(model, tag) if tag.constant is None else [tag.constant]
                enter(tag.key, iter(values))
            for each in struct.wire_fields:
                enter(each.name, (value for enum in _enums(model, each.type) for value in _values(model, enum)))
        return {key: (*values, '"polywire_unheard_of"') for key, values in found.items() if values}

    def part(self, rng: Random) -> Node:
        """Return a random part of a random document."""
        node = self._tree(rng.randrange(len(self._origins)))
        if node is None:
            return "null"
        while (below := tokens.children(node)) and rng.random() < 0.6:
            node = rng.choice(below)
        return node

    def whole(self, rng: Random) -> bytes:
        """Return a random source document, unchanged."""
        return _bytes(rng.choice(self._origins).content)

    def documents(self, first: int = 0) -> Iterator[Document]:
        """Yield all documents of the seed from a number on, without end."""
        number = first
        while True:
            yield self.document(number)
            number += 1

    def document(self, number: int) -> Document:
        """Return the document with that number."""
        rng = Random(f"{self._seed}:{number}")  # noqa: S311 - cases, not secrets
        mode: Mode = "strict" if rng.random() < 0.4 else "lenient"
        if rng.random() < _STREAMS:
            return self._stream(number, mode, rng)
        index = self._drawn(rng)
        content, chain = self._content(index, rng)
        type_ = self._origins[index].type
        if rng.random() < _OTHER_TYPE:
            type_ = rng.choice(self._types)
            chain.append(f"as {type_}")
        if isinstance(content, str) and rng.random() < _AS_BYTES:
            content = _bytes(content)
            chain.append("as bytes")
        return Document(number, type_, mode, content, tuple(chain))

    def _stream(self, number: int, mode: Mode, rng: Random) -> Document:
        """Return a stream of one type: some messages are mutated, and readers must tolerate what is between them."""
        framing = self.protocol.model.protocol.framing
        index = self._drawn(rng)
        type_ = self._origins[index].type
        data, chain = b"", list[str]()
        longest = 1
        for _ in range(rng.randint(1, 5)):
            content, steps = self._content(index, rng, most=2) if rng.random() < 0.7 else (rng.choice(_LINES), [])
            line = _bytes(content)
            longest = max(longest, len(line))
            data += _framed(framing, line, rng)
            chain += steps
        if rng.random() < 0.3:
            data = data.removesuffix(b"\n")
        if rng.random() < 0.1:
            data, step = mutated_bytes(data, rng, self)
            chain.append(step)
        limit = (
            rng.choice((1, longest, max(1, longest - 1), longest + 1, 1000, 1024, 1025)) if rng.random() < 0.3 else None
        )
        return Document(number, type_, mode, Stream(_cut(data, rng), limit), ("stream", *chain))

    def _drawn(self, rng: Random) -> int:
        """Return the index of a random source: a valid instance, a faulty one, or a given document."""
        shares = [share for share, _, _ in self._ranges]
        _, start, end = rng.choices(self._ranges, shares)[0]
        return rng.randrange(start, end)

    def _content(self, index: int, rng: Random, most: int = 8) -> tuple[str | bytes, list[str]]:
        """Mutate a source; return its new content, and the name of the source followed by those of the mutations."""
        origin = self._origins[index]
        chain = [origin.name]
        steps = min(bisect(_STEPS, rng.random()), most)
        tree = self._tree(index)
        content = origin.content
        on_bytes = 0 if tree is not None and rng.random() < 0.85 else rng.choice((1, 1, 2, 3))
        gently = rng.random() < _GENTLY
        if tree is not None:
            for _ in range(steps):
                mutant = mutated(tree, rng, self, gently=gently)
                tree = mutant.tree
                chain.append(mutant.note)
            content = tokens.text(tree)
        for _ in range(on_bytes):
            if len(content) > _LARGEST:
                break
            content, step = mutated_bytes(_bytes(content), rng, self)
            chain.append(step)
        return _as_text(content), chain

    def _tree(self, index: int) -> Node | None:
        """Return the token tree of a source, or None if that is not JSON."""
        if index not in self._trees:
            content = self._origins[index].content
            try:
                self._trees[index] = tokens.parse(content) if isinstance(content, str) else None
            except tokens.TokenError:
                self._trees[index] = None
        return self._trees[index]


_STREAMS: Final = 0.05
_GENTLY: Final = 0.6
_OTHER_TYPE: Final = 0.03
_AS_BYTES: Final = 0.1
_STEPS: Final = (0.04, 0.5, 0.75, 0.88, 0.94, 0.97, 0.99)
"""Cumulative shares of documents with no mutation, one, two, and so on."""

_LINES: Final = (
    b"",
    b" ",
    b"\t \r",
    b"\x0b",
    b"{",
    b"null",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b"{}{}",
    "\u2028".encode(),
    b"x" * 1100,
)
"""Lines that may be between messages."""

_HEADERS: Final = (
    *(b"", b"", b"Content-Type: application/json\r\n", b"X: \xff\n", b"_:\n", b"content-length2: 1\r\n"),
    *(b"no colon\r\n", b"content-LENGTH:1\n", b"x" * 4000 + b":\n"),
)
_LENGTHS: Final = (*["Content-Length: {}\r\n"] * 5, "content-length:\t{} \n", "Content-Length: -{}\r\n", "")
_OTHER_FIELDS: Final = (b"", b"", b"event: x", b": comment", b"id", b"retry: 5", b"database: 1", b"data", b"data: ")
_BREAKS: Final = (b"\n", b"\n", b"\r\n", b"\r")


def _framed(framing: str, content: bytes, rng: Random) -> bytes:
    """Return a message as some writer may write it, or nearly so."""
    match framing:
        case "content-length":
            length = len(content) + rng.choice((0, 0, 0, 0, 0, 0, 0, 0, -1, 1))
            stated = rng.choice(_LENGTHS).format(length).encode()
            headers = (rng.choice(_HEADERS[:6]), stated, rng.choice(_HEADERS if rng.random() < 0.2 else _HEADERS[:6]))
            return b"".join(headers) + rng.choice((b"\r\n", b"\n")) + content
        case "sse":
            lines = [rng.choice((b"data: ", b"data:")) + line for line in content.split(b"\n")]
            lines.insert(rng.randint(0, len(lines)), rng.choice(_OTHER_FIELDS))
            end = rng.choice(_BREAKS)
            return b"".join(line + end for line in (*filter(None, lines), b""))
        case _:
            return content + rng.choice(_ENDS)


_ENDS: Final = (b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\r\r\n", b"\r", "\u2028\n".encode(), b" \n", b"")


def _cut(data: bytes, rng: Random) -> tuple[bytes, ...]:
    """Split the data into chunks of any size, including empty ones."""
    cuts = sorted(rng.randint(0, len(data)) for _ in range(rng.choice((0, 1, 2, 5, 20))))
    return tuple(data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True))


def _content(case: Case) -> str | bytes:
    return case.json if case.json is not None else base64.b64decode(case.data or "")


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")


def _as_text(content: str | bytes) -> str | bytes:
    """Return text if the content is valid UTF-8, since programs usually have text."""
    if isinstance(content, str):
        return content if jsontext.encodable(content) else _bytes(content)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def _token(value: object) -> str:
    return tokens.quoted(value) if isinstance(value, str) else json.dumps(value)


def _enums(model: Model, type_: Type, within: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the enums of a type's values, including those nested in them without an object between."""
    match type_:
        case Ref(name=name):
            match model.declarations[name]:
                case Enum():
                    yield name
                case Alias(type=inner) if name not in within:
                    yield from _enums(model, inner, within | {name})
        case Array(item=item):
            yield from _enums(model, item, within)
        case TupleType(items=items):
            for each in items:
                yield from _enums(model, each, within)
        case Map(value=value):
            yield from _enums(model, value, within)
        case Choice(members=members):
            for member in members:
                yield from _enums(model, member, within)


def _values(model: Model, enum: str) -> Iterator[str | int]:
    return (value.wire for value in model.enum(enum).values)
