"""The command `polywire import`: a source → a spec folder, and a report of what was lost or guessed."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polywire.commands.options import WRONG_USE, OutFolder, typescript_option
from polywire.ground.words import counted

if TYPE_CHECKING:
    from polywire_import.run import Imported

KINDS = ("json-schema", "openapi", "asyncapi", "typescript", "ndjson")


@click.command(
    "import",
    short_help="Import a schema, declarations or traffic as a spec.",
    epilog="\b\nExamples:\n  polywire import --from json-schema schema.json --out spec/\n"
    "  polywire import --from json-schema schema.json --out spec/ --overrides overrides.yaml\n"
    "  polywire import --from asyncapi chat.yaml --out spec/\n"
    "  polywire import --from typescript protocol.d.ts --root Message --out spec/\n"
    "  polywire import --from ndjson session.ndjson --out spec/\n",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--from", "kind", type=click.Choice(KINDS), help="The kind of the sources.  [default: by their names and keys]"
)
@click.option("--out", type=OutFolder(), required=True, help="The folder of the spec.")
@click.option(
    "--overrides",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Names and choices that the source does not state.  [default: those of the last import]",
)
@click.option("--root", "roots", metavar="NAME", multiple=True, help="A declaration to decode; can be repeated.")
@click.option("--docs/--no-docs", default=None, help="Copy the descriptions in the source.  [default: no]")
@typescript_option
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Also write the report to this file.")
def import_(
    *,
    sources: tuple[Path, ...],
    kind: str | None,
    out: Path,
    overrides: Path | None,
    roots: tuple[str, ...],
    docs: bool | None,
    compiler: Path | None,
    report: Path | None,
) -> None:
    """Write a spec folder from SOURCE, and report what could not be expressed and what had to be guessed.

    An earlier import in the same folder is merged: your edits stay, and changes in the source are applied and
    listed. Exits with 1 if the spec has errors.
    """
    from polywire_import.run import kind_of, run
    from polywire_import.shapes import ImportingError

    try:
        imported = run(kind or kind_of(sources[0]), sources, out, overrides, roots=roots, docs=docs, compiler=compiler)
    except ImportingError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(WRONG_USE)
    text = report_of(imported)
    click.echo(text, nl=False)
    if report is not None:
        report.write_text(text, encoding="utf-8", newline="\n")
    if imported.report.failed:
        sys.exit(1)


def report_of(imported: Imported) -> str:
    """Return the report of an import for people."""
    rows = [f"{note.kind} {note.place}: {note.message}" for note in imported.notes]
    rows += [
        f"{change.kind} {change.what}{f': {change.detail}' if change.detail else ''}" for change in imported.changes
    ]
    found = imported.report.render("text") if imported.report.findings else ""
    kinds = Counter(note.kind for note in imported.notes)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("lost", "guessed", "fallback", "renamed") if kinds[kind])
    sections = ", ".join(f"{number} in {word}" for word, number in imported.sections.items())
    rows.append(f"{sections}; {counted(imported.overrides, 'override')}; {counts or 'nothing lost or guessed'}")
    rows.append(f"wrote {', '.join(imported.written) or 'nothing: the spec is up to date'}")
    return "\n".join(rows) + "\n" + found
