"""`docs/spec-language.md`: its examples form a spec without findings, and it covers every keyword of the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from polywire.checks import check, check_all
from polywire.oracle import reference
from polywire.oracle.reference.text import read
from polywire.source import grammar
from polywire.source.expr import RESERVED
from polywire.source.grammar import Dict, Either, Json, Key, Record, Removable, Sample, Sequence, Shape, Word

PAGE = Path(__file__).resolve().parents[2] / "docs" / "spec-language.md"
BLOCK = re.compile(r"^```yaml\n(# (\S+)\n.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")


SIMPLEST = "spec/protocol.yaml"
"""The first block of the page, a spec of its own."""


def blocks() -> list[tuple[str, str]]:
    """Return the text of each block, with the file name in its first line."""
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def files() -> dict[str, str]:
    """Return the blocks of the larger example, by file name."""
    return {name: text for text, name in blocks() if name != SIMPLEST}


def parsed(text: str) -> dict[str, Any]:
    """Parse a block with the C parser, as polywire does."""
    document = yaml.load(text, Loader=yaml.CSafeLoader)
    assert isinstance(document, dict)
    return document


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """The examples as a spec folder."""
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


# --- the examples form a spec ----------------------------------------------------------------------------------


def test_every_yaml_block_is_a_file_of_the_example_and_none_is_there_twice() -> None:
    fences = re.findall(r"^```yaml$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(files()) + len([SIMPLEST]) == len(fences) == len(blocks()) > 1


def test_the_page_starts_with_the_simplest_file_which_describes_the_lines_below_it(tmp_path: Path) -> None:
    (text, name), *_ = blocks()
    assert name == SIMPLEST
    assert len(text.splitlines()) <= 5
    (tmp_path / "protocol.yaml").write_text(text, encoding="utf-8")
    report = check(tmp_path, strict=True)
    assert report.render() == ""
    assert report.model is not None
    (shown,) = re.findall(
        r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8").split("## The entry")[0], re.MULTILINE | re.DOTALL
    )
    rules = reference.rules(report.model)
    for line in shown.splitlines():
        outcomes = rules.outcomes("Depth", read(line), strict=True)
        assert outcomes.accepted, line
        assert not outcomes.faults, line


def test_the_example_has_exactly_the_parts_that_its_entry_names() -> None:
    written = dict(files())
    entry = parsed(written.pop("protocol.yaml"))
    assert [name for name in written if not name.startswith("dialects/")] == entry["parts"]


@pytest.mark.parametrize("dialect", [None, "gull", "gull-1998"])
def test_the_strictest_check_finds_nothing_in_the_example(dialect: str | None, harbour: Path) -> None:
    report = check(harbour, dialect, strict=True)
    assert report.render() == ""
    assert report.model is not None


@pytest.mark.parametrize("name", sorted(files()))
def test_every_block_takes_part_in_what_is_checked(name: str, harbour: Path) -> None:
    path = harbour / name
    path.write_text(path.read_text(encoding="utf-8") + "misspelt: true\n", encoding="utf-8")
    found = [(f.rule, f.place.file) for f in check_all(harbour).findings]
    assert ("unknown-key", name) in found


# --- statements of the page ------------------------------------------------------------------------------------


def test_a_later_error_is_still_a_delay_and_a_known_one_with_another_body_is_a_fault(harbour: Path) -> None:
    model = check(harbour).model
    assert model is not None
    line = '{"type": "report", "event": "error_ice", "hours": 3}'
    assert reference.decode(model, "Line", line).variant == "Delayed"
    assert reference.decode(model, "Line", line.replace("error_ice", "ice")).variant == "Unknown"
    with pytest.raises(reference.Fault) as caught:
        reference.decode(model, "Line", line.replace("error_ice", "error_fog").replace("3", "true"))
    assert (caught.value.code, caught.value.path) == ("wrong_type", "/hours")


def test_a_log_entry_without_its_discriminator_is_a_plain_one(harbour: Path) -> None:
    model = check(harbour).model
    assert model is not None
    entries = ('"text": "a"', '"text": "a", "again": false', '"text": "a", "again": true')
    variants = [reference.decode(model, "Line", f'{{"type": "log", {entry}}}').variant for entry in entries]
    assert variants == ["LogEntry", "LogEntry", "LogEntryAgain"]


def test_the_dialect_says_what_the_page_says_of_it(harbour: Path) -> None:
    model = check(harbour, "gull").model
    assert model is not None
    fields = {field.name: field.required for field in model.struct("Hello").fields}
    assert list(fields.items())[:3] == [("call_sign", True), ("captain", False), ("draught", True)]
    assert model.struct("Hello").tags[0].constant == "ahoy"
    assert model.struct("HoistInput").about.doc == "The input of a hoist."
    assert [tool.pattern for tool in model.tools] == ["hoist"]
    assert [variant.name for variant in model.union("Line").variants][-1] == "Bell"
    assert "Log" not in model.declarations


# --- the whole language is covered -----------------------------------------------------------------------------


def records(shape: Shape, found: dict[str, Record]) -> dict[str, Record]:
    """Return every construct that a shape can contain, by name."""
    match shape:
        case Record(name=name, keys=keys):
            if name not in found:
                found[name] = shape
                for key in keys.values():
                    records(key.shape, found)
        case Sequence(item=inner) | Dict(value=inner) | Removable(shape=inner):
            records(inner, found)
        case Either(scalar=scalar, listing=listing, table=table):
            for each in (scalar, listing, table):
                if each is not None:
                    records(each, found)
        case Word() | Json() | Sample():
            pass
    return found


LANGUAGE = records(grammar.DIALECT, records(grammar.ENTRY, {}))


def keywords(shape: Shape) -> Iterator[str]:
    """Yield the keywords that are values of this shape."""
    match shape:
        case Word(kind="keyword", choices=choices):
            yield from choices
        case Either(scalar=Word(kind="keyword", choices=choices)):
            yield from choices
        case Removable(shape=inner):
            yield grammar.REMOVE
            yield from keywords(inner)


def shown() -> set[str]:
    """Return every word in code on the page: in the examples without their comments, or between backticks."""
    page = PAGE.read_text(encoding="utf-8")
    inline = CODE.findall(FENCE.sub("", page))
    examples = [re.sub(r"\s#.*", "", text) for text in files().values()]
    return {word for code in (*inline, *examples) for word in re.findall(r"[\w*]+(?:-\w+)*", code)}


def used(node: object, keys: dict[str, Key]) -> Iterator[str]:
    """Yield the keys of a construct that an example uses, including those in nested constructs."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name in keys:
                yield name
            yield from used(value, keys)
    elif isinstance(node, list):
        for item in node:
            yield from used(item, keys)


@pytest.mark.parametrize("construct", sorted(LANGUAGE))
def test_every_key_of_a_construct_is_on_the_page(construct: str) -> None:
    assert set(LANGUAGE[construct].keys) - shown() == set()


def test_every_section_of_a_part_is_shown_by_an_example() -> None:
    documents = [parsed(text) for text in files().values()]
    assert {name for document in documents for name in document if name in grammar.SECTIONS} == set(grammar.SECTIONS)


def test_every_key_of_a_field_is_shown_by_an_example() -> None:
    documents = [parsed(text) for text in files().values()]
    found = {key for document in documents for key in used(document, dict(LANGUAGE["field"].keys))}
    assert found == set(LANGUAGE["field"].keys)


def test_every_word_that_a_value_is_chosen_from_is_on_the_page() -> None:
    words = {word for record in LANGUAGE.values() for key in record.keys.values() for word in keywords(key.shape)}
    assert words >= {"required", "integer", "ndjson", "bare", "pairs", "remove"}
    assert words - shown() == set()


def test_every_word_of_type_expressions_is_on_the_page() -> None:
    assert set(RESERVED) - shown() == set()
