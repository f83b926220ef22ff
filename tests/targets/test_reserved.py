"""Names that a language or a runtime reserves get a suffix by one rule, without an entry in the spec."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from polywire import checks
from polywire.plan import make_plan
from polywire.plan.public import Feature
from polywire.targets import registry
from polywire.targets.common.vocabulary import vocabulary
from polywire.targets.python import names as python
from polywire.targets.typescript.names import DECLARED, VOCABULARY, Names
from polywire.writing.render import render
from rendered import model_of

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    *("Option", "ErrorCode", "ProtocolVersion", "Mode", "Reader", "Encode", "Box", "Code", "Known", "Notification"),
    *("Cancel", "Tuple2", "ToolInput", "Record", "Promise", "Types", "Vec", "Class", "Unset", "Control", "None"),
)
RUNTIME = ROOT / "runtimes" / "python" / "src" / "polywire_runtime"
SPECS = [
    ROOT / "spec",
    *(ROOT / "tests" / "specs" / name for name in ("parcel", "jsonrpc", "notices", "forms", "history")),
]
SETS_APART = {"go": "Option", "typescript": "ErrorCode", "rust": "Vec", "python": "Unset"}


def spec(folder: Path, *names: str, **more: Any) -> Path:
    """Write a spec with types of these names to a folder; all of them are roots, so every package contains them."""
    document = {
        "polywire": 1,
        "protocol": {
            "name": "common", "title": "Common names", "version": "1", "framing": "ndjson", "peers": ["a", "b"],
            "roots": [*names],
        },
        "packages": {"go": {"module": "example.com/common", "package": "common"}},
        "types": {name: {"doc": "A type.", "fields": {"text": "string"}} for name in names},
        **more,
    }  # fmt: skip
    folder.mkdir()
    (folder / "protocol.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return folder


def named(folder: Path, target: str) -> dict[str, str]:
    """Declaration → its name in a target."""
    items = registry()[target].api_surface(make_plan(model_of(folder)))
    return {item.of[0]: item.name for item in items if item.of[1:] == () and item.of[0]}


def test_common_names_need_no_word_in_the_spec(tmp_path: Path) -> None:
    report = checks.check(spec(tmp_path / "s", *NAMES), strict=True)
    assert report.render() == ""
    assert report.model is not None
    for target in registry().values():
        assert render(target, make_plan(report.model))


@pytest.mark.parametrize(("target", "name"), SETS_APART.items())
def test_a_reserved_name_gets_a_suffix_in_that_language_alone(tmp_path: Path, target: str, name: str) -> None:
    folder = spec(tmp_path / "s", *SETS_APART.values())
    assert named(folder, target)[name] == f"{name}Type"
    assert [each for each in SETS_APART.values() if named(folder, "python")[each] != each] == ["Unset"]


@pytest.mark.parametrize("target", SETS_APART)
def test_no_declaration_changes_what_another_is_called(tmp_path: Path, target: str) -> None:
    alone = named(spec(tmp_path / "alone", *NAMES), target)
    tools = {"tools": {"Look": {"doc": "A tool.", "input": "Option", "output": "[Option, Mode]"}}}
    together = named(spec(tmp_path / "together", *NAMES, "Other", "OptionList", **tools), target)
    assert {name: together[name] for name in NAMES} == alone


@pytest.mark.parametrize("target", SETS_APART)
def test_a_suffix_that_leads_to_a_name_of_the_spec_is_a_finding_for_that_language(tmp_path: Path, target: str) -> None:
    name = SETS_APART[target]
    folder = spec(tmp_path / "s", name, f"{name}Type")
    report = checks.check(folder, targets=(target,))
    assert {each.rule for each in report.findings} == {"name-collision"}
    assert f"in {target}, {name}Type has the same name as {name} (" in report.findings[0].message
    others = tuple(each for each in registry() if each not in {target, *(["go", "rust"] if name == "Option" else [])})
    assert checks.check(folder, targets=others).findings == ()


@pytest.mark.parametrize("target", SETS_APART)
def test_a_tree_with_the_name_of_a_type_or_of_a_part_of_the_package_avoids_it_or_is_a_finding(
    tmp_path: Path, target: str
) -> None:
    def report(tree: str, **more: object) -> list[str]:
        trees = {tree: {"doc": "A tree.", "lines": "Point", "id": "/id", "parent": "/id", **more}}
        point = {"doc": "A point.", "fields": {"id": "string"}}
        types = {"Other": {"doc": "A type."}, "Point": point}
        found = checks.check(spec(tmp_path / f"{tree}{more}", "Other", types=types, trees=trees), targets=(target,))
        return [each.message for each in found.findings if each.rule == "name-collision"]

    (message,) = report("Other")
    assert message.startswith(f"in {target}, tree Other has the same name as Other (")
    assert report("Other", name="Trees") == report(SETS_APART[target]) == []


@pytest.mark.parametrize("target", ["python", "go", "rust"])
def test_parameters_of_one_name_in_a_language_are_a_finding(tmp_path: Path, target: str) -> None:
    construct = {"NewPoint": {"params": [{"Error": "/one"}, {"error": "/two"}]}}
    point = {"doc": "A point.", "fields": {"one": "string", "two": "string"}, "construct": construct}
    report = checks.check(
        spec(tmp_path / "s", "Other", types={"Other": {"doc": "A type."}, "Point": point}), targets=(target,)
    )
    (found,) = (each for each in report.findings if each.rule == "name-collision")
    assert f"in {target}, parameter error of NewPoint has the same name as parameter Error of NewPoint" in found.message
    assert found.hint == "rename one of them"


@pytest.mark.parametrize("target", [each for each in registry().values() if each.reserved], ids=lambda each: each.name)
def test_nothing_is_set_apart_twice_by_one_suffix(target: Any) -> None:
    for reserved in target.reserved:
        for name in reserved.names:
            assert reserved.apart(name) == name + reserved.suffix


@pytest.mark.parametrize("target", SETS_APART)
def test_the_data_of_a_language_are_by_features_of_packages(target: str) -> None:
    data = vocabulary(str(ROOT / "generator" / "polywire" / "targets" / target / "names.py"))
    assert {"every"} < {*data.files, *data.exports} <= {*get_args(Feature)}


# --- Python ----------------------------------------------------------------------------------------------------


def read_names(code: str) -> set[str]:
    """The names that a module reads and does not bind in a function; annotations are among them."""
    nodes = [*ast.walk(ast.parse(code))]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {
        each.id
        for node in functions
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)} - bound


WITHOUT_NAMES = {"_table.py", "tables.py"}
"""Generated modules of Python packages in which no name of the spec is in scope."""


@pytest.mark.parametrize("folder", SPECS, ids=lambda each: each.name)
def test_every_name_that_the_code_of_a_python_package_uses_is_reserved(folder: Path) -> None:
    plan = make_plan(model_of(folder))
    declared = {each.name for each in python.Names(plan.model).all()}
    read: set[str] = set()
    for path, code in render(registry()["python"], plan).items():
        module = Path(path).name
        if module.endswith(".py") and module not in WITHOUT_NAMES and not (RUNTIME / module).exists():
            with_functions = module in {"__init__.py", "_construct.py"}
            read |= {name for name in read_names(code.decode()) if with_functions or not name.islower()}
    assert {"TYPE_CHECKING", "Final"} <= read
    first = {"globals"}  # is read at the first import, before any name is imported on access
    assert {name for name in read if name[0] != "_"} - declared - python.MODULE == first


# --- TypeScript ------------------------------------------------------------------------------------------------

NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`""", re.DOTALL)
"""Comments and strings of TypeScript."""

CODE = ("index.d.ts", "index.js", "tables.js", "enums.js")
"""The files in which names of the spec are in scope."""


@pytest.mark.parametrize("folder", SPECS, ids=lambda each: each.name)
def test_every_name_that_the_code_of_a_typescript_package_uses_is_reserved(folder: Path) -> None:
    plan = make_plan(model_of(folder))
    declared = {each.name for each in Names(plan.model).all()}
    files = {
        Path(path).name: text.decode()
        for path, text in render(registry()["typescript"], plan).items()
        if "runtime" not in Path(path).parts
    }
    code = NO_CODE.sub("", "\n".join(files[name] for name in CODE if name in files))
    used = set(re.findall(r"(?<![\w.$#])[A-Z]\w*\b(?!\??:)", code))
    assert {"TypeToken", "PACKAGE_VERSION"} <= used
    assert used - declared - DECLARED.names == set()


def test_every_reserved_type_parameter_is_used() -> None:
    text = NO_CODE.sub("", (ROOT / "templates" / "typescript" / "index.d.ts.j2").read_text("utf-8"))
    parameters = set(re.findall(r"[<,] ?([A-Z])\b(?=[^<>]*>)|\binfer ([A-Z])\b|\[([A-Z]) in ", text))
    code = {name for groups in parameters for name in groups if name}
    assert code == VOCABULARY.words["type_parameters"]
