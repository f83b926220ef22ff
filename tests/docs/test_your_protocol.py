"""The page that starts from an empty folder: its commands work, and print what the page shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.testee import declared
from sampling import third
from toolchain import Toolchain
from transcripts import BLOCK, follow, sections, shows, steps, with_polywire, without_polywire

pytestmark = third("page on one's own protocol")

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = sections(ROOT / "docs" / "your-protocol.md")


def test_six_commands_lead_from_an_empty_folder_to_the_table_of_every_language(
    tmp_path: Path, node: Toolchain, go: Toolchain, rust: Toolchain
) -> None:
    dist, own = tmp_path / "polywire" / "dist", tmp_path / "own"
    build = [sys.executable, ROOT / "release" / "dist.py", "--out", dist, "polywire"]
    subprocess.run(build, check=True, capture_output=True)
    own.mkdir()
    follow(SECTIONS["Six commands"], own, without_polywire(node, go, rust))
    first, *_ = BLOCK.findall(SECTIONS["Six commands"])
    assert len(steps(first[1])) == 6
    table = subprocess.run(
        [own / ".venv" / "bin" / "polywire", "conformance", "--json", "result.json", "--cases", "tests/fixtures"],
        cwd=own,
        env=without_polywire(node, go, rust),
        capture_output=True,
        check=False,
    )
    assert table.returncode == 0, table.stdout.decode()
    results = json.loads((own / "result.json").read_text(encoding="utf-8"))["testees"]
    assert {each["testee"] for each in results if each["cannot_run"] is None} == {
        each.name
        for each in declared(BUNDLED_TESTEES)
        if each.target != "jsonschema" and each.name != "python-native"  # no command installs the extension
    }
    assert {path.name for path in own.iterdir()} == {
        *(".git", ".venv", "generated", "polywire.manifest.json", "polywire.toml", "result.json", "spec", "tests")
    }


def test_tagged_lines_are_read_and_answered_in_python_and_go(tmp_path: Path, go: Toolchain) -> None:
    follow(SECTIONS["Tagged lines"], tmp_path, with_polywire(go))


def test_json_rpc_is_served_in_python_and_asked_in_javascript(tmp_path: Path, node: Toolchain) -> None:
    follow(SECTIONS["JSON-RPC"], tmp_path, with_polywire(node))


def test_a_language_server_is_asked_in_python(tmp_path: Path) -> None:
    follow(SECTIONS["The Language Server Protocol"], tmp_path, with_polywire())


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
