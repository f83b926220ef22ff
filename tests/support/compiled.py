"""Many packages of a language, compiled at once: faults by package, or else one testee.

The cost of starting a compiler and of compiling the standard library and dependencies is then paid only once.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import TypeAlias

import jsonschema_rs
import pytest

import toolchain
from drawn import Spec, folder
from polywire import checks
from polywire.conformance.testees.go import run as go_testee
from polywire.conformance.testees.rust import run as rust_testee
from polywire.model.nodes import Model
from toolchain import Toolchain

MODULE = "example.com/drawn"

BUILT = {"go": 4, "rust": 12}
"""By target: n, where every n-th package is built with a program that answers cases. Type checking is much cheaper."""

MYPY = ("--strict", "--config-file=", "--no-error-summary")

IMPORT_ALL = """\
import importlib, os, pkgutil, sys, traceback
for folder in os.environ["PYTHONPATH"].split(os.pathsep):
    for module in pkgutil.walk_packages([folder]):
        try:
            importlib.import_module(module.name)
        except Exception:
            print("error", folder.split(os.sep)[-1] + "/", traceback.format_exc().replace("\\n", "\\n  "))
"""

IMPORT_ALL_JS = """\
for (const path of process.argv.slice(2)) {
  try {
    await import(path)
  } catch (error) {
    console.log("error", path, String(error.stack).replaceAll("\\n", "\\n  "))
  }
}
"""

STRICT = {
    "noEmit": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "skipDefaultLibCheck": True,  # the compiler's own declarations take longer to check than ours
    "module": "nodenext",
    "target": "es2022",
    "types": ["node"],
    "typeRoots": [str(toolchain.NODE_PACKAGES / "node_modules" / "@types")],
}

PROGRAM = """\
[package]
name = "{name}"
version = "0.0.0"
edition = "2021"

[[bin]]
name = "{name}"
path = "main.rs"

[dependencies]
{needs}"""

MAIN = """\
fn main() {{
    match std::env::args().nth(1).as_deref() {{
{arms}        other => panic!("no testee {{other:?}}"),
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling the packages of specs."""

    wrong: Mapping[str, str]
    """The errors of each package, by its name."""
    testees: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The commands of testees, by the names of their specs: one program is the testee for all of them."""


Files: TypeAlias = Mapping[str, bytes]
"""A package: its files by path."""

Compile: TypeAlias = Callable[[Toolchain, Path, Mapping[str, Files], bool], Compiled]
"""Compiles packages, which are written to a folder, and builds testees if the last parameter is true."""


def models(spec: Spec, where: Path, targets: tuple[str, ...]) -> dict[str, Model]:
    """Return the model of a spec for each target for which it has no errors.

    A spec without roots has none, as there is nothing to compile.
    """
    place = folder(spec, where)
    if (model := accepted(place, targets)) is not None:
        return dict.fromkeys(targets, model)
    if len(targets) == 1:
        return {}
    found = {target: accepted(place, (target,)) for target in targets} if accepted(place, ()) else {}
    return {target: model for target, model in found.items() if model is not None}


def accepted(place: Path, targets: tuple[str, ...]) -> Model | None:
    """Return the model of the spec in a folder if lint accepts it for the targets, and it has a root."""
    report = checks.check(place, targets=targets)
    model = None if any(each.severity == "error" for each in report.findings) else report.model
    return model if model is not None and model.protocol.roots else None


def model_if_accepted(spec: Spec, where: Path, targets: tuple[str, ...]) -> Model | None:
    """Return the model of a spec that has no errors for any of the targets, and has a root."""
    return accepted(folder(spec, where), targets)


def named(spec: Spec, name: str) -> Spec:
    """Return a spec with a name for its packages that differs from those of others."""
    go = {"module": f"{MODULE}/{name}", "package": "drawn"}
    return {**spec, "packages": {"go": go, "rust": {"crate": name}, "python": {"module": name}}}


def renamed(model: Model, name: str) -> Model:
    """Return a model whose packages have the names that `named` gives them."""
    return replace(model, packages={**model.packages, **named({}, name)["packages"]})


def write(packages: Mapping[str, Files], where: Path) -> None:
    """Write each package into a folder of its name, instead of what is there."""
    shutil.rmtree(where, ignore_errors=True)
    for name, files in packages.items():
        for path, contents in files.items():
            (where / name / path).parent.mkdir(parents=True, exist_ok=True)
            (where / name / path).write_bytes(contents)


def by_name(output: str, names: list[str]) -> dict[str, str]:
    """Group a compiler's messages, including their continuation lines, by the package whose file they name."""
    place = re.compile(rf"\b({'|'.join(names)})/")
    found: dict[str, str] = {}
    for part in re.split(r"\n(?=\S+\.\w+[:(]\d|# |vet: |error|warning)", output):
        if named := place.search(part):
            found[named[1]] = found.get(named[1], "") + part + "\n"
    return found


def result(done: CompletedProcess[str], names: list[str]) -> Compiled:
    """Return what a compiler reported about packages."""
    output = done.stdout + done.stderr
    wrong = by_name(output, names)
    assert done.returncode == 0 or wrong, output
    return Compiled(wrong)


def jsonschema(_: Toolchain, where: Path, packages: Mapping[str, Files], answers: bool) -> Compiled:  # noqa: ARG001
    """Validate JSON Schemas against their metaschema, and compile their patterns and references."""
    wrong = {}
    for name, files in packages.items():
        for contents in (text for path, text in files.items() if path.endswith(".json")):
            schema = json.loads(contents)
            try:
                jsonschema_rs.meta.validate(schema)
                jsonschema_rs.validator_for(schema)
            except ValueError as error:
                wrong[name] = str(error)
    return Compiled(wrong)


def python(_: Toolchain, where: Path, packages: Mapping[str, Files], answers: bool) -> Compiled:  # noqa: ARG001
    """Import all modules of Python packages, and check their types with mypy."""
    write(packages, where)
    names = [*packages]
    programs = (("-c", IMPORT_ALL), ("-m", "mypy", *MYPY, *(f"-p{name}" for name in names)))
    path = os.pathsep.join(str(where / name) for name in names)
    settings = {**os.environ, "PYTHONPATH": path, "MYPYPATH": path}
    wrong: dict[str, str] = {}
    for program in programs:
        command = [sys.executable, *program]
        done = subprocess.run(command, cwd=where, env=settings, capture_output=True, encoding="utf-8", check=False)
        wrong = {**result(done, names).wrong, **wrong}
    return Compiled(wrong)


def typescript(found: Toolchain, where: Path, packages: Mapping[str, Files], answers: bool) -> Compiled:  # noqa: ARG001
    """Compile the declarations of TypeScript packages as one program, and import their modules."""
    write(packages, where)
    names = [*packages]
    files = [path for name in names for path in sorted((where / name).glob("*.d.ts"))]
    config = {"compilerOptions": STRICT, "files": [str(path) for path in files]}
    (where / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    (where / "all.mjs").write_text(IMPORT_ALL_JS, encoding="utf-8")
    compiler = toolchain.NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    wrong = result(found.run("node", compiler, "-p", where, cwd=where), names).wrong
    modules = [f"./{name}/{path}" for name, files_ in packages.items() for path in files_ if path.endswith(".js")]
    return Compiled({**result(found.run("node", "all.mjs", *modules, cwd=where), names).wrong, **wrong})


def go(found: Toolchain, where: Path, packages: Mapping[str, Files], answers: bool) -> Compiled:
    """Compile Go packages: `go vet` checks types as the compiler does, including tests."""
    write(packages, where)
    names = [*packages]
    for name in names:
        (where / name / "go.mod").replace(where / "go.mod")
        (where / name / "go.sum").replace(where / "go.sum")
    text = (where / "go.mod").read_text(encoding="utf-8")
    (where / "go.mod").write_text(re.sub(r"(?m)^module .*$", f"module {MODULE}", text), encoding="utf-8")
    done = found.run("go", "vet", "./...", cwd=where)
    checked = result(done, names)
    if checked.wrong or not answers:
        return checked
    built = names[:: BUILT["go"]]
    for name in built:
        go_testee.place_testee(where / name, f"{MODULE}/{name}/drawn", where / name / "testee")
    (where / "main.go").write_text(
        go_testee.main_of({name: f"{MODULE}/{name}/testee" for name in built}), encoding="utf-8"
    )
    done = found.run("go", "build", "-o", str(where / "program"), ".", cwd=where)
    assert done.returncode == 0, done.stderr
    return Compiled({}, {name: (str(where / "program"), name) for name in built})


def rust(found: Toolchain, where: Path, packages: Mapping[str, Files], answers: bool) -> Compiled:
    """Compile crates; a warning counts as an error."""
    write(packages, where)
    names = [*packages]
    built = names[:: BUILT["rust"]] if answers else []
    for name in built:
        rust_testee.place_testee(where / name, f"testee_{name}", where / f"testee_{name}", "[lib]")
    program = f"program-{names[0]}"  # a unique name in the folder that all workspaces build into
    (where / program).mkdir()
    needs = "".join(f'testee_{name} = {{ path = "../testee_{name}" }}\n' for name in built)
    (where / program / "Cargo.toml").write_text(PROGRAM.format(name=program, needs=needs), encoding="utf-8")
    arms = "".join(f'        Some("{name}") => testee_{name}::run(None).expect("it answers"),\n' for name in built)
    (where / program / "main.rs").write_text(MAIN.format(arms=arms), encoding="utf-8")
    members = ", ".join(f'"{name}"' for name in (*names, *(f"testee_{name}" for name in built), program))
    (where / "Cargo.toml").write_text(f'[workspace]\nresolver = "2"\nmembers = [{members}]\n', encoding="utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", where)
    cargo = ("--offline", "--quiet", "--keep-going")
    checked = [word for name in names if name not in built for word in ("--package", name)]
    target = Path(found.variables["CARGO_TARGET_DIR"], "debug")
    with alone(target.parent):
        done = [found.run("cargo", "check", *cargo, *checked, cwd=where)] if checked else []
        done += [found.run("cargo", "build", *cargo, "--package", program, cwd=where)] if built else []
        wrong = by_name("".join(each.stderr for each in done), names)
        if built and not any(each.returncode for each in done):
            (target / program).replace(where / "built")
        forget(target, [*names, *(f"testee_{name}" for name in built), program, program.replace("-", "_")])
    assert not any(each.returncode for each in done) or wrong, [each.stderr for each in done]
    return Compiled(wrong, {} if wrong else {name: (str(where / "built"), name) for name in built})


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait for other processes that build in the folder: crates of different tests can have the same name."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "drawn.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def forget(built: Path, names: list[str]) -> None:
    """Remove Cargo's files of crates that no later run can use, since each run has its own folder."""
    for name in names:
        for path in (*built.glob(f"deps/lib{name}-*"), *built.glob(f"deps/{name}-*")):
            path.unlink()
        for path in built.glob(f".fingerprint/{name}-*"):
            shutil.rmtree(path)


COMPILE: Mapping[str, Compile] = {
    "python": python, "jsonschema": jsonschema, "typescript": typescript, "go": go, "rust": rust
}  # fmt: skip
"""By target: the function that compiles."""

TOOLCHAINS = {"typescript": "node", "go": "go", "rust": "rust"}
"""By target: the fixture with its toolchain."""


def compiled(target: str, packages: Mapping[str, Files], request: pytest.FixtureRequest, where: Path) -> Compiled:
    """Compile packages, with testees for some of them if there are several."""
    toolchain = request.getfixturevalue(TOOLCHAINS[target]) if target in TOOLCHAINS else None
    return COMPILE[target](toolchain, where, packages, len(packages) > 1) if packages else Compiled({})
