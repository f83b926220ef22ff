"""The workflows that are here, offered to others or shown on a page: which code of others they run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PLACES = [
    *(ROOT / ".github").rglob("*.yml"),
    *(path for path in (ROOT / "examples").rglob("*.yml") if "node_modules" not in path.parts),
    *(ROOT / "docs").glob("*.md"),
    ROOT / "README.md",
]
USES = re.compile(r"^[ -]*uses: (.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w-]+/[\w.-]+(/[\w./-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def actions() -> list[tuple[str, str]]:
    found = [
        (str(path.relative_to(ROOT)), used)
        for path in PLACES
        for used in USES.findall(path.read_text(encoding="utf-8"))
    ]
    return [(place, used) for place, used in found if not used.startswith("./")]


def test_an_action_is_pinned_by_the_full_hash_of_a_commit() -> None:
    found = actions()
    assert len(found) >= 6
    assert [each for each in found if PINNED.fullmatch(each[1]) is None] == []


def test_an_action_has_the_same_version_everywhere() -> None:
    versions = {(used.partition("@")[0], used) for _, used in actions()}
    assert len(versions) == len({name for name, _ in versions})


@pytest.mark.parametrize("place", [path for path in PLACES if path.suffix == ".yml"], ids=lambda path: path.name)
def test_a_workflow_does_not_keep_the_token_in_the_checkout(place: Path) -> None:
    for job in yaml.safe_load(place.read_text(encoding="utf-8")).get("jobs", {}).values():
        for step in job.get("steps", ()):
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_the_workflow_for_others_requires_a_statement_of_what_is_installed() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "polywire.yml").read_text(encoding="utf-8"))
    inputs = workflow[True]["workflow_call"]["inputs"]  # to YAML 1.1 `on` is a boolean
    assert (inputs["requirement"]["required"], "default" in inputs["requirement"]) == (True, False)
    assert inputs["templates"]["default"] is False
