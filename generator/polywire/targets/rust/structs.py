"""Structs of the plan → their declarations, constructors and the rows that their codecs are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from polywire.engine import kind
from polywire.errors import RenderError
from polywire.model.nodes import (
    NULL,
    About,
    Alias,
    Array,
    Choice,
    Enum,
    Field,
    Json,
    LiteralType,
    Map,
    Ref,
    Scalar,
    Struct,
    Tag,
    TupleType,
    Type,
)
from polywire.model.walk import without_alias
from polywire.plan import Plan
from polywire.plan.fill import Asked, ByRule, Filled, Fixed, Given, plain_constructor
from polywire.plan.members import Member, StructPlan
from polywire.plan.rows import kinds
from polywire.targets.rust import layout
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import braced, float_literal, listed, quoted, signature
from polywire.targets.rust.names import Names, override
from polywire.targets.rust.shapes import COPIED, MOST_ITEMS, Shapes

MOST_PARAMETERS = 3
"""As many parameters as can be told apart at a call."""

ABSENT = frozenset({"None", "Presence::Absent"})
"""What a field holds that is absent, which is the default of its type."""

GIVEN = "given"
"""The parameter that has all others as its fields."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor."""

    name: str
    type: str
    """Of the value that it gives."""
    converts: bool
    """Whether a parameter takes what converts to its type as well."""
    accepts: frozenset[str]
    """The types that a call cannot confuse with others: its own, and for an inline union those of its members."""
    doc: str

    @property
    def taken(self) -> str:
        """The type of what it takes."""
        return f"impl Into<{self.type}>" if self.converts else self.type


@dataclass(frozen=True, slots=True)
class NamedView:
    """The struct whose fields are the parameters of a constructor, where a call could confuse them."""

    name: str
    doc: str
    fields: tuple[FieldView, ...]


@dataclass(frozen=True, slots=True)
class ParametersView:
    """What a constructor takes: its parameters, or a struct of them."""

    parameters: tuple[Parameter, ...]
    texts: tuple[str, ...]
    """Each as it is declared; that of the struct, if it is one."""
    signature: str
    named: NamedView | None


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as it is declared."""

    name: str
    type: str
    line: str
    doc: str
    deprecation: str | None


@dataclass(frozen=True, slots=True)
class NewView:
    """`new` of a struct."""

    doc: str
    takes: ParametersView
    row: str
    """What the macro takes."""
    is_default: bool
    """Whether the derived default is the same."""


@dataclass(frozen=True, slots=True)
class SetterView:
    """A method that sets an optional member."""

    doc: str
    deprecation: str | None
    row: str
    """Its name, the field, how the field holds a value, what the method takes, and the type of that."""


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct as it is declared."""

    name: str
    spec_name: str
    doc: str
    deprecation: str | None
    fields: tuple[FieldView, ...]
    setters: tuple[SetterView, ...]
    new: NewView
    implements_default: bool
    """Whether `Default` has to be written out."""


@dataclass(frozen=True, slots=True)
class RecordView:
    """The codec of a struct."""

    name: str
    spec_name: str
    """A literal."""
    place: int
    fields: str
    """Its fields in the order of the tables, each with its role if that matters to how it is written."""


class Structs:
    """The structs of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes

    def views(self) -> tuple[StructView, ...]:
        """Every struct as it is declared, in that order."""
        return tuple(self._view(each.struct) for each in self._plan.structs.values())

    def records(self, places: Mapping[str, int]) -> tuple[RecordView, ...]:
        """The codec of every struct, each of which has a place in the tables."""
        return tuple(self._record(each, places[each.struct.name]) for each in self._plan.structs.values())

    def _view(self, struct: Struct) -> StructView:
        self._shapes.area = self._names.area(struct.name)
        new = self._new(struct)
        return StructView(
            name=self._names.type(struct.name),
            spec_name=struct.name,
            doc=layout.doc(documentation(struct.about, f"`{struct.name}`.")),
            deprecation=layout.deprecation(struct.about.deprecated),
            fields=tuple(self._fields(struct)),
            setters=tuple(self._setters(struct)),
            new=new,
            implements_default=not new.takes.parameters and not new.is_default,
        )

    def _record(self, plan: StructPlan, place: int) -> RecordView:
        name = plan.struct.name
        return RecordView(self._names.type(name), quoted(name), place, listed(self._rows(plan)))

    def _rows(self, plan: StructPlan) -> Iterator[str]:
        for member in plan.members:
            match member:
                case Member(role="tag", tag=Tag() as tag) if is_mark(tag):
                    yield f"{self._names.tag(tag)} mark"
                case Member(field=None):
                    pass
                case Member(role="tag", field=Field() as field):
                    yield f"{self._names.field(field)} guarded"
                case Member(role="flattened", field=Field() as field):
                    yield f"{self._names.field(field)} flat"
                case Member(field=Field() as field):
                    yield self._names.field(field) + (" guarded" if field.claimed or field.claimed_prefixes else "")

    # What is declared.

    def _fields(self, struct: Struct) -> Iterator[FieldView]:
        for tag in filter(is_mark, struct.tags):
            says = f"Whether the member `{tag.key}` is there, which is always {quoted(str(tag.constant))}."
            yield self._field(self._names.tag(tag), "bool", says, None)
        for each in struct.wire_fields:
            text = documentation(each.about, f"The member `{each.name}`.")
            yield self._field(self._names.field(each), self._shapes.field(each), text, each.about.deprecated)

    def _field(self, name: str, type_: str, text: str, deprecated: str | None) -> FieldView:
        deprecation = layout.deprecation(deprecated, 4)
        return FieldView(name, type_, layout.field(name, type_), layout.doc(text, 4), deprecation)

    # How one is made.

    def _new(self, struct: Struct) -> NewView:
        made = plain_constructor(struct).members
        parameters = [self.parameter(each.field, self._names.field(each.field)) for each in made if is_given(each)]
        name = self._names.type(struct.name)
        takes = self.takes(name, f"{name}Required", "new", parameters)
        fields = self.marks(struct) + [(self._names.field(each.field), self._plain(each, takes)) for each in made]
        return NewView(
            doc=layout.doc(self._new_doc(struct, parameters), 4),
            takes=takes,
            row=_row(name, takes, fields),
            is_default=not parameters and all(value in ABSENT for _, value in fields),
        )

    def _plain(self, filled: Filled, takes: ParametersView) -> str:
        """What `new` gives a field."""
        match filled.value:
            case Fixed(value=fixed):
                return self.fixed(filled.field, fixed)
            case ByRule.ABSENT:
                return self.absent(filled.field)
            case _:
                return self.passed(filled.field, self._names.field(filled.field), takes)

    def _new_doc(self, struct: Struct, parameters: Sequence[Parameter]) -> str:
        """What is said of `new`: what the spec says of a constructor that takes the same."""
        plain = (each.constructor for each in self._plan.constructors if each.is_plain and each.struct == struct)
        about = next((each.about for each in plain), About())
        return documentation(about, "Creates one from its required members." if parameters else "Creates one.")

    def marks(self, struct: Struct) -> list[tuple[str, str]]:
        """The fields that say that a tag is there, with what a constructor gives them."""
        return [(self._names.tag(tag), "true") for tag in filter(is_mark, struct.tags)]

    # What constructors take.

    def takes(self, struct: str, bundle: str, function: str, parameters: Sequence[Parameter]) -> ParametersView:
        """Parameters as they are, if a call cannot confuse them, or as the fields of a struct called `bundle`."""
        named = None
        texts = [f"{each.name}: {each.taken}" for each in parameters]
        if _confusing(parameters):
            fields = (self._field(each.name, each.type, each.doc, None) for each in parameters)
            named = NamedView(bundle, layout.doc(f"What `{struct}::{function}` takes."), tuple(fields))
            texts = [f"{GIVEN}: {bundle}"]
        return ParametersView(
            tuple(parameters), tuple(texts), signature(f"pub fn {function}", texts, " -> Self {"), named
        )

    def parameter(self, each: Field, name: str) -> Parameter:
        """The parameter of that name for a field."""
        type_ = self._shapes.of(each.type, _named(each))
        choice = self._shapes.choices.get(type_)
        converts, accepts = choice is not None or type_ == "String", {type_}
        if self._shapes.presence(each) == "presence":
            type_ = f"Presence<{type_}>"
            converts, accepts = True, {type_}
        elif self._is_option(each):
            type_ = f"Option<{type_}>"
            converts, accepts = False, {type_}
        elif choice is not None:
            accepts |= {variant.type for variant in choice.variants}
        text = documentation(each.about, f"The member `{each.name}`.").split("\n\n")[0]
        return Parameter(name, type_, converts, frozenset(accepts), text)

    def passed(self, each: Field, name: str, takes: ParametersView) -> str:
        """What a field gets of the parameter of that name."""
        parameter = next(each for each in takes.parameters if each.name == name)
        value = name if takes.named is None else f"{GIVEN}.{name}"
        if parameter.converts and takes.named is None:
            value = f"{value}.into()"
        if self._shapes.presence(each) == "presence" or self._is_option(each):
            return f"{value}.map(Box::new)" if self._shapes.boxed(each) else value
        return self.present(each, value)

    def _is_option(self, each: Field) -> bool:
        """Whether a parameter for a field is an option."""
        optional = self._shapes.field(each) != self._shapes.value(each)
        return optional and (each.required or not each.construct_required)

    # Setters.

    def _setters(self, struct: Struct) -> Iterator[SetterView]:
        """A setter for every member that `new` does not take."""
        for filled in plain_constructor(struct).members:
            if not is_given(filled):
                each = filled.field
                row = f"{self._names.setter(each)} {self._names.field(each)} {self._held(each)} {self._taken(each)}"
                text = layout.doc(f"Sets the member `{each.name}`.", 4)
                yield SetterView(text, layout.deprecation(each.about.deprecated, 4), row)

    def _held(self, each: Field) -> str:
        """How a field holds a value: as it is, or in an option; a setter takes all three states itself."""
        plain = self._shapes.presence(each) == "presence" or self._shapes.field(each) == self._shapes.value(each)
        return "plain" if plain else "some"

    def _taken(self, each: Field) -> str:
        """What a setter takes, and the type of the value that becomes of it."""
        item = self._item(each)
        if item is not None:
            return f"list {item}"
        type_ = self._shapes.value(each)
        if self._shapes.presence(each) == "presence":
            return f"into Presence<{type_}>"
        return f"value {type_}" if type_ in COPIED else f"into {type_}"

    def _item(self, each: Field) -> str | None:
        """The type of the items of a field that is a list, and has but two states."""
        plain = without_alias(each.type, self._model.declarations)
        held = self._shapes.presence(each) == "presence" or self._shapes.holds_struct(each.type)
        if not isinstance(plain, Array) or held:
            return None
        return self._shapes.of(plain.item, _named(each))

    # Values.

    def present(self, each: Field, value: str) -> str:
        """A value, as an expression, as the field holds it."""
        field, plain = self._shapes.field(each), self._shapes.value(each)
        if self._shapes.boxed(each):
            value = f"Box::new({value})"
        if field == plain:
            return value
        return f"Presence::Present({value})" if self._shapes.presence(each) == "presence" else f"Some({value})"

    def maybe(self, each: Field, value: str) -> str:
        """What an option, as an expression, gives a field."""
        match self._shapes.presence(each):
            case "presence":
                return f"{value}.map_or(Presence::Absent, Presence::Present)"
            case "required" if self._shapes.field(each) == self._shapes.value(each):
                return f"{value}.unwrap_or_default()"
            case _:
                return value

    def absent(self, each: Field) -> str:
        """What a field holds that is not there."""
        return "Presence::Absent" if self._shapes.presence(each) == "presence" else "None"

    def null(self, each: Field) -> str:
        """What a field holds whose value is null."""
        return "Presence::Null" if self._shapes.presence(each) == "presence" else "None"

    def fixed(self, each: Field, value: Json) -> str:
        """What a field holds whose value the spec says."""
        if value is None and "null" not in kinds(self._model, each.type):
            return self.null(each)
        return self.present(each, self.literal(each, value))

    def literal(self, each: Field, value: Json) -> str:
        """A value of a field's type, as an expression."""
        return self._literal(each.type, value, _named(each))

    def _literal(self, type_: Type, value: Json, name: str | None = None) -> str:
        """A value as an expression; `name` is what the enum of an inline union is called."""
        declared = self._model.declarations[type_.name] if isinstance(type_, Ref) else None
        match declared, type_, value:
            case Alias(type=inner) as alias, _, _:
                called = self._names.type(alias.name)
                literal = self._literal(inner, value, called if self._shapes.is_enum(alias) else None)
                return f"{called}({literal})" if self._shapes.is_struct(alias) else literal
            case Enum() as enum, _, _:
                at = next((at for at, each in enumerate(enum.values) if each.wire == value), None)
                name = self._names.type(enum.name)
                return f"{quoted(str(value))}.into()" if at is None else f"{name}::{self._names.value(enum, at)}"
            case None, Choice() as choice, _:
                return self._of_kind(choice, value, name)
            case None, LiteralType(), _:
                return self._shapes.of(type_)
            case None, TupleType(items=items), list():
                return self._tuple(
                    [self._tuple_item(item, each, name) for item, each in zip(items, value, strict=True)]
                )
            case None, Array(item=item), list():
                return f"vec![{', '.join(self._literal(item, each, name) for each in value)}]"
            case None, Map(), dict() if not value:
                return "Map::new()"
            case None, Scalar() as scalar, _:
                return self._of_scalar(scalar, value)
            case _:
                raise RenderError(f"target rust: a default of {value!r} cannot be written as {type_}")

    def _of_scalar(self, scalar: Scalar, value: Json) -> str:
        """A value of a built-in type."""
        match scalar.kind, value:
            case "json", None:
                return "Json::NULL"
            case "json", bool() | int() | float() | str():
                return f"{self._scalar(value)}.into()"
            case "number", int() | float():
                return float_literal(value)
            case "string" | "uuid" | "timestamp", str():
                return f"{quoted(value)}.into()"
            case "boolean" | "integer", bool() | int():
                return self._scalar(value)
            case "object", dict() if not value:
                return "Object::new()"
            case _:
                raise RenderError(f"target rust: a default of {value!r} cannot be written as {scalar}")

    def _tuple(self, items: list[str]) -> str:
        """A tuple of expressions, as `Shapes` lays it out."""
        if len(items) > MOST_ITEMS:
            items = [*items[: MOST_ITEMS - 1], f"TupleTail({self._tuple(items[MOST_ITEMS - 1 :])})"]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"

    def _tuple_item(self, item: Type, value: Json, name: str | None) -> str:
        literal = self._literal(item, value, name)
        return f"{literal}.map(Box::new)" if self._shapes.boxed_item(item) else literal

    def _of_kind(self, choice: Choice, value: Json, name: str | None) -> str:
        """A value of an inline union."""
        of = self._shapes.of(choice, name)
        some = [member for member in choice.members if member != NULL]
        wide = kind(value) if kind(value) != "integer" else "number"
        at = next((at for at, member in enumerate(some) if wide in kinds(self._model, member)), None)
        if value is None and at is None:
            return "None" if len(some) == 1 else f"{of}::Null"
        if at is None:
            raise RenderError(f"target rust: a default of {value!r} cannot be written as {choice}")
        literal = self._literal(some[at], value, name)
        if len(some) == 1:
            return f"Some({literal})"
        variant = self._shapes.choice(choice, name).variants[at]
        if variant.literal is not None:
            return f"{of}::{variant.name}"
        return f"{of}::{variant.name}({f'Box::new({literal})' if variant.boxed else literal})"

    def _scalar(self, value: str | bool | float) -> str:
        match value:
            case bool():
                return "true" if value else "false"
            case str():
                return quoted(value)
            case int():
                return f"{value}_i64"
            case _:
                return float_literal(value)


def _named(each: Field) -> str | None:
    return override(each.about, "type")


def is_given(filled: Filled) -> bool:
    """Whether the caller of a constructor passes a value."""
    return isinstance(filled.value, (Given, Asked))


def _row(struct: str, takes: ParametersView, fields: Sequence[tuple[str, str]]) -> str:
    """`new` of a struct, with what its fields get."""
    same = [name for name, value in fields if value == f"{GIVEN}.{name}"]
    absent = [name for name, value in fields if value in ABSENT]
    given = [f"{name}: {value}" for name, value in fields if name not in same and name not in absent]
    rows = [signature(struct, list(takes.texts), "")]
    for head, items in ((f"takes {GIVEN}", same), ("sets", given), ("lacks", absent)):
        if items:
            rows.append(braced(head, items))
    return "\n".join(rows)


def _confusing(parameters: Sequence[Parameter]) -> bool:
    """Whether a call could swap two parameters and still compile, or has too many to read."""
    pairs = combinations(parameters, 2)
    return len(parameters) > MOST_PARAMETERS or any(one.accepts & other.accepts for one, other in pairs)


def is_mark(tag: Tag) -> bool:
    """Whether a field says that a constant tag is there."""
    return tag.constant is not None and tag.optional
