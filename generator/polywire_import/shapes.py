"""The output of importers: named shapes, which can express more than the spec language.

A `Catalog` is all that the rest of the package needs from a source. An importer, whether from this package or another,
fills one; `polywire_import.describe` turns it into declarations of the spec language.

Shapes are frozen and compared by content. Their `place` is the location in the source, as a JSON Pointer or any other
locator; it is not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal as Word
from typing import TypeAlias

ScalarName: TypeAlias = Word["string", "boolean", "number", "integer", "uuid", "timestamp"]
Constant: TypeAlias = "str | bool | int | float"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A JSON scalar. The bounds are inclusive: values of a number, code points of a string."""

    name: ScalarName
    low: float | int | None = None
    high: float | int | None = None


@dataclass(frozen=True, slots=True)
class Null:
    """The value null."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class AnyObject:
    """Any JSON object, kept as it is."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly this scalar; `title` is its name, if it has one."""

    value: Constant
    title: str | None = field(default=None, compare=False)
    doc: str | None = field(default=None, compare=False)
    _flag: bool = field(init=False, repr=False)
    """Distinguishes `true` and 1, which Python takes for equal."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_flag", isinstance(self.value, bool))


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a declaration of the catalog."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A list; the bounds are inclusive numbers of items."""

    item: Shape
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Tuple:
    """A list of exactly these items."""

    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """An object with any keys, or with the keys of an enum, given as a shape."""

    value: Shape
    key: Shape | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A key of an object. `on_error` holds `skip`, `absent`, or a value: its JSON text as the only item of a tuple."""

    name: str
    shape: Shape
    required: bool = True
    doc: str | None = field(default=None, compare=False)
    deprecated: bool = field(default=False, compare=False)
    on_error: tuple[object, ...] = ()
    demanded: bool = False
    """The member is required, and its shape is that of a base's member of this name, or anything."""
    remark: str | None = field(default=None, compare=False)
    """The origin of the fact, such as the number of samples."""
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Object:
    """An object with known keys, the members of its `bases`, and alternatives (`choices`) next to its members."""

    members: tuple[Member, ...] = ()
    bases: tuple[Shape, ...] = ()
    extra: Shape | None = None
    """The shape of values under any other key, if the source gives one."""
    choices: tuple[OneOf, ...] = ()
    title: str | None = field(default=None, compare=False)
    doc: str | None = field(default=None, compare=False)
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Alternatives. `by` is the discriminator if the source names it; `open` says that others are expected."""

    members: tuple[Shape, ...]
    by: str | None = None
    open: bool = False
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class AllOf:
    """What all the parts accept. `meet` replaces it by another shape once all declarations are known."""

    parts: tuple[Shape, ...]
    title: str | None = field(default=None, compare=False)
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Written:
    """A declaration written by an importer in the spec language: its section and contents.

    `body` may hold a shape in the place of a type expression.
    """

    name: str
    section: str
    body: Mapping[str, object] = field(compare=False)


Shape: TypeAlias = (
    "Scalar | Null | Anything | AnyObject | Literal | Ref | Array | Tuple | Map | Object | OneOf | AllOf | Written"
)
SHAPES = (Scalar, Null, Anything, AnyObject, Literal, Ref, Array, Tuple, Map, Object, OneOf, AllOf, Written)
"""The classes of shapes."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A named shape of the source."""

    name: str
    shape: Shape
    place: str
    doc: str | None = None
    deprecated: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)
    """Annotations of the source to which overrides may assign a meaning."""
    remark: str | None = None
    """The origin of the fact if the place says too little, such as the number of samples."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request with its response, or (if `answered` is false) a notification."""

    method: str
    sender: str
    members: tuple[Member, ...]
    answered: bool = True
    result: Shape | None = None
    """None: the response has no payload."""
    optional_result: bool = False
    error: Shape | None = None
    doc: str | None = None
    place: str = ""
    name: str | None = None
    """The name of its declaration in the source."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the source says but the spec does not (`lost`), or the reverse (`guessed`, `renamed`)."""

    kind: Word["lost", "guessed", "renamed", "fallback"]
    place: str
    message: str


@dataclass(slots=True)
class Catalog:
    """The contents of a source. `header` has the keys of `protocol` set by it; shapes in it are type expressions."""

    declarations: dict[str, Declared] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    header: dict[str, object] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    messages: dict[str, str] = field(default_factory=dict)
    """Declarations that are sent as a line of their own, with the peer that sends them or `both`."""

    def note(self, kind: Word["lost", "guessed", "renamed", "fallback"], place: str, message: str) -> None:
        """Add to the report."""
        self.notes.append(Note(kind, place, message))


# --- walking ---------------------------------------------------------------------------------------------------


def walk(shape: Shape) -> Iterator[Shape]:
    """Yield a shape and all shapes in it."""
    stack: list[Shape] = [shape]
    while stack:
        each = stack.pop()
        yield each
        stack.extend(_inner(each))


def shapes_in(tree: object) -> Iterator[Shape]:
    """Yield the shapes in a tree of an importer."""
    match tree:
        case Mapping():
            for each in tree.values():
                yield from shapes_in(each)
        case list() | tuple():
            for each in tree:
                yield from shapes_in(each)
        case _ if isinstance(tree, SHAPES):
            yield tree


def _inner(shape: Shape) -> Iterable[Shape]:
    match shape:
        case Written(body=body):
            return shapes_in(body)
        case OneOf(members=members) | AllOf(parts=members):
            return members
        case Array(item=item):
            return (item,)
        case Tuple(items=items):
            return items
        case Map(value=value, key=key):
            return (value,) if key is None else (value, key)
        case Object():
            inner = [member.shape for member in shape.members]
            return [*inner, *shape.bases, *shape.choices, *([shape.extra] if shape.extra else [])]
    return ()


class ImportingError(Exception):
    """A source or an override cannot be used; the message says where, what was expected and what to do."""
