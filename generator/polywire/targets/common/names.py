"""The model → the names of everything in it in one language, and all of them with their scopes, to find collisions.

A language gives the spelling (methods of `Names`), the scopes (`SCOPES`), what it names at all (`is_named`) and what
it derives from a declaration or a part of one (`derived`). Only this module walks the model for names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, TypeAlias

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import (
    About,
    Alias,
    Const,
    Constructor,
    Declaration,
    Enum,
    EnumValue,
    Field,
    Model,
    Struct,
    Tag,
    Tree,
    Union,
)
from polywire.plan.public import Feature, features
from polywire.plan.unions import unknown_plans
from polywire.targets.common.base import Name
from polywire.targets.common.naming import snake, words
from polywire.targets.common.vocabulary import Vocabulary

PACKAGE = "package"
"""The scope of what a package exports."""

SCOPES: Mapping[str, str] = {
    "value": "values of {}",
    "field": "fields of {}",
    "function": PACKAGE,
    "tree": PACKAGE,
    "parameter": "parameters of {}",
}
"""Kind of name → the scope in which names of the kind must be distinct, `{}` being what contains them."""

Described: TypeAlias = "Declaration | EnumValue | Field | Constructor | Tree"
"""What can have overrides."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """The overrides in a spec for one language."""

    language: str

    def __call__(self, about: About, key: str = "name") -> str | None:
        """The override under a key."""
        return about.targets.get(self.language, {}).get(key)


def plain(name: str, of: str, place: SourceLocation, scope: str = PACKAGE) -> Name:
    """A name that no override sets."""
    return Name(scope, name, name, of, place)


def stem(part: Described) -> str:
    """The name of the spec from which languages derive theirs."""
    return part.about.name or part.name


class Names(ABC):
    """Every name of a model in one language."""

    override: ClassVar[Overrides]
    vocabulary: ClassVar[Vocabulary] = Vocabulary()
    scopes: ClassVar[Mapping[str, str]] = SCOPES
    """As `SCOPES`, with `peer` and `area` where the language has them; a kind without a scope has no names."""

    hidden: frozenset[str] = frozenset()
    """The declarations that code of users cannot name, so no report is about them."""

    def __init__(self, model: Model) -> None:
        self._model = model

    # The spelling of the language, by default that of the spec.

    @abstractmethod
    def type_default(self, name: str) -> str:
        """A declaration or Unknown."""

    def value_default(self, enum: Enum, at: int) -> str:
        """A value of an enum."""
        return stem(enum.values[at])

    def member(self, key: str) -> str:
        """A member of a struct."""
        return key

    def function_default(self, struct: Struct, constructor: Constructor) -> str:  # noqa: ARG002 (used by languages)
        """The function of a constructor."""
        return stem(constructor)

    def parameter(self, name: str) -> str:
        """A parameter of a constructor."""
        return name

    def peer(self, name: str) -> str:
        """The constant of a peer."""
        return name

    def area_of(self, place: SourceLocation) -> str:
        """The module of declarations in a file of the spec."""
        return snake(words(place.file.rpartition("/")[2].partition(".")[0]))

    def code(self, name: str) -> str:
        """The name of a field or function as it is written in code."""
        return name

    def exports(self) -> Iterable[str]:
        """The names that a package of the model exports and that are not derived from it."""
        return self.vocabulary.exports_of(self.features)

    def is_named(self, part: Described | Tag | Const, of: Declaration) -> bool:  # noqa: ARG002 (used by languages)
        """Whether the language names a declaration, or a part of the declaration `of`."""
        return True

    def derived(self, part: Described, of: Declaration) -> Iterable[Name]:  # noqa: ARG002 (used by languages)
        """The further names that the language derives from a declaration, or from a part of the declaration `of`."""
        return ()

    # The names.

    @cached_property
    def features(self) -> frozenset[Feature]:
        """The features of the package."""
        return features(self._model)

    def type(self, name: str) -> str:
        """A declared enum, alias, struct or union."""
        declared = self._model.declarations[name]
        return self.override(declared.about) or self.type_default(stem(declared))

    def unknown(self, union: Union) -> str:
        """The type of a union's Unknown; unions may share it."""
        return self.type_default(union.unknown)

    def tree(self, tree: Tree) -> str:
        """The type of a tree."""
        return self.override(tree.about) or self.type_default(stem(tree))

    def value(self, enum: Enum, at: int) -> str:
        """A value of an enum."""
        return self.override(enum.values[at].about) or self.value_default(enum, at)

    def given(self, field: Field) -> str:
        """The name of a field, from which further names are derived."""
        return self.override(field.about) or self.member(stem(field))

    def field(self, field: Field) -> str:
        """A field of a struct, as written in code."""
        return self.code(self.given(field))

    def tag(self, tag: Tag) -> str:
        """The member for a tag."""
        return self.member(tag.key)

    def function(self, struct: Struct, constructor: Constructor) -> str:
        """The function of a constructor, as written in code."""
        return self.code(self.override(constructor.about) or self.function_default(struct, constructor))

    # All names, for the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope; what several declarations share may be there several times."""
        declarations = self._model.declarations.values()
        yield from self._fixed()
        for each in declarations:
            if self.is_named(each, each):
                default = self.type_default(stem(each))
                yield from self._placed(each, [self.named(PACKAGE, self.type(each.name), default, each.name, each)])
        for unknown in unknown_plans(self._model):
            for name, union in {self.unknown(each): each for each in reversed(unknown.unions)}.items():
                yield plain(name, f"the Unknown of {union.name}", union.place)
        for each in declarations:
            yield from self._placed(each, self._parts(each))
        for tree in self._model.trees if "tree" in self.scopes else ():
            default, of = self.type_default(stem(tree)), f"tree {tree.name}"
            yield self.named(self.scopes["tree"], self.tree(tree), default, of, tree)

    def _placed(self, declared: Declaration, names: Iterable[Name]) -> Iterable[Name]:
        return (replace(name, place=NOWHERE) for name in names) if declared.name in self.hidden else names

    def _parts(self, declared: Declaration) -> Iterator[Name]:
        yield from self.derived(declared, declared)
        match declared:
            case Enum():
                yield from self._values(declared)
            case Struct():
                yield from self._members(declared)
                yield from self._functions(declared)
            case Alias() | Union():
                pass

    def _fixed(self) -> Iterator[Name]:
        """The names of exports, peers and modules, which are not those of a declaration."""
        for name in self.exports():
            yield plain(name, f"{name} of every package", NOWHERE)
        if "peer" in self.scopes and "controls" in self.features:
            for peer in self._model.protocol.peers:
                yield plain(self.peer(peer), f"the peer {peer}", NOWHERE, self.scopes["peer"])
        if "area" in self.scopes:
            for area in dict.fromkeys(self.area_of(each.place) for each in self._model.declarations.values()):
                yield plain(area, f"the module {area}", NOWHERE, self.scopes["area"])

    def named(self, scope: str, name: str, default: str, of: str, part: Described, key: str = "name") -> Name:
        """A name that an override under the key may set."""
        return Name(scope, name, default, of, part.place, self.override(part.about, key) is not None, key)

    def _values(self, enum: Enum) -> Iterator[Name]:
        if "value" not in self.scopes:
            return
        scope = self.scopes["value"].format(enum.name)
        for at, value in enumerate(enum.values):
            if self.is_named(value, enum):
                of = f"value {value.name} of {enum.name}"
                yield self.named(scope, self.value(enum, at), self.value_default(enum, at), of, value)

    def _members(self, struct: Struct) -> Iterator[Name]:
        if "field" not in self.scopes:
            return
        scope = self.scopes["field"].format(struct.name)
        for tag in struct.tags:
            if tag.constant is not None and self.is_named(tag, struct):
                yield plain(self.tag(tag), f"tag {tag.key} of {struct.name}", tag.place, scope)
        for const in struct.consts:
            if self.is_named(const, struct):
                yield plain(self.member(const.key), f"constant {const.key} of {struct.name}", const.place, scope)
        for field in struct.fields:
            if self.is_named(field, struct):
                default, of = self.code(self.member(stem(field))), f"field {field.name} of {struct.name}"
                yield self.named(scope, self.field(field), default, of, field)
                yield from self.derived(field, struct)

    def _functions(self, struct: Struct) -> Iterator[Name]:
        if "function" not in self.scopes:
            return
        scope = self.scopes["function"].format(struct.name)
        for each in struct.constructors:
            default, of = self.code(self.function_default(struct, each)), f"constructor {each.name} of {struct.name}"
            yield self.named(scope, self.function(struct, each), default, of, each)
            yield from self.derived(each, struct)
            inner = self.scopes["parameter"].format(each.name)
            for param in each.params:
                name, of = self.parameter(param.name), f"parameter {param.name} of {each.name}"
                yield Name(inner, name, name, of, param.place, key="")
