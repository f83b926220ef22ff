"""The plan → the views of a crate's files.

There is one class for each template, with the fields that the template uses; those of `structs`, `unions`, `construct`
and `pairs` are in the modules that build them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polywire.model.graphs import longest_chain
from polywire.model.nodes import Alias, Enum, Model, Protocol, Union
from polywire.model.walk import spell, types, uses
from polywire.plan import Plan
from polywire.source.types import Choice, LiteralType
from polywire.targets.common.api_surface import ApiPath
from polywire.targets.common.base import LICENSE, File, View
from polywire.targets.common.naming import snake
from polywire.targets.common.readme import Readme, readme
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ConstructorView, ImplView
from polywire.targets.rust.enums import EnumView, enum_view
from polywire.targets.rust.launches import Launches
from polywire.targets.rust.layout import quoted
from polywire.targets.rust.names import MIXINS, Names, variant_types
from polywire.targets.rust.pairs import ControlsView, Pairs, PairsFileView
from polywire.targets.rust.shapes import ChoiceVariant, ChoiceView, LiteralView, Shapes
from polywire.targets.rust.source import Tables, places
from polywire.targets.rust.structs import RecordView, Structs, StructView
from polywire.targets.rust.unions import (
    AliasView,
    UnionCodecView,
    Unions,
    UnionView,
    UnknownCodecView,
    UnknownView,
    numbered,
)

RUST_VERSION = "1.85"
"""The oldest version of Rust with which the crate is tested."""


@dataclass(frozen=True, slots=True)
class ManifestView:
    """The view for `Cargo.toml`."""

    package: str
    package_version: object
    rust_version: str
    title: str
    has_processes: bool
    """Whether options start a process with which a session can communicate."""


@dataclass(frozen=True, slots=True)
class TypeView:
    """A type in an argument list of a macro: its name in the spec, as a literal, and in Rust."""

    spec_name: str
    name: str


FRAMES = 16
"""How many levels of recursion a type in another one takes the compiler at most: a map of boxes takes about ten."""

SHORT_CHAIN = 24
"""The number of types in a chain that compiles with the default limit of 128, as a boxed or listed type takes five."""


def recursion_limit(model: Model) -> int | None:
    """The limit that a crate needs, as the compiler follows types that contain each other by recursion."""
    chain = longest_chain({name: [*uses(declared)] for name, declared in model.declarations.items()})
    return FRAMES * chain if chain > SHORT_CHAIN else None


@dataclass(frozen=True, slots=True)
class LibView:
    """The view for `lib.rs`."""

    crate_name: str
    root: str
    title: str
    version: str
    package_version: str
    protocol_oldest: str
    protocol_newest: str
    """These three fields are literals."""
    recursion_limit: int | None
    """The compiler's limit on recursion along types, if its default may not suffice."""
    framing: str
    """The module of the framing."""
    has_pairs: bool
    has_controls: bool
    has_launches: bool
    has_processes: bool
    has_mixins: bool
    areas: tuple[str, ...]
    """The public modules of types."""
    modules: tuple[str, ...]
    """All modules of types."""
    exports: tuple[Export, ...]
    types: tuple[TypeView, ...]
    aliases: tuple[TypeView, ...]
    roots: tuple[TypeView, ...]
    unknowns: tuple[TypeView, ...]
    sessions: tuple[str, ...]
    """The abilities of sessions as arguments of a macro; empty if there are no sessions."""
    launches: tuple[TypeView, ...]
    """The records that start a process."""
    use: Callable[..., str] = layout.use


@dataclass(frozen=True, slots=True)
class AreaView:
    """The module of an area: the declarations of one file of the spec."""

    name: str
    shared: tuple[Export, ...]
    """Re-exports of the inline unions and literals in other modules that its types use."""
    enums: tuple[EnumView, ...]
    structs: tuple[StructView, ...]
    impls: tuple[ImplView, ...]
    unions: tuple[UnionView, ...]
    unknowns: tuple[UnknownView, ...]
    literals: tuple[LiteralView, ...]
    choices: tuple[ChoiceView, ...]
    aliases: tuple[AliasView, ...]
    signature: Callable[..., str] = layout.signature
    use: Callable[..., str] = layout.use


@dataclass(frozen=True, slots=True)
class Export:
    """The items of an area that another module exports."""

    area: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A declaration in the tables."""

    spec_name: str
    row: str


@dataclass(frozen=True, slots=True)
class PlanFileView:
    """The view for `plan.rs`."""

    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class ChoiceCodecView:
    """The codec of an inline union."""

    name: str
    held: tuple[ChoiceVariant, ...]
    """The variants that hold a value."""
    numbered: str
    """The variants, each with its number in the tables."""
    null: int | None
    """The number of the variant for null, if there is one."""
    declared: TypeView | None
    """The alias whose type it is, if there is one."""
    place: int | None
    """The index of the alias in the tables."""
    spelt: str
    """Its spelling in the spec, as a literal."""
    rule: str


@dataclass(frozen=True, slots=True)
class LiteralCodecView:
    """The codec of a literal: its name and its value in the tables."""

    name: str
    scalar: str


@dataclass(frozen=True, slots=True)
class NewtypeView:
    """The codec of an alias that is a struct: both of its names, its inner type, its index in the tables."""

    name: str
    spec_name: str
    type: str
    place: int


@dataclass(frozen=True, slots=True)
class RecordsFileView:
    """The view for `records.rs`."""

    enums: tuple[EnumView, ...]
    structs: tuple[RecordView, ...]
    unions: tuple[UnionCodecView, ...]
    unknowns: tuple[UnknownCodecView, ...]
    choices: tuple[ChoiceCodecView, ...]
    literals: tuple[LiteralCodecView, ...]
    newtypes: tuple[NewtypeView, ...]


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """A record that starts a process, for the README: its name, its module, and the methods that add functions."""

    name: str
    area: str
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadmeView:
    """The view for the README."""

    readme: Readme
    crate_name: str
    rust_version: str
    reader_imports: str
    draws_uuid: bool
    """Whether any constructor does."""
    has_parts: bool
    """Whether a refusal has more than a message."""
    data_types: bool
    """Whether errors have data."""
    peer: str
    """The peer in the example of sessions; empty if there are none."""
    launch: LaunchRow | None
    """The first record that starts a process."""
    tools: tuple[str, ...]
    """`Input`, `Output`, or both."""
    has_literals: bool
    has_tuples: bool
    """Whether types contain them."""


def crate_of(model: Model) -> str:
    """The name of the package; a dialect has one of its own, as a lock file cannot have two packages of one name."""
    name = model.packages.get("rust", {}).get("crate") or model.protocol.name
    return f"{name}-{model.dialect.replace('_', '-')}" if model.dialect else name


class Package:
    """Builds the crate of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = Names(plan.model)
        self._shapes = Shapes(plan.model, self._names)
        self._places = places(plan)
        self._tables = Tables(plan, self._names, self._shapes, self._places)
        for alias in plan.model.aliases:
            if isinstance(alias.type, Choice) and self._shapes.is_enum(alias):
                self._shapes.area = self._names.area(alias.name)
                self._shapes.choice(alias.type, self._names.type(alias.name), alias.name)
        self._structs = Structs(plan, self._names, self._shapes)
        self._unions = Unions(plan, self._names, self._shapes, self._tables)
        self._constructors = Constructors(plan, self._names, self._structs)
        self._pairs = Pairs(plan, self._names, self._shapes, self._tables, self._constructors)
        self._launches = Launches(plan, self._names, self._shapes, self._pairs)

    def files(self) -> Iterator[File]:
        """Every file of the crate that is rendered from a template."""
        structs = self._structs.views()
        pairs = self._pairs.file()
        launches = self._launches.view() if self._plan.launches else None
        enums = tuple(enum_view(enum, self._names, self._places) for enum in self._plan.model.enums)
        areas = self._areas(enums, structs)
        yield File("Cargo.toml", "Cargo.toml.j2", self._manifest())
        yield LICENSE
        yield File("README.md", "README.md.j2", self._readme(pairs))
        for area in areas:
            yield File(f"src/{area.name}.rs", "area.rs.j2", area)
        sources: dict[str, View | None] = {
            "launches.rs": launches,
            "lib.rs": self._lib(pairs, areas),
            "pairs.rs": pairs,
            "plan.rs": self._tables_file(),
            "records.rs": self._records(enums),
        }
        for path, view in sources.items():
            if view is not None:
                yield File(f"src/{path}", f"{path}.j2", view)

    @property
    def _protocol(self) -> Protocol:
        return self._plan.model.protocol

    @property
    def _has_processes(self) -> bool:
        return "process" in self._plan.features

    @property
    def _oldest(self) -> str:
        return self._protocol.oldest or self._protocol.version

    @property
    def _crate(self) -> str:
        return crate_of(self._plan.model)

    def _manifest(self) -> ManifestView:
        return ManifestView(
            self._crate, self._protocol.package_version, RUST_VERSION, self._protocol.title, self._has_processes
        )

    def _areas(self, enums: tuple[EnumView, ...], structs: tuple[StructView, ...]) -> tuple[AreaView, ...]:
        """The modules of all declarations, by name."""
        impls = self._constructors.impls()
        unions, unknowns, aliases = self._unions.views(), self._unions.unknowns(), self._unions.aliases()
        of = self._names.area
        names = {of(name) for name in self._plan.model.declarations}
        names |= {each.area for each in self._shapes.choices.values()}
        names |= {each.area for each in self._shapes.literals.values()}
        declared = {each.name: of(each.name) for each in self._plan.model.enums}
        by_enum = {self._names.type(name): area for name, area in declared.items()}
        return tuple(
            AreaView(
                name=area,
                shared=tuple(self._shared(area)),
                enums=tuple(each for each in enums if by_enum[each.name] == area),
                structs=tuple(each for each in structs if of(each.spec_name) == area),
                impls=tuple(each for each in impls if of(each.spec_name) == area),
                unions=tuple(each for each in unions if of(each.spec_name) == area),
                unknowns=tuple(each for each in unknowns if of(each.union) == area),
                literals=tuple(each for each in self._shapes.literals.values() if each.area == area),
                choices=tuple(each for each in self._shapes.choices.values() if each.area == area),
                aliases=tuple(each for each in aliases if of(each.spec_name) == area),
            )
            for area in sorted(names)
        )

    def _shared(self, area: str) -> Iterator[Export]:
        """The items of other modules that the module of an area re-exports."""
        homes = {each.name: each.area for each in self._shapes.choices.values()}
        homes |= {each.name: each.area for each in self._shapes.literals.values()}
        used = sorted(name for user, name in self._shapes.uses if user == area and homes[name] != area)
        for home in sorted({homes[name] for name in used}):
            yield Export(home, tuple(name for name in used if homes[name] == home))

    def _lib(self, pairs: PairsFileView | None, areas: tuple[AreaView, ...]) -> LibView:
        model = self._plan.model
        types = [
            name for name, each in model.declarations.items() if not isinstance(each, Alias) or self._is_type(each)
        ]
        aliases = [each.name for each in model.aliases if not self._is_type(each)]
        return LibView(
            crate_name=self._crate.replace("-", "_"),
            root=self._names.type(self._plan.root),
            title=layout.prose(self._protocol.title),
            version=layout.prose(self._protocol.version),
            package_version=quoted(self._protocol.package_version),
            protocol_oldest=quoted(self._oldest),
            protocol_newest=quoted(self._protocol.version),
            recursion_limit=recursion_limit(model),
            framing=self._protocol.framing.replace("-", "_"),
            has_pairs=pairs is not None,
            has_controls=self._plan.controls is not None,
            has_launches=bool(self._plan.launches),
            has_processes=self._has_processes,
            has_mixins=any(area.name == MIXINS for area in areas),
            areas=tuple(area.name for area in areas if area.name != MIXINS),
            modules=tuple(area.name for area in areas),
            exports=tuple(self._exports()),
            types=tuple(map(self._type, types)),
            aliases=tuple(map(self._type, aliases)),
            roots=tuple(map(self._type, dict.fromkeys(self._protocol.roots))),
            unknowns=tuple(
                TypeView(quoted(each.name), self._names.unknown(each.union)) for each in self._plan.unknowns
            ),
            launches=tuple(self._type(each.struct.name) for each in self._plan.launches),
            sessions=() if pairs is None or pairs.controls is None else tuple(_abilities(pairs.controls)),
        )

    def _launch_row(self) -> LaunchRow | None:
        if not self._plan.launches:
            return None
        struct = self._plan.launches[0].struct
        view = self._launches.view().records[0]
        return LaunchRow(view.record, self._names.area(struct.name), tuple(each.name for each in view.methods))

    def _is_type(self, alias: Alias) -> bool:
        """Whether an alias has its own type."""
        return self._shapes.is_enum(alias) or self._shapes.is_struct(alias)

    def _exports(self) -> Iterator[Export]:
        """The items of areas that the root of the crate re-exports."""
        found = {name: area for _, name, area in self.exported()}
        for area in sorted(set(found.values())):
            yield Export(area, tuple(sorted(name for name, home in found.items() if home == area)))

    def exported(self) -> Iterator[tuple[ApiPath, str, str]]:
        """The types that the root of the crate re-exports, each with its name and area.

        They are the roots without enums, the envelopes of controls, and the unions among their variants, with the
        Unknowns.
        """
        model, controls = self._plan.model, self._plan.controls
        names = [name for name in self._protocol.roots if not isinstance(model.declarations[name], Enum)]
        if controls is not None:
            names += [controls.request.struct.name, controls.response.struct.name]
        unions = [union for name in names for union in self._unions_in(name)]
        for name in dict.fromkeys((*names, *(union.name for union in unions))):
            yield (name,), self._names.type(name), self._names.area(name)
        homes = {(home := self._plan.unknown_of(union).union).name: home for union in unions if union.open}
        for name, home in homes.items():
            yield (name, "unknown"), self._names.unknown(home), self._names.area(name)

    def shared(self) -> Iterator[tuple[str, str]]:
        """The inline unions and literals, each with the public modules whose types use it."""
        self._structs.views()
        self._unions.unknowns()
        self._unions.aliases()
        self._pairs.file()
        declared = {each.name for each in self._shapes.choices.values() if each.alias is not None}
        yield from sorted((name, area) for area, name in self._shapes.uses if area != MIXINS and name not in declared)

    def _unions_in(self, name: str) -> Iterator[Union]:
        """A union, and the unions among its variants."""
        if name in self._plan.unions:
            union = self._plan.unions[name].union
            yield union
            for each in variant_types(union.dispatch):
                yield from self._unions_in(each)

    def _type(self, name: str) -> TypeView:
        return TypeView(quoted(name), self._names.type(name))

    def _tables_file(self) -> PlanFileView:
        return PlanFileView(
            tuple(TableRow(quoted(name), self._tables.row(row)) for name, row in self._plan.rows.items())
        )

    def _records(self, enums: tuple[EnumView, ...]) -> RecordsFileView:
        return RecordsFileView(
            enums=enums,
            structs=self._structs.records(self._places),
            unions=self._unions.codecs(self._places),
            unknowns=self._unions.unknown_codecs(self._places),
            choices=tuple(map(self._choice, self._shapes.choices.values())),
            newtypes=tuple(
                NewtypeView(each.name, quoted(each.spec_name), each.type, self._places[each.spec_name])
                for each in self._unions.aliases()
                if each.is_struct
            ),
            literals=tuple(
                LiteralCodecView(each.name, self._tables.scalar(each.value)) for each in self._shapes.literals.values()
            ),
        )

    def _choice(self, view: ChoiceView) -> ChoiceCodecView:
        declared = None if view.alias is None else TypeView(quoted(view.alias), view.name)
        null = len(view.variants) if view.null else None
        return ChoiceCodecView(
            name=view.name,
            held=tuple(each for each in view.variants if each.literal is None),
            numbered=numbered(map(self._kind, view.variants)),
            null=null,
            declared=declared,
            place=self._places.get(view.alias or ""),
            spelt=quoted(spell(view.type)),
            rule=self._tables.type(view.type),
        )

    def _kind(self, variant: ChoiceVariant) -> str:
        if variant.literal is None:
            return variant.name
        return f"{variant.name} = {self._tables.scalar(variant.literal.value)}"

    def _readme(self, pairs: PairsFileView | None) -> ReadmeView:
        root = self._names.type(self._plan.root)
        controls = None if pairs is None else pairs.controls
        refusal = None if controls is None else controls.refusal
        return ReadmeView(
            readme=readme(
                self._plan,
                "rust",
                self._crate,
                layout.ESCAPED,
                name=self._names.type,
                call=snake,
                event="Event::",
                constructors=map(_row, self._constructors.views()),
                answers=((each.request, each.answer) for each in (() if controls is None else controls.pairs)),
            ),
            crate_name=self._crate.replace("-", "_"),
            rust_version=RUST_VERSION,
            reader_imports=", ".join(sorted((root, "ReadError", "Reader"), key=str.lower)),
            draws_uuid=any(each.made.draws_uuid for each in self._plan.constructors if not each.is_plain),
            has_parts=refusal is not None and refusal.has_parts,
            data_types=refusal is not None and refusal.data is not None,
            peer="" if controls is None else self._names.peer(self._protocol.peers[-1]),
            launch=self._launch_row(),
            tools=() if pairs is None else tuple(each.kind for each in pairs.tools),
            has_literals=any(isinstance(each, LiteralType) for each in types(self._plan.model)),
            has_tuples="tuples" in self._plan.features,
        )


def _row(view: ConstructorView) -> tuple[str, str]:
    names = ", ".join(each.name for each in view.takes.parameters)
    given = names if view.takes.named is None else f"{view.takes.named.name} {{ {names} }}"
    return f"{view.struct}::{view.name}({given})", view.summary


def _abilities(controls: ControlsView) -> Iterator[str]:
    """The abilities of sessions besides requests, with the parts of an error."""
    refusal = controls.refusal
    code, data = refusal is not None and refusal.has_code, refusal is not None and refusal.data is not None
    parts = "".join([" code" * code, " data" * data])
    yield f"receive{parts}"
    if refusal is not None:
        yield f"refuse {'refusal' if refusal.has_parts else 'text'}{parts}"
    if controls.notify is not None:
        yield "notify"
    if controls.cancel is not None:
        yield "cancel"
