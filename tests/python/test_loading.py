"""What a program loads: little on import, and then the areas that it uses, from any kind of installation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

DISTRIBUTION = Path(__file__).resolve().parents[2] / "generated" / "python"
PACKAGE = DISTRIBUTION / "agentlines"
AREAS = {path.stem for path in PACKAGE.glob("[a-z]*.py")}

SLOW = {"ast", "asyncio", "dataclasses", "importlib.metadata", "inspect", "subprocess", "threading", "typing", "uuid"}
"""Modules of the standard library that are slow to import, and that reading and writing do not need."""

UUID = "11111111-2222-4333-8444-555555555555"

RESULT = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "uuid": UUID,
        "session_id": "s",
        "is_error": False,
        "num_turns": 1,
        "duration_ms": 1,
        "duration_api_ms": 1,
        "stop_reason": None,
        "total_cost_usd": 0.5,
        "modelUsage": {},
        "permission_denials": [],
        "result": "done",
        "usage": {
            "input_tokens": 1,
            "output_tokens": 1,
            "cache_creation_input_tokens": 1,
            "cache_read_input_tokens": 1,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        },
    }
)
"""A message with parts from another area."""


def python(code: str, *options: str, path: Path = DISTRIBUTION, **environment: str) -> str:
    """The output of a new interpreter that has no package except ours."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-S", *options, "-c", code]
    settings = variables | {"PYTHONPATH": str(path), **environment}
    done = subprocess.run(command, env=settings, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(code: str) -> set[str]:
    """The modules that are loaded after running some code: areas by their short names, others by full names."""
    out = python(f"import sys, agentlines as al\n{code}\nprint(*sys.modules)")
    return {name.removeprefix("agentlines.") for name in out.split()}


def test_the_areas_are_modules_one_can_read() -> None:
    assert {"content", "control", "hooks", "messages", "permissions", "tools"} < AREAS


def test_importing_the_package_imports_no_area_and_nothing_slow() -> None:
    assert loaded("") & (AREAS | SLOW | {"_control", "_construct", "_pairs", "_session"}) == set()


def test_reading_a_message_imports_what_it_consists_of() -> None:
    modules = loaded('al.decode(\'{"type":"keep_alive"}\')')
    assert modules & AREAS == {"control", "unknowns"}
    assert modules & SLOW == set()
    modules = loaded(f"al.decode({RESULT!r})")
    assert modules & AREAS == {"content", "messages", "unknowns"}
    assert modules & SLOW == set()


def test_writing_a_message_imports_what_it_consists_of() -> None:
    modules = loaded("al.encode(al.request(al.InterruptRequest(), '1'))")
    assert modules & (AREAS | SLOW | {"_session"}) <= {"control"}


def test_a_process_of_threads_imports_nothing_for_tasks_and_an_error_neither() -> None:
    assert loaded("al.ProcessError") & {"asyncio", "subprocess", "threading"} == set()
    modules = loaded("al.Process")
    assert "subprocess" in modules
    assert modules & {"asyncio", "_async_process"} == set()
    assert loaded("al.AsyncProcess") & {"asyncio", "_thread_process"} == {"asyncio"}


def test_a_name_is_looked_up_once() -> None:
    assert python(
        "import agentlines as al; al.TextBlock; print('TextBlock' in vars(al), al.TextBlock is al.TextBlock)"
    ) == ("True True\n")


def test_what_can_be_asked_for_is_listed_without_being_imported() -> None:
    out = python("import sys, agentlines as al; print(*dir(al)); print(*sys.modules)")
    listed, modules = (set(line.split()) for line in out.splitlines())
    assert {"AssistantMessage", "StdoutMessage", "HasBaseMessage", "StopReasonKnown", "reply", "Reader"} < listed
    assert modules & {f"agentlines.{area}" for area in AREAS} == set()


def test_a_misspelt_name_is_an_attribute_error() -> None:
    with pytest.raises(AssertionError, match="module 'agentlines' has no attribute 'AssistentMessage'"):
        python("import agentlines as al; al.AssistentMessage")
    with pytest.raises(AssertionError, match="cannot import name 'AssistentMessage' from"):
        python("from agentlines.messages import AssistentMessage")


def test_everything_can_be_imported_at_once() -> None:
    assert python("from agentlines import *; print(TextBlock(text='a'), StopReasonKnown is not None)") == (
        "TextBlock(text='a') True\n"
    )


SESSION = f"""
import agentlines as al, pickle, pydoc
message = al.decode({RESULT!r})
assert al.decode(al.encode(message), strict=True) == message
assert message.session_id == "s"
"""


@pytest.mark.parametrize("settings", [{"PYTHONDONTWRITEBYTECODE": "1"}, {}], ids=["no bytecode", "read-only"])
def test_a_package_whose_bytecode_cannot_be_written_works(settings: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "agentlines"
    folder.mkdir()
    for module in PACKAGE.glob("*.py"):
        (folder / module.name).write_bytes(module.read_bytes())
    if not settings:
        (folder / "__pycache__").write_bytes(b"")  # root cannot write to it either
    python(SESSION, path=tmp_path, **settings)
    assert not list(folder.rglob("*.pyc"))


def test_a_package_in_an_archive_works(tmp_path: Path) -> None:
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for module in PACKAGE.glob("*.py"):
            out.write(module, f"agentlines/{module.name}")
    python(SESSION, path=archive)


def test_a_package_without_sources_works(tmp_path: Path) -> None:
    """Without sources, only `help` shows less."""
    code = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2, legacy=True)"
    folder = tmp_path / "agentlines"
    folder.mkdir()
    for module in PACKAGE.glob("*.py"):
        (folder / module.name).write_bytes(module.read_bytes())
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
    for module in folder.glob("*.py"):
        module.unlink()
    doc = "pydoc.render_doc(al.PermissionResultDeny)"
    python(SESSION + f"assert 'A response that does not allow the tool to run.' in {doc}", path=tmp_path)


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_optimised_python_reads_and_writes_the_same(option: str) -> None:
    python(SESSION + "if message.session_id != 's': raise SystemExit(1)", option)


def test_tracebacks_show_the_code_that_was_compiled() -> None:
    code = """
import agentlines as al, traceback
class Stop(list):
    def __iter__(self): raise OSError("stop")
try:
    al.encode(al.InterruptRequest(extra={}), al.InterruptRequest)
    al.encode(al.HookCallbackMatcher(hook_callback_ids=Stop("a")))
except OSError:
    traceback.print_exc(file=__import__("sys").stdout)
"""
    shown = python(code)
    assert re.search(r'write_HookCallbackMatcher.*", line \d+, in write_HookCallbackMatcher\n    \S', shown)
