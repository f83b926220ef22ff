"""Dialects → the testee of the language that each is of, which is put to the test where there is one."""

from __future__ import annotations

OWN = {
    "goat-spec": "go",
    "goat-doc": "go",
    "miriad": "typescript",
    "chorus": "typescript",
    "rusty_claw": "rust",
    "rusty_claw-code": "rust",
}
