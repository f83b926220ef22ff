"""The model → an npm package without dependencies: declarations, and the code that they declare.

Every decision of the language is made in this package: `names` (what things are called), `types` (type expressions),
`declarations`, `maps` and `dts` (what is declared), `tables`, `envelopes` and `code` (what the code does), `about`
(what is said about it), `layout` and `source` (how text is laid out). The templates put it in place; the part that does
not depend on a spec is in `runtimes/typescript/`.

What the spec can say for TypeScript, in `targets: {typescript: {…}}`:

- `name`: of a declaration or constructor; `guard`: of a struct, its guard; `values`: of an enum, the array of them.
- `type`: of a field with untouched JSON `unknown`; of a live object `abort`, `function` or `functions`.
- `request`: of a callback, the request that it answers. What else that has is in the last parameter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model
from polywire.targets.base import LICENSE, File, Misuse, Name, Reading, RuntimeFile, Target
from polywire.targets.typescript.names import KEYWORDS, RESERVED, TARGET_NAME, Names

if TYPE_CHECKING:
    from polywire.plan import Plan
    from polywire.targets.api_surface import ApiItem

ABOUT_FILES = ("README.md", "package.json")
CODE_FILES = ("enums.js", "index.js", "tables.js")
"""Files of the package; the template of each has its name."""

PAIRS_FILE = "pairs.js"
"""The same of a package with controls or tools."""

LAUNCHES_FILE = "launches.js"
"""The same of a package with options that start a process."""

LAUNCH_FILE = "launch.js"
"""The file of `runtime/` that only such a package has."""

SESSION_FILES = ("process.js", "session.js")
"""The files of `runtime/` that only a package with controls has."""

NODE_FILES = ("node.d.ts", "node.js")
"""The entry of such a package for Node alone."""

RUNTIME_FILES = (
    *(
        "codec.js",
        "controls.js",
        "define.js",
        "engine.js",
        "errors.js",
        "index.d.ts",
        "index.js",
        "json.js",
        "repair.js",
        "run.js",
        "streams.js",
    ),
    *("text.js", "typed.js", "values.js"),
)
"""The files of `runtime/`, which are copied."""


class TypeScriptTarget(Target):
    """The package `agentlines` of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = TARGET_NAME
    title: ClassVar[str] = "TypeScript"
    override_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "request", "type", "values"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    reference_keys: ClassVar[frozenset[str]] = frozenset({"request"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"package"})
    reserved = RESERVED
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z_$][A-Za-z0-9_$]*"

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def misuses(self, model: Model) -> Iterable[Misuse]:
        from polywire.targets.typescript.overrides import misuses

        return misuses(model)

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        from polywire.targets.typescript.api_surface import api_surface

        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        from polywire.targets.typescript.about import about_view
        from polywire.targets.typescript.code import code
        from polywire.targets.typescript.dts import declarations_view
        from polywire.targets.typescript.layout import LAYOUT

        about = {"about": about_view(plan), **LAYOUT}
        yield LICENSE
        for path in ABOUT_FILES:
            yield File(path, f"{path}.j2", about)
        types = {"types": declarations_view(plan), **LAYOUT}
        yield File("index.d.ts", "index.d.ts.j2", types)
        view = code(plan)
        views = {"code": view, **LAYOUT}
        for path in NODE_FILES if view.controls else ():
            yield File(path, f"{path}.j2", types | views)
        pairs = (PAIRS_FILE,) if view.controls or view.tools else ()
        launches = (LAUNCHES_FILE,) if view.launches else ()
        for path in (*CODE_FILES, *pairs, *launches):
            yield File(path, f"{path}.j2", views)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        session = SESSION_FILES if plan.controls is not None else ()
        launch = (LAUNCH_FILE,) if plan.launches else ()
        for path in (*RUNTIME_FILES, *session, *launch):
            yield RuntimeFile(f"runtime/{path}", f"src/{path}")

    def readings(self, plan: Plan) -> Iterable[Reading]:
        from polywire.targets.typescript.readings import readings

        return readings(plan)


TARGET = TypeScriptTarget()
