"""`polywire explain` describes traffic, and the dialect it prints declares what was unknown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from polywire import source
from polywire.checks import check
from polywire.conformance.documents import Corpus
from polywire.conformance.protocols import Protocols
from polywire.ground.engine import Fault
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.oracle import reference
from polywire.oracle.reference.framing import framed
from polywire_import.explain import Dialect, Explainer, Line, as_json, as_text, messages, to_yaml
from sampling import SEED, number


def load(folder: Path, dialect: str | None = None) -> Model:
    built = build(source.load(folder, dialect))
    assert [f for f in built.findings if f.severity == "error"] == []
    assert built.model is not None
    return built.model


@pytest.fixture(scope="module")
def parcel(root: Path) -> Model:
    return load(root / "tests/specs/parcel")


@dataclass(frozen=True)
class Explained:
    """What is known of some lines, and all of it as text."""

    lines: tuple[Line, ...]
    dialect: dict[str, Dialect]
    text: str


def explain(model: Model, traffic: Sequence[bytes], root: str | None = None, *, at_release: bool = False) -> Explained:
    explainer = Explainer(model, root, at_release=at_release)
    told = tuple(explainer.lines(traffic))
    again = Explainer(model, root, at_release=at_release)
    return Explained(told, explainer.dialect(), "".join(as_text(again, traffic)))


def lines(*values: Any) -> list[bytes]:
    return [json.dumps(value).encode() + b"\n" for value in values]


def relearned(root: Path, folder: Path, traffic: list[bytes], root_type: str | None = None) -> tuple[Model, Explained]:
    """Return the model with the dialect inferred from some traffic, and the same traffic explained by it."""
    spec = folder / "spec"
    shutil.copytree(root / "tests/specs/parcel", spec)
    drawn = explain(load(spec), traffic, root_type)
    (spec / "dialects/observed.yaml").write_text(to_yaml(drawn.dialect), encoding="utf-8")
    model = load(spec, "observed")
    return model, explain(model, traffic, root_type)


def test_a_line_is_told_by_the_variants_chosen_on_the_way_down(parcel: Model) -> None:
    told = explain(parcel, lines({"type": "parcel", "event": "sent", "item": {"kind": "letter", "pages": 1}}))
    (line,) = told.lines
    assert (line.number, line.variant, line.unknown, line.fault) == (1, "Sent", (), None)
    assert [(step.pointer, step.names) for step in line.steps] == [
        ("", ("Line", "Parcel", "Sent")),
        ("/item", ("Item", "Letter")),
    ]
    assert told.dialect == {}
    assert told.text == "line 1: Sent\n  (line): Line → Parcel → Sent\n  /item: Item → Letter\n"


def test_what_is_unknown_is_told_with_its_place_and_code(parcel: Model) -> None:
    sent = {"type": "parcel", "event": "sent", "item": {"kind": "letter", "pages": 1, "b": 1}, "sizes": {"huge": 1}}
    (line,) = explain(parcel, lines(sent)).lines
    assert [(each.pointer, each.code) for each in line.unknown] == [
        ("/item/b", "unknown_field"),
        ("/sizes/huge", "unknown_value"),
    ]
    assert line.unknown[0].message == '"b" is not a field of Letter'


def test_lines_are_numbered_with_the_blank_ones_and_a_bad_one_ends_nothing(parcel: Model) -> None:
    told = explain(parcel, [b"\n", b"{\n", b" \r\n", b'{"type":"hello","id":3}', b'{"type":"hello"}'])
    assert [(line.number, line.fault.code if line.fault else line.variant) for line in told.lines] == [
        (2, "invalid_json"),
        (4, "wrong_type"),
        (5, "Hello"),
    ]
    assert "line 4: wrong_type at /id: expected string, got integer\n" in told.text


def test_another_root_may_be_asked_for(parcel: Model) -> None:
    (line,) = explain(parcel, lines({"x": 1, "y": 2, "w": 0}), "Point").lines
    assert (line.variant, [each.pointer for each in line.unknown]) == ("Point", ["/w"])


def test_new_fields_have_the_narrowest_type_of_all_occurrences(root: Path, tmp_path: Path) -> None:
    hello = [
        {"a": 1, "b": 1.5, "c": "2f0e0d0c-0000-4000-8000-000000000000", "d": ["x", None], "e": None, "f": {"q r": 1}},
        {"a": 2.0, "b": 1, "c": "2f0e0d0c-0000-4000-8000-000000000001", "d": [], "e": None, "f": {"s": 2}},
        {"a": None, "b": 2, "c": "2f0e0d0c-0000-4000-8000-000000000002", "e": None, "f": {}, "g": True, "t": "x"},
        {"a": 1, "b": 2**60, "c": "2f0e0d0c-0000-4000-8000-000000000002", "e": None, "f": {}, "t": {"x": 1, "y": 2}},
    ]
    model, again = relearned(root, tmp_path, lines(*({"type": "hello", **each} for each in hello)))
    from polywire.reading.show import show

    rows = {row.name: row.type for row in show(model, "Hello").rows}
    assert rows == {
        "type": '"hello"',
        "id?": "uuid",
        "label?": "Label",
        "tree?": "Phrase",
        "nest?": "Nest | null",
        "a?": "integer | null",
        "b?": "number",
        "c?": "uuid",
        "d?": "(string | null)[]",
        "e?": "json",
        "f?": "map<integer>",
        "g?": "boolean",
        "t?": "string | Point",
    }
    assert again.dialect == {}
    assert all(not line.unknown for line in again.lines)


def test_a_new_object_gets_a_named_type_with_optional_and_nullable_members(root: Path, tmp_path: Path) -> None:
    hello = [
        {"type": "hello", "box": {"n": None, "deep": [{"u": "2024-01-01T00:00:00Z"}]}},
        {"type": "hello", "box": {"n": 1, "once": [], "deep": []}},
    ]
    model, again = relearned(root, tmp_path, lines(*hello))
    assert [(f.name, f.required, f.nullable) for f in model.struct("HelloBox").fields] == [
        ("n", True, True),
        ("deep", True, False),
        ("once", False, False),
    ]
    assert [f.name for f in model.struct("HelloBoxDeepItem").fields] == ["u"]
    assert again.dialect == {}


def test_a_new_variant_joins_its_union_under_a_name_from_its_tag(root: Path, tmp_path: Path) -> None:
    traffic = lines(
        {"type": "parcel", "event": "left_behind", "by": "van", "n": 1},
        {"type": "parcel", "event": "left_behind", "n": None},
        {"type": "true", "x": {"kind": "crate", "items": []}},
        {"type": "parcel", "event": "sent", "item": {"kind": "drum", "type": "x"}},
    )
    model, again = relearned(root, tmp_path, traffic)
    assert again.dialect == {}
    assert [line.variant for line in again.lines] == ["LeftBehind", "LeftBehind", "True", "Sent"]
    assert [step.names for step in again.lines[3].steps][1] == ("Item", "Drum")
    behind = model.struct("LeftBehind")
    assert [(tag.key, tag.constant) for tag in behind.tags] == [("type", "parcel"), ("event", "left_behind")]
    assert [(f.name, f.required, f.nullable) for f in behind.fields] == [("by", False, False), ("n", True, True)]
    assert (behind.section, behind.origin) == ("messages", "van")
    assert [v.name for v in model.union("Parcel").variants][-1] == "LeftBehind"


def test_new_values_repaired_nulls_and_new_requests_are_learned(root: Path, tmp_path: Path) -> None:
    traffic = lines(
        {"type": "parcel", "event": "sent", "item": {"kind": "letter", "pages": 1, "sender": None}, "sizes": {"no": 1}},
        {"type": "parcel", "event": "error_new", "reasons": [], "retry": False},
        {"type": "ask", "ask_id": "1", "ask": {"what": "fly_away", "how": {"x": 1, "y": 1}}},
        {"type": "ask", "ask_id": "1", "ask": {"what": "stop", "soon": True}},
    )
    model, again = relearned(root, tmp_path, traffic)
    assert again.dialect == {}
    assert [value.wire for value in model.enum("Size").values][-1] == "no"
    assert [value.wire for value in model.enum("Outcome").values][-1] == "error_new"
    assert next(f for f in model.struct("Letter").fields if f.name == "sender").nullable
    assert [control.key for control in model.controls] == ["stop", "turn", "fly_away"]
    assert again.lines[2].steps[1].names == ("Request", "FlyAwayRequest")
    assert [f.name for f in model.struct("StopRequest").fields] == ["where", "soon"]


def test_the_flattened_part_of_an_object_learns_for_itself(root: Path, tmp_path: Path) -> None:
    model, again = relearned(root, tmp_path, lines({"wrapped": True, "kind": "drum", "n": 1}), "Wrap")
    assert again.dialect == {}
    assert [tag.constant for tag in model.struct("Drum").tags] == ["drum"]
    assert [f.name for f in model.struct("Drum").fields] == ["n"]


def test_a_union_by_keys_learns_a_variant_by_the_keys_that_no_other_variant_has(root: Path, tmp_path: Path) -> None:
    traffic = lines({"pigeon": "x", "roof": 1}, {"pigeon": "y"})
    model, again = relearned(root, tmp_path, traffic, "Reach")
    assert again.dialect == {}
    variant = model.union("Reach").variants[-1]
    assert (variant.name, variant.has, variant.lacks) == ("Reach2", ("pigeon",), ("number", "address", "why"))


def test_integers_of_an_enum_are_learned_with_a_made_up_name(root: Path, tmp_path: Path) -> None:
    model, again = relearned(root, tmp_path, [b"5", b"-7"], "Weight")
    assert [(value.name, value.wire) for value in model.enum("Weight").values][-2:] == [
        ("value_5", 5),
        ("value_minus_7", -7),
    ]
    assert again.dialect == {}


def test_a_discriminator_of_a_new_variant_is_written_as_it_is(root: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    shutil.copytree(root / "tests/specs/forms", spec)
    traffic = [b'{"t":8}', b'{"t":8.0,"x":1}', b'{"t":-1}']
    (spec / "dialects").mkdir()
    (spec / "dialects/observed.yaml").write_text(to_yaml(explain(load(spec), traffic, "Loose").dialect))
    model = load(spec, "observed")
    assert [tag.constant for each in model.union("Loose").variants[-2:] for tag in model.struct(each.name).tags] == [
        8,
        -1,
    ]
    assert all(not line.unknown for line in explain(model, traffic, "Loose").lines)


@pytest.mark.parametrize(
    ("traffic", "left"),
    [
        ([{"type": ""}], ["/type"]),  # the language has no empty discriminator
        ([{"type": "\ud800"}], ["/type"]),  # nor half of a surrogate pair
        ([{"type": "hello", "nest": 1}], []),  # repaired: no declaration of it says more
    ],
)
def test_what_no_dialect_can_declare_is_left_out(parcel: Model, traffic: list[Any], left: list[str]) -> None:
    told = explain(parcel, lines(*traffic))
    assert [each.pointer for line in told.lines for each in line.unknown] == left
    assert told.dialect == {}


def test_a_dialect_names_what_it_differs_from(root: Path) -> None:
    history = root / "tests/specs/history"
    traffic = lines({"type": "new"})
    bases = [
        explain(load(history), traffic),
        explain(load(history, "early"), traffic),
        explain(load(root / "tests/specs/parcel"), traffic),
        explain(load(root / "tests/specs/parcel"), traffic, at_release=True),
    ]
    assert [list(each.dialect.items())[1] for each in bases] == [
        ("at", "0.3.330"),
        ("over", "early"),
        ("doc", "What was seen on the wire beyond the spec."),
        ("at", "1.4.0"),
    ]


def test_lines_are_explained_as_they_come(parcel: Model) -> None:
    def traffic() -> Iterator[bytes]:
        yield from lines({"type": "hello"})
        raise AssertionError("it has asked for the next line")

    explainer = Explainer(parcel)
    assert next(explainer.lines(traffic())).variant == "Hello"
    assert next(as_text(explainer, traffic())).startswith("line 1: Hello\n")
    assert next(as_json(explainer, traffic())).startswith('{"lines":[{"line":1,')


@pytest.mark.parametrize("framing", ["ndjson", "content-length", "sse"])
@pytest.mark.parametrize("begins", [b"", b"\n"])
def test_a_capture_has_lines_or_messages_as_they_are_framed(framing: str, begins: bytes) -> None:
    values: list[bytes] = [b'{"a":1}', b" ", b"[2]", b'"text"', b"-3", b"null"]
    plain = begins + b"\r\n".join(values)
    assert [each.strip() for each in found(plain, framing)] == [*([b""] if begins else []), *map(bytes.strip, values)]
    if framing != "ndjson":
        assert found(b"".join(framed(framing, each) for each in values), framing) == values


def found(data: bytes, framing: str) -> list[bytes]:
    read = list(messages(BytesIO(data), framing))
    assert not any(isinstance(each, Fault) for each in read)
    return [each for each in read if isinstance(each, bytes)]


@pytest.mark.parametrize("length", [9, 10, 11, 20])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_that_is_too_long_is_not_held(end: bytes, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "LIMIT", 8)
    short, long = b"1" * 8 + b"\r\n", b"1" * length
    first, fault, *rest = messages(BytesIO(short + long + end), "ndjson")
    assert (first, str(fault)[:9], rest) == (short, "too_long:", [])
    assert len(list(messages(BytesIO(short + long + b"\n" + short), "ndjson"))) == 3
    (framed_fault,) = messages(BytesIO(framed("sse", long)), "sse")
    assert isinstance(framed_fault, Fault)


def test_requests_and_notifications_of_one_name_are_kept_apart(root: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    shutil.copytree(root / "tests/specs/jsonrpc", spec)
    model = load(spec)
    told = next(each for each in model.controls if each.is_notification)
    asked = next(each for each in model.controls if not each.is_notification)
    traffic = lines(
        {"jsonrpc": "2.0", "method": asked.key, "params": {}},
        {"jsonrpc": "2.0", "method": told.key, "params": {"requestId": 1}, "more": 1},
    )
    (spec / "dialects").mkdir(exist_ok=True)
    (spec / "dialects/observed.yaml").write_text(to_yaml(explain(model, traffic).dialect))
    again = load(spec, "observed")
    news = [each for each in again.controls if each.key not in {one.key for one in model.controls}]
    assert [(each.key, each.is_notification) for each in news] == [(f"{asked.key}_2", True)]
    assert "more" in [field.name for field in again.struct(told.request).fields]


def test_any_text_survives_the_way_through_yaml(root: Path, tmp_path: Path) -> None:
    keys = [
        "a: b",
        "# c",
        "- d",
        "é\U0001f600",
        "null",
        "remove",
        'q"\\',
        "x\n\x00\u2028",
        "[e]",
        "{f",
        "*g",
        "&h",
        "1",
        "y",
    ]
    hello = {"type": "hello", **dict.fromkeys(keys, True), "sizes": 1}
    model, again = relearned(root, tmp_path, lines(hello))
    assert [f.name for f in model.struct("Hello").fields][4:] == sorted([*keys, "sizes"])
    assert again.dialect == {}


def test_what_the_language_can_not_say_is_told_and_left_out_of_the_dialect(parcel: Model) -> None:
    told = explain(parcel, lines({"type": "hello", "what?": 1, "": 2}, {"type": "new", "?": 1}))
    assert [each.pointer for each in told.lines[0].unknown] == ["/", "/what?"]
    assert "fields: {}" in to_yaml(told.dialect)
    assert "change:\n  unions:" in to_yaml(told.dialect)


def test_the_text_ends_with_the_dialect_and_counts_occurrences(parcel: Model) -> None:
    text = explain(parcel, lines({"type": "hello", "new": 1}, {"type": "hello"}, {"type": "zip"})).text
    assert text.endswith(
        "# A dialect that describes what is unknown above:\n"
        "dialect: observed\n"
        "doc: What was seen on the wire beyond the spec.\n"
        "change:\n"
        "  types:\n"
        "    Hello:\n"
        "      fields:\n"
        "        new?: {type: integer, observed: true}  # in 1 of 2\n"
        "  unions:\n"
        "    Line:\n"
        "      add: [Zip]\n"
        "add:\n"
        "  messages:\n"
        "    Zip:  # once\n"
        '      doc: "Seen on the wire, not described yet."\n'
        "      observed: true\n"
        "      from: van\n"
        "      tag:\n"
        '        type: "zip"\n'
        "      fields: {}\n"
    )


def test_variants_inside_what_is_unknown_are_told_apart(root: Path, tmp_path: Path) -> None:
    stops = [
        {"kind": "pick", "door": 4, "code": "x1"},
        {"kind": "drop", "sign": True, "who": "a b"},
        {"kind": "pick", "door": 5, "code": "x2"},
        {"kind": "drop", "sign": False, "who": "c d"},
    ]
    traffic = lines({"type": "note", "text": "a", "stops": stops})
    model, again = relearned(root, tmp_path, traffic)
    assert [line.unknown for line in again.lines] == [()]
    union = model.union("NoteStopsItem")
    assert (union.by, union.open, [each.name for each in union.variants]) == (
        "kind",
        True,
        ["NoteStopsItemPick", "NoteStopsItemDrop"],
    )


@pytest.mark.parametrize("name", ["parcel", "forms", "desk", "gate", "jsonrpc", "notices"])
def test_the_dialect_of_any_lines_has_no_errors_and_refuses_none_of_them(root: Path, tmp_path: Path, name: str) -> None:
    """The lines are those of fuzzing; only a name that one language cannot have is left to the reader."""
    protocol = Protocols(root / "tests/specs" / name).default
    drawn: dict[str, list[bytes]] = {}
    for document in islice(Corpus(protocol, [], seed=SEED).documents(), number(600, 6000)):
        if isinstance(document.content, str) and len(document.content) < 5000:
            text = document.content.encode("utf-8", "surrogatepass")
            (line,) = explain(protocol.model, [text], document.type).lines or (None,)
            if line is not None and line.unknown:
                drawn.setdefault(document.type, []).append(text)
    for turn, (type_, traffic) in enumerate(drawn.items()):
        spec = tmp_path / str(turn)
        shutil.copytree(root / "tests/specs" / name, spec)
        dialect = explain(protocol.model, traffic, type_).dialect
        if dialect:
            (spec / "dialects").mkdir(exist_ok=True)
            (spec / "dialects/observed.yaml").write_text(to_yaml(dialect), encoding="utf-8")
            report = check(spec, "observed")
            errors = [each for each in report.findings if each.severity == "error" and each.rule != "name-collision"]
            assert errors == [], to_yaml(dialect)
            assert report.model is not None
            again = explain(report.model, traffic, type_).lines
            assert [line.fault for line in again if line.fault] == [], to_yaml(dialect)
