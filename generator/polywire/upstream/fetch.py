"""A release → its declarations and those that they import, installed by the npm client into a folder."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from polywire.errors import WrongUseError
from polywire.upstream.config import NAME, Config


def fetch(release: str, known: Config, folder: Path) -> None:
    """Installs a release, the pinned packages and the compiler into a folder; nothing of them is run."""
    npm = shutil.which("npm")
    if npm is None:
        raise WrongUseError("there is no `npm` on PATH; it fetches the declarations")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
    pins = known.releases.get(release, {})
    wanted = [f"{known.package}@{release}", known.compiler, *(f"{name}@{version}" for name, version in pins.items())]
    _install(npm, folder, wanted)
    declared = _declared(folder / "node_modules" / known.package)
    rest = [f"{name}@{declared[name]}" for name in known.others if name not in pins and name in declared]
    for name in known.others:
        if name not in pins and name not in declared:
            raise WrongUseError(f"{known.package} {release} does not say which {name} it needs; pin it in {NAME}")
    if rest:
        _install(npm, folder, rest)


def _install(npm: str, folder: Path, packages: list[str]) -> None:
    flags = ("--ignore-scripts", "--omit=optional", "--omit=peer", "--legacy-peer-deps", "--no-audit", "--no-fund")
    command = [npm, "install", "--silent", "--save-exact", *flags, *packages]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 (looked up)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise WrongUseError(f"npm could not install {' '.join(packages)}: {said}")


def _declared(package: Path) -> dict[str, str]:
    """The packages that a package needs, and the ranges of their versions."""
    said = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return {
        name: version
        for key in ("devDependencies", "peerDependencies", "dependencies")
        for name, version in said.get(key, {}).items()
    }
