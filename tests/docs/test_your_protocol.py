"""The page that begins with an empty folder: what it says to type works, and prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolchain import Toolchain

pytestmark = pytest.mark.full

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "your-protocol.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|//) (\S+\.\w+)\n")
PROGRAMS = {"python", "go", "js"}


def steps(console: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints; `> ` continues a command."""
    found: list[tuple[str, str]] = []
    for line in console.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> "):
            found[-1] = (found[-1][0] + line[2:], "")
        else:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a line `…` stands for any lines, `…` in a line for a number."""
    lines = shown.splitlines(keepends=True)
    pattern = "".join(r"(?:.*\n)*" if line == "…\n" else re.escape(line).replace("…", r"\d+") for line in lines)
    return re.fullmatch(pattern, printed) is not None


def follow(section: str, folder: Path, toolchain: Toolchain) -> None:
    """Save the files of a section and type its commands, in one shell; each prints what the page shows."""
    script, expected = ["git init --quiet ."], []
    for language, text in BLOCK.findall(SECTIONS[section]):
        if language in PROGRAMS:
            (name,) = FILE.match(text).groups()  # type: ignore[union-attr]  # a program without its name fails here
            script.append(f"cat > {name} <<'END OF FILE'\n{text}END OF FILE")
        for command, shown in steps(text) if language == "console" else ():
            expected.append((command, shown))
            script.append(f"{command}printf '\\0%s\\0' $?")
    own = {name: value for name, value in toolchain.environment.items() if not name.startswith(("GIT_", "GITHUB_"))}
    path = os.pathsep.join((str(Path(sys.executable).parent), own["PATH"]))
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**own, "PATH": path, "PYTHONUTF8": "1", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.split("\0")
    for (command, shown), output, status in zip(expected, printed[::2], printed[1::2], strict=False):
        assert shows(shown, output), f"$ {command}{output}"
        fails = re.search(r"^\d+ errors?$|^line \d+: \w+ at ", output, re.MULTILINE) is not None
        assert (status != "0") == fails, f"$ {command}exited with {status}"
    assert len(printed) == 2 * len(expected) + 1


def test_tagged_lines_are_read_and_answered_in_python_and_go(tmp_path: Path, go: Toolchain) -> None:
    follow("Tagged lines", tmp_path, go)


def test_json_rpc_is_served_in_python_and_asked_in_javascript(tmp_path: Path, node: Toolchain) -> None:
    follow("JSON-RPC", tmp_path, node)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("… files\n", "12 files\n", True),
        ("… files\n", "no files\n", False),
        ("a\n…\nb\n", "a\n1\n2\nb\n", True),
        ("a\n…\nb\n", "a\n1\n2\n", False),
    ],
)
def test_what_the_page_shows_is_compared(shown: str, printed: str, same: bool) -> None:
    assert shows(shown, printed) is same
