"""The definition of a target: the strategy that turns the model into the views of its templates.

A target module (`targets/NAME.py`) makes every decision of its language and contains no strings of code; the folder
`templates/NAME/` places the views and decides nothing; the folder `runtimes/NAME/` has the library part of a package as
plain source. The registry discovers target modules, so a new language is one module and two folders.

The checks use only the `names` of a target. Everything else a target needs is imported in the method that needs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from polywire.ground.location import SourceLocation
from polywire.model.nodes import Model
from polywire.targets.common.naming import Reserved

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from polywire.plan import Plan
    from polywire.targets.common.api_surface import ApiItem
    from polywire.targets.common.header import Header


View: TypeAlias = "Mapping[str, object] | DataclassInstance"
"""The input of a template: names and values, or a dataclass with its fields."""


@dataclass(frozen=True, slots=True)
class File:
    """One file to write: its path relative to the target's folder, the template, and the input of the template."""

    path: str
    template: str
    """Relative to `templates/TARGET/`."""
    view: View
    is_optional: bool = False
    """Whether the file is left out if the template produces no text."""
    add_on: str = ""
    """The key of the add-on that the file belongs to; empty for the target's own package."""


LICENSE = File("LICENSE", "LICENSE.j2", {}, is_optional=True)
"""The license file, which every package has if the spec gives a license."""


@dataclass(frozen=True, slots=True)
class RuntimeFile:
    """One file of a runtime to copy: its path relative to the target's folder, and its source in `runtimes/TARGET/`.

    `names` maps placeholders in the source (a module path, a package name) to their replacements.
    """

    path: str
    source: str
    names: Mapping[str, str] = field(default_factory=dict)
    add_on: str = ""
    """As in `File`."""


class AddOnError(Exception):
    """An add-on could not be generated; the message gives the reason."""


class MissingToolError(AddOnError):
    """A tool for an add-on is not installed; the message names the tool and the next step."""


def add_on_suffix(key: str) -> str:
    """What an add-on's folder adds to that of the target; `key` is the `add_on_keys` entry that requests it."""
    return f"-{key.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class AddOn:
    """A package beside that of the target, with files that a third-party tool generates.

    Running the tool takes long, and not everybody has it: it runs only if the input has changed since the files were
    generated.
    """

    key: str
    """The key of the target's packages that requests it."""
    input: str
    """A hash of everything that determines what the tool generates."""
    make: Callable[[], Mapping[str, bytes]]
    """Generates the files of the tool, by path relative to the folder. Raises `AddOnError`."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a target gives to a part of the spec; no two in the same scope may be equal."""

    scope: str
    """The scope in which names must be distinct: `package`, or `fields of Order`."""
    name: str
    """The final name in the target."""
    default: str
    """The name without an override; an override equal to it has no effect."""
    of: str
    """What it names, for messages: `field dueDate of Order`."""
    place: SourceLocation
    overridden: bool = False
    key: str = "name"
    """The key of `targets: {NAME: {…}}` in the spec that overrides it; empty if nothing does."""


@dataclass(frozen=True, slots=True)
class Misuse:
    """An override in the spec that has no effect for a target or is invalid."""

    place: SourceLocation
    """The declaration, field or constructor that has the override."""
    key: str
    """The key of `targets: {NAME: {…}}`."""
    message: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What documentation shows of a declaration in one language: its name, and code that reads a value."""

    of: str
    """The declaration."""
    name: str
    view: View
    """The input of the target's template `reading.j2`."""


READING = "reading.j2"
"""The template of a `Reading`: code in which `line` is a JSON text."""


class Target(ABC):
    """A target of generation. Each subclass is instantiated once, as the `TARGET` of its module."""

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """The name of the language for people, if the target has readings."""
    override_keys: ClassVar[frozenset[str]] = frozenset({"name"})
    """The keys of `targets: {NAME: {…}}` that the spec may use."""
    name_keys: ClassVar[frozenset[str]] = frozenset({"name"})
    """Those `override_keys` that set a name."""
    reference_keys: ClassVar[frozenset[str]] = frozenset()
    """Those `override_keys` that refer to a declaration, which must exist."""
    package_keys: ClassVar[frozenset[str]] = frozenset()
    """The keys of `packages: {NAME: {…}}` that the spec may use."""
    package_prose: ClassVar[frozenset[str]] = frozenset()
    """Those `package_keys` that are Markdown for people, not part of a name or a path."""

    package_flags: ClassVar[frozenset[str]] = frozenset()
    """Those `package_keys` that are true or false; true concerns the packages of the spec proper by their own names."""

    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Those `package_keys` for which the language requires a form, with its pattern."""

    add_on_keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Those `package_keys` that request an add-on, with their allowed values."""

    reserved: ClassVar[tuple[Reserved, ...]] = ()
    """The names that are reserved for each kind of declaration."""

    identifier: ClassVar[str] = r"[A-Za-z_][A-Za-z0-9_]*"
    """The pattern that a name in `targets: {NAME: {…}}` must match as a whole."""

    comment: ClassVar[str] = "//"
    """The start of a line comment; the header of a runtime file is written in such comments."""

    @abstractmethod
    def names(self, model: Model) -> Iterable[Name]:
        """Every name the target would generate, for the checks."""

    def misuses(self, model: Model) -> Iterable[Misuse]:  # noqa: ARG002 (used by overriding targets)
        """The overrides for the target that have no effect or are invalid, for the checks."""
        return ()

    @abstractmethod
    def files(self, plan: Plan) -> Iterable[File]:
        """Every file of the target and of its add-ons, in a stable order."""

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:  # noqa: ARG002 (used by packages)
        """The library part of the packages: source files that are copied, in a stable order."""
        return ()

    def add_ons(self, plan: Plan, header: Header) -> Iterable[AddOn]:  # noqa: ARG002 (used by targets with add-ons)
        """The add-ons that the spec requests."""
        return ()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:  # noqa: ARG002 (used by packages)
        """The items that user code can name and what its compiler knows about them, to find breaking changes."""
        return ()

    def readings(self, plan: Plan) -> Iterable[Reading]:  # noqa: ARG002 (used by documented targets)
        """How code reads each declaration that users of the output can name."""
        return ()
