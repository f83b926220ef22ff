"""A spec, the release it was last updated to, and a new one → a patch of the YAML, a worklist, and the changes.

The patch has what declarations show: additions with `since`, removals with `until`, changes with `was`. The worklist
has what they do not show, each item with its choices, and everything that the patch could not express.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polywire.model.nodes import Enum, Model, Struct, Union
from polywire.model.walk import refs, structs_of
from polywire.source.load import load as load_spec
from polywire_import.names import names_apart
from polywire_upstream import yamledit
from polywire_upstream.compare import Comparison, Difference
from polywire_upstream.config import Config, patch
from polywire_upstream.declarations import Type, parts, union
from polywire_upstream.draft import Condition, Draft, Drafts, Keys, Question, flat, objects_of, told_from
from polywire_upstream.facts import facts, of_type
from polywire_upstream.record import Snapshot
from polywire_upstream.yamledit import EditError, key, scalar

_SECTION = {"types": "types", "messages": "messages", "options": "options", "controls": "controls"}
_ORDER = ("enums", "aliases", "types", "options", "messages", "unions")


@dataclass(frozen=True, slots=True)
class Step:
    """The old and the new release."""

    before: str
    after: str


@dataclass(slots=True)
class Followed:
    """What a new release requires."""

    step: Step
    patch: str
    questions: list[Question]
    changes: list[Difference]
    """The changes from one release to the other in upstream's declarations; "missing" is an addition."""
    differences: list[Difference]
    """The differences between the spec and the new release, except those that existed for the earlier one."""
    undone: list[Difference] = field(default_factory=list)
    """The differences that the patch does not resolve."""


def changes(
    before: Snapshot, after: Snapshot, known: Config, names: Iterable[str], also: Iterable[str]
) -> list[Difference]:
    """Return the differences between two releases; a rule `missing-…` is about what only the later one has.

    `names` are declarations with a counterpart in the spec, and `also` those that are sent although nothing refers to
    them: a new one of these is a difference.
    """
    old = {name: each.type for name, each in before.declarations.items()}
    new = {name: each.type for name, each in after.declarations.items()}
    shared = [name for name in (*known.roots, *names) if name in old and name in new]
    shared += [name for name in also if name in old or name in new]
    return Comparison(new, old, {}).run([(name, name) for name in dict.fromkeys(shared)])


def follow(
    spec: Path,
    model: Model,
    names: Mapping[str, str],
    scalars: Mapping[str, str],
    found: Sequence[Difference],
    snapshot: Snapshot,
    step: Step,
) -> Followed:
    """Return the patch and the worklist for some differences between a spec and a snapshot."""
    return _Following(spec, model, names, scalars, snapshot, step).run(found)


class _Following:
    def __init__(
        self,
        spec: Path,
        model: Model,
        names: Mapping[str, str],
        scalars: Mapping[str, str],
        snapshot: Snapshot,
        step: Step,
    ) -> None:
        self._model = model
        self._facts = facts(model)
        self._step = step
        self._announced = snapshot.announced
        self._texts = yamledit.files(load_spec(spec).texts)
        self._before = dict(self._texts)
        table = {name: each.type for name, each in snapshot.declarations.items()}
        modules = {name: _module(each.module, snapshot) for name, each in snapshot.declarations.items()}
        observed = frozenset(name for name, each in model.declarations.items() if each.about.observed)
        self._drafts = Drafts(table, names, scalars, set(model.declarations), step.after, modules, observed)
        self._table = table
        self._requests = {each.request: each.key for each in model.controls}
        self._placed: dict[str, str] = {}
        self._undone: list[Difference] = []
        self._found: Sequence[Difference] = ()
        self._changed: set[tuple[str, ...]] = set()
        self._conditions: dict[str, list[Condition]] = {}

    def run(self, found: Sequence[Difference]) -> Followed:
        self._found = found
        once: dict[tuple[str, str, str, str], Difference] = {}
        for each in found:
            once.setdefault((each.rule, *self._home(each), each.type), each)
        for each in once.values():
            known = set(self._drafts.new)
            try:
                self._edit(each)
            except EditError as error:
                self._undone.append(each)
                self._ask("by hand", each.place, "nothing", f"{each.rule}: {error}")
            for name in self._drafts.new.keys() - known:
                if each.owner in self._model.declarations:
                    self._placed.setdefault(name, self._file(each.owner))
        self._place_drafts()
        self._release()
        self._drafts.questions.sort(key=lambda each: (each.kind, each.place))
        text = "".join(patch(name, self._before[name], after) for name, after in sorted(self._texts.items()))
        return Followed(self._step, text, self._drafts.questions, [], list(found), self._undone)

    def _ask(self, kind: str, place: str, written: str, *choices: str) -> None:
        self._drafts.ask(kind, place, written, *choices)

    # --- places in the spec ---------

    def _file(self, name: str) -> str:
        return self._model.declarations[name].place.file

    def _path(self, name: str) -> list[str]:
        """Return the keys that lead to a declaration in its file."""
        text = self._texts[self._file(name)]
        if name in self._requests:
            return ["controls", self._requests[name]]
        for section in ("enums", "aliases", "types", "messages", "options", "unions", "mixins"):
            if yamledit.has(text, [section, name]):
                return [section, name]
        raise EditError(f"{name} is in no section of {self._file(name)}")

    def _fields(self, name: str) -> list[str]:
        return [*self._path(name), "request" if name in self._requests else "fields"]

    def _home(self, each: Difference) -> tuple[str, str]:
        """Return the declaration and member to edit for a difference: a mixin's, if the field comes from one."""
        declared = self._model.declarations.get(each.owner)
        if isinstance(declared, Struct):
            own = next((one for one in declared.fields if one.name == each.member), None)
            if own is not None and own.origin is not None:
                return own.origin, each.member
        return each.owner, each.member

    def _sharers(self, mixin: str) -> list[str]:
        return [each.name for each in self._model.structs if mixin in each.include]

    # --- edits ---

    def _edit(self, each: Difference) -> None:
        edits: Mapping[str, Callable[[Difference], None]] = {
            "missing-field": self._add_field,
            "extra-field": self._end_field,
            "presence": self._presence,
            "missing-value": self._add_value,
            "extra-value": self._end_value,
            "missing-variant": self._add_variant,
            "extra-variant": self._end_variant,
            "missing-declaration": self._add_declaration,
            "extra-declaration": self._end_declaration,
            "opaque": self._undeclared,
            "wider": self._leave,
            "open": self._stay_open,
        }
        edit = edits.get(each.rule, self._change_type)
        edit(each)

    def _at(self, name: str, change: Callable[[str], str]) -> None:
        self._texts[self._file(name)] = change(self._texts[self._file(name)])

    def _known(self, name: str) -> None:
        if name not in self._model.declarations:
            raise EditError(f"the spec declares no {name or 'counterpart'}")

    def _add_field(self, each: Difference) -> None:
        self._known(each.owner)
        declared = self._model.declarations[each.owner]
        if isinstance(declared, Struct) and any(one.name == each.member for one in declared.fields):
            self._ask("observed", each.place, "left as observed", f"upstream declares it now: {each.upstream}")
            return
        required = each.upstream.startswith("required")
        name = each.member if required else f"{each.member}?"
        lines = self._drafts.member(name, json.loads(each.type), each.owner, each.place, since=True)
        if not lines:
            return
        if isinstance(declared, Struct) and declared.launch is not None:
            self._ask("carry", each.place, "nothing", "state how it is transmitted, or `live: true` if it is not")
        row = f"{lines[0]} {{{', '.join(map(yamledit.entry_in_braces, lines[1:]))}}}"
        path = self._fields(each.owner)
        if yamledit.has(self._texts[self._file(each.owner)], [*path, each.member]):
            raise EditError(f"{each.member} of {each.owner} is added for another object of upstream")
        if yamledit.has(self._texts[self._file(each.owner)], path):
            self._at(each.owner, lambda text: yamledit.add(text, path, lines, row))
        else:
            block = [f"{path[-1]}:", *(f"  {line}" for line in lines)]
            self._at(each.owner, lambda text: yamledit.add(text, path[:-1], block, f"{path[-1]}: {{{row}}}"))

    def _field_path(self, each: Difference) -> tuple[str, list[str]]:
        """Return the declaration that contains a field, and the field's path there."""
        owner, member = self._home(each)
        self._known(owner)
        if owner != each.owner:
            sharers = self._sharers(owner)
            same = {one.owner for one in self._found if (one.rule, one.member) == (each.rule, each.member)}
            if not same.issuperset(sharers):
                raise EditError(
                    f"{each.member} belongs to the mixin {owner} of {len(sharers)} types, and changed only in some"
                )
        return owner, [*self._fields(owner), member]

    def _end_field(self, each: Difference) -> None:
        owner, path = self._field_path(each)
        self._entry(owner, path, "type", "until", self._step.before)

    def _entry(self, owner: str, path: list[str], main: str, name: str, value: str) -> None:
        def change(text: str) -> str:
            return yamledit.set_entry(yamledit.long_form(text, path, main), path, name, value)

        self._at(owner, change)

    def _presence(self, each: Difference) -> None:
        owner, path = self._field_path(each)
        required = each.upstream == "required"
        was = "optional" if required else "required"
        self._was(owner, path, f"presence: {was}")
        name = each.member if required else f"{each.member}?"
        self._at(owner, lambda text: yamledit.replace_key(text, path, key(name)))
        self._ask("presence", each.place, each.upstream, f"{was}, if traffic of {self._step.after} shows it")

    def _was(self, owner: str, path: list[str], row: str) -> None:
        """Write what a field was until the earlier release, all in one entry."""
        entry = f"{{until: {self._step.before}, {row}}}"

        def change(text: str) -> str:
            text = yamledit.long_form(text, path, "type")
            was = [*path, "was"]
            if not yamledit.has(text, was):
                return yamledit.set_entry(text, path, "was", f"[{entry}]")
            return yamledit.add_to_last(text, was, ("until", self._step.before), row) or yamledit.add(
                text, was, [f"- {entry}"], entry
            )

        self._at(owner, change)

    def _change_type(self, each: Difference) -> None:
        if not each.member or not each.type:
            raise EditError(_both(each))
        owner, path = self._field_path(each)
        declared = self._model.declarations[owner]
        place = each.place.rsplit("/", 1)[-1]
        if isinstance(declared, Struct) and place != each.member:
            raise EditError(f"part of the type of {owner}.{each.member} differs: {_both(each)}")
        text = yamledit.long_form(self._texts[self._file(owner)], path, "type")
        old = yamledit.value_at(text, path, "type")
        if not old:
            raise EditError(f"the type of {owner}.{each.member} is not on one line")
        written = self._drafts.type(
            self._merged(owner, each), owner + each.member[:1].upper() + each.member[1:], each.place
        )
        if written is None:
            raise EditError(f"{each.upstream} upstream is not data")
        if tuple(path) in self._changed:
            return
        self._changed.add(tuple(path))
        if written == old:
            raise EditError(f"{each.upstream} upstream, {old} in the spec")
        self._texts[self._file(owner)] = text
        self._was(owner, path, f"type: {key(old)}")
        self._at(owner, lambda text: yamledit.replace_value(text, [*path, "type"], scalar(written)))
        self._ask("type", each.place, written, old)

    def _merged(self, owner: str, each: Difference) -> Type:
        """Return upstream's type or, if only null differs, the spec's type with or without it."""
        if each.rule != "null":
            return json.loads(each.type)
        declared = self._model.struct(owner)
        own = next(one for one in declared.fields if one.name == each.member)
        self._drafts.names = {**self._drafts.names, **{name: name for name in self._model.declarations}}
        return union([of_type(own.type), *([] if own.nullable else ["null"])])

    def _undeclared(self, each: Difference) -> None:
        self._ask("undeclared", each.place, "nothing", f"upstream refers to it without declaring it: {each.upstream}")

    def _leave(self, each: Difference) -> None:
        """Change nothing: the spec's type accepts everything that upstream declares."""
        self._ask("type", each.place, each.spec, each.upstream)

    def _stay_open(self, each: Difference) -> None:
        self._ask("open", each.place, "open", "closed, if nothing can be added")

    # --- values ---

    def _enum_of(self, each: Difference) -> str:
        """Return the enum of the values at a place."""
        if isinstance(self._model.declarations.get(each.owner), Enum):
            return each.owner
        declared = self._model.declarations.get(each.owner)
        member = next(step for step in reversed(each.place.split("/=")[0].split("/")) if step not in ("[]", "*"))
        if isinstance(declared, Struct):
            tag = declared.tag(member)
            if tag is not None and tag.enum is not None:
                return tag.enum
            own = next((one for one in declared.fields if one.name == member), None)
            named = None if own is None else of_type(own.type)
            while isinstance(named, list) or (isinstance(named, dict) and "map" in named):
                named = named[0] if isinstance(named, list) else named["map"]
            if isinstance(named, str) and isinstance(self._model.declarations.get(named[1:]), Enum):
                return named[1:]
        raise EditError(f"{each.owner} has no enum of its own for {member}: {_both(each)}")

    def _add_value(self, each: Difference) -> None:
        name = self._enum_of(each)
        path = [*self._path(name), "values"]
        declared = self._model.declarations[name]
        if isinstance(declared, Enum) and any(one.wire == each.member for one in declared.values):
            self._ask("observed", each.place, "left as observed", f"upstream declares the value of {name} now")
            return
        if yamledit.has(self._texts[self._file(name)], [*path, each.member]):
            return
        others = [value.wire for value in declared.values] if isinstance(declared, Enum) else []
        names = names_apart([*map(str, others), each.member])
        renamed = f"name: {names[each.member]}, " if each.member in names else ""
        row = f"{key(each.member)}: {{{renamed}since: {self._step.after}}}"
        self._at(name, lambda text: yamledit.add(text, path, [row], row))
        self._ask("doc", f"{each.place}", "nothing", f"document the value {each.member} of {name}")

    def _end_value(self, each: Difference) -> None:
        name = self._enum_of(each)
        if name != each.owner and any(one.owner == name and one.member == each.member for one in self._found):
            return
        users = self._users(name)
        if name != each.owner and len(users) > 1:
            raise EditError(f"{name} is used by {', '.join(users)}; upstream removed {each.member} only here")
        self._entry(name, [*self._path(name), "values", each.member], "doc", "until", self._step.before)

    def _users(self, name: str) -> list[str]:
        wanted = json.dumps(f"#{name}")
        return [other for other, type_ in self._facts.items() if wanted in json.dumps(type_)]

    # --- variants ---

    def _add_variant(self, each: Difference) -> None:
        self._known(each.owner)
        type_ = json.loads(each.type)
        upstream = type_[1:] if isinstance(type_, str) else ""
        members = flat(self._table[upstream] if upstream else type_, self._table)[0]
        home, siblings = self._union_for(each, members)
        seen = [one for one in siblings if one.about.observed and self._agrees(_constants(one), members)]
        if seen:
            self._ask(
                "observed", upstream or each.place, f"{seen[0].name}, left as observed", "upstream declares it now"
            )
            return
        declared = self._model.declarations[home]
        nested = self._nested(upstream, declared, members) if isinstance(declared, Union) else None
        if nested is not None and siblings and siblings[0].section != "messages":
            is_new = self._drafts.drafted(nested) is None
            name = self._drafts.declared(nested)
            if is_new:
                self._placed[name] = self._file(home)
                self._join(home, name, each)
            return
        known = self._drafts.names.get(upstream) or self._drafts.drafted(upstream)
        if known is not None:
            self._join(home, known, each)
            return
        tags = list(dict.fromkeys(tag.key for one in siblings for tag in one.tags if tag.constant is not None))
        if isinstance(declared, Union) and any(one.name in self._requests for one in siblings):
            self._add_control(home, upstream, members, each)
            return
        name = self._drafts.name(upstream, upstream) if upstream else self._drafts.free(f"{home}Variant")
        self._drafts.struct(self._table[upstream] if upstream else type_, name, upstream or each.place, tags)
        if siblings and siblings[0].section == "messages":
            draft = self._drafts.new[name]
            draft.section = "messages"
            origins = list(dict.fromkeys(one.origin for one in siblings if one.origin))
            draft.lines.insert(0, f"from: {origins[0]}")
            if len(origins) > 1:
                self._ask("from", upstream or each.place, origins[0], *origins[1:])
        if upstream:
            self._drafts.keep(upstream, name)
        self._placed[name] = self._file(home)
        self._join(home, name, each)

    def _nested(self, upstream: str, home: Union, members: Mapping[str, Type]) -> str | None:
        """Return a new union of upstream that has a variant among others with the same value of the discriminator."""
        if home.by not in members:
            return None
        unions = (
            name
            for name, type_ in self._table.items()
            if name not in self._drafts.names
            and f"#{upstream}" in parts(type_)
            and all(one.get(home.by) == members[home.by] for one in objects_of(type_, self._table))
        )
        return next(unions, None)

    def _union_for(self, each: Difference, members: Mapping[str, Type]) -> tuple[str, list[Struct]]:
        """Return the union for a new variant and its structs: the innermost one whose constants the variant has."""
        start = self._model.declarations[each.owner]
        if isinstance(start, Struct):
            own = next((one for one in start.fields if one.name == each.member), None)
            named = [] if own is None else [self._model.declarations[name] for name in refs(own.type)]
            unions = [one for one in named if isinstance(one, Union)]
            start = unions[0] if len(unions) == 1 else start
        if not isinstance(start, Union):
            raise EditError(f"{each.owner} is not a union, so {each.upstream} cannot be added")
        home: Union = start
        while True:
            structs = [self._model.struct(name) for name in dict.fromkeys(structs_of(home.dispatch))]
            inner = [self._model.declarations[one.name] for one in home.variants]
            fitting = [
                one
                for one in inner
                if isinstance(one, Union) and self._agrees(self._common(one), members) and one.by in members
            ]
            if len(fitting) != 1:
                return home.name, structs
            home = fitting[0]

    def _common(self, declared: Union) -> dict[str, object]:
        """Return the constants that all structs of a union have."""
        structs = [self._model.struct(name) for name in dict.fromkeys(structs_of(declared.dispatch))]
        shared: list[set[tuple[str, object]]] = [{*_constants(one).items()} for one in structs]
        return dict(set.intersection(*shared)) if shared else {}

    def _agrees(self, constants: Mapping[str, object], members: Mapping[str, Type]) -> bool:
        return bool(constants) and all(members.get(name) == {"is": value} for name, value in constants.items())

    def _join(self, home: str, name: str, each: Difference) -> None:
        declared = self._model.declarations[home]
        if not isinstance(declared, Union):
            raise EditError(f"{name} would be a variant of {home}, which is not a union: {each.upstream}")
        if any(one.name == name for one in declared.variants):
            raise EditError(f"{name} is already a variant of {home}, with another constant: {each.upstream} upstream")
        path = [*self._path(home), "variants"]
        text = self._texts[self._file(home)]
        _, node = yamledit.find(text, path)
        if any(getattr(one, "value", None) == name for one in node.value):
            return
        known = name in self._model.declarations
        entry = f"{{name: {name}, since: {self._step.after}}}" if known else name
        if declared.by == "keys":
            entry = self._conditional(declared, name, entry, each)
        self._at(home, lambda text: yamledit.add(text, path, [f"- {entry}"], entry))

    def _conditional(self, declared: Union, name: str, entry: str, each: Difference) -> str:
        """Return the entry of a variant that is distinguished by keys, also from those added by this patch."""
        others = [Condition(one.has, one.lacks) for one in declared.variants] + self._conditions.get(declared.name, [])
        when = told_from(Keys.of(json.loads(each.type), self._table), others)
        if when is None:
            self._ask(
                "discriminator",
                each.place,
                "nothing",
                f"state under `when` the keys that identify {name}",
            )
            return entry
        self._conditions.setdefault(declared.name, []).append(when)
        row = when.row(name)
        self._ask("discriminator", each.place, row, "other keys that identify it")
        return row if entry == name else f"{row[:-1]}, since: {self._step.after}}}"

    def _add_control(self, home: str, upstream: str, members: Mapping[str, Type], each: Difference) -> None:
        """Draft a new request, whose response declarations do not show."""
        declared = self._model.declarations[home]
        by = declared.by if isinstance(declared, Union) else ""
        subtype = members.get(by)
        if not isinstance(subtype, dict) or "is" not in subtype:
            raise EditError(f"{upstream or each.upstream} has no constant {by}")
        name = str(subtype["is"])
        if any(each.key == name for each in self._model.controls):
            self._ask(
                "observed", upstream or each.place, "left as observed", f"upstream declares the request {name} now"
            )
            return
        rest = {member: type_ for member, type_ in members.items() if member != by}
        hint = "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_")) + "Request"
        lines = self._drafts.members(rest, hint, upstream or each.place, [], wholly_new=True, under="request")
        source = yamledit.text(self._drafts.source(upstream or each.place))
        answers = [one for one in self._table if upstream and one == upstream.removesuffix("Request") + "Response"]
        answer = self._drafts.declared(answers[0]) if answers else "none"
        target = f"targets: {{typescript: {{name: {upstream}}}}}"
        origins = list(dict.fromkeys(one.origin for one in self._model.controls))
        block = [
            f"{key(name)}:",
            *(
                f"  {line}"
                for line in (f"source: {source}", f"since: {self._step.after}", *([target] if upstream else []))
            ),
            f"  from: {origins[0]}",
            *(f"  {line}" for line in (lines or ["request: {}"])),
            f"  response: {answer}",
        ]
        file = next(one.place.file for one in self._model.controls)
        self._texts[file] = yamledit.add(self._texts[file], ["controls"], ["", *block], "")
        self._ask("from", upstream, origins[0], *origins[1:])
        self._ask(
            "answer",
            upstream,
            answer,
            "the type of the answer, or `T | none`; declarations do not state it",
        )
        self._ask("doc", upstream, "nothing", f"document the request {name}")

    def _end_variant(self, each: Difference) -> None:
        self._known(each.owner)
        name = each.member
        path = [*self._path(each.owner), "variants"]
        text = self._texts[self._file(each.owner)]
        if name in self._requests:
            self._entry(name, ["controls", self._requests[name]], "doc", "until", self._step.before)
            return
        _, node = yamledit.find(text, path)
        entry = next((one for one in node.value if getattr(one, "value", None) == name), None)
        if entry is None:
            raise EditError(f"{name} is not a plain variant of {each.owner}")
        put = f"{{name: {name}, until: {self._step.before}}}"
        self._texts[self._file(each.owner)] = text[: entry.start_mark.index] + put + text[entry.end_mark.index :]

    # --- declarations ---

    def _add_declaration(self, each: Difference) -> None:
        if self._drafts.known(each.place) is not None:
            return
        name = self._drafts.declared(each.place)
        self._ask(
            "use",
            each.place,
            f"declared as {name}",
            "refer to it from a tool, an answer or a root, or remove it",
        )

    def _end_declaration(self, each: Difference) -> None:
        """Do nothing: no reference to it is left, so it is dropped without an `until`."""

    def _place_drafts(self) -> None:
        for name, draft in self._drafts.new.items():
            file = self._placed.get(name) or self._kin(draft)
            self._texts[file] = _with_draft(self._texts[file], draft)

    def _kin(self, draft: Draft) -> str:
        """Return the file with the most declarations of the same source, for one that nothing in the spec refers to."""
        source = next(
            line.removeprefix("source: ").strip('"').split()[0] for line in draft.lines if line.startswith("source: ")
        )
        declared = self._model.declarations.values()
        same = Counter(each.place.file for each in declared if (each.about.source or "").startswith(source))
        files = same or Counter(each.place.file for each in declared)
        return files.most_common(1)[0][0]

    def _release(self) -> None:
        """Add the new release to the list of described releases."""
        file = next(name for name, text in self._texts.items() if yamledit.has(text, ["protocol", "name"]))
        text = self._texts[file]
        numbers = ["protocol", "announced", "versions"]
        if self._announced is not None and yamledit.has(text, numbers):
            row = f"{self._step.after}: {yamledit.key(self._announced)}"
            text = self._texts[file] = yamledit.add(text, numbers, [row], row)
        if yamledit.has(text, ["protocol", "versions"]):
            self._texts[file] = yamledit.add(
                text, ["protocol", "versions"], [f"- {self._step.after}"], self._step.after
            )
        else:
            text = yamledit.replace_key(text, ["protocol", "version"], "versions")
            both = f"[{self._step.before}, {self._step.after}]"
            self._texts[file] = yamledit.replace_value(text, ["protocol", "versions"], both)


def _constants(struct: Struct) -> dict[str, object]:
    return {tag.key: tag.constant for tag in struct.tags if tag.constant is not None}


def _both(each: Difference) -> str:
    return f"{each.upstream} upstream, {each.spec} in the spec"


def _module(module: str, snapshot: Snapshot) -> str:
    return f"{module.removeprefix('./')} {snapshot.packages.get(module, snapshot.release)}"


def _with_draft(text: str, draft: Draft) -> str:
    block = [f"{draft.name}:", *(f"  {line}" for line in draft.lines), ""]
    if yamledit.has(text, [draft.section]):
        return yamledit.add(text, [draft.section], ["", *block[:-1]], f"{draft.name}: {{}}")
    return (
        text.rstrip("\n")
        + "\n"
        + "\n".join(["", f"{draft.section}:", "", *(f"  {line}" if line else "" for line in block)])
    )
