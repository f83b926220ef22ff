"""Repositories of git: which one contains a folder, and that git runs nothing whatever the repository says."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from polywire.ground import git as ours
from polywire.ground.git import GitError, Repository
from polywire.source.revision import files_at
from repositories import bare, commit_all, fetching, git

LIMIT = 100


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file in `spec`, committed."""
    top = tmp_path / "repository"
    (top / "spec").mkdir(parents=True)
    (top / "spec" / "protocol.yaml").write_text("first")
    git(top, "init", "--quiet")
    commit_all(top)
    return top


def entry(folder: Path) -> bytes:
    with files_at(folder, "HEAD", Path()) as files:
        return files.read("protocol.yaml", LIMIT)


# --- which repository ------------------------------------------------------------------------------------------


def test_the_repository_is_the_nearest_one(repository: Path) -> None:
    inner = repository / "vendor" / "inner"
    (inner / "spec").mkdir(parents=True)
    (inner / "spec" / "protocol.yaml").write_text("inner")
    git(inner, "init", "--quiet")
    commit_all(inner)
    assert (entry(repository / "spec"), entry(inner / "spec")) == (b"first", b"inner")
    assert Repository.of(inner / "spec" / "none" / "yet").top == inner.resolve()


def test_a_working_tree_has_a_revision_of_its_own(repository: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "other", "../other")
    other = repository.parent / "other"
    (other / "spec" / "protocol.yaml").write_text("second")
    commit_all(other)
    assert (entry(repository / "spec"), entry(other / "spec")) == (b"first", b"second")


def test_a_submodule_is_a_repository(repository: Path) -> None:
    above = repository.parent / "above"
    above.mkdir()
    git(above, "init", "--quiet")
    git(above, "submodule", "--quiet", "add", str(repository), "module")
    assert (above / "module" / ".git").is_file()
    assert entry(above / "module" / "spec") == b"first"


def test_a_folder_behind_a_link_belongs_to_the_repository_that_it_is_in(repository: Path) -> None:
    link = repository.parent / "link"
    link.symlink_to(repository / "spec")
    assert entry(link) == b"first"


def test_all_formats_of_objects_are_read(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text("long hashes")
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    commit_all(tmp_path)
    assert entry(tmp_path) == b"long hashes"


@pytest.mark.parametrize("what", ["nothing", "an empty folder", "an empty file", "a file that leads nowhere"])
def test_a_folder_without_a_repository_is_an_error(tmp_path: Path, what: str) -> None:
    git(tmp_path, "init", "--quiet")
    spec = tmp_path / "spec"
    spec.mkdir()
    match what:
        case "nothing":
            shutil.rmtree(tmp_path / ".git")
        case "an empty folder":
            (spec / ".git").mkdir()
        case "an empty file":
            (spec / ".git").touch()
        case _:
            (spec / ".git").write_text("gitdir: ../elsewhere\n")
    with pytest.raises(GitError, match=r"spec is in no git repository that can be read \("):
        Repository.of(spec)


def test_variables_lead_git_to_no_other_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository.parent / "other"
    (other / "spec").mkdir(parents=True)
    git(other, "init", "--quiet")
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_OBJECT_DIRECTORY": other / ".git" / "objects",
        "GIT_COMMON_DIR": other / ".git",
        "GIT_INDEX_FILE": other / "none",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert entry(repository / "spec") == b"first"
    assert Repository.of(repository).output("ls-files") == "spec/protocol.yaml\n"


def test_a_repository_of_somebody_else_is_read_only_if_the_caller_trusts_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own tests set it, in place of another user
    monkeypatch.setattr(ours, "_KEPT", (*ours._KEPT, "GIT_TEST_"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(repository.parent / "settings"))
    with pytest.raises(GitError, match="dubious ownership"):
        Repository.of(repository)
    git(repository.parent, "config", "--file", "settings", "safe.directory", str(repository.resolve()))
    assert entry(repository / "spec") == b"first"


def test_git_is_not_taken_from_the_working_folder(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = repository / "git"
    program.write_text(f"#!/bin/sh\ntouch {repository}/owned\n")
    program.chmod(0o755)
    monkeypatch.chdir(repository)
    for path in (".", "", f"..{'/'}{repository.name}"):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(GitError, match="there is no git on PATH; install git"):
            Repository.of(repository)
    assert not (repository / "owned").exists()


# --- nothing is run --------------------------------------------------------------------------------------------


def settings_of(command: str, other: Path) -> Mapping[str, Mapping[str, str]]:
    """What a repository can say to have a command run when it is read."""
    lazy = {key: value for key, value in fetching(command).items() if key != "core.sshCommand"}
    return {
        "fsmonitor": {"core.fsmonitor": command},
        "hooks": {"core.hooksPath": str(other)},
        "ssh": fetching(command),
        "ext": {**lazy, "remote.origin.url": f"ext::{command}", "protocol.ext.allow": "always"},
        "upload-pack": {**lazy, "remote.origin.url": str(other), "remote.origin.uploadpack": command},
        "proxy": {**lazy, "remote.origin.url": "git://nowhere.invalid/r", "core.gitProxy": command},
        "helper": {**lazy, "remote.origin.vcs": "ext", "remote.origin.url": command, "protocol.allow": "always"},
    }


KINDS = [*settings_of("", Path())]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a trace: a file `owned` beside it."""
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n")
    path.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(path)
    return path


def read_everything(top: Path) -> None:
    """Do all that polywire does with git; errors are expected."""
    repository = Repository.of(top / "spec")
    repository.run("ls-files", "--cached")
    repository.run("ls-files", "--others", "--exclude-standard")
    for named in ("HEAD", "1" * 40):
        with suppress(GitError), files_at(top / "spec", named, Path()) as files:
            files.read("protocol.yaml", LIMIT)


def runs_the_program(repository: Path, program: Path, kind: str) -> bool:
    """Return whether the program runs when a repository with the settings is read, which lacks an object."""
    for key, value in settings_of(str(program), repository.parent / "hooks")[kind].items():
        git(repository, "config", key, value)
    lost = git(repository, "rev-parse", "HEAD:spec/protocol.yaml")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    read_everything(repository)
    return (program.parent / "owned").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_repository_of_a_stranger_runs_nothing(repository: Path, program: Path, kind: str) -> None:
    assert not runs_the_program(repository, program, kind)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hooks"])  # reading runs no hook
def test_git_would_run_it_if_polywire_allowed_it(
    repository: Path, program: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ours, "_CLOSED", {})
    monkeypatch.setattr(ours, "_SET", {})
    assert runs_the_program(repository, program, kind)


@pytest.mark.parametrize("where", ["spec", "."])
@pytest.mark.parametrize("setting", [{}, {"core.bare": "false", "core.worktree": "."}], ids=["bare", "worktree"])
def test_files_that_look_like_a_repository_are_files(
    repository: Path, program: Path, where: str, setting: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare(repository / where, {"core.fsmonitor": str(program), **fetching(str(program)), **setting})
    assert entry(repository / "spec") == b"first"
    shutil.rmtree(repository / ".git")
    (repository / ".git").mkdir()
    monkeypatch.setattr(ours, "_CLOSED", {})  # versions before 2.38 do not know `safe.bareRepository`
    with pytest.raises(GitError, match="is in no git repository that can be read"):
        Repository.of(repository / "spec")
    assert not (program.parent / "owned").exists()


def test_a_partial_clone_is_read_as_far_as_it_goes(repository: Path) -> None:
    (repository / "spec" / "protocol.yaml").write_text("second")
    commit_all(repository)
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = repository.parent / "clone"
    git(repository.parent, "clone", "--quiet", "--filter=blob:none", repository.as_uri(), "clone")
    assert entry(clone / "spec") == b"second"
    complaint = "it is missing or damaged; if the clone is partial, fetch the rest"
    with files_at(clone / "spec", "HEAD~1", Path()) as files, pytest.raises(GitError, match=complaint):
        files.read("protocol.yaml", LIMIT)
