"""The straight-line codecs of the sample protocol: those of one type, others are left to the slow pass."""

from __future__ import annotations

from ._support import (
    MAX,
    MIN,
    NULL,
    SAFE,
    UNSET,
    FastPathMiss,
    blanks,
    fast_path_miss,
    json_text,
    more,
    quote,
    rest,
    unknown_text,
    unsafe,
)
from .model import Answer, Ask, Forget, Look, Note, Sight, UnknownLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

KEYS_Note = frozenset({"kind", "text", "color", "reply_to", "count", "data"})
NEW_Note = blanks(Note)


def decode_Note(d: Any) -> Any:  # noqa: N802
    o = next(NEW_Note)
    o.text = d["text"] + ""
    o.color = o.count = None
    o.reply_to = o.data = UNSET
    n = len(d)
    if "color" in d:
        n -= 1
        o.color = d["color"] + ""
    if "reply_to" in d:
        n -= 1
        reply_to = d["reply_to"]
        if reply_to is not None and type(reply_to) is not str:
            raise FastPathMiss
        o.reply_to = reply_to
    if "count" in d:
        n -= 1
        count = d["count"]
        if type(count) is not int or count >> 53:
            raise FastPathMiss
        o.count = count
    if "data" in d:
        n -= 1
        data = d["data"]
        if type(data) not in SAFE and unsafe(data):
            raise FastPathMiss
        o.data = data
    o._extra = None if n == 2 else rest(d, KEYS_Note)
    return o


def tagged_Note(d: Any) -> Any:  # noqa: N802
    if d["kind"] != "note":
        raise FastPathMiss
    return decode_Note(d)


def choose_Line(d: Any) -> Any:  # noqa: N802
    return DECODE_Line[d["kind"]](d)


def miss(_: Any) -> Any:
    fast_path_miss()


DECODE_Line: dict[Any, Callable[[Any], Any]] = {"note": decode_Note, "ask": miss, "answer": miss}


def encode_Note(o: Any) -> str:  # noqa: N802
    text = f'"kind":"note","text":{quote(o.text)}'
    if o.color is not None:
        text += f',"color":{quote(o.color)}'
    if o.reply_to is not UNSET:
        text += f',"reply_to":{NULL if o.reply_to is None else quote(o.reply_to)}'
    if o.count is not None:
        if type(o.count) is not int or not MIN <= o.count <= MAX:
            raise FastPathMiss
        text += f',"count":{o.count}'
    if o.data is not UNSET:
        text += f',"data":{json_text(o.data)}'
    if o._extra:
        text += more(o._extra, KEYS_Note)
    return f"{{{text}}}"


def encode_Line_unknown(o: Any) -> str:  # noqa: N802
    return unknown_text(o.raw, DECODE_Line, "kind")


STRUCTS: dict[type, str] = {
    Note: "Note",
    Look: "Look",
    Forget: "Forget",
    Ask: "Ask",
    Answer: "Answer",
    Sight: "Sight",
}
ALIASES = {"Line": "Line", "Request": "Request", "Color": "Color"}
DECODERS: dict[str, Callable[[Any], Any]] = {"Note": tagged_Note, "Line": choose_Line}
ENCODERS: dict[type, Callable[[Any], str]] = {Note: encode_Note, UnknownLine: encode_Line_unknown}
ROOT = "Line"
ROOT_KEY: str | None = "kind"
ROOT_TABLE: dict[Any, Callable[[Any], Any]] = DECODE_Line
CLAIMED: dict[str, tuple[str, ...]] = {}
