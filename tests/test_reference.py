"""The reference: a model, a type's name and a text, decoded."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from polywire import instances, reference, source
from polywire.engine import CODES, equal, parse
from polywire.model import nodes
from polywire.model.build import build
from polywire.model.nodes import Field, Model, Scalar, Struct
from polywire.reference import Decoded, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def model_of(type_: nodes.ScalarKind) -> Model:
    struct = Struct("T", "types", fields=(Field("a", Scalar(type_)), Field("b", Scalar("uuid"), required=False)))
    protocol = nodes.Protocol("p", "P", "1", "ndjson", (), ("T",))
    return Model(protocol, packages={}, declarations={"T": struct}, controls=(), tools=(), spec_hash="")


def test_a_text_is_parsed_and_decoded_in_lenient_mode_by_default() -> None:
    found = reference.decode(model_of("integer"), "T", b'{"b": null, "a": 1.0}')
    assert (found.value, found.variant, found.unknown) == ({"a": 1, "b": None}, "T", ["/b"])
    with pytest.raises(Fault, match="wrong_type at /b"):
        reference.decode(model_of("integer"), "T", '{"b": null, "a": 1.0}', strict=True)
    with pytest.raises(Fault, match="invalid_json"):
        reference.decode(model_of("integer"), "T", "{")


def test_a_decoder_is_made_once_for_each_model() -> None:
    one, other = model_of("integer"), model_of("string")
    assert reference.decoder(one) is reference.decoder(one)
    assert reference.decode(other, "T", '{"a": ""}').value == {"a": ""}
    with pytest.raises(Fault):
        reference.decode(one, "T", '{"a": ""}')


@pytest.mark.parametrize("folder", ["tests/specs/parcel", "spec"])
def test_the_reference_gives_what_each_derived_instance_was_made_to_give(root: Path, folder: str) -> None:
    model = build(source.load(root / folder)).model
    assert model is not None
    derived = instances.derive(model)
    assert len(derived) > 1000
    for each in derived:
        for mode, expected in (("lenient", each.lenient), ("strict", each.strict)):
            try:
                found = reference.decode(model, each.type, each.text, strict=mode == "strict")
            except Fault as fault:
                assert (fault.code, fault.path) == expected.error, (mode, each)  # noqa: PT017 (the oracle says which)
                continue
            assert expected.error is None, (mode, each)
            assert (found.variant, tuple(found.unknown)) == (expected.variant, expected.unknown), (mode, each)
            assert equal(found.value, parse(each.text)), (mode, each)


SCRAPS: list[Any] = [
    None,
    True,
    False,
    0,
    1.0,
    -7,
    1.5,
    1e400,
    2**53,
    "",
    "x",
    "left",
    "error_x",
    [],
    [None],
    {},
    {"x": 1},
]


def damaged(value: Any, random: Random) -> Any:
    """A JSON value with one place replaced, removed or added to."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        match random.randrange(6):
            case 0:
                return {each: member for each, member in value.items() if each != key}
            case 1:
                return {**value, random.choice([*value, "new", "kind", "/~"]): random.choice(SCRAPS)}
            case _:
                return {**value, key: damaged(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        return [*value[:at], *random.choice([[], [damaged(value[at], random)], [value[at]] * 2]), *value[at + 1 :]]
    return random.choice(SCRAPS)


def attempt(decode: Callable[..., Decoded], name: str, value: Any, *, strict: bool) -> Decoded | Fault:
    try:
        return decode(name, value, strict=strict)
    except Fault as fault:
        return fault


@pytest.mark.parametrize("seed", range(4))
def test_the_two_modes_agree_on_damaged_instances(root: Path, seed: int) -> None:
    model = build(source.load(root / "tests/specs/parcel")).model
    assert model is not None
    decode, random, outcomes = reference.decoder(model).decode, Random(seed), [0, 0, 0]  # noqa: S311 (a test's dice)
    sound = [each for each in instances.derive(model) if each.lenient.error is None]
    for each in random.sample(sound, 600):
        value = damaged(parse(each.text), random)
        strict = attempt(decode, each.type, value, strict=True)
        lenient = attempt(decode, each.type, value, strict=False)
        if isinstance(lenient, Fault):
            assert isinstance(strict, Fault)
            if strict.path == lenient.path:  # strict mode may have another rule there, but only one of precedence
                assert CODES.index(strict.code) <= CODES.index(lenient.code), each
            outcomes[0] += 1
            continue
        assert equal(lenient.value, value)
        again = decode(each.type, lenient.value, strict=False)
        assert (again.value, again.variant, again.unknown) == (lenient.value, lenient.variant, lenient.unknown)
        if lenient.unknown:
            assert isinstance(strict, Fault)
            assert strict.path in lenient.unknown, each
            outcomes[1] += 1
        else:
            assert not isinstance(strict, Fault)
            assert (strict.value, strict.variant, strict.trail) == (lenient.value, lenient.variant, lenient.trail)
            outcomes[2] += 1
    assert min(outcomes) > 30
