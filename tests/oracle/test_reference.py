"""The reference: a model, a type's name and a text, and all possible results."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from polywire import source
from polywire.conformance.documents import Corpus, Stream
from polywire.conformance.protocols import Protocols
from polywire.ground.engine import CODES
from polywire.ground.json_values import dumps, equal
from polywire.model import nodes
from polywire.model.build import build
from polywire.model.nodes import Field, Model, Struct
from polywire.oracle import instances, reference
from polywire.oracle.instances import Instance
from polywire.oracle.reference import Fault, Outcomes
from polywire.oracle.reference.framing import HEADER, framed, frames
from polywire.oracle.reference.text import read as read_text
from polywire.source.types import Scalar

ROOT = Path(__file__).resolve().parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"


def model_of(type_: nodes.ScalarKind) -> Model:
    struct = Struct("T", "types", fields=(Field("a", Scalar(type_)), Field("b", Scalar("uuid"), required=False)))
    protocol = nodes.Protocol("p", "P", "1", "ndjson", (), ("T",))
    return Model(protocol, packages={}, declarations={"T": struct}, controls=(), tools=(), spec_hash="")


@cache
def model() -> Model:
    found = build(source.load(PARCEL)).model
    assert found is not None
    return found


@cache
def sound() -> list[Instance]:
    """Return the instances of the parcel service that strict mode accepts."""
    return [each for each in instances.derive(model()) if each.strict.ok]


def faults(found: Outcomes) -> set[tuple[str, str]]:
    return {(fault.code, fault.path) for fault in found.faults}


def test_a_text_is_parsed_and_decoded_in_lenient_mode_by_default() -> None:
    found = reference.decode(model_of("integer"), "T", b'{"b": null, "a": 1.0}')
    assert (found.value, found.variant, found.unknown) == ({"a": 1, "b": None}, "T", ["/b"])
    with pytest.raises(Fault, match="wrong_type at /b"):
        reference.decode(model_of("integer"), "T", '{"b": null, "a": 1.0}', strict=True)
    with pytest.raises(Fault, match="invalid_json"):
        reference.decode(model_of("integer"), "T", "{")


def test_the_rules_of_a_model_are_made_once() -> None:
    one, other = model_of("integer"), model_of("string")
    assert reference.rules(one) is reference.rules(one)
    assert reference.decode(other, "T", '{"a": ""}').value == {"a": ""}
    with pytest.raises(Fault):
        reference.decode(one, "T", '{"a": ""}')


def test_faults_of_the_parser_come_before_all_others() -> None:
    one = model_of("integer")
    assert faults(reference.outcomes(one, "T", '{"a":"x","b":' + "7" * 4301 + "}")) == {("out_of_range", "")}
    assert faults(reference.outcomes(one, "T", '{"a":"x"')) == {("invalid_json", "")}
    assert faults(reference.outcomes(one, "T", '{"a":1}')) == set()


# --- streams ---------------------------------------------------------------------------------------------------


def test_each_line_of_a_stream_has_outcomes_of_its_own() -> None:
    data = b'{"a":1}\r\n \n{"b":7}\n{"a":1,"a":2}\n' + b"x" * 2000 + b"\n{"
    items = list(reference.read(model_of("string"), "T", data, limit=1999))
    assert [(item.line, faults(item.outcomes)) for item in items] == [
        (1, {("wrong_type", "/a")}),
        (3, {("missing_field", "/a"), ("wrong_type", "/b")}),
        (4, {("wrong_type", "/a")}),
        (5, {("too_long", "")}),
        (6, {("invalid_json", "")}),
    ]
    assert [item.raw for item in items[:1] + items[3:]] == [b'{"a":1}', b"x" * 1024, b"{"]


# --- properties ------------------------------------------------------------------------------------------------


def test_what_is_accepted_is_the_value_that_came_and_is_accepted_again() -> None:
    for each in instances.derive(model()):
        for strict in (False, True):
            found = reference.outcomes(model(), each.type, each.text, strict=strict)
            for taken in found.accepted:
                assert equal(taken.value, read_text(each.text).value), each
                (again,) = reference.outcomes(model(), each.type, dumps(taken.value), strict=strict).accepted
                assert (again.value, again.variant, again.unknown) == (taken.value, taken.variant, taken.unknown)


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
    """Return a JSON value with one place replaced, removed or added to."""
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


@pytest.mark.parametrize("seed", range(4))
def test_the_two_modes_agree_on_damaged_instances(seed: int) -> None:
    decode, random, seen = reference.rules(model()).outcomes, Random(seed), [0, 0, 0]  # noqa: S311 (a test's dice)
    for each in random.sample(sound(), 600):
        text = read_text(dumps_with_overflow(damaged(read_text(each.text).value, random)))
        strict, lenient = (decode(each.type, text, strict=mode) for mode in (True, False))
        if lenient.faults:
            assert strict.faults
            for code, path in faults(lenient):  # strict mode may report another rule there, with precedence
                beaten = [CODES.index(other) for other, at in faults(strict) if at == path]
                assert min(beaten, default=0) <= CODES.index(code), each
            seen[0] += 1
            continue
        (taken,) = lenient.accepted
        assert equal(taken.value, text.value)
        assert {path for _, path in faults(strict)} <= set(taken.unknown), each
        assert bool(strict.faults) == bool(taken.unknown)
        seen[1 if strict.faults else 2] += 1
    assert min(seen) > 30


def dumps_with_overflow(value: Any) -> str:
    """Write a value as JSON; an infinity becomes a number that overflows."""
    return instances.write(_spelled(value))


def _spelled(value: Any) -> Any:
    match value:
        case dict():
            return {key: _spelled(member) for key, member in value.items()}
        case list():
            return list(map(_spelled, value))
        case float() if value - value != 0:
            return instances.Spelled("1e400")
        case _:
            return value


@pytest.mark.parametrize("seed", range(4))
def test_faults_of_different_members_add_up_and_without_them_the_document_is_accepted(seed: int) -> None:
    plain = {struct.name for struct in model().structs if not any(field.flatten for field in struct.wire_fields)}
    objects = [each for each in sound() if each.type in plain and len(read_text(each.text).value) > 1]
    decode, random, several = reference.rules(model()).outcomes, Random(seed), 0  # noqa: S311 (as above)
    for each in random.sample(objects, 300):
        value = read_text(each.text).value
        one, other = ({key: damaged(value[key], random)} for key in random.sample(list(value), 2))

        def wrong(damage: dict[str, Any], each: Instance = each, value: Any = value) -> set[tuple[str, str]]:
            text = read_text(dumps_with_overflow(value | damage))
            found = decode(each.type, text, strict=True)
            assert bool(found.faults) != bool(found.accepted)
            return faults(found)

        assert wrong({}) == set()
        assert wrong(one | other) == wrong(one) | wrong(other), each
        several += bool(wrong(one) and wrong(other))
    assert several > 50


def test_every_document_has_an_outcome_and_several_faults_are_at_several_places() -> None:
    protocol = Protocols(PARCEL).default
    parsers = {"invalid_utf8", "invalid_json", "too_deep", "out_of_range"}
    for document in islice(Corpus(protocol, [], seed=3).documents(), 3000):
        if isinstance(document.content, Stream):
            continue
        text = read_text(document.content)
        found = reference.outcomes(protocol.model, document.type, document.content, strict=document.mode == "strict")
        assert found.accepted or found.faults
        assert len(faults(found)) == len(found.faults)
        assert all(fault.code in CODES for fault in found.faults)
        if text.faults:
            assert not found.accepted
            assert {fault.code for fault in found.faults} <= parsers
        elif not text.duplicates:
            assert len({fault.path for fault in found.faults}) == len(found.faults)
            assert len(found.accepted) == (not found.faults)


class Watched(bytes):
    """A stream that knows the length of the longest part that was copied."""

    longest = 0

    def __getitem__(self, part: Any) -> Any:
        found = super().__getitem__(part)
        self.longest = max(self.longest, len(found))
        return found


def test_no_message_is_cut_off_by_a_copy_of_all_that_follows() -> None:
    stream = Watched(framed("content-length", b"[1]") * 1000)
    assert [each.content for each in frames("content-length", stream)] == [b"[1]"] * 1000
    assert stream.longest == HEADER + 1
