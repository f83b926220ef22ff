"""The model → a Rust crate: structs and enums as Rust users write them, generated codecs, readers and writers.

This package makes every decision of the language: `names` (names), `shapes` (types, and what is boxed), `enums`,
`structs` and `unions` (declarations and their codecs), `construct` (how values are created), `pairs` (controls and
tools), `launches` (how options are passed), `layout`, `docs` and `source` (the format of the text), `package` (the view
of each file). The templates place the results, next to the runtime.

Overrides for Rust in the spec, under `targets: {rust: {…}}`:

- `name`: of a declaration, field, value or constructor.
- `variant`: of a struct or union, the name of enum variants that hold it.
- `type`: of a field whose type is an inline union, the name of the enum for that union.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model
from polywire.targets.common.base import File, Name, Reading, RuntimeFile, Target
from polywire.targets.common.naming import pattern
from polywire.targets.rust.names import CRATES, KEYWORDS, RESERVED, VOCABULARY, Names

if TYPE_CHECKING:
    from polywire.plan import Plan
    from polywire.targets.common.api_surface import ApiItem


class RustTarget(Target):
    """The Rust crate of a spec."""

    name: ClassVar[str] = "rust"
    title: ClassVar[str] = "Rust"
    override_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"name", "variant", "type"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"crate", "readme", "published"})
    package_flags: ClassVar[frozenset[str]] = frozenset({"published"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    package_forms = MappingProxyType({"crate": pattern("[A-Za-z][A-Za-z0-9_-]*", CRATES.names)})
    reserved = RESERVED
    identifier: ClassVar[str] = pattern("[A-Za-z][A-Za-z0-9_]*", KEYWORDS)

    def names(self, model: Model) -> Iterable[Name]:
        from polywire.targets.rust.shapes import Shapes

        names = Names(model)
        yield from names.all()
        yield from Shapes(model, names).choice_names()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        from polywire.targets.rust.api_surface import api_surface

        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        from polywire.targets.rust.package import Package

        return Package(plan).files()

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        from polywire.targets.rust.package import crate_of

        names = {"polywire_runtime": crate_of(plan.model).replace("-", "_")}
        for path in VOCABULARY.files_of(plan.features):
            yield RuntimeFile(f"src/{path}", f"src/{path}", names)

    def readings(self, plan: Plan) -> Iterable[Reading]:
        from polywire.targets.rust.readings import readings

        return readings(plan)


TARGET = RustTarget()
