# mypy: disable-error-code="misc, type-arg"
"""The types of the sample protocol, as polywire generates them; what type checkers read of a package is its stub."""

from __future__ import annotations

from ._base import UNSET, EnumValues, Record, Unset, factory, share_extra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ColorValue(EnumValues):
    """The known values of Color."""

    __slots__ = ()

    RED = "red"
    BLUE = "blue"


class Note(Record):
    """A message whose members have every presence."""

    __slots__ = ("color", "count", "data", "extra", "reply_to", "text")
    kind = "note"
    text: str
    color: str | None
    reply_to: str | Unset | None
    count: int | None
    data: object
    extra: dict[str, object]

    def __init__(
        self,
        *,
        text: str,
        color: str | None = None,
        reply_to: str | Unset | None = UNSET,
        count: int | None = None,
        data: object = UNSET,
        extra: dict[str, object] = factory,
    ) -> None:
        self.text = text
        self.color = color
        self.reply_to = reply_to
        self.count = count
        self.data = data
        self._extra = None if extra is factory else extra


class Look(Record):
    """A request."""

    __slots__ = ("at", "extra")
    what = "look"
    at: str
    extra: dict[str, object]

    def __init__(self, *, at: str, extra: dict[str, object] = factory) -> None:
        self.at = at
        self._extra = None if extra is factory else extra


class Forget(Record):
    """A request that nothing is declared to answer."""

    __slots__ = ("extra",)
    what = "forget"
    extra: dict[str, object]

    def __init__(self, *, extra: dict[str, object] = factory) -> None:
        self._extra = None if extra is factory else extra


class Ask(Record):
    """The envelope of requests."""

    __slots__ = ("extra", "id", "request")
    kind = "ask"
    id: str
    request: Look | Forget
    extra: dict[str, object]

    def __init__(self, *, id: str, request: Look | Forget, extra: dict[str, object] = factory) -> None:
        self.id = id
        self.request = request
        self._extra = None if extra is factory else extra


class Answer(Record):
    """The envelope of answers."""

    __slots__ = ("extra", "id", "result")
    kind = "answer"
    id: str
    result: object
    extra: dict[str, object]

    def __init__(self, *, id: str, result: object = UNSET, extra: dict[str, object] = factory) -> None:
        self.id = id
        self.result = result
        self._extra = None if extra is factory else extra


class Sight(Record):
    """What is seen."""

    __slots__ = ("extra", "items")
    items: list[Note]
    extra: dict[str, object]

    def __init__(self, *, items: list[Note], extra: dict[str, object] = factory) -> None:
        self.items = items
        self._extra = None if extra is factory else extra


share_extra(Record.__subclasses__())


class UnknownLine(Record):
    """A line of a kind that is not declared."""

    __slots__ = ("raw",)
    raw: dict[str, object]

    def __init__(self, *, raw: dict[str, object]) -> None:
        self.raw = raw

    @property
    def kind(self) -> Any:
        """The object's `kind`."""
        return self.raw.get("kind")


Line = Note | Ask | Answer | UnknownLine
Request = Look | Forget
Color = str
