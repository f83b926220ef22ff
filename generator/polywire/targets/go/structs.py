"""Structs of the spec → Go structs: their fields, what they embed, and how each member is read and written.

Several structs of the spec may share one Go type (`targets: {go: {as: …}}`): it has the fields of all of them, and each
struct has its own reader and writer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from polywire.model.nodes import Callback, Field, Model, Struct, Tag, Union
from polywire.plan import Plan
from polywire.plan.members import Member as PlanMember
from polywire.plan.rows import FieldRow
from polywire.source.types import Ref, Scalar, ScalarKind
from polywire.targets.common.base import Misuse
from polywire.targets.common.prose import description
from polywire.targets.go.docs import documentation
from polywire.targets.go.layout import UNTAGGED, Row, blocks, comment, json_tag, literal
from polywire.targets.go.names import Names, override
from polywire.targets.go.shapes import Alternative, Form, Shape, Shapes, held_as, is_flat

CONSTANTS = {str: ("text", "string"), bool: ("bool", "bool"), int: ("number", "int64"), float: ("number", "float64")}
"""Kind of shape and Go type of a constant member."""

TAGS: dict[type, ScalarKind] = {str: "string", bool: "boolean", int: "integer"}
"""Built-in type of a tag that is no enum."""

CONTEXT = "context.Context"

EXTRA = ("Members that the type does not declare.", ("Extra", "Extra", UNTAGGED))
"""The last field of every struct but Unknowns."""

LIVE = {"context": CONTEXT}
"""The `type` override of a live object → its Go type."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct's object, and the field that holds it."""

    planned: PlanMember
    name: str
    shape: Shape
    form: Form = "plain"
    doc: str | None = None

    @property
    def key(self) -> str:
        """The key on the wire."""
        return self.planned.key

    @property
    def required(self) -> bool:
        """Whether it may not be absent."""
        return self.planned.row.required

    @property
    def is_tag(self) -> bool:
        """Whether it is no field, but a tag or constant."""
        return not isinstance(self.planned.row, FieldRow)

    @property
    def constant(self) -> str:
        """The literal of a constant."""
        return "" if self.planned.constant is None else literal(self.planned.constant)

    @property
    def go(self) -> str:
        """The Go type of the field."""
        return held_as(self.shape.go, self.form)

    def row(self, owners: str = "", *, optional: bool = False, hidden: bool = False) -> Row:
        """The declaration of the field; `owners` is added to its comment."""
        omit = "omitzero" if self.form == "nullable" else "omitempty"
        tag = UNTAGGED if hidden else json_tag(self.key, omit if optional or not self.required else "")
        return "\n\n".join(filter(None, (self.doc, owners))), (self.name, self.go, tag)


@dataclass(frozen=True, slots=True)
class Method:
    """A method that returns an expression."""

    name: str
    go: str
    """The type of the expression."""
    value: str
    what: str
    """A phrase for what it returns."""
    receiver: str = "*"
    """A star if the receiver is a pointer."""


def comma_ok(name: str, go: str, value: str, what: str) -> Method:
    """A method that also returns whether the value is there."""
    return Method(name, f"({go}, bool)", value, what, receiver="")


@dataclass(slots=True, eq=False)
class GoStruct:
    """A Go struct, as templates place it: for one struct of the spec or, as a subclass, for other objects."""

    name: str
    doc: str
    """The comment."""
    table: str
    """The variable with its table."""
    embeds: list[GoStruct] = field(default_factory=list)
    fields: dict[str, Member] = field(default_factory=dict)
    """The fields that it declares itself, by key."""
    idle: dict[str, Row] = field(default_factory=dict)
    """The fields that are never sent, by name."""
    methods: dict[str, Method] = field(default_factory=dict)
    """Those of its unions, and those that also return whether a value is there, by name."""
    markers: list[str] = field(default_factory=list)
    """The interfaces that it implements by a marker method."""
    written: str = "the object"
    """A phrase for what its `MarshalJSON` writes."""
    is_mixin: bool = False
    """Whether other structs embed it; it then has no methods that would hide theirs."""
    unknown: str = ""
    """Whether a value is an Unknown, as an expression; empty if it never is."""

    def promoted(self) -> Iterator[Member]:
        """Every field that can be selected, those of embedded structs first, which later ones of the same key hide."""
        for each in self.embeds:
            yield from each.promoted()
        yield from self.fields.values()

    def by_key(self) -> dict[str, Member]:
        """The same by key."""
        return {each.key: each for each in self.promoted()}

    def own(self) -> Iterable[Row]:
        """The declarations of its fields, besides those that are never sent."""
        return (each.row() for each in self.fields.values())

    @property
    def rows(self) -> str:
        """The lines between its brackets."""
        rows = blocks([*((None, (each.name,)) for each in self.embeds), *self.own(), *self.idle.values()])
        return "\n\n".join(filter(None, (rows, "" if self.unknown == "true" else blocks([EXTRA]))))

    @property
    def types(self) -> list[str]:
        """The Go types that its fields and methods mention."""
        fields = (go for _, (_, go, *_) in (*self.own(), *self.idle.values()))
        return [*fields, *(each.go for each in self.methods.values())]


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a flat struct."""

    spec: str
    go: str
    accessor: str
    marked: bool
    """Whether a value records that it is this variant, because an earlier one has the same tags."""


Other: TypeAlias = "tuple[str, Alternative]"
"""A field for a kind of values that are no objects with members."""


@dataclass(slots=True, eq=False)
class FlatStruct(GoStruct):
    """A struct for all variants of a union, or for several kinds of values; its fields are by name in Go."""

    unknown: str = "isUnknownFlat(v)"
    owners: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Field → the Go types of the variants that have it."""
    hidden: set[str] = field(default_factory=set)
    """Fields whose key another field has too."""
    leaves: list[Variant] = field(default_factory=list)
    discriminators: list[tuple[str, str]] = field(default_factory=list)
    """Key and field of each member that distinguishes variants."""
    unions: list[str] = field(default_factory=list)
    """The unions that share it."""
    others: Sequence[Other] = ()
    """The fields for values that are no objects with members, the one for a text first."""
    expected: str = ""
    """The kinds of its values, if there are others."""

    def own(self) -> Iterator[Row]:
        """The fields, with the variants that have them; optional if not every variant has them."""
        yield from ((None, (name, each.shape.go, UNTAGGED)) for name, each in self.others)
        for name, place in self.fields.items():
            somewhere = len(self.owners[name]) < len(self.leaves)
            owners = f"In {', '.join(dict.fromkeys(self.owners[name]))}." if somewhere else ""
            yield place.row(owners, optional=somewhere, hidden=name in self.hidden)


@dataclass(slots=True, eq=False)
class UnknownStruct(GoStruct):
    """The struct of objects whose tag matches no variant."""

    written: str = "the object unchanged"
    unknown: str = "true"
    discriminators: list[tuple[str, str]] = field(default_factory=list)
    """Key and field of each discriminator."""
    views: list[tuple[str, Method]] = field(default_factory=list)
    """The members that can be looked up, by key."""

    def own(self) -> Iterator[Row]:
        """The discriminators, and the JSON."""
        yield from ((None, (name, "string")) for _, name in self.discriminators)
        yield "Raw is the JSON of the object.", ("Raw", "json.RawMessage")


def shared_with(model: Model, name: str) -> str:
    """The struct whose Go struct represents a struct."""
    shared = override(model.struct(name).about, "as")
    return name if shared is None else shared


def embedded(model: Model, struct: Struct) -> list[str]:
    """The structs that the Go struct of a struct embeds."""
    given = override(struct.about, "embed")
    if given is not None:
        return [given]
    return [name for name in struct.include if override(model.struct(name).about, "layout") == "embed"]


class Structs:
    """Builds the Go structs of a model."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = model = plan.model
        self._names = names
        self._shapes = shapes
        self._made: dict[str, GoStruct] = {}
        self.misuses: list[Misuse] = []
        """The structs that share a Go type but disagree on the type of a field."""
        self.members: dict[str, tuple[Member, ...]] = {}
        """The members of each struct of the spec, by name."""
        self._tag_types = {
            (leaf, each.union.by): names.type(enum)
            for each in plan.unions.values()
            if (enum := override(each.union.about, "tag")) is not None
            for leaf in each.structs
        }
        """Struct and key of a tag → the Go type that a union gives the tag."""
        self.sharing: defaultdict[str, list[Struct]] = defaultdict(list)
        """The structs that share a Go type, by the name of the one after which it is named."""
        for struct in model.structs:
            self.sharing[shared_with(model, struct.name)].append(struct)
        self.callbacks: dict[str, tuple[str, str]] = {}
        """The named function types: name → type, and the field that uses it."""
        self.primaries = {each.name: self.go(each.name) for each in model.structs if override(each.about, "as") is None}
        """The Go structs by the names of the structs after which they are named."""

    def go(self, name: str) -> GoStruct:
        """The Go struct of a struct of the spec."""
        primary = shared_with(self._model, name)
        if primary not in self._made:
            struct, name = self._model.struct(primary), self._names.type(primary)
            embeds = [self.go(each) for each in embedded(self._model, struct)]
            doc = comment(documentation(struct.about, name))
            is_mixin = override(struct.about, "layout") == "embed"
            made = GoStruct(name, doc, f"table{self._names.own(primary)}", embeds, is_mixin=is_mixin)
            self._made[primary] = made
            for each in sorted(self.sharing[primary], key=lambda each: each.name != primary):
                self.members[each.name] = self._struct(each, made)
        return self._made[primary]

    def is_marked(self, name: str) -> bool:
        """Whether a value records that it is this struct: the table of its Go type writes more, or another constant."""
        own = {member.key: member.constant for member in self.members[name]}
        shared = self.members[shared_with(self._model, name)]
        return any(each.constant != own.get(each.key) for each in shared if each.required)

    # Members.

    def _struct(self, struct: Struct, go: GoStruct) -> tuple[Member, ...]:
        planned = self._plan.structs[struct.name].members
        members = tuple(self._place(struct, self._member(struct, each), each, go) for each in planned)
        for each in struct.fields:
            if not each.travels:
                name = self._names.field(each)
                go.idle.setdefault(name, (description(each.about), (name, self._idle(struct, each), UNTAGGED)))
        return members

    def _member(self, struct: Struct, planned: PlanMember) -> Member:
        match planned:
            case PlanMember(row=FieldRow(nullable=nullable), field=Field() as each):
                shape, form = self._held(each, nullable=nullable)
                return Member(planned, self._names.field(each), shape, form)
            case PlanMember(tag=Tag() as tag, field=varying):
                name = self._names.member(tag.key) if varying is None else self._names.field(varying)
                shape = self._tag(struct, tag)
                return Member(planned, name, shape, "pointer" if shape.kind == "int" and tag.optional else "plain")
        kind, go = CONSTANTS[type(planned.constant)]
        return Member(planned, self._names.member(planned.key), Shape(kind, go, "plain"))

    def _tag(self, struct: Struct, tag: Tag) -> Shape:
        """The shape of a tag, which has the Go type that a union gives it."""
        value = next(iter(tag.values), tag.prefix) if tag.constant is None else tag.constant
        shape = self._shapes.of(Scalar(TAGS[type(value)]) if tag.enum is None else Ref(tag.enum))
        return replace(shape, go=self._tag_types.get((struct.name, tag.key), shape.go))

    def _held(self, each: Field, *, nullable: bool) -> tuple[Shape, Form]:
        """How a field holds its value: the shape and the form."""
        shape = self._shapes.of(each.type)
        wanted = override(each.about, "type")
        if each.type == Scalar("uuid") and not nullable:
            shape = Shape("uuid", "uuid.UUID", "plain")
        if wanted == "any":
            loose = self._shapes.loosened(each)
            return (shape if loose is None else Shape("own", "any", "nil", choice=loose)), "nil"
        if nullable and not each.required and wanted != "value" and shape.go != "any" and shape.choice is None:
            inner = shape.item if shape.kind in {"nullable", "nil"} and shape.item is not None else shape
            return inner, "nullable"
        if wanted == "value" and shape.kind == "nullable" and shape.item is not None:
            return shape.item, "plain"
        if shape.form != "plain":
            return shape, shape.form
        plain = not nullable and each.required
        if wanted in {"pointer", "value"}:
            plain = wanted == "value"
        return shape, "plain" if plain else "pointer"

    def _place(self, struct: Struct, member: Member, planned: PlanMember, go: GoStruct) -> Member:
        """A member with its Go field: a promoted one, one that another struct added, or a new one."""
        there = go.by_key().get(member.key)
        own = member.key in go.fields
        alike = there is not None and there.shape.go == member.shape.go and there.is_tag == member.is_tag
        if there is None or not (own or (alike and (there.form == "nullable") == (member.form == "nullable"))):
            doc = None if planned.field is None else description(planned.field.about)
            go.fields[member.key] = replace(member, doc=doc)
            return member
        if there.shape.go != member.shape.go:
            message = f"{go.name}.{there.name} cannot be both {there.go} and {member.go}"
            self.misuses.append(Misuse(struct.place, "as", message))
        return replace(member, name=there.name, form=there.form)

    # Fields that are never sent.

    def _idle(self, struct: Struct, each: Field) -> str:
        named = override(each.about, "type")
        if each.callback is None:
            return LIVE.get(named or "", "any")
        signature = self._callback(each, each.callback)
        if named is not None:
            self.callbacks[named] = (signature, f"{struct.name}.{self._names.field(each)}")
        return "[]" * each.callback.several + (named or signature)

    def _callback(self, each: Field, callback: Callback) -> str:
        """The type of the function in a field."""
        can_fail = callback.returns is not None or callback.answers is not None
        named = [(self._names.parameter(each.name), self._shapes.of(each.passed).go) for each in callback.params]
        if callback.answers is not None and override(each.about, "context") != "false":
            named.insert(0, ("_" if any(name == "ctx" for name, _ in named) else "ctx", CONTEXT))
        params = ", ".join(f"{name} {go}" if can_fail else go for name, go in named)
        if callback.returns is None:
            return f"func({params}) error" if can_fail else f"func({params})"
        shape = self._shapes.of(callback.returns)
        return f"func({params}) ({'*' if shape.form == 'plain' and shape.struct else ''}{shape.go}, error)"


def flat_unions(model: Model) -> dict[str, list[Union]]:
    """The unions whose variants share one struct, by the name of the first union that uses the struct."""
    firsts = [each for each in model.unions if is_flat(each) and override(each.about, "as") is None]
    sharing = [(override(each.about, "as"), each) for each in model.unions]
    return {first.name: [first, *(each for shared, each in sharing if shared == first.name)] for first in firsts}
