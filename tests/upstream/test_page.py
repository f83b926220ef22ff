"""The example of docs/following-upstream.md runs as shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire_upstream.compare import RULES
from polywire_upstream.config import KEYS
from upstream import packages

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "following-upstream.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for each, text in BLOCKS if each == language]


def called(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.mark.usefixtures("compiler")
def test_the_example_does_what_the_page_says(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    (spec / "releases").mkdir(parents=True)
    (spec / "protocol.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    releases, differences = blocks("toml")
    (spec / "releases.toml").write_text(releases, encoding="utf-8")
    for release, declarations in zip(("1.0.0", "1.1.0"), blocks("ts"), strict=True):
        folder = tmp_path / release / "node_modules" / "@example" / "agent"
        folder.mkdir(parents=True)
        (folder / "agent.d.ts").write_text(declarations, encoding="utf-8")
        (folder / "package.json").write_text(json.dumps({"version": release}), encoding="utf-8")

    assert called("upstream", "snapshot", "1.0.0", "--from", tmp_path / "1.0.0", "--spec", spec).exit_code == 0
    compared = called("compare", "--at", "1.0.0", "--spec", spec)
    assert (compared.exit_code, compared.output) == (1, blocks("text")[0])
    (spec / "releases" / "differences.toml").write_text(differences, encoding="utf-8")
    assert called("compare", "--at", "1.0.0", "--spec", spec).exit_code == 0

    out = tmp_path / "next"
    done = called("upstream", "follow", "1.1.0", "--from", tmp_path / "1.1.0", "--out", out, "--spec", spec)
    assert done.exit_code == 0, done.output
    patch = (out / "spec.patch").read_text(encoding="utf-8")
    assert patch == blocks("diff")[0]
    assert (out / "worklist.md").read_text(encoding="utf-8").rstrip().endswith(blocks("markdown")[0].rstrip())
    packages.patched(spec, patch)
    assert yaml.safe_load((spec / "protocol.yaml").read_text(encoding="utf-8"))["unions"]["Line"]["variants"] == [
        "Result",
        "AgentNotice",
    ]


def test_the_page_has_every_rule_and_every_key() -> None:
    rows = dict(re.findall(r"^\| `\[?([\w-]+)\]?` \| (.*) \|$", PAGE, re.MULTILINE))
    assert {name: rows.get(name) for name in RULES} == RULES
    assert set(KEYS) <= set(rows)


def test_the_workflow_runs_the_command_that_the_page_describes() -> None:
    workflow = yaml.safe_load((ROOT / "examples" / "upstream" / "follow.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["follow"]["steps"]
    assert 'polywire upstream follow "$release" --out next' in steps[-1]["run"]
    assert steps[-1]["shell"] == "bash"
