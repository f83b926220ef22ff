"""Lines of traffic and a model → what each line is, what in it is unknown, and a dialect that declares it.

The dialect is data in the spec language: an overlay that adds the fields, enum values and variants that were seen, with
types inferred from all occurrences. Parts of it can be pasted into a spec, or all of it can be saved as a dialect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from polywire.ground.engine import Fault, pointer
from polywire.ground.json_values import dumps
from polywire.model.nodes import Declaration, Enum, Keys, Model, Struct, Switch, Union
from polywire.model.walk import spell, structs_of
from polywire.oracle import reference
from polywire.oracle.reference import Decoded, Passed
from polywire_import.describe import express
from polywire_import.infer import infer, members_of
from polywire_import.names import Names
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


@dataclass(frozen=True, slots=True)
class Explanation:
    """All lines, and the dialect that would declare what is unknown in them; it is empty if nothing is."""

    lines: tuple[Line, ...]
    dialect: dict[str, Dialect]


def explain(model: Model, lines: Iterable[bytes], root: str | None = None) -> Explanation:
    """Explain lines of JSON, each as `root` or the protocol's first root. Blank lines are counted but not listed."""
    seen = Sightings(model)
    explained = []
    for number, raw in enumerate(lines, 1):
        if raw.strip():
            explained.append(_explain_line(model, number, raw, root or model.protocol.roots[0], seen))
    return Explanation(tuple(explained), seen.dialect())


def _explain_line(model: Model, number: int, raw: bytes, root: str, seen: Sightings) -> Line:
    try:
        found = reference.decode(model, root, raw)
    except Fault as fault:
        return Line(number, fault=fault)
    seen.note(found)
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
        self._nulls: dict[tuple[str, str], int] = {}
        self._values: dict[str, Counter[str | int]] = {}
        self._varieties: dict[str, Variety] = {}

    def note(self, found: Decoded) -> None:
        """Count the contents of one decoded line."""
        self._structs.update(name for _, name in found.trail)
        for passed in found.passed:
            note = self._notes.get(passed.code)
            if note is not None:
                note(self, passed, found)

    def _note_field(self, passed: Passed, _: Decoded) -> None:
        self._fields.setdefault((passed.owner, str(passed.path[-1])), []).append(passed.value)

    def _note_null(self, passed: Passed, _: Decoded) -> None:
        key = (passed.owner, str(passed.path[-1]))
        self._nulls[key] = self._nulls.get(key, 0) + 1

    def _note_value(self, passed: Passed, _: Decoded) -> None:
        if isinstance(self._model.declarations.get(passed.owner), Enum):
            self._values.setdefault(passed.owner, Counter())[passed.value] += 1

    def _note_variant(self, passed: Passed, found: Decoded) -> None:
        path = passed.path[:-1] if passed.code == "unknown_variant" else passed.path
        tags = {}
        for union in _unions_at(self._model, pointer(path), found.trail):
            if union.by in passed.value and isinstance(union.dispatch, Switch):
                tags[union.by] = passed.value[union.by]
        variety = self._varieties.setdefault(f"{passed.owner} {tags!r}", Variety(passed.owner, tags))
        variety.objects.append(passed.value)

    _notes = {  # noqa: RUF012 (a table of methods, never changed)
        "unknown_field": _note_field,
        "wrong_type": _note_null,
        "unknown_value": _note_value,
        "unknown_variant": _note_variant,
        "no_variant": _note_variant,
    }

    def dialect(self) -> dict[str, Dialect]:
        """Return an overlay that declares all of it."""
        drawn = _Drawing(self._model)
        for variety in self._varieties.values():
            drawn.add_variant(variety)
        for (struct, key), values in self._fields.items():
            if not _sayable_key(key):
                continue
            drawn.add_field(struct, key, values, self._structs[struct])
        for struct, key in self._nulls:
            drawn.allow_null(struct, key)
        for enum, counted in self._values.items():
            drawn.add_values(enum, counted)
        return drawn.dialect()


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
        self._names = Names(model.declarations)
        self._controls = {control.request: control.key for control in model.controls}
        self._changes: dict[tuple[str, str, str], dict[str, Dialect]] = {}
        self._joined: dict[str, list[Dialect]] = {}
        self._new: dict[str, dict[str, Dialect]] = {}

    def dialect(self) -> dict[str, Dialect]:
        change: dict[str, dict[str, Dialect]] = {}
        for (section, name, part), what in self._changes.items():
            change.setdefault(section, {})[name] = {part: what}
        for union, names in self._joined.items():
            change.setdefault("unions", {})[union] = {"add": names}
        parts = {"change": change, "add": self._new}
        written: dict[str, Dialect] = {word: dict(part) for word, part in parts.items() if part}
        return (
            {"dialect": "observed", "doc": "What was seen on the wire beyond the spec.", **written} if written else {}
        )

    # Changes of existing declarations.

    def _changed_fields(self, struct: str) -> dict[str, Dialect]:
        section = self._model.struct(struct).section
        if section == "controls":
            return self._changes.setdefault(("controls", self._controls.get(struct, struct), "request"), {})
        return self._changes.setdefault(("options" if section == "options" else "types", struct, "fields"), {})

    def add_field(self, struct: str, key: str, values: list[Any], total: int) -> None:
        spelt = self._type(values, struct + _pascal(key))
        name = f"{key}?" if len(values) < total else key
        self._changed_fields(struct)[name] = Remarked({"type": spelt, "observed": True}, f"in {len(values)} of {total}")

    def allow_null(self, struct: str, key: str) -> None:
        known = next(each for each in self._model.struct(struct).fields if each.name == key)
        self._changed_fields(struct)[f"{key}?"] = f"{spell(known.type)} | null"

    def add_values(self, enum: str, values: Counter[str | int]) -> None:
        listed = self._changes.setdefault(("enums", enum, "values"), {})
        for value, count in values.items():
            if value == "":
                continue  # the language has no empty value
            entry: dict[str, Dialect] = {"doc": DOC, "observed": True}
            if isinstance(value, int):
                entry["value"] = value
            name = value if isinstance(value, str) else f"value_{str(value).replace('-', 'minus_')}"
            listed[name] = Remarked(entry, _times(count))

    # New declarations.

    def add_variant(self, variety: Variety) -> None:
        union = self._model.union(variety.union)
        siblings = [self._model.struct(name) for name in structs_of(union.dispatch)]
        sections = {each.section for each in siblings}
        remark = _times(len(variety.objects))
        if "controls" in sections and len(variety.tags) == 1:
            (key,) = map(str, variety.tags.values())
            request = self._fields(variety.objects, _pascal(key) + "Request", variety.tags)
            control: dict[str, Dialect] = {
                "doc": DOC,
                "observed": True,
                "from": _origin(siblings),
                "request": request,
                "response": "none",
            }
            self._new.setdefault("controls", {})[key] = Remarked(control, remark)
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
        self._join(union, name, variety.objects)

    def _mixins(self, siblings: Sequence[Struct], objects: list[dict[str, Any]]) -> list[str]:
        """Return the mixins that most siblings include and that all of the objects match."""
        included = Counter(mixin for each in siblings for mixin in each.include)
        return [mixin for mixin, count in included.items() if count * 2 > len(siblings) and self._has(objects, mixin)]

    def _has(self, objects: list[dict[str, Any]], mixin: str) -> bool:
        keys = {each.name for each in self._model.struct(mixin).fields}
        return all(self._is(mixin, {key: each[key] for key in each if key in keys}) for each in objects)

    def _join(self, union: Union, name: str, objects: list[dict[str, Any]]) -> None:
        listed = self._joined.setdefault(union.name, [])
        if isinstance(union.dispatch, Keys):
            shared: list[Dialect] = [key for key in objects[0] if all(key in each for each in objects)]
            listed.append({"name": name, "when": {"has": shared}})
        else:
            listed.append(name)

    # Types from values.

    def _fields(self, objects: list[dict[str, Any]], owner: str, but: Iterable[str] = ()) -> dict[str, Dialect]:
        """Return the members that objects of one type have: optional if one lacks them, nullable if one has null."""
        left_out = frozenset(but)
        fields: dict[str, Dialect] = {}
        for member in members_of(objects, known=self._declared, but=left_out):
            if member.name not in left_out:
                spelt = self._spelt(member.shape, owner + _pascal(member.name))
                name = member.name if member.required else f"{member.name}?"
                fields[name] = spelt if member.required else Remarked(spelt, member.remark or "")
        return fields

    def _type(self, values: list[Any], hint: str) -> str:
        """Return the narrowest expression that all values match; `hint` names a type that has to be declared for it."""
        return self._spelt(infer(values, known=self._declared), hint)

    def _spelt(self, shape: Shape, hint: str) -> str:
        expression, entries = express(shape, hint, "", self._model.declarations, self._names)
        for entry in entries:
            body = {key: _remarked(value, key) for key, value in entry.body.items() if key not in {"doc", "source"}}
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


def _name_of(variety: Variety, siblings: Sequence[Struct]) -> str:
    """Return the last tag's value, followed by the word that most siblings end in (`Message`, `Block`)."""
    stem = _pascal(str(next(reversed(variety.tags.values()), variety.union)))
    words = Counter(found[-1] for each in siblings if len(found := re.findall("[A-Z][a-z0-9]*", each.name)) > 1)
    word, count = words.most_common(1)[0] if words else ("", 0)
    return stem if count * 2 <= len(siblings) or stem.endswith(word) else stem + word


def _pascal(text: str) -> str:
    """Convert any text to the first part of a declared name: `order_placed` → `OrderPlaced`."""
    words = re.findall("[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"Value{name}"


def _sayable_key(key: str) -> bool:
    """Return whether the language can name a field this way: a trailing `?` has another meaning there."""
    return key != "" and not key.endswith("?")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# --- text ------------------------------------------------------------------------------------------------------


def render(explanation: Explanation) -> str:
    """Render an explanation as text: a paragraph for each line, then the dialect as YAML."""
    parts = [_render_line(line) for line in explanation.lines]
    if explanation.dialect:
        parts.append("# A dialect that describes what is unknown above:\n" + to_yaml(explanation.dialect))
    return "\n".join(parts)


def to_json(explanation: Explanation) -> str:
    """Return an explanation as a JSON object on one line.

    Members: `lines`, each with `line`, its number, and either `error` (`code`, `path`, `message`) or `variant`,
    `steps` (`pointer`, `names`) and `unknown` (`pointer`, `code`, `message`); and `dialect`, its YAML, or null if
    nothing is unknown.
    """
    lines = [_line_as_json(line) for line in explanation.lines]
    return dumps({"lines": lines, "dialect": to_yaml(explanation.dialect) if explanation.dialect else None}) + "\n"


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
    return _Quoted(value) if isinstance(value, str) else bool(value)


def to_yaml(dialect: Mapping[str, Dialect]) -> str:
    """Render a dialect as YAML in block style, with its comments."""
    return "".join(f"{row}\n" for row in _rows(dialect, ""))


def _rows(table: Mapping[str, Dialect], indent: str) -> Iterator[str]:
    for key, remarked in table.items():
        value, remark = remarked, ""
        if isinstance(remarked, Remarked):
            value, remark = remarked.value, f"  # {remarked.remark}"
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
