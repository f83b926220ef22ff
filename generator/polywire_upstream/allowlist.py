"""`differences.toml` → the intended differences, with a reason each, and the entries that are no longer needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polywire.ground.errors import WrongUseError
from polywire.ground.parsing import ParseError, toml_table
from polywire.ground.words import suggestion
from polywire_upstream.compare import RULES, Difference

NAME = "differences.toml"
_KEYS = ("rule", "place", "reason", "since", "until")


@dataclass(frozen=True, slots=True)
class Entry:
    """An intended difference. `*` in a place matches any text; `since` and `until` are the releases it applies to."""

    rule: str
    place: str
    reason: str
    since: str | None = None
    until: str | None = None

    def fits(self, found: Difference) -> bool:
        """Return whether the entry applies to this difference."""
        pattern = ".*".join(map(re.escape, self.place.split("*")))
        return self.rule == found.rule and re.fullmatch(pattern, found.place) is not None

    def __str__(self) -> str:
        return f"{self.rule} {self.place}"


def load(path: Path) -> list[Entry]:
    """Return the entries of a file; none if there is no file. Raises `WrongUseError` if the file is invalid."""
    try:
        document = toml_table(path.read_bytes())
    except FileNotFoundError:
        return []
    except ParseError as error:
        raise WrongUseError(f"{path}: {error}") from error
    entries = document.pop("difference", [])
    if document or not isinstance(entries, list):
        raise WrongUseError(f"{path}: only [[difference]] tables are allowed")
    return [_entry(path, number, each) for number, each in enumerate(entries, 1)]


def _entry(path: Path, number: int, table: dict[str, object]) -> Entry:
    where = f"{path}: entry {number}"
    for key, value in table.items():
        if key not in _KEYS:
            raise WrongUseError(f"{where}: unknown key {key!r}{suggestion(key, _KEYS)}")
        if not isinstance(value, str) or not value.strip():
            raise WrongUseError(f"{where}: {key} must be a string")
    for key in ("rule", "place", "reason"):
        if key not in table:
            raise WrongUseError(f"{where}: {key} is missing")
    if table["rule"] not in RULES:
        raise WrongUseError(f"{where}: unknown rule {table['rule']!r}{suggestion(str(table['rule']), list(RULES))}")
    return Entry(**{key: str(value) for key, value in table.items()})


def at(entries: Iterable[Entry], release: str, releases: Sequence[str]) -> list[Entry]:
    """Return the entries that apply to a release. Raises `WrongUseError` for one that names an unknown release."""
    for entry in entries:
        for bound in (entry.since, entry.until):
            if bound is not None and bound not in releases:
                raise WrongUseError(f"{NAME}: {entry}: {bound} is no known release{suggestion(bound, releases)}")
    place = releases.index(release)
    return [
        entry
        for entry in entries
        if (entry.since is None or releases.index(entry.since) <= place)
        and (entry.until is None or releases.index(entry.until) >= place)
    ]


def judge(found: Sequence[Difference], entries: Sequence[Entry]) -> tuple[list[Difference], list[Entry]]:
    """Return the differences that no entry applies to, and the entries that apply to none."""
    left = [each for each in found if not any(entry.fits(each) for entry in entries)]
    idle = [entry for entry in entries if not any(entry.fits(each) for each in found)]
    return left, idle
