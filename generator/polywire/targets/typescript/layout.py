"""Values and prose of the spec → safely escaped TypeScript text, formatted like Prettier.

Line breaks follow the formatter's rule: what fits on a line stays on it; otherwise each member gets a line. Characters
that hide, reorder or end text are escaped.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from polywire.targets.common.text import Escapes

WIDTH = 120
"""The line length of generated TypeScript."""

ESCAPED = Escapes(byte="\\x{:02x}", beyond="\\u{{{:x}}}")
quoted, markdown = cache(ESCAPED.quoted), ESCAPED.markdown  # tables contain the same few strings many times


@dataclass(frozen=True, slots=True)
class Property:
    """A property of an object type."""

    key: str
    """The key as it is written, bare or in quotes."""
    types: tuple[str, ...]
    """The members of its union type; usually one."""
    optional: bool = False
    doc: tuple[str, ...] = ()
    broken: str = ""
    """A function's type on several lines, used if a single line is too long."""
    generic: str = ""
    """The generic type whose argument is the union."""

    @property
    def head(self) -> str:
        """The text before the type."""
        return f"{self.key}{'?' if self.optional else ''}:"


@dataclass(frozen=True, slots=True)
class Function:
    """A function declaration."""

    head: str
    """Its name, with type parameters."""
    params: tuple[str, ...]
    result: str


def literal(value: str | bool | float) -> str:
    """A JSON scalar as a literal."""
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def template(glob: str) -> str:
    """A glob as the type of the strings that it matches: `error_*` → `error_${string}` in backquotes."""
    parts = [ESCAPED(re.sub(r"[`$\\]", r"\\\g<0>", part)) for part in glob.split("*")]
    return "`" + "${string}".join(parts) + "`"


def starting(prefix: str) -> str:
    """The type of the strings with a prefix."""
    escaped = ESCAPED(re.sub(r"[`$\\]", r"\\\g<0>", prefix))
    return f"`{escaped}${{string}}`"


def key(name: str) -> str:
    """The name of a member of a type, without quotes if possible."""
    return name if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) else quoted(name)


def member_of(value: str, name: str) -> str:
    """The expression for a member of a value."""
    return f"{value}.{name}" if key(name) == name else f"{value}[{quoted(name)}]"


def union(members: Sequence[str], indent: int, before: int, after: int = 1) -> str:
    """`A | B` after a head of `before` columns, including the space or line end between the two.

    If it does not fit after the head, it gets a line of its own; if it does not fit there either, one line per member.
    """
    flat = " | ".join(members)
    if len(members) == 1 or before + 1 + len(flat) + after <= WIDTH:
        return " " + flat
    pad = " " * (indent + 2)
    if len(pad + flat) + after <= WIDTH:
        return f"\n{pad}{flat}"
    return "".join(f"\n{pad}| {member}" for member in members)


def flat(members: Sequence[str]) -> str:
    """`A | B` on one line of any length."""
    return " | ".join(members)


def cell(members: Sequence[str]) -> str:
    """`A | B` for a cell of a Markdown table."""
    return " \\| ".join(members)


def alias(name: str, members: Sequence[str]) -> str:
    """The declaration of a type as a union."""
    head = f"export type {name} ="
    return f"{head}{union(members, 0, len(head))};"


def member(each: Property, indent: int) -> str:
    """A property of an interface with its doc comment; a function's type on several lines if one is too long."""
    before = indent + len(each.head)
    if each.generic:
        type_ = f" {generic(each.generic, each.types, indent, before + 1)}"
    else:
        type_ = union(each.types, indent, before)
    if each.broken and before + len(type_) + 1 > WIDTH:
        type_ = f" {each.broken}"
    return f"{comment(each.doc, indent)}{' ' * indent}{each.head}{type_};"


def generic(name: str, members: Sequence[str], indent: int, before: int) -> str:
    """`name<A | B>` after `before` columns; the union is on separate lines if it is too long."""
    flat = f"{name}<{' | '.join(members)}>"
    if before + len(flat) + 1 <= WIDTH:
        return flat
    pad = " " * (indent + 2)
    lines = [" | ".join(members)]
    if len(pad + lines[0]) > WIDTH:
        lines = [f"| {member}" for member in members]
    return "\n".join((f"{name}<", *(pad + line for line in lines), " " * indent + ">"))


def members(properties: Sequence[Property]) -> str:
    """The block of an object type."""
    return "{\n" + "".join(f"{member(each, 2)}\n" for each in properties) + "}" if properties else "{}"


def values(name: str, literals: Sequence[str]) -> str:
    """The declaration of an array of values; one per line if they do not fit."""
    head = f"export declare const {name}: readonly ["
    flat = f"{head}{', '.join(literals)}];"
    if len(flat) <= WIDTH:
        return flat
    return head + "\n" + "".join(f"  {each},\n" for each in literals) + "];"


def map_of(entries: Sequence[tuple[str, str]]) -> str:
    """A `Map` from strings to expressions, with one entry per line unless there is only one."""
    rows = [f"[{quoted(name)}, {value}]" for name, value in entries]
    if len(rows) < 2:
        return f"new Map([{''.join(rows)}])"
    return "new Map([\n" + "".join(f"  {row},\n" for row in rows) + "])"


_TAG = re.compile(r"(?:(?<=\s)|\A)@(?=\S)")
"""Text that would begin a tag of a doc comment."""


def prose(text: str) -> str:
    """Prose as the text of a doc comment: with the end of the comment, tags and hidden characters escaped."""
    lines = (ESCAPED(line) for line in text.strip().replace("\t", "    ").split("\n"))
    return _TAG.sub("&#64;", "\n".join(lines)).replace("*/", "*\\/")


def comment(paragraphs: Iterable[str], indent: int) -> str:
    """A wrapped doc comment of some paragraphs; lines but the first are indented by `indent` spaces. Empty without any.

    A paragraph may contain separate lines, such as the items of a list or a tag.
    """
    texts = [text for text in paragraphs if text]
    if not texts:
        return ""
    pad = " " * indent
    if len(texts) == 1 and "\n" not in texts[0] and indent + len(texts[0]) + 7 <= WIDTH:
        return f"{pad}/** {texts[0]} */\n"
    lines: list[str] = []
    for at, text in enumerate(texts):
        if at:
            lines.append("")
        for line in text.split("\n"):
            lines.extend(_wrapped(line, WIDTH - indent - 3) or [""])
    body = "".join(f"{pad} * {line}".rstrip() + "\n" for line in lines)
    return f"{pad}/**\n{body}{pad} */\n"


def _wrapped(line: str, width: int) -> list[str]:
    further = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=further)


def interface(name: str, extends: Sequence[str]) -> str:
    """The head of an interface, without the opening bracket."""
    head = f"export interface {name}"
    flat = f"{head} extends {', '.join(extends)}" if extends else head
    if len(flat) + 2 <= WIDTH:
        return flat
    return f"{head}\n  extends {(',' + chr(10) + '    ').join(extends)}"


def function(each: Function) -> str:
    """The declaration of a function; one parameter per line if it does not fit."""
    return _signature(f"export declare function {each.head}", each.params, f": {each.result};", 0)


def maker(params: Sequence[str]) -> str:
    """The declaration of a constructor in a class."""
    return _signature("  constructor", params, ";", 2)


def method(each: Function) -> str:
    """The declaration of a method in a class."""
    return _signature(f"  {each.head}", each.params, f": {each.result};", 2)


def _signature(head: str, params: Sequence[str], end: str, indent: int) -> str:
    flat = f"{head}({', '.join(params)}){end}"
    if len(flat) <= WIDTH:
        return flat
    pad = " " * indent
    return f"{head}(\n" + "".join(f"{pad}  {param},\n" for param in params) + f"{pad}){end}"


@dataclass(frozen=True, slots=True)
class Constant:
    """The declaration of a value: its type is a generic one, optionally intersected with an object type."""

    name: str
    doc: tuple[str, ...]
    generic: str
    parameters: tuple[str, ...]
    members: tuple[str, ...] = ()


def constant(each: Constant) -> str:
    """The declaration of a value, on several lines if it does not fit."""
    start = f"export declare const {each.name}: {each.generic}<"
    also = f" & {{ {'; '.join(each.members)} }}" if each.members else ""
    flat = f"{start}{', '.join(each.parameters)}>{also};"
    if len(flat) <= WIDTH or (len(each.parameters) == 1 and not each.members):
        return flat  # a single parameter stays on the line, whatever its length
    if each.members:
        return f"{start}{', '.join(each.parameters)}> & {{\n" + "".join(f"  {m};\n" for m in each.members) + "};"
    return start + "\n" + ",\n".join(f"  {parameter}" for parameter in each.parameters) + "\n>;"


LAYOUT: dict[str, object] = {
    function.__name__: function
    for function in (alias, cell, comment, constant, flat, function, interface, maker, member, members, method, values)
}
"""The functions that templates use to format text."""
