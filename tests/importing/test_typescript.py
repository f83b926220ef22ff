"""The specs that `polywire import --from typescript` generates from declarations; the tests install the compiler."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from importing.imports import fields, model, text, variants
from polywire.model.nodes import Enum, Struct
from polywire.model.walk import spell
from polywire_import import typescript
from polywire_import.run import Imported, import_catalog
from polywire_import.shapes import ImportingError
from sampling import SEED, number
from toolchain import Toolchain


@pytest.fixture(autouse=True)
def on_path(node: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{node.folder}{os.pathsep}{os.environ['PATH']}")


def imported(folder: Path, source: str, *roots: str, docs: bool = False) -> Imported:
    path = folder / "source.ts"
    path.write_text(source, encoding="utf-8")
    catalog = typescript.read([path], roots or ("Root",), docs=docs)
    return import_catalog(catalog, folder / "spec")


def test_only_what_the_roots_lead_to_is_declared(tmp_path: Path) -> None:
    imported(
        tmp_path, "export interface Root { a: Used }\ninterface Used { b: string }\ninterface Unused { c: string }"
    )
    assert sorted(model(tmp_path).declarations) == ["Root", "Used"]


def test_members_are_optional_nullable_and_of_any_kind(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        export interface Root {
          text: string; count?: number; flag: boolean; none: null | string; maybe?: string | null;
          list: readonly string[]; nested: Array<number[]>; map: Record<string, number>; any: unknown; object: object;
          late: string | undefined; seldom?: string | null | undefined; items: (string | undefined)[];
          none_of: []; neither: never[]; few: [] | [string]; by: { [key: number]: string }; numbers: Numbers;
          both: { [key: string]: number | boolean; [key: number]: boolean }; never_any: (undefined | never)[];
        }
        interface Numbers extends Array<number> {}
        """,
    )
    assert fields(model(tmp_path), "Root") == {
        "text": "string", "count?": "number", "flag": "boolean", "none": "string | null", "maybe?": "string | null",
        "list": "string[]", "nested": "number[][]", "map": "map<number>", "any": "json | null", "object": "object",
        "late?": "string", "seldom?": "string | null", "items": "string[]",
        "none_of": "json[0..0]", "neither": "json[0..0]", "few": "string[]", "by": "map<string>", "numbers": "Numbers",
        "both": "map<number | boolean>", "never_any": "json[]",
    }  # fmt: skip


def test_interfaces_that_extend_include_their_bases(tmp_path: Path) -> None:
    imported(tmp_path, "interface Base { id: string }\nexport interface Root extends Base { a: number }")
    made = model(tmp_path)
    root = made.declarations["Root"]
    assert isinstance(root, Struct)
    assert (root.include, fields(made, "Root")) == (("Base",), {"id": "string", "a": "number"})


def test_generics_are_instantiated_once_for_their_arguments(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        interface Box<T> { value: T; more?: T[] }
        interface Item { name: string }
        export interface Root { one: Box<Item>; two: Box<Item>; three: Box<string> }
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {"one": "BoxItem", "two": "BoxItem", "three": "BoxString"}
    assert fields(made, "BoxItem") == {"value": "Item", "more?": "Item[]"}


def test_generic_unions_refer_to_themselves(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        type Tree<T> =
          | { kind: "leaf" }
          | { kind: "node"; value: T; left?: Tree<T>; right: Tree<T> | null; all: Tree<T>[] };
        type Nest<T> = T[] | { more: Nest<T> };
        export interface Root { tree: Tree<string>; same?: Tree<string>; nest: Nest<number> }
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {"tree": "TreeString", "same?": "TreeString", "nest": "NestNumber"}
    assert fields(made, "TreeStringNode") == {
        "value": "string", "left?": "TreeString", "right": "TreeString | null", "all": "TreeString[]"
    }  # fmt: skip


def test_parameters_without_an_argument_have_their_default(tmp_path: Path) -> None:
    done = imported(
        tmp_path,
        """
        interface Box<T = number> { value: T; same?: Box<T> }
        export interface Root<K extends string | null, V = Box> { key: K; box: V; other: Box<string>; one: Box }
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {
        "key": "string | null",
        "box": "BoxNumber",
        "other": "BoxString",
        "one": "BoxNumber",
    }
    assert fields(made, "BoxNumber") == {"value": "number", "same?": "BoxNumber"}
    assert [(note.kind, note.place, note.message) for note in done.notes] == [
        ("guessed", "/Root", "K has no argument; it is read as string | null"),
        ("guessed", "/Root", "V has no argument; it is read as Box"),
    ]


def test_the_compiler_works_out_what_a_root_is_with_its_defaults(tmp_path: Path) -> None:
    source = """
        declare namespace Wire {
          enum Kind { Hello = "hello", Bye = "bye" }
          interface Hello { kind: Kind.Hello; name: string }
          interface Bye { kind: Kind.Bye }
          type Message<K extends Kind = Kind> = K extends Kind.Hello ? Hello : K extends Kind.Bye ? Bye : never;
        }
        interface Payloads { a: number; b: string }
        type Event<D extends Payloads> = { [N in keyof D & string]: { type: N; data: D[N] } }[keyof D & string];
        interface Plain { each: Event<Payloads> }
        // the last line of a file may be a comment"""
    imported(tmp_path, source, "Wire.Message", "Event", "Plain")
    made = model(tmp_path)
    assert made.protocol.roots == ("Message", "Event", "Plain")
    assert variants(made, "Message") == ("kind", True, ["Hello", "Bye"])
    tag, _, names = variants(made, "Event")
    assert (tag, [fields(made, name)["data"] for name in names]) == ("type", ["number", "string"])
    assert fields(made, "Plain") == {"each": "Event"}


def test_a_default_may_refer_to_another_parameter(tmp_path: Path) -> None:
    source = "export default interface Root<K, T = string, V extends unknown[] = T[]> { key: K; value: T; list: V }"
    imported(tmp_path, source, "default")
    made = model(tmp_path)
    (name,) = made.protocol.roots
    assert fields(made, name) == {"key": "json | null", "value": "string", "list": "string[]"}


@pytest.mark.parametrize(
    "parameter",
    ["K extends { one: K; two?: K }", "K extends Root<K>[]", "K = Root<string>[]", "K extends K[] | string"],
)
def test_a_parameter_may_refer_to_itself(tmp_path: Path, parameter: str) -> None:
    imported(tmp_path, f"export interface Root<{parameter}> {{ key: K; list: K[] }}")
    assert fields(model(tmp_path), "Root").keys() == {"key", "list"}


def test_json_as_utility_libraries_declare_it_is_a_type_that_refers_to_itself(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        type JsonObject = { [K in string]: JsonValue } & { [K in string]?: JsonValue | undefined };
        type JsonArray = JsonValue[] | readonly JsonValue[];
        type JsonValue = string | number | boolean | null | JsonObject | JsonArray;
        export interface Root { settings: JsonObject }
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {"settings": "JsonObject"}
    assert "  JsonObject:\n    doc: Json object.\n    source: /JsonObject\n    type: map<JsonValue>\n" in text(tmp_path)


def test_a_date_travels_as_its_text(tmp_path: Path) -> None:
    done = imported(tmp_path, "export interface Root { at: Date; late?: Date | null; any: string | number | Date }")
    assert fields(model(tmp_path), "Root") == {"at": "string", "late?": "string | null", "any": "string | number"}
    assert {each.kind for each in done.notes} == {"guessed"}


def test_keys_that_no_value_may_have_are_no_members(tmp_path: Path) -> None:
    imported(
        tmp_path,
        "type Empty = Record<string, never>;\nexport interface Root { empty: Empty; none: { [k: string]: never } }",
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {"empty": "Empty", "none": "object"}
    assert fields(made, "Empty") == {}


@pytest.mark.parametrize("name", ["Event", "Request", "Error", "Record", "Map", "Partial", "Response"])
def test_a_script_may_declare_a_name_of_the_standard_library(tmp_path: Path, name: str) -> None:
    imported(tmp_path, f"interface Root {{ each: {name} }}\ninterface {name} {{ id: number }}")
    assert fields(model(tmp_path), name) == {"id": "number"}


def test_unions_that_meet_are_what_each_of_their_names_stands_for(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        type Known = { kind: "a"; a: string } | { kind: "b"; b: number };
        type First = (Known & { id: string });
        type Second = First;
        type Third = First;
        export interface Root { second: Second; third: Third }
        """,
    )
    made = model(tmp_path)
    assert variants(made, "First") == ("kind", True, ["FirstA", "FirstB"])
    assert fields(made, "FirstA") == {"a": "string", "id": "string"}
    assert fields(made, "Root") == {"second": "Second", "third": "Third"}


def test_a_name_that_is_declared_nowhere_is_any_value_and_noted(tmp_path: Path) -> None:
    source = 'import { Away } from "not-installed";\nexport interface Root { away: Away; unknown: Nowhere }'
    done = imported(tmp_path, source)
    assert [(note.kind, note.place) for note in done.notes] == [("fallback", "/Away"), ("fallback", "/Nowhere")]


def test_a_name_that_a_bundler_changed_is_that_of_what_it_stands_for(tmp_path: Path) -> None:
    (tmp_path / "chunk.ts").write_text(
        "interface Root { a: Part }\ninterface Part { b: string }\nexport { Root as R, Part }"
    )
    source = """
    import { R as Root$1, Part as Part$1 } from "./chunk";
    type Root = Root$1;
    type Part = Part$1;
    type Other = Part;
    interface All { root: Root; part: Part; other: Other }
    export { All, Root as Shown };
    """
    imported(tmp_path, source, "Shown", "All")
    made = model(tmp_path)
    assert sorted(made.declarations) == ["All", "Other", "Part", "Shown"]
    assert fields(made, "All") == {"root": "Shown", "part": "Part", "other": "Other"}


def test_a_root_may_be_in_a_namespace(tmp_path: Path) -> None:
    source = """
    declare namespace Outer {
      interface Root { at: Inner.Place }
      namespace Inner { interface Place { line: number } }
      export import Again = Outer;
    }
    """
    imported(tmp_path, source, "Outer.Inner.Place", "Outer.Root")
    assert model(tmp_path).protocol.roots == ("Place", "Root")
    with pytest.raises(ImportingError, match=r"did you mean 'Outer\.Root'"):
        imported(tmp_path, source, "Outer.Rot")


def test_omit_and_pick_are_applied(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        type Level = "low" | "high";
        interface Full { id: string; secret: string; level?: Level }
        export interface Root extends Omit<Full, "secret"> { some: Pick<Full, "id"> }
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root") == {"id": "string", "level?": "Level", "some": "RootSome"}
    assert fields(made, "RootSome") == {"id": "string"}


def test_mapped_types_are_worked_out(tmp_path: Path) -> None:
    source = """
    interface Usage { a?: number | null; b: string }
    type Told = { [K in keyof Usage]-?: NonNullable<Usage[K]> };
    export interface Root { told: Told }
    """
    imported(tmp_path, source)
    assert fields(model(tmp_path), "Told") == {"a": "number", "b": "string"}


def test_unions_have_the_discriminator_of_their_members(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        export type Root = Start | Stop | { kind: "wait"; seconds: number };
        interface Start { kind: "start"; name: string }
        interface Stop { kind: "stop"; code?: number }
        """,
    )
    made = model(tmp_path)
    assert variants(made, "Root") == ("kind", True, ["Start", "Stop", "RootWait"])


def test_texts_are_enums_which_any_text_opens(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        enum Mode { On = "on_", Off = "off_" }
        type Role = "user" | "assistant" | (string & {});
        export interface Root { mode: Mode; role?: Role; size: 1 | 2 }
        """,
    )
    report = text(tmp_path)
    assert "role?: Role" in report
    assert "open: true\n    values: {user: User., assistant: Assistant.}" in report
    assert "open: true\n    values: {on_: On., off_: Off.}" in report
    assert "base: integer" in report


def test_functions_are_left_out_with_a_note(tmp_path: Path) -> None:
    done = imported(
        tmp_path, "export interface Root { a: string; call(): void; back?: () => void; kept: Map<string, string> }"
    )
    assert fields(model(tmp_path), "Root") == {"a": "string", "kept": "json | null"}
    assert [(note.kind, note.place) for note in done.notes] == [
        ("lost", "/Root/call"), ("lost", "/Root/back"), ("fallback", "/Root/kept")
    ]  # fmt: skip


def test_comments_are_copied_only_if_asked_for(tmp_path: Path) -> None:
    source = "/** Their words. */\nexport interface Root {\n  /** First. */\n  a: string;\n}"
    imported(tmp_path, source)
    assert model(tmp_path).declarations["Root"].about.doc == "Root."
    imported(tmp_path, source, docs=True)
    root = model(tmp_path).declarations["Root"]
    assert isinstance(root, Struct)
    assert (root.about.doc, root.fields[0].about.doc) == ("Their words.", "First.")


def test_recursive_types_end(tmp_path: Path) -> None:
    imported(tmp_path, "export interface Root { child?: Root; all: Root[]; pair?: { next?: Root } }")
    assert fields(model(tmp_path), "Root") == {"child?": "Root", "all": "Root[]", "pair?": "RootPair"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("export interface Rot { a: string }", "the sources declare no type 'Root'; did you mean 'Rot'?"),
        ("export interface Root { a: ", "source.ts"),
        ("interface Grow<T> { a: Grow<T[]> }\nexport interface Root { a: Grow<string> }", "too many types"),
    ],
)
def test_sources_that_cannot_be_read_are_errors(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(ImportingError) as raised:
        imported(tmp_path, source)
    assert message in str(raised.value)


def test_an_enum_of_the_source_keeps_its_values(tmp_path: Path) -> None:
    imported(tmp_path, "enum Kind { A = 1, B = 5 }\nexport interface Root { kind: Kind }")
    kind = model(tmp_path).declarations["Kind"]
    assert isinstance(kind, Enum)
    assert [(each.name, each.wire) for each in kind.values] == [("a", 1), ("b", 5)]


def test_of_a_number_beyond_every_double_the_type_is_left(tmp_path: Path) -> None:
    imported(tmp_path, f"export interface Root {{ a: 1e400; b: {'9' * 400}; c: 7 | -1e999 }}")
    root = model(tmp_path).struct("Root")
    assert [(each.name, spell(each.type)) for each in root.fields] == [
        ("a", "number"),
        ("b", "number"),
        ("c", "number"),
    ]


# --- other ways to write the same ------------------------------------------------------------------------------

ATOMS = ("string", "number", "boolean", "null", '"word"', "7", "true", "Alpha", "Beta", "Tone", "Either")
WAYS = {
    "list": ("{}[]", "Array<{}>", "readonly {}[]", "ReadonlyArray<{}>", "Same<{}[]>", "({})[]"),
    "map": ("Record<string, {}>", "{{ [key: string]: {} }}", "Readonly<Record<string, {}>>"),
    "plain": ("{}", "({})", "Same<{}>", "{} | never", "Held<{}>['held']", "Extract<{0}, {0}>"),
}
"""By what a type is: the ways to write it, the plain one first."""

COMMON = """
type Same<T> = T;
interface Held<T> { held: T }
type Tone = "soft" | "loud";
type Either = Alpha | Beta;
interface Alpha { kind: "alpha"; size?: number }
interface Beta { kind: "beta"; of: Either | null }
"""


def drawn_type(random: Random, depth: int = 2) -> tuple[str, str]:
    """Return a type as it is written plainly, and in another way."""
    kind = random.choice(("list", "map", "plain", "plain")) if depth else "plain"
    if kind == "plain":
        one = random.choice(ATOMS)
        plain = other = one if random.random() < 0.8 or one == "null" else f"{one} | null"
    else:
        plain, other = drawn_type(random, depth - 1)
    grouped = [f"({each})" if " | " in each else each for each in (plain, other)]
    first, *_ = ways = WAYS[kind]
    chosen = random.choice(ways)
    return first.format(grouped[0] if kind == "list" else plain), chosen.format(grouped[1] if "[]" in chosen else other)


@pytest.mark.parametrize("turn", range(number(4, 60)))
def test_another_way_to_write_a_type_changes_nothing(turn: int, tmp_path: Path) -> None:
    random = Random(f"ways {SEED} {turn}")  # noqa: S311 (a repeatable choice)
    plain, other = ["export interface Root {"], ["export interface Root {"]
    for at in range(40):
        types = drawn_type(random)
        optional = random.random() < 0.4
        plain.append(f"  m{at}{'?' * optional}: {types[0]};")
        how = random.choice(("?: {}", "?: {} | undefined", ": undefined | {}") if optional else (": {}",))
        other.append(f"  m{at}{how.format(types[1])};")
    made: list[dict[str, str]] = []
    for name, lines in (("plain", plain), ("other", other)):
        folder = tmp_path / name
        folder.mkdir()
        imported(folder, COMMON + "\n".join([*lines, "}"]))
        made.append(fields(model(folder), "Root"))
    assert made[0] == made[1]


def test_an_object_without_a_name_that_contains_itself_gets_one(tmp_path: Path) -> None:
    imported(
        tmp_path,
        """
        export interface Root {
          tree: { kids: Schemas["node"][] }; first: Pair<string>; second: Pair<number>; note: Note;
        }
        interface Schemas {
          node: { parent?: Schemas["node"] | null; notes: Schemas["Note"][] };
          Note: { text: string; reply?: Schemas["Note"] };
        }
        type Pair<T> = { a: { of: T; again?: Pair<T>["a"] } };
        type Note = Schemas["Note"];
        """,
    )
    made = model(tmp_path)
    assert fields(made, "Root")["note"] == "Note"
    assert fields(made, "RootTree") == {"kids": "Node[]"}
    assert fields(made, "Node") == {"parent?": "Node | null", "notes": "Note[]"}
    assert fields(made, "Note") == {"text": "string", "reply?": "Note"}
    own = {name: fields(made, name)["a"] for name in ("PairString", "PairNumber")}
    assert fields(made, own["PairString"]) == {"of": "string", "again?": own["PairString"]}
    assert fields(made, own["PairNumber"]) == {"of": "number", "again?": own["PairNumber"]}
