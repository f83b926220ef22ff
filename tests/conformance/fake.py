"""A testee for tests of the runner: it answers with the reference implementation, and has a fault on request.

    fake.py SPEC [FAULT] [CLAIMS or FOLDER]

A fault only affects requests whose content contains the word MARK, so that tests can distinguish the case that must be
reported from the others. CLAIMS is JSON that is merged into the description. FOLDER contains the pipes by which the
testee reports that it hangs and is resumed (`events.Watch`).
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polywire.conformance.protocols import Protocols
from polywire.ground.json_values import dumps
from polywire.oracle import reference

Answer = dict[str, Any]
MARK = "MARK"


def decode(model: Any, request: Answer, data: bytes | str) -> Answer:
    try:
        found = reference.decode(model, request["type"], data, strict=request["mode"] == "strict")
    except reference.Fault as fault:
        return {"ok": False, "code": fault.code, "path": fault.path, "message": fault.message or "it is wrong"}
    text = dumps(found.value)
    return {"ok": True, "variant": found.variant, "json": text, "unknown": list(found.unknown)}


def stream(model: Any, request: Answer) -> Answer:
    lines = b"".join(map(base64.b64decode, request["chunks"])).split(b"\n")
    items = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        whole = line.removesuffix(b"\r")
        raw = base64.b64encode(whole).decode()
        long = len(whole) > request.get("limit", len(whole))
        found = (
            {"ok": False, "code": "too_long", "path": "", "message": "too long"}
            if long
            else decode(model, request, whole)
        )
        items.append({"line": number, **found} if found["ok"] else {"line": number, **found, "raw": raw})
    return {"ok": True, "items": items}


def say(answer: Answer) -> None:
    print(json.dumps(answer), flush=True)


def die() -> None:
    print("struck by the mark", file=sys.stderr, flush=True)
    os._exit(3)


def die_once(folder: Path) -> None:
    marker = folder / "died"
    if not marker.exists():
        marker.touch()
        die()


def hang(folder: str) -> None:
    """Report that the testee hangs, and block until it is resumed."""
    Path(folder, "hangs").write_bytes(b"x")
    Path(folder, "go").read_bytes()


def added(answer: Answer, text: str) -> Answer:
    """Add a member to the JSON text of the answer, without parsing it."""
    return answer | {"json": answer["json"][:-1] + "," + text + "}"}


NOT_AT_THE_MARK = {"die once", "schema", "bad exit", "talks at the end", "stays", "slow start", "lets another go on"}
ACCEPTED: Answer = {"ok": True, "variant": "Named", "json": '{"name":"MARK"}', "unknown": []}
CHANGED: dict[str, Callable[[Answer], Answer]] = {
    "wrong variant": lambda a: a | {"variant": "Hello"},
    "no variant": lambda a: {k: v for k, v in a.items() if k != "variant"},
    "wrong value": lambda a: a | {"json": a["json"].replace(MARK, "mark")},
    "true for 1": lambda a: a | {"json": a["json"].replace(":1", ":true")},
    "null for nothing": lambda a: added(a, '"nickname":null'),
    "key twice": lambda a: added(a, '"name":"MARK"'),
    "two lines": lambda a: a | {"json": a["json"].replace(",", ",\n")},
    "order": lambda a: a | {"json": json.dumps(dict(reversed(json.loads(a["json"]).items())))},
    "wrong schema": lambda a: a | {"ok": not a["ok"]},
    "NaN": lambda a: a | {"json": "NaN"},
    "says unknown": lambda a: a | {"unknown": ["/name"]},
    "unsorted unknown": lambda a: a | {"unknown": ["/b", "/a"]},
    "no unknown": lambda a: a | {"unknown": None},
    "refuses": lambda _: {"ok": False, "code": "wrong_type", "path": "/name", "message": "no"},
    "accepts": lambda _: ACCEPTED,
    "unsupported": lambda _: {"unsupported": "names are not typed"},
    "types nothing": lambda a: ACCEPTED | a | {"ok": True, "typed": []},
    "types the root": lambda a: ACCEPTED | a | {"ok": True, "typed": [""]},
    "types the name": lambda a: ACCEPTED | a | {"ok": True, "typed": ["", "/name"]},
    "drops the unknown": lambda a: a | {"json": '{"name":"MARK"}'},
    "wrong code": lambda a: a | {"code": "bad_format"},
    "made-up code": lambda a: a | {"code": "nonsense"},
    "wrong path": lambda a: a | {"path": "/elsewhere"},
    "no message": lambda a: a | {"message": ""},
    "ok is 1": lambda a: a | {"ok": 1},
    "problem": lambda _: {"problem": "no such type"},
    "item short": lambda a: a | {"items": a["items"][:-1]},
    "line off by one": lambda a: a | {"items": [i | {"line": i["line"] + 1} for i in a["items"]]},
    "no raw": lambda a: a | {"items": [{k: v for k, v in i.items() if k != "raw"} for i in a["items"]]},
    "no items": lambda a: a | {"items": None},
}


def struck(fault: str, request: Answer, answer: Answer, *rest: str) -> None:
    """Handle a marked request according to the fault, which may send no answer."""
    match fault:
        case "hang":
            hang(*rest)
            say(answer)
        case "die":
            die()
        case "garbage":
            print("Traceback (most recent call last):", flush=True)
        case "invalid UTF-8":
            sys.stdout.buffer.write(b'{"id": %d, "ok": \xff}\n' % request["id"])
            sys.stdout.flush()
        case "no object":
            print("[]", flush=True)
        case "twice":
            say(answer)
            say(answer)
        case "babble":
            while True:
                print('{"id": 999999}', flush=True)
        case "no id":
            say({"ok": True})
        case "other id":
            say(answer)
            say(answer | {"id": 999_999})
        case "unstable":
            spaced = " " in request["json"]
            say(answer | {"json": answer["json"] if spaced else answer["json"].replace(":", ": ")})
        case _:
            say(CHANGED[fault](answer) | {"id": request["id"]} if fault else answer)


def main(spec: str, fault: str = "", *rest: str) -> None:
    model = Protocols(Path(spec)).default.model
    claims = {"ops": ["decode"], "answers": ["ok"]} if fault.endswith("schema") else {}
    claims |= json.loads(rest[0]) if rest and rest[0].startswith("{") else {}
    if fault == "cannot run":
        print("needs a better machine", file=sys.stderr)
        sys.exit(77)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "describe":
            if fault == "no description":
                sys.exit("not today")
            if fault == "slow start":
                hang(*rest)
            if fault == "lets another go on":
                Path(rest[0], "go").write_bytes(b"x")
            names = {"language": "fake", "version": "0", "spec": model.spec_hash, "types": list(model.declarations)}
            say({"id": request["id"], **names, **claims})
            continue
        content = base64.b64decode(request["bytes"]) if "bytes" in request else request.get("json")
        answer = {"id": request["id"]}
        answer |= stream(model, request) if request["op"] == "stream" else decode(model, request, content)
        if fault.endswith("schema"):
            answer = {"id": request["id"], "ok": answer["ok"]}
        marked = MARK in line.decode() or any(MARK.encode() in base64.b64decode(c) for c in request.get("chunks", ()))
        if fault == "die once" and marked:
            die_once(Path(rest[0]))
        if marked and fault not in NOT_AT_THE_MARK:
            struck(fault, request, answer, *rest)
        else:
            say(answer)
    if fault == "talks at the end":
        print("bye", flush=True)
    if fault == "stays":
        hang(*rest)
    sys.exit(4 if fault == "bad exit" else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
