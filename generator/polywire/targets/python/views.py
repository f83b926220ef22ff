"""The plan → what each template of the package sees: one class a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from polywire.plan import Plan
from polywire.targets.python import layout, source
from polywire.targets.python.classes import (
    AliasView,
    ClassView,
    EnumView,
    UnknownView,
    alias_view,
    class_view,
    enum_view,
    unknown_views,
)
from polywire.targets.python.codec import StructView, UnionView, struct_view, union_view
from polywire.targets.python.construct import ConstructorView, Node, constructor_view
from polywire.targets.python.names import API, CONTROL_API, Names
from polywire.targets.python.pairs import ControlsView, ToolsView, controls_view, tools_view
from polywire.targets.python.shapes import Shape, Shapes
from polywire.targets.python.statements import Codecs, Function, values_name
from polywire.targets.release import Release, release_view


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What every template may call to lay text out."""

    docstring: Callable[[str, int], str] = layout.docstring
    literal: Callable[..., str] = layout.literal
    quoted: Callable[[str], str] = layout.quoted
    assign_dict: Callable[..., str] = source.assign_dict
    assign_list: Callable[[str, Iterable[str]], str] = source.assign_list
    constructor_head: Callable[[ConstructorView], str] = source.constructor_head
    expression: Callable[[Node, int, int], str] = source.expression


@dataclass(frozen=True, slots=True)
class AboutView(View):
    """The package as its README and its manifest describe it."""

    module: str
    distribution: str
    title: str
    heading: str
    version: str
    release: Release
    root: str
    root_unknown: str | None
    constructors: tuple[tuple[str, str], ...]
    """Call and summary."""
    answers: tuple[tuple[str, str], ...]
    """Request and type of its answer, as cells of a table."""
    tool_inputs: tuple[str, ...]
    messages: tuple[tuple[str, str], ...]
    """Name and summary."""
    typed_dicts: str | None
    pydantic: str | None
    width: int = layout.WIDTH


@dataclass(frozen=True, slots=True)
class InitView(View):
    """`__init__.py`."""

    doc: str
    constructors: str | None
    """The import of the constructors."""
    types: str | None
    lazy_types: str | None
    lazy: frozenset[str]
    """The aliases of enums, which take an import of typing."""
    has_controls: bool
    package_version: str
    protocol_version: str
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InitStubView(View):
    """`__init__.pyi`."""

    doc: str
    has_literals: bool
    constructors: tuple[str, ...]
    types: tuple[str, ...]
    exports: tuple[str, ...]
    root: str
    inits: tuple[str, ...]
    """The overloads of a line decoder's `__init__`: the root, a class, anything; so for the next two."""
    reads: tuple[str, ...]
    areads: tuple[str, ...]
    decode_responses: tuple[str, ...]
    """The last for any request."""
    request: str | None
    reply: str | None
    tools: tuple[tuple[str, tuple[str, ...]], ...]
    """`input` and `output` with their overloads."""


@dataclass(frozen=True, slots=True)
class ModelView(View):
    """`model.py` and `model.pyi`."""

    base: str
    stub_typing: str
    stub_base: str | None
    callbacks: bool
    types: tuple[str, ...]
    enums: tuple[EnumView, ...]
    classes: tuple[ClassView, ...]
    unknowns: tuple[UnknownView, ...]
    unions: tuple[AliasView, ...]
    aliases: tuple[AliasView, ...]
    enum_table: dict[str, object]


@dataclass(frozen=True, slots=True)
class ConstructView(View):
    """`_construct.py`."""

    exports: tuple[str, ...]
    constructors: tuple[ConstructorView, ...]
    has_unset: bool
    has_fresh: bool
    has_any: bool
    types: str | None
    """The import of the types that annotations name."""


@dataclass(frozen=True, slots=True)
class CodecView(View):
    """`_codec.py`."""

    support: str | None
    """The import of what the functions use."""
    classes: str | None
    value_sets: tuple[str, ...]
    """Assignments, as the keys below."""
    keys: tuple[str, ...]
    blanks: tuple[str, ...]
    readers: tuple[Function, ...]
    tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Dispatch by discriminator."""
    writers: tuple[Function, ...]
    encoders_of_unions: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Union and the encoders of its classes."""
    structs: tuple[tuple[str, str], ...]
    aliases: dict[str, object]
    decoders: tuple[tuple[str, str], ...]
    claimed: dict[str, object]
    root: str
    root_key: str
    root_table: str


@dataclass(frozen=True, slots=True)
class PairsView(View):
    """`_pairs.py`."""

    exports: tuple[str, ...]
    controls: ControlsView | None
    inputs: ToolsView
    outputs: ToolsView


@dataclass(frozen=True, slots=True)
class Table:
    """One table of `_plan.py`."""

    name: str
    doc: str
    assignment: str


@dataclass(frozen=True, slots=True)
class PlanView(View):
    """`_plan.py`."""

    tables: tuple[Table, ...]


class Views:
    """The views of one plan, made of the same parts."""

    def __init__(self, plan: Plan) -> None:
        model = plan.model
        self._plan = plan
        self._model = model
        self._names = Names(model)
        self._shapes = Shapes(plan, self._names)
        self._structs = [struct_view(each, self._names, self._shapes) for each in plan.structs.values()]
        self._unions = [union_view(each, model, self._names) for each in plan.unions.values()]
        self._enums = tuple(enum_view(enum, self._names) for enum in model.enums)
        self._aliases = tuple(alias_view(alias, self._names, self._shapes) for alias in model.aliases)
        self._unknowns = unknown_views(plan, self._names)
        self._classes = {struct.name: class_view(struct, self._names, self._shapes) for struct in model.structs}
        self._constructors = tuple(
            constructor_view(each, plan, self._names, self._shapes) for each in plan.constructors
        )
        self._helpers = tuple(self._shapes.helpers.values())
        self._controls = controls_view(plan, self._names, self._shapes)
        self._tools = tools_view(plan, self._shapes)
        self._release = release_view(model.protocol, layout.ESCAPED)
        self._root = self._names.type(plan.root)

    @property
    def module(self) -> str:
        """The name of the package."""
        return module_of(self._plan)

    # Names.

    @property
    def _types(self) -> list[str]:
        """What the module of types declares, in the order of an import."""
        declared = (
            *(struct.name for struct in self._structs),
            *(union.name for union in self._unions),
            *(alias.name for alias in self._aliases),
            *(unknown.name for unknown in self._unknowns),
            *(enum.values_name for enum in self._enums),
        )
        return sorted(declared, key=layout.import_order)

    @property
    def _lazy(self) -> list[str]:
        return sorted((enum.name for enum in self._enums), key=layout.import_order)

    @property
    def _exports(self) -> tuple[str, ...]:
        api = [name for name in API if self._controls is not None or name not in CONTROL_API]
        return (*self._types, *self._lazy, *(each.name for each in self._constructors), *api)

    @property
    def _title(self) -> str:
        protocol = self._model.protocol
        return f"{protocol.title}, version {protocol.version}: types, codecs, readers and writers."

    # Files.

    def about(self) -> AboutView:
        """The README and the manifest."""
        protocol, package = self._model.protocol, self._model.packages.get("python", {})
        root = self._plan.root_union
        return AboutView(
            module=self.module,
            distribution=package.get("distribution") or self.module,
            title=protocol.title,
            heading=layout.markdown(protocol.title),
            version=layout.markdown(protocol.version),
            release=self._release,
            root=self._root,
            root_unknown=self._names.unknown(root.union) if root is not None and root.union.open else None,
            constructors=tuple(_constructor_line(each) for each in self._constructors),
            answers=tuple(
                (pair.request, pair.annotation.replace("|", "\\|"))
                for pair in (self._controls.pairs if self._controls else ())
            ),
            tool_inputs=tuple(annotation for _, annotation in self._tools["input"].typed),
            messages=tuple(
                (each.name, _summary(each.doc)) for each in map(self._classes.__getitem__, self._plan.root_structs)
            ),
            typed_dicts=package.get("typed_dicts"),
            pydantic=package.get("pydantic"),
        )

    def init(self) -> InitView:
        """`__init__.py`."""
        made = sorted((each.name for each in self._constructors), key=layout.import_order)
        types, lazy = self._types, self._lazy
        return InitView(
            doc=self._title,
            constructors=layout.import_list("._construct", made) if made else None,
            types=layout.import_list(".model", types) if types else None,
            lazy_types=layout.import_list(".model", lazy, 4) if lazy else None,
            lazy=frozenset(lazy),
            has_controls=self._controls is not None,
            package_version=self._release.package_version,
            protocol_version=self._model.protocol.version,
            exports=self._exports,
        )

    def init_stub(self) -> InitStubView:
        """`__init__.pyi`."""
        controls, root = self._controls, self._root
        return InitStubView(
            doc=self._title,
            has_literals=any(tools.typed for tools in self._tools.values()),
            constructors=tuple(sorted((each.name for each in self._constructors), key=layout.import_order)),
            types=tuple(sorted([*self._types, *self._lazy], key=layout.import_order)),
            exports=self._exports,
            root=root,
            inits=_line_decoder_inits(root),
            reads=_readers("def read(", "stream: _Readable", "Iterator", root),
            areads=_readers("def aread(", "stream: _AsyncReadable", "AsyncIterator", root),
            decode_responses=_decode_responses(controls) if controls else (),
            request=_request(controls) if controls else None,
            reply=_reply(controls) if controls else None,
            tools=tuple((kind, _tool_overloads(kind, tools)) for kind, tools in self._tools.items()),
        )

    def model(self) -> ModelView:
        """`model.py` and `model.pyi`."""
        classes, enums = tuple(self._classes.values()), self._enums
        attributes = [attribute for each in classes for attribute in each.attributes]
        constants = [constant for each in classes for constant in each.constants]
        unset = any(attribute.default == "UNSET" for attribute in attributes)
        literals = any(each.has_literal for each in constants) or any(each.has_literal for each in attributes)
        unions = tuple(_union_alias(union) for union in self._unions)
        typing = {
            "Any": True,
            "ClassVar": bool(constants),
            "Final": bool(enums),
            "Literal": bool(enums) or literals,
            "TypeAlias": bool(enums or unions or self._aliases),
        }
        base = {
            "UNSET": unset,
            "EnumValues": bool(enums),
            "Record": True,
            "Unset": unset,
            "factory": True,
            "share_extra": True,
        }
        stub_base = [name for name in ("EnumValues", "Unset") if base[name]]
        return ModelView(
            base=layout.import_list("._base", [name for name, used in base.items() if used]),
            stub_typing=layout.import_list("typing", [name for name, used in typing.items() if used]),
            stub_base=layout.import_list("._base", stub_base) if stub_base else None,
            callbacks=any(field.callback for struct in self._model.structs for field in struct.fields),
            types=tuple(self._types),
            enums=enums,
            classes=classes,
            unknowns=tuple(self._unknowns),
            unions=unions,
            aliases=self._aliases,
            enum_table={enum.name: (enum.values_name, enum.open) for enum in enums},
        )

    def construct(self) -> ConstructView:
        """`_construct.py`."""
        named = {name for view in self._constructors for each in view.parameters for name in each.mentions}
        types = sorted(named - {"Any"}, key=layout.import_order)
        return ConstructView(
            exports=tuple(each.name for each in self._constructors),
            constructors=self._constructors,
            has_unset=any(each.default == "UNSET" for view in self._constructors for each in view.parameters),
            has_fresh=any(view.draws_uuid for view in self._constructors),
            has_any="Any" in named,
            types=layout.import_list(".model", types, 4) if types else None,
        )

    def codec(self) -> CodecView:
        """`_codec.py`."""
        codecs, structs, unions = Codecs(), self._structs, self._unions
        readers = tuple(_readers_of(codecs, structs, self._helpers, unions))
        writers = tuple(_writers_of(codecs, structs, self._helpers, unions))
        fast = [each.name for each in structs if not each.slow]
        uses = {*codecs.uses, *(["blanks"] if fast else [])}
        names = [*(each.name for each in structs), *(each.name for each in self._unknowns)]
        classes = sorted(names, key=layout.import_order)
        key = self._plan.root_union.table_key if self._plan.root_union is not None else None
        return CodecView(
            support=layout.import_list("._support", sorted(uses, key=layout.import_order)) if uses else None,
            classes=layout.import_list(".model", classes) if classes else None,
            value_sets=tuple(source.assign(*each) for each in _value_sets(structs, self._helpers).items()),
            keys=tuple(
                source.assign(f"KEYS_{each.name}", each.keys)
                for each in structs
                if not each.slow and not each.typed_extra
            ),
            blanks=tuple(fast),
            readers=readers,
            tables=tuple(
                (each.name, each.cases)
                for union in unions
                for each in union.choosers
                if (each.cases or each.simple) and not each.booleans
            ),
            writers=writers,
            encoders_of_unions=tuple((union.name, _encoders_of(union)) for union in unions),
            structs=tuple((each.name, layout.quoted(each.spec_name)) for each in structs),
            aliases={
                **{each.name: each.spec_name for each in unions},
                **{each.name: each.spec_name for each in self._aliases},
                **{each.name: each.spec_name for each in self._enums},
            },
            decoders=tuple(_decoders_of(structs, unions)),
            claimed={
                each.name: attrs for each in structs if (attrs := tuple(m.attr for m in each.members if m.claimed))
            },
            root=self._plan.root,
            root_key=layout.scalar(key),
            root_table="{}" if key is None else f"DECODE_{self._root}",
        )

    def pairs(self) -> PairsView:
        """`_pairs.py`."""
        controls = self._controls
        exports = _TOOL_TABLES if controls is None else _TOOL_TABLES + _CONTROL_TABLES
        return PairsView(exports, controls, self._tools["input"], self._tools["output"])

    def plan(self) -> PlanView:
        """`_plan.py`."""
        return PlanView(_tables(self._plan, self._names, self._structs))


_TOOL_TABLES = ("INPUTS", "INPUT_PATTERNS", "OUTPUTS", "OUTPUT_PATTERNS")
_CONTROL_TABLES = (
    *("PAYLOAD", "REQUEST_ENVELOPE", "REQUEST_ID", "RESPONSES", "RESULT", "RESULT_FLAT", "RESULT_POINTER", "TYPES"),
    *("request_envelope", "response_envelope"),
)
"""What `_pairs.py` has for the runtime."""


def module_of(plan: Plan) -> str:
    """The name of the package."""
    return plan.model.packages.get("python", {}).get("module") or plan.model.protocol.name


def _summary(doc: str) -> str:
    return layout.markdown(doc.strip().split("\n")[0])


def _constructor_line(view: ConstructorView) -> tuple[str, str]:
    return f"{view.name}({', '.join(each.name for each in view.parameters)})", _summary(view.doc)


def _union_alias(union: UnionView) -> AliasView:
    members = list(union.members)
    annotation = layout.joined(members, f"{union.name}: TypeAlias = ", 0)
    return AliasView(union.name, union.spec_name, union.doc, annotation, layout.joined(members, f"{union.name} = ", 0))


# --- signatures of the stub ------------------------------------------------------------------------------------

_BY_TYPE = ("type: None = None", "type: type[_T]", "type: object")
"""The ways to say what is read, as parameters: the root, a class, anything."""

_OPTIONS = ("*", "strict: bool = False", "limit: int = 67108864")


def _line_decoder_inits(root: str) -> tuple[str, ...]:
    owners = (f"self: LineDecoder[{item}]" for item in (root, "_T", "Any"))
    return tuple(
        source.signature("def __init__(", [owner, type_, *_OPTIONS], ") -> None: ...", 4)
        for owner, type_ in zip(owners, _BY_TYPE, strict=True)
    )


def _readers(head: str, stream: str, iterator: str, root: str) -> tuple[str, ...]:
    """The overloads of a reader, the first to be followed by its documentation."""
    ends = (f"{iterator}[{root} | BadLine]:", f"{iterator}[_T | BadLine]: ...", f"{iterator}[Any]: ...")
    return tuple(
        source.signature(head, [stream, type_, *_OPTIONS], f") -> {end}", 0)
        for type_, end in zip(_BY_TYPE, ends, strict=True)
    )


def _decode_responses(controls: ControlsView) -> tuple[str, ...]:
    """The overloads of `decode_response`, the last, for any request, to be followed by its documentation."""
    ends = [(pair.request, f"{pair.annotation}: ...") for pair in controls.pairs] + [(controls.envelope, "Any:")]
    options = [f"response: {controls.response_envelope}", "*", "strict: bool = False"]
    return tuple(
        source.signature("def decode_response(", [f"request: {request}", *options], f") -> {end}", 0)
        for request, end in ends
    )


def _request(controls: ControlsView) -> str:
    parameters = [f"payload: {controls.payload_type}", "request_id: str | None = None"]
    return source.signature("def request(", parameters, f") -> {controls.envelope}:", 0)


def _reply(controls: ControlsView) -> str:
    parameters = [f"request: {controls.envelope}", "result: object = None"]
    return source.signature("def reply(", parameters, f") -> {controls.response_envelope}:", 0)


def _tool_overloads(kind: str, tools: ToolsView) -> tuple[str, ...]:
    """The overloads of `tool_input` or `tool_output`, but for the last."""
    options = [f"{kind}: object", "*", "strict: bool = False"]
    return tuple(
        source.signature(
            f"def tool_{kind}(", [f"name: Literal[{layout.quoted(name)}]", *options], f") -> {annotation}: ...", 0
        )
        for name, annotation in tools.typed
    )


# --- codecs ----------------------------------------------------------------------------------------------------


def _readers_of(
    codecs: Codecs, structs: Iterable[StructView], helpers: Iterable[Shape], unions: Iterable[UnionView]
) -> Iterator[Function]:
    for struct in structs:
        yield codecs.decoder(struct)
        if struct.tagged:
            yield codecs.tagged(struct)
    yield from (codecs.composite_decoder(helper) for helper in helpers if helper.helper)
    yield from (codecs.chooser(chooser) for union in unions for chooser in union.choosers)


def _writers_of(
    codecs: Codecs, structs: Iterable[StructView], helpers: Iterable[Shape], unions: Iterable[UnionView]
) -> Iterator[Function]:
    yield from map(codecs.encoder, structs)
    yield from map(codecs.composite_encoder, helpers)
    yield from (codecs.unknown_encoder(union) for union in unions if union.unknowns)


def _decoders_of(structs: Iterable[StructView], unions: Iterable[UnionView]) -> Iterator[tuple[str, str]]:
    for struct in structs:
        yield layout.quoted(struct.spec_name), f"{'tagged' if struct.tagged else 'decode'}_{struct.name}"
    for union in unions:
        yield layout.quoted(union.spec_name), f"choose_{union.name}"


def _encoders_of(union: UnionView) -> tuple[tuple[str, str], ...]:
    return (
        *((name, f"encode_{name}") for name in union.leaves),
        *((name, f"encode_{union.name}_unknown") for name in union.unknowns),
    )


def _value_sets(structs: Iterable[StructView], helpers: Iterable[Shape]) -> dict[str, frozenset[str | int]]:
    """The sets of values that the codecs look into, by name."""
    found: dict[str, frozenset[str | int]] = {}
    pending = [member.shape for struct in structs for member in struct.members] + list(helpers)
    while pending:
        shape = pending.pop(0)
        if shape.values:
            found[values_name(shape)] = frozenset(shape.values)
        pending[:0] = [*shape.members, *([shape.item] if shape.item else [])]
    return found


# --- tables of the slow pass -----------------------------------------------------------------------------------


def _tables(plan: Plan, names: Names, structs: Iterable[StructView]) -> tuple[Table, ...]:
    """What the slow pass knows."""
    model = plan.model
    fields = {
        view.spec_name: (
            view.name,
            tuple((m.key, m.attr, not m.required and m.nullable) for m in view.members if m.constant is None),
        )
        for view in structs
    }
    constants = {view.spec_name: {m.key: m.constant for m in view.constants} for view in structs if view.constants}
    required = {view.spec_name: tuple(m.key for m in view.required) for view in structs if view.required}
    flat = {struct.name: field.name for struct in model.structs for field in struct.fields if field.flatten}
    idle = {view.spec_name: view.idle for view in structs if view.idle}
    unknowns = {union.unknown: names.unknown(union) for union in model.unions if union.open}
    sharing: dict[str, tuple[str, ...]] = {}
    for union in sorted(model.unions, key=lambda union: union.name not in model.protocol.roots):
        if union.open:
            sharing[names.unknown(union)] = (*sharing.get(names.unknown(union), ()), union.name)
    return (
        _table("PLAN", "dict[str, tuple[Any, ...]]", "Declared name → row, as `_engine` describes it.", plan.rows),
        _table(
            "STRUCTS",
            "dict[str, tuple[str, tuple[tuple[str, str, bool], ...]]]",
            "Declared name → class, and the key and attribute of each field, with whether it has three states.",
            fields,
        ),
        _table("CONSTANTS", "dict[str, dict[str, Any]]", "Declared name → tags and constants.", constants),
        _table("REQUIRED", "dict[str, tuple[str, ...]]", "Declared name → keys that are always there.", required),
        _table("FLAT", "dict[str, str]", "Declared name → the field whose members stand in the object itself.", flat),
        _table("IDLE", "dict[str, tuple[str, ...]]", "Declared name → attributes that never travel.", idle),
        _table("UNKNOWNS", "dict[str, str]", "Name of an Unknown → its class.", unknowns),
        _table(
            "UNKNOWN_UNIONS",
            "dict[str, tuple[str, ...]]",
            "Class of an Unknown → the unions it belongs to, roots first.",
            sharing,
        ),
    )


def _table(name: str, annotation: str, doc: str, value: object) -> Table:
    head = f"{name}: {annotation} = "
    return Table(name, doc, head + layout.literal(value, 0, len(head)))
