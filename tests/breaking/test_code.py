"""Findings about user code agree with compilers: each rule's program compiles with the old packages, not with the new.

All fixtures about user code are combined into one spec per version, so that each language generates and compiles two
packages. A program with a case for unknown values still compiles after something open has grown: see `harmless`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import toolchain
from breaking.fixtures_support import CODE, FIXTURES, findings, pair
from polywire.checks import check
from polywire.evolve.breaking import find
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from sampling import third
from toolchain import Toolchain

HARMLESS = FIXTURES.parent / "harmless"
RENAMED = "code-package-renamed"
VERSIONS = ("old", "new")
PROGRAMS = {"python": "user.py", "typescript": "user.ts", "go": "user.go", "rust": "user.rs"}

pytestmark = pytest.mark.xdist_group("cargo")  # each compiler runs once, and Cargo waits for other runs anyway


def claimed(language: str) -> list[str]:
    """The rules whose fixture has a finding of that rule for a language."""
    return [rule for rule in CODE if any(f.rule.id == rule and language in f.languages for f in findings(rule))]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Model]]:
    """Version → the model of a spec with one part per fixture, and the model of the package that is renamed."""
    found = {}
    for at, version in enumerate(VERSIONS):
        folder, roots = tmp_path_factory.mktemp(version), []
        sources = [*(FIXTURES / rule for rule in CODE if rule != RENAMED), HARMLESS]
        for source in sources:
            text = (source / version / "protocol.yaml").read_text()
            header, part = text[: text.index("}\n") + 2], text[text.index("}\n") + 2 :]
            roots += re.findall(r"roots: \[(.+)\]", header)
            (folder / f"{source.name}.yaml").write_text(part)
        parts = ", ".join(f"{source.name}.yaml" for source in sources)
        whole = re.sub(r"roots: \[.+\]", f"roots: [{', '.join(roots)}]", header)
        if version == "new":  # otherwise tsc treats both packages as the same one
            whole += "packages: {version: 0.2.0}\n"
        (folder / "protocol.yaml").write_text(f"{whole}parts: [{parts}]\n")
        report = check(folder)
        assert report.model is not None, report.render()
        assert not report.failed, report.render()
        found[version] = [report.model, pair(RENAMED)[at]]
    return found


def install(language: str, model: Model, folder: Path) -> Path:
    """Generate a package into a folder with its name. The caller provides its dependencies, if any."""
    package = model.packages.get(language, {})
    name = package.get("package" if language in {"go", "typescript"} else "module") or package.get("crate")
    place = folder / (name or model.protocol.name)
    for path, contents in render(registry()[language], make_plan(model)).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(contents)
    return place


def programs(language: str) -> dict[str, Path]:
    """Rule → its program in a language; the key `harmless` has the program that still compiles."""
    wanted = {rule: FIXTURES / rule / PROGRAMS[language] for rule in claimed(language)}
    return {**wanted, "harmless": HARMLESS / PROGRAMS[language]}


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_claim_about_a_language_has_a_program_and_no_program_is_idle(language: str) -> None:
    written = {path.parent.name for path in FIXTURES.glob(f"*/{PROGRAMS[language]}")}
    assert written == set(claimed(language))
    assert written


def test_nothing_harmless_is_found_to_break(models: dict[str, list[Model]]) -> None:
    del models
    old, new = (check(HARMLESS / version, strict=True).model for version in VERSIONS)
    assert old is not None
    assert new is not None
    assert {finding.rule.id for finding in find(old, new)} == {"member-added", "value-added", "variant-added"}


# --- the languages ---------------------------------------------------------------------------------------------


@third("code that a change breaks")
def test_python(models: dict[str, list[Model]], tmp_path: Path) -> None:
    refused = {}
    for version in VERSIONS:
        folder = tmp_path / version
        for model in models[version]:
            install("python", model, folder / "packages")
        path = os.pathsep.join(str(each) for each in (folder / "packages").iterdir())
        for rule, program in programs("python").items():
            (folder / f"{rule.replace('-', '_')}.py").write_bytes(program.read_bytes())
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
        done = subprocess.run(
            [*command, "--cache-dir", str(tmp_path / "cache"), *sorted(map(str, folder.glob("*.py")))],
            env={**os.environ, "MYPYPATH": path},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.stderr == ""
        named = (Path(line.partition(":")[0]).stem for line in done.stdout.splitlines() if ": error:" in line)
        refused[version] = {name.replace("_", "-") for name in named}
    assert refused == {"old": set(), "new": set(claimed("python"))}


@third("code that a change breaks")
def test_typescript(models: dict[str, list[Model]], node: Toolchain, tmp_path: Path) -> None:
    for version in VERSIONS:
        for model in models[version]:
            install("typescript", model, tmp_path / version / "node_modules")
        for rule, program in programs("typescript").items():
            (tmp_path / version / f"{rule}.ts").write_bytes(program.read_bytes())
    options = {
        "target": "ES2022",
        "module": "NodeNext",
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noEmit": True,
        "skipDefaultLibCheck": True,
        "types": [],
    }
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options, "include": ["old/*.ts", "new/*.ts"]})
    )
    tsc = toolchain.NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    done = node.run("node", tsc, "-p", tmp_path, "--pretty", "false", cwd=tmp_path)
    refused = set(re.findall(r"^(old|new)/([a-z-]+)\.ts\(", done.stdout, re.MULTILINE))
    assert refused == {("new", rule) for rule in claimed("typescript")}, done.stdout


@third("code that a change breaks")
def test_go(models: dict[str, list[Model]], go: Toolchain, tmp_path: Path) -> None:
    def compiles(version: str) -> Callable[[str], bool]:
        folder = tmp_path / version
        modules = [install("go", model, folder) for model in models[version]]
        own = [re.search(r"^module (\S+)$", (each / "go.mod").read_text(), re.MULTILINE) for each in modules]
        needed = re.findall(r"^(?:require|\t) ?(\S+ v\S+)", (modules[0] / "go.mod").read_text(), re.MULTILINE)
        lines = [f"replace {name[1]} => ./{each.name}" for each, name in zip(modules, own, strict=True) if name]
        lines += [f"require {name[1]} v0.0.0" for name in own if name]
        lines += [f"require {each}" for each in needed]
        (folder / "go.mod").write_text("module users\n\ngo 1.24\n\n" + "\n".join(lines) + "\n")
        shutil.copy(modules[0] / "go.sum", folder)
        for rule, program in programs("go").items():
            (folder / "users" / rule).mkdir(parents=True)
            shutil.copy(program, folder / "users" / rule)
        return lambda what: go.run("go", "vet", what, cwd=folder).returncode == 0

    old, new = compiles("old"), compiles("new")
    assert old("./users/...")
    assert {rule for rule in programs("go") if not new(f"./users/{rule}")} == set(claimed("go"))


@third("code that a change breaks")
def test_rust(models: dict[str, list[Model]], rust: Toolchain, tmp_path: Path) -> None:
    def refused(version: str) -> set[str]:
        folder = tmp_path / version
        crates = [install("rust", model, folder) for model in models[version]]
        needs = "".join(f'{crate.name} = {{ path = "{crate.name}" }}\n' for crate in crates)
        (folder / "Cargo.toml").write_text(f'[package]\nname = "users"\nedition = "2021"\n\n[dependencies]\n{needs}')
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").touch()
        (folder / "examples").mkdir()
        for rule, program in programs("rust").items():
            shutil.copy(program, folder / "examples" / f"{rule}.rs")
        shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", folder)
        words = ("check", "--examples", "--offline", "--quiet", "--keep-going", "--message-format=json")
        done = rust.run("cargo", *words, cwd=folder)
        told = (json.loads(line) for line in done.stdout.splitlines())
        messages = [each for each in told if each["reason"] == "compiler-message"]
        assert messages or done.returncode == 0, done.stderr
        return {each["target"]["name"] for each in messages if each["message"]["level"] == "error"}

    assert refused("old") == set()
    assert refused("new") == set(claimed("rust"))
