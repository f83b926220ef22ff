"""Values and prose of the spec → safely escaped Rust source text, formatted like rustfmt.

rustfmt breaks lines by width; it does not format comments or macro calls in braces.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from polywire.targets.common.text import Escapes, fit

WIDTH = 100
"""The maximum line width of rustfmt."""

ESCAPED = Escapes(byte="\\u{{{:x}}}", within="\\u{{{:x}}}", beyond="\\u{{{:x}}}")
markdown = ESCAPED.markdown


def quoted(text: str) -> str:
    """A string literal. A lone surrogate, which no Rust string can hold, becomes U+FFFD."""
    body = re.sub("[\ud800-\udfff]", "\ufffd", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{ESCAPED(body)}"'


_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def spelt(text: str) -> str:
    """Text as the crate spells it between JSON quotes."""
    return "".join(_SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " or "\ud800" <= c <= "\udfff" else c) for c in text)


def key(text: str) -> str:
    """The literal of a key or constant as it is spelt between JSON quotes."""
    return quoted(spelt(text))


def constant(value: str | bool | float) -> str:
    """The literal of the JSON text of a constant."""
    match value:
        case bool():
            return quoted("true" if value else "false")
        case str():
            return quoted(f'"{spelt(value)}"')
        case _:
            return quoted(repr(value))


def float_literal(value: float) -> str:
    """A number as a literal of type double."""
    return repr(float(value))


# --- prose -----------------------------------------------------------------------------------------------------

_MARKUP = re.compile(r"[\\*_\[\]<>]")
_ADDRESS = re.compile(r"https?://[^\s)>\]]*[^\s)>\].,;:]")
_MARKER = re.compile(r"[-*+•#>]|[0-9]+[.)]")


def prose(text: str) -> str:
    """A paragraph as Markdown without markup; text in backquotes stays code."""
    parts = ESCAPED.visible(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:
        parts = ["'".join(parts)]
    return "".join(f"`{part}`" if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(text: str) -> str:
    found, end = "", 0
    for match in _ADDRESS.finditer(text):
        found += _MARKUP.sub(r"\\\g<0>", text[end : match.start()]) + f"<{match[0]}>"
        end = match.end()
    return found + _MARKUP.sub(r"\\\g<0>", text[end:])


def doc(text: str, indent: int = 0) -> str:
    """Prose as a wrapped doc comment; each line but the first is indented by `indent` columns."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if lines:
            lines.append("")
        lines += _wrapped(prose(paragraph), WIDTH - indent - 4)
    return f"\n{' ' * indent}".join(f"/// {line}".rstrip() for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    for at, line in enumerate(lines):
        if _MARKER.match(line):
            lines[at] = f"\\{line}" if at == 0 or " " not in lines[at - 1] else line
            if at and lines[at] == line:
                lines[at - 1], _, word = lines[at - 1].rpartition(" ")
                lines[at] = f"{word} {line}"
    return lines


# --- code ------------------------------------------------------------------------------------------------------


def field(name: str, type_: str) -> str:
    """The line of a public field, indented by four columns."""
    return fit(WIDTH, f"    pub {name}: {type_},", f"    pub {name}:\n        {type_},")


def variant(name: str, type_: str) -> str:
    """The line of a variant that holds a value, indented by four columns."""
    return fit(WIDTH, f"    {name}({type_}),", f"    {name}(\n        {type_},\n    ),")


def initializer(name: str, value: str) -> str:
    """The initializer of a field in a struct literal."""
    return name if name == value else f"{name}: {value}"


def deprecation(note: str | None, indent: int = 0) -> str | None:
    """The attribute of a deprecated item; each line but the first is indented by `indent` columns."""
    if not note:
        return None
    pad = " " * indent
    said = quoted(" ".join(note.split()))
    return fit(WIDTH - indent, f"#[deprecated(note = {said})]", f"#[deprecated(\n{pad}    note = {said}\n{pad})]")


def listed(items: Iterable[str], indent: int = 8) -> str:
    """Items with commas, on lines of at most the width, each indented by `indent` columns."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f" {item},"
        else:
            lines.append(f"{' ' * indent}{item},")
    return "\n".join(lines)


def braced(head: str, items: list[str]) -> str:
    """Arguments of a macro in braces, indented by four columns; on one line if they fit."""
    return fit(WIDTH, f"    {head} {{ {', '.join(items)}, }}", f"    {head} {{\n{listed(items)}\n    }}")


def signature(head: str, parameters: list[str], tail: str, indent: int = 4) -> str:
    """The first line of a function; if it does not fit, one parameter per line."""
    pad = " " * indent
    rows = "".join(f"{pad}    {each},\n" for each in parameters)
    return fit(WIDTH, f"{pad}{head}({', '.join(parameters)}){tail}", f"{pad}{head}(\n{rows}{pad}){tail}")


def arm(pattern: str, value: str, indent: int) -> str:
    """An arm of a match; its value is in a block if the arm does not fit on a line."""
    pad = " " * indent
    return fit(WIDTH, f"{pad}{pattern} => {value},", f"{pad}{pattern} => {{\n{pad}    {value}\n{pad}}}")


def use(head: str, names: list[str]) -> str:
    """An import of several names in the given order. rustfmt keeps two columns free on a single line."""
    if len(names) == 1:
        return f"{head}::{names[0]};"
    rows = textwrap.wrap(", ".join(names) + ",", WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    broken = "".join(f"    {row}\n" for row in rows)
    return fit(WIDTH - 2, f"{head}::{{{', '.join(names)}}};", f"{head}::{{\n{broken}}};")
