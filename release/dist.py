"""The checkout → dist/: every package as its index takes it, and the hash of each file.

    python release/dist.py [--out FOLDER] [NAME …]     one or more of the names in PACKAGES

The packages of the protocol hold exactly the files that `generated/manifest.json` lists: nothing that lies beside them
gets in, and nothing that is stale or was edited by hand gets out. The same checkout gives the same bytes, as all times
are that of SOURCE_DATE_EPOCH. A language whose package tool is missing is left out, and that is an error in the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "generator"), str(ROOT / "tests" / "support")]

import goproxy  # noqa: E402  (it stands beside this)
import toolchain  # noqa: E402  (found only now)
from polywire.checks import check  # noqa: E402  (as above)
from polywire.model.nodes import Model  # noqa: E402
from polywire.source import dialects  # noqa: E402
from polywire.vendor.run import by_flags, make  # noqa: E402

EPOCH = 1580601600
"""When nothing else is said, everything was made on 2 February 2020, as Python's builder has it."""

SUMS = "SHA256SUMS"


class DistError(Exception):
    """A package cannot be built; the message says why, and what to do."""


@dataclass(frozen=True)
class Build:
    """What builders work with: where the packages go, a folder for what is in between, and when all of it was made."""

    out: Path
    scratch: Path
    epoch: int

    @cached_property
    def model(self) -> Model:
        """The spec that the packages are made from."""
        report = check(ROOT / "spec")
        if report.model is None:
            raise DistError(f"the spec is at fault:\n{report.render()}")
        return report.model

    def files(self, target: str) -> dict[str, bytes]:
        """What was generated into a folder, as the manifest says, by path below it."""
        generated = ROOT / "generated"
        manifest = json.loads((generated / "manifest.json").read_text(encoding="utf-8"))
        entry = manifest["targets"][target]
        if entry.get("spec", self.model.spec_hash) != self.model.spec_hash:  # an add-on says its input's instead
            raise DistError(f"generated/{target} is made from another spec: make generate")
        found: dict[str, bytes] = {}
        for path, digest in entry["files"].items():
            contents = (generated / path).read_bytes()
            if hashlib.sha256(contents).hexdigest() != digest:
                raise DistError(f"generated/{path} is not what was generated: make generate")
            found[path.removeprefix(f"{target}/")] = contents
        return found

    def staged(self, target: str) -> Path:
        """A folder with those files and no others, out of reach of whatever stands above the checkout's."""
        folder = self.scratch / target
        write(folder, self.files(target))
        return folder

    def run(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Run a program to its end; what it says is the error if it fails."""
        settings = {**environment, "SOURCE_DATE_EPOCH": str(self.epoch)}
        done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise DistError(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr).strip()}")


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for path, contents in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)


# --- the packages ----------------------------------------------------------------------------------------------


def distributions(build: Build, folder: Path) -> None:
    """A source distribution of a Python project, and the wheel that is built from it and from nothing else."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "--directory"]
    made = build.scratch / f"{folder.name}-sdist"
    build.run([*hatchling, str(made), "--target", "sdist"], folder, os.environ)
    (sdist,) = made.iterdir()
    shutil.copy(sdist, build.out)
    shutil.unpack_archive(sdist, made)
    build.run([*hatchling, str(build.out), "--target", "wheel"], made / sdist.name.removesuffix(".tar.gz"), os.environ)


def polywire(build: Build) -> None:
    """The generator, with the templates and the spec inside."""
    distributions(build, ROOT)


def jsonschema(build: Build) -> None:
    """The schemas of the protocol, and in a folder each those of its dialects, which are not checked in."""
    folder = build.out / "jsonschema"
    write(folder, build.files("jsonschema"))
    for dialect in dialects(ROOT / "spec"):
        for files in make(by_flags(ROOT / "spec", dialect, None, ("jsonschema",))).trees.values():
            write(folder / dialect, files)


def python(build: Build, folder: str = "python") -> None:
    """The Python package, or one of its flavours."""
    distributions(build, build.staged(folder))


def native(build: Build) -> None:
    """The native extension of Python packages, for this interpreter."""
    problem = toolchain.native_wheel(build.out, {"SOURCE_DATE_EPOCH": str(build.epoch)})
    if problem is not None:
        raise DistError(problem)


def typescript(build: Build) -> None:
    """The npm package."""
    node = toolchain.node()
    if node is None:
        raise DistError("there is no Node ≥ 18 on PATH, and no wheel of it: make .venv/node.stamp brings it")
    to = str(build.out)
    command = node.command("npm", "pack", "--ignore-scripts", "--pack-destination", to)
    build.run(command, build.staged("typescript"), node.environment)


def go(build: Build) -> None:
    """The module as a proxy serves it, which takes no Go."""
    try:
        write(build.out / "go", goproxy.proxied(build.files("go"), build.model.protocol.package_version, build.epoch))
    except goproxy.ModuleError as error:
        raise DistError(f"no Go module: {error}") from error


CARGO = (1, 87)
"""The first that packs without a list of versions, which it would ask the index for."""


def rust(build: Build) -> None:
    """The crate."""
    cargo = toolchain.rust()
    if cargo is None or cargo.version < CARGO:
        raise DistError(f"there is no Cargo ≥ {'.'.join(map(str, CARGO))} on PATH: https://rustup.rs brings it")
    to = build.scratch / "cargo"
    options = ("--no-verify", "--allow-dirty", "--exclude-lockfile", "--offline", "--target-dir")
    build.run(cargo.command("cargo", "package", *options, to), build.staged("rust"), cargo.environment)
    (crate,) = (to / "package").glob("*.crate")
    shutil.copy(crate, build.out)


PACKAGES: Mapping[str, Callable[[Build], None]] = {
    "polywire": polywire,
    "jsonschema": jsonschema,
    "python": python,
    "python-pydantic": partial(python, folder="python-pydantic"),
    "python-typed-dicts": partial(python, folder="python-typed-dicts"),
    "native": native,
    "typescript": typescript,
    "go": go,
    "rust": rust,
}


# --- the folder ------------------------------------------------------------------------------------------------


def sums(folder: Path) -> str:
    """The hash of each file below the folder, as `sha256sum --check` reads it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.relative_to(folder).as_posix()}\n" for f in files)


def attempt(build: Build, name: str) -> list[str]:
    """Build one package; what kept it from being built, if anything."""
    try:
        PACKAGES[name](build)
    except DistError as error:
        return [f"{name}: {error}"]
    return []


def build_all(out: Path, names: list[str], epoch: int) -> list[str]:
    """Replace the folder by the packages of those names; what kept some from being built, if anything."""
    if out.exists() and not (out / SUMS).is_file() and any(out.iterdir()):
        return [f"anything: {out} is not a folder of packages, and would be replaced by one; name another with --out"]
    problems = []
    with tempfile.TemporaryDirectory(prefix="polywire-dist-") as scratch:
        made = Path(scratch, "out")
        made.mkdir()
        build = Build(made, Path(scratch, "between"), epoch)
        for name in names:
            problems += attempt(build, name)
        (made / SUMS).write_text(sums(made), encoding="utf-8")
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(made, out)
    print("".join(f"{line}\n" for line in sorted(map(str, (f for f in out.rglob("*") if f.is_file())))), end="")
    return problems


def main() -> int:
    """Build what is asked for, list what there is, and fail if something is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("dist"), help="the folder that is replaced (default: dist)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(PACKAGES)} (default: all)")
    told = parser.parse_args()
    unknown = sorted({*told.names} - {*PACKAGES})
    if unknown:
        parser.error(f"no package {unknown[0]!r}; there are {', '.join(PACKAGES)}")
    epoch = os.environ.get("SOURCE_DATE_EPOCH", str(EPOCH))
    if not epoch.isdecimal():
        parser.error(f"SOURCE_DATE_EPOCH is a number of seconds, not {epoch!r}")
    problems = build_all(told.out, told.names or [*PACKAGES], int(epoch))
    for problem in problems:
        print(f"NOT BUILT {problem}", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
