"""The package of a JSON-RPC protocol: ids of two types, results of every type, errors with typed data."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "specs" / "jsonrpc"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package."""
    out = tmp_path_factory.mktemp("jsonrpc")
    words = ["-m", "polywire", "generate", "--spec", SPEC, "--out", out, "--target", "python"]
    subprocess.run([sys.executable, *map(str, words)], check=True, capture_output=True)
    return out / "python"


@pytest.fixture(scope="module")
def shelf(package: Path) -> Iterator[Any]:
    sys.path.insert(0, str(package))
    yield importlib.import_module("shelf")
    sys.path.remove(str(package))


@pytest.fixture
def find(shelf: Any) -> Any:
    return shelf.request(shelf.FindCall(params=shelf.FindParams(title="x")), "a")


@pytest.fixture
def sort(shelf: Any) -> Any:
    return shelf.request(shelf.SortCall(params=shelf.SortParams(by="title")), 7)


def raised(shelf: Any, request: Any, response: Any) -> Any:
    """The error in a response, after the response was encoded and decoded."""
    with pytest.raises(shelf.ControlError) as caught:
        shelf.decode_response(request, shelf.decode(shelf.encode(response)))
    return caught.value


def test_ids_are_counted_and_may_be_texts(shelf: Any, find: Any) -> None:
    first, second = (shelf.request(shelf.PingCall()).id for _ in range(2))
    assert (type(first), second) == (int, first + 1)
    assert find.id == "a"
    assert shelf.reply(find, None).id == "a"


def test_a_list_a_number_null_and_an_object_are_results(shelf: Any, find: Any) -> None:
    place = shelf.Place(shelf=1, from_=2.5)
    for result, text in ((None, b"null"), (place, b'{"shelf":1,"from":2.5}'), ([place], b'[{"shelf":1,"from":2.5}]')):
        line = shelf.encode(shelf.reply(find, result))
        assert line == b'{"jsonrpc":"2.0","id":"a","result":' + text + b"}"
        assert shelf.decode_response(find, shelf.decode(line)) == result
    count = shelf.request(shelf.CountCall(), 1)
    assert shelf.encode(shelf.reply(count, 3)) == b'{"jsonrpc":"2.0","id":1,"result":3}'
    with pytest.raises(shelf.EncodeError, match="wrong_type"):
        shelf.reply(count, "3")
    listed = shelf.request(shelf.ListCall(), 2)
    assert shelf.decode_response(listed, shelf.reply(listed, [])) == []
    with pytest.raises(shelf.EncodeError, match="missing_field at /0/title"):
        shelf.reply(listed, [{}])


def test_no_result_null_and_a_value_are_three_things(shelf: Any, sort: Any) -> None:
    for result, text in ((shelf.UNSET, b"{}"), (None, b"null"), ("title", b'"title"')):
        line = shelf.encode(shelf.reply(sort, result))
        assert line == b'{"jsonrpc":"2.0","id":7,"result":' + text + b"}"
        assert shelf.decode_response(sort, shelf.decode(line)) == result
    ping = shelf.request(shelf.PingCall(), 1)
    assert shelf.decode_response(ping, shelf.reply(ping)) is None


def test_an_error_has_its_code_and_typed_data(shelf: Any, find: Any, sort: Any) -> None:
    found = raised(shelf, find, shelf.refuse(find, "busy"))
    assert (found.message, found.code, found.data) == ("busy", -32603, None)
    missing = shelf.MissingBook(title="x", near=["y"])
    found = raised(shelf, find, shelf.refuse(find, "gone", code=-32002, data=missing))
    assert (found.code, found.data) == (-32002, missing)
    locked = shelf.LockedShelf(until="2025-01-01T00:00:00Z")
    assert raised(shelf, sort, shelf.refuse(sort, "locked", data=locked)).data == locked
    assert raised(shelf, find, shelf.refuse(find, "gone", code=-32002, data=[1])).data == [1]


def test_an_error_without_an_id_answers_no_request(shelf: Any) -> None:
    came = shelf.decode(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}')
    assert (type(came), came.id) == (shelf.RpcError, None)


def test_a_request_that_is_not_declared_is_refused_as_unknown(shelf: Any) -> None:
    came = shelf.decode(b'{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}')
    line = shelf.encode(shelf.refuse(came, "no such method"))
    assert line == b'{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}'


def test_notifications_and_cancellations_have_their_envelope(shelf: Any, sort: Any) -> None:
    assert shelf.encode(shelf.notify(shelf.ClosedNotice())) == b'{"jsonrpc":"2.0","method":"notifications/closed"}'
    cancelled = shelf.encode(shelf.cancel(sort))
    assert cancelled == b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    assert shelf.decode(cancelled) == shelf.cancel(sort)
    with pytest.raises(TypeError, match="expected a notification"):
        shelf.notify(shelf.PingCall())


def test_a_tag_may_stand_in_place_of_a_field_of_a_mixin(shelf: Any) -> None:
    book = shelf.decode(b'{"title":"x","mark":{"kind":"slip","text":"y"}}', shelf.Book)
    assert book.mark == shelf.Slip(text="y")
    assert isinstance(book.mark, shelf.HasMarked)


def test_a_protocol_without_tools_offers_nothing_for_them(shelf: Any) -> None:
    assert not hasattr(shelf, "tool_input")
    assert not hasattr(shelf, "tool_output")


@pytest.mark.full
def test_a_protocol_may_have_notifications_alone(tmp_path: Path) -> None:
    words = ["generate", "--spec", SPEC.parent / "notices", "--out", tmp_path, "--target", "python"]
    subprocess.run([sys.executable, "-m", "polywire", *map(str, words)], check=True, capture_output=True)
    assert _checked(tmp_path / "python", "news").startswith("Success: no issues found in ")


def _checked(package: Path, module: str) -> str:
    """The output of mypy for a module."""
    command = [sys.executable, "-m", "mypy", "--strict", module]
    return subprocess.run(command, cwd=package, capture_output=True, text=True, check=False).stdout


@pytest.mark.full
def test_type_checkers_accept_the_package(package: Path) -> None:
    assert _checked(package, "shelf") == "Success: no issues found in 22 source files\n"
