"""Controls and tools of the plan → the response type of each request, and the types of each tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from polywire.ground.engine import pointer
from polywire.model.nodes import Field, Struct
from polywire.plan import Plan
from polywire.plan.controls import ControlsPlan, ErrorPlan, FieldPath, PairPlan, ReplyPlan, Step, ToolPlan
from polywire.plan.fill import Made
from polywire.plan.session import Sent, SessionTable, spelled_table
from polywire.source.types import Choice, Scalar, Type
from polywire.targets.common.naming import FREE, Reserved, identifier, pascal, words
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ObjectView
from polywire.targets.rust.layout import INDENT, described, quoted
from polywire.targets.rust.names import Home, Names
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.source import Tables

NOTHING = "Infallible"
"""The type of a code, of data or of notifications if there are none."""


@dataclass(frozen=True, slots=True)
class WayView:
    """A path to a field, in the format of the macros `reach` and `fill`; the field's type and its rule."""

    steps: str
    type: str
    rule: str


@dataclass(frozen=True, slots=True)
class PairView:
    """A request and its response."""

    request: str
    answer: str
    row: str
    """The row in the format of the macro."""


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    table: dict[str, Any]
    """The session table, with the leaves of `Pairs`."""
    code: str
    """The Rust type of codes of errors."""
    data: str
    """The Rust type of the data of errors."""
    notifications: str
    """The Rust type of notifications."""
    refusal: str
    """The Rust type of a refusal; empty if requests cannot be refused."""
    how: Literal["sure", "maybe"]
    """Whether a refusal can always be encoded, or its data may not fit."""
    unknown: str | None
    """The code of the response to an unknown request, if there are such codes."""
    pairs: tuple[PairView, ...]
    notices: tuple[str, ...]
    """Each notification with its sender."""
    data_types: tuple[str, ...]
    """The variants for types of data."""
    by_code: tuple[str, ...]
    """Each code with the variant and the rule of its data, in the format of the macro."""
    same_ids: tuple[str, ...]
    """Other types of ids than that of requests, each with its rule."""
    draw: str
    """How ids are generated, in the format of the macro."""
    is_plain: bool
    """Whether plain fields lead to the id and to the request in an envelope."""
    cancelling: str
    """The Rust type of a message that cancels a request; empty if there are none."""
    messages: tuple[str, ...]
    """The types of messages that a session accepts, first the default one."""
    responses: tuple[str, ...]
    """Those that may answer requests."""


@dataclass(frozen=True, slots=True)
class PairsFileView:
    """The view for `pairs.rs`."""

    controls: ControlsView | None
    tools: dict[str, tuple[str, ...]]
    """The enums of the inputs, and of the outputs, of tools: for each tool, the row in the format of the macro."""
    scalar: Callable[[str | bool | float], str]
    peer: Callable[[str], str]
    quoted: Callable[[str], str] = quoted


class Pairs:
    """Builds the controls and tools of a plan, and spells the leaves of the session table."""

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
        plan, session = self._plan.controls, self._plan.session
        controls = None if plan is None or session is None else self._controls(plan, session)
        kinds = {"Input": self._plan.tools.inputs, "Output": self._plan.tools.outputs}
        tools = {kind: tuple(map(self._tool, each)) for kind, each in kinds.items() if each}
        if controls is None and not tools:
            return None
        return PairsFileView(controls, tools, self._tables.scalar, self._names.peer)

    # Controls.

    def _controls(self, plan: ControlsPlan, session: SessionTable) -> ControlsView:
        table, error = cast("dict[str, Any]", spelled_table(session, self)), plan.error
        parts = {} if error is None else table["error"]["at"]
        code, data, notify = parts.get("code"), parts.get("data"), table["notify"]
        pairs = tuple(self._pair(each, session) for each in plan.pairs)
        by_code = tuple(self._by_code(error)) if error is not None and data else ()
        responses = [form.envelope.name for form in (session.response, session.error) if form]
        others = [form.envelope.name for form in (session.request, session.notify) if form] + (
            [session.cancel.envelope.name] if session.cancel and not session.cancel_notice else []
        )
        cancelling = table["notify" if session.cancel_notice else "cancel"]
        announced = [session.announced.message.name] if session.announced else []
        return ControlsView(
            table=table,
            code=code.type if code else NOTHING,
            data="ErrorData" if data else NOTHING,
            notifications=notify["at"]["payload"].type if notify else NOTHING,
            refusal="" if error is None else "Refusal" if code or data else "String",
            how="sure" if data is None or data.type == "Json" else "maybe",
            unknown=self._code(error, session.codes[1]),
            pairs=pairs,
            notices=tuple(self._sent(each) for each in plan.notifications),
            data_types=tuple(row for _, row in self._data.values()),
            by_code=by_code,
            same_ids=tuple(self._same_ids(plan, table)),
            draw=self._draw(plan, session),
            is_plain=self.is_sure(plan.request.id) and self.is_sure(plan.request.payload),
            cancelling=cancelling["envelope"] if cancelling else "",
            messages=self._accepting(others + responses, announced),
            responses=self._accepting(responses),
        )

    def _draw(self, plan: ControlsPlan, session: SessionTable) -> str:
        """How ids are generated: a counted number is an integer unless ids may be any numbers."""
        members = getattr(plan.id_type, "members", (plan.id_type,))
        return "integer" if session.draw == "number" and Scalar("number") not in members else session.draw

    def _accepting(self, envelopes: list[str], others: Iterable[str] = ()) -> tuple[str, ...]:
        """The types of messages that may be one of the envelopes: roots, and the envelopes; and some other structs."""
        unions = [self._plan.unions[name] for name in self._plan.model.protocol.roots if name in self._plan.unions]
        roots = (each.union.name for each in unions if not set(envelopes).isdisjoint(each.structs))
        return tuple(map(self._names.type, dict.fromkeys((*roots, *envelopes, *others))))

    def _same_ids(self, plan: ControlsPlan, table: dict[str, Any]) -> Iterator[str]:
        """The types of ids in other messages that differ from the type in requests by name or width."""
        if isinstance(plan.id_type, Choice):
            forms = (table[name] for name in ("request", "response", "error", "cancel"))
            _, *others = {form["at"]["id"].type: form["at"]["id"].rule for form in forms if form}.items()
            yield from (f"{name}, {rule}" for name, rule in others)

    def _pair(self, pair: PairPlan, session: SessionTable) -> PairView:
        self._shapes.home = Home(self._names.area_of(pair.control.place), self._names.needs.session)
        answer, how = self._answer(pair.answer, session)
        row = f"{self._sent(pair)}, {answer}, {how}"
        if pair.error is not None and session.error is not None and session.error.at["data"]:
            row += f", {self._variant_of_data(pair.error)} {self._tables.type(pair.error)}"
        if pair.reply is not None:
            row += f" => {self._answer(pair.reply, session)[1]}"
        fills = " ".join(
            f"[{self.steps(each.at)}] {self._tables.type(each.at[-1].field.type)}, [{self.steps(each.source)}];"
            for each in pair.fill
        )
        return PairView(self._names.type(pair.request.name), answer, f"{{ {fills} }} {row}" if fills else row)

    def _sent(self, pair: PairPlan) -> str:
        """A request or notification, and its sender."""
        origin = pair.control.origin
        return f"{self._names.type(pair.request.name)} {origin if origin == 'both' else self._names.peer(origin)}"

    def _answer(self, answer: ReplyPlan, session: SessionTable) -> tuple[str, str]:
        """The type of a response; how the envelope holds it, as `controls.rs` describes, with its rule."""
        type_ = answer_type(answer, self._shapes)
        if answer.type is None:
            return type_, "none"
        nullable, present = "three" if type_.startswith("Presence<") else "loose", "flat" if session.flat else "one"
        how = present if not answer.optional else nullable if answer.nullable else "option"
        return type_, f"{how} {self._tables.type(answer.type)}"

    # Errors.

    def _by_code(self, error: ErrorPlan) -> Iterator[str]:
        for each in error.types:
            variant, rule = self._variant_of_data(each.type), self._tables.type(each.type)
            yield f"{self._tables.scalar(each.code)} => {variant} {rule}"

    def _code(self, error: ErrorPlan | None, code: str | int | None) -> str | None:
        """The expression of a code."""
        return None if error is None or code is None else self._constructors.literal(error.code[-1], code)

    def _refusal(self, error: ErrorPlan) -> tuple[dict[str, str], list[str]]:
        """The expressions of the parts of a refusal by name, and those among them that are options."""
        if not error.code and not error.data:
            return {"message": "refusal"}, []
        refused, data = self._code(error, error.refused), "refusal.data"
        if error.data and self._shapes.of(error.data[-1].field.type) != "Json":
            place = quoted(pointer(step.field.name for step in error.data if not step.field.flatten))
            rule = self._tables.type(error.data[-1].field.type)
            data = f"crate::controls::held_data(refusal.data, {rule}, {place})?"
        code = "refusal.code" if refused is None else f"refusal.code.unwrap_or({refused})"
        return {"message": "refusal.message", "code": code, "data": data}, ["refusal.code", data]

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

    # The leaves of the session table.

    def struct(self, struct: Struct) -> str:
        """Its Rust type."""
        return self._names.type(struct.name)

    def sent(self, sent: Sent) -> str:
        """The Rust type of its struct."""
        return self.struct(sent.struct)

    def type(self, type_: Type) -> str:
        """Its rule."""
        return self._tables.type(type_)

    def new(self, made: Made) -> tuple[ObjectView, ...]:
        """The structs of a new message, made from its parts; no result, code or data is None."""
        plan = self._plan.controls
        refusal, maybe = ({}, []) if plan is None or plan.error is None else self._refusal(plan.error)
        if plan is not None and made is plan.response.made:
            maybe = ["payload"]
        return self._constructors.envelope(made, {"id": "id", "payload": "payload", **refusal}, *maybe)

    def way(self, way: FieldPath) -> WayView | None:
        """A path, with the type of the field in the struct that has it."""
        if not way:
            return None
        type_ = way[-1].field.type
        self._shapes.home = self._names.home(way[-1].holders[0].name)
        return WayView(self.steps(way), self._shapes.of(type_), self._tables.type(type_))

    def steps(self, way: FieldPath) -> str:
        """A path in the format of the macros `reach` and `fill`."""
        if not way:
            return ""
        step, rest = way[0], self.steps(way[1:])
        fields = ((holder, self._own(step, holder)) for holder in step.holders)
        texts = {
            self._names.type(holder.name): f"{self._mark(field)} {self._names.field(field)} {rest}".rstrip()
            for holder, field in fields
            if field is not None and field.type == step.field.type
        }
        if step.union is None:
            return next(iter(texts.values()))
        return f"{{ {' '.join(f'{struct} [{text}],' for struct, text in texts.items())} }}"

    def is_sure(self, way: FieldPath) -> bool:
        """Whether there always is a value at the end of a path."""
        return all(step.union is None and self._mark(step.field) == "." for step in way)

    def _own(self, step: Step, holder: Struct) -> Field | None:
        """The field of a step in one of its holders."""
        same = (each for each in holder.wire_fields if each.flatten == step.field.flatten)
        return next((each for each in same if step.field.flatten or each.name == step.field.name), None)

    def _mark(self, field: Field) -> str:
        """How a field holds its value, in the syntax of the macro `reach`."""
        if self._shapes.presence(field) == "presence":
            return "~"
        return "." if self._shapes.field(field) == self._shapes.value(field) else "?"

    # Tools.

    def _tool(self, plan: ToolPlan) -> str:
        self._shapes.home = Home(self._names.area_of(plan.tool.place), self._names.needs.tools)
        tool, type_ = plan.tool, self._shapes.of(plan.type)
        name, pattern = identifier(pascal(words(tool.pattern)), FREE, "Tool"), quoted(tool.pattern)
        held = f"Box<{type_}>" if self._shapes.holds_struct(plan.type) else type_
        condition = f"glob({pattern}, name)" if plan.is_pattern else f"name == {pattern}"
        comment = described(tool.about, f"The input or output of `{tool.pattern}`.", INDENT)
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
