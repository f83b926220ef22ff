"""`names.toml` of a target → the words that its language reserves, and what its runtime and packages consist of.

A feature is something that only some packages have, such as controls (`polywire.plan.public`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from polywire.ground.parsing import toml_table

DATA = "names.toml"
"""The file, beside the modules of its target."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of a language that no spec decides."""

    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Lists of words, by names that the file explains."""
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Feature → the files of the runtime that packages with it have."""
    exports: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """Feature → module, or another group → the names that packages with the feature export."""
    templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """As `files`, for the files that have templates, in languages that list them."""

    @property
    def offered(self) -> frozenset[str]:
        """Every name that some package exports; they are reserved in every spec, whatever it contains."""
        return frozenset(name for groups in self.exports.values() for names in groups.values() for name in names)

    def files_of(self, features: Collection[str]) -> tuple[str, ...]:
        """The files of the runtime that a package with these features has, in the order of the data."""
        return _selected(self.files, features)

    def templates_of(self, features: Collection[str]) -> tuple[str, ...]:
        """The files that have templates, likewise."""
        return _selected(self.templates, features)

    def exports_of(self, features: Collection[str]) -> dict[str, str]:
        """The names that a package with these features exports, with their groups."""
        groups = [each for feature, found in self.exports.items() if feature in features for each in found.items()]
        return {name: group for group, names in groups for name in names}


def _selected(listed: Mapping[str, tuple[str, ...]], features: Collection[str]) -> tuple[str, ...]:
    return tuple(each for feature, found in listed.items() if feature in features for each in found)


def vocabulary(module: str) -> Vocabulary:
    """The data beside a module, given by its `__file__`."""
    data = toml_table(Path(module).with_name(DATA).read_bytes())
    return Vocabulary(
        {name: frozenset(words) for name, words in data["words"].items()},
        {feature: tuple(files) for feature, files in data["files"].items()},
        {
            feature: {group: tuple(names) for group, names in groups.items()}
            for feature, groups in data["exports"].items()
        },
        {feature: tuple(files) for feature, files in data.get("templates", {}).items()},
    )
