"""The benchmarks: the session has the intended proportions, limits decide each row's verdict, peers are complete."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import agentlines
import pytest

from compiled import compiled, renamed
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from rendered import model_of
from sampling import third

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def test_a_session_has_the_shares_of_a_real_one_and_hardly_two_equal_lines() -> None:
    from corpus import OPENING, session

    lines = session(1_000)
    types = Counter(json.loads(line)["type"] for line in lines[OPENING:])
    assert (types["stream_event"], types["assistant"], types["user"]) == (700, 100, 100)
    assert len({*lines}) > 0.99 * len(lines)
    assert lines == session(1_000)
    assert any(b"\\tfunc " in line or b"import" in line for line in lines)


def test_the_package_accepts_every_line_of_a_session_and_of_each_situation() -> None:
    from corpus import OPENING, SITUATIONS, session, situation

    lines = [*session(500), *(line for name in SITUATIONS for line in situation(name, 50))]
    assert len(lines) == OPENING + 500 + (OPENING + 50) * len(SITUATIONS)
    for line in lines:
        agentlines.decode(line)


def test_the_opening_of_a_session_has_what_decoders_compile_for_the_rest() -> None:
    from corpus import OPENING, session, shape

    lines = [json.loads(line) for line in session(5_000)]
    assert {shape(line) for line in lines[OPENING:]} <= {shape(line) for line in lines[:OPENING]}


def test_the_verdict_of_a_row_follows_from_its_limits() -> None:
    from measure import Figure
    from rows import Row

    row = Row("w", "a", lambda: Figure([]), must=2.0, aim=1.0)
    figures = (0.5, 1.0, 1.5, 2.0, 2.5)
    assert [row.verdict(Figure([each])) for each in figures] == ["aim met", "aim met", "must met", "must met", "MISSED"]


def test_the_peers_have_a_record_for_every_object_that_the_root_reaches() -> None:
    import serde_peer
    from schema import Named, Protocol, Tagged

    schema = json.loads((ROOT / "generated" / "jsonschema" / "agentlines.schema.json").read_bytes())
    protocol = Protocol(schema)
    root = protocol.type_of(protocol.root)
    assert isinstance(root, Tagged)
    assert root.open
    assert (("assistant",), Named("AssistantMessage")) in root.cases
    assert any(isinstance(case, Tagged) and case.key == "subtype" for _, case in root.cases)
    assert serde_peer.module(schema).count("pub struct ") == len([*protocol.records()]) > 100


def test_lines_of_code_are_neither_blank_nor_comments_nor_docstrings(tmp_path: Path) -> None:
    from weigh import code_lines

    (tmp_path / "a.py").write_text('"""Doc\nstring."""\n\n# comment\nx = (\n    1,\n)\n"""Of x."""\n')
    (tmp_path / "a.ts").write_text("/**\n * Doc.\n */\nexport const x = 1; // one\n// comment\n\n/* a */\nlet y;\n")
    assert code_lines(tmp_path / "a.py") == 3
    assert code_lines(tmp_path / "a.ts") == 2


@pytest.mark.parametrize("length", [1_000, 50_000])
def test_the_inputs_of_the_bounds_are_as_long_as_asked(length: int) -> None:
    from bounds import SHAPES, line

    for shape in SHAPES:
        assert abs(len(line(shape, length)) - length) < max(0.5 * length, 4_100), shape


@third("a spec twice as large")  # checks two specs, one of which is twice as large
def test_a_spec_that_is_larger_by_copies_of_itself_has_no_errors(tmp_path: Path) -> None:
    from polywire.checks import check
    from rows_generator import SPEC, multiply

    multiply(SPEC, tmp_path / "spec", 2)
    own, larger = check(SPEC), check(tmp_path / "spec")
    assert not larger.failed
    assert own.model is not None
    assert larger.model is not None
    assert len(larger.model.declarations) > 1.9 * len(own.model.declarations)


@pytest.mark.nightly  # checks a crate of thousands of types
def test_a_spec_five_times_as_large_compiles_in_rust(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from rows_generator import SPEC, multiply

    multiply(SPEC, tmp_path / "spec", 5)
    package = render(registry()["rust"], make_plan(renamed(model_of(tmp_path / "spec"), "large")))
    assert compiled("rust", {"large": package}, request, tmp_path / "all").wrong == {}
