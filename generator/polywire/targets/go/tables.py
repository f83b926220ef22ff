"""The plan → the tables of the Go package, as its engine reads them (`runtimes/go/rules.go`).

A rule is an expression: what a type of the spec is to the engine. A declared type is a value whose method leads to its
table: a nil pointer to the Go type, or `of…{}` where the Go type is an interface or another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.model.nodes import (
    Alias,
    Array,
    Choice,
    Dispatch,
    Enum,
    Keys,
    Leaf,
    Map,
    Model,
    Ref,
    Scalar,
    Struct,
    Switch,
    Type,
    Union,
)
from polywire.plan import Plan
from polywire.targets.go.layout import function, literal, quoted
from polywire.targets.go.names import Names, override
from polywire.targets.go.shapes import GoChoice, Shapes, is_flat
from polywire.targets.go.structs import Member, Structs, WireStruct
from polywire.targets.go.unions import FlatStruct, GoEither, GoUnknown, Unions

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
"""Kind of JSON value → the bytes that it begins with."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A struct: the variable of its table, what stands before and after its rows, and the rows."""

    own: str
    head: str
    rows: tuple[str, ...]
    tail: str
    of: str
    """The type whose method leads to the table, if that is not the Go type's own."""
    resolve: str
    """That method."""


@dataclass(frozen=True, slots=True)
class FlatTable:
    """A flat struct."""

    name: str
    head: str
    leaves: tuple[str, ...]
    tail: str


@dataclass(frozen=True, slots=True)
class LineTable:
    """A table without rows: of a union, an enum, an Unknown, a text or an object."""

    name: str
    text: str
    resolve: str = ""
    """The method of a union that leads to it."""


@dataclass(frozen=True, slots=True)
class NamedView:
    """A declared type, as it is asked for by its name."""

    spec: str
    rule: str
    typ: str


class Tables:
    """The tables of a package."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, structs: Structs) -> None:
        self._plan = plan
        self._model: Model = plan.model
        self._names = names
        self._shapes = shapes
        self._structs = structs

    # Rules.

    def rule(self, type_: Type) -> str:
        """What a type is to the engine."""
        match type_:
            case Scalar(kind=kind):
                return SCALARS[kind]
            case Array(item=item, low=low, high=high):
                return f"&list{{{self.rule(item)}, {low or 0}, {-1 if high is None else high}}}"
            case Map(value=value, key=key):
                keys = "nil" if key is None else f"&{self.enum(key)}"
                return f"&mapping{{{self.rule(value)}, {keys}}}"
            case Choice():
                other = self._shapes.or_null(type_)
                if other is not None:
                    return f"&orNull{{{self.rule(other)}}}"
                return self.choice(GoChoice(self._shapes.members(type_)))
            case Ref(name=name):
                return self._declared(self._model.declarations[name])

    def choice(self, choice: GoChoice) -> str:
        """A choice, with the Go type of each kind of value."""
        expected = " or ".join(each.kind for each in choice.members)
        cases = ", ".join(
            f"{{{quoted(BEGINS[each.kind])}, {'isNull' if each.kind == 'null' else self.rule(each.type)}, "
            f"{'nil' if each.kind == 'null' else pointer(each.shape.go)}}}"
            for each in choice.members
        )
        return f"&choice{{{quoted(expected)}, []alternative{{{cases}}}}}"

    def enum(self, name: str) -> str:
        """The variable of an enum's table."""
        return f"enum{self._names.own(name)}"

    def _declared(self, declared: Struct | Union | Enum | Alias) -> str:
        match declared:
            case Enum(name=name):
                return f"&{self.enum(name)}"
            case Alias() if is_flat(declared):
                return pointer(self._names.type(declared.name))
            case Alias(type=type_) if not self._shapes.is_recursive(declared.name):
                return self.rule(type_)
            case Struct(name=name) if override(declared.about, "as") is None:
                return pointer(self._names.type(name))
        return f"of{self._names.own(declared.name)}{{}}"

    def of(self, name: str) -> str:
        """The rule of a declaration."""
        return self.rule(Ref(name))

    def member(self, member: Member) -> str:
        """The rule of a field: without null, which its flags say."""
        type_ = member.type
        while isinstance(type_, Ref) and isinstance(alias := self._model.declarations[type_.name], Alias):
            if is_flat(alias) or self._shapes.is_recursive(alias.name) or not isinstance(alias.type, (Choice, Ref)):
                break
            type_ = alias.type
        if isinstance(type_, Choice) and (other := self._shapes.or_null(type_)) is not None:
            type_ = other
        if type_ is None:
            raise AssertionError(member)
        if member.loose and member.shape.choice is not None:
            return self.choice(member.shape.choice)
        return self.rule(type_)

    # Structs.

    def tables(self) -> Iterator[TableView]:
        """Every struct."""
        for struct in self._model.structs:
            yield self._table(struct, self._structs.view(struct.name))

    def _table(self, struct: Struct, view: WireStruct) -> TableView:
        rest = []
        if struct.extra is not None:
            rest.append(f"extra: {self.rule(struct.extra)}")
        if view.marked:
            rest.append("marked: true")
        shared = [self.of(each.spec) for each in self._structs.marked(struct.name)]
        if shared:
            rest.append(f"shared: []rule{{{', '.join(shared)}}}")
        return TableView(
            own=view.own,
            head=f"name: {quoted(struct.name)}, typ: {pointer(view.go)}",
            rows=tuple(self._row(each) for each in view.members),
            tail="".join(f", {each}" for each in rest),
            of="" if override(struct.about, "as") is None else f"of{view.own}",
            resolve=_resolve(view.own, "table"),
        )

    def _row(self, member: Member) -> str:
        flags = [flag for flag, there in (("required", member.required), ("nullable", member.nullable)) if there]
        of, value = "nil", "nil"
        match member.role:
            case "constant":
                flags.append("constant")
                value = _constant(member)
            case "tag":
                flags.append("varying")
                of, value = self._tag(member)
            case "flat":
                flags.append("flattened")
                of = self.member(member)
            case "field":
                of = self.member(member)
        claimed = f"[]any{{{', '.join(member.claimed)}}}" if member.claimed else "nil"
        cells = (member.quoted, quoted(member.name), " | ".join(flags) or "0", of, value, claimed)
        return f"{{{', '.join(cells)}}}"

    def _tag(self, member: Member) -> tuple[str, str]:
        """The enum of a tag that varies, and the pattern of its other values."""
        tag = member.tag
        if tag is None:
            raise AssertionError(member)
        of = f"&{self.enum(tag.enum)}" if tag.enum else f"&enum{{texts: {_texts(tag.values)}}}"
        return of, quoted(tag.others) if tag.others else "nil"

    # Unions.

    def unions(self, unions: Unions) -> Iterator[LineTable]:
        """Every union."""
        for each in unions.views():
            flat = f", flat: &flat{each.go}" if each.flat else ""
            text = f"name: {quoted(each.spec)}, typ: {pointer(each.go)}{flat}, by: {self._dispatch(each.dispatch, '')}"
            yield LineTable(each.own, text, _resolve(each.own, "union"))

    def _dispatch(self, dispatch: Dispatch, pad: str) -> str:
        """A dispatch, whose lines but the first stand behind `pad`."""
        match dispatch:
            case Leaf(struct=struct):
                return self.of(struct)
            case Switch(union=name) | Keys(union=name):
                union = self._model.union(name)
        head = [f"union: {quoted(name)}"]
        if union.open:
            head += ["open: true", f"unknown: {pointer(self._names.unknown(union))}"]
        if is_flat(union):
            head.append(f"flat: {pointer(self._names.type(name))}")
        if isinstance(dispatch, Keys):
            cases = [(f"{_texts(each.has)}, {_texts(each.lacks)}", then) for each, then in dispatch.cases]
            return f"&dispatch{{{', '.join(head)}, byKeys: []keysCase{{{self._cases(cases, pad)}}}}}"
        head.append(f"key: {quoted(dispatch.key)}")
        others = [f"{{{quoted(glob)}, {self.of(struct)}}}" for glob, struct in dispatch.others]
        if others:
            head.append(f"others: []pattern{{{', '.join(others)}}}")
        if dispatch.absent is not None:
            head.append(f"absent: {self._then(dispatch.absent, pad)}")
        cases = [(literal(value), then) for value, then in dispatch.cases]
        return f"&dispatch{{{', '.join(head)}, cases: []dispatchCase{{{self._cases(cases, pad)}}}}}"

    def _cases(self, cases: Iterable[tuple[str, Dispatch]], pad: str) -> str:
        lines = [f"\n{pad}\t{{{condition}, {self._then(then, pad + chr(9))}}}," for condition, then in cases]
        return "".join(lines) + (f"\n{pad}" if lines else "")

    def _then(self, dispatch: Dispatch, pad: str) -> str:
        """What follows a step: where that is a whole union again, the union."""
        if isinstance(dispatch, (Switch, Keys)) and self._model.union(dispatch.union).dispatch == dispatch:
            return f"of{self._names.own(dispatch.union)}{{}}"
        return self._dispatch(dispatch, pad)

    def flats(self, unions: Unions) -> Iterator[FlatTable]:
        """Every flat struct."""
        for name, flat in unions.flats.items():
            asked = ", ".join(f"of{self._names.own(each.name)}{{}}" for each in unions.group(name))
            yield FlatTable(
                flat.name,
                f"typ: {pointer(flat.name)}, unions: []rule{{{asked}}}, leaves: []leaf{{",
                tuple(f"{{{self.of(leaf.spec)}, {literal(leaf.marked)}}}," for leaf in flat.leaves),
                f"}}, keys: {_places(self._keys(flat))}",
            )

    def _keys(self, flat: FlatStruct) -> list[tuple[str, str]]:
        places = {place.name: place.key for place in flat.fields.values()}
        return [(places[field], field) for field in flat.discriminators if field in places]

    # What is one line.

    def enums(self) -> Iterator[LineTable]:
        """Every enum."""
        for enum in self._model.enums:
            wire = list(dict.fromkeys(value.wire for value in enum.values))
            values = (
                f"numbers: []float64{{{', '.join(map(literal, wire))}}}"
                if enum.base == "integer"
                else f"texts: {_texts(str(each) for each in wire)}"
            )
            yield LineTable(
                self._names.own(enum.name), f"name: {quoted(enum.name)}, open: {literal(enum.open)}, {values}"
            )

    def aliases(self) -> Iterator[LineTable]:
        """Every alias that contains itself."""
        for each in self._model.aliases:
            if self._shapes.is_recursive(each.name):
                own, typ = self._names.own(each.name), pointer(self._names.type(each.name))
                yield LineTable(own, f"of: {self.rule(each.type)}, typ: {typ}", _resolve(own, "alias"))

    def unknowns(self, unknowns: Iterable[GoUnknown]) -> Iterator[LineTable]:
        """Every Unknown."""
        for each in unknowns:
            yield LineTable(each.name, f"typ: {pointer(each.name)}, keys: {_places(each.discriminators)}")

    def eithers(self, eithers: Iterable[GoEither]) -> Iterator[LineTable]:
        """Every struct for a text or an object."""
        for each in eithers:
            text = self.rule(each.text_type)
            variant = self.of(each.variant_spec)
            yield LineTable(each.go, f"typ: {pointer(each.go)}, text: {text}, variant: {variant}")

    # By name.

    def named(self) -> Iterator[NamedView]:
        """Every declared type."""
        for name in self._model.declarations:
            yield NamedView(quoted(name), self.of(name), pointer(self._shapes.of(Ref(name)).go))


def _resolve(own: str, kind: str) -> str:
    return function(f"func (of{own}) resolve() any", f"return &{kind}{own}")


def pointer(go: str) -> str:
    """A nil pointer to a type."""
    return f"(*{go})(nil)"


def _constant(member: Member) -> str:
    if member.shape.kind in {"text", "bool"}:
        return member.constant
    return f"float64({member.constant})"


def _texts(texts: Iterable[str]) -> str:
    listed = ", ".join(map(quoted, texts))
    return f"[]string{{{listed}}}" if listed else "nil"


def _places(places: Iterable[tuple[str, str]]) -> str:
    listed = ", ".join(f"{{{quoted(key)}, {quoted(field)}}}" for key, field in places)
    return f"[]place{{{listed}}}" if listed else "nil"
