"""A seed → a whole spec, with declarations of every kind and combination; many of them break some rule of the checker.

Names are words of the languages, of packages and of their runtimes, or collide with each other. Docs and constants
contain syntax of comments, strings and templates. Sections are empty, types nest and contain themselves. `folder`
writes a spec to disk; `shrunk` removes everything that a failure does not need.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from polywire.source.expr import RESERVED, UNREACHABLE, parse
from polywire.source.types import Array, Choice, LiteralType, Map, Ref, Scalar, TupleType, Type
from polywire.targets.common.naming import words
from vocabulary import LANGUAGES, SYNTAX, helpers, reserved

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
    *SYNTAX,
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


TARGETS = ("python", "jsonschema", "typescript", "go", "rust")
SECTIONS = ("enums", "aliases", "types", "unions", "messages")


class Drawer:
    """One spec under construction."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names = list(NAMES)
        self.taken = {"root"}
        self.peers = ["cli", "sdk"]
        rng.shuffle(self.names)
        self.enums: list[tuple[str, str]] = []
        self.unknowns: list[str] = []
        self.aliases: list[str] = []
        self.types: list[str] = []
        self.unions: list[str] = []
        self.spec: Spec = {}

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def word(self) -> str:
        """Return a word of a language, a package or a runtime, often in another case."""
        found = self.rng.choice(self.rng.choice((LANGUAGES, LANGUAGES, reserved(), helpers())))
        cases = (str, str, str.lower, str.upper, str.capitalize, _camel, _snake)
        return self.rng.choice(cases)(found)

    def name(self) -> str:
        """Return a name that no declaration has yet."""
        if self.chance(0.4):
            name = self.names.pop() if self.chance(0.3) else f"N{len(self.names)}{self.names.pop()}"
        else:
            name = self.identifier()
        if name in UNUSABLE or name.lower() in self.taken:
            return self.name()
        self.taken.add(name.lower())
        return name

    def identifier(self) -> str:
        """Return a word that can be a name in the spec."""
        while not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", word := self.word()):
            pass
        return word

    def doc(self) -> str:
        if self.chance(0.7):
            return "Plain."
        syntax = self.rng.choice(SYNTAX)
        return self.rng.choice((*DOCS, syntax, f"{syntax}\n{syntax} more", f"Plain.\n\n{syntax} x")) or "Plain."

    def keys(self, most: int) -> list[str]:
        kind = self.rng.random()
        pool = KEYS[:10] if kind < 0.4 else KEYS if kind < 0.6 else self.words(most + 4)
        return self.rng.sample(pool, self.rng.randint(0, min(most, len(pool))))

    def words(self, most: int) -> list[str]:
        """Return distinct words, also such that contain syntax."""
        found = [self.word() if self.chance(0.9) else self.rng.choice(SYNTAX) for _ in range(most)]
        return list(dict.fromkeys(found))

    # Types.

    def expression(self, depth: int = 0) -> str:
        """Return a type expression, whose alternatives are not always distinguishable."""
        kinds = (
            ["scalar"] * 4
            + ["name"] * 4
            + (["list", "map", "choice", "group", "bounded", "tuple"] if depth < 3 else [])
        )
        match self.rng.choice(kinds):
            case "scalar":
                return self.rng.choice(
                    ("string", "boolean", "number", "integer", "uuid", "timestamp", "json", "object", "null")
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
            "string": ["string", "string(..9)", "uuid", *(name for name, base in self.enums if base == "string")],
            "number": ["integer", "number", "number(0..)", *(name for name, base in self.enums if base == "integer")],
            "boolean": ["boolean"],
            "array": [f"{self.inner(depth)}[]", f"{self.inner(depth)}[1..]"],
            "object": [f"map<{self.expression(depth + 1)}>", "object", *self.types, *self.unions],
            "null": ["null"],
        }
        members["string"] += ['"exact"', json.dumps(self.rng.choice(SYNTAX)), json.dumps(self.word())]
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
            if optional and isinstance(body, dict) and self.chance(0.3):
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
            key = f"c{self.rng.randint(0, 3)}" if self.chance(0.5) else self.word()
            made["const"] = {key: self.rng.choice((self.rng.choice(SYNTAX), self.word(), True, 4, -1.5))}
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
            made["construct"] = {self.constructor(): {"params": []}}
        return made

    def constructor(self) -> str:
        return self.identifier() if self.chance(0.5) else f"New{self.name()}"

    # Sections.

    def run(self) -> Spec:
        rng = self.rng
        if self.chance(0.2):
            self.peers = list(dict.fromkeys((self.identifier(), self.identifier())))
        entry: Spec = {
            "polywire": 1,
            "protocol": {
                "name": rng.choice(("drawn", "my-protocol", "json", "std", "types", "a1", self.identifier())),
                "title": self.doc().replace("\n", " ") or "T",
                "version": "1.0.0",
                "framing": Plain(rng.choice(("ndjson", "content-length", "sse"))),
                "peers": self.peers,
                "roots": ["Root"],
            },
            "packages": {"go": {"module": "example.com/drawn", "package": "drawn"}},
        }
        self.spec = entry | {section: {} for section in SECTIONS}
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
            tag = {"type": rng.choice(("one", "a b", "", self.word(), rng.choice(SYNTAX))) + str(number)}
            self.spec["messages"][name] = self.struct(tag, ("type",)) | {
                "from": Plain(rng.choice((*self.peers, "both")))
            }
            variants.append(name)
        self.spec["unions"]["Root"] = self.union_of("type", variants)
        if self.chance(0.4):
            self.control(variants)
        if self.chance(0.2):
            tool = rng.choice(("Read", self.word().replace("*", "") or "x"))
            self.spec["tools"] = {tool: {"doc": self.doc(), "input": self.expression()}, "mcp__*": {"doc": "T."}}
        if self.chance(0.2):
            name = self.name()
            self.spec["options"] = {name: {"doc": self.doc(), "fields": self.fields()}}
            entry["protocol"]["roots"].append(name)
        if self.chance(0.3):
            self.spec["files"] = {section: self.identifier() for section in SECTIONS if self.chance(0.5)}
        unused = {*self.spec["types"], *self.unions, *self.aliases}
        entry["protocol"]["roots"] += sorted(unused)
        return self.spec

    def enum(self) -> None:
        name, base = self.name(), self.rng.choice(("string", "string", "integer"))
        values = self.rng.sample(VALUES, self.rng.randint(1, 4)) if self.chance(0.4) else self.words(6)
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
        if made["open"] and self.types and self.chance(0.2):
            made["unknown"] = {"include": [self.rng.choice(self.types)]}
        elif made["open"] and self.chance(0.1):
            made["unknown"] = self.name()
            self.unknowns.append(made["unknown"])
        elif made["open"] and self.unknowns and self.chance(0.3):
            made["unknown"] = self.rng.choice(self.unknowns)
        return made

    def union(self) -> None:
        kinds = ["texts", "booleans", "listed", "enum", "keys", "nested", "integers", "prefixes"]
        by, kind = self.rng.choice(("kind", "sub type", "t", self.word())), self.rng.choice(kinds)
        if kind == "keys":
            self.by_keys()
            return
        tags = self.tags(by, kind)
        variants: list[Any] = []
        for tag in tags:
            name = self.name()
            others = tag.pop("others", None)
            made = self.struct(tag, (by,)) | ({"others": others} if others else {})
            if tag.get(by, "") is None and self.chance(0.5):
                made.setdefault("fields", {})[f"{by}?"] = self.expression()
            self.spec["types"][name] = made
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
        """Return the tags of a union's variants; null is that of a variant without the discriminator."""
        rest: list[Spec] = [{by: None}] if self.chance(0.2) else []
        match kind:
            case "booleans":
                return [{by: True}, {by: None if self.chance(0.5) else False}]
            case "listed":
                return [{by: ["a", "b*/"]}, {by: "c"}, *rest]
            case "enum":
                texts = [name for name, _ in self.enums]
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
                outer = None if self.chance(0.3) else "a"
                return [{by: outer, "sub": "x"}, {by: outer, "sub": "y"}, {by: "b"}, *(rest if outer else ())]
            case _:
                return [{by: value} for value in self.rng.sample(("a", "é", "two words", *self.words(6)), 2)] + rest

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
        keys = ("ping", "do it", "a/b", "get_thing", *self.words(6))
        for key in dict.fromkeys(self.rng.choices(keys, k=self.rng.randint(1, 3))):
            self.spec["controls"][key] = {
                "doc": self.doc(), "from": Plain(self.rng.choice((*self.peers, "both"))),
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
                keys = [key for key in _plain(fields) if self.chance(0.2)]
                params = [
                    {self.identifier() if self.chance(0.6) else f"p{at}": _pointer(key)} for at, key in enumerate(keys)
                ]
                params = [each for each in params if not fixed.keys() & each.values()]
                made = f"Made{name}" if self.chance(0.6) else self.identifier()
                struct.setdefault("construct", {})[made] = {"params": params, "set": fixed}
            for body in fields.values():
                if isinstance(body, dict) and "flatten" not in body and self.chance(0.15):
                    for value in self.some(body["type"]):
                        body["default"] = value

    def functions(self) -> None:
        """Add a record that starts a process, with functions that answer the requests, and a result that is filled."""
        if not self.spec.get("controls") or self.chance(0.3):
            return
        if self.chance(0.6):
            type_, taken, given = self.expression(), f"{self.identifier()}_taken", f"{self.identifier()}_given"
            result = self.name()
            self.spec["types"][result] = {"doc": self.doc(), "fields": {f"{taken}?": type_}}
            self.spec["controls"]["fill this"] = {
                "doc": self.doc(), "from": Plain("both"), "request": {f"{given}?": type_, "key": "string"},
                "response": result, "fill": {_pointer(taken): _pointer(given)},
            }  # fmt: skip
        one, many = self.name(), self.name()
        functions = {f"{self.identifier()}{at}?": self.function(key) for at, key in enumerate(self.spec["controls"])}
        options = self.spec.setdefault("options", {})
        options[one] = {"doc": self.doc(), "launch": {}, "fields": functions}
        if "fill this" in self.spec["controls"]:
            *_, (option, function) = functions.items()
            del functions[option]
            function["callback"]["id"] = "/key"
            options[many] = {"doc": self.doc(), "fields": {option: function}}
            functions["many?"] = {"type": f"map<{many}>", "carry": []}
        functions["tell?"] = {"callback": {"receives": Plain("stderr"), "params": {"text": "string"}}}
        self.spec["protocol"]["roots"].append(one)

    def trees(self) -> None:
        """Add trees of entries whose ids are members of their own, of a mixin, or of an object that they have."""
        for number in range(self.rng.choice((0, 0, 0, 0, 1, 2))):
            base = self.rng.choice(("string", "integer"))
            enums = [name for name, of in self.enums if of == base]
            types = (*(["string", "uuid", "timestamp"] if base == "string" else ["integer"]), *enums)
            ids, entries = self.name(), self.rng.choice(["Root", *self.unions, *self.types])
            keys = list(dict.fromkeys(self.word() for _ in range(4)))
            fields = {key + "?" * self.chance(0.9): self.rng.choice(types) for key in keys}
            fields = {key: type_ if self.chance(0.6) else f"{type_} | null" for key, type_ in fields.items()}
            self.spec["types"][ids] = {"doc": self.doc(), "fields": fields}
            inner = f"{self.identifier()}_in" if self.chance(0.3) else ""
            for struct in self.structs(entries):
                own = struct.setdefault("fields", {})
                takes_others = "extra" in struct or any("flat" in key for key in own)
                match self.rng.choice(("include", "own", "own" if takes_others else "flatten")):
                    case _ if inner:
                        own[f"{inner}?"] = ids
                    case "include":
                        struct["include"] = [*struct.get("include", []), ids]
                    case "flatten":
                        own["flat?"] = {"type": ids, "flatten": True}
                    case "own":
                        own |= fields
            pointers = [_pointer(inner) * bool(inner) + _pointer(key) for key in keys]
            tree = dict(zip(("id", "parent", "attached", "previous"), pointers, strict=False))
            name = self.name() if self.chance(0.2) else f"Tree{number}"
            self.spec.setdefault("trees", {})[name] = {"doc": self.doc(), "lines": entries, **tree}

    def structs(self, name: str) -> Iterator[Spec]:
        """Yield the declarations of the objects that a declaration is about."""
        if name in self.spec["unions"]:
            for each in self.spec["unions"][name].get("variants", []):
                yield from self.structs(each["name"] if isinstance(each, dict) else each)
        elif found := self.spec["messages"].get(name, self.spec["types"].get(name)):
            yield found

    def renames(self) -> None:
        """Give some declarations, fields and values other names, in all packages or in those of one language."""
        if self.chance(0.6):
            return
        for declaration in [each for section in SECTIONS for each in self.spec[section].values()]:
            parts = (*declaration.get("fields", {}).values(), *declaration.get("values", {}).values())
            for part in (declaration, *(each for each in parts if isinstance(each, dict))):
                if self.chance(0.1):
                    renamed = {"name": self.name()}
                    part.update(renamed if self.chance(0.6) else {"targets": {self.rng.choice(TARGETS): renamed}})

    def function(self, control: str) -> Spec:
        """Return an option with a function that answers the requests of a control."""
        call: Spec = {"answers": control}
        keys = list(_plain(self.spec["controls"][control]["request"]))
        if self.chance(0.8):
            places = [self.rng.choice(["", *map(_pointer, keys)]) for _ in range(self.rng.randint(0, 3))]
            call["params"] = {f"p{at}": place for at, place in enumerate(places)}
        return {"doc": self.doc(), "callback": call}

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
                keys = self.wires(key) if key else ["a", "", *SYNTAX]
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
            if tag is not None:
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
    "string": ("a", *SYNTAX),
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


def _camel(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def _snake(word: str) -> str:
    return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()


def _plain(fields: Spec) -> dict[str, str]:
    """Return the types of the fields that are not flattened, by key on the wire."""
    types = {key.removesuffix("?"): each["type"] if isinstance(each, dict) else each for key, each in fields.items()}
    flat = {key.removesuffix("?") for key, each in fields.items() if isinstance(each, dict) and "flatten" in each}
    return {key: type_ for key, type_ in types.items() if key not in flat}


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def draw(seed: object) -> Spec:
    """Return the spec of a seed."""
    drawer = Drawer(Random(f"spec {seed}"))  # noqa: S311 - tests, not secrets
    spec = drawer.run()
    drawer.rng = Random(f"constants {seed}")  # noqa: S311 - as above; the earlier random choices stay the same
    drawer.constants()
    drawer.rng = Random(f"functions {seed}")  # noqa: S311 - as above
    drawer.functions()
    drawer.rng = Random(f"trees {seed}")  # noqa: S311 - as above
    drawer.trees()
    drawer.rng = Random(f"renames {seed}")  # noqa: S311 - as above
    drawer.renames()
    return spec


UNUSABLE = {*RESERVED, *UNREACHABLE}
"""Names that lint rejects in every spec."""

SUFFIXED = re.compile("^(new|with)|(new|type|value|func|field|required)$", re.IGNORECASE)
"""Names that may be those of other declarations, after a word is left out or a suffix is added."""


BESIDE = 5
"""How many words are constructors of the object that has all words as members; each takes all of them."""


def spec_of(names: Iterable[str]) -> Spec:
    """Return a spec in which each name is a member, a value, a parameter, and a type or a constructor in turn.

    Lint rejects names that differ only in their case, of which it has the first, and those that another name may get
    by a suffix.
    """
    distinct = {"_".join(words(name)): name for name in reversed([*names])}
    chosen = [name for name in distinct.values() if name not in UNUSABLE and not SUFFIXED.search(name)]
    plain = [name for name in chosen if re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name)]
    made: Spec = {"params": [{name: _pointer(name)} for name in plain]}
    types: Spec = {name: {"doc": name, "fields": {"value": "string"}} for name in plain[::2]}
    functions = plain[1::2]
    beside, alone = ({name: {"params": []} for name in some} for some in (functions[:BESIDE], functions[BESIDE:]))
    return {
        "polywire": 1,
        "protocol": {
            "name": "words", "title": "Words", "version": "1.0.0", "framing": Plain("ndjson"), "peers": ["cli", "sdk"],
            "roots": ["Everything", *types],
        },
        "enums": {
            "OpenWord": {"doc": "W.", "open": True, "values": dict.fromkeys(chosen, "V.")},
            "ClosedWord": {"doc": "W.", "open": False, "values": dict.fromkeys(chosen, "V.")},
            "OpenNumber": {
                "doc": "W.", "open": True, "base": Plain("integer"),
                "values": {name: {"doc": "V.", "value": at} for at, name in enumerate(chosen)},
            },
        },
        "types": types | {
            "Everything": {
                "doc": "E.",
                "fields": dict.fromkeys(chosen, "string") | {
                    "values of enums": "[OpenWord, ClosedWord, OpenNumber]",
                    "another object": "OfOptionals",
                },
                "construct": {"NewEverything": made, **beside},
            },
            "Constructed": {"doc": "F.", "fields": {"value": "string"}, "construct": alone},
            "OfOptionals": {"doc": "O.", "fields": {f"{name}?": "OpenWord | null" for name in chosen}},
        },
    }  # fmt: skip


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
    """Write a spec into a folder and return the folder. Its entry `files` has the names of files for some sections."""
    to.mkdir(parents=True, exist_ok=True)
    parts: dict[str, Spec] = {"protocol": {}}
    for section, body in spec.items():
        if section != "files":
            parts.setdefault(spec.get("files", {}).get(section, "protocol"), {})[section] = body
    others = [f"{stem}.yaml" for stem in parts if stem != "protocol"]
    parts["protocol"] |= {"parts": others} if others else {}
    for stem, sections in parts.items():
        body = "\n".join(f"{key}: {text(value)}" for key, value in sections.items())
        (to / f"{stem}.yaml").write_text(body + "\n", encoding="utf-8")
    return to


def shrunk(spec: Spec, fails: Callable[[Spec], bool]) -> Spec:
    """Remove parts of a failing spec until no further part can be removed without making it pass."""
    while (less := next((each for each in smaller(spec) if fails(each)), None)) is not None:
        spec = less
    return spec


def smaller(spec: Spec) -> Iterator[Spec]:
    """Yield the spec without some of its parts: half of a large one, or one, the largest first."""
    for path in sorted(_paths(spec), key=len):
        for first in (0, 1) if (size := len(_at(spec, path))) > MANY else ():
            less = copy.deepcopy(spec)
            part = _at(less, path)
            for key in [*(part if isinstance(part, dict) else reversed(range(size)))][first * size // 2 :][: size // 2]:
                del part[key]
            yield less
        if path:
            less = copy.deepcopy(spec)
            del _at(less, path[:-1])[path[-1]]
            yield less


MANY = 4
"""The number of entries of a part which is not large."""


def _at(spec: Spec, path: tuple[Any, ...]) -> Any:
    """Return the part of a spec at a path; () for one without entries."""
    part: Any = spec
    for step in path:
        part = part[step]
    return part if isinstance(part, dict | list) else ()


def _paths(value: object, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*so_far, key)
        yield from _paths(value[key], (*so_far, key))  # type: ignore[index]
