"""Constructors of the spec, and envelopes → structs that are filled from the inside out.

What no parameter and no fixed value fills is filled by rule: a tag by itself, a `uuid` afresh, a field's `default`,
null where that is allowed, required lists and maps empty. What then is still missing becomes a parameter of its own, so
that no constructor makes a value that is not complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polywire.errors import RenderError
from polywire.model.nodes import Array, Constructor, Field, Json, Map, Model, Ref, Scalar, Struct
from polywire.model.walk import struct_with, without_alias
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.structs import Parameter, Structs, makes_the_same

FRESH = "fresh_uuid()"
"""Draws a new UUID."""


@dataclass(frozen=True, slots=True)
class Made:
    """A struct that is made: the variable it goes into, its type, and what its fields get."""

    variable: str
    type: str
    fields: tuple[tuple[str, str], ...]

    @property
    def fresh(self) -> bool:
        """Whether a field gets a drawn UUID, as it is or wrapped up."""
        return any(FRESH in value for _, value in self.fields)


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """One function; the struct that is made last is what it gives."""

    name: str
    struct: str
    doc: str
    deprecated: str | None
    parameters: tuple[Parameter, ...]
    made: tuple[Made, ...]

    @property
    def fresh(self) -> bool:
        """Whether it draws a UUID."""
        return any(made.fresh for made in self.made)


@dataclass(slots=True)
class _Plan:
    """What is known while one struct is made."""

    ways: tuple[tuple[str, ...], ...]
    """The places that are given or fixed."""
    named: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """Place → the parameter that fills it."""
    given: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """Place → the expression that fills it."""
    maybe: tuple[str, ...] = ()
    """Those of the expressions that are an option, and may be none."""
    fixed: Mapping[tuple[str, ...], Json] = field(default_factory=dict)
    taken: dict[tuple[str, ...], Parameter] = field(default_factory=dict)
    """The parameters that were met, by the places that they fill."""
    made: list[Made] = field(default_factory=list)

    def variable(self, name: str) -> str:
        """A name that no parameter and no other variable has."""
        used = {*self.named.values(), *(made.variable for made in self.made)}
        while name in used:
            name += "_"
        return name


class Constructors:
    """The constructors of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes, structs: Structs) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes
        self._structs = structs

    def views(self) -> list[ConstructorView]:
        """Every constructor that is not `new` by another name."""
        return [
            self._view(struct, each)
            for struct in self._model.structs
            for each in struct.constructors
            if not makes_the_same(struct, each)
        ]

    def fill(self, struct: Struct, given: Mapping[tuple[str, ...], str], *maybe: str) -> tuple[Made, ...]:
        """The structs that an envelope is made of, the innermost first; those of `given` in `maybe` may be none."""
        plan = _Plan(tuple(given), given=given, maybe=maybe)
        self._make(struct, (), plan)
        if plan.taken:
            missing = ", ".join("/".join(place) for place in plan.taken)
            raise RenderError(f"target rust: nothing fills {missing} of {struct.name} in an envelope")
        return tuple(plan.made)

    def _view(self, struct: Struct, constructor: Constructor) -> ConstructorView:
        named = {each.pointer: self._names.parameter(each.name) for each in constructor.params}
        fixed = dict(constructor.set)
        plan = _Plan((*named, *fixed), named=named, fixed=fixed)
        self._make(struct, (), plan)
        told = [plan.taken.pop(place) for place in named if place in plan.taken]
        if len(told) < len(named):
            raise RenderError(f"target rust: a parameter of {constructor.name} leads to no field")
        return ConstructorView(
            name=self._names.function(struct, constructor),
            struct=self._names.type(struct.name),
            doc=documentation(constructor.about, "Makes one of what it has to have."),
            deprecated=constructor.about.deprecated,
            parameters=(*told, *plan.taken.values()),
            made=tuple(plan.made),
        )

    def _make(self, struct: Struct, at: tuple[str, ...], plan: _Plan) -> str:
        """Makes a struct, what is in it first; gives its variable."""
        fields = self._structs.marks(struct)
        for each in struct.wire_fields:
            place = at if each.flatten else (*at, each.name)
            fields.append((self._names.field(each), self._filled(struct, each, place, plan)))
        variable = plan.variable(self._names.member(struct.name))
        plan.made.append(Made(variable, self._names.type(struct.name), (*fields, ("extra", "Object::new()"))))
        return variable

    def _filled(self, struct: Struct, each: Field, place: tuple[str, ...], plan: _Plan) -> str:
        inner = struct_with(self._model, each.type, self._below(struct, each, place, plan))
        if inner is not None:
            variable = self._make(inner, place, plan)
            direct = without_alias(each.type, self._model.declarations) == Ref(inner.name)
            return self._structs.present(struct, each, variable if direct else f"{variable}.into()")
        if place in plan.given:
            value = plan.given[place]
            return (
                self._maybe(struct, each, value) if value in plan.maybe else self._structs.present(struct, each, value)
            )
        if place in plan.named:
            return self._taken(struct, each, place, plan.named[place], plan)
        if place in plan.fixed:
            return self._structs.fixed(struct, each, plan.fixed[place])
        if each.has_default:
            return self._structs.fixed(struct, each, each.default)
        if not (each.required or each.construct_required):
            return self._structs.absent(each)
        return self._by_rule(struct, each, place, plan)

    def _maybe(self, struct: Struct, each: Field, value: str) -> str:
        """What an option gives a field."""
        match self._shapes.presence(each):
            case "presence":
                return f"{value}.map_or(Presence::Absent, Presence::Present)"
            case "required" if self._shapes.field(struct, each) == self._shapes.value(struct, each):
                return f"{value}.unwrap_or_default()"
            case _:
                return value

    def _by_rule(self, struct: Struct, each: Field, place: tuple[str, ...], plan: _Plan) -> str:
        type_ = without_alias(each.type, self._model.declarations)
        if each.nullable:
            return self._structs.fixed(struct, each, None)
        match type_:
            case Scalar(kind="uuid"):
                return self._structs.present(struct, each, FRESH)
            case Array():
                return self._structs.present(struct, each, "Vec::new()")
            case Map() | Scalar(kind="object"):
                return self._structs.present(struct, each, "Map::new()")
            case _:
                return self._taken(struct, each, place, self._names.field(each), plan)

    def _taken(self, struct: Struct, each: Field, place: tuple[str, ...], name: str, plan: _Plan) -> str:
        """Adds the parameter for a field; gives what it gives the field."""
        plan.taken[place], value = self._structs.given(struct, each, name)
        return value

    # What a pointer leads through.

    def _below(self, struct: Struct, each: Field, place: tuple[str, ...], plan: _Plan) -> set[str]:
        """The keys that come next on the ways that lead on from a field."""
        own = {other.name for other in struct.wire_fields if not other.flatten} if each.flatten else set()
        return {way[len(place)] for way in plan.ways if len(way) > len(place) and way[: len(place)] == place} - own
