"""The model → a complete Python distribution: dataclasses with stubs, generated codecs, readers and writers.

Every decision of the language is made in this package: `names` (what things are called), `shapes` (types), `classes`
(declarations), `codec` (decoders and encoders), `construct` and `pairs` (functions), `layout` and `source` (how text is
laid out). The templates put it in place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model, Union
from polywire.plan import Plan
from polywire.plan.rows import rows
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import AddOn, File, Name, RuntimeFile, Target
from polywire.targets.python import layout, source
from polywire.targets.python.api_surface import api_surface
from polywire.targets.python.classes import ClassView, alias_view, class_view, enum_view, unknown_views
from polywire.targets.python.codec import Member, StructView, leaf_names, struct_view, union_view
from polywire.targets.python.construct import Constructors, ConstructorView
from polywire.targets.python.flavours import FLAVOURS, SCHEMAS, add_ons
from polywire.targets.python.names import API, KEYWORDS, Names
from polywire.targets.python.pairs import controls_view, tools_view
from polywire.targets.python.shapes import Shape, Shapes, simple_switch
from polywire.targets.release import release

if TYPE_CHECKING:
    from polywire.header import Header

FILES = {
    "__init__.py": "init.py.j2",
    "__init__.pyi": "init.pyi.j2",
    "_base.py": "base.py.j2",
    "_base.pyi": "base.pyi.j2",
    "_codec.py": "codec.py.j2",
    "_construct.py": "construct.py.j2",
    "_pairs.py": "pairs.py.j2",
    "_plan.py": "plan.py.j2",
    "_repeats.py": "repeats.py.j2",
    "_slow.py": "slow.py.j2",
    "_streams.py": "streams.py.j2",
    "_support.py": "support.py.j2",
    "_wire.py": "wire.py.j2",
    "model.py": "model.py.j2",
    "model.pyi": "model.pyi.j2",
    "py.typed": "py.typed.j2",
}
"""File of the package → its template."""

RUNTIME = ("_engine.py",)
"""The files of the package that are copied from the runtime."""

ABOUT = {"LICENSE": "LICENSE.j2", "README.md": "README.md.j2", "pyproject.toml": "pyproject.toml.j2"}
"""File of the distribution → its template."""


TOOLS = {
    tool.__name__: tool
    for tool in (
        layout.appended,
        layout.assigned,
        layout.bracketed,
        layout.chained,
        layout.comma_list,
        layout.docstring,
        layout.fragment,
        layout.guarded,
        layout.import_list,
        layout.joined,
        layout.literal,
        layout.quoted,
        layout.refusals,
        layout.scalar,
        source.all_of,
        source.annotated,
        source.assign_dict,
        source.assign_list,
        source.assign_tuple,
        source.enum_alias,
        source.expression,
        source.fstring,
        source.parameters,
        source.signature,
    )
}
"""What the templates call to lay text out."""


class PythonTarget(Target):
    """The package `agentproto` of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = "python"
    comment: ClassVar[str] = "#"
    package_keys: ClassVar[frozenset[str]] = frozenset({"distribution", "module", *FLAVOURS})
    add_on_keys: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(FLAVOURS, tuple(SCHEMAS))
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Za-z_][A-Za-z0-9_]*"
    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType({"module": identifier})

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan.model)

    def files(self, plan: Plan) -> Iterable[File]:
        model = plan.model
        view = _view(model)
        package = str(view["module"])
        for path, template in ABOUT.items():
            yield File(path, template, view)
        for path, template in FILES.items():
            yield File(f"{package}/{path}", template, view)
        if "typed_dicts" in model.packages.get("python", {}):
            yield File(f"{package}/_typing.py", "typing.py.j2", view)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        for path in RUNTIME:
            yield RuntimeFile(f"{_module(plan.model)}/{path}", f"src/polywire_runtime/{path}")

    def add_ons(self, plan: Plan, header: Header) -> Iterable[AddOn]:
        return add_ons(plan.model, header, _module(plan.model))


TARGET = PythonTarget()


def _view(model: Model) -> dict[str, object]:
    """All that the templates see."""
    names = Names(model)
    shapes = Shapes(model, names)
    structs = [struct_view(struct, names, shapes) for struct in model.structs]
    unions = [union_view(union, model, names) for union in model.unions]
    enums = [enum_view(enum, names) for enum in model.enums]
    aliases = [alias_view(alias, names, shapes) for alias in model.aliases]
    unknowns = unknown_views(model, names)
    classes = [class_view(struct, names, shapes) for struct in model.structs]
    makers = Constructors(model, names, shapes)
    constructors = [makers.view(struct, each) for struct in model.structs for each in struct.constructors]
    helpers = list(shapes.helpers.values())
    controls = controls_view(model, names, shapes, makers)
    package = model.packages.get("python", {})
    module = _module(model)
    types = sorted(
        (
            *(struct.name for struct in structs),
            *(union.name for union in unions),
            *(alias.name for alias in aliases),
            *(unknown.name for unknown in unknowns),
            *(enum.values_name for enum in enums),
        ),
        key=layout.import_order,
    )
    lazy = sorted((enum.name for enum in enums), key=layout.import_order)
    pair_names = ["tool_input", "tool_output"]
    if controls is not None:
        pair_names = ["decode_response", "reply", "request", "response_type", *pair_names]
    return {
        "model": model,
        "protocol": model.protocol,
        **release(model.protocol, layout.ESCAPED),
        "module": module,
        "distribution": package.get("distribution") or module,
        "flavours": {key: package[key] for key in FLAVOURS if key in package},
        "root": _root(model, names),
        "root_spec": model.protocol.roots[0],
        "root_unknown": _root_unknown(model, names),
        "root_switch": _root_switch(model),
        "structs": structs,
        "unions": unions,
        "classes": classes,
        "callbacks": any(field.callback for struct in model.structs for field in struct.fields),
        "enums": enums,
        **_model_imports(classes, bool(enums), bool(unions or aliases)),
        "aliases": aliases,
        "unknowns": unknowns,
        "messages": _messages(model, names, shapes),
        "markdown": layout.markdown,
        "first_line": lambda text: text.strip().split("\n")[0],
        "constructors": constructors,
        **_construct_imports(constructors, {*types, *lazy}),
        "controls": controls,
        "tools": tools_view(model, shapes),
        "pair_names": pair_names,
        "decode_helpers": [helper for helper in helpers if helper.helper],
        "encode_helpers": helpers,
        "value_sets": _value_sets(structs, helpers),
        "claimed": {
            view.name: attrs for view in structs if (attrs := tuple(m.attr for m in view.members if m.claimed))
        },
        "class_names": sorted(
            [*(struct.name for struct in structs), *(unknown.name for unknown in unknowns)], key=layout.import_order
        ),
        "types": types,
        "lazy_set": frozenset(lazy),
        "types_and_enums": sorted([*types, *lazy], key=layout.import_order),
        "all_names": [*types, *lazy, *(each.name for each in constructors), *_api(controls is not None)],
        "lazy": lazy,
        "enum_table": {enum.name: (enum.values_name, enum.open) for enum in enums},
        "alias_table": {
            **{union.name: union.spec_name for union in unions},
            **{alias.name: alias.spec_name for alias in aliases},
            **{enum.name: enum.spec_name for enum in enums},
        },
        "tables": _tables(model, names),
        "json_key": json.dumps,
        "json_constant": _json_constant,
        "values_name": _values_name,
        "width": layout.WIDTH,
        "used": _used,
        **TOOLS,
    }


def _module(model: Model) -> str:
    return model.packages.get("python", {}).get("module") or model.protocol.name


def _model_imports(classes: list[ClassView], has_enums: bool, has_aliases: bool) -> dict[str, object]:
    """What the declarations need, at run time and in stubs."""
    constants = [constant.annotation for each in classes for constant in each.constants]
    attributes = [attribute for each in classes for attribute in each.attributes]
    words = set(re.findall(r"\w+", " ".join([*constants, *(attribute.annotation for attribute in attributes)])))
    unset = any(attribute.default == "UNSET" for attribute in attributes)
    typing = [
        "Any",
        *(["ClassVar"] if constants else []),
        *(["Final"] if has_enums else []),
        *(["Literal"] if has_enums or "Literal" in words else []),
        *(["TypeAlias"] if has_enums or has_aliases else []),
    ]
    base = [
        *(["UNSET"] if unset else []),
        *(["EnumValues"] if has_enums else []),
        "Record",
        *(["Unset"] if unset else []),
        "factory",
        "share_extra",
    ]
    return {
        "stub_typing": typing,
        "runtime_base": base,
        "stub_base": [name for name in base if name in {"EnumValues", "Unset"}],
    }


def _construct_imports(constructors: list[ConstructorView], known: set[str]) -> dict[str, object]:
    """What the annotations and defaults of the constructors refer to."""
    texts = [f"{each.annotation} {each.default}" for view in constructors for each in view.parameters]
    used = {word for text in texts for word in re.findall(r"\w+", text)}
    return {
        "construct_types": sorted(used & known, key=layout.import_order),
        "construct_unset": "Unset" in used,
        "construct_any": "Any" in used,
        "construct_fresh": any(view.fresh or "fresh_uuid()" in repr(view.body) for view in constructors),
    }


SUPPORT = (
    "BOOLEANS",
    "MAX",
    "MIN",
    "NOTHING",
    "NULL",
    "SAFE",
    "STRINGS",
    "UNSET",
    "FastPathMiss",
    "blanks",
    "boolean_text",
    "fast_path_miss",
    "join",
    "json_text",
    "more",
    "number",
    "number_text",
    "object_text",
    "quote",
    "rest",
    "unknown_text",
    "unsafe",
)
"""What the codecs can call, in the order of an import."""


def _used(code: str) -> list[str]:
    """What of `SUPPORT` a piece of code calls."""
    found = set(re.findall(r"\w+", code))
    return [name for name in SUPPORT if name in found]


_CONTROL_API = frozenset({"decode_response", "reply", "request", "response_type"})


def _api(has_controls: bool) -> set[str]:
    """What the package offers besides its types."""
    return set(API) if has_controls else set(API) - _CONTROL_API


def _messages(model: Model, names: Names, shapes: Shapes) -> list[ClassView]:
    """The variants of the root."""
    root = model.declarations[model.protocol.roots[0]]
    variants = dict.fromkeys(leaf_names(root.dispatch) if isinstance(root, Union) else ())
    return [class_view(model.struct(name), names, shapes) for name in variants]


def _root_switch(model: Model) -> str | None:
    """The discriminator of the root, where one look into a table decides."""
    root = model.declarations[model.protocol.roots[0]]
    return simple_switch(root) if isinstance(root, Union) else None


def _root_unknown(model: Model, names: Names) -> str | None:
    """What the root has for lines that nothing answers to."""
    root = model.declarations[model.protocol.roots[0]]
    return names.unknown(root) if isinstance(root, Union) and root.open else None


def _root(model: Model, names: Names) -> str:
    return names.type(model.protocol.roots[0])


def _json_constant(member: Member) -> str:
    """The literal of a constant as JSON."""
    literal = member.constant or ""
    return {"True": "true", "False": "false"}.get(literal) or json.dumps(_value(literal))


def _value(literal: str) -> object:
    import ast

    value: object = ast.literal_eval(literal)
    return value


def _values_name(shape: Shape) -> str:
    """The name of the set of a closed enum's values, or of a map's closed keys."""
    stem = shape.name or "_".join(str(value) for value in shape.values)
    return "VALUES_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)


def _value_sets(structs: list[StructView], helpers: list[Shape]) -> list[dict[str, object]]:
    found: dict[str, frozenset[str | int]] = {}

    def look(shape: Shape) -> None:
        if shape.values:
            found[_values_name(shape)] = frozenset(shape.values)
        for each in (*shape.members, *((shape.item,) if shape.item else ())):
            look(each)

    for struct in structs:
        for member in struct.members:
            look(member.shape)
    for helper in helpers:
        look(helper)
    return [{"name": name, "set": values} for name, values in found.items()]


def _tables(model: Model, names: Names) -> list[tuple[str, str, str, object]]:
    """What the slow pass knows: name, annotation, doc, value."""
    shapes = Shapes(model, names)
    views = [struct_view(struct, names, shapes) for struct in model.structs]
    structs = {
        view.spec_name: (
            view.name,
            tuple((m.key, m.attr, not m.required and m.nullable) for m in view.members if m.constant is None),
        )
        for view in views
    }
    constants: dict[str, object] = {
        view.spec_name: {m.key: _value(m.constant) for m in view.constants if m.constant}
        for view in views
        if view.constants
    }
    required: dict[str, object] = {
        view.spec_name: tuple(m.key for m in view.required) for view in views if view.required
    }
    flat = {struct.name: field.name for struct in model.structs for field in struct.fields if field.flatten}
    idle = {view.spec_name: view.idle for view in views if view.idle}
    unknowns = {union.unknown: names.unknown(union) for union in model.unions if union.open}
    sharing: dict[str, tuple[str, ...]] = {}
    for union in sorted(model.unions, key=lambda union: union.name not in model.protocol.roots):
        if union.open:
            sharing[names.unknown(union)] = (*sharing.get(names.unknown(union), ()), union.name)
    return [
        ("PLAN", "dict[str, tuple[Any, ...]]", "Declared name → row, as `_engine` describes it.", rows(model)),
        (
            "STRUCTS",
            "dict[str, tuple[str, tuple[tuple[str, str, bool], ...]]]",
            "Declared name → class, and the key and attribute of each field, with whether it has three states.",
            structs,
        ),
        ("CONSTANTS", "dict[str, dict[str, Any]]", "Declared name → tags and constants.", constants),
        ("REQUIRED", "dict[str, tuple[str, ...]]", "Declared name → keys that are always there.", required),
        ("FLAT", "dict[str, str]", "Declared name → the field whose members stand in the object itself.", flat),
        ("IDLE", "dict[str, tuple[str, ...]]", "Declared name → attributes that never travel.", idle),
        ("UNKNOWNS", "dict[str, str]", "Name of an Unknown → its class.", unknowns),
        (
            "UNKNOWN_UNIONS",
            "dict[str, tuple[str, ...]]",
            "Class of an Unknown → the unions it belongs to, roots first.",
            sharing,
        ),
    ]
