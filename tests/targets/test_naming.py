"""Names in any spelling are split into words, and words are joined to names in any case."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polywire.targets.common.naming import Reserved, constant, identifier, pascal, snake, words

WORDS = Reserved("fields", frozenset(keyword.kwlist))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parent_tool_use_id", ("parent", "tool", "use", "id")),
        ("parentToolUseID", ("parent", "tool", "use", "id")),
        ("totalCostUSD", ("total", "cost", "usd")),
        ("InputJSONDelta", ("input", "json", "delta")),
        ("JSONRPCError", ("jsonrpc", "error")),
        ("ephemeral_5m_input_tokens", ("ephemeral", "5m", "input", "tokens")),
        ("criticalSystemReminder_EXPERIMENTAL", ("critical", "system", "reminder", "experimental")),
        ("needs-auth", ("needs", "auth")),
        ("a.b/c d", ("a", "b", "c", "d")),
        ("sha256Hash", ("sha256", "hash")),
        ("isReplay", ("is", "replay")),
        ("*/", ("u2a", "u2f")),
        ("*/a", ("a",)),
        ("__", ("u5f", "u5f")),
        ("X", ("x",)),
        ("__proto__", ("proto",)),
        ("größeÜber", ("größe", "über")),
        ("", ()),
        ("a🅰b", ("a", "b")),
    ],
)
def test_a_name_is_cut_into_words(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


def test_words_are_joined_in_every_case() -> None:
    parts = words("parentToolUseID")
    assert snake(parts) == "parent_tool_use_id"
    assert constant(parts) == "PARENT_TOOL_USE_ID"
    assert pascal(parts) == "ParentToolUseId"


@pytest.mark.parametrize(
    ("name", "expected"), [("class", "class_"), ("", "field_"), ("5m", "field_5m"), ("none", "none"), ("_x", "_x")]
)
def test_an_identifier_is_neither_reserved_nor_a_number(name: str, expected: str) -> None:
    assert identifier(name, WORDS, "field_") == expected


@given(st.text())
@example("🅰")
def test_whatever_is_written_there_is_an_identifier_for_it(name: str) -> None:
    assert identifier(snake(words(name)), WORDS, "field_").isidentifier()


@given(st.lists(st.from_regex(r"[a-z]{2,6}", fullmatch=True), min_size=1))
def test_words_survive_every_case(parts: list[str]) -> None:
    expected = tuple(parts)
    assert words(snake(parts)) == words(constant(parts)) == words(pascal(parts)) == expected
