"""The plan's session table and tools → Go: how messages are made, the type of each response, the types of each tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from polywire.model.nodes import Struct
from polywire.plan import Plan
from polywire.plan.controls import FieldPath
from polywire.plan.fill import Made
from polywire.plan.session import Answer, Notice, Result, Sent, SessionTable, spelled_table
from polywire.source.types import Ref, Type
from polywire.targets.go.construct import UUID, Argument, Constructors
from polywire.targets.go.layout import Source, aligned, blocks, composite, element, lines, listed, quoted
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.structs import Member
from polywire.targets.go.tables import Tables, pointer

FORMS = {"request": "request", "notify": "notify", "response": "response", "error": "failure", "cancel": "cancel"}
"""The forms of the session table → the fields for them in Go."""

MEMBERS = {"peers": "[]string", "answered": "", "pointer": "", "none": "", "flat": "", "prefix": ""}
"""Other members of the session table that the runtime reads → the type of a literal; empty for a scalar."""

DRAWS = {"uuid": Source("freshUUID"), "number": Source("counted"), "text": Source("numbered")}
"""How ids are generated → the function of the runtime."""


@dataclass(frozen=True, slots=True)
class FormView:
    """How a message of a form is made."""

    go: str
    """The Go type of the struct that is filled."""
    statements: tuple[str, ...]
    """The statements that fill it, which is the variable `x`."""
    given: Mapping[str, Member]
    """The fields that hold the parts that differ, by name."""
    draws_uuid: bool


@dataclass(frozen=True, slots=True)
class PayloadView:
    """The union of all requests, or of all notifications."""

    go: str
    decoder: str
    untyped: str
    """The Go type of payloads that the protocol does not declare, or of all variants; empty if all are declared."""
    held: str
    """The expression of the request, or notification, as the payload of its envelope."""


@dataclass(frozen=True, slots=True)
class PairView:
    """A request or a notification: its Go type, its row, and the Go type of the answer."""

    go: str
    row: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    table: tuple[str, ...]
    """Members of the session table, as `runtimes/go/controls.go` describes it."""
    id: str
    """The Go type of ids."""
    id_rule: str
    pointer: str
    """The literal of the location of the result in a response."""
    request: FormView
    response: FormView
    error: FormView | None
    notify: FormView | None
    cancel: FormView | None
    cancels_by_notice: bool
    has_codes: bool
    payload: PayloadView
    notice: PayloadView | None
    answers: tuple[PairView, ...]
    notices: tuple[PairView, ...]
    peers: str
    """The lines with the constants of peers."""
    imports_uuid: bool

    @property
    def wraps_apart(self) -> bool:
        """Whether errors have an envelope of their own."""
        return self.error is not None and self.error.go != self.response.go

    @property
    def code(self) -> Member | None:
        """The field for the code of an error."""
        return None if self.error is None else self.error.given.get("code")

    @property
    def data(self) -> Member | None:
        """The field for the data of an error."""
        return None if self.error is None else self.error.given.get("data")

    @property
    def details(self) -> str:
        """The parameter for the details of a refusal, if it may have more than a message."""
        return ", options ...RefuseOption" if self.code or self.data else ""


def controls_view(
    plan: Plan, names: Names, shapes: Shapes, makers: Constructors, tables: Tables
) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    session = plan.session
    if session is None:
        return None
    spelling = _Spelling(names, shapes, makers, tables, session)
    spelled = cast("dict[str, Any]", spelled_table(session, spelling))
    forms: dict[str, Any] = {name: spelled[name] and spelled[name]["new"] for name in FORMS}
    identifier, notify = forms["request"].given["id"], session.notify
    answers, notices = map(spelling.answer, session.answers), map(spelling.notice, session.notices)
    pairs = {"pair": tuple(answers), "notice": tuple(notices)}
    return ControlsView(
        **forms,
        table=tuple(_table(session, spelled, pairs, tables)),
        id=identifier.go,
        id_rule=tables.held(identifier.planned.field),
        pointer=quoted(session.pointer),
        cancels_by_notice=session.cancel_notice,
        has_codes=session.codes != (None, None),
        payload=_payload(plan, session.payload.type, "request", "pair", shapes, names),
        notice=None
        if notify is None
        else _payload(plan, notify.at["payload"][-1].field.type, "notification", "notice", shapes, names),
        answers=pairs["pair"],
        notices=pairs["notice"],
        peers=blocks((None, (names.peer(each), "Peer", "=", quoted(each))) for each in session.peers),
        imports_uuid=identifier.go == UUID or any(each and each.draws_uuid for each in forms.values()),
    )


def _table(
    session: SessionTable, spelled: dict[str, Any], pairs: Mapping[str, tuple[PairView, ...]], tables: Tables
) -> Iterator[str]:
    """The members of the table, formatted like gofmt."""
    members: dict[str, object] = {}
    for name, go in FORMS.items():
        if (form := spelled[name]) is not None:
            members[go] = composite("form", {**form["at"], "when": listed("condition", form["when"])})
    members |= {name: composite(go, spelled[name]) if go else spelled[name] for name, go in MEMBERS.items()}
    result = session.response.at["result"][-1].field
    members["loose"] = not result.required and spelled["response"]["new"].given["payload"].go == "any"
    if session.codes != (None, None):
        members["codes"] = composite("[2]any", session.codes)
    members["data"] = listed("dataType", spelled["data"])
    if session.cancel is not None and session.cancel_notice:
        members["cancelled"] = tables.declared(session.cancel.envelope.name)
    if session.announced is not None:
        at, releases = spelled["announced"]["at"], listed("[2]string", session.announced.releases)
        members["announced"] = composite("announcement", {"at": at, "releases": releases})
    members |= {"draw": DRAWS[session.draw], "respond": Source("newResponse")}
    members["refuse"] = session.error and Source("newFailure")
    shown = {name: value for name, value in members.items() if value}
    yield from aligned((f"{name}:", f"{element(value)},") for name, value in shown.items())
    for kind, found in pairs.items():
        if found:
            rows = lines("*pairing", (Source(f"&{kind}{each.go}") for each in found))
            yield f"{kind}s: {rows},".replace("\n", "\n\t")


def _payload(plan: Plan, type_: Type, message: str, method: str, shapes: Shapes, names: Names) -> PayloadView:
    """The union of all requests, or of all notifications."""
    held = shapes.of(type_)
    union = next(each for each in plan.model.unions if type_ == Ref(each.name))
    decoder = f"Unmarshal{names.own(union.name)}"
    if held.struct:
        return PayloadView(held.go, decoder, held.go, f"asFlat[{held.go}]({message}, {message}.{method}().request)")
    return PayloadView(held.go, decoder, names.unknown(union) if union.open else "", f"copied({message}).({held.go})")


class _Spelling:
    """The leaves of the session table: rules, Go types, paths of fields, and statements that make messages."""

    def __init__(
        self, names: Names, shapes: Shapes, makers: Constructors, tables: Tables, session: SessionTable
    ) -> None:
        self._names = names
        self._shapes = shapes
        self._makers = makers
        self._tables = tables
        self._id = makers.given(session.request.new)["id"].go

    def struct(self, struct: Struct) -> Source:
        """Its rule."""
        return self._tables.declared(struct.name)

    def sent(self, sent: Sent) -> Source:
        """The rule of its struct."""
        return self.struct(sent.struct)

    def type(self, type_: Type) -> Source:
        """Its rule and its Go type."""
        return self._tables.typed(type_)

    def way(self, way: FieldPath) -> Source | None:
        """Fields, each with the rules of the structs that have it."""
        return self._tables.way(way)

    def new(self, made: Made) -> FormView:
        """A message of a form."""
        given = self._makers.given(made)
        arguments = {"id": Argument("id", self._id), "message": Argument("message", "string")}
        arguments |= {name: Argument(name) for name in ("payload", "data")}
        if "code" in given:
            arguments["code"] = Argument(f"scalarAs[{given['code'].go}](how.code)")
        statements = self._makers.statements(made, arguments)
        return FormView(self._names.type(made.struct.name), statements, given, made.draws_uuid)

    def answer(self, answer: Answer) -> PairView:
        """The row of a request."""
        struct, result = answer.request.struct, answer.result
        go = answer_type(result, self._shapes)
        row = self._row(
            struct,
            answer.sender,
            answer=self._result(result, go),
            data=answer.error and Source(f"&{self.type(answer.error.type)}"),
            reply=answer.reply and Source(f"&{self._result(answer.reply)}"),
            fill=listed("filling", ((self.way(each.at), self.way(each.source)) for each in answer.fill or ())),
        )
        return PairView(self._names.type(struct.name), row, go)

    def notice(self, notice: Notice) -> PairView:
        """The row of a notification."""
        struct = notice.notification.struct
        return PairView(self._names.type(struct.name), self._row(struct, notice.sender))

    def _row(self, struct: Struct, sender: str, **more: object) -> Source:
        origin = "" if sender == "both" else sender
        return composite("pairing", {"request": self.struct(struct), "from": origin, **more})

    def _result(self, result: Result, go: str | None = None) -> Source:
        """A result; `go` is the Go type that holds it, if that is another than the type's own."""
        if result.type is None:
            typed = composite("typedRule", (None, pointer("None")))
        else:
            is_wrapped = go is not None and go.startswith("Nullable[")
            type_ = self._shapes.or_else(result.type.type) if is_wrapped else result.type.type
            typed = self._tables.typed(type_, go)
        return composite("answer", (typed, result.optional, result.nullable))


def answer_type(result: Result, shapes: Shapes) -> str:
    """The Go type of a response."""
    if result.type is None:
        return "None"
    shape = shapes.of(result.type.type)
    if not result.optional:
        return shape.go
    if not result.nullable:
        return f"*{shape.go}" if shape.form == "plain" else shape.go
    if shape.kind in {"any", "own"} and not shape.sealed:
        return shape.go  # for type any: nil is no result, Null{} is null
    inner = shape.item if shape.kind in {"nullable", "nil"} and shape.item is not None else shape
    return f"Nullable[{inner.go}]"


def tools_view(plan: Plan, tables: Tables) -> dict[str, tuple[str, Source]]:
    """Inputs and outputs of tools → the type of an argument, and the types by the names of tools."""
    found = {"Input": ("map[string]any", plan.tools.inputs), "Output": ("any", plan.tools.outputs)}
    return {
        kind: (go, lines("namedType", ((each.tool.pattern, tables.typed(each.type)) for each in tools)))
        for kind, (go, tools) in found.items()
        if plan.tools
    }
