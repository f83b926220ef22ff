"""Differences on the wire between two specs: each kind of difference, reported once, from either side."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import pytest

from drawing import SPEC, Change, drawing
from polywire import source
from polywire.evolve.diff import RULES, Difference, Side, compare
from polywire.evolve.diff.compare import travelling
from polywire.ground.location import SourceLocation
from polywire.model.build import build
from polywire.model.nodes import Enum, Model, Struct
from polywire.plan.rows import EnumRow, FieldRow, MemberRow, Row, StructRow, rows

Said: TypeAlias = "tuple[str, str, str | None, str | None]"
"""A rule, its subject, and the text on each side."""


CASES: dict[str, tuple[list[Change], list[Said]]] = {
    "a root": ([("[Line, Ask,", "[Line, Colour, Ask,")], [("root", "", None, "Colour")]),
    "a framing": ([("framing: ndjson", "framing: sse")], [("framing", "", "ndjson", "sse")]),
    "an envelope": (
        [("id: /id,", "id: /request/why,")],
        [("envelope", "", "id /id, payload /request by sub", "id /request/why, payload /request by sub")],
    ),
    "a declaration that is new with what leads to it": (
        [("types:\n", "types:\n  Line3: {doc: L., fields: {a: Point, b?: Point | null}}\n"), ("y: number", "y: Line3")],
        [
            ("type", "Point", "y: number", "y: Line3"),
            ("declaration", "Line3", None, "type: {a: Point, b?: Point | null}"),
        ],
    ),
    "a kind": (
        [
            ("  Id: {doc: I., type: string}\n", "  Ig: {doc: I., type: string}\n"),
            ("enums:\n", "enums:\n  Id: {doc: I., open: false, values: {a: A.}}\n"),
        ],
        [("kind", "Id", "alias: string", 'enum: "a"')],
    ),
    "a sender": ([("Draw: {doc: D., from: a", "Draw: {doc: D., from: both")], [("from", "Draw", "a", "both")]),
    "the sender of a control": (
        [("start: {doc: S., from: a", "start: {doc: S., from: b")],
        [("from", "start", "a", "b")],
    ),
    "a tag": ([("{kind: square}", "{kind: box}")], [("tag", "Square", 'kind: "square"', 'kind: "box"')]),
    "a tag of several values": (
        [("{kind: square}", "{kind: [square, box]}")],
        [("tag", "Square", 'kind: "square"', 'kind: "square" | "box"')],
    ),
    "a tag that may be absent": (
        [("{type: draw}", "{type?: draw}")],
        [("tag", "Draw", 'type: "draw"', 'type?: "draw"'), ("union-absent", "Line", None, "without type: Draw")],
    ),
    "a constant": ([("sides: 4", "sides: true")], [("constant", "Square", "sides: 4", "sides: true")]),
    "a field": ([("x: number", "x: number, z?: number")], [("field", "Point", None, "z?: number")]),
    "a field that was a constant": (
        [("const: {sides: 4}, fields: {", "fields: {sides: integer, ")],
        [("field-role", "Square", "sides: 4", "sides: integer")],
    ),
    "a field's name": (
        [("x: number", "east: {type: number, formerly: x}")],
        [("field-name", "Point", "x: number", "east: number")],
    ),
    "a field's presence": ([("x: number", "x?: number")], [("field-presence", "Point", "x: number", "x?: number")]),
    "whether a field may be null": (
        [("Point | null", "Point")],
        [("field-null", "Dot", "at?: Point | null", "at?: Point")],
    ),
    "flattening": (
        [("centre: Point", "centre: {type: Point, flatten: true}")],
        [("field-flatten", "Circle", "centre: Point", "centre: Point (flattened)")],
    ),
    "a repair": (
        [("centre: Point", "centre: {type: Point, on_error: {x: 0, y: 0}}")],
        [("field-repair", "Circle", "centre: Point", 'centre: Point (on_error: {"x":0,"y":0})')],
    ),
    "a type": ([("x: number", "x: integer")], [("type", "Point", "x: number", "x: integer")]),
    "an alias": ([("type: string}\n", "type: string | integer}\n")], [("type", "Id", "string", "string | integer")]),
    "a format": ([("left: string", "left: uuid")], [("format", "Left", "left: string", "left: uuid")]),
    "bounds": (
        [("string[0..3]", "string[1..3]")],
        [("bounds", "Square", "notes?: string[0..3]", "notes?: string[1..3]")],
    ),
    "several things about one field": (
        [("x: number", "x?: integer | null")],
        [(rule, "Point", "x: number", "x?: integer | null") for rule in ("field-presence", "field-null", "type")],
    ),
    "other keys": ([(" extra: string,", "")], [("extra", "Undo", "any other key: string", None)]),
    "an enum's openness": (
        [("Colour: {doc: C., open: true", "Colour: {doc: C., open: false")],
        [("enum-open", "Colour", "open", "closed")],
    ),
    "a value": ([("blue: B.", "blue: B., green: G.")], [("enum-value", "Colour", None, '"green"')]),
    "a value's spelling": (
        [("blue: B.", "azure: {doc: B., formerly: blue}")],
        [("enum-value-name", "Colour", '"blue"', '"azure"')],
    ),
    "a union's openness": (
        [("open: false", "open: true")],
        [("union-open", "Turn", "closed", "open")],
    ),
    "a union's discriminator": (
        [
            (
                "variants: [{name: Left, when: {has: [left]}}, {name: Right, when: {lacks: [left]}}]",
                "variants: [Left, Right]",
            ),
            ("by: keys", "by: side"),
            ("Left: {doc: L.,", "Left: {doc: L., tag: {side: left},"),
            ("Right: {doc: R.,", "Right: {doc: R., tag: {side: right},"),
        ],
        [
            ("tag", "Left", None, 'side: "left"'),
            ("tag", "Right", None, 'side: "right"'),
            ("union-by", "Turn", "Left has left; Right lacks left", "side"),
        ],
    ),
    "a variant": (
        [("[Square, Circle, Dot]", "[Square, Dot]")],
        [
            ("union-variant", "Shape", "Circle", None),
            ("declaration", "Circle", 'type: {kind: "circle", id: Id, when?: timestamp, centre: Point}', None),
        ],
    ),
    "a condition": (
        [("{lacks: [left]}", "{has: [right], lacks: [left]}")],
        [("union-condition", "Turn", "Right lacks left", "Right has right, lacks left")],
    ),
    "a variant without the discriminator": (
        [("tag: {kind: null}", "tag: {kind: dot}")],
        [("tag", "Dot", None, 'kind: "dot"'), ("union-absent", "Shape", "without kind: Dot", None)],
    ),
    "a control": (
        [("controls:\n", "controls:\n  wait: {doc: W., from: b, request: {for: number}, response: Point | none}\n")],
        [("control", "wait", None, "{for: number} → Point | none")],
    ),
    "a control's answer": (
        [("from: a, response: Point", "from: a, response: Point | none")],
        [("control-response", "start", "Point", "Point | none")],
    ),
    "the data of a control's error": (
        [("from: a, response: Point", "from: a, response: Point, error: Dot")],
        [("control-error", "start", None, "Dot")],
    ),
    "a request": (
        [("why?: string", "why: string")],
        [("field-presence", "StopRequest", "why?: string", "why: string")],
    ),
    "a tool": ([("tools:\n", "tools:\n  ink: {doc: I., input: Point}\n")], [("tool", "ink", None, "Point → untyped")]),
    "a tree": (
        [("tools:\n", "trees:\n  T: {doc: T., lines: Base, id: /id, parent: /id}\ntools:\n")],
        [("tree", "T", None, "Base: id /id, parent /id")],
    ),
    "a tool's input": ([("input: Point", "input: Left")], [("tool-input", "pen", "Point", "Left")]),
    "a tool's output": ([(", output: string", "")], [("tool-output", "pen", "string", None)]),
}  # fmt: skip  (a table)

ALIKE: dict[str, list[Change]] = {
    "prose and names in targets": [("doc: P., fields", "doc: Q., name: Spot, observed: true, fields")],
    "constructors and defaults": [
        ("x: number", "x: {type: number, default: 1}"),
        ("messages:\n", "messages:\n  Wipe: {doc: W., from: a, tag: {type: wipe}}\n"),
    ],
    "what nothing leads to": [("types:\n", "types:\n  Lost: {doc: L., fields: {x: number}}\n")],
    "the order of variants, of members and of inline unions": [
        ("[Square, Circle, Dot]", "[Dot, Circle, Square]"),
        ("x: number, y: number", "y: number, x: number"),
    ],
    "members of a mixin that are written out": [("include: [Base], fields: {", "fields: {id: Id, when?: timestamp, ")],
    "an alias in place of what it stands for": [("id: Id", "id: string"), ("left: string", "left: Id")],
    "a union in a union by the same discriminator": [
        ("[Draw, Undo]", "[Drawn]"),
        ("unions:\n", "unions:\n  Drawn: {doc: D., open: true, by: type, variants: [Draw, Undo]}\n"),
    ],
    "a field that never travels": [("{params: {at: Point}}", "{params: {at: Left}, returns: string}")],
    "the name of a request's type": [("start: {doc: S.,", "start: {doc: S., name: Begin,")],
    "the version": [("version: 1.0.0", "version: 2.0.0")],
    "a type of another name that says so": [
        ("  Point: {doc: P., fields", "  Spot: {doc: P., formerly: Point, fields"),
        ("Point", "Spot"),
        ("formerly: Spot", "formerly: Point"),
    ],
}


def said(differences: tuple[Difference, ...]) -> list[Said]:
    return [(d.rule, d.name, d.before.text, d.after.text) for d in differences]


def in_any_order(differences: tuple[Difference, ...]) -> list[str]:
    return sorted(map(repr, differences))


def mirrored(differences: tuple[Difference, ...]) -> list[str]:
    return sorted(repr(Difference(difference.rule, difference.after, difference.before)) for difference in differences)


# --- differences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_each_thing_that_differs_is_said_once(case: str) -> None:
    changes, expected = CASES[case]
    assert said(compare(drawing(), drawing(*changes))) == expected


@pytest.mark.parametrize("case", CASES)
def test_seen_from_the_other_side_each_difference_is_its_mirror(case: str) -> None:
    before, after = drawing(), drawing(*CASES[case][0])
    assert mirrored(compare(after, before)) == in_any_order(compare(before, after))


@pytest.mark.parametrize("case", CASES)
def test_a_spec_does_not_differ_from_itself(case: str) -> None:
    one = drawing(*CASES[case][0])
    assert compare(one, one) == ()


@pytest.mark.parametrize("case", ALIKE)
def test_what_is_not_on_the_wire_makes_no_difference(case: str) -> None:
    assert compare(drawing(), drawing(*ALIKE[case])) == ()


def test_every_rule_has_a_case() -> None:
    found = {rule for _, expected in CASES.values() for rule, *_ in expected}
    assert found | {rule for rule, *_ in (*CHANGES_OF_A_TREE, *CHANGES_OF_TABLES)} == set(RULES)


CHANGES_OF_A_TREE = [
    ("tree-lines", "Log", "One", "Two"),
    ("tree-pointer", "Log", "/up", "/id"),
    ("tree-pointer", "Log", None, "/up"),
]


def test_a_tree_is_compared_by_its_lines_and_by_each_pointer(tmp_path: Path) -> None:
    new = TREE.replace("lines: One, id: /id, parent: /up", "lines: Two, id: /id, parent: /id, attached: /up")
    found = compare(one_of(tmp_path / "old", TREE), one_of(tmp_path / "new", new))
    assert said(found) == CHANGES_OF_A_TREE
    assert [each.before.key for each in found] == ["", "parent", "attached"]


CHANGES_OF_TABLES = [
    ("table-lines", "a", "One", "Line"),
    ("table-rows", "a", "/parts/*", "/more/*"),
    ("table-is", "a", "Box", "Part"),
    ("table-column", "a", "gone: string", None),
    ("table-column-name", "a", "was: string", "now: string"),
    ("table-column-type", "a", "size: integer", "size: string"),
    ("table-column-place", "a", "/id", "name"),
    ("table-column", "a", None, "new: integer"),
    ("table-unique", "a", "id", "at"),
    ("table-column-order", "a", "id, gone, was, size, at", "now, id, size, at, new"),
    ("table-name", "renamed", "named", "renamed"),
    ("table-variants", "renamed", "Box", "Box, Bag"),
    ("table", "left", "One: id", None),
]


def test_tables_are_compared_by_what_they_read_and_by_each_column(tmp_path: Path) -> None:
    new = TABLES.replace("variants: [Box]", "variants: [Box, Bag]").partition("tables:\n")[0] + NEW_TABLES
    found = compare(one_of(tmp_path / "old", TABLES), one_of(tmp_path / "new", new))
    assert said(tuple(each for each in found if each.rule.startswith("table"))) == CHANGES_OF_TABLES


TABLES = """\
polywire: 1
protocol: {name: log, title: Log, versions: [1.0, 2.0], framing: ndjson, peers: [a, b], roots: [Line]}
messages:
  One: {doc: O., from: a, tag: {type: one}, fields: {id: string, parts: "Part[]", more: "Part[]"}}
unions:
  Line: {doc: L., open: true, by: type, variants: [One]}
  Part: {doc: P., open: true, by: kind, variants: [Box]}
types:
  Box: {doc: B., tag: {kind: box}, fields: {name: string, size: integer}}
  Bag: {doc: B., tag: {kind: bag}, fields: {name: string}}
tables:
  a:
    doc: A.
    lines: One
    rows: /parts/*
    is: Box
    unique: [id]
    columns: {id: /id, gone: name, was: name, size: size, at: /id}
  named: {doc: N., lines: One, rows: /parts/*, is: Part, columns: {id: /id}}
  left: {doc: L., lines: One, columns: {id: /id}}
"""
NEW_TABLES = """\
tables:
  a:
    doc: A.
    lines: Line
    rows: /more/*
    is: Part
    unique: [at]
    columns: {now: {at: name, formerly: was}, id: /id, size: {at: name, type: string}, at: name, new: {key: true}}
  renamed: {doc: N., formerly: named, lines: One, rows: /parts/*, is: Part, columns: {id: /id}}
"""


TREE = """\
polywire: 1
protocol: {name: log, title: Log, versions: [1.0, 2.0], framing: ndjson, peers: [a, b], roots: [One, Two]}
messages:
  One: {doc: O., from: a, fields: {id: string, up?: string}}
  Two: {doc: T., from: a, fields: {id: string, up?: string}}
trees: {Log: {doc: L., lines: One, id: /id, parent: /up}}
"""


def one_of(folder: Path, spec: str) -> Model:
    folder.mkdir()
    (folder / "protocol.yaml").write_text(spec)
    model = build(source.load(folder)).model
    assert model is not None
    return model


# --- where it is reported --------------------------------------------------------------------------------------


def test_a_difference_names_the_places_on_both_sides() -> None:
    line = 1 + SPEC.split("\n").index("  Point: {doc: P., fields: {x: number, y: number}}")
    found = compare(drawing(), drawing(("x: number", "x?: number")))
    assert found == (
        Difference(
            "field-presence",
            Side("Point", "x", "x: number", SourceLocation("protocol.yaml", line, 29)),
            Side("Point", "x", "x?: number", SourceLocation("protocol.yaml", line, 29)),
        ),
    )


def test_what_is_gone_is_missed_where_it_could_have_been_said() -> None:
    line = 1 + SPEC.split("\n").index("  Point: {doc: P., fields: {x: number, y: number}}")
    (found,) = compare(drawing(), drawing((", y: number", "")))
    assert found.before == Side("Point", "y", "y: number", SourceLocation("protocol.yaml", line, 40))
    assert found.after == Side("Point", place=SourceLocation("protocol.yaml", line, 3))


def test_what_a_mixin_lends_is_said_once_with_the_types_that_have_it() -> None:
    (found,) = compare(drawing(), drawing(("when?: timestamp", "when?: string")))
    assert (found.rule, found.name, found.before.text, found.after.text) == (
        "format",
        "Base",
        "when?: timestamp",
        "when?: string",
    )
    assert found.before.types == found.after.types == ("Circle", "Dot", "Draw")


def test_a_type_that_has_it_of_its_own_is_none_of_those_that_have_it_from_the_mixin() -> None:
    (found,) = compare(
        drawing(("fields: {at?: Point | null}", "fields: {at?: Point | null, when?: timestamp}")),
        drawing(
            ("fields: {at?: Point | null}", "fields: {at?: Point | null, when?: timestamp}"),
            ("Base: {doc: B., fields: {id: Id, when?: timestamp}}", "Base: {doc: B., fields: {id: Id}}"),
        ),
    )
    assert (found.name, found.before.types) == ("Base", ("Circle", "Draw"))


def test_a_mixin_that_one_type_no_longer_has_is_said_of_that_type() -> None:
    found = compare(drawing(), drawing(("tag: {kind: null}, include: [Base],", "tag: {kind: null},")))
    assert said(found) == [("field", "Dot", "id: Id", None), ("field", "Dot", "when?: timestamp", None)]
    assert [d.before.types for d in found] == [(), ()]


def test_a_variant_of_a_nested_union_is_said_there_alone() -> None:
    nested: Change = ("[Draw, Undo]", "[Drawn, Undo]")
    inner = "unions:\n  Drawn: {doc: D., open: true, by: type, variants: [Draw%s]}\n"
    wipe: Change = ("messages:\n", "messages:\n  Wipe: {doc: W., from: a, tag: {type: wipe}}\n")
    found = compare(
        drawing(nested, wipe, ("unions:\n", inner % "")),
        drawing(nested, wipe, ("unions:\n", inner % ", Wipe")),
    )
    assert said(found) == [
        ("union-variant", "Drawn", None, "Wipe"),
        ("declaration", "Wipe", None, 'type: {type: "wipe"}'),
    ]


def test_a_union_that_brings_nothing_but_new_variants_is_named_in_their_place() -> None:
    more: Change = (
        "messages:\n",
        "messages:\n  Wipe: {doc: W., from: a, tag: {type: wipe}}\n  Zoom: {doc: Z., from: a, tag: {type: zoom}}\n",
    )
    inner: Change = ("unions:\n", "unions:\n  More: {doc: D., open: true, by: type, variants: [Wipe, Zoom]}\n")
    found = compare(drawing(), drawing(more, inner, ("[Draw, Undo]", "[Draw, Undo, More]")))
    assert said(found)[0] == ("union-variant", "Line", None, "More")
    assert [d.name for d in found[1:]] == ["Wipe", "Zoom"]


def test_an_alias_that_leads_back_to_itself_comes_to_an_end() -> None:
    tree: Change = ("aliases:\n", 'aliases:\n  Tree: {doc: T., type: "string | Tree[]"}\n')
    twig: Change = ("aliases:\n", 'aliases:\n  Twig: {doc: T., type: "Twig[] | string"}\n')
    before, after = drawing(tree, ("x: number", "x: Tree")), drawing(twig, ("x: number", "x: Twig"))
    assert [rule for rule, *_ in said(compare(before, after))] == ["declaration", "declaration"]


# --- dialects --------------------------------------------------------------------------------------------------


def dialects_of(folder: Path, **overlays: str) -> dict[str, Model]:
    """Return the protocol and dialects of it."""
    folder.mkdir(exist_ok=True)
    (folder / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    (folder / "dialects").mkdir()
    for name, text in overlays.items():
        (folder / "dialects" / f"{name}.yaml").write_text(f"dialect: {name}\ndoc: D.\n{text}", encoding="utf-8")
    found = {}
    for name in (None, *overlays):
        built = build(source.load(folder, name))
        assert built.model is not None
        assert built.findings == ()
        found[name or "base"] = built.model
    return found


EAST = "change: {types: {Base: {fields: {id: {rename: key}}}, Point: {fields: {x: {rename: east}}}}}\n"
LONG = "change: {types: {Point: {fields: {x: {rename: longitude, type: integer}}}}}\n"
FAR = "over: east\nchange: {types: {Point: {fields: {east: {rename: far_east}}}}}\n"


def test_a_field_that_an_overlay_renames_is_recognised(tmp_path: Path) -> None:
    models = dialects_of(tmp_path, east=EAST)
    found = compare(models["base"], models["east"])
    assert said(found) == [
        ("field-name", "Base", "id: Id", "key: Id"),
        ("field-name", "Point", "x: number", "east: number"),
    ]
    assert found[0].after.types == ("Circle", "Dot", "Draw")
    assert found[1].after.place == SourceLocation("dialects/east.yaml", 3, 72)


def test_what_two_dialects_call_otherwise_is_one_field(tmp_path: Path) -> None:
    models = dialects_of(tmp_path, east=EAST, long=LONG, far=FAR)
    assert said(compare(models["east"], models["long"]))[1:] == [
        ("field-name", "Point", "east: number", "longitude: integer"),
        ("type", "Point", "east: number", "longitude: integer"),
    ]
    assert said(compare(models["east"], models["far"])) == [
        ("field-name", "Point", "east: number", "far_east: number"),
    ]
    assert said(compare(models["base"], models["far"]))[1:] == [
        ("field-name", "Point", "x: number", "far_east: number"),
    ]


def test_a_tree_that_reads_a_member_under_both_names_has_the_pointer_that_it_had(tmp_path: Path) -> None:
    renamed = TREE.replace("up?: string", '"parent?": {type: string, formerly: {name: up, until: 1.0}}')
    old, new = one_of(tmp_path / "old", TREE), one_of(tmp_path / "new", renamed.replace("/up", "/parent"))
    assert {d.rule for d in compare(old, new)} == {"field"}
    (change,) = (d for d in compare(new, old) if d.rule == "tree-pointer")
    assert (change.before.key, change.before.text, change.after.text) == ("parent", "/parent", "/up")


def test_a_dialect_without_the_controls_has_no_requests_and_responses(tmp_path: Path) -> None:
    models = dialects_of(tmp_path, bare="roots: [Line]\nremove: [pen]\n")
    found = compare(models["base"], models["bare"])
    assert [(d.rule, d.before.name or d.before.text) for d in found] == [
        ("root", "Ask"),
        ("root", "Answer"),
        ("root", "Settings"),
        ("envelope", "id /id, payload /request by sub"),
        ("envelope", "id /response/id, payload /response/result"),
        ("envelope", "id /response/id, message /response/error, data /response/detail"),
        ("control", "stop"),
        ("control", "start"),
        ("tool", "pen"),
        ("declaration", "Given"),
        ("declaration", "Ask"),
        ("declaration", "Answer"),
        ("declaration", "Asked"),
        ("declaration", "Settings"),
    ]


@cache
def every_model(root: Path, spec: str) -> dict[str, Model]:
    proper = source.load(root / spec)
    sources = {"base": proper, **{name: source.in_dialect(proper, name) for name in source.dialects(root / spec)}}
    models = {name: build(read).model for name, read in sources.items()}
    return {name: each for name, each in models.items() if each is not None}


@pytest.mark.parametrize("spec", [pytest.param("spec", marks=pytest.mark.full), "tests/specs/parcel"])
def test_no_dialect_differs_from_itself_and_any_two_differ_alike_from_either_side(root: Path, spec: str) -> None:
    models = every_model(root, spec)
    assert len(models) == 1 + len(source.dialects(root / spec)) > 2
    for one in models.values():
        assert compare(one, one) == ()
    for before, after in combinations(models.values(), 2):
        found = compare(before, after)
        assert len(found) > 3
        assert len(set(found)) == len(found)
        assert mirrored(compare(after, before)) == in_any_order(found)


def test_what_differs_in_a_small_dialect_of_parcel_is_all_that_its_overlay_says(root: Path) -> None:
    models = every_model(root, "tests/specs/parcel")
    found = compare(models["base"], models["terse"])
    assert said(found) == [
        ("envelope", "", "id /ask_id, payload /ask by what", "id /ask_id, payload the line itself by what"),
        ("field-name", "Hello", "id?: uuid", "hello_id?: uuid"),
        ("field", "Hello", None, "motto?: string"),
        ("field-flatten", "Ask", "ask: Request", "ask: Request (flattened)"),
    ]


# --- checked against the tables of decoders --------------------------------------------------------------------


def table(made: Model, row: Row, name: str) -> object:
    """Return a decoder's table for a struct or an enum, without the order of members and siblings' claims."""
    match row:
        case EnumRow(base=base, open=is_open, values=values):
            return base, is_open, frozenset(values)
        case StructRow(members=members, extra=extra):
            synthetic = {f.name for f in made.struct(name).fields if f.claimed and f.place == made.struct(name).place}
            return frozenset(map(_member, (each for each in members if each.key not in synthetic))), extra
        case _:
            raise TypeError(row)


def _member(row: MemberRow) -> object:
    return (row.key, row.rule, row.flags) if isinstance(row, FieldRow) else row


def on_both_sides(before: Model, after: Model) -> set[str]:
    """Return the structs and enums that are sent on both sides."""
    shared = travelling(before) & travelling(after)
    return {n for n in shared if all(isinstance(m.declarations[n], Struct | Enum) for m in (before, after))}


@pytest.mark.parametrize("spec", [pytest.param("spec", marks=pytest.mark.full), "tests/specs/parcel"])
def test_a_declaration_is_named_where_decoders_have_another_table_for_it_and_nowhere_else(
    root: Path, spec: str
) -> None:
    models = every_model(root, spec)
    tables = {id(each): rows(each) for each in models.values()}
    for before, after in combinations(models.values(), 2):
        shared = on_both_sides(before, after)
        old, new = tables[id(before)], tables[id(after)]
        other = {name for name in shared if table(before, old[name], name) != table(after, new[name], name)}
        found = [d for d in compare(before, after) if d.rule not in {"from", "declaration", "root", "kind"}]
        named = {name for d in found for name in (*d.after.types, *([] if d.after.types else [d.name]))}
        assert named & shared == other
