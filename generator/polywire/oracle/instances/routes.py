"""A dispatch → what an object must have to be led to each struct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from polywire.model.nodes import Dispatch, Keys, Leaf, Switch


@dataclass(frozen=True, slots=True)
class Route:
    """The members that an object must have for a dispatch to lead to the struct."""

    struct: str = ""
    pins: tuple[tuple[str, str | bool | int], ...] = ()
    absent: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """The keys that the dispatch examines."""
        return self.absent | self.present | {key for key, _ in self.pins}

    def pinned(self, key: str, value: str | bool | int) -> Route:
        return replace(self, pins=(*self.pins, (key, value)))

    def without(self, keys: Iterable[str]) -> Route:
        return replace(self, absent=self.absent.union(keys))


def routes_of(dispatch: Dispatch, so_far: Route = Route()) -> Iterator[Route]:
    """Yield every way to a struct except catch-alls, in declared order."""
    match dispatch:
        case Leaf(struct=struct):
            yield replace(so_far, struct=struct)
        case Switch(key=key, cases=cases, absent=absent):
            for value, then in cases:
                yield from routes_of(then, so_far.pinned(key, value))
            for prefix, then in dispatch.prefixes:
                yield from routes_of(then, so_far.pinned(key, beginning(dispatch, prefix)))
            if absent is not None:
                yield from routes_of(absent, so_far.without([key]))
                for value in unclaimed_cases(dispatch):
                    yield from routes_of(absent, so_far.pinned(key, value))
        case Keys(cases=conditions):
            for variant, then in conditions:
                way = replace(
                    so_far, absent=so_far.absent.union(variant.lacks), present=so_far.present.union(variant.has)
                )
                yield from routes_of(then, way)


def unclaimed_cases(switch: Switch) -> list[bool]:
    """Return the booleans that no case matches; none if the discriminator is not a boolean."""
    claimed = [value for value, _ in switch.cases]
    return [value for value in (True, False) if value not in claimed] if switch.base == "boolean" else []


def beginning(switch: Switch, prefix: str) -> str:
    """Return a text that starts with the prefix but matches neither a case nor a longer prefix."""
    longer = tuple(other for other, _ in switch.prefixes if other != prefix and other.startswith(prefix))
    texts = (f"{prefix}{rest}" for rest in ("x", "", *map(chr, range(0x21, 0x7F)), "polywire_unheard_of"))
    return next(text for text in texts if switch.case(text) is None and not text.startswith(longer))
