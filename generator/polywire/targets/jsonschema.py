"""The model → two JSON Schema documents, draft 2020-12: one open, equivalent to lenient mode, and one strict.

A spec with messages also gets an AsyncAPI document, which says which peer sends them, and whose payloads are entries of
the open schema. A spec with tables also gets their description (`polywire.plan.tables`) and the SQL that creates them.

Every declaration is an entry of `$defs` under its name, and the root refers to the protocol's first root. The variants
of a union are alternatives of `anyOf`, whose constant tags exclude each other; readers of schemas (people, generators
of types) understand that better than conditions. Where the tags alone do not decide, a variant has a `not` with the
objects that belong to other variants. Where an open union accepts objects without a variant, its Unknown is a separate
entry, and so are all other alternatives together, for tools that distinguish variants. The type of a flattened field is
written again for its enclosing object, since a closed type would refuse that object's own members: `Outer-field`.

A schema cannot express what only a parser sees (syntax, depth, duplicate keys).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias
from urllib.parse import quote

from polywire.ground.json_values import Json
from polywire.model.nodes import (
    About,
    Alias,
    Declaration,
    Dispatch,
    Enum,
    Example,
    Field,
    Keys,
    Leaf,
    Model,
    OnError,
    Struct,
    Switch,
    Tag,
    Union,
)
from polywire.plan import Plan
from polywire.plan.tables import document as tables_document
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type
from polywire.targets.common.base import File, Name, Reading, Target
from polywire.targets.common.names import Names, Overrides
from polywire.targets.common.sql import ENGINES, sql_schema

Schema: TypeAlias = "dict[str, Any]"

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_FORMAT = "application/schema+json;version=draft-2020-12"
"""What AsyncAPI calls the draft; without it, payloads are read as draft 7, which has no tuples."""

_LARGEST_INTEGER = 2**53 - 1
_LARGEST_DOUBLE = 1.7976931348623157e308

_SCALARS: Mapping[ScalarKind, Schema] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    # The bounds refuse numbers that overflow a double, which some parsers read as an infinity or as an exact integer.
    "number": {"type": "number", "minimum": -_LARGEST_DOUBLE, "maximum": _LARGEST_DOUBLE},
    "integer": {"type": "integer", "minimum": -_LARGEST_INTEGER, "maximum": _LARGEST_INTEGER},
    "uuid": {"type": "string"},
    "timestamp": {"type": "string"},
    "json": {},
    "object": {"type": "object"},
    "null": {"type": "null"},
}

# Python's `$` also matches before a final newline, and Rust's `regex`, which evaluates pydantic's patterns, has no
# look-ahead to prevent that; so a second pattern refuses what the first one lets through.
_NO_LAST_NEWLINE: Schema = {"pattern": r"\n$"}

_FORMATS: Mapping[ScalarKind, str] = {
    "uuid": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    "timestamp": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
}

_KIND_OF_CONSTANT = {bool: "boolean", str: "string", int: "integer", float: "number"}


class JsonSchema(Target):
    """The target of JSON Schema; see the module's docstring."""

    name: ClassVar[str] = "jsonschema"
    title: ClassVar[str] = "JSON Schema"
    package_keys: ClassVar[frozenset[str]] = frozenset({"name"})

    def names(self, model: Model) -> Iterable[Name]:
        return _Names(model).all()

    def files(self, plan: Plan) -> Iterable[File]:
        for strict in (False, True):
            keywords = document(plan.model, strict=strict)
            view = SchemaView(DRAFT, strict, tuple(keywords.items()))
            yield File(file_name(plan.model, strict=strict), "schema.json.j2", view)
        keys = bundle(plan.model)
        stem = _stem(plan.model)
        if keys:
            yield File(f"{stem}.asyncapi.json", "asyncapi.json.j2", {"keys": keys})
        if plan.tables.tables:
            yield File(f"{stem}.tables.json", "tables.json.j2", {"keys": tables_document(plan.model, plan.tables)})
            for engine in ENGINES:
                yield File(f"{stem}.{engine.name}.sql", f"{engine.name}.sql.j2", sql_schema(plan.tables, engine))

    def readings(self, plan: Plan) -> Iterable[Reading]:
        names, file = _Names(plan.model), file_name(plan.model, strict=False)
        for each in plan.public:
            name = names.type(each.name)
            yield Reading(each.name, name, {"reference": file + _pointer("$defs", name)})


@dataclass(frozen=True, slots=True)
class SchemaView:
    """One document."""

    draft: str
    strict: bool
    keywords: tuple[tuple[str, Json], ...]
    """The keywords after `$schema` and the header."""


def _stem(model: Model) -> str:
    """The beginning of all file names, without characters that could change the path."""
    name = model.packages.get(JsonSchema.name, {}).get("name", model.protocol.name)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "protocol"


def file_name(model: Model, *, strict: bool) -> str:
    """The file name of a schema."""
    return f"{_stem(model)}.strict.schema.json" if strict else f"{_stem(model)}.schema.json"


def document(model: Model, *, strict: bool) -> Schema:
    """The whole schema without `$schema` and the header."""
    protocol = model.protocol
    mode = "strict: known members, values and tags only" if strict else "open: accepts unknown members, values and tags"
    return {
        "title": protocol.title,
        "description": f"{protocol.name} {protocol.version}, {mode}.",
        **_ref(_Names(model).type(protocol.roots[0])),
        "$defs": {**_Definitions(model, strict=strict).all()},
    }


# --- AsyncAPI ----------------------------------------------------------------------------------------------------


_CHANNEL = ("channels", "stream")


def bundle(model: Model) -> Schema:
    """The AsyncAPI document of the first peer, without its version and the header; empty if there are no messages."""
    protocol, names, file = model.protocol, _Names(model), file_name(model, strict=False)
    senders = {names.type(each.name): each.origin for each in model.structs if each.section == "messages"}
    if not senders:
        return {}
    peer = protocol.peers[0]
    payloads = {name: {"schemaFormat": _FORMAT, "schema": {"$ref": file + _pointer("$defs", name)}} for name in senders}
    sent = [name for name, sender in senders.items() if sender in {peer, "both"}]
    received = [name for name, sender in senders.items() if sender != peer]
    operations = {"send": sent, "receive": received}
    return {
        "info": {
            "title": protocol.title,
            "version": protocol.version,
            "description": f"{protocol.name} {protocol.version}, as `{peer}` sends and receives it.",
        },
        "defaultContentType": "application/json",
        "channels": {
            "stream": {"address": None, "messages": {name: {"payload": each} for name, each in payloads.items()}}
        },
        "operations": {action: _operation(action, listed) for action, listed in operations.items() if listed},
    }


def _operation(action: str, messages: Iterable[str]) -> Schema:
    listed: list[Json] = [{"$ref": _pointer(*_CHANNEL, "messages", name)} for name in messages]
    return {"action": action, "channel": {"$ref": _pointer(*_CHANNEL)}, "messages": listed}


# --- names -----------------------------------------------------------------------------------------------------


class _Names(Names):
    """The keys of `$defs`."""

    override = Overrides(JsonSchema.name)
    scopes: ClassVar[Mapping[str, str]] = {}

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._sharing = Counter(union.unknown for union in model.unions)

    def type_default(self, name: str) -> str:
        return name

    def unknown(self, union: Union) -> str:
        """The entry of a union's Unknown.

        A shared name is qualified, as one union's Unknown may be known to another.
        """
        is_alone = self._sharing[union.unknown] == 1
        return union.unknown if is_alone else f"{union.unknown}-{self.type(union.name)}"


def _pointer(*steps: str) -> str:
    """A reference to a place in a document: a JSON Pointer in a URI fragment, escaped for both."""
    escaped = (step.replace("~", "~0").replace("/", "~1") for step in steps)
    return "#/" + "/".join(quote(step, safe="~!$&'()*+,;=:@") for step in escaped)


def _ref(name: str) -> Schema:
    return {"$ref": _pointer("$defs", name)}


# --- positions of flattened types --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Spot:
    """The position of a flattened type: the name of its entry, and the members of the enclosing object."""

    name: str
    foreign: frozenset[str]


# --- paths to the structs of a union ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a path through a dispatch, at `switch`: by values, by prefixes, by absence, or by a pattern."""

    switch: Switch
    values: tuple[str | bool | int, ...] = ()
    prefixes: tuple[str, ...] = ()
    absent: bool = False


@dataclass(frozen=True, slots=True)
class _Condition:
    """A step by the presence of keys."""

    has: tuple[str, ...]
    lacks: tuple[str, ...]


_Way: TypeAlias = "tuple[_Step | _Condition, ...]"


def _ways(dispatch: Dispatch, before: _Way = ()) -> Iterator[tuple[str, _Way]]:
    """Every struct of a dispatch, with each path that leads to it."""
    match dispatch:
        case Leaf(struct=struct):
            yield struct, before
        case Keys(cases=cases):
            for variant, then in cases:
                yield from _ways(then, (*before, _Condition(variant.has, variant.lacks)))
        case Switch(cases=cases, others=others, absent=absent):
            for value, then in cases:
                yield from _ways(then, (*before, _Step(dispatch, (value,))))
            for prefix, then in dispatch.prefixes:
                yield from _ways(then, (*before, _Step(dispatch, prefixes=(prefix,))))
            for _, struct in others:
                yield struct, (*before, _Step(dispatch))
            if absent is not None:
                yield from _ways(absent, (*before, _Step(dispatch, _free_booleans(dispatch), absent=True)))


def _free_booleans(switch: Switch) -> tuple[bool, ...]:
    """The values of a boolean discriminator that no case claims; they are treated like absence."""
    claimed = [value for value, _ in switch.cases if isinstance(value, bool)]
    return tuple(value for value in (True, False) if claimed and value not in claimed)


def _merged(ways: Iterable[_Way]) -> list[_Way]:
    """Paths through the same switches merged into one, with the values of each switch combined."""
    merged: dict[tuple[object, ...], _Way] = {}
    for way in ways:
        places = tuple((step.switch.union, step.switch.key) if isinstance(step, _Step) else step for step in way)
        merged[places] = tuple(map(_joined, merged[places], way)) if places in merged else way
    return list(merged.values())


def _joined(one: _Step | _Condition, other: _Step | _Condition) -> _Step | _Condition:
    if isinstance(one, _Step) and isinstance(other, _Step):
        values = tuple(dict.fromkeys((*one.values, *other.values)))
        prefixes = tuple(dict.fromkeys((*one.prefixes, *other.prefixes)))
        return replace(one, values=values, prefixes=prefixes, absent=one.absent or other.absent)
    return one


# --- definitions -----------------------------------------------------------------------------------------------


class _Definitions:
    """The entries of `$defs` for one mode. Only code that reads `strict` depends on the mode."""

    def __init__(self, model: Model, *, strict: bool) -> None:
        self._model = model
        self._strict = strict
        self._names = _Names(model)
        self._made: dict[str, Schema] = {}
        self._spots: dict[tuple[str, frozenset[str]], str] = {}

    def all(self) -> dict[str, Schema]:
        for declaration in self._model.declarations.values():
            name = self._names.type(declaration.name)
            self._made[name] = {}  # keeps its position before the entries that it adds
            self._made[name] = self._definition(declaration, name)
        return self._made

    def _definition(self, declaration: Declaration, name: str, spot: _Spot | None = None) -> Schema:
        match declaration:
            case Enum():
                body = self._enum(declaration)
            case Alias(type=type_):
                body = self._type(type_) if spot is None else self._spotted(type_, spot)
            case Struct():
                body = self._struct(declaration, name, spot)
            case Union():
                body = self._union(declaration, name, spot)
        described = _about(declaration.about, None if spot or name == declaration.name else declaration.name)
        if isinstance(declaration, Enum):
            described = {**described, "description": _with_values(declaration)}
        examples = {} if spot else _examples(declaration.examples)
        return {"title": name, **described, **body, **examples}

    # Types.

    def _type(self, type_: Type) -> Schema:
        match type_:
            case Scalar(kind=kind):
                return self._scalar(kind) | (self._bounds(type_) if self._strict else {})
            case LiteralType(value=value):
                return _constant(value)
            case TupleType(items=items):
                size = len(items)
                parts = [_or_true(self._type(item)) for item in items]
                return {"type": "array", "prefixItems": parts, "items": False, "minItems": size, "maxItems": size}
            case Ref(name=name):
                return _ref(self._names.type(name))
            case Array(item=item, low=low, high=high):
                schema: Schema = {"type": "array", "items": _or_true(self._type(item))}
                bounds: Schema = {"minItems": low, "maxItems": high} if self._strict else {}
                return schema | {key: bound for key, bound in bounds.items() if bound is not None}
            case Map(value=value, key=key):
                return {"type": "object", **self._keys(key), "additionalProperties": _or_true(self._type(value))}
            case Choice(members=members):
                return {"anyOf": [self._type(member) for member in members]}

    def _bounds(self, scalar: Scalar) -> Schema:
        """The keywords of a scalar's bounds; for numbers they replace the default ones."""
        keys = ("minLength", "maxLength") if scalar.kind == "string" else ("minimum", "maximum")
        return {key: bound for key, bound in zip(keys, (scalar.low, scalar.high), strict=True) if bound is not None}

    def _scalar(self, kind: ScalarKind) -> Schema:
        schema = dict(_SCALARS[kind])
        if self._strict and kind in _FORMATS:
            schema |= {"pattern": _FORMATS[kind], "not": _NO_LAST_NEWLINE}
        return schema

    def _keys(self, enum_name: str | None) -> Schema:
        """The schema of the keys of a map; in lenient mode, an open enum allows any key."""
        if enum_name is None:
            return {}
        enum = self._model.enum(enum_name)
        if enum.open and not self._strict:
            return {}
        if enum.base == "string":
            return {"propertyNames": _ref(self._names.type(enum_name))}
        return {"propertyNames": _one_of(str(value.wire) for value in enum.values)}

    def _enum(self, enum: Enum) -> Schema:
        known: Schema = {"type": enum.base, **_one_of(value.wire for value in enum.values)}
        if enum.open and not self._strict:
            return {"anyOf": [known, dict(_SCALARS[enum.base])]}
        return known

    # Structs.

    def _struct(self, struct: Struct, name: str, spot: _Spot | None) -> Schema:
        foreign = spot.foreign if spot else frozenset[str]()
        flat = next((field for field in struct.wire_fields if field.flatten), None)
        fields = [field for field in struct.wire_fields if not field.flatten]
        properties: Schema = {
            **{tag.key: self._tag(struct, tag) for tag in struct.tags},
            **{const.key: _constant(const.value) for const in struct.consts},
            **{field.name: self._property(field) for field in fields if field.tag is None},
        }
        required: list[Json] = [
            *(tag.key for tag in struct.tags if not tag.optional),
            *(const.key for const in struct.consts),
            *(field.name for field in fields if field.tag is None and field.required),
        ]
        rest = self._extra(struct) if flat is None else self._flattened(flat, name, foreign.union(properties))
        if "additionalProperties" in rest:
            properties |= dict.fromkeys(sorted(foreign - properties.keys()), True)
        schema: Schema = {"type": "object"}
        schema |= {"properties": properties} if properties else {}
        schema |= {"required": required} if required else {}
        return schema | rest

    def _extra(self, struct: Struct) -> Schema:
        """The schema of undeclared members.

        A null that lenient mode repairs belongs to a declared one, so it is exempt.
        """
        if struct.extra is not None:
            return {"additionalProperties": _or_true(self._type(struct.extra))}
        return {"additionalProperties": False} if self._strict else {}

    def _flattened(self, field: Field, name: str, declared: frozenset[str]) -> Schema:
        """Members that are not `declared` belong to the field's value; if the field is optional, there may be none."""
        if isinstance(field.type, Scalar):
            return {}
        target = self._spotted(field.type, _Spot(f"{name}-{field.name}", declared))
        if field.required:
            return {"allOf": [target]}
        return {"if": {"propertyNames": _one_of(sorted(declared))}, "else": target}

    def _spotted(self, type_: Type, spot: _Spot) -> Schema:
        """A reference to a type inside an outer object, or to the type itself if that makes no difference."""
        if not isinstance(type_, Ref):
            return self._type(type_)
        declaration = self._model.declarations[type_.name]
        if not self._minds_foreign(declaration):
            return _ref(self._names.type(type_.name))
        key = (type_.name, spot.foreign)
        if key not in self._spots:
            self._spots[key] = spot.name
            self._made[spot.name] = {}
            self._made[spot.name] = self._definition(declaration, spot.name, spot)
        return _ref(self._spots[key])

    def _minds_foreign(self, declaration: Declaration) -> bool:
        """Whether a type restricts members that it does not declare."""
        match declaration:
            case Alias(type=Ref(name=name)):
                return self._minds_foreign(self._model.declarations[name])
            case Struct():
                return self._strict or declaration.extra is not None or any(f.flatten for f in declaration.fields)
            case Union():
                structs = {struct for struct, _ in _ways(declaration.dispatch)}
                return any(self._minds_foreign(self._model.struct(struct)) for struct in structs)
        return False

    def _property(self, field: Field) -> Schema:
        schema = self._type(field.type)
        if field.nullable or not (field.required or self._strict):
            schema = _or_null(schema)
        takes_text = "string" in schema.get("type", "string")  # strict validators refuse types that cannot occur
        claimed = _claimed(field.claimed, field.claimed_prefixes if takes_text else ())
        if claimed:
            schema = schema | {"not": _any_of(claimed)}
        if field.on_error is not None and not self._strict:
            schema = self._repaired(field, field.on_error)
        return {**_about(field.about), **schema, **_examples(field.examples)}

    def _repaired(self, field: Field, on_error: OnError) -> Schema:
        """What lenient mode accepts where it repairs: anything, or a list of anything."""
        if on_error.absent or on_error.replaces:
            return {}
        null = field.nullable or not field.required
        return {"type": ["array", "null"] if null else "array"}

    def _tag(self, struct: Struct, tag: Tag) -> Schema:
        field = next((field for field in struct.fields if field.tag is not None and field.tag.key == tag.key), None)
        about = _about(field.about) if field else {}
        if tag.constant is not None:
            return {**about, **_constant(tag.constant)}
        if tag.enum is not None and (self._strict or not self._model.enum(tag.enum).open):
            return about | _ref(self._names.type(tag.enum))
        if tag.prefix is not None:
            return about | _begins(tag.prefix)
        values = self._tag_values(tag)
        kind = _KIND_OF_CONSTANT[type(values[0])] if values else "string"
        known: Schema = {"type": kind, **_one_of(values)}
        if tag.others is None or self._strict:
            return about | known
        if kind != "string":
            return about | self._scalar("integer")
        return {**about, "anyOf": [known, _glob(tag.others)]}

    def _tag_values(self, tag: Tag) -> tuple[str | bool | int, ...]:
        """The known values of a tag."""
        if tag.constant is not None:
            return (tag.constant,)
        return tag.values if tag.enum is None else tuple(each.wire for each in self._model.enum(tag.enum).values)

    # Unions.

    def _union(self, union: Union, name: str, spot: _Spot | None) -> Schema:
        ways: dict[str, list[_Way]] = {}
        for struct, way in _ways(union.dispatch):
            ways.setdefault(struct, []).append(way)
        members: list[Json] = [
            self._variant(self._model.struct(struct), name, _merged(each), spot) for struct, each in ways.items()
        ]
        unknown = None if self._strict else self._unknown(union.dispatch, within_open=False)
        if unknown is not None:
            known = [self._known_entry(union, members)] if members and spot is None else members
            members = [*known, self._unknown_entry(union, unknown)]
        return {"anyOf": members} if members else {"not": {}}

    def _variant(self, struct: Struct, union: str, ways: list[_Way], spot: _Spot | None) -> Schema:
        """The struct, with a `not` for those of its objects that the union's dispatch assigns to other variants."""
        if spot is None:
            schema = _ref(self._names.type(struct.name))
        else:
            inner = replace(spot, name=f"{union}-{self._names.type(struct.name)}")
            schema = self._spotted(Ref(struct.name), inner)
        elsewhere = [self._elsewhere(struct, way) for way in ways]
        if not all(elsewhere):
            return schema
        alternatives: list[Json] = [_any_of(each) for each in elsewhere]
        apart: Schema = _any_of(elsewhere[0]) if len(ways) == 1 else {"allOf": alternatives}
        # The type is redundant, but strict validators expect it before `required` and `properties`.
        return schema | {"not": {"type": "object", **apart}}

    def _elsewhere(self, struct: Struct, way: _Way) -> list[Schema]:
        """Schemas of the objects that the struct accepts but that are not on this path."""
        found: list[Schema] = []
        for step in way:
            found += self._off_step(struct, step) if isinstance(step, _Step) else self._off_condition(struct, step)
        return found

    def _off_step(self, struct: Struct, step: _Step) -> list[Schema]:
        key = step.switch.key
        tag = struct.tag(key)
        if tag is None:
            return self._off_absence(struct, step)
        others = [value for value, _ in step.switch.cases if value not in step.values]
        taken = _claimed([value for value in others if self._admits(tag, value)], self._prefixes_elsewhere(tag, step))
        found: list[Schema] = [{"required": [key], "properties": {key: _any_of(taken)}}] if taken else []
        if tag.optional and not step.absent:
            found.append({"not": {"required": [key]}})
        return found

    def _off_absence(self, struct: Struct, step: _Step) -> list[Schema]:
        """For the variant without the discriminator, whose own field for it accepts more."""
        key = step.switch.key
        field = next((field for field in struct.wire_fields if field.name == key), None)
        if not step.values:
            return [{"required": [key]}]
        if field is not None and field.type != Scalar("boolean"):
            return [{"required": [key], "properties": {key: {"not": {"enum": [*step.values]}}}}]
        if field is not None and (field.nullable or not (field.required or self._strict)):
            return [{"required": [key], "properties": {key: {"type": "null"}}}]
        return []

    def _prefixes_elsewhere(self, tag: Tag, step: _Step) -> list[str]:
        """Prefixes of other variants that match strings accepted by the tag's own schema."""
        others = [prefix for prefix, _ in step.switch.prefixes if prefix not in step.prefixes]
        if tag.prefix is not None:  # longer prefixes take precedence
            return [prefix for prefix in others if prefix.startswith(tag.prefix)]
        return others if tag.others is not None and not self._strict else []

    def _admits(self, tag: Tag, value: str | bool | int) -> bool:
        """Whether a tag's own schema accepts a value."""
        if tag.prefix is not None:
            return isinstance(value, str) and value.startswith(tag.prefix)
        if any(type(value) is type(each) and value == each for each in self._tag_values(tag)):
            return True
        loose = tag.others is not None and not self._strict
        if isinstance(value, int):
            return loose
        return loose and re.search(_glob_pattern(tag.others or ""), value) is not None

    def _off_condition(self, struct: Struct, condition: _Condition) -> list[Schema]:
        required = {
            *(tag.key for tag in struct.tags if not tag.optional),
            *(const.key for const in struct.consts),
            *(field.name for field in struct.wire_fields if field.required and not field.flatten),
        }
        declared = {
            *(tag.key for tag in struct.tags),
            *(const.key for const in struct.consts),
            *(field.name for field in struct.wire_fields),
        }
        closed = self._strict and struct.extra is None and not any(field.flatten for field in struct.wire_fields)
        has: list[Json] = [key for key in condition.has if key not in required]
        lacks = [key for key in condition.lacks if not closed or key in declared]
        found: list[Schema] = [{"required": [key]} for key in lacks]
        return [{"not": {"required": has}}, *found] if has else found

    # Unknowns of open unions.

    def _known_entry(self, union: Union, members: list[Json]) -> Schema:
        """An entry with the variants only: type generators use tags only if no alternative accepts every tag."""
        name = f"{self._names.type(union.name)}-known"
        described = f"The declared variants of {self._names.type(union.name)}, without its unknown objects."
        self._made[name] = {"title": name, "description": described, "anyOf": members}
        return _ref(name)

    def _unknown_entry(self, union: Union, unknown: Schema) -> Schema:
        name = self._names.unknown(union)
        described = f"An object that matches no variant of {self._names.type(union.name)}, kept unchanged."
        self._made.setdefault(name, {"title": name, "description": described, "type": "object", **unknown})
        return _ref(name)

    def _unknown(self, dispatch: Dispatch, *, within_open: bool) -> Schema | None:
        """The objects that are Unknown at a dispatch; None if there are none. `within_open`: an outer union is open."""
        match dispatch:
            case Leaf():
                return None
            case Keys():
                return self._unknown_by_keys(dispatch, within_open=within_open)
            case Switch():
                return self._unknown_by_tag(dispatch, within_open=within_open)

    def _unknown_by_keys(self, keys: Keys, *, within_open: bool) -> Schema | None:
        open_ = self._model.union(keys.union).open
        alternatives: list[Schema] = []
        if open_:
            alternatives.append({"not": _any_of([_condition_schema(v.has, v.lacks) for v, _ in keys.cases])})
        for variant, then in keys.cases:
            nested = self._unknown(then, within_open=within_open or open_)
            if nested is not None:
                alternatives.append({"allOf": [_condition_schema(variant.has, variant.lacks), nested]})
        return _any_of(alternatives) if alternatives else None

    def _unknown_by_tag(self, switch: Switch, *, within_open: bool) -> Schema | None:
        open_ = self._model.union(switch.union).open
        within_open = within_open or open_
        free = self._free_values(switch, open_=open_, within_open=within_open)
        present: Schema | None = None if free is None else {"properties": {switch.key: free}}
        for test_of, nested in reversed(self._unknown_behind(switch, within_open=within_open)):
            test: Schema = {"properties": {switch.key: test_of}}
            present = {"if": test, "then": nested, "else": {"not": {}} if present is None else present}
        absent = None if switch.absent is None else self._unknown(switch.absent, within_open=within_open)
        has_key: Schema = {"required": [switch.key]}
        if absent is None:
            # The type is redundant, but shows readers the type of the member that the schemas below restrict.
            typed: Schema = {"properties": {switch.key: self._of_kind(_kind(switch))}}
            return None if present is None else {**typed, **present, **has_key}
        return {"if": has_key, "then": present or {"not": {}}, "else": absent}

    def _unknown_behind(self, switch: Switch, *, within_open: bool) -> list[tuple[Schema, Schema]]:
        """What is Unknown after the cases of a switch: a schema of the values with the same result, and that result."""
        groups: list[tuple[list[Json], Schema]] = []
        for value, then in switch.cases:
            nested = self._unknown(then, within_open=within_open)
            if nested is not None and groups and groups[-1][1] == nested:
                groups[-1][0].append(value)
            elif nested is not None:
                groups.append(([value], nested))
        found: list[tuple[Schema, Schema]] = [({"enum": values}, nested) for values, nested in groups]
        for prefix, then in switch.prefixes:
            nested = self._unknown(then, within_open=within_open)
            found.append((_begins(prefix), {"not": {}} if nested is None else nested))
        return found

    def _of_kind(self, kind: Json) -> Schema:
        return self._scalar("integer") if kind == "integer" else {"type": kind}

    def _free_values(self, switch: Switch, *, open_: bool, within_open: bool) -> Schema | None:
        """The values of a discriminator that make an object Unknown independently of its other members."""
        values: list[Json] = [value for value, _ in switch.cases]
        kind = _kind(switch)
        if kind is None:
            return None
        taken = _claimed(values, [prefix for prefix, _ in switch.prefixes])
        free: Schema = {**self._of_kind(kind), **({"not": _any_of(taken)} if taken else {})}
        if open_:
            return free
        # A closed union inside an open one: only objects that a catch-all accepts can be Unknown.
        forms: list[Schema] = [_glob(pattern) if switch.base == "string" else {} for pattern, _ in switch.others]
        return {"allOf": [free, _any_of(forms)]} if forms and within_open else None


# --- small schemas ---------------------------------------------------------------------------------------------


def _kind(switch: Switch) -> Json:
    """The type of a discriminator in a schema; None if all its values, and its absence, are claimed."""
    return None if switch.absent is not None and switch.base == "boolean" else switch.base


def _constant(value: str | float | bool) -> Schema:
    return {"const": value, "type": _KIND_OF_CONSTANT[type(value)]}


def _one_of(values: Iterable[Json]) -> Schema:
    """One of the values. Validators refuse an `enum` that lists none."""
    listed = [*values]
    return {"enum": listed} if listed else {"not": {}}


def _or_true(schema: Schema) -> Json:
    """For a schema without a name and a description, `true` is the clearest way to accept anything."""
    return schema or True


_MERGES_NULL = frozenset(
    {"type", "minimum", "maximum", "items", "minItems", "maxItems", "propertyNames", "additionalProperties"}
)
"""Keywords with which a second type can be combined: they do not affect null."""


def _or_null(schema: Schema) -> Schema:
    if not schema or schema.get("type") == "null":
        return schema
    if schema.keys() <= _MERGES_NULL and isinstance(schema["type"], str):
        return schema | {"type": [schema["type"], "null"]}
    members = schema.get("anyOf") if schema.keys() == {"anyOf"} else None
    alternatives: list[Json] = members if isinstance(members, list) else [schema]
    null: Schema = {"type": "null"}
    return {"anyOf": alternatives if null in alternatives else [*alternatives, null]}


def _any_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": [*schemas]}


def _condition_schema(has: tuple[str, ...], lacks: tuple[str, ...]) -> Schema:
    schema: Schema = {"required": [*has]} if has else {}
    if lacks:
        taken: list[Schema] = [{"required": [key]} for key in lacks]
        schema["not"] = _any_of(taken)
    return schema


def _claimed(values: Iterable[Json], prefixes: Iterable[str]) -> list[Schema]:
    """Values, and strings with one of the prefixes, as alternative schemas."""
    listed = [*values]
    found: list[Schema] = [{"enum": listed}] if listed else []
    return [*found, *(_begins(prefix) for prefix in prefixes)]


def _begins(prefix: str) -> Schema:
    """A string with the prefix."""
    return {"type": "string", "pattern": f"^{_escaped(prefix)}"}


def _glob(pattern: str) -> Schema:
    """A string that matches a glob: `*` is any text, including line breaks."""
    schema: Schema = {"type": "string", "pattern": _glob_pattern(pattern)}
    return schema if pattern.endswith("*") else schema | {"not": _NO_LAST_NEWLINE}


_ANYTHING = r"[\s\S]*"


def _glob_pattern(pattern: str) -> str:
    """A regular expression that Python, Rust and ECMAScript interpret in the same way."""
    return f"^{_ANYTHING.join(map(_escaped, pattern.split('*')))}$".removesuffix(_ANYTHING + "$")


def _escaped(text: str) -> str:
    return re.sub(r"[\^$\\.*+?()\[\]{}|/]", r"\\\g<0>", text)


# --- descriptions ----------------------------------------------------------------------------------------------


def _about(about: About, declared_as: str | None = None) -> Schema:
    prose = [about.doc, f"Deprecated: {about.deprecated}" if about.deprecated else None]
    facts = [
        f"Declared as {declared_as}." if declared_as else None,
        f"Since {about.since}." if about.since else None,
        f"Until {about.until}." if about.until else None,
        f"Formerly {about.formerly}." if about.formerly else None,
        "Seen on the wire, though not declared upstream." if about.observed else None,
    ]
    described = "\n\n".join(text.strip() for text in prose if text)
    comment = " ".join(fact for fact in facts if fact)
    schema: Schema = {"description": described} if described else {}
    schema |= {"$comment": comment} if comment else {}
    return schema | ({"deprecated": True} if about.deprecated else {})


def _with_values(enum: Enum) -> str:
    """The description of an enum and of its values, for which a schema has no other place."""
    rows = [
        f"- `{value.wire}`" + (f": {' '.join(text.split())}" if isinstance(text, str) and text.strip() else "")
        for value in enum.values
        for text in (_about(value.about).get("description"),)
    ]
    doc = (_about(enum.about).get("description"), "\n".join(rows))
    return "\n\n".join(part for part in doc if isinstance(part, str) and part)


def _examples(examples: tuple[Example, ...]) -> Schema:
    return {"examples": [json.loads(example.text) for example in examples]} if examples else {}


TARGET = JsonSchema()
