"""The number of declarations → a spec of that size, in each shape in which a spec can grow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

HEAD = """\
polywire: 1
protocol:
  name: demo
  title: Demo
  version: 1.0.0
  framing: ndjson
  peers: [client, server]
  roots: [Root]
"""
CONTROL = """\
  control:
    request: {envelope: Request, id: /id, payload: /ask, by: what}
    response: {envelope: Answer, id: /id, result: /result, when: {/ok: true}}
    error: {envelope: Answer, id: /id, message: /reason, when: {/ok: false}}
"""
LEVELS = 40
"""How deep aliases, mixins, unions, flattened and required members nest here; the language allows no more of most."""


def _lines(section: str, *lines: str) -> str:
    return "\n".join((f"{section}:", *(f"  {line}" for line in lines), ""))


def _root(type_: str) -> str:
    return _lines("messages", f"Root: {{doc: A line., from: client, fields: {{a?: {type_}}}}}")


def _chain(n: int, link: str, last: str) -> Iterator[str]:
    """Declarations `A0` to `An`, each of which contains the next."""
    yield from (f"A{i}: {{doc: A link., {link.replace('NEXT', f'A{i + 1}')}}}" for i in range(n))
    yield f"A{n}: {{doc: The last link., {last}}}"


def _stacks(n: int, link: str, last: str) -> Iterator[str]:
    """As many declarations in stacks that are as deep as the language allows."""
    for i in range(n):
        end = i % LEVELS == LEVELS - 1 or i == n - 1
        yield f"A{i}: {{doc: A level., {last.replace('I', str(i)) if end else link.replace('NEXT', f'A{i + 1}')}}}"


def _tops(n: int) -> list[str]:
    return [f"A{i}" for i in range(0, n, LEVELS)]


def _types(n: int, link: str, last: str = "fields: {}") -> str:
    return HEAD + _root("A0") + _lines("types", *_chain(n, link, last))


def _all(names: list[str], body: str) -> str:
    fields = (f"a{i}?: {name}" for i, name in enumerate(names))
    return (
        HEAD
        + _lines("messages", "Root:", "  doc: A line.", "  from: client", "  fields:", *(f"    {f}" for f in fields))
        + body
    )


def _required(n: int) -> str:
    return _all(_tops(n), _lines("types", *_stacks(n, "fields: {a: NEXT}", "fields: {}")))


def _aliases(n: int) -> str:
    return _all(_tops(n), _lines("aliases", *_stacks(n, "type: NEXT", "type: string")))


def _mixins(n: int) -> str:
    return _all(_tops(n), _lines("types", *_stacks(n, "include: [NEXT]", "fields: {x: string}")))


def _flattened(n: int) -> str:
    link, last = "fields: {a: {type: NEXT, flatten: true}}", "fields: {x: string}"
    return _all(_tops(n), _lines("types", *_stacks(n, link, last)))


def _unions(n: int) -> str:
    unions = list(_stacks(n, "open: false, by: type, variants: [BI, NEXT]", "open: false, by: type, variants: [BI]"))
    unions = [text.replace("BI", f"B{i}") for i, text in enumerate(unions)]
    structs = (f"B{i}: {{doc: A variant., tag: {{type: b{i}}}}}" for i in range(n))
    return _all(_tops(n), _lines("unions", *unions) + _lines("types", *structs))


def _variants(n: int) -> str:
    union = f"A0: {{doc: A union., open: true, by: type, variants: [{', '.join(f'B{i}' for i in range(n))}]}}"
    structs = (f"B{i}: {{doc: A variant., tag: {{type: b{i}}}, fields: {{x: string}}}}" for i in range(n))
    return HEAD + _root("A0") + _lines("unions", union) + _lines("types", *structs)


def _by_keys(n: int) -> str:
    """Each variant has its own combination of as few keys as possible."""
    keys = range(n.bit_length())
    has = [[f"k{key}" for key in keys if i >> key & 1] for i in range(n)]
    lacks = [[f"k{key}" for key in keys if not i >> key & 1] for i in range(n)]
    each = ", ".join(
        f"{{name: B{i}, when: {{has: [{', '.join(has[i])}], lacks: [{', '.join(lacks[i])}]}}}}" for i in range(n)
    )
    union = f"A0: {{doc: A union., open: true, by: keys, variants: [{each}]}}"
    structs = (f"B{i}: {{doc: A variant., fields: {{{', '.join(f'{k}: string' for k in has[i])}}}}}" for i in range(n))
    return HEAD + _root("A0") + _lines("unions", union) + _lines("types", *structs)


def _fields(n: int) -> str:
    return _types(0, "", f"fields: {{{', '.join(f'x{i}?: string' for i in range(n))}}}")


def _independent(n: int) -> str:
    structs = (f"A{i}: {{doc: A type., fields: {{x: string}}}}" for i in range(n))
    return _all([f"A{i}" for i in range(n)], _lines("types", *structs))


def _enum(n: int) -> str:
    values = ", ".join(f"v{i}: A value." for i in range(n))
    enum = f"E: {{doc: An enum., open: true, values: {{{values}}}}}"
    return _types(0, "", f"fields: {{{', '.join(f'x{i}?: E' for i in range(n))}}}") + _lines("enums", enum)


def _mixin(n: int) -> str:
    structs = (f"A{i}: {{doc: A type., include: [M], fields: {{x: string}}}}" for i in range(n))
    mixin = f"M: {{doc: A mixin., fields: {{{', '.join(f'm{i}: string' for i in range(5))}}}}}"
    return _all([f"A{i}" for i in range(n)], _lines("types", mixin, *structs))


def _tuple(n: int) -> str:
    return _types(0, "", f"fields: {{x: '[{', '.join(['string'] * n)}]'}}")


def _options(n: int) -> str:
    fields = ", ".join(f"x{i}?: {{type: string, doc: One., carry: [{{flag: --x{i}}}]}}" for i in range(n))
    options = f"O: {{doc: Options., launch: {{arguments: []}}, fields: {{{fields}}}}}"
    return HEAD.replace("[Root]", "[Root, O]") + _root("string") + _lines("options", options)


def _requests(n: int) -> str:
    controls = (f"c{i}: {{doc: A request., from: client, request: {{x: string}}, response: D}}" for i in range(n))
    messages = (
        "Request: {doc: A request., from: both, tag: {type: request}, fields: {id: string, ask: Ask}}",
        "Answer:",
        "  doc: An answer.",
        "  from: both",
        "  tag: {type: answer}",
        "  fields: {id: string, ok: boolean, result?: json, reason?: string}",
    )
    unions = (
        "Root: {doc: A line., open: true, by: type, variants: [Request, Answer]}",
        "Ask: {doc: A payload., open: true, by: what}",
    )
    types = _lines("types", "D: {doc: A result., fields: {x: string}}")
    return (
        HEAD
        + CONTROL
        + _lines("messages", *messages)
        + _lines("unions", *unions)
        + types
        + _lines("controls", *controls)
    )


def _tools(n: int) -> str:
    tools = (f"t{i}: {{doc: A tool., input: D, output: D}}" for i in range(n))
    return HEAD + _root("string") + _lines("types", "D: {doc: Data., fields: {x: string}}") + _lines("tools", *tools)


def _patterns(n: int) -> str:
    return _tools(n).replace(": {doc: A tool.", "_*: {doc: A tool.")


def _prefixes(n: int) -> str:
    return _variants(n).replace("tag: {type: b", "tag: {type: {prefix: b").replace("}, fields: {x", "_}}, fields: {x")


def _construct(n: int) -> str:
    params = ", ".join(f"{{x{i}: /x{i}}}" for i in range(n))
    fields = ", ".join(f"x{i}?: string" for i in range(n))
    return _types(0, "", f"fields: {{{fields}}}, construct: {{NewA: {{doc: New., params: [{params}]}}}}")


def _examples(n: int) -> str:
    examples = ", ".join(f"{{x: a{i}}}" for i in range(n))
    return _types(0, "", f"fields: {{x: string}}, examples: [{examples}]")


def _ladder(n: int) -> str:
    """Each type has two members of the next one: 2^n ways from the first to the last."""
    return _types(n, "fields: {a?: NEXT, b?: NEXT}")


def _ring(n: int) -> str:
    return _types(n, "fields: {a?: NEXT}", "fields: {a?: A0}")


def _union_ladder(n: int) -> str:
    """Two unions a level, each with a variant and both unions of the next level: 2^n ways, all of one discriminator."""
    n //= 2
    nested = [i % LEVELS < LEVELS // 2 - 1 and i < n - 1 for i in range(n)]
    unions = (
        f"{name}{i}: {{doc: A union., open: true, by: type, unknown: Other, variants: [{name}V{i}"
        + (f", U{i + 1}, W{i + 1}]}}" if nested[i] else "]}")
        for i in range(n)
        for name in "UW"
    )
    structs = (f"{name}V{i}: {{doc: A variant., tag: {{type: {name}{i}}}}}" for i in range(n) for name in "UW")
    tops = [f"{name}{i}" for i in range(n) if not i or not nested[i - 1] for name in "UW"]
    return _all(tops, _lines("unions", *unions) + _lines("types", *structs))


def _needed(n: int) -> str:
    structs = (f"A{i}: {{doc: A type., fields: {{x: string}}}}" for i in range(n))
    return _all([f"A{i}" for i in range(n)], _lines("types", *structs)).replace("?: A", ": A")


def _between(n: int) -> str:
    """A union between each type and the next one."""
    structs = (f"A{i}: {{doc: A link., tag: {{type: a}}, fields: {{a?: U{i}}}}}" for i in range(n))
    unions = (f"U{i}: {{doc: A union., open: true, by: type, variants: [A{i + 1}]}}" for i in range(n))
    last = f"A{n}: {{doc: The last., tag: {{type: a}}}}"
    return HEAD + _root("A0") + _lines("types", *structs, last) + _lines("unions", *unions)


SHAPES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "required": _required,
        "optional": lambda n: _types(n, "fields: {a?: NEXT}"),
        "lists": lambda n: _types(n, "fields: {a?: 'NEXT[1..]'}"),
        "maps": lambda n: _types(n, "fields: {a: map<NEXT>}"),
        "tuples": lambda n: _types(n, "fields: {a?: '[NEXT, string]'}"),
        "extra": lambda n: _types(n, "extra: NEXT"),
        "choices": lambda n: _types(n, "fields: {a: NEXT | string | null}"),
        "ladder": _ladder,
        "ring": _ring,
        "between": _between,
        "union ladder": _union_ladder,
        "needed": _needed,
        "aliases": _aliases,
        "mixins": _mixins,
        "flattened": _flattened,
        "unions": _unions,
        "variants": _variants,
        "prefixes": _prefixes,
        "by keys": _by_keys,
        "fields": _fields,
        "independent": _independent,
        "enum": _enum,
        "mixin": _mixin,
        "tuple": _tuple,
        "options": _options,
        "requests": _requests,
        "tools": _tools,
        "patterns": _patterns,
        "construct": _construct,
        "examples": _examples,
    }
)


LONG = 2**23
"""A spec with more characters is divided into files, as a file has a limit."""


def write(shape: str, size: int, folder: Path) -> Path:
    """Write a spec of a shape and a size into a folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    protocol, *sections = re.split(r"^(?=(?!protocol)[a-z]+:$)", SHAPES[shape](size), flags=re.MULTILINE)
    if sum(map(len, sections)) <= LONG:
        protocol, sections = "".join([protocol, *sections]), []
    parts = {f"part{at}.yaml": text for at, text in enumerate(sections)}
    listed = f"parts: [{', '.join(parts)}]\n" if parts else ""
    for name, text in (("protocol.yaml", protocol + listed), *parts.items()):
        (folder / name).write_text(text)
    return folder
