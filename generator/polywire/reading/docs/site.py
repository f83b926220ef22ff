"""A plan, and the plans of the packages → all files of the reference, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from polywire.ground.words import counted
from polywire.plan import Plan
from polywire.reading.docs import search
from polywire.reading.docs.languages import languages
from polywire.reading.docs.source import SourceLinks
from polywire.reading.docs.views import CONTROLS, INDEX, MESSAGES, NAMES, TABLES, TOOLS, TREES, Views
from polywire.targets.common.base import File, Target
from polywire.targets.common.header import header as make_header
from polywire.writing import render
from polywire.writing.results import Change, Drift

MANIFEST = "polywire-docs.manifest.json"
"""The list of files; its name differs from the packages' manifest, which may be in the same folder."""

_ASSETS = Path(__file__).resolve().parent / "assets"


def site(plan: Plan, parts: Iterable[tuple[Target, Plan]], source: SourceLinks | None = None) -> dict[str, bytes]:
    """Return the files by path. `parts` are the targets shown, each with the plan of its package.

    With `source`, the place of a declaration links to its line.
    """
    header = make_header(plan.model)
    views = Views(plan, languages(parts), source)
    # The header removes from the spec's names everything that could end the comment.
    files = render.pages(_files(views), {"mark": Markup(header.html)})  # noqa: S704 - see above
    files["index.js"] = search.script(header.mark, plan.model.protocol.releases, search.rows(plan.model, views))
    for name in ("search.js", "reading.js"):
        files[name] = f"// {header.mark}\n".encode() + (_ASSETS / name).read_bytes()
    files["style.css"] = f"/* {header.mark} */\n".encode() + (_ASSETS / "style.css").read_bytes()
    return files


def _files(views: Views) -> Iterator[File]:
    yield File(INDEX, "index.html.j2", views.index())
    if (messages := views.messages()) is not None:
        yield File(MESSAGES, "messages.html.j2", messages)
    yield File(NAMES, "list.html.j2", views.names())
    if (controls := views.controls()) is not None:
        yield File(CONTROLS, "controls.html.j2", controls)
    if (tools := views.tools()) is not None:
        yield File(TOOLS, "tools.html.j2", tools)
    if (trees := views.trees()) is not None:
        yield File(TREES, "trees.html.j2", trees)
    if (tables := views.tables()) is not None:
        yield File(TABLES, "tables.html.j2", tables)
    for path, area in views.areas():
        yield File(path, "list.html.j2", area)
    for path, page in views.types():
        yield File(path, "type.html.j2", page)


def summary(out: Path, files: int, found: Sequence[Change | Drift]) -> str:
    """Summarise what was written or is not up to date, and name the files that a person has to look at."""
    lines = [
        f"kept {out / each.path} (edited by hand and no longer generated: remove it yourself)"
        if isinstance(each, Change)
        else f"{each.kind}: {out / each.path}"
        for each in found
        if isinstance(each, Drift) or each.action == "kept"
    ]
    counts = Counter(each.action if isinstance(each, Change) else each.kind for each in found)
    changes = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    return "\n".join([*lines, f"{counted(files, 'file')} in {out}: {changes or 'up to date'}"])
