"""Makes a case of a spelling and its place in a document, and formats cases as a fixture file."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

ROOT_TYPE = "WireMessage"
"""The type of a case that does not state one."""

PARSER = ""
"""The path of an error of the parser."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place for spellings: `text` is a document with `§` at the place."""

    words: str
    text: str
    type: str = ROOT_TYPE
    variant: str | None = None
    path: str = ""
    unknown: tuple[str, ...] = ()
    """The places that lenient mode reports as unknown, for every value."""
    typed: bool = False
    """Whether the place is declared as a string."""

    def with_(self, spelling: str) -> str:
        """Return the document with a spelling at the place."""
        return self.text.replace("§", spelling)


DELTA = (
    '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":§}},'
    '"parent_tool_use_id":null,"uuid":"6ba7b810-9dad-41d1-80b4-00c04fd430c8","session_id":"s"}'
)
"""A message of the most frequent kind in sessions."""

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
    """Make a case of a spelling that must be rejected at its place, with any of the codes; `idea` is the reason.

    The doc of the case is `idea` followed by the words of the place. Without codes, the spelling is not JSON.
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
    """Make a case of a spelling that is accepted; `value` is the plain spelling of the same value.

    With `exactly`, the output must have the text of `value`. `also` has further right outcomes.
    """
    passed = outcome(place, place.with_(value), exactly=exactly, unknown=unknown, variant=variant)
    case = {
        **_head(_doc(idea, place), place.type, mode),
        **_input(place, spelling, as_bytes=as_bytes),
        "expect": any_of(passed, *also),
    }
    return _without_halves(case, typed=place.typed)


def error(code: str, path: str = PARSER) -> dict[str, object]:
    """Make an error outcome, of the parser or at a path."""
    return {"error": {"code": code, "path": path}}


def any_of(*outcomes: Mapping[str, object]) -> dict[str, object]:
    """Make the expectation of a case with one or several right outcomes."""
    return dict(outcomes[0]) if len(outcomes) == 1 else {"any": list(outcomes)}


def outcome(
    place: Place,
    text: str,
    *,
    exactly: bool = False,
    unknown: Sequence[str] | None = None,
    variant: str | None = None,
) -> dict[str, object]:
    """Make the outcome of a document that is accepted with the given output."""
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
    """Make a case of a whole document and its right outcomes; a code means an error of the parser.

    Languages that cannot represent lone surrogates deviate, unless `deviates` is false: then one of their outcomes is
    right too.
    """
    given = {"raw": document} if isinstance(document, str) else {"bytes": base64.b64encode(document).decode()}
    outcomes = [error(each) if isinstance(each, str) else each for each in expect]
    case = {**_head(doc, type or ROOT_TYPE, mode), **given, "expect": any_of(*outcomes)}
    return _without_halves(case, typed=False) if deviates else case


def stream(doc: str, chunks: Iterable[bytes], items: Sequence[Mapping[str, object]], limit: int | None = None) -> Case:
    """Make a case of the chunks of a stream, and the expected items."""
    content: dict[str, object] = {"chunks": [base64.b64encode(chunk).decode() for chunk in chunks]}
    return {
        "doc": doc,
        "stream": content if limit is None else {**content, "limit": limit},
        "expect": {"items": list(items)},
    }


def bad_line(line: int, *codes: str) -> dict[str, object]:
    """Make an item of a line that the parser rejects, with any of the codes."""
    return {"line": line, **any_of(*map(error, codes))}


HALF = re.compile("[\ud800-\udfff]")
HALVES = {"rust": "A String of Rust, as texts and pointers are, cannot hold a lone surrogate: it is read as U+FFFD."}
"""Language whose strings cannot represent lone surrogates → the reason."""


def _without_halves(case: Case, *, typed: bool) -> Case:
    """Add the deviations of such languages: U+FFFD replaces lone surrogates in pointers, and in declared strings."""
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
    """Format a fixture file: one member per line, in ASCII, so that it has no invisible characters."""
    return "[\n" + ",\n".join(map(_entry, cases)) + "\n]\n"


def _entry(case: Case) -> str:
    members = (f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items())
    return "  {\n" + ",\n".join(members) + "\n  }"
