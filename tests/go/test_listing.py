"""The Go listing: the code generated from it, and the table of differences in the README."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import go_listing as listing
from polywire.model.nodes import Model
from polywire.model.releases import Span
from polywire.model.walk import reach, uses, without_alias
from polywire.plan import make_plan
from polywire.source.types import NULL, Array, Choice, Map, Scalar, Type
from polywire.targets.go import TARGET
from rendered import generate, model_of
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
README = listing.ROOT / "generated" / "go" / "README.md"


def test_the_listing_has_all_declarations() -> None:
    kinds = Counter(declared.kind for declared in listing.declarations())
    assert kinds == {
        "named": 9,
        "struct": 48,
        "interface": 1,
        "field": 268,
        "constant": 69,
        "demand": 3,
        "method": 19,
        "function": 7,
    }  # fmt: skip  (a table)


LISTED = "the listing has it as any"
ONE_FIELD = "ContentBlock has one field for what blocks of all kinds contain"
ANY = {
    "PartialAssistantMessage.event": LISTED,
    "ControlResponse.response": LISTED,
    "HookCallbackRequest.input": LISTED,
    "QueryOptions.tools": LISTED,
    "MessageParam.content": LISTED,
    "McpToolResultBlock.content": ONE_FIELD,
    "WebSearchToolResultBlock.content": ONE_FIELD,
    "ToolResultBlockParam.content": ONE_FIELD,
    "WebSearchToolResultBlockParam.content": ONE_FIELD,
}
"""The fields of type any whose values the protocol describes, with the reason."""


def test_only_json_of_any_kind_is_any_but_for_fields_with_a_reason() -> None:
    plan = make_plan(model_of(listing.ROOT / "spec"))
    declared = {f"{each.name}.{field.name}": field for each in plan.model.structs for field in each.fields}
    items = [(".".join((of[0], of[-1])), go) for of, go in ((i.of, i.type) for i in TARGET.api_surface(plan))]
    fields = {name: declared[name] for name, go in items if name in declared and re.search(r"\bany\b", go)}
    assert {name for name, each in fields.items() if each.travels and not is_free(plan.model, each.type)} == set(ANY)


def is_free(model: Model, type_: Type) -> bool:
    """Whether a value is JSON of any kind, an object with any members, or a list or map of them."""
    match without_alias(type_, model.declarations):
        case Array(item=inner) | Map(value=inner):
            return is_free(model, inner)
        case Choice(members=members):
            return all(each == NULL or is_free(model, each) for each in members)
        case plain:
            return plain in {Scalar("json"), Scalar("object")}


def test_listed_types_and_settings_contain_each_other() -> None:
    """So settings cannot have a package of their own without moving names of the listing, as the README says."""
    declarations = model_of(listing.ROOT / "spec").declarations
    graph = {name: tuple(uses(each)) for name, each in declarations.items()}
    listed = {str(each).split(".")[0] for each in listing.declarations()}
    assert "Settings" in reach(graph, ["QueryOptions"])
    assert {"SandboxSettings", "PermissionMode"} <= reach(graph, ["Settings"]) & listed


@pytest.mark.parametrize("path", listing.FILES, ids=lambda path: path.name)
def test_the_code_is_that_of_the_listing(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == listing.FILES[path]()


def test_every_difference_is_of_something_listed() -> None:
    names = {str(declared) for declared in listing.declarations()}
    assert set(listing.EVERYTHING) <= names


def test_every_difference_stands_in_the_readme() -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    words = set(re.findall(r"[\w.]+", "\n".join(rows)))
    assert set(listing.EVERYTHING) - words == set()


@pytest.mark.full
def test_the_package_of_the_listed_release_differs_by_less(go: Toolchain, tmp_path: Path) -> None:
    """Differences caused by later releases are absent from the package of the listed release."""
    package = generate(TARGET, model_of(listing.ROOT / "spec", span=Span.at("0.2.33")), tmp_path / "package")
    module = (HERE / "go.mod").read_text("utf-8").replace("../../generated/go", str(package))
    (tmp_path / "go.mod").write_text(re.sub(r"(?m)^(\t|replace )bench .*\n", "", module), "utf-8")
    shutil.copy(HERE / "go.sum", tmp_path)
    (tmp_path / "listing_test.go").write_text(listing.assertions(listing.DIFFERENCES), "utf-8")
    done = go.run("go", "test", "-vet=off", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("ok  \t")
    assert "no tests to run" not in done.stdout
