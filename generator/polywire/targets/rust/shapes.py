"""Type expressions → Rust types, and the decisions on their memory layout.

An inline union becomes an enum with a variant for each JSON kind, shared by all fields of that type and named after its
members, or after the alias whose type it is. Every module whose types use the enum has its name, so a new use in
another module removes the name from none.

A struct or tuple is boxed inside a variant, and inside a field or tuple item that may be absent or null; nothing else
is boxed. Every cycle of types passes through such a position, a list or a map, so all types have a finite size. As
neither the size of a struct nor its other fields matter, a new field never changes the type of another one.

A literal is a variant without a value if it is a member of an inline union, and a struct without fields elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from polywire.ground.location import NOWHERE
from polywire.model.nodes import Alias, Field, Model, Struct
from polywire.model.walk import contains_itself, parts, spell
from polywire.plan.rows import kinds
from polywire.source.types import NULL, Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type
from polywire.targets.common.base import Name
from polywire.targets.common.names import PACKAGE
from polywire.targets.common.naming import FREE, identifier, pascal, words
from polywire.targets.common.unions import UnionNames
from polywire.targets.rust.items import Item
from polywire.targets.rust.layout import INDENT, above, documentation, line, variant
from polywire.targets.rust.names import Home, Names, override


class ScalarText(NamedTuple):
    """What is written for a built-in type."""

    type: str
    stem: str
    """Its part of the name of an inline union."""
    phrase: str
    plural: str


SCALARS: Mapping[ScalarKind, ScalarText] = {
    "string": ScalarText("String", "Text", "A string", "strings"),
    "uuid": ScalarText("String", "Text", "A UUID", "UUIDs"),
    "timestamp": ScalarText("String", "Text", "A timestamp", "timestamps"),
    "boolean": ScalarText("bool", "Bool", "A boolean", "booleans"),
    "number": ScalarText("f64", "Number", "A number", "numbers"),
    "integer": ScalarText("i64", "Integer", "An integer", "integers"),
    "json": ScalarText("Json", "Json", "Any JSON", "JSON values"),
    "object": ScalarText("Object", "Object", "An object", "objects"),
    "null": ScalarText("()", "Null", "Null", "nulls"),
}

STEMS: Mapping[ScalarKind, str] = {kind: text.stem for kind, text in SCALARS.items()}

KIND_VARIANTS = dict[str, str](STEMS.items()) | {"array": "List"}
"""JSON kind → its variant in an inline union."""

MOST_ITEMS = 12
"""The maximum number of tuple items for which the standard library implements comparison and `Debug`."""

LITERAL_WORDS = 4
"""The maximum number of words of a string in the name of its literal."""

COPIED = frozenset({"bool", "i64", "f64"})
"""Types whose values are copied; others are borrowed, cloned or converted."""

EVERYWHERE = Home("", frozenset())

Presence: TypeAlias = Literal["required", "optional", "presence", "maybe"]
"""`optional` is absent or a value, `presence` also null; `maybe` is optional with a type that itself admits null."""


@dataclass(frozen=True, slots=True)
class ChoiceVariant:
    """A member of an inline union."""

    name: str
    text: str
    """Its declaration."""
    type: str = ""
    boxed: bool = False
    """Whether it holds a boxed value."""
    literal: LiteralType | None = None
    """The literal that it represents, if it holds no value."""


@dataclass(frozen=True, slots=True)
class LiteralView(Item):
    """The struct of a literal. Its home is the module of its first use."""

    above: str
    value: str | bool | float


@dataclass(frozen=True, slots=True)
class ChoiceView(Item):
    """The enum of an inline union. Its home is the module of its first use."""

    above: str
    type: Choice
    alias: str | None
    """The alias whose type it is."""
    variants: tuple[ChoiceVariant, ...]
    null: bool


@dataclass(slots=True)
class Shapes:
    """The Rust types of a model, with the enums for inline unions."""

    model: Model
    names: Names
    home: Home = EVERYWHERE
    """Where types are being written; an inline union is defined in the module of its first use."""
    choices: dict[str, ChoiceView] = field(default_factory=dict)
    """The enums by name, in the order of their first use."""
    literals: dict[str, LiteralView] = field(default_factory=dict)
    """The structs of literals by name, in the order of their first use."""
    uses: set[tuple[Home, str]] = field(default_factory=set)
    """The uses of inline unions and literals: where, and the name."""
    unions: UnionNames = field(init=False)

    def __post_init__(self) -> None:
        self.unions = UnionNames(
            self.model, STEMS, self.names.type, _spelt, lambda spelt: identifier(spelt, FREE, "Value")
        )

    # Types.

    def of(self, type_: Type, name: str | None = None) -> str:
        """The Rust type; `name` is the name of the enum if the type is an inline union."""
        match type_:
            case Scalar(kind=kind):
                return SCALARS[kind].type
            case LiteralType():
                return self._literal(type_)
            case TupleType(items=items):
                return self._tuple([self._item(item, name) for item in items])
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

    def _tuple(self, items: list[str]) -> str:
        """A tuple; items beyond `MOST_ITEMS` are in a nested tuple at its end."""
        if len(items) > MOST_ITEMS:
            items = [*items[: MOST_ITEMS - 1], f"TupleTail<{self._tuple(items[MOST_ITEMS - 1 :])}>"]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def _item(self, item: Type, name: str | None) -> str:
        """The type of an item of a tuple."""
        if isinstance(item, Choice) and self.holds_struct(item):
            (some,) = _some(item.members)
            return f"Option<Box<{self.of(some, name)}>>"
        return self.of(item, name)

    def _literal(self, literal: LiteralType) -> str:
        """The struct of a literal."""
        name = f"Literal{self.unions.literal(literal)}"
        if name not in self.literals:
            comment = above(f"Exactly `{spell(literal)}`.")
            self.literals[name] = LiteralView(self.home, "literals", "", name, comment, literal.value)
        self.uses.add((self.home, name))
        return name

    def choice(self, type_: Choice, name: str | None = None, alias: str | None = None) -> ChoiceView:
        """The enum of an inline union."""
        name = name or self.unions.name(type_)
        if name not in self.choices:
            comment, null = above(f"One of: `{spell(self.unions.bare(type_))}`."), NULL in type_.members
            view = ChoiceView(self.home, "kinds", "", name, comment, type_, alias, (), null)
            self.choices[name] = view  # the type may be recursive
            taken = {"Null", "Self"}
            variants = tuple(self._variant(member, taken) for member in _some(type_.members))
            self.choices[name] = replace(view, variants=variants)
        if (self.home, name) not in self.uses:
            self.uses.add((self.home, name))
            for member in type_.members:
                if not isinstance(member, LiteralType):
                    self.of(member)  # the module also uses the types of the variants
        return self.choices[name]

    @property
    def inline(self) -> tuple[ChoiceView | LiteralView, ...]:
        """The enums of inline unions and the structs of literals that are known so far."""
        return (*self.choices.values(), *self.literals.values())

    def home_of(self, view: ChoiceView | LiteralView) -> Home:
        """Where an inline union or a literal is declared; what needs one of its uses needs it."""
        needs = [home.needs for home, name in self.uses if name == view.name]
        return Home(view.home.area, frozenset().union(*needs) if all(needs) else frozenset())

    def is_enum(self, alias: Alias) -> bool:
        """Whether an alias is an inline union with its own enum."""
        return isinstance(alias.type, Choice) and len(_some(alias.type.members)) > 1

    def is_struct(self, alias: Alias) -> bool:
        """Whether an alias is a separate struct, because it contains itself other than through an enum or struct."""
        return contains_itself(alias, self.model.declarations, lambda inner: not self.is_enum(inner))

    def _variant(self, member: Type, taken: set[str]) -> ChoiceVariant:
        found = kinds(self.model, member)
        is_kind = len(found) == 1 and not isinstance(member, LiteralType)
        name = KIND_VARIANTS[found[0]] if is_kind else self.unions.stem(member)
        while name in taken:
            name += "Value"
        taken.add(name)
        comment = above(self.phrase(member), None, INDENT)
        if isinstance(member, LiteralType):
            return ChoiceVariant(name, line(f"{name},", above=comment), literal=member)
        type_, boxed = self.of(member), self.holds_struct(member)
        return ChoiceVariant(name, variant(name, f"Box<{type_}>" if boxed else type_, comment), type_, boxed)

    def phrase(self, member: Type) -> str:
        """A description of a value of a type, as a sentence."""
        match member:
            case Scalar(kind=kind):
                return f"{SCALARS[kind].phrase}."
            case Ref(name=name):
                return documentation(self.model.declarations[name].about, f"`{name}`.").split("\n\n")[0]
            case Array(item=inner) | Map(value=inner):
                several = SCALARS[inner.kind].plural if isinstance(inner, Scalar) else f"`{spell(inner)}`"
                return f"A {'list' if isinstance(member, Array) else 'map'} of {several}."
            case Choice() | LiteralType() | TupleType():
                return f"`{spell(member)}`."

    def choice_names(self) -> Iterator[Name]:
        """The names of the enums of inline unions and of literals, to find collisions."""
        for literal, spelt in self.unions.literals().items():
            name = f"Literal{spelt}"
            yield Name(PACKAGE, name, name, f"the literal {literal}", NOWHERE)
        seen: set[str] = set()
        for struct in self.model.structs:
            for each in struct.wire_fields:
                for type_ in _choices(each.type):
                    default, given = self.unions.name(type_), override(each.about, "type")
                    if (name := given or default) not in seen:
                        seen.add(name)
                        of = f"inline union of {each.name} of {struct.name}"
                        yield Name(PACKAGE, name, default, of, each.place, overridden=given is not None, key="type")

    # Fields.

    def presence(self, each: Field) -> Presence:
        """The states of a field that its type does not cover."""
        own_null = "null" in kinds(self.model, each.type)
        return "required" if each.required else "maybe" if own_null else "presence" if each.nullable else "optional"

    def state(self, each: Field) -> str:
        """The same states in the format of the tables."""
        if each.required and "null" in kinds(self.model, each.type):
            return "Required" if isinstance(each.type, Scalar) else "Null"
        if each.required and each.nullable:
            return "Nullable"
        return self.presence(each).capitalize()

    def value(self, each: Field) -> str:
        """The type of a field's value."""
        type_ = self.of(each.type, override(each.about, "type"))
        return f"Box<{type_}>" if self.boxed(each) else type_

    def field(self, each: Field) -> str:
        """The type of a field."""
        type_, presence = self.value(each), self.presence(each)
        if presence == "required" and (not each.nullable or "null" in kinds(self.model, each.type)):
            return type_
        return f"Presence<{type_}>" if presence == "presence" else f"Option<{type_}>"

    def boxed(self, each: Field) -> bool:
        """Whether a field's value is boxed."""
        may_lack = not each.required or each.nullable or "null" in kinds(self.model, each.type)
        return may_lack and self.holds_struct(each.type)

    def holds_struct(self, type_: Type) -> bool:
        """Whether a value of the type directly contains a struct or tuple, not through a variant, list or map."""
        match type_:
            case Ref(name=name):
                declared = self.model.declarations[name]
                if isinstance(declared, Alias):
                    return self.is_struct(declared) or self.holds_struct(declared.type)
                return isinstance(declared, Struct)
            case TupleType():
                return True
            case Choice(members=members):
                some = _some(members)
                return len(some) == 1 and self.holds_struct(some[0])
            case _:
                return False


def _choices(type_: Type) -> Iterator[Choice]:
    """The inline unions in a type that become enums."""
    return (each for each in parts(type_) if isinstance(each, Choice) and len(_some(each.members)) > 1)


def _some(members: Iterable[Type]) -> list[Type]:
    """The members of an inline union without null."""
    return [each for each in members if each != NULL]


def _spelt(value: str | bool | float) -> str:
    """The words of a literal."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        found = re.findall("[A-Za-z0-9]+", value)[:LITERAL_WORDS]
        return pascal(words(" ".join(found))) or ("Text" if value else "Empty")
    return repr(value).replace("-", "Minus").replace(".", "Point").replace("+", "")
