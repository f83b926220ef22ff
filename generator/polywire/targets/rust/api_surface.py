"""The model → what the Rust crate shows to user code.

Structs are `non_exhaustive`, and so are enums that may grow: nobody outside builds one by its fields, or matches
one without a `_`. What a struct needs is in the parameters of its `new`.
"""

from __future__ import annotations

from collections.abc import Iterator

from polywire.plan import Plan
from polywire.targets.api_surface import ApiItem, declarations, unknowns
from polywire.targets.rust.construct import Constructors
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.structs import Structs, is_mark


def api_surface(plan: Plan) -> Iterator[ApiItem]:
    """Everything, in the order of the declarations."""
    model = plan.model
    names = Names(model)
    shapes = Shapes(model, names)
    structs = Structs(plan, names, shapes)
    yield from declarations(plan, names.type)
    yield from unknowns(plan, names.unknown)
    for alias in model.aliases:
        yield ApiItem((alias.name, "type"), names.type(alias.name), shapes.of(alias.type))
    for enum in model.enums:
        for at, value in enumerate(enum.values):
            yield ApiItem((enum.name, "values", value.name), names.value(enum, at))
    for union in model.unions:
        for name, variant in names.variants(union).items():
            yield ApiItem((union.name, "variants", name), variant, names.type(name))
    for struct, view in zip(model.structs, structs.views(), strict=True):
        types = {field.name: field.type for field in view.fields}
        for each in struct.wire_fields:
            yield ApiItem((struct.name, "fields", each.name), names.field(each), types[names.field(each)])
        for tag in filter(is_mark, struct.tags):
            yield ApiItem((struct.name, "fields", tag.key), names.tag(tag), types[names.tag(tag)])
        text = ", ".join(each.type for each in view.new.parameters)
        yield ApiItem((struct.name, "new"), f"{view.name}::new", f"({text})")
    for choice in shapes.choices.values():
        variants = " | ".join(f"{variant.name}({variant.type})" for variant in choice.variants)
        yield ApiItem(("", "inline union", choice.name), choice.name, variants)
    yield from _constructors(plan, Constructors(plan, names, structs))
    for control in model.controls:
        answer = "()" if control.response is None else shapes.of(control.response)
        text = f"Option<{answer}>" if control.response_optional else answer
        yield ApiItem((control.request, "answer"), names.type(control.request), text)
    package = model.packages.get("rust", {})
    yield ApiItem(("", "package"), package.get("crate") or model.protocol.name)


def _constructors(plan: Plan, constructors: Constructors) -> Iterator[ApiItem]:
    """Those of the spec, but for the ones that are `new` by another name."""
    made = [each for each in plan.constructors if not each.is_plain]
    for each, view in zip(made, constructors.views(), strict=True):
        text = f"({', '.join(parameter.type for parameter in view.parameters)})"
        yield ApiItem((each.struct.name, "constructors", each.constructor.name), f"{view.struct}::{view.name}", text)
