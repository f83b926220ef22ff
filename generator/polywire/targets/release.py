"""The protocol as a whole → what the packages of every language share: their version, and what each release brought.

The version is the spec's `packages.version` and says nothing of the protocol's releases, which are constants of the
package: what package managers consider compatible has to be compatible, and `polywire breaking` tells what is not.
"""

from __future__ import annotations

from polywire.model.nodes import Protocol
from polywire.records import dataclass
from polywire.targets.text import Escapes


@dataclass(frozen=True, slots=True)
class Release:
    """What the templates of a package see of the protocol as a whole."""

    package_version: str
    next_version: str
    """The next version that may be incompatible."""
    introduction: str
    changes: tuple[tuple[str, str], ...]
    """Version, and what changed in it."""


def release_view(protocol: Protocol, escapes: Escapes) -> Release:
    """The release that a spec describes; Markdown of the spec is as `escapes` makes it harmless."""
    return Release(
        package_version=protocol.package_version,
        next_version=next_incompatible(protocol.package_version),
        introduction=escapes.page(protocol.about.doc or ""),
        changes=tuple((version, escapes.page(told)) for version, told in protocol.changes),
    )


def next_incompatible(version: str) -> str:
    """The version whose first number that is not 0 is one greater: 0.3.1 → 0.4.0, 1.4.0 → 2.0.0, 0.0.1 → 0.0.2."""
    numbers = [int(number) for number in version.split(".")]
    first = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    return ".".join(str(each) for each in (*numbers[:first], numbers[first] + 1, *[0] * (len(numbers) - first - 1)))
