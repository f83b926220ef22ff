"""The plan → what the Python package shows to user code, as type checkers read the stubs."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Struct
from polywire.plan import Plan
from polywire.plan.fill import ConstructorPlan
from polywire.targets.api_surface import ApiItem, declarations, unknowns
from polywire.targets.python.classes import alias_view, class_view
from polywire.targets.python.construct import ConstructorView, constructor_view
from polywire.targets.python.names import Names
from polywire.targets.python.pairs import controls_view, tools_view
from polywire.targets.python.shapes import Shapes


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """Everything, in the order of the declarations."""
    model = plan.model
    names = Names(model)
    shapes = Shapes(plan, names)
    yield from declarations(plan, names.type)
    yield from unknowns(plan, names.unknown)
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), alias_view(alias, names, shapes).annotation)
    for enum in model.enums:
        yield ApiItem((enum.name, "array"), names.values(enum))
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
    for struct in model.structs:
        yield from _members(struct, names, shapes)
    for constructor in plan.constructors:
        yield from _constructor(constructor, constructor_view(constructor, plan, names, shapes))
    yield from _pairs(plan, names, shapes)
    package = model.packages.get("python", {})
    yield ApiItem(("", "package"), package.get("module") or model.protocol.name)
    yield ApiItem(("", "root"), "decode", names.type(plan.root))


def _constructor(planned: ConstructorPlan, view: ConstructorView) -> Iterator[ApiItem]:
    way = (planned.struct.name, "constructors", planned.constructor.name)
    yield ApiItem(way, view.name, view.result)
    for each in view.parameters:
        yield ApiItem((*way, each.name), each.name, each.annotation, needed=each.default is None, argument=True)


def _members(struct: Struct, names: Names, shapes: Shapes) -> Iterator[ApiItem]:
    """The members of a class, constants first, as `class_view` has them."""
    view = class_view(struct, names, shapes)
    fixed = [tag.key for tag in struct.tags if tag.constant is not None and not tag.optional]
    fixed += [const.key for const in struct.consts]
    varying = [tag.key for tag in struct.tags if tag.constant is None or tag.optional]
    varying += [field.name for field in struct.fields if field.tag is None]
    for key, constant in zip(fixed, view.constants, strict=True):
        yield ApiItem((struct.name, "fields", key), constant.attr, constant.annotation)
    for key, each in zip(varying, view.attributes, strict=True):
        yield ApiItem((struct.name, "fields", key), each.attr, each.annotation, needed=each.default is None)


def _pairs(plan: Plan, names: Names, shapes: Shapes) -> Iterator[ApiItem]:
    controls = controls_view(plan, names, shapes)
    for control, pair in zip(plan.model.controls, controls.pairs if controls else (), strict=False):
        yield ApiItem((control.request, "answer"), pair.request, pair.annotation)
    for kind, tools in tools_view(plan, shapes).items():
        for pattern, annotation in tools.typed:
            yield ApiItem(("", kind, pattern), f"tool_{kind}", annotation)
