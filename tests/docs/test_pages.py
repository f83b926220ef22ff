"""The documentation pages: generated pages are up to date, links resolve, and the commands exist."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import click
import pytest

from polywire.checks import RULES
from polywire.commands.cli import cli
from polywire.conformance.process import CannotRunError
from polywire.conformance.testee import declared
from polywire.source import dialects
from sampling import turn

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the code host generates them."""
    prose = FENCE.sub("", text(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose)}


# --- generated pages -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def renew() -> ModuleType:
    spec = importlib.util.spec_from_file_location("renew", ROOT / "docs" / "renew.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_rules_is_what_the_rules_are(renew: ModuleType) -> None:
    assert text(ROOT / "docs/rules.md") == renew.rules_page(), f"renew it with: {renew.COMMAND} rules.md"


def test_the_page_of_names_has_what_the_targets_reserve(renew: ModuleType) -> None:
    assert text(ROOT / "docs/names.md") == renew.names_page(), f"renew it with: {renew.COMMAND} names.md"


def test_the_page_of_breaks_has_the_rules_as_they_are(renew: ModuleType) -> None:
    assert text(ROOT / "docs/breaking.md") == renew.breaking_page(), f"renew it with: {renew.COMMAND} breaking.md"


def test_the_page_of_dialects_is_what_the_spec_and_its_dialects_give(renew: ModuleType) -> None:
    assert text(ROOT / "docs/dialects.md") == renew.dialects_page(), f"renew it with: {renew.COMMAND} dialects.md"


def test_every_dialect_of_the_spec_has_a_section_with_one_table() -> None:
    sections = re.split(r"^## ", text(ROOT / "docs/dialects.md"), flags=re.MULTILINE)[1:]
    tables = {section.split("\n")[0]: section.count("|---|---|---|---|") for section in sections}
    named = dialects(ROOT / "spec")
    assert len(named) == 6
    assert {name: tables.get(name) for name in named} == dict.fromkeys(named, 1)


@pytest.mark.full
def test_the_page_of_ports_is_what_a_run_over_them_gives(renew: ModuleType) -> None:
    try:
        page = renew.ports_page()
    except CannotRunError as error:
        pytest.skip(f"a port by others cannot run here: {error}")
    assert text(ROOT / "docs/ports.md") == page, "renew it with: make ports"


@turn("page of releases")
def test_the_page_of_releases_is_what_a_run_gives(renew: ModuleType) -> None:
    assert text(ROOT / "docs/releases.md") == renew.releases_page(), f"renew it with: {renew.COMMAND} releases.md"


@turn("page of flavours")
def test_the_page_of_flavours_is_what_a_run_of_all_cases_over_them_gives(renew: ModuleType) -> None:
    try:
        page = renew.flavours_page()
    except CannotRunError as error:
        pytest.skip(f"the flavours cannot run here: {error}")
    assert text(ROOT / "docs/flavours.md") == page, f"renew it with: {renew.COMMAND} flavours.md"


@pytest.mark.full
def test_the_page_of_flavours_counts_every_case(renew: ModuleType) -> None:
    """The outcomes themselves are compared in turns only, as they take half a minute."""
    rows = re.findall(
        r"^\| (?:\[(.+)\]\(\S+\)|(derived: [^|]+)) \| ([\d /|]+) \|$", text(ROOT / "docs/flavours.md"), re.MULTILINE
    )
    counted = {
        (group or kind): {sum(map(int, cell.split("/"))) for cell in cells.split("|")} for group, kind, cells in rows
    }
    cases = Counter(case.group.removeprefix("tests/") for case in renew.flavours_cases()[1])
    assert counted == {group: {number} for group, number in cases.items()}


def test_every_port_that_is_declared_is_on_the_page_of_ports(renew: ModuleType) -> None:
    row = re.compile(r"^\| (\S+) \| \w+ \| \d[\d.]+ \|", re.MULTILINE)
    assert row.findall(text(ROOT / "docs/ports.md")) == [testee.name for testee in declared(ROOT / renew.FOREIGN)]


def test_the_page_of_rules_has_every_rule_once_with_its_severity_and_purpose() -> None:
    rows = re.findall(
        r"^\| \[`([a-z-]+)`\]\(\S+\) \| (\w+)[^|]* \| (.+) \|$", text(ROOT / "docs/rules.md"), re.MULTILINE
    )
    assert sorted(rows) == sorted((rule.id, rule.severity, rule.purpose) for rule in RULES.values())


# --- links -----------------------------------------------------------------------------------------------------


def test_the_index_lists_every_page() -> None:
    linked = {target.split("#")[0] for target in LINK.findall(text(ROOT / "docs/README.md"))}
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= linked


def test_the_index_keeps_guides_apart_from_pages_that_are_generated(renew: ModuleType) -> None:
    sections = re.findall(r"^## (.+)\n([^#]*)", text(ROOT / "docs/README.md"), re.MULTILINE)
    listed = {heading: {target.split("#")[0] for target in LINK.findall(body)} for heading, body in sections}
    generated = {*renew.PAGES} - {"breaking.md"}  # of which only the tables are generated
    assert listed.pop("Look up") == generated
    assert generated.isdisjoint(set().union(*listed.values()))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", text(page))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), target
        assert not anchor or anchor in anchors(goal), target


# --- commands --------------------------------------------------------------------------------------------------


def commands(page: Path) -> list[str]:
    """Return everything on a page that may be a command: lines with a prompt, and code between backticks."""
    typed = [line[2:] for _, block in FENCE.findall(text(page)) for line in block.splitlines() if line.startswith("$ ")]
    return [*typed, *re.findall(r"`([^`\n]+)`", FENCE.sub("", text(page)))]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_make_target_that_a_page_names_is_in_the_makefile(page: Path) -> None:
    named = {match[1] for each in commands(page) if (match := re.match(r"make ([a-z-]+)", each))}
    assert named <= set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_polywire_command_that_a_page_names_is_one_with_the_options_it_is_given(page: Path) -> None:
    assert isinstance(cli, click.Group)
    for each in commands(page):
        words = re.match(r"(?:\.venv/bin/)?polywire ([a-z]+)(.*)", each.split("#")[0])
        if words is None:
            continue
        command = cli.get_command(click.Context(cli), words[1])
        rest = words[2]
        while isinstance(command, click.Group) and rest.strip():
            word, _, rest = rest.strip().partition(" ")
            command = command.get_command(click.Context(command), word)
        assert command is not None, each
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, each


def test_the_readme_names_the_two_commands_that_do_everything() -> None:
    typed = [line[2:] for _, block in FENCE.findall(text(ROOT / "README.md")) for line in block.splitlines()]
    assert {"make generate", "make test"} <= set(typed)


def test_ci_runs_both_parts_of_the_tests_which_together_are_all_of_them() -> None:
    recipes = re.findall(
        r'^(test|test-all):.*\n\t.*\n\t@\$\(PYTEST\) -m "([a-z ]+)"(?: --durations=\d+)? \$\(TESTS\)$',
        text(ROOT / "Makefile"),
        re.MULTILINE,
    )
    assert recipes == [("test", "not full and not nightly"), ("test-all", "full and not nightly")]
    assert re.findall(r"^make ([\w-]+)$", text(ROOT / ".ci/run"), re.MULTILINE) == ["check", "lint", "test", "test-all"]


def test_the_readme_shows_what_make_generate_prints_in_a_fresh_checkout() -> None:
    entries = json.loads(text(ROOT / "generated/manifest.json"))["targets"]
    targets = [entry for entry in entries.values() if "input" not in entry]
    files = sum(len(target["files"]) for target in targets)
    add_ons = len(entries) - len(targets)
    shown = re.search(r"^\$ make generate\n(.*\n)*?\$ ", text(ROOT / "README.md"), re.MULTILINE)
    assert shown is not None
    assert shown[1].strip() == f"{files} files of {len(targets)} targets and {add_ons} add-ons: nothing to do"
