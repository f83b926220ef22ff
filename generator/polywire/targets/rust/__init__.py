"""The model → a Rust crate: structs and enums as Rust users write them, generated codecs, readers and writers.

Every decision of the language is made in this package: `names` (what things are called), `shapes` (types, and what is
boxed), `enums`, `structs` and `unions` (declarations and how they are read), `construct` (how values are made), `pairs`
(controls and tools), `layout`, `docs` and `source` (how text is laid out), `package` (the view of each file). The
templates place it, beside the runtime.

What the spec can say for Rust, in `targets: {rust: {…}}`:

- `name`: of a declaration, field, value or constructor.
- `variant`: of a struct or union, what variants that hold it are called.
- `type`: of a field whose type is an inline union, what the enum made for that is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar

from polywire.model.nodes import Model
from polywire.plan import Plan
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import File, Name, RuntimeFile, Target
from polywire.targets.rust.api_surface import api_surface
from polywire.targets.rust.names import KEYWORDS, RESERVED, Names
from polywire.targets.rust.package import Package, crate_of
from polywire.targets.rust.shapes import Shapes

RUNTIME = (
    *("api.rs", "codec.rs", "controls.rs", "engine.rs", "error.rs", "interop.rs", "json.rs", "lines.rs", "map.rs"),
    *("out.rs", "presence.rs", "setters.rs", "table.rs", "tape.rs", "text.rs", "tolerated.rs", "undeclared.rs"),
    "uuid.rs",
)
"""Files of the crate's `src` that are copied from the runtime's."""


class RustTarget(Target):
    """The crate of this repository's spec, or whatever another spec's crate is called."""

    name: ClassVar[str] = "rust"
    override_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"crate", "readme"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({"crate": r"[A-Za-z][A-Za-z0-9_-]*"})
    reserved = RESERVED
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z][A-Za-z0-9_]*"

    def names(self, model: Model) -> Iterable[Name]:
        names = Names(model)
        yield from names.all()
        yield from Shapes(model, names).choice_names()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        return Package(plan).files()

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        names = {"polywire_runtime": crate_of(plan.model).replace("-", "_")}
        for path in RUNTIME:
            yield RuntimeFile(f"src/{path}", f"src/{path}", names)


TARGET = RustTarget()
