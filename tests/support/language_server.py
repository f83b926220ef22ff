"""The language server that most editors run for YAML, asked as an editor asks it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import pytest

from toolchain import NODE_PACKAGES, Toolchain

SERVER = NODE_PACKAGES / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
SETTINGS = {"yaml": {"schemaStore": {"enable": False}}}
"""It fetches a list of schemas from the network otherwise."""

Message: TypeAlias = "dict[str, Any]"


class Editor:
    """An editor with a folder open: it opens files, and requests what the server knows about them."""

    def __init__(self, to_server: IO[bytes], from_server: IO[bytes], folder: Path) -> None:
        self._to, self._from, self._folder, self._requests = to_server, from_server, folder, 0
        capabilities = {"workspace": {"configuration": True}, "textDocument": {"publishDiagnostics": {}}}
        root = {"rootUri": folder.as_uri(), "workspaceFolders": [{"uri": folder.as_uri(), "name": "folder"}]}
        self._request("initialize", {"processId": None, "capabilities": capabilities, **root})
        self._send({"method": "initialized", "params": {}})

    def mistakes(self, path: str) -> list[tuple[int, str]]:
        """Open a file; return the line, counted from 1, and the message of each mistake that the editor marks."""
        text = (self._folder / path).read_text(encoding="utf-8")
        document = {"uri": self._uri(path), "languageId": "yaml", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        found = self._receive(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        marked = [(each["range"]["start"]["line"] + 1, each["message"]) for each in found["params"]["diagnostics"]]
        return sorted(marked)

    def completions(self, path: str, line: int, column: int) -> set[str]:
        """Return what the editor offers at a place in an open file, counted from 1."""
        found = self._request("textDocument/completion", self._at(path, line, column))
        return {each["label"] for each in found["items"]}

    def hover(self, path: str, line: int, column: int) -> str:
        """Return what the editor shows for a place in an open file, counted from 1."""
        return str(self._request("textDocument/hover", self._at(path, line, column))["contents"]["value"])

    def _uri(self, path: str) -> str:
        return (self._folder / path).as_uri()

    def _at(self, path: str, line: int, column: int) -> Message:
        return {
            "textDocument": {"uri": self._uri(path)},
            "position": {"line": line - 1, "character": column - 1},
        }

    def _request(self, method: str, params: Message) -> Any:
        self._requests += 1
        number = self._requests
        self._send({"id": number, "method": method, "params": params})
        return self._receive(lambda message: message.get("id") == number and "method" not in message)["result"]

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._to.flush()

    def _receive(self, is_wanted: Callable[[Message], bool]) -> Message:
        """Return the next message of a kind; answer the server's requests before it."""
        while True:
            size = 0
            while header := self._from.readline().strip():
                name, _, value = header.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            assert size, "the language server ended"
            message = json.loads(self._from.read(size))
            if is_wanted(message):
                return dict(message)
            if "id" in message and "method" in message:
                asked = message.get("params", {}).get("items", []) if "configuration" in message["method"] else []
                self._send({"id": message["id"], "result": [SETTINGS.get(each["section"]) for each in asked] or None})


@contextmanager
def editor(node: Toolchain, folder: Path) -> Iterator[Editor]:
    """Open a folder in an editor; skips the test if the language server is missing."""
    if not SERVER.is_file():
        pytest.skip("yaml-language-server is missing; `make .venv/node-all.stamp` fetches it")
    process = subprocess.Popen(
        node.command("node", SERVER, "--stdio"), env=node.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Editor(process.stdin, process.stdout, folder)
        finally:
            process.kill()
