"""The objects of a struct as one peer writes them → what the other reads them as, where tags decide.

A changed tag leads a reader elsewhere: to the Unknown of an open union, to another struct, or to an error. The rest of
such an object is then not read as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from polywire.evolve.breaking.compatibility import LOST, REFUSED, SAME, UNKNOWN, Compatibility, Verdict, worst
from polywire.ground.engine import glob
from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Struct, Switch, Tag
from polywire.model.reachability import starts
from polywire.model.walk import held, structs_of

Value: TypeAlias = "str | bool | int"


class Landing:
    """What the objects of each struct are read as in one direction."""

    def __init__(self, fit: Compatibility) -> None:
        self._fit = fit
        self.writer = fit.writer
        self._written = frozenset(used(fit.writer))
        self._read = frozenset(used(fit.reader))
        self.never = cache(self._never)

    def of(self, struct: str, key: str, gone: Collection[Value]) -> Verdict:
        """Return what happens to the objects of a struct whose tag has a value that the reader's tag does not have."""
        found = self._verdicts(self._with_tag(self.writer.struct(struct), key, gone))
        if not found or SAME in found or self._is_read_by_itself(struct):
            return REFUSED  # it is read as the struct, and its tag does not match
        return worst(found)

    def of_others(self, struct: str, key: str, form: str) -> Verdict:
        """Return what happens to the objects of a struct whose tag is any other text that matches a pattern."""
        return worst(self._verdicts(self._with_tag(self.writer.struct(struct), key, [form])))

    def _with_tag(self, struct: Struct, key: str, kept: Collection[Value]) -> Struct:
        """Return the struct with only some values of a tag."""

        def only(tag: Tag) -> Tag:
            some = tuple(value for value in values(tag, self.writer) if value in kept)
            return replace(
                tag, constant=None, enum=None, values=some, prefix=tag.prefix if tag.prefix in kept else None
            )

        return replace(struct, tags=tuple(only(tag) if tag.key == key else tag for tag in struct.tags))

    def _never(self, struct: str) -> bool:
        """Return whether no object of a struct is read as it was written, so that its members are never read."""
        found = self._verdicts(self.writer.struct(struct))
        return bool(found) and SAME not in found and not self._is_read_by_itself(struct)

    def _is_read_by_itself(self, struct: str) -> bool:
        """Return whether the reader decodes the struct in some place without a dispatch."""
        return self._fit.counterparts.get(struct) in self._read

    def _verdicts(self, struct: Struct) -> frozenset[Verdict]:
        """Return the verdicts for its tags' values, in each of the reader's unions whose counterpart has the struct."""
        there = {
            self._fit.counterparts.get(union.name)
            for union in self._fit.writer.unions
            if union.name in self._written and struct.name in structs_of(union.dispatch)
        }
        dispatches = [union.dispatch for union in self._fit.reader.unions if union.name in there]
        return frozenset(verdict for each in dispatches for verdict in self._walk(struct, each))

    def _walk(self, struct: Struct, dispatch: Dispatch | None) -> Iterator[Verdict]:
        match dispatch:
            case None:
                yield REFUSED  # a missing tag is an error in open unions, too
            case Leaf(struct=name):
                yield SAME if self._fit.counterparts.get(struct.name) == name else LOST
            case Keys():
                yield SAME  # tags do not decide here
            case Switch():
                yield from self._switch(struct, dispatch)

    def _switch(self, struct: Struct, dispatch: Switch) -> Iterator[Verdict]:
        tag = struct.tag(dispatch.key)
        if tag is None or tag.optional:
            yield from self._walk(struct, dispatch.absent)
        if tag is None:
            return
        if tag.prefix is not None:
            begun = next((then for prefix, then in dispatch.prefixes if prefix == tag.prefix), None)
            yield from self._walk(struct, begun) if begun is not None else [self._unknown(dispatch)]
        if tag.others is not None:
            # A few texts represent all that match: nothing, a letter, and more in place of the star.
            texts = (tag.others.replace("*", text) for text in ("", "x", "0_"))
            yield from (self._otherwise(struct, text, dispatch) for text in texts)
        for value in values(tag, self._fit.writer):
            then = dispatch.case(value)
            if then is not None:
                yield from self._walk(struct, then)
            elif isinstance(value, bool) and dispatch.absent is not None:
                yield from self._walk(struct, dispatch.absent)
            else:
                yield self._otherwise(struct, value, dispatch)

    def _otherwise(self, struct: Struct, value: Value, dispatch: Switch) -> Verdict:
        """Return what happens to an object whose tag matches no case."""
        taker = next(
            (then for prefix, then in dispatch.prefixes if isinstance(value, str) and value.startswith(prefix)), None
        )
        if taker is not None:
            return worst(self._walk(struct, taker))
        heir = next((name for form, name in dispatch.others if glob(form)(str(value))), None)
        if heir is not None:
            return SAME if self._fit.counterparts.get(struct.name) == heir else LOST
        return self._unknown(dispatch)

    def _unknown(self, dispatch: Switch) -> Verdict:
        return UNKNOWN if self._fit.reader.union(dispatch.union).open else REFUSED


def values(tag: Tag, model: Model) -> tuple[Value, ...]:
    """Return the possible values of a tag, except those given only by a prefix."""
    if tag.constant is not None:
        return (tag.constant,)
    return tag.values if tag.enum is None else tuple(value.wire for value in model.enum(tag.enum).values)


def used(model: Model) -> Iterator[str]:
    """Yield what is decoded by itself or as part of a declaration, rather than through a union's dispatch."""
    yield from starts(model)
    for declared in model.declarations.values():
        yield from held(declared)
