"""Add-ons: an external tool runs only if its output is outdated, and is not needed otherwise."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from polywire.commands.cli import cli
from polywire.targets.common.base import AddOn, AddOnError, MissingToolError
from polywire.targets.common.header import Header
from polywire.targets.python import flavours
from polywire.writing.comparing import compare
from polywire.writing.output import write
from polywire.writing.results import AddOns, OutputError, ToolError, Trees

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"
HEADER = Header("1.0", "parcel", "2.0", "a" * 64)
MARK = f"# {HEADER.mark}\n".encode()
TREES = {"one": {"a.py": MARK}, "one-more": {"about.md": MARK}}


class Tool:
    """Generates the files of an add-on, and counts its runs."""

    def __init__(self) -> None:
        self.asked = 0
        self.fault: AddOnError | None = None

    def make(self) -> Mapping[str, bytes]:
        self.asked += 1
        if self.fault:
            raise self.fault
        return {"x.py": MARK + b"x\n", "deep/y.py": MARK + b"y\n"}

    def add_ons(self, made_of: str = "1" * 64) -> dict[str, AddOn]:
        return {"one-more": AddOn("more", made_of, self.make)}


@pytest.fixture
def tool() -> Tool:
    return Tool()


def of(add_ons: AddOns | None, trees: Trees) -> Trees:
    """Return the trees of a run with these add-ons."""
    return {name: files for name, files in trees.items() if name == "one" or name in (add_ons or {})}


def put(out: Path, add_ons: AddOns | None, trees: Trees = TREES) -> list[tuple[str, str]]:
    found = write(out, of(add_ons, trees), HEADER, whole=True, add_ons=add_ons)
    return [(change.action, change.path) for change in found]


def drifts(out: Path, add_ons: AddOns | None) -> list[tuple[str, str]]:
    found = compare(out, of(add_ons, TREES), HEADER, whole=True, add_ons=add_ons)
    return [(drift.kind, drift.path) for drift in found]


# --- in memory and on disk -------------------------------------------------------------------------------------


def test_an_add_on_is_made_once_and_then_only_where_its_input_changes(tmp_path: Path, tool: Tool) -> None:
    assert put(tmp_path, tool.add_ons()) == [
        ("created", "one-more/about.md"),
        ("created", "one-more/deep/y.py"),
        ("created", "one-more/x.py"),
        ("created", "one/a.py"),
    ]
    assert put(tmp_path, tool.add_ons()) == []
    assert (tool.asked, drifts(tmp_path, tool.add_ons())) == (1, [])
    assert put(tmp_path, tool.add_ons("2" * 64)) == []
    assert (tool.asked, drifts(tmp_path, tool.add_ons("2" * 64))) == (2, [])


def test_the_manifest_has_its_input_in_place_of_the_specs_hash(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    entries = json.loads((tmp_path / "manifest.json").read_bytes())["targets"]
    assert (entries["one"]["spec"], entries["one-more"]["input"]) == ("a" * 64, "1" * 64)
    assert entries["one-more"].keys() == {"generator", "protocol", "input", "files"}
    assert entries["one-more"]["files"].keys() == {"one-more/about.md", "one-more/deep/y.py", "one-more/x.py"}


def test_what_differs_is_told_without_the_tool(tmp_path: Path, tool: Tool) -> None:
    assert ("missing", "one-more") in drifts(tmp_path, tool.add_ons())
    put(tmp_path, tool.add_ons())
    assert drifts(tmp_path, tool.add_ons("2" * 64)) == [("stale", "one-more/deep/y.py"), ("stale", "one-more/x.py")]
    (tmp_path / "one-more/x.py").write_bytes(MARK + b"z\n")
    (tmp_path / "one-more/deep/y.py").unlink()
    changed = [("missing", "one-more/deep/y.py"), ("edited by hand", "one-more/x.py")]
    assert drifts(tmp_path, tool.add_ons()) == changed
    (tmp_path / "one-more/new.py").write_bytes(b"mine\n")
    assert drifts(tmp_path, tool.add_ons()) == [changed[0], ("foreign", "one-more/new.py"), changed[1]]
    assert tool.asked == 1


def test_the_files_that_polywire_renders_take_no_tool(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    tool.fault = MissingToolError("it takes a tool")
    (tmp_path / "one-more/about.md").write_bytes(b"mine\n")
    assert drifts(tmp_path, tool.add_ons()) == [("edited by hand", "one-more/about.md")]
    assert put(tmp_path, tool.add_ons()) == [("updated", "one-more/about.md")]
    assert drifts(tmp_path, tool.add_ons()) == []


def test_a_run_that_was_killed_leaves_nothing_that_counts_as_made(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    (tmp_path / "manifest.json").rename(tmp_path / ".polywire-manifest.tmp")
    (tmp_path / "one-more/x.py").unlink()
    assert ("created", "one-more/x.py") in put(tmp_path, tool.add_ons())
    assert (tool.asked, drifts(tmp_path, tool.add_ons())) == (2, [])


def test_an_add_on_moves_out_of_the_folder_where_older_versions_put_it(tmp_path: Path, tool: Tool) -> None:
    inside = {"one": {"a.py": MARK}, "one/more": {}}
    (add_on,) = tool.add_ons().values()
    write(tmp_path, inside, HEADER, whole=True, add_ons={"one/more": add_on})
    assert (tmp_path / "one/more/x.py").exists()
    put(tmp_path, tool.add_ons())
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")) == [
        *("manifest.json", "one-more/about.md", "one-more/deep/y.py", "one-more/x.py", "one/a.py"),
    ]


def test_an_edit_by_hand_and_a_missing_file_are_mended(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    (tmp_path / "one-more/x.py").write_bytes(MARK + b"z\n")
    (tmp_path / "one-more/deep/y.py").unlink()
    mended = [("created", "one-more/deep/y.py"), ("updated", "one-more/x.py")]
    assert put(tmp_path, tool.add_ons()) == mended
    assert drifts(tmp_path, tool.add_ons()) == []


def test_what_is_not_asked_for_any_more_goes_and_what_is_left_out_stays(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    assert (put(tmp_path, None), drifts(tmp_path, None)) == ([], [])
    assert drifts(tmp_path, {}) == [
        ("stale", "manifest.json"),
        ("left over", "one-more/about.md"),
        ("left over", "one-more/deep/y.py"),
        ("left over", "one-more/x.py"),
    ]
    removed = ["one-more/about.md", "one-more/deep/y.py", "one-more/x.py"]
    assert put(tmp_path, {}) == [("removed", path) for path in removed]
    assert drifts(tmp_path, {}) == []


def test_without_the_tool_nothing_is_written_at_all(tmp_path: Path, tool: Tool) -> None:
    tool.fault = MissingToolError("it takes a tool, and it is not installed: get it")
    with pytest.raises(ToolError) as caught:
        put(tmp_path, tool.add_ons())
    more = tmp_path / "one-more"
    assert str(caught.value) == (
        f"{more} cannot be made: it takes a tool, and it is not installed: get it, or leave it as it is: --no-add-ons"
    )
    assert [*tmp_path.iterdir()] == []


def test_where_not_all_are_wanted_one_that_never_was_is_left_out_without_its_tool(tmp_path: Path, tool: Tool) -> None:
    tool.fault = MissingToolError("it takes a tool")
    (change, _) = write(tmp_path, TREES, HEADER, whole=True, add_ons=tool.add_ons(), all_add_ons=False)
    assert (change.action, change.path, change.why) == ("left out", "one-more", "it takes a tool")
    assert compare(tmp_path, TREES, HEADER, whole=True, add_ons=tool.add_ons(), all_add_ons=False) == []
    assert drifts(tmp_path, tool.add_ons()) == [("missing", "one-more")]


def test_one_that_was_made_is_never_left_out(tmp_path: Path, tool: Tool) -> None:
    put(tmp_path, tool.add_ons())
    tool.fault = MissingToolError("it takes a tool")
    with pytest.raises(ToolError):
        write(tmp_path, TREES, HEADER, whole=True, add_ons=tool.add_ons("2" * 64), all_add_ons=False)


def test_a_tool_that_fails_is_told_apart_from_one_that_is_missing(tmp_path: Path, tool: Tool) -> None:
    tool.fault = AddOnError("the tool failed")
    with pytest.raises(OutputError, match=r"one-more: the tool failed$") as caught:
        put(tmp_path, tool.add_ons())
    assert not isinstance(caught.value, ToolError)


# --- on the command line ---------------------------------------------------------------------------------------


def polywire(*words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--target", "python"], prog_name="polywire")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec that enables a flavour, in the working folder; the tool is missing, but its output exists."""
    shutil.copytree(PARCEL, tmp_path / "spec")
    file = tmp_path / "spec" / "protocol.yaml"
    file.write_text(file.read_text("utf-8").replace("module: parcel}", "module: parcel, pydantic: strict}"), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(flavours, "make", made)
    return tmp_path


def made(module: str, *_: object) -> Mapping[str, bytes]:
    return {f"{module}/__init__.py": MARK}


def missing(*_: object) -> Mapping[str, bytes]:
    raise MissingToolError("it takes some-tool 1.0, and it is not installed: pip install some-tool==1.0")


def test_generate_and_check_see_to_add_ons(here: Path) -> None:
    assert polywire("generate").stdout.endswith("files of 1 target and 1 add-on: 32 created\n")
    assert polywire("check").stdout == "28 files of 1 target and 1 add-on: up to date\n"
    (here / "generated/python-pydantic/parcel_pydantic/__init__.py").write_bytes(MARK + b"mine\n")
    done = polywire("check")
    assert done.exit_code == 1
    assert done.stdout.startswith("edited by hand: generated/python-pydantic/parcel_pydantic/__init__.py")
    assert "to fix: polywire generate --target python\n" in done.stdout


def test_without_the_tool_everything_goes_on_as_long_as_nothing_is_due(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polywire("generate")
    monkeypatch.setattr(flavours, "make", missing)
    assert (polywire("generate").exit_code, polywire("check").exit_code) == (0, 0)
    file = here / "spec" / "parts.yaml"
    file.write_text(file.read_text("utf-8").replace("left?: Tree", "right?: Tree"), "utf-8")
    before = {path: path.read_bytes() for path in (here / "generated").rglob("*") if path.is_file()}
    done = polywire("generate")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "pip install some-tool==1.0, or leave it as it is: --no-add-ons" in done.stderr
    assert {path: path.read_bytes() for path in (here / "generated").rglob("*") if path.is_file()} == before
    assert polywire("check").exit_code == 1
    assert polywire("generate", "--no-add-ons").exit_code == 0
    assert polywire("check", "--no-add-ons").exit_code == 0
    assert [line for line in polywire("check").stdout.splitlines() if line.startswith("stale")] == [
        f"stale: generated/python-pydantic/parcel_pydantic/__init__.py ({len(MARK)} bytes)"
    ]


def test_where_nobody_asked_an_installation_without_the_tool_makes_all_the_rest(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flavours, "make", missing)
    done = polywire("generate")
    assert (done.exit_code, polywire("check").exit_code) == (0, 0)
    assert "left out generated/python-pydantic: it takes some-tool 1.0, and" in done.stdout
    assert done.stdout.endswith(": 28 created, 1 left out\n")
    assert polywire("generate", "--exit-non-zero-on-change").exit_code == 0
    asked = polywire("check", "--add-ons")
    assert asked.exit_code == 1
    assert asked.stdout.startswith("missing: generated/python-pydantic\n")
    assert "to fix: polywire generate --target python --add-ons\n" in asked.stdout
    assert polywire("generate", "--add-ons").exit_code == 3
    assert not (here / "generated/python-pydantic").exists()


def test_no_add_ons_are_made_of_a_dialect_unless_they_are_asked_for(here: Path) -> None:
    place = here / "generated/dialects/terse/python-pydantic"
    assert (polywire("generate", "--dialect", "terse").exit_code, place.exists()) == (0, False)
    assert (polywire("generate", "--dialect", "terse", "--add-ons").exit_code, place.exists()) == (0, True)


def test_a_polywire_toml_asks_for_them_itself(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "polywire.toml").write_text('spec = "spec"\n[targets.python]\nout = "wire"\n', "utf-8")
    assert polywire("generate").stdout.endswith("\n28 files of 1 target: 28 created\n")
    monkeypatch.setattr(flavours, "make", missing)
    (here / "polywire.toml").write_text(
        'spec = "spec"\n[targets.python]\nout = "wire"\ntyped_dicts = "open"\n', "utf-8"
    )
    done = polywire("generate")
    assert done.exit_code == 3
    assert f"{here / 'wire-typed-dicts'} cannot be made: it takes some-tool 1.0" in done.stderr
    monkeypatch.setattr(flavours, "make", made)
    assert polywire("generate").exit_code == 0
    assert (here / "wire-typed-dicts/parcel_typed_dicts/__init__.py").read_bytes() == MARK
    assert polywire("check").exit_code == 0
