"""Controls and tools → what ties a request to the type of its answer, and a tool's name to its types."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Ref, Struct, Type, Union
from polywire.model.walk import structs_of
from polywire.plan.rows import type_code
from polywire.targets.naming import identifier, pascal, words
from polywire.targets.rust.construct import Constructors, Made
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import quoted
from polywire.targets.rust.names import Names
from polywire.targets.rust.shapes import LARGEST, Shapes


@dataclass(frozen=True, slots=True)
class Pair:
    """A request and its answer."""

    request: str
    answer: str
    how: str
    """`none`, `one` or `option`."""
    code: object
    """The answer as the tables have it."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A step from an envelope to the payload: a field, and the variant that it has to hold for the next."""

    field: str
    variant: str | None
    optional: bool


@dataclass(frozen=True, slots=True)
class ControlsView:
    """How requests and responses find each other."""

    envelope: str
    response: str
    payload: str
    """The union of all requests."""
    wrap_request: tuple[Made, ...]
    wrap_response: tuple[Made, ...]
    hops: tuple[Hop, ...]
    result: str
    """The Rust type of an answer on the wire."""
    flat: bool
    """Whether its members stand beside others, so that one without members is as good as absent."""
    pointer: str
    pairs: tuple[Pair, ...]

    @property
    def fresh(self) -> bool:
        """Whether an envelope draws a UUID."""
        return any(made.fresh for made in (*self.wrap_request, *self.wrap_response))


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool."""

    variant: str
    type: str
    held: str
    boxed: bool
    condition: str
    code: object
    pattern: str
    doc: str
    deprecated: str | None


class Pairs:
    """The controls and tools of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes, constructors: Constructors) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes
        self._constructors = constructors

    # Controls.

    def controls(self) -> ControlsView | None:
        """The controls, if the protocol has any."""
        request, response = self._model.protocol.request, self._model.protocol.response
        if request is None or response is None or not self._model.controls:
            return None
        payload = self._at(request.struct, request.payload)
        result_hops, result = self._way(response.struct, response.payload)
        if payload is None or result is None:
            return None
        pairs = []
        for control in self._model.controls:
            name = self._names.type(control.request)
            if control.response is None:
                pairs.append(Pair(name, "()", "none", ""))
                continue
            type_ = self._shapes.of(control.response)
            code = type_code(self._model, control.response)
            if control.response_optional:
                pairs.append(Pair(name, f"Option<{type_}>", "option", code))
            else:
                pairs.append(Pair(name, type_, "one", code))
        result_type = self._shapes.of(result.type)
        return ControlsView(
            envelope=self._names.type(request.struct),
            response=self._names.type(response.struct),
            payload=self._shapes.of(payload.type),
            wrap_request=self._constructors.fill(
                self._model.struct(request.struct), {request.id: "id.into()", request.payload: "request.into()"}
            ),
            wrap_response=self._constructors.fill(
                self._model.struct(response.struct), {response.id: "id.into()", response.payload: "answer"}, "answer"
            ),
            hops=result_hops,
            result=result_type,
            flat=result.flatten,
            pointer="".join(f"/{key}" for key in response.payload),
            pairs=tuple(pairs),
        )

    def _at(self, struct: str, pointer: tuple[str, ...]) -> Field | None:
        """The field that a pointer leads to, one that is flattened counting as where its members are."""
        fields = self._model.struct(struct).wire_fields
        flat = next((each for each in fields if each.flatten), None)
        if not pointer:
            return flat
        return next((each for each in fields if each.name == pointer[0]), flat)

    def _way(self, struct: str, pointer: tuple[str, ...]) -> tuple[tuple[Hop, ...], Field | None]:
        """The fields along a pointer, and on through what is flattened, and the last of them.

        One that is flattened is passed without a key.
        """
        hops: list[Hop] = []
        here, left = self._model.struct(struct), list(pointer)
        while True:
            found = _step(here, left[0] if left else None)
            if found is None:
                return (), None
            if not found.flatten:
                left.pop(0)
            inner = self._entered(found.type, left[0] if left else None)
            optional = self._shapes.presence(found) != "required"
            hops.append(Hop(self._names.field(found), inner and inner[0], optional))
            if inner is None:
                return (tuple(hops), found) if not left else ((), None)
            here = inner[1]

    def _entered(self, type_: Type, key: str | None) -> tuple[str | None, Struct] | None:
        """Through a type to the struct behind it that a pointer leads on in, with the variant that it is."""
        declared = self._model.declarations[type_.name] if isinstance(type_, Ref) else None
        match declared:
            case Struct() if _step(declared, key) is not None:
                return None, declared
            case Union(dispatch=dispatch):
                for each in map(self._model.struct, structs_of(dispatch)):
                    if _step(each, key) is not None:
                        return f"{self._names.type(declared.name)}::{self._names.variant(declared, each.name)}", each
        return None

    # Tools.

    def tools(self) -> dict[str, list[ToolView]]:
        """Inputs and outputs of tools, exact names before patterns."""
        ordered = sorted(self._model.tools, key=lambda tool: "*" in tool.pattern)
        found: dict[str, list[ToolView]] = {"Input": [], "Output": []}
        for tool in ordered:
            for kind, type_ in (("Input", tool.input), ("Output", tool.output)):
                if type_ is None:
                    continue
                rust = self._shapes.of(type_)
                boxed = self._shapes.size(type_) > LARGEST
                named = quoted(tool.pattern)
                condition = f"glob({named}, name)" if "*" in tool.pattern else f"name == {named}"
                found[kind].append(
                    ToolView(
                        variant=identifier(pascal(words(tool.pattern)), (), "Tool"),
                        type=rust,
                        held=f"Box<{rust}>" if boxed else rust,
                        boxed=boxed,
                        condition=condition,
                        code=type_code(self._model, type_),
                        pattern=tool.pattern,
                        doc=documentation(tool.about, f"What `{tool.pattern}` takes or gives."),
                        deprecated=tool.about.deprecated,
                    )
                )
        return found


def _step(struct: Struct, key: str | None) -> Field | None:
    """The field of a key, or the one that is flattened, in which the key may be, or which is the end of a pointer."""
    own = next((each for each in struct.wire_fields if each.name == key and not each.flatten), None)
    return own or next((each for each in struct.wire_fields if each.flatten), None)
