"""The model → an npm package without dependencies: declarations, and the code that they declare.

Every decision of the language is made in this package: `names` (what things are called), `declarations` (types),
`layout` (how text is laid out). The templates put it in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from polywire.model.nodes import Model
from polywire.targets.base import File, Name, Target
from polywire.targets.typescript.names import KEYWORDS, TARGET_NAME, Names


class TypeScriptTarget(Target):
    """The package `agentproto` of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = TARGET_NAME
    override_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"package"})
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z_$][A-Za-z0-9_$]*"

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def files(self, model: Model) -> Iterable[File]:
        return ()


TARGET = TypeScriptTarget()
