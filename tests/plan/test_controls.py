"""The paths from envelopes to requests and responses, through unions and flattened fields, and new envelopes."""

from __future__ import annotations

from pathlib import Path

import pytest

import written
from polywire.plan import make_plan
from polywire.plan.controls import ControlsPlan, FieldPath
from polywire.plan.fill import ByRule, Fixed, Given, Made
from polywire.source.types import Ref
from polywire.targets import registry
from polywire.writing.render import render
from rendered import model_of

GATE = Path(__file__).resolve().parents[1] / "specs" / "gate"
"""A spec with a key that pointers escape."""

NESTED = """
messages:
  Ask:
    doc: A request.
    from: a
    tag: {type: ask}
    fields: {id: string, trace: uuid, tenant: {type: string, default: main}, request: Asks}
  Answer: {doc: A response., from: b, tag: {type: answer}, fields: {response: Body}}
types:
  Failed: {doc: It failed., tag: {how: failed}, fields: {id: string, error: string}}
  Done: {doc: It worked., tag: {how: done}, fields: {id: string, "result?": object}}
unions:
  Asks: {doc: What can be asked., open: true, by: sub}
  Body: {doc: A response., open: true, by: how, variants: [Failed, Done]}
controls:
  stop: {doc: Stops., from: a, request: {}, response: none}
  where: {doc: Where it is., from: a, request: {of: string}, response: "Done | none"}
"""

FLAT_HEADER = written.HEADER.replace(
    "roots: []",
    'roots: [Ask, Answer], control: {request: {envelope: Ask, id: /id, payload: "", by: sub},'
    " response: {envelope: Answer, id: /id, result: /body}}",
)
FLAT = """
messages:
  Ask:
    doc: A request.
    from: a
    tag: {type: ask}
    fields: {id: string, rest: {type: Asks, flatten: true}}
  Answer: {doc: A response., from: b, tag: {type: answer}, fields: {meta: {type: Meta, flatten: true}, body: Body}}
types:
  Meta: {doc: About it., fields: {id: string}}
  Body: {doc: What was found., fields: {ok: boolean, "found?": {type: object, flatten: true}}}
unions:
  Asks: {doc: What can be asked., open: true, by: sub}
controls:
  stop: {doc: Stops., from: a, request: {}, response: none}
"""


def controls(folder: Path, spec: str, header: str) -> ControlsPlan:
    found = make_plan(written.model(folder, spec, header=header)).controls
    assert found is not None
    return found


def steps(way: FieldPath) -> list[tuple[str, list[str], str | None]]:
    return [(step.field.name, [struct.name for struct in step.holders], step.union) for step in way]


@pytest.fixture
def nested(tmp_path: Path) -> ControlsPlan:
    return controls(tmp_path, NESTED, written.CONTROL)


def test_a_way_names_the_variants_that_lead_on(nested: ControlsPlan) -> None:
    assert steps(nested.request.id) == [("id", ["Ask"], None)]
    assert steps(nested.request.payload) == [("request", ["Ask"], None)]
    assert steps(nested.response.id) == [("response", ["Answer"], None), ("id", ["Failed", "Done"], "Body")]
    assert steps(nested.response.payload) == [("response", ["Answer"], None), ("result", ["Done"], "Body")]
    assert not nested.response.is_flat


def test_pairs_say_what_is_answered(nested: ControlsPlan) -> None:
    told = [(pair.control.key, pair.request.name, pair.response, pair.optional) for pair in nested.pairs]
    assert told == [("stop", "StopRequest", None, False), ("where", "WhereRequest", Ref("Done"), True)]


def test_a_new_envelope_has_its_id_its_payload_and_what_rules_fill_in(nested: ControlsPlan) -> None:
    request = {each.field.name: each.value for each in nested.request.made.members}
    assert request == {
        "id": Given("id"),
        "trace": ByRule.FRESH_UUID,
        "tenant": Fixed("main", "default"),
        "request": Given("payload"),
    }
    (body,) = (each.value for each in nested.response.made.members)
    assert isinstance(body, Made)
    assert (body.struct.name, body.union) == ("Done", "Body")
    assert {each.field.name: each.value for each in body.members} == {"id": Given("id"), "result": Given("payload")}
    assert nested.request.made.asked == nested.response.made.asked == ()


def test_what_nothing_fills_is_named_with_its_place(tmp_path: Path) -> None:
    spec = NESTED.replace('{id: string, "result?": object}', '{id: string, node: string, "result?": object}')
    found = controls(tmp_path, spec, written.CONTROL).response.made.asked
    assert [each.place for each in found] == [("response", "node")]


def test_what_is_flattened_is_passed_without_a_key(tmp_path: Path) -> None:
    found = controls(tmp_path, FLAT, FLAT_HEADER)
    assert steps(found.request.id) == [("id", ["Ask"], None)]
    assert steps(found.request.payload) == [("rest", ["Ask"], None)]
    assert found.request.is_flat
    assert steps(found.response.id) == [("meta", ["Answer"], None), ("id", ["Meta"], None)]
    assert steps(found.response.payload) == [("body", ["Answer"], None), ("found", ["Body"], None)]
    assert found.response.is_flat


def test_a_protocol_without_controls_has_no_plan_of_them(tmp_path: Path) -> None:
    assert make_plan(written.model(tmp_path, "types: {A: {doc: A., fields: {a: string}}}")).controls is None


@pytest.mark.parametrize("target", ["python", "typescript", "go", "rust"])
def test_errors_name_the_result_by_a_pointer_with_escapes(target: str) -> None:
    plan = make_plan(model_of(GATE))
    assert plan.controls is not None
    assert plan.controls.response.json_pointer == "/out~1come"
    assert any(b'"/out~1come"' in contents for contents in render(registry()[target], plan).values())
