"""JSON Schema (drafts 4 to 2020-12) → a catalog of shapes.

Every definition becomes a declaration. Constraints on values beyond their shape (`pattern`, `multipleOf`, …) are noted
as lost. Nothing is fetched: a reference that does not lead into one of the given documents is an error.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from polywire.ground.engine import pointer
from polywire.ground.words import counted, suggestion
from polywire_import.shapes import (
    AnyObject,
    Anything,
    Array,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
)

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 50
"""Maximum nesting of schemas; no person writes deeper ones, and the interpreter's stack must not overflow."""

Json: TypeAlias = Any
Schema: TypeAlias = "Mapping[str, Json] | bool"

_SECTIONS = ("$defs", "definitions")
_LOST = (
    "pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "contains", "minContains",
    "maxContains", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
    "if", "then", "else", "not", "contentMediaType", "contentEncoding", "contentSchema", "unevaluatedItems",
)  # fmt: skip
"""Keywords that reject values and have no counterpart in the spec language."""

_FORMATS: Mapping[str, Shape] = {"uuid": Scalar("uuid"), "date-time": Scalar("timestamp")}
_SCALARS: Mapping[str, Shape] = {"boolean": Scalar("boolean"), "null": Null()}


@dataclass(frozen=True, slots=True)
class Annotations:
    """The meaning of this source's annotations: the keyword for each meaning, as given in an override."""

    default_on_error: str | None = None
    skip_invalid_items: str | None = None
    method: str | None = None


def read(paths: Sequence[Path], annotations: Annotations | None = None, *, docs: bool = False) -> Catalog:
    """Return the catalog of some schema documents. Raises `ImportingError`."""
    documents = {path.name: _document(path) for path in paths}
    if len(documents) < len(paths):
        raise ImportingError("two sources have the same file name; references could not tell them apart")
    return _Reader(documents, annotations or Annotations(), docs=docs).run()


def _document(path: Path) -> Json:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ImportingError(f"{path}: the file has more than {MAX_BYTES} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ImportingError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ImportingError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ImportingError(f"{path}: values are nested too deeply") from error
    except ValueError as error:
        raise ImportingError(f"{path}: {error}; a JSON Schema is a JSON document") from error
    if not isinstance(document, dict):
        raise ImportingError(f"{path}: expected an object, a JSON Schema")
    return document


class _Reader:
    """One pass over the definitions of all documents; references to other places add to the work."""

    def __init__(self, documents: Mapping[str, Json], annotations: Annotations, *, docs: bool) -> None:
        self._documents = documents
        self._annotations = annotations
        self._docs = docs
        self._catalog = Catalog()
        self._names: set[str] = set()
        self._declared: dict[tuple[str, tuple[str, ...]], str] = {}
        self._work: deque[tuple[str, tuple[str, ...], str]] = deque()
        self._ids = {
            document["$id"].split("#", 1)[0]: name
            for name, document in documents.items()
            if isinstance(document.get("$id"), str)
        }
        self._anchors = {name: dict(_anchors(document)) for name, document in documents.items()}
        self._file = ""
        self._depth = 0

    def run(self) -> Catalog:
        for file, document in self._documents.items():
            for section in _SECTIONS:
                definitions = document.get(section, {})
                if not isinstance(definitions, dict):
                    raise ImportingError(f"{self._at(file, (section,))}: expected an object of schemas")
                for name in definitions:
                    self._declare(file, (section, name), name)
            if any(key in document for key in ("type", "properties", "anyOf", "oneOf", "allOf", "$ref", "enum")):
                title = document.get("title")
                stem = file.split(".", 1)[0]
                self._catalog.roots.append(self._declare(file, (), title if isinstance(title, str) else stem))
        while self._work:
            self._define(*self._work.popleft())
        return self._catalog

    def _declare(self, file: str, path: tuple[str, ...], name: str) -> str:
        """Return the catalog's name of the schema at a place, queueing the schema if it is new."""
        key = (file, path)
        if key not in self._declared:
            given, number = name, 2
            while given in self._names:
                given, number = f"{name} {number}", number + 1
            self._names.add(given)
            self._declared[key] = given
            self._work.append((file, path, given))
        return self._declared[key]

    def _define(self, file: str, path: tuple[str, ...], name: str) -> None:
        self._file = file
        schema = self._look(file, path)
        shape = self._shape(schema, path)
        said = schema if isinstance(schema, dict) else {}
        marks = {key: value for key, value in said.items() if key.startswith("x-") and isinstance(value, str)}
        self._catalog.declarations[name] = Declared(
            name, shape, self._at(file, path), self._doc(said), said.get("deprecated") is True, marks
        )

    # --- places and references ---

    def _at(self, file: str, path: tuple[str, ...]) -> str:
        return pointer(path) or "/" if len(self._documents) == 1 else f"{file}#{pointer(path)}"

    def _here(self, path: tuple[str, ...]) -> str:
        return self._at(self._file, path)

    def _look(self, file: str, path: tuple[str, ...]) -> Schema:
        found: Json = self._documents[file]
        for step in path:
            if isinstance(found, dict) and step in found:
                found = found[step]
            elif isinstance(found, list) and step.isdecimal() and len(step) < 10 and int(step) < len(found):
                found = found[int(step)]
            else:
                raise ImportingError(f"{self._at(file, path)}: a reference leads here, and there is nothing")
        if not isinstance(found, (dict, bool)):
            raise ImportingError(f"{self._at(file, path)}: expected a schema, an object or a boolean")
        return found

    def _ref(self, text: Json, path: tuple[str, ...]) -> Ref:
        if not isinstance(text, str):
            raise ImportingError(f"{self._here(path)}: `$ref` is not a text")
        base, _, fragment = text.partition("#")
        file = self._target(base, path)
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            if fragment not in self._anchors[file]:
                known = suggestion(fragment, self._anchors[file])
                raise ImportingError(f"{self._here(path)}: no schema has the anchor {fragment!r}{known}")
            steps = self._anchors[file][fragment]
        else:
            steps = tuple(s.replace("~1", "/").replace("~0", "~") for s in fragment.split("/")[1:])
        self._look(file, steps)
        title = self._documents[file].get("title") if not steps else None
        return Ref(self._declare(file, steps, steps[-1] if steps else str(title or file.split(".", 1)[0])))

    def _target(self, base: str, path: tuple[str, ...]) -> str:
        if not base:
            return self._file
        if base in self._ids:
            return self._ids[base]
        name = base.removeprefix("./")
        if name in self._documents:
            return name
        own = self._documents[self._file].get("$id")
        joined = own.rsplit("/", 1)[0] + "/" + name if isinstance(own, str) else None
        if joined in self._ids:
            return self._ids[joined]
        raise ImportingError(
            f"{self._here(path)}: the reference leads out of the given documents, to {base!r}; nothing is fetched, so"
            " give that document as a further source"
        )

    # --- schemas ---

    def _shape(self, schema: Schema, path: tuple[str, ...]) -> Shape:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ImportingError(f"{self._here(path)}: schemas are nested more than {MAX_DEPTH} levels deep")
        try:
            return self._of(schema, path)
        finally:
            self._depth -= 1

    def _of(self, schema: Schema, path: tuple[str, ...]) -> Shape:
        if schema is True or schema == {}:
            return Anything()
        if schema is False:
            self._note(path, "no value matches `false`; it is read as any value")
            return Anything()
        if not isinstance(schema, dict):
            raise ImportingError(f"{self._here(path)}: expected a schema, an object or a boolean")
        self._note_lost(schema, path)
        return self._nullable(schema, self._body(schema, path))

    def _body(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        if "const" in schema:
            return self._constant(schema["const"], path, schema)
        if "enum" in schema:
            return self._enum(schema, path)
        if "$ref" in schema:
            return self._referring(schema, path)
        if "allOf" in schema:
            return self._all_of(schema, path)
        if "anyOf" in schema or "oneOf" in schema:
            return self._alternatives(schema, path)
        return self._typed(schema, path)

    def _nullable(self, schema: Mapping[str, Json], shape: Shape) -> Shape:
        return OneOf((shape, Null())) if schema.get("nullable") is True else shape

    def _typed(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        named = schema.get("type")
        if isinstance(named, list):
            each = tuple(self._one_type(schema, name, path) for name in named)
            return each[0] if len(each) == 1 else OneOf(each, place=self._here(path))
        if named is not None:
            return self._one_type(schema, named, path)
        if schema.keys() & {"properties", "required", "additionalProperties", "patternProperties"}:
            return self._object(schema, path)
        if schema.keys() & {"items", "prefixItems"}:
            return self._array(schema, path)
        return Anything()

    def _one_type(self, schema: Mapping[str, Json], name: Json, path: tuple[str, ...]) -> Shape:
        match name:
            case "string":
                return self._string(schema, path)
            case "integer" | "number":
                return Scalar(name, _number(schema, "minimum"), _number(schema, "maximum"))
            case "object":
                return self._object(schema, path)
            case "array":
                return self._array(schema, path)
            case str() if name in _SCALARS:
                return _SCALARS[name]
        raise ImportingError(f"{self._here(path)}: `type` is {name!r}, which JSON Schema does not know")

    def _string(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        known = _FORMATS.get(str(schema.get("format")))
        if known is not None:
            message = f"the format `{schema['format']}` is checked here; in the source it can be a remark only"
            self._catalog.note("guessed", self._here(path), message)
            return known
        return Scalar("string", _number(schema, "minLength"), _number(schema, "maxLength"))

    def _constant(self, value: Json, path: tuple[str, ...], schema: Mapping[str, Json]) -> Shape:
        if value is None:
            return Null()
        if isinstance(value, (str, bool, int, float)):
            title = schema.get("title")
            return Literal(value, title if isinstance(title, str) else None, self._doc(schema))
        self._note(path, "the constant is not a scalar; any value of its JSON kind is accepted")
        return AnyObject() if isinstance(value, dict) else Array(Anything())

    def _enum(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        values = schema["enum"]
        if not isinstance(values, list) or not values:
            raise ImportingError(f"{self._here(path)}: `enum` is not a list of values")
        each = tuple(dict.fromkeys(self._constant(value, path, {}) for value in values))
        return each[0] if len(each) == 1 else OneOf(each, place=self._here(path))

    def _referring(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        ref = self._ref(schema["$ref"], path)
        beside = {key: value for key, value in schema.items() if key in _SHAPING - {"$ref", "nullable"}}
        if not beside:
            return ref
        rest = self._shape(beside, path)
        return self._joined([ref, rest], beside, path)

    # --- alternatives ---

    def _alternatives(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        key = "oneOf" if "oneOf" in schema else "anyOf"
        if "oneOf" in schema and "anyOf" in schema:
            self._note((*path, "anyOf"), "`anyOf` next to `oneOf` is left out")
        choice = self._choice(schema, key, path)
        beside = {name: value for name, value in schema.items() if name not in {"oneOf", "anyOf"}}
        if not self._has_members(beside):
            return Anything() if choice is None else choice
        around = self._object(beside, path)
        if choice is None or not isinstance(around, Object):
            return around
        if not isinstance(choice, OneOf):
            choice = OneOf((choice,), place=self._here(path))
        return replace(around, choices=(choice,))

    @staticmethod
    def _has_members(schema: Mapping[str, Json]) -> bool:
        return bool(schema.get("properties")) or isinstance(schema.get("additionalProperties"), dict)

    def _choice(self, schema: Mapping[str, Json], key: str, path: tuple[str, ...]) -> Shape | None:
        """Return the alternatives under `key`; None if they only say which members go together."""
        written = schema[key]
        if not isinstance(written, list) or not written:
            raise ImportingError(f"{self._here((*path, key))}: expected a list of schemas")
        if all(isinstance(each, dict) and each.keys() <= {"required", "description", "not"} for each in written):
            self._note((*path, key), "which members go together is not checked")
            return None
        kept, is_open = [], False
        for number, each in enumerate(written):
            if _is_catch_all(each, written):
                is_open = True
                if set(each.get("properties", {})) - _keys_of_not(each) or each.keys() & {"anyOf", "oneOf", "allOf"}:
                    at = self._here((*path, key, str(number)))
                    self._catalog.note("lost", at, "unknown alternatives are kept untouched; their members are untyped")
            else:
                kept.append((number, each))
        shapes = tuple(self._titled(each, (*path, key, str(number))) for number, each in kept)
        said = schema.get("discriminator")
        by = said.get("propertyName") if isinstance(said, dict) else None
        if len(shapes) == 1 and not is_open:
            return shapes[0]
        return OneOf(shapes, by if isinstance(by, str) else None, is_open, self._here(path))

    def _titled(self, schema: Schema, path: tuple[str, ...]) -> Shape:
        shape = self._shape(schema, path)
        title = schema.get("title") if isinstance(schema, dict) else None
        if isinstance(shape, Object) and isinstance(title, str):
            return replace(shape, title=title)
        return shape

    # --- allOf ---

    def _all_of(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        parts = schema["allOf"]
        if not isinstance(parts, list) or not parts:
            raise ImportingError(f"{self._here((*path, 'allOf'))}: expected a list of schemas")
        shapes = [self._shape(each, (*path, "allOf", str(n))) for n, each in enumerate(parts)]
        beside = {key: value for key, value in schema.items() if key in _SHAPING - {"allOf", "nullable"}}
        if beside.keys() <= {"type"} and (beside.get("type") in (None, "object") or len(shapes) == 1):
            beside = {}
        if beside:
            shapes.append(self._shape(beside, path))
        return self._joined(shapes, beside, path)

    def _joined(self, shapes: Sequence[Shape], beside: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        """Intersect the shapes: an object with the members of all of them, if they are objects."""
        telling = [each for each in shapes if not isinstance(each, (Anything, AnyObject))]
        if len(telling) <= 1:
            return telling[0] if telling else shapes[0]
        if not all(isinstance(each, (Ref, Object, Map)) for each in telling):
            unions = [each for each in telling if isinstance(each, OneOf)]
            rest = [each for each in telling if not isinstance(each, OneOf)]
            if rest and all(isinstance(each, (Ref, Object)) for each in rest):
                around = self._joined(rest, beside, path)
                around = around if isinstance(around, Object) else Object(bases=(around,), place=self._here(path))
                return replace(around, choices=(*around.choices, *unions))
            self._note(path, "only the first of several conditions is kept")
            return telling[0]
        members: dict[str, Member] = {}
        for each in telling:
            for member in each.members if isinstance(each, Object) else ():
                known = members.get(member.name)
                members[member.name] = replace(known, required=True) if known and member.demanded else member
        maps = [each.value for each in telling if isinstance(each, Map)]
        extras = [each.extra for each in telling if isinstance(each, Object) and each.extra is not None]
        bases = [base for each in telling for base in (each.bases if isinstance(each, Object) else [each])]
        return Object(
            tuple(members.values()),
            tuple(base for base in bases if isinstance(base, Ref)),
            next(iter([*extras, *maps]), None),
            tuple(choice for each in telling if isinstance(each, Object) for choice in each.choices),
            place=self._here(path),
        )

    # --- objects and arrays ---

    def _object(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not isinstance(properties, dict) or not isinstance(required, list):
            raise ImportingError(f"{self._here(path)}: `properties` is an object, `required` a list")
        extra = self._extra(schema, path)
        demanded = {name for name in required if isinstance(name, str)}
        members = [self._member(name, each, name in demanded, (*path, "properties", name)) for name, each in
                   properties.items()]  # fmt: skip
        members += [
            Member(name, Anything(), demanded=True, place=self._here(path))
            for name in sorted(demanded - properties.keys())
            if name and not name.endswith("?")
        ]
        if members:
            return Object(tuple(each for each in members if each), extra=extra, place=self._here(path))
        names = schema.get("propertyNames")
        key = self._shape(names, (*path, "propertyNames")) if isinstance(names, dict) else None
        if key is not None and not isinstance(key, (Ref, OneOf)):
            self._note((*path, "propertyNames"), "keys are not checked")
            key = None
        if extra is None or isinstance(extra, Anything):
            return AnyObject() if key is None else Map(Anything(), key)
        return Map(extra, key)

    def _extra(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape | None:
        """Return the shape of other keys: None if nothing is said or nothing is allowed."""
        patterns = schema.get("patternProperties")
        shapes = []
        if isinstance(patterns, dict) and patterns:
            self._note((*path, "patternProperties"), "the patterns of keys are not checked")
            shapes = [self._shape(each, (*path, "patternProperties", key)) for key, each in patterns.items()]
        said = schema.get("additionalProperties")
        if isinstance(said, dict):
            shapes.append(self._shape(said, (*path, "additionalProperties")))
        elif said is True or (said is None and shapes):
            shapes.append(Anything())
        if not shapes or any(isinstance(each, Anything) for each in shapes):
            return Anything() if shapes else None
        return shapes[0] if len(shapes) == 1 else OneOf(tuple(shapes), place=self._here(path))

    def _member(self, name: str, schema: Schema, required: bool, path: tuple[str, ...]) -> Member | None:
        if name == "" or name.endswith("?"):
            self._note(path, f"the language cannot name the member {name!r}; it is kept as an unknown one")
            return None
        said = schema if isinstance(schema, dict) else {}
        return Member(
            name,
            self._shape(schema, path),
            required,
            self._doc(said),
            said.get("deprecated") is True,
            self._on_error(said, required),
            place=self._here(path),
        )

    def _on_error(self, said: Mapping[str, Json], required: bool) -> tuple[object, ...]:
        told = self._annotations
        actions: list[object] = []
        if told.skip_invalid_items and said.get(told.skip_invalid_items) is True:
            actions.append("skip")
        if told.default_on_error and said.get(told.default_on_error) is True:
            if not required:
                actions.append("absent")
            elif "default" in said:
                actions.append((json.dumps(said["default"]),))
            elif said.get("type") == "array":
                actions.append(("[]",))
        return tuple(actions)

    def _array(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> Shape:
        items, first = schema.get("items"), schema.get("prefixItems")
        if isinstance(items, list):
            first, items = items, schema.get("additionalItems")
        low, high = _count(schema, "minItems"), _count(schema, "maxItems")
        if isinstance(first, list) and first:
            each = tuple(self._shape(item, (*path, "prefixItems", str(n))) for n, item in enumerate(first))
            if items is False or high == len(first):
                if low != len(first):
                    self._note(path, f"the list has exactly {counted(len(first), 'item')}; in the source at most")
                return Tuple(each)
            self._note(path, "the first items of the list are not told from the others")
            rest = self._shape(items, (*path, "items")) if isinstance(items, dict) else Anything()
            return Array(OneOf((*each, rest), place=self._here(path)), low, high)
        item = self._shape(items, (*path, "items")) if isinstance(items, (dict, bool)) else Anything()
        return Array(item, low, high)

    # --- remarks ---

    def _note(self, path: tuple[str, ...], message: str) -> None:
        self._catalog.note("lost", self._here(path), message)

    def _note_lost(self, schema: Mapping[str, Json], path: tuple[str, ...]) -> None:
        lost = [key for key in _LOST if key in schema and not (key == "not" and _keys_of_not(schema))]
        if lost:
            self._note(path, f"{', '.join(f'`{key}`' for key in lost)} is not checked")

    def _doc(self, schema: Mapping[str, Json]) -> str | None:
        text = schema.get("description")
        return text if self._docs and isinstance(text, str) and text.strip() else None


_SHAPING = frozenset({
    "type", "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "items",
    "prefixItems", "anyOf", "oneOf", "allOf", "enum", "const", "$ref", "nullable",
})  # fmt: skip
"""Keywords that describe the shape of a value; all others are annotations, or reject some values."""


def _anchors(document: Json) -> Iterator[tuple[str, tuple[str, ...]]]:
    stack: list[tuple[Json, tuple[str, ...]]] = [(document, ())]
    while stack:
        node, path = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$anchor"), str):
                yield node["$anchor"], path
            stack.extend((value, (*path, key)) for key, value in node.items() if isinstance(value, (dict, list)))
        elif isinstance(node, list):
            stack.extend((item, (*path, str(n))) for n, item in enumerate(node) if isinstance(item, (dict, list)))


def _number(schema: Mapping[str, Json], key: str) -> float | int | None:
    value = schema.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _count(schema: Mapping[str, Json], key: str) -> int | None:
    value = schema.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


# --- "not any of the others" ---


def _is_catch_all(schema: Schema, siblings: Sequence[Schema]) -> bool:
    """Return whether an alternative excludes all its siblings: its `not` lists constants that each of them has."""
    if not isinstance(schema, dict):
        return False
    keys = _keys_of_not(schema)
    return bool(keys) and any(keys & _constants(each).keys() for each in siblings if each is not schema)


def _keys_of_not(schema: Mapping[str, Json]) -> set[str]:
    """Return the members whose constants a `not` excludes; empty if it says anything else."""
    excluded = schema.get("not")
    if not isinstance(excluded, dict):
        return set()
    each = excluded.get("anyOf", [excluded])
    if not isinstance(each, list):
        return set()
    keys = [set(_constants(part)) for part in each]
    return set().union(*keys) if keys and all(keys) else set()


def _constants(schema: Schema) -> dict[str, Json]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {key: each for key, each in properties.items() if isinstance(each, dict) and each.keys() & {"const", "enum"}}
