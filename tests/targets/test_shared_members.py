"""A member that most variants of a union have with one type is read without a match on the variant in Go and Rust.

Python and TypeScript read attributes of a union, once its Unknown is excluded, if all variants have them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import toolchain
from polywire import checks
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from toolchain import Toolchain

SPEC = Path(__file__).parents[1] / "specs" / "found" / "shared-members"

PYTHON = """\
import found


def read(line: found.Line) -> tuple[str, int | None]:
    assert not isinstance(line, found.UnknownLine)
    {partial}
    return line.id, line.size
"""

TYPESCRIPT = """\
import { isUnknown, type Line } from "found";

export function read(line: Line): [string, number | undefined] {
  if (isUnknown(line)) throw new Error();
  {partial}
  return [line.id, line.size];
}
"""

GO = """\
package main

import (
	"fmt"

	types "example.com/found/found"
)

func main() {
	red, _ := types.UnmarshalLine([]byte(`{"type":"red","id":"r","size":3,"name":"n","at":1}`))
	green, _ := types.UnmarshalLine([]byte(`{"type":"green","id":"g","name":1,"at":1}`))
	newer, _ := types.UnmarshalLine([]byte(`{"type":"newer","id":"u","size":4}`))
	_ = red.GetType()
	{partial}
	fmt.Println(red.GetID(), *red.GetSize(), green.GetID(), green.GetSize() == nil, newer.GetID(), *newer.GetSize())
	grey, _ := types.UnmarshalLine([]byte(`{"type":"light","blue":false,"id":"l","kind":7,"size":5,"name":"n"}`))
	fmt.Println(*red.GetAt(), grey.GetAt() == nil)
}
"""

RUST = """\
use found::protocol::{Light, Line};

fn main() {
    let red: Line = found::decode(r#"{"type":"red","id":"r","size":3,"name":"n","at":1}"#).unwrap();
    let green: Line = found::decode(r#"{"type":"green","id":"g","name":1,"at":1}"#).unwrap();
    let grey = r#"{"type":"light","blue":false,"id":"l","kind":7,"size":5,"name":"n"}"#;
    let light: Light = found::decode(grey).unwrap();
    let line: Line = found::decode(grey).unwrap();
    assert_eq!((light.id(), light.kind_(), light.size(), light.name()), ("l", 7, Some(5), "n"));
    assert_eq!((&*line.kind(), line.id(), line.size()), ("light", Some("l"), Some(5)));
    assert_eq!((green.id(), green.size()), (Some("g"), None));
    assert_eq!((red.at(), line.at()), (Some(1), None));
    {partial}
}
"""


def python(_: Toolchain | None, folder: Path, code: str) -> str:
    (folder / "user.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "user.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False).stdout


def typescript(with_: Toolchain, folder: Path, code: str) -> str:
    (folder / "user.ts").write_text(code, encoding="utf-8")
    compiler = toolchain.ROOT / "tests" / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
    flags = ("--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "user.ts")
    return with_.run("node", compiler, *flags, cwd=folder).stdout


def go(with_: Toolchain, folder: Path, code: str) -> str:
    (folder / "main.go").write_text(code, encoding="utf-8")
    done = with_.run("go", "run", ".", cwd=folder)
    return done.stderr if done.returncode else done.stdout


def rust(with_: Toolchain, folder: Path, code: str) -> str:
    (folder / "src" / "main.rs").write_text(code, encoding="utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", folder)
    return with_.run("cargo", "run", "--offline", "--quiet", cwd=folder).stderr


USE: Mapping[str, tuple[Callable[[Toolchain, Path, str], str], str, str, str, str]] = {
    "python": (python, PYTHON, "Success: no issues found", "line.at", 'has no attribute "at"'),
    "typescript": (typescript, TYPESCRIPT, "", "line.at;", "Property 'at' does not exist"),
    "go": (go, GO, "r 3 g true u 4\n1 true\n", "red.GetKind()", "red.GetKind undefined"),
    "rust": (rust, RUST, "", "red.kind_();", "no method named `kind_` found"),
}
"""Target → how to compile and run user code, the code, its output, and code that uses what only some variants have,
with the error for that."""


@pytest.mark.parametrize("target", [pytest.param(each, marks=pytest.mark.full) for each in USE])
def test_a_member_of_most_variants_is_readable_and_one_of_few_is_not(
    target: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    model = checks.check(SPEC).model
    assert model is not None
    for path, contents in render(registry()[target], make_plan(model)).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(contents)
    use, code, output, partial, error = USE[target]
    tools = request.getfixturevalue("node" if target == "typescript" else target) if target != "python" else None
    told = use(tools, tmp_path, code.replace("{partial}", ""))
    assert told.startswith(output) if output else told == "", told
    assert error in use(tools, tmp_path, code.replace("{partial}", partial))
