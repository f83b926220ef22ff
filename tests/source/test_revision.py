"""A spec's folder at a git revision, and the errors if it cannot be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from polywire.commands.cli import cli
from polywire.ground.git import GitError
from polywire.source.files import Folder, UnsafeFileError
from polywire.source.revision import RevisionFiles, files_at, revision
from repositories import bare, blob, commit_all, commit_tree, fetching, files_of, git, tree

PARCEL = Path(__file__).resolve().parents[1] / "specs" / "parcel"
LIMIT = 100


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose first commit has no spec; the later commits have one in `wire/spec`."""
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
        commit_all(tmp_path)
    return tmp_path


def test_a_revision_has_a_prefix_that_a_folder_has_not() -> None:
    assert [revision(text) for text in ("git:v1.0", "git:", "git", "./git:v1")] == ["v1.0", "", None, None]


def test_the_files_are_as_they_were_to_the_byte(repository: Path) -> None:
    with files_at(repository / "wire" / "spec", "HEAD~1", Path("shown")) as files:
        found = {name: files.read(name, LIMIT) for name in ("protocol.yaml", "link.yaml", "samples/ü.json")}
        assert sorted(files.names("")) == ["link.yaml", "protocol.yaml", "samples"]
        assert files.names("samples") == ["ü.json"]
        assert files.names("none") == files.names("protocol.yaml") == []
        assert files.folder == Path("shown")
    assert found == {"protocol.yaml": b"old", "link.yaml": b"old", "samples/ü.json": b"\xff\r\n"}
    assert (repository / "wire/spec/protocol.yaml").read_text() == "new"


def test_a_file_is_read_up_to_the_limit_and_the_next_one_from_its_start(repository: Path) -> None:
    (repository / "wire/spec/large").write_bytes(b"x" * 200_000)
    commit_all(repository)
    with files_at(repository / "wire" / "spec", "HEAD", Path()) as files:
        assert files.read("large", 10) == b"x" * 10
        assert files.read("protocol.yaml", 2) == b"ne"
        assert files.read("protocol.yaml", 3) == b"new"


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
def test_a_revision_that_git_does_not_have_is_an_error(repository: Path, named: str, complaint: str) -> None:
    with pytest.raises(GitError) as raised, files_at(repository / "wire" / "spec", named, Path()):
        pass
    assert str(raised.value) == complaint


# --- links -----------------------------------------------------------------------------------------------------

LINKS = {
    "direct": "protocol.yaml",
    "parts/up": "../protocol.yaml",
    "parts/dotted": ".././parts//../protocol.yaml",
    "folder": "parts",
    "chain": "folder/up",
    "loop": "loop",
    "dangling": "none.yaml",
    "through-a-file": "protocol.yaml/x",
    "out": "../secret",
    "out-and-in": "../spec/protocol.yaml",
    "far": "parts/../../../secret",
    "absolute": "/etc/passwd",
}


@pytest.fixture
def linked(repository: Path) -> Path:
    spec = repository / "wire" / "spec"
    (spec / "parts").mkdir()
    (spec / "parts" / "types.yaml").write_text("types")
    (spec.parent / "secret").write_text("secret")
    for name, target in LINKS.items():
        (spec / name).symlink_to(target)
    commit_all(repository)
    return spec


def outcome(files: Folder | RevisionFiles, path: str) -> object:
    try:
        return files.read(path, LIMIT)
    except UnsafeFileError as error:
        return str(error)
    except OSError as error:
        return type(error) if error.errno else error.strerror


@pytest.mark.parametrize("path", [*LINKS, "folder/types.yaml", "folder/dotted", "parts", "none/x", "protocol.yaml/x"])
def test_links_lead_where_they_lead_on_disk(linked: Path, path: str) -> None:
    expected = outcome(Folder(linked), path)
    if path == "out-and-in":  # git has no links to resolve outside of the folder
        assert expected == b"new"
        expected = f"{path} is a link that leaves the spec's folder"
    with files_at(linked, "HEAD", Path()) as files:
        assert outcome(files, path) == expected


# --- trees that git would not check out ------------------------------------------------------------------------


def snapshot(folder: Path) -> dict[str, bytes]:
    """The files below a folder, without those of git."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a repository whose working tree has the parcel spec in `spec`. A test may not change it."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / ".bashrc").write_text("mine")
    (tmp_path / "repository").mkdir()
    shutil.copytree(PARCEL, tmp_path / "repository" / "spec")
    git(tmp_path / "repository", "init", "--quiet")
    git(tmp_path / "repository", "commit", "--quiet", "--allow-empty", "--message", "Begin")
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = snapshot(tmp_path)
    yield tmp_path
    assert snapshot(tmp_path) == before


COMMANDS = [["diff", "git:HEAD"], ["breaking", "--against", "git:HEAD"], ["changelog", "--against", "git:HEAD"]]
UNSAFE = {
    "..": "has an entry '..', which has an empty part, or one of dots",
    "": "has an entry '', which has an empty part, or one of dots",
    "{home}/.bashrc": "/.bashrc', which has a character that separates or ends names",
    "a/../../../.bashrc": "has an entry 'a/../../../.bashrc', which has a character that separates or ends names",
    "a\\b": "has an entry 'a\\\\b', which has a character that separates or ends names",
    "C:x": "has an entry 'C:x', which begins with a drive of Windows",
    ".git": "has an entry '.git', which is git's own folder",
    ".GIT": "has an entry '.GIT', which is git's own folder",
}


def evil(repository: Path, name: str) -> list[tuple[str, str, str]]:
    """An entry of an unsafe name: a folder, or a file if the name is a path."""
    file = blob(repository, b"evil")
    if name.endswith(".bashrc"):
        return [("100644", name, file)]
    return [("40000", name, tree(repository, [("100644", ".bashrc", file)]))]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_name_in_a_tree_is_a_finding_and_nothing_is_written(home: Path, name: str, words: list[str]) -> None:
    repository = home / "repository"
    entries = [*evil(repository, name.format(home=home)), *files_of(repository, repository / "spec")]
    commit_tree(repository, tree(repository, [("40000", "spec", tree(repository, entries))]))
    done = CliRunner().invoke(cli, words, prog_name="polywire")
    assert done.exit_code == 2
    assert "HEAD:spec/protocol.yaml:1:1: error[bad-path] protocol.yaml is in a folder in git that" in done.stderr
    assert UNSAFE[name] in done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_name_of_a_link_and_a_folder_in_one_tree_is_a_finding(home: Path, words: list[str]) -> None:
    repository = home / "repository"
    link = ("120000", "a", blob(repository, str(home).encode()))
    folder = ("40000", "a", tree(repository, [("100644", ".bashrc", blob(repository, b"evil"))]))
    for entries in ([link, folder], [folder, link]):
        spec = tree(repository, [*entries, *files_of(repository, repository / "spec")])
        commit_tree(repository, tree(repository, [("40000", "spec", spec)]))
        done = CliRunner().invoke(cli, words, prog_name="polywire")
        assert done.exit_code == 2
        assert "error[bad-path] protocol.yaml is in a folder in git that has two entries 'a'" in done.stderr


def test_an_unsafe_folder_above_the_spec_is_an_error(home: Path) -> None:
    repository = home / "repository"
    spec = tree(repository, files_of(repository, repository / "spec"))
    link = ("120000", "spec", blob(repository, b"elsewhere"))
    commit_tree(repository, tree(repository, [link, ("40000", "spec", spec)]))
    done = CliRunner().invoke(cli, ["diff", "git:HEAD"], prog_name="polywire")
    assert done.exit_code == 2
    assert "git:HEAD has a folder above spec that has two entries 'spec'" in " ".join(done.stderr.split())


def test_a_folder_that_the_spec_does_not_name_is_not_read(home: Path) -> None:
    repository = home / "repository"
    layer = tree(repository, evil(repository, ".."))
    for _ in range(40):  # a tree of 2^40 files
        layer = tree(repository, [("40000", "a", layer), ("40000", "b", layer)])
    entries = [("40000", "0", layer), *files_of(repository, repository / "spec")]
    commit_tree(repository, tree(repository, [("40000", "spec", tree(repository, entries))]))
    assert CliRunner().invoke(cli, ["diff", "git:HEAD"]).exit_code == 0


@pytest.mark.parametrize(
    ("mode", "kind", "complaint"),
    [
        ("100644", "tree", "is a tree, expected a file: the repository is damaged"),
        ("40000", "blob", "is a blob, expected a folder: the repository is damaged"),
        ("160000", "commit", "missing-file"),
        ("100644", "none", "it is missing or damaged"),
        ("evil", "blob", "is not a well-formed folder: the repository is damaged"),
    ],
)
def test_an_entry_that_is_not_what_its_mode_says_is_an_error(home: Path, mode: str, kind: str, complaint: str) -> None:
    repository = home / "repository"
    objects = {
        "tree": tree(repository, []),
        "blob": blob(repository, b""),
        "commit": git(repository, "rev-parse", "HEAD"),
        "none": "1" * 40,
    }
    spec = files_of(repository, repository / "spec")
    entries = [(mode, name, objects[kind]) if name == "parts.yaml" else (old, name, it) for old, name, it in spec]
    entries = [("100644", "protocol.yaml", blob(repository, b"polywire: 1\nparts: [parts.yaml, parts.yaml/x.yaml]\n")),
               *(each for each in entries if each[1] != "protocol.yaml")]  # fmt: skip
    commit_tree(repository, tree(repository, [("40000", "spec", tree(repository, entries))]))
    done = CliRunner().invoke(cli, ["diff", "git:HEAD"], prog_name="polywire")
    assert done.exit_code == 2
    assert complaint in " ".join(done.stderr.split())


# --- folders that git would take for repositories --------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("setting", [{}, {"core.bare": "false", "core.worktree": ".."}], ids=["bare", "worktree"])
def test_a_spec_folder_that_is_a_repository_of_its_own_runs_nothing(
    home: Path, words: list[str], setting: dict[str, str]
) -> None:
    repository = home / "repository"
    bare(repository / "spec", {**fetching(f"touch {home}/owned;"), "core.fsmonitor": f"touch {home}/owned;", **setting})
    before = snapshot(home)
    commit_all(repository)
    done = CliRunner().invoke(cli, words, prog_name="polywire")
    assert (done.exit_code, done.stderr) == (0, "")
    assert snapshot(home) == before
    shutil.rmtree(repository / "spec")
    shutil.copytree(PARCEL, repository / "spec")


# --- polywire diff ---------------------------------------------------------------------------------------------


@pytest.fixture
def parcel(root: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parcel spec in the repository, committed, and then with a field removed."""
    spec = repository / "wire" / "spec"
    for path in (root / "tests/specs/parcel").rglob("*.*"):
        (spec / path.relative_to(root / "tests/specs/parcel")).parent.mkdir(exist_ok=True)
        (spec / path.relative_to(root / "tests/specs/parcel")).write_bytes(path.read_bytes())
    commit_all(repository)
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
