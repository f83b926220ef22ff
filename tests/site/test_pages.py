"""The files of the reference: complete, with escaped content, deterministic, and without broken links."""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import sampling
from compiled import model_if_accepted
from drawn import draw, folder
from parsed_pages import Page, Site, site_of, spec_site
from polywire import checks
from polywire.commands.cli import cli
from polywire.plan.tables import tables_plan
from polywire.reading.docs.messages import diagram, sent
from polywire.reading.docs.places import anchor, stems
from polywire.reading.docs.prose import Piece, brief, prose
from polywire.reading.docs.site import MANIFEST
from polywire.reading.docs.source import source_links
from polywire.writing.render import compile_templates
from sampling import SEED

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "tests" / "specs"
PARCEL = SPECS / "parcel"
FOLDERS = {path.parent.relative_to(SPECS).as_posix(): path.parent for path in sorted(SPECS.rglob("protocol.yaml"))}
BLOCK, BLOCKS = 20, sampling.number(4, 30)
"""The specs per test, and the number of tests."""


@pytest.fixture(scope="module")
def parcel() -> Site:
    return spec_site(PARCEL)


# --- pages and links -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOLDERS)
def test_every_page_of_a_spec_is_sound_and_every_link_leads_somewhere(name: str) -> None:
    assert list(spec_site(FOLDERS[name]).faults()) == []


def test_so_is_that_of_a_dialect() -> None:
    assert list(spec_site(PARCEL, "terse").faults()) == []


def test_so_is_that_of_this_repository_and_it_is_no_heavier_than_people_wait_for(whole: Site) -> None:
    assert list(whole.faults()) == []
    assert max(map(len, whole.files.values())) < 320_000
    assert sum(map(len, whole.files.values())) < 9_000_000


@pytest.mark.parametrize("name", ["desk", "forest", "forms", "history", "ledger", "parcel"])
def test_everything_of_a_spec_can_be_searched_for(name: str) -> None:
    check_search(spec_site(FOLDERS[name]))


def test_so_can_everything_of_this_repositorys_spec(whole: Site) -> None:
    check_search(whole)


def check_search(site: Site) -> None:
    model = site.model
    wanted = [*model.declarations, *(each.key for each in model.controls), *(each.pattern for each in model.tools)]
    wanted += [each.name for each in (*model.trees, *model.tables)]
    for struct in model.structs:
        keys = {tag.key for tag in struct.tags} | {each.key for each in struct.consts}
        wanted += [f"{struct.name}.{key}" for key in keys | {field.name for field in struct.fields}]
    for enum in model.enums:
        wanted += [f"{enum.name}.{value.wire}" if isinstance(value.wire, int) else "" for value in enum.values]
    found = {name for name, _ in site.found()}
    assert {each for each in wanted if each and each.isprintable()} - found == set()
    shown = sum(each.startswith(("m-", "v-")) for page in site.pages.values() for each in page.ids)
    assert sum(len(row[4]) for row in site.index) == shown


def test_a_tree_is_shown_with_its_entries_and_pointers() -> None:
    page = spec_site(FOLDERS["forest"]).files["trees.html"]
    text = page.decode() if isinstance(page, bytes) else page
    assert '<a href="types/Entry.html">Entry</a></code>: id <code>/id</code>, parent <code>/parent</code>' in text
    assert "Entries with integers as ids, in an object inside." in text


def test_every_table_is_shown_with_its_columns_and_links_to_its_types() -> None:
    site = spec_site(FOLDERS["ledger"])
    check_tables(site)
    text = site.files["tables.html"].decode()
    assert "<tr><th>tags</th><td><code>string[]</code></td><td><code>tags~1of</code> </td></tr>" in text
    assert "tables.html" in site.pages["index.html"].links


def test_so_is_every_table_of_this_repositorys_spec(whole: Site) -> None:
    check_tables(whole)


def check_tables(site: Site) -> None:
    head, *sections = site.files["tables.html"].decode().split("<h2 ")
    assert "<h1>Tables</h1>" in head
    plans = tables_plan(site.model).tables
    assert len(plans) == len(sections) == len(site.model.tables)
    for plan, section in zip(plans, sections, strict=True):
        table, page = plan.table, Page(f"<h2 {section.partition('</main>')[0]}")
        assert page.ids == [f"r-{plan.name}"]
        types = [f"types/{name}.html" for name in (*table.lines, *(table.types or ()))]
        assert page.links[: len(types) + 1] == [f"#r-{plan.name}", *(each for each in types)]
        assert shown(table.about.doc) in page.text
        rows = re.findall(r"<tr><th>(\w+)</th><td><code>([a-z]+)(\[\])?</code></td><td>(.*)</td></tr>", section)
        assert [(name, type_, bool(is_list)) for name, type_, is_list, _ in rows] == [
            (each.name, each.type.type, each.type.is_list) for each in plan.columns
        ]
        for each, (*_, value) in zip(plan.columns, rows, strict=True):
            assert shown(each.doc) in Page(value).text
        assert ("copies have the same " + " , ".join(table.unique) in page.text) is bool(table.unique)
        assert {*table.unique} <= {name for name, *_ in rows}


def shown(doc: str | None) -> str:
    """The text of the first paragraph of a doc up to its first code, as a page shows it."""
    return " ".join((doc or "").partition("\n\n")[0].partition("`")[0].split())


def test_the_pages_of_all_declarations_are_reached_from_the_first(parcel: Site) -> None:
    reached, ahead = set[str](), ["index.html"]
    while ahead:
        path = ahead.pop()
        if path not in reached:
            reached.add(path)
            here = posixpath.dirname(path)
            links = (link.partition("#")[0] for link in parcel.pages[path].links)
            ahead += [posixpath.normpath(posixpath.join(here, link)) for link in links if link]
    assert reached == parcel.pages.keys()


# --- content ---------------------------------------------------------------------------------------------------

SPEC = """
polywire: 1
protocol:
  name: shop
  title: A shop
  versions: [1.0, 1.1, 2.0]
  framing: ndjson
  peers: [client, server]
  roots: [Line]
  control:
    request: {envelope: Ask, id: /id, payload: /body, by: kind}
    response: {envelope: Answer, id: /id, result: /result}
packages: {python: {module: shop}, go: {module: example.com/shop, package: shop}}
types:
  Named: {doc: What has a name., fields: {name: {type: "string(1..40)", doc: For people., default: nobody}}}
messages:
  Order:
    doc: |-
      An order of `Item`s, see `Colour`.

      It has a second paragraph.
    from: client
    include: [Named]
    tag: {type: order}
    const: {edition: 2}
    fields:
      colour: Colour
      note?: {type: string | null, since: 1.1, formerly: {name: remark, until: 1.1}, doc: What to know.}
      items: {type: "Item[1..9]", doc: All of them.}
      gift?: {type: boolean, until: 1.1, deprecated: "`note`"}
      rest?: {type: json, on_error: absent}
    construct: {NewOrder: {doc: Makes one., params: [{colour: /colour}, {items: /items}], set: {/note: null}}}
    examples: [{doc: The least., value: {type: order, name: x, edition: 2, colour: red, items: [{size: 1}]}}]
  Ask: {doc: A request., from: client, tag: {type: ask}, fields: {id: string, body: Bodies}}
  Answer: {doc: An answer., from: server, tag: {type: answer}, fields: {id: string, result?: json}}
unions:
  Line: {doc: A line., open: true, by: type, variants: [Order, Ask, Answer]}
  Bodies: {doc: What is asked., open: true, by: kind}
  Way:
    doc: How it goes.
    open: false
    by: keys
    variants: [{name: Road, when: {has: [km], lacks: [miles]}}, {name: Sea, when: {has: [miles]}}]
enums:
  Colour: {doc: A colour., open: true, values: {red: Like blood., green: {doc: Like grass., since: 2.0}}}
  Size:
    doc: A size.
    open: false
    base: integer
    values: {small: {value: 1, doc: Small.}, large: {value: 2, doc: Large.}}
"""
MORE = """
types:
  Item: {doc: A thing., fields: {size: Size}}
  Road: {doc: By road., fields: {km: integer}}
  Sea: {doc: By sea., fields: {miles: integer, ways?: "map<Way>"}}
aliases: {Price: {doc: In cents., type: integer(0..)}}
controls:
  stock: {doc: Asks what there is., from: client, name: StockAsk, request: {of: Item}, response: Price | none}
tables:
  orders:
    doc: Every order, see `Order`.
    lines: Order
    unique: [name]
    columns:
      name: /name
      hue: {at: /colour, doc: Its colour., formerly: tint, deprecated: "`raw`"}
      raw: ""
  things:
    doc: The things that are ordered.
    lines: Line
    rows: /items/*
    is: Item
    columns: {number: {key: true}, size: size}
tools: {"shop__*": {doc: Any of ours., input: Item, output: Price}}
options:
  Settings:
    doc: How it is run.
    launch: {arguments: [--json], environment: {SHOP: "on", DEBUG: null}}
    conflicts: [{fields: [port, socket], message: One of both.}]
    fields:
      port?: {type: integer, doc: Where., carry: [{flag: --port}, {env: SHOP_PORT, since: 1.1}]}
      socket?: {type: string, doc: Where., carry: [{flag: --socket, unless: port}]}
      price?: {type: Price, doc: First., carry: [{control: stock, at: /of, when: {kind: number}}]}
      on_line?: {doc: Is given each., callback: {params: {line: Line}, returns: boolean}}
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Site:
    where = tmp_path_factory.mktemp("shop")
    (where / "protocol.yaml").write_text(SPEC.replace("types:", "parts: [more.yaml]\ntypes:", 1), encoding="utf-8")
    (where / "more.yaml").write_text(MORE, encoding="utf-8")
    return spec_site(where)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("index", "A shop Version 1.0 to 2.0 Framing ndjson Peers client, server Roots Line"),
        ("index", "value = shop.decode(line, shop.Line)"),
        ("types/Order", "message from client in protocol Order An order of Item s, see Colour . It has a second"),
        ("types/Order", 'type required "order" tag edition required 2 constant name required string(1..40)'),
        ("types/Order", "For people. from Named"),
        ("types/Order", 'default "nobody"'),
        ("types/Order", "note optional, may be null string | null What to know. since 1.1 · formerly remark"),
        ("types/Order", "items required Item [1..9] All of them."),
        ("types/Order", "gift optional boolean until 1.1 · deprecated: `note`"),
        ("types/Order", "rest optional, may be null json what does not fit is absent"),
        ("types/Order", "NewOrder Makes one. colour fills /colour items fills /items /note is null"),
        ("types/Order", 'Example The least. {"type": "order", "name": "x"'),
        ("types/Order", "Python: Order import shop value = shop.decode(line, shop.Order)"),
        ("types/Order", 'Go: Order import "example.com/shop/shop" value, err := shop.Decode[shop.Order](line)'),
        ("types/Order", "Used by variant of Line"),
        ("types/Line", "The member type decides what an object is. Open: an object that is none of these is read as"),
        ("types/Line", 'type = "order" Order type = "ask" Ask type = "answer" Answer otherwise Unknown'),
        (
            "types/Way",
            "Closed: an object that is none of these is an error. If It is has km, lacks miles Road has miles",
        ),
        ("types/Colour", "Open: another value is kept as it is, and written back; strict mode refuses it. Value"),
        ("types/Colour", '"red" Like blood. "green" Like grass. since 2.0'),
        ("types/Size", "Closed: another value is an error. Value Meaning 1 Small. small 2 Large. large"),
        ("types/Price", "Stands for integer(0..) . Example Made from the spec"),
        ("types/StockAsk", "Control stock Request StockAsk Sent by client Answered with Price or nothing"),
        ("types/Settings", "port optional integer Where. Travels as argument --port variable SHOP_PORT: since 1.1"),
        ("types/Settings", "argument --socket: unless `port` travels"),
        ("types/Settings", "request stock at /of: if it is of the kind number"),
        ("types/Settings", "on_line optional (line: Line ) → boolean Is given each. never travels"),
        ("types/Settings", "Arguments before all others: --json Variables: SHOP=on , without DEBUG"),
        ("types/Settings", "Options that exclude each other port, socket: One of both."),
        ("types/Item", "Used by field items of Order field of of StockAsk input of tool shop__*"),
        ("controls", "Requests are told apart by kind . Their ids are random UUIDs."),
        ("controls", "request id Ask at /id request payload Ask at /body"),
        ("controls", "stock Asks what there is. Request StockAsk Sent by client Answered with Price or nothing"),
        ("tools", "shop__* Item → Price Any of ours."),
        ("tables", "Its first columns are file , line and row ."),
        ("tables", "orders Every order, see Order . Lines: Order ; copies have the same name Column Type Value"),
        (
            "tables",
            "name string /name For people. hue string /colour Its colour. formerly tint · deprecated: `raw` raw json",
        ),
        ("tables", "things The things that are ordered. Lines: Line ; rows: /items/* ; values: Item Column Type Value"),
        ("tables", "number integer key size integer size"),
        ("areas/more", "Item type A thing."),
        ("messages", "Sent by client Messages Message What it is Order An order of Items, see Colour. Ask A request."),
        ("messages", "Requests and their answers Request Answer stock StockAsk → Price or nothing Asks what there is."),
        ("messages", "Sent by server Messages Message What it is Answer An answer."),
        ("types/Order", "It has a second paragraph. declared in protocol.yaml:18 Members"),
        ("types/Item", "A thing. declared in more.yaml:3 Members"),
    ],
)
def test_a_page_tells(shop: Site, page: str, told: str) -> None:
    assert told in shop.pages[f"{page}.html"].text


# --- who sends what --------------------------------------------------------------------------------------------


def test_every_page_leads_to_the_messages(shop: Site) -> None:
    for path, page in shop.pages.items():
        assert ("../" if "/" in path else "") + "messages.html" in page.links


def test_a_protocol_without_messages_has_no_page_of_them(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(BARE.replace("messages", "types").replace("from: a, ", ""), "utf-8")
    site = spec_site(tmp_path)
    assert {"messages.html", "tables.html"}.isdisjoint(site.files)
    assert list(site.faults()) == []


def test_the_diagram_has_an_arrow_for_each_kind_of_thing_that_a_peer_sends(shop: Site) -> None:
    shown = diagram(shop.model.protocol.peers, sent(shop.model))
    assert [each.name for each in shown.peers] == ["client", "server"]
    there, back = (shown.peers[0].x, shown.peers[1].x), (shown.peers[1].x, shown.peers[0].x)
    assert [(each.text, (each.start, each.end), each.is_answer) for each in shown.arrows] == [
        ("2 messages", there, False),
        ("1 request", there, False),
        ("answers", back, True),
        ("1 message", back, False),
    ]
    assert [each.names for each in shown.arrows] == ["Order, Ask", "stock", "", "Answer"]
    assert shown.words == "Who sends what: client sends 2 messages and 1 request. server sends 1 message."


def test_the_diagram_has_room_for_any_peers_and_names(tmp_path: Path) -> None:
    long, peers = "N" * 99, ["a", "p" * 99, "c"]
    header = BARE.replace("[a, b]", json.dumps(peers))
    (tmp_path / "protocol.yaml").write_text(header + "parts: [more.yaml]\n", encoding="utf-8")
    (tmp_path / "more.yaml").write_text(
        f"messages: {{{long}: {{doc: L., from: both, fields: {{}}}}}}\n", encoding="utf-8"
    )
    site = spec_site(tmp_path)
    assert list(site.faults()) == []
    shown = diagram(peers, sent(site.model))
    assert [each.name for each in shown.peers] == ["a", "p" * 14 + "…", "c", "the others"]
    assert [(each.names, len(each.heads)) for each in shown.arrows] == [("Line", 1), ("N" * 33 + "…", 2)]
    assert all(0 < each.x < shown.width for each in shown.peers)


# --- releases and places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "marked"),
    [
        ("types/Order", '<tr id="m-note" data-since="1.1">'),
        ("types/Order", '<tr id="m-gift" data-until="1.1">'),
        ("types/Order", '<tr id="m-colour">'),
        ("types/Colour", '<tr id="v-green" data-since="2.0">'),
    ],
)
def test_what_some_releases_lack_is_marked_with_those_that_have_it(shop: Site, page: str, marked: str) -> None:
    assert marked in shop.files[f"{page}.html"].decode()
    assert shop.releases == ["1.0", "1.1", "2.0"]


def test_declarations_and_variants_are_marked_in_every_list() -> None:
    site = spec_site(SPECS / "history")
    name, since = next((n, d.about.since) for n, d in site.model.declarations.items() if d.about.since)
    assert f'<h1 data-since="{since}">{name}</h1>' in site.files[f"types/{name}.html"].decode()
    assert f'<tr data-since="{since}"><th><a href="types/{name}.html">' in site.files["names.html"].decode()


ADDRESS = "https://example.org/a&b/{file}?x#L{line}"


def test_a_place_links_to_its_line(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(BARE + "parts: ['a b/<i>\"#.yaml']\n", encoding="utf-8")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / '<i>"#.yaml').write_text("types:\n  Thing: {doc: A type., fields: {}}\n", encoding="utf-8")
    model = checks.check(tmp_path).model
    assert model is not None
    site = site_of(model, source=source_links(ADDRESS))
    assert "https://example.org/a&b/a%20b/%3Ci%3E%22%23.yaml?x#L2" in site.pages["types/Thing.html"].links
    assert "https://example.org/a&b/protocol.yaml?x#L4" in site.pages["types/Line.html"].links
    assert all(fault.endswith("leaves the reference") for fault in site.faults())


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("http://example.org/{file}#L{line}", "it must begin with https:// and a host"),
        ("javascript:alert('{file}{line}')", "it must begin with https:// and a host"),
        ("https:///{file}#L{line}", "it must begin with https:// and a host"),
        ("https://[/{file}#L{line}", "it is not an address"),
        ("https://{file}.example.org/#L{line}", "its host must be written out"),
        ("https://me@example.org/{file}#L{line}", "its host must be written out"),
        ("https://example.org/{file}#L{column}", "{column} is no placeholder; there are {file} and {line}"),
        ("https://example.org/{file}", "it must have the placeholders {file} and {line} once each"),
        ("https://example.org/{file}{file}{line}", "it must have the placeholders"),
        ("https://example.org/{{file}}{line}", "it must have the placeholders"),
        ('https://example.org/"{file}{line}', "it may only have characters that addresses have"),
        ("https://example.org/ {file}{line}", "it may only have characters that addresses have"),
    ],
)
def test_an_address_of_the_source_is_checked(here: Path, address: str, fault: str) -> None:
    done = run("--spec", str(PARCEL), "--out", "out", "--source", address)
    assert done.exit_code == 2
    assert fault in " ".join(done.stderr.replace("│", "").split())
    assert not (here / "out").exists()


def test_the_command_links_to_the_source(here: Path) -> None:
    assert run("--spec", str(PARCEL), "--out", "out", "--source", ADDRESS).exit_code == 0
    page = (here / "out" / "types" / "Named.html").read_text(encoding="utf-8")
    assert '<a href="https://example.org/a&amp;b/parts.yaml?x#L' in page


def test_the_pages_of_a_spec_with_all_of_that_are_sound(shop: Site) -> None:
    assert list(shop.faults()) == []
    check_search(shop)


# --- hostile specs ---------------------------------------------------------------------------------------------

NASTY = "</script><img src=x onerror=alert(1)>\u202e\u2028`<b>`[x](javascript:alert(1))'\"&amp;\x7f"


def test_what_a_spec_says_is_text_and_nothing_else(tmp_path: Path) -> None:
    said = json.dumps(NASTY).replace("\x7f", "\\x7f")
    (tmp_path / "protocol.yaml").write_text(HOSTILE.replace("NASTY", said), encoding="utf-8")
    site = spec_site(tmp_path)
    assert list(site.faults()) == []
    check_search(site)
    text = site.pages["types/Thing.html"].text
    assert text.count("</script><img src=x onerror=alert(1)>") >= 6
    for data in site.files.values():
        assert not {"\u202e", "\u2028", "\x7f"} & set(data.decode())
    assert b"<img" not in b"".join(site.files.values())
    assert b"</script><img" not in site.files["index.js"]


HOSTILE = """
polywire: 1
protocol: {name: x, title: NASTY, version: 1.0, framing: ndjson, peers: [a, b], roots: [Line], doc: NASTY}
messages:
  Thing:
    doc: NASTY
    source: NASTY
    from: a
    tag: {type: NASTY}
    fields:
      NASTY: {type: string, doc: NASTY, deprecated: NASTY, default: NASTY}
      other?: {type: Kind, doc: NASTY}
    construct: {New: {doc: NASTY, params: [], set: {/other: NASTY}}}
    examples: [{doc: NASTY, value: {type: NASTY, NASTY: NASTY, other: NASTY}}]
unions: {Line: {doc: NASTY, open: true, by: type, variants: [Thing]}}
enums: {Kind: {doc: NASTY, open: true, values: {NASTY: NASTY}}}
"""


def test_names_that_differ_in_case_and_names_that_a_system_keeps_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["Con", "Item", "ITEM", "item", "Nul", "Lpt1", "Index", "a" * 300, "a" * 300 + "b"]
    found = stems(names)
    assert (found["Item"], found["Index"]) == ("Item", "Index")
    assert len({stem.casefold() for stem in found.values()}) == len(names)
    assert all(len(stem) < 130 for stem in found.values())
    assert found["ITEM"] == stems(["Item", "ITEM", "Another"])["ITEM"]
    types = "".join(f"  {name}: {{doc: A type., fields: {{}}}}\n" for name in names[:7])
    (tmp_path / "protocol.yaml").write_text(f"{BARE}types:\n{types}", encoding="utf-8")
    site = spec_site(tmp_path, targets=("jsonschema",))
    assert list(site.faults()) == []
    assert {row[1] for row in site.index} == {*names[:7], "Line"}


BARE = """
polywire: 1
protocol: {name: x, title: X, version: 1.0, framing: ndjson, peers: [a, b], roots: [Line]}
messages: {Line: {doc: A line., from: a, fields: {}}}
"""


def test_an_area_is_called_after_its_file_wherever_that_is(tmp_path: Path) -> None:
    for part in ("con.yaml", "a b/<i>.yaml", "deep/er/x.yaml", "X/x.yaml"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        name = "T" + part.encode().hex()
        (tmp_path / part).write_text(f"types: {{{name}: {{doc: A type., fields: {{}}}}}}\n", encoding="utf-8")
    parts = "parts: [con.yaml, 'a b/<i>.yaml', deep/er/x.yaml, X/x.yaml]\n"
    (tmp_path / "protocol.yaml").write_text(BARE + parts, encoding="utf-8")
    site = spec_site(tmp_path)
    assert list(site.faults()) == []
    assert sum(path.startswith("areas/") for path in site.files) == 5


def test_different_names_have_different_anchors() -> None:
    names = ["a", "a b", "a~20~b", "a/b", "<a>", "é", "", " ", "\U0001f600", "~", "a\nb"]
    assert len({anchor("m", name) for name in names}) == len(names)
    assert anchor("m", "user_id") == "m-user_id"


def test_prose_has_paragraphs_and_code_and_no_links_but_to_declarations() -> None:
    found = prose("See `Item`, `other` and\nhttps://x.\n\n  \n[a](javascript:b) `", {"Item": "Item.html"}.get)  # type: ignore[arg-type]
    assert found == (
        (
            *(Piece("See "), Piece("Item", "Item.html", is_code=True), Piece(", ")),
            *(Piece("other", None, is_code=True), Piece(" and https://x.")),  # type: ignore[arg-type]
        ),
        (Piece("[a](javascript:b) '"),),
    )
    assert brief("One `word`. Two.") == "One word."
    assert brief("x" * 500) == "x" * 159 + "…"
    assert brief("In 0.2.33 only. Then not.") == "In 0.2.33 only."


@pytest.mark.parametrize("block", range(BLOCKS))
def test_drawn_specs_have_sound_pages(block: int, tmp_path: Path) -> None:
    accepted = 0
    for number in range(block * BLOCK, (block + 1) * BLOCK):
        spec = draw(f"{SEED}:{number}")
        model = model_if_accepted(spec, tmp_path / "spec", ("python", "jsonschema", "typescript", "go", "rust"))
        if model is not None:
            accepted += 1
            site = site_of(model)
            assert list(site.faults()) == [], number
            check_search(site)
    assert accepted > 0


# --- the command -----------------------------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["docs", *words], prog_name="polywire")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pages_are_written_checked_and_removed_when_they_are_no_more(here: Path) -> None:
    done = run("--spec", str(PARCEL), "--out", "out")
    files = sum(path.is_file() for path in (here / "out").rglob("*")) - 1
    assert (done.exit_code, done.stdout) == (0, f"{files} files in out: {files} created\n")
    assert (here / "out" / MANIFEST).is_file()
    assert run("--spec", str(PARCEL), "--out", "out", "--check").stdout == f"{files} files in out: up to date\n"
    other = run("--spec", str(SPECS / "desk"), "--out", "out")
    assert other.exit_code == 0
    assert not (here / "out/types/Label.html").exists()
    stale = run("--spec", str(PARCEL), "--out", "out", "--check")
    assert stale.exit_code == 1
    assert "missing: out/types/Label.html\n" in stale.stdout


def test_pages_live_beside_packages(here: Path) -> None:
    words = ["generate", "--spec", str(PARCEL), "--out", "out", "--target", "jsonschema"]
    assert CliRunner().invoke(cli, words).exit_code == 0
    assert run("--spec", str(PARCEL), "--out", "out").exit_code == 0
    assert (here / "out/jsonschema/parcel.schema.json").is_file()
    assert CliRunner().invoke(cli, ["check", *words[1:]]).exit_code == 0


def test_what_polywire_did_not_write_is_in_the_way(here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "index.html").write_text("mine", encoding="utf-8")
    done = run("--spec", str(PARCEL), "--out", "out")
    assert done.exit_code == 2
    assert "out/index.html: polywire did not write this file" in done.stderr
    assert [path.name for path in (here / "out").iterdir()] == ["index.html"]


@pytest.mark.parametrize("out", [".git/hooks", "sub/.GIT~1", ".github/workflows", "../x/.git"])
def test_a_folder_that_a_tool_obeys_is_refused(here: Path, out: str) -> None:
    done = run("--spec", str(PARCEL), "--out", out)
    assert done.exit_code == 2
    assert "which controls a tool; choose another folder" in " ".join(done.stderr.split())
    assert list(here.iterdir()) == []


def test_nothing_is_written_through_a_link(here: Path) -> None:
    (here / "out").mkdir()
    (here / "elsewhere").mkdir()
    (here / "out" / "types").symlink_to(here / "elsewhere")
    done = run("--spec", str(PARCEL), "--out", "out")
    assert done.exit_code == 2
    assert "is a symbolic link" in done.stderr
    assert list((here / "elsewhere").iterdir()) == []


def test_a_spec_with_errors_is_reported_and_nothing_is_written(here: Path) -> None:
    (here / "spec").mkdir()
    (here / "spec" / "protocol.yaml").write_text(BARE.replace("[Line]", "[Lime]"), encoding="utf-8")
    done = run("--out", "out")
    assert done.exit_code == 1
    assert "Lime" in done.stderr
    assert not (here / "out").exists()


def test_packages_are_called_as_the_repository_calls_them_and_only_its_targets_are_shown(here: Path) -> None:
    folder_of_spec = folder({}, here / "spec")
    (folder_of_spec / "protocol.yaml").write_text(BARE, encoding="utf-8")
    config = 'spec = "spec"\n[targets.python]\nout = "gen/py"\nmodule = "ours"\n'
    (here / "polywire.toml").write_text(config, encoding="utf-8")
    assert run("--out", "out").exit_code == 0
    page = (here / "out" / "types" / "Line.html").read_text(encoding="utf-8")
    assert "ours.decode(line, ours.Line)" in page
    assert "Rust" not in page


def test_a_release_has_a_reference_of_its_own(here: Path) -> None:
    history = SPECS / "history"
    assert run("--spec", str(history), "--out", "old", "--at", "0.2.33").exit_code == 0
    assert run("--spec", str(history), "--out", "all").exit_code == 0
    old, everything = ({path.name for path in (here / out / "types").iterdir()} for out in ("old", "all"))
    assert "Report.html" in everything - old


def test_the_same_spec_gives_the_same_bytes(tmp_path: Path) -> None:
    def made(out: str, **environment: str) -> Iterator[tuple[str, bytes]]:
        words = [sys.executable, "-m", "polywire", "docs", "--spec", str(PARCEL), "--out", out]
        subprocess.run(words, cwd=tmp_path, env=os.environ | environment, check=True, capture_output=True)
        for path in sorted((tmp_path / out).rglob("*")):
            if path.is_file():
                yield path.relative_to(tmp_path / out).as_posix(), path.read_bytes()

    first = dict(made("one", PYTHONHASHSEED="1", LC_ALL="C.UTF-8"))
    assert dict(made("two", PYTHONHASHSEED="2", LC_ALL="C", TZ="Asia/Kathmandu")) == first


def test_templates_that_a_wheel_brings_give_the_same_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parcel: Site
) -> None:
    from polywire.writing import render

    compile_templates(tmp_path)
    monkeypatch.setattr(render, "_SHIPPED", tmp_path / render._SHIPPED.name)
    render._environment.cache_clear()
    try:
        assert spec_site(PARCEL).files == parcel.files
    finally:
        render._environment.cache_clear()
