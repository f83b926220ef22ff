"""A spec of several releases → the findings of single releases that the span of all does not have.

The model of a release is checked like any other. What releases share is not checked again: distinct names in the span
are distinct in a release, unless the release has names of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from polywire.checks.rules import naming
from polywire.ground.finding import Finding
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Alias, Declaration, Enum, Example, Field, Model, Struct, Union
from polywire.model.releases import Releases
from polywire.model.walk import parts
from polywire.source.types import Choice, TupleType, Type

EXAMPLE = "bad-example"
"""The rule that determines which releases an example belongs to."""

MISSING = "missing-at-release"
"""The rule that checks all releases of the span at once."""

COLLISION = "name-collision"

OF_THE_SPEC = frozenset({"unreachable", "missing-doc"} | {rule.id for rule in naming.RULES} - {COLLISION})
"""Rules on the spec as a whole, independent of releases."""

Checking: TypeAlias = "Callable[[str, Callable[[Model], frozenset[str]]], tuple[Model | None, tuple[Finding, ...]]]"
"""Checks one release: its name, and a function that selects the rules to skip → the model and the findings."""


def findings_of_releases(
    releases: Releases, known: Collection[Finding], span: Model | None, check: Checking
) -> Iterator[Finding]:
    """The findings of all releases that are not `known`, without duplicates, each with the releases that have it."""
    found: dict[Finding, int] = {}
    examples: dict[SourceLocation, int] = {}
    names = frozenset() if span is None else _names(span)
    checked = set(names)

    def left_out(model: Model) -> frozenset[str]:
        own = _names(model)
        equal = own <= checked
        checked.update(own)
        return OF_THE_SPEC | ({COLLISION} if equal else frozenset())

    for number, release in enumerate(releases.names):
        model, findings = check(release, left_out)
        for place in _example_places(model) if model is not None else ():
            examples[place] = examples.get(place, 0) | 1 << number
        for finding in findings:
            if finding not in known and finding.rule != MISSING:
                found[finding] = found.get(finding, 0) | 1 << number
    yield from _first_refusals(found, examples, releases)


def _first_refusals(
    found: Mapping[Finding, int], examples: Mapping[SourceLocation, int], releases: Releases
) -> Iterator[Finding]:
    refused: dict[SourceLocation, int] = {}
    for finding, mask in found.items():
        if finding.rule == EXAMPLE:
            place = _example_of(finding.place, examples)
            refused[place] = refused.get(place, 0) | mask
    reported: set[SourceLocation] = set()
    for finding, mask in found.items():
        example = _example_of(finding.place, examples) if finding.rule == EXAMPLE else None
        if example is None:
            yield replace(finding, message=f"{finding.message} (at {releases.spelled(mask)})")
        elif example not in reported and not examples.get(example, 0) & ~refused[example]:
            reported.add(example)
            message = f"this example is invalid in every release: {finding.message} (at {releases.spelled(mask)})"
            yield replace(finding, message=message)


def without_misfits(
    model: Model, findings: Collection[Finding], overlays: Collection[str]
) -> tuple[Model, tuple[Finding, ...]]:
    """The model of some releases without examples of other releases, and the remaining findings.

    An example from one of the `overlays` must be valid, so its findings remain.
    """
    places = list(_example_places(model))
    wrong = [finding for finding in findings if finding.rule == EXAMPLE and finding.place.file not in overlays]
    misfits = {_example_of(finding.place, places) for finding in wrong}
    if not misfits:
        return model, tuple(findings)
    declarations = {name: _without(declared, misfits) for name, declared in model.declarations.items()}
    return replace(model, declarations=MappingProxyType(declarations)), tuple(f for f in findings if f not in wrong)


def _without(declared: Declaration, places: Collection[SourceLocation]) -> Declaration:
    def kept(examples: tuple[Example, ...]) -> tuple[Example, ...]:
        return tuple(example for example in examples if example.place not in places)

    if isinstance(declared, Struct):
        fields: tuple[Field, ...] = tuple(replace(f, examples=kept(f.examples)) for f in declared.fields)
        return replace(declared, examples=kept(declared.examples), fields=fields)
    return replace(declared, examples=kept(declared.examples))


def _example_places(model: Model) -> Iterator[SourceLocation]:
    for declared in model.declarations.values():
        yield from (example.place for example in declared.examples)
        if isinstance(declared, Struct):
            yield from (example.place for field in declared.wire_fields for example in field.examples)


def _example_of(place: SourceLocation, examples: Collection[SourceLocation]) -> SourceLocation:
    """The example that contains a location: the last one that begins before it."""
    if place in examples:
        return place
    before = [e for e in examples if e.file == place.file and (e.line, e.column) <= (place.line, place.column)]
    return max(before, key=lambda e: (e.line, e.column), default=place)


def _names(model: Model) -> frozenset[object]:
    """Everything that targets derive names from."""
    return frozenset(_all_names(model))


def _all_names(model: Model) -> Iterator[object]:
    for declared in model.declarations.values():
        yield type(declared), declared.name, declared.about.name
        match declared:
            case Enum(values=values):
                yield from (("value", declared.name, value.name) for value in values)
            case Struct(fields=fields, constructors=constructors):
                for field in fields:
                    yield "field", declared.name, field.name, field.tag is None
                    yield from _choices(field.type)
                yield from (("constructor", declared.name, each.name) for each in constructors)
            case Union(variants=variants):
                yield from (("variant", declared.name, variant.name) for variant in variants)
            case Alias(type=type_):
                yield from _choices(type_)
    yield from (("control", control.key, control.request) for control in model.controls)
    yield from (("tool", tool.pattern, tool.input is None, tool.output is None) for tool in model.tools)


def _choices(type_: Type) -> Iterator[Type]:
    """The inline unions and tuples in a type, for which some languages need names."""
    return (each for each in parts(type_) if isinstance(each, Choice | TupleType))
