"""A model and a seed → valid and faulty instances of every declared type, each with the expected result in both modes.

The walk over the model uses no decoder: the expected result of an instance follows from how it was constructed, so
these cases are an independent oracle. An instance is a valid value with at most one fault (two, in the family about
several faults); the path and code of a fault are those of the rule that it was constructed to break.

In the order of reading: `values` has samples of the built-in types, `routes` what leads through a dispatch to a struct;
`Maker` builds valid values of any type; `Prober` varies them and yields probes, which are values with their expected
outcome; `derive` collects the probes of each declaration as a root.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from random import Random

from polywire.ground.engine import pointer
from polywire.model.graphs import min_depths
from polywire.model.nodes import Model
from polywire.oracle.instances.maker import DeriveError, Maker, tag_values
from polywire.oracle.instances.prober import Prober
from polywire.oracle.instances.probes import AS_IT_CAME, Faults, Probe
from polywire.oracle.instances.values import Path, Spelled, write
from polywire.source.types import Ref, Type

__all__ = ["DeriveError", "Instance", "Outcome", "Spelled", "derive", "tag_values", "write"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The expected result in one mode: one of some errors, or a variant and the sorted pointers let pass."""

    errors: tuple[tuple[str, str], ...] = ()
    """Code and path of each fault; any one of them may be reported."""
    variant: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the instance must be accepted."""
        return not self.errors


@dataclass(frozen=True, slots=True)
class Instance:
    """One JSON text for a type. A valid text round-trips to the same value in every mode that accepts it."""

    type: str
    number: int
    family: str
    note: str
    text: str
    lenient: Outcome
    strict: Outcome
    ordered: str | None = None
    """The same value with members in the order in which encoders write them, if that is known."""
    repaired: str | None = None
    """The value after lenient mode repaired it, if it differs."""


def derive(model: Model, *, seed: int = 0, random: int = 2, only: Collection[str] | None = None) -> list[Instance]:
    """Derive the instances of every declared type, or of those in `only`; the same seed gives the same instances.

    `random` is the number of random instances of each type, besides the systematic ones. Raises `DeriveError` if a type
    has none.
    """
    depths = min_depths(model)
    endless = [name for name in model.declarations if Ref(name) not in depths]
    if endless:
        raise DeriveError(f"no finite instance of {', '.join(endless)}: each would have to contain itself")
    found: list[Instance] = []
    for name in model.declarations:
        if only is None or name in only:
            found += _of_type(model, name, depths, Random(f"{seed}:{name}"), random)  # noqa: S311 - cases, not secrets
    return found


def _of_type(model: Model, name: str, depths: Mapping[Type, int], rng: Random, random: int) -> list[Instance]:
    prober = Prober(Maker(model, depths, rng), random)
    seen: dict[str, Probe] = {}
    found: list[Instance] = []
    for probe in prober.root(name):
        text = write(probe.value)
        if (other := seen.setdefault(text, probe)) is not probe:
            if not other.agrees(probe):
                raise DeriveError(f"{name}: {text} is derived twice with different outcomes: {other} and {probe}")
            continue
        variant = probe.variant or name
        found.append(
            Instance(
                name,
                len(found) + 1,
                probe.family,
                probe.note,
                text,
                lenient=_outcome(probe.lenient, variant, probe.kept),
                strict=_outcome(probe.strict, variant, ()),
                ordered=None if probe.ordered is None else write(probe.ordered),
                repaired=None if probe.output is AS_IT_CAME else write(probe.output),
            )
        )
    if not any(instance.lenient.ok for instance in found):
        raise DeriveError(f"no instance of {name} could be derived")
    return found


def _outcome(faults: Faults, variant: str, kept: Iterable[Path]) -> Outcome:
    if faults:
        return Outcome(errors=tuple((code, pointer(path)) for code, path in faults))
    return Outcome(variant=variant, unknown=tuple(sorted(map(pointer, kept))))
