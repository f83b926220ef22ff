"""Unions, inline unions and aliases of the plan → their declarations and codecs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from polywire.model.nodes import Alias, Field, Union
from polywire.plan import Plan
from polywire.plan.unions import UnionPlan
from polywire.targets.rust import layout
from polywire.targets.rust.accessors import Accessors, AccessorView
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import quoted
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.source import Tables


@dataclass(frozen=True, slots=True)
class VariantView:
    """A variant of a union."""

    name: str
    type: str
    boxed: bool
    line: str
    doc: str
    deprecation: str | None


@dataclass(frozen=True, slots=True)
class UnionView:
    """The declaration of a union."""

    name: str
    spec_name: str
    doc: str
    deprecation: str | None
    is_open: bool
    variants: tuple[VariantView, ...]
    unknown: str | None
    """The line of the variant for its Unknown, if it is open."""
    accessors: tuple[AccessorView, ...]


@dataclass(frozen=True, slots=True)
class ReadView:
    """A method that reads a member which an Unknown may have."""

    doc: str
    row: str
    """Its name, its key, the type and the rule of the member, in the format of the macro."""


@dataclass(frozen=True, slots=True)
class UnknownView:
    """The Unknown of open unions."""

    name: str
    of: str
    union: str
    """The name of the union in the spec."""
    views: tuple[ReadView, ...]


@dataclass(frozen=True, slots=True)
class AliasView:
    """An alias of a type."""

    name: str
    spec_name: str
    doc: str
    deprecation: str | None
    type: str
    is_struct: bool


@dataclass(frozen=True, slots=True)
class UnionCodecView:
    """The codec of a union."""

    name: str
    spec_name: str
    """A literal."""
    place: str
    variants: str
    """Its variants, each with its number in the tables and the type that it holds."""
    unknown: str | None
    """The struct of its Unknown, if it is open."""
    nested: str
    """The types that nested unions hold, each with the variant of the nested union."""


@dataclass(frozen=True, slots=True)
class UnknownCodecView:
    """An Unknown, with the indexes of its unions in the tables."""

    name: str
    places: str


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
        """The declarations of all unions."""
        return tuple(map(self._view, self._plan.unions.values()))

    def unknowns(self) -> tuple[UnknownView, ...]:
        """All Unknowns, without duplicates."""
        return tuple(self._unknown(each.union) for each in self._plan.unknowns)

    def _unknown(self, union: Union) -> UnknownView:
        self._shapes.home = self._names.home(union.name)
        views = tuple(self._read(each.field) for each in self._plan.unions[union.name].views)
        return UnknownView(self._names.unknown(union), self._names.type(union.name), union.name, views)

    def _read(self, field: Field) -> ReadView:
        type_ = self._shapes.of(field.type)
        text = documentation(field.about, "")
        rule = self._tables.type(field.type)
        row = f"{self._names.view(field)} {quoted(field.name)} {type_} = {rule}"
        return ReadView(layout.doc(f"{text}\n\nNone if it is missing, null or invalid.", 4), row)

    def codecs(self, places: Mapping[str, str]) -> tuple[UnionCodecView, ...]:
        """The codecs of all unions; `places` has their indexes in the tables."""
        return tuple(self._codec(each.union, places[name]) for name, each in self._plan.unions.items())

    def unknown_codecs(self, places: Mapping[str, str]) -> tuple[UnknownCodecView, ...]:
        """All Unknowns; `places` has the indexes of unions in the tables."""
        return tuple(
            UnknownCodecView(
                self._names.unknown(each.union),
                " ".join(f"{places[union.name]}," for union in each.unions),
            )
            for each in self._plan.unknowns
        )

    def aliases(self) -> tuple[AliasView, ...]:
        """All aliases that do not have their own enum."""
        return tuple(self._alias(alias) for alias in self._model.aliases if not self._shapes.is_enum(alias))

    def _view(self, plan: UnionPlan) -> UnionView:
        union = plan.union
        unknown = layout.variant("Unknown", self._names.unknown(union)) if union.open else None
        return UnionView(
            name=self._names.type(union.name),
            spec_name=union.name,
            doc=layout.doc(documentation(union.about, f"`{union.name}`.")),
            deprecation=layout.deprecation(union.about.deprecated),
            is_open=union.open,
            variants=tuple(self._variants(union).values()),
            unknown=unknown,
            accessors=self._accessors.of(union),
        )

    def _alias(self, alias: Alias) -> AliasView:
        self._shapes.home = self._names.home(alias.name)
        return AliasView(
            name=self._names.type(alias.name),
            spec_name=alias.name,
            doc=layout.doc(documentation(alias.about, f"`{alias.name}`.")),
            deprecation=layout.deprecation(alias.about.deprecated),
            type=self._shapes.of(alias.type),
            is_struct=self._shapes.is_struct(alias),
        )

    def _codec(self, union: Union, place: str) -> UnionCodecView:
        variants = self._variants(union)
        unknown = self._names.unknown(union) if union.open else None
        return UnionCodecView(
            name=self._names.type(union.name),
            spec_name=quoted(union.name),
            place=place,
            variants=numbered(map(_held, variants.values())),
            unknown=unknown,
            nested=layout.listed(self._nested(variants)),
        )

    def _variants(self, union: Union) -> dict[str, VariantView]:
        """The variants by the declaration that they hold."""
        return {name: self._variant(union, name, each) for name, each in self._names.variants(union).items()}

    def _variant(self, union: Union, name: str, variant: str) -> VariantView:
        about = self._model.declarations[name].about
        text = documentation(about, f"`{name}`.").split("\n\n")[0]
        as_variant = (each.about.deprecated for each in union.variants if each.name == name)
        deprecated = next(as_variant, None) or about.deprecated
        type_, boxed = self._names.type(name), name not in self._plan.unions
        line = layout.variant(variant, f"Box<{type_}>" if boxed else type_)
        return VariantView(variant, type_, boxed, line, layout.doc(text, 4), layout.deprecation(deprecated, 4))

    def _nested(self, variants: Mapping[str, VariantView]) -> Iterator[str]:
        """The types in nested unions that no variant holds itself; the nearest nested union is used."""
        seen = {variant.type for variant in variants.values()}
        for name, variant in variants.items():
            if name in self._plan.unions:
                for leaf in self._leaves(self._plan.unions[name].union):
                    held = self._names.type(leaf)
                    if held not in seen:
                        seen.add(held)
                        yield f"{held} {variant.name}"

    def _leaves(self, union: Union) -> Iterator[str]:
        """The declarations that a union holds, and those in its nested unions."""
        for name in variant_types(union.dispatch):
            yield name
            if name in self._plan.unions:
                yield from self._leaves(self._plan.unions[name].union)


def _held(variant: VariantView) -> str:
    """A variant with the type that it holds, in square brackets if that is boxed."""
    return f"{variant.name} [{variant.type}]" if variant.boxed else f"{variant.name} ({variant.type})"


def numbered(variants: Iterable[str]) -> str:
    """Variants with their numbers."""
    return layout.listed(f"{number} {name}" for number, name in enumerate(variants))
