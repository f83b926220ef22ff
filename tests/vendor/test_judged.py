"""The effect of `[lint]` and `[breaking]` in polywire.toml on findings: severities, entries to ignore, baselines."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.checks.policy import Ignore, Policy, Subject, apply
from polywire.source.report import Faults
from polywire.source.tree import keys_at, read
from vendor.support import CONFIG, Run, git

SPEC = """\
polywire: 1
protocol: {name: tiny, title: Tiny, version: 1.0.0, framing: ndjson, peers: [a, b], roots: [Line]}
messages:
  Line:
    doc: What travels.
    from: a
    fields: {name: string, mark?: Mark}
types:
  Mark:
    fields: {text: string}
  Spare:
    doc: Nobody uses it.
    fields: {text: string}
"""


@pytest.fixture
def tiny(repository: Path) -> Path:
    """A repository whose spec has one type without a doc and one unreachable type."""
    for file in (repository / "protocol").iterdir():
        if file.is_file():
            file.unlink()
    for folder in ("dialects", "examples"):
        for file in (repository / "protocol" / folder).glob("*"):
            file.unlink()
    (repository / "protocol" / "protocol.yaml").write_text(SPEC)
    return repository


def say(folder: Path, text: str) -> None:
    (folder / "polywire.toml").write_text(CONFIG + text)


def linted(run: Run, *words: str) -> tuple[int, list[tuple[str, str, str]]]:
    """The exit status; and the file and line, rule and severity of each finding."""
    done = run("lint", "--format", "json", *words)
    found = json.loads(done.stdout)
    return done.exit_code, [(f"{each['file']}:{each['line']}", each["rule"], each["severity"]) for each in found]


UNDOCUMENTED = ("protocol/protocol.yaml:9", "missing-doc", "warning")
UNREACHABLE = ("protocol/protocol.yaml:11", "unreachable", "warning")


@pytest.mark.usefixtures("tiny")
def test_without_a_word_rules_have_their_own_severities(run: Run) -> None:
    assert linted(run) == (0, [UNDOCUMENTED, UNREACHABLE])


def test_a_severity_takes_the_place_of_the_rules_own(tiny: Path, run: Run) -> None:
    say(tiny, '[lint.severity]\nmissing-doc = "off"\nunreachable = "error"\n')
    assert linted(run) == (1, [(UNREACHABLE[0], "unreachable", "error")])


def test_strict_is_said_once_for_all(tiny: Path, run: Run) -> None:
    say(tiny, "[lint]\nstrict = true\n")
    assert linted(run) == (1, [(UNDOCUMENTED[0], "missing-doc", "error"), UNREACHABLE])


@pytest.mark.parametrize("at", ["types.Mark", "types", "protocol.yaml"])
def test_an_entry_covers_its_place_and_what_stands_below(tiny: Path, run: Run, at: str) -> None:
    say(tiny, f'[[lint.ignore]]\nrule = "missing-doc"\nat = "{at}"\nreason = "Theirs."\n')
    assert linted(run) == (0, [UNREACHABLE])


@pytest.mark.parametrize("at", ["types.Mar", "types.Mark.fields", "types.Spare", "other.yaml"])
def test_an_entry_that_applies_to_nothing_is_an_error_at_its_line(tiny: Path, run: Run, at: str) -> None:
    used = '[[lint.ignore]]\nrule = "unreachable"\nat = "types.Spare"\nreason = "Soon."\n'
    say(tiny, f'{used}[[lint.ignore]]\nrule = "missing-doc"\nat = "{at}"\nreason = "Theirs."\n')
    assert linted(run) == (1, [UNDOCUMENTED, ("polywire.toml:9", "unused-ignore", "error")])
    assert "polywire.toml:9:1: error[unused-ignore]" in run("lint").stdout


def test_what_is_unused_is_not_known_where_only_a_part_was_looked_at(tiny: Path, run: Run) -> None:
    say(tiny, '[[lint.ignore]]\nrule = "hidden-character"\nat = "types"\nreason = "Theirs."\n')
    assert linted(run)[0] == 1
    assert linted(run, "--at", "1.0.0") == (0, [UNDOCUMENTED, UNREACHABLE])


def test_an_entry_holds_until_its_last_day(tiny: Path, run: Run) -> None:
    entry = '[[lint.ignore]]\nrule = "missing-doc"\nat = "types.Mark"\nreason = "Theirs."\nuntil = "{}"\n'
    say(tiny, entry.format("9999-12-31"))
    assert linted(run) == (0, [UNREACHABLE])
    say(tiny, entry.format("2020-01-01"))
    assert linted(run) == (1, [UNDOCUMENTED, UNREACHABLE, ("polywire.toml:5", "expired-ignore", "error")])


def test_it_holds_on_the_last_day_and_not_on_the_next() -> None:
    day = dt.date(2030, 5, 17)
    policy = Policy(ignore=(Ignore("r", "a", "why", day),))
    subject = Subject("finding", "r", "warning", "f", "a.b")
    assert apply(policy, [subject], day).counted == ()
    late = apply(policy, [subject], day + dt.timedelta(days=1))
    assert (late.counted, late.expired) == ((("finding", "warning"),), policy.ignore)


def test_a_baseline_holds_what_was_there_and_not_what_is_new(tiny: Path, run: Run) -> None:
    say(tiny, '[lint]\nstrict = true\nbaseline = "known.json"\n')
    done = run("lint", "--write-baseline")
    assert (done.exit_code, done.stdout) == (0, "")
    assert json.loads((tiny / "known.json").read_text()) == {
        "findings": [{"rule": "missing-doc", "at": "types.Mark"}, {"rule": "unreachable", "at": "types.Spare"}]
    }
    assert "2 findings of the baseline left out" in run("lint").stderr
    spec = tiny / "protocol" / "protocol.yaml"
    spec.write_text(SPEC + "  Other:\n    fields: {text: string}\n")
    assert [rule for _, rule, _ in linted(run)[1]] == ["missing-doc", "unreachable"]
    spec.write_text(SPEC.replace("  Mark:\n", "  Mark:\n    doc: A mark.\n"))
    assert linted(run) == (0, [])
    assert "1 finding of it no longer there" in run("lint").stderr


@pytest.mark.parametrize(
    ("text", "told"), [("[]", "not a list of findings"), ("{", "not a list"), (None, "no such file")]
)
def test_a_baseline_that_cannot_be_read_is_an_error(tiny: Path, run: Run, text: str | None, told: str) -> None:
    say(tiny, '[lint]\nbaseline = "known.json"\n')
    if text is not None:
        (tiny / "known.json").write_text(text)
    done = run("lint")
    assert done.exit_code == 2
    assert told in done.stderr
    assert "--write-baseline writes it anew" in done.stderr


@pytest.mark.usefixtures("tiny")
def test_without_a_place_for_it_no_baseline_is_written(run: Run) -> None:
    done = run("lint", "--write-baseline")
    assert done.exit_code == 2
    assert 'add `baseline = "FILE"` to [lint]' in done.stderr


@pytest.mark.parametrize("file", ["../known.json", ".git/hooks/pre-commit", "a/../../b"])
def test_a_baseline_stays_in_the_repository_and_out_of_control_folders(tiny: Path, run: Run, file: str) -> None:
    say(tiny, f'[lint]\nbaseline = "{file}"\n')
    done = run("lint", "--write-baseline")
    assert (done.exit_code, "bad-path" in done.stderr) == (2, True)


def test_a_baseline_is_not_written_through_a_link(tiny: Path, run: Run) -> None:
    (tiny / "known.json").symlink_to(tiny / "other.txt")
    say(tiny, '[lint]\nbaseline = "known.json"\n')
    done = run("lint", "--write-baseline")
    assert (done.exit_code, "is a link" in done.stderr) == (2, True)
    assert not (tiny / "other.txt").exists()


def test_a_baseline_is_not_written_into_a_folder_behind_a_link(tiny: Path, run: Run, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (tiny / "link").symlink_to(outside)
    say(tiny, '[lint]\nbaseline = "link/known.json"\n')
    done = run("lint", "--write-baseline")
    assert (done.exit_code, "link is a link, and the baseline" in done.stderr) == (2, True)
    assert not list(outside.iterdir())


def test_an_error_is_in_no_baseline(tiny: Path, run: Run) -> None:
    say(tiny, '[lint]\nbaseline = "known.json"\n')
    (tiny / "protocol" / "protocol.yaml").write_text(SPEC.replace("mark?: Mark", "mark?: Mrak"))
    assert run("lint", "--write-baseline").exit_code == 1
    assert "unknown-name" not in (tiny / "known.json").read_text()


def test_another_spec_is_not_judged_by_the_file(tiny: Path, run: Run) -> None:
    say(tiny, '[lint.severity]\nmissing-doc = "off"\nunreachable = "off"\n')
    (tiny / "protocol").rename(tiny / "other")
    (tiny / "protocol").mkdir()
    (tiny / "protocol" / "protocol.yaml").write_text(SPEC)
    assert linted(run) == (0, [])
    assert len(linted(run, "--spec", "other")[1]) == 2


# --- breaking --------------------------------------------------------------------------------------------------


@pytest.fixture
def changed(tiny: Path) -> Path:
    """The repository of `tiny`, committed; then a member is removed and the type of another is changed."""
    (tiny / ".git").rmdir()
    git("init", "--quiet", cwd=tiny)
    git("add", ".", cwd=tiny)
    git("commit", "--quiet", "--message", "One", cwd=tiny)
    spec = tiny / "protocol" / "protocol.yaml"
    spec.write_text(SPEC.replace("{name: string, mark?: Mark}", "{name: integer}"))
    return tiny


def weighed(run: Run, *words: str) -> tuple[int, set[tuple[str, str, str]]]:
    """The exit status; and the rule, declaration or member, and severity of each break."""
    done = run("breaking", "--against", "git:HEAD", "--format", "json", *words)
    found = json.loads(done.stdout)["findings"]
    return done.exit_code, {(each["rule"], each["at"], each["severity"]) for each in found}


def test_options_stand_in_the_file(changed: Path, run: Run) -> None:
    assert len(weighed(run)[1]) > len(weighed(run, "--category", "wire")[1]) > 0
    say(changed, '[breaking]\ncategories = ["wire"]\n')
    assert weighed(run) == weighed(run, "--category", "wire")
    assert weighed(run, "--category", "source") != weighed(run)
    say(changed, '[breaking]\nsides = ["c"]\n')
    assert "no peer 'c'" in run("breaking", "--against", "git:HEAD").stderr


def test_a_break_may_be_a_note_or_be_ignored_with_a_reason(changed: Path, run: Run) -> None:
    say(changed, '[breaking]\ncategories = ["wire"]\n')
    assert weighed(run) == (1, {("type-changed", "Line.name", "error")})
    say(changed, '[breaking]\ncategories = ["wire"]\nseverity = {type-changed = "note"}\n')
    assert weighed(run) == (0, {("type-changed", "Line.name", "note")})
    entry = '[[breaking.ignore]]\nrule = "type-changed"\nat = "Line"\nreason = "Unused."\n'
    say(changed, f'[breaking]\ncategories = ["wire"]\n{entry}')
    assert weighed(run) == (0, set())


def test_an_entry_that_applies_to_no_break_is_a_warning(changed: Path, run: Run) -> None:
    say(changed, '[[breaking.ignore]]\nrule = "type-changed"\nat = "Mark"\nreason = "Merged."\n')
    done = run("breaking", "--against", "git:HEAD")
    assert done.exit_code == 1
    assert "polywire.toml:5:1: warning[unused-ignore] `type-changed` is not found at `Mark`" in done.stderr
    (changed / "protocol" / "protocol.yaml").write_text(SPEC)
    assert run("breaking", "--against", "git:HEAD").exit_code == 0


def test_breaks_may_be_in_a_baseline(changed: Path, run: Run) -> None:
    say(changed, '[breaking]\nbaseline = "known.json"\n')
    assert run("breaking", "--against", "git:HEAD", "--write-baseline").exit_code == 0
    assert weighed(run) == (0, set())
    assert {each["at"] for each in json.loads((changed / "known.json").read_text())["findings"]} >= {"Line.name"}


# --- locations -------------------------------------------------------------------------------------------------

WORDS = st.text("ab", min_size=1, max_size=2)
TREES = st.recursive(st.just("x"), lambda inner: st.dictionaries(WORDS, inner, min_size=1, max_size=3), max_leaves=8)


@given(st.dictionaries(WORDS, TREES, min_size=1, max_size=3), st.sampled_from([None, 1, 4]))
def test_the_keys_on_the_way_to_each_place_are_found(tree: dict[str, object], indent: int | None) -> None:
    text = json.dumps(tree, indent=indent)
    root = read(text.encode(), "f", Faults())

    def check(node: object, above: tuple[str, ...]) -> None:
        for entry in node if hasattr(node, "entries") else ():  # type: ignore[attr-defined]
            way = (*above, entry.key.text)
            assert keys_at(root, entry.key.place.line, entry.key.place.column) == way
            check(entry.value, way)

    check(root, ())
