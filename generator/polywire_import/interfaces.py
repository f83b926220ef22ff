"""OpenAPI 3 and AsyncAPI 2 and 3 → a catalog of the schemas in them, and of the messages that AsyncAPI declares.

The schemas are read as JSON Schema. Of OpenAPI, the bodies that operations and webhooks send are roots; the operations
are calls by HTTP, which a stream of messages does not have, and are noted as lost. Of AsyncAPI, the root is the union
of the payloads of all messages, each sent by the peer whose operations send it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from polywire.ground.engine import pointer
from polywire.ground.words import counted
from polywire.source import jsontext
from polywire_import import schema
from polywire_import.beside import Beside
from polywire_import.overrides import mapping
from polywire_import.shapes import Catalog, Declared, ImportingError, OneOf, Ref

ROOT = "Message"
"""The name of the union of all messages."""

PEERS = ("application", "client")
"""The peer that the document describes, and the one that it talks to."""

_SECTIONS = (("components", "schemas"), *schema.SECTIONS)
_VERSIONS = {"openapi": ("3.",), "asyncapi": ("2.", "3.")}
_SENDERS = (("subscribe", PEERS[0]), ("publish", PEERS[1]))
"""Operations of a channel in AsyncAPI 2, which say what clients do, and the senders of their messages."""
_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})

Path_ = tuple[str, ...]


def read(kind: str, paths: Sequence[Path], *, docs: bool = False) -> Catalog:
    """Return the catalog of documents of a kind, the first of which is the main one. Raises `ImportingError`."""
    documents = schema.given(paths, document)
    main = paths[0].name
    version = documents[main].get(kind)
    if not isinstance(version, str) or not version.startswith(_VERSIONS[kind]):
        found = f"version {version}" if version else f"no version: the key `{kind}` is missing"
        read = " or ".join(f"{each}x" for each in _VERSIONS[kind])
        raise ImportingError(f"{paths[0]}: {found}; only {kind} {read} is read, so convert it first")
    reader = schema.Reader(documents, schema.Annotations(), Beside(paths, document), docs=docs)
    if kind == "openapi":
        return _Interface(reader, main, documents[main]).of_http()
    return _Interface(reader, main, documents[main]).of_messages()


def document(path: Path) -> dict[str, Any]:
    """Return a document, which is written as JSON or as YAML. Raises `ImportingError`."""
    if path.suffix.lower() not in {".yaml", ".yml"}:
        return cast("dict[str, Any]", schema.document(path))
    return cast("dict[str, Any]", jsontext.value(mapping(path, aliases=True)))


class _Interface:
    """One document, with what it says besides schemas."""

    def __init__(self, reader: schema.Reader, file: str, whole: Mapping[str, Any]) -> None:
        self._reader = reader
        self._file = file
        self._whole = whole
        self._lost: list[tuple[Path_, str]] = []

    # --- OpenAPI ---

    def of_http(self) -> Catalog:
        operations = 0
        roots: dict[str, None] = {}
        for section in ("paths", "webhooks"):
            for path, operation in self._operations(section):
                operations += section == "paths"
                for body, place in self._bodies(operation, path):
                    roots[self._reader.declare_referent(self._file, place, body)] = None
        catalog = self._reader.run(_SECTIONS)
        if operations:
            catalog.note(
                "lost", "/paths", f"{counted(operations, 'operation')}: of calls by HTTP, only bodies are kept"
            )
        catalog.roots[:0] = roots
        return catalog

    def _operations(self, section: str) -> Iterator[tuple[Path_, Mapping[str, Any]]]:
        for name, item in _items(self._whole.get(section)):
            for method, operation in _items(self._followed(item, (section, name))[0]):
                if method in _METHODS and isinstance(operation, dict):
                    yield (section, name, method), operation

    def _bodies(self, operation: Mapping[str, Any], path: Path_) -> Iterator[tuple[str, Path_]]:
        """Yield a name and the place of the schema of each body."""
        stem = str(operation.get("operationId") or " ".join(path[1:]))
        bodies = [("request", operation.get("requestBody"), (*path, "requestBody"))]
        for code, response in _items(operation.get("responses")):
            bodies.append((f"response {code}", response, (*path, "responses", code)))
        for name, body, at in bodies:
            found, place = self._followed(body, at)
            for media, each in _items(found.get("content")):
                if media.split(";")[0].strip().endswith("json") and isinstance(each, dict) and "schema" in each:
                    yield f"{stem} {name}", (*place, "content", media, "schema")

    # --- AsyncAPI ---

    def of_messages(self) -> Catalog:
        names: dict[str, str] = {}
        for message, sender in self._senders().items():
            payload = self._payload(message)
            if payload is not None:
                _add(names, self._reader.declare_referent(self._file, payload, self._named(message)), sender)
        if not names:
            raise ImportingError(f"{self._file}: no message has a payload; for schemas alone, use --from json-schema")
        catalog = self._reader.run(_SECTIONS)
        for path, reason in self._lost:
            catalog.note("lost", pointer(path), reason)
        root = next(
            each for each in (ROOT, f"Any{ROOT}", f"{ROOT} of {self._file}") if each not in catalog.declarations
        )
        union = OneOf(tuple(Ref(name) for name in names), place="/operations")
        catalog.declarations[root] = Declared(root, union, "/operations")
        catalog.roots[:] = [root]
        catalog.messages |= names
        catalog.header["peers"] = list(PEERS)
        return catalog

    def _senders(self) -> dict[Path_, str]:
        """Return the places of all messages, each with the peer that sends it, or `both`."""
        found: dict[Path_, str] = {}
        for name, each in _items(self._whole.get("operations")):
            operation, at = self._followed(each, ("operations", name))
            sender, other = PEERS if operation.get("action") == "send" else PEERS[::-1]
            for place in self._listed(operation, at):
                _add(found, place, sender)
            if "reply" in operation:
                self._lost.append((at, "the reply is not paired with the request"))
                reply, at = self._followed(operation["reply"], (*at, "reply"))
                for place in self._listed(reply, at):
                    _add(found, place, other)
        for name, each in _items(self._whole.get("channels")):
            channel, at = self._followed(each, ("channels", name))
            for place in self._each((*at, "messages"), channel.get("messages")):
                found.setdefault(place, "both")
            for word, sender in _SENDERS:
                operation, on = self._followed(channel.get(word), (*at, word))
                message, place = self._followed(operation.get("message"), (*on, "message"))
                alone = [place] if message else []
                for one in self._each((*place, "oneOf"), message["oneOf"]) if "oneOf" in message else alone:
                    _add(found, one, sender)
        for place in self._each(("components", "messages"), _of(self._whole, "components").get("messages")):
            found.setdefault(place, "both")
        return found

    def _listed(self, user: Mapping[str, Any], path: Path_) -> Iterator[Path_]:
        """Yield the places of the messages that an operation or a reply lists, or else of all in its channel."""
        if isinstance(user.get("messages"), list):
            yield from self._each((*path, "messages"), user["messages"])
        elif "channel" in user:
            channel, at = self._followed(user["channel"], (*path, "channel"))
            yield from self._each((*at, "messages"), channel.get("messages"))

    def _each(self, path: Path_, messages: object) -> Iterator[Path_]:
        keys = [*map(str, range(len(messages)))] if isinstance(messages, list) else [key for key, _ in _items(messages)]
        for key in keys:
            yield self._followed(self._at((*path, key)), (*path, key))[1]

    def _named(self, place: Path_) -> str:
        """Return the name of a message: its key or, in an operation of AsyncAPI 2, its own or its place."""
        if place[-2] == "messages":
            return place[-1]
        message = self._at(place)
        own = message.get("messageId") or message.get("name")
        return str(own or " ".join(each for each in place[1:] if each not in {"message", "oneOf"}))

    def _payload(self, place: Path_) -> Path_ | None:
        """Return the place of the schema of a message's payload; None if it has none."""
        message = self._at(place)
        payload = message.get("payload") if isinstance(message, dict) else None
        if "headers" in _of({"message": message}, "message"):
            self._lost.append((place, "headers are not part of a line"))
        if not isinstance(payload, dict):
            self._lost.append((place, "it has no payload that a schema describes"))
            return None
        format_ = payload.get("schemaFormat", message.get("schemaFormat", "aai.asyncapi"))
        if any(word in str(format_) for word in ("aai.asyncapi", "schema+json", "schema+yaml", "openapi")):
            return (*place, "payload", "schema") if "schemaFormat" in payload else (*place, "payload")
        self._lost.append((place, f"the payload is described as {format_!r}, which is not JSON Schema"))
        return None

    # --- places ---

    def _followed(self, node: Any, path: Path_) -> tuple[Any, Path_]:
        """Return what a node at a place says, an object, and the place where it says so, behind all references."""
        seen: set[Path_] = set()
        while isinstance(node, dict) and isinstance(node.get("$ref"), str) and path not in seen:
            seen.add(path)
            reference = node["$ref"]
            if not reference.startswith("#/"):
                raise ImportingError(f"{pointer(path)}: the reference leads to {reference!r}; bundle the document into"
                                     " one file first")  # fmt: skip
            path = schema.steps(unquote(reference[1:]))
            node = self._at(path)
        return node if isinstance(node, dict) else {}, path

    def _at(self, path: Path_) -> Any:
        found: Any = self._whole
        for step in path:
            if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            elif isinstance(found, dict) and step in found:
                found = found[step]
            else:
                raise ImportingError(f"{pointer(path)}: a reference leads here, and there is nothing")
        return found


def _items(node: object) -> list[tuple[str, Any]]:
    return [*node.items()] if isinstance(node, dict) else []


def _of(node: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = node.get(key)
    return found if isinstance(found, dict) else {}


def _add(senders: dict[Any, str], key: object, sender: str) -> None:
    """Note that a peer sends something, which the other one may send, too."""
    senders[key] = sender if senders.get(key, sender) == sender else "both"


def kind_in(path: Path) -> str | None:
    """Return the kind of a JSON or YAML document by its keys; None if it is of another kind, or unreadable."""
    try:
        keys = document(path)
    except ImportingError:
        return None
    return next((kind for kind in _VERSIONS if kind in keys), None)
