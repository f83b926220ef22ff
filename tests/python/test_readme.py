"""The README of the package: its programs pass the type checkers and behave as described."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import agentlines as al
import pytest
from agentlines import tables

from python.type_checkers import CHECKERS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "generated" / "python" / "README.md").read_text(encoding="utf-8")
SESSION = (ROOT / "tests" / "captures" / "0.2.37" / "tool_perm_updates.out.ndjson").read_bytes()
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def names_of(function: str) -> dict[str, Any]:
    """The names that are defined by the program that contains a function."""
    [program] = [block for block in BLOCKS if f"def {function}(" in block]
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - our own README
    return names


@pytest.mark.full
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_every_program_passes_the_type_checkers(checker: str, tmp_path: Path) -> None:
    files = [tmp_path / f"block_{number}.py" for number in range(len(BLOCKS))]
    for file, block in zip(files, BLOCKS, strict=True):
        file.write_text(block, encoding="utf-8")
    assert len(files) == 10
    assert CHECKERS[checker](files) == []


def test_the_first_program_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b'x\n{"type":"novelty"}\n' + SESSION
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    exec(BLOCKS[0], {})  # noqa: S102 - our own README
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [type(item).__name__ for item in al.Reader(io.BytesIO(SESSION))]
    assert shown.err.splitlines()[0].startswith("line 1: invalid_json")
    assert shown.err.splitlines()[1:] == ["newer than this package: {'type': 'novelty'}"]


def test_the_program_of_a_session_refuses_what_it_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    asked = al.encode(al.request(al.PermissionRequest(tool_name="Bash", input={}, tool_use_id="t"), "1"))
    unheard = b'{"type":"control_request","request_id":"2","request":{"subtype":"telepathy"}}'
    keep_alive = b'{"type":"keep_alive"}'
    out = io.BytesIO()
    names_of("run")["run"](io.BytesIO(b"\n".join([asked, b"x", unheard, keep_alive])), out)
    responses = [json.loads(line)["response"] for line in out.getvalue().splitlines()]
    assert responses == [
        {"subtype": "error", "request_id": "1", "error": "this program does not handle requests"},
        {"subtype": "error", "request_id": "2", "error": "unknown request"},
    ]
    assert capsys.readouterr().out == "SessionMessage(message=KeepAliveMessage())\n"


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


def test_the_program_that_starts_another_sends_the_first_request(tmp_path: Path) -> None:
    program = tmp_path / "program"
    code = "import sys\nprint(sys.argv[1:])\nprint(sys.stdin.readline(), end='')\n"
    program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    program.chmod(0o755)
    options = al.QueryOptions(model="a\nb", system_prompt="ü", cwd=str(tmp_path))
    with names_of("start")["start"](str(program), options) as process:
        arguments, request = process.communicate()[0].decode().splitlines()
    assert arguments.endswith("'--model', 'a\\nb']")
    payload = al.decode(request, al.ControlRequest).request
    assert isinstance(payload, al.InitializeRequest)
    assert payload.system_prompt == ["ü"]


def test_the_program_that_talks_to_another_shows_what_comes_and_refuses_what_is_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    code = """
import json, sys
asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"}
for each in [{"type": "keep_alive"}, {"type": "control_request", "request_id": "1", "request": asked}]:
    print(json.dumps(each), flush=True)
print("x", flush=True)
sys.stdin.readline()
print(json.loads(sys.stdin.readline())["response"]["error"], file=sys.stderr)
print(json.dumps({"type": "keep_alive", "refused": True}))
sys.exit(3)
"""
    program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    program.chmod(0o755)
    talk = names_of("talk")["talk"]
    assert asyncio.run(asyncio.wait_for(talk(str(program), al.QueryOptions()), 600)) == 3
    shown = capfd.readouterr().out.splitlines()
    assert shown[0] == "KeepAliveMessage()"
    assert shown[1].startswith("line 3: invalid_json")
    assert shown[2:] == ["KeepAliveMessage(extra={'refused': True})"]


@pytest.mark.full
def test_the_program_that_counts_rows_and_the_command_have_the_rows_of_the_table(tmp_path: Path) -> None:
    file = ROOT / "tests" / "captures" / "sessions" / "0.2.37" / "simple_text.ndjson"
    rows = len(file.read_bytes().splitlines())
    assert names_of("count")["count"]([str(file)]) == rows
    (words,) = re.findall(r"^python (-m agentlines\.tables .*)$", README, re.MULTILINE)
    command = [sys.executable, *words.replace("FILES", str(file)).split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generated" / "python")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == f"entries.parquet: {rows} rows of entries\n"


def test_the_tables_are_listed_with_those_that_the_module_has() -> None:
    listed = README[README.index("\n## Tables\n") :].partition("\n\nReading them")[0]
    assert tuple(re.findall(r"^- `(\w+)`: .+\.$", listed, re.MULTILINE)) == tables.NAMES


def test_every_name_of_the_package_in_it_exists() -> None:
    named = set(re.findall(r"agentlines\.(\w+)", README)) | set(re.findall(r"`(\w+)\(", README))
    others = {"anext", "isinstance", "feed", "finish"}
    owners = (al.Session, al.AsyncProcess, al.Writer, al.Conversation, tables)
    others |= {name for each in owners for name in dir(each) if not name.startswith("_")}
    assert len(named) > 20
    assert [name for name in sorted(named - others) if not hasattr(al, name)] == []


def test_a_decoder_gives_its_last_line_when_it_ends() -> None:
    decoder = al.LineDecoder(al.KeepAliveMessage)
    assert list(decoder.feed(b'{"type":"keep_alive"}')) == []
    assert list(decoder.finish()) == [al.KeepAliveMessage()]
