"""Values with the results that both modes must have."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from polywire.ground.engine import pointer
from polywire.oracle.instances.values import Path

Faults: TypeAlias = "tuple[tuple[str, Path], ...]"
"""Faults, each with a code and a path."""

AS_IT_CAME: Final = object()
"""Marks an output equal to the input value."""

WRONG_KIND: Final = (("wrong_type", ()),)


@dataclass(frozen=True, slots=True)
class Probe:
    """A value and the expected result in each mode: a fault (code, path), or none and the paths that were let pass."""

    value: object
    family: str
    note: str
    lenient: Faults = ()
    strict: Faults = ()
    kept: tuple[Path, ...] = ()
    variant: str | None = None
    """For unions: the struct that was chosen."""
    ordered: object = None
    """The value with its members in the order of encoders, if that is known."""
    output: object = AS_IT_CAME
    """The output if lenient mode repairs the value."""

    @property
    def sound(self) -> bool:
        return not self.strict

    def under(self, step: str | int, value: object) -> Probe:
        """Return the probe with its value nested at `step` of another value."""
        moved = self._moved(lambda path: (step, *path), value)
        if self.output is AS_IT_CAME:
            return moved
        output = copy(value)
        output[step] = self.output  # type: ignore[index]  # it has the probe's value there
        return replace(moved, output=output)

    def instead(self, value: object) -> Probe:
        """Return the probe with its members merged into another object."""
        moved = self._moved(lambda path: path, value)
        if self.output is AS_IT_CAME:
            return moved
        assert isinstance(value, dict)  # noqa: S101 - it has the members of the probe's value
        assert isinstance(self.value, dict)  # noqa: S101 - only probes of objects are merged into other objects
        assert isinstance(self.output, dict)  # noqa: S101 - likewise
        around = {key: each for key, each in value.items() if key not in self.value}
        return replace(moved, output=around | self.output)

    def agrees(self, other: Probe) -> bool:
        """Return whether both probes expect the same result."""
        return (self.lenient, self.strict, sorted(map(pointer, self.kept)), self.variant) == (
            other.lenient,
            other.strict,
            sorted(map(pointer, other.kept)),
            other.variant,
        ) and (self.output is AS_IT_CAME) == (other.output is AS_IT_CAME)

    def _moved(self, move: Callable[[Path], Path], value: object) -> Probe:
        def faults(old: Faults) -> Faults:
            return tuple((code, move(path)) for code, path in old)

        return Probe(
            value, self.family, self.note, faults(self.lenient), faults(self.strict), tuple(map(move, self.kept))
        )


def sound(value: object, family: str, note: str, variant: str | None = None, *, ordered: object = None) -> Probe:
    return Probe(value, family, note, variant=variant, ordered=ordered)


def broken(value: object, family: str, note: str, code: str, path: Path = ()) -> Probe:
    return Probe(value, family, note, lenient=((code, path),), strict=((code, path),))


def let_pass(value: object, family: str, note: str, code: str, path: Path = (), variant: str | None = None) -> Probe:
    return Probe(value, family, note, strict=((code, path),), kept=(path,), variant=variant)
