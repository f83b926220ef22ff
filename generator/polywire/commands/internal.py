"""An unexpected exception → a bug report: the declaration it occurred at, and the place in polywire."""

from __future__ import annotations

import traceback
from types import TracebackType

from polywire import __version__
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Alias, Control, Enum, Field, Struct, Tool, Union

_DECLARED = (Alias, Control, Enum, Struct, Tool, Union)
_MOST = 5
"""Maximum number of frames shown, innermost."""


def describe(error: Exception) -> str:
    """Return the message for people. An exception inside polywire is a bug of polywire, whatever the spec says."""
    found = _declaration(error.__traceback__)
    where = "" if found is None else f" at {found}"
    frames = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)[-_MOST:]))
    return (
        f"internal error{where}: {_shown(error)}\n"
        f"This is a bug in polywire {__version__}, not in what it was given. Please report it with the declaration, "
        f"or the whole spec, and these lines:\n{frames.rstrip()}"
    )


def _shown(error: Exception) -> str:
    message = str(error).split("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _declaration(frames: TracebackType | None) -> str | None:
    """Return the declaration that the innermost frame which holds one is working on, and the field if there is one."""
    declared: tuple[str, SourceLocation] | None = None
    field: str | None = None
    while frames is not None:
        for value in list(frames.tb_frame.f_locals.values()):
            if isinstance(value, _DECLARED):
                name = value.name if isinstance(value, (Alias, Enum, Struct, Union)) else _key(value)
                if declared is None or declared[0] != name:
                    field = None
                declared = (name, value.place)
            elif isinstance(value, Field):
                field = value.name
        frames = frames.tb_next
    if declared is None:
        return None
    name, place = declared
    return f"{name}{f'.{field}' if field else ''} ({place})" if place.file else name


def _key(value: Control | Tool) -> str:
    return value.key if isinstance(value, Control) else value.pattern
