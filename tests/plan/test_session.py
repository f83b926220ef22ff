"""The session table of the plan, and its form as a literal of a language."""

from __future__ import annotations

from pathlib import Path

from polywire.model.nodes import Struct
from polywire.plan import make_plan
from polywire.plan.controls import FieldPath
from polywire.plan.fill import Made
from polywire.plan.session import Sent, SessionTable, spelled_table
from polywire.source.types import Ref, Type
from rendered import model_of

SPECS = Path(__file__).resolve().parents[1] / "specs"


class Plain:
    """The leaves as texts."""

    def struct(self, struct: Struct) -> object:
        return struct.name

    def sent(self, sent: Sent) -> object:
        return sent.tag

    def type(self, type_: Type) -> object:
        return type_.name if isinstance(type_, Ref) else "?"

    def way(self, way: FieldPath) -> object:
        return "/".join(step.field.name for step in way)

    def new(self, made: Made) -> object:
        return made.struct.name


def table(spec: str) -> SessionTable:
    found = make_plan(model_of(SPECS / spec)).session
    assert found is not None
    return found


def test_a_form_has_its_envelope_the_paths_to_its_parts_and_a_new_envelope() -> None:
    spelled = spelled_table(table("gate"), Plain())
    request, response = spelled["request"], spelled["response"]
    assert isinstance(request, dict)
    assert isinstance(response, dict)
    assert request["envelope"] == request["new"]
    assert set(request["at"]) == {"id", "payload"}
    assert set(response["at"]) == {"id", "result"}
    assert spelled["pointer"] == "/out~1come"


def test_rows_name_the_tag_the_sender_and_the_result_without_what_is_absent() -> None:
    rows = spelled_table(table("jsonrpc"), Plain())["answers"]
    assert isinstance(rows, tuple)
    assert all(len(row) in {3, 4, 5} and len(row[2]) == 3 for row in rows)
    assert all(row[-1] is not None for row in rows)


def test_a_peer_sends_its_own_requests_and_those_of_both() -> None:
    found = table("jsonrpc")
    for peer in found.peers:
        senders = {each.sender for each in found.answers if each.request.struct.name in found.sent(peer)}
        assert senders <= {peer, "both"}
    listed = [name for peer in found.peers for name in found.sent(peer)]
    assert {each.request.struct.name for each in found.answers} == set(listed)


def test_a_protocol_without_controls_has_no_table() -> None:
    assert make_plan(model_of(SPECS / "forms")).session is None
