"""Mistakes that reach a running program without a type checker raise errors that state what is wrong and what to do."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable
from typing import Any

import agentlines as al
import pytest

untyped: Any = al
"""The package as unchecked code sees it."""

ASKED = al.request(al.PermissionRequest(tool_name="Bash", input={}, tool_use_id="t"), "7")
TEXT = io.TextIOWrapper(io.BytesIO())


async def asynchronously(stream: object) -> None:
    await anext(untyped.AsyncReader(stream))


MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a text stream to read": (
        lambda: untyped.Reader(TEXT),
        TypeError,
        "Reader needs a binary stream, got text (TextIOWrapper); use its buffer, such as sys.stdin.buffer",
    ),
    "a text stream to write": (
        lambda: untyped.Writer(io.StringIO()),
        TypeError,
        "Writer needs a binary stream, got text (StringIO); use its buffer, such as sys.stdout.buffer",
    ),
    "bytes in the place of a stream": (
        lambda: untyped.Reader(b"{}"),
        TypeError,
        "Reader needs a binary stream with read(), got bytes; feed data to a LineDecoder",
    ),
    "a blocking stream in asynchronous code": (
        lambda: asyncio.run(asynchronously(io.BytesIO())),
        TypeError,
        "AsyncReader needs an asynchronous stream, got BytesIO; use Reader",
    ),
    "text for a decoder of bytes": (
        lambda: untyped.LineDecoder().feed("{}"),
        TypeError,
        "feed(): expected bytes, got text; use the binary stream, such as sys.stdin.buffer",
    ),
    "data that is parsed already": (
        lambda: untyped.decode({"type": "keep_alive"}),
        TypeError,
        "expected bytes or text, got dict; use from_dict() for parsed data",
    ),
    "plain data to write": (
        lambda: untyped.encode({"type": "keep_alive"}),
        al.EncodeError,
        "wrong_type: expected an object of this package, got dict; pass the type as well to write another value",
    ),
    "a type of another package": (
        lambda: untyped.decode(b"{}", int),
        TypeError,
        "<class 'int'> is not a type of this package; expected one of its classes, unions, enums or aliases",
    ),
    "a list of a type of another package": (
        lambda: untyped.decode(b"[]", list[object]),
        TypeError,
        "<class 'object'> is not a type of this package; expected one of its classes, unions",
    ),
    "a union that JSON cannot tell apart": (
        lambda: untyped.decode(b"{}", al.TextBlock | al.QueryOptions),
        TypeError,
        "agentlines.content.TextBlock | agentlines.options.QueryOptions is not a type of this package",
    ),
    "a misspelt name of a type": (
        lambda: untyped.decode(b"{}", "AssistentMessage"),
        TypeError,
        "'AssistentMessage' is not a type of this package",
    ),
    "a misspelt name": (
        lambda: untyped.AssistentMessage,
        AttributeError,
        "module 'agentlines' has no attribute 'AssistentMessage'",
    ),
    "a missing argument": (
        untyped.PermissionResultDeny,
        TypeError,
        "PermissionResultDeny.__init__() missing 1 required keyword-only argument: 'message'",
    ),
    "the name on the wire in the place of the field's": (
        lambda: untyped.PermissionResultAllow(updatedInput={}),
        TypeError,
        "PermissionResultAllow.__init__() got an unexpected keyword argument 'updatedInput'",
    ),
    "a misspelt attribute": (
        lambda: setattr(al.new_permission_deny("no"), "interupt", True),
        AttributeError,
        "'PermissionResultDeny' object has no attribute 'interupt'",
    ),
    "null where a member has to be": (
        lambda: al.encode(untyped.PermissionResultDeny(message=None)),
        al.EncodeError,
        "wrong_type at /message: expected string, got null",
    ),
    "UNSET for a member that cannot be null": (
        lambda: al.encode(untyped.PermissionResultAllow(updated_input=al.UNSET)),
        al.EncodeError,
        "wrong_type at /updatedInput: expected object, got Unset",
    ),
    "a message in the place of a request": (
        lambda: al.encode(untyped.request(al.new_prompt("hi"))),
        al.EncodeError,
        "wrong_type at /request: expected a variant of ControlRequestInner, got UserMessage",
    ),
    "hooks of a user as the CLI receives them": (
        lambda: untyped.launch(
            al.QueryOptions(hooks={"PreToolUse": [untyped.HookCallbackMatcher(hook_callback_ids=[])]})
        ),
        al.EncodeError,
        "wrong_type at /hooks/PreToolUse/0: expected HookMatcher, got HookCallbackMatcher",
    ),
    "hooks for the CLI as a user states them": (
        lambda: al.encode(al.InitializeRequest(hooks={"PreToolUse": [untyped.HookMatcher()]})),
        al.EncodeError,
        "wrong_type at /hooks/PreToolUse/0: expected HookCallbackMatcher, got HookMatcher",
    ),
    "a result for another request": (
        lambda: al.reply(ASKED, al.AsyncHookJSONOutput()),
        al.EncodeError,
        "wrong_type: expected a variant of PermissionResult, got AsyncHookJSONOutput",
    ),
    "a request without its envelope": (
        lambda: untyped.reply(ASKED.request, al.new_permission_deny("no")),
        TypeError,
        "expected the ControlRequest with the request in it, got PermissionRequest",
    ),
    "an answer to what is not a request": (
        lambda: untyped.decode_response(al.KeepAliveMessage(), al.refuse(ASKED, "no")),
        TypeError,
        "expected a request of the protocol, got KeepAliveMessage",
    ),
}


@pytest.mark.parametrize(("mistake", "error", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_explained(mistake: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match="^" + re.escape(message)) as caught:
        mistake()
    assert type(caught.value) is error


def test_a_value_that_no_enum_declares_is_seen_by_strict_readers_only() -> None:
    """An open enum takes any text at run time; type checkers and `strict` find a misspelt value."""
    verdict = untyped.PreToolUseHookSpecificOutput(permission_decision="denny")
    line = al.encode(verdict)
    assert al.examine(line, al.HookSpecificOutput).unknown == ("/permissionDecision",)
    with pytest.raises(al.DecodeError, match="unknown_value at /permissionDecision: "):
        al.decode(line, al.HookSpecificOutput, strict=True)
