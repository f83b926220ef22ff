"""Snapshots of declarations: their contents, and the declarations that are rejected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polywire.ground.errors import WrongUseError
from polywire_upstream import config, record, run
from polywire_upstream.declarations import Declaration
from polywire_upstream.record import Snapshot
from upstream import packages

pytestmark = pytest.mark.usefixtures("compiler")


def taken(folder: Path, declarations: str, *, api: str | None = packages.API) -> Snapshot:
    spec = packages.spec(folder / "spec")
    installed = packages.package(folder / "installed", "1.0.0", declarations, api=api)
    return run.take(installed, "1.0.0", config.load(spec / "releases.toml"))


def types(folder: Path, declarations: str) -> dict[str, object]:
    roots = "export type AcmeLine = string; export type Options = string;\n"
    snapshot = taken(folder, roots + declarations)
    return {name: each.type for name, each in snapshot.declarations.items() if name not in ("AcmeLine", "Options")}


WRITTEN: list[tuple[str, object]] = [
    ('"b" | "a"', {"enum": ["a", "b"]}),
    ("true | false", "boolean"),
    ("string | null | undefined", {"any of": ["null", "string", "undefined"]}),
    ("readonly string[]", ["string"]),
    ("Array<number>", ["number"]),
    ("[string, -1]", {"tuple": ["string", {"is": -1}]}),
    ("Record<string, number>", {"map": "number"}),
    ('Partial<Record<"a" | "b", number>>', {"map": "number", "key": {"enum": ["a", "b"]}}),
    ("{ [key: string]: unknown }", {"map": "any"}),
    ("{}", "object"),
    ("(string & {}) | 'x'", {"any of": ["string", {"is": "x"}]}),
    ("() => void", "function"),
    ("AbortSignal", "live:AbortSignal"),
    ("{ a: 1; b?(): void; [rest: string]: any }", {"fields": {"a": {"is": 1}, "b?": "function"}, "rest": "any"}),
    ('Omit<{ a: string; b: number }, "a">', {"fields": {"b": "number"}}),
    ("(typeof VALUES)[number]", {"enum": ["x", "y"]}),
    (r'"\ud83d\ude00" | "\ud800"', {"any of": ["string", {"is": "\U0001f600"}]}),
    (r'{ "\ud800": string; "\n": string }', {"fields": {"\n": "string"}}),
]


def test_types_are_read_as_they_are_written(tmp_path: Path) -> None:
    source = "".join(f"export type T{number} = {written};\n" for number, (written, _) in enumerate(WRITTEN))
    declared = types(tmp_path, f'export declare const VALUES: readonly ["y", "x"];\n{source}')
    assert declared == {f"T{number}": expected for number, (_, expected) in enumerate(WRITTEN)}


DECLARED = """\
import type { Limits } from "acme-api";
import type { UUID } from "crypto";
declare namespace core { export { A, Ghost }; }
type A = { a: string };
export type Union = A | Ghost | { b: Ghost[] };
export type Qualified = core.A | core.Ghost;
interface Base { id: string }
export interface Derived extends Base { a?: Base }
export type Recursive = { next?: Recursive };
export type Imported = { limits: Limits; id: UUID };
export type Generic<T> = { of: T };
export type Used = Generic<string>;
export enum Level { Low = 1, High = 2 }
export declare class Live { on: boolean }
export type Holder = { live: Live; level: Level };
"""


def test_declarations_are_read_by_their_nodes_and_names_that_are_declared_nowhere_stay_names(tmp_path: Path) -> None:
    assert types(tmp_path, DECLARED) == {
        "A": {"fields": {"a": "string"}},
        "Union": {"any of": ["#A", "missing:Ghost", {"fields": {"b": ["missing:Ghost"]}}]},
        "Qualified": {"any of": ["#A", "missing:core.Ghost"]},
        "Base": {"fields": {"id": "string"}},
        "Derived": {"fields": {"a?": "#Base"}, "bases": ["#Base"]},
        "Recursive": {"fields": {"next?": "#Recursive"}},
        "Imported": {"fields": {"id": "module:crypto#UUID", "limits": "#Limits"}},
        "Limits": {"fields": {"most": "number"}},
        "Used": {"fields": {"of": "string"}},
        "Level": {"enum": [1, 2]},
        "Holder": {"fields": {"level": "#Level", "live": "live:Live"}},
    }


FORWARDED = {
    "agent.d.ts": """\
export * from "./lib/model.js";
export { Inner as AcmeLine, type Inner as Second } from "./lib/inner.js";
export { Limits } from "acme-api";
interface Options { line: Hidden }
type Hidden$1 = { a: string };
type Hidden = Hidden$1;
export { type Options, type Hidden$1 as Public };
""",
    "lib/model.d.ts": """\
import type { Limits } from "acme-api";
import type { UUID } from "crypto";
export * from "./more.js";
export type Model = { limits: Limits; id: UUID };
interface Private { b: boolean }
export type Part = { of: Private };
""",
    "lib/more.d.ts": "export type More = { inner: import('./inner.js').Inner };\n",
    "lib/inner.d.ts": "export interface Inner { c: number }\nexport interface Left { out: boolean }\n",
}


def test_a_file_has_what_it_exports_from_others_under_the_names_of_its_exports(tmp_path: Path) -> None:
    spec = packages.spec(tmp_path / "spec")
    installed = packages.package(tmp_path / "installed", "1.0.0", FORWARDED["agent.d.ts"])
    for name, text in FORWARDED.items():
        path = installed / "node_modules" / packages.PACKAGE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    declared = run.take(installed, "1.0.0", config.load(spec / "releases.toml")).declarations
    assert {name: (each.module, each.type) for name, each in declared.items()} == {
        "AcmeLine": ("./lib/inner.d.ts", {"fields": {"c": "number"}}),
        "Options": ("agent.d.ts", {"fields": {"line": "#Hidden"}}),
        "Public": ("agent.d.ts", {"fields": {"a": "string"}}),
        "Hidden": ("agent.d.ts", "#Public"),
        "Model": ("./lib/model.d.ts", {"fields": {"limits": "#Limits", "id": "module:crypto#UUID"}}),
        "Part": ("./lib/model.d.ts", {"fields": {"of": "#Private"}}),
        "Private": ("./lib/model.d.ts", {"fields": {"b": "boolean"}}),
        "More": ("./lib/more.d.ts", {"fields": {"inner": "#AcmeLine"}}),
        "Limits": ("acme-api", {"fields": {"most": "number"}}),
    }
    assert [name for name, each in declared.items() if not each.exported] == ["Hidden", "Private"]


def test_roots_may_be_generic_or_in_a_namespace(tmp_path: Path) -> None:
    spec = packages.spec(tmp_path / "spec")
    releases = (spec / "releases.toml").read_text(encoding="utf-8")
    (spec / "releases.toml").write_text(releases.replace("Options =", '"Acme.Options" ='), encoding="utf-8")
    source = """export type AcmeLine<T extends string = "a", U = T[]> = { of: T; all: U };
export namespace Acme { interface Options { line: AcmeLine; level?: Level } enum Level { Low = 1 } }
"""
    installed = packages.package(tmp_path / "installed", "1.0.0", source)
    declared = run.take(installed, "1.0.0", config.load(spec / "releases.toml")).declarations
    assert {name: each.type for name, each in declared.items()} == {
        "AcmeLine": {"fields": {"of": {"is": "a"}, "all": [{"is": "a"}]}},
        "Acme.Options": {"fields": {"line": "#AcmeLine", "level?": "#Level"}},
        "Level": {"is": 1},
    }


def test_tags_of_comments_are_facts_and_their_text_is_not_kept(tmp_path: Path) -> None:
    source = r"""
/** Secret words.
 * @internal */
export type T = {
  /** More of them.
   * @deprecated Use b. */
  a: string;
  /** No text can have this name.
   * @deprecated */
  "\ud800": string };
"""
    roots = "export type AcmeLine = string; export type Options = string;\n"
    snapshot = taken(tmp_path, roots + source)
    assert snapshot.declarations["T"].tags == ("internal",)
    assert snapshot.declarations["T"].member_tags == {"a": ("deprecated",)}
    assert "words" not in record.dump(snapshot)
    assert "Use b" not in record.dump(snapshot)


def test_a_snapshot_comes_back_from_its_file_which_has_a_declaration_a_line(tmp_path: Path) -> None:
    snapshot = taken(tmp_path, packages.NEW)
    text = record.dump(snapshot)
    (tmp_path / "1.0.0.json").write_text(text, encoding="utf-8")
    assert record.load(tmp_path / "1.0.0.json") == snapshot
    names = [line.split('"')[1] for line in text.splitlines()[3:-1]]
    assert names == sorted(snapshot.declarations)
    assert snapshot.packages == {packages.PACKAGE: "1.0.0", "acme-api": "0.1.0"}


def test_a_package_that_is_imported_and_not_installed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WrongUseError, match="acme-api is imported and not installed"):
        taken(tmp_path, packages.OLD, api=None)


def test_a_name_that_the_installed_version_of_a_package_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WrongUseError, match="acme-api has no Limits"):
        taken(tmp_path, packages.OLD, api="export interface Other { most: number }\n")


def test_a_root_that_is_not_declared_any_more_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        WrongUseError, match=r"declares no AcmeLine, a root by releases\.toml; did you mean 'AcmeLines'"
    ):
        taken(tmp_path, "export type AcmeLines = string; export type Options = string;\n")


def test_a_file_that_is_not_there_any_more_is_an_error(tmp_path: Path) -> None:
    known = config.load(packages.spec(tmp_path / "spec") / "releases.toml")
    installed = packages.package(tmp_path / "installed", "1.0.0", packages.OLD)
    (installed / "node_modules" / packages.PACKAGE / "agent.d.ts").unlink()
    with pytest.raises(WrongUseError, match=r"1\.0\.0 has no agent\.d\.ts"):
        run.take(installed, "1.0.0", known)


def test_declarations_that_do_not_parse_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(WrongUseError, match="expected"):
        taken(tmp_path, "export type AcmeLine = {;\n")


def test_a_declaration_without_anything_special_is_short() -> None:
    snapshot = Snapshot("1", {}, {"T": Declaration("T", "string", "a.d.ts")})
    assert json.loads(record.dump(snapshot))["declarations"] == {"T": {"module": "a.d.ts", "type": "string"}}
