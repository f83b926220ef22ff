"""Two models → every difference on the wire between them, each reported once, where it is declared.

Only what can be reached from roots, controls and tools is sent, so only that is compared. A difference from a mixin is
reported for the mixin, with the types that include it; a difference in a variant of a nested union is reported for the
nested union.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from polywire.evolve.diff.declarations import declared_kind, summary
from polywire.evolve.diff.matching import Matching, line
from polywire.evolve.diff.members import differences
from polywire.evolve.diff.protocol import of_controls, of_protocol, of_tools, of_trees
from polywire.evolve.diff.records import Difference, Side
from polywire.evolve.diff.tables import of_tables
from polywire.evolve.diff.unions import of_unions
from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Declaration, Enum, EnumValue, Model, Struct, Union
from polywire.model.reachability import starts
from polywire.model.walk import reach, refs, spell, structs_of


def compare(before: Model, after: Model) -> tuple[Difference, ...]:
    """Return the differences on the wire in the order of the first model, then additions, then removals."""
    return tuple(_Comparison(before, after).run())


def travelling(model: Model, *, nested: bool = True) -> frozenset[str]:
    """Return the declarations that are, or are part of, something on the wire; a mixin by itself is not.

    A union that is only used as a variant is not visible on the wire; `nested` says whether to include it.
    """
    graph = {name: tuple(parts(declared, nested=nested)) for name, declared in model.declarations.items()}
    return reach(graph, starts(model))


def parts(declared: Declaration, *, nested: bool = True) -> Iterator[str]:
    """Yield the parts of a declaration that are sent."""
    match declared:
        case Alias(type=type_):
            yield from refs(type_)
        case Union(variants=variants, dispatch=dispatch):
            yield from (variant.name for variant in variants) if nested else structs_of(dispatch)
        case Struct():
            yield from (tag.enum for tag in declared.tags if tag.enum is not None)
            yield from refs(declared.extra)
            for field in declared.wire_fields:
                yield from refs(field.type)


class _Comparison:
    """One comparison of two models."""

    def __init__(self, before: Model, after: Model) -> None:
        self._before = before
        self._after = after
        self._matching = Matching(before, after)
        self._old, self._new = travelling(before), travelling(after)
        self._raw: dict[str, tuple[Difference, ...]] = {}

    def run(self) -> Iterator[Difference]:
        yield from of_protocol(self._before, self._after, self._matching)
        yield from self._of_declarations()
        yield from of_controls(self._before, self._after, self._matching)
        yield from of_tools(self._before, self._after, self._matching)
        yield from of_trees(self._before, self._after, self._matching)
        yield from of_tables(self._before, self._after, self._matching)
        yield from self._one_sided()

    # --- declarations on both sides ---

    def _of_declarations(self) -> Iterator[Difference]:
        owned = self._by_owner()
        for name, declared in self._before.declarations.items():
            yield from owned.get(name, ())
            counterpart = self._counterpart(name)
            if counterpart is not None:
                yield from self._pair(declared, self._after.declarations[counterpart])

    def _counterpart(self, name: str) -> str | None:
        """Return the counterpart of a declaration, if both are sent in their own right."""
        counterpart = self._matching.counterpart(name)
        return counterpart if name in self._old and counterpart in self._new else None

    def _pair(self, before: Declaration, after: Declaration) -> Iterator[Difference]:
        """Yield the differences of anything but structs."""
        match before, after:
            case Struct(), Struct():
                return
            case Enum(), Enum():
                yield from _of_enums(before, after)
            case Union(), Union():
                yield from of_unions(before, after, self._matching)
            case Alias(), Alias():
                for rule in sorted(self._matching.aspects(before.type, after.type)):
                    old, new = (Side(a.name, text=spell(a.type), place=a.place) for a in (before, after))
                    yield Difference(rule, old, new)
            case _:
                yield Difference("kind", _whole(before), _whole(after))

    # --- structs, and the mixins that they include --------

    def _by_owner(self) -> dict[str, list[Difference]]:
        """Return the differences in structs, by the struct or mixin for which they are reported."""
        sharers: dict[tuple[str, Difference], list[str]] = {}
        for name in self._before.declarations:
            if self._counterpart(name) is not None:
                for found in self._of_struct(name):
                    owner, difference = self._owner(name, found)
                    sharers.setdefault((owner, difference), []).append(name)
        owned: dict[str, list[Difference]] = {}
        for (owner, difference), names in sharers.items():
            owned.setdefault(owner, []).append(self._shared(difference, owner, names))
        return owned

    def _of_struct(self, name: str) -> tuple[Difference, ...]:
        if name not in self._raw:
            before, after = (
                self._before.declarations[name],
                self._after.declarations.get(self._matching.counterpart(name) or ""),
            )
            if isinstance(before, Struct) and isinstance(after, Struct):
                self._raw[name] = tuple(differences(before, after, self._matching))
            else:
                self._raw[name] = ()
        return self._raw[name]

    def _owner(self, name: str, found: Difference) -> tuple[str, Difference]:
        """Return the innermost mixin of both sides that has the same difference, and the difference as found there."""
        for mixin in self._mixins(name):
            for difference in self._of_struct(mixin):
                if _key(difference) == _key(found):
                    return self._owner(mixin, difference)
        return name, found

    def _mixins(self, name: str) -> list[str]:
        """Return the mixins that a struct includes on both sides."""
        before, after = self._before.struct(name), self._after.struct(self._matching.counterpart(name) or name)
        there = set(line(after, self._after))
        shared = (mixin for mixin in line(before, self._before) if self._matching.counterpart(mixin) in there)
        return sorted(set(shared) - {name})

    def _shared(self, difference: Difference, owner: str, names: list[str]) -> Difference:
        if names == [owner]:
            return difference
        counterparts = tuple(self._matching.counterpart(name) or name for name in names)
        return Difference(
            difference.rule,
            replace(difference.before, types=tuple(names)),
            replace(difference.after, types=counterparts),
        )

    # --- declarations on one side only ---

    def _one_sided(self) -> Iterator[Difference]:
        """Yield declarations that only one side has, except requests of controls, which belong to the controls."""
        counterparts = {self._counterpart(name) for name in self._before.declarations}
        for declared in _seen(self._after):
            if declared.name not in counterparts:
                yield Difference("declaration", Side(), _whole(declared))
        for declared in _seen(self._before):
            if self._counterpart(declared.name) is None:
                yield Difference("declaration", _whole(declared), Side())


def _seen(model: Model) -> Iterator[Declaration]:
    """Return the declarations that are visible on the wire, except the requests of controls."""
    seen = travelling(model, nested=False) - {control.request for control in model.controls}
    return (declared for name, declared in model.declarations.items() if name in seen)


def _key(difference: Difference) -> tuple[object, ...]:
    """Return what a difference in a mixin has in common with the same difference in a struct that includes it."""
    sides = ((side.key, side.text, side.text and side.place) for side in (difference.before, difference.after))
    return difference.rule, *sides


def _whole(declared: Declaration) -> Side:
    return Side(declared.name, text=f"{declared_kind(declared)}: {summary(declared)}", place=declared.place)


def _of_enums(before: Enum, after: Enum) -> Iterator[Difference]:
    if before.open != after.open:
        old, new = (Side(e.name, text="open" if e.open else "closed", place=e.place) for e in (before, after))
        yield Difference("enum-open", old, new)
    old_values, new_values = {v.wire: v for v in before.values}, {v.wire: v for v in after.values}
    renamed = dict(_respelt(old_values.values(), new_values.values()))
    for wire, value in old_values.items():
        if wire in renamed:
            yield Difference("enum-value-name", _value(before, value), _value(after, renamed[wire]))
        elif wire not in new_values:
            yield Difference("enum-value", _value(before, value), Side(after.name, place=after.place))
    for wire, value in new_values.items():
        if wire not in old_values and value not in renamed.values():
            yield Difference("enum-value", Side(before.name, place=before.place), _value(after, value))


def _respelt(before: Iterable[EnumValue], after: Iterable[EnumValue]) -> Iterator[tuple[str | int, EnumValue]]:
    """Yield values that only one side has, with the value of the same name that only the other side has."""
    old, new = list(before), list(after)
    gone = [v for v in old if v.wire not in {w.wire for w in new}]
    come = [v for v in new if v.wire not in {w.wire for w in old}]
    for value in gone:
        for other in come:
            if value.name == other.about.formerly or other.name == value.about.formerly:
                yield value.wire, other


def _value(enum: Enum, value: EnumValue) -> Side:
    return Side(enum.name, str(value.wire), dumps(value.wire), value.place)
