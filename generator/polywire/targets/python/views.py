"""The plan → the input of each template of the package: one class for each template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polywire.model.graphs import max_depths
from polywire.model.nodes import Field
from polywire.plan import Plan
from polywire.plan.controls import FieldPath
from polywire.plan.launch import FunctionPlan
from polywire.plan.shared import shared_structs
from polywire.plan.tables import document, pieces_of
from polywire.targets.common.base import add_on_suffix
from polywire.targets.common.naming import snake
from polywire.targets.common.readme import Readme, readme
from polywire.targets.common.release import Release, release_view
from polywire.targets.python import layout, source
from polywire.targets.python.annotations import Annotations
from polywire.targets.python.classes import (
    AliasView,
    ClassView,
    EnumView,
    SharedView,
    UnknownView,
    alias_view,
    class_view,
    enum_view,
    shared_view,
    union_alias,
    unknown_views,
)
from polywire.targets.python.construct import ConstructorView, Node, Nodes, constructor_view
from polywire.targets.python.flavours import FLAVOURS, requested
from polywire.targets.python.names import UNKNOWNS, VOCABULARY, Names, module_name
from polywire.targets.python.pairs import ControlsView, ToolsView, controls_view, tools_view
from polywire.targets.python.table import LAYOUT, Rows

TYPED_LEVELS = 64
"""The maximum depth of types; documents of deeper types are measured, like those of recursive types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The formatting functions that every template may call."""

    docstring: Callable[[str, int], str] = layout.docstring
    quoted: Callable[[str], str] = layout.quoted
    annotated: Callable[[str, Sequence[str], str, int], str] = source.annotated
    assign: Callable[[str, object], str] = source.assign
    assign_dict: Callable[[str, Mapping[Any, object]], str] = source.assign_dict
    assign_list: Callable[[str, Iterable[str]], str] = source.assign_list
    assign_row: Callable[[str, list[str]], str] = source.assign_row
    comma_list: Callable[[str, list[str], str, int], str] = layout.comma_list
    constructor_head: Callable[[str, ConstructorView], str] = source.constructor_head
    expression: Callable[[Node, int, int], str] = source.expression
    getter: Callable[[str, Sequence[str], str, int], str] = layout.getter
    signature: Callable[[str, Sequence[str], str, int], str] = source.signature


_EXTRAS: Mapping[str, list[str]] = {"fast": ["orjson>=3.9"], "native": ["polywire-native>=0.1"]}
_ARROW: Mapping[str, list[str]] = {"arrow": ["pyarrow>=14"]}
"""What tables need."""


@dataclass(frozen=True, slots=True)
class FlavourView:
    """What the README of a flavour says besides what is the same for all packages."""

    key: str
    schema: str
    doc: str
    root: str


@dataclass(frozen=True, slots=True)
class AboutView(View):
    """The package, for its README and its manifest."""

    module: str
    distribution: str
    title: str
    release: Release
    readme: Readme
    root_unknown: str | None
    request_envelope: str | None
    response_envelope: str | None
    error_envelope: str | None
    peer: str
    codes: bool
    """Whether a refusal may have a code and data."""
    tool_inputs: tuple[str, ...]
    payload: str
    """The type of the payloads of requests."""
    shared: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]
    """Each table with its summary."""
    flavours: tuple[tuple[str, str], ...]
    """The distribution and the contents of each flavour."""
    dependencies: list[str]
    extras: dict[str, list[str]]
    flavour: FlavourView | None = None
    """If the package is one."""
    width: int = layout.WIDTH


@dataclass(frozen=True, slots=True)
class InitView(View):
    """The input for `__init__.py`."""

    doc: str
    imports: tuple[str, ...]
    """The imports from each module, for type checkers."""
    package_version: str
    protocol_oldest: str
    protocol_newest: str
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AreaView(View):
    """The module of the declarations in one part of the spec."""

    doc: str
    base: str | None
    """The import of the base classes."""
    typing: str | None
    collections: str | None
    imports: tuple[str, ...]
    """The imports of other areas, for type checkers."""
    exports: tuple[str, ...]
    enums: tuple[EnumView, ...]
    classes: tuple[ClassView, ...]
    unknowns: tuple[UnknownView, ...]
    shared: tuple[SharedView, ...]
    aliases: tuple[AliasView, ...]


@dataclass(frozen=True, slots=True)
class ConstructView(View):
    """The input for `_construct.py`."""

    exports: tuple[str, ...]
    constructors: tuple[ConstructorView, ...]
    base: str | None
    wire: str | None
    classes: tuple[str, ...]
    """The imports of the classes of new objects."""
    types: tuple[str, ...]
    """The imports of the types that occur only in annotations."""
    typing: str | None


@dataclass(frozen=True, slots=True)
class TableView(View):
    """The input for `_table.py`."""

    root: str
    root_import: str
    layout: int
    rows: tuple[tuple[str, list[str]], ...]
    areas: dict[str, object]
    names: dict[str, object]
    recursive: frozenset[str]
    levels: int
    unknowns: dict[str, object]


@dataclass(frozen=True, slots=True)
class LaunchesView(View):
    """The input for `_launches.py`."""

    imports: tuple[str, ...]
    tables: tuple[tuple[str, list[str]], ...]
    functions: dict[str, object]
    options: str
    """The type of the options."""


@dataclass(frozen=True, slots=True)
class DescriptionView(View):
    """The input for `_description.py`."""

    distribution: str
    parts: tuple[tuple[str, list[str]], ...]
    """The members of the description, each with its JSON text in pieces."""


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree of entries."""

    name: str
    doc: str
    entry: str
    """The type variable of its entries, whose default is the type of `lines`."""
    lines: str
    ids: dict[str, object]


@dataclass(frozen=True, slots=True)
class TreesView(View):
    """The input for `_trees.py`."""

    imports: tuple[str, ...]
    exports: tuple[str, ...]
    trees: tuple[TreeView, ...]


@dataclass(frozen=True, slots=True)
class PairsView(View):
    """The input for `_pairs.py`."""

    exports: tuple[str, ...]
    typing: str | None
    extensions: str | None
    imports: tuple[str, ...]
    """The imports of the types in signatures, for type checkers."""
    aliases: tuple[str, ...]
    """The types in signatures."""
    controls: ControlsView | None
    has_processes: bool
    has_tools: bool
    inputs: ToolsView
    outputs: ToolsView


@dataclass(frozen=True, slots=True)
class TypedView(View):
    """The input for `_typed.py`."""

    exports: tuple[str, ...]
    typing: str
    extensions: str | None
    imports: tuple[str, ...]
    decode_responses: tuple[str, ...]
    """The overloads, the last one for any request."""
    sent: tuple[str, ...]
    """For each peer, the alias of the requests that it sends."""
    inits: tuple[str, ...]
    """For each peer, the overload that creates a session, if there are several."""
    init: str
    processes: tuple[ProcessView, ...]
    tools: tuple[tuple[str, tuple[str, ...]], ...]
    """`input` and `output` with their overloads."""


@dataclass(frozen=True, slots=True)
class ProcessView:
    """The overloads of the requests of an asynchronous or a threaded process."""

    name: str
    requests: tuple[str, ...]
    request: str


class Views:
    """Builds the views of a plan from shared parts."""

    def __init__(self, plan: Plan) -> None:
        model = plan.model
        self._plan = plan
        self._model = model
        self._module = module_name(plan.model)
        self._names = names = Names(model)
        self._annotations = annotations = Annotations(model, names)
        self._enums = tuple(enum_view(enum, names) for enum in model.enums)
        self._aliases = (
            *(union_alias(each, names) for each in plan.unions.values()),
            *(alias_view(alias, plan, names, annotations) for alias in model.aliases),
        )
        self._unknowns = unknown_views(plan, names, self._annotations)
        self._shared = tuple(shared_view(struct, plan, names, annotations) for struct in shared_structs(model))
        self._classes = {struct.name: class_view(struct, names, annotations) for struct in model.structs}
        nodes = Nodes(plan, names)
        self._constructors = tuple(
            constructor_view(each, plan, names, annotations, nodes) for each in plan.constructors
        )
        self._controls = controls_view(plan, names, annotations)
        self._has_processes = self._controls is not None and bool(plan.launches)
        self._tools = tools_view(plan, names, annotations)
        self._distribution = model.packages.get("python", {}).get("distribution") or self._module
        self._release = release_view(model, "python", self._distribution, layout.ESCAPED)
        self._root = names.type(plan.root)
        self._areas = self._areas_by_name()

    # Names.

    def _areas_by_name(self) -> dict[str, str]:
        """Name → module, for all declarations of the spec."""
        found: dict[str, str] = {}
        for enum in self._enums:
            found |= dict.fromkeys((enum.name, enum.known, enum.values_name), enum.area)
        named: Iterable[ClassView | AliasView | SharedView] = (*self._classes.values(), *self._aliases, *self._shared)
        found |= {each.name: each.area for each in named}
        return found | dict.fromkeys((each.name for each in self._unknowns), UNKNOWNS)

    @property
    def _modules(self) -> dict[str, str]:
        """Name → module, for everything that the package exports."""
        made = dict.fromkeys((each.name for each in self._constructors), "_construct")
        made |= dict.fromkeys((self._names.tree(each.tree) for each in self._plan.trees), "_trees")
        return self._areas | made | VOCABULARY.exports_of(self._plan.features)

    def _typed(self, alias: str) -> str | None:
        """A type in the signatures of sessions."""
        return None if self._controls is None else self._controls.type(alias)

    def _has(self, form: str) -> bool:
        """Whether the protocol has messages of a form."""
        return self._controls is not None and self._controls.table[form] is not None

    def _imports(self, named: Iterable[str], home: str = "") -> tuple[str, ...]:
        """The imports of declared names, except those of the area itself."""
        return _imports({name: self._areas[name] for name in named if self._areas.get(name, home) != home}, 4)

    # Files.

    def areas(self) -> Mapping[str, AreaView]:
        """The modules of the types, by name."""
        return {area: self._area(area) for area in dict.fromkeys(self._areas.values())}

    def _area(self, area: str) -> AreaView:
        classes = tuple(each for each in self._classes.values() if each.area == area)
        enums = tuple(each for each in self._enums if each.area == area)
        aliases = tuple(each for each in self._aliases if each.area == area)
        shared = tuple(each for each in self._shared if each.area == area)
        unknowns = self._unknowns if area == UNKNOWNS else ()
        records: Iterable[ClassView | SharedView] = (*classes, *shared)
        attributes = [attribute for each in records for attribute in each.attributes]
        attributes += [attribute for each in classes for attribute in each.made_of]
        constants = [constant for each in classes for constant in each.constants]
        mentions = frozenset[str]().union(
            *(each.mentions for each in constants),
            *(each.mentions for each in attributes),
            *(each.mentions for each in aliases),
            *(view.member.mentions for each in unknowns for view in each.views),
        )
        typing = {
            "Any": "Any" in mentions
            or any(each.discriminators for each in unknowns)
            or any(each.made_of for each in classes),
            "ClassVar": bool(constants),
            "Final": bool(enums),
            "Literal": bool(enums) or "Literal" in mentions,
            "Protocol": bool(shared),
            "TypeAlias": bool(enums or aliases),
            "runtime_checkable": bool(shared),
        }
        base = {
            "UNSET": any(each.default == "UNSET" for each in attributes),
            "EnumValues": bool(enums),
            "Record": bool(classes),
            "Shared": bool(shared),
            "Unknown": any("Unknown" in each.bases for each in unknowns),
        }
        of_checkers = {
            "UnknownInteger": any(each.open and each.unknown == "UnknownInteger" for each in enums),
            "UnknownText": any(each.open and each.unknown == "UnknownText" for each in enums),
            "Unset": any("Unset" in each.types for each in attributes),
        }
        return AreaView(
            doc=_AREA_DOC if area != UNKNOWNS else _UNKNOWNS_DOC,
            base=_import("._base", base, 0),
            typing=_import("typing", typing, 4),
            collections=_import("collections.abc", {each: each in mentions for each in _COLLECTIONS}, 4),
            imports=(
                *filter(None, [_import("._base", of_checkers, 4)]),
                *self._imports(mentions - {"Any", *_COLLECTIONS, "Literal"}, area),
            ),
            exports=tuple(name for name, home in self._areas.items() if home == area),
            enums=enums,
            classes=classes,
            unknowns=unknowns,
            shared=shared,
            aliases=aliases,
        )

    def about(self) -> AboutView:
        """The input for the README and the manifest."""
        protocol = self._model.protocol
        root = self._plan.root_union
        return AboutView(
            module=self._module,
            distribution=self._distribution,
            title=protocol.title,
            release=self._release,
            readme=self._readme(),
            root_unknown=self._names.unknown(root.union) if root is not None and root.union.open else None,
            request_envelope=self._typed("TypedRequestEnvelope"),
            response_envelope=self._typed("TypedResponseEnvelope"),
            error_envelope=self._typed("TypedErrorEnvelope") if self._has("error") else None,
            peer=protocol.peers[-1],
            codes=self._typed("TypedCode") == "int | str | None" and self._typed("TypedData") == "Any",
            tool_inputs=tuple(annotation for _, annotation in self._tools["input"].typed),
            payload=self._typed("TypedRequest") or "",
            shared=tuple(each.name for each in self._shared),
            tables=tuple((each.name, _summary(each.table.about.doc)) for each in self._plan.tables.tables),
            flavours=tuple((self._flavour(key), FLAVOURS[key].contents) for key, _ in requested(self._model)),
            dependencies=[],
            extras={**_EXTRAS, **(_ARROW if self._plan.tables.tables else {})},
        )

    def _flavour(self, key: str) -> str:
        return f"{self._distribution}{add_on_suffix(key)}"

    def flavours(self) -> Iterable[tuple[str, AboutView]]:
        """The inputs for the READMEs and the manifests of the flavours, by key."""
        package, title = self.about(), self._model.protocol.title
        for key, schema in requested(self._model):
            flavour, distribution = FLAVOURS[key], self._flavour(key)
            yield (
                key,
                replace(
                    package,
                    module=f"{self._module}_{key}",
                    distribution=distribution,
                    title=f"{title}: {flavour.doc}.",
                    release=release_view(self._model, "python", distribution, layout.ESCAPED),
                    dependencies=[*flavour.requires],
                    extras={},
                    flavour=FlavourView(key, schema, flavour.doc, self._plan.root),
                ),
            )

    def _readme(self) -> Readme:
        return readme(
            self._plan,
            "python",
            self._distribution,
            layout.ESCAPED,
            name=self._names.type,
            tree=self._names.tree,
            call=snake,
            event="Session",
            constructors=map(_constructor_line, self._constructors),
            answers=[(each.request, each.annotation) for each in (self._controls.pairs if self._controls else ())],
        )

    def init(self) -> InitView:
        """The input for `__init__.py`."""
        lazy = {name: "_typed" if name in _DECLARED else at for name, at in self._modules.items() if at not in _EAGER}
        protocol = self._model.protocol
        return InitView(
            doc=f"{protocol.title}, version {protocol.version}: types, codecs, readers and writers.",
            imports=_imports(lazy, 4),
            package_version=self._release.package_version,
            protocol_oldest=protocol.oldest or protocol.version,
            protocol_newest=protocol.version,
            exports=tuple(self._modules),
        )

    def table(self) -> TableView:
        """The input for `_table.py`."""
        model, names = self._model, self._names
        unknowns: dict[str, tuple[str, ...]] = {}
        for union in sorted(model.unions, key=lambda union: union.name not in model.protocol.roots):
            if union.open:
                unknowns[names.unknown(union)] = (*unknowns.get(names.unknown(union), ()), names.type(union.name))
        declared = {names.type(name): name for name in model.declarations}
        nesting = {name: depth for name, depth in max_depths(model).items() if depth <= TYPED_LEVELS}
        lazy = {name: module for name, module in self._modules.items() if module not in _EAGER}
        return TableView(
            root=self._root,
            root_import=layout.import_list(f".{self._areas[self._root]}", [self._root], 4),
            layout=LAYOUT,
            rows=tuple(Rows(self._plan, names).all()),
            areas=dict(sorted(lazy.items())),
            names={name: spec for name, spec in declared.items() if name != spec},
            recursive=frozenset(of for of, name in declared.items() if name not in nesting),
            levels=max(nesting.values(), default=0),
            unknowns=dict(unknowns),
        )

    def construct(self) -> ConstructView:
        """The input for `_construct.py`."""
        constructors = self._constructors
        named = {name for view in constructors for each in view.parameters for name in each.mentions}
        classes = {name for view in constructors for name in (*view.body.classes, view.result)}
        decodes = any(view.body.decodes for view in constructors)
        unset = any(each.default == "UNSET" for view in constructors for each in view.parameters)
        fresh = any(view.draws_uuid for view in constructors)
        types = self._imports(named - {"Any", "Literal"} - classes)
        return ConstructView(
            exports=tuple(each.name for each in constructors),
            constructors=constructors,
            base=_import("._base", {"UNSET": unset, "Unset": unset, "fresh_uuid": fresh}, 0),
            wire=_import("._wire", {"from_value": decodes}, 0),
            classes=_imports({name: self._areas[name] for name in classes}, 0),
            types=types,
            typing=_import("typing", {"Any": "Any" in named, "Literal": "Literal" in named}, 4),
        )

    def launches(self) -> LaunchesView:
        """The input for `_launches.py`."""
        names = self._names
        records = {names.type(each.struct.name): each for each in self._plan.launches}
        return LaunchesView(
            imports=self._imports(records),
            tables=tuple((name, list(each.pieces)) for name, each in records.items()),
            functions={
                name: tuple(self._function(function) for function in each.functions) for name, each in records.items()
            },
            options=" | ".join(records),
        )

    def trees(self) -> TreesView:
        """The input for `_trees.py`."""
        names = self._names
        trees = tuple(
            TreeView(
                name=names.tree(each.tree),
                doc=each.tree.about.doc or f"A tree of entries of the type {names.type(each.tree.lines)}.",
                entry=f"_Entry{at}",
                lines=names.type(each.tree.lines),
                ids={key: id_.steps for key, id_ in each.ids.items()},
            )
            for at, each in enumerate(self._plan.trees, 1)
        )
        return TreesView(
            imports=self._imports(each.lines for each in trees),
            exports=tuple(each.name for each in trees),
            trees=trees,
        )

    def description(self) -> DescriptionView:
        """The input for `_description.py`."""
        found = document(self._model, self._plan.tables, docs=False)
        return DescriptionView(self._distribution, tuple((name, pieces_of(value)) for name, value in found.items()))

    def _function(self, function: FunctionPlan) -> dict[str, object]:
        """The attributes and the class that a row of functions refers to by keys."""
        names = self._names

        def attributes(way: FieldPath) -> tuple[str, ...]:
            return tuple(names.field(step.field) for step in way)

        found: dict[str, object] = {
            "attributes": tuple(names.field(at) if isinstance(at, Field) else None for at in function.path)
        }
        if function.pair is not None:
            found |= {
                "request": names.type(function.pair.request.name),
                "id_attributes": attributes(function.id),
                "param_attributes": tuple(map(attributes, function.params)),
                "result_attributes": attributes(function.result),
            }
        return found

    def pairs(self) -> PairsView:
        """The input for `_pairs.py`."""
        controls = self._controls
        types = {} if controls is None else controls.types
        named = {member for members in types.values() for member in members}
        typing = ("Any", "Literal" if types else "", "TypeAlias" if types else "")
        return PairsView(
            exports=(*(_TOOL_TABLES if self._plan.tools else ()), *(("SESSION",) if controls is not None else ())),
            typing=layout.import_list("typing", [each for each in typing if each], 4),
            imports=(
                *(["from ._base import Unset"] if "Unset" in named else ()),
                *(["from ._typed import Session"] if self._has_processes else ()),
                *self._imports(controls.mentions if controls is not None else ()),
            ),
            extensions="from typing_extensions import Never" if "Never" in named else None,
            aliases=tuple(layout.joined(list(of), f"{name}: TypeAlias = ", 4) for name, of in types.items()),
            controls=controls,
            has_processes=self._has_processes,
            has_tools=bool(self._plan.tools),
            inputs=self._tools["input"],
            outputs=self._tools["output"],
        )

    def typed(self) -> TypedView:
        """The input for `_typed.py`."""
        controls, tools = self._controls, self._tools
        mentions = frozenset[str]().union(*(each.mentions for each in tools.values()))
        sent = () if controls is None else controls.sent
        inits = [
            _init(f": Session[_SentBy{at}]", f"Literal[{layout.quoted(peer)}]") for at, (peer, _) in enumerate(sent, 1)
        ]
        if controls is not None and controls.pairs:
            mentions |= {*map(controls.type, ("TypedRequestEnvelope", *controls.responses))}
            mentions |= frozenset[str]().union(*(pair.mentions | {pair.request} for pair in controls.pairs))
        literals = any(each.typed for each in tools.values()) or controls is not None
        typing = {"Any": True, "Literal": literals, "TypeAlias": bool(sent), "overload": literals}
        extensions = {"Never": any(not requests for _, requests in sent), "TypeVar": bool(sent)}
        processes = _processes(controls) if controls and self._has_processes else ()
        return TypedView(
            exports=tuple(name for name, module in self._modules.items() if module == "_typed"),
            typing=layout.import_list("typing", [name for name, used in typing.items() if used], 4),
            extensions=_import("typing_extensions", extensions, 4),
            imports=(
                *(["from ._async_process import AsyncProcess as UntypedAsyncProcess"] if self._has_processes else ()),
                *(["from ._base import Unset"] if controls and any("Unset" in p.types for p in controls.pairs) else ()),
                *(["from ._pairs import TypedRequest"] if any("TypedRequest" in p.request for p in processes) else ()),
                *(["from ._session import Session as UntypedSession"] if controls else ()),
                *(["from ._thread_process import Process as UntypedProcess"] if self._has_processes else ()),
                *self._imports(mentions - {"Any"}),
            ),
            decode_responses=_decode_responses(controls) if controls and controls.pairs else (),
            sent=tuple(
                layout.joined(list(requests) or ["Never"], f"_SentBy{at}: TypeAlias = ", 4)
                for at, (_, requests) in enumerate(sent, 1)
            ),
            inits=tuple(inits) if len(inits) > 1 else (),
            init=inits[0] if len(inits) == 1 else _init("", "str"),
            processes=processes,
            tools=tuple((kind, _tool_overloads(kind, each)) for kind, each in tools.items() if self._plan.tools),
        )


_EAGER = ("__init__", "_base", "_streams", "_wire")
"""Modules that are imported with the package."""

_DECLARED = ("AsyncProcess", "Process", "Session")
"""Classes whose overloads `_typed.py` declares for type checkers."""

_AREA_DOC = (
    "Types of the protocol.\n\n"
    "Objects are dataclasses. An optional member is None when it is absent; one that can also be null is UNSET when it "
    "is absent, and None when it is null. `extra` has the undeclared members of an object."
)

_UNKNOWNS_DOC = "Objects that match no variant of an open union, kept unchanged."

_TOOL_TABLES = ("INPUTS", "INPUT_PATTERNS", "OUTPUTS", "OUTPUT_PATTERNS")
"""The names that `_pairs.py` defines for the runtime, besides `SESSION`."""


_COLLECTIONS = ("Awaitable", "Callable")


def _import(module: str, names: Mapping[str, bool], indent: int) -> str | None:
    """The import of those names that are used."""
    used = sorted((name for name, is_used in names.items() if is_used), key=layout.import_order)
    return layout.import_list(module, used, indent) if used else None


def _imports(modules: Mapping[str, str], indent: int) -> tuple[str, ...]:
    """The imports of names from modules of the package, in the order that linters require."""
    found: dict[str, list[str]] = {}
    for name, module in modules.items():
        found.setdefault(module, []).append(name)
    return tuple(
        layout.import_list(f".{module}", sorted(found[module], key=layout.import_order), indent)
        for module in sorted(found)
    )


def _summary(doc: str | None) -> str:
    return layout.ESCAPED.markdown((doc or "").strip().split("\n")[0])


def _constructor_line(view: ConstructorView) -> tuple[str, str]:
    return f"{view.name}({', '.join(each.name for each in view.parameters)})", view.doc.strip().split("\n")[0]


# --- signatures for type checkers ------------------------------------------------------------------------------


def _init(itself: str, peer: str) -> str:
    """The constructor of sessions."""
    parameters = [f"self{itself}", f"peer: {peer}", "*", "refuse_unknown: bool = True"]
    return source.signature("def __init__(", parameters, ") -> None: ...", 8)


def _processes(controls: ControlsView) -> tuple[ProcessView, ...]:
    """The overloads of asynchronous and of threaded processes."""

    def view(name: str, begin: str, more: list[str]) -> ProcessView:
        def method(payload: str, result: str) -> str:
            return source.signature(
                f"{begin} request(", ["self", f"payload: {payload}", *more], f") -> {result}: ...", 8
            )

        requests = tuple(method(pair.request, pair.annotation) for pair in controls.pairs)
        if len(requests) == 1:  # a single overload is an error
            return ProcessView(name, (), *requests)
        return ProcessView(name, requests, method("TypedRequest", "Any"))

    return (
        view("AsyncProcess", "async def", []),
        view("Process", "def", ["timeout: float | None = None"]),
    )


def _decode_responses(controls: ControlsView) -> tuple[str, ...]:
    """The overloads of `decode_response`, the last one for any request."""
    ends = [(pair.request, f"{pair.annotation}: ...") for pair in controls.pairs]
    ends.append((controls.type("TypedRequestEnvelope"), "Any: ..."))
    responses = dict.fromkeys(map(controls.type, controls.responses))
    options = [f"response: {' | '.join(responses)}", "*", "strict: bool = False"]
    return tuple(
        source.signature("def decode_response(", [f"request: {request}", *options], f") -> {end}", 4)
        for request, end in ends
    )


def _tool_overloads(kind: str, tools: ToolsView) -> tuple[str, ...]:
    """The overloads of `tool_input` or `tool_output`, without the last one."""
    options = [f"{kind}: object", "*", "strict: bool = False"]
    return tuple(
        source.signature(
            f"def tool_{kind}(", [f"name: Literal[{layout.quoted(name)}]", *options], f") -> {annotation}: ...", 4
        )
        for name, annotation in tools.typed
    )
