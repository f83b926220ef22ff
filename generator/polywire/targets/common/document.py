"""Documents → source text: what fits on a line stays on it, and the rest breaks where the document allows it.

This is the printer of Wadler and of Prettier, for all languages. A target says where lines may break, never where they
do; what its formatter does differently is a parameter, such as the columns of an indentation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line may break; otherwise it is the text `flat`. A hard one always breaks, as do the groups around it."""

    flat: str = " "
    hard: bool = False


@dataclass(frozen=True, slots=True)
class IfBroken:
    """Text that depends on whether the innermost group is broken."""

    broken: str
    flat: str = ""


@dataclass(frozen=True, slots=True)
class Nest:
    """A document whose further lines are indented by more columns."""

    columns: int
    doc: Doc


@dataclass(frozen=True, slots=True)
class Group:
    """A document on one line if it fits there, with the text that follows it; otherwise all its own lines break."""

    doc: Doc
    broken: bool


@dataclass(frozen=True, slots=True)
class Either:
    """The first of several documents whose first line fits; the last one if none does."""

    options: tuple[Doc, ...]


Doc: TypeAlias = "str | tuple[Doc, ...] | Line | IfBroken | Nest | Group | Either"
"""A tuple is a sequence. Text has no line ends."""

LINE, SOFT, HARD = Line(), Line(""), Line(hard=True)
"""A space or a line end; nothing or a line end; a line end."""


def group(*docs: Doc, broken: bool = False) -> Group:
    """Documents as a group, which is broken if anything in it is."""
    return Group(docs, broken or breaks(docs))


def nest(columns: int, *docs: Doc) -> Nest:
    """Documents with more indentation."""
    return Nest(columns, docs)


def join(separator: Doc, docs: Iterable[Doc]) -> tuple[Doc, ...]:
    """Documents with a separator between them."""
    return tuple(part for each in docs for part in (separator, each))[1:]


def fill(docs: Iterable[Doc]) -> tuple[Doc, ...]:
    """Documents, as many on each line as fit."""
    return tuple(group(LINE, each) if at else each for at, each in enumerate(docs))


def listed(
    columns: int, opening: str, docs: Sequence[Doc], closing: str, *, pad: Line = SOFT, broken: bool = False
) -> Doc:
    """Items in brackets: on one line, or each on its own line with a comma after it; `pad` is within the brackets."""
    if not docs:
        return opening + closing
    return group(opening, nest(columns, pad, join((",", LINE), docs), IfBroken(",")), pad, closing, broken=broken)


def flat(doc: Doc) -> str:
    """The text of a document on one line of any length."""
    return lay_out(group(doc), sys.maxsize)


def breaks(doc: Doc) -> bool:
    """Whether a document has a line or group that breaks wherever it is."""
    match doc:
        case tuple():
            return any(map(breaks, doc))
        case Line():
            return doc.hard
        case Nest():
            return breaks(doc.doc)
        case Group():
            return doc.broken
        case Either():
            return breaks(doc.options[0])
        case _:
            return False


_State: TypeAlias = tuple[int, bool, Doc]
"""The indentation, whether lines stay flat, and what is to be printed."""


def lay_out(doc: Doc, width: int, indent: int = 0, before: int = 0, after: int = 0) -> str:
    """The text of a document, on lines of at most `width` columns where possible.

    Its lines but the first are indented by `indent` columns; the first one begins after `before` more of them, and
    `after` columns follow the last one.
    """
    text: list[str] = []
    column = indent + before
    ahead: list[_State] = [(0, False, " " * after), (indent, False, doc)]
    while len(ahead) > 1:
        indent, flat, doc = ahead.pop()
        match doc:
            case str():
                text.append(doc)
                column += len(doc)
            case tuple():
                ahead.extend((indent, flat, each) for each in reversed(doc))
            case Line() if doc.hard or not flat:
                text.append("\n" + " " * indent)
                column = indent
            case Line():
                text.append(doc.flat)
                column += len(doc.flat)
            case IfBroken():
                ahead.append((indent, flat, doc.flat if flat else doc.broken))
            case Nest():
                ahead.append((indent + doc.columns, flat, doc.doc))
            case Group():
                flat = not doc.broken and (flat or _fits(doc.doc, width - column, ahead))
                ahead.append((indent, flat, doc.doc))
            case Either(options=options):
                fitting = (each for each in options[:-1] if _fits(each, width - column, ahead))
                chosen = next(fitting, options[-1])
                ahead.append((indent, chosen is not options[-1], chosen))
    return "".join(text)


def _fits(doc: Doc, room: int, rest: Sequence[_State]) -> bool:
    """Whether a document fits into some columns up to its first line end, with what follows it up to the next one."""
    behind = len(rest)
    ahead: list[tuple[bool, Doc]] = [(True, doc)]
    while room >= 0:
        if not ahead:
            if behind == 0:
                return True
            behind -= 1
            ahead.append(rest[behind][1:])
        flat, doc = ahead.pop()
        match doc:
            case str():
                room -= len(doc)
            case tuple():
                ahead.extend((flat, each) for each in reversed(doc))
            case Line():
                if doc.hard or not flat:
                    return True
                room -= len(doc.flat)
            case IfBroken():
                room -= len(doc.flat if flat else doc.broken)
            case Nest():
                ahead.append((flat, doc.doc))
            case Group():
                ahead.append((flat and not doc.broken, doc.doc))
            case Either(options=options):
                ahead.append((flat, options[0 if flat else -1]))
    return False
