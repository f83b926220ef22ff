"""The plan → the table of the package: a row of JSON text for each declaration, which the runtime's `_rows` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from polywire.model.nodes import Alias, Dispatch, Enum, Keys, Leaf, Struct, Switch
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.rows import by_kind, repair
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.python.names import Names

REQUIRED, NULLABLE, FLATTEN = 1, 2, 4


class Rows:
    """The rows of a plan, each as pieces of its text, between which a line may be broken."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self._plan = plan
        self._names = names

    def all(self) -> Iterator[tuple[str, list[str]]]:
        """Python name and pieces of each row, in the order of the declarations."""
        for name, declared in self._plan.model.declarations.items():
            match declared:
                case Enum(base=base, open=is_open, values=values):
                    yield self._row("enum", name, [base, is_open], [value.wire for value in values])
                case Alias(type=type_):
                    yield self._row("alias", name, [self.type(type_)])
                case Struct():
                    yield self._struct(declared)
                case _:
                    unknown = self._names.unknown(declared) if declared.open else None
                    yield self._row("union", name, [declared.open, unknown, self._dispatch(declared.dispatch)])

    def _row(self, kind: str, name: str, parts: list[Any], listed: list[Any] | None = None) -> tuple[str, list[str]]:
        pieces = _listed([kind, name, *parts], closed=listed is None)
        if listed is not None:
            pieces += [*_listed(listed), "]"]
        return self._names.type(name), pieces

    def _struct(self, struct: Struct) -> tuple[str, list[str]]:
        members = [self._member(each) for each in self._plan.structs[struct.name].members]
        local = [self._names.field(field) for field in struct.fields if not field.travels]
        tail = f",{_text(None if struct.extra is None else self.type(struct.extra))},{_text(local)}]"
        return self._names.type(struct.name), [*_listed(["struct", struct.name], closed=False), *_listed(members), tail]

    def _member(self, member: Member) -> list[Any]:
        if member.field is None:
            if member.tag is not None and member.tag.optional:
                return ["?", member.key, self._names.tag(member.tag), member.constant]
            if member.role == "tag" and type(member.constant) is int:
                return ["=", member.key, member.constant, True]
            return ["=", member.key, member.constant]
        attribute = self._names.field(member.field)
        if member.tag is not None:
            values = self._names.type(member.tag.enum) if member.tag.enum else list(member.tag.values)
            row = ["#", member.key, attribute, member.tag.optional, values, member.tag.others]
            return row if member.tag.prefix is None else [*row, member.tag.prefix]
        flags = REQUIRED * (member.presence.startswith("required"))
        flags |= NULLABLE * member.presence.endswith("nullable") | FLATTEN * (member.role == "flattened")
        row = [".", member.key, attribute, flags, self.type(member.field.type)]
        rest: list[Any] = [list(member.claimed), member.field.claimed_prefixes, repair(member.field.on_error)]
        while rest and not rest[-1]:
            rest.pop()
        return [*row, *rest]

    def type(self, type_: Type) -> Any:
        """A type expression in the format of rows."""
        match type_:
            case Scalar(kind=kind, low=low, high=high):
                return ["<", kind, low, high] if type_.is_bounded else kind
            case LiteralType(value=value):
                return ["=", value]
            case TupleType(items=items):
                return ["()", [self.type(item) for item in items]]
            case Ref(name=name):
                return self._names.type(name)
            case Array(item=item, low=low, high=high):
                return ["[]", self.type(item), low, high]
            case Map(value=value, key=key):
                return ["{}", self.type(value), None if key is None else self._names.type(key)]
            case Choice(members=members):
                return ["|", {kind: self.type(each) for kind, each in by_kind(self._plan.model, members)}]

    def _dispatch(self, dispatch: Dispatch) -> Any:
        match dispatch:
            case Leaf(struct=struct):
                return self._names.type(struct)
            case Switch(union=union, key=key, cases=cases, others=others, absent=absent):
                row = [
                    "switch",
                    self._names.type(union),
                    key,
                    [[value, self._dispatch(then)] for value, then in cases],
                    [[glob, self._names.type(struct)] for glob, struct in others],
                    None if absent is None else self._dispatch(absent),
                ]
                prefixes = [[prefix, self._dispatch(then)] for prefix, then in dispatch.prefixes]
                return [*row, prefixes] if prefixes else row
            case Keys(union=union, cases=conditions):
                choices = [[each.has, each.lacks, self._dispatch(then)] for each, then in conditions]
                return ["keys", self._names.type(union), choices]


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _listed(values: list[Any], *, closed: bool = True) -> list[str]:
    """A list as pieces; one that is not closed ends with a comma."""
    pieces = [_text(value) + "," for value in values]
    if closed:
        pieces = [*pieces[:-1], pieces[-1][:-1] + "]"] if pieces else ["]"]
    return ["[" + pieces[0], *pieces[1:]]
