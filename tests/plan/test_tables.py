"""The plan of tables: lines, rows and columns in the spec, at its releases and in its dialects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polywire.checks import check_all
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.plan.tables import ByKeys, ByTag, TablePlan, decision, document, tables_plan
from polywire.source import in_dialect, load
from polywire.source.types import Ref

LOG = """\
polywire: 1
protocol: {name: log, title: Log, versions: [1.0, 2.0, 3.0], framing: ndjson, peers: [a, b], roots: [Line, Other]}
unions:
  Line: {doc: L., open: true, by: type, variants: [One, Two, Sub]}
  Sub: {doc: S., open: false, by: subtype, variants: [SubA, SubB]}
  Block: {doc: B., open: true, by: kind, variants: [Text, Call]}
  Shape:
    doc: S.
    open: false
    by: keys
    variants: [{name: Cost, when: {has: [usd]}}, {name: Name, when: {lacks: [usd]}}]
messages:
  Other: {doc: O., from: a, tag: {type: other, level: [1, 2]}, fields: {x: integer, shapes: "Shape[]"}}
  One:
    doc: O.
    from: a
    tag: {type: one}
    const: {version: 2}
    fields:
      id: {type: string, doc: The id.}
      at?: timestamp
      parent?: {type: string, formerly: {name: up, until: 2.0}}
      content: string | Block[]
      costs?: map<Cost>
      late?: {type: integer, since: 3.0}
      names?: "string[]"
      pair?: "[string, number]"
  Two: {doc: T., from: a, tag: {type: two}, fields: {id: uuid, late?: {type: number, since: 2.0}, content?: "Block[]"}}
  SubA: {doc: A., from: a, tag: {type: sub, subtype: a}, fields: {n: integer, when: timestamp, flag: boolean}}
  SubB: {doc: B., from: a, tag: {type: sub, subtype: b}, fields: {n: number | string, when: string, flag?: boolean}}
types:
  Text: {doc: T., tag: {kind: text}, fields: {text: string}}
  Call: {doc: C., since: 2.0, tag: {kind: call}, fields: {name: string, input: object}}
  Cost: {doc: C., fields: {usd: number}}
  Name: {doc: N., fields: {name: string}}
tables:
  lines:
    doc: All lines.
    lines: Line
    unique: [id]
    columns:
      kind: /type
      version: /version
      id: /id
      time: /at
      parent: /parent
      late: /late
      n: /n
      whole: {at: /n, type: integer, doc: Counts only.}
      day: {at: /when, type: timestamp}
      flag: /flag
      names: /names
      pair: /pair
      raw: ""
  calls:
    doc: The calls.
    lines: [One, Two]
    rows: /content/*
    is: Call
    unique: [id, tool]
    columns: {id: /id, tool: name, input: input, index: {key: true}, when: /at}
  costs: {doc: C., lines: One, rows: "/costs/*", columns: {model: {key: true}, usd: usd}}
  shapes: {doc: S., lines: Other, rows: "/shapes/*", is: [Name], columns: {name: name}}
"""


def model_of(folder: Path, dialect: str = "", span: Span = WHOLE, spec: str = LOG) -> Model:
    (folder / "dialects").mkdir(exist_ok=True)
    (folder / "protocol.yaml").write_text(spec)
    (folder / "dialects" / "other.yaml").write_text(f"dialect: other\ndoc: O.\n{dialect}")
    source = load(folder)
    built = build(in_dialect(source, "other") if dialect else source, span)
    assert built.findings == ()
    assert built.model is not None
    return built.model


def plans(model: Model) -> dict[str, TablePlan]:
    return {each.name: each for each in tables_plan(model).tables}


def columns(plan: TablePlan) -> dict[str, str]:
    """The type of each column by name; a list has `[]`."""
    return {each.name: each.type.type + "[]" * each.type.is_list for each in plan.columns}


def steps(plan: TablePlan) -> dict[str, Any]:
    return {each.name: each.steps for each in plan.columns}


def test_the_spec_of_these_tests_is_sound(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(LOG)
    assert [str(each) for each in check_all(tmp_path).findings] == []


def test_a_column_has_the_type_that_holds_the_values_of_all_variants(tmp_path: Path) -> None:
    assert columns(plans(model_of(tmp_path))["lines"]) == {
        "kind": "string", "version": "integer", "id": "string", "time": "timestamp", "parent": "string",
        "late": "number", "n": "json", "whole": "integer", "day": "timestamp", "flag": "boolean",
        "names": "string[]", "pair": "json", "raw": "json",
    }  # fmt: skip


def test_a_pointer_has_the_earlier_names_of_its_members(tmp_path: Path) -> None:
    assert steps(plans(model_of(tmp_path))["lines"])["parent"] == (("parent", "up"),)


def test_a_column_allows_the_kinds_that_its_stated_type_leaves_out(tmp_path: Path) -> None:
    allowed = {each.name: each.allows for each in plans(model_of(tmp_path))["lines"].columns if each.allows}
    assert allowed == {"whole": ("number", "string"), "day": ("string",)}


def test_the_doc_of_a_column_is_its_own_or_that_of_its_member(tmp_path: Path) -> None:
    docs = {each.name: each.doc for each in plans(model_of(tmp_path))["lines"].columns if each.doc}
    assert docs == {"id": "The id.", "whole": "Counts only."}


def test_a_root_has_unknowns_and_its_variants_have_none(tmp_path: Path) -> None:
    found = plans(model_of(tmp_path))
    assert (found["lines"].structs, found["lines"].unknowns) == (("One", "Two", "SubA", "SubB"), True)
    assert (found["calls"].structs, found["calls"].unknowns) == (("One", "Two"), False)


@pytest.mark.parametrize("type_", ["Line", "Line | null", "string | Line"])
def test_a_root_with_another_name_has_unknowns(type_: str, tmp_path: Path) -> None:
    aliases = f'aliases: {{Entry: {{doc: E., type: "{type_}"}}}}\n'
    spec = LOG.replace("roots: [Line, Other]", "roots: [Entry, Other]") + aliases
    found = plans(model_of(tmp_path, spec=spec))
    assert {name: found[name].unknowns for name in ("lines", "calls")} == {"lines": True, "calls": False}


def test_lists_of_themselves_are_json(tmp_path: Path) -> None:
    spec = (
        LOG.replace('names?: "string[]"', "names?: Names") + "aliases: {Names: {doc: N., type: 'string | Names[]'}}\n"
    )
    assert columns(plans(model_of(tmp_path, spec=spec))["lines"])["names"] == "json"
    spec = spec.replace("names?: Names", 'names?: "Names[]"')
    assert columns(plans(model_of(tmp_path, spec=spec))["lines"])["names"] == "json"


def test_values_with_a_row_are_distinguished_by_the_unions_at_their_place(tmp_path: Path) -> None:
    found = plans(model_of(tmp_path))
    assert found["calls"].types == ("Call",)
    assert [each.key for each in found["calls"].decisions if isinstance(each, ByTag)] == ["kind"]
    assert found["shapes"].decisions == (
        ByKeys(((("usd",), (), "Cost"), ((), ("usd",), "Name")), otherwise="no_variant"),
    )


def test_the_key_of_a_row_is_an_index_or_a_text(tmp_path: Path) -> None:
    found = plans(model_of(tmp_path))
    assert (columns(found["calls"])["index"], columns(found["costs"])["model"]) == ("integer", "string")


def test_the_root_with_the_most_tables_is_the_first(tmp_path: Path) -> None:
    assert [*tables_plan(model_of(tmp_path)).roots] == ["Line", "Other"]
    most = LOG + "".join(f"  {name}: {{doc: M., lines: Other, columns: {{x: /x}}}}\n" for name in "abcd")
    assert [*tables_plan(model_of(tmp_path, spec=most)).roots] == ["Other", "Line"]


def test_a_root_that_is_no_union_is_known_by_its_own_tags(tmp_path: Path) -> None:
    found = decision(model_of(tmp_path), Ref("Other"))
    assert isinstance(found, ByTag)
    assert (found.key, found.otherwise) == ("type", "wrong_constant")
    inner = dict(found.cases)["other"]
    assert isinstance(inner, ByTag)
    assert (inner.key, inner.base, inner.cases, inner.otherwise) == (
        "level",
        "integer",
        ((1, "Other"), (2, "Other")),
        "unknown_value",
    )


def test_tables_and_columns_of_a_release_are_those_whose_members_exist(tmp_path: Path) -> None:
    first = plans(model_of(tmp_path, span=Span.at("1.0")))
    assert [*first] == ["lines", "costs", "shapes"]
    assert {"parent", "late"} & {*columns(first["lines"])} == {"parent"}
    assert steps(first["lines"])["parent"] == (("parent", "up"),)
    second = plans(model_of(tmp_path, span=Span.at("2.0")))
    assert (columns(second["lines"])["late"], [*second]) == ("number", ["lines", "calls", "costs", "shapes"])


def test_copies_are_not_told_without_all_columns_that_tell_them(tmp_path: Path) -> None:
    spec = LOG.replace("{name: string, input", "{name: {type: string, since: 3.0}, input")
    at = {each: plans(model_of(tmp_path, span=Span.at(each), spec=spec))["calls"] for each in ("2.0", "3.0")}
    assert {each: plan.table.unique for each, plan in at.items()} == {"2.0": (), "3.0": ("id", "tool")}


RENAMED = """\
at: 3.0
change:
  messages: {One: {fields: {content: {rename: parts}, at: remove, costs: remove}}}
  types: {Call: {fields: {name: {rename: tool}}}}
  tables: {lines: {columns: {names: remove, more: /id, id: {doc: Its id.}}}}
remove: [Two, Name]
"""


def test_a_dialect_follows_renamed_fields_and_drops_what_it_lacks(tmp_path: Path) -> None:
    found = plans(model_of(tmp_path, RENAMED + "roots: [Line]\n"))
    assert [*found] == ["lines", "calls"]
    assert (found["calls"].structs, found["calls"].steps) == (("One",), (("parts",), ("*",)))
    assert steps(found["calls"])["tool"] == (("tool",),)
    assert "when" not in columns(found["calls"])
    assert {"time", "names"}.isdisjoint(columns(found["lines"]))
    assert {each.name: each.doc for each in found["lines"].columns}["id"] == "Its id."
    assert "more" in columns(found["lines"])


def test_the_document_describes_what_values_are(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    found = document(model, tables_plan(model))
    assert (found["layout"], found["protocol"]) == (1, "log")
    assert found["values"]["Block"] == {
        "by": "kind",
        "base": "string",
        "cases": [["call", "Call"]],
        "prefixes": [],
        "patterns": [],
        "absent": None,
        "otherwise": None,
    }
    cases = [{"has": ["usd"], "lacks": [], "then": "Cost"}, {"has": [], "lacks": ["usd"], "then": "Name"}]
    assert found["values"]["Shape"] == {"keys": cases, "otherwise": "no_variant"}


def test_the_document_describes_a_table(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    assert document(model, tables_plan(model))["tables"]["calls"] == {
        "doc": "The calls.",
        "root": "Line",
        "lines": ["One", "Two"],
        "unknowns": False,
        "rows": [["content"], "*"],
        "is": {"values": ["Block"], "types": ["Call"]},
        "columns": {
            "id": {"type": "string", "list": False, "of": "line", "at": [["id"]], "doc": "The id."},
            "tool": {"type": "string", "list": False, "of": "row", "at": [["name"]]},
            "input": {"type": "json", "list": False, "of": "row", "at": [["input"]]},
            "index": {"type": "integer", "list": False, "of": "key"},
            "when": {"type": "timestamp", "list": False, "of": "line", "at": [["at"]]},
        },
        "unique": ["id", "tool"],
    }
