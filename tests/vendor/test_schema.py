"""The schema of `polywire.toml` rejects what the reader rejects, as far as a single value decides it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from polywire.commands.cli import cli
from polywire.commands.init import text_of
from polywire.ground.parsing import toml_table
from polywire.targets import registry
from polywire.vendor import config, schema
from polywire.vendor.config import FAULTS, KEYS, ConfigError, target_keys

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads(schema.emit())
VALIDATOR = Draft202012Validator(SCHEMA)

OF_FORM = {"unknown-key", "missing-key", "wrong-kind", "unknown-target", "bad-package"}
"""Rules about a single value; the schema rejects every document that violates one of them."""
FINE: dict[str, Any] = {"spec": "bundled", "targets": {"go": {"out": "wire"}}}


def refused(document: object) -> bool:
    return not VALIDATOR.is_valid(document)


def rules(text: str) -> set[str]:
    """The rules of the reader's findings."""
    try:
        config.parse(Path("polywire.toml"), text.encode())
    except ConfigError as error:
        return {finding.rule for finding in error.report.findings}
    return set()


def test_it_is_a_schema_of_its_draft_and_the_same_every_time() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema.emit() == schema.emit()


def test_the_command_prints_it_beside_that_of_the_spec_language() -> None:
    assert CliRunner().invoke(cli, ["schema", "config"]).stdout_bytes == schema.emit()
    ours, theirs = (CliRunner().invoke(cli, words).stdout for words in (["schema"], ["schema", "spec"]))
    assert ours == theirs == (ROOT / "spec" / "polywire.schema.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("where", [None, *registry()])
def test_every_key_stands_in_it_with_what_the_table_says(where: str | None) -> None:
    keys = KEYS if where is None else target_keys(registry()[where])
    table = SCHEMA if where is None else SCHEMA["properties"]["targets"]["properties"][where]
    assert {name: said["description"] for name, said in table["properties"].items()} == {
        name: key.doc for name, key in keys.items()
    }
    assert table["required"] == [name for name, key in keys.items() if key.required]


# --- accepted --------------------------------------------------------------------------------------------------


def shown() -> list[str]:
    """Every `polywire.toml` in the docs, and the shortest and longest that `polywire init` writes."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md")))
    blocks = [text for text in re.findall(r"^```toml\n(.*?)^```", pages, re.MULTILINE | re.DOTALL) if "spec = " in text]
    folders = {name: f"out/{name}" for name in registry()}
    packages = {"python": {"module": "wire", "pydantic": "open"}, "go": {"module": "example.org/a/b", "package": "b"}}
    written = [text_of("bundled", {"rust": "src"}, {}), text_of("s", folders, packages, "d", ["A"], ["a", ""], "t")]
    return [*blocks, *written]


@pytest.mark.parametrize("text", shown(), ids=range(len(shown())))
def test_every_file_that_is_shown_is_fine(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(toml_table(text.encode()))] == []


def test_the_editor_line_of_the_page_names_what_its_command_writes() -> None:
    page = (ROOT / "docs" / "vendoring.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"polywire schema config > (\S+)`", page)
    (named,) = re.findall(r"^#:schema (\S+)$", page, re.MULTILINE)
    assert named == f"./{written}"


# --- rejected --------------------------------------------------------------------------------------------------

WRONG = {
    "unknown-key": [
        "lint.stric = true",
        "breaking.categories = ['wires']",
        'spek = "x"',
        'version = "1"',
        "[targets.go]\noutt = 'x'",
        "[targets.go]\ncrate = 'x'",
    ],
    "missing-key": [
        "# spec",
        "# targets",
        "[targets]",
        "[targets.rust]",
        "lint.ignore = [{rule = 'missing-doc', at = 'A'}]",
    ],
    "wrong-kind": [
        "roots = 'A'",
        "roots = []",
        "roots = [1]",
        "header = 1",
        "dialect = 1979-05-27",
        "targets = 1",
        "lint.strict = 'yes'",
        "lint.ignore = ['A']",
        "breaking = true",
    ],
    "bad-path": [
        "spec = '/s'",
        "spec = ''",
        "templates = 'C:\\t'",
        "[targets.go]\nout = ''",
        "[targets.go]\nout = '/w'",
        "lint.baseline = '/b'",
    ],
    "unknown-target": ["[targets.pyton]\nout = 'x'"],
    "unknown-root": ["roots = ['A', 'A']"],
    "bad-package": [
        "[targets.python]\nout = 'x'\nmodule = 'class'",
        "[targets.python]\nout = 'x'\npydantic = 'loose'",
        "[targets.rust]\nout = 'x'\ncrate = '7s'",
        "[targets.jsonschema]\nout = 'x'\nname = '../x'",
        "[targets.jsonschema]\nout = 'x'\nname = \"x\\n\"",
    ],
    "unknown-rule": [
        "lint.severity.no-such-rule = 'off'",
        "breaking.ignore = [{rule = 'missing-doc', at = 'A', reason = 'r'}]",
    ],
    "bad-severity": [
        "lint.severity.unknown-name = 'off'",
        "lint.severity.missing-doc = 'of'",
        "lint.ignore = [{rule = 'unknown-name', at = 'A', reason = 'r'}]",
        "breaking.severity.type-changed = 'warning'",
    ],
    "bad-date": ["lint.ignore = [{rule = 'missing-doc', at = 'A', reason = 'r', until = '1.1.2030'}]"],
    "empty-text": ["lint.ignore = [{rule = 'missing-doc', at = '', reason = 'r'}]"],
}
"""Rule → TOML that is merged into `FINE` to violate it, or `# KEY` for a key that is removed."""
BY_THE_READER = {
    "toml-syntax": "an editor knows TOML",
    "shared-folder": "about two values",
    "missing-spec": "about the disk",
    "unknown-dialect": "about the spec",
    "bad-release": "about two values, or the spec",
    "bad-header": "patterns know no kinds of characters",
    "unused-template": "about the disk",
    "untrusted-template": "about the disk, and a flag",
    "unused-ignore": "about the spec",
    "expired-ignore": "about the spec, and the day",
}


def test_every_fault_is_refused_or_is_the_readers_alone() -> None:
    assert {*WRONG} | {*BY_THE_READER} == {*FAULTS}
    assert {*WRONG} & {*BY_THE_READER} == set()
    assert not refused(FINE)


@pytest.mark.parametrize(("rule", "said"), [(rule, said) for rule, texts in WRONG.items() for said in texts])
def test_what_is_wrong_is_refused_as_the_reader_refuses_it(rule: str, said: str) -> None:
    document = {name: value for name, value in FINE.items() if said != f"# {name}"}
    document |= toml_table(said.encode())
    assert refused(document)
    assert rule in rules(toml(document))


# --- agreement of schema and reader ----------------------------------------------------------------------------


def toml(document: dict[str, Any]) -> str:
    return "".join(f"{inline(name)} = {inline(value)}\n" for name, value in document.items())


def inline(value: Any) -> str:
    match value:
        case dict():
            return f"{{{', '.join(f'{inline(name)} = {inline(inner)}' for name, inner in value.items())}}}"
        case list():
            return f"[{', '.join(map(inline, value))}]"
        case str() | bool() | int():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


WORDS = [
    "",
    "A",
    "wire",
    "Wire",
    "a/b",
    "../x",
    "/x",
    "C:x",
    "\\x",
    "7s",
    "class",
    "type",
    "open",
    "strict",
    "a\n",
    "a b",
]
TEXTS = st.sampled_from([*WORDS, "bundled"]) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
ENTRY = st.fixed_dictionaries(
    {"rule": st.sampled_from(["missing-doc", "unknown-name", "type-changed", ""]), "at": TEXTS, "reason": TEXTS},
    optional={"until": st.sampled_from(["2030-01-31", "2030-1-1", "soon"])},
)
POLICY = st.fixed_dictionaries(
    {},
    optional={
        "strict": st.booleans(),
        "severity": st.dictionaries(
            st.sampled_from(["missing-doc", "unknown-name", "type-changed", "x"]),
            st.sampled_from(["off", "warning", "error", ""]),
        ),
        "ignore": st.lists(ENTRY, max_size=2),
        "categories": st.lists(st.sampled_from(["wire", "x"]), max_size=2),
        "baseline": TEXTS,
    },
)
VALUES = POLICY | TEXTS | st.integers(0, 9) | st.booleans() | st.lists(TEXTS | st.just(1), max_size=2)
PACKAGES = sorted({key for target in registry().values() for key in target_keys(target)} | {"outt"})


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A valid document, with at most one value of any kind at the top level and one in the table of a target."""
    targets = draw(st.lists(st.sampled_from([*registry()]), min_size=1, max_size=2, unique=True))
    tables = {name: {"out": f"out/{name}"} for name in targets}
    tables[targets[0]] |= draw(st.dictionaries(st.sampled_from(PACKAGES), VALUES, max_size=1))
    top = draw(st.dictionaries(st.sampled_from([*KEYS, "spek"]), VALUES, max_size=1))
    more = draw(st.sampled_from([{}, {"roots": ["A"]}, {"header": ["a", ""]}, {"pyton": {"out": "x"}}]))
    extra = {"targets": tables | more} if "pyton" in more else more
    return {"spec": "bundled", "targets": tables, **extra, **top}


@given(documents())
def test_the_schema_and_the_reader_agree(document: dict[str, Any]) -> None:
    found = rules(toml(document))
    if refused(document):
        assert found
    else:
        assert found <= {*BY_THE_READER, "bad-path"}  # a path that leaves its folder again
    assert found & OF_FORM == set() or refused(document)
