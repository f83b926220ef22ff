"""The testee for the generated Python package: decodes as a user would, and answers with the outcome.

    python.py PARSER FOLDER

PARSER is `orjson`, `native` for the extension `polywire_native`, or `stdlib` for a machine without both; FOLDER is the
generated distribution. Exits with 77 if PARSER is not installed.
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CANNOT_RUN = 77

PARSER_FAULTS = tuple((code, "") for code in ("invalid_utf8", "invalid_json", "too_deep", "out_of_range"))
"""The errors, as code and path, for documents that the standard library accepts or cannot read at all."""


def load(folder: Path) -> Any:
    """Import the only package in the folder."""
    (marker,) = folder.glob("*/py.typed")
    sys.path.insert(0, str(folder))
    return importlib.import_module(marker.parent.name)


def asked(package: Any, request: dict[str, Any]) -> str | None:
    """Return the type as a user would pass it: None if it is the default root."""
    return None if request["type"] == package._aliases.declared_name(package._table.ROOT) else request["type"]


def attempted(package: Any, data: bytes | str, request: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """Return the result of `decode`: a value, or the answer for its error."""
    try:
        return package.decode(data, asked(package, request), strict=request["mode"] == "strict"), None
    except package.DecodeError as error:
        return None, {"ok": False, "code": error.code, "path": error.path, "message": error.message}


def from_parsed(package: Any, data: bytes | str, request: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    """Return the result of `from_dict` for the value that the standard library parses."""
    value = json.loads(data if isinstance(data, str) else data.decode())
    try:
        return package.from_dict(value, asked(package, request), strict=request["mode"] == "strict"), None
    except package.DecodeError as error:
        return None, {"ok": False, "code": error.code, "path": error.path, "message": error.message}


def is_own(package: Any, unknown: Any, name: str) -> bool:
    """Return whether an Unknown belongs to the requested union, of which only a part may be open."""
    row = package._rows.row(package._aliases.type_name(name))
    return row[0] != "union" or not row[2] or type(unknown).__name__ == row[3]


def launched(package: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answer how a process is started, with functions at the places that the request lists."""
    try:
        options = package.decode(request["json"], request["type"])
        for place, count in request.get("functions", {}).items():
            keys = [key.replace("~1", "/").replace("~0", "~") for key in place.split("/")[1:]]
            put_functions(options, keys, count)
        made = package.launch(options, request.get("release"))
    except package.LaunchError as error:
        return {"ok": False, "code": error.code, "paths": list(error.paths)}
    except package.DecodeError as error:
        return {"ok": False, "code": error.code, "paths": [error.path]}
    names = ("arguments", "cwd", "program", "program_arguments", "script", "requests")
    started = {name: getattr(made, name) for name in names if getattr(made, name) is not None}
    started["functions"] = {each.place: called(each) for each in made.functions}
    environment = vars(made.environment) | {"unset": list(made.environment.unset)}
    return {"ok": True, "json": json.dumps({**started, "environment": environment}, ensure_ascii=False)}


def called(function: Any) -> dict[str, Any]:
    """Return when a function is called."""
    names = ("control", "id", "receives", "live")
    return {name: getattr(function, name) for name in names if getattr(function, name)}


def put_functions(options: Any, keys: list[str], count: int) -> None:
    """Insert a function, or several, since JSON cannot contain them."""
    at = options
    for key in keys[:-1]:
        at = at[int(key)] if isinstance(at, list) else at[key] if isinstance(at, dict) else getattr(at, snake(key))
    setattr(at, snake(keys[-1]), print if count == 0 else [print] * count)


def snake(key: str) -> str:
    """Return the name of the attribute for a key."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def decoded(package: Any, data: bytes | str, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a decode request. If two ways to read or write a line disagree, the answer is a problem."""
    message, error = attempted(package, data, request)
    if error is None or (error["code"], error["path"]) not in PARSER_FAULTS:
        parsed, refusal = from_parsed(package, data, request)
        if (message, error) != (parsed, refusal):
            return {"problem": f"decode gives {error or message!r}, from_dict {refusal or parsed!r}"}
    if error is not None:
        return error
    if package._native.NATIVE is not None and (problem := native_problem(package, data, request, message)) is not None:
        return {"problem": problem}
    found = package.examine(data, request["type"], strict=request["mode"] == "strict")
    if found.value != message:
        return {"problem": f"decode gives {message!r}, examine {found.value!r}"}
    unknown = found.variant == "Unknown" and "Unknown" not in package.TYPES
    if unknown and not is_own(package, message, request["type"]):
        return {"problem": f"{type(message).__name__} is not the Unknown of {request['type']}"}
    line = package.encode(message, request["type"])
    if type(message).__module__.startswith(package.__name__ + ".") and package.encode(message) != line:
        return {"problem": f"encode gives {package.encode(message)!r}, encode as {request['type']} {line!r}"}
    problem = strict_problem(package, message, request["type"], line, found.unknown)
    if problem is not None:
        return {"problem": problem}
    if package.from_dict(json.loads(line), request["type"]) != message:
        return {"problem": f"what encode gives is not {message!r}"}
    line = line.decode()
    return {"ok": True, "variant": found.variant, "json": line, "unknown": list(found.unknown)}


def strict_problem(package: Any, message: Any, name: str, line: bytes, unknown: tuple[str, ...]) -> str | None:
    """Return the problem if strict encoding gives another line, or refuses a value in which nothing was tolerated."""
    try:
        return None if package.encode(message, name, strict=True) == line else "strict encode gives another line"
    except package.EncodeError as error:
        return None if unknown else f"strict encode refuses {error.path!r}, examine reports nothing"


def native_problem(package: Any, data: bytes | str, request: dict[str, Any], message: Any) -> str | None:
    """Return the problem if the extension makes other objects or another line than the functions in Python."""
    native, line = package._wire.NATIVE, package.encode(message, request["type"])
    try:
        package._wire.NATIVE = None
        again, written = attempted(package, data, request)[0], package.encode(message, request["type"])
    finally:
        package._wire.NATIVE = native
    if shape(package, again) != shape(package, message):
        return f"the extension gives {shape(package, message)}, Python {shape(package, again)}"
    return None if line == written else f"the extension writes {line!r}, Python {written!r}"


def shape(package: Any, value: Any) -> str:
    """Return everything that can be told about a value: classes, all slots, the order of keys, the signs of zeros."""
    match value:
        case package.Record():
            slots = [*type(value).__polywire_fields__, "_extra"]
        case package.Unknown():
            slots = ["raw"]
        case list() | tuple():
            return f"{type(value).__name__}[{', '.join(shape(package, each) for each in value)}]"
        case dict():
            return f"dict[{', '.join(f'{key!r}: {shape(package, each)}' for key, each in value.items())}]"
        case _:
            return f"{type(value).__name__} {value!r}"
    held = ", ".join(f"{slot}={shape(package, getattr(value, slot))}" for slot in slots)
    return f"{type(value).__qualname__}({held})"


def streamed(package: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a stream request: feed every chunk and take its items."""
    more = {"limit": request["limit"]} if "limit" in request else {}
    if "only" in request:
        more["only"] = [getattr(package, name, name) for name in request["only"]]
    decoder = package.LineDecoder(asked(package, request), strict=request["mode"] == "strict", **more)
    chunks = [base64.b64decode(chunk) for chunk in request["chunks"]]
    messages = [base64.b64decode(each) for each in request.get("messages", ())] or b"".join(chunks).split(b"\n")
    items: list[dict[str, Any]] = []
    problems: list[str] = []
    kept: list[Any] = []

    def answer(item: Any) -> None:
        if isinstance(item, package.BadLine):
            error, raw = item.error, base64.b64encode(item.raw).decode()
            fault = {"code": error.code, "path": error.path, "message": error.message}
            items.append({"line": item.line, "ok": False, "raw": raw, **fault})
        else:
            line = messages[decoder.line - 1]
            message, refusal = attempted(package, line, request)
            if (item, None) != (message, refusal):
                problems.append(f"the stream gives {item!r}, decode {refusal or message!r}")
            items.append({"line": decoder.line, **decoded(package, line, request)})
            kept.append(item)

    for chunk in chunks:
        for item in decoder.feed(chunk):
            answer(item)
    for item in decoder.finish():
        answer(item)
    problems += rewritten(package, request, kept)
    if problems:
        return {"problem": problems[0]}
    return {"ok": True, "items": items, **({"skipped": decoder.skipped} if "only" in request else {})}


def rewritten(package: Any, request: dict[str, Any], messages: list[Any]) -> Iterator[str]:
    """Yield a problem if a writer and a reader change messages."""
    stream = io.BytesIO()
    writer = package.Writer(stream)
    try:
        for each in messages:
            writer.write(each)
    except package.EncodeError:
        return  # plain values are messages of no type
    again = list(package.Reader(io.BytesIO(stream.getvalue()), asked(package, request)))
    if again != messages:
        yield f"a writer and a reader make {again!r} of {messages!r}"


def tree_of(package: Any, name: str) -> Any:
    """Return a tree by its name in the spec, which the package may spell in another case, and with a suffix."""
    begins = name.replace("_", "").lower()
    near = [each for each in dir(package) if each.replace("_", "").lower().startswith(begins)]
    near.sort(key=lambda each: (each != name, len(each)))
    return next(found for found in (getattr(package, each) for each in near) if hasattr(found, "leaves"))


def grown(package: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answer with what a tree has after each entry, which is reported as its number."""
    tree = tree_of(package, request["tree"])()
    numbers: dict[int, int] = {}
    entries, steps = [], []

    def reported(found: list[Any]) -> list[int]:
        return [numbers[id(each)] for each in found]

    for number, each in enumerate(request["entries"]):
        entry = package.decode(each["line"], request["type"]) if "line" in each else json.loads(each["json"])
        entries.append(entry)  # no other entry gets its identity
        numbers[id(entry)] = number
        added, ids = tree.add(entry), request["ids"]
        step = {"path": tree.path(), "history": tree.path(history=True), "leaves": tree.leaves()}
        lists = {
            "children": [tree.children(id_) for id_ in ids],
            "paths": [tree.path(id_) for id_ in ids],
            "histories": [tree.path(id_, history=True) for id_ in ids],
        }
        steps.append(
            {"added": added}
            | {key: reported(found) for key, found in (step | {"roots": tree.children()}).items()}
            | {key: [*map(reported, found)] for key, found in lists.items()}
        )
    return {"ok": True, "steps": steps}


class Session:
    """A session as a user would run it, driven by the steps of a script."""

    def __init__(self, package: Any, request: dict[str, Any]) -> None:
        self._package = package
        self._session = package.Session(request["peer"], refuse_unknown=request.get("refuse_unknown", True))

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a step."""
        package, session = self._package, self._session
        try:
            match step:
                case {"receive": line}:
                    return self.event(session.receive(package.decode(line)))
                case {"reply": id_, "result": result}:
                    return self.sent(session.reply(id_, json.loads(result)))
                case {"reply": id_}:
                    return self.sent(session.reply(id_))
                case {"refuse": id_, "message": message}:
                    more = {"code": step["code"]} if "code" in step else {}
                    more |= {"data": json.loads(step["data"])} if "data" in step else {}
                    return self.sent(session.refuse(id_, message, **more))
                case {"request": text}:
                    id_, line = session.request(self.payload(text, "request"), step.get("id"))
                    return {"id": id_, **self.sent(line)}
                case {"notify": text}:
                    return self.sent(session.notify(self.payload(text, "notify")))
                case {"cancel": id_}:
                    return self.sent(session.cancel(id_))
                case {"announced": _}:
                    return {"announced": session.announced}
                case _:
                    asked = [each.id for each in session.unanswered()]
                    return {"pending": [id_ for id_, _ in session.pending()], "unanswered": asked}
        except (package.SessionError, package.EncodeError, package.DecodeError) as error:
            return {"error": error.code}

    def payload(self, text: str, form: str) -> Any:
        """Decode a request or a notification as the union of its field in the envelope."""
        *_, (attribute, (envelope, *_)) = self._package._pairs.SESSION[form]["at"]["payload"]
        fields = self._package._rows.row(envelope)[2]
        return self._package.decode(text, next(each[4] for each in fields if each[0] == "." and each[2] == attribute))

    def sent(self, line: bytes) -> dict[str, Any]:
        """Return a line in the form of results."""
        return {"sent": line.decode()}

    def event(self, event: Any) -> dict[str, Any]:
        """Return an event in the form of results."""
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__.removeprefix("Session")).lower()
        return {"event": name, **dict(self.members(name, event))}

    def members(self, name: str, event: Any) -> Iterator[tuple[str, Any]]:
        """Yield the members of an event that have a value."""
        package = self._package
        texts = {"request", "payload", *(["message"] if name in {"message", "stray"} else [])}
        for each in ("id", "request", "payload", "message"):
            value = getattr(event, each, None)
            if value is not None and (name, each) != ("invalid_answer", "message"):
                yield each, package.encode(value).decode() if each in texts else value
        if name == "stray":
            yield "reason", event.reason
        elif name == "unknown_request" and event.line is not None:
            yield "sent", event.line.decode()
        elif name == "invalid_answer":
            yield from (("code", event.error.code), ("path", event.error.path))
        elif name == "answer":
            type_, _, nullable = package._control._expected(event.request)[0]
            if event.result is not package.UNSET and (event.result is not None or nullable):
                yield "result", self.json(event.result, type_)
        elif name == "failure":
            if event.code is not None:
                yield "code", event.code
            if event.data is not package.UNSET:
                yield "data", self.json(event.data, package._rows.declared_class(type(event.data)) or "json")

    def json(self, value: Any, type_: Any) -> str:
        """Return a value of a type as JSON text."""
        return json.dumps(self._package._wire.to_value(value, type_), ensure_ascii=False)


INSTALLED = {"orjson": ("orjson", "orjson"), "native": ("polywire_native", "polywire-native")}
"""Parser → its module, and the distribution that has it."""


def main(parser: str, folder: str) -> None:
    module, distribution = INSTALLED.get(parser, ("sys", ""))
    if find_spec(module) is None:
        print(f"{module} is not installed; pip install {distribution}", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    os.environ["POLYWIRE_NATIVE"] = "1" if parser == "native" else "0"
    if parser == "stdlib":
        sys.modules["orjson"] = None  # type: ignore[assignment]  # makes the import fail
    package = load(Path(folder))
    if parser == "native" and package._native.NATIVE is None:
        sys.exit("polywire_native does not fit this package, or this interpreter")
    described = {
        "language": "python",
        "version": f"{platform.python_version()} {parser}",
        "spec": package.SPEC_HASH,
        "types": list(package.TYPES),
        "ops": ["decode", "filter", "stream", "tree", *["session"] * hasattr(package, "Session")],
    }
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "describe":
            answer = described
        elif request["op"] == "stream":
            answer = streamed(package, request)
        elif request["op"] == "session":
            session = Session(package, request)
            answer = {"ok": True, "steps": [session.step(each) for each in request["steps"]]}
        elif request["op"] == "tree":
            answer = grown(package, request)
        elif request["op"] == "launch":
            answer = launched(package, request)
        else:
            data = request["json"] if "json" in request else base64.b64decode(request["bytes"])
            answer = decoded(package, data, request)
        sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
