"""Rows about the packages in JavaScript, Go and Rust, each measured by a program in that language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TypeAlias

import programs
from measure import Figure
from rows import row

PROCESSES = 3


def measured(language: str, pair: str, **more: bool) -> Figure:
    """Return the ratios of a pair, with the number of lines that both accept."""
    found = programs.ratio(language, pair, **more)
    return Figure(found["ratios"], f"{found['accepted']:,} of {found['lines']:,} lines")


LISTING = "the listing with encoding/json"
SERDE = "serde derive on the same types"

Pair: TypeAlias = tuple[str, str, str, str, float, float]
"""Its language, the pair's name in the program, the two things compared, must, aim."""

PAIRS: dict[str, Pair] = {
    "javascript_decode_parse": ("JavaScript", "parse", "parse and check", "JSON.parse", 1.40, 1.25),
    "javascript_decode_ajv": ("JavaScript", "ajv", "parse and check", "JSON.parse and ajv standalone", 0.45, 0.35),
    "javascript_encode": ("JavaScript", "encode", "encode", "JSON.stringify", 2.0, 1.5),
    "javascript_strict": ("JavaScript", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "javascript_only": ("JavaScript", "only", "reading only results", "reading all", 0.35, 0.2),
    "go_decode": ("Go", "decode", "decode, lines both accept", LISTING, 0.26, 0.20),
    "go_encode": ("Go", "encode", "encode, per byte, lines both accept", LISTING, 0.40, 0.30),
    "go_marshal": ("Go", "marshal", "json.Marshal, per byte, lines both accept", LISTING, 1.5, 1.25),
    "go_marshal_own": ("Go", "copied", "json.Marshal", "json.Marshal of the ready text", 1.75, 1.5),
    "go_strict": ("Go", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "go_only": ("Go", "only", "reading only results", "reading all", 0.35, 0.20),
    "rust_decode": ("Rust", "decode", "decode, lines both accept", SERDE, 0.6, 0.4),
    "rust_encode": ("Rust", "encode", "encode, lines both accept", SERDE, 0.8, 0.6),
    "rust_read": ("Rust", "read", "reading a stream, lines both accept", f"{SERDE}, lines split by BufRead", 0.6, 0.4),
    "rust_serde_decode": ("Rust", "serde_decode", "through serde_json::from_str", "our decode", 1.5, 1.2),
    "rust_to_string": ("Rust", "to_string", "serde_json::to_string, lines both accept", SERDE, 1.0, 0.8),
    "rust_strict": ("Rust", "strict", "strict mode", "lenient mode", 1.2, 1.1),
    "rust_only": ("Rust", "only", "reading only results", "reading all", 0.35, 0.2),
}
SONIC = "sonic on the listing, warm"
PLAIN = "plain serde derive, without flatten"

SONIC_PAIRS: dict[str, Pair] = {
    "go_decode_sonic": ("Go", "decode", "decode, lines both accept", SONIC, 1.3, 1.0),
    "go_encode_sonic": ("Go", "encode", "encode, per byte, lines both accept", SONIC, 1.0, 0.8),
}
PLAIN_PAIRS: dict[str, Pair] = {
    "rust_decode_plain": ("Rust", "decode", "decode, stream events", PLAIN, 0.9, 0.7),
    "rust_encode_plain": ("Rust", "encode", "encode, stream events", PLAIN, 0.8, 0.6),
    "rust_to_string_plain": ("Rust", "to_string", "serde_json::to_string, stream events", PLAIN, 1.5, 1.2),
}


def _enter(pairs: Mapping[str, Pair], **more: bool) -> None:
    for name, (language, pair, what, against, must, aim) in pairs.items():
        enter = row(f"{language} {what}", against, must=must, aim=aim, processes=PROCESSES, name=name)
        enter(partial(measured, language, pair, **more))


_enter(PAIRS)
_enter(SONIC_PAIRS, other_peer=True)
_enter(PLAIN_PAIRS, other_peer=True, events=True)
