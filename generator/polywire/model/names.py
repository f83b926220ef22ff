"""Type expressions and names as written → types in which every name is declared.

An undeclared name is reported once where it is used, and replaced by `json`, so that the rest of the model can be built
and checked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from polywire.ground.location import SourceLocation
from polywire.model.declared import KIND_WORDS, Kind
from polywire.source.expr import NOTHING, RESERVED, SCALARS, Expression, Use, instead_of, parse, parse_answer
from polywire.source.report import Faults
from polywire.source.tree import Text
from polywire.source.types import NULL, Choice, Map, Ref, Scalar, Type, mapped

JSON = Scalar("json")


class Names:
    """The declared names and their kinds."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        integers: Collection[str],
        faults: Faults,
        removed: Mapping[str, SourceLocation],
        lost: Collection[str],
        called: Mapping[str, str],
        elsewhere: Collection[str],
        strays: Mapping[str, str],
        *,
        complete: bool,
    ) -> None:
        self.kinds = kinds
        self._integers = integers
        self._faults = faults
        self.removed = removed
        self._lost = lost
        self._called = called
        self._elsewhere = elsewhere
        self._strays = strays
        self._complete = complete

    def called(self, name: str) -> str:
        """The name of a declaration in the current release; the spec refers to it by its newest name."""
        return self._called.get(name, name)

    def is_there(self, name: str) -> bool:
        """Whether the current release has a declaration that some release has."""
        return self.called(name) not in self._elsewhere

    def type(self, written: Text) -> Type:
        """The type of an expression."""
        found = self._resolved(written, parse(written.text), "a type")
        return JSON if found is None else found

    def answer(self, written: Text) -> tuple[Type | None, bool]:
        """The type of a control's response, and whether a response may have no payload."""
        expression = parse_answer(written.text)
        found = self._resolved(written, expression, _ANSWER)
        return found, expression.none and found is not None

    def is_a(self, name: Text, wanted: tuple[Kind, ...], use: str) -> bool:
        """Whether the name is declared as one of the wanted kinds; a finding if not. `use` describes its role."""
        return self._is_a(name.text, name.place, wanted, use)

    def _resolved(self, written: Text, expression: Expression, used_as: str) -> Type | None:
        bad = [use for use in expression.uses if not self._fits(use, written, used_as)]
        type_ = expression.type
        if type_ is None:
            return None
        if bad:
            names = {use.name for use in bad if not use.key}
            keys = {use.name for use in bad if use.key}
            type_ = without(type_, names, keys)
        return renamed(type_, self._called) if any(use.name in self._called for use in expression.uses) else type_

    def _fits(self, use: Use, written: Text, used_as: str) -> bool:
        place = written.at(use.offset)
        if use.key and self.called(use.name) in self._integers:
            self._faults.add("bad-type", place, f"`{use.name}` is an enum of integers, but keys are strings")
            return False
        if use.key:
            return self._is_a(use.name, place, ("enum",), "the keys of a map")
        return self._is_a(use.name, place, _ANY, used_as)

    def _is_a(self, name: str, place: SourceLocation, wanted: tuple[Kind, ...], use: str) -> bool:
        kind = self.kinds.get(self.called(name))
        if kind in wanted:
            return True
        if kind is not None:
            expected = " or ".join(KIND_WORDS[k] for k in wanted)
            self._faults.add("unknown-name", place, f"`{name}` is {KIND_WORDS[kind]}; {use} is named by {expected}")
        elif name in self.removed:
            self._faults.add(
                "removed-in-use", self.removed[name], f"`{name}` is removed here, but used as {use} at {place}"
            )
        elif self._complete and name not in self._lost:
            self._faults.add("unknown-name", place, f"`{name}` is not declared", self._hint(name, use))
        return False

    def _hint(self, name: str, use: str) -> str | None:
        if use == _ANSWER and name.lower() in NOTHING:
            return "did you mean `none`?"
        if name in self._strays:
            return f"{self._strays[name]} declares it, but is not one of the `parts` of the spec"
        return instead_of(name) or self._faults.near(name, [*self.kinds, *(RESERVED & SCALARS.keys())])


_ANSWER = "a response"
_ANY: tuple[Kind, ...] = ("enum", "alias", "type", "union")


def without(type_: Type, names: set[str], keys: set[str]) -> Type:
    """The type with the names replaced by `json`, and without the key enums of maps."""
    match mapped(type_, lambda inner: without(inner, names, keys)):
        case Ref(name=name) if name in names:
            return JSON
        case Map(value=value, key=key) if key in keys:
            return Map(value)
        case other:
            return other


def renamed(type_: Type, names: Mapping[str, str]) -> Type:
    """The type with declarations renamed."""
    match mapped(type_, lambda inner: renamed(inner, names)):
        case Ref(name=name):
            return Ref(names.get(name, name))
        case Map(value=value, key=str(key)):
            return Map(value, names.get(key, key))
        case other:
            return other


def split_null(type_: Type) -> tuple[Type, bool]:
    """A type without a top-level null, and whether it had one."""
    if not isinstance(type_, Choice) or NULL not in type_.members:
        return type_, False
    rest = tuple(member for member in type_.members if member != NULL)
    if not rest:
        return NULL, True
    return (rest[0] if len(rest) == 1 else Choice(rest)), True


def admits_null(type_: Type, aliases: Mapping[str, Type]) -> bool:
    """Whether null is a value of the type."""
    seen: set[str] = set()
    left = [type_]
    while left:
        match left.pop():
            case Scalar(kind):
                if kind in {"json", "null"}:
                    return True
            case Choice(members):
                left.extend(members)
            case Ref(name) if name in aliases and name not in seen:
                seen.add(name)
                left.append(aliases[name])
            case _:
                pass
    return False
