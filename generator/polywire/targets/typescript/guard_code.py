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
from polywire.targets.typescript.names import IN_GUARDS
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


_NUMBER_TESTS = {"integer": "Number.isSafeInteger", "number": "Number.isFinite"}


class GuardCode:
    """The functions, and what they use of other modules."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        """Names of `IN_GUARDS`."""

    def _use(self, function: str, arguments: str) -> str:
        """A call of a function of the runtime."""
        self.used.add(function)
        return f"{function}({arguments})"

    def _with_engine(self, function: str, arguments: str) -> str:
        """The same of one that takes the engine first."""
        self.used.add("engine")
        return self._use(function, f"engine, {arguments}")

    def _call(self, check: Check, value: str) -> str:
        """A call of the function that measures values of a check."""
        if check.function in IN_GUARDS:
            return self._use(check.function, value)
        return f"{check.function}({value})"

    # Structs.

    def of_struct(self, struct: StructView) -> Iterator[GuardFunction]:
        """The guard of a struct, and the part of it that relies on its caller to have checked the tags."""
        if struct.flattens:
            taken = self._with_engine("isTaken", f"d, {quoted(struct.spec_name)}")
            yield GuardFunction(struct.fits, "d", (Line(f"return {taken} ? 2 : 0;"),), exported=True)
            yield GuardFunction(struct.body, same_as=struct.fits)
            return
        fits: list[Statement] = [self._is_object(evident=struct.evident)]
        fits += (Refuse(self._wrong_tag(member)) for member in struct.tags)
        fits.append(Line(f"return {struct.body}(d);"))
        yield GuardFunction(struct.fits, "d", tuple(fits), exported=True)
        yield GuardFunction(struct.body, "d", tuple(self._body(struct)))

    def _is_object(self, *, evident: bool) -> Refuse:
        """Refuses what is no object; where a member tells objects from arrays, a cheaper test will do."""
        return Refuse(['typeof d !== "object" || d === null' if evident else f"!{self._use('isRecord', 'd')}"])

    def _wrong_tag(self, member: Member) -> list[str]:
        value = self._read(member)
        terms = [] if member.required else [f"{value} !== undefined"]
        terms += self._wrong(member.check, value)
        if member.pattern is not None:
            matches = self._use("matches", f"{value}, {quoted(member.pattern)}")
            terms.append(f'!(typeof {value} === "string" && {matches})')
        return terms

    def _body(self, struct: StructView) -> Iterator[Statement]:
        assigned = sum(1 if member.direct else 2 for member in struct.others if not member.simple)
        adds = any(member.adds for member in struct.members)
        variable = "const x" if assigned == 1 else "x"
        if assigned > 1:
            yield Line("let x;")
        if adds:
            yield Line(f"let n = {struct.least};")
        for member in struct.members:
            if member.required:
                yield from () if member.tag else self._required(member, variable)
            elif member.tag:
                yield Line(f"if ({self._read(member)} !== undefined) n += {member.least};")
            else:
                yield Line(f"{variable} = {self._read(member)};")
                counted = Line(f"n += {member.least};")
                yield If(
                    ["x !== undefined"],
                    (counted, *self._claims(member), *self._measured(member.check, member.nullable)),
                )
        if struct.extra is not None:
            members = self._with_engine("undeclared", f"d, {quoted(struct.spec_name)}")
            yield Loop(f"const each of {members}", (Refuse(self._wrong(struct.extra, "each")),))
        yield Line(f"return {'n' if adds else struct.least};")

    def _required(self, member: Member, variable: str) -> Iterator[Statement]:
        if member.simple:
            yield Refuse(self._wrong(member.check, self._read(member)))
            if member.check.kind == "string":
                yield Line(f"n += {self._read(member)}.length;")
        elif member.direct or member.nullable or member.claimed:
            yield Line(f"{variable} = {self._read(member)};")
            yield from self._claims(member)
            yield from self._measured(member.check, member.nullable)
        else:
            yield from self._called(member.check, "x", self._read(member))

    def _claims(self, member: Member) -> Iterator[Statement]:
        return (Refuse([f"x === {literal(value, 0, 0)}"]) for value in member.claimed)

    def _measured(self, check: Check, nullable: bool = False) -> Iterator[Statement]:
        """Adds to `n` what the value `x` takes beyond what is known from its type."""
        if not check.direct:
            yield from self._called(check, "x", "x", nullable=nullable)
        elif check.kind == "string" and nullable:
            yield Line('if (typeof x === "string") n += x.length;')
            yield Line("else if (x === null) n += 2;")
            yield Line("else return 0;")
        else:
            yield Refuse([*(["x !== null"] if nullable else []), *self._wrong(check, "x")])
            if check.kind == "string":
                yield Line("n += x.length;")

    def _called(self, check: Check, variable: str, value: str, *, nullable: bool = False) -> Iterator[Statement]:
        null = f"{value} === null ? 4 : " if nullable else ""
        yield Line(f"{variable} = {null}{self._call(check, value)};")
        yield Refuse(["x === 0"])
        yield Line("n += x;")

    # Unions.

    def of_union(self, union: UnionView) -> Iterator[GuardFunction]:
        """The guard of a union, and of an open one the function that tells its variants from its Unknown."""
        body = (self._is_object(evident=union.evident), *self._step(union.dispatch))
        yield GuardFunction(union.fits, "d", body, exported=True)
        if union.knows is not None:
            yield GuardFunction(union.knows, "d", tuple(self._step(union.dispatch, known=True)), exported=True)

    def _step(self, step: Step, *, known: bool = False) -> Iterator[Statement]:
        """One step of a dispatch; with `known` it only tells whether there is a variant."""
        if step.what == "struct":
            yield Line("return true;" if known else f"return {step.body}(d);")
        elif step.what == "keys":
            for has, lacks, then in step.conditions:
                terms = [self._use("had", f"d, {quoted(key)}") for key in has]
                terms += [f"!{self._use('had', f'd, {quoted(key)}')}" for key in lacks]
                yield If(terms, tuple(self._step(then, known=known)))
            yield Line(f"return {'false' if known else self._use('objectLeast', 'd') if step.open else '0'};")
        else:
            yield Switch(
                self._tag(step), tuple(self._cases(step, known=known)), tuple(self._default(step, known=known))
            )

    def _cases(self, step: Step, *, known: bool) -> Iterator[Case]:
        for values, then in step.cases:
            yield Case(tuple(literal(value, 0, 0) for value in values), tuple(self._step(then, known=known)))
        if step.absent is not None:
            claimed = {value for values, _ in step.cases for value in values}
            free = [value for value in (True, False) if "boolean" in step.kinds and value not in claimed]
            labels = ("undefined", *(literal(value, 0, 0) for value in free))
            yield Case(labels, tuple(self._step(step.absent, known=known)))

    def _default(self, step: Step, *, known: bool) -> Iterator[Statement]:
        tag = self._tag(step)
        for pattern, body in step.others:
            otherwise = " !== 0" if known else f" || {self._use('objectLeast', 'd')}" if step.doubtful else ""
            terms = [f'typeof {tag} === "string"', self._use("matches", f"{tag}, {quoted(pattern)}")]
            yield If(terms, (Line(f"return {body}(d){otherwise};"),))
        if known or not step.open:
            yield Line(f"return {'false' if known else '0'};")
        else:
            kinds = " || ".join(f'typeof {tag} === "{kind}"' for kind in step.kinds)
            yield Line(f"return {kinds} ? {self._use('objectLeast', 'd')} : 0;")

    def _tag(self, step: Step) -> str:
        return self._access(step.key, own=step.own)

    # Arrays, maps, choices, named types.

    def of_helper(self, helper: Helper) -> GuardFunction:
        """The guard of a type that is no struct or union; that of a named one is exported."""
        match helper:
            case NamedCheck(name=name, check=check):
                return GuardFunction(name, "x", tuple(self._check(check)), exported=True)
            case ArrayCheck(name=name, item=item):
                return GuardFunction(name, "array", tuple(self._array(item)))
            case MapCheck(name=name, item=item, keys=keys):
                return GuardFunction(name, "map", tuple(self._map(item, keys)))
            case ChoiceCheck(name=name):
                return GuardFunction(name, "x", tuple(self._choice(helper)))

    def _check(self, check: Check) -> Iterator[Statement]:
        if check.kind == "values":
            cases = Case(tuple(literal(value, 0, 0) for value in check.values), (Line(f"return {least(check)};"),))
            yield Switch("x", (cases,), (Line("return 0;"),))
        else:
            yield Line(f"return {self._measure(check, 'x')};")

    def _array(self, item: Check) -> Iterator[Statement]:
        size = f"{1 + least(item)} * array.length" if least(item) else "array.length"
        yield Refuse(["!Array.isArray(array)"])
        yield Line(f"let n = 1 + {size};")
        yield Loop("let at = 0; at < array.length; at++", tuple(self._each(item, "array[at]")))
        yield Line("return n;")

    def _map(self, item: Check, keys: Sequence[str]) -> Iterator[Statement]:
        yield Refuse([f"!{self._use('isRecord', 'map')}"])
        yield Line("let n = 1;")
        listed = Case(tuple(quoted(key) for key in keys), (Line("break;"),))
        entry: list[Statement] = [Line("if (map[key] === undefined) continue;")]
        entry += [Switch("key", (listed,), (Line("return 0;"),))] if keys else []
        entry += [*self._each(item, "map[key]"), Line(f"n += {4 + least(item)} + key.length;")]
        yield Loop("const key of Object.keys(map)", tuple(entry))
        yield Line("return n;")

    def _each(self, item: Check, value: str) -> Iterator[Statement]:
        """Measures one item of an array or map."""
        if item.direct:
            yield Line(f"const x = {value};")
            yield from self._measured(item)
        else:
            yield from self._called(item, "const x", value)

    def _choice(self, helper: ChoiceCheck) -> Iterator[Statement]:
        for kind in ("string", "number", "boolean"):
            check = helper.member(kind)
            if check is not None:
                known = check.kind == kind != "number"  # any value of the kind will do
                length = " + x.length" if kind == "string" else ""
                value = f"{least(check)}{length}" if known else self._measure(check, "x")
                yield Line(f'if (typeof x === "{kind}") return {value};')
        if helper.member("null"):
            yield Line("if (x === null) return 4;")
        array, object_ = helper.member("array"), helper.member("object")
        if array and object_:
            yield Line(f"return Array.isArray(x) ? {self._measure(array, 'x')} : {self._measure(object_, 'x')};")
        else:
            other = array or object_
            yield Line(f"return {self._measure(other, 'x') if other else 0};")

    # Expressions.

    def _access(self, key: str, *, own: bool = False) -> str:
        """The expression for a member of `d`; `own` for keys that every object inherits something under."""
        if own:
            return self._use("own", f"d, {quoted(key)}")
        return f"d.{key}" if re.fullmatch(r"[A-Za-z_$][\w$]*", key, re.ASCII) else f"d[{quoted(key)}]"

    def _read(self, member: Member) -> str:
        return self._access(member.key, own=member.own)

    def _measure(self, check: Check, value: str) -> str:
        """The expression for the least number of characters of a value's JSON text, 0 if the value does not fit."""
        if not check.direct:
            return self._call(check, value)
        length = f" + {value}.length" if check.kind == "string" else ""
        return f"{' && '.join(self._wrong(check, value))} ? 0 : {least(check)}{length}"

    def _wrong(self, check: Check, value: str) -> list[str]:
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
                return [f"!{self._call(check, value)}"]
