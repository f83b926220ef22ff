"""The state while a catalog is described: names, finished declarations, and types that still lack their tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from polywire_import.lookup import Lookup
from polywire_import.names import Names, sentence
from polywire_import.overrides import Overrides
from polywire_import.shapes import Catalog, Declared, Object, OneOf, Shape
from polywire_import.yamltext import Quoted, Tree

DEPRECATED = "Declared deprecated at the source."


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration of the spec: its section, name and contents, and the declarations it uses."""

    section: str
    name: str
    body: Mapping[str, Tree]
    uses: frozenset[str] = frozenset()
    area: str = ""
    """The part of the protocol that it belongs to, if the source names one."""


@dataclass(slots=True)
class Struct:
    """A type under construction; its tags are known once all unions are written."""

    name: str
    object: Object
    place: str
    doc: str | None = None
    deprecated: bool = False
    remark: str | None = None
    tags: dict[str, None] = field(default_factory=dict)
    """The discriminators of the unions that contain it."""


class Draft:
    """The state of a description, and the methods that its layers call on each other."""

    def __init__(self, catalog: Catalog, overrides: Overrides, names: Names | None = None) -> None:
        self._catalog = catalog
        self._look = Lookup(catalog)
        self._overrides = overrides
        self._names = names or Names()
        self._called: dict[str, str] = {}
        self._uses_of: Counter[str] = Counter()
        self._inline: Counter[tuple[str, Shape]] = Counter()
        self._shared: dict[tuple[str, Shape], str] = {}
        self._open: dict[Shape, str] = {}
        """The unnamed shapes that are being written, which can contain themselves."""
        self._stems: dict[str, str] = {}
        """Nested union → the union around it, if the absence of a member distinguishes it."""
        self._times: Counter[str] = Counter()
        self._work: dict[str, None] = {}
        self._begun: set[str] = set()
        self._structs: dict[str, Struct] = {}
        self._entries: dict[str, Entry] = {}
        self._using: set[str] = set()
        self._absorbed: set[str] = set()
        self._area = ""
        self._declared_names: frozenset[str] = frozenset()
        self._senders: dict[str, str] = {}
        self._suffixes: tuple[str, str] | None = None
        self._by_members: dict[tuple[frozenset[Shape], bool], str] | None = None

    def _need(self, name: str) -> str:
        """Return the name of a declaration in the spec, queueing the declaration if it is not written yet."""
        if name not in self._begun:
            self._begun.add(name)
            self._work[name] = None
        self._using.add(self._called[name])
        return self._called[name]

    def _about(self, name: str, declared: Declared | Struct | None, place: str = "") -> dict[str, Tree]:
        """Return `doc`, `source` and `deprecated` of a declaration."""
        source = declared.name if isinstance(declared, Declared) else name
        given = self._overrides.text("docs", name, source)
        doc = given or (declared.doc if declared else None) or f"{sentence_case(sentence(source))}."
        about: dict[str, Tree] = {"doc": doc}
        where = (declared.remark if declared else None) or (declared.place if declared else place)
        if where:
            about["source"] = where
        if declared and declared.deprecated:
            about["deprecated"] = DEPRECATED
        return about

    def _enter(self, section: str, name: str, body: Mapping[str, Tree]) -> None:
        self._entries[name] = Entry(section, name, body, frozenset(self._using - {name}), self._area)
        self._using = set()

    # --- implemented by the layers above this one ---

    def _declare(self, declared: Declared) -> None:
        """Write a declaration of the source."""
        raise NotImplementedError

    def _struct(self, name: str, shape: Object, declared: Declared | None, place: str = "") -> None:
        """Write a type."""
        raise NotImplementedError

    def _union(
        self, name: str, members: Sequence[Shape], shape: OneOf, declared: Declared | None, place: str = ""
    ) -> None:
        """Write the union of some objects."""
        raise NotImplementedError

    def _drain_one(self, name: str) -> None:
        """Write a declaration now, because the names of its variants are needed."""
        if name in self._work:
            del self._work[name]
            self._declare(self._catalog.declarations[name])


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def capitalised(name: str) -> str:
    return name[:1].upper() + name[1:]


def quoted(value: object) -> Tree:
    """Convert a JSON value for a place where some words have a meaning: texts are quoted."""
    return Quoted(value) if isinstance(value, str) else tree(value)


def tree(value: object) -> Tree:
    """Convert a JSON value for a place of the spec that holds JSON."""
    match value:
        case str():
            return Quoted(value) if isinstance(value, Quoted) else str(value)
        case bool() | int() | float():
            return value
        case None:
            return None
        case Mapping():
            return {str(key): tree(each) for key, each in value.items()}
        case list() | tuple():
            return [tree(each) for each in value]
    raise TypeError(type(value))
