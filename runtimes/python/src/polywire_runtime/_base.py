# pyright: basic
"""What all types of the package have in common, the error types, and UNSET.

The types are dataclasses in every way that shows. They are written out, since running the decorator hundreds of times
would be most of the import; what only introspection asks for (`__dataclass_fields__`, `__dataclass_params__`) is made
by a real dataclass of the same shape when it is first asked for.
"""

from __future__ import annotations

import enum
from reprlib import recursive_repr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

__all__ = [
    "UNSET",
    "DecodeError",
    "EncodeError",
    "EnumValues",
    "Record",
    "Unset",
    "factory",
    "is_known",
    "known_values",
    "share_extra",
]


class Unset(enum.Enum):
    """The type of UNSET."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET
"""An optional member that is not there, where None would mean null."""


class Fault(ValueError):
    """A value that does not fit: `code` is stable, `path` a JSON Pointer, `message` for people."""

    def __init__(self, code: str, path: str = "", message: str = "") -> None:
        super().__init__(code, path, message)
        self.code = code
        self.path = path
        self.message = message

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}"


class DecodeError(Fault):
    """Data that is not what it should be."""


class EncodeError(Fault):
    """An object that cannot be written."""


class EnumValues:
    """Base of the classes that hold the known values of an enum."""

    __slots__ = ()


def known_values(values: type[EnumValues]) -> tuple[Any, ...]:
    """The known values of an enum, in declared order; `values` is the class that holds its constants."""
    return tuple(value for name, value in vars(values).items() if not name.startswith("_"))


def is_known(value: object, values: type[EnumValues]) -> bool:
    """Whether a value is one that the enum declares; `values` is the class that holds its constants."""
    return any(type(value) is type(known) and value == known for known in known_values(values))


class _Factory:
    """The default of `extra`, a dict of its own for every object; shown as dataclasses show it."""

    def __repr__(self) -> str:
        return "<factory>"


factory: Any = _Factory()


class _FromTwin:
    """A part of the dataclass protocol, taken from a real dataclass once it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type[Record]) -> Any:
        if owner is Record:
            raise AttributeError(self.name)  # only what extends it is a dataclass
        home = _home(owner)
        twin = _twin(home)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(home, name, getattr(twin, name))
        return home.__dict__[self.name]


def _home(owner: type) -> type:
    """The generated class that a class is or extends."""
    return next(each for each in owner.__mro__ if each.__bases__[:1] == (Record,))


def _twin(home: type) -> type:
    import dataclasses

    annotations: Mapping[str, Any] = getattr(home, "__annotations__", {})
    defaults: Mapping[str, Any] = getattr(vars(home)["__init__"], "__kwdefaults__", None) or {}
    members: list[Any] = []
    for name in _names(home):
        if name not in defaults:
            spec = dataclasses.field()
        elif defaults[name] is factory:
            spec = dataclasses.field(default_factory=dict)
        else:
            spec = dataclasses.field(default=defaults[name])
        members.append((name, annotations.get(name, "object"), spec))
    return dataclasses.make_dataclass(home.__name__, members, kw_only=True, slots=True)


def _names(home: type) -> tuple[str, ...]:
    """The fields of a generated class."""
    return tuple(getattr(home, "__annotations__", ()))


class Record:
    """Base of all types."""

    __slots__ = ()
    __match_args__ = ()
    __hash__ = None  # type: ignore[assignment]  # mutable, like any dataclass that is not frozen

    if not TYPE_CHECKING:
        __dataclass_fields__ = _FromTwin("__dataclass_fields__")
        __dataclass_params__ = _FromTwin("__dataclass_params__")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(_member(self, name) == _member(other, name) for name in _names(_home(type(self))))

    @recursive_repr()
    def __repr__(self) -> str:
        members = [f"{name}={getattr(self, name)!r}" for name in _names(_home(type(self)))]
        return f"{type(self).__qualname__}({', '.join(members)})"

    def __replace__(self, /, **changes: Any) -> Any:
        import dataclasses

        return dataclasses.replace(self, **changes)  # type: ignore[type-var]  # it is one, once asked


def _member(record: Any, name: str) -> Any:
    return (record._extra or None) if name == "extra" else getattr(record, name)


def _extra_of(record: Any) -> dict[str, Any]:
    extra: dict[str, Any] | None = record._extra
    if extra is None:
        extra = record._extra = {}
    return extra


def _set_extra(record: Any, extra: dict[str, Any]) -> None:
    record._extra = extra


_EXTRA = property(_extra_of, _set_extra)


def share_extra(types: list[type[Record]]) -> None:
    """Let codecs see the slot of `extra` bare, None where there is nothing, and users a dict at any time."""
    for each in types:
        setattr(each, "_extra", each.__dict__["extra"])  # noqa: B010 - a second name of the same slot
        setattr(each, "extra", _EXTRA)  # noqa: B010
