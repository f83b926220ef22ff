"""The plan → a complete Python distribution: typed modules by area, one table, constructors, and the runtime.

This package makes every decision of the language: `names` (names), `annotations` (types), `classes` (declarations),
`table` (the rows from which functions are compiled), `construct` and `pairs` (functions), `layout` and `source` (the
format of the text), `views` (the input of each template). The templates place the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model
from polywire.targets.common.base import LICENSE, AddOn, File, Name, Reading, RuntimeFile, Target
from polywire.targets.common.naming import pattern
from polywire.targets.python.flavours import FLAVOURS, SCHEMAS, add_ons, requested
from polywire.targets.python.names import PACKAGES, RESERVED, VOCABULARY, Names, module_name

if TYPE_CHECKING:
    from polywire.plan import Plan
    from polywire.targets.common.api_surface import ApiItem
    from polywire.targets.common.header import Header


class PythonTarget(Target):
    """The Python package of a spec."""

    name: ClassVar[str] = "python"
    title: ClassVar[str] = "Python"
    comment: ClassVar[str] = "#"
    package_keys: ClassVar[frozenset[str]] = frozenset({"distribution", "module", "readme", *FLAVOURS, "published"})
    package_flags: ClassVar[frozenset[str]] = frozenset({"published"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    add_on_keys: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(FLAVOURS, tuple(SCHEMAS))
    reserved = RESERVED
    identifier: ClassVar[str] = pattern("[A-Za-z_][A-Za-z0-9_]*", PACKAGES.names)
    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({"module": identifier})

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        from polywire.targets.python.api_surface import api_surface

        return api_surface(plan)

    def files(self, plan: Plan) -> Iterable[File]:
        from polywire.targets.python.views import Views

        views = Views(plan)
        about, module = views.about(), module_name(plan.model)
        yield LICENSE
        yield File("README.md", "README.md.j2", about)
        yield File("pyproject.toml", "pyproject.toml.j2", about)
        yield File(f"{module}/__init__.py", "init.py.j2", views.init())
        for name, area in views.areas().items():
            yield File(f"{module}/{name}.py", "area.py.j2", area)
        yield File(f"{module}/_construct.py", "construct.py.j2", views.construct())
        if plan.controls is not None or plan.tools:
            yield File(f"{module}/_pairs.py", "pairs.py.j2", views.pairs())
            yield File(f"{module}/_typed.py", "typed.py.j2", views.typed())
        if plan.launches:
            yield File(f"{module}/_launches.py", "launches.py.j2", views.launches())
        if plan.trees:
            yield File(f"{module}/_trees.py", "trees.py.j2", views.trees())
        if plan.tables.tables:
            yield File(f"{module}/_description.py", "description.py.j2", views.description())
        framing = {"framing": plan.model.protocol.framing.replace("-", "_")}
        yield File(f"{module}/_framing.py", "framing.py.j2", framing)
        yield File(f"{module}/_table.py", "table.py.j2", views.table())
        yield File(f"{module}/py.typed", "py.typed.j2", {})
        for key, flavour in views.flavours():
            yield replace(LICENSE, add_on=key)
            yield File("README.md", "README.flavour.md.j2", flavour, add_on=key)
            yield File("pyproject.toml", "pyproject.toml.j2", flavour, add_on=key)
            yield File(f"{flavour.module}/py.typed", "py.typed.j2", {}, add_on=key)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        module = module_name(plan.model)
        for path in VOCABULARY.files_of(plan.features):
            yield RuntimeFile(f"{module}/{path}", f"src/polywire_runtime/{path}")
        for key, _ in requested(plan.model):
            for path in FLAVOURS[key].runtime:
                yield RuntimeFile(f"{module}_{key}/{path}", f"src/polywire_runtime/{path}", add_on=key)

    def add_ons(self, plan: Plan, header: Header) -> Iterable[AddOn]:
        return add_ons(plan.model, header, module_name(plan.model))

    def readings(self, plan: Plan) -> Iterable[Reading]:
        from polywire.targets.python.readings import readings

        return readings(plan)


TARGET = PythonTarget()
