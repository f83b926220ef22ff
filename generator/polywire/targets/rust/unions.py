"""Unions, inline unions and aliases of the plan → their declarations, and the decision between variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from polywire.model.nodes import Alias, Dispatch, Keys, Leaf, Ref, Switch, Union
from polywire.plan import Plan
from polywire.plan.unions import UnionPlan
from polywire.targets.rust import layout
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import key, quoted
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import LARGEST, ChoiceView, Shapes

UNKNOWN, MISS = "Ok(None)", "Err(FastPathMiss)"
"""What a decision gives for an object without a variant, and for one that the tables decide."""


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
    """A union as it is declared."""

    name: str
    doc: str
    deprecation: str | None
    is_open: bool
    variants: tuple[VariantView, ...]
    unknown: str | None
    """The line of its Unknown, if it is open."""


@dataclass(frozen=True, slots=True)
class UnknownView:
    """What an open union has for objects without a variant."""

    name: str
    of: str


@dataclass(frozen=True, slots=True)
class AliasView:
    """Another name of a type."""

    name: str
    spec_name: str
    """A literal."""
    doc: str
    deprecation: str | None
    type: str


@dataclass(frozen=True, slots=True)
class UnionsFileView:
    """What `unions.rs` says."""

    unions: tuple[UnionView, ...]
    unknowns: tuple[UnknownView, ...]
    choices: tuple[ChoiceView, ...]
    aliases: tuple[AliasView, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """One case of a decision: a pattern or condition, and the expression that reads the variant."""

    when: str
    read: str


@dataclass(frozen=True, slots=True)
class Decision:
    """How a variant is found."""

    how: Literal["tag", "flag", "keys"]
    key: str
    """The discriminator's, or all the keys that are looked for."""
    arms: tuple[Arm, ...]
    otherwise: str
    """What is read where no arm fits."""
    absent: str | None = None
    """What is read of an object without the discriminator."""
    likely: str | None = None
    """What reads the variant without a flag, and is tried first."""


@dataclass(frozen=True, slots=True)
class From:
    """A conversion into a union."""

    held: str
    made: str


@dataclass(frozen=True, slots=True)
class UnionCodecView:
    """The codec of a union."""

    name: str
    spec_name: str
    """A literal."""
    place: int
    variants: tuple[VariantView, ...]
    unknown: str | None
    """The struct of its Unknown, if it is open."""
    decision: Decision
    froms: tuple[From, ...]


class Unions:
    """The unions of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes

    def file(self) -> UnionsFileView:
        """What is declared."""
        return UnionsFileView(
            unions=tuple(map(self._view, self._plan.unions.values())),
            unknowns=tuple(
                UnknownView(self._names.unknown(each.union), self._names.type(each.union.name))
                for each in self._plan.unknowns
            ),
            choices=tuple(self._shapes.choices.values()),
            aliases=self.aliases(),
        )

    def codecs(self, places: Mapping[str, int]) -> tuple[UnionCodecView, ...]:
        """The codec of every union, each of which has a place in the tables."""
        return tuple(self._codec(each.union, places[name]) for name, each in self._plan.unions.items())

    def aliases(self) -> tuple[AliasView, ...]:
        """Every alias that is no enum of its own."""
        return tuple(self._alias(alias) for alias in self._model.aliases if not self._shapes.is_enum(alias))

    def _view(self, plan: UnionPlan) -> UnionView:
        union = plan.union
        unknown = layout.variant("Unknown", self._names.unknown(union)) if union.open else None
        return UnionView(
            name=self._names.type(union.name),
            doc=layout.doc(documentation(union.about, f"`{union.name}`.")),
            deprecation=layout.deprecation(union.about.deprecated),
            is_open=union.open,
            variants=tuple(self._variants(union).values()),
            unknown=unknown,
        )

    def _alias(self, alias: Alias) -> AliasView:
        return AliasView(
            name=self._names.type(alias.name),
            spec_name=quoted(alias.name),
            doc=layout.doc(documentation(alias.about, f"`{alias.name}`.")),
            deprecation=layout.deprecation(alias.about.deprecated),
            type=self._shapes.of(alias.type),
        )

    def _codec(self, union: Union, place: int) -> UnionCodecView:
        variants = self._variants(union)
        unknown = self._names.unknown(union) if union.open else None
        froms = dict(self._froms(union, variants))
        if unknown is not None:
            froms.setdefault(unknown, f"{self._names.type(union.name)}::Unknown(value)")
        return UnionCodecView(
            name=self._names.type(union.name),
            spec_name=quoted(union.name),
            place=place,
            variants=tuple(variants.values()),
            unknown=unknown,
            decision=self._decision(union),
            froms=tuple(From(held, made) for held, made in froms.items()),
        )

    def _variants(self, union: Union) -> dict[str, VariantView]:
        """The variants by what they hold."""
        return {name: self._variant(union, name, each) for name, each in self._names.variants(union).items()}

    def _variant(self, union: Union, name: str, variant: str) -> VariantView:
        about = self._model.declarations[name].about
        text = documentation(about, f"`{name}`.").split("\n\n")[0]
        as_variant = (each.about.deprecated for each in union.variants if each.name == name)
        deprecated = next(as_variant, None) or about.deprecated
        type_, boxed = self._names.type(name), self._boxed(name)
        line = layout.variant(variant, f"Box<{type_}>" if boxed else type_)
        return VariantView(variant, type_, boxed, line, layout.doc(text, 4), layout.deprecation(deprecated, 4))

    def _boxed(self, name: str) -> bool:
        """Whether a variant is behind a pointer. A union never is, as none of its own variants is large."""
        return name not in self._plan.unions and self._shapes.size(Ref(name)) > LARGEST

    def _froms(self, union: Union, variants: Mapping[str, VariantView]) -> Iterator[tuple[str, str]]:
        """What converts into a union, nested variants last, so that what is nearer wins."""
        own = self._names.type(union.name)
        nested: dict[str, str] = {}
        for name, variant in variants.items():
            value = "Box::new(value)" if variant.boxed else "value"
            yield variant.type, f"{own}::{variant.name}({value})"
            if name in self._plan.unions:
                for leaf in self._leaves(self._plan.unions[name].union):
                    nested.setdefault(self._names.type(leaf), f"{own}::{variant.name}(value.into())")
        direct = {variant.type for variant in variants.values()}
        yield from ((held, made) for held, made in nested.items() if held not in direct)

    def _leaves(self, union: Union) -> Iterator[str]:
        """What a union holds and, through unions in it, what they hold."""
        for name in variant_types(union.dispatch):
            yield name
            if name in self._plan.unions:
                yield from self._leaves(self._plan.unions[name].union)

    # Decisions.

    def _decision(self, union: Union) -> Decision:
        match union.dispatch:
            case Switch() as switch if any(isinstance(value, bool) for value, _ in switch.cases):
                return self._by_flag(union, switch)
            case Switch() as switch:
                return self._by_tag(union, switch)
            case Keys() as keys:
                return self._by_keys(union, keys)

    def _by_tag(self, union: Union, switch: Switch) -> Decision:
        arms: dict[str, list[str]] = {}
        for value, then in switch.cases:
            arms.setdefault(self._read(union, then), []).append(quoted(str(value)))
        rows = [Arm(" | ".join(values), read) for read, values in arms.items()]
        for form, struct in switch.others:
            variant = f"Self::{self._names.variant(union, struct)}"
            rows.append(Arm(f"tag if glob({quoted(form)}, tag)", f"c.catch_all({variant})"))
        absent = None if switch.absent is None else self._read(union, switch.absent)
        return Decision("tag", key(switch.key), tuple(rows), _unanswered(union), absent)

    def _by_flag(self, union: Union, switch: Switch) -> Decision:
        rows = [Arm(f"Some({'true' if v else 'false'})", self._read(union, then)) for v, then in switch.cases]
        if switch.absent is None:
            if union.open and len(rows) < len((True, False)):
                rows.append(Arm("Some(_)", UNKNOWN))
            return Decision("flag", key(switch.key), tuple(rows), MISS)
        likely = None
        if isinstance(switch.absent, Leaf):
            variant = f"Self::{self._names.variant(union, switch.absent.struct)}"
            likely = f"c.likely({variant}, |value| value.extra.lacks({quoted(switch.key)}))"
        return Decision("flag", key(switch.key), tuple(rows), self._read(union, switch.absent), likely=likely)

    def _by_keys(self, union: Union, keys: Keys) -> Decision:
        known = tuple(dict.fromkeys(key for case, _ in keys.cases for key in (*case.has, *case.lacks)))
        rows = []
        for case, then in keys.cases:
            wanted = ("true" if key in case.has else "false" if key in case.lacks else "_" for key in known)
            rows.append(Arm(f"[{', '.join(wanted)}]", self._read(union, then)))
        return Decision("keys", ", ".join(map(key, known)), tuple(rows), _unanswered(union))

    def _read(self, union: Union, then: Dispatch) -> str:
        """The call that reads a variant."""
        name = then.struct if isinstance(then, Leaf) else then.union
        variant = f"Self::{self._names.variant(union, name)}"
        if isinstance(then, Leaf):
            return f"c.leaf({variant})"
        return f"c.nested(open, {variant})"


def _unanswered(union: Union) -> str:
    """What a union makes of an object without a variant."""
    return UNKNOWN if union.open else MISS
