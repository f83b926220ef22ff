"""Types, messages, options and control requests as written → structs with the members of their mixins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from polywire.ground.engine import MAX_INTEGER
from polywire.model import functions, launching
from polywire.model.declared import about, entries, examples, flag, listed, pointer, text, texts
from polywire.model.names import JSON, Names, admits_null, split_null
from polywire.model.nodes import (
    Const,
    Constructor,
    Declaration,
    Enum,
    Field,
    OnError,
    Param,
    Section,
    Struct,
    Tag,
    TagKind,
    Union,
)
from polywire.model.walk import without_alias
from polywire.source import Sample, jsontext
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text
from polywire.source.types import Ref, Scalar, Type

STRING = Scalar("string")
MAX_NESTING = 40
"""The maximum nesting depth of mixins."""


@dataclass(frozen=True, slots=True)
class Context:
    """What reading a struct needs from the rest of the spec at a release."""

    names: Names
    faults: Faults
    samples: Mapping[str, tuple[Sample, ...]]
    enums: Mapping[str, Enum]
    peers: tuple[str, ...]
    asked: Mapping[str, tuple[Text, Text | None]] = field(default_factory=dict)
    """The types of the request and the response, by the key of each control that has a response."""


@dataclass(frozen=True, slots=True)
class Written:
    """A struct with only its own members, and the names of its mixins."""

    struct: Struct
    include: tuple[Text, ...]


def read(key: Text, body: Table, section: Section, context: Context) -> Written:
    """Read a declaration of `types`, `messages` or `options`."""
    tags = _tags(body, context)
    consts = tuple(Const(e.key.text, _constant(e.value), e.key.place) for e in entries(body, "const"))
    extra = body.get("extra")
    own = fields(body, "fields", context)
    if section == "options":
        _check_options(body, context.faults)
    _distinct(tags, consts, own, context.faults)
    taken = {t.key for t in tags} | {c.key for c in consts}
    struct = Struct(
        name=key.text,
        section=section,
        tags=tags,
        consts=consts,
        fields=tuple(f for f in own if f.name not in taken),
        include=tuple(item.text for item in texts(body, "include")),
        extra=context.names.type(extra) if isinstance(extra, Text) else None,
        origin=origin(body, context) if section == "messages" else None,
        constructors=constructors(body),
        conflicts=launching.conflicts(body),
        launch=launching.launch(body),
        examples=examples(body, context.samples),
        about=about(body),
        place=key.place,
        untagged=frozenset(e.key.text for e in entries(body, "tag") if _is_null(e.value)),
    )
    return Written(struct, tuple(replace(n, text=context.names.called(n.text)) for n in texts(body, "include")))


def origin(body: Table, context: Context) -> str:
    """`from`: the peer that sends."""
    node = body.get("from")
    if not isinstance(node, Text):
        return "both"
    allowed = (*context.peers, "both")
    if node.text not in allowed:
        hint = context.faults.near(node.text, allowed) or f"there are {', '.join(allowed)}"
        context.faults.add("unknown-name", node.place, f"`{node.text}` is not a peer of the protocol", hint)
    return node.text


def constructors(body: Table) -> tuple[Constructor, ...]:
    return tuple(_constructor(e.key, e.value) for e in entries(body, "construct") if isinstance(e.value, Table))


def _constructor(key: Text, body: Table) -> Constructor:
    params = (next(iter(item)) for item in listed(body, "params") if isinstance(item, Table) and item.entries)
    fixed = entries(body, "set")
    return Constructor(
        name=key.text,
        params=tuple(
            Param(p.key.text, pointer(p.value.text), p.key.place) for p in params if isinstance(p.value, Text)
        ),
        set=tuple((pointer(e.key.text), jsontext.value(e.value)) for e in fixed),
        about=about(body),
        place=key.place,
    )


def _constant(node: Node) -> str | bool | int | float:
    return cast("str | bool | int | float", jsontext.value(node))  # the grammar allows no other types


def _constants(struct: Struct) -> list[Tag | Const]:
    """The tags and constants of a struct."""
    return [*struct.tags, *struct.consts]


def _distinct(tags: tuple[Tag, ...], consts: tuple[Const, ...], own: tuple[Field, ...], faults: Faults) -> None:
    seen: set[str] = set()
    members = [
        *((t.key, t.place) for t in tags),
        *((c.key, c.place) for c in consts),
        *((f.name, f.place) for f in own),
    ]
    for name, place in members:
        if name in seen:
            faults.add("duplicate-name", place, f"`{name}` is already a tag or constant of this type")
        seen.add(name)


# --- tags ------------------------------------------------------------------------------------------------------


def _tags(body: Table, context: Context) -> tuple[Tag, ...]:
    written = (entry for entry in entries(body, "tag") if not _is_null(entry.value))
    tags = tuple(tag for entry in written if (tag := _tag(entry, context)) is not None)
    others = body.get("others")
    return _catching(tags, others, context) if isinstance(others, Text) else tags


def _tag(entry: Entry, context: Context) -> Tag | None:
    key, value = entry.key.text, entry.value
    tag = Tag(key.removesuffix("?"), optional=key.endswith("?"), place=entry.key.place)
    if isinstance(value, Listing):
        return _listed_tag(tag, value, context)
    if isinstance(value, Text) and value.plain and context.names.kinds.get(context.names.called(value.text)) == "enum":
        return replace(tag, enum=context.names.called(value.text))
    if isinstance(value, Text) and value.plain and value.text in context.names.removed:
        context.names.is_a(value, ("enum",), "the values of a tag")
        return None
    if isinstance(value, Table):
        prefix = text(value, "prefix")
        return replace(tag, prefix=prefix) if prefix else None
    constant = jsontext.value(value)
    if (isinstance(constant, (str, bool)) and constant != "") or _is_integer(constant):
        return replace(tag, constant=cast("str | bool | int", constant))
    context.faults.add(
        "bad-tag",
        value.place,
        f"the tag `{tag.key}` is {jsontext.text(value)}; tags are strings, booleans or integers",
        "quote it if it is a string, or move it to `const`",
    )
    return None


def _is_null(value: Node | None) -> bool:
    """Whether the value of a tag states that objects do not have the tag."""
    return isinstance(value, Text) and jsontext.value(value) is None


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER


def _listed_tag(tag: Tag, value: Listing, context: Context) -> Tag | None:
    values = [jsontext.value(item) for item in value.items]
    alike = all(isinstance(v, str) and v for v in values) or all(map(_is_integer, values))
    if values and alike and len({str(v) for v in values}) == len(values):
        return replace(tag, values=tuple(cast("list[str | int]", values)))
    context.faults.add("bad-tag", value.place, f"the tag `{tag.key}` must have a list of distinct strings or integers")
    return None


def _catching(tags: tuple[Tag, ...], others: Text, context: Context) -> tuple[Tag, ...]:
    """The tags, with `others` assigned to the tag of an open enum."""
    fit = [tag for tag in tags if tag.enum is not None and context.enums[tag.enum].open]
    problem = None
    if len(fit) != 1:
        problem = f"`others` requires exactly one tag of an open enum beside it, found {len(fit)}"
    elif "*" not in others.text:
        problem = f"`{others.text}` is not a pattern: it has no `*`"
    elif context.enums[fit[0].enum or ""].base == "integer" and others.text != "*":
        problem = f"`{fit[0].enum}` is an enum of integers, whose other values only `*` can match"
    if problem is not None:
        context.faults.add("bad-tag", others.place, problem)
        return tags
    return tuple(replace(tag, others=others.text) if tag is fit[0] else tag for tag in tags)


def tag_field(tag: Tag) -> Field | None:
    """The field of a tag whose value varies."""
    if tag.constant is not None:
        return None
    plain = Scalar("integer") if any(map(_is_integer, tag.values)) else STRING
    type_ = plain if tag.enum is None else Ref(tag.enum)
    return Field(tag.key, type_, required=not tag.optional, tag=tag, place=tag.place)


# --- fields ----------------------------------------------------------------------------------------------------


def fields(body: Table, key: str, context: Context) -> tuple[Field, ...]:
    return tuple(_field(entry, context) for entry in entries(body, key))


def _field(entry: Entry, context: Context) -> Field:
    key = entry.key
    name, required = key.text.removesuffix("?"), not key.text.endswith("?")
    if isinstance(entry.value, Text):
        type_, nullable = _nullable(entry.value, context)
        return Field(name, type_, required, nullable, place=key.place)
    return _long_field(Field(name, JSON, required, place=key.place), cast("Table", entry.value), context)


def _long_field(field: Field, body: Table, context: Context) -> Field:
    type_, nullable = _type_of(body, context)
    default = body.get("default")
    return replace(
        field,
        type=type_,
        nullable=nullable,
        flatten=flag(body, "flatten"),
        construct_required=text(body, "construct") == "required",
        has_default=default is not None,
        default=None if default is None else jsontext.value(default),
        callback=functions.callback(body, context.names, context.asked, context.faults),
        live=flag(body, "live"),
        on_error=_on_error(body.get("on_error")),
        carry=launching.carriers(body, context.faults),
        kept="carry" in body.entries and not listed(body, "carry"),
        examples=examples(body, context.samples),
        about=about(body),
    )


_REPAIRS: Mapping[str, OnError] = {"absent": OnError(absent=True), "skip": OnError(skip=True)}


def _on_error(written: Node | None) -> OnError | None:
    """The repair of a value; the plain words `absent` and `skip` are keywords."""
    match written:
        case None:
            return None
        case Text(text=word, plain=True) if word in _REPAIRS:
            return _REPAIRS[word]
        case Listing(items=[Text(text="skip", plain=True), Text(text="absent", plain=True)]):
            return OnError(skip=True, absent=True)
        case Listing(items=[Text(text="skip", plain=True), value]):
            return OnError(skip=True, replaces=True, value=jsontext.value(value))
        case _:
            return OnError(replaces=True, value=jsontext.value(written))


def _type_of(body: Table, context: Context) -> tuple[Type, bool]:
    written = body.get("type")
    return _nullable(written, context) if isinstance(written, Text) else (JSON, False)


def _nullable(written: Text, context: Context) -> tuple[Type, bool]:
    type_, null = split_null(context.names.type(written))
    return type_, null or admits_null(type_, {})


def with_nulls(struct: Struct, aliases: Mapping[str, Type]) -> Struct:
    """The struct, with fields nullable if their aliases admit null."""
    found = tuple(replace(f, nullable=True) if _by_alias(f, aliases) else f for f in struct.fields)
    return struct if found == struct.fields else replace(struct, fields=found)


def _by_alias(field: Field, aliases: Mapping[str, Type]) -> bool:
    return not field.nullable and not isinstance(field.type, Scalar) and admits_null(field.type, aliases)


def _check_options(body: Table, faults: Faults) -> None:
    """Check that each option has a type, a callback or `live`; the grammar requires a type for other fields."""
    for entry in entries(body, "fields"):
        option = entry.value
        if isinstance(option, Table) and not option.entries.keys() & {"type", "callback", "live"}:
            faults.add(
                "missing-key", entry.key.place, f"`{entry.key.text}` is missing `type`", "give it one, or a `callback`"
            )


# --- mixins ----------------------------------------------------------------------------------------------------


MixinMemo: TypeAlias = "dict[tuple[int, tuple[int, ...]], tuple[Struct, Written]]"
"""Resolved structs, by the identity of their source and of the mixins that they include."""


class Mixins:
    """Adds the members of included types, once for each struct."""

    def __init__(
        self,
        written: Mapping[str, Written],
        names: Names,
        faults: Faults,
        elsewhere: Collection[str],
        memo: MixinMemo,
    ) -> None:
        """`elsewhere` has the declarations of other releases; `memo` caches structs of the releases before this one."""
        self._written = written
        self._elsewhere = elsewhere
        self._memo = memo
        self._names = names
        self._faults = faults
        self._done: dict[str, Struct] = {}
        self._open: list[str] = []
        self._lent: dict[str, tuple[Field, ...]] = {}

    def resolve(self, name: str) -> Struct:
        """The struct with its included members, but without the fields of tags, which are added later."""
        if name not in self._done:
            self._open.append(name)
            self._done[name] = self._resolve(self._written[name])
            self._open.pop()
        return self._done[name]

    def _resolve(self, written: Written) -> Struct:
        named = [name for name in dict.fromkeys(written.include) if name.text not in self._elsewhere]
        mixins = [name for name in named if self._may_include(name)]
        key = id(written), tuple(id(self.resolve(name.text)) for name in mixins)
        if key not in self._memo:
            self._memo[key] = self._with_members(written, mixins), written
        return self._memo[key][0]

    def _with_members(self, written: Written, mixins: list[Text]) -> Struct:
        struct = written.struct
        included = self._included(struct, mixins)
        tagged = {t.key for t in struct.tags}
        own = {f.name: f for f in struct.fields}
        consts = {c.key: c for name in mixins for c in self.resolve(name.text).consts if c.key not in own}
        consts = {k: c for k, c in (consts | {c.key: c for c in struct.consts}).items() if k not in tagged}
        members = {k: f for k, f in (included | own).items() if k not in tagged and k not in consts}
        return replace(
            struct,
            include=tuple(name.text for name in mixins),
            consts=tuple(consts.values()),
            fields=tuple(members.values()),
        )

    def _included(self, struct: Struct, mixins: list[Text]) -> dict[str, Field]:
        own = {f.name for f in struct.fields} | {t.key for t in struct.tags} | {c.key for c in struct.consts}
        found: dict[str, Field] = {}
        for name in mixins:
            for lent in self._lend(name.text):
                first = found.setdefault(lent.name, lent)
                if first.place != lent.place and lent.name not in own:
                    message = f"{first.origin} and {name.text} declare different `{lent.name}`"
                    hint = f"declare `{lent.name}` in {struct.name} to replace both"
                    self._faults.add("duplicate-name", name.place, message, hint)
        return found

    def _lend(self, mixin: str) -> tuple[Field, ...]:
        """The fields of a mixin, marked with their origin."""
        if mixin not in self._lent:
            self._lent[mixin] = tuple(replace(f, origin=mixin) for f in self.resolve(mixin).fields)
        return self._lent[mixin]

    def _may_include(self, name: Text) -> bool:
        if not self._names.is_a(name, ("type",), "what is included"):
            return False
        if name.text not in self._written:
            self._faults.add("bad-include", name.place, f"`{name.text}` cannot be included")
            return False
        if len(self._open) >= MAX_NESTING:
            self._faults.add("bad-include", name.place, f"types include each other more than {MAX_NESTING} levels deep")
            return False
        if name.text in self._open:
            way = " → ".join([*self._open[self._open.index(name.text) :], name.text])
            self._faults.add("mixin-cycle", name.place, f"`{name.text}` includes itself: {way}")
            return False
        return True


def complete(struct: Struct, tags: tuple[Tag, ...], absent: Mapping[str, AbsentTag], faults: Faults) -> Struct:
    """The struct with its tags in the order of dispatch, and with fields for varying and absent tags first."""
    own = {f.name: f for f in struct.fields}
    varying = [f for tag in tags if (f := tag_field(tag)) is not None]
    discriminators = [_discriminator(key, found, own.pop(key, None), struct, faults) for key, found in absent.items()]
    if not varying and not discriminators and tags == struct.tags:
        return struct
    return replace(struct, tags=tags, fields=(*varying, *discriminators, *own.values()))


@dataclass(frozen=True, slots=True)
class AbsentTag:
    """A discriminator that is not in the struct's tag although a union selects the struct by its absence."""

    union: str
    claimed: tuple[str | bool | int, ...]
    """The values that select other variants."""
    prefixes: tuple[str, ...]
    """The prefixes of strings that select other variants."""
    kind: TagKind


def _discriminator(key: str, absent: AbsentTag, declared: Field | None, struct: Struct, faults: Faults) -> Field:
    claimed, prefixes = absent.claimed, absent.prefixes
    if declared is None:
        of = Scalar(absent.kind)
        return Field(key, of, required=False, claimed=claimed, claimed_prefixes=prefixes, place=struct.place)
    if declared.on_error is not None:
        message = f"`{key}` selects the variant of {absent.union}, so it cannot have a repair"
        faults.add("bad-tag", declared.place, message)
    if declared.required:
        faults.add(
            "bad-tag",
            declared.place,
            f"`{key}` is required in {struct.name}, which {absent.union} selects for objects without `{key}`",
            f"write `{key}?`, or give {struct.name} a tag",
        )
    return replace(declared, required=False, on_error=None, claimed=claimed, claimed_prefixes=prefixes)


# --- checks that need all declarations -------------------------------------------------------------------------


def check_flatten(declarations: Mapping[str, Declaration], faults: Faults) -> None:
    """Check that the keys of each flattened field differ from those around it."""
    for struct in declarations.values():
        if isinstance(struct, Struct):
            flattened = [f for f in struct.fields if f.flatten]
            for field in flattened:
                _check_flattened(field, struct, declarations, faults)
            for field in flattened[1:]:
                faults.add(
                    "bad-flatten",
                    field.place,
                    f"{struct.name} has two flattened fields, and a key could belong to either",
                )
            if flattened and struct.extra is not None:
                message = f"{struct.name} has `extra`, and `{flattened[0].name}` takes all other keys"
                faults.add("bad-flatten", flattened[0].place, message)


def _check_flattened(field: Field, struct: Struct, declarations: Mapping[str, Declaration], faults: Faults) -> None:
    inner = without_alias(field.type, declarations)
    if field.nullable:
        faults.add("bad-flatten", field.place, f"`{field.name}` is flattened, so it cannot be null")
    if inner == Scalar("object"):
        return
    declared = declarations.get(inner.name) if isinstance(inner, Ref) else None
    if not isinstance(declared, (Struct, Union)):
        faults.add(
            "bad-flatten",
            field.place,
            f"`{field.name}` is flattened, so its type must be a struct, a union or `object`",
        )
        return
    outer = {f.name for f in struct.fields if f is not field} | {m.key for m in _constants(struct)}
    shared = sorted(outer & set(_keys_of(declared, declarations)))
    if shared:
        message = (
            f"`{shared[0]}` is a key of {struct.name}, so the key of {declared.name} in `{field.name}` would be hidden"
        )
        faults.add("bad-flatten", field.place, message)


def _keys_of(declared: Struct | Union, declarations: Mapping[str, Declaration]) -> Iterator[str]:
    """All keys that the structs of a type or union declare."""
    seen: set[str] = set()
    left = [declared.name]
    while left:
        name = left.pop()
        found = declarations.get(name)
        if name in seen or found is None:
            continue
        seen.add(name)
        if isinstance(found, Union):
            left.extend(v.name for v in found.variants)
        elif isinstance(found, Struct):
            yield from (f.name for f in found.fields if not f.flatten)
            yield from (m.key for m in _constants(found))
