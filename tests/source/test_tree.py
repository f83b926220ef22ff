"""YAML text → trees: what is preserved, at which location, and what is rejected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.ground.location import SourceLocation
from polywire.source import tree
from polywire.source.report import Faults
from polywire.source.tree import Listing, Node, Table, Text


def read(text: str | bytes) -> tuple[Node | None, list[str]]:
    faults = Faults()
    data = text if isinstance(text, bytes) else text.encode()
    node = tree.read(data, "f", faults)
    return node, [f"{f.place.line}:{f.place.column} {f.rule}" for f in faults.found]


def at(text: str, *keys: str | int) -> Node:
    node, findings = read(text)
    assert findings == []
    for key in keys:
        node = node.items[key] if isinstance(node, Listing) and isinstance(key, int) else _get(node, str(key))
    assert node is not None
    return node


def _get(node: Node | None, key: str) -> Node | None:
    assert isinstance(node, Table)
    return node.get(key)


def place(node: Node) -> tuple[int, int]:
    return node.place.line, node.place.column


def test_every_key_and_value_knows_its_line_and_column() -> None:
    text = "a: 1\nbb:\n  - x\n  - {c: y, 'd': [z]}\n"
    node, _ = read(text)
    assert isinstance(node, Table)
    assert place(node) == (1, 1)
    assert {name: place(entry.key) for name, entry in node.entries.items()} == {"a": (1, 1), "bb": (2, 1)}
    assert place(at(text, "a")) == (1, 4)
    assert place(at(text, "bb")) == (3, 3)
    assert place(at(text, "bb", 1)) == (4, 5)
    assert place(at(text, "bb", 1, "d")) == (4, 17)
    assert place(at(text, "bb", 1, "d", 0)) == (4, 18)


def test_columns_count_characters_not_bytes() -> None:
    assert place(at("é: [😀, x]", "é", 1)) == (1, 8)


@pytest.mark.parametrize("word", ["no", "yes", "on", "0x10", "1_000", "2024-01-01", "1e3", "0.10", ".inf", "=", "012"])
def test_a_plain_scalar_is_the_text_it_is(word: str) -> None:
    node = at(f"a: {word}", "a")
    assert isinstance(node, Text)
    assert (node.text, node.plain) == (word, True)


@pytest.mark.parametrize(("written", "offset"), [("abcd", 0), ("'abcd'", 1), ('"abcd"', 1)])
def test_a_place_inside_a_text_is_known_when_it_stands_as_it_reads(written: str, offset: int) -> None:
    node = at(f"a: {written}", "a")
    assert isinstance(node, Text)
    assert node.at(2) == SourceLocation("f", 1, 4 + offset + 2)


@pytest.mark.parametrize("written", ['"a\\x62cd"', "'a''bc'", "|\n  abcd\n", "ab\n  cd"])
def test_a_place_inside_a_text_written_otherwise_is_its_beginning(written: str) -> None:
    node = at(f"a: {written}", "a")
    assert isinstance(node, Text)
    assert node.at(2) == SourceLocation("f", 1, 4)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a: one two # three", (1, 12)),
        ("a: one\n  two  # three", (2, 8)),
        ("{a: one # three\n}", (1, 9)),
        ("a: one#two", None),
        ("a: one\n# two", None),
        ("a: 'one' # two", None),
        ("a: |  # two\n  one\n", None),
        ("a: # two\n  one", None),
    ],
)
def test_a_comment_right_behind_a_plain_text_is_noticed(text: str, cut: tuple[int, int] | None) -> None:
    node = at(text, "a")
    assert isinstance(node, Text)
    assert (node.cut and (node.cut.line, node.cut.column)) == cut


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("a: 1\na: 2\n", ["2:1 duplicate-key"]),
        ("a: 1\n'a': 2\n", ["2:1 duplicate-key"]),
        ("a: &x 1\nb: *x\n", ["1:4 forbidden-yaml", "2:4 forbidden-yaml"]),
        ("a: !!str 1\nb: ! 2\nc: !own {}\n", ["1:4 forbidden-yaml", "2:4 forbidden-yaml", "3:4 forbidden-yaml"]),
        ("<<: {a: 1}\n", ["1:1 forbidden-yaml"]),
        ("? [a]\n: 1\n", ["1:3 wrong-kind"]),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", ["1:1 forbidden-yaml"]),
        ("a: 1\n---\nb: 2\n", ["2:1 yaml-syntax"]),
        ("a: [1\n", ["2:1 yaml-syntax"]),
        ("a: b: c\n", ["1:5 yaml-syntax"]),
        ("a:\n\tb: c\n", ["2:1 yaml-syntax"]),
        ("a: x\x01\n", ["1:5 yaml-syntax"]),
        ("a: 1\nb: \ud7ff\ufffe\n", ["2:5 yaml-syntax"]),
        ("\ufeffa: 1\n", ["1:1 bad-encoding"]),
        (b"a: 1\nb: \xff\n", ["2:4 bad-encoding"]),
        ("a: 1\n".encode("utf-16"), ["1:1 bad-encoding"]),
        (b"\xf0\x9f\x98", ["1:1 bad-encoding"]),
        ("[" * 100_000, ["1:201 yaml-syntax"]),
        ("- " * 300 + "x", ["1:401 yaml-syntax"]),
        (b"#" * (tree.MAX_BYTES + 1), ["1:1 file-too-large"]),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_has_no_place_in_a_spec_is_refused_where_it_stands(text: str | bytes, findings: list[str]) -> None:
    assert read(text)[1] == findings


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("doc: a word: another\n", "quote a string that contains `: `"),
        ("{input: Name[], doc: a}\n", 'write `"Name[]"`'),
        ("{input: a]b, doc: a}\n", "quote a string that contains one of `[ ] { } ,`"),
        ("a:\n\tb: c\n", "indent with spaces"),
        ("a: `b`\n", "quote a string that starts with this character"),
        ("a:\n  b: 1\n c: 2\n", "indent all keys of a mapping equally"),
    ],
)
def test_a_common_mistake_in_yaml_comes_with_the_next_step(text: str, step: str) -> None:
    faults = Faults()
    assert tree.read(text.encode(), "f", faults) is None
    assert [step in (finding.hint or "") for finding in faults.found] == [True]


def test_a_billion_laughs_are_refused_unread() -> None:
    lines = ["a0: &a0 x"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    _, findings = read("\n".join(lines))
    assert len(findings) == 30 + 29 * 9


@given(st.binary(max_size=80))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    node, findings = read(data)
    assert node is not None or findings or not data.strip() or b"#" in data or b"-" in data or b"." in data


@given(st.text(alphabet="ab:- \n[]{},'\"&*!|>#%?\t", max_size=60))
def test_no_yaml_makes_it_raise(text: str) -> None:
    read(text)
