"""Cases of trees: entries to add one after the other, and the state of the tree after each of them.

A case that is written states some of these results, which the reference (`polywire.oracle.trees`) has to have as well.
A testee reports all of them, and the reference is what it is compared with; so cases can also be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias

from polywire.conformance import jsontext
from polywire.ground.engine import Fault
from polywire.oracle import instances, reference
from polywire.oracle.trees import Entry, Id, Tree, at, entry, id_of
from polywire.plan.rows import rule_of
from polywire.plan.trees import TreePlan, tree_plans
from polywire.source.types import Ref

if TYPE_CHECKING:
    from polywire.model.nodes import Model

Members: TypeAlias = "Mapping[str, object]"
Form: TypeAlias = Literal["line", "json"]

FORMS: Final[tuple[Form, ...]] = ("line", "json")
"""A line is decoded as the type of the tree's entries; JSON is added as a plain value."""

RESULTS: Final = ("added", "path", "history", "leaves", "roots")
"""What is reported after each entry. An entry is reported as its number among all, from 0."""

BY_ID: Final = ("children", "paths", "histories")
"""What is reported after each entry for each id."""

MOST_PROBLEMS: Final = 10


class TreeError(Exception):
    """A case that cannot be run; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeCase:
    """Entries for one tree."""

    plan: TreePlan
    entries: tuple[tuple[Form, object], ...]
    ids: tuple[Id, ...]
    """The ids to report on: all that occur, and others that the case names."""
    expect: tuple[Members, ...] = ()
    """The results as they are written; none for a drawn case."""

    def request(self) -> dict[str, object]:
        """Return the request to a testee, without the id."""
        entries = [{form: jsontext.write(value)} for form, value in self.entries]
        tree = self.plan.tree
        return {"op": "tree", "tree": tree.name, "type": tree.lines, "entries": entries, "ids": list(self.ids)}

    def as_json(self) -> dict[str, object]:
        """Return the case as it is written."""
        entries = [{form: value} for form, value in self.entries]
        expect = {"expect": list(self.expect)} if self.expect else {}
        return {"name": self.plan.tree.name, "entries": entries, **expect}

    def results(self) -> Iterator[dict[str, Any]]:
        """Yield the results after each entry, each time of a new tree."""
        added = [entry(number, value, self.plan) for number, (_, value) in enumerate(self.entries)]
        for count in range(1, len(added) + 1):
            yield self._result(Tree(added[:count]), added[count - 1])

    def _result(self, tree: Tree, last: Entry) -> dict[str, Any]:
        leaves = [tree.nodes.get(id_) for id_ in self.ids]
        return {
            "added": last.id is not None,
            "path": _numbers(tree.path(tree.active())),
            "history": _numbers(tree.path(tree.active(), history=True)),
            "leaves": _numbers(tree.leaves()),
            "roots": _numbers(tree.roots()),
            "children": [_numbers(tree.children(id_)) for id_ in self.ids],
            "paths": [_numbers(tree.path(leaf)) for leaf in leaves],
            "histories": [_numbers(tree.path(leaf, history=True)) for leaf in leaves],
        }

    def compare(self, answer: Members) -> list[str]:
        """Return the differences between a testee's answer and the reference; empty if there are none."""
        given = answer.get("steps")
        if answer.get("ok") is not True or not isinstance(given, list) or len(given) != len(self.entries):
            return [f"expected an answer with the results of each of {len(self.entries)} entries"]
        return [*islice(self._differences(given), MOST_PROBLEMS)]

    def _differences(self, given: list[object]) -> Iterator[str]:
        for count, (wanted, got) in enumerate(zip(self.results(), given, strict=True), 1):
            for key, right in wanted.items():
                value = got.get(key) if isinstance(got, dict) else None
                if not jsontext.same(right, value):
                    yield f"after {count}: {self._shown(key, right, value)}"

    def _shown(self, key: str, right: object, value: object) -> str:
        if key in BY_ID and isinstance(right, list) and isinstance(value, list) and len(right) == len(value):
            n = next(n for n, each in enumerate(right) if not jsontext.same(each, value[n]))
            return f"{key} of {_text(self.ids[n])} is {_text(value[n])}, expected {_text(right[n])}"
        return f"{key} is {_text(value)}, expected {_text(right)}"


def _numbers(entries: Iterable[Entry]) -> list[int]:
    return [each.number for each in entries]


def _text(value: object) -> str:
    return "missing" if value is None else jsontext.write(value)


# --- reading ---------------------------------------------------------------------------------------------------


def read(tree: object, expect: object, model: Model) -> TreeCase:
    """Read the case of a tree. Raises `TreeError`."""
    given = _members(tree, {"name", "entries"}, "tree")
    plans = {plan.tree.name: plan for plan in tree_plans(model)}
    plan = plans.get(str(given.get("name")))
    if plan is None:
        _fail(f"tree {given.get('name')!r}; expected one of {', '.join(plans) or 'none: the spec has no trees'}")
    listed = given.get("entries")
    if not isinstance(listed, list) or not listed:
        _fail("tree has no list of entries")
    entries = tuple(_entry(number, each, plan, model) for number, each in enumerate(listed))
    if repeated := next((n for n, (_, one) in enumerate(entries) if _is_among(one, entries[:n])), None):
        _fail(f"entry {repeated} occurs before: reports could not tell both apart")
    if not isinstance(expect, list) or not expect:
        _fail("expect of a tree is no list of results: the case asserts nothing")
    results = tuple(_result(each, len(entries)) for each in expect)
    named = [id_ for each in results for key in BY_ID for id_ in _pairs(each, key)]
    case = TreeCase(plan, entries, _ids(plan, entries, named), results)
    _check(case)
    return case


def _entry(number: int, value: object, plan: TreePlan, model: Model) -> tuple[Form, object]:
    members = _members(value, set(FORMS), f"entry {number}")
    if len(members) != 1:
        _fail(f"entry {number} has {' and '.join(members) or 'none'} of {', '.join(FORMS)}; expected exactly one")
    ((form, content),) = members.items()
    fault = _refusal(model, plan, content) if form == "line" else None
    if fault is not None:
        _fail(f"entry {number} is no {plan.tree.lines}: {fault.code} at {fault.path!r}; give it as `json`")
    return ("line" if form == "line" else "json"), content


def _is_among(value: object, entries: Sequence[tuple[Form, object]]) -> bool:
    return any(jsontext.same(value, other) for _, other in entries)


def _refusal(model: Model, plan: TreePlan, value: object) -> Fault | None:
    """Return why lenient mode refuses an entry, or None."""
    try:
        reference.decode(model, rule_of(model, Ref(plan.tree.lines)), jsontext.write(value), strict=False)
    except Fault as fault:
        return fault
    return None


def _result(value: object, count: int) -> Members:
    members = _members(value, {"after", *RESULTS, *BY_ID}, "a result")
    after = members.get("after")
    if type(after) is not int or not 1 <= after <= count:
        _fail(f"a result is after {after!r} entries; expected a number up to {count}")
    if len(members) == 1:
        _fail(f"the result after {after} is empty: it asserts nothing")
    return members


def _pairs(result: Members, key: str) -> dict[Id, object]:
    """Return what a result states by id, which is written as pairs since keys of JSON are all strings."""
    found: dict[Id, object] = {}
    pairs = result.get(key, [])
    for pair in pairs if isinstance(pairs, list) else [None]:
        match pair:
            case [id_, numbers] if (known := id_of(id_)) is not None:
                found[known] = numbers
            case _:
                _fail(f"{key} must be a list of pairs of an id and the numbers of entries")
    return found


def _check(case: TreeCase) -> None:
    """Check that the reference has the stated results."""
    right = [*case.results()]
    for stated in case.expect:
        after = int(str(stated["after"]))
        result = right[after - 1]
        pairs = [(key, result[key], stated[key]) for key in RESULTS if key in stated]
        for key in BY_ID:
            by_id = dict(zip(case.ids, result[key], strict=True))
            pairs += [(f"{key} of {_text(id_)}", by_id[id_], each) for id_, each in _pairs(stated, key).items()]
        for what, have, want in pairs:
            if not jsontext.same(have, want):
                _fail(f"{what} after {after} is {_text(want)}, but the reference has {_text(have)}")


def _ids(plan: TreePlan, entries: Sequence[tuple[Form, object]], more: Iterable[Id] = ()) -> tuple[Id, ...]:
    """Return every id that entries have or refer to, and more of them."""
    read = [entry(number, value, plan) for number, (_, value) in enumerate(entries)]
    found = (id_ for each in read for id_ in (each.id, each.parent, each.attached, each.previous))
    return tuple(dict.fromkeys((*(id_ for id_ in found if id_ is not None), *more)))


def _members(value: object, keys: set[str], what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        _fail(f"{what} must be an object")
    if extra := sorted(value.keys() - keys):
        _fail(f"{what} has unknown key {extra[0]!r}; expected some of {', '.join(sorted(keys))}")
    return value


def _fail(message: str) -> NoReturn:
    raise TreeError(message)


# --- drawing ---------------------------------------------------------------------------------------------------

_LONGEST = 12


def drawn(model: Model, *, count: int, seed: int) -> Iterator[TreeCase]:
    """Draw cases of every tree of a spec: entries of all types, with ids that repeat, are missing or form cycles."""
    for plan in tree_plans(model):
        random = Random(f"{plan.tree.name} {seed}")  # noqa: S311 - not for secrets
        found = instances.derive(model, seed=seed, random=0)
        own = [jsontext.read(each.text) for each in found if each.type == plan.tree.lines and each.lenient.ok]
        bases = [each for each in own if isinstance(each, dict)]
        for _ in range(count):
            entries: list[tuple[Form, object]] = []
            for _ in range(random.randint(1, _LONGEST)):
                value = _drawn_entry(plan, random.choice(bases), random)
                if not _is_among(value, entries):
                    plain = random.random() < 0.2 or _refusal(model, plan, value) is not None
                    entries.append(("json" if plain else "line", value))
            yield TreeCase(plan, tuple(entries), _ids(plan, entries))


_IDS = ("a", "b", "c", "d", "e", "f", 1, 2, 3, 4, "1", "")
_NOT_IDS: tuple[object, ...] = (None, True, 1.5, [], {}, ["a"], 2**60)


def _drawn_entry(plan: TreePlan, base: dict[str, object], random: Random) -> object:
    """Return a copy of an entry with other ids, mostly of the kind that it has, so that many entries are related."""
    kind = type(at(base, plan.id)) if random.random() < 0.8 else random.choice((str, int))
    pool = [each for each in _IDS if isinstance(each, kind)] or _IDS
    value = jsontext.read(jsontext.write(base))
    for key, id_ in plan.ids.items():
        share = 0.95 if key in {"id", "parent"} else 0.4
        if random.random() < share:
            other = random.choice(_NOT_IDS) if random.random() < 0.05 else random.choice(pool)
            _put(value, [random.choice(names) for names in id_.steps], other)
    return value


def _put(value: object, keys: Sequence[str], new: object) -> None:
    for key in keys[:-1]:
        if not isinstance(value, dict):
            return
        if not isinstance(value.get(key), dict):
            value[key] = {}
        value = value[key]
    if isinstance(value, dict):
        value[keys[-1]] = new
