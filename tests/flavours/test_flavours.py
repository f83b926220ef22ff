"""The flavours of the Python package are unmodified output of the tool that generates them, and behave as documented.

A page documents their results on the cases, which `tests/docs` checks against a run over all cases.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pydantic
import pytest

from polywire.checks import check
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.targets.common.base import AddOn, MissingToolError, add_on_suffix
from polywire.targets.common.header import Header, header, is_marked
from polywire.targets.python import flavours
from polywire.writing.render import render_packages
from sampling import third

pytestmark = third("flavours")  # needs the tool that generates the flavours

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "generated"
PYTHON = registry()["python"]
NAMES = tuple(flavours.FLAVOURS)


def distribution(name: str) -> Path:
    return GENERATED / f"python{add_on_suffix(name)}"


def text_of(name: str) -> str:
    return (distribution(name) / f"agentlines_{name}" / "__init__.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model() -> Model:
    found = check(ROOT / "spec").model
    assert found is not None
    return found


def made_of(model: Model, head: Header | None = None) -> dict[str, AddOn]:
    """Return the add-ons of a model, by key."""
    return {each.key: each for each in PYTHON.add_ons(make_plan(model), head or header(model))}


def with_packages(model: Model, **python: str) -> Model:
    return replace(model, packages=MappingProxyType({**model.packages, "python": MappingProxyType(python)}))


# --- generation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_tool_makes_of_the_schema_that_is_there_the_very_module_that_is_there(name: str, model: Model) -> None:
    *_, options = made_of(model)[name].make.args  # type: ignore[attr-defined]  # a partial
    schema = (
        GENERATED
        / "jsonschema"
        / flavours.jsonschema.file_name(model, strict=flavours.SCHEMAS[model.packages["python"][name]])
    )
    made = flavours.make(f"agentlines_{name}", schema.name, json.loads(schema.read_bytes()), options)
    assert {path: contents.decode() for path, contents in made.items()} == {
        f"agentlines_{name}/__init__.py": text_of(name)
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_has_the_hash_of_what_a_flavour_is_made_of(name: str, model: Model) -> None:
    entry = json.loads((GENERATED / "manifest.json").read_bytes())["targets"][distribution(name).name]
    assert entry["input"] == made_of(model)[name].input
    assert f"# Made of: sha256 {entry['input']}\n" in text_of(name)


def test_the_hash_is_of_the_schema_and_of_what_the_file_says_of_itself(model: Model) -> None:
    before = made_of(model)["pydantic"].input
    elsewhere = replace(model, spec_hash="0" * 64)
    assert made_of(elsewhere)["pydantic"].input == before
    other = replace(model, protocol=replace(model.protocol, title="Another"))
    assert made_of(other)["pydantic"].input != before
    assert made_of(model, replace(header(model), extra=("SPDX-License-Identifier: MIT",)))["pydantic"].input != before


def test_the_spec_says_which_flavours_there_are_and_of_which_schema(model: Model) -> None:
    assert made_of(with_packages(model, module="agentlines")) == {}
    opened = made_of(with_packages(model, module="a", pydantic="open"))
    assert [*opened] == ["pydantic"]
    assert opened["pydantic"].input != made_of(with_packages(model, module="a", pydantic="strict"))["pydantic"].input


def test_what_makes_them_is_pinned_alike_everywhere() -> None:
    for file in ("dev.lock", "flavours.lock"):
        lock = (ROOT / "requirements" / file).read_text()
        assert {name: re.findall(rf"^{name}==(\S+)", lock, re.MULTILINE) for name in flavours.MADE_BY} == {
            name: [version] for name, version in flavours.MADE_BY.items()
        }
    extra = re.search(r"^flavours = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert extra is not None
    assert re.findall(r'"(\S+)==(\S+)"', extra[1]) == [*flavours.MADE_BY.items()]
    hook = re.search(r"additional_dependencies: \[(.*?)\]", (ROOT / "docs/flavours.md").read_text("utf-8"), re.DOTALL)
    assert hook is not None
    assert re.findall(r"(\S+)==([\d.]+)", hook[1]) == [*flavours.MADE_BY.items()]


def test_another_version_of_the_tool_is_as_good_as_none(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.1")
    with pytest.raises(MissingToolError) as caught:
        made_of(model)["pydantic"].make()
    assert str(caught.value) == (
        "it takes datamodel-code-generator 0.89.0, and 0.1 is installed: pip install datamodel-code-generator==0.89.0"
    )


def test_any_other_protocol_can_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parcel = check(ROOT / "tests/specs/parcel").model
    assert parcel is not None
    model = with_packages(parcel, module="parcels", typed_dicts="open", pydantic="strict")
    packages = render_packages(PYTHON, make_plan(model))
    files = {path: contents for name in NAMES for path, contents in packages[name].items()}
    for each in made_of(model).values():
        files |= each.make()
    for path, contents in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(contents)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in NAMES:
        module = import_module(f"parcels_{name}")
        assert [declared for declared in parcel.declarations if not hasattr(module, declared)] == []
        assert is_marked(files[f"parcels_{name}/__init__.py"])
    assert b"extra_items" not in files["parcels_typed_dicts/__init__.py"]  # which mypy does not support
    models = import_module("parcels_pydantic")
    assert models.Tube.model_validate({"kind": "tube", "length": 1.5}).length == 1.5


# --- behaviour -------------------------------------------------------------------------------------------------


@pytest.fixture(params=NAMES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(f"agentlines_{request.param}")


def test_every_declared_type_is_there_under_its_name(module: ModuleType, model: Model) -> None:
    assert [name for name in model.declarations if not hasattr(module, name)] == []


def test_a_flavour_says_what_it_is_to_whoever_asks_for_help(module: ModuleType) -> None:
    kind = "unknown content is accepted" if module.__name__.endswith("typed_dicts") else "closed"
    assert kind in (module.__doc__ or "")
    assert "The unmodified output of datamodel-code-generator 0.89.0." in (module.__doc__ or "")


@pytest.mark.parametrize("name", NAMES)
def test_a_flavour_does_without_the_package(name: str) -> None:
    program = f"import sys, agentlines_{name}; print(*sorted(sys.modules))"
    words = [sys.executable, "-P", "-c", program] if sys.version_info >= (3, 11) else [sys.executable, "-c", program]
    path = os.environ | {"PYTHONPATH": str(distribution(name))}
    done = subprocess.run(words, env=path, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert f"agentlines_{name}" in imported
    assert {module for module in imported if module.partition(".")[0] == "agentlines"} == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_program_in_a_readme_runs(name: str) -> None:
    readme = (distribution(name) / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"line": LINE}
    exec(compile(program, "README.md", "exec"), names)  # noqa: S102 - our own page
    read = json.loads(names["written"]) if "written" in names else names["message"]
    assert read == json.loads(LINE)


LINE = b'{"type":"control_cancel_request","request_id":"r"}'


def adapter() -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(import_module("agentlines_pydantic").WireMessage)


def test_a_model_is_closed_and_strict() -> None:
    assert adapter().validate_json(LINE).request_id == "r"
    for line in (LINE.replace(b"}", b',"later":1}'), LINE.replace(b'"r"', b"1"), LINE.replace(b"cancel", b"later")):
        with pytest.raises(pydantic.ValidationError):
            adapter().validate_json(line)


def test_absent_and_null_stay_apart_in_a_model() -> None:
    models = import_module("agentlines_pydantic")
    for text in ('{"subtype":"set_model"}', '{"subtype":"set_model","model":"m"}'):
        read = models.SetModelRequest.model_validate_json(text)
        assert read.model_dump_json(by_alias=True, exclude_unset=True) == text


# --- other versions of Python ----------------------------------------------------------------------------------


def beside() -> Mapping[str, Path]:
    """Find interpreters from 3.10 on in the folders next to this one's, where version managers install them."""
    found = Path(sys.base_prefix).parent.glob("3.*/bin/python")
    return {path.parts[-3]: path for path in found if int(path.parts[-3].split(".")[1]) >= 10}


@pytest.mark.parametrize("python", beside().values(), ids=beside().keys())
def test_typed_dicts_need_nothing_but_before_3_11_typing_extensions(python: Path, tmp_path: Path) -> None:
    program = "import agentlines_typed_dicts as td; print(td.KeepAliveMessage(type='keep_alive'))"

    def run(*folders: Path) -> subprocess.CompletedProcess[str]:
        path = f"import sys; sys.path += {[str(folder) for folder in folders]}; "
        return subprocess.run([python, "-I", "-S", "-c", path + program], capture_output=True, text=True, check=False)

    alone = run(distribution("typed_dicts"))
    if python.parts[-3].startswith("3.10."):
        assert "cannot import name 'NotRequired' from 'typing'" in alone.stderr
        extra = Path(str(importlib.util.find_spec("typing_extensions").origin))  # type: ignore[union-attr]  # of pydantic
        (tmp_path / extra.name).write_bytes(extra.read_bytes())
        alone = run(distribution("typed_dicts"), tmp_path)
    assert (alone.stdout, alone.stderr) == ("{'type': 'keep_alive'}\n", "")
