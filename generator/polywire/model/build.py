"""`Source` → `Model`: collect declarations, apply overlays, resolve names and mixins, compute union decisions.

Building does not stop at the first fault: what cannot be resolved is reported and left out or replaced by `json`, so
that one run reports everything. Only a missing entry or an unreadable file prevents a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar, cast

from polywire.ground.finding import Finding
from polywire.ground.location import SourceLocation
from polywire.model import functions, launching, overlay, structs
from polywire.model.declared import (
    KINDS,
    STRUCTS,
    Item,
    Kind,
    about,
    collect,
    entries,
    examples,
    flag,
    listed,
    pointer,
    request_name,
    text,
    texts,
    twice,
    words,
)
from polywire.model.dispatch import BY_KEYS, Dispatcher, WrittenUnion, absent_tags, tag_order
from polywire.model.envelopes import check_control, control_protocol, discriminator, joined_union, side_of
from polywire.model.history import History, called_as_then
from polywire.model.join import as_newest, join, with_announcement, with_constructors, with_error_parts
from polywire.model.names import JSON, Names
from polywire.model.nodes import (
    FIRST_VERSION,
    About,
    Alias,
    Column,
    ColumnType,
    Control,
    Declaration,
    Enum,
    EnumValue,
    Framing,
    Model,
    Protocol,
    RowTable,
    Struct,
    Tag,
    Tool,
    Tree,
    Union,
    Variant,
)
from polywire.model.overlay_rebase import OverlayRebase
from polywire.model.parts import Parts
from polywire.model.reachability import narrowed, pruned, without_superseded
from polywire.model.releases import WHOLE, Span
from polywire.model.spans import announced, check_history, closed, release_of, releases_of
from polywire.model.structs import Context, MixinMemo, Mixins, Written
from polywire.model.tables import check_types, with_tables
from polywire.model.trees import with_trees
from polywire.model.walk import refs
from polywire.source import Source
from polywire.source.grammar import PACKAGES
from polywire.source.report import Faults
from polywire.source.tree import Listing, Node, Table, Text
from polywire.source.types import Type


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build. `findings` are from reading, the overlays and resolving, in file order."""

    model: Model | None
    findings: tuple[Finding, ...]


def build(source: Source, span: Span = WHOLE) -> Built:
    """Build the model of a spec: of one release, or the join of several, with the overlays that the source has.

    Raises `UnknownReleaseError` for a span that the spec does not describe.
    """
    return Builder(source).build(span)


class Builder:
    """Builds the models of a spec. Declarations that releases share are read once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._faults = Faults(source.findings)
        self._items = collect(source.parts, self._faults)
        header = source.entry.root.get("protocol") if source.entry else None
        self._header = header if isinstance(header, Table) else Table({})
        self.releases = releases_of(self._header, self._faults if isinstance(header, Table) else Faults())
        self._history = History(self._items, self.releases)
        check_history(self._items, self._header, self.releases, self._faults)
        self._memos: dict[tuple[tuple[str, str], ...], tuple[Memo, MixinMemo]] = {}

    def build(self, span: Span = WHOLE) -> Built:
        """Build the model of a span, with the findings in the spec and in that model.

        A faulty declaration is reported when it is first read. Raises `UnknownReleaseError`.
        """
        overlays = self._source.overlays
        chosen = (release_of(overlays, self.releases, self._faults),) if overlays else span.of(self.releases)
        faults = Faults(self._faults.found)
        model = self._at(chosen[0], faults) if len(chosen) == 1 else self._joined(chosen, faults)
        readable = self._source.complete and self._header.entries
        return Built(model if readable else None, faults.sorted(list(self._source.texts)))

    def _memo(self, called: Mapping[str, str]) -> tuple[Memo, MixinMemo]:
        return self._memos.setdefault(tuple(sorted(called.items())), ({}, {}))

    def _roots(self, release: str) -> tuple[Text, ...]:
        return self._history.names(self._header.get("roots") or Listing(()), release)

    def _elsewhere(self, items: Iterable[Item]) -> list[Item]:
        """The declarations that only other releases have."""
        there = {(item.space, item.name) for item in items}
        there |= {("names", request_name(item)) for item in items if item.section == "controls"}
        return [item for item in self._history.items if (item.space, item.name) not in there]

    def _at(self, release: str, faults: Faults) -> Model:
        """The protocol at a release, with the names of that release; overlays are applied to it."""
        called = self._history.names_at(release)
        here = self._history.at(release)
        items = called_as_then(here, called, faults) if called else here
        draft = overlay.Draft(items, roots=self._roots(release))
        for document in self._source.overlays:
            draft = overlay.apply(draft, document, faults)
        if draft.layers:
            draft = replace(draft, items=History(draft.items, self.releases).at(release))
        shared = self._memo(called) if not draft.layers else ({}, {})
        assembly = _Assembly(
            self._source, draft, self._header, faults, self._elsewhere([*here, *items]), called, shared
        )
        (parts,) = closed([(release, assembly.parts(), assembly.elsewhere)], self.releases, faults)
        model = assembly.model(parts, (release,))
        if len(self.releases.names) == 1:
            check_types(model, draft.items, faults)
            return with_tables(with_trees(model, whole=True), whole=True)
        model = with_error_parts(model, whole=False)
        model = with_constructors(model if draft.layers else pruned(model))
        return with_tables(with_trees(with_announcement(model, whole=False), whole=False), whole=False)

    def _joined(self, chosen: tuple[str, ...], faults: Faults) -> Model:
        """The join of the protocol over releases."""
        shared = self._memo({})
        views = []
        for release in chosen:
            here = self._history.at(release)
            draft = overlay.Draft(here, roots=self._roots(release))
            assembly = _Assembly(self._source, draft, self._header, faults, self._elsewhere(here), {}, shared)
            views.append((release, assembly.parts(), assembly.elsewhere))
        made = closed(views, self.releases, faults)
        items = self._history.over(chosen)
        assembly = _Assembly(
            self._source, overlay.Draft(items), self._header, faults, self._elsewhere(items), {}, shared
        )
        joined = join(made, faults)
        then = [(release, parts.structs) for release, parts in zip(chosen, made, strict=True)]
        joined = replace(joined, structs=launching.over(joined.structs, then))
        model = assembly.model(joined, chosen)
        newest = assembly.model(made[-1], chosen[-1:])
        whole = chosen == self.releases.names
        model = with_error_parts(as_newest(model, newest, whole=whole), whole=whole)
        model = without_superseded(model, made)
        if whole:
            check_types(model, items, faults)
        return with_tables(with_trees(with_announcement(model, whole=whole), whole=whole), whole=whole)


def packages_of(root: Table) -> Table:
    """The package metadata that applies to all targets."""
    stated = root.get("packages")
    return stated if isinstance(stated, Table) else Table({})


def words_of_packages(root: Table) -> Mapping[str, Mapping[str, str]]:
    """The package metadata of each target."""
    entries = (entry for entry in packages_of(root) if entry.key.text not in PACKAGES.keys)
    return MappingProxyType({entry.key.text: words(entry.value) for entry in entries})


Made = TypeVar("Made")
Memo: TypeAlias = "dict[tuple[int, str], tuple[object, Item]]"
"""What was built from each declaration, by the identity of its source."""

_NO_TEXT = "empty"
"""The name of the constant for the empty string, if the spec does not name it."""


class _Assembly:
    """The steps of resolving; each needs those before it."""

    def __init__(
        self,
        source: Source,
        draft: overlay.Draft,
        header: Table,
        faults: Faults,
        elsewhere: Iterable[Item],
        called: Mapping[str, str],
        shared: tuple[Memo, MixinMemo],
    ) -> None:
        """`elsewhere` has the declarations of other releases; `called` maps names to the names in this release.

        `shared` caches what was built from declarations in the releases before this one.
        """
        self._source = source
        self._draft = draft
        self._header = header
        self._root = source.entry.root if source.entry else Table({})
        self._faults = faults
        self._memo, self._mixins = shared
        self._items = draft.items
        self._requests = dict(self._request_names())
        known = list(elsewhere)
        kinds: dict[str, Kind] = {i.name: KINDS[i.section] for i in (*known, *self._items) if i.section in KINDS}
        kinds |= {request_name(i): "type" for i in known if i.section == "controls"}
        kinds |= dict.fromkeys(self._requests.values(), "type")
        there = {i.name for i in self._items if i.section in KINDS} | set(self._requests.values())
        self.elsewhere = frozenset(kinds.keys() - there)
        """Names that are declared, but not in this release."""
        here = {i.name for i in self._items if i.section == "controls"}
        self._other_controls = frozenset(i.name for i in known if i.section == "controls" and i.name not in here)
        enums = [i for i in (*known, *self._items) if i.section == "enums"]
        self._enums = {i.name: Enum(i.name, _base(i.body), flag(i.body, "open", default=True), ()) for i in enums}
        integers = {name for name, enum in self._enums.items() if enum.base == "integer"}
        self._names = Names(
            kinds, integers, faults, draft.removed, source.lost, called, self.elsewhere, source.strays,
            complete=source.complete,
        )  # fmt: skip

    def parts(self) -> Parts:
        """The declarations, before the decisions of unions are computed."""
        context = Context(
            names=self._names,
            faults=self._faults,
            samples=self._source.samples,
            enums=self._enums,
            peers=tuple(item.text for item in texts(self._header, "peers")),
            asked={i.name: self._asked(i) for i in self._items if i.section == "controls" and i.name in self._requests},
        )
        controls = {i.name: i for i in self._items if i.section == "controls" and i.name in self._requests}
        own = dict(self._structs(context, controls))
        mixins = Mixins(own, self._names, self._faults, self.elsewhere, self._mixins)
        resolved = {name: mixins.resolve(name) for name in own}
        return Parts(
            enums={i.name: self._once(i, self._enum) for i in self._items if i.section == "enums"},
            aliases={i.name: self._once(i, self._alias) for i in self._items if i.section == "aliases"},
            structs=resolved,
            unions=self._unions(resolved, controls),
            controls={key: self._once(item, self._control, "control") for key, item in controls.items()},
            tools={
                i.name: t for i in self._items if i.section == "tools" and self._has(t := self._once(i, self._tool))
            },
            trees={
                i.name: tree
                for i in self._items
                if i.section == "trees" and (tree := self._once(i, self._tree)) is not None
            },
            tables={i.name: self._once(i, self._table) for i in self._items if i.section == "tables"},
            roots=tuple(self._roots()),
        )

    def _has(self, tool: Tool) -> bool:
        """Whether a tool exists at this release: it does not if the type of its input does not."""
        return self.elsewhere.isdisjoint(refs(tool.input))

    def _once(self, item: Item, make: Callable[[Item], Made], part: str = "") -> Made:
        """Build something from a declaration, once for all releases that share the declaration."""
        found = self._memo.get((id(item), part))
        if found is None:
            found = self._memo[id(item), part] = make(item), item  # keeps the item alive, so no other gets its id
        return cast("Made", found[0])

    def model(self, parts: Parts, chosen: tuple[str, ...]) -> Model:
        """The model of declarations of one release, or of joined ones."""
        aliases = {name: alias.type for name, alias in parts.aliases.items()}
        parts = replace(parts, structs={n: structs.with_nulls(s, aliases) for n, s in parts.structs.items()})
        controls = tuple(parts.controls.values())
        model = Model(
            protocol=self._protocol(parts, chosen),
            packages=words_of_packages(self._root),
            declarations={},
            controls=controls,
            tools=tuple(parts.tools.values()),
            spec_hash=self._source.spec_hash,
            dialect=self._source.dialect,
            renamed=overlay.renamed(self._draft),
            headings=MappingProxyType(dict(self._headings())),
        )
        if model.protocol.control is None and self._header.get("control") is not None:
            model = replace(model, controls=() if self.elsewhere else model.controls)
        if self._draft.layers:
            model, kept = narrowed(model, parts.graph(), self._places(), self._draft, self._faults)
            parts = replace(
                parts,
                enums={name: enum for name, enum in parts.enums.items() if name in kept},
                aliases={name: alias for name, alias in parts.aliases.items() if name in kept},
                structs={name: struct for name, struct in parts.structs.items() if name in kept},
                unions={name: union for name, union in parts.unions.items() if name in kept},
            )
        finished, dispatched = self._dispatch(parts.unions, parts.structs, parts.enums)
        declarations = self._in_order({**parts.enums, **parts.aliases, **finished, **dispatched})
        structs.check_flatten(declarations, self._faults)
        rebase = OverlayRebase(self._draft, declarations, self._faults)
        return replace(
            model,
            protocol=rebase.of_protocol(model.protocol),
            controls=rebase.of_controls(model.controls),
            trees=rebase.of_trees(parts.trees.values()),
            tables=rebase.of_tables(parts.tables.values()),
            declarations=MappingProxyType(functions.typed(rebase.of_declarations(controls), controls)),
        )

    def _headings(self) -> Iterator[tuple[tuple[str, str], SourceLocation]]:
        for entry in (*self._header, *(each for part in self._source.parts for each in part.root)):
            yield (entry.key.place.file, entry.key.text), entry.key.place

    def _places(self) -> dict[str, SourceLocation]:
        """The location of each declaration; the request type of a control has that of the control."""
        return {
            self._requests[i.name] if i.section == "controls" else i.name: i.key.place
            for i in self._items
            if i.section in KINDS or (i.section == "controls" and i.name in self._requests)
        }

    # --- enums, aliases, types ---

    def _enum(self, item: Item) -> Enum:
        base = _base(item.body)
        values = tuple(v for e in entries(item.body, "values") if (v := self._value(e.key, e.value, base)) is not None)
        return Enum(
            name=item.name,
            base=base,
            open=flag(item.body, "open", default=True),
            values=values,
            about=about(item.body),
            examples=examples(item.body, self._source.samples),
            place=item.key.place,
        )

    def _value(self, key: Text, node: Node, base: str) -> EnumValue | None:
        if isinstance(node, Text):
            body, described = Table({}), About(doc=node.text)
        else:
            body = cast("Table", node)
            described = about(body)
        given = text(body, "value")
        if base == "string" and given is None:
            return EnumValue(key.text or _NO_TEXT, key.text, described, key.place)
        if base == "integer" and given is not None:
            return EnumValue(key.text, int(given), described, key.place)
        if base == "string":
            self._faults.add(
                "wrong-kind",
                key.place,
                f"`{key.text}` has a `value`, but the enum is one of strings",
                "add `base: integer`, or remove `value`",
            )
            return EnumValue(key.text, key.text, described, key.place)
        if "value" not in body.entries:
            self._faults.add(
                "missing-key", key.place, f"`{key.text}` is missing `value`, its representation on the wire"
            )
        return None

    def _alias(self, item: Item) -> Alias:
        written = item.body.get("type")
        return Alias(
            name=item.name,
            type=self._names.type(written) if isinstance(written, Text) else JSON,
            about=about(item.body),
            examples=examples(item.body, self._source.samples),
            place=item.key.place,
        )

    def _asked(self, item: Item) -> tuple[Text, Text | None]:
        """The types of a request and of its response, as texts."""
        response = item.body.get("response")
        request = Text(self._requests[item.name], place=item.key.place)
        return request, response if isinstance(response, Text) and response.text != "none" else None

    def _structs(self, context: Context, controls: Mapping[str, Item]) -> Iterator[tuple[str, Written]]:
        for item in self._items:
            if item.section in STRUCTS:
                yield item.name, self._once(item, partial(_read, context))
        for key, item in controls.items():
            yield self._requests[key], self._once(item, partial(self._asking, context))

    def _asking(self, context: Context, item: Item) -> Written:
        check_control(item, self._faults)
        return Written(self._request(item, context), ())

    # --- controls and tools ---

    def _request_names(self) -> Iterator[tuple[str, str]]:
        """The name of each control's request type."""
        declared = {i.name: i.key for i in self._items if i.section in KINDS}
        for item in self._items:
            if item.section == "controls":
                name = request_name(item)
                key = Text(name, place=item.key.place)
                if not name[0].isalpha() or not name.isascii():
                    self._faults.add(
                        "bad-name", key.place, f"`{item.name}` cannot be turned into a name", "give it a `name`"
                    )
                elif name in declared:
                    twice(key, declared[name], self._faults)
                else:
                    declared[name] = key
                    yield item.name, name

    def _request(self, item: Item, context: Context) -> Struct:
        side = side_of(item)
        by = discriminator(self._header, side)
        tags = (Tag(by, constant=text(item.body, "tag") or item.name, place=item.key.place),) if by is not None else ()
        own = structs.fields(item.body, side, context)
        for field in own:
            if field.name == by:
                what = "request" if side == "request" else "notification"
                self._faults.add("duplicate-name", field.place, f"`{by}` is the tag of every {what}")
        return Struct(
            name=self._requests[item.name],
            section="controls",
            tags=tags,
            fields=tuple(f for f in own if f.name != by),
            origin=structs.origin(item.body, context),
            constructors=structs.constructors(item.body),
            examples=examples(item.body, self._source.samples),
            about=replace(about(item.body), name=None),
            place=item.key.place,
        )

    def _control(self, item: Item) -> Control:
        written = item.body.get("response")
        response, optional = self._names.answer(written) if isinstance(written, Text) else (None, False)
        error = item.body.get("error")
        return Control(
            key=item.name,
            origin=text(item.body, "from") or "both",
            request=self._requests[item.name],
            response=response,
            response_optional=optional,
            error=self._names.type(error) if isinstance(error, Text) else None,
            fill=tuple(
                (pointer(each.key.text), pointer(each.value.text))
                for each in entries(item.body, "fill")
                if isinstance(each.value, Text)
            ),
            is_notification=side_of(item) == "notify",
            about=about(item.body),
            place=item.key.place,
        )

    def _tool(self, item: Item) -> Tool:
        return Tool(
            pattern=item.name,
            input=self._side(item.body.get("input")),
            output=self._side(item.body.get("output")),
            about=about(item.body),
            place=item.key.place,
        )

    def _tree(self, item: Item) -> Tree | None:
        lines = item.body.get("lines")
        if not isinstance(lines, Text) or not self._names.is_a(lines, ("type", "union"), "an entry of a tree"):
            return None
        ways = {key: text(item.body, key) for key in ("id", "parent", "attached", "previous")}
        return Tree(
            name=item.name,
            lines=self._names.called(lines.text),
            id=pointer(ways["id"] or ""),
            parent=pointer(ways["parent"] or ""),
            attached=None if ways["attached"] is None else pointer(ways["attached"]),
            previous=None if ways["previous"] is None else pointer(ways["previous"]),
            about=about(item.body),
            place=item.key.place,
        )

    def _table(self, item: Item) -> RowTable:
        types = item.body.get("is")
        return RowTable(
            name=item.name,
            lines=tuple(self._types_of(item.body.get("lines"), "a line of a table")),
            columns=tuple(_column(entry.key, entry.value) for entry in entries(item.body, "columns")),
            rows=pointer(text(item.body, "rows") or ""),
            types=None if types is None else tuple(self._types_of(types, "the value of a row")),
            unique=tuple(name.text for name in texts(item.body, "unique")),
            about=about(item.body),
            place=item.key.place,
        )

    def _types_of(self, written: Node | None, use: str) -> Iterator[str]:
        """The types that a table names: one, or a list of them."""
        for name in written.items if isinstance(written, Listing) else (written,):
            if isinstance(name, Text) and not self._gone(name) and self._names.is_a(name, ("type", "union"), use):
                yield self._names.called(name.text)

    def _side(self, written: Node | None) -> Type | None:
        """The type of an input or output; None at a release that has none."""
        if not isinstance(written, Text):
            return None
        type_, optional = self._names.answer(written)
        if optional:
            message = "the input or output of a tool is missing a type at this release"
            self._faults.add("bad-type", written.place, message, "write `none`, or the type")
        return type_

    # --- unions ---

    def _unions(self, resolved: Mapping[str, Struct], controls: Mapping[str, Item]) -> dict[str, WrittenUnion]:
        unions = {i.name: self._there(self._once(i, self._union)) for i in self._items if i.section == "unions"}
        changes = overlay.Changes(self._draft.fields, resolved)
        for side in ("request", "notify"):
            own = [item for item in controls.values() if side_of(item) == side]
            union = joined_union(side, self._header, resolved, unions, own, changes, self._names, self._faults)
            if union is not None:
                joined = tuple(Variant(self._requests[item.name], place=item.key.place) for item in own)
                unions[union] = replace(unions[union], variants=(*unions[union].variants, *joined))
        return unions

    def _there(self, union: WrittenUnion) -> WrittenUnion:
        """The union without the variants and the views of its Unknown that this release does not have."""
        if self.elsewhere.isdisjoint((*union.views, *(variant.name for variant in union.variants))):
            return union
        return replace(
            union,
            variants=tuple(v for v in union.variants if v.name not in self.elsewhere),
            views=tuple(name for name in union.views if name not in self.elsewhere),
        )

    def _union(self, item: Item) -> WrittenUnion:
        described = about(item.body)
        by = text(item.body, "by")
        return WrittenUnion(
            name=item.name,
            open=flag(item.body, "open", default=True),
            by=by or "",
            variants=tuple(self._variants(item, by)) if by else (),
            unknown=_unknown(item.body) or f"Unknown{described.name or item.name}",
            views=tuple(self._views(item.body.get("unknown"))),
            about=described,
            place=item.key.place,
            examples=examples(item.body, self._source.samples),
        )

    def _views(self, unknown: Node | None) -> Iterator[str]:
        """The types whose fields the Unknown gives access to."""
        for name in texts(unknown, "include") if isinstance(unknown, Table) else ():
            if self._names.is_a(name, ("type",), "what is included"):
                yield self._names.called(name.text)

    def _variants(self, item: Item, by: str) -> Iterator[Variant]:
        seen: dict[str, Text] = {}
        for node in listed(item.body, "variants"):
            name = node.get("name") if isinstance(node, Table) else node
            if not isinstance(name, Text) or self._gone(name):
                continue
            if not self._names.is_a(name, ("type", "union"), "a variant"):
                continue
            if seen.setdefault(name.text, name) is not name:
                self._faults.add("duplicate-name", name.place, f"`{name.text}` is already a variant of {item.name}")
                continue
            yield self._variant(name, node, by)

    def _gone(self, name: Text) -> bool:
        """Whether an overlay removed the declaration, and so also the variants written before that overlay."""
        removed = self._draft.removed.get(name.text)
        height = self._draft.height
        return removed is not None and name.text not in self._names.kinds and height(removed) > height(name.place)

    def _variant(self, name: Text, node: Node, by: str) -> Variant:
        if not isinstance(node, Table):
            return Variant(self._names.called(name.text), place=name.place)
        when = node.get("when")
        if isinstance(when, Table) and by != BY_KEYS:
            place = node.entries["when"].key.place
            self._faults.add("wrong-kind", place, "`when` requires a union with `by: keys`", f"this one has `by: {by}`")
            when = None
        keys = when if isinstance(when, Table) else Table({})
        return Variant(
            name=self._names.called(name.text),
            has=tuple(key.text for key in texts(keys, "has")),
            lacks=tuple(key.text for key in texts(keys, "lacks")),
            about=replace(about(node), name=None),
            place=name.place,
        )

    def _dispatch(
        self, unions: Mapping[str, WrittenUnion], resolved: Mapping[str, Struct], enums: Mapping[str, Enum]
    ) -> tuple[dict[str, Struct], dict[str, Union]]:
        decisions = Dispatcher(unions, resolved, enums, self._faults).all()
        absent, order = absent_tags(decisions, resolved), tag_order(decisions.values())
        finished = {
            name: structs.complete(
                struct, _ordered(struct.tags, order.get(name, ())), absent.get(name, {}), self._faults
            )
            for name, struct in resolved.items()
        }
        dispatched = {
            name: Union(
                name=name,
                open=union.open,
                by=union.by,
                variants=union.variants,
                unknown=union.unknown,
                dispatch=decisions[name],
                views=union.views,
                about=union.about,
                examples=union.examples,
                place=union.place,
            )
            for name, union in unions.items()
        }
        return finished, dispatched

    # --- the whole model ---

    def _in_order(self, made: Mapping[str, Declaration]) -> dict[str, Declaration]:
        names = (self._requests.get(i.name, "") if i.section == "controls" else i.name for i in self._items)
        return {name: made[name] for name in names if name in made}

    def _protocol(self, parts: Parts, chosen: tuple[str, ...]) -> Protocol:
        header, overlays = self._header, self._source.overlays
        packages = packages_of(self._root)
        sent = {key: control.request for key, control in parts.controls.items() if control.is_notification}
        control = control_protocol(header, sent, self._other_controls, self._names, self._faults)
        return Protocol(
            name=text(header, "name") or "",
            title=text(header, "title") or "",
            version=chosen[-1],
            framing=cast("Framing", text(header, "framing") or "ndjson"),
            peers=tuple(item.text for item in texts(header, "peers")),
            roots=parts.roots,
            control=control,
            about=replace(about(overlays[-1].root if overlays else header), name=None),
            oldest=chosen[0] if len(chosen) > 1 else None,
            releases=chosen,
            announced=announced(header, chosen, self._names, parts.structs),
            package_version=text(packages, "version") or FIRST_VERSION,
            license=text(packages, "license"),
            license_text=self._source.license,
            changes=tuple(
                (e.key.text, e.value.text) for e in entries(packages, "changes") if isinstance(e.value, Text)
            ),
        )

    def _roots(self) -> Iterator[str]:
        for name in self._draft.roots if self._draft.roots is not None else ():
            declared = self._names.is_a(name, ("type", "union", "alias", "enum"), "a root")
            if declared and self._names.is_there(name.text):
                yield self._names.called(name.text)


def _base(body: Table) -> Literal["string", "integer"]:
    return "integer" if text(body, "base") == "integer" else "string"


def _column(key: Text, node: Node) -> Column:
    """A column of a table; the short form is only its place."""
    body = node if isinstance(node, Table) else Table({})
    at = (node.text if isinstance(node, Text) else text(body, "at")) or ""
    of_line = at.startswith("/")
    return Column(
        name=key.text,
        at=pointer(at if of_line or not at else f"/{at}"),
        of_line=of_line,
        key=flag(body, "key"),
        type=cast("ColumnType | None", text(body, "type")),
        about=about(body),
        place=key.place,
    )


def _read(context: Context, item: Item) -> Written:
    return structs.read(item.key, item.body, STRUCTS[item.section], context)


def _ordered(tags: tuple[Tag, ...], way: tuple[str, ...]) -> tuple[Tag, ...]:
    """Discriminators in the order in which they are read, then the other tags."""
    rank = {key: n for n, key in reversed(list(enumerate(way)))}
    return tuple(sorted(tags, key=lambda tag: rank.get(tag.key, len(way))))


def _unknown(union: Table) -> str | None:
    """The name of a union's Unknown, given in the short or the long form."""
    written = union.get("unknown")
    return text(written, "name") if isinstance(written, Table) else text(union, "unknown")
