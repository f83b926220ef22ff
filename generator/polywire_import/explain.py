"""Lines of traffic and a model → what each line is, what in it is unknown, and a dialect that declares it.

The dialect is data in the spec language: an overlay that adds the fields, enum values and variants that were seen, with
types inferred from all occurrences. Parts of it can be pasted into a spec, or all of it can be saved as a dialect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from itertools import chain, count
from typing import Any, BinaryIO, TypeAlias

from polywire.ground.engine import Fault, pointer
from polywire.ground.json_values import dumps
from polywire.model.declared import pascal
from polywire.model.nodes import Declaration, Enum, Field, Keys, Model, Struct, Switch, Union
from polywire.model.walk import spell, structs_of
from polywire.oracle import reference
from polywire.oracle.instances.maker import declared_keys, resolved
from polywire.oracle.reference import Decoded, Passed
from polywire_import.describe import express
from polywire_import.infer import infer, members_of
from polywire_import.names import Names, names_apart
from polywire_import.shapes import Shape
from polywire_import.yamltext import Quoted, Tree

DOC = "Seen on the wire, not described yet."


@dataclass(frozen=True, slots=True)
class Step:
    """The declarations chosen at one place of a line, outermost first."""

    pointer: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something the model does not know: its place, the error code of strict mode, and a message."""

    pointer: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what it was decoded as, or why it could not be decoded."""

    number: int
    variant: str | None = None
    steps: tuple[Step, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Remarked:
    """A value of the dialect with a comment for people."""

    value: Dialect
    remark: str


Dialect: TypeAlias = "str | bool | int | list[Dialect] | dict[str, Dialect] | Remarked"


class Explainer:
    """Explains lines one after another, and collects what is unknown in them."""

    def __init__(self, model: Model, root: str | None = None, *, at_release: bool = False) -> None:
        """Each line is decoded as `root`, or as the protocol's first root.

        `at_release` states that the model was made for one release, which the dialect then names.
        """
        self._model = model
        self._root = root or model.protocol.roots[0]
        several = at_release or len(model.protocol.releases) > 1
        self._base = {"over": model.dialect} if model.dialect else {"at": model.protocol.version} if several else {}
        self._seen = Sightings(model)
        self.explained = 0
        """The number of lines that were explained."""
        self.faults = 0
        """The number of those that could not be decoded."""

    def lines(self, raw: Iterable[bytes | Fault]) -> Iterator[Line]:
        """Explain lines of JSON. Blank ones are counted but not listed."""
        for number, each in enumerate(raw, 1):
            if isinstance(each, Fault) or each.strip(b" \t\r\n"):
                line = self._line(number, each)
                self.explained += 1
                self.faults += line.fault is not None
                yield line

    def _line(self, number: int, raw: bytes | Fault) -> Line:
        try:
            if isinstance(raw, Fault):
                raise raw
            found = reference.decode(self._model, self._root, raw)
        except Fault as fault:
            return Line(number, fault=fault)
        self._seen.note(found)
        steps: dict[str, list[str]] = {}
        for place, name in found.trail:
            steps.setdefault(place, []).append(name)
        unknown = sorted({(each.pointer, each.code, each.message) for each in found.passed})
        return Line(
            number,
            found.variant,
            tuple(Step(place, tuple(names)) for place, names in steps.items()),
            tuple(Unknown(*each) for each in unknown),
        )

    def dialect(self) -> dict[str, Dialect]:
        """Return the dialect that would declare what is unknown in the lines so far; empty if nothing is."""
        return self._seen.dialect(self._base)


def messages(file: BinaryIO, framing: str) -> Iterator[bytes | Fault]:
    """Yield the lines of a file, or its messages if it is a stream in the framing and not lines of JSON."""
    if framing != "ndjson":
        data = file.read()
        if not _JSON.match(data):
            for frame in reference.frames(framing, data):
                yield frame.fault or (_TOO_LONG if frame.length > reference.LIMIT else frame.content)
            return
        file = BytesIO(data)
    while line := file.readline(reference.LIMIT + 2):
        is_long = len(line.rstrip(b"\r\n")) > reference.LIMIT
        yield _TOO_LONG if is_long else line
        while is_long and line and not line.endswith(b"\n"):
            line = file.readline(reference.LIMIT)


_JSON = re.compile(rb'[ \t\r\n]*([{\["0-9tfn-]|\Z)')
"""The beginning of JSON, or nothing. Neither a header nor a field of an event stream begins like this."""

_TOO_LONG = Fault("too_long", "", f"the message is longer than {reference.LIMIT} bytes")


# --- observations ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Variety:
    """The objects seen for one unknown variant."""

    union: str
    tags: dict[str, Any]
    objects: list[dict[str, Any]] = field(default_factory=list)


class Sightings:
    """Everything unknown in the lines so far, by the declaration that would have to declare it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._structs: Counter[str] = Counter()
        self._fields: dict[tuple[str, str], list[Any]] = {}
        self._nulls: dict[tuple[str, str], None] = {}
        self._values: dict[str, Counter[str | int]] = {}
        self._unfit: set[tuple[str, str | int]] = set()
        """Values that are the discriminator of an object that fits no variant otherwise."""
        self._varieties: dict[str, Variety] = {}

    def note(self, found: Decoded) -> None:
        """Count the contents of one decoded line."""
        self._structs.update(name for _, name in found.trail)
        for passed in found.passed:
            kind, note = self._notes.get(passed.code, (type(None), None))
            if note is not None and isinstance(self._model.declarations.get(passed.owner), kind):
                note(self, passed, found)

    def _note_field(self, passed: Passed, _: Decoded) -> None:
        self._fields.setdefault((passed.owner, str(passed.path[-1])), []).append(passed.value)

    def _note_null(self, passed: Passed, _: Decoded) -> None:
        if passed.value is None:
            self._nulls[passed.owner, str(passed.path[-1])] = None

    def _note_value(self, passed: Passed, found: Decoded) -> None:
        place = pointer(passed.path[:-1])
        if any(where == place and name not in self._model.declarations for where, name in found.trail):
            self._unfit.add((passed.owner, passed.value))
        self._values.setdefault(passed.owner, Counter())[passed.value] += 1

    def _note_variant(self, passed: Passed, found: Decoded) -> None:
        path = passed.path[:-1] if passed.code == "unknown_variant" else passed.path
        tags = {}
        for union in _unions_at(self._model, pointer(path), found.trail):
            if union.by in passed.value and isinstance(union.dispatch, Switch):
                tag = passed.value[union.by]
                tags[union.by] = int(tag) if isinstance(tag, float) else tag
        variety = self._varieties.setdefault(f"{passed.owner} {tags!r}", Variety(passed.owner, tags))
        variety.objects.append(passed.value)

    _notes: Mapping[str, tuple[type, Callable[[Sightings, Passed, Decoded], None]]] = {
        "unknown_field": (Struct, _note_field),
        "wrong_type": (Struct, _note_null),
        "unknown_value": (Enum, _note_value),
        "unknown_variant": (Union, _note_variant),
        "no_variant": (Union, _note_variant),
    }
    """By code: what has to declare what is unknown; anything else repaired it, which a new declaration would not."""

    def dialect(self, base: Mapping[str, str]) -> dict[str, Dialect]:
        """Return an overlay that declares all of it that the language can say; `base` names what it differs from."""
        drawn = _Drawing(self._model)
        for variety in self._varieties.values():
            drawn.add_variant(variety)
        for (struct, key), values in self._fields.items():
            drawn.add_field(struct, key, values, self._structs[struct])
        for struct, key in self._nulls:
            drawn.allow_null(struct, key)
        for enum, counted in self._values.items():
            fit = {value: times for value, times in counted.items() if (enum, value) not in self._unfit}
            drawn.add_values(enum, fit)
        return drawn.dialect(base)


def _unions_at(model: Model, place: str, trail: Sequence[tuple[str, str]]) -> list[Union]:
    """Return the unions that dispatched an object, outermost first, with those of its flattened part if reached."""
    unions: list[Union] = []
    for where, name in trail:
        declaration = model.declarations.get(name)
        if where == place and isinstance(declaration, Union):
            unions.append(declaration)
        elif where == place and isinstance(declaration, Struct):
            unions.clear()
    return unions


# --- the dialect -----------------------------------------------------------------------------------------------


class _Drawing:
    """An overlay under construction: changes by section, name and part, and additions by section and name."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._names = Names(model.declarations, same=str.lower)
        self._controls = {control.request: control for control in model.controls}
        self._hidden = _hidden(model)
        self._changes: dict[tuple[str, str, str], dict[str, Dialect]] = {}
        self._joined: dict[str, list[Dialect]] = {}
        self._new: dict[str, dict[str, Dialect]] = {}

    def dialect(self, base: Mapping[str, str]) -> dict[str, Dialect]:
        change: dict[str, dict[str, Dialect]] = {}
        for (section, name, part), what in self._changes.items():
            change.setdefault(section, {})[name] = {part: what}
        for union, names in self._joined.items():
            change.setdefault("unions", {})[union] = {"add": names}
        parts = {"change": change, "add": self._new}
        written: dict[str, Dialect] = {word: dict(part) for word, part in parts.items() if part}
        doc = "What was seen on the wire beyond the spec."
        return {"dialect": "observed", **base, "doc": doc, **written} if written else {}

    # Changes of existing declarations.

    def _is_current(self, part: Declaration | Field) -> bool:
        """Return whether the newest release has something: a dialect is based on that release."""
        about = self._controls[part.name].about if part.name in self._controls else part.about
        return about.later is None and about.until not in self._model.protocol.releases[:-1]

    def _changed_fields(self, struct: str) -> dict[str, Dialect]:
        section = self._model.struct(struct).section
        if section == "controls":
            control = self._controls[struct]
            part = "notify" if control.is_notification else "request"
            return self._changes.setdefault(("controls", control.key, part), {})
        return self._changes.setdefault(("options" if section == "options" else "types", struct, "fields"), {})

    def add_field(self, struct: str, key: str, values: list[Any], total: int) -> None:
        """Add an optional field, even if every object has it: values that the spec gives elsewhere lack it."""
        declared = self._model.struct(struct)
        never_sent = any(each.name == key for each in declared.fields)
        if (
            never_sent
            or key in self._hidden.get(struct, ())
            or not _is_sayable_key(key)
            or not self._is_current(declared)
        ):
            return
        body: dict[str, Dialect] = {"type": self._type(values, struct + _pascal(key)), "observed": True}
        fields = self._changed_fields(struct)
        added = (each.removesuffix("?") for each in fields)
        names = names_apart([*_keys_of(declared), *added, key])
        if key in names:
            body["name"] = names[key]
        fields[f"{key}?"] = Remarked(body, f"in {len(values)} of {total}")

    def allow_null(self, struct: str, key: str) -> None:
        """Let a field be null, in the mixin that declares it; `key` may be an index, if an item was repaired."""
        known = next((each for each in self._model.struct(struct).fields if each.name == key), None)
        if known is None:
            return
        if known.origin is not None:
            self.allow_null(known.origin, key)
        elif self._is_current(self._model.struct(struct)) and self._is_current(known):
            type_, _, _ = known.new or (known.type, known.nullable, known.required)
            self._changed_fields(struct)[f"{key}?"] = f"{spell(type_)} | null"

    def add_values(self, enum: str, values: Mapping[str | int, int]) -> None:
        declared = self._model.enum(enum)
        tagged = [(tag.key, each.name) for each in self._model.structs for tag in each.tags if tag.enum == enum]
        sayable = {
            value: times
            for value, times in values.items()
            if _is_sayable(value) and not any(self._is_claimed(key, value, {name}) for key, name in tagged)
        }
        if not sayable or not self._is_current(declared):
            return
        called = {value: value if isinstance(value, str) else _number_name(value) for value in sayable}
        names = names_apart([*(each.name for each in declared.values), *called.values()])
        listed = self._changes.setdefault(("enums", enum, "values"), {})
        for value, times in sayable.items():
            entry: dict[str, Dialect] = {"doc": DOC, "observed": True}
            if isinstance(value, int):
                entry["value"] = value
            if called[value] in names:
                entry["name"] = names[called[value]]
            listed[called[value]] = Remarked(entry, _times(times))

    def _is_claimed(self, key: str, value: Any, structs: Collection[str]) -> bool:
        """Return whether a union that has some of the structs selects another one by a value of a discriminator."""
        for union in self._model.unions:
            dispatch, own = union.dispatch, {*structs}.intersection(structs_of(union.dispatch))
            then = dispatch.case(value) if isinstance(dispatch, Switch) and dispatch.key == key and own else None
            if then is not None and own.isdisjoint(structs_of(then)):
                return True
        return False

    # New declarations.

    def add_variant(self, variety: Variety) -> None:
        union = self._model.union(variety.union)
        siblings = [self._model.struct(name) for name in structs_of(union.dispatch)]
        variety.tags = {**self._outer_tags(siblings), **variety.tags}
        has_tags = all(
            _is_sayable(tag) and each.get(key) == tag for key, tag in variety.tags.items() for each in variety.objects
        )
        names = [each.name for each in siblings]
        is_claimed = any(self._is_claimed(key, tag, names) for key, tag in variety.tags.items())
        hides = any(not self._hidden.get(union.name, frozenset()).isdisjoint(each) for each in variety.objects)
        when = _condition(union, variety.objects)
        if not has_tags or is_claimed or hides or when == {} or not self._is_current(union):
            return  # nothing that the language can say selects it
        sections = {each.section for each in siblings}
        remark = _times(len(variety.objects))
        if "controls" in sections and len(variety.tags) == 1:
            self._add_control(variety, siblings, remark)
            return
        name = self._names.give(_name_of(variety, siblings))
        body: dict[str, Dialect] = {"doc": DOC, "observed": True}
        self._new.setdefault("messages" if "messages" in sections else "types", {})[name] = Remarked(body, remark)
        if "messages" in sections:
            body["from"] = _origin(siblings)
        mixins = self._mixins(siblings, variety.objects)
        if mixins:
            body["include"] = list(mixins)
        if variety.tags:
            body["tag"] = {key: _literal(value) for key, value in variety.tags.items()}
        included = (each.name for mixin in mixins for each in self._model.struct(mixin).fields)
        body["fields"] = self._fields(variety.objects, name, (*variety.tags, *included))
        variant: Dialect = name if when is None else {"name": name, "when": when}
        self._joined.setdefault(union.name, []).append(variant)

    def _outer_tags(self, siblings: Sequence[Struct]) -> dict[str, Any]:
        """Return the tags by which unions that contain all of the siblings, and others, select one of these."""
        names = {each.name for each in siblings}
        keys = {each.by for each in self._model.unions if {*structs_of(each.dispatch)} > names}
        shared = [tag for tag in siblings[0].tags if all(tag in each.tags for each in siblings)] if siblings else []
        return {tag.key: tag.constant for tag in shared if tag.key in keys and tag.constant is not None}

    def _add_control(self, variety: Variety, siblings: Sequence[Struct], remark: str) -> None:
        """Add a request, or a notification if nothing else is among the siblings."""
        ((by, value),) = variety.tags.items()
        tag = str(value)
        controls = self._new.setdefault("controls", {})
        taken = {*controls, *(control.key for control in self._controls.values())}
        key = next(each for each in chain([tag], (f"{tag}_{number}" for number in count(2))) if each not in taken)
        name = self._names.give(f"{_pascal(key)}Request")
        told = [self._controls[each.name].is_notification for each in siblings if each.name in self._controls]
        fields = self._fields(variety.objects, name, (by,))
        controls[key] = Remarked(
            {
                "doc": DOC,
                "observed": True,
                **({} if name == f"{pascal(key)}Request" else {"name": name}),
                "from": _origin(siblings),
                **({} if key == tag else {"tag": tag}),
                **({"notify": fields} if all(told) else {"request": fields, "response": "none"}),
            },
            remark,
        )

    def _mixins(self, siblings: Sequence[Struct], objects: list[dict[str, Any]]) -> list[str]:
        """Return the mixins that most siblings include and that all of the objects match."""
        included = Counter(mixin for each in siblings for mixin in each.include)
        return [mixin for mixin, count in included.items() if count * 2 > len(siblings) and self._has(objects, mixin)]

    def _has(self, objects: list[dict[str, Any]], mixin: str) -> bool:
        keys = {each.name for each in self._model.struct(mixin).fields}
        return all(self._is(mixin, {key: each[key] for key in each if key in keys}) for each in objects)

    # Types from values.

    def _fields(self, objects: list[dict[str, Any]], owner: str, but: Iterable[str] = ()) -> dict[str, Dialect]:
        """Return the members that objects of one type have: optional if one lacks them, nullable if one has null."""
        left_out = frozenset(but)
        fields: dict[str, Dialect] = {}
        for member in members_of(objects, known=self._declared, but=left_out):
            if member.name not in left_out and _is_sayable_key(member.name):
                spelt = self._spelt(member.shape, owner + _pascal(member.name))
                name = member.name if member.required else f"{member.name}?"
                fields[name] = spelt if member.required else Remarked(spelt, member.remark or "")
        return _apart(fields, left_out)

    def _type(self, values: list[Any], hint: str) -> str:
        """Return the narrowest expression that all values match; `hint` names a type that has to be declared for it."""
        return self._spelt(infer(values, known=self._declared), hint)

    def _spelt(self, shape: Shape, hint: str) -> str:
        expression, entries = express(shape, hint, "", self._model.declarations, self._names)
        for entry in entries:
            body = {key: _remarked(value, key) for key, value in entry.body.items() if key not in {"doc", "source"}}
            if isinstance(fields := body.get("fields"), dict):
                body["fields"] = _apart(fields)
            self._new.setdefault(entry.section, {})[entry.name] = {"doc": DOC, "observed": True, **body}
        return expression

    def _declared(self, values: Sequence[dict[str, Any]]) -> str | None:
        """Return a declared struct, or else a union, that fits all objects and is too specific for a coincidence."""
        fitting = [
            declaration
            for declaration in self._model.declarations.values()
            if _telling(declaration) and all(self._is(declaration.name, value) for value in values)
        ]
        structs = [each for each in fitting if isinstance(each, Struct)]
        unions = [each for each in fitting if isinstance(each, Union)]
        if structs:
            return min(structs, key=lambda each: len(each.wire_fields)).name
        return min(unions, key=lambda each: len(each.variants)).name if unions else None

    def _is(self, name: str, value: Any) -> bool:
        try:
            reference.rules(self._model).decode(name, value, strict=True)
        except Fault:
            return False
        return True


def _remarked(value: Tree, key: str) -> Dialect:
    """Return a part of a declaration, with sample counts as comments, and words that need quotes marked."""
    match value:
        case dict() if value.keys() == {"type", "source"}:
            return Remarked(_remarked(value["type"], key), str(value["source"]))
        case dict():
            return {name: _remarked(each, name) for name, each in value.items()}
        case list():
            return [_remarked(each, key) for each in value]
        case Quoted():
            return _Quoted(value)
        case str() | bool() | int():
            return value
    return str(value)


def _telling(declaration: Declaration) -> bool:
    match declaration:
        case Union(dispatch=Switch()):
            return True
        case Struct(tags=tags, consts=consts, fields=fields):
            return bool(tags) or len(consts) + sum(each.required for each in fields) > 1
    return False


def _origin(siblings: Sequence[Struct]) -> str:
    origins = Counter(each.origin for each in siblings if each.origin)
    return origins.most_common(1)[0][0] if origins else "both"


_WORD = re.compile("[A-Z][a-z0-9]*")


def _condition(union: Union, objects: Sequence[Mapping[str, Any]]) -> dict[str, Dialect] | None:
    """Return the keys that tell objects from all variants of a union by keys: empty if none do, None if it has tags."""
    if not isinstance(union.dispatch, Keys):
        return None
    has = [key for key in objects[0] if all(key in each for each in objects)]
    lacks: dict[str, None] = {}
    for condition, _ in union.dispatch.cases:
        if {*condition.lacks}.isdisjoint(has):
            absent = [key for key in condition.has if not any(key in each for each in objects)]
            if not absent:
                return {}
            lacks[absent[0]] = None
    return {"has": [*has], **({"lacks": [*lacks]} if lacks else {})} if has else {}


def _name_of(variety: Variety, siblings: Sequence[Struct]) -> str:
    """Return the last tag's value, with what most siblings begin with (words of the union) and end in (`Message`)."""
    stem = _pascal(str(next(reversed(variety.tags.values()), variety.union)))
    of_union = _WORD.findall(variety.union)
    begins = ["".join(of_union[:most]) for most in range(len(of_union), 0, -1)]
    ends = Counter(found[-1] for each in siblings if len(found := _WORD.findall(each.name)) > 1).most_common(1)
    begin = next((each for each in begins if sum(s.name.startswith(each) for s in siblings) * 2 > len(siblings)), "")
    end = next((word for word, times in ends if times * 2 > len(siblings)), "")
    return begin + stem.removeprefix(begin).removesuffix(end) + end


def _pascal(text: str) -> str:
    """Convert any text to the first part of a declared name: `order_placed` → `OrderPlaced`."""
    words = re.findall("[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"Value{name}"


def _hidden(model: Model) -> dict[str, frozenset[str]]:
    """Return the keys that a struct or union cannot have, since an object into which it is flattened has them."""
    found: dict[str, frozenset[str]] = {}
    for outer in model.structs:
        for type_ in (each.type for each in outer.fields if each.flatten):
            inner = resolved(model, type_)
            names = structs_of(inner.dispatch) if isinstance(inner, Union) else ()
            for name in (*names, *([inner.name] if isinstance(inner, Struct | Union) else [])):
                found[name] = found.get(name, frozenset()) | declared_keys(outer)
    return found


def _keys_of(struct: Struct) -> list[str]:
    """Return the keys that a struct declares, and the names of its fields that are not their keys."""
    named = [each.about.name or each.name for each in struct.fields]
    return [*(tag.key for tag in struct.tags), *(const.key for const in struct.consts), *named]


def _apart(fields: Mapping[str, Dialect], others: Iterable[str] = ()) -> dict[str, Dialect]:
    """Return fields with a name for those that would have the name of another member in some language."""
    names = names_apart([*others, *(each.removesuffix("?") for each in fields)])
    made: dict[str, Dialect] = {}
    for key, value in fields.items():
        name = names.get(key.removesuffix("?"))
        inner, remark = (value.value, value.remark) if isinstance(value, Remarked) else (value, "")
        made[key] = value if name is None else Remarked({"type": inner, "name": name}, remark)
    return made


def _number_name(value: int) -> str:
    return f"value_{str(value).replace('-', 'minus_')}"


def _is_sayable(text: object) -> bool:
    """Return whether the language has a value of an enum or discriminator: no text that is empty or not Unicode."""
    return not isinstance(text, str) or (text != "" and not any("\ud800" <= each <= "\udfff" for each in text))


def _is_sayable_key(key: str) -> bool:
    """Return whether the language can name a field this way: a trailing `?` has another meaning there."""
    return _is_sayable(key) and not key.endswith("?")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# --- text ------------------------------------------------------------------------------------------------------


def as_text(explainer: Explainer, raw: Iterable[bytes | Fault]) -> Iterator[str]:
    """Explain lines as text, piece by piece: a paragraph for each line, then the dialect as YAML."""
    between = ""
    for line in explainer.lines(raw):
        yield between + _render_line(line)
        between = "\n"
    if dialect := explainer.dialect():
        yield f"{between}# A dialect that describes what is unknown above:\n{to_yaml(dialect)}"


def as_json(explainer: Explainer, raw: Iterable[bytes | Fault]) -> Iterator[str]:
    """Explain lines as a JSON object on one line, piece by piece.

    Members: `lines`, each with `line`, its number, and either `error` (`code`, `path`, `message`) or `variant`,
    `steps` (`pointer`, `names`) and `unknown` (`pointer`, `code`, `message`); and `dialect`, its YAML, or null if
    nothing is unknown.
    """
    between = '{"lines":['
    for line in explainer.lines(raw):
        yield between + dumps(_line_as_json(line))
        between = ","
    dialect = explainer.dialect()
    opening = "" if explainer.explained else between
    yield f'{opening}],"dialect":{dumps(to_yaml(dialect) if dialect else None)}}}\n'


def _line_as_json(line: Line) -> dict[str, Any]:
    if line.fault is not None:
        fault = line.fault
        return {"line": line.number, "error": {"code": fault.code, "path": fault.path, "message": fault.message}}
    return {
        "line": line.number,
        "variant": line.variant,
        "steps": [asdict(step) for step in line.steps],
        "unknown": [asdict(each) for each in line.unknown],
    }


def _render_line(line: Line) -> str:
    if line.fault is not None:
        return f"line {line.number}: {line.fault}\n"
    rows = [f"line {line.number}: {line.variant}"]
    rows += [f"  {step.pointer or '(line)'}: {' → '.join(step.names)}" for step in line.steps]
    rows += [f"  ? {each.pointer or '(line)'}: {each.code}: {each.message}" for each in line.unknown]
    return "\n".join(rows) + "\n"


class _Quoted(str):
    """A string that must be quoted in the spec language, since its plain form would mean something else."""

    __slots__ = ()


def _literal(value: Any) -> Dialect:
    return _Quoted(value) if isinstance(value, str) else value


def to_yaml(dialect: Mapping[str, Dialect]) -> str:
    """Render a dialect as YAML in block style, with its comments."""
    return "".join(f"{row}\n" for row in _rows(dialect, ""))


def _rows(table: Mapping[str, Dialect], indent: str) -> Iterator[str]:
    for key, remarked in table.items():
        value, remark = remarked, ""
        if isinstance(remarked, Remarked):
            value, remark = remarked.value, f"  # {remarked.remark}" if remarked.remark else ""
        head = f"{indent}{_scalar(key)}:"
        if isinstance(value, dict) and value and not _flows(value):
            yield head + remark
            yield from _rows(value, indent + "  ")
        elif isinstance(value, list) and len(value) > _SHORT:
            yield head + remark
            yield from (f"{indent}  - {_flow(item)}" for item in value)
        else:
            yield f"{head} {_flow(value)}{remark}"


_SHORT = 3
"""Maximum number of entries of a list, or of a field's long form, that are written on one line."""


def _flows(table: Mapping[str, Dialect]) -> bool:
    """Return whether a mapping is short enough for one line: a field or an enum value in its long form."""
    return (
        len(table) <= 3 and "observed" in table and all(isinstance(each, str | bool | int) for each in table.values())
    )


def _flow(value: Dialect) -> str:
    match value:
        case Remarked(value=inner):
            return _flow(inner)
        case dict():
            return "{" + ", ".join(f"{_scalar(key)}: {_flow(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            return _scalar(value)


_PLAIN = re.compile(r"[A-Za-z_$(][A-Za-z0-9_$?()<>|/. -]*(?<! )")
_WORDS = re.compile("true|false|null|remove", re.IGNORECASE)


def _scalar(text: str) -> str:
    """Write a string as a YAML scalar; plain if every parser reads that as the same string."""
    if not isinstance(text, _Quoted) and _PLAIN.fullmatch(text) and not _WORDS.fullmatch(text):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        return "\\uFFFD"  # YAML cannot represent a lone surrogate
    return f"\\U{code:08X}" if code > 0xFFFF else f"\\u{code:04X}"
