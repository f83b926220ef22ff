"""Fixture files and captures → cases, each with one input and its correct outcomes.

There is one correct outcome unless the rules allow several. A fixture file holds one case or a list of cases.
Everything in it is checked before anything runs: an unknown key, a type that the spec does not declare, or a case that
asserts nothing would otherwise pass forever.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, cast

from polywire.conformance import jsontext, script, trees
from polywire.conformance.protocols import Protocol, Protocols
from polywire.conformance.script import Script
from polywire.conformance.trees import TreeCase
from polywire.ground.engine import CODES
from polywire.ground.words import counted
from polywire.oracle.reference.framing import frames

Mode: TypeAlias = Literal["lenient", "strict"]
Kind: TypeAlias = Literal["written", "captured", "derived"]

PARSER_CODES = frozenset({"too_long", "invalid_utf8", "invalid_json", "too_deep"})
"""The codes that only parsers report; they also report `out_of_range` for an integer literal that is too long."""

DEFAULTS = "_defaults.json"
"""The file in a folder of fixtures with defaults of `type`, `mode`, `spec` and `dialect` for the cases below it."""


class CaseError(Exception):
    """A corpus that cannot be run; the message says which file, what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One correct outcome of a decode. Attributes that are None are not asserted."""

    error: tuple[str, str] | None = None
    """Code and path; if it is set, all other attributes are None."""
    variant: str | None = None
    output: str | None = None
    """JSON text of the expected value."""
    text: str | None = None
    """The exact expected line, for cases about spelling or order."""
    unknown: tuple[str, ...] | None = None
    ordered: str | None = None
    """JSON text of the same value, whose order of members is asserted too."""

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass(frozen=True, slots=True)
class Expect:
    """The correct outcomes of a decode, any one of which may occur."""

    outcomes: tuple[Outcome, ...]
    line: int | None = None
    """The line number, for an item of a stream."""
    raw: str | None = None
    """Base64 of the raw line, for an item of a stream with an error."""

    @classmethod
    def error(cls, code: str, path: str = "") -> Expect:
        """Expect exactly one error."""
        return cls((Outcome(error=(code, path)),))

    @property
    def accepts(self) -> bool:
        """Whether the document must be accepted."""
        return all(outcome.ok for outcome in self.outcomes)

    @property
    def refuses(self) -> bool:
        """Whether the document must be rejected."""
        return not any(outcome.ok for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Deviation:
    """A different outcome that is known for some testees, with the reason."""

    reason: str
    expect: Expect | tuple[Expect, ...]
    limit: str | None = None
    """The limit that causes it: the deviation applies to testees that state this limit. None applies to all."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request to a testee and the expected answer. One of `json`, `data`, `chunks`, `script` and `tree` is set."""

    name: str
    group: str
    kind: Kind
    protocol: Protocol
    type: str
    mode: Mode
    expect: Expect | tuple[Expect, ...]
    """A tuple holds the items of a stream. It is empty for a session or a tree, which has its own results."""
    json: str | None = None
    data: str | None = None
    """Base64."""
    chunks: tuple[str, ...] | None = None
    """Base64 of each chunk."""
    limit: int | None = None
    only: tuple[str, ...] = ()
    """The types that a reader of the stream is to give; all others are skipped. Empty for all."""
    skipped: int = 0
    """The number of lines that it skips."""
    script: Script | None = None
    """The steps of a session."""
    tree: TreeCase | None = None
    """The entries of a tree."""
    doc: str | None = None
    deviations: Mapping[str, Deviation] = field(default_factory=dict, hash=False)

    def request(self) -> dict[str, object]:
        """Return the request without its id."""
        if self.stateful is not None:
            return self.stateful.request()
        if self.chunks is not None:
            limit = {} if self.limit is None else {"limit": self.limit}
            only = {"only": list(self.only)} if self.only else {}
            more = {**limit, **only, **self._framing(self.chunks)}
            return {"op": "stream", "type": self.type, "mode": self.mode, "chunks": list(self.chunks), **more}
        content = {"json": self.json} if self.json is not None else {"bytes": self.data}
        return {"op": "decode", "type": self.type, "mode": self.mode, **content}

    def _framing(self, chunks: Iterable[str]) -> dict[str, object]:
        """Return the framing, with the messages that testees decode a second time; nothing if these are lines."""
        framing = self.protocol.model.protocol.framing
        if framing == "ndjson":
            return {}
        messages = [base64.b64encode(message).decode() for message in messages_of(self.protocol, chunks)]
        return {"framing": framing, "messages": messages}

    @property
    def stateful(self) -> Script | TreeCase | None:
        """What a case of a session or a tree consists of, which compares the answer itself."""
        return self.script or self.tree

    @property
    def is_document(self) -> bool:
        """Whether the case is about a single text or line."""
        return self.chunks is None and self.stateful is None

    @property
    def shown(self) -> str:
        """The input as shown to people."""
        if self.json is not None:
            return self.json
        if self.script is not None:
            return jsontext.write([step.asked for step in self.script.steps])
        if self.tree is not None:
            return jsontext.write([value for _, value in self.tree.entries])
        blobs = self.chunks if self.chunks is not None else (self.data or "",)
        return " | ".join(repr(base64.b64decode(blob))[1:] for blob in blobs)


def tree_case(protocol: Protocol, tree: TreeCase, *, name: str, group: str, doc: str | None = None) -> Case:
    """Return the case of a tree."""
    lines = tree.plan.tree.lines
    return Case(name, group, "written", protocol, lines, "lenient", expect=(), tree=tree, doc=doc)


def messages_of(protocol: Protocol, chunks: Iterable[str]) -> list[bytes]:
    """Return the messages of a stream, given as base64 text, without what separates them."""
    data = b"".join(map(base64.b64decode, chunks))
    return [frame.content for frame in frames(protocol.model.protocol.framing, data)]


# --- loading cases ---------------------------------------------------------------------------------------------


def load(paths: Iterable[Path], protocols: Protocols, *, root: Path | None = None) -> list[Case]:
    """Return the cases of fixture files, folders and captures, in order of path. Raises `CaseError`, also for none."""
    cases: list[Case] = []
    for path in paths:
        found = [case for file in _files(path) for case in _LOADERS[file.suffix](file, path, protocols, root)]
        if not found:
            raise CaseError(f"{path}: no cases in it; expected *.json fixtures or *.ndjson captures")
        cases += found
    return cases


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        below = sorted(p for p in path.rglob("*") if p.suffix in _LOADERS and p.is_file())
        return [p for p in below if p.name != DEFAULTS]
    if not path.is_file():
        raise CaseError(f"{path}: no such file or folder")
    if path.suffix not in _LOADERS:
        raise CaseError(f"{path}: neither a .json fixture nor a .ndjson capture")
    return [path]


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CaseError(f"{file}: invalid UTF-8 at byte {error.start}") from error


def _shown(file: Path, root: Path | None) -> str:
    """Return the path relative to the checkout, if the file is in it."""
    absolute = file.resolve()
    return absolute.relative_to(root).as_posix() if root and absolute.is_relative_to(root) else file.as_posix()


def _capture(file: Path, given: Path, protocols: Protocols, root: Path | None) -> Iterator[Case]:
    protocol = protocols.default
    stated = _defaults(file.parent, given if given.is_dir() else file.parent)
    type_name, _ = stated.get("type", (protocol.first_root, None))
    if not isinstance(type_name, str) or type_name not in protocol.model.declarations:
        raise CaseError(f"{file}: {DEFAULTS} states the type {type_name!r}, which is not declared in {protocol}")
    mode, _ = stated.get("mode", ("lenient", None))
    if mode not in ("lenient", "strict"):
        raise CaseError(f"{file}: {DEFAULTS} states the mode {mode!r}; expected lenient or strict")
    group = _shown(file.parent, root) if given.is_dir() else _shown(file, root)
    for number, line in enumerate(_text(file).split("\n"), 1):
        if not line.strip(" \t\r"):
            continue
        where = f"{_shown(file, root)}:{number}"
        try:
            jsontext.read(line)
        except jsontext.JsonError as error:
            raise CaseError(f"{where}: a line that is not JSON: {error}") from error
        text = line.removesuffix("\r")
        yield Case(
            name=where,
            group=group,
            kind="captured",
            protocol=protocol,
            type=type_name,
            mode=mode,
            json=text,
            expect=Expect((Outcome(output=text),)),
        )


def _fixtures(file: Path, given: Path, protocols: Protocols, root: Path | None) -> Iterator[Case]:
    document = _document(file)
    entries = document if isinstance(document, list) else [document]
    if not entries:
        raise CaseError(f"{file}: an empty list; expected at least one case")
    folder = file.parent if file.parent != given else given
    defaults = _defaults(file.parent, given if given.is_dir() else given.parent)
    for index, entry in enumerate(entries):
        name = _shown(file, root).removesuffix(".json") + (f"#{index + 1}" if isinstance(document, list) else "")
        yield _Reader(f"{file}" + (f", case {index + 1}" if isinstance(document, list) else ""), protocols).case(
            entry, name=name, group=_shown(folder, root), defaults=defaults
        )


def _document(file: Path) -> object:
    try:
        return jsontext.read(_text(file))
    except jsontext.JsonError as error:
        raise CaseError(f"{file}: {error}") from error


def _defaults(folder: Path, top: Path) -> dict[str, tuple[object, Path]]:
    """Return each default with the folder that defines it; the nearest one wins."""
    found: dict[str, tuple[object, Path]] = {}
    while True:
        file = folder / DEFAULTS
        if file.is_file():
            stated = _document(file)
            if not isinstance(stated, dict) or not stated.keys() <= _DEFAULTABLE:
                raise CaseError(f"{file}: expected an object with some of {', '.join(sorted(_DEFAULTABLE))}")
            found = {key: (value, folder) for key, value in stated.items()} | found
        if folder in (top, folder.parent):
            return found
        folder = folder.parent


_Loader: TypeAlias = Callable[[Path, Path, Protocols, "Path | None"], Iterator[Case]]
_LOADERS: dict[str, _Loader] = {".json": _fixtures, ".ndjson": _capture}

# --- one fixture -----------------------------------------------------------------------------------------------

_DEFAULTABLE = frozenset({"type", "mode", "spec", "dialect"})
_INPUTS = ("input", "raw", "bytes", "stream", "session", "tree")
_CASE_KEYS = _DEFAULTABLE | {"doc", "expect", "deviations", *_INPUTS}
_OUTCOME_KEYS = frozenset({"variant", "output", "text", "unknown"})
_ITEM_KEYS = _OUTCOME_KEYS | {"line", "error", "raw", "any"}
LIMITS = frozenset({"indices", "integers", "surrogates"})
"""Limits of languages: the order of keys that look like array indices (they come first), untyped integers that no
double represents exactly, and lone surrogates in typed text."""
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one entry of a fixture file; every error message starts with `where`."""

    where: str
    protocols: Protocols

    def case(self, entry: object, *, name: str, group: str, defaults: Mapping[str, tuple[object, Path]]) -> Case:
        members = self.members(entry, _CASE_KEYS, "a case")
        settings = {key: value for key, (value, _) in defaults.items()} | members
        protocol = self.protocol(members, defaults)
        mode = settings.get("mode", "lenient")
        if mode not in ("lenient", "strict"):
            raise self.error(f"mode {mode!r}; expected lenient or strict")
        if "tree" in members:
            return self.tree(members, protocol, name, group)
        type_name = settings.get("type")
        if not isinstance(type_name, str) or type_name not in protocol.model.declarations:
            raise self.error(f"type {type_name!r} is not declared in {protocol}")
        given = [key for key in _INPUTS if key in members]
        if len(given) != 1:
            raise self.error(f"found {' and '.join(given) or 'none'} of {', '.join(_INPUTS)}; expected exactly one")
        doc = self.text(members, "doc")
        if "expect" not in members:
            raise self.error("no `expect`: the case asserts nothing")
        made = partial(
            Case, name=name, group=group, kind="written", protocol=protocol, type=type_name, mode=mode, doc=doc
        )
        if "session" in members:
            return made(expect=(), script=self.script(members, protocol, type_name, mode))
        content = getattr(self, f"content_{given[0]}")(members[given[0]])
        if "framing" in content and (stated := content.pop("framing")) != (own := protocol.model.protocol.framing):
            raise self.error(f"the stream's framing is {stated!r}, and that of {protocol} is {own!r}: state this one")
        expected = _Expected(self, protocol, type_name, content.get("json"), content.get("chunks"))
        if content.get("only"):
            content["skipped"] = self.skipped(members["expect"])
        deviations = self.deviations(members, expected)
        return made(expect=expected.expect(members["expect"]), deviations=deviations, **content)

    def tree(self, members: Mapping[str, object], protocol: Protocol, name: str, group: str) -> Case:
        if extra := sorted(members.keys() - {"doc", "expect", "spec", "dialect", "tree"}):
            raise self.error(f"the case of a tree has {extra[0]}; its entries are of the type of the tree")
        try:
            tree = trees.read(members["tree"], members.get("expect"), protocol.model)
        except trees.TreeError as error:
            raise self.error(str(error)) from error
        return tree_case(protocol, tree, name=name, group=group, doc=self.text(members, "doc"))

    def script(self, members: Mapping[str, object], protocol: Protocol, type_name: str, mode: Mode) -> Script:
        if type_name != protocol.first_root or mode != "lenient":
            raise self.error(
                f"a session is of {protocol.first_root} in lenient mode, not of {type_name} in {mode} mode"
            )
        if "deviations" in members:
            raise self.error("a session has no deviations: what pairs requests with answers is the same everywhere")
        try:
            return script.read(members["session"], members["expect"], protocol.model)
        except script.ScriptError as error:
            raise self.error(str(error)) from error

    def protocol(self, members: Mapping[str, object], defaults: Mapping[str, tuple[object, Path]]) -> Protocol:
        own = Path(self.where.split(", case ")[0]).parent
        found = {key: defaults[key] for key in ("spec", "dialect") if key in defaults}
        found |= {key: (members[key], own) for key in ("spec", "dialect") if key in members}
        dialect, _ = found.get("dialect", (None, own))
        spec, folder = found.get("spec", (None, own))
        for key, value in (("spec", spec), ("dialect", dialect)):
            if not isinstance(value, str | None):
                raise self.error(f"{key} is {value!r}; expected text")
        try:
            if spec is None:
                return self.protocols.get(None, cast("str | None", dialect))
            return self.protocols.get(self.folder(cast("str", spec), folder), cast("str | None", dialect))
        except ValueError as error:
            raise self.error(str(error)) from error

    def folder(self, spec: str, start: Path) -> Path:
        """Return the spec's folder, relative to the nearest folder above the fixture that has it."""
        start = start.resolve()
        for above in (start, *start.parents):
            if (above / spec).is_dir():
                return above / spec
        raise self.error(f"spec {spec!r} is not a folder below any folder above the fixture")

    def content_input(self, value: object) -> dict[str, object]:
        try:
            return {"json": jsontext.write(value)}
        except (jsontext.JsonError, ValueError) as error:
            raise self.error(f"input: {error}") from error

    def content_raw(self, value: object) -> dict[str, object]:
        if not isinstance(value, str) or not jsontext.encodable(value):
            raise self.error("raw must be text that UTF-8 can hold; use bytes for anything else")
        return {"json": value}

    def content_bytes(self, value: object) -> dict[str, object]:
        return {"data": self.base64(value, "bytes")}

    def content_stream(self, value: object) -> dict[str, object]:
        stream = self.members(value, {"chunks", "framing", "limit", "only"}, "stream")
        chunks, limit, only = stream.get("chunks"), stream.get("limit"), stream.get("only", [])
        if not isinstance(chunks, list):
            raise self.error("stream has no list of chunks")
        if limit is not None and (type(limit) is not int or limit < 1):
            raise self.error(f"stream limit {limit!r}; expected a count of bytes")
        if not isinstance(only, list) or not all(isinstance(each, str) for each in only):
            raise self.error("`only` of a stream must be a list of types")
        return {
            "chunks": tuple(self.base64(chunk, "a chunk") for chunk in chunks),
            "framing": stream.get("framing", "ndjson"),
            "limit": limit,
            "only": tuple(only),
        }

    def skipped(self, value: object) -> int:
        skipped = self.members(value, {"items", "skipped"}, "expect of a stream").get("skipped")
        if type(skipped) is not int:
            raise self.error("expect of a stream with `only` has no number of `skipped` lines")
        return skipped

    def deviations(self, members: Mapping[str, object], expected: _Expected) -> dict[str, Deviation]:
        stated = members.get("deviations", {})
        if not isinstance(stated, dict):
            raise self.error("deviations must be an object by testee or language")
        found = {}
        for who, value in stated.items():
            entry = self.members(value, {"reason", "expect", "limit"}, f"deviation of {who}")
            reason = self.text(entry, "reason")
            if not reason or "expect" not in entry:
                raise self.error(f"deviation of {who} needs a reason and what to expect")
            limit = self.text(entry, "limit")
            if limit not in {None, *LIMITS}:
                raise self.error(
                    f"limit {limit!r} of the deviation of {who}; expected one of {', '.join(sorted(LIMITS))}"
                )
            found[who] = Deviation(reason, expected.expect(entry["expect"]), limit)
        return found

    def base64(self, value: object, what: str) -> str:
        try:
            if isinstance(value, str):
                base64.b64decode(value, validate=True)
                return value
        except binascii.Error:
            pass
        raise self.error(f"{what} must be base64 text")

    def text(self, members: Mapping[str, object], key: str) -> str | None:
        value = members.get(key)
        if not isinstance(value, str | None):
            raise self.error(f"{key} must be text")
        return value

    def members(self, value: object, keys: Iterable[str], what: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self.error(f"{what} must be an object")
        if extra := sorted(value.keys() - set(keys)):
            raise self.error(f"{what} has unknown key {extra[0]!r}; expected some of {', '.join(sorted(keys))}")
        return value

    def error(self, message: str) -> CaseError:
        return CaseError(f"{self.where}: {message}")


@dataclass(frozen=True, slots=True)
class _Expected:
    """Reads the outcome that a case or a deviation expects; without an expected output, the input is expected back."""

    reader: _Reader
    protocol: Protocol
    type: str
    json: str | None
    chunks: tuple[str, ...] | None

    def expect(self, value: object) -> Expect | tuple[Expect, ...]:
        if self.chunks is None:
            members = self.reader.members(value, _OUTCOME_KEYS | {"error", "any"}, "expect")
            return Expect(self.outcomes(members, self.json))
        items = self.reader.members(value, {"items", "skipped"}, "expect of a stream").get("items")
        if not isinstance(items, list):
            raise self.reader.error("expect of a stream has no list of items")
        messages = messages_of(self.protocol, self.chunks)
        return tuple(self.item(item, messages) for item in items)

    def item(self, value: object, messages: list[bytes]) -> Expect:
        members = dict(self.reader.members(value, _ITEM_KEYS, "an item"))
        line = members.pop("line", None)
        if type(line) is not int or not 1 <= line <= len(messages):
            raise self.reader.error(f"an item's line is {line!r}; the stream has {counted(len(messages), 'message')}")
        raw = members.pop("raw", None)
        own = messages[line - 1].decode("utf-8", "replace")
        outcomes = self.outcomes(members, own)
        if raw is not None and all(outcome.ok for outcome in outcomes):
            raise self.reader.error("only an item that is an error has a raw line")
        return Expect(outcomes, line=line, raw=None if raw is None else self.reader.base64(raw, "raw"))

    def outcomes(self, members: Mapping[str, object], own: str | None) -> tuple[Outcome, ...]:
        if "any" not in members:
            return (self.outcome(members, own),)
        listed = members["any"]
        if len(members) > 1 or not isinstance(listed, list) or len(listed) < 2:
            raise self.reader.error("any must be a list of two outcomes or more, with nothing beside it")
        keys = _OUTCOME_KEYS | {"error"}
        found = tuple(self.outcome(self.reader.members(each, keys, "an outcome"), own) for each in listed)
        if len(set(found)) < len(found):
            raise self.reader.error("an outcome is listed twice")
        return found

    def outcome(self, members: Mapping[str, object], own: str | None) -> Outcome:
        if not members:
            raise self.reader.error("expect is empty: the case asserts nothing")
        if "error" in members:
            if len(members) > 1:
                raise self.reader.error("an error has no other outcome beside it")
            return Outcome(error=self.error(members["error"]))
        return Outcome(
            variant=self.variant(members),
            output=self.output(members, own),
            text=self.reader.text(members, "text"),
            unknown=self.unknown(members),
        )

    def error(self, value: object) -> tuple[str, str]:
        members = self.reader.members(value, {"code", "path"}, "error")
        code, path = members.get("code"), members.get("path")
        if not isinstance(code, str) or code not in CODES:
            raise self.reader.error(f"error code {code!r}; expected one of {', '.join(sorted(CODES))}")
        if not isinstance(path, str) or (path and not path.startswith("/")):
            raise self.reader.error(f"error path {path!r}; expected a JSON Pointer")
        return code, path

    def variant(self, members: Mapping[str, object]) -> str:
        variant = self.reader.text(members, "variant")
        if variant is None and self.protocol.is_union(self.type):
            raise self.reader.error(f"no variant, and {self.type} is a union: state which one is right")
        known = variant is None or variant == "Unknown" or variant in self.protocol.model.declarations
        if not known:
            raise self.reader.error(f"variant {variant!r} is not declared in {self.protocol}")
        return self.type if variant is None else variant

    def output(self, members: Mapping[str, object], own: str | None) -> str | None:
        if "output" in members:
            return jsontext.write(members["output"])
        if "text" in members:
            return None
        if own is None:
            raise self.reader.error("the output of bytes must be given")
        try:
            jsontext.read(own)
        except jsontext.JsonError as error:
            raise self.reader.error(f"the input cannot be used as the output ({error}): give output or text") from error
        return own

    def unknown(self, members: Mapping[str, object]) -> tuple[str, ...]:
        unknown = members.get("unknown", [])
        if not isinstance(unknown, list) or not all(isinstance(p, str) and p[:1] in ("", "/") for p in unknown):
            raise self.reader.error("unknown must be a list of JSON Pointers")
        if unknown != sorted(unknown):
            raise self.reader.error("unknown must be sorted")
        return tuple(unknown)
