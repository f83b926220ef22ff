"""Documents → source text: what fits on a line stays on it, and the rest breaks where the document allows it.

This is the printer of Wadler and of Prettier, for all languages. A target says where lines may break, never where they
do; what its formatter does differently is a parameter, such as the columns of an indentation.
"""

from __future__ import annotations

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
    flat: str | None
    """Its text on one line; None if it always breaks."""


@dataclass(frozen=True, slots=True)
class Either:
    """The first of several documents whose first line fits, or else the last. All their lines are in groups."""

    options: tuple[Doc, ...]


Doc: TypeAlias = "str | tuple[Doc, ...] | Line | IfBroken | Nest | Group | Either"
"""A tuple is a sequence. Text has no line ends."""

LINE, SOFT, HARD = Line(), Line(""), Line(hard=True)
"""A space or a line end; nothing or a line end; a line end."""


def group(*docs: Doc, broken: bool = False) -> Group:
    """Documents as a group, which is broken if anything in it is."""
    return Group(docs, None if broken else flat(docs))


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


def items(text: str, opening: str, closing: str) -> list[str]:
    """The items of a list with commas; within the brackets of one, further commas belong to it."""
    found: list[str] = []
    depth = 0
    for part in text.split(", "):
        found[-1:] = [f"{found[-1]}, {part}"] if depth else [*found[-1:], part]
        depth += sum(map(part.count, opening)) - sum(map(part.count, closing))
    return found


def flat(doc: Doc) -> str | None:
    """The text of a document on one line of any length; None if it always breaks."""
    match doc:
        case str():
            return doc
        case tuple():
            texts = [flat(each) for each in doc]
            return None if None in texts else "".join(filter(None, texts))
        case Group():
            return doc.flat
        case Line():
            return None if doc.hard else doc.flat
        case IfBroken():
            return doc.flat
        case Nest():
            return flat(doc.doc)
        case Either():
            return flat(doc.options[0])


_State: TypeAlias = tuple[int, Doc]
"""The indentation of a document that is to be printed, and the document."""


def lay_out(doc: Doc, width: int, indent: int = 0, before: int = 0, after: int = 0) -> str:
    """The text of a document, on lines of at most `width` columns where possible.

    Its lines but the first are indented by `indent` columns; the first one begins after `before` more of them, and
    `after` columns follow the last one.
    """
    text: list[str] = []
    column = indent + before
    ahead: list[_State] = [(0, " " * after), (indent, doc)]
    while len(ahead) > 1:
        indent, doc = ahead.pop()
        match doc:
            case str():
                text.append(doc)
                column += len(doc)
            case tuple():
                ahead.extend((indent, each) for each in reversed(doc))
            case Group(doc=inner, flat=line):
                fits = line is not None and column + len(line) + _following(ahead) <= width
                ahead.append((indent, line if fits and line is not None else inner))
            case Line():
                text.append("\n" + " " * indent)
                column = indent
            case IfBroken():
                ahead.append((indent, doc.broken))
            case Nest():
                ahead.append((indent + doc.columns, doc.doc))
            case Either(options=(*others, last)):
                ahead.append((indent, next((each for each in others if _begins(each, width - column, ahead)), last)))
    return "".join(text)


def _begins(doc: Doc, room: int, rest: Sequence[_State]) -> bool:
    """Whether a document fits into some columns up to its first line end, or with what follows if it has none."""
    columns, ends = _leading(doc, is_flat=True)
    return columns + (0 if ends else _following(rest)) <= room


def _following(rest: Sequence[_State]) -> int:
    """The number of columns up to the next possible line end."""
    total = 0
    for _, doc in reversed(rest):
        columns, ends = _leading(doc, is_flat=False)
        total += columns
        if ends:
            break
    return total


def _leading(doc: Doc, *, is_flat: bool) -> tuple[int, bool]:
    """The number of columns up to the first possible line end, and whether there is one.

    With `is_flat`, only groups that always break have line ends.
    """
    match doc:
        case str():
            return len(doc), False
        case tuple():
            total = 0
            for each in doc:
                columns, ends = _leading(each, is_flat=is_flat)
                total += columns
                if ends:
                    return total, True
            return total, False
        case Group():
            if is_flat and doc.flat is not None:
                return len(doc.flat), False
            return _leading(doc.doc, is_flat=False)
        case Line():
            return (len(doc.flat), False) if is_flat and not doc.hard else (0, True)
        case IfBroken():
            return len(doc.flat if is_flat else doc.broken), False
        case Nest():
            return _leading(doc.doc, is_flat=is_flat)
        case Either():
            return _leading(doc.options[0 if is_flat else -1], is_flat=is_flat)
