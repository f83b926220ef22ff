"""Rows of the plan → the constants of `tables.js`: one for each type, in the notation of `runtime/engine.js`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polywire.ground.json_values import dumps
from polywire.model.nodes import Enum
from polywire.plan import Plan
from polywire.plan.rows import Row
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.source import Call, Code, Expression, Later, literal

SCALARS = {
    **{name: f"t.{name}" for name in ("boolean", "integer", "json", "number", "object", "string", "timestamp", "uuid")},
    "null": "t.nothing",
}
"""The types in every package, as constants of the runtime."""

REQUIRED, FLATTEN = 1, 4

_NOTHING = (None, None, 0, (), (), None)
"""The default values of a field's row, which are omitted at its end."""


@dataclass(frozen=True, slots=True)
class TypeConstant:
    """A type; its value follows `export const NAME = /* @__PURE__ */ `."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Tables:
    """The types of a plan as expressions."""

    plan: Plan
    names: Names
    prefix: str = ""
    """The prefix of a type's name in the module."""

    @property
    def uses_runtime(self) -> bool:
        """Whether any response or tool has a type that is not a declared one."""
        plan = self.plan
        pairs = plan.controls.pairs if plan.controls else ()
        codes = [each for pair in pairs for each in (pair.operation, pair.error_operation) if each is not None]
        if plan.controls and plan.controls.error:
            codes += [each.operation for each in plan.controls.error.types]
        codes += [each.operation for each in (*plan.tools.inputs, *plan.tools.outputs)]
        return any(not isinstance(each, str) or each in SCALARS for each in codes)

    def constants(self) -> Iterator[TypeConstant]:
        """The constant of each declaration."""
        for spec_name, row in self.plan.rows.items():
            name = self.names.type(spec_name)
            before = len(f"export const {name} = /* @__PURE__ */ ")
            yield TypeConstant(name, literal(self._declared(spec_name, row), 0, before))

    def declared(self, name: str) -> Code:
        """The constant of a declaration."""
        return Code(self.prefix + self.names.type(name))

    def type(self, code: Any) -> Expression:
        """The expression of a type in rows."""
        match code:
            case str() if code in SCALARS:
                return Code(SCALARS[code])
            case str():
                return self.declared(code)
            case ("[]", item, None, None):
                return Call("t.array", (self.type(item),))
            case ("[]", item, low, None):
                return Call("t.array", (self.type(item), low))
            case ("[]", item, low, high):
                return Call("t.array", (self.type(item), low, high))
            case ("{}", value, None):
                return Call("t.map", (self.type(value),))
            case ("{}", value, key):
                return Call("t.map", (self.type(value), self.type(key)))
            case ("=", value):
                return Call("t.literal", (value,))
            case ("()", items):
                return Call("t.tuple", ([self.type(item) for item in items],))
            case ("<", scalar, low, None):
                return Call("t.bounded", (Code(SCALARS[scalar]), low))
            case ("<", scalar, low, high):
                return Call("t.bounded", (Code(SCALARS[scalar]), low, high))
            case _:
                _, members = code
                return Call("t.either", ({kind: self.type(member) for kind, member in members.items()},))

    def _declared(self, spec_name: str, row: Row) -> Call:
        name = self.names.type(spec_name)
        match row:
            case ("enum", base, open_, _):
                return self._enum(self.plan.model.enum(spec_name), base, open_)
            case ("alias", type_):
                return Call("t.alias", (name, Later(self.type(type_))))
            case ("struct", tags, consts, fields, extra):
                rows = [*map(self._tag, tags), *map(self._const, consts), *map(self._field, fields)]
                rest = () if extra is None else (Later(self.type(extra)),)
                is_flat = any(flags & FLATTEN for _, _, flags, *_ in fields)
                return Call("t.flat" if is_flat else "t.struct", (name, Later(rows), *rest))
            case _:
                _, open_, _, dispatch = row
                return Call("t.union", (name, open_, Later(self._dispatch(dispatch))))

    def _enum(self, enum: Enum, base: str, open_: bool) -> Call:
        members = (self._members(enum),) if base == "integer" else ()
        return Call("t.enumeration", (self.names.type(enum.name), base, open_, self._values(enum), *members))

    def _values(self, enum: Enum) -> Code:
        return Code(f"e.{self.names.values(enum)}")

    def _members(self, enum: Enum) -> dict[str, Expression]:
        return {self.names.member(enum, at): value.wire for at, value in enumerate(enum.values)}

    def _const(self, const: Sequence[Any]) -> Expression:
        key, value = const
        return [key, value if isinstance(value, str) else Call("t.literal", (value,)), REQUIRED]

    def _tag(self, tag: Sequence[Any]) -> Expression:
        key, optional, constant, *varying = tag
        flags = 0 if optional else REQUIRED
        if constant is not None:
            return [key, constant if isinstance(constant, str) else Call("t.literal", (constant, True)), flags]
        values, *rest = varying
        listed = self._values(self.plan.model.enum(values)) if isinstance(values, str) else values
        arguments = (listed, *rest) if len(rest) > 1 or rest[0] is not None else (listed,)
        return [key, Call("t.tag", arguments), flags]

    def _field(self, field: Sequence[Any]) -> Expression:
        whole: tuple[Any, ...] = (*field, *_NOTHING[len(field) :])
        key, type_, flags, claimed, prefixes, repair = whole
        expression = self.type(type_)
        if repair is not None:
            how, value = repair
            instead = (dumps(value),) if how.endswith("value") else ()
            return [key, Call("t.repairing", (expression, how, *instead)), flags]
        return [key, expression, flags, *([claimed] if claimed or prefixes else []), *([prefixes] if prefixes else [])]

    def _dispatch(self, dispatch: Any) -> Expression:
        match dispatch:
            case str():
                return self.declared(dispatch)
            case ("keys", union, cases):
                ways = [[has, lacks, self._way(then)] for has, lacks, then in cases]
                return Call("t.byKeys", (self._is_open(union), self.names.type(union), ways))
            case _:
                _, union, key, cases, others, absent, *prefixes = dispatch
                arguments: list[Expression] = [self._is_open(union), key]
                arguments.append([[value, self._way(then)] for value, then in cases.items()])
                if others or absent is not None or prefixes:
                    arguments.append([[pattern, self.declared(struct)] for pattern, struct in others])
                if absent is not None or prefixes:
                    arguments.append(None if absent is None else self._way(absent))
                arguments += [[[prefix, self._way(then)] for prefix, then in each] for each in prefixes]
                return Call("t.byTag", tuple(arguments))

    def _way(self, dispatch: Any) -> Expression:
        """The next dispatch of a union; a nested union with the same dispatch is referenced by name."""
        if not isinstance(dispatch, str) and self.plan.rows[dispatch[1]][3] == dispatch:
            return self.declared(dispatch[1])
        return self._dispatch(dispatch)

    def _is_open(self, union: str) -> bool:
        return bool(self.plan.rows[union][1])
