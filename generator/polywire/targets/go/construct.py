"""Constructors of the spec → functions that make a struct: parameters, and the steps that fill it.

What no parameter and no fixed value says is filled by rule: a tag by itself, a `uuid` afresh, a field's `default`, null
where that is demanded, required lists and maps empty; anything else is its zero value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polywire.errors import RenderError
from polywire.model.nodes import Constructor, Field, Json, Model, Ref, Struct, Type, Union
from polywire.model.walk import structs_of, without_alias
from polywire.targets.go.docs import MAKES, documentation
from polywire.targets.go.layout import literal, quoted
from polywire.targets.go.names import Names, override
from polywire.targets.go.structs import Member, Structs, StructView, flat_unions

What: TypeAlias = Literal["assign", "make", "empty", "bit", "variant"]


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: what is done to which selector, and with what."""

    what: What
    target: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter."""

    name: str
    go: str


@dataclass(frozen=True, slots=True)
class ConstructorView:
    """One function."""

    name: str
    struct: str
    result: str
    wrap: str
    """What the struct is called in the method that makes the result of it, if that is another type."""
    doc: str
    parameters: tuple[Parameter, ...]
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Plan:
    given: Mapping[tuple[str, ...], str]
    fixed: Mapping[tuple[str, ...], Json]
    steps: list[Step] = field(default_factory=list)

    def keys_below(self, place: tuple[str, ...]) -> list[str]:
        """The keys that come next on the ways that lead on from a place."""
        ways = (*self.given, *self.fixed)
        return [way[len(place)] for way in ways if len(way) > len(place) and way[: len(place)] == place]


class Constructors:
    """The constructors of a model."""

    def __init__(self, model: Model, names: Names, structs: Structs) -> None:
        self._model = model
        self._names = names
        self._structs = structs
        self._flat = {
            leaf: names.type(primary)
            for primary, unions in flat_unions(model).items()
            for union in unions
            for leaf in structs_of(union.dispatch)
        }

    def views(self) -> list[ConstructorView]:
        """Every constructor."""
        return [self._view(struct, each) for struct in self._model.structs for each in struct.constructors]

    def _view(self, struct: Struct, constructor: Constructor) -> ConstructorView:
        text = override(constructor.about, "text")
        record, grouped = self._grouped(constructor)
        given: dict[tuple[str, ...], str] = {}
        parameters: list[Parameter] = []
        for param in constructor.params:
            name = self._names.parameter(param.name)
            if param.name in grouped:
                name = f"{record[0].name}.{grouped[param.name]}"
                if record[0] not in parameters:
                    parameters.append(record[0])
            else:
                parameters.append(
                    Parameter(name, "string" if param.name == text else self._type(struct, param.pointer))
                )
            given[param.pointer] = name
        plan = _Plan(given, dict(constructor.set))
        self._fill(self._structs.view(struct.name), "x", (), plan)
        name, go = self._names.function(constructor), self._names.type(struct.name)
        result = self._flat.get(struct.name, go)
        doc = constructor.about.doc
        return ConstructorView(
            name,
            go,
            result,
            "" if result == go else self._names.own(struct.name),
            documentation(constructor.about, name, MAKES) if doc else f"{name} makes a {result}.",
            tuple(parameters),
            tuple(plan.steps),
        )

    def _grouped(self, constructor: Constructor) -> tuple[list[Parameter], dict[str, str]]:
        """The parameter that is a record, and the parameters of the spec that are fields of it."""
        record = override(constructor.about, "record")
        if record is None:
            return [], {}
        name = override(constructor.about, "parameter") or "record"
        if record not in self._model.declarations:
            raise RenderError(f"target go: {constructor.name} takes a {record}, which is not declared")
        fields = {
            self._names.parameter(each.name): self._names.field(each) for each in self._model.struct(record).fields
        }
        return [Parameter(name, self._names.type(record))], {
            param.name: fields[self._names.parameter(param.name)]
            for param in constructor.params
            if self._names.parameter(param.name) in fields
        }

    def _type(self, struct: Struct, pointer: tuple[str, ...]) -> str:
        member: Member | None = None
        name: str | None = struct.name
        for key in pointer:
            if name is None:
                break
            members = {m.key: m for m in self._structs.view(name).members}
            member = members.get(key)
            name = self._nested(name, key)
        if member is None:
            raise RenderError(f"target go: no field at /{'/'.join(pointer)} of {struct.name}")
        return member.go

    def _nested(self, struct: str, key: str) -> str | None:
        each = next((f for f in self._model.struct(struct).wire_fields if f.name == key), None)
        return self._struct_of(each.type) if each is not None else None

    def _struct_of(self, type_: Type) -> str | None:
        plain = without_alias(type_, self._model.declarations)
        declared = self._model.declarations[plain.name] if isinstance(plain, Ref) else None
        return declared.name if isinstance(declared, Struct) else None

    # Steps.

    def fill(self, struct: str, variable: str, given: Mapping[tuple[str, ...], str]) -> list[Step]:
        """The steps that fill a struct of which some places are given."""
        plan = _Plan(given, {})
        self._fill(self._structs.view(struct), variable, (), plan)
        return plan.steps

    def _fill(self, view: StructView, target: str, at: tuple[str, ...], plan: _Plan) -> None:
        fields = {each.name: each for each in self._model.struct(view.spec).wire_fields}
        own = {member.key for member in view.members if member.role != "flat"}
        for member in view.members:
            flat = member.role == "flat"
            place = at if flat else (*at, member.key)
            below = [key for key in plan.keys_below(place) if not (flat and key in own)]
            selector = f"{target}.{member.name}"
            if member.role == "constant":
                plan.steps.append(Step("assign", selector, member.constant))
            elif below:
                self._nest(view, member, selector, place, below, plan)
            elif place in plan.given:
                plan.steps.append(Step("assign", selector, plan.given[place]))
            elif place in plan.fixed:
                self._fixed(member, selector, target, plan.fixed[place], plan)
            elif member.key in fields:
                self._by_rule(member, fields[member.key], selector, target, plan)

    def _nest(
        self,
        view: StructView,
        member: Member,
        selector: str,
        place: tuple[str, ...],
        below: list[str],
        plan: _Plan,
    ) -> None:
        each = next(f for f in self._model.struct(view.spec).wire_fields if f.name == member.key)
        nested = self._struct_of(each.type) or self._variant_with(each.type, below)
        if nested is None:
            raise RenderError(f"target go: no struct at /{'/'.join(place)} of {view.spec}")
        made = self._structs.view(nested)
        if self._struct_of(each.type) is None:
            variable = f"{self._names.parameter(member.key)}Variant"
            plan.steps.append(Step("variant", variable, made.go))
            self._fill(made, variable, place, plan)
            plan.steps.append(Step("assign", selector, variable))
            return
        if member.form == "pointer":
            plan.steps.append(Step("make", selector, made.go))
        self._fill(made, selector, place, plan)

    def _variant_with(self, type_: Type, keys: list[str]) -> str | None:
        """The first variant of a union that has fields of those keys."""
        declared = self._model.declarations[type_.name] if isinstance(type_, Ref) else None
        if not isinstance(declared, Union):
            return None
        for name in structs_of(declared.dispatch):
            if {f.name for f in self._model.struct(name).wire_fields}.issuperset(keys):
                return name
        return None

    def _fixed(self, member: Member, selector: str, target: str, value: Json, plan: _Plan) -> None:
        if value is None:
            if member.null_bit is not None:
                plan.steps.append(Step("bit", target, str(member.null_bit)))
            return
        if isinstance(value, list):
            items = ", ".join(quoted(str(v)) if isinstance(v, str) else str(v) for v in value)
            plan.steps.append(Step("assign", selector, f"{member.go}{{{items}}}"))
        elif value == {}:
            plan.steps.append(Step("empty", selector, member.go))
        elif isinstance(value, (str, bool, int, float)):
            if member.form == "pointer":
                plan.steps.append(Step("make", selector, member.shape.go))
                selector = f"*{selector}"
            plan.steps.append(Step("assign", selector, literal(value)))
            if member.zero_bit is not None and not value:
                plan.steps.append(Step("bit", target, str(member.zero_bit)))

    def _by_rule(self, member: Member, each: Field, selector: str, target: str, plan: _Plan) -> None:
        if each.has_default:
            self._fixed(member, selector, target, each.default, plan)
        elif not (member.required or each.construct_required):
            return
        elif member.nullable:
            if member.null_bit is not None:
                plan.steps.append(Step("bit", target, str(member.null_bit)))
        elif member.shape.kind == "uuid":
            plan.steps.append(Step("assign", selector, "uuid.New()"))
        elif member.form == "nil" and member.shape.kind in {"list", "map", "object"}:
            plan.steps.append(Step("empty", selector, member.go))
