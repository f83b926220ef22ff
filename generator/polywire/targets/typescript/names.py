"""The model → the TypeScript name of everything in it: the naming rule, the overrides of the spec, the reserved names.

Members keep their spelling on the wire, as objects are those that `JSON.parse` returns. Types keep their stem; the
names of related items are derived from the type's: `Color` → `KnownColor`, `COLORS`, `Shape` → `ShapeOrUnknown`,
`isShape`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from polywire.ground.location import NOWHERE
from polywire.model.nodes import About, Enum, Model, Struct, Union
from polywire.model.walk import structs_of
from polywire.plan.controls import ControlsPlan, controls_plan
from polywire.plan.unions import unknown_plans
from polywire.targets.common.base import Name
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, words

TARGET_NAME = "typescript"

KEYWORDS = frozenset(
    {
        *("any", "as", "asserts", "async", "await", "bigint", "boolean", "break", "case", "catch", "class"),
        *("const", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "export"),
        *("extends", "false", "finally", "for", "from", "function", "get", "global", "if", "implements"),
        *("import", "in", "infer", "instanceof", "interface", "intrinsic", "is", "keyof", "let", "module"),
        *("namespace", "never", "new", "null", "number", "object", "of", "package", "private", "protected"),
        *("public", "readonly", "require", "return", "set", "static", "string", "super", "switch", "symbol"),
        *("this", "throw", "true", "try", "type", "typeof", "undefined", "unique", "unknown", "using", "var"),
        *("void", "while", "with", "yield", "arguments", "eval"),
    }
)
"""Words that are not valid as the name of a type or a function in all contexts."""

GLOBALS = frozenset(
    {
        *(
            "AbortController",
            "AbortSignal",
            "Array",
            "ArrayBuffer",
            "AsyncIterable",
            "AsyncIterableIterator",
            "AsyncIterator",
            "BigInt",
            "Boolean",
            "Date",
            "Error",
        ),
        *(
            "Exclude",
            "Extract",
            "Function",
            "Infinity",
            "Iterable",
            "IterableIterator",
            "IteratorResult",
            "JSON",
            "Map",
            "Math",
            "NaN",
            "Number",
        ),
        *(
            "NonNullable",
            "Object",
            "Omit",
            "Parameters",
            "Partial",
            "Pick",
            "Promise",
            "Proxy",
            "ReadableStream",
            "Record",
            "Reflect",
        ),
        *("RegExp", "Required", "Set", "String", "Symbol", "TextDecoder", "TextEncoder", "TransformStream"),
        *("Uint8Array", "WeakMap", "WeakSet", "WritableStream", "globalThis", "isFinite", "isNaN"),
    }
)
"""Globals that the package itself uses, and must not shadow."""

PARAMETERS = frozenset("ABCDEFKMNPRTU")
"""The type parameters of declarations in which types of the spec occur; they would hide a type of the same name."""

FUNCTIONS = ("decode", "decodeStream", "decodeValue", "encode", "examine", "is", "isKnown", "isUnknown", "read")
CLASSES = ("BadLine", "DecodeError", "EncodeError", "LineDecoder", "Reader", "Writer")
CONSTANTS = (
    "NULLS",
    "PACKAGE_VERSION",
    "PROTOCOL_NEWEST",
    "PROTOCOL_OLDEST",
    "SPEC_HASH",
    "SPEC_NAMES",
    "TYPES",
    "UNFIT",
    "define",
    "typed",
)
TYPES = (
    *(
        "BaseLineDecoder",
        "BaseReader",
        "BaseWriter",
        "ByteSink",
        "ByteSource",
        "Closed",
        "ClosedArray",
        "ClosedKey",
        "ClosedNew",
        "ClosedNumber",
        "ClosedText",
        "ClosedValue",
        "DecodeOptions",
        "ErrorCode",
        "Examined",
    ),
    *(
        "Known",
        "LiteralNumber",
        "LiteralText",
        "PatternText",
        "RecordOf",
        "StreamOptions",
        "Timestamp",
        "TypeToken",
        "Types",
        "UUID",
        "UnionToken",
        "Unknown",
    ),
    *("UnknownInteger", "UnknownTag", "ValueOf", "WithNulls", "WithUnfit"),
)

VALUES_OF = {
    "every": (*FUNCTIONS, *CLASSES, *CONSTANTS),
    "controls": ("ControlError", "Session", "SessionError", "decodeResponse", "isRequestOf", "reply", "request"),
    "errors": ("refuse",),
    "data": (),
    "notify": ("notify",),
    "cancel": ("cancel",),
    "input": ("toolInput",),
    "output": ("toolOutput",),
    "launch": ("LaunchError", "launch"),
}
"""What a package exports at run time: any package, one with controls, with error responses, with types of their data,
with notifications, with cancellations, with inputs or outputs of tools, with options that start a process."""

TYPES_OF = {
    "every": TYPES,
    "controls": (
        *("NewResponseTo", "Replies", "ReplyTo", "ResponseTo", "Responses", "SentRequests", "SessionAnswer"),
        *("SessionAnswerTo", "SessionEvent", "SessionRequest", "SessionRequestOf"),
    ),
    "errors": (),
    "data": ("ErrorData",),
    "notify": ("SentNotifications",),
    "cancel": (),
    "input": ("ToolInputs",),
    "output": ("ToolOutputs",),
    "launch": ("Launch", "LaunchEnvironment"),
}
"""The additional exports that are types only."""

IN_INDEX = ("codec", "controls", "launching", "pairs", "respond", "sessions", "streams", "tables", "types")
"""The names that `index.js` imports for its own use, besides those that it exports."""

IN_TABLES = ("e", "t")
"""The same for `tables.js`, which defines the types."""

IN_NODE = ("Answers", "Process", "ProcessEnd", "ProcessError", "ProcessLaunch", "ProcessOptions")
"""The types of `node.d.ts`, which imports the type of the root."""

OFFERED = frozenset(name for of in (VALUES_OF, TYPES_OF) for names in of.values() for name in names)
"""The names that packages may export; they are reserved in every spec, whatever it contains."""

MODULE = KEYWORDS | GLOBALS | PARAMETERS | OFFERED | {*IN_INDEX, *IN_NODE, *IN_TABLES}

DECLARED = Reserved("declarations", MODULE, "Type")
GUARDS = Reserved("guards", MODULE, "Type")
ARRAYS = Reserved("arrays of the values of enums", MODULE, "_VALUES")

RESERVED = (DECLARED, GUARDS, ARRAYS)

MESSAGE = "message"
"""The last word of the name of a struct from the section `messages`, which its guard omits."""


def override(about: About, key: str = "name") -> str | None:
    """The override of a name in TypeScript."""
    return about.targets.get(TARGET_NAME, {}).get(key)


def plural(word: str) -> str:
    """The plural of an English word in capitals: `ENTRY` → `ENTRIES`."""
    if word.endswith("Y") and word[-2:-1] not in set("AEIOU"):
        return word[:-1] + "IES"
    return word + ("ES" if word.endswith(("S", "X", "Z", "CH", "SH")) else "S")


class Names:
    """Every TypeScript name of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    # Types.

    def type(self, name: str) -> str:
        """A declared enum, alias, struct or union; for an open union, the type of its known variants."""
        about = self._model.declarations[name].about
        return override(about) or self._type_default(about.name or name)

    def value_type(self, name: str) -> str:
        """The type of decoded values of a declaration; for an open union, it includes the Unknown."""
        declared = self._model.declarations[name]
        return self.or_unknown(declared) if isinstance(declared, Union) and declared.open else self.type(name)

    def or_unknown(self, union: Union) -> str:
        """An open union together with its Unknown."""
        return self.type(union.name) + "OrUnknown"

    def unknown(self, union: Union) -> str:
        """The type of objects that match no variant of an open union; unions may share it."""
        return self._type_default(union.unknown)

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

    def _type_default(self, stem: str) -> str:
        plain = stem.isascii() and stem.isidentifier() and not stem.startswith("_")
        return identifier(stem if plain and stem[0].isupper() else pascal(words(stem)), DECLARED, "Type")

    # Values.

    def values(self, enum: Enum) -> str:
        """The array of an enum's declared values."""
        return override(enum.about, "values") or self._values_default(enum)

    def _values_default(self, enum: Enum) -> str:
        *head, last = words(enum.about.name or enum.name) or ("value",)
        return identifier("_".join((*(part.upper() for part in head), plural(last.upper()))), ARRAYS, "VALUES_")

    def member(self, enum: Enum, at: int) -> str:
        """The name of a value of an enum of numbers, as a member of the object named after the enum."""
        about = enum.values[at].about
        return override(about) or self._member_default(enum, at)

    def _member_default(self, enum: Enum, at: int) -> str:
        each = enum.values[at]
        return identifier(pascal(words(each.about.name or each.name)), FREE, "Value")

    def guard(self, name: str) -> str:
        """The guard of a struct or union, which for an open union accepts only known variants."""
        return override(self._model.declarations[name].about, "guard") or self._guard_default(name)

    def _guard_default(self, name: str) -> str:
        declared = self._model.declarations[name]
        stem = words(declared.about.name or name)
        if isinstance(declared, Struct) and declared.section == "messages" and stem[1:] and stem[-1] == MESSAGE:
            return GUARDS.apart("is" + self._type_default(declared.about.name or name)[: -len(MESSAGE)])
        return GUARDS.apart("is" + self._type_default(declared.about.name or name))

    @cached_property
    def guarded(self) -> tuple[str, ...]:
        """The declarations that have a guard: all unions and their variants, in declared order."""
        variants = {struct for union in self._model.unions for struct in structs_of(union.dispatch)}
        return tuple(
            declared.name
            for declared in self._model.declarations.values()
            if isinstance(declared, Union) or declared.name in variants
        )

    # For the checks.

    def all(self) -> Iterator[Name]:
        """Every name with its scope, to find collisions."""
        for part in parts(self._model):
            for api in (*VALUES_OF[part], *TYPES_OF[part]):
                yield Name("module", api, api, f"{api} of every package", NOWHERE)
        for internal in (*IN_INDEX, *IN_TABLES):
            yield Name("module", internal, internal, f"{internal} in the code of every package", NOWHERE)
        for name, declared in self._model.declarations.items():
            default = self._type_default(declared.about.name or name)
            given = override(declared.about) is not None
            yield Name("module", self.type(name), default, name, declared.place, overridden=given)
        for union in self._model.unions:
            if union.open:
                both = self.or_unknown(union)
                yield Name("module", both, both, f"{union.name} with its Unknown", union.place)
        for union in (each.union for each in unknown_plans(self._model)):
            unknown = self.unknown(union)
            yield Name("module", unknown, unknown, f"the Unknown of {union.name}", union.place)
        for union in self.viewed:
            for name in (self.viewer(union), self.view(union)):
                yield Name("module", name, name, f"the view of the Unknown of {union.name}", union.place)
        for name in self.guarded:
            yield self._guard_name(name)
        for enum in self._model.enums:
            yield from self._of_enum(enum)

    def _guard_name(self, name: str) -> Name:
        declared = self._model.declarations[name]
        given = override(declared.about, "guard") is not None
        default = self._guard_default(name)
        of = f"the guard of {name}"
        return Name("module", self.guard(name), default, of, declared.place, overridden=given, key="guard")

    def _of_enum(self, enum: Enum) -> Iterator[Name]:
        if enum.open:
            known = self.known(enum)
            yield Name("module", known, known, f"the known values of {enum.name}", enum.place)
        given = override(enum.about, "values") is not None
        default = self._values_default(enum)
        of = f"the values of {enum.name}"
        yield Name("module", self.values(enum), default, of, enum.place, overridden=given, key="values")
        if enum.base == "integer":
            for at, value in enumerate(enum.values):
                yield Name(
                    f"values of {enum.name}",
                    self.member(enum, at),
                    self._member_default(enum, at),
                    f"value {value.name} of {enum.name}",
                    value.place,
                    overridden=override(value.about) is not None,
                )


def parts(model: Model) -> tuple[str, ...]:
    """The keys of `VALUES_OF` and `TYPES_OF` whose names the package of a model has."""
    controls = controls_plan(model)
    present = {
        "every": True,
        "controls": controls is not None,
        "errors": controls is not None and controls.error is not None,
        "data": controls is not None and bool(_typed_data(controls)),
        "notify": controls is not None and controls.notify is not None,
        "cancel": controls is not None and controls.cancel is not None,
        "input": any(tool.input is not None for tool in model.tools),
        "output": any(tool.output is not None for tool in model.tools),
        "launch": any(struct.launch is not None for struct in model.structs),
    }
    return tuple(part for part, there in present.items() if there)


def _typed_data(controls: ControlsPlan) -> tuple[object, ...]:
    """The types of errors' data."""
    coded = () if controls.error is None else controls.error.types
    return (*coded, *(each.error for each in controls.pairs if each.error is not None))


def exported(model: Model, names: Names) -> tuple[str, ...]:
    """The run-time exports of the package, in alphabetical order, for both its declarations and its code."""
    return tuple(
        sorted(
            (
                *(value for part in parts(model) for value in VALUES_OF[part]),
                *(names.guard(name) for name in names.guarded),
                *(names.viewer(union) for union in names.viewed),
                *(names.values(enum) for enum in model.enums),
                *(names.type(name) for name in model.declarations),
            )
        )
    )
