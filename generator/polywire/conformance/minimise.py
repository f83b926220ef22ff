"""A document with some property → a smaller one with the same property that no single reduction preserves.

Delta debugging: the largest possible reduction is tried first. As long as the document is JSON, its structure is
reduced, then its bytes; anything else is only reduced by bytes. A stream first loses chunks, lines and its limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import AnyStr, Final, TypeAlias

from polywire.conformance import tokens
from polywire.conformance.documents import Content, Document, Stream
from polywire.conformance.tokens import Array, Node, Object

Shows: TypeAlias = Callable[[Sequence[Document]], Sequence[bool]]
"""Returns which of some documents still have the property; they are tested in parallel."""

_AT_ONCE: Final = 32
_MOST: Final = 4000
"""Maximum number of documents that are tried; the result is then small enough."""


def minimise(document: Document, shows: Shows, *, at_once: int = _AT_ONCE, most: int = _MOST) -> Document:
    """Return the smallest document that greedy reduction finds. `at_once` are tried together, `most` in all."""
    budget = most
    while budget > 0:
        candidates = (replace(document, content=content) for content in reductions(document.content))
        smaller = None
        while smaller is None and budget > 0 and (batch := list(islice(candidates, min(at_once, budget)))):
            budget -= len(batch)
            smaller = next((each for each, still in zip(batch, shows(batch), strict=True) if still), None)
        if smaller is None:
            break
        document = smaller
    return document


def reductions(content: Content) -> Iterator[Content]:
    """Yield every content that is one step smaller, the largest reductions first."""
    seen: set[Content] = {content}
    for found in _reductions(content):
        if found not in seen:
            seen.add(found)
            yield found


def _reductions(content: Content) -> Iterator[Content]:
    match content:
        case Stream():
            yield from _of_stream(content)
        case str():
            yield from _of_text(content)
        case bytes():
            with suppress(UnicodeDecodeError):
                yield content.decode("utf-8")
            yield from _without_stretches(content)


def _of_stream(stream: Stream) -> Iterator[Stream]:
    chunks = stream.chunks
    if stream.limit is not None:
        yield Stream(chunks)
    if len(chunks) > 1:
        yield replace(stream, chunks=(b"".join(chunks),))
    for at in range(len(chunks)):
        yield replace(stream, chunks=(*chunks[:at], *chunks[at + 1 :]))
    for at in range(len(chunks) - 1):
        yield replace(stream, chunks=(*chunks[:at], chunks[at] + chunks[at + 1], *chunks[at + 2 :]))
    for at, chunk in enumerate(chunks):
        for smaller in _of_lines(chunk):
            shorter = replace(stream, chunks=(*chunks[:at], smaller, *chunks[at + 1 :]))
            yield shorter
            if stream.limit is not None and (limit := stream.limit - len(chunk) + len(smaller)) > 0:
                yield replace(shorter, limit=limit)


def _of_lines(chunk: bytes) -> Iterator[bytes]:
    lines = chunk.splitlines(keepends=True)
    for at in range(len(lines)):
        yield b"".join((*lines[:at], *lines[at + 1 :]))
    for at, line in enumerate(lines):
        with suppress(UnicodeDecodeError):
            for smaller in _of_tree(line.decode("utf-8")):
                yield b"".join((*lines[:at], smaller.encode(), b"\n", *lines[at + 1 :]))
    yield from _without_stretches(chunk)


def _of_text(text: str) -> Iterator[str]:
    yield from _of_tree(text)
    yield from _without_stretches(text)


def _of_tree(text: str) -> Iterator[str]:
    """Yield documents with a smaller structure, the smallest first; none if the text is not JSON."""
    try:
        tree = tokens.parse(text)
    except tokens.TokenError:
        return
    found = {
        tokens.text(tokens.replaced(tree, path, smaller))
        for path in _paths(tree)
        for smaller in _smaller(tokens.at(tree, path))
    }
    yield from sorted(
        (each for each in {tokens.text(tree), *found} if len(each) < len(text)), key=lambda each: (len(each), each)
    )


def _paths(node: Node, path: tokens.Path = ()) -> Iterator[tokens.Path]:
    yield path
    for step, below in enumerate(tokens.children(node)):
        yield from _paths(below, (*path, step))


def _smaller(node: Node) -> Iterator[Node]:
    """Yield what a node can be reduced to in one step."""
    yield from _SIMPLE
    if isinstance(node, str):
        yield from _of_scalar(node)
        return
    yield from tokens.children(node)
    for start, end in _stretches(len(node)):
        yield type(node)((*node[:start], *node[end:]))
    if isinstance(node, Object):
        for at, (key, value) in enumerate(node):
            for smaller in _of_scalar(key):
                yield Object((*node[:at], (smaller, value), *node[at + 1 :]))


_SIMPLE: Final[tuple[Node, ...]] = ("0", '""', "null", Array(), Object())


def _of_scalar(token: str) -> Iterator[str]:
    """Yield a string with pieces left out or unescaped, or a number with digits left out."""
    token = token.strip()
    quote = '"' if token[:1] == '"' else ""
    pieces = _PIECES.findall(token[1:-1] if quote else token)
    for start, end in _stretches(len(pieces)):
        made = quote + "".join((*pieces[:start], *pieces[end:])) + quote
        with suppress(tokens.TokenError):
            tokens.parse(made)
            yield made
    for at, piece in enumerate(pieces):
        if piece[:2] == "\\u" and (plain := json.loads(f'"{piece}"')).isalnum():
            yield quote + "".join((*pieces[:at], plain, *pieces[at + 1 :])) + quote


_PIECES = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)


def _without_stretches(content: AnyStr) -> Iterator[AnyStr]:
    for start, end in _stretches(len(content)):
        yield content[:start] + content[end:]


def _stretches(length: int) -> Iterator[tuple[int, int]]:
    """Yield every half, every quarter, and so on down to single elements."""
    size = length
    while size:
        for start in range(0, length, size):
            yield start, min(start + size, length)
        size = -(-size // 2) if size > 1 else 0
