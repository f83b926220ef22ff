"""Many specs → one Go module, or one Cargo workspace, that is compiled at once; what is wrong with each, by its name.

A compiler's start, the standard library and the crates of others are then paid for once.
"""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import toolchain
from drawn import Spec, folder
from polywire import checks
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.render import render
from polywire.targets import registry
from toolchain import Toolchain

MODULE = "example.com/drawn"

Compile: TypeAlias = Callable[[Toolchain, Path, Mapping[str, Spec]], dict[str, str]]


def model_if_accepted(spec: Spec, where: Path, targets: tuple[str, ...]) -> Model | None:
    """The model of a spec without errors that says what is read; one without has nothing to compile."""
    report = checks.check(folder(spec, where), targets=targets)
    model = None if any(each.severity == "error" for each in report.findings) else report.model
    return model if model is not None and model.protocol.roots else None


def packages(target: str, specs: Mapping[str, Spec], where: Path) -> list[str]:
    """Write the package of each accepted spec into a folder of its name; the names of these."""
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
    """The lines of a compiler, and of each up to the next, by the package whose file they name."""
    place = re.compile(rf"\b({'|'.join(names)})/")
    found: dict[str, str] = {}
    for part in re.split(r"\n(?=\S*\.go:|# |vet: |error|warning)", output):
        if named := place.search(part):
            found[named[1]] = found.get(named[1], "") + part + "\n"
    return found


def go(found: Toolchain, where: Path, specs: Mapping[str, Spec]) -> dict[str, str]:
    """What is wrong with the Go packages of specs, as `go vet` says, which checks types as the compiler does."""
    shutil.rmtree(where, ignore_errors=True)
    names = packages("go", specs, where)
    if not names:
        return {}
    for name in names:
        (where / name / "go.mod").replace(where / "go.mod")
        (where / name / "go.sum").replace(where / "go.sum")
    text = (where / "go.mod").read_text(encoding="utf-8")
    (where / "go.mod").write_text(re.sub(r"(?m)^module .*$", f"module {MODULE}", text), encoding="utf-8")
    done = found.run("go", "vet", "./...", cwd=where)
    wrong = by_name(done.stdout + done.stderr, names)
    assert done.returncode == 0 or wrong, done.stdout + done.stderr
    return wrong


def rust(found: Toolchain, where: Path, specs: Mapping[str, Spec]) -> dict[str, str]:
    """What is wrong with the crates of specs, as `cargo check` says; a warning is wrong too."""
    shutil.rmtree(where, ignore_errors=True)
    names = packages("rust", specs, where)
    if not names:
        return {}
    listed = ", ".join(f'"{name}"' for name in names)
    (where / "Cargo.toml").write_text(f'[workspace]\nresolver = "2"\nmembers = [{listed}]\n', encoding="utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", where)
    done = found.run("cargo", "check", "--offline", "--quiet", "--workspace", "--keep-going", cwd=where)
    forget(Path(found.variables["CARGO_TARGET_DIR"], "debug"), names)
    wrong = by_name(done.stderr, names)
    assert done.returncode == 0 or wrong, done.stderr
    return wrong


def forget(built: Path, names: list[str]) -> None:
    """Remove what Cargo keeps of crates that no later run can use, as they were in a folder of their own."""
    for name in names:
        for path in (*built.glob(f"deps/lib{name}-*"), *built.glob(f"deps/{name}-*")):
            path.unlink()
        for path in built.glob(f".fingerprint/{name}-*"):
            shutil.rmtree(path)


COMPILE: Mapping[str, Compile] = {"go": go, "rust": rust}
"""By target: what compiles."""
