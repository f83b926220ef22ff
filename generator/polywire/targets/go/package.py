"""The plan → the view for the templates of the Go package."""

from __future__ import annotations

from polywire.model.nodes import Alias, Field, Model, Union
from polywire.plan import Plan
from polywire.plan.launch import FunctionPlan, LaunchPlan
from polywire.plan.public import tuple_sizes
from polywire.plan.trees import TreePlan
from polywire.source.types import Ref
from polywire.targets.common.naming import identifier, pascal
from polywire.targets.common.readme import readme
from polywire.targets.go import layout
from polywire.targets.go.construct import Constructors
from polywire.targets.go.declarations import enum_view, named, sealed_view, tuple_type
from polywire.targets.go.docs import documentation
from polywire.targets.go.names import PACKAGES, declares_interface
from polywire.targets.go.overrides import misuses, refuse
from polywire.targets.go.pairs import controls_view, tools_view
from polywire.targets.go.sample import sample_imports, samples
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import Unions

ABOUT = ("README.md", "go.mod", "go.sum")
"""The files of the module outside the package."""


def package_name(model: Model) -> str:
    """The name of the package, which is also its folder."""
    default = "".join(c for c in model.protocol.name.lower() if c.isalnum())
    return model.packages.get("go", {}).get("package") or identifier(default, PACKAGES, "protocol")


def module_name(model: Model) -> str:
    """The path of the module."""
    return model.packages.get("go", {}).get("module") or model.protocol.name


def package(plan: Plan) -> dict[str, object]:
    """Everything that the templates of a package use. Raises `RenderError` for an invalid override."""
    refuse(misuses(plan.model))
    model, protocol, name = plan.model, plan.model.protocol, package_name(plan.model)
    tables = Tables(plan)
    refuse(tables.structs.misuses)
    names, unions, makers = tables.names, Unions(tables), Constructors(tables)
    constructors = tuple(map(makers.constructor, plan.constructors))
    controls, shown = controls_view(makers), samples(unions, name)
    sealed = [each for each in model.aliases if declares_interface(model, each)]
    interfaces: list[Union | Alias] = [*(each for each in model.unions if not is_flat(each)), *sealed]
    title = protocol.title[:1].upper() + protocol.title[1:]
    return {
        "module": module_name(model),
        "package": name,
        "about": layout.comment(f"Package {name} has types and codecs for {title}, version {protocol.version}."),
        "protocol": protocol,
        "readme": readme(
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
        "root_go": tables.shapes.of(Ref(plan.root)).go,
        "root_own": names.own(plan.root),
        "root_rule": tables.declared(plan.root),
        "constructors": constructors,
        "controls": controls,
        "tools": tools_view(tables),
        "samples": shown,
        "sample_imports": sample_imports(shown),
        "launches": dict(_launch(each, tables) for each in plan.launches),
        "trees": dict(_tree(each, tables) for each in plan.trees),
        "enums": tuple(enum_view(each, tables) for each in model.enums),
        "sealed": [sealed_view(each, unions) for each in sealed],
        "named": dict(named(tables)),
        # The structs of the spec with their own Go type, and those for several variants or kinds, or for Unknowns.
        "types": list(tables.structs.primaries.values()),
        "variants": (*unions.flats.values(), *unions.unknowns),
        "unions": tuple(unions.views),
        "tables": tuple(tables.all(unions.flats.values(), unions.unknowns)),
        # The Go types of interfaces, with the rules of their values.
        "interfaces": {names.type(each.name): tables.declared(each.name) for each in interfaces},
        "declared_types": tables.named(),
        # Name → the parameters of a type, and the lines between its brackets.
        "tuples": {f"Tuple{size}": tuple_type(size) for size in tuple_sizes(model)},
        # The formatting functions of the templates.
        "comment": layout.comment,
        "function": layout.function,
        "imports": layout.imports,
    }


def _tree(planned: TreePlan, tables: Tables) -> tuple[str, tuple[str, str, str]]:
    """A tree of entries: name, doc comment, the Go type of the entries that are lines, and the members of its row."""
    name = tables.names.tree(planned.tree)
    doc = layout.comment(documentation(planned.tree.about, name))
    ids = ((f"{key}:", f"{layout.composite('pointerSteps', id_.steps)},") for key, id_ in planned.ids.items())
    rows = layout.blocks((None, cells) for cells in ids)
    return name, (doc, tables.shapes.of(Ref(planned.tree.lines)).go, rows)


def _launch(launch: LaunchPlan, tables: Tables) -> tuple[str, tuple[str, str, list[str]]]:
    """A function that starts a process: name, record, the rows of the record's functions, and the text of the table."""
    record = tables.names.type(launch.struct.name)
    rows = layout.lines("launchRow", (_function(each, tables) for each in launch.functions)).replace("\n", "\n\t")
    name = "Launch" if len(tables.plan.launches) == 1 else f"Launch{record}"
    return name, (record, rows, list(map(layout.raw, launch.pieces)))


def _function(planned: FunctionPlan, tables: Tables) -> str:
    fields = (tables.names.field(each) if isinstance(each, Field) else "" for each in planned.path)
    row = {
        "fields": layout.listed("string", fields),
        "request": planned.pair and tables.declared(planned.pair.request.name),
        "id": tables.way(planned.id),
        "params": layout.listed("[]hop", map(tables.hops, planned.params)),
    }
    return layout.composite("", row)
