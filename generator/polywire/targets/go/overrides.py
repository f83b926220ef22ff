"""Overrides for Go in the spec → those that have no effect or are invalid.

Without this check, an unknown word, or the name of a declaration that does not exist (an overlay may have removed it),
would be ignored silently.
"""

from __future__ import annotations

from collections.abc import Iterator

from polywire.ground.errors import RenderError
from polywire.ground.location import SourceLocation
from polywire.model.nodes import About, Alias, Declaration, Enum, Field, Model, Struct, Switch, Union
from polywire.model.walk import structs_of, without_alias
from polywire.source.types import Ref, Type
from polywire.targets.common.base import Misuse
from polywire.targets.go.names import KINDS, METHODS, Names, is_mixed, override
from polywire.targets.go.shapes import Shapes, is_flat
from polywire.targets.go.structs import embedded, shared_with

LAYOUTS: dict[type, frozenset[str]] = {
    Struct: frozenset({"embed"}),
    Union: frozenset({"flat"}),
    Alias: frozenset(),
    Enum: frozenset({"string"}),
}
"""The values of `layout`, by kind of declaration."""

REFERENCES: dict[type, dict[str, type]] = {
    Struct: {"as": Struct, "embed": Struct},
    Union: {"as": Union, "embed": Struct, "tag": Enum},
}
"""The kind of declaration that each key refers to, by the kind that has the override."""

TYPES = frozenset({"any", "pointer", "value"})
"""The values of `type` for a field that is sent."""


def refuse(model: Model) -> None:
    """Raises `RenderError` for the first invalid override."""
    for misuse in misuses(model):
        raise RenderError(f"target go: {misuse.message}")


def shares_types(model: Model) -> bool:
    """Whether any struct shares the Go type of another one."""
    return any(override(struct.about, "as") is not None for struct in model.structs)


def misuses(model: Model) -> Iterator[Misuse]:
    """All invalid overrides."""
    for declared in model.declarations.values():
        about, kind, place = declared.about, type(declared), declared.place
        yield from _layout(declared)
        yield from _mixed(model, declared)
        for key, wanted in REFERENCES.get(kind, {}).items():
            yield from _reference(model, declared.name, about, key, wanted, place)
        if isinstance(declared, Union):
            yield from _embedded(model, declared)
        if isinstance(declared, Struct):
            for field in declared.fields:
                yield from _field(declared.name, field)
                yield from _context(declared.name, field)
            for constructor in declared.constructors:
                what = f"{constructor.name} of {declared.name}"
                yield from _reference(model, what, constructor.about, "record", Struct, constructor.place)


def _layout(declared: Declaration) -> Iterator[Misuse]:
    """Layouts that a declaration cannot have."""
    layout, place = override(declared.about, "layout"), declared.place
    known = LAYOUTS[type(declared)]
    if layout is not None and layout not in known:
        allowed = _one_of(known) if known else "an alias has none; see `kinds`"
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
    if given and not (isinstance(declared, Alias) and is_mixed(declared)):
        yield Misuse(declared.place, given[0], f"{declared.name} has no `kinds`: it is no alias of several types")
    if not isinstance(declared, Alias) or not is_mixed(declared):
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
    taken = _names_in(model, found["object"].type) if "object" in found and fields["object"] is None else {}
    shared = {"object"} if taken else frozenset[str]()
    for kind, field in fields.items():
        if field is None and kind not in shared:
            message = f"{declared.name} has values of kind `{kind}`: name a field for them, `kinds: {{{kind}: …}}`"
            yield Misuse(declared.place, "kinds", message)
        elif field in taken or (field is not None and field in METHODS.names):
            message = f"`{field}` is also {taken.get(field, 'in every struct')}: choose another name"
            yield Misuse(declared.place, f"kinds.{kind}", message)
        if field is not None:
            taken[field] = f"the field for `{kind}`"


def _names_in(model: Model, type_: Type) -> dict[str, str]:
    """The fields of an object whose variants can share a struct, with what they are; none for other objects."""
    plain, names = without_alias(type_, model.declarations), Names(model)
    declared = model.declarations[plain.name] if isinstance(plain, Ref) else None
    if isinstance(declared, Union) and not _by_text(declared):
        return {}
    structs = structs_of(declared.dispatch) if isinstance(declared, Union) else [declared]
    found = {"Extra": "in every struct"}
    for struct in (model.struct(each) if isinstance(each, str) else each for each in structs):
        if not isinstance(struct, Struct):
            return {}
        keys = [*(tag.key for tag in struct.tags), *(const.key for const in struct.consts)]
        found |= {names.member(key): f"a member of {struct.name}" for key in keys}
        found |= {names.field(each): f"a member of {struct.name}" for each in struct.fields}
    return found


def _embedded(model: Model, union: Union) -> Iterator[Misuse]:
    """The variants that do not embed the struct that the union's `embed` names."""
    mixin = override(union.about, "embed")
    if mixin is None or not isinstance(model.declarations.get(mixin), Struct):
        return
    for name in structs_of(union.dispatch):
        if mixin not in _embeds(model, name):
            message = f"{union.name} cannot embed {mixin}: its variant {name} does not"
            yield Misuse(union.place, "embed", message)
            return


def _embeds(model: Model, struct: str) -> set[str]:
    """The structs that the Go struct of a struct embeds, at any depth."""
    found: set[str] = set()
    left = [struct]
    while left:
        declared = model.declarations[shared_with(model, left.pop())]
        if isinstance(declared, Struct):
            new = set(embedded(model, declared)) - found
            found |= new
            left += new
    return found


def _reference(
    model: Model, what: str, about: About, key: str, wanted: type, place: SourceLocation
) -> Iterator[Misuse]:
    name = override(about, key)
    if name is None:
        return
    found = model.declarations.get(name)
    if found is None or not isinstance(found, wanted):
        yield Misuse(place, key, f"`{key}: {name}` of {what} does not name a declared {wanted.__name__.lower()}")
    elif key == "as" and override(found.about, "as") is not None:
        yield Misuse(place, key, f"{what} cannot share the type of {name}, which itself shares another type")


def _field(struct: str, field: Field) -> Iterator[Misuse]:
    type_ = override(field.about, "type")
    if type_ is not None and field.travels and type_ not in TYPES:
        yield Misuse(field.place, "type", f"{struct}.{field.name} cannot be `{type_}`: {_one_of(TYPES)}")


def _context(struct: str, field: Field) -> Iterator[Misuse]:
    word = override(field.about, "context")
    if word is None:
        return
    if field.callback is None or field.callback.answers is None:
        yield Misuse(field.place, "context", f"{struct}.{field.name} is no function that answers requests")
    elif word != "false":
        yield Misuse(field.place, "context", f"`context` of {struct}.{field.name} can only be `false`")


def _one_of(words: frozenset[str]) -> str:
    return f"it can be {' or '.join(f'`{word}`' for word in sorted(words))}"
