"""A difference between two specs → what happens to messages if one peer uses the old spec and the other the new.

*Forward* is what an older peer writes and a newer one reads; *backward* is what a newer peer writes and an older one
reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from polywire.evolve.breaking.compatibility import (
    LOST,
    REFUSED,
    SAME,
    UNKNOWN,
    Compatibility,
    Verdict,
    content,
    is_required,
    worst,
)
from polywire.evolve.breaking.landing import Landing, used, values
from polywire.evolve.breaking.traffic import Traffic
from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.members import Member, members
from polywire.evolve.diff.records import RULES, Difference, Side
from polywire.ground.engine import glob
from polywire.ground.json_values import kind
from polywire.model.nodes import Alias, Control, Field, Leaf, Model, Struct, Switch, Tag, Tool, Union
from polywire.model.walk import structs_of
from polywire.source.types import Map, Ref, Scalar, Type


@dataclass(frozen=True, slots=True)
class Impact:
    """What happens to the messages affected by a difference."""

    forward: Verdict = SAME
    backward: Verdict = SAME

    def __or__(self, other: Impact) -> Impact:
        return Impact(max(self.forward, other.forward), max(self.backward, other.backward))


NONE = Impact()
BOTH_WAYS = Impact(LOST, LOST)


class ImpactAnalysis:
    """The impact of the differences between two models."""

    def __init__(self, before: Model, after: Model) -> None:
        self.matching = Matching(before, after)
        counterparts = {
            name: counterpart
            for name in before.declarations
            if (counterpart := self.matching.counterpart(name)) is not None
        }
        self.forward = Compatibility(before, after, counterparts)
        self.backward = Compatibility(after, before, {counterpart: name for name, counterpart in counterparts.items()})
        self.old = Traffic(before, self.matching.peers)
        self.new = Traffic(after)
        self.landing_forward, self.landing_backward = Landing(self.forward), Landing(self.backward)

    def of(self, difference: Difference) -> Impact:
        """Return the impact of one difference.

        A difference inside objects that are read as something else has no impact in that direction; the tag that causes
        this has.
        """
        found = _EFFECTS.get(difference.rule, _nothing)(self, difference)
        if difference.rule not in _INSIDE or self._is_retagged(difference):
            return found
        hidden_forward = self._is_hidden(self.landing_forward, difference.before)
        hidden_backward = self._is_hidden(self.landing_backward, difference.after)
        return Impact(SAME if hidden_forward else found.forward, SAME if hidden_backward else found.backward)

    def _is_retagged(self, difference: Difference) -> bool:
        """Return whether both sides have the member, and it is a tag."""
        return difference.rule == "tag" and None not in self.pair(difference)

    def _is_hidden(self, landing: Landing, side: Side) -> bool:
        structs = [name for name in names(side) if isinstance(landing.writer.declarations.get(name), Struct)]
        return bool(structs) and all(map(landing.never, structs))

    # --- the subject of a difference ---

    def struct(self, side: Side, fit: Compatibility) -> Struct:
        """Return the struct of a side, on the writing side of a direction."""
        return fit.writer.struct(side.name)

    def member(self, side: Side, fit: Compatibility) -> Member | None:
        """Return the member of a side, if it has one."""
        return None if side.text is None else members(self.struct(side, fit)).get(side.key)

    def pair(self, difference: Difference) -> tuple[Member | None, Member | None]:
        """Return the member on each side."""
        return self.member(difference.before, self.forward), self.member(difference.after, self.backward)


_Function = Callable[[ImpactAnalysis, Difference], Impact]


def _nothing(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    return NONE


def _both_ways(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    return BOTH_WAYS


def _form(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    """A form that only one side describes does not change what is sent."""
    return NONE if None in (difference.before.text, difference.after.text) else BOTH_WAYS


# --- members ---------------------------------------------------------------------------------------------------


def _member(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh a tag, constant or field that only one side has, or a tag or constant with another value."""
    before, after = effects.pair(difference)
    if before is not None and after is not None:
        return _tags(effects, difference, before.made, after.made)
    if after is not None:
        return _alone(after, difference.before, effects.backward)
    if before is None:
        return NONE
    found = _alone(before, difference.after, effects.forward)
    return Impact(found.backward, found.forward)


def _alone(member: Member, there: Side, fit: Compatibility) -> Impact:
    """Weigh a member that only the writer has: `backward` in the result is its direction, `forward` the opposite."""
    missing = REFUSED if is_required(member) else SAME
    reader = fit.reader.struct(there.name)
    rest = _rest(reader)
    if rest is None or (isinstance(member.made, Field) and member.made.flatten):
        return Impact(missing, REFUSED if _may_flatten(reader) else UNKNOWN)
    claimed = Compatibility(fit.reader, fit.writer, _inverse(fit.counterparts)).types(rest, content(member))
    return Impact(max(missing, claimed), fit.types(content(member), rest))


def _rest(struct: Struct) -> Type | None:
    """Return the type of values under any other key, if the struct declares one."""
    if struct.extra is not None:
        return struct.extra
    for field in struct.wire_fields:
        if field.flatten and isinstance(field.type, Map):
            return field.type.value
        if field.flatten and field.type == Scalar("object"):
            return Scalar("json")
    return None


def _may_flatten(struct: Struct) -> bool:
    """Return whether an unknown key could be read as a member of an optional flattened value that is incomplete."""
    return any(field.flatten and not field.required for field in struct.wire_fields)


def _inverse(counterparts: Mapping[str, str]) -> dict[str, str]:
    return {counterpart: name for name, counterpart in counterparts.items()}


def _tags(effects: ImpactAnalysis, difference: Difference, before: object, after: object) -> Impact:
    """Weigh two tags, or two constants, with different values."""
    if not (isinstance(before, Tag) and isinstance(after, Tag)):
        return Impact(REFUSED, REFUSED)
    old, new = _values(before, effects.forward.writer), _values(after, effects.backward.writer)
    gone, come = ([value for _, value in left] for left in (old - new, new - old))
    found = Impact(
        worst(effects.landing_forward.of(name, before.key, gone) for name in names(difference.before) if gone),
        worst(effects.landing_backward.of(name, after.key, come) for name in names(difference.after) if come),
    )
    missing = Impact(
        REFUSED if before.optional and not after.optional else SAME,
        REFUSED if after.optional and not before.optional else SAME,
    )
    if before.others != after.others:
        found |= Impact(
            _others(effects.landing_forward, names(difference.before), before),
            _others(effects.landing_backward, names(difference.after), after),
        )
    return found | missing


def _others(landing: Landing, structs: tuple[str, ...], tag: Tag) -> Verdict:
    """Return what happens to objects that a struct accepts only by the pattern of their tag."""
    return worst(landing.of_others(name, tag.key, tag.others) for name in structs if tag.others)


def _values(tag: Tag, model: Model) -> frozenset[tuple[str, str | bool | int]]:
    """Return the possible values of a tag, each with its JSON kind; a prefix is returned as its text."""
    if tag.prefix is not None:
        return frozenset([("prefix", tag.prefix)])
    return frozenset((str(kind(value)), value) for value in values(tag, model))


def names(side: Side) -> tuple[str, ...]:
    """Return the structs that a side is about: those that have it from a mixin, or the one that declares it."""
    return side.types or (side.name,)


def _renamed(effects: ImpactAnalysis, difference: Difference) -> Impact:
    before, after = effects.pair(difference)
    return Impact(
        REFUSED if after is not None and is_required(after) else LOST,
        REFUSED if before is not None and is_required(before) else LOST,
    )


def _presence(effects: ImpactAnalysis, difference: Difference) -> Impact:
    _, after = effects.pair(difference)
    return Impact(REFUSED, SAME) if after is not None and is_required(after) else Impact(SAME, REFUSED)


def _role(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh a field that became a tag or constant, the reverse, or a tag that became a constant."""
    before, after = effects.pair(difference)
    if before is None or after is None:
        return NONE
    return Impact(effects.forward.members(before, after), effects.backward.members(after, before))


def _null(effects: ImpactAnalysis, difference: Difference) -> Impact:
    before, after = effects.pair(difference)
    if before is None or after is None or not isinstance(after.made, Field):
        return NONE
    if after.made.nullable:
        return Impact(SAME, REFUSED if is_required(before) else UNKNOWN)
    return Impact(REFUSED if is_required(after) else UNKNOWN, SAME)


def _extra(effects: ImpactAnalysis, difference: Difference) -> Impact:
    before, after = (
        effects.struct(difference.before, effects.forward),
        effects.struct(difference.after, effects.backward),
    )
    if before.extra is None:
        return Impact(SAME, UNKNOWN)
    if after.extra is None:
        return Impact(UNKNOWN, SAME)
    return _typed(effects, before.extra, after.extra)


# --- types -----------------------------------------------------------------------------------------------------


def _typed(effects: ImpactAnalysis, before: Type, after: Type) -> Impact:
    return Impact(effects.forward.types(before, after), effects.backward.types(after, before))


def _type(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh the type of a field or an alias."""
    old = effects.forward.writer.declarations.get(difference.before.name)
    new = effects.backward.writer.declarations.get(difference.after.name)
    if isinstance(old, Alias) and isinstance(new, Alias):
        return _typed(effects, old.type, new.type)
    before, after = effects.pair(difference)
    if before is None or after is None or not (isinstance(before.made, Field) and isinstance(after.made, Field)):
        return NONE
    return _typed(effects, before.made.type, after.made.type)


def _kind(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh a declaration that replaces another one."""
    return _typed(effects, Ref(difference.before.name), Ref(difference.after.name))


# --- enums -----------------------------------------------------------------------------------------------------


def _openness(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    return Impact(REFUSED, SAME) if difference.after.text == "closed" else Impact(SAME, REFUSED)


def _value(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh a value that only one side has."""
    if difference.after.text is None:
        return Impact(_unknown_value(effects.forward, difference.after, difference.before.key), SAME)
    return Impact(SAME, _unknown_value(effects.backward, difference.before, difference.after.key))


def _unknown_value(fit: Compatibility, there: Side, value: str) -> Verdict:
    """Return how a reader handles an unknown value of an enum, in fields and in tags."""
    found = [UNKNOWN if fit.reader.enum(there.name).open else REFUSED]
    tagged = [(struct, tag) for struct in fit.reader.structs for tag in struct.tags if tag.enum == there.name]
    found += [
        _unanswered(fit, (struct.name,), tag.key)
        for struct, tag in tagged
        if not (tag.others and glob(tag.others)(value))
    ]
    return worst(found)


def _respelt(effects: ImpactAnalysis, difference: Difference) -> Impact:
    return Impact(
        max(LOST, _unknown_value(effects.forward, difference.after, difference.before.key)),
        max(LOST, _unknown_value(effects.backward, difference.before, difference.after.key)),
    )


# --- unions ----------------------------------------------------------------------------------------------------


def _unanswered(fit: Compatibility, structs: tuple[str, ...], key: str) -> Verdict:
    """Return how a reader handles objects like those of `structs` whose tag has an unknown value."""
    unions = [union for union in fit.reader.unions if set(structs) & set(structs_of(union.dispatch))]
    found = [UNKNOWN if union.open else REFUSED for union in unions if union.by == key]
    if not found or {*used(fit.reader)} & set(structs):
        return REFUSED
    return worst(found)


def _variant(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Weigh a variant that only one side has."""
    if difference.after.text is None:
        return Impact(_unknown_variant(effects.forward, difference.before.key, difference.after.name), SAME)
    return Impact(SAME, _unknown_variant(effects.backward, difference.after.key, difference.before.name))


def _unknown_variant(fit: Compatibility, variant: str, union: str) -> Verdict:
    """Return how a reader handles the objects of an unknown variant."""
    declared = fit.writer.declarations[variant]
    structs = structs_of(declared.dispatch) if isinstance(declared, Union) else (variant,)
    return worst(_unknown_struct(fit, fit.writer.struct(name), fit.reader.union(union)) for name in structs)


def _unknown_struct(fit: Compatibility, struct: Struct, union: Union) -> Verdict:
    within = [each for each in fit.reader.unions if each.by == union.by and _contains(each, union)]
    kept = worst(UNKNOWN if each.open else REFUSED for each in (union, *within))
    if not isinstance(union.dispatch, Switch):
        return kept
    tag, absent = struct.tag(union.by), union.dispatch.absent
    heirs = _heirs(tag, fit.writer, union.dispatch)
    if tag is not None and not tag.optional and heirs:
        return worst(fit.structs(struct, fit.reader.struct(name)) for name in heirs)
    if tag is None or tag.optional:
        kept = max(kept, LOST if absent is not None else REFUSED)
    elif absent is not None and isinstance(tag.constant, bool):
        kept = max(kept, LOST)
    taken = tag is not None and _taken(tag, fit.writer, union.dispatch)
    return max(kept, LOST) if taken else kept


def _heirs(tag: Tag | None, writer: Model, dispatch: Switch) -> tuple[str, ...]:
    """Return the structs that together match every value of a tag, such as the same struct under another name."""
    found = [dispatch.case(value) for _, value in _values(tag, writer)] if tag is not None else []
    return tuple(each.struct for each in found if isinstance(each, Leaf)) if all(found) else ()


def _contains(outer: Union, inner: Union) -> bool:
    return outer.name != inner.name and set(structs_of(inner.dispatch)) <= set(structs_of(outer.dispatch))


def _taken(tag: Tag, writer: Model, dispatch: Switch) -> bool:
    """Return whether another variant matches some values of the tag, by pattern, prefix or value."""
    values = [value for _, value in _values(tag, writer)]
    return any(
        isinstance(value, str)
        and (
            any(glob(form)(value) for form, _ in dispatch.others)
            or value.startswith(tuple(prefix for prefix, _ in dispatch.prefixes))
            or dispatch.case(value) is not None
        )
        for value in values
    )


# --- controls and tools ----------------------------------------------------------------------------------------


def _control(effects: ImpactAnalysis, difference: Difference) -> Impact:
    if difference.after.text is None:
        return Impact(_unknown_control(effects.forward, difference.before.name), SAME)
    return Impact(SAME, _unknown_control(effects.backward, difference.after.name))


def _unknown_control(fit: Compatibility, key: str) -> Verdict:
    control = _control_of(fit.writer, key)
    unions = [union for union in fit.writer.unions if control and control.request in structs_of(union.dispatch)]
    there = [fit.counterparts.get(union.name) for union in unions]
    found = (_unknown_variant(fit, control.request, name) for name in there if control and name)
    return max(worst(found), UNKNOWN)


def _control_of(model: Model, key: str) -> Control | None:
    return next((control for control in model.controls if control.key == key), None)


def _answer(effects: ImpactAnalysis, difference: Difference) -> Impact:
    before = _control_of(effects.forward.writer, difference.before.name)
    after = _control_of(effects.backward.writer, difference.after.name)
    if before is None or after is None:
        return NONE
    if before.response is None or after.response is None:
        return BOTH_WAYS
    missing = Impact(
        REFUSED if before.response_optional and not after.response_optional else SAME,
        REFUSED if after.response_optional and not before.response_optional else SAME,
    )
    return _typed(effects, before.response, after.response) | missing


def _error_data(effects: ImpactAnalysis, difference: Difference) -> Impact:
    """Data of another type is read as the error's untyped data, which is never an error."""
    before = _control_of(effects.forward.writer, difference.before.name)
    after = _control_of(effects.backward.writer, difference.after.name)
    if before is None or after is None:
        return NONE
    found = _typed(effects, before.error or Scalar("json"), after.error or Scalar("json"))
    return Impact(min(found.forward, UNKNOWN), min(found.backward, UNKNOWN))


def _tool(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    return Impact(UNKNOWN, SAME) if difference.after.text is None else Impact(SAME, UNKNOWN)


def _tree(effects: ImpactAnalysis, difference: Difference) -> Impact:  # noqa: ARG001 - all have the same signature
    """What is sent is the same, and only packages with the new spec relate it in another way."""
    return NONE


def _tool_type(effects: ImpactAnalysis, difference: Difference) -> Impact:
    before = _tool_of(effects.forward.writer, difference.before.name)
    after = _tool_of(effects.backward.writer, difference.after.name)
    if before is None or after is None:
        return NONE
    old, new = (t.input if difference.rule == "tool-input" else t.output for t in (before, after))
    return _typed(effects, old or Scalar("json"), new or Scalar("json"))


def _tool_of(model: Model, pattern: str) -> Tool | None:
    return next((tool for tool in model.tools if tool.pattern == pattern), None)


_INSIDE = frozenset(
    {"tag", "constant", "field", "field-role", "field-name", "field-presence", "field-null", "field-flatten", "type"}
    | {"format", "bounds", "extra"}
)
"""Differences inside an object, which only matter if the object is read as it was written."""

_EFFECTS: Mapping[str, _Function] = MappingProxyType(
    {
        "default-root": _kind,
        "framing": _form,
        "envelope": _form,
        "kind": _kind,
        "tag": _member,
        "constant": _member,
        "field": _member,
        "field-role": _role,
        "field-name": _renamed,
        "field-presence": _presence,
        "field-null": _null,
        "field-flatten": lambda *_: Impact(REFUSED, REFUSED),
        "field-repair": lambda *_: NONE,  # peers that conform to their spec never write what is repaired
        "type": _type,
        "format": _type,
        "bounds": _type,
        "extra": _extra,
        "enum-open": _openness,
        "enum-value": _value,
        "enum-value-name": _respelt,
        "union-open": _openness,
        "union-by": _both_ways,
        "union-variant": _variant,
        "union-condition": _both_ways,
        "union-absent": _both_ways,
        "control": _control,
        "control-response": _answer,
        "control-error": _error_data,
        "tool": _tool,
        "tool-input": _tool_type,
        "tool-output": _tool_type,
        "tree": _tree,
        "tree-lines": _tree,
        "tree-pointer": _tree,
        **{rule: _tree for rule in RULES if rule.split("-")[0] == "table"},
    }
)
"""By rule of `polywire.evolve.diff`; other rules have no impact on what is sent."""
