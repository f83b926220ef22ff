"""What the templates see: a view for each file of the package (`polywire.targets.go`)."""

from __future__ import annotations

from dataclasses import dataclass

from polywire.targets.go.codecs import (
    ChoiceView,
    ClosedEnum,
    EitherView,
    HelperView,
    ReadStruct,
    ReadUnion,
    ReadUnknown,
    TagView,
    WriteFlat,
    WriteStruct,
    WriteUnion,
)
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
from polywire.targets.go.tables import RowView


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
class DecodeView:
    """`decode.go`."""

    package: str
    structs: tuple[ReadStruct, ...]
    tags: tuple[TagView, ...]
    unions: tuple[ReadUnion, ...]
    unknowns: tuple[ReadUnknown, ...]
    choices: tuple[ChoiceView, ...]
    eithers: tuple[EitherView, ...]
    enums: tuple[ClosedEnum, ...]
    helpers: tuple[HelperView, ...]


@dataclass(frozen=True, slots=True)
class EncodeView:
    """`encode.go`."""

    package: str
    structs: tuple[WriteStruct, ...]
    unions: tuple[WriteUnion, ...]
    flats: tuple[WriteFlat, ...]
    unknowns: tuple[ReadUnknown, ...]
    choices: tuple[ChoiceView, ...]
    eithers: tuple[EitherView, ...]
    enums: tuple[ClosedEnum, ...]
    helpers: tuple[HelperView, ...]


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A constructor."""

    name: str
    doc: str
    signature: str
    struct: str
    result: str
    wrap: str
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
class PlanView:
    """`plan.go`."""

    package: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class CodecView:
    """A declared type, as it is asked for by its name or its Go type."""

    spec: str
    go: str
    maker: str
    reader: str
    writer: str
    owns_type: bool
    """Whether the Go type is this one's own."""


@dataclass(frozen=True, slots=True)
class ProtocolView:
    """`protocol.go`."""

    package: str
    package_version: str
    protocol_version: str
    root_go: str
    codecs: tuple[CodecView, ...]
    decodable: tuple[CodecView, ...]
    """Those whose Go types can be asked for, each once."""
