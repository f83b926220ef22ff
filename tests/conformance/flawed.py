"""A testee for tests of fuzzing: right by way of the reference, but for one flaw that some documents bring to light.

flawed.py SPEC [FLAW]
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polywire import engine, reference
from polywire.conformance.protocols import Protocols

Answer = dict[str, Any]
Flaw = Callable[[str, Answer], Answer]


def on_accepted(change: Callable[[Any], Any]) -> Flaw:
    """A flaw of the output of what is accepted."""

    def flaw(_: str, answer: Answer) -> Answer:
        if not answer["ok"] or "items" in answer:
            return answer
        return answer | {"json": json.dumps(change(json.loads(answer["json"])))}

    return flaw


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(value) if type(value) is int and 2**53 < abs(value) < 10**300 else value


def sorted_members(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def path_of_the_object(_: str, answer: Answer) -> Answer:
    if answer.get("code") != "missing_field":
        return answer
    return answer | {"path": answer["path"].rpartition("/")[0]}


def forgives_a_missing_end(text: str, answer: Answer) -> Answer:
    if answer.get("code") == "invalid_json" and text.count("{") > text.count("}"):
        return {"ok": True, "variant": "Named", "json": "{}", "unknown": []}
    return answer


def unsorted_unknown(_: str, answer: Answer) -> Answer:
    return answer | {"unknown": answer["unknown"][::-1]} if answer.get("unknown") else answer


def other_variant(_: str, answer: Answer) -> Answer:
    return answer | {"variant": "Sent"} if answer.get("variant") == "Unknown" else answer


def adds_a_space(text: str, answer: Answer) -> Answer:
    return answer | {"json": answer["json"] + " " * (len(text) % 2)} if "json" in answer else answer


def counts_lines_from_zero(_: str, answer: Answer) -> Answer:
    return (
        answer | {"items": [item | {"line": item["line"] - 1} for item in answer["items"]]}
        if "items" in answer
        else answer
    )


def dies_of_depth(text: str, answer: Answer) -> Answer:
    if text.count("[[[") or text.count('{"a":{"a":{"a":'):
        os._exit(3)
    return answer


def hangs_at_a_key_that_comes_twice(text: str, answer: Answer) -> Answer:
    if text.count('"name":') > 1:
        time.sleep(3600)
    return answer


def gives_up(text: str, answer: Answer) -> Answer:
    return {"problem": "cannot do that"} if "\\u" in text else answer


FLAWS: dict[str, Flaw] = {
    "": lambda _, answer: answer,
    "drops nulls": on_accepted(without_nulls),
    "rounds": on_accepted(rounded),
    "sorts": on_accepted(sorted_members),
    "path of the object": path_of_the_object,
    "no end": forgives_a_missing_end,
    "unsorted": unsorted_unknown,
    "variant": other_variant,
    "spaces": adds_a_space,
    "lines": counts_lines_from_zero,
    "dies": dies_of_depth,
    "hangs": hangs_at_a_key_that_comes_twice,
    "gives up": gives_up,
}


def text_of(request: Answer) -> str:
    if "json" in request:
        return str(request["json"])
    blobs = [request["bytes"]] if "bytes" in request else request["chunks"]
    return b"".join(map(base64.b64decode, blobs)).decode("utf-8", "replace")


def answered(found: reference.Decoded | reference.Fault) -> Answer:
    if isinstance(found, reference.Fault):
        return {"ok": False, "code": found.code, "path": found.path, "message": found.message or "it is wrong"}
    return {"ok": True, "variant": found.variant, "json": engine.dumps(found.value), "unknown": found.unknown}


def decoded(model: Any, request: Answer) -> Answer:
    data = base64.b64decode(request["bytes"]) if "bytes" in request else request["json"]
    try:
        return answered(reference.decode(model, request["type"], data, strict=request["mode"] == "strict"))
    except reference.Fault as fault:
        return answered(fault)


def streamed(model: Any, request: Answer) -> Answer:
    data = b"".join(map(base64.b64decode, request["chunks"]))
    options = {"strict": request["mode"] == "strict", "limit": request.get("limit", reference.LIMIT)}
    items = []
    for item in reference.read(model, request["type"], data, **options):
        raw = {"raw": base64.b64encode(item.raw).decode()} if isinstance(item.found, reference.Fault) else {}
        items.append({"line": item.line, **answered(item.found), **raw})
    return {"ok": True, "items": items}


def say(answer: Answer) -> None:
    print(json.dumps(answer), flush=True)


def main(spec: str, flaw: str = "") -> None:
    model = Protocols(Path(spec)).default.model
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "describe":
            say({"id": request["id"], "language": "flawed", "types": list(model.declarations)})
            continue
        answer = streamed(model, request) if request["op"] == "stream" else decoded(model, request)
        say({"id": request["id"], **FLAWS[flaw](text_of(request), answer)})


if __name__ == "__main__":
    main(*sys.argv[1:])
