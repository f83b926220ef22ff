import base64
import json
import sys

import agentlines as port


def decoded(data, name, strict):
    try:
        found = port.examine(data, name, strict=strict)
    except port.DecodeError as error:
        return {"ok": False, "code": error.code, "path": error.path, "message": error.message}
    line = port.encode(found.value, name).decode()
    return {"ok": True, "variant": found.variant, "json": line, "unknown": list(found.unknown)}


def item(found, line, name, strict):
    if not isinstance(found, port.BadLine):
        return {"line": line, **decoded(port.encode(found, name), name, strict)}
    fault = {"code": found.error.code, "path": found.error.path, "message": found.error.message}
    return {"line": line, "ok": False, "raw": base64.b64encode(found.raw).decode(), **fault}


def answer(request):
    if request["op"] == "describe":
        return {"language": "python", "spec": port.SPEC_HASH, "types": list(port.TYPES)}
    name, strict = request["type"], request["mode"] == "strict"
    if name not in port.TYPES:
        return {"problem": f"no type {name}"}
    if request["op"] == "decode":
        return decoded(request["json"] if "json" in request else base64.b64decode(request["bytes"]), name, strict)
    decoder = port.LineDecoder(name, strict=strict, limit=request.get("limit", 1 << 26))
    items = [item(i, decoder.line, name, strict) for c in request["chunks"] for i in decoder.feed(base64.b64decode(c))]
    return {"ok": True, "items": items + [item(i, decoder.line, name, strict) for i in decoder.finish()]}


for text in sys.stdin.buffer:
    request = json.loads(text)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
