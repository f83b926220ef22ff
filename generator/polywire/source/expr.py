"""Text of a type expression → `Type`, with the position of every name in it.

union   = postfix { "|" postfix }
postfix = primary { "[" [ [ int ] ".." [ int ] ] "]" }
primary = scalar [ "(" [ number ] ".." [ number ] ")" ] | Name | literal | "map" "<" [ Name "," ] union ">"
        | "(" union ")" | "[" union { "," union } "]"
literal = string | number | "true" | "false"
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from polywire.ground.engine import MAX_INTEGER
from polywire.source.types import NULL, Array, Choice, LiteralType, Map, Ref, Scalar, ScalarKind, TupleType, Type

SCALARS: Mapping[str, ScalarKind] = MappingProxyType(
    {
        "string": "string",
        "boolean": "boolean",
        "number": "number",
        "integer": "integer",
        "uuid": "uuid",
        "timestamp": "timestamp",
        "json": "json",
        "object": "object",
        "null": "null",
    }
)
RESERVED = frozenset({*SCALARS, "map", "none", "true", "false"})
"""Reserved words of the language; no declaration may have such a name."""


def is_pointer(text: str) -> bool:
    """Whether the parameter of a function is a pointer into a request, not a type."""
    return not text or text.startswith("/")


UNREACHABLE = frozenset({"Null", "NULL"})
"""More names that no declaration may have: YAML reads them as null where they stand alone."""

MAX_DEPTH = 60
"""The maximum nesting depth of brackets; no hand-written expression needs more."""


@dataclass(frozen=True, slots=True)
class Use:
    """A declared name in an expression: its offset, and whether it is the key type of a map."""

    name: str
    offset: int
    key: bool = False


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression. `type` is None for a bare `none`; `none` is true if it was one of the alternatives."""

    type: Type | None
    uses: tuple[Use, ...]
    words: tuple[int, ...]
    """The offsets of all scalars, names, literals and `map`s, in order."""
    none: bool = False


class ExpressionError(Exception):
    """What is wrong with an expression, and the index of the offending character."""

    def __init__(self, offset: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.hint = hint


@lru_cache(maxsize=1 << 14)
def parse(text: str) -> Expression:
    """Parse a type expression in which `none` is not allowed. Raises `ExpressionError`."""
    return _Parser(text, none=False).run()


@lru_cache(maxsize=1 << 10)
def parse_answer(text: str) -> Expression:
    """Parse the response type of a control: `none` may be the whole expression or a top-level alternative."""
    return _Parser(text, none=True).run()


def leading(text: str) -> str:
    """The longest beginning of a text that is a type expression; empty if there is none."""
    parser = _Parser(text, none=True, whole=False)
    try:
        parser.run()
    except ExpressionError:
        return ""
    return text[: parser.end]


_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>-?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)?)
    | (?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")
    | (?P<sign>\.\.|[][|<>(),])
    | (?P<end>$))""",
    re.VERBOSE,
)


class _Parser:
    """A recursive-descent parser; `self.kind`, `self.word` and `self.start` describe the current token."""

    def __init__(self, text: str, *, none: bool, whole: bool = True) -> None:
        self._text = text
        self._none = none
        self._whole = whole
        self._found_none = False
        self._depth = 0
        self._uses: list[Use] = []
        self._words: list[int] = []
        self._at = 0
        self.end = 0
        self._next()

    def run(self) -> Expression:
        type_ = self._union(top=True)
        if self._whole and self.kind != "end":
            raise self._error("the end of the expression", _generic(type_))
        return Expression(type_, tuple(self._uses), tuple(self._words), self._found_none)

    # --- tokens ---

    def _next(self) -> None:
        self.end = self._at
        match = _TOKEN.match(self._text, self._at)
        if match is None and not self._whole:
            self.kind, self.word, self.start = "end", "", self._at
        elif match is None or match.lastgroup is None:
            at = self._at + len(self._text[self._at :]) - len(self._text[self._at :].lstrip())
            raise ExpressionError(
                at, f"`{self._text[at]}` is not allowed in a type expression", _OFTEN.get(self._text[at])
            )
        else:
            self.kind = match.lastgroup
            self.word = match.group(self.kind)
            self.start = match.start(self.kind)
            self._at = match.end()

    def _take(self, word: str) -> bool:
        if self.word != word:
            return False
        self._next()
        return True

    def _expect(self, word: str, hint: str | None = None) -> None:
        if not self._take(word):
            raise self._error(f"`{word}`", hint)

    def _error(self, expected: str, hint: str | None = None) -> ExpressionError:
        found = "the expression ends" if self.kind == "end" else f"found `{self.word}`"
        return ExpressionError(self.start, f"expected {expected}, {found}", hint)

    # --- grammar ---

    def _union(self, *, top: bool = False) -> Type | None:
        members: list[Type] = []
        while True:
            if top and self._none and self.word == "none":
                self._found_none = True
                self._next()
            else:
                members.extend(self._alternatives())
            if not self._take("|"):
                break
        if not members:
            return None
        return members[0] if len(members) == 1 else Choice(tuple(members))

    def _alternatives(self) -> tuple[Type, ...]:
        type_ = self._postfix()
        return type_.members if isinstance(type_, Choice) else (type_,)

    def _postfix(self) -> Type:
        type_ = self._primary()
        while self.word == "[":
            self._deeper()  # not undone: consecutive brackets nest too, inside a group or after it
            self._next()
            type_ = Array(type_, *self._bounds(type_))
        return type_

    def _bounds(self, item: Type) -> tuple[int | None, int | None]:
        start = self.start
        low = self._integer()
        if low is not None and self.word == "]":
            raise ExpressionError(
                start, "bounds are written `[low..high]`", f"write `[{low}..{low}]` for exactly {low}"
            )
        high = self._integer() if self._take("..") else None
        self._expect("]", _generic(item) or _LISTS)
        if low is not None and high is not None and low > high:
            raise ExpressionError(start, f"the lower bound {low} is above the upper bound {high}")
        return low, high

    def _integer(self) -> int | None:
        if self.kind != "number" or not self.word.isdecimal():
            return None
        if len(self.word) > 15:
            raise ExpressionError(self.start, "a bound has at most 15 digits")
        value = int(self.word)
        self._next()
        return value

    def _primary(self) -> Type:
        start, word = self.start, self.word
        if word == "(":
            return self._group()
        if word == "[":
            return self._tuple()
        self._words.append(start)
        if self.kind in {"string", "number"} or word in _BOOLEANS:
            return self._literal()
        if self.kind != "name":
            raise self._error("a type", _LISTS if word == "]" else None)
        self._next()
        if word == "map":
            return self._map()
        if word == "none":
            raise ExpressionError(start, "`none` is only allowed as the response of a control")
        if self.word == "<":
            raise ExpressionError(start, f"`{word}` takes no `<…>`, only `map` does", _GENERICS.get(word.lower()))
        if word in SCALARS:
            return NULL if word == "null" else Scalar(SCALARS[word], *self._range(word))
        self._uses.append(Use(word, start))
        return Ref(word)

    def _group(self) -> Type:
        self._deeper()
        self._next()
        type_ = self._inner()
        self._expect(")")
        self._depth -= 1
        return type_

    def _tuple(self) -> TupleType:
        self._deeper()
        self._next()
        items = [self._inner()]
        while self._take(","):
            items.append(self._inner())
        self._expect("]")
        self._depth -= 1
        return TupleType(tuple(items))

    def _literal(self) -> LiteralType:
        kind, word, start = self.kind, self.word, self.start
        if kind == "string":
            try:
                value = json.loads(word)
                value.encode()
            except ValueError:
                raise ExpressionError(start, "this is not JSON text", "escape it as in JSON") from None
        else:
            value = _BOOLEANS[word] if word in _BOOLEANS else self._number()
        self._next()
        return LiteralType(value)

    def _number(self) -> int | float:
        if len(self.word) > _MOST_DIGITS:
            raise ExpressionError(self.start, f"a number has at most {_MOST_DIGITS} characters here")
        if _LEADING_ZERO.match(self.word):
            raise ExpressionError(self.start, f"`{self.word}` is not a JSON number")
        value: int | float = json.loads(self.word)
        if isinstance(value, float) and math.isinf(value):
            raise ExpressionError(self.start, f"`{self.word}` overflows a double")
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            raise ExpressionError(self.start, f"`{self.word}` is beyond ±{MAX_INTEGER}")
        return value

    def _range(self, scalar: str) -> tuple[int | float | None, int | float | None]:
        """Parse the bounds after a scalar."""
        if self.word != "(":
            return None, None
        start = self.start
        if scalar not in _BOUNDED:
            raise ExpressionError(start, f"`{scalar}` has no bounds; `integer`, `number` and `string` do")
        self._next()
        low = self._limit(scalar)
        self._expect("..")
        high = self._limit(scalar)
        if low is None and high is None:
            raise ExpressionError(start, "a bound is missing", f"write `{scalar}(low..high)`, or `{scalar}`")
        self._expect(")")
        if low is not None and high is not None and low > high:
            raise ExpressionError(start, f"the lower bound {low} is above the upper bound {high}")
        return low, high

    def _limit(self, scalar: str) -> int | float | None:
        if self.kind != "number":
            return None
        start, value = self.start, self._number()
        if scalar != "number" and not isinstance(value, int):
            raise ExpressionError(start, f"the bounds of `{scalar}` are integers")
        if scalar == "string" and value < 0:
            raise ExpressionError(start, "the length of a string is at least 0")
        self._next()
        return value

    def _map(self) -> Map:
        self._deeper()
        self._expect("<", _MAPS)
        start = self.start
        value = self._inner()
        key = None
        if self.word == ",":
            if not isinstance(value, Ref):
                raise ExpressionError(start, "the keys of a map are an enum", _MAPS)
            key = value.name
            self._uses[-1] = Use(key, start, key=True)
            self._next()
            value = self._inner()
        self._expect(">")
        self._depth -= 1
        return Map(value, key)

    def _inner(self) -> Type:
        type_ = self._union()
        if type_ is None:
            raise self._error("a type")
        return type_

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(self.start, f"nested more than {MAX_DEPTH} levels deep")


def _generic(type_: Type | None) -> str | None:
    """A hint on what another language would write before the type that it contains."""
    return _GENERICS.get(type_.name.lower()) if isinstance(type_, Ref) else None


_BOOLEANS = {"true": True, "false": False}
_BOUNDED = frozenset({"integer", "number", "string"})
_MOST_DIGITS = 17
_LEADING_ZERO = re.compile(r"-?0[0-9]")

_LISTS = "write `T[]` for a list of T"
_MAYBE = "write `T | null`; for an optional key, write `name?: T`"
_MAPS = "keys are strings: write `map<T>`, or `map<E, T>` with the keys of an enum"
_OFTEN = {
    "?": "to make a member optional, write `?` after its key: `name?: T`",
    "'": 'quote strings with double quotes: `"text"`',
    '"': "the string is not terminated",
    "{": "inline objects are not supported; declare a type",
    "&": "declare a type with `include: [A, B]` for the members of several types",
    ".": "a name has no dots; declare the type here, and write its name",
    "*": "write `T | null`; for an optional key, write `name?: T`",
}
"""What to do about characters that types have in other languages."""
MISTAKEN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("bool",), "boolean"),
        **dict.fromkeys(("str", "text", "char", "date", "time", "duration", "uri", "url"), "string"),
        **dict.fromkeys(("int", "short", "byte", "usize", "isize"), "integer"),
        **dict.fromkeys((f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64, 128)), "integer"),
        **dict.fromkeys((f"{sign}{size}" for sign in "iu" for size in (8, 16, 32, 64, 128)), "integer"),
        **dict.fromkeys((f"{kind}fixed{size}" for kind in ("", "s") for size in (32, 64)), "integer"),
        **dict.fromkeys(("sint32", "sint64", "long", "bigint"), "integer"),
        **dict.fromkeys(("float", "double", "float32", "float64", "f32", "f64", "decimal"), "number"),
        **dict.fromkeys(("any", "unknown", "value", "jsonvalue", "mixed", "dynamic", "interface"), "json"),
        **dict.fromkeys(("datetime", "datetimeoffset", "instant"), "timestamp"),
        **dict.fromkeys(("dict", "record", "struct", "mapping", "jsonobject"), "object"),
        **dict.fromkeys(("guid", "uuid4"), "uuid"),
        "undefined": "null",
    }
)
"""Names of the scalars in other languages, in lower case, for hints when such a name is not declared."""
_WIDE = {
    *(f"{sign}{size}" for sign in ("int", "uint", "i", "u") for size in (64, 128)),
    *("fixed64", "sfixed64", "sint64", "long", "bigint"),
}
"""Those of them that hold integers beyond ±(2^53−1)."""
NOTHING = frozenset({"nothing", "void", "none", "empty", "unit", "undefined", "no", "never"})
"""Names of `none` in other languages, in lower case, for hints where `none` is allowed."""
_GENERICS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("array", "list", "seq", "sequence", "set", "vec", "vector", "tuple", "repeated"), _LISTS),
        **dict.fromkeys(("optional", "option", "maybe", "nullable"), _MAYBE),
        **dict.fromkeys(("dict", "record", "hashmap", "object", "map"), _MAPS),
        **dict.fromkeys(("union", "oneof", "anyof"), "write `A | B` for alternatives"),
        **dict.fromkeys(("literal", "enum"), 'declare an enum, or write `"a" | "b"`'),
        "bytes": "write `string`, and state how the bytes are encoded in `doc`",
    }
)
"""How to write common generic types, by their lower-case names in other languages."""


def instead_of(name: str) -> str | None:
    """What to write instead of a name that other languages have for a type."""
    name = name.lower()
    if name in _WIDE:
        return "write `integer` for values within ±(2^53−1), or `json` for larger ones"
    return f"did you mean `{MISTAKEN[name]}`?" if name in MISTAKEN else _GENERICS.get(name)
