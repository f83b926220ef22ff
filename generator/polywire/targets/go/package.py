"""The plan → the view for the templates of the Go package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polywire.model.nodes import Field, Model, Protocol
from polywire.plan import Plan, make_plan
from polywire.plan.launch import FunctionPlan, LaunchPlan
from polywire.plan.public import tuple_sizes
from polywire.plan.trees import TreePlan
from polywire.source.types import Ref
from polywire.targets.common.base import Misuse
from polywire.targets.common.naming import pascal
from polywire.targets.common.readme import Readme, readme
from polywire.targets.common.release import Release, release_view
from polywire.targets.go import layout
from polywire.targets.go.construct import Constructors, GoFunction
from polywire.targets.go.declarations import EnumView, NamedView, SealedView, enum_view, named, sealed_view, tuple_type
from polywire.targets.go.docs import documentation
from polywire.targets.go.names import declares_interface
from polywire.targets.go.overrides import refuse
from polywire.targets.go.pairs import ControlsView, controls_view, tools_view
from polywire.targets.go.sample import Samples, samples
from polywire.targets.go.structs import DisagreementError, GoStruct
from polywire.targets.go.tables import Tables, TableView
from polywire.targets.go.unions import Unions, UnionView

ABOUT = ("README.md", "go.mod", "go.sum")
"""The files of the module outside the package."""

SOURCES = (
    *("construct.go", "doc.go", "enums.go", "examples_test.go", "launches.go"),
    *("pairs.go", "protocol.go", "tables.go", "trees.go", "tuple_types.go", "types.go", "unions.go"),
)
"""The files of the package."""


def package_name(model: Model) -> str:
    """The name of the package, which is also its folder."""
    stated = model.packages.get("go", {}).get("package")
    return stated or "".join(c for c in model.protocol.name.lower() if c.isalnum())


def module_name(model: Model) -> str:
    """The path of the module."""
    return model.packages.get("go", {}).get("module") or model.protocol.name


@dataclass(frozen=True, slots=True)
class Package:
    """A package: everything that its templates use."""

    module: str
    package: str
    about: str
    """The package comment."""
    protocol: Protocol
    release: Release
    readme: Readme
    root_go: str
    root_own: str
    root_rule: str
    constructors: tuple[GoFunction, ...]
    controls: ControlsView | None
    tools: Mapping[str, tuple[str, str]]
    samples: Samples
    launches: tuple[LaunchView, ...]
    trees: tuple[TreeView, ...]
    enums: tuple[EnumView, ...]
    sealed: tuple[SealedView, ...]
    named: tuple[NamedView, ...]
    types: tuple[GoStruct, ...]
    """The structs of the spec with their own Go type."""
    variants: tuple[GoStruct, ...]
    """The structs that represent all variants of a union, several kinds of values, or an Unknown."""
    unions: tuple[UnionView, ...]
    tables: tuple[TableView, ...]
    declared_types: str
    """Their rows, by their names in the spec."""
    tuples: Mapping[str, tuple[str, str]]
    """Name → the parameters of a type, and the lines between its brackets."""
    comment: Callable[[str], str] = layout.comment
    function: Callable[[str, str], str] = layout.function
    imports: Callable[..., str] = layout.imports
    """The formatting functions of the templates."""


@dataclass(frozen=True, slots=True)
class LaunchView:
    """A record that starts a process."""

    function: str
    record: str
    rows: str
    """The rows of its functions and live objects."""
    pieces: tuple[str, ...]
    """The text of the table, as literals to be concatenated."""


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree of entries."""

    name: str
    doc: str
    lines: str
    """The Go type of the entries that are lines."""
    ids: str
    """The members of its row."""


def disagreements(model: Model) -> list[Misuse]:
    """The first struct that shares a Go type whose fields have other types."""
    try:
        Tables(make_plan(model))
    except DisagreementError as error:
        return [Misuse(error.struct.place, "as", error.message)]
    except LookupError:
        pass  # an invalid pointer is reported separately
    return []


def package(plan: Plan) -> Package:
    """The package of a plan. Raises `RenderError` for an invalid override."""
    refuse(plan.model)
    model, protocol = plan.model, plan.model.protocol
    tables = Tables(plan)
    names, unions, makers = tables.names, Unions(tables), Constructors(tables)
    constructors = tuple(makers.all())
    controls = controls_view(makers)
    called = model.packages.get("go", {}).get("package") or protocol.name
    title = protocol.title[:1].upper() + protocol.title[1:]
    return Package(
        module=module_name(model),
        package=package_name(model),
        about=layout.comment(f"Package {called} has types and codecs for {title}, version {protocol.version}."),
        protocol=protocol,
        release=release_view(model, "go", module_name(model), layout.ESCAPED),
        readme=readme(
            plan,
            "go",
            module_name(model),
            layout.ESCAPED,
            name=names.type,
            tree=names.tree,
            call=pascal,
            event="*Session",
            constructors=((f"{each.name}({each.signature})", each.summary) for each in constructors),
            answers=((each.go, each.answer) for each in (controls.answers if controls is not None else ())),
        ),
        root_go=tables.shapes.of(Ref(plan.root)).go,
        root_own=names.own(plan.root),
        root_rule=tables.declared(plan.root),
        constructors=constructors,
        controls=controls,
        tools=tools_view(tables),
        samples=samples(unions, package_name(model)),
        launches=tuple(_launch(each, tables) for each in plan.launches),
        trees=tuple(_tree(each, tables) for each in plan.trees),
        enums=tuple(enum_view(each, tables) for each in model.enums),
        sealed=tuple(sealed_view(each, unions) for each in model.aliases if declares_interface(model, each)),
        named=tuple(named(tables)),
        types=tuple(tables.structs.primaries.values()),
        variants=(*unions.flats.values(), *unions.unknowns),
        unions=tuple(unions.views),
        tables=tuple(tables.all(unions.flats.values(), unions.unknowns)),
        declared_types=tables.named(),
        tuples={f"Tuple{size}": tuple_type(size) for size in tuple_sizes(model)},
    )


def _launch(launch: LaunchPlan, tables: Tables) -> LaunchView:
    go = tables.names.type(launch.struct.name)
    rows = layout.lines("launchRow", (_function(each, tables) for each in launch.functions))
    return LaunchView(
        function="Launch" if len(tables.plan.launches) == 1 else f"Launch{go}",
        record=go,
        rows=rows.replace("\n", "\n\t"),
        pieces=tuple(map(layout.raw, launch.pieces)),
    )


def _tree(planned: TreePlan, tables: Tables) -> TreeView:
    name = tables.names.tree(planned.tree)
    return TreeView(
        name=name,
        doc=layout.comment(documentation(planned.tree.about, name)),
        lines=tables.shapes.of(Ref(planned.tree.lines)).go,
        ids=layout.blocks(
            (None, (f"{key}:", f"{layout.composite('pointerSteps', id_.steps)},")) for key, id_ in planned.ids.items()
        ),
    )


def _function(planned: FunctionPlan, tables: Tables) -> str:
    request = None if planned.pair is None else tables.declared(planned.pair.request.name)
    row = {
        "fields": layout.listed(
            "string", (tables.names.field(each) if isinstance(each, Field) else "" for each in planned.path)
        ),
        "request": request,
        "id": tables.way(planned.id),
        "params": layout.listed("[]hop", map(tables.hops, planned.params)),
    }
    return layout.composite("", row)
