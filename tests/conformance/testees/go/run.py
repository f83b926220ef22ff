"""The testee for the generated Go module: builds its program, once for each state of the module, and becomes it.

    run.py FOLDER

FOLDER is the generated module. Exits with 77 where there is no Go.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from toolchain import CANNOT_RUN, GO_HOME, Toolchain, alone_in, go  # noqa: E402 (it stands beside the folder of this one)

IMPORT = re.compile(r'types "[^"]+"')
"""The line of the program that says which package is tested."""


def module_of(folder: Path) -> str:
    """What the module calls itself."""
    found = re.search(r"^module (\S+)$", (folder / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def package_in(folder: Path) -> str:
    """The one folder with a package."""
    (doc,) = folder.glob("*/doc.go")
    return doc.parent.name


def state_of(folder: Path) -> str:
    """A hash of all that the program is made of."""
    digest = hashlib.sha256((HERE / "main.go").read_bytes())
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


def build(found: Toolchain, folder: Path, program: Path) -> None:
    """Build the program beside the module, in a folder of its own."""
    module = module_of(folder)
    with tempfile.TemporaryDirectory(dir=program.parent) as temporary:
        place = Path(temporary)
        source = (HERE / "main.go").read_text(encoding="utf-8")
        (place / "main.go").write_text(
            IMPORT.sub(f'types "{module}/{package_in(folder)}"', source, count=1), encoding="utf-8"
        )
        needs = (folder / "go.mod").read_text(encoding="utf-8").partition("require")[2]
        (place / "go.mod").write_text(
            f"module testee\n\ngo 1.24\n\nrequire {module} v0.0.0\n\nreplace {module} => {folder}\n\nrequire{needs}",
            encoding="utf-8",
        )
        (place / "go.sum").write_bytes((folder / "go.sum").read_bytes())
        made = place / program.name
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
        print("there is no Go", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    program = GO_HOME / "testees" / state_of(folder) / "testee"
    with alone_in(program.parent):
        if not program.exists():
            build(found, folder, program)
    os.execv(program, [str(program)])  # noqa: S606 (a program of ours, and no shell)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
