"""Rules on types: alternatives are distinguishable, values are finite, declarations are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polywire.checks.context import RuleContext, choices
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.graph import alias_graph, flat_graph, objects
from polywire.ground.engine import MAX_DEPTH, Kind
from polywire.model.graphs import cycles, longest_paths, unavoidable
from polywire.model.nodes import Alias, Declaration, Field, Struct, Union
from polywire.model.reachability import starts
from polywire.model.walk import reach, spell, structs_of, uses
from polywire.plan.rows import kinds
from polywire.source.types import Array, Choice, LiteralType, Ref, TupleType, Type

# --- enums and unions ------------------------------------------------------------------------------------------


def _empty_enum(context: RuleContext) -> Iterator[Violation]:
    for enum in context.model.enums:
        if not enum.values:
            yield Violation(
                context.at(enum.place, "values"), f"enum `{enum.name}` has no values", "for any string, use `string`"
            )


def _empty_union(context: RuleContext) -> Iterator[Violation]:
    for union in context.model.unions:
        if not structs_of(union.dispatch):
            place = context.at(union.place, "variants")
            yield Violation(place, f"union `{union.name}` has no variants", "for any object, use `object`")


def _no_root(context: RuleContext) -> Iterator[Violation]:
    if not context.model.protocol.roots:
        yield Violation(context.below("protocol", "roots")[1], "`roots` is empty", "name the union of all messages")


def _duplicate_value(context: RuleContext) -> Iterator[Violation]:
    for enum in context.model.enums:
        first: dict[str | int, str] = {}
        for value in enum.values:
            taken = first.setdefault(value.wire, value.name)
            if taken != value.name:
                place = context.at(value.place, "value")
                yield Violation(place, f"{value.wire} is already the value of `{taken}` in enum `{enum.name}`")


# --- expressions ---------------------------------------------------------------------------------------------

_KIND_WORDS: Mapping[Kind, str] = {
    "null": "null",
    "boolean": "a boolean",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


def _ambiguous_choice(context: RuleContext) -> Iterator[Violation]:
    for alternatives in choices(context):
        taken: dict[Kind, Type] = {}
        for member in alternatives:
            own = kinds(context.model, member.type)
            clash = [kind for kind in _KIND_WORDS if kind in own and kind in taken]
            if clash:
                one, other = spell(taken[clash[0]]), spell(member.type)
                both = f"`{one}` and `{other}`" if one != other else f"`{one}` twice"
                yield Violation(
                    member.place,
                    f"{both} in one inline union: the JSON kind must differ, but each may be {_KIND_WORDS[clash[0]]}",
                    _hint(clash[0], member.type, taken[clash[0]]),
                )
            taken = dict.fromkeys(own, member.type) | taken


def _hint(kind: Kind, *both: Type) -> str | None:
    if kind == "object":
        return "declare a union with a discriminator"
    return "declare an enum" if all(isinstance(each, LiteralType) for each in both) else None


def _lone_literal(context: RuleContext) -> Iterator[Violation]:
    """Required members with only one possible value."""
    for struct in context.model.structs:
        for field in struct.wire_fields:
            if isinstance(field.type, LiteralType) and field.required and not field.nullable:
                message = f"`{field.name}` is always {spell(field.type)}"
                hint = f"write `const: {{{field.name}: {spell(field.type)}}}`, or under `tag` if it identifies the type"
                yield Violation(field.place, message, hint)


# --- recursion -------------------------------------------------------------------------------------------------


def _infinite_type(context: RuleContext) -> Iterator[Violation]:
    """Cycles of declarations whose values are all infinite, each reported once, at its first declaration."""
    model = context.model
    finite = {name for name in model.declarations if Ref(name) in context.min_depths}
    held = {d.name: [n for n in _contained(d) if n not in finite] for d in model.declarations.values()}
    reported: set[str] = set()
    for ring in (*cycles({name: held[name] for name in held if name not in finite}), *cycles(alias_graph(model))):
        if reported.isdisjoint(ring):
            reported.update(ring)
            declaration = model.declarations[ring[0]]
            yield Violation(
                _step(declaration, ring[1]).place,
                f"every value of `{declaration.name}` is infinite: {_way(ring)}",
                "make a member on this path optional or nullable, or put it in an array or a map",
            )


def _way(names: list[str]) -> str:
    """The text of a path, shortened in the middle if it is long."""
    shown = names if len(names) <= _LONGEST_WAY else [*names[: _LONGEST_WAY - 2], "…", names[-1]]
    return " → ".join(shown)


_LONGEST_WAY = 8


def _contained(declaration: Declaration) -> Iterator[str]:
    """The declarations that every value of this one contains; for a choice, those that any value contains."""
    match declaration:
        case Alias(type=type_):
            yield from _held(type_)
        case Struct():
            for field in unavoidable(declaration):
                yield from _held(field.type)
        case Union(dispatch=dispatch):
            yield from structs_of(dispatch)


def _held(type_: Type) -> Iterator[str]:
    match type_:
        case Ref(name):
            yield name
        case Array(item, low, _):
            if low:
                yield from _held(item)
        case TupleType(items):
            for item in items:
                yield from _held(item)
        case Choice(members):
            for member in members:
                yield from _held(member)


def _step(declaration: Declaration, to: str) -> Declaration | Field:
    """The part of a declaration that leads to the next one of a cycle."""
    fields = unavoidable(declaration) if isinstance(declaration, Struct) else []
    return next((field for field in fields if to in _held(field.type)), declaration)


def _infinite_flatten(context: RuleContext) -> Iterator[Violation]:
    """Flattened fields whose value would contain the same flattened field again."""
    for ring in cycles(flat_graph(context.model)):
        struct = context.model.struct(ring[0])
        field = next(f for f in struct.wire_fields if f.flatten and ring[1] in objects(context.model, f.type))
        yield Violation(field.place, f"`{field.name}` of `{struct.name}` is flattened into itself: {_way(ring)}")


def _too_deep(context: RuleContext) -> Iterator[Violation]:
    """Declarations that nest too deep, reported where the limit is exceeded."""
    model = context.model
    for graph, what in ((alias_graph(model), "aliases"), (flat_graph(model), "flattened fields")):
        for name, depth in longest_paths(graph).items():
            if depth == MAX_NESTING + 1:
                yield Violation(
                    model.declarations[name].place, f"{what} nest more than {MAX_NESTING} levels deep below here"
                )
    depths = {name: context.min_depths.get(Ref(name), 0) for name in model.declarations}
    for name, declaration in model.declarations.items():
        if depths[name] > MAX_DEPTH and all(depths[inner] <= MAX_DEPTH for inner in _contained(declaration)):
            yield Violation(
                declaration.place,
                f"every value of `{name}` nests more than {MAX_DEPTH} levels deep, which readers refuse",
                "make a member on the way optional or nullable, or put it in an array or a map",
            )


MAX_NESTING = 40
"""As for mixins and unions: no hand-written spec needs more, and code that walks a model may recurse."""


def _never_travels(context: RuleContext) -> Iterator[Violation]:
    """Fields that exist only in the API but have keys that apply to fields on the wire."""
    for struct in context.model.structs:
        for field in struct.fields:
            for key in _OF_THE_WIRE if not field.travels else ():
                if context.node(field.place, key) is not None:
                    yield Violation(
                        context.at(field.place, key), f"`{field.name}` is never sent, so it cannot have `{key}`"
                    )


_OF_THE_WIRE = ("type", "default", "flatten", "examples", "was")


# --- reachability ----------------------------------------------------------------------------------------------


def _unreachable(context: RuleContext) -> Iterator[Violation]:
    """For a dialect, only its own declarations: unused ones of the spec proper are left as they are."""
    model = context.model
    reached = reach({name: uses(each) for name, each in model.declarations.items()}, starts(model))
    for declaration in model.declarations.values():
        if context.owns(declaration.place) and declaration.name not in reached:
            yield Violation(
                declaration.place,
                f"`{declaration.name}` is not reachable from a root, a control or a tool",
                "add it to `roots`, use it, or remove it",
            )


RULES = (
    Rule("empty-enum", "An enum has at least one value.", "error", "types", _empty_enum),
    Rule("empty-union", "A union has at least one variant.", "error", "types", _empty_union, needs_sound=True),
    Rule(
        "no-root", "The protocol has a root, the type that users decode.", "error", "types", _no_root, needs_sound=True
    ),
    Rule("duplicate-value", "No two names of an enum have the same value.", "error", "types", _duplicate_value),
    Rule(
        "ambiguous-choice",
        "The members of an inline union have different JSON kinds.",
        "error",
        "types",
        _ambiguous_choice,
    ),
    Rule(
        "lone-literal",
        "A member with a single possible value is declared as a constant.",
        "error",
        "types",
        _lone_literal,
    ),
    Rule(
        "infinite-flatten",
        "A type is not flattened into itself, directly or indirectly.",
        "error",
        "types",
        _infinite_flatten,
    ),
    Rule("infinite-type", "A type has finite values.", "error", "types", _infinite_type),
    Rule("too-deep", "Types and values do not nest too deeply.", "error", "types", _too_deep),
    Rule(
        "never-travels", "A type that is never sent has no settings about the wire.", "error", "types", _never_travels
    ),
    Rule(
        "unreachable",
        "Every declaration is used by something that is sent.",
        "warning",
        "types",
        _unreachable,
        needs_sound=True,
    ),
)
