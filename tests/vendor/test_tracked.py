"""Generated files that were never added to git: only `polywire check --tracked` reports them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from repositories import bare, fetching
from vendor.support import CONFIG, PARCEL, Run, git

BUNDLE = "schemas/parcel.asyncapi.json"
OPEN = "schemas/parcel.schema.json"
STRICT = "schemas/parcel.strict.schema.json"


@pytest.fixture
def ours(repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which everything but the generated files is added to git."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git("init", cwd=repository)
    git("add", "protocol", "polywire.toml", cwd=repository)
    assert run("generate").exit_code == 0
    return repository


def test_what_was_never_added_is_told_with_what_to_do(ours: Path, run: Run) -> None:
    assert run("check").exit_code == 0
    done = run("check", "--tracked")
    assert (done.exit_code, done.stdout.splitlines()) == (
        1,
        [
            "untracked: polywire.manifest.json",
            f"untracked: {BUNDLE}",
            f"untracked: {OPEN}",
            f"untracked: {STRICT}",
            "",
            "4 files out of sync with polywire.toml: 4 untracked",
            "to fix: git add -- polywire.manifest.json",
            "to fix: git add -- schemas",
        ],
    )
    git("add", "polywire.manifest.json", "schemas", cwd=ours)
    assert run("check", "--tracked").exit_code == 0


def test_what_git_would_leave_out_again_is_told_apart(ours: Path, run: Run) -> None:
    (ours / ".gitignore").write_text("*.strict.*\n", encoding="utf-8")
    git("add", "--all", cwd=ours)
    told = json.loads(run("check", "--tracked", "--format", "json").stdout)
    assert [(each["file"], each["rule"], each["hint"]) for each in told] == [
        (STRICT, "ignored", f"git add --force -- {STRICT}")
    ]
    assert told[0]["message"].endswith("was never added to git, and .gitignore excludes it.")
    git("add", "--force", STRICT, cwd=ours)
    assert run("check", "--tracked").exit_code == 0


def test_what_has_drifted_anyway_is_told_once(ours: Path, run: Run) -> None:
    (ours / OPEN).unlink()
    (ours / STRICT).write_text("{}", encoding="utf-8")
    git("add", "polywire.manifest.json", BUNDLE, cwd=ours)
    told = json.loads(run("check", "--tracked", "--format", "json").stdout)
    assert [(each["file"], each["rule"]) for each in told] == [(OPEN, "missing"), (STRICT, "edited-by-hand")]


def test_a_config_below_the_top_has_its_own_files(ours: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    below = ours / "services" / "a [b]"
    shutil.copytree(PARCEL, below / "protocol")
    (below / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    config = "services/a [b]/polywire.toml"
    assert run("generate", "--config", config).exit_code == 0
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")  # as git sets it for hooks
    assert f"untracked: services/a [b]/{OPEN}\n" in run("check", "--tracked", "--config", config).stdout
    git("add", "services", cwd=ours)
    assert run("check", "--tracked", "--config", config).exit_code == 0
    assert run("check", "--tracked").exit_code == 1


@pytest.mark.parametrize("setting", [{}, {"core.bare": "false", "core.worktree": "."}], ids=["bare", "worktree"])
def test_a_folder_of_output_that_looks_like_a_repository_runs_nothing(
    ours: Path, run: Run, setting: dict[str, str]
) -> None:
    below = ours / "sub"
    shutil.copytree(PARCEL, below / "protocol")
    (below / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    command = f"touch {ours}/owned;"
    assert run("generate", "--config", "sub/polywire.toml").exit_code == 0
    bare(below, {"core.fsmonitor": command, **fetching(command), **setting})
    git("add", "sub", cwd=ours)
    done = run("check", "--tracked", "--config", "sub/polywire.toml")
    assert (done.exit_code, done.stderr) == (0, "")
    assert not (ours / "owned").exists()


def test_only_the_targets_that_are_checked_are_looked_for(ours: Path, run: Run) -> None:
    (ours / "polywire.toml").write_text(f'{CONFIG}[targets.typescript]\nout = "web"\n', encoding="utf-8")
    assert run("generate").exit_code == 0
    git("add", "polywire.manifest.json", "schemas", cwd=ours)
    assert run("check", "--tracked", "--target", "jsonschema").exit_code == 0
    assert "to fix: git add -- web\n" in run("check", "--tracked").stdout


def test_outside_of_a_repository_that_is_wrong_use(repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / ".git").rmdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.parent))
    assert run("generate").exit_code == 0
    done = run("check", "--tracked")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is in no git repository that can be read (not a git repository" in done.stderr
