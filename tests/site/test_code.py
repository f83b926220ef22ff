"""The code on the pages: in each language, the code that decodes a declaration decodes the example beside it."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import TypeAlias

import pytest

import toolchain
from parsed_pages import Site
from polywire.plan.public import bare_mixins
from sampling import sample, turn
from toolchain import Toolchain

COMPILED = 200
"""How many declarations the programs in Go and Rust have, which take long to compile."""

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "generated"

EXAMPLE = re.compile(r'<h2 id="examples">.*?<pre><code>(.*?)</code></pre>', re.DOTALL)
CODE = re.compile(r"<summary>([^<:]*): <code>([^<]*)</code></summary>\s*<pre><code>([^<]*)</code></pre>")

Shown: TypeAlias = "tuple[str, str, str]"
"""A declaration, the code that decodes it, and its first example."""


@pytest.fixture(scope="module")
def code(whole: Site) -> dict[str, list[Shown]]:
    """The declarations with the code on their pages, by language."""
    found: dict[str, list[Shown]] = {}
    for path, data in whole.files.items():
        page = data.decode() if path.startswith("types/") else ""
        example = EXAMPLE.search(page)
        if example is not None:
            line = json.dumps(json.loads(html.unescape(example[1])))
            for language, _, text in CODE.findall(page):
                found.setdefault(language, []).append((Path(path).stem, html.unescape(text), line))
    return found


def cut(text: str) -> tuple[str, str]:
    """Split code into its imports and the rest."""
    imports, _, reads = text.partition("\n\n")
    return imports, reads


def test_each_language_has_code_for_every_declaration_that_users_can_name(
    whole: Site, code: dict[str, list[Shown]]
) -> None:
    names = set(whole.model.declarations)
    for language in ("Python", "TypeScript", "Go", "JSON Schema"):
        assert {name for name, *_ in code[language]} == names, language
    assert {name for name, *_ in code["Rust"]} == names - bare_mixins(whole.model)


def test_that_of_python_does(code: dict[str, list[Shown]]) -> None:
    for name, text, line in code["Python"]:
        seen = {"line": line}
        exec(text, seen)  # noqa: S102 - the code under test
        assert "value" in seen, name


def test_that_of_json_schema_refers_to_what_is_there(code: dict[str, list[Shown]]) -> None:
    schemas = {path.name: json.loads(path.read_bytes()) for path in (GENERATED / "jsonschema").glob("*.json")}
    for name, text, _ in code["JSON Schema"]:
        file, _, pointer = json.loads(text)["$ref"].partition("#/$defs/")
        assert pointer in schemas[file]["$defs"], name


def test_that_of_typescript_does(code: dict[str, list[Shown]], node: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "agentlines").symlink_to(GENERATED / "typescript")
    main = []
    for number, (_, text, line) in enumerate(code["TypeScript"]):
        (tmp_path / f"{number}.mjs").write_text(f"{text}\nexport {{ value }};\n", encoding="utf-8")
        main.append(f'globalThis.line = {json.dumps(line)};\nawait import("./{number}.mjs");')
    (tmp_path / "main.mjs").write_text("\n".join([*main, f"console.log({len(main)});"]), encoding="utf-8")
    done = node.run("node", tmp_path / "main.mjs")
    assert (done.returncode, done.stdout) == (0, f"{len(main)}\n"), done.stderr[-2000:]
    assert len(main) > 1000


def test_that_of_go_does(code: dict[str, list[Shown]], go: Toolchain, tmp_path: Path) -> None:
    module = (ROOT / "tests" / "go" / "go.mod").read_text("utf-8").replace("../../generated/go", str(GENERATED / "go"))
    (tmp_path / "go.mod").write_text(re.sub(r"(?m)^(\t|replace )bench .*\n", "", module), "utf-8")
    shutil.copy(ROOT / "tests" / "go" / "go.sum", tmp_path)
    shown = sample(code["Go"], COMPILED)
    (imports,) = {cut(text)[0] for _, text, _ in shown}
    functions = [
        f"func Test{number}(t *testing.T) {{\n\tline := []byte({json.dumps(line)})\n\t{cut(text)[1]}\n"
        "\t_ = value\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"
        for number, (_, text, line) in enumerate(shown)
    ]
    (tmp_path / "code_test.go").write_text(
        "\n".join(['package code\n\nimport "testing"', imports, *functions]), encoding="utf-8"
    )
    done = go.run("go", "test", "-vet=off", "-v", ".", cwd=tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert done.stdout.count("--- PASS") == len(shown) >= COMPILED


@turn("Rust on the pages")
@pytest.mark.xdist_group("cargo")
def test_that_of_rust_does(code: dict[str, list[Shown]], rust: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "code"\nversion = "0.0.0"\nedition = "2021"\n\n'
        f"[dependencies]\nagentlines = {{ path = {json.dumps(str(GENERATED / 'rust'))} }}\n\n[workspace]\n",
        encoding="utf-8",
    )
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", tmp_path)
    shown = sample(code["Rust"], COMPILED)
    functions = [
        f"fn read_{number}(line: &str) -> Result<(), agentlines::DecodeError> {{\n    {' '.join(cut(text))}\n"
        "    let _ = value;\n    Ok(())\n}\n"
        for number, (_, text, _) in enumerate(shown)
    ]
    calls = [
        f"    read_{number}({json.dumps(line, ensure_ascii=False)}).expect({json.dumps(name)});"
        for number, (name, _, line) in enumerate(shown)
    ]
    main = ["fn main() {", *calls, f'    println!("{len(shown)}");', "}", ""]
    (tmp_path / "src" / "main.rs").write_text("\n".join([*functions, *main]), encoding="utf-8")
    done = rust.run("cargo", "run", "--quiet", "--offline", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{len(shown)}\n"), done.stderr[-3000:]
    assert len(shown) >= COMPILED
