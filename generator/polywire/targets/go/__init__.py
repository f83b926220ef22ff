"""The model → a Go module: structs with the names that Go users know, generated codecs, readers and writers.

Every decision of the language is made in this package: `names` (what things are called), `shapes` (types), `structs`
and `unions` (declarations and how they are read), `construct` and `pairs` (functions), `layout`, `docs` and `source`
(how text is laid out). The templates put it in place.

What the spec can say for Go, in `targets: {go: {…}}`:

- `name`: of a declaration, field, value or constructor.
- `layout`: of a mixin `embed` (those who include it embed it), of a union or alias `flat` (one struct for all
  variants), of an enum `string` (a name for string, not a type of its own).
- `as`: of a struct or union, another whose Go type it shares.
- `embed`: of a struct, the struct that it embeds; of a union, the struct that all variants embed.
- `tag`: of a union, the enum whose Go type the discriminator has.
- `prefix`: of an enum, what its constants begin with.
- `type`: of a field `any`, `int64`, `pointer` or `value`; of a callback the name of its type; of a live object
  `context`.
- `text`: of a constructor, the parameter that is a string though its place can hold more.
- `record`, `parameter`: of a constructor, the struct that those parameters come from that are fields of it, and what
  the parameter with it is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from polywire.engine import CODES
from polywire.model.nodes import Alias, Choice, Enum, Model, Ref
from polywire.plan import Plan
from polywire.plan.rows import rows, type_code
from polywire.targets.api_surface import ApiItem
from polywire.targets.base import File, Name, Target
from polywire.targets.go import layout, source
from polywire.targets.go.api_surface import api_surface
from polywire.targets.go.construct import Constructors, Step
from polywire.targets.go.docs import documentation
from polywire.targets.go.names import KEYWORDS, Names, override
from polywire.targets.go.overrides import refuse
from polywire.targets.go.pairs import controls_view, tools_view
from polywire.targets.go.sample import sample
from polywire.targets.go.shapes import ChoiceView, Shape, Shapes, is_flat, known_function
from polywire.targets.go.structs import GoField, Member, Structs, StructView
from polywire.targets.go.unions import FlatView, Getter, LeafView, Unions
from polywire.targets.prose import description
from polywire.targets.release import release

FILES = {
    "construct.go": "construct.go.j2",
    "decode.go": "decode.go.j2",
    "doc.go": "doc.go.j2",
    "encode.go": "encode.go.j2",
    "enums.go": "enums.go.j2",
    "errors.go": "errors.go.j2",
    "examples_test.go": "examples_test.go.j2",
    "validator.go": "validator.go.j2",
    "pairs.go": "pairs.go.j2",
    "plan.go": "plan.go.j2",
    "record.go": "record.go.j2",
    "scan.go": "scan.go.j2",
    "stream.go": "stream.go.j2",
    "tokens_module.go": "tokens_module.go.j2",
    "tokens_std.go": "tokens_std.go.j2",
    "types.go": "types.go.j2",
    "unions.go": "unions.go.j2",
    "wire.go": "wire.go.j2",
    "write.go": "write.go.j2",
}
"""File of the package → its template."""

ABOUT = {"LICENSE": "LICENSE.j2", "README.md": "README.md.j2", "go.mod": "go.mod.j2", "go.sum": "go.sum.j2"}
"""File of the module → its template."""

KINDS = {
    "string": "'\"'",
    "array": "'['",
    "object": "'{'",
    "boolean": "'t', 'f'",
    "null": "'n'",
    "number": "'-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'",
}
"""Kind of JSON value → the bytes that it begins with."""

STANDARD = ("context", "encoding/json")
UUID = "github.com/google/uuid"


class GoTarget(Target):
    """The module of this repository's spec, or whatever another spec's package is called."""

    name: ClassVar[str] = "go"
    override_keys: ClassVar[frozenset[str]] = frozenset(
        {"name", "layout", "as", "embed", "tag", "prefix", "type", "text", "record", "parameter"}
    )
    reference_keys: ClassVar[frozenset[str]] = frozenset({"as", "embed", "tag", "record"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"module", "package", "readme"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    package_forms: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"package": rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[a-z][a-z0-9_]*"}
    )
    identifier: ClassVar[str] = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\Z)[A-Z][A-Za-z0-9]*"

    def names(self, model: Model) -> Iterable[Name]:
        return Names(model).all()

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        return api_surface(plan.model)

    def files(self, plan: Plan) -> Iterable[File]:
        model = plan.model
        view = _view(model)
        for path, template in ABOUT.items():
            yield File(path, template, view)
        for path, template in FILES.items():
            yield File(f"{view['package']}/{path}", template, view)


TARGET = GoTarget()


def _view(model: Model) -> dict[str, object]:
    """All that the templates see."""
    refuse(model)
    names = Names(model)
    shapes = Shapes(model, names)
    structs = Structs(model, names, shapes)
    unions = Unions(model, names, shapes, structs)
    unknowns = unions.unknowns()
    makers = Constructors(model, names, structs)
    controls = controls_view(model, names, shapes, makers)
    codecs = _codecs(model, shapes)
    root = model.protocol.roots[0]
    tag_getters = unions.tag_getters()
    markers = unions.markers()
    package = model.packages.get("go", {})
    gostructs = [_struct_view(name, structs, unions, names, tag_getters, markers) for name in structs.primaries()]
    flats = {
        flat.name: _flat_view(name, flat, structs, unions, tag_getters, markers) for name, flat in unions.flats.items()
    }
    callbacks = structs.callbacks()
    constructors = makers.views()
    about = {names.function(c): description(c.about) for struct in model.structs for c in struct.constructors}
    return {
        "model": model,
        "protocol": model.protocol,
        **release(model.protocol, layout.ESCAPED),
        "module": package.get("module") or model.protocol.name,
        "package": package.get("package") or "".join(c for c in model.protocol.name.lower() if c.isalnum()),
        "package_doc": _package_doc(model),
        "uses": _uses(structs.views(), shapes),
        "sample": sample(model, names),
        "raw": layout.raw,
        "readme": layout.ESCAPED.page(package.get("readme", "")),
        "root_go": names.type(root),
        "root_own": names.own(root),
        "structs": structs.views(),
        "gostructs": gostructs,
        "unions": unions.views(),
        "flats": flats,
        "unknowns": unknowns,
        "eithers": [
            {**_fields_of(each), "rows": [source.field_row(place) for place in each.fields]}
            for each in unions.eithers()
        ],
        "choices": [_choice_view(each, shapes) for each in shapes.choices.values()],
        "helpers": list(shapes.helpers.values()),
        "enums": _enums(model, names),
        "aliases": _aliases(model, names, shapes),
        "callbacks": callbacks,
        "codecs": codecs,
        "decodable": _decodable(codecs),
        "constructors": [
            {
                "name": each.name,
                "doc": each.doc,
                "about": about.get(each.name) or each.doc,
                "result": each.result,
                "signature": source.signature(each),
                "body": source.constructor_body(each),
            }
            for each in constructors
        ],
        "construct_uuid": any(_draws(each.steps) for each in constructors),
        "controls": None
        if controls is None
        else {
            **_fields_of(controls),
            "uuid": _draws(controls.wrap_request) or _draws(controls.wrap_response),
            "wrap_request": source.request_body(controls),
            "wrap_response": source.response_body(controls),
            "unwrap": source.unwrap_body(controls),
            "pairs": [
                {
                    **_fields_of(each),
                    "reader": _reader(each.shape) if each.shape else "",
                    "writer": _writer(each.shape) if each.shape else "",
                }
                for each in controls.pairs
            ],
        },
        "tools": tools_view(model),
        "plan": rows(model),
        "codes": source.code_rows(),
        "code_names": [source.code_name(code) for code in CODES],
        "kinds": KINDS,
        "scalars": {"string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null"},
        "type_imports": _imports(gostructs),
        "union_imports": _imports([*flats.values()], ["encoding/json"] if flats or unknowns else [], unions),
        "m_read_fn": _reader,
        "markdown": layout.markdown,
        "quoted": layout.quoted,
        "comment": layout.comment,
        "blocks": layout.blocks,
        "raw_rows": source.raw_rows,
        "variants": source.variants,
        "unknown_rows": source.unknown_rows,
        "tree": source.tree,
        "flags": source.flags,
        "first_line": lambda text: text.strip().split("\n")[0],
    }


def _draws(steps: Iterable[Step]) -> bool:
    """Whether a UUID is drawn."""
    return any("uuid." in step.value for step in steps)


def _uses(structs: list[StructView], shapes: Shapes) -> set[str]:
    """What of the runtime not every protocol needs."""
    members = [member for struct in structs for member in struct.members]
    found = {member.role for member in members} | {member.shape.kind for member in members}
    pending = [*(member.shape for member in members), *shapes.helpers.values()]
    pending += [member.shape for choice in shapes.choices.values() for member in choice.members]
    while pending:
        shape = pending.pop()
        found.add("keyed" if shape.kind == "map" and shape.own else shape.kind)
        pending += [shape.item] if shape.item is not None else []
    return found


def _fields_of(view: object) -> dict[str, object]:
    return {name: getattr(view, name) for name in view.__dataclass_fields__}  # type: ignore[attr-defined]  # a dataclass


def _package_doc(model: Model) -> str:
    package = model.packages.get("go", {}).get("package") or model.protocol.name
    title = model.protocol.title[:1].upper() + model.protocol.title[1:]
    return f"Package {package} has the types of: {title}, version {model.protocol.version}."


# --- readers and writers by name -------------------------------------------------------------------------------


def _reader(shape: Shape) -> str:
    """The function that reads a shape, as a value."""
    return _function(shape, "read", "decoder")


def _writer(shape: Shape) -> str:
    return _function(shape, "write", "encoder")


_GENERIC = {"text": "Text", "bool": "Bool", "int": "Int", "float": "Float"}
_PLAIN = {"any": "Any", "object": "Object"}


def _function(shape: Shape, verb: str, on: str) -> str:
    if shape.own and shape.kind != "map":
        return f"(*{on}).{verb}{shape.own}"
    if shape.kind in _PLAIN:
        return verb + _PLAIN[shape.kind]
    if shape.kind == "float" and verb == "read":
        return "readFloat"
    if shape.kind in _GENERIC:
        return f"{verb}{_GENERIC[shape.kind]}[{shape.go}]"
    return f"(*{on}).{verb}{shape.word}"


@dataclass(frozen=True, slots=True)
class Codec:
    """A declared type as it is asked for by name."""

    spec: str
    go: str
    struct: bool
    reader: str
    writer: str
    type: bool
    """Whether the Go type is this one's own."""


def _codecs(model: Model, shapes: Shapes) -> list[Codec]:
    found = []
    for name, declared in model.declarations.items():
        shape = shapes.need(shapes.of(Ref(name)))
        own = override(declared.about, "as") is None and (
            not isinstance(declared, (Alias, Enum))
            or (isinstance(declared, Enum) and override(declared.about, "layout") != "string")
            or (isinstance(declared, Alias) and is_flat(declared))
        )
        found.append(Codec(name, shape.go, shape.struct, _reader(shape), _writer(shape), own))
    return found


def _decodable(codecs: list[Codec]) -> list[Codec]:
    """The types that can be asked for by Go type: each once."""
    return list({codec.go: codec for codec in reversed(codecs) if codec.type}.values())[::-1]


# --- declarations ----------------------------------------------------------------------------------------------


def _struct_view(
    name: str,
    structs: Structs,
    unions: Unions,
    names: Names,
    tag_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> dict[str, object]:
    go = structs.go(name)
    getters = [_told(getter) for getter in tag_getters.get(go.name, [])]
    if go.mixin:
        getters += [_told(Getter(g.method, g.go, f"v.{g.name}", g.key)) for g in unions.mixin_getters(name)]
    return {
        "spec": name,
        "own": names.own(name),
        "name": go.name,
        "doc": go.doc,
        "embeds": go.embeds,
        "mixin": go.mixin,
        "marked": structs.marked(name),
        "rows": source.struct_rows(go),
        "getters": getters,
        "markers": markers.get(go.name, []),
        "accessors": [each for place in go.fields.values() for each in _accessors(place, structs)],
    }


def _told(getter: Getter) -> dict[str, object]:
    text = f"what stands under {getter.key}" if getter.key else "the type"
    return {"method": getter.method, "go": getter.go, "name": getter.name, "text": text}


def _accessors(place: GoField, structs: Structs) -> list[dict[str, object]]:
    """The methods that give what a field of any type holds."""
    choice = structs.choice(place.shape)
    if choice is None or place.go != "any":
        return []
    return [
        {
            "name": f"{place.name}As{_accessor_word(member.shape)}",
            "field": place.name,
            "go": member.shape.go,
            "struct": member.shape.struct,
        }
        for member in choice.members
        if member.kind != "null"
    ]


def _accessor_word(shape: Shape) -> str:
    if shape.kind == "list" and shape.item is not None:
        return f"{_accessor_word(shape.item)}s"
    if shape.kind == "map" and shape.item is not None:
        return f"{_accessor_word(shape.item)}Map"
    name = {"object": "Object", "float64": "Number", "any": "JSON"}.get(shape.kind, shape.go)
    name = "".join(c for c in name if c.isalnum())
    return name[:1].upper() + name[1:]


def _flat_view(
    name: str,
    flat: FlatView,
    structs: Structs,
    unions: Unions,
    tag_getters: dict[str, list[Getter]],
    markers: dict[str, list[str]],
) -> dict[str, object]:
    leaves = [_leaf_view(leaf, structs) for leaf in flat.leaves]
    promoted = {key: place for each in flat.embeds for key, place in each.promoted().items()}
    types = {place.name: place.go for place in (*promoted.values(), *flat.fields.values())}
    key = next((p.key for p in flat.fields.values() if p.name == flat.discriminators[0]), flat.discriminators[0])
    return {
        **_fields_of(flat),
        "spec": name,
        "own": flat.name,
        "rows": source.flat_rows(flat),
        "leaves": leaves,
        "types": types,
        "key": layout.quoted(key),
        "several": len(unions.group(name)) > 1,
        "getters": [_told(getter) for getter in tag_getters.get(flat.name, [])],
        "markers": markers.get(flat.name, []),
    }


def _leaf_view(leaf: LeafView, structs: Structs) -> dict[str, object]:
    view = structs.view(leaf.spec)
    conditions = [_condition(m, view) for m in view.members if m.role in {"constant", "tag"} and m.name in leaf.shared]
    condition = _all(conditions)
    return {
        **_fields_of(leaf),
        "condition": condition,
        "guard": f"({condition})" if "||" in condition else condition,
        "constant": bool(conditions),
    }


def _all(conditions: list[str]) -> str:
    """Conditions joined; alternatives among others are in brackets."""
    said = [each for each in conditions if each]
    if len(said) == 1:
        return said[0]
    return " && ".join(f"({each})" if "||" in each else each for each in said) or "true"


def _condition(member: Member, view: StructView) -> str:
    """Whether a flat struct says that it is a variant: by one of its tags."""
    if member.role == "tag":
        return f"tag{view.own}{member.name}(string(v.{member.name}))"
    if member.shape.kind == "bool":
        return f"v.{member.name}" if member.constant == "true" else f"!v.{member.name}"
    if member.shape.kind != "text":
        return ""
    if not member.required:
        return f'v.{member.name} == "" || v.{member.name} == {member.constant}'
    return f"v.{member.name} == {member.constant}"


def _choice_view(choice: ChoiceView, shapes: Shapes) -> dict[str, object]:
    members = list({member.shape.go: member for member in choice.members if member.kind != "null"}.values())
    nulls = [member for member in choice.members if member.kind == "null"]
    return {
        "name": choice.name,
        "members": [*members, *nulls],
        "nullable": bool(nulls),
        "expected": " or ".join(member.kind for member in choice.members),
        "code": type_code(shapes.model, choice.type),
    }


def _enums(model: Model, names: Names) -> list[dict[str, object]]:
    found = []
    for enum in model.enums:
        go = names.type(enum.name)
        known = known_function(enum, go)
        alias = known != f"{go}.Known"
        found.append(
            {
                "name": go,
                "own": names.own(enum.name),
                "doc": documentation(enum.about, go),
                "open": enum.open,
                "integer": enum.base == "integer",
                "alias": alias,
                "function": known,
                "rows": source.enum_rows(enum, names),
                "cases": source.enum_cases(enum),
                "known_of": (lambda value, known=known: f"{known}({value})"),
            }
        )
    return found


def _aliases(model: Model, names: Names, shapes: Shapes) -> list[dict[str, object]]:
    return [
        {
            "name": names.type(alias.name),
            "go": "any" if _is_choice(alias, shapes) else shapes.of(alias.type).go,
            "doc": documentation(alias.about, names.type(alias.name)),
        }
        for alias in model.aliases
        if not is_flat(alias)
    ]


def _is_choice(alias: Alias, shapes: Shapes) -> bool:
    return isinstance(alias.type, Choice) and alias.name in shapes.choices


def _imports(views: list[dict[str, object]], always: Iterable[str] = (), unions: Unions | None = None) -> list[str]:
    """What the declarations refer to; an empty line stands between the standard library and others."""
    types = {cell for view in views for _, cells in view["rows"] for cell in cells[1:2]}  # type: ignore[attr-defined]  # rows
    types |= {str(getter["go"]) for view in views for getter in view["getters"]}  # type: ignore[attr-defined]  # getters
    if unions is not None:
        types |= {g.go for each in unions.views() for g in each.getters}
    text = " ".join(types)
    standard = sorted({*always, *(path for path in STANDARD if f"{path.split('/')[-1]}." in text)})
    others = [UUID] if "uuid." in text else []
    return [*standard, *([""] if standard and others else []), *others]
