"""The plan → the tables of the Go package, as its engine reads them (`runtimes/go/rules.go`).

A rule is an expression that describes a type of the spec to the engine. For a declared type, it is a value whose method
returns the table: a nil pointer to the Go type, or `of…{}` if the Go type is an interface or belongs to another
declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Enum, Field, Keys, Model, Struct, Switch
from polywire.plan import Plan
from polywire.plan.controls import FieldPath, Step
from polywire.plan.members import Member
from polywire.plan.rows import (
    AliasRow,
    ChoiceRule,
    ConstantRow,
    EnumRow,
    FieldRow,
    MemberRow,
    Row,
    StructRow,
    TagRow,
    UnionRow,
)
from polywire.source.types import Ref, ScalarKind, TupleType, Type
from polywire.targets.common.tables import Spelling
from polywire.targets.go.layout import Source, composite, element, lines, listed, literal, quoted, wire_value
from polywire.targets.go.names import ITEMS, Names, is_mixed, is_sealed, override
from polywire.targets.go.shapes import Alternative, Shapes, is_flat
from polywire.targets.go.structs import FlatStruct, Structs, UnknownStruct

SCALARS = {kind: Source(f"is{part}") for kind, part in ITEMS.items()} | {"integer": Source("isInteger")}
"""Built-in type → its rule."""

BEGINS = {"string": '"', "array": "[", "object": "{", "boolean": "tf", "null": "n", "number": "-0123456789"}
"""Kind of JSON value → the bytes with which it can begin."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table: its variable, and its value."""

    name: str
    value: str
    of: str = ""
    """The type whose method returns the table, if that is not the Go type itself."""


class Tables(Spelling[Source, TableView]):
    """Builds the tables of a package, from the names and Go types of what they describe."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.model: Model = plan.model
        self.names = Names(plan.model)
        self.shapes = Shapes(plan.model, self.names)
        self.structs = Structs(plan, self.names, self.shapes)

    # Rules.

    def builtin(self, kind: ScalarKind) -> Source:
        return SCALARS[kind]

    def bounded(self, scalar: Source, low: float | None, high: float | None) -> Source:
        return composite("&bounded", (scalar, wire_value(low), wire_value(high)))

    def literal(self, value: str | bool | float) -> Source:
        return composite("&literal", (wire_value(value),))

    def tuple_(self, items: Sequence[Source]) -> Source:
        return composite("&tuple", (composite("[]rule", items),))

    def array(self, item: Source, low: int | None, high: int | None) -> Source:
        return Source(f"&list{{{item}, {low or 0}, {-1 if high is None else high}}}")

    def map_(self, value: Source, key: str | None) -> Source:
        return composite("&mapping", (value, key and self.declared(key)))

    def choice(self, rule: ChoiceRule) -> Source:
        other = self.shapes.or_null(rule.type)
        if other is None:
            return self._any(self.shapes.members(rule.type))
        return composite("&orNull", (self.type(other),))

    def _any(self, members: Sequence[Alternative]) -> Source:
        """The rule of a value held by an interface, with the Go type of each kind of value."""
        cases = (
            (BEGINS[each.kind], SCALARS["null"], None)
            if each.kind == "null"
            else (BEGINS[each.kind], self.type(each.type), pointer(each.go))
            for each in members
        )
        return composite("&choice", (" or ".join(each.kind for each in members), listed("alternative", cases)))

    def declared(self, name: str) -> Source:
        match self.model.declarations[name]:
            case Enum():
                return Source(f"&enum{self.names.own(name)}")
            case Alias() as alias if is_mixed(alias):
                return pointer(self.names.type(name))
            case Alias() as alias if is_sealed(self.model, alias) and name not in self.shapes.recursive:
                return self._any(self.shapes.cases(alias))
            case Alias(type=type_) if name not in self.shapes.recursive:
                return self.type(type_)
            case Struct(about=about) if override(about, "as") is None:
                return pointer(self.names.type(name))
        return pointer(f"of{self.names.own(name)}")

    def held(self, field: Field | None) -> Source:
        """The rule of a field's value without null, which is given by its flags."""
        if field is None:
            raise AssertionError
        loose = self.shapes.loosened(field)
        return self.type(self.shapes.or_else(field.type)) if loose is None else self._any(loose)

    # Structs.

    def all(self, flats: Iterable[FlatStruct], unknowns: Iterable[UnknownStruct]) -> Iterator[TableView]:
        """Every table."""
        yield from self._rows(StructRow)
        yield from self._rows(UnionRow)
        yield from map(self._flat, flats)
        for unknown in unknowns:
            table = {"typ": pointer(unknown.name), "keys": _places(unknown.discriminators)}
            yield TableView(unknown.table, composite("unknown", table))
        yield from self._rows(AliasRow)
        yield from self._rows(EnumRow)

    def _rows(self, kind: type[Row]) -> Iterator[TableView]:
        """The tables of a kind of declaration; an alias has one only if it contains itself."""
        for name, row in self.plan.rows.items():
            if isinstance(row, kind) and (not isinstance(row, AliasRow) or name in self.shapes.recursive):
                yield self.row(row)

    def struct(self, row: StructRow, members: Sequence[Source]) -> TableView:
        held = self.structs.members[row.name]
        marked = [each.name for each in self.structs.sharing[row.name] if self.structs.is_marked(each.name)]
        rows = (
            (each.key, each.name, _flags(planned), of)
            for each, planned, of in zip(held, row.members, members, strict=True)
        )
        table = {
            "name": row.name,
            "typ": pointer(self.names.type(row.name)),
            "rows": lines("row", rows),
            "extra": row.extra and self.rule(row.extra),
            "marked": self.structs.is_marked(row.name),
            "shared": listed("rule", map(self.declared, marked)),
        }
        shares = override(self.model.struct(row.name).about, "as") is not None
        return _table("table", self.names.own(row.name), table, leads=shares)

    def constant(self, row: ConstantRow, _: Member) -> Source:
        return composite("&literal", (row.value if row.is_tag else wire_value(row.value),))

    def tag(self, row: TagRow, _: Member) -> Source:
        if row.prefix is not None:
            return composite("&varied", (SCALARS["string"], prefix(row.prefix)))
        of = self.declared(row.enum) if row.enum else composite("&enum", _values(row.values))
        return composite("&varied", (of, row.others)) if row.others else of

    def field(self, row: FieldRow, member: Member) -> Source:
        of, repair = self.held(member.field), row.on_error
        if repair is not None:
            value = dumps(repair.value) if repair.replaces else ""
            of = composite("&repaired", (of, repair.skip, repair.absent, value))
        claimed = listed("any", (*map(wire_value, row.claimed), *map(prefix, row.claimed_prefixes)))
        return composite("&claiming", (of, claimed)) if claimed else of

    # Unions.

    def union(self, row: UnionRow, dispatch: Source) -> TableView:
        go = self.names.type(row.name)
        flat = Source(f"&flat{go}") if is_flat(self.model.union(row.name)) else None
        table = {"name": row.name, "typ": pointer(go), "flat": flat, "by": dispatch}
        return _table("union", self.names.own(row.name), table, leads=True)

    def switch(self, switch: Switch) -> Source:
        prefixes = tuple((begins, self.nested(then)) for begins, then in switch.prefixes)
        return self._decision(
            switch.union,
            key=switch.key,
            others=listed("pattern", ((glob, self.declared(struct)) for glob, struct in switch.others)),
            absent=switch.absent and self.nested(switch.absent),
            prefixes=prefixes and lines("dispatchPrefix", prefixes),
            cases=lines("dispatchCase", ((value, self.nested(then)) for value, then in switch.cases)),
        )

    def keys(self, keys: Keys) -> Source:
        cases = ((listed("string", of.has), listed("string", of.lacks), self.nested(then)) for of, then in keys.cases)
        return self._decision(keys.union, byKeys=lines("keysCase", cases))

    def _decision(self, name: str, **members: object) -> Source:
        """A decision of a union, with the members that each kind of it has."""
        union = self.model.union(name)
        head = {
            "union": name,
            "open": union.open,
            "unknown": union.open and pointer(self.names.unknown(union)),
            "flat": is_flat(union) and pointer(self.names.type(name)),
        }
        return composite("&dispatch", {**head, **members})

    def _flat(self, flat: FlatStruct) -> TableView:
        others = ((BEGINS[each.kind], name, self.type(each.type)) for name, each in flat.others)
        table = {
            "typ": pointer(flat.name),
            "unions": composite("[]rule", list(map(self.declared, flat.unions))),
            "leaves": lines("leaf", ((self.declared(leaf.spec), leaf.marked) for leaf in flat.leaves)),
            "keys": _places(flat.discriminators),
            "others": listed("other", others),
            "expected": flat.expected,
        }
        return TableView(flat.table, composite("flat", table))

    # Enums and aliases that contain themselves.

    def enum(self, row: EnumRow) -> TableView:
        table = {"name": row.name, "open": Source(literal(row.open)), **_values(dict.fromkeys(row.values))}
        return _table("enum", self.names.own(row.name), table)

    def alias(self, row: AliasRow) -> TableView:
        alias = next(each for each in self.model.aliases if each.name == row.name)
        is_own = is_sealed(self.model, alias)
        of = self._any(self.shapes.cases(alias)) if is_own else self._recurring(alias.type)
        table = {"of": of, "typ": pointer(self.names.type(row.name))}
        return _table("alias", self.names.own(row.name), table, leads=True)

    def _recurring(self, type_: Type) -> Source:
        """The rule of an alias that contains itself; a tuple is held as any, like a choice with one alternative."""
        if isinstance(type_, TupleType):
            return self._any(self.shapes.members(type_))
        other = self.shapes.or_null(type_)
        return self.type(type_) if other is None else composite("&orNull", (self._recurring(other),))

    # Paths.

    def way(self, way: FieldPath) -> Source | None:
        """Fields, each with the rules of the structs that have it; None for no fields."""
        return listed("hop", self.hops(way))

    def hops(self, way: FieldPath) -> tuple[object, ...]:
        """The same fields, in a list of paths."""
        return tuple(map(self._hop, way))

    def _hop(self, step: Step) -> tuple[object, ...]:
        holders = listed("rule", (self.declared(each.name) for each in step.holders))
        return holders, self.names.field(step.field), step.union is not None

    # Lookup by name.

    def named(self) -> Source:
        """The rows of all declared types."""
        return lines("namedType", ((name, self.typed(Ref(name))) for name in self.model.declarations))

    def typed(self, type_: Type, go: str | None = None) -> Source:
        """A type with a Go type, its own by default."""
        return composite("typedRule", (self.type(type_), pointer(go or self.shapes.of(type_).go)))


def _table(kind: str, own: str, members: Mapping[str, object], *, leads: bool = False) -> TableView:
    """A table of a kind; with `leads`, a separate type returns it."""
    return TableView(f"{kind}{own}", composite(kind, members), f"of{own}" if leads else "")


def pointer(go: str) -> Source:
    """The expression of a nil pointer to a type."""
    return Source(f"(*{go})(nil)")


def prefix(text: str) -> Source:
    """The beginning of a tag."""
    return Source(f"prefix({quoted(text)})")


def _flags(row: MemberRow) -> Source:
    """The flags of a member's row."""
    match row:
        case ConstantRow():
            rest = ["constant"]
        case TagRow():
            rest = ["varying"]
        case FieldRow():
            rest = ["nullable"] * row.nullable + ["flattened"] * row.flattened
    return Source(" | ".join(["required"] * row.required + rest) or "0")


def _values(values: Iterable[str | int]) -> dict[str, Source | None]:
    """The values of an enum."""
    values = list(values)
    if all(isinstance(each, int) for each in values):
        return {"numbers": composite("[]float64", [Source(each) for each in values])}
    return {"texts": listed("string", map(str, values))}


def _places(places: Iterable[tuple[str, str]]) -> Source:
    return Source(element(listed("place", places)))
