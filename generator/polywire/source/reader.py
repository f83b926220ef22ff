"""A tree as written → the tree as far as it fits the grammar, with a finding for everything that does not.

What does not fit is left out, so that later steps need not look at forms again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from polywire.source import grammar
from polywire.source.expr import ExpressionError, parse, parse_answer
from polywire.source.grammar import Dict, Either, Json, Record, Removable, Sample, Sequence, Shape, Word
from polywire.source.jsontext import fault
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text

SAMPLE_FILE = frozenset({"file"}), frozenset({"file", "doc"})
SAMPLE_VALUE = frozenset({"doc", "value"})


def check(node: Node, shape: Shape, faults: Faults, what: str) -> Node | None:
    """The node as far as it has the shape; None if nothing of it does. `what` names it in findings."""
    return _CHECKS[type(shape)](node, shape, faults, what)


def is_file_sample(node: Node) -> bool:
    """Whether an example is a reference to a file: its keys are unquoted, `file` and perhaps `doc`."""
    return isinstance(node, Table) and _plain_keys(node) in SAMPLE_FILE


def is_value_sample(node: Node) -> bool:
    """Whether an example is `{doc: …, value: …}`, unquoted."""
    return isinstance(node, Table) and _plain_keys(node) == SAMPLE_VALUE


def _plain_keys(table: Table) -> frozenset[str]:
    return frozenset(e.key.text for e in table if e.key.plain) if all(e.key.plain for e in table) else frozenset()


# --- one function a shape --------------------------------------------------------------------------------------


def _word(node: Node, shape: Word, faults: Faults, what: str) -> Node | None:
    if not isinstance(node, Text):
        faults.add("wrong-kind", node.place, f"{what} is {_kind(node)}, expected {_expected(shape)}")
        return None
    if node.null:
        return _null(node, faults, what)
    if shape.kind == "prose" and node.cut:
        faults.add(
            "cut-prose",
            node.cut,
            f"{what} is cut off here: ` #` begins a comment",
            "put the text in quotes, or the comment on a line of its own",
        )
    return node if _word_fits(node, shape, faults, what) else None


def _word_fits(node: Text, shape: Word, faults: Faults, what: str) -> bool:
    if shape.kind in _EXPRESSIONS:
        return _expression(node, shape, faults)
    if shape.choices:
        return _keyword(node, shape, faults, what)
    if grammar.PATTERNS[shape.kind].fullmatch(node.text) and (node.plain or shape.kind not in _PLAIN):
        return True
    form = grammar.FORMS[shape.kind]
    faults.add(form.rule, node.place, f"{what} is {_quote(node)}, expected {form.expected}")
    return False


_EXPRESSIONS: Mapping[str, Callable[[str], object]] = {"expression": parse, "answer": parse_answer}
_PLAIN = frozenset({"flag", "integer"})  # quotes make a text of them


def _expression(node: Text, shape: Word, faults: Faults) -> bool:
    try:
        _EXPRESSIONS[shape.kind](node.text)
    except ExpressionError as error:
        faults.add("bad-type", node.at(error.offset), error.message, error.hint)
        return False
    return True


def _keyword(node: Text, shape: Word, faults: Faults, what: str) -> bool:
    if node.text in shape.choices:
        return True
    expected = " or ".join(f"`{c}`" for c in shape.choices)
    faults.add(
        "wrong-kind",
        node.place,
        f"{what} is {_quote(node)}, expected {expected}",
        faults.near(node.text, shape.choices),
    )
    return False


def _json(node: Node, shape: Json, faults: Faults, what: str) -> Node | None:
    if shape.scalar and not isinstance(node, Text):
        faults.add("wrong-kind", node.place, f"{what} is {_kind(node)}, expected a text, number or boolean")
        return None
    found = fault(node)
    if found is not None:
        faults.add(found.rule, found.place, found.message, found.hint)
        return None
    if shape.scalar and isinstance(node, Text) and node.null:
        return _null(node, faults, what)
    return node


def _sample(node: Node, shape: Sample, faults: Faults, what: str) -> Node | None:  # noqa: ARG001 - one signature for all shapes
    if is_file_sample(node):
        return check(node, _SAMPLE_FILE, faults, what)
    if is_value_sample(node):
        return check(node, _SAMPLE_VALUE, faults, what)
    return check(node, grammar.JSON, faults, what)


_SAMPLE_FILE = Record(
    "example in a file",
    "An example that stands in a file.",
    {
        "file": grammar.Key(
            grammar.PATH, "The file: one JSON value, or one a line if it ends in `.ndjson`.", required=True
        ),
        "doc": grammar.PROSE_KEYS["doc"],
    },
)
_SAMPLE_VALUE = Record(
    "example with a doc",
    "An example and what it shows.",
    {"doc": grammar.PROSE_KEYS["doc"], "value": grammar.Key(grammar.JSON, "The example.", required=True)},
)


def _sequence(node: Node, shape: Sequence, faults: Faults, what: str) -> Node | None:
    if not isinstance(node, Listing):
        return _mismatch(node, "a list", faults, what)
    checked = [check(item, shape.item, faults, f"item {n} of {what}") for n, item in enumerate(node.items, 1)]
    if all(new is old for new, old in zip(checked, node.items, strict=True)):
        return node
    return Listing(tuple(item for item in checked if item is not None), node.place)


def _dict(node: Node, shape: Dict, faults: Faults, what: str) -> Node | None:
    if not isinstance(node, Table):
        return _mismatch(node, "a mapping", faults, what)
    if shape.single and len(node.entries) != 1:
        faults.add("wrong-kind", node.place, f"{what} has {len(node.entries)} keys, expected exactly one")
        return None
    seen: dict[str, Text] = {}
    fits = {
        e.key.text: check(e.value, shape.value, faults, f"`{e.key.text}`")
        for e in node
        if _dict_key(e.key, shape.key, seen, faults, what)
    }
    return _kept(node, fits)


def _dict_key(key: Text, shape: Word, seen: dict[str, Text], faults: Faults, what: str) -> bool:
    if not grammar.PATTERNS[shape.kind].fullmatch(key.text):
        form = grammar.FORMS[shape.kind]
        faults.add(form.rule, key.place, f"{_quote(key)} in {what}: expected {form.expected}")
        return False
    if shape.kind != "field":
        return True
    first = seen.setdefault(key.text.removesuffix("?"), key)
    if first is not key:
        faults.add(
            "duplicate-key",
            key.place,
            f"`{key.text}` names the same key as `{first.text}`",
            f"the first is in line {first.place.line}",
        )
    return first is key


def _record(node: Node, shape: Record, faults: Faults, what: str) -> Node | None:
    if not isinstance(node, Table):
        return _mismatch(node, f"a mapping with the keys of a {shape.name}", faults, what)
    fits: dict[str, Node | None] = {}
    for entry in node:
        name = entry.key.text
        key = shape.keys.get(name)
        if key is None:
            hint = faults.near(name, shape.keys) or f"a {shape.name} has {', '.join(shape.keys)}"
            faults.add("unknown-key", entry.key.place, f"`{name}` is no key of a {shape.name}", hint)
        else:
            fits[name] = check(entry.value, key.shape, faults, f"`{name}`")
    for name, key in shape.keys.items():
        if key.required and name not in node.entries:
            rule = "open-missing" if name == "open" else "missing-key"
            faults.add(rule, node.place, f"{what} lacks `{name}`", key.doc)
    return _kept(node, fits)


def _either(node: Node, shape: Either, faults: Faults, what: str) -> Node | None:
    of_kind: Mapping[type[Node], Shape | None] = {Text: shape.scalar, Listing: shape.listing, Table: shape.table}
    chosen = of_kind[type(node)]
    if chosen is not None:
        return check(node, chosen, faults, what)
    return _mismatch(node, " or ".join(_KINDS[kind] for kind, s in of_kind.items() if s is not None), faults, what)


def _removable(node: Node, shape: Removable, faults: Faults, what: str) -> Node | None:
    return node if is_removal(node) else check(node, shape.shape, faults, what)


def is_removal(node: Node) -> bool:
    """Whether the node is the word `remove`, unquoted."""
    return isinstance(node, Text) and node.plain and node.text == grammar.REMOVE


_CHECKS: Mapping[type[Shape], Callable[[Node, Shape, Faults, str], Node | None]] = cast(
    "Mapping[type[Shape], Callable[[Node, Shape, Faults, str], Node | None]]",
    {
        Word: _word,
        Json: _json,
        Sample: _sample,
        Sequence: _sequence,
        Dict: _dict,
        Record: _record,
        Either: _either,
        Removable: _removable,
    },
)


# --- findings and leftovers ------------------------------------------------------------------------------------

_KINDS: Mapping[type[Node], str] = {Text: "a text", Listing: "a list", Table: "a mapping"}


def _kept(node: Table, fits: Mapping[str, Node | None]) -> Table:
    """The table with the values that fit; the same table if all do."""
    if len(fits) == len(node.entries) and all(fits[e.key.text] is e.value for e in node):
        return node
    kept = {e.key.text: Entry(e.key, value) for e in node if (value := fits.get(e.key.text)) is not None}
    return Table(kept, node.place)


def _mismatch(node: Node, expected: str, faults: Faults, what: str) -> None:
    if isinstance(node, Text) and node.null:
        return _null(node, faults, what)
    faults.add("wrong-kind", node.place, f"{what} is {_kind(node)}, expected {expected}")
    return None


def _null(node: Text, faults: Faults, what: str) -> None:
    faults.add("null-value", node.place, f"{what} has no value", "give it one, or leave the key out")


def _kind(node: Node) -> str:
    if isinstance(node, Text):
        return "nothing" if node.null else f"the text {_quote(node)}"
    return _KINDS[type(node)]


def _expected(shape: Word) -> str:
    return " or ".join(f"`{c}`" for c in shape.choices) or grammar.FORMS[shape.kind].expected


def _quote(node: Text) -> str:
    text = node.text if len(node.text) <= 60 else node.text[:59] + "…"
    return f"`{text}`" if node.plain else f'"{text}"'
