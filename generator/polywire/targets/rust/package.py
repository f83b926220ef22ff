"""The plan → the views of a crate's files.

There is one class for each template, with the fields that the template uses; those of `structs`, `unions`, `construct`
and `pairs` are in the modules that build them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from polywire.model.graphs import longest_chain
from polywire.model.nodes import Alias, Enum, Model, Protocol, Struct, Union
from polywire.model.walk import spell, types, uses
from polywire.plan import Plan
from polywire.plan.needs import Needs
from polywire.plan.trees import TreePlan
from polywire.source.types import Choice, LiteralType
from polywire.targets.common.api_surface import ApiPath
from polywire.targets.common.base import LICENSE, File, View
from polywire.targets.common.naming import snake
from polywire.targets.common.readme import Readme, readme
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ConstructorView, ImplView
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.enums import EnumView, enum_view
from polywire.targets.rust.launches import Launches
from polywire.targets.rust.layout import quoted
from polywire.targets.rust.names import MIXINS, Home, Names, variant_types
from polywire.targets.rust.pairs import ControlsView, Pairs, PairsFileView
from polywire.targets.rust.shapes import ChoiceVariant, ChoiceView, LiteralView, Shapes
from polywire.targets.rust.source import Tables, base, places
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

V = TypeVar("V")

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
    features: tuple[str, ...]
    """What parts of the crate are needed for, by default all of it."""
    process: tuple[str, ...]
    """The feature among these that processes need, if there is one."""


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
class TreeView:
    """A tree of entries."""

    spec_name: str
    name: str
    doc: str
    lines: str
    """The type of its lines."""
    condition: str | None
    """The attribute of what its lines need."""
    ids: tuple[tuple[str, str], ...]
    """The keys of its row with their values."""


@dataclass(frozen=True, slots=True)
class TreesView:
    """The view for `trees.rs`."""

    trees: tuple[TreeView, ...]


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
    pairs: ModuleView | None
    """The module of controls, and of tools if they have none of their own."""
    tool_types: ModuleView | None
    has_controls: bool
    has_launches: bool
    has_processes: bool
    has_mixins: bool
    areas: tuple[ModuleView, ...]
    """The public modules of types."""
    modules: tuple[ModuleView, ...]
    """All modules of types."""
    features: tuple[str, ...]
    """What parts of the crate are needed for."""
    session: str | None
    """The attribute of what sessions need."""
    launch: str | None
    """The attribute of what options need that start a process."""
    exports: tuple[Export, ...]
    types: tuple[TypeView, ...]
    aliases: tuple[TypeView, ...]
    roots: tuple[TypeView, ...]
    unknowns: tuple[TypeView, ...]
    sessions: tuple[str, ...]
    """The abilities of sessions as arguments of a macro; empty if there are no sessions."""
    launches: tuple[TypeView, ...]
    """The records that start a process."""
    trees: ModuleView | None
    each_tree: tuple[TreeView, ...]
    use: Callable[..., str] = layout.use


@dataclass(frozen=True, slots=True)
class ModuleView:
    """A module, with its attribute if a crate does not always have it."""

    name: str
    condition: str | None


@dataclass(frozen=True, slots=True)
class AreaView:
    """The module of an area: the declarations of one file of the spec."""

    name: str
    parts: tuple[ModuleView, ...]
    """The modules of its declarations that a crate does not always have, if it always has others."""
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
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A declaration in the tables."""

    spec_name: str
    row: str
    condition: str | None


@dataclass(frozen=True, slots=True)
class BaseView:
    """The index of the first of some rows that a crate does not always have."""

    name: str
    """Its constant."""
    before: str
    """The constant before it, or the number of rows that every crate has."""
    predicate: str
    """The condition under which there are rows between both; empty if there are none."""
    count: int
    """The number of those rows."""


@dataclass(frozen=True, slots=True)
class PlanFileView:
    """The view for `plan.rs`."""

    bases: tuple[BaseView, ...]
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
    place: str | None
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
    place: str


@dataclass(frozen=True, slots=True)
class RecordsFileView:
    """The view for `records.rs`, and for the modules in it."""

    parts: tuple[ModuleView, ...]
    """The modules of what a crate does not always have."""
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
    features: tuple[str, ...]
    """What parts of the crate are needed for."""
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
    tree_lines: str
    """The type of the lines of the first tree; empty if there is none."""
    tree_area: str
    """The module of this type."""
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
        self._places = places(plan, self._names)
        self._tables = Tables(plan, self._names, self._shapes, self._places)
        for alias in plan.model.aliases:
            if isinstance(alias.type, Choice) and self._shapes.is_enum(alias):
                self._shapes.home = self._names.home(alias.name)
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
        for path, area in areas.items():
            yield File(f"src/{path}.rs", "area.rs.j2", area)
        for path, records in self._records(enums).items():
            yield File(f"src/{path}.rs", "records.rs.j2", records)
        sources: dict[str, View] = {
            **({} if launches is None else {"launches.rs": launches}),
            **({"trees.rs": TreesView(self._trees())} if self._plan.trees else {}),
            "lib.rs": self._lib(pairs),
            "plan.rs": self._tables_file(),
        }
        for path, view in sources.items():
            yield File(f"src/{path}", f"{path}.j2", view)
        for path, both in self._parts(pairs).items():
            yield File(f"src/{path}.rs", "pairs.rs.j2", both)

    def _parts(self, pairs: PairsFileView | None) -> dict[str, PairsFileView]:
        """Controls and tools, by path: in one module, unless they are needed for different things."""
        if pairs is None or self._names.needs.session == self._names.needs.tools:
            return {} if pairs is None else {"pairs": pairs}
        parts = {"pairs": replace(pairs, tools=()), "tool_types": replace(pairs, controls=None)}
        return {path: each for path, each in parts.items() if each.controls or each.tools}

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
        needs = self._names.needs
        return ManifestView(
            package=self._crate,
            package_version=self._protocol.package_version,
            rust_version=RUST_VERSION,
            title=self._protocol.title,
            has_processes=self._has_processes,
            features=needs.names,
            process=(min(needs.launch),) if needs.launch else (),
        )

    def _areas(self, enums: tuple[EnumView, ...], structs: tuple[StructView, ...]) -> dict[str, AreaView]:
        """The modules of all declarations, by path."""
        impls = self._constructors.impls()
        unions, unknowns, aliases = self._unions.views(), self._unions.unknowns(), self._unions.aliases()
        of, home_of = self._names.home, self._shapes.home_of
        choices, literals = self._shapes.choices.values(), self._shapes.literals.values()
        by_enum = {self._names.type(each.name): of(each.name) for each in self._plan.model.enums}
        found = {}
        for area, kinds in self._kinds().items():
            for needs in sorted({*kinds, *([] if len(kinds) == 1 else [frozenset[str]()])}, key=sorted):
                is_part = bool(needs) and len(kinds) > 1
                home = Home(area, needs)
                found[f"{area}/{module_of(needs)}" if is_part else area] = AreaView(
                    name=area,
                    parts=() if needs else modules(kinds),
                    shared=tuple(self._shared(home)),
                    enums=tuple(each for each in enums if by_enum[each.name] == home),
                    structs=tuple(each for each in structs if of(each.spec_name) == home),
                    impls=tuple(each for each in impls if of(each.spec_name) == home),
                    unions=tuple(each for each in unions if of(each.spec_name) == home),
                    unknowns=tuple(each for each in unknowns if of(each.union) == home),
                    literals=tuple(each for each in literals if home_of(each) == home),
                    choices=tuple(each for each in choices if home_of(each) == home),
                    aliases=tuple(each for each in aliases if of(each.spec_name) == home),
                )
        return found

    def _kinds(self) -> dict[str, list[Needs]]:
        """The areas, each with the needs of its items."""
        homes = {self._names.home(name) for name in self._plan.model.declarations}
        homes |= {self._shapes.home_of(each) for each in self._shapes.choices.values()}
        homes |= {self._shapes.home_of(each) for each in self._shapes.literals.values()}
        found: dict[str, list[Needs]] = {}
        for home in sorted(homes, key=lambda home: (home.area, sorted(home.needs))):
            found.setdefault(home.area, []).append(home.needs)
        return found

    def _shared(self, user: Home) -> Iterator[Export]:
        """The items of other modules that the module of an area re-exports."""
        homes = {each.name: each.area for each in self._shapes.choices.values()}
        homes |= {each.name: each.area for each in self._shapes.literals.values()}
        used = sorted(name for home, name in self._shapes.uses if home == user and homes[name] != user.area)
        for home in sorted({homes[name] for name in used}):
            yield Export(home, tuple(name for name in used if homes[name] == home))

    def _lib(self, pairs: PairsFileView | None) -> LibView:
        model = self._plan.model
        types = [
            name for name, each in model.declarations.items() if not isinstance(each, Alias) or self._is_type(each)
        ]
        aliases = [each.name for each in model.aliases if not self._is_type(each)]
        kinds, needs, parts = self._kinds(), self._names.needs, self._parts(pairs)
        areas = tuple(
            ModuleView(area, layout.condition(own[0]) if len(own) == 1 and area != MIXINS else None)
            for area, own in kinds.items()
        )
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
            pairs=ModuleView("pairs", layout.condition(needs.session)) if "pairs" in parts else None,
            tool_types=ModuleView("tool_types", layout.condition(needs.tools)) if "tool_types" in parts else None,
            has_controls=self._plan.controls is not None,
            has_launches=bool(self._plan.launches),
            has_processes=self._has_processes,
            has_mixins=MIXINS in kinds,
            areas=tuple(area for area in areas if area.name != MIXINS),
            modules=areas,
            features=needs.names,
            session=layout.condition(needs.session),
            launch=layout.condition(needs.launch),
            exports=tuple(self._exports()),
            types=tuple(map(self._type, types)),
            aliases=tuple(map(self._type, aliases)),
            roots=tuple(map(self._type, dict.fromkeys(self._protocol.roots))),
            unknowns=tuple(
                TypeView(quoted(each.name), self._names.unknown(each.union)) for each in self._plan.unknowns
            ),
            launches=tuple(self._type(each.struct.name) for each in self._plan.launches),
            trees=self._tree_module(),
            each_tree=self._trees(),
            sessions=() if pairs is None or pairs.controls is None else tuple(_abilities(pairs.controls)),
        )

    def _tree_module(self) -> ModuleView | None:
        """The module of the trees, which a crate has if it has the lines of any."""
        needs = [self._names.needs.declared[each.tree.lines] for each in self._plan.trees]
        any_of = frozenset[str]().union(*needs) if all(needs) else frozenset[str]()
        return ModuleView("trees", layout.condition(any_of)) if needs else None

    def _trees(self) -> tuple[TreeView, ...]:
        return tuple(map(self._tree, self._plan.trees))

    def _tree(self, planned: TreePlan) -> TreeView:
        tree, name = planned.tree, self._names.tree(planned.tree)
        ids = {
            key: planned.ids[key].steps if key in planned.ids else ()
            for key in ("id", "parent", "attached", "previous")
        }
        return TreeView(
            spec_name=quoted(tree.name),
            name=name,
            doc=layout.doc(documentation(tree.about, f"A tree of `{self._names.type(tree.lines)}`."), layout.INDENT),
            lines=self._names.type(tree.lines),
            condition=layout.condition(self._names.needs.declared[tree.lines]),
            ids=tuple((key, _slice(_slice(map(quoted, names)) for names in steps)) for key, steps in ids.items()),
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
        found = {name: home for _, name, home in self.exported()}
        for home in sorted(set(found.values()), key=lambda home: (home.area, sorted(home.needs))):
            names = sorted(name for name, each in found.items() if each == home)
            yield Export(home.area, tuple(names), layout.condition(home.needs))

    def exported(self) -> Iterator[tuple[ApiPath, str, Home]]:
        """The types that the root of the crate re-exports, each with its name and where it is.

        They are the roots without enums, the envelopes of controls, and the unions among their variants, with the
        Unknowns.
        """
        model, controls = self._plan.model, self._plan.controls
        names = [name for name in self._protocol.roots if not isinstance(model.declarations[name], Enum)]
        if controls is not None:
            names += [controls.request.struct.name, controls.response.struct.name]
        unions = [union for name in names for union in self._unions_in(name)]
        for name in dict.fromkeys((*names, *(union.name for union in unions))):
            yield (name,), self._names.type(name), self._names.home(name)
        homes = {(home := self._plan.unknown_of(union).union).name: home for union in unions if union.open}
        for name, home in homes.items():
            yield (name, "unknown"), self._names.unknown(home), self._names.home(name)

    def shared(self) -> Iterator[tuple[str, str]]:
        """The inline unions and literals, each with the public modules whose types use it."""
        self._structs.views()
        self._unions.unknowns()
        self._unions.aliases()
        self._pairs.file()
        declared = {each.name for each in self._shapes.choices.values() if each.alias is not None}
        uses = {(name, home.area) for home, name in self._shapes.uses}
        yield from sorted((name, area) for name, area in uses if area != MIXINS and name not in declared)

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
        declared = self._names.needs.declared
        counts = Counter(declared[name] for name in self._plan.rows)
        kinds = sorted(counts, key=sorted)
        bases = (
            BaseView(base(needs), base(before) or str(counts[before]), layout.predicate(before), counts[before])
            for before, needs in pairwise(kinds)
        )
        rows = sorted(self._plan.rows.items(), key=lambda row: sorted(declared[row[0]]))
        return PlanFileView(
            tuple(bases),
            tuple(
                TableRow(quoted(name), self._tables.row(row), layout.condition(declared[name])) for name, row in rows
            ),
        )

    def _records(self, enums: tuple[EnumView, ...]) -> dict[str, RecordsFileView]:
        """The codecs of all types, by path."""
        structs, unions = self._structs.records(self._places), self._unions.codecs(self._places)
        unknowns, aliases = self._unions.unknown_codecs(self._places), self._unions.aliases()
        declared, home_of = self._names.needs.declared, self._shapes.home_of
        choices, literals = self._shapes.choices.values(), self._shapes.literals.values()
        kinds = {needs for own in self._kinds().values() for needs in own} | {frozenset[str]()}
        return {
            f"records/{module_of(needs)}" if needs else "records": RecordsFileView(
                parts=() if needs else modules(kinds),
                enums=_of(needs, declared, self._plan.model.enums, enums),
                structs=_of(needs, declared, self._plan.model.structs, structs),
                unions=_of(needs, declared, self._plan.model.unions, unions),
                unknowns=_of(needs, declared, (each.union for each in self._plan.unknowns), unknowns),
                choices=tuple(self._choice(each) for each in choices if home_of(each).needs == needs),
                newtypes=tuple(
                    NewtypeView(each.name, quoted(each.spec_name), each.type, self._places[each.spec_name])
                    for each in aliases
                    if each.is_struct and declared[each.spec_name] == needs
                ),
                literals=tuple(
                    LiteralCodecView(each.name, self._tables.scalar(each.value))
                    for each in literals
                    if home_of(each).needs == needs
                ),
            )
            for needs in kinds
        }

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
                tree=self._names.tree,
                call=snake,
                event="Event::",
                constructors=map(_row, self._constructors.views()),
                answers=((each.request, each.answer) for each in (() if controls is None else controls.pairs)),
            ),
            crate_name=self._crate.replace("-", "_"),
            rust_version=RUST_VERSION,
            features=self._names.needs.names,
            reader_imports=", ".join(sorted((root, "ReadError", "Reader"), key=str.lower)),
            draws_uuid=any(each.made.draws_uuid for each in self._plan.constructors if not each.is_plain),
            has_parts=refusal is not None and refusal.has_parts,
            data_types=refusal is not None and refusal.data is not None,
            peer="" if controls is None else self._names.peer(self._protocol.peers[-1]),
            launch=self._launch_row(),
            tools=() if pairs is None else tuple(each.kind for each in pairs.tools),
            tree_lines=next((self._names.type(each.tree.lines) for each in self._plan.trees), ""),
            tree_area=next((self._names.area(each.tree.lines) for each in self._plan.trees), ""),
            has_literals=any(isinstance(each, LiteralType) for each in types(self._plan.model)),
            has_tuples="tuples" in self._plan.features,
        )


def _slice(items: Iterable[str]) -> str:
    return f"&[{', '.join(items)}]"


def module_of(needs: Needs) -> str:
    """The module of what a crate does not always have."""
    return f"for_{'_or_'.join(sorted(needs))}"  # clippy objects to a module with the name of the one around it


def modules(kinds: Iterable[Needs]) -> tuple[ModuleView, ...]:
    """The modules of what a crate does not always have."""
    some = sorted(filter(None, kinds), key=sorted)
    return tuple(ModuleView(module_of(each), layout.condition(each)) for each in some)


def _of(
    needs: Needs, by_name: Mapping[str, Needs], declared: Iterable[Enum | Struct | Union], views: Iterable[V]
) -> tuple[V, ...]:
    """The views of the declarations with some needs."""
    return tuple(view for each, view in zip(declared, views, strict=True) if by_name[each.name] == needs)


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
