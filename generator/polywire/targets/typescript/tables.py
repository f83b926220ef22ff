"""Rows of the plan → the constants of `tables.js`: one for each type, in the notation of `runtime/engine.js`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polywire.ground.engine import REQUIRED
from polywire.ground.json_values import dumps
from polywire.model.nodes import Keys, Switch
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.rows import (
    AliasRow,
    ChoiceRule,
    ConstantRow,
    EnumRow,
    FieldRow,
    StructRow,
    TagRow,
    UnionRow,
)
from polywire.source.types import Ref, ScalarKind
from polywire.targets.common.tables import Spelling
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.source import Call, Code, Constant, Expression, Later

SCALARS = {
    **{name: f"t.{name}" for name in ("boolean", "integer", "json", "number", "object", "string", "timestamp", "uuid")},
    "null": "t.nothing",
}
"""The types in every package, as constants of the runtime."""


@dataclass(frozen=True, slots=True)
class Tables(Spelling[Expression, Expression]):
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
        types = [each for pair in pairs for each in (pair.response, pair.error) if each is not None]
        if plan.controls and plan.controls.error:
            types += [each.type for each in plan.controls.error.types]
        types += [each.type for each in (*plan.tools.inputs, *plan.tools.outputs)]
        return not all(isinstance(each, Ref) for each in types)

    def constants(self) -> Iterator[Constant]:
        """The constant of each declaration."""
        for spec_name, row in self.plan.rows.items():
            yield Constant(self.names.type(spec_name), self.row(row))

    def builtin(self, kind: ScalarKind) -> Expression:
        return Code(SCALARS[kind])

    def bounded(self, scalar: Expression, low: float | None, high: float | None) -> Expression:
        return Call("t.bounded", (scalar, low, *([] if high is None else [high])))

    def literal(self, value: str | bool | float) -> Expression:
        return Call("t.literal", (value,))

    def declared(self, name: str) -> Code:
        return Code(self.prefix + self.names.type(name))

    def array(self, item: Expression, low: int | None, high: int | None) -> Expression:
        bounds = [low, high] if high is not None else [low] if low is not None else []
        return Call("t.array", (item, *bounds))

    def tuple_(self, items: Sequence[Expression]) -> Expression:
        return Call("t.tuple", (items,))

    def map_(self, value: Expression, key: str | None) -> Expression:
        return Call("t.map", (value, *([] if key is None else [self.declared(key)])))

    def choice(self, rule: ChoiceRule) -> Expression:
        return Call("t.either", ({kind: self.rule(each) for kind, each in rule.kinds},))

    def enum(self, row: EnumRow) -> Expression:
        enum = self.plan.model.enum(row.name)
        members = {self.names.value(enum, at): value for at, value in enumerate(row.values)}
        rest = (members,) if row.base == "integer" else ()
        return Call("t.enumeration", (self.names.type(row.name), row.base, row.open, self._values(row.name), *rest))

    def alias(self, row: AliasRow) -> Expression:
        return Call("t.alias", (self.names.type(row.name), Later(self.rule(row.rule))))

    def struct(self, row: StructRow, members: Sequence[Expression]) -> Expression:
        rest = () if row.extra is None else (Later(self.rule(row.extra)),)
        is_flat = any(isinstance(each, FieldRow) and each.flattened for each in row.members)
        return Call("t.flat" if is_flat else "t.struct", (self.names.type(row.name), Later(members), *rest))

    def union(self, row: UnionRow, dispatch: Expression) -> Expression:
        return Call("t.union", (self.names.type(row.name), row.open, Later(dispatch)))

    def constant(self, row: ConstantRow, _: Member) -> Expression:
        tag = [True] if row.is_tag else []
        value = row.value if isinstance(row.value, str) else Call("t.literal", (row.value, *tag))
        return [row.key, value, REQUIRED * row.required]

    def tag(self, row: TagRow, _: Member) -> Expression:
        rest = [row.others, row.prefix] if row.prefix is not None else [row.others] if row.others is not None else []
        values = self._values(row.enum) if row.enum else row.values
        return [row.key, Call("t.tag", (values, *rest)), REQUIRED * row.required]

    def field(self, row: FieldRow, _: Member) -> Expression:
        expression = self.rule(row.rule)
        if row.on_error is not None:
            instead = [dumps(row.on_error.value)] if row.on_error.replaces else []
            return [row.key, Call("t.repairing", (expression, row.on_error.how, *instead)), row.flags]
        prefixes = [row.claimed_prefixes] if row.claimed_prefixes else []
        claimed = [row.claimed] if row.claimed or prefixes else []
        return [row.key, expression, row.flags, *claimed, *prefixes]

    def switch(self, switch: Switch) -> Expression:
        arguments: list[Expression] = [self._unknown(switch), switch.key]
        arguments.append([[value, self.nested(then)] for value, then in switch.cases])
        if switch.others or switch.absent is not None or switch.prefixes:
            arguments.append([[pattern, self.declared(struct)] for pattern, struct in switch.others])
        if switch.absent is not None or switch.prefixes:
            arguments.append(None if switch.absent is None else self.nested(switch.absent))
        if switch.prefixes:
            arguments.append([[prefix, self.nested(then)] for prefix, then in switch.prefixes])
        return Call("t.byTag", tuple(arguments))

    def keys(self, keys: Keys) -> Expression:
        ways = [[each.has, each.lacks, self.nested(then)] for each, then in keys.cases]
        return Call("t.byKeys", (self._unknown(keys), self.names.type(keys.union), ways))

    def _unknown(self, dispatch: Switch | Keys) -> str | bool:
        """The name of the Unknown of an open union."""
        union = self.plan.model.union(dispatch.union)
        return self.names.unknown(union) if union.open else False

    def _values(self, enum: str) -> Code:
        return Code(f"e.{self.names.values(self.plan.model.enum(enum))}")
