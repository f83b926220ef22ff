"""Errors in reading and resolving → findings: their ids with severity and purpose, and the collector.

Errors in a model that was *built* are found by the rules in `polywire.checks`; the faults here keep a spec from being
read or resolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from polywire.ground.finding import Finding, Fix, Severity
from polywire.ground.location import SourceLocation
from polywire.ground.words import nearest

Step: TypeAlias = Literal["reading", "resolving", "overlay", "history"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of finding as data: its severity, the step that reports it, and the property that it protects."""

    severity: Severity
    step: Step
    purpose: str


FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "missing-file": Fault("error", "reading", "Every file that the spec refers to exists and is readable."),
        "unused-file": Fault("warning", "reading", "A YAML file beside the parts is one of them."),
        "bad-path": Fault("error", "reading", "A path in the spec stays inside the folder of the spec."),
        "file-too-large": Fault("error", "reading", "A file is at most 16 MiB long."),
        "bad-encoding": Fault("error", "reading", "A file is UTF-8 without a byte order mark."),
        "yaml-syntax": Fault("error", "reading", "A file is one well-formed YAML document."),
        "forbidden-yaml": Fault("error", "reading", "A file uses no YAML tags, anchors, aliases or merge keys."),
        "duplicate-key": Fault("error", "reading", "A key occurs only once in a mapping."),
        "unknown-key": Fault("error", "reading", "A key is part of the spec language in this position."),
        "missing-key": Fault("error", "reading", "A required key is present."),
        "open-missing": Fault("error", "reading", "An enum or union states whether it is open."),
        "wrong-kind": Fault("error", "reading", "A value has the kind that its key requires."),
        "null-value": Fault("error", "reading", "A key that requires a value has one."),
        "cut-prose": Fault("error", "reading", "Prose contains no ` #`, which starts a comment in YAML."),
        "bad-type": Fault("error", "reading", "A type expression is well-formed and its parts are compatible."),
        "bad-json": Fault("error", "reading", "A file of examples contains valid JSON."),
        "bad-name": Fault("error", "reading", "A name is valid in every target."),
        "unknown-name": Fault("error", "resolving", "A name that is used is declared, and is of the required kind."),
        "duplicate-name": Fault("error", "resolving", "A name is declared once, and a member occurs once in a type."),
        "bad-tag": Fault("error", "resolving", "The values of a tag can be distinguished by a discriminator."),
        "mixin-cycle": Fault("error", "resolving", "A type does not include itself."),
        "bad-include": Fault(
            "error", "resolving", "An included type is a struct whose fields can be part of another type."
        ),
        "bad-flatten": Fault(
            "error", "resolving", "The members of a flattened field do not clash with those of the enclosing object."
        ),
        "union-cycle": Fault("error", "resolving", "A union does not contain itself as a variant."),
        "ambiguous-union": Fault("error", "resolving", "No object matches two variants of a union."),
        "bad-envelope": Fault("error", "resolving", "The envelopes, ids and payloads named under `control` exist."),
        "overlay-cycle": Fault("error", "overlay", "A dialect is not based on itself."),
        "unused-overlay": Fault("error", "overlay", "Every entry of an overlay changes a declaration."),
        "removed-in-use": Fault("error", "overlay", "A declaration that an overlay removes is no longer used."),
        "unlisted-version": Fault("error", "history", "A release is listed in `versions`."),
        "bad-release": Fault("error", "history", "The releases of a declaration are consistent."),
        "empty-interval": Fault("error", "history", "An interval contains at least one release."),
        "outside-release": Fault("error", "history", "An entry exists only in releases in which its parent exists."),
        "unused-history": Fault("error", "history", "A statement about earlier releases changes at least one of them."),
        "missing-at-release": Fault(
            "error", "history", "Every declaration that a release uses exists in that release."
        ),
        "no-join": Fault("error", "history", "The type of a member can be combined across all releases of the span."),
    }
)

_MOST_HINTS = 200  # finding the nearest name takes time, and nobody reads more hints than this


class Faults:
    """Collects the findings of a run in the order in which they are reported."""

    def __init__(self, found: Iterable[Finding] = ()) -> None:
        self._found = dict.fromkeys(found)
        self._hints = 0

    def add(
        self, rule: str, place: SourceLocation, message: str, hint: str | None = None, fix: Fix | None = None
    ) -> None:
        """Add a finding; the same finding reported twice (for the field of a mixin, for example) counts once."""
        self._found[Finding(rule, FAULTS[rule].severity, place, message, hint, fix=fix)] = None

    def near(self, word: str, known: Iterable[str], say: str = "did you mean `{}`?") -> str | None:
        """A hint with the known name that is nearest to a misspelt one, or None if none is near."""
        if self._hints >= _MOST_HINTS or len(word) > 100:
            return None
        self._hints += 1
        return next((say.format(name) for name in nearest(word, known)), None)

    @property
    def found(self) -> tuple[Finding, ...]:
        return tuple(self._found)

    def sorted(self, files: Sequence[str]) -> tuple[Finding, ...]:
        """All findings in the order of `files`, then by line and column."""
        return in_order(self._found, files)


def in_order(findings: Iterable[Finding], files: Iterable[str]) -> tuple[Finding, ...]:
    """Findings in the order of `files`, then by line and column, without duplicates."""
    rank = {file: n for n, file in enumerate(files)}

    def key(finding: Finding) -> tuple[int, str, int, int, str]:
        place = finding.place
        return rank.get(place.file, len(rank)), place.file, place.line, place.column, finding.rule

    return tuple(sorted(dict.fromkeys(findings), key=key))
