"""The model → the Rust name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types, variants and values become PascalCase with acronyms as words, fields and functions snake_case. A field whose name
is a keyword becomes a raw identifier; names that the crate exports or uses internally are reserved for types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import About, Constructor, Dispatch, Enum, Field, Leaf, Model, Struct, Switch, Tag, Union
from polywire.plan.public import bare_mixins
from polywire.plan.unions import unknown_plans
from polywire.targets.common.base import Name, parameter_names
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, snake, words

TARGET_NAME = "rust"

KEYWORDS = frozenset(
    {
        *("abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn"),
        *("else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro"),
        *("match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct"),
        *("super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while"),
        *("yield", "Self"),
    }
)

WORDS = Reserved("anything", KEYWORDS)

NEVER_RAW = frozenset({"crate", "self", "super", "Self"})
"""Keywords that cannot be raw identifiers."""

API = (
    "AsyncReader",
    "AsyncWriter",
    "BadLine",
    "Code",
    "Control",
    "ControlError",
    "DecodeError",
    "EncodeError",
    "ErrorData",
    "Examined",
    "Items",
    "Json",
    "JsonRef",
    "Kind",
    "LineDecoder",
    "Map",
    "Mode",
    "Notify",
    "Object",
    "Presence",
    "ReadError",
    "Reader",
    "Refusal",
    "Respond",
    "Tolerated",
    "ToolInput",
    "ToolOutput",
    "TupleTail",
    "Undeclared",
    "UnknownValue",
    "Wire",
    "WriteError",
    "Writer",
)
"""The types that every crate exports, independent of the spec."""

FOREIGN = frozenset(
    {
        *("AsMut", "AsRef", "Box", "Clone", "Copy", "Cow", "Debug", "Default", "Drop", "Eq", "Err", "Extend", "Fn"),
        "FnMut",
        *(
            "FnOnce",
            "From",
            "FromIterator",
            "Hash",
            "Infallible",
            "Into",
            "IntoIterator",
            "Iterator",
            "None",
            "Ok",
            "Option",
            "Ord",
        ),
        *("PartialEq", "PartialOrd", "Result", "Send", "Sized", "Some", "String", "Sync", "ToOwned", "ToString"),
        *("TryFrom", "TryInto", "Unpin", "Vec"),
    }
)
"""Names of the standard library that are in the prelude, or are imported in the modules of the types."""

INTERNAL = frozenset(
    {
        *("Choice", "Codec", "Dispatch", "Document", "Engine", "Event", "Key", "Member", "Members", "Out", "Recording"),
        *("Row", "Rule", "Scalar", "Slots", "State", "Step", "Struct", "Tape", "Trail", "Values", "WideKind"),
    }
)
"""Other names in the modules that read and write the types."""

TYPES = Reserved("declarations", KEYWORDS | frozenset(API) | FOREIGN | INTERNAL, "Type")

VALUES = Reserved("values of enums and variants of unions", frozenset({"ALL", "Self", "Unknown"}), "Value")

FIELDS = Reserved("fields", frozenset({"extra"}))

FUNCTIONS = Reserved(
    "constructors",
    frozenset(
        {
            "new",
            "default",
            "clone",
            "fmt",
            "eq",
            "from",
            "into",
            "serialize",
            "deserialize",
            "read",
            "write",
            "reply",
            "refuse",
            "cancel",
        }
    ),
)
"""Names that every struct has as methods, its own or those of a trait."""

ACCESSORS = Reserved("members of unions", FUNCTIONS.names | {"kind"})

VIEWS = Reserved("members of Unknowns", frozenset({"clone", "eq", "fmt", "get", "raw", "text"}))

MODULES = Reserved(
    "modules of parts of the spec",
    frozenset(
        {
            *("all", "api", "carriers", "codec", "controls", "engine", "error", "interop", "json", "launch"),
            *("launches", "lines", "map", "mixins", "out", "pairs", "plan", "presence", "process", "records"),
            *("session", "setters", "table", "tape", "text", "tolerated"),
            *("undeclared", "uuid"),
        }
    ),
    "_types",
)
"""The names of the crate's own modules."""

RESERVED = (TYPES, VALUES, FIELDS, FUNCTIONS, ACCESSORS, VIEWS, MODULES)

MIXINS = "mixins"
"""The module of structs that are only included by other structs."""


def override(about: About, key: str = "name") -> str | None:
    """The override for Rust under a key."""
    return about.targets.get(TARGET_NAME, {}).get(key)


def raw(name: str) -> str:
    """A name as it is written in code, as a raw identifier if it is a keyword."""
    if name in NEVER_RAW:
        return name + "_"
    return f"r#{name}" if name in KEYWORDS else name


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


class Names:
    """Every Rust name of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._variants: dict[str, dict[str, str]] = {}
        self._hidden = bare_mixins(model)

    # Modules.

    def area(self, name: str) -> str:
        """The module of a declaration, named after its file in the spec."""
        if name in self._hidden:
            return MIXINS
        return self.area_of(self._model.declarations[name].place)

    def area_of(self, place: SourceLocation) -> str:
        """The module for a location in the spec."""
        stem = place.file.rpartition("/")[2].partition(".")[0]
        found = identifier(snake(words(stem)), WORDS, "area")
        return MODULES.apart(found)

    # Declarations.

    def type(self, name: str) -> str:
        """A declared enum, alias, struct or union."""
        about = self._model.declarations[name].about
        return override(about) or self._type_default(about.name or name)

    def _type_default(self, stem: str) -> str:
        return identifier(pascal(words(stem)), TYPES, "Type")

    def unknown(self, union: Union) -> str:
        """The struct of a union's Unknown."""
        return self._type_default(union.unknown)

    def value(self, enum: Enum, at: int) -> str:
        """The variant or constant of an enum value."""
        each = enum.values[at]
        return override(each.about) or self._value_default(enum, at)

    def _value_default(self, enum: Enum, at: int) -> str:
        each = enum.values[at]
        return identifier(pascal(words(each.about.name or each.name)), VALUES, "Value")

    def variant(self, union: Union, name: str) -> str:
        """The variant of a union for a struct or for another union."""
        return self.variants(union)[name]

    def variants(self, union: Union) -> dict[str, str]:
        """The variants of a union by the declaration that they hold, in the order of the union's decision."""
        if union.name not in self._variants:
            self._variants[union.name] = self._named(union)
        return self._variants[union.name]

    def _named(self, union: Union) -> dict[str, str]:
        found: dict[str, str] = {}
        taken: set[str] = set()
        for name in variant_types(union.dispatch):
            stem = override(self._model.declarations[name].about, "variant") or self._variant_default(union, name)
            found[name] = stem if stem not in taken else self.type(name)
            taken.add(found[name])
        return found

    def _variant_default(self, union: Union, name: str) -> str:
        return self._value_name(variant_stem(self._stem(name), self._stem(union.name)))

    def peer(self, name: str) -> str:
        """The variant for a peer."""
        return self._value_name(pascal(words(name)))

    def _stem(self, name: str) -> str:
        about = self._model.declarations[name].about
        return override(about) or about.name or name

    def _value_name(self, name: str) -> str:
        return identifier(name, VALUES, "Value")

    # Members.

    def field(self, field: Field) -> str:
        """The field of a struct, as written in code."""
        return raw(override(field.about) or self.member(field.about.name or field.name))

    def tag(self, tag: Tag) -> str:
        """The field that records whether an optional tag is present."""
        return f"has_{self.member(tag.key)}"

    def member(self, key: str) -> str:
        """The field of a key without an override."""
        return identifier(snake(words(key)), FIELDS, "field_")

    # Functions.

    def function(self, struct: Struct, constructor: Constructor) -> str:
        """A constructor, as written in code."""
        return raw(override(constructor.about) or self._function_default(struct, constructor))

    def _function_default(self, struct: Struct, constructor: Constructor) -> str:
        """Its name without the words of the struct's name: NewPrompt of Message is `prompt`, NewMessage is `create`."""
        implied = {"new", *words(self._stem(struct.name))}
        parts = [word for word in words(constructor.about.name or constructor.name) if word not in implied]
        return identifier(snake(parts) or "create", FUNCTIONS, "make_")

    def bundle(self, struct: Struct, constructor: Constructor) -> str:
        """The struct of a constructor's parameters, if it takes one."""
        return f"{self.type(struct.name)}{pascal(words(self.function(struct, constructor)))}"

    def setter(self, field: Field) -> str:
        """The method that sets a field."""
        return f"with_{override(field.about) or self.member(field.about.name or field.name)}"

    def accessor(self, field: Field) -> str:
        """The method of a union for a member that its variants share, as written in code."""
        return raw(identifier(override(field.about) or self.member(field.about.name or field.name), ACCESSORS, "get_"))

    def view(self, field: Field) -> str:
        """The method of an Unknown for a member that it may have, as written in code."""
        return raw(identifier(override(field.about) or self.member(field.about.name or field.name), VIEWS, "get_"))

    def parameter(self, name: str) -> str:
        """A parameter, as written in code."""
        return raw(identifier(snake(words(name)), FREE, "arg_"))

    # For the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope, to find collisions."""
        for api in API:
            yield Name("crate", api, api, f"{api} of every crate", NOWHERE)
        if self._model.controls:
            for each in self._model.protocol.peers:
                yield Name("peers", self.peer(each), self.peer(each), f"peer {each}", NOWHERE)
        for declaration in self._model.declarations.values():
            name, about = declaration.name, declaration.about
            default = self._type_default(about.name or name)
            place = NOWHERE if name in self._hidden else declaration.place
            yield _name("crate", self.type(name), default, name, about, place)
        for unknown in unknown_plans(self._model):
            union, name = unknown.union, self.unknown(unknown.union)
            yield Name("crate", name, name, f"the Unknown of {union.name}", union.place)
        for enum in self._model.enums:
            for at, value in enumerate(enum.values):
                of = f"value {value.name} of {enum.name}"
                default = self._value_default(enum, at)
                yield _name(f"values of {enum.name}", self.value(enum, at), default, of, value.about, value.place)
        defaults: dict[str, list[str]] = {}
        for union in self._model.unions:
            for name, variant in self.variants(union).items():
                of = f"variant {name} of {union.name}"
                yield Name(f"variants of {union.name}", variant, variant, of, union.place)
                defaults.setdefault(name, []).append(self._variant_default(union, name))
        for name, found in defaults.items():
            yield from self._overridden_variant(name, found)
        for struct in self._model.structs:
            hidden = struct.name in self._hidden
            yield from (replace(name, place=NOWHERE) if hidden else name for name in self._of_struct(struct))

    def _overridden_variant(self, name: str, defaults: list[str]) -> Iterator[Name]:
        """The overrides for variants that hold a type, with one of their default names."""
        declared = self._model.declarations[name]
        name_given = override(declared.about, "variant")
        if name_given is not None:
            default = next((each for each in defaults if each != name_given), name_given)
            of = f"variants with {name}"
            yield Name(of, name_given, default, of, declared.place, overridden=True, key="variant")

    def _of_struct(self, struct: Struct) -> Iterator[Name]:
        scope = f"fields of {struct.name}"
        for tag in struct.tags:
            if tag.constant is not None and tag.optional:
                yield Name(scope, self.tag(tag), self.tag(tag), f"tag {tag.key} of {struct.name}", tag.place)
        name = self.type(struct.name)
        yield Name("crate", f"{name}Required", f"{name}Required", f"the arguments of {struct.name}::new", NOWHERE)
        if struct.constructors:
            yield Name(f"functions of {struct.name}", "new", "new", f"new of {struct.name}", struct.place)
        for each in struct.constructors:
            of = f"constructor {each.name} of {struct.name}"
            default = raw(self._function_default(struct, each))
            function = self.function(struct, each)
            yield _name(f"functions of {struct.name}", function, default, of, each.about, each.place)
            bundle = self.bundle(struct, each)
            yield Name("crate", bundle, bundle, f"the arguments of {of}", NOWHERE)
            yield from parameter_names(each, self.parameter)
        for field in struct.wire_fields:
            default = raw(self.member(field.about.name or field.name))
            of = f"field {field.name} of {struct.name}"
            yield _name(scope, self.field(field), default, of, field.about, field.place)
            setter = self.setter(field)
            yield Name(f"functions of {struct.name}", setter, setter, f"the setter of {of}", NOWHERE)


def _name(scope: str, name: str, default: str, of: str, about: About, place: SourceLocation) -> Name:
    return Name(scope, name, default, of, place, overridden=override(about) is not None)


def variant_types(dispatch: Dispatch) -> tuple[str, ...]:
    """The structs, and unions with other discriminators, between which a union decides, without duplicates."""
    if isinstance(dispatch, Leaf):
        return (dispatch.struct,)
    ways = dispatch.ways if isinstance(dispatch, Switch) else [then for _, then in dispatch.cases]
    found = [_target(then) for then in ways]
    if isinstance(dispatch, Switch):
        found += [struct for _, struct in dispatch.others]
        found += [] if dispatch.absent is None else [_target(dispatch.absent)]
    return tuple(dict.fromkeys(found))


def _target(dispatch: Dispatch) -> str:
    return dispatch.struct if isinstance(dispatch, Leaf) else dispatch.union
