"""Many specs → one Go module or one Cargo workspace, compiled at once: faults by spec, or else one testee.

The cost of starting a compiler and of compiling the standard library and dependencies is then paid only once.
"""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import toolchain
from drawn import Spec, folder
from polywire import checks
from polywire.conformance.testees.go import run as go_testee
from polywire.conformance.testees.rust import run as rust_testee
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.render import render
from polywire.targets import registry
from toolchain import Toolchain

MODULE = "example.com/drawn"

BUILT = {"go": 4, "rust": 12}
"""By target: n, where every n-th package is built with a program that answers cases. Type checking is much cheaper."""

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

    wrong: dict[str, str]
    """The errors of each package, by its name."""
    testees: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The commands of testees, by the names of their specs: one program is the testee for all of them."""


Compile: TypeAlias = Callable[[Toolchain, Path, Mapping[str, Spec], bool], Compiled]


def model_if_accepted(spec: Spec, where: Path, targets: tuple[str, ...]) -> Model | None:
    """Return the model of a spec without errors that declares a root; without roots there is nothing to compile."""
    report = checks.check(folder(spec, where), targets=targets)
    model = None if any(each.severity == "error" for each in report.findings) else report.model
    return model if model is not None and model.protocol.roots else None


def packages(target: str, specs: Mapping[str, Spec], where: Path) -> list[str]:
    """Write the package of each accepted spec into a folder of its name; return the names."""
    written = []
    for name, drawn in specs.items():
        spec = copy.deepcopy(drawn)
        spec["packages"] = {"go": {"module": f"{MODULE}/{name}", "package": "drawn"}, "rust": {"crate": name}}
        model = model_if_accepted(spec, where / "specs" / name, (target,))
        if model is None:
            continue
        written.append(name)
        for path, contents in render(registry()[target], make_plan(model)).items():
            (where / name / path).parent.mkdir(parents=True, exist_ok=True)
            (where / name / path).write_bytes(contents)
    return written


def by_name(output: str, names: list[str]) -> dict[str, str]:
    """Group a compiler's messages, including their continuation lines, by the package whose file they name."""
    place = re.compile(rf"\b({'|'.join(names)})/")
    found: dict[str, str] = {}
    for part in re.split(r"\n(?=\S*\.go:|# |vet: |error|warning)", output):
        if named := place.search(part):
            found[named[1]] = found.get(named[1], "") + part + "\n"
    return found


def go(found: Toolchain, where: Path, specs: Mapping[str, Spec], answers: bool) -> Compiled:
    """Compile the Go packages of specs: `go vet` checks types as the compiler does, including tests."""
    shutil.rmtree(where, ignore_errors=True)
    names = packages("go", specs, where)
    if not names:
        return Compiled({})
    for name in names:
        (where / name / "go.mod").replace(where / "go.mod")
        (where / name / "go.sum").replace(where / "go.sum")
    text = (where / "go.mod").read_text(encoding="utf-8")
    (where / "go.mod").write_text(re.sub(r"(?m)^module .*$", f"module {MODULE}", text), encoding="utf-8")
    done = found.run("go", "vet", "./...", cwd=where)
    wrong = by_name(done.stdout + done.stderr, names)
    assert done.returncode == 0 or wrong, done.stdout + done.stderr
    if wrong or not answers:
        return Compiled(wrong)
    built = names[:: BUILT["go"]]
    for name in built:
        go_testee.place_testee(where / name, f"{MODULE}/{name}/drawn", where / name / "testee")
    (where / "main.go").write_text(
        go_testee.main_of({name: f"{MODULE}/{name}/testee" for name in built}), encoding="utf-8"
    )
    done = found.run("go", "build", "-o", str(where / "program"), ".", cwd=where)
    assert done.returncode == 0, done.stderr
    return Compiled({}, {name: (str(where / "program"), name) for name in built})


def rust(found: Toolchain, where: Path, specs: Mapping[str, Spec], answers: bool) -> Compiled:
    """Compile the crates of specs; a warning counts as an error."""
    shutil.rmtree(where, ignore_errors=True)
    names = packages("rust", specs, where)
    if not names:
        return Compiled({})
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
    done = [found.run("cargo", "check", *cargo, *checked, cwd=where)] if checked else []
    done += [found.run("cargo", "build", *cargo, "--package", program, cwd=where)] if built else []
    target = Path(found.variables["CARGO_TARGET_DIR"], "debug")
    wrong = by_name("".join(each.stderr for each in done), names)
    assert not any(each.returncode for each in done) or wrong, [each.stderr for each in done]
    if built and not wrong:
        (target / program).replace(where / "built")
    forget(
        target,
        [
            *names,
            *(f"testee_{name}" for name in built),
            program,
            program.replace("-", "_"),
        ],
    )
    return Compiled(wrong, {} if wrong else {name: (str(where / "built"), name) for name in built})


def forget(built: Path, names: list[str]) -> None:
    """Remove Cargo's files of crates that no later run can use, since each run has its own folder."""
    for name in names:
        for path in (*built.glob(f"deps/lib{name}-*"), *built.glob(f"deps/{name}-*")):
            path.unlink()
        for path in built.glob(f".fingerprint/{name}-*"):
            shutil.rmtree(path)


COMPILE: Mapping[str, Compile] = {"go": go, "rust": rust}
"""By target: the function that compiles."""
