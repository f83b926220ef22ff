"""The declarations of the TypeScript package, tested with user code that the compiler must accept or reject.

The code is `types/*.ts`: its assertions are about types, and each mistake follows `@ts-expect-error`, which is itself
an error if the next line is correct.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import toolchain
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets.typescript import TARGET
from polywire.targets.typescript.names import Names, exported
from polywire.writing.render import render
from rendered import generate, model_of
from sampling import sample, third

HERE = Path(__file__).resolve().parent
CODE = HERE / "types"
PARCEL = HERE.parent / "specs" / "parcel"
SHELF = HERE.parent / "specs" / "jsonrpc"
FORMS = HERE.parent / "specs" / "forms"
FOREST = HERE.parent / "specs" / "forest"

STRICT = {
    "noEmit": True,
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noImplicitReturns": True,
    "noUnusedLocals": True,
    "skipLibCheck": False,
    "skipDefaultLibCheck": True,  # the compiler's own declarations take longer to check than ours
    "target": "es2022",
    "types": [],
    "typeRoots": [str(HERE / "node_modules" / "@types")],
}

ANYWHERE = ("controls.ts", "guards.ts", "matching.ts", "mistakes.ts", "narrowing.ts", "reading.ts", "stored.ts")
SURROUNDINGS = {
    "nothing": ({"lib": ["es2018"]}, ANYWHERE),
    "a browser": ({"lib": ["es2022", "dom", "dom.iterable", "dom.asynciterable"]}, (*ANYWHERE, "browser.ts")),
    "Node": ({"lib": ["es2022"], "types": ["node"]}, (*ANYWHERE, "processes.ts", "streams.ts")),
}
"""An environment of a program → the compiler's options for it, and the code that can run there."""

RESOLUTIONS = {
    "a bundler": ("module", {"module": "esnext", "moduleResolution": "bundler"}),
    "an ES module": ("module", {"module": "nodenext"}),
    "a CommonJS module": ("commonjs", {"module": "nodenext"}),
}
"""An importer of the package → the kind of its own package, and the compiler's options for it."""


def install(model: Model, folder: Path) -> Path:
    """Install the package of a model for programs in the folder."""
    files = render(TARGET, make_plan(model))
    return generate(TARGET, model, folder / "node_modules" / str(json.loads(files["package.json"])["name"]))


def compiled(
    node: toolchain.Toolchain,
    folder: Path,
    files: tuple[str, ...],
    options: dict[str, object],
    kind: str = "module",
    compiler: str = "typescript",
) -> str:
    """Return the compiler's messages about files of user code."""
    for name in ("expect.ts", *files):
        shutil.copy(CODE / name, folder / name)
    (folder / "package.json").write_text(json.dumps({"private": True, "type": kind}), encoding="utf-8")
    config = {"compilerOptions": STRICT | options, "files": list(files)}
    (folder / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = node.run("node", HERE / "node_modules" / compiler / "bin" / "tsc", "-p", folder, cwd=folder)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def model(root: Path) -> Model:
    return model_of(root / "spec")


@third("types in TypeScript")
@pytest.mark.parametrize("surroundings", sample([*SURROUNDINGS], 1))
def test_user_code_compiles_with_whatever_is_around_it(
    surroundings: str, node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    install(model, tmp_path)
    options, files = SURROUNDINGS[surroundings]
    assert compiled(node, tmp_path, files, {"module": "esnext", "moduleResolution": "bundler", **options}) == ""


@third("types in TypeScript")
def test_the_declarations_compile_with_the_oldest_compiler_that_will_do(
    node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    package = install(model, tmp_path)
    config = {"compilerOptions": STRICT | {"lib": ["es2018"]}, "files": [str(package / "index.d.ts")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    compiler = HERE / "node_modules" / "typescript-oldest"
    done = node.run("node", compiler / "bin" / "tsc", "-p", tmp_path, cwd=tmp_path)
    assert done.stdout + done.stderr == ""
    version = json.loads((compiler / "package.json").read_text(encoding="utf-8"))["version"]
    told = re.search(r"TypeScript (\d+\.\d+) and newer", (package / "README.md").read_text(encoding="utf-8"))
    assert told is not None
    assert version.startswith(told[1] + ".")


@third("types in TypeScript")
def test_user_code_compiles_with_the_newest_compiler(node: toolchain.Toolchain, model: Model, tmp_path: Path) -> None:
    install(model, tmp_path)
    options, files = SURROUNDINGS["Node"]
    options = {"module": "nodenext", **options}
    assert compiled(node, tmp_path, files, options, compiler="typescript-newest") == ""


@third("types in TypeScript")
@pytest.mark.parametrize("importer", sample([*RESOLUTIONS], 1))
def test_user_code_compiles_from_either_kind_of_module(
    importer: str, node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    install(model, tmp_path)
    kind, options = RESOLUTIONS[importer]
    assert compiled(node, tmp_path, ANYWHERE, {"lib": ["es2022"], **options}, kind) == ""


@third("types in TypeScript")
@pytest.mark.parametrize("compiler", ["typescript", "typescript-newest", "typescript-oldest"])
def test_libraries_can_leave_types_to_the_compiler(
    compiler: str, node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    install(model, tmp_path)
    options: dict[str, object] = {"lib": ["es2022"], "module": "nodenext", "noEmit": False, "declaration": True}
    assert compiled(node, tmp_path, ("library.ts",), options, compiler=compiler) == ""
    emitted = (tmp_path / "library.d.ts").read_text(encoding="utf-8")
    assert "const read: (line: string) => WireMessageOrUnknown;" in emitted.replace('import("agentlines").', "")
    assert not re.search(r"\bany\b", emitted)


HOVERS = {
    "one": "const one: SDKMessageOrUnknown",
    "one.type": r'type: "assistant" \| "user" \| ("\w+" \| )+UnknownTag',
    "other.type": r'type: "result" \| "system" \| UnknownTag',
    "mode": "const mode: KnownPermissionMode",
    "mine": "const mine: ClosedObject<SDKUserMessage>",
    "mine.message": "message: ClosedObject<MessageParam>",
}
"""An expression in `types/hovers.ts` → what an editor shows for it."""


@third("types in TypeScript")
def test_editors_show_names_instead_of_what_they_stand_for(
    node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    install(model, tmp_path)
    shutil.copy(CODE / "hovers.ts", tmp_path)
    told = node.run("node", CODE / "hovers.mjs", tmp_path / "hovers.ts", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    shown: dict[str, str] = json.loads(told.stdout)
    assert [*shown] == [*HOVERS]
    for expression, text in HOVERS.items():
        assert re.search(f"^(\\(property\\) )?{text}$", shown[expression]), shown[expression]


@pytest.mark.full
def test_every_mistake_is_an_error_of_its_own_line(node: toolchain.Toolchain, model: Model, tmp_path: Path) -> None:
    install(model, tmp_path)
    text = (CODE / "mistakes.ts").read_text(encoding="utf-8").splitlines()
    marked = [at for at, line in enumerate(text, 1) if "@ts-expect-error" in line]
    assert len(marked) > 30
    bare = "\n".join("//" if "@ts-expect-error" in line else line for line in text)
    (tmp_path / "bare.ts").write_text(bare, encoding="utf-8")
    options = {"lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler", "noUnusedLocals": False}
    config = {"compilerOptions": STRICT | options, "files": ["bare.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    told = node.run("node", HERE / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path, cwd=tmp_path).stdout
    found = {int(line) for line in re.findall(r"^bare\.ts\((\d+),", told, re.MULTILINE)}
    assert found == {at + 1 for at in marked}


FORGOTTEN = """
import { encode, type Closed, type SDKMessage } from "agentlines";
const message = { role: "user", content: "Hello" } as const;
export const one: SDKMessage = { type: "user", session_id: "", message };
encode({ type: "user", session_id: "", message });
export const closed: Closed<SDKMessage> = { type: "user", session_id: "", message };
export const result: SDKMessage = { type: "result", subtype: "success", session_id: "" };
"""


@third("types in TypeScript")
@pytest.mark.parametrize("skips", [False, True])
def test_errors_for_a_forgotten_member_name_the_variant_that_was_meant(
    skips: bool, node: toolchain.Toolchain, model: Model, tmp_path: Path
) -> None:
    install(model, tmp_path)
    (tmp_path / "forgotten.ts").write_text(FORGOTTEN, encoding="utf-8")
    options = {"module": "esnext", "moduleResolution": "bundler", "skipLibCheck": skips}
    config = {"compilerOptions": STRICT | options, "files": ["forgotten.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    told = node.run("node", HERE / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path, cwd=tmp_path).stdout
    user, encoded, closed, result = re.split(r"^(?=forgotten\.ts)", told, flags=re.MULTILINE)[1:]
    for error in (user, encoded, closed):
        assert "Property 'parent_tool_use_id' is missing" in error
    for error in (user, encoded):
        assert error.rstrip().endswith("but required in type 'SDKUserMessage'.")
    assert "from type 'SDKResultSuccess': result, " in result


@third("types in TypeScript")
@pytest.mark.parametrize(
    ("spec", "code"),
    [(PARCEL, "parcel.ts"), (SHELF, "jsonrpc.ts"), (FORMS, "forms.ts"), (FOREST, "forest.ts")],
    ids=["parcel", "jsonrpc", "forms", "forest"],
)
def test_another_protocol_is_declared_as_well(spec: Path, code: str, node: toolchain.Toolchain, tmp_path: Path) -> None:
    install(model_of(spec), tmp_path)
    options = {"lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler"}
    assert compiled(node, tmp_path, (code,), options) == ""


@third("types in TypeScript")
@pytest.mark.parametrize(("spec", "count"), [("spec", 9), ("tests/specs/parcel", 7)])
def test_the_code_in_the_readme_compiles(
    spec: str, count: int, root: Path, node: toolchain.Toolchain, tmp_path: Path
) -> None:
    package = install(model_of(root / spec), tmp_path)
    blocks = re.findall(
        r"^```ts\n(.*?)^```", (package / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == count
    for at, block in enumerate(blocks):
        (tmp_path / f"block{at}.ts").write_text(block, encoding="utf-8")
    options = {"lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler", "types": ["node"]}
    config = {"compilerOptions": STRICT | options, "files": [f"block{at}.ts" for at in range(len(blocks))]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = node.run("node", HERE / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path, cwd=tmp_path)
    assert done.stdout + done.stderr == ""


@third("types in TypeScript")
@pytest.mark.parametrize("dialect", ["courier", "terse"])
def test_the_dialects_of_another_protocol_compile(dialect: str, node: toolchain.Toolchain, tmp_path: Path) -> None:
    package = install(model_of(PARCEL, dialect), tmp_path)
    config = {
        "compilerOptions": STRICT | {"lib": ["es2018"], "module": "nodenext"},
        "files": [str(package / "index.d.ts")],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = node.run("node", HERE / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path, cwd=tmp_path)
    assert done.stdout + done.stderr == ""


# --- declarations and code -------------------------------------------------------------------------------------

NAMES = """
import ts from "typescript";

const entries = process.argv.slice(2);
const files = entries.map((entry) => `${entry}.d.ts`);
const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, types: [] });
const checker = program.getTypeChecker();
const isValue = (symbol) => {
  const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return flags & ts.SymbolFlags.Value && !(flags & ts.SymbolFlags.ConstEnum);
};
const valuesIn = (file) => {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return exported.filter(isValue).map(({ name }) => name);
};
const found = entries.map(async (entry) => [valuesIn(`${entry}.d.ts`), Object.keys(await import(`${entry}.js`))]);
console.log(JSON.stringify(await Promise.all(found)));
"""
"""Prints for each entry point the names of the values that it declares, and of those that it has."""


@pytest.mark.full
def test_what_is_declared_is_what_the_code_has(root: Path, node: toolchain.Toolchain, tmp_path: Path) -> None:
    (tmp_path / "names.mjs").write_text(NAMES, encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    models = {"agentlines": model_of(root / "spec")}
    for spec in ("parcel", "parcel courier", "parcel terse", "jsonrpc", "forms", "forest"):
        name, *dialect = spec.split()
        models[spec.replace(" ", "-")] = model_of(PARCEL.parent / name, *dialect)
    entries = [generate(TARGET, model, tmp_path / name) / "index" for name, model in models.items()]
    done = node.run("node", tmp_path / "names.mjs", *entries, tmp_path / "agentlines" / "node")
    assert done.returncode == 0, done.stderr
    *packages, (declared, there) = json.loads(done.stdout)
    assert sorted(declared) == sorted(there)
    for name, (declared, there) in zip(models, packages, strict=True):
        assert sorted(declared) == sorted(there) == sorted(exported(models[name], Names(models[name]))), name


def test_nothing_is_any(model: Model) -> None:
    files = render(TARGET, make_plan(model))
    text = b"".join(contents for name, contents in files.items() if name.endswith(".d.ts")).decode()
    code = re.sub(r"/\*\*.*?\*/|//[^\n]*|`[^`]*`|\"[^\"\n]*\"", "", text, flags=re.DOTALL)
    lines = [line.strip() for line in code.splitlines() if re.search(r"\bany\b", line)]
    assert lines == ["interface TransformStream<I = any, O = any> {}"]  # the same as in other declarations of it
