"""The plan → the views of a crate's files.

The views of declarations are in the modules that build them: `enums`, `structs`, `unions`, `construct` and `pairs`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TypeAlias

from polywire.model.graphs import longest_chain
from polywire.model.nodes import Alias, Enum, Model, Union
from polywire.model.walk import spell, types, uses
from polywire.plan import Plan
from polywire.plan.needs import Needs
from polywire.plan.public import Feature
from polywire.plan.trees import TreePlan
from polywire.source.types import Choice, LiteralType
from polywire.targets.common.api_surface import ApiPath
from polywire.targets.common.base import LICENSE, File, View
from polywire.targets.common.naming import identifier, snake
from polywire.targets.common.readme import readme
from polywire.targets.rust import layout
from polywire.targets.rust.construct import Constructors, ConstructorView
from polywire.targets.rust.enums import enum_view
from polywire.targets.rust.items import Item
from polywire.targets.rust.launches import Launches
from polywire.targets.rust.layout import INDENT, braced, described, quoted
from polywire.targets.rust.names import CRATES, MIXINS, VOCABULARY, Home, Names, is_standard, variant_types
from polywire.targets.rust.pairs import Pairs, PairsFileView
from polywire.targets.rust.shapes import ChoiceVariant, ChoiceView, Shapes
from polywire.targets.rust.source import Tables, base, listed, places
from polywire.targets.rust.structs import Structs, StructView
from polywire.targets.rust.unions import Unions

MACROS = frozenset({"codec", "controls", "launch", "session", "setters", "tree"})
"""The modules of the runtime that declare macros for generated modules."""

EXPORTED = frozenset({"pairs", "tool_types", "trees"})
"""The generated modules whose items the root exports."""

RUST_VERSION = "1.85"
"""The oldest version of Rust with which the crate is tested."""

FRAMES = 16
"""How many levels of recursion a type in another one takes the compiler at most: a map of boxes takes about ten."""

SHORT_CHAIN = 24
"""The number of types in a chain that compiles with the default limit of 128, as a boxed or listed type takes five."""


def recursion_limit(model: Model) -> int | None:
    """The limit that a crate needs, as the compiler follows types that contain each other by recursion."""
    chain = longest_chain({name: [*uses(declared)] for name, declared in model.declarations.items()})
    return FRAMES * chain if chain > SHORT_CHAIN else None


@dataclass(frozen=True, slots=True)
class Module:
    """A module, with its attribute if a crate does not always have it."""

    name: str
    condition: str | None = None
    names: tuple[str, ...] = ()
    """The items that another module exports from it."""


Items: TypeAlias = "dict[str, tuple[Item, ...]]"
"""The declared items of modules by kind, in the order of their codecs."""


def crate_of(model: Model) -> str:
    """The name of the package; a dialect has one of its own, as a lock file cannot have two packages of one name."""
    default = identifier(model.protocol.name.lower().replace(".", "-"), CRATES, "protocol-")
    name = model.packages.get("rust", {}).get("crate") or default
    return f"{name}-{re.sub('[._]', '-', model.dialect)}" if model.dialect else name


class Package:
    """Builds the crate of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._protocol, self._crate = plan, plan.model.protocol, crate_of(plan.model)
        self.names = Names(plan.model)
        self.shapes = Shapes(plan.model, self.names)
        self._places = places(plan, self.names)
        self._tables = Tables(plan, self.names, self.shapes, self._places)
        for alias in plan.model.aliases:
            if isinstance(alias.type, Choice) and self.shapes.is_enum(alias):
                self.shapes.home = self.names.home(alias.name)
                self.shapes.choice(alias.type, self.names.type(alias.name), alias.name)
        self.structs = Structs(plan, self.names, self.shapes)
        self._unions = Unions(plan, self.names, self.shapes, self._tables)
        self.constructors = Constructors(plan, self.names, self.structs)
        self.pairs = Pairs(plan, self.names, self.shapes, self._tables, self.constructors)
        self.launches = Launches(plan, self.names, self.shapes, self.pairs)

    def files(self) -> Iterator[File]:
        """Every file of the crate that is rendered from a template."""
        structs, pairs, methods = self.structs.views(), self.pairs.file(), self.launches.methods()
        items, parts = self._items(structs), self._parts(pairs)
        crate = self._crate_view(pairs, parts, methods)
        yield File("Cargo.toml", "Cargo.toml.j2", crate)
        yield LICENSE
        yield File("README.md", "README.md.j2", crate)
        yield from self._areas(items)
        if self._plan.launches:
            yield File("src/launches.rs", "launches.rs.j2", crate)
        if self._plan.trees:
            yield File("src/trees.rs", "trees.rs.j2", {"trees": tuple(map(self._tree, self._plan.trees))})
        yield File("src/lib.rs", "lib.rs.j2", crate)
        yield File("src/plan.rs", "plan.rs.j2", self._tables_file())
        for path, both in parts.items():
            yield File(f"src/{path}.rs", "pairs.rs.j2", both)

    def _parts(self, pairs: PairsFileView | None) -> dict[str, PairsFileView]:
        """Controls and tools, by path: in one module, unless they are needed for different things."""
        if pairs is None or self.names.needs.session == self.names.needs.tools:
            return {} if pairs is None else {"pairs": pairs}
        parts = {"pairs": replace(pairs, tools={}), "tool_types": replace(pairs, controls=None)}
        return {path: each for path, each in parts.items() if each.controls or each.tools}

    def _items(self, structs: tuple[StructView, ...]) -> Items:
        """All declared items. Those of inline unions and literals come last, as the others decide their homes."""
        enums = tuple(enum_view(enum, self.names, self._places) for enum in self._plan.model.enums)
        impls, unions = self.constructors.impls, self._unions.views()
        unknowns, aliases = self._unions.unknowns(), self._unions.aliases()
        home_of, scalar = self.shapes.home_of, self._tables.scalar
        choices = (replace(each, home=home_of(each), codec=self._choice(each)) for each in self.shapes.choices.values())
        literals = (
            replace(each, home=home_of(each), codec=f"{each.name} {scalar(each.value)}")
            for each in self.shapes.literals.values()
        )
        return {
            "enums": enums,
            "structs": structs,
            "impls": impls,
            "unions": unions,
            "unknowns": unknowns,
            "choices": tuple(choices),
            "literals": tuple(literals),
            "aliases": aliases,
        }

    def _areas(self, items: Items) -> Iterator[File]:
        """The modules of all declarations: for each file of the spec, and for what a crate does not always have."""
        own_style = not all(map(is_standard, self.names.all()))
        for area, kinds in self._kinds().items():
            for needs in sorted({*kinds, *([] if len(kinds) == 1 else [frozenset[str]()])}, key=sorted):
                home, is_part = Home(area, needs), bool(needs) and len(kinds) > 1
                here = {kind: tuple(each for each in found if each.home == home) for kind, found in items.items()}
                view = {
                    "name": area,
                    "own_style": own_style,
                    "parts": () if needs else modules(kinds),
                    "shared": tuple(self._shared(home)),
                    "items": here,
                    "codecs": codecs(here),
                    **layout.LAYOUT,
                }
                yield File(f"src/{area}/{module_of(needs)}.rs" if is_part else f"src/{area}.rs", "area.rs.j2", view)

    def _kinds(self) -> dict[str, list[Needs]]:
        """The areas, each with the needs of its items."""
        homes = {self.names.home(name) for name in self._plan.model.declarations}
        homes |= set(map(self.shapes.home_of, self.shapes.inline))
        found: dict[str, list[Needs]] = {}
        for home in sorted(homes, key=lambda home: (home.area, sorted(home.needs))):
            found.setdefault(home.area, []).append(home.needs)
        return found

    def _shared(self, user: Home) -> Iterator[Module]:
        """The items of other modules that the module of an area re-exports."""
        homes = {each.name: each.home.area for each in self.shapes.inline}
        used = sorted(name for home, name in self.shapes.uses if home == user and homes[name] != user.area)
        for home in sorted({homes[name] for name in used}):
            yield Module(home, names=tuple(name for name in used if homes[name] == home))

    def _crate_view(self, pairs: PairsFileView | None, parts: Iterable[str], methods: Mapping[str, object]) -> View:
        """What the templates of files about the whole crate use."""
        plan, needs, root = self._plan, self.names.needs, self.names.type(self._plan.root)
        controls = None if pairs is None else pairs.controls
        about = readme(
            plan,
            "rust",
            self._crate,
            layout.ESCAPED,
            name=self.names.type,
            tree=self.names.tree,
            call=snake,
            event="Event::",
            constructors=map(_row, self.constructors.views()),
            answers=((each.request, each.answer) for each in (() if controls is None else controls.pairs)),
        )
        areas, library = self._kinds().items(), tuple(self._library(parts))
        return {
            "plan": plan,
            "package": self._crate,
            "crate_name": self._crate.replace("-", "_"),
            "readme": about,
            "rust_version": RUST_VERSION,
            # What parts of the crate are needed for, by default all of it, and what processes need.
            "features": needs.names,
            "process": (min(needs.launch),) if needs.launch else (),
            # For examples.
            "root": root,
            "reader_imports": ", ".join(sorted((root, "ReadError", "Reader"), key=str.lower)),
            "draws_uuid": any(each.made.draws_uuid for each in plan.constructors if not each.is_plain),
            "peer": "" if controls is None else self.names.peer(self._protocol.peers[-1]),
            "methods": methods,
            "has_literals": any(isinstance(each, LiteralType) for each in types(plan.model)),
            # The modules of the library, and those of types.
            "library": library,
            "macros": MACROS,
            "framing": self._protocol.framing.replace("-", "_"),
            "areas": [
                Module(area, layout.condition(own[0]) if len(own) == 1 and area != MIXINS else None)
                for area, own in areas
            ],
            "exports": sorted(self._exports(library), key=lambda each: each.name),
            "recursion_limit": recursion_limit(plan.model),
            # The arguments of the macros for conformance tests, by what they list.
            "listings": self._listings(),
            "area": self.names.area,
            "type": self.names.type,
            **layout.LAYOUT,
        }

    def _listings(self) -> dict[str, tuple[str, ...]]:
        """What macros list for conformance tests, such as each type with its name in the spec."""
        model, plan = self._plan.model, self._plan
        aliases = [each.name for each in model.aliases if not self._is_type(each)]
        declared = [name for name in model.declarations if name not in aliases]
        return {
            "types": (*map(self._type, declared), ";", *map(self._type, aliases)),
            "unknowns": tuple(f"{quoted(each.name)} => {self.names.unknown(each.union)}," for each in plan.unknowns),
            "sessions": tuple(_abilities(plan.features)),
            "launches": tuple(self._type(each.struct.name) for each in plan.launches),
            "trees": tuple(
                f"{quoted(each.tree.name)} => {self.names.tree(each.tree)} {self.names.type(each.tree.lines)},"
                for each in plan.trees
            ),
            "roots": tuple(map(self._type, dict.fromkeys(self._protocol.roots))),
        }

    def _library(self, parts: Iterable[str]) -> Iterator[Module]:
        """The modules besides those of types, by name."""
        plan, needs = self._plan, self.names.needs
        of_trees = [needs.declared[each.tree.lines] for each in plan.trees]
        wanted = {
            **dict.fromkeys(("controls", "session", "pairs"), needs.session),
            **dict.fromkeys(("answers", "carriers", "launch", "launches"), needs.launch),
            **dict.fromkeys(("tree", "trees"), frozenset().union(*of_trees) if all(of_trees) else frozenset()),
            "tool_types": needs.tools,
        }
        files = (file.removesuffix(".rs") for file in VOCABULARY.files_of(plan.features))
        tables = ["plan", *["launches"] * bool(plan.launches), *["trees"] * bool(plan.trees)]
        for name in sorted({*files, *tables, *parts} - {"process"}):
            yield Module(name, layout.condition(wanted.get(name, frozenset())))

    def _tree(self, planned: TreePlan) -> View:
        tree, name, lines = planned.tree, self.names.tree(planned.tree), self.names.type(planned.tree.lines)
        ids = {
            key: planned.ids[key].steps if key in planned.ids else ()
            for key in ("id", "parent", "attached", "previous")
        }
        return {
            "name": name,
            "above": described(tree.about, f"A tree of `{lines}`.", INDENT),
            "lines": lines,
            "condition": layout.condition(self.names.needs.declared[tree.lines]),
            "ids": {key: listed(listed(map(quoted, names)) for names in steps) for key, steps in ids.items()},
        }

    def _is_type(self, alias: Alias) -> bool:
        """Whether an alias has its own type."""
        return self.shapes.is_enum(alias) or self.shapes.is_struct(alias)

    def _exports(self, library: Iterable[Module]) -> Iterator[Module]:
        """The items that the root of the crate re-exports from modules of the library and from areas."""
        yield from (replace(each, names=("*",)) for each in library if each.name in EXPORTED)
        found = {name: home for _, name, home in self.exported()}
        for home in sorted(set(found.values()), key=lambda home: (home.area, sorted(home.needs))):
            names = sorted(name for name, each in found.items() if each == home)
            yield Module(home.area, layout.condition(home.needs), tuple(names))

    def exported(self) -> Iterator[tuple[ApiPath, str, Home]]:
        """The types that the root of the crate re-exports, each with its name and where it is.

        They are the roots without enums, the envelopes of controls, and the unions among their variants, with the
        Unknowns.
        """
        model, controls = self._plan.model, self._plan.controls
        names = [name for name in self._protocol.roots if not isinstance(model.declarations[name], Enum)]
        if controls is not None:
            names += [controls.request.struct.name, controls.response.struct.name]
        unions = [union for name in names for union in self._unions_in(name)]
        for name in dict.fromkeys((*names, *(union.name for union in unions))):
            yield (name,), self.names.type(name), self.names.home(name)
        homes = {(home := self._plan.unknown_of(union).union).name: home for union in unions if union.open}
        for name, home in homes.items():
            yield (name, "unknown"), self.names.unknown(home), self.names.home(name)

    def shared(self) -> Iterator[tuple[str, str]]:
        """The inline unions and literals, each with the public modules whose types use it."""
        self.structs.views()
        self._unions.unknowns()
        self._unions.aliases()
        self.pairs.file()
        declared = {each.name for each in self.shapes.choices.values() if each.alias is not None}
        uses = {(name, home.area) for home, name in self.shapes.uses}
        yield from sorted((name, area) for name, area in uses if area != MIXINS and name not in declared)

    def _unions_in(self, name: str) -> Iterator[Union]:
        """A union, and the unions among its variants."""
        if name in self._plan.unions:
            union = self._plan.unions[name].union
            yield union
            for each in variant_types(union.dispatch):
                yield from self._unions_in(each)

    def _type(self, name: str) -> str:
        return f"{quoted(name)} => {self.names.type(name)},"

    def _tables_file(self) -> View:
        declared = self.names.needs.declared
        counts = Counter(declared[name] for name in self._plan.rows)
        kinds = sorted(counts, key=sorted)
        bases = (
            (base(needs), base(before) or str(counts[before]), layout.predicate(before), counts[before])
            for before, needs in pairwise(kinds)
        )
        rows = (
            (layout.condition(declared[name]), f"({quoted(name)}, {self._tables.row(row)})")
            for name, row in sorted(self._plan.rows.items(), key=lambda row: sorted(declared[row[0]]))
        )
        return {"bases": tuple(bases), "rows": tuple(rows)}

    def _choice(self, view: ChoiceView) -> str:
        """The row of an inline union: its variants, and what makes it a type of documents."""
        variants = [f"{number} {self._variant(each)}" for number, each in enumerate(view.variants)]
        variants += [f"{len(variants)} Null {{}}"] * view.null
        if view.alias is not None:
            wire = f"wire({quoted(view.alias)} {self._places[view.alias]})"
        else:
            wire = f"ruled(({quoted(spell(view.type))}) {self._tables.type(view.type)})"
        return f"{braced(view.name, variants)} {wire}"

    def _variant(self, variant: ChoiceVariant) -> str:
        if variant.literal is not None:
            return f"{variant.name} {{{self._tables.scalar(variant.literal.value)}}}"
        return f"{variant.name} [{variant.type}]" if variant.boxed else f"{variant.name} ({variant.type})"


def codecs(items: Items) -> dict[str, list[str]]:
    """The macros of the codecs of items, with the rows of each."""
    found: dict[str, list[str]] = {}
    for each in chain.from_iterable(items.values()):
        if each.macro:
            found.setdefault(each.macro, []).append(each.codec)
    return found


def module_of(needs: Needs) -> str:
    """The module of what a crate does not always have."""
    return f"for_{'_or_'.join(sorted(needs))}"  # clippy objects to a module with the name of the one around it


def modules(kinds: Iterable[Needs]) -> tuple[Module, ...]:
    """The modules of what a crate does not always have."""
    some = sorted(filter(None, kinds), key=sorted)
    return tuple(Module(module_of(each), layout.condition(each)) for each in some)


def _row(view: ConstructorView) -> tuple[str, str]:
    names = ", ".join(each.name for each in view.takes.parameters)
    given = names if not view.takes.bundle else f"{view.takes.bundle} {{ {names} }}"
    return f"{view.struct}::{view.name}({given})", view.summary


def _abilities(features: frozenset[Feature]) -> Iterator[str]:
    """The abilities of sessions, with the parts of an error."""
    parts = " code" * ("error_codes" in features) + " data" * ("error_data" in features)
    if "controls" in features:
        yield f"receive{parts}"
    if "errors" in features:
        yield f"refuse {'refusal' if parts else 'text'}{parts}"
    yield from (each for each in ("notify", "cancel") if each in features)
