"""A spec → an initial folder of fixtures: defaults, and a file of first cases to copy and change.

The cases are instances of the first root type, with the outcomes of polywire's reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from polywire.conformance import jsontext
from polywire.conformance.case import DEFAULTS
from polywire.conformance.protocols import Protocol, Protocols
from polywire.oracle import instances
from polywire.oracle.instances import Instance

FILE = Path("first", "cases.json")


class FixturesExistError(Exception):
    """The folder already has something in it."""


def write_first(folder: Path, protocols: Protocols) -> list[Path]:
    """Create the folder with a first file of cases; return its files. Raises `FixturesExistError`, `OSError`."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FixturesExistError(f"{folder} already has fixtures; add a file to it")
    protocol = protocols.default
    documents = {folder / DEFAULTS: {"type": protocol.first_root}, folder / FILE: first_cases(protocol)}
    for file, document in documents.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    return list(documents)


def first_cases(protocol: Protocol) -> list[dict[str, object]]:
    """Return at most one case of each kind: accepted, accepted with undeclared content, and rejected."""
    found = instances.derive(protocol.model, random=0, only={protocol.first_root})
    cases = []
    for kind, matches in _KINDS.items():
        fitting = [each for each in found if matches(each) and each.repaired is None and _plain(each.text)]
        if fitting:
            cases.append(_case(min(fitting, key=lambda each: len(each.text)), kind, protocol))
    return cases


_KINDS: Mapping[str, Callable[[Instance], bool]] = {
    "Accepted in both modes": lambda each: each.lenient.ok and each.strict.ok,
    "Not declared, and kept": lambda each: each.lenient.ok and bool(each.lenient.unknown),
    "Refused in both modes": lambda each: len(each.lenient.errors) == 1 and each.lenient.errors[0][1] != "",
}


def _plain(text: str) -> bool:
    """Return whether a fixture can contain the text as a JSON value without changing it."""
    try:
        return jsontext.write(jsontext.read(text)) == text
    except jsontext.JsonError:
        return False


def _case(instance: Instance, kind: str, protocol: Protocol) -> dict[str, object]:
    right = instance.lenient
    if right.ok:
        outcome = (
            {"variant": right.variant} if protocol.is_union(instance.type) else {"output": json.loads(instance.text)}
        )
        expect: dict[str, object] = outcome | ({"unknown": list(right.unknown)} if right.unknown else {})
    else:
        ((code, path),) = right.errors
        expect = {"error": {"code": code, "path": path}}
    return {"doc": f"{kind}: {instance.note}.", "input": jsontext.read(instance.text), "expect": expect}
