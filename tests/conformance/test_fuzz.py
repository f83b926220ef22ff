"""`polywire fuzz` finds disagreements between testees, minimises the document, and saves it as a case."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.events import Watch
from polywire.commands.cli import cli
from polywire.conformance.case import Case, Expect, Outcome, load
from polywire.conformance.documents import Corpus, Document, Stream
from polywire.conformance.findings import Finding, Tally, examine, file_name, fixture, search, shrink, text_of
from polywire.conformance.judge import Abilities, Verdict, judge, repeated
from polywire.conformance.minimise import reductions
from polywire.conformance.pool import Pool, open_pool
from polywire.conformance.process import Wait, wait
from polywire.conformance.protocols import Protocols
from polywire.conformance.testee import Testee, Workshop

pytestmark = pytest.mark.full

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARCEL = HERE.parent / "specs" / "parcel"
PROTOCOLS = Protocols(PARCEL)
PROTOCOL = PROTOCOLS.default


def flawed(flaw: str = "", name: str = "flawed", *rest: str) -> Testee:
    """Declare the testee with a flaw; without one it is right."""
    return Testee(name, ("{python}", str(HERE / "flawed.py"), str(PARCEL), flaw, *rest), HERE, startup=60)


def corpus(*, seed: int = 0, types: Sequence[str] | None = None, cases: Sequence[Case] = ()) -> Corpus:
    return Corpus(PROTOCOL, cases, seed=seed, types=types)


@dataclass(frozen=True)
class Found:
    """The findings of a run, and its testees, which are still running."""

    tally: Tally
    pool: Pool

    def of(self, kind: str, name: str) -> Finding:
        """Return the first finding of a kind that only the named testee caused."""
        keys = [(each.key.difference.kind, each.key.testees) for each in self.tally.ranked()]
        assert (kind, (name,)) in keys
        return self.tally.ranked()[keys.index((kind, (name,)))]

    def with_only(self, *names: str) -> Found:
        """Keep only the named testees."""
        return Found(self.tally, Pool([worker for worker in self.pool.workers if worker.name in names]))

    def verdicts(self, cases: Sequence[Case]) -> dict[str, str]:
        """Return the outcome of a single case for each testee."""
        (case,) = cases
        self.pool.refresh()
        responses = {worker: worker.ask(cases).result()[0] for worker in self.pool.workers}
        return {
            worker.name: "failed"
            if each.again and each.again != each.reply | {"id": each.again["id"]}
            else judge(case, each.reply, worker.abilities).outcome
            for worker, each in responses.items()
        }


@contextmanager
def fuzzed(number: int, *testees: Testee, wait: Wait = wait, **of: Any) -> Iterator[Found]:
    """Run documents on testees, and keep the testees running within the block."""
    with (
        Workshop(HERE) as workshop,
        open_pool(testees, workshop, PROTOCOL, folder=HERE, patience=30, wait=wait) as (
            workers,
            missing,
        ),
    ):
        assert missing == {}
        tally = Tally()
        search(islice(corpus(**of).documents(), number), workers, PROTOCOL, tally)
        yield Found(tally, workers)


FLAWS = {
    "drops nulls": ("value", 60),
    "rounds": ("exact value", 60),
    "sorts": ("order", 60),
    "path of the object": ("path", 30),
    "no end": ("verdict", 1),
    "unsorted": ("unknown", 40),
    "variant": ("variant", 50),
    "spaces": ("fixed point", 60),
    "lines": ("item's line", 80),
    "dies": ("trouble", 80),
    "gives up": ("problem", 60),
}
"""Flaw → the kind of disagreement that it causes, and the largest size of a minimised document that shows it."""


@pytest.fixture(scope="module")
def everyone() -> Iterator[Found]:
    """The findings of a run on a right testee and all flawed ones."""
    with fuzzed(1200, flawed(name="right"), *(flawed(flaw, flaw) for flaw in FLAWS)) as found:
        yield found


# --- documents -------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_documents_and_another_seed_others() -> None:
    one, same, other = (list(islice(corpus(seed=seed).documents(), 300)) for seed in (1, 1, 2))
    assert [(each, each.chain) for each in one] == [(each, each.chain) for each in same]
    assert sum(a.content == b.content for a, b in zip(one, other, strict=True)) < 30


def test_a_document_is_the_same_whatever_came_before_it() -> None:
    assert next(corpus().documents(120)) == list(islice(corpus().documents(), 121))[120]


def test_documents_are_of_every_kind() -> None:
    found = list(islice(corpus().documents(), 1500))
    cases = [each.case(PROTOCOL) for each in found]
    assert {each.mode for each in found} == {"lenient", "strict"}
    assert {type(each.content) for each in found} == {str, bytes, Stream}
    assert {each.limit is None for each in cases if each.chunks is not None} == {True, False}
    expected = [each.expect for each in cases if isinstance(each.expect, Expect)]
    assert 0.2 < sum(each.accepts for each in expected) / len(expected) < 0.7
    assert sum(len(each.outcomes) > 1 for each in expected) > 0.1 * len(expected)
    codes = {outcome.error[0] for each in expected for outcome in each.outcomes if outcome.error}
    assert {"invalid_utf8", "invalid_json", "too_deep", "wrong_type", "missing_field", "unknown_variant"} <= codes
    assert {"unknown_value", "out_of_range", "unknown_field"} <= codes
    assert {each.type for each in found} == set(PROTOCOL.model.declarations)
    items = [item for each in cases if isinstance(each.expect, tuple) for item in each.expect]
    assert {item.accepts for item in items} == {True, False}
    assert "too_long" in {outcome.error[0] for item in items for outcome in item.outcomes if outcome.error}


def test_documents_may_be_of_one_type_and_start_from_cases(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text('{"type":"Named","input":{"name":"from the fixture"},"expect":{"variant":"Named"}}')
    found = list(islice(corpus(types=["Named"], cases=load([file], PROTOCOLS)).documents(), 200))
    assert {each.type for each in found} == {"Named"}
    assert any("from the fixture" in str(each.content) for each in found)
    assert any(str(tmp_path / "case") in each.chain[0] for each in found)


def test_a_stream_of_blank_lines_has_a_limit_that_a_case_may_have_too() -> None:
    assert corpus().document(27209).content == Stream((b"\n", b""), 1)


@pytest.mark.parametrize(("limit", "found"), [(0, "too_long"), (1, "invalid_json"), (None, "invalid_json")])
def test_a_limit_is_taken_as_it_is(limit: int | None, found: str) -> None:
    expect = Document(0, "Named", "lenient", Stream((b"{\n\r\n",), limit)).case(PROTOCOL).expect
    assert isinstance(expect, tuple)
    assert [(item.line, item.outcomes) for item in expect] == [(1, (Outcome(error=(found, "")),))]


def test_an_overwritten_value_may_decide_the_outcome_once_but_not_for_the_output_which_lacks_it() -> None:
    text = '{"type":"parcel","event":"error_new","at":"","reasons":1,"reasons":[],"retry":true}'
    case = Document(0, "Parcel", "lenient", text).case(PROTOCOL)
    assert isinstance(case.expect, Expect)
    known, unknown = case.expect.outcomes
    first = Verdict("passed", variant=unknown.variant, unknown=unknown.unknown, output=unknown.output)
    again = {"ok": True, "variant": known.variant, "unknown": list(known.unknown or ()), "json": known.output}
    assert (unknown.variant, repeated(case, first, again, Abilities("one"))) == ("Unknown", [])
    for wrong in ({"variant": "Sent"}, {"ok": False, "code": "wrong_type", "path": ""}, {"variant": "Unknown"}):
        assert repeated(case, first, again | wrong, Abilities("one"))


# --- findings --------------------------------------------------------------------------------------------------


def test_right_testees_agree_on_everything() -> None:
    with fuzzed(2000, flawed(name="one"), flawed(name="other")) as found:
        assert found.tally.findings == {}
        assert (found.tally.documents, found.tally.disagreeing, found.tally.answers) == (2000, 0, 4000)
        assert found.tally.streams > 50


def test_testees_that_give_other_outcomes_of_those_admitted_do_not_disagree() -> None:
    with fuzzed(2000, flawed(name="first"), flawed("last", "last")) as found:
        cases = [each.case(PROTOCOL) for each in islice(corpus().documents(), 2000)]
        first, last = (worker.ask(cases).result() for worker in found.pool.workers)
        assert sum(one.reply != other.reply for one, other in zip(first, last, strict=True)) > 200
        assert found.tally.findings == {}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found_minimised_and_kept_as_a_case(flaw: str, everyone: Found, tmp_path: Path) -> None:
    kind, largest = FLAWS[flaw]
    found = everyone.with_only("right", flaw)
    finding = found.of(kind, flaw)
    shrink(finding, found.pool, PROTOCOL)
    (examined,) = examine([finding.document], found.pool, PROTOCOL)
    assert finding.key in examined.keys
    assert finding.document.size <= min(largest, finding.first.size)

    entry = fixture(finding.key, examined, found.pool)
    (tmp_path / file_name(finding.key, entry)).write_text(text_of(entry), encoding="utf-8")
    assert found.verdicts(load([tmp_path], PROTOCOLS)) == {"right": "passed", flaw: "failed"}


def test_the_right_one_of_all_agrees_with_the_reference(everyone: Found) -> None:
    assert not any("right" in each.key.testees for each in everyone.tally.findings.values())


@pytest.mark.parametrize("flaw", ["drops nulls", "path of the object", "unsorted"])
def test_no_single_reduction_of_what_is_minimised_shows_the_same(flaw: str, everyone: Found) -> None:
    found = everyone.with_only(flaw)
    finding = found.of(FLAWS[flaw][0], flaw)
    shrink(finding, found.pool, PROTOCOL)
    smaller = [replace(finding.document, content=content) for content in reductions(finding.document.content)]
    assert smaller
    assert not any(finding.key in each.keys for each in examine(smaller, found.pool, PROTOCOL))


def test_a_testee_that_hangs_is_found_with_the_document_that_does_it(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    with fuzzed(25, flawed("hangs", "flawed", str(tmp_path)), wait=watch, types=["Named"]) as found:
        finding = found.of("trouble", "flawed")
    watch.close()
    assert finding.key.difference.got == "the testee did not answer within 120 s at this request"
    assert str(finding.first.content).count('"name":') > 1


def test_equal_disagreements_are_one_finding_and_new_ones_come_first() -> None:
    same = "path of the object"
    with fuzzed(400, flawed(same, "a"), flawed(name="b"), flawed(same, "c"), flawed("unsorted", "d")) as found:
        findings = found.tally.ranked()
    assert {each.key.testees for each in findings} == {("a", "c"), ("d",)}
    assert {each.key.testees for each in findings[:2]} == {("a", "c"), ("d",)}
    assert sum(each.count for each in findings) >= found.tally.disagreeing > len(findings)
    assert len({(each.key.type, each.key.testees) for each in findings}) == len(findings)


# --- the command -----------------------------------------------------------------------------------------------


def ask(*words: str, flaw: str = "") -> Result:
    command = f"{sys.executable} {HERE / 'flawed.py'} {{spec}}@{{dialect}} '{flaw}'"
    options = ["fuzz", "--spec", str(PARCEL), "--command", command, "--patience", "30", *words]
    return CliRunner().invoke(cli, options, catch_exceptions=False)


def test_a_run_without_disagreement_says_how_much_it_saw_and_exits_with_0() -> None:
    result = ask("--documents", "300", "--seed", "5")
    assert result.exit_code == 0
    assert "seed 5, documents 0 to 299, asked of flawed" in result.output
    assert re.search(
        r"300 documents \(\d+ streams, \d+ accepted\), 300 answers in \d+ s, \d+ documents a second: 0 with",
        result.output,
    )


def test_a_finding_is_shown_with_how_to_see_it_again_and_everyone_s_answer(tmp_path: Path) -> None:
    lines = tmp_path / "lines.ndjson"
    lines.write_text('{"type":"hello"}\n')
    cases = ("--cases", f"{lines.parent}/{'./' * 200}{lines.name}")  # so that the command to repeat it is long
    words = ("--documents", "200", "--show", "1", "--save", str(tmp_path / "new"))
    result = ask(*words, *cases, flaw="path of the object")
    assert result.exit_code == 1
    assert "FINDING 1 flawed: path (missing_field)" in result.output
    first = re.search(r"first in document (\d+)", result.output)
    assert first is not None
    (line,) = (line for line in result.output.splitlines() if line.strip().startswith("again by"))
    command, *words = shlex.split(line.split("again by", 1)[1])
    repeated = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert (command, repeated.exit_code) == ("polywire", 1)
    assert f"documents {first[1]} to {first[1]}, asked of flawed" in repeated.output
    assert "reference  error missing_field at" in result.output
    assert "more findings; --show" in result.output
    (saved,) = (tmp_path / "new").iterdir()
    assert '"code": "missing_field"' in saved.read_text()


def test_a_finding_in_a_dialect_is_repeated_and_saved_in_it(tmp_path: Path) -> None:
    words = ("--documents", "100", "--show", "1", "--dialect", "courier", "--save", str(tmp_path))
    result = ask(*words, flaw="path of the object")
    assert (result.exit_code, "--dialect courier" in result.output) == (1, True)
    (case,) = load([tmp_path], Protocols(PARCEL))
    assert str(case.protocol) == "parcel, dialect courier"


@pytest.mark.parametrize("dialect", [path.stem for path in sorted((ROOT / "spec" / "dialects").glob("*.yaml"))])
def test_the_usual_cases_serve_each_dialect(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = f"{sys.executable} {HERE / 'flawed.py'} spec@{{dialect}}"
    words = ["fuzz", "--dialect", dialect, "--command", command, "--patience", "30", "--documents", "50"]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_the_same_seed_and_number_of_documents_give_the_same_report() -> None:
    one, other = (ask("--documents", "150", "--show", "2", flaw="unsorted").output for _ in range(2))
    assert one.partition("answers in")[0] == other.partition("answers in")[0]


def test_seconds_end_a_run() -> None:
    result = ask("--seconds", "1")
    assert result.exit_code == 0
    assert re.search(r"answers in \d+ s", result.output)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--type", "Nmaed"], "no type 'Nmaed'; did you mean 'Named'?"),
        (["--testees", "nowhere.toml", "--testee", "x"], "nowhere.toml: no such file"),
        (["--command", "no-such-program-anywhere"], "testee no-such-program-anywhere cannot run here"),
        (["--cases", "nowhere.ndjson"], "nowhere.ndjson: no such file or folder"),
        (["--dialect", "none"], "none"),
        (["--documents", "0"], "'--documents'"),
    ],
)
def test_what_cannot_be_run_as_asked_exits_with_2(words: list[str], problem: str) -> None:
    result = ask(*words)
    assert result.exit_code == 2
    assert problem in result.output


def test_a_slow_testee_is_asked_as_often_as_its_declaration_says(tmp_path: Path) -> None:
    file = tmp_path / "testees.toml"
    command = [sys.executable, str(HERE / "flawed.py"), str(PARCEL)]
    file.write_text(f"[quick]\ncommand = {command}\n[slow]\ncommand = {command}\nevery = 10\n")
    words = ["fuzz", "--spec", str(PARCEL), "--testees", str(file), "--documents", "100", "--patience", "30"]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "asked of quick, slow (each 10th)" in result.output
    assert "110 answers" in result.output


def test_an_interrupted_run_reports_what_it_has_so_far(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "polywire", "fuzz", "--spec", str(PARCEL), "--seconds", "600", "--patience", "30"]
    answers = tmp_path / "answers"
    command = f"sh -c '{sys.executable} {HERE / 'flawed.py'} {PARCEL} unsorted | tee {answers}'"
    child = subprocess.Popen([*words, "--command", command, "--show", "1"], stdout=subprocess.PIPE, text=True)
    while not answers.exists() or answers.read_bytes().count(b"\n") < 1000:  # some of the first hundred are wrong
        assert child.poll() is None
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGINT)
    output, _ = child.communicate(timeout=600)
    assert child.returncode == 1
    assert "FINDING 1" in output
    assert re.search(r"[1-9][0-9,]* documents", output.splitlines()[-1])
