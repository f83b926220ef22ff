"""Adapts pointers and examples, written for the declarations of the spec proper, to the changes of overlays.

A pointer follows renamed fields, and omits fields that are now flattened. One that leads through a removed field is an
error of the overlay, except for a value that a constructor sets: that is removed with the field. An example of the spec
proper is left out if the dialect changes the declaration that it illustrates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from polywire.model.nodes import (
    Callback,
    Column,
    Constructor,
    Control,
    ControlProtocol,
    Declaration,
    Envelope,
    ErrorEnvelope,
    Example,
    Pointer,
    Protocol,
    RowTable,
    Struct,
    Tree,
    Union,
    When,
)
from polywire.model.overlay import Changes, Draft, Renaming
from polywire.model.walk import alternatives, refs, structs_of, uses
from polywire.source.report import Faults
from polywire.source.types import Array, Map, Ref, TupleType, Type


class OverlayRebase:
    """Adapts declarations to the overlays that were applied; without overlays it changes nothing."""

    def __init__(self, draft: Draft, declarations: Mapping[str, Declaration], faults: Faults) -> None:
        self._draft = draft
        self._declarations = declarations
        self._faults = faults
        self._changes = Changes(draft.fields, declarations)
        self._outdated = [_reaching(layer.touched, declarations) for layer in draft.layers]

    def of_protocol(self, protocol: Protocol) -> Protocol:
        if not self._draft.fields:
            return protocol
        return replace(protocol, control=self._control(protocol.control))

    def of_controls(self, controls: Sequence[Control]) -> tuple[Control, ...]:
        if not self._draft.fields:
            return tuple(controls)
        return tuple(replace(each, fill=tuple(self._filled(each))) for each in controls)

    def of_trees(self, trees: Iterable[Tree]) -> tuple[Tree, ...]:
        if not self._draft.fields:
            return tuple(trees)
        return tuple(self._tree(each) for each in trees if each.lines in self._declarations)

    def of_tables(self, tables: Iterable[RowTable]) -> tuple[RowTable, ...]:
        if not self._draft.layers:
            return tuple(tables)
        return tuple(found for each in tables if (found := self._table(each)) is not None)

    def of_declarations(self, controls: Sequence[Control]) -> dict[str, Declaration]:
        if not self._draft.layers:
            return dict(self._declarations)
        requests = {each.key: each for each in controls}
        return {name: self._declaration(declared, requests) for name, declared in self._declarations.items()}

    # --- pointers ---

    def _control(self, control: ControlProtocol | None) -> ControlProtocol | None:
        if control is None:
            return None
        error, cancel = control.error, control.cancel
        return replace(
            control,
            request=self._envelope(control.request),
            notify=None if control.notify is None else self._envelope(control.notify),
            response=self._envelope(control.response),
            error=None if error is None else self._error(error),
            cancel=None if cancel is None else replace(cancel, id=self._moved(cancel.struct, cancel.id)),
        )

    def _envelope(self, form: Envelope) -> Envelope:
        struct = form.struct
        return replace(
            form,
            id=self._moved(struct, form.id),
            payload=self._moved(struct, form.payload),
            when=self._conditions(struct, form.when),
        )

    def _error(self, form: ErrorEnvelope) -> ErrorEnvelope:
        struct = form.struct
        return replace(
            form,
            id=self._moved(struct, form.id),
            message=self._moved(struct, form.message),
            code=None if form.code is None else self._moved(struct, form.code),
            data=None if form.data is None else self._moved(struct, form.data),
            when=self._conditions(struct, form.when),
        )

    def _conditions(self, struct: str, when: When) -> When:
        """The conditions after renaming, without those on members that the dialect lacks."""
        moved = ((self._moved(struct, way), value) for way, value in when)
        return tuple((way, value) for way, value in moved if self._exists(struct, way))

    def _exists(self, struct: str, way: Pointer) -> bool:
        at = list(self._structs(Ref(struct), frozenset()))
        for key in way[:-1]:
            types = [field.type for each in at for field in each.fields if field.name == key]
            at = [inner for type_ in types for inner in self._structs(type_, frozenset())]
        return any(way[-1] in _keys(each) for each in at)

    def _structs(self, type_: Type, seen: frozenset[str]) -> Iterator[Struct]:
        """The structs that a type may be, and the structs of their flattened fields."""
        for each in self._inside(type_):
            if isinstance(each, Struct) and each.name not in seen:
                yield each
                for field in each.fields:
                    if field.flatten:
                        yield from self._structs(field.type, seen | {each.name})

    def _moved(self, struct: str, way: Pointer) -> Pointer:
        """A form's pointer after renaming; if it leads nowhere, which is reported, it stays unchanged."""
        found = self._pointer(Ref(struct), way, f"the envelope of {struct}")
        return way if found is None else found

    def _filled(self, control: Control) -> Iterator[tuple[Pointer, Pointer]]:
        """What is filled in a result, without members that the dialect lacks."""
        for at, source in control.fill:
            ways = self._pointer(control.response, at, use=None), self._pointer(Ref(control.request), source, use=None)
            if ways[0] is not None and ways[1] is not None:
                yield ways[0], ways[1]

    def _tree(self, tree: Tree) -> Tree:
        """A tree after renaming, without what the dialect lacks; an id and a parent it must have."""
        if self._draft.height(tree.place) == len(self._draft.layers):
            return tree
        lines, use = Ref(tree.lines), f"the tree {tree.name}"
        return replace(
            tree,
            id=self._pointer(lines, tree.id, use) or tree.id,
            parent=self._pointer(lines, tree.parent, use) or tree.parent,
            attached=tree.attached and self._pointer(lines, tree.attached, use=None),
            previous=tree.previous and self._pointer(lines, tree.previous, use=None),
        )

    def _table(self, table: RowTable) -> RowTable | None:
        """A table after renaming, without columns of removed members; None if nothing of it remains."""
        own = self._draft.height(table.place) == len(self._draft.layers)
        lines = table.lines if own else tuple(name for name in table.lines if name in self._declarations)
        at = [inside for name in lines for inside in self._inside(Ref(name))]
        found = (table.rows, at) if own else self._way(at, table.rows, use=None)
        if not lines or found is None:
            return None
        rows, values = found
        types = table.types
        if types is not None and not own:
            types = tuple(name for name in types if name in self._declarations)
        columns = tuple(each for column in table.columns if (each := self._column(column, at, values)) is not None)
        kept = {each.name for each in columns}
        unique = table.unique if own or kept.issuperset(table.unique) else ()
        if not columns or types == ():
            return None
        return replace(table, lines=lines, rows=rows, types=types, columns=columns, unique=unique)

    def _column(self, column: Column, line: Sequence[Struct | Type], value: Sequence[Struct | Type]) -> Column | None:
        if self._draft.height(column.place) == len(self._draft.layers):
            return column
        found = self._way(line if column.of_line else value, column.at, use=None)
        return None if found is None else replace(column, at=found[0])

    def _callback(self, call: Callback, control: Control) -> Callback:
        """A function after renaming, without parameters that the dialect lacks."""
        request, use = Ref(control.request), "a function"
        ways = ((each, each.at and self._pointer(request, each.at, use=None)) for each in call.params)
        return replace(
            call,
            params=tuple(replace(each, at=way) for each, way in ways if way is not None),
            id=call.id and self._pointer(request, call.id, use),
            result=self._pointer(control.response, call.result, use) or (),
        )

    def _constructor(self, struct: str, made: Constructor) -> Constructor:
        if self._draft.height(made.place) == len(self._draft.layers):
            return made
        use = f"the constructor {made.name}"
        ways = ((param, self._pointer(Ref(struct), param.pointer, use)) for param in made.params)
        fixed = ((self._pointer(Ref(struct), way, use=None), value) for way, value in made.set)
        return replace(
            made,
            params=tuple(replace(param, pointer=way) for param, way in ways if way is not None),
            set=tuple((way, value) for way, value in fixed if way is not None),
        )

    def _pointer(self, type_: Type | None, pointer: Pointer, use: str | None) -> Pointer | None:
        """The pointer after renaming; None if it leads through a removed field, with a finding if there is a `use`."""
        found = self._way([*self._inside(type_)], pointer, use)
        return None if found is None else found[0]

    def _way(
        self, at: Sequence[Struct | Type], pointer: Pointer, use: str | None
    ) -> tuple[Pointer, Sequence[Struct | Type]] | None:
        """The same from the structs and types where a pointer starts, with those where it ends."""
        way: list[str] = []
        for key in pointer:
            renaming = self._renaming(at, key)
            if renaming is not None and renaming.name is None:
                if use is not None:
                    self._faults.add("removed-in-use", renaming.place, f"`{key}` is removed here, but {use} needs it")
                return None
            now = key if renaming is None or renaming.name is None else renaming.name
            if not any(_is_flat(each, now) for each in at):
                way.append(now)
            at = [inner for each in at for inner in self._inside(_step(each, now))]
        return tuple(way), at

    def _renaming(self, at: Sequence[Struct | Type], key: str) -> Renaming | None:
        """The renaming of a field that one of the structs had; None if one still has it."""
        structs = [each for each in at if isinstance(each, Struct)]
        if any(field.name == key for struct in structs for field in struct.fields):
            return None
        return next((found for struct in structs if (found := self._changes.of(struct, key)) is not None), None)

    def _inside(self, at: Type | None) -> Iterator[Struct | Type]:
        """The structs that a type may be, and its other alternatives."""
        for found in () if at is None else alternatives(at, self._declarations):
            match self._declarations.get(found.name) if isinstance(found, Ref) else None:
                case Struct() as struct:
                    yield struct
                case Union(dispatch=dispatch):
                    yield from (s for name in structs_of(dispatch) if isinstance(s := self._declarations[name], Struct))
                case _:
                    yield found

    # --- examples ---

    def _declaration(self, declared: Declaration, controls: Mapping[str, Control]) -> Declaration:
        kept = self._kept(declared.examples, {declared.name})
        if not isinstance(declared, Struct):
            return declared if kept == declared.examples else replace(declared, examples=kept)
        fields = tuple(
            replace(f, examples=self._kept(f.examples, {declared.name, *refs(f.type)})) if f.examples else f
            for f in declared.fields
        )
        fields = tuple(
            replace(f, callback=self._callback(f.callback, controls[f.callback.answers]))
            if f.callback is not None and f.callback.answers is not None
            else f
            for f in fields
        )
        made = tuple(self._constructor(declared.name, c) for c in declared.constructors)
        return replace(declared, examples=kept, fields=fields, constructors=made)

    def _kept(self, examples: Sequence[Example], names: set[str]) -> tuple[Example, ...]:
        """The examples that were written after the last change of any declaration in `names`."""
        changed = max((n for n, outdated in enumerate(self._outdated, 1) if outdated & names), default=0)
        return tuple(e for e in examples if self._draft.height(e.place) >= changed)


def _keys(struct: Struct) -> set[str]:
    keys = {tag.key for tag in struct.tags} | {const.key for const in struct.consts}
    return keys.union(field.name for field in struct.fields)


def _is_flat(at: Struct | Type, key: str) -> bool:
    """Whether the field is flattened, so that a pointer does not contain its key."""
    return isinstance(at, Struct) and any(f.name == key and f.flatten for f in at.fields)


def _step(at: Struct | Type, key: str) -> Type | None:
    """The type under a key."""
    match at:
        case Struct():
            return next((f.type for f in at.fields if f.name == key), at.extra)
        case Array():
            return at.item
        case Map():
            return at.value
        case TupleType(items=items) if key.isdecimal() and int(key) < len(items):
            return items[int(key)]
        case _:
            return None


def _reaching(touched: Iterable[str], declarations: Mapping[str, Declaration]) -> frozenset[str]:
    """The touched declarations, and every declaration that uses one of them, directly or indirectly."""
    users: dict[str, list[str]] = {}
    for name, declared in declarations.items() if touched else ():
        for used in uses(declared):
            users.setdefault(used, []).append(name)
    found = set(touched)
    left = list(touched)
    while left:
        new = [user for user in users.get(left.pop(), ()) if user not in found]
        found.update(new)
        left.extend(new)
    return frozenset(found)
