"""The TypeScript package as npm packs it: its contents, the findings of linters, and its use once installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import toolchain
from polywire.plan.public import features
from polywire.targets.typescript import ROOT_FILES
from polywire.targets.typescript.names import VOCABULARY
from rendered import model_of
from sampling import third

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE / "example"
CAPTURE = HERE.parent / "captures" / "0.2.37" / "allowed_disallowed.out.ndjson"
EXAMPLES = ("basic_usage.ts", "type_guards.ts")
"""What chorus's 'SDK Message Types' shows users of the agent SDK, written anew."""

STRICTEST = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noPropertyAccessFromIndexSignature": True,
    "noImplicitOverride": True,
    "verbatimModuleSyntax": True,
    "skipLibCheck": False,
    "skipDefaultLibCheck": True,  # the compiler's own declarations take longer to check than ours
    "target": "es2022",
    "module": "nodenext",
    "types": ["node"],
    "typeRoots": [str(HERE / "node_modules" / "@types")],
}


@pytest.fixture(scope="module")
def tarball(root: Path, node: toolchain.Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed package."""
    folder = tmp_path_factory.mktemp("packed")
    done(node.run("npm", "pack", root / "generated" / "typescript", "--pack-destination", folder))
    (made,) = folder.glob("*.tgz")
    return made


@pytest.fixture(scope="module")
def installed(node: toolchain.Toolchain, tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with only the package, installed from the tarball."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    done(node.run("npm", "install", "--offline", "--no-audit", "--no-fund", tarball, cwd=folder))
    assert [each.name for each in (folder / "node_modules").iterdir() if not each.name.startswith(".")] == [
        "agentlines"
    ]
    return folder


def done(process: subprocess.CompletedProcess[str]) -> str:
    """Return the output of a program, which must have succeeded."""
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def script(package: str) -> Path:
    """Return the program of an installed linter, as declared by its package."""
    folder = HERE / "node_modules" / package
    ((_, path),) = json.loads((folder / "package.json").read_text(encoding="utf-8"))["bin"].items()
    return folder / str(path)


# --- the tarball -----------------------------------------------------------------------------------------------


def test_the_tarball_has_the_code_its_declarations_and_what_people_read(tarball: Path) -> None:
    files = VOCABULARY.files_of(features(model_of(toolchain.ROOT / "spec")))
    with tarfile.open(tarball) as archive:
        assert sorted(archive.getnames()) == [
            "package/LICENSE",
            "package/README.md",
            "package/enums.js",
            "package/index.d.ts",
            "package/index.js",
            "package/launches.js",
            "package/node.d.ts",
            "package/node.js",
            "package/package.json",
            "package/pairs.js",
            *(f"package/runtime/{file}" for file in sorted({*files, "framing.js", *ROOT_FILES})),
            "package/tables.js",
        ]


@pytest.mark.full
def test_types_are_right_for_every_way_to_resolve_the_package(node: toolchain.Toolchain, tarball: Path) -> None:
    # A CommonJS importer loads the ES module with `require`: Node and the compiler accept that, the linter does not.
    linter = (script("@arethetypeswrong/cli"), tarball, "--format", "json", "--ignore-rules", "cjs-resolves-to-esm")
    told = json.loads(done(node.run("node", *linter)))
    entries = told["analysis"]["entrypoints"]
    assert {problem["kind"] for problem in told["analysis"]["problems"]} == {"CJSResolvesToESM"}
    for entry in (".", "./node"):
        assert set(entries[entry]["resolutions"]) == {"node10", "node16-cjs", "node16-esm", "bundler"}
        assert all(found["resolution"]["isTypeScript"] for found in entries[entry]["resolutions"].values())


@pytest.mark.full
def test_the_linter_of_packages_has_nothing_to_say(
    node: toolchain.Toolchain, tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # under CI=true it treats any output as a terminal
    told = node.run("node", script("publint"), "run", tarball, "--strict")
    assert done(told).strip().endswith("All good!")


def test_the_package_needs_no_other(root: Path) -> None:
    manifest = json.loads((root / "generated" / "typescript" / "package.json").read_text(encoding="utf-8"))
    assert not {key for key in manifest if key.lower().endswith("dependencies")}
    assert manifest["engines"] == {"node": ">=20.19"}


# --- installed -------------------------------------------------------------------------------------------------

USE = """
const line = {line};
const message = decode(line);
const again = encode(decode(encode(message)));
console.log(JSON.stringify([isSystemInit(message), isAssistant(message), encode(message) === again]));
"""
IMPORTS = {
    "esm.mjs": 'import { decode, encode, isAssistant, isSystemInit } from "agentlines";',
    "cjs.cjs": 'const { decode, encode, isAssistant, isSystemInit } = require("agentlines");',
}


def init_line() -> str:
    """A captured line that opens a session."""
    lines = CAPTURE.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if json.loads(line).get("subtype") == "init")


@pytest.mark.parametrize("file", IMPORTS)
def test_the_installed_package_is_used_from_either_kind_of_module(
    file: str, node: toolchain.Toolchain, installed: Path
) -> None:
    program = installed / file
    program.write_text(IMPORTS[file] + USE.replace("{line}", json.dumps(init_line())), encoding="utf-8")
    assert json.loads(done(node.run("node", program, cwd=installed))) == [True, False, True]


def test_import_and_require_give_the_same_objects(node: toolchain.Toolchain, installed: Path) -> None:
    program = installed / "same.mjs"
    program.write_text(
        'import { createRequire } from "node:module";\n'
        'const imported = await import("agentlines");\n'
        'const required = createRequire(import.meta.url)("agentlines");\n'
        "const names = Object.keys(imported);\n"
        "const same = names.every((name) => required[name] === imported[name]);\n"
        "console.log(JSON.stringify([same, names.length, Object.keys(required).length]));\n",
        encoding="utf-8",
    )
    same, imported, required = json.loads(done(node.run("node", program, cwd=installed)))
    assert same
    assert imported == required > 100


BROWSER = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const web = { TextDecoder, TextEncoder, TransformStream, ReadableStream, crypto, Uint8Array };
const context = vm.createContext(web);
const modules = new Map();
const load = (url) => {
  if (!url.startsWith("file:")) throw new Error(`imports ${url}`);
  const read = () => new vm.SourceTextModule(readFileSync(new URL(url), "utf8"), { context, identifier: url });
  if (!modules.has(url)) modules.set(url, read());
  return modules.get(url);
};
const module = load(pathToFileURL(process.argv[2]).href);
await module.link((name, importer) => load(new URL(name, importer.identifier).href));
await module.evaluate();
const { decode, isSystemInit, read, decodeStream } = module.namespace;
const line = new TextEncoder().encode(process.argv[3] + "\\n");
const found = [isSystemInit(decode(process.argv[3]))];
const source = () => new ReadableStream({ start(to) { to.enqueue(line); to.close(); } });
for await (const message of read(source())) found.push(isSystemInit(message));
for await (const message of source().pipeThrough(decodeStream())) found.push(isSystemInit(message));
console.log(JSON.stringify(found));
"""


def test_the_code_runs_with_what_browsers_have_and_imports_nothing_else(
    node: toolchain.Toolchain, installed: Path
) -> None:
    program = installed / "browser.mjs"
    program.write_text(BROWSER, encoding="utf-8")
    code = installed / "node_modules" / "agentlines" / "index.js"
    told = node.run("node", "--experimental-vm-modules", "--no-warnings", program, code, init_line(), cwd=installed)
    assert json.loads(done(told)) == [True, True, True]


# --- code of users of the agent SDK -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def example(node: toolchain.Toolchain, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled examples, in a project whose agent SDK is our package and a captured session."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(installed / "node_modules", folder / "node_modules")
    sdk = folder / "node_modules" / "@anthropic-ai" / "claude-agent-sdk"
    sdk.mkdir(parents=True)
    shutil.copy(EXAMPLE / "sdk.ts", folder / "sdk.ts")
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    manifest = {"name": "@anthropic-ai/claude-agent-sdk", "type": "module", "exports": "./sdk.js"}
    (sdk / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    compile_(node, folder, ["sdk.ts"], declaration=True, outDir=str(sdk))
    (folder / "sdk.ts").unlink()
    for name in EXAMPLES:
        shutil.copy(EXAMPLE / name, folder / name)
    compile_(node, folder, list(EXAMPLES))
    return folder


def compile_(node: toolchain.Toolchain, folder: Path, files: list[str], **options: object) -> None:
    """Compile with every available check."""
    config = {"compilerOptions": STRICTEST | {"rootDir": "."} | options, "files": files}
    (folder / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done(node.run("node", HERE / "node_modules" / "typescript" / "bin" / "tsc", "-p", folder))


@third("code for the SDK in TypeScript")
def test_code_for_the_agent_sdk_compiles_and_reads_a_captured_session(node: toolchain.Toolchain, example: Path) -> None:
    messages = [json.loads(line) for line in CAPTURE.read_text(encoding="utf-8").splitlines()]
    told = done(node.run("node", example / "basic_usage.js", CAPTURE, cwd=example))
    said = re.findall(r"^(?:session .*|response \[|tool result$|cost .*)", told, re.MULTILINE)
    expected = {
        "system": lambda message: f"session {message['session_id']}",
        "assistant": lambda _: "response [",
        "user": lambda _: "tool result",
        "result": lambda message: f"cost {message['total_cost_usd']}",
    }
    assert said == [expected[each["type"]](each) for each in messages if each["type"] in expected]
    assert {each["type"] for each in messages} >= set(expected)
