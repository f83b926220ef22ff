"""The sources of the TypeScript runtime: unit tests, types, formatting and names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import toolchain
from polywire.ground.engine import CODES
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets.typescript import NODE_FILES, ROOT_FILES, TARGET
from polywire.targets.typescript.names import VOCABULARY, Names, exported
from polywire.writing.render import render
from rendered import model_of

OFFERED = ("api.d.ts", "api.js", "index.d.ts", "index.js")
"""The modules of the runtime of which packages export everything."""

PACKAGES = toolchain.NODE_PACKAGES / "node_modules"
PRETTIER = PACKAGES / "prettier" / "bin" / "prettier.cjs"
TSC = PACKAGES / "typescript" / "bin" / "tsc"

NAMES = """
import { readFileSync } from "node:fs";
import ts from "typescript";

/** The names that a module declares or imports at its top, and those that it exports from there. */
function names(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext, true);
  const [inner, outer] = [[], []];
  for (const each of source.statements) {
    const exported = each.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const declared = each.declarationList?.declarations ?? (each.name ? [each] : []);
    (exported ? outer : inner).push(...declared.map(({ name }) => name.text));
    const bindings = each.importClause?.namedBindings;
    inner.push(...(bindings?.elements ?? (bindings ? [bindings] : [])).map(({ name }) => name.text));
    const clause = each.exportClause;
    outer.push(...(clause?.elements ?? (clause ? [clause] : [])).map(({ name }) => name.text));
  }
  return [inner, outer];
}

console.log(JSON.stringify(process.argv.slice(2).map(names)));
"""


@pytest.fixture(scope="module")
def runtime(root: Path) -> Path:
    return root / "runtimes" / "typescript"


@pytest.fixture(scope="module")
def model(root: Path) -> Model:
    return model_of(root / "spec")


@pytest.mark.full
def test_the_unit_tests_of_the_runtime_pass(runtime: Path, node: toolchain.Toolchain) -> None:
    done = node.run("node", "--test", cwd=runtime)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\S+ skipped 0$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.full
def test_the_compiler_checks_the_types_of_the_runtime(runtime: Path, node: toolchain.Toolchain) -> None:
    done = node.run("node", TSC, "-p", runtime)
    assert done.stdout + done.stderr == ""


@pytest.mark.full
def test_prettier_changes_nothing_in_the_runtime(runtime: Path, node: toolchain.Toolchain) -> None:
    done = node.run("node", PRETTIER, "--print-width", "120", "--check", "**/*.{js,json,mjs,ts}", cwd=runtime)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_source_of_the_runtime_is_copied(runtime: Path) -> None:
    copied = {file for files in VOCABULARY.files.values() for file in files}
    assert {path.name for path in (runtime / "src").iterdir()} == {
        *copied,
        "framing.js",
        *ROOT_FILES,
    }  # packages have their own


def test_a_package_without_controls_has_no_sessions(root: Path) -> None:
    files = {*(f"runtime/{file}" for file in VOCABULARY.files["controls"]), *NODE_FILES}
    specs = root / "tests" / "specs"
    assert files & render(TARGET, make_plan(model_of(specs / "forms"))).keys() == set()
    assert files <= render(TARGET, make_plan(model_of(specs / "jsonrpc"))).keys()


def test_a_package_without_trees_has_no_code_for_them(root: Path) -> None:
    files = {f"runtime/{file}" for file in VOCABULARY.files["trees"]}
    specs = root / "tests" / "specs"
    without, having = (render(TARGET, make_plan(model_of(specs / name))) for name in ("forms", "forest"))
    assert files & without.keys() == set()
    assert files <= having.keys()
    assert b"tree" not in without["index.js"]
    assert b"trees.treeOf" in having["index.js"]


def test_the_codes_of_errors_are_those_of_the_engine_of_polywire(runtime: Path) -> None:
    declared = re.search(r"type ErrorCode =([^;]*);", (runtime / "src" / "index.d.ts").read_text(encoding="utf-8"))
    listed = re.search(r"const CODES = \[([^]]*)]", (runtime / "src" / "run.js").read_text(encoding="utf-8"))
    assert declared is not None
    assert listed is not None
    assert re.findall(r'"(\w+)"', declared[1]) == re.findall(r'"(\w+)"', listed[1]) == list(CODES)


# --- names -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def declared(
    model: Model, runtime: Path, node: toolchain.Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[list[str], list[str]]]:
    """By file: the names that it declares or imports for itself, and those that it exports."""
    folder = tmp_path_factory.mktemp("names")
    files = {f"runtime/{name}": runtime / "src" / name for name in OFFERED}
    for name, contents in render(TARGET, make_plan(model)).items():
        if name in {"index.js", "tables.js"}:
            files[name] = folder / name
            files[name].write_bytes(contents)
    (folder / "names.mjs").write_text(NAMES, encoding="utf-8")
    (folder / "node_modules").symlink_to(PACKAGES)
    done = node.run("node", folder / "names.mjs", *files.values())
    assert done.returncode == 0, done.stderr
    return dict(zip(files, json.loads(done.stdout), strict=True))


def test_what_index_has_for_itself_is_reserved(declared: dict[str, tuple[list[str], list[str]]]) -> None:
    assert sorted(declared["index.js"][0]) == sorted(VOCABULARY.words["in_index"])


def test_what_tables_have_for_themselves_is_reserved(declared: dict[str, tuple[list[str], list[str]]]) -> None:
    assert sorted(declared["tables.js"][0]) == sorted(VOCABULARY.words["in_tables"])


def test_what_the_runtime_offers_to_users_is_reserved(declared: dict[str, tuple[list[str], list[str]]]) -> None:
    offered = VOCABULARY.exports["every"]
    for name in OFFERED:
        kinds = offered if name.endswith(".ts") else ("values",)
        assert {*declared[f"runtime/{name}"][1]} <= {each for kind in kinds for each in offered[kind]}, name


def test_what_index_exports_is_what_the_target_says(
    model: Model, declared: dict[str, tuple[list[str], list[str]]]
) -> None:
    names = Names(model)
    enums = {names.values(enum) for enum in model.enums}
    files = ("index.js", "tables.js", "runtime/api.js", "runtime/index.js")
    offered = {name for file in files for name in declared[file][1]} | enums
    assert offered == set(exported(model, names))
