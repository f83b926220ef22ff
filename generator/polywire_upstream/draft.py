"""Types declared by upstream → declarations in the spec language, and questions about what declarations do not say.

No guess is silent: if the spec language requires more information, the simplest option is written, and a `Question`
lists the choices.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from polywire_import.names import declarable, names_apart
from polywire_upstream.compare import Table, literals, spell
from polywire_upstream.declarations import parts, union
from polywire_upstream.yamledit import key, scalar, text

Type: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Question:
    """A decision for a person: its kind, its place, what was written for now, and the alternatives."""

    kind: str
    place: str
    written: str
    choices: tuple[str, ...]


@dataclass(slots=True)
class Draft:
    """A new declaration: its section, its name, and the lines below the name."""

    section: str
    name: str
    lines: list[str]


@dataclass(slots=True)
class Drafts:
    """Drafts declarations for types of upstream, and collects them and the questions."""

    table: Table
    names: Mapping[str, str]
    """Upstream's declarations → their names in the spec."""
    scalars: Mapping[str, str]
    taken: set[str]
    release: str
    modules: Mapping[str, str]
    """The file or package of a declaration, and its version."""
    observed: frozenset[str] = frozenset()
    """Declarations that the spec has from traffic."""
    new: dict[str, Draft] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    _given: dict[str, str] = field(default_factory=dict)
    _same: dict[tuple[str, ...], str] = field(default_factory=dict)
    _inside: dict[str, str] = field(default_factory=dict)
    """What is being drafted → its name, for what may contain itself without a name of upstream's."""
    _prefixes: list[str] = field(default_factory=list)
    _tagged: dict[str, str] = field(default_factory=dict)
    """Place of an object, or its declaration → the discriminator of the union that it is drafted for."""

    def __post_init__(self) -> None:
        self._prefixes = prefixes(self.names)

    def ask(self, kind: str, place: str, written: str, *choices: str) -> None:
        """Add a question."""
        question = Question(kind, place, written, choices)
        if question not in self.questions:
            self.questions.append(question)

    def source(self, place: str) -> str:
        """Return the origin of a declaration for its `source`."""
        return f"{self.modules.get(place.split('/', maxsplit=1)[0], 'declarations')}, {place}"

    def drafted(self, upstream: str) -> str | None:
        """Return the name of a declaration of upstream that was already drafted."""
        return self._given.get(upstream)

    # --- names ---

    def name(self, upstream: str, place: str) -> str:
        """Return a free name for a declaration of upstream, shortened like the others."""
        wanted = self._wanted(upstream)
        given = self._free(wanted)
        self.ask("name", place, given, *dict.fromkeys(each for each in (upstream, wanted) if each != given))
        return given

    def _wanted(self, upstream: str) -> str:
        """Return the name in the spec that is like those of the other declarations."""
        short = next((upstream.removeprefix(each) for each in self._prefixes if upstream.startswith(each)), upstream)
        return declarable(short if short[:1].isupper() else upstream)

    def known(self, upstream: str) -> str | None:
        """Return the declaration that the spec has from traffic, if upstream's name reveals it."""
        name = self._wanted(upstream)
        if name not in self.observed:
            return None
        self.ask(
            "observed",
            upstream,
            f"{name}, left as observed",
            f"upstream declares it now: {spell(self.table[upstream])}",
        )
        self.keep(upstream, name)
        return name

    def _free(self, wanted: str) -> str:
        given, number = wanted, 2
        while given in self.taken:
            given, number = f"{wanted}{number}", number + 1
        self.taken.add(given)
        return given

    def free(self, wanted: str) -> str:
        """Return a free name for an inline type of upstream."""
        return self._free(declarable(wanted))

    # --- types ---

    def type(self, type_: Type, hint: str, place: str) -> str | None:
        """Return a type in the spec language; None for what is never sent."""
        given = parts(type_)
        every = ["any"] if len(given) > 1 and any(map(self._may_be_any, given)) else opened(given, self.table)
        if every == given:
            return self._of(given, hint, place)
        inside = f"any of {json.dumps(every)}"
        if inside in self._inside:  # a name that was looked behind leads to itself
            self.ask("type", place, "json", spell(type_))
            return "json"
        self._inside[inside] = ""
        written = self._of(every, hint, place)
        del self._inside[inside]
        return written

    def _of(self, every: Sequence[Type], hint: str, place: str) -> str | None:
        """Return a type of some alternatives."""
        kept = [each for each in every if each not in ("undefined", "null")]
        null = " | null" if "null" in every else ""
        written = (
            self._one(kept[0], hint, place) if len(kept) == 1 else self._several(kept, hint, place) if kept else "null"
        )
        if written is None:
            return None
        return written if written in ("json", "null") else f"{written}{null}"

    def _one(self, type_: Type, hint: str, place: str) -> str | None:
        if isinstance(type_, str):
            return self._word(type_, place)
        if isinstance(type_, list):
            inner = self.type(type_[0], f"{hint}Item", f"{place}/[]")
            return None if inner is None else f"({inner})[]" if " | " in inner else f"{inner}[]"
        if "is" in type_:
            if isinstance(type_["is"], bool):
                self.ask("constant", place, "boolean", f"declared only as {json.dumps(type_['is'])}")
                return "boolean"
            if isinstance(type_["is"], str):
                return self._enum([type_["is"]], hint, place)
            self.ask("constant", place, "number", f"declared only as {type_['is']}")
            return "number"
        if "map" in type_:
            inner = self.type(type_["map"], f"{hint}Value", f"{place}/*")
            return None if inner is None else "object" if inner == "json" else f"map<{inner}>"
        if "fields" in type_ or "all of" in type_:
            return self._unnamed(type_, hint, place)
        if "tuple" in type_:
            self.ask("bounds", place, "any number of items", f"{len(type_['tuple'])} items")
            return self._one(_listed(type_), hint, place)
        return self._several(parts(type_), hint, place)

    def _unnamed(self, type_: Type, hint: str, place: str) -> str:
        """Draft an object without a name, which may contain itself through one of its bases."""
        written = json.dumps(type_)
        if written in self._inside:
            return self._inside[written]
        self._inside[written] = name = self._free(declarable(hint))
        self.struct(type_, name, place)
        del self._inside[written]
        return name

    def _word(self, type_: str, place: str) -> str | None:
        if type_ == "number":
            self.ask("number", place, "number", "integer")
            return "number"
        if type_ == "any":
            return "json"
        if type_.startswith("#") and not _is_left_out(type_, self.table):
            return self.declared(type_[1:])
        if type_.startswith("module:"):
            known = self.scalars.get(type_.removeprefix("module:"))
            if known is not None:
                return known.removeprefix("#")
            self.ask("type", place, "json", type_)
            return "json"
        if type_ in ("string", "boolean", "object", "null"):
            return type_
        self.ask("left out", place, "nothing", f"upstream has {type_}, which is not data or is not declared")
        return None

    def _is_json(self, written: str) -> bool:
        draft = self.new.get(written)
        return written == "json" or (draft is not None and "type: json" in draft.lines)

    def _may_be_any(self, type_: Type) -> bool:
        words = [each for each in _leaves(type_, self.table) if isinstance(each, str)]
        unknown = [each for each in words if each.startswith("module:")]
        return "any" in words or any(each.removeprefix("module:") not in self.scalars for each in unknown)

    def _several(self, kept: Sequence[Type], hint: str, place: str) -> str | None:
        lengths = [len(each["tuple"]) for each in kept if isinstance(each, dict) and "tuple" in each]
        if lengths:
            self.ask("bounds", place, "any number of items", f"{min(lengths)} to {max(lengths)} items")
            kept = [_listed(each) if isinstance(each, dict) and "tuple" in each else each for each in kept]
        values = literals({"any of": list(kept)})
        if values is not None and all(isinstance(each, str) for each in values):
            return self._enum(values, hint, place)
        if all(_is_object(each, self.table) for each in kept):
            kept = [each for each in kept if not any(_holds(other, each, self.table) for other in kept)]
            return self._union(kept, hint, place) if len(kept) > 1 else self._one(kept[0], hint, place)
        texts = [each for each in kept if isinstance(each, dict) and isinstance(each.get("is"), str)]
        if texts and "string" in kept:
            self.ask("values", place, "string", spell({"any of": texts}))
            return self.type({"any of": [each for each in kept if each not in texts]}, hint, place)
        lists = [each for each in kept if isinstance(each, list)]
        others = [each for each in kept if not isinstance(each, list)]
        if len(lists) > 1:
            return self.type(union([*others, [union([each[0] for each in lists])]]), hint, place)
        objects = [each for each in kept if _is_object(each, self.table)]
        maps = [each for each in kept if each == "object" or (isinstance(each, dict) and "map" in each)]
        if len(maps) > 1 or (objects and maps):
            self.ask("type", place, "object", spell({"any of": [*objects, *maps]}))
            others = [each for each in kept if each not in objects and each not in maps]
            return self.type({"any of": [*others, "object"]}, hint, place)
        rest = [each for each in kept if each not in objects and each not in texts]
        found = [self.type(each, hint, place) for each in rest]
        if texts:
            found.append(self._enum([each["is"] for each in texts], hint, place))
        if objects:
            of = objects[0] if len(objects) == 1 else {"any of": objects}
            found.append(self.type(of, f"{hint}Object" if len(objects) > 1 else hint, place))
        if None in found:
            return None
        written = [*dict.fromkeys(str(each) for each in found)]
        return "json" if any(map(self._is_json, written)) else " | ".join(written)

    # --- declarations ---

    def declared(self, upstream: str) -> str:
        """Return the spec's name of a declaration of upstream, which is drafted if it does not exist yet."""
        if upstream in self.names:
            return self.names[upstream]
        if upstream not in self._given and self.known(upstream) is None:
            self._given[upstream] = name = self.name(upstream, upstream)
            self._declare(upstream, name)
        return self._given[upstream]

    def _declare(self, upstream: str, name: str) -> None:
        type_ = self.table.get(upstream, "any")
        if len(parts(type_)) == 1:
            (type_,) = parts(type_)  # a union of one object is that object, so that it can be a variant
        values = literals(type_)
        if values is not None and all(isinstance(each, str) for each in values):
            self._enum(values, name, upstream, taken=True)
        elif isinstance(type_, dict) and ("fields" in type_ or "all of" in type_):
            self.struct(type_, name, upstream)
        elif len(parts(type_)) > 1 and all(_is_object(each, self.table) for each in parts(type_)):
            self._union(parts(type_), name, upstream, taken=True)
        else:
            written = self.type(type_, name, upstream)
            self._keep("aliases", name, upstream, [f"type: {scalar(written or 'json')}"])

    def _keep(self, section: str, name: str, place: str, lines: list[str]) -> None:
        upstream = place.split("/", maxsplit=1)[0]
        head = [f"source: {text(self.source(place))}", f"since: {self.release}"]
        is_named = place == upstream and self._given.get(upstream, name) == name  # not an object inside of it
        if is_named and upstream != name and upstream in self.table:
            head.append(f"targets: {{typescript: {{name: {upstream}}}}}")
        self.new[name] = Draft(section, name, [*head, *lines])
        self.ask("doc", place, "nothing", f"document {name}")

    def _enum(self, values: Sequence[str], hint: str, place: str, *, taken: bool = False) -> str:
        same = ("enum", *values)
        if not taken and same in self._same:
            return self._same[same]
        name = hint if taken else self._free(declarable(hint))
        self._same.setdefault(same, name)
        values = [*dict.fromkeys(values)]
        names = names_apart(values)
        rows = (f"  {key(each)}: {{{f'name: {names[each]}' if each in names else ''}}}" for each in values)
        lines = ["open: true", "values:", *rows]
        self._keep("enums", name, place, lines)
        self.ask("open", place, "open", "closed, if nothing can be added")
        return name

    def _union(self, kept: Sequence[Type], hint: str, place: str, *, taken: bool = False) -> str | None:
        name = hint if taken else self._free(declarable(hint))
        by = discriminator(kept, self.table)
        variants = []
        for number, each in enumerate(kept, 1):
            label = _constant(each, by, self.table)
            inner = f"{name}{declarable(label)}" if label else f"{name}{number}"
            where = f"{place}/<{by}={label}>" if label else f"{place}/<{number}>"
            if by is not None:
                self._tagged[each[1:] if isinstance(each, str) else where] = by
            written = self._one(each, inner, where)
            if written is None or not written[:1].isupper():
                self.ask("type", place, "json", spell(each))
                return "json"
            variants.append(written)
        variants = list(dict.fromkeys(variants))
        same = ("union", *variants)
        if not taken and same in self._same:
            self.taken.discard(name)
            return self._same[same]
        self._same.setdefault(same, name)
        lines = ["open: true", f"by: {by or 'keys'}", "variants:"]
        if by is None:
            conditions = tell_apart([Keys.of(each, self.table) for each in kept])
            complete = conditions is not None and len(variants) == len(kept)
            question = "which members distinguish the variants"
            self.ask("discriminator", place, "keys", question if complete else f"state under `when` {question}")
            if conditions is not None and complete:
                variants = [when.row(each) for each, when in zip(variants, conditions, strict=True)]
        lines += [f"  - {each}" for each in variants]
        self._keep("unions", name, place, lines)
        return name

    def keep(self, upstream: str, name: str) -> None:
        """Record the name of a declaration of upstream."""
        self._given[upstream] = name
        self.names = {**self.names, upstream: name}

    def struct(self, type_: Type, name: str, place: str, tags: Sequence[str] | None = None) -> str:
        """Draft an object; `tags` are the constants that identify it, if known."""
        fields, rest, bases = flat(type_, self.table)
        if bases:
            self.ask("type", place, "without them", f"bases that are not plain objects: {', '.join(map(spell, bases))}")
        self._keep("types", name, place, [])
        lines = self.members(fields, name, place, tags, wholly_new=True)
        if rest is not None:
            inner = self.type(rest, f"{name}Value", f"{place}/*")
            lines.append(f"extra: {scalar(inner or 'json')}")
        self.new[name].lines += lines
        return name

    def members(
        self,
        fields: Mapping[str, Type],
        name: str,
        place: str,
        tags: Sequence[str] | None,
        *,
        wholly_new: bool,
        under: str = "fields",
    ) -> list[str]:
        """Return the lines for constants and fields."""
        constants = {
            each: type_["is"]
            for each, type_ in fields.items()
            if isinstance(type_, dict)
            and "is" in type_
            and not each.endswith("?")
            and isinstance(type_["is"], str | bool | int)
        }
        by = self._tagged.get(place)
        identity = {
            each: constants[each] for each in (constants if tags is None else tags) if constants.get(each, "") != ""
        }
        tagged = {each: values for each, values in _tag(by, fields).items() if each not in constants}
        identity |= tagged
        lines = [f"tag: {_row(identity)}"] if identity else []
        others = {each: value for each, value in constants.items() if each not in identity}
        lines += [f"const: {_row(others)}"] if others else []
        rows = []
        for member, type_ in fields.items():
            if member not in constants and member not in tagged:
                rows += self.member(member, type_, name, f"{place}/{member.removesuffix('?')}", since=not wholly_new)
        return [*lines, *([f"{under}:", *(f"  {row}" for row in rows)] if rows else [])]

    def member(self, member: str, type_: Type, owner: str, place: str, *, since: bool) -> list[str]:
        """Return the lines for a field; none for what is never sent."""
        bare = member.removesuffix("?")
        optional = member.endswith("?") or "undefined" in parts(type_)
        written = self.type(type_, owner + declarable(bare), place)
        if written is None:
            return []
        self.ask("doc", place, "nothing", f"document `{bare}`, with its unit")
        if not optional:
            self.ask("presence", place, "required", "optional, if traffic lacks it")
        lines = [f"{key(f'{bare}?' if optional else bare)}:", f"  type: {scalar(written)}"]
        return [*lines, f"  since: {self.release}"] if since else lines


_LEFT_OUT = ("function", "undefined", "live:", "missing:")


def _is_left_out(type_: Type, table: Table, inside: frozenset[str] = frozenset()) -> bool:
    """Return whether a type is a function, something else that is not data, or a list or map of such."""
    leaves = _leaves(type_, table)
    for each in leaves:
        if isinstance(each, str):
            is_out = each.startswith(_LEFT_OUT)
        else:
            inner = each[0] if isinstance(each, list) else each.get("map")
            written = json.dumps(each)
            is_out = inner is not None and written not in inside and _is_left_out(inner, table, inside | {written})
        if not is_out:
            return False
    return bool(leaves)


def opened(kept: Sequence[Type], table: Table) -> list[Type]:
    """Return alternatives, with what a named union is of in its place if another one is of the same JSON kind."""
    of = [_alternatives(each, table) for each in kept]
    kinds = [{_kind(one, table) for one in each} for each in of]
    found: list[Type] = []
    for each, inner, own in zip(kept, of, kinds, strict=True):
        others = (other for other in kinds if other is not own)
        found += [each] if all(own.isdisjoint(other) for other in others) else inner
    return found if found == [*kept] else parts(union(found))


def _alternatives(type_: Type, table: Table) -> list[Type]:
    """Return what a name stands for, and what unions are of, unless that is objects alone; or else the type itself."""
    found: list[Type] = []
    todo, seen = [type_], set[str]()
    while todo:
        each = todo.pop()
        declared: list[Type] = []
        if isinstance(each, str) and each.startswith("#"):
            if each in seen:
                continue
            seen.add(each)
            declared = parts(table.get(each[1:], "any"))
        if declared and not _is_object(each, table):
            todo += reversed(declared)
        else:
            found.append(each)
    return found


def _kind(type_: Type, table: Table) -> str:
    if isinstance(type_, list):
        return "list"
    if _is_object(type_, table):
        return "object"
    if isinstance(type_, str):
        return type_
    if "is" in type_:
        return {str: "string", bool: "boolean"}.get(type(type_["is"]), "number")
    return "list" if "tuple" in type_ else "object"


def _listed(type_: Type) -> Type:
    """Convert a list of specific items to one of any number of them."""
    return [union(type_["tuple"])]


def flat(type_: Type, table: Table, seen: set[str] | None = None) -> tuple[dict[str, Type], Type | None, list[Type]]:
    """Return an object's members including its bases', the type of other members, and bases that are not objects.

    A base that is reached in several ways, and is among those `seen`, counts once.
    """
    seen = set() if seen is None else seen
    fields: dict[str, Type] = {}
    rest, odd = None, []
    for each in [*type_.get("bases", ()), *type_.get("all of", ())]:
        if isinstance(each, str) and each in seen:
            continue
        target = table.get(each[1:]) if isinstance(each, str) and each.startswith("#") else each
        if _is_fielded(target):
            seen |= {each} if isinstance(each, str) else set()
            inner, more, others = flat(target, table, seen)
            _overlay(fields, inner)
            rest = rest if more is None else more
            odd += others
        else:
            odd.append(each)
    _overlay(fields, {name: _constant_meant(each, table) for name, each in type_.get("fields", {}).items()})
    return fields, type_.get("rest", rest), odd


def _constant_meant(type_: Type, table: Table) -> Type:
    """Return the constant that a name stands for; the type itself if it is none."""
    (meant, *others) = _leaves(type_, table) or [type_]
    return meant if isinstance(meant, dict) and "is" in meant and not others else type_


def _overlay(fields: dict[str, Type], others: Mapping[str, Type]) -> None:
    """Replace members, which may be optional in one of both."""
    for name, each in others.items():
        fields.pop(name[:-1] if name.endswith("?") else f"{name}?", None)
        fields[name] = each


def _leaves(type_: Type, table: Table) -> list[Type]:
    """Return what a type is of, behind names and unions, with each name once."""
    found: list[Type] = []
    todo, seen = [type_], set[str]()
    while todo:
        each = todo.pop()
        if isinstance(each, dict) and "any of" in each:
            todo += reversed(each["any of"])
        elif not isinstance(each, str) or not each.startswith("#"):
            found.append(each)
        elif each not in seen:
            seen.add(each)
            todo.append(table.get(each[1:], "any"))
    return found


def _is_fielded(type_: Type) -> bool:
    return isinstance(type_, dict) and ("fields" in type_ or "all of" in type_)


def _is_object(type_: Type, table: Table) -> bool:
    return all(_is_fielded(each) for each in _leaves(type_, table))


def objects_of(type_: Type, table: Table) -> list[Mapping[str, Type]]:
    """Return the members of each object that a type is of."""
    return [flat(each, table)[0] for each in _leaves(type_, table) if _is_fielded(each)]


def discriminator(variants: Sequence[Type], table: Table) -> str | None:
    """Return the member that has a different constant in every variant; the first one by name.

    If there is none, one of several variants may lack the member, or any one may have it as an optional constant.
    """
    objects = [objects_of(each, table) for each in variants]
    names = sorted({key.removesuffix("?") for each in objects for one in each for key in one})
    found = [name for name in names if _tells(name, objects)]
    always = next((name for name in found if all(name in one for each in objects for one in each)), None)
    return always or next((name for name in found if _may_lack(name, objects)), None)


def _may_lack(name: str, objects: Sequence[Sequence[Mapping[str, Type]]]) -> bool:
    """Return whether only one variant lacks the member, and it still discriminates: several others, or optional."""
    lacking = [each for each in objects if any(name not in one for one in each)]
    return len(lacking) == 1 and (len(objects) > 2 or all(f"{name}?" in one for one in lacking[0]))


def _tells(name: str, objects: Sequence[Sequence[Mapping[str, Type]]]) -> bool:
    """Return whether the constants of a member distinguish the variants that have it."""
    values: list[set[object]] = []
    for each in objects:
        own: set[object] = set()
        for one in each:
            optional = one.get(f"{name}?")
            type_ = one.get(name) if optional is None else union([p for p in parts(optional) if p != "null"])
            found = () if type_ is None else literals(type_)
            if found is None:
                return False
            own.update(found)
        values.append(own)
    return sum(map(len, values)) == len(set().union(*values))


def _tag(by: str | None, fields: Mapping[str, Type]) -> dict[str, Any]:
    """Return the discriminator as a tag unless it is a plain constant: one of several texts, optional, or absent."""
    if by is None:
        return {}
    if by not in fields and f"{by}?" not in fields:
        return {by: None}
    if by in fields:
        values = literals(fields[by]) or []
        return {by: values} if len(values) > 1 and {*map(type, values)} in ({str}, {int}) else {}
    texts = literals(union([each for each in parts(fields.get(f"{by}?", "any")) if each != "null"]))
    return {f"{by}?": texts[0]} if texts is not None and len(texts) == 1 and isinstance(texts[0], str) else {}


def _holds(whole: Type, part: Type, table: Table) -> bool:
    """Return whether a declared union has another type as a variant."""
    if not isinstance(whole, str) or not whole.startswith("#") or whole == part:
        return False
    declared = table.get(whole[1:], "any")
    return part in parts(declared) if isinstance(declared, dict) and "any of" in declared else False


# --- unions without a discriminator ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a variant's objects: those that are always present, and all declared ones."""

    required: frozenset[str]
    declared: frozenset[str]

    @classmethod
    def of(cls, type_: Type, table: Table) -> Keys:
        """Return the keys of a type of upstream, which may be a union."""
        every = objects_of(type_, table)
        objects = [{key: each for key, each in one.items() if not _is_left_out(each, table)} for one in every]
        required = [frozenset(key for key in one if not key.endswith("?")) for one in objects]
        declared = (key.removesuffix("?") for one in objects for key in one)
        return cls(frozenset.intersection(*required) if required else frozenset(), frozenset(declared))


@dataclass(frozen=True, slots=True)
class Condition:
    """What distinguishes a variant: keys that are present, and keys that are absent."""

    has: tuple[str, ...]
    lacks: tuple[str, ...]

    def excludes(self, other: Condition) -> bool:
        """Return whether no object meets both conditions."""
        return not ({*self.has}.isdisjoint(other.lacks) and {*self.lacks}.isdisjoint(other.has))

    def row(self, name: str) -> str:
        """Return the entry of a variant on one line."""
        conditions = (
            f"{word}: [{', '.join(map(key, keys))}]"
            for word, keys in (("has", self.has), ("lacks", self.lacks))
            if keys
        )
        return f"{{name: {name}, when: {{{', '.join(conditions)}}}}}"


def tell_apart(variants: Sequence[Keys]) -> list[Condition] | None:
    """Return a condition for each variant, if each has a required key of its own; only one may have none."""
    found: list[Condition] = []
    for number, each in enumerate(variants):
        others = [other for at, other in enumerate(variants) if at != number]
        own = sorted(key for key in each.required if not any(key in other.declared for other in others))
        found.append(Condition(tuple(own[:1]), ()))
    if sum(not each.has for each in found) > 1:
        return None
    marks = [each.has for each in found]
    last = [*(n for n, has in enumerate(marks) if has), *(n for n, has in enumerate(marks) if not has)]
    return [
        Condition(marks[n], tuple(key for before in last[: last.index(n)] for key in marks[before]))
        for n in range(len(found))
    ]


def told_from(variant: Keys, others: Sequence[Condition]) -> Condition | None:
    """Return a condition for a new variant next to others, which have theirs."""
    free = [key for key in sorted(variant.required) if not any(key in other.has for other in others)]
    has, lacks = dict.fromkeys(free[:1]), dict[str, None]()
    for other in others:
        without = [key for key in other.has if key not in variant.declared]
        within = [key for key in other.lacks if key in variant.required]
        if Condition(tuple(has), tuple(lacks)).excludes(other):
            continue
        if without:
            lacks.setdefault(without[0])
        elif within:
            has.setdefault(within[0])
        else:
            return None
    return Condition(tuple(has), tuple(lacks)) if has or lacks else None


def _constant(type_: Type, by: str | None, table: Table) -> str:
    found = [literals(one.get(by, "any")) for one in objects_of(type_, table)] if by is not None else []
    values = [str(value) for each in found for value in each or ()]
    return values[0] if len(values) == 1 else ""


def _row(values: Mapping[str, Any]) -> str:
    entries = (f"{key(name)}: {_constant_text(value)}" for name, value in values.items())
    return "{" + ", ".join(entries) + "}"


def _constant_text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_constant_text, value))}]"
    return key(value) if isinstance(value, str) else json.dumps(value)


def prefixes(names: Mapping[str, str], fewest: int = 3) -> list[str]:
    """Return prefixes of upstream's names that the spec's names leave out, the longest first."""
    cut = Counter(up.removesuffix(spec) for up, spec in names.items() if up != spec and up.endswith(spec))
    return sorted((each for each, number in cut.items() if number >= fewest), key=lambda each: (-len(each), each))
