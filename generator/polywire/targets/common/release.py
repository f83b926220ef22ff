"""The protocol as a whole → what the packages of all languages share: their version, and the changes in each release.

The version is the spec's `packages.version`, independent of the protocol's releases, which are constants of the
package: versions that package managers treat as compatible must be compatible, and `polywire breaking` finds what is
not.
"""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Model
from polywire.targets.common.text import Escapes


@dataclass(frozen=True, slots=True)
class Release:
    """The protocol as a whole, for the templates of a package."""

    package_version: str
    next_version: str
    """The next version that may be incompatible."""
    is_published: bool
    """Whether the registry of the language has the package."""
    installed: str
    """What package managers install: the name in the registry, or the path of the folder, which is a placeholder."""
    introduction: str
    changes: tuple[tuple[str, str], ...]
    """A version, and the changes in it."""


FOLDER = "./path/to/this/folder"


def release_view(model: Model, target: str, name: str, escapes: Escapes) -> Release:
    """The release that a spec describes, as a package of that name; `escapes` makes its Markdown safe.

    Installing a name that nobody has published yet would run the code of anybody who publishes it.
    """
    protocol = model.protocol
    is_published = model.packages.get(target, {}).get("published") == "true"
    return Release(
        package_version=protocol.package_version,
        next_version=next_incompatible(protocol.package_version),
        is_published=is_published,
        installed=name if is_published else FOLDER,
        introduction=escapes.page(protocol.about.doc or ""),
        changes=tuple((version, escapes.page(text)) for version, text in protocol.changes),
    )


def next_incompatible(version: str) -> str:
    """The version with its first non-zero number incremented: 0.3.1 → 0.4.0, 1.4.0 → 2.0.0, 0.0.1 → 0.0.2."""
    numbers = [int(number) for number in version.split(".")]
    first = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    return ".".join(str(each) for each in (*numbers[:first], numbers[first] + 1, *[0] * (len(numbers) - first - 1)))
