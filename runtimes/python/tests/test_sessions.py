"""Sessions compared with a model of them, with steps in any order, and by several threads."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

PLACE = "15a80493-66e9-4466-ae3a-bcd607abc2e9"
IDS = st.sampled_from(["a", "b", "c", "d", "e"])
OURS = ["ask", "cancel", "answer", "misfit", "error"]
THEIRS = ["asked", "unheard", "reply", "wrong reply", "refuse", "drop"]
STEPS = st.lists(st.tuples(st.sampled_from([*OURS, *THEIRS, "other"]), IDS), max_size=60)

MEMORY = 3
"""The number of ids that sessions remember here, small enough for short scripts to exceed it."""


class Expected:
    """The state of a session and the expected outcome of each step, according to the written rules."""

    def __init__(self, *, answered: bool) -> None:
        self.answered = answered
        self.pending: dict[str, bool] = {}
        """Id → whether it is cancelled."""
        self.open: list[str] = []
        self.done: list[tuple[str, str]] = []
        self.ends = 0

    def step(self, what: str, id_: str) -> str:
        """The name of an event, a reason of a stray, the code of an error, or `sent`."""
        if what in {"answer", "misfit", "error"}:
            return self.ended(id_, {"answer": "Answer", "misfit": "InvalidAnswer", "error": "Failure"}[what])
        if what in {"ask", "cancel"}:
            return self.asks(what, id_)
        return self.about_theirs(what, id_)

    def asks(self, what: str, id_: str) -> str:
        if what == "ask":
            if id_ in self.pending:
                return "id_in_use"
            self.pending[id_] = False
            self.done = [each for each in self.done if each[0] != id_]
        elif id_ not in self.pending:
            return "not_pending"
        elif self.answered:
            self.pending[id_] = True
        else:
            self.end(id_, "late")
        return "sent"

    def about_theirs(self, what: str, id_: str) -> str:
        is_open = id_ in self.open
        if what == "asked" and not is_open:
            self.open.append(id_)
        if what in {"asked", "unheard"}:
            return "reused" if is_open else {"asked": "Request", "unheard": "UnknownRequest"}[what]
        if what == "other":
            return "Message"
        if not is_open:
            return "unknown" if what == "drop" else "not_open"
        if what == "wrong reply":
            return "wrong_type"
        if what != "drop" or not self.answered:
            self.open.remove(id_)
        return "Cancellation" if what == "drop" else "sent"

    def ended(self, id_: str, event: str) -> str:
        if id_ not in self.pending:
            return dict(self.done).get(id_, "unknown")
        cancelled = self.pending[id_]
        self.end(id_, "late" if cancelled else "repeated")
        return "late" if cancelled else event

    def end(self, id_: str, reason: str) -> None:
        del self.pending[id_]
        self.ends += 1
        self.done = [*self.done, (id_, reason)][-MEMORY:]


def done(runtime: Any, session: Any, what: str, id_: str) -> str:
    """The outcome of a step, in the terms of `Expected`."""
    model = runtime.model
    calls = {
        "ask": lambda: session.request(model.Look(at=PLACE), id_),
        "cancel": lambda: session.cancel(id_),
        "reply": lambda: session.reply(id_, "red"),
        "wrong reply": lambda: session.reply(id_, 5),
        "refuse": lambda: session.refuse(id_, "no"),
    }
    messages = {
        "answer": lambda: model.Answer(id=id_, result={"items": []}),
        "misfit": lambda: model.Answer(id=id_, result=5),
        "error": lambda: model.Refusal(id=id_, reason="no"),
        "asked": lambda: model.Ask(id=id_, request=model.Note(text="")),
        "unheard": lambda: model.Ask(id=id_, request=runtime.unknowns.UnknownCall(raw={"what": "x"})),
        "drop": lambda: model.Drop(id=id_),
        "other": lambda: model.Note(text=id_),
    }
    if what in calls:
        try:
            calls[what]()
        except (runtime.session.SessionError, runtime.base.EncodeError) as error:
            return str(error.code)
        return "sent"
    event = session.receive(messages[what]())
    name = type(event).__name__.removeprefix("Session")
    return str(event.reason) if name == "Stray" else name


@pytest.mark.parametrize("answered", [False, True], ids=["cancelled for good", "still answered"])
@given(steps=STEPS)
def test_whatever_happens_each_request_has_one_end_and_nothing_is_lost(
    runtime: Any, answered: bool, steps: list[tuple[str, str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime.session, "REMEMBERED", MEMORY)
        patch.setitem(runtime.pairs.SESSION, "answered", answered)
        session, expected = runtime.session.Session("client"), Expected(answered=answered)
        asked = 0
        for what, id_ in steps:
            right = expected.step(what, id_)
            assert done(runtime, session, what, id_) == right
            asked += what == "ask" and right == "sent"
            assert [id_ for id_, _ in session.pending()] == list(expected.pending)
            assert [each.id for each in session.unanswered()] == expected.open
            assert expected.ends + len(session.pending()) == asked
            assert len(session._done) <= MEMORY


@pytest.fixture
def client(runtime: Any) -> Any:
    return runtime.session.Session("client")


@pytest.fixture
def asked(runtime: Any, client: Any) -> Any:
    """A request from the peer."""
    return client.receive(runtime.model.Ask(id="1", request=runtime.model.Note(text="")))


def test_threads_may_share_a_session(runtime: Any, client: Any) -> None:
    model, errors = runtime.model, runtime.session.SessionError

    def ask(_: int) -> str:
        drawn, line = client.request(model.Look(at=PLACE))
        assert json.loads(line)["id"] == drawn
        return str(drawn)

    def try_to_reply(number: int) -> bool:
        try:
            client.reply(f"{number % 100}", "red")
        except errors as error:
            assert error.code == "not_open"  # noqa: PT017 - another thread was first
            return False
        return True

    for number in range(100):
        client.receive(model.Ask(id=f"{number}", request=model.Note(text="")))
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(ask, range(400)))
        answers = list(pool.map(client.receive, (model.Answer(id=each, result={"items": []}) for each in drawn * 2)))
        replied = list(pool.map(try_to_reply, range(300)))
    assert len(set(drawn)) == 400
    names = [type(each).__name__ for each in answers]
    assert (names.count("SessionAnswer"), names.count("SessionStray")) == (400, 400)
    assert sum(replied) == 100
    assert client.pending() == client.unanswered() == []


def test_strays_without_end_leave_nothing_behind(runtime: Any, client: Any) -> None:
    for number in range(5000):
        client.receive(runtime.model.Answer(id=f"{number}", result=None))
        client.receive(runtime.model.Drop(id=f"{number}"))
    assert (len(client._pending), len(client._open), len(client._done)) == (0, 0, 0)
    for _ in range(2000):
        client.cancel(client.request(runtime.model.Look(at=PLACE))[0])
    assert (len(client._pending), len(client._done)) == (0, 1024)


def test_a_request_is_answered_by_itself(runtime: Any, client: Any, asked: Any) -> None:
    assert json.loads(asked.reply("red")) == {"kind": "answer", "id": "1", "result": "red"}
    not_open = "not_open: the request '1' is answered, cancelled or"
    with pytest.raises(runtime.session.SessionError, match=not_open):
        asked.reply("red")
    with pytest.raises(runtime.session.SessionError, match=not_open):
        asked.refuse("no")
    with pytest.raises(runtime.session.SessionError, match=not_open):
        client.reply(asked, "red")


def test_an_old_request_does_not_answer_a_newer_one_of_its_id(runtime: Any, client: Any, asked: Any) -> None:
    asked.refuse("no", code=3, data={"x": 1})
    newer = client.receive(asked.envelope)
    assert newer == asked
    with pytest.raises(runtime.session.SessionError, match="not_open"):
        asked.reply("red")
    with pytest.raises(runtime.session.SessionError, match="not_open"):
        runtime.session.Session("client").reply(newer, "red")
    assert json.loads(newer.refuse("no", code=3)) == {"kind": "refusal", "id": "1", "reason": "no", "code": 3}


def test_events_match_and_print_what_they_have(runtime: Any, client: Any, asked: Any) -> None:
    session, model = runtime.session, runtime.model
    match client.receive(model.Answer(id="9")):
        case session.SessionStray(id_, reason, message):
            assert (id_, reason, message) == ("9", "unknown", model.Answer(id="9"))
        case other:
            pytest.fail(repr(other))
    assert repr(asked) == ("SessionRequest(id='1', payload=Note(text=''), envelope=Ask(id='1', request=Note(text='')))")
    stray = session.SessionStray("9", "late", None)
    assert copy.copy(stray) == stray != session.SessionStray("9", "unknown", None)
    with pytest.raises(AttributeError):
        stray.reason = "repeated"


def test_the_data_of_a_failure_is_typed_plain_null_or_none(runtime: Any, client: Any) -> None:
    model, UNSET = runtime.model, runtime.base.UNSET  # noqa: N806 - its name in the package
    sight: dict[str, Any] = {"items": []}
    for data, code, right in (
        (sight, 7, model.Sight(items=[])),
        (sight, 8, sight),
        ({"items": 5}, 7, {"items": 5}),
        (None, 7, None),
        (UNSET, None, UNSET),
    ):
        id_, _ = client.request(model.Look(at=PLACE))
        event = client.receive(model.Refusal(id=id_, reason="no", code=code, data=data))
        assert event == runtime.session.SessionFailure(id_, model.Look(at=PLACE), "no", code, right)


def mistakes(runtime: Any, client: Any) -> Iterator[tuple[Any, type[Exception], str]]:
    model, error = runtime.model, runtime.session.SessionError
    look = model.Look(at=PLACE)
    yield lambda: runtime.session.Session("clerk"), ValueError, "peer is 'clerk'; expected one of 'client', 'server'"
    yield lambda: client.receive(b"{}"), TypeError, "expected a message of the protocol, got bytes"
    yield lambda: client.receive({}), TypeError, "expected a message of the protocol, got dict"
    yield lambda: client.request("look"), error, "wrong_direction: this side does not send str"
    yield lambda: client.request(model.Sight(items=[])), error, "wrong_direction: this side does not send Sight"
    yield lambda: client.notify(look), error, "wrong_direction: this side does not send Look"
    yield lambda: client.request(look, 5), runtime.base.EncodeError, "wrong_type at /id"
    yield lambda: client.request(look, [1]), runtime.base.EncodeError, "wrong_type at /id"
    yield lambda: client.request(model.Look(at=5)), runtime.base.EncodeError, "wrong_type at /request/at"
    yield lambda: client.cancel("1"), error, "not_pending: '1' is not pending"


def test_mistakes_are_said_and_change_nothing(runtime: Any, client: Any) -> None:
    for mistake, kind, message in mistakes(runtime, client):
        with pytest.raises(kind, match=message):
            mistake()
    assert client.pending() == client.unanswered() == []


def test_a_session_may_be_subscripted_in_annotations(runtime: Any) -> None:
    assert runtime.session.Session[int].__origin__ is runtime.session.Session


def test_an_error_is_copied_and_printed(runtime: Any) -> None:
    error = runtime.session.SessionError("not_open", "it is answered")
    assert str(copy.copy(error)) == "not_open: it is answered"
    assert str(runtime.session.SessionError("not_open")) == "not_open"
