"""The model → a Rust crate: structs and enums as Rust users write them, generated codecs, readers and writers.

Every decision of the language is made in this package: `names` (what things are called), `shapes` (types, and what is
boxed), `structs` and `unions` (declarations and how they are read), `construct` (how values are made), `pairs`
(controls and tools), `layout`, `docs` and `source` (how text is laid out). The templates put it in place.

What the spec can say for Rust, in `targets: {rust: {…}}`:

- `name`: of a declaration, field, value or constructor.
- `variant`: of a struct or union, what variants that hold it are called.
- `type`: of a field whose type is an inline union, what the enum made for that is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar

from polywire.model.nodes import Alias, Choice, Enum, Model
from polywire.plan import Plan
from polywire.plan.rows import rows
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import File, Name, Target
from polywire.targets.release import release
from polywire.targets.rust import layout
from polywire.targets.rust.api_surface import api_surface
from polywire.targets.rust.construct import Constructors
from polywire.targets.rust.docs import documentation, text
from polywire.targets.rust.names import KEYWORDS, Names
from polywire.targets.rust.pairs import Pairs
from polywire.targets.rust.shapes import Shapes
from polywire.targets.rust.source import Tables
from polywire.targets.rust.structs import MOST_PARAMETERS, Structs
from polywire.targets.rust.unions import Unions

FILES = {
    "codec.rs": "codec.rs.j2",
    "construct.rs": "construct.rs.j2",
    "convert.rs": "convert.rs.j2",
    "cursor.rs": "cursor.rs.j2",
    "enums.rs": "enums.rs.j2",
    "error.rs": "error.rs.j2",
    "json.rs": "json.rs.j2",
    "validator.rs": "validator.rs.j2",
    "lib.rs": "lib.rs.j2",
    "map.rs": "map.rs.j2",
    "out.rs": "out.rs.j2",
    "pairs.rs": "pairs.rs.j2",
    "plan.rs": "plan.rs.j2",
    "presence.rs": "presence.rs.j2",
    "records.rs": "records.rs.j2",
    "stream.rs": "stream.rs.j2",
    "structs.rs": "structs.rs.j2",
    "unions.rs": "unions.rs.j2",
}
"""File of the crate's `src` → its template."""

ABOUT = {"Cargo.toml": "Cargo.toml.j2", "LICENSE": "LICENSE.j2", "README.md": "README.md.j2"}
"""File of the package → its template."""


RUST_VERSION = "1.85"
"""The oldest Rust that the crate is tested with."""


class RustTarget(Target):
    """The crate of this repository's spec, or whatever another spec's crate is called."""

    name: ClassVar[str] = "rust"
    override_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"crate", "readme"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({"crate": r"[A-Za-z][A-Za-z0-9_-]*"})
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z][A-Za-z0-9_]*"

    def names(self, model: Model) -> Iterable[Name]:
        names = Names(model)
        yield from names.all()
        yield from Shapes(model, names).choice_names()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan.model)

    def files(self, plan: Plan) -> Iterable[File]:
        model = plan.model
        view = _view(model)
        for path, template in ABOUT.items():
            yield File(path, template, view)
        for path, template in FILES.items():
            yield File(f"src/{path}", template, view)


TARGET = RustTarget()


def _view(model: Model) -> dict[str, object]:
    """All that the templates see."""
    names = Names(model)
    shapes = Shapes(model, names)
    for alias in model.aliases:
        if isinstance(alias.type, Choice) and shapes.is_enum(alias):
            shapes.choice(alias.type, names.type(alias.name), alias.name)
    structs = Structs(model, names, shapes)
    unions = Unions(model, names, shapes)
    constructors = Constructors(model, names, shapes, structs)
    made = constructors.views()
    pairs = Pairs(model, names, shapes, constructors)
    controls, tools = pairs.controls(), pairs.tools()
    tables = rows(model)
    places = {name: at for at, name in enumerate(tables)}
    package = model.packages.get("rust", {})
    crate = package.get("crate") or model.protocol.name
    root = names.type(model.protocol.roots[0])
    return {
        "model": model,
        "protocol": model.protocol,
        **release(model.protocol, layout.ESCAPED),
        "package": crate,
        "rust_version": RUST_VERSION,
        "readme": text(package.get("readme", "")),
        "crate_name": crate.replace("-", "_"),
        "root": root,
        "roots": [(name, names.type(name)) for name in dict.fromkeys(model.protocol.roots)],
        "root_spec": model.protocol.roots[0],
        "root_unknown": any(union.open for union in model.unions if union.name == model.protocol.roots[0]),
        "structs": structs.views(),
        "constructors": made,
        "fresh": any(each.fresh for each in made) or (controls is not None and controls.fresh),
        "unions": unions.views(),
        "unknowns": unions.unknowns(),
        "enums": [_enum(enum, names) for enum in model.enums],
        "aliases": [_alias(alias, names, shapes) for alias in model.aliases if not shapes.is_enum(alias)],
        "controls": controls,
        "tools": tools,
        "paired": controls is not None or any(tools.values()),
        "choices": shapes.choices,
        "plan": tables,
        "places": places,
        "tables": Tables(places),
        "types": [
            (name, names.type(name))
            for name, each in model.declarations.items()
            if not isinstance(each, Alias) or shapes.is_enum(each)
        ],
        "quoted": layout.quoted,
        "doc": layout.doc,
        "prose": layout.prose,
        "markdown": layout.markdown,
        "field": layout.field,
        "variant": layout.variant,
        "signature": layout.signature,
        "deprecation": layout.deprecation,
        "params": lambda made: [f"{each.name}: {each.type}" for each in made.parameters],
        "most_parameters": MOST_PARAMETERS,
        "first_line": lambda text: text.strip().split("\n")[0],
    }


def _alias(alias: Alias, names: Names, shapes: Shapes) -> dict[str, object]:
    return {
        "name": names.type(alias.name),
        "spec_name": alias.name,
        "doc": documentation(alias.about, f"`{alias.name}`."),
        "deprecated": alias.about.deprecated,
        "type": shapes.of(alias.type),
    }


def _enum(enum: Enum, names: Names) -> dict[str, object]:
    seen: dict[object, str] = {}
    values = []
    for at, value in enumerate(enum.values):
        if value.wire in seen:
            continue
        seen[value.wire] = value.name
        values.append(
            {
                "name": names.value(enum, at),
                "wire": value.wire,
                "doc": documentation(value.about, f"`{value.wire}`."),
                "deprecated": value.about.deprecated,
            }
        )
    return {
        "name": names.type(enum.name),
        "spec_name": enum.name,
        "doc": documentation(enum.about, f"`{enum.name}`."),
        "deprecated": enum.about.deprecated,
        "open": enum.open,
        "integer": enum.base == "integer",
        "values": values,
    }
