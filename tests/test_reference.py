"""The reference: a model, a type's name and a text, decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from polywire import instances, reference, source
from polywire.engine import equal, parse
from polywire.model import nodes
from polywire.model.build import build
from polywire.model.nodes import Field, Model, Scalar, Struct
from polywire.reference import Fault

if TYPE_CHECKING:
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
