"""What a spec may contain and where, as data: one table for the reader, hints, and the JSON schema for editors.

A *shape* describes what a YAML node must look like. A `Record` has named keys, each with a shape and a description; a
`Dict` has keys that the spec's author chooses; an `Either` has one shape for each kind of node, so the node itself
decides which applies. Shapes do not recurse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from polywire.ground.paths import NO_DEVICE

# --- shapes ----------------------------------------------------------------------------------------------------

WordKind: TypeAlias = Literal[
    "text", "prose", "keyword", "name", "word", "package", "key", "value", "field", "expression", "answer", "param",
    "flag",
    "integer", "version", "interval", "pointer", "place", "path", "license",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a kind of word: a pattern that the whole text must match, and a phrase that describes it."""

    pattern: str
    expected: str
    rule: str = "wrong-kind"


_VERSION = r"[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.-]+)?"

FORMS: Mapping[WordKind, Form] = MappingProxyType(
    {
        "text": Form(r"[\s\S]+", "text"),
        "prose": Form(r"[\s\S]+", "text"),
        "keyword": Form(r"[\s\S]+", "a keyword"),
        "name": Form(
            r"[A-Za-z][A-Za-z0-9_]*", "a name of letters, digits and `_` that starts with a letter", "bad-name"
        ),
        "word": Form(r"[A-Za-z_$][A-Za-z0-9_$-]*", "a word of letters, digits, `_`, `$` and `-`", "bad-name"),
        "package": Form(
            rf"{NO_DEVICE}[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*",
            "a name that can be part of a file's name on every system",
            "bad-name",
        ),
        "key": Form(r"[\s\S]+", "a key, not empty"),
        "value": Form(r"[\s\S]*", "a value of an enum"),
        "field": Form(r"(?!\?$)[\s\S]+", "the name of a field, with `?` behind it if it may be absent"),
        "expression": Form(r"[\s\S]+", "a type expression", "bad-type"),
        "answer": Form(r"[\s\S]+", "a type expression, `none`, or `T | none`", "bad-type"),
        "param": Form(
            r"(/([^~/]|~[01])*)*|[^/][\s\S]*", "a type expression, or a pointer into the request", "bad-type"
        ),
        "flag": Form(r"true|false", "`true` or `false`"),
        "integer": Form(r"-?(0|[1-9][0-9]{0,15})", "an integer"),
        "version": Form(_VERSION, "a version such as `0.2.33`"),
        "interval": Form(rf"{_VERSION}\.\.({_VERSION})?", "an interval such as `0.2.33..0.2.45` or `0.3.160..`"),
        "pointer": Form(r"(/([^~/]|~[01])*)*", "a JSON Pointer such as `/message/id`"),
        "place": Form(
            r"([^~/]|~[01])*(/([^~/]|~[01])*)*",
            "a JSON Pointer into the line such as `/message/id`, or one without the leading `/` into the row's value",
        ),
        "license": Form(
            r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*( (AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*)*",
            "an SPDX expression such as `MIT` or `Apache-2.0 OR MIT`",
        ),
        "path": Form(r"[^\\\x00-\x1f\x7f]+", "a path relative to the spec's folder, with `/`"),
    }
)
"""The form of each kind of word. `expression`, `answer` and `param` have their own parser (`polywire.source.expr`)."""

PATTERNS: Mapping[WordKind, re.Pattern[str]] = MappingProxyType(
    {kind: re.compile(f.pattern) for kind, f in FORMS.items()}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A scalar."""

    kind: WordKind
    choices: tuple[str, ...] = ()
    """The allowed keywords."""


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON value; plain scalars have their JSON meaning, quoted ones are strings.

    `scalar`: no list or mapping, and no null unless it is `nullable`.
    """

    scalar: bool = False
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """A JSON value, `{file: PATH, doc: …}` for a value in a file, or `{doc: …, value: …}`, both with unquoted keys."""


@dataclass(frozen=True, slots=True)
class Sequence:
    item: Shape
    nonempty: bool = False


@dataclass(frozen=True, slots=True)
class Dict:
    """A mapping whose keys the author chooses. `single`: it has exactly one key."""

    key: Word
    value: Shape
    single: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record: the shape of its value, and its description."""

    shape: Shape
    doc: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with the keys of a construct. `name` is unique; `doc` describes the construct.

    `rest` describes further keys, which the author chooses.
    """

    name: str
    doc: str
    keys: Mapping[str, Key]
    rest: Dict | None = None


@dataclass(frozen=True, slots=True)
class Either:
    """A short form and a long form; at most one shape for each kind of YAML node."""

    scalar: Word | Json | None = None
    listing: Sequence | None = None
    table: Record | Dict | None = None


@dataclass(frozen=True, slots=True)
class Removable:
    """In a dialect: the shape, or the unquoted word `remove`."""

    shape: Shape


Shape: TypeAlias = "Word | Json | Sample | Sequence | Dict | Record | Either | Removable"

REMOVE = "remove"

# --- words -----------------------------------------------------------------------------------------------------

TEXT = Word("text")
PROSE = Word("prose")
NAME = Word("name")
WORD = Word("word")
PACKAGE = Word("package")
KEY = Word("key")
VALUE = Word("value")
FIELD_NAME = Word("field")
EXPRESSION = Word("expression")
ANSWER = Word("answer")
PARAM = Word("param")
FLAG = Word("flag")
INTEGER = Word("integer")
VERSION = Word("version")
INTERVAL = Word("interval")
POINTER = Word("pointer")
PLACE = Word("place")
PATH = Word("path")
JSON = Json()
JSON_SCALAR = Json(scalar=True)


def keyword(*choices: str) -> Word:
    return Word("keyword", choices)


# --- keys of every declaration, field and value ----------------------------------------------------------------

TARGETS = Dict(WORD, Dict(WORD, Either(scalar=WORD, table=Dict(WORD, WORD))))

DEPRECATED = Record(
    "deprecation",
    "What to use instead, and since when.",
    {
        "since": Key(VERSION, "The first release in which it is deprecated.", required=True),
        "use": Key(PROSE, "What to use instead.", required=True),
    },
)
PROSE_KEYS = {
    "doc": Key(PROSE, "The documentation, which is part of the generated code and pages."),
    "source": Key(PROSE, "The source of the fact."),
    "deprecated": Key(Either(scalar=PROSE, table=DEPRECATED), "What to use instead."),
    "observed": Key(FLAG, "Seen on the wire, but not declared upstream."),
}
INTERVAL_KEYS = {
    "since": Key(VERSION, "The first release that has it."),
    "until": Key(VERSION, "The last release that has it."),
    "in": Key(Sequence(INTERVAL), "The releases that have it, instead of `since` and `until`: `[A..B, C..]`."),
}
FORMERLY = Record(
    "former name",
    "The name in earlier releases.",
    {
        "name": Key(KEY, "The earlier name.", required=True),
        "until": Key(VERSION, "The last release that has the earlier name.", required=True),
    },
)
FORMERLY_KEYS = {
    "formerly": Key(
        Either(scalar=KEY, table=FORMERLY),
        "Its earlier name; a string if no described release has that name.",
    ),
}
NAMING_KEYS = {
    "name": Key(NAME, "The base of its name in all targets, instead of the declared name."),
    "targets": Key(TARGETS, "Overrides by target: `{go: {name: ExitCode}}`, or `{go: {kinds: {string: Raw}}}`."),
}
EXAMPLE_KEYS = {
    "examples": Key(
        Sequence(Sample()), "Instances: JSON values, or `{file: PATH}`. They are validated and become cases."
    ),
}
ABOUT_KEYS = {**PROSE_KEYS, **INTERVAL_KEYS, **FORMERLY_KEYS, **NAMING_KEYS}
DECLARATION_KEYS = {**ABOUT_KEYS, **EXAMPLE_KEYS}

SAMPLE_FILE = Record(
    "example in a file",
    "An example in a file.",
    {
        "file": Key(PATH, "The file: one JSON value, or one a line if it ends in `.ndjson`.", required=True),
        "doc": PROSE_KEYS["doc"],
    },
)
SAMPLE_VALUE = Record(
    "example with a doc",
    "An example and what it shows.",
    {"doc": PROSE_KEYS["doc"], "value": Key(JSON, "The example.", required=True)},
)
"""The two forms of a `Sample` other than the plain value."""

_UNTIL = Key(VERSION, "The last release to which this applies.", required=True)
_PRESENCE = Key(keyword("required", "optional"), "Whether it was required up to that release.")


def _was(name: str, type_: Word, more: Mapping[str, Key]) -> Key:
    record = Record(
        name,
        "The state in earlier releases.",
        {"until": _UNTIL, "type": Key(type_, "The type up to that release."), **more},
    )
    return Key(
        Sequence(record), "The state in earlier releases, the oldest first; omitted keys are as in the newest release."
    )


def _typed(what: str, type_: Word) -> Either:
    """A type, or a type with its history; in earlier releases there may have been none."""
    keys = {"type": Key(type_, "The type.", required=True), "was": _was(f"earlier {what}", ANSWER, {})}
    return Either(scalar=type_, table=Record(what, "A type with its history.", keys))


WAS = _was("earlier type", EXPRESSION, {})
FIELD_WAS = _was("earlier field", EXPRESSION, {"presence": _PRESENCE})


def _named_entry(what: str, doc: str) -> Either:
    """A name, or a name with the releases in which it is listed."""
    return Either(
        scalar=NAME, table=Record(what, doc, {"name": Key(NAME, "The declaration.", required=True), **INTERVAL_KEYS})
    )


# --- enums and aliases -----------------------------------------------------------------------------------------

ENUM_VALUE_RECORD = Record(
    "enum value",
    "One value of an enum.",
    {**ABOUT_KEYS, "value": Key(INTEGER, "The value on the wire, for an enum with `base: integer`.")},
)
ENUM_VALUE = Either(scalar=PROSE, table=ENUM_VALUE_RECORD)
ENUM = Record(
    "enum",
    "A named set of values.",
    {
        **DECLARATION_KEYS,
        "open": Key(FLAG, "Whether unlisted values are kept (true) or rejected (false).", required=True),
        "base": Key(keyword("string", "integer"), "The type of the values on the wire; `string` by default."),
        "values": Key(Dict(VALUE, ENUM_VALUE), "The values, each with its doc.", required=True),
    },
)
ALIAS = Record(
    "alias",
    "A name for a type expression.",
    {
        **DECLARATION_KEYS,
        "type": Key(EXPRESSION, "The type expression.", required=True),
        "was": WAS,
    },
)

# --- types, messages, options ----------------------------------------------------------------------------------

FIELD_KEYS = {
    **ABOUT_KEYS,
    **EXAMPLE_KEYS,
    "type": Key(EXPRESSION, "The type of the value.", required=True),
    "construct": Key(keyword("required"), "Required in constructors, although readers accept its absence."),
    "default": Key(JSON, "The value that a constructor sets if none is given."),
    "on_error": Key(
        JSON,
        "What lenient mode does with an invalid value: `absent`, `skip` (the items of a list), `[skip, "
        "absent]`, a JSON value to use instead, or `[skip, VALUE]`.",
    ),
    "flatten": Key(FLAG, "Whether its members are part of this object."),
    "was": FIELD_WAS,
}
CALLBACK = Record(
    "callback",
    "A function in the API.",
    {
        "params": Key(
            Dict(NAME, PARAM),
            "Its parameters: their types or, with `answers`, pointers to their values in the request, by default the "
            "whole of it.",
        ),
        "returns": Key(
            EXPRESSION, "The type that it returns; with `answers`, that of the result, or of the member, by default."
        ),
        "answers": Key(KEY, "The control whose requests it answers."),
        "id": Key(POINTER, "Where a request has the id of the function that answers it."),
        "result": Key(POINTER, "Where the returned value belongs in the result; by default it is the result."),
        "none": Key(JSON, "The returned value of a function that returns nothing."),
        "receives": Key(keyword("stderr"), "The output of the process that the function is called with."),
        "list": Key(FLAG, "Whether the option takes a list of such functions."),
    },
)
OTHER_OPTION = Either(scalar=KEY, table=Dict(KEY, JSON))
CARRIER = Record(
    "carrier",
    "A way in which an option is sent.",
    {
        "flag": Key(TEXT, "An argument of the command line; for `pairs`, what precedes each key."),
        "env": Key(TEXT, "An environment variable of the process."),
        "control": Key(KEY, "A member of the payload of this request, which is part of the launch."),
        "process": Key(
            keyword("program", "program_arguments", "script", "cwd", "environment"), "How the process is started."
        ),
        "as": Key(
            keyword("value", "bare", "join", "repeat", "json", "pairs", "keys", "list", "ids"),
            "The form in which it is sent; `value` by default.",
        ),
        "at": Key(POINTER, "A pointer into the request, or into the JSON object of the flag."),
        "from": Key(
            POINTER,
            "A pointer to the part of the value to send; with `join`, `repeat` and `keys`, the part of each item.",
        ),
        "only": Key(Dict(POINTER, JSON), "Send only the items or entries that meet this condition."),
        "except": Key(Dict(POINTER, JSON), "Do not send the items or entries that meet this condition."),
        "omit": Key(
            Sequence(KEY),
            "Members of items or entries to leave out; an item that is then empty is left out as well.",
        ),
        "value": Key(JSON_SCALAR, "The value to send instead."),
        "wrap": Key(TEXT, "A template for each string, or for the number of an id, which replaces the `*`."),
        "when": Key(
            JSON,
            "Use the carrier only for this value: a scalar, `{kind: …}`, `{POINTER: VALUE}`, or a list of these.",
        ),
        "unless": Key(OTHER_OPTION, "Do not send this option if that option is sent, or has that value."),
        "with": Key(OTHER_OPTION, "Send this option only if that option is sent, or has that value."),
        "absent": Key(JSON, "The value to send if the option is not given."),
        "empty": Key(keyword("keep", "drop"), "Whether to send an empty string, list or map, and 0."),
        **INTERVAL_KEYS,
    },
)
OPTION_KEYS = {
    **FIELD_KEYS,
    "type": replace(FIELD_KEYS["type"], required=False),
    "callback": Key(CALLBACK, "A function, which is never sent."),
    "live": Key(FLAG, "Whether it is a live object of the API, which is never sent."),
    "carry": Key(
        Sequence(CARRIER), "How it is sent, in each applicable way; an empty list if only the client uses it."
    ),
}
FIELD_RECORD = Record("field", "A member of an object.", FIELD_KEYS)
OPTION_RECORD = Record("option", "An option of a configuration record.", OPTION_KEYS)
FIELD = Either(scalar=EXPRESSION, table=FIELD_RECORD)
OPTION = Either(scalar=EXPRESSION, table=OPTION_RECORD)
FIELDS = Dict(FIELD_NAME, FIELD)

CONSTRUCTOR = Record(
    "constructor",
    "A function that makes an instance.",
    {
        **PROSE_KEYS,
        **NAMING_KEYS,
        "params": Key(
            Sequence(Dict(NAME, POINTER, single=True)),
            "Its parameters in order, each with a pointer to the member that it sets.",
        ),
        "set": Key(Dict(POINTER, JSON), "Fixed values, by pointer to the member."),
    },
)
CONSTRUCT_KEYS = {"construct": Key(Dict(NAME, CONSTRUCTOR), "Constructors by name.")}
PREFIX = Record("prefix", "Every string with this prefix.", {"prefix": Key(TEXT, "The prefix.", required=True)})
TAG = Dict(FIELD_NAME, Either(scalar=Json(scalar=True, nullable=True), listing=Sequence(JSON_SCALAR), table=PREFIX))

TYPE_KEYS = {
    **DECLARATION_KEYS,
    "include": Key(
        Sequence(_named_entry("included type", "A type whose fields are included first.")),
        "Types whose fields are included first.",
    ),
    "tag": Key(
        TAG,
        "The values that identify it in unions, by key: a string, boolean or integer, a list of strings or of"
        " integers, the name of an enum, `{prefix: TEXT}`, or null for absence.",
    ),
    "others": Key(
        TEXT, "A pattern for unknown values of the tag's open enum that also select this type, such as `error_*`."
    ),
    "const": Key(Dict(KEY, JSON_SCALAR), "Constant members that do not identify it."),
    "fields": Key(FIELDS, "Its members in order; `name?` is optional."),
    "extra": Key(EXPRESSION, "The type of the values of all other keys."),
    **CONSTRUCT_KEYS,
}
TYPE = Record("type", "A JSON object with known members.", TYPE_KEYS)
MESSAGE = Record(
    "message",
    "A type that is sent as a line of its own.",
    {**TYPE_KEYS, "from": Key(WORD, "The peer that sends it, or `both`.", required=True)},
)
CONFLICT = Record(
    "conflict",
    "Pairs of options that exclude each other.",
    {
        "fields": Key(Sequence(KEY), "The names of two options.", required=True),
        "when": Key(keyword("equal"), "They conflict only if their values are equal."),
        "message": Key(PROSE, "Why, for people.", required=True),
        **INTERVAL_KEYS,
    },
)
LAUNCH = Record(
    "launch",
    "How a process is started with this record.",
    {
        "arguments": Key(Sequence(VALUE), "The arguments before all others."),
        "environment": Key(
            Dict(KEY, JSON), "Environment variables: a string is set if the variable is not, null removes the variable."
        ),
        "inherit": Key(
            keyword("always", "unless_given", "never"),
            "Whether the process inherits the environment of the client; `unless_given` by default.",
        ),
        "control": Key(KEY, "The request that is sent even if no option is part of it."),
    },
)
OPTIONS = Record(
    "options",
    "A configuration record.",
    {
        **TYPE_KEYS,
        "fields": Key(Dict(FIELD_NAME, OPTION), "Its members in order; `name?` is optional."),
        "conflicts": Key(Sequence(CONFLICT), "Pairs of options that exclude each other."),
        "launch": Key(LAUNCH, "How a process is started with it."),
    },
)

# --- unions ----------------------------------------------------------------------------------------------------

WHEN = Record(
    "when",
    "The keys that select a variant of a union by keys.",
    {
        "has": Key(Sequence(KEY), "Keys that must be present, with any value."),
        "lacks": Key(Sequence(KEY), "Keys that must be absent."),
    },
)
VARIANT = Either(
    scalar=NAME,
    table=Record(
        "variant",
        "A variant of a union.",
        {
            "name": Key(NAME, "The type, message or union.", required=True),
            **PROSE_KEYS,
            **INTERVAL_KEYS,
            "when": Key(WHEN, "For `by: keys`: the keys that must be present or absent."),
        },
    ),
)
UNKNOWN = Record(
    "unknown",
    "The representation of an object that matches no variant.",
    {
        "name": Key(NAME, "Its name in the bindings."),
        "include": Key(Sequence(NAME), "Types whose fields can be read from it if they are present and valid."),
    },
)
UNION = Record(
    "union",
    "One of several types, selected by a discriminator or by keys.",
    {
        **DECLARATION_KEYS,
        "open": Key(FLAG, "Whether an unknown tag is kept as an Unknown (true) or is an error (false).", required=True),
        "by": Key(KEY, "The key of the discriminator; `keys` for conditions on keys.", required=True),
        "unknown": Key(
            Either(scalar=NAME, table=UNKNOWN), "The name of its Unknown in the bindings, or a mapping with details."
        ),
        "variants": Key(Sequence(VARIANT), "The types that it can be."),
    },
)

# --- controls and tools ----------------------------------------------------------------------------------------

CONTROL = Record(
    "control",
    "A request of the control protocol with its response, or a notification.",
    {
        **DECLARATION_KEYS,
        "from": Key(WORD, "The peer that sends it, or `both`.", required=True),
        "request": Key(FIELDS, "The members of the request."),
        "response": Key(
            _typed("answer", ANSWER),
            "The type of the result, `none`, or `T | none`. Required for a request.",
        ),
        "notify": Key(FIELDS, "The members of a notification, which has no response; instead of `request`."),
        "error": Key(EXPRESSION, "The type of the data of an error response to this request."),
        "tag": Key(KEY, "The value of the discriminator, if it is not the key, which can be that of another control."),
        "fill": Key(
            Dict(POINTER, POINTER),
            "Members of the result that get the value of a member of the request if they are absent, by pointers.",
        ),
        **CONSTRUCT_KEYS,
    },
)
TOOL = Record(
    "tool",
    "A tool, by its exact name or a pattern such as `mcp__*`, and the types of its input and output.",
    {
        **ABOUT_KEYS,
        "input": Key(_typed("input", EXPRESSION), "The type of its input."),
        "output": Key(_typed("output", EXPRESSION), "The type of its output."),
    },
)

TREE = Record(
    "tree",
    "Entries that refer to their parents.",
    {
        **PROSE_KEYS,
        **INTERVAL_KEYS,
        **NAMING_KEYS,
        "lines": Key(NAME, "The type of the entries: a type or a union.", required=True),
        "id": Key(POINTER, "A pointer to the id of an entry.", required=True),
        "parent": Key(POINTER, "A pointer to the id of its parent.", required=True),
        "attached": Key(POINTER, "A pointer to the id of the entry that it belongs to, wherever the path goes on."),
        "previous": Key(POINTER, "A pointer to the id of the entry before it, where the history has no parent."),
    },
)

COLUMN = Record(
    "column",
    "A column of a table.",
    {
        "at": Key(PLACE, 'Where its value is: from the line, or from the value of the row; `""` is that value.'),
        "key": Key(FLAG, "Instead of `at`: the value is the key or index at the last `*` of `rows`."),
        "type": Key(
            keyword("string", "integer", "number", "boolean", "timestamp", "json"),
            "Its type, instead of the one that follows from the member.",
        ),
        "doc": PROSE_KEYS["doc"],
        "deprecated": Key(PROSE, "What to use instead."),
        "formerly": Key(KEY, "Its earlier name."),
    },
)
NAMED_TYPES = Either(scalar=NAME, listing=Sequence(NAME, nonempty=True))
TABLE = Record(
    "table",
    "Rows with the values of lines.",
    {
        **PROSE_KEYS,
        **INTERVAL_KEYS,
        "formerly": Key(KEY, "Its earlier name."),
        "lines": Key(NAMED_TYPES, "The types of the lines; a root includes its Unknowns.", required=True),
        "rows": Key(
            POINTER,
            "A pointer to the value of a row, by default the line. `*` is every item of a list, or entry of a map.",
        ),
        "is": Key(NAMED_TYPES, "Only values of these types have a row."),
        "columns": Key(Dict(KEY, Either(scalar=PLACE, table=COLUMN)), "The columns, by name.", required=True),
        "unique": Key(
            Sequence(KEY, nonempty=True), "Rows with equal values in these columns are copies of each other."
        ),
    },
)

# --- files -----------------------------------------------------------------------------------------------------

SECTIONS: Mapping[str, Key] = MappingProxyType(
    {
        "enums": Key(Dict(NAME, ENUM), "Named sets of values."),
        "aliases": Key(Dict(NAME, ALIAS), "Names for type expressions."),
        "types": Key(Dict(NAME, TYPE), "Objects."),
        "unions": Key(Dict(NAME, UNION), "One of several types."),
        "messages": Key(Dict(NAME, MESSAGE), "Types that are sent as a line of their own."),
        "controls": Key(Dict(KEY, CONTROL), "Requests of the control protocol, by the value of their tag."),
        "tools": Key(Dict(KEY, TOOL), "Tools, by name or pattern."),
        "options": Key(Dict(NAME, OPTIONS), "Configuration records."),
        "trees": Key(Dict(NAME, TREE), "Entries that refer to their parents."),
        "tables": Key(Dict(KEY, TABLE), "Rows with the values of lines."),
    }
)
"""The sections that contain declarations, in a part and in a dialect."""

_ENVELOPE = {"envelope": Key(NAME, "The message that contains it.", required=True)}
_ID = {"id": Key(POINTER, "A pointer to the id of the request.", required=True)}
_WHEN = {
    "when": Key(Dict(POINTER, JSON_SCALAR), "Values that distinguish it from other forms of its envelope, by pointer.")
}
_PAYLOAD = {
    "payload": Key(
        POINTER, "A pointer to the payload, whose type is the union to which the controls are added.", required=True
    ),
    "by": Key(KEY, "The discriminator of that union.", required=True),
}
IDS = Record(
    "ids",
    "The ids of a client's requests.",
    {
        "draw": Key(keyword("uuid", "counter"), "How a client generates one; `uuid` by default.", required=True),
        "prefix": Key(TEXT, "A string before the counter."),
    },
)
REQUEST = Record("request", "The form of requests.", {**_ENVELOPE, **_ID, **_PAYLOAD, **_WHEN})
NOTIFY = Record("notification", "The form of notifications.", {**_ENVELOPE, **_PAYLOAD, **_WHEN})
RESPONSE = Record(
    "response",
    "The form of responses with a result.",
    {
        **_ENVELOPE,
        **_ID,
        "result": Key(POINTER, "A pointer to the result.", required=True),
        "none": Key(JSON, "The value of the result `none`; by default the member is absent."),
        **_WHEN,
    },
)
ERROR = Record(
    "error response",
    "The form of error responses.",
    {
        **_ENVELOPE,
        **_ID,
        "message": Key(POINTER, "A pointer to the message for people.", required=True),
        "code": Key(POINTER, "A pointer to the code of the error."),
        "data": Key(POINTER, "A pointer to the data of the error."),
        **_WHEN,
        "codes": Key(
            Record(
                "error codes",
                "The codes that a package answers with.",
                {
                    "refused": Key(JSON_SCALAR, "For a refused request."),
                    "unknown": Key(JSON_SCALAR, "For an unknown request."),
                },
            ),
            "The codes that a package answers with; required if an error must have a code.",
        ),
        "types": Key(Dict(KEY, EXPRESSION), "The type of the data, by code."),
    },
)
CANCEL = Record(
    "cancellation",
    "The form of a message that cancels a request.",
    {
        "envelope": Key(NAME, "The type of the message."),
        "notify": Key(KEY, "The notification, if it is one of `controls`."),
        **_ID,
        "answered": Key(FLAG, "Whether the peer still answers a cancelled request.", required=True),
    },
)
ANNOUNCED = Record(
    "announcement",
    "Where a peer announces its release.",
    {
        "message": Key(NAME, "The message that announces it.", required=True),
        "at": Key(POINTER, "A pointer to the number in the message.", required=True),
        "versions": Key(Dict(VERSION, TEXT), "The version numbers of the peer, by release, if they differ."),
    },
)
PROTOCOL = Record(
    "protocol",
    "The protocol as a whole.",
    {
        "name": Key(PACKAGE, "Its name, which is part of file names.", required=True),
        "title": Key(TEXT, "Its name for people.", required=True),
        "doc": PROSE_KEYS["doc"],
        "source": PROSE_KEYS["source"],
        "versions": Key(Sequence(VERSION), "The described releases, the oldest first."),
        "version": Key(VERSION, "The described release, if there is only one."),
        "announced": Key(ANNOUNCED, "Where a peer announces its release."),
        "framing": Key(
            keyword("ndjson", "content-length", "sse"), "How messages are separated on a stream.", required=True
        ),
        "peers": Key(
            Sequence(WORD, nonempty=True), "The peers that talk to each other, as named by `from`.", required=True
        ),
        "roots": Key(
            Sequence(_named_entry("root", "A declaration that users decode.")),
            "The declarations that users decode; the first is the default.",
            required=True,
        ),
        "control": Key(
            Record(
                "control protocol",
                "How requests and responses are paired.",
                {
                    "ids": Key(IDS, "The ids of requests."),
                    "request": Key(REQUEST, "The form of requests.", required=True),
                    "notify": Key(NOTIFY, "The form of notifications."),
                    "response": Key(RESPONSE, "The form of responses with a result.", required=True),
                    "error": Key(ERROR, "The form of responses without one."),
                    "cancel": Key(CANCEL, "The form of a message that cancels a request."),
                },
            ),
            "How requests, responses, errors and notifications of `controls` are paired.",
        ),
    },
)
PACKAGE_OF_TARGET = Record(
    "package of a target",
    "The names of a package in one target.",
    {
        "published": Key(
            FLAG,
            "Whether the registry of the language has the package under its name, which its README then gives for"
            " installing; `false` by default.",
        ),
    },
    rest=Dict(WORD, TEXT),
)
PACKAGES = Record(
    "packages",
    "The packages of all languages.",
    {
        "version": Key(VERSION, "Their version, three numbers; 0.1.0 by default. It follows semantic versioning."),
        "changes": Key(Dict(VERSION, PROSE), "The changes in each version, the newest first."),
        "license": Key(Word("license"), "The licence of the packages, an SPDX expression; none by default."),
        "license_file": Key(PATH, "The file with the text of the licence, `LICENSE` in every package."),
    },
    rest=Dict(WORD, PACKAGE_OF_TARGET),
)
PART = Record("part", "A part of a spec.", SECTIONS)
ENTRY = Record(
    "spec",
    "The entry of a spec.",
    {
        "polywire": Key(keyword("1"), "The version of the spec language.", required=True),
        "protocol": Key(PROTOCOL, "The protocol as a whole.", required=True),
        "packages": Key(PACKAGES, "The version of the packages, and their names in each target."),
        "parts": Key(Sequence(PATH), "The other files, in the order of their declarations."),
        **SECTIONS,
    },
)

# --- dialects --------------------------------------------------------------------------------------------------


def _patch(record: Record, more: Mapping[str, Key] | None = None) -> Record:
    """The changes that a construct allows: any of its keys, or `remove` as the value of an optional one."""
    keys = {
        name: Key(key.shape if key.required else Removable(key.shape), key.doc) for name, key in record.keys.items()
    }
    return Record(f"change of {record.name}", f"The changes of a {record.name}.", {**keys, **(more or {})})


def _patched_fields(short: Word, long: Record) -> Key:
    rename = {"rename": Key(KEY, "Its name on the wire in this dialect.")}
    patch = Either(scalar=short, table=_patch(long, rename))
    doc = "Changed, new or removed (`remove`) fields; the `?` is not part of the name."
    return Key(Dict(FIELD_NAME, Removable(patch)), doc)


_PATCHED_VALUES = Key(
    Dict(VALUE, Removable(Either(scalar=PROSE, table=_patch(ENUM_VALUE_RECORD)))),
    "Changed, new or removed (`remove`) values.",
)
_PATCHED_COLUMNS = {
    "columns": Key(
        Dict(KEY, Removable(Either(scalar=PLACE, table=_patch(COLUMN)))), "Changed, new or removed (`remove`) columns."
    )
}
_CONSTRUCT_PATCH = {"construct": Key(Dict(NAME, Removable(CONSTRUCTOR)), "New, replaced or removed constructors.")}
_FIELDS = _patched_fields(EXPRESSION, FIELD_RECORD)
_FIELDS_PATCH = {"fields": _FIELDS, **_CONSTRUCT_PATCH}

CHANGES: Mapping[str, Key] = MappingProxyType(
    {
        "enums": Key(Dict(NAME, _patch(ENUM, {"values": _PATCHED_VALUES})), "Changed enums."),
        "aliases": Key(Dict(NAME, _patch(ALIAS)), "Changed aliases."),
        "types": Key(Dict(NAME, _patch(TYPE, _FIELDS_PATCH)), "Changed types (or messages)."),
        "unions": Key(
            Dict(
                NAME,
                _patch(
                    UNION,
                    {
                        "add": Key(Sequence(VARIANT), "New variants."),
                        "remove": Key(Sequence(NAME), "Removed variants."),
                    },
                ),
            ),
            "Changed unions.",
        ),
        "messages": Key(Dict(NAME, _patch(MESSAGE, _FIELDS_PATCH)), "Changed messages."),
        "controls": Key(
            Dict(KEY, _patch(CONTROL, {"request": _FIELDS, "notify": _FIELDS, **_CONSTRUCT_PATCH})), "Changed controls."
        ),
        "tools": Key(Dict(KEY, _patch(TOOL)), "Changed tools."),
        "options": Key(
            Dict(NAME, _patch(OPTIONS, {"fields": _patched_fields(EXPRESSION, OPTION_RECORD), **_CONSTRUCT_PATCH})),
            "Changed options.",
        ),
        "trees": Key(Dict(NAME, _patch(TREE)), "Changed trees."),
        "tables": Key(Dict(KEY, _patch(TABLE, _PATCHED_COLUMNS)), "Changed tables."),
    }
)

DIALECT = Record(
    "dialect",
    "An overlay: the differences of one system that speaks the protocol.",
    {
        "dialect": Key(PACKAGE, "Its name, which is the file's.", required=True),
        "at": Key(VERSION, "The release that it is based on; required if the spec describes several."),
        "over": Key(PACKAGE, "The dialect that this one is based on; by default, the spec itself."),
        "doc": PROSE_KEYS["doc"],
        "source": PROSE_KEYS["source"],
        "roots": Key(
            Sequence(NAME),
            "The declarations that users decode, instead of the protocol's; unreachable declarations are removed.",
        ),
        "change": Key(Record("changes", "Changed declarations, by section.", CHANGES), "Changed declarations."),
        "replace": Key(
            Record("replacements", "Declarations that are written anew, by section.", SECTIONS),
            "Declarations that are written anew; a doc not given stays.",
        ),
        "add": Key(
            Record("additions", "Declarations that are new, by section.", SECTIONS), "Declarations that are new."
        ),
        "remove": Key(Sequence(KEY), "Removed declarations, which are also removed from unions."),
    },
)
