"""Coverage counts the cases that reach each element of a protocol, and a run fails if an element is unreached."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from corpora import PROTOCOLS
from polywire.commands.conformance import conformance, gather
from polywire.conformance import derived as derivation
from polywire.conformance.case import Case, Expect, Outcome
from polywire.conformance.coverage import Coverage, Reader, measure, measured
from polywire.conformance.derived import derived
from polywire.conformance.elements import Key, elements
from polywire.conformance.protocols import Protocol
from sampling import turn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARCEL = ROOT / "tests" / "specs" / "parcel"


@cache
def parcel(dialect: str | None = None) -> Protocol:
    return PROTOCOLS.get(PARCEL, dialect)


@cache
def parcels() -> tuple[tuple[Case, frozenset[Key]], ...]:
    """Cases that together reach every element of the second protocol, each with the elements that it reaches.

    A case that reaches nothing new is left out.
    """
    reader, seen, found = Reader(parcel().model), set[Key](), []
    for each in derived(parcel(), seed=0, random=2):
        own = frozenset(reader.case(each))
        if not own <= seen:
            seen |= own
            found.append((each, own))
    return tuple(found)


def case(type_name: str, value: object = None, mode: str = "lenient", **more: object) -> Case:
    text = None if more else json.dumps(value)
    given = {"json": text, "kind": "written", "expect": Expect((Outcome(),)), **more}
    return Case(name="c", group="g", protocol=parcel(), type=type_name, mode=mode, **given)  # type: ignore[arg-type]  # one keyword for each


def reached(*cases: Case) -> set[Key]:
    found = measure(cases, parcel())
    return {
        (each.element.kind, each.element.owner, each.element.name, each.element.facet)
        for each in found.reaches
        if each.total
    }


# --- elements ----------------------------------------------------------------------------------------------------


@turn("coverage of the spec")
def test_the_default_run_of_the_spec_reaches_everything_in_it() -> None:
    cases = gather(PROTOCOLS, (), root=ROOT)
    covered = measure(cases, PROTOCOLS.default)
    assert covered.lines(100)[1:] == []
    assert {tally.kind: tally.elements for tally in covered.tallies}["type"] == 2 * len(
        PROTOCOLS.default.model.declarations
    )


@pytest.mark.full
@pytest.mark.parametrize("dialect", [None, "terse", "courier"])
def test_derived_cases_alone_reach_everything_in_any_spec(dialect: str | None) -> None:
    covered = measure(derived(parcel(dialect), seed=1, random=0), parcel(dialect))
    assert covered.lines(100)[1:] == []


EVERY_FACET = list(dict.fromkeys((key[0], key[3]) for key in elements(parcel().model, "parcel")))


@pytest.mark.parametrize(("kind", "facet"), EVERY_FACET, ids=" ".join)
def test_without_the_cases_that_reach_it_an_element_is_unreached(kind: str, facet: str) -> None:
    own = {
        key: element for key, element in elements(parcel().model, "parcel").items() if (key[0], key[3]) == (kind, facet)
    }
    for key, element in list(own.items())[:3]:
        left = [found for found, reached_by in parcels() if key not in reached_by]
        assert len(left) < len(parcels())
        covered = measure(left, parcel())
        assert element in covered.unreached
        assert f"UNREACHED {element}" in covered.lines(10_000)


# --- the report --------------------------------------------------------------------------------------------------


def line_of(file: str, text: str) -> int:
    """Return the number of the line that contains the text, in a file of the second protocol."""
    lines = (PARCEL / file).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return number


def test_what_is_unreached_is_said_with_the_place_where_it_is_declared() -> None:
    lines = measure([case("Named", {"name": "a"})], parcel()).lines(10_000)
    total = len(elements(parcel().model, "parcel"))
    assert lines[0] == f"coverage of parcel: 3 of {total} elements reached"
    value, field = line_of("parts.yaml", "left: The left one."), line_of("parts.yaml", "nickname?: string | null")
    assert f"UNREACHED value Side: left (parcel/parts.yaml:{value}): no case has it" in lines
    assert f"UNREACHED field Named.nickname (parcel/parts.yaml:{field}): no case has null there" in lines
    assert "UNREACHED code too_deep: no case gives it in strict mode" in lines


def test_a_long_list_is_cut_and_counted() -> None:
    covered = measure([case("Named", {"name": "a"})], parcel())
    assert len(covered.lines(5)) == 7
    assert covered.lines(5)[-1] == f"… and {len(covered.unreached) - 5} more unreached"
    assert len(covered.lines(0)) == 1


def test_programs_are_told_the_same() -> None:
    cases = [case("Side", "left"), case("Side", "right", kind="derived", json='"right"')]
    told = json.loads(json.dumps(measure(cases, parcel()).as_json()))
    values = next(kind for kind in told["kinds"] if kind["kind"] == "value")
    assert (told["protocol"], told["reached"]) == ("parcel", 3)
    assert (values["reached"], values["written"], values["captured"], values["derived_only"]) == (2, 1, 0, 1)
    place = f"parcel/parts.yaml:{line_of('parts.yaml', 'right: The right one.')}"
    assert told["derived_only"] == [{"kind": "value", "element": "Side: right", "facet": "there", "place": place}]
    assert len(told["unreached"]) == told["elements"] - told["reached"]


def test_cases_are_counted_by_where_they_are_from() -> None:
    cases = [case("Side", "left"), case("Side", "left"), case("Side", "left", kind="captured", json='"left"')]
    (left,) = [each for each in measure(cases, parcel()).reaches if each.element.title == "Side: left"]
    assert (left.written, left.captured, left.derived, left.total) == (2, 1, 0, 3)


def test_each_protocol_of_a_run_is_counted_by_itself() -> None:
    cases = [case("Side", "left"), replace(case("Side", "right"), protocol=parcel("terse"))]
    first, second = measured(cases)
    assert (first.protocol, second.protocol) == (parcel(), parcel("terse"))
    assert {reach.element.title for reach in second.reaches if reach.total} == {"Side", "Side: right"}


# --- the elements that an input reaches --------------------------------------------------------------------------

LINE = {("variant", "Line", "Hello", "there"), ("type", "Line", "", "taken"), ("type", "Hello", "", "taken")}
HELLO = {("field", "Hello", "type", "there")}
HELLO |= {("field", "Hello", name, "absent") for name in ("label", "tree", "nest")}

REACHES: dict[str, tuple[Case, set[Key]]] = {
    "what is there, absent and null": (
        case("Named", {"name": "a", "nickname": None}),
        {("type", "Named", "", "taken"), ("field", "Named", "name", "there"), ("field", "Named", "nickname", "null")},
    ),
    "a null that lenient mode takes away": (
        case("Hello", {"type": "hello", "id": None}),
        {("type", "Hello", "", "taken"), *HELLO, ("field", "Hello", "id", "null")},
    ),
    "the same null in strict mode": (
        case("Hello", {"type": "hello", "id": None}, "strict"),
        {("type", "Hello", "", "refused"), ("code", "wrong_type", "", "strict")},
    ),
    "a variant, and all that leads to it": (
        case("Line", {"type": "hello"}),
        {*LINE, *HELLO, ("field", "Hello", "id", "absent")},
    ),
    "an unknown variant": (
        case("Parcel", {"type": "parcel", "event": "lost"}),
        {("type", "Parcel", "", "taken"), ("variant", "Parcel", "", "unheard of")},
    ),
    "a variant that a closed union refuses": (
        case("Shape", {"form": "oval"}),
        {
            ("type", "Shape", "", "refused"),
            ("variant", "Shape", "", "unheard of"),
            ("code", "unknown_variant", "", "lenient"),
        },
    ),
    "a missing tag": (
        case("Item", {}),
        {("type", "Item", "", "refused"), ("variant", "Item", "", "missing"), ("code", "missing_field", "", "lenient")},
    ),
    "a value of an open enum": (
        case("Weight", 77),
        {("type", "Weight", "", "taken"), ("value", "Weight", "", "unheard of")},
    ),
    "a value deep inside": (
        case("Envelope", {"shape": {"form": "square", "side": "up"}}),
        {
            ("type", "Envelope", "", "refused"),
            ("field", "Square", "side", "wrong"),
            ("code", "wrong_type", "", "lenient"),
        },
    ),
    "keys of a map": (
        case("Sizes", {"small": 1, "giant": 2}),
        {
            ("type", "Sizes", "", "taken"),
            ("type", "Size", "", "taken"),
            ("value", "Size", "small", "there"),
            ("value", "Size", "", "unheard of"),
        },
    ),
    "a catch-all whose body does not fit": (
        case("Parcel", {"type": "parcel", "event": "error_new", "retry": {"deep": 1}}),
        {("type", "Parcel", "", "taken")},
    ),
    "a stream": (
        case("Side", chunks=(base64.b64encode(b'"left"\r\n\n{\n"left" \n').decode(),), limit=7, kind="written"),
        {
            ("type", "Side", "", "taken"),
            ("value", "Side", "left", "there"),
            ("code", "invalid_json", "", "lenient"),
        },
    ),
    "a line over the limit": (
        case("Side", chunks=(base64.b64encode(b'"left"').decode(),), limit=5, kind="written"),
        {("code", "too_long", "", "lenient")},
    ),
    "bytes": (
        case("Side", data=base64.b64encode(b'"\xff"').decode(), kind="written"),
        {("code", "invalid_utf8", "", "lenient")},
    ),
    "several faults": (case("Side", data=base64.b64encode(b"\xff").decode(), kind="written"), set()),
}


@pytest.mark.parametrize("what", REACHES)
def test_an_input_reaches_what_it_is_made_of_or_refused_for(what: str) -> None:
    given, expected = REACHES[what]
    assert reached(given) == expected


def test_what_a_case_expects_is_not_asked() -> None:
    hopeful = case("Side", kind="written", json='"nowhere"', expect=Expect((Outcome(variant="Side", output='"left"'),)))
    assert ("value", "Side", "left", "there") not in reached(hopeful)


# --- the command -------------------------------------------------------------------------------------------------

SPEC = """\
polywire: 1
protocol: {name: tiny, title: Tiny, version: 1.0.0, framing: ndjson, peers: [one, other], roots: [Word]}
packages: {}
enums:
  Word: {doc: A word., open: true, values: {yes: Agrees., no: Disagrees.}}
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """A function that runs the command in a folder with a small spec, one fixture and a right testee."""
    monkeypatch.chdir(tmp_path)
    spec, fixtures = tmp_path / "spec", tmp_path / "tests" / "fixtures"
    for folder in (spec, fixtures):
        folder.mkdir(parents=True)
    (spec / "protocol.yaml").write_text(SPEC)
    (fixtures / "one.json").write_text('{"type": "Word", "input": "yes", "expect": {"variant": "Word"}}')
    command = f"{sys.executable} {HERE / 'fake.py'} {spec}"

    def run(*arguments: str, without: Key | None = None) -> Result:
        def left_over(protocol: Protocol, **options: int) -> Sequence[Case]:
            reader = Reader(protocol.model)
            return [each for each in derived(protocol, **options) if without not in reader.case(each)]

        monkeypatch.setattr(derivation, "derived", left_over)
        return CliRunner().invoke(conformance, ["--command", command, *arguments])

    return run


def test_a_run_that_reaches_everything_passes_and_says_so(tiny: Callable[..., Result]) -> None:
    result = tiny()
    assert result.exit_code == 0, result.output
    assert "coverage of tiny: 16 of 16 elements reached, 14 of them by derived cases alone" in result.output


def test_a_run_fails_while_something_is_unreached(tiny: Callable[..., Result]) -> None:
    result = tiny(without=("value", "Word", "no", "there"))
    assert result.exit_code == 1
    assert "UNREACHED value Word: no (spec/protocol.yaml:5): no case has it" in result.output
    assert ", 0 failed" in result.output.rstrip("\n").rsplit("\n", 1)[-1]


@pytest.mark.parametrize("some", [("--cases", "tests/fixtures"), ("--type", "Word")], ids=" ".join)
def test_a_run_of_some_cases_only_tells_what_they_reach(tiny: Callable[..., Result], some: tuple[str, str]) -> None:
    result = tiny(*some, without=("value", "Word", "no", "there"))
    assert result.exit_code == 0, result.output
    assert "coverage of tiny: " in result.output
    assert "UNREACHED" not in result.output


def test_the_result_file_has_the_coverage(tiny: Callable[..., Result], tmp_path: Path) -> None:
    assert tiny("--json", "result.json", without=("value", "Word", "no", "there")).exit_code == 1
    (told,) = json.loads((tmp_path / "result.json").read_text())["coverage"]
    assert (told["protocol"], told["elements"], told["reached"]) == ("tiny", 16, 15)
    place = {"place": "spec/protocol.yaml:5"}
    assert told["unreached"] == [{"kind": "value", "element": "Word: no", "facet": "there", **place}]


def test_coverage_is_empty_of_nothing() -> None:
    assert measured([]) == []
    covered: Coverage = measure([], parcel())
    assert len(covered.unreached) == len(covered.reaches)
