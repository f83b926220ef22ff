"""Structs, unions, enums and aliases → what the templates of the declarations lay out, for stubs and for run time."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Alias, Callback, Enum, Field, Struct, Tag
from polywire.plan import Plan
from polywire.plan.members import is_nullable
from polywire.plan.unions import UnknownPlan
from polywire.targets.python.docs import description, documentation
from polywire.targets.python.layout import comma_list, scalar
from polywire.targets.python.names import Names
from polywire.targets.python.shapes import Shapes
from polywire.targets.python.source import annotated, assign_tuple, enum_alias


@dataclass(frozen=True, slots=True)
class Constant:
    """A class-level constant: a tag, or a member that never varies."""

    attr: str
    literal: str
    annotation: str
    has_literal: bool
    """Whether the annotation has a Literal."""

    @property
    def stub(self) -> str:
        """The declaration in a stub."""
        return annotated(self.attr, f"{self.annotation} = {self.literal}", 4)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field of a dataclass."""

    attr: str
    annotation: str
    runtime: str
    """The annotation at run time, which needs no import."""
    default: str | None
    doc: str | None
    has_literal: bool = False
    """Whether the annotation has a Literal."""

    @property
    def declaration(self) -> str:
        """The declaration at run time."""
        return annotated(self.attr, self.runtime, 4)

    @property
    def stub(self) -> str:
        """The declaration in a stub, which says of UNSET only that there is a default."""
        default = {None: "", "UNSET": " = ..."}.get(self.default, f" = {self.default}")
        return annotated(self.attr, self.annotation + default, 4)

    @property
    def parameter(self) -> str:
        """The parameter of `__init__`."""
        return f"{self.attr}: {self.runtime}" + ("" if self.default is None else f" = {self.default}")


@dataclass(frozen=True, slots=True)
class ClassView:
    """A struct as a dataclass."""

    name: str
    doc: str
    constants: tuple[Constant, ...]
    attributes: tuple[Attribute, ...]

    @property
    def slots(self) -> str:
        """The assignment of `__slots__`."""
        return assign_tuple("__slots__", [*(each.attr for each in self.attributes), "extra"], 4)

    @property
    def init(self) -> str:
        """The first lines of `__init__`."""
        parameters = [each.parameter for each in self.attributes]
        everything = ["self", "*", *parameters, "extra: dict[str, object] = factory"]
        return comma_list("def __init__(", everything, ") -> None:", 4)


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The class of objects whose tag nothing answers to."""

    name: str
    doc: str
    discriminators: tuple[tuple[str, str], ...]
    """Property and literal of the key."""


@dataclass(frozen=True, slots=True)
class ValueView:
    """One value of an enum."""

    name: str
    literal: str
    doc: str | None


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: the alias, and the class of its constants."""

    name: str
    spec_name: str
    values_name: str
    doc: str
    open: bool
    base: str
    values: tuple[ValueView, ...]

    @property
    def values_doc(self) -> str:
        return f"The known values of {self.name}."

    @property
    def alias(self) -> str:
        """The alias, and the private one of what is known of an open enum."""
        literals = list(dict.fromkeys(value.literal for value in self.values))
        return enum_alias(self.name, literals, "int" if self.base == "integer" else "str", is_open=self.open)

    @property
    def known(self) -> str:
        """The alias of what is known of it."""
        return f"_{self.name}Known" if self.open else self.name


@dataclass(frozen=True, slots=True)
class AliasView:
    """A named type expression."""

    name: str
    spec_name: str
    doc: str
    annotation: str
    runtime: str


def class_view(struct: Struct, names: Names, shapes: Shapes) -> ClassView:
    """A struct as a dataclass: tags and constants on the class, everything that varies in fields."""
    fields = {field.tag.key: field for field in struct.fields if field.tag is not None}
    constants = [_constant(names.tag(t), t.constant) for t in struct.tags if t.constant is not None and not t.optional]
    constants += [_constant(names.attribute(const.key), const.value) for const in struct.consts]
    attributes = [_tag(tag, fields.get(tag.key), names) for tag in struct.tags if tag.constant is None or tag.optional]
    attributes += [
        (_attribute if field.travels else _idle)(field, names, shapes) for field in struct.fields if field.tag is None
    ]
    doc = documentation(struct.about, f"{struct.name}.")
    return ClassView(names.type(struct.name), doc, tuple(constants), tuple(attributes))


def _constant(attr: str, value: str | bool | float) -> Constant:
    exact = not isinstance(value, float)
    annotation = f"ClassVar[Literal[{scalar(value)}]]" if exact else "ClassVar[float]"
    return Constant(attr, scalar(value), annotation, has_literal=exact)


def _tag(tag: Tag, field: Field | None, names: Names) -> Attribute:
    doc = description(field.about) if field else None
    attr = names.field(field) if field else names.tag(tag)
    if tag.constant is not None:
        text = f"Literal[{scalar(tag.constant)}] | None"
        runtime = f"{type(tag.constant).__name__} | None"
        return Attribute(attr, text, runtime, scalar(tag.constant), doc, has_literal=True)
    text = names.type(tag.enum) if tag.enum else f"Literal[{', '.join(map(scalar, tag.values))}]"
    null, default = (" | None", "None") if tag.optional else ("", None)
    return Attribute(attr, text + null, f"str{null}", default, doc, has_literal=tag.enum is None)


def _attribute(field: Field, names: Names, shapes: Shapes) -> Attribute:
    null = is_nullable(shapes.model, field)
    nullable = field.nullable or not field.required
    three = null and not field.required
    annotation = shapes.annotation(field.type, nullable=nullable and not (three and not field.nullable))
    runtime = shapes.annotation(field.type, runtime=True, nullable=nullable and not (three and not field.nullable))
    if three:
        annotation, runtime = f"{annotation} | Unset", f"{runtime} | Unset"
    default = None if field.required else "UNSET" if three else "None"
    return Attribute(names.field(field), annotation, runtime, default, description(field.about))


def _idle(field: Field, names: Names, shapes: Shapes) -> Attribute:
    """A function or live object, which never travels: None in whatever was read."""
    text = _callable(field.callback, shapes) if field.callback else "Any"
    default = None if field.required else "None"
    return Attribute(names.field(field), f"{text} | None", "object", default, description(field.about))


def _callable(callback: Callback, shapes: Shapes) -> str:
    params = ", ".join(shapes.annotation(type_) for _, type_ in callback.params)
    return f"Callable[[{params}], {shapes.annotation(callback.returns) if callback.returns else 'None'}]"


def enum_view(enum: Enum, names: Names) -> EnumView:
    """An enum."""
    values = tuple(
        ValueView(names.value(enum, at), scalar(value.wire), description(value.about))
        for at, value in enumerate(enum.values)
    )
    doc = documentation(enum.about, f"{enum.name}.")
    return EnumView(names.type(enum.name), enum.name, names.values(enum), doc, enum.open, enum.base, values)


def alias_view(alias: Alias, names: Names, shapes: Shapes) -> AliasView:
    """A named type expression."""
    return AliasView(
        names.type(alias.name),
        alias.name,
        documentation(alias.about, f"{alias.name}."),
        shapes.annotation(alias.type),
        shapes.annotation(alias.type, runtime=True),
    )


def unknown_views(plan: Plan, names: Names) -> tuple[UnknownView, ...]:
    """The Unknowns, one for each name; with the discriminators of all unions that share it."""
    return tuple(_unknown(each, plan, names) for each in plan.unknowns)


def _unknown(planned: UnknownPlan, plan: Plan, names: Names) -> UnknownView:
    unions = _listed([names.type(union.name) for union in planned.unions])
    properties: dict[str, str] = {}
    for union in planned.unions:
        for key in plan.unions[union.name].discriminators:
            properties.setdefault(names.discriminator(key), scalar(key))
    return UnknownView(
        name=names.unknown(planned.union),
        doc=f"An object of {unions} that nothing declared answers to, kept as it came.",
        discriminators=tuple(properties.items()),
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
