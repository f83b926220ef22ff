"""Values and prose of the spec → safely escaped TypeScript text, formatted like Prettier.

Characters that hide, reorder or end text are escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from polywire.targets.common.document import LINE, SOFT, Doc, IfBroken, group, join, lay_out, listed, nest
from polywire.targets.common.text import Escapes, wrapped

WIDTH, INDENT = 120, 2
"""The line length and the indentation of generated TypeScript."""

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
    layout: Doc = ""
    """The type as a document, for one whose lines may break elsewhere than in a union."""
    is_method: bool = False
    """Whether `layout` is that of a method."""

    @property
    def document(self) -> Doc:
        """The declaration of the property."""
        name = f"{self.key}{'?' if self.optional else ''}"
        if self.is_method:
            return name, self.layout, ";"
        head = f"{name}:"
        return head, (" ", self.layout) if self.layout else union(self.types), ";"


@dataclass(frozen=True, slots=True)
class Function:
    """A function declaration."""

    head: str
    """Its name, with type parameters."""
    params: tuple[str, ...]
    result: str
    """Its type; empty for a constructor."""


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
    return name if name.replace("$", "_").isidentifier() and ESCAPED(name) == name else quoted(name)


def member_of(value: str, name: str) -> str:
    """The expression for a member of a value."""
    return f"{value}.{name}" if key(name) == name else f"{value}[{quoted(name)}]"


def union(members: Sequence[str]) -> Doc:
    """`A | B` after a head: on its line, on a line of its own, or with one line per member."""
    if len(members) == 1:
        return " ", _single(members[0])
    return group(nest(INDENT, LINE, _either(members)))


def _either(members: Sequence[str]) -> Doc:
    return group(IfBroken("| "), join((LINE, "| "), members))


_KEY = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_OMIT = re.compile(rf"Omit<([\w$]+), ({_KEY}(?: \| {_KEY})*)>")


def _single(member: str) -> Doc:
    """A type that is not a union: only an object and an `Omit` break."""
    if member.startswith("{ [") and member.endswith(" }"):
        return group("{", nest(INDENT, LINE, member[2:-2], IfBroken(";")), LINE, "}")
    if omitted := _OMIT.fullmatch(member):
        keys = _either(re.findall(_KEY, omitted[2]))
        return group("Omit<", nest(INDENT, SOFT, omitted[1], ",", LINE, keys), SOFT, ">")
    return member


def flat(members: Sequence[str]) -> str:
    """`A | B` on one line of any length."""
    return " | ".join(members)


def cell(members: Sequence[str]) -> str:
    """`A | B` for a cell of a Markdown table."""
    return " \\| ".join(members)


def alias(head: str, members: Sequence[str], layout: Doc = "") -> str:
    """The declaration of a type as a union, or as a document."""
    is_whole = len(members) == 1 and isinstance(_single(members[0]), str)
    type_ = (" ", layout) if layout else group(nest(INDENT, LINE, members[0])) if is_whole else union(members)
    return lay_out((f"{head} =", type_, ";"), WIDTH)


def member(each: Property, indent: int) -> str:
    """A property of an interface with its doc comment."""
    return f"{comment(each.doc, indent)}{' ' * indent}{lay_out(each.document, WIDTH, indent)}"


def values(head: str, literals: Sequence[str]) -> str:
    """The declaration of an array of values; one per line if they do not fit."""
    return lay_out(listed(INDENT, f"{head} [", literals, "];"), WIDTH)


_TAG = re.compile(r"(?:(?<=\s)|\A)@(?=\S)")
"""Text that would begin a tag of a doc comment."""


def prose(text: str) -> str:
    """Prose as the text of a doc comment: with the end of the comment, tags and hidden characters escaped."""
    lines = (ESCAPED(line) for line in text.strip().replace("\t", "    ").split("\n"))
    return _TAG.sub("&#64;", "\n".join(lines)).replace("*/", "*\\/")


def comment(paragraphs: str | Iterable[str], indent: int) -> str:
    """A wrapped doc comment of one or more paragraphs; lines but the first are indented. Empty without any.

    A paragraph may contain separate lines, such as the items of a list or a tag.
    """
    texts = [text for text in ((paragraphs,) if isinstance(paragraphs, str) else paragraphs) if text]
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
            lines.extend(wrapped(line, WIDTH - indent - 3, "  " if line.startswith("- ") else "") or [""])
    body = "".join(f"{pad} * {line}".rstrip() + "\n" for line in lines)
    return f"{pad}/**\n{body}{pad} */\n"


def braced(start: str, names: Sequence[str], end: str) -> str:
    """Names in braces, as in an import; one per line if they do not fit."""
    return lay_out(listed(INDENT, start + "{", names, "}" + end, pad=LINE), WIDTH)


def extending(head: str, extends: Sequence[str]) -> str:
    """The head of an interface, without the opening bracket."""
    bases = [*map(_single, extends)]
    if len(bases) == 1:
        return lay_out((head, " extends ", *bases), WIDTH, after=len(" {"))
    listed_bases = group("extends", nest(INDENT, LINE, join((",", LINE), bases)))
    return lay_out(group(head, nest(INDENT, LINE, listed_bases) if bases else ""), WIDTH, after=len(" {"))


def function(start: str, each: Function, indent: int = 0) -> str:
    """The declaration of a function; one parameter per line if it does not fit."""
    result = f": {each.result}" if each.result else ""
    return lay_out((listed(INDENT, f"{start}{each.head}(", each.params, ")"), result, ";"), WIDTH, indent)


@dataclass(frozen=True, slots=True)
class Constant:
    """The declaration of a value: its type is a generic one, optionally intersected with an object type."""

    name: str
    doc: tuple[str, ...]
    generic: str
    parameters: tuple[str, ...]
    members: tuple[str, ...] = ()


def constant(start: str, each: Constant) -> str:
    """The declaration of a value; the members break before the parameters, and a single parameter never does."""
    parameters, members = join((",", LINE), each.parameters), join((";", LINE), each.members)
    if each.members or len(each.parameters) == 1:
        type_: Doc = (f"{each.generic}<", *each.parameters, ">")
    else:
        type_ = group(f"{each.generic}<", nest(INDENT, SOFT, parameters), SOFT, ">")
    also = (" & ", group("{", nest(INDENT, LINE, members, IfBroken(";")), LINE, "}")) if members else ()
    return lay_out((f"{start}{each.name}: ", type_, also, ";"), WIDTH)


LAYOUT: dict[str, object] = {
    function.__name__: function
    for function in (alias, braced, cell, comment, constant, extending, flat, function, member, values)
}
"""The functions that templates use to format text."""
