"""Schemas as others publish them: each is imported, and documents of it are judged as a validator judges them.

`make test-all` takes a sample, `make test-nightly` all; `docs/importing.md` has the counts of the whole.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

from compiled import COMPILE, compiled, renamed
from importing.documents import Drawing, is_wrong_kind, verdict
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from polywire_import.run import Imported, run
from polywire_import.shapes import ImportingError
from sampling import SEED, number, sample, third

HERE = Path(__file__).resolve().parent
PACKAGES = HERE / "schemas" / "node_modules"
PAGE = HERE.parents[1] / "docs" / "importing.md"
FOLDERS = {
    "SchemaStore": "schemastore/schemas",
    "AsyncAPI": "@asyncapi/specs/schemas",
    "GitHub webhooks": "@octokit/webhooks-schemas",
    "Vega-Lite": "vega-lite/build",
}
"""A name for each package → where its schemas are."""

SEVERAL = {
    "lsdlschema", "sarif-external-property-file-2.1.0-rtm.5", "azure-deviceupdate-import-manifest-4.0", "drone",
    "azure-iot-edge-deployment-template-4.0", "pre-commit-config", "web-manifest-combined", "cicstags",
    "grunt-jshint-task",
}  # fmt: skip
"""Schemas whose references lead to other files: relative ones, or to URIs of these files."""

DOCUMENTS = number(40, 100)
"""How many documents of a schema are drawn."""

BATCHES = 4

REFUSED = {
    "refers to what the package lacks": r"the reference leads out of the given documents|outside of the folder",
    "has no root": r"the source has no root",
    "is no JSON Schema": r"which JSON Schema does not know|expected a schema|a reference leads here|has the anchor"
    r"|`\$ref` is not a text",
    "describes nothing finite": r"contains itself",
}
"""Why schemas are refused, and a pattern of the messages."""


@dataclass(frozen=True)
class Published:
    """A schema of a package."""

    source: str
    path: Path

    @property
    def schema(self) -> Any:
        return json.loads(self.path.read_bytes())

    def beside(self, uri: str) -> Any:
        """Return the schema that a reference leads to: the file with the longest end of the URI as its path."""
        steps = urlsplit(uri).path.strip("/").split("/")
        ends = ("/".join(steps[at:]) for at in range(len(steps)))
        files = (self.path.parent / f"{end}{suffix}" for end in ends for suffix in ("", ".json"))
        return json.loads(next(filter(Path.is_file, files)).read_bytes())

    def __str__(self) -> str:
        return self.path.relative_to(PACKAGES / FOLDERS[self.source]).as_posix()


@cache
def published() -> tuple[Published, ...]:
    """The schemas of all packages; those that have the same text are one."""
    found: dict[bytes, Published] = {}
    for source, folder in FOLDERS.items():
        for path in sorted(filter(Path.is_file, (PACKAGES / folder).rglob("*.json"))):
            text = path.read_bytes()
            if b"json-schema.org" in text and isinstance(json.loads(text), dict):
                found.setdefault(text, Published(source, path))
    return tuple(found.values())


def imported(schema: Published, folder: Path) -> Imported | str:
    """Import a schema; the reason if it is refused."""
    try:
        return run("json-schema", [schema.path], folder / "spec")
    except ImportingError as error:
        message = str(error)
    reasons = [reason for reason, pattern in REFUSED.items() if re.search(pattern, message)]
    assert len(reasons) == 1, message
    return reasons[0]


def test_the_packages_are_installed() -> None:
    assert len(published()) > 600
    assert {each.source for each in published()} == {*FOLDERS}


@third("published schemas")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_an_import_has_no_findings_and_reads_what_a_validator_accepts(batch: int, tmp_path: Path) -> None:
    chosen = sample(published(), 10 * BATCHES, "published schemas")[batch::BATCHES]
    wrong = [(str(each), *found) for each in chosen if (found := problems(each, tmp_path / each.path.stem))]
    assert wrong == []


def problems(schema: Published, folder: Path) -> list[str]:
    """List what is wrong with an import: what lint finds, and documents with another verdict than a validator's."""
    done = imported(schema, folder)
    if isinstance(done, str):
        return []
    model = done.report.model
    if model is None or done.report.findings:
        return [f"{each.place} {each.rule}: {each.message}" for each in done.report.findings]
    kinds = {note.kind for note in done.notes}
    if kinds & {"guessed", "fallback"}:
        return []  # they name places where documents may be refused
    root = model.protocol.roots[0]
    return [
        f"{document!r}: {fault}"
        for document, accepted in judged(schema, exactly="lost" not in kinds)
        if ((fault := verdict(model, root, document, strict=not accepted)) is None) is not accepted
    ]


def judged(schema: Published, *, exactly: bool) -> Iterator[tuple[Any, bool]]:
    """Draw documents that a validator accepts and, if `exactly`, some that it refuses for their kind."""
    whole = schema.schema
    if not whole.keys() & {"type", "properties", "$ref", "anyOf", "oneOf", "allOf"}:
        return  # it only has definitions, one of which the import took as the root
    try:
        quick = jsonschema_rs.validator_for(whole, retriever=schema.beside)
    except (ValueError, jsonschema_rs.ReferencingError):
        return  # it is invalid, such as a pattern that no engine knows
    registry: Any = Registry(retrieve=lambda uri: Resource.from_contents(schema.beside(uri), DRAFT7))  # type: ignore[call-arg]
    slow = jsonschema.validators.validator_for(whole)(whole, registry=registry)
    drawing = Drawing(whole, Random(f"{schema} {SEED}"))  # noqa: S311 - tests, not secrets
    for document in [drawing.document(whole) for _ in range(DOCUMENTS)]:
        if quick.is_valid(document):
            yield document, True
        elif exactly and not has_whole_fraction(document) and is_wrong_kind(slow, document):
            yield document, False


def has_whole_fraction(document: Any) -> bool:
    """Return whether a document has a number like 3.0, which is no integer in early drafts."""
    return re.search(r"\d\.0\b", json.dumps(document)) is not None


def test_schemas_of_several_files_are_read(tmp_path: Path) -> None:
    several = [each for each in published() if each.path.stem in SEVERAL]
    assert len(several) == len(SEVERAL)
    assert [str(each) for each in several if isinstance(imported(each, tmp_path / each.path.stem), str)] == []
    assert [(str(each), *found) for each in several if (found := problems(each, tmp_path / f"{each.path.stem}2"))] == []


@third("published schemas")
@pytest.mark.parametrize("target", COMPILE)
def test_what_an_import_writes_compiles(target: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    packages = {}
    for at, schema in enumerate(sample(published(), number(4, 60), f"compiled {target}")):
        done = imported(schema, tmp_path / str(at))
        if isinstance(done, Imported) and done.report.model is not None:
            packages[f"s{at}"] = render(registry()[target], make_plan(renamed(done.report.model, f"s{at}")))
    assert compiled(target, packages, request, tmp_path / "all").wrong == {}


def counts(source: str, folder: Path) -> str:
    """Return the line of the page about a package."""
    found: Counter[str] = Counter()
    for at, schema in enumerate(each for each in published() if each.source == source):
        done = imported(schema, folder / f"{source} {at}")
        found["all"] += 1
        if isinstance(done, str):
            found["refused"] += 1
            continue
        kinds = {note.kind for note in done.notes}
        found["exact"] += not kinds - {"renamed"}
        found.update(kinds)
    return (
        f"| {source} | "
        + " | ".join(f"{found[each]}" for each in ("all", "refused", "exact", "lost", "guessed", "fallback"))
        + " |"
    )


@pytest.mark.nightly
@pytest.mark.parametrize("source", FOLDERS)
def test_the_page_has_the_counts(source: str, tmp_path: Path) -> None:
    assert counts(source, tmp_path) in PAGE.read_text(encoding="utf-8").splitlines()
