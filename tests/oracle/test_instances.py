"""Instances derived from a spec: every type has some of every kind, each with its correct outcome."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from polywire.conformance.jsontext import read, same_order
from polywire.conformance.protocols import Protocols
from polywire.model.nodes import Dispatch, Enum, Field, Keys, Leaf, Model, Struct, Switch, Union
from polywire.oracle import reference
from polywire.oracle.instances import DeriveError, Instance, Outcome, derive, write
from polywire.source.types import NULL, Array, Ref, Scalar
from sampling import third

ROOT = Path(__file__).resolve().parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"
PROTOCOLS = Protocols(PARCEL)

TWO_FIELDS = "two fields, in code-point order"
FORMS = ROOT / "tests" / "specs" / "forms"
SPECS = [(PARCEL, None), (PARCEL, "terse"), (ROOT / "spec", None), (FORMS, None)]


@cache
def model(folder: Path = PARCEL, dialect: str | None = None) -> Model:
    return PROTOCOLS.get(folder, dialect).model


@cache
def instances(folder: Path = PARCEL, dialect: str | None = None, seed: int = 0) -> list[Instance]:
    return derive(model(folder, dialect), seed=seed)


def reference_outcome(of: Model, instance: Instance, *, strict: bool) -> Outcome:
    """Return the reference's outcome for an instance."""
    found = reference.outcomes(of, instance.type, instance.text, strict=strict)
    if found.faults:
        assert not found.accepted
        return Outcome(errors=tuple((fault.code, fault.path) for fault in found.faults))
    (decoded,) = found.accepted
    return Outcome(variant=decoded.variant, unknown=tuple(decoded.unknown))


def same(one: Outcome, other: Outcome) -> bool:
    """Return whether two outcomes are the same, regardless of the order of faults."""
    return sorted(one.errors) == sorted(other.errors) and replace(one, errors=()) == replace(other, errors=())


def disagreements(of: Model, found: Iterable[Instance]) -> list[tuple[Instance, str, Outcome]]:
    return [
        (instance, mode, got)
        for instance in found
        for mode, wanted in (("lenient", instance.lenient), ("strict", instance.strict))
        if not same(got := reference_outcome(of, instance, strict=mode == "strict"), wanted)
    ]


LARGE = pytest.param(ROOT / "spec", None, marks=third("instances of the real protocol"))
"""Ten times as large as the others together."""


@pytest.mark.parametrize(
    ("folder", "dialect"),
    [LARGE if folder == ROOT / "spec" else (folder, dialect) for folder, dialect in SPECS],
    ids=["parcel", "parcel, terse", "spec", "forms"],
)
def test_the_reference_agrees_with_what_is_known_from_how_instances_are_made(folder: Path, dialect: str | None) -> None:
    assert disagreements(model(folder, dialect), instances(folder, dialect)) == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_agrees_whatever_the_seed(seed: int) -> None:
    assert disagreements(model(), instances(seed=seed)) == []


def test_the_reference_writes_members_in_the_order_that_is_expected() -> None:
    ordered = [i for i in instances() if i.ordered is not None]
    assert {i.family for i in ordered} == {"minimal", "full", "reordered", "random", "variant"}
    for instance in ordered:
        value = reference.decode(model(), instance.type, instance.text).value
        assert same_order(value, read(instance.ordered or "")), instance


@pytest.mark.parametrize(
    "folder",
    [PARCEL, pytest.param(ROOT / "spec", marks=third("instances of the real protocol"))],
    ids=["parcel", "spec"],
)
def test_an_instance_with_one_thing_wrong_has_exactly_one_right_answer(folder: Path) -> None:
    found = instances(folder)
    several = {i.family for i in found if len(i.lenient.errors) > 1 or len(i.strict.errors) > 1}
    assert several == {"two faults", "unknown field"}
    two_fields = [i.note for i in found if i.family == "unknown field" and len(i.strict.errors) > 1]
    assert all(note.endswith(TWO_FIELDS) for note in two_fields)
    assert all(len(i.strict.errors) > 1 for i in found if i.family == "two faults")


def test_the_same_seed_gives_the_same_instances_and_another_one_others() -> None:
    assert derive(model(), seed=0) == instances()
    assert [i.text for i in instances(seed=1)] != [i.text for i in instances()]


def test_a_type_gives_the_same_instances_whatever_else_is_derived() -> None:
    alone = derive(model(), only={"Label"})
    assert alone == [instance for instance in instances() if instance.type == "Label"]


def test_every_type_has_instances_of_both_sorts() -> None:
    taken = {i.type for i in instances() if i.lenient.ok}
    refused = {i.type for i in instances() if not i.lenient.ok}
    assert taken == refused == set(model().declarations)


def test_no_text_stands_twice_for_a_type() -> None:
    assert max(Counter((i.type, i.text) for i in instances()).values()) == 1


def test_every_code_that_a_value_can_give_is_given() -> None:
    codes = {code for i in instances() for outcome in (i.lenient, i.strict) for code, _ in outcome.errors}
    assert codes == {
        "wrong_type",
        "missing_field",
        "unknown_variant",
        "no_variant",
        "wrong_constant",
        "unknown_value",
        "out_of_range",
        "bad_format",
        "out_of_bounds",
        "unknown_field",
    }


def of(type_name: str, text: str) -> Instance:
    return next(i for i in instances() if i.type == type_name and i.text == text)


def noted(type_name: str, note: str) -> Instance:
    return next(i for i in instances() if i.type == type_name and i.note == note)


def test_each_required_field_is_dropped_once() -> None:
    dropped = {i.lenient.errors for i in instances() if i.type == "Failed" and i.family == "missing"}
    assert dropped == {(("missing_field", f"/{key}"),) for key in ("type", "event", "reasons", "retry")}


def test_each_wrong_kind_of_a_field_is_tried() -> None:
    notes = {i.note for i in instances() if i.type == "Point" and i.lenient.errors == (("wrong_type", "/x"),)}
    assert notes >= {f"x: {kind} for number" for kind in ("null", "boolean", "string", "array", "object")}


def test_an_optional_field_is_tried_absent_null_and_present() -> None:
    null = noted("Point", "z null though it may only be absent")
    assert (null.lenient, null.strict) == (
        Outcome(variant="Point", unknown=("/z",)),
        Outcome(errors=(("wrong_type", "/z"),)),
    )
    assert noted("Point", "full, but z absent").strict == Outcome(variant="Point")
    assert noted("Point", "minimal, but z there").strict == Outcome(variant="Point")


def test_an_optional_nullable_field_may_be_null() -> None:
    assert noted("Named", "nickname null").strict == Outcome(variant="Named")


@pytest.mark.parametrize(
    ("number", "right"),
    [
        ("0", True),
        ("-1", True),
        ("1.0", True),
        ("9007199254740991", True),
        ("-9007199254740991", True),
        ("9007199254740992", False),
        ("1.5", False),
        ("5e-324", False),
        ("1.7976931348623157e308", False),
        ("1e400", False),
    ],
)
def test_integers_are_tried_at_their_bounds(number: str, right: bool) -> None:
    wanted = Outcome(variant="Reply") if right else Outcome(errors=(("out_of_range", ""),))
    assert of("Reply", number).lenient == of("Reply", number).strict == wanted


def test_text_is_tried_empty_and_beyond_ascii() -> None:
    texts = {i.text for i in instances() if i.type == "Reply"}
    assert {'""', '"a\u2028b\u2029c\u0085d"', '"\U0001f600\U00010348"'} <= texts


def test_every_value_of_an_enum_is_tried_and_an_unknown_one() -> None:
    sizes = {i.text: i for i in instances() if i.type == "Size" and i.lenient.ok}
    assert sizes.keys() == {'"small"', '"large"', '"error_prone"', '"polywire_unheard_of"'}
    assert sizes['"polywire_unheard_of"'].lenient.unknown == ("",)
    assert sizes['"polywire_unheard_of"'].strict.errors == (("unknown_value", ""),)
    assert of("Side", '"polywire_unheard_of"').lenient.errors == (("unknown_value", ""),)


def structs_of(dispatch: Dispatch) -> set[str]:
    """Return the structs that a dispatch may select."""
    match dispatch:
        case Leaf(struct=struct):
            return {struct}
        case Keys(cases=cases):
            ends = [then for _, then in cases]
            others = []
        case Switch(cases=cases, absent=absent):
            ends = [then for _, then in cases] + ([absent] if absent else [])
            others = [struct for _, struct in dispatch.others]
    return set(others).union(*map(structs_of, ends))


def test_every_variant_of_a_union_is_tried_and_an_unknown_one() -> None:
    lines = [i for i in instances() if i.type == "Line" and i.lenient.ok]
    assert {i.lenient.variant for i in lines} == {*structs_of(model().union("Line").dispatch), "Unknown"}
    unknown = of("Line", '{"type":"polywire_unheard_of","whatever":{"a":[null,123456789012345678901234567890]}}')
    assert (unknown.lenient, unknown.strict) == (
        Outcome(variant="Unknown", unknown=("/type",)),
        Outcome(errors=(("unknown_variant", "/type"),)),
    )


def test_a_catch_all_takes_what_is_like_it_and_leaves_what_does_not_fit() -> None:
    fitting = '{"type":"parcel","event":"error_polywire_unheard_of","reasons":[],"retry":true}'
    misfit = '{"type":"parcel","event":"error_polywire_unheard_of","reasons":[]}'
    assert of("Line", fitting).lenient == Outcome(variant="Failed", unknown=("/event",))
    assert of("Line", fitting).strict.errors == (("unknown_value", "/event"),)
    missing = [
        i for i in instances() if i.type == "Line" and i.lenient == Outcome(variant="Unknown", unknown=("/event",))
    ]
    assert misfit in {i.text for i in missing} or any("misfit" in i.note for i in missing)


def test_members_that_fit_no_variant_are_found() -> None:
    assert of("Reach", "{}").lenient == Outcome(variant="Unknown", unknown=("",))
    assert of("Reach", "{}").strict.errors == (("no_variant", ""),)
    assert of("Strict", "{}").lenient.errors == (("no_variant", ""),)


def test_of_two_faults_either_is_expected() -> None:
    pairs = [i for i in instances() if i.family == "two faults"]
    assert len(pairs) > 50
    assert all(not i.strict.ok for i in pairs)
    assert any(i.lenient.ok for i in pairs)
    assert any(len(i.lenient.errors) == 2 for i in pairs)


def test_unknown_keys_are_ordered_by_code_point() -> None:
    two = noted("Point", TWO_FIELDS)
    assert two.lenient.unknown == ("/\ufffd", "/\U0001f600")
    assert two.strict.errors == (("unknown_field", "/\ufffd"), ("unknown_field", "/\U0001f600"))


def test_recursive_types_stay_small() -> None:
    assert max(len(i.text) for i in instances()) < 10_000


@pytest.mark.full
def test_those_of_the_protocol_do_too() -> None:
    assert max(len(i.text) for i in instances(ROOT / "spec")) < 50_000


def wide(number: int) -> Model:
    """Return a model with a type of that many optional fields, each of which may have an object of the type again."""
    return changed(
        Struct("Wide", "types", fields=tuple(Field(f"f{at}", Ref("Wide"), required=False) for at in range(number)))
    )


def test_a_type_with_twice_as_many_fields_has_about_twice_as_much_text() -> None:
    one, two = (sum(len(each.text) for each in derive(wide(number), only={"Wide"})) for number in (100, 200))
    assert two < 2.5 * one


def test_of_any_two_optional_fields_one_is_absent_where_the_other_is_there() -> None:
    made = [json.loads(i.text).keys() for i in derive(wide(8), only={"Wide"}) if i.family == "absent"]
    for one, other in permutations([f"f{at}" for at in range(8)], 2):
        assert any(one in keys and other not in keys for keys in made)


def test_more_are_drawn_when_more_are_asked_for() -> None:
    counts = [sum(i.family == "random" for i in derive(model(), random=n, only={"Label"})) for n in (0, 5)]
    assert counts == [0, 5]


# --- instances are an oracle: faults in a model are noticed ----------------------------------------------------


def changed(declaration: Struct | Enum | Union) -> Model:
    return replace(model(), declarations={**model().declarations, declaration.name: declaration})


def with_field(struct: str, name: str, **differences: object) -> Model:
    old = model().struct(struct)
    fields = tuple(replace(f, **differences) if f.name == name else f for f in old.fields)  # type: ignore[arg-type]  # named as fields are
    return changed(replace(old, fields=fields))


@pytest.mark.full
@pytest.mark.parametrize(
    "wrong",
    [
        lambda: with_field("Point", "x", required=False),
        lambda: with_field("Point", "z", required=True),
        lambda: with_field("Point", "z", nullable=True),
        lambda: with_field("Point", "x", type=Scalar("integer")),
        lambda: with_field("Label", "id", type=Scalar("string")),
        lambda: with_field("Label", "pair", type=Array(Ref("Point"), 1, 3)),
        lambda: with_field("Note", "again", claimed=()),
        lambda: changed(replace(model().enum("Size"), open=False)),
        lambda: changed(replace(model().enum("Side"), values=model().enum("Side").values[:1])),
        lambda: changed(replace(model().union("Item"), open=False)),
        lambda: changed(replace(model().struct("Free"), extra=Scalar("number"))),
        lambda: changed(replace(model().struct("Label"), consts=())),
    ],
)
def test_a_decoder_made_from_a_model_that_differs_anywhere_is_caught(wrong: object) -> None:
    assert callable(wrong)
    assert disagreements(wrong(), instances()) != []


def test_a_decoder_that_orders_members_otherwise_is_caught() -> None:
    point = model().struct("Point")
    wrong = changed(replace(point, fields=tuple(reversed(point.fields))))
    full = noted("Point", "full")
    assert not same_order(reference.decode(wrong, "Point", full.text).value, read(full.ordered or ""))


# --- types without instances -----------------------------------------------------------------------------------


def test_a_type_that_has_to_contain_itself_has_no_instances() -> None:
    loop = Struct("Loop", "types", fields=(Field("again", Ref("Loop")),))
    with pytest.raises(DeriveError, match="no finite instance of Loop"):
        derive(changed(loop))


def test_a_type_that_may_contain_itself_has_some() -> None:
    loop = Struct("Loop", "types", fields=(Field("again", Ref("Loop"), nullable=True), Field("no", Array(NULL))))
    texts = [i.text for i in derive(changed(loop), only={"Loop"}) if i.strict.ok]
    assert '{"again":null,"no":[]}' in texts


def test_text_is_compact_json_with_numbers_as_they_are_spelled() -> None:
    assert write({"a": [1, True, None, "é\u2028"]}) == '{"a":[1,true,null,"é\u2028"]}'
