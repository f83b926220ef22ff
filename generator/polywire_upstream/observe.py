"""Captured or stored lines and declarations → how they differ: undeclared members, missing ones, whole numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polywire_upstream.compare import DeclaredObject, Side, Table, Type

_MOST_DEPTH = 64


@dataclass(slots=True)
class Seen:
    """What was seen: counts by place."""

    undeclared: dict[str, int] = field(default_factory=dict)
    """Members that no declaration has."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Objects whose constants match no declared variant."""
    absent: dict[str, int] = field(default_factory=dict)
    """Members that are declared as required but were absent."""
    values: dict[str, int] = field(default_factory=dict)
    """Values that a declaration does not list."""
    whole: dict[str, bool] = field(default_factory=dict)
    """Numbers: whether all seen values are whole."""
    lines: int = 0
    """The number of lines read."""


STORED = ".jsonl"
"""The suffix of files that the program stores; other files are captured traffic."""


def read(paths: Iterable[Path], *, stored: bool) -> Iterator[Any]:
    """Yield the objects of stored, or of captured lines; a folder means all `.jsonl`, or `.ndjson`, files below it."""
    for path in paths:
        below = path.rglob(f"*{STORED if stored else '.ndjson'}")
        for file in sorted(below) if path.is_dir() else [path] * ((path.suffix == STORED) == stored):
            for line in file.read_text(encoding="utf-8").splitlines():
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # tests how the program handles an invalid line
                if isinstance(value, dict):
                    yield value


def observe(seen: Seen, lines: Iterable[Any], table: Table, roots: Sequence[str], scalars: Mapping[str, str]) -> None:
    """Compare lines with the declarations reachable from `roots`, and add what is found to `seen`."""
    observer = _Observer(Side(table, scalars), seen)
    root = {"any of": [f"#{name}" for name in roots if name in table]}
    for line in lines:
        observer.seen.lines += 1
        observer.value(line, root, "", 0)


class _Observer:
    def __init__(self, side: Side, seen: Seen) -> None:
        self._side = side
        self.seen = seen
        self._kinds: dict[str, Any] = {}

    def value(self, value: Any, type_: Type, place: str, depth: int) -> None:
        if depth > _MOST_DEPTH:
            return
        text = json.dumps(type_)
        if text not in self._kinds:
            self._kinds[text] = self._side.sort(type_)
        kinds = self._kinds[text]
        if kinds.any:
            return
        if isinstance(value, dict):
            self._object(value, kinds, place, depth)
        elif isinstance(value, list) and kinds.arrays:
            item = kinds.arrays[0] if len(kinds.arrays) == 1 else {"any of": list(kinds.arrays)}
            for each in value:
                self.value(each, item, f"{place}/[]", depth + 1)
        elif isinstance(value, str) and not kinds.string and kinds.values and value not in kinds.values:
            _count(self.seen.values, f"{place}/={value}"[:120])
        elif isinstance(value, int | float) and not isinstance(value, bool) and kinds.number:
            whole = isinstance(value, int)
            self.seen.whole[place] = self.seen.whole.get(place, True) and whole

    def _object(self, value: Mapping[str, Any], kinds: Any, place: str, depth: int) -> None:
        if not kinds.objects:
            for each in value.values():
                if kinds.maps:
                    self.value(each, kinds.maps[0], f"{place}/*", depth + 1)
            return
        fitting = [each for each in kinds.objects if _fits(value, each)]
        if not fitting:
            if not kinds.maps and not kinds.object:
                constants = Counter(key for each in kinds.objects for key in each.constants())
                common = sorted(key for key, number in constants.items() if 4 * number >= len(kinds.objects))
                named = [f"{key}={value[key]}" for key in common if isinstance(value.get(key), str | bool)]
                _count(self.seen.unknown, f"{place}/<{','.join(named)}>"[:160])
            return
        object_ = max(fitting, key=lambda each: (len(each.constants()), len(each.fields.keys() & value.keys())))
        where = object_.name or place
        for key, (type_, required) in object_.fields.items():
            if key in value:
                self.value(value[key], type_, f"{where}/{key}", depth + 1)
            elif required:
                _count(self.seen.absent, f"{where}/{key}")
        for key, each in value.items():
            if key not in object_.fields:
                if object_.rest is None:
                    _count(self.seen.undeclared, f"{where}/{key}"[:120])
                else:
                    self.value(each, object_.rest, f"{where}/*", depth + 1)


def _fits(value: Mapping[str, Any], object_: DeclaredObject) -> bool:
    """Return whether an object has the constants."""
    return all(
        (type(value.get(key)).__name__, value.get(key)) in allowed
        for key, allowed in object_.constants().items()
        if not isinstance(value.get(key), dict | list)
    )


def _count(found: dict[str, int], place: str) -> None:
    found[place] = found.get(place, 0) + 1
