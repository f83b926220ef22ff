"""Declarations of several releases → declarations that read all of them.

A field is required if every release that has the type requires it. Of two types, the wider one is used if it contains
the other; types of different JSON kinds become an inline union; otherwise the spec must declare a type that covers
both. New values follow the newest release: see `construct_required`, `retired`, `new`, `reply`, and the constructors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from polywire.ground.location import SourceLocation
from polywire.model.dispatch import WrittenUnion
from polywire.model.joined_types import NoJoinError, TypeJoin
from polywire.model.nodes import (
    About,
    Alias,
    Const,
    Constructor,
    Control,
    Declaration,
    Enum,
    EnumValue,
    Example,
    Field,
    Model,
    Pointer,
    Struct,
    Tool,
    Union,
)
from polywire.model.parts import Parts
from polywire.model.walk import contains_itself, structs_of, without_alias
from polywire.source.report import Faults
from polywire.source.types import Choice, LiteralType, Ref, Scalar, Type, mapped

_T = TypeVar("_T")
_HINT = "declare a union or an enum with both, and mark its entries by release"


def join(releases: Sequence[Parts], faults: Faults) -> Parts:
    """Join the declarations of all releases, given oldest first."""
    return _Join(releases, faults).run()


class _Join:
    def __init__(self, releases: Sequence[Parts], faults: Faults) -> None:
        self._releases = releases
        self._faults = faults

    def run(self) -> Parts:
        enums = self._each(lambda parts: parts.enums, _enum)
        unions = self._each(lambda parts: parts.unions, _union)
        newest = {name: alias for parts in self._releases for name, alias in parts.aliases.items()}
        self._types = TypeJoin(enums, unions, {name: alias.type for name, alias in newest.items()})
        aliases = self._each(lambda parts: parts.aliases, self._alias)
        self._types = TypeJoin(enums, unions, {name: alias.type for name, alias in aliases.items()})
        structs = self._each(lambda parts: parts.structs, self._struct)
        return Parts(
            enums=enums,
            aliases=aliases,
            structs={name: _based(struct, structs) for name, struct in structs.items()},
            unions=unions,
            controls=self._each(lambda parts: parts.controls, self._control),
            tools=self._each(lambda parts: parts.tools, self._tool),
            trees=self._each(lambda parts: parts.trees, lambda each, _: each[-1]),
            tables=self._each(lambda parts: parts.tables, lambda each, _: each[-1]),
            roots=tuple(_merged([parts.roots for parts in self._releases])),
        )

    def _each(
        self, section: Callable[[Parts], Mapping[str, _T]], merge: Callable[[Sequence[_T], bool], _T]
    ) -> dict[str, _T]:
        """Every declaration of a section, each merged over the releases that have it."""
        found: dict[str, list[_T]] = {}
        for parts in self._releases:
            for name, declared in section(parts).items():
                found.setdefault(name, []).append(declared)
        newest = section(self._releases[-1])
        return {
            name: each[-1] if name in newest and all(one is each[-1] for one in each) else merge(each, name in newest)
            for name, each in found.items()
        }

    # --- types ---

    def _type(self, types: Sequence[Type], place: SourceLocation, what: str) -> Type:
        """The type that contains all types, given newest last."""
        found = types[-1]
        try:
            for type_ in reversed(types[:-1]):
                found = self._types.join(found, type_)
        except NoJoinError as error:
            message = f"{what} is {error.newer} and was {error.older}; neither includes the other"
            self._faults.add("no-join", place, message, _HINT)
            return Scalar("json")
        return found

    def _alias(self, each: Sequence[Alias], _: bool) -> Alias:
        newest = each[-1]
        found = self._type([alias.type for alias in each], newest.place, f"`{newest.name}`")
        return replace(newest, type=found, examples=_examples(alias.examples for alias in each))

    # --- structs ---

    def _struct(self, each: Sequence[Struct], _: bool) -> Struct:
        newest = each[-1]
        if all(one == newest for one in each):
            return newest
        tables = [{field.name: field for field in struct.fields} for struct in each]
        names = _merged([tuple(table) for table in tables])
        included = set(newest.include).intersection(*(struct.include for struct in each))
        consts = self._consts(each)
        return replace(
            newest,
            consts=tuple(const for const in consts if all(const in struct.consts for struct in each)),
            fields=(
                *(_optional(const, newest) for const in consts if not all(const in struct.consts for struct in each)),
                *(self._field(newest, [table.get(name) for table in tables]) for name in names),
            ),
            include=tuple(name for name in newest.include if name in included),
            examples=_examples(struct.examples for struct in each),
        )

    def _consts(self, each: Sequence[Struct]) -> tuple[Const, ...]:
        """The constants of any release; each must have one value, and no field may have its name."""
        found: dict[str, Const] = {}
        fields = {field.name for struct in each for field in struct.fields}
        for const in (const for struct in reversed(each) for const in struct.consts):
            first = found.setdefault(const.key, const)
            if const.key in fields or (first.value, type(first.value)) != (const.value, type(const.value)):
                message = f"`{const.key}` of `{each[-1].name}` is not the same constant in all releases"
                self._faults.add("no-join", const.place, message, "declare it as a field")
        return tuple(found.values())

    def _field(self, struct: Struct, each: Sequence[Field | None]) -> Field:
        there = [field for field in each if field is not None]
        newest, last = there[-1], each[-1]
        required = len(there) == len(each) and all(field.required for field in there)
        what = f"`{newest.name}` of `{struct.name}`"
        return replace(
            newest,
            type=newest.type
            if all(field.type == newest.type for field in there)
            else self._type([field.type for field in there], newest.place, what),
            required=required,
            nullable=any(field.nullable for field in there),
            construct_required=not required and last is not None and (last.required or last.construct_required),
            examples=_examples(field.examples for field in there),
            about=_about(newest.about, superseded=last is None),
        )

    # --- controls and tools ---

    def _control(self, each: Sequence[Control], at_newest: bool) -> Control:
        newest = each[-1]
        what = f"the response of `{newest.key}`"
        types = [control.response for control in each if control.response is not None]
        return replace(
            newest,
            response=self._type(types, newest.place, what) if types else None,
            response_optional=bool(types)
            and any(control.response is None or control.response_optional for control in each),
            about=_about(newest.about, superseded=not at_newest),
        )

    def _tool(self, each: Sequence[Tool], _: bool) -> Tool:
        newest = each[-1]
        inputs = [tool.input for tool in each if tool.input is not None]
        outputs = [tool.output for tool in each if tool.output is not None]
        return replace(
            newest,
            input=self._type(inputs, newest.place, f"the input of `{newest.pattern}`") if inputs else None,
            output=self._type(outputs, newest.place, f"the output of `{newest.pattern}`") if outputs else None,
        )


def _enum(each: Sequence[Enum], at_newest: bool) -> Enum:
    newest = each[-1]
    by_wire = {value.wire: value for enum in each for value in enum.values}  # for equal numbers, the newest name wins
    values = {value.name: value for value in by_wire.values()}
    there = {value.name for value in newest.values}
    names = _merged([tuple(value.name for value in enum.values) for enum in each])
    return replace(
        newest,
        values=tuple(
            _value(values[name], superseded=at_newest and name not in there) for name in names if name in values
        ),
        examples=_examples(enum.examples for enum in each),
    )


def _value(value: EnumValue, *, superseded: bool) -> EnumValue:
    return replace(value, retired=superseded, about=_about(value.about, superseded=superseded))


def _union(each: Sequence[WrittenUnion], _: bool) -> WrittenUnion:
    variants = {variant.name: variant for union in each for variant in union.variants}
    names = _merged([tuple(variant.name for variant in union.variants) for union in each])
    return replace(
        each[-1],
        variants=tuple(variants[name] for name in names),
        views=tuple(_merged([union.views for union in each])),
        examples=_examples(union.examples for union in each),
    )


def _based(struct: Struct, structs: Mapping[str, Struct]) -> Struct:
    """The struct with a field attributed to a mixin only if the mixin has the same field.

    A mixin with a member that the struct never had is no longer part of it.
    """
    keys = {f.name for f in struct.fields} | {t.key for t in struct.tags} | {c.key for c in struct.consts}
    include = tuple(
        name for name in struct.include if name in structs and keys >= {f.name for f in structs[name].fields}
    )
    lent = {(name, field.name): field for name in include for field in structs[name].fields}
    fields = tuple(
        field
        if field.origin is None or replace(field, origin=None) == _own(lent.get((field.origin, field.name)))
        else replace(field, origin=None)
        for field in struct.fields
    )
    return (
        struct
        if include == struct.include and fields == struct.fields
        else replace(struct, include=include, fields=fields)
    )


def _optional(const: Const, newest: Struct) -> Field:
    """A constant that only some releases have, as an optional field with one value."""
    return Field(
        const.key,
        LiteralType(const.value),
        required=False,
        construct_required=const in newest.consts,
        has_default=const in newest.consts,
        default=const.value if const in newest.consts else None,
        place=const.place,
    )


def _own(field: Field | None) -> Field | None:
    return None if field is None else replace(field, origin=None)


def _about(about: About, *, superseded: bool) -> About:
    """The description of a declaration; a deprecation is added if later releases use another name."""
    if about.later is None or not superseded or about.deprecated is not None:
        return about
    return replace(about, deprecated=f"Called `{about.later}` in later releases.")


def _merged(lists: Sequence[Sequence[str]]) -> list[str]:
    """The names of all lists in the order of the last; a name missing there follows its former predecessor."""
    found = list(lists[-1])
    for names in reversed(lists[:-1]):
        before: str | None = None
        for name in names:
            if name not in found:
                found.insert(0 if before is None else found.index(before) + 1, name)
            before = name
    return found


def _examples(each: Iterable[tuple[Example, ...]]) -> tuple[Example, ...]:
    return tuple({example.place: example for examples in each for example in examples}.values())


# --- new values ------------------------------------------------------------------------------------------------


def as_newest(model: Model, newest: Model, *, whole: bool) -> Model:
    """The join, with the new values, constructors and responses of the newest release.

    For the `whole` spec, pointers that lead nowhere in any release are kept, so that the rules report them.
    """
    replies = {control.key: (control.response, control.response_optional) for control in newest.controls}
    aliases = {alias.name: alias.type for alias in newest.aliases}
    changed = {
        alias.name: aliases[alias.name]
        for alias in model.aliases
        if aliases.get(alias.name, alias.type) != alias.type and not contains_itself(alias, model.declarations)
    }
    return replace(
        model,
        declarations=MappingProxyType(
            {
                name: _constructed(_as_new(declared, newest, changed), model, newest, whole)
                for name, declared in model.declarations.items()
            }
        ),
        controls=tuple(
            replace(control, reply=reply)
            if (reply := replies.get(control.key)) not in {None, (control.response, control.response_optional)}
            else control
            for control in model.controls
        ),
    )


def _as_new(declared: Declaration, newest: Model, changed: Mapping[str, Type]) -> Declaration:
    """A declaration with what new values have in the newest release, where it differs from what may be read.

    `changed` has the aliases whose type differs there. A declaration that the newest release lacks is not changed.
    """
    then = newest.declarations.get(declared.name)
    match declared, then:
        case Alias(), Alias() if declared.name in changed:
            return replace(declared, new=_unfolded(then.type, changed))
        case Struct(), Struct():
            there = {field.name: field for field in then.fields}
            fixed = {const.key for const in then.consts} | {tag.key for tag in then.tags}
            fields = tuple(
                field if field.name in fixed else _new_field(field, there.get(field.name), changed)
                for field in declared.fields
            )
            return declared if fields == declared.fields else replace(declared, fields=fields)
    return declared


def _new_field(field: Field, then: Field | None, changed: Mapping[str, Type]) -> Field:
    if then is None:
        return replace(field, retired=not field.required)
    new = _unfolded(then.type, changed), then.nullable, then.required
    return field if new == (field.type, field.nullable, field.required) else replace(field, new=new)


def _unfolded(type_: Type, aliases: Mapping[str, Type]) -> Type:
    """A type with some aliases replaced by their types."""
    match mapped(type_, lambda inner: _unfolded(inner, aliases)):
        case Ref(name=name) if name in aliases:
            return _unfolded(aliases[name], aliases)
        case Choice(members=inner):
            return Choice(tuple(each for one in inner for each in (one.members if isinstance(one, Choice) else (one,))))
        case other:
            return other


def _constructed(declared: Declaration, model: Model, newest: Model, whole: bool) -> Declaration:
    if not isinstance(declared, Struct) or not declared.constructors:
        return declared
    then = newest.declarations.get(declared.name)
    if not isinstance(then, Struct):
        return replace(declared, constructors=())

    def fits(pointer: Pointer) -> bool:
        return leads(newest, then, pointer) or (whole and not leads(model, declared, pointer))

    return replace(declared, constructors=tuple(_fitting(each, fits) for each in declared.constructors))


def _fitting(constructor: Constructor, fits: Callable[[Pointer], bool]) -> Constructor:
    """The constructor without pointers that do not fit."""
    return replace(
        constructor,
        params=tuple(param for param in constructor.params if fits(param.pointer)),
        set=tuple((pointer, value) for pointer, value in constructor.set if fits(pointer)),
    )


def with_constructors(model: Model) -> Model:
    """A release's model whose constructors only have parameters and values that exist at that release."""

    def fitted(struct: Struct) -> Struct:
        return replace(struct, constructors=tuple(_then(each, struct, model) for each in struct.constructors))

    return replace(
        model,
        declarations=MappingProxyType(
            {
                name: fitted(declared) if isinstance(declared, Struct) and declared.constructors else declared
                for name, declared in model.declarations.items()
            }
        ),
    )


def _then(constructor: Constructor, struct: Struct, model: Model) -> Constructor:
    then = replace(
        constructor,
        params=tuple(replace(p, pointer=then_called(model, struct, p.pointer)) for p in constructor.params),
        set=tuple((then_called(model, struct, pointer), value) for pointer, value in constructor.set),
    )
    return _fitting(then, lambda pointer: leads(model, struct, pointer))


def then_called(model: Model, struct: Struct, pointer: Pointer) -> Pointer:
    """A pointer with the earlier names of fields, where the release uses these."""
    found: list[str] = []
    at = [struct]
    for key in pointer:
        fields = [field for each in at for field in each.fields]
        names = {field.about.later: field.name for field in fields if field.about.later is not None}
        name = key if any(field.name == key for field in fields) else names.get(key, key)
        found.append(name)
        at = [each for field in fields if field.name == name for each in structs_in(model, field.type)]
    return tuple(found)


def with_announcement(model: Model, *, whole: bool) -> Model:
    """The model of some releases, without an announcement that none of them has.

    For the `whole` spec, an announcement that no release has is kept, so that the rules report it.
    """
    announced = model.protocol.announced
    struct = None if announced is None else model.declarations.get(announced.message)
    if announced is None or (isinstance(struct, Struct) and (whole or leads(model, struct, announced.at))):
        return model
    return replace(model, protocol=replace(model.protocol, announced=None))


def with_error_parts(model: Model, *, whole: bool) -> Model:
    """The model of some releases, whose error responses lack the code or data that none of these releases has.

    For the `whole` spec, what no release has is kept, so that the rules report it.
    """
    control = model.protocol.control
    error = None if control is None else control.error
    struct = None if error is None else model.declarations.get(error.struct)
    if whole or control is None or error is None or not isinstance(struct, Struct):
        return model
    code, data = (None if way is None or not leads(model, struct, way) else way for way in (error.code, error.data))
    if (code, data) == (error.code, error.data):
        return model
    left = replace(error, code=code, data=data)
    if code is None:
        left = replace(left, refused=None, unknown=None)
    if code is None or data is None:
        left = replace(left, types=())
    return replace(model, protocol=replace(model.protocol, control=replace(control, error=left)))


def leads(model: Model, struct: Struct, pointer: Pointer) -> bool:
    """Whether the pointer leads somewhere in the struct, for any variant of the unions on the path."""
    at = [struct]
    for depth, key in enumerate(pointer):
        at = list(with_flattened(model, at))
        fields = [field for each in at for field in each.fields if field.name == key]
        if not fields:
            return depth == len(pointer) - 1 and any(
                key in {tag.key for tag in each.tags} | {const.key for const in each.consts} for each in at
            )
        at = [each for field in fields for each in structs_in(model, field.type)]
    return True


def with_flattened(model: Model, structs: Sequence[Struct]) -> Iterator[Struct]:
    """The structs, and the structs of their flattened fields."""
    seen: set[str] = set()
    ahead = list(structs)
    while ahead:
        struct = ahead.pop(0)
        if struct.name not in seen:
            seen.add(struct.name)
            yield struct
            ahead.extend(each for field in struct.fields if field.flatten for each in structs_in(model, field.type))


def structs_in(model: Model, type_: Type) -> Iterator[Struct]:
    plain = without_alias(type_, model.declarations)
    declared = model.declarations.get(plain.name) if isinstance(plain, Ref) else None
    match declared:
        case Struct():
            yield declared
        case Union(dispatch=dispatch):
            yield from (model.struct(name) for name in structs_of(dispatch))
