"""The input of rules: a built model, and the mapping from its nodes back to the source text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from polywire.ground.location import SourceLocation
from polywire.model.graphs import min_depths
from polywire.model.nodes import Const, Field, Model, Struct, Tag
from polywire.source.expr import Expression, ExpressionError, parse, parse_answer
from polywire.source.reader import is_value_sample
from polywire.source.tree import Listing, Node, Table, Text
from polywire.source.types import Array, Choice, Map, TupleType, Type
from polywire.targets.common.base import Name, Target


@dataclass(frozen=True)
class RuleContext:
    """A model, and the trees of its files by path."""

    model: Model
    trees: Mapping[str, Table]
    overlays: frozenset[str] = frozenset()
    """The files of the dialect, if the model is that of a dialect."""
    proper: RuleContext | None = None
    """For a release or a dialect: the context of the spec itself, whose results are reused."""
    targets: frozenset[str] | None = None
    """The targets in which names must be distinct; all if it is None."""

    def owns(self, place: SourceLocation) -> bool:
        """Whether a location is in the model's own files: for a dialect, those of its overlays only."""
        return not self.overlays or place.file in self.overlays

    def names(self, target: Target) -> tuple[Name, ...]:
        """Every name that a target generates, computed once."""
        if target.name not in self._names:
            self._names[target.name] = tuple(target.names(self.model))
        return self._names[target.name]

    @cached_property
    def _names(self) -> dict[str, tuple[Name, ...]]:
        return {}

    @cached_property
    def min_depths(self) -> Mapping[Type, int]:
        """The depth of the simplest value of each type that has finite values."""
        return min_depths(self.model)

    def members(self, struct: Struct) -> Mapping[str, Field | Tag | Const]:
        """The members of a struct by their keys, without flattened fields and those that are never sent."""
        if struct.name not in self._members:
            fields = {field.name: field for field in struct.wire_fields if not field.flatten}
            tags, consts = {tag.key: tag for tag in struct.tags}, {const.key: const for const in struct.consts}
            self._members[struct.name] = {**consts, **tags, **fields}
        return self._members[struct.name]

    @cached_property
    def _members(self) -> dict[str, Mapping[str, Field | Tag | Const]]:
        return {}

    def node(self, place: SourceLocation, *keys: str) -> Node | None:
        """The node under `keys` in the value of the key (or in the item of a list) at `place`."""
        for index in self._indexes:
            found = _under(index.get(place), keys)
            if found is not None:
                return found[1]
        return None

    def at(self, place: SourceLocation, *keys: str) -> SourceLocation:
        """The location of the last of `keys` below the node at `place`, or `place` if they are not written there."""
        for index in self._indexes:
            found = _under(index.get(place), keys)
            if found is not None:
                return found[0]
        return place

    def below(self, *keys: str) -> tuple[SourceLocation, SourceLocation]:
        """The locations of the last of `keys` in the spec's entry, and of its value."""
        entry = next(iter(self.trees.values()))
        found = _under(entry, keys)
        return (entry.place, entry.place) if found is None else (found[0], found[1].place)

    def inside(self, place: SourceLocation, path: Iterable[str]) -> SourceLocation:
        """The location that a path leads to in the JSON value at `place`, or of the last step that is written."""
        values, items = self._indexes
        node = items.get(place, values.get(place))
        if isinstance(node, Table) and is_value_sample(node):
            node = node.get("value")
        for step in path:
            place, node = _into(node, step, place)
        return place

    @cached_property
    def _indexes(self) -> tuple[dict[SourceLocation, Node], dict[SourceLocation, Node]]:
        """Values by the location of their key, and items of lists by their own.

        There are two indexes because a block mapping starts where its first key does.
        """
        known = self.proper
        todo: list[Node] = [tree for file, tree in self.trees.items() if known is None or file not in known.trees]
        values, items = ({}, {}) if known is None else known._indexes  # noqa: SLF001 (same class)
        if todo:
            values, items = dict(values), dict(items)
        while todo:
            match todo.pop():
                case Table(entries):
                    values.update((entry.key.place, entry.value) for entry in entries.values())
                    todo.extend(entry.value for entry in entries.values())
                case Listing(nodes):
                    items.update((node.place, node) for node in nodes)
                    todo.extend(nodes)
        return values, items


def _under(node: Node | None, keys: tuple[str, ...]) -> tuple[SourceLocation, Node] | None:
    """The location of the last key, and its value."""
    if node is None:
        return None
    place = node.place
    for key in keys:
        entry = node.entries.get(key) if isinstance(node, Table) else None
        if entry is None:
            return None
        place, node = entry.key.place, entry.value
    return place, node


def _into(node: Node | None, step: str, place: SourceLocation) -> tuple[SourceLocation, Node | None]:
    match node:
        case Table(entries) if step in entries:
            return entries[step].key.place, entries[step].value
        case Listing(nodes) if step.isdecimal() and int(step) < len(nodes):
            return nodes[int(step)].place, nodes[int(step)]
    return place, None


# --- type expressions ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Member:
    """An alternative of an inline union, and its location."""

    type: Type
    place: SourceLocation


def choices(context: RuleContext) -> Iterator[tuple[Member, ...]]:
    """Every inline union of the model as written, with null among its members, without duplicates."""
    seen: set[SourceLocation] = set()
    for text, expression in _expressions(context):
        if text.place not in seen and expression.type is not None:
            seen.add(text.place)
            found: list[tuple[Member, ...]] = []
            _locate(expression.type, iter(expression.words), text, found)
            yield from found


def _locate(type_: Type, words: Iterator[int], text: Text, found: list[tuple[Member, ...]]) -> int:
    """Collect the choices in a type, taking its word offsets from `words`; returns the offset where the type begins."""
    match type_:
        case Array(item):
            return _locate(item, words, text, found)
        case TupleType(items):
            starts = [_locate(item, words, text, found) for item in items]
            return starts[0]
        case Map(value, key):
            start = next(words)
            if key is not None:
                next(words)
            _locate(value, words, text, found)
            return start
        case Choice(members):
            starts = [_locate(member, words, text, found) for member in members]
            found.append(tuple(Member(m, text.at(start)) for m, start in zip(members, starts, strict=True)))
            return starts[0]
    return next(words)


def _expressions(context: RuleContext) -> Iterator[tuple[Text, Expression]]:
    for text, response in _texts(context):
        expression = _parsed(text, parse_answer if response else parse)
        if expression is not None:
            yield text, expression


def _parsed(text: Text, parser: Callable[[str], Expression]) -> Expression | None:
    """The parsed text; None if it is not an expression: the value of a tag can be where a field's type is."""
    try:
        return parser(text.text)
    except ExpressionError:
        return None


def _texts(context: RuleContext) -> Iterator[tuple[Text, bool]]:
    """The text of every type expression, and whether it is the response of a control."""
    model = context.model
    for alias in model.aliases:
        yield from _short_or_long(context, alias.place)
    for struct in model.structs:
        yield from _texts_of_struct(context, struct)
    for control in model.controls:
        yield from ((text, True) for text, _ in _text(context, control.place, "response"))
        yield from _text(context, control.place, "error")
    for tool in model.tools:
        yield from _text(context, tool.place, "input")
        yield from _text(context, tool.place, "output")


def _texts_of_struct(context: RuleContext, struct: Struct) -> Iterator[tuple[Text, bool]]:
    yield from _text(context, struct.place, "extra")
    for field in struct.fields:
        yield from _short_or_long(context, field.place)
        yield from _texts_of_callback(context, field)


def _texts_of_callback(context: RuleContext, field: Field) -> Iterator[tuple[Text, bool]]:
    if field.callback is not None:
        yield from _text(context, field.place, "callback", "returns")
        for param in field.callback.params:
            if param.at is None:
                yield from _text(context, field.place, "callback", "params", param.name)


def _short_or_long(context: RuleContext, place: SourceLocation) -> Iterator[tuple[Text, bool]]:
    """The type of a declaration or field and its earlier types; the short form has only the type."""
    yield from _text(context, place)
    yield from _text(context, place, "type")
    was = context.node(place, "was")
    for item in was.items if isinstance(was, Listing) else ():
        node = item.get("type") if isinstance(item, Table) else None
        if isinstance(node, Text):
            yield node, False


def _text(context: RuleContext, place: SourceLocation, *keys: str) -> Iterator[tuple[Text, bool]]:
    node = context.node(place, *keys)
    if isinstance(node, Text):
        yield node, False
