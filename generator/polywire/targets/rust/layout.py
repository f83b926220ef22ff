"""Values and prose of the spec → safely escaped Rust source text, formatted like rustfmt.

rustfmt does not format comments or macro calls in braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from polywire.model.nodes import About
from polywire.plan.needs import Needs
from polywire.targets.common.document import LINE, SOFT, Doc, Either, IfBroken, fill, flat, group, items, lay_out, nest
from polywire.targets.common.document import listed as bracketed
from polywire.targets.common.prose import paragraphs
from polywire.targets.common.text import Escapes, code_spans, wrapped

WIDTH, INDENT = 100, 4
"""The maximum line width of rustfmt, and its indentation."""

SHORT = 60
"""How wide the arguments of a call, and the items of a tuple, may be on one line."""

ESCAPED = Escapes(byte="\\u{{{:x}}}", within="\\u{{{:x}}}", beyond="\\u{{{:x}}}")


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


def float_literal(value: float) -> str:
    """A number as a literal of type double."""
    return repr(float(value))


# --- prose -----------------------------------------------------------------------------------------------------

_MARKUP = re.compile(r"[\\*_\[\]<>]")
_ADDRESS = re.compile(r"(https?://[^\s)>\]]*[^\s)>\].,;:])")
_MARKER = re.compile(r"[-*+•#>]|[0-9]+[.)]")


def prose(text: str) -> str:
    """A paragraph as Markdown without markup; text in backquotes stays code."""
    parts = code_spans(ESCAPED.visible(" ".join(text.split())))
    return "".join(f"`{part}`" if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(text: str) -> str:
    parts = _ADDRESS.split(text)
    return "".join(f"<{part}>" if at % 2 else _MARKUP.sub(r"\\\g<0>", part) for at, part in enumerate(parts))


def doc(text: str, indent: int = 0) -> str:
    """Prose as a wrapped doc comment; each line but the first is indented by `indent` columns."""
    paragraphs = (_wrapped(prose(each), WIDTH - indent - 4) for each in re.split(r"\n\s*\n", text.strip()))
    lines = [line for paragraph in paragraphs for line in ("", *paragraph)][1:]
    return f"\n{' ' * indent}".join(f"/// {line}".rstrip() for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    lines = wrapped(text, width)
    for at, line in enumerate(lines):
        if _MARKER.match(line):
            lines[at] = f"\\{line}" if at == 0 or " " not in lines[at - 1] else line
            if at and lines[at] == line:
                lines[at - 1], _, word = lines[at - 1].rpartition(" ")
                lines[at] = f"{word} {line}"
    return lines


# --- code ------------------------------------------------------------------------------------------------------


def line(doc: Doc, indent: int = INDENT, above: str = "") -> str:
    """A document on its own lines, the first one indented too, below what is above it."""
    return " " * indent + above + lay_out(doc, WIDTH, indent)


def type_doc(text: str) -> Doc:
    """A type, whose lines may break within its brackets. Items of a tuple are on a line only if they are short."""
    if text[-1:] not in (">", ")") or "->" in text:
        return text
    head = re.split(r"(?<=[<(])", text, maxsplit=1)[0]
    parts = items(text[len(head) : -1], "<(", ">)")
    if len(parts) == 1 and head[-1] == "<" and parts[0].startswith("("):
        return head, type_doc(parts[0]), text[-1]
    is_wide = head == "(" and len(text) - 2 > SHORT
    return bracketed(INDENT, head, [*map(type_doc, parts)], text[-1], broken=is_wide)


def opened(head: str) -> str:
    """The first line of a declaration in braces."""
    return lay_out(group(head, LINE, "{"), WIDTH)


def field(name: str, type_: str, above: str = "") -> str:
    """A public field."""
    return _placed(f"pub {name}:", type_, ",", INDENT, above)


def _placed(head: str, type_: str, end: str, indent: int, above: str = "") -> str:
    """A type in a declaration; one that fits on a line of its own is not broken."""
    doc, is_apart = type_doc(type_), indent + INDENT + len(type_) < WIDTH
    if flat(doc) is not None and is_apart:
        return line(group(head, nest(INDENT, LINE, type_, end)), indent, above)
    return line((head, " ", doc, end), indent, above)


def alias(head: str, type_: str) -> str:
    """The declaration of another name for a type."""
    return _placed(f"{head} =", type_, ";", 0)


def variant(name: str, type_: str, above: str = "") -> str:
    """A variant that holds a value."""
    return line(bracketed(INDENT, f"{name}(", [type_doc(type_)], "),"), above=above)


def initializer(name: str, value: str) -> str:
    """The initializer of a field in a struct literal."""
    return name if name == value else f"{name}: {value}"


def above(text: str, deprecated: str | None = None, indent: int = 0) -> str:
    """What is above an item that is indented by some columns: its documentation, and an attribute if it is deprecated.

    Its last line is the indentation of the item.
    """
    note = quoted(" ".join((deprecated or "").split()))
    attribute = group("#[deprecated(", nest(INDENT, SOFT, "note = ", note), SOFT, ")]")
    parts = doc(text, indent), lay_out(attribute, WIDTH, indent) if deprecated else ""
    return f"\n{' ' * indent}".join((*filter(None, parts), ""))


def documentation(about: About, fallback: str) -> str:
    """The text of a doc comment; `fallback` if there is no description. Deprecation is expressed by an attribute."""
    return "\n\n".join(paragraphs(about)) or fallback


def described(about: About, fallback: str, indent: int = 0) -> str:
    """What is above an item: its documentation, and an attribute if it is deprecated."""
    return above(documentation(about, fallback), about.deprecated, indent)


def braced(head: str, items: Iterable[str]) -> str:
    """Arguments of a macro in braces; on one line if they fit."""
    inner = fill((each, ",") for each in items)  # as many on each line as fit
    return line(group(f"{head} {{", (nest(INDENT, LINE, inner), LINE) if inner else "", "}"))


def signature(head: str, parameters: Sequence[str], tail: str, indent: int = INDENT, above: str = "") -> str:
    """The first line of a function; if it does not fit, one parameter per line."""
    docs = [(name, colon, type_doc(type_)) for name, colon, type_ in (each.partition(": ") for each in parameters)]
    return line(bracketed(INDENT, f"{head}(", docs, f"){tail}"), indent, above)


def chain(value: str, call: str) -> Doc:
    """A call of a method, on a line of its own if it does not fit."""
    return group(value, nest(INDENT, SOFT, call))


def arm(pattern: str, value: Doc, indent: int) -> str:
    """An arm of a match; its value is in a block if the arm does not fit on a line, but the pattern does."""
    block = (IfBroken("{"), nest(INDENT, SOFT, value), SOFT, IfBroken("}", ","))
    return line((_pattern(pattern, indent), " => ", group(*block)), indent)


def _pattern(text: str, column: int) -> Doc:
    return Either((text, _broken(text, column))) if text[-1] == ")" else text


def _broken(text: str, column: int) -> Doc:
    """A pattern on several lines; one in it begins on the first line if its start and the ends of both fit there."""
    head, inner = re.split(r"(?<=\()", text[:-1], maxsplit=1)
    start = column + len(head) + inner.find("(") + 1
    if inner[-1] == ")" and start + len(")) => ") <= WIDTH:
        return head, _broken(inner, column + len(head)), ")"
    return bracketed(INDENT, head, [_pattern(inner, column + INDENT)], ")", broken=True)


def predicate(needs: Needs) -> str:
    """The condition of compilation for what needs something."""
    features = [f'feature = "{each}"' for each in sorted(needs)]
    return f"any({', '.join(features)})" if len(features) > 1 else "".join(features)


def condition(needs: Needs) -> str | None:
    """The attribute of an item that a crate has only for what needs it; None for one that it always has."""
    return f"#[cfg({predicate(needs)})]" if needs else None


def use(head: str, names: Sequence[str]) -> str:
    """An import of several names, sorted by their case. rustfmt keeps two columns free on a single line, else one."""
    *first, last = sorted(names, key=lambda name: (name.isupper(), name[0].isupper(), name))
    if not first:
        return lay_out((head, "::", last, ";"), WIDTH)
    items = (*fill((*((each, ",") for each in first), last)), IfBroken(","))
    return lay_out(group(f"{head}::{{", nest(INDENT, SOFT, items), SOFT, "};"), WIDTH - 1, after=1)


LAYOUT: dict[str, object] = {each.__name__: each for each in (alias, opened, prose, quoted, signature, use)}
"""The functions that templates use to format text."""
