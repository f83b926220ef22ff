"""Faults of reading and resolving → findings: the ids with their severity and purpose, and the collector.

What is wrong with a *built* model stands with the other rules in `polywire.checks`; here is what keeps a spec from
being read or resolved in the first place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from polywire.finding import Finding, Severity
from polywire.model.nodes import SourceLocation
from polywire.words import nearest

Step: TypeAlias = Literal["reading", "resolving", "overlay", "history"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of finding as data: how grave it is, in which step it shows, and what it protects from."""

    severity: Severity
    step: Step
    purpose: str


FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "missing-file": Fault("error", "reading", "A file that the spec names exists and can be read."),
        "bad-path": Fault("error", "reading", "A path of the spec stays inside the spec's folder."),
        "file-too-large": Fault("error", "reading", "A file has at most 16 MiB."),
        "bad-encoding": Fault("error", "reading", "A file is UTF-8 without a byte order mark."),
        "yaml-syntax": Fault("error", "reading", "A file is one well-formed YAML document."),
        "forbidden-yaml": Fault("error", "reading", "A file has no tags, anchors, aliases and merge keys."),
        "duplicate-key": Fault("error", "reading", "A key stands once in its mapping."),
        "unknown-key": Fault("error", "reading", "A key is one that the language knows at that place."),
        "missing-key": Fault("error", "reading", "A key that must be there is there."),
        "open-missing": Fault("error", "reading", "An enum or union says whether it may grow."),
        "wrong-kind": Fault("error", "reading", "A value has the form that its key asks for."),
        "null-value": Fault("error", "reading", "Where something is expected there is something."),
        "cut-prose": Fault("error", "reading", "Prose is not cut off by a ` #` that YAML takes for a comment."),
        "bad-type": Fault("error", "reading", "A type expression can be read, and its parts fit together."),
        "bad-json": Fault("error", "reading", "A file of examples is JSON."),
        "bad-name": Fault("error", "reading", "A name can be a name in every target."),
        "unknown-name": Fault(
            "error", "resolving", "A name that is used is declared, as the kind that the place needs."
        ),
        "duplicate-name": Fault("error", "resolving", "A name is declared once, and a member stands once in its type."),
        "bad-tag": Fault("error", "resolving", "A tag's values are ones that a discriminator can tell apart."),
        "mixin-cycle": Fault("error", "resolving", "A type does not include itself."),
        "bad-include": Fault("error", "resolving", "What is included is a type whose fields can stand elsewhere."),
        "bad-flatten": Fault("error", "resolving", "Members of a flattened field can be told from those around it."),
        "union-cycle": Fault("error", "resolving", "A union does not contain itself as a variant."),
        "ambiguous-union": Fault("error", "resolving", "No object answers to two variants of a union."),
        "bad-envelope": Fault("error", "resolving", "Requests and responses can be found where the protocol says."),
        "overlay-cycle": Fault("error", "overlay", "A dialect is not laid over itself."),
        "unused-overlay": Fault("error", "overlay", "An entry of an overlay names something and changes it."),
        "removed-in-use": Fault("error", "overlay", "What an overlay removes is used by nothing that remains."),
        "unlisted-version": Fault("error", "history", "A release that is named is one that `versions` lists."),
        "bad-release": Fault("error", "history", "What is said of releases fits together."),
        "empty-interval": Fault("error", "history", "An interval has a release in it."),
        "outside-release": Fault("error", "history", "An entry is there only where what it stands in is."),
        "unused-history": Fault("error", "history", "What is said of earlier releases makes a difference in one."),
        "missing-at-release": Fault("error", "history", "A release has what its declarations use."),
        "no-join": Fault("error", "history", "A type can hold what it was in every release of the span."),
    }
)

_MOST_HINTS = 200  # looking for the nearest name costs time, and nobody reads more of them


class Faults:
    """Collects the findings of a run in the order in which they are met."""

    def __init__(self, found: Iterable[Finding] = ()) -> None:
        self._found = dict.fromkeys(found)
        self._hints = 0

    def add(self, rule: str, place: SourceLocation, message: str, hint: str | None = None) -> None:
        """Add one finding; the same one said twice (of a mixin's field, say) counts once."""
        self._found[Finding(rule, FAULTS[rule].severity, place, message, hint)] = None

    def near(self, word: str, known: Iterable[str], say: str = "did you mean `{}`?") -> str | None:
        """A hint with the known name nearest to a misspelt one, if one is near."""
        if self._hints >= _MOST_HINTS or len(word) > 100:
            return None
        self._hints += 1
        return next((say.format(name) for name in nearest(word, known)), None)

    @property
    def found(self) -> tuple[Finding, ...]:
        return tuple(self._found)

    def sorted(self, files: Sequence[str]) -> tuple[Finding, ...]:
        """All findings in the order of `files`, then of lines and columns."""
        return in_order(self._found, files)


def in_order(findings: Iterable[Finding], files: Iterable[str]) -> tuple[Finding, ...]:
    """Findings in the order of `files`, then of lines and columns; what was found twice stands once."""
    rank = {file: n for n, file in enumerate(files)}

    def key(finding: Finding) -> tuple[int, str, int, int, str]:
        place = finding.place
        return rank.get(place.file, len(rank)), place.file, place.line, place.column, finding.rule

    return tuple(sorted(dict.fromkeys(findings), key=key))
