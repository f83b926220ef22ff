"""Overrides for Go in the spec → those that have no effect or are invalid.

Without this check, an unknown word, or the name of a declaration that does not exist (an overlay may have removed it),
would be ignored silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from polywire.ground.errors import RenderError
from polywire.model.nodes import Alias, Constructor, Declaration, Enum, Field, Model, Struct, Switch, Union
from polywire.model.walk import reach, structs_of, without_alias
from polywire.source.types import Ref, Type
from polywire.targets.common.base import Misuse
from polywire.targets.go.names import KINDS, METHODS, Names, is_mixed, override
from polywire.targets.go.shapes import Shapes, is_flat
from polywire.targets.go.structs import embedded, shared_with

LAYOUTS: dict[type, str] = {Struct: "embed", Union: "flat", Enum: "string"}
"""The value of `layout` that each kind of declaration can have."""

REFERENCES: dict[type, dict[str, type]] = {
    Struct: {"as": Struct, "embed": Struct},
    Union: {"as": Union, "embed": Struct, "tag": Enum},
}
"""The kind of declaration that each key refers to, by the kind that has the override."""

TYPES = ("any", "pointer", "value")
"""The values of `type` for a field that is sent."""


def refuse(found: Iterable[Misuse]) -> None:
    """Raises `RenderError` for the first invalid override."""
    for misuse in found:
        raise RenderError(f"target go: {misuse.message}")


def disagreements(model: Model) -> list[Misuse]:
    """The first struct that shares a Go type whose fields have other types."""
    if all(override(struct.about, "as") is None for struct in model.structs):
        return []
    from polywire.plan import make_plan  # few specs need the code that builds a package here
    from polywire.targets.go.tables import Tables

    with suppress(LookupError):  # an invalid pointer is reported separately
        return Tables(make_plan(model)).structs.misuses[:1]
    return []


def misuses(model: Model) -> Iterator[Misuse]:
    """All invalid overrides."""
    for declared in model.declarations.values():
        yield from _layout(declared)
        yield from _mixed(model, declared)
        for key, wanted in REFERENCES.get(type(declared), {}).items():
            yield from _reference(model, declared.name, declared, key, wanted)
        match declared:
            case Union():
                yield from _embedded(model, declared)
            case Struct(fields=fields, constructors=constructors):
                for field in fields:
                    yield from _field(f"{declared.name}.{field.name}", field)
                for each in constructors:
                    yield from _reference(model, f"{each.name} of {declared.name}", each, "record", Struct)


def _layout(declared: Declaration) -> Iterator[Misuse]:
    """Layouts that a declaration cannot have."""
    layout, place = override(declared.about, "layout"), declared.place
    known = LAYOUTS.get(type(declared))
    if layout is not None and layout != known:
        allowed = "an alias has none; see `kinds`" if known is None else f"it can be `{known}`"
        yield Misuse(place, "layout", f"{declared.name} cannot be laid out as `{layout}`: {allowed}")
    elif isinstance(declared, Union) and layout == "flat" and not is_flat(declared):
        message = f"{declared.name} cannot be laid out as `flat`: no discriminator distinguishes its variants"
        yield Misuse(place, "layout", message)
    elif isinstance(declared, Union) and is_flat(declared) and not _by_text(declared):
        what = f"share the type of {override(declared.about, 'as')}" if layout is None else "be laid out as `flat`"
        key = "as" if layout is None else "layout"
        yield Misuse(place, key, f"{declared.name} cannot {what}: its discriminator `{declared.by}` is not a string")


def _by_text(union: Union) -> bool:
    """Whether the discriminator of a union is a string, which a field can hold for any variant."""
    return isinstance(union.dispatch, Switch) and union.dispatch.base == "string"


def _mixed(model: Model, declared: Declaration) -> Iterator[Misuse]:
    """Faults of `kinds`: values without a field in the struct of an alias, and fields that it cannot have."""
    given = sorted(KINDS & declared.about.targets.get("go", {}).keys())
    if not given:
        return
    if not isinstance(declared, Alias) or not is_mixed(declared):
        yield Misuse(declared.place, given[0], f"{declared.name} has no `kinds`: it is no alias of several types")
        return
    found = {each.kind: each for each in Shapes(model, Names(model)).members(declared.type)}
    fields = {kind: override(declared.about, f"kinds.{kind}") for kind in found}
    zeros: set[str] = {"number", "boolean", "null"} & found.keys()
    if "array" in found and found["array"].shape.kind == "tuple":
        zeros.add("tuple")
    if zeros or "string" not in found:
        why = f"a field cannot show whether it is a {min(zeros)}" if zeros else "no value is a string"
        yield Misuse(declared.place, "kinds", f"{declared.name} cannot have `kinds`: {why}; leave them out")
        return
    inner = _names_in(model, found["object"].type) if "object" in found and fields["object"] is None else {}
    taken = dict.fromkeys(METHODS.names, "in every struct") | inner
    for kind, field in fields.items():
        if field in taken:
            message = f"`{field}` is also {taken[field]}: choose another name"
            yield Misuse(declared.place, f"kinds.{kind}", message)
        elif field is not None:
            taken[field] = f"the field for `{kind}`"
        elif kind != "object" or not inner:
            message = f"{declared.name} has values of kind `{kind}`: name a field for them, `kinds: {{{kind}: …}}`"
            yield Misuse(declared.place, "kinds", message)


def _names_in(model: Model, type_: Type) -> dict[str, str]:
    """The fields of an object whose variants can share a struct, with what they are; none for other objects."""
    plain, names = without_alias(type_, model.declarations), Names(model)
    match model.declarations[plain.name] if isinstance(plain, Ref) else None:
        case Union(dispatch=dispatch) as union if _by_text(union):
            structs = [*map(model.struct, structs_of(dispatch))]
        case Struct() as struct:
            structs = [struct]
        case _:
            return {}
    found = {"Extra": "in every struct"}
    for struct in structs:
        of = f"a member of {struct.name}"
        keys = [*(tag.key for tag in struct.tags), *(const.key for const in struct.consts)]
        found |= dict.fromkeys(map(names.member, keys), of)
        found |= dict.fromkeys(map(names.field, struct.fields), of)
    return found


def _embedded(model: Model, union: Union) -> Iterator[Misuse]:
    """The first variant that does not embed the struct that the union's `embed` names."""
    mixin = override(union.about, "embed")
    if mixin is None or not isinstance(model.declarations.get(mixin), Struct):
        return
    shared = {each.name: model.declarations[shared_with(model, each.name)] for each in model.structs}
    graph = {name: embedded(model, go) for name, go in shared.items() if isinstance(go, Struct)}
    without = (name for name in structs_of(union.dispatch) if mixin not in reach(graph, graph.get(name, ())))
    if (name := next(without, None)) is not None:
        yield Misuse(union.place, "embed", f"{union.name} cannot embed {mixin}: its variant {name} does not")


def _reference(model: Model, what: str, part: Declaration | Constructor, key: str, wanted: type) -> Iterator[Misuse]:
    name = override(part.about, key)
    if name is None:
        return
    found = model.declarations.get(name)
    if found is None or not isinstance(found, wanted):
        yield Misuse(part.place, key, f"`{key}: {name}` of {what} does not name a declared {wanted.__name__.lower()}")
    elif key == "as" and override(found.about, "as") is not None:
        yield Misuse(part.place, key, f"{what} cannot share the type of {name}, which itself shares another type")
    elif key == "as" and isinstance(found, Union) and not is_flat(found):
        yield Misuse(part.place, key, f"{what} cannot share the type of {name}, which is not laid out as `flat`")


def _field(what: str, field: Field) -> Iterator[Misuse]:
    type_, context = override(field.about, "type"), override(field.about, "context")
    if type_ is not None and field.travels and type_ not in TYPES:
        words = " or ".join(f"`{word}`" for word in TYPES)
        yield Misuse(field.place, "type", f"{what} cannot be `{type_}`: it can be {words}")
    if context is not None and (field.callback is None or field.callback.answers is None):
        yield Misuse(field.place, "context", f"{what} is no function that answers requests")
    elif context not in {None, "false"}:
        yield Misuse(field.place, "context", f"`context` of {what} can only be `false`")
