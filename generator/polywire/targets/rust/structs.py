"""Structs of the plan → their declarations, constructors, and the rows for their codecs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from polywire.ground.json_values import Json, dumps
from polywire.model.nodes import About, Alias, Enum, Field, Struct, Tag, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan import Plan
from polywire.plan.fill import ByRule, Filled, Fixed, Given, plain_constructor
from polywire.plan.members import Member, StructPlan, field_as_new
from polywire.plan.rows import kinds
from polywire.source.types import Array, Map, Ref, Scalar, Type
from polywire.targets.common import document
from polywire.targets.rust import layout
from polywire.targets.rust.items import Item
from polywire.targets.rust.layout import INDENT, braced, described, documentation, initializer, quoted, signature
from polywire.targets.rust.names import Names, override
from polywire.targets.rust.shapes import COPIED, Shapes
from polywire.targets.rust.source import places

MOST_PARAMETERS = 3
"""The maximum number of positional parameters, for readable calls."""

ABSENT = frozenset({"None", "Presence::Absent"})
"""Values of absent fields, which are the defaults of their types."""

PRESET = "crate::api::preset"
"""The function that decodes a value from the spec."""

FRESH = "fresh_uuid()"
"""The expression of a new UUID."""

RULES = {ByRule.FRESH_UUID: FRESH, ByRule.EMPTY_LIST: "Vec::new()", ByRule.EMPTY_OBJECT: "Map::new()"}
"""The expressions of values that fields get by rule."""

GIVEN = "given"
"""The name of the parameter that has all others as its fields."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a constructor."""

    name: str
    type: str
    """The type of the value."""
    converts: bool
    """Whether a parameter also accepts values that convert to its type."""
    accepts: frozenset[str]
    """The types of accepted arguments: its own, and for an inline union those of its members."""
    doc: str
    held: str | None = None
    """The type of the field, if it also holds values of other types."""

    @property
    def taken(self) -> str:
        """The declared type of the parameter."""
        return f"impl Into<{self.type}>" if self.converts else self.type


@dataclass(frozen=True, slots=True)
class ParametersView:
    """The parameters of a constructor: separate ones, or a single struct."""

    parameters: tuple[Parameter, ...]
    texts: tuple[str, ...]
    """The declaration of each parameter, or of the single struct."""
    above: str
    bundle: str = ""
    """The struct whose fields are the parameters, if a call could confuse them."""
    fields: tuple[FieldView, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field in a declaration."""

    name: str
    type: str
    text: str
    """Its declaration."""


@dataclass(frozen=True, slots=True)
class StructView(Item):
    """A struct."""

    above: str
    fields: tuple[FieldView, ...]
    setters: tuple[str, ...]
    """The methods that set optional members: the name, the field, the argument, and its type."""
    takes: ParametersView
    """The parameters of `new`."""
    new: str
    """The row of `new` in the format of the macro."""
    is_default: bool
    """Whether `new` is equivalent to the derived default."""


class Structs:
    """Builds the structs of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes
        self._places = places(plan, names)

    def views(self) -> tuple[StructView, ...]:
        """All structs, in order."""
        return tuple(map(self._view, self._plan.structs.values()))

    def _view(self, plan: StructPlan) -> StructView:
        struct, name = plan.struct, self._names.type(plan.struct.name)
        self._shapes.home = self._names.home(struct.name)
        takes, new, is_default = self._new(struct)
        return StructView(
            home=self._shapes.home,
            macro="records",
            codec=braced(f"{name} {quoted(struct.name)} {self._places[struct.name]}", self._rows(plan)),
            name=name,
            above=described(struct.about, f"`{struct.name}`."),
            takes=takes,
            new=new,
            is_default=is_default,
            fields=tuple(self._fields(struct)),
            setters=tuple(self._setters(struct)),
        )

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

    # Declarations.

    def _fields(self, struct: Struct) -> Iterator[FieldView]:
        for tag in filter(is_mark, struct.tags):
            says = f"Whether the member `{tag.key}` is present, which is always {quoted(str(tag.constant))}."
            yield self._field(self._names.tag(tag), "bool", says, None)
        for each in struct.wire_fields:
            text = self._documentation(each)
            yield self._field(self._names.field(each), self._shapes.field(each), text, each.about.deprecated)

    def _field(self, name: str, type_: str, text: str, deprecated: str | None) -> FieldView:
        return FieldView(name, type_, layout.field(name, type_, layout.above(text, deprecated, INDENT)))

    def _documentation(self, each: Field) -> str:
        """The documentation of a member; without one, its name on the wire if that differs from the field's."""
        is_same = self._names.field(each).removeprefix("r#") == each.name
        return documentation(each.about, "" if is_same else f"`{each.name}` on the wire.")

    # Creation.

    def _new(self, struct: Struct) -> tuple[ParametersView, str, bool]:
        """The parameters of `new`, its row, and whether it is equivalent to the derived default."""
        made = plain_constructor(struct).members
        parameters = [self.parameter(each.field, self._names.field(each.field)) for each in made if is_given(each)]
        name = self._names.type(struct.name)
        takes = self.takes(name, f"{name}Required", "new", parameters)

        def passed(field: Field, _: str) -> str:
            return self.passed(field, self._names.field(field), takes)

        values = [(self._names.field(each.field), self.filled(struct, each, passed)) for each in made]
        fields = self.marks(struct) + values
        rows = list(_rows_of_new(self._new_doc(struct, parameters), name, takes, fields))
        is_default = not parameters and all(value in ABSENT for _, value in fields)
        if not parameters and not is_default:
            rows.append(layout.line("=> Default"))
        return takes, "\n".join(rows), is_default

    def _new_doc(self, struct: Struct, parameters: Sequence[Parameter]) -> str:
        """The documentation of `new`: that of a constructor with the same parameters, if the spec has one."""
        plain = (each for each in self._plan.constructors if each.struct.name == struct.name and each.is_plain)
        about = next((each.constructor.about for each in plain), About())
        how = "from its required members" if parameters else "without optional members"
        return documentation(about, f"Creates a value {how}.")

    def marks(self, struct: Struct) -> list[tuple[str, str]]:
        """The fields that record the presence of a tag, with their values in a constructor."""
        return [(self._names.tag(tag), "true") for tag in filter(is_mark, struct.tags)]

    # Parameters of constructors.

    def takes(self, struct: str, bundle: str, function: str, parameters: Sequence[Parameter]) -> ParametersView:
        """The parameters as they are if a call cannot confuse them, else as the fields of a struct named `bundle`."""
        above = layout.above(f"The arguments of `{struct}::{function}`.")
        if _confusing(parameters):
            fields = (self._field(each.name, each.type, each.doc, None) for each in parameters)
            return ParametersView(tuple(parameters), (f"{GIVEN}: {bundle}",), above, bundle, tuple(fields))
        return ParametersView(tuple(parameters), tuple(f"{each.name}: {each.taken}" for each in parameters), above)

    def parameter(self, each: Field, name: str) -> Parameter:
        """The parameter for a field, with the given name."""
        new = None if self._is_option(each) else self._new_type(each)
        type_ = new or self._shapes.of(each.type, _named(each))
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
        text = self._documentation(each).split("\n\n")[0]
        held = None if new is None else self._shapes.of(each.type, _named(each))
        return Parameter(name, type_, converts, frozenset(accepts), text, held)

    def passed(self, each: Field, name: str, takes: ParametersView) -> str:
        """The value of a field from the parameter with the given name."""
        parameter = next(each for each in takes.parameters if each.name == name)
        value = name if not takes.bundle else f"{GIVEN}.{name}"
        if parameter.converts and not takes.bundle:
            value = f"{value}.into()" if parameter.held is None else f"Into::<{parameter.type}>::into({value})"
        if parameter.held is not None:
            value = f"{parameter.held}::from({value})"
        if self._shapes.presence(each) == "presence" or self._is_option(each):
            return f"{value}.map(Box::new)" if self._shapes.boxed(each) else value
        return self.present(each, value)

    def _new_type(self, each: Field) -> str | None:
        """The type of new values if it differs from the field's type and converts to it; otherwise None."""
        to = field_as_new(each)
        if to is each or self._shapes.presence(each) == "presence" or self._shapes.boxed(each):
            return None
        new, held = self._shapes.of(to.type, _named(each)), self._shapes.of(each.type, _named(each))
        return new if new != held and self._converts(to.type, each.type, new, held) else None

    def _converts(self, new: Type, held: Type, of: str, to: str) -> bool:
        """Whether the Rust type of `new` converts to that of `held` by `into`."""
        if to in self._shapes.choices:
            return any(not each.boxed and each.type == of for each in self._shapes.choices[to].variants)
        if to == "Json":
            return isinstance(new, Scalar) and of != "()"
        declared = self._model.declarations
        wide, narrow = (declared.get(each.name) if isinstance(each, Ref) else None for each in (held, new))
        return isinstance(wide, Union) and isinstance(narrow, Struct) and narrow.name in structs_of(wide.dispatch)

    def _is_option(self, each: Field) -> bool:
        """Whether the parameter for a field is an option."""
        optional = self._shapes.field(each) != self._shapes.value(each)
        return optional and (each.required or not each.construct_required)

    # Setters.

    def _setters(self, struct: Struct) -> Iterator[str]:
        """A setter for every member that `new` does not take."""
        for filled in plain_constructor(struct).members:
            if not is_given(filled) and not filled.field.retired:
                each = filled.field
                text = layout.above(self._documentation(each).split("\n\n")[0], each.about.deprecated, INDENT)
                yield f"{text}{self._names.setter(each)} {self._names.field(each)} {self._taken(each)}"

    def _taken(self, each: Field) -> str:
        """The argument of a setter, and the type of the value; a `Presence` is set to any of its states."""
        item = self._item(each)
        if item is not None:
            return f"list {item}"
        type_ = self._shapes.value(each)
        if self._shapes.presence(each) == "presence":
            return f"into Presence<{type_}>"
        new = self._new_type(each)
        if new is not None:
            item = self._item(field_as_new(each))
            return f"into {type_} => {new}" if item is None else f"all {type_} => {item}"
        return f"value {type_}" if type_ in COPIED else f"into {type_}"

    def _item(self, each: Field) -> str | None:
        """The type of the items if a field is a list without a third state."""
        plain = without_alias(each.type, self._model.declarations)
        held = self._shapes.presence(each) == "presence" or self._shapes.holds_struct(each.type)
        if not isinstance(plain, Array) or held:
            return None
        return self._shapes.of(plain.item, _named(each))

    # Values.

    def filled(self, struct: Struct, filled: Filled, passed: Callable[[Field, str], str]) -> str:
        """The expression of a field that is no new object; `passed` has those that the caller gives, by name."""
        match filled.value:
            case Given(name=name):
                return passed(filled.field, name)
            case Fixed(value=fixed):
                return self.fixed(struct, filled.field, fixed)
            case ByRule.NULL:
                return self.fixed(struct, filled.field, None)
            case ByRule.FRESH_UUID | ByRule.EMPTY_LIST | ByRule.EMPTY_OBJECT as rule:
                return self.present(filled.field, RULES[rule])
        return self.lacking(filled.field, "Absent")

    def present(self, each: Field, value: str) -> str:
        """The expression of a field that holds a value."""
        field, plain = self._shapes.field(each), self._shapes.value(each)
        if self._shapes.boxed(each):
            value = f"Box::new({value})"
        if field == plain:
            return value
        return f"Presence::Present({value})" if self._shapes.presence(each) == "presence" else f"Some({value})"

    def maybe(self, each: Field, value: str) -> str:
        """The expression of a field that is set from an option."""
        presence, is_plain = self._shapes.presence(each), self._shapes.field(each) == self._shapes.value(each)
        if presence == "presence":
            return f"{value}.map_or(Presence::Absent, Presence::Present)"
        return f"{value}.unwrap_or_default()" if presence == "required" and is_plain else value

    def lacking(self, each: Field, state: Literal["Absent", "Null"]) -> str:
        """The expression of a field that is absent or null."""
        return f"Presence::{state}" if self._shapes.presence(each) == "presence" else "None"

    def fixed(self, struct: Struct, each: Field, value: Json) -> str:
        """The expression of a field with a value from the spec."""
        if value is None and "null" not in kinds(self._model, each.type):
            return self.lacking(each, "Null")
        simple = self._simple(each.type, value)
        if simple is not None:
            return self.present(each, simple)
        is_wide = len(self.present(each, self.literal(struct, each, value)).partition("(")[2]) > layout.SHORT + 1
        call = document.listed(INDENT, f"{PRESET}(", self._preset(struct, each, value), ")", broken=is_wide)
        around = initializer(self._names.field(each), self.present(each, ","))
        return self.present(each, document.lay_out(call, layout.WIDTH, indent=12, after=len(around)))

    def literal(self, struct: Struct, each: Field, value: Json) -> str:
        """The expression of a value of a struct's field."""
        return self._simple(each.type, value) or f"{PRESET}({', '.join(self._preset(struct, each, value))})"

    def _preset(self, struct: Struct, each: Field, value: Json) -> tuple[str, ...]:
        """The arguments of `preset`: the indexes of the struct and of the member in the tables, and the JSON text."""
        fields = [member.field for member in self._plan.structs[struct.name].members]
        return self._places[struct.name], str(fields.index(each)), quoted(dumps(value))

    def _simple(self, type_: Type, value: Json) -> str | None:
        """The direct expression of a scalar, an empty map or a list of simple values; None for any other value."""
        declared = self._model.declarations[type_.name] if isinstance(type_, Ref) else None
        match declared or type_, value:
            case Alias() as alias, _:
                return None if self._shapes.is_struct(alias) else self._simple(alias.type, value)
            case Enum() as enum, _:
                return self._known(enum, value)
            case Scalar(kind="string" | "uuid" | "timestamp"), str():
                return f"{quoted(value)}.into()"
            case Scalar(kind="boolean"), bool():
                return str(value).lower()
            case Scalar(kind="integer"), int() | float():
                return f"{int(value)}_i64"
            case Scalar(kind="number"), int() | float():
                return layout.float_literal(value)
            case Scalar(kind="object"), dict() if not value:
                return "Object::new()"
            case Map(), dict() if not value:
                return "Map::new()"
            case Array(item=item), list():
                items = [self._simple(item, each) for each in value]
                return None if None in items else f"vec![{', '.join(filter(None, items))}]"
        return None

    def _known(self, enum: Enum, value: Json) -> str | None:
        """A declared value of an enum."""
        at = next((at for at, each in enumerate(enum.values) if each.wire == value), None)
        return None if at is None else f"{self._names.type(enum.name)}::{self._names.value(enum, at)}"


def _named(each: Field) -> str | None:
    return override(each.about, "type")


def is_given(filled: Filled) -> bool:
    """Whether the caller of a constructor passes a value."""
    return isinstance(filled.value, Given)


def _rows_of_new(text: str, struct: str, takes: ParametersView, fields: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The row of `new` for a struct, below its documentation, by its parts: the values of its fields."""
    same = [name for name, value in fields if value == f"{GIVEN}.{name}"]
    absent = [name for name, value in fields if value in ABSENT]
    given = [f"{name}: {value}" for name, value in fields if name not in same and name not in absent]
    yield signature(struct, takes.texts, "", above=layout.above(text, None, INDENT))
    for head, items in ((f"takes {GIVEN}", same), ("sets", given), ("lacks", absent)):
        if items:
            yield braced(head, items)


def _confusing(parameters: Sequence[Parameter]) -> bool:
    """Whether a call could swap two parameters and still compile, or has too many parameters."""
    pairs = combinations(parameters, 2)
    return len(parameters) > MOST_PARAMETERS or any(one.accepts & other.accepts for one, other in pairs)


def is_mark(tag: Tag) -> bool:
    """Whether the struct needs a field that records the presence of a constant tag."""
    return tag.constant is not None and tag.optional
