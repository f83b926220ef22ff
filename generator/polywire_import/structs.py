"""Objects → types: their includes, their fields in order, and finally their tags and constants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from polywire_import import alternatives
from polywire_import.draft import DEPRECATED, Entry, Struct, capitalised, quoted, tree
from polywire_import.expressions import Expressions
from polywire_import.shapes import AnyObject, Declared, Literal, Map, Member, Null, Object, OneOf, Ref, Shape
from polywire_import.yamltext import Quoted, Tree


class Structs(Expressions):
    """The layer that writes types."""

    def _struct(self, name: str, shape: Object, declared: Declared | None, place: str = "") -> None:
        where = declared.place if declared else place
        self._structs[name] = made = Struct(
            name, self._settled(shape, name), where, declared.doc if declared else shape.doc,
            declared.deprecated if declared else False, declared.remark if declared else None,
        )  # fmt: skip
        outer, self._using = self._using, set()
        body: dict[str, Tree] = self._about(declared.name if declared else name, declared or made, where)
        fields = self._fields(made)
        body["fields"] = {**fields, **self._flattened(made)}
        if made.object.extra is not None:
            body["extra"] = self._expression(made.object.extra, f"{name}Extra", where)
        includes: list[Tree] = [self._need(base.name) for base in made.object.bases if isinstance(base, Ref)]
        self._entries[name] = Entry("types", name, {**body, "include": includes}, frozenset(self._using), self._area)
        self._using = outer

    def _settled(self, shape: Object, name: str) -> Object:
        """Return the object with bases that it can include, and with demanded members typed as in its bases."""
        bases: list[Shape] = []
        choices: list[OneOf] = []
        members = {member.name: member for member in shape.members}
        extra = shape.extra
        for part in (*shape.bases, *(self._only(choice) for choice in shape.choices)):
            base = self._look.declared(part) if isinstance(part, Ref) else part
            behind = self._look.resolved(base)
            if isinstance(behind, OneOf) and self._look.is_object(behind):
                choices.append(base if isinstance(base, OneOf) else OneOf((base,), place=shape.place))
            elif isinstance(behind, Map) and extra is None:
                extra = behind.value
            elif isinstance(base, Ref) and isinstance(behind, Object) and not self._includes(base, name):
                bases.append(base)
            elif isinstance(base, Object):
                inner = self._settled(base, name)
                bases.extend(inner.bases)
                choices.extend(inner.choices)
                members = {**{member.name: member for member in inner.members}, **members}
            elif not isinstance(behind, AnyObject):
                self._catalog.note("lost", shape.place, "a part that is not an object is left out")
        bases = list(dict.fromkeys(bases))
        inherited: dict[str, Member] = {}
        for base in bases:
            for key, member in self._look.members_of(base).items():
                if key in inherited and key not in members:
                    members[key] = member
                inherited[key] = member
        for key, member in members.items():
            if member.demanded and key in inherited:
                members[key] = replace(inherited[key], required=True)
        around = replace(shape, members=tuple(members.values()), bases=tuple(bases), choices=(), extra=extra)
        return self._untangled(around, choices)

    def _only(self, choice: OneOf) -> Shape:
        """Return the only alternative of a choice with one alternative, or the choice itself."""
        members = tuple(
            self._look.declared(each) if isinstance(each, Ref) else each
            for each in self._look.alternatives(choice)
            if not isinstance(each, Null)
        )
        return members[0] if len(members) == 1 and not choice.open else replace(choice, members=members)

    def _untangled(self, shape: Object, choices: Sequence[OneOf]) -> Object:
        """Return the object with alternatives that share none of its members; only one such field can be flattened."""
        own = {member.name: member for member in shape.members}
        bases = [self._look.keys_of(base) for base in shape.bases]
        inherited = frozenset[str]().union(*bases)
        flat = any(self._look.has_choices(base) for base in shape.bases)
        kept: tuple[OneOf, ...] = ()
        for choice in choices:
            found = self._look.alternatives_in(self._look.alternatives(choice))
            keys = frozenset[str]().union(*(self._look.keys_of(each.shape) for each in found))
            shared = {key for key in own if all(key in each.leaf.members for each in found)} - inherited
            if kept or flat or shape.extra is not None or keys & (own.keys() | inherited) - shared:
                message = "the alternatives next to members have no discriminator; their members are optional"
                self._catalog.note("fallback", choice.place or shape.place, message)
                for member in alternatives.merged([each.leaf for each in found], shape.place):
                    if member.name not in inherited:
                        own.setdefault(member.name, member)
                continue
            for key in sorted(shared):
                self._catalog.note("guessed", shape.place, f"`{key}` is as the alternatives have it")
                del own[key]
            kept = (choice,)
        return replace(shape, members=tuple(own.values()), choices=kept)

    def _includes(self, base: Ref, name: str) -> bool:
        """Return whether a type includes the one of this name, directly or through others."""
        seen, stack = set[str](), [base.name]
        while stack:
            each = stack.pop()
            if self._called[each] == name:
                self._catalog.note("lost", self._catalog.declarations[base.name].place, "a type that is its own base")
                return True
            behind = self._catalog.declarations[each].shape
            if each not in seen and isinstance(behind, Object):
                seen.add(each)
                stack.extend(one.name for one in behind.bases if isinstance(one, Ref))
        return False

    def _fields(self, made: Struct) -> dict[str, Tree]:
        fields: dict[str, Tree] = {}
        for member in made.object.members:
            key = member.name if member.required else f"{member.name}?"
            constant = self._look.resolved(member.shape)
            if member.required and isinstance(constant, Literal):
                continue  # a tag or a constant, written once all unions are known
            stated = self._overrides.text("types", member.place) if member.place else None
            if stated is not None:
                written = self._checked(stated, member.place)
            else:
                written = self._expression(member.shape, self._hint(made.name, member), member.place or made.place)
            fields[key] = self._field(member, written)
        return fields

    def _field(self, member: Member, written: str) -> Tree:
        body: dict[str, Tree] = {"type": written}
        if member.doc:
            body["doc"] = member.doc
        if member.remark:
            body["source"] = member.remark
        if member.deprecated:
            body["deprecated"] = DEPRECATED
        actions = self._actions(member, written)
        if actions:
            body["on_error"] = actions[0] if len(actions) == 1 else actions
        return written if len(body) == 1 else body

    def _actions(self, member: Member, written: str) -> list[Tree]:
        if written == "json":
            return []  # it accepts every value
        return [quoted(json.loads(each[0])) if isinstance(each, tuple) else str(each) for each in member.on_error]

    def _flattened(self, made: Struct) -> dict[str, Tree]:
        """Return the field for alternatives next to members: a flattened union."""
        fields: dict[str, Tree] = {}
        taken = {*self._look.keys_of(made.object)}
        for choice in made.object.choices:
            key = next(name for name in _free_keys("variant") if name not in taken)
            hint = f"{made.name}{capitalised(key)}"
            fields[key] = {"type": self._expression(choice, hint, choice.place or made.place), "flatten": True}
        return fields

    def _completed_entries(self) -> tuple[Entry, ...]:
        """Return all declarations; types have their tags and constants, since all unions are known."""
        entries = [
            self._completed(entry, self._structs[key]) if key in self._structs and entry.section == "types" else entry
            for key, entry in self._entries.items()
        ]
        return tuple(entry for entry in entries if entry.name not in self._times or self._times[entry.name])

    def _completed(self, entry: Entry, made: Struct) -> Entry:
        """Return a type with its tags and constants."""
        includes = entry.body["include"]
        fields = entry.body["fields"] if isinstance(entry.body["fields"], dict) else {}
        tag, const = self._identity(made, fields)
        fields = {
            key: value
            for key, value in fields.items()
            if key.removesuffix("?") not in {each.removesuffix("?") for each in tag}
        }
        body = {key: value for key, value in entry.body.items() if key not in {"fields", "include", "extra"}}
        origin = self._senders.get(made.name)
        parts: dict[str, Tree] = {
            **({"from": origin} if origin else {}),
            **({"include": includes} if includes else {}),
            **({"tag": tag} if tag else {}),
            **({"const": const} if const else {}),
            **({"fields": fields} if fields else {}),
            **({"extra": entry.body["extra"]} if "extra" in entry.body else {}),
        }
        return replace(entry, section="messages" if origin else "types", body={**body, **parts})

    def _identity(self, made: Struct, fields: Mapping[str, Tree]) -> tuple[dict[str, Tree], dict[str, Tree]]:
        tag: dict[str, Tree] = {}
        const: dict[str, Tree] = {}
        members = self._look.members_of(made.object)
        for key in made.tags:
            member = members.get(key)
            if member is None:
                tag[key] = None
                continue
            values = [value for _, value in self._look.constants(member.shape) or []]
            spelt = [Quoted(value) if isinstance(value, str) else tree(value) for value in values]
            name = key if member.required else f"{key}?"
            written = fields.get(name)
            if len(spelt) == 1:
                tag[name] = spelt[0]
                self._times.subtract([written] if isinstance(written, str) and written in self._times else [])
            elif isinstance(written, str) and written in self._entries:
                tag[name] = written
            elif spelt:
                tag[name] = list(spelt)
        own = {member.name for member in made.object.members}
        for key, member in members.items():
            constant = self._look.resolved(member.shape)
            if key in made.tags or not member.required or not isinstance(constant, Literal):
                continue
            if key in own or self._is_tag_of_base(made.object, key):
                value = constant.value
                const[key] = Quoted(value) if isinstance(value, str) else value
        return tag, const

    def _is_tag_of_base(self, shape: Object, key: str) -> bool:
        """Return whether the member is a tag of a base, which is not inherited."""
        for base in shape.bases:
            made = self._structs.get(self._called[base.name]) if isinstance(base, Ref) else None
            if made is not None and (key in made.tags or self._is_tag_of_base(made.object, key)):
                return True
        return False


def _free_keys(stem: str) -> Iterator[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}{number}"
        number += 1
