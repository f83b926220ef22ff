# pyright: basic
"""The foundation of all types of the package: records, errors, `UNSET`, and the values of enums.

Records behave like dataclasses in every observable way. The methods and attributes that a dataclass gets (`__init__`,
`__eq__`, `__repr__`, `__dataclass_fields__`) are created on first use, because a program uses few of the types that it
imports.
"""

from __future__ import annotations

import enum
import sys
from _thread import get_ident
from os import urandom
from types import GenericAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Final, Generic, Literal, NewType, TypeGuard, TypeVar

    from typing_extensions import Self, dataclass_transform

    _V = TypeVar("_V")
    _V_co = TypeVar("_V_co", covariant=True)
    _F = TypeVar("_F")

    class EnumValues(Generic[_V_co]):
        """Base of the classes that hold the known values of an enum."""

    UnknownText = NewType("UnknownText", str)
    UnknownInteger = NewType("UnknownInteger", int)
else:

    class Generic:
        """A stand-in for `typing.Generic`, for type checkers only: `typing` is slow to import."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)

    _V = _V_co = None

    class EnumValues(Generic):
        """Base of the classes that hold the known values of an enum."""

        __slots__ = ()

    def UnknownText(value: str) -> str:
        """Text that is not a declared value of an open enum, for code that has to write it anyway."""
        return value

    def UnknownInteger(value: int) -> int:
        """An integer that is not a declared value of an open enum, for code that has to write it anyway."""
        return value

    def dataclass_transform(**_: object) -> Callable[[_F], _F]:
        """For type checkers only; `typing` has it since Python 3.11, and is slow to import."""
        return lambda decorated: decorated


__all__ = [
    "UNSET",
    "DecodeError",
    "EncodeError",
    "EnumValues",
    "Generic",
    "Record",
    "Shared",
    "Unknown",
    "UnknownInteger",
    "UnknownText",
    "Unset",
    "fresh_uuid",
    "is_known",
    "known_values",
]


class Unset(enum.Enum):
    """The type of UNSET."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Final = Unset.UNSET
"""Marks an optional member as absent, where None means null."""


class _Fault(ValueError):
    """An invalid value. `code` is stable, `path` is a JSON Pointer (RFC 6901), and `message` is for people."""

    code: str
    path: str
    message: str

    def __init__(self, code: str, path: str = "", message: str = "") -> None:
        super().__init__(code, path, message)
        self.code = code
        self.path = path
        self.message = message

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self.code, self.path, self.message) == (other.code, other.path, other.message)

    def __hash__(self) -> int:
        return hash((self.code, self.path, self.message))

    def __str__(self) -> str:
        where = f" at {self.path}" if self.path else ""
        return f"{self.code}{where}: {self.message}"


class DecodeError(_Fault):
    """Invalid data. `code` is stable, `path` is a JSON Pointer, and `message` is for people."""


class EncodeError(_Fault):
    """An invalid object that cannot be written. `code` is stable, `path` is a JSON Pointer, `message` is for people."""


def known_values(values: type[EnumValues[_V]]) -> tuple[_V, ...]:
    """The known values of an enum, in declared order; `values` is the class that holds its constants."""
    return tuple(value for name, value in vars(values).items() if not name.startswith("_"))


def is_known(value: object, values: type[EnumValues[_V]]) -> TypeGuard[_V]:
    """Whether the enum declares a value; `values` is the class that holds its constants."""
    return any(type(value) is type(known) and value == known for known in known_values(values))


def fresh_uuid() -> str:
    """A random UUID (version 4)."""
    digits = bytearray(urandom(16))
    digits[6] = digits[6] & 0x0F | 0x40
    digits[8] = digits[8] & 0x3F | 0x80
    text = digits.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# --- records ---------------------------------------------------------------------------------------------------


class _Required:
    """The marker for a field without a default."""


class _Factory:
    """The default of `extra`: a new dict for every object. Its representation is the one that dataclasses use."""

    def __repr__(self) -> str:
        return "<factory>"


_REQUIRED = _Required()
_FACTORY: Any = _Factory()


class _Lazy:
    """A class attribute that is created on first use and then replaces this object."""

    def __init__(self, make: Callable[[RecordType], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: RecordType) -> Any:
        if isinstance(instance, RecordType):  # since Python 3.13, `inspect` binds what it finds in a class to the class
            owner = instance
        made = self._make(owner)
        if "_direct" not in vars(owner) and owner.__bases__ != (object,):  # their attributes would be inherited
            setattr(owner, self._name, made)
        return made.__get__(instance, owner) if callable(made) else made


class _Annotations(dict[str, "Any"]):
    """The annotations of a class or a function. The names in them are imported into their module on demand.

    A program that only reads and writes messages imports neither `typing` nor the areas that its types refer to.
    """

    __slots__ = ("_module",)

    def __init__(self, annotations: dict[str, Any], module: str) -> None:
        super().__init__(annotations)
        self._module = module

    def _resolve(self) -> None:
        module, self._module = self._module, ""
        if module:
            _import_names(module, " ".join(map(str, super().values())))

    def __iter__(self) -> Iterator[str]:
        self._resolve()
        return super().__iter__()

    def keys(self) -> Any:
        self._resolve()
        return super().keys()

    def items(self) -> Any:
        self._resolve()
        return super().items()


def _import_names(module: str, annotations: str) -> None:
    """Import the names that annotations use, as the module's block for type checkers does."""
    import re
    import typing

    from ._aliases import area
    from ._table import AREAS

    names = vars(sys.modules[module])
    for name in re.findall("[A-Za-z_][A-Za-z_0-9]*", annotations):
        if name in names:
            pass
        elif name in AREAS:
            names[name] = getattr(area(name), name)
        elif name in globals() or hasattr(typing, name):
            names[name] = globals().get(name) or getattr(typing, name)


class _Documented(dict[str, str]):
    """The `__slots__` of a class, where `help` finds the docstrings of fields; read from the source on demand."""

    def __init__(self, names: tuple[str, ...], module: str, qualname: str) -> None:
        super().__init__(dict.fromkeys(names, ""))
        self._of = (module, qualname)

    def __getitem__(self, name: str) -> str:
        if self._of[0]:
            module, qualname = self._of
            self._of = ("", "")
            try:
                self.update({field: doc for field, doc in _field_docs(module, qualname).items() if field in self})
            except (OSError, SyntaxError, TypeError):
                pass  # the installation has no sources
        return super().__getitem__(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _field_docs(module: str, qualname: str) -> dict[str, str]:
    """Field → the string below its declaration, for a class at the top level of a module."""
    import ast
    import inspect
    import itertools

    tree = ast.parse(inspect.getsource(sys.modules[module]))
    body = next((each.body for each in tree.body if isinstance(each, ast.ClassDef) and each.name == qualname), [])
    docs: dict[str, str] = {}
    for declaration, below in itertools.pairwise(body):
        match declaration, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                docs[name] = inspect.cleandoc(doc)
            case _:
                pass
    return docs


@dataclass_transform(kw_only_default=True)
class RecordType(type):
    """The metaclass of records: turns annotations into fields, and fields into slots."""

    __polywire_fields__: dict[str, Any]
    """Field → default, inherited fields first; `extra` is not included."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> RecordType:
        annotations = _annotations(namespace)
        own = {
            field: namespace.get(field, _REQUIRED)
            for field, annotation in annotations.items()
            if str(annotation).partition("[")[0] not in ("ClassVar", "typing.ClassVar")
        }
        inherited: dict[str, Any] = {}
        for base in reversed(bases):
            inherited |= getattr(base, "__polywire_fields__", {})
        namespace["__polywire_fields__"] = inherited | own
        if "__annotations__" in namespace and namespace["__module__"].rpartition(".")[0] == __package__:
            namespace["__annotations__"] = _Annotations(annotations, namespace["__module__"])
        if own or not bases:
            namespace |= {member: _Lazy(make) for member, make in _MADE.items() if member not in namespace}
        if "__slots__" not in namespace and any(base.__dict__.get("_direct") for base in bases):
            for field in own:
                namespace.pop(field, None)
            namespace["__slots__"] = _Documented(tuple(own), namespace["__module__"], namespace["__qualname__"])
        elif "extra" in namespace.get("__slots__", ()):  # `@dataclass(slots=True)` adds it by name
            namespace["__slots__"] = tuple(slot for slot in namespace["__slots__"] if slot != "extra")
        return super().__new__(cls, name, bases, namespace)


def _annotations(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The annotations of a class body. Since 3.14, a body without the `annotations` future has a function for them."""
    found: dict[str, Any] = namespace.get("__annotations__", {})
    if not found and sys.version_info >= (3, 14):
        import annotationlib

        annotate = annotationlib.get_annotate_from_class_namespace(namespace)
        if annotate is not None:
            found = annotationlib.call_annotate_function(annotate, annotationlib.Format.FORWARDREF)
    return found


def _fields(cls: RecordType) -> dict[str, Any]:
    """Field → default, in the order of the parameters of `__init__`; `extra` is the last."""
    fields = dict(cls.__polywire_fields__)
    if issubclass(cls, Record):
        fields["extra"] = _FACTORY
    return fields


def _function(cls: RecordType, name: str, head: str, lines: list[str], scope: dict[str, Any]) -> Any:
    """A method of a class, compiled from source text, as dataclasses do: its globals are those of the class."""
    body = "".join(f"        {line}\n" for line in lines)
    text = f"def make({', '.join(scope)}):\n    def {name}({head}):\n{body}    return {name}"
    made: Any = {}
    exec(text, vars(sys.modules[cls.__module__]), made)  # noqa: S102 - from the package's own declarations
    made = made["make"](**scope)
    made.__module__ = cls.__module__
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    return made


def _make_init(cls: RecordType) -> Any:
    fields = _fields(cls)
    scope = {f"_{name}": default for name, default in fields.items()}
    parameters = [name if default is _REQUIRED else f"{name}=_{name}" for name, default in fields.items()]
    lines = [f"self.{name} = {name}" for name in fields if name != "extra"]
    if "extra" in fields:
        lines.append("self._extra = None if extra is _extra else extra")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    made = _function(
        cls, "__init__", ", ".join(["self", "*", *parameters]) if fields else "self", lines or ["pass"], scope
    )
    annotations = {name: each for base in reversed(cls.__mro__) for name, each in dict.items(_annotations(vars(base)))}
    annotations = {name: annotations.get(name, "dict[str, Any]") for name in fields} | {"return": None}
    made.__annotations__ = _Annotations(annotations, cls.__module__)
    return made


def _make_eq(cls: RecordType) -> Any:
    tests = [f"self.{name} == other.{name}" for name in _fields(cls) if name != "extra"]
    if issubclass(cls, Record):
        tests.append("(self._extra or None) == (other._extra or None)")
    lines = ["if other.__class__ is not self.__class__:", "    return NotImplemented"]
    return _function(cls, "__eq__", "self, other", [*lines, f"return {' and '.join(tests) or True}"], {})


def _make_fields(cls: RecordType) -> Any:
    return _plain(cls).__dataclass_fields__


def _make_params(cls: RecordType) -> Any:
    return _plain(cls).__dataclass_params__


def _plain(cls: RecordType) -> Any:
    """A real dataclass of the same shape."""
    import dataclasses

    annotations = {name: each for base in reversed(cls.__mro__) for name, each in _annotations(vars(base)).items()}
    members: list[Any] = []
    for name, default in _fields(cls).items():
        if default is _FACTORY:
            made: Any = dataclasses.field(default_factory=dict)
        else:
            made = dataclasses.field() if default is _REQUIRED else dataclasses.field(default=default)
        members.append((name, annotations.get(name, "dict[str, Any]"), made))
    return dataclasses.make_dataclass(cls.__name__, members, kw_only=True)


_MADE: dict[str, Callable[[RecordType], Any]] = {
    "__init__": _make_init,
    "__eq__": _make_eq,
    "__dataclass_fields__": _make_fields,
    "__dataclass_params__": _make_params,
}
"""The class attributes that are created on first use."""

_SHOWN: set[tuple[int, int]] = set()
"""The records whose representation is in progress, each as its id and the thread's id: a record may contain itself."""


class _Base(metaclass=RecordType):
    """The common base of records and Unknowns."""

    __slots__ = ()
    __match_args__ = ()
    __hash__ = None  # type: ignore[assignment]  # mutable, like any dataclass that is not frozen

    def __repr__(self) -> str:
        shown = id(self), get_ident()
        if shown in _SHOWN:
            return "..."
        _SHOWN.add(shown)
        try:
            return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in _set(self))})"
        finally:
            _SHOWN.discard(shown)

    def __replace__(self, /, **changes: Any) -> Self:
        import dataclasses

        return dataclasses.replace(self, **changes)


def _set(record: _Base) -> Iterator[tuple[str, object]]:
    """The fields of a record whose values differ from the default."""
    for name, default in _fields(type(record)).items():
        value = getattr(record, name)
        if value is not default and not (default is _FACTORY and not value):
            yield name, value


class Record(_Base):
    """Base of all types: objects with declared members.

    `extra` contains the undeclared members of the object, in their original order.
    """

    __slots__ = ("_extra",)
    _direct = True
    if TYPE_CHECKING:
        extra: dict[str, Any] = {}
    else:

        @property
        def extra(self) -> dict[str, Any]:
            """Undeclared members of the object, in their original order."""
            extra = self._extra
            if extra is None:
                extra = self._extra = {}
            return extra

        @extra.setter
        def extra(self, extra: dict[str, Any]) -> None:
            self._extra = extra


if not TYPE_CHECKING:  # in the body, it would be a field of its own slot
    Record.__annotations__ = _Annotations({"extra": "dict[str, Any]"}, __name__)


class Unknown(_Base):
    """Base of the Unknown classes: an object that matches no variant of an open union; `raw` is the object."""

    __slots__ = ("raw",)
    _direct = True
    raw: dict[str, Any]

    def _view(self, of: str, key: str) -> Any:
        """The object's value for a field declared by a type; None if it is missing, null or invalid."""
        from ._wire import view

        return view(self.raw, of, key)


class _SharedType(type):
    """The metaclass of `Shared` classes: their instances are the instances of the records that they list."""

    records: tuple[str, ...]

    def __instancecheck__(cls, instance: object) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, other: type) -> bool:
        return any(base.__name__ in cls.records and isinstance(base, RecordType) for base in other.__mro__)


class Shared(metaclass=_SharedType):
    """Base of the classes that represent several records with common fields; type checkers see protocols."""

    __slots__ = ()
    records: tuple[str, ...] = ()
