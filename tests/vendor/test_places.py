"""Locations in TOML: the line and column of every key and item, independent of the text between them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.ground.parsing import toml_table
from polywire.vendor.places import places

EVERYTHING = '''\
# a comment with = and [x]
a = """one
two = 2 \\""" and [three]
""""" # five quotes end a text with two
'b c'."d.e" = {f = [1, 'x,]'], g.h = "}"}
[x . y]
when = 1979-05-27 07:32:00 # a date
list = [ # first
  "one", # ]
  ["two", 2],
]
lit = \'\'\'it's "here"\'\'\'
[[x.z]]
k = true
[[x.z]]
k = false
[x.z.w]
v = 1
'''


def test_every_key_and_item_is_found() -> None:
    toml_table(EVERYTHING.encode())
    assert places(EVERYTHING) == {
        ("a",): (2, 1),
        ("b c",): (5, 1),
        ("b c", "d.e"): (5, 1),
        ("b c", "d.e", "f"): (5, 16),
        ("b c", "d.e", "f", 0): (5, 21),
        ("b c", "d.e", "f", 1): (5, 24),
        ("b c", "d.e", "g"): (5, 32),
        ("b c", "d.e", "g", "h"): (5, 32),
        ("x",): (6, 1),
        ("x", "y"): (6, 1),
        ("x", "y", "when"): (7, 1),
        ("x", "y", "list"): (8, 1),
        ("x", "y", "list", 0): (9, 3),
        ("x", "y", "list", 1): (10, 3),
        ("x", "y", "list", 1, 0): (10, 4),
        ("x", "y", "list", 1, 1): (10, 11),
        ("x", "y", "lit"): (12, 1),
        ("x", "z"): (13, 1),
        ("x", "z", 0): (13, 1),
        ("x", "z", 0, "k"): (14, 1),
        ("x", "z", 1): (15, 1),
        ("x", "z", 1, "k"): (16, 1),
        ("x", "z", 1, "w"): (17, 1),
        ("x", "z", 1, "w", "v"): (18, 1),
    }


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)


@given(st.dictionaries(WORDS, st.lists(WORDS, max_size=3), max_size=5))
def test_any_text_may_be_a_key_or_an_item(tables: dict[str, list[str]]) -> None:
    lines = [
        f"{json.dumps(key, ensure_ascii=False)} = {json.dumps(items, ensure_ascii=False)}"
        for key, items in tables.items()
    ]
    text = "\n\n".join(lines)
    assert toml_table(text.encode()) == tables
    found = places(text)
    assert [found[key,] for key in tables] == [(1 + 2 * index, 1) for index in range(len(tables))]
    assert len(found) == len(tables) + sum(map(len, tables.values()))


@pytest.mark.parametrize("text", ["", "\n# nothing\n", " \t\r\n"])
def test_where_nothing_is_said_nothing_stands(text: str) -> None:
    assert places(text) == {}
