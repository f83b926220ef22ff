"""The printer of documents: what fits on a line stays on it, and the rest breaks where the document allows it."""

from __future__ import annotations

from polywire.targets.common.document import (
    HARD,
    LINE,
    SOFT,
    Either,
    IfBroken,
    fill,
    flat,
    group,
    join,
    lay_out,
    listed,
    nest,
)

ITEMS = listed(2, "[", ["one", "two"], "]")


def test_a_group_is_on_one_line_where_it_fits_with_what_is_around_it() -> None:
    assert lay_out(ITEMS, 10) == "[one, two]"
    assert lay_out(ITEMS, 9) == "[\n  one,\n  two,\n]"
    assert lay_out((ITEMS, ";"), 10) == "[\n  one,\n  two,\n];"
    assert lay_out(ITEMS, 10, before=1) == lay_out(ITEMS, 10, after=1) == "[\n  one,\n  two,\n]"
    assert lay_out(ITEMS, 9, indent=4) == "[\n      one,\n      two,\n    ]"


def test_only_what_follows_up_to_the_next_possible_line_end_has_to_fit() -> None:
    assert lay_out((ITEMS, LINE, "next"), 10) == "[one, two]\nnext"
    assert lay_out((ITEMS, group(LINE, "next")), 10) == "[one, two]\nnext"


def test_an_inner_group_breaks_after_an_outer_one() -> None:
    nested = listed(2, "(", [ITEMS, "three"], ")")
    assert lay_out(nested, 19) == "([one, two], three)"
    assert lay_out(nested, 13) == "(\n  [one, two],\n  three,\n)"
    assert lay_out(nested, 12) == "(\n  [\n    one,\n    two,\n  ],\n  three,\n)"


def test_what_always_breaks_breaks_the_groups_around_it() -> None:
    assert lay_out(group("a", LINE, group("b", HARD, "c")), 99) == "a\nb\nc"
    assert lay_out(listed(2, "(", [listed(2, "[", ["a"], "]", broken=True)], ")"), 99) == "(\n  [\n    a,\n  ],\n)"


def test_a_filled_line_has_as_many_items_as_fit() -> None:
    assert lay_out(nest(1, fill(["aa,", "bb,", "cc,"])), 6) == "aa,\n bb,\n cc,"
    assert lay_out(fill(["aa,", "bb,", "cc,"]), 7) == "aa, bb,\ncc,"
    assert lay_out(fill(["aa,", "bb"]), 6) == "aa, bb"


def test_text_may_depend_on_the_group_around_it() -> None:
    either = group(IfBroken("| ", "<"), join((LINE, "| "), ["a", "b"]))
    assert lay_out(either, 6) == "<a | b"
    assert lay_out(either, 5) == "| a\n| b"


def test_the_first_layout_whose_first_line_fits_is_chosen() -> None:
    hugged, apart = ("f(", group("[", nest(2, SOFT, "a"), SOFT, "]", broken=True), ")"), ("f(", HARD, "[a]", HARD, ")")
    call = Either(("f([a])", hugged, group(*apart)))
    assert lay_out(call, 6) == "f([a])"
    assert lay_out(call, 5) == "f([\n  a\n])"
    assert lay_out(call, 2) == "f(\n[a]\n)"


def test_a_document_can_be_on_one_line_of_any_length() -> None:
    assert flat(listed(2, "[", ["x" * 500, "y"], "]")) == f"[{'x' * 500}, y]"
    assert flat(listed(2, "[", [], "]")) == "[]"
