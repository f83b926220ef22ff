"""Projection of a model onto some roots: it has exactly the declarations reachable from them, unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from polywire import checks
from polywire.model.nodes import Model
from polywire.model.projection import UnknownRootError, known_roots, project
from polywire.model.walk import uses
from polywire.oracle import reference
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing import render

SPECS = Path(__file__).resolve().parents[1] / "specs"


@pytest.fixture(scope="module")
def parcel() -> Model:
    model = checks.check(SPECS / "parcel").model
    assert model is not None
    return model


@pytest.fixture(scope="module")
def agentlines(root: Path) -> Model:
    model = checks.check(root / "spec").model
    assert model is not None
    return model


def closed(model: Model) -> Iterator[str]:
    """Yield the names that the model uses but does not declare."""
    for declared in model.declarations.values():
        yield from (name for name in uses(declared) if name not in model.declarations)


def test_what_roots_lead_to_stays_as_it_was_and_in_its_order(parcel: Model) -> None:
    part = project(parcel, ["Envelope", "Weight"])
    assert part.protocol.roots == ("Envelope", "Weight")
    assert {"Envelope", "Weight", "Letter"} <= part.declarations.keys()
    assert not {"Line", "Hello", "Settings"} & part.declarations.keys()
    assert list(part.declarations) == [name for name in parcel.declarations if name in part.declarations]
    assert all(part.declarations[name] is parcel.declarations[name] for name in part.declarations)
    assert not list(closed(part))
    assert part.spec_hash == parcel.spec_hash


def test_all_roots_of_a_protocol_leave_all_of_it(parcel: Model) -> None:
    tools = [tool.pattern for tool in parcel.tools if tool.input or tool.output]
    assert project(parcel, [*parcel.protocol.roots, *tools]).declarations.keys() == parcel.declarations.keys()


def test_who_gets_requests_gets_every_answer_and_who_gets_none_gets_no_pairs(parcel: Model) -> None:
    whole = project(parcel, ["Ask"])
    assert whole.controls == parcel.controls
    assert whole.protocol.control == parcel.protocol.control
    assert "Answer" in whole.declarations
    assert {control.request for control in whole.controls} <= whole.declarations.keys()
    assert not list(closed(whole))
    none = project(parcel, ["Answer"])
    assert (none.controls, none.protocol.control) == ((), None)
    assert "Answer" in none.declarations


@pytest.mark.full
def test_a_tool_stays_if_its_types_do_or_it_is_named(agentlines: Model) -> None:
    def tools(*roots: str) -> list[str]:
        return [tool.pattern for tool in project(agentlines, roots).tools]

    assert tools("QueryOptions") == []
    assert tools("BashInput", "BashOutput") == ["Bash"]
    part = project(agentlines, ["Read", "QueryOptions"])
    assert [tool.pattern for tool in part.tools] == ["Read"]
    assert "FileReadInput" in part.declarations
    assert part.protocol.roots == ("QueryOptions",)
    assert project(agentlines, ["Read"]).protocol.roots == ("FileReadInput", "FileReadOutput")


def test_an_unknown_root_is_refused_by_its_name(parcel: Model) -> None:
    with pytest.raises(UnknownRootError) as caught:
        project(parcel, ["Line", "Lein"])
    assert caught.value.name == "Lein"
    assert {"Line", "Weight"} <= set(known_roots(parcel))


def test_what_a_target_is_told_to_share_stays_for_that_target(agentlines: Model) -> None:
    go = registry()["go"]
    part = project(agentlines, ["ContentBlockParam"], go.name, go.reference_keys)
    assert {"ContentBlock", "ContentBlockParam"} <= part.declarations.keys()
    assert "ContentBlock" not in project(agentlines, ["ContentBlockParam"]).declarations


def test_a_root_whose_kinds_share_one_struct_in_go_is_shown_without_a_choice_between_them(agentlines: Model) -> None:
    go = registry()["go"]
    files = render.render(go, make_plan(project(agentlines, ["ContentBlockParam"], go.name, go.reference_keys)))
    (examples,) = (contents for path, contents in files.items() if path.endswith("examples_test.go"))
    assert b".(type)" not in examples


def test_a_part_decodes_like_the_whole(parcel: Model) -> None:
    part = project(parcel, ["Line"])
    for struct in parcel.structs:
        for example in struct.examples if struct.name in part.declarations else ():
            assert reference.decode(part, struct.name, example.text) == reference.decode(
                parcel, struct.name, example.text
            )


@pytest.mark.full
@pytest.mark.parametrize("target", registry())
def test_every_target_can_make_a_package_of_any_root_alone(parcel: Model, target: str) -> None:
    each = registry()[target]
    for name in known_roots(parcel):
        files = render.render(each, make_plan(project(parcel, [name], each.name, each.reference_keys)))
        for path, contents in files.items():
            if path.endswith((".py", ".pyi")):
                compile(contents, path, "exec")
            elif path.endswith(".json"):
                json.loads(contents)
