"""What an overlay means for pointers and examples that were written for the declarations as they were.

A pointer follows the fields that were renamed, and does not name those that are flattened now; one that leads through
a field that is gone is an error of the overlay.
An example of the spec proper says nothing of a dialect that has changed what it is an example of, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from polywire.model.names import target
from polywire.model.nodes import (
    Alias,
    Array,
    Choice,
    Constructor,
    Declaration,
    Enum,
    Envelope,
    Example,
    Map,
    Place,
    Protocol,
    Ref,
    Scalar,
    Struct,
    Type,
    Union,
)
from polywire.model.overlay import Changes, Draft
from polywire.source.report import Faults


class Aftermath:
    """Adapts declarations to the overlay that they went through; without one it leaves all as it is."""

    def __init__(self, draft: Draft, declarations: Mapping[str, Declaration], faults: Faults) -> None:
        self._draft = draft
        self._declarations = declarations
        self._faults = faults
        self._changes = Changes(draft.fields, declarations)
        self._outdated = _reaching(draft.touched, declarations)

    def of_protocol(self, protocol: Protocol) -> Protocol:
        if not self._draft.fields:
            return protocol
        return replace(protocol, request=self._envelope(protocol.request), response=self._envelope(protocol.response))

    def of_declarations(self) -> dict[str, Declaration]:
        if self._draft.file is None:
            return dict(self._declarations)
        return {name: self._declaration(declared) for name, declared in self._declarations.items()}

    # --- pointers ---

    def _envelope(self, envelope: Envelope | None) -> Envelope | None:
        if envelope is None:
            return None
        names = {"id": envelope.id, "payload": envelope.payload}
        found = {
            key: self._pointer(envelope.struct, way, f"the envelope of {envelope.struct}") for key, way in names.items()
        }
        kept = {key: way for key, way in found.items() if way is not None}
        return replace(envelope, id=kept.get("id", envelope.id), payload=kept.get("payload", envelope.payload))

    def _constructor(self, struct: str, made: Constructor) -> Constructor:
        if not self._of_base(made.place):
            return made
        use = f"the constructor {made.name}"
        ways = ((param, self._pointer(struct, param.pointer, use)) for param in made.params)
        fixed = ((self._pointer(struct, way, use), value) for way, value in made.set)
        return replace(
            made,
            params=tuple(replace(param, pointer=way) for param, way in ways if way is not None),
            set=tuple((way, value) for way, value in fixed if way is not None),
        )

    def _pointer(self, struct: str, pointer: tuple[str, ...], use: str) -> tuple[str, ...] | None:
        """The pointer after renaming; None, with a finding, if it leads through a field that is gone."""
        way: list[str] = []
        at: Type | None = Ref(struct)
        for key in pointer:
            inner = self._inside(at)
            renaming = self._changes.of(inner, key) if isinstance(inner, Struct) else None
            if renaming is not None and renaming.name is None:
                self._faults.add("removed-in-use", renaming.place, f"`{key}` is removed here, but {use} needs it")
                return None
            now = key if renaming is None or renaming.name is None else renaming.name
            if not _is_flat(inner, now):
                way.append(now)
            at = _step(inner, now)
        return tuple(way)

    def _inside(self, at: Type | None) -> Struct | Type | None:
        if at is None:
            return None
        found = target(at, self._declarations)
        declared = self._declarations.get(found.name) if isinstance(found, Ref) else None
        return declared if isinstance(declared, Struct) else found

    # --- examples ---

    def _declaration(self, declared: Declaration) -> Declaration:
        kept = self._kept(declared.examples) if declared.name in self._outdated else declared.examples
        if not isinstance(declared, Struct):
            return declared if kept == declared.examples else replace(declared, examples=kept)
        fields = tuple(
            replace(f, examples=self._kept(f.examples))
            if f.examples and self._outdated & {declared.name, *references(f.type)}
            else f
            for f in declared.fields
        )
        made = tuple(self._constructor(declared.name, c) for c in declared.constructors)
        return replace(declared, examples=kept, fields=fields, constructors=made)

    def _kept(self, examples: Sequence[Example]) -> tuple[Example, ...]:
        return tuple(e for e in examples if not self._of_base(e.place))

    def _of_base(self, place: Place) -> bool:
        return self._draft.file is not None and place.file != self._draft.file


def _is_flat(at: Struct | Type | None, key: str) -> bool:
    """Whether the members under the key stand in the object itself, so that a pointer does not name the key."""
    return isinstance(at, Struct) and any(f.name == key and f.flatten for f in at.fields)


def _step(at: Struct | Type | None, key: str) -> Type | None:
    """The type under a key."""
    match at:
        case Struct():
            return next((f.type for f in at.fields if f.name == key), at.extra)
        case Array():
            return at.item
        case Map():
            return at.value
        case _:
            return None


def references(type_: Type) -> Iterator[str]:
    """The declared names in a type."""
    match type_:
        case Ref():
            yield type_.name
        case Array():
            yield from references(type_.item)
        case Map():
            if type_.key is not None:
                yield type_.key
            yield from references(type_.value)
        case Choice():
            for member in type_.members:
                yield from references(member)
        case Scalar():
            pass


def _named_by(declared: Declaration) -> Iterator[str]:
    """The declarations that an instance of this one may hold, or be."""
    match declared:
        case Alias():
            yield from references(declared.type)
        case Union():
            yield from (v.name for v in declared.variants)
        case Struct():
            yield from declared.include
            yield from (tag.enum for tag in declared.tags if tag.enum is not None)
            for field in declared.fields:
                yield from references(field.type)
            yield from references(declared.extra) if declared.extra is not None else ()
        case Enum():
            pass


def _reaching(touched: frozenset[str], declarations: Mapping[str, Declaration]) -> frozenset[str]:
    """The touched declarations and all from which they can be reached."""
    users: dict[str, list[str]] = {}
    for name, declared in declarations.items() if touched else ():
        for used in _named_by(declared):
            users.setdefault(used, []).append(name)
    found = set(touched)
    left = list(touched)
    while left:
        new = [user for user in users.get(left.pop(), ()) if user not in found]
        found.update(new)
        left.extend(new)
    return frozenset(found)
