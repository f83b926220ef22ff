"""The rules of `polywire breaking`, as data: the differences they cover, and their severity.

Among the rules about the wire, the first that applies to a difference reports it, so that each change is reported once,
by its worst effect. Rules about user code compare the APIs of packages (`polywire.evolve.breaking.code`), and those
about constructors the values that these fill in (`polywire.evolve.breaking.constructor_defaults`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from polywire.evolve.breaking.compatibility import LOST, SAME, UNKNOWN
from polywire.evolve.breaking.records import Case, Category, Rule, Severity

_MEMBER = frozenset({"tag", "constant", "field"})
_TYPE = frozenset({"type", "format", "bounds", "kind"})
_PAIR = frozenset({"control-response", "control-error", "tool-input", "tool-output"})
_VARIANT = frozenset({"union-variant", "control"})


# --- properties of a case --------------------------------------------------------------------------------------


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
    """Something was added, or a tag gained values and lost none."""
    return _added(case) or (_both(case) and case.whole.forward == SAME)


def _loses(case: Case) -> bool:
    return _removed(case) or (_both(case) and case.whole.backward == SAME)


def _elsewhere(case: Case) -> bool:
    """Each side keeps some of what the other writes as unknown."""
    return (case.whole.forward, case.whole.backward) == (UNKNOWN, UNKNOWN)


def _has_fewer(case: Case) -> bool:
    """A table reads variants of a union that the newer spec does not have."""
    before, after = (set((side.text or "").split(", ")) for side in (case.difference.before, case.difference.after))
    return not before <= after


def _always(case: Case) -> bool:  # noqa: ARG001 - all have the same signature
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
    phrase: str,
    purpose: str,
    advice: str,
) -> Rule:
    return Rule(name, category, severity, purpose, advice, differences, handler, phrase)


_NO_DIFFERENCE = frozenset[str]()

_TABLE = (
    # the protocol
    _rule(
        "default-root-changed",
        "WIRE",
        "error",
        frozenset({"default-root"}),
        _breaks,
        "is the default type of a line",
        "The default type of a line changed.",
        "Keep the first entry of `roots`.",
    ),
    _rule(
        "framing-changed",
        "WIRE",
        "error",
        frozenset({"framing"}),
        _breaks,
        "are separated in another way",
        "The framing of streams changed.",
        "Describe the other framing by a spec of its own.",
    ),
    _rule(
        "envelope-changed",
        "WIRE",
        "error",
        frozenset({"envelope"}),
        _breaks,
        "use other members",
        "Requests and responses are paired by other members.",
        "Add a second envelope next to the first.",
    ),
    _rule(
        "sender-changed",
        "WIRE",
        "note",
        frozenset({"from"}),
        _always,
        "is sent by another peer",
        "A message or request is sent by another peer; reading it is unchanged.",
        "Make sure that its new readers support it.",
    ),
    _rule(
        "peer-renamed",
        "WIRE",
        "note",
        frozenset({"peer"}),
        _always,
        "is the new name of a peer",
        "A peer was renamed. Only the spec and `--side` use its name, not packages or messages.",
        "Use the new name for `--side`.",
    ),
    # members
    _rule(
        "required-member-added",
        "WIRE",
        "error",
        _MEMBER,
        _all(_added, _required, _breaks_new),
        "is new and required",
        "A new required member, tag or constant: older writers do not write it.",
        "Make it optional; with `construct: required`, constructors still require it.",
    ),
    _rule(
        "required-member-removed",
        "WIRE",
        "error",
        _MEMBER,
        _all(_removed, _required, _breaks_old),
        "was required and is removed",
        "A required member, tag or constant was removed: older readers require it.",
        "Keep it, marked `deprecated`, until no reader requires it.",
    ),
    _rule(
        "key-claimed",
        "WIRE",
        "error",
        _MEMBER,
        _all(lambda case: not _both(case), _breaks),
        "shares a key with other content",
        "A member was added or removed whose key can also belong to content of another type or to a flattened value.",
        "Give it the type of the other content, or move it to an object without other content.",
    ),
    _rule(
        "member-now-required",
        "WIRE",
        "error",
        frozenset({"field-presence"}),
        _breaks_new,
        "is now required",
        "An optional member became required: older writers omit it.",
        "Keep it optional; with `construct: required`, constructors still require it.",
    ),
    _rule(
        "member-now-optional",
        "WIRE",
        "error",
        frozenset({"field-presence"}),
        _breaks_old,
        "is now optional",
        "A required member became optional: older readers require it.",
        "Always write it until no reader requires it.",
    ),
    _rule(
        "member-renamed",
        "WIRE",
        "error",
        frozenset({"field-name"}),
        _breaks,
        "has another key",
        "The key of a member changed: readers only look for the key that they know, regardless of `formerly`.",
        "Keep the key, and set `name` to rename it in packages.",
    ),
    _rule(
        "null-added",
        "WIRE",
        "error",
        frozenset({"field-null"}),
        _breaks_old,
        "can now be null",
        "A required member became nullable: older readers refuse null.",
        "Always write a value until no reader refuses null.",
    ),
    _rule(
        "null-removed",
        "WIRE",
        "error",
        frozenset({"field-null"}),
        _breaks_new,
        "can no longer be null",
        "A required member is no longer nullable: older writers write null.",
        "Keep it nullable.",
    ),
    _rule(
        "null-dropped",
        "BEHAVIOUR",
        "error",
        frozenset({"field-null"}),
        _unknown_to_new,
        "can no longer be null",
        "An optional member is no longer nullable: null is read as absent, and strict mode refuses it.",
        "Keep it nullable.",
    ),
    _rule(
        "null-allowed",
        "WIRE",
        "note",
        frozenset({"field-null"}),
        _unknown_to_old,
        "can now be null",
        "An optional member became nullable; older readers take null for absent.",
        "Do not depend on the difference between null and absent yet.",
    ),
    _rule(
        "member-role-changed",
        "WIRE",
        "error",
        frozenset({"field-role"}),
        _breaks,
        "changed between tag, constant and field",
        "A member changed between field, tag and constant.",
        "Add a member with another key.",
    ),
    _rule(
        "repair-changed",
        "BEHAVIOUR",
        "note",
        frozenset({"field-repair"}),
        _always,
        "has another repair",
        "The repair of invalid values changed: some readers refuse what others repair.",
        "Do not rely on the repair.",
    ),
    _rule(
        "flattening-changed",
        "WIRE",
        "error",
        frozenset({"field-flatten"}),
        _breaks,
        "moved to another object",
        "The members of a field were moved into or out of the enclosing object.",
        "Add a second field next to the first.",
    ),
    _rule(
        "constant-changed",
        "WIRE",
        "error",
        frozenset({"constant"}),
        _all(_both, _breaks),
        "has another value",
        "The value of a constant changed: readers refuse an unknown value.",
        "Turn it into a field, or add a member with another key.",
    ),
    _rule(
        "member-removed",
        "BEHAVIOUR",
        "error",
        _MEMBER,
        _all(_removed, _unknown_to_new),
        "is gone",
        "A member was removed: readers keep its value, but no longer expose it.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "member-added",
        "WIRE",
        "note",
        _MEMBER,
        _all(_added, _unknown_to_old),
        "is new",
        "A new member; older readers keep it as unknown.",
        "Do not depend on it in exchanges with older peers.",
    ),
    # what may occur where
    _rule(
        "type-changed",
        "WIRE",
        "error",
        _TYPE,
        _breaks,
        "has another type",
        "A type accepts fewer or other values: readers refuse values that their version does not accept.",
        "Use an inline union of both types, or add a member with another key.",
    ),
    _rule(
        "pair-changed",
        "WIRE",
        "error",
        _PAIR,
        _breaks,
        "has another type",
        "The type of a control's result, or of a tool's input or output, changed.",
        "Add a control or tool with another name.",
    ),
    _rule(
        "form-narrowed",
        "BEHAVIOUR",
        "error",
        _TYPE | _PAIR,
        _unknown_to_new,
        "has stricter rules",
        "A string requires a format, an array fewer items, or a value must be known: strict mode refuses what it"
        " accepted.",
        "Keep the type.",
    ),
    _rule(
        "form-widened",
        "WIRE",
        "note",
        _TYPE | _PAIR,
        _unknown_to_old,
        "accepts more",
        "A type accepts more values; only older readers in strict mode refuse them.",
        "Upgrade strict readers first.",
    ),
    _rule(
        "extra-type-changed",
        "WIRE",
        "error",
        frozenset({"extra"}),
        _breaks,
        "has another type of undeclared members",
        "The type of `extra` changed.",
        "Use an inline union of both types.",
    ),
    _rule(
        "extra-undeclared",
        "BEHAVIOUR",
        "error",
        frozenset({"extra"}),
        _unknown_to_new,
        "has no undeclared members any more",
        "An `extra` was removed: undeclared members are kept as unknown, and strict mode refuses them.",
        "Keep it.",
    ),
    _rule(
        "extra-declared",
        "WIRE",
        "note",
        frozenset({"extra"}),
        _unknown_to_old,
        "has undeclared members now",
        "An `extra` was added; older readers keep undeclared members as unknown.",
        "Upgrade strict readers first.",
    ),
    # enums
    _rule(
        "enum-closed",
        "WIRE",
        "error",
        frozenset({"enum-open"}),
        _breaks_new,
        "is now closed",
        "An open enum was closed: readers refuse unlisted values that older writers can write.",
        "Keep it open.",
    ),
    _rule(
        "enum-opened",
        "WIRE",
        "error",
        frozenset({"enum-open"}),
        _breaks_old,
        "is now open",
        "A closed enum was opened: older readers refuse unknown values.",
        "Do not write new values until no reader refuses them.",
    ),
    _rule(
        "closed-value-added",
        "WIRE",
        "error",
        frozenset({"enum-value", "tag"}),
        _all(_gains, _breaks_old),
        "is new in a closed set",
        "A closed enum, or the tag of a closed union, has a new value: older readers refuse it.",
        "Open the enum first, and add values once no reader refuses them.",
    ),
    _rule(
        "closed-value-removed",
        "WIRE",
        "error",
        frozenset({"enum-value", "tag"}),
        _all(_loses, _breaks_new),
        "is removed from a closed set",
        "A value of a closed enum, or of the tag of a closed union, was removed: newer readers refuse it.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "value-respelt",
        "WIRE",
        "error",
        frozenset({"enum-value-name"}),
        _breaks,
        "has another spelling",
        "The spelling of a value changed: readers only know the spelling of their version, regardless of `formerly`.",
        "Keep the spelling, and set `name` to rename it in packages.",
    ),
    _rule(
        "tag-changed",
        "WIRE",
        "error",
        frozenset({"tag"}),
        _all(_both, _breaks),
        "has another tag",
        "The tag of a type changed: readers take its objects for another type, or refuse them.",
        "Keep the tag, and set `name` to rename the type in packages.",
    ),
    _rule(
        "tag-respelt",
        "BEHAVIOUR",
        "error",
        frozenset({"tag"}),
        _all(_both, _elsewhere),
        "has another tag",
        "The tag of a type of an open union changed: the other side keeps its objects as unknown.",
        "Keep the tag, and set `name` to rename the type in packages.",
    ),
    _rule(
        "value-removed",
        "BEHAVIOUR",
        "error",
        frozenset({"enum-value", "tag"}),
        _unknown_to_new,
        "is gone",
        "A value of an open enum, or of a tag, was removed: it is kept as unknown, and strict mode refuses it.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "value-added",
        "WIRE",
        "note",
        frozenset({"enum-value", "tag"}),
        _unknown_to_old,
        "is new",
        "An open enum, or a tag, has a new value; older readers keep it as unknown.",
        "Do not depend on it in exchanges with older peers.",
    ),
    # unions
    _rule(
        "union-closed",
        "WIRE",
        "error",
        frozenset({"union-open"}),
        _breaks_new,
        "is now closed",
        "An open union was closed: readers refuse unlisted variants that older writers can write.",
        "Keep it open.",
    ),
    _rule(
        "union-opened",
        "WIRE",
        "error",
        frozenset({"union-open"}),
        _breaks_old,
        "is now open",
        "A closed union was opened: older readers refuse unknown variants.",
        "Do not write new variants until no reader refuses them.",
    ),
    _rule(
        "discriminator-changed",
        "WIRE",
        "error",
        frozenset({"union-by", "union-condition", "union-absent"}),
        _breaks,
        "selects variants differently",
        "The variants of a union are selected by another key or other conditions, or another variant is selected"
        " without a tag.",
        "Keep how variants are selected.",
    ),
    _rule(
        "closed-variant-added",
        "WIRE",
        "error",
        _VARIANT,
        _all(_added, _breaks_old),
        "is new in a closed union",
        "A new variant or control, which older readers refuse or take for another variant.",
        "Open the union first, and add variants with their own tag once no reader refuses them.",
    ),
    _rule(
        "closed-variant-removed",
        "WIRE",
        "error",
        _VARIANT,
        _all(_removed, _breaks_new),
        "is removed from a closed union",
        "A variant or control was removed, which newer readers refuse or take for another variant.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "variant-removed",
        "BEHAVIOUR",
        "error",
        _VARIANT,
        _unknown_to_new,
        "is gone",
        "A variant of an open union, or a control, was removed: it is kept as unknown, and strict mode refuses it.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "variant-added",
        "WIRE",
        "note",
        _VARIANT,
        _unknown_to_old,
        "is new",
        "A new variant of an open union, or a new control; older readers keep it as unknown.",
        "Do not depend on it in exchanges with older peers.",
    ),
    # tools
    _rule(
        "tool-removed",
        "BEHAVIOUR",
        "error",
        frozenset({"tool"}),
        _unknown_to_new,
        "is gone",
        "A tool was removed: its inputs and outputs are still read, but no longer typed.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "tool-added",
        "WIRE",
        "note",
        frozenset({"tool"}),
        _unknown_to_old,
        "is new",
        "A new tool; its inputs and outputs are untyped in older readers.",
        "No action is needed.",
    ),
    # trees
    _rule(
        "tree-removed",
        "BEHAVIOUR",
        "error",
        frozenset({"tree"}),
        _removed,
        "is gone",
        "A tree was removed: packages no longer relate its entries.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "tree-changed",
        "BEHAVIOUR",
        "error",
        frozenset({"tree-lines", "tree-pointer"}),
        _always,
        "changed, and with it paths and branches",
        "The type of the entries of a tree, or the place of an id, changed: paths and branches are others.",
        "Add a tree with another name.",
    ),
    _rule(
        "tree-added",
        "BEHAVIOUR",
        "note",
        frozenset({"tree"}),
        _added,
        "is new",
        "A new tree of entries.",
        "No action is needed.",
    ),
    # tables
    _rule(
        "table-removed",
        "TABLE",
        "error",
        frozenset({"table", "table-column"}),
        _removed,
        "is gone",
        "A table or a column was removed.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "table-changed",
        "TABLE",
        "error",
        frozenset({"table-lines", "table-rows", "table-is", "table-unique", "table-column-place"}),
        _always,
        "has other rows or values",
        "The lines, the rows, the types of values or the copies of a table changed, or where a column has its values.",
        "Add a table or a column with another name.",
    ),
    _rule(
        "table-variant-removed",
        "TABLE",
        "error",
        frozenset({"table-variants"}),
        _has_fewer,
        "has fewer rows",
        "A union that a table names has lost variants, whose lines or values have no rows any more.",
        "Keep the variant, marked `deprecated`.",
    ),
    _rule(
        "table-type-changed",
        "TABLE",
        "error",
        frozenset({"table-column-type"}),
        _always,
        "has another type",
        "The type of a column changed, possibly with that of its member.",
        "Keep the type with `type`, or add a column with another name.",
    ),
    _rule(
        "table-renamed",
        "TABLE",
        "note",
        frozenset({"table-name", "table-column-name"}),
        _always,
        "is renamed",
        "A table or a column has another name, and states its earlier one with `formerly`.",
        "Rename it in queries.",
    ),
    _rule(
        "table-added",
        "TABLE",
        "note",
        frozenset({"table", "table-column"}),
        _added,
        "is new",
        "A new table or column.",
        "No action is needed.",
    ),
    _rule(
        "table-extended",
        "TABLE",
        "note",
        frozenset({"table-variants", "table-column-order"}),
        _always,
        "has more rows, or another order of columns",
        "Further lines or values have rows, or the order of columns changed.",
        "Name the columns in queries.",
    ),
    # what constructors fill in
    _rule(
        "default-changed",
        "BEHAVIOUR",
        "error",
        _NO_DIFFERENCE,
        None,
        "has another default",
        "The default of a member changed: unchanged programs write something else.",
        "Keep the default, and set the new value in writers.",
    ),
    _rule(
        "set-changed",
        "BEHAVIOUR",
        "error",
        _NO_DIFFERENCE,
        None,
        "is set differently",
        "A constructor sets a member differently: unchanged programs write something else.",
        "Add a constructor with another name.",
    ),
    # user code
    _rule(
        "code-name-removed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is gone",
        "A name was removed from a package.",
        "Keep it, marked `deprecated`.",
    ),
    _rule(
        "code-name-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is renamed",
        "A name changed in a package.",
        "Set the old name with `name`, or with `targets` for one language.",
    ),
    _rule(
        "code-type-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "has another type",
        "The type of a member, an alias, a result or the reader changed in a language.",
        "Keep the type, and add a member with another name.",
    ),
    _rule(
        "code-signature-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "takes other arguments",
        "The arguments of a constructor, or of a method of a session, changed.",
        "Add a constructor with another name, or make new members optional.",
    ),
    _rule(
        "code-argument-needed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is now required by constructors",
        "Constructors require a member that was optional.",
        "Make the member optional.",
    ),
    _rule(
        "code-match-incomplete",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "breaks exhaustive matches",
        "A closed enum or union has more members: an exhaustive match is no longer complete.",
        "Open it first, so that every match has a default case.",
    ),
    _rule(
        "code-openness-changed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "changed between open and closed",
        "An enum or union was opened or closed: a match requires a default case, or must not have one.",
        "Keep it unchanged.",
    ),
    _rule(
        "code-package-renamed",
        "SOURCE",
        "error",
        _NO_DIFFERENCE,
        None,
        "is another package",
        "The import name of a package changed.",
        "Keep the name.",
    ),
)  # fmt: skip  (a table)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _TABLE})
"""By id, in the order in which they are tried. An id is stable: it is part of the JSON form."""
