"""YAML text → trees: what is preserved, at which location, and what is rejected."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from polywire.ground.finding import Finding
from polywire.ground.location import SourceLocation
from polywire.source import hiding, tree
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text
from polywire.writing import fixing


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
        ("{input: a]b, doc: a}\n", "quote a string that contains one of `[ ] { } ,`"),
        ("a:\n\tb: c\n", "indent with spaces"),
        ("a: `b`\n", "quote a string that starts with this character"),
        ("a: [b, c", "quote a string that contains one of `[ ] { } ,`"),
        ("a: 1\nb\nc: 2\n", "the line before may be missing its `:`"),
        ("a:\n  b: 1\n c: 2\n", "indent all keys of a mapping equally"),
    ],
)
@pytest.mark.parametrize("loader", [yaml.CSafeLoader, yaml.SafeLoader])
def test_a_common_mistake_in_yaml_comes_with_the_next_step(
    text: str, step: str, loader: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hiding, "LOADER", loader)
    faults = Faults()
    assert tree.read(text.encode(), "f", faults) is None
    assert [step in (finding.hint or "") for finding in faults.found] == [True]


def test_a_billion_laughs_are_refused_unread() -> None:
    lines = ["a0: &a0 x"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    _, findings = read("\n".join(lines))
    assert len(findings) == 30 + 29 * 9


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("{a: N[]}", ['1:5 "N[]"']),
        ("{a: N[1..4] | null, b: (A | B)[]}", ['1:5 "N[1..4] | null"', '1:24 "(A | B)[]"']),
        ("{a: map<Wind, N>, b: map<Wind, N[]>}", ['1:5 "map<Wind, N>"', '1:22 "map<Wind, N[]>"']),
        ("{a: [A, B[]]}", ['1:5 "[A, B[]]"']),
        ("- N[]\n- {x: {a: N[]}, b: [c: N[]]}\n", ['2:11 "N[]"', '2:24 "N[]"']),
        ("""a: "x" | 'y'\nb: 'x' | null""", ["""1:4 '"x" | "y"'""", """2:4 '"x" | null'"""]),
        ("""a: {b: "it's" | N}""", ["""1:8 '"it''s" | N'"""]),
        ("a: [A, B] | null\nb: [A, B][]\nc: [A, B]", ['1:4 "[A, B] | null"', '2:4 "[A, B][]"']),
        ("{\r\na: N[], # {b: N[]}\r\nc: N[]}", ['2:4 "N[]"', '3:4 "N[]"']),
        ("doc: see [a, N[]]\nb: {c: N[]}", ['2:8 "N[]"']),
        ("doc: |\n  see {a: N[]}\nb: {c: N[], d: '{a: N[]}', e: \"[b: N[]]\"}", ['3:8 "N[]"']),
        ("a: N[]\nb: {c: string}", []),
    ],
)
def test_expressions_without_quotes_are_reported_at_once_and_read_as_if_they_had_them(
    text: str, fixed: list[str]
) -> None:
    faults = Faults()
    node = tree.read(text.encode(), "f", faults)
    fixes = [finding.fix for finding in faults.found if finding.fix is not None]
    assert [f"{fix.place.line}:{fix.place.column} {fix.new}" for fix in fixes] == fixed
    assert len(faults.found) == len(fixes)
    repaired = fixing.fixed(text, fixes)
    assert read(repaired) == (_quoted(node, fixed), [])


def _quoted(node: Node | None, fixed: list[str]) -> Node | None:
    """The tree that is read once the quotes are there."""
    match node:
        case Table():
            return Table({key: Entry(e.key, _quoted(e.value, fixed) or e.value) for key, e in node.entries.items()})
        case Listing():
            return Listing(tuple(_quoted(item, fixed) or item for item in node.items))
        case Text():
            place = f"{node.place.line}:{node.place.column} "
            return Text(node.text, plain=node.plain and not any(each.startswith(place) for each in fixed))
    return None


def test_everything_else_is_reported_in_the_same_run() -> None:
    assert read("a: {b: N[]}\na: 1\nc: &x 1\nd: {e: N[]}")[1] == [
        "1:8 yaml-syntax",
        "2:1 duplicate-key",
        "3:4 forbidden-yaml",
        "4:8 yaml-syntax",
    ]
    assert read("a: {b: N[]}\nc: b: c\n")[1] == ["1:8 yaml-syntax", "2:5 yaml-syntax"]


def test_characters_for_private_use_stay_what_they_are() -> None:
    text = f"a: {{b: N[], c: {chr(0xF0000 + ord('['))}}}"
    node, findings = read(text)
    assert findings == ["1:8 yaml-syntax"]
    assert node == Table({"a": Entry(Text("a"), Table({
        "b": Entry(Text("b"), Text("N[]")), "c": Entry(Text("c"), Text(chr(0xF0000 + ord("[")))),
    }))})  # fmt: skip


# --- without libyaml -------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = [
    *(ROOT / "spec").rglob("*.yaml"),
    *(ROOT / "generator").rglob("*.yaml"),
    *(ROOT / "tests" / "specs").rglob("*.yaml"),
    *(ROOT / "examples").rglob("*.yaml"),
]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "generator").glob("*.md")]


def with_places(node: Node | None) -> object:
    """Everything that a tree holds, also what does not count when trees are compared."""
    match node:
        case Table():
            return node.place, [(with_places(entry.key), with_places(entry.value)) for entry in node]
        case Listing():
            return node.place, [with_places(item) for item in node.items]
        case Text():
            place = (
                node.place if node.text else None
            )  # where nothing is, the end of the file is another line for libyaml
            return node.text, node.plain, place, node.offset, node.cut, node.refused
    return None


def in_both(text: str) -> tuple[tuple[object, tuple[Finding, ...]], ...]:
    """What the parser of libyaml and that of PyYAML read: the tree, and the findings."""
    both = []
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hiding, "LOADER", loader)
            faults = Faults()
            both.append((with_places(tree.read(text.encode(), "f", faults)), faults.found))
    return tuple(both)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_any_parser_reads_the_yaml_of_this_repository(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert yaml.load(text, Loader=yaml.SafeLoader) is not None
    one, other = in_both(text)
    assert one == other
    assert one[1] == ()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_any_parser_reads_the_yaml_in_pages(page: Path) -> None:
    for text in re.findall(r"^ *```ya?ml\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        yaml.load(textwrap.dedent(text), Loader=yaml.SafeLoader)


SCALARS = st.sampled_from(
    [
        *(
            "a",
            "at?",
            "a?b",
            "?a",
            "é",
            "😀",
            "T[]",
            "T[1..2]",
            "[A, B]",
            "[A, B][]",
            "map<A>",
            "map<A, B>",
            "A | null",
        ),
        *('"q"', '"a" | "b"', "'s'", "'it''s'", '"\\u00e9\\n"', "'a' | 'b'", "no", "~", "", "-1", "1.0", "$/x", "a:b"),
        *("{prefix: x}", "/a/b", "x # y", "x#y", "*", "&a x", "!t x", "<<", "http://x", "a, b", "- a", "`b`", "%", "@"),
    ]
)
NODES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.lists(st.tuples(SCALARS, inner), max_size=3).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        ),
        st.lists(st.tuples(SCALARS, inner), min_size=1, max_size=3).map(
            lambda pairs: "\n" + "\n".join(f"{key}: {textwrap.indent(value, '  ').lstrip(' ')}" for key, value in pairs)
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: "\n" + "\n".join("- " + textwrap.indent(item, "  ").lstrip() for item in items)
        ),
        inner.map(lambda value: "|\n" + textwrap.indent(value, "   ")),
    ),
    max_leaves=12,
)
"""Text of YAML, mostly well-formed, with what specs contain and what they may not."""


@given(NODES)
def test_what_one_parser_reads_the_other_reads_too(text: str) -> None:
    one, other = in_both(text)
    if not one[1]:
        assert one == other


@given(st.text(alphabet="ab:- \r\n[]{},'\"&*#%?\x85\u2028é", max_size=40))
def test_what_one_parser_reads_of_any_text_the_other_reads_too(text: str) -> None:
    """Except for tabs between tokens and comments right behind `|` and `>`, which libyaml alone allows."""
    one, other = in_both(text)
    if not one[1]:
        assert one == other


@given(st.binary(max_size=80))
@example("\u2028".encode())
def test_no_bytes_make_it_raise(data: bytes) -> None:
    node, findings = read(data)
    blank = not data.decode(errors="replace").strip()
    assert node is not None or findings or blank or b"#" in data or b"-" in data or b"." in data


@given(st.text(alphabet="ab:- \n[]{},'\"&*!|>#%?\t", max_size=60))
def test_no_yaml_makes_it_raise(text: str) -> None:
    read(text)
