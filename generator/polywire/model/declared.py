"""The tables of a spec's parts → declarations as written, each name once, and the shared code for reading them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from polywire.model.nodes import About, Example, Section
from polywire.source import Document, Sample, jsontext
from polywire.source.expr import RESERVED, UNREACHABLE
from polywire.source.grammar import SECTIONS
from polywire.source.reader import is_file_sample, is_value_sample
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text

SectionName: TypeAlias = Literal[
    "enums", "aliases", "types", "unions", "messages", "controls", "tools", "options", "trees", "tables"
]
Kind: TypeAlias = Literal["enum", "alias", "type", "union"]

KINDS: Mapping[SectionName, Kind] = MappingProxyType(
    {"enums": "enum", "aliases": "alias", "types": "type", "messages": "type", "options": "type", "unions": "union"}
)
"""The sections that share one namespace, and the kind of declaration that users of a name see."""

STRUCTS: Mapping[SectionName, Section] = MappingProxyType(
    {"types": "types", "messages": "messages", "options": "options"}
)

KIND_WORDS: Mapping[Kind, str] = MappingProxyType(
    {"enum": "an enum", "alias": "an alias", "type": "a type", "union": "a union"}
)


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration as written: its section, its key, and its body."""

    section: SectionName
    key: Text
    body: Table

    @property
    def name(self) -> str:
        return self.key.text

    @property
    def space(self) -> str:
        """Its namespace: controls, tools, trees and tables have their own; all other declarations share one."""
        return self.section if self.section in {"controls", "tools", "trees", "tables"} else "names"


def items_of(root: Table) -> Iterator[Item]:
    """The declarations of a part, in source order."""
    for section in root:
        if section.key.text in SECTIONS and isinstance(section.value, Table):
            for entry in section.value:
                if isinstance(entry.value, Table):
                    yield Item(cast("SectionName", section.key.text), entry.key, entry.value)


def collect(parts: Iterable[Document], faults: Faults) -> list[Item]:
    """All declarations in source order; if two have the same name, the first counts."""
    items: dict[tuple[str, str], Item] = {}
    for part in parts:
        for item in items_of(part.root):
            first = items.setdefault((item.space, item.name), item)
            if first is not item:
                twice(item.key, first.key, faults)
            elif item.space == "names":
                may_be_called(item.key, faults)
    return list(items.values())


def twice(again: Text, first: Text, faults: Faults) -> None:
    faults.add(
        "duplicate-name",
        again.place,
        f"`{again.text}` is already declared",
        f"the first declaration is at {first.place}",
    )


def may_be_called(name: Text, faults: Faults) -> None:
    if name.text in RESERVED:
        faults.add(
            "bad-name", name.place, f"`{name.text}` is a reserved word of the spec language", "give it another name"
        )
    if name.text in UNREACHABLE:
        faults.add("bad-name", name.place, f"`{name.text}` is null in YAML", "give it another name")


# --- reading checked trees -------------------------------------------------------------------------------------


def text(table: Table, key: str) -> str | None:
    node = table.get(key)
    return node.text if isinstance(node, Text) else None


def flag(table: Table, key: str, *, default: bool = False) -> bool:
    node = table.get(key)
    return node.text == "true" if isinstance(node, Text) else default


def listed(table: Table, key: str) -> tuple[Node, ...]:
    node = table.get(key)
    return node.items if isinstance(node, Listing) else ()


def texts(table: Table, key: str) -> tuple[Text, ...]:
    return tuple(item for item in listed(table, key) if isinstance(item, Text))


def entries(table: Table, key: str) -> tuple[Entry, ...]:
    node = table.get(key)
    return tuple(node) if isinstance(node, Table) else ()


def about(table: Table) -> About:
    """The prose and history of the thing that a table describes."""
    if not _ABOUT.keys() & table.entries.keys():
        return About()
    since, until = _bounds(table)
    formerly = table.get("formerly")
    return About(
        doc=text(table, "doc"),
        source=text(table, "source"),
        deprecated=text(table, "deprecated"),
        observed=flag(table, "observed"),
        since=since,
        until=until,
        formerly=text(formerly, "name") if isinstance(formerly, Table) else text(table, "formerly"),
        later=text(table, "later"),
        name=text(table, "name"),
        targets=_targets(table),
    )


def _bounds(table: Table) -> tuple[str | None, str | None]:
    """The first and last release of a table; for several intervals, the start of the first and the end of the last."""
    intervals = [item.text for item in texts(table, "in")]
    if not intervals:
        return text(table, "since"), text(table, "until")
    return intervals[0].partition("..")[0], intervals[-1].partition("..")[2] or None


_ABOUT = dict.fromkeys(
    ("doc", "source", "deprecated", "observed", "since", "until", "in", "formerly", "later", "name", "targets")
)


def _targets(table: Table) -> Mapping[str, Mapping[str, str]]:
    return MappingProxyType({e.key.text: _overrides(e.value) for e in entries(table, "targets")})


def _overrides(node: Node) -> Mapping[str, str]:
    """The overrides for a target; those in a mapping of their own have the keys of both, with a dot between them."""
    found = dict(words(node))
    for entry in node if isinstance(node, Table) else ():
        found |= {f"{entry.key.text}.{key}": word for key, word in words(entry.value).items()}
    return MappingProxyType(found)


def words(node: Node) -> Mapping[str, str]:
    """A mapping of texts."""
    found = node if isinstance(node, Table) else ()
    return MappingProxyType({e.key.text: e.value.text for e in found if isinstance(e.value, Text)})


def examples(table: Table, samples: Mapping[str, tuple[Sample, ...]]) -> tuple[Example, ...]:
    return tuple(e for node in listed(table, "examples") for e in _examples(node, samples))


def _examples(node: Node, samples: Mapping[str, tuple[Sample, ...]]) -> Iterator[Example]:
    if isinstance(node, Table) and is_file_sample(node):
        doc = text(node, "doc")
        for sample in samples.get(text(node, "file") or "", ()):
            yield Example(sample.text, doc, sample.place)
    elif isinstance(node, Table) and is_value_sample(node):
        yield Example(jsontext.text(node.entries["value"].value), text(node, "doc"), node.place)
    else:
        yield Example(jsontext.text(node), None, node.place)


def pointer(written: str) -> tuple[str, ...]:
    """A JSON Pointer as a tuple of keys."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in written.split("/")[1:])


def request_name(item: Item) -> str:
    """The name of a control's request type."""
    return text(item.body, "name") or f"{pascal(item.name)}Request"


def pascal(key: str) -> str:
    """`hold_parcel` → `HoldParcel`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", key))
