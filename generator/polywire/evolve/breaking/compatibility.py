"""A type as one peer writes it and as another reads it → what happens to the values on the way.

The writer is assumed to write what its own spec declares. A declaration that both sides have under one name (or a
former name) is compared once where it is declared, and not again wherever it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import TypeAlias

from polywire.evolve.diff.members import Member, members
from polywire.ground.json_values import equal
from polywire.model.nodes import Const, Declaration, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import structs_of, without_alias
from polywire.plan.rows import kinds
from polywire.source.types import NULL, Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type


class Verdict(IntEnum):
    """What happens to a value, from best to worst."""

    SAME = 0
    """It is read as it was written."""
    UNKNOWN = 1
    """It is kept as an unknown value, or one of the wrong format: strict mode rejects it."""
    LOST = 2
    """It is read as something else, or not found where it is expected."""
    REFUSED = 3
    """It cannot be read: the line is an error."""


SAME, UNKNOWN, LOST, REFUSED = Verdict

_FORMS = frozenset({"string", "uuid", "timestamp"})
_ANY = Scalar("json")

_Types: TypeAlias = "tuple[Type, Type]"
"""A type of the writer, and the reader's type for the same values."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, default=SAME)


def content(member: Member) -> Type:
    """Return the type of a member's values, including null if it is allowed."""
    match member.made:
        case Field(type=type_, nullable=nullable):
            return Choice((type_, NULL)) if nullable and type_ != _ANY else type_
        case Tag(constant=bool()) | Const(value=bool()):
            return Scalar("boolean")
        case Const(value=int() | float()):
            return Scalar("number")
        case Tag() | Const():
            return Scalar("string")


def is_required(member: Member) -> bool:
    """Return whether the member is always present."""
    match member.made:
        case Field(required=required):
            return required
        case Tag(optional=optional):
            return not optional
        case Const():
            return True


class Compatibility:
    """One direction: the writer uses one model and the reader the other."""

    def __init__(self, writer: Model, reader: Model, counterparts: Mapping[str, str]) -> None:
        self.writer = writer
        self.reader = reader
        self.counterparts = counterparts
        """The writer's declarations → those of the reader."""

    def types(self, written: Type, read: Type) -> Verdict:
        """Return what happens to the values of a type."""
        return self._worst([(written, read)])

    def _worst(self, pairs: list[_Types], verdict: Verdict = SAME) -> Verdict:
        """Return the worst verdict on pairs of types and on everything inside them; each pair is compared once."""
        seen: set[_Types] = set()
        while pairs and verdict != REFUSED:
            pair = pairs.pop()
            if pair not in seen:
                seen.add(pair)
                verdict = max(verdict, self._pair(*pair, pairs))
        return verdict

    def _pair(self, written: Type, read: Type, inner: list[_Types]) -> Verdict:
        """Compare two types by themselves, and add the pairs of types inside them to `inner`."""
        if read == _ANY or self._are_counterparts(written, read):
            return SAME
        written = without_alias(written, self.writer.declarations)
        read = without_alias(read, self.reader.declarations)
        if isinstance(written, Choice):
            inner += [(member, read) for member in written.members]
            return SAME
        if isinstance(read, Choice):
            mine = set(kinds(self.writer, written))
            takers = [member for member in read.members if mine & set(kinds(self.reader, member))]
            inner += [(written, member) for member in takers]
            return SAME if mine <= {kind for member in takers for kind in kinds(self.reader, member)} else REFUSED
        return self._plain(written, read, inner)

    def _are_counterparts(self, written: Type, read: Type) -> bool:
        """Return whether both are the same declaration, and of the same kind on both sides."""
        if not (
            isinstance(written, Ref) and isinstance(read, Ref) and self.counterparts.get(written.name) == read.name
        ):
            return False
        return type(self.writer.declarations[written.name]) is type(self.reader.declarations[read.name])

    def _plain(self, written: Type, read: Type, inner: list[_Types]) -> Verdict:
        """Compare types that are neither aliases nor inline unions."""
        match written, read:
            case Scalar(kind=one), Scalar(kind=other):
                return max(_scalars(one, other), UNKNOWN if _tighter(written, read) else SAME)
            case (LiteralType(), _) | (_, LiteralType()):
                return self._literals(written, read)
            case (TupleType(), _) | (_, TupleType()):
                return self._tuples(written, read, inner)
            case ((Map() | Ref()), Scalar(kind="object")):
                return SAME if "object" in kinds(self.writer, written) else REFUSED
            case Array(item=item), Array():
                inner.append((item, read.item))
                return UNKNOWN if _tighter(written, read) else SAME
            case Map(value=value, key=key), Map():
                inner.append((value, read.value))
                return self._keys(key, read.key)
            case ((Scalar(kind="object") | Struct() | Ref()), Map(value=value, key=None)) if value == _ANY:
                return SAME
            case Ref(name=name), Ref(name=other_name):
                return self._declared(self.writer.declarations[name], self.reader.declarations[other_name], inner)
            case Ref(name=name), Scalar(kind=kind):
                declared = self.writer.declarations[name]
                return _scalars(declared.base, kind) if isinstance(declared, Enum) else REFUSED
            case Scalar(kind=kind), Ref(name=name):
                return self._into_enum(kind, self.reader.declarations[name])
        return REFUSED

    def _literals(self, written: Type, read: Type) -> Verdict:
        match written, read:
            case LiteralType(value=one), LiteralType(value=other):
                return SAME if equal(one, other) else REFUSED
            case LiteralType(kind=one), Scalar(kind=other):
                return _scalars(one, other)
            case LiteralType(), Ref(name=name):
                return self._literal_into_enum(written, self.reader.declarations[name])
            case Ref(name=name), LiteralType(value=value):
                return self._enum_into_literal(self.writer.declarations[name], value)
        return REFUSED

    def _tuples(self, written: Type, read: Type, inner: list[_Types]) -> Verdict:
        match written, read:
            case TupleType(items=ours), TupleType(items=theirs) if len(ours) == len(theirs):
                inner += zip(ours, theirs, strict=True)
                return SAME
            case TupleType(items=items), Array(item=item, low=low, high=high):
                tighter = len(items) < (low or 0) or (high is not None and len(items) > high)
                inner += [(one, item) for one in items]
                return UNKNOWN if tighter else SAME
            case Array(item=item, low=low, high=high), TupleType(items=items) if low == high == len(items):
                inner += [(item, one) for one in items]
                return SAME
        return REFUSED

    def _literal_into_enum(self, written: LiteralType, read: Declaration) -> Verdict:
        if not isinstance(read, Enum):
            return REFUSED
        if any(equal(written.value, each.wire) for each in read.values):
            return SAME
        return self._into_enum(written.kind, read)

    def _enum_into_literal(self, written: Declaration, value: object) -> Verdict:
        """Compare an enum with a literal: a peer may send any other value of an open enum."""
        if not isinstance(written, Enum) or not all(equal(value, each.wire) for each in written.values):
            return REFUSED
        return SAME

    def _into_enum(self, kind: str, read: Declaration) -> Verdict:
        """Compare a scalar with an enum, whose reader may get any value."""
        if not isinstance(read, Enum) or _scalars(kind, read.base) == REFUSED:
            return REFUSED
        return UNKNOWN if read.open else REFUSED

    def _keys(self, written: str | None, read: str | None) -> Verdict:
        if read is None or self.counterparts.get(written or "") == read:
            return SAME
        keys = self.reader.enum(read)
        if written is None:
            return self._into_enum("string", keys)
        return self.enums(self.writer.enum(written), keys)

    # --- declarations that are not counterparts ----------------

    def _declared(self, written: Declaration, read: Declaration, inner: list[_Types]) -> Verdict:
        match written, read:
            case Enum(), Enum():
                return self.enums(written, read)
            case Struct(), Struct():
                return self._structs(written, read, inner)
            case Struct(), Union():
                return self._into_union((written.name,), read)
            case Union(), Union():
                return REFUSED if written.open and not read.open else self._into_union(_leaves(written), read)
            case Union(open=False), Struct():
                same = all(self.counterparts.get(name) == read.name for name in _leaves(written))
                return SAME if same else REFUSED
        return REFUSED

    def enums(self, written: Enum, read: Enum) -> Verdict:
        """Return what happens to the values of an enum when read as another."""
        if written.base != read.base:
            return REFUSED
        known = {value.wire for value in read.values}
        if written.open and not read.open:
            return REFUSED
        new = any(value.wire not in known for value in written.values)
        return (UNKNOWN if read.open else REFUSED) if new else SAME

    def _into_union(self, written: Iterable[str], read: Union) -> Verdict:
        inside = _leaves(read)
        here = all(self.counterparts.get(name) in inside for name in written)
        tagged = all((tag := self.writer.struct(name).tag(read.by)) and not tag.optional for name in written)
        return SAME if here and (tagged or read.by == "keys") else LOST

    def structs(self, written: Struct, read: Struct) -> Verdict:
        """Return what happens to the objects of a struct when read as another."""
        inner: list[_Types] = []
        return self._worst(inner, self._structs(written, read, inner))

    def _structs(self, written: Struct, read: Struct, inner: list[_Types]) -> Verdict:
        mine, theirs = members(written), members(read)
        found = [REFUSED for key, member in theirs.items() if is_required(member) and not _always(mine.get(key))]
        for key, member in mine.items():
            if key in theirs:
                found.append(self._members(member, theirs[key], inner))
            elif read.extra is None:
                found.append(UNKNOWN)
            else:
                inner.append((content(member), read.extra))
        return worst(found)

    def members(self, written: Member, read: Member) -> Verdict:
        """Return what happens to the values of a member."""
        inner: list[_Types] = []
        return self._worst(inner, self._members(written, read, inner))

    def _members(self, written: Member, read: Member, inner: list[_Types]) -> Verdict:
        if is_required(read) and not is_required(written):
            return REFUSED
        if not isinstance(read.made, Field):
            return SAME if _fixed(written) == _fixed(read) else REFUSED
        inner.append((_value(written), read.made.type))
        null = isinstance(written.made, Field) and written.made.nullable and not read.made.nullable
        return (REFUSED if read.made.required else UNKNOWN) if null else SAME


def _value(member: Member) -> Type:
    """Return the type of a member's values, without null."""
    return member.made.type if isinstance(member.made, Field) else content(member)


def _fixed(member: Member) -> tuple[object, ...] | None:
    """Return the values of a tag or constant; None for a field, which may have any value."""
    match member.made:
        case Tag(constant=constant, values=values, enum=enum):
            return type(constant), constant, values, enum
        case Const(value=value):
            return type(value), value, (), None
        case Field():
            return None


def _always(member: Member | None) -> bool:
    return member is not None and is_required(member)


def _leaves(union: Union) -> tuple[str, ...]:
    return structs_of(union.dispatch)


def _tighter(written: Scalar | Array, read: Scalar | Array) -> bool:
    """Return whether the reader's bounds exclude values that the writer's bounds allow."""
    low = read.low is not None and (written.low is None or read.low > written.low)
    return low or (read.high is not None and (written.high is None or read.high < written.high))


def _scalars(written: str, read: str) -> Verdict:
    if written == read or (written, read) == ("integer", "number"):
        return SAME
    if {written, read} <= _FORMS:
        return SAME if read == "string" else UNKNOWN
    return REFUSED
