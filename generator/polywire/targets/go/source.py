"""Views → lines of Go: the statements of functions, and the rows of declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable

from polywire.engine import CODES
from polywire.model.nodes import Enum
from polywire.targets.go.construct import ConstructorView, Step
from polywire.targets.go.layout import aligned, literal, quoted
from polywire.targets.go.names import Names, mixed, override
from polywire.targets.go.pairs import ControlsView
from polywire.targets.go.structs import GoField, GoStruct
from polywire.targets.go.unions import FlatView, UnionView, UnknownView
from polywire.targets.naming import words
from polywire.targets.prose import description

Row = tuple[str | None, tuple[str, ...]]
"""The comment of a field, and its cells."""

_TAG = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_.]")
"""Keys that a struct tag can hold."""


def json_tag(key: str, *, optional: bool) -> str:
    """The tag of a field."""
    if not _TAG.fullmatch(key):
        return '`json:"-"`'
    return f'`json:"{key}{",omitempty" if optional else ""}"`'


def field_row(place: GoField, *, hidden: bool = False) -> Row:
    """A field of a struct."""
    return place.doc, (place.name, place.go, '`json:"-"`' if hidden else json_tag(place.key, optional=place.optional))


def struct_rows(struct: GoStruct) -> list[Row]:
    """The fields of a struct."""
    rows = [field_row(place) for place in struct.fields.values()]
    return rows + [(idle.doc, (idle.name, idle.go, '`json:"-"`')) for idle in struct.idle]


def flat_rows(flat: FlatView) -> list[Row]:
    """The fields of a flat struct: optional where not every variant has them."""

    def everywhere(name: str) -> bool:
        return all(name in leaf.shared for leaf in flat.leaves)

    return [
        (
            place.doc,
            (
                name,
                place.go,
                '`json:"-"`'
                if name in flat.hidden
                else json_tag(place.key, optional=place.optional or not everywhere(name)),
            ),
        )
        for name, place in flat.fields.items()
    ]


def raw_rows(union: UnionView) -> list[Row]:
    """The discriminators of a union."""
    return [(None, (name, go, json_tag(key, optional=go.startswith("*")))) for name, go, key in union.raw]


def variants(union: UnionView) -> str:
    """What values an interface can have."""
    return f"Its variants: {', '.join(f'*{go}' for go in (*(go for go, _ in union.cases), *union.unknowns))}."


def unknown_rows(unknown: UnknownView) -> list[Row]:
    """The discriminators of an Unknown."""
    return [(None, (name, "string")) for _, name in unknown.discriminators]


def enum_rows(enum: Enum, names: Names) -> list[Row]:
    """The constants of an enum."""
    go = "" if override(enum.about, "layout") == "string" else names.type(enum.name)
    return [
        (
            description(value.about),
            (names.value(enum, at), *([go] if go else []), f"= {literal(value.wire)}"),
        )
        for at, value in enumerate(enum.values)
    ]


def code_rows() -> str:
    """The constants of the codes."""
    return "\n".join(f"\t{line}" for line in aligned((code_name(code), "Code", f'= "{code}"') for code in CODES))


def code_name(code: str) -> str:
    """The constant of a code."""
    return f"Code{mixed(words(code))}"


def signature(view: ConstructorView) -> str:
    """The parameters of a constructor: neighbours of one type share it."""
    parts: list[str] = []
    for at, each in enumerate(view.parameters):
        following = view.parameters[at + 1].go if at + 1 < len(view.parameters) else None
        parts.append(each.name if following == each.go else f"{each.name} {each.go}")
    return ", ".join(parts)


def statements(steps: Iterable[Step]) -> list[str]:
    """Steps as lines."""
    return [line for step in steps for line in _statement(step)]


def _statement(step: Step) -> list[str]:
    match step.what:
        case "assign":
            return [f"{step.target} = {step.value}"]
        case "make":
            return [f"{step.target} = new({step.value})"]
        case "variant":
            return [f"{step.target} := new({step.value})"]
        case "empty":
            return [f"{step.target} = {step.value}{{}}"]
        case "bit":
            return [f"{step.target}.record.set({step.value})"]


def constructor_body(view: ConstructorView) -> list[str]:
    """The body of a constructor."""
    lines = [f"x := new({view.struct})", *statements(view.steps)]
    if not view.wrap:
        return [*lines, "return x"]
    return [*lines, f"v := new({view.result})", f"v.from{view.wrap}(x)", "return v"]


def request_body(view: ControlsView) -> list[str]:
    """What puts a request into its envelope."""
    return [f"x := new({view.envelope})", *statements(view.wrap_request), "return x"]


def response_body(view: ControlsView) -> list[str]:
    """What puts an answer into its envelope."""
    return [f"x := new({view.response_envelope})", *statements(view.wrap_response), "return x, nil"]


def unwrap_body(view: ControlsView) -> list[str]:
    """What takes a payload out of its envelope."""
    lines = ["var payload any"]
    selector = "response"
    for at, hop in enumerate(view.hops):
        selector = f"{selector}.{hop.name}"
        if hop.variants:
            rest = "".join(f".{each.name}" for each in view.hops[at + 1 :])
            lines.append(f"switch inner := any({selector}).(type) {{")
            for go in hop.variants:
                for case in (f"*{go}", go):
                    lines += [
                        f"case {case}:",
                        *(f"\t{line}" for line in _taken(f"inner{rest}", loose=view.hops[-1].loose)),
                    ]
            lines += ["default:", '\treturn r, errors.New("the response holds no answer")', "}"]
            return lines
    return [*lines, *_taken(selector, loose=view.hops[-1].loose)]


def _taken(selector: str, *, loose: bool) -> list[str]:
    """What takes a payload, and leaves none that is a nil map."""
    return [f"payload = {selector}"] if loose else [f"if {selector} != nil {{", f"\tpayload = {selector}", "}"]


def enum_cases(enum: Enum) -> str:
    """The values of an enum, each once."""
    return ", ".join(dict.fromkeys(literal(value.wire) for value in enum.values))


def tree(value: object) -> str:
    """A scalar as the validator's trees have it."""
    match value:
        case bool() | None:
            return literal(value)
        case str():
            return quoted(value)
        case _:
            return f"number({quoted(repr(value))})"


def flags(bits: int) -> str:
    """The flags of a field in the tables."""
    names = [name for at, name in enumerate(("required", "nullable", "flatten")) if bits >> at & 1]
    return " | ".join(names) or "0"
