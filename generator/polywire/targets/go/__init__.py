"""The model → a Go module: structs with the names that Go users expect, and tables that one engine interprets.

| module | produces from the plan |
|---|---|
| `names` | names in Go, and reserved names |
| `choices` | names for inline unions |
| `shapes`, `structs`, `unions` | Go types: the type of a value, the structs, and what they embed and share |
| `construct`, `pairs` | functions that create and unwrap messages |
| `tables` | the tables for the engine of the runtime |
| `declarations`, `layout`, `docs` | types, fields and comments, formatted like gofmt |
| `sample` | the examples in the package's documentation |
| `package` | the view for all templates |

The library part of the package is plain source in `runtimes/go/`.

Overrides for Go in the spec, under `targets: {go: {…}}`:

- `name`: of a declaration, field, value or constructor.
- `layout`: of a mixin `embed` (structs that include it embed it), of a union `flat` (one struct for all variants), of
  an enum `string` (an alias of string, not a separate type).
- `kinds`: of an alias with several kinds of values, the fields for those that are no objects with members
  (`{string: Raw, array: Blocks}`); it is then one struct, and otherwise an interface.
- `as`: of a struct or union, another one whose Go type it shares.
- `embed`: of a struct, the struct that it embeds; of a union, the struct that all variants embed.
- `tag`: of a union, the enum whose Go type the discriminator has.
- `prefix`: of an enum, the prefix of its constants.
- `type`: of a field `any`, `pointer` or `value`; of a callback the name of its type; of a live object
  `context`.
- `context`: of a callback that answers requests `false`, if its first parameter is no context.
- `text`: of a constructor, the parameter that is a string though its field can hold other types.
- `record`, `parameter`: of a constructor, the struct whose fields replace the parameters of the same names, and the
  name of the parameter that takes this struct.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from polywire.model.nodes import Model
from polywire.targets.common.base import LICENSE, File, Misuse, Name, Reading, RuntimeFile, Target
from polywire.targets.common.naming import pattern
from polywire.targets.go.choices import with_named_choices
from polywire.targets.go.names import (
    KEYWORDS,
    KINDS,
    PACKAGES,
    PLACEHOLDER,
    PROCESS_PLACEHOLDER,
    RESERVED,
    VOCABULARY,
    Names,
)

if TYPE_CHECKING:
    from polywire.plan import Plan
    from polywire.targets.common.api_surface import ApiItem


class GoTarget(Target):
    """The Go module of a spec."""

    name: ClassVar[str] = "go"
    title: ClassVar[str] = "Go"
    override_keys: ClassVar[frozenset[str]] = KINDS | frozenset(
        {"name", "layout", "as", "embed", "tag", "prefix", "type", "context", "text", "record", "parameter"}
    )
    name_keys: ClassVar[frozenset[str]] = KINDS | {"name"}
    reference_keys: ClassVar[frozenset[str]] = frozenset({"as", "embed", "tag", "record"})
    package_keys: ClassVar[frozenset[str]] = frozenset({"module", "package", "readme", "published"})
    package_flags: ClassVar[frozenset[str]] = frozenset({"published"})
    package_prose: ClassVar[frozenset[str]] = frozenset({"readme"})
    package_forms = MappingProxyType({"package": pattern("[a-z][a-z0-9_]*", PACKAGES.names)})
    reserved = RESERVED
    identifier: ClassVar[str] = pattern("[A-Z][A-Za-z0-9]*", KEYWORDS)

    def names(self, model: Model) -> Iterable[Name]:
        return Names(with_named_choices(model)).all()

    def misuses(self, model: Model) -> Iterable[Misuse]:
        from polywire.targets.go.overrides import disagreements, misuses

        model = with_named_choices(model)
        return [*misuses(model)] or disagreements(model)

    def api_surface(self, plan: Plan) -> Iterable[ApiItem]:
        from polywire.targets.go.api_surface import api_surface

        return api_surface(_named(plan))

    def files(self, plan: Plan) -> Iterable[File]:
        from polywire.targets.go.package import ABOUT, package, package_name

        plan = _named(plan)
        view = package(plan)
        yield LICENSE
        for path in ABOUT:
            yield File(path, f"{path}.j2", view)
        for path in VOCABULARY.templates_of(plan.features):
            yield File(f"{package_name(plan.model)}/{path}", f"{path}.j2", view)

    def runtime(self, plan: Plan) -> Iterable[RuntimeFile]:
        from polywire.targets.go.package import module_name, package_name

        folder = package_name(plan.model)
        parent = {PROCESS_PLACEHOLDER: f"{module_name(plan.model)}/{folder}"}
        for path in VOCABULARY.files_of(plan.features):
            is_apart = path.startswith("process/")
            if not is_apart or "process" in plan.features:
                yield RuntimeFile(f"{folder}/{path}", path, parent if is_apart else {PLACEHOLDER: folder})

    def readings(self, plan: Plan) -> Iterable[Reading]:
        from polywire.targets.go.readings import readings

        return readings(plan)


def _named(plan: Plan) -> Plan:
    """The plan of the same spec, in which every inline union is an alias."""
    from polywire.plan import make_plan

    return make_plan(with_named_choices(plan.model))


TARGET = GoTarget()
