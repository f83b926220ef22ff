"""Shared by the tests of vendoring: a small config, the type of a run of polywire in this process, and git."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

PARCEL = Path(__file__).resolve().parents[1] / "specs" / "parcel"
CONFIG = """\
spec = "protocol"

[targets.jsonschema]
out = "schemas"
"""

Run = Callable[..., Result]


def git(*words: str, cwd: Path) -> str:
    """Run git and return its output."""
    who = ("-c", "user.name=Anybody", "-c", "user.email=anybody@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()
