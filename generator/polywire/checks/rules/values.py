"""Rules on values and their locations: examples, defaults, and the values that constructors set."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.controls import instead, lost_pointers
from polywire.checks.rules.graph import DeadEnd, follow
from polywire.checks.rules.tables import lost_pointers_of_tables
from polywire.checks.rules.trees import lost_pointers_of_trees
from polywire.checks.text import acts
from polywire.ground.engine import MAX_DEPTH, Fault, pointer
from polywire.ground.finding import BAD_EXAMPLE
from polywire.ground.json_values import Json
from polywire.ground.location import SourceLocation
from polywire.model.declared import pointer as steps
from polywire.model.nodes import Constructor, Example, Field, Model, OnError, Struct
from polywire.model.walk import spell, without_alias
from polywire.oracle import reference
from polywire.oracle.reference.text import Text, read
from polywire.plan.rows import rule_of
from polywire.source.types import NULL, Array, Choice, Ref, Type

# --- examples --------------------------------------------------------------------------------------------------


def _bad_example(context: RuleContext) -> Iterator[Violation]:
    seen: set[tuple[SourceLocation, Field | None]] = set()
    for type_, field, example in _examples(context.model):
        if (example.place, field) not in seen:
            seen.add((example.place, field))
            fault = _fault(context.model, type_, read(example.text), field)
            if fault is not None:
                place = context.inside(example.place, steps(fault.path))
                yield Violation(place, f"invalid {_called(type_)}: {_described(fault)}")


def _examples(model: Model) -> Iterator[tuple[Type, Field | None, Example]]:
    """Yield every example with its type, and the field whose value it is."""
    for declaration in model.declarations.values():
        yield from ((Ref(declaration.name), None, example) for example in declaration.examples)
        if isinstance(declaration, Struct):
            for field in declaration.wire_fields:
                yield from ((whole(field), field, example) for example in field.examples)


def whole(field: Field) -> Type:
    """The type of a field, including a top-level null."""
    if not field.nullable:
        return field.type
    members = field.type.members if isinstance(field.type, Choice) else (field.type,)
    return Choice((*members, NULL))


def _called(type_: Type) -> str:
    return f"`{type_.name}`" if isinstance(type_, Ref) else f"value of type `{spell(type_)}`"


def _fault(model: Model, type_: Type, text: Text, field: Field | None = None) -> Fault | None:
    """Why strict mode refuses a JSON text, as a value of the field if one is given, or None."""
    try:
        value = reference.rules(model).outcomes(rule_of(model, type_), text, strict=True).first().value
    except Fault as fault:
        return fault
    if field is not None and reference.is_claimed(value, field.claimed, field.claimed_prefixes):
        return Fault("wrong_constant", "", "it selects another variant")
    return None


def refusal(model: Model, type_: Type, value: object) -> str | None:
    """Why strict mode refuses a JSON value, as text, or None."""
    found = _fault(model, type_, Text(value))
    return None if found is None else _described(found)


def _described(fault: Fault) -> str:
    return f"{fault.code}{f' at {fault.path}' if fault.path else ''}, {fault.message}"


# --- defaults and fixed values ---------------------------------------------------------------------------------


def _bad_default(context: RuleContext) -> Iterator[Violation]:
    seen: set[tuple[SourceLocation, Field]] = set()
    for struct in context.model.structs:
        for field in struct.wire_fields:
            if field.has_default and (field.place, field) not in seen:
                seen.add((field.place, field))
                yield from _misfit(context, field, field.default, context.at(field.place, "default"))
        for constructor in struct.constructors:
            yield from _bad_set(context, struct, constructor)


def _bad_repair(context: RuleContext) -> Iterator[Violation]:
    seen: set[SourceLocation] = set()
    for struct in context.model.structs:
        for field in struct.wire_fields:
            if field.on_error is not None and field.place not in seen:
                seen.add(field.place)
                yield from _of_repair(context, field, field.on_error, context.at(field.place, "on_error"))


def _of_repair(context: RuleContext, field: Field, on_error: OnError, place: SourceLocation) -> Iterator[Violation]:
    type_ = without_alias(field.type, context.model.declarations)
    if field.flatten:
        message = f"`{field.name}` is flattened, so it has no value that could be repaired"
        yield Violation(place, message)
    elif on_error.absent and field.required:
        message = f"`{field.name}` is required, so it cannot be absent"
        yield Violation(place, message, f"write `{field.name}?`, or give a value to use instead")
    elif on_error.skip and not isinstance(type_, Array):
        yield Violation(place, f"`{field.name}` is not a list, so it has no items to skip")
    elif on_error.replaces:
        yield from _misfit(context, field, on_error.value, context.inside(place, ("1",)) if on_error.skip else place)


def _bad_set(context: RuleContext, struct: Struct, constructor: Constructor) -> Iterator[Violation]:
    for path, value in constructor.set:
        field = follow(context, struct, path)
        if isinstance(field, Field):
            yield from _misfit(context, field, value, context.at(constructor.place, "set", pointer(path)))


def _misfit(context: RuleContext, field: Field, value: Json, place: SourceLocation) -> Iterator[Violation]:
    fault = _fault(context.model, whole(field), Text(value), field)
    if fault is not None:
        message = f"`{field.name}` does not accept this value: {_described(fault)}"
        yield Violation(context.inside(place, steps(fault.path)), message)


# --- pointers --------------------------------------------------------------------------------------------------


def _bad_pointer(context: RuleContext) -> Iterator[Violation]:
    for struct in context.model.structs:
        for constructor in struct.constructors:
            for path, place in _filled(context, constructor):
                end = follow(context, struct, path)
                if isinstance(end, DeadEnd):
                    what = f"`{pointer(path)}` is not a member that `{constructor.name}` can set"
                    yield Violation(place, f"{what}: {end.why}", instead(path, end))
    yield from lost_pointers(context)
    yield from lost_pointers_of_trees(context)
    yield from lost_pointers_of_tables(context)
    yield from _lost_announcement(context)


def _lost_announcement(context: RuleContext) -> Iterator[Violation]:
    announced = context.model.protocol.announced
    if announced is not None:
        end = follow(context, context.model.struct(announced.message), announced.at)
        if isinstance(end, DeadEnd):
            place, _ = context.below("protocol", "announced", "at")
            yield Violation(
                place, f"`{pointer(announced.at)}` does not announce a release: {end.why}", instead(announced.at, end)
            )


def _pointer_overlap(context: RuleContext) -> Iterator[Violation]:
    for struct in context.model.structs:
        for constructor in struct.constructors:
            before: dict[tuple[str, ...], tuple[str, ...]] = {}
            """Every path so far, and every path on the way to it, with the path."""
            ends: set[tuple[str, ...]] = set()
            for path, place in _filled(context, constructor):
                around = (path[:end] for end in range(min(len(path), MAX_DEPTH) + 1) if path[:end] in ends)
                other = next(around, before.get(path))
                if other is not None:
                    outer, inner = sorted((path, other), key=len)
                    how = "twice" if outer == inner else f"as a part of `{pointer(outer)}` as well"
                    yield Violation(place, f"`{constructor.name}` sets `{pointer(inner)}` {how}")
                if isinstance(follow(context, struct, path), Field):
                    ends.add(path)
                    for end in range(len(path) + 1):
                        before.setdefault(path[:end], path)


def _filled(context: RuleContext, constructor: Constructor) -> Iterator[tuple[tuple[str, ...], SourceLocation]]:
    """Every pointer that a constructor fills, and its location in the spec."""
    yield from ((param.pointer, param.place) for param in constructor.params)
    yield from ((path, context.at(constructor.place, "set", pointer(path))) for path, _ in constructor.set)


# --- keys and patterns -----------------------------------------------------------------------------------------


def _hidden_character(context: RuleContext) -> Iterator[Violation]:
    seen: set[tuple[SourceLocation, str]] = set()
    for text, place in _wire_texts(context.model):
        hidden = next((c for c in text if acts(c)), None)
        if hidden is not None and (place, text) not in seen:
            seen.add((place, text))
            yield Violation(place, f"`{text}` contains an invisible character, U+{ord(hidden):04X}")


def _wire_texts(model: Model) -> Iterator[tuple[str, SourceLocation]]:
    """Every string that the spec puts on the wire."""
    for enum in model.enums:
        yield from ((value.wire, value.place) for value in enum.values if isinstance(value.wire, str))
    for struct in model.structs:
        for tag in struct.tags:
            texts = (tag.key, tag.constant, *tag.values, tag.others)
            yield from ((text, tag.place) for text in texts if isinstance(text, str))
        for const in struct.consts:
            yield from ((text, const.place) for text in (const.key, const.value) if isinstance(text, str))
        yield from ((field.name, field.place) for field in struct.fields)
    yield from ((control.key, control.place) for control in model.controls)
    yield from ((tool.pattern, tool.place) for tool in model.tools)


def _bad_pattern(context: RuleContext) -> Iterator[Violation]:
    for tool in context.model.tools:
        if tool.pattern.count("*") > 1:
            yield Violation(tool.place, f"`{tool.pattern}` has more than one `*`")


RULES = (
    Rule(
        BAD_EXAMPLE,
        "An example is valid for its declaration.",
        "error",
        "values",
        _bad_example,
        needs_sound=True,
    ),
    Rule(
        "bad-default",
        "A default or fixed value is valid for its member.",
        "error",
        "values",
        _bad_default,
        needs_sound=True,
    ),
    Rule("bad-repair", "A repair is valid for its field.", "error", "values", _bad_repair),
    Rule(
        "bad-pointer",
        "The pointers of constructors, envelopes, trees and tables refer to existing members.",
        "error",
        "values",
        _bad_pointer,
        needs_sound=True,
    ),
    Rule(
        "pointer-overlap",
        "A constructor sets each member once.",
        "error",
        "values",
        _pointer_overlap,
        needs_sound=True,
    ),
    Rule("bad-pattern", "A pattern for tools contains exactly one `*`.", "error", "values", _bad_pattern),
    Rule(
        "hidden-character",
        "Keys and values on the wire are visible characters in the spec.",
        "warning",
        "values",
        _hidden_character,
    ),
)
