"""A catalog → declarations of the spec language, with notes on what the language cannot express.

The work starts at the roots and calls of the catalog and follows references, so that only what is sent is declared. A
declaration of the source becomes a type, a union, an enum or an alias, depending on its shape; a shape without a name
gets one from the names around it where the language needs one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polywire_import.draft import Entry, capitalised, tree
from polywire_import.expressions import nameless
from polywire_import.names import Names, declarable
from polywire_import.overrides import Overrides
from polywire_import.shapes import (
    SHAPES,
    Call,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Object,
    OneOf,
    Ref,
    Shape,
    Written,
    shapes_in,
    walk,
)
from polywire_import.unions import Unions
from polywire_import.yamltext import Tree


@dataclass(frozen=True, slots=True)
class Description:
    """A spec: the keys of `protocol` and `packages`, and the declarations in order."""

    protocol: Mapping[str, Tree]
    packages: Mapping[str, Tree]
    entries: tuple[Entry, ...]


def describe(catalog: Catalog, overrides: Overrides | None = None) -> Description:
    """Return the spec of a catalog; adds to the catalog's notes. Raises `ImportingError`."""
    return _Describer(catalog, overrides or Overrides()).run()


def express(
    shape: Shape, hint: str, place: str, declared: Iterable[str], names: Names
) -> tuple[str, tuple[Entry, ...]]:
    """Return the type expression of a shape, and the declarations that it needs besides the existing ones.

    New declarations are named after `hint`, by `names`.
    """
    catalog = Catalog({name: Declared(name, Written(name, "types", {}), "") for name in declared})
    describer = _Describer(catalog, Overrides(), names)
    return describer.express(shape, hint, place)


class _Describer(Unions):
    def run(self) -> Description:
        roots = [str(name) for name in self._overrides.all("roots")] or self._catalog.roots
        if not roots and len(self._tops()) == 1:
            roots = self._tops()
        for name in roots:
            if name not in self._catalog.declarations:
                raise ImportingError(f"roots: the source declares no {name!r}; {self._candidates()}")
        if not roots:
            raise ImportingError(f"the source has no root: name one with `--root NAME`, or with `roots` in the"
                                 f" overrides; {self._candidates()}")  # fmt: skip
        reachable = self._count(roots)
        for name in reachable:
            wanted = self._overrides.text("names", name, self._catalog.declarations[name].place)
            if wanted is not None:
                self._called[name] = self._names.give(wanted)
        for name in reachable:
            if name not in self._called:
                self._called[name] = self._names.give(name)
                if self._called[name] != name:
                    place = self._catalog.declarations[name].place
                    self._catalog.note("renamed", place, f"{name!r} is called {self._called[name]}")
        self._declared_names = frozenset(self._called.values())
        for name in roots:
            self._need(name)
        for call in self._catalog.calls:
            self._call(call)
            self._drain()
        self._drain()
        description = self._finish([self._called[name] for name in roots])
        self._forget_the_rest()
        return description

    def _forget_the_rest(self) -> None:
        """Remove notes about declarations that are not reachable."""
        rest = {d.place for name, d in self._catalog.declarations.items() if name not in self._called and d.place}
        kept = {d.place for name, d in self._catalog.declarations.items() if name in self._called}
        kept |= {call.place for call in self._catalog.calls}
        self._catalog.notes[:] = [
            note
            for note in self._catalog.notes
            if not any(place in rest and place not in kept for place in _places_above(note.place))
        ]

    def express(self, shape: Shape, hint: str, place: str) -> tuple[str, tuple[Entry, ...]]:
        """Do the work of the function `express`."""
        self._called = {name: name for name in self._catalog.declarations}
        self._begun = {*self._called}
        expression = self._expression(shape, hint, place)
        return expression, self._completed_entries()

    def _drain(self) -> None:
        while self._work:
            name = next(iter(self._work))
            del self._work[name]
            self._declare(self._catalog.declarations[name])

    def _tops(self) -> list[str]:
        """Return the declarations that no other refers to; of a single declaration, that one."""
        names = [*self._catalog.declarations]
        used = {ref for name, each in self._catalog.declarations.items() for ref in _refs(each.shape) if ref != name}
        return [name for name in names if name not in used] if len(names) > 1 else names

    def _candidates(self) -> str:
        if not self._catalog.declarations:
            return "it declares no types"
        tops = self._tops()
        return f"nothing refers to {', '.join(tops[:12])}" if tops else "every declaration is referred to by another"

    # --- survey before anything is named -----------

    def _count(self, roots: Sequence[str]) -> list[str]:
        """Return what is reachable, in order; count its uses, and shapes without a name by the key above them."""
        queue = [*roots]
        shapes: list[Shape] = [member.shape for call in self._catalog.calls for member in call.members]
        shapes += [each for call in self._catalog.calls for each in (call.result, call.error) if each is not None]
        shapes += shapes_in(self._catalog.header)
        seen: set[str] = set(roots)
        self._uses_of.update(dict.fromkeys(roots, 2))
        while queue or shapes:
            shape = shapes.pop() if shapes else self._catalog.declarations[queue.pop()].shape
            for each in walk(shape):
                if isinstance(each, Ref):
                    self._uses_of[each.name] += 1
                    if each.name not in self._catalog.declarations:
                        raise ImportingError(f"the source refers to {each.name!r} and does not declare it")
                    if each.name not in seen:
                        seen.add(each.name)
                        queue.append(each.name)
                elif isinstance(each, Object):
                    for member in each.members:
                        self._inline.update((member.name, inner) for inner in nameless(member.shape))
        return [name for name in self._catalog.declarations if name in seen]

    # --- declarations ---

    def _declare(self, declared: Declared) -> None:
        name = self._called[declared.name]
        if declared.name in self._absorbed or name in self._structs or name in self._entries:
            return
        stated = self._overrides.text("types", declared.place)
        if stated is not None:
            self._alias(name, self._checked(stated, declared.place), declared)
            return
        if self._is_ring(declared):
            self._alias(name, name, declared)
            return
        shape = declared.shape
        if isinstance(shape, Written):
            body = {key: self._spelt(each, name, declared.place) for key, each in shape.body.items()}
            self._enter(shape.section, name, {**self._about(name, declared), **body})
            return
        alone = self._look.resolved(shape) if isinstance(shape, Ref) else shape
        if isinstance(alone, Literal):
            alone = OneOf((alone,), place=declared.place)
        members = self._look.alternatives(alone) if isinstance(alone, OneOf) else [alone]
        objects = [each for each in members if self._look.is_object(each)]
        if isinstance(shape, Object):
            self._struct(name, shape, declared)
        elif (isinstance(shape, OneOf) and len(objects) == len(members) and len(members) > 1) or (
            isinstance(shape, OneOf) and len(members) == 1 and shape.open and isinstance(members[0], (Ref, Object))
        ):
            self._union(name, members, shape, declared)
        elif isinstance(alone, OneOf) and not isinstance(shape, Ref) and self._is_enum(members):
            self._enum(name, members, declared, is_open=alone.open)
        else:
            self._alias(name, self._expression(shape, name, declared.place), declared)

    def _spelt(self, written: object, hint: str, place: str) -> Tree:
        """Convert an importer's tree, replacing the shapes in it with expressions."""
        match written:
            case Mapping():
                return {str(key): self._spelt(each, hint, place) for key, each in written.items()}
            case list() | tuple():
                return [self._spelt(each, hint, place) for each in written]
            case _ if isinstance(written, SHAPES):
                return self._expression(written, hint, place)
        return tree(written)

    def _alias(self, name: str, expression: str, declared: Declared) -> None:
        if expression == name:
            self._catalog.note("fallback", declared.place, "the type is only itself; it is read as any value")
            expression = "json"
        self._enter("aliases", name, {**self._about(name, declared), "type": expression})

    def _is_ring(self, declared: Declared) -> bool:
        """Return whether a declaration is only a reference that leads back to itself through other references."""
        seen: set[str] = set()
        shape = declared.shape
        while isinstance(shape, Ref) and shape.name not in seen:
            seen.add(shape.name)
            shape = self._catalog.declarations[shape.name].shape
        return isinstance(shape, Ref)

    # --- calls ---

    def _call(self, call: Call) -> None:
        self._area = call.method.split("/", 1)[0] if "/" in call.method else ""
        hint = f"{declarable(call.method)}"
        fields: dict[str, Tree] = {}
        for member in call.members:
            key = member.name if member.required else f"{member.name}?"
            written = self._expression(member.shape, f"{hint}{capitalised(declarable(member.name))}", call.place)
            fields[key] = self._field(member, written)
        doc = (
            self._overrides.text("docs", call.method)
            or call.doc
            or f"The {'request' if call.answered else 'notification'} `{call.method}`."
        )
        name = self._names.give(self._stem(call))
        body: dict[str, Tree] = {"doc": doc, "source": call.place, "from": call.sender, "name": name}
        key = call.method
        if f"controls {key}" in self._entries:  # a request has the same method
            key, body["tag"] = name, call.method
        if call.answered:
            body["request"] = fields
            answer = None if call.result is None else self._expression(call.result, f"{hint}Result", call.place)
            body["response"] = "none" if answer is None else f"{answer} | none" if call.optional_result else answer
            if call.error is not None:
                body["error"] = self._expression(call.error, f"{hint}Error", call.place)
        else:
            body["notify"] = fields
        self._entries[f"controls {key}"] = Entry("controls", key, body, frozenset(self._using), self._area)
        self._using = set()

    def _stem(self, call: Call) -> str:
        """Return the name of a call's type: its name in the source if that is free, else one made from its method."""
        if call.name is not None and call.name not in self._called:
            return call.name
        if self._suffixes is None:
            self._suffixes = (
                "Call" if self._collides("Request", answered=True) else "Request",
                "Notice" if self._collides("Notification", answered=False) else "Notification",
            )
        return f"{declarable(call.method)}{self._suffixes[0 if call.answered else 1]}"

    def _collides(self, suffix: str, *, answered: bool) -> bool:
        """Return whether names of calls with a suffix would collide with other names."""
        calls = (call for call in self._catalog.calls if call.answered == answered)
        return any(self._names.is_taken(f"{declarable(call.method)}{suffix}") for call in calls)

    # --- the end ---

    def _finish(self, roots: Sequence[str]) -> Description:
        header: dict[str, Tree] = {key: self._spelt(each, key, "") for key, each in self._catalog.header.items()}
        self._drain()
        for name, sender in self._catalog.messages.items():
            self._senders |= dict.fromkeys(self._under(self._called.get(name, "")), sender)
        entries = self._completed_entries()
        header |= {key: tree(value) for key, value in self._overrides.all("protocol").items()}
        header["roots"] = list(dict.fromkeys(roots))
        packages = {key: tree(value) for key, value in self._overrides.all("packages").items()}
        return Description(header, packages, entries)


def _refs(shape: Shape) -> Iterator[str]:
    return (each.name for each in walk(shape) if isinstance(each, Ref))


def _places_above(place: str) -> Iterator[str]:
    """Yield a place, and the places that contain it."""
    while place:
        yield place
        place = place.rpartition("/")[0]
