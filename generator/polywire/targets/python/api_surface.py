"""The plan → the API of the Python package, as type checkers see it."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Struct
from polywire.plan import Plan
from polywire.plan.fill import ConstructorPlan
from polywire.plan.shared import shared_structs
from polywire.targets.common.api_surface import ApiItem, declarations, sent, session, trees, unknowns
from polywire.targets.python.annotations import Annotations
from polywire.targets.python.classes import class_view, unknown_views
from polywire.targets.python.construct import ConstructorView, Nodes, constructor_view
from polywire.targets.python.names import Names, module_name
from polywire.targets.python.pairs import ControlsView, controls_view, tools_view


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """All items, in the order of the declarations."""
    model = plan.model
    names = Names(model)
    annotations = Annotations(model, names)
    yield from declarations(plan, names.type)
    yield from unknowns(plan, names.unknown)
    for unknown in unknown_views(plan, names, annotations):
        for shown in unknown.views:
            yield ApiItem((unknown.of, "views", shown.key), shown.member.attr, shown.member.annotation)
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), annotations.of(alias.type))
    for enum in model.enums:
        yield ApiItem((enum.name, "array"), names.values(enum))
        if enum.open:
            yield ApiItem((enum.name, "known"), names.known(enum))
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
    for struct in shared_structs(model):
        yield ApiItem((struct.name, "shared"), names.shared(struct))
    for struct in model.structs:
        yield from _members(struct, names, annotations)
    nodes = Nodes(plan, names)
    for constructor in plan.constructors:
        yield from _constructor(constructor, constructor_view(constructor, plan, names, annotations, nodes))
    yield from _pairs(plan, names, annotations)
    yield from trees(plan, names.tree)
    yield ApiItem(("", "package"), module_name(model))
    yield ApiItem(("", "root"), "decode", names.type(plan.root))


def _constructor(planned: ConstructorPlan, view: ConstructorView) -> Iterator[ApiItem]:
    way = (planned.struct.name, "constructors", planned.constructor.name)
    yield ApiItem(way, view.name, view.result)
    for each in view.parameters:
        yield ApiItem((*way, each.name), each.name, each.annotation, needed=each.default is None, argument=True)


def _members(struct: Struct, names: Names, annotations: Annotations) -> Iterator[ApiItem]:
    """The members of a class, constants first, in the order of `class_view`."""
    view = class_view(struct, names, annotations)
    fixed = [tag.key for tag in struct.tags if tag.constant is not None and not tag.optional]
    fixed += [const.key for const in struct.consts]
    varying = [tag.key for tag in struct.tags if tag.constant is None or tag.optional]
    varying += [field.name for field in struct.fields if field.tag is None]
    for key, constant in zip(fixed, view.constants, strict=True):
        yield ApiItem((struct.name, "fields", key), constant.attr, constant.annotation)
    for key, each in zip(varying, view.attributes, strict=True):
        yield ApiItem((struct.name, "fields", key), each.attr, each.annotation, needed=each.default is None)


def _session(controls: ControlsView) -> Iterator[ApiItem]:
    """The methods of a session; processes have the same ones."""
    id_, code, data = map(controls.type, ("TypedId", "TypedCode", "TypedData"))
    asked = f"request: SessionRequest | {id_}"
    more = (f", code: {code}" if code != "None" else "") + (f", data: {data}" if data != "Unset" else "")
    table = controls.table
    yield from session(
        {peer: f'"{peer}"' for peer, _ in controls.sent},
        {
            "request": f"(payload: {controls.type('TypedRequest')}, id: {id_}) -> {id_}",
            "notify": f"(payload: {controls.type('TypedNotice')})" if table["notify"] else None,
            "cancel": f"(id: {id_})" if table["cancel"] else None,
            "receive": f"(message: {controls.type('TypedMessage')})",
            "reply": f"({asked}, result)",
            "refuse": f"({asked}, message: str{more})" if table["error"] else None,
        },
    )


def _pairs(plan: Plan, names: Names, annotations: Annotations) -> Iterator[ApiItem]:
    controls = controls_view(plan, names, annotations)
    if controls is not None:
        yield from _session(controls)
        yield from sent(plan)
    for control, pair in zip(plan.model.controls, controls.pairs if controls else (), strict=False):
        yield ApiItem((control.request, "answer"), pair.request, pair.annotation)
    for kind, tools in tools_view(plan, names, annotations).items():
        for pattern, annotation in tools.typed:
            yield ApiItem(("", kind, pattern), f"tool_{kind}", annotation)
