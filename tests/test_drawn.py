"""Random specs: what lint accepts generates packages that compile in every language and pass the derived cases.

A failure is shrunk to a small spec, which is printed to be kept below `tests/specs/found`: those are tested as well.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random

import pytest
from _pytest.mark.structures import ParameterSet

from compiled import COMPILE, Files, compiled, model_if_accepted, models, named, renamed, write
from corpora import of_each_family
from drawn import TARGETS, Spec, draw, shrunk, spec_of, text
from importing.bundles import bundle, difference
from polywire import checks
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance import trees
from polywire.conformance.case import Case, tree_case
from polywire.conformance.coverage import measure
from polywire.conformance.derived import derived
from polywire.conformance.protocols import Protocol, Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Testee, Workshop, declared
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from sampling import SEED, number, sample
from vocabulary import everything

ROOT = Path(__file__).resolve().parents[1]
TESTEES = {each.name: each for each in declared(BUNDLED_TESTEES)}
ANSWERING = ("python-native", "jsonschema-rs", "ajv", "typescript")
"""The testees that answer the cases of every spec, besides that of Python; those of Go and Rust are built for some."""

ALL, BATCH, FEW = number(200, 1000), 25, 10
"""The number of specs in all, in a batch, and in the tests of drawing, which `make test` runs."""

RANGES = {f"from-{at}": range(at, at + BATCH) for at in range(0, ALL, BATCH)}
"""The numbers of the specs of each batch."""

BATCHES = [pytest.param(each, id=name, marks=pytest.mark.full) for name, each in RANGES.items()]
"""The specs that are generated, and decoded in Python."""


def others(names: Iterable[str]) -> list[ParameterSet]:
    """Targets or testees, and batches; compilers and processes take most time, so `make test-all` has one batch."""
    return [
        pytest.param(name, each, id=f"{batch}-{name}", marks=pytest.mark.nightly if each.start else pytest.mark.full)
        for batch, each in RANGES.items()
        for name in names
    ]


FOUND = {path.parent.name: path.parent for path in sorted((ROOT / "tests" / "specs" / "found").glob("*/protocol.yaml"))}
"""Specs that once failed, shrunk."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Drawn specs that are linted and rendered once for all tests; each has a name, which its packages have too."""

    specs: Mapping[str, Spec]
    folder: Path
    """The folder with the folder of each spec."""
    packages: Mapping[str, Mapping[str, Files]]
    """By target: the packages of the specs that lint accepts for it, by name."""
    failures: Mapping[str, str]
    """The exceptions of lint and rendering, by name."""


def rendered(spec: Spec, where: Path, targets: tuple[str, ...] = TARGETS) -> dict[str, Files]:
    """Return the packages of a spec for those targets for which lint accepts it."""
    found = models(spec, where, targets)
    plans = {id(model): make_plan(model) for model in found.values()}
    return {target: render(registry()[target], plans[id(model)]) for target, model in found.items()}


def attempt(spec: Spec, where: Path) -> tuple[dict[str, Files], str]:
    """Return the packages of a spec, and the exception if one is raised."""
    try:
        return rendered(spec, where), ""
    except Exception:  # noqa: BLE001 - any exception is a bug of the generator
        return {}, traceback.format_exc()


def batch_of(specs: Mapping[str, Spec], where: Path) -> Batch:
    packages: dict[str, dict[str, Files]] = {target: {} for target in TARGETS}
    failures: dict[str, str] = {}
    for name, spec in specs.items():
        of_spec, failure = attempt(named(spec, name), where / name)
        failures |= {name: failure} if failure else {}
        for target, files in of_spec.items():
            packages[target][name] = files
    return Batch(specs, where, packages, failures)


def words_of(seed: str) -> Spec:
    """Return a spec with many words of the vocabulary."""
    return spec_of(Random(f"words {seed}").sample(everything(), 150))  # noqa: S311 - tests, not secrets


@pytest.fixture(scope="module", params=BATCHES)
def batch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """Some of the drawn specs; pytest runs all tests of a batch after each other."""
    specs = {f"s{at}": draw(f"{SEED}:{at}") for at in request.param}
    start = request.param.start
    return batch_of({f"w{start}": words_of(f"{SEED}:{start}"), **specs}, tmp_path_factory.mktemp("batch"))


def fail(batch: Batch, name: str, problem: Callable[[Spec], str]) -> None:
    """Shrink a spec that has a problem, and report it."""
    assert problem(batch.specs[name]), f"{name} has a problem only among others"
    least = shrunk(batch.specs[name], lambda each: bool(problem(each)))
    body = "\n".join(f"{key}: {text(each)}" for key, each in least.items())
    pytest.fail(f"seed {SEED}:{name[1:]}\n\n{body}\n\n{problem(least)}", pytrace=False)


FAMILY = 5
"""How many cases of each type and kind of fault are derived from a spec that a testee answers for."""


def answers(where: Path, testee: Testee, *, whole: bool = False) -> str:
    """Return an error in the responses to cases derived from the spec in a folder; "" if there is none.

    They are some of each family or, if `whole`, all: what one case finds in a spec, another may find in a smaller one.
    """
    protocols = Protocols(where)
    every = derived(protocols.default, seed=SEED, random=0)
    cases = [*(every if whole else of_each_family(every, FAMILY, testee)), *grown(protocols.default)]
    with Workshop(ROOT) as workshop:
        result = run(cases, testee, workshop, protocols.default, folder=ROOT, patience=60)
    assert result.cannot_run is None, result.cannot_run
    limits = result.abilities.limits if result.abilities else frozenset()
    failed = (
        f"{case.name}: {case.shown}: {'; '.join(verdict.problems)}"
        for case, verdict in zip(cases, result.verdicts, strict=True)
        if verdict.outcome == "failed" and not ("indices" in limits and all(map(_is_order, verdict.problems)))
    )
    return next(iter((*result.problems, *failed)), "")


def grown(protocol: Protocol) -> list[Case]:
    """Return cases of the trees of a spec."""
    cases = trees.drawn(protocol.model, count=FAMILY, seed=SEED)
    return [tree_case(protocol, each, name=f"tree {at}", group="trees") for at, each in enumerate(cases)]


def _is_order(problem: str) -> bool:
    """Return whether a problem is only about the order of members, which index-like keys may change."""
    return "expected its members in the order of" in problem


def test_what_lint_accepts_generates(batch: Batch, tmp_path: Path) -> None:
    def problem(spec: Spec) -> str:
        return next(iter(batch_of({"s": spec}, tmp_path).failures.values()), "")

    for name, failure in batch.failures.items():
        last = failure.splitlines()[-1]
        fail(batch, name, lambda spec: found if last in (found := problem(spec)) else "")  # noqa: B023 - used at once


def test_packages_in_python_of_drawn_specs_agree_with_the_cases_derived_from_them(batch: Batch, tmp_path: Path) -> None:
    agree(TESTEES["python"], batch, tmp_path)


@pytest.mark.parametrize(("testee", "batch"), others(ANSWERING), indirect=["batch"])
def test_packages_of_drawn_specs_agree_with_the_cases_derived_from_them(
    testee: str, batch: Batch, tmp_path: Path
) -> None:
    agree(TESTEES[testee], batch, tmp_path)


def agree(testee: Testee, batch: Batch, tmp_path: Path) -> None:
    """Assert that the packages of all specs agree with the cases derived from them."""
    target = str(testee.target)

    def problem(spec: Spec) -> str:
        return answers(tmp_path, testee, whole=True) if models(spec, tmp_path, (target,)) else ""

    for name in batch.packages[target]:
        if answers(batch.folder / name, testee):
            fail(batch, name, problem)


def unlike(spec: Spec, where: Path) -> str:
    """Return how imports of the AsyncAPI document and of the schema differ; "" if they do not, or if there is none."""
    files = rendered(named(spec, "less"), where / "spec", ("jsonschema",)).get("jsonschema", {})
    return difference(files, where) if bundle(files)[1] else ""


def test_documents_for_asyncapi_of_drawn_specs_are_imported_with_the_types_of_the_schemas(
    batch: Batch, tmp_path: Path
) -> None:
    found = {name: files for name, files in batch.packages["jsonschema"].items() if bundle(files)[1]}
    assert found
    for name, files in found.items():
        if difference(files, tmp_path / name):
            fail(batch, name, lambda spec: unlike(spec, tmp_path / f"less{next(ORDINAL)}"))


ORDINAL = count()


def constructs(files: Files, where: Path) -> str:
    """Return the errors in the results of Python constructors called without arguments; "" if there are none."""
    write({"": files}, where)
    modules = [".".join(Path(path).with_suffix("").parts) for path in files if fnmatch(path, "*/[!_]*.py")]
    package = modules[0].partition(".")[0]
    sys.path.insert(0, str(where))
    try:
        for module in modules:  # each becomes an attribute of the package
            import_module(module)
        api = import_module(package)
        made = import_module(f"{package}._construct").__all__ if f"{package}/_construct.py" in files else ()
        for name in made:
            make = getattr(api, name)
            if all(each.default is not each.empty for each in inspect.signature(make).parameters.values()):
                api.decode(api.encode(value := make()), type(value))
    except Exception:  # noqa: BLE001 - any exception is a bug of the package
        return traceback.format_exc()
    finally:
        sys.path.remove(str(where))
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
    return ""


def constructs_alone(spec: Spec, where: Path) -> str:
    """Return the same for one spec."""
    name = f"constructed{next(ORDINAL)}"
    files = rendered(named(spec, name), where / "spec", ("python",)).get("python")
    return constructs(files, where / name) if files else ""


def test_constructors_of_drawn_specs_make_what_travels(batch: Batch, tmp_path: Path) -> None:
    for name, files in batch.packages["python"].items():
        if constructs(files, tmp_path / name):
            fail(batch, name, lambda spec: constructs_alone(spec, tmp_path / "less"))


@pytest.mark.parametrize(("target", "batch"), others(COMPILE), indirect=["batch"])
def test_what_lint_accepts_compiles_and_agrees_with_the_cases_derived_from_it(
    target: str, batch: Batch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """All specs are compiled; some of them also answer cases."""
    found = compiled(target, batch.packages[target], request, tmp_path / "all")

    def wrong(spec: Spec) -> str:
        files = rendered(named(spec, "less"), tmp_path / "spec", (target,)).get(target)
        return compiled(target, {"less": files} if files else {}, request, tmp_path / "one").wrong.get("less", "")

    for name in found.wrong:
        fail(batch, name, wrong)
    for name, command in found.testees.items():
        if problem := answers(batch.folder / name, Testee(name, command, tmp_path)):
            fail(batch, name, lambda spec: answers_alone(target, spec, tmp_path / "spec") or problem)


def answers_alone(target: str, spec: Spec, where: Path) -> str:
    """Return an error in the responses of a testee that is built for one spec."""
    return answers(where, TESTEES[target], whole=True) if models(spec, where, (target,)) else ""


# --- specs that once failed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOUND)
def test_what_once_failed_is_accepted_and_generates(name: str) -> None:
    report = checks.check(FOUND[name])
    assert [each for each in report.findings if each.severity == "error"] == []
    assert report.model is not None
    assert [target for target in TARGETS if not render(registry()[target], make_plan(report.model))] == []


SOME = 12
"""How many of them are compiled in a language, or put to a testee that is not compiled."""

ANSWERED = [
    *(pytest.param(name, "python", id=f"{name}-python") for name in sample([*FOUND], SOME, "python")),
    *(
        pytest.param(name, testee, id=f"{name}-{testee}", marks=pytest.mark.full)
        for testee, most in (("python-native", SOME), ("ajv", len(FOUND)), ("typescript", SOME), ("go", 6), ("rust", 6))
        for name in sample([*FOUND], most, testee)
    ),
]
"""Specs that once failed, and a testee; those of Go and Rust are compiled for each spec."""


@pytest.mark.parametrize(("name", "testee"), ANSWERED)
def test_packages_of_what_once_failed_agree_with_the_cases_derived_from_them(name: str, testee: str) -> None:
    assert answers(FOUND[name], TESTEES[testee]) == ""


def found_package(found: str, target: str, name: str) -> Files:
    """Return the package of a spec that once failed, with a name that differs from those of others."""
    model = checks.check(FOUND[found]).model
    assert model is not None
    return render(registry()[target], make_plan(renamed(model, name)))


@pytest.mark.parametrize("name", FOUND)
def test_cases_derived_from_a_spec_that_once_failed_reach_everything_in_it(name: str) -> None:
    protocol = Protocols(FOUND[name]).default
    assert measure(derived(protocol, seed=SEED, random=0), protocol).lines(100)[1:] == []


@pytest.mark.parametrize("name", FOUND)
def test_constructors_of_what_once_failed_make_what_travels(name: str, tmp_path: Path) -> None:
    assert constructs(found_package(name, "python", f"constructed{next(ORDINAL)}"), tmp_path) == ""


def found_packages(target: str, most: int) -> dict[str, Files]:
    """Return the packages of some specs that once failed, to be compiled together."""
    names = sample([*FOUND], most, f"compiled {target}")
    return {f"s{at}": found_package(found, target, f"s{at}") for at, found in enumerate(names)}


@pytest.mark.full
@pytest.mark.parametrize("target", sample([*COMPILE], 2, "what once failed"))
def test_what_once_failed_compiles(target: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    assert compiled(target, found_packages(target, SOME), request, tmp_path / "all").wrong == {}


FAULTS = {
    "python": ("*/_base.py", b"\nfault\n"),
    "jsonschema": ("*.json", b'{"type": "fault"}'),
    "typescript": ("index.js", b"\nfault()\n"),
    "go": ("drawn/wire.go", b"\nfault\n"),
    "rust": ("src/lib.rs", b"\nfault\n"),
}
"""By target: files of a package, and what is put at their end."""


@pytest.mark.full
@pytest.mark.parametrize("target", sample([*COMPILE], 2, "what does not compile"))
def test_a_package_that_does_not_compile_is_named(target: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    found = found_packages(target, 2)
    packages = {name: found[name] for name in ("s0", "s1")}  # all are there in `make test-nightly`
    form, fault = FAULTS[target]
    planted = {
        path: (fault if target == "jsonschema" else contents + fault) if fnmatch(path, form) else contents
        for path, contents in packages["s1"].items()
    }
    assert planted != packages["s1"]
    assert compiled(target, packages | {"s1": planted}, request, tmp_path / "all").wrong.keys() == {"s1"}


# --- drawing ---------------------------------------------------------------------------------------------------


def test_a_good_part_of_what_is_drawn_is_accepted(tmp_path: Path) -> None:
    # Of some samples of this size, none is accepted: whether drawing is any good must not depend on the commit.
    accepted = [model_if_accepted(draw(at), tmp_path, TARGETS) for at in range(FEW)]
    assert sum(model is not None for model in accepted) >= FEW / 4


@pytest.mark.full
def test_every_word_of_the_vocabulary_is_accepted_in_every_language(tmp_path: Path) -> None:
    words = everything()
    for at in range(0, len(words), 150):
        accepted = models(spec_of(words[at : at + 150]), tmp_path, TARGETS)
        assert accepted.keys() == {*TARGETS}, f"words {at} to {at + 150}"


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_draws_the_same_spec(seed: int) -> None:
    assert text(draw(seed)) == text(draw(seed)) != text(draw(seed + 1))


def test_a_failure_shrinks_to_what_it_needs() -> None:
    spec = next(spec for spec in map(draw, range(FEW)) if spec["aliases"])
    assert shrunk(spec, lambda each: bool(each.get("aliases"))).keys() == {"aliases"}
