"""The rules of `polywire breaking`, as data: which differences there are findings of, and how grave they are.

Of the rules about what travels the first that answers to a difference makes the finding, so that each change is said
once, by the worst that it does. Those about user code compare what packages show (`polywire.breaking.code`), and those
about constructors what these put (`polywire.breaking.constructor_defaults`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from polywire.breaking.compatibility import LOST, SAME, UNKNOWN
from polywire.breaking.records import Case, Category, Rule, Severity

_MEMBER = frozenset({"tag", "constant", "field"})
_TYPE = frozenset({"type", "format", "bounds", "kind"})
_PAIR = frozenset({"control-response", "control-error", "tool-input", "tool-output"})
_VARIANT = frozenset({"union-variant", "control"})


# --- what a case is --------------------------------------------------------------------------------------------


def _breaks_new(case: Case) -> bool:
    """A newer reader misreads older writers."""
    return case.effect.forward >= LOST


def _breaks_old(case: Case) -> bool:
    """An older reader misreads newer writers."""
    return case.effect.backward >= LOST


def _breaks(case: Case) -> bool:
    return _breaks_new(case) or _breaks_old(case)


def _unknown_to_new(case: Case) -> bool:
    """A newer reader keeps as unknown what an older writer declares."""
    return case.effect.forward == UNKNOWN


def _unknown_to_old(case: Case) -> bool:
    return case.effect.backward == UNKNOWN


def _added(case: Case) -> bool:
    return case.difference.before.text is None


def _removed(case: Case) -> bool:
    return case.difference.after.text is None


def _both(case: Case) -> bool:
    return not (_added(case) or _removed(case))


def _required(case: Case) -> bool:
    return case.required


def _gains(case: Case) -> bool:
    """There is more than before, or a tag has values more, and none less."""
    return _added(case) or (_both(case) and case.whole.forward == SAME)


def _loses(case: Case) -> bool:
    return _removed(case) or (_both(case) and case.whole.backward == SAME)


def _always(case: Case) -> bool:  # noqa: ARG001 - all have one signature
    return True


def _all(*handlers: Callable[[Case], bool]) -> Callable[[Case], bool]:
    return lambda case: all(handler(case) for handler in handlers)


# --- the table -------------------------------------------------------------------------------------------------


def _rule(
    name: str,
    category: Category,
    severity: Severity,
    differences: frozenset[str],
    handler: Callable[[Case], bool] | None,
    said: str,
    purpose: str,
    advice: str,
) -> Rule:
    return Rule(name, category, severity, purpose, advice, differences, handler, said)


_NO_DIFFERENCE = frozenset[str]()

_TABLE = (
    # the protocol
    _rule(
        "default-root-changed",
        "WIRE",
        "error",
        frozenset({"default-root"}),
        _breaks,
        "is what a line is read as",
        "What a line is read as, where a program says nothing, is another declaration.",
        "Leave the first of `roots` first.",
    ),
    _rule(
        "envelope-changed",
        "WIRE",
        "error",
        frozenset({"envelope"}),
        _breaks,
        "are found by other members",
        "Requests and responses find each other by other members.",
        "Add a second envelope beside the first instead.",
    ),
    _rule(
        "sender-changed",
        "WIRE",
        "note",
        frozenset({"from"}),
        _always,
        "is sent by another peer",
        "A message or request is sent by another peer; whoever reads it reads it as before.",
        "See that the peers that are to read it now do.",
    ),
    _rule(
        "peer-renamed",
        "WIRE",
        "note",
        frozenset({"peer"}),
        _always,
        "is what a peer is called now",
        "A peer is called otherwise: packages and messages do not name it, only the spec and `--side` do.",
        "Give `--side` the new name.",
    ),
    # members
    _rule(
        "required-member-added",
        "WIRE",
        "error",
        _MEMBER,
        _all(_added, _required, _breaks_new),
        "is new and required",
        "A required member, a tag or a constant is new: older writers do not write it.",
        "Make it optional; `construct: required` still makes constructors ask for it.",
    ),
    _rule(
        "required-member-removed",
        "WIRE",
        "error",
        _MEMBER,
        _all(_removed, _required, _breaks_old),
        "is gone though it was required",
        "A required member, a tag or a constant is gone: older readers ask for it.",
        "Keep it, with `deprecated`, until no reader asks for it.",
    ),
    _rule(
        "key-claimed",
        "WIRE",
        "error",
        _MEMBER,
        _all(lambda case: not _both(case), _breaks),
        "takes a key under which other content may stand, or leaves it to that",
        "A member comes or goes where content of another type, or part of a flattened value, may have its key.",
        "Give it the type of the other content, or put it where keys belong to nobody else.",
    ),
    _rule(
        "member-now-required",
        "WIRE",
        "error",
        frozenset({"field-presence"}),
        _breaks_new,
        "is required now",
        "A member that could be absent is required: older writers leave it out.",
        "Leave it optional; `construct: required` still makes constructors ask for it.",
    ),
    _rule(
        "member-now-optional",
        "WIRE",
        "error",
        frozenset({"field-presence"}),
        _breaks_old,
        "may be absent now",
        "A required member may be absent: older readers ask for it.",
        "Write it always, until no reader asks for it.",
    ),
    _rule(
        "member-renamed",
        "WIRE",
        "error",
        frozenset({"field-name"}),
        _breaks,
        "has another key",
        "A member has another key, whatever `formerly` says: readers look for the one that they know.",
        "Keep the key, and give it a `name` for the packages.",
    ),
    _rule(
        "null-added",
        "WIRE",
        "error",
        frozenset({"field-null"}),
        _breaks_old,
        "may be null now",
        "A required member may be null: older readers refuse that.",
        "Write a value always, until no reader refuses null.",
    ),
    _rule(
        "null-removed",
        "WIRE",
        "error",
        frozenset({"field-null"}),
        _breaks_new,
        "may not be null any more",
        "A required member may not be null any more: older writers write null.",
        "Leave null legal.",
    ),
    _rule(
        "null-dropped",
        "BEHAVIOUR",
        "error",
        frozenset({"field-null"}),
        _unknown_to_new,
        "may not be null any more",
        "An optional member may not be null any more: null is read as absent, and strict mode refuses it.",
        "Leave null legal.",
    ),
    _rule(
        "null-allowed",
        "WIRE",
        "note",
        frozenset({"field-null"}),
        _unknown_to_old,
        "may be null now",
        "An optional member may be null; older readers take null for absent.",
        "Let nothing depend on the difference of null and absent yet.",
    ),
    _rule(
        "member-role-changed",
        "WIRE",
        "error",
        frozenset({"field-role"}),
        _breaks,
        "is a tag, a constant or a field, and was another of these",
        "A member that was a field is a tag or a constant, or the reverse.",
        "Add a member of another key.",
    ),
    _rule(
        "repair-changed",
        "BEHAVIOUR",
        "note",
        frozenset({"field-repair"}),
        _always,
        "is repaired otherwise",
        "What readers make of a value that does not fit has changed: some refuse what others repair.",
        "Let nobody rely on the repair.",
    ),
    _rule(
        "flattening-changed",
        "WIRE",
        "error",
        frozenset({"field-flatten"}),
        _breaks,
        "stands in another object",
        "The members of a field stand in the enclosing object, or no longer do.",
        "Add a second field beside the first.",
    ),
    _rule(
        "constant-changed",
        "WIRE",
        "error",
        frozenset({"constant"}),
        _all(_both, _breaks),
        "says something else",
        "A constant has another value: readers refuse the one that they do not know.",
        "Make a field of it, or add a member of another key.",
    ),
    _rule(
        "member-removed",
        "BEHAVIOUR",
        "error",
        _MEMBER,
        _all(_removed, _unknown_to_new),
        "is gone",
        "A member is gone: what older writers write there is kept, but nobody is given it.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "member-added",
        "WIRE",
        "note",
        _MEMBER,
        _all(_added, _unknown_to_old),
        "is new",
        "A member is new; older readers keep it as unknown.",
        "Let nothing depend on it that older peers are part of.",
    ),
    # what may stand where
    _rule(
        "type-changed",
        "WIRE",
        "error",
        _TYPE,
        _breaks,
        "has another type",
        "A type does not take all values that it took, or takes others: readers refuse what theirs does not take.",
        "Make it an inline union of both types, or add a member of another key.",
    ),
    _rule(
        "pair-changed",
        "WIRE",
        "error",
        _PAIR,
        _breaks,
        "has another type",
        "The answer to a control, or the input or output of a tool, has another type.",
        "Add a control or tool of another name.",
    ),
    _rule(
        "form-narrowed",
        "BEHAVIOUR",
        "error",
        _TYPE | _PAIR,
        _unknown_to_new,
        "is asked for in another form",
        "A text has to have a form, an array fewer items, a value to be a known one: strict mode refuses what it took.",
        "Leave the type as it was.",
    ),
    _rule(
        "form-widened",
        "WIRE",
        "note",
        _TYPE | _PAIR,
        _unknown_to_old,
        "takes more than it did",
        "A type takes forms that it did not take; only strict mode of older readers refuses them.",
        "Let nobody read strictly who has not got the new version.",
    ),
    _rule(
        "extra-type-changed",
        "WIRE",
        "error",
        frozenset({"extra"}),
        _breaks,
        "has other keys of another type",
        "Declared extra content has another type.",
        "Make it an inline union of both types.",
    ),
    _rule(
        "extra-undeclared",
        "BEHAVIOUR",
        "error",
        frozenset({"extra"}),
        _unknown_to_new,
        "has no other keys any more",
        "Extra content is not declared any more: it is kept as unknown, and strict mode refuses it.",
        "Leave it declared.",
    ),
    _rule(
        "extra-declared",
        "WIRE",
        "note",
        frozenset({"extra"}),
        _unknown_to_old,
        "has other keys now",
        "Extra content is declared; older readers keep it as unknown.",
        "Let nobody read strictly who has not got the new version.",
    ),
    # enums
    _rule(
        "enum-closed",
        "WIRE",
        "error",
        frozenset({"enum-open"}),
        _breaks_new,
        "is closed now",
        "An open enum is closed: values that older writers were free to write are refused.",
        "Leave it open.",
    ),
    _rule(
        "enum-opened",
        "WIRE",
        "error",
        frozenset({"enum-open"}),
        _breaks_old,
        "is open now",
        "A closed enum is open: older readers refuse every value that they do not know.",
        "Write no new values, until no reader refuses them.",
    ),
    _rule(
        "closed-value-added",
        "WIRE",
        "error",
        frozenset({"enum-value", "tag"}),
        _all(_gains, _breaks_old),
        "is new where readers take no other values",
        "A closed enum, or a tag by which a closed union is told, has a new value: older readers refuse it.",
        "Open the enum first, and add values when no reader refuses them.",
    ),
    _rule(
        "closed-value-removed",
        "WIRE",
        "error",
        frozenset({"enum-value", "tag"}),
        _all(_loses, _breaks_new),
        "is gone where readers take no other values",
        "A closed enum, or a tag by which a closed union is told, has lost a value: newer readers refuse it.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "value-respelt",
        "WIRE",
        "error",
        frozenset({"enum-value-name"}),
        _breaks,
        "is spelt otherwise",
        "A value is spelt otherwise, whatever `formerly` says: readers know it by the spelling that is theirs.",
        "Keep the spelling, and give the value a `name` for the packages.",
    ),
    _rule(
        "tag-changed",
        "WIRE",
        "error",
        frozenset({"tag"}),
        _all(_both, _breaks),
        "is told by another tag",
        "A type is told by another tag: readers take its objects for something else, or refuse them.",
        "Keep the tag, and give the type a `name` for the packages.",
    ),
    _rule(
        "value-removed",
        "BEHAVIOUR",
        "error",
        frozenset({"enum-value", "tag"}),
        _unknown_to_new,
        "is gone",
        "A value of an open enum, or of a tag, is gone: it is kept as unknown, and strict mode refuses it.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "value-added",
        "WIRE",
        "note",
        frozenset({"enum-value", "tag"}),
        _unknown_to_old,
        "is new",
        "An open enum, or a tag, has a new value; older readers keep it as unknown.",
        "Let nothing depend on it that older peers are part of.",
    ),
    # unions
    _rule(
        "union-closed",
        "WIRE",
        "error",
        frozenset({"union-open"}),
        _breaks_new,
        "is closed now",
        "An open union is closed: objects that older writers were free to write are refused.",
        "Leave it open.",
    ),
    _rule(
        "union-opened",
        "WIRE",
        "error",
        frozenset({"union-open"}),
        _breaks_old,
        "is open now",
        "A closed union is open: older readers refuse every object that they do not know.",
        "Write no new variants, until no reader refuses them.",
    ),
    _rule(
        "discriminator-changed",
        "WIRE",
        "error",
        frozenset({"union-by", "union-condition", "union-absent"}),
        _breaks,
        "is told apart otherwise",
        "The variants of a union are told apart by another key, by other conditions, or another takes what has no tag.",
        "Keep what tells them apart.",
    ),
    _rule(
        "closed-variant-added",
        "WIRE",
        "error",
        _VARIANT,
        _all(_added, _breaks_old),
        "is new where readers take nothing else",
        "A variant or control is new that older readers refuse, or take for another variant.",
        "Open the union first, and add variants with a tag of their own when no reader refuses them.",
    ),
    _rule(
        "closed-variant-removed",
        "WIRE",
        "error",
        _VARIANT,
        _all(_removed, _breaks_new),
        "is gone where readers take nothing else",
        "A variant or control is gone that newer readers refuse, or take for another variant.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "variant-removed",
        "BEHAVIOUR",
        "error",
        _VARIANT,
        _unknown_to_new,
        "is gone",
        "A variant of an open union, or a control, is gone: it is kept as unknown, and strict mode refuses it.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "variant-added",
        "WIRE",
        "note",
        _VARIANT,
        _unknown_to_old,
        "is new",
        "An open union has a new variant, or a control is new; older readers keep it as unknown.",
        "Let nothing depend on it that older peers are part of.",
    ),
    # tools
    _rule(
        "tool-removed",
        "BEHAVIOUR",
        "error",
        frozenset({"tool"}),
        _unknown_to_new,
        "is gone",
        "A tool is gone: its inputs and outputs travel as before, but nobody is given them typed.",
        "Keep it, with `deprecated`.",
    ),
    _rule(
        "tool-added",
        "WIRE",
        "note",
        frozenset({"tool"}),
        _unknown_to_old,
        "is new",
        "A tool is new; older readers are given its inputs and outputs untyped.",
        "Nothing is to be done.",
    ),
    # what constructors put
    _rule(
        "default-changed",
        "BEHAVIOUR",
        "error",
        _NO_DIFFERENCE,
        None,
        "is filled otherwise where nothing is given",
        "A member has another default: programs that compile as before write something else.",
        "Leave the default, and let writers give the new value.",
    ),
    _rule(
        "set-changed",
        "BEHAVIOUR",
        "error",
        _NO_DIFFERENCE,
        None,
        "is filled otherwise",
        "A constructor fills a place otherwise: programs that compile as before write something else.",
        "Add a constructor of another name.",
    ),
    # user code
    _rule(
        "code-name-removed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is gone",
        "A name that a package had is gone.",
        "Keep what it names, with `deprecated`.",
    ),
    _rule(
        "code-name-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is called otherwise",
        "Something is called otherwise in a package.",
        "Give it the old name with `name`, or with `targets` for one language.",
    ),
    _rule(
        "code-type-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "has another type",
        "A member, an alias, an answer, or what is read has another type in a language.",
        "Keep the type, and add a member of another name.",
    ),
    _rule(
        "code-signature-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "takes other arguments",
        "A constructor takes other arguments.",
        "Add a constructor of another name; make new members optional.",
    ),
    _rule(
        "code-argument-needed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "has to be given now",
        "Whoever makes an object has to give a member that could be left out.",
        "Make the member optional.",
    ),
    _rule(
        "code-match-incomplete",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is more than a complete match lists",
        "A closed enum or union has more members: a match that listed all of them is not complete any more.",
        "Open it first, so that every match has a case for the rest.",
    ),
    _rule(
        "code-openness-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "may grow now, or may not any more",
        "An enum or union is open or closed, and was not: a match needs a case for the rest, or may not have one.",
        "Leave it as it was.",
    ),
    _rule(
        "code-package-renamed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is another package",
        "A package is imported by another name.",
        "Keep the name.",
    ),
)  # fmt: skip  (a table)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _TABLE})
"""By id, in the order in which they are tried. An id is stable: it is part of the JSON form."""
