"""The model → the code of the package: guards, tables for the slow pass, constants, pairs of requests and answers.

`index.js` and `index.cjs` are made of the same partials and the same view, and differ in how they export.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from polywire.model.nodes import Model, Ref
from polywire.plan.rows import rows
from polywire.render import template_root
from polywire.targets.release import package_version
from polywire.targets.typescript.envelopes import controls_view, tools_view
from polywire.targets.typescript.guards import Check, Guards, least
from polywire.targets.typescript.layout import map_of, quoted
from polywire.targets.typescript.names import Names, exported
from polywire.targets.typescript.source import literal, opened, refused

PARTS = ("errors", "text", "engine", "checks", "codec", "streams", "pairs")
"""The partials written by hand, in the order in which they stand in the package."""


def code_view(model: Model, names: Names) -> dict[str, object]:
    """All that the templates of the code see."""
    guards = Guards(model, names, set(_words()) | set(exported(model, names)))
    structs = [guards.struct(struct) for struct in model.structs]
    unions = [guards.union(union) for union in model.unions]
    named = [*map(guards.named, model.enums), *map(guards.named, model.aliases)]
    constants = {
        name: guards.function("", name + "_") if name in _words() else name for name in _from_spec(model, names)
    }
    return {
        "parts": PARTS,
        "root": names.type(model.protocol.roots[0]),
        "root_fits": guards.fits(model.protocol.roots[0]),
        "protocol": model.protocol,
        "package_version": package_version(model.protocol),
        "spec_hash": model.spec_hash,
        "structs": structs,
        "unions": unions,
        "helpers": [*guards.helpers.values(), *named],
        "guards": [(constants[names.guard(name)], guards.fits(name), _knows(guards, name)) for name in names.guarded],
        "types": {names.type(name): (name, guards.fits(name)) for name in model.declarations},
        "fits": [(names.type(name), guards.fits(name)) for name in model.declarations],
        "knows": [(union.type, union.knows) for union in unions if union.knows is not None],
        "arrays": [(constants[names.values(enum)], [value.wire for value in enum.values]) for enum in model.enums],
        "objects": [
            (constants[names.type(enum.name)], {names.member(enum, at): v.wire for at, v in enumerate(enum.values)})
            for enum in model.enums
            if enum.base == "integer"
        ],
        "plan": _tables(rows(model)),
        "controls": controls_view(model, guards),
        "tools": tools_view(model),
        "exports": [(constants.get(name, name), name) for name in exported(model, names)],
        "access": access,
        "literal": literal,
        "map_of": map_of,
        "opened": opened,
        "quoted": quoted,
        "refused": refused,
        "least": least,
        "measure": measure,
        "spare": _spare(guards.depth(Ref(model.protocol.roots[0]))),
        "wrong": wrong,
    }


def _from_spec(model: Model, names: Names) -> list[str]:
    """What is exported under names that the spec gives."""
    return [
        *(names.guard(name) for name in names.guarded),
        *(names.values(enum) for enum in model.enums),
        *(names.type(enum.name) for enum in model.enums if enum.base == "integer"),
    ]


@cache
def _words() -> frozenset[str]:
    """Every word of the code written by hand, which names from the spec must not hide."""
    folder = template_root() / "typescript"
    text = "".join((folder / f"{part}.js.j2").read_text(encoding="utf-8") for part in PARTS)
    return frozenset(re.findall(r"[A-Za-z_$][\w$]*", text)) | {"plan", "d", "n", "x"}


def _knows(guards: Guards, name: str) -> str | None:
    union = guards.model.declarations[name]
    return guards.function("knows", guards.names.type(name)) if getattr(union, "open", False) else None


def _tables(rows: Mapping[str, Sequence[object]]) -> list[list[object]]:
    """The plan in terms of arrays alone; the engine of the package says what they mean."""
    return [[name, _row(row)] for name, row in rows.items()]


def _row(row: Sequence[object]) -> list[object]:
    what, *parts = row
    if what == "union":  # the name of its Unknown means nothing here
        return [what, parts[0], _arrays(parts[2])]
    return [what, *(_arrays(part) for part in parts)]


def _arrays(value: object) -> object:
    if isinstance(value, Mapping):
        return [[key, _arrays(each)] for key, each in value.items()]
    if isinstance(value, tuple):
        return [_arrays(each) for each in value]
    return value


# --- expressions -----------------------------------------------------------------------------------------------


def access(key: str) -> str:
    """What reads a member of `d`."""
    return f"d.{key}" if re.fullmatch(r"[A-Za-z_$][\w$]*", key, re.ASCII) else f"d[{quoted(key)}]"


TYPEOF = frozenset({"string", "boolean"})
NUMBER_TESTS = {"integer": "Number.isSafeInteger", "number": "Number.isFinite"}


def measure(check: Check, value: str) -> str:
    """The expression for the least number of characters of a value's JSON text, 0 if it is not what is asked for."""
    if check.kind in {"function", "choice"}:
        return f"{check.function}({value})"
    length = f" + {value}.length" if check.kind == "string" else ""
    return f"{' && '.join(wrong(check, value))} ? 0 : {least(check)}{length}"


def wrong(check: Check, value: str) -> list[str]:
    """The expressions that are all true if a value is not what a check asks for."""
    if check.kind in TYPEOF:
        return [f'typeof {value} !== "{check.kind}"']
    if check.kind in NUMBER_TESTS:
        return [f"!{NUMBER_TESTS[check.kind]}({value})"]
    if check.kind == "null":
        return [f"{value} !== null"]
    if check.kind == "values":
        return [f"{value} !== {literal(each, 0, 0)}" for each in check.values]
    return [f"!{check.function}({value})"]


MAX_DEPTH = 128


def _spare(depth: int | None) -> int:
    """How many characters that no guard has counted there may be in a text before it can be nested too deep.

    Of what is kept as it came, each level leaves one of its two brackets uncounted.
    """
    return 0 if depth is None else max(MAX_DEPTH - depth, 0)
