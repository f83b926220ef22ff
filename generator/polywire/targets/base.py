"""What a target is: the strategy that turns the model into the views of its templates.

A target module (`targets/NAME.py`) makes every decision of its language and no strings of code; the folder
`templates/NAME/` lays the views out and decides nothing; the folder `runtimes/NAME/` has the library part of a package
as plain source. The registry finds target modules by looking, so a new language is one module and two folders.

The checks ask a target for its `names` only. Whatever else a target needs is imported in the method that needs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from polywire.model.nodes import Model, SourceLocation
from polywire.records import dataclass
from polywire.targets.naming import Reserved

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from polywire.header import Header
    from polywire.plan import Plan
    from polywire.targets.api_surface import ApiItem


View: TypeAlias = "Mapping[str, object] | DataclassInstance"
"""What a template sees: names and values, or a dataclass with its fields."""


@dataclass(frozen=True, slots=True)
class File:
    """One file to be written: its path below the target's folder, the template, and what the template sees."""

    path: str
    template: str
    """Below `templates/TARGET/`."""
    view: View
    is_optional: bool = False
    """Whether there is no such file if the template gives no text."""


LICENSE = File("LICENSE", "LICENSE.j2", {}, is_optional=True)
"""What every package has if the spec gives it a licence."""


@dataclass(frozen=True, slots=True)
class RuntimeFile:
    """One file of a runtime, copied: its path below the target's folder and its source below `runtimes/TARGET/`.

    `names` are the placeholders in the source (a module path, a package name) and what replaces each.
    """

    path: str
    source: str
    names: Mapping[str, str] = field(default_factory=dict)


class AddOnError(Exception):
    """An add-on could not be made; the message says why."""


class MissingToolError(AddOnError):
    """What makes an add-on is not here; the message says what it is, and the next step."""


@dataclass(frozen=True, slots=True)
class AddOn:
    """A folder of files that a tool by others makes.

    That takes long, and not everybody has the tool: it is asked only where what decides about the files is not what it
    was when they were made.
    """

    folder: str
    """Below the target's."""
    input: str
    """A hash of all that decides about the files."""
    make: Callable[[], Mapping[str, bytes]]
    """The files by path below the folder. Raises `AddOnError`."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a target gives to something of the spec; two of one scope may not be the same."""

    scope: str
    """What must be free of collisions together: `module`, or `fields of Order`."""
    name: str
    """The final name in the target."""
    default: str
    """What the naming rule alone would have given; an override equal to it changes nothing."""
    of: str
    """What it names, for people: `field dueDate of Order`."""
    place: SourceLocation
    overridden: bool = False
    key: str = "name"
    """What the spec says in `targets: {NAME: {…}}` to override it."""


@dataclass(frozen=True, slots=True)
class Misuse:
    """What the spec says for a target though it means nothing there, or cannot be."""

    place: SourceLocation
    """The declaration, field or constructor that it is said of."""
    key: str
    """What of `targets: {NAME: {…}}` it is."""
    message: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What documentation shows of a declaration in one language: its name, and code that reads a value of it."""

    of: str
    """The declaration."""
    name: str
    view: View
    """What the template `reading.j2` of the target sees."""


READING = "reading.j2"
"""The template of a `Reading`: code in which `line` is JSON text."""


class Target(ABC):
    """One output. Subclasses are instantiated once as the `TARGET` of their module."""

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """What people call the language, where there are readings."""
    override_keys: ClassVar[frozenset[str]] = frozenset({"name"})
    """What `targets: {NAME: {…}}` may say in the spec."""
    name_keys: ClassVar[frozenset[str]] = frozenset({"name"})
    """Those of `override_keys` that give a name."""
    reference_keys: ClassVar[frozenset[str]] = frozenset()
    """Those of `override_keys` that name a declaration, which must then be there."""
    package_keys: ClassVar[frozenset[str]] = frozenset()
    """What `packages: {NAME: {…}}` may say in the spec."""
    package_prose: ClassVar[frozenset[str]] = frozenset()
    """Those of `package_keys` that are Markdown for people, and no part of a name or a path."""

    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Those of `package_keys` for which the language has a form of its own, and the pattern of that."""

    add_on_keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Those of `package_keys` that ask for an add-on, and what they may say."""

    reserved: ClassVar[tuple[Reserved, ...]] = ()
    """The names that things of the spec do not get, by kind."""

    identifier: ClassVar[str] = r"[A-Za-z_][A-Za-z0-9_]*"
    """A pattern for the whole of a name that `targets: {NAME: {…}}` may give."""

    comment: ClassVar[str] = "//"
    """What begins a line comment: the header of a runtime file stands in such lines."""

    @abstractmethod
    def names(self, model: Model) -> Iterable[Name]:
        """Every name the target would give, for the checks."""

    def misuses(self, model: Model) -> Iterable[Misuse]:  # noqa: ARG002 (names are all that most targets are told)
        """What the spec says for the target in vain, for the checks."""
        return ()

    @abstractmethod
    def files(self, plan: Plan) -> Iterable[File]:
        """Every file of the target, in a stable order."""

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:  # noqa: ARG002 (a target that is not a package has none)
        """The library part of the package: source files that are copied, in a stable order."""
        return ()

    def add_ons(self, plan: Plan, header: Header) -> Iterable[AddOn]:  # noqa: ARG002 (most targets have none)
        """What tools by others make of the plan, as far as the spec asks for it."""
        return ()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:  # noqa: ARG002 (only a package shows something)
        """What user code can name and what its compiler knows of that, for telling what a change of the spec breaks."""
        return ()

    def readings(self, plan: Plan) -> Iterable[Reading]:  # noqa: ARG002 (a target without readings is not documented)
        """How code reads each declaration that users of the output can name."""
        return ()
