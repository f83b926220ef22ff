"""Unions, inline unions and aliases of the plan → their declarations and codecs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Alias, Field, Union
from polywire.plan import Plan
from polywire.plan.unions import UnknownPlan
from polywire.targets.rust import layout
from polywire.targets.rust.accessors import Accessors, AccessorView
from polywire.targets.rust.items import Item
from polywire.targets.rust.layout import INDENT, braced, described, documentation, quoted
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.source import Tables


@dataclass(frozen=True, slots=True)
class UnionView(Item):
    """A union."""

    above: str
    is_open: bool
    variants: tuple[str, ...]
    """The declarations of its variants."""
    accessors: tuple[AccessorView, ...]


@dataclass(frozen=True, slots=True)
class UnknownView(Item):
    """The Unknown of open unions."""

    of: str
    views: tuple[str, ...]
    """The methods that read members which it may have: the name, key, type and rule, in the format of the macro."""


@dataclass(frozen=True, slots=True)
class AliasView(Item):
    """An alias of a type; it has a codec if it is a struct."""

    above: str
    type: str


class Unions:
    """Builds the unions of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, tables: Tables) -> None:
        self._tables = tables
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes
        self._accessors = Accessors(plan, names, shapes)

    def views(self) -> tuple[UnionView, ...]:
        """All unions."""
        return tuple(self._view(each.union) for each in self._plan.unions.values())

    def unknowns(self) -> tuple[UnknownView, ...]:
        """All Unknowns, without duplicates."""
        return tuple(map(self._unknown, self._plan.unknowns))

    def aliases(self) -> tuple[AliasView, ...]:
        """All aliases that do not have their own enum."""
        return tuple(self._alias(alias) for alias in self._model.aliases if not self._shapes.is_enum(alias))

    def _unknown(self, plan: UnknownPlan) -> UnknownView:
        union, name = plan.union, self._names.unknown(plan.union)
        self._shapes.home = self._names.home(union.name)
        return UnknownView(
            home=self._shapes.home,
            macro="unknowns",
            codec=braced(name, [self._tables.places[each.name] for each in plan.unions]),
            name=name,
            of=self._names.type(union.name),
            views=tuple(self._read(each.field) for each in self._plan.unions[union.name].views),
        )

    def _read(self, field: Field) -> str:
        type_, rule = self._shapes.of(field.type), self._tables.type(field.type)
        text = f"{documentation(field.about, '')}\n\nNone if it is missing, null or invalid."
        return f"{layout.above(text, None, INDENT)}{self._names.view(field)} {quoted(field.name)} {type_} = {rule}"

    def _view(self, union: Union) -> UnionView:
        name = self._names.type(union.name)
        variants = [self._variant(union, each) for each in self._names.variants(union)]
        texts, rows = [text for text, _ in variants], (f"{number} {row}" for number, (_, row) in enumerate(variants))
        codec = braced(f"{name} {quoted(union.name)} {self._tables.places[union.name]}", rows)
        if union.open:
            unknown = self._names.unknown(union)
            above_unknown = layout.above("An object that matches no variant.", None, INDENT)
            texts.append(layout.variant("Unknown", unknown, above_unknown))
            codec += f" unknown {unknown}"
        if nested := list(self._nested(union)):
            codec = "\n".join((codec, braced("nested", nested)))
        return UnionView(
            home=self._names.home(union.name),
            macro="union",
            codec=codec,
            name=name,
            above=described(union.about, f"`{union.name}`."),
            is_open=union.open,
            variants=tuple(texts),
            accessors=self._accessors.of(union),
        )

    def _alias(self, alias: Alias) -> AliasView:
        self._shapes.home = self._names.home(alias.name)
        name, type_ = self._names.type(alias.name), self._shapes.of(alias.type)
        return AliasView(
            home=self._shapes.home,
            macro="newtype" if self._shapes.is_struct(alias) else "",
            codec=f"{name} {quoted(alias.name)} {self._tables.places[alias.name]} ({type_})",
            name=name,
            above=described(alias.about, f"`{alias.name}`."),
            type=type_,
        )

    def _variant(self, union: Union, name: str) -> tuple[str, str]:
        """The declaration of a variant, and its row: the type that it holds is in square brackets if it is boxed."""
        about, variant = self._model.declarations[name].about, self._names.variant(union, name)
        text = documentation(about, f"`{name}`.").split("\n\n")[0]
        as_variant = (each.about.deprecated for each in union.variants if each.name == name)
        comment = layout.above(text, next(as_variant, None) or about.deprecated, INDENT)
        type_ = self._names.type(name)
        if name in self._plan.unions:
            return layout.variant(variant, type_, comment), f"{variant} ({type_})"
        return layout.variant(variant, f"Box<{type_}>", comment), f"{variant} [{type_}]"

    def _nested(self, union: Union) -> Iterator[str]:
        """The types in nested unions that no variant holds itself; the nearest nested union is used."""
        variants = self._names.variants(union)
        seen = {self._names.type(name) for name in variants}
        for name, variant in variants.items():
            if name in self._plan.unions:
                for leaf in self._leaves(self._plan.unions[name].union):
                    held = self._names.type(leaf)
                    if held not in seen:
                        seen.add(held)
                        yield f"{held} {variant}"

    def _leaves(self, union: Union) -> Iterator[str]:
        """The declarations that a union holds, and those in its nested unions."""
        for name in variant_types(union.dispatch):
            yield name
            if name in self._plan.unions:
                yield from self._leaves(self._plan.unions[name].union)
