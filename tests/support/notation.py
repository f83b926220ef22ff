"""Rows and rules in a short notation of tuples → those of `polywire.plan.rows`, for tables that tests write by hand.

row       ("enum", base, open, (value, …))
          ("alias", rule)
          ("struct", tags, consts, fields, extra)      extra is a rule, or None
          ("union", open, unknown, dispatch)
tag       (key, optional, constant)
          (key, optional, None, values, others)        values is a tuple, or an enum's name
          (key, optional, None, (), None, prefix)
const     (key, value)
field     (key, rule, flags)
          (key, rule, flags, claimed, prefixes, repair)  repair: (words, value), or None
dispatch  "Struct"
          ("switch", union, key, {value: dispatch, …}, ((glob, struct), …), absent, ((prefix, dispatch), …))
          ("keys", union, ((has, lacks, dispatch), …))
rule      a built-in type or a declared name
          ("[]", item, low, high) ("()", (rule, …)) ("{}", value, enum) ("|", {kind: rule, …})
          ("=", value) ("<", scalar, low, high)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from polywire.ground.engine import FLATTEN, NULLABLE, REQUIRED
from polywire.model.nodes import Dispatch, Keys, Leaf, OnError, Switch, Variant
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
)
from polywire.source.types import Choice, ScalarKind


def table(written: Mapping[str, Any]) -> dict[str, Row]:
    return {name: row(name, *each) for name, each in written.items()}


def row(name: str, kind: str, *parts: Any) -> Row:
    match kind:
        case "enum":
            return EnumRow(name, *parts)
        case "alias":
            return AliasRow(name, rule(*parts))
        case "union":
            is_open, unknown, by = parts
            made = dispatch(by)
            assert not isinstance(made, Leaf)
            return UnionRow(name, is_open, unknown, made)
        case _:
            tags, consts, fields, extra = parts
            constants = (ConstantRow(*const) for const in consts)
            members = (*(tag(*each) for each in tags), *constants, *(field(*each) for each in fields))
            return StructRow(name, members, None if extra is None else rule(extra))


def tag(
    key: str, optional: bool, constant: Any, values: Any = (), others: str | None = None, prefix: str | None = None
) -> ConstantRow | TagRow:
    if constant is not None:
        return ConstantRow(key, constant, is_tag=True, required=not optional)
    of = rule(values) if isinstance(values, str) else ScalarRule("string")
    enum, listed = (values, ()) if isinstance(values, str) else (None, values)
    return TagRow(key, of, not optional, listed, enum, others, prefix)


def field(key: str, of: Any, flags: int, claimed: Any = (), prefixes: Any = (), repair: Any = None) -> FieldRow:
    required, nullable, flattened = (bool(flags & flag) for flag in (REQUIRED, NULLABLE, FLATTEN))
    on_error = None if repair is None else _repair(*repair)
    return FieldRow(key, rule(of), required, nullable, flattened, claimed, prefixes, on_error)


def _repair(words: str, value: Any) -> OnError:
    return OnError("skip" in words, "absent" in words, "value" in words, value)


def dispatch(written: Any) -> Dispatch:
    match written:
        case str():
            return Leaf(written)
        case ("switch", union, key, cases, others, absent, *rest):
            ways = tuple((value, dispatch(then)) for value, then in cases.items())
            prefixes = tuple((prefix, dispatch(then)) for each in rest for prefix, then in each)
            return Switch(union, key, ways, others, None if absent is None else dispatch(absent), prefixes)
        case (_, union, cases):
            return Keys(union, tuple((Variant(str(then), has, lacks), dispatch(then)) for has, lacks, then in cases))
        case _:
            raise ValueError(written)


def rule(written: Any) -> Rule:
    match written:
        case str() if written in get_args(ScalarKind):
            return ScalarRule(written)  # type: ignore[arg-type] # it is one of them
        case str():
            return NamedRule(written)
        case ("[]", item, low, high):
            return ArrayRule(rule(item), low, high)
        case ("()", items):
            return TupleRule(tuple(map(rule, items)))
        case ("{}", value, enum):
            return MapRule(rule(value), enum)
        case ("|", kinds):
            return ChoiceRule(tuple((kind, rule(each)) for kind, each in kinds.items()), Choice(()))
        case ("=", value):
            return LiteralRule(value)
        case (_, scalar, low, high):
            return BoundedRule(ScalarRule(scalar), low, high)
        case _:
            raise ValueError(written)
