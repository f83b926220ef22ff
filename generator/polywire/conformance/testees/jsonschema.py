"""The testee for the JSON Schemas: answers whether the schema of the mode accepts the input.

    jsonschema.py VALIDATOR FOLDER

VALIDATOR is the library that reads the schemas, `jsonschema` or `jsonschema-rs`; FOLDER has `NAME.schema.json` (open,
for lenient cases) and `NAME.strict.schema.json`. Exits with 77 if the library is not installed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

# This file has the name of the library that it imports, so its folder must not be on the path.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

Test = Callable[[object], bool]
CANNOT_RUN = 77


def of_jsonschema(schema: dict[str, Any]) -> Callable[[str], Test]:
    """Return a function from the key of a type to its test, by the reference implementation in Python."""
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema)

    def test(key: str) -> Test:
        return Draft202012Validator(part(schema, key)).is_valid

    return test


def of_jsonschema_rs(schema: dict[str, Any]) -> Callable[[str], Test]:
    """Return a function from the key of a type to its test, by an implementation in Rust."""
    import jsonschema_rs

    jsonschema_rs.meta.validate(schema)

    def test(key: str) -> Test:
        return jsonschema_rs.Draft202012Validator(part(schema, key)).is_valid

    return test


def part(schema: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the schema of one type with the definitions that it reaches: validators prepare every one they are given.

    All references in the schemas are to definitions in the same document.
    """
    root = {"$ref": f"#/$defs/{key}"}
    reached: dict[str, Any] = {}
    pending: list[object] = [root]
    while pending:
        match pending.pop():
            case dict() as node:
                target = node.get("$ref")
                if isinstance(target, str) and target not in reached:
                    reached[target] = schema["$defs"][target.removeprefix("#/$defs/")]
                    pending.append(reached[target])
                pending += node.values()
            case list() as items:
                pending += items
    definitions = {target.removeprefix("#/$defs/"): definition for target, definition in reached.items()}
    return {**schema, "$defs": definitions, **root}


def keys_of(schema: dict[str, Any]) -> dict[str, str]:
    """Return the name of each type → its key in `$defs`. A comment has the name of a type that the spec renames."""
    comments = {key: definition.get("$comment", "") for key, definition in schema["$defs"].items()}
    renamed = {found[1]: key for key, text in comments.items() if (found := re.match(r"Declared as (\w+)\.", text))}
    return {key: key for key in comments} | renamed


VALIDATORS = {"jsonschema": of_jsonschema, "jsonschema-rs": of_jsonschema_rs}


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the schemas by mode."""
    (strict,) = folder.glob("*.strict.schema.json")
    open_ = strict.with_name(strict.name.replace(".strict.", "."))
    files = {"lenient": open_, "strict": strict}
    return {mode: json.loads(file.read_text(encoding="utf-8")) for mode, file in files.items()}


def main(validator: str, folder: str) -> None:
    schemas = read(Path(folder))
    try:
        by_mode = {mode: VALIDATORS[validator](schema) for mode, schema in schemas.items()}
    except ImportError as error:
        print(f"{validator} cannot be imported ({error}); pip install {validator}", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    found = re.search(r"sha256 ([0-9a-f]{64})", schemas["strict"].get("$comment", ""))
    described = {
        "language": "jsonschema",
        "version": f"{validator} {version(validator)}",
        "spec": found[1] if found else "",
        "ops": ["decode"],
        "answers": ["ok"],
    }
    keys = keys_of(schemas["strict"])
    tests: dict[tuple[str, str], Test] = {}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        mode, name = request.get("mode"), request.get("type")
        if request["op"] == "describe":
            answer = described
        elif name not in keys:
            answer = {"problem": f"the schemas have no $defs/{name}"}
        else:
            if (mode, name) not in tests:
                tests[mode, name] = by_mode[mode](keys[name])
            answer = {"ok": tests[mode, name](json.loads(request["json"]))}
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
