"""The keys of `polywire.toml` → a JSON Schema, with which editors complete and check the file as it is typed.

It is made from `polywire.vendor.config`, the table that the reader itself goes by. It says what a single value tells.
Whether a folder or a dialect is there, whether two folders are one, what does not show in a header, the reader says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

from polywire.targets import registry
from polywire.vendor.config import IGNORE_KEYS, KEYS, POLICIES, Key, Kind, grades, is_firm, rules, target_keys, tomllib
from polywire.vendor.find import NAME

Schema: TypeAlias = "dict[str, object]"

_TEXT: Schema = {"type": "string"}
_KINDS: Mapping[Kind, Schema] = {
    "text": _TEXT,
    "texts": {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True},
    "lines": {"type": ["string", "array"], "items": _TEXT},
    "flag": {"type": "boolean"},
}
_END = r"(?![\s\S])"
r"""The end of a text: Python's `\Z` is unknown to others, and `$` is to Python also before a last line break."""


def emit() -> bytes:
    """The schema, of draft 2020-12; UTF-8 JSON."""
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
    """`[lint]` or `[breaking]`: each rule with the severities that it can be given."""
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
    """A table with some keys; what stands in the tables below it is given."""
    return {
        "type": "object",
        "required": [name for name, key in keys.items() if key.required],
        "properties": {name: _value(name, key, tables) for name, key in keys.items()},
        "additionalProperties": False,
    }


def _value(name: str, key: Key, tables: Mapping[str, Schema]) -> Schema:
    about: Schema = {"description": key.doc, "examples": [tomllib.loads(key.example)[name]]}
    if name in tables:
        return {**about, "type": "array" if key.kind == "entries" else "object", **tables[name]}
    if key.words and key.kind == "texts":
        return {**about, "type": "array", "items": {"enum": list(key.words)}}
    if key.words:
        return {**about, "enum": list(key.words)}
    patterns = [{"pattern": _pattern(form)} for form in key.forms]
    return {**about, **_KINDS[key.kind], **({"allOf": patterns} if patterns else {})}


def _pattern(form: str) -> str:
    """A pattern for the whole of a text, in words that all readers of schemas know."""
    return rf"^(?:{form})\Z".replace(r"\Z", _END)
