"""Structs and unions → what the codec templates lay out: members in wire order, tables, dispatch functions.

The decoders handle what is common and valid, and hand over everything else; so a struct that they cannot handle at all
(a flattened field) is simply marked, and its objects are left to the slow pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Scalar, Switch
from polywire.plan.members import Member as PlannedMember
from polywire.plan.members import StructPlan
from polywire.plan.unions import UnionPlan
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
    constant: str | bool | float | None = None
    """The value of a tag or constant."""
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
    def literal(self) -> str:
        """The constant as Python source."""
        return scalar(self.constant)

    @property
    def is_null_apart(self) -> bool:
        """Whether null is told from the other values, before these are checked."""
        return self.nullable and self.shape.kind != "json"

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


def struct_view(planned: StructPlan, names: Names, shapes: Shapes) -> StructView:
    """A struct as the codecs see it."""
    struct = planned.struct
    tagged = shapes.tagged(struct)
    return StructView(
        name=names.type(struct.name),
        spec_name=struct.name,
        members=tuple(_member(each, names, shapes, tagged=tagged) for each in planned.members),
        slow=any(each.role == "flattened" for each in planned.members),
        typed_extra=struct.extra is not None and struct.extra != Scalar("json"),
        idle=tuple(names.field(field) for field in struct.fields if not field.travels),
    )


def _member(planned: PlannedMember, names: Names, shapes: Shapes, *, tagged: bool) -> Member:
    attr = names.field(planned.field) if planned.field is not None else names.attribute(planned.key)
    required = planned.presence in {"required", "required nullable"}
    if planned.constant is not None and required:
        constant, shape = planned.constant, _literal_shape(planned.constant)
    else:
        constant, shape = None, _shape(planned, shapes)
    return Member(
        key=planned.key,
        attr=attr,
        local=attr + "_" if attr in LOCALS else attr,
        shape=shape,
        required=required,
        nullable=planned.presence in {"required nullable", "optional nullable"},
        constant=constant,
        tag=constant is not None and planned.role == "tag" and tagged,
        claimed=tuple(scalar(value) for value in planned.claimed),
    )


def _shape(planned: PlannedMember, shapes: Shapes) -> Shape:
    """The shape of what varies: a field, or a tag that may be absent or has several values."""
    tag, constant = planned.tag, planned.constant
    if isinstance(constant, bool):
        return Shape("slow")
    if isinstance(constant, str):
        return Shape("enum", values=(constant,))
    if tag is not None:
        values = tag.values or tuple(str(each.wire) for each in shapes.model.enum(tag.enum or "").values)
        return Shape("enum", f"{tag.enum or ''}", values=values)
    if planned.field is None:
        raise LookupError(planned.key)
    return shapes.of(planned.field.type)


def _literal_shape(value: str | bool | float) -> Shape:
    if isinstance(value, bool):
        return Shape("boolean")
    if isinstance(value, str):
        return Shape("string")
    return Shape("integer" if isinstance(value, int) else "number")


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


def union_view(planned: UnionPlan, model: Model, names: Names) -> UnionView:
    """A union as the codecs see it."""
    union = planned.union
    choosers: list[Chooser] = []
    _choose(union.dispatch, names.type(union.name), _Choosing(model, names, choosers), frozenset())
    return UnionView(
        name=names.type(union.name),
        spec_name=union.name,
        choosers=tuple(choosers),
        leaves=tuple(dict.fromkeys(map(names.type, planned.structs))),
        unknowns=tuple(dict.fromkeys(_unknowns(union.dispatch, model, names))),
        doc=documentation(union.about, f"{union.name}."),
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
