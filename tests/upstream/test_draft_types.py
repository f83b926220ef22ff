"""Types of upstream that refer to the same ones in many ways: each counts once."""

from __future__ import annotations

from typing import Any

from polywire_upstream.draft import discriminator, flat, opened

STEPS = 60
"""With two ways from each step to the next, there are 2 to the power of this many ways."""


def test_bases_that_are_reached_in_many_ways_count_once() -> None:
    table: dict[str, Any] = {f"{side}{n}": {"bases": [f"#A{n - 1}", f"#B{n - 1}"], "fields": {f"{side}{n}": "string"}}
                             for n in range(1, STEPS) for side in "AB"}  # fmt: skip
    table |= {"A0": {"fields": {"x": "string"}}, "B0": {"fields": {"x?": "string"}}}
    fields, _, odd = flat({"bases": [f"#A{STEPS - 1}", f"#B{STEPS - 1}"]}, table)
    assert (len(fields), odd) == (2 * STEPS - 1, [])
    assert "x?" in fields
    assert "x" not in fields  # the later base has it as optional


def test_unions_of_unions_are_of_each_alternative_once() -> None:
    table: dict[str, Any] = {f"U{n}": {"any of": [f"#U{n - 1}", f"#V{n - 1}"]} for n in range(1, STEPS)}
    table |= {f"V{n}": {"any of": [f"#U{n - 1}", f"#V{n - 1}"]} for n in range(1, STEPS)}
    table |= {"U0": {"fields": {"kind": {"is": "u"}}}, "V0": {"fields": {"kind": {"is": "v"}}}}
    other = {"fields": {"kind": {"is": "w"}}}
    assert discriminator([f"#U{STEPS - 1}", other], table) == "kind"
    table |= {"U1": {"any of": ["string", ["string"]]}, "V1": {"any of": ["boolean", ["string"]]}}
    assert opened([f"#U{STEPS - 1}", ["number"]], table) == ["boolean", "string", ["number"], ["string"]]


def test_a_base_that_refines_a_member_is_not_undone_by_its_own_base() -> None:
    table: dict[str, Any] = {
        "Base": {"fields": {"kind": "string"}},
        "One": {"bases": ["#Base"], "fields": {"kind": {"is": "one"}}},
        "Two": {"bases": ["#Base"], "fields": {"size": "number"}},
    }
    fields, _, _ = flat({"bases": ["#One", "#Two"]}, table)
    assert fields == {"kind": {"is": "one"}, "size": "number"}


def test_names_that_stand_for_themselves_end() -> None:
    table: dict[str, Any] = {"A": {"any of": ["#B", {"fields": {"kind": {"is": "a"}}}]}, "B": {"any of": ["#A"]}}
    assert discriminator(["#A", {"fields": {"kind": {"is": "b"}}}], table) == "kind"
    assert flat({"bases": ["#C"]}, {"C": {"bases": ["#C"], "fields": {"x": "string"}}})[0] == {"x": "string"}
