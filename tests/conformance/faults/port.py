"""A testee for a generated Python package in which a fault is planted.

    python -m conformance.faults.port [FAULT]

All ways to decode and encode a line must agree, as in the package's own testee. Any exception is reported as a
`problem`. The engine is loaded anew for each fault; classes are shared.
"""

from __future__ import annotations

import base64
import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest.mock import patch

from conformance.faults.planted import FILES, Fault, faults, planted
from polywire.conformance.testees import python

GENERATED = Path(__file__).resolve().parents[3] / "generated" / "python"
_NUMBERS = count()


class Port:
    """A package with or without a planted fault, which answers the requests of a testee."""

    def __init__(self, fault: Fault | None = None, folder: Path = GENERATED, *, parser: str = "stdlib") -> None:
        self.package = _package(fault, folder, parser if fault is None else fault.parser)
        self.error: type[Exception] = self.package.DecodeError

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request; any exception becomes a `problem`."""
        try:
            if request["op"] == "describe":
                ops = ["decode", "stream", "session"]
                return {"language": "python", "types": list(self.package.TYPES), "ops": ops}
            if request["op"] == "session":
                session = python.Session(self.package, request)
                steps = [session.step(each) for each in request["steps"]]
                return json.loads(json.dumps({"ok": True, "steps": steps}))  # type: ignore[no-any-return]
            if request["op"] == "stream":
                return {"ok": True, "items": self.streamed(request)}
            data = request["json"] if "json" in request else base64.b64decode(request["bytes"])
            return python.decoded(self.package, data, request)
        except Exception as error:  # noqa: BLE001 - a planted fault may raise anything
            return {"problem": f"{type(error).__name__}: {error}"}

    def streamed(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Feed every chunk; decode and encode each line as soon as it is complete."""
        limit = {"limit": request["limit"]} if "limit" in request else {}
        strict = request["mode"] == "strict"
        lines = self.package.LineDecoder(request["type"], strict=strict, **limit)
        with patch.object(self.package.streams, "decode", self.line):
            fed = [base64.b64decode(chunk) for chunk in request["chunks"]]
            items = [self.item(lines, item) for chunk in fed for item in lines.feed(chunk)]
            return [*items, *(self.item(lines, item) for item in lines.finish())]

    def line(self, data: bytes, name: str, strict: bool) -> dict[str, Any]:
        """Replace the package's `decode`: return the answer instead of the message."""
        answer = python.decoded(self.package, data, {"type": name, "mode": "strict" if strict else "lenient"})
        if "problem" in answer:
            raise AssertionError(answer["problem"])
        if not answer["ok"]:
            raise self.error(answer["code"], answer["path"], answer["message"])
        return answer

    def item(self, lines: Any, item: Any) -> dict[str, Any]:
        """Convert an item of a stream to an answer."""
        if isinstance(item, dict):
            return {"line": lines.line, **item}
        error, raw = item.error, base64.b64encode(item.raw).decode()
        told = {"code": error.code, "path": error.path, "message": error.message}
        return {"line": item.line, "ok": False, "raw": raw, **told}


def _package(fault: Fault | None, folder: Path, parser: str) -> Any:
    """Load a package with a separate engine, and with the classes of the package in the folder."""
    (marker,) = folder.glob("*/py.typed")
    real, name = marker.parent.name, f"port_{next(_NUMBERS)}"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    engine: Any = ModuleType(name)
    engine.__path__ = []
    sys.modules[name] = engine
    table = importlib.import_module(f"{real}._table")
    for each in ("_base", *sorted(set(table.AREAS.values()))):
        sys.modules[f"{name}.{each}"] = importlib.import_module(f"{real}.{each}")
    for file in (each for each in FILES if (marker.parent / each).is_file()):
        own = fault if fault is not None and fault.file == file else None
        module = ModuleType(f"{name}.{file.removesuffix('.py')}")
        module.__package__ = name
        sys.modules[module.__name__] = module
        setattr(engine, file.removesuffix(".py"), module)
        with _parser(parser):
            exec(_code(marker.parent / file, own), module.__dict__)  # noqa: S102 - it runs the planted fault
    return _offered(engine, real)


@contextmanager
def _parser(name: str) -> Iterator[None]:
    """Hide orjson from imports if the parser is the standard library."""
    hidden = {"orjson": None} if name == "stdlib" else {}
    before = {each: sys.modules[each] for each in hidden if each in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
    finally:
        for each in hidden:
            del sys.modules[each]
        sys.modules.update(before)


def _offered(engine: Any, name: str) -> Any:
    """Build a module that has the engine's functions under the package's public names."""
    offered: Any = ModuleType(name)
    offered.__dict__.update(vars(engine._wire) | {"__name__": name})
    offered.streams = engine._streams
    for part in ("_aliases", "_native", "_rows", "_table"):
        setattr(offered, part, getattr(engine, part))
    if hasattr(engine, "_session"):
        offered.__dict__.update(vars(engine._session) | {"__name__": name})
        offered._control, offered._pairs, offered._wire = engine._control, engine._pairs, engine._wire
    offered.LineDecoder, offered.BadLine = engine._streams.LineDecoder, engine._streams.BadLine
    return offered


@cache
def _code(file: Path, fault: Fault | None) -> CodeType:
    source = file.read_text(encoding="utf-8")
    return compile(source if fault is None else planted(fault, source), str(file), "exec", dont_inherit=True)


def main(name: str = "") -> None:
    port = Port(next((fault for fault in faults() if fault.name == name), None))
    for line in sys.stdin.buffer:
        request = json.loads(line)
        sys.stdout.write(json.dumps({"id": request["id"], **port.answer(request)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
