"""YAML text → a tree of texts, listings and tables with their locations.

The tree is built from the events of PyYAML (libyaml), not by its composer: the composer resolves aliases and the types
of plain scalars, so it loses what must be refused and what must stay text. Nothing recurses, so a hostile file hits a
limit instead of the interpreter's stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import yaml

from polywire.ground.finding import Fix
from polywire.ground.location import SourceLocation
from polywire.source import hiding
from polywire.source.hiding import Hidden, unquoted
from polywire.source.report import Faults

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 200
MAX_NODES = 1_000_000
"""Maximum number of nodes of a tree with aliases, where what an alias stands for counts each time."""

LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # line endings according to YAML 1.1


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar. `plain` is true if it had no quotes, so it may be a keyword or a JSON value."""

    text: str
    plain: bool = True
    place: SourceLocation = field(default=SourceLocation("", 0, 0), compare=False)
    offset: int | None = field(default=0, compare=False)
    """The offset of the text from `place`; None if the file does not have the text verbatim in one piece."""
    cut: SourceLocation | None = field(default=None, compare=False)
    """The location of a comment that directly follows a plain scalar on the same line."""
    refused: bool = field(default=False, compare=False)
    """Whether it replaces something that was already reported, and needs no further finding."""

    def at(self, index: int) -> SourceLocation:
        """The location of the character at `index` of the text."""
        if self.offset is None:
            return self.place
        return SourceLocation(self.place.file, self.place.line, self.place.column + self.offset + index)

    @property
    def null(self) -> bool:
        """Whether it is one of the spellings of null in YAML."""
        return self.plain and self.text in _NULLS


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Listing:
    """A sequence."""

    items: tuple[Node, ...]
    place: SourceLocation = field(default=SourceLocation("", 0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; keys are unique texts, in source order."""

    entries: Mapping[str, Entry]
    place: SourceLocation = field(default=SourceLocation("", 0, 0), compare=False)

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.value

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a table and its value."""

    key: Text
    value: Node


Node: TypeAlias = "Text | Listing | Table"


def keys_at(root: Node | None, line: int, column: int) -> tuple[str, ...]:
    """The path to the node at a location: keys of tables and indexes of lists."""
    found: list[str] = []
    node: Node | None = root
    while isinstance(node, (Table, Listing)):
        children: list[tuple[SourceLocation, str, Node]] = (
            [(entry.key.place, key, entry.value) for key, entry in node.entries.items()]
            if isinstance(node, Table)
            else [(item.place, str(number), item) for number, item in enumerate(node.items)]
        )
        before = [each for each in children if (each[0].line, each[0].column) <= (line, column)]
        if not before:
            break
        _, key, node = before[-1]
        found.append(key)
    return tuple(found)


def read(data: bytes, file: str, faults: Faults, *, aliases: bool = False) -> Node | None:
    """The tree of a file; None, with a finding, if it cannot be read. With `aliases`, they are what they stand for."""
    text = decode(data, file, faults)
    if text is None:
        return None
    try:
        return _whole(text, file, faults, aliases=aliases)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _marked(text, file, mark) if mark else SourceLocation(file, 1, 1)
        faults.add("yaml-syntax", place, _problem(error), _next_step(error.problem or ""))
    except yaml.reader.ReaderError as error:
        in_bytes = hiding.LOADER is not yaml.SafeLoader  # libyaml counts them
        before = data[: error.position].decode("utf-8", "ignore") if in_bytes else text[: error.position]
        faults.add("yaml-syntax", place_at(before, file), "YAML does not allow control characters")
    except _UnreadableError:
        pass
    return None


def _whole(text: str, file: str, faults: Faults, *, aliases: bool) -> Node | None:
    """The tree of a text. If it has syntax errors, those of them that quotes would fix are reported, and overlooked."""
    try:
        return _Reader(text, Hidden.of(text, ()), file, faults, aliases=aliases).run()
    except (yaml.MarkedYAMLError, _SplitError):
        return _Reader(text, Hidden.of(text, unquoted(text)), file, faults, aliases=aliases, again=True).run()


def _marked(text: str, file: str, mark: yaml.Mark) -> SourceLocation:
    """The location of a mark. At the end of a text without a final line break, libyaml's mark is one line too far."""
    end = place_at(text, file)
    return end if mark.line >= end.line else SourceLocation(file, mark.line + 1, mark.column + 1)


def decode(data: bytes, file: str, faults: Faults) -> str | None:
    """The text of a file; None, with a finding, if it cannot be decoded."""
    if len(data) > MAX_BYTES:
        faults.add(
            "file-too-large",
            SourceLocation(file, 1, 1),
            f"the file has {len(data)} bytes, at most {MAX_BYTES} are read",
        )
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = place_at(data[: error.start].decode("utf-8"), file)
        faults.add("bad-encoding", place, f"byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8")
        return None
    if text.startswith("\ufeff"):
        faults.add(
            "bad-encoding",
            SourceLocation(file, 1, 1),
            "the file starts with a byte order mark",
            "save it as UTF-8 without BOM",
        )
        return None
    return text


def place_at(before: str, file: str) -> SourceLocation:
    """The location directly after the given text."""
    lines = LINE_BREAK.split(before)
    return SourceLocation(file, len(lines), len(lines[-1]) + 1)


class _UnreadableError(Exception):
    """Raised after a finding if there is no tree to return."""


class _SplitError(Exception):
    """Raised at a type expression in braces whose comma separates two entries, as YAML reads it."""


class _Open:
    """A listing or table that is still being read; in a table, `key` waits for its value."""

    __slots__ = ("anchor", "before", "entries", "flow", "height", "items", "key", "place")

    def __init__(self, place: SourceLocation, anchor: str | None, before: int, *, table: bool, flow: bool) -> None:
        self.place = place
        self.anchor = anchor
        self.before = before
        self.height = 1
        self.flow = flow
        self.items: list[Node] | None = None if table else []
        self.entries: dict[str, Entry] = {}
        self.key: Node | None = None

    def close(self) -> Node:
        return Table(self.entries, self.place) if self.items is None else Listing(tuple(self.items), self.place)


class _Reader:
    """One pass over the events of a file."""

    def __init__(
        self, text: str, hidden: Hidden, file: str, faults: Faults, *, aliases: bool, again: bool = False
    ) -> None:
        self._text = text
        self._hidden = hidden
        self._again = again
        self._anchors: dict[str, tuple[Node, int, int]] | None = {} if aliases else None
        """What may be referred to, with its number of nodes and its levels; None if nothing may."""
        self._count = 0
        """The number of nodes so far."""
        self._file = file
        self._faults = faults
        self._stack: list[_Open] = []
        self._root: Node | None = None

    def run(self) -> Node | None:
        documents = 0
        for event in yaml.parse(self._hidden.text, Loader=hiding.LOADER):
            if isinstance(event, yaml.ScalarEvent):
                self._refuse(event, event.tag, event.anchor)
                self._put(self._scalar(event), event.anchor, self._count)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._refuse(event, event.tag, event.anchor)
                self._start(event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                closed = self._stack.pop()
                self._put(closed.close(), closed.anchor, closed.before, closed.height)
            elif isinstance(event, yaml.AliasEvent):
                self._put(*self._referent(event))
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                self._document(event, documents)
        return self._root

    def _document(self, event: yaml.DocumentStartEvent, count: int) -> None:
        if event.tags:
            self._forbid(event, "`%TAG` directive")
        if count > 1:
            self._faults.add("yaml-syntax", self._place(event), "a second document starts here; expected one per file")
            raise _UnreadableError

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        place = self._place(event)
        self._bound(place, 1)
        is_table = isinstance(event, yaml.MappingStartEvent)
        self._stack.append(_Open(place, event.anchor, self._count, table=is_table, flow=bool(event.flow_style)))

    def _scalar(self, event: yaml.ScalarEvent) -> Text:
        start, end = cast("yaml.Mark", event.start_mark), cast("yaml.Mark", event.end_mark)
        value = self._hidden.shown(event.value)
        place = SourceLocation(self._file, start.line + 1, start.column + 1)
        plain = not event.style
        if plain and bool(self._stack) and self._stack[-1].flow and _SPLIT.search(value) and not self._again:
            raise _SplitError
        if plain and self._again:
            self._quotable(event.value, value, self._text[start.index : end.index], place)
        quotes = 0 if plain else 1
        whole = end.index - start.index == len(value) + 2 * quotes and event.style not in _BLOCK
        cut = self._comment(end) if plain and value else None
        return Text(value, plain, place, quotes if whole else None, cut)

    def _quotable(self, hidden: str, value: str, written: str, place: SourceLocation) -> None:
        """Report a type expression that YAML reads only because its signs are hidden."""
        braces = bool(self._stack) and self._stack[-1].flow
        if self._hidden.is_expression(hidden if braces else hidden[:1]):
            quotes = "'" + value.replace("'", "''") + "'" if '"' in value else f'"{value}"'
            message = f"`{written}` is not quoted{' inside brackets' if braces else ''}"
            self._faults.add("yaml-syntax", place, message, f"write `{quotes}`", Fix(place, written, quotes))

    def _comment(self, end: yaml.Mark) -> SourceLocation | None:
        match = _COMMENT.match(self._text, end.index)
        return match and SourceLocation(self._file, end.line + 1, end.column + match.end() - match.start())

    def _bound(self, place: SourceLocation, levels: int) -> None:
        if len(self._stack) + levels > MAX_DEPTH:
            self._faults.add("yaml-syntax", place, f"nested more than {MAX_DEPTH} levels deep")
            raise _UnreadableError

    def _referent(self, event: yaml.AliasEvent) -> tuple[Node, None, int, int]:
        """What an alias stands for: a place that is complete, so never one that the alias is in."""
        if self._anchors is None:
            self._forbid(event, f"alias `*{event.anchor}`")
        elif event.anchor not in self._anchors:
            self._faults.add("yaml-syntax", self._place(event), f"no anchor `&{event.anchor}` comes before this alias")
        else:
            node, count, height = self._anchors[event.anchor]
            self._bound(self._place(event), height)
            self._count += count
            if self._count > MAX_NODES:
                self._faults.add("yaml-syntax", self._place(event), f"aliases make more than {MAX_NODES:,} nodes")
                raise _UnreadableError
            return node, None, self._count, height
        return Text("", plain=False, place=self._place(event), refused=True), None, self._count, 0

    def _put(self, node: Node, anchor: str | None, before: int, height: int = 0) -> None:
        """Add a node to the one that it is in. With an anchor, it may be referred to, with all since `before`."""
        self._count += 1
        if anchor is not None and self._anchors is not None:
            self._anchors[anchor] = node, self._count - before, height
        if self._stack:
            self._stack[-1].height = max(self._stack[-1].height, height + 1)
        if not self._stack:
            self._root = node
            return
        top = self._stack[-1]
        if top.items is not None:
            top.items.append(node)
        elif top.key is None:
            top.key = node
        else:
            self._enter(top, top.key, node)
            top.key = None

    def _enter(self, table: _Open, key: Node, value: Node) -> None:
        if not isinstance(key, Text):
            self._faults.add("wrong-kind", key.place, "a key must be a string, not a list or mapping")
        elif key.refused:
            pass
        elif key.plain and key.text == "<<":
            self._faults.add("forbidden-yaml", key.place, "merge key `<<`", "use `include`, or write the keys here")
        elif key.text in table.entries:
            first = table.entries[key.text].key.place
            self._faults.add(
                "duplicate-key",
                key.place,
                f"`{key.text}` occurs a second time here",
                f"the first is in line {first.line}",
            )
        else:
            table.entries[key.text] = Entry(key, value)

    def _refuse(self, event: yaml.NodeEvent, tag: str | None, anchor: str | None) -> None:
        if anchor is not None and self._anchors is None:
            self._forbid(event, f"anchor `&{anchor}`")
        if tag is not None:
            self._forbid(event, f"tag `{tag}`")

    def _forbid(self, event: yaml.Event, what: str) -> None:
        self._faults.add(
            "forbidden-yaml", self._place(event), f"{what} is not allowed in a spec", "write the value out"
        )

    def _place(self, event: yaml.Event) -> SourceLocation:
        mark = cast("yaml.Mark", event.start_mark)
        return SourceLocation(self._file, mark.line + 1, mark.column + 1)


_BLOCK = frozenset("|>")
_SPLIT = re.compile(r"<[^>]*$")
_COMMENT = re.compile(r"[ \t]+#")


def _problem(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part)


_INDENT = "indent all keys of a mapping equally; double a quote within quotes"
_NEXT_STEPS = (
    ("mapping values are not allowed", "quote a string that contains `: `, or add the missing `:` to the line before"),
    (
        "expected ','",
        "between brackets, quote a string that contains one of `[ ] { } ,`, or close the open bracket",
    ),
    ("tab character", "indent with spaces"),
    ("cannot start any token", "quote a string that starts with this character; indent with spaces"),
    ("could not find expected ':'", "the line before may be missing its `:`"),
    ("did not find expected key", _INDENT),
    ("expected <block end>", _INDENT),
)
"""What to do about common mistakes, by a part of the message of libyaml or of PyYAML's own parser."""


def _next_step(problem: str) -> str | None:
    return next((step for part, step in _NEXT_STEPS if part in problem), None)
