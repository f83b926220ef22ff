"""Checking a randomly mutated spec always returns a report that can be printed."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polywire.checks import RULES, Report, check, check_all, render
from polywire.checks.text import acts
from polywire.source.tree import LINE_BREAK

pytestmark = pytest.mark.full  # checks the spec as a whole for each mutation

Mutation = Callable[[random.Random, bytes], bytes]

ROUNDS = 4
"""The number of reports for each kind of mutation and file; all of them take a few seconds."""

SIGNS = ["{", "}", "[", "]", "*", "&", "!", "|", "?", ":", "#", "'", '"', "\t", "\u202e", "\x85", "~", "🙂"]
VALUES = [b"", b"null", b"[]", b"{}", b"1", b"-1e999", b"true", b"json", b"remove", b"[[], {}]", b'"\\u202e"']


def delete_lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + chance.randint(1, 3) :])


def duplicate_lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    return b"".join([*lines[:to], *lines[at : at + chance.randint(1, 4)], *lines[to:]])


def swap_words(chance: random.Random, data: bytes) -> bytes:
    words = list(re.finditer(rb"[\w*?./-]+", data))
    one, other = sorted(chance.sample(words, 2), key=lambda word: word.start())
    between = data[one.end() : other.start()]
    return data[: one.start()] + other.group() + between + one.group() + data[other.end() :]


def truncate(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def put_bytes(chance: random.Random, data: bytes) -> bytes:
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        data = data[:at] + chance.randbytes(chance.randint(1, 3)) + data[at + chance.randint(0, 3) :]
    return data


def put_signs(chance: random.Random, data: bytes) -> bytes:
    sign = chance.choice(
        ["{", "}", "[", "]", "*", "&", "!", "|", "?", ":", "#", "'", '"', "\t", "\u202e", "\x85", "~", "🙂"]
    )
    at = chance.randrange(len(data))
    return data[:at] + sign.encode() + data[at:]


def misspell_keys(chance: random.Random, data: bytes) -> bytes:
    key = chance.choice(list(re.finditer(rb"(\w+)\??:", data)))
    letters = bytearray(key.group(1))
    letters[chance.randrange(len(letters))] = chance.choice(b"abcXYZ_09-")
    return data[: key.start(1)] + bytes(letters) + data[key.end(1) :]


def change_values(chance: random.Random, data: bytes) -> bytes:
    value = chance.choice(list(re.finditer(rb": (\S[^\n]*)\n", data)))
    other = chance.choice(
        [b"", b"null", b"[]", b"{}", b"1", b"-1e999", b"true", b"json", b"remove", b"[[], {}]", b'"\\u202e"']
    )
    return data[: value.start(1)] + other + data[value.end(1) :]


MUTATIONS: list[Mutation] = [
    delete_lines,
    duplicate_lines,
    swap_words,
    truncate,
    put_bytes,
    put_signs,
    misspell_keys,
    change_values,
]


@pytest.fixture(scope="module")
def parcel(root: Path) -> Path:
    return root / "tests" / "specs" / "parcel"


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml"))


def test_the_spec_that_is_mutated_is_itself_without_fault(parcel: Path) -> None:
    dialects = [None, *(Path(file).stem for file in files_of(parcel / "dialects"))]
    assert {name: check(parcel, name, strict=True).findings for name in dialects} == dict.fromkeys(dialects, ())


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_mutated_spec_gives_a_report_that_can_be_printed(mutate: Mutation, parcel: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    shutil.copytree(parcel, spec)
    found = 0
    for file in files_of(parcel):
        original = (parcel / file).read_bytes()
        dialect = Path(file).stem if file.startswith("dialects/") else None
        for round_ in range(ROUNDS):
            mutated = mutate(random.Random(f"{mutate.__name__} {file} {round_}"), original)  # noqa: S311 - no secret
            (spec / file).write_bytes(mutated)
            report = check(spec, dialect, strict=True)
            found += bool(report.findings)
            assert_printable(report)
        (spec / file).write_bytes(original)
    assert found > ROUNDS


@pytest.mark.parametrize("mutate", [swap_words, delete_lines, duplicate_lines, misspell_keys, change_values])
def test_a_mutated_history_gives_a_report_on_all_releases(mutate: Mutation, root: Path, tmp_path: Path) -> None:
    history, spec = root / "tests" / "specs" / "history", tmp_path / "spec"
    shutil.copytree(history, spec)
    found = 0
    for file in ("protocol.yaml", "worked.yaml", "more.yaml"):
        original = (history / file).read_bytes()
        for round_ in range(ROUNDS):
            mutated = mutate(random.Random(f"{mutate.__name__} {file} {round_}"), original)  # noqa: S311 - no secret
            (spec / file).write_bytes(mutated)
            report = check_all(spec, strict=True, targets=["python", "typescript"])
            found += bool(report.findings)
            assert_printable(report)
        (spec / file).write_bytes(original)
    assert found > ROUNDS


def assert_printable(report: Report) -> None:
    for finding in report.findings:
        assert finding.rule in RULES
        place, text = finding.place, report.texts.get(finding.place.file)
        assert place.file
        assert place.line >= 1
        assert place.column >= 1
        if text is not None:
            lines = LINE_BREAK.split(text)
            assert place.line <= len(lines)
            assert place.column <= len(lines[place.line - 1]) + 1
    assert render(report, "json").endswith("\n")
    for printed in (render(report), render(report, "github")):
        assert [c for c in printed if c != "\n" and acts(c)] == []
        assert bool(printed) is bool(report.findings)
