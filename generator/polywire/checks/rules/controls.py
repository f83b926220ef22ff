"""Rules on `protocol.control`: every package can create each form, read it, and distinguish it from the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.graph import DeadEnd, find
from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps, equal
from polywire.ground.location import SourceLocation
from polywire.ground.words import nearest
from polywire.model.nodes import ControlProtocol, Field, Model
from polywire.model.walk import spell, without_alias
from polywire.oracle import reference
from polywire.plan.controls import ControlsPlan, FieldPath, controls_plan, way
from polywire.plan.rows import kinds, rule_of
from polywire.source.types import Scalar, Type


def _place(context: RuleContext, *keys: str) -> SourceLocation:
    return context.below("protocol", "control", *keys)[1]


def lost_pointers(context: RuleContext) -> Iterator[Violation]:
    """Pointers of the forms that lead nowhere; it is enough that some variants of a union have the member."""
    control = context.model.protocol.control
    for side, key, struct, path in control.pointers if control is not None else ():
        end = find(context, struct, path)
        if end is not None:
            place = _place(context, side, key)
            yield Violation(place, f"`{pointer(path)}` does not exist: {end.why}", instead(path, end))


def instead(path: tuple[str, ...], end: DeadEnd) -> str | None:
    """A hint with the nearest key that the pointer may have meant."""
    near = nearest(path[end.followed], end.known) if path else []
    return f"did you mean `{pointer((*path[: end.followed], near[0]))}`?" if near else None


# --- new envelopes ---------------------------------------------------------------------------------------------


def _unfilled_envelope(context: RuleContext) -> Iterator[Violation]:
    """Required members of a new envelope without a value in the spec: every package would have to invent one."""
    controls = controls_plan(context.model)
    if controls is None:
        return
    forms = {
        "a request": controls.request,
        "a notification": controls.notify,
        "a response": controls.response,
        "an error": controls.error,
        "a cancellation": controls.cancel,
    }
    seen: set[SourceLocation] = set()
    for what, form in forms.items():
        if form is None:
            continue
        for each in form.made.asked:
            if each.field.place not in seen:
                seen.add(each.field.place)
                where = pointer(each.place)
                message = f"`{where}` is required in every `{form.struct.name}`, but nothing fills it in {what}"
                yield Violation(each.field.place, message, "give it a `default`, or make it optional or nullable")
    yield from _unfilled_error(context, controls)


def _unfilled_error(context: RuleContext, controls: ControlsPlan) -> Iterator[Violation]:
    error = controls.error
    if error is None:
        return
    codes = {"refused": error.refused, "unknown": error.unknown}
    missing = [key for key, code in codes.items() if code is None]
    if error.code and error.code[-1].field.required and missing:
        message = f"every error has a code, but there is none for {_listed(missing)} requests"
        yield Violation(_place(context, "error"), message, "add `codes: {refused: …, unknown: …}`")
    if error.data and error.data[-1].field.required and not error.data[-1].field.nullable:
        message = "the data of errors is required, so no error without data can be built"
        yield Violation(_place(context, "error", "data"), message, "make the member optional or nullable")


def _listed(words: list[str]) -> str:
    return " and ".join(words)


# --- types -----------------------------------------------------------------------------------------------------

_IDS = frozenset({"string", "number"})


def _bad_id(context: RuleContext) -> Iterator[Violation]:
    """Ids are strings or numbers, and all forms accept the ids of requests."""
    model, control = context.model, context.model.protocol.control
    if control is None:
        return
    asked: frozenset[str] = frozenset()
    wanted: tuple[Type, ...] = ()
    for side, key, struct, path in control.pointers:
        found = way(model, model.struct(struct), path) if key == "id" else None
        if not found:
            continue
        type_ = found[-1].field.type
        own = frozenset(kinds(model, type_)) | ({"null"} if found[-1].field.nullable else set())
        allowed = _IDS | ({"null"} if side == "error" else set())
        place = _place(context, side, key)
        if without_alias(type_, model.declarations) == Scalar("json") or not own <= allowed:
            hint = "an id is a string, a number, or `string | integer`" + ("" if side == "error" else ", never null")
            yield Violation(place, f"an id of type `{_spelt(found[-1].field)}` cannot be compared", hint)
        elif side == "request":
            asked, wanted = own, _members(model, type_)
        elif not asked <= own:
            message = f"ids of requests have type {_listed(sorted(asked))}, but here {_listed(sorted(own))}"
            yield Violation(place, message, "use the same type for both")
        elif missing := [each for each in wanted if each not in _members(model, type_)]:
            message = f"`{_spelt(found[-1].field)}` does not accept ids of type `{spell(missing[0])}`"
            yield Violation(place, message, "use the same type for both")
    if asked == {"number"} and control.draw == "uuid":
        yield Violation(
            _place(context, "request", "id"),
            "ids are numbers, but clients generate UUIDs",
            "add `ids: {draw: counter}` to `protocol.control`",
        )


def _members(model: Model, type_: Type) -> tuple[Type, ...]:
    """The alternatives of the type of an id."""
    type_ = without_alias(type_, model.declarations)
    return tuple(without_alias(each, model.declarations) for each in getattr(type_, "members", (type_,)))


def _spelt(field: Field) -> str:
    return spell(field.type) + (" | null" if field.nullable else "")


def _bad_result(context: RuleContext) -> Iterator[Violation]:
    """The member for results keeps every response unchanged."""
    controls = controls_plan(context.model)
    if controls is None:
        return
    field = controls.response.payload[-1].field
    type_ = without_alias(field.type, context.model.declarations)
    if type_ not in (Scalar("json"), Scalar("object")):
        message = f"results are kept untouched, but `{field.name}` is of type `{spell(field.type)}`"
        hint = "write `json`, or `object` if every result is an object"
        yield Violation(_place(context, "response", "result"), message, hint)
        return
    bare = [pair for pair in controls.pairs if pair.response is None or pair.optional]
    if bare and field.required and not controls.response.has_none and not controls.response.is_flat:
        message = f"`{bare[0].control.key}` may have no result, but every response has `{field.name}`"
        hint = "add `none: VALUE` to the form of responses, or make the member optional"
        yield Violation(_place(context, "response", "result"), message, hint)
    if type_ == Scalar("object"):
        for pair in controls.pairs:
            if pair.response is not None and not _is_object(context.model, pair.response):
                message = f"`{spell(pair.response)}` is not always an object, but `{field.name}` holds objects only"
                place = context.at(pair.control.place, "response")
                yield Violation(place, message, f"change the type of `{field.name}` to `json`")


def _is_object(model: Model, type_: Type) -> bool:
    return set(kinds(model, type_)) == {"object"}


def _bad_code(context: RuleContext) -> Iterator[Violation]:
    """The code of an error is a valid value of its member."""
    model, control = context.model, context.model.protocol.control
    error = None if control is None else control.error
    if error is None:
        return
    codes: list[tuple[tuple[str, ...], int | str]] = [(("types", str(code)), code) for code, _ in error.types]
    given = {"refused": error.refused, "unknown": error.unknown}
    codes += [(("codes", key), code) for key, code in given.items() if code is not None]
    found = way(model, model.struct(error.struct), error.code, error.when) if error.code is not None else None
    for keys, code in codes:
        if error.code is None:
            yield Violation(_place(context, "error", *keys), "errors of this form have no code", "add `code: POINTER`")
        elif found:
            faults = reference.outcomes(model, rule_of(model, found[-1].field.type), dumps(code)).faults
            if faults:
                yield Violation(_place(context, "error", *keys), f"invalid code: {faults[0].message}")


def _lost_condition(context: RuleContext) -> Iterator[Violation]:
    """Conditions on a tag off the path to the payload: packages check only the tags on that path."""
    model, control = context.model, context.model.protocol.control
    if control is None:
        return
    forms = {"request": control.request, "notify": control.notify, "response": control.response}
    ends = {side: (form.struct, form.payload, form.when) for side, form in forms.items() if form is not None}
    if control.error is not None:
        ends["error"] = (control.error.struct, control.error.message, control.error.when)
    for side, (struct, end, when) in ends.items():
        for place, _ in when:
            is_tag = find(context, struct, place) is None and not way(model, model.struct(struct), place, when)
            if is_tag and end[: len(place) - 1] != place[:-1]:
                message = f"`{pointer(place)}` is a tag, but not one on the path to `{pointer(end)}`"
                hint = "use a tag on the path to the payload, or an ordinary member"
                yield Violation(_place(context, side, "when"), message, hint)


# --- forms of one envelope -------------------------------------------------------------------------------------


def _ambiguous_form(context: RuleContext) -> Iterator[Violation]:
    """Two forms of one envelope that the same object can match."""
    control = context.model.protocol.control
    if control is None:
        return
    for (one, ours), (other, theirs) in combinations(_forms(context.model, control), 2):
        if ours.struct == theirs.struct and not ours.excludes(theirs):
            message = f"an object of type `{ours.struct}` can match both form `{one}` and form `{other}`"
            hint = "add `when` with different values of the same member to both, or use separate envelopes"
            yield Violation(_place(context, other), message, hint)


@dataclass(frozen=True, slots=True)
class _Form:
    """The members that every object of a form has."""

    struct: str
    when: dict[tuple[str, ...], object]
    way: FieldPath
    """The path to its payload, result or message."""

    def excludes(self, other: _Form) -> bool:
        """Whether no object can match both forms: a value differs, or a variant of a union on the path."""
        if any(place in other.when and not equal(value, other.when[place]) for place, value in self.when.items()):
            return True
        for ours, theirs in zip(self.way, other.way, strict=False):
            if ours.union is not None and {each.name for each in ours.holders}.isdisjoint(
                each.name for each in theirs.holders
            ):
                return True
            if ours.field.name != theirs.field.name:
                break
        return False


def _forms(model: Model, control: ControlProtocol) -> Iterator[tuple[str, _Form]]:
    forms = (("request", control.request), ("notify", control.notify), ("response", control.response))
    for side, form in forms:
        if form is not None:
            found = way(model, model.struct(form.struct), form.payload, form.when) or ()
            yield side, _Form(form.struct, dict(form.when), found)
    error = control.error
    if error is not None:
        found = way(model, model.struct(error.struct), error.message, error.when) or ()
        yield "error", _Form(error.struct, dict(error.when), found)


RULES = (
    Rule(
        "unfilled-envelope",
        "Every required member of a new envelope is filled in by the request, the answer, the spec or a rule.",
        "error",
        "controls",
        _unfilled_envelope,
        needs_sound=True,
    ),
    Rule("bad-id", "The ids of requests are strings or numbers.", "error", "controls", _bad_id, needs_sound=True),
    Rule(
        "bad-result",
        "The member for results accepts the result of every request.",
        "error",
        "controls",
        _bad_result,
        needs_sound=True,
    ),
    Rule(
        "bad-code",
        "The code of an error is a valid value of its member.",
        "error",
        "controls",
        _bad_code,
        needs_sound=True,
    ),
    Rule(
        "lost-condition",
        "A condition of a form refers to a member, or to a tag on the path to its payload.",
        "error",
        "controls",
        _lost_condition,
        needs_sound=True,
    ),
    Rule(
        "ambiguous-form",
        "The forms of an envelope are mutually exclusive.",
        "error",
        "controls",
        _ambiguous_form,
        needs_sound=True,
    ),
)
