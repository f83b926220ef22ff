"""Structs, unions, enums and aliases → what the templates of the declarations lay out, for stubs and for run time."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Alias, Callback, Enum, Field, Model, Struct, Switch, Tag, Union
from polywire.targets.python.docs import description, documentation
from polywire.targets.python.layout import scalar
from polywire.targets.python.names import Names
from polywire.targets.python.shapes import Shapes


@dataclass(frozen=True, slots=True)
class Constant:
    """A class-level constant: a tag, or a member that never varies."""

    attr: str
    literal: str
    annotation: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field of a dataclass."""

    attr: str
    annotation: str
    runtime: str
    """The annotation at run time, which needs no import."""
    default: str | None
    doc: str | None


@dataclass(frozen=True, slots=True)
class ClassView:
    """A struct as a dataclass."""

    name: str
    doc: str
    constants: tuple[Constant, ...]
    attributes: tuple[Attribute, ...]


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
    def literals(self) -> list[str]:
        return list(dict.fromkeys(value.literal for value in self.values))


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
    return Constant(attr, scalar(value), f"ClassVar[Literal[{scalar(value)}]]" if exact else "ClassVar[float]")


def _tag(tag: Tag, field: Field | None, names: Names) -> Attribute:
    doc = description(field.about) if field else None
    attr = names.field(field) if field else names.tag(tag)
    if tag.constant is not None:
        text = f"Literal[{scalar(tag.constant)}] | None"
        runtime = f"{type(tag.constant).__name__} | None"
        return Attribute(attr, text, runtime, scalar(tag.constant), doc)
    text = names.type(tag.enum) if tag.enum else f"Literal[{', '.join(map(scalar, tag.values))}]"
    return Attribute(
        attr, text + " | None" * tag.optional, "str" + " | None" * tag.optional, "None" if tag.optional else None, doc
    )


def _attribute(field: Field, names: Names, shapes: Shapes) -> Attribute:
    null = field.nullable or shapes.admits_null(field.type)
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


def unknown_views(model: Model, names: Names) -> list[UnknownView]:
    """The Unknowns, one for each name; with the discriminators of all unions that share it."""
    keys: dict[str, dict[str, str]] = {}
    unions: dict[str, list[str]] = {}
    for union in model.unions:
        if union.open:
            name = names.unknown(union)
            unions.setdefault(name, []).append(names.type(union.name))
            found = keys.setdefault(name, {})
            for key in _discriminators(union):
                found.setdefault(names.discriminator(key), scalar(key))
    return [
        UnknownView(
            name,
            f"An object of {_listed(unions[name])} that nothing declared answers to, kept as it came.",
            tuple(keys[name].items()),
        )
        for name in keys
    ]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _discriminators(union: Union) -> list[str]:
    found: list[str] = []
    pending: list[object] = [union.dispatch]
    while pending:
        dispatch = pending.pop(0)
        if isinstance(dispatch, Switch):
            if dispatch.key not in found:
                found.append(dispatch.key)
            pending += [then for _, then in dispatch.cases] + [dispatch.absent]
    return found
