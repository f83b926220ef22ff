"""Valid values → variations of them, each by one rule, with the result that the rule requires."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

from polywire.ground.engine import MAX_INTEGER
from polywire.model.nodes import Alias, Dispatch, Enum, Field, Keys, Struct, Switch, Tag, Union
from polywire.oracle.bounds import LONGEST, another, outside, within
from polywire.oracle.instances.maker import ImpossibleError, Maker, declared_keys, resolved, tag_values
from polywire.oracle.instances.probes import AS_IT_CAME, WRONG_KIND, Probe, broken, let_pass, sound
from polywire.oracle.instances.routes import Route, beginning, routes_of, unclaimed_cases
from polywire.oracle.instances.values import (
    ANYTHING,
    KEYS,
    NO_INTEGERS,
    NO_NUMBERS,
    NO_TIMES,
    NO_UUIDS,
    OF_KIND,
    SAMPLES,
    UNHEARD,
    Members,
    Spelled,
    is_claimed,
    kind_of,
    write,
)
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type

_Member: TypeAlias = "tuple[str, list[Probe]]"
"""A key, and probes of the whole object that differ only in that member."""


class Prober:
    """Yields variations of valid values, one rule each."""

    def __init__(self, maker: Maker, random: int) -> None:
        self.maker = maker
        self.model = maker.model
        self.rng = maker.rng
        self.random = random
        self.open: list[str] = []
        """The aliases that the current probe is inside of: a recursive alias is not entered twice."""

    def root(self, name: str) -> Iterator[Probe]:
        """Yield every probe of a declared type."""
        match self.model.declarations[name]:
            case Enum() as enum:
                yield from self.enum(enum, every=True)
            case Alias(type=type_):
                yield from self._alias(type_)
            case Struct() as struct:
                yield from self.wrong_kinds(Ref(name))
                yield from self.struct(struct)
            case Union() as union:
                yield from self.wrong_kinds(Ref(name))
                yield from self.union(union)

    def _alias(self, type_: Type) -> Iterator[Probe]:
        if isinstance(type_, Ref):
            for probe in self.root(type_.name):
                union = isinstance(resolved(self.model, type_), Union)
                yield probe if union else replace(probe, variant=None)
            return
        for style in ("minimal", "full", *["random"] * self.random):
            yield sound(self.maker.whole(type_, style), style, f"{style}")  # type: ignore[arg-type]  # a Style each
        # A choice with a union among its members reports no variant.
        yield from (replace(probe, variant=None) for probe in self.type(type_, every=True))

    # --- types of fields ---------------------------------------------------------------------------------------

    def type(self, type_: Type, *, every: bool = False) -> Iterator[Probe]:
        """Yield probes of a type expression, with every sample if `every` is set, otherwise with some in rotation."""
        yield from self.wrong_kinds(type_)
        match type_:
            case Scalar(kind=kind) if type_.is_bounded:
                yield from self.bounded(type_)
            case Scalar(kind=kind):
                yield from self.scalar(kind, every=every)
            case LiteralType(value=value):
                yield sound(value, "value", f"the literal {write(value)}")
                yield broken(another(value), "constant", f"another value than {write(value)}", "wrong_constant")
            case TupleType(items=items):
                yield from self.tuple_(items)
            case Array():
                yield from self.array(type_)
            case Map():
                yield from self.map(type_)
            case Choice(members=members):
                for member in members:
                    yield from (probe for probe in self.type(member, every=every) if probe.lenient != WRONG_KIND)
            case Ref(name=name):
                yield from self.named(name)

    def wrong_kinds(self, type_: Type) -> Iterator[Probe]:
        """Yield a value of each JSON kind that the type does not have."""
        right = kinds(self.model, type_)
        for kind, value in OF_KIND.items():
            if kind not in right:
                yield broken(value, "wrong kind", f"{kind} for {' or '.join(sorted(right))}", "wrong_type")

    def scalar(self, kind: str, *, every: bool) -> Iterator[Probe]:
        samples = SAMPLES[kind]
        for value in samples if every else self.maker.turn(kind, samples, 3):
            yield sound(value, "value", f"{kind} {write(value)}")
        for code, family, wrong in _WRONG.get(kind, ()):
            for value in wrong if every else self.maker.turn(f"no {kind}", wrong, 2):
                make = let_pass if code == "bad_format" else broken
                yield make(value, family, f"{write(value)} for {kind}", code)
        if kind in {"json", "object"}:
            too_large = {"a": [Spelled("1"), Spelled("1e400")]}
            yield broken(too_large, "out of range", "overflow in untouched JSON", "out_of_range", ("a", 1))

    def bounded(self, scalar: Scalar) -> Iterator[Probe]:
        kind = scalar.kind
        for value in within(scalar):
            yield sound(value, "value", f"{write(value)} within bounds")
        for value in outside(scalar):
            yield let_pass(value, "bounds", f"{write(value)} out of bounds", "out_of_bounds")
        for code, family, wrong in _WRONG.get(kind, ()):
            yield broken(self.maker.turn(f"no {kind}", wrong, 1)[0], family, f"no {kind}", code)

    def tuple_(self, items: Sequence[Type]) -> Iterator[Probe]:
        whole = [self.maker.whole(item, "minimal") for item in items]
        yield sound(whole, "value", f"{len(items)} items")
        yield broken(whole[:-1], "bounds", "an item less", "out_of_bounds")
        yield broken([*whole, whole[-1]], "bounds", "an item more", "out_of_bounds")
        for at, item in enumerate(items):
            for probe in self.type(item):
                yield probe.under(at, [*whole[:at], probe.value, *whole[at + 1 :]])

    def array(self, array: Array) -> Iterator[Probe]:
        low = array.low or 0
        filler = [self.maker.whole(array.item, "minimal") for _ in range(low + 1)]
        if low == 0:
            yield sound([], "value", "no items")
        for at, probe in enumerate(self.type(array.item)):
            # The fault is in the first and the last item alternately.
            index = 0 if at % 2 or low < 2 else low - 1
            items = filler[: max(low, 1)]
            items[index] = probe.value
            yield probe.under(index, items)
        if array.high is not None and array.high < LONGEST:
            most = [self.maker.whole(array.item, "minimal") for _ in range(array.high + 1)]
            yield sound(most[:-1], "value", f"{array.high} items, the most")
            yield let_pass(most, "bounds", f"{array.high + 1} items where {array.high} are the most", "out_of_bounds")
        if low:
            yield sound(filler[:low], "value", f"{low} items, the least")
            yield let_pass(filler[: low - 1], "bounds", f"{low - 1} items where {low} are the least", "out_of_bounds")

    def map(self, map_: Map) -> Iterator[Probe]:
        yield sound({}, "value", "no entries")
        enum = None if map_.key is None else self.model.enum(map_.key)
        names = list(KEYS) if enum is None else [str(value.wire) for value in enum.values]
        for probe in self.type(map_.value):
            key = self.maker.turn(f"key of {map_.key}", names, 1)[0]
            yield probe.under(key, {key: probe.value})
        if enum is not None:
            key = _unheard(names)
            value = {names[0]: self.maker.whole(map_.value, "minimal"), key: self.maker.whole(map_.value, "minimal")}
            make = let_pass if enum.open else broken
            yield make(value, "unknown value", f"key that {enum.name} lacks", "unknown_value", (key,))

    def enum(self, enum: Enum, *, every: bool = False) -> Iterator[Probe]:
        if every:
            yield from self.wrong_kinds(Ref(enum.name))
        for value in enum.values if every else self.maker.turn(enum.name, enum.values, 2):
            yield sound(value.wire, "value", f"{enum.name} {value.name}")
        make = let_pass if enum.open else broken
        known = [value.wire for value in enum.values]
        if enum.base == "string":
            yield make(_unheard(map(str, known)), "unknown value", f"value that {enum.name} lacks", "unknown_value")
            return
        whole = [int(value) for value in known]
        strange = next(n for n in range(max(whole) + 1, max(whole) + 3) if n not in whole)
        yield make(strange, "unknown value", f"value that {enum.name} lacks", "unknown_value")
        yield sound(Spelled(f"{whole[0]}.0"), "value", f"{enum.name} with a fraction of nothing")
        fault = ("out_of_range" if enum.open else "unknown_value", ())
        yield Probe(Spelled("0.5"), "out of range", "fraction for integer", (fault,), (("unknown_value", ()),))

    def named(self, name: str) -> Iterator[Probe]:
        """Probe a reference to a declaration with a few samples: the declaration itself is probed as a root."""
        match self.model.declarations[name]:
            case Enum() as enum:
                yield from self.enum(enum)
            case Alias() if name in self.open:
                yield sound(self.maker.whole(Ref(name), "minimal"), "nested", f"a {name}")
            case Alias(type=type_):
                self.open.append(name)
                yield from (probe for probe in self.type(type_) if probe.lenient != WRONG_KIND)
                self.open.pop()
            case Struct() as struct:
                yield sound(self.maker.whole(Ref(name), "random"), "nested", f"a {name}")
                yield from self.few(struct)
            case Union() as union:
                yield sound(self.maker.whole(Ref(name), "random"), "nested", f"a {name}")
                yield from self._few_of(union)

    def few(self, struct: Struct, route: Route | None = None) -> Iterator[Probe]:
        """Yield some faults of a struct's own members, none of them examined by the route, and an unknown field."""
        way = route or Route()
        base = self._base(struct, way)
        if base is None:
            return
        simple = [f for f in struct.wire_fields if not f.flatten and f.tag is None and f.name not in way.keys]
        needed = [f for f in simple if f.required]
        if needed:
            chosen = self.rng.choice(needed)
            yield self._dropped(base, chosen.name)
        if simple:
            chosen = self.rng.choice(simple)
            wrong = [p for p in self.wrong_kinds(chosen.type) if not (p.value is None or is_claimed(p.value, chosen))]
            if wrong:
                probe = _repaired(chosen, self.rng.choice(wrong))
                yield probe.under(chosen.name, base | {chosen.name: probe.value})
        if struct.extra is None and not _flat(struct):
            key = _unheard([*declared_keys(struct), *way.keys])
            yield let_pass(
                base | {key: None}, "unknown field", f"field that {struct.name} lacks", "unknown_field", (key,)
            )

    def _few_of(self, union: Union) -> Iterator[Probe]:
        routes = list(routes_of(union.dispatch))
        for route in self.rng.sample(routes, min(2, len(routes))):
            yield from self.few(self.model.struct(route.struct), route)
        ends = [probe for probe in self.dispatch(union.dispatch, Route(), opened=False) if not probe.sound]
        yield from self.rng.sample(ends, min(3, len(ends)))

    # --- structs -----------------------------------------------------------------------------------------------

    def struct(self, struct: Struct, route: Route | None = None) -> Iterator[Probe]:
        """Yield all probes of a struct as the root, or flattened in an object that keeps the route's absent keys."""
        way = route or Route()
        base = self._base(struct, way)
        if base is None:
            return
        yield sound(base, "minimal", "minimal", ordered=base)
        full = self.maker.whole_object(struct.name, "full", way)
        yield sound(full, "full", "full", ordered=full)
        yield sound(dict(reversed(full.items())), "reordered", "full, members in reverse", ordered=full)
        for _ in range(self.random):
            drawn = self.maker.whole_object(struct.name, "random", way)
            yield sound(drawn, "random", "drawn at random", ordered=drawn)
        members = [member for member in self._members(struct, base, way) if member[1]]
        for _, probes in members:
            yield from probes
        yield from self._presence(struct, base, full, way)
        yield from self._flattened(struct, base, way)
        yield from self._asked(struct, base)
        extras = list(self._extra(struct, base, way))
        yield from extras
        if not _flat(struct):
            yield from self._pairs(base, [*members, *([("", extras)] if extras else [])])

    def _base(self, struct: Struct, route: Route) -> Members | None:
        try:
            return self.maker.whole_object(struct.name, "minimal", route)
        except ImpossibleError:
            return None

    def _members(self, struct: Struct, base: Members, route: Route) -> Iterator[_Member]:
        """Yield the members in the order in which faults are reported: tags, constants, fields."""
        for tag in struct.tags:
            if tag.key not in route.absent:
                yield tag.key, list(self._tag(tag, base))
        for const in struct.consts:
            yield const.key, list(self._constant(const.key, const.value, base))
        for each in struct.wire_fields:
            if each.tag is None and not each.flatten and each.name not in route.absent:
                yield each.name, list(self._field(each, base))

    def _tag(self, tag: Tag, base: Members) -> Iterator[Probe]:
        if tag.constant is not None:
            yield from self._constant(tag.key, tag.constant, base, optional=tag.optional, tagged=True)
            return
        values = tag_values(self.model, tag)
        if not tag.optional:
            yield self._dropped(base, tag.key)
        for kind, value in OF_KIND.items():
            if kind != kind_of(values[0]):
                yield broken(
                    base | {tag.key: value}, "wrong kind", f"{kind} for tag {tag.key}", "wrong_type", (tag.key,)
                )
        for value in values:
            yield sound(base | {tag.key: value}, "value", f"tag {tag.key} {value}")
        if isinstance(values[0], int):
            yield from _spelled_tags(tag.key, values[0], base)
        if tag.others != "*":
            strange = base | {tag.key: _other_than(values, tag.prefix)}
            yield broken(strange, "unknown value", f"tag {tag.key} that it does not have", "unknown_value", (tag.key,))
        if tag.others is not None:
            like = base | {tag.key: _other_like(tag.others, values)}
            yield let_pass(like, "unknown value", f"unknown tag like {tag.others}", "unknown_value", (tag.key,))

    def _constant(
        self, key: str, value: float | str, base: Members, *, optional: bool = False, tagged: bool = False
    ) -> Iterator[Probe]:
        if not optional:
            yield self._dropped(base, key)
        else:
            yield sound({k: v for k, v in base.items() if k != key}, "absent", f"{key} absent")
            yield sound(base | {key: value}, "present", f"{key} present")
        right = kind_of(value)
        for kind, other in OF_KIND.items():
            if kind != right:
                yield broken(base | {key: other}, "wrong kind", f"{kind} for constant {key}", "wrong_type", (key,))
        if tagged and right == "number":
            yield from _spelled_tags(key, int(value), base)
        for strange in _other_constants(value):
            yield broken(
                base | {key: strange}, "wrong constant", f"another constant at {key}", "wrong_constant", (key,)
            )

    def _field(self, each: Field, base: Members) -> Iterator[Probe]:
        key = each.name
        if each.required:
            yield self._dropped(base, key)
        admits_null = each.nullable or "null" in kinds(self.model, each.type)
        if admits_null:
            yield sound(base | {key: None}, "null", f"{key} null")
        elif not each.required:
            yield let_pass(base | {key: None}, "null", f"{key} null though it may only be absent", "wrong_type", (key,))
        for claimed in (*each.claimed, *(f"{prefix}x" for prefix in each.claimed_prefixes)):
            yield broken(
                base | {key: claimed}, "wrong constant", f"{key} as a sibling has it", "wrong_constant", (key,)
            )
        for tried in self.type(each.type):
            null_settled = tried.value is None and (admits_null or not each.required)
            if not null_settled and not is_claimed(tried.value, each):
                probe = _repaired(each, tried)
                moved = probe.under(key, base | {key: probe.value})
                yield replace(moved, note=f"{key}: {probe.note}")

    def _dropped(self, base: Members, key: str) -> Probe:
        rest = {k: v for k, v in base.items() if k != key}
        return broken(rest, "missing", f"{key} missing", "missing_field", (key,))

    def _presence(self, struct: Struct, base: Members, full: Members, route: Route) -> Iterator[Probe]:
        """Yield probes with one optional field present, and with halves of them absent.

        Of any two fields, some half leaves out the first and keeps the second: a probe without each field by itself
        would make the probes of a type with hundreds of fields too many and too large.
        """
        optional = [
            each.name
            for each in struct.wire_fields
            if each.name in full
            and not (each.required or each.flatten or each.tag is not None or each.name in route.keys)
        ]
        for key in optional:
            yield sound(base | {key: full[key]}, "present", f"minimal, but {key} there")
        for bit, kept in product(range(max(1, (len(optional) - 1).bit_length())), (1, 0)):
            left_out = [key for at, key in enumerate(optional) if at >> bit & 1 != kept]
            if left_out:
                rest = {key: value for key, value in full.items() if key not in left_out}
                names = ", ".join([*left_out[:3], *["…"] * (len(left_out) > 3)])
                yield sound(rest, "absent", f"full, but {names} absent")

    def _extra(self, struct: Struct, base: Members, route: Route) -> Iterator[Probe]:
        """Probe undeclared keys: extra content or unknown fields. Those next to a flattened field belong to it."""
        if _flat(struct):
            return
        taken = declared_keys(struct) | route.keys
        if struct.extra is not None:
            for probe in self.type(struct.extra):
                key = self.maker.free_key(taken)
                yield replace(probe.under(key, base | {key: probe.value}), note=f"extra content: {probe.note}")
            return
        strangers = [key for key in (*KEYS, *(f.name for f in struct.fields if not f.travels)) if key not in taken]
        for key in (*strangers[:2], *strangers[len(KEYS) :]):
            value = self.maker.turn("json", ANYTHING, 1)[0]
            yield let_pass(base | {key: value}, "unknown field", f"field {key!r}", "unknown_field", (key,))
        # These two sort the other way round in UTF-16.
        first, second = "\ufffd", "\U0001f600"
        if not taken.isdisjoint((first, second)):
            return
        two = base | {second: 1, first: [{}]}
        yield Probe(
            two,
            "unknown field",
            "two fields, in code-point order",
            strict=(("unknown_field", (first,)), ("unknown_field", (second,))),
            kept=((first,), (second,)),
        )
        overflow = base | {first: Spelled("1e400")}
        yield broken(overflow, "out of range", "overflow in an unknown field", "out_of_range", (first,))

    def _flattened(self, struct: Struct, base: Members, route: Route) -> Iterator[Probe]:
        """Yield the probes of the flattened field, merged with the outer members."""
        flat = _flat(struct)
        if flat is None:
            return
        outer = declared_keys(struct)
        around = {key: value for key, value in base.items() if key in outer}
        for probe in self._inner(flat.type, route.without(outer)):
            if not isinstance(probe.value, dict) or not outer.isdisjoint(probe.value):
                continue
            if probe.value or flat.required:
                yield replace(probe.instead(around | probe.value), note=f"flattened {flat.name}: {probe.note}")

    def _asked(self, struct: Struct, base: Members) -> Iterator[Probe]:
        """Yield each control as the payload of its envelope; a flattened payload was probed with all its variants."""
        protocol = self.model.protocol.control
        if protocol is None:
            return
        for control in self.model.controls:
            form = protocol.notify if control.is_notification else protocol.request
            if form is not None and form.struct == struct.name and form.payload:
                asked = base | {form.payload[0]: self.maker.whole_object(control.request, "minimal")}
                yield sound(asked, "nested", f"asks {control.key}")

    def _inner(self, type_: Type, route: Route) -> Iterator[Probe]:
        match resolved(self.model, type_):
            case Struct() as struct:
                yield from self.struct(struct, route)
            case Union() as union:
                yield from self.union(union, route)
            case _:
                for key in KEYS:
                    if key not in route.keys:
                        yield sound({key: self.maker.turn("json", ANYTHING, 1)[0]}, "value", f"key {key!r}")

    def _pairs(self, base: Members, members: Sequence[_Member]) -> Iterator[Probe]:
        """Yield probes with faults in two members: either may be reported, unless it is let pass."""
        faulty = [(key, [p for p in probes if not p.sound and p.output is AS_IT_CAME]) for key, probes in members]
        faulty = [(key, probes) for key, probes in faulty if probes]
        if len(faulty) < 2:
            return
        for _ in range(4):
            i, j = sorted(self.rng.sample(range(len(faulty)), 2))
            first, second = self.rng.choice(faulty[i][1]), self.rng.choice(faulty[j][1])
            yield Probe(
                _merged(base, first, second),
                "two faults",
                f"{first.note}; {second.note}",
                lenient=first.lenient + second.lenient,
                strict=first.strict + second.strict,
                kept=first.kept + second.kept,
            )

    # --- unions ------------------------------------------------------------------------------------------------

    def union(self, union: Union, route: Route | None = None) -> Iterator[Probe]:
        """Yield all probes of a union as the root, or flattened in an object that keeps the route's absent keys."""
        way = route or Route()
        for found in routes_of(union.dispatch, way):
            yield from self._variant(found)
        yield from self.dispatch(union.dispatch, way, opened=False)

    def _variant(self, route: Route) -> Iterator[Probe]:
        struct = self.model.struct(route.struct)
        if not route.absent.isdisjoint(key for key, _ in route.pins) or (base := self._base(struct, route)) is None:
            return
        name = struct.name
        yield sound(base, "variant", f"{name}, minimal", name, ordered=base)
        full = self.maker.whole_object(struct.name, "full", route)
        yield sound(full, "variant", f"{name}, full", name, ordered=full)
        yield sound(dict(reversed(full.items())), "reordered", f"{name}, members in reverse", name, ordered=full)
        for probe in self.few(struct, route):
            yield replace(probe, note=f"{struct.name}: {probe.note}", variant=struct.name)

    def dispatch(self, dispatch: Dispatch, route: Route, *, opened: bool) -> Iterator[Probe]:
        """Probe the faults on the way to a variant. `opened`: an outer union is open."""
        match dispatch:
            case Switch():
                yield from self._switch(dispatch, route, opened=opened)
            case Keys():
                yield from self._by_keys(dispatch, route)
                for variant, then in dispatch.cases:
                    way = replace(
                        route, present=route.present.union(variant.has), absent=route.absent.union(variant.lacks)
                    )
                    yield from self.dispatch(then, way, opened=opened or self.model.union(dispatch.union).open)

    def _switch(self, switch: Switch, route: Route, *, opened: bool) -> Iterator[Probe]:
        key = switch.key
        base = self._some(switch, route)
        if base is None or key in route.absent:
            return
        union = self.model.union(switch.union)
        if switch.absent is None and key not in route.present:  # a key that a condition requires cannot be missing
            yield self._dropped(base, key)
        right = "number" if switch.base == "integer" else switch.base
        for kind, value in OF_KIND.items():
            if kind != right:
                yield broken(base | {key: value}, "wrong kind", f"{kind} for discriminator {key}", "wrong_type", (key,))
        for value in NO_INTEGERS if right == "number" else ():
            note = f"{value} for discriminator {key}"
            yield broken({**base, key: value}, "out of range", note, "out_of_range", (key,))
        for value in self._unanswered(switch):
            make = let_pass if union.open else broken
            strange = {**base, key: value}
            yield _unknown(
                make(strange, "unknown variant", f"{key} {value!r}, which none has", "unknown_variant", (key,))
            )
            bare = {
                **dict(route.pins),
                key: value,
                "whatever": {"a": [None, Spelled("123456789012345678901234567890")]},
            }
            if route.present <= bare.keys():
                yield _unknown(make(bare, "unknown variant", "untouched content", "unknown_variant", (key,)))
        for pattern, struct in switch.others:
            yield from self._catch_all(switch, pattern, struct, route, opened=opened or union.open)
        for value, then in switch.cases:
            yield from self.dispatch(then, route.pinned(key, value), opened=opened or union.open)
        for prefix, then in switch.prefixes:
            way = route.pinned(key, beginning(switch, prefix))
            yield from self.dispatch(then, way, opened=opened or union.open)
        if switch.absent is not None:
            yield from self.dispatch(switch.absent, route.without([key]), opened=opened or union.open)

    def _unanswered(self, switch: Switch) -> list[str | bool | int]:
        """Return values of the discriminator that match no variant."""
        known = [value for value, _ in switch.cases]
        if switch.base == "boolean":
            return [] if switch.absent is not None else list(unclaimed_cases(switch))
        if switch.base == "integer":
            return [] if switch.others else [_other_than(known), *(each for each in (0, -1) if each not in known)]
        texts, prefixes = list(map(str, known)), tuple(prefix for prefix, _ in switch.prefixes)
        strange = [_unheard(texts), "", *(f"{text}\n" for text in texts[:1]), *(f" {each}" for each in prefixes[:1])]
        return [
            t
            for t in strange
            if t not in texts
            and not t.startswith(prefixes)
            and not any(_globs(t, pattern) for pattern, _ in switch.others)
        ]

    def _catch_all(self, switch: Switch, pattern: str, name: str, route: Route, *, opened: bool) -> Iterator[Probe]:
        key = switch.key
        like = _other_like(pattern, [value for value, _ in switch.cases])
        if isinstance(like, str) and like.startswith(tuple(prefix for prefix, _ in switch.prefixes)):
            return
        struct = self.model.struct(name)
        way = replace(route, struct=name).pinned(key, like)
        base = self._base(struct, way)
        if base is None:
            return
        note = f"unknown {key} like {pattern}"
        yield let_pass(base, "unknown value", note, "unknown_value", (key,), name)
        for probe in self.few(struct, way):
            if not probe.lenient:
                kept = ((key,), *probe.kept)
                yield replace(
                    probe, strict=(("unknown_value", (key,)),), kept=kept, variant=name, note=f"{note}: {probe.note}"
                )
            elif opened:
                misfit = let_pass(
                    probe.value, "unknown variant", f"{note}, misfit: {probe.note}", "unknown_value", (key,)
                )
                yield _unknown(misfit)
            else:
                yield replace(probe, strict=(("unknown_value", (key,)),))

    def _by_keys(self, dispatch: Keys, route: Route) -> Iterator[Probe]:
        """Probe an object that matches no condition, if one exists."""
        keys = list(dict.fromkeys(key for variant, _ in dispatch.cases for key in (*variant.has, *variant.lacks)))
        bare: Members = {**dict(route.pins), **dict.fromkeys(route.present)}
        candidates = [bare, *(bare | {key: None} for key in keys), bare | dict.fromkeys(keys)]
        make = let_pass if self.model.union(dispatch.union).open else broken
        for candidate in candidates:
            if not route.absent.isdisjoint(candidate) or any(
                all(key in candidate for key in variant.has) and not any(key in candidate for key in variant.lacks)
                for variant, _ in dispatch.cases
            ):
                continue
            yield _unknown(make(candidate, "unknown variant", "members that fit no variant", "no_variant"))
            strange = candidate | {_unheard(keys): [None]}
            yield _unknown(make(strange, "unknown variant", "members that fit no variant, and another", "no_variant"))

    def _some(self, dispatch: Dispatch, route: Route) -> Members | None:
        """Build a valid object of any variant that can be built."""
        for way in routes_of(dispatch, route):
            if way.absent.isdisjoint(key for key, _ in way.pins):
                base = self._base(self.model.struct(way.struct), way)
                if base is not None:
                    return base
        return None


_WRONG: Final[Mapping[str, Sequence[tuple[str, str, Sequence[object]]]]] = {
    "uuid": (("bad_format", "format", NO_UUIDS),),
    "timestamp": (("bad_format", "format", NO_TIMES),),
    "integer": (("out_of_range", "out of range", NO_INTEGERS),),
    "number": (("out_of_range", "out of range", NO_NUMBERS),),
    "json": (("out_of_range", "out of range", NO_NUMBERS),),
}


def _repaired(each: Field, probe: Probe) -> Probe:
    """Adjust the probe of a field's value to the repair that the field declares for lenient mode."""
    on_error = each.on_error
    if on_error is None or not probe.lenient or _overflows(probe.value):
        return probe
    if on_error.skip and isinstance(probe.value, list):
        ((_, (index, *_)),) = probe.lenient  # only an item of a list can have a fault here
        rest = [item for at, item in enumerate(probe.value) if at != index]
        return replace(probe, lenient=(), kept=((index,),), output=rest)
    if on_error.absent:
        return replace(probe, lenient=(), kept=((),))
    if on_error.replaces:
        return replace(probe, lenient=(), kept=((),), output=on_error.value)
    return probe


def _overflows(value: object) -> bool:
    """Return whether a number in a value overflows a double, so that no peer can represent it."""
    match value:
        case Spelled():
            return math.isinf(float(value))
        case list():
            return any(map(_overflows, value))
        case dict():
            return any(map(_overflows, value.values()))
        case _:
            return False


def _spelled_tags(key: str, value: int, base: Members) -> Iterator[Probe]:
    """Probe an integer tag in another spelling, and with numbers that are not integers."""
    yield sound(base | {key: Spelled(f"{value}.0")}, "value", f"tag {key} with a fraction of nothing")
    for wrong in NO_INTEGERS:
        yield broken(base | {key: wrong}, "out of range", f"{wrong} for tag {key}", "out_of_range", (key,))


def _other_than(values: Collection[str | bool | int], prefix: str | None = None) -> str | int:
    """Return a value of the same kind that is not one of `values` and does not start with `prefix`."""
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:
        return max(numbers) + 1 if max(numbers) < MAX_INTEGER else min(numbers) - 1
    text = _unheard(map(str, values))
    return text if prefix is None or not text.startswith(prefix) else f"\x00{text}" if prefix[0] != "\x00" else text[1:]


def _other_like(pattern: str, values: Collection[str | bool | int]) -> str | int:
    """Return a value that matches the pattern but is not one of `values`; `*` matches integers too."""
    if any(isinstance(value, int) for value in values):
        return _other_than(values)
    return _like(pattern, list(map(str, values)))


def _unknown(probe: Probe) -> Probe:
    return probe if probe.lenient else replace(probe, variant="Unknown")


def _flat(struct: Struct) -> Field | None:
    return next((field for field in struct.wire_fields if field.flatten), None)


def _merged(base: Members, first: Probe, second: Probe) -> Members:
    """Merge the changes of two probes into the base."""
    merged = dict(base)
    for probe in (first, second):
        changed = probe.value
        assert isinstance(changed, dict)  # noqa: S101 - probes of a struct's members are objects
        for key in base.keys() - changed.keys():
            merged.pop(key, None)
        merged |= {key: value for key, value in changed.items() if key not in base or value is not base[key]}
    return merged


def _other_constants(value: float | str) -> list[object]:
    match value:
        case bool():
            return [not value]
        case str():
            return [_unheard([value]), value + "\n", value.swapcase() if value.swapcase() != value else value + " "]
        case _:
            return [value + 1 if value < MAX_INTEGER else value - 1]


def _unheard(known: Iterable[str]) -> str:
    """Return a text that is not one of the known ones."""
    taken = set(known)
    text = UNHEARD
    while text in taken:
        text += "_"
    return text


def _like(pattern: str, known: Iterable[str]) -> str:
    """Return a text that matches the pattern but is not one of the known ones."""
    taken = set(known)
    filling = UNHEARD
    while pattern.replace("*", filling) in taken:
        filling += "_"
    return pattern.replace("*", filling)


def _globs(text: str, pattern: str) -> bool:
    """Return whether a text matches the pattern, in which `*` matches any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
