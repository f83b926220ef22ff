"""What the templates see: a view for each file of the package (`polywire.targets.go`)."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.targets.go.construct import GoConstructor
from polywire.targets.go.declarations import AliasView, EitherView, EnumView, InterfaceView, StructView
from polywire.targets.go.pairs import ControlsView, ToolsView
from polywire.targets.go.sample import EventSample, FlatSample, ReplySample, Sample, ToolSample
from polywire.targets.go.tables import FlatTable, LineTable, NamedView, TableView
from polywire.targets.go.unions import GoUnion


@dataclass(frozen=True, slots=True)
class Imports:
    """The packages that a file imports, as literals."""

    standard: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self.standard or self.others)


@dataclass(frozen=True, slots=True)
class ModuleView:
    """`go.mod` and `go.sum`."""

    module: str


@dataclass(frozen=True, slots=True)
class ConstructorLine:
    """A constructor, as a page lists it."""

    name: str
    signature: str
    about: str


@dataclass(frozen=True, slots=True)
class ReadmeView:
    """`README.md`."""

    module: str
    package: str
    title: str
    version: str
    oldest: str
    package_version: str
    introduction: str
    root_go: str
    root_own: str
    constructors: tuple[ConstructorLine, ...]
    controls: ControlsView | None
    has_tools: bool
    readme: str
    """What only this protocol's package says, as Markdown."""
    changes: tuple[tuple[str, str], ...]
    """Version, and what it brought, as Markdown."""


@dataclass(frozen=True, slots=True)
class DocView:
    """`doc.go`."""

    package: str
    about: str
    root_own: str
    controls: bool
    refuses: bool


@dataclass(frozen=True, slots=True)
class ExamplesView:
    """`examples_test.go`."""

    module: str
    package: str
    root_go: str
    root_own: str
    sample: Sample | None
    reply: ReplySample | None
    tool: ToolSample | None
    flat: FlatSample | None
    event: EventSample | None


@dataclass(frozen=True, slots=True)
class EnumsView:
    """`enums.go`."""

    package: str
    enums: tuple[EnumView, ...]
    aliases: tuple[AliasView, ...]
    callbacks: tuple[tuple[str, str, str], ...]
    """The types of functions: name, type, and what for."""


@dataclass(frozen=True, slots=True)
class TypesView:
    """`types.go`."""

    package: str
    imports: Imports
    structs: tuple[StructView, ...]


@dataclass(frozen=True, slots=True)
class UnionsView:
    """`unions.go`."""

    package: str
    imports: Imports
    interfaces: tuple[InterfaceView, ...]
    decoders: tuple[GoUnion, ...]
    flats: tuple[StructView, ...]
    eithers: tuple[EitherView, ...]
    unknowns: tuple[StructView, ...]


@dataclass(frozen=True, slots=True)
class TablesView:
    """`tables.go`."""

    package: str
    structs: tuple[TableView, ...]
    unions: tuple[LineTable, ...]
    flats: tuple[FlatTable, ...]
    eithers: tuple[LineTable, ...]
    unknowns: tuple[LineTable, ...]
    aliases: tuple[LineTable, ...]
    enums: tuple[LineTable, ...]


@dataclass(frozen=True, slots=True)
class ConstructView:
    """`construct.go`."""

    package: str
    uses_uuid: bool
    constructors: tuple[GoConstructor, ...]


@dataclass(frozen=True, slots=True)
class PairsView:
    """`pairs.go`."""

    package: str
    controls: ControlsView | None
    tools: tuple[ToolsView, ...]


@dataclass(frozen=True, slots=True)
class ProtocolView:
    """`protocol.go`."""

    package: str
    package_version: str
    oldest: str
    newest: str
    root_go: str
    root_rule: str
    named: tuple[NamedView, ...]
    interfaces: tuple[GoUnion, ...]


@dataclass(frozen=True, slots=True)
class JSONView:
    """`json_v2.go`."""

    package: str
    interfaces: tuple[GoUnion, ...]
