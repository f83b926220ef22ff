"""The plan's tables → Rust source: the rows of `plan.rs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.model.nodes import Dispatch, Keys, Leaf, OnError, Switch
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.needs import Needs
from polywire.plan.rows import AliasRow, ChoiceRule, ConstantRow, EnumRow, FieldRow, StructRow, TagRow, UnionRow
from polywire.source.types import ScalarKind
from polywire.targets.common.tables import Spelling
from polywire.targets.rust.layout import float_literal, key, quoted
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import Shapes

NULL = "Rule::Null"

FLATTENED = quoted("\0")
"""Stands for the key of a flattened field, which has none; no JSON key has this spelling."""


def base(needs: Needs) -> str:
    """The constant for the index of the first row of the declarations with some needs."""
    return "_OR_".join(sorted(needs)).upper()


def places(plan: Plan, names: Names) -> dict[str, str]:
    """The index of each declaration in the tables, where those with the same needs are together, as a single token."""
    found, counts = {}, Counter[Needs]()
    for name in plan.rows:
        needs = names.needs.declared[name]
        first, at = base(needs), str(counts[needs])
        found[name] = f"({first} + {at})" if first and at != "0" else first or at
        counts[needs] += 1
    return found


@dataclass(frozen=True, slots=True)
class Tables(Spelling[str, str]):
    """The tables of a plan in Rust, where names are indexes."""

    plan: Plan
    names: Names
    shapes: Shapes
    places: Mapping[str, str]

    def builtin(self, kind: ScalarKind) -> str:
        return f"Rule::{kind.capitalize()}"

    def bounded(self, scalar: str, low: float | None, high: float | None) -> str:
        return f"Rule::Range(&{scalar}, {_limit(low, 'NEG_INFINITY')}, {_limit(high, 'INFINITY')})"

    def literal(self, value: str | bool | float) -> str:
        return f"Rule::Literal(&{self.scalar(value)})"

    def declared(self, name: str) -> str:
        return applied("Rule::Named", self.places[name])

    def array(self, item: str, low: int | None, high: int | None) -> str:
        return f"Rule::List(&{item}, {low or 0}, {'usize::MAX' if high is None else high})"

    def tuple_(self, items: Sequence[str]) -> str:
        return f"Rule::Tuple({listed(items)})"

    def map_(self, value: str, key: str | None) -> str:
        return f"Rule::Map(&{value}, {'None' if key is None else applied('Some', self.places[key])})"

    def choice(self, rule: ChoiceRule) -> str:
        """The JSON kinds of an inline union; its variants are in the order of its members, with null last."""
        rules = {kind: self.rule(each) for kind, each in rule.kinds}
        variants = [*dict.fromkeys(each for each in rules.values() if each != NULL), NULL]
        kinds = (f"(WideKind::{kind.capitalize()}, {variants.index(each)}, {each})" for kind, each in rules.items())
        return f"Rule::Kinds({listed(kinds)})"

    def scalar(self, value: str | bool | float) -> str:
        """A constant."""
        if isinstance(value, bool):
            return f"Scalar::Bool({dumps(value)})"
        return f"Scalar::Text({key(value)})" if isinstance(value, str) else f"Scalar::Number({float_literal(value)})"

    def scalars(self, values: Iterable[str | bool | float]) -> str:
        """Constants."""
        return listed(map(self.scalar, values))

    def enum(self, row: EnumRow) -> str:
        known = self.scalars(dict.fromkeys(row.values))
        return f"Row::Enum({dumps(row.base == 'integer')}, {dumps(row.open)}, {known})"

    def alias(self, row: AliasRow) -> str:
        return f"Row::Alias({self.rule(row.rule)})"

    def struct(self, row: StructRow, members: Sequence[str]) -> str:
        keys = (FLATTENED if isinstance(each, FieldRow) and each.flattened else key(each.key) for each in row.members)
        rows = "".join(f"\n        {each}," for each in members)
        extra = "None" if row.extra is None else f"Some({self.rule(row.extra)})"
        return f"Row::Struct(Struct::of(keys![{', '.join(keys)}], &[{rows}], {extra}))"

    def union(self, row: UnionRow, dispatch: str) -> str:
        return f"Row::Union({dumps(row.open)}, {dispatch})"

    def constant(self, row: ConstantRow, _: Member) -> str:
        is_integer = row.is_tag and type(row.value) is int
        kind = "Mark" if not row.required else "Integer" if is_integer else "Constant"
        return f"Member::{kind}({self.scalar(row.value)})"

    def tag(self, row: TagRow, _: Member) -> str:
        values = applied("Enum", self.places[row.enum]) if row.enum else f"List({self.scalars(row.values)})"
        values = values if row.prefix is None else f"Prefix({key(row.prefix)})"
        form = "None" if row.others is None else f"Some({key(row.others)})"
        return f"Member::Tag({dumps(not row.required)}, {self.rule(row.rule)}, Values::{values}, {form})"

    def field(self, row: FieldRow, member: Member) -> str:
        rule = self.rule(row.rule)
        if row.flattened or member.field is None:
            return f"Member::Flat({dumps(not row.required)}, {rule})"
        state = f"State::{self.shapes.state(member.field)}, {rule}"
        if row.claimed or row.claimed_prefixes:
            return f"Member::Claimed({state}, {self.scalars(row.claimed)}, {listed(map(key, row.claimed_prefixes))})"
        return (
            f"Member::Field({state})" if row.on_error is None else f"Member::Repaired({state}, {_repair(row.on_error)})"
        )

    def leaf(self, struct: str) -> str:
        return applied("Dispatch::Leaf", self.places[struct])

    def switch(self, switch: Switch) -> str:
        union = switch.union
        cases = (f"\n        ({self.scalar(value)}, {self._then(union, then)})," for value, then in switch.cases)
        prefixes = (f"\n        ({key(prefix)}, {self._then(union, then)})," for prefix, then in switch.prefixes)
        forms = (
            f"({key(form)}, {self._variant(union, struct)}, {self.places[struct]})" for form, struct in switch.others
        )
        rest = "None" if switch.absent is None else f"Some(&({self._then(union, switch.absent)}))"
        return (
            f"Dispatch::Switch {{ union: {self.places[union]}, key: {key(switch.key)}, cases: &[{''.join(cases)}], "
            f"prefixes: &[{''.join(prefixes)}], others: {listed(forms)}, absent: {rest} }}"
        )

    def keys(self, keys: Keys) -> str:
        cases = (
            f"({listed(map(key, each.has))}, {listed(map(key, each.lacks))}, {self._then(keys.union, then)})"
            for each, then in keys.cases
        )
        return f"Dispatch::Keys {{ union: {self.places[keys.union]}, cases: {listed(cases)} }}"

    def _then(self, union: str, then: Dispatch) -> str:
        """An alternative of a union: the number of its variant, and the next dispatch."""
        held = then.struct if isinstance(then, Leaf) else then.union
        return f"{self._variant(union, held)}, {self.dispatch(then)}"

    def _variant(self, union: str, held: str) -> int:
        return list(self.names.variants(self.plan.unions[union].union)).index(held)


def applied(head: str, place: str) -> str:
    """A variant that holds an index in the tables."""
    return f"{head}{place}" if place.startswith("(") else f"{head}({place})"


def listed(items: Iterable[str]) -> str:
    """The expression of a slice."""
    return f"&[{', '.join(items)}]"


def _repair(on_error: OnError) -> str:
    how = "".join(word.capitalize() for word in on_error.how.split())
    return f"Repair::{how}({quoted(dumps(on_error.value))})" if on_error.replaces else f"Repair::{how}"


def _limit(value: float | None, infinity: str) -> str:
    return f"f64::{infinity}" if value is None else float_literal(value)
