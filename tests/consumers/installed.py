"""A built package → a project outside the checkout that has installed it, with programs that use it."""

from __future__ import annotations

import email
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import toolchain

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Consumer:
    """A project outside the checkout with three programs: the client, the README's, and one that prints versions."""

    language: str
    folder: Path
    commands: Mapping[str, list[str]]
    readme: str
    """The README in the installed package."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, program: str, lines: bytes = b"") -> tuple[str, str]:
        """Return a program's standard output and standard error; only PATH and `environment` are set."""
        bare = {"PATH": os.defpath, **self.environment}
        command = self.commands[program]
        done = subprocess.run(command, input=lines, cwd=self.folder, env=bare, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(), done.stderr.decode()


def finished(command: list[str], folder: Path = ROOT, environment: Mapping[str, str] = os.environ) -> str:
    """Return the output of a program, which must succeed."""
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def only(folder: Path, pattern: str) -> Path:
    """Return the only file that matches the pattern."""
    (found,) = folder.rglob(pattern)
    return found


def example(readme: str, fence: str) -> str:
    """Return the first program in a README: its first block in the language."""
    found = re.search(rf"^```{fence}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


# --- Python ----------------------------------------------------------------------------------------------------

VERSIONS_PYTHON = "import agentlines as al\nprint(al.__version__, al.PROTOCOL_NEWEST, al.SPEC_HASH)\n"


def install_python(dist: Path, folder: Path, _: toolchain.Toolchain | None) -> Consumer:
    """Create a virtual environment and install the wheel in it."""
    wheel = only(dist, "agentlines-*.whl")
    python = virtual_environment(folder / "venv")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", str(wheel)]
    finished(pip, folder)
    with zipfile.ZipFile(wheel) as archive:
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        readme = email.message_from_bytes(archive.read(about)).get_payload(decode=True).decode()
    (folder / "readme.py").write_text(example(readme, "python"), encoding="utf-8")
    (folder / "versions.py").write_text(VERSIONS_PYTHON, encoding="utf-8")
    programs = ("client", "readme", "versions")
    return Consumer("python", folder, {name: [str(python), "-I", f"{name}.py"] for name in programs}, readme)


def virtual_environment(folder: Path) -> Path:
    """Create an empty environment; return its interpreter."""
    finished([getattr(sys, "_base_executable", sys.executable), "-m", "venv", "--without-pip", str(folder)])
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


# --- TypeScript ------------------------------------------------------------------------------------------------

VERSIONS_TYPESCRIPT = """import { PACKAGE_VERSION, PROTOCOL_NEWEST, SPEC_HASH } from "agentlines";
console.log(PACKAGE_VERSION, PROTOCOL_NEWEST, SPEC_HASH);
"""


def install_typescript(dist: Path, folder: Path, node: toolchain.Toolchain) -> Consumer:
    """Create a project with the package, a compiler, and Node's declarations; compile all programs at once."""
    lock = json.loads((toolchain.NODE_PACKAGES / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    others = [f"{name}@{lock[f'node_modules/{name}']['version']}" for name in ("typescript", "@types/node")]
    options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
    install = node.command("npm", "install", *options, only(dist, "agentlines-*.tgz"), *others)
    finished(install, folder, node.environment)
    readme = (folder / "node_modules" / "agentlines" / "README.md").read_text(encoding="utf-8")
    (folder / "readme.ts").write_text(example(readme, "ts"), encoding="utf-8")
    (folder / "versions.ts").write_text(VERSIONS_TYPESCRIPT, encoding="utf-8")
    compiler = folder / "node_modules" / "typescript" / "bin" / "tsc"
    finished(node.command("node", compiler, "--project", folder), folder, node.environment)
    programs = ("client", "readme", "versions")
    return Consumer("typescript", folder, {name: node.command("node", f"{name}.js") for name in programs}, readme)


# --- Go --------------------------------------------------------------------------------------------------------

VERSIONS_GO = """package main

import (
	"fmt"

	"example.com/agentlines/types"
)

func main() { fmt.Println(types.PackageVersion, types.ProtocolNewest, types.SpecHash) }
"""


def install_go(dist: Path, folder: Path, go: toolchain.Toolchain) -> Consumer:
    """Create a module that downloads ours from the folder, which serves as a proxy, into a separate module cache."""
    module, version = re.findall(r"go/(\S+)/@v/v(\S+)\.zip$", (dist / "SHA256SUMS").read_text("utf-8"), re.MULTILINE)[0]
    others, unlisted = go.run("go", "env", "GOPROXY", "GONOSUMDB").stdout.splitlines()
    settings = {
        **go.environment,
        "GOPROXY": f"{(dist / 'go').as_uri()},{others}",
        "GONOSUMDB": f"{module},{unlisted}".strip(","),
        "GOMODCACHE": str(folder / "cache"),
        "GOFLAGS": f"{go.variables['GOFLAGS']} -mod=mod",
    }
    finished(go.command("go", "mod", "init", "example.org/client"), folder, settings)
    finished(go.command("go", "get", f"{module}@v{version}"), folder, settings)
    readme = (folder / "cache" / f"{module}@v{version}" / "README.md").read_text(encoding="utf-8")
    for name, text in {"readme": example(readme, "go"), "versions": VERSIONS_GO}.items():
        (folder / name).mkdir()
        (folder / name / "main.go").write_text(text, encoding="utf-8")
    finished(go.command("go", "build", "-o", "bin/", "./..."), folder, settings)
    programs = ("client", "readme", "versions")
    return Consumer("go", folder, {name: [str(folder / "bin" / name)] for name in programs}, readme)


# --- Rust ------------------------------------------------------------------------------------------------------

VERSIONS_RUST = """use agentlines::{PACKAGE_VERSION, PROTOCOL_NEWEST, SPEC_HASH};

fn main() {
    println!("{PACKAGE_VERSION} {PROTOCOL_NEWEST} {SPEC_HASH}");
}
"""


def install_rust(dist: Path, folder: Path, rust: toolchain.Toolchain) -> Consumer:
    """Create a crate, and a registry that has only ours; its dependencies come from the machine's own registry."""
    crate = only(dist, "agentlines-*.crate")
    digest = hashlib.sha256(crate.read_bytes()).hexdigest()
    unpacked = folder / "registry" / crate.stem
    with tarfile.open(crate) as archive:
        archive.extractall(folder / "registry")  # noqa: S202 (Cargo packed it just now)
    (unpacked / ".cargo-checksum.json").write_text(json.dumps({"files": {}, "package": digest}), encoding="utf-8")
    # Cargo assumes that a version in a registry never changes, so each crate gets a registry with a different name.
    index = f"sparse+https://{digest[:16]}.invalid/"
    sources = {"dist": {"registry": index, "replace-with": "built"}, "built": {"directory": "registry"}}
    (folder / ".cargo").mkdir()
    config = [f'[registries.dist]\nindex = "{index}"\n']
    config += [
        f"[source.{name}]\n" + "".join(f'{k} = "{v}"\n' for k, v in keys.items()) for name, keys in sources.items()
    ]
    (folder / ".cargo" / "config.toml").write_text("\n".join(config), encoding="utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", folder)  # all tests build with the same versions of dependencies
    version = crate.stem.partition("-")[2]
    finished(
        rust.command("cargo", "add", "--quiet", f"agentlines@{version}", "--registry", "dist"), folder, rust.environment
    )
    readme = (unpacked / "README.md").read_text(encoding="utf-8")
    (folder / "src" / "bin").mkdir()
    for name, text in {"readme": example(readme, "rust,no_run"), "versions": VERSIONS_RUST}.items():
        (folder / "src" / "bin" / f"{name}.rs").write_text(text, encoding="utf-8")
    finished(rust.command("cargo", "build", "--quiet"), folder, rust.environment)
    programs = ("client", "readme", "versions")
    for name in programs:
        shutil.copy(Path(rust.variables["CARGO_TARGET_DIR"], "debug", name), folder)
    return Consumer("rust", folder, {name: [str(folder / name)] for name in programs}, readme)


TOOLCHAINS = {"typescript": "node", "go": "go", "rust": "rust"}
"""By language: the fixture of its toolchain."""

INSTALL: Mapping[str, Callable[..., Consumer]] = {
    "python": install_python,
    "typescript": install_typescript,
    "go": install_go,
    "rust": install_rust,
}
