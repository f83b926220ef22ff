"""`breaking` and cargo-semver-checks agree on which changes of a spec break code that uses the Rust crate.

Each change is made to one spec; rustdoc describes the crates before and after. cargo-semver-checks does not compare
types, and has no lints for some items; `DIFFERENCES` lists the changes on which the two disagree, with the reasons.

Building and running cargo-semver-checks takes five minutes of CPU time, so its findings are recorded in
`semver_checks/findings.json`. It runs in `make test-nightly`, and in `make test-all` if the crate without changes is
another one than when they were recorded. It then renews the record: commit it, or CI runs it for each commit.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import sampling
import toolchain
from breaking.test_sessions import CANCEL, FUNCTION, OPTIONS, PEER, PLAIN, SPEC
from polywire.evolve.breaking import find
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render
from rendered import generate, model_of
from toolchain import Toolchain

BREAKS = 100
"""The status of the program for a new version that breaks code, as of cargo-semver-checks itself."""

THINGS = """\
types:
  Plate: {doc: A plate., fields: {width: integer, rim?: string, glaze?: string | null}}
  Bowl: {doc: A bowl., fields: {depth: integer, foot?: Plate}}
  Table:
    doc: A table.
    fields:
      {plates: "Plate[]", bowls?: "Bowl[]", size: Size, side: Side, shape: Shape, lid: Lid, seat: string | integer}
    construct:
      NewTable: {doc: Sets it., params: [{size: /size}, {side: /side}], set: {/plates: [], /seat: 1}}
  Round: {doc: A round shape., tag: {kind: round}, fields: {radius: number, note?: string}}
  Square: {doc: A square shape., tag: {kind: square}, fields: {edge: number, note?: string}}
  Flat: {doc: A flat lid., tag: {lid: flat}, fields: {knob?: string}}
  Domed: {doc: A domed lid., tag: {lid: domed}, fields: {height?: number}}
enums:
  Size: {doc: A size., open: true, values: {small: Small., large: Large.}}
  Side: {doc: A side., open: false, values: {left: Left., right: Right.}}
unions:
  Shape: {doc: A shape., open: true, by: kind, variants: [Round, Square]}
  Lid: {doc: A lid., open: false, by: lid, variants: [Flat, Domed]}
aliases:
  Row: {doc: Plates in a row., type: "Plate[]"}
"""

BARE_TABLE = "      BareTable: {doc: Sets it., params: [{size: /size}], set: {/plates: [], /seat: 1, /side: left}}\n"

Edit = tuple[str, str]


def line(start: str) -> str:
    """The line of the spec that starts with a text."""
    return next(each for each in (SPEC + THINGS).splitlines(keepends=True) if each.lstrip().startswith(start))


CHANGES: dict[str, tuple[Edit, ...]] = {
    "nothing": (),
    "documentation": (("A plate.", "A flat plate."),),
    # members
    "optional member added": (("rim?: string", "rim?: string, mark?: string"),),
    "optional member removed": (("rim?: string, ", ""),),
    "optional member becomes required": (("rim?: string", "rim: string"),),
    "optional member becomes nullable": (("rim?: string", "rim?: string | null"),),
    "nullable member no longer nullable": (("glaze?: string | null", "glaze?: string"),),
    "required member added": (("width: integer", "width: integer, height: integer"),),
    "required member added to a type without any": (("knob?: string", "knob?: string, hinge: boolean"),),
    "required member added to many": (("size: Size, side", "size: Size, cloth: string, side"),),
    "required member removed": (("depth: integer, ", ""),),
    "required member becomes optional": (("width: integer", "width?: integer"),),
    "required member becomes nullable": (("width: integer", "width: integer | null"),),
    "member of another type": (("rim?: string", "rim?: integer"),),
    "member of a declared type": (("rim?: string", "rim?: Size"),),
    "required member of another type": (("width: integer", "width: string"),),
    "member respelt, with its old name in code": (("rim?: string", "edge?: {type: string, name: rim, formerly: rim}"),),
    "member renamed in code": (("rim?: string", "rim?: {type: string, name: edge}"),),
    "member renamed": (("rim?: string", "edge?: {type: string, formerly: rim}"),),
    "inline union with another kind": (("seat: string | integer", "seat: string | integer | boolean"),),
    "extra members of a type": (("{doc: A bowl., ", "{doc: A bowl., extra: integer, "),),
    # declarations
    "type added": (("\nenums:\n  Size", "\n  Cup: {doc: A cup., fields: {handle: boolean}}\nenums:\n  Size"),),
    "type removed": (
        ("  Bowl: {doc: A bowl., fields: {depth: integer, foot?: Plate}}\n", ""),
        (', bowls?: "Bowl[]"', ""),
    ),
    "type renamed": (("  Bowl: {", "  Dish: {formerly: Bowl, "), ('"Bowl[]"', '"Dish[]"')),
    "alias of another type": (
        ('Row: {doc: Plates in a row., type: "Plate[]"}', 'Row: {doc: A row., type: "string[]"}'),
    ),
    "alias removed": (('aliases:\n  Row: {doc: Plates in a row., type: "Plate[]"}\n', ""),),
    # enums
    "value added to an open enum": (("large: Large.", "large: Large., huge: Huge."),),
    "value added to a closed enum": (("right: Right.", "right: Right., front: Front."),),
    "value removed from an open enum": ((", large: Large.", ""),),
    "value removed from a closed enum": ((", right: Right.", ""),),
    "value added before others of an open enum": (("{small: Small.,", "{tiny: Tiny., small: Small.,"),),
    "values of an open enum in another order": (("{small: Small., large: Large.}", "{large: Large., small: Small.}"),),
    "values of a closed enum in another order": (("{left: Left., right: Right.}", "{right: Right., left: Left.}"),),
    "value renamed": (("large: Large.", "big: {doc: Large., formerly: large}"),),
    "enum opened": (("A side., open: false", "A side., open: true"),),
    "enum closed": (("A size., open: true", "A size., open: false"),),
    # unions
    "variant added to an open union": (
        ("variants: [Round, Square]", "variants: [Round, Square, Oval]"),
        ("  Flat:", "  Oval: {doc: An oval., tag: {kind: oval}, fields: {note?: string}}\n  Flat:"),
    ),
    "variant added that lacks what the others share": (
        ("variants: [Round, Square]", "variants: [Round, Square, Oval]"),
        ("  Flat:", "  Oval: {doc: An oval., tag: {kind: oval}, fields: {width: number}}\n  Flat:"),
    ),
    "member no longer shared by all variants": (("edge: number, note?: string", "edge: number"),),
    "member shared by all variants": (("edge: number, note?: string", "edge: number, radius: number, note?: string"),),
    "variant added to a closed union": (
        ("variants: [Flat, Domed]", "variants: [Flat, Domed, Loose]"),
        ("  Flat:", "  Loose: {doc: A loose lid., tag: {lid: loose}}\n  Flat:"),
    ),
    "variant removed from an open union": (("variants: [Round, Square]", "variants: [Round]"),),
    "variant removed from a closed union": (("variants: [Flat, Domed]", "variants: [Flat]"),),
    "union opened": (("A lid., open: false", "A lid., open: true"),),
    "union closed": (("A shape., open: true", "A shape., open: false"),),
    "tag of another value": (("kind: round", "kind: circle"),),
    # constructors
    "constructor added": (("    construct:\n", "    construct:\n" + BARE_TABLE),),
    "constructor removed": (("    construct:\n", ""), (line("NewTable:"), "")),
    "constructor with fewer parameters": ((", {side: /side}], set: {", "], set: {/side: left, "),),
    "constructor that sets another value": (("/seat: 1", "/seat: 2"),),
    # controls and sessions
    "control added": (("controls:\n", "controls:\n" + line("shelf/count:").replace("ount", "lear")),),
    "control removed": ((line("shelf/count:"), ""),),
    "control with another answer": ((line("shelf/count:"), line("shelf/count:").replace("integer", "string")),),
    "control renamed": (("name: CountCall", "name: TallyCall"),),
    "notification removed": ((SPEC[SPEC.index("  notifications/closed:") :], ""),),
    "sessions without cancellation": ((CANCEL, ""),),
    "peer renamed": PEER,
    "ids of another type": PLAIN,
    "option added": (
        ("      program?:", "      quiet?: {type: boolean, doc: Is quiet., carry: [{flag: -q}]}\n      program?:"),
    ),
    "callback removed": (FUNCTION,),
    # the package
    "root added": (("roots: [Line]", "roots: [Line, Table]"),),
    "tool added": (("\ncontrols:\n", "\ntools:\n  set: {doc: Sets a table., input: Table}\ncontrols:\n"),),
    "package renamed": (("rust: {crate: shelf}", "rust: {crate: board}"),),
}
"""By name: the replacements in the spec."""

TYPES = "cargo-semver-checks compares neither the types of members nor those of parameters"
ALIASES = "cargo-semver-checks has no lints for aliases"
NUMBERS = "only the number that `as` gives for a value changes, which the crate does not document; code still compiles"

DIFFERENCES = {
    "optional member becomes nullable": TYPES,
    "nullable member no longer nullable": TYPES,
    "required member added": TYPES,
    "required member becomes nullable": TYPES,
    "member of another type": TYPES,
    "member of a declared type": TYPES,
    "required member of another type": TYPES,
    "member shared by all variants": TYPES,
    "control with another answer": TYPES,
    "alias of another type": ALIASES,
    "alias removed": ALIASES,
    "values of a closed enum in another order": NUMBERS,
}
"""By change: why the two disagree."""


def model(folder: Path, changes: tuple[Edit, ...]) -> Model:
    """The spec with replacements, each of which must apply."""
    files = {"protocol.yaml": f"{SPEC}{OPTIONS}parts: [things.yaml]\n", "things.yaml": THINGS}
    for old, new in changes:
        assert any(old in text for text in files.values()), old
        files = {name: text.replace(old, new) for name, text in files.items()}
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return model_of(folder)


def described(rust: Toolchain, model: Model, folder: Path) -> Path:
    """The crate of a model as rustdoc describes it, with the options of cargo-semver-checks."""
    crate = generate(registry()["rust"], model, folder / "crate")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", crate)
    docs = toolchain.SEMVER_CHECKS / "docs"
    settings = {**rust.variables, "RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(docs)}  # JSON is not stable yet
    flags = "-Zunstable-options --output-format=json --document-private-items --document-hidden-items --cap-lints=allow"
    words = ("rustdoc", "--lib", "--offline", "--quiet", "--", *flags.split())
    done = replace(rust, variables=settings).run("cargo", *words, cwd=crate)
    assert done.returncode == 0, done.stderr
    return Path(shutil.copy(docs / "doc" / f"{model.packages['rust']['crate']}.json", folder))


def lints(program: Path, old: Path, new: Path) -> list[str]:
    """The lints of cargo-semver-checks that a new version fails."""
    done = subprocess.run([program, old, new], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in {0, BREAKS}, done.stderr
    failed = re.findall(r"^--- failure (\w+):", done.stdout, re.MULTILINE)
    assert bool(failed) == (done.returncode == BREAKS), done.stdout
    return failed


def state(before: Model) -> str:
    """Return a hash of what decides the findings: the changes, the crate without them, and cargo-semver-checks."""
    digest = hashlib.sha256(repr((CHANGES, OPTIONS, THINGS)).encode())
    digest.update((toolchain.SEMVER_CRATE / "Cargo.lock").read_bytes())
    for path, contents in sorted(render(registry()["rust"], make_plan(before)).items()):
        if path.endswith((".rs", ".toml")):
            digest.update(path.encode() + b"\0" + contents + b"\0")
    return digest.hexdigest()


RECORD = toolchain.SEMVER_CRATE / "findings.json"
"""The lints of cargo-semver-checks that each change fails, and the `state` in which it found them."""

RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))


def test_both_agree(tmp_path: Path) -> None:
    before = model(tmp_path / "before", ())
    ours, theirs = {}, RECORDED["lints"]
    for at, (name, changes) in enumerate(CHANGES.items()):
        found = [each for each in find(before, model(tmp_path / str(at), changes)) if each.rule.category == "SOURCE"]
        ours[name] = sorted({each.rule.id for each in found if "rust" in each.languages})
    differing = {name for name in CHANGES if bool(ours[name]) != bool(theirs[name])}
    told = {name: (ours[name], theirs[name]) for name in differing ^ DIFFERENCES.keys()}
    assert not told, "changes on which the two disagree without a reason in DIFFERENCES, or agree despite one"
    assert {bool(each) for each in ours.values()} == {True, False}


def test_the_record_has_what_cargo_semver_checks_finds(rust: Toolchain, tmp_path: Path) -> None:
    before = model(tmp_path / "before", ())
    if RECORDED["state"] == state(before) and not sampling.NIGHTLY:
        return  # the crates are those that were checked when it was recorded
    program = toolchain.semver_checks()
    if program is None:
        pytest.skip("cargo-semver-checks could not be built; `cargo build` in tests/breaking/semver_checks says why")
    old = described(rust, before, tmp_path / "before")
    run = {}
    with ThreadPoolExecutor() as pool:
        for at, (name, changes) in enumerate(CHANGES.items()):
            new = described(rust, model(tmp_path / str(at), changes), tmp_path / str(at))
            run[name] = pool.submit(lints, program, old, new)
    found = {name: each.result() for name, each in run.items()}
    RECORD.write_text(json.dumps({"state": state(before), "lints": found}, indent=2) + "\n", encoding="utf-8")
    assert found == RECORDED["lints"], f"review and commit {RECORD.relative_to(toolchain.ROOT)}, which was renewed"
