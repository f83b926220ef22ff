"""Rows about the packages in JavaScript, Go and Rust, each measured by a program in that language."""

from __future__ import annotations

from functools import partial

import programs
from measure import Figure
from rows import row

PROCESSES = 3


def measured(language: str, pair: str) -> Figure:
    """Return the ratios of a pair, with the number of lines that both accept."""
    found = programs.ratio(language, pair)
    return Figure(found["ratios"], f"{found['accepted']:,} of {found['lines']:,} lines")


LISTING = "the listing with encoding/json"
SERDE = "serde derive on the same types"

PAIRS = {
    "javascript_decode_parse": ("JavaScript", "parse", "parse and check", "JSON.parse", 1.40, 1.25),
    "javascript_decode_ajv": ("JavaScript", "ajv", "parse and check", "JSON.parse and ajv standalone", 0.45, 0.35),
    "javascript_encode": ("JavaScript", "encode", "encode", "JSON.stringify", 2.0, 1.5),
    "javascript_strict": ("JavaScript", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "javascript_only": ("JavaScript", "only", "reading only results", "reading all", 0.35, 0.2),
    "go_decode": ("Go", "decode", "decode, lines both accept", LISTING, 0.30, 0.20),
    "go_encode": ("Go", "encode", "encode, per byte, lines both accept", LISTING, 0.40, 0.25),
    "go_marshal": ("Go", "marshal", "json.Marshal, per byte, lines both accept", LISTING, 1.5, 1.25),
    "go_marshal_own": ("Go", "copied", "json.Marshal", "json.Marshal of the ready text", 1.75, 1.5),
    "go_strict": ("Go", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "go_only": ("Go", "only", "reading only results", "reading all", 0.35, 0.20),
    "rust_decode": ("Rust", "decode", "decode, lines both accept", SERDE, 0.6, 0.4),
    "rust_encode": ("Rust", "encode", "encode, lines both accept", SERDE, 0.8, 0.6),
    "rust_read": ("Rust", "read", "reading a stream, lines both accept", f"{SERDE}, lines split by BufRead", 0.6, 0.4),
    "rust_serde_decode": ("Rust", "serde_decode", "through serde_json::from_str", "our decode", 1.5, 1.2),
    "rust_serde_encode": ("Rust", "serde_encode", "through serde_json::to_string", "our encode", 1.5, 1.2),
    "rust_to_string": ("Rust", "to_string", "serde_json::to_string, lines both accept", SERDE, 1.5, 1.2),
    "rust_strict": ("Rust", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "rust_only": ("Rust", "only", "reading only results", "reading all", 0.35, 0.2),
}
"""By row: its language, the pair's name in the program, the two things compared, must, aim."""

for _name, (_language, _pair, _what, _against, _must, _aim) in PAIRS.items():
    row(
        f"{_language} {_what}",
        _against,
        must=_must,
        aim=_aim,
        processes=PROCESSES,
        name=_name,
    )(partial(measured, _language, _pair))
