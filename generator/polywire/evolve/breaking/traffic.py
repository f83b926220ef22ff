"""A model → the peers that write each declaration, and those that read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from polywire.evolve.diff.compare import parts
from polywire.model.nodes import Model, Struct
from polywire.model.walk import reach, refs, structs_of


class Traffic:
    """The directions of one protocol.

    Messages and requests declare their sender, and their parts go the same way; a response goes the other way.
    Declarations that are only used on their own (a record of options, a tool's input) are assumed to go every way.
    """

    def __init__(self, model: Model, called: Mapping[str, str] = MappingProxyType({})) -> None:
        """`called` maps the model's names of peers to the names used here, if these differ."""
        self._model = model
        self._called = called
        self._peers = frozenset(called.get(peer, peer) for peer in model.protocol.peers)

    def writers(self, *names: str) -> frozenset[str]:
        """Return the peers that write any of the declarations."""
        found = frozenset[str]().union(*(self._writers.get(name, ()) for name in names))
        return found or self._peers

    def senders(self, origin: str | None) -> frozenset[str]:
        """Return the peers that a `from` refers to."""
        origin = self._called.get(origin or "", origin)
        return frozenset({origin} if origin in self._peers and origin is not None else self._peers)

    def others(self, peers: Iterable[str]) -> frozenset[str]:
        """Return the peers that any of `peers` writes to."""
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
        """The parts of each declaration, except those that declare their own sender."""
        return {
            name: tuple(part for part in parts(declared) if not self._sent(part))
            for name, declared in self._model.declarations.items()
        }

    def _sent(self, name: str) -> bool:
        declared = self._model.declarations[name]
        return isinstance(declared, Struct) and declared.origin is not None
