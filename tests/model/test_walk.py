"""The contents of types and decisions: their text, the names in them, and their structs."""

from __future__ import annotations

import pytest

from polywire.model.nodes import Keys, Leaf, Switch, Variant
from polywire.model.walk import refs, spell, structs_of
from polywire.source import expr
from polywire.source.types import NULL, Array, Choice, Map, Ref, Scalar


@pytest.mark.parametrize(
    "text",
    [
        "string",
        "T[]",
        "T[1..2]",
        "T[..2]",
        "T[1..]",
        "map<T>",
        "map<E, T[]>",
        "(string | null)[]",
        "map<string | T>[][2..3]",
        "string | T[] | null",
    ],
)
def test_a_type_is_spelt_as_the_language_reads_it(text: str) -> None:
    type_ = expr.parse(text).type
    assert type_ is not None
    assert expr.parse(spell(type_)).type == type_


def test_types_have_one_spelling() -> None:
    assert spell(Array(Choice((Scalar("string"), NULL)), 1, None)) == "(string | null)[1..]"
    assert spell(Map(Choice((Ref("A"), Array(Ref("B")))), "E")) == "map<E, A | B[]>"


def test_names_are_found_in_order_the_keys_of_a_map_before_its_values() -> None:
    assert list(refs(Choice((Map(Array(Ref("A")), "E"), Scalar("json"), Ref("B"))))) == ["E", "A", "B"]
    assert list(refs(None)) == []


def test_the_structs_of_a_decision_are_told_once_catch_alls_included() -> None:
    inner = Keys("U", ((Variant("A", has=("a",)), Leaf("A")), (Variant("B", has=("b",)), Leaf("B"))))
    decision = Switch("W", "t", cases=(("x", inner), ("y", Leaf("A"))), others=(("z*", "C"),), absent=Leaf("D"))
    assert structs_of(decision) == ("A", "B", "C", "D")
