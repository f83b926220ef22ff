# pyright: basic
"""The unions, enums and other aliases of the package as runtime objects, created on first access.

Type checkers read the declarations instead. Creating all of them would import every area, and `typing` for the enums.
"""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from operator import or_

from ._base import RecordType
from ._rows import class_of, declared_class, row, structs_of
from ._table import AREAS, NAMES, RECURSIVE, ROOT, ROWS, UNKNOWNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["TYPES", "area", "declared_name", "exports", "is_lasting", "lazy", "type_name"]

TYPES = tuple(NAMES.get(name, name) for name in ROWS)
"""Every declared name."""

_BUILT_IN: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "number": float,
    "integer": int,
    "uuid": str,
    "timestamp": str,
    "null": None,
}

_made: dict[str, Any] = {}
_names: dict[int, str] = {}
"""The id of each alias created so far → its name. An alias lives as long as the package."""


def lazy(module: str) -> Callable[[str], Any]:
    """The `__getattr__` function for the module of an area."""
    area = module.rpartition(".")[2]

    def get(name: str) -> Any:
        if AREAS.get(name) == area:
            if name in ROWS:
                return alias(name)
            enum = name.removesuffix("Known")
            if enum != name and enum in ROWS:
                return _literal(row(enum)[4])
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get


def exports(names: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` functions of a package with these global names.

    They import a name on first access, with the rest of its module. They are here because names of the protocol become
    global names of the package, and may be those of built-in functions.
    """

    def get(name: str) -> Any:
        if name not in AREAS:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        found = names[name] = getattr(area(name), name)
        return found

    return get, lambda: sorted({*names, *AREAS})


def area(name: str) -> Any:
    """The module that declares a name."""
    return import_module(f".{AREAS[name]}", __package__)


def alias(name: str) -> Any:
    """The runtime object for a declared union, enum or alias."""
    found = _made.get(name)
    if found is None:
        found = _made[name] = _alias(name)
        _names.setdefault(id(found), name)
    return found


def _alias(name: str) -> Any:
    match row(name):
        case ["enum", _, base, is_open, values]:
            from typing import Union

            made = _literal(values)
            return Union[made, _BUILT_IN[base]] if is_open else made  # noqa: UP007 - a Literal has no `|` before 3.14
        case ["alias", _, type_]:
            return _expression(type_)
        case ["union", _, is_open, unknown, dispatch]:
            classes = [class_of(each) for each in dict.fromkeys(structs_of(dispatch))]
            return reduce(or_, [*classes, *([class_of(unknown)] if is_open else [])])
        case _:
            raise LookupError(name)


def _literal(values: list[str | int]) -> Any:
    from typing import Literal

    return Literal[tuple(values)]


def _expression(type_: Any) -> Any:
    """A type as an annotation expression."""
    if isinstance(type_, str):
        if type_ in ROWS:
            return type_ if type_ in RECURSIVE else class_of(type_) if row(type_)[0] == "struct" else alias(type_)
        if type_ in _BUILT_IN:
            return _BUILT_IN[type_]
        from typing import Any

        return Any if type_ == "json" else dict[str, Any]
    how, *rest = type_
    if how == "[]":
        return list[_expression(rest[0])]  # type: ignore[misc]  # an object, not an annotation
    if how == "=":
        return float if isinstance(rest[0], float) else _literal(rest)
    if how == "()":
        return tuple[tuple(map(_expression, rest[0]))]  # type: ignore[misc]
    if how == "<":
        return _expression(rest[0])
    if how == "{}":
        return dict[str if rest[1] is None else alias(rest[1]), _expression(rest[0])]  # type: ignore[misc]
    from typing import Union

    return Union[tuple(dict.fromkeys(map(_expression, rest[0].values())))]  # noqa: UP007


def type_name(type_: Any) -> Any:
    """The name of a type given by a caller: a class, union, enum or alias of this package, or its name.

    None means the root type. A list, a map, or a union of such types is a composed type of the table. Raises TypeError
    for anything else.
    """
    found: Any
    if type_ is None:
        return ROOT
    if isinstance(type_, str):
        if type_ in ROWS:
            return type_
        found = next((name for name, declared in NAMES.items() if declared == type_), None)
    elif isinstance(type_, RecordType):
        found = declared_class(type_)
        found = None if found in UNKNOWNS else found
    else:
        found = _names.get(id(type_)) or _expressed(type_)
    if found is None:
        expected = (
            "expected one of its classes, unions, enums or aliases, the name of one, or a list, map or union of them"
        )
        raise TypeError(f"{type_!r} is not a type of this package; {expected}")
    return found


def is_lasting(type_: Any) -> bool:
    """Whether an object that represents a type, a class or an alias of the package, lives as long as the package."""
    return isinstance(type_, RecordType) or id(type_) in _names


_expressions: dict[Any, Any] = {}
"""Each type expression that a caller has written → the type of the table."""


def _expressed(type_: Any) -> Any:
    """The type of the table for an expression that the caller wrote; None if there is none."""
    try:
        found = _expressions.get(type_)
    except TypeError:  # it cannot be hashed, so it is no expression
        return None
    if found is None:
        arguments: Any = getattr(type_, "__args__", ())
        if getattr(type_, "__origin__", None) is list:
            found = ["[]", _part(arguments[0]), None, None]
        elif getattr(type_, "__origin__", None) is dict and arguments[0] is str:
            found = ["{}", _part(arguments[1]), None]
        else:
            found = _equal(type_) or _choice(type_)
        if found is not None:
            _expressions[type_] = found
    return found


def _part(type_: Any) -> Any:
    """A type of the table for a part of an expression."""
    from typing import Any as Anything

    built_in = {str: "string", bool: "boolean", float: "number", int: "integer", type(None): "null"}
    if type_ is Anything:
        return "json"
    return built_in[type_] if isinstance(type_, type) and type_ in built_in else type_name(type_)


def _choice(type_: Any) -> Any:
    """The type of the table for a union that the caller wrote; None if it is none, or if JSON cannot tell its members.

    Classes among its members must be variants of one union.
    """
    from typing import Union

    if getattr(type_, "__origin__", type(type_).__name__) not in {Union, "UnionType"}:
        return None
    classes = [each for each in type_.__args__ if isinstance(each, RecordType)]
    parts = [_part(each) for each in type_.__args__ if each not in classes]
    if classes:
        parts.append(_variants([declared_class(each) for each in classes]))
    choice: dict[str, Any] = {}
    for part in parts:
        for kind in () if part is None else _kinds_of(part):
            if kind in choice:
                return None
            choice[kind] = part
    return None if None in parts else parts[0] if len(parts) == 1 else ["|", choice]


def _variants(names: list[str | None]) -> Any:
    """The type of the table for some classes: one of them, a union, or some variants of the smallest union with all."""
    if len(names) == 1 and names[0] not in UNKNOWNS:
        return names[0]
    fitting = []
    for name in ROWS:
        if row(name)[0] == "union":
            members = {*structs_of(row(name)[4]), *filter(None, [row(name)[3]])}
            if members.issuperset(names):
                fitting.append((len(members), name))
    if not fitting:
        return None
    size, union = min(fitting)
    return union if size == len({*names}) else ["+", union, names]


def _kinds_of(type_: Any) -> list[str]:
    """The JSON kinds of the values of a type."""
    if not isinstance(type_, str):
        how, *rest = type_
        if how == "|":
            return [*rest[0]]
        if how == "=":
            return [{bool: "boolean", str: "string"}.get(type(rest[0]), "number")]
        return ["array"] if how in {"[]", "()"} else _kinds_of(rest[0]) if how == "<" else ["object"]
    if type_ in ROWS:
        how, _, *rest = row(type_)
        return _kinds_of(rest[0]) if how in {"enum", "alias"} else ["object"]
    if type_ == "json":
        return ["string", "boolean", "number", "null", "array", "object"]
    return [{"uuid": "string", "timestamp": "string", "integer": "number"}.get(type_, type_)]


def _equal(type_: Any) -> str | None:
    """The name of the alias that equals a type expression written by the caller."""
    return next((name for name in ROWS if row(name)[0] != "struct" and alias(name) == type_), None)


def declared_name(name: str) -> str:
    """The protocol's name for a type that is called `name` in this package."""
    declared: str = NAMES.get(name, name)
    return declared
