"""Structs, unions, enums and aliases → the declarations for the template of an area."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from polywire.model.nodes import Alias, Callback, Enum, Field, Struct, Tag, Union
from polywire.model.walk import contains_itself, refs
from polywire.plan import Plan
from polywire.plan.members import field_as_new
from polywire.plan.rows import is_nullable
from polywire.plan.unions import UnionPlan
from polywire.targets.common.prose import description, documentation
from polywire.targets.python.annotations import Annotations, none_last, union_of
from polywire.targets.python.layout import comma_list, joined, quoted, scalar, within
from polywire.targets.python.names import Names
from polywire.targets.python.source import annotated, assign_tuple


@dataclass(frozen=True, slots=True)
class Constant:
    """A class-level constant: a tag, or a member with a fixed value."""

    attr: str
    literal: str
    annotation: str
    mentions: frozenset[str]
    """The names in the annotation, besides ClassVar."""

    @property
    def declaration(self) -> str:
        """The declaration in the class."""
        return annotated(self.attr, (self.annotation,), self.literal, 4)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field."""

    attr: str
    types: tuple[str, ...]
    """The members of the annotation, which is a union if there are several."""
    default: str | None
    doc: str | None
    mentions: frozenset[str] = frozenset()
    """The names in the annotation."""

    @property
    def declaration(self) -> str:
        """The declaration in the class."""
        return annotated(self.attr, self.types, self.default, 4)

    @property
    def annotation(self) -> str:
        """The annotation on one line."""
        return union_of(self.types)

    @property
    def parameter(self) -> str:
        """The declaration as a parameter for type checkers."""
        return f"{self.attr}: {self.annotation}" + (" = ..." if self.default else "")


@dataclass(frozen=True, slots=True)
class ClassView:
    """A struct as a record."""

    name: str
    area: str
    doc: str
    constants: tuple[Constant, ...]
    attributes: tuple[Attribute, ...]
    made_of: tuple[Attribute, ...] = ()
    """The attributes of a new object, if they differ for type checkers."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of `__init__` for type checkers."""
        return ("self", "*", *(each.parameter for each in self.made_of), _EXTRA)


_EXTRA = "extra: dict[str, Any] = ..."
"""The parameter of every class's `__init__`."""


@dataclass(frozen=True, slots=True)
class ViewView:
    """A field that an Unknown gives access to."""

    key: str
    member: Attribute
    found: str
    """The declaration of the variable for its value."""


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The class of objects whose tag matches no variant."""

    name: str
    of: str
    """The first union whose Unknown it is, by its name in the spec."""
    doc: str
    bases: tuple[str, ...]
    """Its base classes; only `Unknown` for an outermost class."""
    discriminators: tuple[tuple[str, str], ...]
    """Each property with its key, as a literal."""
    views: tuple[ViewView, ...]


@dataclass(frozen=True, slots=True)
class ValueView:
    """One value of an enum."""

    name: str
    literal: str
    doc: str | None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: the alias, and the class with its constants."""

    name: str
    area: str
    values_name: str
    known: str
    """The alias of the declared values: the alias of the enum itself if it is closed."""
    doc: str
    open: bool
    unknown: str
    """The type of undeclared values."""
    values: tuple[ValueView, ...]

    @property
    def literal(self) -> str:
        """The assignment of the alias of the declared values."""
        literals = list(dict.fromkeys(value.literal for value in self.values if not (value.retired and self.open)))
        return comma_list(f"{self.known}: TypeAlias = Literal[", literals, "]", 4)

    @property
    def alias(self) -> str:
        """The assignment of the alias of an open enum."""
        return joined([self.known, self.unknown], f"{self.name}: TypeAlias = ", 4)


@dataclass(frozen=True, slots=True)
class AliasView:
    """A named type expression."""

    name: str
    area: str
    doc: str
    declaration: str
    mentions: frozenset[str]


@dataclass(frozen=True, slots=True)
class SharedView:
    """What all objects that include a struct have in common."""

    name: str
    area: str
    doc: str
    attributes: tuple[Attribute, ...]
    records: tuple[str, ...]
    """The classes of these objects."""

    @property
    def listed(self) -> str:
        """The assignment of the list of their names."""
        return assign_tuple("records", self.records, 8)


def class_view(struct: Struct, names: Names, annotations: Annotations) -> ClassView:
    """A struct as a record: tags and constants on the class, everything that varies in fields."""
    fields = {field.tag.key: field for field in struct.fields if field.tag is not None}
    constants = [_constant(names.tag(t), t.constant) for t in struct.tags if t.constant is not None and not t.optional]
    constants += [_constant(names.member(const.key), const.value) for const in struct.consts]
    attributes = [_tag(tag, fields.get(tag.key), names) for tag in struct.tags if tag.constant is None or tag.optional]
    attributes += [
        (_attribute if field.travels else _local)(field, names, annotations)
        for field in struct.fields
        if field.tag is None
    ]
    new = {
        names.field(field): _attribute(field_as_new(field), names, annotations)
        for field in struct.fields
        if field.new is not None and not field.retired
    }
    made_of = tuple(new.get(each.attr, each) for each in attributes) if new else ()
    # at run time, a new object requires what type checkers require; one that was read may lack it
    for at, each in enumerate(made_of):
        attributes[at] = replace(attributes[at], default=each.default and attributes[at].default)
    doc = documentation(struct.about, f"{struct.name}.")
    name, area = names.type(struct.name), names.area_of(struct.place)
    return ClassView(name, area, doc, tuple(constants), tuple(attributes), made_of)


def _constant(attr: str, value: str | bool | float) -> Constant:
    if isinstance(value, float):
        return Constant(attr, scalar(value), "ClassVar[float]", frozenset())
    return Constant(attr, scalar(value), f"ClassVar[Literal[{scalar(value)}]]", frozenset({"Literal"}))


def _tag(tag: Tag, field: Field | None, names: Names) -> Attribute:
    doc = description(field.about) if field else None
    attr = names.field(field) if field else names.tag(tag)
    if tag.constant is not None:
        maybe = (f"Literal[{scalar(tag.constant)}]", "None")
        return Attribute(attr, maybe, scalar(tag.constant), doc, frozenset({"Literal"}))
    values = names.type(tag.enum) if tag.enum else f"Literal[{', '.join(map(scalar, tag.values))}]"
    text = values if tag.prefix is None else "str"
    types = (text, "None") if tag.optional else (text,)
    mentions = frozenset({names.type(tag.enum)} if tag.enum else {"Literal"} if tag.values else ())
    return Attribute(attr, types, "None" if tag.optional else None, doc, mentions)


def _attribute(field: Field, names: Names, annotations: Annotations) -> Attribute:
    null = is_nullable(annotations.model, field)
    nullable = field.nullable or not field.required
    three = null and not field.required
    types = annotations.members(field.type, nullable=nullable and not (three and not field.nullable))
    if three:
        types = (*types, "Unset")
    default = None if field.required else "UNSET" if three else "None"
    mentions = annotations.mentions(field.type)
    return Attribute(names.field(field), types, default, description(field.about), mentions=mentions)


def _local(field: Field, names: Names, annotations: Annotations) -> Attribute:
    """A function or live object, which is never sent: None in objects that were read."""
    text = _callable(field.callback, annotations) if field.callback else "Any"
    default = None if field.required else "None"
    params = () if field.callback is None else (param.type for param in field.callback.params)
    mentions = frozenset({"Callable"} if field.callback else {"Any"}).union(*map(annotations.mentions, params))
    if field.callback is not None and field.callback.returns is not None:
        mentions |= annotations.mentions(field.callback.returns)
    if field.callback is not None and field.callback.answers is not None:
        mentions |= {"Awaitable"}
    types = (text, "None") if field.callback else (text,)
    return Attribute(names.field(field), types, default, description(field.about), mentions=mentions)


def _callable(callback: Callback, annotations: Annotations) -> str:
    params = ", ".join(annotations.of(param.passed) for param in callback.params)
    returned = annotations.of(callback.returns) if callback.returns else "None"
    result = f"{returned} | Awaitable[{returned}]" if callback.answers is not None else returned
    text = f"Callable[[{params}], {result}]"
    return f"list[{text}]" if callback.several else text


def enum_view(enum: Enum, names: Names) -> EnumView:
    """An enum."""
    values = tuple(
        ValueView(names.value(enum, at), scalar(value.wire), description(value.about), value.retired)
        for at, value in enumerate(enum.values)
    )
    return EnumView(
        name=names.type(enum.name),
        area=names.area_of(enum.place),
        values_name=names.values(enum),
        known=names.known(enum) if enum.open else names.type(enum.name),
        doc=documentation(enum.about, f"{enum.name}."),
        open=enum.open,
        unknown="UnknownInteger" if enum.base == "integer" else "UnknownText",
        values=values,
    )


def alias_view(alias: Alias, plan: Plan, names: Names, annotations: Annotations) -> AliasView:
    """A named type expression."""
    name = names.type(alias.name)
    members = annotations.members(alias.type)
    recurs = contains_itself(alias, plan.model.declarations) or _refers_ahead(alias, plan)
    return AliasView(
        name=name,
        area=names.area_of(alias.place),
        doc=documentation(alias.about, f"{alias.name}."),
        declaration=joined([quoted(union_of(members))] if recurs else members, f"{name}: TypeAlias = ", 4),
        mentions=annotations.mentions(alias.type),
    )


def _refers_ahead(alias: Alias, plan: Plan) -> bool:
    """Whether it refers to an alias that its module declares further down."""
    aliases = plan.model.aliases
    ahead = {each.name for each in aliases[aliases.index(alias) + 1 :] if each.place.file == alias.place.file}
    return not ahead.isdisjoint(refs(alias.type))


def union_alias(planned: UnionPlan, names: Names) -> AliasView:
    """A union of records."""
    union = planned.union
    members = [names.type(name) for name in planned.structs]
    members += [names.unknown(union)] * union.open
    return AliasView(
        name=names.type(union.name),
        area=names.area_of(union.place),
        doc=documentation(union.about, f"{union.name}."),
        declaration=joined(members, f"{names.type(union.name)}: TypeAlias = ", 4),
        mentions=frozenset(members),
    )


def shared_view(struct: Struct, plan: Plan, names: Names, annotations: Annotations) -> SharedView:
    """What all objects that include a struct have in common, with the widest type of each field.

    A field for which an including struct has a tag or constant is not common to all.
    """
    including = [struct, *(each for each in plan.model.structs if struct.name in each.include)]
    fields = [{a.attr: a for a in class_view(each, names, annotations).attributes} for each in including]
    purpose = f"The common members of {names.type(struct.name)} and other objects."
    return SharedView(
        name=names.shared(struct),
        area=names.area_of(struct.place),
        doc=f"{purpose}\n\n{documentation(struct.about, '')}".strip(),
        attributes=tuple(
            _widest([each[attr] for each in fields]) for attr in fields[0] if all(attr in f for f in fields)
        ),
        records=tuple(names.type(each.name) for each in including),
    )


def _widest(attributes: list[Attribute]) -> Attribute:
    """A field with all the types that it has anywhere."""
    types = none_last(part for each in attributes for part in each.types)
    mentions = frozenset[str]().union(*(each.mentions for each in attributes))
    return replace(attributes[0], types=types, mentions=mentions)


def unknown_views(plan: Plan, names: Names, annotations: Annotations) -> tuple[UnknownView, ...]:
    """The classes of Unknowns, base classes first."""
    unions = [union for union in plan.model.unions if union.open]
    sharing: dict[str, list[Union]] = {}
    for union in sorted(unions, key=lambda union: _depth(union, names)):
        sharing.setdefault(names.unknown(union), []).append(union)
    return tuple(_unknown(name, each, plan, names, annotations) for name, each in sharing.items())


def _depth(union: Union, names: Names) -> int:
    return max((1 + _depth(each, names) for each in names.around(union)), default=0)


def _unknown(name: str, unions: list[Union], plan: Plan, names: Names, annotations: Annotations) -> UnknownView:
    inherited = {key for union in unions for each in names.around(union) for key in _properties(each, plan, names)}
    properties: dict[str, str] = {}
    for union in unions:
        for key in plan.unions[union.name].discriminators:
            properties.setdefault(names.discriminator(key), scalar(key))
    return UnknownView(
        name=name,
        of=unions[0].name,
        doc=f"An object of {_listed([names.type(each.name) for each in unions])} that matches no variant.",
        bases=tuple(dict.fromkeys(names.unknown(each) for union in unions for each in names.around(union)))
        or ("Unknown",),
        discriminators=tuple(each for each in properties.items() if each[0] not in inherited),
        views=tuple(_views(unions, {*inherited, *properties}, plan, names, annotations)),
    )


def _properties(union: Union, plan: Plan, names: Names) -> set[str]:
    """The properties of a union's Unknown, including inherited ones."""
    planned = plan.unions[union.name]
    own = {names.discriminator(key) for key in planned.discriminators}
    own |= {names.view(view.field) for view in planned.views}
    return own.union(*(_properties(each, plan, names) for each in names.around(union)))


def _views(
    unions: list[Union], taken: set[str], plan: Plan, names: Names, annotations: Annotations
) -> Iterator[ViewView]:
    for view in (view for union in unions for view in plan.unions[union.name].views):
        name = names.view(view.field)
        if name not in taken:
            taken.add(name)
            key, type_ = view.field.name, view.field.type
            types, mentions = annotations.members(type_, nullable=True), annotations.mentions(type_)
            doc = documentation(view.field.about, f"The object's `{key}`, if it is present and valid.")
            call = within("self._view(", f"{scalar(names.type(view.struct))}, {scalar(key)}", ")")
            yield ViewView(key, Attribute(name, types, None, doc, mentions), annotated("found", types, call, 8))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
