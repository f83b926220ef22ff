"""A tree of a spec → the values that an editor reads, for JSON Schemas of specs.

PyYAML reads YAML 1.1, in which `{name?: string}` is an error; editors read YAML 1.2.
"""

from __future__ import annotations

import json
from typing import Any

from polywire.source.tree import Listing, Node, Table, Text


def as_yaml(node: Node | None) -> Any:
    """Convert a tree to the values that an editor reads as YAML 1.2; without a tree, the value is null."""
    match node:
        case Table():
            return {entry.key.text: as_yaml(entry.value) for entry in node}
        case Listing():
            return [as_yaml(item) for item in node.items]
        case Text(text=text, plain=True) if node.null or text in {"true", "false"}:
            return None if node.null else text == "true"
        case Text(text=text, plain=True):
            try:
                return json.loads(text)
            except ValueError:
                return text
        case Text(text=text):
            return text
