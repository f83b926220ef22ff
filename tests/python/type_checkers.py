"""User code → the reports of mypy and pyright, both in their strictest modes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

GENERATED = Path(__file__).resolve().parents[2] / "generated"
DISTRIBUTIONS = [str(GENERATED / name) for name in ("python", "python-typed-dicts", "python-pydantic")]


@dataclass(frozen=True, slots=True)
class Finding:
    """A checker's report about a line, counted from 1."""

    file: str
    line: int
    message: str


def mypy(files: Iterable[Path]) -> list[Finding]:
    """Return the errors of mypy --strict."""
    done = run("mypy", "--strict", "--config-file", os.devnull, "--output", "json", *files)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return [
        Finding(Path(each["file"]).name, each["line"], each["message"]) for each in found if each["severity"] == "error"
    ]


def pyright(files: Iterable[Path]) -> list[Finding]:
    """Return the errors of pyright in strict mode; the files are in one folder, which gets its configuration."""
    files = list(files)
    config = {"typeCheckingMode": "strict", "include": [file.name for file in files], "extraPaths": DISTRIBUTIONS}
    (files[0].parent / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = run("pyright", "-p", files[0].parent, "--outputjson", "--pythonpath", sys.executable)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files), done.stdout
    return [
        Finding(Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in report["generalDiagnostics"]
        if each["severity"] != "information"
    ]


CHECKERS = {"mypy": mypy, "pyright": pyright}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a module with this interpreter and with the packages on its path."""
    path = dict.fromkeys(("PYTHONPATH", "MYPYPATH"), os.pathsep.join(DISTRIBUTIONS))
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, env=os.environ | path, capture_output=True, encoding="utf-8", check=False)
