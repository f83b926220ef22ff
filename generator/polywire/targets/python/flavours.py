"""The model → the package's flavours: modules that datamodel-code-generator makes of the emitted JSON Schema.

`packages: {python: {typed_dicts: open, pydantic: strict}}` asks for them, each with the schema that it is made of. What
the tool writes is the module, to the byte: what is to be different is said by its options, or to the schema. As
another version of the tool writes other text, a flavour is made by the versions named here and by no others.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polywire.records import dataclass
from polywire.targets import jsonschema
from polywire.targets.base import AddOn, AddOnError, MissingToolError

if TYPE_CHECKING:
    from polywire.header import Header
    from polywire.model.nodes import Model

_TOOL = "datamodel-code-generator"

MADE_BY = {_TOOL: "0.89.0", "ruff": "0.17.6"}
"""What makes them, and lays them out, at these versions; `polywire[flavours]` requires the same."""

SCHEMAS = {"open": False, "strict": True}
"""What a flavour can be made of; whether it is the strict schema."""

LAYOUT = """\
line-length = 120
target-version = "py310"
lint.select = ["F401", "I", "UP006"]
"""
"""What ruff goes by, as `ruff.toml`: no other settings are looked for where there are some."""

_COMMON = (
    "--ignore-pyproject",
    "--input-file-type=jsonschema",
    "--schema-version=2020-12",
    "--strict-refs",
    "--skip-root-model",  # it would be another name for the first root
    "--target-python-version=3.10",
    "--disable-timestamp",
    "--disable-warnings",
    "--use-schema-description",
    "--use-field-description",
    "--use-single-line-docstring",
    "--use-typed-nullable-map-values",
)


@dataclass(frozen=True, slots=True)
class Flavour:
    """A module that is made: what it is, for its first line, and how the tool is asked for it."""

    doc: str
    options: tuple[str, ...]


FLAVOURS: Mapping[str, Flavour] = {
    "typed_dicts": Flavour(
        "Plain dicts and their types",
        (
            *_COMMON,
            "--output-model-type=typing.TypedDict",
            "--no-use-closed-typed-dict",  # mypy knows no `extra_items`, nor does `typing` before 3.15
            # Not every Python from 3.10 has these where the tool would look.
            '--import-overrides={"NotRequired": ".._typing", "TypedDict": ".._typing"}',
        ),
    ),
    "pydantic": Flavour(
        "Models of pydantic",
        (
            *_COMMON,
            "--output-model-type=pydantic_v2.BaseModel",
            "--target-pydantic-version=2.11",
            "--use-annotated",
            "--use-type-alias",  # else every union is a model around the value
            "--enum-field-as-literal=all",  # text in, text out
            "--strict-types",
            *("str", "bytes", "int", "float", "bool"),  # "1" is not a number
        ),
    ),
}
"""By key of `packages.python`, which is the name of the module."""

CLOSED = {"open": "unknown content is accepted", "strict": "closed, unknown content is refused"}
"""What a module says of its schema."""


_DOC = f'''\
"""{{}}, of {{}}: {{}}.

What {_TOOL} {MADE_BY[_TOOL]} made of it, untouched.
"""'''


def add_ons(model: Model, header: Header, module: str) -> Iterator[AddOn]:
    """The flavours that the spec asks for; `module` is the package that they are in."""
    said = model.packages.get("python", {})
    for key, flavour in FLAVOURS.items():
        if key in said:
            yield _add_on(model, header, f"{module}/{key}", flavour, said[key])


def _add_on(model: Model, header: Header, folder: str, flavour: Flavour, kind: str) -> AddOn:
    strict = SCHEMAS[kind]
    name = jsonschema.file_name(model, strict=strict)
    schema = {"$schema": jsonschema.DRAFT, **jsonschema.document(model, strict=strict)}
    doc = _DOC.format(flavour.doc, name, CLOSED[kind])
    decides = {
        "by": MADE_BY,
        "options": flavour.options,
        "layout": LAYOUT,
        "head": [header.mark, *header.extra, doc],
        "schema": schema,
    }
    made_of = hashlib.sha256(json.dumps(decides).encode()).hexdigest()
    lines = (header.mark, f"Made of: sha256 {made_of}", *header.extra)
    head = "\n".join([*(f"# {line}" for line in lines), doc])
    return AddOn(folder, made_of, partial(make, name, schema, (*flavour.options, f"--custom-file-header={head}")))


def make(name: str, schema: Mapping[str, Any], options: tuple[str, ...]) -> dict[str, bytes]:
    """Asks the tool for the module of a schema. Raises `AddOnError`."""
    import subprocess
    import tempfile

    for package, wanted in MADE_BY.items():
        _need(package, wanted)
    with tempfile.TemporaryDirectory(prefix="polywire-flavour-") as scratch:
        folder = Path(scratch)
        (folder / "ruff.toml").write_text(LAYOUT, encoding="utf-8")
        (folder / name).write_text(json.dumps(schema), encoding="utf-8")
        output = folder / "made.py"
        words = [sys.executable, "-I", "-X", "utf8", "-W", "ignore", "-m", "datamodel_code_generator"]
        words += [f"--input={folder / name}", f"--output={output}", "--formatters", "ruff-check", "ruff-format"]
        done = subprocess.run([*words, *options], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 (our own words)
        if done.returncode or not output.is_file():
            raise AddOnError(f"{_TOOL} failed on {name}:\n{done.stderr.strip() or done.stdout.strip()}")
        return {"__init__.py": output.read_bytes()}


def _need(package: str, wanted: str) -> None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version(package)
    except PackageNotFoundError:
        found = None
    if found != wanted:
        there = "it is not installed" if found is None else f"{found} is installed"
        raise MissingToolError(f"it takes {package} {wanted}, and {there}: pip install 'polywire[flavours]'")
