"""A spec as named on a command line (a folder, a dialect of it, a revision of it) → the spec, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from polywire.ground.errors import WrongUseError
from polywire.ground.find import BUNDLED, ENTRY, bundled_spec
from polywire.ground.words import suggestion
from polywire.source.files import Files, Folder
from polywire.source.load import dialects

if TYPE_CHECKING:
    from polywire.checks import Report
    from polywire.evolve.diff.report import Spec


class FaultySpecError(Exception):
    """The spec has errors; the report lists them."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report.folder))
        self.report = report


@dataclass(frozen=True, slots=True)
class Named:
    """One spec as it was requested."""

    folder: Path
    dialect: str | None
    label: str
    revision: str | None = None
    """The git revision, if it is not the working tree."""
    release: str | None = None
    """The release of the protocol, if only one of them is compared."""

    @property
    def shown(self) -> Path:
        """The folder as shown to people; a revision is written in git's notation."""
        return self.folder if self.revision is None else Path(f"{self.revision}:{self.folder.as_posix()}")


def read_both(before: Named, after: Named) -> tuple[Spec, Spec]:
    """Read both sides. A dialect applies to one release, so the spec it is compared with is read at that release.

    Raises the same errors as `read`.
    """
    alike = (before.folder, before.revision) == (after.folder, after.revision)
    if alike and (before.dialect is None) != (after.dialect is None):
        if before.dialect is None:
            new = read(after)
            return read(replace(before, release=new.model.protocol.version)), new
        old = read(before)
        return old, read(replace(after, release=old.model.protocol.version))
    return read(before), read(after)


def read(side: Named) -> Spec:
    """Read the spec; an example that does not fit changes nothing between two specs, and is for `polywire lint`.

    Raises `FaultySpecError`, `WrongUseError`, and `GitError` if git does not have it.
    """
    from polywire.checks import check
    from polywire.evolve.diff.report import Spec
    from polywire.model.releases import WHOLE, Span

    with _at(side) as files:
        _refuse_without_spec(files)
        known(files, side.dialect)
        span = WHOLE if side.release is None else Span.at(side.release)
        report = check(files, side.dialect, span)
    if report.has_faulty_model or report.model is None:
        raise FaultySpecError(report)
    return Spec(side.label, side.shown, report.model, report.texts)


@contextmanager
def _at(side: Named) -> Iterator[Files]:
    if side.revision is None:
        yield Folder(side.folder)
    else:
        from polywire.source.revision import files_at

        with files_at(side.folder, side.revision, side.shown) as files:
            yield files


def releases(spec: Path, at: tuple[str, str]) -> tuple[Named, Named]:
    """Return two releases of a spec."""
    folder = spec_folder(spec)
    before, after = (Named(folder, None, release, release=release) for release in at)
    return before, after


def spec_folder(path: Path) -> Path:
    """Return the path if it contains a spec; `bundled` is the spec that comes with polywire."""
    if str(path) == BUNDLED:
        return bundled_spec()
    _refuse_without_spec(Folder(path))
    return path


def _refuse_without_spec(files: Files) -> None:
    if ENTRY not in files.names(""):
        raise WrongUseError(f"{files.folder}: no spec there (no {ENTRY}); name a folder that has one")


def known(files: Path | Files, dialect: str | None) -> str | None:
    """Return the name of a dialect if the spec has it."""
    there = dialects(files)
    if dialect is not None and dialect not in there:
        folder = files if isinstance(files, Path) else files.folder
        raise WrongUseError(f"{folder} has no dialect {dialect!r}{suggestion(dialect, there)}")
    return dialect
