"""Objects made by a program, and their expected encodings, for rules that no case of JSON text can express."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def _prompt(package: Any, **fields: Any) -> Any:
    message = fields.pop("message", None) or package.MessageParam(role="user", content="Hi")
    return package.UserMessage(session_id="5e55-10", message=message, parent_tool_use_id=None, **fields)


OBJECTS: dict[str, tuple[Callable[[Any], Any], str | tuple[str, str]]] = {
    "number_for_text": (lambda p: p.TextBlockParam(text=5), ("wrong_type", "/text")),
    "integer_too_large": (lambda p: p.JSONRPCErrorObject(code=2**53, message=""), ("out_of_range", "/code")),
    "infinite_number": (
        lambda p: p.ToolProgressMessage(
            tool_use_id="",
            tool_name="",
            parent_tool_use_id=None,
            elapsed_time_seconds=float("inf"),
            uuid="",
            session_id="",
        ),
        ("out_of_range", "/elapsed_time_seconds"),
    ),
    "other_class": (lambda p: _prompt(p, message=p.KeepAliveMessage()), ("wrong_type", "/message")),
    "other_variant": (
        lambda p: _prompt(p, message=p.MessageParam(role="user", content=[p.KeepAliveMessage()])),
        ("wrong_type", "/message/content/0"),
    ),
    "value_of_a_sibling": (lambda p: _prompt(p, is_replay=True), ("wrong_constant", "/isReplay")),
    "unknown_without_tag": (lambda p: p.UnknownMessage(raw={"x": 1}), ("missing_field", "/type")),
    "extra_is_no_json": (lambda p: p.KeepAliveMessage(extra={"a": [object()]}), ("wrong_type", "/a/0")),
    "extra_with_number_as_key": (lambda p: p.KeepAliveMessage(extra={"a": {1: 2}}), ("wrong_type", "/a")),
    "extra_128_levels": (
        lambda p: p.KeepAliveMessage(extra={"a": _nested(127)}),
        '{"type":"keep_alive","a":' + "[" * 127 + "]" * 127 + "}",
    ),
    "extra_129_levels": (lambda p: p.KeepAliveMessage(extra={"a": _nested(128)}), ("too_deep", "")),
    "extra_of_a_declared_key": (lambda p: p.KeepAliveMessage(extra={"type": "other"}), '{"type":"keep_alive"}'),
}
"""Name → a function that makes the object, and the encoded line, or the code and path of the error."""


def encoded(package: Any, classes: Any, name: str) -> str | tuple[str, str]:
    """Encode an object, and return the line or the error; an exception of another type is never expected."""
    make, _ = OBJECTS[name]
    try:
        line: bytes = package.encode(make(classes))
    except package.EncodeError as error:
        return error.code, error.path
    except Exception as error:  # noqa: BLE001 - a planted fault may raise anything
        return type(error).__name__, str(error)
    return line.decode()
