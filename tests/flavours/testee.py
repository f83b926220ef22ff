"""The testee round a flavour of the Python package: what comes of a line by its types.

    testee.py FLAVOUR FOLDER

FLAVOUR is the module, `typed_dicts` or `pydantic`; FOLDER has the package. A pydantic model reads the line itself. A
typed dict is whatever `json.loads` gives; whether it is what its type says is asked of pydantic, too, which then takes
the part that a type checker has. Exits with 77 if pydantic is not installed.
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
    # What the schema is made for; of text, only that it is a dict is left to others.
    "typed_dicts": {"modes": ["lenient"], "reads": "values", "answers": ["ok", "json"]},
    # Errors are pydantic's own, and of what is unknown nothing is told: there is none.
    "pydantic": {"modes": ["strict"], "reads": "text", "answers": ["ok", "variant", "json"]},
}


def dict_of(adapter: pydantic.TypeAdapter[Any], _: str, text: str | bytes) -> Answer:
    """Answer for typed dicts: the value is what the parser made, and stays that."""
    value = json.loads(text)
    adapter.validate_python(value, strict=True)
    return {"json": json.dumps(value)}


def model_of(adapter: pydantic.TypeAdapter[Any], name: str, text: str | bytes) -> Answer:
    """Answer for models: the class is the variant, and what was not there is not written."""
    value = adapter.validate_json(text)
    variant = type(value).__name__ if isinstance(value, pydantic.BaseModel) else name
    return {"variant": variant, "json": adapter.dump_json(value, by_alias=True, exclude_unset=True).decode()}


READERS: dict[str, Callable[[pydantic.TypeAdapter[Any], str, str | bytes], Answer]] = {
    "typed_dicts": dict_of,
    "pydantic": model_of,
}


def types(module: ModuleType) -> list[str]:
    """The names of the module's own types; what stands for the rest of a union is not a type of the spec."""
    own = re.findall(
        r"^(?:class )?(\w+)(?:\(|: TypeAlias =| = Type)", Path(str(module.__file__)).read_text("utf-8"), re.MULTILINE
    )
    return [name for name in own if not name.startswith("Unknown")]


def main(flavour: str, folder: str) -> None:
    sys.path.insert(0, folder)
    package = next(path.parent.name for path in Path(folder).glob("*/py.typed"))
    module = import_module(f"{package}.{flavour}")
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
            # Of a union it tells what every variant has against the value; what got furthest says most.
            return {"ok": False, "message": max(error.errors(), key=lambda each: len(each["loc"]))["msg"]}

    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = described if request["op"] == "describe" else decoded(request)
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
