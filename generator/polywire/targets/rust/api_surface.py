"""The model → the API of the Rust crate.

Structs are `non_exhaustive`, and so are open enums: code outside the crate cannot build them by their fields, or match
them without a `_` arm. The required members of a struct are the parameters of its `new`. Mixins that are not the type
of anything are not listed. Setters are not listed either: each has the name of its field, and exists while `new` has no
parameter for it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from polywire.model.nodes import Struct, Union
from polywire.plan import Plan
from polywire.plan.public import bare_mixins
from polywire.targets.common.api_surface import SESSION, ApiItem, declarations, session, trees, unknowns
from polywire.targets.rust.accessors import Accessors
from polywire.targets.rust.names import Names
from polywire.targets.rust.package import Package, crate_of
from polywire.targets.rust.pairs import answer_type
from polywire.targets.rust.structs import ParametersView, StructView, is_mark


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """All items, in the order of the declarations."""
    model, package = plan.model, Package(plan)
    names, shapes = package.names, package.shapes
    shared, hidden = tuple(package.shared()), bare_mixins(model)
    yield from (each for each in declarations(plan, names.type) if each.of[0] not in hidden)
    yield from unknowns(plan, names.unknown)
    for union in (unknown.union for unknown in plan.unknowns):
        for each in plan.unions[union.name].views:
            name = f"{names.unknown(union)}::{names.view(each.field)}"
            yield ApiItem((union.name, "views", each.field.name), name, shapes.of(each.field.type))
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), shapes.of(alias.type))
    for enum in model.enums:
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
    accessors = Accessors(plan, names, shapes)
    for union in model.unions:
        yield from _of_union(union, names, accessors)
    for struct, view in zip(model.structs, package.structs.views(), strict=True):
        if struct.name not in hidden:
            yield from _of_struct(struct, view, names)
    choices = tuple(choice for choice in shapes.choices.values() if choice.alias is None)
    for choice in choices:
        variants = " | ".join(each.name if each.literal else f"{each.name}({each.type})" for each in choice.variants)
        yield ApiItem(("", "inline union", choice.name), choice.name, variants)
    yield from _constructors(plan, package)
    for pair in () if plan.controls is None else plan.controls.pairs:
        yield ApiItem((pair.control.request, "answer"), names.type(pair.request.name), answer_type(pair.answer, shapes))
    yield from _session(package)
    yield from _functions(package)
    yield from trees(plan, names.tree)
    yield ApiItem(("", "package"), crate_of(model))
    yield from _places(plan, package, hidden)
    yield from _shared(shared, {choice.name for choice in choices})


def _session(package: Package) -> Iterator[ApiItem]:
    """Sessions; processes have the same methods."""
    pairs = package.pairs.file()
    controls = None if pairs is None else pairs.controls
    if controls is None:
        return
    request, table = controls.table["request"]["at"], controls.table
    has_parts = controls.refusal == "Refusal"  # a struct with a code and data, instead of a string
    refusal = f"Refusal<{controls.code}, {controls.data}>" if has_parts else controls.refusal
    yield from session(
        {peer: f"Peer::{package.names.peer(peer)}" for peer in table["peers"]},
        {
            "request": f"({request['payload'].type}) -> {request['id'].type}",
            "notify": f"({controls.notifications})" if table["notify"] else None,
            "cancel": f"(&{request['id'].type})" if table["cancel"] else None,
            "receive": f"({controls.messages[0]})",
            "refuse": f"(&{request['id'].type}, {refusal})" if refusal else None,
        },
    )


def _functions(package: Package) -> Iterator[ApiItem]:
    """`Functions`, with its methods for adding the functions of options."""
    for record, methods in package.launches.methods().items():
        if methods:
            way = (*SESSION[:2], f"{package.names.type(record)} functions")
            yield ApiItem(way, "Functions")
            for method in methods:
                yield ApiItem((*way, method.name), f"Functions::{method.name}", method.signature)


def _places(plan: Plan, package: Package, hidden: Container[str]) -> Iterator[ApiItem]:
    """The modules in which user code finds the declared types."""
    names = package.names
    for each in plan.public:
        if each.name not in hidden:
            yield ApiItem((each.name, "module"), f"{names.area(each.name)}::{names.type(each.name)}")
    for of, name, _ in package.exported():
        yield ApiItem((of[0], " ".join((*of[1:], "root"))), f"crate::{name}")


def _shared(shared: Iterable[tuple[str, str]], choices: Container[str]) -> Iterator[ApiItem]:
    """The modules in which user code finds the inline unions and literals."""
    for name, area in shared:
        what = ("", "inline union" if name in choices else "inline type", name)
        if name not in choices:
            yield ApiItem(what, name)
        yield ApiItem((*what, area), f"{area}::{name}")


def _of_union(union: Union, names: Names, accessors: Accessors) -> Iterator[ApiItem]:
    for name, variant in names.variants(union).items():
        yield ApiItem((union.name, "variants", name), variant, names.type(name))
    for each in accessors.of(union):
        yield ApiItem((union.name, "accessors", each.name), f"{names.type(union.name)}::{each.name}", each.type)


def _of_struct(struct: Struct, view: StructView, names: Names) -> Iterator[ApiItem]:
    types = {field.name: field.type for field in view.fields}
    for each in struct.wire_fields:
        yield ApiItem((struct.name, "fields", each.name), names.field(each), types[names.field(each)])
    for tag in filter(is_mark, struct.tags):
        yield ApiItem((struct.name, "fields", tag.key), names.tag(tag), types[names.tag(tag)])
    yield ApiItem((struct.name, "new"), f"{view.name}::new", _signature(view.takes))


def _constructors(plan: Plan, package: Package) -> Iterator[ApiItem]:
    """The constructors of the spec, except those that equal `new`."""
    made = [each for each in plan.constructors if not each.is_plain]
    for each, view in zip(made, package.constructors.views(), strict=True):
        of = (each.struct.name, "constructors", each.constructor.name)
        yield ApiItem(of, f"{view.struct}::{view.name}", _signature(view.takes))


def _signature(takes: ParametersView) -> str:
    """The types of parameters, with their names if a call mentions these."""
    if not takes.bundle:
        return f"({', '.join(each.taken for each in takes.parameters)})"
    fields = ", ".join(f"{each.name}: {each.type}" for each in takes.fields)
    return f"({takes.bundle} {{ {fields} }})"
