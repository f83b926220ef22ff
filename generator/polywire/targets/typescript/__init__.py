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
from typing import ClassVar

from polywire.model.nodes import Model
from polywire.plan import Plan
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import LICENSE, File, Name, RuntimeFile, Target
from polywire.targets.typescript import layout
from polywire.targets.typescript.about import about_view
from polywire.targets.typescript.api_surface import api_surface
from polywire.targets.typescript.code import code
from polywire.targets.typescript.dts import declarations_view
from polywire.targets.typescript.names import KEYWORDS, RESERVED, TARGET_NAME, Names

ABOUT_FILES = ("README.md", "package.json")
CODE_FILES = ("enums.js", "index.js", "tables.js")
"""Files of the package; the template of each has its name."""

PAIRS_FILE = "pairs.js"
"""The same of a package with controls or tools."""

LAUNCHES_FILE = "launches.js"
"""The same of a package with options that start a process."""

LAUNCH_FILE = "launch.js"
"""The file of `runtime/` that only such a package has."""

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

LAYOUT: dict[str, object] = {
    function.__name__: function
    for function in (
        layout.alias,
        layout.cell,
        layout.comment,
        layout.constant,
        layout.flat,
        layout.function,
        layout.interface,
        layout.maker,
        layout.member,
        layout.members,
        layout.values,
    )
}
"""What the templates call to lay text out."""


class TypeScriptTarget(Target):
    """The package `agentlines` of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = TARGET_NAME
    override_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "request", "type", "values"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    reference_keys: ClassVar[frozenset[str]] = frozenset({"request"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"package"})
    reserved = RESERVED
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z_$][A-Za-z0-9_$]*"

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        about = {"about": about_view(plan), **LAYOUT}
        yield LICENSE
        for path in ABOUT_FILES:
            yield File(path, f"{path}.j2", about)
        yield File("index.d.ts", "index.d.ts.j2", {"types": declarations_view(plan), **LAYOUT})
        view = code(plan)
        views = {"code": view, **LAYOUT}
        pairs = (PAIRS_FILE,) if view.controls or view.tools else ()
        launches = (LAUNCHES_FILE,) if view.launches else ()
        for path in (*CODE_FILES, *pairs, *launches):
            yield File(path, f"{path}.j2", views)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        for path in (*RUNTIME_FILES, *((LAUNCH_FILE,) if plan.launches else ())):
            yield RuntimeFile(f"runtime/{path}", f"src/{path}")


TARGET = TypeScriptTarget()
