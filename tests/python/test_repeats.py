"""Lines that repeat earlier ones are read by what was learned from these, and come out no different for it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.instances import derive
from polywire.targets.python import TARGET
from rendered import generate, model_of

ROOT = Path(__file__).parents[2]


def delta(text: str = "The", index: int = 0) -> dict[str, object]:
    """The commonest line of a stream."""
    event = {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}
    return {
        "type": "stream_event",
        "event": event,
        "session_id": "15a80493-66e9-4466-ae3a-bcd607abc2e9",
        "parent_tool_use_id": None,
        "uuid": "e5446dd4-552b-42f6-be3e-dc0a1ef2a4f0",
    }


DELTA = delta()

TOKENS = [
    *('""', '"é → 🙂"', r'"a \"word\" \\ \u00e9 \n"', r'"\ud83d\ude42"', r'"\ud83d"', '"text_delta"', '"\ufdd10"'),
    *('"\n"', r'"\x"', r'"\u12"', '"a', "null", "1", "{}", '["x"]', '"x","y":"z"', '""}'),
]
"""What stands in the place of a text: other texts, and what is none."""


def dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


@contextmanager
def alone(folder: Path, module: str) -> Iterator[Any]:
    """The package in `folder` as a machine without orjson imports it, which has not read anything."""

    def parts() -> list[str]:
        return [name for name in sys.modules if name.split(".")[0] in {module, "orjson"}]

    before = {name: sys.modules.pop(name) for name in parts()}
    sys.modules["orjson"] = None  # type: ignore[assignment]  # what makes an import fail
    sys.path.insert(0, str(folder))
    try:
        package = importlib.import_module(module)
        for part in ("_repeats", "_slow", "_wire"):
            importlib.import_module(f"{module}.{part}")
        yield package
    finally:
        sys.path.remove(str(folder))
        for name in parts():
            del sys.modules[name]
        sys.modules.update(before)


@pytest.fixture
def package() -> Iterator[Any]:
    """The package of this protocol, which has not read anything."""
    with alone(ROOT / "generated" / "python", "agentproto") as package:
        yield package


def outcome(decode: Callable[[], Any]) -> tuple[object, ...]:
    """What came out: the object in words, or the code and the place of the error."""
    try:
        return (repr(decode()),)
    except ValueError as error:
        return (type(error).__name__, getattr(error, "code", None), getattr(error, "path", None))


def agree(package: Any, line: bytes) -> None:
    """Hold `decode`, whatever it has learned, against the pass that knows tables only."""
    by_tables = outcome(lambda: package._slow.decode(line, "WireMessage", strict=False))
    assert outcome(lambda: package.decode(line)) == by_tables, line


def refuse(*_: object) -> None:
    pytest.fail("the parser was asked")


# --- what is learned -------------------------------------------------------------------------------------------


def test_the_third_line_that_differs_in_texts_alone_needs_no_parser(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("The", " file"):
        package.decode(dump(delta(text)))
    monkeypatch.setattr(package._wire, "_scan", refuse)
    message = package.decode(dump(delta(" reads") | {"session_id": "other", "uuid": "é\n"}))
    assert message == package.PartialAssistantMessage(
        event=package.ContentBlockDeltaEvent(index=0, delta=package.TextDelta(text=" reads")),
        session_id="other",
        parent_tool_use_id=None,
        uuid="é\n",
    )


def test_what_a_newer_peer_adds_is_learned_with_the_rest(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = DELTA | {"api_message_id": "msg_1", "hints": {"lists": [["x", 1.5, True]]}}
    for _ in range(2):
        package.decode(dump(newer))
    monkeypatch.setattr(package._wire, "_scan", refuse)
    one = package.decode(dump(newer | {"api_message_id": "msg_2"}))
    other = package.decode(dump(newer))
    assert one.extra == {"api_message_id": "msg_2", "hints": {"lists": [["x", 1.5, True]]}}
    one.extra["hints"]["lists"][0][0] = "changed"
    assert other.extra == {"api_message_id": "msg_1", "hints": {"lists": [["x", 1.5, True]]}}


def test_lines_of_another_shape_with_the_same_head_are_still_read(package: Any) -> None:
    for _ in range(2):
        package.decode(dump(DELTA))
    assert len(package._wire._readers) == 1
    assert package.decode(dump(DELTA | {"parent_tool_use_id": "toolu_1"})).parent_tool_use_id == "toolu_1"
    assert package.decode(dump(DELTA | {"added": 1})).extra == {"added": 1}


def test_a_member_that_a_later_one_overwrites_is_not_taken_for_it(package: Any) -> None:
    line = dump(DELTA)[:-1] + b',"uuid":"last"}'
    for _ in range(3):
        assert package.decode(line).uuid == "last"
    assert package._wire._readers == {}


def test_only_lines_read_as_any_message_teach_and_profit(package: Any) -> None:
    for _ in range(3):
        package.decode(dump(DELTA), package.PartialAssistantMessage)
        package.decode(dump(DELTA), strict=True)
    assert package._wire._readers == {}


def test_lines_that_begin_with_a_text_of_their_own_have_no_reader(package: Any) -> None:
    for _ in range(3):
        package.decode(dump({"uuid": DELTA["uuid"], "session_id": DELTA["session_id"]} | DELTA))
    assert package._wire._readers == {}


def test_learning_ends_and_leaves_nothing_behind(package: Any) -> None:
    learner = package._repeats.Learner({}, 96, package.decode)
    looks = [learner.look(json.dumps({"key": "x" * 90, "number": number})) for number in range(5000)]
    assert looks.count(True) == package._repeats._LINES - 1
    assert len(learner._earlier) <= package._repeats._KEPT
    for number in range(5000):
        package.decode(dump({"type": "keep_alive", "number": number}))
    assert (package._wire._learner, package._wire._learning) == (None, False)


def test_no_more_readers_are_made_than_one_can_keep(package: Any) -> None:
    for index in range(200):
        for _ in range(2):
            package.decode(dump(delta(index=index)))
    assert len(package._wire._readers) == package._repeats._ATTEMPTS
    assert package._wire._learning is False


# --- what comes out is what always came out --------------------------------------------------------------------


def test_a_fault_anywhere_in_such_a_line_is_found(package: Any) -> None:
    line = dump(DELTA | {"api_message_id": "msg_1"})
    for _ in range(2):
        package.decode(line)
    assert len(package._wire._readers) == 1
    for at in range(len(line)):
        agree(package, line[:at] + line[at + 1 :])
        for other in (b'"', b"\\", b"}", b"x", b"\n", b"\xff", b"0"):
            agree(package, line[:at] + other + line[at + 1 :])
            agree(package, line[:at] + other + line[at:])


def test_any_texts_come_out_as_they_are(package: Any) -> None:
    for _ in range(2):
        package.decode(dump(DELTA))
    assert len(package._wire._readers) == 1

    @given(st.text(), st.text(), st.text(), st.booleans())
    def hold(one: str, two: str, three: str, escaped: bool) -> None:
        line = delta(one) | {"session_id": two, "uuid": three}
        message = package.decode(json.dumps(line, separators=(",", ":"), ensure_ascii=escaped).encode())
        assert (message.event.delta.text, message.session_id, message.uuid) == (one, two, three)

    hold()


@pytest.mark.parametrize(
    ("spec", "dialect"), [("spec", None), *(("tests/specs/parcel", each) for each in (None, "courier", "terse"))]
)
def test_texts_of_every_type_vary_only_where_they_decide_nothing(
    spec: str, dialect: str | None, tmp_path: Path
) -> None:
    model = model_of(ROOT / spec, dialect)
    generate(TARGET, model, tmp_path)
    rng = Random(11)  # noqa: S311 - a choice of cases, no secret
    constants = {tag.constant for struct in model.structs for tag in struct.tags}
    tokens = TOKENS + [json.dumps(constant) for constant in sorted(constants, key=str)]
    tried = 0
    with alone(tmp_path, model.packages["python"].get("module") or model.protocol.name) as package:
        for instance in derive(model, seed=5, random=1):
            if instance.lenient.ok and len(instance.text) < 600 and rng.random() < SHARE[spec]:
                tried += hold(package, instance.text, instance.type, rng.sample(tokens, 12))
    assert tried > 300


SHARE = {"spec": 0.06, "tests/specs/parcel": 1.0}
"""Of the instances, so that it does not take longer than the rest of this file."""


def hold(package: Any, text: str, type_: str, tokens: list[str]) -> int:
    """Make a reader of an instance, if one can be made, and hold it against the slow pass; how often it was tried."""
    repeats, wire = package._repeats, package._wire
    try:
        message_of = wire._decoder(type_)
        read = repeats._reader(text, 0, lambda text: message_of(wire._parse(text)))
    except Exception:  # noqa: BLE001 - there are many reasons why lines have no reader
        return 0
    spans = [found.span() for found in repeats._TEXTS.finditer(text) if found[1] is None]
    tried = 0
    for start, end in spans:
        for token in tokens:
            line = text[:start] + token + text[end:]
            try:
                message = read(line)
            except ValueError:  # which `decode` answers by asking the slow pass
                continue
            if message is not None:
                tried += 1
                assert (repr(message),) == outcome(lambda line=line: package._slow.decode(line, type_, strict=False))
    return tried
