"""The fixture files of the minefield are generated from its tables, and its places accept valid values."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from conformance.minefield import place as places
from conformance.minefield.__main__ import FOLDER, files
from conformance.minefield.place import Place
from corpora import PROTOCOLS
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.case import load
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop
from polywire.oracle import reference

ROOT = Path(__file__).resolve().parents[2]
NO_C = """
import runpy, sys
sys.modules["_json"] = None
sys.argv = ["python.py", "stdlib", "{generated}"]
runpy.run_path("{here}/testees/python.py", run_name="__main__")
"""
"""Runs the testee of the Python package on an interpreter whose library has no JSON parser written in C."""

COMMAND = "PYTHONPATH=tests .venv/bin/python -m conformance.minefield"

RIGHT = {
    "DOCUMENT": '"refusal"',
    "CODE": "-32700",
    "TEXT": '"a"',
    "ITEM": '"a"',
    "ENUM": '"user"',
    "UUID": '"6ba7b810-9dad-41d1-80b4-00c04fd430c8"',
    "INTEGER": "1",
    "NUMBER": "1.5",
    "BOOLEAN": "true",
    "JSON": "[1]",
    "EXTRA": "[1]",
    "UNKNOWN": "[1]",
    "VALUE": '"a"',
    "KEY": '"a"',
    "EXTRA_KEY": '"x"',
    "UNTOUCHED_KEY": '"a"',
    "TAG": '"new"',
}
"""A valid spelling for each place, to ensure that a place does not reject every spelling for another reason."""

PLACES = {name: value for name, value in vars(places).items() if isinstance(value, Place)}


def test_the_files_are_what_the_tables_give() -> None:
    wanted = files()
    assert sorted(file.name for file in FOLDER.iterdir()) == sorted(wanted)
    stale = [name for name, text in wanted.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert stale == [], f"to fix: {COMMAND}"


def test_no_two_cases_are_the_same() -> None:
    cases = [case for name, text in files().items() if name[0] != "_" for case in json.loads(text)]
    asked = [json.dumps({key: value for key, value in case.items() if key not in {"doc", "expect"}}) for case in cases]
    assert [case for case, number in Counter(asked).items() if number > 1] == []


@pytest.mark.parametrize("name", PLACES)
def test_a_place_takes_what_is_right_there(name: str) -> None:
    place = PLACES[name]
    decoded = reference.decode(PROTOCOLS.default.model, place.type, place.with_(RIGHT[name]))
    assert decoded.variant == (place.variant or place.type)
    assert tuple(decoded.unknown) == place.unknown or name == "EXTRA_KEY"


def test_the_python_package_agrees_also_where_the_library_parses_in_python() -> None:
    testee = Testee("no-c", (sys.executable, "-c", NO_C), BUNDLED_TESTEES.parent, "python")
    with Workshop(ROOT) as workshop:
        result = run(load([FOLDER], PROTOCOLS), testee, workshop, PROTOCOLS.default, folder=ROOT, patience=60)
    assert result.problems == ()
    assert {verdict.outcome for verdict in result.verdicts} == {"passed"}
