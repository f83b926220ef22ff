"""The API surface of a package lists each of its names that is from the spec once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polywire.checks import check
from polywire.evolve.breaking import find
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["spec", "tests/specs/parcel"])
def model(request: pytest.FixtureRequest) -> Model:
    found = check(ROOT / str(request.param)).model
    assert found is not None
    return found


@pytest.mark.full
@pytest.mark.parametrize("target", ["go", "python", "rust", "typescript"])
def test_whatever_has_a_name_of_the_spec_is_shown_once(model: Model, target: str) -> None:
    shown = [*registry()[target].api_surface(make_plan(model))]
    assert len({each.of for each in shown}) == len(shown)
    names = {each.name.rpartition("::")[2] for each in shown}
    # What nothing overrides is no declaration: the parameters of a constructor.
    declared = {each.name for each in registry()[target].names(model) if each.place.file and each.key}
    assert declared - names == set()


def test_a_target_without_code_shows_nothing(model: Model) -> None:
    assert [*registry()["jsonschema"].api_surface(make_plan(model))] == []


# --- readable members of Unknowns ------------------------------------------------------------------------------

FORMS = ROOT / "tests" / "specs" / "forms"
VIEWS = {
    "go": {
        "id": ("LookupID", "(uuid.UUID, bool)"),
        "range": ("LookupRange", "(Tuple2[int64, int64], bool)"),
        "raw": ("LookupRaw", "(any, bool)"),
    },
    "python": {"id": ("id", "str | None"), "range": ("range", "tuple[int, int] | None"), "raw": ("raw_", "Any")},
    "rust": {
        "id": ("UnknownLine::id", "String"),
        "range": ("UnknownLine::range", "(i64, i64)"),
        "raw": ("UnknownLine::raw_", "Json"),
    },
    "typescript": {"id": ("id", "string"), "range": ("range", "[number, number]"), "raw": ("raw", "unknown")},
}


@pytest.mark.parametrize(("target", "expected"), VIEWS.items())
def test_members_that_an_unknown_offers_to_read_are_shown(target: str, expected: dict[str, tuple[str, str]]) -> None:
    model = check(FORMS).model
    assert model is not None
    shown = {each.of: (each.name, each.type) for each in registry()[target].api_surface(make_plan(model))}
    assert {key: shown["Line", "views", key] for key in expected} == expected


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("[Common, Stamp]", "[Common]", ("code-name-removed", "`at` of the Unknown of `Line`")),
        ("count: integer", "count: string", ("code-type-changed", "`count` of the Unknown of `Line`")),
    ],
)
def test_a_change_of_such_a_member_breaks_code_in_every_language(
    old: str, new: str, found: tuple[str, str], tmp_path: Path
) -> None:
    changed = Path(shutil.copytree(FORMS, tmp_path / "forms"))
    entry = changed / "protocol.yaml"
    entry.write_text(entry.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    models = [check(folder).model for folder in (FORMS, changed)]
    assert all(models)
    findings = {(each.rule.id, each.subject): each for each in find(*models)}  # type: ignore[arg-type]  # none is None
    assert set(findings[found].languages) == {"go", "python", "rust", "typescript"}
