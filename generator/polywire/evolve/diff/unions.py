"""Two matching unions → the differences in their variants and in how these are distinguished.

The structs that a union finally dispatches to are compared, however its variants are nested; the tags that distinguish
them belong to the variants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polywire.evolve.diff.matching import Matching
from polywire.evolve.diff.records import Difference, Side
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Declaration, Keys, Model, Struct, Switch, Union, Variant
from polywire.model.walk import structs_of


def of_unions(before: Union, after: Union, matching: Matching) -> Iterator[Difference]:
    if before.open != after.open:
        yield _plain("union-open", before, after, *("open" if u.open else "closed" for u in (before, after)))
    if before.by != after.by:
        yield _plain("union-by", before, after, *(_means(u) for u in (before, after)))
    yield from _variants(before, after, matching)
    yield from _conditions(before, after, matching)
    yield from _absent(before, after, matching)


def _plain(rule: str, before: Union, after: Union, old: str | None, new: str | None) -> Difference:
    return Difference(
        rule, Side(before.name, text=old, place=before.place), Side(after.name, text=new, place=after.place)
    )


def _means(union: Union) -> str:
    if not isinstance(union.dispatch, Keys):
        return union.by
    return "; ".join(f"{variant.name} {_condition(variant)}" for variant, _ in union.dispatch.cases)


def _condition(variant: Variant) -> str:
    return ", ".join([*(f"has {key}" for key in variant.has), *(f"lacks {key}" for key in variant.lacks)]) or "always"


# --- variants --------------------------------------------------------------------------------------------------


def _variants(before: Union, after: Union, matching: Matching) -> Iterator[Difference]:
    gone, come = _changed(before, after, matching)
    for one, other in _shared(before, after, matching):
        inner = _said_there(one, other, matching)
        gone -= inner[0]
        come -= inner[1]
    for name, place in _as_declared(before, gone, matching.before).items():
        yield Difference("union-variant", Side(before.name, name, name, place), Side(after.name, place=after.place))
    for name, place in _as_declared(after, come, matching.after).items():
        yield Difference("union-variant", Side(before.name, place=before.place), Side(after.name, name, name, place))


def _changed(before: Union, after: Union, matching: Matching) -> tuple[set[str], set[str]]:
    """Return the structs that only one side dispatches to, except the requests that belong to controls."""
    old, new = structs_of(before.dispatch), structs_of(after.dispatch)
    counterparts = {matching.counterpart(name) for name in old}
    gone = {name for name in old if matching.counterpart(name) not in new} - {
        c.request for c in matching.before.controls
    }
    return gone, {name for name in new if name not in counterparts} - {c.request for c in matching.after.controls}


def _shared(before: Union, after: Union, matching: Matching) -> Iterator[tuple[Declaration, Declaration]]:
    """Yield the variants that both unions have, directly or nested."""
    there = set(_nested(after, matching.after))
    for name in dict.fromkeys(_nested(before, matching.before)):
        counterpart = matching.counterpart(name)
        if counterpart is not None and counterpart in there:
            yield matching.before.declarations[name], matching.after.declarations[counterpart]


def _nested(union: Union, model: Model) -> Iterator[str]:
    for variant in union.variants:
        yield variant.name
        declared = model.declarations[variant.name]
        if isinstance(declared, Union):
            yield from _nested(declared, model)


def _said_there(before: Declaration, after: Declaration, matching: Matching) -> tuple[set[str], set[str]]:
    """Return the structs of a shared variant whose change is already reported for that variant."""
    match before, after:
        case Union(), Union():
            return _changed(before, after, matching)
        case Struct(), Struct():
            return set(), set()
        case _:
            return set(_ends(before)), set(_ends(after))


def _ends(declared: Declaration) -> tuple[str, ...]:
    return structs_of(declared.dispatch) if isinstance(declared, Union) else (declared.name,)


def _as_declared(union: Union, changed: set[str], model: Model) -> Mapping[str, SourceLocation]:
    """Return the changed structs as the union declares them: a nested union of only such structs replaces them."""
    found: dict[str, SourceLocation] = {}
    left = set(changed)
    for variant in union.variants:
        inside = set(_ends(model.declarations[variant.name]))
        if inside <= left:
            found[variant.name] = variant.place
            left -= inside
    rest = (name for name in structs_of(union.dispatch) if name in left)
    return found | dict.fromkeys(rest, union.place)


def _conditions(before: Union, after: Union, matching: Matching) -> Iterator[Difference]:
    """Yield changed keys that distinguish variants, if both sides dispatch by keys."""
    if not (isinstance(before.dispatch, Keys) and isinstance(after.dispatch, Keys)):
        return
    others = {variant.name: variant for variant in after.variants}
    for variant in before.variants:
        other = others.get(matching.counterpart(variant.name) or "")
        if other and (set(variant.has), set(variant.lacks)) != (set(other.has), set(other.lacks)):
            yield Difference("union-condition", _side(before, variant), _side(after, other))


def _side(union: Union, variant: Variant) -> Side:
    return Side(union.name, variant.name, f"{variant.name} {_condition(variant)}", variant.place)


# --- objects without the discriminator -------------------------------------------------------------------------


def _absent(before: Union, after: Union, matching: Matching) -> Iterator[Difference]:
    """Yield changes of variants that both unions have; a change in a nested union is reported only there."""
    old, new = _takes(before), _takes(after)
    if _same(old, new, matching) or before.by != after.by:
        return
    if any((_takes(one), _takes(other)) == (old, new) for one, other in _shared(before, after, matching)):
        return
    gone, come = _changed(before, after, matching)
    if not (set(old) <= gone and set(new) <= come):
        yield _plain("union-absent", before, after, _without(before, old), _without(after, new))


def _without(union: Union, names: tuple[str, ...]) -> str | None:
    return f"without {union.by}: {' | '.join(names)}" if names else None


def _takes(declared: Declaration) -> tuple[str, ...]:
    dispatch = declared.dispatch if isinstance(declared, Union) else None
    absent = dispatch.absent if isinstance(dispatch, Switch) else None
    return () if absent is None else structs_of(absent)


def _same(before: tuple[str, ...], after: tuple[str, ...], matching: Matching) -> bool:
    return {matching.counterpart(name) for name in before} == set(after)
