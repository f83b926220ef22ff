"""The model → the API that every package offers, in any language: names, which of them may be extended, and features.

A target adds the spelling in its language and the parts that only it has (`polywire.targets.common.api_surface`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.model.nodes import Alias, Declaration, Enum, Model, Struct, Union
from polywire.model.reachability import starts
from polywire.model.walk import held, structs_of, types
from polywire.source.types import TupleType

Feature: TypeAlias = Literal[
    "every",
    "ndjson",
    "content-length",
    "sse",
    "controls",
    "errors",
    "error_codes",
    "error_data",
    "typed_data",
    "notify",
    "cancel",
    "tools",
    "inputs",
    "outputs",
    "launch",
    "process",
    "tuples",
    "repairs",
    "trees",
    "tables",
]
"""What only some packages have; `every` stands for what all have. ndjson, content-length, sse: the framing · errors:
responses that report an error, which may have a code and data, some of it typed · inputs, outputs: of tools · launch:
options start a process · process: a client starts it and talks to it · repairs: fields whose wrong values lenient mode
accepts · trees: entries refer to their parents · tables: values of lines have rows."""

DeclarationKind: TypeAlias = Literal["enum", "alias", "struct", "union"]


@dataclass(frozen=True, slots=True)
class Public:
    """A declaration that user code can name."""

    name: str
    kind: DeclarationKind
    open: bool | None = None
    """For an enum or a union, whether peers may send undeclared values or variants."""
    complete: tuple[str, ...] | None = None
    """If it is closed: what an exhaustive match must list, by names in the spec."""


def public(model: Model) -> tuple[Public, ...]:
    """Every declaration, in the model's order."""
    return tuple(_public(declared) for declared in model.declarations.values())


def _public(declared: Declaration) -> Public:
    match declared:
        case Enum(name=name, open=open_, values=values):
            return Public(name, "enum", open_, None if open_ else tuple(value.name for value in values))
        case Union(name=name, open=open_, dispatch=dispatch):
            return Public(name, "union", open_, None if open_ else structs_of(dispatch))
        case Alias(name=name):
            return Public(name, "alias")
        case Struct(name=name):
            return Public(name, "struct")


def features(model: Model) -> frozenset[Feature]:
    """The features of a package."""
    control = model.protocol.control if model.controls else None
    error = None if control is None else control.error
    data = () if error is None else (*(type_ for _, type_ in error.types), *(each.error for each in model.controls))
    launches = any(struct.launch is not None for struct in model.structs)
    present: dict[Feature, bool] = {
        "every": True,
        model.protocol.framing: True,
        "controls": control is not None,
        "errors": error is not None,
        "error_codes": error is not None and error.code is not None,
        "error_data": error is not None and error.data is not None,
        "typed_data": any(type_ is not None for type_ in data),
        "notify": control is not None and control.notify is not None,
        "cancel": control is not None and control.cancel is not None,
        "tools": any((tool.input, tool.output) != (None, None) for tool in model.tools),
        "inputs": any(tool.input is not None for tool in model.tools),
        "outputs": any(tool.output is not None for tool in model.tools),
        "launch": launches,
        "process": launches and control is not None,
        "tuples": bool(tuple_sizes(model)),
        "repairs": any(field.on_error is not None for struct in model.structs for field in struct.fields),
        "trees": bool(model.trees),
        "tables": bool(model.tables),
    }
    return frozenset(feature for feature, is_present in present.items() if is_present)


def tuple_sizes(model: Model) -> tuple[int, ...]:
    """The sizes of the tuples in a model, in ascending order."""
    return tuple(sorted({len(each.items) for each in types(model) if isinstance(each, TupleType)}))


def bare_mixins(model: Model) -> frozenset[str]:
    """The structs that others include and that are not the type of anything, so users never have one."""
    included = {name for struct in model.structs for name in struct.include}
    met = {*starts(model), *(name for declared in model.declarations.values() for name in _met(declared))}
    return frozenset(included - met)


def _met(declared: Declaration) -> Iterator[str]:
    """The declarations whose values occur in values of this one."""
    return iter(structs_of(declared.dispatch)) if isinstance(declared, Union) else held(declared)
