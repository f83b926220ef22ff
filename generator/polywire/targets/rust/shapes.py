"""Type expressions → Rust types, with what decides how they are laid out in memory.

An inline union becomes an enum with a variant a JSON kind, made once for all fields of that type and named after its
members, or after the alias that it is the type of. A field that leads back to its own struct is boxed, and so is a
variant that would make its union large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.model.nodes import NULL, Alias, Array, Choice, Enum, Field, Map, Model, Ref, Scalar, Struct, Type, Union
from polywire.model.walk import spell
from polywire.plan.rows import kinds
from polywire.targets.base import Name
from polywire.targets.rust.layout import doc, variant
from polywire.targets.rust.names import Names, override, variant_types

SCALARS = {
    "string": "String",
    "uuid": "String",
    "timestamp": "String",
    "boolean": "bool",
    "number": "f64",
    "integer": "i64",
    "json": "Json",
    "object": "Object",
    "null": "()",
}
"""Scalar → its Rust type."""

SIZES = {"String": 24, "bool": 1, "f64": 8, "i64": 8, "Json": 24, "Object": 24, "()": 0}
"""Bytes of a value on a 64-bit machine."""

POINTER, LIST, TAG = 8, 24, 8

LARGEST = 192
"""Bytes of the largest value that a variant holds without a box; with the tag beside it, clippy begins to object."""

STEMS = {**SCALARS, "string": "Text", "uuid": "Text", "timestamp": "Text", "boolean": "Bool", "number": "Number"} | {
    "integer": "Integer"
}
"""Scalar → what it adds to the name of an inline union."""

KIND_VARIANTS = {
    "string": "Text",
    "boolean": "Bool",
    "number": "Number",
    "array": "List",
    "object": "Object",
    "null": "Null",
}
"""JSON kind → the variant of an inline union for it."""

KIND_BYTES = {
    "string": "b'\"'",
    "boolean": "b't' | b'f'",
    "number": "b'-' | b'0'..=b'9'",
    "array": "b'['",
    "object": "b'{'",
    "null": "b'n'",
}
"""JSON kind → a pattern for the bytes that its values begin with."""

Presence: TypeAlias = Literal["required", "optional", "presence", "maybe"]
"""`optional` is absent or a value, `presence` also null; `maybe` is optional, and its type itself has null."""


@dataclass(frozen=True, slots=True)
class ChoiceVariant:
    """One member of an inline union."""

    name: str
    type: str
    boxed: bool
    pattern: str
    line: str
    doc: str


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """The enum of an inline union."""

    name: str
    alias: str | None
    """What it is the type of."""
    doc: str
    variants: tuple[ChoiceVariant, ...]
    null: bool


@dataclass(slots=True)
class Shapes:
    """The Rust types of a model, with the enums that inline unions became."""

    model: Model
    names: Names
    choices: dict[str, ChoiceView] = field(default_factory=dict)
    """By name, in the order they were first asked for."""
    _components: dict[str, int] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._components = strongly_connected_components(self.model)

    # Types.

    def of(self, type_: Type, name: str | None = None) -> str:
        """The Rust type; `name` is what the enum of an inline union is called."""
        match type_:
            case Scalar(kind=kind):
                return SCALARS[kind]
            case Ref(name=declared):
                return self.names.type(declared)
            case Array(item=item):
                return f"Vec<{self.of(item, name)}>"
            case Map(value=value, key=key):
                return f"Map<{'String' if key is None else self.names.type(key)}, {self.of(value, name)}>"
            case Choice(members=members):
                some = _some(members)
                if len(some) == 1:
                    return f"Option<{self.of(some[0], name)}>"
                return self.choice(type_, name).name

    def choice(self, type_: Choice, name: str | None = None, alias: str | None = None) -> ChoiceView:
        """The enum of an inline union."""
        name = name or self._stem(type_)
        if name not in self.choices:
            text = doc(f"One of: `{spell(type_)}`.")
            self.choices[name] = ChoiceView(name, alias, text, (), null=False)  # it may recur
            members = _some(type_.members)
            variants = tuple(map(self._variant, members))
            self.choices[name] = ChoiceView(name, alias, text, variants, null=len(members) < len(type_.members))
        return self.choices[name]

    def is_enum(self, alias: Alias) -> bool:
        """Whether an alias is the name of an inline union that is an enum of its own."""
        return isinstance(alias.type, Choice) and len(_some(alias.type.members)) > 1

    def _variant(self, member: Type) -> ChoiceVariant:
        found = kinds(self.model, member)
        name = KIND_VARIANTS[found[0]] if len(found) == 1 else self._stem(member)
        type_ = self.of(member)
        boxed = self.size(member) > LARGEST
        held = f"Box<{type_}>" if boxed else type_
        pattern = " | ".join(KIND_BYTES[kind] for kind in found)
        return ChoiceVariant(
            name, held, boxed, pattern, variant(name, held), doc(f"A value of type `{spell(member)}`.", 4)
        )

    def _stem(self, type_: Type) -> str:
        match type_:
            case Scalar(kind=kind):
                return STEMS[kind]
            case Ref(name=name):
                return self.names.type(name)
            case Array(item=item):
                return f"{self._stem(item)}List"
            case Map(value=value):
                return f"{self._stem(value)}Map"
            case Choice(members=members):
                return "Or".join(self._stem(each) for each in _some(members))

    def choice_names(self) -> Iterator[Name]:
        """The names of the enums of inline unions, each once, for the search for collisions."""
        seen: set[str] = set()
        for struct in self.model.structs:
            for each in struct.wire_fields:
                for type_ in _choices(each.type):
                    default, given = self._stem(type_), override(each.about, "type")
                    if (name := given or default) not in seen:
                        seen.add(name)
                        of = f"inline union of {each.name} of {struct.name}"
                        yield Name("crate", name, default, of, each.place, overridden=given is not None, key="type")

    # Fields.

    def presence(self, each: Field) -> Presence:
        """The states of a field that its type does not have."""
        own_null = "null" in kinds(self.model, each.type)
        if each.required:
            return "required"
        if own_null:
            return "maybe"
        return "presence" if each.nullable else "optional"

    def value(self, struct: Struct, each: Field) -> str:
        """The type of a field's value."""
        type_ = self.of(each.type, override(each.about, "type"))
        return f"Box<{type_}>" if self.boxed(struct, each) else type_

    def field(self, struct: Struct, each: Field) -> str:
        """The type of a field."""
        type_ = self.value(struct, each)
        match self.presence(each):
            case "required":
                null = each.nullable and "null" not in kinds(self.model, each.type)
                return f"Option<{type_}>" if null else type_
            case "presence":
                return f"Presence<{type_}>"
            case _:
                return f"Option<{type_}>"

    def boxed(self, struct: Struct, each: Field) -> bool:
        """Whether a field leads back to its struct without a list or map on the way."""
        here = self._components[struct.name]
        return any(self._components[name] == here for name in _held(each.type))

    # Sizes.

    def size(self, type_: Type) -> int:
        """About how many bytes a value takes where it stands."""
        match type_:
            case Scalar():
                return SIZES[SCALARS[type_.kind]]
            case Array() | Map():
                return LIST
            case Choice(members=members):
                return TAG + max((self.size(each) for each in members), default=0)
            case Ref(name=name):
                if name not in self._sizes:
                    self._sizes[name] = LIST  # of itself, where it recurs
                    self._sizes[name] = self._declared_size(name)
                return self._sizes[name]

    def _declared_size(self, name: str) -> int:
        match self.model.declarations[name]:
            case Enum(base=base, open=open_):
                return (LIST if base == "string" else 2 * POINTER) if open_ else 1
            case Alias(type=type_):
                return self.size(type_)
            case Struct(wire_fields=fields) as struct:
                return LIST + sum(self._field_size(struct, each) for each in fields)
            case Union(dispatch=dispatch):
                held = (self.size(Ref(each)) for each in variant_types(dispatch))
                return TAG + max((size if size <= LARGEST else POINTER for size in held), default=0)

    def _field_size(self, struct: Struct, each: Field) -> int:
        size = POINTER if self.boxed(struct, each) else self.size(each.type)
        wide = size == POINTER and not each.required
        return -(-size // POINTER) * POINTER + (TAG if wide else 0)


def _choices(type_: Type) -> Iterator[Choice]:
    """The inline unions in a type that become enums."""
    match type_:
        case Array(item=item) | Map(value=item):
            yield from _choices(item)
        case Choice(members=members):
            if len(_some(members)) > 1:
                yield type_
            for member in members:
                yield from _choices(member)
        case _:
            pass


def _some(members: Iterable[Type]) -> list[Type]:
    """The members of an inline union but null."""
    return [each for each in members if each != NULL]


# --- what leads back to itself ---------------------------------------------------------------------------------


def _held(type_: Type) -> Iterator[str]:
    """The declarations whose values stand inside a value of a type, not behind a list or map."""
    match type_:
        case Ref(name=name):
            yield name
        case Choice(members=members):
            for member in members:
                yield from _held(member)
        case _:
            pass


def _edges(model: Model, name: str) -> Iterable[str]:
    match model.declarations[name]:
        case Alias(type=type_):
            return _held(type_)
        case Struct(wire_fields=fields):
            return (held for each in fields for held in _held(each.type))
        case Union(dispatch=dispatch):
            return variant_types(dispatch)
        case _:
            return ()


def strongly_connected_components(model: Model) -> dict[str, int]:
    """Each declaration with the number of its component, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    stack: list[str] = []
    for root in model.declarations:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = []
        _enter(model, root, index, low, stack, work)
        while work:
            name, edges = work[-1]
            for other in edges:
                if other not in index:
                    _enter(model, other, index, low, stack, work)
                    break
                if other not in component:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    while name not in component:
                        component[stack.pop()] = index[name]
    return component


def _enter(
    model: Model,
    name: str,
    index: dict[str, int],
    low: dict[str, int],
    stack: list[str],
    work: list[tuple[str, Iterator[str]]],
) -> None:
    index[name] = low[name] = len(index)
    stack.append(name)
    work.append((name, iter(_edges(model, name))))
