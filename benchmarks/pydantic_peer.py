"""The strict JSON Schema → pydantic models, as somebody who cares for speed would write them.

datamodel-code-generator makes plain unions of the schema's `anyOf`, which pydantic tries one after another; to beat
those proves little. Here every union is a tagged one, nested where tags are (`type`, then `subtype`), which pydantic
reads in one step. Where variants of one tag cannot be told apart that way, the peer gets the most permissive of them
alone: it is spared work that we do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

Schema = Mapping[str, Any]

SCALARS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
    "object": dict[str, Any],
}  # fmt: skip  (a table)


class Models:
    """The models of one schema, made as they are asked for; recursion goes by name."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: Mapping[str, Schema] = schema["$defs"]
        self.root: str = schema["$ref"].rsplit("/", 1)[-1]
        self.made: dict[str, Any] = {}
        self.models: list[type[BaseModel]] = []

    def validator(self) -> Callable[[bytes], object]:
        """`validate_json` of the schema's root."""
        root = self.named(self.root)
        for model in self.models:
            model.model_rebuild(_types_namespace=self.made)
        return TypeAdapter(root).validate_json

    def named(self, name: str) -> Any:
        """The type of a definition; while it is being made, its name."""
        if name not in self.made:
            self.made[name] = name
            self.made[name] = self.type(self.definitions[name], name)
        return self.made[name]

    def type(self, schema: Schema, name: str = "") -> Any:
        """Whatever a schema says, as an annotation."""
        match schema:
            case {"$ref": ref}:
                return self.named(ref.rsplit("/", 1)[-1])
            case {"anyOf": [*members]}:
                return self.union(members)
            case {"const": value}:
                return Literal[value]
            case {"enum": [*values]}:
                return Literal[tuple(values)]
            case {"type": [*kinds]}:
                return reduce(or_, (self.type({**schema, "type": kind}) or type(None) for kind in kinds))
            case {"type": "object", "properties": properties}:
                return self.model(name, schema, properties)
            case {"type": "object", "additionalProperties": Mapping() as values}:
                return dict[str, self.type(values)]  # type: ignore[misc]  # an annotation made at run time
            case {"type": "array"}:
                items = list[self.type(schema["items"])]  # type: ignore[misc]  # an annotation made at run time
                return Annotated[items, Field(min_length=schema.get("minItems"), max_length=schema.get("maxItems"))]
            case {"type": "string", "pattern": pattern}:
                return Annotated[str, Field(pattern=pattern)]
            case {"type": "integer", "minimum": low, "maximum": high}:
                return Annotated[int, Field(ge=low, le=high)]
            case {"type": str() as kind}:
                return SCALARS[kind]
        return Any

    def model(self, name: str, schema: Schema, properties: Mapping[str, Schema]) -> type[BaseModel]:
        """An object with known members; tags keep their names, as discriminators go by them."""
        required = schema.get("required", ())
        extra: Literal["forbid", "allow"] = "forbid" if schema.get("additionalProperties") is False else "allow"
        fields: dict[str, Any] = {}
        for number, (key, value) in enumerate(properties.items()):
            default = ... if key in required else None
            attribute = key if key in self.constants(name) else f"field_{number}"
            fields[attribute] = (self.type(value), Field(default, alias=key))
        made = create_model(name, __config__=ConfigDict(extra=extra, strict=True, defer_build=True), **fields)
        self.models.append(made)
        return made

    def union(self, members: list[Schema]) -> Any:
        """Tagged where tags decide; otherwise members of different kinds."""
        names = [member["$ref"].rsplit("/", 1)[-1] for member in members if "$ref" in member]
        if len(names) == len(members) and all("properties" in self.definitions[name] for name in names):
            return self.tagged(names)
        return reduce(or_, (self.type(member) for member in members))

    def tagged(self, names: list[str], done: tuple[str, ...] = ()) -> Any:
        """One type of several: by the first key that all of them have as a constant, then each group by the next."""
        if len(names) == 1:
            return self.named(names[0])
        key = next((key for key in self.constants(names[0]) if key not in done and self.all_have(names, key)), None)
        if key is None:
            fewest = min(names, key=lambda name: len(self.definitions[name].get("required", ())))
            return self.named(fewest)
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(str(self.constants(name)[key]), []).append(name)
        kinds = [self.tagged(group, (*done, key)) for group in groups.values()]
        return Annotated[reduce(or_, kinds), Field(discriminator=key)] if len(kinds) > 1 else kinds[0]

    def all_have(self, names: list[str], key: str) -> bool:
        return all(key in self.constants(name) for name in names)

    def constants(self, name: str) -> dict[str, object]:
        """The members of an object that are fixed, or one of a few, with their values."""
        found = {}
        for key, schema in self.definitions[name]["properties"].items():
            value = self.definitions[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema
            if "const" in value or "enum" in value:
                found[key] = value.get("const", value.get("enum"))
        return found


def validator(schema: Schema) -> Callable[[bytes], object]:
    """`validate_json` of the schema's root, one type for each definition that it reaches."""
    return Models(schema).validator()
