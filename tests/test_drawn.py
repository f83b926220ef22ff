"""Random specs: if lint accepts a spec, it can be generated, and the packages pass the derived cases.

A failure is shrunk to a small spec, which is printed to be kept below `tests/specs/found`: those are tested as well.
"""

from __future__ import annotations

import inspect
import sys
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from compiled import COMPILE, model_if_accepted
from drawn import Spec, draw, shrunk, text
from polywire import checks
from polywire.conformance.derived import derived
from polywire.conformance.options import BUNDLED_TESTEES
from polywire.conformance.protocols import Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from polywire.plan import Plan, make_plan
from polywire.render import render
from polywire.targets import registry
from polywire.targets.base import Target
from sampling import SEED

ROOT = Path(__file__).resolve().parents[1]
TESTEES = {each.name: each for each in declared(BUNDLED_TESTEES)}
TARGETS = ("python", "jsonschema", "typescript", "go", "rust")
ANSWERING = ("python", "jsonschema-rs", "typescript")
"""The testees that answer the cases of every spec."""

BLOCK = 10
"""Number of specs per test."""

QUICK, ALL = 1, 100
"""Number of blocks in `make test`, and in both commands together."""

BLOCKS = [pytest.param(at, marks=() if at < QUICK else pytest.mark.full) for at in range(ALL)]


WIDE = 20
"""Number of blocks of specs whose packages are compiled together."""

FOUND = {path.parent.name: path.parent for path in sorted((ROOT / "tests" / "specs" / "found").glob("*/protocol.yaml"))}
"""Specs that once failed, shrunk."""


def drawn(block: int, *, new_forms: bool) -> Iterator[tuple[str, Spec]]:
    """Yield the specs of a block, each with its seed."""
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        seed = f"{SEED}:{number}"
        yield seed, draw(seed, new_forms=new_forms)


def generates(spec: Spec, where: Path, targets: tuple[str, ...]) -> str:
    """Return the exception raised when a spec is linted or rendered; "" if there is none."""
    try:
        model = model_if_accepted(spec, where, targets)
        for target in targets if model is not None else ():
            render(registry()[target], make_plan(model))
    except Exception:  # noqa: BLE001 - any exception is a bug of the generator
        return traceback.format_exc()
    return ""


def behaves(spec: Spec, where: Path, *testees: str) -> dict[str, str]:
    """Return the errors in the responses to the cases derived from a spec, by the name of the testee."""
    target = {name: (TESTEES[name].target or "",) for name in testees}
    of_all = tuple(each for targets in target.values() for each in targets)
    if model_if_accepted(spec, where, of_all) is None:
        testees = tuple(each for each in testees if model_if_accepted(spec, where, target[each]) is not None)
    return answers(where, *(TESTEES[each] for each in testees)) if testees else {}


def answers(where: Path, *testees: Testee) -> dict[str, str]:
    """Return the errors in the responses to the cases derived from the spec in a folder, by the name of the testee."""
    protocols = Protocols(where)
    cases = derived(protocols.default, seed=SEED, random=0)
    problems = {}
    with Workshop(ROOT) as workshop:
        for testee in testees:
            result = run(cases, testee, workshop, protocols.default, folder=ROOT, patience=60)
            assert result.cannot_run is None, result.cannot_run
            limits = result.abilities.limits if result.abilities else frozenset()
            failed = (
                f"{case.name}: {case.shown}: {'; '.join(verdict.problems)}"
                for case, verdict in zip(cases, result.verdicts, strict=True)
                if verdict.outcome == "failed" and not ("indices" in limits and all(map(_is_order, verdict.problems)))
            )
            if problem := next(iter((*result.problems, *failed)), ""):
                problems[testee.name] = problem
    return problems


def _is_order(problem: str) -> bool:
    """Return whether a problem is only about the order of members, which index-like keys may change."""
    return "expected its members in the order of" in problem


def report(seed: str, spec: Spec, problem: str) -> str:
    body = "\n".join(f"{key}: {text(each)}" for key, each in spec.items())
    return f"seed {seed}\n\n{body}\n\n{problem}"


def shrunk_report(seed: str, spec: Spec, where: Path, testee: str) -> str:
    """Return a report with the smallest spec to whose cases the testee responds with errors."""
    least = shrunk(spec, lambda each: bool(behaves(each, where, testee)))
    return report(seed, least, f"{testee}: {behaves(least, where, testee).get(testee)}")


@pytest.mark.parametrize("new_forms", [False, True], ids=["all targets", "new forms"])
@pytest.mark.parametrize("block", BLOCKS)
def test_what_lint_accepts_generates_in_every_target(block: int, new_forms: bool, tmp_path: Path) -> None:
    targets = TARGETS
    for seed, spec in drawn(block, new_forms=new_forms):
        if problem := generates(spec, tmp_path / "spec", targets):
            last = problem.splitlines()[-1]
            least = shrunk(spec, lambda each: generates(each, tmp_path / "less", targets).endswith(f"{last}\n"))  # noqa: B023 - used at once
            pytest.fail(report(seed, least, problem), pytrace=False)


@pytest.mark.parametrize("block", BLOCKS)
def test_packages_of_drawn_specs_agree_with_the_cases_derived_from_them(block: int, tmp_path: Path) -> None:
    for seed, spec in drawn(block, new_forms=True):
        for testee in behaves(spec, tmp_path / "spec", *ANSWERING):
            pytest.fail(shrunk_report(seed, spec, tmp_path / "less", testee), pytrace=False)


def constructs(spec: Spec, where: Path) -> str:
    """Return the errors in the results of Python constructors called without arguments; "" if there are none."""
    spec = {**spec, "packages": {"python": {"module": f"constructed_{time.monotonic_ns()}"}}}
    model = model_if_accepted(spec, where / "spec", ("python",))
    if model is None:
        return ""
    for path, contents in render(registry()["python"], make_plan(model)).items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        (where / path).write_bytes(contents)
    sys.path.insert(0, str(where))
    try:
        package = import_module(spec["packages"]["python"]["module"])
        for name in import_module(f"{package.__name__}._construct").__all__:
            make = getattr(package, name)
            if all(each.default is not each.empty for each in inspect.signature(make).parameters.values()):
                package.decode(package.encode(made := make()), type(made))
    except Exception:  # noqa: BLE001 - any exception is a bug of the package
        return traceback.format_exc()
    finally:
        sys.path.remove(str(where))
        for name in [name for name in sys.modules if name.partition(".")[0] == spec["packages"]["python"]["module"]]:
            del sys.modules[name]
    return ""


@pytest.mark.parametrize("block", BLOCKS)
def test_constructors_of_drawn_specs_make_what_travels(block: int, tmp_path: Path) -> None:
    for seed, spec in drawn(block, new_forms=True):
        if constructs(spec, tmp_path / "all"):
            least = shrunk(spec, lambda each: bool(constructs(each, tmp_path / "less")))
            pytest.fail(report(seed, least, constructs(least, tmp_path / "less")), pytrace=False)


@pytest.mark.full
@pytest.mark.parametrize("target", COMPILE)
@pytest.mark.parametrize("batch", range(ALL // WIDE))
def test_what_lint_accepts_compiles_and_agrees_with_the_cases_derived_from_it(
    batch: int, target: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """All specs are compiled; some of them also answer cases."""
    compiler, compile_all = request.getfixturevalue(target), COMPILE[target]
    blocks = range(batch * WIDE, (batch + 1) * WIDE)
    specs = {f"s{seed.split(':')[1]}": spec for block in blocks for seed, spec in drawn(block, new_forms=True)}
    compiled = compile_all(compiler, tmp_path / "all", specs, True)

    def wrong(spec: Spec) -> str:
        return compile_all(compiler, tmp_path / "less", {"s": spec}, False).wrong.get("s", "")

    for name in compiled.wrong:
        least = shrunk(specs[name], lambda each: bool(wrong(each)))
        pytest.fail(report(f"{SEED}:{name[1:]}", least, wrong(least)), pytrace=False)
    for name, command in compiled.testees.items():
        if answers(tmp_path / "all" / "specs" / name, Testee(name, command, tmp_path)):
            pytest.fail(shrunk_report(f"{SEED}:{name[1:]}", specs[name], tmp_path / "less", target), pytrace=False)


@pytest.mark.full
@pytest.mark.parametrize(("target", "file"), [("go", "drawn/wire.go"), ("rust", "src/lib.rs")])
def test_a_package_that_does_not_compile_is_named(
    target: str, file: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def planted(of: Target, plan: Plan) -> dict[str, bytes]:
        files = render(of, plan)
        fault = b"\nfault\n" if plan.model.packages["rust"]["crate"] == "s1" else b""
        return {**files, file: files[file] + fault}

    monkeypatch.setattr("compiled.render", planted)
    spec = next(spec for _, spec in drawn(0, new_forms=True) if model_if_accepted(spec, tmp_path / "spec", (target,)))
    specs = {f"s{at}": spec for at in range(3)}
    compiled = COMPILE[target](request.getfixturevalue(target), tmp_path / "all", specs, True)
    assert compiled.wrong.keys() == {"s1"}


# --- specs that once failed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOUND)
def test_what_once_failed_is_accepted_and_generates(name: str) -> None:
    report = checks.check(FOUND[name])
    assert [each for each in report.findings if each.severity == "error"] == []
    assert report.model is not None
    assert [target for target in TARGETS if not render(registry()[target], make_plan(report.model))] == []


@pytest.mark.parametrize(
    "testee", ["python", "typescript", *(pytest.param(e, marks=pytest.mark.full) for e in COMPILE)]
)
@pytest.mark.parametrize("name", FOUND)
def test_packages_of_what_once_failed_agree_with_the_cases_derived_from_them(name: str, testee: str) -> None:
    assert answers(FOUND[name], TESTEES[testee]) == {}


# --- drawing ---------------------------------------------------------------------------------------------------


def test_a_good_part_of_what_is_drawn_is_accepted(tmp_path: Path) -> None:
    specs = [spec for block in range(QUICK) for _, spec in drawn(block, new_forms=True)]
    models = [model_if_accepted(spec, tmp_path / "spec", TARGETS) for spec in specs]
    assert sum(model is not None for model in models) >= len(specs) / 4


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_draws_the_same_spec(seed: int) -> None:
    assert text(draw(seed)) == text(draw(seed)) != text(draw(seed + 1))


def test_a_failure_shrinks_to_what_it_needs() -> None:
    spec = next(spec for _, spec in drawn(0, new_forms=True) if spec["aliases"])
    assert shrunk(spec, lambda each: bool(each.get("aliases"))).keys() == {"aliases"}
