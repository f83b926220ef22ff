"""Unions → enums, and the decision between their variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Dispatch, Keys, Leaf, Model, Ref, Switch, Union
from polywire.model.walk import unions_with_unknown
from polywire.targets.rust.docs import documentation
from polywire.targets.rust.layout import key, quoted
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import LARGEST, Shapes


@dataclass(frozen=True, slots=True)
class VariantView:
    """A variant of a union."""

    name: str
    type: str
    boxed: bool
    doc: str
    deprecated: str | None

    @property
    def held(self) -> str:
        """What it holds."""
        return f"Box<{self.type}>" if self.boxed else self.type


@dataclass(frozen=True, slots=True)
class Arm:
    """One case of a decision: a pattern or condition, and the call that reads the variant."""

    when: str
    read: str


@dataclass(frozen=True, slots=True)
class Decision:
    """How a variant is found."""

    how: str
    """`tag`, `flag` or `keys`."""
    key: str
    arms: tuple[Arm, ...]
    absent: str | None = None
    """The call for an object without the discriminator."""
    likely: str | None = None
    """The call that reads the variant without a flag, tried first."""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class From:
    """A conversion into a union."""

    held: str
    made: str


@dataclass(frozen=True, slots=True)
class UnionView:
    """A union."""

    name: str
    spec_name: str
    doc: str
    deprecated: str | None
    variants: tuple[VariantView, ...]
    unknown: str | None
    """The struct of its unknown, if it is open."""
    decision: Decision
    froms: tuple[From, ...]


@dataclass(frozen=True, slots=True)
class UnknownView:
    """What an open union has for objects that no variant answers to."""

    name: str
    of: str


class Unions:
    """The unions of a model."""

    def __init__(self, model: Model, names: Names, shapes: Shapes) -> None:
        self._model = model
        self._names = names
        self._shapes = shapes

    def views(self) -> list[UnionView]:
        """Every union, in declared order."""
        return [self._view(union) for union in self._model.unions]

    def unknowns(self) -> list[UnknownView]:
        """Every Unknown, each once."""
        return [
            UnknownView(self._names.unknown(union), self._names.type(union.name))
            for union in unions_with_unknown(self._model)
        ]

    def _view(self, union: Union) -> UnionView:
        named = self._names.variants(union)
        variants = {name: self._variant(union, name, variant) for name, variant in named.items()}
        unknown = self._names.unknown(union) if union.open else None
        froms = dict(self._froms(union, variants))
        if unknown is not None:
            froms.setdefault(unknown, f"{self._names.type(union.name)}::Unknown(value)")
        return UnionView(
            name=self._names.type(union.name),
            spec_name=union.name,
            doc=documentation(union.about, f"`{union.name}`."),
            deprecated=union.about.deprecated,
            variants=tuple(variants.values()),
            unknown=unknown,
            decision=self._decision(union),
            froms=tuple(From(held, made) for held, made in froms.items()),
        )

    def _variant(self, union: Union, name: str, variant: str) -> VariantView:
        about = self._model.declarations[name].about
        doc = documentation(about, f"`{name}`.").split("\n\n")[0]
        as_variant = (each.about.deprecated for each in union.variants if each.name == name)
        deprecated = next(as_variant, None) or about.deprecated
        return VariantView(variant, self._names.type(name), self._boxed(name), doc, deprecated)

    def _boxed(self, name: str) -> bool:
        """Whether a variant is behind a pointer. A union never is, as none of its own variants is large."""
        large = self._shapes.size(Ref(name)) > LARGEST
        return large and not isinstance(self._model.declarations[name], Union)

    def _froms(self, union: Union, variants: dict[str, VariantView]) -> Iterator[tuple[str, str]]:
        """What converts into a union, nested variants last, so that what is nearer wins."""
        own = self._names.type(union.name)
        nested: dict[str, str] = {}
        for name, variant in variants.items():
            value = "Box::new(value)" if variant.boxed else "value"
            yield variant.type, f"{own}::{variant.name}({value})"
            declared = self._model.declarations[name]
            if isinstance(declared, Union):
                for leaf in _leaves(self._model, declared):
                    nested.setdefault(self._names.type(leaf), f"{own}::{variant.name}(value.into())")
        direct = {variant.type for variant in variants.values()}
        yield from ((held, made) for held, made in nested.items() if held not in direct)

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
        return Decision("tag", key(switch.key), tuple(rows), absent)

    def _by_flag(self, union: Union, switch: Switch) -> Decision:
        rows = [Arm(f"Some({'true' if v else 'false'})", self._read(union, then)) for v, then in switch.cases]
        absent, likely = None, None
        if switch.absent is not None:
            absent = self._read(union, switch.absent)
            if isinstance(switch.absent, Leaf):
                variant = f"Self::{self._names.variant(union, switch.absent.struct)}"
                likely = f"c.likely({variant}, |value| value.extra.lacks({quoted(switch.key)}))"
        return Decision("flag", key(switch.key), tuple(rows), absent, likely)

    def _by_keys(self, union: Union, keys: Keys) -> Decision:
        known = tuple(dict.fromkeys(key for case, _ in keys.cases for key in (*case.has, *case.lacks)))
        rows = []
        for case, then in keys.cases:
            wanted = ("true" if key in case.has else "false" if key in case.lacks else "_" for key in known)
            rows.append(Arm(f"[{', '.join(wanted)}]", self._read(union, then)))
        return Decision("keys", "", tuple(rows), keys=tuple(map(key, known)))

    def _read(self, union: Union, then: Dispatch) -> str:
        """The call that reads a variant."""
        name = then.struct if isinstance(then, Leaf) else then.union
        variant = f"Self::{self._names.variant(union, name)}"
        if isinstance(then, Leaf):
            return f"c.leaf({variant})"
        return f"c.nested(open, {variant})"


def _leaves(model: Model, union: Union) -> Iterator[str]:
    """The structs of a union and, through it, those of unions in it."""
    for name in variant_types(union.dispatch):
        declared = model.declarations[name]
        yield name
        if isinstance(declared, Union):
            yield from _leaves(model, declared)
