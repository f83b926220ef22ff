"""Values and calls → JavaScript expressions, formatted like Prettier: what fits on a line stays on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from polywire.targets.typescript.layout import WIDTH, key
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


def literal(value: Expression, indent: int, before: int, after: int = 1) -> str:
    """An expression after `before` columns of a line indented by `indent`, and before `after` columns."""
    flat = _flat(value)
    if not isinstance(value, Call | Later | Mapping) and not _is_array(value):
        return flat
    if not _must_break(value) and before + len(flat) + after <= WIDTH:
        return flat
    match value:
        case Call():
            return _call(value, indent, before)
        case Later(body=body):
            return _later(body, indent, before, after)
        case Mapping():
            entries = [(f"{key(str(name))}: ", each) for name, each in value.items()]
            return "{\n" + _lines(entries, indent) + "}"
        case _:
            assert isinstance(value, Sequence)  # noqa: S101 (the only remaining type)
            if len(value) > 1 and all(_is_number(each) for each in value):
                return "[\n" + _filled([_flat(each) for each in value], indent + 2) + " " * indent + "]"
            return "[\n" + _lines((("", each) for each in value), indent) + "]"


def _lines(entries: Iterable[tuple[str, Expression]], indent: int) -> str:
    """Items in brackets, one per line, and the indentation of the closing bracket."""
    deeper = indent + 2
    pad = " " * deeper
    lines = [f"{pad}{head}{literal(each, deeper, deeper + len(head))},\n" for head, each in entries]
    return "".join(lines) + " " * indent


def _call(call: Call, indent: int, before: int) -> str:
    """A call that does not fit: its last argument opens on the line of the call if possible."""
    *first, last = call.arguments
    head = f"{call.function}({''.join(f'{_flat(each)}, ' for each in first)}"
    opens = isinstance(last, Later | Mapping) or (_is_array(last) and not (first and _is_array(first[-1])))
    if (
        opens
        and not any(isinstance(each, Later) or _must_break(each) for each in first)
        and before + len(head) + 1 <= WIDTH
    ):
        hugged = literal(last, indent, before + len(head), 2)
        if before + len(head) + len(hugged.split("\n", maxsplit=1)[0]) <= WIDTH:
            ends = f",\n{' ' * indent})" if isinstance(last, Later) and isinstance(last.body, Call) else ")"
            return head + hugged + ends
    return f"{call.function}(\n{_lines((('', each) for each in call.arguments), indent)})"


def _later(body: Expression, indent: int, before: int, after: int) -> str:
    head = "() => "
    if isinstance(body, Call):
        pad = " " * (indent + 2)
        return f"() =>\n{pad}{literal(body, indent + 2, indent + 2)}"
    return head + literal(body, indent, before + len(head), after)


def _flat(value: Expression) -> str:
    match value:
        case Code(text=text):
            return text
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(_flat, arguments))})"
        case Later(body=body):
            return f"() => {_flat(body)}"
        case None:
            return "null"
        case str() | bool() | int() | float():
            return scalar(value)
        case Mapping():
            return "{ " + ", ".join(f"{key(str(name))}: {_flat(each)}" for name, each in value.items()) + " }"
        case _:
            return "[" + ", ".join(map(_flat, value)) + "]"


def _is_array(value: Expression) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: Expression) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _must_break(value: Expression) -> bool:
    """Whether Prettier breaks a value even if it fits: an array of arrays with more than one item each."""
    match value:
        case Call(arguments=parts):  # each of several functions has its own line
            return sum(isinstance(each, Later) for each in parts) > 1 or any(map(_must_break, parts))
        case Later(body=body):
            return _must_break(body)
        case Mapping():
            return any(map(_must_break, value.values()))
        case str():
            return False
        case Sequence():
            matrix = len(value) > 1 and all(
                isinstance(each, Sequence) and _is_array(each) and len(each) > 1 for each in value
            )
            return matrix or any(map(_must_break, value))
        case _:
            return False


def _filled(items: Sequence[str], indent: int) -> str:
    """Lines with as many items as fit."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and indent + len(line) + len(item) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += (" " if line else "") + item + ","
    return "".join(f"{' ' * indent}{each}\n" for each in (*lines, line))
