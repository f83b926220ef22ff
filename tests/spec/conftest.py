"""The protocol that this repository describes, as tests of the spec see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.checks import Report, check
from polywire.model.nodes import Model


@pytest.fixture(scope="session")
def report(root: Path) -> Report:
    """What the strictest check says of the spec."""
    return check(root / "spec", strict=True)


@pytest.fixture(scope="session")
def model(report: Report) -> Model:
    assert report.model is not None
    return report.model
