"""Random changes of a spec that `breaking` does not report as breaks do not break anything.

Changes are edits of the parcel spec, one or two at a time. If no break of newer readers is reported, the new version
decodes all that the old version declares, with the same result. If no break of older readers is reported, the old
version decodes all that the new version declares, possibly as unknown. If only tags and variants have changed, breaks
that are reported also happen.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

from polywire.checks import check
from polywire.evolve.breaking import find
from polywire.evolve.diff.compare import travelling
from polywire.evolve.diff.matching import Matching
from polywire.model.nodes import Model
from polywire.model.reachability import starts
from polywire.model.walk import held
from polywire.oracle import reference
from polywire.oracle.instances import Instance, derive
from sampling import SEED, number, turn

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"
FILES = ("parts.yaml", "lines.yaml", "office.yaml")
EXAMPLES = number(60, 400)
"""The number of edited specs."""

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
    (r"(?m)^      (?:small|large|left|right|error_lost|light|cellar|front): .*\n", ""),  # a value removed
    (r"(?m)^    values:\n(?=      [a-z_]+: [A-Z])", "    values:\n      newest: It is new.\n"),
    (r"(?m)^    values:\n(?=      error)", "    values:\n      error_new: It is new.\n"),
    (r"(?m)^      [a-z_]+\??: [^{\n]+\n(?=      [a-z_]+\??: )", ""),  # a field removed
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
"""Patterns in the files of the spec, and the replacement of one match; many of the results are not valid specs."""


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
    """Every possible edit."""

    def of(file: str) -> Iterator[Edit]:
        text = (PARCEL / file).read_text()
        for pattern, put in EDITS:
            for match in re.finditer(pattern, text):
                yield Edit(file, *match.span(), match.expand(put), match[0])

    return [edit for file in FILES for edit in of(file)]


def edited(folder: Path, chosen: list[Edit]) -> Model | None:
    """The model of the spec with edits applied, or None if that is not valid."""
    for file in FILES:
        text, limit = (PARCEL / file).read_text(), 1 << 30
        for edit in sorted((e for e in chosen if e.file == file), key=lambda e: (-e.start, -e.end)):
            if edit.end <= limit:
                text, limit = text[: edit.start] + edit.text + text[edit.end :], edit.start
        (folder / file).write_text(text)
    report = check(folder)
    return None if report.failed else report.model


# --- properties ------------------------------------------------------------------------------------------------


@cache
def old() -> Model:
    model = check(PARCEL).model
    assert model is not None
    return model


@cache
def written_by_old() -> list[Instance]:
    return written(old())


def written(model: Model) -> list[Instance]:
    """The instances that a version declares or tolerates, of the types that readers decode; a variant alone is none."""
    names = set(starts(model))
    for name in travelling(model):
        names.update(held(model.declarations[name]))
    return [each for each in derive(model, only=names) if each.lenient.ok]


CHOSEN = {"tag-changed", "tag-respelt", "value-added", "value-removed", "variant-added"}
"""Rules about the variant that an object is decoded as. If only these have findings, reported breaks also happen."""

VERDICTS = ("same", "unknown", "lost", "refused")
"""Ordered from no effect to the worst."""


Read = Callable[[str, str, bool], "str | None"]
"""A type, a text, and whether to decode strictly → the variant of the decoded value, or None if it is rejected."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a protocol: its model, the instances that its peers write, and how they decode."""

    model: Model
    written: list[Instance]
    read: Read


def by_reference(model: Model, instances: list[Instance] | None = None) -> Version:
    """A version whose peers decode with the reference implementation."""

    def read(type_: str, text: str, strict: bool) -> str | None:
        try:
            return str(reference.decode(model, type_, text, strict=strict).variant)
        except reference.Fault:
            return None

    return Version(model, written(model) if instances is None else instances, read)


def exchanged(writer: Version, reader: Version, counterparts: dict[str, str]) -> tuple[dict[str, str], set[str]]:
    """The verdicts on declared instances, each with an example; and the verdicts on declared and tolerated instances.

    Types that no longer occur in a message on the reader's side are skipped, since the reader never decodes them.
    """
    got = {each.type for each in reader.written}
    declared: dict[str, str] = {}
    any_of: set[str] = set()
    for each in writer.written:
        type_ = counterparts.get(each.type)
        if type_ in got:
            verdict = became(each, reader.read, type_, counterparts)
            any_of.add(verdict)
            if each.strict.ok:
                declared.setdefault(verdict, f"{each.type}: {each.text}")
    return declared, any_of


def became(each: Instance, read: Read, type_: str, counterparts: dict[str, str]) -> str:
    variant = read(type_, each.text, False)
    if variant is None:
        return "refused"
    written = str(each.lenient.variant)
    if variant not in {"Unknown", written, counterparts.get(written)}:
        return "lost"
    if variant == "Unknown" and written != "Unknown":
        return "unknown"
    return "unknown" if read(type_, each.text, True) is None else "same"


def compared(before: Version, after: Version) -> dict[str, str]:
    """The worst verdict reported for each direction, by the newer side; asserts that it agrees with the results."""
    found = find(before.model, after.model, targets=["jsonschema"])
    breaks = {each.newer for finding in found if finding.rule.severity == "error" for each in finding.directions}
    matching = Matching(before.model, after.model)
    forward = {name: to for name in before.model.declarations if (to := matching.counterpart(name)) is not None}
    backward = {to: name for name, to in forward.items()}
    happens = {
        "reader": exchanged(before, after, forward),
        "writer": exchanged(after, before, backward),
    }
    worst = {"reader": "same", "writer": "same"}
    for finding in found:
        for each in finding.directions:
            worst[each.newer] = max(worst[each.newer], each.verdict, key=VERDICTS.index)
    for newer, (declared, any_of) in happens.items():
        # An older reader may decode what a newer writer sends as unknown; that need not be reported as a break.
        silent = ("same",) if newer == "reader" else ("same", "unknown")
        if newer not in breaks:
            unsaid = {verdict: example for verdict, example in declared.items() if verdict not in silent}
            assert not unsaid, f"newer {newer}, nothing said: {unsaid}"
        if worst[newer] != "same" and {finding.rule.id for finding in found if finding.directions} <= CHOSEN:
            assert any_of & {*VERDICTS[VERDICTS.index(worst[newer]) :]}, f"newer {newer}: said {worst[newer]}"
    return worst


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(PARCEL, tmp_path_factory.mktemp("edited") / "spec"))


def said_is_what_happens(folder: Path, chosen: list[Edit]) -> None:
    note(str(chosen))
    model = edited(folder, chosen)
    if model is not None:
        compared(by_reference(old(), written_by_old()), by_reference(model))


chosen = st.lists(st.sampled_from(edits()), min_size=1, max_size=2)


@turn("edits of the spec")
@settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@seed(SEED)
@given(chosen=chosen)
def test_what_is_not_said_to_break_does_not(folder: Path, chosen: list[Edit]) -> None:
    said_is_what_happens(folder, chosen)


@pytest.mark.parametrize(
    ("text", "newer", "older"),
    [
        ("added?: integer, ", "same", "unknown"),
        ("added: string, ", "refused", "same"),
        ("open: false", "refused", "same"),
        ("event: gone", "unknown", "unknown"),
    ],
)
def test_there_is_something_to_compare(folder: Path, text: str, newer: str, older: str) -> None:
    model = edited(folder, [next(edit for edit in edits() if (edit.file, edit.text) == ("lines.yaml", text))])
    assert model is not None
    assert compared(by_reference(old(), written_by_old()), by_reference(model)) == {"reader": newer, "writer": older}
