"""Inline unions have the same name exactly if they have the same type, whatever their alternatives are called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from polywire.ground.location import NOWHERE
from polywire.model.nodes import About, Alias
from polywire.plan import make_plan
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.common.unions import UnionNames
from polywire.targets.go import TARGET
from polywire.targets.go.choices import with_named_choices
from polywire.targets.go.names import ITEMS, Names
from polywire.targets.rust.shapes import STEMS
from rendered import model_of

SPEC = Path(__file__).resolve().parents[1] / "specs" / "found" / "inline-unions-with-one-name"
MODEL = model_of(SPEC)

BOUNDS = st.none() | st.integers(0, 3)
SCALARS = st.builds(Scalar, st.sampled_from([*ITEMS]), BOUNDS, BOUNDS)
LITERALS = st.builds(LiteralType, st.sampled_from(["a-b", "a_b", "A b", "", "2", 2, True, "true", 2.5]))
TYPES: st.SearchStrategy[Type] = st.recursive(
    SCALARS | LITERALS | st.builds(Ref, st.sampled_from(["Size", "SizeList", "BoolOrNull"])),
    lambda inner: (
        st.builds(Array, inner, BOUNDS, BOUNDS)
        | st.builds(Map, inner)
        | st.builds(TupleType, st.tuples(inner, inner))
        | st.builds(Choice, st.tuples(inner, inner))
    ),
    max_leaves=5,
)
UNIONS = st.builds(Choice, st.tuples(TYPES, TYPES))


@given(st.lists(UNIONS, min_size=2, max_size=8), st.sampled_from([ITEMS, STEMS]))
def test_unions_have_one_name_exactly_if_they_have_one_type(unions: list[Choice], scalars: dict[str, str]) -> None:
    aliases = {f"T{at}": Alias(f"T{at}", each, About(doc="x"), place=NOWHERE) for at, each in enumerate(unions)}
    names = UnionNames(replace(MODEL, declarations=aliases), scalars, str, lambda value: str(value)[:1].upper())  # type: ignore[arg-type] # by kind
    for one in unions:
        for other in unions:
            assert (names.name(one) == names.name(other)) is (names.bare(one) == names.bare(other))


def test_a_name_does_not_depend_on_bounds_but_on_what_values_are() -> None:
    model = with_named_choices(MODEL)
    names = Names(model)
    holder = {each.name: each.type for each in model.struct("Holder").fields}
    go = {key: names.type(type_.name) for key, type_ in holder.items() if isinstance(type_, Ref)}
    assert go == {
        "any": "NumberOrString",
        "some": "NumberOrString",
        "few": "NumberOrString",
        "unique": "UUIDOrNumber",
        "lists": "SizeListOrBool",
        "short": "SizeListOrBool",
        "object": "SizeListOrBool2",
        "nullable": "StringOrNullListOrBool",
        "texts": "StringListOrBool",
        "dashed": "ABOrNumber",
        "underscored": "AB2OrNumber",
        "nested": "NumberOrStringListOrBool",
        "plain": "NumberOrStringListOrBool",
    }


def test_other_bounds_are_no_other_api(tmp_path: Path) -> None:
    text = (SPEC / "protocol.yaml").read_text(encoding="utf-8")
    for bounds, others in (("(0..50)", "(0..60)"), ("(0..9)", "(0..8)"), ("[1..2]", "[1..3]"), ("(0..5)", "")):
        assert bounds in text
        text = text.replace(bounds, others)
    (tmp_path / "protocol.yaml").write_text(text, encoding="utf-8")
    before, after = ([*TARGET.api_surface(make_plan(model))] for model in (MODEL, model_of(tmp_path)))
    assert {(each.of, each.name) for each in after} == {(each.of, each.name) for each in before}
