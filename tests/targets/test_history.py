"""A spec of several releases: every target generates packages of the span and of each release that behave like them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import toolchain
from polywire.checks import check
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.targets import registry
from rendered import generate
from sampling import sample, third

HISTORY = Path(__file__).resolve().parents[1] / "specs" / "history"
RELEASES = ("0.2.33", "0.2.37", "0.2.45", "0.2.77", "0.2.90", "0.2.141", "0.3.160", "0.3.240", "0.3.270", "0.3.330")
SPANS = {"all": WHOLE, "0.2.45..0.2.141": Span.read("0.2.45..0.2.141"), **{r: Span.at(r) for r in RELEASES}}
ENDS = ["all", "0.2.33", "0.3.330"]


def model(span: str) -> Model:
    report = check(HISTORY, None, SPANS[span])
    assert report.findings == ()
    assert report.model is not None
    return report.model


@pytest.mark.parametrize("span", SPANS)
def test_every_target_makes_packages_of_releases(span: str, tmp_path: Path) -> None:
    of = model(span)
    for target in registry().values():
        generate(target, of, tmp_path / target.name)
        assert any(path.is_file() for path in (tmp_path / target.name).rglob("*"))


def python(folder: Path, span: str, script: str) -> str:
    """The output of a script that uses the Python package of a span."""
    generate(registry()["python"], model(span), folder)
    words = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_package_of_all_releases_reads_what_each_wrote_and_writes_it_as_it_came(tmp_path: Path) -> None:
    script = r"""
        import history
        for line in (
            '{"type":"user","message":{"role":"user","content":"a"},"session_id":"s","parent_tool_use_id":null}',
            '{"type":"user","timestamp":"2024-05-01T12:00:00Z","message":{"role":"assistant","content":"a"},'
            + '"parent_call_id":"x"}',
            '{"type":"control_request","request_id":"1","request":{"subtype":"initialize","systemPrompt":"a"}}',
            '{"type":"control_request","request_id":"1","request":{"subtype":"initialize","systemPrompt":["a"]}}',
            '{"type":"control_request","request_id":"1","request":{"subtype":"change_mode","mode":"delegate"}}',
            '{"type":"init","release":"1","mode":"auto","totals":{"tokens":[1.5,2.5],"by_model":{"any":0.5}}}',
        ):
            assert history.encode(history.decode(line, strict=True)).decode() == line, line
        print(history.PROTOCOL_OLDEST, history.PROTOCOL_NEWEST, history.PermissionModeValue is not None)
        """
    assert python(tmp_path, "all", script).split()[:2] == ["0.2.33", "0.3.330"]


def test_a_reply_is_as_the_newest_release_answers_and_an_answer_as_any_did(tmp_path: Path) -> None:
    script = r"""
        import history
        request = history.decode(
            '{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}'
        )
        print(history.reply(request, history.InterruptResponse(queued=2)).response)
        try:
            history.reply(request)
        except history.EncodeError as error:
            print(error.code)
        for response in ("", ',"response":{"queued":1}'):
            line = '{"type":"control_response","request_id":"1"' + response + "}"
            print(history.decode_response(request, history.decode(line)))
        """
    assert python(tmp_path, "all", script).splitlines() == [
        "{'queued': 2}",
        "missing_field",
        "None",
        "InterruptResponse(queued=1)",
    ]


@pytest.mark.parametrize(("span", "noted"), [("all", True), ("0.3.330", True), ("0.2.33", False)])
def test_documentation_says_since_when(span: str, noted: bool, tmp_path: Path) -> None:
    of = model(span)
    for name in ("python", "typescript", "go", "rust", "jsonschema"):
        generate(registry()[name], of, tmp_path / name)
        texts = [path.read_text() for path in (tmp_path / name).rglob("*") if path.suffix in _CODE]
        assert any("Since 0.2.77." in text for text in texts) == noted, name


_CODE = {".py", ".ts", ".go", ".rs", ".json"}


def test_the_closed_counterpart_of_an_open_enum_offers_the_newest_values_only(tmp_path: Path) -> None:
    of = model("all")
    generate(registry()["typescript"], of, tmp_path / "typescript")
    declarations = (tmp_path / "typescript" / "index.d.ts").read_text()
    assert 'export type KnownPermissionMode = "default" | "auto";' in declarations
    generate(registry()["python"], of, tmp_path / "python")
    classes = (tmp_path / "python" / "history" / "worked.py").read_text()
    assert 'PermissionModeKnown: TypeAlias = Literal["default", "auto"]' in classes


@third("packages of releases")
@pytest.mark.parametrize("span", sample([*ENDS, "changed"], 2))
def test_the_packages_of_releases_compile(span: str, tmp_path: Path) -> None:
    of = changed(tmp_path) if span == "changed" else model(span)
    go = toolchain.if_prepared(toolchain.go(), "go")
    if go is None:
        pytest.skip("no Go")
    folder = generate(registry()["go"], of, tmp_path / "go")
    done = subprocess.run(go.command("go", "vet", "./..."), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    generate(registry()["python"], of, tmp_path / "python")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "-p", of.protocol.name]
    checked = subprocess.run(words, cwd=tmp_path / "python", capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


CHANGED = """
polywire: 1
protocol: {name: changed, title: Changed, doc: Types that changed., versions: ["1", "2"], framing: ndjson,
  peers: [a, b], roots: [Report]}
packages: {go: {module: example.com/changed, package: changed}}
messages:
  Report:
    doc: What happened.
    from: a
    tag: {type: report}
    fields:
      input: {type: object, was: [{until: "1", type: json}], doc: What was asked for.}
      count: {type: integer, was: [{until: "1", type: number}], doc: How often.}
      prompt: {type: "string[]", was: [{until: "1", type: string}], doc: What was said.}
      mode: {type: string, was: [{until: "1", presence: optional}], doc: How.}
      note?: {type: "string[]", was: [{until: "1", type: string}], doc: A remark.}
      gone?: {type: string, until: "1", doc: What nobody needs.}
    construct:
      NewReport: {params: [{input: /input}, {count: /count}, {prompt: /prompt}, {mode: /mode}]}
"""


def changed(folder: Path) -> Model:
    (folder / "spec").mkdir()
    (folder / "spec" / "protocol.yaml").write_text(CHANGED)
    report = check(folder / "spec", None, WHOLE)
    assert [each for each in report.findings if each.severity == "error"] == []
    assert report.model is not None
    return report.model


def test_constructors_take_the_types_of_the_newest_release(tmp_path: Path) -> None:
    of, texts = changed(tmp_path), {}
    for name in ("python", "typescript", "go", "rust"):
        generate(registry()[name], of, tmp_path / name)
        files = [path for path in (tmp_path / name).rglob("*") if path.suffix in _CODE]
        texts[name] = "\n".join(path.read_text() for path in files)
    assert "gone: str | None = None" in texts["python"]
    assert (
        "input: dict[str, Any],\n            count: int,\n            prompt: list[str],\n            mode: str,\n"
        in (texts["python"])
    )
    assert "            note: list[str] | None = ...,\n            gone: str | None = ...,\n" in texts["python"]
    assert (
        "def new_report(input: dict[str, Any], count: int, prompt: list[str], mode: str) -> Report:" in texts["python"]
    )
    assert (
        '  readonly "~new"?: NewMembers<{\n    input: { [key: string]: unknown };\n    prompt: string[];\n'
        "    mode: string;\n"
        "    note?: string[];\n    gone?: never;\n  }>;\n"
    ) in texts["typescript"]
    assert "func NewReport(input map[string]any, count int64, prompt []string, mode *string) *Report {" in texts["go"]
    assert "x.Count = float64(count)" in texts["go"]
    assert "pub input: Object," in texts["rust"]
    assert "pub prompt: Vec<String>," in texts["rust"]
    assert "with_note note all TextListOrText => String;" in texts["rust"]
    assert "with_gone" not in texts["rust"]


def test_what_an_old_release_wrote_is_read_and_written_as_it_came(tmp_path: Path) -> None:
    generate(registry()["python"], changed(tmp_path), tmp_path / "python")
    script = """
        import dataclasses
        import changed
        line = '{"type":"report","input":3,"count":1.5,"prompt":"a","note":"b","gone":"c"}'
        report = changed.decode(line, strict=True)
        assert changed.encode(report).decode() == line
        new = changed.new_report({"a": 1}, 2, ["a"], "fast")
        for each in (new, dataclasses.replace(report, count=2)):
            print(changed.encode(each).decode())
        """
    words = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(words, cwd=tmp_path / "python", capture_output=True, text=True, check=False)
    assert done.stdout.split() == [
        '{"type":"report","input":{"a":1},"count":2.0,"prompt":["a"],"mode":"fast"}',
        '{"type":"report","input":3,"count":2.0,"prompt":"a","note":"b","gone":"c"}',
    ], done.stderr
