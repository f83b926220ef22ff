"""A parsed tree → the part of it that fits the grammar, with a finding for everything that does not.

What does not fit is left out, so later steps need not check forms again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polywire.source import grammar
from polywire.source.expr import ExpressionError, is_pointer, parse, parse_answer
from polywire.source.grammar import Dict, Either, Json, Record, Removable, Sample, Sequence, Shape, Word
from polywire.source.jsontext import fault
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a tree."""

    node: Node | None
    """The part of the node that has the shape; None if no part does."""
    files: tuple[Text, ...]
    """The paths of the example files that it refers to."""
    lost: frozenset[str]
    """Names of declarations that did not fit, or that are in a section with a misspelt name."""


def check(node: Node, shape: Shape, faults: Faults, what: str) -> Checked:
    """Check a tree against a shape. `what` names the tree in findings."""
    checker = _Checker(faults)
    return Checked(checker.check(node, shape, what), tuple(checker.files), frozenset(checker.lost))


def is_file_sample(node: Node) -> bool:
    """Whether an example refers to a file: its keys are `file` and optionally `doc`, unquoted."""
    return isinstance(node, Table) and _plain_keys(node) in _FILE_KEYS


def is_value_sample(node: Node) -> bool:
    """Whether an example is `{doc: …, value: …}`, unquoted."""
    return isinstance(node, Table) and _plain_keys(node) == _VALUE_KEYS


def is_removal(node: Node) -> bool:
    """Whether the node is the word `remove`, unquoted."""
    return isinstance(node, Text) and node.plain and node.text == grammar.REMOVE


_FILE_KEYS = frozenset({"file"}), frozenset({"file", "doc"})
_VALUE_KEYS = frozenset({"doc", "value"})


def _plain_keys(table: Table) -> frozenset[str]:
    return frozenset(table.entries) if all(e.key.plain for e in table) else frozenset()


class _Checker:
    """A check of one tree, with a method for each shape that returns what fits."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.files: list[Text] = []
        self.lost: set[str] = set()

    def check(self, node: Node, shape: Shape, what: str) -> Node | None:
        match shape:
            case Word():
                return self._word(node, shape, what)
            case Record():
                return self._record(node, shape, what)
            case Either():
                return self._either(node, shape, what)
            case Dict():
                return self._dict(node, shape, what)
            case Sequence():
                return self._sequence(node, shape, what)
            case Json():
                return self._json(node, shape, what)
            case Sample():
                return self._sample(node, what)
            case Removable():
                return node if is_removal(node) else self.check(node, shape.shape, what)

    # --- scalars ---

    def _word(self, node: Node, shape: Word, what: str) -> Node | None:
        if not isinstance(node, Text) or node.null or node.refused:
            expected = " or ".join(f"`{c}`" for c in shape.choices) or grammar.FORMS[shape.kind].expected
            self._mismatch(node, expected, what)
        else:
            self._uncut(node, shape, what)
            if self._fits(node, shape, what):
                return node
        # Unreadable prose is not missing prose: leave an empty text, which an author cannot write.
        return Text("", plain=False, place=node.place) if shape.kind == "prose" else None

    def _uncut(self, node: Text, shape: Word, what: str) -> None:
        if shape.kind == "prose" and node.cut:
            self._faults.add(
                "cut-prose",
                node.cut,
                f"{what} is cut off here: ` #` starts a comment",
                "quote the text, or move the comment to its own line",
            )

    def _fits(self, node: Text, shape: Word, what: str) -> bool:
        if shape.kind in _EXPRESSIONS:
            return self._expression(node, shape)
        if shape.choices:
            return self._keyword(node, shape, what)
        if grammar.PATTERNS[shape.kind].fullmatch(node.text) and (node.plain or shape.kind not in _PLAIN):
            return True
        form = grammar.FORMS[shape.kind]
        self._faults.add(form.rule, node.place, f"{what} is {_quote(node)}, expected {form.expected}")
        return False

    def _expression(self, node: Text, shape: Word) -> bool:
        try:
            _EXPRESSIONS[shape.kind](node.text)
        except ExpressionError as error:
            self._faults.add("bad-type", node.at(error.offset), error.message, error.hint)
            return False
        return True

    def _keyword(self, node: Text, shape: Word, what: str) -> bool:
        if node.text in shape.choices:
            return True
        expected = " or ".join(f"`{c}`" for c in shape.choices)
        hint = self._faults.near(node.text, shape.choices)
        self._faults.add("wrong-kind", node.place, f"{what} is {_quote(node)}, expected {expected}", hint)
        return False

    # --- JSON ---

    def _json(self, node: Node, shape: Json, what: str) -> Node | None:
        if isinstance(node, Text) and node.refused:
            return None
        null = isinstance(node, Text) and node.null and not (shape.nullable and node.text == "null")
        if shape.scalar and (null or not isinstance(node, Text)):
            return self._mismatch(node, "a text, number or boolean", what)
        found = fault(node)
        if found is None:
            return node
        self._faults.add(found.rule, found.place, found.message, found.hint)
        return None

    def _sample(self, node: Node, what: str) -> Node | None:
        if is_value_sample(node):
            return self.check(node, grammar.SAMPLE_VALUE, what)
        if not is_file_sample(node):
            return self.check(node, grammar.JSON, what)
        checked = self.check(node, grammar.SAMPLE_FILE, what)
        path = checked.get("file") if isinstance(checked, Table) else None
        if isinstance(path, Text):
            self.files.append(path)
        return checked

    # --- lists and mappings ---

    def _sequence(self, node: Node, shape: Sequence, what: str) -> Node | None:
        if not isinstance(node, Listing):
            return self._mismatch(node, "a list", what)
        if shape.nonempty and not node.items:
            self._faults.add("wrong-kind", node.place, f"{what} is empty, expected at least one item")
            return None
        checked = [self.check(item, shape.item, f"item {n} of {what}") for n, item in enumerate(node.items, 1)]
        if all(new is old for new, old in zip(checked, node.items, strict=True)):
            return node
        return Listing(tuple(item for item in checked if item is not None), node.place)

    def _dict(self, node: Node, shape: Dict, what: str) -> Node | None:
        if not isinstance(node, Table):
            hint = _VALUES if what == "`values`" and isinstance(node, Listing) else None
            return self._mismatch(node, "a mapping", what, hint)
        if shape.single and len(node.entries) != 1:
            self._faults.add("wrong-kind", node.place, f"{what} has {len(node.entries)} keys, expected exactly one")
            return None
        seen: dict[str, Text] = {}
        fits = {
            e.key.text: self.check(e.value, shape.value, f"`{e.key.text}`")
            for e in node
            if self._key(e.key, shape.key, seen, what)
        }
        return _kept(node, fits)

    def _key(self, key: Text, shape: Word, seen: dict[str, Text], what: str) -> bool:
        if not grammar.PATTERNS[shape.kind].fullmatch(key.text):
            form = grammar.FORMS[shape.kind]
            self._faults.add(form.rule, key.place, f"{_quote(key)} in {what}: expected {form.expected}")
            return False
        if shape.kind != "field":
            return True
        first = seen.setdefault(key.text.removesuffix("?"), key)
        if first is not key:
            message = f"`{key.text}` is the same key as `{first.text}`"
            self._faults.add("duplicate-key", key.place, message, f"the first is in line {first.place.line}")
        return first is key

    def _record(self, node: Node, shape: Record, what: str) -> Node | None:
        if not isinstance(node, Table):
            hint = _VALUES if shape.name == "enum" and isinstance(node, Listing) else None
            return self._mismatch(node, f"a mapping with the keys of {_a(shape.name)}", what, hint)
        fits: dict[str, Node | None] = {}
        seen: dict[str, Text] = {}
        for entry in node:
            name = entry.key.text
            key = shape.keys.get(name)
            if key is None and shape.rest is not None:
                if self._key(entry.key, shape.rest.key, seen, what):
                    fits[name] = self.check(entry.value, shape.rest.value, f"`{name}`")
            elif key is None:
                near = _advice(shape, name) or self._faults.near(name, shape.keys)
                if near is None and shape is grammar.FIELD_RECORD and not node.entries.keys() & shape.keys.keys():
                    near = _OBJECT
                hint = near or f"{_a(shape.name)} has {', '.join(shape.keys)}"
                self._faults.add("unknown-key", entry.key.place, f"`{name}` is not a key of {_a(shape.name)}", hint)
            else:
                fits[name] = self.check(entry.value, key.shape, f"`{name}`")
        for name, key in shape.keys.items():
            if key.required and name not in node.entries:
                rule = "open-missing" if name == "open" else "missing-key"
                self._faults.add(rule, node.place, f"{what} is missing `{name}`", key.doc)
        if shape.keys.keys() >= grammar.SECTIONS.keys():
            self.lost.update(name for entry in node for name in _gone(entry.value, fits.get(entry.key.text)))
        return _kept(node, fits)

    def _either(self, node: Node, shape: Either, what: str) -> Node | None:
        of_kind: Mapping[type[Node], Shape | None] = {Text: shape.scalar, Listing: shape.listing, Table: shape.table}
        chosen = of_kind[type(node)]
        if chosen is not None:
            return self.check(node, chosen, what)
        hint = _LIST if shape is grammar.FIELD and isinstance(node, Listing) else None
        expected = " or ".join(_KINDS[kind] for kind, s in of_kind.items() if s is not None)
        return self._mismatch(node, expected, what, hint)

    def _mismatch(self, node: Node, expected: str, what: str, hint: str | None = None) -> Node | None:
        """Report that the node has the wrong kind or no value; always returns None."""
        if isinstance(node, Text) and node.refused:
            return None
        if isinstance(node, Text) and node.null:
            self._faults.add("null-value", node.place, f"{what} has no value", "add a value, or remove the key")
        else:
            self._faults.add("wrong-kind", node.place, f"{what} is {_kind(node)}, expected {expected}", hint)
        return None


_VALUES = "write `values: {a: The meaning of a., b: The meaning of b.}`"
_ENUM = "declare the values under `enums`, and write the name of the enum here"
_LIST = 'write `T[]` for a list of T, and `"[A, B]"` in quotes for a list of exactly these items'
_CHOICE = "write alternatives of different kinds as `A | B`, and declare a union for alternatives of objects"
_OBJECT = "declare the object under `types`, and write its name here"
_OPTIONAL = "a member is required unless its key ends with `?`: `name?: T` may be absent"
_NULLABLE = "write `T | null`"
_INCLUDE = "write `include: [TYPE]`"
_TAGS = "write `by: KEY` in the union, and `tag: {KEY: VALUE}` in each variant"
_ADVICE: Mapping[str, Mapping[str, str]] = {
    "field": {
        **dict.fromkeys(("oneOf", "anyOf", "oneof"), _CHOICE),
        **dict.fromkeys(("properties", "fields", "allOf"), _OBJECT),
        **dict.fromkeys(("required", "optional"), _OPTIONAL),
        **dict.fromkeys(("enum", "values"), _ENUM),
        **dict.fromkeys(("items", "repeated"), "write `T[]` for a list of T"),
        **dict.fromkeys(("minItems", "maxItems"), "write the bounds in the type: `T[1..4]`"),
        **dict.fromkeys(("minLength", "maxLength"), "write the bounds in the type: `string(1..64)`"),
        **dict.fromkeys(("minimum", "maximum"), "write the bounds in the type: `integer(0..10)`"),
        "additionalProperties": "write `map<T>` for an object with any keys",
        "nullable": _NULLABLE,
        "const": "write the value under `const` or `tag` of the type",
        "format": "write `uuid` or `timestamp` as the type, or state the format in `doc`",
        "pattern": "state the pattern in `doc`",
        "$ref": "write the name of the declaration as the type",
    },
    "type": {
        "type": "a type is an object; declare other values under `aliases` or `enums`",
        "properties": "write `fields: {name: T}`",
        "required": _OPTIONAL,
        "additionalProperties": "write `extra: T` for the type of values under other keys",
        "enum": "declare the values under `enums`",
        "discriminator": _TAGS,
        "nullable": _NULLABLE,
        **dict.fromkeys(("allOf", "extends", "$ref"), _INCLUDE),
        **dict.fromkeys(("oneOf", "anyOf", "oneof"), "declare a union of several types under `unions`"),
    },
    "alias": {
        **dict.fromkeys(("oneOf", "anyOf", "oneof"), _CHOICE),
        **dict.fromkeys(("properties", "fields"), "declare an object under `types`"),
        "enum": "declare the values under `enums`",
        "nullable": _NULLABLE,
        "items": "write `type: T[]` for a list of T",
        "$ref": "write `type: NAME`",
    },
    "union": {
        **dict.fromkeys(("oneOf", "anyOf", "oneof", "types", "members"), "write `variants: [A, B]`"),
        **dict.fromkeys(("discriminator", "mapping", "propertyName", "tag"), _TAGS),
    },
    "spec": dict.fromkeys(("definitions", "$defs", "components", "schemas"), "declare objects under `types`"),
    "enum": {**dict.fromkeys(("enum", "members"), _VALUES), "type": "write `base: integer`, or nothing for strings"},
}
"""What to write instead of keys that other languages have, by the kind of mapping."""
_SAME = {"message": "type", "options": "type", "option": "field", "part": "spec"}
"""Kinds of mappings → those whose advice holds for them too."""
_DOCS = frozenset({"description", "title", "summary", "comment", "documentation"})


def _advice(shape: Record, name: str) -> str | None:
    """What to write instead of a key that another language has here."""
    if name in _DOCS and "doc" in shape.keys:
        return "write `doc`"
    return _ADVICE.get(_SAME.get(shape.name, shape.name), {}).get(name)


def _parse_param(text: str) -> object:
    return text if is_pointer(text) else parse(text)


_EXPRESSIONS: Mapping[str, Callable[[str], object]] = {
    "expression": parse,
    "answer": parse_answer,
    "param": _parse_param,
}
_PLAIN = frozenset({"flag", "integer"})  # quotes would make them strings


def _kept(node: Table, fits: Mapping[str, Node | None]) -> Table:
    """The table reduced to the values that fit; the same object if all do."""
    if len(fits) == len(node.entries) and all(fits[e.key.text] is e.value for e in node):
        return node
    kept = {e.key.text: Entry(e.key, value) for e in node if (value := fits.get(e.key.text)) is not None}
    return Table(kept, node.place)


def _gone(before: Node, after: Node | None) -> Iterator[str]:
    """The keys of a table that a check removed."""
    kept = after.entries if isinstance(after, Table) else {}
    yield from (key for key in (before.entries if isinstance(before, Table) else ()) if key not in kept)


_KINDS: Mapping[type[Node], str] = {Text: "a text", Listing: "a list", Table: "a mapping"}


def _kind(node: Node) -> str:
    return f"the text {_quote(node)}" if isinstance(node, Text) else _KINDS[type(node)]


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeo" else f"a {noun}"


def _quote(node: Text) -> str:
    text = node.text if len(node.text) <= _LONGEST else node.text[: _LONGEST - 1] + "…"
    return f"`{text}`" if node.plain else f'"{text}"'


_LONGEST = 60  # the maximum length of a text quoted in a message
