"""Folders of specs → their models, and models → packages on disk, for tests of targets."""

from __future__ import annotations

from pathlib import Path

from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.plan import make_plan
from polywire.render import render
from polywire.source import load
from polywire.targets.base import Target


def model_of(folder: Path, dialect: str | None = None, *, span: Span = WHOLE) -> Model:
    """Return the model of a spec that has no errors, or of some of its releases."""
    built = build(load(folder, dialect), span)
    assert built.model is not None, built.findings
    return built.model


def generate(target: Target, model: Model, folder: Path) -> Path:
    """Write the target's output for a model; return the folder."""
    for path, contents in render(target, make_plan(model)).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)
    return folder
