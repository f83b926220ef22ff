"""Values and calls → JavaScript expressions, formatted like Prettier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from polywire.targets.common.document import (
    HARD,
    LINE,
    SOFT,
    Doc,
    Either,
    Group,
    IfBroken,
    fill,
    flat,
    group,
    join,
    lay_out,
    listed,
    nest,
)
from polywire.targets.typescript.layout import INDENT, WIDTH, key
from polywire.targets.typescript.layout import literal as scalar


@dataclass(frozen=True, slots=True)
class Code:
    """An expression as source text, on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Later:
    """A function without parameters that returns an expression."""

    body: Expression


Expression: TypeAlias = (
    "Code | Call | Later | str | bool | int | float | Sequence[Expression] | Mapping[str, Expression] | None"
)


@dataclass(frozen=True, slots=True)
class Constant:
    """An exported constant."""

    name: str
    value: Expression


def literal(value: Expression, indent: int, before: int, after: int = 1) -> str:
    """An expression after `before` columns of a line indented by `indent`, and before `after` columns."""
    return lay_out(_document(value), WIDTH, indent, before - indent, after)


def assigned(head: str, value: Expression) -> str:
    """A constant, whose value is on lines of its own if its first line does not fit after the head."""
    pure = "/* @__PURE__ */ " if isinstance(value, Call) else ""
    text = lay_out((head, " = ", pure, _document(value), ";"), WIDTH)
    is_wide = len(text.partition("\n")[0]) > WIDTH
    return lay_out((head, " =", nest(INDENT, HARD, pure, _document(value)), ";"), WIDTH) if is_wide else text


def _document(value: Expression) -> Doc:
    match value:
        case Code(text=text):
            return text
        case Call():
            return _call(value)
        case Later(body=Mapping() | list() | tuple() as body):
            return "() => ", _document(body)
        case Later(body=body):
            return group("() =>", nest(INDENT, LINE, _document(body)))
        case None:
            return "null"
        case str() | bool() | int() | float():
            return scalar(value)
        case Mapping():
            entries = [(f"{key(str(name))}: ", _document(each)) for name, each in value.items()]
            return listed(INDENT, "{", entries, "}", pad=LINE)
        case _ if len(value) > 1 and all(map(_is_number, value)):
            *first, last = map(_document, value)
            numbers = fill((*((each, ",") for each in first), last))
            return group("[", nest(INDENT, SOFT, numbers, IfBroken(",")), SOFT, "]")
        case _:
            return listed(INDENT, "[", [*map(_document, value)], "]", broken=_is_matrix(value))


def _call(call: Call) -> Doc:
    """A call: on one line, or the last argument opens on the line of the call, or each argument has a line."""
    *first, last = call.arguments
    head, docs = f"{call.function}(", [*map(_document, call.arguments)]
    is_long = isinstance(last, Later) and not isinstance(last.body, Code)
    opens = is_long or isinstance(last, Mapping) or (_is_array(last) and not (first and _is_array(first[-1])))
    if not opens or any(isinstance(each, Later) for each in first) or None in map(flat, docs[:-1]):
        return listed(INDENT, head, docs, ")", broken=sum(isinstance(each, Later) for each in call.arguments) > 1)
    line, opened = ((head, join(", ", each), ")") for each in (docs, (*docs[:-1], _opened(last, docs[-1]))))
    apart = listed(INDENT, head, docs, ")", broken=True)
    return Either((opened, apart) if flat(line) is None else (line, opened, apart))


def _opened(value: Expression, doc: Doc) -> Doc:
    """The last argument of a call, on lines of its own except for the first."""
    match value, doc:
        case Later(), Group(doc=body):
            return group(body, IfBroken(","), SOFT, broken=True)
        case Later(), (head, Group(doc=body)):
            return head, group(body, broken=True)
        case _, Group(doc=body):
            return group(body, broken=True)
        case _:
            return doc


def _is_array(value: Expression) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: Expression) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_matrix(value: Sequence[Expression]) -> bool:
    """Whether Prettier breaks an array even if it fits: it has several arrays with more than one item each."""
    return len(value) > 1 and all(isinstance(each, list | tuple) and len(each) > 1 for each in value)
