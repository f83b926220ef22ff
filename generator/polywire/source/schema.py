"""The grammar of the spec language → a JSON Schema with which editors complete and check a spec as it is typed.

It is generated from `polywire.source.grammar`, the table that the reader itself uses, so that the two cannot drift. It
covers what a table of shapes can express; names, tags and positions inside type expressions are left to the checker.

Editors read YAML by YAML's rules, in which an unquoted `1.0` is a number, while it is text in the language. Words
therefore accept any scalar type. The schema uses draft 7, which editors support best.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TypeAlias

from polywire.source.grammar import (
    DIALECT,
    ENTRY,
    FORMS,
    PART,
    REMOVE,
    Dict,
    Either,
    Json,
    Key,
    Record,
    Removable,
    Sample,
    Sequence,
    Shape,
    Word,
)

Schema: TypeAlias = "dict[str, object]"

NAME = "polywire.schema.json"
"""The file name of the schema in the spec's folder."""

_ANYTHING = r"[\s\S]+"
_SCALAR = ["string", "number", "boolean"]
_TYPED: Mapping[str, Schema] = {"flag": {"type": "boolean"}, "integer": {"type": "integer"}}
"""Words that YAML and the language read alike."""


def emit() -> bytes:
    """Return the schema of a spec's entry, parts and dialects, distinguished by their first key; UTF-8 JSON."""
    writer = _Writer()
    entry, part, dialect = (writer.shape(record) for record in (ENTRY, PART, DIALECT))
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "polywire spec",
        "description": "A wire protocol in the spec language of polywire: its entry, a part, or a dialect.",
        "if": {"required": ["polywire"]},
        "then": entry,
        "else": {"if": {"required": ["dialect"]}, "then": dialect, "else": part},
        "definitions": dict(sorted(writer.definitions.items())),
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


class _Writer:
    """Shapes → schemas; records become definitions, each written once."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._records: dict[str, Record] = {}

    def shape(self, shape: Shape) -> Schema:
        match shape:
            case Word():
                return _word(shape)
            case Json(scalar=scalar):
                return {"type": [*_SCALAR, "null"]} if scalar else {}
            case Sample():
                return {}
            case Sequence(item, nonempty):
                return {"type": "array", "items": self.shape(item)} | ({"minItems": 1} if nonempty else {})
            case Dict():
                return self._dict(shape)
            case Record():
                return self._record(shape)
            case Either(scalar, listing, table):
                return _any_of([self.shape(one) for one in (scalar, listing, table) if one is not None])
            case Removable(inner):
                return _any_of([{"const": REMOVE}, self.shape(inner)])

    def _dict(self, shape: Dict) -> Schema:
        schema: Schema = {"type": "object", **self._chosen(shape)}
        return schema | ({"minProperties": 1, "maxProperties": 1} if shape.single else {})

    def _chosen(self, shape: Dict) -> Schema:
        """Return the schema of keys that the author chooses, and of their values."""
        schema: Schema = {}
        if names := _key(shape.key):
            schema["propertyNames"] = names
        schema["additionalProperties"] = self.shape(shape.value)
        return schema

    def _record(self, record: Record) -> Schema:
        name = re.sub(r"[^a-z0-9]+", "-", record.name.lower())
        if self._records.setdefault(name, record) != record:
            raise ValueError(f"two records of the grammar are called {record.name!r}")
        if name not in self.definitions:
            self.definitions[name] = {}  # reserves its place while its keys are written
            self.definitions[name] = self._table(record)
        return {"$ref": f"#/definitions/{name}"}

    def _table(self, record: Record) -> Schema:
        schema: Schema = {"description": record.doc, "type": "object"}
        if required := [name for name, key in record.keys.items() if key.required]:
            schema["required"] = required
        schema["properties"] = {name: self._value(key) for name, key in record.keys.items()}
        return schema | (self._chosen(record.rest) if record.rest is not None else {"additionalProperties": False})

    def _value(self, key: Key) -> Schema:
        return {"description": key.doc, **self.shape(key.shape)}


def _word(word: Word) -> Schema:
    if word.choices:
        return {"enum": [_as_yaml(choice) for choice in word.choices]}
    if word.kind in _TYPED:
        return dict(_TYPED[word.kind])
    return {"type": list(_SCALAR), **_form(word)}


def _key(word: Word) -> Schema:
    """Return the schema of a key; to YAML editors every key is text."""
    return {"enum": list(word.choices)} if word.choices else _form(word)


def _form(word: Word) -> Schema:
    pattern = FORMS[word.kind].pattern
    return {"minLength": 1} if pattern == _ANYTHING else {"pattern": f"^(?:{pattern})$"}


def _as_yaml(text: str) -> str | int:
    """Return the value that YAML gives to an unquoted word."""
    return int(text) if text.isdecimal() else text


def _any_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
