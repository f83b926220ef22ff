"""Constructors fill in the values that the spec fixes, for every type of value."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import toolchain
from polywire import checks
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from sampling import third
from toolchain import Toolchain

SPEC = Path(__file__).parents[1] / "specs" / "found" / "constructor-values"

GO = """\
package main

import (
	"fmt"

	types "example.com/found/found"
)

func main() {
	line, err := types.Encode(types.NewMade())
	fmt.Println(string(line), err)
}
"""

RUST = """\
fn main() {
    println!("{}", found::encode(&found::protocol::Made::create()).expect("it is valid"));
}
"""


def python(_: Toolchain | None, folder: Path) -> str:
    sys.path.insert(0, str(folder))
    try:
        import found

        return found.encode(found.new_made()).decode()
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "found"]:
            del sys.modules[name]


def go(with_: Toolchain, folder: Path) -> str:
    (folder / "main.go").write_text(GO, encoding="utf-8")
    done = with_.run("go", "run", ".", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix(" <nil>\n")


def rust(with_: Toolchain, folder: Path) -> str:
    (folder / "src" / "main.rs").write_text(RUST, encoding="utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", folder)
    done = with_.run("cargo", "run", "--offline", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


MAKE: Mapping[str, Callable[[Toolchain, Path], str]] = {"go": go, "rust": rust}


@pytest.mark.parametrize(
    "target", ["python", *(pytest.param(each, marks=third("constructors in Go and Rust")) for each in MAKE)]
)
def test_a_constructor_makes_what_the_spec_fixes(target: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    model = checks.check(SPEC).model
    assert model is not None
    for path, contents in render(registry()[target], make_plan(model)).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(contents)
    made = python(None, tmp_path) if target == "python" else MAKE[target](request.getfixturevalue(target), tmp_path)
    (constructor,) = model.struct("Made").constructors
    wanted = {"type": "made", **{key: value for (key,), value in constructor.set}, "kind": "rest", "z": 7}
    assert json.loads(made) == wanted
