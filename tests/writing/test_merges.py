"""Two branches with unrelated edits of a spec → their generated files merge, except for the lines with hashes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.commands.cli import cli
from vendor.support import git

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"
EDITS = {
    "one": ("parts.yaml", "How large a parcel is; more sizes will come.", "How large a parcel is."),
    "two": ("office.yaml", "Who has been at a desk.", "Everybody who has been at a desk."),
}
"""Branch → the file of the spec that it edits, the text there, and its replacement."""

DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def generate(folder: Path) -> None:
    done = CliRunner().invoke(cli, ["generate", "--spec", str(folder / "spec"), "--out", str(folder / "generated")])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a spec and its packages, and a branch for each edit."""
    folder = tmp_path_factory.mktemp("merges")
    shutil.copytree(PARCEL, folder / "spec")
    git("init", "--quiet", cwd=folder)
    generate(folder)
    git("add", "--all", cwd=folder)
    git("commit", "--quiet", "--message", "Start", cwd=folder)
    for branch, (file, old, new) in EDITS.items():
        git("checkout", "--quiet", "-B", branch, "main", cwd=folder)
        text = (folder / "spec" / file).read_text(encoding="utf-8")
        assert old in text
        (folder / "spec" / file).write_text(text.replace(old, new), encoding="utf-8")
        generate(folder)
        git("commit", "--quiet", "--all", "--message", branch, cwd=folder)
    return folder


def test_a_comment_changes_only_the_files_with_the_hash_of_the_spec(repository: Path) -> None:
    git("checkout", "--quiet", "-B", "comment", "main", cwd=repository)
    part = repository / "spec" / "parts.yaml"
    part.write_text(f"# A comment.\n{part.read_text(encoding='utf-8')}", encoding="utf-8")
    generate(repository)
    changed = git("diff", "--name-only", "--", "generated", cwd=repository).splitlines()
    git("checkout", "--quiet", "--force", "main", cwd=repository)
    folders = sorted(file.removeprefix("generated/").partition("/")[0] for file in changed)
    assert folders == ["go", "jsonschema", "manifest.json", "python", "rust", "typescript"]


def test_branches_with_unrelated_edits_conflict_only_in_hashes(repository: Path) -> None:
    git("checkout", "--quiet", "-B", "merged", "one", cwd=repository)
    words = ["git", "-c", "user.name=Anybody", "-c", "user.email=anybody@example.org", "merge", "--quiet", "two"]
    subprocess.run(words, cwd=repository, check=False, capture_output=True)
    conflicts = git("diff", "--name-only", "--diff-filter=U", cwd=repository).splitlines()
    assert 0 < len(conflicts) <= 6
    for file in conflicts:
        hunks = re.findall(r"(?ms)^<{7} .*?\n(.*?)^>{7} ", (repository / file).read_text(encoding="utf-8"))
        assert hunks
        for ours, theirs in (hunk.split("=======\n") for hunk in hunks):
            assert DIGEST.sub("", ours) == DIGEST.sub("", theirs)
    generate_over_conflicts(repository)
    assert git("diff", "--name-only", "one", "--", "spec", cwd=repository) == "spec/office.yaml"


def generate_over_conflicts(repository: Path) -> None:
    """`polywire generate` resolves the conflicts: what it writes is what it would write for the merged spec."""
    generate(repository)
    done = CliRunner().invoke(
        cli, ["check", "--spec", str(repository / "spec"), "--out", str(repository / "generated")]
    )
    assert done.exit_code == 0, done.output
