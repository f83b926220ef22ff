"""Declarations of the model → the interfaces, unions and maps of types in `index.d.ts`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from polywire.model.nodes import About, Alias, Enum, Field, Keys, Leaf, Model, Struct, Switch, Union
from polywire.model.walk import structs_of
from polywire.plan import Plan
from polywire.plan.members import as_new
from polywire.plan.unions import ReadableField, UnknownPlan
from polywire.source.types import Ref, Scalar, Type
from polywire.targets.common.document import HARD, Doc, group, nest
from polywire.targets.common.prose import history, paragraphs
from polywire.targets.typescript.layout import INDENT, Property, key, literal, prose, quoted
from polywire.targets.typescript.names import Names, override
from polywire.targets.typescript.types import UNKNOWN_INTEGER, UNKNOWN_TAG, Types

_UNKNOWN_OBJECT = Property('readonly "~unknown"', ("true",))
"""A compile-time member of Unknowns, so that no object written in a program is assignable to one.

Its key is a text: declarations that the compiler emits for a user's code cannot name a symbol of this package.
"""

_NEW_OBJECT = '"~new"'
"""The key of a compile-time member with the type of new objects; no object written in a program has it."""

_OBJECT = Scalar("object")


@dataclass(frozen=True, slots=True)
class ObjectView:
    """A struct as an interface; with flattened fields, as an intersection."""

    name: str
    doc: tuple[str, ...]
    extends: tuple[str, ...]
    properties: tuple[Property, ...]
    """The properties that are not inherited from `extends`."""
    index: tuple[Property, ...] = ()
    """The index signature, if other keys are declared."""
    flattened: tuple[str, ...] = ()
    """The other members of the intersection."""
    new: tuple[Property, ...] = ()
    """The compile-time member with the properties that differ in a new object, if any do."""

    @property
    def members(self) -> tuple[Property, ...]:
        """All properties in the interface's block."""
        return (*self.properties, *self.index, *self.new)


@dataclass(frozen=True, slots=True)
class UnionView:
    """A union: the known variants and, if it is open, the union of these with the Unknown."""

    name: str
    doc: tuple[str, ...]
    members: tuple[str, ...]
    unknown: str | None
    both: str
    """The name of the union with the Unknown, if it is open."""

    @property
    def with_unknown(self) -> tuple[str, ...]:
        """The members of the union with the Unknown."""
        return (self.name, self.unknown) if self.unknown else (self.name,)


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The type of objects that match no variant: a union of shapes, one for each discriminator that may be unknown."""

    name: str
    doc: tuple[str, ...]
    shapes: tuple[tuple[Property, ...], ...]
    viewer: str
    """The function that reads further members."""
    view: str
    """The type of its result."""
    views: tuple[Property, ...]
    """The members of this type; empty if there are no further ones."""

    @property
    def shape(self) -> tuple[Property, ...] | None:
        """The shape, if there is only one."""
        return self.shapes[0] if len(self.shapes) == 1 else None


@dataclass(frozen=True, slots=True)
class EnumView:
    """An enum: its type, the type of the known values, and the array of these."""

    name: str
    doc: tuple[str, ...]
    literals: tuple[str, ...]
    known: str
    both: tuple[str, ...] | None
    """The types of known and unknown values, if unknown values are possible."""
    values: str


@dataclass(frozen=True, slots=True)
class AliasView:
    """A named type expression."""

    name: str
    doc: tuple[str, ...]
    members: tuple[str, ...]
    layout: Doc = ""
    """The type as a document, as in `Property`."""


# --- prose -----------------------------------------------------------------------------------------------------


def documentation(about: About) -> tuple[str, ...]:
    """The paragraphs of a doc comment."""
    deprecated = (f"@deprecated {prose(about.deprecated)}",) if about.deprecated else ()
    return (*map(prose, paragraphs(about)), *deprecated)


def _values_doc(enum: Enum) -> str:
    rows = [f"- `{literal(value.wire)}`: {_in_short(value.about)}" for value in enum.values]
    return "\n".join(prose(row) for row in rows)


def _in_short(about: About) -> str:
    deprecated = f"Deprecated: {about.deprecated}" if about.deprecated else ""
    return " ".join(f"{about.doc or ''} {history(about) or ''} {deprecated}".split()) or "(no description)"


# --- enums and aliases -----------------------------------------------------------------------------------------


def enum_view(enum: Enum, names: Names) -> EnumView:
    """An enum."""
    name, known = names.type(enum.name), names.known(enum)
    rest = f"({'number' if enum.base == 'integer' else 'string'} & {{}})"
    return EnumView(
        name=name,
        doc=(*documentation(enum.about)[:1], _values_doc(enum), *documentation(enum.about)[1:]),
        literals=tuple(literal(value.wire) for value in enum.values if not (value.retired and enum.open)),
        known=known,
        both=(known, rest) if enum.open else None,
        values=names.values(enum),
    )


def alias_view(alias: Alias, names: Names, types: Types) -> AliasView:
    """An alias."""
    return AliasView(names.type(alias.name), documentation(alias.about), types.members(alias.type))


def callback_views(model: Model, names: Names, types: Types) -> tuple[AliasView, ...]:
    """The function types to which the spec gives a name."""
    found: dict[str, AliasView] = {}
    for struct in model.structs:
        for field in struct.fields:
            name = names.callback(field)
            if name is not None and field.callback is not None:
                doc = (f"A function for `{names.type(struct.name)}.{field.name}`.",)
                found.setdefault(name, AliasView(name, doc, (), types.function(field.callback)))
    return tuple(found.values())


# --- objects ---------------------------------------------------------------------------------------------------


class Objects:
    """Builds the views of a model's structs."""

    def __init__(self, model: Model, names: Names, types: Types) -> None:
        self._model = model
        self._names = names
        self._types = types

    def view(self, struct: Struct) -> ObjectView:
        """One struct."""
        properties = self.properties(struct)
        index, new = self._index(struct, properties), self._new(struct, properties)
        flattened = self._flattened(struct)
        extends, inherited = self._extended(struct, properties)
        return ObjectView(
            name=self._names.type(struct.name),
            doc=documentation(struct.about),
            extends=extends,
            properties=tuple(each for name, each in properties.items() if name not in inherited),
            index=(Property("[key: string]", ("unknown",) if new else index),) if index else (),
            flattened=flattened,
            new=new,
        )

    def _new(self, struct: Struct, properties: dict[str, Property]) -> tuple[Property, ...]:
        """The member for `Closed` with the properties of new objects that differ, `never` for removed ones."""
        there = self.properties(as_new(struct))
        gone = (
            replace(each, types=("never",), optional=True) for name, each in properties.items() if name not in there
        )
        changed = (each for name, each in there.items() if not _same(properties[name], each))
        differing = [replace(each, doc=()) for each in (*changed, *gone)]
        if not differing:
            return ()
        block = group("NewMembers<{", nest(INDENT, *((HARD, each.document) for each in differing)), HARD, "}>")
        return (Property(f"readonly {_NEW_OBJECT}", (), optional=True, layout=block),)

    def properties(self, struct: Struct) -> dict[str, Property]:
        """The properties by key: tags, constants, fields. A flattened field has no property."""
        found: dict[str, Property] = {}
        absent = override(struct.about, "absent")
        for tag in struct.tags:
            if tag.constant is not None:
                found[tag.key] = Property(key(tag.key), (literal(tag.constant),), tag.optional)
        for const in struct.consts:
            found[const.key] = Property(key(const.key), (literal(const.value),))
        for field in struct.fields:
            if not field.flatten:
                types, layout, doc = self._types.field(field), self._types.layout(field), documentation(field.about)
                types += () if field.required or absent is None else (absent,)
                is_method = self._types.is_method(field)
                found[field.name] = Property(
                    key(field.name), types, not field.required, doc, layout, is_method=is_method
                )
        return found

    def _extended(self, struct: Struct, properties: dict[str, Property]) -> tuple[tuple[str, ...], frozenset[str]]:
        """The interfaces of mixins, without members that differ here, and the keys of the inherited members."""
        extends: list[str] = []
        inherited: set[str] = set()
        for name in struct.include:
            mixin = self._model.struct(name)
            if (
                mixin.extra is not None
                or struct.extra is not None
                or any(f.flatten for f in (*mixin.fields, *struct.fields))
            ):
                continue
            lent = self.properties(mixin)
            differs = [each for each, lends in lent.items() if not _same(properties.get(each), lends)]
            if len(differs) == len(lent):
                continue
            base = self._names.type(name)
            left_out = [*map(quoted, differs), *([_NEW_OBJECT] if self._new(mixin, lent) else [])]
            extends.append(f"Omit<{base}, {' | '.join(left_out)}>" if left_out else base)
            inherited.update(each for each, lends in lent.items() if properties.get(each) == lends)
        return tuple(extends), frozenset(inherited)

    def _index(self, struct: Struct, properties: dict[str, Property]) -> tuple[str, ...]:
        """The type of declared extra content; an index signature must also admit the types of declared members."""
        flat = [field for field in struct.fields if field.flatten]
        if any(field.type == _OBJECT for field in flat):
            return ("unknown",)
        if struct.extra is None:
            return ()
        own = self._types.members(struct.extra)
        if "unknown" in own:
            return ("unknown",)
        declared = [type_ for each in properties.values() for type_ in each.types]
        absent = ["undefined"] if any(each.optional for each in properties.values()) else []
        return ("unknown",) if "unknown" in declared else tuple(dict.fromkeys((*own, *declared, *absent)))

    def _flattened(self, struct: Struct) -> tuple[str, ...]:
        """The types of flattened fields."""
        found: list[str] = []
        for field in struct.fields:
            if field.flatten and field.type != _OBJECT:
                text = self._types.text(field.type)
                found.append(text if field.required else f"({text} | {self._none_of(field.type)})")
        return tuple(found)

    def _none_of(self, type_: Type) -> str:
        """An object type with none of the members of a flattened type."""
        keys = dict.fromkeys(key(name) for struct in self._structs(type_) for name in self.properties(struct))
        return f"{{ {'; '.join(f'{name}?: never' for name in keys)} }}" if keys else "{}"

    def _structs(self, type_: Type) -> list[Struct]:
        match self._model.declarations[type_.name] if isinstance(type_, Ref) else None:
            case Struct() as struct:
                return [struct]
            case Union() as union:
                return [self._model.struct(name) for name in structs_of(union.dispatch)]
            case Alias(type=inner):
                return self._structs(inner)
            case _:
                return []


def _same(here: Property | None, there: Property) -> bool:
    """Whether two properties are identical to the compiler."""
    return here is not None and (here.types, here.optional) == (there.types, there.optional)


# --- unions ----------------------------------------------------------------------------------------------------


def union_view(union: Union, names: Names) -> UnionView:
    """A union with its variants in the order of the spec."""
    return UnionView(
        name=names.type(union.name),
        doc=documentation(union.about),
        members=tuple(dict.fromkeys(map(names.type, _variants(union)))) or ("never",),
        unknown=names.unknown(union) if union.open else None,
        both=names.or_unknown(union),
    )


def _variants(union: Union) -> list[str]:
    """The names of the variants; those that need no discriminator come last."""
    last = _without_tag(union)
    return sorted((variant.name for variant in union.variants), key=lambda name: name in last)


def _without_tag(union: Union) -> set[str]:
    """The variants for objects without the union's discriminator."""
    dispatch = union.dispatch
    absent = dispatch.absent if isinstance(dispatch, Switch) else None
    return set() if absent is None else set(structs_of(absent))


def in_order(model: Model) -> list[Struct]:
    """The structs in declared order, except that those that need no discriminator come after their siblings.

    If several variants match an object equally well, the compiler reports what is missing from the last of them. For an
    object without the discriminator, that should be the variant that needs none.
    """
    order = [struct.name for struct in model.structs]
    for union in model.unions:
        if last := _without_tag(union):
            siblings = [order.index(name) for name in structs_of(union.dispatch) if name not in last]
            for name in last:
                at = order.index(name)
                order.insert(max((at, *siblings)), order.pop(at))
    return [model.struct(name) for name in order]


Shape: TypeAlias = "tuple[Property, ...]"


def unknown_view(plan: Plan, unknown: UnknownPlan, names: Names, types: Types) -> UnknownView:
    """An Unknown, with every shape that it can have in any of its unions."""
    shapes = dict.fromkeys(
        shape for union in unknown.unions for shape in _shapes(union.dispatch, _common_tags(plan, union), plan.model)
    )
    owners = [names.type(union.name) for union in unknown.unions]
    doc = tuple(_unknown_doc(owners, exists=bool(shapes)))
    branded = ((*shape, _UNKNOWN_OBJECT) for shape in sorted(shapes, key=len))
    return UnknownView(
        names.unknown(unknown.union),
        doc,
        tuple(branded),
        names.viewer(unknown.union),
        names.view(unknown.union),
        tuple(_view(each.field, types) for each in views_of(plan, unknown)),
    )


def views_of(plan: Plan, unknown: UnknownPlan) -> tuple[ReadableField, ...]:
    """The fields that an Unknown gives access to, each key once."""
    views = {view.field.name: view for union in reversed(unknown.unions) for view in plan.unions[union.name].views}
    return tuple(views.values())


def _view(field: Field, types: Types) -> Property:
    return Property(f"readonly {key(field.name)}", types.members(field.type), True, documentation(field.about))


def _unknown_doc(owners: list[str], *, exists: bool) -> Iterator[str]:
    some = ", ".join(f"`{name}`" for name in owners)
    yield f"An object that matches no variant of {some}, kept unchanged."
    if not exists:
        yield "No such object exists: every value of the discriminator has a variant."


def _common_tags(plan: Plan, union: Union) -> Shape:
    """The constant tags that all variants of a union share, by which an enclosing union selects this one."""
    variants = [plan.model.struct(name) for name in plan.unions[union.name].structs]
    if not variants or union.by == "keys":
        return ()
    shared = [
        tag
        for tag in variants[0].tags
        if tag.constant is not None
        and tag.key != union.by
        and all((other := each.tag(tag.key)) is not None and other.constant == tag.constant for each in variants)
    ]
    return tuple(Property(key(tag.key), (literal(tag.constant),)) for tag in shared if tag.constant is not None)


def _shapes(dispatch: Leaf | Switch | Keys, before: Shape, model: Model) -> list[Shape]:
    """The possible shapes of objects that match no variant of a dispatch; `before` has the properties known so far."""
    match dispatch:
        case Leaf():
            return []
        case Keys():
            inner = [shape for _, each in dispatch.cases for shape in _shapes(each, before, model)]
            return [*([before] if model.union(dispatch.union).open else []), *inner]
        case Switch():
            return [*_lost_here(dispatch, before, model), *_lost_below(dispatch, before, model)]


def _lost_here(switch: Switch, before: Shape, model: Model) -> list[Shape]:
    if not model.union(switch.union).open:
        return []
    if switch.base == "integer":
        return [(*before, Property(key(switch.key), (UNKNOWN_INTEGER,)))]
    if switch.base == "string" and switch.ways:
        return [(*before, Property(key(switch.key), (UNKNOWN_TAG,)))]
    free = [value for value in (False, True) if switch.case(value) is None and switch.absent is None]
    return [(*before, Property(key(switch.key), (literal(value),))) for value in free]


def _lost_below(switch: Switch, before: Shape, model: Model) -> list[Shape]:
    below: dict[Switch | Keys, list[str | bool | int]] = {}
    for value, inner in switch.cases:
        if not isinstance(inner, Leaf):
            below.setdefault(inner, []).append(value)
    found: list[Shape] = []
    for inner, values in below.items():
        way = Property(key(switch.key), tuple(literal(value) for value in values))
        found.extend(_shapes(inner, (*before, way), model))
    if switch.absent is not None:
        found.extend(_shapes(switch.absent, before, model))
    return found
