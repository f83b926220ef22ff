"""JSON Schema (drafts 4 to 2020-12) → a catalog of shapes.

Every definition becomes a declaration. Constraints on values beyond their shape (`pattern`, `multipleOf`, …) are noted
as lost. Nothing is fetched: a reference that leads neither into one of the given documents nor to a file in its folder
is an error.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote, urljoin

from polywire.ground.engine import MAX_INTEGER, pointer
from polywire.ground.json_values import kind
from polywire.ground.words import counted, suggestion
from polywire_import.beside import Beside
from polywire_import.shapes import (
    AllOf,
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

SECTIONS = (("$defs",), ("definitions",))
"""Where definitions stand in a document."""
_LOST = (
    "pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "contains", "minContains",
    "maxContains", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
    "if", "then", "else", "not", "contentMediaType", "contentEncoding", "contentSchema", "unevaluatedItems",
)  # fmt: skip
"""Keywords that reject values and have no counterpart in the spec language."""

_FORMATS: Mapping[str, Shape] = {"uuid": Scalar("uuid"), "date-time": Scalar("timestamp")}
_META = re.compile(r"https?://(json-schema\.org/draft|spec\.openapis\.org/oas/[0-9.]+/dialect/)")
"""Schemas that describe schemas, which describe any value to others."""
_SCALARS: Mapping[str, Shape] = {"boolean": Scalar("boolean"), "null": Null()}


@dataclass(frozen=True, slots=True)
class Annotations:
    """The meaning of this source's annotations: the keyword for each meaning, as given in an override."""

    default_on_error: str | None = None
    skip_invalid_items: str | None = None
    method: str | None = None


def read(paths: Sequence[Path], annotations: Annotations | None = None, *, docs: bool = False) -> Catalog:
    """Return the catalog of some schema documents. Raises `ImportingError`."""
    return Reader(given(paths, document), annotations or Annotations(), Beside(paths, document), docs=docs).run()


def given(paths: Sequence[Path], load: Callable[[Path], Json]) -> dict[str, Json]:
    """Return documents by the names of their files. Raises `ImportingError`."""
    documents = {path.name: load(path) for path in paths}
    if len(documents) < len(paths):
        raise ImportingError("two sources have the same file name; references could not tell them apart")
    return documents


def document(path: Path) -> Json:
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


_Path: TypeAlias = "tuple[str, ...]"
_Place: TypeAlias = "tuple[str, _Path]"
"""A file and a path in it."""


@dataclass(frozen=True, slots=True)
class _Resource:
    """A schema with an `$id`, or a document: what references are relative to."""

    file: str
    path: _Path
    uri: str


class _Reference(str):
    """The text of a `$ref`, and the resource that it is in."""

    __slots__ = ("inside",)
    inside: _Resource


def _reference(text: str, inside: _Resource) -> _Reference:
    made = _Reference(text)
    made.inside = inside
    return made


def steps(pointer: str) -> _Path:
    """Return the path that a JSON Pointer leads to."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


class Reader:
    """One pass over the definitions of all documents; references to other places add to the work."""

    def __init__(self, documents: Mapping[str, Json], annotations: Annotations, beside: Beside, *, docs: bool) -> None:
        self._documents = dict(documents)
        self._given = tuple(documents)
        self._alone = next(iter(documents)) if len(documents) == 1 else None
        self._beside = beside
        self._annotations = annotations
        self._docs = docs
        self._catalog = Catalog()
        self._names: set[str] = set()
        self._declared: dict[_Place, str] = {}
        self._work: deque[tuple[str, _Path, str]] = deque()
        self._resources: dict[str, _Place] = {}
        self._anchors: dict[_Place, dict[str, _Path]] = {}
        self._uris: dict[str, str] = {}
        """The URI of each file: its `$id`, or the one that led to it."""
        for name, document in documents.items():
            self._index(name, document)
        self._kinds_of: dict[_Place, frozenset[str]] = {}
        self._looking: set[_Place] = set()
        """The places of which the kinds are being found out."""
        self._file = ""
        self._depth = 0

    def _index(self, file: str, document: Json, uri: str = "") -> None:
        """Note the resources (`$id`) and anchors of a document, and in each reference the resource that it is in.

        `uri` is that of the document, unless it states another one.
        """
        key = "id" if "draft-04" in str(document.get("$schema")) else "$id"
        stack: list[tuple[Json, _Path, _Resource, bool]] = [(document, (), _Resource(file, (), uri), False)]
        while stack:
            node, path, inside, is_naming = stack.pop()
            if isinstance(node, list):
                stack.extend((each, (*path, str(n)), inside, False) for n, each in enumerate(node))
            if not isinstance(node, dict):
                continue
            if is_naming:
                stack.extend((each, (*path, name), inside, False) for name, each in node.items())
                continue
            identifier = node.get(key)
            base, _, fragment = identifier.partition("#") if isinstance(identifier, str) else ("", "", "")
            if base:
                inside = _Resource(file, path, urljoin(inside.uri, base))
                self._resources.setdefault(inside.uri, (file, path))
            self._uris.setdefault(file, inside.uri)
            for anchor in (fragment, node.get("$anchor"), node.get("$dynamicAnchor")):
                if isinstance(anchor, str) and anchor:
                    self._anchors.setdefault((file, inside.path), {}).setdefault(anchor, path)
            for name in _REFERENCES:
                if isinstance(node.get(name), str):
                    node[name] = _reference(node[name], inside)
            stack.extend(
                (each, (*path, name), inside, name in _NAMING) for name, each in node.items() if name not in _VALUES
            )

    def run(self, sections: Sequence[_Path] = SECTIONS) -> Catalog:
        """Read all definitions in the sections of the given documents, and what was declared before."""
        for file in self._given:
            document = self._documents[file]
            for section in sections:
                definitions: Json = document
                for step in section:
                    definitions = definitions.get(step, {}) if isinstance(definitions, dict) else definitions
                if not isinstance(definitions, dict):
                    raise ImportingError(f"{self._at(file, section)}: expected an object of schemas")
                for name in definitions:
                    self.declare(file, (*section, name), name)
            if document.keys() & _SHAPING:
                title = document.get("title")
                stem = file.split(".", 1)[0]
                self._catalog.roots.append(self.declare(file, (), title if isinstance(title, str) else stem))
        while self._work:
            self._define(*self._work.popleft())
        return self._catalog

    def declare(self, file: str, path: _Path, name: str) -> str:
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

    def declare_referent(self, file: str, path: _Path, name: str) -> str:
        """Declare the schema at a place or, if that only refers to another one, that one; return its name."""
        seen: set[_Place] = set()
        while (file, path) not in seen:
            seen.add((file, path))
            schema = self._look(file, path)
            if not isinstance(schema, dict) or schema.keys() != {"$ref"}:
                break
            self._file = file
            file, path = self._located(schema["$ref"], path)
            name = self._name_at(file, path)
        return self.declare(file, path, name)

    def _define(self, file: str, path: _Path, name: str) -> None:
        self._file = file
        schema = self._look(file, path)
        shape = self._shape(schema, path)
        keywords = schema if isinstance(schema, dict) else {}
        marks = {key: value for key, value in keywords.items() if key.startswith("x-") and isinstance(value, str)}
        self._catalog.declarations[name] = Declared(
            name, shape, self._at(file, path), self._doc(keywords), keywords.get("deprecated") is True, marks
        )

    # --- places and references ---

    def _at(self, file: str, path: _Path) -> str:
        return pointer(path) or "/" if file == self._alone else f"{file}#{pointer(path)}"

    def _here(self, path: _Path) -> str:
        return self._at(self._file, path)

    def _look(self, file: str, path: _Path) -> Schema:
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

    def _ref(self, text: Json, path: _Path) -> Shape:
        try:
            file, steps = self._located(text, path)
        except ImportingError:
            if not isinstance(text, str) or not _META.match(text):
                raise
            message = f"{text} describes schemas and is not given; it is read as any value"
            self._catalog.note("fallback", self._here(path), message)
            return Anything()
        self._look(file, steps)
        return Ref(self.declare(file, steps, self._name_at(file, steps)))

    def _name_at(self, file: str, path: _Path) -> str:
        """Return the name of what a reference leads to."""
        return path[-1] if path else str(self._documents[file].get("title") or posixpath.basename(file).split(".")[0])

    def _located(self, text: Json, path: _Path) -> _Place:
        """Return the file and the place that a reference leads to."""
        if not isinstance(text, str):
            raise ImportingError(f"{self._here(path)}: `$ref` is not a text")
        if not isinstance(text, _Reference):  # it is in what looks like a value, to which another reference leads
            text = _reference(text, _Resource(self._file, (), ""))
        base, _, fragment = text.partition("#")
        file, root = self._target(text, base, path)
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            anchors = self._anchors.get((file, root), {})
            if fragment not in anchors:
                raise ImportingError(
                    f"{self._here(path)}: no schema has the anchor {fragment!r}{suggestion(fragment, anchors)}"
                )
            return file, anchors[fragment]
        place = file, (*root, *steps(fragment))
        if root and not base and not self._is_schema(place) and self._is_schema((file, steps(fragment))):
            # Its `$id` is used as a name, as in AsyncAPI, where references are those of the document.
            return file, steps(fragment)
        return place

    def _is_schema(self, place: _Place) -> bool:
        try:
            self._look(*place)
        except ImportingError:
            return False
        return True

    def _target(self, text: _Reference, base: str, path: _Path) -> _Place:
        inside = text.inside
        if not base:
            return inside.file, inside.path
        joined = urljoin(inside.uri, base)
        name = posixpath.normpath(posixpath.join(posixpath.dirname(inside.file), unquote(base)))
        for known in (joined, base):
            if known in self._resources:
                return self._resources[known]
        if not self._beside.knows(inside.file, name):
            name = self._opened(inside.file, base, joined, path)
        return name, ()

    def _opened(self, file: str, reference: str, uri: str, path: _Path) -> str:
        """Return the name of the file that a reference leads to, and add it to the documents."""
        try:
            found = self._beside.find(file, reference, uri, self._uris[file])
        except ImportingError as error:
            raise ImportingError(f"{self._here(path)}: {error}") from error
        if found is None:
            raise ImportingError(
                f"{self._here(path)}: the reference leads out of the given documents, to {reference!r}; nothing is"
                " fetched, so give that document as a further source"
            )
        name, document = found
        if name not in self._documents:
            self._documents[name] = document
            self._index(name, document, uri)
        return name

    # --- kinds ---

    def _kinds(self, schema: Schema) -> frozenset[str]:
        """Return the kinds of the values that a schema accepts, as far as it says so."""
        if not isinstance(schema, dict):
            return _ALL
        found = _ALL
        if _types(schema):
            found = frozenset[str]().union(*(_KINDS.get(name, _ALL) for name in _types(schema)))
        if "const" in schema:
            found &= _kind(schema["const"])
        if isinstance(schema.get("enum"), list):
            found &= frozenset[str]().union(*map(_kind, schema["enum"]))
        for key in _REFERENCES:
            if isinstance(schema.get(key), _Reference):
                place = self._found(schema[key])
                found &= (self._kinds_at(place) if place is not None else None) or _ALL
        if isinstance(schema.get("allOf"), list):
            found = found.intersection(*map(self._kinds, schema["allOf"]))
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                found &= frozenset[str]().union(*map(self._alternative_kinds, schema[key]))
        return found

    def _kinds_at(self, place: _Place) -> frozenset[str] | None:
        """Return the kinds of the schema at a place; None if that is being found out, or the way to it is too long."""
        if place not in self._kinds_of:
            if place in self._looking or len(self._looking) >= MAX_DEPTH:
                return None
            self._looking.add(place)
            self._kinds_of[place] = self._kinds(self._look(*place))
            self._looking.remove(place)
        return self._kinds_of[place]

    def _alternative_kinds(self, schema: Schema) -> frozenset[str]:
        """Return the kinds that an alternative adds; a reference back to the union that it is in adds none."""
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        back = isinstance(reference, _Reference) and self._found(reference) in self._looking
        return frozenset() if back else self._kinds(schema)

    def _found(self, text: _Reference) -> _Place | None:
        """Return the place that a reference leads to; None if it leads nowhere, which is reported where it is read."""
        try:
            place = self._located(text, ())
        except ImportingError:
            return None
        return place if self._is_schema(place) else None

    def _conjuncts(self, schema: Mapping[str, Json]) -> Iterator[Schema]:
        """Yield the schemas that a schema includes: the one that it refers to, and those of its `allOf`."""
        for key in _REFERENCES:
            place = self._found(schema[key]) if isinstance(schema.get(key), _Reference) else None
            if place is not None:
                yield self._look(*place)
        if isinstance(schema.get("allOf"), list):
            yield from (each for each in schema["allOf"] if isinstance(each, (dict, bool)))

    def _inside(self, around: Sequence[Schema], *keys: str) -> tuple[Schema, ...]:
        """Return what schemas, and those that they include, say about a place inside a value."""
        found: list[Schema] = []
        seen: set[int] = set()
        stack = [*reversed(around)]
        while stack:
            each = stack.pop()
            if not isinstance(each, dict) or id(each) in seen:
                continue
            seen.add(id(each))
            stack.extend(self._conjuncts(each))
            inner: Json = each
            for key in keys:
                inner = inner.get(key) if isinstance(inner, dict) else None
            if isinstance(inner, (dict, bool)):
                found.append(inner)
        return tuple(found)

    # --- schemas ---

    def _shape(self, schema: Schema, path: _Path, around: tuple[Schema, ...] = ()) -> Shape:
        """Return the shape of a schema; the ones `around` it describe the same value, and can tell its kinds."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ImportingError(f"{self._here(path)}: schemas are nested more than {MAX_DEPTH} levels deep")
        try:
            return self._of(schema, path, around)
        finally:
            self._depth -= 1

    def _of(self, schema: Schema, path: _Path, around: tuple[Schema, ...]) -> Shape:
        if schema is True or schema == {}:
            return Anything()
        if schema is False:
            self._note(path, "no value matches `false`; it is read as any value")
            return Anything()
        if not isinstance(schema, dict):
            raise ImportingError(f"{self._here(path)}: expected a schema, an object or a boolean")
        self._note_lost(schema, path)
        shape = self._body(schema, path, around)
        return OneOf((shape, Null())) if schema.get("nullable") is True else shape

    def _body(self, schema: Mapping[str, Json], path: _Path, around: tuple[Schema, ...]) -> Shape:
        for name in _types(schema):
            if name not in _KINDS:
                raise ImportingError(f"{self._here(path)}: `type` is {name!r}, which JSON Schema does not know")
        own = self._kinds(schema)
        kinds = own.intersection(*map(self._kinds, around))
        if not own:
            self._note(path, "no value meets all conditions; only the first of them is kept")
        kinds = kinds or own or _ALL
        parts: list[Shape] = []
        stated = _ALL
        if "const" in schema:
            parts.append(self._constant(schema["const"], path, schema))
            stated &= _kind(schema["const"])
        if "enum" in schema:
            parts.append(self._enum(schema, kinds, path))
            stated &= self._kinds({"enum": schema["enum"]})
        for key in _REFERENCES:
            if key in schema:
                parts.append(self._referring(schema, key, path))
                stated &= self._kinds({key: schema[key]})
        if "allOf" in schema:
            parts.extend(self._each_of_all(schema, path, around))
            stated &= self._kinds({"allOf": schema["allOf"]})
        for key in ("anyOf", "oneOf"):
            if key in schema:
                choice = self._choice(schema, key, path, around)
                parts.extend([choice] if choice is not None else [])
                stated &= self._kinds({key: schema[key]}) if choice is not None else _ALL
        constant = "const" in schema or "enum" in schema
        speaking = any(schema.keys() & _KEYWORDS[kind] for kind in kinds)
        if not parts or (not stated <= kinds and kinds != _ALL) or (speaking and not constant):
            parts.append(self._typed(schema, kinds, path, around))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts), place=self._here(path))

    def _typed(
        self, schema: Mapping[str, Json], kinds: frozenset[str], path: _Path, around: tuple[Schema, ...]
    ) -> Shape:
        """Return the shape that the keywords for single kinds describe."""
        if kinds == _ALL:
            kinds = self._guessed(schema, path)
        if kinds == _ALL:
            return Anything()
        names: list[str] = []
        for name in (*_types(schema), *_ORDER):
            if _KINDS[name] & kinds:
                names.append("number" if "fraction" in kinds and name == "integer" else name)
                kinds -= _KINDS[names[-1]]
        each = tuple(self._one_type(schema, name, path, around) for name in names)
        return each[0] if len(each) == 1 else OneOf(each, place=self._here(path))

    def _guessed(self, schema: Mapping[str, Json], path: _Path) -> frozenset[str]:
        """Return the kinds of a schema that does not say them: keywords for lists or objects can tell."""
        for guess, plural in (("object", "objects"), ("array", "lists")):
            keywords = sorted(schema.keys() & _KEYWORDS[guess])
            if keywords:
                message = f"no `type` is stated beside `{keywords[0]}`; only {plural} are accepted"
                self._catalog.note("guessed", self._here(path), message)
                return frozenset({guess})
        lost = sorted((schema.keys() & (_KEYWORDS["string"] | _KEYWORDS["integer"])) - {"format"})
        if lost:
            self._note(path, f"{', '.join(f'`{key}`' for key in lost)} is not checked, since no `type` is stated")
        return _ALL

    def _one_type(self, schema: Mapping[str, Json], name: str, path: _Path, around: tuple[Schema, ...]) -> Shape:
        match name:
            case "string":
                return self._string(schema, path)
            case "integer" | "number":
                low, high = _number(schema, "minimum"), _number(schema, "maximum")
                large = any(abs(each) > MAX_INTEGER for each in (low, high) if each is not None)
                if name == "integer" and (large or schema.get("format") in _LARGE):
                    remedy = f"`types: {{{self._here(path)}: json}}` in the overrides accepts them"
                    self._note(path, f"integers beyond ±(2^53−1) are refused; {remedy}")
                    low, high = (None if each is not None and abs(each) > MAX_INTEGER else each for each in (low, high))
                return Scalar("integer" if name == "integer" else "number", low, high)
            case "object":
                return self._object(schema, path, around)
            case "array":
                return self._array(schema, path, around)
        return _SCALARS[name]

    def _string(self, schema: Mapping[str, Json], path: _Path) -> Shape:
        known = _FORMATS.get(str(schema.get("format")))
        if known is not None:
            message = f"the format `{schema['format']}` is checked here; in the source it can be a remark only"
            self._catalog.note("guessed", self._here(path), message)
            return known
        return Scalar("string", _number(schema, "minLength"), _number(schema, "maxLength"))

    def _constant(self, value: Json, path: _Path, schema: Mapping[str, Json]) -> Shape:
        if value is None:
            return Null()
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            self._note(path, f"that it is {value} is not checked: integers beyond ±(2^53−1) are numbers")
            return Scalar("number")
        if isinstance(value, (str, bool, int, float)):
            title = schema.get("title")
            return Literal(value, title if isinstance(title, str) else None, self._doc(schema))
        self._note(path, "the constant is not a scalar; any value of its JSON kind is accepted")
        return AnyObject() if isinstance(value, dict) else Array(Anything())

    def _enum(self, schema: Mapping[str, Json], kinds: frozenset[str], path: _Path) -> Shape:
        values = schema["enum"]
        if not isinstance(values, list) or not values:
            raise ImportingError(f"{self._here(path)}: `enum` is not a list of values")
        possible = [value for value in values if _kind(value) <= kinds] or values
        each = tuple(dict.fromkeys(self._constant(value, path, {}) for value in possible))
        return each[0] if len(each) == 1 else OneOf(each, place=self._here(path))

    def _referring(self, schema: Mapping[str, Json], key: str, path: _Path) -> Shape:
        if key != "$ref":
            message = f"`{key}` is read as a `$ref`: schemas that extend this one do not change it"
            self._catalog.note("guessed", self._here(path), message)
        old = re.search(r"draft-0[3-7]", str(self._documents[self._file].get("$schema")))
        if old and schema.keys() & (_SHAPING | set(_LOST)) - {"$ref", "nullable"}:
            message = "what stands next to `$ref` counts; validators of this draft ignore it"
            self._catalog.note("guessed", self._here(path), message)
        return self._ref(schema[key], path)

    # --- alternatives ---

    def _choice(self, schema: Mapping[str, Json], key: str, path: _Path, around: tuple[Schema, ...]) -> Shape | None:
        """Return the alternatives under `key`; None if they only say which members go together."""
        written = schema[key]
        if not isinstance(written, list) or not written:
            raise ImportingError(f"{self._here((*path, key))}: expected a list of schemas")
        if all(isinstance(each, dict) and each.keys() <= {"required", "description", "not"} for each in written):
            self._note((*path, key), "which members go together is not checked")
            return None
        rest = {name: value for name, value in schema.items() if name != key}
        around = (*around, rest)
        kinds = _ALL.intersection(*map(self._kinds, around))
        kept, is_open = [], False
        for number, each in enumerate(written):
            if not self._kinds(each) & kinds:
                continue  # another condition excludes it
            if _is_catch_all(each, written):
                is_open = True
                if set(each.get("properties", {})) - _keys_of_not(each) or each.keys() & {"anyOf", "oneOf", "allOf"}:
                    at = self._here((*path, key, str(number)))
                    self._catalog.note("lost", at, "unknown alternatives are kept untouched; their members are untyped")
            else:
                kept.append((number, each))
        if not kept and not is_open:
            self._note((*path, key), "no alternative is possible; they are left out")
            return None
        shapes = tuple(self._titled(each, (*path, key, str(number)), around) for number, each in kept)
        discriminator = schema.get("discriminator")
        by = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if isinstance(discriminator, dict) and isinstance(by, str):
            shapes = tuple(self._mapped(shape, by, discriminator, path) for shape in shapes)
        if len(shapes) == 1 and not is_open:
            return shapes[0]
        return OneOf(shapes, by if isinstance(by, str) else None, is_open, self._here(path))

    def _mapped(self, shape: Shape, by: str, discriminator: Mapping[str, Json], path: _Path) -> Shape:
        """Return an alternative with its value of an OpenAPI discriminator, if it does not state that itself."""
        place = next((place for place, name in self._declared.items() if shape == Ref(name)), None)
        if place is None or not isinstance(shape, Ref) or not place[1]:
            return shape
        file, steps = place
        if self._states(self._look(file, steps), by, set()):
            return shape
        mapping = discriminator.get("mapping")
        values = [
            value
            for value, target in (mapping.items() if isinstance(mapping, dict) else ())
            if isinstance(target, str) and target.rpartition("/")[2] == steps[-1]
        ] or [steps[-1]]
        self._catalog.note("guessed", self._here(path), f"`{by}` of {shape.name} is {' or '.join(map(repr, values))},"
                           " as the discriminator says")  # fmt: skip
        each: tuple[Shape, ...] = tuple(Literal(value) for value in values)
        member = Member(by, each[0] if len(each) == 1 else OneOf(each, place=self._here(path)), place=self._here(path))
        return Object((member,), bases=(shape,), place=self._here(path))

    def _states(self, schema: Schema, key: str, seen: set[int]) -> bool:
        """Return whether a schema, or each of its alternatives, says which values a member has."""
        if id(schema) in seen:
            return True
        seen.add(id(schema))
        stated = self._inside([schema], "properties", key)
        if any(isinstance(each, dict) and each.keys() & {"const", "enum"} for each in stated):
            return True
        parts = (each for each in self._inside([schema]) if isinstance(each, dict))
        choices = (each.get(word) for each in parts for word in ("oneOf", "anyOf"))
        return any(isinstance(each, list) and all(self._states(one, key, seen) for one in each) for each in choices)

    def _titled(self, schema: Schema, path: _Path, around: tuple[Schema, ...]) -> Shape:
        shape = self._shape(schema, path, around)
        title = schema.get("title") if isinstance(schema, dict) else None
        if isinstance(shape, (Object, AllOf)) and isinstance(title, str):
            return replace(shape, title=title)
        return shape

    # --- allOf ---

    def _each_of_all(self, schema: Mapping[str, Json], path: _Path, around: tuple[Schema, ...]) -> list[Shape]:
        parts = schema["allOf"]
        if not isinstance(parts, list) or not parts:
            raise ImportingError(f"{self._here((*path, 'allOf'))}: expected a list of schemas")
        return [self._shape(each, (*path, "allOf", str(n)), (*around, schema)) for n, each in enumerate(parts)]

    # --- objects and arrays ---

    def _object(self, schema: Mapping[str, Json], path: _Path, around: tuple[Schema, ...]) -> Shape:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not isinstance(properties, dict) or not isinstance(required, list):
            raise ImportingError(f"{self._here(path)}: `properties` is an object, `required` a list")
        extra = self._extra(schema, path)
        demanded = {name for name in required if isinstance(name, str)}
        around = (schema, *around)
        members = [
            self._member(name, each, name in demanded, (*path, "properties", name),
                         self._inside(around, "properties", name))
            for name, each in properties.items()
        ]  # fmt: skip
        members += [
            Member(name, Anything(), demanded=True, place=self._here(path))
            for name in sorted(demanded - properties.keys())
            if name and not name.endswith("?")
        ]
        if any(name == "" or name.endswith("?") for name in demanded - properties.keys()):
            self._note(path, "that members are required whose names the language does not have is not checked")
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

    def _extra(self, schema: Mapping[str, Json], path: _Path) -> Shape | None:
        """Return the shape of other keys: None if nothing is said or nothing is allowed."""
        patterns, extra = schema.get("patternProperties"), schema.get("additionalProperties")
        shapes = []
        if isinstance(patterns, dict) and patterns:
            if schema.get("properties") or not patterns.keys() <= _ANY_KEY:
                self._note((*path, "patternProperties"), "the patterns of keys are not checked")
            shapes = [self._shape(each, (*path, "patternProperties", key)) for key, each in patterns.items()]
            extra = extra if _ANY_KEY.isdisjoint(patterns) else False
        if isinstance(extra, dict):
            shapes.append(self._shape(extra, (*path, "additionalProperties")))
        elif extra is True or (extra is None and shapes):
            shapes.append(Anything())
        if not shapes or any(isinstance(each, Anything) for each in shapes):
            return Anything() if shapes else None
        return shapes[0] if len(shapes) == 1 else OneOf(tuple(shapes), place=self._here(path))

    def _member(
        self, name: str, schema: Schema, required: bool, path: _Path, around: tuple[Schema, ...]
    ) -> Member | None:
        if name == "" or name.endswith("?"):
            self._note(path, f"the language cannot name the member {name!r}; it is kept as an unknown one")
            return None
        keywords = schema if isinstance(schema, dict) else {}
        return Member(
            name,
            self._shape(schema, path, around),
            required,
            self._doc(keywords),
            keywords.get("deprecated") is True,
            self._on_error(keywords, required),
            place=self._here(path),
        )

    def _on_error(self, keywords: Mapping[str, Json], required: bool) -> tuple[object, ...]:
        annotations = self._annotations
        actions: list[object] = []
        if annotations.skip_invalid_items and keywords.get(annotations.skip_invalid_items) is True:
            actions.append("skip")
        if annotations.default_on_error and keywords.get(annotations.default_on_error) is True:
            if not required:
                actions.append("absent")
            elif "default" in keywords:
                actions.append((json.dumps(keywords["default"]),))
            elif keywords.get("type") == "array" and not _count(keywords, "minItems"):
                actions.append(("[]",))
        return tuple(actions)

    def _array(self, schema: Mapping[str, Json], path: _Path, around: tuple[Schema, ...]) -> Shape:
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
        if items is False:
            items, high = None, 0
        inside = self._inside((schema, *around), "items")
        item = self._shape(items, (*path, "items"), inside) if isinstance(items, (dict, bool)) else Anything()
        return Array(item, low, high)

    # --- remarks ---

    def _note(self, path: _Path, message: str) -> None:
        self._catalog.note("lost", self._here(path), message)

    def _note_lost(self, schema: Mapping[str, Json], path: _Path) -> None:
        lost = [key for key in _LOST if key in schema and not (key == "not" and _keys_of_not(schema))]
        if lost:
            self._note(path, f"{', '.join(f'`{key}`' for key in lost)} is not checked")

    def _doc(self, schema: Mapping[str, Json]) -> str | None:
        text = schema.get("description")
        return text if self._docs and isinstance(text, str) and text.strip() else None


_ANY_KEY = frozenset({"", "^", "$", ".*", "^.*", ".*$"})
"""Patterns that every key matches."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "format"}),
    "integer": frozenset({"minimum", "maximum", "format"}),
    "fraction": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that describe values of one kind, and accept all values of others."""

_SHAPING = frozenset({"type", "anyOf", "oneOf", "allOf", "enum", "const", *_REFERENCES, "nullable"}).union(
    *(_KEYWORDS[kind] for kind in ("object", "array"))
)
"""Keywords that describe the shape of a value; all others are annotations, or reject some values."""

_ALL = frozenset(_KEYWORDS)
_KINDS: Mapping[str, frozenset[str]] = {
    **{name: frozenset({name}) for name in ("string", "integer", "boolean", "null", "array", "object")},
    "number": frozenset({"integer", "fraction"}),
}
"""The kinds of values of a type; the integers are a kind among the numbers."""
_ORDER = ("string", "integer", "number", "boolean", "array", "object", "null")
_LARGE = frozenset({"int64", "uint64", "int128", "uint128"})
_VALUES = frozenset({"const", "enum", "default", "examples"})
"""Keywords with values, in which a `$ref` refers to nothing."""
_NAMING = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions", "schemas"}
)
"""Keywords with schemas by names, which may be the names of keywords."""


def _types(schema: Mapping[str, Json]) -> list[str]:
    named = schema.get("type", [])
    return [str(name) for name in (named if isinstance(named, list) else [named])]


def _kind(value: Json) -> frozenset[str]:
    """Return the kind of a constant, as a set of one."""
    found = str(kind(value))
    whole = found == "number" and float(value).is_integer()
    return frozenset({"integer" if whole else "fraction" if found == "number" else found})


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
