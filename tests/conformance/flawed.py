"""A testee for tests of fuzzing: it answers with the reference implementation, with one flaw that some documents show.

flawed.py SPEC[@DIALECT] [FLAW [FOLDER]]

FOLDER contains the pipes by which a testee reports that it hangs (`events.Watch`).
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
Flaw = Callable[[str, Answer], Answer]


def on_accepted(change: Callable[[Any], Any]) -> Flaw:
    """Make a flaw that changes the output of accepted documents."""

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
        folder = Path(sys.argv[3])
        (folder / "hangs").write_bytes(b"x")
        (folder / "go").read_bytes()
    return answer


def gives_up(text: str, answer: Answer) -> Answer:
    return {"problem": "cannot do that"} if "\\u" in text else answer


LAST = "last"
"""Not a flaw: the testee returns the last of several valid outcomes, where the others return the first."""

FLAWS: dict[str, Flaw] = {
    "": lambda _, answer: answer,
    LAST: lambda _, answer: answer,
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


def answered(found: reference.Outcomes, *, last: bool) -> Answer:
    """Return the first outcome, or the last, which is equally valid."""
    if found.faults and (last or not found.accepted):
        fault = found.faults[-1 if last else 0]
        return {"ok": False, "code": fault.code, "path": fault.path, "message": fault.message}
    taken = found.accepted[-1 if last else 0]
    return {"ok": True, "variant": taken.variant, "json": dumps(taken.value), "unknown": taken.unknown}


def decoded(model: Any, request: Answer, *, last: bool) -> Answer:
    data = base64.b64decode(request["bytes"]) if "bytes" in request else request["json"]
    strict = request["mode"] == "strict"
    return answered(reference.outcomes(model, request["type"], data, strict=strict), last=last)


def streamed(model: Any, request: Answer, *, last: bool) -> Answer:
    data = b"".join(map(base64.b64decode, request["chunks"]))
    options = {"strict": request["mode"] == "strict", "limit": request.get("limit", reference.LIMIT)}
    items = []
    for item in reference.read(model, request["type"], data, **options):
        answer = answered(item.outcomes, last=last)
        raw = {} if answer["ok"] else {"raw": base64.b64encode(item.raw).decode()}
        items.append({"line": item.line, **answer, **raw})
    return {"ok": True, "items": items}


def say(answer: Answer) -> None:
    print(json.dumps(answer), flush=True)


def main(spec: str, flaw: str = "", *_: str) -> None:
    folder, _, dialect = spec.partition("@")
    model = Protocols(Path(folder), dialect or None).default.model
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "describe":
            say({"id": request["id"], "language": "flawed", "types": list(model.declarations)})
            continue
        make = streamed if request["op"] == "stream" else decoded
        answer = make(model, request, last=flaw == LAST)
        say({"id": request["id"], **FLAWS[flaw](text_of(request), answer)})


if __name__ == "__main__":
    main(*sys.argv[1:])
