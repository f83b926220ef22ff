"""A type and the name of the member that has it → a value that a reader takes for a real one.

The names are words of everyday protocols, read from the end: `shipped_at` is a time, `page_count` a count of pages.
Values are the same in every run.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Final

from polywire.model.nodes import Alias, Dispatch, Field, Model, Struct
from polywire.oracle.instances.maker import Maker
from polywire.oracle.instances.routes import Route, routes_of
from polywire.oracle.instances.values import Members, Style, T
from polywire.source.types import NULL, Array, Map, Scalar, Type

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_MOMENT: Final = "2025-03-14T09:26:53Z"
_TEXT: Final = "Read the notes and list what is open."

TEXTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("text", "content", "prompt", "body", "input", "query", "question"), _TEXT),
    **dict.fromkeys(
        ("message", "description", "summary", "detail", "explanation", "reason", "note", "result", "answer"),
        "Two items are open.",
    ),
    **dict.fromkeys(("thought", "thinking", "reasoning"), "The notes come first."),
    **dict.fromkeys(("error", "errormessage", "failure", "warning", "stderr"), "The file was not found."),
    **dict.fromkeys(("time", "timestamp", "at", "created", "updated", "expires", "until"), _MOMENT),
    **dict.fromkeys(("date", "day"), "2025-03-14"),
    **dict.fromkeys(("url", "uri", "link", "href", "endpoint"), "https://example.org/notes"),
    **dict.fromkeys(("host", "hostname", "domain", "server"), "example.org"),
    **dict.fromkeys(("path", "file", "filepath"), "/home/ada/project/notes.md"),
    **dict.fromkeys(("cwd", "dir", "directory", "folder", "root", "workspace", "home"), "/home/ada/project"),
    **dict.fromkeys(("version", "release"), "1.4.2"),
    **dict.fromkeys(("email", "mail"), "ada@example.org"),
    **dict.fromkeys(("user", "author", "owner", "account"), "ada"),
    **dict.fromkeys(("name", "title", "label", "subject", "display"), "Notes"),
    **dict.fromkeys(("filename",), "notes.md"),
    **dict.fromkeys(
        ("token", "key", "secret", "signature", "hash", "digest", "checksum", "sha", "etag", "cursor"), "c2FtcGxl"
    ),
    **dict.fromkeys(("data", "base64", "blob"), "aGVsbG8="),
    **dict.fromkeys(("command", "cmd", "shell"), "ls -l"),
    **dict.fromkeys(("pattern", "glob"), "*.md"),
    **dict.fromkeys(("language", "locale", "lang"), "en"),
    **dict.fromkeys(("mime", "mimetype", "mediatype", "contenttype"), "text/plain"),
    **dict.fromkeys(("json", "arguments"), '{"limit": 10}'),
    **dict.fromkeys(("model", "engine"), "example-model-1"),
    **dict.fromkeys(("code",), "not_found"),
    **dict.fromkeys(("type", "kind", "status", "state", "mode", "level"), "default"),
    **dict.fromkeys(("branch",), "main"),
    **dict.fromkeys(("colour", "color"), "blue"),
    **dict.fromkeys(("output", "stdout"), "notes.md"),
    **dict.fromkeys(("context", "instructions"), "The project is a notebook."),
    **dict.fromkeys(("args", "argument"), "--verbose"),
    **dict.fromkeys(("timezone",), "Europe/Warsaw"),
    **dict.fromkeys(("country",), "PL"),
    **dict.fromkeys(("city", "region"), "Gdynia"),
    **dict.fromkeys(("currency",), "EUR"),
}
"""Texts by the last word of a name that is here, or the last two without what is between them."""

NUMBERS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("tokens",), 1280),
    **dict.fromkeys(("ms", "millis", "milliseconds", "duration", "latency", "elapsed", "delay"), 1500),
    **dict.fromkeys(("seconds", "secs", "timeout", "interval"), 30),
    **dict.fromkeys(("cost", "usd", "price", "amount", "budget", "spend"), 0.25),
    **dict.fromkeys(("ratio", "fraction", "share", "utilization", "progress", "score", "probability"), 0.5),
    **dict.fromkeys(("percent", "percentage", "pct"), 50),
    **dict.fromkeys(("temperature",), 0.7),
    **dict.fromkeys(("bytes", "size", "length", "chars"), 2048),
    **dict.fromkeys(("count", "number", "num", "total", "turns", "attempts", "retries", "requests", "limit", "max"), 3),
    **dict.fromkeys(("index", "offset", "start", "position", "depth", "code"), 0),
    **dict.fromkeys(("line", "lines", "end"), 12),
    **dict.fromkeys(("width", "columns"), 80),
    **dict.fromkeys(("height", "rows"), 24),
    **dict.fromkeys(("port",), 8080),
    **dict.fromkeys(("pid",), 4711),
    **dict.fromkeys(("status",), 200),
    **dict.fromkeys(("year",), 2025),
    **dict.fromkeys(("time", "timestamp", "at", "created", "updated", "expires", "resets"), 1741944413),
}
"""Numbers likewise; for an integer, those that are whole."""

FALSE: Final = frozenset(
    {"error", "failed", "failure", "disabled", "deprecated", "hidden", "dangerously", "interrupted"}
)
"""Words of members that are usually false."""

_IDS: Final = frozenset({"id", "ids", "ref"})
"""Words of members that identify something; it is called after the words before them."""

_OTHERS: Final = ("first", "second", "third", "other", "another")
"""Keys and discriminators that need only differ from those that a spec declares."""


def words(name: str) -> list[str]:
    """Return the words of a name in lower case: `orderId` and `order_id` have two."""
    return [word.lower() for word in _WORD.findall(name)]


def text(name: str) -> str:
    """Return a text for a member of that name."""
    found = words(name)
    for at in reversed(range(len(found))):
        if found[at] in _IDS:
            return "-".join([*(found[:at] or ["item"]), "1"])
        if found[at] == "uuid":
            return uuid_of(name)
        for each in ("".join(found[max(at - 1, 0) : at + 1]), found[at]):
            if (known := _known(each, TEXTS)) is not None:
                return TEXTS[known]
    return "example"


def uuid_of(name: str) -> str:
    """Return a UUID for a member of that name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def number(name: str, *, whole: bool) -> int | float:
    """Return a number for a member of that name."""
    for each in reversed(words(name)):
        found = NUMBERS.get(_known(each, NUMBERS) or "")
        if found is not None and (not whole or found == int(found)):
            return found
    return 1


def _known(word: str, table: Mapping[str, object]) -> str | None:
    """Return the word, or its singular, as the table has it."""
    return next((each for each in (word, word.removesuffix("s")) if each in table), None)


class PlausibleMaker(Maker):
    """A maker whose values are plausible: it knows the names of the members that it fills.

    What it makes is the same each time. It leaves out optional members that are deprecated or that the newest release
    lacks.
    """

    def __init__(self, model: Model, min_depths: Mapping[Type, int], deepest: int) -> None:
        """`deepest` is how deep the values are nested, unless something required is deeper."""
        super().__init__(model, min_depths, Random(0))  # noqa: S311 - examples, not secrets
        self.deepest = deepest
        self._name = ""

    def value(self, type_: Type, style: Style, depth: int) -> object:
        return self._scalar(type_) if isinstance(type_, Scalar) else super().value(type_, style, depth)

    def sample(self, of: str, samples: Sequence[T], style: Style) -> T:  # noqa: ARG002 - that of the base class
        return samples[0]

    def free_key(self, taken: Collection[str]) -> str:
        return next((key for key in _OTHERS if key not in taken), None) or super().free_key(taken)

    def _scalar(self, type_: Scalar) -> object:
        match type_.kind:
            case "string":
                return _sized(text(self._name), type_)
            case "boolean":
                return FALSE.isdisjoint(words(self._name))
            case "integer" | "number":
                return _bounded(number(self._name, whole=type_.kind == "integer"), type_)
            case "uuid":
                return uuid_of(self._name)
            case "timestamp":
                return _MOMENT
            case "null":
                return None
            case "json" | "object":
                return {"key": "value"}

    def _field(self, struct: Struct, each: Field, style: Style, depth: int, route: Route) -> Members:
        outer, self._name = self._name, each.name
        try:
            return super()._field(struct, each, style, depth, route)
        finally:
            self._name = outer

    def _named(self, name: str, style: Style, depth: int) -> object:
        """Build a declared value. The name of an alias helps where that of the member tells nothing."""
        if not isinstance(self.model.declarations[name], Alias):
            return super()._named(name, style, depth)
        outer, self._name = self._name, f"{name}_{self._name}"
        try:
            return super()._named(name, style, depth)
        finally:
            self._name = outer

    def _taken(self, each: Field, style: Style, depth: int) -> bool:
        return not each.retired and each.about.deprecated is None and super()._taken(each, style, depth)

    def _unclaimed(self, each: Field) -> object:
        if each.type != Scalar("string"):
            return super()._unclaimed(each)
        free = (word for word in _OTHERS if word not in each.claimed and not word.startswith(each.claimed_prefixes))
        return next(free, None)

    def _by_height(self, dispatch: Dispatch, style: Style) -> list[Route]:
        return super()._by_height(dispatch, style) if style == "minimal" else list(routes_of(dispatch))

    def _member(self, members: Sequence[Type], style: Style) -> Type:
        if style == "minimal":
            return super()._member(members, style)
        return next(each for each in members if each != NULL)

    def _length(self, array: Array, style: Style) -> int:
        few = 0 if style == "minimal" or array.high == 0 else 1
        return max(array.low or 0, few)

    def _map_keys(self, map_: Map, style: Style) -> list[str]:
        if style == "minimal" or map_.key is not None:
            return super()._map_keys(map_, style)
        return [_OTHERS[0]]


def _sized(given: str, type_: Scalar) -> str:
    """Return a text, repeated or cut so that it has the length that the type wants."""
    least = int(type_.low or 0)
    while len(given) < least:
        given += f" {given}"[: least - len(given)]
    return given if type_.high is None else given[: int(type_.high)]


def _bounded(given: float, type_: Scalar) -> float:
    """Return a number, or the bound of the type that it exceeds."""
    if type_.low is not None and given < type_.low:
        return type_.low
    return type_.high if type_.high is not None and given > type_.high else given
