"""Targets say names, type text and layout; heads, statements and text of several lines are in templates and runtimes.

The test reads the strings of every module of `targets/`, with a `□` in place of each expression in an f-string.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from polywire import targets

TARGETS = Path(targets.__file__).parent

KEPT = {
    ("common/header.py", "\n     □"): "a comment in Markdown",
    ("python/layout.py", "from □ import "): "an import is a list of names in parentheses, which most modules have",
}
"""Module and text → why it may stay."""

REMAINING = {
    "go/construct.py": "statements of constructors",
    "python/flavours.py": "the first lines of modules that another generator makes",
    "python/views.py": "signatures of sessions",
    "rust/pairs.py": "signatures, and rows that end with a semicolon",
    "rust/source.py": "rows on several lines",
    "typescript/envelopes.py": "columns before a literal",
}
"""Modules that still build source from strings, and what; remove each when it no longer does."""

MODIFIER = r"(?:export |declare |default |pub(?:\([a-z]+\))? |async |static |const )*"
HEAD = re.compile(
    rf"(?m)^\s*{MODIFIER}(?:"
    r"(?:func|fn|def|class|function|interface|struct|enum|trait|namespace|type|const|let|var|static|mod|use) [\w□({]"
    r"|func \(|impl(?:<.*>)? [\w□]+(?:<.*>)? (?:for |\{)|from \S+ import )"
)
"""The head of a declaration, at the beginning of a line; `func(` without a space is a type."""

STATEMENT = re.compile(
    r"(?m)^\s*(?:return|throw|raise|yield|await|defer|go) [\w□&*({]|:= |^[\w.□]+ = [\w□]|^(?!&#).*[\w□].*;$"
    r"|^\s*(?:if|for|while|switch|match|with) .*[{:]$"
)
"""A statement: it begins with a keyword, assigns, or ends with a semicolon."""

LINES = re.compile(r"[\w□(){}\[\],;=] *\n(?!\n)|(?<!\n)\n[ \t]*[\w(){}\[\],;=]|(?<!\n)\n[ \t]+□")
"""Code next to a line end; two line ends separate paragraphs of prose."""

RULES = {"the head of a declaration": HEAD, "a statement": STATEMENT, "text of several lines": LINES}


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that is neither a docstring, nor part of an error or a pattern."""
    tree = ast.parse(source)
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                left_out.add(docstring)
            case ast.JoinedStr(values=parts):
                left_out.update(part for part in parts if isinstance(part, ast.Constant))
            case ast.Raise() | ast.Assert() | ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                left_out.update(ast.walk(node))
            case ast.Call(func=ast.Attribute(attr="join", value=separator)):
                left_out.add(separator)
            case ast.Call(func=ast.Attribute(attr="split" | "partition" | "replace"), args=arguments):
                left_out.update(arguments)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        match node:
            case ast.JoinedStr(values=parts):
                yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "□" for part in parts)
            case ast.Constant(value=str() as text):
                yield node.lineno, text


def faults(source: str) -> dict[str, str]:
    """Return the strings of a module that belong into a template, each with its line and what it is."""
    return {
        text: f"line {line}: {what}"
        for line, text in strings(source)
        for what, pattern in RULES.items()
        if pattern.search(text)
    }


def faults_of(module: str) -> dict[str, str]:
    """Return the faults of a module of the targets."""
    return faults((TARGETS / module).read_text(encoding="utf-8"))


MODULES = sorted(path.relative_to(TARGETS).as_posix() for path in TARGETS.rglob("*.py"))


@pytest.mark.parametrize("module", [each for each in MODULES if each not in REMAINING])
def test_a_target_assembles_no_source_from_strings(module: str) -> None:
    assert {text: what for text, what in faults_of(module).items() if (module, text) not in KEPT} == {}


def test_every_exception_is_needed() -> None:
    assert [each for each in KEPT if each[1] not in faults_of(each[0])] == []
    assert [module for module in REMAINING if not faults_of(module)] == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ('f"func ({go}) {name}() any"', "the head of a declaration"),
        ('signature("pub fn reply", parameters)', "the head of a declaration"),
        ('f"async def {name}("', "the head of a declaration"),
        ('f"export interface {name}"', "the head of a declaration"),
        ('f"export const {name}: "', "the head of a declaration"),
        ('f"impl Default for {name} {{"', "the head of a declaration"),
        ('f"from {module} import {name}"', "the head of a declaration"),
        ("f\"import {name} from './a.js';\"", "a statement"),
        ('f"return {value}"', "a statement"),
        ('f"x.{field} = {value}"', "a statement"),
        ('f"x := new({go})"', "a statement"),
        ('f"{call}({value});"', "a statement"),
        ('f"if {condition} {{"', "a statement"),
        ('f"{head} {{\\n\\t{statement}\\n}}"', "text of several lines"),
        ('"".join(f"\\n    {row}," for row in rows)', "text of several lines"),
    ],
)
def test_source_in_strings_is_found(code: str, what: str) -> None:
    assert [what in fault for fault in faults(code).values()] == [True]


@pytest.mark.parametrize(
    "code",
    [
        'f"Vec<{item}>"',
        'f"func({params}) error"',
        'f"impl Into<{type}>"',
        'f"Some({value})"',
        'f"{name}: {type} = ..."',
        'f"The type of {name}."',
        'f"{purpose}\\n\\n{doc}"',
        '"\\n".join(lines)',
        'text.split("\\n")',
        'f"\\n{pad} * ".join(lines)',
        'def f():\n    """Return\n\n    def x(): ..."""',
        'raise ValueError(f"no type {name};")',
    ],
)
def test_names_types_expressions_and_text_for_people_are_let_through(code: str) -> None:
    assert faults(code) == {}
