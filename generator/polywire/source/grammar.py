"""What may stand where in a spec, as data: one table for the reader, for hints, and for the editors' JSON schema.

A *shape* says what a YAML node has to look like. `Record`s have named keys, each with a shape and a text for people;
`Dict`s have keys that the spec's author chooses; `Either` has one shape for each kind of node, so that the node itself
decides which is meant. Shapes do not recurse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

# --- shapes ----------------------------------------------------------------------------------------------------

WordKind: TypeAlias = Literal[
    "text", "prose", "keyword", "name", "word", "package", "key", "value", "field", "expression", "answer", "flag",
    "integer", "version", "interval", "pointer", "path", "license",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """What the text of a kind of word looks like: a pattern for its whole, and a phrase that says it."""

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
            r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*", "a name that can be part of a file's name", "bad-name"
        ),
        "key": Form(r"[\s\S]+", "a key, not empty"),
        "value": Form(r"[\s\S]*", "a value of an enum"),
        "field": Form(r"(?!\?$)[\s\S]+", "the name of a field, with `?` behind it if it may be absent"),
        "expression": Form(r"[\s\S]+", "a type expression", "bad-type"),
        "answer": Form(r"[\s\S]+", "a type expression, `none`, or `T | none`", "bad-type"),
        "flag": Form(r"true|false", "`true` or `false`"),
        "integer": Form(r"-?(0|[1-9][0-9]{0,15})", "an integer"),
        "version": Form(_VERSION, "a version such as `0.2.33`"),
        "interval": Form(rf"{_VERSION}\.\.({_VERSION})?", "an interval such as `0.2.33..0.2.45` or `0.3.160..`"),
        "pointer": Form(r"(/([^~/]|~[01])*)*", "a JSON Pointer such as `/message/id`"),
        "license": Form(
            r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*( (AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*)*",
            "an SPDX expression such as `MIT` or `Apache-2.0 OR MIT`",
        ),
        "path": Form(r"[^\\\x00-\x1f\x7f]+", "a path relative to the spec's folder, with `/`"),
    }
)
"""The form of each kind of word. `expression` and `answer` have a parser of their own (`polywire.source.expr`)."""

PATTERNS: Mapping[WordKind, re.Pattern[str]] = MappingProxyType(
    {kind: re.compile(f.pattern) for kind, f in FORMS.items()}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A scalar."""

    kind: WordKind
    choices: tuple[str, ...] = ()
    """Of a keyword."""


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON value; plain scalars have their JSON meaning, quoted ones are strings. `scalar`: no list or mapping."""

    scalar: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """A JSON value, or (with unquoted keys) `{file: PATH, doc: …}` for one in a file, or `{doc: …, value: …}`."""


@dataclass(frozen=True, slots=True)
class Sequence:
    item: Shape


@dataclass(frozen=True, slots=True)
class Dict:
    """A mapping whose keys the author chooses. `single`: it has exactly one."""

    key: Word
    value: Shape
    single: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record: the shape of its value, and what it says."""

    shape: Shape
    doc: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with the keys of a construct. `name` is unique; `doc` says what the construct is.

    `rest`: what the other keys are, where the author chooses some.
    """

    name: str
    doc: str
    keys: Mapping[str, Key]
    rest: Dict | None = None


@dataclass(frozen=True, slots=True)
class Either:
    """A short form beside a long one; at most one shape for each kind of YAML node."""

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
FLAG = Word("flag")
INTEGER = Word("integer")
VERSION = Word("version")
INTERVAL = Word("interval")
POINTER = Word("pointer")
PATH = Word("path")
JSON = Json()
JSON_SCALAR = Json(scalar=True)


def keyword(*choices: str) -> Word:
    return Word("keyword", choices)


# --- what every declaration, field and value carries -----------------------------------------------------------

TARGETS = Dict(WORD, Dict(WORD, WORD))

DEPRECATED = Record(
    "deprecation",
    "What to use instead, and since when.",
    {
        "since": Key(VERSION, "The first release that has something better.", required=True),
        "use": Key(PROSE, "What to use instead.", required=True),
    },
)
PROSE_KEYS = {
    "doc": Key(PROSE, "What it is, for readers of the generated code and pages."),
    "source": Key(PROSE, "Where the fact is from."),
    "deprecated": Key(Either(scalar=PROSE, table=DEPRECATED), "What to use instead."),
    "observed": Key(FLAG, "Seen on the wire though undeclared upstream."),
}
INTERVAL_KEYS = {
    "since": Key(VERSION, "The first release that has it."),
    "until": Key(VERSION, "The last release that has it."),
    "in": Key(Sequence(INTERVAL), "The releases that have it, in place of `since` and `until`: `[A..B, C..]`."),
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
        "Its earlier name; a text for one that no described release has.",
    ),
}
NAMING_KEYS = {
    "name": Key(NAME, "The stem of its name in all targets, in place of the one it is declared under."),
    "targets": Key(TARGETS, "Exceptions by target: `{go: {name: ExitCode}}`."),
}
EXAMPLE_KEYS = {
    "examples": Key(
        Sequence(Sample()), "Instances: JSON values, or `{file: PATH}`. They are checked and become cases."
    ),
}
ABOUT_KEYS = {**PROSE_KEYS, **INTERVAL_KEYS, **FORMERLY_KEYS, **NAMING_KEYS}
DECLARATION_KEYS = {**ABOUT_KEYS, **EXAMPLE_KEYS}

SAMPLE_FILE = Record(
    "example in a file",
    "An example that stands in a file.",
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
"""The two forms of a `Sample` that are not the value itself."""

_UNTIL = Key(VERSION, "The last release of which this holds.", required=True)
_PRESENCE = Key(keyword("required", "optional"), "Whether it was always there, up to that release.")


def _was(name: str, type_: Word, more: Mapping[str, Key]) -> Key:
    record = Record(
        name, "What held in earlier releases.", {"until": _UNTIL, "type": Key(type_, "The type then."), **more}
    )
    return Key(Sequence(record), "What held in earlier releases, the oldest first; what is left out is as now.")


def _typed(what: str, type_: Word) -> Either:
    """A type, or a type with its history, in which there may have been none."""
    keys = {"type": Key(type_, "The type.", required=True), "was": _was(f"earlier {what}", ANSWER, {})}
    return Either(scalar=type_, table=Record(what, "A type with its history.", keys))


WAS = _was("earlier type", EXPRESSION, {})
FIELD_WAS = _was("earlier field", EXPRESSION, {"presence": _PRESENCE})


def _named_entry(what: str, doc: str) -> Either:
    """A name, or a name with the releases that have it there."""
    return Either(
        scalar=NAME, table=Record(what, doc, {"name": Key(NAME, "The declaration.", required=True), **INTERVAL_KEYS})
    )


# --- enums and aliases -----------------------------------------------------------------------------------------

ENUM_VALUE_RECORD = Record(
    "enum value",
    "One value of an enum.",
    {**ABOUT_KEYS, "value": Key(INTEGER, "What stands on the wire, for an enum with `base: integer`.")},
)
ENUM_VALUE = Either(scalar=PROSE, table=ENUM_VALUE_RECORD)
ENUM = Record(
    "enum",
    "A named set of values.",
    {
        **DECLARATION_KEYS,
        "open": Key(FLAG, "Whether values that are not listed are kept (true) or refused (false).", required=True),
        "base": Key(keyword("string", "integer"), "What the values are on the wire; `string` when not said."),
        "values": Key(Dict(VALUE, ENUM_VALUE), "The values, each with its doc.", required=True),
    },
)
ALIAS = Record(
    "alias",
    "A name for a type expression.",
    {
        **DECLARATION_KEYS,
        "type": Key(EXPRESSION, "The expression that it names.", required=True),
        "was": WAS,
    },
)

# --- types, messages, options ----------------------------------------------------------------------------------

FIELD_KEYS = {
    **ABOUT_KEYS,
    **EXAMPLE_KEYS,
    "type": Key(EXPRESSION, "The type of its value.", required=True),
    "construct": Key(keyword("required"), "Constructors demand it though readers tolerate its absence."),
    "default": Key(JSON, "What a constructor puts where nothing is given."),
    "on_error": Key(
        JSON,
        "What lenient mode makes of a value that does not fit: `absent`, `skip` (the items of a list), `[skip, "
        "absent]`, a JSON value in its place, or `[skip, VALUE]`.",
    ),
    "flatten": Key(FLAG, "Its members stand in this object."),
    "was": FIELD_WAS,
}
CALLBACK = Record(
    "callback",
    "A function in the API.",
    {
        "params": Key(Dict(NAME, EXPRESSION), "Its parameters."),
        "returns": Key(EXPRESSION, "What it returns; nothing when not said."),
        "answers": Key(KEY, "The control whose requests it answers; by default it takes the request."),
        "list": Key(FLAG, "There is a list of such functions."),
    },
)
CARRIER = Record(
    "carrier",
    "A way in which an option travels.",
    {
        "flag": Key(TEXT, "An argument of the command line; for `pairs`, what precedes each key."),
        "env": Key(TEXT, "A variable of the process."),
        "control": Key(KEY, "A place in the payload of this request, which is part of the launch."),
        "process": Key(
            keyword("program", "program_arguments", "script", "cwd", "environment"), "How the process is started."
        ),
        "as": Key(
            keyword("value", "bare", "join", "repeat", "json", "pairs", "keys", "list", "ids"),
            "The form in which it travels; `value` when not said.",
        ),
        "at": Key(POINTER, "The place in the request, or in the JSON object that a flag takes."),
        "from": Key(POINTER, "The part of the value that travels; with `join`, `repeat` and `keys` of each item."),
        "only": Key(Dict(POINTER, JSON), "The items or entries that travel are those of which this holds."),
        "except": Key(Dict(POINTER, JSON), "The items or entries of which this holds do not travel."),
        "value": Key(JSON_SCALAR, "What travels in place of the value."),
        "wrap": Key(TEXT, "What is put around each text, in place of its `*`."),
        "when": Key(
            JSON,
            "The carrier applies if the value is this: a scalar, `{kind: …}`, `{POINTER: VALUE}`, or one "
            "of a list of these.",
        ),
        "unless": Key(KEY, "The option that keeps this one from travelling if it travels itself."),
        "with": Key(KEY, "The option without which this one does not travel."),
        "absent": Key(JSON, "What travels where the option is not given."),
        "empty": Key(keyword("keep", "drop"), "Whether an empty text, list or map, and 0, travel."),
        **INTERVAL_KEYS,
    },
)
OPTION_KEYS = {
    **FIELD_KEYS,
    "type": replace(FIELD_KEYS["type"], required=False),
    "callback": Key(CALLBACK, "It is a function, and never travels."),
    "live": Key(FLAG, "It is a live object of the API, and never travels."),
    "carry": Key(
        Sequence(CARRIER), "How it travels, each way that applies; an empty list for what only the client needs."
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
            Sequence(Dict(NAME, POINTER, single=True)), "Its parameters in order, each with the place that it fills."
        ),
        "set": Key(Dict(POINTER, JSON), "Fixed values, by the place that they fill."),
    },
)
CONSTRUCT_KEYS = {"construct": Key(Dict(NAME, CONSTRUCTOR), "Constructors by name.")}
PREFIX = Record("prefix", "Every text that begins so.", {"prefix": Key(TEXT, "How it begins.", required=True)})
TAG = Dict(FIELD_NAME, Either(scalar=JSON_SCALAR, listing=Sequence(JSON_SCALAR), table=PREFIX))

TYPE_KEYS = {
    **DECLARATION_KEYS,
    "include": Key(
        Sequence(_named_entry("included type", "A type whose fields come first.")), "Types whose fields come first."
    ),
    "tag": Key(
        TAG,
        "What identifies it in unions, by key: a string, boolean or integer, a list of strings or of integers, the "
        "name of an enum, or `{prefix: TEXT}`.",
    ),
    "others": Key(TEXT, "Which unknown values of the tag's open enum are of this type too, such as `error_*`."),
    "const": Key(Dict(KEY, JSON_SCALAR), "Constant members that identify nothing."),
    "fields": Key(FIELDS, "Its members in order; `name?` may be absent."),
    "extra": Key(EXPRESSION, "The type of what stands under any other key."),
    **CONSTRUCT_KEYS,
}
TYPE = Record("type", "A JSON object with known members.", TYPE_KEYS)
MESSAGE = Record(
    "message",
    "A type that travels as a line of its own.",
    {**TYPE_KEYS, "from": Key(WORD, "The peer that sends it, or `both`.", required=True)},
)
CONFLICT = Record(
    "conflict",
    "Options that exclude each other.",
    {
        "fields": Key(Sequence(KEY), "The names of two options.", required=True),
        "when": Key(keyword("equal"), "They conflict only if their values are equal."),
        "message": Key(PROSE, "Why, for people.", required=True),
        **INTERVAL_KEYS,
    },
)
LAUNCH = Record(
    "launch",
    "How a process is started with the record.",
    {
        "arguments": Key(Sequence(VALUE), "The arguments before all others."),
        "environment": Key(
            Dict(KEY, JSON), "Variables: a text is set where the environment has none, null takes it out."
        ),
        "inherit": Key(
            keyword("always", "unless_given", "never"),
            "Whether the process has the client's own environment; `unless_given` when not said.",
        ),
        "control": Key(KEY, "The request that is sent even if no option has a part in it."),
    },
)
OPTIONS = Record(
    "options",
    "A configuration record.",
    {
        **TYPE_KEYS,
        "fields": Key(Dict(FIELD_NAME, OPTION), "Its members in order; `name?` may be absent."),
        "conflicts": Key(Sequence(CONFLICT), "Options that exclude each other."),
        "launch": Key(LAUNCH, "How a process is started with it."),
    },
)

# --- unions ----------------------------------------------------------------------------------------------------

WHEN = Record(
    "when",
    "The keys by which a variant of a union by keys is known.",
    {
        "has": Key(Sequence(KEY), "Keys that must be there, whatever their value."),
        "lacks": Key(Sequence(KEY), "Keys that must not be there."),
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
            "when": Key(WHEN, "For `by: keys`: the keys that it has and lacks."),
        },
    ),
)
UNKNOWN = Record(
    "unknown",
    "What an object without a variant becomes.",
    {
        "name": Key(NAME, "Its name in the bindings."),
        "include": Key(Sequence(NAME), "Types whose fields can be read of it, where they are there and fit."),
    },
)
UNION = Record(
    "union",
    "One of several types, told apart by a discriminator or by keys.",
    {
        **DECLARATION_KEYS,
        "open": Key(FLAG, "Whether an unknown tag gives an Unknown (true) or an error (false).", required=True),
        "by": Key(KEY, "The key of the discriminator; `keys` for conditions on keys.", required=True),
        "unknown": Key(Either(scalar=NAME, table=UNKNOWN), "Its Unknown in the bindings: the name, or more about it."),
        "variants": Key(Sequence(VARIANT), "What it may be."),
    },
)

# --- controls and tools ----------------------------------------------------------------------------------------

CONTROL = Record(
    "control",
    "A request of the control protocol and its answer, or a notification.",
    {
        **DECLARATION_KEYS,
        "from": Key(WORD, "The peer that sends it, or `both`.", required=True),
        "request": Key(FIELDS, "The members of the request."),
        "response": Key(
            _typed("answer", ANSWER),
            "The type of the answer's payload, `none`, or `T | none`. Every request has one.",
        ),
        "notify": Key(FIELDS, "The members of a notification, which has no answer; in place of `request`."),
        "error": Key(EXPRESSION, "The type of an error's data, where this request fails."),
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

# --- files -----------------------------------------------------------------------------------------------------

SECTIONS: Mapping[str, Key] = MappingProxyType(
    {
        "enums": Key(Dict(NAME, ENUM), "Named sets of values."),
        "aliases": Key(Dict(NAME, ALIAS), "Names for type expressions."),
        "types": Key(Dict(NAME, TYPE), "Objects."),
        "unions": Key(Dict(NAME, UNION), "One of several types."),
        "messages": Key(Dict(NAME, MESSAGE), "Types that travel as a line of their own."),
        "controls": Key(Dict(KEY, CONTROL), "Requests of the control protocol, by the value of their tag."),
        "tools": Key(Dict(KEY, TOOL), "Tools, by name or pattern."),
        "options": Key(Dict(NAME, OPTIONS), "Configuration records."),
    }
)
"""What declarations stand in, in a part and in a dialect."""

_ENVELOPE = {"envelope": Key(NAME, "The type around every one.", required=True)}
_ID = {"id": Key(POINTER, "The place of the request's id in it.", required=True)}
_WHEN = {"when": Key(Dict(POINTER, JSON_SCALAR), "Values that tell it from other forms of its envelope, by place.")}
_PAYLOAD = {
    "payload": Key(
        POINTER, "The place of the payload; the type there is the union that the controls join.", required=True
    ),
    "by": Key(KEY, "The discriminator of that union.", required=True),
}
IDS = Record(
    "ids",
    "The ids that a client gives its requests.",
    {
        "draw": Key(keyword("uuid", "counter"), "How a client makes one; `uuid` when not said.", required=True),
        "prefix": Key(TEXT, "What precedes a counter in a text."),
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
        "result": Key(POINTER, "The place of the result.", required=True),
        "none": Key(JSON, "What stands there for the result `none`; by default the member is absent."),
        **_WHEN,
    },
)
ERROR = Record(
    "error response",
    "The form of responses that say why there is no result.",
    {
        **_ENVELOPE,
        **_ID,
        "message": Key(POINTER, "The place of the text for people.", required=True),
        "code": Key(POINTER, "The place of the error's code."),
        "data": Key(POINTER, "The place of the error's data."),
        **_WHEN,
        "codes": Key(
            Record(
                "error codes",
                "The codes that a package answers with.",
                {
                    "refused": Key(JSON_SCALAR, "For a request that is refused."),
                    "unknown": Key(JSON_SCALAR, "For a request that is not known."),
                },
            ),
            "The codes that a package answers with; needed where an error must have a code.",
        ),
        "types": Key(Dict(KEY, EXPRESSION), "The type of the data, by code."),
    },
)
CANCEL = Record(
    "cancellation",
    "The form of a message that cancels a request.",
    {
        "envelope": Key(NAME, "The type of the message."),
        "notify": Key(KEY, "The notification, where it is one of `controls`."),
        **_ID,
        "answered": Key(FLAG, "Whether the peer still answers a request that is cancelled.", required=True),
    },
)
ANNOUNCED = Record(
    "announcement",
    "Where a peer tells its release.",
    {
        "message": Key(NAME, "The message that tells it.", required=True),
        "at": Key(POINTER, "The place of the number in it.", required=True),
        "versions": Key(Dict(VERSION, TEXT), "The peer's own numbers, by release, where they differ."),
    },
)
PROTOCOL = Record(
    "protocol",
    "The protocol as a whole.",
    {
        "name": Key(PACKAGE, "Its name, which files are called after.", required=True),
        "title": Key(TEXT, "Its name for people.", required=True),
        "doc": PROSE_KEYS["doc"],
        "source": PROSE_KEYS["source"],
        "versions": Key(Sequence(VERSION), "The releases that are described, the oldest first."),
        "version": Key(VERSION, "The release that is described, if it is a single one."),
        "announced": Key(ANNOUNCED, "Where a peer tells its release."),
        "framing": Key(keyword("ndjson"), "How messages are told apart on a stream.", required=True),
        "peers": Key(Sequence(WORD), "Who talks to whom; what `from` may name.", required=True),
        "roots": Key(
            Sequence(_named_entry("root", "A declaration that users decode.")),
            "What users decode; the first when nothing is said.",
            required=True,
        ),
        "control": Key(
            Record(
                "control protocol",
                "How requests and responses find each other.",
                {
                    "ids": Key(IDS, "The ids of requests."),
                    "request": Key(REQUEST, "The form of requests.", required=True),
                    "notify": Key(NOTIFY, "The form of notifications."),
                    "response": Key(RESPONSE, "The form of responses with a result.", required=True),
                    "error": Key(ERROR, "The form of responses without one."),
                    "cancel": Key(CANCEL, "The form of a message that cancels a request."),
                },
            ),
            "How requests, responses, errors and notifications of `controls` find each other.",
        ),
    },
)
PACKAGES = Record(
    "packages",
    "The packages of all languages.",
    {
        "version": Key(VERSION, "Their version, three numbers; 0.1.0 by default. It rises as package managers expect."),
        "changes": Key(Dict(VERSION, PROSE), "What each of their releases brought, by version, the newest first."),
        "license": Key(Word("license"), "The licence of the packages, an SPDX expression. Without it they have none."),
        "license_file": Key(PATH, "The file with its text, which every package gets as `LICENSE`."),
    },
    rest=Dict(WORD, Dict(WORD, TEXT)),
)
PART = Record("part", "A part of a spec.", SECTIONS)
ENTRY = Record(
    "spec",
    "The entry of a spec.",
    {
        "polywire": Key(keyword("1"), "The version of the spec language.", required=True),
        "protocol": Key(PROTOCOL, "The protocol as a whole.", required=True),
        "packages": Key(PACKAGES, "The version of the packages, and what they are called in each target."),
        "parts": Key(Sequence(PATH), "The other files, in the order in which their declarations come."),
        **SECTIONS,
    },
)

# --- dialects --------------------------------------------------------------------------------------------------


def _patch(record: Record, more: Mapping[str, Key] | None = None) -> Record:
    """What a change of a construct may say: any of its keys, or `remove` in place of the value of an optional one."""
    keys = {
        name: Key(key.shape if key.required else Removable(key.shape), key.doc) for name, key in record.keys.items()
    }
    return Record(f"change of {record.name}", f"What differs in a {record.name}.", {**keys, **(more or {})})


def _patched_fields(short: Word, long: Record) -> Key:
    rename = {"rename": Key(KEY, "Its name on the wire in this dialect.")}
    patch = Either(scalar=short, table=_patch(long, rename))
    doc = "Fields that differ, are new, or (`remove`) gone; the `?` identifies nothing."
    return Key(Dict(FIELD_NAME, Removable(patch)), doc)


_PATCHED_VALUES = Key(
    Dict(VALUE, Removable(Either(scalar=PROSE, table=_patch(ENUM_VALUE_RECORD)))),
    "Values that differ, are new, or (`remove`) gone.",
)
_CONSTRUCT_PATCH = {
    "construct": Key(Dict(NAME, Removable(CONSTRUCTOR)), "Constructors that are new, replaced or gone.")
}
_FIELDS_PATCH = {"fields": _patched_fields(EXPRESSION, FIELD_RECORD), **_CONSTRUCT_PATCH}

CHANGES: Mapping[str, Key] = MappingProxyType(
    {
        "enums": Key(Dict(NAME, _patch(ENUM, {"values": _PATCHED_VALUES})), "Enums that differ."),
        "aliases": Key(Dict(NAME, _patch(ALIAS)), "Aliases that differ."),
        "types": Key(Dict(NAME, _patch(TYPE, _FIELDS_PATCH)), "Types (or messages) that differ."),
        "unions": Key(
            Dict(
                NAME,
                _patch(
                    UNION,
                    {
                        "add": Key(Sequence(VARIANT), "Variants that are new."),
                        "remove": Key(Sequence(NAME), "Variants that are gone."),
                    },
                ),
            ),
            "Unions that differ.",
        ),
        "messages": Key(Dict(NAME, _patch(MESSAGE, _FIELDS_PATCH)), "Messages that differ."),
        "controls": Key(
            Dict(KEY, _patch(CONTROL, {"request": _patched_fields(EXPRESSION, FIELD_RECORD), **_CONSTRUCT_PATCH})),
            "Controls that differ.",
        ),
        "tools": Key(Dict(KEY, _patch(TOOL)), "Tools that differ."),
        "options": Key(
            Dict(NAME, _patch(OPTIONS, {"fields": _patched_fields(EXPRESSION, OPTION_RECORD), **_CONSTRUCT_PATCH})),
            "Options that differ.",
        ),
    }
)

DIALECT = Record(
    "dialect",
    "An overlay: what differs in one system that speaks the protocol.",
    {
        "dialect": Key(PACKAGE, "Its name, which is the file's.", required=True),
        "at": Key(VERSION, "The release that it differs from; needed where the spec describes several."),
        "over": Key(PACKAGE, "The dialect that this one differs from; without it, it differs from the spec itself."),
        "doc": PROSE_KEYS["doc"],
        "source": PROSE_KEYS["source"],
        "roots": Key(
            Sequence(NAME), "What users decode, in place of the protocol's roots; what does not belong to them is gone."
        ),
        "change": Key(Record("changes", "Declarations that differ, by section.", CHANGES), "Declarations that differ."),
        "replace": Key(
            Record("replacements", "Declarations that are written anew, by section.", SECTIONS),
            "Declarations that are written anew; a doc not given stays.",
        ),
        "add": Key(
            Record("additions", "Declarations that are new, by section.", SECTIONS), "Declarations that are new."
        ),
        "remove": Key(Sequence(KEY), "Declarations that are gone; they leave the unions that they are variants of."),
    },
)
