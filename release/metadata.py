"""README and changelog → the page that an index of packages shows of polywire."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

README = "generator/README.md"
CHANGELOG = "CHANGELOG.md"


class Page(MetadataHookInterface):
    """See the module's docstring."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the page into what is said about the distribution."""
        metadata["readme"] = {"content-type": "text/markdown", "text": page(Path(self.root))}


def page(root: Path) -> str:
    """The README with the changelog as its last part."""
    readme, changes = ((root / name).read_text(encoding="utf-8") for name in (README, CHANGELOG))
    _, _, told = changes.partition("\n")
    return readme + "\n## Changes\n" + re.sub("^#", "##", told, flags=re.MULTILINE)
