"""Captured lines of JSON → a catalog: the shape of the lines, and requests with their responses where ids pair them.

Lines with `"jsonrpc": "2.0"`, some of them requests, are read as JSON-RPC. In other lines, a request is a variant with
an id that a line of another variant repeats; its payload is the object in it that has its own discriminator.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from polywire.ground.words import counted
from polywire_import.envelopes import add_envelopes
from polywire_import.infer import discriminator, infer, members_of, samples
from polywire_import.shapes import (
    Anything,
    Call,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Member,
    Object,
    OneOf,
    Ref,
    Shape,
    Written,
)

Json: TypeAlias = Any
Line: TypeAlias = "dict[str, Json]"
MAX_BYTES = 256 * 1024 * 1024
ROOT = "Message"
_MOST_LOOKED_AT = 3
"""Maximum nesting of objects in which an id is searched for."""
_PAIRED = 0.5
"""Minimum share of responses whose request was seen: captures may start late."""
_MOST_PLACES = 12
"""Maximum number of places with the same value; a value with more places is not an id."""


def read(paths: Sequence[Path]) -> Catalog:
    """Return the catalog of some captures, each a conversation. Raises `ImportingError`."""
    sessions = _sessions(paths)
    lines = [line for session in sessions for line in session]
    if not lines:
        raise ImportingError(f"{', '.join(map(str, paths))}: no line is JSON")
    catalog = Catalog()
    if all(line.get("jsonrpc") == "2.0" for line in lines) and any({"id", "method"} <= line.keys() for line in lines):
        _json_rpc(catalog, sessions)
        return catalog
    pairing = _pairing(sessions)
    if pairing is not None:
        _enveloped(catalog, sessions, pairing)
        return catalog
    _declare(catalog, ROOT, infer(lines), len(lines))
    catalog.roots = [ROOT]
    catalog.messages[ROOT] = "both"
    catalog.note("guessed", "", f"everything, from {counted(len(lines), 'line')}")
    return catalog


def _sessions(paths: Sequence[Path]) -> list[list[Line]]:
    """Return the lines of each conversation; `NAME.in.ndjson` and `NAME.out.ndjson` are the two sides of one."""
    found: dict[str, list[Line]] = {}
    for path in paths:
        name = re.sub(r"\.(in|out)(?=\.[^.]*$)", "", str(path))
        found.setdefault(name, []).extend(_lines(path))
    return list(found.values())


def _declare(catalog: Catalog, name: str, shape: Shape, number: int) -> None:
    catalog.declarations[name] = Declared(name, shape, "", remark=samples(number))


def _lines(path: Path) -> list[Line]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ImportingError(f"{path}: the file has more than {MAX_BYTES} bytes; take a part of it")
        data = path.read_bytes()
    except OSError as error:
        raise ImportingError(f"{path}: {error.strerror or error}") from error
    found = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.strip():
            found.append(_line(path, number, raw))
    return found


def _line(path: Path, number: int, raw: bytes) -> Line:
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ImportingError(f"{path}:{number}: the line is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ImportingError(f"{path}:{number}: expected an object a line")
    return value


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON value")


# --- JSON-RPC --------------------------------------------------------------------------------------------------


def _json_rpc(catalog: Catalog, sessions: Sequence[Sequence[Line]]) -> None:
    asked: dict[str, list[Line]] = {}
    lines_of: dict[str, list[Line]] = {}
    answers: dict[str, list[Json]] = {}
    ids: list[Json] = []
    errors: list[Json] = []
    for session in sessions:
        waiting: dict[str, str] = {}
        for line in session:
            method = line.get("method")
            if isinstance(method, str) and "id" in line:
                ids.append(line["id"])
                asked.setdefault(method, []).append(line)
                waiting[json.dumps(line["id"])] = method
            elif isinstance(method, str):
                lines_of.setdefault(method, []).append(line)
            elif "result" in line:
                answered = waiting.pop(json.dumps(line.get("id")), None)
                if answered is not None:
                    answers.setdefault(answered, []).append(line["result"])
                else:
                    catalog.note("lost", "", f"an answer to {json.dumps(line.get('id'))[:40]}, which was not requested")
            elif "error" in line:
                errors.append(line["error"])
                waiting.pop(json.dumps(line.get("id")), None)
    for method, lines in asked.items():
        catalog.calls.append(_call(catalog, method, lines, answers.get(method)))
    for method, lines in lines_of.items():
        catalog.calls.append(_call(catalog, method, lines, None, answered=False))
    if errors:
        _declare(catalog, "ErrorObject", _with_data(infer(errors, "/error")), len(errors))
    identifier = infer(ids, "/id") if ids else None
    add_envelopes(catalog, ["client", "server"], identifier, Ref("ErrorObject") if errors else None)


def _with_data(error: Shape) -> Shape:
    """Return the type of `error` in responses to failed requests, with its optional `data`."""
    if isinstance(error, Object) and all(each.name != "data" for each in error.members):
        return replace(error, members=(*error.members, Member("data", Anything(), required=False)))
    return error


def _call(
    catalog: Catalog, method: str, lines: Sequence[Line], answers: Sequence[Json] | None, *, answered: bool = True,
    but: frozenset[str] = frozenset({"jsonrpc", "id", "method"}),
) -> Call:  # fmt: skip
    bodies = [{key: value for key, value in line.items() if key not in but} for line in lines]
    members: tuple[Member, ...] = ()
    for key in dict.fromkeys(key for body in bodies for key in body):
        each = [body[key] for body in bodies if key in body]
        remark = None if len(each) == len(bodies) else f"in {len(each)} of {len(bodies)}"
        shape = infer(each, f"{method}/{key}")
        members = (*members, Member(key, shape, remark is None, remark=remark, place=f"{method}/{key}"))
    if answered and answers is None:
        catalog.note("guessed", method, "no answer was seen; any is taken")
    result: Shape | None = infer(answers, f"{method} answer") if answers else Anything()
    return Call(method, "both", members, answered, result if answered else None, place=samples(len(lines)))


# --- other envelopes -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pairing:
    """Where requests and responses have the id that pairs them; pointers are tuples of keys."""

    key: str
    request: str
    request_id: tuple[str, ...]
    payload: tuple[str, ...]
    by: str
    response: str
    response_id: tuple[str, ...]
    result: tuple[str, ...]


_Where: TypeAlias = "tuple[str, tuple[str, ...]]"
"""A variant of the lines, and a place in it."""


def _scalars(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict) and len(path) < _MOST_LOOKED_AT:
        for key, each in value.items():
            if isinstance(each, (str, int)) and not isinstance(each, bool):
                yield (*path, key), json.dumps(each)
            else:
                yield from _scalars(each, (*path, key))


def _pairing(sessions: Sequence[Sequence[Line]]) -> _Pairing | None:
    lines = [line for session in sessions for line in session]
    key = discriminator(lines)
    if key is None:
        return None
    totals: Counter[_Where] = Counter()
    labels = Counter(str(line.get(key)) for line in lines)
    found: Counter[tuple[_Where, _Where]] = Counter()
    for session in sessions:
        where: dict[str, Counter[_Where]] = {}
        for line in session:
            label = str(line.get(key))
            for path, value in _scalars(line):
                if path != (key,):
                    totals[label, path] += 1
                    where.setdefault(value, Counter())[label, path] += 1
        for places in where.values():
            found.update(_pairs(places))
    for ((ask, ask_id), (answer, answer_id)), number in found.most_common(40):
        if number < 2 or number < totals[answer, answer_id] * _PAIRED:
            continue
        if totals[ask, ask_id] < labels[ask] or totals[answer, answer_id] < labels[answer]:
            continue  # a line without an id is not an envelope
        made = _payload(lines, key, ask, ask_id, answer, answer_id)
        if made is not None:
            return made
    return None


def _pairs(places: Mapping[_Where, int]) -> Iterator[tuple[_Where, _Where]]:
    """Yield the places that one value may pair if it is an id: the first is a member of its line.

    It occurs once in each, and where both are the same member, in that member of no third variant.
    """
    single = [place for place, times in places.items() if times == 1]
    if len(single) > _MOST_PLACES:
        return
    users = Counter(path for _, path in places)
    for ask in single:
        for answer in single:
            if ask[0] != answer[0] and len(ask[1]) == 1 and (ask[1] != answer[1] or users[ask[1]] == 2):
                yield ask, answer


def _payload(
    lines: Sequence[Line], key: str, ask: str, ask_id: tuple[str, ...], answer: str, answer_id: tuple[str, ...]
) -> _Pairing | None:
    """Complete a pairing with the requested object and the member of the response; None if they do not exist."""
    asked = [line for line in lines if str(line.get(key)) == ask]
    answered = [line for line in lines if str(line.get(key)) == answer]
    for name in dict.fromkeys(name for line in asked for name in line):
        objects = [line[name] for line in asked if isinstance(line.get(name), dict)]
        by = _tag(objects) if len(objects) == len(asked) else None
        if by is None:
            continue
        around = [_at(line, answer_id[:-1]) for line in answered]
        for result in dict.fromkeys(k for each in around if isinstance(each, dict) for k in each):
            if result != answer_id[-1] and any(isinstance(each.get(result), dict) for each in around):
                return _Pairing(key, ask, ask_id, (name,), by, answer, answer_id, (*answer_id[:-1], result))
    return None


def _tag(objects: Sequence[Line]) -> str | None:
    """Return the member that says what an object requests: the discriminator, or a word common to a single kind."""
    found = discriminator(objects)
    if found is not None:
        return found
    common = [k for k in objects[0] if all(isinstance(each.get(k), str) for each in objects)] if objects else []
    return next((k for k in common if len({each[k] for each in objects}) == 1), None)


def _at(value: Json, path: Sequence[str]) -> Json:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _enveloped(catalog: Catalog, sessions: Sequence[Sequence[Line]], found: _Pairing) -> None:
    lines = [line for session in sessions for line in session]
    answers: dict[str, list[Json]] = {}
    for session in sessions:
        waiting: dict[str, str] = {}
        for line in session:
            label = str(line.get(found.key))
            if label == found.request:
                waiting[json.dumps(_at(line, found.request_id))] = str(_at(line, (*found.payload, found.by)))
            elif label == found.response:
                method = waiting.get(json.dumps(_at(line, found.response_id)))
                result = _at(line, found.result)
                if method is not None and isinstance(result, dict):
                    answers.setdefault(method, []).append(result)
    asked: dict[str, list[Line]] = {}
    for line in lines:
        if str(line.get(found.key)) == found.request:
            body = _at(line, found.payload)
            asked.setdefault(str(body.get(found.by)), []).append(body)
    for method, bodies in asked.items():
        catalog.calls.append(_call(catalog, method, bodies, answers.get(method), but=frozenset({found.by})))
    union = "RequestPayload"
    body = {"open": True, "by": found.by, "variants": []}
    catalog.declarations[union] = Declared(union, Written(union, "unions", body), "", "The payload of a request.",
                                           remark=samples(sum(map(len, asked.values()))))  # fmt: skip
    _declare(catalog, ROOT, _lines_with(infer(lines), found, union, lines), len(lines))
    catalog.roots = [ROOT]
    catalog.messages[ROOT] = "both"
    ids = [_at(line, found.request_id) for line in lines if str(line.get(found.key)) == found.request]
    catalog.header["control"] = {
        **({"ids": {"draw": "counter"}} if all(isinstance(each, int) for each in ids) else {}),
        "request": {
            "envelope": _Envelope(found.key, found.request),
            "id": _pointer(found.request_id),
            "payload": _pointer(found.payload),
            "by": found.by,
        },
        "response": {
            "envelope": _Envelope(found.key, found.response),
            "id": _pointer(found.response_id),
            "result": _pointer(found.result),
        },
    }
    _split_envelopes(catalog)
    catalog.note("guessed", "", f"{found.request} is answered by {found.response}, paired by "
                 f"{_pointer(found.request_id)} and {_pointer(found.response_id)}")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A placeholder for the declaration of a variant that has no name yet."""

    key: str
    value: str


def _split_envelopes(catalog: Catalog) -> None:
    """Declare the variants that are envelopes separately, so that the control block can name them."""
    root = catalog.declarations[ROOT]
    control = catalog.header["control"]
    if not isinstance(root.shape, OneOf) or not isinstance(control, Mapping):
        return
    members = list(root.shape.members)
    for side in (control["request"], control["response"]):
        wanted = side["envelope"]
        for number, member in enumerate(members):
            if isinstance(member, Object) and any(
                each.name == wanted.key and each.shape == Literal(wanted.value) for each in member.members
            ):
                name = "".join(word.capitalize() for word in wanted.value.replace("-", "_").split("_"))
                catalog.declarations[name] = Declared(name, member, member.place)
                members[number] = Ref(name)
                side["envelope"] = Ref(name)
    catalog.declarations[ROOT] = replace(root, shape=replace(root.shape, members=tuple(members)))


def _lines_with(shape: Shape, found: _Pairing, union: str, lines: Sequence[Line]) -> Shape:
    """Return the lines' shape with the union of requests in its place, and payloads of responses untyped."""
    if not isinstance(shape, OneOf):
        return shape
    variants: dict[Shape, None] = {}
    labels = Counter(_label(each, found.key) for each in shape.members)
    for each in shape.members:
        label = _label(each, found.key)
        if label in {found.request, found.response} and labels[label] > 1 and isinstance(each, Object):
            alike = [line for line in lines if str(line.get(found.key)) == label]
            place = f"[{found.key}={label}]"
            each = Object(tuple(members_of(alike, place, but=frozenset({found.key}))), place=place)  # noqa: PLW2901
        variants[each] = None
    done: list[Shape] = []
    for each in variants:
        label = _label(each, found.key)
        if isinstance(each, Object) and label == found.request:
            done.append(_with(each, found.payload, found.request_id, Ref(union)))
        elif isinstance(each, Object) and label == found.response:
            done.append(_with(each, found.result, found.response_id, Anything()))
        else:
            done.append(each)
    return replace(shape, members=tuple(done))


def _label(shape: Shape, key: str) -> str | None:
    if isinstance(shape, Object):
        for member in shape.members:
            if member.name == key and isinstance(member.shape, Literal):
                return str(member.shape.value)
    return None


def _with(shape: Object, path: Sequence[str], identifier: Sequence[str], inner: Shape) -> Object:
    """Return an envelope with a shape inserted at a path; its other members, except the id, become optional."""

    def put(member: Member) -> Member:
        if member.name == path[0]:
            return replace(member, shape=_inside(member.shape, path[1:], identifier[1:], inner))
        if member.name == identifier[0] or isinstance(member.shape, Literal):
            return member
        return replace(member, required=False)

    return replace(shape, members=tuple(put(member) for member in shape.members))


def _inside(shape: Shape, path: Sequence[str], identifier: Sequence[str], inner: Shape) -> Shape:
    match shape:
        case _ if not path:
            return inner
        case Object():
            return _with(shape, path, identifier, inner)
        case OneOf():
            return replace(shape, members=tuple(_inside(each, path, identifier, inner) for each in shape.members))
    return shape


def _pointer(path: Sequence[str]) -> str:
    return "".join(f"/{each}" for each in path)
