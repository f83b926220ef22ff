"""The plan's constructors and envelopes → Go: parameters, and the statements that fill a new struct.

`polywire.plan.fill` decides the value of each member; this module expresses it in Go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polywire.ground.json_values import Json
from polywire.model.nodes import Alias, Struct
from polywire.plan.fill import ByRule, ConstructorPlan, Fixed, Given, Made, Parameter, Value
from polywire.plan.members import field_as_new
from polywire.targets.common.prose import description
from polywire.targets.go.docs import MAKES, documentation
from polywire.targets.go.layout import comment, literal, quoted
from polywire.targets.go.names import override
from polywire.targets.go.shapes import Shape, is_flat
from polywire.targets.go.structs import Member, flat_unions
from polywire.targets.go.tables import Tables

UUID = "uuid.UUID"

FRESH_UUID = {"uuid": "uuid.New()", "text": "uuid.NewString()"}
"""The expression of a new UUID, by the kind of shape that holds it."""

SCALARS = frozenset({"text", "bool", "int", "float"})
"""The kinds of shapes whose values can be written as constants."""

PRESENT = {"list": "notNilList", "map": "notNilMap", "object": "notNilMap"}
"""Functions that replace nil by an empty value, by the kind of shape: nil in an optional field means absent."""

EMPTY = {ByRule.EMPTY_LIST: "[]any{}", ByRule.EMPTY_OBJECT: "map[string]any{}"}
"""The expression of an empty value in a field of type any."""


NUMBERS = frozenset({"int64", "float64"})
"""Go types of numbers, which can be converted."""

HELD = SCALARS | {"list", "map", "object"}
"""Kinds of shapes whose values a field of type any holds unchanged."""


@dataclass(frozen=True, slots=True)
class Argument:
    """The expression of a value that fills a field."""

    text: str
    go: str = ""
    """Its Go type, if the field may hold it by a pointer."""
    is_optional: bool = False
    """Whether it is a pointer, although the field may have none."""


@dataclass(frozen=True, slots=True)
class GoFunction:
    """A function that creates a struct."""

    name: str
    struct: str
    result: str
    """The Go type to which it returns a pointer."""
    parameters: Mapping[str, str]
    """Name → Go type."""
    statements: tuple[str, ...]
    """The statements that fill the struct, which is the variable `x`."""
    draws_uuid: bool
    returned: str = "x"
    """The expression of the result."""
    doc: str = ""
    """The doc comment."""
    summary: str = ""
    """A description of the result, on one line."""

    @property
    def types(self) -> list[str]:
        """The Go types that it mentions."""
        return [*self.parameters.values(), *[UUID] * self.draws_uuid]

    @property
    def signature(self) -> str:
        """The parameters; consecutive ones of the same type share it."""
        following = [*self.parameters.values(), ""][1:]
        return ", ".join(
            name if go == after else f"{name} {go}"
            for (name, go), after in zip(self.parameters.items(), following, strict=True)
        )


class Constructors:
    """The constructors of a plan."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._model = tables.model
        self._names = tables.names
        self._flat = {
            leaf: self._names.type(primary)
            for primary, unions in flat_unions(tables.model).items()
            for union in unions
            for leaf in tables.plan.unions[union.name].structs
        }

    def constructor(self, plan: ConstructorPlan) -> GoFunction:
        """The function of a constructor."""
        about, made = plan.constructor.about, plan.made
        record, grouped = self._grouped(plan)
        fields = self.given(made)
        text = override(about, "text")
        given: dict[str, Argument] = {}
        parameters: dict[str, str] = {}
        for param in plan.parameters:
            if param.name in grouped:
                given[param.name] = grouped[param.name]
                parameters |= record
                continue
            name = self._names.parameter(param.name)
            parameters[name], value = self._passed(param, fields[param.name], name)
            if param.named and param.name == text and parameters[name] != "string":
                parameters[name], value = "string", name
            given[param.name] = Argument(value)
        name, go = self._names.function(plan.struct, plan.constructor), self._names.type(plan.struct.name)
        result = self._flat.get(plan.struct.name, go)
        doc = documentation(about, name, MAKES) if about.doc else f"{name} creates a new {result}."
        return GoFunction(
            name=name,
            struct=go,
            result=result,
            parameters=parameters,
            statements=tuple(self.fill(made, given)),
            draws_uuid=made.draws_uuid,
            returned="x" if result == go else self._whole(result, plan.struct, "x"),
            doc=comment(doc),
            summary=(description(about) or doc).strip().split("\n")[0],
        )

    def _whole(self, go: str, struct: Struct, variable: str) -> str:
        """A pointer to a flat struct with the content of a variant, which is a variable."""
        return f"wholeOf[{go}]({self.tables.declared(struct.name)}, {variable})"

    def _passed(self, param: Parameter, member: Member, name: str) -> tuple[str, str]:
        """The Go type of a parameter, and its value in the field.

        That is the type of new values if the field holds them unchanged, converted, or as a case of an inline union. If
        the field holds them by a pointer or may be null, the parameter has the type of the field.
        """
        to = field_as_new(param.field)
        shape = self.tables.shapes.of(to.type)
        if to is not param.field and not to.nullable and param.required and not shape.struct:
            alias = self._model.declarations.get(member.shape.sealed)
            cases = self.tables.shapes.cases(alias) if isinstance(alias, Alias) else ()
            held = {each.shape.go: f"{each.go}({name})" for each in reversed(cases) if each.shape.go != each.go}
            if {member.go, shape.go} == NUMBERS:
                held[shape.go] = f"{member.go}({name})"
            elif member.go == "any" and shape.kind in HELD:
                held[shape.go] = name
            if shape.go in held:
                return shape.go, held[shape.go]
        return member.go, name

    def _grouped(self, plan: ConstructorPlan) -> tuple[dict[str, str], dict[str, Argument]]:
        """The parameter that is a record, with its Go type, and the named parameters that are fields of it."""
        about = plan.constructor.about
        record = override(about, "record")
        if record is None:
            return {}, {}
        name = override(about, "parameter") or "record"
        held = {each.name: each for each in self.tables.structs.go(record).promoted()}
        of = {self._names.parameter(each.name): self._names.field(each) for each in self._model.struct(record).fields}
        found = ((param.name, of.get(self._names.parameter(param.name))) for param in plan.parameters if param.named)
        return {name: self._names.type(record)}, {
            param: Argument(f"{name}.{field}", is_optional=held[field].form == "pointer")
            for param, field in found
            if field in held
        }

    def given(self, made: Made) -> dict[str, Member]:
        """The fields that hold the arguments, by name, including those of nested objects."""
        members = {member.key: member for member in self.tables.structs.members[made.struct.name]}
        found: dict[str, Member] = {}
        for each in made.members:
            match each.value:
                case Made() as inner:
                    found |= self.given(inner)
                case Given(name=name):
                    found[name] = members[each.key]
        return found

    # Statements.

    def fill(self, made: Made, given: Mapping[str, Argument], target: str = "x") -> Iterator[str]:
        """The statements that fill a struct, which is a variable; `given` has the expressions of the arguments."""
        values = {each.key: each.value for each in made.members}
        for member in self.tables.structs.members[made.struct.name]:
            if member.constant:
                yield f"{target}.{member.name} = {_held(member, member.constant)}"
            elif member.key in values:
                yield from self._assign(member, target, values[member.key], given)

    def _assign(self, member: Member, target: str, value: Value, given: Mapping[str, Argument]) -> Iterator[str]:
        selector = f"{target}.{member.name}"
        match value:
            case Made():
                yield from self._nest(member, selector, value, given)
            case Given(name=name) if member.shape.sealed and given[name].go not in {"", member.go}:
                yield f"convert({given[name].text}, {self.tables.held(member.planned.field)}, &{selector})"
            case Given(name=name):
                yield f"{selector} = {self._given(member, given[name])}"
            case Fixed(value=fixed) if fixed is not None:
                yield from self._fixed(member, target, fixed)
            case Fixed() | ByRule.NULL if not member.required:
                yield f"{selector} = {'Null{}' if member.form == 'nil' else f'{member.go}{{Null: true}}'}"
            case ByRule.FRESH_UUID:
                yield f"{selector} = {_held(member, FRESH_UUID[member.shape.kind])}"
            case ByRule.EMPTY_LIST | ByRule.EMPTY_OBJECT:
                yield f"{selector} = {EMPTY[value] if member.go == 'any' else f'{member.go}{{}}'}"

    def _given(self, member: Member, given: Argument) -> str:
        """An argument as the value of a field."""
        if given.is_optional and member.form != "pointer":
            return f"orZero({given.text})"
        if given.go and given.go != member.go:
            return _held(member, given.text)
        if not member.required and member.form == "nil" and member.shape.kind in PRESENT:
            return f"{PRESENT[member.shape.kind]}({given.text})"
        return given.text

    def _nest(self, member: Member, selector: str, made: Made, given: Mapping[str, Argument]) -> Iterator[str]:
        """The statements that fill the object in a field: in place, or as a variable if it is a variant or nullable."""
        go = self._names.type(made.struct.name)
        at = f"{selector}.Value" if member.form == "nullable" else selector
        if made.union is None and member.form != "nullable":
            if member.form == "pointer":
                yield f"{selector} = new({go})"
            yield from self.fill(made, given, selector)
            return
        variable = f"{self._names.parameter(member.key)}Variant"
        yield f"{variable} := new({go})"
        yield from self.fill(made, given, variable)
        if made.union is None or not is_flat(self._model.union(made.union)):
            yield f"{at if made.union is None else selector} = {variable}"
        else:
            whole = self._whole(member.shape.go, made.struct, variable)
            yield f"{at} = {f'*{whole}' if member.form == 'plain' else whole}"

    def _fixed(self, member: Member, target: str, value: Json) -> Iterator[str]:
        """The statements that assign a value from the spec to a field."""
        selector, expression = f"{target}.{member.name}", _expression(member.shape, value)
        if expression is None:
            text = quoted(json.dumps(value, ensure_ascii=False))
            yield f"preset({text}, {self.tables.held(member.planned.field)}, &{selector})"
            return
        yield f"{selector} = {_held(member, expression)}"
        if not member.required and member.form == "plain" and not value:
            yield f"presetZero(&{target}.Extra, {quoted(member.key)})"


def _expression(shape: Shape, value: Json) -> str | None:
    """The expression of a value, if it is a scalar, an empty object or a list of scalars."""
    match value:
        case str() | bool() | int() | float():
            return literal(int(value) if shape.kind == "int" else value) if shape.kind in SCALARS else None
        case list() if shape.kind == "list" and shape.item is not None:
            items = [_expression(shape.item, item) for item in value]
            return None if None in items else f"{shape.go}{{{', '.join(filter(None, items))}}}"
        case dict() if not value and shape.kind in {"map", "object"}:
            return f"{shape.go}{{}}"
    return None


def _held(member: Member, expression: str) -> str:
    """A value in a field that may be a pointer."""
    wrap = {"pointer": "Ptr", "nullable": "Some"}.get(member.form)
    return expression if wrap is None else f"{wrap}[{member.shape.go}]({expression})"
