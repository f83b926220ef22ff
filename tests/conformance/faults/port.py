"""A port that faults are planted in: the table-driven pass of the generated Python package, as a testee.

    python -m conformance.faults.port [FAULT]

It is a plain one, as a port by hand would be: every rule is written once, so a fault planted there is all that differs.
What it cannot do ends in a `problem`, as an exception that nobody caught would. Only the files that faults are planted
in are loaded anew for each; the rest of the package is shared.
"""

from __future__ import annotations

import base64
import importlib
import json
import sys
from functools import cache, partial
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from conformance.faults.planted import FILES, Fault, faults, planted

PACKAGE = Path(__file__).resolve().parents[3] / "generated" / "python" / "agentproto"
SHARED = ("model", "_base", "_plan", "_support", "_wire")
_NUMBERS = count()


class Port:
    """The package with a fault in it, or without one, asked by requests."""

    def __init__(self, fault: Fault | None = None) -> None:
        package = _package(fault)
        self.slow: Any = package._slow
        self.streams: Any = package._streams
        self.types = list(package._wire.TYPES)
        self.error = package._base.DecodeError

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, whatever happens."""
        try:
            if request["op"] == "describe":
                return {"language": "python", "types": self.types}
            if request["op"] == "stream":
                return {"ok": True, "items": self.streamed(request)}
            data = request["json"] if "json" in request else base64.b64decode(request["bytes"])
            return self.decoded(data, request["type"], strict=request["mode"] == "strict")
        except Exception as error:  # noqa: BLE001 - what a planted fault leads to is not known
            return {"problem": f"{type(error).__name__}: {error}"}

    def decoded(self, data: bytes | str, name: str, *, strict: bool) -> dict[str, Any]:
        """Read and write one text."""
        try:
            found = self.slow.examine(data, name, strict=strict)
        except self.error as error:
            return {"ok": False, "code": error.code, "path": error.path, "message": error.message}
        line = self.slow.encode(found.value, name).decode()
        return {"ok": True, "variant": found.variant, "json": line, "unknown": list(found.unknown)}

    def streamed(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Feed every chunk; each line is read and written as soon as it is there."""
        limit = {"limit": request["limit"]} if "limit" in request else {}
        lines = self.streams.LineDecoder(request["type"], strict=request["mode"] == "strict", **limit)
        self.streams.decode = partial(self.line, lines)
        items = [item for chunk in request["chunks"] for item in lines.items(base64.b64decode(chunk))]
        return list(map(self.item, [*items, *lines.finish()]))

    def line(self, lines: Any, data: bytes, name: str, *, strict: bool) -> dict[str, Any]:
        """Stands in for the package's `decode`: the answer in place of the message."""
        answer = self.decoded(data, name, strict=strict)
        if not answer["ok"]:
            raise self.error(answer["code"], answer["path"], answer["message"])
        return {"line": lines.line, **answer}

    def item(self, item: Any) -> dict[str, Any]:
        """An item of a stream as an answer."""
        if isinstance(item, dict):
            return item
        error, raw = item.error, base64.b64encode(item.raw).decode()
        told = {"code": error.code, "path": error.path, "message": error.message}
        return {"line": item.line, "ok": False, "raw": raw, **told}


def _package(fault: Fault | None) -> Any:
    """A package of its own that shares with the real one what no fault is planted in."""
    name = f"port_{next(_NUMBERS)}"
    package: Any = ModuleType(name)
    package.__path__ = []
    sys.modules[name] = package
    for each in SHARED:
        sys.modules[f"{name}.{each}"] = module = importlib.import_module(f"agentproto.{each}")
        setattr(package, each, module)
    for file in FILES:
        own = fault if fault is not None and fault.file == file else None
        module = ModuleType(f"{name}.{file.removesuffix('.py')}")
        sys.modules[module.__name__] = module
        setattr(package, file.removesuffix(".py"), module)
        exec(_code(file, own), module.__dict__)  # noqa: S102 - this is how a planted fault comes to life
    return package


@cache
def _code(file: str, fault: Fault | None) -> CodeType:
    source = (PACKAGE / file).read_text(encoding="utf-8")
    return compile(source if fault is None else planted(fault, source), file, "exec", dont_inherit=True)


def main(name: str = "") -> None:
    port = Port(next((fault for fault in faults() if fault.name == name), None))
    for line in sys.stdin.buffer:
        request = json.loads(line)
        sys.stdout.write(json.dumps({"id": request["id"], **port.answer(request)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
