"""The model → what each declaration is needed for, if not to read and write messages.

Packages may compile or load these declarations only where they are wanted. They are needed by

- `session`: what answers requests, as envelopes hold answers as untouched JSON,
- `tools`: inputs and outputs of tools, likewise,
- an area, which is a file of the spec, if none of its declarations is in a message, or if it declares what nothing else
  reaches, such as the options that start a process.

If several of them reach a declaration, each needs it. A spec of a single file has no areas, so all of it is needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from polywire.model.nodes import Declaration, Model, Union
from polywire.model.reachability import of_controls
from polywire.model.walk import reach, refs, uses

SESSION, TOOLS = "session", "tools"

Needs: TypeAlias = frozenset[str]
"""What needs something; empty if it is always needed."""


@dataclass(frozen=True, slots=True)
class NeedsPlan:
    """What needs the parts of a package."""

    declared: Mapping[str, Needs]
    """The needs of each declaration, by name."""
    session: Needs
    tools: Needs
    launch: Needs
    """What needs all records that start a process, and with them the answers of their functions."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that some declaration is needed for."""
        return tuple(sorted(frozenset[str]().union(*self.declared.values())))


def needs_plan(model: Model, area_of: Callable[[Declaration], str]) -> NeedsPlan:
    """The needs of a model; `area_of` names the area of a declaration."""
    areas: dict[str, set[str]] = defaultdict(set)
    for name, declared in model.declarations.items():
        areas[area_of(declared)].add(name)
    control = model.protocol.control
    launched = {struct.name for struct in model.structs if struct.launch is not None}
    asked = {*of_controls(model)}
    used = {name for tool in model.tools for type_ in (tool.input, tool.output) for name in refs(type_)}
    first = {name for name in model.protocol.roots if name not in launched} | {*(control.structs if control else ())}
    graph = _graph(model)
    always = reach(graph, first)
    reached = {SESSION: reach(graph, asked), TOOLS: reach(graph, used)}
    covered = always.union(*reached.values())
    for area, names in sorted(areas.items(), key=lambda each: not each[1] & launched):
        if not names & always or names - covered:
            reached[area] = reach(graph, names).union(reached.get(area, ()))
            covered |= reached[area]

    def of_all(names: Collection[str]) -> Needs:
        rest = frozenset(names) - always
        return frozenset(need for need, those in reached.items() if rest and rest <= those and len(areas) > 1)

    return NeedsPlan({name: of_all([name]) for name in graph}, of_all(asked), of_all(used), of_all(launched))


def _graph(model: Model) -> dict[str, list[str]]:
    """What each declaration needs: what it mentions, and the unions with the same Unknown.

    Records that start a process have functions, which answer requests.
    """
    graph = {name: [*uses(declared)] for name, declared in model.declarations.items()}
    unions: dict[str, list[str]] = defaultdict(list)
    for name, declared in model.declarations.items():
        if isinstance(declared, Union) and declared.open:
            unions[declared.unknown].append(name)
    for names in unions.values():
        for one, other in zip(names, (*names[1:], names[0]), strict=True):
            graph[one].append(other)
    for struct in model.structs:
        if struct.launch is not None:
            graph[struct.name] += of_controls(model)
    return graph
