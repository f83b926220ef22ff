"""Rules on values and the places for them: examples, defaults, and what constructors fill in."""

from __future__ import annotations

from collections.abc import Iterator

from polywire import reference
from polywire.checks.rule import Breach, Rule
from polywire.checks.rules.graph import DeadEnd, follow
from polywire.checks.subject import Subject
from polywire.checks.text import acts
from polywire.engine import Fault, parse, pointer
from polywire.model.nodes import Constructor, Example, Field, Json, Model, Place, Ref, Struct, Type
from polywire.model.plan import type_code
from polywire.source.report import nearest

# --- examples --------------------------------------------------------------------------------------------------


def _bad_example(subject: Subject) -> Iterator[Breach]:
    seen: set[Place] = set()
    for type_, examples in _examples(subject.model):
        for example in examples:
            fault = None if example.place in seen else _fault_of_text(subject.model, type_, example.text)
            seen.add(example.place)
            if fault is not None:
                place = subject.inside(example.place, _steps(fault.path))
                yield Breach(place, f"this is no {_called(type_)}: {_told(fault)}")


def _examples(model: Model) -> Iterator[tuple[Type, tuple[Example, ...]]]:
    for declaration in model.declarations.values():
        yield Ref(declaration.name), declaration.examples
        if isinstance(declaration, Struct):
            yield from ((field.type, field.examples) for field in declaration.wire_fields)


def _called(type_: Type) -> str:
    return f"`{type_.name}`" if isinstance(type_, Ref) else "value of that type"


def _fault_of_text(model: Model, type_: Type, text: str) -> Fault | None:
    try:
        return _fault(model, type_, parse(text))
    except Fault as fault:
        return fault


def _fault(model: Model, type_: Type, value: object) -> Fault | None:
    """What strict mode says to a JSON value."""
    try:
        reference.decoder(model).decode(type_code(model, type_), value, strict=True)
    except Fault as fault:
        return fault
    return None


def _told(fault: Fault) -> str:
    return f"{fault.code} at {fault.path or 'its top'}: {fault.message}"


def _steps(path: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]


# --- defaults and fixed values ---------------------------------------------------------------------------------


def _bad_default(subject: Subject) -> Iterator[Breach]:
    seen: set[Place] = set()
    for struct in subject.model.structs:
        for field in struct.wire_fields:
            if field.has_default and field.place not in seen:
                seen.add(field.place)
                yield from _misfit(subject, field, field.default, subject.at(field.place, "default"))
        for constructor in struct.constructors:
            yield from _bad_set(subject, struct, constructor)


def _bad_set(subject: Subject, struct: Struct, constructor: Constructor) -> Iterator[Breach]:
    for path, value in constructor.set:
        field = follow(subject.model, struct, path)
        if isinstance(field, Field):
            yield from _misfit(subject, field, value, subject.at(constructor.place, "set", pointer(path)))


def _misfit(subject: Subject, field: Field, value: Json, place: Place) -> Iterator[Breach]:
    if value is None and field.nullable:
        return
    fault = _fault(subject.model, field.type, value)
    if fault is not None:
        yield Breach(subject.inside(place, _steps(fault.path)), f"`{field.name}` takes no such value: {_told(fault)}")


# --- pointers --------------------------------------------------------------------------------------------------


def _bad_pointer(subject: Subject) -> Iterator[Breach]:
    for struct in subject.model.structs:
        for constructor in struct.constructors:
            for path, place in _filled(subject, constructor):
                end = follow(subject.model, struct, path)
                if isinstance(end, DeadEnd):
                    near = nearest(path[end.followed], end.known) if path else []
                    hint = f"did you mean `{pointer((*path[: end.followed], near[0]))}`?" if near else None
                    yield Breach(
                        place, f"`{pointer(path)}` is no place that `{constructor.name}` can fill: {end.why}", hint
                    )


def _pointer_overlap(subject: Subject) -> Iterator[Breach]:
    for struct in subject.model.structs:
        for constructor in struct.constructors:
            first: list[tuple[str, ...]] = []
            for path, place in _filled(subject, constructor):
                other = next((o for o in first if o[: len(path)] == path or path[: len(o)] == o), None)
                if other is not None:
                    both = f"`{pointer(path)}`" if path == other else f"`{pointer(path)}` and `{pointer(other)}`"
                    yield Breach(place, f"`{constructor.name}` fills {both} twice")
                first.append(path)


def _filled(subject: Subject, constructor: Constructor) -> Iterator[tuple[tuple[str, ...], Place]]:
    """Every place that a constructor fills, and where it says so."""
    yield from ((param.pointer, param.place) for param in constructor.params)
    yield from ((path, subject.at(constructor.place, "set", pointer(path))) for path, _ in constructor.set)


# --- keys and patterns -----------------------------------------------------------------------------------------


def _hidden_character(subject: Subject) -> Iterator[Breach]:
    seen: set[tuple[Place, str]] = set()
    for text, place in _wire_texts(subject.model):
        hidden = next((c for c in text if acts(c)), None)
        if hidden is not None and (place, text) not in seen:
            seen.add((place, text))
            yield Breach(place, f"`{text}` has a character that cannot be seen, U+{ord(hidden):04X}")


def _wire_texts(model: Model) -> Iterator[tuple[str, Place]]:
    """Every text that stands on the wire because the spec says so."""
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


def _bad_pattern(subject: Subject) -> Iterator[Breach]:
    for tool in subject.model.tools:
        if tool.pattern.count("*") > 1:
            yield Breach(tool.place, f"`{tool.pattern}` has more than one `*`, a pattern has one")


RULES = (
    Rule(
        "bad-example",
        "An example is what it is an example of.",
        "error",
        "values",
        _bad_example,
        needs_sound=True,
    ),
    Rule(
        "bad-default",
        "A default or fixed value is one that its place takes.",
        "error",
        "values",
        _bad_default,
        needs_sound=True,
    ),
    Rule(
        "bad-pointer",
        "A constructor's pointers lead to places that it can fill.",
        "error",
        "values",
        _bad_pointer,
        needs_sound=True,
    ),
    Rule("pointer-overlap", "A constructor fills each place once.", "error", "values", _pointer_overlap),
    Rule("bad-pattern", "A pattern of tools has one `*`.", "error", "values", _bad_pattern),
    Rule(
        "hidden-character",
        "What stands on the wire can be read in the spec.",
        "warning",
        "values",
        _hidden_character,
    ),
)
