"""Paths and names that somebody else wrote: which of them lead elsewhere than below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.ground.paths import entry_fault, link_below, path_fault

ESCAPES = ["", ".", "..", "...", " ", "/abs", "a/../b", "../a", "a//b", "a/", "a\\b", "a\0b", "C:", "C:/a", "c:a"]


@pytest.mark.parametrize("path", [*ESCAPES, "a\nb", "a?", "a:b", "\ud800", "aux", "a/NUL.txt", "Com1/x"])
def test_a_path_that_is_not_below_a_folder_everywhere_has_a_fault(path: str) -> None:
    assert path_fault(path) is not None


@pytest.mark.parametrize("path", ["a", "a/b.c", ".github/a", "..a/b..", "ü/x y", "auxiliary", "a.con", "com10"])
def test_a_path_below_a_folder_has_none(path: str) -> None:
    assert path_fault(path) is None


@pytest.mark.parametrize("name", [*ESCAPES, "a/b", ".git", ".GIT", "git~1"])
def test_a_name_that_is_no_entry_of_a_folder_has_a_fault(name: str) -> None:
    assert entry_fault(name) is not None


@pytest.mark.parametrize("name", ["a", ".gitignore", "..a", "a?", "what: this", "\udcff"])
def test_a_name_that_some_system_allows_has_none(name: str) -> None:
    assert entry_fault(name) is None


def test_the_first_link_below_a_folder_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "link"
    (tmp_path / "real" / "a").mkdir(parents=True)
    folder.symlink_to("real")
    assert link_below(folder, folder / "a" / "none" / "file") is None
    (folder / "b").symlink_to("a")
    (folder / "b" / "c").symlink_to("none")
    assert link_below(folder, folder / "b" / "c") == folder / "b"
    assert link_below(folder, folder / "a" / "c") == folder / "a" / "c"
    assert link_below(Path(), Path("none", "file")) is None
