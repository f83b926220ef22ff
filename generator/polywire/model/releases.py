"""The releases that a spec describes, and sets of them.

A set is a bit mask in the order of `versions`, so intersections are cheap and a set need not be contiguous. Version
strings are not interpreted: the order of releases is their order in the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.ground.errors import WrongUseError
from polywire.source.tree import Listing, Table, Text


@dataclass(frozen=True, slots=True)
class Releases:
    """All releases in `versions`, the oldest first."""

    names: tuple[str, ...]

    @property
    def all(self) -> int:
        return (1 << len(self.names)) - 1

    def index(self, name: str) -> int | None:
        return self.names.index(name) if name in self.names else None

    def between(self, first: str | None, last: str | None) -> int:
        """The releases from `first` to `last`, inclusive; None, or a name that is not listed, means no bound."""
        low = self.index(first) if first is not None else None
        high = self.index(last) if last is not None else None
        end = len(self.names) - 1 if high is None else high
        return sum(1 << n for n in range(low or 0, end + 1))

    def of(self, body: Table) -> int:
        """The releases that `since`, `until` or `in` of an entry allow; all if it has none of these keys."""
        intervals = body.get("in")
        if isinstance(intervals, Listing):
            found = 0
            for item in intervals.items:
                if isinstance(item, Text):
                    found |= self.between(*ends(item.text))
            return found
        since, until = body.get("since"), body.get("until")
        return self.between(
            since.text if isinstance(since, Text) else None, until.text if isinstance(until, Text) else None
        )

    def named(self, mask: int) -> tuple[str, ...]:
        return tuple(name for n, name in enumerate(self.names) if mask >> n & 1)

    def spelled(self, mask: int) -> str:
        """A set as readable text: `0.2.33 to 0.2.45, 0.3.160`."""
        return ", ".join(a if a == b else f"{a} to {b}" for a, b in self._pieces(mask)) or "no release"

    def _pieces(self, mask: int) -> Iterator[tuple[str, str]]:
        first: str | None = None
        for n, name in enumerate(self.names):
            if mask >> n & 1:
                first = name if first is None else first
                if not mask >> (n + 1) & 1:
                    yield first, name
                    first = None


def ends(interval: str) -> tuple[str, str | None]:
    """The two bounds of `A..B`; the second is None if the interval has no end."""
    first, _, last = interval.partition("..")
    return first, last or None


@dataclass(frozen=True, slots=True)
class Span:
    """The requested releases, from `first` to `last` inclusive; None means the oldest, or the newest."""

    first: str | None = None
    last: str | None = None

    @staticmethod
    def at(release: str) -> Span:
        return Span(release, release)

    @staticmethod
    def read(text: str) -> Span:
        """Parse `A..B`, `A..` or `..B`."""
        first, _, last = text.partition("..")
        return Span(first or None, last or None)

    def of(self, releases: Releases) -> tuple[str, ...]:
        """Its releases, the oldest first. Raises `UnknownReleaseError`."""
        for name in (self.first, self.last):
            if name is not None and name not in releases.names:
                raise UnknownReleaseError(name, releases.names)
        found = releases.named(releases.between(self.first, self.last))
        if not found:
            raise UnknownReleaseError(f"{self.first}..{self.last}", releases.names)
        return found


WHOLE = Span()


def releases_asked(at: str | None, span: str | None) -> Span:
    """The span chosen by `--at` and `--span`, or by the keys of a config. Raises `WrongUseError`."""
    if at is not None and span is not None:
        raise WrongUseError("`at` and `span` exclude each other: use `at` for one release, `span` for several")
    if at is not None:
        return Span.at(at)
    if span is None:
        return WHOLE
    if ".." not in span:
        raise WrongUseError(f"`{span}` is not a span: write A..B, A.. or ..B, or use `at` for one release")
    return Span.read(span)


class UnknownReleaseError(WrongUseError):
    """A release, or a span of releases, that the spec does not describe."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"the spec has no release {name!r}; it describes {', '.join(self.known)}")
