"""A target asks the plan: of the model it imports the nodes, which are the vocabulary of both, and little else."""

from __future__ import annotations

import ast
from pathlib import Path

TARGETS = Path(__file__).parents[2] / "generator" / "polywire" / "targets"

ALLOWED = {
    # How a type expression is taken apart or written, which its text in a language follows.
    *(
        "walk.alternatives",
        "walk.contains_itself",
        "walk.parts",
        "walk.refs",
        "walk.spell",
        "walk.types",
        "walk.unbounded",
        "walk.uses",
        "walk.without_alias",
    ),
    # The order of a decision, by which a language orders its variants.
    *("walk.reach", "walk.structs_of"),
    # Limits of compilers and type checkers of one language.
    *("graphs.longest_chain", "graphs.max_depths"),
}
"""What targets may import of the model besides its nodes: questions of one language, no decision about the protocol."""


def imported() -> set[str]:
    found = set()
    for path in TARGETS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("polywire.model"):
                module = (node.module or "").removeprefix("polywire.model").lstrip(".")
                found |= {f"{module}.{each.name}" for each in node.names}
    return found


def test_targets_import_nothing_else_of_the_model() -> None:
    assert {each for each in imported() if not each.startswith("nodes.")} == ALLOWED


def test_nothing_that_reads_a_spec_is_imported() -> None:
    for path in TARGETS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "polywire.source.load" not in text, path
        assert "polywire.checks" not in text, path
