"""The model → the Go name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types keep their stem; fields, constants and functions are exported and in MixedCaps. In all of them, the initialisms of
`names.toml` are in capitals, as Go writes them; a spec that must keep another spelling states the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar, get_args

from polywire.ground.engine import Kind
from polywire.model.nodes import Alias, Const, Constructor, Declaration, Enum, Field, Model, Struct, Tag, Union
from polywire.model.walk import alternatives
from polywire.plan.public import tuple_sizes
from polywire.plan.rows import kinds
from polywire.source.types import Choice, Ref, ScalarKind, Type
from polywire.targets.common import names as common
from polywire.targets.common.base import Name
from polywire.targets.common.names import PACKAGE, Described, Overrides, plain, stem
from polywire.targets.common.naming import Reserved, identifier, spelt, words
from polywire.targets.common.vocabulary import vocabulary

VOCABULARY = vocabulary(__file__)
_WORDS = VOCABULARY.words

KEYWORDS = _WORDS["keywords"]

PLACEHOLDER = "polywireruntime"
"""The placeholder in the runtime for the name of the package."""

PROCESS_PLACEHOLDER = f"example.com/{PLACEHOLDER}"
"""The placeholder in the runtime of the process package for the path of its parent package."""

TUPLES = frozenset(f"Tuple{size}" for size in range(1, 33))
"""The reserved names of tuple types; those of longer tuples are reserved only if the spec has such a tuple."""

TAKEN = VOCABULARY.offered | TUPLES | _WORDS["with_methods"]

TYPES = Reserved("declarations", TAKEN, "Type")
METHODS = Reserved("fields", _WORDS["methods"], "Field")
VALUES = Reserved("values of enums", TAKEN, "Value")
FUNCTIONS = Reserved("constructors", TAKEN, "Func")
ARGUMENTS = Reserved("parameters", KEYWORDS | _WORDS["in_constructors"])
PACKAGES = Reserved("packages of protocols", KEYWORDS | _WORDS["packages"], "protocol")

RESERVED = (TYPES, METHODS, VALUES, FUNCTIONS, ARGUMENTS, PACKAGES)

INITIALISMS = {word.lower(): word for word in _WORDS["initialisms"]}

KINDS = frozenset(f"kinds.{kind}" for kind in ("string", "array", "object"))
"""The overrides that name the fields of a struct for several kinds of values."""

override = Overrides("go")


def or_null(model: Model, type_: Type) -> Type | None:
    """The other type, if a type is a choice between null and one other type."""
    members = type_.members if isinstance(type_, Choice) else ()
    rest = [member for member in members if kinds(model, member) != ("null",)]
    return rest[0] if len(rest) == 1 and len(members) == len(("null", "other")) else None


def is_mixed(alias: Alias) -> bool:
    """Whether an alias is one struct for several kinds of values."""
    return isinstance(alias.type, Choice) and any(override(alias.about, key) for key in KINDS)


def is_sealed(model: Model, alias: Alias) -> bool:
    """Whether an alias is an interface that a type for each kind of its values implements."""
    return isinstance(alias.type, Choice) and not is_mixed(alias) and or_null(model, alias.type) is None


def declares_interface(model: Model, alias: Alias) -> bool:
    """Whether an alias is such an interface and does not share that of another."""
    return override(alias.about, "as") is None and is_sealed(model, alias)


def mixed(parts: tuple[str, ...]) -> str:
    """Words → `MixedCaps`."""
    return "".join(INITIALISMS.get(part, part[:1].upper() + part[1:]) for part in parts)


CASES = {"boolean": "Bool", "array": "List"}
"""JSON kind → the end of the name of the type for its values, among those of an interface, if it is not the kind."""

ITEMS: Mapping[ScalarKind, str] = {kind: mixed((kind,)) for kind in get_args(ScalarKind)} | {
    "boolean": "Bool",
    "integer": "Int",
}
"""Built-in type → its part in the name of an inline union."""


def ascii_mixed(name: str) -> str:
    """A name in ASCII `MixedCaps`; a name without ASCII letters and digits is spelt by code points."""
    return re.sub(r"[^A-Za-z0-9]", "", mixed(words(name))) or mixed(spelt(name))


def small(name: str) -> str:
    """An exported name → the unexported name of the same words."""
    head = re.match(r"[A-Z]+(?![a-z])|[A-Z]", name)
    return name if head is None else head[0].lower() + name[head.end() :]


def _exported(name: str, prefix: str) -> str:
    found = ascii_mixed(name)
    return found if found[:1].isalpha() and found[:1].isupper() else prefix + found


def _stemmed(name: str, reserved: Reserved) -> str:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        return reserved.apart(_exported(name, "Type"))
    return reserved.apart(re.sub(r"[A-Z][a-z0-9]+", lambda word: INITIALISMS.get(word[0].lower(), word[0]), name))


class Names(common.Names):
    """Every Go name of a model."""

    override = override
    vocabulary = VOCABULARY
    scopes: ClassVar[Mapping[str, str]] = {**common.SCOPES, "value": PACKAGE, "peer": PACKAGE}

    def type(self, name: str) -> str:
        """The type of a declared enum, alias, struct or union; if it shares the type of another, the shared one."""
        shared = override(self._model.declarations[name].about, "as")
        return self.own(name) if shared is None or shared not in self._model.declarations else self.type(shared)

    def own(self, name: str) -> str:
        """The base name of functions for a declaration, even if it shares the type of another."""
        return super().type(name)

    def type_default(self, name: str) -> str:
        return _stemmed(name, TYPES)

    def value_default(self, enum: Enum, at: int) -> str:
        name = ascii_mixed(stem(enum.values[at])) or str(at)
        return VALUES.apart((override(enum.about, "prefix") or self.type(enum.name)) + name)

    def member(self, key: str) -> str:
        return METHODS.apart(_exported(key, "Field"))

    def function_default(self, struct: Struct, constructor: Constructor) -> str:  # noqa: ARG002 (not part of the name)
        return _stemmed(stem(constructor), FUNCTIONS)

    def parameter(self, name: str) -> str:
        plain = name if re.fullmatch(r"[a-z][A-Za-z0-9]*", name) else small(_exported(name, "Value"))
        return identifier(plain, self._arguments, "value")

    @cached_property
    def _arguments(self) -> Reserved:
        """What parameters avoid, with the names of the tables that the bodies of constructors refer to."""
        tables = {f"{kind}{self.own(name)}" for name in self._model.declarations for kind in ("of", "enum")}
        return Reserved(ARGUMENTS.what, ARGUMENTS.names | tables)

    def case(self, alias: str, kind: Kind) -> str:
        """The type of an interface's values of a kind."""
        return self.own(alias) + CASES.get(kind, mixed((kind,)))

    def peer(self, name: str) -> str:
        return f"Peer{_exported(name, '')}"

    # For the checks.

    def exports(self) -> Iterator[str]:
        yield from super().exports()
        yield from (f"Tuple{size}" for size in tuple_sizes(self._model))

    def is_named(self, part: Described | Tag | Const, of: Declaration) -> bool:
        return part is not of or override(of.about, "as") is None

    def derived(self, part: Described, of: Declaration) -> Iterator[Name]:  # noqa: ARG002 (no scope within it)
        match part:
            case Union(name=name):
                yield plain(f"Unmarshal{self.own(name)}", f"the decoder of {name}", part.place)
                if override(part.about, "embed") is not None:
                    yield plain(f"Raw{self.type(name)}", f"the discriminators of {name}", part.place)
            case Alias(name=name, type=type_) if declares_interface(self._model, part):
                for each in alternatives(type_, self._model.declarations):
                    declared = self._model.declarations[each.name] if isinstance(each, Ref) else None
                    for kind in () if isinstance(declared, (Struct, Union)) else kinds(self._model, each):
                        if kind != "null":
                            yield plain(self.case(name, kind), f"a value of {name}", part.place)
            case Enum(name=name) if override(part.about, "layout") == "string":
                yield plain(f"Known{self.type(name)}", f"the known values of {name}", part.place)
            case Field(callback=callback) if callback is not None:
                named = override(part.about, "type")
                if named is not None:
                    yield plain(named, f"the function type {named}", part.place)
            case _:
                pass
