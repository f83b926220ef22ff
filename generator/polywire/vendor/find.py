"""The working folder → the `polywire.toml` that it is under; and the spec that comes with polywire."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "polywire.toml"

WITHOUT_SPEC = "Use --spec to name the folder of a spec, or `polywire init` to start one here."
"""What to do where there is no spec."""

BUNDLED = "bundled"
"""What a spec is called that comes with polywire; a folder of that name is `./bundled`."""


def find(start: Path | None = None) -> Path | None:
    """The nearest `polywire.toml`, from a folder upwards to the top of the repository that it is in."""
    here = Path(os.path.realpath(start or Path()))
    for folder in (here, *here.parents):
        if (folder / NAME).is_file():
            return Path(os.path.relpath(folder / NAME, start))
        if (folder / ".git").exists():
            break
    return None


def bundled_spec() -> Path:
    """The spec that comes with polywire, as a path from here where it is below."""
    from polywire import source

    folder = source.bundled()
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
