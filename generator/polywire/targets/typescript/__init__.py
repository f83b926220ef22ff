"""The model → an npm package without dependencies: declarations, and the code that they declare.

Every decision of the language is made in this package: `names` (what things are called), `types` (type expressions),
`declarations` and `maps` (what is declared), `layout` (how text is laid out). The templates put it in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from polywire.engine import CODES
from polywire.model.nodes import Leaf, Model, Switch, Union
from polywire.model.walk import structs_of
from polywire.plan import Plan
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import File, Name, Target
from polywire.targets.release import release
from polywire.targets.typescript import layout
from polywire.targets.typescript.api_surface import api_surface
from polywire.targets.typescript.declarations import (
    UNKNOWN_OBJECT,
    GuardView,
    Objects,
    ObjectView,
    alias_view,
    enum_view,
    union_view,
    unknown_views,
)
from polywire.targets.typescript.maps import control_map, tool_maps
from polywire.targets.typescript.names import KEYWORDS, TARGET_NAME, Names
from polywire.targets.typescript.runtime import code_view
from polywire.targets.typescript.types import Types

TOOLS = {
    tool.__name__: tool
    for tool in (
        layout.comment,
        layout.function,
        layout.interface,
        layout.markdown,
        layout.member,
        layout.prose,
        layout.quoted,
        layout.tuple_of,
        layout.union,
    )
}
"""What the templates call to lay text out."""

FORMATS = {
    "UUID": "A UUID as RFC 4122 writes it. Lenient reading keeps a text of another form, so the type promises no more.",
    "Timestamp": "A date and time as RFC 3339 writes it. Lenient reading keeps a text of another form.",
}
"""The named forms of text, and what is said about them."""

FILES = {
    "LICENSE": "LICENSE.j2",
    "README.md": "README.md.j2",
    "index.d.cts": "index.d.ts.j2",
    "index.d.ts": "index.d.ts.j2",
    "package.json": "package.json.j2",
}
"""File of the package → its template."""

CODE = {"index.cjs": "index.cjs.j2", "index.js": "index.js.j2"}
"""File of the package's code → its template."""


@dataclass(frozen=True, slots=True)
class Example:
    """A message by its tag, for the README."""

    tag: str
    value: str
    guard: str


class TypeScriptTarget(Target):
    """The package `agentproto` of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = TARGET_NAME
    override_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    name_keys: ClassVar[frozenset[str]] = frozenset({"guard", "name", "values"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"package"})
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z_$][A-Za-z0-9_$]*"

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan.model)

    def files(self, plan: Plan) -> Iterable[File]:
        model = plan.model
        view = _view(model)
        for path, template in FILES.items():
            yield File(path, template, view)
        code = code_view(model, Names(model))
        for path, template in CODE.items():
            yield File(path, template, code)


TARGET = TypeScriptTarget()


def _view(model: Model) -> dict[str, object]:
    """All that the templates see."""
    names = Names(model)
    types = Types(model, names)
    objects = Objects(model, names, types)
    structs = [objects.view(struct) for struct in model.structs]
    aliases = [alias_view(alias, names, types) for alias in model.aliases]
    unions = [union_view(union, names) for union in model.unions]
    unknowns = unknown_views(model, names)
    root = model.protocol.roots[0]
    declared = sorted(model.declarations, key=names.type)
    return {
        "model": model,
        "protocol": model.protocol,
        **release(model.protocol, layout.ESCAPED),
        "package": model.packages.get("typescript", {}).get("package") or model.protocol.name,
        "root": names.type(root),
        "root_type": names.value_type(root),
        "root_unknown": next((u.unknown for u in unions if u.name == names.type(root)), None),
        "enums": [enum_view(enum, names) for enum in model.enums],
        "aliases": aliases,
        "structs": structs,
        "unions": unions,
        "unknowns": unknowns,
        "discriminator": _discriminator(model),
        "by_keys": any(UNKNOWN_OBJECT in each.key for view in unknowns for shape in view.shapes for each in shape),
        "guards": [GuardView(names.guard(name), names.type(name)) for name in names.guarded],
        "types": [(names.type(name), names.value_type(name)) for name in declared],
        "control_map": control_map(model, names, types),
        "tool_maps": tool_maps(model, types),
        "formats": _formats(structs, [member for alias in aliases for member in alias.members]),
        "codes": [layout.quoted(code) for code in CODES],
        "example": _example(model, names),
        "messages": _messages(model, names),
        **TOOLS,
    }


def _formats(structs: list[ObjectView], texts: list[str]) -> list[tuple[str, str]]:
    """The named forms of text that some member has, with what they are."""
    members = [type_ for struct in structs for each in struct.properties for type_ in each.types]
    words = set(re.findall(r"\w+", " ".join([*members, *texts])))
    return [(name, doc) for name, doc in FORMATS.items() if name in words]


def _example(model: Model, names: Names) -> Example | None:
    """What the README shows a switch with, if the root is told by one discriminator."""
    root = model.declarations[model.protocol.roots[0]]
    if not isinstance(root, Union) or not isinstance(root.dispatch, Switch):
        return None
    for value, inner in root.dispatch.cases:
        if isinstance(inner, Leaf) and isinstance(value, str):
            return Example(layout.member_of("item", root.by), layout.quoted(value), names.guard(inner.struct))
    return None


def _messages(model: Model, names: Names) -> list[tuple[str, str, str]]:
    """Type, guard and description of each variant of the root."""
    root = model.declarations[model.protocol.roots[0]]
    variants = structs_of(root.dispatch) if isinstance(root, Union) else ()
    rows = ((names.type(name), names.guard(name), model.struct(name).about.doc or "") for name in variants)
    return [(name, guard, doc.strip().split("\n")[0]) for name, guard, doc in rows]


def _discriminator(model: Model) -> str:
    """The key that an example of a discriminator can use."""
    root = model.declarations[model.protocol.roots[0]]
    return root.by if isinstance(root, Union) and re.fullmatch(r"[A-Za-z]\w*", root.by) else "tag"
