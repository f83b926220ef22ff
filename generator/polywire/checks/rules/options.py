"""Rules on how options are passed: every option has a carrier, and every carrier leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.controls import instead
from polywire.checks.rules.graph import find
from polywire.ground.engine import pointer
from polywire.ground.location import SourceLocation
from polywire.ground.words import nearest
from polywire.model.nodes import Carrier, Struct
from polywire.source.tree import Table


def _uncarried_option(context: RuleContext) -> Iterator[Violation]:
    """Options of a record that starts a process, without a statement on how they are passed or that they are not."""
    for struct in context.model.structs:
        for field in struct.fields if struct.launch is not None else ():
            if field.travels and not field.carry and not field.kept:
                message = f"`{field.name}` does not say how it is sent"
                yield Violation(field.place, message, "add `carry`, empty if only the client uses the option")


def _bad_carrier(context: RuleContext) -> Iterator[Violation]:
    """Carriers whose keys are inconsistent."""
    for struct in context.model.structs:
        for field in struct.fields:
            for carrier in field.carry:
                message = _misfit(carrier, live=field.live)
                if message is not None:
                    yield Violation(carrier.place, message)


def _misfit(carrier: Carrier, *, live: bool) -> str | None:
    """Why a carrier cannot be applied."""
    kind, form = carrier.kind, carrier.form
    for wrong, message in (
        (live, "a live object cannot be sent"),
        (kind == "control" and carrier.at is None, "a carrier in a request requires `at`, a pointer into it"),
        (kind in {"env", "process"} and carrier.at is not None, "`at` is only for requests and for flags with JSON"),
        (kind == "flag" and carrier.at is not None and form != "json", "a flag with `at` takes JSON: add `as: json`"),
        (form in {"bare", "repeat", "pairs"} and kind != "flag", f"only a flag can be `{form}`"),
        (form == "ids" and not carrier.at, "`ids` requires `at`, the member that holds them"),
        (form == "list" and kind != "control", "`list` is only for members of a request"),
        (
            bool(carrier.only or carrier.exclude) and form not in {"bare", "join", "repeat", "keys", "json"},
            f"`{form}` does not support a choice of items",
        ),
        (bool(carrier.omit) and form != "json", f"`{form}` does not support leaving out members"),
        (
            carrier.wrap is not None and carrier.wrap.count("*") != 1,
            "`wrap` requires exactly one `*`, the place of the text",
        ),
    ):
        if wrong:
            return message
    return None


def _lost_option(context: RuleContext) -> Iterator[Violation]:
    """Options and controls that a carrier, a conflict or the launch names but that do not exist."""
    for again in [struct.launch for struct in context.model.structs if struct.launch is not None][1:]:
        yield Violation(again.place, "another record already starts the process", "merge all options into one record")
    for struct in context.model.structs:
        names = list(_written(context, struct))
        yield from _of_conflicts(struct, names)
        for carrier in (each for field in struct.fields for each in field.carry):
            for name, conditions in filter(None, (carrier.unless, carrier.needs)):
                if name not in names:
                    yield _unknown(carrier.place, name, struct, names)
                elif conditions and not all(field.travels for field in struct.fields if field.name == name):
                    yield Violation(carrier.place, f"`{name}` has no value to compare", "write its name alone")
            if carrier.kind == "control":
                yield from _of_control(context, carrier)
        if struct.launch is not None and struct.launch.control is not None:
            yield from _request(context, Carrier("control", struct.launch.control, place=struct.launch.place))


def _of_conflicts(struct: Struct, names: list[str]) -> Iterator[Violation]:
    for conflict in struct.conflicts:
        yield from (_unknown(conflict.place, name, struct, names) for name in conflict.fields if name not in names)
        if len(conflict.fields) != 2:
            yield Violation(conflict.place, "an option cannot conflict with itself")


def _written(context: RuleContext, struct: Struct) -> Iterator[str]:
    """The options of a record, including those of other releases."""
    yield from (field.name for field in struct.fields)
    fields = context.node(struct.place, "fields")
    if isinstance(fields, Table):
        yield from (entry.key.text.removesuffix("?") for entry in fields)


def _unknown(place: SourceLocation, name: str, struct: Struct, names: list[str]) -> Violation:
    near = nearest(name, names)
    return Violation(place, f"`{struct.name}` has no option `{name}`", f"did you mean `{near[0]}`?" if near else None)


def _request(context: RuleContext, carrier: Carrier) -> Iterator[Violation]:
    known = {each.key: each.request for each in context.model.controls if not each.is_notification}
    if carrier.name not in known:
        near = nearest(carrier.name, known)
        hint = f"did you mean `{near[0]}`?" if near else None
        yield Violation(carrier.place, f"`{carrier.name}` is not a control with a request", hint)


def _of_control(context: RuleContext, carrier: Carrier) -> Iterator[Violation]:
    wrong = list(_request(context, carrier))
    yield from wrong
    request = next((each.request for each in context.model.controls if each.key == carrier.name), None)
    if wrong or request is None or carrier.at is None:
        return
    end = find(context, request, carrier.at)
    if end is not None:
        message = f"`{pointer(carrier.at)}` does not exist: {end.why}"
        yield Violation(carrier.place, message, instead(carrier.at, end))


RULES = (
    Rule(
        "uncarried-option", "An option states how it is sent, or that it is not.", "error", "values", _uncarried_option
    ),
    Rule("bad-carrier", "The keys of a carrier are consistent.", "error", "values", _bad_carrier),
    Rule(
        "lost-option",
        "Options and requests that an option refers to exist.",
        "error",
        "values",
        _lost_option,
        needs_sound=True,
    ),
)
