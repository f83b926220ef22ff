"""Unions of the plan → methods that need no match: for the discriminator's value, and for the shared members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polywire.model.nodes import Switch, Union
from polywire.model.walk import structs_of
from polywire.plan import Plan
from polywire.plan.shared import SharedMember
from polywire.targets.rust.layout import INDENT, above, arm, chain, documentation, quoted
from polywire.targets.rust.names import Names, variant_types
from polywire.targets.rust.shapes import COPIED, Shapes

NONE = "\n\nNone if the value does not have it."
KIND = "kind"
"""The accessor of the discriminator."""


@dataclass(frozen=True, slots=True)
class AccessorView:
    """A method: its return type, and the arms of its match."""

    name: str
    above: str
    type: str
    arms: tuple[str, ...]


class Accessors:
    """Builds the accessors of a plan."""

    def __init__(self, plan: Plan, names: Names, shapes: Shapes) -> None:
        self._plan = plan
        self._model = plan.model
        self._names = names
        self._shapes = shapes

    def of(self, union: Union) -> tuple[AccessorView, ...]:
        """The accessors of a union; that of the discriminator comes first."""
        kind = self._kind(union)
        found = {} if kind is None else {KIND: kind}
        for shared in self._plan.unions[union.name].shared:
            name = self._name(shared)
            found.setdefault(name, self._member(union, shared, name))
        return tuple(found.values())

    # The discriminator.

    def _kind(self, union: Union) -> AccessorView | None:
        """The accessor of the discriminator; None if it is not a string, or if a variant may lack it."""
        dispatch = union.dispatch
        if not isinstance(dispatch, Switch) or dispatch.base != "string":
            return None
        tags = {name: self._model.struct(name).tag(dispatch.key) for name in structs_of(dispatch)}
        if not all(tag is not None and (tag.constant is not None or not tag.optional) for tag in tags.values()):
            return None
        return AccessorView(
            name=KIND,
            above=above(f"The value of `{dispatch.key}`, which selects the variant.", None, INDENT),
            type="Cow<'_, str>",
            arms=tuple(self._kinds(union, dispatch.key, "{}")),
        )

    def _kinds(self, union: Union, key: str, place: str) -> Iterator[str]:
        """The arms for the variants of a union; `place` is the position of the union in the pattern."""
        for name, variant in self._names.variants(union).items():
            pattern = place.format(f"{self._names.type(union.name)}::{variant}({{}})")
            inner = self._plan.unions.get(name)
            structs = [self._model.struct(each) for each in ((name,) if inner is None else inner.structs)]
            constants = {tag.constant for each in structs if (tag := each.tag(key)) is not None}
            if len(constants) == 1 and None not in constants:
                yield arm(pattern.format("_"), chain(quoted(str(constants.pop())), ".into()"), 12)
            elif inner is not None:
                yield from self._kinds(inner.union, key, pattern)
            else:
                field = next(each for each in structs[0].wire_fields if each.tag is not None and each.tag.key == key)
                yield arm(pattern.format("value"), f"value.{self._names.field(field)}.as_str().into()", 12)
        if union.open:
            pattern = place.format(f"{self._names.type(union.name)}::Unknown(value)")
            yield arm(pattern, f"value.text({quoted(key)})", 12)

    def _opens(self, union: Union) -> bool:
        """Whether a value may be an Unknown."""
        nested = (self._plan.unions[name].union for name in variant_types(union.dispatch) if name in self._plan.unions)
        return union.open or any(map(self._opens, nested))

    # Shared members.

    def _name(self, shared: SharedMember) -> str:
        return self._names.accessor(next(iter(shared.fields.values())))

    def _member(self, union: Union, shared: SharedMember, name: str) -> AccessorView:
        always = self._is_always_there(union, shared)
        arms = list(self._arms(union, shared, "{}", always=always))
        if union.open and shared.is_everywhere:
            arms.append(arm(f"{self._names.type(union.name)}::Unknown(_)", "None", 12))
        elif not shared.is_everywhere:
            arms.append(arm("_", "None", 12))
        texts = {documentation(field.about, "").split("\n\n")[0] for field in shared.fields.values()}
        text = f"{texts.pop() if len(texts) == 1 else ''}{'' if always else NONE}"
        type_ = self._type(shared) if always else f"Option<{self._type(shared)}>"
        return AccessorView(name, above(text, None, INDENT), type_, tuple(arms))

    def _type(self, shared: SharedMember) -> str:
        type_ = self._shapes.of(shared.type)
        if type_ in COPIED:
            return type_
        return "&str" if type_ == "String" else f"&{type_}"

    def _is_always_there(self, union: Union, shared: SharedMember) -> bool:
        plain = (self._shapes.field(each) == self._shapes.of(each.type) for each in shared.fields.values())
        return shared.is_everywhere and not self._opens(union) and all(plain)

    def _arms(self, union: Union, shared: SharedMember, place: str, *, always: bool) -> Iterator[str]:
        """The arms for the variants that have the member; `place` is the position of the union in the pattern."""
        for name, variant in self._names.variants(union).items():
            pattern = place.format(f"{self._names.type(union.name)}::{variant}({{}})")
            inner = self._plan.unions.get(name)
            if inner is None:
                if (field := shared.fields.get(name)) is not None:
                    member = f"value.{self._names.field(field)}"
                    copied = self._shapes.of(field.type) in COPIED
                    value = member if always and copied else f"&{member}" if always else f"shared(&{member})"
                    yield arm(pattern.format("value"), value, 12)
            elif (same := next((each for each in inner.shared if each.key == shared.key), None)) is not None:
                value = f"value.{self._name(same)}()"
                if not always and self._is_always_there(inner.union, same):
                    value = f"Some({value})"
                yield arm(pattern.format("value"), value, 12)
            else:
                yield from self._arms(inner.union, shared, pattern, always=always)
