"""Spec folders, dialects and releases → the models that cases are checked against, each built once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from polywire.ground.words import counted
from polywire.model.nodes import Union
from polywire.model.releases import WHOLE, Span
from polywire.model.walk import without_alias
from polywire.source.types import Ref

if TYPE_CHECKING:
    from polywire.model.nodes import Model
    from polywire.source import Source


@dataclass(frozen=True, slots=True)
class Protocol:
    """One spec in one dialect, at one release or of all. Compared by these."""

    folder: Path
    dialect: str | None
    release: str | None
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
        dialect = f", dialect {self.dialect}" if self.dialect else ""
        return self.model.protocol.name + (f" {self.release}" if self.release else "") + dialect


class Protocols:
    """The specs of a run: the default one, and those named by individual cases."""

    def __init__(self, folder: Path, dialect: str | None = None, release: str | None = None) -> None:
        """`release` is of the spec in the folder; by default, its models and those of other specs join all releases."""
        self._folder = folder.resolve()
        self._dialect = dialect
        self._release = release
        self._read: dict[Path, Source] = {}
        self._built: dict[tuple[Path, str | None, str | None], Protocol] = {}

    @property
    def default(self) -> Protocol:
        """The protocol of cases that name no spec. Raises `ValueError`, as `get` does."""
        return self.get(None, self._dialect)

    def get(self, folder: Path | None, dialect: str | None) -> Protocol:
        """Return the protocol, built if needed; no folder is the default spec. Raises `ValueError` if it has errors."""
        place = self._folder if folder is None else folder.resolve()
        key = (place, dialect, self._release if place == self._folder else None)
        if key not in self._built:
            self._built[key] = Protocol(*key, self._model(*key))
        return self._built[key]

    def _model(self, folder: Path, dialect: str | None, release: str | None) -> Model:
        from polywire.source import in_dialect, load

        if not (folder / "protocol.yaml").is_file():
            step = "name one with --spec, or begin one with `polywire init`"
            raise ValueError(f"{folder}: no spec there (no protocol.yaml); {step}")
        proper = self._read.get(folder) or self._read.setdefault(folder, load(folder))
        source = proper if dialect is None else in_dialect(proper, dialect)
        return _built(folder, source, WHOLE if release is None else Span.at(release))


def _built(folder: Path, source: Source, span: Span) -> Model:
    from polywire.model.build import build

    built = build(source, span)
    errors = [f for f in built.findings if f.severity == "error"]
    if errors or built.model is None:
        first = f"; the first: {errors[0].place}: {errors[0].message}" if errors else ""
        raise ValueError(f"{folder}: the spec has {counted(len(errors), 'error')}{first}; polywire lint shows them all")
    return built.model
