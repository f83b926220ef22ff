"""Lines of a session → mutants with one fault each that is an error in lenient mode, and who rejects them.

Skipping checks must not improve a figure: every measured package has to reject every mutant.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import peers
import programs
from corpus import dump, session
from polywire.model.build import build
from polywire.model.nodes import Model, Struct
from polywire.oracle import reference
from polywire.source import load
from polywire.source.types import Scalar, Type

COUNT = 5_000

JSON, INTEGER = Scalar("json"), Scalar("integer")
STRINGS: tuple[Type, ...] = (Scalar("string"), Scalar("uuid"), Scalar("timestamp"))
NUMBERS: tuple[Type, ...] = (INTEGER, Scalar("number"))
SCALARS = (*STRINGS, *NUMBERS, Scalar("boolean"), Scalar("object"))

Mutation = Callable[[Any, Struct, random.Random], bool]
"""Changes an object of that struct in place so that it has one fault; returns False if that is not possible."""


def drop_a_required_member(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Leave out a field, or a tag, that must be there."""
    required = [f.name for f in struct.wire_fields if f.required] + [t.key for t in struct.tags if not t.optional]
    present = [name for name in required if name in value]
    if present:
        del value[rng.choice(present)]
    return bool(present)


def null_a_required_member(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put null where a value must be."""
    names = [f.name for f in struct.wire_fields if f.required and not f.nullable and f.type != JSON]
    return put(value, [name for name in names if name in value], None, rng)


def put_an_array(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put a list where the type has none."""
    return put(value, [f.name for f in struct.wire_fields if f.name in value and f.type in SCALARS], [], rng)


def put_a_boolean(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put true where text or a number must be."""
    kinds = STRINGS + NUMBERS
    return put(value, [f.name for f in struct.wire_fields if f.name in value and f.type in kinds], True, rng)


def put_a_fraction(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put a number with a fraction where an integer must be."""
    return put(value, [f.name for f in struct.wire_fields if f.name in value and f.type == INTEGER], 0.5, rng)


def put_too_large_an_integer(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put an integer beyond 2^53 - 1."""
    return put(value, [f.name for f in struct.wire_fields if f.name in value and f.type == INTEGER], 2**53, rng)


def give_a_tag_another_kind(value: Any, struct: Struct, rng: random.Random) -> bool:
    """Put a number where a tag must be."""
    return put(value, [tag.key for tag in struct.tags if tag.key in value], 7, rng)


def put(value: Any, names: list[str], what: object, rng: random.Random) -> bool:
    """Put something under one of the names, if there is one."""
    if names:
        value[rng.choice(names)] = what
    return bool(names)


STRUCTURAL: tuple[Mutation, ...] = (
    drop_a_required_member,
    null_a_required_member,
    put_an_array,
    put_a_boolean,
    put_a_fraction,
    put_too_large_an_integer,
    give_a_tag_another_kind,
)

TEXTUAL: dict[str, Callable[[bytes], bytes]] = {
    "cut it short": lambda line: line[:-1],
    "put text behind it": lambda line: line + b"x",
    "put a byte order mark before it": lambda line: b"\xef\xbb\xbf" + line,
    "put a byte into it that is not UTF-8": lambda line: line[:-1] + b',"x":"\xff"}',
    "put a NaN into it": lambda line: line[:-1] + b',"x":NaN}',
    "overflow a double in it": lambda line: line[:-1] + b',"x":1e999}',
    "nest it too deep": lambda line: line[:-1] + b',"x":' + b"[" * 128 + b"]" * 128 + b"}",
    "put a raw control character into it": lambda line: line[:-1] + b',"x":"\x01"}',
    "end it with a comma": lambda line: line[:-1] + b",}",
}


def mutants(model: Model, lines: list[bytes], seed: int = 2) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each fault and a line that has it; the reference also rejects every one of them."""
    rng = random.Random(seed)  # noqa: S311  (a repeatable choice, no secret)
    rules = reference.rules(model)
    root = model.protocol.roots[0]
    for number, line in enumerate(lines):
        if number % 4 == 0:
            name, change = rng.choice(list(TEXTUAL.items()))
            yield name, change(line)
            continue
        value = json.loads(line)
        structs = [(at, name) for at, name in rules.decode(root, value, strict=False).trail if declares(model, name)]
        for mutate in rng.sample(STRUCTURAL, len(STRUCTURAL)) if structs else ():
            at, name = rng.choice(structs)
            mutant = copy.deepcopy(value)
            if mutate(follow(mutant, at), model.struct(name), rng) and is_error(rules, root, mutant):
                yield (mutate.__doc__ or "").splitlines()[0].rstrip("."), dump(mutant)
                break


def is_error(rules: reference.Rules, root: str, value: Any) -> bool:
    """Ask the reference, since some changes are not errors: a replay without its tag is a message of another type."""
    try:
        rules.decode(root, value, strict=False)
    except reference.Fault:
        return True
    return False


def declares(model: Model, name: str) -> bool:
    """Return whether the name is that of a struct, rather than a union or an Unknown."""
    return isinstance(model.declarations.get(name), Struct)


def follow(value: Any, at: str) -> Any:
    """Return the value that a JSON Pointer refers to."""
    for step in at.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key) if isinstance(value, list) else key]
    return value


def collect() -> list[bytes]:
    """Return `COUNT` mutants of lines that are not the measured ones."""
    model = build(load(peers.ROOT / "spec")).model
    if model is None:
        raise SystemExit("the spec has findings; run polywire lint")
    made = [line for _, line in islice(mutants(model, session(2 * COUNT, seed=3)), COUNT)]
    if len(made) < COUNT:
        raise SystemExit(f"only {len(made)} mutants could be made; expected {COUNT}")
    return made


def python(file: Path, *, orjson: bool) -> dict[str, int]:
    """Count the errors of the Python package by code; exit if it accepts a line."""
    package = peers.package(orjson=orjson)

    def code_of(line: bytes) -> str:
        try:
            package.decode(line)
        except package.DecodeError as error:
            return str(error.code)
        raise SystemExit(f"accepted a mutant: {line!r}")

    return Counter(code_of(line) for line in peers.lines_of(file))


WHO: dict[str, Callable[[Path], dict[str, int]]] = {
    "Python": partial(python, orjson=False),
    "Python with orjson": partial(python, orjson=True),
    **{language: partial(programs.codes, language) for language in programs.PROGRAMS},
}
"""The packages that must reject every mutant: each function returns the errors by code, and fails if a line is
accepted."""


def rejected(who: str) -> str:
    """Run all mutants through a package, which must reject them. Returns the codes with their counts."""
    codes = WHO[who](peers.shared("mutants", collect))
    if sum(codes.values()) != COUNT:
        raise SystemExit(f"{who} was given {sum(codes.values())} mutants; expected {COUNT}")
    return ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
