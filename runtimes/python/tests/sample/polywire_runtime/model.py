"""The types of the sample protocol, as polywire generates them."""

from __future__ import annotations

from ._aliases import lazy
from ._base import UNSET, EnumValues, Record, Shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, runtime_checkable

    from ._base import UnknownInteger, UnknownText, Unset
    from .unknowns import UnknownBody, UnknownCall, UnknownEvent, UnknownLine

__all__ = [
    "Answer",
    "Ask",
    "Bag",
    "Body",
    "Box",
    "Call",
    "Card",
    "ClosedCall",
    "Code",
    "CodeValue",
    "Color",
    "ColorKnown",
    "ColorValue",
    "Copy",
    "Crate",
    "Draft",
    "Drop",
    "Event",
    "Failure",
    "FailureName",
    "FailureNameKnown",
    "FailureNameValue",
    "Fitting",
    "Fixed",
    "Forget",
    "HasKind",
    "Kit",
    "Level",
    "LevelValue",
    "Line",
    "Look",
    "Loose",
    "Nest",
    "Note",
    "Notify",
    "Original",
    "Outer",
    "Points",
    "Presence",
    "Refusal",
    "Reply",
    "Request",
    "Sack",
    "Sight",
    "Size",
    "SizeKnown",
    "SizeValue",
    "Start",
    "Suit",
    "Tree",
]


class ColorValue(EnumValues["ColorKnown"]):
    """The declared values of Color."""

    RED: Final = "red"
    """Like a rose."""
    BLUE: Final = "blue"


class LevelValue(EnumValues["Level"]):
    """The declared values of Level."""

    LOW: Final = "low"
    HIGH: Final = "high"


class SizeValue(EnumValues["SizeKnown"]):
    """The declared values of Size."""

    ONE: Final = 1
    MINUS_TWO: Final = -2


class CodeValue(EnumValues["Code"]):
    """The declared values of Code."""

    ONE: Final = 1
    MINUS_TWO: Final = -2


class FailureNameValue(EnumValues["FailureNameKnown"]):
    """The declared values of FailureName."""

    ERROR_A: Final = "error_a"
    ERROR_B: Final = "error_b"


class Note(Record):
    """A message whose members have every presence."""

    kind: ClassVar[Literal["note"]] = "note"
    text: str
    """The text of the note."""
    color: Color | None = None
    """The color of the text.

    Red is for errors.
    """
    reply_to: str | Unset | None = UNSET
    count: int | None = None
    data: Any | Unset = UNSET


class Look(Record):
    """A request."""

    what: ClassVar[Literal["look"]] = "look"
    at: str
    seen: bool | None = None
    """Never sent."""


class Forget(Record):
    """A request without a declared answer."""

    what: ClassVar[Literal["forget"]] = "forget"


class Ask(Record):
    """The envelope of requests."""

    kind: ClassVar[Literal["ask"]] = "ask"
    id: str
    request: Request


class Answer(Record):
    """The envelope of answers."""

    kind: ClassVar[Literal["answer"]] = "answer"
    id: str
    result: Any | Unset = UNSET


class Refusal(Record):
    """The envelope of errors, which replace an answer."""

    kind: ClassVar[Literal["refusal"]] = "refusal"
    id: str
    reason: str
    code: int | None = None
    data: Any | Unset = UNSET


class Drop(Record):
    """Cancels a request."""

    kind: ClassVar[Literal["drop"]] = "drop"
    id: str


class Sight(Record):
    """The result of `Look`."""

    items: list[Note]


class Original(Record):
    """A card as it was written."""

    kind: ClassVar[Literal["card"]] = "card"
    is_copy: bool | None = None
    text: str | None = None
    event: Event | None = None


class Copy(Record):
    """A card that was copied."""

    kind: ClassVar[Literal["card"]] = "card"
    is_copy: ClassVar[Literal[True]] = True


class Start(Record):
    """The first event."""

    kind: ClassVar[Literal["event"]] = "event"
    what: ClassVar[Literal["start"]] = "start"
    cwd: str


class Failure(Record):
    """An event of any name that begins with `error_`."""

    kind: ClassVar[Literal["event"]] = "event"
    what: FailureName
    n: int


class Suit(Record):
    """An object whose tag has one of several values."""

    k: Literal["x", "y"]
    m: FailureName | None = None


class Presence(Record):
    """Members with every presence."""

    a: str
    b: str | None
    c: str | None = None
    d: str | Unset | None = UNSET
    x: Any | Unset = UNSET
    y: Any


class Fixed(Record):
    """Constants of every kind."""

    role: ClassVar[Literal["r"]] = "r"
    on: ClassVar[Literal[True]] = True
    version: ClassVar[Literal[2]] = 2
    ratio: ClassVar[float] = 1.5
    type: Literal["stdio"] | None = None
    quiet: Literal[False] | None = None


class Bag(Record):
    """An object whose other members have a type."""

    a: str | None = None


class Box(Record):
    """An object that is flattened into others."""

    form: ClassVar[Literal["box"]] = "box"
    p: str
    q: str | None = None
    inner: Outer | None = None


class Outer(Record):
    """An object that has the members of another one."""

    type: ClassVar[Literal["o"]] = "o"
    id: str
    body: Body
    last: str | None = None


class Draft(Record):
    """A part without a tag."""

    p: str


class Loose(Record):
    """An object that may have the members of another one."""

    id: str
    body: Draft | None = None
    last: str | None = None


class Sack(Record):
    """An object that has any other members."""

    id: str
    body: dict[str, Any]


class Crate(Record):
    """An object that may have any other members, or none at all."""

    body: dict[str, Any] | None = None


class Kit(Record):
    """Values of every form."""

    id: str
    at: str | None = None
    flag: bool | None = None
    ratio: float | None = None
    none: Unset | None = UNSET
    any: Any | Unset = UNSET
    obj: dict[str, Any] | None = None
    level: Level | None = None
    size: Size | None = None
    code: Code | None = None
    pair: list[int] | None = None
    many: list[str] | None = None
    rows: list[list[Color]] | None = None
    sizes: dict[Color, int] | None = None
    levels: dict[Level, float] | None = None
    by_name: dict[str, Draft] | None = None
    choice: str | int | list[str] | Unset | None = UNSET
    points: Points | None = None
    anys: list[Any] | None = None
    class_: str | None = None


class Tree(Record):
    """A type that contains itself."""

    name: str | None = None
    kids: list[Tree] | None = None
    left: Tree | None = None
    data: Any | Unset = UNSET


class Notify(Record):
    """A call without an answer."""

    method: str


class Reply(Record):
    """The answer to a call."""

    id: int
    error: Any | Unset = UNSET


if TYPE_CHECKING:

    @runtime_checkable
    class HasKind(Protocol):
        """The common fields of the lines that can be requested."""

        @property
        def id(self) -> str: ...

    ColorKnown: TypeAlias = Literal["red", "blue"]
    """A color."""

    Color: TypeAlias = ColorKnown | UnknownText
    """Any value of ColorKnown, or an undeclared value."""

    Level: TypeAlias = Literal["low", "high"]
    """A level."""

    SizeKnown: TypeAlias = Literal[1, -2]
    """A size."""

    Size: TypeAlias = SizeKnown | UnknownInteger
    """Any value of SizeKnown, or an undeclared value."""

    Code: TypeAlias = Literal[1, -2]
    """A code."""

    FailureNameKnown: TypeAlias = Literal["error_a", "error_b"]
    """A failure."""

    FailureName: TypeAlias = FailureNameKnown | UnknownText
    """Any value of FailureNameKnown, or an undeclared value."""

    Points: TypeAlias = list[float]
    """Some numbers."""

    Nest: TypeAlias = "list[Nest] | dict[str, Nest] | str"
    """An alias that contains itself."""

    Request: TypeAlias = Look | Forget
    """Any request."""

    Card: TypeAlias = Copy | Original
    """Any card."""

    Event: TypeAlias = Start | Failure | UnknownEvent
    """Any event."""

    Line: TypeAlias = Note | Ask | Answer | Refusal | Copy | Original | Start | Failure | UnknownLine
    """Any line."""

    Body: TypeAlias = Box | UnknownBody
    """An object that is flattened into another one."""

    Call: TypeAlias = Notify | Reply | UnknownCall
    """A call or its answer."""

    ClosedCall: TypeAlias = Notify
    """A call."""

    Fitting: TypeAlias = Fixed | UnknownLine
    """Something whose tag may be absent."""

else:

    class HasKind(Shared):
        records = ("Answer", "Ask", "Refusal")

    __getattr__ = lazy(__name__)
