"""References between declarations → the declarations that are reachable from the roots, the tools and the controls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from polywire.ground.location import SourceLocation
from polywire.model.nodes import Model
from polywire.model.overlay import Draft
from polywire.model.parts import Parts
from polywire.model.walk import reach, refs, uses
from polywire.source.report import Faults


def starts(model: Model) -> Iterator[str]:
    """The declarations from which reachability starts."""
    yield from model.protocol.roots
    if model.protocol.control is not None:
        yield from model.protocol.control.structs
        yield from of_controls(model)
    for tool in model.tools:
        yield from refs(tool.input)
        yield from refs(tool.output)


def of_controls(model: Model) -> Iterator[str]:
    """The declarations that controls refer to: requests, notifications, responses and the data of errors."""
    for control in model.controls:
        yield control.request
        yield from refs(control.response)
        yield from refs(control.error)
        yield from refs(control.reply[0] if control.reply is not None else None)
    error = None if model.protocol.control is None else model.protocol.control.error
    for _, type_ in error.types if error is not None else ():
        yield from refs(type_)


def narrowed(
    model: Model, graph: Mapping[str, Iterable[str]], places: Mapping[str, SourceLocation], draft: Draft, faults: Faults
) -> tuple[Model, frozenset[str]]:
    """A dialect's model without controls that it does not use, and the names of the declarations that it uses.

    Controls are used if a root reaches the envelope of their requests. Unused additions of an overlay are left for the
    rules to report; changes of unused declarations are reported here.
    """
    ways = {name: tuple(steps) for name, steps in graph.items()}
    control = model.protocol.control
    if control is None or control.request.struct not in reach(ways, model.protocol.roots):
        model = replace(model, protocol=replace(model.protocol, control=None), controls=())
    own = [name for name, place in places.items() if draft.height(place)]
    kept = reach(ways, (*starts(model), *own))
    sound = all(finding.severity != "error" for finding in faults.found)  # else something may be missing
    for name, place in ((n, p) for layer in draft.layers if sound for n, p in layer.touched.items()):
        if name in ways and name not in kept:
            faults.add("unused-overlay", place, f"`{name}` is changed, but it is not reachable from `roots`")
    return model, kept


def without_superseded(model: Model, releases: Iterable[Parts]) -> Model:
    """A join without declarations that releases use but the join does not, because a wider type replaces them.

    Declarations that no release uses are left for the rules to report.
    """
    used: frozenset[str] = frozenset()
    envelopes = () if model.protocol.control is None else model.protocol.control.structs
    for parts in releases:
        used |= reach(parts.graph(), (*parts.starts(), *envelopes))
    graph = {name: tuple(uses(declared)) for name, declared in model.declarations.items()}
    lost = used - reach(graph, (*starts(model), *(name for name in graph if name not in used)))
    return replace(model, declarations=MappingProxyType({n: d for n, d in model.declarations.items() if n not in lost}))


def pruned(model: Model) -> Model:
    """The model without unreachable declarations, which only other releases use."""
    graph = {name: tuple(uses(declared)) for name, declared in model.declarations.items()}
    kept = reach(graph, starts(model))
    return replace(model, declarations=MappingProxyType({n: d for n, d in model.declarations.items() if n in kept}))
