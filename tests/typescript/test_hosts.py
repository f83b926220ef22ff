"""The package outside Node and in bundles: written cases have the same outcomes, without code from strings."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import toolchain
from polywire.targets.typescript import TARGET
from rendered import generate, model_of
from sampling import sample, third, turn

with contextlib.suppress(ModuleNotFoundError):  # `make test` collects this module without installing what it needs
    from playwright.sync_api import sync_playwright

HOSTS = Path(__file__).resolve().parent / "hosts"
BUNDLERS = ("esbuild", "rollup", "webpack")
POLICY = "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\">"
"""The policy that forbids a page from creating code from strings."""


def described(outcome: dict[str, Any]) -> str:
    """Return an outcome of a case in the form that `hosts/cases.mjs` reports."""
    if "items" in outcome:
        return ", ".join(
            f"{item['line']} {described(item)}" if "error" in item else described(item) for item in outcome["items"]
        )
    return f"{outcome['error']['code']} {outcome['error']['path']}" if "error" in outcome else "ok"


@pytest.fixture(scope="session")
def cases(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The written cases of the real spec that have a single correct outcome."""
    found = []
    fixtures = root / "tests" / "fixtures"
    for file in sorted(fixtures.rglob("*.json")):
        written, defaults = json.loads(file.read_bytes()), file.with_name("_defaults.json")
        if defaults.is_file() and "spec" in json.loads(defaults.read_bytes()):
            continue
        for case in written if isinstance(written, list) else [written]:
            stated, deviation = case.get("expect", {"any": []}), case.get("deviations", {}).get("typescript", {})
            wanted = deviation.get("expect", stated)
            elsewhere = case.keys() & {"dialect", "session", "spec"}
            if elsewhere or any("any" in each for each in (wanted, *wanted.get("items", ()))):
                continue
            stream = case.get("stream", {})
            data = {"base64": case["bytes"]} if "bytes" in case else case.get("raw", json.dumps(case.get("input")))
            found.append(
                {
                    "name": str(file.relative_to(fixtures)),
                    "type": case.get("type", "WireMessage"),
                    "strict": case.get("mode") == "strict",
                    "wanted": described(wanted),
                    "exactly": described(stated) if deviation.get("limit") == "integers" else None,
                    "data": data,
                    "chunks": stream.get("chunks"),
                    "limit": stream.get("limit"),
                    "only": stream.get("only"),
                }
            )
    listed = tmp_path_factory.mktemp("cases") / "cases.json"
    listed.write_text(json.dumps([{k: v for k, v in case.items() if v is not None} for case in found]))
    return listed


def is_right(told: str) -> None:
    """Check that every case has its expected outcome."""
    found = json.loads(told)
    assert found["wrong"] == []
    assert found["cases"] > 900


def output(node: toolchain.Toolchain, *arguments: str | Path) -> str:
    done = node.run("node", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bundled(node: toolchain.Toolchain, bundler: str, sources: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Return the scripts that a bundler creates from modules, by name; one process bundles all of them."""
    folders = {name: folder / str(at) for at, name in enumerate(sources)}
    for name, source in sources.items():
        folders[name].mkdir()
        (folders[name] / "entry.mjs").write_text(source, encoding="utf-8")
    output(node, HOSTS / "bundle.mjs", bundler, *folders.values())
    return {name: made / "bundle.js" for name, made in folders.items()}


@pytest.fixture(scope="session")
def package(root: Path) -> str:
    """The name by which a module imports the package, quoted."""
    return json.dumps((root / "generated" / "typescript" / "index.js").as_posix())


@pytest.fixture(scope="session")
def all_in(package: str) -> str:
    """The source of a module that imports the whole package and runs cases."""
    return (
        f"import * as agent from {package};\n"
        f"import {{ run }} from {json.dumps((HOSTS / 'cases.mjs').as_posix())};\n"
        "globalThis.run = (cases) => run(agent, cases);\n"
    )


def test_the_cases_have_their_outcomes_without_node_and_without_code_made_of_strings(
    root: Path, node: toolchain.Toolchain, cases: Path
) -> None:
    flags = ("--experimental-vm-modules", "--no-warnings", "--disallow-code-generation-from-strings")
    is_right(output(node, *flags, HOSTS / "vm.mjs", root / "generated" / "typescript", cases))


# --- other runtimes --------------------------------------------------------------------------------------------

PROGRAM = """\
import {{ readFileSync }} from "node:fs";
import * as agent from {package};
import {{ run }} from {cases};
console.log(JSON.stringify(run(agent, JSON.parse(readFileSync(process.argv[2], "utf8")))));
"""

FOR_NODE = "process.test.mjs"
"""The test of the Node-only part, which starts programs with Node's API."""

DENO = ("--no-config", "--no-lock")
OTHERS = {
    "bun": (toolchain.bun, ("run",), ("test", "--timeout", "600000")),
    "deno": (toolchain.deno, ("run", *DENO, "--allow-read"), ("test", *DENO, "--no-check", "--allow-all")),
}
"""Runtimes other than Node → how they run a program that reads files, and how they run tests."""


@pytest.fixture(params=sample([*OTHERS], 1))
def other(request: pytest.FixtureRequest) -> tuple[toolchain.Toolchain, list[str], list[str]]:
    """A runtime with the command that runs a program on it, and the one that runs tests."""
    find, running, testing = OTHERS[request.param]
    found = find()
    if found is None:
        pytest.skip(f"{request.param} is missing; `make .venv/node-all.stamp` says why")
    return found, [request.param, *running], [request.param, *testing]


@third("other hosts of JavaScript")
def test_the_cases_have_their_outcomes_on_another_runtime(
    other: tuple[toolchain.Toolchain, list[str], list[str]], root: Path, cases: Path, tmp_path: Path
) -> None:
    found, running, _ = other
    package, runner = root / "generated" / "typescript" / "index.js", HOSTS / "cases.mjs"
    text = PROGRAM.format(package=json.dumps(package.as_uri()), cases=json.dumps(runner.as_uri()))
    program = tmp_path / "program.mjs"
    program.write_text(text, encoding="utf-8")
    done = found.run(*running, program, cases)
    assert done.returncode == 0, done.stderr
    is_right(done.stdout)


@third("other hosts of JavaScript")
def test_the_tests_of_the_package_and_of_the_runtime_pass_on_another_runtime(
    other: tuple[toolchain.Toolchain, list[str], list[str]],
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, _, testing = other
    for variable, spec in {"PARCEL": "parcel", "SHELF": "jsonrpc", "FORMS": "forms"}.items():
        monkeypatch.setenv(variable, str(generate(TARGET, model_of(root / "tests" / "specs" / spec), tmp_path / spec)))
    for folder in (HOSTS.parent / "runtime", root / "runtimes" / "typescript" / "test"):
        files = sorted(file for file in folder.glob("*.test.mjs") if file.name != FOR_NODE)
        done = found.run(*testing, *files)
        told = done.stdout + done.stderr
        assert done.returncode == 0, told
        declared = sum(file.read_text(encoding="utf-8").count("\ntest(") for file in files)
        assert max(map(int, re.findall(r"(\d+) pass", told))) >= declared, told


# --- bundles ---------------------------------------------------------------------------------------------------


SHAKEN = {
    "{ PERMISSION_MODES }": 512,
    "{ isTextDelta }": 4000,
    "{ typed }": 12_000,
    "*": 18_500,
}
"""What a program uses of the package → the maximum compressed size of its bundle in bytes, without its types."""

EACH_TYPE = 69
"""The bytes that each type of the spec may add to a bundle of the whole package, which grows only with the spec."""

SESSIONS = {
    "{ Session }": ["unknown_request", "SessionError"],
    "{ reply }": [],
    "{ SessionError }": ["SessionError"],
}
"""What a program uses of the package → the parts of sessions that are in its bundle."""


TREES = {
    "{ decode }": ["UnknownEntry"],
    "{ Forest }": ["attached"],
    "{ Stairs }": ["attached", "Stairs"],
}
"""What a program uses of a package with trees → the parts of trees and types that are in its bundle."""


@pytest.fixture(scope="module", params=sample([*BUNDLERS], 1))
def bundles(
    request: pytest.FixtureRequest,
    package: str,
    all_in: str,
    node: toolchain.Toolchain,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """The bundles of a bundler: `all_in`, and programs by what they use of the package."""
    sources = {"all": all_in}
    for what in (*SHAKEN, *SESSIONS):
        taken = f"* as taken from {package}" if what == "*" else f"{what} from {package}"
        name = "taken" if what == "*" else what.strip("{ }")
        sources[what] = f"import {taken};\nglobalThis.taken = {name};\n"
    return bundled(node, request.param, sources, tmp_path_factory.mktemp("bundles"))


@turn("bundles")
def test_the_cases_have_their_outcomes_in_a_bundle(
    bundles: dict[str, Path], node: toolchain.Toolchain, cases: Path, tmp_path: Path
) -> None:
    script = bundles["all"]
    program = tmp_path / "program.mjs"
    program.write_text(
        f'import {{ readFileSync }} from "node:fs";\nawait import({json.dumps(script.as_uri())});\n'
        'console.log(JSON.stringify(run(JSON.parse(readFileSync(process.argv[2], "utf8")))));\n',
        encoding="utf-8",
    )
    assert b"import(" not in script.read_bytes()
    is_right(output(node, program, cases))


@third("other hosts of JavaScript")
def test_a_bundle_holds_what_the_program_takes_and_little_else(bundles: dict[str, Path], root: Path) -> None:
    tables = (root / "generated" / "typescript" / "tables.js").read_text(encoding="utf-8")
    limits = {**SHAKEN, "*": SHAKEN["*"] + EACH_TYPE * len(re.findall(r"^export const ", tables, re.MULTILINE))}
    sizes = {what: len(gzip.compress(bundles[what].read_bytes(), 9, mtime=0)) for what in SHAKEN}
    assert {what: size for what, size in sizes.items() if size > limits[what]} == {}


@third("other hosts of JavaScript")
def test_a_bundle_without_sessions_has_nothing_of_them(bundles: dict[str, Path]) -> None:
    parts = ("unknown_request", "SessionError")
    texts = {what: bundles[what].read_text(encoding="utf-8") for what in SESSIONS}
    assert {what: [part for part in parts if part in text] for what, text in texts.items()} == SESSIONS


@third("other hosts of JavaScript")
@pytest.mark.parametrize("bundler", BUNDLERS)
def test_a_bundle_has_the_trees_that_the_program_uses_and_no_type_for_them(
    bundler: str, root: Path, node: toolchain.Toolchain, tmp_path: Path
) -> None:
    forest = generate(TARGET, model_of(root / "tests" / "specs" / "forest"), tmp_path / "forest") / "index.js"
    taken = {what: f"import {what} from {json.dumps(forest.as_posix())};\n" for what in TREES}
    sources = {what: f"{taken[what]}globalThis.taken = {what.strip('{ }')};\n" for what in TREES}
    made = bundled(node, bundler, sources, tmp_path)
    texts = {what: script.read_text(encoding="utf-8") for what, script in made.items()}
    parts = ("UnknownEntry", "attached", "Stairs")
    assert {what: [part for part in parts if part in text] for what, text in texts.items()} == TREES


@third("other hosts of JavaScript")
def test_the_cases_have_their_outcomes_at_the_edge(
    all_in: str, node: toolchain.Toolchain, cases: Path, tmp_path: Path
) -> None:
    is_right(output(node, HOSTS / "edge.mjs", bundled(node, "esbuild", {"all": all_in}, tmp_path)["all"], cases))


@third("other hosts of JavaScript")
def test_the_cases_have_their_outcomes_in_a_browser_whose_policy_forbids_code_made_of_strings(
    all_in: str, node: toolchain.Toolchain, cases: Path, tmp_path: Path, chromium: str
) -> None:
    script = (
        bundled(node, "esbuild", {"all": all_in}, tmp_path)["all"].read_text(encoding="utf-8").replace("</", "<\\/")
    )
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{POLICY}<script>{script}</script>", encoding="utf-8")
    flags = ["--no-sandbox", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        tab = browser.new_page()
        tab.goto(page.as_uri())
        is_right(tab.evaluate("(cases) => JSON.stringify(run(cases))", json.loads(cases.read_bytes())))
        browser.close()
