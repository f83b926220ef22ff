"""Regenerates `tests/fixtures/minefield`: `PYTHONPATH=tests .venv/bin/python -m conformance.minefield`."""

from __future__ import annotations

import json
from pathlib import Path

from . import of_numbers, of_shape, of_text
from .place import ROOT_TYPE, page

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "minefield"

CLASSES = (
    of_numbers.numbers,
    of_numbers.huge_numbers,
    of_numbers.doubles,
    of_text.strings,
    of_text.escapes,
    of_text.surrogates,
    of_text.encodings,
    of_shape.literals,
    of_shape.structure,
    of_shape.keys,
    of_shape.duplicate_keys,
    of_shape.nesting,
    of_shape.white_space,
    of_shape.truncated,
    of_shape.trailing,
)
"""The functions that make the cases; each fixture file is named after its function."""


def files() -> dict[str, str]:
    """Return the text of every file of the folder, by name."""
    return {
        "_defaults.json": json.dumps({"type": ROOT_TYPE}) + "\n",
        **{f"{each.__name__}.json": page(each()) for each in CLASSES},
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
