"""A fake CLI that sends requests to its client, as the file that PEER_SCRIPT names says, and records the responses.

A step is the payload of a request, or "cancel", which cancels the request before it. A payload with `"wait": false` is
followed by the next step at once. `hook` in a payload is the number of a function, in place of its id.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def hear() -> dict[str, Any]:
    """Return the next response, or another message."""
    found: dict[str, Any] = json.loads(sys.stdin.readline())
    return found


def main() -> None:
    path = Path(os.environ["PEER_SCRIPT"])
    script = json.loads(path.read_text(encoding="utf-8"))
    setup = hear()
    hooks = setup["request"]["hooks"]["PreToolUse"]
    ids = [id_ for each in hooks for id_ in each["hookCallbackIds"]]
    success = {"subtype": "success", "request_id": setup["request_id"], "response": {}}
    say({"type": "control_response", "response": success})
    print("hello", file=sys.stderr, flush=True)
    answers: list[Any] = []
    for number, step in enumerate(script):
        if step == "cancel":
            say({"type": "control_cancel_request", "request_id": str(number - 1)})
            answers.append(None)
            continue
        waits = step.pop("wait", True)
        if "hook" in step:
            step["callback_id"] = ids[step.pop("hook")]
        say({"type": "control_request", "request_id": str(number), "request": step})
        if waits:
            response = hear()["response"]
            assert response["request_id"] == str(number), response
            answers.append(response.get("response", response.get("error")))
    path.with_suffix(".answers").write_text(json.dumps([sys.argv[1:], answers]), encoding="utf-8")


main()
