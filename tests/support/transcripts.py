"""The console blocks of a page → the same commands run in one shell, with their output compared with the page.

A `console` block has commands after `$ `, continued after `> `, each followed by its output. A line `…` matches any
lines, and `…` within a line a number or a hash.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from toolchain import VENV, Toolchain

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|//) (\S+\.\w+)\n")
PROGRAMS = {"python", "go", "js"}
FINDINGS = re.compile(r"^\d+ errors?$|^line \d+: \w+ at |^::error |^to fix: |: \d+ differences$", re.MULTILINE)
"""Matches the output of a command that exits with a status other than 0."""


def sections(page: Path) -> dict[str, str]:
    """Return the sections of a page by heading."""
    text = page.read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))


def steps(console: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with its output."""
    found: list[tuple[str, str]] = []
    for line in console.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> "):
            found[-1] = (found[-1][0] + line[2:], "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def transcript(section: str) -> list[tuple[str, str]]:
    """Return the commands of all console blocks of a section, each with its output."""
    return [step for language, text in BLOCK.findall(section) if language == "console" for step in steps(text)]


def shows(shown: str, printed: str) -> bool:
    """Return whether the page matches the actual output."""
    lines = shown.splitlines(keepends=True)
    pattern = "".join(
        r"(?:.*\n)*" if line == "…\n" else re.escape(line).replace("…", r"(?:\d+|[0-9a-f]{64})") for line in lines
    )
    return re.fullmatch(pattern, printed) is not None


def follow(section: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Save the programs of a section and run its commands in one shell; the output must match the page.

    The folder becomes a git repository, unless it is one already.
    """
    script, expected = ["test -e .git || git init --quiet ."], []
    for language, text in BLOCK.findall(section):
        if language in PROGRAMS:
            (name,) = FILE.match(text).groups()  # type: ignore[union-attr]  # a program without its name fails here
            script.append(f"cat > {name} <<'END OF FILE'\n{text}END OF FILE")
        for command, shown in steps(text) if language == "console" else ():
            expected.append((command, shown))
            script.append(f"{command}printf '\\0%s\\0' $?")
    assert expected, "the section shows no commands"
    own = {name: value for name, value in environment.items() if not name.startswith(("GIT_", "GITHUB_"))}
    who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**own, **who, "PYTHONUTF8": "1", "NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.split("\0")
    for (command, shown), output, status in zip(expected, printed[::2], printed[1::2], strict=False):
        assert shows(shown, output), f"$ {command}{output}"
        assert (status != "0") == (FINDINGS.search(output) is not None), f"$ {command}exited with {status}"
    assert len(printed) == 2 * len(expected) + 1


def with_polywire(toolchain: Toolchain | None = None) -> dict[str, str]:
    """Return the environment of a toolchain, or of this machine, with the polywire of the checkout."""
    found = dict(os.environ) if toolchain is None else toolchain.environment
    return {**found, "PATH": os.pathsep.join((str(Path(sys.executable).parent), found["PATH"]))}


def without_polywire(*toolchains: Toolchain) -> dict[str, str]:
    """Return the environment of a machine with some toolchains, and a Python without packages."""
    path = [
        folder for folder in os.environ["PATH"].split(os.pathsep) if VENV not in (Path(folder), *Path(folder).parents)
    ]
    python = Path(getattr(sys, "_base_executable", sys.executable)).parent
    ours = ("PYTEST_", "MAKE", "MFLAGS")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"CI", "PYTHONPATH", "SEED", "VIRTUAL_ENV"} and not name.startswith(ours)
    }
    folders = map(str, (python, *(toolchain.folder for toolchain in toolchains)))
    return {**kept, "PATH": os.pathsep.join((*folders, *path)), "POLYWIRE_CACHE": str(VENV)}
