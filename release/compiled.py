"""The templates → modules of Python in the wheel, so that no machine has to compile them again.

An installed polywire often cannot keep what it compiled: its folder belongs to root, or PYTHONDONTWRITEBYTECODE is set.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Compiled(BuildHookInterface[Any]):
    """See the module's docstring."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the modules into the wheel; an editable install runs from the templates."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "generator")))
        from polywire.writing.render import compile_templates

        self._folder = Path(tempfile.mkdtemp(prefix="polywire-templates-"))
        compile_templates(self._folder)
        build_data["force_include"][str(self._folder)] = "polywire/_compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 (hatch's)
        """Remove what was made for the wheel."""
        if version != "editable":
            shutil.rmtree(self._folder)
