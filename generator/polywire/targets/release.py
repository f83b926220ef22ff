"""The protocol as a whole → what the packages of every language share: their version, and what each release brought.

Package managers want three numbers (semantic versioning, PEP 440, Go's modules and Cargo agree on no more), and the
protocol's own version has them taken. So the last of them carries the revision as well:

    protocol X.Y.Z, revision R  →  packages X.Y.(100·Z + R)

Whatever is newer has the greater version, in every one of those orders; the protocol's version can be read off a
package's; and there can be a hundred releases of the packages for one version of the protocol.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from polywire.model.nodes import Protocol
from polywire.targets.text import Escapes

REVISIONS: Final = 100
"""How many releases of the packages there can be for one version of the protocol."""

_NUMBERS = re.compile(r"[0-9]+(\.[0-9]+){0,2}")


class VersionError(ValueError):
    """No version of packages follows from what the spec says; the message says why, and `key` which key is at fault."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def package_version(protocol: Protocol) -> str:
    """The version of all packages of a protocol. Raises `VersionError`."""
    if not _NUMBERS.fullmatch(protocol.version):
        message = f"`{protocol.version}` is not one to three numbers, so packages can have no version of it"
        raise VersionError("version", message)
    if not 0 <= protocol.revision < REVISIONS:
        raise VersionError("revision", f"the revision of packages is 0 to {REVISIONS - 1}, not {protocol.revision}")
    major, minor, patch = (*map(int, protocol.version.split(".")), 0, 0)[:3]
    return f"{major}.{minor}.{REVISIONS * patch + protocol.revision}"


@dataclass(frozen=True, slots=True)
class Release:
    """What the templates of a package see of the protocol as a whole."""

    package_version: str
    next_version: str
    """The version of the packages of the next protocol."""
    introduction: str
    changes: tuple[tuple[str, str], ...]
    """Version, and what changed in it."""


def release_view(protocol: Protocol, escapes: Escapes) -> Release:
    """The release that a spec describes; Markdown of the spec is as `escapes` makes it harmless."""
    version = package_version(protocol)
    family, _, patch = version.rpartition(".")
    return Release(
        package_version=version,
        next_version=f"{family}.{(int(patch) // REVISIONS + 1) * REVISIONS}",
        introduction=escapes.page(protocol.about.doc or ""),
        changes=tuple((version, escapes.page(told)) for version, told in protocol.changes),
    )
