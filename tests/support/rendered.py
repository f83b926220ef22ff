"""Folders of specs → their models, and models → packages on disk, for tests of targets."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.plan import make_plan
from polywire.source import Source, in_dialect, load
from polywire.targets.common.base import Target
from polywire.writing.render import render
from toolchain import ROOT


@cache
def source_of(folder: Path) -> Source:
    """Return a spec of this repository, which no test changes and a process reads once."""
    return load(folder)


@cache
def _own(folder: Path, dialect: str | None, span: Span) -> Model:
    proper = source_of(folder)
    return _built(proper if dialect is None else in_dialect(proper, dialect), span)


def model_of(folder: Path, dialect: str | None = None, *, span: Span = WHOLE) -> Model:
    """Return the model of a spec that has no errors, or of some of its releases."""
    if folder.resolve().is_relative_to(ROOT):
        return _own(folder.resolve(), dialect, span)
    return _built(load(folder, dialect), span)


def _built(source: Source, span: Span) -> Model:
    built = build(source, span)
    assert built.model is not None, built.findings
    return built.model


def generate(target: Target, model: Model, folder: Path) -> Path:
    """Write the target's output for a model; return the folder."""
    for path, contents in render(target, make_plan(model)).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)
    return folder
