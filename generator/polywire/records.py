"""A class with annotated fields → a dataclass whose functions are compiled when they are first needed.

`dataclasses` writes and compiles half a dozen functions for each class when it is defined. A command defines hundreds
of classes but uses only some of them, and this took a third of the run time of `polywire lint`. Here a class is still a
dataclass for `fields`, `replace`, `match` and type checkers, but only `__init__` is compiled, when the first object is
created; the other functions loop over the fields.

This is for modules that every command loads. Unsupported features are refused: use `dataclasses` for those.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    T = TypeVar("T")

    def dataclass(cls: type[T] | None = None, /, *, frozen: bool = False, slots: bool = False) -> Any:
        """Like `dataclasses.dataclass`, for classes whose fields are all passed to `__init__` in their order."""
        return (lambda each: _record(each, frozen, slots)) if cls is None else _record(cls, frozen, slots)


__all__ = ["dataclass"]

Fields: TypeAlias = "tuple[dataclasses.Field[Any], ...]"

_ABSENT = object()
"""Marks an argument that was not given and whose default is created anew each time."""


def _record(cls: type, frozen: bool, slots: bool) -> type:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # dataclasses would write a signature, which takes longer than all the rest
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    fields = dataclasses.fields(made)
    if any(not each.init or each.kw_only for each in fields):
        message = f"{cls.__name__}: fields that __init__ does not take in their order are for dataclasses"
        raise TypeError(message)

    def first(self: Any, *args: Any, **named: Any) -> None:
        made.__init__ = _compiled(made, fields, frozen)
        made.__init__(self, *args, **named)

    own: dict[str, Callable[..., object] | None] = {"__init__": first, "__repr__": _repr, "__eq__": _equality(fields)}
    own["__hash__"] = _hash_of(fields) if frozen else None
    if frozen:
        own |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    if frozen and slots:
        own |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, function in own.items():
        if cls.__dict__.get(name) is None:  # methods of the class itself win; a class with its own `__eq__` has no hash
            setattr(made, name, function)
    return cast("type", made)


def _compiled(cls: type, fields: Fields, frozen: bool) -> Any:
    """Compile the `__init__` of a class."""
    seen: dict[str, Any] = {"_set": object.__setattr__, "_absent": _ABSENT}
    parameters, lines = ["self"], []
    for number, each in enumerate(fields):
        value = each.name
        if each.default is not dataclasses.MISSING:
            seen[f"_{number}"] = each.default
            parameters.append(f"{each.name}=_{number}")
        elif each.default_factory is not dataclasses.MISSING:
            seen[f"_{number}"] = each.default_factory
            parameters.append(f"{each.name}=_absent")
            value = f"_{number}() if {each.name} is _absent else {each.name}"
        else:
            parameters.append(each.name)
        lines.append(f"_set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), seen)  # noqa: S102 - names of our own fields
    init = seen["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[object, ...]]:
    """Return a function that returns the values of the fields."""
    match names:
        case ():
            return lambda _: ()
        case (name,):
            return lambda each: (getattr(each, name),)
        case _:
            return attrgetter(*names)


def _equality(fields: Fields) -> Callable[[Any, object], bool]:
    values = _values(tuple(each.name for each in fields if each.compare))

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash_of(fields: Fields) -> Callable[[Any], int]:
    values = _values(tuple(each.name for each in fields if (each.compare if each.hash is None else each.hash)))
    return lambda self: hash(values(self))


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:  # noqa: ARG001 - the signature of object's method
    message = f"cannot assign to field {name!r}"
    raise dataclasses.FrozenInstanceError(message)


def _refuse_delete(self: object, name: str) -> None:  # noqa: ARG001 - the signature of object's method
    message = f"cannot delete field {name!r}"
    raise dataclasses.FrozenInstanceError(message)


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
