"""A new repository that vendors, with all that polywire offers for it: hooks, a workflow, part of a Makefile.

Each of the three must report each fault with a hint how to fix it, and pass after the fix.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

import toolchain
from sampling import turn
from vendor.support import PARCEL, git

pytestmark = turn("faults of a vendored folder")  # makes a repository with hooks and a workflow

EXAMPLES = toolchain.ROOT / "examples" / "vendoring"
WORKFLOW = toolchain.ROOT / ".github" / "workflows" / "polywire.yml"
NOT_BUILT = {"benchmarks", "build", "dist", "docs", "examples", "generated", "tests"}
HIDDEN = {".gitignore", ".pre-commit-hooks.yaml"}
"""The folders of a checkout that are not needed to build polywire, and the hidden files that are needed."""

OFFLINE = {
    "PIP_NO_BUILD_ISOLATION": "0",  # to pip, this means no build isolation
    "PIP_NO_DEPS": "1",
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONPATH": sysconfig.get_path("purelib"),  # has the dependencies of polywire and of its build, but not polywire
}
"""Lets pip build and install a checkout with the packages that are already installed."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """The repository, and the folder of programs that hooks run."""

    top: Path
    programs: Path
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a developer who has installed polywire."""
        own = {
            k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "GITHUB_", "PRE_COMMIT", "VIRTUAL_ENV"))
        }
        path = os.pathsep.join((str(self.programs), str(Path(sys.executable).parent), os.environ["PATH"]))
        return {**own, **OFFLINE, "PATH": path, "PRE_COMMIT_HOME": str(self.home), "NO_COLOR": "1"}

    def run(self, *command: str, **variables: str) -> tuple[int, str]:
        """Run a command; return its exit status and output."""
        done = subprocess.run(
            command,
            cwd=self.top,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def polywire(self, *words: str) -> str:
        status, said = self.run("polywire", *words)
        assert status == 0, said
        return said

    # The three checks.

    def make(self, target: str = "polywire-check") -> tuple[int, str]:
        return self.run("make", "--no-print-directory", target, "AGAINST=HEAD")

    def workflow(self, *, whole: bool = False, **given: Any) -> tuple[int, str]:
        """Run the steps of the workflow as a runner does: in bash, stopping at the first failure."""
        said = ""
        for step in steps({"requirement": "polywire", "breaking-against": "HEAD", **given}):
            if "run" in step and (whole or "pip install" not in step["run"]):
                folder = self.top / step["working-directory"]
                command = ("bash", "-e", "-o", "pipefail", "-c", f"cd '{folder}'\n{step['run']}")
                status, told = self.run(*command, GITHUB_WORKSPACE=str(self.top), **step.get("env", {}))
                said += told
                if status:
                    return status, said
        return 0, said

    def commit(self, skip: str = "", added: str = "--all") -> tuple[int, str]:
        """Commit all files, or only `added`, if the hooks pass."""
        git("add", added, cwd=self.top)
        who = ("-c", "user.name=Anybody", "-c", "user.email=anybody@example.org")
        return self.run("git", *who, "commit", "--allow-empty", "--message", "Go on", SKIP=skip)


def steps(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of the workflow for the given inputs; only the expressions that it uses are supported."""
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    declared = workflow[True]["workflow_call"]["inputs"]  # to YAML 1.1 `on` is a boolean
    inputs = {name: about["default"] for name, about in declared.items() if not about.get("required")} | given
    missing = declared.keys() - inputs.keys()
    assert not missing, f"required inputs are not given: {missing}"
    flag = "" if inputs["templates"] else "--no-templates"
    (job,) = workflow["jobs"].values()

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(inner) for key, inner in value.items()}
        if not isinstance(value, str):
            return value
        text = value.replace("${{ !inputs.templates && '--no-templates' || '' }}", flag)
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: inputs[m[1]], text)

    made = [filled({**job["defaults"]["run"], **step}) for step in job["steps"]]
    conditions = {None: True, "inputs.breaking-against != ''": inputs["breaking-against"] != ""}
    return [step for step in made if conditions[step.get("if")]]


def own_spec(example: str) -> str:
    """An example, with the lines for repositories with their own spec uncommented."""
    text = (EXAMPLES / example).read_text(encoding="utf-8")
    return re.sub(r"(?m)^( +)# ((- id|breaking-against): )", r"\1\2", text)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """A repository without faults, whose hooks are installed from a checkout of this repository."""
    folder = tmp_path_factory.mktemp("scratch")
    checkout, top = folder / "polywire", folder / "ours"
    checkout.mkdir()
    for part in toolchain.ROOT.iterdir():
        if part.name in HIDDEN or not (part.name in NOT_BUILT or part.name.startswith(".")):
            copy = shutil.copytree if part.is_dir() else shutil.copyfile
            copy(part, checkout / part.name)
    lock = checkout / "tests" / "rust" / "Cargo.lock"
    lock.parent.mkdir(parents=True)
    shutil.copyfile(toolchain.ROOT / lock.relative_to(checkout), lock)
    git("init", cwd=checkout)
    git("add", "--all", cwd=checkout)
    git("commit", "--message", "As it is", cwd=checkout)
    top.mkdir()
    git("init", cwd=top)
    shutil.copytree(PARCEL, top / "spec")
    hooks = own_spec("pre-commit-config.yaml")
    hooks = re.sub(r"(?m)repo: .*$", f"repo: {checkout}", hooks)
    hooks = re.sub(r"(?m)rev: .*$", f"rev: {git('rev-parse', 'HEAD', cwd=checkout)}", hooks)
    (top / ".pre-commit-config.yaml").write_text(hooks, encoding="utf-8")
    shutil.copyfile(EXAMPLES / "polywire.mk", top / "polywire.mk")
    (top / "Makefile").write_text("include polywire.mk\n", encoding="utf-8")
    git("add", "--all", cwd=top)
    git("commit", "--message", "Begin", cwd=top)
    made = Scratch(top, folder / "programs", folder / "home")
    status, said = made.run("pre-commit", "install", "--install-hooks")
    assert status == 0, said
    (python,) = made.home.glob("repo*/py_env-*/bin/python")
    made = dataclasses.replace(made, programs=python.parent)
    made.polywire("init", "--target", "jsonschema=schemas")
    made.polywire("generate")
    status, said = made.commit()
    assert status == 0, said
    return made


# --- faults, and how they are fixed ---------------------------------------------------------------------------


def replace(file: str, old: str, new: str) -> Callable[[Scratch], None]:
    def edit(scratch: Scratch) -> None:
        place = scratch.top / file
        text = place.read_text(encoding="utf-8")
        assert old in text
        place.write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def add(file: str) -> Callable[[Scratch], None]:
    return lambda scratch: (scratch.top / file).write_text("export const ours = 1;\n", encoding="utf-8") and None


def remove(file: str) -> Callable[[Scratch], None]:
    return lambda scratch: (scratch.top / file).unlink()


def generate(scratch: Scratch) -> None:
    scratch.polywire("generate")


Step = Callable[[Scratch], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """The steps that cause the fault, the reports of make and hooks and of the workflow, the hint, and the fix."""

    done: Sequence[Step]
    told: str
    annotated: str
    hint: str
    fixed: Sequence[Step]
    target: str = "polywire-check"
    """The Makefile target that reports it; the hook has the same name."""


FAULTS = {
    "a hand edit": Fault(
        [replace("schemas/parcel.schema.json", '"title": "Parcel service"', '"title": "Ours"')],
        told="edited by hand: schemas/parcel.schema.json",
        annotated="::error file=schemas/parcel.schema.json,line=4,title=polywire%3A edited by hand::",
        hint="polywire generate",
        fixed=[generate],
    ),
    "a stale file": Fault(
        [replace("spec/parts.yaml", "doc: A flat item.", "doc: An item, and flat.")],
        told="stale: schemas/parcel.schema.json",
        annotated="::error file=schemas/parcel.schema.json,line=263,title=polywire%3A stale::",
        hint="polywire generate",
        fixed=[generate],
    ),
    "a new unlisted file": Fault(
        [add("schemas/ours.json")],
        told="foreign: schemas/ours.json",
        annotated="::error file=schemas/ours.json,line=1,title=polywire%3A foreign::",
        hint="move away or remove schemas/ours.json",
        fixed=[remove("schemas/ours.json")],
    ),
    "a wire break": Fault(
        [
            replace("spec/lines.yaml", "fields: {text: string, ", "fields: {text: integer, "),
            generate,
        ],
        told="error[type-changed] WIRE: `Note.text` has another type",
        annotated="::error file=spec/lines.yaml,line=31,col=14,title=type-changed::WIRE: `Note.text` has another type",
        hint="the major version of the packages was not raised",
        fixed=[replace("spec/protocol.yaml", "packages:\n", "packages:\n  version: 1.0.0\n"), generate],
        target="polywire-breaking",
    ),
}
OTHERS = {"polywire-check": "polywire-lint,polywire-breaking", "polywire-breaking": ""}
"""Hook → the hooks to skip when it is tested."""


def test_every_fault_is_stopped_with_words_about_what_to_do_and_passes_when_that_is_done(scratch: Scratch) -> None:
    def passes(guard: Callable[..., tuple[int, str]], *given: str) -> None:
        status, said = guard(*given)
        assert status == 0, f"{guard.__name__} does not pass:\n{said}"

    passes(scratch.commit)
    for name, fault in FAULTS.items():
        for step in fault.done:
            step(scratch)
        stopped = {
            "make": (scratch.make(fault.target), fault.told),
            "workflow": (scratch.workflow(), fault.annotated),
            "hooks": (scratch.commit(OTHERS[fault.target]), fault.told),
        }
        for guard, ((status, said), words) in stopped.items():
            assert status != 0, f"{guard} lets {name} pass:\n{said}"
            assert words in said, f"{guard} does not say of {name} what it is:\n{said}"
            assert fault.hint in said, f"{guard} does not say of {name} what to do:\n{said}"
        assert re.search(rf"(?m)^{fault.target.replace('-', ' ')}\.+Failed$", stopped["hooks"][0][1])
        for step in fault.fixed:
            step(scratch)
        passes(scratch.make, fault.target)
        passes(scratch.workflow)
        passes(scratch.commit, OTHERS[fault.target])


def test_the_hook_stops_what_was_never_added_which_nobody_would_find_in_the_commit(scratch: Scratch) -> None:
    with (scratch.top / "polywire.toml").open("a", encoding="utf-8") as config:
        config.write('\n[targets.typescript]\nout = "web"\n')
    scratch.polywire("generate")
    git("add", "polywire.toml", cwd=scratch.top)
    status, said = scratch.commit(OTHERS["polywire-check"], "polywire.manifest.json")
    assert (status, "untracked: web/index.js" in said, "to fix: git add -- web" in said) == (1, True, True), said
    assert scratch.make()[0] == 0
    index = git("write-tree", cwd=scratch.top)
    assert "web" not in git("ls-tree", "--name-only", index, cwd=scratch.top).split()
    status, said = scratch.commit(OTHERS["polywire-check"], "web")
    assert status == 0, said


def test_the_workflow_installs_polywire_before_it_is_used(scratch: Scratch) -> None:
    status, said = scratch.workflow(whole=True)
    assert status == 0, said
    ours = steps({"requirement": "polywire==7", "folder": "services", "breaking-against": ""})
    ran = [step["run"].split()[:3] for step in ours if "run" in step]
    assert ran == [["python", "-I", "-m"], ["polywire", "check", "--no-templates"]]
    assert {step["working-directory"] for step in ours} == {"services"}
    with pytest.raises(AssertionError, match="requirement"):
        steps({"folder": "services"})


def test_the_workflow_runs_nothing_of_the_tree_while_it_installs_polywire(scratch: Scratch) -> None:
    planted = scratch.top / "pip.py"
    planted.write_text("open('owned', 'w')\n", encoding="utf-8")
    status, said = scratch.workflow(whole=True)
    planted.unlink()
    assert (status, (scratch.top / "owned").exists()) == (0, False), said


def test_the_workflow_renders_templates_of_the_repository_only_if_its_caller_allows_it(scratch: Scratch) -> None:
    config = scratch.top / "polywire.toml"
    before = config.read_text(encoding="utf-8")
    config.write_text(f'templates = "ours"\n{before}', encoding="utf-8")
    template = scratch.top / "ours" / "jsonschema" / "schema.json.j2"
    template.parent.mkdir(parents=True)
    template.write_text('{% include "polywire/schema.json.j2" %}', encoding="utf-8")
    status, said = scratch.workflow()
    assert (status, "::error file=polywire.toml,line=1,col=1,title=untrusted-template::" in said) == (2, True), said
    status, said = scratch.workflow(templates=True)
    assert status == 0, said
    shutil.rmtree(scratch.top / "ours")
    config.write_text(before, encoding="utf-8")


def test_the_workflow_and_the_one_that_calls_it_are_well_formed(go: toolchain.Toolchain, tmp_path: Path) -> None:
    if not toolchain.ACTIONLINT.exists():
        pytest.skip("actionlint could not be built; `make .venv/go-all.stamp` says why")
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (workflows / "caller.yml").write_text(own_spec("ci.yml"), encoding="utf-8")
    shutil.copyfile(WORKFLOW, workflows / "polywire.yml")
    done = subprocess.run(
        [toolchain.ACTIONLINT, "-no-color"],
        cwd=tmp_path,
        env=go.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_every_hook_that_is_offered_runs_a_command_that_there_is(scratch: Scratch) -> None:
    hooks = yaml.safe_load((toolchain.ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = yaml.safe_load(own_spec("pre-commit-config.yaml"))["repos"][0]["hooks"]
    assert {hook["id"] for hook in hooks} == {hook["id"] for hook in used}
    for hook in hooks:
        assert hook["entry"].split()[1] in scratch.polywire("--help")
        assert hook["pass_filenames"] is False
    status, said = scratch.run("pre-commit", "validate-manifest", str(toolchain.ROOT / ".pre-commit-hooks.yaml"))
    assert status == 0, said
