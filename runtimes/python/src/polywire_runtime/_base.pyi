from enum import Enum
from typing import Any, Final, Generic, Literal, TypeGuard, TypeVar

_V = TypeVar("_V")
_V_co = TypeVar("_V_co", covariant=True)

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

class Unset(Enum):
    """The type of UNSET."""

    UNSET = "UNSET"

    def __bool__(self) -> Literal[False]: ...

UNSET: Final = Unset.UNSET
"""An optional member that is not there, where None would mean null."""

class Fault(ValueError):
    """A value that does not fit: `code` is stable, `path` a JSON Pointer, `message` for people."""

    code: str
    path: str
    message: str
    def __init__(self, code: str, path: str = "", message: str = "") -> None: ...

class DecodeError(Fault):
    """Data that is not what it should be."""

class EncodeError(Fault):
    """An object that cannot be written."""

class EnumValues(Generic[_V_co]):
    """Base of the classes that hold the known values of an enum."""

def is_known(value: object, values: type[EnumValues[_V]]) -> TypeGuard[_V]:
    """Whether a value is one that the enum declares; `values` is the class that holds its constants."""

def known_values(values: type[EnumValues[_V]]) -> tuple[_V, ...]:
    """The known values of an enum, in declared order; `values` is the class that holds its constants."""

class Record:
    """Base of all types."""

    __match_args__ = ()
    def __replace__(self, /, **changes: Any) -> Any: ...

def share_extra(types: list[type[Record]]) -> None:
    """Let codecs see the slot of `extra` bare, None where there is nothing, and users a dict at any time."""

factory: Any
