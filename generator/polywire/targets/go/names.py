"""The model → the Go name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Types keep their stem; fields, constants and functions are exported and in MixedCaps, with the initialisms that Go
writes in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import About, Constructor, Enum, Field, Model, Struct, Union
from polywire.model.walk import types
from polywire.plan.unions import unknown_plans
from polywire.source.types import TupleType
from polywire.targets.common.base import Name, parameter_names
from polywire.targets.common.naming import Reserved, identifier, spelt, words

TARGET_NAME = "go"

INITIALISMS = {
    word.lower(): word
    for word in (
        *("API", "CPU", "CSS", "CWD", "DNS", "HTML", "HTTP", "HTTPS", "ID", "IDs", "IP", "JSON", "PDF", "RPC"),
        *("SDK", "SQL", "SSE", "SSH", "TCP", "TLS", "TTL", "UDP", "UI", "UID", "URI", "URL", "URLs", "USD"),
        *("UTF", "UTF8", "UUID", "XML"),
    )
}
"""Words that are written in capitals."""

KEYWORDS = frozenset(
    {
        *("break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go"),
        *("goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch"),
        *("type", "var"),
    }
)

PARAMETERS = KEYWORDS | {
    *("any", "bool", "err", "false", "float64", "int", "int64", "json", "make", "new", "nil", "string", "true", "uuid"),
    *("v", "x"),
}
"""Names that no parameter may have, because the bodies of constructors use them."""

METHODS = Reserved("fields", frozenset({"Extra", "MarshalJSON", "UnmarshalJSON"}), "Field")
"""The names that every struct has: its methods, and the field of undeclared members."""

ARGUMENTS = Reserved("parameters", PARAMETERS)

PLACEHOLDER = "polywireruntime"
"""The placeholder in the runtime for the name of the package."""

PROCESS_PLACEHOLDER = f"example.com/{PLACEHOLDER}"
"""The placeholder in the runtime of the process package for the path of its parent package."""

PROCESS_RUNTIME = ("process/process.go",)
"""The files of the process package, which is generated if the protocol has controls and its options start a process.

It is a separate package, so that programs without processes do not link os/exec.
"""

RUNTIME: Mapping[str, tuple[str, ...]] = {
    "box.go": ("Box",),
    "controls.go": ("ControlError", "None"),
    "decode.go": (),
    "encode.go": (),
    "equal.go": ("Equal",),
    "errors.go": (
        *("Code", "CodeBadFormat", "CodeInvalidJSON", "CodeInvalidUTF8", "CodeMissingField", "CodeNoVariant"),
        *("CodeOutOfBounds", "CodeOutOfRange", "CodeTooDeep", "CodeTooLong", "CodeUnknownField", "CodeUnknownValue"),
        *("CodeUnknownVariant", "CodeWrongConstant", "CodeWrongType", "DecodeError", "EncodeError"),
    ),
    "examine.go": (),
    "extra.go": ("Extra", "ExtraOf", "IsUnknown", "Member"),
    "flats.go": (),
    "launch.go": (
        *("LaunchCannotTravel", "LaunchConflict", "LaunchEnvironment", "LaunchError", "LaunchErrorCode"),
        *("LaunchUnknownRelease", "Launched"),
    ),
    "layout.go": (),
    "memory.go": (),
    "nullable.go": ("Null", "Nullable", "Ptr", "Some"),
    "rules.go": (),
    "scan.go": (),
    "session.go": (
        *("Session", "SessionAnswer", "SessionCancellation", "SessionError", "SessionErrorCode", "SessionEvent"),
        *("SessionFailure", "SessionIDInUse", "SessionInvalidAnswer", "SessionMessage", "SessionNotOpen"),
        *("SessionNotPending", "SessionNotification", "SessionOption", "SessionPending", "SessionRequest"),
        *("SessionStray", "SessionUnknownRequest", "SessionWrongDirection", "StrayLate", "StrayReason"),
        *("StrayRepeated", "StrayReused", "StrayUnknown", "WithRefuseUnknown"),
    ),
    "stream.go": (
        *("BadLine", "LineDecoder", "NewLineDecoderAs", "NewLineDecoderOf", "NewReaderOf", "NewWriter", "Option"),
        *("Reader", "WithLimit", "WithMode", "Writer"),
    ),
    "syntax.go": (),
    "tuples.go": (),
    "wire.go": (
        *("Decode", "DecodeAs", "Decoder", "Encode", "EncodeAs", "Examine", "Examined", "LenientMode", "Mode"),
        "StrictMode",
    ),
    "write.go": (),
}
"""File of the runtime → the names that it exports, which are reserved."""

API = (
    *("JSONUnmarshalers", "NewLineDecoder", "NewReader", "PackageVersion", "ProtocolNewest", "ProtocolOldest"),
    *("SpecHash", "TypeNames"),
)
"""Names that every package exports besides its runtime, independent of the spec."""

TOOL_API = ("ToolInput", "ToolOutput")

CONTROL_API = ("Control", "NewRequestID", "Refuse", "Reply", "UnwrapResponse", "WrapRequest", "WrapResponse")
LAUNCH_API = ("Launch",)
SESSION_API = ("ControlID", "ControlPayload", "NewSession", "Peer", "SessionResult", "UnmarshalControlPayload")
NOTIFY_API = ("Notification", "Notify", "UnmarshalNotification")
CANCEL_API = ("Cancel",)
ERROR_API = ("RefuseOption", "WithCode", "WithData")

TUPLES = tuple(f"Tuple{size}" for size in range(1, 33))
"""The reserved names of tuple types; those of longer tuples are reserved only if the spec has such a tuple."""

TAKEN = frozenset(
    {
        *(name for names in RUNTIME.values() for name in names),
        *(*API, *TOOL_API, *CONTROL_API, *LAUNCH_API, *SESSION_API, *NOTIFY_API, *CANCEL_API, *ERROR_API, *TUPLES),
        "String",  # its accessors would collide with those of strings
        "Unknown",  # its variants would have the marker method of Unknowns
    }
)
"""Names that packages may export or use; they are reserved in every spec, whatever it contains."""

TYPES = Reserved("declarations", TAKEN, "Type")
FUNCTIONS = Reserved("constructors", TAKEN, "Func")
VALUES = Reserved("values of enums", TAKEN, "Value")

RESERVED = (TYPES, METHODS, VALUES, FUNCTIONS, ARGUMENTS)


def protocol_api(model: Model) -> Iterator[str]:
    """Names that a package exports depending on the contents of its protocol."""
    yield from (f"Tuple{size}" for size in tuple_sizes(model))
    if model.tools:
        yield from TOOL_API
    if starts_processes(model):
        yield from LAUNCH_API
    control = model.protocol.control
    if control is None or not model.controls:
        return
    yield from CONTROL_API
    yield from SESSION_API
    if control.notify is not None:
        yield from NOTIFY_API
    if control.cancel is not None:
        yield from CANCEL_API
    details = () if control.error is None else (("WithCode", control.error.code), ("WithData", control.error.data))
    said = [name for name, place in details if place is not None]
    yield from (*said, *(["RefuseOption"] if said else []))


def tuple_sizes(model: Model) -> list[int]:
    """The sizes of the tuples in a model."""
    return sorted({len(each.items) for each in types(model) if isinstance(each, TupleType)})


def starts_processes(model: Model) -> bool:
    """Whether the options of some record start a process."""
    return any(struct.launch is not None for struct in model.structs)


def has_processes(model: Model) -> bool:
    """Whether the module has a process package."""
    return starts_processes(model) and bool(model.controls)


def runtime_files(model: Model) -> list[str]:
    """The files of the runtime that the package of a model has."""
    needed = {
        "controls.go": model.controls,
        "launch.go": starts_processes(model),
        "session.go": model.controls,
        "tuples.go": tuple_sizes(model),
    }
    return [file for file in RUNTIME if needed.get(file, True)]


def override(about: About, key: str) -> str | None:
    """The override for Go under a key."""
    return about.targets.get(TARGET_NAME, {}).get(key)


def mixed(parts: tuple[str, ...]) -> str:
    """Words → `MixedCaps`."""
    return "".join(INITIALISMS.get(part, part[:1].upper() + part[1:]) for part in parts)


def ascii_mixed(name: str) -> str:
    """A name in ASCII `MixedCaps`; a name without ASCII letters and digits is spelt by code points."""
    return re.sub(r"[^A-Za-z0-9]", "", mixed(words(name))) or mixed(spelt(name))


def small(name: str) -> str:
    """An exported name → the unexported name of the same words."""
    head = re.match(r"[A-Z]+(?![a-z])|[A-Z]", name)
    return name if head is None else head[0].lower() + name[head.end() :]


class Names:
    """Every Go name of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    # Declarations.

    def type(self, name: str) -> str:
        """The type of a declared enum, alias, struct or union; if it shares the type of another, the shared one."""
        about = self._model.declarations[name].about
        shared = override(about, "as")
        if shared is not None and shared in self._model.declarations:
            return self.type(shared)
        return override(about, "name") or self._default(about.name or name)

    def own(self, name: str) -> str:
        """The base name of functions for a declaration, even if it shares the type of another."""
        about = self._model.declarations[name].about
        return override(about, "name") or self._default(about.name or name)

    def _default(self, stem: str, reserved: Reserved = TYPES) -> str:
        plain = re.fullmatch(r"[A-Z][A-Za-z0-9]*", stem)
        return reserved.apart(stem if plain else self._exported(stem, "Type"))

    def _exported(self, stem: str, prefix: str) -> str:
        name = ascii_mixed(stem)
        return name if name[:1].isalpha() and name[:1].isupper() else prefix + name

    def unknown(self, union: Union) -> str:
        """The type of a union's Unknown."""
        return self._default(union.unknown)

    def value(self, enum: Enum, at: int) -> str:
        """The constant of an enum value."""
        return override(enum.values[at].about, "name") or self._value_default(enum, at)

    def _value_default(self, enum: Enum, at: int) -> str:
        value = enum.values[at]
        stem = ascii_mixed(value.about.name or value.name)
        return VALUES.apart((override(enum.about, "prefix") or self.type(enum.name)) + (stem or str(at)))

    # Members.

    def field(self, field: Field) -> str:
        """The field of a struct member."""
        return override(field.about, "name") or self.member(field.about.name or field.name)

    def member(self, key: str) -> str:
        """The name of a member's field without an override."""
        return METHODS.apart(self._exported(key, "Field"))

    # Functions.

    def function(self, constructor: Constructor) -> str:
        """The function of a constructor."""
        about = constructor.about
        return override(about, "name") or self._default(about.name or constructor.name, FUNCTIONS)

    def parameter(self, name: str) -> str:
        """A parameter of a constructor function."""
        plain = name if re.fullmatch(r"[a-z][A-Za-z0-9]*", name) else small(self._exported(name, "Value"))
        return identifier(plain, ARGUMENTS, "value")

    def peer(self, name: str) -> str:
        """The constant of a peer."""
        return f"Peer{self._exported(name, '')}"

    # For the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope, to find collisions."""
        runtime = (name for file in runtime_files(self._model) for name in RUNTIME[file])
        for api in (*runtime, *API, *protocol_api(self._model)):
            yield Name("package", api, api, f"{api} of every package", NOWHERE)
        if self._model.protocol.control is not None and self._model.controls:
            for peer in self._model.protocol.peers:
                yield Name("package", self.peer(peer), self.peer(peer), f"the peer {peer}", NOWHERE)
        for declaration in self._model.declarations.values():
            if override(declaration.about, "as") is None:
                name = declaration.name
                yield self._named("package", self.type(name), name, declaration.about, declaration.place)
        for union in (each.union for each in unknown_plans(self._model)):
            name = self.unknown(union)
            yield Name("package", name, name, f"the Unknown of {union.name}", union.place)
        for union in self._model.unions:
            name = f"Unmarshal{self.own(union.name)}"
            yield Name("package", name, name, f"the decoder of {union.name}", union.place)
            if override(union.about, "embed") is not None:
                raw = f"Raw{self.type(union.name)}"
                yield Name("package", raw, raw, f"the discriminators of {union.name}", union.place)
        yield from self._callbacks()
        for enum in self._model.enums:
            yield from self._of_enum(enum)
        for struct in self._model.structs:
            yield from self._of_struct(struct)

    def _callbacks(self) -> Iterator[Name]:
        """The named function types, without duplicates."""
        fields = (each for struct in self._model.structs for each in struct.fields if each.callback is not None)
        named = {name: each for each in fields if (name := override(each.about, "type")) is not None}
        for name, each in named.items():
            yield Name("package", name, name, f"the type of {each.name}", each.place)

    def _named(self, scope: str, name: str, stem: str, about: About, place: SourceLocation) -> Name:
        default = self._default(about.name or stem)
        return Name(scope, name, default, stem, place, overridden=override(about, "name") is not None)

    def _of_enum(self, enum: Enum) -> Iterator[Name]:
        if override(enum.about, "layout") == "string":
            known = f"Known{self.type(enum.name)}"
            yield Name("package", known, known, f"the known values of {enum.name}", enum.place)
        for at, value in enumerate(enum.values):
            yield Name(
                "package",
                self.value(enum, at),
                self._value_default(enum, at),
                f"value {value.name} of {enum.name}",
                value.place,
                overridden=override(value.about, "name") is not None,
            )

    def _of_struct(self, struct: Struct) -> Iterator[Name]:
        scope = f"fields of {struct.name}"
        for tag in struct.tags:
            if tag.constant is not None:
                name = self.member(tag.key)
                yield Name(scope, name, name, f"tag {tag.key} of {struct.name}", tag.place)
        for const in struct.consts:
            name = self.member(const.key)
            yield Name(scope, name, name, f"constant {const.key} of {struct.name}", const.place)
        for field in struct.fields:
            yield Name(
                scope,
                self.field(field),
                self.member(field.about.name or field.name),
                f"field {field.name} of {struct.name}",
                field.place,
                overridden=override(field.about, "name") is not None,
            )
        for constructor in struct.constructors:
            yield Name(
                "package",
                self.function(constructor),
                self._default(constructor.about.name or constructor.name, FUNCTIONS),
                f"constructor {constructor.name} of {struct.name}",
                constructor.place,
                overridden=override(constructor.about, "name") is not None,
            )
            yield from parameter_names(constructor, self.parameter)
