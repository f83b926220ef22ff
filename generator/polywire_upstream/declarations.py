"""TypeScript declarations → a structural snapshot: only facts, in a compact form as JSON.

A type is

- `"string"`, `"number"`, `"boolean"`, `"null"`, `"any"`, `"object"` (any object), `"undefined"`, `"function"`;
- `"#Name"`, a declaration of the snapshot;
- `"live:Name"`, an object of the running program; `"missing:Name"`, a name that is declared nowhere;
  `"module:path#Name"`, a type of a package that is not expanded;
- `{"is": VALUE}`, a literal, and `{"enum": [VALUE…]}`, several of them;
- `[T]`, a list; `{"tuple": [T…]}`; `{"map": T}`, with `"key": T` if keys are not plain strings;
- `{"any of": [T…]}`; `{"all of": [T…]}`;
- `{"fields": {"name": T, "optional?": T}}`, with `"bases": [T…]` and `"rest": T` (other members) if it has them.

Members are sorted by name; so are variants and values, since their order has no meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from polywire_import.typescript import run_script

Type: TypeAlias = Any
SCRIPT = Path(__file__).with_name("snapshot.mjs")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared type.

    `module` is the file that declares it, as a path in the package, or the name of another package. A file that is not
    listed, but exported from, begins with `./`. `tags` are those of its comment, such as `internal`.
    """

    name: str
    type: Type
    module: str
    exported: bool = True
    tags: tuple[str, ...] = ()
    member_tags: Mapping[str, tuple[str, ...]] | None = None

    def is_in(self, files: Sequence[str]) -> bool:
        """Return whether one of the package's listed files declares it, or a file that these export from."""
        return self.module in files or self.module.startswith("./")


def read(
    package: Path, files: Sequence[str], roots: Iterable[str], *, expand: Sequence[str], compiler: Path | None = None
) -> dict[str, Declaration]:
    """Return the declarations of a package's files, with what they export, and those in `expand` that they lead to.

    Generic ones are left out, except `roots`, whose parameters stand for their defaults or constraints.
    """
    root = package.resolve()
    found = run_script(
        SCRIPT,
        {
            "package": root.as_posix(),
            "files": [(root / name).as_posix() for name in files],
            "roots": list(roots),
            "expand": list(expand),
            "docs": False,
        },
        compiler,
    )
    return {
        name: Declaration(
            name,
            compact(each["shape"]),
            each["module"],
            each["exported"],
            tuple(each["tags"]),
            _member_tags(each["shape"]),
        )
        for name, each in sorted(found["declarations"].items())
    }


def _member_tags(shape: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    tags = {str(each["name"]): tuple(each["tags"]) for each in shape.get("members", ()) if each.get("tags")}
    return {name: each for name, each in tags.items() if _is_unicode(name)}


_PREFIXES = {"scalar": "", "ref": "#", "live": "live:", "missing": "missing:", "foreign": "module:"}


def compact(shape: Mapping[str, Any]) -> Type:
    """Convert the script's output to the compact form."""
    match shape["k"]:
        case "scalar" | "ref" | "live" | "missing" | "foreign":
            return f"{_PREFIXES[shape['k']]}{shape['name']}"
        case "anyObject":
            return "object"
        case "literal":
            return {"is": shape["value"]} if _is_unicode(str(shape["value"])) else "string"
        case "array":
            return [compact(shape["item"])]
        case "tuple":
            return {"tuple": [compact(each) for each in shape["items"]]}
        case "map":
            key = {"key": compact(shape["key"])} if "key" in shape else {}
            return {"map": compact(shape["value"]), **key}
        case "oneOf":
            return union([compact(each) for each in shape["members"]])
        case "all":
            return _intersection([compact(each) for each in shape["members"]])
        case "object":
            return _object(shape)
    return str(shape["k"])


def _intersection(types: Sequence[Type]) -> Type:
    """Resolve `string & {}`, which declarations use to keep `string` from absorbing literals."""
    kept = [each for each in types if each != "object"]
    return kept[0] if len(kept) == 1 else {"all of": in_order(kept)}


def _is_unicode(text: str) -> bool:
    """Return whether a text can be sent: one with half of a surrogate pair cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _object(shape: Mapping[str, Any]) -> Type:
    fields = {
        f"{each['name']}{'' if each['required'] else '?'}": compact(each["shape"])
        for each in sorted(shape["members"], key=lambda each: str(each["name"]))
        if _is_unicode(str(each["name"]))
    }
    bases = [compact(each) for each in shape["bases"]]
    rest = {} if shape["extra"] is None else {"rest": compact(shape["extra"])}
    return {"fields": fields, **({"bases": in_order(bases)} if bases else {}), **rest}


def union(variants: Sequence[Type]) -> Type:
    """Return the union of some types; literals are merged."""
    flat = [part for each in variants for part in parts(each)]
    literals = [each["is"] for each in flat if isinstance(each, dict) and "is" in each]
    if {True, False} <= {each for each in literals if isinstance(each, bool)}:
        flat = [each for each in flat if not (isinstance(each, dict) and isinstance(each.get("is"), bool))]
        flat.append("boolean")
        literals = [each for each in literals if not isinstance(each, bool)]
    kept = list({json.dumps(each): each for each in flat if not (isinstance(each, dict) and "is" in each)}.values())
    values = sorted(set(literals), key=lambda each: (str(type(each)), each))
    if values:
        kept.append({"is": values[0]} if len(values) == 1 else {"enum": values})
    return kept[0] if len(kept) == 1 else {"any of": in_order(kept)}


def parts(type_: Type) -> list[Type]:
    """Return the variants of a type, each literal separately."""
    if isinstance(type_, dict) and "any of" in type_:
        return [part for each in type_["any of"] for part in parts(each)]
    if isinstance(type_, dict) and "enum" in type_:
        return [{"is": each} for each in type_["enum"]]
    return [type_]


def in_order(types: Sequence[Type]) -> list[Type]:
    """Return the same types in sorted order."""
    return sorted(types, key=lambda each: json.dumps(each, sort_keys=True))
