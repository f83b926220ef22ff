"""The targets, discovered at run time: every module of this package that has a `TARGET`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from polywire.targets.common.base import Target


@cache
def registry() -> dict[str, Target]:
    """The targets by name, in alphabetical order."""
    modules = (importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    found = [m.TARGET for m in modules if hasattr(m, "TARGET")]
    return {t.name: t for t in sorted(found, key=lambda t: t.name)}
