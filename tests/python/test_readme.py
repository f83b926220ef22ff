"""The README of the package: its programs pass the type checkers and do what it says."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import agentlines as al
import pytest

from type_checkers import CHECKERS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "generated" / "python" / "README.md").read_text(encoding="utf-8")
SESSION = (ROOT / "tests" / "captures" / "0.2.37" / "tool_perm_updates.out.ndjson").read_bytes()
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def names_of(function: str) -> dict[str, Any]:
    """What the program that has a function defines."""
    [program] = [block for block in BLOCKS if f"def {function}(" in block]
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - our own
    return names


@pytest.mark.parametrize("checker", ["mypy", pytest.param("pyright", marks=pytest.mark.full)])
def test_every_program_passes_the_type_checkers(checker: str, tmp_path: Path) -> None:
    files = [tmp_path / f"block_{number}.py" for number in range(len(BLOCKS))]
    for file, block in zip(files, BLOCKS, strict=True):
        file.write_text(block, encoding="utf-8")
    assert len(files) == 4
    assert CHECKERS[checker](files) == []


def test_the_first_program_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b'x\n{"type":"novelty"}\n' + SESSION
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    exec(BLOCKS[0], {})  # noqa: S102 - our own
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [type(item).__name__ for item in al.Reader(io.BytesIO(SESSION))]
    assert shown.err.splitlines()[0].startswith("line 1: invalid_json")
    assert shown.err.splitlines()[1:] == ["newer than this package: {'type': 'novelty'}"]


def test_the_asynchronous_program_loses_nothing_to_a_timeout(capsys: pytest.CaptureFixture[str]) -> None:
    read = names_of("read")["read"]

    async def main(lines: bytes) -> None:
        stream = asyncio.StreamReader()
        reading = asyncio.create_task(read(stream, 0.05))
        for part in (lines[: len(lines) // 2], lines[len(lines) // 2 :]):
            await asyncio.sleep(0.12)
            stream.feed_data(part)
        stream.feed_eof()
        await reading

    asyncio.run(main(SESSION))
    shown = capsys.readouterr().out.splitlines()
    assert shown.count("still waiting") >= 2
    items = [line for line in shown if line != "still waiting"]
    assert items == [repr(item) for item in al.Reader(io.BytesIO(SESSION))]


def test_the_program_that_copies_writes_what_it_reads() -> None:
    target = io.BytesIO()
    names_of("copy")["copy"](io.BytesIO(SESSION + b"bad\n"), target)
    assert objects(target.getvalue().splitlines()) == objects(SESSION.splitlines())


def objects(lines: Iterable[bytes]) -> list[Any]:
    return [json.loads(line) for line in lines if line]


def test_the_program_that_answers_refuses() -> None:
    asked = al.request(al.InterruptRequest(), "7")
    answer = names_of("answer")["answer"](asked)
    with pytest.raises(al.ControlError, match="this program does not handle requests"):
        al.decode_response(asked, answer)


def test_every_name_of_the_package_in_it_exists() -> None:
    named = set(re.findall(r"agentlines\.(\w+)", README)) | set(re.findall(r"`(\w+)\(", README))
    modules = {"typed_dicts", "pydantic"}
    others = {"anext", "isinstance", "feed", "finish", "dump_json", "TypeAdapter", "validate_json"}
    assert len(named) > 20
    assert [name for name in sorted(named - modules - others) if not hasattr(al, name)] == []


def test_a_decoder_gives_its_last_line_when_it_ends() -> None:
    decoder = al.LineDecoder(al.KeepAliveMessage)
    assert list(decoder.feed(b'{"type":"keep_alive"}')) == []
    assert list(decoder.finish()) == [al.KeepAliveMessage()]
