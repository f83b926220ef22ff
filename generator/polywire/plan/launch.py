"""The model → how options start a process: one table for all languages, which a small engine interprets.

- `releases`: the supported releases, the oldest first; other keys refer to ranges of them as pairs of first and last
  index.
- `options`: the options in order: `name`, `kept` if only the client needs it, `function`, and `carry`, its carriers.
- `conflicts`: pairs of options; `equal` if only equal values conflict.
- `functions`: where functions are: a `path` with `*` for any key or index; the `control` whose requests they handle;
  `list` if there is a list of them; `ids`, the path from their object to the member that has their ids; and `wrap`,
  the text around the number in an id.
- `local`: the paths of everything that is never sent, that is, functions and live objects.

Keys with default values are left out. Empty values or 0 are sent if a carrier has `keep`, a list of the words `empty`
and `zero`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from polywire.ground.json_values import Json, dumps
from polywire.model.nodes import Carrier, Field, Model, Struct, Union, When
from polywire.model.walk import structs_of, without_alias
from polywire.source.types import Array, Choice, Map, Ref, Type

Table: TypeAlias = "dict[str, Json]"

_MOST_STEPS = 8
"""The maximum depth of the search for functions, because a type may contain itself."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """How a record starts a process."""

    struct: Struct
    table: Table
    ways: tuple[tuple[Field | None, ...], ...]
    """The fields on the path to each of the table's `functions`; None for a key or an index."""

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


def launch_plans(model: Model) -> tuple[LaunchPlan, ...]:
    """The plans of all records that start a process."""
    return tuple(_plan(model, struct) for struct in model.structs if struct.launch is not None)


def _plan(model: Model, struct: Struct) -> LaunchPlan:
    local = list(_local(model, struct, (), frozenset({struct.name})))
    found = tuple(way for way in local if way[-1] is not None and way[-1].callback is not None)
    table = _table(model, struct)
    releases = model.protocol.releases
    table["functions"] = [_function(way, releases) for way in found]
    table["local"] = [_path(way) for way in local]
    return LaunchPlan(struct, table, found)


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
            "when": [
                [kind, _when(what) if kind == "at" else what]
                for kind, what in cast("list[tuple[str, Json]]", carrier.when)
            ],
            "unless": carrier.unless,
            "with": carrier.needs,
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


OptionPath: TypeAlias = "tuple[Field | None, ...]"


def _function(way: OptionPath, releases: Sequence[str]) -> Table:
    field = way[-1]
    callback = None if field is None else field.callback
    if field is None or callback is None:
        message = "this way leads to no function"
        raise ValueError(message)
    ids = next((each for each in field.carry if each.form == "ids"), None)
    return _without_defaults(
        {
            "path": _path(way),
            "control": callback.answers,
            "list": callback.several,
            "ids": None if ids is None else list(ids.at or ()),
            "wrap": None if ids is None else ids.wrap,
            "releases": None if ids is None else _rows(ids.releases, releases),
        }
    )


def _path(way: OptionPath) -> Json:
    return ["*" if each is None else each.name for each in way]


def _local(model: Model, struct: Struct, way: OptionPath, seen: frozenset[str]) -> Iterator[OptionPath]:
    """The paths to everything that is never sent: functions and live objects."""
    for field in struct.fields:
        if not field.travels:
            yield (*way, field)
        elif len(way) < _MOST_STEPS:
            for inner, found in _structs(model, field.type, (*way, field), frozenset()):
                if found.name not in seen:
                    yield from _local(model, found, inner, seen | {found.name})


def _structs(model: Model, type_: Type, path: OptionPath, seen: frozenset[str]) -> Iterator[tuple[OptionPath, Struct]]:
    """The structs inside a type, each with the path to it."""
    plain = without_alias(type_, model.declarations)
    match plain:
        case Array(item=item):
            yield from _structs(model, item, (*path, None), seen)
        case Map(value=value):
            yield from _structs(model, value, (*path, None), seen)
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
