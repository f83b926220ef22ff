"""Documents, templates and packages never refer readers to an address that belongs to somebody else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

RESERVED = re.compile(r"(?:[\w.-]+\.)?(?:example\.(?:com|org|net)|test|invalid|localhost)|127\.0\.0\.1|x")
"""Names that RFC 2606 reserves for examples, and this machine."""

KNOWN = {
    "www.apache.org": "the text of the licence",
    "go.dev": "Go's reference",
    "json-schema.org": "identifies the dialect of a schema",
    "json.schemastore.org": "a value that settings have on the wire",
    "pre-commit.com": "what runs the hooks",
    "standardschema.dev": "the interface that validators of TypeScript share",
    "rustup.rs": "where a missing compiler comes from",
}

REPOSITORIES = {
    "github.com/google/uuid": "a module that the Go package needs",
    "github.com/koxudaxi/datamodel-code-generator": "makes the flavours",
}
"""Other projects that are mentioned because they are used."""

ACTIONS = re.compile(r"\./\S+|actions/[\w-]+@[0-9a-f]{40}")
"""The actions that a workflow may use: local files, and GitHub's own actions."""

SHOWN = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs",
    "examples",
    "generated",
    "generator",
    "templates",
    "runtimes",
)
WORKFLOWS = (".github", ".pre-commit-hooks.yaml", "examples", "docs")


def texts(*places: str) -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *places], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if not re.search(r"[\w.-]*lock(?:\.json)?$|\.sum$", name):
            yield name, (ROOT / name).read_text(encoding="utf-8")


def is_ours_to_name(address: str) -> bool:
    host, _, path = address.partition("/")
    name = host.partition(":")[0]
    if name == "github.com":
        return "/".join((name, *path.split("/")[:2])) in REPOSITORIES
    return RESERVED.fullmatch(name) is not None or name in KNOWN


def addresses(text: str) -> list[str]:
    named = re.findall(r"(?:https?|ssh|git)://(?:[\w.-]+@)?([\w.-]+(?::\d+)?(?:/[\w./-]*)?)", text)
    return named + re.findall(r"(?<![\w./-])((?:github|gitlab)\.com/[\w./-]+)", text)


def test_every_address_is_ours_to_name() -> None:
    found = {(name, each) for name, text in texts(*SHOWN) for each in addresses(text) if not is_ours_to_name(each)}
    assert found == set()


def test_workflows_use_nothing_that_somebody_else_could_replace() -> None:
    used = [(name, each) for name, text in texts(*WORKFLOWS) for each in re.findall(r"(?m)^\s*-? uses: (\S+)", text)]
    assert len(used) > 3
    assert [(name, each) for name, each in used if not ACTIONS.fullmatch(each)] == []


def test_hooks_come_from_a_checkout() -> None:
    used = [each for _, text in texts(*WORKFLOWS) for each in re.findall(r"(?m)^\s*- repo: (\S+)", text)]
    assert set(used) == {"../polywire"}


@pytest.mark.parametrize(
    "address", ["https://github.com/somebody/polywire", "http://polywire.dev/x", "github.com/a/b-go/types"]
)
def test_an_address_of_somebody_else_is_noticed(address: str) -> None:
    assert [is_ours_to_name(each) for each in addresses(f"see {address} for more")] != []
    assert not any(is_ours_to_name(each) for each in addresses(f"see {address} for more"))
