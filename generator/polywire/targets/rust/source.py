"""The tables and larger pieces of Rust source: what the templates call besides `layout`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polywire.engine import FLATTEN, NULLABLE, REQUIRED
from polywire.targets.rust.layout import float_literal, key

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


@dataclass(frozen=True, slots=True)
class Tables:
    """A plan as Rust has it: names are places."""

    places: Mapping[str, int]

    def rule(self, code: Any) -> str:
        """A type."""
        if isinstance(code, str):
            return f"Rule::{SCALARS[code]}" if code in SCALARS else f"Rule::Named({self.places[code]})"
        match code:
            case ("[]", item, low, high):
                return f"Rule::List(&{self.rule(item)}, {low or 0}, {'usize::MAX' if high is None else high})"
            case ("{}", value, enum):
                return f"Rule::Map(&{self.rule(value)}, {'None' if enum is None else f'Some({self.places[enum]})'})"
            case (_, members):
                rows = (f"(WideKind::{WIDE_KINDS[kind]}, {self.rule(each)})" for kind, each in members.items())
                return f"Rule::Kinds(&[{', '.join(rows)}])"
            case _:
                raise ValueError(code)

    def scalar(self, value: str | bool | float) -> str:
        """A constant."""
        match value:
            case bool():
                return f"Scalar::Bool({'true' if value else 'false'})"
            case str():
                return f"Scalar::Text({key(value)})"
            case _:
                return f"Scalar::Number({float_literal(value)})"

    def scalars(self, values: Any) -> str:
        """Constants."""
        return f"&[{', '.join(map(self.scalar, values))}]"

    def row(self, row: Any) -> str:
        """A declaration."""
        match row:
            case ("enum", base, open_, values):
                return f"Row::Enum({_bool(base == 'integer')}, {_bool(open_)}, {self.scalars(values)})"
            case ("alias", code):
                return f"Row::Alias({self.rule(code)})"
            case ("union", open_, _, dispatch):
                return f"Row::Union({_bool(open_)}, {self.dispatch(dispatch)})"
            case ("struct", tags, consts, fields, extra):
                parts = (
                    f"tags: &[{', '.join(self._tag(*tag) for tag in tags)}]",
                    f"consts: &[{', '.join(f'({key(name)}, {self.scalar(value)})' for name, value in consts)}]",
                    f"fields: &[{''.join(f'{chr(10)}        {self._field(*each)},' for each in fields)}]",
                    f"extra: {'None' if extra is None else f'Some({self.rule(extra)})'}",
                )
                return f"Row::Struct(Struct {{ {', '.join(parts)} }})"
            case _:
                raise ValueError(row)

    def _tag(self, name: str, optional: bool, constant: Any, values: Any = (), others: str | None = None) -> str:
        if constant is not None:
            known = f"Values::Constant({self.scalar(constant)})"
        elif isinstance(values, str):
            known = f"Values::Enum({self.places[values]})"
        else:
            known = f"Values::List({self.scalars(values)})"
        form = "None" if others is None else f"Some({key(others)})"
        return f"Tag {{ key: {key(name)}, optional: {_bool(optional)}, values: {known}, others: {form} }}"

    def _field(self, name: str, code: Any, flags: int, claimed: Any = ()) -> str:
        bits = ", ".join(
            f"{word}: {_bool(bool(flags & bit))}"
            for word, bit in (("required", REQUIRED), ("nullable", NULLABLE), ("flatten", FLATTEN))
        )
        return f"Field {{ key: {key(name)}, rule: {self.rule(code)}, {bits}, claimed: {self.scalars(claimed)} }}"

    def dispatch(self, dispatch: Any) -> str:
        """How a variant is found."""
        match dispatch:
            case str():
                return f"Dispatch::Leaf({self.places[dispatch]})"
            case ("switch", union, name, table, others, absent):
                cases = "".join(
                    f"\n        ({self.scalar(value)}, {self.dispatch(then)})," for value, then in table.items()
                )
                forms = ", ".join(f"({key(form)}, {self.places[struct]})" for form, struct in others)
                rest = "None" if absent is None else f"Some(&{self.dispatch(absent)})"
                return (
                    f"Dispatch::Switch {{ union: {self.places[union]}, key: {key(name)}, cases: &[{cases}], "
                    f"others: &[{forms}], absent: {rest} }}"
                )
            case (_, union, rows):
                cases = ", ".join(
                    f"(&[{', '.join(map(key, has))}], &[{', '.join(map(key, lacks))}], {self.dispatch(then)})"
                    for has, lacks, then in rows
                )
                return f"Dispatch::Keys {{ union: {self.places[union]}, cases: &[{cases}] }}"
            case _:
                raise ValueError(dispatch)


def _bool(value: bool) -> str:
    return "true" if value else "false"
