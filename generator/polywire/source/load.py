"""A spec's files → `Source`: every file read and checked for form, nothing resolved yet.

`protocol.yaml` is the entry and names the parts; a dialect is `dialects/NAME.yaml`. Every problem becomes a finding; no
content of a file makes this code raise, or read outside the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from polywire.ground.find import ENTRY
from polywire.ground.finding import Finding
from polywire.ground.location import SourceLocation
from polywire.source import grammar, jsontext, tree
from polywire.source.files import Files, Folder, UnsafeFileError
from polywire.source.grammar import Record
from polywire.source.reader import check
from polywire.source.report import Faults
from polywire.source.tree import Listing, Node, Table, Text

DIALECTS = "dialects"
_OTHERS = {DIALECTS: ".yml", "releases": "/"}
"""Folders with YAML files that are no parts, and how the name of a file ends that is not read there either."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the spec, reduced to what fits the grammar."""

    file: str
    """Its path relative to the folder, with `/`."""
    root: Table


@dataclass(frozen=True, slots=True)
class Sample:
    """A JSON value of an example file: its compact text and its location in the file."""

    text: str
    place: SourceLocation


@dataclass(frozen=True, slots=True)
class Source:
    """Everything that the files of a spec contain."""

    at: Files
    """Where it was read from."""
    dialect: str | None
    entry: Document | None
    """None if it could not be read; then there is nothing to build."""
    parts: tuple[Document, ...]
    """The documents that contain declarations: the entry, if it could be read, and the parts, in order."""
    overlays: tuple[Document, ...]
    """The overlays of the dialect, in the order in which they are applied to the spec."""
    license: str | None
    """The text of the file that `packages.license_file` names."""
    samples: Mapping[str, tuple[Sample, ...]]
    """The contents of example files, by path."""
    texts: Mapping[str, str]
    """The text of every file that is valid text, by path, in the order in which the files were read."""
    files: Mapping[str, bytes]
    """Every file that was read, by path."""
    complete: bool
    """Whether every file could be read as YAML. If not, a name that seems undeclared may be declared after all."""
    lost: frozenset[str]
    """Names of declarations that could not be read."""
    strays: Mapping[str, str]
    """Names that YAML files beside the parts declare, each with its file."""
    findings: tuple[Finding, ...]

    @property
    def folder(self) -> Path:
        """The folder of the spec, as shown to people."""
        return self.at.folder

    @property
    def spec_hash(self) -> str:
        """SHA-256 of all files, in hexadecimal."""
        total = hashlib.sha256()
        for file, data in sorted(self.files.items()):
            for part in (file.encode("utf-8", "surrogateescape"), data):
                total.update(len(part).to_bytes(8, "big"))
                total.update(part)
        return total.hexdigest()


def load(files: Path | Files, dialect: str | None = None) -> Source:
    """Read the spec in a folder, and the overlays of `dialect` if given."""
    proper = _Loader(_files(files)).run()
    return proper if dialect is None else in_dialect(proper, dialect)


def in_dialect(proper: Source, dialect: str) -> Source:
    """The source of a dialect of a spec that is already read; the files of the spec are not read again."""
    return _Loader(proper.at, proper).run(dialect)


def dialects(files: Path | Files) -> list[str]:
    """The names of a spec's dialects, sorted."""
    names = _files(files).names(DIALECTS)
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def _files(given: Path | Files) -> Files:
    return Folder(given) if isinstance(given, Path) else given


class _Loader:
    """Reads each file once and keeps its content."""

    def __init__(self, at: Files, before: Source | None = None) -> None:
        self._at = at
        self._before = before
        self._faults = Faults(before.findings if before else ())
        self._texts: dict[str, str] = dict(before.texts) if before else {}
        self._bytes: dict[str, bytes] = dict(before.files) if before else {}
        self._samples: dict[str, tuple[Sample, ...]] = dict(before.samples) if before else {}
        self._license: str | None = before.license if before else None
        self._sample_paths: list[Text] = []
        self._complete = before.complete if before else True
        self._lost: set[str] = set(before.lost) if before else set()
        self._strays: dict[str, str] = dict(before.strays) if before else {}

    def run(self, dialect: str | None = None) -> Source:
        entry, parts = (self._before.entry, self._before.parts) if self._before else self._proper()
        overlays = tuple(self._overlays(dialect)) if dialect is not None else ()
        self._read_samples()
        return Source(
            at=self._at,
            dialect=dialect,
            entry=entry,
            parts=parts,
            overlays=overlays,
            license=self._license,
            samples=self._samples,
            texts=self._texts,
            files=self._bytes,
            complete=self._complete,
            lost=frozenset(self._lost),
            strays=self._strays,
            findings=self._faults.sorted(list(self._bytes)),
        )

    def _proper(self) -> tuple[Document | None, tuple[Document, ...]]:
        entry = self._document(ENTRY, grammar.ENTRY, SourceLocation(ENTRY, 1, 1))
        self._license = self._text_of_license(entry)
        documents = tuple(p for p in (entry, *self._parts(entry)) if p is not None)
        if entry is not None:
            self._find_strays()
        return entry, documents

    def _find_strays(self) -> None:
        """Report YAML files beside the entry and the parts that are none themselves, and note what they declare."""
        folders = dict.fromkeys((*(file.rpartition("/")[0] for file in self._bytes), DIALECTS))
        for folder in folders:
            for name in sorted(self._at.names(folder)):
                file = f"{folder}/{name}" if folder else name
                endings = _OTHERS.get(folder, (".yaml", ".yml"))
                if name.startswith(".") or not name.endswith(endings) or file in self._bytes:
                    continue
                try:
                    data = self._at.read(file, tree.MAX_BYTES)
                except (OSError, UnsafeFileError):
                    continue
                message = f"{file} is not one of the `parts`, so nothing in it is read"
                hint = "call it `.yaml` if it is a dialect" if folder == DIALECTS else "add it to `parts`, or move it"
                self._faults.add("unused-file", SourceLocation(file, 1, 1), message, hint)
                root = tree.read(data, file, Faults())
                for section in root if isinstance(root, Table) else ():
                    names = section.value if section.key.text in grammar.PART.keys else None
                    self._strays |= {entry.key.text: file for entry in names} if isinstance(names, Table) else {}

    def _parts(self, entry: Document | None) -> Iterator[Document | None]:
        listing = entry and entry.root.get("parts")
        paths = listing.items if isinstance(listing, Listing) else ()
        for item in (path for path in paths if isinstance(path, Text)):
            file = self._inside(item)
            if file is None:
                self._complete = False
            elif file in self._bytes:
                self._faults.add("duplicate-name", item.place, f"{file} is already included")
            else:
                yield self._document(file, grammar.PART, item.place)

    def _text_of_license(self, entry: Document | None) -> str | None:
        packages = entry and entry.root.get("packages")
        path = packages.get("license_file") if isinstance(packages, Table) else None
        file = self._inside(path) if isinstance(path, Text) else None
        data = self._read(file, path.place) if file is not None and isinstance(path, Text) else None
        text = None if data is None or file is None else tree.decode(data, file, self._faults)
        return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")

    def _overlays(self, dialect: str) -> list[Document]:
        """The overlays of a dialect: its own, preceded by those that it is based on."""
        if not grammar.PATTERNS["package"].fullmatch(dialect):
            self._complete = False
            self._faults.add("bad-path", SourceLocation(ENTRY, 1, 1), f"`{dialect}` cannot be the name of a dialect")
            return []
        found: list[Document] = []
        asked: Text | None = Text(dialect, place=SourceLocation(f"{DIALECTS}/{dialect}.yaml", 1, 1))
        while asked is not None:
            file = f"{DIALECTS}/{asked.text}.yaml"
            if any(document.file == file for document in found):
                self._faults.add("overlay-cycle", asked.place, f"`{asked.text}` is based on itself")
                break
            document = self._overlay(asked.text, file, asked.place)
            found += [document] if document else []
            over = document and document.root.get("over")
            asked = over if isinstance(over, Text) else None
        return found[::-1]

    def _overlay(self, dialect: str, file: str, asked: SourceLocation) -> Document | None:
        document = self._document(file, grammar.DIALECT, asked)
        name = document and document.root.get("dialect")
        if isinstance(name, Text) and name.text != dialect:
            self._faults.add(
                "bad-name", name.place, f"the file is named {dialect}, but the dialect in it `{name.text}`"
            )
        return document

    def _document(self, file: str, shape: Record, asked: SourceLocation) -> Document | None:
        data = self._read(file, asked)
        node = None if data is None else self._parse(data, file)
        if node is None:
            self._complete = False
            return None
        checked = check(node, shape, self._faults, f"the {shape.name}")
        if not isinstance(checked.node, Table):
            self._complete = False
            return None
        self._sample_paths += checked.files
        self._lost |= checked.lost
        return Document(file, checked.node)

    def _parse(self, data: bytes, file: str) -> Node | None:
        before = len(self._faults.found)
        node = tree.read(data, file, self._faults)
        if node is None and len(self._faults.found) == before:
            self._faults.add("null-value", SourceLocation(file, 1, 1), "the file is empty")
        return node

    # --- files ---

    def _inside(self, path: Text) -> str | None:
        """The normalized path if it stays inside the folder; otherwise None, with a finding."""
        pure = PurePosixPath(path.text)
        if pure.is_absolute() or ".." in pure.parts or ":" in path.text or pure == PurePosixPath("."):
            self._faults.add("bad-path", path.place, f"`{path.text}` is not a path below the spec's folder")
            return None
        return str(pure)

    def _read(self, file: str, asked: SourceLocation) -> bytes | None:
        try:
            data = self._at.read(file, tree.MAX_BYTES + 1)
        except UnsafeFileError as error:
            self._faults.add("bad-path", asked, str(error))
            return None
        except OSError as error:
            self._faults.add("missing-file", asked, f"{file} cannot be read: {error.strerror}", self._instead(file))
            return None
        self._bytes[file] = data
        text = tree.decode(data, file, Faults())
        if text is not None:
            self._texts[file] = text
        return data

    def _instead(self, file: str) -> str | None:
        """A hint on what may have been meant by a missing file."""
        if file == ENTRY:
            return f"a spec is a folder with a {ENTRY}"
        folder, slash, _ = file.rpartition("/")
        beside = {f"{folder}{slash}{name}" for name in self._at.names(folder)}
        return self._faults.near(file, sorted(beside)) if file not in beside else None

    # --- examples in files ---

    def _read_samples(self) -> None:
        for place in self._sample_paths:
            file = self._inside(place)
            if file is not None and file not in self._samples:
                self._samples[file] = tuple(self._sample(file, place.place))

    def _sample(self, file: str, asked: SourceLocation) -> Iterator[Sample]:
        data = self._read(file, asked)
        text = None if data is None else tree.decode(data, file, self._faults)
        if text is None:
            return
        lines = text.split("\n") if file.endswith(".ndjson") else [text]
        for number, line in enumerate(lines, 1):
            if not line.strip() and len(lines) > 1:
                continue
            try:
                yield Sample(jsontext.compact(line), SourceLocation(file, number, 1))
            except jsontext.JsonTextError as error:
                place = tree.place_at(line[: error.index], file)
                place = SourceLocation(file, place.line + number - 1, place.column)
                self._faults.add("bad-json", place, f"no JSON value: {error}")
