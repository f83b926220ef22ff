"""The plan → how code in Go reads each declaration."""

from __future__ import annotations

from collections.abc import Iterator

from polywire.model.nodes import Declaration, Enum, Struct, Union
from polywire.plan import Plan
from polywire.targets.common.base import Reading
from polywire.targets.go.layout import quoted
from polywire.targets.go.names import Names, override
from polywire.targets.go.package import module_name, package_name


def readings(plan: Plan) -> Iterator[Reading]:
    """Every type of the package, with the function that decodes it."""
    model = plan.model
    names, module, package = Names(model), module_name(model), package_name(model)
    for each in plan.public:
        function, name = _function(model.declarations[each.name], names, package)
        view = {"path": f"{module}/{package}", "package": package, "function": function, "name": name}
        yield Reading(each.name, names.type(each.name), view)


def _function(declared: Declaration, names: Names, package: str) -> tuple[str, str | None]:
    """The function, and the declaration's name in the spec if that is the function's first argument."""
    match declared:
        case Union():
            return f"Unmarshal{names.own(declared.name)}", None
        case Struct() | Enum() if override(declared.about, "as") is None:
            if override(declared.about, "layout") != "string":
                return f"Decode[{package}.{names.type(declared.name)}]", None
    return "DecodeAs", quoted(declared.name)
