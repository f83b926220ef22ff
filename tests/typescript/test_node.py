"""The Node versions that the TypeScript package runs on, and the packages that its tests install."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import toolchain
from sampling import turn

TESTEE = toolchain.TESTEES / "typescript" / "testee.mjs"
PACKAGES = toolchain.NODE_PACKAGES


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> toolchain.Toolchain:
    """The Node from the wheel, which is used on a machine without Node."""
    monkeypatch.setenv("PATH", "")
    toolchain.node.cache_clear()
    found = toolchain.node()
    monkeypatch.undo()
    toolchain.node.cache_clear()
    if found is None:
        pytest.skip("the wheel has no Node for this machine")
    return found


@pytest.mark.full
def test_a_machine_without_node_gets_node_and_npm_from_a_wheel(brought: toolchain.Toolchain) -> None:
    assert toolchain.VENV in brought.folder.parents
    assert brought.version >= (20, 19)
    npm = brought.run("npm", "--version")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", npm.stdout), npm.stderr


@turn("Node of the wheel")
def test_every_written_case_holds_under_the_wheel_s_node_too(
    brought: toolchain.Toolchain, ask_written: Callable[..., Result]
) -> None:
    asked = ask_written("typescript", node=[*brought.command("node"), str(TESTEE), "{generated}"])
    assert "0 failed, 0 skipped" in asked.output
    assert asked.exit_code == 0, asked.output


@turn("Node of the wheel")
def test_the_unit_tests_of_the_runtime_pass_where_the_engine_tells_the_text_of_numbers(
    root: Path, brought: toolchain.Toolchain
) -> None:
    assert brought.run("node", "--print", "typeof JSON.rawJSON").stdout == "function\n"
    done = brought.run("node", "--test", cwd=root / "runtimes" / "typescript")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_is_locked_by_version_and_hash_and_none_to_a_registry() -> None:
    manifest = json.loads((PACKAGES / "package.json").read_text(encoding="utf-8"))
    wanted = manifest["dependencies"] | manifest["devDependencies"]
    locked = json.loads((PACKAGES / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    # a package under another name is written `npm:typescript@4.7.4`
    exactly = {name: version.rpartition("@")[2] for name, version in wanted.items()}
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == exactly
    packages = {path: each for path, each in locked.items() if path and not each.get("inBundle")}
    assert [path for path, each in packages.items() if "integrity" not in each or "resolved" in each] == []
