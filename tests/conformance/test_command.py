"""`polywire conformance`: the table, the disagreements, the result file and the exit status."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.events import Watch
from polywire.commands.conformance import conformance
from polywire.commands.conformance_options import BUNDLED_TESTEES

HERE = Path(__file__).resolve().parent
PARCEL = HERE.parent / "specs" / "parcel"
FAKE = f"{sys.executable} {HERE / 'fake.py'} {PARCEL}"

SOUND = {"doc": "A name is text.", "type": "Named", "input": {"name": "MARK"}, "expect": {"variant": "Named"}}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with one fixture and a declaration of testees: one right, one wrong, one missing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    fixtures = tmp_path / "tests" / "fixtures" / "group"
    fixtures.mkdir(parents=True)
    (fixtures / "one.json").write_text(json.dumps(SOUND))
    declaration = tmp_path / "tests" / "conformance" / "testees.toml"
    declaration.parent.mkdir()
    fake = json.dumps(str(HERE / "fake.py"))
    declaration.write_text(
        f'[right]\ncommand = ["{{python}}", {fake}, "{{spec}}"]\n'
        f'[wrong]\ncommand = ["{{python}}", {fake}, "{{spec}}", "wrong variant"]\n'
        '[absent]\ncommand = ["no-such-program"]\n'
    )
    return tmp_path


def polywire(*arguments: str) -> Result:
    return CliRunner().invoke(conformance, ["--spec", str(PARCEL), *arguments])


def last(result: Result) -> str:
    return result.output.rstrip("\n").rsplit("\n", 1)[-1]


@pytest.mark.full
@pytest.mark.usefixtures("work")
def test_agreement_exits_with_0_and_counts_come_last() -> None:
    result = polywire("--testee", "right", "--derive", "0", "--cases", "tests/fixtures")
    assert result.exit_code == 0, result.output
    assert "tests/fixtures/group" in result.output
    passed, rest = last(result).split(" ", 1)
    assert rest == "passed, 0 failed, 0 skipped"
    assert int(passed) > 1000


@pytest.mark.usefixtures("work")
def test_a_disagreement_exits_with_1_and_shows_input_expected_and_got() -> None:
    result = polywire("--testee", "wrong", "--cases", "tests/fixtures")
    assert result.exit_code == 1
    assert "FAILED wrong: tests/fixtures/group/one (Named, lenient)" in result.output
    assert "why      A name is text." in result.output
    assert 'input    {"name":"MARK"}' in result.output
    assert 'expected ok, variant Named, json {"name":"MARK"}, unknown []' in result.output
    assert 'got      {"ok":true,"variant":"Hello"' in result.output
    assert last(result) == "0 passed, 1 failed, 0 skipped"


def test_disagreements_beyond_the_limit_are_counted(work: Path) -> None:
    (work / "many.json").write_text(json.dumps([SOUND] * 7))
    result = polywire("--testee", "wrong", "--cases", "many.json", "--show", "2")
    assert result.output.count("FAILED wrong") == 2
    assert "and 5 more of wrong" in result.output


def test_a_testee_that_cannot_run_is_skipped_loudly_and_fails_under_ci(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "some.toml").write_text('[absent]\ncommand = ["no-such-program"]\n')
    all_of_some = ("--testees", "some.toml", "--cases", "tests/fixtures")
    result = polywire(*all_of_some)
    assert result.exit_code == 0
    assert "SKIPPED absent: no program no-such-program" in result.output
    monkeypatch.setenv("CI", "true")
    assert polywire(*all_of_some).exit_code == 1


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("asked", [("--testee", "absent"), ("--command", "no-such-program")])
def test_a_testee_that_was_asked_for_and_cannot_run_is_wrong_use(asked: tuple[str, str]) -> None:
    result = polywire(*asked, "--cases", "tests/fixtures")
    assert result.exit_code == 2
    name = asked[1]
    assert f"Error: testee {name} cannot run here: no program no-such-program" in result.output


@pytest.mark.usefixtures("work")
def test_somebody_elses_testee_is_run_by_its_command() -> None:
    result = polywire("--command", FAKE, "--cases", "tests/fixtures")
    assert (result.exit_code, last(result)) == (0, "1 passed, 0 failed, 0 skipped")


def test_a_capture_reports_how_much_of_it_is_unknown(work: Path) -> None:
    (work / "new.ndjson").write_text('{"type":"hello","a":1,"b":2}\n{"type":"hello"}\n{"type":"new"}\n')
    result = polywire("--testee", "right", "--cases", "new.ndjson")
    assert result.exit_code == 0
    assert "unknown in new.ndjson: 3 places in 2 lines (right)" in result.output


def test_the_result_file_has_outcome_variant_and_unknown_of_every_case(work: Path) -> None:
    (work / "new.ndjson").write_text('{"type":"hello","b":1}\n')
    arguments = ("--testee", "right", "--testee", "wrong", "--cases", "new.ndjson", "--cases", "tests/fixtures")
    assert polywire(*arguments, "--json", "result.json").exit_code == 1
    first = (work / "result.json").read_text()
    right, wrong = json.loads(first)["testees"]
    assert (right["testee"], right["language"], right["passed"]) == ("right", "fake", 2)
    assert right["cases"][0] == {
        "case": "new.ndjson:1",
        "group": "new.ndjson",
        "type": "Line",
        "mode": "lenient",
        "outcome": "passed",
        "variant": "Hello",
        "unknown": ["/b"],
    }
    assert wrong["cases"][1]["outcome"] == "failed"
    named = {"name": "MARK"}
    assert wrong["cases"][1] == {
        "case": "tests/fixtures/group/one",
        "group": "tests/fixtures/group",
        "type": "Named",
        "mode": "lenient",
        "outcome": "failed",
        "variant": "Hello",
        "unknown": [],
        "input": {"json": json.dumps(named, separators=(",", ":"))},
        "expected": {"ok": True, "variant": "Named", "json": '{"name":"MARK"}', "unknown": []},
        "got": {"ok": True, "variant": "Hello", "json": '{"name":"MARK"}', "unknown": []},
        "problems": ['variant is "Hello", expected "Named"'],
    }
    polywire(*arguments, "--json", "result.json")
    assert (work / "result.json").read_text() == first


def test_the_result_file_has_versions_and_coverage(work: Path) -> None:
    polywire("--testee", "right", "--cases", "tests/fixtures", "--json", "result.json")
    document = json.loads((work / "result.json").read_text())
    (covered,) = document["coverage"]
    assert covered["protocol"] == "parcel"
    assert 0 < covered["reached"] < covered["elements"]
    assert covered["reached"] + len(covered["unreached"]) == covered["elements"]
    (right,) = document["testees"]
    assert (right["language"], right["version"], right["unclaimed"]) == ("fake", "0", [])


def test_the_result_file_can_hold_what_utf_8_cannot(work: Path) -> None:
    entry = {"type": "Named", "raw": '{"name":"\\ud800"}', "expect": {"variant": "Named", "unknown": ["/\ud800"]}}
    (work / "lone.json").write_text(json.dumps(entry))
    assert polywire("--testee", "right", "--cases", "lone.json", "--json", "result.json").exit_code == 1
    (case,) = json.loads((work / "result.json").read_text(encoding="utf-8"))["testees"][0]["cases"]
    assert case["expected"]["unknown"] == ["/\ud800"]


def test_the_page_shows_the_run(work: Path) -> None:
    result = polywire("--testee", "right", "--testee", "wrong", "--cases", "tests/fixtures", "--html", "page.html")
    assert result.exit_code == 1
    text = (work / "page.html").read_text(encoding="utf-8")
    assert "<title>✗ parcel: conformance</title>" in text
    assert "Coverage of parcel" in text
    assert text.count("1 failed</button>") == 1


@pytest.mark.usefixtures("work")
def test_the_table_names_groups_whole_and_says_how_fast_it_went() -> None:
    result = polywire("--testee", "right", "--cases", "tests/fixtures")
    assert re.search(r"^tests/fixtures/group +1$", result.output, re.MULTILINE)
    assert re.search(r"^cases/s +\d+$", result.output, re.MULTILINE)


def test_results_come_in_the_order_of_the_testees_however_long_each_takes(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    (work / "plain.json").write_text(json.dumps(SOUND | {"input": {"name": "a"}}))
    watch = Watch(work)
    slow, other = (f"{FAKE} '{what}' {work}" for what in ("slow start", "lets another go on"))
    result = polywire("--command", slow, "--command", FAKE, "--command", other, "--cases", "plain.json")
    watch.close()
    assert result.exit_code == 0
    assert result.output.split("\n", 1)[0].split() == ["fake", "fake-2", "fake-3"]


def test_only_cases_of_a_type_are_run_when_it_is_named(work: Path) -> None:
    (work / "two.json").write_text(json.dumps([SOUND, {"type": "Reply", "input": None, "expect": {"unknown": []}}]))
    result = polywire("--testee", "right", "--cases", "two.json", "--type", "Reply")
    assert last(result) == "1 passed, 0 failed, 0 skipped"


def test_only_cases_of_a_dialect_are_run_when_it_is_named(work: Path) -> None:
    entry = {"type": "Ask", "input": {"type": "ask", "ask_id": "1", "what": "stop"}, "expect": {"variant": "Ask"}}
    spec = str(PARCEL)
    (work / "two.json").write_text(json.dumps([SOUND | {"spec": spec}, entry | {"spec": spec, "dialect": "terse"}]))
    schemas = BUNDLED_TESTEES.parent / "testees" / "jsonschema.py"
    (work / "testees.toml").write_text(
        f'[schema]\ntarget = "jsonschema"\ncommand = ["{{python}}", "{schemas}", "jsonschema-rs", "{{generated}}"]\n'
    )
    result = polywire("--testees", "testees.toml", "--cases", "two.json", "--dialect", "terse")
    assert (result.exit_code, last(result)) == (0, "1 passed, 0 failed, 0 skipped")


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_a_run_that_is_broken_off_ends_at_once_and_leaves_no_testee_behind(work: Path) -> None:
    hanging = f"sh -c 'echo $$ > pid; exec {FAKE} hang {work}'"
    watch = Watch(work)
    polywire = [sys.executable, "-m", "polywire", "conformance", "--spec", str(PARCEL), "--cases", "tests/fixtures"]
    running = subprocess.Popen([*polywire, "--command", hanging, "--command", hanging, "--patience", "600"])
    pid = work / "pid"
    wait_until(watch.reported)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=LONG) != 0
    wait_until(lambda: gone(int(pid.read_text())))
    watch.close()


LONG = 600.0
"""Seconds after which a test stops waiting for an event; long enough for any machine."""


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for a condition, and fail if it does not become true."""
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def gone(pid: int) -> bool:
    """Return whether a process has ended, including one that was not yet reaped."""
    state = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.strip() in {"", "Z"}


WRONG_USE = {
    "an unknown testee": (("--testee", "nobody"), "no testee 'nobody' in"),
    "a misspelt testee": (("--testee", "rihgt"), "; did you mean 'right'?"),
    "a path that is not there": (("--testee", "right", "--cases", "nothing"), "nothing: no such file or folder"),
    "no cases of the type": (("--testee", "right", "--cases", "tests/fixtures", "--type", "Reply"), "no cases left"),
    "a misspelt type": (("--testee", "right", "--type", "Helo"), "no type 'Helo'; did you mean 'Hello'?"),
    "no number of instances": (("--derive", "x"), "'x' is not a valid whole number"),
    "an empty command": (("--command", " ", "--cases", "tests/fixtures"), "--command is empty"),
    "a declaration that is not there": (("--testees", "none.toml"), "none.toml: no such file"),
    "a spec that is not there": (("--spec", "nowhere"), "Directory 'nowhere' does not exist"),
    "an unknown option": (("--nonsense",), "No such option"),
    "a page that cannot be written": (
        ("--testee", "right", "--cases", "tests/fixtures", "--html", "no/such/folder.html"),
        "No such file or directory",
    ),
    "a result file that cannot be written": (
        ("--testee", "right", "--cases", "tests/fixtures", "--json", "no/such/folder.json"),
        "No such file or directory",
    ),
}


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize("what", WRONG_USE)
def test_wrong_use_exits_with_2_and_says_what_is_wrong(what: str) -> None:
    arguments, message = WRONG_USE[what]
    result = polywire(*arguments)
    assert (result.exit_code, message in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[a]\n", "[a] must be a table with command"),
        ('[a]\ncommand = "x"\n', "command of [a] must be a list of words"),
        ('[a]\ncommand = ["x"]\ntarget = 1\n', "target of [a] must be text"),
        ('[a]\ncommand = ["x"]\nstartup = "1 s"\n', "startup of [a] must be a number of seconds"),
        ('[a]\ncommand = ["x"]\nlanguage = "y"\n', "[a] must be a table with command"),
        ("nonsense", "testees.toml"),
    ],
)
def test_a_declaration_that_cannot_be_used_is_refused(work: Path, content: str, message: str) -> None:
    (work / "testees.toml").write_text(content)
    result = polywire("--testees", "testees.toml")
    assert (result.exit_code, message in result.output) == (2, True), result.output
