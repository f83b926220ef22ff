# pyright: basic
"""The functions that answer a peer's requests: those given for types of requests, and those in options."""

from __future__ import annotations

from functools import partial

from ._base import UNSET
from ._control import ANSWERS
from ._rows import class_of, declared_class
from ._wire import from_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ._launch import LaunchFunction

__all__ = ["Answerers", "receiver"]


def receiver(functions: Iterable[LaunchFunction], output: str, given: Any) -> Any:
    """The function that is called with an output of the process: the one given, or the one in the options."""
    for each in functions:
        if each.receives == output:
            if given is not None:
                raise ValueError(f"both {output!r} and the option {each.place} receive it; give one of them")
            return each.function
    return given


class Answerers:
    """The functions of a process."""

    def __init__(self, functions: Iterable[LaunchFunction], given: Mapping[Any, Any]) -> None:
        self._given = given
        self._own: dict[Any, dict[str | None, LaunchFunction]] = {}
        for each in functions:
            if each.live or (each.control is None and each.receives is None):
                what = "object" if each.live else "function"
                raise ValueError(f"the {what} in the option {each.place} is not used by a process; leave it out")
            if each.control is not None:
                self._add(each)

    def _add(self, each: LaunchFunction) -> None:
        request = each.row["request"]
        if any(issubclass(class_of(request), kind) for kind in self._given):
            raise ValueError(f"both `answers` and the option {each.place} answer {each.control!r}; give one of them")
        others = self._own.setdefault(request, {})
        if None in others or (each.id is None and others):
            other = next(iter(others.values())).place
            raise ValueError(f"the options {other} and {each.place} both answer {each.control!r}; give one of them")
        others[each.id] = each

    def find(self, payload: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]] | None:
        """The function for a request, and what makes the result from its value.

        It raises LookupError if functions in the options answer such requests, but none has the id in this one.
        """
        given = next((each for kind, each in self._given.items() if isinstance(payload, kind)), None)
        if given is not None:
            return given, _unchanged
        own = self._own.get(declared_class(type(payload)))
        if own is None:
            return None
        row = next(iter(own.values())).row
        id_ = str(_at(payload, row["id_attributes"])) if "id" in row else None
        found = own.get(id_)
        return (
            (partial(_refused, id_), _unchanged) if found is None else (partial(_called, found), partial(_result, row))
        )


def _refused(id_: str | None, _: Any) -> Any:
    raise LookupError(f'no function has the id "{id_}"')


def _called(function: LaunchFunction, payload: Any) -> Any:
    """Call a function in the options with its parameters from a request."""
    values = [_at(payload, way) for way in function.row["param_attributes"]]
    return function.function(*[None if each is UNSET else each for each in values])


def _at(value: Any, way: Iterable[str]) -> Any:
    for name in way:
        value = getattr(value, name, None)
    return value


def _unchanged(result: Any) -> Any:
    return result


def _result(row: Mapping[str, Any], returned: Any) -> Any:
    """The result of a request, for what a function in the options has returned."""
    type_ = ANSWERS[row["request"]][2][0]
    if returned is None and "none" in row:
        plain = row["none"]
        for key in reversed(row.get("result", ())):
            plain = {key: plain}
        return from_value(plain, type_)
    for name in row["result_attributes"]:
        returned = class_of(type_)(**{name: returned})
    return returned
