"""The plan → the table of the package: a row of JSON text for each declaration, which the runtime's `_rows` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from polywire.model.nodes import Keys, Switch
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.rows import AliasRow, ChoiceRule, ConstantRow, EnumRow, FieldRow, StructRow, TagRow, UnionRow
from polywire.source.types import ScalarKind
from polywire.targets.common.tables import Spelling
from polywire.targets.python.names import Names

LAYOUT = 1
"""The number of the grammar of rows. Raise it here and in `runtimes/native` when rows get another meaning."""


class Rows(Spelling[Any, list[str]]):
    """The rows of a plan, each as pieces of its text, between which a line may be broken."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self.plan = plan
        self._names = names

    def all(self) -> Iterator[tuple[str, list[str]]]:
        """Python name and pieces of each row, in the order of the declarations."""
        return ((self.declared(name), self.row(row)) for name, row in self.plan.rows.items())

    def enum(self, row: EnumRow) -> list[str]:
        return [*_opened(["enum", row.name, row.base, row.open]), *_closed(row.values), "]"]

    def alias(self, row: AliasRow) -> list[str]:
        return _closed(["alias", row.name, self.rule(row.rule)])

    def struct(self, row: StructRow, members: Sequence[Any]) -> list[str]:
        local = [self._names.field(each) for each in self.plan.model.struct(row.name).fields if not each.travels]
        extra = None if row.extra is None else self.rule(row.extra)
        return [*_opened(["struct", row.name]), *_closed(members), f",{_text(extra)},{_text(local)}]"]

    def union(self, row: UnionRow, dispatch: Any) -> list[str]:
        unknown = self._names.unknown(self.plan.model.union(row.name)) if row.open else None
        return _closed(["union", row.name, row.open, unknown, dispatch])

    def constant(self, row: ConstantRow, member: Member) -> list[Any]:
        if member.tag is not None and not row.required:
            return ["?", row.key, self._names.tag(member.tag), row.value]
        return ["=", row.key, row.value, *([True] if row.is_tag and type(row.value) is int else [])]

    def tag(self, row: TagRow, member: Member) -> list[Any]:
        values = self.declared(row.enum) if row.enum else list(row.values)
        prefix = [] if row.prefix is None else [row.prefix]
        return ["#", row.key, self._attribute(member), not row.required, values, row.others, *prefix]

    def field(self, row: FieldRow, member: Member) -> list[Any]:
        repair = row.on_error and (row.on_error.how, row.on_error.value)
        rest = [row.claimed, row.claimed_prefixes, repair]
        while rest and not rest[-1]:
            rest.pop()
        return [".", row.key, self._attribute(member), row.flags, self.rule(row.rule), *rest]

    def _attribute(self, member: Member) -> str:
        return "" if member.field is None else self._names.field(member.field)

    def builtin(self, kind: ScalarKind) -> str:
        return kind

    def bounded(self, scalar: str, low: float | None, high: float | None) -> list[Any]:
        return ["<", scalar, low, high]

    def literal(self, value: str | bool | float) -> list[Any]:
        return ["=", value]

    def declared(self, name: str) -> str:
        return self._names.type(name)

    def array(self, item: Any, low: int | None, high: int | None) -> list[Any]:
        return ["[]", item, low, high]

    def tuple_(self, items: Sequence[Any]) -> list[Any]:
        return ["()", items]

    def map_(self, value: Any, key: str | None) -> list[Any]:
        return ["{}", value, None if key is None else self.declared(key)]

    def choice(self, rule: ChoiceRule) -> list[Any]:
        return ["|", {kind: self.rule(each) for kind, each in rule.kinds}]

    def switch(self, switch: Switch) -> list[Any]:
        row = [
            "switch",
            self.declared(switch.union),
            switch.key,
            [[value, self.dispatch(then)] for value, then in switch.cases],
            [[glob, self.declared(struct)] for glob, struct in switch.others],
            None if switch.absent is None else self.dispatch(switch.absent),
        ]
        prefixes = [[prefix, self.dispatch(then)] for prefix, then in switch.prefixes]
        return [*row, prefixes] if prefixes else row

    def keys(self, keys: Keys) -> list[Any]:
        choices = [[each.has, each.lacks, self.dispatch(then)] for each, then in keys.cases]
        return ["keys", self.declared(keys.union), choices]


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _opened(values: Iterable[object]) -> list[str]:
    """The beginning of a list as pieces."""
    first, *rest = [_text(value) + "," for value in values]
    return ["[" + first, *rest]


def _closed(values: Sequence[object]) -> list[str]:
    """A list as pieces."""
    if not values:
        return ["[]"]
    pieces = _opened(values)
    return [*pieces[:-1], pieces[-1][:-1] + "]"]
