"""Controls and tools of the plan → the response type of each request, and the types of each tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    row: str
    """The row in the format of the macro."""


@dataclass(frozen=True, slots=True)
class RefusalView:
    """How a request is refused."""

    id: str
    """The Rust type of ids in errors."""
    told: str
    """The Rust type of a refusal."""
    made: str
    how: Literal["sure", "maybe"]
    """Whether it can always be encoded, or data may not fit."""
    objects: tuple[ObjectView, ...]
    has_parts: bool
    """Whether a refusal may have a code or data besides its message."""
    data: tuple[str, ...] | None
    """The variants for types of data; None if errors have no data."""
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
class MessagesView:
    """A root that has envelopes among its variants: the arms for those of responses, and for the others."""

    union: str
    outcomes: tuple[str, ...]
    arms: tuple[str, ...]


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
    none: str
    """The expression of the representation of no result, as an option."""
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
    request: tuple[ObjectView, ...]
    response_id: str
    response_type: str
    response: tuple[ObjectView, ...]
    plain: tuple[str, str] | None
    """The fields that lead to the id and the request in an envelope, if plain ones do."""
    refusal: RefusalView | None
    notify: NotifyView | None
    cancel: CancelView | None
    peers: tuple[str, ...]
    """Each peer with its name in the spec as a literal."""
    notifications: str
    """The Rust type of notifications."""
    message: str
    """The Rust type as which the peer's messages are read."""
    id_rule: str
    draw: str
    """A function that creates an id from a number, as an expression."""
    request_way: str
    """The path from an envelope to its request."""
    is_answered: str
    """Whether the peer responds to a cancelled request, as a literal."""
    releases: str
    """The version numbers that the peer may announce, with their releases, as expressions of pairs."""
    code_rule: str | None
    """The rule of the codes of errors, if they have any."""
    parts: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
    """The forms of each envelope, with their lines."""
    unions: tuple[MessagesView, ...]


@dataclass(frozen=True, slots=True)
class ToolsView:
    """The enum of the inputs, or of the outputs, of tools."""

    kind: Literal["Input", "Output"]
    tools: tuple[str, ...]
    """Each tool's variant, the type, the condition on names and the rule, in the format of the macro."""


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
        self._data: dict[str, tuple[str, str]] = {}
        """The variants for types of data by the type: the name, and its row in the format of the macro."""

    def file(self) -> PairsFileView | None:
        """The whole file; None if the protocol has neither controls nor tools."""
        controls = None if self._plan.controls is None else self._controls(self._plan.controls)
        inputs, outputs = (tuple(map(self._tool, each)) for each in (self._plan.tools.inputs, self._plan.tools.outputs))
        tools = tuple(each for each in (ToolsView("Input", inputs), ToolsView("Output", outputs)) if each.tools)
        return PairsFileView(controls, tools) if controls is not None or tools else None

    # Controls.

    def _controls(self, plan: ControlsPlan) -> ControlsView:
        request, response = (self._names.type(each.struct.name) for each in (plan.request, plan.response))
        requests, error, notify = self._union_of(plan.request.payload), plan.error, plan.notify
        announced = self._plan.announced
        ids = [self._type(each.id) for each in (plan.request, plan.response)]
        asked, held = (self._type(each.payload) for each in (plan.request, plan.response))
        code = NOTHING if error is None or not error.code else self._type(error.code)
        has_data = error is not None and bool(error.data)
        pairs = tuple(self._pair(each, requests, plan, has_data=has_data) for each in plan.pairs)
        parts: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for struct, form, lines in self._forms(plan):
            parts.setdefault(struct.name, []).append((form, lines))
        unions = tuple(self._messages(plan, list(map(self._plan.model.struct, parts))))
        return ControlsView(
            requests=asked,
            envelope_type=request,
            payload=held,
            pointer=quoted(plan.response.json_pointer),
            none=f"Some({quoted(dumps(plan.response.none))})" if plan.response.has_none else "None",
            code=code,
            data="ErrorData" if has_data else NOTHING,
            typed="ErrorData::by_code" if has_data else "crate::controls::no_data",
            pairs=pairs,
            id_type=ids[0],
            same_ids=tuple(self._same_ids(plan)),
            request=self._constructors.envelope(plan.request.made, {"id": "id", "payload": "request"}),
            response_id=ids[1],
            response_type=response,
            response=self._constructors.envelope(plan.response.made, {"id": "id", "payload": "answer"}, "answer"),
            plain=self._plain(plan),
            refusal=None if error is None else self._refusal(error),
            notify=None if notify is None else self._notify(plan, notify),
            cancel=None if plan.cancel is None else self._cancel(plan, plan.cancel),
            peers=tuple(f"{self._names.peer(each)} {quoted(each)}" for each in self._plan.model.protocol.peers),
            notifications=NOTHING if notify is None else self._type(notify.payload),
            message=unions[0].union if unions else request,
            id_rule=self._rule(plan.request.id),
            draw=self._draw(plan),
            request_way=self.way(plan.request.payload),
            is_answered=str(plan.cancel is not None and plan.cancel.answered).lower(),
            releases=", ".join(
                f"({quoted(number)}, {quoted(release)})"
                for number, release in (announced.releases if announced else ())
            ),
            code_rule=None if error is None or not error.code else self._rule(error.code),
            parts={self._names.type(name): forms for name, forms in parts.items()},
            unions=unions,
        )

    def _union_of(self, way: FieldPath) -> Union:
        (name,) = refs(without_alias(way[-1].field.type, self._plan.model.declarations))
        return self._plan.unions[name].union

    def _draw(self, plan: ControlsPlan) -> str:
        """A new id: the number as it is if ids may be numbers, otherwise in a string with the prefix."""
        of, members = self._shapes.of(plan.id_type), getattr(plan.id_type, "members", (plan.id_type,))
        if plan.draw == "uuid":
            return f"|_| {_converted(FRESH, of, 'String')}"
        if "number" not in plan.id_kinds:
            text = f"crate::controls::text_of_number({quoted(plan.prefix)}, number)"
            return f"|number| {_converted(text, of, 'String')}"
        if Scalar("number") in members:
            return f"|number| {_converted('(number as f64)', of, 'f64')}"
        return f"|number| {_converted('number', of, 'i64')}"

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
        fills = " ".join(
            f"[{self.way(each.at, last='last')}] {self._rule(each.at)}, [{self.way(each.source)}];"
            for each in pair.fill
        )
        return PairView(request, answer, f"{{ {fills} }} {row}" if fills else row)

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
        ways = plan.request.id, plan.request.payload
        id_, request = ("".join(f".{self._names.field(step.field)}" for step in way) for way in ways)
        return (id_, request) if all(map(self.is_sure, ways)) else None

    def _same_ids(self, plan: ControlsPlan) -> Iterator[str]:
        """The types of ids in other messages that differ from the type in requests by name or width."""
        if not isinstance(plan.id_type, Choice):
            return
        forms = (plan.request, plan.response, plan.error, plan.cancel)
        types = [form.id[-1].field.type for form in forms if form is not None]
        _, *others = {self._shapes.of(type_): type_ for type_ in types}.items()
        for name, type_ in others:
            yield f"{name}, {self._tables.type(type_)}"

    def _type(self, way: FieldPath) -> str:
        """The type of the field that a path leads to."""
        return self._shapes.of(way[-1].field.type)

    # Errors.

    def _refusal(self, plan: ErrorPlan) -> RefusalView:
        has_parts = bool(plan.code or plan.data)
        passed, maybe = {"id": "id", "message": "refusal.message" if has_parts else "refusal"}, []
        refused, unknown = (
            None if each is None else self._constructors.literal(plan.code[-1], each)
            for each in (plan.refused, plan.unknown)
        )
        data = plan.data[-1].field if plan.data else None
        is_fallible = data is not None and self._shapes.of(data.type) != "Json"
        if data is not None:
            place = quoted(pointer(step.field.name for step in plan.data if not step.field.flatten))
            held = f"crate::controls::held_data(refusal.data, {self._tables.type(data.type)}, {place})?"
            passed["data"] = held if is_fallible else "refusal.data"
            maybe.append(passed["data"])
        if plan.code:
            passed["code"] = "refusal.code" if refused is None else f"refusal.code.unwrap_or({refused})"
            maybe += ["refusal.code"]
        rows = tuple(
            f"{self._tables.scalar(each.code)} => {self._variant_of_data(each.type)} {self._tables.type(each.type)}"
            for each in plan.types
        )
        return RefusalView(
            id=self._type(plan.id),
            told="Refusal" if has_parts else "String",
            made=self._names.type(plan.struct.name),
            how="maybe" if is_fallible else "sure",
            objects=self._constructors.envelope(plan.made, passed, *maybe),
            has_parts=has_parts,
            data=tuple(row for _, row in self._data.values()) if plan.data else None,
            by_code=rows if plan.data else (),
            unknown=unknown,
        )

    def _variant_of_data(self, type_: Type) -> str:
        """The variant for a type of data."""
        spelt = self._shapes.of(type_)
        if spelt not in self._data:
            held = f"Box<{spelt}>" if self._shapes.holds_struct(type_) else spelt
            taken = frozenset({"Untyped", *(name for name, _ in self._data.values())})
            name = identifier(self._shapes.unions.stem(type_), Reserved("data of errors", taken, "Data"), "Of")
            comment = layout.above(self._shapes.phrase(type_), None, INDENT)
            self._data[spelt] = name, f"{comment}{name} {held}"
        return self._data[spelt][0]

    # Responses.

    def _form(self, id_: FieldPath, when: Conditions, **parts: str) -> tuple[str, ...]:
        """The lines of a form: the path to its id, the conditions, and the paths to its parts."""
        ways = [(self.way(way), value) for way, value in when]
        lines = [f"id [{self.way(id_)}];"] if id_ else []
        lines += [f"when [{way}] {self._tables.scalar(value)};" for way, value in ways if value is not None]
        lines += [f"lacks [{way}];" for way, value in ways if value is None]
        return (*lines, *(f"{name} [{way}];" for name, way in parts.items() if way))

    def _messages(self, plan: ControlsPlan, structs: Sequence[Struct]) -> Iterator[MessagesView]:
        """The roots that have some of the envelopes as variants; the announcement only adds an arm to these roots."""
        announced, responses = self._plan.announced, {each.name for each in _responses(plan)}
        for root in dict.fromkeys(self._plan.model.protocol.roots):
            held = self._plan.unions[root].structs if root in self._plan.unions else ()
            found = [each for each in structs if each.name in held]
            if any(announced is None or each != announced.struct for each in found):
                union = self._plan.unions[root].union
                outcomes, arms = (
                    tuple(
                        f"{self._pattern(union, each, 'held')} => held,"
                        for each in found
                        if (each.name in responses) == is_outcome
                    )
                    for is_outcome in (True, False)
                )
                yield MessagesView(self._names.type(root), outcomes, arms)

    def is_sure(self, way: FieldPath) -> bool:
        """Whether there always is a value at the end of a path."""
        return all(step.union is None and self._mark(step.field) == "." for step in way)

    def way(self, way: FieldPath, *, last: str = "") -> str:
        """A path in the format of the macros `reach` and `fill`; `last` is a word that precedes the last field."""
        if not way:
            return ""
        step, rest = way[0], way[1:]
        fields = ((holder, self._own(step, holder)) for holder in step.holders)
        alike = [(holder, field) for holder, field in fields if field is not None and field.type == step.field.type]
        word = "" if rest else last
        texts = [
            " ".join(filter(None, (word, self._mark(field), self._names.field(field), self.way(rest, last=last))))
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

    def _notify(self, plan: ControlsPlan, notify: EnvelopePlan) -> NotifyView:
        union = self._union_of(notify.payload)
        return NotifyView(
            union=self._type(notify.payload),
            rows=tuple(self._sent(each, union) for each in plan.notifications),
            returns=self._names.type(notify.struct.name),
            objects=self._constructors.envelope(notify.made, {"payload": "notification"}),
        )

    def _cancel(self, plan: ControlsPlan, cancel: CancelPlan) -> CancelView:
        envelope = plan.notify if cancel.is_notification else None
        return CancelView(
            id=self._type(cancel.id),
            returns=self._names.type((envelope or cancel).struct.name),
            objects=self._constructors.envelope(cancel.made, {"id": "id"}),
            is_notification=envelope is not None,
        )

    # Sessions.

    def _rule(self, way: FieldPath) -> str:
        """The rule of the field that a path leads to."""
        return self._tables.type(way[-1].field.type)

    def _forms(self, plan: ControlsPlan) -> Iterator[tuple[Struct, str, tuple[str, ...]]]:
        """The forms of messages with their envelopes, in the order in which they are tried."""
        asked, notify, error, cancel = plan.request, plan.notify, plan.error, plan.cancel
        yield asked.struct, "request", self._form(asked.id, asked.when, payload=self.way(asked.payload))
        if notify is not None:
            payload = self.way(notify.payload)
            cancels = ""
            if cancel is not None and cancel.is_notification:
                pattern = self._pattern(self._union_of(notify.payload), cancel.struct, "held")
                cancels = f"{payload} {{ {pattern} => held [{self.way(cancel.id)}], }}"
            yield notify.struct, "notification", self._form((), notify.when, cancels=cancels, payload=payload)
        for struct in _responses(plan):
            ways = []
            if error is not None and error.struct == struct:
                message, code, data = map(self.way, (error.message, error.code, error.data))
                parts = self._form(error.id, error.when, message=message, code=code, data=data)
                ways.append(f"error {{ {' '.join(parts)} }}")
            if plan.response.struct == struct:
                held = self.way(plan.response.payload, last="held")
                parts = self._form(plan.response.id, plan.response.when, result=held)
                ways.append(f"answer {{ {' '.join(parts)} }}")
            yield struct, "outcome", tuple(ways)
        if cancel is not None and (notify is None or not cancel.is_notification):
            yield cancel.struct, "cancellation", self._form(cancel.id, ())
        if (announced := self._plan.announced) is not None:
            yield announced.struct, "announced", self._form((), (), at=self.way(announced.way))

    # Tools.

    def _tool(self, plan: ToolPlan) -> str:
        self._shapes.home = Home(self._names.area_of(plan.tool.place), self._names.needs.tools)
        tool, type_ = plan.tool, self._shapes.of(plan.type)
        name, pattern = identifier(pascal(words(tool.pattern)), FREE, "Tool"), quoted(tool.pattern)
        held = f"Box<{type_}>" if self._shapes.holds_struct(plan.type) else type_
        condition = f"glob({pattern}, name)" if plan.is_pattern else f"name == {pattern}"
        comment = above(tool.about, f"The input or output of `{tool.pattern}`.", INDENT)
        return f"{comment}{name}({held}) {condition} => {self._tables.type(plan.type)}"


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
