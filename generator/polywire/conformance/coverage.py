"""Cases → the elements of their protocol that are reached, and those that no case reaches.

The elements that an input reaches are determined by the reference and the model, whatever the origin of the case and
its expected outcome: an accepted document reaches the types, members, values and variants in it; a rejected one reaches
its code and the element that rejected it. A document with several correct outcomes reaches nothing.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from polywire.conformance.case import Case, Kind, messages_of
from polywire.conformance.elements import KINDS_OF_ELEMENT, UNHEARD, Element, ElementKind, Key, elements
from polywire.conformance.protocols import Protocol
from polywire.ground.engine import Fault, glob, pointer
from polywire.ground.json_values import kind
from polywire.ground.words import counted
from polywire.model.nodes import Alias, Declaration, Dispatch, Enum, Keys, Leaf, Model, Struct, Switch, Union
from polywire.model.walk import refs, structs_of
from polywire.oracle import reference
from polywire.oracle.reference import Decoded, Outcomes, Step
from polywire.oracle.reference.text import Text
from polywire.oracle.reference.text import read as read_text
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, Map, Ref, TupleType, Type

MOST_SHOWN = 20
"""Maximum number of unreached elements printed for each protocol; the result file has all of them."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The number of cases that reach an element, by their origin."""

    element: Element
    written: int = 0
    captured: int = 0
    derived: int = 0

    @property
    def total(self) -> int:
        return self.written + self.captured + self.derived


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of elements of a kind, and how many of them are reached by cases of each origin."""

    kind: ElementKind
    elements: int
    reached: int
    written: int
    captured: int
    derived: int
    derived_only: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The elements that the cases of one protocol reach."""

    protocol: Protocol
    reaches: tuple[Reach, ...]

    @property
    def unreached(self) -> list[Element]:
        return [reach.element for reach in self.reaches if not reach.total]

    @property
    def derived_only(self) -> list[Element]:
        """The elements that no written or captured case reaches."""
        return [reach.element for reach in self.reaches if reach.total and reach.total == reach.derived]

    @property
    def tallies(self) -> list[Tally]:
        """The tallies, one for each kind of element."""
        found = []
        for of in KINDS_OF_ELEMENT:
            own = [reach for reach in self.reaches if reach.element.kind == of]
            if own:
                found.append(
                    Tally(
                        of,
                        elements=len(own),
                        reached=sum(reach.total > 0 for reach in own),
                        written=sum(reach.written > 0 for reach in own),
                        captured=sum(reach.captured > 0 for reach in own),
                        derived=sum(reach.derived > 0 for reach in own),
                        derived_only=sum(0 < reach.total == reach.derived for reach in own),
                    )
                )
        return found

    def lines(self, most: int = MOST_SHOWN) -> list[str]:
        """Return a summary for people, without markup: a line about everything, and up to `most` unreached elements.

        With `most` set to 0 only the first line is returned, for cases that need not reach everything.
        """
        unreached = self.unreached
        reached, alone = len(self.reaches) - len(unreached), len(self.derived_only)
        first = f"coverage of {self.protocol}: {reached} of {counted(len(self.reaches), 'element')} reached"
        lines = [first + (f", {alone} of them by derived cases alone" if alone else "")]
        lines += [f"UNREACHED {element}" for element in unreached[:most]]
        return lines + ([f"… and {len(unreached) - most} more unreached"] if len(unreached) > most > 0 else [])

    def as_json(self) -> dict[str, object]:
        """Return the same for programs."""
        unreached = self.unreached
        return {
            "protocol": str(self.protocol),
            "elements": len(self.reaches),
            "reached": len(self.reaches) - len(unreached),
            "kinds": [{name: getattr(tally, name) for name in Tally.__slots__} for tally in self.tallies],
            "unreached": list(map(_entry, unreached)),
            "derived_only": list(map(_entry, self.derived_only)),
        }


def _entry(element: Element) -> dict[str, str]:
    return {"kind": element.kind, "element": element.title, "facet": element.facet, "place": element.place}


def measured(cases: Sequence[Case]) -> list[Coverage]:
    """Return the coverage of each protocol that has cases."""
    return [measure(cases, protocol) for protocol in dict.fromkeys(case.protocol for case in cases)]


def measure(cases: Iterable[Case], protocol: Protocol) -> Coverage:
    """Return what the cases of the given protocol reach in it."""
    reader = Reader(protocol.model)
    counts: dict[Kind, Counter[Key]] = {"written": Counter(), "captured": Counter(), "derived": Counter()}
    for case in cases:
        if case.protocol == protocol:
            counts[case.kind].update(reader.case(case))
    found = elements(protocol.model, protocol.folder.name)
    return Coverage(
        protocol,
        tuple(Reach(element, **{of: by_key[key] for of, by_key in counts.items()}) for key, element in found.items()),
    )


# --- the elements reached by one case --------------------------------------------------------------------------

_NOTHING: Final = object()


class Reader:
    """Finds the elements that inputs of one model reach, and others that are not among the required elements."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._rules = reference.rules(model)
        self._enums = {enum.name: {str(value.wire) for value in enum.values} for enum in model.enums}
        self._structs = {struct.name: _Struct(model, struct) for struct in model.structs}
        self._unions = {union.name: _leading(model, union) for union in model.unions}
        self._controls = {control.request: control.key for control in model.controls}
        self._reached: set[Key] = set()
        self._last: tuple[object, Text] = (None, Text())
        self._last_fault: tuple[object, list[Key]] = (None, [])

    def case(self, case: Case) -> set[Key]:
        """Return what a case reaches: a session or a tree reaches nothing, since other cases check its contents."""
        if case.stateful is not None:
            return set()
        if case.chunks is None:
            data = case.json if case.json is not None else base64.b64decode(case.data or "")
            return self._document(data, case)
        found: set[Key] = set()
        for message in messages_of(case.protocol, case.chunks):
            if case.limit is not None and len(message) > case.limit:
                found.add(("code", "too_long", "", case.mode))
            elif message.strip(b" \t\r\n"):
                found |= self._document(message, case)
        return found

    def _document(self, data: str | bytes, case: Case) -> set[Key]:
        text = self._parsed(data)
        outcomes = self._rules.outcomes(case.type, text, strict=case.mode == "strict")
        if not _is_certain(outcomes):
            return set()
        if outcomes.accepted:
            self._reached = set()
            self._accepted(outcomes.accepted[0], case.type)
            return self._reached
        (fault,) = outcomes.faults
        refusing = [] if text.faults else self._refusing(fault, case.type, text.value)
        return {("code", fault.code, "", case.mode), *refusing}

    def _parsed(self, data: str | bytes) -> Text:
        """Return the parsed document; most documents come twice, in lenient and in strict mode."""
        if self._last[0] != data:
            self._last, self._last_fault = (data, read_text(data)), (None, [])
        return self._last[1]

    def _refusing(self, fault: Fault, root: str, value: Any) -> list[Key]:
        """Return the elements that caused the fault; most faults come twice, in lenient and in strict mode."""
        about = (root, fault.code, fault.path)
        if self._last_fault[0] != about:
            found = _refused(self._model, fault.code, Ref(root), value, _steps(fault.path))
            self._last_fault = (about, [("type", root, "", "refused"), *found])
        return self._last_fault[1]

    def _struct(self, step: Step) -> None:
        """Record what one object of a struct reaches."""
        struct = self._structs[step.name]
        self._reached.update(struct.reached(step.members, step.extra))
        for key, type_ in struct.telling:
            if key in step.members:
                self._values(type_, step.members[key])
        if struct.extra is not None:
            for value in step.extra.values():
                self._values(struct.extra, value)

    def _values(self, type_: Type, value: Any) -> None:
        """Record the enums and aliases in a member."""
        match type_:
            case Array(item=item) if isinstance(value, list):
                for each in value:
                    self._values(item, each)
            case TupleType(items=items) if isinstance(value, list):
                for item, each in zip(items, value, strict=False):
                    self._values(item, each)
            case Map(value=inner, key=key) if isinstance(value, dict):
                for entry, each in value.items():
                    if key is not None:
                        self._enum(key, entry)
                    self._values(inner, each)
            case Choice(members=members):
                for member in members:
                    if _kind(value) in kinds(self._model, member):
                        self._values(member, value)
            case Ref(name=name):
                self._named(name, value)

    def _named(self, name: str, value: Any) -> None:
        declared = self._model.declarations[name]
        if isinstance(declared, Enum) and value is not None:
            self._enum(name, value)
        elif isinstance(declared, Alias):
            self._reached.add(("type", name, "", "taken"))
            self._values(declared.type, value)

    def _enum(self, enum: str, value: str | int) -> None:
        text = str(value)
        self._reached.add(("type", enum, "", "taken"))
        self._reached.add(("value", enum, text, "there") if text in self._enums[enum] else ("value", enum, "", UNHEARD))

    def _accepted(self, found: Decoded, root: str) -> None:
        trail = found.trail
        for step in found.steps:
            if step.name in self._structs:
                self._struct(step)
        self._values(Ref(root), found.value)
        for at, (_, name) in enumerate(trail):
            if name in self._unions:
                self._reached.add(("type", name, "", "taken"))
                for _, then in trail[at + 1 :]:
                    self._reached.update(self._unions[name].get(then, ()))
                    if then not in self._unions:
                        break
        for passed in found.passed:
            if passed.code in {"unknown_variant", "no_variant"}:
                self._reached.add(("variant", passed.owner, "", UNHEARD))
        self._asked(trail)

    def _asked(self, trail: Sequence[tuple[str, str]]) -> None:
        """Record the controls in envelopes of requests."""
        control = self._model.protocol.control
        for envelope in (control.request, control.notify) if control is not None else ():
            if envelope is None:
                continue
            payloads = {place + pointer(envelope.payload) for place, name in trail if name == envelope.struct}
            for place, name in trail:
                if place in payloads and name in self._controls:
                    self._reached.add(("control", self._controls[name], "", "asked"))


def _is_certain(outcomes: Outcomes) -> bool:
    """Return whether a document has one correct outcome; with several, it does not prove that a binding knows any."""
    return len(outcomes.accepted) + len(outcomes.faults) == 1


class _Struct:
    """The elements that an accepted object of a struct reaches."""

    def __init__(self, model: Model, struct: Struct) -> None:
        fields = struct.wire_fields
        constants = [tag.key for tag in struct.tags if tag.constant is not None]
        keys = [*constants, *(const.key for const in struct.consts), *(field.name for field in fields)]
        self._name = struct.name
        self._facets = [(key, *_member_facets(struct.name, key)) for key in keys]
        self._tags = [tag for tag in struct.tags if tag.constant is None]
        self.telling = [
            (field.name, field.type)
            for field in fields
            if any(isinstance(model.declarations[name], Enum | Alias) for name in refs(field.type))
        ]
        """The members that may contain enums or aliases."""
        self.extra = struct.extra

    def reached(self, members: Mapping[str, Any], extra: Mapping[str, Any]) -> Iterator[Key]:
        """Yield the facets of its members, and its tags' values; `extra` has the nulls that lenient mode removed."""
        yield "type", self._name, "", "taken"
        for key, there, absent, null in self._facets:
            value = members.get(key, extra.get(key, _NOTHING) if key not in members else _NOTHING)
            if value is None:
                yield null
            else:
                yield there if key in members else absent
        for tag in self._tags:
            value = members.get(tag.key)
            if tag.prefix is not None and isinstance(value, str):
                yield "value", self._name, f"{tag.key} {tag.prefix}…", "there"
            elif value in tag.values:
                yield "value", self._name, f"{tag.key} {value}", "there"
            elif tag.others is not None and value is not None and (isinstance(value, int) or glob(tag.others)(value)):
                yield "value", self._name, f"{tag.key} {tag.others}", UNHEARD


def _member_facets(struct: str, key: str) -> tuple[Key, Key, Key]:
    return ("field", struct, key, "there"), ("field", struct, key, "absent"), ("field", struct, key, "null")


def _leading(model: Model, union: Union) -> dict[str, list[Key]]:
    """Return the elements of a union that are reached, by the name of the struct or union it dispatched to."""
    own = [variant.name for variant in union.variants]
    nested = {
        name: structs_of(model.union(name).dispatch) for name in own if isinstance(model.declarations[name], Union)
    }
    led = dict.fromkeys((*own, *structs_of(union.dispatch)))
    return {
        then: [("variant", union.name, each, "there") for each in (then, *(n for n in nested if then in nested[n]))]
        for then in led
    }


# --- the reasons for rejecting a document ----------------------------------------------------------------------


def _refused(model: Model, code: str, type_: Type, value: Any, steps: Sequence[str]) -> Iterator[Key]:
    """Yield the elements that reject a value with the code, at the path given by the steps."""
    match type_:
        case Array(item=item) if steps:
            yield from _refused(model, code, item, value[int(steps[0])], steps[1:])
        case TupleType(items=items) if steps:
            yield from _refused(model, code, items[int(steps[0])], value[int(steps[0])], steps[1:])
        case Map(key=str(key)) if len(steps) == 1 and steps[0] not in map(str, _wires(model, key)):
            if code == "unknown_value":
                yield "value", key, "", UNHEARD
        case Map(value=inner) if steps:
            yield from _refused(model, code, inner, value[steps[0]], steps[1:])
        case Choice(members=members):
            for member in members:
                if _kind(value) in kinds(model, member):
                    yield from _refused(model, code, member, value, steps)
        case Ref(name=name):
            yield from _refused_by(model, code, model.declarations[name], value, steps)


def _refused_by(model: Model, code: str, by: Declaration, value: Any, steps: Sequence[str]) -> Iterator[Key]:
    match by:
        case Alias(type=type_):
            yield from _refused(model, code, type_, value, steps)
        case Enum(name=name) if code == "unknown_value":
            yield "value", name, "", UNHEARD
        case Struct() if steps:
            yield from _refused_in(model, code, by, value, steps)
        case Union(dispatch=dispatch) if isinstance(value, dict):
            end = _followed(dispatch, value)
            if isinstance(end, str):
                yield from _refused(model, code, Ref(end), value, steps)
            elif code in _UNANSWERED:
                yield "variant", end.union, "", _UNANSWERED[code]


_UNANSWERED: Final = {
    "missing_field": "missing",
    "wrong_type": "wrong",
    "unknown_variant": UNHEARD,
    "no_variant": UNHEARD,
}
"""By code: the facet of a union that is reached when it rejects an object."""


def _followed(dispatch: Dispatch, members: Mapping[str, Any]) -> str | Switch | Keys:
    """Return the struct that a dispatch selects, or the dispatch at which it fails."""
    then: Dispatch | None = dispatch
    match dispatch:
        case Leaf(struct=struct):
            return struct
        case Keys(cases=conditions):
            fits = (
                way for each, way in conditions if members.keys() >= {*each.has} and not members.keys() & {*each.lacks}
            )
            then = next(fits, None)
        case Switch(key=key, absent=absent) if key not in members:
            then = absent
        case Switch(key=key, others=others, absent=absent):
            tag = members[key]
            tag = int(tag) if isinstance(tag, float) and tag.is_integer() else tag
            then = dispatch.case(tag) if isinstance(tag, str | int) else None
            if then is None and isinstance(tag, str):
                begun = (way for prefix, way in dispatch.prefixes if tag.startswith(prefix))
                caught = (Leaf(struct) for pattern, struct in others if glob(pattern)(tag))
                then = next(chain(begun, caught), None)
            if then is None and dispatch.base == "integer" and isinstance(tag, int):
                then = next((Leaf(struct) for _, struct in others), None)
            if then is None and isinstance(tag, bool):
                then = absent
    return dispatch if then is None else _followed(then, members)


def _refused_in(model: Model, code: str, struct: Struct, members: Any, steps: Sequence[str]) -> Iterator[Key]:
    """Yield the elements that reject an object of a struct, at one of its members or deeper."""
    key, *rest = steps
    field = next((each for each in struct.fields if each.name == key and each.travels and not each.flatten), None)
    flat = next((each for each in struct.fields if each.flatten), None)
    if struct.tag(key) is not None or any(const.key == key for const in struct.consts):
        yield "field", struct.name, key, "missing" if code == "missing_field" else "wrong"
    elif field is not None:
        if rest or code not in {"missing_field", "wrong_type"}:
            yield from _refused(model, code, field.type, members[key], rest)
        elif code == "missing_field":
            yield "field", struct.name, key, "missing"
        elif members[key] is not None or field.required:  # only strict mode rejects null in an optional field
            yield "field", struct.name, key, "wrong"
    elif flat is not None:
        yield from _refused(model, code, flat.type, members, steps)
    elif struct.extra is not None and key in members:
        yield from _refused(model, code, struct.extra, members[key], rest)


def _wires(model: Model, enum: str) -> Iterator[str | int]:
    return (value.wire for value in model.enum(enum).values)


def _steps(path: str) -> list[str]:
    """Convert a JSON Pointer to keys and indices."""
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]


def _kind(value: Any) -> str | None:
    found = kind(value)
    return "number" if found == "integer" else found
