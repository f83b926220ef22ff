"""What the templates see: a view for each file of the package (`polywire.targets.go`)."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.targets.go.declarations import (
    AliasView,
    EnumView,
    FlatView,
    InterfaceView,
    StructView,
    UnknownView,
    UnmarshalView,
)
from polywire.targets.go.declarations import EitherView as EitherDeclaration
from polywire.targets.go.pairs import ControlsView, ToolsView
from polywire.targets.go.sample import EventSample, FlatSample, ReplySample, ToolSample
from polywire.targets.go.tables import FlatTable, LineTable, NamedView, TableView, UnionTable


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
class LicenseView:
    """`LICENSE`."""


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
class ChangeView:
    """What a version of the packages brought."""

    version: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadmeView:
    """`README.md`."""

    module: str
    package: str
    title: str
    version: str
    package_version: str
    introduction: str
    root_go: str
    root_own: str
    constructors: tuple[ConstructorLine, ...]
    controls: ControlsView | None
    has_tools: bool
    readme: str
    """What only this protocol's package says, as Markdown."""
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True)
class DocView:
    """`doc.go`."""

    package: str
    about: str
    root_own: str
    controls: bool
    refuses: bool


@dataclass(frozen=True, slots=True)
class SampleView:
    """The line that the examples decode."""

    text: str
    newer: str
    """Both as literals."""
    line: str
    """The text itself."""
    go: str
    key: str


@dataclass(frozen=True, slots=True)
class ExamplesView:
    """`examples_test.go`."""

    module: str
    package: str
    root_go: str
    root_own: str
    sample: SampleView | None
    reply: ReplySample | None
    tool: ToolSample | None
    flat: FlatSample | None
    event: EventSample | None


@dataclass(frozen=True, slots=True)
class CallbackView:
    """The type of a function."""

    name: str
    go: str
    use: str


@dataclass(frozen=True, slots=True)
class EnumsView:
    """`enums.go`."""

    package: str
    enums: tuple[EnumView, ...]
    aliases: tuple[AliasView, ...]
    callbacks: tuple[CallbackView, ...]


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
    decoders: tuple[UnmarshalView, ...]
    flats: tuple[FlatView, ...]
    eithers: tuple[EitherDeclaration, ...]
    unknowns: tuple[UnknownView, ...]


@dataclass(frozen=True, slots=True)
class TablesView:
    """`tables.go`."""

    package: str
    structs: tuple[TableView, ...]
    unions: tuple[UnionTable, ...]
    flats: tuple[FlatTable, ...]
    eithers: tuple[LineTable, ...]
    unknowns: tuple[LineTable, ...]
    enums: tuple[LineTable, ...]


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A constructor."""

    name: str
    doc: str
    signature: str
    struct: str
    result: str
    wrap: str
    """The rule of the struct, if the result is a flat struct of it."""
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstructView:
    """`construct.go`."""

    package: str
    uses_uuid: bool
    constructors: tuple[FunctionView, ...]


@dataclass(frozen=True, slots=True)
class PairsView:
    """`pairs.go`."""

    package: str
    controls: ControlsView | None
    tools: tuple[ToolsView, ...]


@dataclass(frozen=True, slots=True)
class UnionToken:
    """A union, as it is asked for by its Go type."""

    own: str
    go: str


@dataclass(frozen=True, slots=True)
class ProtocolView:
    """`protocol.go`."""

    package: str
    package_version: str
    protocol_version: str
    root_go: str
    root_rule: str
    named: tuple[NamedView, ...]
    interfaces: tuple[UnionToken, ...]


@dataclass(frozen=True, slots=True)
class JSONView:
    """`json_v2.go`."""

    package: str
    interfaces: tuple[UnionToken, ...]
