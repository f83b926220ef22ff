"""Fixtures with the model of the protocol that this repository describes, at several releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.checks import Report, check
from polywire.model.nodes import Model
from polywire.model.releases import Span

OLDEST, NEWEST = "0.2.33", "0.3.333"


@pytest.fixture(scope="session")
def report(root: Path) -> Report:
    """The report of a strict check of the spec."""
    return check(root / "spec", strict=True)


@pytest.fixture(scope="session")
def span(report: Report) -> Model:
    """The model of all releases combined."""
    assert report.model is not None
    return report.model


@pytest.fixture(scope="session")
def model(root: Path) -> Model:
    """The model at the oldest release."""
    return at(root, OLDEST)


@pytest.fixture(scope="session")
def newest(root: Path) -> Model:
    return at(root, NEWEST)


def at(root: Path, release: str) -> Model:
    report = check(root / "spec", span=Span.at(release))
    assert report.model is not None
    return report.model
