"""Two types of one field → the type that includes both, or an error if there is none."""

from __future__ import annotations

import pytest

from polywire.ground.location import SourceLocation
from polywire.model.dispatch import WrittenUnion
from polywire.model.joined_types import NoJoinError, TypeJoin
from polywire.model.nodes import About, Enum, EnumValue, Variant
from polywire.model.walk import spell
from polywire.source.expr import parse
from polywire.source.types import Type

HERE = SourceLocation("x", 1, 1)


def enum(name: str, *values: str | int, open_: bool = True) -> Enum:
    base = "integer" if isinstance(values[0], int) else "string"
    return Enum(name, base, open_, tuple(EnumValue(str(value), value) for value in values))  # type: ignore[arg-type]


def union(name: str, *variants: str, open_: bool = True) -> WrittenUnion:
    return WrittenUnion(name, open_, "type", tuple(map(Variant, variants)), "Unknown", About(), HERE)


def type_of(text: str) -> Type:
    found = parse(text).type
    assert found is not None
    return found


JOIN = TypeJoin(
    {
        each.name: each
        for each in (
            enum("Colour", "red", "green"),
            enum("Red", "red"),
            enum("Closed", "red", open_=False),
            enum("Shade", "dark"),
            enum("Grade", 1, 2),
        )
    },
    {
        each.name: each
        for each in (
            union("Line", "A", "Inner"),
            union("Inner", "B", "C"),
            union("Some", "B"),
            union("Other", "B", "D"),
        )
    },
    {
        "Text": type_of("string | integer"),
        "Tree": type_of("string | Tree[]"),
        "Value": type_of("json"),
        "Id": type_of("uuid"),
    },
)

HOLDS = [
    ("string", "string", "string"),
    ("number", "integer", "number"),
    ("string", "uuid", "string"),
    ("string", "timestamp", "string"),
    ("string", "Colour", "string"),
    ("number", "Grade", "number"),
    ("integer", "Grade", "integer"),
    ("string", '"all"', "string"),
    ("Colour", '"red"', "Colour"),
    ("Grade", "2", "Grade"),
    ("number", "1.5", "number"),
    ("integer", "1", "integer"),
    ("boolean", "true", "boolean"),
    ("true", "false", "boolean"),
    ("Colour", "Red", "Colour"),
    ("Colour", "Closed", "Colour"),
    ("Line", "A", "Line"),
    ("Line", "Inner", "Line"),
    ("Line", "B", "Line"),
    ("Inner", "Some", "Inner"),
    ("object", "A", "object"),
    ("object", "Line", "object"),
    ("object", "map<string>", "object"),
    ("json", "A | null", "json"),
    ("string | integer", "string", "string | integer"),
    ("Text", "integer", "Text"),
    ("Text | boolean", "Text", "Text | boolean"),
    ("Tree", "string[]", "Tree"),
    ("Tree[]", "string[]", "Tree[]"),
    ("Value", "A", "Value"),
    ("string", "Id", "string"),
    ("string[]", "uuid[]", "string[]"),
    ("string[1..2]", "string[2..5]", "string[1..5]"),
    ("string[]", "string[2..5]", "string[]"),
    ("number[]", "[integer, number]", "number[]"),
    ("string[3..4]", "[uuid, string]", "string[2..4]"),
    ("[number, string]", "[integer, uuid]", "[number, string]"),
    ("map<number>", "map<integer>", "map<number>"),
    ("map<string>", "map<Colour, string>", "map<string>"),
    ("map<Colour, string>", "map<Red, string>", "map<Colour, string>"),
    ("integer(0..10)", "integer(5..20)", "integer(0..20)"),
    ("integer(0..10)", "integer", "integer"),
    ("integer(0..)", "integer(5..20)", "integer(0..)"),
    ("number(0..10)", "integer(5..20)", "number(0..20)"),
    ("string(1..5)", "uuid", "string"),
    ("string(1..5)", "Colour", "string"),
    ("string | null", "string", "string | null"),
    ("string", "integer", "string | integer"),
    ("A", "string[]", "A | string[]"),
    ("string | A", "boolean | null", "string | A | boolean | null"),
    ("string | uuid[]", "uuid | string[]", "string | string[]"),
]  # fmt: skip


@pytest.mark.parametrize(("newer", "older", "joined"), HOLDS)
def test_the_type_that_holds_both_whichever_came_first(newer: str, older: str, joined: str) -> None:
    assert spell(JOIN.join(type_of(newer), type_of(older))) == joined
    backwards = JOIN.join(type_of(older), type_of(newer))
    assert sorted(spell(backwards).split(" | ")) == sorted(joined.split(" | "))


def test_an_alias_keeps_its_name_where_it_is_as_wide() -> None:
    assert spell(JOIN.join(type_of("Text"), type_of("string | integer"))) == "Text"


NEITHER = [
    ("A", "B"),
    ("Colour", "Shade"),
    ("Inner", "Other"),
    ("A", "map<string>"),
    ("uuid", "timestamp"),
    ('"a"', '"b"'),
    ("1", "2"),
    ('"dark"', "Colour"),
    ("A[]", "B[]"),
    ("map<A>", "map<B>"),
    ("[string, string]", "[string]"),
    ("string | A", "integer | B"),
    ("Grade", "1.5"),
]


@pytest.mark.parametrize("types", NEITHER)
def test_types_of_one_kind_of_which_neither_holds_the_other_have_no_join(types: tuple[str, str]) -> None:
    newer, older = map(type_of, types)
    for one, other in ((newer, older), (older, newer)):
        with pytest.raises(NoJoinError):
            JOIN.join(one, other)


def test_a_literal_true_is_no_literal_one() -> None:
    assert spell(JOIN.join(type_of("1"), type_of("true"))) == "1 | true"
