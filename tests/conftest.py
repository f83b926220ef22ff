"""Shared fixtures, and the rule that no test may be skipped under CI=true."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

# The tests of Python packages are about what is written in Python, unless they ask for the extension.
os.environ["POLYWIRE_NATIVE"] = "0"

import toolchain
from crates import workspace
from polywire.commands.cli import cli

pytest_plugins = ["conformance.table"]

ROOT = Path(__file__).resolve().parent.parent

# No test fails because of a slow, busy machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


# A test process keeps models and a hundred thousand cases: collecting as often as by default takes a fifth of its time.
gc.set_threshold(100_000, 50, 50)

# A run in the background of a shell ignores SIGINT, and so would every process that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def node() -> toolchain.Toolchain:
    """Node, with the packages that the tests need."""
    found = toolchain.node_packages()
    if found is None:
        pytest.skip("Node, or what npm is to fetch, is missing; `make .venv/node.stamp` says why")
    return found


@pytest.fixture(scope="session")
def go() -> toolchain.Toolchain:
    """Go, with the modules that the tests build."""
    found = toolchain.if_prepared(toolchain.go(), "go")
    if found is None:
        pytest.skip("Go ≥ 1.24, or a module that it is to fetch, is missing; `make .venv/go.stamp` says why")
    return found


@pytest.fixture(scope="session")
def rust() -> toolchain.Toolchain:
    """Cargo, with its compiler and the crates that the tests build."""
    found = toolchain.if_prepared(toolchain.rust(), "rust")
    if found is None:
        pytest.skip("Cargo ≥ 1.85, or a crate that it is to fetch, is missing; `make .venv/rust.stamp` says why")
    return found


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user with the package; Python's bytecode is cached between runs, outside the checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    package, compiled = ROOT / "generated" / "python", tmp_path_factory.mktemp("compiled")
    return {**kept, "PYTHONPATH": str(package), "PYTHONPYCACHEPREFIX": str(compiled), "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[str]]:
    """A function that returns the command of a program in any of the languages, which uses the package."""

    def python(program: Path) -> list[str]:
        return [sys.executable, str(program)]

    def javascript(program: Path) -> list[str]:
        node: toolchain.Toolchain = request.getfixturevalue("node")
        folder = tmp_path_factory.mktemp("javascript")
        (folder / "node_modules").mkdir()
        (folder / "node_modules" / "agentlines").symlink_to(ROOT / "generated" / "typescript")
        return node.command("node", shutil.copy(program, folder))

    def golang(program: Path) -> list[str]:
        go: toolchain.Toolchain = request.getfixturevalue("go")
        built = tmp_path_factory.mktemp("go") / program.stem
        done = go.run("go", "build", "-o", built, program, cwd=ROOT / "examples")
        assert done.returncode == 0, done.stderr
        return [str(built)]

    def rust(program: Path) -> list[str]:
        cargo: toolchain.Toolchain = request.getfixturevalue("rust")
        name, folder = program.stem, tmp_path_factory.mktemp("rust")
        targets = ("--bin", name, "--test", "suite")  # builds the crate once, with the features that its tests need
        done = cargo.run("cargo", "build", "--offline", "--workspace", *targets, cwd=workspace(cargo))
        assert done.returncode == 0, done.stderr
        return [shutil.copy(Path(cargo.variables["CARGO_TARGET_DIR"], "debug", name), folder)]

    starts = {".py": python, ".mjs": javascript, ".go": golang, ".rs": rust}
    return cache(lambda program: starts[program.suffix](program))


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser."""
    found = toolchain.browser()
    if found is None:
        pytest.skip("there is no Chromium on PATH; `make .venv/browser.stamp` says why")
    return found


@pytest.fixture
def ask_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run every written case, including those of dialects, on testees of a target: their commands, by their names."""

    def ask(target: str, **commands: Sequence[str]) -> Result:
        monkeypatch.chdir(ROOT)
        declaration = tmp_path / "testees.toml"
        tables = [
            f'[{name}]\ncommand = {json.dumps([*command])}\ntarget = "{target}"\n' for name, command in commands.items()
        ]
        declaration.write_text("".join(tables), encoding="utf-8")
        return CliRunner().invoke(cli, ["conformance", "--testees", str(declaration), "--cases", "tests/fixtures"])

    return ask


@pytest.fixture(scope="session", autouse=True)
def _mypy(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Share mypy's cache of the standard library between the tests of a run, but not between runs."""
    os.environ["MYPY_CACHE_DIR"] = str(tmp_path_factory.mktemp("mypy"))


QUICK, REST = "not full and not nightly", "full and not nightly"
"""The expressions of `-m` in `make test` and in `make test-all`."""

_LATER = ("breaking", "docs", "functions", "importing", "lsp", "misbehaving", "programs", "site", "upstream", "vendor")
LATER = frozenset(ROOT / "tests" / folder for folder in _LATER)
"""Folders whose tests are all for `make test-all`.

They test commands beside `generate`, pages, examples, and programs with packages, whose readers, writers, sessions and
process adapters have tests of their own in each language.
"""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read none of their modules in `make test`."""
    return (config.option.markexpr == QUICK and collection_path in LATER) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark all their tests `full`."""
    for item in items:
        if not LATER.isdisjoint(item.path.parents):
            item.add_marker(pytest.mark.full)


DESELECTED = pytest.StashKey[int]()
WORKER = "deselected"


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the tests that `-m` deselects, since pytest-xdist does not."""
    for config in {item.config for item in items}:
        config.stash[DESELECTED] = config.stash.get(DESELECTED, 0) + len(items)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count from a worker; all workers collect the same tests."""
    node.config.stash[DESELECTED] = getattr(node, "workeroutput", {}).get(WORKER, 0)


OTHERS = {QUICK: "make test-all", REST: "make test"}
"""Expression of `-m` → the command that runs the tests which it leaves out, except the nightly ones."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report how many tests this run left out, and with `--durations` the share of each folder."""
    config = terminalreporter.config
    if left_out := config.stash.get(DESELECTED, 0):
        other = OTHERS.get(config.option.markexpr)
        hint = f"; `{other}` or `make test-nightly` runs them" if other else ""
        more = f", and all of {', '.join(_LATER)}" if config.option.markexpr == QUICK else ""
        terminalreporter.write_line(f"{left_out} tests deselected{more}{hint}")
    if terminalreporter.config.option.durations is not None:
        _show_shares(terminalreporter)


def _show_shares(terminalreporter: Any) -> None:
    """Print how long the tests of each folder took, with their fixtures, added up over all workers."""
    seconds: Counter[str] = Counter()
    for report in (report for found in terminalreporter.stats.values() for report in found):
        if isinstance(report, pytest.TestReport):
            file, *_ = report.nodeid.partition("::")
            seconds["/".join(Path(file).parts[:2])] += report.duration
    terminalreporter.section("share of each folder")
    for part, taken in seconds.most_common():
        terminalreporter.write_line(f"{taken:8.0f} s  {taken / seconds.total():6.1%}  {part}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Under CI=true a skipped test fails the run: everything can run on a CI machine."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[WORKER] = session.config.stash.get(DESELECTED, 0)
    if os.environ.get("CI") != "true" or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped:
        reporter.write_line(f"CI=true and {len(skipped)} tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
