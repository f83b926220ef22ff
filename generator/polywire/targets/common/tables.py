"""Rows and rules of the plan → their spelling in a language, which gives that of each kind of rule, member and row.

`T` is the spelling of a rule, a member or a decision, and `R` that of a row: source text, or an expression that is laid
out later.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from polywire.model.nodes import Dispatch, Keys, Leaf, Switch
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.rows import (
    AliasRow,
    ArrayRule,
    BoundedRule,
    ChoiceRule,
    ConstantRow,
    EnumRow,
    FieldRow,
    LiteralRule,
    MapRule,
    NamedRule,
    Row,
    Rule,
    ScalarRule,
    StructRow,
    TagRow,
    TupleRule,
    UnionRow,
    rule_of,
)
from polywire.source.types import ScalarKind, Type

T = TypeVar("T")
R = TypeVar("R")


class Spelling(ABC, Generic[T, R]):
    """Spells the tables of a plan."""

    plan: Plan

    def type(self, type_: Type) -> T:
        """The rule of a type expression."""
        return self.rule(rule_of(self.plan.model, type_))

    def rule(self, rule: Rule) -> T:
        """How a value is read."""
        match rule:
            case ScalarRule(kind):
                return self.builtin(kind)
            case BoundedRule(scalar, low, high):
                return self.bounded(self.builtin(scalar.kind), low, high)
            case LiteralRule(value):
                return self.literal(value)
            case NamedRule(name):
                return self.declared(name)
            case ArrayRule(item, low, high):
                return self.array(self.rule(item), low, high)
            case TupleRule(items):
                return self.tuple_(list(map(self.rule, items)))
            case MapRule(value, key):
                return self.map_(self.rule(value), key)
            case ChoiceRule():
                return self.choice(rule)

    def row(self, row: Row) -> R:
        """The row of a declaration."""
        match row:
            case EnumRow():
                return self.enum(row)
            case AliasRow():
                return self.alias(row)
            case StructRow():
                return self.struct(row, list(map(self.member, self.plan.structs[row.name].members)))
            case UnionRow():
                return self.union(row, self.dispatch(row.dispatch))

    def member(self, member: Member) -> T:
        """A member of a struct."""
        match member.row:
            case ConstantRow() as row:
                return self.constant(row, member)
            case TagRow() as row:
                return self.tag(row, member)
            case FieldRow() as row:
                return self.field(row, member)

    def dispatch(self, dispatch: Dispatch) -> T:
        """The decision between the variants of a union."""
        match dispatch:
            case Leaf(struct):
                return self.leaf(struct)
            case Switch():
                return self.switch(dispatch)
            case Keys():
                return self.keys(dispatch)

    def nested(self, dispatch: Dispatch) -> T:
        """The next decision after a step: the name of a union if it is the decision of that whole union."""
        if not isinstance(dispatch, Leaf) and self.plan.model.union(dispatch.union).dispatch == dispatch:
            return self.declared(dispatch.union)
        return self.dispatch(dispatch)

    # Rules.

    @abstractmethod
    def builtin(self, kind: ScalarKind) -> T:
        """A built-in type."""

    @abstractmethod
    def bounded(self, scalar: T, low: float | None, high: float | None) -> T:
        """A built-in type with inclusive bounds."""

    @abstractmethod
    def literal(self, value: str | bool | float) -> T:
        """Exactly one value."""

    @abstractmethod
    def declared(self, name: str) -> T:
        """A declaration by its name in the spec."""

    @abstractmethod
    def array(self, item: T, low: int | None, high: int | None) -> T:
        """An array; the bounds are of the number of items."""

    @abstractmethod
    def tuple_(self, items: Sequence[T]) -> T:
        """An array with exactly these items."""

    @abstractmethod
    def map_(self, value: T, key: str | None) -> T:
        """An object with any keys, or with the values of the enum `key`."""

    @abstractmethod
    def choice(self, rule: ChoiceRule) -> T:
        """An inline union."""

    # Rows, with the spelling of their parts.

    @abstractmethod
    def enum(self, row: EnumRow) -> R:
        """The row of an enum."""

    @abstractmethod
    def alias(self, row: AliasRow) -> R:
        """The row of an alias."""

    @abstractmethod
    def struct(self, row: StructRow, members: Sequence[T]) -> R:
        """The row of a struct."""

    @abstractmethod
    def union(self, row: UnionRow, dispatch: T) -> R:
        """The row of a union."""

    # Members and decisions.

    @abstractmethod
    def constant(self, row: ConstantRow, member: Member, /) -> T:
        """A member with one value."""

    @abstractmethod
    def tag(self, row: TagRow, member: Member, /) -> T:
        """A tag whose value varies."""

    @abstractmethod
    def field(self, row: FieldRow, member: Member, /) -> T:
        """Any other member."""

    def leaf(self, struct: str) -> T:
        """The end of a decision; it is spelled like a rule by default."""
        return self.declared(struct)

    @abstractmethod
    def switch(self, switch: Switch) -> T:
        """A decision by the value of a discriminator."""

    @abstractmethod
    def keys(self, keys: Keys) -> T:
        """A decision by the presence of keys."""
