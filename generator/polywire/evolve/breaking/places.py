"""A place in the old spec → the place in the new one where its removal is shown."""

from __future__ import annotations

from polywire.evolve.diff.matching import Matching
from polywire.ground.location import SourceLocation


def section(matching: Matching, place: SourceLocation, entry: SourceLocation) -> SourceLocation:
    """Return the start of the section that contained something: in the same file, or else in another.

    If the section no longer exists, return the one before it, or `entry` if there is none.
    """
    before, after = matching.before.headings, matching.after.headings
    here = ((_point(at), key) for (file, key), at in before.items() if file == place.file)
    above = [key for point, key in sorted(here, reverse=True) if point <= _point(place)]
    own = [at for (_, key), at in after.items() if key in above[:1]]
    own.sort(key=lambda at: at.file != place.file)
    nearby = [after[place.file, key] for key in above if (place.file, key) in after]
    return (*own, *nearby, entry)[0]


def _point(place: SourceLocation) -> tuple[int, int]:
    return place.line, place.column
