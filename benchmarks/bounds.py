"""Inputs on which a package might use too much memory or time to decode or encode them, and what it uses.

For any line and mode, memory is bounded by 100 × the line + 1 MB, and time is linear in the line's length. Both are
counted rather than timed: allocated bytes, and steps (executed lines or blocks of code).
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import peers
import programs

MODES = ("lenient", "strict", "examine", "encode")
"""Three modes of decoding, and the encoding of what the first one returns."""

SMALL, LARGE = 32_768, 131_072
"""The lengths between which the growth of steps is measured."""

SPARE = 1_000_000
"""Bytes that every line may use, however short it is."""

USER = '{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"role":"user","content":'
BLOCK = '{"type":"text","text":"a"}'

SHAPES: dict[str, tuple[str, str, str]] = {
    "small numbers in untouched JSON": (USER + '"a"},"tool_use_result":[', "0,", "0]}"),
    "small arrays in untouched JSON": (USER + '"a"},"tool_use_result":[', "[],", "[]]}"),
    "long numbers in untouched JSON": (USER + '"a"},"tool_use_result":[', "9" * 4_000 + ",", "0]}"),
    "deep objects in untouched JSON": (USER + '"a"},"tool_use_result":[', '{"a":' * 120 + "0" + "}" * 120 + ",", "0]}"),
    "escapes in untouched JSON": (USER + '"a"},"tool_use_result":"', "\\u00e9", '"}'),
    "escapes in a text": (USER + '"', "\\n", '"}}'),
    "content blocks": (USER + "[", BLOCK + ",", BLOCK + "]}}"),
    "unknown content blocks": (USER + "[", '{"type":"x"},', BLOCK + "]}}"),
    "unknown members": (USER + '"a"}', ',"k@":0', "}"),
    "nulls of optional members": (USER + "[", '{"type":"text","text":"a","cache_control":null},', BLOCK + "]}}"),
    "one key again and again": (USER + '"a"}', ',"uuid":"a"', "}"),
    "a fault after content blocks": (USER + "[", BLOCK + ",", '{"type":"text"}]}}'),
    "a syntax error at the end": (USER + "[", BLOCK + ",", "]}}"),
    "white space": (USER + '"a"}', " ", "}"),
}
"""The beginning, the repeated part and the end of a line; `@` is replaced by the index of the repetition."""


def line(shape: str, length: int) -> bytes:
    """Return a line of that shape and approximate length."""
    head, part, tail = SHAPES[shape]
    count = max(1, (length - len(head) - len(tail)) // len(part))
    return (head + "".join(part.replace("@", str(number)) for number in range(count)) + tail).encode()


@dataclass(frozen=True, slots=True)
class Bound:
    """The resources used to decode a line in a mode, or to encode its value."""

    shape: str
    mode: str
    length: int
    bytes: int
    steps: int


def counted(language: str) -> list[Bound]:
    """Measure every shape in every mode, in both lengths."""
    cases = [(shape, line(shape, length)) for shape in SHAPES for length in (SMALL, LARGE)]
    lines = [text for _, text in cases]
    count = partial(python, lines) if language == "Python" else partial(programs.bounds, language, lines)
    found: list[dict[str, Any]] = peers.once(f"bounds_{language}", count)
    by_mode = {mode: [one for one in found if one["mode"] == mode] for mode in MODES}
    return [
        Bound(shape, mode, len(text), one["bytes"], one["steps"])
        for mode in MODES
        for (shape, text), one in zip(cases, by_mode[mode], strict=True)
    ]


def memory(bounds: list[Bound]) -> tuple[float, str]:
    """Return the most bytes per byte of a line, beyond the allowance for every line, with the shape and mode."""
    worst = max(bounds, key=lambda bound: (bound.bytes - SPARE) / bound.length)
    return max(0.0, (worst.bytes - SPARE) / worst.length), f"{worst.shape}, {worst.mode}"


def growth(bounds: list[Bound]) -> tuple[float, str]:
    """Return the largest growth of steps per byte from the small line to the large one, with the shape and mode."""
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    ratios = [
        ((large.steps / large.length) / (small.steps / small.length), large)
        for small, large in pairs
        if small.steps  # a line that does not decode has no value to encode
    ]
    ratio, worst = max(ratios, key=lambda pair: pair[0])
    return ratio, f"{worst.shape}, {worst.mode}"


# --- Python ----------------------------------------------------------------------------------------------------


def python(lines: list[bytes]) -> list[dict[str, Any]]:
    """Measure the Python package: its peak memory, and the executed lines and calls of its code."""
    package = peers.package(orjson=False)
    modes: dict[str, Callable[[bytes], object]] = {
        "lenient": package.decode,
        "strict": lambda text: package.decode(text, strict=True),
        "examine": package.examine,
    }
    values: dict[bytes, object] = {}

    def run(mode: str, text: bytes) -> object:
        if mode == "encode":
            value = values[text]
            return None if isinstance(value, package.DecodeError) else package.encode(value)
        try:
            return modes[mode](text)
        except package.DecodeError as error:
            return error

    for text in lines:
        values[text] = run("lenient", text)
    for mode in MODES:
        for text in lines:
            run(mode, text)  # compiles what is compiled at first use
    return [
        {"mode": mode, "bytes": peak(run, mode, text), "steps": steps(run, mode, text)}
        for text in lines
        for mode in MODES
    ]


def peak(run: Callable[..., object], *arguments: object) -> int:
    """Return the peak number of bytes allocated during a call."""
    tracemalloc.start()
    run(*arguments)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def steps(run: Callable[..., object], *arguments: object) -> int:
    """Count the Python lines executed in a call, and the function calls, including those of C functions."""
    count = 0

    def trace(_frame: FrameType, _event: str, _value: object) -> Any:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)
    sys.setprofile(trace)
    try:
        run(*arguments)
    finally:
        sys.setprofile(None)
        sys.settrace(None)
    return count
