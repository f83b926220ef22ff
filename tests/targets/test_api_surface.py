"""What a package shows to user code is all that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.checks import check
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["spec", "tests/specs/parcel"])
def model(request: pytest.FixtureRequest) -> Model:
    found = check(ROOT / str(request.param)).model
    assert found is not None
    return found


@pytest.mark.parametrize("target", ["go", "python", "rust", "typescript"])
def test_whatever_has_a_name_of_the_spec_is_shown_once(model: Model, target: str) -> None:
    shown = [*registry()[target].api_surface(make_plan(model))]
    assert len({each.of for each in shown}) == len(shown)
    names = {each.name.rpartition("::")[2] for each in shown}
    assert {each.name for each in registry()[target].names(model) if each.place.file} - names == set()


def test_a_target_without_code_shows_nothing(model: Model) -> None:
    assert [*registry()["jsonschema"].api_surface(make_plan(model))] == []
