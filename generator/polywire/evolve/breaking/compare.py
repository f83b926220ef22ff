"""Two models → the findings of all rules, in the order of the new spec's files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from polywire.evolve.breaking.code import broken
from polywire.evolve.breaking.compatibility import LOST, REFUSED, SAME, UNKNOWN, Verdict, is_required
from polywire.evolve.breaking.constructor_defaults import default_changes
from polywire.evolve.breaking.impact import Impact, ImpactAnalysis
from polywire.evolve.breaking.places import section
from polywire.evolve.breaking.records import CATEGORIES, Before, Case, Direction, Finding, Rule
from polywire.evolve.breaking.rules import RULES
from polywire.evolve.diff import RULES as DIFFERENCES
from polywire.evolve.diff import Difference, Side, compare
from polywire.evolve.diff.matching import Matching
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import Model, Struct
from polywire.plan import make_plan
from polywire.targets import registry

_RETAGGED = frozenset({"tag-changed", "tag-respelt"})
"""Rules about a type whose tag changed."""

_OF_PAIRS = {
    "control-response": "the answer to",
    "control-error": "the error data of",
    "tool-input": "the input of",
    "tool-output": "the output of",
    "tree-lines": "the entries of",
}
"""Parts of a control or tool, in words."""

_MEMBERS = frozenset({"tag", "constant", "field"})
_CONTROLS = frozenset({"control", "control-response", "control-error"})
_TOOLS = frozenset({"tool", "tool-input", "tool-output"}) | {
    rule for rule in DIFFERENCES if rule.split("-")[0] in {"tree", "table"}
}
"""Differences that no peer sees in what another one sends."""


def find(
    before: Model,
    after: Model,
    side: Collection[str] = (),
    files: Sequence[str] = ("protocol.yaml",),
    targets: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Return what a change breaks for the peers in `side`, which use the new spec while all others use the old one.

    If `side` is empty, each peer in turn is taken as the newer one. `files` are those of the new spec, in order; a
    finding without a location in it is shown at the start of the first file. `targets` are those whose user code is
    compared; if empty, all are.
    """
    entry = SourceLocation(files[0], 1, 1)
    effects = ImpactAnalysis(before, after)
    wanted = {name: target for name, target in registry().items() if not targets or name in targets}
    plans = make_plan(before), make_plan(after)
    packages = {
        name: ([*target.api_surface(plans[0])], [*target.api_surface(plans[1])]) for name, target in wanted.items()
    }
    found = [
        *_of_wire(effects, frozenset(side or after.protocol.peers), entry),
        *default_changes(effects.matching, *plans, packages),
        *broken(effects.matching, packages, entry),
    ]
    rank = {file: at for at, file in enumerate(files)}
    categories = [*CATEGORIES]

    def key(finding: Finding) -> tuple[int, str, int, int, int, str]:
        at, rule = finding.place, finding.rule
        return (
            rank.get(at.file, len(rank)),
            at.file,
            at.line,
            at.column,
            categories.index(rule.category),
            finding.subject,
        )

    return tuple(_with_consequences(sorted(found, key=key), effects))


def _with_consequences(found: Sequence[Finding], effects: ImpactAnalysis) -> Iterator[Finding]:
    """Yield each finding once: consequences of a changed tag are attached to the finding about the tag."""
    causes = {parts[0]: each for each in found if each.rule.id in _RETAGGED and (parts := each.parts)}
    below: dict[str, list[Finding]] = {}
    for each in found:
        struct = next((name for name in each.parts or () if name in causes), None)
        if struct is not None and each is not causes[struct] and _is_of_tags(each, struct, effects):
            below.setdefault(struct, []).append(each)
    taken = {id(each) for group in below.values() for each in group}
    for each in found:
        if id(each) not in taken:
            mine = each.parts and causes.get(each.parts[0]) is each
            yield replace(each, consequences=tuple(below.get(each.parts[0], ()))) if mine and each.parts else each


def _is_of_tags(finding: Finding, struct: str, effects: ImpactAnalysis) -> bool:
    """Return whether a finding is about a tag of the struct, or about the struct as a variant."""
    owner, part = finding.parts or ("", "")
    if part == struct:
        return True
    models = (effects.forward.writer, effects.backward.writer)
    structs = [declared for model in models if isinstance(declared := model.declarations.get(struct), Struct)]
    return owner == struct and part in {tag.key for each in structs for tag in each.tags}


def _of_wire(effects: ImpactAnalysis, side: frozenset[str], entry: SourceLocation) -> Iterator[Finding]:
    """Yield the findings about the wire: for each difference, that of the first rule that applies."""
    before, after = effects.forward.writer, effects.backward.writer
    for difference in (*_renamed_peers(effects), *_default_root(effects), *compare(before, after)):
        whole = effects.of(difference)
        directions = _directions(effects, difference, side)
        effect = Impact(
            whole.forward if any(each.newer == "reader" for each in directions) else SAME,
            whole.backward if any(each.newer == "writer" for each in directions) else SAME,
        )
        case = Case(difference, effect, whole, required=_required(effects, difference))
        rules = (rule for rule in RULES.values() if rule.handler and difference.rule in rule.differences)
        rule = next((rule for rule in rules if rule.handler and rule.handler(case)), None)
        if rule is not None:
            yield _finding(rule, case, _shown(rule, directions, effect), effects.matching, entry)


def _renamed_peers(effects: ImpactAnalysis) -> Iterator[Difference]:
    """Yield renamed peers, whose names do not appear on the wire."""
    places = [
        next((at for (_, key), at in model.headings.items() if key == "peers"), NOWHERE)
        for model in (effects.forward.writer, effects.backward.writer)
    ]
    for pair in effects.matching.peers.items():
        yield Difference("peer", *(Side(key=key, text=key, place=at) for key, at in zip(pair, places, strict=True)))


def _default_root(effects: ImpactAnalysis) -> Iterator[Difference]:
    """Yield a change of the type that a line is decoded as, which changes nothing on the wire."""
    before, after = effects.forward.writer, effects.backward.writer
    old, new = before.protocol.roots[:1], after.protocol.roots[:1]
    if old and new and effects.matching.counterpart(old[0]) != new[0]:
        sides = (
            Side(name, name, name, model.declarations[name].place) for model, (name,) in ((before, old), (after, new))
        )
        yield Difference("default-root", *sides)


def _required(effects: ImpactAnalysis, difference: Difference) -> bool:
    if difference.rule not in _MEMBERS:
        return False
    before, after = effects.pair(difference)
    only = before if after is None else after if before is None else None
    return only is not None and is_required(only)


_WORDS: dict[Verdict, Literal["same", "unknown", "lost", "refused"]] = {
    SAME: "same",
    UNKNOWN: "unknown",
    LOST: "lost",
    REFUSED: "refused",
}


# --- writers and readers ---------------------------------------------------------------------------------------


def _directions(effects: ImpactAnalysis, difference: Difference, side: frozenset[str]) -> tuple[Direction, ...]:
    """Return the directions in which a difference is sent and a peer in `side` is the newer one."""
    old, new = effects.old, effects.new
    older = _writers(effects, difference, difference.before, newer=False) or old.writers()
    newer = _writers(effects, difference, difference.after, newer=True) or new.writers()
    if difference.before.text is None:
        older = newer
    elif difference.after.text is None:
        newer = older
    reading = [Direction(w, r, "reader") for w in sorted(older) for r in sorted(new.others([w]) & side)]
    writing = [Direction(w, r, "writer") for w in sorted(newer & side) for r in sorted(old.others([w]))]
    return (*reading, *writing)


def _writers(effects: ImpactAnalysis, difference: Difference, side: Side, *, newer: bool) -> frozenset[str]:
    traffic = effects.new if newer else effects.old
    model = effects.backward.writer if newer else effects.forward.writer
    if difference.rule in _TOOLS or not (side.name or side.types):
        return frozenset()
    if difference.rule in _CONTROLS:
        control = next((each for each in model.controls if each.key == side.name), None)
        asking = traffic.senders(control.origin if control else None)
        return asking if difference.rule == "control" else traffic.others(asking)
    if difference.rule == "union-variant" and side.text is not None:
        return traffic.writers(side.key)
    if difference.rule == "from":
        return frozenset()
    return traffic.writers(*(side.types or (side.name,)))


def _shown(rule: Rule, directions: Iterable[Direction], effect: Impact) -> tuple[Direction, ...]:
    """Return the affected directions; for a break only the broken ones, since newer peers may write new things."""
    breaks = rule.severity == "error" and max(effect.forward, effect.backward) >= LOST
    least = {"reader": UNKNOWN, "writer": LOST if breaks else UNKNOWN}
    felt = {"reader": effect.forward, "writer": effect.backward}
    return tuple(
        replace(each, verdict=_WORDS[felt[each.newer]]) for each in directions if felt[each.newer] >= least[each.newer]
    )


# --- messages --------------------------------------------------------------------------------------------------

_VERBS = {"refused": "refuses", "lost": "misreads", "unknown": "takes as unknown"}


def _finding(
    rule: Rule, case: Case, directions: tuple[Direction, ...], matching: Matching, entry: SourceLocation
) -> Finding:
    difference = case.difference
    subject = _subject(difference)
    message = "; ".join(
        filter(None, (f"{subject} {rule.phrase}", _consequence(directions, frozenset(matching.after.protocol.peers))))
    )
    place = difference.after.place if difference.after.place != NOWHERE else _container(difference, matching, entry)
    return Finding(
        rule,
        subject,
        message,
        place,
        Before(difference.before.text, difference.before.place),
        directions,
        types=difference.after.types or difference.before.types,
        after=difference.after.text,
    )


def _subject(difference: Difference) -> str:
    """Return the subject of a difference, as named in the new spec."""
    side = difference.before if difference.after.text is None else difference.after
    name, key = side.name or difference.name, side.key
    if difference.rule in _OF_PAIRS:
        return f"{_OF_PAIRS[difference.rule]} `{name}`"
    if difference.rule in {"enum-value", "enum-value-name", "union-variant"}:
        return f"`{key}` of `{name}`"
    if not name:
        return f"`{key}`"
    return f"`{name}`" if not key or key == name else f"`{name}.{key}`"


def _consequence(directions: Iterable[Direction], peers: frozenset[str]) -> str:
    """Return which peers no longer understand which other peers."""
    parts = []
    for newer, readers, writers in (("reader", "a new", "an old"), ("writer", "an old", "a new")):
        found = [each for each in directions if each.newer == newer]
        if found:
            who, whom = _peers((d.reader for d in found), peers), _peers((d.writer for d in found), peers)
            parts.append(f"{readers} {who} {_VERBS[found[0].verdict]} what {writers} {whom} writes")
    return ", and ".join(parts)


def _peers(names: Iterable[str], peers: frozenset[str]) -> str:
    found = dict.fromkeys(names)
    return "peer" if set(found) == peers else " or ".join(found)


def _container(difference: Difference, matching: Matching, entry: SourceLocation) -> SourceLocation:
    """Return the location in the new spec of what contained something that was removed."""
    control = matching.after.protocol.control
    if difference.rule == "control" and control is not None:
        return matching.after.declarations[control.request.struct].place
    return section(matching, difference.before.place, entry)
