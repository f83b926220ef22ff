"""A model → its elements: everything in it that some case has to reach, each with the location of its declaration.

An element is one facet of a declaration: an optional field is present, absent or null; a closed enum rejects an
undeclared value; an error code is reported in strict mode. Facets that are impossible (the Unknown of a union that
matches everything, an overflow where there are no numbers) are not elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from polywire.conformance.case import PARSER_CODES
from polywire.ground.engine import CODES, KINDS
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import Alias, Declaration, Enum, Field, Keys, Model, Struct, Switch, Tag, Union
from polywire.model.walk import parts, structs_of
from polywire.oracle.bounds import is_crossed
from polywire.plan.rows import kinds
from polywire.source.types import LiteralType, Scalar, TupleType, Type

ElementKind: TypeAlias = Literal["type", "field", "value", "variant", "control", "code"]
KINDS_OF_ELEMENT: Final[tuple[ElementKind, ...]] = ("type", "field", "value", "variant", "control", "code")

UNHEARD: Final = "unheard of"
"""The facet of an undeclared value or variant."""

_WANTING: Final = {
    ("type", "taken"): "no case has one",
    ("type", "refused"): "no case is refused as one",
    ("field", "there"): "no case has it",
    ("field", "absent"): "no case leaves it out",
    ("field", "null"): "no case has null there",
    ("field", "missing"): "no case is refused because it is missing",
    ("field", "wrong"): "no case is refused because something else stands there",
    ("value", "there"): "no case has it",
    ("value", UNHEARD): "no case has one that is not declared",
    ("variant", "there"): "no case has it",
    ("variant", UNHEARD): "no case has one that is not declared",
    ("variant", "missing"): "no case is refused because the tag is missing",
    ("variant", "wrong"): "no case is refused because the tag is of another kind",
    ("control", "asked"): "no case has it in its envelope",
    ("code", "lenient"): "no case gives it in lenient mode",
    ("code", "strict"): "no case gives it in strict mode",
}
"""The description of an unreached element, by kind and facet."""

_NAMED: Final = {"field": "{}.{}", "value": "{}: {}", "variant": "{}: {}"}


@dataclass(frozen=True, slots=True)
class Element:
    """One thing that a case can reach."""

    kind: ElementKind
    owner: str
    """The declaration, the key of a control, or the code."""
    name: str
    """The field, value or variant in it; empty if `owner` is enough."""
    facet: str
    place: str = ""
    """Where it is declared: file and line, with the file relative to the parent of the spec's folder."""

    @property
    def title(self) -> str:
        """Its name for people: `Size: small`, `Note.text`."""
        return _NAMED.get(self.kind, "{}").format(self.owner, self.name) if self.name else self.owner

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return f"{self.kind} {self.title}{where}: {_WANTING[self.kind, self.facet]}"


Key: TypeAlias = tuple[str, str, str, str]
"""Kind, owner, name and facet."""


def elements(model: Model, folder: str) -> dict[Key, Element]:
    """Return the elements of a model, grouped by declaration; `folder` is the name of the spec's folder."""
    found: dict[Key, Element] = {}
    for declaration in model.declarations.values():
        for element, place in _of(model, declaration):
            where = "" if place is NOWHERE else f"{folder}/{place.file}:{place.line}"
            kind, owner, name, facet = element
            found.setdefault((kind, owner, name, facet), Element(kind, owner, name, facet, where))
    if model.protocol.control is not None:
        for control in model.controls:
            where = f"{folder}/{control.place.file}:{control.place.line}"
            key: Key = ("control", control.key, "", "asked")
            found[key] = Element("control", control.key, "", "asked", where)
    for code, mode in _codes(model):
        found["code", code, "", mode] = Element("code", code, "", mode)
    return found


_Found: TypeAlias = "tuple[tuple[ElementKind, str, str, str], SourceLocation]"


def _of(model: Model, declaration: Declaration) -> Iterator[_Found]:
    name, place = declaration.name, declaration.place
    yield ("type", name, "", "taken"), place
    if _declared_kinds(model, declaration) != set(KINDS):
        yield ("type", name, "", "refused"), place
    match declaration:
        case Enum(values=values):
            for value in values:
                yield ("value", name, str(value.wire), "there"), value.place
            yield ("value", name, "", UNHEARD), place
        case Struct():
            yield from _of_struct(model, declaration)
        case Union():
            yield from _of_union(declaration)


def _declared_kinds(model: Model, declaration: Declaration) -> set[str]:
    match declaration:
        case Alias(type=type_):
            return set(kinds(model, type_))
        case _:
            return set()


def _of_struct(model: Model, struct: Struct) -> Iterator[_Found]:
    for tag in struct.tags:
        yield from ((("field", struct.name, tag.key, facet), tag.place) for facet in _facets_of_tag(tag))
        yield from ((("value", struct.name, f"{tag.key} {value}", "there"), tag.place) for value in tag.values)
        if tag.prefix is not None:
            yield ("value", struct.name, f"{tag.key} {tag.prefix}…", "there"), tag.place
        if tag.others is not None:
            yield ("value", struct.name, f"{tag.key} {tag.others}", UNHEARD), tag.place
    for const in struct.consts:
        yield from ((("field", struct.name, const.key, facet), const.place) for facet in ("there", "missing", "wrong"))
    for field in struct.wire_fields:
        if field.tag is None:
            yield from ((("field", struct.name, field.name, facet), field.place) for facet in _facets(model, field))


def _facets_of_tag(tag: Tag) -> tuple[str, ...]:
    return ("there", "absent" if tag.optional else "missing", "wrong")


def _facets(model: Model, field: Field) -> Iterator[str]:
    of = set(kinds(model, field.type))
    if of != {"null"}:
        yield "there"
    if not field.required:
        yield "absent"
    if field.flatten:  # its members are separate fields
        return
    if field.required:
        yield "missing"
    if field.nullable or not field.required or "null" in of:  # lenient mode accepts null in any optional field
        yield "null"
    if of | {"null"} != set(KINDS):
        yield "wrong"


def _of_union(union: Union) -> Iterator[_Found]:
    own = {variant.name: variant.place for variant in union.variants}
    for name in dict.fromkeys((*own, *structs_of(union.dispatch))):
        yield ("variant", union.name, name, "there"), own.get(name, union.place)
    if unanswered(union.dispatch):
        yield ("variant", union.name, "", UNHEARD), union.place
    if isinstance(union.dispatch, Switch):
        yield ("variant", union.name, "", "wrong"), union.place
        if union.dispatch.absent is None:
            yield ("variant", union.name, "", "missing"), union.place


def unanswered(dispatch: Switch | Keys) -> bool:
    """Return whether some object matches no variant of the dispatch."""
    match dispatch:
        case Keys(cases=conditions):
            return _escapes([(set(each.has), set(each.lacks)) for each, _ in conditions])
        case Switch(cases=cases, others=others, absent=absent):
            if dispatch.base == "boolean":
                return absent is None and len(cases) < 2
            return all(set(pattern) != {"*"} for pattern, _ in others)


def _escapes(conditions: Sequence[tuple[set[str], set[str]]]) -> bool:
    """Return whether some combination of present and absent keys matches no condition."""
    if not conditions:
        return True
    key = next((key for has, lacks in conditions for key in (*has, *lacks)), None)
    if key is None:
        return False
    there = [(has - {key}, lacks) for has, lacks in conditions if key not in lacks]
    absent = [(has, lacks - {key}) for has, lacks in conditions if key not in has]
    return _escapes(there) or _escapes(absent)


# --- error codes -----------------------------------------------------------------------------------------------


def _codes(model: Model) -> Iterator[tuple[str, str]]:
    """Yield each code with each mode that can report it, in order of precedence."""
    strict = PARSER_CODES | set(_given(model, strict=True))
    lenient = PARSER_CODES | set(_given(model, strict=False))
    for code in CODES:
        yield from ((code, mode) for mode, given in (("lenient", lenient), ("strict", strict)) if code in given)


def _given(model: Model, *, strict: bool) -> Iterator[str]:
    """Yield the codes that can be reported for the declarations of a model."""
    if any(_declared_kinds(model, each) != set(KINDS) for each in model.declarations.values()):
        yield "wrong_type"
    for struct in model.structs:
        yield from _given_by(struct, strict=strict)
    for union in model.unions:
        if isinstance(union.dispatch, Switch) and union.dispatch.absent is None:
            yield "missing_field"
        if unanswered(union.dispatch) and (strict or not union.open):
            yield "no_variant" if isinstance(union.dispatch, Keys) else "unknown_variant"
    if any(strict or not enum.open for enum in model.enums):
        yield "unknown_value"
    found = [part for type_ in _types(model) for part in parts(type_)]
    scalars = {part.kind for part in found if isinstance(part, Scalar)}
    numbers = scalars & {"integer", "number", "json", "object"}
    if numbers or any(e.open and e.base == "integer" for e in model.enums) or any(map(_has_number_tag, model.structs)):
        yield "out_of_range"
    if strict and scalars & {"uuid", "timestamp"}:
        yield "bad_format"
    if any(isinstance(part, TupleType) or (strict and is_crossed(part)) for part in found):
        yield "out_of_bounds"
    if any(isinstance(part, LiteralType) for part in found):
        yield "wrong_constant"


def _has_number_tag(struct: Struct) -> bool:
    return any(type(value) is int for tag in struct.tags for value in (tag.constant, *tag.values))


def _given_by(struct: Struct, *, strict: bool) -> Iterator[str]:
    if struct.consts or any(tag.constant is not None for tag in struct.tags) or any(f.claimed for f in struct.fields):
        yield "wrong_constant"
    if any(tag.constant is None for tag in struct.tags):
        yield "unknown_value"
    if (
        struct.consts
        or any(not tag.optional for tag in struct.tags)
        or any(field.required and not field.flatten for field in struct.wire_fields)
    ):
        yield "missing_field"
    if struct.extra is None and not any(field.flatten for field in struct.wire_fields):
        yield "out_of_range"  # from a number in unknown content
        if strict:
            yield "unknown_field"


def _types(model: Model) -> Iterator[Type]:
    for alias in model.aliases:
        yield alias.type
    for struct in model.structs:
        yield from (field.type for field in struct.wire_fields)
        if struct.extra is not None:
            yield struct.extra
