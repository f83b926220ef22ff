"""The plan → the views of all files of the Go package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polywire.model.nodes import Alias, Enum, Model, Ref
from polywire.plan import Plan
from polywire.targets.base import View
from polywire.targets.go import codecs, declarations, layout, pages
from polywire.targets.go.construct import Constructors
from polywire.targets.go.names import Names, override
from polywire.targets.go.overrides import refuse
from polywire.targets.go.pairs import controls_view, tools_views
from polywire.targets.go.sample import sample
from polywire.targets.go.shapes import Shape, Shapes, is_flat, known_function
from polywire.targets.go.structs import LIVE, GoField, Structs
from polywire.targets.go.tables import row_views
from polywire.targets.go.unions import FlatStruct, Unions
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
        makers = Constructors(plan, names, self._shapes, self._structs)
        flats = {flat.name: flat for flat in self._unions.flats.values()}
        self._controls = controls_view(plan, names, self._shapes, makers, flats)
        self._codecs = tuple(self._codec_views())
        self._constructors = makers.all()
        self._package = package_name(plan.model)
        self._version = package_version(plan.model.protocol)

    def about(self) -> dict[str, View]:
        """The view of each template of the module's own files."""
        module = pages.ModuleView(module_name(self._model))
        return {"LICENSE": pages.LicenseView(), "README.md": self._readme(), "go.mod": module, "go.sum": module}

    def sources(self) -> dict[str, View]:
        """The view of each file of the package."""
        return {
            "construct.go": self._construct(),
            "decode.go": self._decode(),
            "doc.go": pages.DocView(self._package, layout.comment(self._about()), self._own_root),
            "encode.go": self._encode(),
            "enums.go": self._enums(),
            "examples_test.go": self._examples(),
            "pairs.go": pages.PairsView(self._package, self._controls, tools_views(self._plan)),
            "plan.go": pages.PlanView(self._package, row_views(self._plan.rows)),
            "protocol.go": self._protocol(),
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
            package_version=self._version,
            introduction=layout.ESCAPED.page(protocol.about.doc or ""),
            root_own=self._own_root,
            constructors=tuple(
                pages.ConstructorLine(
                    each.name, each.signature, layout.markdown(layout.first_line(abouts[each.name] or each.doc))
                )
                for each in self._constructors
            ),
            controls=self._controls,
            has_tools=bool(tools_views(self._plan)[0].tools),
            readme=layout.ESCAPED.page(self._model.packages.get("go", {}).get("readme", "")),
            changes=tuple(pages.ChangeView(version, layout.ESCAPED.page(text)) for version, text in protocol.changes),
        )

    def _examples(self) -> pages.ExamplesView:
        found = sample(self._model, self._names)
        view = None
        if found is not None:
            view = pages.SampleView(layout.raw(found.text), layout.raw(found.newer), found.text, found.go, found.key)
        root = self._names.type(self._plan.root)
        return pages.ExamplesView(module_name(self._model), self._package, root, self._own_root, view)

    # Declarations.

    def _types(self) -> pages.TypesView:
        names = self._structs.primaries()
        getters, markers = self._unions.tag_getters(), self._unions.markers()
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
        getters, markers = self._unions.tag_getters(), self._unions.markers()
        fields = [field for flat in flats.values() for field in flat.fields.values()]
        shapes = [each.shape for union in unions for each in union.getters if each.shape is not None]
        return pages.UnionsView(
            self._package,
            _imports(["encoding/json"] if flats or self._unknowns else [], fields, shapes),
            tuple(declarations.interface_view(each) for each in unions if not each.flat),
            tuple(declarations.UnmarshalView(each.own, each.go, layout.quoted(each.spec)) for each in unions),
            tuple(
                declarations.flat_view(name, flat, self._structs, self._unions, getters, markers)
                for name, flat in flats.items()
            ),
            tuple(map(declarations.either_view, self._unions.eithers())),
            tuple(map(declarations.unknown_view, self._unknowns)),
        )

    def _enums(self) -> pages.EnumsView:
        return pages.EnumsView(
            self._package,
            tuple(declarations.enum_view(enum, self._names) for enum in self._model.enums),
            declarations.alias_views(self._model.aliases, self._names, self._shapes),
            tuple(pages.CallbackView(*each) for each in self._structs.callbacks()),
        )

    # Code.

    def _construct(self) -> pages.ConstructView:
        return pages.ConstructView(
            self._package,
            any(each.uses_uuid for each in self._constructors),
            tuple(
                pages.FunctionView(
                    each.name,
                    layout.comment(each.doc),
                    each.signature,
                    each.struct,
                    each.result,
                    each.wrap,
                    each.statements,
                )
                for each in self._constructors
            ),
        )

    def _decode(self) -> pages.DecodeView:
        structs = self._structs.views()
        dispatches = codecs.Dispatches(self._model, self._names)
        return pages.DecodeView(
            self._package,
            tuple(map(codecs.read_struct, structs)),
            tuple(tag for struct in structs for tag in codecs.tag_views(struct)),
            tuple(codecs.ReadUnion(each.own, each.go, dispatches.reading(each)) for each in self._unions.views()),
            tuple(self._read_unknowns()),
            tuple(codecs.choice_view(each, self._plan) for each in self._shapes.choices.values()),
            tuple(map(codecs.either_view, self._unions.eithers())),
            tuple(self._closed_enums()),
            tuple(map(codecs.helper_view, self._shapes.helpers.values())),
        )

    def _encode(self) -> pages.EncodeView:
        dispatches = codecs.Dispatches(self._model, self._names)
        return pages.EncodeView(
            self._package,
            tuple(map(codecs.write_struct, self._structs.views())),
            tuple(codecs.write_union(each, dispatches) for each in self._unions.views()),
            tuple(map(self._write_flat, self._unions.flats.values())),
            tuple(self._read_unknowns()),
            tuple(codecs.choice_view(each, self._plan) for each in self._shapes.choices.values()),
            tuple(map(codecs.either_view, self._unions.eithers())),
            tuple(self._closed_enums()),
            tuple(map(codecs.helper_view, self._shapes.helpers.values())),
        )

    def _write_flat(self, flat: FlatStruct) -> codecs.WriteFlat:
        conditions = {leaf.own: declarations.told_by(leaf, self._structs) for leaf in flat.leaves}
        told = {own: condition for own, condition in conditions.items() if condition is not None}
        return codecs.write_flat(flat, declarations.discriminator_key(flat), told)

    def _read_unknowns(self) -> Iterator[codecs.ReadUnknown]:
        for each in self._unknowns:
            tags = tuple(codecs.ReadTag(layout.quoted(key), field) for key, field in each.discriminators)
            yield codecs.ReadUnknown(each.name, tags)

    def _closed_enums(self) -> Iterator[codecs.ClosedEnum]:
        for enum in self._model.enums:
            if not enum.open:
                go = self._names.type(enum.name)
                known = f"{known_function(enum, go)}(*v)"
                word = "Int" if enum.base == "integer" else "Text"
                yield codecs.ClosedEnum(self._names.own(enum.name), go, known, word)

    def _protocol(self) -> pages.ProtocolView:
        by_type = {codec.go: codec for codec in reversed(self._codecs) if codec.owns_type}
        return pages.ProtocolView(
            self._package,
            layout.quoted(self._version),
            layout.quoted(self._model.protocol.version),
            self._names.type(self._plan.root),
            self._codecs,
            tuple(reversed(by_type.values())),
        )

    def _codec_views(self) -> Iterator[pages.CodecView]:
        for name, declared in self._model.declarations.items():
            shape = self._shapes.need(self._shapes.of(Ref(name)))
            owns = override(declared.about, "as") is None and (
                not isinstance(declared, (Alias, Enum))
                or (isinstance(declared, Enum) and override(declared.about, "layout") != "string")
                or (isinstance(declared, Alias) and is_flat(declared))
            )
            maker = "codecOfStruct" if shape.struct else "codecFor"
            yield pages.CodecView(
                layout.quoted(name), shape.go, maker, codecs.reader(shape), codecs.writer(shape), owns
            )


def _imports(standard: Iterable[str], fields: Iterable[GoField], shapes: Iterable[Shape] = ()) -> pages.Imports:
    """What declarations import that have those fields, and methods that give those shapes."""
    kinds = {*(field.shape.kind for field in fields), *(shape.kind for shape in shapes)}
    return pages.Imports(tuple(map(layout.quoted, standard)), (UUID,) if "uuid" in kinds else ())
