"""TypeScript declarations → a catalog, through the compiler's own checker.

The compiler is the `typescript` package of npm, run by Node: the version that polywire pins by its hash, which is
installed into polywire's cache when it is first needed, or that in a folder named by the user. It is never looked for
in the working folder or beside the declarations, which may be a stranger's. Major versions 5 and 6 are known to work.
Imports of a program are resolved as the compiler resolves them, and nothing of them is run or fetched.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from polywire.conformance.toolchain import NO_NODE, node, node_packages_of
from polywire.ground.words import suggestion
from polywire_import.shapes import (
    AnyObject,
    Anything,
    Array,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Map,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    Tuple,
)

Json: TypeAlias = Any
SCRIPT = Path(__file__).with_name("declarations.mjs")
COMPILER_LOCK = Path(__file__).with_name("compiler") / "package-lock.json"
"""The compiler that polywire pins."""


def read(paths: Sequence[Path], roots: Sequence[str], *, docs: bool = False, compiler: Path | None = None) -> Catalog:
    """Return the catalog reachable from some roots. `compiler` is the folder of one other than the pinned one."""
    if not roots:
        raise ImportingError("name at least one declaration to decode with --root")
    asked = {
        "files": [str(path.resolve()) for path in paths],
        "roots": list(roots),
        "docs": docs,
    }
    found = run_script(SCRIPT, asked, compiler)
    catalog = Catalog()
    for name, each in found["declarations"].items():
        shape = _shape(each["shape"], each["place"])
        catalog.declarations[name] = Declared(name, shape, each["place"], each["doc"], each["deprecated"])
    for note in found["notes"]:
        catalog.note(note["kind"], note["place"], note["message"])
    catalog.roots = list(found["roots"])
    return catalog


def run_script(script: Path, asked: Mapping[str, object], compiler: Path | None = None) -> Json:
    """Run one of our scripts, which calls the compiler, and return its output. A failure is an `ImportingError`."""
    runner = node()
    if runner is None:
        raise ImportingError(f"{NO_NODE}. It runs the TypeScript compiler")
    done = subprocess.run(  # noqa: S603 (an executable found on PATH, and our own script)
        runner.command("node", script),
        input=json.dumps({**asked, "compiler": str(_compiler(compiler))}),
        env=runner.environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise ImportingError(f"the TypeScript compiler failed: {done.stderr.strip()[-2000:]}") from error
    if "ok" in answer:
        return answer["ok"]
    raise ImportingError(_refusal(str(answer["refused"]), asked))


def _compiler(given: Path | None) -> Path:
    """Return the folder of the compiler; the pinned one is installed if needed."""
    if given is not None:
        if not (given / "package.json").is_file():
            raise ImportingError(f"--typescript {given}: expected the folder of the package, with its package.json")
        return given.resolve()
    folder, problem = node_packages_of(COMPILER_LOCK)
    if problem is not None:
        raise ImportingError(
            f"{problem}\nThe TypeScript compiler that polywire pins could not be installed into {folder}; to use"
            " another one, pass its folder: --typescript FOLDER"
        )
    return folder / "node_modules" / "typescript"


def _refusal(why: str, asked: Mapping[str, object]) -> str:
    word, _, rest = why.partition(" ")
    match word:
        case "version":
            return f"typescript {rest} is not known to work; expected version 5 or 6, or no --typescript"
        case "root":
            name, _, known = rest.partition(" ")
            return f"the sources declare no type {name!r}{suggestion(name, known.split()) if known else ''}"
        case "depth":
            return f"types are nested too deeply {rest}".rstrip()
        case "too":
            return "the roots lead to too many types; is one generic in a way that never ends?"
    return f"{', '.join(map(str, asked['files']))}: {why.strip()}"  # type: ignore[call-overload]


def _shape(declared: Json, place: str) -> Shape:
    match declared["k"]:
        case "scalar":
            return Scalar(declared["name"])
        case "null":
            return Null()
        case "anyObject":
            return AnyObject()
        case "literal":
            return Literal(declared["value"], declared.get("title"))
        case "ref":
            return Ref(declared["name"])
        case "array":
            return Array(_shape(declared["item"], place))
        case "tuple":
            items = tuple(_shape(each, place) for each in declared["items"])
            return Tuple(items) if items else Array(Anything(), high=0)
        case "map":
            return Map(_shape(declared["value"], place))
        case "oneOf":
            return OneOf(tuple(_shape(each, place) for each in declared["members"]), place=place)
        case "object":
            members = tuple(_member(each) for each in declared["members"] if _sayable(each["name"]))
            extra = None if declared["extra"] is None else _shape(declared["extra"], place)
            return Object(members, tuple(_shape(each, place) for each in declared["bases"]), extra, place=place)
    return Anything()


def _sayable(name: str) -> bool:
    """Return whether the language can name the member; one that it cannot name is kept as an unknown field."""
    return name != "" and not name.endswith("?")


def _member(declared: Json) -> Member:
    shape = _shape(declared["shape"], declared["place"])
    return Member(
        declared["name"], shape, declared["required"], declared["doc"], declared["deprecated"], place=declared["place"]
    )
