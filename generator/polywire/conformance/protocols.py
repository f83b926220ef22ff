"""Spec folders and dialects → the models that cases are checked against, each built once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from polywire.ground.words import counted
from polywire.model.nodes import Union
from polywire.model.walk import without_alias
from polywire.source.types import Ref

if TYPE_CHECKING:
    from polywire.model.nodes import Model
    from polywire.source import Source


@dataclass(frozen=True, slots=True)
class Protocol:
    """One spec in one dialect. Compared by folder and dialect."""

    folder: Path
    dialect: str | None
    model: Model = field(compare=False, repr=False)

    @property
    def first_root(self) -> str:
        """The default type of cases."""
        return self.model.protocol.roots[0]

    def is_union(self, name: str) -> bool:
        """Return whether the declaration is a union, directly or through aliases."""
        plain = without_alias(Ref(name), self.model.declarations)
        return isinstance(plain, Ref) and isinstance(self.model.declarations[plain.name], Union)

    def __str__(self) -> str:
        return self.model.protocol.name + (f", dialect {self.dialect}" if self.dialect else "")


class Protocols:
    """The specs of a run: the default one, and those named by individual cases."""

    def __init__(self, folder: Path, dialect: str | None = None) -> None:
        self._folder = folder.resolve()
        self._dialect = dialect
        self._read: dict[Path, Source] = {}
        self._built: dict[tuple[Path, str | None], Protocol] = {}

    @property
    def default(self) -> Protocol:
        """The protocol of cases that name no spec. Raises `ValueError`, as `get` does."""
        return self.get(None, self._dialect)

    def get(self, folder: Path | None, dialect: str | None) -> Protocol:
        """Return the protocol, built if needed; no folder is the default spec. Raises `ValueError` if it has errors."""
        key = (self._folder if folder is None else folder.resolve(), dialect)
        if key not in self._built:
            self._built[key] = Protocol(*key, self._model(*key))
        return self._built[key]

    def _model(self, folder: Path, dialect: str | None) -> Model:
        from polywire.source import in_dialect, load

        if not (folder / "protocol.yaml").is_file():
            step = "name one with --spec, or begin one with `polywire init`"
            raise ValueError(f"{folder}: no spec there (no protocol.yaml); {step}")
        proper = self._read.get(folder) or self._read.setdefault(folder, load(folder))
        return _built(folder, proper if dialect is None else in_dialect(proper, dialect))


def _built(folder: Path, source: Source) -> Model:
    from polywire.model.build import build

    built = build(source)
    errors = [f for f in built.findings if f.severity == "error"]
    if errors or built.model is None:
        first = f"; the first: {errors[0].place}: {errors[0].message}" if errors else ""
        raise ValueError(f"{folder}: the spec has {counted(len(errors), 'error')}{first}; polywire lint shows them all")
    return built.model
