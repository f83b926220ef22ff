"""The first steps of a new user: the commands of the documentation work, and print what the pages show."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sampling import third
from toolchain import Toolchain
from transcripts import follow, sections, transcript, with_polywire, without_polywire
from vendor.support import git

ROOT = Path(__file__).resolve().parents[2]
README = sections(ROOT / "README.md")["Install and run polywire"]
CLONE, WHEEL = re.split("^### From a wheel$", README, flags=re.MULTILINE)
CI = sections(ROOT / "docs" / "vendoring.md")["A green run and a red one"]
WORKFLOW = ROOT / ".github" / "workflows" / "polywire.yml"


def committed(folder: Path) -> Path:
    """Create a repository with the current state of every file of this one that git tracks or would add."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for path in filter(None, listed.split("\0")):
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)
    git("init", cwd=folder)
    git("add", "--all", cwd=folder)
    git("commit", "--quiet", "--message", "As it is", cwd=folder)
    return folder


@pytest.mark.nightly  # installs the dependencies of `make test` again, as CI does before its tests
def test_a_clone_takes_two_commands(tmp_path: Path, node: Toolchain, go: Toolchain, rust: Toolchain) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone")
    (tmp_path / "origin").mkdir()
    git("clone", "--quiet", str(committed(tmp_path / "origin")), "clone", cwd=tmp_path)
    # Runs only one test, since running all of them would include this one.
    few = "tests/conformance/test_suite.py -k 'agrees_with_every_written and python'"
    environment = {**without_polywire(node, go, rust), "TESTS": few, "JOBS": "0"}
    follow(CLONE, tmp_path / "clone", environment)
    assert [command for command, _ in transcript(CLONE)] == ["make generate\n", "make test\n"]
    assert git("status", "--porcelain", cwd=tmp_path / "clone") == ""


def test_the_folders_that_make_test_is_shown_to_leave_out_are_those_that_it_does() -> None:
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (folders,) = re.findall(r"^_LATER = \((.*)\)$", conftest, re.MULTILINE)
    listed = folders.replace('"', "")
    assert f" tests deselected, and all of {listed}; `" in CLONE


@third("wheel of polywire")  # builds the wheel
def test_the_wheel_is_installed_into_an_empty_environment(tmp_path: Path) -> None:
    own = tmp_path / "own"
    build = [sys.executable, ROOT / "release" / "dist.py", "--out", tmp_path / "polywire" / "dist", "polywire"]
    subprocess.run(build, check=True, capture_output=True)
    own.mkdir()
    follow(WHEEL, own, without_polywire())
    probe = [own / ".venv" / "bin" / "python", "-c", "import polywire; print(polywire.__file__)"]
    found = subprocess.run(probe, env=without_polywire(), capture_output=True, text=True, check=True)
    assert Path(found.stdout).is_relative_to(own / ".venv")


@third("wheel of polywire")
def test_ci_is_green_and_turns_red_after_an_edit_of_a_generated_file_or_of_the_spec(tmp_path: Path) -> None:
    follow(CI, tmp_path, with_polywire())


def test_the_commands_shown_for_ci_are_those_of_the_workflow() -> None:
    (job,) = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].values()
    filled = {'"$AGAINST"': "git:HEAD", "${{ !inputs.templates && '--no-templates' || '' }}": "--no-templates"}
    ran = [step["run"] for step in job["steps"] if step.get("run", "").startswith("polywire ")]
    for expression, value in filled.items():
        ran = [command.replace(expression, value) for command in ran]
    typed = [command.strip() for command, _ in transcript(CI) if "--format github" in command]
    assert {*typed} == {*ran}
    red = [shown for command, shown in transcript(CI) if command.strip() in ran and "::error " in shown]
    assert len(red) == 3
