"""The working folder → the `polywire.toml` that applies to it; and the bundled spec."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "polywire.toml"

ENTRY = "protocol.yaml"
"""The file of a spec's folder that names the others."""

WITHOUT_SPEC = "Use --spec to name the folder of a spec, or `polywire init` to start one here."
"""What to do if there is no spec."""

_PACKAGE = Path(__file__).resolve().parents[1]
_BUNDLED = (_PACKAGE / "_spec", _PACKAGE.parents[1] / "spec")
"""Where the bundled spec is: in an installed polywire, and in a checkout."""

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


def bundled() -> Path:
    """The folder of the bundled spec. Raises `FileNotFoundError`."""
    for folder in _BUNDLED:
        if (folder / ENTRY).is_file():
            return folder
    raise FileNotFoundError(f"no spec: neither {_BUNDLED[0]} nor {_BUNDLED[1]} has a {ENTRY}; reinstall polywire")


def is_installed(spec: Path) -> bool:
    """Return whether a spec is the bundled one of an installed polywire, which is in no repository."""
    return spec.absolute() == _BUNDLED[0]


def bundled_spec() -> Path:
    """Return the spec that comes with polywire, as a relative path if it is below the working folder."""
    folder = bundled()
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
