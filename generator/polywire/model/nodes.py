"""The resolved model: a spec with its names, mixins, controls and overlays resolved.

The model is frozen, ordered and free of YAML. It is built once (see `polywire.model.build`) and shared by all checks
and targets. A node refers to another declaration by name (`Ref`), never by object, so recursive types need no special
care and a node hashes by its content. `place` fields say where something is written; comparison ignores them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar

from polywire.ground.json_values import Json
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.source.types import Type, or_null

_NOTHING: Mapping[str, Mapping[str, str]] = MappingProxyType({})


TagKind: TypeAlias = Literal["string", "boolean", "integer"]
"""The built-in types that a discriminator may have."""


# --- common to all declarations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class About:
    """Prose and history of a declaration, field, enum value or variant, as given in the spec."""

    doc: str | None = None
    source: str | None = None
    deprecated: str | None = None
    observed: bool = False
    since: str | None = None
    """The first release that has it, unless it is the oldest."""
    until: str | None = None
    """The last release that has it, unless it is the newest."""
    formerly: str | None = None
    """Its name in earlier releases."""
    later: str | None = None
    """Its name in later releases, if this is the earlier one."""
    name: str | None = None
    """The name from which every target derives its own, instead of the declared name."""
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: _NOTHING, hash=False)
    """Overrides for each target: `{"go": {"name": "ExitCode"}}`."""


# --- enums and aliases -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A value of an enum: constants are named after `name`; `wire` is its representation on the wire."""

    name: str
    wire: str | int
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)
    retired: bool = False
    """Whether the newest release lacks it: readers accept it, but code for new values does not offer it."""


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    base: Literal["string", "integer"]
    open: bool
    values: tuple[EnumValue, ...]
    about: About = About()
    examples: tuple[Example, ...] = field(default=(), hash=False)
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Alias:
    name: str
    type: Type
    about: About = About()
    examples: tuple[Example, ...] = field(default=(), hash=False)
    place: SourceLocation = field(default=NOWHERE, compare=False)
    new: Type | None = None
    """`type` as the newest release has it, if it differs."""


# --- structs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tag:
    """One member of the identity of a struct.

    Exactly one of `constant`, `values`, `enum` and `prefix` is set. Except for `constant`, the tag is also the first of
    the struct's `fields` (with `Field.tag` set), since its value varies; a constant tag is not a field. A list is
    closed, and consists of strings or of integers. `prefix` is the common prefix of the strings that select this
    struct, unless a sibling lists the string or has a longer matching prefix. `others` is the glob (`error_*`) of
    unknown values of an open enum that still select this struct; for an enum of integers it is `*`.
    """

    key: str
    constant: str | bool | int | None = None
    values: tuple[str | int, ...] = ()
    enum: str | None = None
    prefix: str | None = None
    others: str | None = None
    optional: bool = False
    """Whether it may be absent when read, and then stays absent; a constructor writes it."""
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A constant member that does not identify the struct (`role: assistant`); always on the wire."""

    key: str
    value: str | bool | int | float
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function."""

    name: str
    type: Type
    at: Pointer | None = None
    """Where its value is in the request that the function answers; empty for the whole request."""
    optional: bool = False
    """Whether the request may have no value there."""

    @property
    def passed(self) -> Type:
        """The type of what is passed, which is null if there is no value."""
        return or_null(self.type) if self.optional else self.type


@dataclass(frozen=True, slots=True)
class Callback:
    """A field that is a function in the API and is never sent."""

    params: tuple[Parameter, ...]
    returns: Type | None
    answers: str | None = None
    """The key of the control whose requests it answers."""
    several: bool = False
    """Whether it is a list of such functions."""
    id: Pointer | None = None
    """Where a request has the id of the function that is to answer it."""
    result: Pointer = ()
    """Where the returned value belongs in the result."""
    has_none: bool = False
    none: Json = field(default=None, hash=False)
    """The returned value of a function that returns nothing, if `has_none`."""
    receives: Literal["stderr"] | None = None
    """The output of the process that is passed to it."""


CarrierKind: TypeAlias = Literal["flag", "env", "control", "process", "none"]
CarrierForm: TypeAlias = Literal["value", "bare", "join", "repeat", "json", "pairs", "keys", "list", "ids"]
Matching: TypeAlias = "tuple[tuple[Pointer, Json], ...]"
Condition: TypeAlias = "tuple[Literal['is'], Json] | tuple[Literal['kind'], str] | tuple[Literal['at'], When]"
OtherOption: TypeAlias = "tuple[str, tuple[Condition, ...]]"
"""An option that has to meet one of the conditions, as null if it is not given; without any, it has to be passed."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A way in which an option is passed."""

    kind: CarrierKind
    """`none` for functions whose ids are part of a value that is passed."""
    name: str
    """The flag, the variable, the control, or the part of the process."""
    form: CarrierForm = "value"
    at: Pointer | None = None
    part: Pointer = ()
    """`from`: the part of the value, or of each item, that is passed."""
    only: Matching = field(default=(), hash=False)
    """The condition on the items or entries that are passed; null matches an absent member."""
    exclude: Matching = field(default=(), hash=False)
    """`except`: the condition on items or entries that are not passed."""
    omit: tuple[str, ...] = ()
    """Members that are removed from items or entries; items that are empty without them are not passed."""
    has_value: bool = False
    value: str | bool | int | float | None = None
    """The value that is passed instead of the option's value, if `has_value`."""
    wrap: str | None = None
    when: tuple[Condition, ...] = field(default=(), hash=False)
    """Conditions of which one must hold; without any, every value is passed."""
    unless: OtherOption | None = field(default=None, hash=False)
    """The option that prevents this one from being passed."""
    needs: OtherOption | None = field(default=None, hash=False)
    """`with`: the option without which this one is not passed."""
    has_absent: bool = False
    absent: Json = field(default=None, hash=False)
    """The value that is passed if the option is not given, if `has_absent`."""
    empty: Literal["keep", "drop"] | None = None
    releases: tuple[str, ...] = ()
    """The releases of a span that have it; empty means all."""
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two options that exclude each other, always or only if they are equal."""

    fields: tuple[str, ...]
    equal: bool
    message: str
    releases: tuple[str, ...] = ()
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a process is started, independent of the options."""

    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str | None], ...] = ()
    inherit: Literal["always", "unless_given", "never"] = "unless_given"
    control: str | None = None
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class OnError:
    """How lenient mode handles a value that does not fit: at most one of `absent` and `replaces` is true.

    `skip` leaves out the items of a list that do not fit; the other two handle everything else that is wrong with it.
    """

    skip: bool = False
    absent: bool = False
    """Whether the field becomes absent and the value is kept in `extra`."""
    replaces: bool = False
    value: Json = field(default=None, hash=False)
    """The replacement for the value, if `replaces` is true."""

    @property
    def how(self) -> str:
        """What it does in words, as tables have it: `skip`, `absent`, `value`, `skip absent` or `skip value`."""
        return " ".join(["skip"] * self.skip + ["absent"] * self.absent + ["value"] * self.replaces)


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct. `type` has no null at its top level; `nullable` says whether null is allowed.

    required, not nullable: always present, never null · required, nullable: always present, may be null · optional, not
    nullable: absent or a value · optional, nullable: absent, null or a value, which are three states.
    """

    name: str
    """The key on the wire."""
    type: Type
    required: bool = True
    nullable: bool = False
    """Whether null is valid: `| null` was written, or the type itself admits it (`json`, an alias that admits null)."""
    flatten: bool = False
    """Whether the members of this field's value are members of the enclosing object."""
    construct_required: bool = False
    """Whether constructors require it although readers accept its absence (`construct: required`)."""
    has_default: bool = False
    default: Json = field(default=None, hash=False)
    """The value that a constructor uses if none is given; meaningful when `has_default`."""
    tag: Tag | None = None
    """The tag whose varying value this field is."""
    claimed: tuple[str | bool | int, ...] = ()
    """On a union's discriminator, in the variant that accepts objects without it: the values that select siblings,
    so that one of them is `wrong_constant` when this struct is decoded directly."""
    claimed_prefixes: tuple[str, ...] = ()
    """The prefixes that select siblings, likewise."""
    on_error: OnError | None = None
    """How lenient mode handles a value that does not fit."""
    origin: str | None = None
    """The mixin from which it was included; for nested mixins, the one that this struct names."""
    callback: Callback | None = None
    live: bool = False
    """Whether it is a live object of the API (a handle, a signal), which is never sent, like a callback."""
    carry: tuple[Carrier, ...] = ()
    """The ways in which an option is passed."""
    kept: bool = False
    """Whether only the client needs the option: its `carry` is given but empty."""
    retired: bool = False
    """Whether the newest release lacks it: readers accept it, but code for new values does not offer it."""
    new: tuple[Type, bool, bool] | None = None
    """`type`, `nullable` and `required` of a new value, as the newest release has them, if they differ."""
    examples: tuple[Example, ...] = field(default=(), hash=False)
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)

    @property
    def travels(self) -> bool:
        return self.callback is None and not self.live


@dataclass(frozen=True, slots=True)
class Example:
    """A JSON value that the spec gives as an instance of a declaration; `text` is compact JSON."""

    text: str
    doc: str | None = None
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a constructor: its name, and the JSON Pointer (as keys) to the value that it sets."""

    name: str
    pointer: tuple[str, ...]
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Constructor:
    name: str
    params: tuple[Param, ...]
    set: tuple[tuple[tuple[str, ...], Json], ...] = field(default=(), hash=False)
    """Fixed values by pointer."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


Section: TypeAlias = Literal["types", "messages", "controls", "options"]


@dataclass(frozen=True, slots=True)
class Struct:
    """A JSON object with known members. On the wire: tags, constants, then `fields` in order, then extra."""

    name: str
    section: Section
    """The section of its declaration; `controls` for a control's request type."""
    tags: tuple[Tag, ...] = ()
    consts: tuple[Const, ...] = ()
    fields: tuple[Field, ...] = ()
    """Varying tags, included fields, own fields: the order of encoders and of errors. Fields that are never sent
    are included; `wire_fields` leaves them out."""
    include: tuple[str, ...] = ()
    """The mixins whose fields are in `fields` with their `origin`."""
    extra: Type | None = None
    """The declared type of every value under an undeclared key."""
    origin: str | None = None
    """`from` of a message or control: the peer that sends it, or `both`."""
    constructors: tuple[Constructor, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    launch: Launch | None = None
    """For a configuration record: how a process is started with it."""
    examples: tuple[Example, ...] = field(default=(), hash=False)
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)
    untagged: frozenset[str] = field(default=frozenset(), compare=False)
    """The discriminators that it states not to have (`tag: {KEY: null}`)."""

    @property
    def wire_fields(self) -> tuple[Field, ...]:
        return tuple(f for f in self.fields if f.travels)

    def tag(self, key: str) -> Tag | None:
        return next((t for t in self.tags if t.key == key), None)


# --- unions ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variant:
    """A member of a union as declared: a struct or another union, by name."""

    name: str
    has: tuple[str, ...] = ()
    """For `by: keys`: the keys that must be present."""
    lacks: tuple[str, ...] = ()
    """For `by: keys`: the keys that must be absent."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Leaf:
    """The end of a dispatch: the struct that an object is decoded as."""

    struct: str


@dataclass(frozen=True, slots=True)
class Switch:
    """A dispatch on one discriminator, with unions of the same discriminator merged in.

    `cases` maps each wire value (all str, all bool or all int) to the next dispatch, in declared order. `prefixes` maps
    the prefixes of other strings to the next dispatch, the longest first. `others` are catch-alls: a glob, and the
    struct for unknown values that match it (`*`: any integer). `absent` is for objects that lack the key (or, for a
    boolean, whose value no case claims).
    """

    union: str
    """The declared union to which this dispatch belongs."""
    key: str
    cases: tuple[tuple[str | bool | int, Dispatch], ...]
    others: tuple[tuple[str, str], ...] = ()
    absent: Dispatch | None = None
    prefixes: tuple[tuple[str, Dispatch], ...] = ()
    base: TagKind = "string"
    """The built-in type of the discriminator."""

    def case(self, value: str | bool | int) -> Dispatch | None:
        return next((d for v, d in self.cases if v == value and type(v) is type(value)), None)

    @property
    def ways(self) -> tuple[Dispatch, ...]:
        """The possible next dispatches if the discriminator is present, without catch-alls."""
        return (*(then for _, then in self.cases), *(then for _, then in self.prefixes))

    @property
    def thens(self) -> tuple[Dispatch, ...]:
        """Every possible next dispatch, including catch-alls and that without the discriminator."""
        others = (Leaf(struct) for _, struct in self.others)
        return (*self.ways, *others, *(() if self.absent is None else (self.absent,)))


@dataclass(frozen=True, slots=True)
class Keys:
    """A dispatch on the presence of keys: the first condition that holds decides (at most one can hold)."""

    union: str
    cases: tuple[tuple[Variant, Dispatch], ...]

    @property
    def thens(self) -> tuple[Dispatch, ...]:
        """Every possible next dispatch."""
        return tuple(then for _, then in self.cases)


Dispatch: TypeAlias = "Leaf | Switch | Keys"


@dataclass(frozen=True, slots=True)
class Union:
    """One of several structs. `dispatch` is the computed decision; `variants` is what the spec lists."""

    name: str
    open: bool
    by: str
    """The key of the discriminator; `keys` when `dispatch` is `Keys`."""
    variants: tuple[Variant, ...]
    unknown: str
    """The name of its Unknown in the packages; unions may share one."""
    dispatch: Switch | Keys
    views: tuple[str, ...] = ()
    """Types whose fields its Unknown gives access to, where they are present and fit."""
    about: About = About()
    examples: tuple[Example, ...] = field(default=(), hash=False)
    place: SourceLocation = field(default=NOWHERE, compare=False)


# --- controls, tools, protocol ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Control:
    """A request and the type of its response, or a notification. `request` names the struct generated for it."""

    key: str
    origin: str
    """`from`: the peer that sends it, or `both`."""
    request: str
    response: Type | None
    response_optional: bool
    """Whether a response may have no payload (`T | none`); if `response` is None, it never has one."""
    error: Type | None = None
    """The type of the data of an error response; None for the type that the protocol declares."""
    fill: tuple[tuple[Pointer, Pointer], ...] = ()
    """Members of the result that are filled from the request if they are absent: the places in both."""
    is_notification: bool = False
    """Whether it has no response."""
    reply: tuple[Type | None, bool] | None = None
    """`response` and `response_optional` of a new response, as the newest release has them, if they differ."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """Tool names, and the types of their input and output; `pattern` is an exact name or contains a `*`."""

    pattern: str
    input: Type | None
    output: Type | None
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


Pointer: TypeAlias = "tuple[str, ...]"
"""A JSON Pointer as a tuple of keys."""

Constant: TypeAlias = "str | bool | int | float | None"


@dataclass(frozen=True, slots=True)
class Tree:
    """Entries that refer to their parents by id."""

    name: str
    lines: str
    """The struct or union of the entries."""
    id: Pointer
    parent: Pointer
    attached: Pointer | None = None
    """The pointer to the id of the entry that an entry belongs to, wherever the path goes on."""
    previous: Pointer | None = None
    """The pointer to the id of the entry before it in the history, if it has no parent."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)

    @property
    def pointers(self) -> Mapping[str, Pointer]:
        """The pointers that the spec states, by key."""
        found = {"id": self.id, "parent": self.parent, "attached": self.attached, "previous": self.previous}
        return {key: way for key, way in found.items() if way is not None}


ColumnType: TypeAlias = Literal["string", "integer", "number", "boolean", "timestamp", "json"]
"""The type of the values of a column, or of the items of its lists."""

EACH = "*"
"""A key of the pointer to rows that stands for every item of a list, or entry of a map."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    at: Pointer = ()
    of_line: bool = False
    """Whether `at` starts at the line; otherwise it starts at the value of the row."""
    key: bool = False
    """Whether the value is the key or index at the last `*` of the rows, in place of a value `at` a pointer."""
    type: ColumnType | None = None
    """The type, if it is not the one that follows from the members."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table, whose rows are values in lines."""

    name: str
    lines: tuple[str, ...]
    """The structs and unions of the lines."""
    columns: tuple[Column, ...]
    rows: Pointer = ()
    """The pointer to the value of a row; `EACH` stands for every item or entry."""
    types: tuple[str, ...] | None = None
    """`is`: the structs and unions of the values that have a row; None for any value."""
    unique: tuple[str, ...] = ()
    """The columns by which rows are copies of each other."""
    about: About = About()
    place: SourceLocation = field(default=NOWHERE, compare=False)


When: TypeAlias = "tuple[tuple[Pointer, Constant], ...]"
"""Values, by pointer, that distinguish a form of an envelope from its other forms."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A form of requests, notifications or responses, and where it has the values that correlate them."""

    struct: str
    payload: Pointer
    """`payload` of a request or notification, `result` of a response."""
    id: Pointer = ()
    """The pointer to the id of the request; empty for a notification, which has none."""
    by: str | None = None
    """The discriminator of requests or notifications."""
    when: When = ()
    has_none: bool = False
    none: Json = field(default=None, hash=False)
    """The result of a response that has none, if `has_none`; otherwise the member is absent."""


@dataclass(frozen=True, slots=True)
class ErrorEnvelope:
    """The form of responses that report an error."""

    struct: str
    id: Pointer
    message: Pointer
    """The pointer to the message for people."""
    code: Pointer | None = None
    data: Pointer | None = None
    when: When = ()
    refused: int | str | None = None
    """The code for a refused request."""
    unknown: int | str | None = None
    """The code of the response to an unknown request."""
    types: tuple[tuple[int | str, Type], ...] = ()
    """The type of the data, by code."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """The form of a message that cancels a request."""

    struct: str
    """Its type: a separate envelope, or a notification."""
    id: Pointer
    """The pointer to the id of the cancelled request in it."""
    is_notification: bool
    answered: bool
    """Whether the peer still responds to a cancelled request."""


@dataclass(frozen=True, slots=True)
class ControlProtocol:
    """How requests, notifications, responses and errors are correlated."""

    request: Envelope
    response: Envelope
    notify: Envelope | None = None
    error: ErrorEnvelope | None = None
    cancel: Cancel | None = None
    draw: Literal["uuid", "counter"] = "uuid"
    """How a client creates the id of a request."""
    prefix: str = ""
    """The prefix of a counter in a string id."""

    @property
    def structs(self) -> tuple[str, ...]:
        """The types of all forms, without duplicates."""
        forms = (self.request, self.notify, self.response, self.error, self.cancel)
        return tuple(dict.fromkeys(each.struct for each in forms if each is not None))

    @property
    def pointers(self) -> tuple[tuple[str, str, str, Pointer], ...]:
        """Every pointer: the form, the key that it is written under, the struct in which it starts, and its keys."""
        found: list[tuple[str, str, str, Pointer | None]] = []
        for side, form, last in (
            ("request", self.request, "payload"),
            ("notify", self.notify, "payload"),
            ("response", self.response, "result"),
        ):
            if form is not None:
                found += [(side, "id", form.struct, form.id or None), (side, last, form.struct, form.payload)]
        for side, each in (
            ("request", self.request),
            ("notify", self.notify),
            ("response", self.response),
            ("error", self.error),
        ):
            found += [] if each is None else [(side, "when", each.struct, way) for way, _ in each.when]
        if self.error is not None:
            ways = {
                "id": self.error.id,
                "message": self.error.message,
                "code": self.error.code,
                "data": self.error.data,
            }
            found += [("error", key, self.error.struct, way) for key, way in ways.items()]
        if self.cancel is not None:
            found.append(("cancel", "id", self.cancel.struct, self.cancel.id))
        return tuple((side, key, struct, way) for side, key, struct, way in found if way is not None)


FIRST_VERSION = "0.1.0"
"""The version of packages if the spec gives none."""


@dataclass(frozen=True, slots=True)
class Announced:
    """Where a peer announces its release."""

    message: str
    """The type of the message."""
    at: Pointer
    versions: tuple[tuple[str, str], ...]
    """Every covered release, the oldest first, and the version that a peer announces for it."""


Framing: TypeAlias = Literal["ndjson", "content-length", "sse"]
"""How messages are separated on a stream."""


@dataclass(frozen=True, slots=True)
class Protocol:
    name: str
    title: str
    version: str
    framing: Framing
    peers: tuple[str, ...]
    roots: tuple[str, ...]
    control: ControlProtocol | None = None
    about: About = About()
    package_version: str = FIRST_VERSION
    """The version of the packages of all languages."""
    oldest: str | None = None
    """The oldest covered release, unless it is `version`."""
    releases: tuple[str, ...] = ()
    """Every covered release, the oldest first."""
    announced: Announced | None = None
    license: str | None = None
    """The license of the packages, as an SPDX expression."""
    license_text: str | None = None
    """The text of the license."""
    changes: tuple[tuple[str, str], ...] = ()
    """The changes in each release of the packages, in Markdown, by version; the newest first."""


Declaration: TypeAlias = "Enum | Alias | Struct | Union"
_D = TypeVar("_D", Enum, Struct, Union)


@dataclass(frozen=True, slots=True)
class Model:
    """A whole protocol. `declarations` has enums, aliases, structs and unions in the order of the spec's parts."""

    protocol: Protocol
    packages: Mapping[str, Mapping[str, str]]
    declarations: Mapping[str, Declaration]
    controls: tuple[Control, ...]
    tools: tuple[Tool, ...]
    spec_hash: str
    """SHA-256 of the spec's files (and the overlay's), in hexadecimal."""
    dialect: str | None = None
    trees: tuple[Tree, ...] = ()
    tables: tuple[RowTable, ...] = ()
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The fields that the dialect renames: by declaration, a map from every former name to the new one."""
    headings: Mapping[tuple[str, str], SourceLocation] = field(default_factory=dict, compare=False)
    """The location of the sections of the spec's files, and of the keys of its header, by file and key."""

    @property
    def enums(self) -> tuple[Enum, ...]:
        return tuple(d for d in self.declarations.values() if isinstance(d, Enum))

    @property
    def aliases(self) -> tuple[Alias, ...]:
        return tuple(d for d in self.declarations.values() if isinstance(d, Alias))

    @property
    def structs(self) -> tuple[Struct, ...]:
        return tuple(d for d in self.declarations.values() if isinstance(d, Struct))

    @property
    def unions(self) -> tuple[Union, ...]:
        return tuple(d for d in self.declarations.values() if isinstance(d, Union))

    def struct(self, name: str) -> Struct:
        return self._one(name, Struct)

    def enum(self, name: str) -> Enum:
        return self._one(name, Enum)

    def union(self, name: str) -> Union:
        return self._one(name, Union)

    def _one(self, name: str, kind: type[_D]) -> _D:
        found = self.declarations[name]
        if not isinstance(found, kind):
            raise TypeError(f"{name} is declared as {type(found).__name__}, not as {kind.__name__}")
        return found
