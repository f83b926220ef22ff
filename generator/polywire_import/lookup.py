"""Queries about the shapes of a catalog: the declaration behind a name, the kinds of its values, its members.

Answers about declarations are cached, so that lookups stay linear however declarations refer to each other; cycles of
references terminate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polywire_import.alternatives import ABSENT, Claim, Leaf
from polywire_import.shapes import (
    AnyObject,
    Anything,
    Array,
    Catalog,
    ImportingError,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
    Written,
)

MOST_ALTERNATIVES = 1000
"""Maximum number of objects that are distinguished in one place; comparing more in pairs takes too long."""
MOST_CONSTANTS = 200
"""Maximum number of values of a member that distinguishes alternatives."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An object in a union, as a reference or inline; `via` is the union that contains it."""

    shape: Ref | Object
    leaf: Leaf
    via: str | None = None


class Lookup:
    """Queries about one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._resolved: dict[str, Shape] = {}
        self._kinds: dict[str, dict[str, None]] = {}
        self._others: set[str] | None = None
        self._members: dict[str, dict[str, Member]] = {}
        self._keys: dict[str, frozenset[str]] = {}
        self._in_unions: dict[str, list[Alternative]] = {}

    def resolved(self, shape: Shape) -> Shape:
        """Return the shape behind references; a cycle of references is any value."""
        way: list[str] = []
        while isinstance(shape, Ref) and shape.name not in self._resolved:
            if shape.name in way:
                shape = Anything()
                break
            way.append(shape.name)
            shape = self._catalog.declarations[shape.name].shape
            if isinstance(shape, OneOf) and len(shape.members) == 1:
                shape = shape.members[0]
        if isinstance(shape, Ref):
            shape = self._resolved[shape.name]
        self._resolved.update(dict.fromkeys(way, shape))
        return shape

    def declared(self, ref: Ref) -> Ref:
        """Return the end of a chain of references that only refer to the next one."""
        seen: set[str] = set()
        while ref.name not in seen:
            seen.add(ref.name)
            behind = self._catalog.declarations[ref.name].shape
            if isinstance(behind, OneOf) and len(behind.members) == 1:
                behind = behind.members[0]
            if not isinstance(behind, Ref):
                break
            ref = behind
        return ref

    def alternatives(self, shape: Shape) -> list[Shape]:
        """Return the alternatives of a shape, including nested ones; only constants and null are resolved."""
        found: dict[Shape, None] = {}
        stack: list[Shape] = [shape]
        while stack:
            each = stack.pop()
            if isinstance(each, OneOf):
                stack.extend(reversed(each.members))
                continue
            if isinstance(each, Object) and is_only_base(each):
                stack.append(each.bases[0])
                continue
            if isinstance(each, Ref) and isinstance(behind := self.resolved(each), (Null, Literal)):
                each = behind
            found.setdefault(each, None)
        return list(found) or [Anything()]

    def leaves(self, shape: Shape, mark: str | None = None) -> Iterator[Ref | Object]:
        """Yield the objects and declarations among alternatives, behind unions and references without the mark."""
        seen: set[str] = set()
        stack = [shape]
        while stack:
            each = stack.pop()
            if isinstance(each, OneOf):
                stack.extend(reversed(each.members))
            elif isinstance(each, Object) and is_only_base(each):
                stack.append(each.bases[0])
            elif isinstance(each, Object):
                yield each
            elif isinstance(each, Ref) and each.name not in seen:
                seen.add(each.name)
                declared = self._catalog.declarations[each.name]
                if isinstance(declared.shape, (OneOf, Ref)) and mark not in declared.marks:
                    stack.append(declared.shape)
                else:
                    yield each

    def kinds_of(self, shape: Shape) -> tuple[str, ...]:
        """Return the JSON kinds of a shape's values; `any` for any."""
        match shape:
            case Ref(name=name):
                if not self._kinds:
                    self._kinds = self._kinds_by_name()
                return tuple(self._kinds[name]) or ("any",)
            case OneOf():
                return tuple(dict.fromkeys(kind for each in shape.members for kind in self.kinds_of(each)))
        return (_own_kind(shape),)

    def _kinds_by_name(self) -> dict[str, dict[str, None]]:
        """Return the kinds of every declaration: its own, and those of its references, including cycles."""
        kinds: dict[str, dict[str, None]] = {}
        users: dict[str, list[str]] = {}
        for name, declared in self._catalog.declarations.items():
            members = self.alternatives(declared.shape)
            kinds[name] = {_own_kind(each): None for each in members if not isinstance(each, Ref)}
            for each in members:
                if isinstance(each, Ref):
                    users.setdefault(each.name, []).append(name)
        work = [name for name in kinds if kinds[name]]
        while work:
            name = work.pop()
            for user in users.get(name, ()):
                if not kinds[name].keys() <= kinds[user].keys():
                    kinds[user].update(kinds[name])
                    work.append(user)
        return kinds

    def is_object(self, shape: Shape) -> bool:
        """Return whether the shape is, behind all names, an object with members or a union of such objects."""
        if isinstance(shape, Ref):
            if self._others is None:
                self._others = self._not_objects()
            return shape.name not in self._others
        if isinstance(shape, OneOf):
            return all(self.is_object(each) for each in self.alternatives(shape))
        return isinstance(shape, Object)

    def _not_objects(self) -> set[str]:
        """Return the declarations that may be something other than an object with members."""
        users: dict[str, list[str]] = {}
        found: set[str] = set()
        for name, declared in self._catalog.declarations.items():
            for each in self.alternatives(declared.shape):
                if isinstance(each, Ref):
                    users.setdefault(each.name, []).append(name)
                elif not isinstance(each, Object):
                    found.add(name)
        work = [*found]
        while work:
            for user in users.get(work.pop(), ()):
                if user not in found:
                    found.add(user)
                    work.append(user)
        return found

    def members_of(self, shape: Shape) -> dict[str, Member]:
        """Return all members of an object, those of its bases first."""
        if isinstance(shape, Ref):
            if shape.name not in self._members:
                self._members[shape.name] = {}
                self._members[shape.name] = self.members_of(self.resolved(shape))
            return self._members[shape.name]
        if not isinstance(shape, Object):
            return {}
        found: dict[str, Member] = {}
        for base in shape.bases:
            found |= self.members_of(base)
        for member in shape.members:
            known = found.get(member.name)
            found[member.name] = replace(known, required=True) if known and member.demanded else member
        return found

    def keys_of(self, shape: Shape) -> frozenset[str]:
        """Return the keys of an object, including those of the alternatives next to its members."""
        if isinstance(shape, Ref):
            if shape.name not in self._keys:
                self._keys[shape.name] = frozenset()
                self._keys[shape.name] = self.keys_of(self.resolved(shape))
            return self._keys[shape.name]
        if isinstance(shape, OneOf):
            return frozenset[str]().union(*map(self.keys_of, self.alternatives(shape)))
        if not isinstance(shape, Object):
            return frozenset()
        inner = (*shape.bases, *shape.choices)
        return frozenset(member.name for member in shape.members).union(*map(self.keys_of, inner))

    def has_choices(self, shape: Shape, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether an object, or one that it includes, has alternatives next to its members."""
        if isinstance(shape, Ref):
            if shape.name in seen:
                return False
            seen |= {shape.name}
        behind = self.resolved(shape)
        if not isinstance(behind, Object):
            return False
        return bool(behind.choices) or any(self.has_choices(base, seen) for base in behind.bases)

    def alternatives_in(self, members: Sequence[Shape]) -> list[Alternative]:
        """Return the objects among alternatives, with unions replaced by their objects."""
        found: dict[Shape, Alternative] = {}
        for each in members:
            behind = self.resolved(each)
            if isinstance(behind, OneOf) and isinstance(each, Ref):
                if each.name not in self._in_unions:
                    self._in_unions[each.name] = []
                    inner = self.alternatives_in(self.alternatives(behind))
                    self._in_unions[each.name] = [replace(one, via=each.name) for one in inner]
                for one in self._in_unions[each.name]:
                    found.setdefault(one.shape, one)
            elif isinstance(behind, OneOf):
                for one in self.alternatives_in(self.alternatives(behind)):
                    found.setdefault(one.shape, one)
            elif isinstance(each, (Ref, Object)):
                own = self.declared(each) if isinstance(each, Ref) else each
                found.setdefault(own, Alternative(own, self.leaf(own)))
            if len(found) > MOST_ALTERNATIVES:
                where = f"{self._catalog.declarations[each.name].place}: " if isinstance(each, Ref) else ""
                raise ImportingError(f"{where}more than {MOST_ALTERNATIVES} alternatives stand in one place")
        return list(found.values())

    def leaf(self, shape: Shape) -> Leaf:
        """Return the members of an object, and which of them are constants."""
        members = self.members_of(shape)
        claims = {}
        for key, member in members.items():
            values = self.constants(member.shape)
            if values:
                claims[key] = frozenset([*values, *([] if member.required else [(ABSENT, None)])])
        return Leaf(members, claims)

    def constants(self, shape: Shape) -> list[Claim] | None:
        """Return a member's values if a tag can have them, a constant or a closed list; None if it allows others."""
        behind = self.resolved(shape)
        members = self.alternatives(behind)
        if isinstance(behind, OneOf) and (behind.open or len(members) > MOST_CONSTANTS):
            return None
        claims: list[Claim] = []
        for each in members:
            if not isinstance(each, Literal) or isinstance(each.value, float) or each.value == "":
                return None
            claims.append((kind_of(each.value), each.value))
        if len(claims) > 1 and any(kind == "boolean" for kind, _ in claims):
            return None  # a tag has one boolean, or a list of others
        return claims


def is_only_base(shape: Object) -> bool:
    """Return whether an object is only a reference to another one."""
    return len(shape.bases) == 1 and not shape.members and not shape.choices and shape.extra is None


def _own_kind(shape: Shape) -> str:
    """Return the JSON kind of a shape that has one."""
    match shape:
        case Scalar(name=name):
            return {"boolean": "boolean", "number": "number", "integer": "number"}.get(name, "string")
        case Literal(value=value):
            return kind_of(value)
        case Null():
            return "null"
        case Array() | Tuple():
            return "array"
        case AnyObject() | Map() | Object() | Written():
            return "object"
    return "any"


def kind_of(value: object) -> str:
    """Return the JSON kind of a constant."""
    return "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
