"""`polywire watch` as a process: it generates at once and after saves, survives a broken spec, and ends on Ctrl-C."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polywire.commands.watch import Watched, rounds
from vendor.support import CONFIG

HANGS = 600.0
"""Seconds without output after which a watch counts as hung; no test waits that long otherwise."""

WAITING = "waiting for changes; press Ctrl-C to stop"


class Watch:
    """A running watch, and its output for each run."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polywire", "watch"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def round(self) -> list[str]:
        """The output of one run, until the watch waits again."""
        lines = []
        while (line := self._lines.get(timeout=HANGS)) != WAITING:
            lines.append(line)
        return lines

    def until(self, wanted: str) -> list[str]:
        """The output of the first run that contains a text; on a slow machine, one save may cause two runs."""
        said = self.round()
        while not any(wanted in line for line in said):
            said = self.round()
        return said

    def interrupt(self) -> int:
        """Send Ctrl-C and return the exit status."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(HANGS)

    def kill(self) -> None:
        """Kill the process unconditionally."""
        self._process.kill()
        self._process.wait(HANGS)


@pytest.fixture
def watch(repository: Path) -> Iterator[Watch]:
    """A watch that is started in a subfolder."""
    (repository / "below").mkdir()
    watching = Watch(repository / "below")
    yield watching
    watching.kill()


def change(file: Path, old: str, new: str) -> None:
    """Save a file as careful editors do: write a new file beside it, then replace it."""
    beside = file.with_name(f".{file.name}.swp")
    beside.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    beside.replace(file)


def test_a_session_at_the_desk(repository: Path, watch: Watch) -> None:
    schema = repository / "schemas/parcel.schema.json"
    part = repository / "protocol/parts.yaml"
    config = repository / "polywire.toml"
    assert watch.round()[-1] == "3 files of 1 target: 3 created"

    # Many events in quick succession.
    for name in ("right", "other", "final"):
        change(part, "left?: Tree", f"{name}?: Tree")
        change(part, f"{name}?: Tree", "final?: Tree")
    watch.until("3 files of 1 target: ")
    while '"final"' not in schema.read_text(encoding="utf-8"):
        watch.round()

    # A broken spec is reported with its location and changes no generated file.
    change(part, "final?: Tree", "final?: Treee")
    told = watch.until("error[unknown-name]")
    assert told[0].startswith("../protocol/parts.yaml:")
    assert '"final"' in schema.read_text(encoding="utf-8")
    change(part, "final?: Treee", "last?: Tree")
    watch.until("3 files of 1 target: 2 updated")

    # A broken config is reported too. A config that names another spec is used.
    config.write_text(f"spek = 1\n{CONFIG}", encoding="utf-8")
    watch.until("error[unknown-key]")
    (repository / "protocol").rename(repository / "moved")
    config.write_text(CONFIG.replace("protocol", "moved"), encoding="utf-8")
    watch.until("3 files of 1 target: nothing to do")
    change(repository / "moved/parts.yaml", "last?: Tree", "very_last?: Tree")
    watch.until("3 files of 1 target: 2 updated")
    assert watch.interrupt() == 0
    assert not list(repository.rglob(".polywire-*"))


def test_what_is_replaced_or_comes_back_is_watched_again(repository: Path, watch: Watch) -> None:
    spec, config, away = (repository / name for name in ("protocol", "polywire.toml", "away"))
    watch.until("3 files of 1 target: 3 created")
    names = ["left", *(f"field{number}" for number in range(9))]

    def save(folder: Path = spec) -> None:
        change(folder / "parts.yaml", f"{names[0]}?: Tree", f"{names[1]}?: Tree")
        names.pop(0)
        watch.until("3 files of 1 target: 2 updated")

    # A new folder of the same name, at once and later.
    shutil.copytree(spec, away)
    shutil.rmtree(spec)
    away.rename(spec)
    watch.until("3 files of 1 target: nothing to do")
    save()
    spec.rename(away)
    watch.until("error[missing-spec]")
    away.rename(spec)
    watch.until("3 files of 1 target: nothing to do")
    save()

    # A folder in it.
    (spec / "examples").rename(away)
    watch.until("error[")
    shutil.copytree(away, spec / "examples")
    watch.until("3 files of 1 target: nothing to do")

    # The config.
    config.rename(away / "config")
    watch.until("'spec' does not exist")
    (away / "config").rename(config)
    watch.until("3 files of 1 target: nothing to do")
    save()

    # A link to another folder.
    spec.rename(repository / "one")
    watch.until("error[missing-spec]")
    spec.symlink_to("one")
    watch.until("3 files of 1 target: nothing to do")
    save(repository / "one")
    shutil.copytree(repository / "one", repository / "two")
    change(repository / "two/parts.yaml", f"{names[0]}?: Tree", "other?: Tree")
    (repository / "link").symlink_to("two")
    (repository / "link").replace(spec)
    watch.until("3 files of 1 target: 2 updated")
    change(repository / "two/parts.yaml", "other?: Tree", "another?: Tree")
    watch.until("3 files of 1 target: 2 updated")
    assert watch.interrupt() == 0


def test_a_round_follows_each_save_of_what_decides_about_the_output(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    saved = iter([["README.md"], ["protocol/.parts.yaml.swp"], ["protocol/parts.yaml"], [], ["polywire.toml", "x"]])

    def events(*_: Path, watch_filter: Callable[[Any, str], bool], **__: object) -> Iterator[list[str]]:
        yield []
        for files in saved:
            seen.append(files)
            yield [file for file in files if watch_filter(None, str(repository.resolve() / file))]

    seen: list[list[str]] = [[]]
    monkeypatch.setattr("watchfiles.watch", events)
    last = [seen[-1] for _ in zip(range(3), rounds(asked()), strict=False)]
    assert last == [[], ["protocol/parts.yaml"], ["polywire.toml", "x"]]


def asked() -> dict[str, Any]:
    """The arguments of `polywire watch` without flags."""
    return {"spec": None, "dialect": None, "out": None, "config": None, "targets": ()}


def test_only_what_decides_about_the_output_matters(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    folders = {tmp_path / "spec", tmp_path / "spec/dialects", tmp_path / "a/b/templates"}
    where = Watched(frozenset({tmp_path / "polywire.toml"}), frozenset(folders))
    assert where.all == {tmp_path, tmp_path / "spec"}  # the others do not exist
    yes = ["polywire.toml", "spec/a.yaml", "spec/dialects/x.yaml", "spec", "spec/dialects", "a", "a/b"]
    no = ["other.toml", "spec/.a.yaml.swp", "spec/a.yaml~", "spec/deep/a.yaml", "generated/x", "a/c"]
    assert [path for path in (*yes, *no) if where.matters(tmp_path / path)] == yes


def test_without_watchfiles_it_says_what_to_install(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "watchfiles.py").write_text("raise ModuleNotFoundError('watchfiles')\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "polywire", "watch"],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "polywire watch needs watchfiles: pip install watchfiles" in done.stderr


def test_without_a_spec_there_is_nothing_to_watch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "polywire", "watch"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'spec' does not exist" in done.stderr
