"""Cases of trees are read strictly, compared with the reference, and fail for each fault of a tree."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polywire.conformance.case import Case, CaseError, load
from polywire.conformance.judge import Abilities, applicable, judge
from polywire.conformance.protocols import Protocols
from polywire.conformance.testees import python
from polywire.conformance.trees import drawn
from polywire.oracle.trees import Entry, Tree
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from toolchain import ROOT

FOREST = Protocols(ROOT / "tests" / "specs" / "forest")
A, B = {"type": "note", "id": "a"}, {"type": "note", "id": "b", "parent": "a"}
BOTH: dict[str, Any] = {"tree": {"name": "Forest", "entries": [{"line": B}, {"json": A}]}}
AFTER = {
    "added": True,
    "path": [1, 0],
    "history": [1, 0],
    "leaves": [0],
    "roots": [1],
    "children": [[], [0]],
    "paths": [[1, 0], [1]],
    "histories": [[1, 0], [1]],
}
BEFORE = AFTER | {"path": [0], "history": [0], "roots": [0], "children": [[], []]}
BEFORE |= {"paths": [[0], []], "histories": [[0], []]}


def loaded(tmp_path: Path, *expect: object, **more: Any) -> Case:
    """Load the only case of a fixture file."""
    file = tmp_path / "one.json"
    file.write_text(json.dumps({**BOTH, "expect": list(expect), **more}))
    (case,) = load([file], FOREST)
    return case


def test_a_tree_travels_with_json_as_text_and_with_all_ids(tmp_path: Path) -> None:
    case = loaded(tmp_path, {"after": 2, "children": [["z", []], [1, []]]})
    assert case.request() == {
        "op": "tree",
        "tree": "Forest",
        "type": "Entry",
        "entries": [{"line": '{"type":"note","id":"b","parent":"a"}'}, {"json": '{"type":"note","id":"a"}'}],
        "ids": ["b", "a", "z", 1],
    }


def test_each_result_after_each_entry_is_compared(tmp_path: Path) -> None:
    case = loaded(tmp_path, {"after": 1, "path": [0]})
    able = Abilities("fine", ops=frozenset({"tree"}))
    assert judge(case, {"ok": True, "steps": [BEFORE, AFTER]}, able).problems == ()
    wrong = {"ok": True, "steps": [BEFORE | {"path": []}, AFTER | {"children": [[], [1]]}]}
    assert judge(case, wrong, able).problems == (
        "after 1: path is [], expected [0]",
        'after 2: children of "a" is [1], expected [0]',
    )
    for key in AFTER:
        without = {name: value for name, value in AFTER.items() if name != key}
        assert judge(case, {"ok": True, "steps": [BEFORE, without]}, able).outcome == "failed"
    assert judge(case, {"ok": True, "steps": [BEFORE]}, able).outcome == "failed"
    assert judge(case, {"problem": "no tree Forest"}, able).outcome == "failed"
    assert not applicable(case, Abilities("unable"))


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"expect": []}, "the case asserts nothing"),
        ({"expect": [{"after": 1}]}, "the result after 1 is empty"),
        ({"expect": [{"after": 3, "path": []}]}, "a result is after 3 entries; expected a number up to 2"),
        ({"expect": [{"after": 1, "way": []}]}, "a result has unknown key 'way'"),
        ({"expect": [{"after": 2, "path": [0, 1]}]}, "path after 2 is [0,1], but the reference has [1,0]"),
        ({"expect": [{"after": 2, "added": 1}]}, "added after 2 is 1, but the reference has true"),
        ({"expect": [{"after": 2, "paths": [["a", [0]]]}]}, 'paths of "a" after 2 is [0], but the reference has [1]'),
        ({"expect": [{"after": 2, "children": {"a": [0]}}]}, "children must be a list of pairs"),
        ({"expect": [{"after": 2, "children": [[True, [0]]]}]}, "children must be a list of pairs"),
        ({"tree": {"name": "Wood", "entries": [{"json": A}]}}, "tree 'Wood'; expected one of Forest, Stairs, "),
        ({"tree": {"name": "Forest", "entries": []}}, "tree has no list of entries"),
        ({"tree": {"name": "Forest", "entries": [{}]}}, "entry 0 has none of line, json; expected exactly one"),
        ({"tree": {"name": "Forest", "entries": [{"text": A}]}}, "entry 0 has unknown key 'text'"),
        (
            {"tree": {"name": "Forest", "entries": [{"line": A | {"id": 1}}]}},
            "no Entry: wrong_type at '/id'; give it as",
        ),
        ({"tree": {"name": "Forest", "entries": [{"line": A}, {"json": A}]}}, "entry 1 occurs before"),
        ({"mode": "strict"}, "the case of a tree has mode"),
    ],
)
def test_a_tree_that_asserts_nothing_or_something_wrong_is_refused(
    tmp_path: Path, entry: dict[str, Any], problem: str
) -> None:
    with pytest.raises(CaseError, match=re.escape(problem)):
        loaded(tmp_path, {"after": 1, "path": [0]}, **entry)


def test_the_case_on_the_page_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"(?ms)^```json\n(.*?)^```$", page)
    case = loaded(tmp_path, **json.loads(block))
    asked, answered = re.findall(r"(?m)^[→←] (.*)$", page)
    assert case.tree is not None
    assert json.loads(asked.replace('"{…}"', "0")) == {
        "id": 9,
        **case.request(),
        "entries": [dict.fromkeys(each, 0) for each in case.request()["entries"]],  # type: ignore[attr-defined]
    }
    (first,) = json.loads(answered.replace(", …]", "]"))["steps"]
    assert first == next(case.tree.results())


def test_drawn_trees_have_what_the_rules_are_about() -> None:
    cases = [*drawn(FOREST.default.model, count=300, seed=1)]
    assert [case.as_json() for case in drawn(FOREST.default.model, count=300, seed=1)] == [c.as_json() for c in cases]
    ends = [[*case.results()][-1] for case in cases]
    forms = {form for case in cases for form, _ in case.entries}
    assert forms == {"line", "json"}
    assert any(not step["added"] for case in cases for step in case.results())
    assert any(1 in case.ids and "1" in case.ids for case in cases)
    assert any(not end["roots"] and end["path"] for end in ends)  # nothing but cycles
    assert any(end["path"] != end["history"] for end in ends)
    assert any(len(end["leaves"]) > 2 for end in ends)
    assert any(end["path"] != sorted(end["path"]) for end in ends)
    assert any({*path} > {*end["path"]} for end in ends for path in end["paths"])
    unknown = [value for case in cases for form, value in case.entries if form == "line" and isinstance(value, dict)]
    assert {str(value.get("type")) for value in unknown} > {"note", "result", "mark", "empty"}


def test_a_tree_of_the_reference_is_that_of_the_entries_that_are_not_replaced() -> None:
    for case in drawn(FOREST.default.model, count=100, seed=2):
        added = [Entry(n, *ids) for n, ids in enumerate(zip(*[iter(case.ids * 4)] * 4, strict=False))]
        tree = Tree(added)
        again = Tree([*tree.nodes.values()])
        assert (tree.leaves(), tree.roots(), tree.active()) == (again.leaves(), again.roots(), again.active())
        assert tree.path(tree.active(), history=True) == again.path(again.active(), history=True)


# --- planted faults --------------------------------------------------------------------------------------------

FAULTS = {
    "names of earlier releases": ("for name in names if", "for name in names[:1] if"),
    "an id that is a boolean": ("if isinstance(value, bool) or", "if"),
    "a large integer": ("not -_SAFE <= value <= _SAFE", "not -(2**60) <= value <= 2**60"),
    "a number with a fraction": ("return int(value) if value == int(value) else None", "return int(value)"),
    "undeclared members": ("[value._extra, *(getattr", "[*(getattr"),
    "flattened members": ("for each in reversed(flat))]", "for each in ())]"),
    "unknown entries": ("value = value.raw", "value = None"),
    "plain JSON": ("isinstance(value, dict):\n            found", "value is True:\n            found"),
    "an entry without an id": ('if ids["id"] is None:', "if entry is None:"),
    "a replaced entry": ("self._nodes[node.at] = node", "pass"),
    "its former parent": ("self._linked = 0\n        return", "pass\n        return"),
    "the order of replaced entries": ("is None else former.at", "is None else len(self._nodes) - 1"),
    "the previous entry without the history": ("if parent is None and history", "if parent is None"),
    "the previous entry beside a parent": ("if parent is None and history", "if history"),
    "attached entries as leaves": ("if not self._is_aside(each) and all", "if all"),
    "attached entries as branches": ("all(map(self._is_aside, ", "not any(True for _ in ("),
    "an unknown parent": ("each.parent not in self._by_id", "each.parent is None"),
    "children of the unknown": ("if key in self._by_id else []", ""),
    "a host that is the entry": ("None if node.attached == node.id else ", ""),
    "attached entries with children": ("node.id not in self._children and self._host", "self._host"),
    "the host of the last entry": ("start = self._host(start) or start", "pass"),
    "the last child": ("reversed(self._children.get(node.id, ()))", "self._children.get(node.id, ())"),
    "attached children of the active path": ("in children if not self._is_aside(each)", "in children"),
    "a cycle below the start": ("return start if child is start else node", "return node"),
    "attached entries of the path": ('if "attached" in self.IDS else ()', "[:0]"),
    "the place of attached entries": ("behind[at] = at + 1\n", "pass\n"),
    "the first place behind the host": ("at = len(path) - place[host.at]", "at = len(path) - 1 - place[host.at]"),
    "the entries between": ("while behind[at] != at:", "if behind[at] != at:"),
    "attached entries at the end": ("yield from before[-1]", "yield from ()"),
}  # fmt: skip
"""A fault → the part of `_tree.py` that it changes, and what it puts there."""


@pytest.fixture(scope="module")
def written() -> list[Case]:
    """The written cases of trees."""
    return load([ROOT / "tests" / "fixtures" / "trees"], Protocols(ROOT / "spec"), root=ROOT)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Python package of the spec."""
    folder = tmp_path_factory.mktemp("forest")
    for path, contents in render(registry()["python"], make_plan(FOREST.default.model)).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("forest")
    sys.path.remove(str(folder))
    for name in [each for each in sys.modules if each.partition(".")[0] == "forest"]:
        del sys.modules[name]


TREES = ("Forest", "SpiralStairs", "Stairs")
"""As Python calls them."""


def failed(package: Any, cases: list[Case], tree: Any) -> list[str]:
    """Run cases on trees that extend a class, and return the names of those that fail."""
    trees = {name: type(name, (tree,), {"IDS": getattr(package, name).IDS}) for name in TREES}
    changed = SimpleNamespace(decode=package.decode, **trees)
    return [case.name for case in cases if case.tree is not None and case.tree.compare(answer(changed, case))]


def answer(package: Any, case: Case) -> dict[str, Any]:
    """Answer a case as the testee does; an exception is no answer."""
    try:
        return dict(python.grown(package, case.request()))
    except Exception as error:  # noqa: BLE001 - whatever the fault causes
        return {"problem": repr(error)}


def test_without_a_fault_every_written_case_passes(package: Any, written: list[Case]) -> None:
    assert len(written) > 40
    assert failed(package, written, importlib.import_module("forest._tree").Tree) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_written_case_fails_for_each_fault_of_a_tree(package: Any, written: list[Case], fault: str) -> None:
    source = Path(package.__file__).with_name("_tree.py").read_text(encoding="utf-8")
    old, new = FAULTS[fault]
    assert source.count(old) == 1, f"{source.count(old)} places with {old}"
    scope: dict[str, Any] = {"__name__": "forest._changed", "__package__": "forest"}
    exec(source.replace(old, new), scope)  # noqa: S102 - our own source
    assert failed(package, written, scope["Tree"]) != []
