"""The examples of a spec → the one that the package's documentation is written with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from polywire.engine import Fault
from polywire.model.nodes import Model, Union
from polywire.reference import decode
from polywire.targets.go.names import Names
from polywire.targets.go.shapes import is_flat
from polywire.targets.go.unions import wraps


@dataclass(frozen=True, slots=True)
class Sample:
    """A line that every mode takes, written as encoders write it."""

    text: str
    go: str
    """The Go type that it is decoded as."""
    key: str
    """A key that it does not have, nor its type."""
    dull: bool
    """Whether it has hardly any fields."""

    @property
    def newer(self) -> str:
        """The line with that key."""
        return f'{self.text[:-1]},"{self.key}":true}}'


def sample(model: Model, names: Names) -> Sample | None:
    """The shortest example of a line that says something, if there is any; a root that is flat has no kinds to show."""
    root = model.declarations[model.protocol.roots[0]]
    if not isinstance(root, Union) or is_flat(root):
        return None
    return min(_samples(model, names, root), key=lambda each: (each.dull, len(each.text), each.text), default=None)


def _samples(model: Model, names: Names, root: Union) -> Iterator[Sample]:
    for leaf, flat in dict.fromkeys(wraps(root.dispatch, model)):
        struct = model.struct(leaf)
        for example in struct.examples:
            try:
                decoded = decode(model, root.name, example.text, strict=True)
            except Fault:
                continue
            text = json.dumps(decoded.value, ensure_ascii=False, separators=(",", ":"))
            if decoded.variant == leaf and text.isprintable() and all(map(_plain, decoded.value.values())):
                taken = {each.name for each in struct.fields}
                key = next(word for word in ("newer", "newer_still", "newest") if word not in taken)
                yield Sample(text, names.type(flat or leaf), key, len(struct.fields) < 2)


def _plain(value: object) -> bool:
    """Whether a value is written the same way by whoever writes it: no numbers but integers, and no maps."""
    match value:
        case list():
            return all(map(_plain, value))
        case dict() | float():
            return False
        case _:
            return True
