"""Each mutation has the effect that its name describes, and is reproducible."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.conformance import mutate, tokens
from polywire.conformance.hostile import NUMBERS, SNIPPETS, SPACES, STRINGS
from polywire.conformance.tokens import Array, Node, Object, TokenError, parse, text

pytestmark = pytest.mark.full  # of the fuzzer, which `make test` does not run

PART = parse('{"part": [1, "two"]}')


class Supply:
    """Words and parts to mutate with."""

    keys: Sequence[str] = ('"type"', '"name"')
    words = {'"type"': ('"one"', '"two"')}  # noqa: RUF012 (a constant of a test)

    def part(self, rng: Random) -> Node:
        del rng
        return PART

    def whole(self, rng: Random) -> bytes:
        del rng
        return b'{"whole":true}'


SUPPLY = Supply()


def drawn(seed: int) -> Random:
    return Random(seed)  # noqa: S311 (mutations, not secrets)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("type"), inner),
    max_leaves=12,
)
TREES = VALUES.map(lambda value: parse(json.dumps(value)))
RANDOMS = st.integers().map(drawn)


def one(name: str, tree: Node, rng: Random) -> Node | None:
    return mutate.STRUCTURE[name](tree, rng, SUPPLY)


def value(node: Node) -> object:
    return json.loads(text(node))


# --- trees -----------------------------------------------------------------------------------------------------


@given(VALUES)
def test_a_tree_has_the_text_that_it_was_made_of(given_value: object) -> None:
    compact = json.dumps(given_value, separators=(",", ":"))
    wide = json.dumps(given_value, ensure_ascii=False, indent=1)
    assert text(parse(compact)) == compact
    assert json.loads(text(parse(wide))) == given_value


def test_a_tree_keeps_spelling_and_keys_that_come_twice() -> None:
    spelt = r'{"a":1.0e+0,"\u0061":"\ud800\/","a":[[],{}]}'
    assert text(parse(spelt)) == spelt


@pytest.mark.parametrize("spelt", ["", "{", "NaN", "[1,]", "'a'", "01", '"\x01"', '"\\x"', "1 2", "[" * 5000])
def test_what_is_no_json_has_no_tree(spelt: str) -> None:
    with pytest.raises(TokenError):
        parse(spelt)


def test_a_node_is_replaced_at_the_end_of_its_path_and_nowhere_else() -> None:
    tree = parse('{"a":[1,{"b/c":2}],"d":3}')
    path = (0, 1, 0)
    assert tokens.at(tree, path) == "2"
    assert tokens.pointer(tree, path) == "/a/1/b~1c"
    assert text(tokens.replaced(tree, path, "null")) == '{"a":[1,{"b/c":null}],"d":3}'


# --- mutations of the structure --------------------------------------------------------------------------------


@given(TREES, RANDOMS)
def test_every_mutation_but_that_of_spaces_and_depth_leaves_json(tree: Node, rng: Random) -> None:
    for name in mutate.STRUCTURE:
        if (made := one(name, tree, rng)) is not None:
            parse(text(made))


@given(TREES, RANDOMS)
def test_dropping_and_doubling_change_the_count_by_one(tree: Node, rng: Random) -> None:
    for name, by in (("drop", -1), ("double", 1), ("shadow", 1), ("add", 1)):
        if (made := one(name, tree, rng)) is not None:
            assert type(made) is type(tree)
            assert len(made) == len(tree) + by


@given(TREES, RANDOMS)
def test_a_shadow_has_a_key_that_is_there_already(tree: Node, rng: Random) -> None:
    made = one("shadow", tree, rng)
    if isinstance(made, Object) and isinstance(tree, Object):
        assert {key for key, _ in made} == {key for key, _ in tree}


@given(TREES, RANDOMS)
def test_renaming_changes_one_key_and_no_value(tree: Node, rng: Random) -> None:
    made = one("rename", tree, rng)
    if isinstance(made, Object) and isinstance(tree, Object):
        assert tokens.children(made) == tokens.children(tree)
        assert sum(one != other for (one, _), (other, _) in zip(made, tree, strict=True)) <= 1


@given(TREES, RANDOMS)
def test_shuffling_and_swapping_keep_all_there_is(tree: Node, rng: Random) -> None:
    for name in ("shuffle", "swap"):
        if (made := one(name, tree, rng)) is not None:
            assert sorted(map(repr, tokens.children(made))) == sorted(map(repr, tokens.children(tree)))


@given(TREES, RANDOMS)
def test_another_kind_is_another_kind(tree: Node, rng: Random) -> None:
    made = one("kind", tree, rng)
    assert made is not None
    assert mutate.kind_of(made) != mutate.kind_of(tree)


@given(TREES, RANDOMS)
def test_respelling_and_space_keep_the_value(tree: Node, rng: Random) -> None:
    for name in ("respell", "space"):
        if (made := one(name, tree, rng)) is not None:
            assert value(made) == value(tree)
            assert type(value(made)) is type(value(tree)) or isinstance(value(made), float)


@given(TREES, RANDOMS)
def test_numbers_texts_and_edits_keep_the_kind(tree: Node, rng: Random) -> None:
    for name, kind in (("number", "number"), ("text", "string"), ("edit", "string")):
        made = one(name, tree, rng)
        assert (made is None) == (mutate.kind_of(tree) != kind)
        assert made is None or mutate.kind_of(made) == kind


@given(TREES, RANDOMS)
def test_wrapping_and_unwrapping_move_a_value_by_a_level(tree: Node, rng: Random) -> None:
    wrapped = one("wrap", tree, rng)
    assert wrapped is not None
    assert tokens.children(wrapped) == [tree]
    assert one("unwrap", wrapped, rng) == tree


def test_a_word_is_put_where_the_protocol_has_one() -> None:
    tree = parse('{"other":"x","type":"x"}')
    made = {text(node) for seed in range(20) if (node := one("word", tree, drawn(seed)))}
    assert made == {'{"other":"x","type":"one"}', '{"other":"x","type":"two"}'}
    assert one("word", parse('{"other":"one"}'), drawn(0)) is None


def test_nesting_reaches_just_as_deep_as_passes_and_one_level_deeper() -> None:
    nested = [text(one("nest", "1", drawn(seed)) or "") for seed in range(100)]
    depths = {each.count("[") + each.count("{") for each in nested}
    assert {127, 128, 129} <= depths


def test_splicing_and_merging_take_parts_of_other_documents() -> None:
    assert one("splice", parse("[1]"), drawn(0)) == PART
    merged = {text(node) for seed in range(20) if (node := one("merge", parse('{"a":1}'), drawn(seed)))}
    assert merged == {'{"a":1,"part":[1,"two"]}', '{"part":[1,"two"],"a":1}'}


def test_repeating_and_emptying_change_how_many_there_are() -> None:
    assert len(one("repeat", parse("[1]"), drawn(0)) or ()) > 2
    assert one("empty", parse("[1]"), drawn(0)) == Array()
    assert one("empty", parse('{"a":1}'), drawn(0)) == Object()
    assert one("null", parse("[1]"), drawn(0)) == "null"


@given(TREES, st.integers())
def test_a_mutant_differs_and_can_be_made_again(tree: Node, seed: int) -> None:
    made = mutate.mutated(tree, drawn(seed), SUPPLY)
    assert made.tree != tree
    assert made == mutate.mutated(tree, drawn(seed), SUPPLY)
    assert made.note.partition(" at ")[0] in mutate.STRUCTURE


def test_every_mutation_is_drawn() -> None:
    tree = parse('{"type":"one","list":[1,2,{"a":"b"}],"number":7}')
    notes = {mutate.mutated(tree, drawn(seed), SUPPLY).note.partition(" at ")[0] for seed in range(1500)}
    assert notes == set(mutate.STRUCTURE)
    gentle = {mutate.mutated(tree, drawn(s), SUPPLY, gently=True).note.partition(" at ")[0] for s in range(500)}
    assert gentle < notes


# --- mutations of bytes ----------------------------------------------------------------------------------------


@given(st.binary(max_size=60), RANDOMS)
def test_bytes_change_as_their_mutation_says(data: bytes, rng: Random) -> None:
    def made(name: str) -> bytes:
        return mutate.BYTES[name](data, rng, SUPPLY)

    flipped = made("flip a bit")
    assert len(flipped) == len(data)
    assert sum((one ^ other).bit_count() for one, other in zip(flipped, data, strict=True)) == bool(data)
    assert data.startswith(made("truncate"))
    assert len(made("delete")) <= len(data)
    assert len(made("repeat")) >= len(data)
    assert len(made("insert")) - len(data) in set(map(len, SNIPPETS))
    assert data in made("trail")
    assert 0 <= len(made("change a byte")) - len(data) <= 1


def test_every_mutation_of_bytes_is_drawn() -> None:
    assert {mutate.mutated_bytes(b"{}", drawn(seed), SUPPLY)[1] for seed in range(300)} == set(mutate.BYTES)


# --- hostile tokens --------------------------------------------------------------------------------------------


def test_tokens_to_mutate_with_are_json_of_their_kind() -> None:
    assert all(mutate.kind_of(parse(token)) == "number" for token in NUMBERS)
    assert all(mutate.kind_of(parse(token)) == "string" for token in STRINGS)
    assert all(not space.strip(" \t\r\n") for space in SPACES)
    assert len(set(NUMBERS)) == len(NUMBERS)
    assert len(set(STRINGS)) == len(STRINGS)
