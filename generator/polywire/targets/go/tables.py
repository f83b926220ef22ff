"""The plan → the tables of the Go package, as its engine reads them (`runtimes/go/rules.go`).

A rule is an expression that describes a type of the spec to the engine. For a declared type, it is a value whose method
returns the table: a nil pointer to the Go type, or `of…{}` if the Go type is an interface or belongs to another
declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Dispatch, Enum, Field, Keys, Model, Struct, Switch
from polywire.plan import Plan
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
from polywire.source.types import Choice, Ref, ScalarKind, TupleType, Type
from polywire.targets.common.tables import Spelling
from polywire.targets.go.layout import Source, composite, element, listed, literal, quoted, wire_value
from polywire.targets.go.names import Names, is_mixed, is_sealed, override
from polywire.targets.go.shapes import Member as Alternative
from polywire.targets.go.shapes import Shapes, is_flat
from polywire.targets.go.structs import Structs
from polywire.targets.go.unions import FlatStruct, Unions

SCALARS = {
    "string": "isString",
    "boolean": "isBool",
    "number": "isNumber",
    "integer": "isInteger",
    "uuid": "isUUID",
    "timestamp": "isTimestamp",
    "json": "isJSON",
    "object": "isObject",
    "null": "isNull",
}
"""Built-in type → its rule."""

BEGINS = {"string": '"', "array": "[", "object": "{", "boolean": "tf", "null": "n", "number": "-0123456789"}
"""Kind of JSON value → the bytes with which it can begin."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table: its variable, the text before and after its rows, and the rows."""

    name: str
    head: str
    rows: tuple[str, ...] = ()
    tail: str = ""
    of: str = ""
    """The type whose method returns the table, if that is not the Go type itself."""


class Tables(Spelling[str, TableView]):
    """Builds the tables of a package."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, structs: Structs) -> None:
        self.plan = plan
        self._model: Model = plan.model
        self._names = names
        self._shapes = shapes
        self._structs = structs

    # Rules.

    def builtin(self, kind: ScalarKind) -> str:
        return SCALARS[kind]

    def bounded(self, scalar: str, low: float | None, high: float | None) -> str:
        return f"&bounded{{{scalar}, {wire_value(low)}, {wire_value(high)}}}"

    def literal(self, value: str | bool | float) -> str:
        return f"&literal{{{wire_value(value)}}}"

    def tuple_(self, items: Sequence[str]) -> str:
        return f"&tuple{{[]rule{{{', '.join(items)}}}}}"

    def array(self, item: str, low: int | None, high: int | None) -> str:
        return f"&list{{{item}, {low or 0}, {-1 if high is None else high}}}"

    def map_(self, value: str, key: str | None) -> str:
        return f"&mapping{{{value}, {'nil' if key is None else self.declared(key)}}}"

    def choice(self, rule: ChoiceRule) -> str:
        other = self._shapes.or_null(rule.type)
        return self._any(self._shapes.typed(rule.type)) if other is None else f"&orNull{{{self.type(other)}}}"

    def _any(self, members: Iterable[tuple[Alternative, str]]) -> str:
        """The rule of a value held by an interface, with the Go type of each kind of value."""
        members = list(members)
        expected = " or ".join(each.kind for each, _ in members)
        cases = ", ".join(
            f"{{{quoted(BEGINS[each.kind])}, {'isNull' if each.kind == 'null' else self.type(each.type)}, "
            f"{'nil' if each.kind == 'null' else pointer(go)}}}"
            for each, go in members
        )
        return f"&choice{{{quoted(expected)}, []alternative{{{cases}}}}}"

    def declared(self, name: str) -> str:
        match self._model.declarations[name]:
            case Enum():
                return f"&enum{self._names.own(name)}"
            case Alias() as alias if is_mixed(alias):
                return pointer(self._names.type(name))
            case Alias() as alias if is_sealed(self._model, alias) and not self._shapes.is_recursive(name):
                return self._any(self._shapes.cases(alias))
            case Alias(type=type_) if not self._shapes.is_recursive(name):
                return self.type(type_)
            case Struct(about=about) if override(about, "as") is None:
                return pointer(self._names.type(name))
        return pointer(f"of{self._names.own(name)}")

    def held(self, field: Field | None) -> str:
        """The rule of a field's value without null, which is given by its flags."""
        if field is None:
            raise AssertionError
        type_ = field.type
        while isinstance(type_, Ref) and isinstance(alias := self._model.declarations[type_.name], Alias):
            is_kept = is_mixed(alias) or is_sealed(self._model, alias) or self._shapes.is_recursive(alias.name)
            if is_kept or not isinstance(alias.type, (Choice, Ref)):
                break
            type_ = alias.type
        if isinstance(type_, Choice) and (other := self._shapes.or_null(type_)) is not None:
            type_ = other
        loose = self._shapes.loosened(field)
        return self.type(type_) if loose is None else self._any((each, each.shape.go) for each in loose.members)

    # Structs.

    def all(self, unions: Unions) -> Iterator[TableView]:
        """Every table."""
        yield from self._rows(StructRow)
        yield from self._rows(UnionRow)
        yield from self._flats(unions)
        for unknown in unions.unknowns():
            yield _table(
                "unknown", unknown.name, f"typ: {pointer(unknown.name)}, keys: {_places(unknown.discriminators)}"
            )
        yield from self._rows(AliasRow)
        yield from self._rows(EnumRow)

    def _rows(self, kind: type[Row]) -> Iterator[TableView]:
        """The tables of a kind of declaration; an alias has one only if it contains itself."""
        for name, row in self.plan.rows.items():
            if isinstance(row, kind) and (not isinstance(row, AliasRow) or self._shapes.is_recursive(name)):
                yield self.row(row)

    def struct(self, row: StructRow, members: Sequence[str]) -> TableView:
        view = self._structs.view(row.name)
        rest = []
        if row.extra is not None:
            rest.append(f"extra: {self.rule(row.extra)}")
        if view.marked:
            rest.append("marked: true")
        shared = [self.declared(each.spec) for each in self._structs.marked(row.name)]
        if shared:
            rest.append(f"shared: []rule{{{', '.join(shared)}}}")
        return _table(
            "table",
            view.own,
            f"name: {quoted(row.name)}, typ: {pointer(view.go)}, rows: []row{{",
            (
                f"{{{quoted(each.key)}, {quoted(each.name)}, {_flags(planned)}, {of}}},"
                for each, planned, of in zip(view.members, row.members, members, strict=True)
            ),
            "".join(["}", *(f", {each}" for each in rest)]),
            leads=override(self._model.struct(row.name).about, "as") is not None,
        )

    def constant(self, row: ConstantRow, _: Member) -> str:
        value = element(row.value) if row.is_tag else wire_value(row.value)
        return f"&literal{{{value}}}"

    def tag(self, row: TagRow, _: Member) -> str:
        if row.prefix is not None:
            return f"&varied{{isString, prefix({quoted(row.prefix)})}}"
        of = self.declared(row.enum) if row.enum else f"&enum{{{_values(row.values)}}}"
        return f"&varied{{{of}, {quoted(row.others)}}}" if row.others else of

    def field(self, row: FieldRow, member: Member) -> str:
        of = self.held(member.field)
        if row.on_error is not None:
            value = quoted(dumps(row.on_error.value)) if row.on_error.replaces else '""'
            of = f"&repaired{{{of}, {literal(row.on_error.skip)}, {literal(row.on_error.absent)}, {value}}}"
        claimed = [*map(wire_value, row.claimed), *(f"prefix({quoted(each)})" for each in row.claimed_prefixes)]
        return f"&claiming{{{of}, []any{{{', '.join(claimed)}}}}}" if claimed else of

    # Unions.

    def union(self, row: UnionRow, dispatch: str) -> TableView:
        go = self._names.type(row.name)
        flat = f", flat: &flat{go}" if is_flat(self._model.union(row.name)) else ""
        text = f"name: {quoted(row.name)}, typ: {pointer(go)}{flat}, by: {dispatch}"
        return _table("union", self._names.own(row.name), text, leads=True)

    def switch(self, switch: Switch) -> str:
        head = self._head(switch.union)
        head.append(f"key: {quoted(switch.key)}")
        others = [f"{{{quoted(glob)}, {self.declared(struct)}}}" for glob, struct in switch.others]
        if others:
            head.append(f"others: []pattern{{{', '.join(others)}}}")
        if switch.absent is not None:
            head.append(f"absent: {self.nested(switch.absent)}")
        if switch.prefixes:
            prefixes = ((quoted(begins), then) for begins, then in switch.prefixes)
            head.append(f"prefixes: []dispatchPrefix{{{self._cases(prefixes)}}}")
        cases = self._cases((element(value), then) for value, then in switch.cases)
        return f"&dispatch{{{', '.join(head)}, cases: []dispatchCase{{{cases}}}}}"

    def keys(self, keys: Keys) -> str:
        cases = self._cases((f"{_texts(each.has)}, {_texts(each.lacks)}", then) for each, then in keys.cases)
        return f"&dispatch{{{', '.join(self._head(keys.union))}, byKeys: []keysCase{{{cases}}}}}"

    def _head(self, name: str) -> list[str]:
        """The members that each kind of decision of a union has."""
        union = self._model.union(name)
        head = [f"union: {quoted(name)}"]
        if union.open:
            head += ["open: true", f"unknown: {pointer(self._names.unknown(union))}"]
        if is_flat(union):
            head.append(f"flat: {pointer(self._names.type(name))}")
        return head

    def _cases(self, cases: Iterable[tuple[str, Dispatch]]) -> str:
        """The cases of a decision, each on lines of its own."""
        lines = [f"\n{{{condition}, {self.nested(then)}}},".replace("\n", "\n\t") for condition, then in cases]
        return "".join([*lines, "\n"]) if lines else ""

    def _flats(self, unions: Unions) -> Iterator[TableView]:
        for flat in unions.flats.values():
            sharing = ", ".join(map(self.declared, flat.unions))
            fields = ((BEGINS[each.kind], name, Source(self.type(each.type))) for name, each in flat.others)
            others = f", others: {listed('other', fields)}, expected: {quoted(flat.expected)}" if flat.others else ""
            yield _table(
                "flat",
                flat.name,
                f"typ: {pointer(flat.name)}, unions: []rule{{{sharing}}}, leaves: []leaf{{",
                (f"{{{self.declared(leaf.spec)}, {literal(leaf.marked)}}}," for leaf in flat.leaves),
                f"}}, keys: {_places(self._keys(flat))}{others}",
            )

    def _keys(self, flat: FlatStruct) -> list[tuple[str, str]]:
        places = {place.name: place.key for place in flat.fields.values()}
        return [(places[field], field) for field in flat.discriminators if field in places]

    # Enums and aliases that contain themselves.

    def enum(self, row: EnumRow) -> TableView:
        values = _values(dict.fromkeys(row.values))
        head = f"name: {quoted(row.name)}, open: {literal(row.open)}, {values}"
        return _table("enum", self._names.own(row.name), head)

    def alias(self, row: AliasRow) -> TableView:
        alias = next(each for each in self._model.aliases if each.name == row.name)
        is_own = is_sealed(self._model, alias)
        of = self._any(self._shapes.cases(alias)) if is_own else self._recurring(alias.type)
        head = f"of: {of}, typ: {pointer(self._names.type(row.name))}"
        return _table("alias", self._names.own(row.name), head, leads=True)

    def _recurring(self, type_: Type) -> str:
        """The rule of an alias that contains itself; a tuple is held as any, like a choice with one alternative."""
        if isinstance(type_, TupleType):
            return self._any(self._shapes.typed(type_))
        other = self._shapes.or_null(type_) if isinstance(type_, Choice) else None
        return self.type(type_) if other is None else f"&orNull{{{self._recurring(other)}}}"

    # Lookup by name.

    def named(self) -> Iterator[str]:
        """The rows of all declared types."""
        for name in self._model.declarations:
            yield composite("", (name, self.typed(Ref(name))))

    def typed(self, type_: Type, go: str | None = None) -> Source:
        """A type with a Go type, its own by default."""
        return composite("typedRule", (Source(self.type(type_)), Source(pointer(go or self._shapes.of(type_).go))))


def _table(
    kind: str, own: str, head: str, rows: Iterable[str] = (), tail: str = "", *, leads: bool = False
) -> TableView:
    """A table of a kind; with `leads`, a separate type returns it."""
    return TableView(f"{kind}{own}", f"{kind}{{{head}", tuple(rows), f"{tail}}}", f"of{own}" if leads else "")


def pointer(go: str) -> str:
    """The expression of a nil pointer to a type."""
    return f"(*{go})(nil)"


def _flags(row: MemberRow) -> str:
    """The flags of a member's row."""
    match row:
        case ConstantRow():
            rest = ["constant"]
        case TagRow():
            rest = ["varying"]
        case FieldRow():
            rest = ["nullable"] * row.nullable + ["flattened"] * row.flattened
    return " | ".join(["required"] * row.required + rest) or "0"


def _values(values: Iterable[str | int]) -> str:
    """The values of an enum."""
    values = list(values)
    if all(isinstance(each, int) for each in values):
        return f"numbers: []float64{{{', '.join(map(literal, values))}}}"
    return f"texts: {_texts(map(str, values))}"


def _texts(texts: Iterable[str]) -> str:
    return element(listed("string", texts))


def _places(places: Iterable[tuple[str, str]]) -> str:
    return element(listed("place", places))
