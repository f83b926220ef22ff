"""`Source` → `Model`: declarations collected, the overlay applied, names and mixins resolved, unions worked out.

Nothing stops at the first fault: what cannot be resolved is reported and left out or replaced by `json`, so that one
run tells of everything. Only without an entry, or with a file that could not be read, is there no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from polywire.finding import Finding
from polywire.model import overlay, structs
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
    request_name,
    text,
    texts,
    twice,
    words,
)
from polywire.model.dispatch import BY_KEYS, Dispatcher, WrittenUnion, absent_tags, tag_order
from polywire.model.envelopes import check_control, control_protocol, discriminator, joined_union, side_of
from polywire.model.names import JSON, Names
from polywire.model.nodes import (
    About,
    Alias,
    Control,
    Declaration,
    Enum,
    EnumValue,
    Model,
    Protocol,
    SourceLocation,
    Struct,
    Tag,
    Tool,
    Union,
    Variant,
)
from polywire.model.overlay_rebase import OverlayRebase
from polywire.model.reachability import narrowed
from polywire.model.structs import Context, Mixins, Written
from polywire.model.walk import uses
from polywire.source import Source
from polywire.source.report import Faults
from polywire.source.tree import Node, Table, Text


@dataclass(frozen=True, slots=True)
class Built:
    """What a source comes to. `findings` are those of reading, of the overlay and of resolving, in file order."""

    model: Model | None
    findings: tuple[Finding, ...]


def build(source: Source) -> Built:
    """The model of a spec, with the overlay applied if one was loaded."""
    faults = Faults(source.findings)
    draft = overlay.Draft(collect(source.parts, faults))
    for document in source.overlays:
        draft = overlay.apply(draft, document, faults)
    model = _model(source, draft, faults)
    return Built(model if source.complete else None, faults.sorted(list(source.texts)))


def _model(source: Source, draft: overlay.Draft, faults: Faults) -> Model | None:
    header = source.entry.root.get("protocol") if source.entry else None
    if source.entry is None or not isinstance(header, Table):
        return None
    builder = _Builder(source, draft, header, faults)
    return builder.run(words_of_packages(source.entry.root))


def words_of_packages(root: Table) -> Mapping[str, Mapping[str, str]]:
    return MappingProxyType({e.key.text: words(e.value) for e in entries(root, "packages")})


_NO_TEXT = "empty"
"""What the constant of the empty text is called, if the spec gives it no name."""


class _Builder:
    """The steps of resolving, each of which needs those before it."""

    def __init__(self, source: Source, draft: overlay.Draft, header: Table, faults: Faults) -> None:
        self._source = source
        self._draft = draft
        self._header = header
        self._faults = faults
        self._items = draft.items
        self._requests = dict(self._request_names())
        kinds: dict[str, Kind] = {i.name: KINDS[i.section] for i in self._items if i.section in KINDS}
        kinds |= dict.fromkeys(self._requests.values(), "type")
        integers = {i.name for i in self._items if i.section == "enums" and text(i.body, "base") == "integer"}
        self._names = Names(kinds, integers, faults, draft.removed, source.lost, complete=source.complete)

    def run(self, packages: Mapping[str, Mapping[str, str]]) -> Model:
        enums = {i.name: self._enum(i) for i in self._items if i.section == "enums"}
        aliases = {i.name: self._alias(i) for i in self._items if i.section == "aliases"}
        context = Context(
            names=self._names,
            faults=self._faults,
            samples=self._source.samples,
            enums=enums,
            aliases={name: alias.type for name, alias in aliases.items()},
            peers=tuple(item.text for item in texts(self._header, "peers")),
        )
        controls = {i.name: i for i in self._items if i.section == "controls" and i.name in self._requests}
        own = dict(self._structs(context, controls))
        mixins = Mixins(own, self._names, self._faults)
        resolved = {name: mixins.resolve(name) for name in own}
        unions = self._unions(resolved, controls)
        model = Model(
            protocol=self._protocol(),
            packages=packages,
            declarations={},
            controls=tuple(self._control(item) for item in controls.values()),
            tools=tuple(self._tool(i) for i in self._items if i.section == "tools"),
            spec_hash=self._source.spec_hash,
            dialect=self._source.dialect,
            renamed=overlay.renamed(self._draft),
            headings=MappingProxyType(dict(self._headings())),
        )
        if self._draft.layers:
            named: dict[str, Declaration] = {**enums, **aliases, **resolved}
            graph = {name: uses(declared) for name, declared in named.items()}
            graph |= {name: (variant.name for variant in union.variants) for name, union in unions.items()}
            model, kept = narrowed(model, graph, self._places(), self._draft, self._faults)
            resolved = {name: struct for name, struct in resolved.items() if name in kept}
            unions = {name: union for name, union in unions.items() if name in kept}
            enums = {name: enum for name, enum in enums.items() if name in kept}
            aliases = {name: alias for name, alias in aliases.items() if name in kept}
        finished, dispatched = self._dispatch(unions, resolved, enums)
        declarations = self._in_order({**enums, **aliases, **finished, **dispatched})
        structs.check_flatten(declarations, self._faults)
        rebase = OverlayRebase(self._draft, declarations, self._faults)
        return replace(
            model,
            protocol=rebase.of_protocol(model.protocol),
            declarations=MappingProxyType(rebase.of_declarations()),
        )

    def _headings(self) -> Iterator[tuple[tuple[str, str], SourceLocation]]:
        for entry in (*self._header, *(each for part in self._source.parts for each in part.root)):
            yield (entry.key.place.file, entry.key.text), entry.key.place

    def _places(self) -> dict[str, SourceLocation]:
        """Where each declaration is written; the request type of a control is written with it."""
        return {
            self._requests[i.name] if i.section == "controls" else i.name: i.key.place
            for i in self._items
            if i.section in KINDS or (i.section == "controls" and i.name in self._requests)
        }

    # --- enums, aliases, types ---

    def _enum(self, item: Item) -> Enum:
        base = "integer" if text(item.body, "base") == "integer" else "string"
        values = tuple(v for e in entries(item.body, "values") if (v := self._value(e.key, e.value, base)) is not None)
        return Enum(
            name=item.name,
            base="integer" if base == "integer" else "string",
            open=flag(item.body, "open", default=True),
            values=values,
            about=about(item.body),
            examples=examples(item.body, self._source.samples),
            place=item.key.place,
        )

    def _value(self, key: Text, node: Node, base: str) -> EnumValue | None:
        if isinstance(node, Text):
            body, told = Table({}), About(doc=node.text)
        else:
            body = cast("Table", node)
            told = about(body)
        given = text(body, "value")
        if base == "string" and given is None:
            return EnumValue(key.text or _NO_TEXT, key.text, told, key.place)
        if base == "integer" and given is not None:
            return EnumValue(key.text, int(given), told, key.place)
        if base == "string":
            self._faults.add(
                "wrong-kind",
                key.place,
                f"`{key.text}` has a `value` in an enum of texts",
                "say `base: integer`, or drop it",
            )
            return EnumValue(key.text, key.text, told, key.place)
        if "value" not in body.entries:
            self._faults.add("missing-key", key.place, f"`{key.text}` lacks `value`, what stands on the wire for it")
        return None

    def _alias(self, item: Item) -> Alias:
        written = item.body.get("type")
        return Alias(
            name=item.name,
            type=self._names.type(written) if isinstance(written, Text) else JSON,
            about=about(item.body, structs.was(item.body, self._names)),
            examples=examples(item.body, self._source.samples),
            place=item.key.place,
        )

    def _structs(self, context: Context, controls: Mapping[str, Item]) -> Iterator[tuple[str, Written]]:
        for item in self._items:
            if item.section in STRUCTS:
                yield item.name, structs.read(item.key, item.body, STRUCTS[item.section], context)
        for key, item in controls.items():
            check_control(item, self._faults)
            yield self._requests[key], Written(self._request(item, context), ())

    # --- controls and tools ---

    def _request_names(self) -> Iterator[tuple[str, str]]:
        """The name of each control's request type."""
        declared = {i.name: i.key for i in self._items if i.section in KINDS}
        for item in self._items:
            if item.section == "controls":
                name = request_name(item)
                key = Text(name, place=item.key.place)
                if not name[0].isalpha() or not name.isascii():
                    self._faults.add("bad-name", key.place, f"no name can be made of `{item.name}`", "give it a `name`")
                elif name in declared:
                    twice(key, declared[name], self._faults)
                else:
                    declared[name] = key
                    yield item.name, name

    def _request(self, item: Item, context: Context) -> Struct:
        side = side_of(item)
        by = discriminator(self._header, side)
        tags = (Tag(by, constant=item.name, place=item.key.place),) if by is not None else ()
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
            is_notification=side_of(item) == "notify",
            about=about(item.body),
            place=item.key.place,
        )

    def _tool(self, item: Item) -> Tool:
        given, made = item.body.get("input"), item.body.get("output")
        return Tool(
            pattern=item.name,
            input=self._names.type(given) if isinstance(given, Text) else None,
            output=self._names.type(made) if isinstance(made, Text) else None,
            about=about(item.body),
            place=item.key.place,
        )

    # --- unions ---

    def _unions(self, resolved: Mapping[str, Struct], controls: Mapping[str, Item]) -> dict[str, WrittenUnion]:
        unions = {i.name: self._union(i) for i in self._items if i.section == "unions"}
        changes = overlay.Changes(self._draft.fields, resolved)
        for side in ("request", "notify"):
            own = [item for item in controls.values() if side_of(item) == side]
            union = joined_union(side, self._header, resolved, unions, own, changes, self._faults)
            if union is not None:
                joined = tuple(Variant(self._requests[item.name], place=item.key.place) for item in own)
                unions[union] = replace(unions[union], variants=(*unions[union].variants, *joined))
        return unions

    def _union(self, item: Item) -> WrittenUnion:
        told = about(item.body)
        by = text(item.body, "by")
        return WrittenUnion(
            name=item.name,
            open=flag(item.body, "open", default=True),
            by=by or "",
            variants=tuple(self._variants(item, by)) if by else (),
            unknown=text(item.body, "unknown") or f"Unknown{told.name or item.name}",
            about=told,
            place=item.key.place,
        )

    def _variants(self, item: Item, by: str) -> Iterator[Variant]:
        seen: dict[str, Text] = {}
        for node in listed(item.body, "variants"):
            name = node.get("name") if isinstance(node, Table) else node
            if not isinstance(name, Text) or self._gone(name):
                continue
            if not self._names.is_a(name, ("type", "union"), "a variant"):
                continue
            if seen.setdefault(name.text, name) is not name:
                self._faults.add("duplicate-name", name.place, f"`{name.text}` is a variant of {item.name} already")
                continue
            yield self._variant(name, node, by)

    def _gone(self, name: Text) -> bool:
        """Whether an overlay removed it, and so took it from the unions that were written before."""
        removed = self._draft.removed.get(name.text)
        height = self._draft.height
        return removed is not None and name.text not in self._names.kinds and height(removed) > height(name.place)

    def _variant(self, name: Text, node: Node, by: str) -> Variant:
        if not isinstance(node, Table):
            return Variant(name.text, place=name.place)
        when = node.get("when")
        if isinstance(when, Table) and by != BY_KEYS:
            place = node.entries["when"].key.place
            self._faults.add("wrong-kind", place, "`when` is for unions by keys", f"this one is by `{by}`")
            when = None
        keys = when if isinstance(when, Table) else Table({})
        return Variant(
            name=name.text,
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
        bodies = {i.name: i.body for i in self._items if i.section == "unions"}
        dispatched = {
            name: Union(
                name=name,
                open=union.open,
                by=union.by,
                variants=union.variants,
                unknown=union.unknown,
                dispatch=decisions[name],
                about=union.about,
                examples=examples(bodies[name], self._source.samples),
                place=union.place,
            )
            for name, union in unions.items()
        }
        return finished, dispatched

    # --- the whole ---

    def _in_order(self, made: Mapping[str, Declaration]) -> dict[str, Declaration]:
        names = (self._requests.get(i.name, "") if i.section == "controls" else i.name for i in self._items)
        return {name: made[name] for name in names if name in made}

    def _protocol(self) -> Protocol:
        header, overlays = self._header, self._source.overlays
        items = {item.name: item for item in self._items if item.section == "controls"}
        sent = {key: name for key, name in self._requests.items() if side_of(items[key]) == "notify"}
        return Protocol(
            name=text(header, "name") or "",
            title=text(header, "title") or "",
            version=text(header, "version") or "0",
            framing=text(header, "framing") or "ndjson",
            peers=tuple(item.text for item in texts(header, "peers")),
            roots=tuple(self._roots()),
            control=control_protocol(header, sent, self._names, self._faults),
            about=replace(about(overlays[-1].root if overlays else header), name=None),
            revision=int(text(header, "revision") or 0),
            oldest=text(header, "oldest"),
            changes=tuple((e.key.text, e.value.text) for e in entries(header, "changes") if isinstance(e.value, Text)),
        )

    def _roots(self) -> Iterator[str]:
        for name in self._draft.roots if self._draft.roots is not None else texts(self._header, "roots"):
            if self._names.is_a(name, ("type", "union", "alias", "enum"), "a root"):
                yield name.text


def _ordered(tags: tuple[Tag, ...], way: tuple[str, ...]) -> tuple[Tag, ...]:
    """Discriminators in the order in which they decide, then the other tags."""
    rank = {key: n for n, key in reversed(list(enumerate(way)))}
    return tuple(sorted(tags, key=lambda tag: rank.get(tag.key, len(way))))
