"""TypeScript declarations → a catalog, through the compiler's own checker.

The compiler is the `typescript` package of npm, searched for from the working folder upwards and run by Node. Major
versions 5 and 6 are known to work. Imports of a program are resolved as the compiler resolves them, and nothing is run
or fetched.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from polywire.importing.shapes import (
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
from polywire.words import suggestion

Json: TypeAlias = Any
SCRIPT = Path(__file__).with_name("declarations.mjs")
_INSTALL = "install it where you run polywire: npm install --save-dev typescript@6"


def read(paths: Sequence[Path], roots: Sequence[str], *, docs: bool = False, packages: Sequence[Path] = ()) -> Catalog:
    """Return the catalog reachable from some roots. Looks for the compiler in `packages`, then the working folder."""
    if not roots:
        raise ImportingError("name at least one declaration to decode with --root")
    asked = {
        "files": [str(path.resolve()) for path in paths],
        "roots": list(roots),
        "docs": docs,
        "packages": [str(each) for each in (*packages, Path.cwd())],
    }
    told = run_script(SCRIPT, asked)
    catalog = Catalog()
    for name, each in told["declarations"].items():
        shape = _shape(each["shape"], each["place"])
        catalog.declarations[name] = Declared(name, shape, each["place"], each["doc"], each["deprecated"])
    for note in told["notes"]:
        catalog.note(note["kind"], note["place"], note["message"])
    catalog.roots = list(told["roots"])
    return catalog


def run_script(script: Path, asked: Mapping[str, object]) -> Json:
    """Run one of our scripts, which calls the compiler, and return its output. A failure is an `ImportingError`."""
    node = shutil.which("node")
    if node is None:
        raise ImportingError("there is no `node` on PATH; Node 20.19 or newer runs the TypeScript compiler")
    done = subprocess.run(  # noqa: S603 (an executable found on PATH, and our own script)
        [node, str(script)], input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8", check=False
    )
    try:
        told = json.loads(done.stdout)
    except ValueError as error:
        raise ImportingError(f"the TypeScript compiler failed: {done.stderr.strip()[-2000:]}") from error
    if "ok" in told:
        return told["ok"]
    raise ImportingError(_refusal(str(told["refused"]), asked))


def _refusal(why: str, asked: Mapping[str, object]) -> str:
    word, _, rest = why.partition(" ")
    match word:
        case "missing":
            return f"the package `typescript` is not found; {_INSTALL}"
        case "version":
            return f"typescript {rest} is not known to work; {_INSTALL}"
        case "root":
            name, _, known = rest.partition(" ")
            return f"the sources declare no type {name!r}{suggestion(name, known.split()) if known else ''}"
        case "depth":
            return f"types are nested too deeply {rest}".rstrip()
        case "too":
            return "the roots lead to too many types; is one generic in a way that never ends?"
    return f"{', '.join(map(str, asked['files']))}: {why.strip()}"  # type: ignore[call-overload]


def _shape(said: Json, place: str) -> Shape:
    match said["k"]:
        case "scalar":
            return Scalar(said["name"])
        case "null":
            return Null()
        case "anyObject":
            return AnyObject()
        case "literal":
            return Literal(said["value"], said.get("title"))
        case "ref":
            return Ref(said["name"])
        case "array":
            return Array(_shape(said["item"], place))
        case "tuple":
            return Tuple(tuple(_shape(each, place) for each in said["items"]))
        case "map":
            return Map(_shape(said["value"], place))
        case "oneOf":
            return OneOf(tuple(_shape(each, place) for each in said["members"]), place=place)
        case "object":
            members = tuple(_member(each) for each in said["members"] if _sayable(each["name"]))
            extra = None if said["extra"] is None else _shape(said["extra"], place)
            return Object(members, tuple(_shape(each, place) for each in said["bases"]), extra, place=place)
    return Anything()


def _sayable(name: str) -> bool:
    """Return whether the language can name the member; one that it cannot name is kept as an unknown field."""
    return name != "" and not name.endswith("?")


def _member(said: Json) -> Member:
    shape = _shape(said["shape"], said["place"])
    return Member(said["name"], shape, said["required"], said["doc"], said["deprecated"], place=said["place"])
