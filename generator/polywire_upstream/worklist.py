"""The result of following a release → the worklist and the report, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polywire.ground.words import counted
from polywire_upstream.compare import Difference, cut
from polywire_upstream.draft import Question
from polywire_upstream.follow import Followed
from polywire_upstream.observe import Seen
from polywire_upstream.schemas import SchemaFindings

KINDS: Mapping[str, str] = {
    "by hand": "The patch does not include these. Edit the spec.",
    "bound": "Only traffic has shown these. Declarations do not show whether this release introduced them.",
    "listed": "Intended differences whose entries in releases/differences.toml are limited to other releases.",
    "pin": "Versions of other packages that the release does not state, taken from the previous release.",
    "observed": "The spec has these from traffic, and upstream now declares them. Remove `observed`, and compare.",
    "undeclared": "Upstream refers to types that it does not declare. Find them in traffic, or list the difference.",
    "left out": "Functions, live objects and unknown names are not data. Options may need a `callback` or `live`.",
    "use": "Nothing in the spec refers to these. Refer to them, or remove them and list the difference.",
    "answer": "Declarations do not state which answer belongs to a request.",
    "from": "Declarations do not state which side sends a message.",
    "carry": "Declarations do not state how options are transmitted.",
    "name": "Names that the patch chose.",
    "number": "Upstream has one kind of number. Counts, indices and milliseconds are integers.",
    "presence": "Members that are declared as required are not always sent.",
    "type": "Types that the patch changed or kept.",
    "discriminator": "No constant distinguishes the variants.",
    "open": "Lists of values that the patch left open.",
    "values": "Texts for which upstream lists some values.",
    "constant": "Constants that identify nothing.",
    "bounds": "Lists with a fixed or limited length.",
    "doc": "The patch has no documentation. Write it in your own words, with units.",
}
"""The kinds of questions with what to do about them, those that need the most thought first."""


def worklist(followed: Followed, seen: Seen | None, findings: SchemaFindings | None = None) -> str:
    """Return the open questions by kind, each item with what the patch has and the alternatives."""
    step = followed.step
    lines = [f"# From {step.before} to {step.after}: decisions to make", ""]
    total = len(followed.questions)
    lines += [f"{counted(total, 'item')}. Each states what the patch has, then the alternatives.", ""]
    for kind, advice in KINDS.items():
        items = [each for each in followed.questions if each.kind == kind]
        if items:
            lines += [
                f"## {kind} ({len(items)})",
                "",
                advice,
                "",
                *(f"- [ ] {_item(each, seen, findings)}" for each in items),
                "",
            ]
    if seen is not None:
        lines += _traffic(seen)
    if findings is not None:
        lines += of_schemas(findings)
    return "\n".join(lines)


def of_schemas(findings: SchemaFindings) -> list[str]:
    """Return what the program's schemas state beyond the declarations."""
    lines = [f"## schemas of the program ({counted(findings.matched, 'declaration')} found there)", ""]
    lines += [f"- [ ] No declaration has the object: `{each}`" for each in findings.undeclared_objects]
    lines += [
        f"- [ ] No declaration has the member: `{place}`: {known}"
        for place, known in sorted(findings.undeclared.items())
    ]
    lines += [f"- [ ] `{place}` is {known} by the schema" for place, known in sorted(findings.presence.items())]
    lines += [
        f"- [ ] `{place}` is an integer by the schema" for place, whole in sorted(findings.whole.items()) if whole
    ]
    return [*lines, ""]


def _item(each: Question, seen: Seen | None, findings: SchemaFindings | None) -> str:
    choices = "; or: ".join(each.choices)
    text = f"`{each.place}`: {each.written}{f'; or: {choices}' if choices else ''}"
    whole = findings.whole.get(each.place) if findings is not None and each.kind == "number" else None
    schema = "" if whole is None else f" (schema: {'integer' if whole else 'any number'})"
    return text + schema + _evidence(each, seen)


def _evidence(each: Question, seen: Seen | None) -> str:
    """Return what traffic shows about an item."""
    if seen is None:
        return ""
    if each.kind == "number" and each.place in seen.whole:
        return " (traffic: whole in all samples)" if seen.whole[each.place] else " (traffic: fractions)"
    if each.kind == "presence" and each.place in seen.absent:
        return f" (traffic: absent {counted(seen.absent[each.place], 'time')})"
    return ""


def _traffic(seen: Seen) -> list[str]:
    lines = [f"## traffic ({counted(seen.lines, 'line')})", ""]
    for title, found in (
        ("No declaration has the object", seen.unknown),
        ("No declaration has the member", seen.undeclared),
        ("Declared as required, but absent", seen.absent),
        ("No declaration has the value", seen.values),
    ):
        lines += [f"- [ ] {title}: `{place}` ({counted(number, 'time')})" for place, number in sorted(found.items())]
    return [*lines, ""]


def report(followed: Followed) -> str:
    """Return the changes of the release, for the changelog."""
    step = followed.step
    lines = [f"# What {step.after} declares that {step.before} did not, and the reverse", ""]
    for title, rows in _sections(followed.changes):
        lines += [f"## {title} ({len(rows)})", "", *rows, ""]
    if len(lines) == 2:
        lines += ["Nothing that is sent.", ""]
    return "\n".join(lines)


_TITLES: Mapping[str, str] = {
    "missing-declaration": "New",
    "missing-variant": "New in a union",
    "missing-field": "New members",
    "missing-value": "New values",
    "extra-declaration": "Removed",
    "extra-variant": "Removed from a union",
    "extra-field": "Removed members",
    "extra-value": "Removed values",
    "presence": "Required or optional",
}


def _sections(changes: Sequence[Difference]) -> Iterator[tuple[str, list[str]]]:
    for rule, title in _TITLES.items():
        rows = [_row(each) for each in changes if each.rule == rule]
        if rows:
            yield title, rows
    others = [_row(each) for each in changes if each.rule not in _TITLES]
    if others:
        yield "Types", list(dict.fromkeys(others))


def _row(each: Difference) -> str:
    now, before = cut(each.upstream), cut(each.spec)
    if each.rule.endswith("-variant") or each.rule == "extra-declaration":
        return f"- `{each.place}`"
    if each.rule.startswith("missing-") and before == "nothing":
        return f"- `{each.place}`: {now}"
    if each.rule.startswith("extra-") and now == "nothing":
        return f"- `{each.place}`, which was {before}"
    return f"- `{each.place}`: {before} → {now}"
