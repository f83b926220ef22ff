"""`polywire check` on an untrusted branch: it reads the files of the branch and executes none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from polywire import checks
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing import render

SPEC = """\
polywire: 1
protocol: {name: chat, title: Chat, version: 1.0, framing: ndjson, peers: [client, server], roots: [Line]}
unions:
  Line: {doc: What goes over the wire., open: true, by: type, variants: [Hello]}
messages:
  Hello: {doc: Who is there., from: client, tag: {type: hello}, fields: {name: string}}
"""
CONFIG = """\
spec = "spec"
templates = "theirs"

[targets.python]
out = "py"

[targets.jsonschema]
out = "schemas"
"""
ROOT = Path(__file__).resolve().parents[2]
ATTACKS = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ header.__init__.__globals__['re'] }}",
    "{{ once.__globals__ }}",
    "{{ once.__code__ }}",
    "{{ cycler.__init__.__globals__.os.system('touch ' ~ 'owned') }}",
    "{{ lipsum.__globals__ }}",
    "{{ ('{0.__class__}').format(header) }}",
    "{{ ('{0.__class__.__init__.__globals__}' | format(header)) ~ (header | attr('__class__')) }}",
    "{{ self.__init__ }}",
    "{% set x = [] %}{% do x.append(1) %}",
]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a custom template for its Python package."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "polywire.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "theirs" / "python").mkdir(parents=True)
    write(tmp_path, "# {{ header.mark }}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(top: Path, template: str) -> None:
    (top / "theirs" / "python" / "mark.j2").write_text(template, encoding="utf-8")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_template_reads_its_view_and_nothing_else(repository: Path, run: Callable[..., Result], attack: str) -> None:
    assert run("generate").exit_code == 0
    write(repository, "# {{ header.mark }}\n# " + attack + "\n")
    done = run("check")
    assert done.exit_code in {1, 2}
    assert "mark.j2" in done.output or "stale" in done.output
    assert not (repository / "owned").exists()
    assert not any(secret in done.output for secret in ("<class", "<module", "subclasses", "built-in", "Popen"))


def test_a_folder_that_is_a_link_is_refused_likewise(repository: Path, run: Callable[..., Result]) -> None:
    elsewhere = repository.parent / f"{repository.name}-elsewhere"
    (repository / "theirs" / "python").rename(elsewhere)
    (repository / "theirs" / "python").symlink_to(elsewhere)
    done = run("check")
    assert done.exit_code != 0
    assert "is a link that leaves theirs, the folder of the templates" in done.output


def test_a_link_out_of_the_folder_is_refused(repository: Path, run: Callable[..., Result], tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-secret"
    secret.write_text("password\n", encoding="utf-8")
    place = repository / "theirs" / "python" / "mark.j2"
    place.unlink()
    place.symlink_to(secret)
    done = run("check")
    assert done.exit_code != 0
    assert "is a link that leaves theirs, the folder of the templates" in done.output
    assert "password" not in done.output


def test_without_templates_a_target_that_has_some_is_refused_unrendered(
    repository: Path, run: Callable[..., Result]
) -> None:
    assert run("generate").exit_code == 0
    write(repository, "{{ nonsense.here }}")
    done = run("check", "--no-templates", "--format", "github")
    assert done.exit_code == 2
    assert done.stdout == (
        "::error file=polywire.toml,line=2,col=1,title=untrusted-template::"
        "theirs has templates of python, and --no-templates renders none (hint: if you trust the branch, check it"
        " without --no-templates; to check other targets only, use --target)\n"
    )


def test_without_templates_the_other_targets_can_be_checked(repository: Path, run: Callable[..., Result]) -> None:
    assert run("generate").exit_code == 0
    write(repository, "{{ nonsense.here }}")
    others = ("check", "--no-templates", "--target", "jsonschema")
    assert (run(*others).exit_code, run(*others).stdout) == (0, "3 files of 1 target: up to date\n")
    (repository / "schemas" / "chat.schema.json").write_text("{}", encoding="utf-8")
    done = run(*others, "--format", "json")
    assert done.exit_code == 1
    assert [each["file"] for each in json.loads(done.stdout)] == ["schemas/chat.schema.json"]


def test_a_branch_cannot_hide_an_edit_by_adding_a_template(repository: Path, run: Callable[..., Result]) -> None:
    place = repository / "theirs" / "python" / "mark.j2"
    place.unlink()
    place.parent.rmdir()
    assert run("generate").exit_code == 0
    assert run("check", "--no-templates").exit_code == 0
    (repository / "schemas" / "chat.schema.json").write_text("{}", encoding="utf-8")
    hidden = repository / "theirs" / "jsonschema" / "schema.json.j2"
    hidden.parent.mkdir()
    hidden.write_text("{}", encoding="utf-8")
    assert run("check", "--no-templates").exit_code == 2


@pytest.mark.parametrize(
    "folder", [".git/hooks", ".GIT/hooks", "git~1/hooks", ".github/workflows", "src/.husky", ".vscode"]
)
def test_generated_code_goes_to_no_folder_that_tells_a_tool_what_to_do(
    repository: Path, run: Callable[..., Result], folder: str
) -> None:
    (repository / "polywire.toml").write_text(CONFIG.replace('"schemas"', f'"{folder}"'), encoding="utf-8")
    for command in ("generate", "check"):
        done = run(command)
        assert done.exit_code == 2
        assert "which controls a tool" in done.output
    assert not (repository / folder.partition("/")[0]).exists()


COMMANDS = {
    "generate": ("generate", "--spec", "spec", "--out", "{}"),
    "check": ("check", "--spec", "spec", "--out", "{}"),
    "docs": ("docs", "--out", "{}"),
    "import": ("import", "--from", "ndjson", "lines.ndjson", "--out", "{}"),
    "upstream follow": ("upstream", "follow", "1.0.0", "--out", "{}"),
    "init": ("init", "--force", "--starter", "tagged", "--spec", "{}"),
}
"""Every command that writes to a folder named on the command line."""


@pytest.mark.parametrize(
    "folder", [".git/hooks", "src/../.github/workflows", "{}/.git/hooks", "below/hooks", "git~1/x"]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_into_such_a_folder_however_it_is_named(
    repository: Path, run: Callable[..., Result], command: str, folder: str
) -> None:
    (repository / ".git" / "hooks").mkdir(parents=True)
    (repository / "below").symlink_to(repository / ".git", target_is_directory=True)
    (repository / "lines.ndjson").write_text('{"type":"hello","name":"a"}\n', encoding="utf-8")
    before = set(repository.rglob("*"))
    done = run(*(word.replace("{}", folder.replace("{}", str(repository))) for word in COMMANDS[command]))
    assert done.exit_code == 2
    assert "which controls a tool; choose another folder" in " ".join(done.output.replace("│", " ").split())
    assert set(repository.rglob("*")) == before


def test_a_folder_of_git_is_refused_from_inside_of_it_and_a_checkout_in_a_hidden_folder_is_not(
    repository: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".git", ".cache"):
        (repository / name / "below").mkdir(parents=True)
    asked = ("generate", "--spec", str(repository / "spec"), "--target", "jsonschema", "--out", "out")
    monkeypatch.chdir(repository / ".git" / "below")
    assert run(*asked).exit_code == 2
    monkeypatch.chdir(repository / ".cache" / "below")
    assert run(*asked).exit_code == 0


@pytest.mark.parametrize("name", sorted(registry()))
def test_the_sandbox_changes_nothing_of_what_templates_of_ours_give(name: str, tmp_path: Path) -> None:
    model = checks.check(ROOT / "tests" / "specs" / "jsonrpc").model
    assert model is not None
    plan, target = make_plan(model), registry()[name]
    (tmp_path / name).mkdir()
    assert render.render(target, plan, render.Custom(templates=tmp_path)) == render.render(target, plan)
