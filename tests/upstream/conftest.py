"""Node, and the TypeScript compiler that polywire pins."""

from __future__ import annotations

import pytest

from toolchain import Toolchain


@pytest.fixture
def compiler(node: Toolchain) -> None:
    """Skips a test if there is no Node; polywire installs the compiler."""
