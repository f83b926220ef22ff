"""The plan's launches → the tables of `launches.rs`, and the methods that add functions to options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Field
from polywire.plan import Plan
from polywire.plan.controls import FieldPath
from polywire.plan.launch import FunctionPlan, LaunchPlan, OptionPath
from polywire.source.types import Array, Map
from polywire.targets.common.naming import identifier, snake, words
from polywire.targets.rust.layout import INDENT, above, documentation, quoted
from polywire.targets.rust.names import FUNCTIONS, Home, Names, override, raw
from polywire.targets.rust.pairs import Pairs
from polywire.targets.rust.shapes import Shapes


@dataclass(frozen=True, slots=True)
class FunctionsView:
    """A method that adds functions: its name, and its row in the format of the macro."""

    name: str
    row: str
    signature: str
    """Its parameters besides the function, and the type of the function if it is called."""


class Launches:
    """Builds the records of a plan that start a process."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes, pairs: Pairs) -> None:
        self._plan = plan
        self._names = names
        self._shapes = shapes
        self._pairs = pairs

    def methods(self) -> dict[str, tuple[FunctionsView, ...]]:
        """The methods of each record, by the name of its struct."""
        return {each.struct.name: tuple(self._methods(each)) for each in self._plan.launches}

    def _methods(self, plan: LaunchPlan) -> Iterator[FunctionsView]:
        """A method for each path to functions that are called, or that change how a process is started."""
        called = [each for each in plan.functions if each.callback and (_is_called(each) or each.field.carry)]
        stems = Counter(self._name((each.field,)) for each in called)
        for each in called:
            stem = self._name((each.field,))
            name = stem if stems[stem] == 1 else self._name(each.path)
            yield self._method(each, raw(identifier(name, FUNCTIONS, "with_")))

    def _method(self, plan: FunctionPlan, name: str) -> FunctionsView:
        steps = list(_steps(plan.path, self._names))
        is_list = plan.callback is not None and plan.callback.several
        about = documentation(plan.field.about, f"The functions of `{plan.field.name}`.")
        what, type_, more = self._called(plan)
        more = " ".join(filter(None, (more, "Each call adds a function to the list." * is_list)))
        row = f"{name} {'list' if is_list else 'one'} [{' '.join(step for step, _ in steps)}] {{ {what} }}"
        text = above("\n\n".join(filter(None, (about, more))), None, INDENT)
        return FunctionsView(name, text + row, f"({', '.join(filter(None, [*(of for _, of in steps), type_]))})")

    def _called(self, plan: FunctionPlan) -> tuple[str, str, str]:
        """What calls a function, in the format of the macro; its type; and a sentence on its parameters."""
        call, pair = plan.callback, plan.pair
        if not _is_called(plan):
            return "placed", "", "A process does not call it."
        if call is None or pair is None:
            return "receives", "FnMut(&str)", ""
        self._shapes.home = Home(self._names.area_of(pair.control.place), self._names.needs.launch)
        params = [self._param(way) for way in plan.params]
        request = self._names.type(pair.request.name)
        returns = "()" if call.returns is None else self._shapes.of(call.returns)
        texts = (f"[{kind} {type_}; {self._pairs.steps(way)}]" if way else "[whole]" for kind, type_, way in params)
        types = [(f"Option<{type_}>" if kind == "maybe" else type_) if way else request for kind, type_, way in params]
        named = [f"`{each.name}`" for each, way in zip(call.params, plan.params, strict=True) if way]
        return (
            f"answers {request}, [{self._pairs.steps(plan.id)}] ({' '.join(texts)}) -> {returns}",
            f"Fn({', '.join(types)}) -> {returns}",
            f"The function takes {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}." if named else "",
        )

    def _param(self, way: FieldPath) -> tuple[str, str, FieldPath]:
        """A value that a function takes from a request: whether there always is one, its type, and the path to it."""
        if not way:
            return "whole", "", way
        field = way[-1].field
        kind = "sure" if self._pairs.is_sure(way) else "maybe"
        return kind, self._shapes.of(field.type, override(field.about, "type")), way

    def _name(self, way: OptionPath) -> str:
        """The keys on a path, as a name."""
        return "_".join(self._names.field(each).removeprefix("r#") for each in way if isinstance(each, Field))


def _is_called(plan: FunctionPlan) -> bool:
    """Whether a process calls a function."""
    return plan.callback is not None and (plan.pair is not None or plan.callback.receives is not None)


def _steps(path: OptionPath, names: Names) -> Iterator[tuple[str, str]]:
    """The steps of a path in the format of the macro, each with the type of its parameter; a field has none."""
    taken: Counter[str] = Counter()
    for each in path:
        match each:
            case Field(name=name):
                yield quoted(name), ""
                continue
            case Map(key=str() as enum):
                name, type_ = raw(identifier(snake(words(enum)), FUNCTIONS, "key")), names.type(enum)
            case Map():
                name, type_ = "key", "String"
            case Array():
                name, type_ = "index", ""
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name}_{taken[name]}"
        yield (f"{{ {name} {type_} }}", f"impl Into<{type_}>") if type_ else (f"{{ {name} }}", "usize")
