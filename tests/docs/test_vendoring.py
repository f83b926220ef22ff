"""The page about vendoring: its commands work in an empty repository, and its tables are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.ground.parsing import toml_table
from polywire.targets import registry
from polywire.vendor import config
from polywire.vendor.config import FAULTS, KEYS
from polywire.vendor.drift import COLOURS
from sampling import third

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "vendoring.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples" / "vendoring"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCKS if name == language]


def typed(tmp_path: Path, script: str) -> str:
    """Run a script with bash in an empty repository, with polywire on PATH; return its output."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))}
    who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-e", "-c", f"git init --quiet .\n{script}"],
        cwd=tmp_path,
        env={**own, **who, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@third("page on vendoring")
def test_the_five_minutes_end_with_a_check_that_passes(tmp_path: Path) -> None:
    (script,) = blocks("sh")
    lines = [line for line in script.splitlines() if not line.startswith("pip install")]
    assert len(lines) == len(script.splitlines()) - 1
    assert typed(tmp_path, "\n".join(lines)).endswith("of 2 targets: up to date\n")
    assert (tmp_path / "src/wire/agentlines/__init__.py").is_file()
    assert (tmp_path / "web/wire/index.js").is_file()


@third("page on vendoring")
def test_the_config_and_the_template_that_are_shown_are_obeyed(tmp_path: Path) -> None:
    (toml, *_), (template,) = blocks("toml"), blocks("jinja")
    override = tmp_path / "polywire-templates/python/mark.j2"
    override.parent.mkdir(parents=True)
    override.write_text(template, encoding="utf-8")
    (tmp_path / "polywire.toml").write_text(toml, encoding="utf-8")
    said = typed(tmp_path, "polywire generate\npolywire check")
    assert said.endswith("of 2 targets: up to date\n")
    module = (tmp_path / "src/wire/wire/__init__.py").read_text(encoding="utf-8")
    assert "# SPDX-License-Identifier: Apache-2.0\n#\n# Do not review" in module
    assert template.splitlines()[1] in module


def test_the_tables_of_findings_that_are_shown_have_every_key(tmp_path: Path) -> None:
    *_, shown = blocks("toml")
    targets = '[targets.go]\nout = "wire"\n'
    found = config.parse(tmp_path / "polywire.toml", f'spec = "bundled"\n{targets}{shown}'.encode())
    assert found.lint.strict
    assert found.breaking.allow_major
    for table, keys in config.POLICIES.items():
        assert {*toml_table(shown.encode())[table]} >= {*keys} - {"baseline"}
    assert {*toml_table(shown.encode())["lint"]["ignore"][0]} == {*config.IGNORE_KEYS}


@pytest.mark.parametrize(
    ("language", "files"), [("yaml", ["ci.yml", "pre-commit-config.yaml"]), ("make", ["polywire.mk"])]
)
def test_the_examples_are_shown_as_they_are(language: str, files: list[str]) -> None:
    assert blocks(language) == [(EXAMPLES / file).read_text(encoding="utf-8") for file in files]


def test_the_tables_have_every_key_fault_and_kind_of_drift() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line[:1] == "|"]
    told = {row[0].strip("`"): row[1:] for row in rows}
    for name, key in KEYS.items():
        doc, example = told[name]
        assert doc == key.doc + (" Required." if key.required else "")
        assert example.strip("`") == key.example.splitlines()[0]
    assert {name: told[name] for name in FAULTS} == {name: [doc] for name, doc in FAULTS.items()}
    drifts = [*COLOURS][[*COLOURS].index("stale") :]
    assert [name for name in told if name in drifts] == drifts


def test_the_page_names_every_key_of_a_target() -> None:
    for target in registry().values():
        for key in config.target_keys(target):
            assert f"`{key}`" in PAGE, f"{target.name}: {key}"
