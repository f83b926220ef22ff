"""Snapshots ↔ their files: sorted JSON with one declaration per line, so that diffs are readable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polywire.ground.errors import WrongUseError
from polywire.ground.parsing import ParseError, json_value
from polywire_upstream.declarations import Declaration


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The declarations of a release; `packages` has the version of each package that was read."""

    release: str
    packages: Mapping[str, str]
    declarations: Mapping[str, Declaration]
    announced: str | None = None
    """The version number that the program announces, if the package contains it."""


def dump(snapshot: Snapshot) -> str:
    """Return the contents of its file."""
    head = [
        f'"release": {json.dumps(snapshot.release)}',
        f'"packages": {json.dumps(snapshot.packages, sort_keys=True)}',
    ]
    if snapshot.announced is not None:
        head.append(f'"announced": {json.dumps(snapshot.announced)}')
    lines = [f"{json.dumps(name)}: {_line(each)}" for name, each in sorted(snapshot.declarations.items())]
    return "{" + ",\n".join(head) + ',\n"declarations": {\n' + ",\n".join(lines) + "\n}}\n"


def _line(each: Declaration) -> str:
    document: dict[str, object] = {"module": each.module, "type": each.type}
    if not each.exported:
        document["exported"] = False
    if each.tags:
        document["tags"] = each.tags
    if each.member_tags:
        document["member tags"] = each.member_tags
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> Snapshot:
    """Return the snapshot in a file. Raises `WrongUseError` if it is not one."""
    try:
        document = json_value(path.read_bytes())
        return Snapshot(
            document["release"],
            document["packages"],
            {name: _declaration(name, each) for name, each in document["declarations"].items()},
            document.get("announced"),
        )
    except OSError as error:
        raise WrongUseError(f"{path}: {error.strerror or error}") from error
    except (ParseError, KeyError, TypeError, AttributeError) as error:
        raise WrongUseError(f"{path} is not a snapshot as `polywire upstream snapshot` writes it") from error


def _declaration(name: str, document: Mapping[str, Any]) -> Declaration:
    tags, members = document.get("tags", []), document.get("member tags", {})
    return Declaration(
        name,
        document["type"],
        str(document["module"]),
        document.get("exported") is not False,
        tuple(tags),
        {key: tuple(value) for key, value in members.items()},
    )
