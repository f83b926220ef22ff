"""Structs and unions → what the codec templates lay out: members in wire order, tables, dispatch functions.

The decoders handle what is common and valid, and hand over everything else; so a struct that they cannot handle at all
(a flattened field) is simply marked, and its objects are left to the slow pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Dispatch, Field, Keys, Leaf, Model, Scalar, Struct, Switch, Tag, Union
from polywire.targets.python.docs import documentation
from polywire.targets.python.layout import quoted, scalar
from polywire.targets.python.names import KEYWORDS, Names
from polywire.targets.python.shapes import Shape, Shapes

LOCALS = KEYWORDS | {
    *("d", "o", "n", "x", "item", "kind", "tag", "text"),
    *("type", "len", "map", "str", "int", "bool", "dict", "list", "float", "self"),
    *("boolean_text", "join", "json_text", "more", "next", "number", "number_text", "object_text", "quote", "rest"),
    *("fast_path_miss", "unknown_text", "unsafe"),
}
"""What a codec function uses besides a variable for each field."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct's object on the wire."""

    key: str
    attr: str
    local: str
    """The variable that holds it in a codec function."""
    shape: Shape
    required: bool
    nullable: bool
    """Whether null is a value of it, which an object holds as None."""
    constant: str | None = None
    """The literal of a tag or constant."""
    tag: bool = False
    """Whether a union looks at it first."""
    claimed: tuple[str, ...] = ()
    """Literals of values that belong to sibling variants."""

    @property
    def quoted(self) -> str:
        return quoted(self.key)

    @property
    def text(self) -> bool:
        """Whether it is text and nothing else, which an addition makes sure of."""
        return self.shape.kind == "string" and not self.nullable and not self.claimed

    @property
    def absent(self) -> str:
        """What stands for absence."""
        return "UNSET" if self.nullable else "None"


@dataclass(frozen=True, slots=True)
class StructView:
    """One struct as the codecs see it."""

    name: str
    spec_name: str
    members: tuple[Member, ...]
    slow: bool
    """Whether only the slow pass can read and write it."""
    typed_extra: bool
    """Whether extra content is something that the slow pass has to look at."""
    idle: tuple[str, ...]
    """Attributes that never travel."""

    @property
    def constants(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members if m.constant is not None)

    @property
    def required(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members if m.required and m.constant is None)

    @property
    def optional(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members if not m.required)

    @property
    def always(self) -> int:
        """How many keys every object of it has."""
        return len(self.constants) + len(self.required)

    @property
    def tagged(self) -> bool:
        """Whether it has tags that a union looks at first."""
        return any(m.tag for m in self.members)

    @property
    def optional_first(self) -> bool:
        """Whether an object may begin with another member than the first."""
        return bool(self.members) and not self.members[0].required

    @property
    def keys(self) -> frozenset[str]:
        """Every declared key."""
        return frozenset(m.key for m in self.members)


def struct_view(struct: Struct, names: Names, shapes: Shapes) -> StructView:
    """A struct as the codecs see it."""
    by_tag = {field.tag.key: field for field in struct.fields if field.tag is not None}
    tagged = shapes.tagged(struct)
    members = [_tag(tag, by_tag.get(tag.key), names, shapes, tagged=tagged) for tag in struct.tags]
    for const in struct.consts:
        attr = names.attribute(const.key)
        members.append(
            Member(const.key, attr, _local(attr), _literal_shape(const.value), True, False, scalar(const.value))
        )
    members += [_field(field, names, shapes) for field in struct.wire_fields if field.tag is None]
    return StructView(
        name=names.type(struct.name),
        spec_name=struct.name,
        members=tuple(members),
        slow=any(field.flatten for field in struct.fields),
        typed_extra=struct.extra is not None and struct.extra != Scalar("json"),
        idle=tuple(names.field(field) for field in struct.fields if not field.travels),
    )


def _local(attr: str) -> str:
    return attr + "_" if attr in LOCALS else attr


def _literal_shape(value: str | bool | float) -> Shape:
    if isinstance(value, bool):
        return Shape("boolean")
    if isinstance(value, str):
        return Shape("string")
    return Shape("integer" if isinstance(value, int) else "number")


def _tag(tag: Tag, field: Field | None, names: Names, shapes: Shapes, *, tagged: bool) -> Member:
    if tag.constant is None:
        attr = names.field(field) if field else names.tag(tag)
        values = tag.values or tuple(str(each.wire) for each in shapes.model.enum(tag.enum or "").values)
        shape = Shape("enum", f"{tag.enum or ''}", values=values)
        return Member(tag.key, attr, _local(attr), shape, not tag.optional, nullable=False)
    attr = names.tag(tag)
    if not tag.optional:
        shape = _literal_shape(tag.constant)
        return Member(tag.key, attr, _local(attr), shape, True, False, scalar(tag.constant), tag=tagged)
    if isinstance(tag.constant, bool):
        return Member(tag.key, attr, _local(attr), Shape("slow"), required=False, nullable=False)
    return Member(tag.key, attr, _local(attr), Shape("enum", values=(tag.constant,)), required=False, nullable=False)


def _field(field: Field, names: Names, shapes: Shapes) -> Member:
    attr = names.field(field)
    return Member(
        key=field.name,
        attr=attr,
        local=_local(attr),
        shape=shapes.of(field.type),
        required=field.required,
        nullable=field.nullable or shapes.admits_null(field.type),
        claimed=tuple(scalar(value) for value in field.claimed),
    )


# --- unions ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chooser:
    """One step of a dispatch: a table of functions by discriminator, or conditions on keys."""

    name: str
    key: str
    cases: tuple[tuple[str, str], ...]
    """Literal of the discriminator's value → function."""
    booleans: bool
    absent: str | None
    """The function for objects without the discriminator."""
    conditions: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = ()
    """For a union by keys: literals of keys that must be there, of keys that must not, function."""

    @property
    def simple(self) -> bool:
        return not self.booleans and self.absent is None and not self.conditions

    @property
    def quoted(self) -> str:
        return quoted(self.key)


@dataclass(frozen=True, slots=True)
class UnionView:
    """One union as the codecs see it."""

    name: str
    spec_name: str
    choosers: tuple[Chooser, ...]
    """The outermost last."""
    leaves: tuple[str, ...]
    """The classes of its variants, nested ones included."""
    unknowns: tuple[str, ...]
    """The classes of the Unknowns that can stand there."""
    doc: str

    @property
    def members(self) -> list[str]:
        """Every class that an object of it can have."""
        return [*self.leaves, *self.unknowns]

    @property
    def root(self) -> Chooser:
        return self.choosers[-1]


def union_view(union: Union, model: Model, names: Names) -> UnionView:
    """A union as the codecs see it."""
    choosers: list[Chooser] = []
    _choose(union.dispatch, names.type(union.name), _Choosing(model, names, choosers), frozenset())
    leaves = tuple(dict.fromkeys(names.type(name) for name in leaf_names(union.dispatch)))
    unknowns = tuple(dict.fromkeys(_unknowns(union.dispatch, model, names)))
    return UnionView(
        names.type(union.name),
        union.name,
        tuple(choosers),
        leaves,
        unknowns,
        documentation(union.about, f"{union.name}."),
    )


@dataclass(frozen=True, slots=True)
class _Choosing:
    """What the choosers of one union are made with."""

    model: Model
    names: Names
    into: list[Chooser]

    def leaf(self, struct: str, seen: frozenset[str]) -> str:
        """The decoder of a struct, one that looks at the tags if a discriminator on the way was not one of them."""
        tags = self.model.struct(struct).tags
        unseen = any(tag.constant is not None and not tag.optional and tag.key not in seen for tag in tags)
        return f"{'tagged' if unseen else 'decode'}_{self.names.type(struct)}"


def _choose(dispatch: Dispatch, name: str, choosing: _Choosing, seen: frozenset[str]) -> str:
    """Add the chooser of a dispatch, after those nested in it; give the name of the function."""
    match dispatch:
        case Leaf(struct=struct):
            return choosing.leaf(struct, seen)
        case Switch(key=key, cases=cases, absent=absent):
            seen |= {key}
            found = tuple((scalar(v), _choose(then, f"{name}_{_part(v)}", choosing, seen)) for v, then in cases)
            fallback = None if absent is None else _choose(absent, f"{name}_absent", choosing, seen)
            choosing.into.append(Chooser(name, key, found, any(isinstance(v, bool) for v, _ in cases), fallback))
        case Keys(cases=cases):
            conditions = tuple(
                (
                    tuple(map(quoted, each.has)),
                    tuple(map(quoted, each.lacks)),
                    _choose(then, f"{name}_{at}", choosing, seen),
                )
                for at, (each, then) in enumerate(cases)
            )
            choosing.into.append(Chooser(name, "", (), booleans=False, absent=None, conditions=conditions))
    return f"choose_{name}"


def _part(value: str | bool) -> str:
    """A discriminator's value as part of a function's name."""
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in str(value))


def leaf_names(dispatch: Dispatch) -> list[str]:
    """The structs that a dispatch can end in, in declared order."""
    match dispatch:
        case Leaf(struct=struct):
            return [struct]
        case Switch(cases=cases, others=others, absent=absent):
            found = [name for _, then in cases for name in leaf_names(then)]
            found += [struct for _, struct in others]
            return found + ([] if absent is None else leaf_names(absent))
        case Keys(cases=conditions):
            return [name for _, then in conditions for name in leaf_names(then)]


def _unknowns(dispatch: Dispatch, model: Model, names: Names) -> list[str]:
    """The Unknowns of the outermost open unions of a dispatch."""
    if isinstance(dispatch, Leaf):
        return []
    union = model.union(dispatch.union)
    if union.open:
        return [names.unknown(union)]
    if isinstance(dispatch, Switch):
        nested = [then for _, then in dispatch.cases] + ([dispatch.absent] if dispatch.absent else [])
    else:
        nested = [then for _, then in dispatch.cases]
    return [name for then in nested for name in _unknowns(then, model, names)]
