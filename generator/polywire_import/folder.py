"""A description, and the folder of an earlier import → files of a spec, merged with manual edits made since.

A record of what the last import wrote is kept next to the spec. It distinguishes edits from changes in the source:
edits stay, changes are applied, and if both affect the same thing, the edit stays and the change is reported.
Declarations that only one side changed keep their text, comments included.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polywire.ground.parsing import json_value
from polywire.source.report import Faults
from polywire.source.tree import Node, Table, Text, read
from polywire.targets.python.names import VOCABULARY
from polywire_import.describe import Description
from polywire_import.draft import Entry
from polywire_import.merging import Change, merge, to_tree
from polywire_import.shapes import ImportingError
from polywire_import.yamltext import Tree, entry

RECORD = "import.json"
ENTRY = "protocol.yaml"
_HEAD = "# Imported by polywire. You can edit it: importing again keeps your edits, and lists changes in the source.\n"
_SECTIONS = ("enums", "aliases", "types", "unions", "messages", "controls")
_PREFIX = "area-"


@dataclass(frozen=True, slots=True)
class Files:
    """The new state of a folder: text by file name, the changes since the last import, and the record for the next."""

    texts: Mapping[str, str]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """The arguments and the output of the last import: `entries` holds YAML text by section and name."""

    arguments: Mapping[str, object]
    entries: Mapping[str, str]


def recorded(folder: Path) -> Record | None:
    """Return the record of the last import into a folder, if there is one."""
    path = folder / RECORD
    if not path.exists():
        return None
    try:
        document = json_value(path.read_bytes())
        return Record(dict(document["told"]), {str(key): str(value) for key, value in document["entries"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImportingError(f"{path}: the record of the last import cannot be read; restore it, or import into another"
                             " folder") from error  # fmt: skip


def files(description: Description, folder: Path, arguments: Mapping[str, object]) -> Files:
    """Return the files of a spec. Raises `ImportingError` if the folder has a spec that no import wrote."""
    before = recorded(folder)
    wanted = {key: _laid_out(key, name, value) for key, name, value in _blocks(description)}
    record = json.dumps({"told": arguments, "entries": wanted}, ensure_ascii=False, indent=1) + "\n"
    homes = _homes(description)
    if before is None:
        texts = dict(_fresh(description, homes))
        _refuse_foreign(folder, [ENTRY, *texts])
        return Files({**texts, RECORD: record}, ())
    merged = _Merge(folder, before.entries, wanted, homes)
    return Files({**merged.run(), RECORD: record}, tuple(merged.changes))


def fresh(description: Description) -> Mapping[str, str]:
    """Return the files of a spec in a new folder."""
    return dict(_fresh(description, _homes(description)))


def _refuse_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise `ImportingError` if a file to be created already exists."""
    for name in names:
        if (folder / name).exists():
            raise ImportingError(f"{folder / name} exists, but was not imported: move it, or choose another folder")


def write(result: Files, folder: Path) -> list[str]:
    """Write the files that differ, each atomically; return the names of the files written."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    top = folder.resolve()
    for name, text in result.texts.items():
        path = folder / name
        if not path.resolve().is_relative_to(top):
            raise ImportingError(f"{path} leads out of {folder}; nothing is written through it")
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if not text.strip():
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
        written.append(name)
    return written


def _laid_out(key: str, name: str, value: Tree) -> str:
    """Return a block as written below its section, without indentation: quoting depends on the available width."""
    indent = 2 if " " in key else 0
    return "".join(line[indent:] or line for line in entry(name, value, indent).splitlines(keepends=True))


# --- a new folder ----------------------------------------------------------------------------------------------


def _header(description: Description) -> dict[str, Tree]:
    protocol: dict[str, Tree] = {"name": "imported", "title": "Imported protocol", "version": "1", "framing": "ndjson"}
    protocol |= description.protocol
    protocol.setdefault("peers", ["client", "server"])
    first = ("name", "title", "doc", "version", "framing", "peers", "roots")
    return {**{key: protocol[key] for key in first if key in protocol}, **protocol}


def _blocks(description: Description) -> Iterator[tuple[str, str, Tree]]:
    """Yield everything that is merged separately: its key in the record, its key in the file, and its contents."""
    yield "protocol", "protocol", _header(description)
    if description.packages:
        yield "packages", "packages", dict(description.packages)
    for each in description.entries:
        yield f"{each.section} {each.name}", each.name, dict(each.body)


def _fresh(description: Description, homes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    parts = [*dict.fromkeys(homes.values())]
    head = [entry("polywire", 1), entry("protocol", _header(description))]
    if description.packages:
        head.append(entry("packages", dict(description.packages)))
    yield ENTRY, _HEAD + "".join([*head, entry("parts", list(parts))])
    for part in parts:
        yield part, _part(each for each in description.entries if homes[f"{each.section} {each.name}"] == part)


def _part(entries: Iterable[Entry]) -> str:
    by_section: dict[str, list[Entry]] = {}
    for each in entries:
        by_section.setdefault(each.section, []).append(each)
    rows = []
    for section in sorted(by_section, key=_SECTIONS.index):
        blocks = [entry(each.name, dict(each.body), 2) for each in by_section[section]]
        rows.append(f"{section}:\n" + "\n".join(blocks))
    return "\n".join(rows)


def _homes(description: Description) -> dict[str, str]:
    """Return the part for each declaration: the area of the calls that alone lead to it, else one for its kind."""
    named = {each.name: each for each in description.entries if each.section != "controls"}
    areas: dict[str, set[str]] = {}
    for call in (each for each in description.entries if each.section == "controls"):
        for name in _reached(call.uses, named):
            areas.setdefault(name, set()).add(call.area)
    roots = description.protocol.get("roots")
    shared = set(_reached(map(str, roots if isinstance(roots, list) else ()), named))
    homes = {}
    for each in description.entries:
        key = f"{each.section} {each.name}"
        if each.section == "controls":
            homes[key] = _file(each.area) or "calls.yaml"
        elif each.name not in shared and len(areas.get(each.name, ())) == 1:
            homes[key] = _file(next(iter(areas[each.name]))) or "calls.yaml"
        else:
            homes[key] = "enums.yaml" if each.section == "enums" else _plain_home(each.section)
    order = ["messages.yaml", "enums.yaml", "types.yaml", "calls.yaml"]
    return dict(sorted(homes.items(), key=lambda item: order.index(item[1]) if item[1] in order else len(order)))


def _plain_home(section: str) -> str:
    return "messages.yaml" if section == "messages" else "types.yaml"


def _reached(start: Iterable[str], named: Mapping[str, Entry]) -> Iterator[str]:
    seen: set[str] = set()
    stack = [name for name in start if name in named]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            yield name
            stack.extend(each for each in named[name].uses if each in named)


def _file(area: str) -> str | None:
    """Return the file for an area: letters, digits and dashes only, and different from all other files and exports."""
    stem = re.sub(r"[^a-z0-9]+", "-", area.lower())[:40].strip("-")
    if not stem:
        return None
    taken = {"protocol", "messages", "enums", "types", "calls", "dialects", "con", "nul", "aux", "prn"}
    return f"{_PREFIX if stem in taken | VOCABULARY.offered else ''}{stem}.yaml"


# --- an existing folder ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """A file of the folder: its lines and its tree."""

    lines: list[str]
    root: Table


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a declaration is written: file, section (empty for a top-level key), and its key."""

    file: str
    section: str
    name: str


class _Merge:
    def __init__(
        self, folder: Path, base: Mapping[str, str], wanted: Mapping[str, str], homes: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._base = base
        self._wanted = wanted
        self._homes = homes
        self._parts = dict(self._read())
        self._places = dict(self._found())
        self._edits: dict[str, list[tuple[int, int, str]]] = {}
        self._new: dict[str, dict[str, list[str]]] = {}
        self.changes: list[Change] = []

    def run(self) -> dict[str, str]:
        for key in dict.fromkeys([*self._base, *self._wanted]):
            self._one(key)
        texts = {file: self._edited(file, part) for file, part in self._parts.items()}
        added = [file for file in self._new if file not in self._parts]
        _refuse_foreign(self._folder, added)
        texts |= {file: self._appended("", self._new[file]) for file in added}
        tables = {file: read(text.encode(), file, Faults()) for file, text in texts.items()}
        empty = [file for file in texts if file != ENTRY and not isinstance(tables[file], Table)]
        if added or empty:
            texts[ENTRY] = self._with_parts(texts[ENTRY], added, empty)
        for file in empty:
            self._say("removed", file, "it has no declarations left")
        return texts

    # --- reading ---

    def _read(self) -> Iterator[tuple[str, _Part]]:
        entry_ = self._part(ENTRY)
        yield ENTRY, entry_
        parts = entry_.root.get("parts")
        for item in getattr(parts, "items", ()):
            if isinstance(item, Text):
                yield item.text, self._part(item.text)

    def _part(self, name: str) -> _Part:
        path = self._folder / name
        if not path.resolve().is_relative_to(self._folder.resolve()):
            raise ImportingError(f"{path} leads out of {self._folder}")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ImportingError(f"{path}: {error.strerror or error}; the last import wrote it") from error
        faults = Faults()
        root = read(data, name, faults)
        if faults.found:
            raise ImportingError(
                "\n".join(f"{self._folder / str(each.place)}: {each.message}" for each in faults.found)
            )
        text = data.decode("utf-8")
        return _Part(text.splitlines(keepends=True), root if isinstance(root, Table) else Table({}))

    def _found(self) -> Iterator[tuple[str, _Place]]:
        for file, part in self._parts.items():
            for top in part.root:
                if top.key.text in {"protocol", "packages"} and file == ENTRY:
                    yield top.key.text, _Place(file, "", top.key.text)
                elif isinstance(top.value, Table):
                    for each in top.value:
                        yield f"{top.key.text} {each.key.text}", _Place(file, top.key.text, each.key.text)

    # --- one declaration ---

    def _one(self, key: str) -> None:
        base, wanted = _node(self._base.get(key)), _node(self._wanted.get(key))
        place = self._places.get(key)
        ours = self._ours(place)
        if wanted is None:
            self._gone(key, base, ours, place)
        elif ours is None:
            self._come(key, base, wanted)
        elif ours == wanted or wanted == base:
            if ours != base and wanted == base:
                self._say("kept", key, "edited here")
        elif ours == base:
            self._say("changed", key, *_differences(base, wanted))
            self._replace(place, self._wanted[key])
        else:
            merged, changes = merge(base, ours, wanted)
            for change in changes:
                self._say(change.kind, f"{key} {change.what}".rstrip(), change.detail)
            if merged != ours:
                name = key.partition(" ")[2] or key
                self._replace(place, _laid_out(key, name, to_tree(merged)))

    def _ours(self, place: _Place | None) -> Node | None:
        if place is None:
            return None
        top = self._parts[place.file].root.get(place.section or place.name)
        return top.get(place.name) if place.section and isinstance(top, Table) else top

    def _gone(self, key: str, base: Node | None, ours: Node | None, place: _Place | None) -> None:
        if ours is None or base is None:
            return
        if ours != base:
            self._say("conflict", key, "no longer in the source; kept, since it was edited")
            return
        self._say("removed", key, "no longer in the source")
        self._replace(place, "")

    def _come(self, key: str, base: Node | None, wanted: Node) -> None:
        if base is not None:
            if wanted != base:
                self._say("conflict", key, "changed at the source; it was taken out here, and stays so")
            return
        self._say("added", key, "")
        section, _, _ = key.partition(" ")
        if key in self._homes:
            self._new.setdefault(self._homes[key], {}).setdefault(section, []).append(self._wanted[key])
        else:
            self._edits.setdefault(ENTRY, []).append((len(self._parts[ENTRY].lines),) * 2 + (self._wanted[key],))

    def _say(self, kind: Literal["added", "removed", "changed", "kept", "conflict"], what: str, *details: str) -> None:
        self.changes.append(Change(kind, what, "; ".join(filter(None, details))))

    # --- text ---

    def _replace(self, place: _Place | None, text: str) -> None:
        if place is None:
            return
        start, end = self._extent(place)
        indent = 0 if not place.section else self._column(place)
        pad = " " * indent
        body = "".join(pad + line if line.strip() else line for line in text.splitlines(keepends=True))
        self._edits.setdefault(place.file, []).append((start, end, body))

    def _column(self, place: _Place) -> int:
        top = self._parts[place.file].root.get(place.section)
        return top.entries[place.name].key.place.column - 1 if isinstance(top, Table) else 2

    def _extent(self, place: _Place) -> tuple[int, int]:
        """Return the lines of a declaration: from its key to the next key, less trailing blank lines and comments."""
        part = self._parts[place.file]
        starts = sorted(
            {e.key.place.line for top in part.root for e in (top, *(top.value if isinstance(top.value, Table) else ()))}
        )
        top = part.root.entries[place.section or place.name]
        key = top.value.entries[place.name].key if place.section and isinstance(top.value, Table) else top.key
        own = key.place.line
        if place.section and (own == top.key.place.line or self._shares_line(top.value, own, place.name)):
            raise ImportingError(
                f"{self._folder / place.file}:{own}: {place.name} shares its line with others; put each declaration"
                " on separate lines, so that the import can change it"
            )
        inner = {e.key.place.line for e in top.value} if not place.section and isinstance(top.value, Table) else set()
        end = next((line for line in starts if line > own and line not in inner), len(part.lines) + 1) - 1
        while end > own and re.match(r"\s*(#|$)", part.lines[end - 1]):
            end -= 1
        return own - 1, end

    @staticmethod
    def _shares_line(table: Node, line: int, name: str) -> bool:
        return isinstance(table, Table) and any(e.key.place.line == line and e.key.text != name for e in table)

    def _edited(self, file: str, part: _Part) -> str:
        lines = part.lines
        for start, end, text in sorted(self._edits.get(file, []), reverse=True):
            after = end
            if not text and after < len(lines) and not lines[after].strip():
                after += 1
            lines[start:after] = [text]
        text = "".join(lines)
        text = _without_empty_sections(text)
        return self._appended(text, self._new.get(file, {}))

    def _appended(self, text: str, sections: Mapping[str, list[str]]) -> str:
        """Return a file with declarations added at the end of each section."""
        for section, blocks in sections.items():
            lines = text.splitlines(keepends=True)
            if lines and not lines[-1].endswith("\n"):
                lines[-1] += "\n"
            at = _end_of_section(lines, section)
            if at is None:
                lines += [*(["\n"] if lines else []), f"{section}:\n"]
                at = len(lines)
                first = True
            else:
                first = False
            added = []
            for block in blocks:
                added += [] if first else ["\n"]
                first = False
                added += ["  " + line if line.strip() else line for line in block.splitlines(keepends=True)]
            lines[at:at] = added
            text = "".join(lines)
        return text

    def _with_parts(self, text: str, added: list[str], empty: list[str]) -> str:
        faults = Faults()
        root = read(text.encode(), ENTRY, faults)
        parts = root.get("parts") if isinstance(root, Table) else None
        known = [item.text for item in getattr(parts, "items", ()) if isinstance(item, Text)]
        part = _Part(text.splitlines(keepends=True), root if isinstance(root, Table) else Table({}))
        self._parts[ENTRY] = part
        block = entry("parts", [file for file in (*known, *added) if file not in empty])
        if parts is None:
            return text + block
        start, end = self._extent(_Place(ENTRY, "", "parts"))
        part.lines[start:end] = [block]
        return "".join(part.lines)


def _node(text: str | None) -> Node | None:
    """Return the value of the only key of a block."""
    if text is None:
        return None
    root = read(text.encode("utf-8", "replace"), RECORD, Faults())
    return next((each.value for each in root), None) if isinstance(root, Table) else None


def _differences(base: Node | None, wanted: Node) -> list[str]:
    _, changes = merge(base, base, wanted)
    shown = [f"{change.what} {change.kind}".strip() for change in changes]
    return shown[:6] + ([f"and {len(shown) - 6} more"] if len(shown) > 6 else [])


def _end_of_section(lines: list[str], section: str) -> int | None:
    """Return the line after the end of a section in block style; None if the file has no such section."""
    starts = [n for n, line in enumerate(lines) if re.match(r"[A-Za-z\"']", line)]
    for number, start in enumerate(starts):
        if re.match(rf"{section}:\s*(#.*)?$", lines[start]):
            end = starts[number + 1] if number + 1 < len(starts) else len(lines)
            while end > start + 1 and not lines[end - 1].strip():
                end -= 1
            return end
    return None


def _without_empty_sections(text: str) -> str:
    """Return the text without sections that have become empty."""
    return re.sub(rf"(?m)^({'|'.join(_SECTIONS)}):[ \t]*\n(?=\s*(?:^[a-z]|\Z))", "", text)
