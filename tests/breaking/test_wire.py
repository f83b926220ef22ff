"""Findings about messages agree with the packages of both versions: breaks are real, and notes break nothing.

Instances are derived from the writer's spec, encoded by the writer's package and decoded by the reader's.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from breaking.fixtures_support import BREAKS, FIXTURES, NOTES, findings, pair
from polywire.model.nodes import Model
from polywire.oracle.instances import derive
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import render


@dataclass(frozen=True)
class Version:
    """One version of a fixture, and its package."""

    model: Model
    package: ModuleType

    def texts(self, *, strictly: bool) -> Iterator[tuple[str, str, str]]:
        """Type, variant and text of the instances that this version declares, or also of those that it tolerates."""
        for instance in derive(self.model):
            outcome = instance.strict if strictly else instance.lenient
            if outcome.ok:
                written = self.package.encode(self.package.decode(instance.text, instance.type), instance.type)
                yield instance.type, str(outcome.variant), written.decode()


@dataclass(frozen=True)
class Read:
    """The result of decoding a text."""

    code: str | None
    known: bool = False
    """Whether it was decoded as the variant that was written, without unknown parts."""
    strict: bool = False
    same: bool = False
    """Whether it is encoded again as the same JSON."""


Versions: TypeAlias = "Callable[[str], tuple[Version, Version]]"


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Versions]:
    """Generate the packages of a rule's fixture, each with a different name."""
    folder = tmp_path_factory.mktemp("packages")

    def made(rule: str) -> tuple[Version, Version]:
        old, new = pair(rule)
        return version(old, f"old_{rule}"), version(new, f"new_{rule}")

    def version(model: Model, name: str) -> Version:
        module = name.replace("-", "_")
        named = replace(model, packages={**model.packages, "python": {"module": module}})
        for path, contents in render(registry()["python"], make_plan(named)).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(contents)
        importlib.invalidate_caches()
        return Version(model, importlib.import_module(module))

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield made


def read(reader: Version, root: str, variant: str, text: str) -> Read:
    package = reader.package
    try:
        seen = package.examine(text, root)
    except package.DecodeError as error:
        return Read(error.code)
    try:
        package.decode(text, root, strict=True)
        strict = True
    except package.DecodeError:
        strict = False
    same = json.loads(package.encode(seen.value, root)) == json.loads(text)
    return Read(None, seen.variant == variant and not seen.unknown, strict, same)


def sent(writer: Version, reader: Version, *, strictly: bool = True) -> list[Read]:
    """The results of decoding all that one version writes with the other; a root is decoded as the reader's root."""
    line, here = writer.model.protocol.roots[0], reader.model.protocol.roots[0]
    return [
        read(reader, here if type_ == line else type_, variant, text)
        for type_, variant, text in writer.texts(strictly=strictly)
        if type_ in reader.model.declarations
    ]


def evidence(rule: str, old: Version, new: Version) -> bool | None:
    """The result of the fixture's `evidence.py`, or None if it has none."""
    file = FIXTURES / rule / "evidence.py"
    if not file.is_file():
        return None
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)  # noqa: S102 (a program of the fixture)
    differs: bool = space["differs"](old.package, new.package)
    return differs


@pytest.mark.parametrize("rule", BREAKS)
def test_a_break_is_real(rule: str, versions: Versions) -> None:
    old, new = versions(rule)
    told = evidence(rule, old, new)
    if told is not None:
        assert told
        return
    for finding in (each for each in findings(rule) if each.rule.id == rule):
        assert finding.directions
        for newer, verdict in {(direction.newer, direction.verdict) for direction in finding.directions}:
            writer, reader = (old, new) if newer == "reader" else (new, old)
            assert_so(verdict, sent(writer, reader), sent(writer, reader, strictly=False))
        if finding.rule.category == "BEHAVIOUR":
            assert {direction.verdict for direction in finding.directions} == {"unknown"}


def assert_so(verdict: str, declared: list[Read], allowed: list[Read]) -> None:
    """`declared` are the results for what the writer's spec declares, `allowed` also those for what it tolerates."""
    if verdict == "refused":
        assert any(each.code for each in allowed)
    elif verdict == "lost":
        assert any(not each.known for each in declared)
    else:
        assert [each.code for each in declared if each.code] == []
        assert any(not each.strict for each in declared)


@pytest.mark.parametrize("rule", NOTES)
def test_a_note_breaks_nothing(rule: str, versions: Versions) -> None:
    old, new = versions(rule)
    for writer, reader in ((old, new), (new, old)):
        read_so = sent(writer, reader)
        assert read_so
        assert [each for each in read_so if each.code or not each.same] == []
    assert all(each.strict and each.known for each in sent(old, new))
    assert evidence(rule, old, new) is not True


@pytest.mark.parametrize("target", registry())
def test_no_package_names_a_peer(target: str) -> None:
    old, new = pair("peer-renamed")
    assert new.protocol.peers != old.protocol.peers
    made = registry()[target]
    assert render(made, make_plan(replace(new, spec_hash=old.spec_hash))) == render(made, make_plan(old))


def test_the_pairs_of_versions_work_where_nothing_has_changed(versions: Versions) -> None:
    old, _ = versions("tag-changed")
    assert {(each.code, each.known, each.strict, each.same) for each in sent(old, old)} == {(None, True, True, True)}
