"""Declarations as written, with their history → the declarations of one release.

A projection works on trees, like an overlay, so that later steps see declarations without a history. Texts keep their
locations. Only prose remains of the history: `since`, `until`, `in`, the former name of a renamed declaration
(`formerly`), and the later name of one that still has its old name (`later`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

from polywire.model.declared import KINDS, Item, text, twice
from polywire.model.releases import Releases, ends
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text

LATER = "later"
"""The key under which a projection keeps the name used in later releases; not a key of the spec language."""


class History:
    """Projects the declarations of a spec; a declaration that two releases share stays the same object."""

    def __init__(self, items: Sequence[Item], releases: Releases) -> None:
        self.items = items
        self._releases = releases
        self._cuts = [sorted(set(self._changes(item.body))) for item in items]
        self._done: dict[tuple[int, int], Item | None] = {}

    def at(self, release: str) -> list[Item]:
        """The declarations that a release has, under their names in the newest release."""
        return [found for n in range(len(self.items)) if (found := self.item_at(n, release)) is not None]

    def over(self, releases: Sequence[str]) -> list[Item]:
        """The declarations that any of the releases has, under every name that they have in these."""
        found: dict[tuple[str, str], Item] = {}
        for number in range(len(self.items)):
            for release in reversed(releases):
                item = self.item_at(number, release)
                if item is not None:
                    found.setdefault((item.space, item.name), item)
        return list(found.values())

    def item_at(self, number: int, release: str) -> Item | None:
        """One declaration as a release has it, or None if it does not exist there."""
        cuts = self._cuts[number]
        item = self.items[number]
        at = self._releases.index(release) or 0
        key = number, bisect_right(cuts, at)
        if key not in self._done:
            self._done[key] = self._project(item, at)
        return self._done[key]

    def names_at(self, release: str) -> dict[str, str]:
        """The names in a release of those declarations that are renamed later, by their newest names."""
        at = self._releases.index(release) or 0
        found = {}
        for item in self.items:
            old = self._old_name(item.body, at) if item.section in KINDS else None
            if old is not None and self._there(item.body, at):
                found[item.name] = old
        return found

    # --- releases with changes ---

    def _changes(self, node: Node) -> Iterator[int]:
        """The releases that may differ from their predecessor according to a node."""
        match node:
            case Table(entries):
                for name in entries:
                    yield from self._bounds(name, entries[name].value)
                    yield from self._changes(entries[name].value)
            case Listing(nodes):
                for item in nodes:
                    yield from self._changes(item)

    def _bounds(self, name: str, value: Node) -> Iterator[int]:
        if name == "since" and isinstance(value, Text):
            yield from self._first(value.text)
        elif name == "until" and isinstance(value, Text):
            yield from self._after(value.text)
        elif name == "in" and isinstance(value, Listing):
            for item in value.items:
                if isinstance(item, Text):
                    first, last = ends(item.text)
                    yield from self._first(first)
                    yield from self._after(last or "")

    def _first(self, name: str) -> Iterator[int]:
        at = self._releases.index(name)
        if at is not None:
            yield at

    def _after(self, name: str) -> Iterator[int]:
        yield from (at + 1 for at in self._first(name))

    # --- single declarations ---

    def _project(self, item: Item, at: int) -> Item | None:
        if not self._there(item.body, at):
            return None
        body = self._body(item.body, at, self._PARTS)
        if item.section not in KINDS and (old := self._old_name(item.body, at)) is not None:
            body = Table({key: entry for key, entry in body.entries.items() if key != "name"}, body.place)
            return replace(item, key=replace(item.key, text=old), body=_later(body, item.name))
        return replace(item, body=body)

    def _there(self, body: Node, at: int) -> bool:
        return not isinstance(body, Table) or bool(self._releases.of(body) >> at & 1)

    def _body(self, body: Table, at: int, parts: Mapping[str, _Part]) -> Table:
        """A body with its parts at a release; the same object if it has no history."""
        entries = dict(body.entries)
        for key, part in parts.items():
            if key in entries:
                entries[key] = replace(entries[key], value=part(self, entries[key].value, at))
        entry = entries.get("deprecated")
        if entry is not None and isinstance(entry.value, Table):
            self._deprecated(entries, entry, entry.value, at)
        since = text(body, "since")
        if since is not None and self._releases.index(since) == 0:
            del entries["since"]  # no need to mention that it was there from the beginning
        held = self._held(body, at)
        entries.pop("was", None)
        if held is not None and (type_ := held.get("type")) is not None and "type" in entries:
            entries["type"] = Entry(entries["type"].key, type_)
        return Table(entries, body.place)

    def _deprecated(self, entries: dict[str, Entry], entry: Entry, body: Table, at: int) -> None:
        since, use = body.get("since"), body.get("use")
        if isinstance(since, Text) and (self._releases.index(since.text) or 0) > at:
            del entries["deprecated"]
        elif isinstance(use, Text):
            entries["deprecated"] = Entry(entry.key, use)

    def _held(self, body: Table, at: int) -> Table | None:
        """The entry of `was` that applies at a release."""
        was = body.get("was")
        for item in was.items if isinstance(was, Listing) else ():
            until = text(item, "until") if isinstance(item, Table) else None
            last = None if until is None else self._releases.index(until)
            if isinstance(item, Table) and last is not None and at <= last:
                return item
        return None

    def _old_name(self, body: Node, at: int) -> str | None:
        formerly = body.get("formerly") if isinstance(body, Table) else None
        if not isinstance(formerly, Table):
            return None
        last = self._releases.index(text(formerly, "until") or "")
        return text(formerly, "name") if last is not None and at <= last else None

    # --- parts of a declaration ---

    def _fields(self, node: Node, at: int) -> Node:
        return self._members(node, at, self._field)

    def _values(self, node: Node, at: int) -> Node:
        return self._members(node, at, self._value)

    def _members(self, node: Node, at: int, change: Callable[[Entry, Table, int], Entry]) -> Node:
        if not isinstance(node, Table):
            return node
        kept: dict[str, Entry] = {}
        for entry in node:
            if self._there(entry.value, at):
                now = change(entry, entry.value, at) if isinstance(entry.value, Table) else entry
                kept.setdefault(now.key.text, now)
        return Table(kept, node.place)

    def _field(self, entry: Entry, body: Table, at: int) -> Entry:
        held = self._held(body, at)
        name, optional = entry.key.text.removesuffix("?"), entry.key.text.endswith("?")
        presence = None if held is None else text(held, "presence")
        optional = presence == "optional" if presence is not None else optional
        now = self._body(body, at, self._PARTS_OF_FIELDS)
        old = self._old_name(body, at)
        if old is not None:
            name, now = old, _later(now, name)
        return Entry(replace(entry.key, text=f"{name}?" if optional else name), now)

    def _value(self, entry: Entry, body: Table, at: int) -> Entry:
        now = self._body(body, at, {})
        old = self._old_name(body, at)
        return (
            Entry(entry.key, now) if old is None else Entry(replace(entry.key, text=old), _later(now, entry.key.text))
        )

    def _named(self, node: Node, at: int) -> Node:
        """A list of names, each optionally with the releases in which it is listed → the names at a release."""
        items = [item for item in listing(node) if self._there(item, at)]
        names = [item.get("name") if isinstance(item, Table) else item for item in items]
        return Listing(tuple(name for name in names if name is not None), node.place)

    def names(self, node: Node, release: str) -> tuple[Text, ...]:
        """The names that a list (`roots`) has at a release."""
        found = self._named(node, self._releases.index(release) or 0)
        return tuple(item for item in listing(found) if isinstance(item, Text))

    def _entries(self, node: Node, at: int) -> Node:
        return Listing(tuple(item for item in listing(node) if self._there(item, at)), node.place)

    def _type(self, node: Node, at: int) -> Node:
        """A type, or a type with its history → the type at a release."""
        if not isinstance(node, Table):
            return node
        held = self._held(node, at)
        found = held.get("type") if held is not None else None
        return found or node.get("type") or node

    _PARTS: ClassVar[Mapping[str, _Part]] = MappingProxyType(
        {
            "fields": _fields,
            "request": _fields,
            "notify": _fields,
            "values": _values,
            "variants": _entries,
            "include": _named,
            "conflicts": _entries,
            "response": _type,
            "input": _type,
            "output": _type,
        }
    )
    """The keys of a declaration whose values have a history, and the function that projects each."""

    _PARTS_OF_FIELDS: ClassVar[Mapping[str, _Part]] = MappingProxyType({"carry": _entries})


_Part = Callable[[History, Node, int], Node]


def listing(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Listing) else ()


def _later(body: Table, name: str) -> Table:
    """A body under its old name, with its later name."""
    kept = {key: entry for key, entry in body.entries.items() if key != "formerly"}
    formerly = body.entries["formerly"]
    return Table({**kept, LATER: Entry(formerly.key, Text(name, place=formerly.key.place))}, body.place)


def called_as_then(items: Sequence[Item], names: Mapping[str, str], faults: Faults) -> list[Item]:
    """The declarations of a release under the names of that release."""
    found: dict[tuple[str, str], Item] = {}
    for item in items:
        now = item
        if item.section in KINDS and item.name in names:
            now = Item(item.section, replace(item.key, text=names[item.name]), _later(item.body, item.name))
        first = found.setdefault((now.space, now.name), now)
        if first is not now:
            twice(now.key, first.key, faults)
    return list(found.values())
