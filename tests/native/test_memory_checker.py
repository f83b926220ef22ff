"""The native extension under valgrind, which sees every access to memory that is not allocated.

CPython reads bits that nothing has set (`maybe_small_long` of 3.11), so only addresses are checked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from polywire.commands.conformance_options import BUNDLED_TESTEES
from sampling import SEED
from toolchain import ROOT

pytestmark = pytest.mark.nightly
pytest.importorskip("polywire_native", reason="`make .venv/native.stamp` says why it is missing")

DOCUMENTS = 10_000


@pytest.mark.parametrize(
    "command",
    [
        ("conformance", "--cases", "tests/fixtures", "--cases", "tests/captures"),
        ("fuzz", "--documents", f"{DOCUMENTS}", "--seed", f"{SEED}"),
    ],
    ids=lambda command: command[0],
)
def test_no_address_is_wrong(command: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is missing: apt-get install valgrind")
    testee = BUNDLED_TESTEES.parent / "testees" / "python.py"
    checked = ["valgrind", "--quiet", "--undef-value-errors=no", f"--log-file={tmp_path}/%p.log"]
    words = json.dumps([*checked, "{python}", str(testee), "native", "{generated}"])
    declared = tmp_path / "testees.toml"
    declared.write_text(f'[checked]\ncommand = {words}\ntarget = "python"\nstartup = 300\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "polywire", *command, "--testees", declared, "--testee", "checked", "--patience", "300"],
        cwd=ROOT,
        env={**os.environ, "PYTHONMALLOC": "malloc"},  # the allocator of Python hides what is freed
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    logs = [*tmp_path.glob("*.log")]
    assert logs
    assert [each.read_text(encoding="utf-8", errors="replace") for each in logs if each.stat().st_size] == []
