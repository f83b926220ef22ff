"""Imports of published protocols: one command for each, at most three overrides, no edits, and packages that compile.

The schemas are those of packages of npm, which `make test-all` installs.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import validate

from importing.imports import OVERRIDES, ROOT, fields, text, variants, written
from importing.published import META_MODEL_SCHEMA, NAMES, UNSTABLE, schema
from polywire.checks import Report, check
from polywire.commands.cli import cli
from polywire.commands.conformance_options import BUNDLED_TESTEES
from polywire.conformance.case import Case, Expect, Outcome
from polywire.conformance.protocols import Protocol, Protocols
from polywire.conformance.runner import run
from polywire.conformance.testee import Workshop, declared
from polywire.model.nodes import Model, Struct
from polywire.targets import registry
from polywire_import.overrides import load_overrides
from polywire_import.run import run as run_import
from rendered import generate
from sampling import sample, third
from toolchain import NODE_PACKAGES, Toolchain

META_MODEL = Path(__file__).parent / "meta_model.json"
"""A small protocol with every construct of the meta model of the Language Server Protocol."""
MESSAGES = Path(__file__).parent / "messages"
TESTEES = {each.name: each for each in declared(BUNDLED_TESTEES)}


@pytest.fixture(scope="module")
def schemas(node: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The schema of each protocol."""
    return {name: schema(name, node, tmp_path_factory.mktemp(name)) for name in NAMES}


@pytest.fixture(scope="module")
def specs(schemas: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """Each protocol, imported by its command: the folder above the spec, and the command's output."""
    made = {}
    for name, source in schemas.items():
        folder = tmp_path_factory.mktemp(name)
        command = ["import", "--from", "json-schema", str(source), "--out", str(folder / "spec")]
        done = CliRunner().invoke(cli, [*command, "--overrides", str(OVERRIDES / f"{name}.yaml")])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        made[name] = folder, done.output
    return made


def model_of(folder: Path) -> Model:
    report: Report = check(folder / "spec", strict=True)
    assert [f"{each.place} {each.rule}: {each.message}" for each in report.findings] == []
    assert report.model is not None
    return report.model


def calls(said: str) -> tuple[int, int]:
    """Return the numbers of requests and notifications, without the two keys of the block `control`."""
    return said.count("\n    response: ") - 1, said.count("\n    notify:") - 1


@pytest.mark.parametrize("name", NAMES)
def test_three_overrides_are_enough(name: str) -> None:
    assert 0 < load_overrides(OVERRIDES / f"{name}.yaml").count <= 3


@pytest.mark.parametrize("name", NAMES)
def test_without_overrides_all_calls_are_found(
    schemas: dict[str, Path], specs: dict[str, tuple[Path, str]], name: str, tmp_path: Path
) -> None:
    done = run_import("json-schema", [schemas[name]], tmp_path / "spec")
    assert done.report.findings == ()
    assert done.report.model is not None
    assert done.report.model.controls == model_of(specs[name][0]).controls


@pytest.mark.parametrize("source", UNSTABLE, ids=lambda path: path.parent.name)
def test_a_method_of_a_request_and_of_a_notification_has_two_entries(source: Path, tmp_path: Path) -> None:
    done = run_import("json-schema", [source], tmp_path / "spec")
    model = model_of(tmp_path)
    both = [each for each in model.controls if each.key in {"mcp/message", "McpMessageNotice"}]
    assert [each.is_notification for each in both] == [False, True]
    tags = [struct.tag("method") for each in both if isinstance(struct := model.declarations[each.request], Struct)]
    assert [tag and tag.constant for tag in tags] == ["mcp/message", "mcp/message"]
    assert [note for note in done.notes if "JSON-RPC 2.0" in note.message] != []


@pytest.mark.parametrize("name", NAMES)
def test_the_spec_has_no_findings(specs: dict[str, tuple[Path, str]], name: str) -> None:
    model = model_of(specs[name][0])
    assert model.protocol.roots == ("JSONRPCMessage",)


def test_every_request_has_its_method_its_sender_and_its_answer(specs: dict[str, tuple[Path, str]]) -> None:
    said = text(specs["mcp-2025-11-25"][0])
    call = (
        "  tools/call:\n    doc: The request `tools/call`.\n    source: /definitions/CallToolRequest\n"
        "    from: client\n    name: CallToolRequest\n    request: {params: CallToolRequestParams}\n"
        "    response: CallToolResult\n"
    )
    assert call in said
    assert "from: both\n    name: PingRequest\n    request:\n      params?: RequestParams\n    response: Result" in said
    assert calls(said) == (20, 11)
    said = text(specs["acp"][0])
    assert "fs/read_text_file:\n" in said
    assert calls(said) == (21, 4)
    assert calls(text(specs["acp-v2"][0])) == (14, 4)
    assert "cancel: {notify: $/cancel_request, id: /params/requestId, answered: true}" in said


def test_annotations_of_tolerance_are_taken_over(schemas: dict[str, Path], specs: dict[str, tuple[Path, str]]) -> None:
    source = json.dumps(json.loads(schemas["acp"].read_text(encoding="utf-8")))
    said = text(specs["acp"][0])
    assert source.count('"x-deserialize-skip-invalid-items": true') == said.count("on_error: [skip, ") == 19
    # five of the 245 members may have any value, so they cannot be invalid
    assert source.count('"x-deserialize-default-on-error": true') == said.count("on_error: ") + 5 == 245


def test_unions_are_told_apart_as_the_protocols_do(specs: dict[str, tuple[Path, str]]) -> None:
    mcp, acp = model_of(specs["mcp-2025-11-25"][0]), model_of(specs["acp"][0])
    content = ["TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource"]
    assert variants(mcp, "ContentBlock") == ("type", True, content)
    assert variants(acp, "ContentBlock") == ("type", True, content)
    assert variants(mcp, "PrimitiveSchemaDefinition")[0] == "type"
    by, is_open, names = variants(acp, "McpServer")
    assert (by, is_open, names) == ("type", True, ["McpServerHttp", "McpServerSse", "McpServerStdio"])
    assert variants(acp, "CreateElicitationRequestVariant")[:2] == ("mode", True)
    assert fields(acp, "ReadTextFileRequest")["line?"] == "integer(0..) | null"


def test_what_is_lost_or_guessed_is_said_by_place(specs: dict[str, tuple[Path, str]]) -> None:
    lost = (
        "lost /definitions/PrimitiveSchemaDefinition: UntitledSingleSelectEnumSchema is read as LegacyTitledEnumSchema"
    )
    assert lost in specs["mcp-2025-11-25"][1]
    assert "guessed /$defs/McpServer: McpServerStdio is taken without `type`" in specs["acp"][1]


def test_importing_the_next_release_lists_what_changed(schemas: dict[str, Path], tmp_path: Path) -> None:
    outputs = []
    for name in ("mcp-before-tasks", "mcp-2025-11-25", "mcp-2025-11-25"):
        command = ["import", "--from", "json-schema", str(schemas[name]), "--out", str(tmp_path / "spec")]
        outputs.append(CliRunner().invoke(cli, [*command, "--overrides", str(OVERRIDES / f"{name}.yaml")]).output)
    assert "added types Task\n" in outputs[1]
    assert "added controls tasks/get\n" in outputs[1]
    assert "changed types Tool" in outputs[1]
    assert "conflict" not in outputs[1]
    assert "wrote nothing: the spec is up to date" in outputs[2]


def test_the_next_release_comes_to_the_same_as_importing_it_alone(
    schemas: dict[str, Path], specs: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    for name in ("mcp-before-tasks", "mcp-2025-11-25"):
        command = ["import", "--from", "json-schema", str(schemas[name]), "--out", str(tmp_path / "spec")]
        CliRunner().invoke(cli, [*command, "--overrides", str(OVERRIDES / f"{name}.yaml")])
    assert written(tmp_path) == written(specs["mcp-2025-11-25"][0])


# --- packages --------------------------------------------------------------------------------------------------


@third("packages of imported specs")
@pytest.mark.parametrize("name", sample(NAMES, 1))
def test_the_packages_of_all_targets_compile(
    specs: dict[str, tuple[Path, str]], name: str, node: Toolchain, go: Toolchain, rust: Toolchain, tmp_path: Path
) -> None:
    model = model_of(specs[name][0])
    made = {target: generate(each, model, tmp_path / target) for target, each in registry().items()}
    assert made.keys() == {"python", "typescript", "go", "rust", "jsonschema"}
    for each in made["jsonschema"].glob("*.schema.json"):
        assert json.loads(each.read_text(encoding="utf-8"))["$defs"]
    (package,) = (each.parent for each in made["python"].glob("*/__init__.py"))
    done = subprocess.run([sys.executable, "-c", f"import {package.name}"], cwd=made["python"], check=False)
    assert done.returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", package], cwd=made["python"], check=False
    )
    assert done.returncode == 0
    options = {"noEmit": True, "strict": True, "module": "nodenext", "target": "es2022", "types": []}
    config = {"compilerOptions": options, "files": ["index.d.ts"]}
    (made["typescript"] / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    compiler = NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    for told in (
        node.run("node", compiler, "-p", made["typescript"], cwd=made["typescript"]),
        go.run("go", "build", "./...", cwd=made["go"]),
        rust.run("cargo", "check", "--quiet", cwd=made["rust"]),
    ):
        assert (told.returncode, told.stdout + told.stderr) == (0, "")


# --- messages --------------------------------------------------------------------------------------------------


def messages(name: str, protocol: Protocol) -> list[Case]:
    """Return cases for the messages written from a protocol's documentation, each decoded strictly as its type."""
    lines = (MESSAGES / f"{'mcp' if name.startswith('mcp') else name}.ndjson").read_text(encoding="utf-8").splitlines()
    return [
        Case(
            name=f"{name}/{number}",
            group=name,
            kind="written",
            protocol=protocol,
            type=each["type"],
            mode="strict",
            json=json.dumps(each["value"]),
            expect=Expect((Outcome(output=json.dumps(each["value"])),)),
        )
        for number, each in enumerate(map(json.loads, lines), 1)
    ]


@pytest.mark.parametrize(
    "testee",
    ["python", "jsonschema-rs", "typescript", "go", "rust"],
)
@pytest.mark.parametrize("name", sample(NAMES, 1))
def test_messages_from_their_documentation_round_trip(
    specs: dict[str, tuple[Path, str]], name: str, testee: str
) -> None:
    protocol = Protocols(specs[name][0] / "spec").default
    cases = messages(name, protocol)
    with Workshop(ROOT) as workshop:
        result = run(cases, TESTEES[testee], workshop, protocol, folder=ROOT, patience=60)
    wrong = {c.json: v.problems for c, v in zip(cases, result.verdicts, strict=True) if v.outcome != "passed"}
    assert (result.cannot_run, result.problems, wrong) == (None, (), {})
    assert len(cases) >= 20


# --- a custom importer -----------------------------------------------------------------------------------------


def test_the_meta_model_has_the_published_format() -> None:
    published = json.loads(META_MODEL_SCHEMA.read_text(encoding="utf-8"))
    validate(json.loads(META_MODEL.read_text(encoding="utf-8")), published)


def test_the_meta_model_of_lsp_is_imported_with_at_most_five_fallbacks(tmp_path: Path) -> None:
    place = ROOT / "examples" / "importers" / "lsp.py"
    spec = importlib.util.spec_from_file_location("lsp_importer", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    done = module.main(str(META_MODEL), str(tmp_path / "spec"))
    fallbacks = [note.place for note in done.notes if note.kind == "fallback"]
    assert fallbacks == [
        "/structures/NotebookDocumentSyncOptions/notebookSelector",
        "/typeAliases/NotebookDocumentFilter",
        "/requests/textDocument/codeAction",
        "/requests/workspace/symbol",
        "/typeAliases/DocumentFilter",
    ]
    said = text(tmp_path)
    assert calls(said) == (9, 7)
    assert "response: SemanticTokens | TextDocumentSemanticTokensFullDeltaResult" not in said
    assert "error: DiagnosticServerCancellationData" in said


def test_the_spec_of_lsp_has_no_findings(tmp_path: Path) -> None:
    place = ROOT / "examples" / "importers" / "lsp.py"
    command = [sys.executable, place, META_MODEL, tmp_path / "spec"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    protocol = model_of(tmp_path).protocol
    assert (protocol.name, protocol.framing) == ("lsp", "content-length")
