"""A model, its plan and its names in each language → the contents of each page of the reference.

There is one page per declaration, one per area (a file of the spec), one each for messages, names, controls, tools and
trees, and the index page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps
from polywire.model.nodes import About, Alias, Constructor, Control, Declaration, Enum, Field, Struct, Tool, Tree, Union
from polywire.model.walk import spelled
from polywire.plan import Plan
from polywire.plan.members import Member
from polywire.plan.tables import TablePlan, tables_plan
from polywire.reading import show
from polywire.reading.docs.carriers import travels
from polywire.reading.docs.examples import Shown, examples, shown
from polywire.reading.docs.languages import InLanguage
from polywire.reading.docs.messages import Diagram, Sent, diagram, sent
from polywire.reading.docs.places import anchor, stems
from polywire.reading.docs.prose import Piece, Prose, Text, brief, linked, prose
from polywire.reading.docs.source import SourceLinks
from polywire.source.types import Ref, Type

INDEX, MESSAGES, NAMES = "index.html", "messages.html", "names.html"
CONTROLS, TOOLS, TREES, TABLES = "controls.html", "tools.html", "trees.html", "tables.html"

TYPES, AREAS = "types/", "areas/"

PRESENCE = {
    "required": "required",
    "required nullable": "required, may be null",
    "optional": "optional",
    "optional nullable": "optional, may be null",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a name to a page."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last release that has something, unless they are the first and the last of all."""

    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration in a list: its kind, and the beginning of its doc."""

    link: Link
    what: str
    brief: str
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """A member of an object, or a value of an enum."""

    id: str
    key: str
    type: Text
    presence: str
    notes: tuple[Text, ...]
    doc: Prose
    span: Span = Span()
    travels: tuple[tuple[Text, str], ...] = ()
    examples: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision of a union."""

    depth: int
    when: str
    then: Link
    notes: str
    span: Span


@dataclass(frozen=True, slots=True)
class ConstructorRow:
    """A constructor: its parameters with the places that they fill, and its fixed values."""

    id: str
    name: str
    doc: Prose
    params: tuple[tuple[str, str], ...]
    fixed: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ControlRow:
    """A request with its response, or a notification."""

    id: str
    key: str
    origin: str
    is_notification: bool
    request: Text
    response: Text
    error: Text
    notes: tuple[str, ...]
    doc: Prose
    link: Link
    """To its place on the page about requests."""
    brief: str
    span: Span


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool, or a pattern of tool names."""

    id: str
    pattern: str
    input: Text
    output: Text
    notes: tuple[str, ...]
    doc: Prose
    span: Span


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """The paths in a form of an envelope that pair requests and responses."""

    form: str
    what: str
    struct: Text
    place: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts common to all pages of a folder."""

    protocol: str
    title: str
    root: str
    """The relative path to the folder of the index page."""
    has_messages: bool
    has_controls: bool
    has_tools: bool
    has_trees: bool
    has_tables: bool


@dataclass(frozen=True, slots=True)
class TypePage:
    """The page of a declaration."""

    frame: Frame
    name: str
    what: str
    kind: str
    area: Link
    doc: Prose
    facts: tuple[Text, ...]
    """Its history, its source, and where the spec declares it."""
    span: Span
    rows: tuple[Row, ...]
    extra: Text
    alias: Text
    by: str
    is_open: bool
    unknown: str
    unknown_names: tuple[tuple[str, str], ...]
    decisions: tuple[DecisionRow, ...]
    views: tuple[Link, ...]
    controls: tuple[ControlRow, ...]
    constructors: tuple[ConstructorRow, ...]
    conflicts: tuple[str, ...]
    arguments: tuple[str, ...]
    environment: tuple[str, ...]
    examples: tuple[Shown, ...]
    more_examples: int
    languages: tuple[InLanguage, ...]
    uses: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class IndexPage:
    """The index page: the protocol, and the areas of its spec."""

    frame: Frame
    doc: Prose
    version: str
    oldest: str | None
    framing: str
    dialect: str | None
    peers: tuple[str, ...]
    roots: tuple[Link, ...]
    announced: Text
    areas: tuple[tuple[Link, str], ...]
    languages: tuple[InLanguage, ...]


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list of declarations."""

    frame: Frame
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SentRows:
    """What one peer sends, or either."""

    id: str
    sender: str
    messages: tuple[Entry, ...]
    requests: tuple[ControlRow, ...]
    notifications: tuple[ControlRow, ...]


@dataclass(frozen=True, slots=True)
class MessagesPage:
    """The page about who sends what."""

    frame: Frame
    diagram: Diagram
    sent: tuple[SentRows, ...]


@dataclass(frozen=True, slots=True)
class ControlsPage:
    """The page about the pairing of requests and responses, with all controls."""

    frame: Frame
    by: str
    ids: str
    places: tuple[PlaceRow, ...]
    data: tuple[tuple[str, Text], ...]
    controls: tuple[ControlRow, ...]


@dataclass(frozen=True, slots=True)
class ToolsPage:
    """The tools that have types."""

    frame: Frame
    tools: tuple[ToolRow, ...]


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A tree of entries."""

    id: str
    name: str
    lines: Text
    pointers: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    doc: Prose
    span: Span


@dataclass(frozen=True, slots=True)
class TreesPage:
    """The trees of entries."""

    frame: Frame
    trees: tuple[TreeRow, ...]


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column of a table."""

    name: str
    type: str
    at: str
    notes: tuple[str, ...]
    doc: Prose


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table."""

    id: str
    name: str
    lines: tuple[Text, ...]
    rows: str
    types: tuple[Text, ...]
    columns: tuple[ColumnRow, ...]
    unique: tuple[str, ...]
    notes: tuple[str, ...]
    doc: Prose
    span: Span


@dataclass(frozen=True, slots=True)
class TablesPage:
    """The tables."""

    frame: Frame
    tables: tuple[TableRow, ...]


_DEEPEST = 4
"""Maximum indentation of nested decisions."""


def _variable(name: str, value: str | None) -> str:
    return f"without {name}" if value is None else f"{name}={value}"


def _span(*abouts: About) -> Span:
    """Return the span of something, and where it says nothing, that of what follows it."""
    return Span(
        next((each.since for each in abouts if each.since), None),
        next((each.until for each in abouts if each.until), None),
    )


def _from(here: str, path: str) -> str:
    """Return the address of a page relative to the folder `here`, which is empty for the index page."""
    if not here:
        return path
    return path.removeprefix(here) if path.startswith(here) else f"../{path}"


class Views:
    """The views of all pages of a plan."""

    def __init__(self, plan: Plan, languages: dict[str, list[InLanguage]], source: SourceLinks | None = None) -> None:
        self._plan = plan
        self._source = source
        self._sent = sent(plan.model)
        self._model = plan.model
        self._languages = languages
        self._stems = stems(self._model.declarations)
        areas = (self._file(declared) for declared in self._model.declarations.values())
        self._areas = stems(dict.fromkeys(areas))
        self._examples = examples(self._model)
        self._controls: dict[str, list[Control]] = {}
        for control in self._model.controls:
            self._controls.setdefault(control.request, []).append(control)
        self._uses: dict[str, list[show.Use]] = {}
        for name, use in show.edges(self._model):
            self._uses.setdefault(name, []).append(use)

    # --- addresses ---

    def page(self, name: str) -> str:
        """Return the path of a declaration's page."""
        return f"{TYPES}{self._stems[name]}.html"

    def area_page(self, file: str) -> str:
        """Return the path of an area's page."""
        return f"{AREAS}{self._areas[file]}.html"

    def _file(self, declared: Declaration) -> str:
        """Return the file of a declaration, which is its area."""
        return declared.place.file.removesuffix(".yaml") or self._model.protocol.name

    def _link(self, name: str, here: str) -> Link:
        return Link(name, _from(here, self.page(name)))

    def _address(self, here: str, name: str) -> str:
        return _from(here, self.page(name)) if name in self._stems else ""

    def _prose(self, doc: str | None, here: str) -> Prose:
        return prose(doc, lambda name: self._address(here, name))

    def _type(self, type_: Type | None, here: str) -> Text:
        return () if type_ is None else linked(spelled(type_), lambda name: self._address(here, name))

    def _frame(self, title: str, here: str) -> Frame:
        protocol = self._model.protocol
        return Frame(
            protocol=protocol.title,
            title=title,
            root=_from(here, ""),
            has_messages=bool(self._sent),
            has_controls=bool(self._model.controls),
            has_tools=bool(self._model.tools),
            has_trees=bool(self._model.trees),
            has_tables=bool(self._model.tables),
        )

    def _place(self, declared: Declaration) -> Iterator[Text]:
        """Yield where a declaration is in the spec."""
        place = declared.place
        if place.file:
            href = "" if self._source is None else self._source.of(place)
            yield Piece("declared in "), Piece(f"{place.file}:{place.line}", href, is_code=True)

    # --- pages about several declarations ---

    def index(self) -> IndexPage:
        """Return the index page."""
        protocol = self._model.protocol
        announcement = protocol.announced
        announced = (
            ()
            if announcement is None
            else (Piece(announcement.message, self.page(announcement.message)), Piece(pointer(announcement.at)))
        )
        count: dict[str, int] = {}
        for declared in self._model.declarations.values():
            count[self._file(declared)] = count.get(self._file(declared), 0) + 1
        return IndexPage(
            frame=self._frame("", ""),
            doc=self._prose(protocol.about.doc, ""),
            version=protocol.version,
            oldest=protocol.oldest,
            framing=protocol.framing,
            dialect=self._model.dialect,
            peers=protocol.peers,
            roots=tuple(self._link(name, "") for name in dict.fromkeys(protocol.roots)),
            announced=announced,
            areas=tuple((Link(area, self.area_page(area)), str(number)) for area, number in count.items()),
            languages=tuple(self._languages.get(protocol.roots[0], ())) if protocol.roots else (),
        )

    def names(self) -> ListPage:
        """Return the list of all declarations by name."""
        ordered = sorted(self._model.declarations.values(), key=lambda each: (each.name.casefold(), each.name))
        return ListPage(self._frame("Names", ""), "Names", tuple(self._entry(each, "") for each in ordered))

    def areas(self) -> Iterator[tuple[str, ListPage]]:
        """Yield every area with its declarations, in the order of the spec."""
        found: dict[str, list[Entry]] = {}
        for declared in self._model.declarations.values():
            found.setdefault(self._file(declared), []).append(self._entry(declared, AREAS))
        for area, entries in found.items():
            yield self.area_page(area), ListPage(self._frame(area, AREAS), area, tuple(entries))

    def _entry(self, declared: Declaration, here: str) -> Entry:
        about = declared.about
        return Entry(self._link(declared.name, here), show.what(declared), brief(about.doc), _span(about))

    def messages(self) -> MessagesPage | None:
        """Return the page about who sends what, if the protocol says so."""
        if not self._sent:
            return None
        rows = tuple(self._sent_rows(each) for each in self._sent)
        return MessagesPage(self._frame("Messages", ""), diagram(self._model.protocol.peers, self._sent), rows)

    def _sent_rows(self, of: Sent) -> SentRows:
        return SentRows(
            id=anchor("from", of.origin),
            sender=of.sender,
            messages=tuple(self._entry(each, "") for each in of.messages),
            requests=tuple(self._control(each, "") for each in of.requests),
            notifications=tuple(self._control(each, "") for each in of.notifications),
        )

    def controls(self) -> ControlsPage | None:
        """Return the page about requests, if the protocol has any."""
        plan, protocol = self._plan.controls, self._model.protocol.control
        if not self._model.controls:
            return None
        places = () if protocol is None else protocol.pointers
        error = None if protocol is None else protocol.error
        return ControlsPage(
            frame=self._frame("Controls", ""),
            by="" if plan is None else plan.by,
            ids=""
            if plan is None
            else {"uuid": "random UUIDs", "counter": f"numbers, after {dumps(plan.prefix)}"}.get(
                plan.draw, ""
            ).removesuffix(', after ""'),
            places=tuple(
                PlaceRow(form, key, self._type(Ref(struct), ""), pointer(way) or "the whole")
                for form, key, struct, way in places
            ),
            data=tuple((dumps(code), self._type(type_, "")) for code, type_ in (error.types if error else ())),
            controls=tuple(self._control(each, "") for each in self._model.controls),
        )

    def _control(self, control: Control, here: str) -> ControlRow:
        response = self._type(control.response, here)
        if not control.is_notification and (control.response_optional or not response):
            response = (*response, *([Piece(" or ")] if response else []), Piece("nothing"))
        about = control.about
        return ControlRow(
            id=anchor("c", control.key),
            key=control.key,
            origin="either peer" if control.origin == "both" else control.origin,
            is_notification=control.is_notification,
            request=self._type(Ref(control.request), here),
            response=response,
            error=self._type(control.error, here),
            notes=tuple(show.history(about)),
            doc=self._prose(about.doc, here),
            link=Link(control.key, _from(here, f"{CONTROLS}#{anchor('c', control.key)}")),
            brief=brief(about.doc),
            span=_span(about, self._model.declarations[control.request].about),
        )

    def tools(self) -> ToolsPage | None:
        """Return the page about tools, if the protocol has any."""
        tools = tuple(self._tool(each) for each in self._model.tools)
        return ToolsPage(self._frame("Tools", ""), tools) if tools else None

    def _tool(self, tool: Tool) -> ToolRow:
        return ToolRow(
            id=anchor("t", tool.pattern),
            pattern=tool.pattern,
            input=self._type(tool.input, ""),
            output=self._type(tool.output, ""),
            notes=tuple(show.history(tool.about)),
            doc=self._prose(tool.about.doc, ""),
            span=_span(tool.about),
        )

    def trees(self) -> TreesPage | None:
        """Return the page about trees, if the protocol has any."""
        trees = tuple(self._tree(each) for each in self._model.trees)
        return TreesPage(self._frame("Trees", ""), trees) if trees else None

    def tables(self) -> TablesPage | None:
        """Return the page about tables, if the protocol has any."""
        tables = tuple(self._table(each) for each in tables_plan(self._model).tables)
        return TablesPage(self._frame("Tables", ""), tables) if tables else None

    def _table(self, plan: TablePlan) -> TableRow:
        table = plan.table
        return TableRow(
            id=anchor("r", table.name),
            name=table.name,
            lines=tuple(self._type(Ref(name), "") for name in table.lines),
            rows=pointer(table.rows),
            types=tuple(self._type(Ref(name), "") for name in table.types or ()),
            columns=tuple(
                ColumnRow(
                    name=each.name,
                    type=show.column_type(each),
                    at=show.column_place(each),
                    notes=tuple(show.history(each.column.about)),
                    doc=self._prose(each.doc, ""),
                )
                for each in plan.columns
            ),
            unique=table.unique,
            notes=tuple(show.history(table.about)),
            doc=self._prose(table.about.doc, ""),
            span=_span(table.about),
        )

    def _tree(self, tree: Tree) -> TreeRow:
        return TreeRow(
            id=anchor("r", tree.name),
            name=tree.name,
            lines=self._type(Ref(tree.lines), ""),
            pointers=tuple((key, pointer(way)) for key, way in tree.pointers.items()),
            notes=tuple(show.history(tree.about)),
            doc=self._prose(tree.about.doc, ""),
            span=_span(tree.about),
        )

    # --- a declaration ---

    def types(self) -> Iterator[tuple[str, TypePage]]:
        """Yield every declaration with its page."""
        for declared in self._model.declarations.values():
            yield self.page(declared.name), self._of(declared)

    def _of(self, declared: Declaration) -> TypePage:
        here, name, about = TYPES, declared.name, declared.about
        struct = declared if isinstance(declared, Struct) else None
        union = declared if isinstance(declared, Union) else None
        enum = declared if isinstance(declared, Enum) else None
        launch = None if struct is None else struct.launch
        languages = tuple(self._languages.get(name, ()))
        found = self._examples.get(name, ())
        return TypePage(
            frame=self._frame(name, here),
            name=name,
            what=show.what(declared),
            kind="struct" if struct else "union" if union else "enum" if enum else "alias",
            area=Link(self._file(declared), _from(here, self.area_page(self._file(declared)))),
            doc=self._prose(about.doc, here),
            facts=(*((Piece(each),) for each in self._facts(about)), *self._place(declared)),
            span=_span(about),
            rows=tuple(self._rows(declared, here)),
            extra=() if struct is None else self._type(struct.extra, here),
            alias=self._type(declared.type, here) if isinstance(declared, Alias) else (),
            by="" if union is None else union.by,
            is_open=bool((union and union.open) or (enum and enum.open)),
            unknown="" if union is None or not union.open else union.unknown,
            unknown_names=tuple((each.title, each.unknown) for each in languages if each.unknown),
            decisions=() if union is None else tuple(self._decisions(union, here)),
            views=() if union is None else tuple(self._link(each, here) for each in union.views),
            controls=tuple(self._control(each, here) for each in self._controls.get(name, ())),
            constructors=() if struct is None else tuple(self._constructors(struct.constructors, here)),
            conflicts=() if struct is None else tuple(f"{', '.join(c.fields)}: {c.message}" for c in struct.conflicts),
            arguments=() if launch is None else launch.arguments,
            environment=() if launch is None else tuple(_variable(*each) for each in launch.environment),
            examples=found,
            more_examples=max(0, len(declared.examples) - len(found)) if declared.examples else 0,
            languages=languages,
            uses=tuple(self._used(self._uses.get(name, ()), here)),
        )

    def _facts(self, about: About) -> Iterator[str]:
        yield from show.history(about)
        if about.source:
            yield f"source: {about.source}"

    def _used(self, uses: Iterable[show.Use], here: str) -> Iterator[Link]:
        """Yield each use once, linked to the page of the user."""
        for how, use in {use.how: use for use in uses}.items():
            if use.by:
                yield Link(how, _from(here, self.page(use.by)))
            elif use.control is not None:
                yield Link(how, _from(here, f"{CONTROLS}#{anchor('c', use.control)}"))
            else:
                yield Link(how, _from(here, INDEX))

    def _decisions(self, union: Union, here: str) -> Iterator[DecisionRow]:
        abouts = {variant.name: variant.about for variant in union.variants}
        for each in show.decisions(union.dispatch):
            about = abouts.get(each.then, About())
            span = _span(about, self._model.declarations[each.then].about)
            notes = ", ".join(show.history(about))
            yield DecisionRow(min(each.depth, _DEEPEST), each.when, self._link(each.then, here), notes, span)

    def _constructors(self, constructors: Iterable[Constructor], here: str) -> Iterator[ConstructorRow]:
        for each in constructors:
            yield ConstructorRow(
                id=anchor("constructor", each.name),
                name=each.name,
                doc=self._prose(each.about.doc, here),
                params=tuple((param.name, pointer(param.pointer)) for param in each.params),
                fixed=tuple((pointer(way), dumps(value)) for way, value in each.set),
            )

    def _rows(self, declared: Declaration, here: str) -> Iterator[Row]:
        match declared:
            case Enum(values=values):
                for value in values:
                    names = () if value.name == value.wire else (value.name,)
                    notes = tuple((Piece(note),) for note in (*names, *show.history(value.about)))
                    doc = self._prose(value.about.doc, here)
                    yield Row(anchor("v", value.name), dumps(value.wire), (), "", notes, doc, _span(value.about))
            case Struct(name=name, fields=fields):
                for member in self._plan.structs[name].members:
                    yield self._member(member, here)
                for field in fields:
                    if not field.travels:
                        yield self._field(field, "optional" if not field.required else "required", here)

    def _member(self, member: Member, here: str) -> Row:
        tag, field = member.tag, member.field
        if field is not None and tag is None:
            return self._field(field, PRESENCE[member.presence], here)
        notes = ("constant",) if tag is None else show.tag_notes(tag)
        return Row(
            id=anchor("m", member.key),
            key=member.key,
            type=self._identity(member, here),
            presence=PRESENCE[member.presence],
            notes=tuple((Piece(note),) for note in notes),
            doc=self._prose(None if field is None else field.about.doc, here),
            span=Span() if field is None else _span(field.about),
        )

    def _identity(self, member: Member, here: str) -> Text:
        """Return the values of a tag or constant."""
        tag = member.tag
        if tag is None or tag.constant is not None:
            return (Piece(dumps(member.constant), is_code=True),)
        if tag.prefix is not None:
            return (Piece(f"texts that begin with {dumps(tag.prefix)}", is_code=True),)
        if tag.enum is not None:
            return self._type(Ref(tag.enum), here)
        return (Piece(" | ".join(map(dumps, tag.values)), is_code=True),)

    def _field(self, field: Field, presence: str, here: str) -> Row:
        releases = self._model.protocol.releases
        carried = (travels(each, releases) for each in field.carry)
        return Row(
            id=anchor("m", field.name),
            key=field.name,
            type=tuple(self._field_type(field, here)),
            presence=presence,
            notes=tuple(self._note(field, note, here) for note in show.field_notes(field)),
            doc=self._prose(field.about.doc, here),
            span=_span(field.about),
            travels=tuple(((Piece(where),), how) for where, how in carried)
            + ((((Piece("only the client needs it"),), ""),) if field.kept else ()),
            examples=tuple(shown(field.examples)),
        )

    def _note(self, field: Field, note: str, here: str) -> Text:
        """Return a note; the mixin that a field comes from is a link."""
        if field.origin is not None and note == f"from {field.origin}":
            return Piece("from "), Piece(field.origin, _from(here, self.page(field.origin)))
        return (Piece(note),)

    def _field_type(self, field: Field, here: str) -> Iterator[Piece]:
        callback = field.callback
        if callback is None:
            yield from self._type(field.type, here)
            if null := show.added_null(field):
                yield Piece(null, is_code=True)
            return
        yield Piece("(", is_code=True)
        for at, param in enumerate(callback.params):
            yield Piece(f"{', ' if at else ''}{param.name}: ", is_code=True)
            yield from self._type(param.passed, here)
        yield Piece(")" if callback.returns is None else ") → ", is_code=True)
        yield from self._type(callback.returns, here)
