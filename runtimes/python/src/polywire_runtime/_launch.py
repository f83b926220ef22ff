# pyright: basic
"""Options → how to start a process with them: arguments, environment, working directory, requests, functions.

The table of a record (`_launches`) states how each option is passed. This module reads no file, no environment and no
clock.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from math import isfinite

from ._json import is_deep_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    Step: TypeAlias = "str | int"
    Path: TypeAlias = "tuple[Step, ...]"

__all__ = ["Launch", "LaunchEnvironment", "LaunchError", "LaunchFunction", "launched", "with_table"]


class LaunchError(ValueError):
    """The options are not valid for starting a process.

    `code` is `conflict`, `cannot_travel` or `unknown_release`; `paths` are JSON Pointers to the invalid options.
    """

    def __init__(self, code: str, paths: tuple[str, ...], message: str) -> None:
        self.code = code
        self.paths = paths
        self.path = paths[0] if paths else ""
        self.message = message
        super().__init__(f"{' and '.join(paths)}: {message}" if paths else message)


@dataclass(frozen=True)
class LaunchEnvironment:
    """The environment variables of the process."""

    inherit: bool
    """Whether the process inherits the environment of the client."""
    set: dict[str, str]
    defaults: dict[str, str]
    """Variables to set if they are missing or empty."""
    unset: tuple[str, ...]
    """Variables to remove."""

    def over(self, own: Mapping[str, str]) -> dict[str, str]:
        """The complete environment of the process, for a client with the environment `own`."""
        found = {**(own if self.inherit else {}), **self.set}
        found.update({name: value for name, value in self.defaults.items() if not found.get(name)})
        return {name: value for name, value in found.items() if name not in self.unset}


@dataclass(frozen=True)
class Launch:
    """The command, environment and initial requests of a process."""

    arguments: list[str]
    """The arguments, without the program."""
    environment: LaunchEnvironment
    cwd: str | None = None
    program: str | None = None
    program_arguments: list[str] = field(default_factory=list)
    """Arguments of `program`, before `script`."""
    script: str | None = None
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The payloads of the initial requests, by control."""
    functions: list[LaunchFunction] = field(default_factory=list)
    """The functions and live objects in the options."""


@dataclass(frozen=True)
class LaunchFunction:
    """A function in the options, or a live object, and when it is called."""

    place: str
    """Its place in the options, as a JSON Pointer."""
    function: Any
    control: str | None = None
    """The control whose requests it answers."""
    id: str | None = None
    """The id in a request that selects it; None if it answers all requests of the control."""
    receives: str | None = None
    """The output of the process with which it is called."""
    live: bool = False
    """Whether it is an object that no request refers to."""
    row: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Its row in the table of the record."""


def launched(
    table: Mapping[str, Any], options: dict[str, Any], functions: Mapping[Path, Any], release: str | None
) -> Launch:
    """Apply a table. `options` is plain JSON; `functions` are functions, lists of them and live objects, by place.

    The options are modified: the ids of functions are added. Raises `LaunchError`.
    """
    releases = table["releases"]
    name = releases[-1] if release is None else release
    if name not in releases:
        message = f"there is no release {name!r}; known are {', '.join(releases)}"
        raise LaunchError("unknown_release", (), message)
    return _Run(table, options, functions, releases.index(name)).run()


def with_table(
    table: Mapping[str, Any], ways: tuple[dict[str, Any], ...], value: Any, plain: Any, release: str | None
) -> Launch:
    """Apply a table to an object and its plain JSON. `ways` has the classes and attributes of each row of functions."""
    rows = [{**row, **way} for row, way in zip(table["functions"], ways, strict=True)]
    functions = {
        place: function
        for row in rows
        for place, function in _reached(value, [*zip(row["path"], row["attributes"], strict=True)])
    }
    return launched({**table, "functions": rows}, plain, functions, release)


def _reached(value: Any, way: list[tuple[str, str | None]], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values at the end of a path through objects, by place."""
    if not way:
        yield path, value
        return
    (key, attribute), rest = way[0], way[1:]
    if attribute is not None:
        found = getattr(value, attribute, None)
        entries: Any = () if found is None else [(key, found)]
    else:
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in entries:
        yield from _reached(item, rest, (*path, step))


# --- values ----------------------------------------------------------------------------------------------------

_MISSING = object()
_STANDING: Any = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def pointer(path: Path) -> str:
    """A place as a JSON Pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def _json_text(value: Any, path: Path) -> str:
    """JSON text for an argument or a variable: lone surrogates are escaped, other characters are not."""
    _check_finite(value, path)
    return _spelt(value)


def _check_finite(value: Any, path: Path) -> None:
    wrong = _not_finite(value, path)
    if wrong is not None:
        raise LaunchError("cannot_travel", (pointer(wrong),), "JSON has no spelling for this number")


def _spelt(value: Any) -> str:
    text = str(_STANDING(value))
    return "".join(f"\\u{ord(each):x}" if "\ud800" <= each <= "\udfff" else each for each in text)


def _not_finite(value: Any, path: Path) -> Path | None:
    """The place of the first number that JSON cannot represent."""
    if isinstance(value, (int, float)):
        return None if _is_finite(value) else path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return next((found for key, item in items if (found := _not_finite(item, (*path, key))) is not None), None)


def _is_finite(number: float) -> bool:
    """Whether a number, which may be an integer of any length, fits a double."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _part(value: Any, way: Path | list[str]) -> Any:
    for key in way:
        value = value.get(key, _MISSING) if isinstance(value, dict) else _MISSING
    return value


def _same(value: Any, other: Any) -> bool:
    """Whether two JSON values are equal; a missing value equals null, and true does not equal 1."""
    if value is _MISSING:
        return other is None
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_same(value[key], other[key]) for key in value)
    return _kind(value) == _kind(other) and bool(value == other)


def _all(value: Any, conditions: list[Any]) -> bool:
    return all(_same(_part(value, way), wanted) for way, wanted in conditions)


def _wrong_kind(expected: str, value: Any, path: Path) -> LaunchError:
    message = f"a {expected} was expected, this is of kind {_kind(value)}"
    return LaunchError("cannot_travel", (pointer(path),), message)


def _map(value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong_kind("map", value, path)
    return value


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = (("string", str), ("number", (int, float)), ("list", list), ("object", dict))
    return next((name for name, types in kinds if isinstance(value, types)), "null")


def _holds(value: Any, condition: list[Any]) -> bool:
    kind, wanted = condition
    if kind == "is":
        return _same(value, wanted)
    return _kind(value) == wanted if kind == "kind" else _all(value, wanted)


def _number(value: float) -> str:
    """A number in the notation of ECMAScript."""
    number = float(value)
    if number == 0:
        return "0"
    mantissa, _, power = repr(number).partition("e")
    if not power:
        return mantissa.removesuffix(".0")
    sign, digits, exponent = "-" * (number < 0), mantissa.lstrip("-").replace(".", ""), int(power)
    if 0 < exponent < 21:
        return sign + digits.ljust(exponent + 1, "0")
    if -7 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    return f"{mantissa}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def _is_empty(value: Any, keep: list[str]) -> bool:
    """Whether a value is omitted because it is empty."""
    if isinstance(value, (str, list, dict)):
        return not value and "empty" not in keep
    return _kind(value) == "number" and value == 0 and "zero" not in keep


# --- the run ---------------------------------------------------------------------------------------------------


@dataclass
class _Slot:
    """An argument to which several carriers may contribute."""

    flag: str
    path: Path
    items: list[str] | None = None
    whole: Any = _MISSING
    members: list[tuple[Path, Any, Path]] = field(default_factory=list)
    """Places in the whole, each with its value and the option that it comes from."""


class _Run:
    def __init__(
        self, table: Mapping[str, Any], options: dict[str, Any], functions: Mapping[Path, Any], release: int
    ) -> None:
        self.table = table
        self.release = release
        self.ids = 0
        self.found: list[LaunchFunction] = []
        self.given = options
        self.options = self._with_ids(options, functions)
        self.functions = {path[0] for path in functions if len(path) == 1}
        self.slots: list[_Slot | list[str]] = [[each] for each in table["arguments"]]
        self.late: list[list[str]] = []
        self.bare: set[str] = set()
        self.shared: dict[tuple[str, bool], _Slot] = {}
        self.variables: dict[str, str] = {}
        self.process: dict[str, Any] = {}
        self.requests: dict[str, dict[str, Any]] = {}

    def run(self) -> Launch:
        carriers = {each["name"]: self._carriers(each) for each in self.table["options"]}
        self._check_known(carriers)
        self._check_conflicts(carriers)
        for control in [self.table["control"]] if self.table["control"] else []:
            self._request(control)
        for name, own in carriers.items():
            for each in own:
                if not self._is_blocked(each, carriers):
                    self._carry(name, each)
        return Launch(
            arguments=[argument for slot in (*self.slots, *self.late) for argument in self._arguments(slot)],
            environment=self._environment(),
            cwd=self.process.get("cwd"),
            program=self.process.get("program"),
            program_arguments=self.process.get("program_arguments", []),
            script=self.process.get("script"),
            requests=self.requests,
            functions=self.found,
        )

    def _is_there(self, entry: Mapping[str, Any]) -> bool:
        return "releases" not in entry or any(first <= self.release <= last for first, last in entry["releases"])

    def _carriers(self, option: Mapping[str, Any]) -> list[Any]:
        return [each for each in option.get("carry", ()) if self._is_there(each)]

    # --- functions ---

    def _with_ids(self, options: dict[str, Any], functions: Mapping[Path, Any]) -> dict[str, Any]:
        """The options with the ids of functions in them."""
        for row in self.table["functions"]:
            for path in list(_matching(options, row["path"])):
                value = functions.get(path)
                if value is not None:
                    self._function(row, path, value, options)
        return options

    def _function(self, row: Mapping[str, Any], path: Path, value: Any, options: dict[str, Any]) -> None:
        is_list = bool(row.get("list"))
        if is_list and not isinstance(value, (list, tuple)):
            raise LaunchError("cannot_travel", (pointer(path),), "a list of functions was expected")
        each = value if is_list else [value]
        ids: list[Any] = [_key_in(path, row["path"]) if "id" in row else None] * len(each)
        has_ids = "ids" in row and self._is_there(row)
        if has_ids:
            ids = [_wrapped(row, str(self.ids + n)) for n in range(len(each))]
            self.ids += len(each)
            _set_ids(options, path[:-1], row["ids"], ids)
        control = row.get("control") if has_ids or "ids" not in row else None
        for n, (id_, function) in enumerate(zip(ids, each, strict=True)):
            place = pointer((*path, n) if is_list else path)
            live = bool(row.get("live"))
            self.found.append(LaunchFunction(place, function, control, id_, row.get("receives"), live, row))

    # --- carriers ---

    def _check_known(self, carriers: Mapping[str, list[Any]]) -> None:
        kept = {each["name"] for each in self.table["options"] if each.get("kept")}
        for name in self.options:
            if name not in kept and not carriers.get(name):
                raise LaunchError("cannot_travel", (pointer((name,)),), "nothing carries this option at that release")

    def _check_conflicts(self, carriers: Mapping[str, list[Any]]) -> None:
        for entry in filter(self._is_there, self.table["conflicts"]):
            first, second = entry["fields"]
            if not (self._travels(first, carriers) and self._travels(second, carriers)):
                continue
            if not entry.get("equal") or _same(_part(self.options, [first]), _part(self.options, [second])):
                raise LaunchError("conflict", (pointer((first,)), pointer((second,))), entry["message"])

    def _travels(self, name: str, carriers: Mapping[str, list[Any]]) -> bool:
        return any(self._value(name, each) is not _MISSING for each in carriers.get(name, ()) if self._is_set(name))

    def _is_set(self, name: str) -> bool:
        return name in self.options or name in self.functions

    def _is_blocked(self, carrier: Mapping[str, Any], carriers: Mapping[str, list[Any]]) -> bool:
        if "unless" in carrier and self._meets(carrier["unless"], carriers):
            return True
        return "with" in carrier and not self._meets(carrier["with"], carriers)

    def _meets(self, other: Mapping[str, Any], carriers: Mapping[str, list[Any]]) -> bool:
        if "when" not in other:
            return self._travels(other["option"], carriers)
        return any(_holds(self.options.get(other["option"]), each) for each in other["when"])

    def _value(self, name: str, carrier: Mapping[str, Any]) -> Any:
        """The value that a carrier takes from an option; missing if the carrier does not apply."""
        form, keep = carrier["as"], carrier.get("keep", ())
        if name in self.options:
            value = self.options[name]
            if "when" in carrier and not any(_holds(value, each) for each in carrier["when"]):
                return _MISSING
            if form == "bare" and "when" not in carrier and value is False:
                return _MISSING
            if form not in ("join", "repeat", "keys"):
                value = _part(value, carrier.get("from", ()))
            if value is not _MISSING and "value" in carrier:
                value = carrier["value"]
        elif name in self.functions:
            value = carrier.get("value", _MISSING)
        else:
            value = carrier.get("absent", _MISSING)
        if value is _MISSING or (form == "bare" and "only" not in carrier and "except" not in carrier):
            return value
        value = _chosen(value, carrier)
        return _MISSING if _is_empty(value, keep) else value

    def _carry(self, name: str, carrier: Mapping[str, Any]) -> None:
        value = self._value(name, carrier)
        if value is _MISSING:
            return
        path: Path = (name,)
        if carrier["to"] == "flag":
            self._flag(carrier, value, path)
        elif carrier["to"] == "env":
            self.variables[carrier["name"]] = self._text(self._formed(carrier, value, path), path)
        elif carrier["to"] == "process":
            self._process(carrier["name"], value, path)
        else:
            self._place(carrier, value, path)

    def _formed(self, carrier: Mapping[str, Any], value: Any, path: Path) -> Any:
        form = carrier["as"]
        if form in ("join", "keys"):
            return ",".join(self._items(carrier, value, path))
        return _json_text(value, path) if form == "json" else self._wrapped(carrier, value, path)

    def _items(self, carrier: Mapping[str, Any], value: Any, path: Path) -> list[str]:
        if carrier["as"] == "keys":
            return [self._text(key, (*path, key)) for key in _map(value, path)]
        items = value if isinstance(value, list) else [value]
        parts = ((n, _part(item, carrier.get("from", ()))) for n, item in enumerate(items))
        return [self._wrapped(carrier, part, (*path, n)) for n, part in parts if part is not _MISSING]

    def _wrapped(self, carrier: Mapping[str, Any], value: Any, path: Path) -> str:
        text = self._text(value, path)
        if "wrap" in carrier and not _can_be_wrapped(carrier["wrap"], text):
            wrap = carrier["wrap"]
            message = (
                f"this cannot be part of {wrap}: it is empty, starts or ends with a space, or contains a separator"
            )
            raise LaunchError("cannot_travel", (pointer(path),), message)
        return _wrapped(carrier, text)

    def _text(self, value: Any, path: Path) -> str:
        """A value as the text of an argument or a variable."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            if not _is_finite(value):
                raise LaunchError("cannot_travel", (pointer(path),), "this number overflows a double")
            return _number(value)
        if not isinstance(value, str):
            raise _wrong_kind("text", value, path)
        if "\0" in value:
            raise LaunchError("cannot_travel", (pointer(path),), "an argument or variable cannot contain U+0000")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise LaunchError("cannot_travel", (pointer(path),), "an argument cannot contain a lone surrogate")
        return value

    # --- flags ---

    def _flag(self, carrier: Mapping[str, Any], value: Any, path: Path) -> None:
        flag, form = carrier["name"], carrier["as"]
        if form == "bare":
            if flag not in self.bare:
                self.bare.add(flag)
                self.slots.append([flag])
        elif form in ("join", "keys"):
            slot = self._slot(flag, path, joined=True)
            items, there = self._items(carrier, value, path), set(slot.items or ())
            slot.items = [*(slot.items or ()), *(item for item in items if item not in there)]
        elif form == "repeat":
            self.slots += [_flagged(flag, item) for item in self._items(carrier, value, path)]
        elif form == "json" and "at" in carrier:
            self._member(flag, carrier["at"], value, path)
        elif form == "pairs":
            self._pairs(flag, value, path)
        else:
            self.slots.append(_flagged(flag, self._text(self._formed(carrier, value, path), path)))

    def _slot(self, flag: str, path: Path, *, joined: bool) -> _Slot:
        """The existing argument of a flag, or a new one."""
        found = self.shared.get((flag, joined))
        if found is None:
            found = self.shared[flag, joined] = _Slot(flag, path)
            self.slots.append(found)
        return found

    def _member(self, flag: str, at: list[str], value: Any, path: Path) -> None:
        slot = self._slot(flag, path, joined=False)
        if at:
            slot.members.append((tuple(at), value, path))
        elif slot.whole is not _MISSING:
            raise LaunchError("conflict", (pointer(slot.path), pointer(path)), f"both give the whole of {flag}")
        else:
            slot.whole, slot.path = value, path

    def _pairs(self, flag: str, value: Any, path: Path) -> None:
        objects = {
            carrier["name"]
            for option in self.table["options"]
            for carrier in self._carriers(option)
            if carrier["to"] == "flag" and "at" in carrier
        }
        for key, each in _map(value, path).items():
            name, here = flag + self._text(key, (*path, key)), (*path, key)
            if each is None:
                self.late.append([name])
            elif name in objects:
                self._member(name, [], each, here)
            else:
                self.late.append(_flagged(name, self._text(each, here)))

    def _arguments(self, slot: _Slot | list[str]) -> list[str]:
        if isinstance(slot, list):
            return slot
        if slot.items is not None:
            return _flagged(slot.flag, ",".join(slot.items))
        whole = slot.whole
        if isinstance(whole, str):
            whole = self._text(whole, slot.path) if not slot.members else self._object(whole, slot.path)
        if isinstance(whole, str):
            return _flagged(slot.flag, whole)
        found = {} if whole is _MISSING else whole
        for at, value, path in slot.members:
            if whole is not _MISSING and _part(whole, at) is not _MISSING:
                message = f"both give {pointer(at)} of {slot.flag}"
                raise LaunchError("conflict", (pointer(slot.path), pointer(path)), message)
            found = _put(found, at, value)
        parts = [] if whole is _MISSING else [(whole, slot.path)]
        for value, path in (*parts, *((value, path) for _, value, path in slot.members)):
            _check_finite(value, path)
        return _flagged(slot.flag, _spelt(found))

    def _object(self, text: str, path: Path) -> Any:
        """Parse JSON text into which other options are inserted."""
        try:
            found = None if is_deep_text(text) else json.loads(text, parse_constant=_refused)
        except ValueError:
            found = None
        if not isinstance(found, dict) or _not_finite(found, path) is not None:
            message = "other options have a place in this, so it must be the text of a JSON object"
            raise LaunchError("cannot_travel", (pointer(path),), message)
        return found

    # --- environment, process, requests ---

    def _process(self, part: str, value: Any, path: Path) -> None:
        if part == "environment":
            for name, text in _map(value, path).items():
                here = (*path, name)
                if not name or "=" in self._text(name, here):
                    raise LaunchError("cannot_travel", (pointer(here),), "this cannot be the name of a variable")
                self.variables[name] = self._text(text, here)
        elif part == "program_arguments":
            if not isinstance(value, list):
                raise _wrong_kind("list", value, path)
            self.process[part] = [self._text(item, (*path, n)) for n, item in enumerate(value)]
        else:
            self.process[part] = self._text(value, path)

    def _environment(self) -> LaunchEnvironment:
        own = [each for each in self.table["options"] if each["name"] in self.options]
        given = any(c["to"] == "process" and c["name"] == "environment" for each in own for c in self._carriers(each))
        unset = tuple(name for name, text in self.table["environment"] if text is None)
        defaults = {name: text for name, text in self.table["environment"] if text is not None}
        return LaunchEnvironment(
            inherit=self.table["inherit"] == "always" or (self.table["inherit"] == "unless_given" and not given),
            set={name: text for name, text in self.variables.items() if name not in unset},
            defaults={name: text for name, text in defaults.items() if not self.variables.get(name)},
            unset=unset,
        )

    def _request(self, control: str) -> dict[str, Any]:
        if control not in self.requests:
            self.requests[control] = {} if self.table["by"] is None else {self.table["by"]: control}
        return self.requests[control]

    def _place(self, carrier: Mapping[str, Any], value: Any, path: Path) -> None:
        form = carrier["as"]
        if form == "list":
            value = value if isinstance(value, list) else [value]
        elif form == "keys":
            value = list(_map(value, path))
        elif form == "join":
            value = ",".join(self._items(carrier, value, path))
        control = carrier["name"]
        self.requests[control] = _put(self._request(control), tuple(carrier["at"]), value)


def _wrapped(entry: Mapping[str, Any], text: str) -> str:
    """A text with the text around it."""
    return str(entry["wrap"]).replace("*", text, 1) if "wrap" in entry else text


def _can_be_wrapped(wrap: str, text: str) -> bool:
    """Whether the bounds of a text stay clear, also in a comma-separated list; otherwise its meaning may change."""
    before, _, after = wrap.partition("*")
    marks = {",", before[-1:], after[:1]}
    return text[:1] not in {"", " "} and text[-1:] != " " and not any(each in marks or each < " " for each in text)


def _flagged(flag: str, text: str) -> list[str]:
    """A flag and its value; a value that looks like a flag is put into the same argument."""
    return [f"{flag}={text}"] if len(text) > 1 and text.startswith("-") else [flag, text]


def _chosen(value: Any, carrier: Mapping[str, Any]) -> Any:
    """The items or entries that are passed, without the members that are omitted."""
    only, without, omit = carrier.get("only", ()), carrier.get("except", ()), carrier.get("omit", ())
    if not only and not without and not omit:
        return value

    def travels(item: Any) -> bool:
        return _all(item, only) and not (without and _all(item, without))

    def left(item: Any) -> Any:
        return {key: each for key, each in item.items() if key not in omit} if isinstance(item, dict) else item

    if isinstance(value, dict):
        found = {key: left(item) for key, item in value.items() if travels(item)}
        return {key: item for key, item in found.items() if not omit or item != {}}
    if not isinstance(value, list):
        return value
    return [each for each in map(left, filter(travels, value)) if not omit or each != {}]


def _put(value: Any, way: Path, what: Any) -> Any:
    """A copy of an object, with a value at a place in it."""
    if not way:
        return what
    step, rest = way[0], way[1:]
    if isinstance(value, list) and isinstance(step, int):
        return [_put(item, rest, what) if n == step else item for n, item in enumerate(value)]
    found = value if isinstance(value, dict) else {}
    return {**found, step: _put(found.get(step), rest, what)}


def _key_in(path: Path, pattern: list[str]) -> str | None:
    """The last key of a map in a path."""
    steps = zip(reversed(path), reversed(pattern), strict=True)
    return next((step for step, each in steps if each == "*" and isinstance(step, str)), None)


def _set_ids(options: Any, path: Path, way: list[str], ids: list[str]) -> None:
    """Add ids to the object that contains their functions."""
    at = options
    for step in path:
        at = at[step]
    for key in way[:-1]:
        if at.get(key) is None:
            at[key] = {}
        at = at[key]
    at[way[-1]] = ids


def _matching(value: Any, pattern: list[str], path: Path = ()) -> Iterator[Path]:
    """The places in the options that match a pattern, in document order; the last step need not exist."""
    step, *rest = pattern
    if not rest:
        yield (*path, step)
        return
    entries: list[tuple[Step, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items()) if step == "*" else [(step, value[step])] if step in value else []
    elif isinstance(value, list) and step == "*":
        entries = list(enumerate(value))
    for key, item in entries:
        yield from _matching(item, rest, (*path, key))


def _refused(word: str) -> None:
    raise ValueError(word)
