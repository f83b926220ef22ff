"""The model → the Rust name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types, variants and values become PascalCase with acronyms as words, fields and functions snake_case. A field whose name
is a keyword becomes a raw identifier; names that the crate exports or uses internally are reserved for types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple
from unicodedata import normalize

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.ground.paths import DEVICES
from polywire.model.nodes import (
    Const,
    Constructor,
    Declaration,
    Enum,
    Field,
    Keys,
    Leaf,
    Model,
    Struct,
    Switch,
    Tag,
    Union,
)
from polywire.plan.needs import Needs, NeedsPlan, needs_plan
from polywire.plan.public import bare_mixins
from polywire.targets.common import names as common
from polywire.targets.common.base import Name
from polywire.targets.common.names import Described, Overrides, plain, stem
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, snake, words
from polywire.targets.common.vocabulary import vocabulary

VOCABULARY = vocabulary(__file__)
_WORDS = VOCABULARY.words

KEYWORDS = _WORDS["keywords"]

WORDS = Reserved("anything", KEYWORDS)
TYPES = Reserved(
    "declarations",
    VOCABULARY.offered.union(KEYWORDS, _WORDS["foreign"], _WORDS["in_macros"], _WORDS["internal"]),
    "Type",
)
VALUES = Reserved("values of enums and variants of unions", _WORDS["in_enums"], "Value")
FIELDS = Reserved("fields", _WORDS["in_structs"])
FUNCTIONS = Reserved("constructors", _WORDS["methods"])
ACCESSORS = Reserved("members of unions", FUNCTIONS.names | {"kind"})
VIEWS = Reserved("members of Unknowns", _WORDS["methods_of_unknowns"])
MODULES = Reserved("modules of parts of the spec", _WORDS["modules"].union(_WORDS["crate_roots"], DEVICES), "_types")
CRATES = Reserved("crates of protocols", KEYWORDS | _WORDS["crates"], "-protocol")

RESERVED = (TYPES, VALUES, FIELDS, FUNCTIONS, ACCESSORS, VIEWS, MODULES, CRATES)

MIXINS = "mixins"
"""The module of structs that are only included by other structs."""

IN_FUNCTIONS = "functions of {}"
"""The scope of a struct's functions."""

override = Overrides("rust")


def raw(name: str) -> str:
    """A name as it is written in code, as a raw identifier if it is a keyword."""
    if name in _WORDS["never_raw"]:
        return name + "_"
    return f"r#{name}" if name in KEYWORDS else name


def is_standard(name: Name) -> bool:
    """Whether the compiler accepts how a name is spelled; overrides may spell theirs otherwise."""
    return (name.name[0].isupper() and "_" not in name.name) if name.default[0].isupper() else name.name.islower()


def variant_stem(name: str, union: str) -> str:
    """A type's name without the words at either end that the union's name has too: RoundShape of Shapes is Round."""
    parts, shared = list(words(name)), words(union)
    end = len(parts)
    while end > 1 and parts[end - 1] in shared:
        end -= 1
    start = 0
    while start < min(end - 1, len(shared)) and parts[start] == shared[start]:
        start += 1
    return pascal(parts[start:end])


def _variant(name: str) -> str:
    return identifier(pascal(words(name)), VALUES, "Value")


class Home(NamedTuple):
    """Where an item is declared: its module, and what needs it."""

    area: str
    needs: Needs


class Names(common.Names):
    """Every Rust name of a model."""

    override = override
    vocabulary = VOCABULARY
    scopes: ClassVar[Mapping[str, str]] = {**common.SCOPES, "function": IN_FUNCTIONS, "peer": "peers"}

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._variants: dict[str, dict[str, str]] = {}
        self.hidden = bare_mixins(model)

    # Modules.

    def area(self, name: str) -> str:
        """The module of a declaration, named after its file in the spec."""
        return MIXINS if name in self.hidden else self.area_of(self._model.declarations[name].place)

    def area_of(self, place: SourceLocation) -> str:
        # The name of a file with a module in it must be ASCII.
        ascii_only = normalize("NFKD", super().area_of(place)).encode("ascii", "ignore").decode()
        return MODULES.apart(identifier(ascii_only, WORDS, "area"))

    @cached_property
    def needs(self) -> NeedsPlan:
        """What declarations are needed for; these are the features of the crate."""
        return needs_plan(self._model, lambda declared: self.area_of(declared.place))

    def home(self, name: str) -> Home:
        """Where a declaration is."""
        return Home(self.area(name), self.needs.declared[name])

    # Declarations.

    def type_default(self, name: str) -> str:
        return identifier(pascal(words(name)), TYPES, "Type")

    def value_default(self, enum: Enum, at: int) -> str:
        return _variant(stem(enum.values[at]))

    def peer(self, name: str) -> str:
        return _variant(name)

    def variant(self, union: Union, name: str) -> str:
        """The variant of a union for a struct or for another union."""
        return self.variants(union)[name]

    def variants(self, union: Union) -> dict[str, str]:
        """The variants of a union by the declaration that they hold, in the order of the union's decision."""
        if union.name not in self._variants:
            self._variants[union.name] = self._named(union)
        return self._variants[union.name]

    def _named(self, union: Union) -> dict[str, str]:
        types, found = {name: self.type(name) for name in variant_types(union.dispatch)}, dict[str, str]()
        for name, whole in types.items():
            given = override(self._model.declarations[name].about, "variant") or self._variant_default(union, name)
            is_taken = given in found.values() or (given != whole and given in types.values())
            found[name] = whole if is_taken else given
        return found

    def _variant_default(self, union: Union, name: str) -> str:
        return identifier(variant_stem(self._stem(name), self._stem(union.name)), VALUES, "Value")

    def _stem(self, name: str) -> str:
        declared = self._model.declarations[name]
        return override(declared.about) or stem(declared)

    # Members.

    def code(self, name: str) -> str:
        return raw(name)

    def member(self, key: str) -> str:
        return identifier(snake(words(key)), FIELDS, "field_")

    def tag(self, tag: Tag) -> str:
        """The field that records whether an optional tag is present."""
        return f"has_{self.member(tag.key)}"

    # Functions.

    def function_default(self, struct: Struct, constructor: Constructor) -> str:
        """Its name without the words of the struct's name: NewPrompt of Message is `prompt`, NewMessage is `create`."""
        implied = {"new", *words(self._stem(struct.name))}
        parts = [word for word in words(stem(constructor)) if word not in implied]
        return identifier(snake(parts) or "create", FUNCTIONS, "make_")

    def bundle(self, struct: Struct, constructor: Constructor) -> str:
        """The struct of a constructor's parameters, if it takes one."""
        return f"{self.type(struct.name)}{pascal(words(self.function(struct, constructor)))}"

    def setter(self, field: Field) -> str:
        """The method that sets a field."""
        return f"with_{self.given(field)}"

    def accessor(self, field: Field) -> str:
        """The method of a union for a member that its variants share, as written in code."""
        return raw(identifier(self.given(field), ACCESSORS, "get_"))

    def view(self, field: Field) -> str:
        """The method of an Unknown for a member that it may have, as written in code."""
        return raw(identifier(self.given(field), VIEWS, "get_"))

    def parameter(self, name: str) -> str:
        """A parameter, as written in code."""
        return raw(identifier(snake(words(name)), FREE, "arg_"))

    # For the checks.

    def is_named(self, part: Described | Tag | Const, of: Declaration) -> bool:  # noqa: ARG002 (`part` decides)
        match part:
            case Const():
                return False
            case Tag():
                return part.optional
            case Field():
                return part.travels
            case _:
                return True

    def derived(self, part: Described, of: Declaration) -> Iterator[Name]:
        functions = IN_FUNCTIONS.format(of.name)
        match part:
            case Struct(name=name):
                yield plain(f"{self.type(name)}Required", f"the arguments of {name}::new", NOWHERE)
                if part.constructors:
                    yield plain("new", f"new of {name}", part.place, functions)
            case Union(name=name):
                for held, variant in self.variants(part).items():
                    yield plain(variant, f"variant {held} of {name}", part.place, f"variants of {name}")
            case Constructor(name=name) if isinstance(of, Struct):
                what = f"the arguments of constructor {name} of {of.name}"
                yield plain(self.bundle(of, part), what, NOWHERE)
            case Field(name=name):
                yield plain(self.setter(part), f"the setter of field {name} of {of.name}", NOWHERE, functions)
            case _:
                pass
        given = override(part.about, "variant")
        if part is of and given is not None:
            yield from self._overridden_variant(of, given)

    def _overridden_variant(self, declared: Declaration, given: str) -> Iterator[Name]:
        """The override for variants that hold a type, with one of their default names."""
        name = declared.name
        defaults = [self._variant_default(each, name) for each in self._model.unions if name in self.variants(each)]
        if defaults:
            default = next((each for each in defaults if each != given), given)
            of = f"variants with {name}"
            yield self.named(of, given, default, of, declared, "variant")


def variant_types(dispatch: Switch | Keys) -> tuple[str, ...]:
    """The structs, and unions with other discriminators, between which a union decides, without duplicates."""
    return tuple(dict.fromkeys(then.struct if isinstance(then, Leaf) else then.union for then in dispatch.thens))
