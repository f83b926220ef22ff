"""A catalog → the groups of JSON-RPC calls in it, if it describes them in a usual form.

The usual forms are unions of objects with a constant `method`, and objects whose `params` are one of several
declarations that are annotated with their methods. Who sends them is in the names of these groups: `ClientRequest` and
`ServerNotification`. A source without such groups has its calls as single objects with a constant `method`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from polywire_import.lookup import Lookup
from polywire_import.shapes import Catalog, Declared, Literal, Map, Object, OneOf, Ref, Shape, walk

BOTH = "both"
USUAL_PEERS = ("client", "server")

_NAME = re.compile(r"(?P<peer>.*?)(To[A-Z]\w*?)?(?P<kind>Request|Notification|Event|Message|Call|Result|Response)s?")
_ANSWERED = {"Request": True, "Notification": False, "Event": False}
"""Words at the end of names, and whether what they name is answered."""
_NO_PEERS = frozenset({"", "rpc", "jsonrpc", "json_rpc"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Group:
    """A declaration of calls: a union, an object that stands for several, or one call."""

    name: str
    peer: str
    answered: bool | None = None
    """None if that differs among its calls, or is not known."""


def is_call(look: Lookup, shape: Shape) -> bool:
    """Return whether a shape is an object with a constant `method`."""
    method = look.members_of(shape).get("method")
    constant = look.resolved(method.shape) if method else None
    return isinstance(constant, Literal) and isinstance(constant.value, str)


def says_answered(name: str) -> bool | None:
    """Return whether the name of a call or of a group says that it is answered; None if it says neither."""
    found = _NAME.fullmatch(name)
    return _ANSWERED.get(found["kind"]) if found else None


def recognise(catalog: Catalog, look: Lookup, mark: str | None) -> tuple[list[Group], str | None]:
    """Return the groups of a catalog, those of one peer first, and the annotation of parameters with their method."""
    search = _Search(catalog, look, mark)
    return (search.groups(), search.mark) if search.is_json_rpc() else ([], mark)


class _Search:
    def __init__(self, catalog: Catalog, look: Lookup, mark: str | None) -> None:
        self._catalog = catalog
        self._look = look
        self.mark = mark

    def is_json_rpc(self) -> bool:
        """Return whether an object of the source has the version of JSON-RPC as a constant."""
        versions = (each for shape in self._objects() for each in shape.members if each.name == "jsonrpc")
        return any(self._look.constants(each.shape) == [("string", "2.0")] for each in versions)

    def groups(self) -> list[Group]:
        envelopes = [each for each in self._objects() if self._stands_for_several(each)]
        self.mark = self.mark or self._found_mark(envelopes)
        envelopes = [each for each in envelopes if any(self.mark in marks for marks in self._marks(each))]
        answered = {name: says_answered(name) for name in self._unions()}
        answered |= {name: "id" in self._look.members_of(Ref(name)) for name in self._named(envelopes)}
        peers = self._peers([*answered])
        calls = [name for name in self._catalog.declarations if is_call(self._look, Ref(name))]
        alone = [name for name in calls if not answered or _peer(name) in peers]
        answered |= {name: says_answered(name) for name in alone}
        found = [Group(name, peer if (peer := _peer(name)) in peers else BOTH, each) for name, each in answered.items()]
        return sorted(found, key=lambda group: group.peer == BOTH)

    def _objects(self) -> Iterator[Object]:
        shapes = (each for declared in self._catalog.declarations.values() for each in walk(declared.shape))
        return (each for each in shapes if isinstance(each, Object))

    # --- objects that stand for several calls ---

    def _stands_for_several(self, shape: Object) -> bool:
        return {"method", "params"} <= {each.name for each in shape.members} and not is_call(self._look, shape)

    def _marks(self, envelope: Object) -> Iterator[Mapping[str, str]]:
        """Yield the annotations of the alternatives for `params`."""
        for leaf in self._look.leaves(self._look.members_of(envelope)["params"].shape, self.mark):
            if isinstance(leaf, Ref):
                yield self._catalog.declarations[leaf.name].marks

    def _found_mark(self, envelopes: Iterable[Object]) -> str | None:
        """Return the annotation with the most different values, since each method has one of its own."""
        values: dict[str, set[str]] = defaultdict(set)
        for key, value in (each for envelope in envelopes for marks in self._marks(envelope) for each in marks.items()):
            values[key].add(value)
        return max(values, key=lambda key: (len(values[key]), "method" in key), default=None)

    def _named(self, shapes: Iterable[Object]) -> Iterator[str]:
        """Yield the names of objects; one without a name is declared under its place."""
        names = {id(declared.shape): name for name, declared in self._catalog.declarations.items()}
        for shape in shapes:
            if id(shape) not in names:
                self._catalog.declarations[shape.place] = Declared(shape.place, shape, shape.place)
            yield names.get(id(shape), shape.place)

    # --- unions ---

    def _unions(self) -> Iterator[str]:
        """Yield the unions with calls, or with one, that are not inside of other messages."""
        inside = set(self._inside())
        for name, declared in self._catalog.declarations.items():
            leaves = self._look.leaves(declared.shape) if isinstance(declared.shape, (OneOf, Ref)) else ()
            if name not in inside and any(is_call(self._look, leaf) for leaf in leaves):
                yield name

    def _inside(self) -> Iterator[str]:
        """Yield the declarations that members and entries of objects refer to."""
        for declared in self._catalog.declarations.values():
            for shape in walk(declared.shape):
                inner: list[Shape] = [shape.value] if isinstance(shape, Map) else []
                if isinstance(shape, Object):
                    inner = [*(member.shape for member in shape.members), *([shape.extra] if shape.extra else [])]
                yield from (each.name for one in inner for each in walk(one) if isinstance(each, Ref))

    # --- peers ---

    def _peers(self, groups: list[str]) -> set[str]:
        """Return the peers after which groups are named, if there are two, or each has several such declarations."""
        kinds: dict[str, set[str]] = defaultdict(set)
        for name in self._catalog.declarations:
            if found := _NAME.fullmatch(name):
                kinds[_peer(name)].add(found["kind"])
        named = {_peer(name) for name in groups} - _NO_PEERS
        if len(named) > 2:
            named = {peer for peer in named if len(kinds[peer]) > 1 or peer in USUAL_PEERS}
        return named if len(named) > 1 or named & {*USUAL_PEERS} else set()


def _peer(name: str) -> str:
    """Return the peer after which a group may be named; empty if there is none."""
    found = _NAME.fullmatch(name)
    return "_".join(filter(None, _HUMP.split(found["peer"]))).lower() if found else ""
