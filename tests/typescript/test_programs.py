"""Programs of users in JavaScript: they compile under the strictest flags, those of `examples/` without a cast."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import toolchain

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path.name for path in (ROOT / "examples").glob("*.mjs"))
CAPTURES = ROOT / "tests" / "captures" / "0.2.37"

FLAGS = {
    "noEmit": True,
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noPropertyAccessFromIndexSignature": True,
    "noImplicitReturns": True,
    "noUnusedLocals": True,
    "skipDefaultLibCheck": True,
    "target": "es2022",
    "module": "nodenext",
    "types": ["node"],
    "typeRoots": [str(ROOT / "tests" / "typescript" / "node_modules" / "@types")],
}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the programs and the package."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "agentlines").symlink_to(ROOT / "generated" / "typescript")
    for name in PROGRAMS:
        shutil.copy(ROOT / "examples" / name, tmp_path)
    return tmp_path


def test_the_programs_of_the_examples_are_compiled() -> None:
    assert {"answer_requests.mjs", "read_session.mjs", "run_agent.mjs", "watch_session.mjs"} < {*PROGRAMS}


@pytest.mark.full
def test_the_programs_compile_under_the_strictest_flags(installed: Path, node: toolchain.Toolchain) -> None:
    others = [path for folder in ("programs", "functions") for path in (ROOT / "tests" / folder).glob("*.mjs")]
    assert sorted(path.name for path in others) == ["client.mjs", "store.mjs", "usage.mjs"]
    for path in others:
        shutil.copy(path, installed)
    config = {"compilerOptions": FLAGS, "files": [*PROGRAMS, *(path.name for path in others)]}
    (installed / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    compiler = ROOT / "tests" / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
    done = node.run("node", compiler, "-p", installed, cwd=installed)
    assert done.stdout + done.stderr == ""


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_program_has_a_cast(name: str) -> None:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert re.findall(r"@type \{[^\n]*\*/ \(|@ts-|\bany\b", text) == []


def run(
    node: toolchain.Toolchain, installed: Path, name: str, capture: str, *arguments: str
) -> tuple[list[str], list[str]]:
    """Run a program on a captured session; return the lines of its standard output and standard error."""
    text = (CAPTURES / capture).read_text(encoding="utf-8")
    command = node.command("node", installed / name, *arguments)
    done = subprocess.run(command, cwd=installed, input=text, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr.splitlines()


def test_a_session_is_watched_to_its_end(installed: Path, node: toolchain.Toolchain) -> None:
    written, told = run(node, installed, "watch_session.mjs", "allowed_disallowed.out.ndjson", "600")
    assert told == []
    counts = dict(line.split(": ") for line in written)
    assert counts["result"] == "1"
