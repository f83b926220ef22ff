"""Checks of whole specs: this repository's own spec, excessive sizes and depths, and the order of versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.checks import check, check_all, render
from polywire.source import dialects

HEAD = """\
polywire: 1
protocol: {name: demo, title: Demo, version: 1.0.0, framing: ndjson, peers: [client, server], roots: [Root]}
messages:
  Root: {doc: What travels., from: client, fields: {a: A0}}
"""
MANY = 1200
"""A depth that exceeds the interpreter's recursion limit."""


@pytest.mark.full
def test_our_own_spec_and_its_dialects_are_silent_also_when_checked_strictly(root: Path) -> None:
    report = check_all(root / "spec", strict=True)
    assert render(report) == ""
    overlays = {file for file in report.texts if file.startswith("dialects/")}
    assert overlays == {f"dialects/{name}.yaml" for name in dialects(root / "spec")} != set()


def test_what_a_dialect_makes_wrong_in_the_spec_itself_says_which_dialect(tmp_path: Path) -> None:
    body = """\
enums: {E: {doc: E., open: false, values: {a: A., b: B.}}}
options: {O: {doc: O., fields: {e: {type: E, doc: E., default: b}}}}
"""
    (tmp_path / "protocol.yaml").write_text(HEAD.replace("[Root]", "[Root, O]").replace("A0", "string") + body)
    (tmp_path / "dialects").mkdir()
    for name, said in (("one", "change: {enums: {E: {values: {b: remove}}}}"), ("two", "remove: [F]")):
        (tmp_path / "dialects" / f"{name}.yaml").write_text(f"dialect: {name}\ndoc: Another.\n{said}\n")
    report = check_all(tmp_path)
    assert [(str(f.place), f.rule, " (in dialect one)" in f.message) for f in report.findings] == [
        ("protocol.yaml:6:55", "bad-default", True),
        ("dialects/two.yaml:3:10", "unused-overlay", False),
    ]
    assert not check(tmp_path).findings


def test_a_folder_that_is_not_there_is_one_finding_and_no_model(tmp_path: Path) -> None:
    report = check(tmp_path / "gone")
    assert [finding.rule for finding in report.findings] == ["missing-file"]
    assert report.model is None
    assert report.failed


def chain(line: str, last: str) -> str:
    return "".join(line.format(n=n, next=n + 1) for n in range(MANY)) + last


ALIAS = "  A{n}: {{doc: One of many., type: A{next}}}\n"
TYPE = "  A{n}: {{doc: One of many., fields: {{a: A{next}}}}}\n"
MAYBE = TYPE.replace("a:", "a?:")
FLAT = "  A{n}: {{doc: One of many., fields: {{a: {{type: A{next}, flatten: true}}}}}}\n"
END = f"  A{MANY}: {{doc: The last., "


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("aliases:\n" + chain(ALIAS, END + "type: string}\n"), ["too-deep"], id="aliases"),
        pytest.param("aliases:\n" + chain(ALIAS, END + "type: A0}\n"), ["infinite-type"], id="ring of aliases"),
        pytest.param("types:\n" + chain(TYPE, END + "fields: {}}\n"), ["too-deep"], id="types"),
        pytest.param("types:\n" + chain(MAYBE, END + "fields: {}}\n"), [], id="optional types"),
        pytest.param("types:\n" + chain(TYPE, END + "fields: {a: A0}}\n"), ["infinite-type"], id="ring of types"),
        pytest.param("types:\n" + chain(FLAT, END + "fields: {}}\n"), ["too-deep"], id="flattened types"),
    ],
)
def test_depth_is_told_or_borne_but_never_breaks_the_checks(body: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(HEAD + body)
    assert [finding.rule for finding in check(tmp_path).findings] == found


@pytest.mark.parametrize(("links", "found"), [(127, []), (128, ["too-deep"])])
def test_values_of_a_type_may_nest_as_deep_as_readers_accept(links: int, found: list[str], tmp_path: Path) -> None:
    last = f"  A{links}: {{doc: The last., fields: {{}}}}\n"
    types = "".join(TYPE.format(n=n, next=n + 1) for n in range(links)) + last
    (tmp_path / "protocol.yaml").write_text(HEAD.replace("a: A0", "a?: A0") + "types:\n" + types)
    report = check(tmp_path)
    assert [finding.rule for finding in report.findings] == found
    assert not found or report.findings[0].message.startswith("every value of `A0` nests more than 128 levels deep")


def test_a_pointer_has_no_more_keys_than_readers_accept_levels(tmp_path: Path) -> None:
    construct = "construct: {NewA: {doc: New., params: [{one: ONE}, {two: TWO}]}}"
    construct = construct.replace("ONE", "/a" * 128).replace("TWO", "/a" * 129)
    body = f"types:\n  A0: {{doc: A type., fields: {{a?: A0}}, {construct}}}\n"
    (tmp_path / "protocol.yaml").write_text(HEAD + body)
    found = [finding for finding in check(tmp_path).findings if finding.rule == "bad-pointer"]
    assert len(found) == 1
    assert found[0].message.endswith("it has more than 128 keys, the most levels that readers accept")
