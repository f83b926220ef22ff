"""The fixture that most tests of the reference pages use."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsed_pages import Site, spec_site


@pytest.fixture(scope="session")
def whole(root: Path) -> Site:
    """The reference of this repository's spec, whose packages are in `generated/`."""
    return spec_site(root / "spec")
