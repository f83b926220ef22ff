"""The manifest: which files polywire wrote for each target, with their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polywire.ground.parsing import json_value
from polywire.ground.paths import path_fault
from polywire.writing.render import json_text

if TYPE_CHECKING:
    from polywire.ground.json_values import Json

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """The manifest's entry for one target: the hash of its input, and of each file by path below `out`."""

    generator: str
    protocol: str
    made_of: str
    """The hash of the spec, or for an add-on that of its input."""
    files: Mapping[str, str]
    add_on: bool = False
    runtime: frozenset[str] = frozenset()
    """The files that are copies of a runtime, the same for every spec except for names."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Every target's `Entry`, by name."""

    targets: Mapping[str, Entry]

    @property
    def files(self) -> dict[str, str]:
        """The hash of every file of every target by path below `out`."""
        return {path: digest for entry in self.targets.values() for path, digest in entry.files.items()}

    def encode(self) -> bytes:
        """Return the contents of the manifest: sorted, so that the order of runs does not show."""
        targets: Json = {
            name: {
                "generator": entry.generator,
                "protocol": entry.protocol,
                "input" if entry.add_on else "spec": entry.made_of,
                "files": {path: entry.files[path] for path in sorted(entry.files)},
                **({"runtime": [*sorted(entry.runtime)]} if entry.runtime else {}),
            }
            for name, entry in sorted(self.targets.items())
        }
        note = "Written by polywire generate. DO NOT EDIT."
        return (json_text({"$comment": note, "polywire": 1, "targets": targets}) + "\n").encode()


_NO_MANIFEST = Manifest({})


def decode(contents: bytes | None) -> Manifest:
    """Decode a manifest as far as possible: a broken one lists nothing, and is rewritten."""
    try:
        document = json_value(contents or b"")
        return Manifest({
            name: Entry(
                generator=_text(entry["generator"]),
                protocol=_text(entry["protocol"]),
                made_of=_text(entry["input" if "input" in entry else "spec"]),
                add_on="input" in entry,
                files={path: _text(digest) for path, digest in entry["files"].items() if _is_below(path, name)},
                runtime=frozenset(path for path in entry.get("runtime", ()) if path in entry["files"]),
            )
            for name, entry in document["targets"].items()
            if not name or path_fault(name) is None
        })  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError):
        return _NO_MANIFEST


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, got {type(value).__name__}")
    return value


def is_intact(contents: bytes) -> bool:
    """Return whether polywire could have written this manifest."""
    return decode(contents).encode() == contents


def _is_below(path: str, target: str) -> bool:
    """Return whether a path from a manifest, which may have been edited, is that of a file in the target's folder."""
    return path_fault(path) is None and path.startswith(f"{target}/" if target else "")


def below(target: str, path: str) -> str:
    """The path of a target's file below the output folder."""
    return f"{target}/{path}" if target else path


def digest_of(contents: bytes) -> str:
    """Return the hash of a file for the manifest."""
    return hashlib.sha256(contents).hexdigest()
