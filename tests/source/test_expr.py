"""Type expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.model.nodes import NULL, Array, Choice, Map, Ref, Scalar, Type
from polywire.model.walk import spell
from polywire.source.expr import SCALARS, ExpressionError, Use, parse, parse_answer

STRING, INTEGER = Scalar("string"), Scalar("integer")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", STRING),
        (" uuid ", Scalar("uuid")),
        ("Name", Ref("Name")),
        ("Name[]", Array(Ref("Name"))),
        ("Name[1..2]", Array(Ref("Name"), 1, 2)),
        ("Name[1..]", Array(Ref("Name"), 1, None)),
        ("Name[..2]", Array(Ref("Name"), None, 2)),
        ("integer[][]", Array(Array(INTEGER))),
        ("map<json>", Map(Scalar("json"))),
        ("map<Mode, Name[]>", Map(Array(Ref("Name")), "Mode")),
        ("map<map<string>>", Map(Map(STRING))),
        ("string | null", Choice((STRING, NULL))),
        ("string|Name|null", Choice((STRING, Ref("Name"), NULL))),
        ("(string | Name)[]", Array(Choice((STRING, Ref("Name"))))),
        ("(string | Name) | null", Choice((STRING, Ref("Name"), NULL))),
        ("((string))", STRING),
    ],
)
def test_an_expression_means_a_type(text: str, expected: Type) -> None:
    assert parse(text).type == expected


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("", 0, "expected a type, the expression ends"),
        ("string |", 8, "expected a type, the expression ends"),
        ("string string", 7, "expected the end of the expression, found `string`"),
        ("Name[", 5, "expected `]`, the expression ends"),
        ("Name[2]", 5, "bounds are written `[low..high]`"),
        ("Name[3..2]", 5, "the lower bound 3 is above the upper bound 2"),
        ("map<string, Name>", 4, "the keys of a map are named by an enum"),
        ("map<A, B, C>", 8, "expected `>`, found `,`"),
        ("a | {b: c}", 4, "`{` has no place in a type expression"),
        ("Name?", 4, "`?` has no place in a type expression"),
        ("none", 0, "`none` stands only at the top of a control's response"),
        ("string | (none | Name)", 10, "`none` stands only at the top of a control's response"),
        ("Name[9999999999999999]", 5, "a bound has at most 15 digits"),
        ("é", 0, "`é` has no place in a type expression"),
    ],
)
def test_a_bad_expression_is_refused_at_its_place(text: str, offset: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize(
    ("text", "offset", "hint"),
    [
        ("Array<string>", 0, "a list of T is `T[]`"),
        ("Name | List<Name>", 7, "a list of T is `T[]`"),
        ("Optional<Name>", 0, "write `T | null`; for a key that may be absent, `name?: T`"),
        ("Record<string, Name>", 0, "keys are texts: write `map<T>`, or `map<E, T>` with the keys of an enum"),
        ("Box<Name>", 0, None),
    ],
)
def test_types_with_parameters_are_told_how_they_are_written_here(text: str, offset: int, hint: str | None) -> None:
    with pytest.raises(ExpressionError, match="takes no `<…>`, only `map` does") as caught:
        parse(text)
    assert (caught.value.offset, caught.value.hint) == (offset, hint)


@pytest.mark.parametrize("text", ["(" * 100_000, "a" + "[]" * 100_000, "map<" * 100_000 + "a" + ">" * 100_000])
def test_endless_nesting_is_refused_before_the_stack_is(text: str) -> None:
    with pytest.raises(ExpressionError, match="nested more than"):
        parse(text)


def test_names_are_told_with_their_offsets() -> None:
    assert parse("map<Mode, A[]> | A").uses == (Use("Mode", 4, key=True), Use("A", 10), Use("A", 17))


@pytest.mark.parametrize(
    ("text", "type_", "none"),
    [("none", None, True), ("A | none", Ref("A"), True), ("none | A", Ref("A"), True), ("A", Ref("A"), False)],
)
def test_an_answer_may_be_none(text: str, type_: Type | None, none: bool) -> None:
    expression = parse_answer(text)
    assert (expression.type, expression.none) == (type_, none)


names = st.sampled_from(["A", "Mode", "x_1"])
bounds = st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.integers(3, 9))
leaves = st.one_of(st.sampled_from([Scalar(kind) for kind in SCALARS.values()]), st.builds(Ref, names))
types = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Array, inner, *bounds),
        st.builds(Map, inner, st.one_of(st.none(), names)),
        st.lists(inner.filter(lambda t: not isinstance(t, Choice)), min_size=2, max_size=3).map(
            lambda members: Choice(tuple(members))
        ),
    ),
    max_leaves=8,
)


@given(types)
def test_reading_undoes_writing(type_: Type) -> None:
    assert parse(spell(type_)).type == type_


@given(st.text(alphabet="AB[]().,|<> 19mapnulstrig", max_size=30))
def test_any_text_is_a_type_or_refused_inside_it(text: str) -> None:
    assert 0 <= refused_at(text) <= len(text)


def refused_at(text: str) -> int:
    try:
        parse(text)
    except ExpressionError as error:
        return error.offset
    return 0
