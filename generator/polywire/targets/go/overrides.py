"""Overrides for Go in the spec → those that have no effect or are invalid.

Without this check, an unknown word, or the name of a declaration that does not exist (an overlay may have removed it),
would be ignored silently.
"""

from __future__ import annotations

from collections.abc import Iterator

from polywire.ground.errors import RenderError
from polywire.ground.location import SourceLocation
from polywire.model.nodes import About, Alias, Enum, Field, Model, Struct, Switch, Union
from polywire.model.walk import structs_of
from polywire.plan.rows import kinds
from polywire.source.types import Choice, Ref
from polywire.targets.common.base import Misuse
from polywire.targets.go.names import override
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.structs import embedded, shared_with

LAYOUTS: dict[type, frozenset[str]] = {
    Struct: frozenset({"embed"}),
    Union: frozenset({"flat"}),
    Alias: frozenset({"flat"}),
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
        about, kind = declared.about, type(declared)
        layout, place = override(about, "layout"), declared.place
        if layout is not None and layout not in LAYOUTS[kind]:
            yield Misuse(place, "layout", f"{declared.name} cannot be laid out as `{layout}`: {_one_of(LAYOUTS[kind])}")
        if isinstance(declared, Union) and layout == "flat" and not is_flat(declared):
            yield Misuse(
                place,
                "layout",
                f"{declared.name} cannot be laid out as `flat`: no discriminator distinguishes its variants",
            )
        if isinstance(declared, Union) and is_flat(declared) and not _by_text(declared):
            what = f"share the type of {override(about, 'as')}" if layout is None else "be laid out as `flat`"
            key = "as" if layout is None else "layout"
            message = f"{declared.name} cannot {what}: its discriminator `{declared.by}` is not a string"
            yield Misuse(place, key, message)
        if isinstance(declared, Alias) and layout == "flat" and not _text_or_struct(model, declared):
            yield Misuse(
                place, "layout", f"{declared.name} cannot be laid out as `flat`: it is not a text or one struct"
            )
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


def _by_text(union: Union) -> bool:
    """Whether the discriminator of a union is a string, which a field can hold for any variant."""
    return isinstance(union.dispatch, Switch) and union.dispatch.base == "string"


def _text_or_struct(model: Model, alias: Alias) -> bool:
    """Whether an alias is a choice of a string or an object of one struct."""
    if not isinstance(alias.type, Choice) or len(alias.type.members) != len(("text", "struct")):
        return False
    structs = [m for m in alias.type.members if isinstance(m, Ref) and isinstance(model.declarations[m.name], Struct)]
    return len(structs) == 1 and sorted(kinds(model, alias.type)) == ["object", "string"]


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
