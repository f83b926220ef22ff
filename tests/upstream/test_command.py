"""The commands `polywire compare` and `polywire upstream`."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.ground.errors import WrongUseError
from polywire_upstream import config, fetch, record, run
from polywire_upstream.config import Config
from upstream import packages


def called(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return packages.spec(tmp_path / "spec")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    return packages.package(tmp_path / "installed", "1.0.0", packages.OLD)


@pytest.mark.usefixtures("compiler")
def test_a_spec_that_says_the_same_passes_with_declarations_and_with_their_snapshot(
    spec: Path, installed: Path
) -> None:
    done = called("compare", "--at", "1.0.0", "--with", "typescript", installed, "--spec", spec)
    assert (done.exit_code, done.output) == (
        0,
        "1.0.0: 6 pairs of declarations compared, 0 differences, 0 unneeded entries; allowed: 1 integer, 2 open\n",
    )
    assert called("upstream", "snapshot", "1.0.0", "--from", installed, "--spec", spec).exit_code == 0
    assert called("compare", "--at", "1.0.0", "--spec", spec).output == done.output


@pytest.mark.usefixtures("compiler")
def test_differences_and_unneeded_entries_fail(spec: Path, tmp_path: Path) -> None:
    declarations = packages.OLD.replace("count: number", "count: string")
    installed = packages.package(tmp_path / "other", "1.0.0", declarations)
    done = called("compare", "--at", "1.0.0", "--with", "typescript", installed, "--spec", spec)
    assert done.exit_code == 1
    assert done.output.splitlines()[:3] == [
        "extra-type AcmeHello/count: upstream string, spec integer",
        "missing-type AcmeHello/count: upstream string, spec integer",
        "unneeded-entry integer AcmeHello/count: nothing fits it at 1.0.0; remove it, or limit it with since or until",
    ]
    said = called("compare", "--at", "1.0.0", "--with", "typescript", installed, "--spec", spec, "--format", "json")
    told = json.loads(said.output)
    assert [each["rule"] for each in told["differences"]] == ["extra-type", "missing-type"]
    assert [each["place"] for each in told["unneeded"]] == ["AcmeHello/count"]


@pytest.mark.usefixtures("compiler")
def test_a_new_release_is_followed_into_a_folder(spec: Path, installed: Path, tmp_path: Path) -> None:
    assert called("upstream", "snapshot", "1.0.0", "--from", installed, "--spec", spec).exit_code == 0
    new = packages.package(tmp_path / "new", "2.0.0", packages.NEW)
    lines = tmp_path / "session.ndjson"
    hello = {"type": "hello", "mode": "fast", "count": 1, "label": "x", "more": 1}
    lines.write_text("".join(json.dumps(each) + "\n" for each in (hello, {**hello, "size": 2}, {"type": "odd"})))
    out = tmp_path / "out"
    done = called("upstream", "follow", "2.0.0", "--from", new, "--out", out, "--spec", spec, "--captures", lines)
    assert done.output.startswith(f"{out}: 9 differences from 1.0.0 to 2.0.0, 0 to be made by hand; ")
    assert sorted(path.name for path in out.iterdir()) == ["report.md", "spec.patch", "worklist.md"]
    worklist = (out / "worklist.md").read_text(encoding="utf-8")
    assert "- [ ] `AcmeHello/size`: number; or: integer (traffic: whole in all samples)" in worklist
    assert "- [ ] `AcmeHello/size`: required; or: optional, if traffic lacks it (traffic: absent 1 time)" in worklist
    assert "- [ ] No declaration has the member: `AcmeHello/more` (2 times)" in worklist
    assert "- [ ] No declaration has the object: `/<type=odd>` (1 time)" in worklist
    assert "AcmeSecret" in worklist
    packages.patched(spec, (out / "spec.patch").read_text(encoding="utf-8"))
    assert config.load(spec / "releases.toml").releases["2.0.0"] == {"acme-api": "0.1.0"}
    assert (spec / "releases" / "2.0.0.json").is_file()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("compare", "--at", "1.0.1"), "1.0.1 is not listed in releases.toml; did you mean '1.0.0'?"),
        (("compare", "--at", "1.0.0"), "no snapshot of 1.0.0 in"),
    ],
)
def test_what_is_not_there_is_wrong_use(spec: Path, words: tuple[str, ...], expected: str) -> None:
    done = called(*words, "--spec", spec)
    assert done.exit_code == 2
    assert expected in done.output


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", '{"release": "1.0.0"}', '{"\\ud800": 1}'])
def test_a_file_that_is_no_snapshot_is_wrong_use(spec: Path, text: str) -> None:
    (spec / "releases" / "1.0.0.json").write_text(text, encoding="utf-8")
    done = called("compare", "--at", "1.0.0", "--spec", spec)
    assert done.exit_code == 2
    assert "1.0.0.json is not a snapshot" in done.output


@pytest.mark.usefixtures("compiler")
def test_a_snapshot_is_not_written_through_a_link(spec: Path, installed: Path, tmp_path: Path) -> None:
    (spec / "releases" / "1.0.0.json").symlink_to(tmp_path / "outside")
    done = called("upstream", "snapshot", "1.0.0", "--from", installed, "--spec", spec)
    assert (done.exit_code, "1.0.0.json is a link" in done.output) == (2, True)
    assert not (tmp_path / "outside").exists()


def test_a_folder_with_another_release_is_wrong_use(spec: Path, installed: Path) -> None:
    other = (spec / "releases.toml").read_text(encoding="utf-8") + '"1.1.0" = {}\n'
    (spec / "releases.toml").write_text(other, encoding="utf-8")
    done = called("compare", "--at", "1.1.0", "--with", "typescript", installed, "--spec", spec)
    assert done.exit_code == 2
    assert f"{Path('node_modules', '@acme', 'agent')} has @acme/agent 1.0.0, not 1.1.0" in done.output


def test_stored_lines_are_compared_with_the_spec(spec: Path, tmp_path: Path) -> None:
    parts = spec / "protocol.yaml"
    entry = "{doc: A stored line., observed: true, tag: {type: entry}, fields: {at: string, by?: string}}"
    types = f"types:\n  AcmeEntry: {entry}\n"
    parts.write_text(parts.read_text(encoding="utf-8").replace("types:\n", types, 1), encoding="utf-8")
    stated = (spec / "releases.toml").read_text(encoding="utf-8")
    (spec / "releases.toml").write_text(f'stored = ["AcmeEntry"]\n{stated}', encoding="utf-8")
    old = record.Snapshot("1.0.0", {}, {})
    (spec / "releases" / "1.0.0.json").write_text(record.dump(old), encoding="utf-8")
    entries = [{"type": "entry", "at": "x", "by": "y"}, {"type": "entry", "more": 1}, {"type": "odd"}]
    (tmp_path / "session.jsonl").write_text("".join(json.dumps(each) + "\n" for each in entries), encoding="utf-8")
    new, known = record.Snapshot("2.0.0", {}, {}), config.load(spec / "releases.toml")
    _, seen = run.follow(spec, new, known, [tmp_path / "session.jsonl"])
    assert seen is not None
    assert (seen.undeclared, seen.absent, seen.lines) == ({"AcmeEntry/more": 1}, {"AcmeEntry/at": 1}, 3)
    assert seen.unknown == {"/<type=odd>": 1}


def test_captures_without_a_line_are_no_captures(spec: Path, tmp_path: Path) -> None:
    snapshot = {"release": "2.0.0", "packages": {}, "declarations": {}}
    (spec / "releases" / "1.0.0.json").write_text(json.dumps({**snapshot, "release": "1.0.0"}), encoding="utf-8")
    new, known = record.Snapshot("2.0.0", {}, {}), config.load(spec / "releases.toml")
    with pytest.raises(WrongUseError, match="no line in"):
        run.follow(spec, new, known, [tmp_path])


FINE = """\
package = "@acme/agent"
files = ["a.d.ts"]
roots = {A = "A"}
releases = {"1.0.0" = {zod = "2.0.0"}}
"""


def test_a_configuration_with_all_that_is_needed_is_read(tmp_path: Path) -> None:
    (tmp_path / "releases.toml").write_text(FINE, encoding="utf-8")
    assert config.load(tmp_path / "releases.toml").releases == {"1.0.0": {"zod": "2.0.0"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "package is missing"),
        ('pakage = "x"', "unknown key 'pakage'"),
        ("package = 3", "package has to be a str"),
        ("package =", "releases.toml"),
        ("a = " + "[" * 100_000, "values are nested too deeply"),
        (FINE.replace("@acme/agent", "../agent"), "'../agent' is not the name of a package"),
        (FINE.replace("@acme/agent", "--ignore-scripts=false"), "is not the name of a package"),
        (FINE + 'needs = ["file:x"]', "'file:x' is not the name of a package"),
        (FINE.replace("1.0.0", "latest"), "'latest' is not a version"),
        (FINE.replace("2.0.0", "git+ssh://x"), "'git.ssh://x' is not a version"),
        (FINE.replace("a.d.ts", "../../a.d.ts"), "the file '../../a.d.ts' has an empty part, or one of dots"),
    ],
)
def test_a_configuration_at_fault_says_where(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "releases.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WrongUseError, match=expected):
        config.load(path)


# --- npm -------------------------------------------------------------------------------------------------------

NPM = """\
#!{python}
import json, os, pathlib, sys
words = [word for word in sys.argv[1:] if not word.startswith("-")]
with open(os.environ["NPM_LOG"], "a") as log:
    log.write(json.dumps(words[1:]) + "\\n")
if os.environ.get("NPM_FAILS"):
    sys.exit("no such package")
folder = pathlib.Path("node_modules/@acme/agent")
folder.mkdir(parents=True, exist_ok=True)
(folder / "package.json").write_text(os.environ["NPM_PACKAGE"])
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake npm that logs the packages to install; the path of its log."""
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(NPM.format(python=sys.executable), encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("NPM_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("NPM_PACKAGE", json.dumps({"peerDependencies": {"acme-api": ">=0.3"}}))
    return tmp_path / "log"


def asked(log: Path) -> list[list[str]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def known(spec: Path) -> Config:
    return config.load(spec / "releases.toml")


def test_pinned_packages_are_installed_with_the_release(npm: Path, known: Config, tmp_path: Path) -> None:
    fetch.fetch("1.0.0", known, tmp_path / "got")
    assert asked(npm) == [["@acme/agent@1.0.0", "acme-api@0.1.0"]]


def test_a_package_without_a_pin_is_of_the_version_that_the_release_declares(
    npm: Path, known: Config, tmp_path: Path
) -> None:
    fetch.fetch("2.0.0", known, tmp_path / "got")
    assert asked(npm) == [["@acme/agent@2.0.0"], ["acme-api@>=0.3"]]


def test_a_package_that_is_neither_pinned_nor_declared_is_taken_as_the_release_before_has_it(
    npm: Path, known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_PACKAGE", "{}")
    assert fetch.fetch("2.0.0", known, tmp_path / "got") == {"acme-api": "0.1.0"}
    assert asked(npm)[1:] == [["acme-api@0.1.0"]]


@pytest.mark.parametrize(
    ("declared", "got"),
    [(">=0.0.3", "0.1.0"), ("*", "0.1.0"), ("0.2.5", "0.2.5"), ("^0.2.1", "0.2.1"), (">=0.3", "0.3.0")],
)
def test_a_range_of_a_release_that_is_not_the_newest_has_newer_versions_than_it_knew(
    npm: Path, known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: str, got: str
) -> None:
    monkeypatch.setenv("NPM_PACKAGE", json.dumps({"peerDependencies": {"acme-api": declared}}))
    between = replace(known, releases={**known.releases, "3.0.0": {"acme-api": "0.9.0"}})
    fetch.fetch("2.0.0", between, tmp_path / "got")
    assert asked(npm)[1:] == [[f"acme-api@{got}"]]


def test_a_pin_outside_of_the_range_of_the_release_is_an_error(
    npm: Path, known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second version is then installed next to the pinned one, and the declarations import from that."""
    monkeypatch.setenv("NPM_PACKAGE", json.dumps({"dependencies": {"acme-api": "^0.3.0"}}))
    for parent, version in (("", "0.1.0"), ("node_modules/@acme/agent", "0.3.2")):
        folder = tmp_path / "got" / parent / "node_modules" / "acme-api"
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"version": version}), encoding="utf-8")
    expected = "pins acme-api 0.1.0, but @acme/agent needs ^0.3.0 and has 0.3.2; pin that version"
    with pytest.raises(WrongUseError, match=re.escape(expected)):
        fetch.fetch("1.0.0", known, tmp_path / "got")
    assert len(asked(npm)) == 1


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("0.9.0", "0.9.0 is older than 1.0.0, the oldest that the spec describes"),
        ("1.0.0", "the spec describes 1.0.0 already"),
        ("2.0/../x", "'2.0/../x' is not a version; a version is, for example, 1.2.3"),
        ("latest", "'latest' is not a version"),
    ],
)
def test_a_release_that_cannot_be_followed_is_not_fetched(
    npm: Path, spec: Path, tmp_path: Path, release: str, expected: str
) -> None:
    done = called("upstream", "follow", release, "--out", tmp_path / "out", "--spec", spec)
    assert (done.exit_code, expected in done.output) == (2, True)
    assert not npm.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("npm")
def test_a_package_that_nothing_has_a_version_of_is_an_error(
    known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_PACKAGE", "{}")
    with pytest.raises(WrongUseError, match=r"does not say which acme-api it needs; pin it in releases\.toml"):
        fetch.fetch("0.5.0", known, tmp_path / "got")


def test_of_what_npm_says_only_the_reason_is_passed_on() -> None:
    output = (
        "npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED\nnpm error FetchError: request failed\n"
        "npm error     at Socket.emit (node:events)\nnpm error   code: 'ECONNREFUSED'\nnpm error }\nnpm error\n"
        "npm error notarget No matching version found for a@9.\n"
        "npm error notarget In most cases you or one of your dependencies are requesting a version that is missing.\n"
        "npm error A complete log of this run can be found in: x.log\n"
    )
    assert fetch.reason(output) == "FetchError: request failed\nNo matching version found for a@9."


@pytest.mark.usefixtures("npm")
def test_what_npm_says_of_a_failure_is_passed_on(
    known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPM_FAILS", "1")
    with pytest.raises(WrongUseError, match=r"npm could not install .*: no such package$"):
        fetch.fetch("2.0.0", known, tmp_path / "got")


def test_a_machine_without_npm_is_told(known: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WrongUseError, match="no `npm` on PATH"):
        fetch.fetch("1.0.0", known, tmp_path / "got")
