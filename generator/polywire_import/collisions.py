"""Names of a spec that are the same in some language → the same spec with other names for one of them.

Members and values of a source may differ in ways that names of a language do not (`next` and `Next`, `a-b` and `a_b`).
One of them gets a `name` with a number, which applies to all languages; what travels stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from polywire.ground.location import NOWHERE
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.walk import spell
from polywire.source import load
from polywire.targets import registry
from polywire.targets.common.base import Name
from polywire_import.describe import Description
from polywire_import.draft import Entry
from polywire_import.shapes import Catalog
from polywire_import.yamltext import Tree

MOST_ROUNDS = 50
"""Maximum number of attempts: a new name can collide with another one."""

_PART = re.compile(r"(?:.* )?(?P<what>field|value) (?P<name>.*) of (?P<owner>\w+)", re.DOTALL)
"""How targets describe a member or value, or something named after it."""


@dataclass(frozen=True, slots=True)
class _Texts:
    """The files of a spec that is not written yet."""

    folder: Path
    texts: Mapping[str, str] = field(repr=False)

    def read(self, path: str, limit: int) -> bytes:
        if path not in self.texts:
            raise FileNotFoundError(path)
        return self.texts[path].encode()[:limit]

    def names(self, path: str) -> list[str]:
        return [] if path else [*self.texts]


def resolve(
    description: Description, catalog: Catalog, out: Path, texts: Callable[[Description], Mapping[str, str]]
) -> Description:
    """Return the description with distinct names; adds to the catalog's notes. `texts` gives the files of a spec."""
    renaming = _Renaming(description)
    for _ in range(MOST_ROUNDS):
        model = build(load(_Texts(out, texts(renaming.description())))).model
        if model is None or not renaming.run(model):
            break
    for place, message in renaming.renamed.values():
        catalog.note("renamed", place, message)
    return renaming.description()


class _Renaming:
    def __init__(self, description: Description) -> None:
        self._description = description
        self._entries = {each.name: each for each in description.entries if each.section != "controls"}
        self._numbers: dict[tuple[str, str], int] = {}
        self.renamed: dict[tuple[str, str], tuple[str, str]] = {}
        """By declaration and member or value: the place, and what was renamed."""

    def description(self) -> Description:
        entries = tuple(
            each if each.section == "controls" else self._entries[each.name] for each in self._description.entries
        )
        return replace(self._description, entries=entries)

    def run(self, model: Model) -> bool:
        """Rename one of each two parts with the same name; return whether anything was renamed."""
        renamed: set[tuple[str, str]] = set()
        for one, other, language in _collisions(model):
            parts = [part for each in (one, other) if (part := self._part(each)) is not None]
            if renamed.isdisjoint(parts) and parts:
                self._rename(model, *parts[0], other if parts[0] == self._part(one) else one, language)
                renamed.add(parts[0])
        return bool(renamed)

    def _part(self, name: Name) -> tuple[str, str] | None:
        """Return the declaration, and the member or value in it, that decide a name; None if they are not ours."""
        if name.of in self._entries:
            return (name.of, "") if name.place != NOWHERE or name.key else None
        found = _PART.fullmatch(name.of)
        if found is None:
            return None
        key = "fields" if found["what"] == "field" else "values"
        owner = next(self._owners(found["owner"], key, found["name"]), None)
        return None if owner is None else (owner, found["name"])

    def _owners(self, name: str, key: str, part: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yield the types that declare a member of a type: itself, or one that it includes."""
        entry = self._entries.get(name)
        if entry is None or name in seen:
            return
        if _key(entry, key, part) is not None or (key == "fields" and _is_absent(entry, part)):
            yield name
        includes = entry.body.get("include")
        for base in includes if isinstance(includes, list) else ():
            yield from self._owners(str(base), key, part, seen | {name})

    def _rename(self, model: Model, owner: str, part: str, other: Name, language: str) -> None:
        number = self._numbers[owner, part] = self._numbers.get((owner, part), 1) + 1
        stem = re.sub(r"[^A-Za-z0-9]+", "_", part or owner).strip("_")
        name = f"{stem if stem[:1].isalpha() else f'value_{stem}'.rstrip('_')}_{number}" if part else f"{owner}{number}"
        entry = self._entries[owner]
        body = dict(entry.body)
        if not part:
            body["name"] = name
        else:
            key = "values" if _key(entry, "values", part) is not None else "fields"
            inner = body.get(key) or {}
            assert isinstance(inner, dict)  # noqa: S101 (it has the part, or is to have it)
            spelt = _key(entry, key, part)
            if spelt is None:  # a member that is only named by the tag of which it is the absence
                spelt = f"{part}?"
                inner = {
                    spelt: next(spell(each.type) for each in model.struct(owner).fields if each.name == part),
                    **inner,
                }
            value = inner[spelt]
            whole: dict[str, Tree] = dict(value) if isinstance(value, dict) else {
                "type" if key == "fields" else "doc": value}  # fmt: skip
            body[key] = {**inner, spelt: {**whole, "name": name}}
        self._entries[owner] = replace(entry, body=body)
        source = entry.body.get("source")
        what = f"{part!r} of {owner}" if part else owner
        message = f"{what} is called {name} in packages: in {language}, {other.of} has the same name"
        self.renamed[owner, part] = (str(source or ""), message)


def _key(entry: Entry, key: str, part: str) -> str | None:
    """Return a member or value as written in an entry, perhaps with a `?`."""
    inner = entry.body.get(key)
    return next((each for each in (part, f"{part}?") if isinstance(inner, dict) and each in inner), None)


def _is_absent(entry: Entry, part: str) -> bool:
    """Whether a type is told from others by the absence of a member, which it has for unknown values."""
    tag = entry.body.get("tag")
    return isinstance(tag, dict) and part in tag and tag[part] is None


def _collisions(model: Model) -> Iterator[tuple[Name, Name, str]]:
    """Yield each two parts with the same name in a scope of a language; what can be renamed comes first."""
    for target in registry().values():
        first: dict[tuple[str, str], Name] = {}
        for name in target.names(model):
            taken = first.setdefault((name.scope, name.name), name)
            if taken.of != name.of:
                yield name, taken, target.name
