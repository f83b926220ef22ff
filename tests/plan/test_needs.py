"""What declarations are needed for, if not for messages."""

from __future__ import annotations

from pathlib import Path

from polywire.model.nodes import Declaration, Model
from polywire.model.walk import uses
from polywire.plan.needs import NeedsPlan, needs_plan
from rendered import model_of

ROOT = Path(__file__).resolve().parents[2]

PROTOCOL = """
polywire: 1
protocol:
  name: lamp
  title: Lamps
  version: 1.0.0
  framing: ndjson
  peers: [home, lamp]
  roots: [Line, Log]
  control:
    request: {envelope: Ask, id: /id, payload: /ask, by: what}
    response: {envelope: Reply, id: /id, result: /result}
packages: {rust: {crate: lamp}}
"""
LINES = """
unions:
  Line: {doc: A line., open: true, by: type, variants: [Ask, Reply]}
  Asks: {doc: Requests., open: true, by: what}
messages:
  Ask: {doc: A request., from: home, tag: {type: ask}, fields: {id: string, ask: Asks}}
  Reply: {doc: A response., from: lamp, tag: {type: reply}, fields: {id: string, result?: object}}
controls:
  state: {doc: Asks for the state., from: home, request: {}, response: State}
types:
  Log: {doc: A log., fields: {lines: "Line[]"}}
"""
STATES = """
types:
  State: {doc: A state., fields: {on: boolean, color: Color}}
  Color: {doc: A color., fields: {red: number}}
"""
TOOLS = """
types:
  Paint: {doc: Paints., fields: {with: Color, how: Brush}}
  Brush: {doc: A brush., fields: {width: number}}
tools:
  Paint: {doc: Paints., input: Paint}
"""


def needs(model: Model) -> NeedsPlan:
    def area(declared: Declaration) -> str:
        return Path(declared.place.file).stem

    return needs_plan(model, area)


def lamp(folder: Path, parts: dict[str, str]) -> NeedsPlan:
    listed = (
        f"parts: [{', '.join(f'{name}.yaml' for name in parts)}]\n" if len(parts) > 1 else "\n".join(parts.values())
    )
    (folder / "protocol.yaml").write_text(PROTOCOL + listed, "utf-8")
    for name, text in parts.items() if len(parts) > 1 else ():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return needs(model_of(folder))


def test_what_no_message_has_is_needed_for_answers_for_tools_or_by_its_area(tmp_path: Path) -> None:
    found = lamp(tmp_path, {"lines": LINES, "states": STATES, "equipment": TOOLS})
    by_name = {name: {*each} for name, each in found.declared.items() if each}
    assert by_name == {
        "State": {"session", "states"},
        "Color": {"equipment", "session", "states", "tools"},
        "Paint": {"equipment", "tools"},
        "Brush": {"equipment", "tools"},
    }
    assert (found.session, found.tools, found.launch) == ({"session", "states"}, {"equipment", "tools"}, frozenset())


def test_a_spec_of_one_file_is_needed_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    tools = TOOLS.replace("types:\n", "").partition("tools:")
    found = lamp(tmp_path / "one", {"all": LINES + STATES.replace("\ntypes:\n", "") + tools[0] + "tools:" + tools[2]})
    assert not any(found.declared.values())
    assert found.names == ()


def test_what_a_declaration_mentions_is_there_wherever_it_is() -> None:
    model = model_of(ROOT / "spec")
    found = needs(model).declared
    for name, declared in model.declarations.items():
        for used in uses(declared):
            assert not found[used] or found[used] >= found[name] > frozenset(), (name, used)


def test_options_that_start_a_process_are_needed_with_what_their_functions_answer() -> None:
    model = model_of(ROOT / "spec")
    found = needs(model)
    for struct in model.structs:
        if struct.launch is not None:
            assert found.declared[struct.name] == found.launch == {Path(struct.place.file).stem}
    assert found.launch <= found.session
    assert {"session", "tools"} <= {*found.names}
