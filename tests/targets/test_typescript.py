"""A spec of another protocol gives a package that works and compiles, with any names and texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

import toolchain
from polywire.checks import check
from polywire.model.nodes import Model
from polywire.oracle.instances import Outcome, derive
from polywire.plan import make_plan
from polywire.targets.typescript import TARGET
from polywire.targets.typescript.layout import alias, comment, extending, key, prose, quoted, template
from polywire.targets.typescript.names import Names, plural
from polywire.writing.render import render
from rendered import generate, model_of
from sampling import third

ROOT = Path(__file__).parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"
SHELF = ROOT / "tests" / "specs" / "jsonrpc"
FORMS = ROOT / "tests" / "specs" / "forms"
PACKAGES = ROOT / "tests" / "typescript" / "node_modules"
CODE = ("*.js", "*.ts", "runtime/*", "package.json")
PRETTIER = PACKAGES / "prettier" / "bin" / "prettier.cjs"


def compile_(node: toolchain.Toolchain, folder: Path, *files: str) -> str:
    """The output of tsc with its strictest options."""
    options = {"noEmit": True, "strict": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True}
    surroundings = {
        "target": "es2022",
        "lib": ["es2018"],
        "skipDefaultLibCheck": True,
        "module": "nodenext",
        "types": [],
    }
    config = {"compilerOptions": {**options, **surroundings}, "files": list(files)}
    (folder / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = node.run("node", PACKAGES / "typescript" / "bin" / "tsc", "-p", folder, cwd=folder)
    return done.stdout + done.stderr


# --- another protocol ------------------------------------------------------------------------------------------

VERDICTS = """
import { readFileSync } from "node:fs";
import { decode, encode, is, SPEC_NAMES, TYPES } from "./index.js";
const names = Object.fromEntries(Object.entries(SPEC_NAMES).map(([name, spec]) => [spec, TYPES[name]]));
const verdict = (text, type, strict) => {
  try {
    const value = decode(text, type, { strict });
    return { line: encode(value, type), is: is(value, type) };
  } catch (error) {
    return { error: [error.code, error.path] };
  }
};
const told = JSON.parse(readFileSync("instances.json", "utf8")).map(
  ({ text, type }) => [false, true].map((strict) => verdict(text, names[type], strict)),
);
console.log(JSON.stringify(told));
"""


@pytest.mark.parametrize("dialect", [None, "courier", "terse"])
def test_every_instance_gets_its_verdict_and_comes_back(
    dialect: str | None, node: toolchain.Toolchain, tmp_path: Path
) -> None:
    model = model_of(PARCEL, dialect)
    generate(TARGET, model, tmp_path)
    instances = derive(model, seed=3, random=1)
    given = [{"text": each.text, "type": each.type} for each in instances]
    (tmp_path / "instances.json").write_text(json.dumps(given), encoding="utf-8")
    (tmp_path / "verdicts.mjs").write_text(VERDICTS, encoding="utf-8")
    done = node.run("node", tmp_path / "verdicts.mjs", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    count: Counter[str] = Counter()
    for instance, verdicts in zip(instances, json.loads(done.stdout), strict=True):
        for outcome, verdict in zip((instance.lenient, instance.strict), verdicts, strict=True):
            assert verdict == expected(outcome, instance.text, verdict), instance
            count[instance.type] += outcome.ok
    assert +count == count
    assert len(count) == len(model.declarations)


def expected(outcome: Outcome, text: str, verdict: dict[str, Any]) -> dict[str, Any]:
    """The expected verdict on an instance: one of its errors, or its value encoded again."""
    if not outcome.ok:
        own = verdict.get("error")
        return {"error": own if own in map(list, outcome.errors) else list(outcome.errors[0])}
    same = "line" in verdict and plain(verdict["line"]) == plain(text)
    return {"line": verdict["line"] if same else text, "is": True}


def plain(text: str) -> str:
    """A JSON text in a canonical form, with numbers as doubles."""
    return json.dumps(json.loads(text, parse_int=float), sort_keys=True)


# --- hostile specs ---------------------------------------------------------------------------------------------

HOSTILE: dict[str, Any] = {
    "polywire": 1,
    "protocol": {
        "name": "odd",
        "title": "Ends */ here \\ `${x}` @deprecated",
        "version": "1.0.0",
        "framing": "ndjson",
        "peers": ["a", "b"],
        "roots": ["Line", "Error", "Colour"],
    },
    "packages": {"typescript": {"package": "odd"}},
    "parts": ["part.yaml"],
}

KEYS = [
    *("class", "None", "__proto__", "constructor", "toString", "hasOwnProperty", "default", "type", "d", "o", "5m"),
    *("a'b", 'q"q', "`${x}`", "a-b", "\u2028", "0", "length", "then", "NaN"),
]

PART: dict[str, Any] = {
    "enums": {
        "Colour": {
            "doc": "A colour */ or two.",
            "open": True,
            "values": {"`": "*/", "${x}": "@see", '"': "`", "\\": "\\", "red": "'", "\u202e": "Turns."},
        }
    },
    "types": {"Error": {"doc": "Called like what the language has.", "fields": {"Promise": "Colour"}}},
    "messages": {
        "Odd": {
            "doc": "A */ end, a \\ backslash, a \u202e turn, {{ braces }}, `ticks`, ${x}\n\n@deprecated not really",
            "from": "a",
            "tag": {"kind": 'it\'s "odd" {x} \\ \u2028 `${x}`'},
            "fields": {
                **{key: {"type": "string", "doc": f"*/ {key} @see"} for key in KEYS},
                **{f"{key}_too?": "integer | null" for key in KEYS},
            },
        },
        "Even": {"doc": "Even.", "from": "b", "tag": {"kind": "even"}, "fields": {"mapping": "map<(string | Odd)[]>"}},
        "Function": {
            "doc": "Catches.",
            "from": "b",
            "tag": {"kind": "Kind"},
            "others": "`${x}\\*",
            "fields": {"of?": "map<Colour, Error>"},
        },
    },
    "unions": {"Line": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Odd", "Even", "Function"]}},
    "tools": {"`${x}*": {"doc": "Odd.", "input": "Error"}, "constructor": {"doc": "Odd.", "input": "Odd"}},
}
PART["enums"]["Kind"] = {"doc": "Kinds.", "open": True, "values": {"`${x}\\one": "One."}}

ROUND = """
import { readFileSync } from "node:fs";
import { decode, encode, isOdd } from "./index.js";
const texts = JSON.parse(readFileSync("texts.json", "utf8"));
const again = (text) => JSON.parse(encode(decode(text, { strict: true })));
console.log(JSON.stringify(texts.map((text) => [again(text), isOdd(decode(text))])));
"""


def hostile(folder: Path) -> Model:
    folder.mkdir()
    (folder / "protocol.yaml").write_text(yaml.safe_dump(HOSTILE, sort_keys=False), encoding="utf-8")
    (folder / "part.yaml").write_text(yaml.safe_dump(PART, sort_keys=False), encoding="utf-8")
    return model_of(folder)


def test_names_and_texts_of_any_kind_are_only_names_and_texts(node: toolchain.Toolchain, tmp_path: Path) -> None:
    package = generate(TARGET, hostile(tmp_path / "spec"), tmp_path / "package")
    assert compile_(node, package, "index.d.ts") == ""
    odd = {"kind": PART["messages"]["Odd"]["tag"]["kind"], **dict.fromkeys(KEYS, "x"), "class_too": None}
    values = [odd, {"kind": "even", "mapping": {"a": ["b", odd], "__proto__": []}}, {"kind": "`${x}\\one", "of": {}}]
    (package / "texts.json").write_text(json.dumps([json.dumps(value) for value in values]), encoding="utf-8")
    (package / "round.mjs").write_text(ROUND, encoding="utf-8")
    done = node.run("node", package / "round.mjs", cwd=package)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[value, value is odd] for value in values]


PLAIN = """\
types:
  Nothing: {doc: Has no members., fields: {}}
  Anything: {doc: Has any., fields: {}, extra: number}
messages:
  Hello: {doc: The only message., from: a, fields: {nothing: Nothing, anything?: Anything}}
"""


def of_one_message(folder: Path) -> Model:
    """The model of a spec with one message."""
    folder.mkdir()
    (folder / "protocol.yaml").write_text(OVERRIDES.replace("Line", "Hello"), encoding="utf-8")
    (folder / "part.yaml").write_text(PLAIN, encoding="utf-8")
    return model_of(folder)


def test_a_protocol_of_one_message_needs_no_unions(node: toolchain.Toolchain, tmp_path: Path) -> None:
    package = generate(TARGET, of_one_message(tmp_path / "spec"), tmp_path / "package")
    assert compile_(node, package, "index.d.ts") == ""
    text = (package / "index.d.ts").read_text(encoding="utf-8")
    assert "export interface Nothing {}" in text
    assert "Hello as Root" in (package / "runtime" / "root.d.ts").read_text(encoding="utf-8")


@pytest.mark.full
def test_the_declarations_of_specs_that_once_failed_compile(node: toolchain.Toolchain, tmp_path: Path) -> None:
    found = sorted((ROOT / "tests" / "specs" / "found").glob("*/protocol.yaml"))
    files = [
        str(package.relative_to(tmp_path) / path.name)
        for spec in found
        for package in (generate(TARGET, model_of(spec.parent), tmp_path / spec.parent.name),)
        for path in sorted(package.glob("*.d.ts"))
    ]
    assert len(files) > len(found)
    assert compile_(node, tmp_path, *files) == ""


def test_nothing_in_the_spec_ends_a_comment_or_begins_a_tag(tmp_path: Path) -> None:
    text = render(TARGET, make_plan(hostile(tmp_path / "spec")))["index.d.ts"].decode()
    tags = {tag for line in text.splitlines() for tag in re.findall(r"^\s*(?:/\*)?\*+ (@\w+)", line)}
    assert tags == {"@packageDocumentation"}
    assert text.count("/*") == text.count("*/")
    assert not re.search("[\u2028\u202e]", text)


def test_names_that_the_language_needs_are_given_to_nothing_else(tmp_path: Path) -> None:
    names = Names(hostile(tmp_path / "spec"))
    assert (names.type("Error"), names.type("Function")) == ("ErrorType", "FunctionType")
    assert names.guard("Function") == "isFunctionType"


# --- layout ----------------------------------------------------------------------------------------------------


OTHERS = {"odd": hostile, "plain": of_one_message}
"""Name → function that writes a spec and returns its model."""


@third("layout of other protocols")
def test_prettier_changes_nothing(node: toolchain.Toolchain, tmp_path: Path) -> None:
    specs = [(ROOT / "spec",), (PARCEL,), (PARCEL, "courier"), (PARCEL, "terse"), (SHELF,), (FORMS,)]
    models = {"-".join((spec.name, *dialect)): model_of(spec, *dialect) for spec, *dialect in specs}
    models |= {name: write(tmp_path / name) for name, write in OTHERS.items()}
    for name, model in models.items():
        generate(TARGET, model, tmp_path / "packages" / name)
    code = [f"*/{each}" for each in CODE]
    done = node.run("node", PRETTIER, "--print-width", "120", "--check", *code, cwd=tmp_path / "packages")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_union_is_on_one_line_or_one_below_or_one_line_a_member() -> None:
    assert alias("export type X", ["A", "B"]) == "export type X = A | B;"
    assert alias("export type X", ["A" * 55, "B" * 50]) == f"export type X =\n  {'A' * 55} | {'B' * 50};"
    assert alias("export type X", ["A" * 80, "B" * 50]) == f"export type X =\n  | {'A' * 80}\n  | {'B' * 50};"


def test_bases_of_an_interface_break_between_them_or_within_the_only_one() -> None:
    head, keys = f"export interface {'X' * 50}", [f'"{"k" * 30}"', "'a | \" | b'", f'"{"m" * 30}"', f'"{"n" * 40}"']
    assert extending(head, ["A", "B"]) == f"{head} extends A, B"
    assert extending(head, ["A" * 30, "B" * 30]) == f"{head}\n  extends {'A' * 30}, {'B' * 30}"
    assert extending(head, ["A" * 70, "B" * 70]) == f"{head}\n  extends\n    {'A' * 70},\n    {'B' * 70}"
    one = f"Omit<Base, {' | '.join(keys[:3])}>"
    assert extending(head, [one]) == f"{head} extends Omit<\n  Base,\n  {' | '.join(keys[:3])}\n>"
    all_of_them = "\n".join(f"  | {key}" for key in keys)
    assert extending(head, [f"Omit<Base, {' | '.join(keys)}>"]) == f"{head} extends Omit<\n  Base,\n{all_of_them}\n>"


@pytest.mark.parametrize(
    ("name", "written"),
    [("a$b", "a$b"), ("日本", "日本"), ("a-b", '"a-b"'), ("a\ufe0f", '"a\\ufe0f"'), ("a\U000e0100", '"a\\u{e0100}"')],
)
def test_a_key_is_quoted_if_it_is_no_identifier_or_hides_characters(name: str, written: str) -> None:
    assert key(name) == written


def test_a_comment_is_on_one_line_where_it_fits() -> None:
    assert comment(["Short."], 2) == "  /** Short. */\n"
    assert comment(["One.", "Two."], 2) == "  /**\n   * One.\n   *\n   * Two.\n   */\n"
    assert comment([""], 0) == ""
    assert all(len(line) <= 120 for line in comment(["word " * 100], 4).splitlines())


@pytest.mark.parametrize(
    ("text", "inside"),
    [("a */ b", "a *\\/ b"), ("@see that", "&#64;see that"), ("mail me@there", "mail me@there"), ("\u202e", "\\u202e")],
)
def test_prose_stays_prose_in_a_comment(text: str, inside: str) -> None:
    assert prose(text) == inside


@pytest.mark.parametrize("text", ["'", '"', "\\", "\u202e", "\ud800", "\x00", "\n", 'it\'s "both"', "\U000e0001"])
def test_literals_mean_what_they_are_of(text: str) -> None:
    literal = quoted(text)
    assert literal.isascii() or literal.isprintable()
    plain = re.sub(r"\\u\{(\w+)\}", lambda m: f"\\U{int(m[1], 16):08x}", literal)
    assert eval(plain) == text  # noqa: S307  (the point; the two languages escape alike but for the braces)


def test_members_are_bare_where_they_can_be() -> None:
    assert [key(name) for name in ("a", "$b_1", "class", "-n", "5m", "")] == [
        "a",
        "$b_1",
        "class",
        '"-n"',
        '"5m"',
        '""',
    ]


def test_a_glob_is_the_type_of_its_texts() -> None:
    assert template("a_*") == "`a_${string}`"
    assert template("`${*}") == "`\\`\\${${string}}`"


# --- names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "many"),
    [("MODE", "MODES"), ("STATUS", "STATUSES"), ("ENTRY", "ENTRIES"), ("KEY", "KEYS"), ("BOX", "BOXES")],
)
def test_arrays_of_values_are_called_by_the_plural(one: str, many: str) -> None:
    assert plural(one) == many


def test_no_two_names_are_the_same() -> None:
    for model in (model_of(ROOT / "spec"), model_of(PARCEL)):
        names = list(Names(model).all())
        assert [each for each, count in Counter((n.scope, n.name) for n in names).items() if count > 1] == []


def test_a_name_may_be_given_to_each_thing_that_is_made_of_a_declaration() -> None:
    model = model_of(PARCEL)
    given = {"typescript": MappingProxyType({"name": "Magnitude", "values": "ALL_SIZES"})}
    enum = model.enum("Size")
    about = replace(enum.about, targets=MappingProxyType(given))
    changed = replace(model, declarations={**model.declarations, "Size": replace(enum, about=about)})
    names = Names(changed)
    assert (names.type("Size"), names.known(changed.enum("Size"))) == ("Magnitude", "KnownMagnitude")
    assert names.values(changed.enum("Size")) == "ALL_SIZES"
    text = render(TARGET, make_plan(changed))["index.d.ts"].decode()
    assert "export declare const ALL_SIZES: readonly [" in text
    assert "size: Magnitude;" in text


OVERRIDES = """\
polywire: 1
protocol: {name: p, title: P, version: "1", framing: ndjson, peers: [a, b], roots: [Line]}
parts: [part.yaml]
"""
OVERRIDDEN = """\
messages:
  Hello:
    doc: Says hello.
    from: a
    tag: {type: hello}
    targets: {typescript: {guard: GUARD}}
    fields: {a?: string}
unions:
  Line: {doc: A line., open: true, by: type, variants: [Hello]}
"""


@pytest.mark.parametrize(
    ("guard", "rules"),
    [
        ("isGreeting", []),
        ("isHello", ["unused-override"]),
        ("class", ["bad-override"]),
        ("decode", ["name-collision"]),
        ("codec", ["name-collision"]),
    ],
)
def test_guards_that_the_spec_names_are_checked(guard: str, rules: list[str], tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(OVERRIDES, encoding="utf-8")
    (tmp_path / "part.yaml").write_text(OVERRIDDEN.replace("GUARD", guard), encoding="utf-8")
    found = [finding for finding in check(tmp_path).findings if finding.severity == "error"]
    assert [finding.rule for finding in found] == rules
    assert all((finding.place.file, finding.place.line) == ("part.yaml", 6) for finding in found)


API = """\
polywire: 1
protocol:
  {name: p, title: P, version: "1", framing: ndjson, peers: [a, b], roots: [Line, Settings], control: {
    request: {envelope: Ask, payload: /what, by: of, id: /id}, response: {envelope: Reply, result: /value, id: /id}}}
messages:
  Ask: {doc: Asks., from: both, tag: {kind: ask}, fields: {id: string, what: Asked}}
  Reply: {doc: Answers., from: both, tag: {kind: reply}, fields: {id: string, value?: json}}
unions:
  Line: {doc: A line., open: true, by: kind, variants: [Ask, Reply]}
  Asked: {doc: A request., open: true, by: of, variants: []}
types:
  Answer: {doc: An answer., fields: {yes: boolean}}
  Item: {doc: An item., fields: {what: string}}
controls:
  weigh: {doc: Asks., from: b, name: Weigh, request: {item: Item, why?: string, more?: json}, response: Answer}
options:
  Settings:
    doc: How a line is set up.
    fields:
      ask?:
        callback: {answers: weigh, id: /why, params: {what: /item/what, why: /why}, returns: boolean, result: /yes}
      whole?: {callback: {answers: weigh}}
      many?: {callback: {answers: weigh, id: /why, list: true, params: {why: /why, more: /more}}}
      plain?: {callback: {params: {what: string}}}
      named?: {callback: {answers: weigh}, targets: {typescript: {type: Weigher}}}
      listed?: {callback: {answers: weigh, id: /why, list: true}, targets: {typescript: {type: Weigher}}}
      told?: {callback: {params: {what: string}}, targets: {typescript: {type: Told}}}
      err?: {callback: {receives: stderr, params: {text: string}}}
      stop?: {live: true, targets: {typescript: {type: abort}}}
      start?: {live: true, targets: {typescript: {type: function}}}
      other?: {live: true}
"""


def test_what_never_travels_has_the_type_that_the_spec_says(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(API, encoding="utf-8")
    text = render(TARGET, make_plan(model_of(tmp_path)))["index.d.ts"].decode()
    (block,) = re.findall(r"^export interface Settings \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert " ".join(block.split()) == (
        "ask?( what: string, why: string | undefined, "
        'options: Omit<Weigh, "of" | "item" | "why"> & { signal: AbortSignal }, '
        "): boolean | Promise<boolean>; "
        "whole?(request: Weigh, options: { signal: AbortSignal }): Answer | Promise<Answer>; "
        "many?: { call( why: string | undefined, more: unknown, "
        'options: Omit<Weigh, "of" | "why" | "more"> & { signal: AbortSignal }, '
        '): Answer | Promise<Answer>; }["call"][]; '
        "plain?: (what: string) => void | Promise<void>; "
        "named?: Weigher; "
        "listed?: Weigher[]; "
        "told?: Told; "
        "err?: (text: string) => void | Promise<void>; "
        "stop?: AbortController; "
        "start?: (...values: never[]) => unknown; "
        "other?: object;"
    )
    assert " ".join(text[text.index("/** A function for `Settings.") :].split()).startswith(
        "/** A function for `Settings.named`. */ "
        "export type Weigher = { call(request: Weigh, options: { signal: AbortSignal }): Answer | Promise<Answer> }"
        '["call"]; '
        "/** A function for `Settings.told`. */ "
        "export type Told = (what: string) => void | Promise<void>;"
    )


@pytest.mark.parametrize(
    ("name", "rules"), [("Weigher", []), ("Answer", ["name-collision"]), ("a-b", ["misused-override"])]
)
def test_names_of_function_types_are_checked(name: str, rules: list[str], tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(API.replace("Weigher", name), encoding="utf-8")
    found = {finding.rule for finding in check(tmp_path).findings if finding.severity == "error"}
    assert found - {"bad-function"} == {*rules}  # one request is answered by several functions there


def test_optional_members_are_also_undefined_where_the_spec_says_so(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(OVERRIDES, encoding="utf-8")
    part = OVERRIDDEN.replace("guard: GUARD", "absent: undefined").replace("a?: string", "a?: string | null, b: string")
    (tmp_path / "part.yaml").write_text(part, encoding="utf-8")
    assert [finding.rule for finding in check(tmp_path).findings if finding.severity == "error"] == []
    text = render(TARGET, make_plan(model_of(tmp_path)))["index.d.ts"].decode()
    assert "  a?: string | null | undefined;\n  b: string;\n" in text
