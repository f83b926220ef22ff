"""The model → the views for the README and `package.json`."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Leaf, Model, Switch
from polywire.plan import Plan
from polywire.targets.common.release import Release, release_view
from polywire.targets.typescript import layout
from polywire.targets.typescript.layout import markdown
from polywire.targets.typescript.maps import ControlMap, ToolMap, control_map, tool_maps
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import Types


@dataclass(frozen=True, slots=True)
class Example:
    """A message and its tag, for the README."""

    tag: str
    value: str
    guard: str


@dataclass(frozen=True, slots=True)
class AboutView:
    """The view for `README.md` and `package.json`."""

    package: str
    title: str
    description: str
    protocol_version: str
    release: Release
    root: str
    root_type: str
    root_unknown: str | None
    example: Example | None
    messages: tuple[tuple[str, str, str], ...]
    """Type, guard and description of each variant of the root."""
    controls: ControlMap | None
    tools: tuple[ToolMap, ...]
    launch: str | None
    """The record that starts a process."""


def package_name(model: Model) -> str:
    """The name of the npm package."""
    return model.packages.get("typescript", {}).get("package") or model.protocol.name


def about_view(plan: Plan) -> AboutView:
    """The metadata of a package."""
    names = Names(plan.model)
    types = Types(plan.model, names)
    protocol = plan.model.protocol
    union = plan.root_union.union if plan.root_union else None
    return AboutView(
        package=package_name(plan.model),
        title=markdown(protocol.title),
        description=f"{protocol.title}: types, guards, codecs and stream readers.",
        protocol_version=markdown(protocol.version),
        release=release_view(plan.model, "typescript", package_name(plan.model), layout.ESCAPED),
        root=names.type(plan.root),
        root_type=names.value_type(plan.root),
        root_unknown=names.unknown(union) if union is not None and union.open else None,
        example=_example(plan, names),
        messages=tuple(_message(plan.model, names, name) for name in plan.root_structs),
        controls=control_map(plan, names, types),
        tools=tool_maps(plan, types),
        launch=next((names.type(each.struct.name) for each in plan.launches), None),
    )


def _example(plan: Plan, names: Names) -> Example | None:
    """A message for the README's example of a `switch`, if the root has a single discriminator."""
    dispatch = plan.root_union.union.dispatch if plan.root_union else None
    if not isinstance(dispatch, Switch):
        return None
    for value, inner in dispatch.cases:
        if isinstance(inner, Leaf) and isinstance(value, str):
            return Example(layout.member_of("item", dispatch.key), layout.quoted(value), names.guard(inner.struct))
    return None


def _message(model: Model, names: Names, struct: str) -> tuple[str, str, str]:
    doc = (model.struct(struct).about.doc or "").strip()
    return names.type(struct), names.guard(struct), markdown(doc.split("\n")[0])
