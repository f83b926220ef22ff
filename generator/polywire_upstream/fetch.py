"""A release → its declarations and those that they import, installed into a folder by the npm client."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from polywire.conformance.toolchain import program_on_path
from polywire.ground.errors import WrongUseError
from polywire.ground.parsing import ParseError, json_value
from polywire_upstream.config import NAME, Config, newer, preceding


def fetch(release: str, known: Config, folder: Path) -> dict[str, str]:
    """Install a release and the pinned packages into a folder; none of their code is run.

    If neither a pin nor the release names the version of a package, the version of the preceding release is used. So it
    is if a release that is not the newest names a range, since newer versions may have been published in that range;
    if the range begins with a newer version, that one is used. Returns the versions chosen in this way.
    """
    npm = program_on_path("npm")
    if npm is None:
        raise WrongUseError("there is no `npm` on PATH; it fetches the declarations")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
    pins = known.releases.get(release, {})
    first = [f"{known.package}@{release}", *(f"{name}@{version}" for name, version in pins.items())]
    _install(npm, folder, first)
    declared = _declared(folder / "node_modules" / known.package)
    before = preceding(release, known.releases)
    earlier = known.releases[before] if before is not None else {}
    is_newest = before == list(known.releases)[-1]
    wanted, taken = {}, {}
    for name in known.others:
        if name in pins:
            continue
        if name in declared and (is_newest or name not in earlier or declared[name][:1].isdigit()):
            wanted[name] = declared[name]
        elif name in earlier:
            wanted[name] = taken[name] = newer(earlier[name], declared.get(name, "").lstrip("^~>= "))
        else:
            raise WrongUseError(f"{known.package} {release} does not say which {name} it needs; pin it in {NAME}")
    if wanted:
        _install(npm, folder, [f"{name}@{version}" for name, version in wanted.items()])
    for name in known.others:
        _check_single(folder, name, known.package, declared.get(name))
    return taken


def _check_single(folder: Path, name: str, package: str, declared: str | None) -> None:
    """Raise `WrongUseError` if npm installed a second version of a package, which is then the one that is read."""
    second = folder / "node_modules" / package / "node_modules" / name
    if second.is_dir():
        versions = [version_of(each / "package.json") for each in (folder / "node_modules" / name, second)]
        raise WrongUseError(
            f"{NAME} pins {name} {versions[0]}, but {package} needs {declared} and has {versions[1]}; pin that version"
        )


def version_of(path: Path) -> str:
    """Return the version in a package.json. Raises `WrongUseError`."""
    version = _manifest(path).get("version")
    if not isinstance(version, str):
        raise WrongUseError(f"{path} has no version")
    return version


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json_value(path.read_bytes())
    except (OSError, ParseError) as error:
        raise WrongUseError(f"{path}: {error}") from error
    if not isinstance(manifest, dict):
        raise WrongUseError(f"{path} is not an object")
    return manifest


def _install(npm: str, folder: Path, packages: list[str]) -> None:
    waits = ("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
    flags = (
        *waits,
        "--ignore-scripts",
        "--omit=optional",
        "--omit=peer",
        "--legacy-peer-deps",
        "--no-audit",
        "--no-fund",
    )
    command = [npm, "install", "--loglevel=error", "--save-exact", *flags, "--", *packages]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 (looked up)
    if done.returncode != 0:
        raise WrongUseError(f"npm could not install {' '.join(packages)}: {reason(done.stderr or done.stdout)}")


def reason(output: str) -> str:
    """Return what npm says about a failure, without codes, stack traces and general advice."""
    lines = [re.sub(r"^npm error ?((notarget|404) )?", "", line) for line in output.splitlines()]
    shown = [line for line in lines if line.strip() and not re.match(rf"\s|[}}\]]|({'|'.join(_NOISE)})", line)]
    return "\n".join(shown)[:2000] or "it does not say why"


_NOISE = ("code ", "errno ", "syscall ", "A complete log", "In most cases", "If you are behind a proxy")


def _declared(package: Path) -> dict[str, str]:
    """Return the dependencies of a package with their version ranges."""
    manifest = _manifest(package / "package.json")
    tables = (manifest.get(key) for key in ("devDependencies", "peerDependencies", "dependencies"))
    found = (item for table in tables if isinstance(table, dict) for item in table.items())
    return {name: version for name, version in found if isinstance(version, str)}
