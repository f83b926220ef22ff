"""The plan's session table and tools → Go: how messages are made, the type of each response, the types of each tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from polywire.model.nodes import Struct
from polywire.plan.fill import Made
from polywire.plan.session import Answer, Form, Result, SessionTable
from polywire.source.types import Ref, Type
from polywire.targets.go.construct import Argument, Constructors, GoFunction
from polywire.targets.go.layout import Source, aligned, blocks, composite, element, lines, listed, quoted
from polywire.targets.go.shapes import Shapes
from polywire.targets.go.tables import Tables, pointer

FORMS = {
    "request": ("request", "newRequest", ("id", "payload")),
    "notify": ("notify", "newNotification", ("payload",)),
    "response": ("response", "newResponse", ("id", "payload")),
    "error": ("failure", "newFailure", ("id", "message", "code", "data")),
    "cancel": ("cancel", "newCancellation", ("id",)),
}
"""Form of the session table → the field for it in Go, and the function that makes its messages with its parameters."""

PARAMETERS = {"id": "ControlID", "message": "string", "code": "any"}
"""Part → the Go type of its parameter, if that is not the type of its field."""

DRAWS = {"uuid": Source("freshUUID"), "number": Source("counted"), "text": Source("numbered")}
"""How ids are generated → the function of the runtime."""


@dataclass(frozen=True, slots=True)
class PayloadView:
    """The union of all requests, or of all notifications."""

    go: str
    decoder: str
    untyped: str
    """The Go type of payloads that the protocol does not declare, or of all variants; empty if all are declared."""


@dataclass(frozen=True, slots=True)
class PairView:
    """A request or a notification: its Go type, its row, and the Go type of the answer."""

    go: str
    row: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses are correlated."""

    session: SessionTable
    table: tuple[str, ...]
    """Members of the session table, as `runtimes/go/controls.go` describes it."""
    id: str
    """The Go type of ids."""
    id_rule: str
    functions: Mapping[str, GoFunction]
    """The functions that make messages, by form."""
    code: str
    """The Go type of the code of an error; empty if it has none."""
    payload: PayloadView
    notice: PayloadView | None
    answers: tuple[PairView, ...]
    notices: tuple[PairView, ...]
    peers: str
    """The lines with the constants of peers."""

    @property
    def types(self) -> Iterator[str]:
        """The Go types that the functions mention."""
        return chain((self.id,), *(each.types for each in self.functions.values()))

    @property
    def details(self) -> str:
        """The parameter for the details of a refusal, if it may have more than a message."""
        error = self.session.error
        return ", options ...RefuseOption" if error and (error.at["code"] or error.at["data"]) else ""


def controls_view(makers: Constructors) -> ControlsView | None:
    """The view of the controls, if the protocol has any."""
    tables = makers.tables
    session, names = tables.plan.session, tables.names
    if session is None:
        return None
    answers = tuple(_answer(each, tables) for each in session.answers)
    notices = tuple(_pair(each.notification.struct, each.sender, tables) for each in session.notices)
    identifier = makers.given(session.request.new)["id"]
    code = None if session.error is None else makers.given(session.error.new).get("code")
    members = {name: value for name, value in _members(session, makers).items() if value}
    return ControlsView(
        session=session,
        table=(
            *aligned((f"{name}:", f"{element(value)},") for name, value in members.items()),
            *_listed("pair", answers),
            *_listed("notice", notices),
        ),
        id=identifier.go,
        id_rule=tables.held(identifier.planned.field),
        functions=_functions(session, makers, identifier.go),
        code="" if code is None else code.shape.go,
        payload=_payload(session.payload.type, tables),
        notice=None if session.notify is None else _payload(session.notify.at["payload"][-1].field.type, tables),
        answers=answers,
        notices=notices,
        peers=blocks((None, (names.peer(each), "Peer", "=", quoted(each))) for each in session.peers),
    )


def _functions(session: SessionTable, makers: Constructors, identifier: str) -> dict[str, GoFunction]:
    """The functions that make messages, by form."""
    forms: dict[str, Form | None] = {name: getattr(session, name) for name in FORMS}
    found = {name: _function(name, form.new, makers, identifier) for name, form in forms.items() if form is not None}
    if session.cancel_notice:
        found["cancel"] = replace(found["cancel"], result=found["notify"].result, returned="Notify(*x)")
    return found


def _function(form: str, made: Made, makers: Constructors, identifier: str) -> GoFunction:
    (_, name, parts), given = FORMS[form], makers.given(made)
    arguments = {"id": Argument("id", identifier), "message": Argument("message", "string")}
    arguments |= {part: Argument(part) for part in ("payload", "data")}
    if "code" in given:
        arguments["code"] = Argument(f"scalarAs[{given['code'].go}](code)")
    types = {part: PARAMETERS.get(part) or (given[part].go if part in given else "any") for part in parts}
    go = makers.tables.names.type(made.struct.name)
    return GoFunction(name, go, go, types, tuple(makers.fill(made, arguments)), made.draws_uuid)


def _members(session: SessionTable, makers: Constructors) -> dict[str, object]:
    """The members of the table, which the runtime describes."""
    tables, members = makers.tables, dict[str, object]()
    for name, (go, _, _) in FORMS.items():
        form: Form | None = getattr(session, name)
        if form is not None:
            ways = {part: tables.way(way) for part, way in form.at.items()}
            when = listed("condition", ((tables.way(way), value) for way, value in form.when))
            members[go] = composite("form", {**ways, "when": when})
    result, announced = session.response.at["result"][-1].field, session.announced
    releases = announced and listed("[2]string", announced.releases)
    return members | {
        "peers": composite("[]string", session.peers),
        "answered": session.answered,
        "pointer": session.pointer,
        "none": session.none,
        "flat": session.flat,
        "prefix": session.prefix,
        "loose": not result.required and makers.given(session.response.new)["payload"].go == "any",
        "codes": session.codes != (None, None) and composite("[2]any", session.codes),
        "data": listed("dataType", ((code, tables.typed(each.type)) for code, each in session.data)),
        "cancelled": session.cancel and session.cancel_notice and tables.declared(session.cancel.envelope.name),
        "announced": announced and composite("announcement", {"at": tables.way(announced.at), "releases": releases}),
        "draw": DRAWS[session.draw],
        "respond": Source("newResult"),
        "refuse": session.error and Source("newRefusal"),
    }


def _listed(kind: str, pairs: Sequence[PairView]) -> Iterator[str]:
    """The member with the rows of requests or notifications, if there are any."""
    if pairs:
        rows = lines("*pairing", (Source(f"&{kind}{each.go}") for each in pairs))
        yield f"{kind}s: {rows},".replace("\n", "\n\t")


def _payload(type_: Type, tables: Tables) -> PayloadView:
    """The union of all requests, or of all notifications."""
    held = tables.shapes.of(type_)
    union = next(each for each in tables.model.unions if type_ == Ref(each.name))
    untyped = held.go if held.struct else tables.names.unknown(union) if union.open else ""
    return PayloadView(held.go, f"Unmarshal{tables.names.own(union.name)}", untyped)


def _answer(answer: Answer, tables: Tables) -> PairView:
    """The row of a request."""
    go = answer_type(answer.result, tables.shapes)
    return _pair(
        answer.request.struct,
        answer.sender,
        tables,
        go,
        answer=_result(answer.result, tables, go),
        data=answer.error and Source(f"&{tables.typed(answer.error.type)}"),
        reply=answer.reply and Source(f"&{_result(answer.reply, tables)}"),
        fill=listed("filling", ((tables.way(each.at), tables.way(each.source)) for each in answer.fill or ())),
    )


def _pair(struct: Struct, sender: str, tables: Tables, go: str = "", **more: object) -> PairView:
    """The row of a request or a notification; `go` is the Go type of the answer."""
    row = {"request": tables.declared(struct.name), "from": "" if sender == "both" else sender, **more}
    return PairView(tables.names.type(struct.name), composite("pairing", row), go)


def _result(result: Result, tables: Tables, go: str | None = None) -> Source:
    """A result; `go` is the Go type that holds it, if that is another than the type's own."""
    if result.type is None:
        typed = composite("typedRule", (None, pointer("None")))
    else:
        is_wrapped = go is not None and go.startswith("Nullable[")
        type_ = tables.shapes.or_else(result.type.type) if is_wrapped else result.type.type
        typed = tables.typed(type_, go)
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


def tools_view(tables: Tables) -> dict[str, tuple[str, Source]]:
    """Inputs and outputs of tools → the type of an argument, and the types by the names of tools."""
    plan = tables.plan.tools
    found = {"Input": ("map[string]any", plan.inputs), "Output": ("any", plan.outputs)}
    return {
        kind: (go, lines("namedType", ((each.tool.pattern, tables.typed(each.type)) for each in tools)))
        for kind, (go, tools) in found.items()
        if plan
    }
