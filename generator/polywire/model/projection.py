"""A model and names in it → the model with only what these lead to, for consumers who need a part of a protocol.

What is left is as it was: a union has all its variants, a struct all its fields, names in the targets stay. Requests
and answers belong together, so whoever gets the envelope of requests gets every request with its answer, and whoever
does not gets no pairs. A tool stays if all its types do, or if it is named itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from polywire.model.nodes import Declaration, Model, Struct, Tool
from polywire.model.reachability import of_controls
from polywire.model.walk import reach, refs, uses


class UnknownRootError(ValueError):
    """A name that is neither a declaration's nor a tool's."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def known_roots(model: Model) -> list[str]:
    """What may be named as a root: the declarations, then the tools."""
    return list(dict.fromkeys((*model.declarations, *(tool.pattern for tool in model.tools))))


def project(model: Model, roots: Sequence[str], target: str = "", references: frozenset[str] = frozenset()) -> Model:
    """The model with what `roots` lead to; the first of them is what is decoded when nothing is said.

    What the spec says of a target under one of the keys in `references` leads on as well, for that target. Raises
    `UnknownRootError`.
    """
    asked = _asked(model, roots)
    graph = {
        name: (*uses(declared), *_references(declared, target, references))
        for name, declared in model.declarations.items()
    }
    kept = reach(graph, (name for names in asked.values() for name in names))
    control = model.protocol.control
    pairs = control is not None and control.request.struct in kept
    if control is not None and pairs:
        kept = reach(graph, (*kept, *control.structs, *of_controls(model)))
    own = tuple(name for name in asked if name in model.declarations)
    return replace(
        model,
        protocol=replace(
            model.protocol,
            roots=own or tuple(dict.fromkeys(name for names in asked.values() for name in names)),
            control=control if pairs else None,
        ),
        declarations=MappingProxyType({n: declared for n, declared in model.declarations.items() if n in kept}),
        controls=model.controls if pairs else (),
        tools=tuple(tool for tool in model.tools if tool.pattern in asked or _stays(tool, kept)),
        renamed=MappingProxyType({name: fields for name, fields in model.renamed.items() if name in kept}),
    )


def _asked(model: Model, roots: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each root, and the declarations that it stands for; a name of both kinds is the declaration's."""
    tools = {tool.pattern: _types(tool) for tool in model.tools}
    asked = {}
    for name in roots:
        if name not in model.declarations and not tools.get(name):
            raise UnknownRootError(name)
        asked[name] = (name,) if name in model.declarations else tools[name]
    return asked


def _references(declared: Declaration, target: str, keys: frozenset[str]) -> Iterator[str]:
    constructors = declared.constructors if isinstance(declared, Struct) else ()
    for about in (declared.about, *(each.about for each in constructors)):
        yield from (name for key, name in about.targets.get(target, {}).items() if key in keys)


def _types(tool: Tool) -> tuple[str, ...]:
    return (*refs(tool.input), *refs(tool.output))


def _stays(tool: Tool, kept: frozenset[str]) -> bool:
    types = _types(tool)
    return bool(types) and kept.issuperset(types)
