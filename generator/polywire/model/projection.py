"""A model and names in it → the model reduced to what these names reach, for consumers of a part of a protocol.

What is kept is unchanged: a union keeps all its variants, a struct all its fields, and names in the targets stay the
same. Requests and responses belong together: a projection that contains the envelope of requests contains every request
with its response; any other contains no pairs. A tool is kept if all its types are, or if it is named itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from polywire.model.nodes import Declaration, Model, Struct, Tool
from polywire.model.reachability import of_controls
from polywire.model.walk import reach, refs, uses


class UnknownRootError(ValueError):
    """A name that is neither a declaration nor a tool."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def known_roots(model: Model) -> list[str]:
    """The valid names of roots: the declarations, then the tools."""
    return list(dict.fromkeys((*model.declarations, *(tool.pattern for tool in model.tools))))


def project(model: Model, roots: Sequence[str], target: str = "", references: frozenset[str] = frozenset()) -> Model:
    """Reduce the model to what `roots` reach; the first root becomes the default type to decode.

    Overrides of `target` under a key in `references` also name declarations to keep. Raises `UnknownRootError`.
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
    """The declarations for each root; a name that is both a declaration and a tool means the declaration."""
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
