"""A release between two described ones → a patch with the changes between these that it already includes.

The spec says about every change between two neighbours that it came with the later one, or that something existed until
the earlier one. At first the release is assumed to equal the earlier neighbour; where its snapshot differs, it is like
the later one, and the bound is moved. Nothing is drafted anew. A move reveals differences inside what was moved, so
this is repeated until nothing moves.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from polywire.ground.location import SourceLocation
from polywire.model.build import Builder
from polywire.model.nodes import Control, Enum, Model, Struct, Union
from polywire.model.releases import Span
from polywire.model.walk import refs, structs_of
from polywire.source.hiding import LOADER
from polywire.source.load import load
from polywire_upstream import yamledit
from polywire_upstream.compare import Difference, cut
from polywire_upstream.config import patch
from polywire_upstream.draft import Question
from polywire_upstream.follow import Followed, Step
from polywire_upstream.yamledit import EditError

Place = tuple[str, int, int]
"""A file, a line and a column, both from 1."""

_ROUNDS = 12
"""Each round shows one more level of nesting; no spec nests as deep as this."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A release, and the two described releases that it is between."""

    before: str
    release: str
    after: str


@dataclass(frozen=True, slots=True)
class _Bound:
    """The text of a `since` or `until` that makes the release equal to the earlier neighbour.

    Replacing it with `put` makes the release equal to the later one.
    """

    file: str
    start: int
    end: int
    put: str


@dataclass(slots=True)
class _Round:
    """The texts of a spec, in some of which bounds were moved."""

    texts: Mapping[str, str]
    model: Model
    bounds: Mapping[Place, tuple[_Bound, ...]]
    """By the place of the entry that contains them."""
    moved: dict[_Bound, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """The declarations that were moved."""

    def move(self, place: Place) -> None:
        """Move the bounds of an entry, if it has any."""
        self.moved.update(dict.fromkeys(self.bounds.get(place, ())))


def follow(
    spec: Path,
    at: Neighbours,
    announced: str | None,
    differences: Callable[[Model], tuple[list[Difference], Mapping[str, str]]],
) -> Followed:
    """Return the patch for a release, and what has to be done by hand.

    `differences` returns the differences between a model at the release and the declarations, and the spec's names of
    these.
    """
    return _Between(spec, at, differences).run(announced)


class _Between:
    def __init__(
        self,
        spec: Path,
        at: Neighbours,
        differences: Callable[[Model], tuple[list[Difference], Mapping[str, str]]],
    ) -> None:
        self._at = at
        self._differences = differences
        self._written = dict(load(spec).texts)
        models = _models(self._written, (at.after, at.before))
        self._later, self._earlier = models[at.after], models[at.before]
        self._undone: dict[Difference, str] = {}
        self._names: Mapping[str, str] = {}
        self._settled: set[tuple[str, ...]] = set()
        """The file and the path of entries whose bounds went too far and were moved back; they are not moved again."""

    def run(self, announced: str | None) -> Followed:
        texts = _listed(self._written, self._at, announced)
        first: list[Difference] | None = None
        for _ in range(_ROUNDS):
            now = _Round(texts, _models(texts, (self._at.release,))[self._at.release], self._bounds(texts))
            found, self._names = self._differences(now.model)
            first = found if first is None else first
            self._undone = {}
            changed = self._changed(now, found)
            if changed == texts:
                break
            texts = changed
        else:
            raise EditError(f"its changes are not settled after {_ROUNDS} rounds")
        for each in found:
            self._undone.setdefault(each, f"{each.rule}: {_neither(each)}")
        left = [_left(each, why) for each, why in self._undone.items()]
        untold = list(_untold(texts, self._at))
        diff = "".join(patch(name, self._written[name], after) for name, after in sorted(texts.items()))
        step = Step(self._at.before, self._at.release)
        return Followed(step, diff, [*left, *untold], [], first or [], [*self._undone])

    def _bounds(self, texts: Mapping[str, str]) -> dict[Place, tuple[_Bound, ...]]:
        """Return the bounds that can be moved, without those that were moved back."""
        found = _bounds(texts, self._at)
        for file, *path in self._settled:
            mark = yamledit.find(texts[file], path)[0].start_mark
            found.pop((file, mark.line + 1, mark.column + 1), None)
        return found

    def _changed(self, now: _Round, found: Sequence[Difference]) -> dict[str, str]:
        """Return the texts changed for some differences: bounds are moved or, if none is left to move, set."""
        for each in found:
            self._move(now, each)
        if now.moved:
            return _spliced(now.texts, now.moved)
        texts = dict(now.texts)
        for each in found:
            self._say(texts, now, each)
        return texts

    def _say(self, texts: dict[str, str], now: _Round, each: Difference) -> None:
        """Describe the release in an entry that has no bound to move."""
        if self._back(texts, now, each):
            return
        try:
            file, path = self._entry(now, each)
            main, key, value = self._text_of(each)
            texts[file] = self._with_entry(texts[file], file, path, main, key, value)
        except EditError as error:
            parts = self._in_part(now, each)
            self._undone[each] = f"{each.rule}: {parts or error}"

    def _with_entry(self, text: str, file: str, path: list[str], main: str, key: str, value: str) -> str:
        """Return the text with a key added to an entry, or a bound that went too far moved back to the later one."""
        if not yamledit.has(text, [*path, key]):
            return yamledit.set_entry(yamledit.long_form(text, path, main), path, key, value)
        there = yamledit.value_at(text, path, key)
        if there == value:
            return text
        if there != self._at.release or key != "since":
            raise EditError(f"{'/'.join(path)} has a `{key}` already")
        self._settled.add((file, *path))
        return yamledit.replace_value(text, [*path, key], value)

    def _back(self, texts: dict[str, str], now: _Round, each: Difference) -> bool:
        """Move the end of an earlier form back to the release, if it was moved for another difference."""
        for file, path in self._paths(now.texts, now.model, each):
            moved = [each for each in _forms(texts[file], path) if each[2] == self._at.before]
            if moved and (file, *path) not in self._settled:
                self._settled.add((file, *path))
                start, end, _ = moved[-1]
                texts[file] = texts[file][:start] + self._at.release + texts[file][end:]
                return True
        return False

    def _in_part(self, now: _Round, each: Difference) -> str:
        """Return the reason if the entry of a difference is used in several places, not all of which have it."""
        for model in (now.model, self._later):
            texts = now.texts if model is now.model else self._written
            for file, path in self._paths(texts, model, each):
                if (file, *path) in self._settled:
                    return f"{_upstream(each)}; only some of the places that use {'/'.join(path)} have it"
        return ""

    def _paths(self, texts: Mapping[str, str], model: Model, each: Difference) -> Iterator[tuple[str, list[str]]]:
        """Yield the files and the paths of the entries of a difference, and of the declarations that they name."""
        for place, names in self._entries(model, each):
            declared = [model.declarations[name].place for name in names if name in model.declarations]
            for one in (place, *declared):
                with suppress(EditError):
                    yield one.file, yamledit.path_to(texts[one.file], one.line - 1, one.column - 1)

    # --- moving ---

    def _move(self, now: _Round, each: Difference) -> None:
        """Move the bounds that a difference is about."""
        for model in (self._later, self._earlier):
            for place, type_names in self._entries(model, each):
                self._move_at(now, model, place, type_names)

    def _move_at(self, now: _Round, model: Model, place: SourceLocation, names: Iterable[str]) -> None:
        """Move the bounds of an entry, and of the declarations that it requires."""
        now.move(_place(place))
        for name in names:
            self._move_declaration(now, model, name)

    def _move_declaration(self, now: _Round, model: Model, name: str) -> None:
        """Move what a declaration needs and what leads to it, unless the release has it."""
        if name in now.seen or name not in model.declarations:
            return
        now.seen.add(name)
        declared = model.declarations[name]
        now.move(_place(declared.place))
        if name in now.model.declarations:
            return
        for place in _pairs(now.texts, model, name):
            now.move(place)
        match declared:
            case Struct(fields=fields, tags=tags, include=include):
                for tag in tags:
                    self._move_values(now, model, tag.constant)
                inner = [*include, *(each for own in fields for each in refs(own.type))]
                inner += [each for control in model.controls if control.request == name for each in _answer(control)]
            case Union(variants=variants):
                inner = [each.name for each in variants]
            case Enum():
                inner = []
            case _:
                inner = [*refs(declared.type)]
        for each in inner:
            self._move_declaration(now, model, each)

    def _move_values(self, now: _Round, model: Model, constant: object) -> None:
        """Move the enum values that name a moved thing, which upstream's declarations need not contain."""
        for declared in model.declarations.values():
            if isinstance(declared, Enum):
                for value in declared.values:
                    if value.wire == constant and type(value.wire) is type(constant):
                        now.move(_place(value.place))

    def _entries(self, model: Model, each: Difference) -> Iterator[tuple[SourceLocation, list[str]]]:
        """Yield the entries of a model that may cause a difference, with the declarations that they name."""
        if each.rule.endswith("-declaration"):
            yield from self._declared(model, self._names.get(each.place, each.owner))
            return
        if each.rule.endswith("-variant"):
            type_ = json.loads(each.type) if each.type else each.member
            names = [self._names.get(type_.removeprefix("#"), each.member)] if isinstance(type_, str) else []
            for name in names or _alike(model, each, type_):
                yield from self._variant(model, name)
            return
        declared = model.declarations.get(each.owner)
        match declared:
            case Struct(fields=fields):
                for own in fields:
                    if own.name == each.member:
                        yield own.place, [*refs(own.type), *([] if own.origin is None else [own.origin])]
                        if each.rule.endswith("-value"):
                            yield from _values(model, refs(own.type), each.member)
                member = each.place.split("/=")[0].rsplit("/", 1)[-1]
                named = [name for own in fields if own.name == member for name in refs(own.type)]
                named += [tag.enum for tag in declared.tags if tag.key == member and tag.enum is not None]
                yield from _values(model, named, each.member)
            case Enum():
                yield from _values(model, [each.owner], each.member)
            case Union() | None:
                pass
            case _:
                yield declared.place, [*refs(declared.type)]

    def _declared(self, model: Model, name: str) -> Iterator[tuple[SourceLocation, list[str]]]:
        if name in model.declarations:
            yield model.declarations[name].place, [name]

    def _variant(self, model: Model, name: str) -> Iterator[tuple[SourceLocation, list[str]]]:
        control = next((each for each in model.controls if each.request == name), None)
        if control is not None:
            yield control.place, [*refs(control.response)] if control.response is not None else []
        yield from self._declared(model, name)
        for declared in model.declarations.values():
            if isinstance(declared, Union):
                yield from ((each.place, [name]) for each in declared.variants if each.name == name)

    # --- setting ---

    def _entry(self, now: _Round, each: Difference) -> tuple[str, list[str]]:
        """Return the file and the path of the entry that a difference is about."""
        for place, _ in self._entries(now.model, each):
            return place.file, yamledit.path_to(now.texts[place.file], place.line - 1, place.column - 1)
        raise EditError(_neither(each))

    def _text_of(self, each: Difference) -> tuple[str, str, str]:
        """Return the text about something that a neighbour has but the release lacks or has in another form."""
        earlier, later = (any(self._entries(model, each)) for model in (self._earlier, self._later))
        if each.rule == "presence" and later and not earlier:
            return "type", "was", f"[{{until: {self._at.release}, presence: {each.upstream}}}]"
        if each.rule not in ("extra-field", "extra-value", "extra-variant") or not (earlier or later):
            raise EditError(_neither(each))
        if earlier and later:
            raise EditError(f"{self._at.release} is the only release without it; use `in` for its releases")
        main = "doc" if each.rule == "extra-value" else "type"
        return (main, "until", self._at.before) if earlier else (main, "since", self._at.after)


def _alike(model: Model, each: Difference, type_: Any) -> Iterator[str]:
    """Yield the variants of the union of a difference that have the same constants as an object."""
    members = type_.get("fields", {}).items() if isinstance(type_, dict) else ()
    constants = {name: type_["is"] for name, type_ in members if isinstance(type_, dict) and "is" in type_}
    declared = model.declarations.get(each.owner)
    fields = declared.fields if isinstance(declared, Struct) else ()
    unions = [name for own in fields if own.name == each.member for name in refs(own.type)] or [each.owner]
    for union in (model.declarations.get(name) for name in unions):
        for name in structs_of(union.dispatch) if isinstance(union, Union) and constants else ():
            tags = {tag.key: tag.constant for tag in model.struct(name).tags}
            if tags and all(constants.get(key) == value for key, value in tags.items()):
                yield name


def _place(place: SourceLocation) -> Place:
    return place.file, place.line, place.column


def _answer(control: Control) -> list[str]:
    return [] if control.response is None else [*refs(control.response)]


def _pairs(texts: Mapping[str, str], model: Model, name: str) -> Iterator[Place]:
    """Yield where controls and tools name a declaration as their response, input or output."""
    for control in model.controls:
        if name in _answer(control):
            yield from _key(texts, control.place, ["controls", control.key, "response"])
    for tool in model.tools:
        for key, type_ in (("input", tool.input), ("output", tool.output)):
            if type_ is not None and name in refs(type_):
                yield _place(tool.place)
                yield from _key(texts, tool.place, ["tools", tool.pattern, key])


def _key(texts: Mapping[str, str], place: SourceLocation, path: list[str]) -> Iterator[Place]:
    if yamledit.has(texts[place.file], path):
        mark = yamledit.find(texts[place.file], path)[0].start_mark
        yield place.file, mark.line + 1, mark.column + 1


def _values(model: Model, names: Iterable[str], wire: str) -> Iterator[tuple[SourceLocation, list[str]]]:
    for name in names:
        declared = model.declarations.get(name)
        if isinstance(declared, Enum):
            yield from ((value.place, []) for value in declared.values if str(value.wire) == wire)


def _upstream(each: Difference) -> str:
    return f"upstream {cut(each.upstream)}, spec {cut(each.spec)}"


def _neither(each: Difference) -> str:
    return f"{_upstream(each)}; neither neighbour explains it"


def _left(each: Difference, why: str) -> Question:
    if each.rule == "opaque":
        return Question("undeclared", each.place, "nothing", (f"upstream names and does not declare: {each.upstream}",))
    return Question("by hand", each.place, "nothing", (why,))


# --- texts ---------------------------------------------------------------------------------------------------------


def _models(texts: Mapping[str, str], releases: Iterable[str]) -> dict[str, Model]:
    """Return the models of a spec's texts at some releases. Raises `EditError` if they have errors there."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        builder = Builder(load(Path(folder)))
        found = {}
        for release in releases:
            built = builder.build(Span.at(release))
            wrong = [each for each in built.findings if each.severity == "error"]
            if built.model is None or wrong:
                fault = f"{wrong[0].place}: {wrong[0].message}" if wrong else "it cannot be read"
                raise EditError(f"the spec has errors then: {fault}")
            found[release] = built.model
        return found


def _listed(texts: Mapping[str, str], at: Neighbours, announced: str | None) -> dict[str, str]:
    """Return the texts with the release listed, with its announced number, as equal to the earlier neighbour."""
    ends = [
        _Bound(file, start, end, at.release)
        for file, entry in _all_entries(texts)
        for start, end, text in _ends(entry.node)
        if text == at.before
    ]
    found = _spliced(texts, ends)
    file = next(name for name, text in found.items() if yamledit.has(text, ["protocol", "versions"]))
    found[file] = yamledit.insert_item(found[file], ["protocol", "versions"], at.before, at.release)
    if announced is not None and yamledit.has(found[file], ["protocol", "announced", "versions"]):
        row = f"{at.release}: {yamledit.key(announced)}"
        found[file] = yamledit.insert_entry(found[file], ["protocol", "announced", "versions"], at.before, row)
    return found


def _bounds(texts: Mapping[str, str], at: Neighbours) -> dict[Place, tuple[_Bound, ...]]:
    """Return the bounds that can be moved, by the place of their entry."""
    found: dict[Place, tuple[_Bound, ...]] = {}
    for file, entry in _all_entries(texts):
        bounds = [
            _Bound(file, start, end, put)
            for found_at, wanted, put in (
                (_starts(entry.node), at.after, at.release),
                (_ends(entry.node), at.release, at.before),
            )
            for start, end, text in found_at
            if text == wanted
        ]
        for mark in entry.marks if bounds else ():
            found[file, mark.line + 1, mark.column + 1] = tuple(bounds)
    return found


@dataclass(frozen=True, slots=True)
class _Entry:
    """A mapping, and the places it is known by: its key or, in a list, its start and its name."""

    node: yaml.MappingNode
    marks: tuple[yaml.Mark, ...]
    path: tuple[str, ...]


def _all_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, _Entry]]:
    for file, text in yamledit.files(texts).items():
        root = yaml.compose(text, Loader=LOADER)
        if root is not None:
            yield from ((file, each) for each in _entries(root, (root.start_mark,), ()))


def _entries(node: yaml.Node, marks: tuple[yaml.Mark, ...], path: tuple[str, ...]) -> Iterator[_Entry]:
    if isinstance(node, yaml.MappingNode):
        yield _Entry(node, marks, path)
        for key, value in node.value:
            if key.value not in {"was", "formerly", "examples"}:
                yield from _entries(value, (key.start_mark,), (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value, 1):
            pairs = item.value if isinstance(item, yaml.MappingNode) else ()
            named = [value.start_mark for key, value in pairs if key.value == "name"]
            yield from _entries(item, (item.start_mark, *named), (*path, str(number)))


Piece: TypeAlias = "tuple[int, int, str]"
"""A mention of a release: the indices of its first character and after its last, and its name."""


def _starts(node: yaml.MappingNode) -> Iterator[Piece]:
    """Yield the releases that an entry starts with."""
    for key, value in node.value:
        if key.value == "since":
            yield _piece(value)
        elif key.value == "in":
            yield from (piece for each in value.value for piece in _interval(each)[:1])


def _ends(node: yaml.MappingNode) -> Iterator[Piece]:
    """Yield the last releases of an entry, and of its earlier forms and name."""
    for key, value in node.value:
        match key.value, value:
            case "until", _:
                yield _piece(value)
            case "in", _:
                yield from (piece for each in value.value for piece in _interval(each)[1:])
            case ("was", yaml.SequenceNode(value=forms)) | ("formerly", yaml.MappingNode() as forms):
                for form in forms if isinstance(forms, list) else [forms]:
                    yield from (_piece(end) for name, end in form.value if name.value == "until")


def _piece(node: yaml.Node) -> Piece:
    return node.start_mark.index, node.end_mark.index, str(node.value)


def _interval(node: yaml.Node) -> list[Piece]:
    """Return the ends of `A..B`, or only the first one of `A..`."""
    first, _, last = str(node.value).partition("..")
    start = node.start_mark.index + (node.end_mark.index - node.start_mark.index - len(str(node.value))) // 2
    pieces = [(start, start + len(first), first)]
    if last:
        pieces.append((start + len(first) + 2, start + len(str(node.value)), last))
    return pieces


def _untold(texts: Mapping[str, str], at: Neighbours) -> Iterator[Question]:
    """Yield what no declaration shows about the release: facts from traffic, how options are sent, and answers."""
    for file, entry in _all_entries(texts):
        place = "/".join(entry.path[1:])
        match entry.path:
            case ("controls", _, "response"):
                ends = [text for *_, text in _forms(texts[file], entry.path) if text in (at.before, at.release)]
                like, other = (at.before, at.after) if ends == [at.release] else (at.after, at.before)
                if ends:
                    yield Question("answer", place, f"as in {like}", (f"as in {other}, if its traffic shows it",))
            case (*_, "carry", _):
                yield from _unstated("carry", place, entry, at, "it is sent so")
            case _ if _value(entry.node, "observed") == "true":
                yield from _unstated("bound", place, entry, at, "its traffic has it")


def _unstated(kind: str, place: str, entry: _Entry, at: Neighbours, evidence: str) -> Iterator[Question]:
    if any(text == at.after for *_, text in _starts(entry.node)):
        yield Question(kind, place, f"since {at.after}", (f"since {at.release}, if {evidence}",))
    if any(text == at.release for *_, text in _ends(entry.node)):
        yield Question(kind, place, f"until {at.release}, if {evidence}", (f"until {at.before}",))


def _value(node: yaml.MappingNode, name: str) -> str:
    return next((str(value.value) for key, value in node.value if key.value == name), "")


def _forms(text: str, path: Sequence[str]) -> list[Piece]:
    """Return the ends of the earlier forms of an entry, the oldest first."""
    if not yamledit.has(text, [*path, "was"]):
        return []
    _, node = yamledit.find(text, [*path, "was"])
    forms = node.value if isinstance(node, yaml.SequenceNode) else []
    return [_piece(end) for form in forms for name, end in form.value if name.value == "until"]


def _spliced(texts: Mapping[str, str], bounds: Iterable[_Bound]) -> dict[str, str]:
    found = dict(texts)
    for bound in sorted(bounds, key=lambda each: each.start, reverse=True):
        text = found[bound.file]
        found[bound.file] = text[: bound.start] + bound.put + text[bound.end :]
    return found
