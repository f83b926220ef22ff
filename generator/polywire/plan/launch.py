"""The model → how options start a process: one table for all languages, which a small engine interprets.

- `releases`: the supported releases, the oldest first; other keys refer to ranges of them as pairs of first and last
  index.
- `options`: the options in order: `name`, `kept` if only the client needs it, `function`, and `carry`, its carriers.
- `conflicts`: pairs of options; `equal` if only equal values conflict.
- `functions`: what is never sent, functions and live objects: a `path` with `*` for any key or index; `live` for an
  object; the `control` whose requests a function answers, or what it `receives`; `list` if there is a list of them;
  `ids`, the path from their object to the member that has their ids; `wrap`, the text around the number in an id; in a
  request, the path to the `id` of the function, which is otherwise the last key in its path, and those to the values of
  its `params`; the path to the returned value in the `result`; and what it returns if it returns nothing (`none`).

Keys with default values are left out. Empty values or 0 are sent if a carrier has `keep`, a list of the words `empty`
and `zero`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TypeAlias, cast

from polywire.ground.json_values import Json, dumps
from polywire.model.nodes import Callback, Carrier, Field, Model, OtherOption, Struct, Union, When
from polywire.model.walk import structs_of, without_alias
from polywire.plan.controls import ControlsPlan, FieldPath, PairPlan, way
from polywire.source.types import Array, Choice, Map, Ref, Type

Table: TypeAlias = "dict[str, Json]"
OptionPath: TypeAlias = "tuple[Field | Array | Map, ...]"
"""The fields on a path, and the lists and maps for an index or a key."""

_MOST_STEPS = 8
"""The maximum depth of the search for functions, because a type may contain itself."""


@dataclass(frozen=True, slots=True)
class FunctionPlan:
    """An option that is a function or a live object, and what is done with it."""

    path: OptionPath
    """The path to it."""
    field: Field
    callback: Callback | None
    """The function; None for a live object."""
    pair: PairPlan | None = None
    """The request that the function answers."""
    params: tuple[FieldPath, ...] = dataclass_field(default=(), hash=False)
    """The paths to the values of its parameters in the request; an empty one is the request itself."""
    id: FieldPath = dataclass_field(default=(), hash=False)
    """The path to the id of the function in the request; empty if requests have none."""
    result: FieldPath = dataclass_field(default=(), hash=False)
    """The path to the place of the returned value in the result; empty if it is the result."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """How a record starts a process."""

    struct: Struct
    table: Table
    functions: tuple[FunctionPlan, ...]
    """The same functions as in the table."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """The table as JSON text, split where a line may end."""
        pieces: list[str] = []
        for key, value in self.table.items():
            head = ("," if pieces else "{") + dumps(key) + ":"
            if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
                items = [dumps(item) for item in value]
                pieces += [f"{head}[{item}" if n == 0 else f",{item}" for n, item in enumerate(items)]
                pieces[-1] += "]"
            else:
                pieces.append(head + dumps(value))
        pieces[-1] += "}"
        return tuple(pieces)

    @property
    def text(self) -> str:
        """The table as JSON text."""
        return "".join(self.pieces)


def launch_plans(model: Model, controls: ControlsPlan | None) -> tuple[LaunchPlan, ...]:
    """The plans of all records that start a process."""
    pairs = {} if controls is None else {each.control.key: each for each in controls.pairs}
    return tuple(_plan(model, struct, pairs) for struct in model.structs if struct.launch is not None)


def _plan(model: Model, struct: Struct, pairs: Mapping[str, PairPlan]) -> LaunchPlan:
    functions = tuple(
        _planned(model, path, field, pairs) for path, field in _local(model, struct, (), frozenset({struct.name}))
    )
    table = _table(model, struct)
    table["functions"] = [_function(each, model.protocol.releases) for each in functions]
    return LaunchPlan(struct, table, functions)


def _table(model: Model, struct: Struct) -> Table:
    launch = struct.launch
    if launch is None:
        message = f"{struct.name} starts no process"
        raise ValueError(message)
    releases = model.protocol.releases
    control = model.protocol.control
    options: list[Json] = [_option(field, releases) for field in struct.fields if not field.live]
    conflicts: list[Json] = [
        _without_defaults(
            {
                "fields": list(each.fields),
                "equal": each.equal,
                "message": each.message,
                "releases": _rows(each.releases, releases),
            }
        )
        for each in struct.conflicts
    ]
    return {
        "record": struct.name,
        "releases": list(releases),
        "arguments": list(launch.arguments),
        "environment": [[name, value] for name, value in launch.environment],
        "inherit": launch.inherit,
        "control": launch.control,
        "by": None if control is None else control.request.by,
        "options": options,
        "conflicts": conflicts,
    }


def _option(field: Field, releases: Sequence[str]) -> Table:
    return _without_defaults(
        {
            "name": field.name,
            "kept": field.kept,
            "function": field.callback is not None,
            "carry": [_carrier(each, releases) for each in field.carry if each.form != "ids"],
        }
    )


def _carrier(carrier: Carrier, releases: Sequence[str]) -> Json:
    table = _without_defaults(
        {
            "to": carrier.kind,
            "name": carrier.name,
            "as": carrier.form,
            "from": list(carrier.part),
            "only": _when(carrier.only),
            "except": _when(carrier.exclude),
            "omit": list(carrier.omit),
            "wrap": carrier.wrap,
            "when": _conditions(carrier.when),
            "unless": _other(carrier.unless),
            "with": _other(carrier.needs),
            "keep": _keep(carrier),
            "releases": _rows(carrier.releases, releases),
        }
    )
    if carrier.at is not None:
        table["at"] = list(carrier.at)
    if carrier.has_value:
        table["value"] = carrier.value
    if carrier.has_absent:
        table["absent"] = carrier.absent
    return table


def _keep(carrier: Carrier) -> Json:
    """Which of empty values and 0 are sent."""
    if carrier.empty is not None:
        return ["empty", "zero"] if carrier.empty == "keep" else []
    return ["empty", "zero"] if carrier.kind in {"control", "process"} else ["zero"]


def _other(option: OtherOption | None) -> Json:
    return None if option is None else _without_defaults({"option": option[0], "when": _conditions(option[1])})


def _conditions(conditions: object) -> Json:
    return [[kind, _when(what) if kind == "at" else what] for kind, what in cast("list[tuple[str, Json]]", conditions)]


def _when(conditions: object) -> Json:
    return [[list(place), value] for place, value in cast("When", conditions)]


def _rows(there: Sequence[str], releases: Sequence[str]) -> Json:
    """The releases as pairs of first and last index, one for each range; None for all."""
    numbers = sorted(releases.index(each) for each in there)
    begins = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return [[first, last] for first, last in zip(begins, ends, strict=True)] or None


def _without_defaults(table: Table) -> Table:
    return {key: value for key, value in table.items() if value is not None and value is not False and value != []}


# --- functions -------------------------------------------------------------------------------------------------


def _planned(model: Model, path: OptionPath, field: Field, pairs: Mapping[str, PairPlan]) -> FunctionPlan:
    call = field.callback
    pair = None if call is None or call.answers is None else pairs.get(call.answers)
    if call is None or pair is None:
        return FunctionPlan(path, field, call)
    response = None if pair.response is None else without_alias(pair.response, model.declarations)
    answer = model.declarations.get(response.name) if isinstance(response, Ref) else None
    return FunctionPlan(
        path,
        field,
        call,
        pair,
        params=tuple(way(model, pair.request, each.at or ()) or () for each in call.params),
        id=way(model, pair.request, call.id or ()) or (),
        result=(way(model, answer, call.result) or ()) if isinstance(answer, Struct) else (),
    )


def _function(planned: FunctionPlan, releases: Sequence[str]) -> Table:
    call = planned.callback
    if call is None:
        return {"path": _path(planned.path), "live": True}
    ids = next((each for each in planned.field.carry if each.form == "ids"), None)
    table = _without_defaults(
        {
            "path": _path(planned.path),
            "control": call.answers,
            "receives": call.receives,
            "list": call.several,
            "ids": None if ids is None else list(ids.at or ()),
            "wrap": None if ids is None else ids.wrap,
            "releases": None if ids is None else _rows(ids.releases, releases),
            "id": list(call.id or ()),
            "params": [] if call.answers is None else [list(each.at or ()) for each in call.params],
            "result": list(call.result),
        }
    )
    return table | {"none": call.none} if call.has_none else table


def _path(path: OptionPath) -> Json:
    return [each.name if isinstance(each, Field) else "*" for each in path]


def _local(model: Model, struct: Struct, path: OptionPath, seen: frozenset[str]) -> Iterator[tuple[OptionPath, Field]]:
    """Everything that is never sent, functions and live objects, each with the path to it."""
    for field in struct.fields:
        if not field.travels:
            yield (*path, field), field
        elif len(path) < _MOST_STEPS:
            for inner, found in _structs(model, field.type, (*path, field), frozenset()):
                if found.name not in seen:
                    yield from _local(model, found, inner, seen | {found.name})


def _structs(model: Model, type_: Type, path: OptionPath, seen: frozenset[str]) -> Iterator[tuple[OptionPath, Struct]]:
    """The structs inside a type, each with the path to it."""
    plain = without_alias(type_, model.declarations)
    match plain:
        case Array(item=inner) | Map(value=inner):
            yield from _structs(model, inner, (*path, plain), seen)
        case Choice(members=members):
            for member in members:
                yield from _structs(model, member, path, seen)
        case Ref(name=name) if name not in seen:
            match model.declarations.get(name):
                case Struct() as struct:
                    yield path, struct
                case Union(dispatch=dispatch):
                    yield from ((path, model.struct(each)) for each in structs_of(dispatch))
                case _:
                    return
        case _:
            return
