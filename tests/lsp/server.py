"""A language server that finds the words `wrong` in a document: python server.py [broken [ends]].

It writes headers as some servers do, and its output in small pieces. With `broken`, it writes a malformed header and
goes on, as a server does that prints to its standard output, or ends and leaves a child process that prints on.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any


def read() -> dict[str, Any]:
    if not (first := sys.stdin.buffer.readline()):
        sys.exit(3)  # the client has gone
    headers = [first, *iter(sys.stdin.buffer.readline, b"\r\n")]
    length = next(int(line.split(b":")[1]) for line in headers if line.lower().startswith(b"content-length"))
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def write(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, indent=1).encode()
    framed = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n%b" % (
        len(body),
        body,
    )
    for at in range(0, len(framed), 5):
        sys.stdout.buffer.write(framed[at : at + 5])
        sys.stdout.buffer.flush()


def flood() -> None:
    """Leave a child process that prints until nobody reads."""
    if os.fork() == 0:
        os.close(2)
        try:
            while True:
                os.write(1, b"loading words ...\n")
        except OSError:
            os._exit(0)


def diagnostic(line: int, found: re.Match[str]) -> dict[str, Any]:
    start, end = ({"line": line, "character": at} for at in found.span())
    return {"range": {"start": start, "end": end}, "message": f"→ {found[0]}\n", "severity": 2}


while True:
    match read():
        case {"id": id_, "method": "initialize"}:
            write({"id": id_, "result": {"capabilities": {}, "serverInfo": {"name": "words"}}})
        case {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "text": text}}}:
            if sys.argv[1:2] == ["broken"]:
                sys.stdout.buffer.write(b"loading words ...\n" * 20_000)  # more than a pipe holds
                sys.stdout.buffer.flush()
            if sys.argv[2:] == ["ends"]:
                flood()
                os._exit(4)
            write({"id": "log", "method": "window/showDocument", "params": {"uri": uri}})
            found = [
                diagnostic(at, word) for at, line in enumerate(text.split("\n")) for word in re.finditer("wrong", line)
            ]
            write({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found}})
        case {"id": "log", "error": {"code": code}}:
            write({"method": "window/logMessage", "params": {"type": 3, "message": f"refused with {code}"}})
        case {"id": id_, "method": "shutdown"}:
            write({"id": id_, "result": None})
        case {"method": "exit"}:
            sys.exit(0)
