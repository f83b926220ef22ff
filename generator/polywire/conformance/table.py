"""Counts by group and testee → the conformance table in lines that fit a width; only headings are broken.

A testee's heading may continue on the next line after a hyphen. Testees that do not fit side by side are split into
blocks below each other, with the groups repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """The results of one testee, by group and outcome (passed, failed, skipped); without counts, it could not run."""

    testee: str
    counts: Mapping[str, Mapping[str, int]]
    seconds: float = 0.0
    problems: int = 0
    """The number of problems that belong to no case."""

    @property
    def total(self) -> Counter[str]:
        """The counts of all groups; problems that belong to no case count as failures."""
        found = Counter({"failed": self.problems})
        for counts in self.counts.values():
            found.update(counts)
        return found

    @property
    def rate(self) -> float:
        """Cases answered per second."""
        total = self.total
        return (total["passed"] + total["failed"]) / self.seconds if self.seconds else 0.0


def lines(columns: Sequence[Column], width: int) -> Iterator[Text]:
    """Yield the lines of the table."""
    groups = list(dict.fromkeys(group for column in columns for group in column.counts))
    limited = any(column.total["skipped"] for column in columns)
    feet = [foot for foot in _FEET if foot != "n/a" or limited]
    first = max(map(len, [*groups, *feet]))
    cells = [[*(_cell(c, group) for group in groups), *(_foot(c, foot) for foot in feet)] for c in columns]
    least = [max(map(len, own)) for own in cells]
    widths = [max(len(c.testee), own) for c, own in zip(columns, least, strict=True)]
    if first + sum(widths) + _GAP * len(widths) > width:
        widths = [max(own, *map(len, _parts(c.testee))) for c, own in zip(columns, least, strict=True)]
    for start, end in _blocks(widths, width - first):
        if start:
            yield Text()
        yield from _headings([c.testee for c in columns[start:end]], widths[start:end], first)
        for row, name in enumerate([*groups, *feet]):
            line = Text(name.ljust(first))
            for own, room in zip(cells[start:end], widths[start:end], strict=True):
                line.append(" " * (room + _GAP - len(own[row]))).append(own[row])
            yield line
    if limited:
        yield Text("* the rest of the group is not applicable to it", style="dim")


def _parts(name: str) -> list[str]:
    """Split a name after its hyphens."""
    *before, last = name.split("-")
    return [*(f"{part}-" for part in before), last]


def _blocks(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of columns that fit side by side, at least one in each."""
    start, used = 0, 0
    for index, width in enumerate(widths):
        if index > start and used + width + _GAP > room:
            yield start, index
            start, used = index, 0
        used += width + _GAP
    if widths:
        yield start, len(widths)


def _headings(testees: Sequence[str], widths: Sequence[int], first: int) -> Iterator[Text]:
    folded = [_folded(testee, width) for testee, width in zip(testees, widths, strict=True)]
    for row in range(max(map(len, folded))):
        cells = (
            f"{own[row] if row < len(own) else '':>{room + _GAP}}" for own, room in zip(folded, widths, strict=True)
        )
        yield Text((" " * first + "".join(cells)).rstrip(), style="bold")


def _folded(name: str, width: int) -> list[str]:
    found = [""]
    for part in _parts(name):
        if found[-1] and len(found[-1] + part) > width:
            found.append("")
        found[-1] += part
    return found


# --- cells -----------------------------------------------------------------------------------------------------

_SKIPPED = Text("SKIPPED", style="yellow")


def _cell(column: Column, group: str) -> Text:
    if not column.counts:
        return _SKIPPED
    counts = column.counts.get(group, {})
    passed, failed, skipped = (counts.get(outcome, 0) for outcome in ("passed", "failed", "skipped"))
    if failed:
        return Text(f"{failed} failed", style="bold red")
    if passed:
        return Text(f"{passed}{'*' * bool(skipped)}", style="green")
    return Text("n/a" if skipped else "", style="dim")


_FEET: Mapping[str, Callable[[Column], str]] = {
    "passed": lambda column: str(column.total["passed"]),
    "failed": lambda column: str(column.total["failed"]),
    "n/a": lambda column: str(column.total["skipped"]),
    "seconds": lambda column: f"{column.seconds:.1f}",
    "cases/s": lambda column: f"{column.rate:.0f}",
}
"""The summary rows below the groups."""


def _foot(column: Column, foot: str) -> Text:
    return Text(_FEET[foot](column), style="bold") if column.counts else _SKIPPED
