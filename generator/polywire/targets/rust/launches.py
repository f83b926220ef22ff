"""The plan's launches → the tables of `launches.rs`, and the methods that add functions to options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polywire.model.nodes import Field
from polywire.plan import Plan
from polywire.plan.launch import LaunchPlan
from polywire.targets.common.naming import identifier
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import doc, quoted
from polywire.targets.rust.names import FUNCTIONS, Names, raw
from polywire.targets.rust.source import listed


@dataclass(frozen=True, slots=True)
class FunctionsView:
    """A method that adds functions: its name, its documentation, and its row in the format of the macro."""

    name: str
    doc: str
    row: str
    signature: str
    """Its parameters besides the functions, and whether it takes one or several."""


@dataclass(frozen=True, slots=True)
class LaunchView:
    """A record that starts a process."""

    record: str
    pieces: tuple[str, ...]
    """Its table as JSON text, in string literals."""
    methods: tuple[FunctionsView, ...]


@dataclass(frozen=True, slots=True)
class LaunchesView:
    """The view for `launches.rs`."""

    releases: str
    records: tuple[LaunchView, ...]


def launches_view(plan: Plan, names: Names) -> LaunchesView:
    """The view of all records of a protocol that start a process."""
    return LaunchesView(
        listed(map(quoted, plan.model.protocol.releases)),
        tuple(
            LaunchView(names.type(each.struct.name), tuple(map(quoted, each.pieces)), tuple(_methods(each, names)))
            for each in plan.launches
        ),
    )


def _methods(plan: LaunchPlan, names: Names) -> Iterator[FunctionsView]:
    """A method for each path to functions that a launch uses."""
    table: Any = plan.table
    carried = {each["name"] for each in table["options"] if "carry" in each}
    ways = {
        tuple(entry["path"]): (entry, way)
        for entry, way in zip(table["functions"], plan.ways, strict=True)
        if "control" in entry or "ids" in entry or entry["path"][0] in carried
    }
    stems = Counter(_name(way[-1:], names) for _, way in ways.values())
    for entry, way in ways.values():
        last = way[-1]
        stem = _name(way[-1:], names)
        name = stem if stems[stem] == 1 else _name(way, names)
        name = raw(identifier(name, FUNCTIONS, "with_"))
        steps = iter(range(1, len(way)))
        texts = [
            quoted(step) if field else f"step_{next(steps)}" for step, field in zip(entry["path"], way, strict=True)
        ]
        about = "" if last is None else documentation(last.about, f"The functions of `{last.name}`.")
        how = "list" if entry.get("list") else "one"
        yield FunctionsView(name, doc(about, 4), f"{name} {how} [{' '.join(texts)}]", _signature(way, how))


def _signature(way: Sequence[Field | None], how: str) -> str:
    function = "functions: impl IntoIterator<Item = F>" if how == "list" else "function: F"
    return f"({', '.join([*('impl Into<Step>' for each in way if each is None), function])})"


def _name(way: Iterable[Field | None], names: Names) -> str:
    """The keys on a path, as a name."""
    return "_".join(names.field(each).removeprefix("r#") for each in way if each is not None)
