"""The model → the API of the TypeScript package, as the compiler sees its declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from polywire.model.nodes import Model
from polywire.plan import Plan
from polywire.targets.common.api_surface import ApiItem, declarations, sent, session, trees, unknowns
from polywire.targets.common.document import flat
from polywire.targets.typescript.about import package_name
from polywire.targets.typescript.declarations import Objects, alias_view, callback_views, unknown_view, views_of
from polywire.targets.typescript.layout import Function, quoted
from polywire.targets.typescript.maps import control_map, tool_maps
from polywire.targets.typescript.names import Names
from polywire.targets.typescript.types import SCALARS, Types

_FORMS = re.compile(rf"\b(?:{SCALARS['uuid']}|{SCALARS['timestamp']})\b")


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """All items, in the order of the declarations."""
    model = plan.model
    names = Names(model)
    types = Types(model, names)
    objects = Objects(model, names, types)
    yield from declarations(plan, names.type)
    yield from unknowns(plan, names.unknown)
    yield from _views(plan, names, types)
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), _plain(alias_view(alias, names, types).members))
    for call in callback_views(model, names, types):
        yield ApiItem(("", "callback", call.name), call.name, flat(call.layout) or "")
    for union in model.unions:
        if union.open:
            yield ApiItem((union.name, "either"), names.or_unknown(union))
    yield from _enums(model, names)
    for name in names.guarded:
        yield ApiItem((name, "guard"), names.guard(name))
    for struct in model.structs:
        for index in objects.view(struct).index:
            yield ApiItem((struct.name, "index"), names.type(struct.name), _plain(index.types))
        for key, each in objects.properties(struct).items():
            text = _plain(each.types)
            yield ApiItem((struct.name, "fields", key), each.key, text, needed=not each.optional, absent=each.optional)
    yield from _requests(plan, names, types)
    for kind in tool_maps(plan, types):
        for entry in kind.entries:
            yield ApiItem(("", kind.what, entry.key), kind.name, _plain(entry.types))
    yield from trees(plan, names.tree)
    yield ApiItem(("", "package"), package_name(model))
    yield ApiItem(("", "root"), "decode", names.value_type(model.protocol.roots[0]))


def _views(plan: Plan, names: Names, types: Types) -> Iterator[ApiItem]:
    """The members that Unknowns give access to, with the function and the type for that."""
    for unknown in plan.unknowns:
        union, view = unknown.union.name, unknown_view(plan, unknown, names, types)
        if view.views:
            yield ApiItem((union, "viewer"), view.viewer)
            yield ApiItem((union, "view"), view.view)
        for planned, shown in zip(views_of(plan, unknown), view.views, strict=True):
            yield ApiItem((union, "views", planned.field.name), planned.field.name, _plain(shown.types))


def _requests(plan: Plan, names: Names, types: Types) -> Iterator[ApiItem]:
    """The responses, and the data of errors."""
    controls = control_map(plan, names, types)
    if controls is None or plan.controls is None:
        return
    for pair, entry in zip(plan.controls.pairs, controls.entries, strict=True):
        yield ApiItem((pair.control.request, "answer"), entry.key, _plain(entry.types))
    methods = controls.session
    signed = {"request": methods.request, "notify": methods.notify, "cancel": methods.cancel}
    signed |= {"reply": methods.reply, "refuse": methods.refuse}
    texts = {name: None if each is None else _signature(each) for name, each in signed.items()}
    texts["request"] = f"(payload: {methods.payload}, id?: {methods.id})"
    yield from session({peer: quoted(peer) for peer in plan.model.protocol.peers}, texts)
    yield from sent(plan)
    for each in controls.data:
        yield ApiItem(("", "data of errors", each.key), "ErrorData", _plain(each.types))


def _signature(function: Function) -> str:
    return f"({', '.join(function.params)}): {function.result}"


def _enums(model: Model, names: Names) -> Iterator[ApiItem]:
    """The arrays and values of enums; a string value is its own name."""
    for enum in model.enums:
        yield ApiItem((enum.name, "array"), names.values(enum))
        if enum.open:
            yield ApiItem((enum.name, "known"), names.known(enum))
        for at, value in enumerate(enum.values):
            if enum.base == "integer":
                yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
            else:
                yield ApiItem((enum.name, "values", value.name), str(value.wire))


def _plain(members: Iterable[str]) -> str:
    """The members of a type, with named forms of strings replaced by `string`."""
    return _FORMS.sub("string", " | ".join(members))
