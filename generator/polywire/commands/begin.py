"""The choice for a repository without a spec → a spec folder: a starter, an import, or the bundled spec.

None of the three is the default: without a choice, `polywire init` asks for one or lists the commands.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from polywire.commands.added import added
from polywire.commands.running import FINDINGS
from polywire.ground.find import BUNDLED, bundled
from polywire.ground.paths import output_fault
from polywire.ground.words import suggestion

FOLDER = "spec"
"""The default folder of a new spec."""

STARTERS: Mapping[str, str] = {
    "tagged": "JSON objects, one per line, identified by a member `type`",
    "json-rpc": "JSON-RPC 2.0 with requests, answers, errors and notifications",
    "lsp": "a part of the Language Server Protocol, with a client that starts a server",
}
"""The starters, each a file in `starters/`."""

_MODELINE = "# yaml-language-server: $schema={}\n"


@dataclass(frozen=True, slots=True)
class Beginning:
    """The request; at most one of the three is set."""

    starter: str | None = None
    source: Path | None = None
    protocol: str | None = None


def starter_text(name: str) -> str:
    """Return the contents of a starter's `protocol.yaml`."""
    return (Path(__file__).parents[1] / "vendor" / "starters" / f"{name}.yaml").read_text(encoding="utf-8")


def begin(asked: Beginning, spec: str | None, roots: tuple[str, ...]) -> str:
    """Create the requested spec; return the value of `spec` for `polywire.toml`.

    Raises `click.UsageError` if the request is invalid, has more than one choice, or has none.
    """
    flags = {"--starter": asked.starter, "--from": asked.source, "--protocol": asked.protocol}
    given = [flag for flag, value in flags.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other; choose one")
    if asked.protocol is not None:
        return _bundled(asked.protocol, spec)
    if asked.starter is not None:
        return _start(asked.starter, spec or FOLDER)
    if asked.source is not None:
        return _import(asked.source, spec or FOLDER, roots)
    if spec is not None:
        return spec
    return FOLDER if _is_spec(Path(FOLDER)) else begin(_chosen(), spec, roots)


def _is_spec(folder: Path) -> bool:
    from polywire.source import ENTRY

    return (folder / ENTRY).is_file()


# --- the three ways --------------------------------------------------------------------------------------------


def bundled_name() -> str:
    """Return the name of the protocol whose spec comes with polywire."""
    from polywire import source
    from polywire.source.tree import Table, Text

    entry = source.load(bundled()).entry
    protocol = entry.root.get("protocol") if entry is not None else None
    name = protocol.get("name") if isinstance(protocol, Table) else None
    return name.text if isinstance(name, Text) else BUNDLED


def _bundled(name: str, spec: str | None) -> str:
    if spec is not None:
        raise click.UsageError("--protocol and --spec exclude each other; choose one")
    known = bundled_name()
    if name != known:
        raise click.UsageError(f"polywire does not come with a protocol {name!r}{suggestion(name, [known])}")
    return BUNDLED


def _start(starter: str, spec: str) -> str:
    from polywire.source import ENTRY

    folder = _free(spec)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ENTRY).write_text(starter_text(starter), encoding="utf-8", newline="\n")
    click.echo(f"created {folder / ENTRY}")
    _write_schema(folder)
    return spec


def _import(source: Path, spec: str, roots: tuple[str, ...]) -> str:
    """Import a spec; exit if it has errors."""
    from polywire.source import ENTRY
    from polywire.source.schema import NAME

    folder = _free(spec)
    command = added().get("import")
    if command is None:
        raise click.UsageError("this installation of polywire has no `polywire import`; reinstall it")
    status: object = 0
    try:
        arguments = ["--out", str(folder), *(f"--root={root}" for root in roots), "--", str(source)]
        command().main(arguments, "polywire import", standalone_mode=False)
    except SystemExit as ended:
        if ended.code != FINDINGS:
            raise
        status = ended.code
    entry = folder / ENTRY
    entry.write_text(_MODELINE.format(NAME) + entry.read_text(encoding="utf-8"), encoding="utf-8", newline="\n")
    _write_schema(folder)
    if status:
        sys.exit(FINDINGS)
    return spec


def _free(spec: str) -> Path:
    """Return the folder of a new spec. Raises `click.UsageError` if it is not empty."""
    folder = Path(spec)
    if spec == BUNDLED:
        raise click.UsageError(f"--spec {BUNDLED} is not a folder; for a folder of that name, write ./{BUNDLED}")
    if fault := output_fault(folder):
        raise click.UsageError(f"{str(folder)!r} {fault}; choose another folder with --spec")
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise click.UsageError(f"{folder} already exists; choose a new folder with --spec, or use `polywire import`")
    return folder


def _write_schema(folder: Path) -> None:
    """Write the schema that editors use to check the spec into its folder."""
    from polywire.source import schema

    (folder / schema.NAME).write_bytes(schema.emit())
    click.echo(f"created {folder / schema.NAME}")


# --- no choice given -------------------------------------------------------------------------------------------


def _chosen() -> Beginning:
    """Ask for a choice on the terminal. Raises `click.UsageError` if there is none."""
    name = bundled_name()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(f"there is no spec in {FOLDER}/; choose how to start\n\n{_ways(name)}")
    click.echo(f"There is no spec in {FOLDER}/. How do you want to start?\n")
    click.echo(_ways(name))
    answer = click.prompt("\nchoice", type=click.Choice([*STARTERS, "import", name]), default=next(iter(STARTERS)))
    if answer in STARTERS:
        return Beginning(starter=answer)
    if answer == "import":
        file = click.Path(exists=True, dir_okay=False, path_type=Path)
        return Beginning(source=click.prompt("file", type=file))
    return Beginning(protocol=answer)


def _ways(name: str) -> str:
    """Return the choices with their commands."""
    rows = [
        *((f"--starter {each}", f"a spec with comments: {about}") for each, about in STARTERS.items()),
        ("--from FILE", "an import of a JSON Schema, TypeScript declarations (with --root) or captured lines"),
        (f"--protocol {name}", "the protocol whose spec comes with polywire"),
    ]
    width = max(len(flags) for flags, _ in rows)
    return "\n".join(f"  polywire init {flags:{width}}  {about}" for flags, about in rows)
