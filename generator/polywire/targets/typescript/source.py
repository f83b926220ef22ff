"""Values and statements → JavaScript, laid out as Prettier lays it out: what fits on a line stays on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from polywire.targets.typescript.layout import WIDTH, key
from polywire.targets.typescript.layout import literal as scalar


def literal(value: object, indent: int, before: int, after: int = 1) -> str:
    """Arrays of scalars and arrays, behind `before` columns of a line that itself has `indent`; `after` come behind."""
    flat = _flat(value)
    if isinstance(value, str | bool | int | float) or value is None:
        return flat
    if not _must_break(value) and before + len(flat) + after <= WIDTH:
        return flat
    deeper = indent + 2
    pad = " " * deeper
    if isinstance(value, Mapping):
        lines = [f"{pad}{key(str(name))}: {_flat(each)},\n" for name, each in value.items()]
        return "{\n" + "".join(lines) + " " * indent + "}"
    assert isinstance(value, Sequence)  # noqa: S101 (what a table is made of)
    if len(value) > 1 and all(_is_number(each) for each in value):
        return "[\n" + _filled([_flat(each) for each in value], deeper) + " " * indent + "]"
    lines = [f"{pad}{literal(each, deeper, deeper)},\n" for each in value]
    return "[\n" + "".join(lines) + " " * indent + "]"


def _flat(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str | bool | int | float):
        return scalar(value)
    assert isinstance(value, Sequence | Mapping)  # noqa: S101
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(str(name))}: {_flat(each)}" for name, each in value.items()) + " }"
    return "[" + ", ".join(_flat(each) for each in value) + "]"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _must_break(value: object) -> bool:
    """Whether Prettier breaks a value that fits: an object, and an array of arrays with more than one item each."""
    if isinstance(value, Mapping):
        return True
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) > 1
        and all(isinstance(each, Sequence) and not isinstance(each, str) and len(each) > 1 for each in value)
    ) or (isinstance(value, Sequence) and not isinstance(value, str) and any(map(_must_break, value)))


def _filled(items: Sequence[str], indent: int) -> str:
    """As many on a line as fit."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and indent + len(line) + len(item) + 2 > WIDTH:
            lines.append(line)
            line = ""
        line += (" " if line else "") + item + ","
    return "".join(f"{' ' * indent}{each}\n" for each in (*lines, line))


# --- statements ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A statement on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """A return of 0 if all terms are true."""

    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class Return:
    """A return of whether all terms are true."""

    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class If:
    """A block that runs if all terms are true."""

    terms: Sequence[str]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A `for` loop."""

    head: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """The labels of a switch that lead to one body."""

    labels: tuple[str, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """A `switch` with a default."""

    subject: str
    cases: tuple[Case, ...]
    default: tuple[Statement, ...]


Statement: TypeAlias = "Line | Refuse | Return | If | Loop | Switch"


def block(statements: Sequence[Statement], indent: int) -> str:
    """Statements, each on lines of its own."""
    return "".join(_statement(each, indent) for each in statements)


def _statement(statement: Statement, indent: int) -> str:
    pad = " " * indent
    match statement:
        case Line(text=text):
            return f"{pad}{text}\n"
        case Refuse(terms=terms):
            return _refused(terms, indent)
        case Return(terms=terms):
            return _returned(terms, indent)
        case If(terms=terms, body=body):
            return f"{_opened(terms, indent)}{block(body, indent + 2)}{pad}}}\n"
        case Loop(head=head, body=body):
            return f"{pad}for ({head}) {{\n{block(body, indent + 2)}{pad}}}\n"
        case Switch(subject=subject, cases=cases, default=default):
            inner = "".join(_case(each, indent + 2) for each in cases)
            last = f"{pad}  default:\n{block(default, indent + 4)}"
            return f"{pad}switch ({subject}) {{\n{inner}{last}{pad}}}\n"


def _case(case: Case, indent: int) -> str:
    pad = " " * indent
    return "".join(f"{pad}case {label}:\n" for label in case.labels) + block(case.body, indent + 2)


def _refused(terms: Sequence[str], indent: int) -> str:
    pad = " " * indent
    joined = " && ".join(terms)
    if indent + len(joined) + len("if () return 0;") <= WIDTH:
        return f"{pad}if ({joined}) return 0;\n"
    if len(terms) == 1 or indent + len(joined) + len("if ()") <= WIDTH:
        return f"{pad}if ({joined})\n{pad}  return 0;\n"
    return f"{pad}if (\n{_terms(terms, indent)}{pad})\n{pad}  return 0;\n"


def _returned(terms: Sequence[str], indent: int) -> str:
    pad = " " * indent
    joined = " && ".join(terms)
    if indent + len(joined) + len("return ;") <= WIDTH:
        return f"{pad}return {joined};\n"
    inner = f"{pad}  {joined}\n" if indent + 2 + len(joined) <= WIDTH else _terms(terms, indent)
    return f"{pad}return (\n{inner}{pad});\n"


def _opened(terms: Sequence[str], indent: int) -> str:
    pad = " " * indent
    joined = " && ".join(terms)
    if len(terms) == 1 or indent + len(joined) + len("if () {") <= WIDTH:
        return f"{pad}if ({joined}) {{\n"
    return f"{pad}if (\n{_terms(terms, indent)}{pad}) {{\n"


def _terms(terms: Sequence[str], indent: int) -> str:
    pad = " " * (indent + 2)
    return "".join(f"{pad}{term}{' &&' if at < len(terms) - 1 else ''}\n" for at, term in enumerate(terms))
