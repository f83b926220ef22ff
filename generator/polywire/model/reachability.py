"""What declarations mention → what of them is of use to the roots, the tools and the controls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from polywire.model.nodes import Model, SourceLocation
from polywire.model.overlay import Draft
from polywire.model.walk import reach, refs
from polywire.source.report import Faults


def starts(model: Model) -> Iterator[str]:
    """Where the ways to all that is of use begin."""
    yield from model.protocol.roots
    if model.protocol.control is not None:
        yield from model.protocol.control.structs
        yield from of_controls(model)
    for tool in model.tools:
        yield from refs(tool.input)
        yield from refs(tool.output)


def of_controls(model: Model) -> Iterator[str]:
    """What the controls lead to: requests, notifications, answers, data of errors."""
    for control in model.controls:
        yield control.request
        yield from refs(control.response)
        yield from refs(control.error)
    error = None if model.protocol.control is None else model.protocol.control.error
    for _, type_ in error.types if error is not None else ():
        yield from refs(type_)


def narrowed(
    model: Model, graph: Mapping[str, Iterable[str]], places: Mapping[str, SourceLocation], draft: Draft, faults: Faults
) -> tuple[Model, frozenset[str]]:
    """A dialect's model without controls that it has no use for, and the names of the declarations that it has use for.

    Controls are of use where a root leads to the envelope of their requests. What an overlay declares is left for the
    rules to report; what one changes in vain is reported here.
    """
    ways = {name: tuple(steps) for name, steps in graph.items()}
    control = model.protocol.control
    if control is None or control.request.struct not in reach(ways, model.protocol.roots):
        model = replace(model, protocol=replace(model.protocol, control=None), controls=())
    own = [name for name, place in places.items() if draft.height(place)]
    kept = reach(ways, (*starts(model), *own))
    sound = all(finding.severity != "error" for finding in faults.found)  # else a root, or what it uses, may be lost
    for name, place in ((n, p) for layer in draft.layers if sound for n, p in layer.touched.items()):
        if name in ways and name not in kept:
            faults.add("unused-overlay", place, f"`{name}` is changed, but nothing in `roots` leads to it")
    return model, kept
