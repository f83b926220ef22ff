"""Controls and tools of the plan → the response type of each request, and the types of each tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps
from polywire.model.nodes import Field, Struct, Union
from polywire.model.walk import refs, without_alias
from polywire.plan import Plan
from polywire.plan.controls import (
    CancelPlan,
    Conditions,
    ControlsPlan,
    EnvelopePlan,
    ErrorPlan,
    FieldPath,
    PairPlan,
    ReplyPlan,
    Step,
    ToolPlan,
)
from polywire.source.types import Choice, Scalar, Type
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, words
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ObjectView
from polywire.targets.rust.docs import above
from polywire.targets.rust.layout import INDENT, quoted
from polywire.targets.rust.names import Home, Names, variant_types
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.source import Tables
from polywire.targets.rust.structs import FRESH

How: TypeAlias = Literal["none", "option", "loose", "three", "flat", "one"]
"""How an envelope holds a response, as described in `runtimes/rust/src/controls.rs`."""

NOTHING = "Infallible"
"""The type of a code or of data if errors have none."""


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its response."""

    request: str
    answer: str
    fills: tuple[str, ...]
    """The lines before the row, for the members of the response that are filled from the request."""
    row: str
    """The row, like the lines before it in the format of the macro."""


@dataclass(frozen=True, slots=True)
class DataVariant:
    """A type of the data of errors."""

    name: str
    type: str
    above: str


@dataclass(frozen=True, slots=True)
class RefusalView:
    """How a request is refused."""

    id: str
    """The Rust type of ids in errors."""
    told: str
    """The Rust type of a refusal."""
    returns: str
    parts: tuple[str, ...]
    """The statements that take the parts of a refusal besides its message."""
    objects: tuple[ObjectView, ...]
    has_parts: bool
    """Whether a refusal may have a code or data besides its message."""
    has_code: bool
    is_fallible: bool
    """Whether encoding may fail because data does not fit."""
    data: tuple[DataVariant, ...] | None
    """The types of data; None if errors have no data."""
    by_code: tuple[str, ...]
    """Each code with the variant and the rule of its data, in the format of the macro."""
    unknown: str | None
    """The code of the response to an unknown request, if there are such codes."""


@dataclass(frozen=True, slots=True)
class NotifyView:
    """How notifications are sent."""

    union: str
    rows: tuple[str, ...]
    returns: str
    objects: tuple[ObjectView, ...]


@dataclass(frozen=True, slots=True)
class CancelView:
    """How a request is cancelled."""

    id: str
    returns: str
    objects: tuple[ObjectView, ...]
    is_notification: bool


@dataclass(frozen=True, slots=True)
class PartView:
    """The forms of an envelope with their lines, in the format of the macro `sessions`."""

    envelope: str
    forms: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class MessagesView:
    """A root that has envelopes among its variants: the arms for those of responses, and for the others."""

    union: str
    outcomes: tuple[str, ...]
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionView:
    """The protocol-specific parts of sessions."""

    peers: tuple[str, ...]
    """Each peer with its name in the spec as a literal."""
    notifications: str
    """The Rust type of notifications."""
    message: str
    """The Rust type as which the peer's messages are read."""
    id_rule: str
    draw: str
    """A function that creates an id from a number, as an expression."""
    request: str
    """The path from an envelope to its request."""
    is_answered: str
    """Whether the peer responds to a cancelled request, as a literal."""
    releases: tuple[tuple[str, str], ...]
    """The version numbers that the peer may announce, and their releases, as literals."""
    refuses: str | None
    """The type of a refusal, whether encoding it may fail, and the code for unknown requests, in the macro's format."""
    code_rule: str | None
    """The rule of the codes of errors, if they have any."""
    parts: tuple[PartView, ...]
    unions: tuple[MessagesView, ...]


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    requests: str
    """The union of all requests."""
    envelope_type: str
    """The Rust type of the envelope of a request."""
    payload: str
    """The Rust type of a result on the wire."""
    pointer: str
    """The pointer to the result, as a literal."""
    none: str | None
    """The representation of no result, as a literal."""
    code: str
    """The Rust type of codes."""
    data: str
    """The Rust type of the data of errors."""
    typed: str
    """The path of the function that decodes data by its code."""
    pairs: tuple[PairView, ...]
    id_type: str
    same_ids: tuple[str, ...]
    """Other types of ids, each with its rule, in the format of the macro."""
    fresh_id: str
    """A new id, as an expression."""
    request: tuple[ObjectView, ...]
    response_id: str
    response_type: str
    response: tuple[ObjectView, ...]
    plain: tuple[str, str] | None
    """The fields that lead to the id and the request in an envelope, if plain ones do."""
    refusal: RefusalView | None
    notify: NotifyView | None
    cancel: CancelView | None
    session: SessionView


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: its variant, the type, the condition on names and the rule, in the format of the macro."""

    row: str
    above: str


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The enum of the inputs, or of the outputs, of tools."""

    kind: Literal["Input", "Output"]
    tools: tuple[ToolView, ...]


@dataclass(frozen=True, slots=True)
class PairsFileView:
    """The view for `pairs.rs`."""

    controls: ControlsView | None
    tools: tuple[ToolsView, ...]


class Pairs:
    """Builds the controls and tools of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, tables: Tables, constructors: Constructors) -> None:
        self._plan = plan
        self._names = names
        self._shapes = shapes
        self._tables = tables
        self._constructors = constructors
        self._data: dict[str, DataVariant] = {}

    def file(self) -> PairsFileView | None:
        """The whole file; None if the protocol has neither controls nor tools."""
        controls = None if self._plan.controls is None else self._controls(self._plan.controls)
        tools = tuple(each for each in self._tools() if each.tools)
        return PairsFileView(controls, tools) if controls is not None or tools else None

    # Controls.

    def _controls(self, plan: ControlsPlan) -> ControlsView:
        request, response = (self._names.type(each.struct.name) for each in (plan.request, plan.response))
        answer, requests = plan.response.payload[-1], self._union_of(plan.request.payload[-1].field)
        error = plan.error
        ids = [self._shapes.of(each.id[-1].field.type) for each in (plan.request, plan.response)]
        asked, held = self._shapes.of(plan.request.payload[-1].field.type), self._shapes.of(answer.field.type)
        code = NOTHING if error is None or not error.code else self._shapes.of(error.code[-1].field.type)
        has_data = error is not None and bool(error.data)
        pairs = tuple(self._pair(each, requests, plan, has_data=has_data) for each in plan.pairs)
        refusal = None if error is None else self._refusal(error, requests)
        return ControlsView(
            requests=asked,
            envelope_type=request,
            payload=held,
            pointer=quoted(plan.response.json_pointer),
            none=quoted(dumps(plan.response.none)) if plan.response.has_none else None,
            code=code,
            data="ErrorData" if has_data else NOTHING,
            typed="ErrorData::by_code" if has_data else "crate::controls::no_data",
            pairs=pairs,
            id_type=ids[0],
            same_ids=tuple(self._same_ids(plan)),
            fresh_id=self._drawn(plan, "crate::controls::next_number()", "crate::controls::next_text({})"),
            request=self._constructors.envelope(plan.request.made, {"id": "id", "payload": "request"}),
            response_id=ids[1],
            response_type=response,
            response=self._constructors.envelope(plan.response.made, {"id": "id", "payload": "answer"}, "answer"),
            plain=self._plain(plan),
            refusal=refusal,
            notify=self._notify(plan),
            cancel=None if plan.cancel is None else self._cancel(plan, plan.cancel),
            session=self._session(plan, refusal),
        )

    def _union_of(self, field: Field) -> Union:
        (name,) = refs(without_alias(field.type, self._plan.model.declarations))
        return self._plan.unions[name].union

    def _drawn(self, plan: ControlsPlan, number: str, text: str) -> str:
        """A new id: from the expression of a number if ids may be numbers, otherwise from a string with the prefix."""
        of = self._shapes.of(plan.id_type)
        if plan.draw == "uuid":
            return _converted(FRESH, of, "String")
        if "number" not in plan.id_kinds:
            return _converted(text.format(quoted(plan.prefix)), of, "String")
        members = getattr(plan.id_type, "members", (plan.id_type,))
        if Scalar("number") in members:
            return _converted(f"({number} as f64)", of, "f64")
        return _converted(number, of, "i64")

    def _pair(self, pair: PairPlan, requests: Union, plan: ControlsPlan, *, has_data: bool) -> PairView:
        self._shapes.home = Home(self._names.area_of(pair.control.place), self._names.needs.session)
        request = self._names.type(pair.request.name)
        answer, how, rule = self._answer(pair.answer, is_flat=plan.response.is_flat)
        row = f"{self._sent(pair, requests, 'held')}, {answer}, {how}{rule}"
        if has_data and pair.error is not None:
            own = self._variant_of_data(pair.error)
            row += f", {own} {self._tables.type(pair.error)}"
        if pair.reply is not None:
            _, new, rule = self._answer(pair.reply, is_flat=plan.response.is_flat)
            row += f" => {new}{rule}"
        fills = tuple(
            f"[{self._way(each.at, last='last')}] {self._rule(each.at)}, [{self._way(each.source)}];"
            for each in pair.fill
        )
        return PairView(request, answer, ("{", *(f"    {each}" for each in fills), "}") if fills else (), row)

    def _sent(self, pair: PairPlan, union: Union, bound: str = "") -> str:
        """A request or notification, its sender, and the pattern of the union's values that hold it.

        If `bound` is given, the pattern binds the request to this variable, which precedes the pattern.
        """
        origin = pair.control.origin
        sender = origin if origin == "both" else self._names.peer(origin)
        before = f"{bound} " if bound else ""
        return (
            f"{self._names.type(pair.request.name)} {sender} {before}{self._pattern(union, pair.request, bound or '_')}"
        )

    def _answer(self, answer: ReplyPlan, *, is_flat: bool) -> tuple[str, How, str]:
        """The type of a response, how the envelope holds it, and its rule in the format of the row."""
        type_ = answer_type(answer, self._shapes)
        if answer.type is None:
            return type_, "none", ""
        rule = f" {self._tables.type(answer.type)}"
        if not answer.optional:
            return type_, "flat" if is_flat else "one", rule
        if not answer.nullable:
            return type_, "option", rule
        return type_, "three" if type_.startswith("Presence<") else "loose", rule

    def _plain(self, plan: ControlsPlan) -> tuple[str, str] | None:
        id_, request = self._fields(plan.request.id), self._fields(plan.request.payload)
        return None if id_ is None or request is None else (id_, request)

    def _same_ids(self, plan: ControlsPlan) -> Iterator[str]:
        """The types of ids in other messages that differ from the type in requests by name or width."""
        if not isinstance(plan.id_type, Choice):
            return
        forms = (plan.request, plan.response, plan.error, plan.cancel)
        types = [form.id[-1].field.type for form in forms if form is not None]
        _, *others = {self._shapes.of(type_): type_ for type_ in types}.items()
        for name, type_ in others:
            yield f"{name}, {self._tables.type(type_)}"

    def _id(self, way: FieldPath) -> str:
        """The type of an id."""
        return self._shapes.of(way[-1].field.type)

    def _fields(self, way: FieldPath) -> str | None:
        """The fields along a path of required fields; None for any other path."""
        return "".join(f".{self._names.field(step.field)}" for step in way) if self.is_sure(way) else None

    # Errors.

    def _refusal(self, plan: ErrorPlan, requests: Union) -> RefusalView:
        has_parts = bool(plan.code or plan.data)
        passed, maybe, parts = {"id": "id", "message": "refusal.message" if has_parts else "refusal"}, [], []
        codes = (plan.refused, plan.unknown if requests.open else None)
        refused, unknown = (None if each is None else self._constructors.literal(plan.code[-1], each) for each in codes)
        data = plan.data[-1].field if plan.data else None
        is_fallible = data is not None and self._shapes.of(data.type) != "Json"
        if data is not None:
            place = quoted(pointer(step.field.name for step in plan.data if not step.field.flatten))
            held = f"held({self._tables.type(data.type)}, {place})?" if is_fallible else "data"
            parts.append(f"let data = refusal.{held};")
            passed["data"] = "data"
            maybe.append("data")
        if plan.code:
            parts.append(f"let code = refusal.code{'' if refused is None else f'.unwrap_or({refused})'};")
            passed["code"] = "code"
            maybe += ["code"] if refused is None else []
        name = self._names.type(plan.struct.name)
        rows = tuple(
            f"{self._tables.scalar(each.code)} => {self._variant_of_data(each.type)} {self._tables.type(each.type)}"
            for each in plan.types
        )
        return RefusalView(
            id=self._id(plan.id),
            told="Refusal" if has_parts else "String",
            returns=f"Result<{name}, EncodeError>" if is_fallible else name,
            parts=tuple(parts),
            objects=self._constructors.envelope(plan.made, passed, *maybe),
            has_parts=has_parts,
            has_code=bool(plan.code),
            is_fallible=is_fallible,
            data=tuple(self._data.values()) if plan.data else None,
            by_code=rows if plan.data else (),
            unknown=unknown,
        )

    def _variant_of_data(self, type_: Type) -> str:
        """The variant for a type of data."""
        spelt = self._shapes.of(type_)
        if spelt not in self._data:
            held = f"Box<{spelt}>" if self._shapes.holds_struct(type_) else spelt
            taken = frozenset({"Untyped", *(each.name for each in self._data.values())})
            name = identifier(self._shapes.unions.stem(type_), Reserved("data of errors", taken, "Data"), "Of")
            self._data[spelt] = DataVariant(name, held, layout.above(self._shapes.phrase(type_), None, INDENT))
        return self._data[spelt].name

    # Responses.

    def _error_parts(self, plan: ErrorPlan) -> Iterator[str]:
        yield from self._conditions(plan.when)
        for name, way in (("message", plan.message), ("code", plan.code), ("data", plan.data)):
            if way:
                yield f"{name} [{self._way(way)}];"

    def _conditions(self, when: Conditions) -> Iterator[str]:
        yield from (f"when [{self._way(way)}] {self._tables.scalar(each)};" for way, each in when if each is not None)
        yield from (f"lacks [{self._way(way)}];" for way, each in when if each is None)

    def _messages(
        self, plan: ControlsPlan, structs: Sequence[Struct], others: Sequence[Struct]
    ) -> Iterator[MessagesView]:
        """The roots that have some of the structs as variants; `others` only add arms to these roots."""
        responses = _responses(plan)
        for root in dict.fromkeys(self._plan.model.protocol.roots):
            held = self._plan.unions[root].structs if root in self._plan.unions else ()
            if any(each.name in held for each in structs):
                union = self._plan.unions[root].union
                arms = {
                    each.name: f"{self._pattern(union, each, 'held')} => held,"
                    for each in (*structs, *others)
                    if each.name in held
                }
                outcomes = tuple(arms.pop(each.name) for each in responses if each.name in arms)
                yield MessagesView(self._names.type(root), outcomes, tuple(arms.values()))

    def way(self, way: FieldPath) -> str:
        """A path in the format of the macro `reach`."""
        return self._way(way)

    def is_sure(self, way: FieldPath) -> bool:
        """Whether there always is a value at the end of a path."""
        return all(step.union is None and self._mark(step.field) == "." for step in way)

    def _way(self, way: FieldPath, *, last: str = "") -> str:
        """A path in the format of the macros `reach` and `fill`; `last` is a word that precedes the last field."""
        if not way:
            return ""
        step, rest = way[0], way[1:]
        here = [self._own(step, holder) for holder in step.holders]
        alike = [
            (holder, field)
            for holder, field in zip(step.holders, here, strict=True)
            if field is not None and field.type == step.field.type
        ]
        word = "" if rest else last
        texts = [
            " ".join(filter(None, (word, self._mark(field), self._names.field(field), self._way(rest, last=last))))
            for _, field in alike
        ]
        if step.union is None:
            return texts[0]
        union = self._plan.unions[step.union].union
        arms = (
            f"{self._pattern(union, holder, 'held')} => held [{text}],"
            for (holder, _), text in zip(alike, texts, strict=True)
        )
        return f"{{ {' '.join(arms)} }}"

    def _own(self, step: Step, holder: Struct) -> Field | None:
        """The field of a step in one of its holders."""
        same = (each for each in holder.wire_fields if each.flatten == step.field.flatten)
        return next((each for each in same if step.field.flatten or each.name == step.field.name), None)

    def _mark(self, field: Field) -> str:
        """How a field holds its value, in the syntax of the macro `reach`."""
        if self._shapes.presence(field) == "presence":
            return "~"
        return "." if self._shapes.field(field) == self._shapes.value(field) else "?"

    def _pattern(self, union: Union, struct: Struct, bound: str) -> str:
        for name in variant_types(union.dispatch):
            if name == struct.name:
                inner = bound
            elif name in self._plan.unions and struct.name in self._plan.unions[name].structs:
                inner = self._pattern(self._plan.unions[name].union, struct, bound)
            else:
                continue
            return f"{self._names.type(union.name)}::{self._names.variant(union, name)}({inner})"
        raise LookupError(f"{struct.name} is not a variant of {union.name}")

    # Notifications and cancellations.

    def _notify(self, plan: ControlsPlan) -> NotifyView | None:
        notify = plan.notify
        if notify is None:
            return None
        union = self._union_of(notify.payload[-1].field)
        return NotifyView(
            union=self._shapes.of(notify.payload[-1].field.type),
            rows=tuple(self._sent(each, union) for each in plan.notifications),
            returns=self._names.type(notify.struct.name),
            objects=self._constructors.envelope(notify.made, {"payload": "notification"}),
        )

    def _cancel(self, plan: ControlsPlan, cancel: CancelPlan) -> CancelView:
        made = self._names.type(cancel.struct.name)
        enveloped = cancel.is_notification and plan.notify is not None
        returns = self._names.type(plan.notify.struct.name) if enveloped and plan.notify is not None else made
        return CancelView(
            id=self._id(cancel.id),
            returns=returns,
            objects=self._constructors.envelope(cancel.made, {"id": "id"}),
            is_notification=enveloped,
        )

    # Sessions.

    def _session(self, plan: ControlsPlan, refusal: RefusalView | None) -> SessionView:
        notify = plan.notify
        notifications = NOTHING if notify is None else self._shapes.of(notify.payload[-1].field.type)
        forms = dict(self._forms(plan))
        announced = () if self._plan.announced is None else (self._plan.announced.struct,)
        envelopes = [self._plan.model.struct(name) for name in forms if name not in {each.name for each in announced}]
        unions = tuple(self._messages(plan, envelopes, announced))
        return SessionView(
            peers=tuple(f"{self._names.peer(each)} {quoted(each)}" for each in self._plan.model.protocol.peers),
            notifications=notifications,
            message=unions[0].union if unions else self._names.type(plan.request.struct.name),
            id_rule=self._rule(plan.request.id),
            draw=self._draw(plan),
            request=self._way(plan.request.payload),
            is_answered=str(plan.cancel is not None and plan.cancel.answered).lower(),
            releases=()
            if self._plan.announced is None
            else tuple((quoted(number), quoted(release)) for number, release in self._plan.announced.releases),
            refuses=None if plan.error is None or refusal is None else self._refuses(plan.error, refusal),
            code_rule=None if plan.error is None or not plan.error.code else self._rule(plan.error.code),
            parts=tuple(PartView(self._names.type(name), tuple(each)) for name, each in forms.items()),
            unions=unions,
        )

    def _rule(self, way: FieldPath) -> str:
        """The rule of the field that a path leads to."""
        return self._tables.type(way[-1].field.type)

    def _draw(self, plan: ControlsPlan) -> str:
        drawn = self._drawn(plan, "number", "crate::controls::text_of_number({}, number)")
        return f"|{'_' if plan.draw == 'uuid' else 'number'}| {drawn}"

    def _refuses(self, error: ErrorPlan, refusal: RefusalView) -> str:
        parts = [refusal.told, "maybe" if refusal.is_fallible else "sure"]
        if error.unknown is not None:
            parts.append(self._constructors.literal(error.code[-1], error.unknown))
        return ", ".join(parts)

    def _forms(self, plan: ControlsPlan) -> Iterator[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
        """The forms of each envelope by the envelope's name, in the order in which they are tried."""
        found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        asked, notify, error, cancel = plan.request, plan.notify, plan.error, plan.cancel
        lines = (*self._conditions(asked.when), f"id [{self._way(asked.id)}];")
        lines = (*lines, f"payload [{self._way(asked.payload)}];")
        found.setdefault(asked.struct.name, []).append(("request", lines))
        if notify is not None:
            lines = tuple(self._conditions(notify.when))
            if cancel is not None and cancel.is_notification:
                lines = (*lines, f"cancels [{self._way(notify.payload)} {self._cancelled(notify, cancel)}];")
            lines = (*lines, f"payload [{self._way(notify.payload)}];")
            found.setdefault(notify.struct.name, []).append(("notification", lines))
        for struct in _responses(plan):
            ways = []
            if error is not None and error.struct == struct:
                ways.append(f"error {{ id [{self._way(error.id)}]; {' '.join(self._error_parts(error))} }}")
            if plan.response.struct == struct:
                parts = (
                    *self._conditions(plan.response.when),
                    f"result [{self._way(plan.response.payload, last='held')}];",
                )
                ways.append(f"answer {{ id [{self._way(plan.response.id)}]; {' '.join(parts)} }}")
            found.setdefault(struct.name, []).append(("outcome", tuple(ways)))
        if cancel is not None and (notify is None or not cancel.is_notification):
            found.setdefault(cancel.struct.name, []).append(("cancellation", (f"id [{self._way(cancel.id)}];",)))
        if (announced := self._plan.announced) is not None:
            found.setdefault(announced.struct.name, []).append(("announced", (f"at [{self._way(announced.way)}];",)))
        yield from found.items()

    def _cancelled(self, notify: EnvelopePlan, cancel: CancelPlan) -> str:
        """The rest of the path from a notification to the id of the request that it cancels."""
        pattern = self._pattern(self._union_of(notify.payload[-1].field), cancel.struct, "held")
        return f"{{ {pattern} => held [{self._way(cancel.id)}], }}"

    # Tools.

    def _tools(self) -> Iterator[ToolsView]:
        yield ToolsView("Input", tuple(map(self._tool, self._plan.tools.inputs)))
        yield ToolsView("Output", tuple(map(self._tool, self._plan.tools.outputs)))

    def _tool(self, plan: ToolPlan) -> ToolView:
        self._shapes.home = Home(self._names.area_of(plan.tool.place), self._names.needs.tools)
        tool, type_ = plan.tool, self._shapes.of(plan.type)
        name, pattern = identifier(pascal(words(tool.pattern)), FREE, "Tool"), quoted(tool.pattern)
        held = f"Box<{type_}>" if self._shapes.holds_struct(plan.type) else type_
        condition = f"glob({pattern}, name)" if plan.is_pattern else f"name == {pattern}"
        return ToolView(
            row=f"{name}({held}) {condition} => {self._tables.type(plan.type)}",
            above=above(tool.about, f"The input or output of `{tool.pattern}`.", INDENT),
        )


def answer_type(answer: ReplyPlan, shapes: Shapes) -> str:
    """The Rust type of the response to a request."""
    if answer.type is None:
        return "()"
    type_ = shapes.of(answer.type)
    if not answer.optional:
        return type_
    if answer.nullable and type_.startswith("Option<"):
        return f"Presence<{type_.removeprefix('Option<')}"
    return f"Option<{type_}>"


def _responses(plan: ControlsPlan) -> list[Struct]:
    """The envelopes of results and of errors, which may be the same."""
    structs = [plan.response.struct]
    if plan.error is not None and plan.error.struct != plan.response.struct:
        structs.append(plan.error.struct)
    return structs


def _converted(value: str, type_: str, of: str) -> str:
    """An expression of one type, converted to another type."""
    return value if type_ == of else f"{value}.into()"
