"""Drifts from what would be generated → lines for people, a JSON array, or annotations, with what to do."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import click

from polywire.checks.report import Format
from polywire.checks.text import excerpt
from polywire.ground.annotation import annotation, in_workspace
from polywire.ground.words import counted
from polywire.vendor import config
from polywire.vendor.run import Run
from polywire.writing import manifest
from polywire.writing.results import Drift, Kind

COLOURS: Mapping[str, str] = {
    "created": "green",
    "updated": "yellow",
    "removed": "red",
    "kept": "magenta",
    "left out": "magenta",
    "stale": "yellow",
    "edited by hand": "red",
    "missing": "yellow",
    "left over": "yellow",
    "foreign": "magenta",
    "untracked": "yellow",
    "ignored": "magenta",
}
"""The status of a file → its colour, in the order of the summary."""

_MANIFESTS = frozenset({config.MANIFEST, manifest.MANIFEST})
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_LONGEST_DIFF = 60
"""Maximum number of lines shown of one file's diff; `git diff` after `polywire generate` shows the rest."""

_WHY: Mapping[Kind, str] = {
    "stale": "is out of date: the spec, polywire.toml or polywire changed after it was generated.",
    "edited by hand": "was edited by hand, and generating it again discards the edit: change the spec or a template"
    " instead.",
    "missing": "is missing: it was removed, or never committed.",
    "left over": "is no longer generated.",
    "foreign": "was not written by polywire, but is in a folder that only polywire writes to.",
    "untracked": "is generated, but was never added to git.",
    "ignored": "is generated, but was never added to git, and .gitignore excludes it.",
}


def render(run: Run, drifts: list[Drift], form: Format) -> str:
    """Render a report on at least one drift, with a line end after each line; callers keep or strip the colours."""
    return "".join(f"{line}\n" for line in _FORMATS[form](run, drifts))


def tally(counts: Mapping[Any, int]) -> str:
    """`2 created, 1 removed`."""
    return ", ".join(f"{counts[name]} {name}" for name in COLOURS if counts.get(name))


def first_difference(drift: Drift) -> int:
    """Return the line, from 1, where the file on disk first differs; it may be one past the end of the file."""
    if drift.found is None or drift.wanted is None:
        return 1
    lines = zip_longest(drift.found.split(b"\n"), drift.wanted.split(b"\n"))
    return next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)


# --- text ------------------------------------------------------------------------------------------------------


def _text(run: Run, drifts: list[Drift]) -> Iterator[str]:
    for drift in drifts:
        # The diff of a manifest only repeats which files differ.
        yield from _shown(run, drift, has_diff=len(drifts) == 1 or Path(drift.path).name not in _MANIFESTS)
    counts = Counter(drift.kind for drift in drifts)
    where = f"in {run.out} out of sync with the spec" if run.config is None else f"out of sync with {_file(run)}"
    yield ""
    yield f"{counted(len(drifts), 'file')} {where}: {tally(counts)}"
    yield from dict.fromkeys(f"to fix: {_command(run, drift)}" for drift in sorted(drifts, key=lambda d: d.by_hand))


def _file(run: Run) -> str:
    return "the spec" if run.config is None else str(run.config.text.file)


def _shown(run: Run, drift: Drift, *, has_diff: bool) -> Iterator[str]:
    """Describe what differs, with a diff if both sides exist; for a file on one side only, its size is enough."""
    only = drift.wanted if drift.found is None else drift.found if drift.wanted is None else None
    size = "" if only is None else f" ({counted(len(only), 'byte')})"
    yield f"{click.style(drift.kind, fg=COLOURS[drift.kind], bold=True)}: {run.out / drift.path}{size}"
    if drift.found is None or drift.wanted is None or not has_diff:
        return
    lines = drift.diff()
    for line in islice(lines, _LONGEST_DIFF):
        yield click.style(line, fg=_DIFF_COLOURS.get(line[:1]))
    rest = sum(1 for _ in lines)
    if rest:
        yield f"… and {counted(rest, 'more line')} of this diff"


def _command(run: Run, drift: Drift) -> str:
    """Return the command, or otherwise the step, that removes a drift."""
    path = str(run.out / drift.path)
    match drift.kind:
        case "untracked":
            folder = next((each for each in run.folders.values() if drift.path.startswith(f"{each}/")), drift.path)
            return shlex.join(["git", "add", "--", str(run.out / folder)])
        case "ignored":
            return shlex.join(["git", "add", "--force", "--", path])
    return f"move away or remove {shlex.quote(path)}" if drift.by_hand else shlex.join(run.command)


# --- for machines ----------------------------------------------------------------------------------------------


def _github(run: Run, drifts: list[Drift]) -> Iterator[str]:
    for drift in drifts:
        yield annotation(
            "error",
            f"{_message(run, drift)} To fix: {_hint(run, drift)}.",
            title=f"polywire: {drift.kind}",
            file=in_workspace(run.out / drift.path),
            line=_place(drift),
        )


def _json(run: Run, drifts: list[Drift]) -> Iterator[str]:
    items = [
        {
            "file": (run.out / drift.path).as_posix(),
            "line": _place(drift),
            "column": 1,
            "severity": "error",
            "rule": drift.kind.replace(" ", "-"),
            "message": _message(run, drift),
            "hint": _hint(run, drift),
        }
        for drift in drifts
    ]
    yield json.dumps(items, indent=2)


def _place(drift: Drift) -> int:
    """Return the line to point at, which must exist in the file."""
    return min(first_difference(drift), max(1, len((drift.found or b"").splitlines())))


def _message(run: Run, drift: Drift) -> str:
    text = f"{in_workspace(run.out / drift.path)} {_WHY[drift.kind]}"
    if drift.found is None or drift.wanted is None:
        return text
    line = first_difference(drift)
    return f"{text} Line {line} is {_line(drift.found, line)}; expected {_line(drift.wanted, line)}."


def _line(contents: bytes, number: int) -> str:
    lines = contents.split(b"\n")
    if number > len(lines) or (number == len(lines) and not lines[-1]):
        return "the end of the file"
    return f"`{excerpt(lines[number - 1].decode('utf-8', 'backslashreplace'), 1)[0]}`"


def _hint(run: Run, drift: Drift) -> str:
    return _command(run, drift) if drift.by_hand else f"run `{_command(run, drift)}` and commit the result"


_Lines: TypeAlias = "Callable[[Run, list[Drift]], Iterator[str]]"

_FORMATS: Mapping[Format, _Lines] = {"text": _text, "json": _json, "github": _github}
