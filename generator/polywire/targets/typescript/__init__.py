"""The model → an npm package without dependencies: declarations, and the code that they declare.

This package makes every decision of the language: `names` (names), `types` (type expressions), `declarations`, `maps`
and `dts` (declarations), `tables`, `envelopes` and `code` (the code), `about` (package metadata), `layout` and `source`
(the format of the text). The templates place the results; the part that does not depend on a spec is in
`runtimes/typescript/`.

Overrides for TypeScript in the spec, under `targets: {typescript: {…}}`:

- `name`: of a declaration or constructor; `guard`: of a struct, its guard; `values`: of an enum, the array of values.
- `absent`: of a struct `undefined`, if its optional members may also be undefined under `exactOptionalPropertyTypes`.
- `type`: of a field with unchanged JSON `unknown`; of a live object `abort` or `function`; of a callback the name of
  its type.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model
from polywire.targets.common.base import LICENSE, File, Misuse, Name, Reading, RuntimeFile, Target
from polywire.targets.common.naming import pattern
from polywire.targets.typescript.names import IDENTIFIER, PACKAGES, RESERVED, VOCABULARY, Names

if TYPE_CHECKING:
    from polywire.plan import Plan
    from polywire.targets.common.api_surface import ApiItem

ABOUT_FILES = ("README.md", "package.json")
CODE_FILES = ("enums.js", "index.js", "tables.js")
"""Files of the package; each is rendered from the template of the same name."""

ROOT_FILES = ("root.d.ts", "root.js")
"""What the runtime refers to, likewise."""

PAIRS_FILE = "pairs.js"
"""The file for packages with controls or tools, likewise."""

LAUNCHES_FILE = "launches.js"
"""The file for packages with options that start a process, likewise."""

NODE_FILES = ("node.d.ts", "node.js")
"""The entry point for Node of packages with controls."""


class TypeScriptTarget(Target):
    """The npm package of a spec."""

    name: ClassVar[str] = "typescript"
    title: ClassVar[str] = "TypeScript"
    override_keys: ClassVar[frozenset[str]] = frozenset({"absent", "guard", "name", "type", "values"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"package", "published"})
    package_flags: ClassVar[frozenset[str]] = frozenset({"published"})
    package_forms = MappingProxyType({"package": pattern(".*", PACKAGES.names)})
    reserved = RESERVED
    identifier: ClassVar[str] = IDENTIFIER

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def misuses(self, model: Model) -> Iterable[Misuse]:
        from polywire.targets.typescript.overrides import misuses

        return misuses(model)

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        from polywire.targets.typescript.api_surface import api_surface

        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        from polywire.targets.typescript.about import about_view, readme_view
        from polywire.targets.typescript.code import code
        from polywire.targets.typescript.dts import declarations_view
        from polywire.targets.typescript.layout import LAYOUT
        from polywire.targets.typescript.source import assigned

        view = about_view(plan)
        about = {"about": view, "readme": readme_view(plan, view), **LAYOUT}
        yield LICENSE
        for path in ABOUT_FILES:
            yield File(path, f"{path}.j2", about)
        types = {"types": declarations_view(plan), **LAYOUT}
        yield File("index.d.ts", "index.d.ts.j2", types)
        sources = code(plan)
        views = {"code": sources, **LAYOUT, "assigned": assigned}
        for path in NODE_FILES if sources.controls else ():
            yield File(path, f"{path}.j2", types | views)
        yield File("runtime/framing.js", "framing.js.j2", {"framing": plan.model.protocol.framing})
        for path in ROOT_FILES:
            yield File(f"runtime/{path}", f"{path}.j2", types | views)
        pairs = (PAIRS_FILE,) if sources.controls or sources.tools else ()
        launches = (LAUNCHES_FILE,) if sources.launches else ()
        for path in (*CODE_FILES, *pairs, *launches):
            yield File(path, f"{path}.j2", views)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        for path in VOCABULARY.files_of(plan.features):
            yield RuntimeFile(f"runtime/{path}", f"src/{path}")

    def readings(self, plan: Plan) -> Iterable[Reading]:
        from polywire.targets.typescript.readings import readings

        return readings(plan)


TARGET = TypeScriptTarget()
