"""The declarations of one release, or of several joined ones, before the decisions of unions are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from polywire.ground.location import SourceLocation
from polywire.model.dispatch import WrittenUnion
from polywire.model.names import without
from polywire.model.nodes import Alias, Control, Enum, Field, RowTable, Struct, Tool, Tree
from polywire.model.walk import refs, uses
from polywire.source.types import Type


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that a release declares, by the name in the newest release."""

    enums: Mapping[str, Enum]
    aliases: Mapping[str, Alias]
    structs: Mapping[str, Struct]
    """Structs with the members that they include."""
    unions: Mapping[str, WrittenUnion]
    controls: Mapping[str, Control]
    tools: Mapping[str, Tool]
    trees: Mapping[str, Tree]
    tables: Mapping[str, RowTable]
    roots: tuple[str, ...]

    def graph(self) -> dict[str, tuple[str, ...]]:
        """The declarations that each declaration uses."""
        named: dict[str, Enum | Alias | Struct] = {**self.enums, **self.aliases, **self.structs}
        graph = {name: tuple(uses(declared)) for name, declared in named.items()}
        return graph | {name: (*(v.name for v in union.variants), *union.views) for name, union in self.unions.items()}

    def without(self, names: frozenset[str]) -> Parts:
        """The same parts, with `json` in place of missing declarations."""
        keys = set(names)

        def known(type_: Type) -> Type:
            return without(type_, keys, keys)

        def answer(type_: Type | None) -> Type | None:
            return None if type_ is None else known(type_)

        def struct(each: Struct) -> Struct:
            return replace(
                each,
                tags=tuple(tag for tag in each.tags if tag.enum not in names),
                fields=tuple(field(f) for f in each.fields),
                extra=answer(each.extra),
            )

        def field(each: Field) -> Field:
            call = each.callback
            if call is not None:
                params = tuple(replace(each, type=known(each.type)) for each in call.params)
                call = replace(call, params=params, returns=answer(call.returns))
            return replace(each, type=known(each.type), callback=call)

        return replace(
            self,
            aliases={name: replace(each, type=known(each.type)) for name, each in self.aliases.items()},
            structs={name: struct(each) for name, each in self.structs.items()},
            controls={
                key: replace(each, response=answer(each.response), error=answer(each.error))
                for key, each in self.controls.items()
            },
            tools={key: replace(each, output=answer(each.output)) for key, each in self.tools.items()},
        )

    def starts(self) -> Iterator[str]:
        """The declarations from which reachability starts, without those of the control protocol."""
        yield from self.roots
        for control in self.controls.values():
            yield control.request
            for type_ in (control.response, control.error):
                yield from refs(type_)
        for tool in self.tools.values():
            for type_ in (tool.input, tool.output):
                yield from refs(type_)

    def uses(self) -> Iterator[tuple[str, SourceLocation, str]]:
        """Every use of a declaration that must exist: its name, and the location and description of the user."""
        for alias in self.aliases.values():
            yield from ((name, alias.place, f"`{alias.name}`") for name in refs(alias.type))
        for struct in self.structs.values():
            yield from _of_struct(struct)
        for control in self.controls.values():
            for type_ in (control.response, control.error):
                yield from ((name, control.place, f"control `{control.key}`") for name in refs(type_))
        for tool in self.tools.values():
            yield from ((name, tool.place, f"tool `{tool.pattern}`") for name in refs(tool.output))


def _of_struct(struct: Struct) -> Iterator[tuple[str, SourceLocation, str]]:
    yield from ((name, struct.place, f"`{struct.name}`") for name in refs(struct.extra))
    yield from ((tag.enum, tag.place, f"`{struct.name}`") for tag in struct.tags if tag.enum is not None)
    for field in (each for each in struct.fields if each.origin is None):  # included fields are reported at the mixin
        types: list[Type | None] = [field.type]
        if field.callback is not None:
            types += [field.callback.returns, *(param.type for param in field.callback.params)]
        for type_ in types:
            yield from ((name, field.place, f"field `{field.name}` of `{struct.name}`") for name in refs(type_))
