"""A port by hand, half written: two messages of many, and the mistakes that most ports begin with."""

import json
import sys

NAMES = {"control_cancel_request": "ControlCancelRequest", "keep_alive": "KeepAliveMessage"}
LATER = {"assistant", "auth_status", "control_request", "control_response", "result", "stream_event", "system", "user"}


def decoded(data):
    tag = data["type"]
    if tag in LATER:
        return {"unsupported": f"{tag} is not written yet"}
    if tag not in NAMES:
        return {"ok": False, "code": "unknown_variant", "path": "/type", "message": f"no message {tag}"}
    message = {"type": tag}
    if tag == "control_cancel_request":
        if not isinstance(data.get("request_id"), str):
            return {"ok": False, "code": "wrong_type", "path": "/request_id", "message": "expected text"}
        message["request_id"] = data["request_id"]
    return {"ok": True, "variant": NAMES[tag], "json": json.dumps(message), "unknown": []}


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        answer = {"types": ["WireMessage"], "modes": ["lenient"], "ops": ["decode"], "reads": "values"}
    else:
        answer = decoded(json.loads(request["json"]))
    print(json.dumps({"id": request["id"], **answer}), flush=True)
