"""A target for the tests of the naming rules, so that they do not depend on the names that real targets choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from polywire.ground.location import NOWHERE, SourceLocation
from polywire.model.nodes import About, Model
from polywire.targets.common.base import File, Misuse, Name, Target


class Demo(Target):
    """A target that lower-cases names and removes `_`; the name `api` is reserved."""

    name: ClassVar[str] = "demo"
    override_keys: ClassVar[frozenset[str]] = frozenset({"name", "layout"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"module", "extra"})
    add_on_keys: ClassVar[Mapping[str, tuple[str, ...]]] = {"extra": ("thin", "thick")}

    def names(self, model: Model) -> Iterable[Name]:
        yield Name("module", "api", "api", "the word api", NOWHERE)
        for declaration in model.declarations.values():
            yield _named("module", declaration.name, declaration.name, declaration.about, declaration.place)
        for enum in model.enums:
            for value in enum.values:
                what = f"value {value.name} of {enum.name}"
                yield _named(f"values of {enum.name}", what, value.name, value.about, value.place)
        for struct in model.structs:
            for field in struct.wire_fields:
                what = f"field {field.name} of {struct.name}"
                yield _named(f"fields of {struct.name}", what, field.name, field.about, field.place)

    def misuses(self, model: Model) -> Iterable[Misuse]:
        for struct in model.structs:
            layout = struct.about.targets.get("demo", {}).get("layout")
            if layout not in {None, "flat"}:
                yield Misuse(struct.place, "layout", f"{struct.name} cannot be laid out as `{layout}`")

    def files(self, model: Model) -> Iterator[File]:
        raise NotImplementedError


def _named(scope: str, what: str, stem: str, about: About, place: SourceLocation) -> Name:
    default = (about.name or stem).replace("_", "").lower()
    given = about.targets.get("demo", {}).get("name")
    return Name(scope, given or default, default, what, place, overridden=given is not None)


def registry() -> Mapping[str, Target]:
    return {"demo": Demo()}
