"""Packages of a part of a protocol are as clean as those of the whole: compilers and linters report nothing unused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import toolchain
from polywire.checks import check
from polywire.model.nodes import Model
from polywire.model.projection import project
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from sampling import third
from toolchain import Toolchain
from vendor.support import PARCEL
from written import CONTROL, model

PARTS = {
    "an_enum": "Side",
    "a_struct": "Named",
    "an_open_union": "Item",
    "a_tool": "weigh",
}
"""The content of a part of the parcel spec → the root that reaches nothing else."""

DRAWN = """\
types: {Place: {doc: A place., fields: {x: integer}}}
messages:
  Ask:
    doc: A request.
    from: a
    tag: {type: ask}
    fields: {id: string, "mark?": {type: uuid, construct: required}, request: Asks}
  Answer: {doc: An answer., from: b, tag: {type: answer}, fields: {response: Result}}
controls: {where: {doc: Asks for a place., from: a, request: {}, response: Place}}
unions:
  Asks: {doc: What is asked., open: true, by: sub}
"""
RESULT = "types: {Result: {doc: A result., fields: {id: string, result?: object}}}\n"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Model]:
    """Name → a part of the parcel spec, or a whole spec whose envelopes, but not constructors, generate a UUID."""
    whole = check(PARCEL).model
    assert whole is not None
    header = f"{CONTROL}parts: [result.yaml]\n"
    drawn = model(tmp_path_factory.mktemp("spec"), DRAWN, header=header, **{"result.yaml": RESULT})
    return {**{name: project(whole, [root]) for name, root in PARTS.items()}, "an_envelope": drawn}


def install(target: str, part: Model, folder: Path, **names: str) -> None:
    """Generate a package with the given names."""
    for path, contents in render(registry()[target], make_plan(replace(part, packages={target: names}))).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(contents)


@third("projections of releases")
@pytest.mark.xdist_group("cargo")
def test_rust_has_no_warnings(rust: Toolchain, parts: Mapping[str, Model], tmp_path: Path) -> None:
    for name, part in parts.items():
        install("rust", part, tmp_path / name, crate=name)
        with (tmp_path / name / "Cargo.toml").open("a", encoding="utf-8") as manifest:
            manifest.write('\n[lints.rust]\nwarnings = "deny"\n')  # of this crate, not of its dependencies
    (tmp_path / "Cargo.toml").write_text(f'[workspace]\nresolver = "2"\nmembers = {json.dumps([*parts])}\n')
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", tmp_path)
    done = rust.run("cargo", "check", "--workspace", "--offline", "--quiet", "--keep-going", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@third("projections of releases")
def test_go_vet_is_silent(go: Toolchain, parts: Mapping[str, Model], tmp_path: Path) -> None:
    for name, part in parts.items():
        install("go", part, tmp_path / name, module="example.org/parts", package="part")
        for file in ("go.mod", "go.sum"):
            (tmp_path / name / file).replace(tmp_path / file)  # identical in all parts
    done = go.run("go", "vet", "./...", cwd=tmp_path)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@third("projections of releases")
def test_typescript_compiles_strictly_and_leaves_nothing_unused(
    node: Toolchain, parts: Mapping[str, Model], tmp_path: Path
) -> None:
    for name, part in parts.items():
        install("typescript", part, tmp_path / "node_modules" / name, package=name)
    users = "".join(f'export * as {name} from "{name}";\n' for name in parts)
    (tmp_path / "users.ts").write_text(users, encoding="utf-8")
    options = {
        "noEmit": True,
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUnusedLocals": True,
        "allowJs": True,
        "checkJs": True,
        "skipDefaultLibCheck": True,
        "target": "es2022",
        "lib": ["es2022", "dom"],
        "types": [],
        "module": "esnext",
        "moduleResolution": "bundler",
    }
    packages = tmp_path / "node_modules"
    code = [str(path.relative_to(tmp_path)) for name in parts for path in (packages / name).glob("*.js")]
    config = {"compilerOptions": options, "files": ["users.ts", *code]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    tsc = toolchain.NODE_PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
    told = node.run("node", tsc, "-p", tmp_path, "--pretty", "false", cwd=tmp_path).stdout.splitlines()
    assert [line for line in told if line[:1] != " " and ".js(" not in line] == []
    assert [line for line in told if "is declared but" in line or "are unused" in line] == []  # also in the JavaScript
