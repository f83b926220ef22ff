"""The plan's launches → the tables of `launches.rs`, and the methods that add functions to options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polywire.ground.json_values import dumps
from polywire.model.nodes import Field
from polywire.plan.launch import LaunchPlan
from polywire.targets.common import document
from polywire.targets.common.naming import identifier
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import INDENT, WIDTH, doc, key, quoted
from polywire.targets.rust.names import FUNCTIONS, Names, raw

INHERIT = {"always": "Always", "unless_given": "UnlessGiven", "never": "Never"}
DESTINATIONS = {"flag": "Flag", "env": "Env", "control": "Control", "process": "Process"}


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
    """A record that starts a process, with its table as expressions."""

    record: str
    table: str
    """The name of the static variable."""
    arguments: str
    environment: str
    inherit: str
    control: str
    by: str
    options: tuple[str, ...]
    conflicts: tuple[str, ...]
    functions: tuple[str, ...]
    methods: tuple[FunctionsView, ...]


@dataclass(frozen=True, slots=True)
class LaunchesView:
    """The view for `launches.rs`."""

    releases: str
    records: tuple[LaunchView, ...]


def launches_view(plans: Sequence[LaunchPlan], names: Names) -> LaunchesView:
    """The view of all records of a protocol that start a process; there must be at least one."""
    table: Any = plans[0].table
    return LaunchesView(
        listed(map(quoted, table["releases"])), tuple(_launch(plan, number, names) for number, plan in enumerate(plans))
    )


def _launch(plan: LaunchPlan, number: int, names: Names) -> LaunchView:
    table: Any = plan.table
    return LaunchView(
        record=names.type(plan.struct.name),
        table=f"TABLE_{number}",
        arguments=listed(map(quoted, table["arguments"])),
        environment=listed(f"({quoted(name)}, {_maybe(text, quoted)})" for name, text in table["environment"]),
        inherit=INHERIT[table["inherit"]],
        control=_maybe(table["control"], quoted),
        by=_maybe(table["by"], key),
        options=tuple(map(_option, table["options"])),
        conflicts=tuple(map(_conflict, table["conflicts"])),
        functions=tuple(map(_function, table["functions"])),
        methods=tuple(_methods(plan, names)),
    )


def listed(items: Iterable[str]) -> str:
    """The expression of a slice."""
    return f"&[{', '.join(items)}]"


def _maybe(value: Any, of: Any) -> str:
    return "None" if value is None else f"Some({of(value)})"


def _way(way: Iterable[str]) -> str:
    return listed(map(key, way))


def _json(value: Any) -> str:
    return quoted(dumps(value))


def _spans(entry: Mapping[str, Any]) -> str:
    return listed(f"({first}, {last})" for first, last in entry.get("releases", ()))


def _conditions(conditions: Iterable[Any]) -> str:
    return listed(f"({_way(way)}, {_json(value)})" for way, value in conditions)


def _option(option: Mapping[str, Any]) -> str:
    carry = document.listed(INDENT, "&[", [*map(_carrier, option.get("carry", ()))], "]", broken=True)
    kept = "true" if option.get("kept") else "false"
    head = f"Carried {{ name: {key(option['name'])}, kept: {kept}, carry: "
    return document.lay_out((head, carry, " }"), WIDTH, 8)


def _carrier(carrier: Mapping[str, Any]) -> str:
    made = (
        f"Carrier::new(To::{DESTINATIONS[carrier['to']]}, {quoted(carrier['name'])}, "
        f"Form::{carrier['as'].capitalize()})"
    )
    rest = ", ".join(_parts(carrier))
    return f"Carrier {{ {rest}, ..{made} }}" if rest else made


def _parts(carrier: Mapping[str, Any]) -> Iterator[str]:
    """The parts of a carrier besides its name."""
    for name, spelt in (("from", _way), ("only", _conditions), ("except", _conditions), ("omit", _way)):
        if name in carrier:
            yield f"{name}: {spelt(carrier[name])}"
    if "wrap" in carrier:
        yield f"wrap: Some({quoted(carrier['wrap'])})"
    if "when" in carrier:
        yield f"when: {listed(map(_when, carrier['when']))}"
    for name in ("unless", "with"):
        if name in carrier:
            yield f"{name}: Some({key(carrier[name])})"
    yield from (f"keeps_{each}: true" for each in carrier.get("keep", ()))
    if "releases" in carrier:
        yield f"releases: {_spans(carrier)}"
    if "at" in carrier:
        yield f"at: Some({_way(carrier['at'])})"
    yield from (f"{name}: Some({_json(carrier[name])})" for name in ("value", "absent") if name in carrier)


def _when(when: Sequence[Any]) -> str:
    match when:
        case ("at", conditions):
            return f"When::At({_conditions(conditions)})"
        case ("kind", kind):
            return f"When::Kind({quoted(kind)})"
        case (_, value):
            return f"When::Is({_json(value)})"
        case _:
            raise ValueError(when)


def _conflict(conflict: Mapping[str, Any]) -> str:
    fields = ", ".join(map(key, conflict["fields"]))
    equal = "true" if conflict.get("equal") else "false"
    message = quoted(conflict.get("message", ""))
    return f"Conflict {{ fields: [{fields}], equal: {equal}, message: {message}, releases: {_spans(conflict)} }}"


def _function(function: Mapping[str, Any]) -> str:
    ids = "None"
    if "ids" in function:
        ids = f"Some(({_way(function['ids'])}, {_maybe(function.get('wrap'), quoted)}))"
    listed_ = "true" if function.get("list") else "false"
    return (
        f"Function {{ path: {_way(function['path'])}, control: {_maybe(function.get('control'), quoted)}, ids: {ids}, "
        f"list: {listed_}, releases: {_spans(function)} }}"
    )


# --- methods ---------------------------------------------------------------------------------------------------


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
