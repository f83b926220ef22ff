"""Whatever is changed in a spec: what `breaking` does not say breaks, does not break.

Changes are edits of the parcel spec, one or two at a time. What the old version declares is decoded by the new one, if
nothing is said to break newer readers, and must be as good there as it was; and what the new version declares is
decoded by the old one, if nothing is said to break older readers.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from polywire import reference
from polywire.breaking import find
from polywire.checks import check
from polywire.diff.compare import travelling
from polywire.diff.matching import Matching
from polywire.instances import Instance, derive
from polywire.model.nodes import Alias, Model, Struct
from polywire.model.reachability import starts
from polywire.model.walk import refs

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"
FILES = ("parts.yaml", "lines.yaml", "office.yaml")
EXAMPLES = 24
"""Specs that are tried; a second or less each."""

SCALAR = r"(?:string|integer|number|boolean|uuid|timestamp)\b"
EDITS = [
    (r"(?<=\w)\?(?=: )", ""),  # required
    (r"(?<=[a-z_])(?=: (?:" + SCALAR + r"|[A-Z]\w+[,}\n]))", "?"),  # optional
    *(
        (rf"(?<=: ){old}\b", new)
        for old, new in (
            ("string", "integer"),
            ("string", "uuid"),
            ("string", "json"),
            ("string", '"string | integer"'),
            ("integer", "number"),
            ("number", "integer"),
            ("uuid", "string"),
            ("uuid", "timestamp"),
            ("timestamp", "string"),
            ("boolean", "string"),
            ("json", "object"),
            ("object", "json"),
            ("Point", "Named"),
            ("Named", "object"),
            ("Size", "Side"),
            ("Side", "Size"),
            ("Side", "string"),
            ("Weight", "integer"),
            ("Weight", "Floor"),
            ("Item", "Shape"),
            ("Item", "Letter"),
            ("Tree", "object"),
            ("Shape", "Circle"),
            ("Sizes", "object"),
            ("Reply", "string"),
            ("Reply", '"string | integer"'),
            ("Desk", "string"),
            ("Desk", "Size"),
        )
    ),
    (r" \| null\b", ""),
    (r"(?<=: )(Point|Size|integer|string)(?=[,}\n])", r'"\1 | null"'),
    (r"\[0\.\.3\]", "[0..2]"),
    (r"\[1\.\.2\]", "[0..9]"),
    (r"\[\](?=\")", "[1..9]"),
    (r"open: true", "open: false"),
    (r"open: false", "open: true"),
    (r"(?m)^      (?:small|large|left|right|error_lost|light|cellar|front): .*\n", ""),  # a value less
    (r"(?m)^    values:\n(?=      [a-z_]+: [A-Z])", "    values:\n      newest: It is new.\n"),
    (r"(?m)^    values:\n(?=      error)", "    values:\n      error_new: It is new.\n"),
    (r"(?m)^      [a-z_]+\??: [^{\n]+\n(?=      [a-z_]+\??: )", ""),  # a field less
    (r"(?<=fields: \{)\w+\??: [^,{}]+, ", ""),
    (r"(?<=fields: \{)", "added: string, "),
    (r"(?<=fields: \{)", "added?: integer, "),
    (r"(?m)^    fields:\n(?=      [a-z])", "    fields:\n      added?: Point\n"),
    (r"(?m)^    fields:\n(?=      [a-z])", "    fields:\n      added: boolean\n"),
    (r"(?<=fields: \{)(\w+)(\??): (\w+)(?=[,}])", r"renamed\2: {type: \3, formerly: \1}"),
    (r"kind: (letter|crate)", "kind: other"),
    (r"\[tube, roll\]", "[tube]"),
    (r"\[tube, roll\]", "[tube, roll, pipe]"),
    (r"tag: \{kind: letter\}", "tag: {kind: [letter, card]}"),
    (r'"form\?": circle', "form: circle"),
    (r"form: square", '"form?": square'),
    (r"isWrapped: true", "isWrapped: false"),
    (r"event: sent", "event: gone"),
    (r"event: Outcome", "event: [error_lost]"),
    (r'others: "error_\*"\n', 'others: "err*"\n'),
    (r'(?m)^    others: "error_\*"\n', ""),
    (r"const: \{version: 2,", "const: {version: 3,"),
    (r"const: \{version: 2,", "const: {"),
    (r"const: \{", "const: {fresh: true, "),
    (r"extra: integer", "extra: string"),
    (r"extra: integer", "extra: number"),
    (r"(?m)^    extra: integer\n", ""),
    (r"(?m)^(    doc: A place on the map.\n)", r"\1    extra: string\n"),
    (r", flatten: true", ""),
    (r"(?<=variants: \[)\w+, ", ""),
    (r", \w+(?=\]\n)", ""),
    (r"(?<=variants: \[)(?=Letter|Hello|Note)", "Tree, "),
    (r"lacks: \[address, why\]", "lacks: [why]"),
    (r"has: \[why\]", "has: [when]"),
    (r"(?m)^  (stop|turn):\n(?:    .*\n)+", ""),
    (r"(?m)^controls:\n", "controls:\n  wait: {doc: W., from: van, response: none}\n"),
    (r"from: (?:van|both)", "from: depot"),
    (r"from: depot", "from: both"),
    (r"include: \[Named\]", "include: []"),
    (r"by: again", "by: once"),
]  # fmt: skip  (a table)
"""Patterns in the files of the spec, and what to put in the place of one match; many of the outcomes are no specs."""


@dataclass(frozen=True)
class Edit:
    """One change of one file."""

    file: str
    start: int
    end: int
    text: str
    before: str

    def __repr__(self) -> str:
        return f"{self.file}@{self.start}: {self.before!r} → {self.text!r}"


@cache
def edits() -> list[Edit]:
    """Every edit that there is."""

    def of(file: str) -> Iterator[Edit]:
        text = (PARCEL / file).read_text()
        for pattern, put in EDITS:
            for match in re.finditer(pattern, text):
                yield Edit(file, *match.span(), match.expand(put), match[0])

    return [edit for file in FILES for edit in of(file)]


def edited(folder: Path, chosen: list[Edit]) -> Model | None:
    """The spec with edits in it, if that is one."""
    for file in FILES:
        text, limit = (PARCEL / file).read_text(), 1 << 30
        for edit in sorted((e for e in chosen if e.file == file), key=lambda e: (-e.start, -e.end)):
            if edit.end <= limit:
                text, limit = text[: edit.start] + edit.text + text[edit.end :], edit.start
        (folder / file).write_text(text)
    report = check(folder)
    return None if report.failed else report.model


# --- what must hold --------------------------------------------------------------------------------------------


@cache
def old() -> Model:
    model = check(PARCEL).model
    assert model is not None
    return model


@cache
def written_by_old() -> list[Instance]:
    return written(old())


def written(model: Model) -> list[Instance]:
    """All that a version declares to be written, as what it is read as: no variant by itself."""
    names = set(starts(model))
    for name in travelling(model):
        declared = model.declarations[name]
        if isinstance(declared, Alias):
            names.update(refs(declared.type))
        elif isinstance(declared, Struct):
            names.update(refs(declared.extra), *(refs(field.type) for field in declared.wire_fields))
    return [each for each in derive(model, only=names) if each.strict.ok]


def assert_read(writer: list[Instance], reader: Model, counterparts: dict[str, str], *, strict: bool) -> None:
    """Everything is read; strictly, as what it was written as."""
    for each in writer:
        type_ = counterparts.get(each.type)
        if type_ is None:
            continue
        try:
            found = reference.decode(reader, type_, each.text, strict=strict)
        except reference.Fault as fault:
            pytest.fail(f"{each.type}: {each.text}: {fault.code} at {fault.path}")
        if strict:
            variant = str(each.strict.variant)
            assert found.variant in {variant, counterparts.get(variant)}, each.text


def held(model: Model) -> tuple[bool, bool]:
    """Whether newer readers, and older ones, are said to go on as before; if they are, they do."""
    breaks = [each for each in find(old(), model, targets=["jsonschema"]) if each.rule.severity == "error"]
    newer = {direction.newer for each in breaks for direction in each.directions}
    matching = Matching(old(), model)
    counterparts = {
        name: counterpart for name in old().declarations if (counterpart := matching.counterpart(name)) is not None
    }
    if "reader" not in newer:
        assert_read(written_by_old(), model, counterparts, strict=True)
    if "writer" not in newer:
        assert_read(
            written(model), old(), {counterpart: name for name, counterpart in counterparts.items()}, strict=False
        )
    return "reader" not in newer, "writer" not in newer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(PARCEL, tmp_path_factory.mktemp("edited") / "spec"))


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(chosen=st.lists(st.sampled_from(edits()), min_size=1, max_size=2))
def test_what_is_not_said_to_break_does_not(folder: Path, chosen: list[Edit]) -> None:
    note(str(chosen))
    model = edited(folder, chosen)
    if model is not None:
        held(model)


@pytest.mark.parametrize(
    ("text", "newer", "older"),
    [("added?: integer, ", True, True), ("added: string, ", False, True), ("open: false", False, True)],
)
def test_there_is_something_to_hold(folder: Path, text: str, newer: bool, older: bool) -> None:
    model = edited(folder, [next(edit for edit in edits() if (edit.file, edit.text) == ("lines.yaml", text))])
    assert model is not None
    assert held(model) == (newer, older)
