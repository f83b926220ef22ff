"""Values and prose of the spec → safely escaped Rust source text, formatted like rustfmt.

rustfmt does not format comments or macro calls in braces.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from polywire.plan.needs import Needs
from polywire.targets.common.document import LINE, SOFT, Doc, IfBroken, fill, group, lay_out, nest
from polywire.targets.common.document import listed as bracketed
from polywire.targets.common.text import Escapes, code_spans

WIDTH, INDENT = 100, 4
"""The maximum line width of rustfmt, and its indentation."""

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
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
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


def field(name: str, type_: str, above: str = "") -> str:
    """A public field."""
    return line(group(f"pub {name}:", nest(INDENT, LINE, type_, ",")), above=above)


def variant(name: str, type_: str, above: str = "") -> str:
    """A variant that holds a value."""
    return line(bracketed(INDENT, f"{name}(", [type_], "),"), above=above)


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


def filled(items: Iterable[str]) -> Doc:
    """Items with commas, as many on each line as fit."""
    return fill((each, ",") for each in items)


def braced(head: str, items: Iterable[str]) -> str:
    """Arguments of a macro in braces; on one line if they fit."""
    inner = filled(items)
    return line(group(f"{head} {{", (nest(INDENT, LINE, inner), LINE) if inner else "", "}"))


def signature(head: str, parameters: Sequence[str], tail: str, indent: int = INDENT, above: str = "") -> str:
    """The first line of a function; if it does not fit, one parameter per line."""
    return line(bracketed(INDENT, f"{head}(", parameters, f"){tail}"), indent, above)


def arm(pattern: str, value: str, indent: int) -> str:
    """An arm of a match; its value is in a block if the arm does not fit on a line."""
    block = (IfBroken("{"), nest(INDENT, SOFT, value), SOFT, IfBroken("}", ","))
    return line(group(f"{pattern} => ", *block), indent)


def predicate(needs: Needs) -> str:
    """The condition of compilation for what needs something."""
    features = [f'feature = "{each}"' for each in sorted(needs)]
    return f"any({', '.join(features)})" if len(features) > 1 else "".join(features)


def condition(needs: Needs) -> str | None:
    """The attribute of an item that a crate has only for what needs it; None for one that it always has."""
    return f"#[cfg({predicate(needs)})]" if needs else None


def use(head: str, names: Sequence[str]) -> str:
    """An import of several names. rustfmt sorts them by how they are spelt, and keeps two columns free on a line."""
    *first, last = sorted(names, key=lambda name: (name.isupper(), name[0].isupper(), name))
    if not first:
        return lay_out((head, "::", last, ";"), WIDTH)
    items = (*fill((*((each, ",") for each in first), last)), IfBroken(","))
    return lay_out(group(f"{head}::{{", nest(INDENT, SOFT, items), SOFT, "};"), WIDTH, after=2)
