"""Type expressions → the text of TypeScript types.

An optional member is `name?:`, one that may be null is `T | null`; the two differ on the wire and in the types. A
reference to an open union includes its Unknown, since decoded values may contain one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from polywire.ground.errors import RenderError
from polywire.model.nodes import Callback, Field, Model, Parameter
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.common.document import LINE, Doc, IfBroken, flat, group, listed, nest
from polywire.targets.typescript.layout import INDENT, key, literal, starting, template
from polywire.targets.typescript.names import Names, override
from polywire.targets.typescript.overrides import LIVE, misuse

SCALARS = {
    "string": "string",
    "uuid": "UUID",
    "timestamp": "Timestamp",
    "boolean": "boolean",
    "number": "number",
    "integer": "number",
    "json": "unknown",
    "object": "{ [key: string]: unknown }",
    "null": "null",
}

UNKNOWN_TAG = "UnknownTag"
"""The type of a string other than the declared ones."""

UNKNOWN_INTEGER = "UnknownInteger"
"""The type of an integer other than the declared ones."""


@dataclass(frozen=True, slots=True)
class Types:
    """Writes the types of a model as text."""

    model: Model
    names: Names

    def members(self, type_: Type, *, nullable: bool = False) -> tuple[str, ...]:
        """The members of a union in order, with null last; a single one if the type is not a union."""
        parts = list(dict.fromkeys(self._members(type_)))
        if nullable and "null" not in kinds(self.model, type_):
            parts.append("null")
        return tuple([part for part in parts if part != "null"] + ["null"] * ("null" in parts))

    def text(self, type_: Type, *, nullable: bool = False) -> str:
        """The type on one line."""
        return " | ".join(self.members(type_, nullable=nullable))

    def _members(self, type_: Type) -> tuple[str, ...]:
        match type_:
            case Scalar(kind=kind):
                return (SCALARS[kind],)
            case LiteralType(value=value):
                return (literal(value),)
            case TupleType(items=items):
                return (f"[{', '.join(map(self.text, items))}]",)
            case Ref(name=name):
                return (self.names.value_type(name),)
            case Array(item=item):
                inner = self.members(item)
                return (f"{inner[0]}[]" if len(inner) == 1 else f"({' | '.join(inner)})[]",)
            case Map(value=value, key=enum):
                keys = "[key: string]:" if enum is None else f"[K in {self.names.type(enum)}]?:"
                return (f"{{ {keys} {self.text(value)} }}",)
            case Choice(members=members):
                return tuple(part for member in members for part in self._members(member))

    def field(self, field: Field) -> tuple[str, ...]:
        """The members of a field's type, including null if it may be null."""
        if field.live:
            return (LIVE.get(override(field.about, "type") or "", "object"),)
        if field.callback is not None:
            named = self.names.callback(field)
            several = "[]" * field.callback.several
            return (named + several if named else flat(self._function(field.callback)) or "",)
        if override(field.about, "type") is not None:
            return (_overridden(field),)
        if field.tag is not None:
            return self._tag(field)
        if field.claimed or field.claimed_prefixes:
            return (*self._unclaimed(field), *(("null",) if field.nullable else ()))
        return self.members(field.type, nullable=field.nullable)

    def layout(self, field: Field) -> Doc:
        """The type of a callback as a document, of a method without its name; empty for a type with a name."""
        if field.callback is None or self.names.callback(field) is not None:
            return ""
        return self._function(field.callback)

    def is_method(self, field: Field) -> bool:
        """Whether a field is declared as a method: one that answers requests, whose type has no name.

        The compiler accepts a function as a method if its parameter is a union without the type for unknown variants,
        as other packages declare it. For the same reason, function types are those of a method.
        """
        call = field.callback
        return call is not None and call.answers is not None and not call.several and bool(self.layout(field))

    def function(self, callback: Callback) -> Doc:
        """The type of a callback to which the package gives a name."""
        return self._function(replace(callback, several=False), as_method=False)

    def _function(self, callback: Callback, *, as_method: bool = True) -> Doc:
        """The type of a callback, which may return a value or a promise."""
        params = [f"{_parameter(each.name)}: {self._passed(each)}" for each in callback.params]
        params += self._rest(callback)
        result = "void" if callback.returns is None else self.text(callback.returns)
        given, returned = listed(INDENT, "(", params, ")"), f"{result} | Promise<{result}>"
        if callback.answers is None:
            return ("(", given, " => ", returned, ")[]") if callback.several else (given, " => ", returned)
        if as_method and not callback.several:
            return (given, ": ", returned)
        method = nest(INDENT, LINE, "call", given, ": ", returned, IfBroken(";"))
        return (group("{", method, LINE, "}"), '["call"]' + "[]" * callback.several)

    def _passed(self, param: Parameter) -> str:
        """The type of an argument, which is undefined if the request has no value."""
        members = self.members(param.type)
        return " | ".join((*members, "undefined") if param.optional and "unknown" not in members else members)

    def _rest(self, callback: Callback) -> list[str]:
        """The last parameter of a function for requests: the remaining members, and a signal for cancellation."""
        control = next((each for each in self.model.controls if each.key == callback.answers), None)
        if control is None:
            return []
        places = [each.at or () for each in callback.params]
        if () in places:
            return ["options: { signal: AbortSignal }"]
        request = self.model.struct(control.request)
        apart = [*(tag.key for tag in request.tags), *(way[0] for way in places)]
        left = f"Omit<{self.names.type(request.name)}, {' | '.join(map(literal, dict.fromkeys(apart)))}>"
        return [f"options: {left} & {{ signal: AbortSignal }}"]

    def _tag(self, field: Field) -> tuple[str, ...]:
        tag = field.tag
        if tag is not None and tag.prefix is not None:
            return (starting(tag.prefix),)
        if tag is None or tag.enum is None:
            return tuple(literal(value) for value in (tag.values if tag else ()))
        enum = self.model.enum(tag.enum)
        others = "number" if enum.base == "integer" else "string" if tag.others == "*" else template(tag.others or "")
        return (self.names.known(enum), f"({others} & {{}})") if tag.others else (self.names.known(enum),)

    def _unclaimed(self, field: Field) -> tuple[str, ...]:
        """The discriminator's type in the variant for objects without it: all values that select no sibling."""
        if field.type == Scalar("boolean"):
            free = [value for value in (False, True) if value not in field.claimed]
            return tuple(literal(value) for value in free) or ("never",)
        if field.type == Scalar("string"):
            return (UNKNOWN_TAG,)
        if field.type == Scalar("integer") or not field.claimed:
            return self.members(field.type)
        return (f"Exclude<{self.text(field.type)}, {' | '.join(literal(value) for value in field.claimed)}>",)


def _overridden(field: Field) -> str:
    message = misuse(field)
    if message is not None:
        raise RenderError(f"target typescript: {message}")
    return "unknown"


def _parameter(name: str) -> str:
    return name if key(name) == name else "value"
