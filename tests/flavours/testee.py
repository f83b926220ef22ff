"""The testee for a flavour of the Python package.

    testee.py FLAVOUR FOLDER

FLAVOUR is `typed_dicts` or `pydantic`; FOLDER is that of the distribution. A pydantic model decodes the line. A
typed dict is the result of `json.loads`; pydantic validates it against its type, in place of a type checker. The testee
exits with status 77 if pydantic is not installed.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

CANNOT_RUN = 77

try:
    import pydantic
except ImportError as error:
    print(f"pydantic is not installed: {error}", file=sys.stderr)
    sys.exit(CANNOT_RUN)

Answer = dict[str, Any]

CLAIMS: dict[str, Answer] = {
    # The types are generated from the lenient schema, and describe parsed values; `json.loads` parses the text.
    "typed_dicts": {"modes": ["lenient"], "reads": "values", "answers": ["ok", "json"]},
    # Errors are those of pydantic. Unknown parts are not reported, as strict mode accepts none.
    "pydantic": {"modes": ["strict"], "reads": "text", "answers": ["ok", "variant", "json"]},
}


def dict_of(adapter: pydantic.TypeAdapter[Any], _: str, text: str | bytes) -> Answer:
    """Answer for typed dicts: the value is the unchanged result of the parser."""
    value = json.loads(text)
    adapter.validate_python(value, strict=True)
    return {"json": json.dumps(value)}


def model_of(adapter: pydantic.TypeAdapter[Any], name: str, text: str | bytes) -> Answer:
    """Answer for models: the class is the variant, and absent fields are not encoded."""
    value = adapter.validate_json(text)
    variant = type(value).__name__ if isinstance(value, pydantic.BaseModel) else name
    return {"variant": variant, "json": adapter.dump_json(value, by_alias=True, exclude_unset=True).decode()}


READERS: dict[str, Callable[[pydantic.TypeAdapter[Any], str, str | bytes], Answer]] = {
    "typed_dicts": dict_of,
    "pydantic": model_of,
}


def types(module: ModuleType) -> list[str]:
    """List the types that the module declares, without the `Unknown` variants of unions, which are not in the spec."""
    own = re.findall(
        r"^(?:class )?(\w+)(?:\(|: TypeAlias =| = Type)", Path(str(module.__file__)).read_text("utf-8"), re.MULTILINE
    )
    return [name for name in own if not name.startswith("Unknown")]


def main(flavour: str, folder: str) -> None:
    sys.path.insert(0, folder)
    module = import_module(next(path.parent.name for path in Path(folder).glob("*/py.typed")))
    described = {
        "language": flavour,
        "version": f"pydantic {pydantic.VERSION}",
        "types": types(module),
        "ops": ["decode"],
        **CLAIMS[flavour],
    }

    @cache
    def adapter(name: str) -> pydantic.TypeAdapter[Any]:
        return pydantic.TypeAdapter(getattr(module, name))

    def decoded(request: Answer) -> Answer:
        name = request["type"]
        text = request["json"] if "json" in request else base64.b64decode(request["bytes"])
        try:
            return {"ok": True, **READERS[flavour](adapter(name), name, text)}
        except pydantic.ValidationError as error:
            # For a union, pydantic reports the errors of every variant; the one with the longest path is most useful.
            return {"ok": False, "message": max(error.errors(), key=lambda each: len(each["loc"]))["msg"]}

    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = described if request["op"] == "describe" else decoded(request)
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
