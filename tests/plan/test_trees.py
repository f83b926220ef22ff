"""The plan of trees: where entries have ids, in the spec, at its releases and in its dialects."""

from __future__ import annotations

from pathlib import Path

from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.plan import make_plan
from polywire.plan.trees import TreePlan
from polywire.source import in_dialect, load
from rendered import model_of

SPECS = Path(__file__).resolve().parents[1] / "specs"
FOREST = SPECS / "forest"

LOG = """\
polywire: 1
protocol: {name: log, title: Log, versions: [1.0, 2.0, 3.0], framing: ndjson, peers: [a, b], roots: [Line]}
unions:
  Line: {doc: L., open: true, by: type, variants: [One, Two]}
messages:
  One:
    doc: O.
    from: a
    tag: {type: one}
    fields:
      id: string
      parent?: {type: string, since: 2.0, formerly: {name: up, until: 2.0}}
      inner?: {type: Inner, since: 3.0}
  Two: {doc: T., from: a, tag: {type: two}, fields: {id: string, host?: string}}
types:
  Inner: {doc: I., since: 3.0, fields: {before?: string}}
trees:
  Log: {doc: L., lines: Line, id: /id, parent: /parent, attached: /host, previous: /inner/before}
"""


def log(folder: Path, dialect: str = "", span: Span = WHOLE, spec: str = LOG) -> Model:
    (folder / "dialects").mkdir(exist_ok=True)
    (folder / "protocol.yaml").write_text(spec)
    (folder / "dialects" / "other.yaml").write_text(f"dialect: other\ndoc: O.\n{dialect}")
    source = load(folder)
    built = build(in_dialect(source, "other") if dialect else source, span)
    assert built.findings == ()
    assert built.model is not None
    return built.model


def steps(model: Model) -> dict[str, dict[str, object]]:
    return {plan.tree.name: {key: id_.steps for key, id_ in plan.ids.items()} for plan in make_plan(model).trees}


def test_an_id_has_the_keys_to_it_and_the_earlier_names_of_members() -> None:
    plans = {plan.tree.name: plan for plan in make_plan(model_of(FOREST)).trees}
    forest, stairs = plans["Forest"], plans["Stairs"]
    assert forest.attached is not None
    assert forest.attached.steps == (("host", "hostId"),)
    assert stairs.id.steps == (("key",), ("number",))
    assert stairs.previous is None


def test_it_has_a_path_of_fields_for_each_name() -> None:
    def ways(plan: TreePlan, key: str) -> list[str]:
        return ["/".join(step.field.name for step in way) for way in plan.ids[key].ways]

    forest, stairs, *_ = make_plan(model_of(FOREST)).trees
    assert ways(forest, "attached") == ["host", "hostId"]
    assert ways(stairs, "id") == ["key/number"]
    (parent,) = forest.parent.ways
    assert [struct.name for struct in parent[0].holders] == ["Note", "Result"]


def test_a_spec_without_trees_has_none_and_not_the_feature() -> None:
    plan = make_plan(model_of(SPECS / "gate"))
    assert plan.trees == ()
    assert "trees" not in plan.features
    assert "trees" in make_plan(model_of(FOREST)).features


def test_a_release_has_the_tree_with_what_it_has_of_it(tmp_path: Path) -> None:
    everything = {"id": (("id",),), "parent": (("parent", "up"),), "attached": (("host",),)}
    assert steps(log(tmp_path)) == {"Log": {**everything, "previous": (("inner",), ("before",))}}
    assert steps(log(tmp_path, span=Span.read("1.0..2.0"))) == {"Log": everything}
    assert steps(log(tmp_path, span=Span.at("2.0"))) == {"Log": everything}
    assert steps(log(tmp_path, span=Span.at("1.0"))) == {}
    newest = {**everything, "parent": (("parent",),), "previous": (("inner",), ("before",))}
    assert steps(log(tmp_path, span=Span.at("3.0"))) == {"Log": newest}
    later = LOG.replace("doc: L., lines", "doc: L., since: 3.0, lines")
    assert steps(log(tmp_path, span=Span.at("2.0"), spec=later)) == {}
    assert steps(log(tmp_path, spec=later)).keys() == {"Log"}


def test_a_dialect_follows_renamed_members_and_drops_removed_ones(tmp_path: Path) -> None:
    change = "at: 3.0\nchange:\n  messages:\n"
    renamed = (
        "    One: {fields: {parent: {rename: above}, inner: {flatten: true}}}\n    Two: {fields: {host: remove}}\n"
    )
    assert steps(log(tmp_path, change + renamed)) == {
        "Log": {"id": (("id",),), "parent": (("above",),), "previous": (("before",),)}
    }


def test_a_dialect_can_change_add_and_remove_trees(tmp_path: Path) -> None:
    changed = "at: 3.0\nchange: {trees: {Log: {attached: /id, previous: remove}}}\n"
    assert steps(log(tmp_path, changed)) == {
        "Log": {"id": (("id",),), "parent": (("parent",),), "attached": (("id",),)}
    }
    assert steps(log(tmp_path, "at: 3.0\nremove: [Log]\n")) == {}
    added = "at: 3.0\nadd: {trees: {Twos: {doc: T., lines: Two, id: /id, parent: /host}}}\n"
    assert steps(log(tmp_path, added)).keys() == {"Log", "Twos"}
    assert steps(log(tmp_path, "at: 3.0\nroots: [Two]\n")) == {}


def test_a_dialect_without_ids_or_parents_has_to_remove_the_tree(tmp_path: Path) -> None:
    (tmp_path / "dialects").mkdir()
    (tmp_path / "protocol.yaml").write_text(LOG)
    removed = "dialect: other\ndoc: O.\nat: 3.0\nchange: {messages: {One: {fields: {parent: remove}}}}\n"
    file = tmp_path / "dialects" / "other.yaml"
    file.write_text(removed)
    built = build(in_dialect(load(tmp_path), "other"))
    assert [(str(each.place), each.rule) for each in built.findings] == [("dialects/other.yaml:4:36", "removed-in-use")]
    file.write_text(removed + "remove: [Log]\n")
    assert build(in_dialect(load(tmp_path), "other")).findings == ()
