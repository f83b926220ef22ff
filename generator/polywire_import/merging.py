"""Three trees of a declaration (last imported, current, imported now) → one tree, and how differences were resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polywire.source import jsontext
from polywire.source.tree import Entry, Listing, Node, Table, Text
from polywire_import.yamltext import Quoted, Tree

Kind = Literal["added", "removed", "changed", "kept", "conflict"]


@dataclass(frozen=True, slots=True)
class Change:
    """A difference: `kept` was edited by hand, `conflict` was both edited and changed in the source."""

    kind: Kind
    what: str
    detail: str = ""


_MARKED = frozenset({"fields", "request", "notify", "tag"})
"""Mappings whose keys may have a `?`, which is part of the value and not of the name."""


def merge(base: Node | None, ours: Node | None, theirs: Node) -> tuple[Node, list[Change]]:
    """Merge the edits of `ours` and the changes of `theirs`; in a conflict, `ours` wins."""
    changes: list[Change] = []
    merged = _merge(base, ours, theirs, "", "", changes)
    return (theirs if merged is None else merged), changes


def _merge(
    base: Node | None, ours: Node | None, theirs: Node | None, path: str, key: str, changes: list[Change]
) -> Node | None:
    if ours == theirs or theirs == base:
        if ours != base and ours != theirs:
            changes.append(Change("kept", path, "edited here"))
        return ours
    if isinstance(ours, Table) and isinstance(theirs, Table):
        return _tables(base if isinstance(base, Table) else Table({}), ours, theirs, path, key, changes)
    if ours == base:
        kind: Kind = "added" if base is None else "removed" if theirs is None else "changed"
        changes.append(Change(kind, path, _shown(base, theirs)))
        return theirs
    if isinstance(ours, Listing) and isinstance(theirs, Listing) and isinstance(base, (Listing, type(None))):
        return _lists(base, ours, theirs, path, changes)
    detail = f"{_text(theirs)} at the source, which is not taken over" if theirs is not None else "gone at the source"
    changes.append(Change("conflict", path, detail))
    return ours


def _tables(base: Table, ours: Table, theirs: Table, path: str, key: str, changes: list[Change]) -> Table:
    marked = key in _MARKED
    sides = [_by_name(table, marked=marked) for table in (base, ours, theirs)]
    entries: dict[str, Entry] = {}
    for name in _in_order(list(sides[1]), list(sides[2])):
        old, mine, new = (side.get(name) for side in sides)
        where = f"{path}/{name}"
        if mine is None and old is not None:
            if new is not None and new.value != old.value:
                changes.append(Change("conflict", where, "changed at the source; it was taken out here, and stays so"))
            continue
        before, here, there = (each.value if each is not None else None for each in (old, mine, new))
        value = _merge(before, here, there, where, name, changes)
        if value is None:
            continue
        spelt = _spelt(old, mine, new, where, changes)
        entries[spelt.text] = Entry(spelt, value)
    return Table(entries)


def _by_name(table: Table, *, marked: bool) -> dict[str, Entry]:
    return {each.key.text.removesuffix("?") if marked else each.key.text: each for each in table}


def _in_order(ours: list[str], theirs: list[str]) -> list[str]:
    """Return our names in order, each new name of theirs after the one that precedes it there."""
    order = list(ours)
    known = set(ours)
    for number, name in enumerate(theirs):
        if name not in known:
            before = next((each for each in reversed(theirs[:number]) if each in known), None)
            order.insert(order.index(before) + 1 if before is not None else len(order), name)
            known.add(name)
    return order


def _spelt(old: Entry | None, mine: Entry | None, new: Entry | None, path: str, changes: list[Change]) -> Text:
    """Return the key, with or without its `?`."""
    if mine is None or new is None:
        found = mine or new
        assert found is not None  # noqa: S101 (one of them has the value that was kept)
        return found.key
    if mine.key.text == new.key.text or (old is not None and new.key.text == old.key.text):
        return mine.key
    if old is None or mine.key.text == old.key.text:
        changes.append(Change("changed", path, f"{mine.key.text} → {new.key.text}"))
        return new.key
    return mine.key


def _lists(base: Listing | None, ours: Listing, theirs: Listing, path: str, changes: list[Change]) -> Listing:
    """Return our items, without those removed in the source, and with those added there."""
    old = base.items if base is not None else ()
    kept = [item for item in ours.items if item in theirs.items or item not in old]
    new = [item for item in theirs.items if item not in old and item not in ours.items]
    changes.append(Change("changed", path, f"{len(new)} new, {len(ours.items) - len(kept)} gone; edits are kept"))
    return Listing((*kept, *new))


def _shown(base: Node | None, theirs: Node | None) -> str:
    if isinstance(base, Table) or isinstance(theirs, Table) or base is None or theirs is None:
        return ""
    return f"{_text(base)} → {_text(theirs)}"


def _text(node: Node) -> str:
    text = node.text if isinstance(node, Text) else jsontext.text(node)
    return text if len(text) <= 60 else f"{text[:57]}…"


def to_tree(node: Node) -> Tree:
    """Convert a tree of the loader to one of the writer."""
    match node:
        case Text(plain=True):
            value = jsontext.value(node)
            return value if isinstance(value, (bool, int)) or value is None else node.text
        case Text():
            return Quoted(node.text)
        case Listing():
            return [to_tree(item) for item in node.items]
        case Table():
            return {each.key.text: to_tree(each.value) for each in node}
