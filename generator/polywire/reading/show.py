"""A model and a name → everything that the model knows about that declaration, and the same as text.

The name is that of a declaration or tree, the key of a control, or the pattern of a tool. The resolved model is
shown: mixins are included, controls have joined their union, and an overlay is applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from polywire.ground.engine import pointer
from polywire.ground.json_values import dumps
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import (
    About,
    Alias,
    Declaration,
    Dispatch,
    Enum,
    Field,
    Keys,
    Leaf,
    Model,
    OnError,
    RowTable,
    Struct,
    Switch,
    Tag,
    Tree,
    Union,
)
from polywire.model.walk import refs, spell
from polywire.plan.tables import ColumnPlan, tables_plan
from polywire.source.types import Choice, Ref, Scalar, Type


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a declaration's contents: a member, a value, or a decision of a union."""

    name: str
    type: str = ""
    notes: tuple[str, ...] = ()
    doc: str | None = None
    place: SourceLocation = NOWHERE


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a declaration: the declaration that uses it ("" for the protocol itself), and how."""

    by: str
    how: str
    place: SourceLocation
    control: str | None = None
    """The key of the control that uses it."""


@dataclass(frozen=True, slots=True)
class ApiItem:
    """What the model knows about one declaration or tree."""

    name: str
    what: str
    """In words: `message from cli`, `open enum`, `union by type, open`."""
    about: About
    place: SourceLocation
    rows: tuple[Row, ...]
    uses: tuple[Use, ...]
    reached: tuple[tuple[str, ...], ...]
    """The shortest path from each root, control or tool that leads here, both ends included."""


class NoSuchName(LookupError):  # noqa: N818 (a question without an answer, not a failure)
    """The model has nothing of this name; `near` are similar names."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.near = near

    def __str__(self) -> str:
        hint = f"; did you mean {' or '.join(self.near)}?" if self.near else ""
        return f"nothing is declared as {self.name}{hint}"


def show(model: Model, name: str) -> ApiItem:
    """Return everything about one declaration, tree or table. Raises `NoSuchName`."""
    declaration = _find(model, name)
    uses = tuple(use for target, use in edges(model) if target == declaration.name)
    return ApiItem(
        declaration.name,
        what(declaration) + _answer(model, declaration.name),
        declaration.about,
        declaration.place,
        tuple(_rows_of_table(model, declaration) if isinstance(declaration, RowTable) else _rows(declaration)),
        uses,
        tuple(_reached(model, declaration.name)),
    )


def to_json(item: ApiItem) -> str:
    """Return everything about a declaration as a JSON object on one line.

    Members: `name`, `what`, `doc`, `place`; `about` with what else the spec says of it; `rows` with `name`, `type`,
    `notes`, `doc` and `place`; `uses` with `by`, `how`, `place` and `control`; `reached`, a list of paths. A place is
    `FILE:LINE:COLUMN`. What is not stated is null, in `about` absent.
    """
    stated = {each.name: getattr(item.about, each.name) for each in fields(item.about) if each.name != "doc"}
    about = {key: value for key, value in stated.items() if value}
    if item.about.targets:
        about["targets"] = {target: dict(keys) for target, keys in item.about.targets.items()}
    found = {
        "name": item.name,
        "what": item.what,
        "doc": item.about.doc,
        "place": str(item.place),
        "about": about,
        "rows": [_as_json(row) for row in item.rows],
        "uses": [_as_json(use) for use in item.uses],
        "reached": item.reached,
    }
    return dumps(found) + "\n"


def _as_json(row: Row | Use) -> dict[str, Any]:
    found = {each.name: getattr(row, each.name) for each in fields(row)}
    return found | {"place": str(row.place) if row.place.file else None}


def _find(model: Model, name: str) -> Declaration | Tree | RowTable:
    trees: dict[str, Tree | RowTable] = {tree.name: tree for tree in model.trees}
    trees |= {table.name: table for table in model.tables if table.name not in trees}
    if name in model.declarations or name in trees:
        return model.declarations.get(name) or trees[name]
    for control in model.controls:
        if control.key == name:
            return model.declarations[control.request]
    for tool in model.tools:
        if tool.pattern == name and isinstance(tool.input, Ref):
            return model.declarations[tool.input.name]
    known = [
        *model.declarations,
        *trees,
        *(control.key for control in model.controls),
        *(tool.pattern for tool in model.tools),
    ]
    folded = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold(), folded, n=3)
    raise NoSuchName(name, tuple(folded[each] for each in near))


# --- types as they are written ---------------------------------------------------------------------------------


def spell_field(field: Field) -> str:
    """Return the expression of a field's type, including null if the field adds it."""
    return spell(field.type) + added_null(field)


def added_null(field: Field) -> str:
    """Return the suffix of a field's type expression if the field adds null to it."""
    return " | null" if field.nullable and not _says_null(field.type) else ""


def _says_null(type_: Type) -> bool:
    """Return whether the expression itself shows null; a null hidden behind a name is worth mentioning."""
    return type_ == Scalar("json") or (isinstance(type_, Choice) and Scalar("null") in type_.members)


# --- contents --------------------------------------------------------------------------------------------------


def what(declaration: Declaration | Tree | RowTable) -> str:
    """Return what a declaration is, in words: `message from cli`, `open enum`."""
    match declaration:
        case Enum(base=base, open=open_):
            return f"{'open' if open_ else 'closed'} enum" + (" of integers" if base == "integer" else "")
        case Alias():
            return "alias"
        case Union(by=by, open=open_):
            return f"{'open' if open_ else 'closed'} union by {by}"
        case Struct(section=section, origin=origin):
            word = {"messages": "message", "controls": "control request", "options": "options"}.get(section, "type")
            return f"{word} from {origin}" if origin else word
        case Tree(lines=lines):
            return f"tree of the lines {lines}"
        case RowTable(lines=names):
            return f"table of the lines {', '.join(names)}"


def _answer(model: Model, name: str) -> str:
    for control in model.controls:
        if control.request == name and not control.is_notification:
            answers = [spell(control.response)] if control.response is not None else []
            if control.response_optional or not answers:
                answers.append("nothing")
            return f", answered with {' or '.join(answers)}"
    return ""


def _rows(declaration: Declaration | Tree) -> Iterator[Row]:
    match declaration:
        case Enum(values=values):
            for value in values:
                shown = dumps(value.wire)
                notes = () if value.name == value.wire else (value.name,)
                yield Row(shown, "", (*notes, *history(value.about)), value.about.doc, value.place)
        case Alias(type=type_):
            yield Row("=", spell(type_))
        case Union(dispatch=dispatch, unknown=unknown, open=open_):
            for each in decisions(dispatch):
                yield Row("  " * each.depth + each.when, each.then)
            if open_:
                yield Row("otherwise", unknown)
        case Struct():
            yield from _members(declaration)
        case Tree(pointers=pointers):
            for key, steps in pointers.items():
                yield Row(key, dumps(pointer(steps)))


def _rows_of_table(model: Model, table: RowTable) -> Iterator[Row]:
    if table.rows:
        yield Row("(rows)", dumps(pointer(table.rows)))
    if table.types is not None:
        yield Row("(is)", " | ".join(table.types))
    for plan in (each for each in tables_plan(model).tables if each.name == table.name):
        for each in plan.columns:
            notes = ("unique",) if each.name in table.unique else ()
            yield Row(each.name, column_type(each), (*notes, column_place(each)), each.doc, each.column.place)


def column_type(plan: ColumnPlan) -> str:
    """Return the type of a column, in the notation of the spec language."""
    return f"{plan.type.type}[]" if plan.type.is_list else plan.type.type


def column_place(plan: ColumnPlan) -> str:
    """Return where a column has its values, as the spec language writes it."""
    way = pointer(plan.column.at)
    return "key" if plan.column.key else (way if plan.column.of_line else way[1:]) or '""'


def _members(struct: Struct) -> Iterator[Row]:
    fields = {field.name: field for field in struct.fields}
    for tag in struct.tags:
        if tag.constant is not None:
            yield Row(_key(tag.key, required=not tag.optional), dumps(tag.constant), ("tag",), None, tag.place)
        else:
            about = fields[tag.key].about if tag.key in fields else About()
            values = tag.enum or " | ".join(dumps(value) for value in tag.values)
            if tag.prefix is not None:
                values = f"texts that begin with {dumps(tag.prefix)}"
            yield Row(_key(tag.key, required=not tag.optional), values, tag_notes(tag), about.doc, tag.place)
    for const in struct.consts:
        yield Row(const.key, dumps(const.value), ("constant",), None, const.place)
    for field in struct.fields:
        if field.tag is None:
            key = _key(field.name, required=field.required)
            yield Row(key, _field_type(field), tuple(field_notes(field)), field.about.doc, field.place)
    if struct.extra is not None:
        yield Row("(any other)", spell(struct.extra))


def _key(name: str, *, required: bool) -> str:
    return name if required else f"{name}?"


def tag_notes(tag: Tag) -> tuple[str, ...]:
    """Return the notes about a tag whose value varies."""
    return ("tag",) if tag.others is None else ("tag", f"also unknown values like {tag.others}")


def _field_type(field: Field) -> str:
    if field.callback is not None:
        params = ", ".join(f"{each.name}: {spell(each.passed)}" for each in field.callback.params)
        returns = "" if field.callback.returns is None else f" → {spell(field.callback.returns)}"
        return f"({params}){returns}"
    return spell_field(field)


def field_notes(field: Field) -> Iterator[str]:
    """Yield the notes about a field other than its type and doc."""
    if field.origin:
        yield f"from {field.origin}"
    if field.flatten:
        yield "flattened"
    if not field.travels:
        yield "never travels"
    if field.construct_required:
        yield "constructors demand it"
    if field.has_default:
        yield f"default {dumps(field.default)}"
    if field.claimed:
        yield f"not {' or '.join(dumps(value) for value in field.claimed)}, which a sibling claims"
    if field.on_error is not None:
        yield f"what does not fit is {_repair(field.on_error)}"
    yield from history(field.about)


def _repair(on_error: OnError) -> str:
    """Return what lenient mode turns a value into."""
    ways = ["skipped"] * on_error.skip + ["absent"] * on_error.absent
    return " or ".join([*ways, *([f"read as {dumps(on_error.value)}"] if on_error.replaces else [])])


def history(about: About) -> Iterator[str]:
    """Yield which releases have a thing, its former name, and whether it is deprecated."""
    if about.since:
        yield f"since {about.since}"
    if about.until:
        yield f"until {about.until}"
    if about.formerly:
        yield f"formerly {about.formerly}"
    if about.observed:
        yield "observed"
    if about.deprecated:
        yield f"deprecated: {about.deprecated}"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a union: its nesting depth, its condition, and the declaration that it leads to."""

    depth: int
    when: str
    then: str


def decisions(dispatch: Dispatch, depth: int = 0) -> Iterator[Decision]:
    """Yield the decisions of a union, each followed by the decisions nested in it."""
    match dispatch:
        case Leaf():
            return
        case Switch(key=key, cases=cases, others=others, absent=absent):
            choices = [(f"{key} = {dumps(value)}", then) for value, then in cases]
            choices += [(f"{key} = {prefix}…", then) for prefix, then in dispatch.prefixes]
            choices += [(f"{key} like {pattern}", Leaf(struct)) for pattern, struct in others]
            if absent is not None:
                choices.append((f"without {key}", absent))
        case Keys(cases=conditions):
            choices = [(_condition(each.has, each.lacks), then) for each, then in conditions]
    for when, then in choices:
        yield Decision(depth, when, then.struct if isinstance(then, Leaf) else then.union)
        yield from decisions(then, depth + 1)


def _condition(has: tuple[str, ...], lacks: tuple[str, ...]) -> str:
    return ", ".join([*(f"has {key}" for key in has), *(f"lacks {key}" for key in lacks)]) or "always"


# --- uses ------------------------------------------------------------------------------------------------------


def edges(model: Model) -> Iterator[tuple[str, Use]]:
    """Yield every use of a declared name, with the name."""
    for root in model.protocol.roots:
        yield root, Use("", "root", NOWHERE)
    for declaration in model.declarations.values():
        for name, how, place in _uses_in(declaration):
            yield name, Use(declaration.name, how, place)
    for tool in model.tools:
        for what, type_ in (("input", tool.input), ("output", tool.output)):
            for name in refs(type_):
                yield name, Use("", f"{what} of tool {tool.pattern}", tool.place)
    for tree in model.trees:
        yield tree.lines, Use("", f"lines of tree {tree.name}", tree.place)
    for table in model.tables:
        yield from ((name, Use("", f"lines of table {table.name}", table.place)) for name in table.lines)
        yield from ((name, Use("", f"rows of table {table.name}", table.place)) for name in table.types or ())
    yield from _control_edges(model)


def _control_edges(model: Model) -> Iterator[tuple[str, Use]]:
    for control in model.controls:
        what = "notification" if control.is_notification else "request"
        yield control.request, Use("", f"{what} of control {control.key}", control.place, control.key)
        for part, type_ in (("response", control.response), ("error data", control.error)):
            for name in refs(type_):
                yield name, Use("", f"{part} of control {control.key}", control.place, control.key)
    protocol = model.protocol.control
    if protocol is not None:
        forms = {"requests": protocol.request, "notifications": protocol.notify, "responses": protocol.response}
        for what, form in {**forms, "errors": protocol.error, "cancellations": protocol.cancel}.items():
            if form is not None:
                yield form.struct, Use("", f"envelope of {what}", NOWHERE)
        for code, type_ in protocol.error.types if protocol.error is not None else ():
            for name in refs(type_):
                yield name, Use("", f"data of error {code}", NOWHERE)


def _uses_in(declaration: Declaration) -> Iterator[tuple[str, str, SourceLocation]]:
    match declaration:
        case Enum():
            return
        case Alias(name=alias, type=type_, place=place):
            for name in refs(type_):
                yield name, f"alias {alias}", place
        case Union(name=union, variants=variants):
            for variant in variants:
                yield variant.name, f"variant of {union}", variant.place
        case Struct():
            yield from _uses_in_struct(declaration)


def _uses_in_struct(struct: Struct) -> Iterator[tuple[str, str, SourceLocation]]:
    for mixin in struct.include:
        yield mixin, f"included by {struct.name}", struct.place
    for tag in struct.tags:
        if tag.enum is not None:
            yield tag.enum, f"tag {tag.key} of {struct.name}", tag.place
    for field in struct.fields:
        if field.tag is None:
            where = f"{'option' if struct.section == 'options' else 'field'} {field.name} of {struct.name}"
            for type_ in _types_of(field):
                for name in refs(type_):
                    yield name, where, field.place
    for name in refs(struct.extra):
        yield name, f"extra content of {struct.name}", struct.place


def _types_of(field: Field) -> Iterator[Type | None]:
    if field.callback is None:
        yield field.type
        return
    for param in field.callback.params:
        yield param.type
    yield field.callback.returns


def _reached(model: Model, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the shortest path from each root or, if no root leads here, from the controls and tools."""
    onward: dict[str, list[str]] = {}
    roots: dict[str, list[str]] = {root: [root] for root in model.protocol.roots}
    aside: dict[str, list[str]] = {}
    for target, use in edges(model):
        if use.by:
            onward.setdefault(use.by, []).append(target)
        elif use.how != "root":
            aside.setdefault(use.how, []).append(target)
    ways = [way for starts in roots.values() if (way := _way(onward, starts, name))]
    ways = ways or [(how, *way) for how, starts in aside.items() if (way := _way(onward, starts, name))]
    yield from ways


def _way(onward: dict[str, list[str]], starts: list[str], goal: str) -> tuple[str, ...] | None:
    """Return the shortest path: those to all declarations are found one after the other, the shorter ones first."""
    ways: dict[str, tuple[str, ...]] = {start: (start,) for start in starts}
    for here in (queue := list(ways)):
        for there in onward.get(here, ()):
            if there not in ways:
                ways[there] = (*ways[here], there)
                queue.append(there)
    return ways.get(goal)


# --- text ------------------------------------------------------------------------------------------------------


def render(shown: ApiItem) -> str:
    """Render it as text for any kind of terminal."""
    lines = [f"{shown.name}  ({shown.what})  {shown.place if shown.place.file else ''}".rstrip()]
    if shown.about.doc:
        lines += ["", *(f"  {line}" for line in shown.about.doc.strip().splitlines())]
    facts = [*history(shown.about), *([f"source: {shown.about.source}"] if shown.about.source else [])]
    lines += [f"  {fact}" for fact in facts]
    sections: list[tuple[str, list[tuple[str, ...]]]] = [
        ("", [(row.name, row.type, ", ".join(row.notes), _brief(row.doc)) for row in shown.rows]),
        ("Used by", [(use.how, str(use.place) if use.place.file else "") for use in shown.uses]),
        ("Reached from", [(" → ".join(path),) for path in shown.reached]),
    ]
    for title, rows in sections:
        if title:
            lines += ["", title]
        lines += ["", *_table(rows)] if not title else _table(rows) or ["  nothing"]
    return "\n".join(lines) + "\n"


def _brief(doc: str | None) -> str:
    """Return the first line of a doc."""
    return doc.strip().splitlines()[0] if doc and doc.strip() else ""


def _table(rows: list[tuple[Any, ...]]) -> list[str]:
    """Lay out rows in columns as wide as their widest cell, up to 40 characters; empty columns are left out."""
    if not rows:
        return []
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [min(40, max(map(len, column))) for column in columns]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
