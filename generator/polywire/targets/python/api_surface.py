"""The model → what the Python package shows to user code, as type checkers read the stubs."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Model, Struct
from polywire.targets.api_surface import ApiItem, declarations, unknowns
from polywire.targets.python.classes import alias_view, class_view
from polywire.targets.python.construct import Constructors
from polywire.targets.python.names import Names
from polywire.targets.python.pairs import controls_view, tools_view
from polywire.targets.python.shapes import Shapes


def api_surface(model: Model) -> Iterator[ApiItem]:
    """Everything, in the order of the declarations."""
    names = Names(model)
    shapes = Shapes(model, names)
    makers = Constructors(model, names, shapes)
    yield from declarations(model, names.type)
    yield from unknowns(model, names.unknown)
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), alias_view(alias, names, shapes).annotation)
    for enum in model.enums:
        yield ApiItem((enum.name, "array"), names.values(enum))
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
    for struct in model.structs:
        yield from _members(struct, names, shapes)
        for constructor in struct.constructors:
            view = makers.view(struct, constructor)
            way = (struct.name, "constructors", constructor.name)
            yield ApiItem(way, view.name, view.result)
            for each in view.parameters:
                yield ApiItem((*way, each.name), each.name, each.annotation, needed=each.default is None, argument=True)
    yield from _pairs(model, names, shapes, makers)
    package = model.packages.get("python", {})
    yield ApiItem(("", "package"), package.get("module") or model.protocol.name)
    yield ApiItem(("", "root"), "decode", names.type(model.protocol.roots[0]))


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


def _pairs(model: Model, names: Names, shapes: Shapes, makers: Constructors) -> Iterator[ApiItem]:
    controls = controls_view(model, names, shapes, makers)
    for control, pair in zip(model.controls, controls.pairs if controls else (), strict=False):
        yield ApiItem((control.request, "answer"), pair.request, pair.annotation)
    for kind, tools in tools_view(model, shapes).items():
        for pattern, annotation in tools.typed:
            yield ApiItem(("", kind, pattern), f"tool_{kind}", annotation)
