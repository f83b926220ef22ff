"""The packages of each single release, in all languages, compile.

`make test-all` covers one release, chosen by `SEED`; `make test-nightly` covers all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from polywire.model.build import Builder
from polywire.model.nodes import Model
from polywire.model.releases import Span
from polywire.targets import registry
from polywire_upstream import config
from rendered import generate, model_of, source_of
from sampling import sample, third, turn
from toolchain import NODE_PACKAGES, ROOT, Toolchain

SPEC = ROOT / "spec"
RELEASES = Builder(source_of(SPEC)).releases.names
TSC = NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"

each_release = pytest.mark.parametrize("release", sample(RELEASES, 1))


@cache
def at(release: str) -> Model:
    return model_of(SPEC, span=Span.at(release))


@pytest.fixture
def package(release: str, tmp_path: Path) -> Callable[[str], Path]:
    """A function that generates the package of the release in a language, given the name of its target."""
    return lambda target: generate(registry()[target], at(release), tmp_path / target)


def test_there_are_releases_from_the_oldest_to_the_newest() -> None:
    assert len(RELEASES) == 12
    assert (RELEASES[0], RELEASES[-1]) == ("0.2.33", "0.3.333")


def test_the_sdk_and_the_program_that_tests_start_are_those_of_the_newest_release() -> None:
    known = config.load(SPEC / config.NAME)
    sdk = json.loads((NODE_PACKAGES / "newest" / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert sdk == {known.package: RELEASES[-1], **known.releases[RELEASES[-1]]}
    program = json.loads((ROOT / "tests" / "live" / "package.json").read_text(encoding="utf-8"))["optionalDependencies"]
    assert set(program.values()) == {RELEASES[-1]}


@each_release
@third("projections of releases")
def test_python_imports_every_module_and_mypy_is_silent(package: Callable[[str], Path], release: str) -> None:
    folder = package("python")
    script = (
        "import pkgutil, importlib, agentlines\n"
        "for each in pkgutil.iter_modules(agentlines.__path__): importlib.import_module(f'agentlines.{each.name}')\n"
        "print(agentlines.PROTOCOL_OLDEST, agentlines.PROTOCOL_NEWEST)\n"
    )
    for words, said in ((["-c", script], f"{release} {release}\n"), (["-m", "mypy", "--strict", "agentlines"], None)):
        done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert said is None or done.stdout == said


@each_release
@third("projections of releases")
def test_schemas_are_schemas(package: Callable[[str], Path]) -> None:
    schemas = [json.loads(path.read_text("utf-8")) for path in package("jsonschema").rglob("*.schema.json")]
    assert len(schemas) == 2
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)


@each_release
@third("projections of releases")
def test_typescript_compiles_and_node_loads_it(node: Toolchain, package: Callable[[str], Path]) -> None:
    folder = package("typescript")
    options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipDefaultLibCheck", "--lib", "es2018"]
    done = node.run("node", TSC, *options, "index.d.ts", cwd=folder)
    assert done.returncode == 0, done.stdout
    done = node.run("node", "--input-type=module", "--eval", "await import('./index.js')", cwd=folder)
    assert done.returncode == 0, done.stderr


@each_release
@third("projections of releases")
def test_go_compiles(go: Toolchain, package: Callable[[str], Path]) -> None:
    done = go.run("go", "build", "-p", "1", "./...", cwd=package("go"))
    assert done.returncode == 0, done.stderr


@pytest.mark.xdist_group("cargo")
@each_release
@turn("releases in Rust")
def test_rust_compiles(rust: Toolchain, package: Callable[[str], Path]) -> None:
    done = rust.run("cargo", "check", "--quiet", "--offline", "--jobs", "1", cwd=package("rust"))
    assert done.returncode == 0, done.stderr
