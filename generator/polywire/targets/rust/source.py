"""The plan's tables → Rust source: the rows of `plan.rs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polywire.ground.json_values import dumps
from polywire.model.nodes import Field, OnError, Tag
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.targets.rust.layout import float_literal, key, quoted
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import Shapes

SCALARS = {
    "string": "String",
    "boolean": "Boolean",
    "number": "Number",
    "integer": "Integer",
    "uuid": "Uuid",
    "timestamp": "Timestamp",
    "json": "Json",
    "object": "Object",
    "null": "Null",
}
"""Built-in type of a plan → its rule."""

WIDE_KINDS = {kind: kind.capitalize() for kind in ("null", "boolean", "number", "string", "array", "object")}

NULL = "Rule::Null"

FLATTENED = quoted("\0")
"""Stands for the key of a flattened field, which has none; no JSON key has this spelling."""


def places(plan: Plan) -> dict[str, int]:
    """The index of each declaration in the tables."""
    return {name: at for at, name in enumerate(plan.rows)}


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a plan in Rust, where names are indexes."""

    plan: Plan
    names: Names
    shapes: Shapes
    places: Mapping[str, int]

    def rule(self, code: Any) -> str:
        """The rule of a type."""
        if isinstance(code, str):
            return f"Rule::{SCALARS[code]}" if code in SCALARS else f"Rule::Named({self.places[code]})"
        match code:
            case ("[]", item, low, high):
                return f"Rule::List(&{self.rule(item)}, {low or 0}, {'usize::MAX' if high is None else high})"
            case ("()", items):
                return f"Rule::Tuple(&[{', '.join(map(self.rule, items))}])"
            case ("=", value):
                return f"Rule::Literal(&{self.scalar(value)})"
            case ("<", of, low, high):
                return f"Rule::Range(&{self.rule(of)}, {_limit(low, 'NEG_INFINITY')}, {_limit(high, 'INFINITY')})"
            case ("{}", value, enum):
                return f"Rule::Map(&{self.rule(value)}, {'None' if enum is None else f'Some({self.places[enum]})'})"
            case (_, members):
                return f"Rule::Kinds(&[{', '.join(self._kinds(members))}])"
            case _:
                raise ValueError(code)

    def _kinds(self, members: Mapping[str, Any]) -> list[str]:
        """The JSON kinds of an inline union; its variants are in the order of its members, with null last."""
        rules = {kind: self.rule(code) for kind, code in members.items()}
        variants = [*dict.fromkeys(rule for rule in rules.values() if rule != NULL), NULL]
        return [f"(WideKind::{WIDE_KINDS[kind]}, {variants.index(rule)}, {rule})" for kind, rule in rules.items()]

    def scalar(self, value: str | bool | float) -> str:
        """A constant."""
        match value:
            case bool():
                return f"Scalar::Bool({_bool(value)})"
            case str():
                return f"Scalar::Text({key(value)})"
            case _:
                return f"Scalar::Number({float_literal(value)})"

    def scalars(self, values: Any) -> str:
        """Constants."""
        return f"&[{', '.join(map(self.scalar, values))}]"

    def row(self, name: str, row: Any) -> str:
        """The row of a declaration."""
        match row:
            case ("enum", base, open_, values):
                known = self.scalars(dict.fromkeys(values))
                return f"Row::Enum({_bool(base == 'integer')}, {_bool(open_)}, {known})"
            case ("alias", code):
                return f"Row::Alias({self.rule(code)})"
            case ("union", open_, _, dispatch):
                return f"Row::Union({_bool(open_)}, {self.dispatch(dispatch)})"
            case ("struct", *_, extra):
                members = self.plan.structs[name].members
                keys = ", ".join(FLATTENED if each.role == "flattened" else key(each.key) for each in members)
                rows = "".join(f"\n        {self._member(each)}," for each in members)
                rest = "None" if extra is None else f"Some({self.rule(extra)})"
                return f"Row::Struct(Struct::of(keys![{keys}], &[{rows}], {rest}))"
            case _:
                raise ValueError(row)

    def _member(self, member: Member) -> str:
        match member:
            case Member(role="constant", constant=value):
                return f"Member::Constant({self.scalar(0 if value is None else value)})"
            case Member(role="tag", tag=Tag(constant=int() as value, optional=False)) if not isinstance(value, bool):
                return f"Member::Integer({self.scalar(value)})"
            case Member(role="tag", tag=Tag() as tag):
                return self._tag(tag, member.operation)
            case Member(role="flattened", field=Field() as field):
                return f"Member::Flat({_bool(not field.required)}, {self.rule(member.operation)})"
            case Member(field=Field() as field):
                state = f"State::{self.shapes.state(field)}, {self.rule(member.operation)}"
                if field.claimed or field.claimed_prefixes:
                    prefixes = ", ".join(map(key, field.claimed_prefixes))
                    return f"Member::Claimed({state}, {self.scalars(field.claimed)}, &[{prefixes}])"
                if field.on_error is not None:
                    return f"Member::Repaired({state}, {_repair(field.on_error)})"
                return f"Member::Field({state})"
            case _:
                raise ValueError(member)

    def _tag(self, tag: Tag, operation: Any) -> str:
        if tag.constant is not None:
            return f"Member::{'Mark' if tag.optional else 'Constant'}({self.scalar(tag.constant)})"
        values = f"Enum({self.places[tag.enum]})" if tag.enum else f"List({self.scalars(tag.values)})"
        values = values if tag.prefix is None else f"Prefix({key(tag.prefix)})"
        form = "None" if tag.others is None else f"Some({key(tag.others)})"
        return f"Member::Tag({_bool(tag.optional)}, {self.rule(operation)}, Values::{values}, {form})"

    def dispatch(self, dispatch: Any) -> str:
        """The dispatch of a union."""
        match dispatch:
            case str():
                return f"Dispatch::Leaf({self.places[dispatch]})"
            case ("switch", union, name, table, others, absent, *more):
                ways = [way for listed in more for way in listed]
                prefixes = "".join(f"\n        ({key(prefix)}, {self._then(union, then)})," for prefix, then in ways)
                cases = "".join(
                    f"\n        ({self.scalar(value)}, {self._then(union, then)})," for value, then in table.items()
                )
                forms = ", ".join(
                    f"({key(form)}, {self._variant(union, struct)}, {self.places[struct]})" for form, struct in others
                )
                rest = "None" if absent is None else f"Some(&({self._then(union, absent)}))"
                return (
                    f"Dispatch::Switch {{ union: {self.places[union]}, key: {key(name)}, cases: &[{cases}], "
                    f"prefixes: &[{prefixes}], others: &[{forms}], absent: {rest} }}"
                )
            case (_, union, rows):
                cases = ", ".join(
                    f"(&[{', '.join(map(key, has))}], &[{', '.join(map(key, lacks))}], {self._then(union, then)})"
                    for has, lacks, then in rows
                )
                return f"Dispatch::Keys {{ union: {self.places[union]}, cases: &[{cases}] }}"
            case _:
                raise ValueError(dispatch)

    def _then(self, union: str, then: Any) -> str:
        """An alternative of a union: the number of its variant, and the next dispatch."""
        held = then if isinstance(then, str) else then[1]
        return f"{self._variant(union, held)}, {self.dispatch(then)}"

    def _variant(self, union: str, held: str) -> int:
        return list(self.names.variants(self.plan.unions[union].union)).index(held)


def _repair(on_error: OnError) -> str:
    if on_error.replaces:
        return f"Repair::{'Skip' * on_error.skip}Value({quoted(dumps(on_error.value))})"
    return f"Repair::{'Skip' * on_error.skip}{'Absent' * on_error.absent}"


def _limit(value: float | None, infinity: str) -> str:
    return f"f64::{infinity}" if value is None else float_literal(value)


def _bool(value: bool) -> str:
    return "true" if value else "false"
