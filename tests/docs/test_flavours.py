"""The programs of `docs/flavours.md` run on a captured line, with the results that the page describes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TYPED_DICTS, PYDANTIC = BLOCK.findall((ROOT / "docs" / "flavours.md").read_text(encoding="utf-8"))[:2]
SESSION = ROOT / "tests" / "captures" / "0.2.37" / "api_fallback_model.out.ndjson"
LINE = next(line for line in SESSION.read_bytes().split(b"\n") if b'"type":"assistant"' in line)


def ran(program: str) -> dict[str, Any]:
    """Run a program on the line; return its global names."""
    names: dict[str, Any] = {"line": LINE}
    exec(compile(program, "flavours.md", "exec"), names)  # noqa: S102 - our own page
    return names


def test_a_typed_dict_is_what_json_gives_and_the_known_blocks_are_told_from_others() -> None:
    names = ran(TYPED_DICTS)
    assert names["message"] == json.loads(LINE)
    assert names["is_known"](names["message"]["message"]["content"][0])
    assert not names["is_known"]({"type": "new"})


def test_a_model_writes_what_it_has_read() -> None:
    names = ran(PYDANTIC)
    written = names["adapter"].dump_json(names["message"], by_alias=True, exclude_unset=True)
    assert json.loads(written) == json.loads(LINE)
