"""Releases of the spec → the packages generated for only one of them, for documents about one release.

The module's name contains the release, so that it can be loaded along with the package of all releases.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from polywire.model.releases import Span
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from rendered import model_of

SPEC = Path(__file__).resolve().parents[2] / "spec"


@cache
def _folder(release: str) -> Path:
    """Return the Python and JSON Schema targets' output for the release, one folder each, kept until the run ends."""
    folder = Path(tempfile.mkdtemp(prefix="polywire-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    plan = make_plan(model_of(SPEC, span=Span.at(release)))
    for name in ("python", "jsonschema"):
        for path, contents in render(registry()[name], plan).items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_bytes(contents)
    return folder


@cache
def python(release: str) -> ModuleType:
    """Return the Python package of the release."""
    name = f"agentlines_{release.replace('.', '_')}"
    entry = _folder(release) / "python" / "agentlines" / "__init__.py"
    spec = importlib.util.spec_from_file_location(name, entry, submodule_search_locations=[str(entry.parent)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@cache
def schema(release: str, kind: str = "schema") -> dict[str, Any]:
    """Return the definitions of the release's open schema, or of the strict one (`strict.schema`)."""
    text = (_folder(release) / "jsonschema" / f"agentlines.{kind}.json").read_text(encoding="utf-8")
    definitions = json.loads(text)["$defs"]
    assert isinstance(definitions, dict)
    return definitions
