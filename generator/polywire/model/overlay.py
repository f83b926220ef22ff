"""Declarations as written, and a dialect → the declarations of that dialect.

An overlay works on trees, before mixins are expanded, so that a change of a mixin reaches every type that includes it.
Nodes from an overlay keep their own location. Every entry must name something and change it; one that does not is an
error at its location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias, cast

from polywire.ground.location import SourceLocation
from polywire.model.declared import (
    KIND_WORDS,
    KINDS,
    Item,
    SectionName,
    items_of,
    listed,
    may_be_called,
    request_name,
    text,
    texts,
    twice,
)
from polywire.model.nodes import Struct
from polywire.source import Document
from polywire.source.grammar import SECTIONS, Dict, Record
from polywire.source.reader import is_removal
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new name of a field, or None if it is removed, and the location of that change."""

    name: str | None
    place: SourceLocation


Renamings: TypeAlias = Mapping[str, Mapping[str, Renaming]]
"""Renamings by declaration and by former name of the field."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of fields by overlays, for lookups by the names in the spec proper."""

    renamings: Renamings
    declarations: Mapping[str, object]

    def of(self, struct: Struct, key: str) -> Renaming | None:
        """The renaming of a former field of the struct or its mixins; None if a field still has that name."""
        if not self.renamings or any(f.name == key for f in struct.fields):
            return None
        for name in self._line(struct):
            if key in self.renamings.get(name, ()):
                return self.renamings[name][key]
        return None

    def _line(self, struct: Struct) -> Iterator[str]:
        yield struct.name
        for name in struct.include:
            mixin = self.declarations.get(name)
            if isinstance(mixin, Struct):
                yield from self._line(mixin)


@dataclass(frozen=True, slots=True)
class Layer:
    """One applied overlay."""

    file: str
    touched: Mapping[str, SourceLocation]
    """The declarations that it changes, with the location of the change."""


@dataclass(frozen=True, slots=True)
class Draft:
    """All declarations as written, and a record of what overlays changed."""

    items: list[Item]
    removed: Mapping[str, SourceLocation] = field(default_factory=dict)
    """Removed declarations, with the location of the removal."""
    fields: Renamings = field(default_factory=dict)
    """Renamed and removed fields, by declaration."""
    roots: tuple[Text, ...] | None = None
    """The roots that an overlay gives instead of the protocol's."""
    layers: tuple[Layer, ...] = ()
    """The applied overlays, in order."""

    def height(self, place: SourceLocation) -> int:
        """The number of the layer that contains a location, from 1; 0 is the spec proper."""
        return next((n for n, layer in enumerate(self.layers, 1) if layer.file == place.file), 0)


def renamed(draft: Draft) -> dict[str, dict[str, str]]:
    """The renamed fields of each declaration: a map from every former name to the new one."""
    found = {name: {old: now.name for old, now in fields.items() if now.name} for name, fields in draft.fields.items()}
    return {name: fields for name, fields in found.items() if fields}


def apply(draft: Draft, overlay: Document, faults: Faults) -> Draft:
    """The declarations after an overlay is applied."""
    return _Overlay(draft, overlay, faults).run()


class _Overlay:
    """One pass over an overlay; `self._items` has the declarations with the changes so far."""

    def __init__(self, draft: Draft, overlay: Document, faults: Faults) -> None:
        self._draft = draft
        self._overlay = overlay
        self._faults = faults
        self._items = {(item.space, item.name): item for item in draft.items}
        self._removed: dict[str, SourceLocation] = {}
        self._fields: dict[str, dict[str, Renaming]] = {}
        self._touched: dict[str, SourceLocation] = {}
        self._named: dict[tuple[str, str], Text] = {}
        self._whole = all(f.place.file != overlay.file for f in faults.found)

    def run(self) -> Draft:
        for part, step in (("change", self._change), ("replace", self._replace), ("add", self._add)):
            body = self._overlay.root.get(part)
            self._refuse_empty(part)
            for item in items_of(body) if isinstance(body, Table) else ():
                if self._first(item):
                    step(item)
        self._refuse_empty("remove")
        for name in texts(self._overlay.root, "remove"):
            self._remove(name)
        roots = texts(self._overlay.root, "roots") if "roots" in self._overlay.root.entries else self._draft.roots
        return Draft(
            items=list(self._items.values()),
            removed={**self._draft.removed, **self._removed},
            fields=_followed(self._draft.fields, self._fields),
            roots=roots,
            layers=(*self._draft.layers, Layer(self._overlay.file, self._touched)),
        )

    def _refuse_empty(self, part: str) -> None:
        if not self._whole:
            return  # it may look empty because an unreadable value was left out
        entry = self._overlay.root.entries.get(part)
        inside = (
            [e for e in entry.value if isinstance(e.value, Table)] if entry and isinstance(entry.value, Table) else []
        )
        for empty in (e for e in (*([entry] if entry else []), *inside) if _is_empty(e.value)):
            self._idle(empty.key, f"`{empty.key.text}` is empty")

    def _first(self, item: Item) -> bool:
        """Whether this is the overlay's first entry for the declaration."""
        first = self._named.setdefault((item.space, item.name), item.key)
        if first is not item.key:
            self._idle(item.key, f"`{item.name}` already has an entry in line {first.place.line}", "merge both entries")
        return first is item.key

    def _idle(self, at: Text, message: str, hint: str | None = None) -> None:
        self._faults.add("unused-overlay", at.place, message, hint)

    def _found(self, item: Item) -> Item | None:
        """The declaration that an entry names, or None with a finding."""
        found = self._items.get((item.space, item.name))
        if found is None:
            known = [name for space, name in self._items if space == item.space]
            self._idle(item.key, f"there is no `{item.name}` to change", self._faults.near(item.name, known))
        return found

    # --- change ---

    def _change(self, entry: Item) -> None:
        item = self._found(entry)
        if item is None:
            return
        if KINDS.get(item.section) != KINDS.get(entry.section):
            kind = KIND_WORDS[KINDS[item.section]]
            self._idle(entry.key, f"`{item.name}` is {kind}", f"write the change under `{item.section}`")
            return
        change = _Change(item, entry.key, self._faults, whole=self._whole)
        body = change.apply(entry.body)
        if body != item.body:
            self._touched[change.name] = entry.key.place
        self._fields[change.name] = change.fields
        self._items[item.space, item.name] = replace(item, body=body)

    # --- replace, add, remove ---

    def _replace(self, entry: Item) -> None:
        item = self._found(entry)
        if item is None:
            return
        kept = {
            key: item.body.entries[key] for key in _KEPT if key in item.body.entries and key not in entry.body.entries
        }
        section: SectionName = entry.section
        if item.section == "messages" and entry.section == "types":
            section = "messages"
        elif section != "messages":
            kept.pop("from", None)
        body = Table({**kept, **entry.body.entries}, entry.body.place)
        if section == item.section and same(body, item.body):
            self._idle(entry.key, f"`{item.name}` is unchanged")
        self._touched[item.name] = entry.key.place
        self._items[item.space, item.name] = Item(section, entry.key, body)

    def _add(self, entry: Item) -> None:
        first = self._items.get((entry.space, entry.name))
        if first is not None:
            twice(entry.key, first.key, self._faults)
            return
        if entry.space == "names":
            may_be_called(entry.key, self._faults)
        self._items[entry.space, entry.name] = entry

    def _remove(self, name: Text) -> None:
        for space in _SPACES:
            first = self._named.get((space, name.text))
            if first is not None:
                self._idle(name, f"`{name.text}` already has an entry in line {first.place.line}")
                return
            item = self._items.pop((space, name.text), None)
            if item is not None:
                gone = request_name(item) if space == "controls" else name.text
                self._touched[gone] = name.place
                self._removed[gone] = name.place
                return
        hint = self._faults.near(name.text, [known for _, known in self._items])
        self._idle(name, f"there is no `{name.text}` to remove", hint)


_NO_FIELD = "change a field of a mixin in the mixin; to add a field, give it a type"
_SPACES = ("names", "controls", "tools", "trees", "tables")
_KEPT = ("doc", "from", "name", "targets")
"""Keys that a replaced declaration keeps if its replacement omits them: none of them affects the wire."""


def _followed(before: Renamings, now: Renamings) -> Renamings:
    """The renamings of two successive overlays combined, under all former names."""
    found = {name: dict(fields) for name, fields in now.items()}
    for name, fields in before.items():
        later = now.get(name, {})
        for key, renaming in fields.items():
            found.setdefault(name, {})[key] = later.get(renaming.name, renaming) if renaming.name else renaming
    return found


class _Change:
    """The change of a single declaration."""

    def __init__(self, item: Item, at: Text, faults: Faults, *, whole: bool) -> None:
        self._item = item
        self._at = at
        self._faults = faults
        self._whole = whole
        self.name = request_name(item) if item.section == "controls" else item.name
        self.fields: dict[str, Renaming] = {}

    def apply(self, patch: Table) -> Table:
        entries = dict(self._item.body.entries)
        self._refuse_empty(patch, self._at)
        for entry in patch:
            key = entry.key.text
            merge = _MERGES.get(key)
            if merge is not None:
                self._refuse_empty(entry.value, entry.key)
                into, how = merge
                how(self, entries, into, entry)
            elif key in _keys_of(self._item.section):
                self._set(entries, entry, f"`{self._item.name}`")
            else:
                message = (
                    f"`{key}` does not apply to `{self._item.name}`, which is declared under `{self._item.section}`"
                )
                self._idle(entry.key, message)
        return Table(entries, self._item.body.place)

    def _idle(self, at: Text, message: str, hint: str | None = None) -> None:
        self._faults.add("unused-overlay", at.place, message, hint)

    def _refuse_empty(self, node: Node, at: Text) -> None:
        if self._whole and _is_empty(node):
            self._idle(at, f"the entry of `{at.text}` is empty")

    def _set(self, entries: dict[str, Entry], entry: Entry, what: str) -> None:
        """Set or remove one key."""
        key = entry.key.text
        before = entries.get(key)
        if is_removal(entry.value):
            if entries.pop(key, None) is None:
                self._idle(entry.key, f"{what} has no `{key}` to remove")
        elif before is not None and _unchanged(key, before.value, entry.value):
            self._idle(entry.key, f"`{key}` of {what} already has this value")
        else:
            entries[key] = entry

    # --- fields ---

    def fields_of(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        table = entries.get(into)
        before = table.value if table is not None and isinstance(table.value, Table) else Table({}, patch.value.place)
        now: dict[str, Entry | None] = {e.key.text.removesuffix("?"): e for e in before}
        for entry in _entries(patch.value):
            name = entry.key.text.removesuffix("?")
            found = now.get(name)
            if found is not None:
                now[name] = self._changed_field(found, entry)
            elif _is_whole(entry.value):
                now[name] = entry
            else:
                hint = self._faults.near(name, now) or _NO_FIELD
                self._idle(entry.key, f"`{self._item.name}` declares no `{name}`", hint)
        kept: dict[str, Entry] = {}
        for found in now.values():
            if found is not None:
                self._keep(kept, found)
        entries[into] = Entry(table.key if table is not None else patch.key, Table(kept, before.place))

    def _keep(self, kept: dict[str, Entry], found: Entry) -> None:
        name = found.key.text.removesuffix("?")
        first = next((kept[n].key for n in (name, f"{name}?") if n in kept), None)
        if first is None:
            kept[found.key.text] = found
            return
        ours = first if first.place.file == self._at.place.file else found.key
        self._faults.add("duplicate-name", ours.place, f"`{self._item.name}` already has `{name}`")

    def _changed_field(self, before: Entry, change: Entry) -> Entry | None:
        name, optional = before.key.text.removesuffix("?"), before.key.text.endswith("?")
        if is_removal(change.value):
            self.fields[name] = Renaming(None, change.key.place)
            return None
        patch = _long(change, "type")
        self._refuse_empty(patch, change.key)
        marked = change.key.text.endswith("?")
        now_optional = marked if "type" in patch.entries else optional or marked
        body = dict(_long(before, "type").entries)
        for entry in patch:
            if entry.key.text == "rename":
                self._rename(name, entry)
            elif entry.key.text == "type" and now_optional != optional:
                body["type"] = entry
            else:
                self._set(body, entry, f"`{name}`")
        renaming = self.fields.get(name)
        now = renaming.name if renaming is not None and renaming.name is not None else name
        return Entry(Text(f"{now}?" if now_optional else now, place=change.key.place), Table(body, change.value.place))

    def _rename(self, name: str, entry: Entry) -> None:
        now = entry.value.text if isinstance(entry.value, Text) else name
        if now == name:
            self._idle(entry.key, f"`{name}` already has this name")
        else:
            self.fields[name] = Renaming(now, entry.value.place)

    # --- values, constructors, variants ---

    def values_of(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        self._merge(entries, into, patch, self._changed_value)

    def constructors_of(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        self._merge(entries, into, patch, self._written_anew)

    def _merge(
        self, entries: dict[str, Entry], into: str, patch: Entry, change: Callable[[Entry, Entry], Entry]
    ) -> None:
        table = entries.get(into)
        now = dict(table.value.entries) if table is not None and isinstance(table.value, Table) else {}
        for entry in _entries(patch.value):
            key = entry.key.text
            before = now.get(key)
            if is_removal(entry.value):
                if now.pop(key, None) is None:
                    message = f"`{self._item.name}` has no `{key}` to remove"
                    self._idle(entry.key, message, self._faults.near(key, now))
            else:
                now[key] = entry if before is None else change(before, entry)
        place = table.value.place if table is not None else patch.value.place
        entries[into] = Entry(table.key if table is not None else patch.key, Table(now, place))

    def _changed_value(self, before: Entry, change: Entry) -> Entry:
        body = dict(_long(before, "doc").entries)
        for entry in _long(change, "doc"):
            self._set(body, entry, f"`{before.key.text}`")
        return Entry(change.key, Table(body, change.value.place))

    def _written_anew(self, before: Entry, entry: Entry) -> Entry:
        if before.value == entry.value:
            self._idle(entry.key, f"`{entry.key.text}` already has this value")
        return entry

    def columns_of(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        self._merge(entries, into, patch, self._changed_column)

    def _changed_column(self, before: Entry, change: Entry) -> Entry:
        body = dict(_long(before, "at").entries)
        for entry in _long(change, "at"):
            self._set(body, entry, f"`{before.key.text}`")
        return Entry(change.key, Table(body, change.value.place))

    def variants_added(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        items = {_variant_name(item): item for item in listed(Table(entries), into)}
        for item in _items(patch.value):
            name = _variant_name(item)
            if name in items and same(items[name], item):
                at = Text(name, place=item.place)
                self._idle(at, f"`{name}` is already a variant of `{self._item.name}`")
            items[name] = item
        self._write_variants(entries, into, patch, items.values())

    def variants_removed(self, entries: dict[str, Entry], into: str, patch: Entry) -> None:
        items = {_variant_name(item): item for item in listed(Table(entries), into)}
        for item in _items(patch.value):
            name = _variant_name(item)
            if items.pop(name, None) is None:
                message = f"`{name}` is not a variant of `{self._item.name}`"
                self._idle(Text(name, place=item.place), message, self._faults.near(name, items))
        self._write_variants(entries, into, patch, items.values())

    @staticmethod
    def _write_variants(entries: dict[str, Entry], into: str, patch: Entry, items: Iterable[Node]) -> None:
        before = entries.get(into)
        key = before.key if before is not None else Text(into, place=patch.key.place)
        place = before.value.place if before is not None else patch.value.place
        entries[into] = Entry(key, Listing(tuple(items), place))


_Merge: TypeAlias = tuple[str, Callable[["_Change", "dict[str, Entry]", str, Entry], None]]

_MERGES: Mapping[str, _Merge] = MappingProxyType(
    {
        "fields": ("fields", _Change.fields_of),
        "request": ("request", _Change.fields_of),
        "notify": ("notify", _Change.fields_of),
        "values": ("values", _Change.values_of),
        "construct": ("construct", _Change.constructors_of),
        "columns": ("columns", _Change.columns_of),
        "add": ("variants", _Change.variants_added),
        "remove": ("variants", _Change.variants_removed),
    }
)
"""Keys of a change that are merged, with the key of the declaration to merge into; other keys are replaced."""

_JSON = frozenset({"examples", "tag", "const", "default", "set"})
"""Keys in which a plain and a quoted text differ."""


def _keys_of(section: SectionName) -> Mapping[str, object]:
    shape = cast("Dict", SECTIONS[section].shape)
    return cast("Record", shape.value).keys


def _is_empty(node: Node) -> bool:
    return (isinstance(node, Table) and not node.entries) or (isinstance(node, Listing) and not node.items)


def _entries(node: Node) -> tuple[Entry, ...]:
    return tuple(node) if isinstance(node, Table) else ()


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Listing) else ()


def _variant_name(item: Node) -> str:
    return (text(item, "name") or "") if isinstance(item, Table) else cast("Text", item).text


def _long(entry: Entry, key: str) -> Table:
    """The long form of an entry; a single text becomes the value of `key`."""
    if isinstance(entry.value, Table):
        return entry.value
    return Table({key: Entry(Text(key, place=entry.key.place), entry.value)}, entry.value.place)


def _is_whole(value: Node) -> bool:
    """Whether a field is given completely, so that it can be a new one."""
    if isinstance(value, Table):
        return "rename" not in value.entries and any(key in value.entries for key in ("type", "callback", "live"))
    return not is_removal(value)


def _unchanged(key: str, before: Node, after: Node) -> bool:
    return before == after or (key not in _JSON and same(before, after))


def same(first: Node, second: Node) -> bool:
    """Whether two trees are equal apart from quotes."""
    match first, second:
        case Text(), Text():
            return first.text == second.text
        case Listing(), Listing():
            return len(first.items) == len(second.items) and all(map(same, first.items, second.items))
        case Table(), Table():
            return list(first.entries) == list(second.entries) and all(
                same(a.value, b.value) for a, b in zip(first, second, strict=True)
            )
        case _:
            return False
