"""Type expressions → Rust types, with what decides how they are laid out in memory.

An inline union becomes an enum with a variant a JSON kind, made once for all fields of that type and named after its
members, or after the alias that it is the type of.

A struct is boxed where a variant holds it, and where a field holds it that may be absent or null; nothing else is.
Every cycle of types passes through such a place, a list or a map, so all types have a size. As neither the size of a
struct nor what else it holds matters, a new field never changes the type of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.model.nodes import NULL, Alias, Array, Choice, Field, Map, Model, Ref, Scalar, Struct, Type
from polywire.model.walk import spell
from polywire.plan.rows import kinds
from polywire.targets.base import Name
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import doc, variant
from polywire.targets.rust.names import Names, override

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

COPIED = frozenset({"bool", "i64", "f64"})
"""Types whose values are copied; others are borrowed, cloned or converted."""

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

PHRASES = {
    "string": ("A string", "strings"),
    "uuid": ("A UUID", "UUIDs"),
    "timestamp": ("A time stamp", "time stamps"),
    "boolean": ("A boolean", "booleans"),
    "number": ("A number", "numbers"),
    "integer": ("An integer", "integers"),
    "json": ("Any JSON", "JSON values"),
    "object": ("An object", "objects"),
    "null": ("Null", "nulls"),
}
"""Scalar → what one is called, and several."""

Presence: TypeAlias = Literal["required", "optional", "presence", "maybe"]
"""`optional` is absent or a value, `presence` also null; `maybe` is optional, and its type itself has null."""


@dataclass(frozen=True, slots=True)
class ChoiceVariant:
    """One member of an inline union."""

    name: str
    type: str
    boxed: bool
    """Whether it holds a box with a value of its type."""
    line: str
    doc: str


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """The enum of an inline union."""

    name: str
    alias: str | None
    """What it is the type of."""
    area: str
    """The module of what first uses it."""
    doc: str
    variants: tuple[ChoiceVariant, ...]
    null: bool


@dataclass(slots=True)
class Shapes:
    """The Rust types of a model, with the enums that inline unions became."""

    model: Model
    names: Names
    area: str = ""
    """The module whose types are asked for, where inline unions stand that were not asked for before."""
    choices: dict[str, ChoiceView] = field(default_factory=dict)
    """By name, in the order they were first asked for."""

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
            text, area = doc(f"One of: `{spell(type_)}`."), self.area
            self.choices[name] = ChoiceView(name, alias, area, text, (), null=False)  # it may recur
            members = _some(type_.members)
            variants = tuple(map(self._variant, members))
            self.choices[name] = ChoiceView(name, alias, area, text, variants, null=len(members) < len(type_.members))
        return self.choices[name]

    def is_enum(self, alias: Alias) -> bool:
        """Whether an alias is the name of an inline union that is an enum of its own."""
        return isinstance(alias.type, Choice) and len(_some(alias.type.members)) > 1

    def _variant(self, member: Type) -> ChoiceVariant:
        found = kinds(self.model, member)
        name = KIND_VARIANTS[found[0]] if len(found) == 1 else self._stem(member)
        type_, boxed = self.of(member), self.holds_struct(member)
        line = variant(name, f"Box<{type_}>" if boxed else type_)
        return ChoiceVariant(name, type_, boxed, line, doc(self._phrase(member), 4))

    def _phrase(self, member: Type) -> str:
        """What a variant of an inline union is, as a sentence."""
        match member:
            case Scalar(kind=kind):
                return f"{PHRASES[kind][0]}."
            case Ref(name=name):
                return documentation(self.model.declarations[name].about, f"`{name}`.").split("\n\n")[0]
            case Array(item=Scalar(kind=kind)):
                return f"A list of {PHRASES[kind][1]}."
            case Map(value=Scalar(kind=kind)):
                return f"A map of {PHRASES[kind][1]}."
            case Array(item=inner):
                return f"A list of `{spell(inner)}`."
            case Map(value=inner):
                return f"A map of `{spell(inner)}`."
            case Choice():
                return f"`{spell(member)}`."

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

    def state(self, each: Field) -> str:
        """The same as tables say it."""
        if each.required and each.nullable and "null" not in kinds(self.model, each.type):
            return "Nullable"
        return self.presence(each).capitalize()

    def value(self, each: Field) -> str:
        """The type of a field's value."""
        type_ = self.of(each.type, override(each.about, "type"))
        return f"Box<{type_}>" if self.boxed(each) else type_

    def field(self, each: Field) -> str:
        """The type of a field."""
        type_ = self.value(each)
        match self.presence(each):
            case "required":
                null = each.nullable and "null" not in kinds(self.model, each.type)
                return f"Option<{type_}>" if null else type_
            case "presence":
                return f"Presence<{type_}>"
            case _:
                return f"Option<{type_}>"

    def boxed(self, each: Field) -> bool:
        """Whether a field's value is behind a pointer."""
        may_lack = not each.required or each.nullable or "null" in kinds(self.model, each.type)
        return may_lack and self.holds_struct(each.type)

    def holds_struct(self, type_: Type) -> bool:
        """Whether a struct stands inside a value of a type, not behind a variant, list or map."""
        match type_:
            case Ref(name=name):
                declared = self.model.declarations[name]
                inner = declared.type if isinstance(declared, Alias) else None
                return isinstance(declared, Struct) or (inner is not None and self.holds_struct(inner))
            case Choice(members=members):
                some = _some(members)
                return len(some) == 1 and self.holds_struct(some[0])
            case _:
                return False


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
