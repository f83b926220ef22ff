"""Names in any spelling are split into words, and words are joined to names in any case."""

from __future__ import annotations

import keyword
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polywire.checks.rules.naming import package_fault
from polywire.ground.paths import DEVICES, path_fault
from polywire.source.grammar import PATTERNS
from polywire.targets import registry
from polywire.targets.common.naming import Reserved, constant, identifier, pascal, snake, words
from polywire.targets.go.package import package_name as go_package
from polywire.targets.python.names import AREAS
from polywire.targets.python.names import module_name as python_package
from polywire.targets.rust.names import MODULES
from polywire.targets.rust.package import crate_of as rust_package
from polywire.targets.typescript.about import package_name as typescript_package
from rendered import model_of

WORDS = Reserved("fields", frozenset(keyword.kwlist))
SPEC = Path(__file__).parents[1] / "specs" / "found" / "protocol-named-type"
PACKAGES = {
    "go": ("package", go_package),
    "python": ("module", python_package),
    "rust": ("crate", rust_package),
    "typescript": ("package", typescript_package),
}
"""Target → the key in `packages` of the name that code imports, and the function that returns the name."""


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


@given(st.from_regex(PATTERNS["package"], fullmatch=True))
@example("2.Wire")
def test_a_package_named_after_any_protocol_has_a_name_that_its_language_allows(name: str) -> None:
    _check_default_names(name)


@pytest.mark.parametrize("target", PACKAGES)
def test_a_package_named_after_a_protocol_has_no_reserved_name(target: str) -> None:
    (reserved,) = (each for each in registry()[target].reserved if each.what.endswith(" of protocols"))
    for name in filter(PATTERNS["package"].fullmatch, sorted(reserved.names)):
        _check_default_names(name)


def _check_default_names(protocol: str) -> None:
    model = model_of(SPEC)
    named = replace(model, protocol=replace(model.protocol, name=protocol))
    for target, (key, name_of) in PACKAGES.items():
        assert package_fault(registry()[target], key, name_of(named)) is None
    assert typescript_package(named) == typescript_package(named).lower()


@pytest.mark.parametrize("reserved", [AREAS, MODULES], ids=["python", "rust"])
def test_no_module_has_the_name_of_a_device(reserved: Reserved) -> None:
    for name in sorted(DEVICES):
        assert path_fault(f"{name}.x") is not None
        assert path_fault(f"{reserved.apart(name)}.x") is None
