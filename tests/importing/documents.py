"""A JSON Schema → documents that it accepts, or almost accepts, and what decoders of the imported spec say of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from polywire.model.nodes import Model
from polywire.oracle import reference

OTHERS = (None, True, False, 0, 1, 3, 0.5, 1.5, "one", "two", "other")
"""Values of each kind in place of a constant."""

FORMATS = {
    "date": "2020-01-01",
    "date-time": "2020-01-01T00:00:00Z",
    "email": "a@b.example",
    "uri": "https://a.example/c",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""A text of each format."""

SHAPING = {"type", "properties", "items", "prefixItems", "required", "minLength", "minimum", "additionalProperties"}
DEEPEST = 6


class Drawing:
    """Draws documents of a schema, whose references lead into itself; `keys` are names of undeclared members."""

    def __init__(self, whole: Any, random: Random, keys: Sequence[str] = ("x y", "é")) -> None:
        self._whole = whole
        self._random = random
        self._keys = keys

    def document(self, schema: Any, depth: int = 0) -> Any:
        """Draw a value by the keywords of a schema, one of them at a time."""
        pick = self._random
        if depth > DEEPEST or not isinstance(schema, dict) or pick.random() < 0.04:
            return pick.choice(
                [None, True, 1, 0.5, "one", "", [], {}, "three words", -1, False, 0, ["one"], {"kind": "one"}]
            )
        if "const" in schema or schema.get("enum"):
            value = pick.choice(schema.get("enum", [schema.get("const")]))
            alike = [each for each in OTHERS if type(each) is type(value)]
            return pick.choice(alike) if alike and pick.random() < 0.1 else value
        parts = []
        if isinstance(schema.get("$ref"), str):
            parts.append(self.document(self._at(schema["$ref"]), depth + 1))
        parts.extend(self.document(each, depth + 1) for each in schema.get("allOf", []))
        parts.extend(self.document(pick.choice(schema[key]), depth + 1) for key in ("anyOf", "oneOf") if key in schema)
        if schema.keys() & SHAPING or not parts:
            parts.append(self._typed(schema, depth))
        if all(isinstance(each, dict) for each in parts):
            return {key: value for each in parts for key, value in each.items()}
        return pick.choice(parts)

    def _at(self, reference: str) -> Any:
        """Return the schema that a reference leads to; True if it is not a pointer."""
        found = self._whole
        for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else ("",):
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key, True) if isinstance(found, dict) else True
        return found

    def _typed(self, schema: dict[str, Any], depth: int) -> Any:
        pick = self._random
        named = schema.get("type")
        guess = "object" if schema.keys() & {"properties", "required"} else "array" if "items" in schema else "string"
        match pick.choice(named) if isinstance(named, list) else named or guess:
            case "string":
                usual = FORMATS.get(str(schema.get("format")), "one")
                return pick.choice(["one", "two", "", "日本", "a", "abcd", usual, usual])
            case "integer":
                return pick.choice([0, 1, 2, -1, 3.0, 7])
            case "number":
                return pick.choice([0, 1.5, -2, 1])
            case "boolean":
                return pick.choice([True, False])
            case "array":
                items = schema.get("items", {})
                several = schema.get("prefixItems") or (items if isinstance(items, list) else None)
                if several is not None:
                    return [self.document(each, depth + 1) for each in several]
                return [self.document(items, depth + 1) for _ in range(pick.randint(0, 2))]
            case "object":
                return self._object(schema, depth)
        return None

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        pick = self._random
        properties = schema.get("properties", {})
        chance = min(0.5, 6 / max(1, len(properties)))
        made = {
            key: self.document(each, depth + 1)
            for key, each in properties.items()
            if key in schema.get("required", ()) or pick.random() < chance
        }
        extra = schema.get("additionalProperties", True)
        if extra is not False and pick.random() < 0.2:
            made[pick.choice(["other", *self._keys])] = self.document(extra, depth + 1)
        if made and pick.random() < 0.1:
            del made[pick.choice([*made])]
        return made


_OF_KIND = {"type", "required", "const", "enum"}


def is_wrong_kind(validator: Any, document: Any) -> bool:
    """Return whether a document is refused for kind, presence or a constant, and for nothing else."""
    stack, found = list(validator.iter_errors(document)), False
    while stack:
        error = stack.pop()
        if error.validator in {"anyOf", "oneOf"} and error.context:
            stack.extend(error.context)
        elif error.validator not in _OF_KIND:
            return False
        found = True
    return found


def verdict(model: Model, root: str, document: Any, *, strict: bool = False) -> str | None:
    """Return the first fault of a document; None if it has none."""
    try:
        reference.decode(model, root, json.dumps(document).encode(), strict=strict)
    except reference.Fault as fault:
        return f"{fault.code} at {fault.path!r}"
    return None
