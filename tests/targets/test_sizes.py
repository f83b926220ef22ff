"""Specs of many declarations, in every shape: the work grows with their number, and no chain of them is too long."""

from __future__ import annotations

import cProfile
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import toolchain
from polywire.checks import check
from polywire.commands.cli import cli
from polywire.model.graphs import bottom_up, cycles, longest_chain, longest_paths, max_depths, min_depths
from polywire.model.nodes import Model
from polywire.oracle import instances
from polywire.plan import make_plan
from polywire.source.types import Ref
from polywire.targets import registry
from polywire.writing import render
from sampling import number, sample, turn
from shapes import LEVELS, SHAPES, write
from toolchain import Toolchain

CHAINS = ("optional", "lists", "maps", "tuples", "extra", "choices", "ladder", "ring", "between")
"""Shapes in which types contain each other, without an end that the language prescribes."""

MANY = 1200
"""More declarations than the interpreter allows frames."""


@pytest.fixture(autouse=True)
def _default_recursion_limit() -> Iterator[None]:
    """The reference decoder raises the limit when it is imported, which would hide recursion along declarations."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def sound(folder: Path) -> Model:
    report = check(folder)
    assert (report.findings, report.model is None) == ((), False)
    assert report.model is not None
    return report.model


def calls(folder: Path) -> int:
    """Count the calls of functions, built-in ones included, that checking a spec takes."""
    profiler = cProfile.Profile()
    profiler.enable()
    report = check(folder)
    profiler.disable()
    assert report.findings == ()
    return sum(entry.callcount for entry in profiler.getstats())


def check_growth(shape: str, size: int, tmp_path: Path) -> None:
    """What a spec takes on top of one of half its size doubles when its size does; of a square it quadruples."""
    folders = [write(shape, times * size, tmp_path / str(times)) for times in (1, 2, 4)]
    calls(folders[-1])  # fills the caches
    counts = [calls(folder) for folder in folders]
    assert counts[2] - counts[1] <= 2.3 * (counts[1] - counts[0]), counts


@pytest.mark.parametrize("shape", sample([*SHAPES], 2))
def test_the_work_of_lint_grows_with_the_number_of_declarations(shape: str, tmp_path: Path) -> None:
    check_growth(shape, 2 * LEVELS, tmp_path)  # so that all sizes have whole ladders


@turn("lint of many declarations")
@pytest.mark.parametrize("shape", sample([*SHAPES], 8))
def test_the_work_of_lint_grows_with_the_number_of_declarations_also_if_there_are_many(
    shape: str, tmp_path: Path
) -> None:
    check_growth(shape, 250, tmp_path)


def generate(model: Model) -> None:
    plan = make_plan(model)
    for target in registry().values():
        assert render.render(target, plan)


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)
    return result.exit_code, result.output


def renamed(folder: Path, name: Path) -> Path:
    """The same spec, with other names and types for everything below its root."""
    text = (folder / "protocol.yaml").read_text()
    name.mkdir()
    (name / "protocol.yaml").write_text(re.sub(r"\bA(\d)", r"Z\1", text).replace("string", "integer"))
    return name


def check_commands(shape: str, size: int, tmp_path: Path) -> None:
    """Run the commands that read a spec, or compare it with another one."""
    spec = write(shape, size, tmp_path / "spec")
    (tmp_path / "log.ndjson").write_text('{"a": 1}\n{}\n')
    assert run("show", "--spec", spec, "A0")[0] == 0
    assert "Root" in run("explain", "--spec", spec, tmp_path / "log.ndjson")[1]
    assert f"Z{size - 1}" in run("diff", spec, renamed(spec, tmp_path / "other"))[1]
    assert "a?" in run("breaking", "--spec", tmp_path / "other", "--against", spec)[1]


def test_a_chain_of_types_goes_through_lint_and_every_target(tmp_path: Path) -> None:
    generate(sound(write("optional", MANY, tmp_path)))


@pytest.mark.full
def test_a_chain_of_types_goes_through_show_explain_diff_and_breaking(tmp_path: Path) -> None:
    check_commands("optional", MANY, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("shape", sample(CHAINS, 1, "chain 1"))
def test_every_long_chain_goes_through_every_target(shape: str, tmp_path: Path) -> None:
    generate(sound(write(shape, MANY, tmp_path)))


@pytest.mark.full
@pytest.mark.parametrize("shape", sample(CHAINS, 1, "chain 2"))
def test_every_long_chain_goes_through_every_command(shape: str, tmp_path: Path) -> None:
    check_commands(shape, MANY, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("shape", sample(CHAINS, 1, "chain 3"))
def test_every_long_chain_has_instances_and_a_reference(shape: str, tmp_path: Path) -> None:
    spec = write(shape, MANY, tmp_path / "spec")
    assert {each.type for each in instances.derive(sound(spec), random=0, only={"A0"})} == {"A0"}
    assert run("docs", "--spec", spec, "--out", tmp_path / "out")[0] == 0


@pytest.mark.nightly
@pytest.mark.parametrize("shape", CHAINS)
def test_a_chain_of_3000_types_goes_through_everything(shape: str, tmp_path: Path) -> None:
    check_commands(shape, 3000, tmp_path)
    generate(sound(tmp_path / "spec"))
    assert run("docs", "--spec", tmp_path / "spec", "--out", tmp_path / "out")[0] == 0


@pytest.mark.nightly
@pytest.mark.parametrize("shape", SHAPES)
def test_lint_reads_100000_declarations(shape: str, tmp_path: Path) -> None:
    sound(write(shape, 100_000, tmp_path))


# --- graphs ----------------------------------------------------------------------------------------------------


def test_the_longest_paths_leave_out_names_that_lead_into_a_cycle() -> None:
    graph = {"a": ["b", "c"], "b": ["c"], "c": [], "d": ["d"], "e": ["d", "c"]}
    assert longest_paths(graph) == {"c": 0, "b": 1, "a": 2}
    assert list(bottom_up(graph)) == ["c", "b", "a"]


def test_each_cycle_is_found_once_and_names_that_only_lead_there_are_in_none() -> None:
    graph = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": [], "e": ["e"], "f": ["e"]}
    assert cycles(graph) == [["b", "c", "b"], ["e", "e"]]


def test_the_longest_chain_counts_every_name_of_a_cycle() -> None:
    graph = {"a": ["b", "c"], "b": ["c"], "c": [], "d": ["e", "a"], "e": ["f"], "f": ["d", "gone"]}
    assert (longest_chain(graph), longest_chain({})) == (6, 0)


def test_a_cycle_is_the_shortest_of_its_first_name() -> None:
    assert cycles({"a": ["b"], "b": ["c", "a"], "c": ["a"]}) == [["a", "b", "a"]]


DEPTHS = """\
polywire: 1
protocol: {name: demo, title: Demo, version: 1.0.0, framing: ndjson, peers: [client, server], roots: [Root]}
messages:
  Root: {doc: A line., from: client, fields: {wide: Wide, flat: {type: Flat, flatten: true}, tree?: Tree}}
types:
  Wide: {doc: A type., fields: {list: "string[1..]", free: "Tree[]", one: Leaf | string}}
  Flat: {doc: A type., fields: {leaf: Leaf}}
  Leaf: {doc: A type., fields: {text: string}}
  Tree: {doc: A type., fields: {next?: Tree}}
"""


def test_the_depth_of_values_counts_objects_and_arrays(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(DEPTHS)
    model = sound(tmp_path)
    least = min_depths(model)
    assert {name: least[Ref(name)] for name in model.declarations} == {
        "Root": 3,
        "Wide": 2,
        "Flat": 2,
        "Leaf": 1,
        "Tree": 1,
    }
    assert max_depths(model) == {"Leaf": 1, "Flat": 2}


# --- packages --------------------------------------------------------------------------------------------------

LINE = '{"a":{"a":{"a":{"new":1}}}}'


def package(target: str, spec: Path, folder: Path) -> Path:
    """Write the package of a spec into a folder."""
    for path, contents in render.render(registry()[target], make_plan(sound(spec))).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)
    return folder


@pytest.mark.full
@pytest.mark.parametrize("shape", sample(CHAINS, 1, "chain 4"))
def test_a_python_package_of_a_long_chain_reads_and_writes_a_line(shape: str, tmp_path: Path) -> None:
    folder = package("python", write(shape, MANY, tmp_path / "spec"), tmp_path / "package")
    line = LINE if shape in {"optional", "ladder", "ring"} else "{}"
    code = f"import demo; print(demo.encode(demo.decode({line!r})))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True).strip().strip("b'") == line


@pytest.mark.full
def test_a_typescript_package_of_a_long_chain_reads_and_writes_a_line(node: Toolchain, tmp_path: Path) -> None:
    folder = package("typescript", write("optional", MANY, tmp_path / "spec"), tmp_path / "package")
    code = f"import {{decode, encode}} from './index.js'; console.log(encode(decode({LINE!r})));"
    (folder / "main.mjs").write_text(code)
    assert node.run("node", "main.mjs", cwd=folder).stdout.strip() == LINE


@pytest.mark.full
def test_a_go_package_of_a_long_chain_compiles_and_reads_a_line(go: Toolchain, tmp_path: Path) -> None:
    folder = package("go", write("optional", MANY, tmp_path / "spec"), tmp_path / "package")
    assert (found := go.run("go", "vet", "./...", cwd=folder)).returncode == 0, found.stderr


def test_a_crate_of_a_long_chain_raises_the_recursion_limit_of_the_compiler(tmp_path: Path) -> None:
    attribute = b"#![recursion_limit"
    for size, needed in ((10, False), (100, True)):
        plan = make_plan(sound(write("ring", size, tmp_path / str(size))))
        assert (attribute in render.render(registry()["rust"], plan)["src/lib.rs"]) is needed


@pytest.mark.full
@pytest.mark.parametrize("shape", sample(CHAINS, 1, "chain 5"))
def test_a_crate_of_a_long_chain_compiles(shape: str, rust: Toolchain, tmp_path: Path) -> None:
    """The default limit suffices for 60 boxes in each other."""
    folder = package("rust", write(shape, number(150, MANY), tmp_path / "spec"), tmp_path / "crate")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", folder)
    found = rust.run("cargo", "check", "--offline", "--quiet", cwd=folder)
    assert found.returncode == 0, found.stderr[-2000:]
