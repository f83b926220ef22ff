"""The model → the TypeScript name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Members keep their spelling on the wire, as objects are those that `JSON.parse` returns. Types keep their stem; the
names of related items are derived from the type's: `Color` → `KnownColor`, `COLORS`, `Shape` → `ShapeOrUnknown`,
`isShape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from polywire.model.nodes import Const, Declaration, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import structs_of
from polywire.plan.unions import unknown_plans
from polywire.targets.common import names as common
from polywire.targets.common.base import Name
from polywire.targets.common.names import PACKAGE, Described, Overrides, plain, stem
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, pascal_stem, pattern, words
from polywire.targets.common.vocabulary import vocabulary

VOCABULARY = vocabulary(__file__)
_WORDS = VOCABULARY.words

KEYWORDS = _WORDS["keywords"]
IDENTIFIER = pattern("[A-Za-z_$][A-Za-z0-9_$]*", KEYWORDS)
"""The form of a name."""

INTERNAL = _WORDS["in_index"] | _WORDS["in_tables"]
"""The names in the code of a package, which it does not export."""

MODULE = VOCABULARY.offered.union(KEYWORDS, INTERNAL, _WORDS["in_node"], _WORDS["globals"], _WORDS["type_parameters"])

DECLARED = Reserved("declarations", MODULE, "Type")
GUARDS = Reserved("guards", MODULE, "Type")
ARRAYS = Reserved("arrays of the values of enums", MODULE, "_VALUES")
PACKAGES = Reserved("packages of protocols", _WORDS["packages"], "-protocol")

RESERVED = (DECLARED, GUARDS, ARRAYS, PACKAGES)

MESSAGE = "message"
"""The last word of the name of a struct from the section `messages`, which its guard omits."""

override = Overrides("typescript")


def plural(word: str) -> str:
    """The plural of an English word in capitals: `ENTRY` → `ENTRIES`."""
    if word.endswith("Y") and word[-2:-1] not in set("AEIOU"):
        return word[:-1] + "IES"
    return word + ("ES" if word.endswith(("S", "X", "Z", "CH", "SH")) else "S")


class Names(common.Names):
    """Every TypeScript name of a model."""

    override = override
    vocabulary = VOCABULARY
    scopes: ClassVar[Mapping[str, str]] = {kind: common.SCOPES[kind] for kind in ("tree", "value")}

    # Types.

    def type_default(self, name: str) -> str:
        return identifier(pascal_stem(name), DECLARED, "Type")

    def value_type(self, name: str) -> str:
        """The type of decoded values of a declaration; for an open union, it includes the Unknown."""
        declared = self._model.declarations[name]
        return self.or_unknown(declared) if isinstance(declared, Union) and declared.open else self.type(name)

    def or_unknown(self, union: Union) -> str:
        """An open union together with its Unknown."""
        return self.type(union.name) + "OrUnknown"

    def viewer(self, union: Union) -> str:
        """The function that reads the further members of a union's Unknown."""
        return "view" + self.unknown(union)

    def view(self, union: Union) -> str:
        """The type of this function's result."""
        return self.unknown(union) + "View"

    @cached_property
    def viewed(self) -> tuple[Union, ...]:
        """The unions that name an Unknown with members other than its tag."""
        return tuple(each.union for each in unknown_plans(self._model) if any(union.views for union in each.unions))

    def known(self, enum: Enum) -> str:
        """The type of an enum's declared values only."""
        return "Known" + self.type(enum.name) if enum.open else self.type(enum.name)

    def callback(self, field: Field) -> str | None:
        """The function type that the spec names for a callback."""
        return override(field.about, "type") if field.callback is not None else None

    # Values.

    def values(self, enum: Enum) -> str:
        """The array of an enum's declared values."""
        return override(enum.about, "values") or self._values_default(enum)

    def _values_default(self, enum: Enum) -> str:
        *head, last = words(stem(enum)) or ("value",)
        return identifier("_".join((*(part.upper() for part in head), plural(last.upper()))), ARRAYS, "VALUES_")

    def value_default(self, enum: Enum, at: int) -> str:
        """The name of a value of an enum of numbers, as a member of the object named after the enum."""
        return identifier(pascal(words(stem(enum.values[at]))), FREE, "Value")

    def guard(self, name: str) -> str:
        """The guard of a struct or union, which for an open union accepts only known variants."""
        declared = self._model.declarations[name]
        return override(declared.about, "guard") or self._guard_default(declared)

    def _guard_default(self, declared: Declaration) -> str:
        name, parts = self.type_default(stem(declared)), words(stem(declared))
        if isinstance(declared, Struct) and declared.section == "messages" and parts[1:] and parts[-1] == MESSAGE:
            name = name[: -len(MESSAGE)]
        return GUARDS.apart(f"is{name}")

    @cached_property
    def guarded(self) -> tuple[str, ...]:
        """The declarations that have a guard: all unions and their variants, in declared order."""
        variants = {struct for union in self._model.unions for struct in structs_of(union.dispatch)}
        return tuple(
            declared.name
            for declared in self._model.declarations.values()
            if isinstance(declared, Union) or declared.name in variants
        )

    @cached_property
    def _guarded(self) -> frozenset[str]:
        return frozenset(self.guarded)

    # For the checks.

    def exports(self) -> Iterable[str]:
        return (*super().exports(), *INTERNAL)

    def is_named(self, part: Described | Tag | Const, of: Declaration) -> bool:
        return part is of or (isinstance(of, Enum) and of.base == "integer")

    def derived(self, part: Described, of: Declaration) -> Iterator[Name]:
        match part:
            case Enum(name=name):
                if part.open:
                    yield plain(self.known(part), f"the known values of {name}", part.place)
                default, what = self._values_default(part), f"the values of {name}"
                yield self.named(PACKAGE, self.values(part), default, what, part, "values")
            case Union(name=name, open=True):
                yield plain(self.or_unknown(part), f"{name} with its Unknown", part.place)
                for view in (self.viewer(part), self.view(part)) if part in self.viewed else ():
                    yield plain(view, f"the view of the Unknown of {name}", part.place)
            case Struct(fields=fields):
                for field in fields:
                    if (named := self.callback(field)) is not None:
                        yield plain(named, f"the function type {named}", field.place)
            case _:
                pass
        if part is of and of.name in self._guarded:
            guard, what = self.guard(of.name), f"the guard of {of.name}"
            yield self.named(PACKAGE, guard, self._guard_default(of), what, of, "guard")


def exported(model: Model, names: Names) -> tuple[str, ...]:
    """The run-time exports of the package, in alphabetical order, for both its declarations and its code."""
    fixed = VOCABULARY.exports_of(names.features)
    return tuple(
        sorted(
            (
                *(name for name, kind in fixed.items() if kind == "values"),
                *(names.guard(name) for name in names.guarded),
                *(names.viewer(union) for union in names.viewed),
                *(names.values(enum) for enum in model.enums),
                *(names.type(name) for name in model.declarations),
                *(names.tree(tree) for tree in model.trees),
            )
        )
    )
