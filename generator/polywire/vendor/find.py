"""The working folder → the `polywire.toml` that applies to it; and the bundled spec."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "polywire.toml"

WITHOUT_SPEC = "Use --spec to name the folder of a spec, or `polywire init` to start one here."
"""What to do if there is no spec."""

BUNDLED = "bundled"
"""The name of the spec that comes with polywire; a folder of that name is written `./bundled`."""


def find(start: Path | None = None) -> Path | None:
    """Return the nearest `polywire.toml` in a folder or its parents, up to the root of the repository."""
    here = Path(os.path.realpath(start or Path()))
    for folder in (here, *here.parents):
        if (folder / NAME).is_file():
            return Path(os.path.relpath(folder / NAME, start))
        if (folder / ".git").exists():
            break
    return None


def bundled_spec() -> Path:
    """Return the spec that comes with polywire, as a relative path if it is below the working folder."""
    from polywire import source

    folder = source.bundled()
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
