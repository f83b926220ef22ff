"""A model → who writes what: which peers put a declaration on the wire, and which read it from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from polywire.diff.compare import parts
from polywire.model.nodes import Model, Struct
from polywire.model.walk import reach, refs, structs_of


class Traffic:
    """The directions of one protocol.

    Messages and requests say who sends them, and what they are made of goes the same way; an answer goes the other.
    What only stands alone (a record of options, a tool's input) is taken to go every way.
    """

    def __init__(self, model: Model, called: Mapping[str, str] = MappingProxyType({})) -> None:
        """`called` is what peers are called here, if otherwise than in the model."""
        self._model = model
        self._called = called
        self._peers = frozenset(called.get(peer, peer) for peer in model.protocol.peers)

    def writers(self, *names: str) -> frozenset[str]:
        """The peers that write any of the declarations."""
        found = frozenset[str]().union(*(self._writers.get(name, ()) for name in names))
        return found or self._peers

    def senders(self, origin: str | None) -> frozenset[str]:
        """The peers that a `from` means."""
        origin = self._called.get(origin or "", origin)
        return frozenset({origin} if origin in self._peers and origin is not None else self._peers)

    def others(self, peers: Iterable[str]) -> frozenset[str]:
        """The peers that any of `peers` writes to."""
        return frozenset(each for peer in peers for each in self._peers - {peer}) or self._peers

    @cached_property
    def _writers(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for start, peers in self._starts():
            for name in reach({**self._inside, "": (start,)}, ("",)) - {""}:
                found[name] = found.get(name, frozenset()) | peers
        for union in self._model.unions:
            inside = (found.get(name, frozenset[str]()) for name in structs_of(union.dispatch))
            found[union.name] = found.get(union.name, frozenset()).union(*inside)
        return found

    def _starts(self) -> Iterator[tuple[str, frozenset[str]]]:
        for struct in self._model.structs:
            if struct.origin is not None:
                yield struct.name, self.senders(struct.origin)
        for control in self._model.controls:
            for name in (*refs(control.response), *refs(control.error)):
                yield name, self.others(self.senders(control.origin))

    @cached_property
    def _inside(self) -> dict[str, tuple[str, ...]]:
        """What a declaration brings along: its parts, but for those that say themselves who sends them."""
        return {
            name: tuple(part for part in parts(declared) if not self._sent(part))
            for name, declared in self._model.declarations.items()
        }

    def _sent(self, name: str) -> bool:
        declared = self._model.declarations[name]
        return isinstance(declared, Struct) and declared.origin is not None
