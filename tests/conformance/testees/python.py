"""The testee for the generated Python package: decodes as a user does, and answers what became of it.

    python.py PARSER FOLDER

PARSER is `orjson`, or `stdlib` for a machine without it; FOLDER is the generated distribution. Exits with 77 if orjson
is asked for and not installed.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import json
import platform
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CANNOT_RUN = 77


def load(folder: Path) -> Any:
    """The one package in the folder."""
    (marker,) = folder.glob("*/py.typed")
    sys.path.insert(0, str(folder))
    return importlib.import_module(marker.parent.name)


def asked(package: Any, request: dict[str, Any]) -> str | None:
    """The type as a user says it, who says nothing where any message will do."""
    return None if request["type"] == package._wire.type_name(None) else request["type"]


def attempted(package: Any, data: bytes | str, request: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """What decode gives: an object, or an error."""
    try:
        return package.decode(data, asked(package, request), strict=request["mode"] == "strict"), None
    except package.DecodeError as error:
        return None, {"ok": False, "code": error.code, "path": error.path, "message": error.message}


def decoded(package: Any, data: bytes | str, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a decode. What the fast way and the slow pass read and write has to agree, or the answer is a problem.

    A line that is seen again may be read in another way yet, one that was learned from it or from lines like it.
    """
    message, error = attempted(package, data, request)
    if asked(package, request) is None:
        with contextlib.suppress(UnicodeEncodeError):
            line = data.encode() if isinstance(data, str) else data
            for _ in range(3):
                again, other = attempted(package, line, request)
                if (message, error) != (again, other) or (
                    error is None and package.encode(message) != package.encode(again)
                ):
                    return {"problem": f"when it comes again, decode gives {other or package.encode(again).decode()}"}
    if error is not None:
        return error
    found = package.examine(data, request["type"], strict=request["mode"] == "strict")
    if found.value != message:
        return {"problem": f"decode gives {message!r}, examine {found.value!r}"}
    line = package.encode(message, request["type"])
    if type(message).__module__.startswith(package.__name__ + ".") and package.encode(message) != line:
        return {"problem": f"encode gives {package.encode(message)!r}, encode as {request['type']} {line!r}"}
    if package.from_dict(json.loads(line), request["type"]) != message:
        return {"problem": f"what encode gives is not {message!r}"}
    line = line.decode()
    return {"ok": True, "variant": found.variant, "json": line, "unknown": list(found.unknown)}


def streamed(package: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a stream: feed every chunk, take what comes."""
    limit = {"limit": request["limit"]} if "limit" in request else {}
    decoder = package.LineDecoder(asked(package, request), strict=request["mode"] == "strict", **limit)
    chunks = [base64.b64decode(chunk) for chunk in request["chunks"]]
    lines = b"".join(chunks).split(b"\n")
    items = []

    def answer(item: Any) -> None:
        if isinstance(item, package.BadLine):
            error, raw = item.error, base64.b64encode(item.raw).decode()
            fault = {"code": error.code, "path": error.path, "message": error.message}
            items.append({"line": item.line, "ok": False, "raw": raw, **fault})
        else:
            items.append({"line": decoder.line, **decoded(package, lines[decoder.line - 1], request)})

    for chunk in chunks:
        for item in decoder.items(chunk):
            answer(item)
    for item in decoder.finish():
        answer(item)
    return {"ok": True, "items": items}


def main(parser: str, folder: str) -> None:
    if parser == "stdlib":
        sys.modules["orjson"] = None  # type: ignore[assignment]  # what makes an import fail
    elif find_spec("orjson") is None:
        print("orjson is not installed", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    package = load(Path(folder))
    described = {
        "language": "python",
        "version": f"{platform.python_version()} {parser}",
        "spec": package.SPEC_HASH,
        "types": list(package.TYPES),
    }
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "describe":
            answer = described
        elif request["op"] == "stream":
            answer = streamed(package, request)
        else:
            data = request["json"] if "json" in request else base64.b64decode(request["bytes"])
            answer = decoded(package, data, request)
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
