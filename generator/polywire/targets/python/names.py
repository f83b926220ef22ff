"""The model → the Python name of everything in it: the naming rule, the spec's exceptions, what must not collide.

Types keep their stem, fields and functions become snake_case, values of enums UPPER_CASE. What Python, the dataclass
protocol or the annotations of a class body need for themselves gets an underscore behind it.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from polywire.model.nodes import NOWHERE, About, Constructor, Enum, Field, Model, SourceLocation, Struct, Tag, Union
from polywire.plan.unions import unknown_plans
from polywire.targets.base import Name
from polywire.targets.naming import constant, identifier, pascal, snake, words

TARGET_NAME = "python"

KEYWORDS = frozenset(keyword.kwlist)
"""Words that are no identifiers; soft keywords (`match`, `type`) are fine as names."""

ATTRIBUTES = KEYWORDS | {"self", "extra", "mro", "str", "int", "float", "bool", "list", "dict", "object"}
"""What no field may be called: `extra` is every object's own, and the others stand in annotations beside it."""

UNKNOWN_ATTRIBUTES = KEYWORDS | {"self", "raw"}

PARAMETERS = KEYWORDS | {"self"}

API = (
    "BadLine",
    "DecodeError",
    "EncodeError",
    "EnumValues",
    "Examined",
    "LineDecoder",
    "PROTOCOL_VERSION",
    "SPEC_HASH",
    "TYPES",
    "UNSET",
    "Unset",
    "Writer",
    "aread",
    "decode",
    "decode_response",
    "encode",
    "examine",
    "from_dict",
    "is_known",
    "known_values",
    "model",
    "read",
    "reply",
    "request",
    "response_type",
    "to_dict",
    "tool_input",
    "tool_output",
)
"""What every package offers whatever its spec says."""

CONTROL_API = frozenset({"decode_response", "reply", "request", "response_type"})
"""Those of `API` that a package has only if its protocol has controls."""

BUILTINS = frozenset(
    {
        *("Any", "Callable", "ClassVar", "False", "Final", "Generic", "Literal", "None", "True", "TypeAlias"),
        *(
            "annotations",
            "bool",
            "dataclass",
            "dict",
            "field",
            "float",
            "int",
            "list",
            "object",
            "str",
            "super",
            "type",
        ),
    }
)
"""What the modules of a package use themselves, besides the API."""

RUNTIME_NAMES = frozenset(
    {
        *(
            "BOOLEANS",
            "MAX",
            "MAX_DEPTH",
            "MAX_DIGITS",
            "MIN",
            "NOTHING",
            "NULL",
            "SAFE",
            "SCALARS",
            "STRINGS",
            "UNSET",
        ),
        *("DecodeError", "EncodeError", "EnumValues", "FastPathMiss", "Record", "Unset", "blanks", "boolean_text"),
        *("factory", "fast_path_miss", "fresh_uuid", "holds_long_number", "is_known", "join", "json_text"),
        *("known_values", "loads", "more", "number", "number_text", "object_text", "quote", "rest", "share_extra"),
        *("unknown_text", "unsafe"),
    }
)
"""What the runtime declares for the generated modules, which may import it beside the types of the spec."""

TABLES = frozenset({"ALIASES", "CLAIMED", "DECODERS", "ENCODERS", "ROOT", "ROOT_KEY", "ROOT_TABLE", "STRUCTS"})
"""What the codecs declare for the runtime, beside the types of the spec."""

MODULE = KEYWORDS | BUILTINS | RUNTIME_NAMES | TABLES


def overridden(about: About) -> str | None:
    """The final name that the spec demands in Python."""
    return about.targets.get(TARGET_NAME, {}).get("name")


class Names:
    """Every Python name of one model, by what it names in the spec."""

    def __init__(self, model: Model) -> None:
        self._model = model

    # Declarations.

    def type(self, name: str) -> str:
        """A declared enum, alias, struct or union."""
        about = self._model.declarations[name].about
        return overridden(about) or self._type_default(about.name or name)

    def _type_default(self, stem: str) -> str:
        plain = stem.isascii() and stem.isidentifier() and not stem.startswith("_")
        return identifier(stem if plain and stem[0].isupper() else pascal(words(stem)), MODULE, "Type")

    def unknown(self, union: Union) -> str:
        """The class of a union's Unknown."""
        return self._type_default(union.unknown)

    def values(self, enum: Enum) -> str:
        """The class that holds an enum's constants."""
        return self.type(enum.name) + "Value"

    def value(self, enum: Enum, at: int) -> str:
        """The constant of one value."""
        each = enum.values[at]
        return overridden(each.about) or identifier(constant(words(each.about.name or each.name)), KEYWORDS, "VALUE_")

    # Members.

    def field(self, field: Field) -> str:
        """The attribute of a field."""
        return overridden(field.about) or self.attribute(field.about.name or field.name)

    def attribute(self, key: str) -> str:
        """The attribute that a key gives where the spec says nothing."""
        return identifier(snake(words(key)), ATTRIBUTES, "field_")

    def tag(self, tag: Tag) -> str:
        """The class-level constant of a tag."""
        return self.attribute(tag.key)

    def discriminator(self, key: str) -> str:
        """The property of an Unknown."""
        return identifier(snake(words(key)), UNKNOWN_ATTRIBUTES, "field_")

    # Functions.

    def function(self, constructor: Constructor) -> str:
        """The function of a constructor."""
        about = constructor.about
        return overridden(about) or identifier(snake(words(about.name or constructor.name)), MODULE, "make_")

    def parameter(self, name: str) -> str:
        """A parameter of such a function."""
        return identifier(snake(words(name)), PARAMETERS, "value_")

    # For the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope, for the search for collisions."""
        for name in dict.fromkeys((*API, *sorted(RUNTIME_NAMES | TABLES))):
            yield Name("module", name, name, f"{name} of every package", NOWHERE)
        for declaration in self._model.declarations.values():
            yield self._declared(declaration.name, declaration.about, declaration.place)
        for union in (each.union for each in unknown_plans(self._model)):
            name = self.unknown(union)
            yield Name("module", name, name, f"the Unknown of {union.name}", union.place)
        for enum in self._model.enums:
            yield from self._of_enum(enum)
        for struct in self._model.structs:
            yield from self._of_struct(struct)

    def _declared(self, name: str, about: About, place: SourceLocation) -> Name:
        return Name(
            "module",
            self.type(name),
            self._type_default(about.name or name),
            name,
            place,
            overridden=overridden(about) is not None,
        )

    def _of_enum(self, enum: Enum) -> Iterator[Name]:
        name = self.values(enum)
        yield Name("module", name, name, f"the constants of {enum.name}", enum.place)
        for at, value in enumerate(enum.values):
            yield Name(
                f"values of {enum.name}",
                self.value(enum, at),
                identifier(constant(words(value.about.name or value.name)), KEYWORDS, "VALUE_"),
                f"value {value.name} of {enum.name}",
                value.place,
                overridden=overridden(value.about) is not None,
            )

    def _of_struct(self, struct: Struct) -> Iterator[Name]:
        scope = f"fields of {struct.name}"
        for tag in struct.tags:
            if tag.constant is not None:
                yield Name(scope, self.tag(tag), self.tag(tag), f"tag {tag.key} of {struct.name}", tag.place)
        for const in struct.consts:
            name = self.attribute(const.key)
            yield Name(scope, name, name, f"constant {const.key} of {struct.name}", const.place)
        for field in struct.fields:
            yield Name(
                scope,
                self.field(field),
                self.attribute(field.about.name or field.name),
                f"field {field.name} of {struct.name}",
                field.place,
                overridden=overridden(field.about) is not None,
            )
        for constructor in struct.constructors:
            name = self.function(constructor)
            default = identifier(snake(words(constructor.about.name or constructor.name)), MODULE, "make_")
            of = f"constructor {constructor.name} of {struct.name}"
            yield Name(
                "module", name, default, of, constructor.place, overridden=overridden(constructor.about) is not None
            )
