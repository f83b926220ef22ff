"""The plan → the views of a crate's files.

One class a template, with the fields that the template uses; those of `structs`, `unions`, `construct` and `pairs` are
beside what makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Alias, Choice, Model, Protocol
from polywire.plan import Plan
from polywire.targets.base import File, View
from polywire.targets.release import Release, package_version, release_view
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ConstructorView
from polywire.targets.rust.docs import text
from polywire.targets.rust.enums import EnumsFileView, EnumView, enum_view
from polywire.targets.rust.layout import markdown, quoted
from polywire.targets.rust.names import Names
from polywire.targets.rust.pairs import Pairs, PairsFileView, PairView
from polywire.targets.rust.shapes import ChoiceVariant, ChoiceView, Shapes
from polywire.targets.rust.source import Tables
from polywire.targets.rust.structs import RecordView, Structs, StructsFileView
from polywire.targets.rust.unions import AliasView, UnionCodecView, Unions

RUST_VERSION = "1.85"
"""The oldest Rust that the crate is tested with."""


@dataclass(frozen=True, slots=True)
class ManifestView:
    """What `Cargo.toml` says."""

    package: str
    package_version: object
    rust_version: str
    title: str


@dataclass(frozen=True, slots=True)
class LicenseView:
    """What `LICENSE` says, which is the same in every crate."""


@dataclass(frozen=True, slots=True)
class TypeView:
    """A type that macros list: its name in the spec, as a literal, and in Rust."""

    spec_name: str
    name: str


@dataclass(frozen=True, slots=True)
class LibView:
    """What `lib.rs` says."""

    crate_name: str
    root: str
    title: str
    version: str
    package_version: str
    protocol_version: str
    """This and the one before are literals."""
    has_controls: bool
    has_pairs: bool
    has_enums: bool
    has_structs: bool
    has_unions: bool
    types: tuple[TypeView, ...]
    aliases: tuple[AliasView, ...]
    roots: tuple[TypeView, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A declaration in the tables."""

    spec_name: str
    row: str


@dataclass(frozen=True, slots=True)
class PlanFileView:
    """What `plan.rs` says."""

    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class ChoiceCodecView:
    """The codec of an inline union."""

    name: str
    variants: tuple[ChoiceVariant, ...]
    null: bool
    declared: TypeView | None
    """The alias that it is the type of, if it is one's."""
    place: int | None
    """The alias's, in the tables."""


@dataclass(frozen=True, slots=True)
class RecordsFileView:
    """What `records.rs` says."""

    enums: tuple[EnumView, ...]
    structs: tuple[RecordView, ...]
    unions: tuple[UnionCodecView, ...]
    choices: tuple[ChoiceCodecView, ...]


@dataclass(frozen=True, slots=True)
class ConstructorRow:
    """A constructor in the README."""

    call: str
    summary: str


@dataclass(frozen=True, slots=True)
class ReadmeView:
    """What the README says."""

    package: str
    crate_name: str
    title: str
    version: str
    release: Release
    rust_version: str
    root: str
    reader_imports: str
    is_root_open: bool
    constructors: tuple[ConstructorRow, ...]
    draws_uuid: bool
    """Whether one of the constructors does."""
    pairs: tuple[PairView, ...]
    tools: tuple[str, ...]
    """`Input`, `Output`, or both."""
    prose: str


def crate_of(model: Model) -> str:
    """What the package is called."""
    return model.packages.get("rust", {}).get("crate") or model.protocol.name


class Package:
    """The crate of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = Names(plan.model)
        self._shapes = Shapes(plan.model, self._names)
        self._places = {name: at for at, name in enumerate(plan.rows)}
        self._tables = Tables(self._places)
        for alias in plan.model.aliases:
            if isinstance(alias.type, Choice) and self._shapes.is_enum(alias):
                self._shapes.choice(alias.type, self._names.type(alias.name), alias.name)
        self._structs = Structs(plan, self._names, self._shapes)
        self._unions = Unions(plan, self._names, self._shapes)
        self._constructors = Constructors(plan, self._names, self._structs)
        self._pairs = Pairs(plan, self._names, self._shapes, self._tables, self._constructors)

    def files(self) -> Iterator[File]:
        """Every file of the crate that a template makes."""
        constructors, pairs = self._constructors.file(), self._pairs.file()
        structs = StructsFileView(self._structs.views())
        enums = tuple(enum_view(enum, self._names, self._places) for enum in self._plan.model.enums)
        yield File("Cargo.toml", "Cargo.toml.j2", self._manifest())
        yield File("LICENSE", "LICENSE.j2", LicenseView())
        yield File("README.md", "README.md.j2", self._readme(pairs))
        sources: dict[str, View | None] = {
            "construct.rs": constructors,
            "enums.rs": EnumsFileView(enums),
            "lib.rs": self._lib(pairs),
            "pairs.rs": pairs,
            "plan.rs": self._tables_file(),
            "records.rs": self._records(enums),
            "structs.rs": structs,
            "unions.rs": self._unions.file(),
        }
        for path, view in sources.items():
            if view is not None:
                yield File(f"src/{path}", f"{path}.j2", view)

    @property
    def _protocol(self) -> Protocol:
        return self._plan.model.protocol

    @property
    def _crate(self) -> str:
        return crate_of(self._plan.model)

    def _manifest(self) -> ManifestView:
        return ManifestView(self._crate, package_version(self._protocol), RUST_VERSION, self._protocol.title)

    def _lib(self, pairs: PairsFileView | None) -> LibView:
        model = self._plan.model
        enums_of_kinds = [alias.name for alias in model.aliases if self._shapes.is_enum(alias)]
        types = [
            name for name, each in model.declarations.items() if not isinstance(each, Alias) or name in enums_of_kinds
        ]
        return LibView(
            crate_name=self._crate.replace("-", "_"),
            root=self._names.type(self._plan.root),
            title=layout.prose(self._protocol.title),
            version=layout.prose(self._protocol.version),
            package_version=quoted(package_version(self._protocol)),
            protocol_version=quoted(self._protocol.version),
            has_controls=pairs is not None and pairs.controls is not None,
            has_pairs=pairs is not None,
            has_enums=bool(model.enums),
            has_structs=bool(model.structs),
            has_unions=bool(model.unions or self._shapes.choices or self._unions.aliases()),
            types=tuple(map(self._type, types)),
            aliases=self._unions.aliases(),
            roots=tuple(map(self._type, dict.fromkeys(self._protocol.roots))),
        )

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
            choices=tuple(map(self._choice, self._shapes.choices.values())),
        )

    def _choice(self, view: ChoiceView) -> ChoiceCodecView:
        declared = None if view.alias is None else TypeView(quoted(view.alias), view.name)
        return ChoiceCodecView(view.name, view.variants, view.null, declared, self._places.get(view.alias or ""))

    def _readme(self, pairs: PairsFileView | None) -> ReadmeView:
        root, union = self._names.type(self._plan.root), self._plan.root_union
        return ReadmeView(
            package=self._crate,
            crate_name=self._crate.replace("-", "_"),
            title=markdown(self._protocol.title),
            version=markdown(self._protocol.version),
            release=release_view(self._protocol, layout.ESCAPED),
            rust_version=RUST_VERSION,
            root=root,
            reader_imports=", ".join(sorted((root, "ReadError", "Reader"), key=str.lower)),
            is_root_open=union is not None and union.union.open,
            constructors=tuple(map(_row, self._constructors.views())),
            draws_uuid=any(each.made.draws_uuid for each in self._plan.constructors if not each.is_plain),
            pairs=() if pairs is None or pairs.controls is None else pairs.controls.pairs,
            tools=() if pairs is None else tuple(each.kind for each in pairs.tools),
            prose=text(self._plan.model.packages.get("rust", {}).get("readme", "")),
        )


def _row(view: ConstructorView) -> ConstructorRow:
    call = f"{view.struct}::{view.name}({', '.join(each.name for each in view.parameters)})"
    return ConstructorRow(call, markdown(view.summary))
