# pyright: basic
"""The inputs and outputs of tools, by the tool's name, with the types that the protocol declares for them."""

from __future__ import annotations

from ._pairs import INPUT_PATTERNS, INPUTS, OUTPUT_PATTERNS, OUTPUTS
from ._wire import from_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["tool_input", "tool_output"]


def tool_input(name: str, input: Any, *, strict: bool = False) -> Any:
    """The input of a tool, as its declared type; unchanged if the tool is not declared."""
    code = INPUTS.get(name) or _matching(INPUT_PATTERNS, name)
    return input if code is None else from_value(input, code, strict=strict)


def tool_output(name: str, output: Any, *, strict: bool = False) -> Any:
    """The output of a tool, as its declared type; unchanged if the tool is not declared."""
    code = OUTPUTS.get(name) or _matching(OUTPUT_PATTERNS, name)
    return output if code is None else from_value(output, code, strict=strict)


def _matching(patterns: dict[str, Any], name: str) -> Any:
    """The entry of the first pattern that matches a name; `*` matches any text."""
    for pattern, code in patterns.items():
        start, *middle, end = pattern.split("*")
        if len(name) < len(start) + len(end) or not (name.startswith(start) and name.endswith(end)):
            continue
        at, last = len(start), len(name) - len(end)
        for part in middle:
            at = name.find(part, at, last) + len(part)
            if at < len(part):
                break
        else:
            return code
    return None
