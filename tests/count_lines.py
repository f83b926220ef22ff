"""The sources → how many lines of code each layer has: `python tests/count_lines.py [FOLDER]`.

Blank lines, comments, docstrings, imports and READMEs do not count. A language is its target and its templates; import,
upstream and tables are counted apart from the generator.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LANGUAGES = ("go", "jsonschema", "python", "rust", "typescript")
APART = ("polywire_import", "polywire_upstream")
"""Packages of the generator that are counted apart from it."""

TABLES = frozenset(
    f"generator/polywire/{module}.py"
    for module in ("checks/rules/tables", "evolve/diff/tables", "model/tables", "oracle/tables", "plan/tables")
) | {"generator/polywire/targets/common/sql.py"}
"""The modules of tables of records, which are counted apart too."""

COMMENTS = {".go": "//", ".rs": "//", ".ts": "//", ".js": "//", ".mjs": "//", ".toml": "#", ".mod": "//", ".py": "#"}
"""Suffix of a file, in templates without `.j2` → how a line comment begins."""

IGNORED = frozenset({
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
})  # fmt: skip


def python_lines(text: str) -> int:
    """Count the lines of Python code."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in IGNORED:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - left_out)


def other_lines(text: str, comment: str) -> int:
    """Count the lines of a template or of source in another language, without its tests."""
    found = 0
    for line in map(str.strip, text.partition("#[cfg(test)]\nmod ")[0].splitlines()):
        found += bool(line) and not line.startswith((comment, "{#", "import ", "use "))
    return found


def sources(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the layer and the number of lines of each file."""
    for path in sorted((folder / "generator").rglob("*.py")):
        package, *rest = path.relative_to(folder / "generator").with_suffix("").parts
        part, *rest = [package, *rest] if package in APART else rest
        lines = python_lines(path.read_text(encoding="utf-8"))
        if part == "targets" and rest[0] in LANGUAGES:
            yield f"language {rest[0]}", lines
        if part == "conformance" and rest[0] == "testees":
            yield "testees", lines
        elif path.relative_to(folder).as_posix() in TABLES:
            yield "beside the generator: tables", lines
        else:
            yield (f"beside the generator: {part}" if part in APART else "generator", lines)
            yield (f"  {part}/" if rest else "  (modules at the top)", lines) if part not in APART else ("", 0)
    for top in ("templates", "runtimes"):
        for path in sorted((folder / top).rglob("*.*")):
            language = path.relative_to(folder / top).parts[0]
            suffix = Path(path.name.removesuffix(".j2")).suffix
            if not path.is_file() or language not in LANGUAGES or path.name.startswith("README") or _is_left_out(path):
                continue
            if top == "runtimes" and suffix not in COMMENTS:
                continue  # what a tool left there may be no text
            text = path.read_text(encoding="utf-8")
            whole = suffix == ".py" and path.suffix != ".j2"
            lines = python_lines(text) if whole else other_lines(text, COMMENTS.get(suffix, "#!"))
            if top == "templates":
                yield f"language {language}", lines
            else:
                yield f"runtime {language}", lines


def _is_left_out(path: Path) -> bool:
    """Return whether a file is a test, or was put there by a tool."""
    folders = {"tests", "node_modules", "target", "__pycache__"}
    return not folders.isdisjoint(path.parts) or path.name.endswith(("_test.go", ".test.mjs", ".test.ts"))


def table(folder: Path) -> Counter[str]:
    """Return the number of lines of each layer."""
    counted: Counter[str] = Counter()
    for layer, lines in sources(folder):
        counted[layer] += lines
    del counted[""]
    return counted


if __name__ == "__main__":
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    for layer, lines in sorted(table(root).items()):
        print(f"{lines:7,}  {layer}")
