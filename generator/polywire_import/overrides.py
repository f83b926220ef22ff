"""A file of overrides → lookups by an import, with a record of which overrides were used.

    protocol: {name: chat, title: Chat, version: 1.0.0, framing: ndjson, peers: [client, server]}
    packages: {python: {distribution: chat, module: chat}}
    roots: [Message]                          # declarations of the source, by their names there
    names: {/$defs/x-1: Chatter}              # by a name of the source, an imported name, or a place
    types: {/$defs/Note/properties/at: timestamp}   # by place: the type expression, whatever the source says
    closed: [Role, /$defs/Note/properties/a]  # enums and unions that never grow; "*" for all
    by: {Block: kind}                         # the discriminator of a union
    docs: {Role: Who says it.}
    annotations: {default_on_error: x-default, skip_invalid_items: x-skip, method: x-method}
    jsonrpc: {…}                              # see `polywire_import.jsonrpc`

Each entry below a section is one override. An unused override is an error: it is misspelt, or the source changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from polywire.ground.json_values import Json
from polywire.ground.location import SourceLocation
from polywire.ground.words import nearest, suggestion
from polywire.source import jsontext
from polywire.source.report import Faults
from polywire.source.tree import Table, read
from polywire_import.shapes import ImportingError

SECTIONS: Mapping[str, tuple[str, ...] | None] = {
    "protocol": ("name", "title", "version", "framing", "peers", "doc"),
    "packages": None,
    "roots": None,
    "names": None,
    "types": None,
    "closed": None,
    "by": None,
    "docs": None,
    "annotations": ("default_on_error", "skip_invalid_items", "method"),
    "jsonrpc": ("requests", "notifications", "results", "id", "error", "errors", "cancel", "codes"),
}
"""The sections, each with the keys that it may have; None for keys that the author chooses."""

_TEXTS = frozenset({"names", "types", "by", "docs", "annotations"})
_LISTS = frozenset({"roots", "closed"})


class Overrides:
    """The contents of the file. Reading an override marks it as used."""

    def __init__(self, sections: Mapping[str, Json] | None = None, file: str = "the overrides") -> None:
        self._file = file
        self._sections: dict[str, dict[str, Json]] = {}
        self._used: set[tuple[str, str]] = set()
        for section, entries in (sections or {}).items():
            self._sections[section] = self._checked(section, entries)

    def _checked(self, section: str, entries: Json) -> dict[str, Json]:
        if section not in SECTIONS:
            raise ImportingError(f"{self._file}: no section {section!r}{suggestion(section, SECTIONS)}")
        if section in _LISTS:
            if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
                raise ImportingError(f"{self._file}: `{section}` is a list of names")
            return {str(entry): True for entry in entries}
        if not isinstance(entries, Mapping):
            raise ImportingError(f"{self._file}: `{section}` is a mapping")
        known = SECTIONS[section]
        for key, value in entries.items():
            if known is not None and key not in known:
                raise ImportingError(f"{self._file}: `{section}` has no {key!r}{suggestion(key, known)}")
            if section in _TEXTS and not isinstance(value, str):
                raise ImportingError(f"{self._file}: `{key}` under `{section}` is a text")
        return dict(entries)

    @property
    def count(self) -> int:
        """The number of overrides."""
        return sum(map(len, self._sections.values()))

    def get(self, section: str, *keys: str) -> Json:
        """Return the value of the first of the keys that exists; None if there is none."""
        entries = self._sections.get(section, {})
        for key in keys:
            if key in entries:
                self._used.add((section, key))
                return entries[key]
        return None

    def text(self, section: str, *keys: str) -> str | None:
        """Like `get`, for a section of texts."""
        found = self.get(section, *keys)
        return found if isinstance(found, str) else None

    def all(self, section: str) -> dict[str, Json]:
        """Return a whole section."""
        entries = self._sections.get(section, {})
        self._used.update((section, key) for key in entries)
        return dict(entries)

    def grows(self, *names: str) -> bool:
        """Return whether an enum or union is to be open although the source closes it: unless it is listed."""
        return self.get("closed", *names, "*") is not True

    def refuse_unused(self, known: Iterator[str]) -> None:
        """Raise `ImportingError` if an override was not used; `known` are the existing names and places."""
        unused = [
            (section, key)
            for section, entries in self._sections.items()
            for key in entries
            if (section, key) not in self._used
        ]
        if unused:
            places = list(dict.fromkeys(known))
            listed = [f"  {section}: {key}{_near(key, places)}" for section, key in unused]
            raise ImportingError(
                "\n".join(
                    [f"{self._file}: overrides that are of no use; correct them or take them out:", *listed],
                )
            )


def _near(key: str, places: list[str]) -> str:
    return next((f"; did you mean {name!r}?" for name in nearest(key, places)), "") if len(places) < 5000 else ""


def load_overrides(path: Path) -> Overrides:
    """Return the overrides of a file. Raises `ImportingError`."""
    root = mapping(path)
    if fault := jsontext.fault(root):
        raise ImportingError(f"{fault.place}: {fault.message}")
    sections = {entry.key.text: _value(entry.key.text, entry.value) for entry in root}
    return Overrides(sections, str(path))


def mapping(path: Path, *, aliases: bool = False) -> Table:
    """Return the mapping in a YAML file, which is empty if the file is. Raises `ImportingError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImportingError(f"{path}: {error.strerror or error}") from error
    faults = Faults()
    root = read(data, path.name, faults, aliases=aliases)
    if faults.found:
        raise ImportingError("\n".join(f"{each.place}: {each.message}" for each in faults.found))
    if root is None:
        return Table({}, SourceLocation(path.name, 1, 1))
    if not isinstance(root, Table):
        raise ImportingError(f"{path}: expected a mapping")
    return root


def _value(section: str, node: object) -> Json:
    """Return a section; `version: 1.0` and the like are texts, as in a spec."""
    if section in {"protocol", "docs", "names", "types"} and isinstance(node, Table):
        plain = {entry.key.text: entry.value for entry in node}
        return {
            key: getattr(value, "text", None) if hasattr(value, "text") else jsontext.value(value)
            for key, value in plain.items()
        }
    return jsontext.value(cast("Table", node))
