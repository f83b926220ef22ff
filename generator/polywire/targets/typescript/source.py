"""Values and conditions → JavaScript, laid out as Prettier lays it out: what fits on a line stays on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def refused(terms: Sequence[str], indent: int) -> str:
    """A test of all terms after which the answer is 0."""
    pad = " " * indent
    joined = " && ".join(terms)
    if indent + len(joined) + len("if () return 0;") <= WIDTH:
        return f"{pad}if ({joined}) return 0;"
    if len(terms) == 1 or indent + len(joined) + len("if ()") <= WIDTH:
        return f"{pad}if ({joined})\n{pad}  return 0;"
    return f"{pad}if (\n{_terms(terms, indent)}{pad})\n{pad}  return 0;"


def opened(terms: Sequence[str], indent: int) -> str:
    """A test of all terms that opens a block."""
    pad = " " * indent
    joined = " && ".join(terms)
    if len(terms) == 1 or indent + len(joined) + len("if () {") <= WIDTH:
        return f"{pad}if ({joined}) {{"
    return f"{pad}if (\n{_terms(terms, indent)}{pad}) {{"


def _terms(terms: Sequence[str], indent: int) -> str:
    pad = " " * (indent + 2)
    return "".join(f"{pad}{term}{' &&' if at < len(terms) - 1 else ''}\n" for at, term in enumerate(terms))
