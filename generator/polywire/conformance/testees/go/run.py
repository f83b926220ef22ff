"""The testee for the generated Go module: builds its program, once for each state of the module, and executes it.

    run.py FOLDER

FOLDER is the generated module. Exits with 77 if there is no Go, or the dependencies cannot be fetched.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from polywire.conformance.toolchain import NO_GO, Toolchain, alone_in, become, cannot_run, go, go_home, trim

HERE = Path(__file__).resolve().parent
IMPORT = re.compile(r'types "[^"]+"')
"""The import of the tested package in a file of the testee."""

NAME = "testee"
"""The name of the testee in a program with a single one."""

TREES = """\
package testee

import types "{package}"

func init() {{
	trees = map[string]func() grown{{{entries}
	}}
}}
"""
"""The file of the testee that registers the trees of the package."""

MAIN = """\
package main

import (
	"os"
{imports}
)

var testees = map[string]func(){{{entries}
}}

func main() {{
	testees[os.Args[1]]()
}}
"""


def module_of(folder: Path) -> str:
    """Return the path of the module."""
    found = re.search(r"^module (\S+)$", (folder / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def package_in(folder: Path) -> str:
    """Return the name of the only folder with a package."""
    (doc,) = folder.glob("*/doc.go")
    return doc.parent.name


def code_of(folder: Path) -> str:
    """Return the source of the package."""
    return "".join(p.read_text(encoding="utf-8") for p in sorted((folder / package_in(folder)).glob("*.go")))


def sources(folder: Path) -> list[Path]:
    """Return the files of the testee, except those whose `//needs` line lists functions that the package lacks."""
    declared = set(re.findall(r"^func (\w+)", code_of(folder), re.MULTILINE))
    needs = {path: re.match(r"//needs (.*)", path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.go"))}
    return [path for path, found in needs.items() if found is None or declared.issuperset(found[1].split())]


def state_of(folder: Path) -> str:
    """Return a hash of everything that the program is built from."""
    digest = hashlib.sha256(
        b"\0".join((MAIN.encode(), TREES.encode(), *(path.read_bytes() for path in sources(folder))))
    )
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


def place_testee(folder: Path, package: str, to: Path) -> None:
    """Write the testee for the package in a generated folder, whose import path is `package`."""
    to.mkdir()
    for path in sources(folder):
        text = IMPORT.sub(f'types "{package}"', path.read_text(encoding="utf-8"), count=1)
        (to / path.name).write_text(text, encoding="utf-8")
    if trees := re.findall(r"^type (\w+)\[E any\] struct\{ tree\[", code_of(folder), re.MULTILINE):
        entries = "".join(f'\n\t\t"{name}": func() grown {{ return new(types.{name}[any]) }},' for name in trees)
        (to / "trees.go").write_text(TREES.format(package=package, entries=entries), encoding="utf-8")


def main_of(testees: Mapping[str, str]) -> str:
    """Return the source of a program that runs the testee named by its argument; `testees` has their import paths."""
    imports = "".join(f'\n\t{name} "{path}"' for name, path in testees.items())
    entries = "".join(f'\n\t"{name}": {name}.Run,' for name in testees)
    return MAIN.format(imports=imports, entries=entries)


def build(found: Toolchain, folder: Path, program: Path) -> None:
    """Build the program in a temporary folder."""
    module = module_of(folder)
    with tempfile.TemporaryDirectory(dir=program.parent) as temporary:
        place = Path(temporary)
        place_testee(folder, f"{module}/{package_in(folder)}", place / NAME)
        (place / "main.go").write_text(main_of({NAME: f"program/{NAME}"}), encoding="utf-8")
        needs = (folder / "go.mod").read_text(encoding="utf-8").partition("require")[2]
        (place / "go.mod").write_text(
            f"module program\n\ngo 1.24\n\nrequire {module} v0.0.0\n\nreplace {module} => {folder}\n\nrequire{needs}",
            encoding="utf-8",
        )
        (place / "go.sum").write_bytes((folder / "go.sum").read_bytes())
        fetched = found.run("go", "mod", "download", cwd=place)
        if fetched.returncode:
            cannot_run(f"go cannot fetch the dependencies of the module: {fetched.stderr.strip()}")
        made = place / "program"
        done = subprocess.run(
            found.command("go", "build", "-mod=mod", "-o", str(made), "."),
            cwd=place,
            env=found.environment,
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode:
            sys.exit(done.returncode)
        made.replace(program)


def main(folder: Path) -> None:
    found = go()
    if found is None:
        cannot_run(NO_GO)
    program = go_home() / "testees" / state_of(folder) / "program"
    with alone_in(program.parent):
        if not program.exists():
            build(found, folder, program)
        trim(program.parent.parent)
    become([str(program), NAME], os.environ)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
