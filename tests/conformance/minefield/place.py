"""A spelling and a place for it → one case of a fixture file; cases → the text of the file."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

ROOT_TYPE = "WireMessage"
"""The type of a case that names none."""

PARSER = ""
"""The path of what a parser refuses."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a spelling is put: `text` is a document with one `§` in its stead."""

    words: str
    text: str
    type: str = ROOT_TYPE
    variant: str | None = None
    path: str = ""
    unknown: tuple[str, ...] = ()
    """What lenient mode lets pass there, whatever the value."""
    typed: bool = False
    """Whether it is declared to hold a text."""

    def with_(self, spelling: str) -> str:
        """The document with the spelling in its place."""
        return self.text.replace("§", spelling)


DELTA = (
    '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":§}},'
    '"parent_tool_use_id":null,"uuid":"6ba7b810-9dad-41d1-80b4-00c04fd430c8","session_id":"s"}'
)
"""What most lines of a session are."""

DOCUMENT = Place("as the whole document", "§", type="StopReason", typed=True)
CODE = Place("as the whole document", "§", type="JSONRPCErrorCode")
TEXT = Place("in the text of a delta", DELTA, variant="PartialAssistantMessage", path="/event/delta/text", typed=True)
ITEM = Place(
    "in a list", '{"allowedDomains":["",§,""]}', type="SandboxNetworkConfig", path="/allowedDomains/1", typed=True
)
ENUM = Place("in an enum", '{"role":§,"content":""}', type="MessageParam", path="/role", typed=True)
UUID = Place("in a UUID", '{"uuid":§,"session_id":""}', type="BaseMessage", path="/uuid", typed=True)
INTEGER = Place(
    "in an integer",
    '{"type":"content_block_stop","index":§}',
    type="RawMessageStreamEvent",
    variant="ContentBlockStopEvent",
    path="/index",
)
NUMBER = Place("in a number", '{"hookCallbackIds":[],"timeout":§}', type="HookCallbackMatcher", path="/timeout")
BOOLEAN = Place("in a boolean", '{"enabled":§}', type="CitationsConfig", path="/enabled")
JSON = Place("in untouched JSON", '{"code":0,"message":"","data":§}', type="JSONRPCErrorObject", path="/data")
EXTRA = Place(
    "in an unknown field",
    '{"type":"keep_alive","x":§}',
    variant="KeepAliveMessage",
    path="/x",
    unknown=("/x",),
)
UNKNOWN = Place("in an unknown message", '{"type":"new","x":§}', variant="Unknown", path="/x", unknown=("/type",))
VALUE = Place(
    "in a value of a map",
    '{"type":"update_environment_variables","variables":{"A":§}}',
    variant="UpdateEnvironmentVariablesMessage",
    path="/variables/A",
    typed=True,
)
KEY = Place(
    "in a key of a map",
    '{"type":"update_environment_variables","variables":{§:""}}',
    variant="UpdateEnvironmentVariablesMessage",
)
EXTRA_KEY = Place("in an unknown key", '{"type":"keep_alive",§:0}', variant="KeepAliveMessage")
UNTOUCHED_KEY = Place("in a key of untouched JSON", '{"code":0,"message":"","data":{§:0}}', type="JSONRPCErrorObject")
TAG = Place("in a tag", '{"type":§}', variant="Unknown", unknown=("/type",))


# --- cases -----------------------------------------------------------------------------------------------------


def refused(
    idea: str,
    place: Place,
    spelling: str | bytes,
    *codes: str,
    path: str = PARSER,
    mode: str | None = None,
    as_bytes: bool = False,
) -> Case:
    """A spelling that must not pass in its place, for any of the codes; `idea` is the reason.

    The words of the place follow it. Without codes it is not JSON.
    """
    return {
        **_head(_doc(idea, place), place.type, mode),
        **_input(place, spelling, as_bytes=as_bytes),
        "expect": any_of(*(error(code, path) for code in codes or ("invalid_json",))),
    }


def taken(
    idea: str,
    place: Place,
    spelling: str | bytes,
    value: str,
    *,
    exactly: bool = False,
    unknown: Sequence[str] | None = None,
    variant: str | None = None,
    mode: str | None = None,
    as_bytes: bool = False,
    also: Sequence[Mapping[str, object]] = (),
) -> Case:
    """A spelling that passes, and the plain spelling of what it stands for, to be printed `exactly` so or not.

    `also` has further outcomes that are right.
    """
    passed = outcome(place, place.with_(value), exactly=exactly, unknown=unknown, variant=variant)
    case = {
        **_head(_doc(idea, place), place.type, mode),
        **_input(place, spelling, as_bytes=as_bytes),
        "expect": any_of(passed, *also),
    }
    return _without_halves(case, typed=place.typed)


def error(code: str, path: str = PARSER) -> dict[str, object]:
    """A fault, of the parser or at a place."""
    return {"error": {"code": code, "path": path}}


def any_of(*outcomes: Mapping[str, object]) -> dict[str, object]:
    """What a case expects that has so many right outcomes."""
    return dict(outcomes[0]) if len(outcomes) == 1 else {"any": list(outcomes)}


def outcome(
    place: Place,
    text: str,
    *,
    exactly: bool = False,
    unknown: Sequence[str] | None = None,
    variant: str | None = None,
) -> dict[str, object]:
    """What comes back where the place is taken with some text."""
    passed = place.unknown if unknown is None else tuple(unknown)
    chosen = variant or place.variant
    return {
        **({} if chosen is None else {"variant": chosen}),
        **({"text": text} if exactly else {"output": json.loads(text)}),
        **({"unknown": list(passed)} if passed else {}),
    }


def whole(
    doc: str,
    document: str | bytes,
    *expect: Mapping[str, object] | str,
    type: str | None = None,  # noqa: A002 - the key of a case
    mode: str | None = None,
    deviates: bool = True,
) -> Case:
    """A document of its own, and its outcomes, of which any may come; a code is a fault that a parser finds.

    Languages that cannot hold half a character deviate, unless they give an outcome without one.
    """
    given = {"raw": document} if isinstance(document, str) else {"bytes": base64.b64encode(document).decode()}
    outcomes = [error(each) if isinstance(each, str) else each for each in expect]
    case = {**_head(doc, type or ROOT_TYPE, mode), **given, "expect": any_of(*outcomes)}
    return _without_halves(case, typed=False) if deviates else case


def stream(doc: str, chunks: Iterable[bytes], items: Sequence[Mapping[str, object]], limit: int | None = None) -> Case:
    """Chunks of a stream, and its items."""
    content: dict[str, object] = {"chunks": [base64.b64encode(chunk).decode() for chunk in chunks]}
    return {
        "doc": doc,
        "stream": content if limit is None else {**content, "limit": limit},
        "expect": {"items": list(items)},
    }


def bad_line(line: int, *codes: str) -> dict[str, object]:
    """A line of a stream that is refused by the parser, for any of the codes."""
    return {"line": line, **any_of(*map(error, codes))}


HALF = re.compile("[\ud800-\udfff]")
HALVES = {"rust": "A String of Rust, as texts and pointers are, cannot hold a lone surrogate: it is read as U+FFFD."}
"""Languages whose strings cannot hold half a character, and why."""


def _without_halves(case: Case, *, typed: bool) -> Case:
    """The case and what such languages make of it: U+FFFD for a half in pointers, and in declared texts."""
    expect = case["expect"]
    affected = {"unknown", "error", "output"} if typed else {"unknown", "error"}

    def without(outcome: Mapping[str, Any]) -> dict[str, Any]:
        return {key: _replaced(value) if key in affected else value for key, value in outcome.items()}

    replaced = {"any": list(map(without, expect["any"]))} if "any" in expect else without(expect)
    if replaced == expect:
        return case
    return {**case, "deviations": {who: {"reason": why, "expect": replaced} for who, why in HALVES.items()}}


def _replaced(value: Any) -> Any:
    match value:
        case str():
            return HALF.sub("\ufffd", value)
        case list():
            return [_replaced(item) for item in value]
        case dict():
            return {key: _replaced(member) for key, member in value.items()}
        case _:
            return value


def _doc(idea: str, place: Place) -> str:
    return f"{idea[0].upper()}{idea[1:]}, {place.words}."


def _head(doc: str, type_name: str, mode: str | None) -> Case:
    head: Case = {"doc": doc}
    if type_name != ROOT_TYPE:
        head["type"] = type_name
    if mode is not None:
        head["mode"] = mode
    return head


def _input(place: Place, spelling: str | bytes, *, as_bytes: bool) -> Case:
    if isinstance(spelling, str) and not as_bytes:
        return {"raw": place.with_(spelling)}
    data = spelling.encode() if isinstance(spelling, str) else spelling
    return {"bytes": base64.b64encode(place.text.encode().replace("§".encode(), data)).decode()}


# --- files -----------------------------------------------------------------------------------------------------


def page(cases: Iterable[Case]) -> str:
    """The text of a fixture file: a member a line, and all of it ASCII, so that nothing in it is invisible."""
    return "[\n" + ",\n".join(map(_entry, cases)) + "\n]\n"


def _entry(case: Case) -> str:
    members = (f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
    return "  {\n" + ",\n".join(members) + "\n  }"
