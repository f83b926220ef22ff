"""The plan → the views of all files of the Go package."""

from __future__ import annotations

from collections.abc import Iterable

from polywire.model.nodes import Model, Ref
from polywire.plan import Plan
from polywire.targets.base import View
from polywire.targets.go import declarations, layout, pages
from polywire.targets.go.construct import Constructors
from polywire.targets.go.names import Names
from polywire.targets.go.overrides import refuse
from polywire.targets.go.pairs import controls_view, tools_views
from polywire.targets.go.sample import event_sample, flat_sample, reply_sample, sample, tool_sample
from polywire.targets.go.shapes import Shape, Shapes
from polywire.targets.go.structs import LIVE, GoField, Structs
from polywire.targets.go.tables import Tables
from polywire.targets.go.unions import GoUnion, Unions
from polywire.targets.prose import description
from polywire.targets.release import package_version

UUID = layout.quoted("github.com/google/uuid")


def package_name(model: Model) -> str:
    """What the package is called, and its folder."""
    stated = model.packages.get("go", {}).get("package")
    return stated or "".join(c for c in model.protocol.name.lower() if c.isalnum())


def module_name(model: Model) -> str:
    """The path of the module."""
    return model.packages.get("go", {}).get("module") or model.protocol.name


class Package:
    """A package: everything that it declares, and the view of each of its files."""

    def __init__(self, plan: Plan) -> None:
        refuse(plan.model)
        self._plan = plan
        self._model = plan.model
        self._names = names = Names(plan.model)
        self._shapes = Shapes(plan.model, names)
        self._structs = Structs(plan, names, self._shapes)
        self._unions = Unions(plan, names, self._shapes, self._structs)
        self._unknowns = self._unions.unknowns()
        self._tables = Tables(plan, names, self._shapes, self._structs)
        makers = Constructors(plan, names, self._shapes, self._structs, self._tables)
        self._controls = controls_view(plan, names, self._shapes, makers, self._tables)
        self._constructors = makers.all()
        self._package = package_name(plan.model)
        self._version = package_version(plan.model.protocol)
        self._oldest = plan.model.protocol.oldest or plan.model.protocol.version

    def about(self) -> dict[str, View]:
        """The view of each template of the module's own files."""
        module = pages.ModuleView(module_name(self._model))
        return {"LICENSE": {}, "README.md": self._readme(), "go.mod": module, "go.sum": module}

    def sources(self) -> dict[str, View]:
        """The view of each file of the package."""
        return {
            "construct.go": self._construct(),
            "doc.go": pages.DocView(
                self._package,
                layout.comment(self._about()),
                self._own_root,
                self._controls is not None,
                self._controls is not None and self._controls.refusal is not None,
            ),
            "enums.go": self._enums(),
            "examples_test.go": self._examples(),
            "pairs.go": pages.PairsView(
                self._package, self._controls, tools_views(self._plan, self._shapes, self._tables)
            ),
            **({"json_v2.go": pages.JSONView(self._package, self._interfaces())} if self._interfaces() else {}),
            "protocol.go": self._protocol(),
            "tables.go": self._all_tables(),
            "types.go": self._types(),
            "unions.go": self._union_types(),
        }

    # What people read.

    @property
    def _own_root(self) -> str:
        return self._names.own(self._plan.root)

    def _about(self) -> str:
        protocol = self._model.protocol
        package = self._model.packages.get("go", {}).get("package") or protocol.name
        title = protocol.title[:1].upper() + protocol.title[1:]
        return f"Package {package} has the types of: {title}, version {protocol.version}."

    def _readme(self) -> pages.ReadmeView:
        protocol = self._model.protocol
        abouts = {
            self._names.function(each.constructor): description(each.constructor.about)
            for each in self._plan.constructors
        }
        return pages.ReadmeView(
            module=module_name(self._model),
            package=self._package,
            title=layout.markdown(protocol.title),
            version=layout.markdown(protocol.version),
            oldest=layout.markdown(self._oldest),
            package_version=self._version,
            introduction=layout.ESCAPED.page(protocol.about.doc or ""),
            root_go=self._names.type(self._plan.root),
            root_own=self._own_root,
            constructors=tuple(
                pages.ConstructorLine(
                    each.name, each.signature, layout.markdown(layout.first_line(abouts[each.name] or each.doc))
                )
                for each in self._constructors
            ),
            controls=self._controls,
            has_tools=bool(self._plan.tools),
            readme=layout.ESCAPED.page(self._model.packages.get("go", {}).get("readme", "")),
            changes=tuple((version, layout.ESCAPED.page(text)) for version, text in protocol.changes),
        )

    def _examples(self) -> pages.ExamplesView:
        root = self._names.type(self._plan.root)
        plan, names, unions = self._plan, self._names, self._unions
        return pages.ExamplesView(
            module_name(self._model),
            self._package,
            root,
            self._own_root,
            sample(self._model, self._names),
            reply_sample(plan, names),
            tool_sample(plan, names),
            flat_sample(plan, names, unions),
            event_sample(plan, names, unions),
        )

    # Declarations.

    def _types(self) -> pages.TypesView:
        names = self._structs.primaries()
        getters, markers = self._unions.struct_getters(), self._unions.markers()
        structs = [self._structs.go(name) for name in names]
        idle = {each.go for struct in structs for each in struct.idle}
        context = idle & set(LIVE.values())
        return pages.TypesView(
            self._package,
            _imports(["context"] if context else [], (f for struct in structs for f in struct.fields.values())),
            tuple(
                declarations.struct_view(name, self._structs, self._unions, self._names, getters, markers)
                for name in names
            ),
        )

    def _union_types(self) -> pages.UnionsView:
        unions, flats = self._unions.views(), self._unions.flats
        getters, markers = self._unions.struct_getters(), self._unions.markers()
        fields = [field for flat in flats.values() for field in flat.fields.values()]
        shapes = [each.shape for union in unions for each in union.getters if each.shape is not None]
        return pages.UnionsView(
            self._package,
            _imports(["encoding/json"] if self._unknowns else [], fields, shapes),
            tuple(declarations.interface_view(each) for each in unions if not each.flat),
            tuple(unions),
            tuple(declarations.flat_view(flat, self._tables, getters, markers) for flat in flats.values()),
            tuple(map(declarations.either_view, self._unions.eithers())),
            tuple(declarations.unknown_view(each, self._tables) for each in self._unknowns),
        )

    def _enums(self) -> pages.EnumsView:
        return pages.EnumsView(
            self._package,
            tuple(declarations.enum_view(enum, self._names) for enum in self._model.enums),
            declarations.alias_views(self._model.aliases, self._names, self._shapes),
            tuple(self._structs.callbacks()),
        )

    # Code.

    def _construct(self) -> pages.ConstructView:
        return pages.ConstructView(
            self._package,
            any(each.uses_uuid for each in self._constructors),
            tuple(self._constructors),
        )

    def _all_tables(self) -> pages.TablesView:
        tables, unions = self._tables, self._unions
        return pages.TablesView(
            self._package,
            tuple(tables.tables()),
            tuple(tables.unions(unions)),
            tuple(tables.flats(unions)),
            tuple(tables.eithers(unions.eithers())),
            tuple(tables.unknowns(self._unknowns)),
            tuple(tables.aliases()),
            tuple(tables.enums()),
        )

    def _interfaces(self) -> tuple[GoUnion, ...]:
        return tuple(each for each in self._unions.views() if not each.flat)

    def _protocol(self) -> pages.ProtocolView:
        return pages.ProtocolView(
            self._package,
            layout.quoted(self._version),
            layout.quoted(self._oldest),
            layout.quoted(self._model.protocol.version),
            self._shapes.of(Ref(self._plan.root)).go,
            self._tables.of(self._plan.root),
            tuple(self._tables.named()),
            self._interfaces(),
        )


def _imports(standard: Iterable[str], fields: Iterable[GoField], shapes: Iterable[Shape] = ()) -> pages.Imports:
    """What declarations import that have those fields, and methods that give those shapes."""
    kinds = {*(field.shape.kind for field in fields), *(shape.kind for shape in shapes)}
    return pages.Imports(tuple(map(layout.quoted, standard)), (UUID,) if "uuid" in kinds else ())
