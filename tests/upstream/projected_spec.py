"""A spec of several releases → the spec as it was before the newest one, which can then be followed again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import tomllib
import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

NAMED = ("enums", "aliases", "types", "options", "messages", "unions", "mixins", "controls", "tools")


def write(spec: Path, folder: Path, before: str, release: str) -> Path:
    """Write the spec into a folder, without the changes of `release`, which is the release after `before`.

    Examples and the relations between options are omitted, since declarations do not contain them.
    """
    shutil.copytree(spec, folder, ignore=shutil.ignore_patterns("dialects", f"{release}.json", "polywire.schema.json"))
    parts = {path: yaml.compose(path.read_text(), Loader=yaml.CSafeLoader) for path in sorted(folder.glob("*.yaml"))}
    lost = {name for part in parts.values() for name in _lost(part, release)}
    for path, part in parts.items():
        _project(part, before, release, lost)
        path.write_text(yaml.serialize(part, width=110, allow_unicode=True))
    listed = (folder / "releases.toml").read_text()
    assert release in tomllib.loads(listed)["releases"]
    rows = listed.splitlines(keepends=True)
    (folder / "releases.toml").write_text("".join(row for row in rows if not row.startswith(f'"{release}"')))
    entries = (folder / "releases" / "differences.toml").read_text().split("[[difference]]\n")
    kept = (each for each in entries if f'since = "{release}"' not in each)
    text = "[[difference]]\n".join(each.replace(f'until = "{before}"\n', "") for each in kept)
    (folder / "releases" / "differences.toml").write_text(text)
    return folder


def said(node: Node, key: str) -> str | None:
    """Return the value of a key in a mapping, if it is a scalar."""
    found = value(node, key)
    return found.value if isinstance(found, ScalarNode) else None


def value(node: Node, key: str) -> Node | None:
    """Return the value of a key."""
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((inner for name, inner in pairs if name.value == key), None)


def _lost(part: Node, release: str) -> Iterator[str]:
    """Yield the names that a part declares since the release."""
    for section in NAMED:
        declared = value(part, section)
        for name, body in declared.value if isinstance(declared, MappingNode) else ():
            if said(body, "since") == release:
                yield name.value


def _project(node: Node, before: str, release: str, lost: set[str]) -> None:
    match node:
        case MappingNode():
            node.value = [
                (name, inner)
                for name, inner in node.value
                if not _is_gone(name.value, inner, before, release)
                and name.value not in {release, "examples", "conflicts", "unless", "with"}
                and said(inner, "input") not in lost
            ]
            for name, inner in node.value:
                _project(inner, before, release, lost)
                _as_it_was(name, inner)
        case SequenceNode():
            node.value = [
                each
                for each in node.value
                if said(each, "since") != release
                and not (isinstance(each, ScalarNode) and each.value in {*lost, release})
                and said(each, "name") not in lost
            ]
            for each in node.value:
                _project(each, before, release, lost)


def _is_gone(key: str, inner: Node, before: str, release: str) -> bool:
    """Return whether an entry was added by the release, or is an `until` that the release added."""
    return said(inner, "since") == release or (key == "until" and inner.value == before)


def _as_it_was(name: ScalarNode, inner: Node) -> None:
    """Restore the type and presence that a field had up to the release before."""
    was = value(inner, "was")
    if not isinstance(was, SequenceNode) or not was.value or said(was.value[-1], "until") is not None:
        return  # an entry that ends with the release before no longer has its `until`
    last = was.value.pop()
    for key, each in last.value:
        if key.value == "type":
            inner.value = [(k, each if k.value == "type" else v) for k, v in inner.value]
        elif key.value == "presence":
            name.value = name.value.removesuffix("?") + ("?" if each.value == "optional" else "")
    if not was.value:
        inner.value = [(k, v) for k, v in inner.value if k.value != "was"]
