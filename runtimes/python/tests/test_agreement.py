"""Documents generated from the rows, valid and corrupted: all ways to read them agree on the outcome and the value."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polywire_runtime._table import ROWS
from ways import outcome, same

anyhow = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)

UNTOUCHED = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=5),
    "boolean": st.booleans(),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60),
    "integer": st.integers(-(2**53) + 1, 2**53 - 1),
    "uuid": st.uuids().map(str) | st.text(max_size=3),
    "timestamp": st.just("2024-01-01T00:00:00Z") | st.text(max_size=3),
    "json": UNTOUCHED,
    "object": st.dictionaries(st.text(max_size=3), UNTOUCHED, max_size=3),
    "null": st.none(),
}


def values(type_: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Valid values of a type, including those that only lenient mode accepts."""
    match type_:
        case str() if type_ in SCALARS:
            return SCALARS[type_]
        case str():
            return declared(json.loads(ROWS[type_]), depth)
        case ["[]", item, *_]:
            return st.lists(values(item, depth + 1), max_size=0 if depth > 5 else 3)
        case ["{}", item, key]:
            keys = st.text(max_size=3) if key is None else keys_of(json.loads(ROWS[key]))
            return st.dictionaries(keys, values(item, depth + 1), max_size=0 if depth > 5 else 3)
        case ["|", members]:
            return st.one_of(
                [values(each, depth + 1) for kind, each in members.items() if depth < 6 or kind == "string"]
            )
        case _:
            raise AssertionError(type_)


def keys_of(enum: Any) -> st.SearchStrategy[str]:
    known = st.sampled_from([str(each) for each in enum[4]])
    return known | st.text(max_size=3) if enum[3] else known


def declared(row: Any, depth: int) -> st.SearchStrategy[Any]:
    match row:
        case ["enum", _, base, is_open, listed]:
            known = st.sampled_from(listed)
            return known | SCALARS[base] if is_open else known
        case ["alias", _, meant]:
            return st.deferred(lambda: values(meant, depth + 1))
        case ["struct", _, members, extra, _]:
            return objects(members, extra, depth)
        case ["union", _, is_open, _, dispatch]:
            structs = sorted(set(structs_of(dispatch)))
            known = st.one_of([st.deferred(lambda each=each: values(each, depth)) for each in structs])  # type: ignore[misc]
            return known | unknown(dispatch, known) if is_open else known
        case _:
            raise AssertionError(row)


def unknown(dispatch: Any, known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    if dispatch[0] == "keys":
        told = {key for present, *_ in dispatch[2] for key in present}
        return st.dictionaries(st.text(max_size=2).filter(lambda key: key not in told), UNTOUCHED, max_size=3)
    return st.builds(lambda value, tag: {**value, dispatch[2]: tag}, known, st.text(max_size=9))


def structs_of(dispatch: Any) -> list[str]:
    match dispatch:
        case str():
            return [dispatch]
        case ["switch", _, _, cases, _, absent]:
            return [each for _, then in cases for each in structs_of(then)] + structs_of(absent)
        case ["keys", _, cases]:
            return [each for *_, then in cases for each in structs_of(then)]
        case _:
            return []


@st.composite
def objects(draw: st.DrawFn, members: Any, extra: Any, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    flat: dict[str, Any] = {}
    for member in members:
        match member:
            case ["=", key, value]:
                made[key] = value
            case ["?", key, _, value]:
                if draw(st.booleans()):
                    made[key] = value
            case ["#", key, _, optional, listed, others]:
                known = json.loads(ROWS[listed])[4] if isinstance(listed, str) else listed
                more = st.just("error_new") if others else st.nothing()
                if not optional or draw(st.booleans()):
                    made[key] = draw(st.sampled_from(known) | more)
            case [".", key, _, flags, type_, *claimed]:
                if not flags & 1 and (depth > 4 or draw(st.booleans())):
                    continue
                value = draw(
                    values(type_, depth + 1) | (st.none() if flags & 2 or not (flags & 5 or claimed) else st.nothing())
                )
                if flags & 4:
                    flat = value
                elif not claimed or value not in claimed[0]:
                    made[key] = value
    if not any(member[0] == "." and member[3] & 4 for member in members) and draw(st.booleans()):
        made[draw(st.text(max_size=4)) + "+"] = draw(UNTOUCHED if extra is None else values(extra, depth + 1))
    made = {**flat, **made}
    return {key: made[key] for key in draw(st.permutations(list(made)))}


WRONG = st.sampled_from([None, True, 0, -1.5, 2**53, "", "note", [], {}, [None], {"kind": 1}]).map(copy.deepcopy)


@st.composite
def spoilt(draw: st.DrawFn, type_: str) -> Any:
    """A valid document in which some values have been replaced, removed or added."""
    document = copy.deepcopy(draw(values(type_)))
    for _ in range(draw(st.integers(1, 2))):
        places = [(None, None), *containers(document)]
        holder, step = draw(st.sampled_from(places))
        if holder is None:
            if draw(st.integers(0, 9)) == 0:
                return draw(WRONG)
        elif draw(st.booleans()):
            holder[step] = draw(WRONG)
        elif isinstance(holder, dict):
            del holder[step]
        else:
            holder.append(draw(WRONG))
    return document


def containers(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a value: its container, and the key or index."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        found += [(value, step), *containers(item)]
    return found


def outcomes(either: tuple[Any, Any], document: Any, type_: str, *, strict: bool) -> list[Any]:
    """The outcome of every way to read a document: the object and its written form, or code and path."""
    text = json.dumps(document)
    found: list[Any] = []
    for runtime in either:
        wire = runtime.wire
        for way, data in (
            (wire.decode, text),
            (wire.decode, text.encode()),
            (lambda *given, strict: runtime.wire.examine(*given, strict=strict).value, text),  # noqa: B023 - called at once
            (wire.from_dict, json.loads(text)),
        ):
            result = outcome(runtime, way, data, type_, strict=strict)
            if isinstance(result, runtime.base.DecodeError):
                found.append((result.code, result.path, result.message))
            else:
                found.append((repr(result), wire.encode(result, type_)))
    return found


@pytest.mark.parametrize("type_", ROWS)
def test_valid_documents_are_read_alike_and_written_as_they_were(either: tuple[Any, Any], type_: str) -> None:
    @anyhow
    @given(document=values(type_))
    def agree(document: Any) -> None:
        found = outcomes(either, document, type_, strict=False)
        assert len(set(found)) == 1
        _, written = found[0]
        assert same(json.loads(written), json.loads(json.dumps(document)))
        for runtime in either:
            again = runtime.wire.decode(written, type_)
            assert runtime.wire.encode(again, type_) == written
            assert again == runtime.wire.decode(json.dumps(document), type_)
        assert len(set(outcomes(either, document, type_, strict=True))) == 1

    agree()


@pytest.mark.parametrize("type_", ROWS)
@pytest.mark.parametrize("strict", [False, True])
def test_spoilt_documents_have_one_verdict(either: tuple[Any, Any], type_: str, strict: bool) -> None:
    @anyhow
    @given(document=spoilt(type_))
    def agree(document: Any) -> None:
        found = outcomes(either, document, type_, strict=strict)
        assert len(set(found)) == 1

    agree()
