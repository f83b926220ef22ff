"""The model → the views for the README and `package.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polywire.model.nodes import Leaf, Model, Switch
from polywire.plan import Plan
from polywire.targets.common.naming import pascal
from polywire.targets.common.readme import Readme, readme
from polywire.targets.common.release import Release, release_view
from polywire.targets.typescript import layout
from polywire.targets.typescript.maps import ControlMap, ToolMap, control_map, tool_maps
from polywire.targets.typescript.names import PACKAGES, Names
from polywire.targets.typescript.types import Types


@dataclass(frozen=True, slots=True)
class Example:
    """A message and its tag, for the README."""

    tag: str
    value: str
    guard: str
    struct: str


@dataclass(frozen=True, slots=True)
class AboutView:
    """The view for `README.md` and `package.json`."""

    package: str
    description: str
    release: Release
    root_type: str
    example: Example | None
    controls: ControlMap | None
    tools: tuple[ToolMap, ...]


def package_name(model: Model) -> str:
    """The name of the npm package."""
    return model.packages.get("typescript", {}).get("package") or PACKAGES.apart(model.protocol.name.lower())


def about_view(plan: Plan) -> AboutView:
    """The metadata of a package."""
    names = Names(plan.model)
    types = Types(plan.model, names)
    return AboutView(
        package=package_name(plan.model),
        description=f"{plan.model.protocol.title}: types, guards, codecs and stream readers.",
        release=release_view(plan.model, "typescript", package_name(plan.model), layout.ESCAPED),
        root_type=names.value_type(plan.root),
        example=_example(plan, names),
        controls=control_map(plan, names, types),
        tools=tool_maps(plan, types),
    )


def readme_view(plan: Plan, about: AboutView) -> Readme:
    """What the README has in common with those of other languages."""
    names = Names(plan.model)
    entries = about.controls.entries if about.controls is not None else ()
    return readme(
        plan,
        "typescript",
        about.package,
        layout.ESCAPED,
        name=names.type,
        tree=names.tree,
        call=_camel,
        event=None,
        guard=names.guard,
        answers=[(each.key, layout.flat(each.types)) for each in entries],
    )


def _example(plan: Plan, names: Names) -> Example | None:
    """A message for the README's example of a `switch`, if the root has a single discriminator."""
    dispatch = plan.root_union.union.dispatch if plan.root_union else None
    if not isinstance(dispatch, Switch):
        return None
    for value, inner in dispatch.cases:
        if isinstance(inner, Leaf) and isinstance(value, str):
            tag, guard = layout.member_of("item", dispatch.key), names.guard(inner.struct)
            return Example(tag, layout.quoted(value), guard, names.type(inner.struct))
    return None


def _camel(words: Sequence[str]) -> str:
    return words[0] + pascal(words[1:])
