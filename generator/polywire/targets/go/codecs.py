"""Structs, unions and shapes in Go → the readers and writers of the package, ready to be laid out.

A reader moves a decoder along a document, a writer appends to an encoder (`runtimes/go/readers.go`, `writers.go`).
What each does is decided here, statement by statement; the templates lay the statements out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Switch
from polywire.plan import Plan
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import GoChoice, Shape, is_flat
from polywire.targets.go.structs import GoField, Member, WireStruct
from polywire.targets.go.tables import rule
from polywire.targets.go.unions import FlatStruct, GoEither, GoUnion, Variant

KINDS = {
    "string": "'\"'",
    "array": "'['",
    "object": "'{'",
    "boolean": "'t', 'f'",
    "null": "'n'",
    "number": "'-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'",
}
"""Kind of JSON value → the bytes that it begins with."""

WORDS = {"text": "Text", "bool": "Bool", "int": "Int", "float": "Float", "any": "Any", "object": "Object"}
"""Kind of shape → what the runtime's reader and writer of it are called after."""

CONSTANTS = {"text": ("constant", "constantText"), "bool": ("constantBool", "constantFlag")}
NUMBER = ("constantNumber", "constantFloat")
"""Kind of shape → what reads and what writes a constant of it."""


# --- functions by shape ----------------------------------------------------------------------------------------


def reader(shape: Shape) -> str:
    """The function that reads a shape, as a value."""
    return "readFloat" if shape.kind == "float" else _function(shape, "read", "decoder")


def writer(shape: Shape) -> str:
    """The function that writes a shape, as a value."""
    return _function(shape, "write", "encoder")


def _function(shape: Shape, verb: str, on: str) -> str:
    if shape.own and shape.kind != "map":
        return f"(*{on}).{verb}{shape.own}"
    if shape.kind in {"any", "object"}:
        return f"{verb}{WORDS[shape.kind]}"
    if shape.kind in WORDS:
        return f"{verb}{WORDS[shape.kind]}[{shape.go}]"
    return f"(*{on}).{verb}{shape.word}"


def read(shape: Shape, target: str) -> str:
    """The statement that reads a shape into the place that an expression points at."""
    item = reader(shape.item) if shape.item is not None else ""
    match shape.kind:
        case "map" if shape.own:
            return f"readKeyed(d, {target}, {item}, {shape.own})"
        case "list" | "map" | "nullable" | "nil":
            return f"read{shape.kind.capitalize()}(d, {target}, {item})"
    return f"d.read{shape.own}({target})" if shape.own else f"read{WORDS[shape.kind]}(d, {target})"


def write(shape: Shape, target: str, value: str) -> str:
    """The statement that writes the value that an expression points at; `value` is that value itself."""
    item = writer(shape.item) if shape.item is not None else ""
    match shape.kind:
        case "map" if shape.own:
            return f"writeKeyed(e, {target}, {item}, {shape.own})"
        case "nil":
            return f"writeNil(e, {target}, {value} == nil, {item})"
        case "list" | "map" | "nullable":
            return f"write{shape.kind.capitalize()}(e, {target}, {item})"
    return f"e.write{shape.own}({target})" if shape.own else f"write{WORDS[shape.kind]}(e, {target})"


def is_zero(field: Member | GoField, place: str) -> str:
    """Whether a field holds nothing, as a condition."""
    if field.form != "plain":
        return f"{place} == nil"
    if field.shape.struct:
        return f"isZero(&{place})"
    match field.shape.kind:
        case "bool":
            return f"!{place}"
        case "uuid":
            return f"blank({place})"
    return f"{place} == {field.shape.zero}"


def _is_not_zero(field: Member, place: str) -> str:
    condition = is_zero(field, place)
    if field.form == "plain" and field.shape.kind == "bool":
        return place
    return condition.replace(" == ", " != ") if " == " in condition else f"!{condition}"


# --- structs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadMember:
    """A member of an object, as it is read."""

    key: str
    seen: str
    """The variable that notes that it came, in the bit `bit`."""
    bit: int
    takes_null: bool
    """Whether null is looked for before the value."""
    at_null: str
    """The statement for a null, if it takes any."""
    read: str
    refused: tuple[str, ...]
    """Conditions under which the value is not one of this struct's."""
    zero: str
    """The condition under which the value is noted as zero, if it is, in the bit `zero_bit`."""
    zero_bit: int | None


@dataclass(frozen=True, slots=True)
class NeededView:
    """The members that must have come: a variable, and their bits in it."""

    seen: str
    bits: str


@dataclass(frozen=True, slots=True)
class ReadStruct:
    """The reader of a struct."""

    own: str
    go: str
    marks: bool
    """Whether it notes that this is the struct, in the bit `mark`."""
    mark: int | None
    seen: tuple[str, ...]
    members: tuple[ReadMember, ...]
    others: Literal["part", "validated", "kept"]
    """What becomes of undeclared members."""
    needed: tuple[NeededView, ...]
    flat: str
    """The statement that reads the flattened value from the members set aside for it, if there is one."""
    flat_required: bool
    flat_made: str
    """The statement that makes room for it, if any."""


@dataclass(frozen=True, slots=True)
class TagView:
    """The function that knows the values of a varying tag."""

    name: str
    own: str
    values: tuple[str, ...]
    others: str
    """The pattern of others, if there are any."""


def read_struct(struct: WireStruct) -> ReadStruct:
    """The reader of a struct."""
    flat = struct.flat
    place = "" if flat is None else f"v.{flat.name}"
    made = flat is not None and not flat.required and flat.form == "pointer"
    return ReadStruct(
        own=struct.own,
        go=struct.go,
        marks=struct.mark is not None,
        mark=struct.mark,
        seen=tuple(map(_seen, range(struct.words))),
        members=tuple(_read_member(struct, each) for each in struct.members if each.role != "flat"),
        others="part" if flat is not None else "validated" if struct.typed_extra else "kept",
        needed=tuple(NeededView(_seen(at), f"{bits:#x}") for at, bits in enumerate(struct.needed) if bits),
        flat="" if flat is None else f"flattened(d, rest, {'' if made else '&'}{place}, {reader(flat.shape)})",
        flat_required=flat is not None and flat.required,
        flat_made=f"{place} = new({flat.shape.go})" if flat is not None and made else "",
    )


def _seen(word: int) -> str:
    return f"seen{word or ''}"


def tag_views(struct: WireStruct) -> Iterator[TagView]:
    """The tags of a struct that vary."""
    for member in struct.members:
        if member.role == "tag":
            yield TagView(_knows(struct, member), struct.own, member.values, member.others)


def _knows(struct: WireStruct, member: Member) -> str:
    return f"tag{struct.own}{member.name}"


def _read_member(struct: WireStruct, member: Member) -> ReadMember:
    place = f"v.{member.name}"
    loose = member.form == "nil" and member.shape.kind == "any" and member.required
    zero = member.role == "field" and not loose and member.zero_bit is not None
    return ReadMember(
        key=member.quoted,
        seen=_seen(member.word),
        bit=member.bit,
        takes_null=member.role == "field" and not loose and (member.nullable or not member.required),
        at_null=_at_null(member),
        read=_read_value(member, place),
        refused=tuple(_refused(struct, member, place)),
        zero=is_zero(member, place) if zero else "",
        zero_bit=member.zero_bit,
    )


def _at_null(member: Member) -> str:
    if not member.nullable:
        return f"d.kept(&v.record, {member.quoted})"
    return "" if member.null_bit is None else f"v.record.set({member.null_bit})"


def _read_value(member: Member, place: str) -> str:
    if member.role == "constant":
        return f"{CONSTANTS.get(member.shape.kind, NUMBER)[0]}(d, &{place}, {member.constant})"
    if member.role == "tag":
        return f"readText(d, &{place})"
    if member.shape.kind == "uuid":
        return f"readSpelt(d, &{place}, &v.record, {member.quoted})"
    if member.form == "pointer":
        return f"readPointer(d, &{place}, {reader(member.shape)})"
    return read(member.shape, f"&{place}")


def _refused(struct: WireStruct, member: Member, place: str) -> Iterator[str]:
    if member.role == "tag":
        yield f"!{_knows(struct, member)}(string({place}))"
    for value in member.claimed:
        yield {"true": place, "false": f"!{place}"}.get(value, f"{place} == {value}")


@dataclass(frozen=True, slots=True)
class WriteMember:
    """A member of an object, as it is written."""

    kind: Literal["plain", "null", "flat"]
    """`null` where null stands in place of a value."""
    pad: str
    condition: str
    """The condition under which it is there, if it may be absent."""
    key: str
    label: str
    """The literals of the key, alone and as it is written."""
    refused: str
    """The condition under which the value is refused as none of a tag, if it can be."""
    write: str
    checked: bool
    """Whether writing it can fail."""
    null: str
    """The condition under which null is written."""


@dataclass(frozen=True, slots=True)
class WriteStruct:
    """The writer of a struct."""

    own: str
    go: str
    members: tuple[WriteMember, ...]


def write_struct(struct: WireStruct) -> WriteStruct:
    """The writer of a struct."""
    return WriteStruct(struct.own, struct.go, tuple(_write_member(struct, each) for each in struct.members))


def _write_member(struct: WireStruct, member: Member) -> WriteMember:
    place = f"v.{member.name}"
    refused = f"!{_knows(struct, member)}(string({place}))" if member.role == "tag" else ""
    field = member.role == "field"
    kind: Literal["null", "plain"] = "null" if field and member.required and _has_null(member) else "plain"
    return WriteMember(
        kind="flat" if member.role == "flat" else kind,
        pad="\t" if member.required else "\t\t",
        condition="" if member.required else _is_there(member, place),
        key=member.quoted,
        label=member.label,
        refused=refused,
        write=_write_value(member, place),
        checked=not field or member.shape.kind not in {"bool", "uuid"},
        null=_is_null(member, place) if field else "",
    )


def _has_null(member: Member) -> bool:
    """Whether null is written for nil or zero, rather than by what writes the value."""
    return member.nullable and not (member.form == "nil" and member.shape.kind == "any")


def _is_null(member: Member, place: str) -> str:
    noted = "" if member.null_bit is None else f"v.record.has({member.null_bit})"
    if not member.required:
        return noted
    return f"{is_zero(member, place)}{f' && {noted}' if noted else ''}"


def _is_there(member: Member, place: str) -> str:
    match member.role:
        case "flat":
            return f"{place} != nil"
        case "constant":
            return f'{place} != ""' if member.shape.kind == "text" else place
        case "tag":
            return f'{place} != ""'
    conditions = [_is_not_zero(member, place)]
    if member.zero_bit is not None:
        conditions.append(f"v.record.has({member.zero_bit})")
    if member.shape.kind == "uuid":
        conditions.append(f"v.record.isSpelt({member.quoted}, {place})")
    return " || ".join(conditions)


def _write_value(member: Member, place: str) -> str:
    match member.role:
        case "constant":
            return f"{CONSTANTS.get(member.shape.kind, NUMBER)[1]}(e, &{place}, {member.constant})"
        case "tag":
            return f"writeText(e, &{place})"
        case "flat":
            at = place if member.form == "pointer" and not member.required else f"&{place}"
            return write(member.shape, at, place)
    if member.shape.kind == "uuid":
        return f"writeSpelt(e, &{place}, &v.record, {member.quoted})"
    if member.form == "pointer" and member.required and not member.nullable:
        return f"writePointer(e, &{place}, {writer(member.shape)})"
    return write(member.shape, place if member.form == "pointer" else f"&{place}", place)


# --- dispatch --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LeafStep:
    """The variant is found."""

    pad: str
    own: str
    go: str
    flat: str
    """The flat struct that holds it, if one does."""
    is_root: bool
    """Whether that is what is read."""
    kind: Literal["leaf"] = "leaf"


@dataclass(frozen=True, slots=True)
class UnknownStep:
    """The object is of unknown type."""

    pad: str
    name: str
    is_root: bool
    kind: Literal["unknown"] = "unknown"


@dataclass(frozen=True, slots=True)
class FailStep:
    """The object is no variant."""

    pad: str
    kind: Literal["fail"] = "fail"


@dataclass(frozen=True, slots=True)
class GuessStep:
    """The variant is one of a pattern, unless it does not fit."""

    pad: str
    leaf: LeafStep
    doubt: UnknownStep | None
    kind: Literal["guess"] = "guess"


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A discriminator decides."""

    pad: str
    first: LeafStep | None
    """The variant without a flag, which is tried before the flag is looked for."""
    key: str
    look: str
    """The statement before the cases, if any."""
    subject: str
    cases: tuple[CaseStep, ...]
    default: ReadStep
    kind: Literal["branch"] = "branch"


@dataclass(frozen=True, slots=True)
class CaseStep:
    """A case of a branch."""

    condition: str
    then: ReadStep


ReadStep: TypeAlias = "LeafStep | UnknownStep | FailStep | GuessStep | BranchStep"


@dataclass(frozen=True, slots=True)
class _Walk:
    """What holds on the way through a dispatch."""

    unknown: str = ""
    """The Unknown of the outermost open union so far."""
    flat: str = ""
    is_root: bool = False
    pad: str = "\t"

    def deeper(self) -> _Walk:
        return _Walk(self.unknown, self.flat, self.is_root, self.pad + "\t")


@dataclass(frozen=True, slots=True)
class Dispatches:
    """The dispatch of unions, step by step."""

    model: Model
    names: Names

    def reading(self, union: GoUnion) -> ReadStep:
        """The steps of a union's reader."""
        return self._read(union.dispatch, _Walk(flat=union.go if union.flat else "", is_root=union.flat))

    def _read(self, dispatch: Dispatch, walk: _Walk) -> ReadStep:
        match dispatch:
            case Leaf(struct=struct):
                return self._leaf(struct, walk)
            case Switch(union=name) | Keys(union=name):
                union = self.model.union(name)
        unknown = walk.unknown or (self.names.unknown(union) if union.open else "")
        flat = walk.flat or (self.names.type(name) if is_flat(union) else "")
        walk = _Walk(unknown, flat, walk.is_root, walk.pad)
        inner = walk.deeper()
        default = UnknownStep(inner.pad, unknown, walk.is_root) if union.open else FailStep(inner.pad)
        if isinstance(dispatch, Keys):
            return self._by_keys(dispatch, walk, default)
        boolean = any(isinstance(value, bool) for value, _ in dispatch.cases)
        return self._by_flag(dispatch, walk, default) if boolean else self._by_tag(dispatch, walk, default)

    def _leaf(self, struct: str, walk: _Walk) -> LeafStep:
        return LeafStep(walk.pad, self.names.own(struct), self.names.type(struct), walk.flat, walk.is_root)

    def _by_keys(self, dispatch: Keys, walk: _Walk, default: ReadStep) -> BranchStep:
        keys = list(dict.fromkeys(key for each, _ in dispatch.cases for key in (*each.has, *each.lacks)))
        cases = []
        for each, then in dispatch.cases:
            mask = sum(1 << keys.index(key) for key in (*each.has, *each.lacks))
            want = sum(1 << keys.index(key) for key in each.has)
            cases.append(CaseStep(f"has&{mask} == {want}", self._read(then, walk.deeper())))
        subject = f"has := d.present({', '.join(map(quoted, keys))}); "
        return BranchStep(walk.pad, None, "", "", subject, tuple(cases), default)

    def _by_tag(self, dispatch: Switch, walk: _Walk, default: ReadStep) -> BranchStep:
        inner = walk.deeper()
        absent = FailStep(inner.pad) if dispatch.absent is None else self._read(dispatch.absent, inner)
        cases = [CaseStep("!there", absent)]
        cases += [CaseStep(f"tag == {quoted(str(value))}", self._read(then, inner)) for value, then in dispatch.cases]
        cases += [
            CaseStep(f"glob({quoted(glob)}, tag)", self._guess(struct, inner)) for glob, struct in dispatch.others
        ]
        look = f"{'tag' if len(cases) > 1 else '_'}, there := d.tag({quoted(dispatch.key)})"
        return BranchStep(walk.pad, None, quoted(dispatch.key), look, "", tuple(cases), default)

    def _by_flag(self, dispatch: Switch, walk: _Walk, default: ReadStep) -> BranchStep:
        inner = walk.deeper()
        cases = []
        first = None
        if dispatch.absent is None:
            cases.append(CaseStep("!there", FailStep(inner.pad)))
        else:
            default = self._read(dispatch.absent, inner)
            if isinstance(dispatch.absent, Leaf):
                first = self._leaf(dispatch.absent.struct, inner)
        for value, then in dispatch.cases:
            cases.append(CaseStep(f"there && {'' if value else '!'}flag", self._read(then, inner)))
        key = quoted(dispatch.key)
        return BranchStep(walk.pad, first, key, f"flag, there := d.flag({key})", "", tuple(cases), default)

    def _guess(self, struct: str, walk: _Walk) -> GuessStep:
        doubt = UnknownStep(walk.pad + "\t", walk.unknown, walk.is_root) if walk.unknown else None
        return GuessStep(walk.pad, self._leaf(struct, walk), doubt)

    def writing(self, union: GoUnion) -> WriteStep:
        """The steps of the writer of a union whose variants share a struct."""
        return self._write(union.dispatch, f"e.stray{union.go}(v)", "\t")

    def _write(self, dispatch: Dispatch | None, stray: str, pad: str) -> WriteStep:
        inner = pad + "\t"
        match dispatch:
            case Leaf(struct=struct):
                return WriteStep(pad, f"e.write{self.names.own(struct)}(v.to{self.names.own(struct)}())")
            case Switch(key=key, cases=cases, others=others, absent=absent):
                field = f"v.{self.names.member(key)}"
            case _:
                return WriteStep(pad, stray)
        found = []
        boolean = any(isinstance(value, bool) for value, _ in cases)
        for value, then in cases:
            condition = f"{'' if value else '!'}{field}" if boolean else f"tag == {quoted(str(value))}"
            found.append(WriteCase(condition, self._write(then, stray, inner)))
        if absent is not None and not boolean:
            found.append(WriteCase('tag == ""', self._write(absent, stray, inner)))
        for glob, struct in () if boolean else others:
            found.append(WriteCase(f"glob({quoted(glob)}, tag)", self._write(Leaf(struct), stray, inner)))
        default = self._write(absent if boolean else None, stray, inner)
        return WriteStep(pad, "", "" if boolean else f"tag := string({field}); ", tuple(found), default)


@dataclass(frozen=True, slots=True)
class WriteStep:
    """A step to the variant that a flat struct holds: a statement, or else a discriminator that decides."""

    pad: str
    statement: str
    subject: str = ""
    cases: tuple[WriteCase, ...] = ()
    default: WriteStep | None = None


@dataclass(frozen=True, slots=True)
class WriteCase:
    """A case of a step."""

    condition: str
    then: WriteStep


# --- unions, choices, others -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadUnion:
    """The reader of a union."""

    own: str
    go: str
    step: ReadStep


@dataclass(frozen=True, slots=True)
class ReadTag:
    """A discriminator of an Unknown."""

    key: str
    field: str


@dataclass(frozen=True, slots=True)
class ReadUnknown:
    """The reader of an Unknown."""

    name: str
    tags: tuple[ReadTag, ...]


@dataclass(frozen=True, slots=True)
class VariantCase:
    """A variant of an interface: its Go type, and what its writer is called after."""

    go: str
    own: str


@dataclass(frozen=True, slots=True)
class WriteUnion:
    """The writer of a union."""

    own: str
    go: str
    step: WriteStep | None
    """Of one whose variants share a struct."""
    cases: tuple[VariantCase, ...]
    """Of an interface."""


@dataclass(frozen=True, slots=True)
class FlatCase:
    """A condition under which a flat struct is written as a variant."""

    go: str
    own: str
    condition: str


@dataclass(frozen=True, slots=True)
class WriteFlat:
    """The writers of a flat struct, whatever the union."""

    name: str
    key: str
    stray: tuple[FlatCase, ...]
    """In the order in which they are tried."""
    inner: tuple[FlatCase, ...]


def write_union(union: GoUnion, dispatches: Dispatches) -> WriteUnion:
    """The writer of a union."""
    cases = [VariantCase(go, own) for go, own in union.cases] + [VariantCase(name, name) for name in union.unknowns]
    return WriteUnion(union.own, union.go, dispatches.writing(union) if union.flat else None, tuple(cases))


def write_flat(flat: FlatStruct, key: str, conditions: dict[str, str]) -> WriteFlat:
    """The writers of a flat struct; `conditions` has that of each variant which its tags tell."""
    told = [leaf for leaf in flat.leaves if leaf.own in conditions]
    stray = [
        *(
            _flat_case(leaf, [f"v.record.has({leaf.mark})", conditions[leaf.own]])
            for leaf in told
            if leaf.mark is not None
        ),
        *(_flat_case(leaf, [conditions[leaf.own]]) for leaf in told),
        *(FlatCase(leaf.go, leaf.own, conditions[leaf.own]) for leaf in told if leaf.foreign),
    ]
    inner = [FlatCase(leaf.go, leaf.own, conditions[leaf.own]) for leaf in told]
    return WriteFlat(flat.name, key, tuple(stray), tuple(inner))


def _flat_case(leaf: Variant, conditions: list[str]) -> FlatCase:
    """The case in which nothing is set that the variant lacks."""
    return FlatCase(leaf.go, leaf.own, all_of([*conditions, *(is_zero(f, f"v.{f.name}") for f in leaf.foreign)]))


def all_of(conditions: list[str]) -> str:
    """Conditions joined; alternatives among others are in brackets."""
    if len(conditions) == 1:
        return conditions[0]
    return " && ".join(f"({each})" if "||" in each else each for each in conditions)


@dataclass(frozen=True, slots=True)
class ChoiceMember:
    """A kind of value of a choice."""

    begins: str
    """The bytes that it begins with."""
    go: str
    is_null: bool
    is_struct: bool
    read: str
    write: str
    writer: str


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """The reader and the writer of a choice."""

    name: str
    read: tuple[ChoiceMember, ...]
    written: tuple[ChoiceMember, ...]
    nullable: bool
    expected: str
    rule: str


def choice_view(choice: GoChoice, plan: Plan) -> ChoiceView:
    """The reader and the writer of a choice."""
    members = [_choice_member(each.kind, each.shape) for each in choice.members]
    values = [each for each in members if not each.is_null]
    nulls = [each for each in members if each.is_null]
    by_type = tuple({each.go: each for each in values}.values())
    return ChoiceView(
        choice.name,
        (*by_type, *nulls),
        by_type,
        bool(nulls),
        " or ".join(member.kind for member in choice.members),
        rule(plan.operation(choice.type)),
    )


def _choice_member(kind: str, shape: Shape) -> ChoiceMember:
    return ChoiceMember(
        KINDS[kind],
        shape.go,
        kind == "null",
        shape.struct,
        read(shape, "x" if shape.struct else "&x"),
        write(shape, "&x", "x"),
        writer(shape),
    )


@dataclass(frozen=True, slots=True)
class EitherView:
    """The reader and the writer of a flat struct for a text or an object."""

    own: str
    go: str
    variant: str
    variant_own: str


def either_view(either: GoEither) -> EitherView:
    """The reader and the writer of such a struct."""
    return EitherView(either.own, either.go, either.variant, either.variant_own)


@dataclass(frozen=True, slots=True)
class HelperView:
    """The reader and the writer of a shape that is made of others."""

    word: str
    go: str
    read: str
    write: str


def helper_view(shape: Shape) -> HelperView:
    """The reader and the writer of such a shape."""
    return HelperView(shape.word, shape.go, read(shape, "v"), write(shape, "v", "*v"))


@dataclass(frozen=True, slots=True)
class ClosedEnum:
    """The reader and the writer of a closed enum."""

    own: str
    name: str
    known: str
    """The condition under which `*v` is declared."""
    word: str
    """What the runtime's reader and writer of its values are called after."""
