"""A place in the old spec → the place in the new one where what is gone from there is shown."""

from __future__ import annotations

from polywire.diff.matching import Matching
from polywire.model.nodes import SourceLocation


def section(matching: Matching, place: SourceLocation, entry: SourceLocation) -> SourceLocation:
    """Where the section begins in which something stood: there, or in another file now.

    If there is no such section any more, it is the one that stood before it, or `entry` at last.
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
