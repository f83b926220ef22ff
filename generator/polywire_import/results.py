"""The name of a request → the shape of its result.

Patterns of the overrides come first. Without them, the result is the declaration with the same annotation as the
parameters, or the one with a fitting name, or what every response has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from polywire_import.lookup import Lookup
from polywire_import.shapes import Anything, Catalog, ImportingError, Ref, Shape

_OF_REQUESTS = ("RequestParams", "Request", "Params", "Call", "Command", "")
_OF_RESULTS = ("ResultResponse", "SuccessResponse", "Response", "Result", "Reply")
"""Endings of names; those of whole responses come first, since these say more than a type of results."""
_RESPONSE = frozenset({"id", "jsonrpc", "result"})


class Results:
    """The results of one catalog.

    `patterns` are those of the overrides, `asked` the names of requests or of their parameters.
    """

    def __init__(
        self, catalog: Catalog, look: Lookup, patterns: Mapping[str, str], mark: str | None, asked: Collection[str]
    ) -> None:
        self._catalog = catalog
        self._look = look
        self._patterns = patterns
        self.unused = set(patterns)
        self._of_requests = {each for request in asked for each in _names(request)}
        self._marked: dict[str, list[str]] = {}
        for name, declared in catalog.declarations.items():
            if mark is not None and mark in declared.marks and name not in asked:
                self._marked.setdefault(declared.marks[mark], []).append(name)

    def of(self, request: str, method: str) -> Shape | None:
        """Return the result of a request; None if its response has none."""
        stated = self._stated(request)
        if stated is not None:
            return None if stated == "none" else Ref(stated)
        place = self._catalog.declarations[request].place if request in self._catalog.declarations else method
        marked = self._marked.get(method, [])
        name = marked[0] if len(marked) == 1 else self.named(request)
        if name is None:
            shape = self._of_any_response()
            of_any = f"{shape.name}, which every response has," if isinstance(shape, Ref) else "any"
            self._catalog.note("guessed", place, f"no result is known; {of_any} is taken")
            return shape
        if name not in marked:
            self._catalog.note("guessed", place, f"the result is that of {name}, as its name says")
        return self._inside(name)

    def _stated(self, request: str) -> str | None:
        for pattern, wanted in sorted(self._patterns.items(), key=lambda each: "*" in each[0]):
            head, star, tail = pattern.partition("*")
            fits = request.startswith(head) and request.endswith(tail) and len(request) >= len(head) + len(tail)
            if not (fits if star else request == pattern):
                continue
            stem = request[len(head) : len(request) - len(tail)] if star else ""
            answer = wanted.replace("*", stem)
            if answer == "none" or answer in self._catalog.declarations:
                self.unused.discard(pattern)
                return answer
            if not star:
                raise ImportingError(f"jsonrpc: results: the source declares no {answer!r}")
        return None

    def named(self, request: str) -> str | None:
        """Return the declaration that is named as the result or the response of a request."""
        for name in _names(request):
            if name in self._catalog.declarations and name != request:
                return name
        return None

    def _inside(self, name: str) -> Shape:
        """Return the result in a declaration of whole responses, or the declaration, which is a result."""
        for leaf in self._look.leaves(Ref(name)):
            members = self._look.members_of(leaf)
            if members.keys() >= _RESPONSE:
                return members["result"].shape
        return Ref(name)

    def _of_any_response(self) -> Shape:
        """Return the result in the only declaration of responses that belongs to no request."""
        rest = (self._look.members_of(Ref(name)) for name in {*self._catalog.declarations} - self._of_requests)
        found = {members["result"].shape for members in rest if members.keys() >= _RESPONSE}
        return found.pop() if len(found) == 1 else Anything()


def _names(request: str) -> Iterator[str]:
    stem = next(request.removesuffix(each) for each in _OF_REQUESTS if request.endswith(each))
    return (f"{stem}{each}" for each in _OF_RESULTS)
