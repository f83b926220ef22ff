"""Packages are laid out as the formatters of their languages would, however long the names of a spec are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from polywire import checks
from polywire.targets import registry
from rendered import generate, model_of
from sampling import SEED, number
from toolchain import NODE_PACKAGES, Toolchain

pytestmark = pytest.mark.full

PRETTIER = NODE_PACKAGES / "node_modules" / "prettier" / "bin" / "prettier.cjs"

HEAD = """\
polywire: 1
protocol: {name: widths, title: Widths, version: 1.0.0, framing: ndjson, peers: [a, b], roots: [Root]}
packages: {go: {module: example.com/widths, package: widths}}
"""

TYPE, FIELD, TEXT = 72, 24, 72
"""The maximum lengths of names of types, of names of members, and of values. Schemas of others have such names."""


class Names:
    """Names of random lengths, each made of words and different from all others."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"widths {seed}")  # noqa: S311 - tests, not secrets
        self._used = 0

    def type(self) -> str:
        return self._name("T", "W", TYPE)

    def field(self) -> str:
        return self._name("f", "_", FIELD)

    def text(self) -> str:
        return "v" * self._rng.randint(1, TEXT)

    def _name(self, first: str, before: str, longest: int) -> str:
        self._used += 1
        words = (f"{before}{'x' * self._rng.randint(2, 9)}" for _ in range(longest // 3))
        return f"{first}{self._used}{''.join(words)[: self._rng.randint(1, longest - 6)]}z"


def drawn(seed: int) -> Iterator[str]:
    """Yield the sections of a spec in YAML, whose flow style is that of JSON."""
    names = Names(seed)
    structs, enums, aliases, mixins = ([names.type() for _ in range(12)] for _ in range(4))
    types: dict[str, object] = {}
    for mixin in mixins:
        types[mixin] = {"doc": "A mixin.", "fields": {names.field(): "string", f"{names.field()}?": "integer"}}
    for at, struct in enumerate(structs):
        fields: dict[str, object] = {}
        for of in (structs[at - 1], enums[at], aliases[at], mixins[at], "string"):
            for form in ("{}", "{}[]", "map<{}>", "{} | null"):
                is_safe = of not in (structs[at - 1], aliases[at])  # so that no type contains itself without end
                fields[names.field() + "?" * (not is_safe or len(fields) % 3 > 0)] = form.format(of)
        fields[names.field()] = "json"
        tag = names.text()
        given = [{key.rstrip("?"): f"/{key.rstrip('?')}"} for key in list(fields)[:2]]
        included = mixins[at : at + at % 3]
        types[struct] = {
            "doc": "A struct.",
            "tag": {"kind": f"{tag}{at}"},
            **({"include": included} if included else {}),
            "fields": fields,
            "construct": {names.field(): {"doc": "Makes one.", "params": given}},
        }
    yield f"types: {json.dumps(types)}"
    declared = {
        name: {
            "doc": "An enum.",
            "open": at % 2 == 0,
            "values": {f"{names.text()}{each}": {"doc": "A value."} for each in range(1 + at % 4)},
        }
        for at, name in enumerate(enums)
    }
    yield f"enums: {json.dumps(declared)}"
    forms = ("{}[]", "map<{}>", "{}", "string | {}[]")
    named = {
        name: {"doc": "An alias.", "type": forms[at % len(forms)].format(structs[at])}
        for at, name in enumerate(aliases)
    }
    yield f"aliases: {json.dumps(named)}"
    unions = [names.type() for _ in range(4)]
    inner = {
        name: {"doc": "A union.", "open": at % 2 == 0, "by": "kind", "variants": structs[at * 3 : at * 3 + 3]}
        for at, name in enumerate(unions)
    }
    root = {"Root": {"doc": "A union.", "open": True, "by": "kind", "variants": unions}}
    yield f"unions: {json.dumps(inner | root)}"


@pytest.fixture(scope="module", params=range(number(1, 40)))
def packages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of a drawn spec, by target."""
    folder = tmp_path_factory.mktemp("widths")
    (folder / "spec").mkdir()
    text = HEAD + "\n".join(drawn(SEED + request.param)) + "\n"
    (folder / "spec" / "protocol.yaml").write_text(text, encoding="utf-8")
    report = checks.check(folder / "spec")
    assert [each.message for each in report.findings if each.severity == "error"] == []
    for name, target in registry().items():
        generate(target, model_of(folder / "spec"), folder / name)
    return folder


def test_gofmt_changes_nothing(packages: Path, go: Toolchain) -> None:
    done = go.run("gofmt", "-d", ".", cwd=packages / "go")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_prettier_changes_nothing(packages: Path, node: Toolchain) -> None:
    files = ("*.js", "*.ts", "package.json")
    done = node.run("node", PRETTIER, "--print-width", "120", "--list-different", *files, cwd=packages / "typescript")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_ruff_changes_nothing(packages: Path) -> None:
    for command in (["format", "--diff"], ["check"]):
        whole = [sys.executable, "-m", "ruff", *command, "--quiet", "--no-cache", "."]
        done = subprocess.run(whole, cwd=packages / "python", capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_rustfmt_changes_nothing(packages: Path, rust: Toolchain) -> None:
    done = rust.run("cargo", "fmt", "--check", cwd=packages / "rust")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
