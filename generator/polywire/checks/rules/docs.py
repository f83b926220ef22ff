"""Rules on prose: facts that readers of the generated code cannot know unless the spec states them."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.ground.location import SourceLocation
from polywire.model.nodes import About


def _missing_doc(context: RuleContext) -> Iterator[Violation]:
    model = context.model
    made = {control.request for control in model.controls}
    for declaration in model.declarations.values():
        if declaration.name not in made:
            yield from _undocumented(declaration.about, declaration.place, f"`{declaration.name}`")
    for enum in model.enums:
        for value in enum.values:
            yield from _undocumented(value.about, value.place, f"value `{value.name}` of `{enum.name}`")
    for control in model.controls:
        yield from _undocumented(control.about, control.place, f"control `{control.key}`")
    for tool in model.tools:
        yield from _undocumented(tool.about, tool.place, f"tool `{tool.pattern}`")
    for tree in model.trees:
        yield from _undocumented(tree.about, tree.place, f"tree `{tree.name}`")
    for table in model.tables:
        yield from _undocumented(table.about, table.place, f"table `{table.name}`")


def _undocumented(about: About, place: SourceLocation, what: str) -> Iterator[Violation]:
    unreadable = about.doc == ""  # reported separately
    if not unreadable and not (about.doc or "").strip():
        yield Violation(place, f"{what} has no `doc`", "describe it in `doc`")


RULES = (
    Rule(
        "missing-doc",
        "Every declaration and every enum value is documented.",
        "warning",
        "docs",
        _missing_doc,
        strict="error",
    ),
)
