"""The reference: a model, a type's name and a text, decoded."""

from __future__ import annotations

import pytest

from polywire import reference
from polywire.model import nodes
from polywire.model.nodes import Field, Model, Scalar, Struct
from polywire.reference import Fault


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
