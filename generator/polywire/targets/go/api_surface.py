"""The model → the API of the Go package.

A Go program names the fields that it fills but never has to fill one, and no switch is checked for exhaustiveness, so
additions to a struct, an enum or a union break no code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polywire.model.nodes import Model
from polywire.plan import Plan
from polywire.targets.common.api_surface import ApiItem, declarations, session, trees, unknowns
from polywire.targets.go.choices import NAME
from polywire.targets.go.construct import Constructors
from polywire.targets.go.names import Names, declares_interface, is_mixed, is_sealed, override
from polywire.targets.go.package import module_name
from polywire.targets.go.pairs import answer_type, controls_view
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import Unions


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """All items, in the order of the declarations."""
    unions = {each.name: each for each in plan.model.aliases if each.name.startswith(NAME)}
    for each in _items(plan):
        name, *rest = each.of
        if name not in unions:
            yield each
        elif declares_interface(plan.model, unions[name]):
            yield replace(each, of=("", NAME.strip(), name.removeprefix(NAME), *rest))


def _items(plan: Plan) -> Iterator[ApiItem]:
    """All items; those of an inline union as if it were declared."""
    model = plan.model
    tables = Tables(plan)
    names, shapes, structs, unions = tables.names, tables.shapes, tables.structs, Unions(tables)
    makers = Constructors(tables)
    yield from (each for each in declarations(plan, names.type) if each.of[1:] != ("match",))
    yield from unknowns(plan, names.unknown)
    for unknown, go in zip(plan.unknowns, unions.unknowns, strict=True):
        for key, method in go.views:
            yield ApiItem((unknown.union.name, "views", key), method.name, method.go)
    for union in unions.views:
        yield ApiItem((union.spec, "decoder"), f"Unmarshal{union.own}")
        if union.raw:
            yield ApiItem((union.spec, "raw"), f"Raw{union.go}")
    yield from _aliases(model, names, shapes)
    yield from _enums(model, names)
    for struct in model.structs:
        held = structs.go(struct.name)
        for key, place in held.by_key().items():
            yield ApiItem((struct.name, "fields", key), place.name, place.go)
        for field in (each for each in struct.fields if not each.travels):
            _, (name, signature, _) = held.idle[names.field(field)]
            yield ApiItem((struct.name, "fields", field.name), name, signature)
    for name, (signature, where) in structs.callbacks.items():
        yield ApiItem(("", "callback", where), name, signature)
    yield from _flat(unions)
    yield from _constructors(plan, makers)
    for answer in plan.session.answers if plan.session else ():
        request = answer.request.struct.name
        yield ApiItem((request, "answer"), names.type(request), answer_type(answer.result, shapes))
    controls = controls_view(makers)
    if controls is not None:
        yield from session(
            {peer: names.peer(peer) for peer in model.protocol.peers},
            {
                "Request": f"({controls.payload.go}) {controls.id}",
                "Notify": None if controls.notice is None else f"({controls.notice.go})",
                "Cancel": None if controls.session.cancel is None else f"({controls.id})",
                "Refuse": None if controls.session.error is None else f"(message string{controls.details})",
            },
        )
    yield from trees(plan, names.tree)
    yield ApiItem(("", "package"), module_name(model))
    yield ApiItem(("", "root"), "Decode", names.type(plan.root))


def _constructors(plan: Plan, makers: Constructors) -> Iterator[ApiItem]:
    for each, made in zip(plan.constructors, map(makers.constructor, plan.constructors), strict=True):
        text = f"({', '.join(made.parameters.values())}) *{made.result}"
        yield ApiItem((each.struct.name, "constructors", each.constructor.name), made.name, text)


def _flat(unions: Unions) -> Iterator[ApiItem]:
    """The fields of flat structs, identified by name if several have the same key."""
    for name, flat in unions.flats.items():
        for place in flat.fields.values():
            yield ApiItem((name, "flat", place.name if place.name in flat.hidden else place.key), place.name, place.go)
        for _, (idle, signature, _) in flat.idle.values():
            yield ApiItem((name, "flat", idle), idle, signature)
        for other, each in flat.others:
            yield ApiItem((name, "flat", f"kinds.{each.kind}"), other, each.shape.go)
        for leaf in flat.leaves:
            yield ApiItem((name, "accessors", leaf.spec), leaf.accessor, leaf.go)


def _aliases(model: Model, names: Names, shapes: Shapes) -> Iterator[ApiItem]:
    """Aliases, and the types of the values of those that are interfaces."""
    for alias in model.aliases:
        go = "struct" if is_mixed(alias) else shapes.definition(alias).removeprefix("= ")
        yield ApiItem((alias.name, "type"), names.type(alias.name), go)
        for each in shapes.cases(alias) if is_sealed(model, alias) else ():
            yield ApiItem((alias.name, "cases", each.kind), each.go, each.shape.go)


def _enums(model: Model, names: Names) -> Iterator[ApiItem]:
    """The constants of enums, and the functions that recognize values of those that are plain strings."""
    for enum in model.enums:
        if override(enum.about, "layout") == "string":
            yield ApiItem((enum.name, "known"), f"Known{names.type(enum.name)}")
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
