"""`spec/releases.toml` → facts about the program that the spec describes: packages, files, roots, pins."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polywire.ground.errors import WrongUseError
from polywire.ground.parsing import ParseError, toml_table
from polywire.ground.paths import path_fault

NAME = "releases.toml"
FOLDER = "releases"
KEYS = {
    "package": str,
    "files": list,
    "expand": list,
    "needs": list,
    "announced": str,
    "roots": dict,
    "lines": list,
    "stored": list,
    "also": list,
    "same": dict,
    "scalars": dict,
    "releases": dict,
}
_NPM_NAME = r"(@[\w-][\w.-]*/)?[A-Za-z0-9][\w.-]*"
_REQUIRED = ("package", "files", "roots", "releases")


@dataclass(frozen=True, slots=True)
class Config:
    """The contents of `releases.toml`. Names of declarations are upstream's; names of the spec are on the right."""

    package: str
    """The npm package that contains the declarations."""
    files: tuple[str, ...]
    """The files of the package that are read."""
    expand: tuple[str, ...]
    """Other packages whose types are expanded."""
    needs: tuple[str, ...]
    """Packages needed to compute types, which are not expanded."""
    roots: Mapping[str, str]
    """Declarations that are sent on their own → their names in the spec."""
    lines: tuple[str, ...]
    """The types of a captured line."""
    stored: tuple[str, ...]
    """The types of the spec, which upstream does not declare, of a line in a file that the program stores."""
    also: tuple[str, ...]
    """Further declarations that are sent, whose names in the spec follow the general rule; `*` matches any text. A
    union that is not in the spec is replaced by its variants."""
    same: Mapping[str, str]
    """Other declarations that have a different name in the spec which nothing else reveals."""
    scalars: Mapping[str, str]
    """Types of packages that are not expanded → their types in the spec language."""
    releases: Mapping[str, Mapping[str, str]]
    """The releases that are followed, oldest first, each with the versions of the other packages."""
    announced: str | None = None
    """The key in package.json of the version number that the program announces."""

    @property
    def others(self) -> tuple[str, ...]:
        """The packages that are installed along with the followed one."""
        return (*self.expand, *self.needs)


def load(path: Path) -> Config:
    """Return the configuration in a file. Raises `WrongUseError` if the file is missing or invalid."""
    try:
        document = toml_table(path.read_bytes())
    except FileNotFoundError:
        raise WrongUseError(
            f"{path} is missing; it names the package to follow, see docs/following-upstream.md"
        ) from None
    except ParseError as error:
        raise WrongUseError(f"{path}: {error}") from error
    for key, value in document.items():
        if key not in KEYS:
            raise WrongUseError(f"{path}: unknown key {key!r}; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise WrongUseError(f"{path}: {key} has to be a {KEYS[key].__name__}, not {value!r}")
    for key in _REQUIRED:
        if not document.get(key):
            raise WrongUseError(f"{path}: {key} is missing")
    _refuse_bad_names(path, document)
    return Config(
        package=document["package"],
        files=tuple(document["files"]),
        expand=tuple(document.get("expand", ())),
        needs=tuple(document.get("needs", ())),
        roots=document["roots"],
        lines=tuple(document.get("lines", ())),
        stored=tuple(document.get("stored", ())),
        also=tuple(document.get("also", ())),
        same=document.get("same", {}),
        scalars=document.get("scalars", {}),
        releases=document["releases"],
        announced=document.get("announced"),
    )


def _refuse_bad_names(path: Path, document: Mapping[str, Any]) -> None:
    """Raise `WrongUseError` for a name that npm, or a path, would take for something else: an option, an address."""
    pins = [pin for each in document["releases"].values() if isinstance(each, dict) for pin in each.items()]
    names = [document["package"], *document.get("expand", ()), *document.get("needs", ()), *(name for name, _ in pins)]
    for name in names:
        if not isinstance(name, str) or re.fullmatch(_NPM_NAME, name) is None:
            raise WrongUseError(f"{path}: {name!r} is not the name of a package in npm's registry")
    for release in (*document["releases"], *(pinned for _, pinned in pins)):
        check_version(str(release))
    for file in document["files"]:
        fault = path_fault(file) if isinstance(file, str) else "is not a string"
        if fault is not None:
            raise WrongUseError(f"{path}: the file {file!r} {fault}")


def check_version(release: str) -> None:
    """Raise `WrongUseError` for a release that is not a version, such as a tag."""
    if re.fullmatch(r"\d[\w.+-]*", release) is None:
        raise WrongUseError(f"{release!r} is not a version; a version is, for example, 1.2.3")


def preceding(release: str, others: Iterable[str]) -> str | None:
    """Return the newest of some releases that is older than the given one, in npm's order; None if there is none."""
    older = [each for each in others if _order(each) < _order(release)]
    return max(older, key=_order, default=None)


def newer(one: str, other: str) -> str:
    """Return the newer of two versions. The other one may be short, such as `0.3`; if it is no version, it is older."""
    numbers = other.split(".") if other[:1].isdigit() and " " not in other else []
    full = ".".join([*numbers, *["0"] * (3 - len(numbers))])
    return full if numbers and _order(full) > _order(one) else one


def _order(release: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]:
    """Return a sort key: the numbers of a version, then its pre-release, which sorts before the release itself."""
    plain, _, early = release.partition("+")[0].partition("-")
    parts = [each for each in early.split(".") if each]
    labels = tuple((not each.isdigit(), int(each) if each.isdigit() else 0, each) for each in parts)
    return tuple(int(each) if each.isdigit() else 0 for each in plain.split(".")), not early, labels


def patch(name: str, before: str, after: str) -> str:
    """Return a unified diff of a file in the spec's folder."""
    if before == after:
        return ""
    rows = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _key(name: str) -> str:
    """Write a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def listing(path: Path, release: str, packages: Mapping[str, str], known: Config, after: str) -> str:
    """Return a patch that lists a release after another one, with the versions that were installed."""
    if release in known.releases:
        return ""
    text = path.read_text(encoding="utf-8")
    pins = ", ".join(f"{_key(each)} = {json.dumps(packages[each])}" for each in known.others if each in packages)
    lines = text.splitlines(True)
    at = max((number for number, line in enumerate(lines) if line.startswith(json.dumps(after))), default=None)
    if at is None:
        raise WrongUseError(f"{path}: the entry of {after} does not begin a line; list {release} by hand")
    return patch(NAME, text, "".join([*lines[: at + 1], f"{json.dumps(release)} = {{{pins}}}\n", *lines[at + 1 :]]))
