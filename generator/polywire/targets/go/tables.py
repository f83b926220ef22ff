"""The plan → the tables of the Go package, as its engine reads them (`runtimes/go/rules.go`).

A rule is an expression that describes a type of the spec to the engine. For a declared type, it is a value whose method
returns the table: a nil pointer to the Go type, or `of…{}` if the Go type is an interface or belongs to another
declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.ground.json_values import dumps
from polywire.model.nodes import Alias, Dispatch, Enum, Keys, Leaf, Model, OnError, Struct, Switch, Union
from polywire.plan import Plan
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.go.layout import function, literal, quoted, wire_value
from polywire.targets.go.names import Names, override
from polywire.targets.go.shapes import GoChoice, Shapes, is_flat
from polywire.targets.go.structs import Member, Structs, WireStruct
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
    resolve: str = ""
    """This method."""


@dataclass(frozen=True, slots=True)
class NamedView:
    """A declared type for lookups by name."""

    spec: str
    rule: str
    typ: str


class Tables:
    """Builds the tables of a package."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, structs: Structs) -> None:
        self._plan = plan
        self._model: Model = plan.model
        self._names = names
        self._shapes = shapes
        self._structs = structs

    # Rules.

    def rule(self, type_: Type) -> str:
        """The rule of a type."""
        match type_:
            case Scalar(kind=kind, low=low, high=high):
                return (
                    f"&bounded{{{SCALARS[kind]}, {wire_value(low)}, {wire_value(high)}}}"
                    if type_.is_bounded
                    else SCALARS[kind]
                )
            case LiteralType(value=value):
                return f"&literal{{{wire_value(value)}}}"
            case TupleType(items=items):
                return f"&tuple{{[]rule{{{', '.join(map(self.rule, items))}}}}}"
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
        """The rule of a choice, with the Go type of each kind of value."""
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
        return pointer(f"of{self._names.own(declared.name)}")

    def of(self, name: str) -> str:
        """The rule of a declaration."""
        return self.rule(Ref(name))

    def member(self, member: Member) -> str:
        """The rule of a field without null, which is given by its flags."""
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

    def all(self, unions: Unions) -> Iterator[TableView]:
        """Every table."""
        for struct in self._model.structs:
            yield self._struct(struct, self._structs.view(struct.name))
        yield from self._unions(unions)
        yield from self._flats(unions)
        for either in unions.eithers():
            text, variant = self.rule(either.text_type), self.of(either.variant_spec)
            yield _table("either", either.go, f"typ: {pointer(either.go)}, text: {text}, variant: {variant}")
        for unknown in unions.unknowns():
            yield _table(
                "unknown", unknown.name, f"typ: {pointer(unknown.name)}, keys: {_places(unknown.discriminators)}"
            )
        yield from self._aliases()
        yield from self._enums()

    def _struct(self, struct: Struct, view: WireStruct) -> TableView:
        rest = []
        if struct.extra is not None:
            rest.append(f"extra: {self.rule(struct.extra)}")
        if view.marked:
            rest.append("marked: true")
        shared = [self.of(each.spec) for each in self._structs.marked(struct.name)]
        if shared:
            rest.append(f"shared: []rule{{{', '.join(shared)}}}")
        return _table(
            "table",
            view.own,
            f"name: {quoted(struct.name)}, typ: {pointer(view.go)}, rows: []row{{",
            (f"{self._row(each)}," for each in view.members),
            "".join(["}", *(f", {each}" for each in rest)]),
            leads=override(struct.about, "as") is not None,
        )

    def _row(self, member: Member) -> str:
        flags = [flag for flag, there in (("required", member.required), ("nullable", member.nullable)) if there]
        match member.role:
            case "constant":
                flags.append("constant")
                of = f"&literal{{{_constant(member)}}}"
            case "tag":
                flags.append("varying")
                of = self._tag(member)
            case "flat":
                flags.append("flattened")
                of = self.member(member)
            case "field":
                of = _repaired(self.member(member), member.on_error)
        if member.claimed:
            of = f"&claiming{{{of}, []any{{{', '.join(member.claimed)}}}}}"
        return f"{{{quoted(member.key)}, {quoted(member.name)}, {' | '.join(flags) or '0'}, {of}}}"

    def _tag(self, member: Member) -> str:
        """The rule of a varying tag: an enum, optionally with the pattern of other values; or a prefix."""
        tag = member.tag
        if tag is None:
            raise AssertionError(member)
        if tag.prefix is not None:
            return f"&varied{{isString, prefix({quoted(tag.prefix)})}}"
        of = f"&{self.enum(tag.enum)}" if tag.enum else f"&enum{{{_values(tag.values)}}}"
        return f"&varied{{{of}, {quoted(tag.others)}}}" if tag.others else of

    # Unions.

    def _unions(self, unions: Unions) -> Iterator[TableView]:
        for each in unions.views():
            flat = f", flat: &flat{each.go}" if each.flat else ""
            text = f"name: {quoted(each.spec)}, typ: {pointer(each.go)}{flat}, by: {self._dispatch(each.dispatch, '')}"
            yield _table("union", each.own, text, leads=True)

    def _dispatch(self, dispatch: Dispatch, pad: str) -> str:
        """The expression of a dispatch; its lines but the first are indented by `pad`."""
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
        if dispatch.prefixes:
            prefixes = ((quoted(begins), then) for begins, then in dispatch.prefixes)
            head.append(f"prefixes: []dispatchPrefix{{{self._cases(prefixes, pad)}}}")
        cases = [(scalar_value(value), then) for value, then in dispatch.cases]
        return f"&dispatch{{{', '.join(head)}, cases: []dispatchCase{{{self._cases(cases, pad)}}}}}"

    def _cases(self, cases: Iterable[tuple[str, Dispatch]], pad: str) -> str:
        lines = [f"\n{pad}\t{{{condition}, {self._then(then, pad + chr(9))}}}," for condition, then in cases]
        return "".join(lines) + (f"\n{pad}" if lines else "")

    def _then(self, dispatch: Dispatch, pad: str) -> str:
        """The next dispatch after a step; the union itself if the dispatch is that of a whole union."""
        if isinstance(dispatch, (Switch, Keys)) and self._model.union(dispatch.union).dispatch == dispatch:
            return pointer(f"of{self._names.own(dispatch.union)}")
        return self._dispatch(dispatch, pad)

    def _flats(self, unions: Unions) -> Iterator[TableView]:
        for name, flat in unions.flats.items():
            asked = ", ".join(pointer(f"of{self._names.own(each.name)}") for each in unions.group(name))
            yield _table(
                "flat",
                flat.name,
                f"typ: {pointer(flat.name)}, unions: []rule{{{asked}}}, leaves: []leaf{{",
                (f"{{{self.of(leaf.spec)}, {literal(leaf.marked)}}}," for leaf in flat.leaves),
                f"}}, keys: {_places(self._keys(flat))}",
            )

    def _keys(self, flat: FlatStruct) -> list[tuple[str, str]]:
        places = {place.name: place.key for place in flat.fields.values()}
        return [(places[field], field) for field in flat.discriminators if field in places]

    def _enums(self) -> Iterator[TableView]:
        for enum in self._model.enums:
            wire = list(dict.fromkeys(value.wire for value in enum.values))
            head = f"name: {quoted(enum.name)}, open: {literal(enum.open)}, {_values(wire)}"
            yield _table("enum", self._names.own(enum.name), head)

    def _aliases(self) -> Iterator[TableView]:
        """The tables of aliases that contain themselves."""
        for each in self._model.aliases:
            if self._shapes.is_recursive(each.name):
                head = f"of: {self._recurring(each.type)}, typ: {pointer(self._names.type(each.name))}"
                yield _table("alias", self._names.own(each.name), head, leads=True)

    def _recurring(self, type_: Type) -> str:
        """The rule of an alias that contains itself; a tuple is held as any, like a choice with one alternative."""
        if isinstance(type_, TupleType):
            return self.choice(GoChoice(self._shapes.members(type_)))
        other = self._shapes.or_null(type_) if isinstance(type_, Choice) else None
        return self.rule(type_) if other is None else f"&orNull{{{self._recurring(other)}}}"

    # Lookup by name.

    def named(self) -> Iterator[NamedView]:
        """All declared types."""
        for name in self._model.declarations:
            yield NamedView(quoted(name), self.of(name), pointer(self._shapes.of(Ref(name)).go))


def _table(
    kind: str, own: str, head: str, rows: Iterable[str] = (), tail: str = "", *, leads: bool = False
) -> TableView:
    """A table of a kind; with `leads`, a separate type returns it."""
    of = f"of{own}" if leads else ""
    resolve = function(f"func (*{of}) resolve() any", f"return &{kind}{own}")
    return TableView(f"{kind}{own}", f"{kind}{{{head}", tuple(rows), f"{tail}}}", of, resolve)


def pointer(go: str) -> str:
    """The expression of a nil pointer to a type."""
    return f"(*{go})(nil)"


def scalar_value(value: str | bool | int) -> str:
    """A string, boolean or integer as decoders return it in a field of type any."""
    return literal(value) if isinstance(value, (str, bool)) else f"int64({value})"


def _constant(member: Member) -> str:
    return {"number": f"float64({member.constant})", "int": f"int64({member.constant})"}.get(
        member.shape.kind, member.constant
    )


def _repaired(rule: str, on_error: OnError | None) -> str:
    """The rule of a field whose value lenient mode repairs."""
    if on_error is None:
        return rule
    value = quoted(dumps(on_error.value)) if on_error.replaces else '""'
    return f"&repaired{{{rule}, {literal(on_error.skip)}, {literal(on_error.absent)}, {value}}}"


def _values(values: Iterable[str | int]) -> str:
    """The values of an enum."""
    values = list(values)
    if all(isinstance(each, int) for each in values):
        return f"numbers: []float64{{{', '.join(map(literal, values))}}}"
    return f"texts: {_texts(map(str, values))}"


def _texts(texts: Iterable[str]) -> str:
    listed = ", ".join(map(quoted, texts))
    return f"[]string{{{listed}}}" if listed else "nil"


def _places(places: Iterable[tuple[str, str]]) -> str:
    listed = ", ".join(f"{{{quoted(key)}, {quoted(field)}}}" for key, field in places)
    return f"[]place{{{listed}}}" if listed else "nil"
