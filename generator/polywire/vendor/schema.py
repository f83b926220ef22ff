"""The keys of `polywire.toml` → a JSON Schema with which editors complete and check the file as it is typed.

It is generated from `polywire.vendor.config`, the table that the reader itself uses, and covers what a single value
shows. Whether a folder or a dialect exists, whether two folders are the same, and whether a header is free of invisible
characters is checked by the reader.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

from polywire.ground.find import NAME
from polywire.ground.parsing import toml_table
from polywire.targets import registry
from polywire.vendor.config import IGNORE_KEYS, KEYS, POLICIES, Key, Kind, grades, is_firm, rules, target_keys

Schema: TypeAlias = "dict[str, object]"

_TEXT: Schema = {"type": "string"}
_KINDS: Mapping[Kind, Schema] = {
    "text": _TEXT,
    "texts": {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True},
    "lines": {"type": ["string", "array"], "items": _TEXT},
    "flag": {"type": "boolean"},
}
_END = r"(?![\s\S])"
r"""The end of a text: other languages do not know Python's `\Z`, and Python's `$` also matches before a final line
break."""


def emit() -> bytes:
    """Return the schema, of draft 2020-12; UTF-8 JSON."""
    targets = {name: _table(target_keys(target)) for name, target in registry().items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": NAME,
        "description": "What polywire generates into a repository, and where.",
        **_table(
            KEYS,
            targets={"properties": targets, "additionalProperties": False, "minProperties": 1},
            **{name: _policy(name) for name in POLICIES},
        ),
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def _policy(name: str) -> Schema:
    """Return the schema of `[lint]` or `[breaking]`: each rule with the severities that it can be given."""
    known = {rule: grades(name, rule) for rule in rules(name)}
    severities = {rule: {"enum": list(given)} for rule, given in known.items()}
    ignored = [rule for rule in known if not is_firm(name, rule)]
    entry = _table(IGNORE_KEYS)
    entry["properties"] = {
        **cast("Schema", entry["properties"]),
        "rule": {"description": IGNORE_KEYS["rule"].doc, "enum": ignored},
    }
    return _table(
        POLICIES[name],
        severity={"properties": severities, "additionalProperties": False},
        ignore={"items": entry},
    )


def _table(keys: Mapping[str, Key], **tables: Schema) -> Schema:
    """Return the schema of a table with some keys; the schemas of nested tables are given."""
    return {
        "type": "object",
        "required": [name for name, key in keys.items() if key.required],
        "properties": {name: _value(name, key, tables) for name, key in keys.items()},
        "additionalProperties": False,
    }


def _value(name: str, key: Key, tables: Mapping[str, Schema]) -> Schema:
    about: Schema = {"description": key.doc, "examples": [toml_table(key.example.encode())[name]]}
    if name in tables:
        return {**about, "type": "array" if key.kind == "entries" else "object", **tables[name]}
    if key.words and key.kind == "texts":
        return {**about, "type": "array", "items": {"enum": list(key.words)}}
    if key.words:
        return {**about, "enum": list(key.words)}
    patterns = [{"pattern": _pattern(form)} for form in key.forms]
    return {**about, **_KINDS[key.kind], **({"allOf": patterns} if patterns else {})}


def _pattern(form: str) -> str:
    """Return a pattern for the whole of a text, in syntax that all schema validators support."""
    return rf"^(?:{form})\Z".replace(r"\Z", _END)
