"""A seed → a whole spec, with declarations of every kind and combination; many of them break some rule of the checker.

Names collide with keywords and with each other, docs end comments and open templates, sections are empty, types nest
and contain themselves. `folder` writes a spec to disk; `shrunk` removes everything that a failure does not need.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from polywire.model.nodes import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.source.expr import parse

Spec: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """A text that must not be quoted, because quotes would change its meaning."""

    text: str


NAMES = (
    *("Alpha", "Beta", "Gamma", "Delta", "Item", "Thing", "Line2", "X", "Ab", "A_b", "HTTPServer", "IdOfURL", "Url"),
    *("Class", "Type", "Object", "String", "Number", "None", "Self", "Option", "Result", "Error", "Vec", "Box", "Map"),
    *("List", "Async", "Default", "Iterator", "Any", "Unknown", "Encode", "Reader", "Mode", "Kind", "Record", "Json"),
    *("lower", "Promise", "Symbol", "Some", "Ok", "Err", "Func", "Nil", "Len", "Enum", "Union", "Literal", "Final"),
)
KEYS = (
    *("id", "name", "kind2", "value", "size", "items", "a", "b", "camelCase", "snake_case", "kebab-case", "with space"),
    *("class", "type2", "func", "fn", "self", "None", "default", "async", "extra", "raw", "from", "import", "toString"),
    *("constructor", "__proto__", "1st", "$ref", "é", "日本", "a/b", "a~b", "*/", "{{x}}", '"quoted"', "\\", "`tick`"),
    *("len", "string", "hash", "equals", "encode", "true", "null", "x-y", "X-Y", "_", "__", "<script>", "${x}", "%s"),
)
DOCS = (
    *("Plain.", "Ends a comment */ here.", "Opens {{ a template }} and {% more %}.", '"""Quotes""" and \'others\'.'),
    *(
        "Back\\slash at the end \\",
        "Two\n\nparagraphs.",
        "- a list\n- of two",
        "`code` and ```fences```",
        "# a heading",
    ),
    *(
        "<b>markup</b> & </script>",
        "${dollars} and `ticks`",
        "A line that is long. " * 12,
        "é 日本 😀",
        "@deprecated x",
    ),
    *("//! rust\n/// docs", "tab\there", "https://example.com/a_b_(c)", "[link](x) [ref] *star* _under_", "100 %s %d"),
)
VALUES = (
    "red",
    "two words",
    "a-b",
    "",
    "1",
    "class",
    "None",
    "*/",
    "é",
    '"',
    "\\",
    "{{x}}",
    "RED",
    "true",
    "a\nb",
    "_x",
)


class Drawer:
    """One spec under construction."""

    def __init__(self, rng: Random, *, new_forms: bool) -> None:
        self.rng = rng
        self.new_forms = new_forms
        self.names = list(NAMES)
        rng.shuffle(self.names)
        self.enums: list[tuple[str, str]] = []
        self.aliases: list[str] = []
        self.types: list[str] = []
        self.unions: list[str] = []
        self.spec: Spec = {}

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def name(self) -> str:
        return self.names.pop() if self.chance(0.3) else f"N{len(self.names)}{self.names.pop()}"

    def doc(self) -> str:
        return self.rng.choice(DOCS) if self.chance(0.3) else "Plain."

    def keys(self, most: int) -> list[str]:
        pool = KEYS if self.chance(0.3) else KEYS[:10]
        return self.rng.sample(pool, self.rng.randint(0, min(most, len(pool))))

    # Types.

    def expression(self, depth: int = 0) -> str:
        """Return a type expression, whose alternatives are not always distinguishable."""
        kinds = ["scalar"] * 4 + ["name"] * 4 + (["list", "map", "choice", "group"] if depth < 3 else [])
        kinds += ["bounded", "tuple"] if self.new_forms and depth < 3 else []
        match self.rng.choice(kinds):
            case "scalar":
                return self.rng.choice(
                    ("string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object")
                )
            case "name":
                declared = [*self.types, *self.unions, *self.aliases, *(name for name, _ in self.enums)]
                return self.rng.choice(declared) if declared else "string"
            case "list":
                return self.inner(depth) + self.rng.choice(("[]", "[]", "[..2]", "[1..]", "[0..3]"))
            case "map":
                texts = [name for name, base in self.enums if base == "string"]
                key = f"{self.rng.choice(texts)}, " if texts and self.chance(0.3) else ""
                return f"map<{key}{self.expression(depth + 1)}>"
            case "bounded":
                return self.rng.choice(("integer(0..)", "integer(-5..5)", "number(..0.5)", "string(1..4)"))
            case "tuple":
                items = (self.expression(depth + 1) for _ in range(self.rng.randint(1, 3)))
                return f"[{', '.join(items)}]"
            case "group":
                return f"({self.expression(depth + 1)})"
            case _:
                return self.choice(depth)

    def inner(self, depth: int) -> str:
        text = self.expression(depth + 1)
        return f"({text})" if " | " in text else text

    def choice(self, depth: int) -> str:
        members = {
            "string": ["string", "uuid", *(name for name, base in self.enums if base == "string")],
            "number": ["integer", "number", *(name for name, base in self.enums if base == "integer")],
            "boolean": ["boolean"],
            "array": [f"{self.inner(depth)}[]"],
            "object": [f"map<{self.expression(depth + 1)}>", "object", *self.types, *self.unions],
            "null": ["null"],
        }
        if self.new_forms:
            members["string"] += ['"exact"', '"*/"']
            members["number"] += ["7", "-0.5"]
            members["boolean"] += ["true"]
        chosen = self.rng.sample(list(members), self.rng.randint(2, 3))
        return " | ".join(self.rng.choice(members[kind]) for kind in chosen)

    def field(self) -> object:
        text = self.expression()
        if self.chance(0.2) and "null" not in text and text not in self.aliases and text != "json":
            text = f"{text} | null"
        if self.chance(0.6):
            return text
        more: Spec = {"type": text, "doc": self.doc()}
        if self.chance(0.1):
            more["deprecated"] = self.doc()
        return more

    def fields(self, taken: tuple[str, ...] = (), most: int = 5) -> Spec:
        found: Spec = {}
        for key in self.keys(most):
            if key in taken:
                continue
            optional, body = self.chance(0.5), self.field()
            if optional and self.new_forms and isinstance(body, dict) and self.chance(0.3):
                body["on_error"] = Plain("absent")
            if optional and isinstance(body, dict) and self.chance(0.2):
                body["construct"] = Plain("required")
            found[key + "?" * optional] = body
        return found

    def struct(self, tag: Spec | None = None, taken: tuple[str, ...] = ()) -> Spec:
        made: Spec = {"doc": self.doc()}
        if tag:
            made["tag"] = tag
        mixins = [name for name in self.types if self.chance(0.08)]
        if mixins:
            made["include"] = mixins[:2]
        if self.chance(0.15):
            made["const"] = {f"c{self.rng.randint(0, 3)}": self.rng.choice(("constant", "*/", True, 4, -1.5))}
        if self.chance(0.9):
            made["fields"] = self.fields(taken)
        if self.chance(0.12):
            made["extra"] = self.expression()
        elif self.chance(0.12):
            of = [*self.types, *self.unions, "object"] if self.chance(0.3) else ["object"]
            made.setdefault("fields", {})["flat" + "?" * self.chance(0.5)] = {
                "type": self.rng.choice(of), "flatten": True,
            }  # fmt: skip
        if self.chance(0.15):
            made["construct"] = {f"New{self.name()}": {"params": []}}
        return made

    # Sections.

    def run(self) -> Spec:
        rng = self.rng
        entry: Spec = {
            "polywire": 1,
            "protocol": {
                "name": rng.choice(("drawn", "my-protocol", "json", "std", "types", "a1")),
                "title": self.doc().replace("\n", " ") or "T",
                "version": "1.0.0",
                "framing": Plain("ndjson"),
                "peers": ["cli", "sdk"],
                "roots": ["Root"],
            },
            "packages": {"go": {"module": "example.com/drawn", "package": "drawn"}},
        }
        self.spec = entry | {section: {} for section in ("enums", "aliases", "types", "unions", "messages")}
        for _ in range(rng.randint(0, 3)):
            self.enum()
        for _ in range(rng.randint(1, 5)):
            name = self.name()
            self.spec["types"][name] = self.struct()
            self.types.append(name)
        for _ in range(rng.randint(0, 3)):
            self.union()
        for _ in range(rng.randint(0, 2)):
            self.alias()
        variants = []
        for number in range(rng.randint(1, 4)):
            name = self.name()
            tag = {"type": rng.choice(("one", "*/", "a b", "é", "")) + str(number)}
            self.spec["messages"][name] = self.struct(tag, ("type",)) | {
                "from": Plain(rng.choice(("cli", "sdk", "both")))
            }
            variants.append(name)
        self.spec["unions"]["Root"] = self.union_of("type", variants)
        if self.chance(0.4):
            self.control(variants)
        if self.chance(0.2):
            self.spec["tools"] = {"Read": {"doc": self.doc(), "input": self.expression()}, "mcp__*": {"doc": "T."}}
        if self.chance(0.2):
            name = self.name()
            self.spec["options"] = {name: {"doc": self.doc(), "fields": self.fields()}}
            entry["protocol"]["roots"].append(name)
        unused = {*self.spec["types"], *self.unions, *self.aliases}
        entry["protocol"]["roots"] += sorted(unused)
        return self.spec

    def enum(self) -> None:
        name, base = self.name(), self.rng.choice(("string", "string", "integer"))
        values = self.rng.sample(VALUES, self.rng.randint(1, 4))
        made: Spec = {"doc": self.doc(), "open": self.chance(0.7)}
        if base == "integer":
            made["base"] = Plain("integer")
            made["values"] = {each: {"doc": "V.", "value": at * 7 - 3} for at, each in enumerate(values)}
        else:
            made["values"] = {each: self.doc() for each in values}
        self.spec["enums"][name] = made
        self.enums.append((name, base))

    def alias(self) -> None:
        name = self.name()
        if self.chance(0.4):
            text = self.rng.choice(("string | {0}[]", "integer | map<{0}> | null", "boolean | ({0} | number)[]"))
            text = text.replace("({0} | number)[]", "map<{0}>").format(name)
        else:
            text = self.expression()
        self.spec["aliases"][name] = {"doc": self.doc(), "type": text}
        self.aliases.append(name)

    def union_of(self, by: str, variants: list[Any]) -> Spec:
        made: Spec = {"doc": self.doc(), "open": self.chance(0.6), "by": by, "variants": variants}
        if made["open"] and self.new_forms and self.types and self.chance(0.2):
            made["unknown"] = {"include": [self.rng.choice(self.types)]}
        return made

    def union(self) -> None:
        kinds = ["texts", "booleans", "listed", "enum", "keys", "nested"]
        kinds += ["integers", "prefixes"] if self.new_forms else []
        by, kind = self.rng.choice(("kind", "sub type", "class", "t")), self.rng.choice(kinds)
        if kind == "keys":
            self.by_keys()
            return
        tags = self.tags(by, kind)
        variants: list[Any] = []
        for tag in tags:
            name = self.name()
            others = tag.pop("others", None)
            self.spec["types"][name] = self.struct(tag or None, (by, *tag)) | ({"others": others} if others else {})
            variants.append(name)
        if kind == "nested":
            inner = f"Inner{self.name()}"
            self.spec["unions"][inner] = self.union_of("sub", variants[:2])
            variants = [inner, *variants[2:]]
            self.unions.append(inner)
        name = self.name()
        self.spec["unions"][name] = self.union_of(by, variants)
        self.unions.append(name)
        self.types += [each for each in variants if each in self.spec["types"]]

    def tags(self, by: str, kind: str) -> list[Spec]:
        """Return the tags of a union's variants; an empty one is that of a variant without the discriminator."""
        rest: list[Spec] = [{}] if self.chance(0.2) else []
        match kind:
            case "booleans":
                return [{by: True}, {} if self.chance(0.5) else {by: False}]
            case "listed":
                return [{by: ["a", "b*/"]}, {by: "c"}, *rest]
            case "enum":
                texts = [n for n, base in self.enums if base == "string" or self.new_forms]
                if not texts:
                    return [{by: "a"}, *rest]
                name = self.rng.choice(texts)
                is_open = self.spec["enums"][name]["open"]
                others = {"others": "*" if dict(self.enums)[name] == "integer" else "error_*"} if is_open else {}
                return [{by: Plain(name), **others}]
            case "integers":
                return [{by: 1}, {by: [2, -3]}, *rest]
            case "prefixes":
                return [{by: {"prefix": "_"}}, {by: "_listed"}, {by: {"prefix": "__*/"}}, *rest]
            case "nested":
                return [{by: "a", "sub": "x"}, {by: "a", "sub": "y"}, {by: "b"}, *rest]
            case _:
                return [{by: value} for value in self.rng.sample(("a", "é", "*/", "two words"), 2)] + rest

    def by_keys(self) -> None:
        first, second, name = self.name(), self.name(), self.name()
        self.spec["types"][first] = self.struct(None, ("left", "right"))
        self.spec["types"][second] = self.struct(None, ("left", "right"))
        self.spec["types"][first].setdefault("fields", {})["left"] = "string"
        self.spec["types"][second].setdefault("fields", {})["right"] = "string | null"
        conditions = [
            {"name": first, "when": {"has": ["left"], "lacks": ["right"]}},
            {"name": second, "when": {"has": ["right"], "lacks": ["left"]}},
        ]
        self.spec["unions"][name] = self.union_of(Plain("keys"), conditions)  # type: ignore[arg-type]  # a keyword
        self.unions.append(name)
        self.types += [first, second]

    def control(self, variants: list[str]) -> None:
        """Add envelopes of requests and responses: flat or nested ids of some type, and results of any type."""
        flat, id_type = self.chance(0.3), self.rng.choice(("string", "integer", "string | integer"))
        payload: object = {"type": "Asked", "flatten": True} if flat else "Asked"
        messages, types = self.spec["messages"], self.spec["types"]
        messages["Ask"] = {
            "doc": "A.",
            "from": Plain("both"),
            "tag": {"type": "ask"},
            "fields": {"id": id_type, "request": payload},
        }
        types["Fault"] = {"doc": "F.", "fields": {"text": "string", "code": "integer", "data?": "json"}}
        messages["Answer"] = {
            "doc": "A.", "from": Plain("both"), "tag": {"type": "answer"},
            "fields": {"id": id_type, "status": "string", "result?": "json", "error?": "Fault"},
        }  # fmt: skip
        variants += ["Ask", "Answer"]
        self.spec["unions"]["Asked"] = {"doc": "A.", "open": True, "by": "what"}
        control: Spec = {
            "request": {"envelope": "Ask", "id": "/id", "payload": "" if flat else "/request", "by": "what"},
            "response": {"envelope": "Answer", "id": "/id", "result": "/result"},
        }
        if self.chance(0.5):
            control["ids"] = {"draw": Plain(self.rng.choice(("counter", "uuid")))}
        if self.chance(0.6):
            control["response"]["when"] = {"/status": "good */"}
            control["error"] = {
                "when": {"/status": "bad"}, "envelope": "Answer", "id": "/id", "message": "/error/text",
                "code": "/error/code", "data": "/error/data",
                "codes": {"refused": -1, "unknown": -2},
            }  # fmt: skip
        self.spec["protocol"]["control"] = control
        self.spec["controls"] = {}
        for key in self.rng.sample(("ping", "do it", "class", "a/b", "get_thing"), self.rng.randint(1, 3)):
            self.spec["controls"][key] = {
                "doc": self.doc(), "from": Plain(self.rng.choice(("cli", "sdk", "both"))),
                "request": self.fields(("what", "id", "type"), 3),
                "response": self.rng.choice(("none", self.expression(), self.expression())),
            }  # fmt: skip

    # Fixed values in the spec.

    def constants(self) -> None:
        """Add defaults of fields, constructors that set some fields, and outputs of tools."""
        for tool in self.spec.get("tools", {}).values():
            if self.chance(0.7):
                tool["output"] = self.expression()
        for name, struct in {**self.spec["types"], **self.spec["messages"]}.items():
            fields = struct.get("fields", {})
            if self.chance(0.3) and (fixed := self.fixed(fields)):
                params = [{f"p{at}": _pointer(key)} for at, key in enumerate(_plain(fields)) if self.chance(0.2)]
                params = [each for each in params if not fixed.keys() & each.values()]
                struct.setdefault("construct", {})[f"Made{name}"] = {"params": params, "set": fixed}
            for body in fields.values():
                if isinstance(body, dict) and "flatten" not in body and self.chance(0.15):
                    for value in self.some(body["type"]):
                        body["default"] = value

    def fixed(self, fields: Spec) -> Spec:
        """Return values for some of the fields, by pointer."""
        return {
            _pointer(key): value
            for key, type_ in _plain(fields).items()
            if self.chance(0.6)
            for value in self.some(type_)
        }

    def some(self, type_: str) -> list[Any]:
        """Return a value of a type expression in a list, which is empty if none was found."""
        if self.chance(0.01):
            return [self.rng.choice(({"no": ["value"]}, [[]], 1e300, "no value", None))]
        try:
            return [self.value(parse(type_).type, 0)]
        except _NoValueError:
            return []

    def value(self, type_: Type | None, depth: int) -> Any:
        """Return a value of a type. Raises `_NoValueError` if it would be nested too deeply."""
        if depth > 5:
            raise _NoValueError
        match type_:
            case Scalar(kind=kind, low=low):
                return low if low is not None and kind != "string" else self.rng.choice(SCALARS[kind])
            case LiteralType(value=value):
                return value
            case TupleType(items=items):
                return [self.value(item, depth + 1) for item in items]
            case Array(item=item, low=low):
                return [self.value(item, depth + 1) for _ in range(max(low or 0, 0 if depth > 3 else 1))]
            case Map(value=value, key=key):
                keys = self.wires(key) if key else ["a", "*/", ""]
                return {self.rng.choice(keys): self.value(value, depth + 1) for _ in range(depth < 4)}
            case Choice(members=members):
                return self.value(self.rng.choice(members), depth)
            case Ref(name=name):
                return self.declared(name, depth)
        raise _NoValueError

    def wires(self, enum: str) -> list[Any]:
        """Return the values of an enum on the wire."""
        return [
            each["value"] if isinstance(each, dict) else key for key, each in self.spec["enums"][enum]["values"].items()
        ]

    def declared(self, name: str, depth: int) -> Any:
        """Return a value of a declaration."""
        if name in self.spec["enums"]:
            return self.rng.choice(self.wires(name))
        if name in self.spec["aliases"]:
            return self.value(parse(self.spec["aliases"][name]["type"]).type, depth + 1)
        if name in self.spec["unions"]:
            variants = self.spec["unions"][name].get("variants", [])
            if not variants:
                raise _NoValueError
            variant = self.rng.choice(variants)
            return self.declared(variant["name"] if isinstance(variant, dict) else variant, depth + 1)
        struct = self.spec["messages" if name in self.spec["messages"] else "types"][name]
        made: Spec = {}
        for mixin in struct.get("include", []):
            made |= self.declared(mixin, depth + 1)
        for key, tag in struct.get("tag", {}).items():
            made[key] = self.tag(tag)
        made |= struct.get("const", {})
        for key, body in struct.get("fields", {}).items():
            expression = body["type"] if isinstance(body, dict) else body
            if not key.endswith("?") or (depth < 2 and self.chance(0.3)):
                value = self.value(parse(expression).type, depth + 1)
                made |= value if isinstance(body, dict) and "flatten" in body else {key.removesuffix("?"): value}
        return made

    def tag(self, tag: Any) -> Any:
        """Return a possible value of a tag."""
        match tag:
            case Plain(text=enum):
                return self.rng.choice(self.wires(enum))
            case {"prefix": prefix}:
                return f"{prefix}x"
            case list():
                return self.rng.choice(tag)
        return tag


class _NoValueError(Exception):
    """No value was found with reasonable effort."""


SCALARS: dict[str, tuple[Any, ...]] = {
    "string": ("a", "*/", '"q"', "{{}}"),
    "uuid": ("00000000-0000-4000-8000-00000000000A",),
    "timestamp": ("2024-05-01T12:00:00Z",),
    "boolean": (True, False),
    "number": (0, -0.5, 3, 1e300, -0.0, 10**20),
    "integer": (0, -7, 2**53 - 1, 4.0),
    "json": (None, 10**30, -0.5, "{{x}}", True, [], {"a": [1, {"*/": None}]}),
    "object": ({}, {"a": [1, {"\\": None}]}),
    "null": (None,),
}
"""Values of the built-in types."""


def _plain(fields: Spec) -> dict[str, str]:
    """Return the types of the fields that are not flattened, by key on the wire."""
    types = {key.removesuffix("?"): each["type"] if isinstance(each, dict) else each for key, each in fields.items()}
    flat = {key.removesuffix("?") for key, each in fields.items() if isinstance(each, dict) and "flatten" in each}
    return {key: type_ for key, type_ in types.items() if key not in flat}


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def draw(seed: object, *, new_forms: bool = True) -> Spec:
    """Return the spec of a seed."""
    drawer = Drawer(Random(f"spec {seed}"), new_forms=new_forms)  # noqa: S311 - tests, not secrets
    spec = drawer.run()
    drawer.rng = Random(f"constants {seed}")  # noqa: S311 - as above; the earlier random choices stay the same
    drawer.constants()
    return spec


def text(value: object) -> str:
    """Write a spec as YAML in flow style."""
    match value:
        case Plain(text=word):
            return word
        case dict():
            return "{" + ", ".join(f"{text(key)}: {text(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(text, value)) + "]"
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return "".join(c if c.isprintable() and ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in quoted)
        case _:
            return json.dumps(value)


def folder(spec: Spec, to: Path) -> Path:
    """Write a spec into a folder and return the folder."""
    to.mkdir(parents=True, exist_ok=True)
    body = "\n".join(f"{key}: {text(value)}" for key, value in spec.items())
    (to / "protocol.yaml").write_text(body + "\n", encoding="utf-8")
    return to


def shrunk(spec: Spec, fails: Callable[[Spec], bool]) -> Spec:
    """Remove parts of a failing spec until no further part can be removed without making it pass."""
    while (less := next((each for each in smaller(spec) if fails(each)), None)) is not None:
        spec = less
    return spec


def smaller(spec: Spec) -> Iterator[Spec]:
    """Yield the spec without one of its parts, for each part, the largest first."""
    for path in sorted(_paths(spec), key=len):
        less = copy.deepcopy(spec)
        at: Any = less
        for step in path[:-1]:
            at = at[step]
        del at[path[-1]]
        yield less


def _paths(value: object, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*so_far, key)
        yield from _paths(value[key], (*so_far, key))  # type: ignore[index]
