"""A tree where a JSON value is expected → the value, or its compact text.

A plain scalar has its JSON meaning (`true`, `null`, `1.50`) if it is valid JSON, and is a string otherwise; a quoted
scalar is always a string.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

from polywire.ground.json_values import Json
from polywire.ground.location import SourceLocation
from polywire.source.tree import Listing, Node, Table, Text

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_OTHER_NULLS = frozenset({"", "~"})
_MOST_DIGITS = 4000  # Python refuses integers of more than 4300 digits


@dataclass(frozen=True, slots=True)
class JsonFault:
    """Why a tree is not a JSON value."""

    rule: str
    place: SourceLocation
    message: str
    hint: str | None = None


def fault(node: Node) -> JsonFault | None:
    """The first reason why a tree is not a JSON value, or None if it is one."""
    match node:
        case Text():
            return _text_fault(node)
        case Listing():
            return next((f for item in node.items if (f := fault(item))), None)
        case Table():
            return next((f for entry in node if (f := fault(entry.value))), None)


def _text_fault(node: Text) -> JsonFault | None:
    if node.plain and node.text in _OTHER_NULLS:
        return JsonFault(
            "null-value", node.place, "there is no value here", 'write `null` for null, `""` for an empty string'
        )
    if not _is_number(node):
        return None
    if len(node.text) > _MOST_DIGITS or math.isinf(float(node.text)):
        return JsonFault("wrong-kind", node.place, "the number is too large")
    return None


def value(node: Node) -> Json:
    """The JSON value of a tree without a `fault`."""
    match node:
        case Text():
            return _scalar(node)
        case Listing():
            return [value(item) for item in node.items]
        case Table():
            return {entry.key.text: value(entry.value) for entry in node}


def text(node: Node) -> str:
    """The JSON value of a tree without a `fault`, as compact text; numbers keep their spelling."""
    match node:
        case Text():
            plain = node.plain and (node.text in _WORDS or _is_number(node))
            return node.text if plain else json.dumps(node.text, ensure_ascii=False)
        case Listing():
            return f"[{','.join(map(text, node.items))}]"
        case Table():
            return f"{{{','.join(f'{json.dumps(e.key.text, ensure_ascii=False)}:{text(e.value)}' for e in node)}}}"


def _scalar(node: Text) -> Json:
    if not node.plain:
        return node.text
    if node.text in _WORDS:
        return _WORDS[node.text]
    if _is_number(node):
        return int(node.text) if node.text.lstrip("-").isdigit() else float(node.text)
    return node.text


def _is_number(node: Text) -> bool:
    return node.plain and _NUMBER.fullmatch(node.text) is not None


# --- JSON files ------------------------------------------------------------------------------------------------

_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')


class JsonTextError(ValueError):
    """Why a text is not JSON, and the index of the offending character."""

    def __init__(self, message: str, index: int = 0) -> None:
        super().__init__(message)
        self.index = index


def compact(source: str) -> str:
    """JSON text without whitespace between tokens, otherwise unchanged. Raises `JsonTextError` if it is not JSON."""
    try:
        json.loads(source, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise JsonTextError(error.msg, error.pos) from None
    except JsonTextError:
        raise
    except ValueError:
        raise JsonTextError("an integer has too many digits") from None
    except RecursionError:
        raise JsonTextError("nested too deep") from None
    return _STRING_OR_SPACE.sub(r"\1", source)


def _refuse(word: str) -> None:
    raise JsonTextError(f"{word} is not a JSON value")
