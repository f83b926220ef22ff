"""Alternatives of objects → unions and nested unions, or types if nothing distinguishes the alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polywire_import import alternatives
from polywire_import.draft import Entry, capitalised
from polywire_import.lookup import Alternative
from polywire_import.names import declarable
from polywire_import.shapes import Declared, Literal, Object, OneOf, Ref, Shape
from polywire_import.structs import Structs
from polywire_import.yamltext import Tree


class Unions(Structs):
    """The layer that writes unions."""

    def _union(
        self, name: str, members: Sequence[Shape], shape: OneOf, declared: Declared | None, place: str = ""
    ) -> None:
        where = declared.place if declared else place
        found = self._without_subsumed(self._look.alternatives_in(members), where)
        by = self._overrides.text("by", name, where) or shape.by
        is_open = shape.open or (len(found) > 1 and self._overrides.grows(name, where))
        self._cases(name, found, by, declared, where, is_open=is_open, but=frozenset())

    def _cases(
        self, name: str, found: Sequence[Alternative], by: str | None, declared: Declared | None, place: str,
        *, is_open: bool, but: frozenset[str],
    ) -> None:  # fmt: skip
        """Write the union of some alternatives, or the type that they are merged into."""
        found = self._without_subsumed(found, place)
        if len(found) == 1 and not is_open:
            self._become(name, found[0], declared, place)
            return
        leaves = [each.leaf for each in found]
        decision = alternatives.tell_apart(leaves, by, but) if len(found) > 1 else self._alone(leaves[0], by)
        outer, self._using = self._using, set()
        match decision:
            case alternatives.Switch():
                variants = self._switch(name, found, decision, place, but, is_open=is_open)
                key = decision.key
            case alternatives.ByKeys():
                self._catalog.note("guessed", place, "the alternatives are told apart by the members they must have")
                variants, key = self._by_keys(name, found, decision, place, is_open=is_open), "keys"
            case alternatives.Merged():
                self._merge(name, found, declared, place)
                self._using = outer
                return
        body: dict[str, Tree] = {**self._about(name, declared, place), "open": is_open, "by": key, "variants": variants}
        self._entries[name] = Entry("unions", name, body, frozenset(self._using), self._area)
        self._using = outer

    def _alone(self, leaf: alternatives.Leaf, by: str | None) -> alternatives.Decision:
        """Return the decision for a union that has a single variant now and will get more."""
        keys = [by] if by in leaf.claims else [key for key in leaf.claims if leaf.members[key].required]
        if keys and keys[0] is not None:
            return alternatives.Switch(keys[0], ((leaf.claims[keys[0]], (0,)),))
        return (
            alternatives.ByKeys((((0,), tuple(sorted(leaf.required))[:1], ()),))
            if leaf.required
            else alternatives.Merged()
        )

    def _switch(
        self, name: str, found: Sequence[Alternative], decision: alternatives.Switch, place: str, but: frozenset[str],
        *, is_open: bool,
    ) -> list[Tree]:  # fmt: skip
        variants: list[Tree] = []
        key = decision.key
        for claims, numbers in decision.cases:
            group = [found[number] for number in numbers]
            value = next((str(v) for kind, v in sorted(claims, key=str) if kind != alternatives.ABSENT), None)
            if value is None:
                self._catalog.note("guessed", place, f"{self._title(group[0], numbers[0])} is taken without `{key}`")
            if len(group) == 1:
                variants.append(self._variant(name, group[0], value, len(variants), key))
                continue
            whole = self._whole(group)
            if whole is not None:
                inner = self._need(whole)
                self._drain_one(whole)
            else:
                inner = self._nested(name, group, value, place, but | {key}, is_open=is_open)
            self._tag_under(inner, key)
            variants.append(inner)
        return list(dict.fromkeys(map(str, variants)))

    def _prefix_of(self, union: str) -> str:
        """Return what the names of the types in a union begin with; one that is told by an absence adds nothing."""
        return self._stems.get(union, union)

    def _whole(self, group: Sequence[Alternative]) -> str | None:
        """Return the union of the source that consists of exactly this group."""
        via = group[0].via
        if via is None or any(each.via != via for each in group):
            return None
        every = self._look.alternatives_in(self._look.alternatives(self._catalog.declarations[via].shape))
        return via if {each.shape for each in every} == {each.shape for each in group} else None

    def _nested(
        self, name: str, group: Sequence[Alternative], value: str | None, place: str, but: frozenset[str],
        *, is_open: bool,
    ) -> str:  # fmt: skip
        left = self._without_subsumed(group, place)
        if len(left) == 1:
            return self._name_of(name, left[0], value, 0)
        stem = self._prefix_of(name)
        inner = self._names.give(f"{stem}{'Plain' if value is None else capitalised(declarable(value))}")
        if value is None:
            self._stems[inner] = stem
        self._cases(inner, group, None, None, place, is_open=is_open, but=but)
        self._using.add(inner)
        return inner

    def _by_keys(
        self, name: str, found: Sequence[Alternative], decision: alternatives.ByKeys, place: str, *, is_open: bool
    ) -> list[Tree]:
        variants: list[Tree] = []
        for numbers, has, lacks in decision.cases:
            group = [found[number] for number in numbers]
            if len(group) == 1:
                title = group[0].shape.title if isinstance(group[0].shape, Object) else None
                variant = self._variant(name, group[0], title or (has[0] if has else None), len(variants), None)
            else:
                variant = self._nested(name, group, has[0] if has else None, place, frozenset(), is_open=is_open)
            when: dict[str, Tree] = {}
            if has:
                when["has"] = list(has)
            if lacks:
                when["lacks"] = list(lacks)
            variants.append({"name": variant, "when": when})
        return variants

    def _variant(self, union: str, each: Alternative, value: str | None, number: int, key: str | None) -> str:
        """Return the name of the type for one alternative, and note its discriminator."""
        name = self._name_of(union, each, value, number)
        if key is not None:
            self._tag_under(name, key)
        return name

    def _name_of(self, union: str, each: Alternative, value: str | None, number: int) -> str:
        if isinstance(each.shape, Ref):
            self._need(each.shape.name)
            self._drain_one(each.shape.name)
            return self._called[each.shape.name]
        shape = each.shape
        base = self._own_base(shape)
        if base is not None:
            return base
        stem = shape.title if shape.title and value is None else value
        stem = stem or each.leaf.constant
        hint = f"{self._prefix_of(union)}{capitalised(declarable(stem or f'Variant{number + 1}'))}"
        name = self._named(shape, hint, shape.place)
        self._using.add(name)
        return name

    def _own_base(self, shape: Object) -> str | None:
        """Return the only base of an alternative if nothing else uses it: the alternative then becomes that type."""
        if len(shape.bases) != 1 or shape.extra is not None or shape.choices:
            return None
        (base,) = shape.bases
        constants = all(isinstance(self._look.resolved(member.shape), Literal) for member in shape.members)
        if not isinstance(base, Ref) or not constants or self._uses_of[base.name] > 1:
            return None
        declared = self._catalog.declarations[base.name]
        if not isinstance(declared.shape, Object) or base.name in self._begun:
            return None
        own = {member.name for member in shape.members}
        inherited = tuple(member for member in declared.shape.members if member.name not in own)
        joined = replace(declared.shape, members=(*shape.members, *inherited))
        name = self._called[base.name]
        self._begun.add(base.name)
        self._absorbed.add(base.name)
        self._struct(name, joined, declared)
        self._using.add(name)
        return name

    def _tag_under(self, name: str, key: str) -> None:
        """Note a discriminator of every type that a variant leads to, also of those that lack it."""
        for each in self._under(name):
            self._structs[each].tags.setdefault(key)

    def _under(self, name: str) -> list[str]:
        """Return the types that a type or a union leads to."""
        if name in self._structs:
            return [name]
        entry = self._entries.get(name)
        variants = entry.body["variants"] if entry is not None and entry.section == "unions" else []
        names = [v["name"] if isinstance(v, dict) else v for v in variants] if isinstance(variants, list) else []
        return [each for variant in names for each in self._under(str(variant))]

    def _become(self, name: str, each: Alternative, declared: Declared | None, place: str) -> None:
        """Only one alternative is left: the union becomes that type under another name."""
        shape = each.shape
        if isinstance(shape, Object):
            self._struct(name, shape, declared, place)
            return
        about = self._about(name, declared, place)
        self._enter("aliases", name, {**about, "type": self._need(shape.name)})

    def _merge(self, name: str, found: Sequence[Alternative], declared: Declared | None, place: str) -> None:
        titles = ", ".join(self._title(each, number) for number, each in enumerate(found))
        self._catalog.note("fallback", place, f"{titles} have no discriminator; one type accepts all of them")
        self._struct(
            name, Object(alternatives.merged([each.leaf for each in found], place), place=place), declared, place
        )
