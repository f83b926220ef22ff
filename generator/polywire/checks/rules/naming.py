"""Rules on names: the names that targets generate are distinct, and overrides have an effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from polywire.checks.context import RuleContext
from polywire.checks.rule import Rule, Violation
from polywire.checks.rules.graph import annotated
from polywire.ground.location import NOWHERE, SourceLocation
from polywire.ground.paths import NO_DEVICE
from polywire.ground.words import nearest
from polywire.targets import registry
from polywire.targets.common.base import Name, Target


def _asked(context: RuleContext) -> Iterator[Target]:
    """The targets in which names must be distinct."""
    yield from (target for name, target in registry().items() if context.targets is None or name in context.targets)


def _name_collision(context: RuleContext) -> Iterator[Violation]:
    for target in _asked(context):
        first: dict[tuple[str, str], Name] = {}
        reported: set[tuple[SourceLocation, SourceLocation]] = (
            set()
        )  # a mixin's members collide in every type that includes it
        for name in context.names(target):
            taken = first.setdefault((name.scope, name.name), name)
            both = (taken.place, name.place)
            if taken.of != name.of and both not in reported:
                reported.add(both)
                yield _collision(context, target, name, taken)


def _collision(context: RuleContext, target: Target, name: Name, taken: Name) -> Violation:
    if name.place == NOWHERE:
        name, taken = taken, name
    where = f" ({taken.place})" if taken.place != NOWHERE else ""
    return Violation(
        context.at(name.place, "targets", target.name, *name.key.split(".")),
        f"in {target.name}, {name.of} has the same name as {taken.of}{where}: `{name.name}`",
        "rename one of them" if not name.key else f"rename it with `targets: {{{target.name}: {{{name.key}: …}}}}`",
    )


def _unused_override(context: RuleContext) -> Iterator[Violation]:
    declared = {d.place: d.name for d in context.model.declarations.values()}
    for about, place, what in annotated(context.model):
        if about.name is not None and about.name == declared.get(place):
            yield Violation(context.at(place, "name"), f"{what} is already named `{about.name}`", "remove `name`")
        for target_name, overrides in about.targets.items():
            if target_name in registry():
                yield from _unknown_to(registry()[target_name], overrides, context, place)
    for target in _asked(context):
        yield from _names_as_by_default(context, target)


def _unknown_to(
    target: Target, overrides: Mapping[str, str], context: RuleContext, place: SourceLocation
) -> Iterator[Violation]:
    for key in overrides:
        if key not in target.override_keys:
            where = context.at(place, "targets", target.name, *key.split("."))
            yield Violation(where, f"{target.name} does not support `{key}`", _near(key, target.override_keys))


def _bad_override(context: RuleContext) -> Iterator[Violation]:
    for about, place, what in annotated(context.model):
        for name, overrides in about.targets.items():
            target = registry().get(name)
            if target is None:
                continue  # reported separately
            for key in sorted(target.name_keys & overrides.keys()):
                given = overrides[key]
                if not re.fullmatch(target.identifier, given):
                    where = context.at(place, "targets", target.name, *key.split("."))
                    yield Violation(where, f"`{given}` cannot be the {key} of {what} in {target.name}")


def _misused_override(context: RuleContext) -> Iterator[Violation]:
    for target in _asked(context):
        for misuse in target.misuses(context.model):
            yield Violation(context.at(misuse.place, "targets", target.name, *misuse.key.split(".")), misuse.message)


def _names_as_by_default(context: RuleContext, target: Target) -> Iterator[Violation]:
    """For a dialect, only its own overrides: one of the spec proper may have an effect there alone."""
    reported: set[tuple[SourceLocation, str]] = set()
    for name in context.names(target):
        if name.overridden and name.name == name.default and (name.place, name.key) not in reported:
            reported.add((name.place, name.key))
            place = context.at(name.place, "targets", target.name, *name.key.split("."))
            if context.owns(place):
                yield Violation(place, f"{name.of} is already named `{name.name}` in {target.name}", "remove the entry")


def _unused_package(context: RuleContext) -> Iterator[Violation]:
    for target in registry().values():
        for key in context.model.packages.get(target.name, {}):
            if key not in target.package_keys:
                place, _ = context.below("packages", target.name, key)
                message = f"the packages of {target.name} have no `{key}`"
                yield Violation(place, message, _near(key, target.package_keys))


_PART = rf"{NO_DEVICE}[A-Za-z0-9_](?:[A-Za-z0-9._~-]*[A-Za-z0-9_~-])?"
_PACKAGE = rf"@?{_PART}(/{_PART})*"


def package_forms(target: Target | None, key: str) -> tuple[str, ...]:
    """The patterns that the name of a package must match: the general one, and that of the target if it has one."""
    own = target.package_forms.get(key) if target is not None else None
    return (_PACKAGE,) if own is None else (_PACKAGE, own)


def package_fault(target: Target | None, key: str, value: str) -> str | None:
    """Why a package of the target cannot have the name, or None if it can."""
    words = target.add_on_keys.get(key) if target is not None else None
    if words is not None:
        wanted = " or ".join(f"`{word}`" for word in words)
        return None if value in words else f"`{key}` cannot be `{value}`: it is {wanted}"
    if target is not None and key in target.package_prose:
        return None
    anybody, *own = (re.fullmatch(form, value) for form in package_forms(target, key))
    if not anybody:
        expected = "one word, or words separated by `/`, none of them a device on Windows such as `nul`"
        return f"`{value}` cannot be the {key} of a package: expected {expected}"
    return None if target is None or all(own) else f"`{value}` cannot be the {key} of a package in {target.name}"


def _bad_package(context: RuleContext) -> Iterator[Violation]:
    for target, settings in context.model.packages.items():
        for key, value in settings.items():
            fault = package_fault(registry().get(target), key, value)
            if fault is not None:
                yield Violation(context.below("packages", target, key)[1], fault)


_SEMVER = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}")
"""A version that npm, PyPI, Cargo and Go all accept."""


def _bad_version(context: RuleContext) -> Iterator[Violation]:
    version = context.model.protocol.package_version
    if not _SEMVER.fullmatch(version):
        message = f"`{version}` is not a version: expected three numbers such as `1.2.0`"
        yield Violation(context.below("packages", "version")[1], message)


def _missing_changelog(context: RuleContext) -> Iterator[Violation]:
    """Not reported for a spec without any `changes`, whose changelog is kept elsewhere."""
    protocol = context.model.protocol
    current = protocol.package_version
    if protocol.changes and protocol.changes[0][0] != current:
        place, _ = context.below("packages", "changes", protocol.changes[0][0])
        message = f"the version is {current}, but the first entry of `changes` is for {protocol.changes[0][0]}"
        yield Violation(place, message, f"add an entry for {current} before it")


def _near(key: str, known: frozenset[str]) -> str:
    return next((f"did you mean `{name}`?" for name in nearest(key, sorted(known))), _all(known))


def _all(known: frozenset[str]) -> str:
    return f"its keys are {', '.join(f'`{name}`' for name in sorted(known))}" if known else "it has no keys"


def _misspelt_target(context: RuleContext) -> Iterator[Violation]:
    """Entries for unknown targets, which may be future ones, are allowed unless they resemble a known name."""
    known = registry()
    for name in context.model.packages:
        yield from _nearly(name, known, context.below("packages", name)[0])
    for about, place, _ in annotated(context.model):
        for name in about.targets:
            yield from _nearly(name, known, context.at(place, "targets", name))


def _nearly(name: str, known: Mapping[str, Target], place: SourceLocation) -> Iterator[Violation]:
    near = [] if name in known else nearest(name, known)
    if near:
        yield Violation(place, f"there is no target `{name}`", f"did you mean `{near[0]}`?")


RULES = (
    Rule(
        "name-collision",
        "No two declarations of one scope have the same name in a target.",
        "error",
        "naming",
        _name_collision,
    ),
    Rule("unused-override", "An override for a target has an effect.", "error", "naming", _unused_override),
    Rule("bad-override", "A name given for a target is valid in that target.", "error", "naming", _bad_override),
    Rule(
        "misused-override",
        "A setting for a target is one that the target supports.",
        "error",
        "naming",
        _misused_override,
        needs_sound=True,
    ),
    Rule("misspelt-target", "An entry for a target names an existing target.", "warning", "naming", _misspelt_target),
    Rule(
        "bad-version",
        "The version of the packages is accepted by every package manager.",
        "error",
        "naming",
        _bad_version,
    ),
    Rule(
        "missing-changelog",
        "The first entry of `changes` is for the current version.",
        "warning",
        "naming",
        _missing_changelog,
    ),
    Rule(
        "bad-package",
        "The name of a package does not contain a path out of its folder.",
        "error",
        "naming",
        _bad_package,
    ),
    Rule(
        "unused-package",
        "A package setting is one that its target supports.",
        "error",
        "naming",
        _unused_package,
    ),
)
