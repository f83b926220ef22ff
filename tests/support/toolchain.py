"""The toolchains of the tested languages → programs and an environment that stay inside the checkout.

Node, Go and Cargo are found in the same way as by `polywire conformance`, and keep what they fetch or cache in `.venv`.
If one is missing, `None` makes a test skip itself visibly. Only the browser is the machine's own: its package is
installed if it is missing and installation is allowed.

    toolchain.py prepare NEED STAMP   fetches a key of PREPARE, and touches STAMP
    toolchain.py forget               removes the stamps of what was fetched and is gone
    toolchain.py run PROGRAM …        becomes that program; exits with 77 if it is missing
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"

sys.path.insert(0, str(ROOT / "generator"))  # `make` runs this file before polywire is installed

from polywire.conformance.toolchain import (  # noqa: E402 (needs the path set above)
    CANNOT_RUN,
    GO_WHEEL,
    NODE_WHEEL,
    Toolchain,
    alone_in,
    become,
    cannot_run,
    go,
    go_home,
    go_settings,
    newest_enough,
    node,
    node_folder_of,
    node_packages_of,
    rust,
    rust_home,
    rustup_settings,
)

__all__ = [
    "CANNOT_RUN",
    "GO_WHEEL",
    "NODE_WHEEL",
    "Toolchain",
    "alone_in",
    "go",
    "go_settings",
    "node",
    "rust",
    "rustup_settings",
]

# --- Node ------------------------------------------------------------------------------------------------------

NODE_PACKAGES = ROOT / "tests" / "typescript"
"""The folder whose lock file lists the packages that the tests need, and into which they are installed."""

SCHEMAS = ROOT / "tests" / "importing" / "schemas"
"""The folder whose lock file lists packages with JSON Schemas."""

TESTEES = ROOT / "generator" / "polywire" / "conformance" / "testees"
"""The testees of polywire's own bindings."""


COMPILER = ROOT / "generator" / "polywire_import" / "compiler"
"""The compiler that `polywire import` and `polywire upstream` run."""


def node_packages() -> Toolchain | None:
    """Return Node, if the packages of the tests are installed as well."""
    return node() if (NODE_PACKAGES / INSTALLED).is_file() else None


INSTALLED = Path("node_modules", ".package-lock.json")
"""The file that npm writes when it has installed everything."""

INSTALLED_BY_POLYWIRE = (TESTEES / "node" / "package-lock.json", COMPILER / "package-lock.json")
"""The lock files of what polywire installs into its cache when it needs it."""


def install_node_packages(*options: str, folder: Path = NODE_PACKAGES) -> str | None:
    """Install exactly what the lock file of a folder lists. Returns the obstacle, if there is one."""
    found = node()
    if found is None:
        return "there is no Node ≥ 18, and no wheel of it for this machine"
    done = found.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", *options, cwd=folder)
    return None if done.returncode == 0 else f"npm ci failed:\n{done.stderr.strip()}"


def install_all_node_packages() -> str | None:
    """Install what `make test-all` needs, including the platform-specific programs of Bun and Deno.

    The newest release of upstream is in a separate folder, since it has the same names as the oldest; its program,
    which is also platform-specific, is in another.
    """
    failed = install_node_packages("--include=optional")
    failed = failed or install_node_packages("--omit=optional", folder=NODE_PACKAGES / "newest")
    failed = failed or install_node_packages(folder=SCHEMAS)
    return failed or install_node_packages("--include=optional", folder=ROOT / "tests" / "live")


def bun() -> Toolchain | None:
    """Return Bun, if npm has it for this machine."""
    return packaged("bun", "@oven/bun-*/bin")


def deno() -> Toolchain | None:
    """Return Deno on the platform of CI, with its cache in the checkout.

    Its package `deno` requires all platforms, some of which are missing in mirrors of the registry; then `npm ci`
    fails.
    """
    return packaged("deno", "@deno/*", {"DENO_DIR": str(VENV / "deno"), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"})


def packaged(program: str, folders: str, settings: Mapping[str, str] | None = None) -> Toolchain | None:
    """Return a program that npm has installed for this machine."""
    places = sorted((NODE_PACKAGES / "node_modules").glob(folders))
    found = newest_enough(places, program, "--version", (1,), settings)
    return None if found is None else Toolchain(*found, settings or {})


def install_node_dependencies() -> str | None:
    """Install what `make test` needs: the `dependencies`. The `devDependencies` are for `make test-all`."""
    failed = install_node_packages("--omit=dev", "--omit=optional")
    return failed or next(filter(None, (node_packages_of(lock)[1] for lock in INSTALLED_BY_POLYWIRE)), None)


# --- Go --------------------------------------------------------------------------------------------------------

GO_TESTS = ROOT / "tests" / "go"
GO_MODULES = [GO_TESTS, ROOT / "benchmarks" / "go", ROOT / "examples"]
"""The modules that are built here; their lists of hashes determine what is fetched."""

GO_TOOLS = GO_TESTS / "tools"
"""The module that lists the linters that the tests need."""

GO_HOME = go_home()
STATICCHECK = GO_HOME / "bin" / "staticcheck"
ACTIONLINT = GO_HOME / "bin" / "actionlint"


def fetch_go_modules() -> str | None:
    """Fetch what the modules need, and compile what they share. Returns the obstacle, if there is one."""
    found = go()
    if found is None:
        return "there is no Go ≥ 1.24, and no wheel of it for this machine"
    for module in GO_MODULES:
        done = found.run("go", "mod", "download", cwd=module)
        if done.returncode:
            return f"go mod download failed in {module.relative_to(ROOT)}:\n{done.stderr.strip()}"
    return compile_go_library(found)


def compile_go_library(found: Toolchain) -> str | None:
    """Compile the parts of the standard library used by tests, which parallel tests would each compile."""
    imported = ("list", "-deps", "-test", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", "./...")
    listed = found.run("go", *imported, cwd=GO_TESTS)
    done = listed if listed.returncode else found.run("go", "build", *listed.stdout.split(), cwd=GO_TESTS)
    return None if done.returncode == 0 else f"Go's library could not be compiled:\n{done.stderr.strip()}"


def build_go_linters() -> str | None:
    """Build the linters from source. Returns the obstacle, if there is one."""
    found = go()
    if found is None:
        return "there is no Go ≥ 1.24"
    done = found.run("go", "build", "-o", f"{STATICCHECK.parent}{os.sep}", "tool", cwd=GO_TOOLS)
    return None if done.returncode == 0 else f"linters could not be built:\n{done.stderr.strip()}"


# --- Rust ------------------------------------------------------------------------------------------------------

RUST_CRATE = ROOT / "generated" / "rust"
RUST_TESTS = ROOT / "tests" / "rust"
RUST_CRATES = [
    *(RUST_TESTS, RUST_TESTS / "fuzz", RUST_TESTS / "features"),
    *(ROOT / "benchmarks" / "rust", ROOT / "examples", ROOT / "runtimes" / "native"),
]
"""The crates that are built here; their lock files determine what is fetched."""

RUST_HOME = rust_home()
"""Where Cargo puts its builds. What it fetches stays where the machine has it, next to the registry settings."""

RUST_OLDEST = RUST_HOME / "oldest"
"""Where the oldest supported compiler is unpacked, if there is a package of it and rustup does not have it."""

SEMVER_CRATE = ROOT / "tests" / "breaking" / "semver_checks"
"""The crate with a program that runs cargo-semver-checks; its lock file lists all that is compiled."""

SEMVER_CHECKS = RUST_HOME / "semver-checks"
"""Where that program is built, when a test needs it."""

OLDEST_PACKAGES = ("rustc-web={0}.*", "libstd-rust-web-dev={0}.*", "libstd-rust-web-{0}", "libllvm19")
"""Debian's packages of an old compiler, by version."""


def oldest_rust() -> Toolchain | None:
    """Return the same Cargo with the oldest supported compiler, which builds in a separate folder."""
    found, version = rust(), stated_rust()
    if found is None:
        return None
    settings = {**found.variables, "CARGO_TARGET_DIR": str(RUST_OLDEST / "target")}
    if (RUST_OLDEST / "usr" / "bin" / "rustc").exists():
        libraries = next((RUST_OLDEST / "usr" / "lib").glob("*-linux-gnu"))
        settings |= {"RUSTC": str(RUST_OLDEST / "usr" / "bin" / "rustc"), "LD_LIBRARY_PATH": str(libraries)}
    elif shutil.which("rustup", path=str(found.folder)):
        told = found.run("rustup", "which", "rustc", "--toolchain", f"{version}.0")
        settings["RUSTC"] = told.stdout.strip()
    oldest = Toolchain(found.version, found.folder, settings)
    compiler = settings.get("RUSTC")
    if not compiler or not oldest.run(compiler, "--version").stdout.startswith(f"rustc {version}."):
        return None
    return oldest


def stated_rust() -> str:
    """Return the version of the oldest compiler that the crate declares."""
    manifest = (RUST_CRATE / "Cargo.toml").read_text(encoding="utf-8")
    stated = re.search(r'^rust-version = "(.+)"$', manifest, re.MULTILINE)
    if stated is None:
        sys.exit(f"{RUST_CRATE / 'Cargo.toml'} states no rust-version")
    return stated[1]


def fetch_crates() -> str | None:
    """Fetch what the crates need. Returns the obstacle, if there is one."""
    found = rust()
    if found is None:
        return "there is no Cargo ≥ 1.85 on PATH"
    for crate in RUST_CRATES:
        done = found.run("cargo", "fetch", "--locked", "--quiet", cwd=crate)
        if done.returncode:
            return f"cargo fetch failed in {crate.relative_to(ROOT)}:\n{done.stderr.strip()}"
    return None


NATIVE_CRATE = ROOT / "runtimes" / "native"
"""The extension that Python packages use if it is installed."""


def native_wheel(out: Path, variables: Mapping[str, str] | None = None) -> str | None:
    """Build the wheel of the native extension for this interpreter. Returns the obstacle, if there is one."""
    found = rust()
    if found is None:
        return "there is no Cargo ≥ 1.85 on PATH"
    settings = {"CARGO_TARGET_DIR": str(RUST_HOME / "native"), "CARGO_NET_OFFLINE": "true"}
    built = replace(found, variables={**found.variables, **settings, **(variables or {})})
    options = ("--release", "--locked", "--quiet", "--interpreter", sys.executable, "--out", str(out))
    done = built.run(sys.executable, "-m", "maturin", "build", *options, cwd=NATIVE_CRATE)
    return None if done.returncode == 0 else f"maturin failed:\n{(done.stdout + done.stderr).strip()}"


def install_native() -> str | None:
    """Build the native extension, and install it. Returns the obstacle, if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        problem = native_wheel(Path(folder))
        if problem is not None:
            return problem
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
        command += ["--no-index", "--force-reinstall", *map(str, Path(folder).glob("*.whl"))]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    return None if done.returncode == 0 else f"pip failed:\n{done.stderr.strip()}"


def semver_checks() -> Path | None:
    """Build the program that runs cargo-semver-checks, which takes minutes; None if it cannot be built."""
    found = rust()
    if found is None:
        return None
    settings = {**found.variables, "CARGO_TARGET_DIR": str(SEMVER_CHECKS)}
    done = replace(found, variables=settings).run("cargo", "build", "--locked", "--quiet", cwd=SEMVER_CRATE)
    program = SEMVER_CHECKS / "debug" / ("semver_checks.exe" if os.name == "nt" else "semver_checks")
    return program if done.returncode == 0 else None


def fetch_oldest_rust() -> str | None:
    """Fetch the oldest supported compiler. Returns the obstacle, if there is one."""
    if rust() is None:
        return "there is no Cargo ≥ 1.85 on PATH"
    return None if oldest_rust() is not None else unpack_oldest_rust(stated_rust())


def unpack_oldest_rust(version: str) -> str | None:
    """Unpack Debian's packages of an old compiler in the checkout. Returns the obstacle, if there is one."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return f"there is no Rust {version}: rustup toolchain install {version}.0"
    RUST_OLDEST.mkdir(parents=True, exist_ok=True)
    packages = [package.format(version) for package in OLDEST_PACKAGES]
    commands = [["apt-get", "--quiet", "update"]] if os.geteuid() == 0 else []
    for command in [*commands, ["apt-get", "--quiet", "download", *packages]]:
        done = subprocess.run(command, cwd=RUST_OLDEST, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            return f"there is no Rust {version}, and Debian's is not to be had:\n{done.stderr.strip()}"
    for package in RUST_OLDEST.glob("*.deb"):
        subprocess.run(["dpkg", "--extract", package, RUST_OLDEST], check=True)
        package.unlink()
    return None if oldest_rust() is not None else f"Debian's Rust {version} does not run here"


# --- the browser -----------------------------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@cache
def browser() -> str | None:
    """Return the path of a Chromium, which the tests of pages control."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def install_browser() -> str | None:
    """Install Debian's Chromium if there is none. Returns the obstacle, if there is one."""
    if browser() is not None:
        return None
    apt = shutil.which("apt-get")
    if apt is None or os.name == "nt" or os.geteuid() != 0:
        return f"there is none of {', '.join(BROWSERS)} on PATH, and no right to install one (apt-get as root)"
    browser.cache_clear()
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        command = [apt, "--quiet", "-o", "DPkg::Lock::Timeout=300", *words]
        done = subprocess.run(command, env=settings, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            return f"apt-get {words[0]} failed:\n{done.stderr.strip()}"
    return None if browser() is not None else "apt-get installed no chromium that is on PATH"


# --- what was fetched, and is gone -----------------------------------------------------------------------------


def gone_crates() -> str | None:
    """Return a crate that is not in Cargo's store, which is outside of the checkout."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    kept = {path.name for path in home.glob("registry/cache/*/*.crate")}
    locked = re.compile(r'^name = "(.+)"\nversion = "(.+)"\nsource = "registry', re.MULTILINE)
    needed = (
        f"{name}-{version}.crate"
        for crate in RUST_CRATES
        for name, version in locked.findall((crate / "Cargo.lock").read_text(encoding="utf-8"))
    )
    return next((f"{home / 'registry'} has no {name}" for name in needed if name not in kept), None)


def gone_modules() -> str | None:
    """Return a module that is not in Go's cache."""
    store = GO_HOME / "mod" / "cache" / "download"
    lines = [
        line.split()
        for module in GO_MODULES
        if (module / "go.sum").is_file()
        for line in (module / "go.sum").read_text(encoding="utf-8").splitlines()
    ]
    return _gone(
        store / re.sub("[A-Z]", lambda upper: f"!{upper[0].lower()}", path) / "@v" / f"{version}.zip"
        for path, version, _ in lines
        if not version.endswith("/go.mod")
    )


def _gone(files: Iterable[Path]) -> str | None:
    return next((f"there is no {file}" for file in files if not file.is_file()), None)


STORES: dict[str, Callable[[], str | None]] = {
    "bench": lambda: _gone([ROOT / "benchmarks" / "js" / INSTALLED]),
    "browser": lambda: None if browser() is not None else f"there is none of {', '.join(BROWSERS)} on PATH",
    "go": gone_modules,
    "go-all": lambda: _gone([STATICCHECK, ACTIONLINT]),
    "node": lambda: _gone(
        folder / INSTALLED for folder in (NODE_PACKAGES, *map(node_folder_of, INSTALLED_BY_POLYWIRE))
    ),
    "node-all": lambda: _gone(
        folder / INSTALLED for folder in (NODE_PACKAGES / "newest", SCHEMAS, ROOT / "tests" / "live")
    ),
    "rust": gone_crates,
    "rust-all": lambda: None if oldest_rust() is not None else f"there is no Rust {stated_rust()}",
}
"""By stamp: a function that returns what is missing of what the stamp stands for. It fetches nothing."""


def stamp_of(name: str) -> Path:
    return VENV / f"{name}.stamp"


def forget() -> None:
    """Remove the stamps of what is gone, so that `make` fetches it again or reports why it cannot."""
    for name, gone in STORES.items():
        if stamp_of(name).is_file() and (what := gone()) is not None:
            print(f"{what}: preparing {stamp_of(name).name} again", file=sys.stderr)
            stamp_of(name).unlink()


def if_prepared(found: Toolchain | None, name: str) -> Toolchain | None:
    """Return the toolchain if what the tests need besides is fetched: without that, they would fail, not skip."""
    return found if stamp_of(name).is_file() else None


# --- the command line ------------------------------------------------------------------------------------------

PREPARE: dict[str, Callable[[], str | None]] = {
    "browser": install_browser,
    "go": fetch_go_modules,
    "go-all": build_go_linters,
    "native": install_native,
    "rust": fetch_crates,
    "rust-all": fetch_oldest_rust,
    "typescript": install_node_dependencies,
    "typescript-all": install_all_node_packages,
}
"""Functions that fetch the needs of a language's tests and return the obstacle; `-all` is for `make test-all`."""

PROGRAMS: dict[str, Callable[[], Toolchain | None]] = {"cargo": rust, "go": go, "node": node_packages, "npm": node}
"""By program: the function that returns its toolchain, if everything that its tests need is installed."""


def prepare(language: str, stamp: str) -> int:
    """Fetch what the tests of a language need. Without it they are skipped; under CI=true that is a failure."""
    problem = PREPARE[language]()
    if problem is None:
        Path(stamp).touch()
        return 0
    Path(stamp).unlink(missing_ok=True)
    print(f"{language.upper()} TESTS WILL BE SKIPPED: {problem}\nto fix: `make {stamp}`, online", file=sys.stderr)
    return int(os.environ.get("CI") == "true")


def run(program: str, *arguments: str) -> NoReturn:
    """Replace this process by a program of a toolchain."""
    toolchain = PROGRAMS[program]()
    if toolchain is None:
        cannot_run(f"{program} cannot run here; `make test` says why")
    become(toolchain.command(program, *arguments), toolchain.environment)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", language, stamp] if language in PREPARE:
            sys.exit(prepare(language, stamp))
        case ["forget"]:
            forget()
        case ["run", program, *arguments] if program in PROGRAMS:
            run(program, *arguments)
        case _:
            sys.exit(__doc__)
