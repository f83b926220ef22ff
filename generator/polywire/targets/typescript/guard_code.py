"""Views of structs, unions and named types → the functions of `guards.js`, statement by statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polywire.targets.typescript.guards import (
    ArrayCheck,
    Check,
    ChoiceCheck,
    Helper,
    MapCheck,
    Member,
    NamedCheck,
    Step,
    StructView,
    UnionView,
    least,
)
from polywire.targets.typescript.layout import quoted
from polywire.targets.typescript.source import Case, If, Line, Loop, Refuse, Statement, Switch, literal


@dataclass(frozen=True, slots=True)
class GuardFunction:
    """One function; with `same_as`, another name of a function."""

    name: str
    parameter: str = ""
    body: tuple[Statement, ...] = ()
    exported: bool = False
    """Whether other modules of the package use it."""
    same_as: str = ""


# --- structs ---------------------------------------------------------------------------------------------------


def of_struct(struct: StructView) -> Iterator[GuardFunction]:
    """The guard of a struct, and the part of it that relies on its caller to have checked the tags."""
    if struct.flattens:
        taken = Line(f"return isTaken(engine, d, {quoted(struct.spec_name)}) ? 2 : 0;")
        yield GuardFunction(struct.fits, "d", (taken,), exported=True)
        yield GuardFunction(struct.body, same_as=struct.fits)
        return
    fits: list[Statement] = [_is_object(evident=struct.evident)]
    fits += (Refuse(_wrong_tag(member)) for member in struct.tags)
    fits.append(Line(f"return {struct.body}(d);"))
    yield GuardFunction(struct.fits, "d", tuple(fits), exported=True)
    yield GuardFunction(struct.body, "d", tuple(_body(struct)))


def _is_object(*, evident: bool) -> Refuse:
    """Refuses what is no object; where a member tells objects from arrays, a cheaper test will do."""
    return Refuse(['typeof d !== "object" || d === null' if evident else "!isRecord(d)"])


def _wrong_tag(member: Member) -> list[str]:
    value = _read(member)
    terms = [] if member.required else [f"{value} !== undefined"]
    terms += wrong(member.check, value)
    if member.pattern is not None:
        terms.append(f'!(typeof {value} === "string" && matches({value}, {quoted(member.pattern)}))')
    return terms


def _body(struct: StructView) -> Iterator[Statement]:
    assigned = sum(1 if member.direct else 2 for member in struct.others if not member.simple)
    adds = any(member.adds for member in struct.members)
    variable = "const x" if assigned == 1 else "x"
    if assigned > 1:
        yield Line("let x;")
    if adds:
        yield Line(f"let n = {struct.least};")
    for member in struct.members:
        if member.required:
            yield from () if member.tag else _required(member, variable)
        elif member.tag:
            yield Line(f"if ({_read(member)} !== undefined) n += {member.least};")
        else:
            yield Line(f"{variable} = {_read(member)};")
            counted = Line(f"n += {member.least};")
            yield If(["x !== undefined"], (counted, *_claims(member), *_measured(member.check, member.nullable)))
    if struct.extra is not None:
        members = f"const each of undeclared(engine, d, {quoted(struct.spec_name)})"
        yield Loop(members, (Refuse(wrong(struct.extra, "each")),))
    yield Line(f"return {'n' if adds else struct.least};")


def _required(member: Member, variable: str) -> Iterator[Statement]:
    if member.simple:
        yield Refuse(wrong(member.check, _read(member)))
        if member.check.kind == "string":
            yield Line(f"n += {_read(member)}.length;")
    elif member.direct or member.nullable or member.claimed:
        yield Line(f"{variable} = {_read(member)};")
        yield from _claims(member)
        yield from _measured(member.check, member.nullable)
    else:
        yield from _called(member.check, "x", _read(member))


def _claims(member: Member) -> Iterator[Statement]:
    return (Refuse([f"x === {literal(value, 0, 0)}"]) for value in member.claimed)


def _measured(check: Check, nullable: bool = False) -> Iterator[Statement]:
    """Adds to `n` what the value `x` takes beyond what is known from its type."""
    if not check.direct:
        yield from _called(check, "x", "x", nullable=nullable)
    elif check.kind == "string" and nullable:
        yield Line('if (typeof x === "string") n += x.length;')
        yield Line("else if (x === null) n += 2;")
        yield Line("else return 0;")
    else:
        yield Refuse([*(["x !== null"] if nullable else []), *wrong(check, "x")])
        if check.kind == "string":
            yield Line("n += x.length;")


def _called(check: Check, variable: str, value: str, *, nullable: bool = False) -> Iterator[Statement]:
    null = f"{value} === null ? 4 : " if nullable else ""
    yield Line(f"{variable} = {null}{check.function}({value});")
    yield Refuse(["x === 0"])
    yield Line("n += x;")


# --- unions ----------------------------------------------------------------------------------------------------


def of_union(union: UnionView) -> Iterator[GuardFunction]:
    """The guard of a union, and of an open one the function that tells its variants from its Unknown."""
    body = (_is_object(evident=union.evident), *_step(union.dispatch))
    yield GuardFunction(union.fits, "d", body, exported=True)
    if union.knows is not None:
        yield GuardFunction(union.knows, "d", tuple(_step(union.dispatch, known=True)), exported=True)


def _step(step: Step, *, known: bool = False) -> Iterator[Statement]:
    """One step of a dispatch; with `known` it only tells whether there is a variant."""
    if step.what == "struct":
        yield Line("return true;" if known else f"return {step.body}(d);")
    elif step.what == "keys":
        for has, lacks, then in step.conditions:
            terms = [f"had(d, {quoted(key)})" for key in has] + [f"!had(d, {quoted(key)})" for key in lacks]
            yield If(terms, tuple(_step(then, known=known)))
        yield Line(f"return {'false' if known else 'objectLeast(d)' if step.open else '0'};")
    else:
        yield Switch(_tag(step), tuple(_cases(step, known=known)), tuple(_default(step, known=known)))


def _cases(step: Step, *, known: bool) -> Iterator[Case]:
    for values, then in step.cases:
        yield Case(tuple(literal(value, 0, 0) for value in values), tuple(_step(then, known=known)))
    if step.absent is not None:
        claimed = {value for values, _ in step.cases for value in values}
        free = [value for value in (True, False) if "boolean" in step.kinds and value not in claimed]
        labels = ("undefined", *(literal(value, 0, 0) for value in free))
        yield Case(labels, tuple(_step(step.absent, known=known)))


def _default(step: Step, *, known: bool) -> Iterator[Statement]:
    tag = _tag(step)
    for pattern, body in step.others:
        otherwise = " !== 0" if known else " || objectLeast(d)" if step.doubtful else ""
        terms = [f'typeof {tag} === "string"', f"matches({tag}, {quoted(pattern)})"]
        yield If(terms, (Line(f"return {body}(d){otherwise};"),))
    if known or not step.open:
        yield Line(f"return {'false' if known else '0'};")
    else:
        kinds = " || ".join(f'typeof {tag} === "{kind}"' for kind in step.kinds)
        yield Line(f"return {kinds} ? objectLeast(d) : 0;")


def _tag(step: Step) -> str:
    return access(step.key, own=step.own)


# --- arrays, maps, choices, named types ------------------------------------------------------------------------


def of_helper(helper: Helper) -> GuardFunction:
    """The guard of a type that is no struct or union; that of a named one is exported."""
    match helper:
        case NamedCheck(name=name, check=check):
            return GuardFunction(name, "x", tuple(_check(check)), exported=True)
        case ArrayCheck(name=name, item=item):
            return GuardFunction(name, "array", tuple(_array(item)))
        case MapCheck(name=name, item=item, keys=keys):
            return GuardFunction(name, "map", tuple(_map(item, keys)))
        case ChoiceCheck(name=name):
            return GuardFunction(name, "x", tuple(_choice(helper)))


def _check(check: Check) -> Iterator[Statement]:
    if check.kind == "values":
        cases = Case(tuple(literal(value, 0, 0) for value in check.values), (Line(f"return {least(check)};"),))
        yield Switch("x", (cases,), (Line("return 0;"),))
    else:
        yield Line(f"return {measure(check, 'x')};")


def _array(item: Check) -> Iterator[Statement]:
    size = f"{1 + least(item)} * array.length" if least(item) else "array.length"
    yield Refuse(["!Array.isArray(array)"])
    yield Line(f"let n = 1 + {size};")
    yield Loop("let at = 0; at < array.length; at++", tuple(_each(item, "array[at]")))
    yield Line("return n;")


def _map(item: Check, keys: Sequence[str]) -> Iterator[Statement]:
    yield Refuse(["!isRecord(map)"])
    yield Line("let n = 1;")
    listed = Case(tuple(quoted(key) for key in keys), (Line("break;"),))
    entry: list[Statement] = [Line("if (map[key] === undefined) continue;")]
    entry += [Switch("key", (listed,), (Line("return 0;"),))] if keys else []
    entry += [*_each(item, "map[key]"), Line(f"n += {4 + least(item)} + key.length;")]
    yield Loop("const key of Object.keys(map)", tuple(entry))
    yield Line("return n;")


def _each(item: Check, value: str) -> Iterator[Statement]:
    """Measures one item of an array or map."""
    if item.direct:
        yield Line(f"const x = {value};")
        yield from _measured(item)
    else:
        yield from _called(item, "const x", value)


def _choice(helper: ChoiceCheck) -> Iterator[Statement]:
    for kind in ("string", "number", "boolean"):
        check = helper.member(kind)
        if check is not None:
            known = check.kind == kind != "number"  # any value of the kind will do
            length = " + x.length" if kind == "string" else ""
            value = f"{least(check)}{length}" if known else measure(check, "x")
            yield Line(f'if (typeof x === "{kind}") return {value};')
    if helper.member("null"):
        yield Line("if (x === null) return 4;")
    array, object_ = helper.member("array"), helper.member("object")
    if array and object_:
        yield Line(f"return Array.isArray(x) ? {measure(array, 'x')} : {measure(object_, 'x')};")
    else:
        other = array or object_
        yield Line(f"return {measure(other, 'x') if other else 0};")


# --- expressions -----------------------------------------------------------------------------------------------


def access(key: str, *, own: bool = False) -> str:
    """The expression for a member of `d`; `own` for keys that every object inherits something under."""
    if own:
        return f"own(d, {quoted(key)})"
    return f"d.{key}" if re.fullmatch(r"[A-Za-z_$][\w$]*", key, re.ASCII) else f"d[{quoted(key)}]"


def _read(member: Member) -> str:
    return access(member.key, own=member.own)


_NUMBER_TESTS = {"integer": "Number.isSafeInteger", "number": "Number.isFinite"}


def measure(check: Check, value: str) -> str:
    """The expression for the least number of characters of a value's JSON text, 0 if the value does not fit."""
    if not check.direct:
        return f"{check.function}({value})"
    length = f" + {value}.length" if check.kind == "string" else ""
    return f"{' && '.join(wrong(check, value))} ? 0 : {least(check)}{length}"


def wrong(check: Check, value: str) -> list[str]:
    """The expressions that are all true if a value does not fit a check."""
    match check.kind:
        case "string" | "boolean":
            return [f'typeof {value} !== "{check.kind}"']
        case "integer" | "number":
            return [f"!{_NUMBER_TESTS[check.kind]}({value})"]
        case "null":
            return [f"{value} !== null"]
        case "values":
            return [f"{value} !== {literal(each, 0, 0)}" for each in check.values]
        case _:
            return [f"!{check.function}({value})"]
