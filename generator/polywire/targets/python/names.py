"""The model → the Python name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types keep their stem, fields and functions become snake_case, values of enums UPPER_CASE. Names that Python, the
dataclass protocol or the annotations of a class body use get an underscore as a suffix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from polywire.ground.location import SourceLocation
from polywire.ground.paths import DEVICES
from polywire.model.nodes import Constructor, Declaration, Enum, Field, Model, Struct, Union
from polywire.model.walk import reach
from polywire.plan.shared import shared_structs
from polywire.targets.common import names as common
from polywire.targets.common.base import Name
from polywire.targets.common.names import PACKAGE, Described, Overrides, plain, stem
from polywire.targets.common.naming import Reserved, constant, identifier, pascal_stem, snake, words
from polywire.targets.common.vocabulary import vocabulary

VOCABULARY = vocabulary(__file__)
_WORDS = VOCABULARY.words

KEYWORDS = _WORDS["keywords"]
MODULE = KEYWORDS.union(VOCABULARY.offered, _WORDS["public_modules"], _WORDS["in_modules"], _WORDS["builtin_types"])

TYPES = Reserved("declarations", MODULE, "Type")
FUNCTIONS = Reserved("constructors", MODULE)
FIELDS = Reserved("fields", KEYWORDS | _WORDS["in_classes"])
VIEWS = Reserved("members of Unknowns", KEYWORDS | _WORDS["in_unknowns"])
VALUES = Reserved("values of enums", KEYWORDS)
ARGUMENTS = Reserved("parameters", KEYWORDS | _WORDS["in_constructors"])
AREAS = Reserved("modules of parts of the spec", KEYWORDS.union(VOCABULARY.offered, _WORDS["public_modules"], DEVICES))
PACKAGES = Reserved("modules of protocols", KEYWORDS | _WORDS["standard_modules"])

RESERVED = (TYPES, FIELDS, VALUES, FUNCTIONS, ARGUMENTS, VIEWS, AREAS, PACKAGES)

UNKNOWNS = "unknowns"
"""The area with the classes of Unknowns."""


class Names(common.Names):
    """Every Python name of a model."""

    override = Overrides("python")
    vocabulary = VOCABULARY
    scopes: ClassVar[Mapping[str, str]] = {**common.SCOPES, "area": PACKAGE}

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._around: dict[str, tuple[Union, ...]] = {}

    # Declarations.

    def type_default(self, name: str) -> str:
        return identifier(pascal_stem(name), TYPES, "Type")

    def unknown(self, union: Union) -> str:
        """The class of a union's Unknown.

        A nested union that shares its Unknown with outer unions has a separate class, which extends the outer ones: an
        object that the outer union does not know is not an object of the inner union.
        """
        if not self.around(union):
            return self.type_default(union.unknown)
        own = identifier(f"Unknown{self.type(union.name)}", TYPES, "Type")
        return own if own not in self._unknowns else f"{own}Object"

    def around(self, union: Union) -> tuple[Union, ...]:
        """The unions directly around an open union that share its Unknown."""
        found = self._around.get(union.name)
        if found is None:
            holders = self._holders.get(union.name, [])
            farther = reach(self._holders, [name for each in holders for name in self._holders[each]])
            nearest = (each for each in holders if each not in farther)
            found = self._around[union.name] = tuple(map(self._model.union, nearest))
        return found

    @cached_property
    def _holders(self) -> Mapping[str, list[str]]:
        """For every open union, the unions of which it is a variant and whose Unknown it shares."""
        open_ = {union.name: union for union in self._model.unions if union.open}
        found: dict[str, list[str]] = {name: [] for name in open_}
        for outer in open_.values():
            for variant in outer.variants:
                inner = open_.get(variant.name)
                if inner is not None and inner.unknown == outer.unknown:
                    found[inner.name].append(outer.name)
        return found

    @cached_property
    def _unknowns(self) -> frozenset[str]:
        return frozenset(self.type_default(each.unknown) for each in self._model.unions)

    @cached_property
    def _shared(self) -> frozenset[str]:
        return frozenset(each.name for each in shared_structs(self._model))

    def area_of(self, place: SourceLocation) -> str:
        return identifier(super().area_of(place), AREAS, "area_")

    def shared(self, struct: Struct) -> str:
        """The name for what objects that include a struct have in common."""
        return f"Has{self.type(struct.name)}"

    def known(self, enum: Enum) -> str:
        """The alias of the declared values of an open enum."""
        return f"{self.type(enum.name)}Known"

    def values(self, enum: Enum) -> str:
        """The class with the constants of an enum."""
        return self.type(enum.name) + "Value"

    def value_default(self, enum: Enum, at: int) -> str:
        return identifier(constant(words(stem(enum.values[at]))), VALUES, "VALUE_")

    # Members and functions.

    def member(self, key: str) -> str:
        return identifier(snake(words(key)), FIELDS, "field_")

    def discriminator(self, key: str) -> str:
        """The property of an Unknown for a discriminator."""
        return identifier(snake(words(key)), VIEWS, "field_")

    def view(self, field: Field) -> str:
        """The property of an Unknown for a field that it gives access to."""
        return self.discriminator(stem(field))

    def function_default(self, struct: Struct, constructor: Constructor) -> str:  # noqa: ARG002 (not part of the name)
        return identifier(snake(words(stem(constructor))), FUNCTIONS, "make_")

    def parameter(self, name: str) -> str:
        return identifier(snake(words(name)), ARGUMENTS, "value_")

    # For the checks.

    def derived(self, part: Described, of: Declaration) -> Iterator[Name]:  # noqa: ARG002 (no scope within it)
        match part:
            case Enum(name=name):
                yield plain(self.values(part), f"the constants of {name}", part.place)
                if part.open:
                    yield plain(self.known(part), f"the declared values of {name}", part.place)
            case Struct(name=name) if name in self._shared:
                yield plain(self.shared(part), f"the class of types that include {name}", part.place)
            case _:
                pass


def module_name(model: Model) -> str:
    """The name of the package."""
    default = identifier(snake(words(model.protocol.name)), PACKAGES, "protocol_")
    return model.packages.get("python", {}).get("module") or default
