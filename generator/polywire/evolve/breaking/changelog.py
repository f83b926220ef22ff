"""Two specs → the list of changes for people: breaking changes first, then what is new, renamed or deprecated.

Changes of prose, of source locations, and without an effect are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

from polywire.checks.text import visible
from polywire.evolve.breaking.published import HEADINGS
from polywire.evolve.breaking.records import CATEGORIES
from polywire.evolve.breaking.report import Outcome, marked
from polywire.evolve.diff import Difference, compare
from polywire.evolve.diff.matching import Matching
from polywire.model.nodes import About, Declaration, Enum, Model, Struct

Format: TypeAlias = Literal["markdown", "text"]
Section: TypeAlias = "tuple[str, tuple[str, ...]]"
"""A heading and its lines, in which names are enclosed in backquotes."""

_MEMBERS = {"field": "member", "tag": "tag", "constant": "constant", "enum-value": "value", "union-variant": "variant"}
"""By rule of `polywire.evolve.diff`: what a declaration has that is new."""

_ALONE = {"root": "Stands alone", "control": "Control", "tool": "Tool", "tree": "Tree", "table": "Table"}
"""By rule: what is new and in no declaration."""

_LONG = 120
"""Signatures with more characters are shortened to what changed."""


def changelog(outcome: Outcome, form: Format = "markdown", *, releases: tuple[str, str] | None = None) -> str:
    """Return the list below a heading with the two releases, or the new version if the version changed."""
    before, after = outcome.before.model, outcome.after.model
    differences = compare(before, after)
    moved = _moved(before, after)
    sections = [
        *_breaks(outcome),
        ("Added", tuple(_added(differences, moved))),
        (
            "Moved",
            tuple(
                f"`{name}` is a variant of {to} now, and was one of {whence}." for name, (whence, to) in moved.items()
            ),
        ),
        ("Renamed", tuple(_renamed(differences, Matching(before, after)))),
        ("Deprecated", tuple(_deprecated(before, after))),
    ]
    version = after.protocol.package_version
    title = version if version != before.protocol.package_version else "Unreleased"
    return _FORMATS[form](
        " → ".join(releases) if releases else title, [(heading, lines) for heading, lines in sections if lines]
    )


def _breaks(outcome: Outcome) -> Iterator[Section]:
    for category in CATEGORIES:
        found = (
            each for finding in outcome.breaks for each in finding.only({category}) if each.rule.severity == "error"
        )
        yield (
            HEADINGS[category],
            tuple(
                dict.fromkeys(f"{_shortened(finding.message[:1].upper() + finding.message[1:])}." for finding in found)
            ),
        )


def _shortened(message: str) -> str:
    """Reduce long pairs of signatures to the arguments that differ."""
    return re.sub(rf"`([^`]{{{_LONG},}})` → `([^`]{{{_LONG},}})`", lambda pair: _pair(pair[1], pair[2]), message)


def _pair(before: str, after: str) -> str:
    old, new = before.split(", "), after.split(", ")
    most = min(len(old), len(new))
    first = next((at for at in range(most) if old[at] != new[at]), most)
    last = next((at for at in range(most - first) if old[-1 - at] != new[-1 - at]), most - first)

    def changed(parts: list[str]) -> str:
        kept = parts[first : len(parts) - last]
        return ", ".join([*(["…"] if first else []), *kept, *(["…"] if last else [])])

    return f"`{changed(old)}` → `{changed(new)}`"


# --- additions -------------------------------------------------------------------------------------------------


def _moved(before: Model, after: Model) -> dict[str, tuple[str, str]]:
    """Return the variants that moved between unions, each with the unions it left and those it joined."""
    old, new = _holders(before), _holders(after)
    found = {name: (old[name] - new[name], new[name] - old[name]) for name in old if name in new}
    return {name: (_listed(left), _listed(joined)) for name, (left, joined) in found.items() if left and joined}


def _holders(model: Model) -> dict[str, set[str]]:
    """Return each variant with the unions that list it."""
    found: dict[str, set[str]] = {}
    for union in model.unions:
        for variant in union.variants:
            found.setdefault(variant.name, set()).add(union.name)
    return found


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names))


def _added(differences: Iterable[Difference], moved: Container[str]) -> Iterator[str]:
    """Yield what is new, each once: a new declaration is not listed again as a variant or root."""
    come = [each for each in differences if each.before.text is None and each.after.text is not None]
    whole = {each.after.name for each in come if each.rule == "declaration"}
    rows: dict[tuple[str, str], dict[str, None]] = {}
    for each in come:
        side = each.after
        if each.rule == "declaration":
            kind = str(side.text).partition(":")[0]
            rows.setdefault(("", f"{kind[:1].upper()}{kind[1:]}"), {})[side.name] = None
        elif side.key in whole or (each.rule == "union-variant" and side.key in moved):
            continue
        elif each.rule in _MEMBERS:
            has = side.key if each.rule in {"enum-value", "union-variant"} else str(side.text)
            rows.setdefault((side.name, _MEMBERS[each.rule]), {})[has] = None
        elif each.rule in _ALONE:
            rows.setdefault(("", _ALONE[each.rule]), {})[side.key if each.rule == "root" else side.name] = None
    for (name, what), found in rows.items():
        listed = ", ".join(f"`{each}`" for each in found)
        yield f"`{name}`: {what}{'' if len(found) == 1 else 's'} {listed}." if name else f"{what}: {listed}."


def _renamed(differences: Iterable[Difference], matching: Matching) -> Iterator[str]:
    for old, new in matching.peers.items():
        yield f"The peer `{old}` is `{new}` now."
    for name in matching.before.declarations:
        counterpart = matching.counterpart(name)
        if counterpart not in {None, name} and name not in {control.request for control in matching.before.controls}:
            yield f"`{name}` is `{counterpart}` now."
    for each in differences:
        if each.rule in {"field-name", "enum-value-name"}:
            yield f"`{each.before.key}` of `{each.before.name}` is `{each.after.key}` now."


# --- deprecations ----------------------------------------------------------------------------------------------


def _deprecated(before: Model, after: Model) -> Iterator[str]:
    old = dict(_abouts(before))
    for name, about in _abouts(after):
        if about.deprecated and not (name in old and old[name].deprecated):
            yield f"`{name}`: {' '.join(about.deprecated.split())}"


def _abouts(model: Model) -> Iterator[tuple[str, About]]:
    """Yield the metadata of everything that can be deprecated, with its name."""
    requests = {control.request for control in model.controls}
    for declared in model.declarations.values():
        if declared.name not in requests:
            yield declared.name, declared.about
        yield from _inside(declared)
    yield from ((control.key, control.about) for control in model.controls)
    yield from ((tool.pattern, tool.about) for tool in model.tools)
    yield from ((tree.name, tree.about) for tree in model.trees)
    for table in model.tables:
        yield table.name, table.about
        yield from ((f"{table.name}.{column.name}", column.about) for column in table.columns)


def _inside(declared: Declaration) -> Iterator[tuple[str, About]]:
    match declared:
        case Struct(fields=fields):
            yield from ((f"{f.origin or declared.name}.{f.name}", f.about) for f in fields)
        case Enum(values=values):
            yield from ((f"{value.name}` of `{declared.name}", value.about) for value in values)


# --- forms -----------------------------------------------------------------------------------------------------


def _markdown(title: str, sections: Iterable[Section]) -> str:
    parts = "".join(f"\n### {heading}\n\n{''.join(map(_item, lines))}" for heading, lines in sections)
    return f"## {marked(title)}\n{parts or _nothing()}"


def _item(line: str) -> str:
    return f"- {marked(line)}\n"


def _nothing() -> str:
    return "\nNo changes on the wire or in code.\n"


def _text(title: str, sections: Iterable[Section]) -> str:
    parts = "".join(
        f"\n{heading}\n" + "".join(f"  - {visible(line.replace('`', ''))}\n" for line in lines)
        for heading, lines in sections
    )
    return f"{visible(title)}\n{parts or _nothing()}"


_FORMATS: Mapping[str, Callable[[str, Iterable[Section]], str]] = {"markdown": _markdown, "text": _text}
