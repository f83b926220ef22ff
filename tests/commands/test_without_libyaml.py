"""polywire where PyYAML is built without libyaml: everything works, slower."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.commands.begin import STARTERS

PROGRAM = """\
import sys
sys.modules["yaml._yaml"] = None
import yaml
assert not yaml.__with_libyaml__
from polywire.commands.cli import main
main()
"""


def run(folder: Path, *words: str, is_pure: bool = True) -> str:
    """Run polywire in a folder, and return what it prints and its exit status."""
    command = ["-c", PROGRAM] if is_pure else ["-m", "polywire"]
    done = subprocess.run([sys.executable, *command, *words], cwd=folder, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}{done.returncode}"


@pytest.mark.full
@pytest.mark.parametrize("starter", sorted(STARTERS))
def test_a_spec_is_read_and_generated(tmp_path: Path, starter: str) -> None:
    run(tmp_path, "init", "--starter", starter, "--target", "jsonschema")
    assert run(tmp_path, "lint", "--strict") == "0"
    assert run(tmp_path, "generate").endswith("created\n0")
    assert run(tmp_path, "check", is_pure=False).endswith("up to date\n0")


def test_findings_are_the_same(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    text = """\
        polywire: 1
        protocol: {name: p, title: P, version: 1.0, framing: ndjson, peers: [a, b], roots: [A]}
        types: {A: {doc: "A?", fields: {a?: B[], b?: string | null, c: Gone}}}
        """
    (spec / "protocol.yaml").write_text(text, encoding="utf-8")
    assert run(tmp_path, "lint") == run(tmp_path, "lint", is_pure=False)
    assert "`B[]` is not quoted" in run(tmp_path, "lint")


def test_an_imported_spec_is_the_same(tmp_path: Path) -> None:
    text = {"type": "string", "description": "A long text: " + "with many words, " * 20 + "and a\nsecond line."}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Note",
        "type": "object",
        "properties": {"kind": {"const": "note"}, "no": text, "é?": {"type": ["integer", "null"]}, "a b": text},
        "required": ["kind", "no"],
    }
    (tmp_path / "note.json").write_text(json.dumps(schema), encoding="utf-8")
    for folder, is_pure in (("one", True), ("other", False)):
        run(tmp_path, "import", "note.json", "--out", folder, is_pure=is_pure)
    one, other = (
        {path.relative_to(tmp_path / folder): path.read_bytes() for path in (tmp_path / folder).rglob("*.yaml")}
        for folder in ("one", "other")
    )
    assert one == other
    assert one
