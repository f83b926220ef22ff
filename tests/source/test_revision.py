"""A spec's folder at a git revision, and the errors if it cannot be read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.cli import cli
from polywire.git import GitError
from polywire.source.revision import folder_at, revision


def git(folder: Path, *words: str) -> None:
    who = {f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, env={**os.environ, **who, **alone}
    )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose first commit has no spec; the later commits have one in `wire/spec`."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    spec = tmp_path / "wire" / "spec"
    (spec / "samples").mkdir(parents=True)
    for text in ("old", "new"):
        (spec / "protocol.yaml").write_text(text)
        (spec / "samples" / "ü.json").write_bytes(b"\xff\r\n")
        (tmp_path / ".gitattributes").write_text("*.json export-ignore\n")
        if not (spec / "link.yaml").is_symlink():
            (spec / "link.yaml").symlink_to("protocol.yaml")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", text)
    return tmp_path


def test_git_is_how_a_revision_is_told_from_a_folder() -> None:
    assert [revision(text) for text in ("git:v1.0", "git:", "git", "./git:v1")] == ["v1.0", "", None, None]


def test_the_folder_is_as_it_was_to_the_byte(repository: Path) -> None:
    with folder_at(repository / "wire" / "spec", "HEAD~1") as folder:
        found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*")}
        assert (folder / "link.yaml").is_symlink()
    assert found == {"protocol.yaml": b"old", "link.yaml": b"old", "samples/ü.json": b"\xff\r\n"}
    assert not folder.exists()
    assert (repository / "wire/spec/protocol.yaml").read_text() == "new"


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        ("HEAD~2", "git:HEAD~2 has no folder wire/spec: choose a revision that contains the spec"),
        ("v9", "unknown git revision 'v9': fetch it first (a shallow clone has only the newest), or use another"),
        (
            "--all",
            "unknown git revision '--all': fetch it first (a shallow clone has only the newest), or use another",
        ),
        (
            "HEAD:wire",
            "unknown git revision 'HEAD:wire': fetch it first (a shallow clone has only the newest), or use another",
        ),
        ("", "git: is not a revision: write git:HEAD, git:main, git:v1.2.0"),
    ],
)  # fmt: skip  (a table)
def test_what_git_does_not_have_is_said(repository: Path, named: str, complaint: str) -> None:
    with pytest.raises(GitError) as raised, folder_at(repository / "wire" / "spec", named):
        pass
    assert str(raised.value) == complaint


def test_a_folder_outside_of_any_repository_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(GitError, match=r"is in no git repository that can be read \(not a git repository"):
        folder_at(tmp_path, "HEAD").__enter__()


def test_without_git_that_is_said(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(GitError, match="there is no git on PATH"):
        folder_at(repository / "wire" / "spec", "HEAD").__enter__()


# --- polywire diff ---------------------------------------------------------------------------------------------


@pytest.fixture
def parcel(root: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parcel spec in the repository, committed, and then with a field removed."""
    spec = repository / "wire" / "spec"
    for path in (root / "tests/specs/parcel").rglob("*.*"):
        (spec / path.relative_to(root / "tests/specs/parcel")).parent.mkdir(exist_ok=True)
        (spec / path.relative_to(root / "tests/specs/parcel")).write_bytes(path.read_bytes())
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Parcel")
    parts = spec / "parts.yaml"
    parts.write_text(parts.read_text().replace("      left?: Tree\n", ""))
    monkeypatch.chdir(repository / "wire")
    return spec


@pytest.mark.usefixtures("parcel")
@pytest.mark.parametrize(
    ("words", "last", "where"),
    [
        (["git:HEAD"], "git:HEAD → base: 1 difference", "  - field left?: Tree  HEAD:spec/parts.yaml:72"),
        (["git:HEAD", "spec"], "git:HEAD → spec: 1 difference", "  - field left?: Tree  HEAD:spec/parts.yaml:72"),
        (["spec", "git:HEAD"], "spec → git:HEAD: 1 difference", "  + field left?: Tree  HEAD:spec/parts.yaml:72"),
        (
            ["git:HEAD", "--dialect", "terse"],
            "git:HEAD in terse → terse: 1 difference",
            "  - field left?: Tree  HEAD:spec/parts.yaml:72",
        ),
    ],
)
def test_diff_takes_a_revision(words: list[str], last: str, where: str) -> None:
    done = CliRunner().invoke(cli, ["diff", *words], prog_name="polywire")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, last)
    assert where in done.stdout.splitlines()


@pytest.mark.usefixtures("parcel")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["git:HEAD~1"], "HEAD~1:spec/protocol.yaml:1:1: error["),
        (["git:HEAD~3"], "git:HEAD~3 has no folder wire/spec"),
        (["git:HEAD", "--dialect", "ters"], "spec has no dialect 'ters'; did you mean 'terse'?"),
    ],
)
def test_diff_says_what_is_wrong_with_a_revision(words: list[str], complaint: str) -> None:
    done = CliRunner().invoke(cli, ["diff", *words], prog_name="polywire")
    assert done.exit_code == 2
    assert complaint in done.stderr
