"""Type expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.model.walk import spell
from polywire.source.expr import SCALARS, ExpressionError, Use, parse, parse_answer
from polywire.source.types import NULL, Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

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
        ('"all" | string[]', Choice((LiteralType("all"), Array(STRING)))),
        (r'"a \"quoted\" \u00e9 | [text]"', LiteralType('a "quoted" é | [text]')),
        ("true | -7", Choice((LiteralType(True), LiteralType(-7)))),
        ("-1.5e-3", LiteralType(-0.0015)),
        ("[Name]", TupleType((Ref("Name"),))),
        ("[integer, string | null][]", Array(TupleType((INTEGER, Choice((STRING, NULL)))))),
        ("integer(0..)", Scalar("integer", 0)),
        ("integer(-9..-3)", Scalar("integer", -9, -3)),
        ("number(-1.5..2e3)", Scalar("number", -1.5, 2e3)),
        ("string(..64)[1..2]", Array(Scalar("string", None, 64), 1, 2)),
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
        ("map<string, Name>", 4, "the keys of a map are an enum"),
        ("map<A, B, C>", 8, "expected `>`, found `,`"),
        ("a | {b: c}", 4, "`{` is not allowed in a type expression"),
        ("Name?", 4, "`?` is not allowed in a type expression"),
        ("none", 0, "`none` is only allowed as the response of a control"),
        ("string | (none | Name)", 10, "`none` is only allowed as the response of a control"),
        ("Name[9999999999999999]", 5, "a bound has at most 15 digits"),
        ("é", 0, "`é` is not allowed in a type expression"),
        ("'all'", 0, "`'` is not allowed in a type expression"),
        ('"all', 0, '`"` is not allowed in a type expression'),
        (r'"\x"', 0, "this is not JSON text"),
        (r'"\ud800"', 0, "this is not JSON text"),
        ("007", 0, "`007` is not a JSON number"),
        ("1e999", 0, "`1e999` overflows a double"),
        ("123456789012345678", 0, "a number has at most 17 characters here"),
        ("9007199254740993", 0, "`9007199254740993` is beyond ±9007199254740991"),
        ("[]", 1, "expected a type, found `]`"),
        ("[A,]", 3, "expected a type, found `]`"),
        ("boolean(0..1)", 7, "`boolean` has no bounds; `integer`, `number` and `string` do"),
        ("integer(..)", 7, "a bound is missing"),
        ("integer(3..2)", 7, "the lower bound 3 is above the upper bound 2"),
        ("integer(0.5..)", 8, "the bounds of `integer` are integers"),
        ("string(-1..)", 7, "the length of a string is at least 0"),
        ("integer(3)", 9, "expected `..`, found `)`"),
    ],
)
def test_a_bad_expression_is_refused_at_its_place(text: str, offset: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize(
    ("text", "offset", "hint"),
    [
        ("Array<string>", 0, "write `T[]` for a list of T"),
        ("Name | List<Name>", 7, "write `T[]` for a list of T"),
        ("Optional<Name>", 0, "write `T | null`; for an optional key, write `name?: T`"),
        ("Record<string, Name>", 0, "keys are strings: write `map<T>`, or `map<E, T>` with the keys of an enum"),
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
limits = st.one_of(st.none(), st.integers(-5, 0)), st.one_of(st.none(), st.integers(1, 5))
leaves = st.one_of(
    st.sampled_from([Scalar(kind) for kind in SCALARS.values()]),
    st.builds(Ref, names),
    st.builds(Scalar, st.sampled_from(["integer", "number"]), *limits),
    st.builds(LiteralType, st.one_of(st.text(max_size=3), st.booleans(), st.integers(-99, 99), st.just(0.5))),
)
types = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Array, inner, *bounds),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: TupleType(tuple(items))),
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
