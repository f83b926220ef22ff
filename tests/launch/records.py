"""A model and a seed → records of options: each option alone in several values, pairs, hostile texts, functions.

Every record decodes in strict mode at the release of the model, so an SDK only gets options that it supports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

from polywire.model.nodes import Model
from polywire.oracle.instances import derive
from polywire.oracle.reference import outcomes
from polywire.plan.launch import launch_plans

Json: TypeAlias = "dict[str, Any]"

RECORD = "QueryOptions"
HOSTILE = ("", "ü🦀", "a\"b'c", "a\nb", "-x", "--x=y", "a\\", "a,b", "$HOME `x`", "\u2028", " ", "\ud800", "__proto__")
"""Texts that a command line, a comma-separated list, JSON or a shell may interpret differently."""
ALONE = 8
"""The number of values with which an option occurs alone, besides empty ones."""
HOSTILE_ALONE = 4
"""The number of hostile texts with which an option occurs alone."""
RELATED = 3
"""The number of values of each of two related options that are combined."""
PAIRS = 250
"""The number of random pairs, besides those of related options."""
WRITTEN: tuple[Json, ...] = (
    {"systemPrompt": {"type": "preset", "preset": "claude_code", "append": "a\nb"}},
    {"systemPrompt": {"type": "preset", "preset": "claude_code", "append": "\ud800"}},
    {"sandbox": {"enabled": True}},
    {"sandbox": {"enabled": True, "failIfUnavailable": False}},
    {"sandbox": {"enabled": True}, "settings": '{"sandbox": {"enabled": false}}'},
    {"sandbox": {"enabled": True}, "settings": '{"model": "\\ud800"}'},
    {"sandbox": {"enabled": True}, "settings": "settings.json"},
    {"sandbox": {"enabled": True}, "extraArgs": {"settings": '{"model": "m"}'}},
    {"hooks": {"PreToolUse": []}},
    {"hooks": {"PreToolUse": [], "Stop": [{}]}},
    {"maxThinkingTokens": 0},
    {"maxTurns": 0, "maxBudgetUsd": 0},
    {"model": "m", "fallbackModel": "m"},
    {"skills": ["a", "a"], "allowedTools": ["Skill(a)", "Read"]},
    {"skills": ["a", "a"]},
    {"skills": ["a),Bash(*"]},
    {"skills": ["*"]},
    {"settings": "{}", "extraArgs": {"settings": "{}"}},
    {"model": "\ud800"},
    {"systemPrompt": "\0"},
    {"env": {"": "a"}},
    {"env": {"CLAUDE_CODE_ENTRYPOINT": ""}},
    {"cwd": "a"},
    {"supportedDialogKinds": ["a"]},
    {"forwardSubagentText": False},
    {"sandbox": {"__proto__": 1}},
    {"sandbox": {"constructor": 1}},
    {"mcpServers": {"a": {"type": "sdk", "name": "b"}}},
    {"mcpServers": {"a": {"type": "sdk", "name": "a", "timeout": 5000}, "b": {"command": "b"}}},
    {"mcpServers": {"a": {"type": "sdk", "name": "a", "timeout": 0}}},
    {"mcpServers": {"a": {"type": "sdk", "name": "a", "timeout": 0}, "b": {"type": "sdk", "name": "b", "timeout": 5}}},
    {"mcpServers": {"__proto__": {"command": "a"}}},
    {"mcpServers": {"__proto__": {"command": "a"}, "b": {"command": "b"}}},
    *(
        {"mcpServers": servers, "mcpServersDelivery": delivery}
        for delivery in ("argv", "initialize")
        for servers in (
            {"__proto__": {"command": "a"}},
            {"__proto__": {"command": "a"}, "b": {"command": "b"}},
            {"a": {"type": "sdk", "name": "a"}},
            {"a": {"type": "sdk", "name": "a"}, "b": {"command": "b"}},
        )
    ),
)
"""Options that are always included, besides the generated ones."""


@dataclass(frozen=True)
class Record:
    """Options, and the number of functions at each place; 0 is a single function that is not in a list."""

    options: Json
    functions: dict[str, int] = field(default_factory=dict)

    def __or__(self, other: Record) -> Record:
        """Both records combined; the second one takes precedence for each option."""
        places = {place: n for place, n in self.functions.items() if place.split("/")[1] not in other.options}
        return Record({**self.options, **other.options}, {**places, **other.functions})

    @property
    def names(self) -> frozenset[str]:
        """The names of the options in the record."""
        return frozenset(self.options) | {place.split("/")[1] for place in self.functions}

    def request(self, number: int) -> Json:
        """The request for a testee or an SDK."""
        return {"id": number, "options": self.options, "functions": self.functions}


def drawn(model: Model, *, seed: int, known: Iterable[str]) -> list[Record]:
    """Distinct records of the options in `known`."""
    rng = Random(seed)  # noqa: S311 - records, not secrets
    plan = launch_plans(model, None)[0]
    names = [field.name for field in plan.struct.fields if field.name in set(known)]
    values = _values(model, seed)
    alone = {name: [*_alone(model, name, values.get(name, []), rng)] for name in names}
    for entry in plan.table["functions"] if isinstance(plan.table["functions"], list) else ():
        if isinstance(entry, dict) and "live" not in entry and entry["path"] in ([name] for name in names):
            alone[str(entry["path"][0])] = [Record({}, {f"/{entry['path'][0]}": 0})]
    related = [pair for pair in _related(plan.table) if set(pair) <= {name for name in alone if alone[name]}]
    found = [Record({}), *(Record(each, _functions(each)) for each in WRITTEN if {*each} <= {*names})]
    found += [each for records in alone.values() for each in records]
    found += [one | two for a, b in related for one in alone[a][:RELATED] for two in alone[b][:RELATED]]
    some = sorted(name for name in alone if alone[name])
    for _ in range(PAIRS):
        a, b = rng.sample(some, 2)
        found.append(rng.choice(alone[a]) | rng.choice(alone[b]))
    distinct = {json.dumps([each.options, each.functions]): each for each in found}
    return [each for each in distinct.values() if _is_sound(model, each.options)]


def _values(model: Model, seed: int) -> dict[str, list[Any]]:
    """Option → its values in the derived instances of the record that are valid."""
    found: dict[str, dict[str, Any]] = {}
    for each in derive(model, seed=seed, random=60, only={RECORD}):
        options = json.loads(each.text) if each.strict.ok else {}
        for name, value in options.items():
            found.setdefault(name, {})[json.dumps(value, sort_keys=True)] = value
    return {name: [values[key] for key in sorted(values)] for name, values in found.items()}


def _alone(model: Model, name: str, values: list[Any], rng: Random) -> Iterator[Record]:
    """Records with one option: values of its type, empty values, and values with hostile texts."""
    chosen = _various(rng.sample(values, len(values)))
    bare = [_replaced(value, path, type(at)()) for value in values for path, at in _within(value) if at]
    texts = [
        _replaced(value, path, text)
        for value in values
        for path, at in _within(value)
        if isinstance(at, str)
        for text in HOSTILE
    ]
    keys = [_renamed(value, text) for value in values if isinstance(value, dict) and value for text in HOSTILE]
    seen: set[str] = set()
    for some, most in ((chosen, ALONE), (bare, 4), (texts, HOSTILE_ALONE), (keys, 2)):
        left = most
        for value in some if some is chosen else rng.sample(some, len(some)):
            if left and json.dumps(value) not in seen and _is_sound(model, {name: value}):
                left -= 1
                seen.add(json.dumps(value))
                yield Record({name: value}, _functions({name: value}))


def _various(values: list[Any]) -> list[Any]:
    """The values, starting with those that have a member that no earlier value has."""
    seen: set[str] = set()
    first, last = [], []
    for value in values:
        members = {*value} if isinstance(value, dict) else {type(value).__name__}
        (last if members <= seen else first).append(value)
        seen |= members
    return [*first, *last]


def _functions(options: Json) -> dict[str, int]:
    """One or two functions for every matcher of hooks; SDKs do not accept a matcher without functions."""
    return {
        f"/hooks/{event.replace('~', '~0').replace('/', '~1')}/{n}/hooks": 1 + (len(event) + n) % 2
        for event, matchers in options.get("hooks", {}).items()
        for n in range(len(matchers))
    }


def _related(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of options that a conflict or a carrier names together, or that share a flag or a place."""
    found = {tuple(entry["fields"]) for entry in table["conflicts"]}
    places: dict[str, set[str]] = {}
    for option in table["options"]:
        for carrier in option.get("carry", ()):
            found |= {(option["name"], carrier[key]["option"]) for key in ("unless", "with") if key in carrier}
            place = json.dumps([carrier["to"], carrier["name"], carrier["to"] == "control" and carrier.get("at")])
            places.setdefault(place, set()).add(option["name"])
    for together in places.values():
        found |= set(combinations(sorted(together), 2))
    return sorted(found)


def _is_sound(model: Model, options: Json) -> bool:
    return not outcomes(model, RECORD, json.dumps(options), strict=True).faults


# --- variations ------------------------------------------------------------------------------------------------


def _within(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The texts, lists and objects in a value, including the value itself, each with its path."""
    if isinstance(value, (str, list, dict)):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _within(item, (*path, key))


def _replaced(value: Any, path: tuple[str | int, ...], what: Any) -> Any:
    if not path:
        return what
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: _replaced(item, rest, what) if key == step else item for key, item in value.items()}
    return [_replaced(item, rest, what) if n == step else item for n, item in enumerate(value)]


def _renamed(value: Json, key: str) -> Json:
    """The object with its first key replaced."""
    first = next(iter(value))
    return {key if each == first else each: item for each, item in value.items()}
